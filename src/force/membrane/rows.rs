//! Membranes as terms of the system.

use super::{Membrane, Triangle};
use crate::force::area_barrier::{jam, jams, part2};
use crate::force::scheme::{Scheme, WIDE, Wide, pick, put, take};
use crate::force::sheet::Sheet;
use crate::force::term::{Law, Name, Own, Rows, couple_all};
use crate::linalg::matrix::{Domain, NOWHERE, Real};
use crate::linalg::{Vec2, Vec3, par};

/// The membranes of all cloths.
#[derive(Clone, Copy, Debug)]
pub struct Membranes<'a> {
    /// Laws by cloth.
    pub sheets: &'a [Sheet],
    /// Elements.
    pub triangles: &'a [Triangle],
}

/// Every triangle that touches a subdomain.
pub struct Faces {
    sheets: Vec<Sheet>,
    faces: Vec<Face>,
}

/// A triangle as one subdomain sees it: its vertices in such an order, own ones first and ascending, that the blocks to store
/// are on and above the diagonal.
#[derive(Clone, Copy, Debug)]
struct Face {
    triangle: Triangle,
    /// Places of the blocks on and above the diagonal, row by row.
    places: [u32; 6],
}

impl Membranes<'_> {
    fn energies(&self, x: &[Vec3]) -> Vec<f64> {
        par::map(self.triangles.len(), |k| self.energy_of(k, x))
    }

    fn energy_of(&self, k: usize, x: &[Vec3]) -> f64 {
        let t = &self.triangles[k];
        t.energy(&self.sheets[t.cloth as usize].membrane, &pick(x, &t.vertices))
    }

    /// Energy of them all [J].
    pub fn energy(&self, x: &[Vec3]) -> f64 {
        par::sum(self.triangles.len(), |k| self.energy_of(k, x))
    }
}

impl Law for Membranes<'_> {
    type Rows<T: Real> = Faces;

    fn name(&self) -> Name {
        Name::first("membrane")
    }

    fn pairs(&self, couple: &mut dyn FnMut(u32, u32)) {
        self.triangles.iter().for_each(|t| couple_all(&t.vertices, couple));
    }

    fn rows<T: Real>(&self, domain: &Domain<T>) -> Faces {
        let own = Own::of(domain);
        let face = |k: u32| {
            let t = &self.triangles[k as usize];
            let triangle = t.reordered(own.order(&t.vertices));
            let [a, b, c] = triangle.vertices.map(|v| v as usize);
            let places = [[a, a], [a, b], [a, c], [b, b], [b, c], [c, c]].map(|[a, b]| domain.place(a, b));
            Face { triangle, places }
        };
        let near = own.near(self.triangles.len(), |k| self.triangles[k].vertices);
        Faces { sheets: self.sheets.to_vec(), faces: near.into_iter().map(face).collect() }
    }

    fn each_energy(&self, x: &[Vec3], _memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        self.triangles.iter().zip(self.energies(x)).for_each(|(t, energy)| add(t.vertices[0], energy));
    }
}

impl<T: Real> Rows<T> for Faces {
    fn add(&mut self, scheme: &Scheme, _memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        let mut batch = Batch::default();
        for faces in self.faces.chunks(WIDE) {
            batch.read(faces, &self.sheets, scheme);
            batch.respond();
            batch.resist(faces.len());
            batch.write(faces, domain, force);
        }
    }
}

/// Some triangles side by side: their numbers stand in rows.
#[derive(Default)]
struct Batch<T> {
    /// Of positions, displacements and damped velocities, the differences along two edges.
    fields: [[[Wide; 3]; 2]; 3],
    gradients: [Wide; 4],
    moduli: [Wide; 4],
    area: Wide,
    damping: Wide,
    /// Part of its area that each has.
    parts: Wide,
    forces: [[Wide; 3]; 3],
    blocks: [[[T; WIDE]; 9]; 6],
}

