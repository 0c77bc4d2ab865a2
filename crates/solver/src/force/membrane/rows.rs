//! Membranes as terms of the system.

use super::{Beyond, Membrane, NONE, Triangle};
use crate::force::area_barrier::{jam, jams, part2};
use crate::force::cloth_law::ClothLaw;
use crate::force::dahl::Dahl;
use crate::force::internal_friction::{Rubbing, numbers};
use crate::force::scheme::{Scheme, Shape, WIDE, Wide, pick, put, take};
use crate::force::term::{Law, Name, Own, Rows, couple_all};
use crate::linalg::matrix::{Domain, NOWHERE, Real};
use crate::linalg::{Vec2, Vec3, par};

/// Membranes of all cloths.
#[derive(Clone, Copy, Debug)]
pub struct Membranes<'a> {
    /// Laws by cloth.
    pub cloth_laws: &'a [ClothLaw],
    /// Elements.
    pub triangles: &'a [Triangle],
    /// Index of each triangle among those whose stretch yields, or [`NONE`]. Empty: none yields.
    pub yields: &'a [u32],
}

/// Memory size of a triangle with internal friction.
const NUMBERS: usize = numbers(3);
/// Memory index of a triangle without internal friction.
const FORGETS: u32 = u32::MAX;

/// Triangles that touch a subdomain.
pub struct Faces {
    cloth_laws: Vec<ClothLaw>,
    /// Triangles whose stress is moduli times strain.
    plain: Vec<Face>,
    /// Triangles with an additional stress, or whose rest shape grows.
    apart: Vec<Face>,
}

/// Triangle in one subdomain. Its own vertices are first and ascending, so that the blocks to store are on and above
/// the diagonal.
#[derive(Clone, Copy, Debug)]
struct Face {
    triangle: Triangle,
    /// Places of the blocks on and above the diagonal, row by row.
    places: [u32; 6],
    /// Index among the triangles with internal friction.
    memory: u32,
    /// Index among the triangles whose stretch yields.
    yields: u32,
}

impl Face {
    /// Returns the triangle in its rest shape of the step.
    fn at_rest(&self, scheme: &Scheme) -> Triangle {
        if self.yields == NONE {
            self.triangle
        } else {
            self.triangle.grown(&scheme.stiffness_scale.grown(self.yields))
        }
    }
}

