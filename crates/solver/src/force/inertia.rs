//! Inertia as a term of the system: `m/beta^2` on the diagonal.

use super::scheme::Scheme;
use super::term::{Law, Name, Rows};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Mat3, Vec3};

/// Inertia of all vertices, and its rows in a subdomain.
#[derive(Clone, Copy, Debug)]
pub struct Inertia;

impl Law for Inertia {
    type Rows<T: Real> = Inertia;

    fn name(&self) -> Name {
        Name::first("inertia")
    }

    fn rows<T: Real>(&self, _domain: &Domain<T>) -> Inertia {
        Inertia
    }
}

impl<T: Real> Rows<T> for Inertia {
    fn add(&mut self, scheme: &Scheme, _memory: &[f64], domain: &mut Domain<T>, _force: &mut [Vec3]) {
        for i in 0..domain.count {
            let v = domain.first + i;
            let inertia = scheme.mass[v] / (scheme.effective_dt[v] * scheme.effective_dt[v]);
            domain.add(i as u32, &Mat3::from_diagonal_element(inertia));
        }
    }
}
