//! Stretch that stays: plasticity of a triangle's strain, with linear hardening.
//!
//! The strain is that of lengths, `b = U - I` with the stretch `U = (F^T F)^(1/2)` of the triangle as it was cut. Its
//! plastic part `p` is the new rest shape: warp and weft coordinates become those times `I + p`, and the law acts on
//! what is beyond. `h` is the hardening modulus over the stiffness. Cloth yields where a principal strain of
//! `xi = b - (1 + h) p` is larger than the yield strain `y`, in whatever direction. The return mapping takes each such
//! principal strain back, `p += (xi_k - y)/(1 + h) n_k n_k^T`, exact along one direction. Cloth that is pulled to
//! `b > y` and let go so keeps `(b - y)/(1 + h)`.
//!
//! Compression does not yield, because cloth buckles. So `p` only grows, and no rest shape collapses. Triangles keep
//! their rest shape during a step: what yields is found at its end.

use super::{Membrane, Triangle};
use crate::force::cloth_law::ClothLaw;
use crate::force::scheme::{Shape, pick};
use crate::force::term::{Channel, Law, Name, NoRows, Shown, mean_of_elements};
use crate::linalg::matrix::{Domain, Real};
use crate::linalg::{Vec3, par};

/// Memory size of a triangle: plastic strain xx, yy, xy, and work done against yielding [J].
const NUMBERS: usize = 4;

/// Entry of yielding in statistics, files and pictures.
pub const SHOWN: Shown = Shown {
    name: Name::first("plastic_stretch"),
    energy: "Done against yielding of stretch so far.",
    channels: &[Channel {
        word: "plastic_strain",
        label: "plastic",
        unit: "",
        sentence: "Largest strain that stays where stretch has yielded, the mean of the vertex's triangles.",
    }],
};

/// Yielding of stretch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yield {
    /// Principal strain up to which cloth springs back.
    pub strain: f64,
    /// Hardening modulus over the stiffness [-].
    pub hardening: f64,
}

/// Triangle whose stretch yields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yielding {
    /// Triangle, as it was cut.
    pub triangle: Triangle,
    /// Law.
    pub law: Yield,
}

/// Returns the principal values of a symmetric tensor xx, yy, xy, and the cosine and sine of the first one's direction.
fn principal(e: &Vec3) -> ([f64; 2], [f64; 2]) {
    let (mean, half) = ((e.x + e.y) / 2.0, (e.x - e.y) / 2.0);
    let radius = half.hypot(e.z);
    let (sin, cos) = (0.5 * e.z.atan2(half)).sin_cos();
    ([mean + radius, mean - radius], [cos, sin])
}

impl Yield {
    /// Returns the plastic strain after a strain `b`.
    pub fn flow(&self, b: &Vec3, plastic: Vec3) -> Vec3 {
        let (sizes, [cos, sin]) = principal(&(b - plastic * (1.0 + self.hardening)));
        let [first, second] = sizes.map(|size| (size - self.strain).max(0.0) / (1.0 + self.hardening));
        let (long, wide, across) = (cos * cos, sin * sin, cos * sin);
        let grown = Vec3::new(long, wide, across) * first + Vec3::new(wide, long, -across) * second;
        if first > 0.0 { plastic + grown } else { plastic }
    }
}

impl Yielding {
    /// Updates the memory to the positions of the triangle's vertices.
    fn advance(&self, membrane: &Membrane, x: &[Vec3; 3], memory: &mut [f64]) {
        let before = Vec3::new(memory[0], memory[1], memory[2]);
        let after = self.law.flow(&self.triangle.lengthening(x), before);
        if after != before {
            let [was, is] = [before, after].map(|plastic| self.triangle.grown(&plastic).energy(membrane, x));
            memory[..3].copy_from_slice(after.as_slice());
            memory[3] += was - is;
        }
    }
}

/// Yielding of stretch of all cloths.
#[derive(Clone, Copy, Debug)]
pub struct Yieldings<'a> {
    /// Laws by cloth.
    pub cloth_laws: &'a [ClothLaw],
    /// Triangles that yield.
    pub list: &'a [Yielding],
}

