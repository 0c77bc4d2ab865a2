//! The first moment: nothing may cross.

use super::faults::Faults;
use crate::collision::intersect::intersections;
use crate::collision::surface::Surface;
use crate::linalg::Vec3;
use crate::world::{Kind, State, World};
use std::collections::BTreeMap;

/// Triangles of two objects, or of one, that cross each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Crossing {
    /// Indices of the objects, the lower first.
    pub objects: [usize; 2],
    /// Number of pairs of triangles.
    pub pairs: usize,
    /// The first pair: triangles of their objects, as in the file.
    pub triangles: [usize; 2],
    /// Where that pair is [m].
    pub place: Vec3,
}

impl Crossing {
    /// In words; `name` names an object.
    pub fn describe<'a>(&self, name: impl Fn(usize) -> &'a str) -> String {
        let Crossing { objects: [a, b], pairs, triangles: [s, t], place } = self;
        let who = if a == b {
            format!("'{}' crosses itself", name(*a))
        } else {
            format!("'{}' and '{}' cross", name(*a), name(*b))
        };
        let count = if *pairs == 1 { "1 pair".to_string() } else { format!("{pairs} pairs") };
        let near = format!("({:.4}, {:.4}, {:.4}) m", place.x, place.y, place.z);
        format!("{who}: {count} of triangles, the first {s} and {t} near {near}")
    }
}

/// All crossings of the surfaces of which `wanted` says that they may not cross, by pairs of objects.
pub fn crossings(x: &[Vec3], surface: &Surface, wanted: impl Fn(usize, usize) -> bool + Sync) -> Vec<Crossing> {
    let object = |t: u32| surface.triangle_ranges.partition_point(|range| range.end <= t as usize);
    let found = intersections(x, &surface.triangles, |s, t| !wanted(object(s), object(t)));
    let mut all: BTreeMap<[usize; 2], Crossing> = BTreeMap::new();
    for [s, t] in found.pairs {
        let objects = [object(s), object(t)];
        let local = |k: usize, t: u32| t as usize - surface.triangle_ranges.get(k).map_or(0, |range| range.start);
        let corners = surface.triangles.get(s as usize).copied().unwrap_or_default();
        let place = corners.iter().filter_map(|v| x.get(*v as usize)).sum::<Vec3>() / 3.0;
        let triangles = [local(objects[0], s), local(objects[1], t)];
        all.entry(objects).or_insert(Crossing { objects, pairs: 0, triangles, place }).pairs += 1;
    }
    all.into_values().collect()
}

/// Tells what crosses at the start, with the object to move.
pub fn check(world: &World, state: &State, faults: &mut Faults) {
    if !world.contact.enabled {
        return;
    }
    let cloth = |k: usize| world.objects.get(k).is_some_and(|o| o.kind == Kind::Cloth);
    let wanted = |a: usize, b: usize| {
        if a == b { world.objects.get(a).is_some_and(|o| o.self_contact) } else { cloth(a) || cloth(b) }
    };
    let name = |k: usize| world.objects.get(k).map_or("", |o| o.name.as_str());
    for crossing in crossings(&state.x, &world.surface, wanted) {
        let remedy = if crossing.objects[0] == crossing.objects[1] {
            "mend the mesh, or give self_contact = false"
        } else {
            "move them apart"
        };
        let message = format!("at the start {}; {remedy}", crossing.describe(name));
        faults.fault(&format!("cloth[{}]", crossing.objects[0]), message);
    }
}
