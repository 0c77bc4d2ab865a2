//! Surface intersections: which triangles cross and where, as text and as a mesh.

use super::World;
use crate::collision::intersect::{Test, intersections};
use crate::collision::surface::Surface;
use crate::linalg::Vec3;
use crate::mesh::MeshError;
use crate::mesh::ply::{self, PlyRecord};
use std::collections::BTreeMap;

/// Largest number of triangle pairs, and of places, that a message lists.
const MOST_LISTED: usize = 4;

/// Intersecting triangles of two objects, or self-intersections of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// Indices of the objects, the lower first.
    pub objects: [usize; 2],
    /// Pairs of surface triangles, one of each object, sorted.
    pub pairs: Vec<[u32; 2]>,
    /// First surface triangle of each object. Subtracting it gives the triangle's index in the object's file.
    pub first: [u32; 2],
    /// Position of the first pair of each connected part, in scene coordinates [m].
    pub places: Vec<Vec3>,
}

impl Crossing {
    /// Drops the pairs for which `keep` is false, and finds the positions anew, without the local origin.
    pub fn retain(&mut self, x: &[Vec3], surface: &Surface, keep: impl FnMut(&[u32; 2]) -> bool) {
        let before = self.pairs.len();
        self.pairs.retain(keep);
        if self.pairs.len() < before {
            self.places = places(x, surface, &self.pairs);
        }
    }

    /// Describes the intersection as text. `name` returns the name of an object.
    pub fn describe<'a>(&self, name: impl Fn(usize) -> &'a str) -> String {
        self.describe_with(name, ["cross", "crosses"])
    }

    /// Describes the intersection as text, with the given verb in plural and singular.
    pub fn describe_with<'a>(&self, name: impl Fn(usize) -> &'a str, [they, it]: [&str; 2]) -> String {
        let Crossing { objects: [a, b], pairs, first, places } = self;
        let who = if a == b {
            format!("'{}' {it} itself", name(*a))
        } else {
            format!("'{}' and '{}' {they}", name(*a), name(*b))
        };
        let count = if pairs.len() == 1 { "1 pair".to_string() } else { format!("{} pairs", pairs.len()) };
        let mut some: Vec<String> =
            pairs.iter().take(MOST_LISTED).map(|[s, t]| format!("{} and {}", s - first[0], t - first[1])).collect();
        if pairs.len() > MOST_LISTED {
            some.push("...".to_string());
        }
        let more = if places.len() > MOST_LISTED { ", ..." } else { "" };
        let near: Vec<String> =
            places.iter().take(MOST_LISTED).map(|p| format!("({:.4}, {:.4}, {:.4}) m", p.x, p.y, p.z)).collect();
        let at = if places.len() == 1 { String::new() } else { format!("at {} places, ", places.len()) };
        format!("{who}: {at}{count} of triangles ({}), near {}{more}", some.join(", "), near.join(", "))
    }
}

/// Finds all intersections between objects for which `wanted` is true, grouped by pair of objects.
pub fn crossings(x: &[Vec3], surface: &Surface, wanted: impl Fn(usize, usize) -> bool + Sync) -> Vec<Crossing> {
    let object = object_of(surface);
    by_objects(x, surface, intersections(x, &surface.triangles, |s, t| !wanted(object(s), object(t))).pairs)
}

fn object_of(surface: &Surface) -> impl Fn(u32) -> usize {
    |t| usize::from(surface.object[surface.triangles[t as usize][0] as usize])
}

fn by_objects(x: &[Vec3], surface: &Surface, pairs: Vec<[u32; 2]>) -> Vec<Crossing> {
    let object = object_of(surface);
    let mut all: BTreeMap<[usize; 2], Vec<[u32; 2]>> = BTreeMap::new();
    for pair in pairs {
        all.entry(pair.map(&object)).or_default().push(pair);
    }
    let crossing = |(objects, pairs): ([usize; 2], Vec<[u32; 2]>)| Crossing {
        objects,
        first: objects.map(|k| surface.triangle_ranges[k].start as u32),
        places: places(x, surface, &pairs),
        pairs,
    };
    all.into_iter().map(crossing).collect()
}

/// Returns one position for each connected group of triangle pairs. Two pairs are adjacent if, on both sides, their
/// triangles are equal or share a corner.
fn places(x: &[Vec3], surface: &Surface, pairs: &[[u32; 2]]) -> Vec<Vec3> {
    // Two pairs are adjacent if they share a corner of one side and a corner of the other.
    let mut corners: Vec<([u32; 2], usize)> = Vec::with_capacity(9 * pairs.len());
    for (k, [s, t]) in pairs.iter().enumerate() {
        for v in surface.triangles[*s as usize] {
            corners.extend(surface.triangles[*t as usize].map(|w| ([v.min(w), v.max(w)], k)));
        }
    }
    corners.sort_unstable();
    // Union-find: the root of a group is its first pair.
    let mut first: Vec<usize> = (0..pairs.len()).collect();
    fn root(first: &mut [usize], mut k: usize) -> usize {
        while first[k] != k {
            first[k] = first[first[k]];
            k = first[k];
        }
        k
    }
    for both in corners.windows(2).filter(|both| both[0].0 == both[1].0) {
        let (a, b) = (root(&mut first, both[0].1), root(&mut first, both[1].1));
        first[a.max(b)] = a.min(b);
    }
    let alone = (0..pairs.len()).filter(|k| first[*k] == *k);
    alone.map(|k| place(pairs[k].map(|t| surface.triangles[t as usize].map(|v| x[v as usize])))).collect()
}

