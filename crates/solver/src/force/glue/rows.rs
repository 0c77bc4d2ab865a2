//! Glue as a term of the system.

use super::Bond;
use crate::force::scheme::{Scheme, Shape, pick};
use crate::force::term::{Law, Name, Own, Rows, UPPER, couple_all};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Vec3, par};

/// All bonds.
#[derive(Clone, Copy, Debug)]
pub struct Glue<'a>(pub &'a [Bond]);

/// All bonds that touch a subdomain.
pub struct Bonds(Vec<Held>);

/// Bond in one subdomain.
#[derive(Clone, Copy, Debug)]
struct Held {
    bond: Bond,
    /// Order of its vertices: own ones first and ascending, so that the blocks to store are on and above the diagonal.
    order: [usize; 4],
    /// Places of the blocks on and above the diagonal, row by row.
    places: [u32; 10],
}

impl Glue<'_> {
    /// Returns the energy of all bonds [J].
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        par::sum(self.0.len(), |k| self.0[k].energy(&pick(x, &self.0[k].vertices)))
    }
}

impl Law for Glue<'_> {
    type Rows<T: Real> = Bonds;

    fn name(&self) -> Name {
        Name::first("glue")
    }

    fn pairs(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.0.iter().for_each(|bond| couple_all(&bond.vertices, couple));
    }

    /// Cloth and body remain separate components.
    fn joins(&self) -> bool {
        false
    }

    fn rows<T: Real>(&self, domain: &Domain<T>) -> Bonds {
        let own = Own::of(domain);
        let held = |bond: &Bond| {
            let order = own.order(&bond.vertices);
            let v = order.map(|k| bond.vertices[k] as usize);
            Held { bond: *bond, order, places: UPPER.map(|[a, b]| domain.place(v[a], v[b])) }
        };
        Bonds(self.0.iter().filter(|bond| own.touches(&bond.vertices)).map(held).collect())
    }

    fn each_energy(&self, shape: &Shape, _memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        self.0.iter().for_each(|bond| add(bond.vertices[0], bond.energy(&pick(shape.x, &bond.vertices))));
    }
}

impl<T: Real> Rows<T> for Bonds {
    fn add(&mut self, scheme: &Scheme, _memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        for Held { bond, order, places } in &self.0 {
            let drawn = bond.draw(&pick(scheme.x, &bond.vertices));
            let pushes = drawn.pushes(&drawn.after(&pick(scheme.y, &bond.vertices)));
            for (v, push) in bond.vertices.iter().zip(pushes) {
                if let Some(force) = force.get_mut((*v as usize).wrapping_sub(domain.first)) {
                    *force += push * bond.stiffness;
                }
            }
            let slopes = order.map(|k| drawn.slopes[k]);
            for ([a, b], place) in UPPER.iter().zip(places) {
                domain.add(*place, &(slopes[*a].tr_mul(&slopes[*b]) * bond.stiffness));
            }
        }
    }
}
