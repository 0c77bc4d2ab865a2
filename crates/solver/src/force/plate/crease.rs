//! Stress along warp and weft that depends on a triangle's curvature: internal friction, and rigidity that grows with
//! curvature.
//!
//! The curvature of a surface of flat triangles is concentrated in its edges. Each edge has length times angle, along
//! its normal `n`. A triangle has the curvature of its edges with their areas,
//! `kappa = sum_h e_h theta_h n_h^2/(A1 + A2)`. The mean curvature over the mesh is then that of the surface, even if
//! vertices lie off it. Friction therefore has its full value, although the mesh sheds a part of its elastic energy
//! (see [`crate::force::homogenize`]). A moment `m` per width along warp or weft gives hinge `h` the restoring moment
//! `A m n_h^2 e_h/(A1 + A2)`.
//!
//! Friction acts on the strain `e = 3 kappa`, and its stress is a moment per width (Miguel et al. 2013, sections 2.1
//! and 4.3). A rigidity `3 (k1 + 3 k2 |kappa|)` is a plate of rigidity `3 k1` with the additional moment
//! `9 k2 |kappa| kappa`.
//!
//! On the motion of a step at the present velocity, slopes act exactly. On its change they act through bounds by hinge,
//! as the plate's stiffness does (see [`crate::force::assembly`]).

use super::{FlatPatch, NONE};
use crate::force::bending::{Bending, Hinge};
use crate::force::cloth_law::ClothLaw;
use crate::force::dahl::Dahl;
use crate::force::internal_friction::{Rubbing, numbers};
use crate::force::scheme::{Shape, pick};
use crate::linalg::{Vec3, par};

/// Memory size of a triangle with internal friction of bending.
pub(super) const NUMBERS: usize = numbers(2);
/// Memory index of a triangle without internal friction.
pub const FORGETS: u32 = u32::MAX;
/// Strain of bending per curvature.
pub const STRAIN: f64 = 3.0;

/// Triangle whose curvature has a stress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crease {
    /// Hinges by index; [`NONE`] on the border.
    pub hinges: [u32; 3],
    /// Curvature along warp and weft per angle of each hinge [1/m].
    pub curvature: [[f64; 3]; 2],
    /// Rest area times the weight map's factor of bending [m^2].
    pub area: f64,
    /// Index among the triangles with memory; [`FORGETS`] without friction.
    pub memory: u32,
    /// Index of the cloth's laws.
    pub cloth: u32,
}

/// Motion of a hinge of creases in a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turned {
    /// Angle less the rest angle [rad].
    pub away: f64,
    /// Angle less that of the rest shape [rad].
    pub bent: f64,
    /// Stiffness factor.
    pub stiffness_scale: f64,
    /// Turn at the present velocity [rad].
    pub ahead: f64,
    /// Turn if forces act as in the last step [rad].
    pub expected: f64,
}

/// Moment of a hinge, and bound of its stiffness [N m].
#[derive(Clone, Copy, Debug, Default)]
pub struct Resisted {
    /// Moment at the angle that the present velocity leads to.
    pub moment: f64,
    /// Stiffness of the hinge by itself. Together the hinges are at least as stiff as the coupled creases.
    pub stiffness: f64,
}

impl FlatPatch {
    /// Returns the curvature along warp and weft per angle of each hinge [1/m].
    pub fn curvatures(&self) -> [[f64; 3]; 2] {
        let sign = |k: usize| if self.against[k] { -1.0 } else { 1.0 };
        let along = |k: usize, way: usize| sign(k) * self.curvature[k] * self.normals[k][way].powi(2);
        [0, 1].map(|way| [0, 1, 2].map(|k| along(k, way)))
    }
}

impl Crease {
    /// Returns the curvature along warp and weft for angles by hinge.
    #[inline]
    fn along(&self, of: impl Fn(u32) -> f64) -> [f64; 2] {
        let values = self.hinges.map(|h| if h == NONE { 0.0 } else { of(h) });
        self.curvature.map(|row| row[0] * values[0] + row[1] * values[1] + row[2] * values[2])
    }

    /// Returns the stiffness factor, the mean over the hinges.
    #[inline]
    fn stiffness_scale(&self, of: impl Fn(u32) -> f64) -> f64 {
        let [sum, count] =
            self.hinges.iter().filter(|h| **h != NONE).fold([0.0, 0.0], |[s, n], h| [s + of(*h), n + 1.0]);
        sum / count
    }

    /// Returns the curvature along warp and weft beyond that at rest [1/m].
    fn curvature_at(&self, hinges: &[Hinge], shape: &Shape) -> [f64; 2] {
        self.along(|h| {
            let hinge = &hinges[h as usize];
            hinge.away(&pick(shape.x, &hinge.vertices)) - shape.stiffness_scale.turned(h as usize)
        })
    }

    /// Returns the strain of bending along warp and weft at positions `x` [1/m]. Friction resists the motion from
    /// wherever it is, so that rest angles which change are none of it.
    fn strain_at(&self, hinges: &[Hinge], x: &[Vec3]) -> [f64; 2] {
        self.curvature_at(hinges, &x.into()).map(|k| STRAIN * k)
    }

