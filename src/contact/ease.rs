//! Surfaces that begin nearer than contact lets them rest: no energy that nobody put in may come out.
//!
//! The barrier of a pair whose gap is spent when contact first sees it would throw both sides apart. Instead a pair begins with the
//! part of its thickness and activation distance for which it has room, at a gap that stores next to nothing, and this room
//! grows evenly to the whole in [`crate::world::ContactSettings::ease`]. Seen first are all pairs at the start, those of
//! vertices that a pin lets go, and those of obstacles that appear.

use super::element::{Element, LEAST};
use crate::collision::candidates::Candidates;
use crate::collision::certificate::{Pair, Separation};
use crate::force::scheme::pick;
use crate::linalg::Vec3;
use crate::mesh::told::rounded;
use crate::world::{State, World};
use std::collections::BTreeSet;

/// Part of the activation distance at which a single layer rests: what is not nearer begins as it is.
const REST: f64 = 0.6;
/// Part of it at which what is nearer begins: the barrier stores next to nothing there.
const BEGIN: f64 = 0.8;

/// Part of it below which a contact leaves no room to grow: what presses there presses from both sides.
const SQUEEZED: f64 = 0.15;

/// What began too near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eased {
    /// Vertices whose contacts begin with less than their distance.
    pub vertices: usize,
    /// The nearest pair: distance, and at what distance it would rest [m].
    pub distance: [f64; 2],
    /// Its objects, in order.
    pub objects: [usize; 2],
    /// Where it is [m].
    pub place: Vec3,
}

/// Every pair of features of objects that `meet` that is nearer than `reach` beyond the thickness at positions `x`: `f(pair, features, corners,
/// separation)`.
pub(crate) fn each_near(
    world: &World,
    x: &[Vec3],
    reach: f64,
    meet: impl Fn(usize, usize) -> bool,
    mut f: impl FnMut(Pair, [u32; 2], &[u32; 4], &Separation),
) {
    let mut candidates = Candidates::new(x, &world.surface, &world.half_thickness, reach, meet);
    candidates.update(x, &world.surface, &vec![Vec3::zeros(); x.len()]);
    for list in &candidates.lists {
        for (pair, all) in [(Pair::VertexFace, &list.vertex_face), (Pair::EdgeEdge, &list.edge_edge)] {
            for near in all.iter().filter(|near| f64::from(near.distance) < list.reach) {
                let corners = world.surface.corners(pair, [near.a, near.b]);
                f(pair, [near.a, near.b], &corners, &pair.separation(&pick(x, &corners)));
            }
        }
    }
}

/// Lets contacts of the vertices that are `seen`, with those of objects that `meet`, begin with the room they have. Gives the pair that has
/// least, if any has not enough.
pub fn ease(
    world: &World,
    state: &mut State,
    meet: impl Fn(usize, usize) -> bool,
    seen: impl Fn(u32) -> bool,
) -> Option<Eased> {
    if !world.contact.proven() || world.contact.ease == 0.0 {
        return None;
    }
    let mut room = std::mem::take(&mut state.room);
    let moves = |v: &u32| (*v as usize) < world.moving;
    let (mut least, mut eased) = (1.0, None);
    each_near(world, &state.x, REST * world.contact.distance, meet, |pair, features, corners, separation| {
        if state.ignored.binary_search(&(pair, features)).is_ok() {
            return;
        }
        let Separation { distance, weights, .. } = separation;
        let thick: f64 = (0..4).map(|k| world.half_thickness[corners[k] as usize] * weights[k].abs()).sum();
        // Neighbours of the rest shape have less already.
        let shape = super::element::shape_room(world, pair, corners, thick);
        let reach = world.distance(corners);
        let rest = thick + REST * reach;
        if *distance >= rest * shape {
            return;
        }
        let part = distance.max(LEAST) / (thick + BEGIN * reach);
        // One side is enough, for the least room of all four counts.
        let sides = corners.split_at(if pair == Pair::VertexFace { 1 } else { 2 });
        let side = [sides.0, sides.1].into_iter().find(|side| side.iter().any(|v| moves(v) && seen(*v)));
        let Some(side) = side else { return };
        if room.is_empty() {
            room.resize(world.rest.len(), 1.0);
        }
        for v in side.iter().filter(|v| moves(v) && seen(**v)) {
            room[*v as usize] = part.min(shape).min(room[*v as usize]);
        }
        if part < least {
            least = part;
            let objects = [corners[0], corners[3]].map(|v| usize::from(world.surface.object[v as usize]));
            let place = state.x[corners[0] as usize];
            eased = Some(Eased { vertices: 0, distance: [*distance, rest], objects, place });
        }
    });
    let vertices = room.iter().filter(|part| **part < 1.0).count();
    state.room = room;
    eased.map(|eased| Eased { vertices, ..eased })
}

/// What has less than its room has more after a step of size `h` [s], where its `contacts` let it.
pub(crate) fn grow(world: &World, state: &mut State, contacts: &[Element], h: f64) {
    let more = h / world.contact.ease;
    let squeezed = contacts.iter().filter(|c| c.contact.gap < SQUEEZED * c.contact.reach);
    let waits: BTreeSet<u32> = squeezed.flat_map(|c| c.vertices).collect();
    for (v, part) in state.room.iter_mut().enumerate() {
        if *part < 1.0 && !waits.contains(&(v as u32)) {
            *part = (*part + more).min(1.0);
        }
    }
    if state.room.iter().all(|part| *part == 1.0) {
        state.room.clear();
    }
}

impl Eased {
    /// In words.
    pub fn describe(&self, world: &World) -> String {
        let Eased { vertices, distance: [distance, rest], objects: [a, b], place } = self;
        let who = match a == b {
            true => format!("'{}' begins nearer to itself", world.objects[*a].name),
            false => format!("'{}' and '{}' begin nearer", world.objects[*a].name, world.objects[*b].name),
        };
        format!(
            "{who} than they rest, {} mm instead of {} mm near ({:.4}, {:.4}, {:.4}) m; contacts of {vertices} vertices begin with the \
             distance they have, which grows to the whole in {} s (contact.ease)",
            rounded(distance * 1e3),
            rounded(rest * 1e3),
            place.x,
            place.y,
            place.z,
            world.contact.ease
        )
    }
}
