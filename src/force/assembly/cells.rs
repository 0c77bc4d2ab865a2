//! Solid elements of one subdomain.

use super::{Scheme, UPPER, pick};
use crate::force::solid::four::Tetrahedra;
use crate::force::solid::{Body, Solid, Tetrahedron};
use crate::linalg::four::Four;
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Vec3, f64x4};
use std::array::from_fn;

/// Every tetrahedron that touches a subdomain.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Those that are done four at a time.
    corotational: Vec<Cell>,
    /// Those that are done one by one.
    other: Vec<Cell>,
}

/// A tetrahedron as one subdomain sees it: own vertices first and ascending, so that the blocks to store are on and above the
/// diagonal.
#[derive(Clone, Copy, Debug)]
struct Cell {
    tetrahedron: Tetrahedron,
    /// Places of the blocks on and above the diagonal, row by row.
    places: [u32; 10],
}

impl Cells {
    /// Those of `tetrahedra` that touch the subdomain, neighbours in space next to each other.
    pub fn new<T: Real>(tetrahedra: &[Tetrahedron], bodies: &[Body], domain: &Domain<T>) -> Cells {
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
        let (corotational, other): (Vec<Cell>, Vec<Cell>) = touching
            .into_iter()
            .map(cell)
            .partition(|c| matches!(bodies[c.tetrahedron.body as usize].solid, Solid::Corotational(_)));
        Cells { corotational, other }
    }

    /// Adds forces and stiffness in the subdomain's rows.
    pub fn add<T: Real>(&self, bodies: &[Body], scheme: &Scheme, domain: &mut Domain<T>, force: &mut [Vec3]) {
        let (first, beta) = (domain.first, scheme.beta);
        let mut push = |v: u32, by: Vec3| {
            if let Some(force) = force.get_mut((v as usize).wrapping_sub(first)) {
                *force += by;
            }
        };
        let body = |cell: &Cell| &bodies[cell.tetrahedron.body as usize];
        let moved = |v: u32, body: &Body| scheme.y[v as usize] + scheme.damped(v as usize) * body.damping;
        for (cells, count) in chunks(&self.corotational) {
            let Some(four) = Tetrahedra::new(&cells.map(|c| (&c.tetrahedron, &body(c).solid))) else { continue };
            let edges = |of: &dyn Fn(u32, &Body) -> Vec3| -> [Four; 3] {
                let at: [[Vec3; 4]; 4] = cells.map(|c| c.tetrahedron.vertices.map(|v| of(v, body(c))));
                from_fn(|a| {
                    let edge: [Vec3; 4] = from_fn(|k| at[k][a + 1] - at[k][0]);
                    Four::from_fn(|k| &edge[k])
                })
            };
            let damped = f64x4::new(cells.map(|c| 1.0 + body(c).damping / beta));
            let found = four.respond(&edges(&|v, _| scheme.x[v as usize]), &edges(&moved), damped);
            let forces = found.forces.map(Four::to_array);
            let blocks = found.blocks.map(|block| block.map(f64x4::to_array));
            for (k, Cell { tetrahedron: t, places }) in cells.into_iter().enumerate().take(count) {
                for (v, force) in t.vertices.iter().zip(&forces) {
                    push(*v, force[k]);
                }
                for (place, block) in places.iter().zip(&blocks) {
                    domain.accumulate(*place, &from_fn(|e| T::of(block[e][k])));
                }
            }
        }
        for cell in &self.other {
            let Cell { tetrahedron: t, places } = cell;
            let strained = t.strain(&body(cell).solid, &pick(scheme.x, &t.vertices));
            let moved = t.vertices.map(|v| moved(v, body(cell)));
            let mut forces = strained.forces;
            for ([a, b], block) in UPPER.iter().zip(&strained.blocks) {
                forces[*a] -= block * moved[*b];
                if a != b {
                    forces[*b] -= block.tr_mul(&moved[*a]);
                }
            }
            for (v, force) in t.vertices.iter().zip(forces) {
                push(*v, force);
            }
            let damped = 1.0 + body(cell).damping / beta;
            for (place, block) in places.iter().zip(&strained.blocks) {
                domain.add(*place, &(block * damped));
            }
        }
    }
}

/// Four by four, with how many they are; the last ones are filled up.
fn chunks(cells: &[Cell]) -> impl Iterator<Item = ([&Cell; 4], usize)> {
    cells.chunks(4).map(|c| (from_fn(|k| &c[k.min(c.len() - 1)]), c.len()))
}
