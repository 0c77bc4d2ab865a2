//! Bending that stays: plasticity of a triangle's curvature, with linear hardening.
//!
//! The moment is that of the curvature beyond the plastic one, `M = B (kappa - kappa_p)`. `h` is the hardening modulus
//! over the rigidity. Cloth yields where the moment less the back stress, over `B`, `xi = kappa - (1 + h) kappa_p`, is
//! larger than the yield curvature `y`. The return mapping is radial, exact along one direction:
//! `kappa_p += xi (1 - y/|xi|)/(1 + h)`. Cloth that is bent to `kappa > y` and let go so keeps `(kappa - y)/(1 + h)`.
//! The norm is that of the plate, `xx^2 + yy^2 + 2 xy^2`, so that all directions are alike.
//!
//! Curvatures are those at which the angles of a triangle's hinges have the least energy, exact on quadratic surfaces.
//! Hinges turn at rest by the angles of the plastic curvature, the mean of both triangles. They keep these during a
//! step: what yields is found at its end. Hinges of fold lines do not yield.

use super::{FlatPatch, NONE, PLATE};
use crate::force::bending::Hinge;
use crate::force::scheme::{Shape, pick};
use crate::force::term::{Channel, Law, Name, NoRows, Shown, mean_of_elements};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Mat3, Vec3, par};

/// Memory size of a triangle: plastic curvature xx, yy, xy [1/m], and work done against yielding [J].
pub const NUMBERS: usize = 4;
/// Largest angle by which a hinge turns at rest [rad]. Angles jump half a turn from flat.
pub const MOST: f64 = 170.0 / 180.0 * std::f64::consts::PI;

/// Entry of yielding in statistics, files and pictures.
pub const SHOWN: Shown = Shown {
    name: Name::first("plastic"),
    energy: "Done against yielding of bending so far.",
    channels: &[Channel {
        word: "plastic_curvature",
        label: "plastic",
        unit: "1/m",
        sentence: "Curvature that stays where bending has yielded, the mean of the vertex's triangles [1/m].",
    }],
};

/// Yielding of bending.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yield {
    /// Curvature up to which cloth springs back [1/m].
    pub curvature: f64,
    /// Hardening modulus over the rigidity [-].
    pub hardening: f64,
}

/// Triangle whose curvature yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yielding {
    /// Vertices.
    pub vertices: [u32; 3],
    /// Hinges by index; [`NONE`] on the border.
    pub hinges: [u32; 3],
    /// Curvature xx, yy, xy per angle of each hinge [1/m].
    pub curvature: Mat3,
    /// Angle of each hinge per curvature xx, yy, xy [m].
    pub angles: Mat3,
    /// Rest area times rigidity and weight [N m^3].
    pub stiffness: f64,
    /// Law.
    pub law: Yield,
}

/// Returns the norm of a curvature.
fn norm(kappa: &Vec3) -> f64 {
    kappa.component_mul(&Vec3::from(PLATE)).dot(kappa).sqrt()
}

impl Yield {
    /// Returns the plastic curvature after a curvature `kappa`.
    pub fn flow(&self, kappa: &Vec3, plastic: Vec3) -> Vec3 {
        let beyond = kappa - plastic * (1.0 + self.hardening);
        let size = norm(&beyond);
        if size > self.curvature {
            plastic + beyond * ((1.0 - self.curvature / size) / (1.0 + self.hardening))
        } else {
            plastic
        }
    }
}

impl FlatPatch {
    /// Returns the curvature xx, yy, xy per angle of each hinge [1/m]: that of least energy. Angles are those of the
    /// hinges, whatever the winding of the triangle.
    pub fn curvature_per_angle(&self) -> Mat3 {
        let scale = self.scale();
        let inverse = self.form(&PLATE).try_inverse().filter(|_| self.is_apart());
        let measured = match inverse {
            Some(inverse) => {
                let compliance = Mat3::from_diagonal(&PLATE.map(|d| 1.0 / d).into());
                compliance * (scale * self.theta()).transpose() * inverse * scale
            }
            None => Mat3::from_fn(|i, k| {
                let [p, q] = self.normals[k];
                self.curvature[k] * [p * p, q * q, p * q][i]
            }),
        };
        measured * self.signs()
    }

    /// Returns the angle of each hinge per curvature xx, yy, xy [m], with zeros on the border.
    pub fn turns(&self) -> Mat3 {
        self.signs() * self.theta()
    }

    fn signs(&self) -> Mat3 {
        Mat3::from_diagonal(&self.against.map(|against| if against { -1.0 } else { 1.0 }).into())
    }
}