impl Yieldings<'_> {
    /// Reads the plastic strain of each triangle that yields.
    pub fn plastic(&self, memory: &[f64], plastic: &mut Vec<Vec3>) {
        plastic.clear();
        plastic.extend(memory.chunks(NUMBERS).map(|memory| Vec3::new(memory[0], memory[1], memory[2])));
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
            add(own.triangle.vertices[0], memory[3]);
        }
    }

    fn memory(&self, _: &[Vec3]) -> Vec<f64> {
        vec![0.0; NUMBERS * self.list.len()]
    }

    fn commit(&self, x: &[Vec3], memory: &mut [f64]) {
        par::blocks_mut(memory, NUMBERS * par::BLOCK, |first, block| {
            for (own, memory) in self.list[first / NUMBERS..].iter().zip(block.chunks_mut(NUMBERS)) {
                let Triangle { vertices, cloth, .. } = &own.triangle;
                own.advance(&self.cloth_laws[*cloth as usize].membrane, &pick(x, vertices), memory);
            }
        });
    }

    fn channel(&self, _: &str, _: &[Vec3], memory: &[f64], values: &mut [f64]) {
        let largest = |memory: &[f64]| principal(&Vec3::new(memory[0], memory[1], memory[2])).0[0];
        let own = self.list.iter().zip(memory.chunks(NUMBERS));
        mean_of_elements(own.map(|(own, memory)| (own.triangle.vertices, largest(memory))), values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps along any path and direction give the closed form. A push keeps nothing, and the strain across neither.
    #[test]
    fn flow_is_that_of_the_closed_form() {
        let law = Yield { strain: 0.02, hardening: 0.25 };
        for angle in [0.0f64, 0.7, 2.2] {
            let (sin, cos) = angle.sin_cos();
            let along = |e: f64, across: f64| {
                Vec3::new(cos * cos, sin * sin, cos * sin) * e + Vec3::new(sin * sin, cos * cos, -cos * sin) * across
            };
            for (path, kept) in [
                (&[0.019, 0.0][..], 0.0),
                (&[0.12, 0.0], 0.08),
                (&[0.12, 0.08, 0.14], 0.096),
                (&[0.12, 0.05, 0.119], 0.08),
                (&[-0.3, 0.0], 0.0),
                (&[-0.3, 0.07], 0.04),
            ] {
                let (mut plastic, mut at) = (Vec3::zeros(), 0.0);
                for to in path {
                    for k in 1..=50 {
                        let e: f64 = at + (to - at) * f64::from(k) / 50.0;
                        plastic = law.flow(&along(e, -0.1 * e.abs()), plastic);
                    }
                    at = *to;
                }
                assert!((plastic - along(kept, 0.0)).norm() < 1e-12, "{angle} {path:?}: {plastic:?}");
            }
        }
    }

    /// A triangle that has grown by its whole strain is at rest, also where it is sheared.
    #[test]
    fn a_grown_triangle_is_at_rest() {
        let chart = [[0.0, 0.0], [0.02, 0.003], [0.004, 0.015]];
        let triangle = Triangle::new([0, 1, 2], chart.map(Into::into), 1.0, 0).unwrap();
        let (sin, cos) = 0.4f64.sin_cos();
        let place = |[a, b]: [f64; 2]| {
            let (u, v) = (1.2 * a + 0.15 * b, 0.15 * a + 0.9 * b);
            Vec3::new(cos * u - sin * v, 0.3, sin * u + cos * v)
        };
        let x = chart.map(place);
        let strain = triangle.lengthening(&x);
        assert!((strain - Vec3::new(0.2, -0.1, 0.15)).norm() < 1e-12, "{strain:?}");
        let grown = triangle.grown(&strain);
        assert!(grown.strain(&x).norm() < 1e-12);
        assert!((grown.area / triangle.area - (1.2 * 0.9 - 0.15 * 0.15)).abs() < 1e-12);
    }
}
