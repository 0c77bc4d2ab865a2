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
    /// Where they cross: of each connected part the first pair, in the scene [m].
    pub places: Vec<Vec3>,
}

impl Crossing {
    /// In words; `name` names an object.
    pub fn describe<'a>(&self, name: impl Fn(usize) -> &'a str) -> String {
        self.told(name, ["cross", "crosses"])
    }

    /// The same, with the word for what objects do and what one does.
    pub fn told<'a>(&self, name: impl Fn(usize) -> &'a str, [they, it]: [&str; 2]) -> String {
        let Crossing { objects: [a, b], pairs, first, places } = self;
        let who = if a == b {
            format!("'{}' {it} itself", name(*a))
        } else {
            format!("'{}' and '{}' {they}", name(*a), name(*b))
        };
        let count = if pairs.len() == 1 { "1 pair".to_string() } else { format!("{} pairs", pairs.len()) };
        let mut some: Vec<String> =
            pairs.iter().take(TOLD).map(|[s, t]| format!("{} and {}", s - first[0], t - first[1])).collect();
        if pairs.len() > TOLD {
            some.push("...".to_string());
        }
        let more = if places.len() > TOLD { ", ..." } else { "" };
        let near: Vec<String> =
            places.iter().take(TOLD).map(|p| format!("({:.4}, {:.4}, {:.4}) m", p.x, p.y, p.z)).collect();
        let at = if places.len() == 1 { String::new() } else { format!("at {} places, ", places.len()) };
        format!("{who}: {at}{count} of triangles ({}), near {}{more}", some.join(", "), near.join(", "))
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

/// Where pairs of triangles are, those that are next to each other once: the triangles of both sides are the same or have a corner in common.
fn places(x: &[Vec3], surface: &Surface, pairs: &[[u32; 2]]) -> Vec<Vec3> {
    // Two pairs are next to each other where a corner of one side and one of the other are corners of both.
    let mut corners: Vec<([u32; 2], usize)> = Vec::with_capacity(9 * pairs.len());
    for (k, [s, t]) in pairs.iter().enumerate() {
        for v in surface.triangles[*s as usize] {
            corners.extend(surface.triangles[*t as usize].map(|w| ([v.min(w), v.max(w)], k)));
        }
    }
    corners.sort_unstable();
    // The first pair of each part, found by following those that joined it.
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

/// Where two triangles meet: the mean of the points at which an edge of one goes through the other; of those that lie in one plane the
/// mean of all corners.
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
            // Coordinates in the triangle, times its area twice squared.
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

    /// What crosses at positions `x` and a time of prescribed motion [s], and may not.
    pub fn crossings(&self, test: &mut Test, x: &[Vec3], time: f64) -> Vec<Crossing> {
        if !self.contact.enabled {
            return Vec::new();
        }
        let object = object_of(&self.surface);
        let skip = |s, t| !self.meet_at(object(s), object(t), time);
        let mut all = by_objects(x, &self.surface, test.intersections(x, &self.surface.triangles, skip).pairs);
        self.placed(&mut all);
        all
    }

    /// Obstacles that cross each other or themselves at positions `x` and a time of prescribed motion [s], and those that touch without
    /// crossing. Nothing keeps them apart.
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
            // Corners of one mesh at one place are a seam.
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

    /// Moves places from the local origin to the scene's.
    fn placed(&self, all: &mut [Crossing]) {
        all.iter_mut().flat_map(|crossing| &mut crossing.places).for_each(|place| *place += self.origin);
    }

    /// Name of an object.
    pub fn name(&self, object: usize) -> &str {
        &self.objects[object].name
    }
}
