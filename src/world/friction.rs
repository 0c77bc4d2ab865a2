//! Friction of pairs of objects, and where warp and weft are.

use super::Object;
use crate::collision::surface::Surface;
use crate::force::contact::Friction;
use crate::force::friction::Measured;
use crate::linalg::{Mat2, Vec2, Vec3};

/// Friction of two objects that is given for the pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pairing {
    /// By coefficients.
    Coulomb(Friction),
    /// As measured.
    Measured {
        /// Which of the laws.
        law: u32,
        /// The objects are the law's surfaces in the other order.
        swapped: bool,
    },
}

/// Friction of all pairs for which it is given.
#[derive(Clone, Debug, Default)]
pub struct Frictions {
    /// Number of objects.
    objects: usize,
    /// Of each ordered pair of objects; empty when there is none.
    pairs: Vec<Option<Pairing>>,
    /// Laws.
    pub laws: Vec<Measured>,
    /// Inverse of the material edges of each triangle of the surface [1/m]; empty when no law needs warp and weft.
    pub grain: Vec<Mat2>,
}

/// Friction between two objects, by their names.
#[derive(Clone, Debug, PartialEq)]
pub struct Between {
    /// Names of the objects; one twice is an object on itself.
    pub names: [String; 2],
    /// Coefficients, or a law whose surfaces are the objects in this order.
    pub law: Law,
}

/// What is given for a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Coefficients.
    Coulomb(Friction),
    /// As measured.
    Measured(Box<Measured>),
}

impl Between {
    /// Its law has a warp.
    pub fn has_grain(&self) -> bool {
        matches!(&self.law, Law::Measured(law) if !law.is_even())
    }
}

impl Frictions {
    /// For the objects of a world; `grain` are the inverse material edges of the triangles of some of them, by name.
    pub fn new(between: &[Between], objects: &[Object], surface: &Surface, grain: &[(String, Vec<Mat2>)]) -> Frictions {
        let mut frictions = Frictions { objects: objects.len(), ..Frictions::default() };
        let place = |name: &str| objects.iter().position(|o| o.name == name);
        let objects = objects.len();
        for (name, edges) in grain {
            frictions.grain.resize(surface.triangles.len(), Mat2::zeros());
            if let Some(k) = place(name) {
                frictions.grain[surface.triangle_ranges[k].clone()].copy_from_slice(edges);
            }
        }
        for Between { names: [a, b], law } in between {
            let (Some(a), Some(b)) = (place(a), place(b)) else { continue };
            frictions.pairs.resize(objects * objects, None);
            let pairing = match law {
                Law::Coulomb(friction) => Pairing::Coulomb(*friction),
                Law::Measured(measured) => {
                    let found = frictions.laws.iter().position(|law| *law == **measured);
                    let law = found.unwrap_or_else(|| {
                        frictions.laws.push((**measured).clone());
                        frictions.laws.len() - 1
                    });
                    Pairing::Measured { law: law as u32, swapped: false }
                }
            };
            let other = match pairing {
                Pairing::Measured { law, .. } => Pairing::Measured { law, swapped: true },
                coulomb => coulomb,
            };
            frictions.pairs[b * objects + a] = Some(other);
            frictions.pairs[a * objects + b] = Some(pairing);
        }
        frictions
    }

    /// What is given for two objects.
    #[inline]
    pub fn of(&self, a: u16, b: u16) -> Option<Pairing> {
        self.pairs.get(usize::from(a) * self.objects + usize::from(b)).copied().flatten()
    }

    /// Measured friction acts on this object.
    pub fn concern(&self, object: usize) -> bool {
        let row = self.pairs.chunks(self.objects.max(1)).nth(object);
        row.is_some_and(|row| row.iter().any(|p| matches!(p, Some(Pairing::Measured { .. }))))
    }

    /// Material edges of a triangle, so that its warp and weft can be found where it is now; nothing where it has no area.
    pub fn material([a, b, c]: &[Vec2; 3]) -> Mat2 {
        Mat2::from_columns(&[b - a, c - a]).try_inverse().unwrap_or_else(Mat2::zeros)
    }

    /// Where one metre of warp and of weft lie on a triangle of the surface.
    #[inline]
    pub fn directions(&self, triangle: usize, [a, b, c]: [Vec3; 3]) -> [Vec3; 2] {
        let Some(inverse) = self.grain.get(triangle) else { return [Vec3::zeros(); 2] };
        let (p, q) = (b - a, c - a);
        [0, 1].map(|k| p * inverse[(0, k)] + q * inverse[(1, k)])
    }
}
