//! Rest shapes that change in time: cloth that shrinks, and elastic bands. They change between steps, where the world
//! is built anew.

use super::ClothInput;
use super::gather::resized;
use crate::force::spring::{Role, Spring, Tension};
use crate::linalg::Vec2;
use crate::world::keyed::{Keyed, Ramp};

/// Change of the lengths at rest along warp and weft.
#[derive(Clone, Debug, PartialEq)]
pub struct Shrink {
    /// Factors of the lengths along warp and weft.
    pub factors: [f64; 2],
    /// Part of the change that each vertex takes, 0 to 1.
    pub parts: Vec<f64>,
    /// Time in which it grows.
    pub ramp: Ramp,
    /// Part of the change that has taken place by keys, in place of the ramp.
    pub keys: Option<Keyed>,
}

/// Elastic band along edges of the mesh. A band of the length `l` pulls with `T = EA (l/(f L) - 1)` where that is
/// positive, with the length `L` of its edges in the cloth at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Whether each vertex is in the band. An edge is in it if both its ends are.
    pub inside: Vec<bool>,
    /// Length at rest in units of that of the cloth, `f`.
    pub factor: f64,
    /// Force at double length, `EA` [N].
    pub stiffness: f64,
    /// Time in which its length at rest changes.
    pub ramp: Ramp,
}

impl Shrink {
    /// Returns the part of the change that has taken place at a time.
    fn part(&self, time: f64) -> f64 {
        self.keys.as_ref().map_or_else(|| self.ramp.part(time), |keys| keys.at(time))
    }
}

/// Fold line along edges of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldLine {
    /// Edges, by file vertices.
    pub edges: Vec<[u32; 2]>,
    /// Rest angle; positive where the front of the cloth is on the outside [rad].
    pub angle: f64,
    /// Factor of the bending stiffness across the line.
    pub stiffness: f64,
    /// Time in which the angle grows.
    pub ramp: Ramp,
}

impl ClothInput {
    /// Returns whether rest shapes differ at two times.
    pub fn changes(&self, [before, now]: [f64; 2]) -> bool {
        self.shrinks.iter().any(|shrink| shrink.part(before) != shrink.part(now))
            || self.gathers.iter().any(|gather| gather.part(before) != gather.part(now))
            || self.bands.iter().any(|band| band.ramp.part(before) != band.ramp.part(now))
    }

    /// Returns whether rest shapes ever change.
    pub fn ever_changes(&self) -> bool {
        !(self.shrinks.is_empty() && self.gathers.is_empty() && self.bands.is_empty())
    }

    /// Changes warp and weft coordinates of triangles' corners [m] from the shapes as cut to those of a time.
    pub(super) fn shape(&self, material: &mut [[Vec2; 3]], time: f64) {
        for (gather, part) in self.gathers.iter().map(|gather| (gather, gather.part(time))) {
            for (t, factors) in &gather.sides {
                let points = &mut material[*t as usize];
                *points = resized(points, &factors.map(|factor| 1.0 + (factor - 1.0) * part));
            }
        }
        if !self.shrinks.is_empty() {
            for (points, triangle) in material.iter_mut().zip(&self.mesh.triangles) {
                let factors = self.shrunk(triangle, time);
                *points = points.map(|p| p.component_mul(&factors));
            }
        }
    }

    /// Returns the factors of a triangle's lengths along warp and weft at a time. Vertices are those of the file.
    fn shrunk(&self, triangle: &[u32; 3], time: f64) -> Vec2 {
        let mut factors = Vec2::repeat(1.0);
        for shrink in &self.shrinks {
            let (Shrink { factors: own, parts, .. }, grown) = (shrink, shrink.part(time));
            let part = triangle.iter().filter_map(|v| parts.get(*v as usize)).sum::<f64>() / 3.0;
            let factor = |whole: f64| 1.0 + (whole - 1.0) * grown;
            factors.x *= 1.0 + (factor(own[0]) - 1.0) * part;
            factors.y *= 1.0 + (factor(own[1]) - 1.0) * part;
        }
        factors
    }

    /// Returns the springs of the bands at a time. `edges` are those of the mesh, with their lengths in cloth at rest.
    pub(super) fn wound(&self, edges: &[([u32; 2], f64)], time: f64, cloth: u32) -> Vec<Spring> {
        let mut springs = Vec::new();
        for Band { inside, factor, stiffness, ramp } in &self.bands {
            let factor = ramp.factor(*factor, time);
            let own = edges.iter().filter(|(ends, _)| ends.iter().all(|v| inside.get(*v as usize) == Some(&true)));
            for (vertices, length) in own {
                let rest = factor * length;
                let tension = Tension::Taut { stiffness: stiffness / rest.max(f64::MIN_POSITIVE), damping: 0.0 };
                springs.push(Spring { vertices: *vertices, rest, tension, role: Role::Band, cloth });
            }
        }
        springs
    }
}