impl Membranes<'_> {
    fn energies(&self, shape: &Shape) -> Vec<f64> {
        par::map(self.triangles.len(), |k| self.energy_of(k, shape))
    }

    fn energy_of(&self, k: usize, shape: &Shape) -> f64 {
        let t = &self.triangles[k];
        let law = &self.cloth_laws[t.cloth as usize].membrane;
        let (stiffness_scale, x) = (shape.stiffness_scale.stretch(&t.vertices), pick(shape.x, &t.vertices));
        match self.yields(k) {
            NONE => stiffness_scale * t.energy(law, &x),
            yields => stiffness_scale * t.grown(&shape.stiffness_scale.grown(yields)).energy(law, &x),
        }
    }

    /// Returns the index of a triangle among those whose stretch yields.
    fn yields(&self, k: usize) -> u32 {
        self.yields.get(k).copied().unwrap_or(NONE)
    }

    /// Returns the energy of all triangles [J].
    pub fn energy(&self, shape: &Shape) -> f64 {
        par::sum(self.triangles.len(), |k| self.energy_of(k, shape))
    }

    /// Returns the triangles with internal friction, in the order of the memory.
    fn rubbing(&self) -> Vec<&Triangle> {
        let rubs = self.cloth_laws.iter().map(|cloth_law| cloth_law.inner.stretches()).collect::<Vec<_>>();
        if rubs.contains(&true) {
            self.triangles.iter().filter(|t| rubs[t.cloth as usize]).collect()
        } else {
            Vec::new()
        }
    }

    /// Returns the internal friction of a triangle.
    fn friction(&self, t: &Triangle) -> Rubbing<'_, 3> {
        Rubbing { laws: &self.cloth_laws[t.cloth as usize].inner.stretch, share: t.area }
    }

    /// Gives `f` each triangle with internal friction, its law and its memory.
    pub fn each_rubbing(&self, memory: &[f64], mut f: impl FnMut(&Triangle, &[Option<Dahl>; 3], &[f64])) {
        for (t, memory) in self.rubbing().into_iter().zip(memory.chunks(NUMBERS)) {
            f(t, self.friction(t).laws, memory);
        }
    }

    /// Returns the work done so far against internal friction [J].
    pub fn work(&self, memory: &[f64]) -> f64 {
        memory.chunks(NUMBERS).map(|element| element[NUMBERS - 1]).sum()
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
        let mut count = 0;
        let number = |t: &Triangle| {
            let rubs = self.cloth_laws[t.cloth as usize].inner.stretches();
            count += u32::from(rubs);
            if rubs { count - 1 } else { FORGETS }
        };
        let memories: Vec<u32> = self.triangles.iter().map(number).collect();
        let face = |k: u32| {
            let t = &self.triangles[k as usize];
            let triangle = t.reordered(own.order(&t.vertices));
            let [a, b, c] = triangle.vertices.map(|v| v as usize);
            let places = [[a, a], [a, b], [a, c], [b, b], [b, c], [c, c]].map(|[a, b]| domain.place(a, b));
            Face { triangle, places, memory: memories[k as usize], yields: self.yields(k as usize) }
        };
        let near = own.near(self.triangles.len(), |k| self.triangles[k].vertices);
        let apart = |face: &Face| {
            let progressive =
                matches!(self.cloth_laws[face.triangle.cloth as usize].membrane, Membrane::Progressive(_));
            face.memory != FORGETS || progressive || face.yields != NONE
        };
        let (apart, plain) = near.into_iter().map(face).partition(apart);
        Faces { cloth_laws: self.cloth_laws.to_vec(), plain, apart }
    }

    fn each_energy(&self, shape: &Shape, memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        self.triangles.iter().zip(self.energies(shape)).for_each(|(t, energy)| add(t.vertices[0], energy));
        for (t, memory) in self.rubbing().into_iter().zip(memory.chunks(NUMBERS)) {
            add(t.vertices[0], self.friction(t).work(t.strain(&pick(shape.x, &t.vertices)).into(), memory));
        }
    }

    fn memory(&self, x: &[Vec3]) -> Vec<f64> {
        let rubbing = self.rubbing();
        let mut memory = vec![0.0; NUMBERS * rubbing.len()];
        for (t, memory) in rubbing.into_iter().zip(memory.chunks_mut(NUMBERS)) {
            let start = self.cloth_laws[t.cloth as usize].inner.start;
            self.friction(t).start(start, t.strain(&pick(x, &t.vertices)).into(), memory);
        }
        memory
    }

    fn commit(&self, x: &[Vec3], memory: &mut [f64]) {
        let rubbing = self.rubbing();
        par::blocks_mut(memory, NUMBERS * par::BLOCK, |first, block| {
            for (t, memory) in rubbing[first / NUMBERS..].iter().zip(block.chunks_mut(NUMBERS)) {
                self.friction(t).advance(t.strain(&pick(x, &t.vertices)).into(), memory);
            }
        });
    }
}

impl<T: Real> Rows<T> for Faces {
    fn add(&mut self, scheme: &Scheme, memory: &[f64], domain: &mut Domain<T>, force: &mut [Vec3]) {
        let mut batch = Batch::default();
        for faces in self.plain.chunks(WIDE) {
            batch.read::<false>(faces, &self.cloth_laws, scheme);
            batch.respond();
            batch.resist(faces.len());
            batch.write(faces, domain, force);
        }
        for faces in self.apart.chunks(WIDE) {
            batch.read::<true>(faces, &self.cloth_laws, scheme);
            batch.read_beyond(faces, &self.cloth_laws, scheme, memory);
            batch.respond_apart();
            batch.resist(faces.len());
            batch.write(faces, domain, force);
        }
    }
}

/// Triangles evaluated side by side, with values stored as arrays.
#[derive(Default)]
struct Batch<T> {
    /// Differences along two edges of positions, displacements, and velocities times the damping time.
    fields: [[[Wide; 3]; 2]; 3],
    gradients: [Wide; 4],
    moduli: [Wide; 4],
    area: Wide,
    damping: Wide,
    /// Stress in addition to the moduli, and its slopes.
    beyond: [[Wide; 3]; 2],
    /// Squared ratio of each triangle's area to its rest area.
    parts: Wide,
    forces: [[Wide; 3]; 3],
    blocks: [[[T; WIDE]; 9]; 6],
}