impl Yielding {
    /// Returns the curvature of angles by hinge [1/m].
    fn bent(&self, of: impl Fn(u32) -> f64) -> Vec3 {
        self.curvature * Vec3::from(self.hinges.map(|h| if h == NONE { 0.0 } else { of(h) }))
    }

    /// Updates the memory to a curvature [1/m].
    fn advance(&self, kappa: &Vec3, memory: &mut [f64]) {
        let before = Vec3::new(memory[0], memory[1], memory[2]);
        let after = self.law.flow(kappa, before);
        let [was, is] = [before, after].map(|plastic| norm(&(kappa - plastic)));
        memory[..3].copy_from_slice(after.as_slice());
        memory[3] += 0.5 * self.stiffness * (was * was - is * is);
    }
}

/// Yielding of all cloths.
#[derive(Clone, Copy, Debug)]
pub struct Yieldings<'a> {
    /// All hinges.
    pub hinges: &'a [Hinge],
    /// Triangles that yield.
    pub list: &'a [Yielding],
}

impl Yieldings<'_> {
    /// Adds the angles by which hinges turn at rest [rad].
    pub fn turn(&self, memory: &[f64], turned: &mut [f64]) {
        for (own, memory) in self.list.iter().zip(memory.chunks(NUMBERS)) {
            let angles = own.angles * Vec3::new(memory[0], memory[1], memory[2]) * 0.5;
            for (h, angle) in own.hinges.iter().zip(angles.iter()).filter(|(h, _)| **h != NONE) {
                turned[*h as usize] += angle;
            }
        }
    }
}

impl Law for Yieldings<'_> {
    type Rows<T: Real> = NoRows;

    fn name(&self) -> Name {
        SHOWN.name
    }

    fn rows<T: Real>(&self, _: &Domain<T>) -> NoRows {
        NoRows
    }

    fn each_energy(&self, _: &Shape, memory: &[f64], add: &mut dyn FnMut(u32, f64)) {
        for (own, memory) in self.list.iter().zip(memory.chunks(NUMBERS)) {
            add(own.vertices[0], memory[3]);
        }
    }

    fn memory(&self, _: &[Vec3]) -> Vec<f64> {
        vec![0.0; NUMBERS * self.list.len()]
    }

    fn commit(&self, x: &[Vec3], memory: &mut [f64]) {
        par::blocks_mut(memory, NUMBERS * par::BLOCK, |first, block| {
            for (own, memory) in self.list[first / NUMBERS..].iter().zip(block.chunks_mut(NUMBERS)) {
                let kappa = own.bent(|h| {
                    let hinge = &self.hinges[h as usize];
                    hinge.away(&pick(x, &hinge.vertices))
                });
                own.advance(&kappa, memory);
            }
        });
    }

    fn channel(&self, _: &str, _: &[Vec3], memory: &[f64], values: &mut [f64]) {
        let plastic = |memory: &[f64]| norm(&Vec3::new(memory[0], memory[1], memory[2]));
        let own = self.list.iter().zip(memory.chunks(NUMBERS));
        mean_of_elements(own.map(|(own, memory)| (own.vertices, plastic(memory))), values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps along any path give the closed form: what is kept after a bend, the reverse yield, and nothing below.
    #[test]
    fn flow_is_that_of_the_closed_form() {
        let law = Yield { curvature: 100.0, hardening: 0.25 };
        let way = Vec3::new(0.3, 0.5, 0.2);
        let way = way / norm(&way);
        let bent = |path: &[f64]| {
            let mut plastic = Vec3::zeros();
            let mut at = 0.0;
            for to in path {
                for k in 1..=50 {
                    plastic = law.flow(&(way * (at + (to - at) * f64::from(k) / 50.0)), plastic);
                }
                at = *to;
            }
            assert!((plastic - way * norm(&plastic) * plastic.dot(&way).signum()).norm() < 1e-9);
            norm(&plastic) * plastic.dot(&way).signum()
        };
        for (path, kept) in [
            (&[99.0, 0.0][..], 0.0),
            // Without a moment it is bent as it keeps.
            (&[400.0, 240.0], 300.0 / 1.25),
            (&[-300.0, -160.0], -200.0 / 1.25),
            // Reverse yield begins 2 y below the way up.
            (&[400.0, 201.0], 300.0 / 1.25),
            (&[400.0, 0.0], 100.0 / 1.25),
            (&[400.0, -150.0], (-150.0 + 100.0) / 1.25),
        ] {
            let found = bent(path);
            assert!((found - kept).abs() < 1e-9, "{path:?}: {found} instead of {kept}");
        }
    }
}
