//! Solid elements of one subdomain.

use super::{Scheme, pick};
use crate::force::solid::{Body, Tetrahedron};
use crate::linalg::Vec3;
use crate::linalg::matrix::{Domain, Real};

/// Every tetrahedron that touches a subdomain.
#[derive(Clone, Debug)]
pub struct Cells(Vec<Cell>);

/// A tetrahedron as one subdomain sees it: own vertices first and ascending, so that the blocks to store are on and above the
/// diagonal.
#[derive(Clone, Copy, Debug)]
struct Cell {
    tetrahedron: Tetrahedron,
    /// Places of the blocks on and above the diagonal, row by row.
    places: [u32; 10],
}

/// Pairs of a tetrahedron's vertices on and above the diagonal, row by row.
const UPPER: [[usize; 2]; 10] = [[0, 0], [0, 1], [0, 2], [0, 3], [1, 1], [1, 2], [1, 3], [2, 2], [2, 3], [3, 3]];

impl Cells {
    /// Those of `tetrahedra` that touch the subdomain, neighbours in space next to each other.
    pub fn new<T: Real>(tetrahedra: &[Tetrahedron], domain: &Domain<T>) -> Cells {
        let own = domain.first..domain.first + domain.count;
        let rank = |v: u32| (!own.contains(&(v as usize)), v);
        let touches = |t: &&Tetrahedron| t.vertices.iter().any(|v| own.contains(&(*v as usize)));
        let mut touching: Vec<&Tetrahedron> = tetrahedra.iter().filter(touches).collect();
        touching.sort_by_key(|t| t.vertices.map(rank).into_iter().min());
        let cell = |t: &Tetrahedron| {
            let mut order = [0, 1, 2, 3];
            order.sort_unstable_by_key(|k| rank(t.vertices[*k]));
            let tetrahedron = t.reordered(order);
            let v = tetrahedron.vertices.map(|v| v as usize);
            Cell { tetrahedron, places: UPPER.map(|[a, b]| domain.place(v[a], v[b])) }
        };
        Cells(touching.into_iter().map(cell).collect())
    }

    /// Adds forces and stiffness in the subdomain's rows.
    pub fn add<T: Real>(&self, bodies: &[Body], scheme: &Scheme, domain: &mut Domain<T>, force: &mut [Vec3]) {
        for Cell { tetrahedron: t, places } in &self.0 {
            let body = &bodies[t.body as usize];
            let strained = t.strain(&body.solid, &pick(scheme.x, &t.vertices));
            let moved = t.vertices.map(|v| scheme.y[v as usize] + scheme.damped(v as usize) * body.damping);
            let mut forces = strained.forces;
            for ([a, b], block) in UPPER.iter().zip(&strained.blocks) {
                forces[*a] -= block * moved[*b];
                if a != b {
                    forces[*b] -= block.tr_mul(&moved[*a]);
                }
            }
            for (v, push) in t.vertices.iter().zip(forces) {
                if let Some(force) = force.get_mut((*v as usize).wrapping_sub(domain.first)) {
                    *force += push;
                }
            }
            let damped = 1.0 + body.damping / scheme.beta;
            for (place, block) in places.iter().zip(&strained.blocks) {
                domain.add(*place, &(block * damped));
            }
        }
    }
}