impl<T: Real> Batch<T> {
    /// Reads triangles. With `APART`, rest shapes that have grown are those of the step.
    fn read<const APART: bool>(&mut self, faces: &[Face], cloth_laws: &[ClothLaw], scheme: &Scheme) {
        let Batch { fields, gradients, moduli, area, damping, .. } = self;
        for (l, face) in faces.iter().enumerate() {
            let grown;
            let t = if APART {
                grown = face.at_rest(scheme);
                &grown
            } else {
                &face.triangle
            };
            let cloth_law = &cloth_laws[t.cloth as usize];
            let v = t.vertices.map(|v| v as usize);
            for k in 0..2 {
                put(&mut fields[0][k], l, scheme.x[v[k + 1]] - scheme.x[v[0]]);
                put(&mut fields[1][k], l, scheme.y[v[k + 1]] - scheme.y[v[0]]);
                put(
                    &mut fields[2][k],
                    l,
                    (scheme.damped(v[k + 1]) - scheme.damped(v[0])) * (cloth_law.damping.stretch * t.damping),
                );
                gradients[2 * k][l] = t.gradients[k].x;
                gradients[2 * k + 1][l] = t.gradients[k].y;
            }
            area[l] = t.area * scheme.stiffness_scale.stretch(&t.vertices);
            damping[l] = 1.0 + cloth_law.damping.stretch * t.damping / scheme.beta;
            let c = match cloth_law.membrane {
                Membrane::Isotropic(_) => cloth_law.membrane.moduli(&Vec3::zeros()),
                Membrane::Table(_) | Membrane::Progressive(_) => {
                    cloth_law.membrane.moduli(&t.strain(&pick(scheme.x, &t.vertices)))
                }
            };
            for (row, c) in moduli.iter_mut().zip(c) {
                row[l] = c;
            }
        }
    }

    /// Reads the stress in addition to the moduli: that of a progressive law, and of internal friction with its slopes
    /// over the expected step.
    fn read_beyond(&mut self, faces: &[Face], cloth_laws: &[ClothLaw], scheme: &Scheme, memory: &[f64]) {
        for (l, face) in faces.iter().enumerate() {
            let (t, at) = (&face.at_rest(scheme), &face.memory);
            let cloth_law = &cloth_laws[t.cloth as usize];
            let mut beyond = cloth_law.membrane.beyond(&t.strain(&pick(scheme.x, &t.vertices)));
            let mut slopes = Vec3::zeros();
            if *at != FORGETS {
                let element = &memory[NUMBERS * *at as usize..][..NUMBERS];
                let by = |displacement: &dyn Fn(usize) -> Vec3| {
                    let end = t.strain(&t.vertices.map(|v| scheme.x[v as usize] + displacement(v as usize)));
                    [0, 1, 2].map(|k| end[k] - element[k])
                };
                let changes = [by(&|_| Vec3::zeros()), by(&|v| scheme.ahead(v)), by(&|v| scheme.expected(v))];
                let rubbing = Rubbing { laws: &cloth_law.inner.stretch, share: t.area };
                let [stress, slope] = rubbing.respond(changes, element);
                // Neither water nor keys change friction, so the softening of `area` is divided out.
                let stiffness_scale = scheme.stiffness_scale.stretch(&t.vertices);
                let own = if stiffness_scale > 0.0 { 1.0 / stiffness_scale } else { 0.0 };
                beyond += Vec3::from(stress) * own;
                slopes = Vec3::from(slope) * own;
            }
            put(&mut self.beyond[0], l, beyond);
            put(&mut self.beyond[1], l, slopes);
        }
    }

    /// Evaluates forces and stiffness. It is a function of its own, so that its vectorisation does not depend on other
    /// code.
    #[inline(never)]
    fn respond(&mut self) {
        self.respond_with::<false>();
    }

    /// Evaluates triangles with an additional stress.
    #[inline(never)]
    fn respond_apart(&mut self) {
        self.respond_with::<true>();
    }

    #[inline(always)]
    fn respond_with<const APART: bool>(&mut self) {
        let Batch { fields, gradients, moduli, area, damping, beyond, parts, forces, blocks } = self;
        for l in 0..WIDE {
            let g = [0, 1].map(|k| Vec2::new(gradients[2 * k][l], gradients[2 * k + 1][l]));
            let c = [moduli[0][l], moduli[1][l], moduli[2][l], moduli[3][l]];
            let edges = [0, 1, 2].map(|f| [take(&fields[f][0], l), take(&fields[f][1], l)]);
            parts[l] = part2(g[0].perp(&g[1]), &edges[0]);
            let other = if APART {
                Beyond { stress: take(&beyond[0], l), slopes: take(&beyond[1], l) }
            } else {
                Beyond::default()
            };
            let r = Triangle::respond::<T, APART>(&g, area[l], (&c, &other), edges, damping[l]);
            forces.iter_mut().zip(r.force).for_each(|(rows, f)| put(rows, l, f));
            for (rows, block) in blocks.iter_mut().zip(&r.stiffness) {
                rows.iter_mut().zip(block).for_each(|(row, value)| row[l] = *value);
            }
        }
    }

    /// Adds the area barrier to the first `count` triangles.
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
        for (l, Face { triangle: t, places, .. }) in faces.iter().enumerate() {
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
