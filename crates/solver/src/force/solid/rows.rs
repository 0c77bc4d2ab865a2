//! Solids as terms of the system.

use super::four::Tetrahedra;
use super::rings::{Rings, SHARE};
use super::{Body, Solid, Tetrahedron, product};
use crate::force::scheme::{Scheme, Shape, pick};
use crate::force::term::{Law, Name, Own, Rows, UPPER, couple_all};
use crate::linalg::four::Four;
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Vec3, f64x4, par};
use std::array::from_fn;

/// Solid elements of all bodies.
#[derive(Clone, Copy, Debug)]
pub struct Solids<'a> {
    /// Laws by body.
    pub bodies: &'a [Body],
    /// Elements.
    pub tetrahedra: &'a [Tetrahedron],
}

/// Tetrahedra that touch a subdomain.
pub struct Cells {
    bodies: Vec<Body>,
    /// Elements that are evaluated four at a time.
    corotational: Vec<Cell>,
    /// Elements that are evaluated one by one, and their rings.
    other: Vec<Cell>,
    rings: Rings,
}

/// Tetrahedron in one subdomain. Its own vertices are first and ascending, so that the blocks to store are on and above
/// the diagonal.
#[derive(Clone, Copy, Debug)]
struct Cell {
    tetrahedron: Tetrahedron,
    /// Places of the blocks on and above the diagonal, row by row.
    places: [u32; 10],
}

impl Solids<'_> {
    /// Returns the energy of an element without that of its rings [J], and its change of volume [m^3]; zero without
    /// rings.
    fn energy_of(&self, k: usize, x: &[Vec3]) -> [f64; 2] {
        let t = &self.tetrahedra[k];
        let (solid, x) = (&self.bodies[t.body as usize].solid, pick(x, &t.vertices));
        let energy = t.energy(solid, &x);
        solid.bulk_of_rings().map_or([energy, 0.0], |bulk| {
            let swell = t.swell(&x);
            [energy - 0.5 * t.volume * bulk * swell * swell, t.volume * swell]
        })
    }

    /// Gives `add` the energy [J] of each element and each ring, with one of its vertices.
    fn each(&self, x: &[Vec3], add: &mut dyn FnMut(u32, f64)) {
        let energies = par::map(self.tetrahedra.len(), |k| self.energy_of(k, x));
        self.tetrahedra.iter().zip(&energies).for_each(|(t, [energy, _])| add(t.vertices[0], *energy));
        if self.bodies.iter().all(|body| body.solid.bulk_of_rings().is_none()) {
            return;
        }
        // Bulk modulus, volume and change of volume of the ring of each vertex.
        let mut rings = vec![[0.0; 3]; x.len()];
        for (t, [_, swell]) in self.tetrahedra.iter().zip(&energies) {
            let Some(bulk) = self.bodies[t.body as usize].solid.bulk_of_rings() else { continue };
            for v in t.vertices {
                let [own, volume, sum] = &mut rings[v as usize];
                (*own, *volume, *sum) = (bulk, *volume + SHARE * t.volume, *sum + SHARE * swell);
            }
        }
        let there = rings.iter().enumerate().filter(|(_, [_, volume, _])| *volume > 0.0);
        there.for_each(|(v, [bulk, volume, sum])| add(v as u32, 0.5 * bulk * sum * sum / volume));
    }

    /// Returns the energy of all elements [J].
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        let mut sum = 0.0;
        self.each(x, &mut |_, energy| sum += energy);
        sum
    }
}

impl Law for Solids<'_> {
    type Rows<T: Real> = Cells;

    fn name(&self) -> Name {
        Name::first("solid")
    }

    fn pairs(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.tetrahedra.iter().for_each(|t| couple_all(&t.vertices, couple));
    }

    fn rows<T: Real>(&self, domain: &Domain<T>) -> Cells {
        let own = Own::of(domain);
        let cell = |k: u32| {
            let t = &self.tetrahedra[k as usize];
            let tetrahedron = t.reordered(own.order(&t.vertices));
            let v = tetrahedron.vertices.map(|v| v as usize);
            Cell { tetrahedron, places: UPPER.map(|[a, b]| domain.place(v[a], v[b])) }
        };
        let near = own.near(self.tetrahedra.len(), |k| self.tetrahedra[k].vertices);
        let four = |c: &Cell| matches!(self.bodies[c.tetrahedron.body as usize].solid, Solid::Corotational(_));
        let (corotational, other): (_, Vec<Cell>) = near.into_iter().map(cell).partition(four);
        let ringed = |t: &&Tetrahedron| self.bodies[t.body as usize].solid.bulk_of_rings().is_some();
        let asked: Vec<Tetrahedron> = other.iter().map(|c| c.tetrahedron).collect();
        let rings = Rings::new(&asked, self.tetrahedra.iter().filter(ringed));
        Cells { bodies: self.bodies.to_vec(), corotational, other, rings }
    }

    fn each_energy(&self, shape: &Shape, _memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        self.each(shape.x, add);
    }
}