impl<T: Real> Batch<T> {
    fn read(&mut self, faces: &[Face], sheets: &[Sheet], scheme: &Scheme) {
        let Batch { fields, gradients, moduli, area, damping, .. } = self;
        for (l, Face { triangle: t, .. }) in faces.iter().enumerate() {
            let sheet = &sheets[t.cloth as usize];
            let v = t.vertices.map(|v| v as usize);
            for k in 0..2 {
                put(&mut fields[0][k], l, scheme.x[v[k + 1]] - scheme.x[v[0]]);
                put(&mut fields[1][k], l, scheme.y[v[k + 1]] - scheme.y[v[0]]);
                put(&mut fields[2][k], l, (scheme.damped(v[k + 1]) - scheme.damped(v[0])) * sheet.damping.stretch);
                gradients[2 * k][l] = t.gradients[k].x;
                gradients[2 * k + 1][l] = t.gradients[k].y;
            }
            area[l] = t.area;
            damping[l] = 1.0 + sheet.damping.stretch / scheme.beta;
            let c = match sheet.membrane {
                Membrane::Isotropic(_) => sheet.membrane.moduli(&Vec3::zeros()),
                Membrane::Table(_) => sheet.membrane.moduli(&t.strain(&pick(scheme.x, &t.vertices))),
            };
            for (row, c) in moduli.iter_mut().zip(c) {
                row[l] = c;
            }
        }
    }

    /// Forces and stiffness. By itself, so that whether it runs in lanes does not hang on the code around it.
    #[inline(never)]
    fn respond(&mut self) {
        let Batch { fields, gradients, moduli, area, damping, parts, forces, blocks } = self;
        for l in 0..WIDE {
            let g = [0, 1].map(|k| Vec2::new(gradients[2 * k][l], gradients[2 * k + 1][l]));
            let c = [moduli[0][l], moduli[1][l], moduli[2][l], moduli[3][l]];
            let edges = [0, 1, 2].map(|f| [take(&fields[f][0], l), take(&fields[f][1], l)]);
            parts[l] = part2(g[0].perp(&g[1]), &edges[0]);
            let r = Triangle::respond::<T>(&g, area[l], &c, edges, damping[l]);
            forces.iter_mut().zip(r.force).for_each(|(rows, f)| put(rows, l, f));
            for (rows, block) in blocks.iter_mut().zip(&r.stiffness) {
                rows.iter_mut().zip(block).for_each(|(row, value)| row[l] = *value);
            }
        }
    }

    /// Adds the area barrier to the first `count`.
    fn resist(&mut self, count: usize) {
        let Batch { fields, gradients, moduli, area, parts, forces, blocks, .. } = self;
        for l in (0..count).filter(|l| jams(parts[*l])) {
            let density = (gradients[0][l] * gradients[3][l] - gradients[1][l] * gradients[2][l]).abs();
            let [x, y] = [0, 1].map(|f| [take(&fields[f][0], l), take(&fields[f][1], l)]);
            let Some(jam) = jam(density, moduli[0][l].max(moduli[2][l]) * area[l], &x, &y) else { continue };
            for (k, g) in jam.gradient.iter().enumerate() {
                let force = take(&forces[k], l) - g * jam.force;
                put(&mut forces[k], l, force);
            }
            for (rows, [a, b]) in blocks.iter_mut().zip([[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]) {
                let block = jam.gradient[a] * jam.gradient[b].transpose() * jam.stiffness;
                rows.iter_mut().zip(block.iter()).for_each(|(row, value)| row[l] += T::of(*value));
            }
        }
    }

    fn write(&self, faces: &[Face], domain: &mut Domain<T>, force: &mut [Vec3]) {
        for (l, Face { triangle: t, places }) in faces.iter().enumerate() {
            for (place, block) in places.iter().zip(&self.blocks).filter(|(place, _)| **place != NOWHERE) {
                let at = 9 * *place as usize;
                for (value, row) in domain.blocks[at..at + 9].iter_mut().zip(block) {
                    *value += row[l];
                }
            }
            for (v, push) in t.vertices.iter().zip(&self.forces) {
                if let Some(force) = force.get_mut((*v as usize).wrapping_sub(domain.first)) {
                    *force += take(push, l);
                }
            }
        }
    }
}
