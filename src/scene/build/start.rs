//! Checks of the initial state. Intersections are refused, ignored or untangled.

use super::faults::Faults;
use crate::collision::untangle::Tangle;
use crate::contact::ignore;
use crate::contact::offset_ramp::ramp_offset;
use crate::contact::separate::{Separated, separate};
use crate::linalg::par;
use crate::scene::settings::Start;
use crate::scene::unit::rounded;
use crate::world::crossing::{self, Crossing};
use crate::world::{State, World};
use std::collections::BTreeSet;

/// Gap after untangling, relative to the contact distance. Contact begins without a jump at this gap.
const GAP: f64 = 0.5;

/// Handles intersections, touching surfaces and gaps that are too small at the start. Returns the intersecting
/// triangles as PLY if they are an error.
pub(super) fn begin(start: Start, world: &World, state: &mut State, faults: &mut Faults) -> Vec<u8> {
    warn_of_obstacles(world, state, faults);
    settle(start, world, state, faults)
}

/// Does as [`begin`], without a look at obstacles that meet each other.
pub(super) fn settle(start: Start, world: &World, state: &mut State, faults: &mut Faults) -> Vec<u8> {
    // Intersections within rounding are separated like touching surfaces.
    let parted = separate(world, state).filter(|parted| parted.apart);
    let crossing = cross(start, world, state, faults);
    if !crossing.is_empty() {
        return crossing;
    }
    if let Some(parted) = parted.or_else(|| separate(world, state)) {
        let Separated { vertices, most, objects, place, apart } = parted;
        let [a, b] = objects.map(|k| world.name(k));
        let near = format!("({:.4}, {:.4}, {:.4}) m", place.x, place.y, place.z);
        let said = if a == b { format!("'{a}' touches itself") } else { format!("'{a}' and '{b}' touch") };
        let object = objects.into_iter().min().unwrap_or_default();
        if apart {
            let moved = format!("{vertices} vertices are moved by at most {} mm", rounded(most * 1e3));
            faults.warn(&key(world, object), format!("at the start {said} near {near}; {moved}"));
        } else {
            let remedy = "move them apart by 0.02 mm or more";
            faults
                .fault(&key(world, object), format!("at the start {said} near {near}, without any distance; {remedy}"));
        }
    }
    let now = state.now();
    if let Some(eased) = ramp_offset(world, state, |i, j| world.meet_at(i, j, now), |_| true) {
        faults.warn(&key(world, eased.objects[0].min(eased.objects[1])), eased.describe(world));
    }
    Vec::new()
}

fn cross(start: Start, world: &World, state: &mut State, faults: &mut Faults) -> Vec<u8> {
    let (crossings, _) = ignore::crossings(world, state, &mut world.test(), (&state.x, state.now()));
    if crossings.is_empty() {
        return Vec::new();
    }
    match start {
        Start::Error => {}
        Start::Ignore => {
            for crossing in &crossings {
                ignore::ignore(&world.surface, state, &crossing.pairs);
                faults
                    .warn(&key(world, crossing.objects[0]), format!("{}; ignored until apart", said(world, crossing)));
            }
            return Vec::new();
        }
        Start::Untangle => {
            let before = state.x.clone();
            if untangle(world, state) {
                let most = par::max(before.len(), |v| (state.x[v] - before[v]).norm());
                for crossing in &crossings {
                    let message = format!("{}; untangled by at most {} mm", said(world, crossing), rounded(most * 1e3));
                    faults.warn(&key(world, crossing.objects[0]), message);
                }
                return Vec::new();
            }
        }
    }
    for crossing in &crossings {
        let itself = crossing.objects[0] == crossing.objects[1];
        let remedy = match start {
            Start::Untangle if itself => "too deep to be untangled; mend the mesh, or give self_contact = false",
            Start::Untangle => "too deep to be untangled; move them apart",
            _ if itself => "mend the mesh, or give self_contact = false or contact.start = \"untangle\"",
            _ => "move them apart, or give contact.start = \"untangle\"",
        };
        faults.fault(&key(world, crossing.objects[0]), format!("{}; {remedy}", said(world, crossing)));
    }
    crossing::mesh(&state.x, &world.surface, &crossings).unwrap_or_default()
}

fn key(world: &World, object: usize) -> String {
    match (object.checked_sub(world.cloths.len()), object.checked_sub(world.simulated())) {
        (None, _) => format!("cloth[{object}]"),
        (Some(body), None) => format!("body[{body}]"),
        (_, Some(obstacle)) => format!("obstacle[{obstacle}]"),
    }
}

/// Warns about obstacles that intersect or touch each other. Cloth between them has no space there.
fn warn_of_obstacles(world: &World, state: &State, faults: &mut Faults) {
    if !world.contact.enabled {
        return;
    }
    let words = [["cross", "crosses"], ["touch", "touches"]];
    for (all, words) in world.obstacles_that_meet(&state.x, state.now()).iter().zip(words) {
        let named = |one: &Crossing| {
            world.left_out.crossed.iter().any(|crossed| {
                let [a, b] = crossed.objects;
                one.objects == [a.min(b), a.max(b)]
            })
        };
        for one in all.iter().filter(|one| !named(one)) {
            let message = format!(
                "at the start {}; obstacles may, but cloth that comes between them there has no room",
                one.describe_with(|k| world.name(k), words)
            );
            faults.warn(&key(world, one.objects[0]), message);
        }
    }
}

fn said(world: &World, crossing: &Crossing) -> String {
    let panels = panels(world, crossing);
    let of = if panels.is_empty() { String::new() } else { format!("; panels there: {}", panels.join(", ")) };
    format!("at the start {}{of}", crossing.describe(|k| world.name(k)))
}

/// Returns the names of the panels of patterns at which triangles cross. Groups of their edges begin with their names.
fn panels(world: &World, crossing: &Crossing) -> Vec<String> {
    let mut names = Vec::new();
    let sides = if crossing.objects[0] == crossing.objects[1] { 1 } else { 2 };
    for object in crossing.objects.iter().take(sides).map(|k| &world.objects[*k]) {
        let corners: BTreeSet<u32> =
            crossing.pairs.iter().flatten().flat_map(|t| world.surface.triangles[*t as usize]).collect();
        let crosses = |v: &u32| object.place.get(*v as usize).is_some_and(|v| corners.contains(v));
        let is_panel = |name: &str| object.groups.keys().any(|edge| edge.starts_with(&format!("{name}.")));
        let own = object.groups.iter().filter(|(name, members)| is_panel(name) && members.iter().any(crosses));
        names.extend(own.map(|(name, _)| format!("'{name}'")));
    }
    names
}

/// Untangles the cloths, and returns whether all intersections are resolved. Bodies are not moved, since their interior
/// would stay behind.
fn untangle(world: &World, state: &mut State) -> bool {
    let now = state.now();
    let may = |s, t| world.left_out.of(&[], [s, t].map(|t: u32| &world.surface.triangles[t as usize])) != 0;
    let tangle = Tangle {
        surface: &world.surface,
        moving: world.cloths.last().map_or(0, |c| world.surface.vertex_ranges[c.object].end),
        thickness: &world.half_thickness,
        gap: GAP * world.contact.distance,
        meet: |i, j| world.meet_at(i, j, now),
        may: &may,
    };
    let free = tangle.resolve(&mut state.x);
    state.x_before.copy_from_slice(&state.x[..world.moving]);
    free
}