    fn friction<'a>(&self, cloth_laws: &'a [ClothLaw]) -> Rubbing<'a, 2> {
        Rubbing { laws: &cloth_laws[self.cloth as usize].inner.bend, share: self.area / STRAIN }
    }

    /// Adds the moments and stiffness bounds of this crease to its hinges. `turned` is the motion of the hinges.
    #[inline]
    pub fn resist(&self, cloth_laws: &[ClothLaw], turned: &[Turned], memory: &[f64], resisted: &mut [Resisted]) {
        let cloth_law = &cloth_laws[self.cloth as usize];
        let at = |of: fn(&Turned) -> f64| self.along(|h| of(&turned[h as usize]));
        let [away, bent, ahead] = [at(|t| t.away), at(|t| t.bent), at(|t| t.ahead)];
        let (mut moments, mut slopes) = ([0.0; 2], [0.0; 2]);
        if self.memory != FORGETS {
            let element = &memory[NUMBERS * self.memory as usize..][..NUMBERS];
            let here = [0, 1].map(|k| STRAIN * bent[k] - element[k]);
            let by = |of| {
                let turned: [f64; 2] = at(of);
                [0, 1].map(|k| here[k] + STRAIN * turned[k])
            };
            let changes = [here, by(|t| t.ahead), by(|t| t.expected)];
            let [stress, slope] = self.friction(cloth_laws).respond(changes, element);
            (moments, slopes) = (stress, slope.map(|s| STRAIN * s));
        }
        if let Bending::Progressive([_, growth]) = cloth_law.bending {
            let growth = growth * self.stiffness_scale(|h| turned[h as usize].stiffness_scale);
            for k in 0..2 {
                moments[k] += 9.0 * growth * away[k].abs() * away[k];
                slopes[k] += 18.0 * growth * away[k].abs();
            }
        }
        let [p, q] = &self.curvature;
        let [m, n] = [0, 1].map(|k| self.area * (moments[k] + slopes[k] * ahead[k]));
        let [k, l] = slopes.map(|slope| self.area * slope);
        let form = |i: usize, j: usize| k * p[i] * p[j] + l * q[i] * q[j];
        let roots = [0, 1, 2].map(|i| form(i, i).max(0.0).sqrt());
        for i in (0..3).filter(|i| self.hinges[*i] != NONE && roots[*i] > 0.0) {
            let bound = |j: usize| if roots[j] > 0.0 { form(i, j).abs() * roots[i] / roots[j] } else { 0.0 };
            let own = &mut resisted[self.hinges[i] as usize];
            own.moment += m * p[i] + n * q[i];
            own.stiffness += bound(0) + bound(1) + bound(2);
        }
    }
}

/// All creases of all cloths, with the laws and hinges that they use.
#[derive(Clone, Copy, Debug)]
pub struct Creases<'a> {
    /// Laws by cloth.
    pub cloth_laws: &'a [ClothLaw],
    /// All hinges.
    pub hinges: &'a [Hinge],
    /// All creases.
    pub list: &'a [Crease],
}

impl Creases<'_> {
    /// Returns the energy of the rigidity that grows with curvature [J].
    pub fn energy_of(&self, crease: &Crease, shape: &Shape) -> f64 {
        let Bending::Progressive([_, growth]) = self.cloth_laws[crease.cloth as usize].bending else { return 0.0 };
        let cubes: f64 = crease.curvature_at(self.hinges, shape).iter().map(|k| k.abs().powi(3)).sum();
        let stiffness_scale = crease.stiffness_scale(|h| shape.stiffness_scale.bend(&self.hinges[h as usize].vertices));
        crease.area * 3.0 * growth * stiffness_scale * cubes
    }

    /// Returns the work done so far against the friction of a crease, if the positions were now `x` [J].
    pub fn work_of(&self, crease: &Crease, x: &[Vec3], memory: &[f64]) -> f64 {
        if crease.memory == FORGETS {
            return 0.0;
        }
        let element = &memory[NUMBERS * crease.memory as usize..][..NUMBERS];
        crease.friction(self.cloth_laws).work(crease.strain_at(self.hinges, x), element)
    }

    /// Gives `f` each crease with friction, its laws and its memory.
    pub fn each_rubbing(&self, memory: &[f64], mut f: impl FnMut(&Crease, &[Option<Dahl>; 2], &[f64])) {
        for (crease, memory) in self.rubbing().into_iter().zip(memory.chunks(NUMBERS)) {
            f(crease, crease.friction(self.cloth_laws).laws, memory);
        }
    }

    /// Returns the creases with friction, in the order of the memory.
    fn rubbing(&self) -> Vec<&Crease> {
        self.list.iter().filter(|crease| crease.memory != FORGETS).collect()
    }

    /// Returns the initial memory.
    pub fn memory(&self, x: &[Vec3]) -> Vec<f64> {
        let rubbing = self.rubbing();
        let mut memory = vec![0.0; NUMBERS * rubbing.len()];
        for (crease, memory) in rubbing.into_iter().zip(memory.chunks_mut(NUMBERS)) {
            let start = self.cloth_laws[crease.cloth as usize].inner.start;
            crease.friction(self.cloth_laws).start(start, crease.strain_at(self.hinges, x), memory);
        }
        memory
    }

    /// Updates the memory to the end of a step.
    pub fn commit(&self, x: &[Vec3], memory: &mut [f64]) {
        let rubbing = self.rubbing();
        par::blocks_mut(memory, NUMBERS * par::BLOCK, |first, block| {
            for (crease, memory) in rubbing[first / NUMBERS..].iter().zip(block.chunks_mut(NUMBERS)) {
                crease.friction(self.cloth_laws).advance(crease.strain_at(self.hinges, x), memory);
            }
        });
    }
}
