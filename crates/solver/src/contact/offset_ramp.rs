//! Contact ramp: surfaces that start closer than their rest distance must not gain energy.
//!
//! The barrier of a pair whose gap is used up when contact first acts would throw both sides apart. Such a pair starts
//! with a reduced thickness and activation distance, at a gap where the barrier stores next to no energy. Their scale
//! then grows linearly to 1 over [`crate::world::ContactSettings::ease`]. The ramp applies to all pairs at the start,
//! to vertices that a pin releases, and to obstacles that appear.

use super::element::{Element, LEAST};
use super::ignore::ignores;
use crate::collision::candidates::{Candidates, Near};
use crate::collision::certificate::{Pair, Separation};
use crate::force::scheme::pick;
use crate::linalg::Vec3;
use crate::mesh::number_text::rounded;
use crate::world::{State, World};
use std::collections::BTreeSet;

/// Gap at which a single layer rests, as a fraction of the activation distance. Pairs at least this far apart start
/// unchanged.
const REST: f64 = 0.6;
/// Gap at which closer pairs start, as a fraction of the activation distance. The barrier stores next to no energy
/// there.
const BEGIN: f64 = 0.8;

/// Gap below which the ramp waits, as a fraction of the activation distance. Such a contact is pressed from both sides.
const SQUEEZED: f64 = 0.15;

/// Pairs that start too close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RampedOffset {
    /// Number of vertices whose contacts start with a reduced distance.
    pub vertices: usize,
    /// Closest pair: its distance and its rest distance [m].
    pub distance: [f64; 2],
    /// Objects of that pair, in order.
    pub objects: [usize; 2],
    /// Position of that pair [m].
    pub place: Vec3,
}

/// Calls `f(pair, features, corners, separation)` for each pair of features closer than `reach` beyond the thickness at
/// positions `x`. Considers objects for which `meet` is true, without pairs that `state` excludes from contact.
pub(crate) fn each_near(
    world: &World,
    (state, x): (&State, &[Vec3]),
    reach: f64,
    meet: impl Fn(usize, usize) -> bool,
    mut f: impl FnMut(Pair, [u32; 2], &[u32; 4], &Separation),
) {
    let mut candidates = Candidates::new(x, &world.surface, &world.half_thickness, reach, meet);
    candidates.update(x, &world.surface, &vec![Vec3::zeros(); x.len()]);
    for list in &candidates.lists {
        for (pair, all) in [(Pair::VertexFace, &list.vertex_face), (Pair::EdgeEdge, &list.edge_edge)] {
            let acts =
                |near: &&Near| f64::from(near.distance) < list.reach && !ignores(world, state, pair, [near.a, near.b]);
            for near in all.iter().filter(acts) {
                let corners = world.surface.corners(pair, [near.a, near.b]);
                f(pair, [near.a, near.b], &corners, &pair.separation(&pick(x, &corners)));
            }
        }
    }
}

/// Starts the ramp for contacts of vertices for which `seen` is true, with objects for which `meet` is true. Returns
/// the pair with the smallest scale, if any pair is too close.
pub fn ramp_offset(
    world: &World,
    state: &mut State,
    meet: impl Fn(usize, usize) -> bool,
    seen: impl Fn(u32) -> bool,
) -> Option<RampedOffset> {
    if !world.contact.proven() || world.contact.ease == 0.0 {
        return None;
    }
    let mut offset_scale = std::mem::take(&mut state.offset_scale);
    let moves = |v: &u32| (*v as usize) < world.moving;
    let (mut least, mut eased) = (1.0, None);
    let at = (&*state, &state.x[..]);
    each_near(world, at, REST * world.contact.distance, meet, |pair, _, corners, separation| {
        let Separation { distance, weights, .. } = separation;
        let thick: f64 = (0..4).map(|k| world.half_thickness[corners[k] as usize] * weights[k].abs()).sum();
        // Neighbours in the rest shape already have a reduced distance.
        let shape = super::element::shape_room(world, pair, corners, thick);
        let reach = world.distance(corners);
        let rest = thick + REST * reach;
        if *distance >= rest * shape {
            return;
        }
        let part = distance.max(LEAST) / (thick + BEGIN * reach);
        // Either side suffices, because a contact uses the smallest scale of its four vertices.
        let sides = corners.split_at(if pair == Pair::VertexFace { 1 } else { 2 });
        let side = [sides.0, sides.1].into_iter().find(|side| side.iter().any(|v| moves(v) && seen(*v)));
        let Some(side) = side else { return };
        if offset_scale.is_empty() {
            offset_scale.resize(world.rest.len(), 1.0);
        }
        for v in side.iter().filter(|v| moves(v) && seen(**v)) {
            offset_scale[*v as usize] = part.min(shape).min(offset_scale[*v as usize]);
        }
        if part < least {
            least = part;
            let objects = [corners[0], corners[3]].map(|v| usize::from(world.surface.object[v as usize]));
            let place = state.x[corners[0] as usize];
            eased = Some(RampedOffset { vertices: 0, distance: [*distance, rest], objects, place });
        }
    });
    let vertices = offset_scale.iter().filter(|part| **part < 1.0).count();
    state.offset_scale = offset_scale;
    eased.map(|eased| RampedOffset { vertices, ..eased })
}

/// Continues the ramp after a step of size `h` [s]. Vertices of squeezed `contacts` wait.
pub(crate) fn grow(world: &World, state: &mut State, contacts: &[Element], h: f64) {
    let more = h / world.contact.ease;
    let squeezed = contacts.iter().filter(|c| c.contact.gap < SQUEEZED * c.contact.reach);
    let waits: BTreeSet<u32> = squeezed.flat_map(|c| c.vertices).collect();
    for (v, part) in state.offset_scale.iter_mut().enumerate() {
        if *part < 1.0 && !waits.contains(&(v as u32)) {
            *part = (*part + more).min(1.0);
        }
    }
    if state.offset_scale.iter().all(|part| *part == 1.0) {
        state.offset_scale.clear();
    }
}

impl RampedOffset {
    /// Describes the pairs as text.
    pub fn describe(&self, world: &World) -> String {
        let RampedOffset { vertices, distance: [distance, rest], objects: [a, b], place } = self;
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