/// Returns the position of the intersection of two triangles. It is the mean of the points where an edge of one passes
/// through the other. Coplanar triangles give the mean of all corners.
fn place(triangles: [[Vec3; 3]; 2]) -> Vec3 {
    let [s, t] = &triangles;
    let mut points = Vec::new();
    for (edges, [a, b, c]) in [(s, t), (t, s)] {
        let (p, q) = (b - a, c - a);
        let normal = p.cross(&q);
        for k in 0..3 {
            let (from, to) = (edges[k], edges[(k + 1) % 3]);
            let [before, after] = [from, to].map(|v| normal.dot(&(v - a)));
            if before * after > 0.0 || before == after {
                continue;
            }
            let at = from + (to - from) * (before / (before - after));
            // Barycentric coordinates in the triangle, times the square of twice its area.
            let (u, v) = (normal.dot(&(at - a).cross(&q)), normal.dot(&p.cross(&(at - a))));
            let (whole, room) = (normal.norm_squared(), 1e-9 * normal.norm_squared());
            if u >= -room && v >= -room && u + v <= whole + room {
                points.push(at);
            }
        }
    }
    if points.is_empty() {
        points.extend(triangles.iter().flatten());
    }
    points.iter().sum::<Vec3>() / points.len() as f64
}

/// Writes the intersecting triangles as binary PLY. Each has its own corners, with object index (from 0) and triangle
/// index in the object's file as vertex data.
///
/// # Errors
/// Fails only on an internal error.
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
    /// Returns true if two objects, or one and itself, must not intersect, except for parts that are left out.
    pub fn meet(&self, i: usize, j: usize) -> bool {
        self.touch(i, j) && !self.left_out.wholly(i, j)
    }

    /// Returns true if contact acts between two objects, or one and itself, or is left out by name alone.
    fn touch(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.objects[i], &self.objects[j]);
        let touch = if i == j { a.self_contact } else { a.kind.simulated() || b.kind.simulated() };
        touch && self.contact.enabled
    }

    /// Creates the exact test of moving triangles against all triangles.
    pub fn test(&self) -> Test {
        let last = self.simulated().checked_sub(1);
        Test::new(&self.rest, &self.surface.triangles, last.map_or(0, |k| self.surface.triangle_ranges[k].end))
    }

    /// Finds intersections at positions `x` and a time of prescribed motion [s], with those that are left out of
    /// contact.
    pub fn crossings(&self, test: &mut Test, x: &[Vec3], time: f64) -> Vec<Crossing> {
        if !self.contact.enabled {
            return Vec::new();
        }
        let object = object_of(&self.surface);
        let there = |t: u32| self.there(object(t), time);
        let skip = |s, t| !(self.touch(object(s), object(t)) && there(s) && there(t));
        let mut all = by_objects(x, &self.surface, test.intersections(x, &self.surface.triangles, skip).pairs);
        self.placed(&mut all);
        all
    }

    /// Finds obstacles that intersect each other or themselves at positions `x` and a time of prescribed motion [s].
    /// The second list has those that touch without intersecting. Contact does not act between obstacles.
    pub fn obstacles_that_meet(&self, x: &[Vec3], time: f64) -> [Vec<Crossing>; 2] {
        let surface = &self.surface;
        let Some(range) = surface.triangle_ranges.get(self.simulated()) else { return Default::default() };
        let of_obstacles = &surface.triangles[range.start..];
        let object = object_of(surface);
        let absent = |t: u32| !self.there(object(t + range.start as u32), time);
        let found = intersections(x, of_obstacles, |s, t| absent(s) || absent(t));
        let whole = |pairs: Vec<[u32; 2]>| pairs.into_iter().map(|pair| pair.map(|t| t + range.start as u32)).collect();
        let crossing = by_objects(x, surface, whole(found.pairs));
        let mut touching = by_objects(x, surface, whole(found.touching));
        let corner = |t: u32| surface.triangles[t as usize].map(|v| x[v as usize]);
        for touch in &mut touching {
            // Coincident corners of one mesh are a seam.
            let [a, b] = touch.objects;
            let seam = |[s, t]: &[u32; 2]| corner(*s).iter().any(|p| corner(*t).contains(p));
            touch.pairs.retain(|pair| a != b || !seam(pair));
            touch.places = places(x, surface, &touch.pairs);
        }
        touching.retain(|t| !t.pairs.is_empty() && crossing.iter().all(|c| c.objects != t.objects));
        let mut all = [crossing, touching];
        all.iter_mut().for_each(|all| self.placed(all));
        all
    }

    /// Finds the positions of an intersection anew after pairs of it were dropped.
    pub fn place(&self, crossing: &mut Crossing, x: &[Vec3]) {
        crossing.places = places(x, &self.surface, &crossing.pairs);
        crossing.places.iter_mut().for_each(|place| *place += self.origin);
    }

    /// Moves positions from the local origin to scene coordinates.
    fn placed(&self, all: &mut [Crossing]) {
        all.iter_mut().flat_map(|crossing| &mut crossing.places).for_each(|place| *place += self.origin);
    }

    /// Returns the name of an object.
    pub fn name(&self, object: usize) -> &str {
        &self.objects[object].name
    }
}
