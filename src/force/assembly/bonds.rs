//! Glue of one subdomain.

use super::{Scheme, UPPER, pick};
use crate::force::glue::Bond;
use crate::linalg::Vec3;
use crate::linalg::matrix::{Domain, Real};

/// Every bond that touches a subdomain.
#[derive(Clone, Debug)]
pub struct Bonds(Vec<Held>);

/// A bond as one subdomain sees it.
#[derive(Clone, Copy, Debug)]
struct Held {
    bond: Bond,
    /// Its vertices, own ones first and ascending, so that the blocks to store are on and above the diagonal.
    order: [u8; 4],
    /// Places of the blocks on and above the diagonal, row by row.
    places: [u32; 10],
}

impl Bonds {
    /// Those of `bonds` that touch the subdomain.
    pub fn new<T: Real>(bonds: &[Bond], domain: &Domain<T>) -> Bonds {
        let own = domain.first..domain.first + domain.count;
        let held = |bond: &Bond| {
            let mut order = [0, 1, 2, 3];
            order.sort_unstable_by_key(|k: &u8| {
                let v = bond.vertices[*k as usize];
                (!own.contains(&(v as usize)), v)
            });
            let v = order.map(|k| bond.vertices[k as usize] as usize);
            Held { bond: *bond, order, places: UPPER.map(|[a, b]| domain.place(v[a], v[b])) }
        };
        let touches = |bond: &&Bond| bond.vertices.iter().any(|v| own.contains(&(*v as usize)));
        Bonds(bonds.iter().filter(touches).map(held).collect())
    }

    /// Adds forces and stiffness in the subdomain's rows.
    pub fn add<T: Real>(&self, scheme: &Scheme, domain: &mut Domain<T>, force: &mut [Vec3]) {
        for Held { bond, order, places } in &self.0 {
            let drawn = bond.draw(&pick(scheme.x, &bond.vertices));
            let pushes = drawn.pushes(&drawn.after(&pick(scheme.y, &bond.vertices)));
            for (v, push) in bond.vertices.iter().zip(pushes) {
                if let Some(force) = force.get_mut((*v as usize).wrapping_sub(domain.first)) {
                    *force += push * bond.stiffness;
                }
            }
            let slopes = order.map(|k| drawn.slopes[k as usize]);
            for ([a, b], place) in UPPER.iter().zip(places) {
                domain.add(*place, &(slopes[*a].tr_mul(&slopes[*b]) * bond.stiffness));
            }
        }
    }
}
