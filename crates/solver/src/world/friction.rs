//! Friction between pairs of objects, and warp and weft directions at contacts.

use super::Object;
use crate::collision::surface::Surface;
use crate::force::contact::Friction;
use crate::force::friction::Measured;
use crate::linalg::{Mat2, Vec2, Vec3};

/// Friction law of a pair of objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pairing {
    /// Coulomb coefficients.
    Coulomb(Friction),
    /// Measured law.
    Measured {
        /// Index of the law.
        law: u32,
        /// The first object is the law's second surface.
        swapped: bool,
    },
}

/// Friction of all pairs for which a scene gives it.
#[derive(Clone, Debug, Default)]
pub struct Frictions {
    /// Number of objects.
    objects: usize,
    /// Friction of each ordered pair of objects; empty if no pair has one.
    pairs: Vec<Option<Pairing>>,
    /// Measured laws.
    pub laws: Vec<Measured>,
    /// Inverse of the material edges of each triangle of the surface [1/m]; empty if no law needs warp and weft.
    pub grain: Vec<Mat2>,
}

/// Friction between two objects, by name.
#[derive(Clone, Debug, PartialEq)]
pub struct Between {
    /// Names of the objects. Two equal names stand for self-contact.
    pub names: [String; 2],
    /// Coefficients, or a law whose surfaces are the objects in this order.
    pub law: Law,
}

/// Friction input of a pair.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// Coulomb coefficients.
    Coulomb(Friction),
    /// Measured law.
    Measured(Box<Measured>),
}

impl Between {
    /// Returns true if the law depends on warp and weft.
    pub fn has_grain(&self) -> bool {
        matches!(&self.law, Law::Measured(law) if !law.is_even())
    }
}

impl Frictions {
    /// Builds the table for the objects of a world. `grain` has inverse material edges of triangles, by object name.
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

    /// Returns the friction of two objects, if the scene gives one for the pair.
    #[inline]
    pub fn of(&self, a: u16, b: u16) -> Option<Pairing> {
        self.pairs.get(usize::from(a) * self.objects + usize::from(b)).copied().flatten()
    }

    /// Returns true if a measured law acts on this object.
    pub fn concern(&self, object: usize) -> bool {
        let row = self.pairs.chunks(self.objects.max(1)).nth(object);
        row.is_some_and(|row| row.iter().any(|p| matches!(p, Some(Pairing::Measured { .. }))))
    }

    /// Returns the inverse of a triangle's material edges, from which warp and weft follow at its current position.
    /// Degenerate triangles have zero.
    pub fn material([a, b, c]: &[Vec2; 3]) -> Mat2 {
        Mat2::from_columns(&[b - a, c - a]).try_inverse().unwrap_or_else(Mat2::zeros)
    }

    /// Returns the warp and weft vectors on a triangle of the surface, of one metre of material each.
    #[inline]
    pub fn directions(&self, triangle: usize, [a, b, c]: [Vec3; 3]) -> [Vec3; 2] {
        let Some(inverse) = self.grain.get(triangle) else { return [Vec3::zeros(); 2] };
        let (p, q) = (b - a, c - a);
        [0, 1].map(|k| p * inverse[(0, k)] + q * inverse[(1, k)])
    }
}
