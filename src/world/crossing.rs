//! Surfaces that cross: which and where, in words and as a mesh to look at.

use super::World;
use crate::collision::intersect::{Test, intersections};
use crate::collision::surface::Surface;
use crate::linalg::Vec3;
use crate::mesh::MeshError;
use crate::mesh::ply::{self, PlyRecord};
use std::collections::BTreeMap;

/// Pairs of triangles that are told by their numbers.
const TOLD: usize = 4;

/// Triangles of two objects, or of one, that cross each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// Indices of the objects, the lower first.
    pub objects: [usize; 2],
    /// Pairs of triangles of the surface, one of each object, sorted.
    pub pairs: Vec<[u32; 2]>,
    /// First triangle of each object: a number less this is that of the object's file.
    pub first: [u32; 2],
    /// Where the first pair is [m].
    pub place: Vec3,
}

impl Crossing {
    /// In words; `name` names an object.
    pub fn describe<'a>(&self, name: impl Fn(usize) -> &'a str) -> String {
        let Crossing { objects: [a, b], pairs, first, place } = self;
        let who = if a == b {
            format!("'{}' crosses itself", name(*a))
        } else {
            format!("'{}' and '{}' cross", name(*a), name(*b))
        };
        let count = if pairs.len() == 1 { "1 pair".to_string() } else { format!("{} pairs", pairs.len()) };
        let mut some: Vec<String> =
            pairs.iter().take(TOLD).map(|[s, t]| format!("{} and {}", s - first[0], t - first[1])).collect();
        if pairs.len() > TOLD {
            some.push("...".to_string());
        }
        let near = format!("({:.4}, {:.4}, {:.4}) m", place.x, place.y, place.z);
        format!("{who}: {count} of triangles ({}), the first near {near}", some.join(", "))
    }
}

/// All crossings of the surfaces of which `wanted` says that they may not cross, by pairs of objects.
pub fn crossings(x: &[Vec3], surface: &Surface, wanted: impl Fn(usize, usize) -> bool + Sync) -> Vec<Crossing> {
    let object = object_of(surface);
    by_objects(x, surface, intersections(x, &surface.triangles, |s, t| !wanted(object(s), object(t))).pairs)
}

fn object_of(surface: &Surface) -> impl Fn(u32) -> usize {
    |t| usize::from(surface.object[surface.triangles[t as usize][0] as usize])
}

fn by_objects(x: &[Vec3], surface: &Surface, pairs: Vec<[u32; 2]>) -> Vec<Crossing> {
    let object = object_of(surface);
    let mut all: BTreeMap<[usize; 2], Crossing> = BTreeMap::new();
    for pair in pairs {
        let objects = pair.map(&object);
        let crossing = all.entry(objects).or_insert_with(|| Crossing {
            objects,
            pairs: Vec::new(),
            first: objects.map(|k| surface.triangle_ranges[k].start as u32),
            place: surface.triangles[pair[0] as usize].iter().map(|v| x[*v as usize]).sum::<Vec3>() / 3.0,
        });
        crossing.pairs.push(pair);
    }
    all.into_values().collect()
}

/// The triangles that cross as binary PLY, each with corners of its own, which hold the numbers of its object (from 0) and of the
/// triangle in its object's file.
///
/// # Errors
/// None but for a fault of the program.
pub fn mesh(x: &[Vec3], surface: &Surface, crossings: &[Crossing]) -> Result<Vec<u8>, MeshError> {
    let all = crossings.iter().flat_map(|c| {
        c.pairs
            .iter()
            .flat_map(|pair| (0..2).map(|k| (pair[k], [c.objects[k] as f64, f64::from(pair[k] - c.first[k])])))
    });
    let triangles: BTreeMap<u32, [f64; 2]> = all.collect();
    let corners = |t: &u32| surface.triangles[*t as usize].map(|v| x[v as usize]);
    let positions: Vec<Vec3> = triangles.keys().flat_map(corners).collect();
    let field = |k: usize| -> Vec<f64> { triangles.values().flat_map(|values| [values[k]; 3]).collect() };
    let faces: Vec<[u32; 3]> = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let fields = [("object", field(0)), ("triangle", field(1))];
    ply::write(&PlyRecord {
        positions: &positions,
        triangles: &faces,
        fields: &fields.each_ref().map(|(name, values)| (*name, values.as_slice())),
        ..PlyRecord::default()
    })
}

impl World {
    /// Two objects, or one with itself, may not cross.
    pub fn meet(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.objects[i], &self.objects[j]);
        let touch = if i == j { a.self_contact } else { a.kind.simulated() || b.kind.simulated() };
        touch && self.contact.enabled
    }

    /// The test of all that moves against everything.
    pub fn test(&self) -> Test {
        let last = self.simulated().checked_sub(1);
        Test::new(&self.rest, &self.surface.triangles, last.map_or(0, |k| self.surface.triangle_ranges[k].end))
    }

    /// What crosses at positions `x` and may not.
    pub fn crossings(&self, test: &mut Test, x: &[Vec3]) -> Vec<Crossing> {
        if !self.contact.enabled {
            return Vec::new();
        }
        let object = object_of(&self.surface);
        let skip = |s, t| !self.meet(object(s), object(t));
        by_objects(x, &self.surface, test.intersections(x, &self.surface.triangles, skip).pairs)
    }

    /// Name of an object.
    pub fn name(&self, object: usize) -> &str {
        &self.objects[object].name
    }
}