/// Adds to the force on a vertex, if it is in the subdomain whose first vertex is `first`.
#[inline(always)]
fn push(force: &mut [Vec3], first: usize, v: u32, by: Vec3) {
    if let Some(force) = force.get_mut((v as usize).wrapping_sub(first)) {
        *force += by;
    }
}

impl<T: Real> Rows<T> for Cells {
    fn add(&mut self, scheme: &Scheme, _memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        self.add_fours(scheme, domain, force);
        self.add_others(scheme, domain, force);
    }
}

impl Cells {
    /// Adds the elements that are evaluated four at a time.
    fn add_fours<T: Real>(&self, scheme: &Scheme, domain: &mut Domain<T>, force: &mut [Vec3]) {
        let (first, beta) = (domain.first, scheme.beta);
        let body = |cell: &Cell| &self.bodies[cell.tetrahedron.body as usize];
        let displacement = |v: u32, body: &Body| scheme.y[v as usize] + scheme.damped(v as usize) * body.damping;
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
            let found = four.respond(&edges(&|v, _| scheme.x[v as usize]), &edges(&displacement), damped);
            let forces = found.forces.map(Four::to_array);
            let blocks = found.blocks.map(|block| block.map(f64x4::to_array));
            for (k, Cell { tetrahedron: t, places }) in cells.into_iter().enumerate().take(count) {
                for (v, by) in t.vertices.iter().zip(&forces) {
                    push(force, first, *v, by[k]);
                }
                for (place, block) in places.iter().zip(&blocks) {
                    domain.accumulate(*place, &from_fn(|e| T::of(block[e][k])));
                }
            }
        }
    }

    /// Adds the elements that are evaluated one by one.
    fn add_others<T: Real>(&mut self, scheme: &Scheme, domain: &mut Domain<T>, force: &mut [Vec3]) {
        let bodies = &self.bodies;
        let (first, beta) = (domain.first, scheme.beta);
        // Only the motion at the present velocity acts through the rings. The matrix has single elements, which are
        // stiffer.
        let swelling = |t: &Tetrahedron| {
            let damping = bodies[t.body as usize].damping;
            let ahead = t.vertices.map(|v| scheme.ahead(v as usize) + scheme.v[v as usize] * damping);
            let gradients = t.swelling(&pick(scheme.x, &t.vertices));
            (gradients, gradients.iter().zip(&ahead).map(|(g, by)| g.dot(by)).sum::<f64>())
        };
        self.rings.fill(|t| [t.swell(&pick(scheme.x, &t.vertices)), swelling(t).1]);
        for (k, cell) in self.other.iter().enumerate() {
            let Cell { tetrahedron: t, places } = cell;
            let Body { solid, damping } = &bodies[t.body as usize];
            let x = pick(scheme.x, &t.vertices);
            let bulk = solid.bulk_of_rings();
            let [swell, ahead] = if bulk.is_some() { self.rings.of(k) } else { [t.swell(&x), 0.0] };
            let mut strained = t.strain_in(solid, &x, swell);
            if let Some(bulk) = bulk {
                let (gradients, own) = swelling(t);
                let late = t.volume * bulk * (own - ahead);
                strained.forces.iter_mut().zip(gradients).for_each(|(force, g)| *force += g * late);
            }
            let still = product(&strained.blocks, &pick(scheme.y, &t.vertices));
            let viscosity = match solid {
                Solid::NeoHookean(lame) => t.viscosity(lame, &x),
                Solid::Corotational(_) => strained.blocks,
            };
            let dragged_bodies = product(&viscosity, &t.vertices.map(|v| scheme.damped(v as usize)));
            for (a, v) in t.vertices.iter().enumerate() {
                push(force, first, *v, strained.forces[a] - still[a] - dragged_bodies[a] * *damping);
            }
            for (k, place) in places.iter().enumerate() {
                strained.blocks[k] += viscosity[k] * (damping / beta);
                domain.add(*place, &strained.blocks[k]);
            }
        }
    }
}

/// Iterates over groups of four with their number of cells. The last group is filled by repetition.
fn chunks(cells: &[Cell]) -> impl Iterator<Item = ([&Cell; 4], usize)> {
    cells.chunks(4).map(|c| (from_fn(|k| &c[k.min(c.len() - 1)]), c.len()))
}
