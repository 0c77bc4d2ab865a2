//! Yielding where prescribed motions leave no room, so that the others keep their time.
//!
//! Pinned vertices yield first. They become free, pulled toward their path by a spring. It bears at most ten times
//! their share of the load of the pins. They are led back once the path is clear. Otherwise the surfaces of moving
//! obstacles are pressed in, vertex by vertex, as far as they would close. Each vertex comes out again where nothing
//! touches it. A static obstacle is never pressed in.

use crate::contact::element::Element;
use crate::linalg::Vec3;
use crate::world::step::Step;
use crate::world::yields::{Dent, LATE, Slack};
use crate::world::{State, World};

/// Largest number of times that vertices may yield in a step.
pub(super) const ROUNDS: u32 = 8;
/// Stretch of the springs of pinned vertices under the whole load of the pins [m].
const SAG: f64 = 1e-4;
/// Stretch of these springs above which their force is constant [m].
pub(super) const STRETCH: f64 = 1e-3;
/// Lower bound of the acceleration that these springs bear [m/s^2].
const BORNE: f64 = 9.81;
/// Time constant of the way back [s].
const BACK: f64 = 0.02;
/// Number of steps without contact before a vertex comes back.
const CALM: u32 = 3;
/// Additional displacement of a yielding vertex, relative to the contact distance. Doubled each time in a step.
const ROOM: f64 = 0.05;
/// Largest speed of yielding [m/s].
const FASTEST: f64 = 0.5;
/// Distance from its path at which a vertex is back, relative to the contact distance.
const NEAR: f64 = 1e-3;
/// Speed at which a surface comes out: a constant [m/s], and a rate times its depth [1/s].
const OUT: (f64, f64) = (4e-3, 4.0);
/// Speed at which a surface goes further in while a contact there is tight [m/s].
const EASE: f64 = 0.01;
/// Relative gap, to its reach, below which a contact is tight. A contact under load rests no deeper than at a quarter.
const TIGHT: f64 = 0.2;
/// Largest depth of a surface relative to the size of its obstacle.
const DEEPEST: f64 = 0.25;

/// Returns the yielding vertices of one pin, in the order of its vertices.
pub(super) fn of_pin(all: &[Slack], pin: usize) -> &[Slack] {
    let from = all.partition_point(|slack| (slack.pin as usize) < pin);
    &all[from..from + all[from..].partition_point(|slack| slack.pin as usize == pin)]
}

/// Returns the remaining part of the way back after a step of `h` [s].
pub(super) fn left(h: f64) -> f64 {
    (-h / BACK).exp()
}

/// Presses a surface with a tight contact further in. It thus closes no further, wherever its path goes, and gives
/// room.
pub(super) fn follow(dent: &mut Dent, normal: Vec3, path: Vec3, state: &State, h: f64) {
    if dent.tight {
        let displacement = path - normal * dent.depth - state.x[dent.vertex as usize];
        dent.depth += (displacement - dent.meet * h).dot(&normal).max(0.0) + EASE * h;
    }
}

/// Lets surfaces come out where nothing touches them, before a step.
pub(super) fn relax(world: &World, state: &mut State) {
    let State { dents, last, .. } = state;
    let calm = dents.iter_mut().filter(|dent| dent.calm >= CALM);
    calm.for_each(|dent| dent.depth -= (OUT.0 + OUT.1 * dent.depth) * *last);
    dents.retain(|dent| dent.depth > NEAR * world.contact.distance);
}

/// Restores the state of yielding vertices after attempts in which they yielded in vain, if `given`.
pub(super) fn take_back(state: &mut State, whole: &(Vec<Slack>, Vec<Dent>), given: &mut bool) {
    if std::mem::take(given) {
        (state.slack, state.dents) = whole.clone();
    }
}

/// Updates yielding vertices after a step: those without contact come back, and those that are back are removed.
pub(super) fn settle(world: &World, state: &mut State, (step, contacts): (&Step, &[Element]), given: bool) {
    state.calm = if given { 0 } else { LATE.min(state.calm + 1) };
    for dent in &mut state.dents {
        dent.calm = if step.touched[dent.vertex as usize] { 0 } else { dent.calm.saturating_add(1) };
        dent.tight = false;
    }
    meet(world, &mut state.dents, step, contacts);
    let State { slack, anchors, x, .. } = state;
    slack.retain_mut(|own| {
        let Some((_, v, path)) = own.path(world, anchors, step.next) else { return false };
        let off = x[v] - path;
        own.calm = if step.touched[v] { 0 } else { own.calm.saturating_add(1) };
        own.back |= own.calm >= CALM || off.norm() < 0.5 * world.contact.distance;
        own.off = off;
        !own.back || off.norm() > NEAR * world.contact.distance
    });
}

/// Computes the velocity of the vertices that nearly touch the pressed-in surfaces.
fn meet(world: &World, dents: &mut [Dent], step: &Step, contacts: &[Element]) {
    if dents.is_empty() {
        return;
    }
    let moving = |v: &u32| (*v as usize) < world.moving;
    let mut sums = vec![(0.0, Vec3::zeros()); dents.len()];
    let tight = contacts.iter().filter(|c| c.contact.gap < TIGHT * c.contact.reach);
    for c in tight.filter(|c| c.vertices.iter().any(moving)) {
        for k in c.vertices.iter().filter_map(|v| dents.binary_search_by_key(v, |dent| dent.vertex).ok()) {
            for (v, weight) in c.vertices.iter().zip(c.weights).filter(|(v, _)| moving(v)) {
                sums[k].0 += weight.abs();
                sums[k].1 += step.velocity[*v as usize] * weight.abs();
            }
        }
    }
    for (dent, (weight, sum)) in dents.iter_mut().zip(sums).filter(|(_, (weight, _))| *weight > 0.0) {
        (dent.tight, dent.meet) = (true, sum / weight);
    }
}

/// Lets vertices yield after a pinched attempt. Returns false if none can.
pub(super) fn give_way(world: &World, state: &mut State, step: &Step, rounds: u32) -> bool {
    let zones = &step.pinched;
    let pins = zones.iter().flatten().copied().filter(|v| (*v as usize) < world.moving).collect::<Vec<u32>>();
    let loosened = loosen(world, state, step, &pins);
    let room = (ROOM * world.contact.distance * f64::from(1 << rounds)).min(FASTEST * step.h);
    let pressed = zones
        .iter()
        .filter(|zone| zone.iter().all(|v| *v as usize >= world.moving))
        .map(|zone| press(world, state, step, zone, room))
        .fold(false, |any, own| any | own);
    loosened | pressed
}

/// Releases pinned vertices. Returns true if there are any.
fn loosen(world: &World, state: &mut State, step: &Step, pinched: &[u32]) -> bool {
    let mut pinned = vec![0usize; world.component_mass.len()];
    if !pinched.is_empty() {
        let held = world.pins.iter().zip(&state.anchors).filter(|(_, anchors)| anchors.is_some());
        held.flat_map(|(pin, _)| &pin.vertices).for_each(|v| pinned[world.component[*v as usize] as usize] += 1);
    }
    let mut any = false;
    for v in pinched {
        // A vertex follows the last pin that contains it.
        let has = |(_, pin): &(usize, &crate::world::Pin)| pin.vertices.contains(v);
        let mut open = world.pins.iter().enumerate().filter(|(number, _)| state.anchors[*number].is_some());
        let Some((number, pin)) = open.rfind(has) else { continue };
        let place = pin.vertices.iter().position(|own| own == v).unwrap_or_default() as u32;
        let component = world.component[*v as usize] as usize;
        let share = world.component_mass[component] * BORNE.max(world.gravity.norm()) / pinned[component].max(1) as f64;
        let own = Slack { pin: number as u32, place, stiffness: share / SAG, back: false, calm: 0, off: Vec3::zeros() };
        let Some((_, _, path)) = own.path(world, &state.anchors, step.end) else { continue };
        if (path - state.x[*v as usize]).norm() > pin.slack {
            continue;
        }
        any = true;
        match state.slack.binary_search_by_key(&(own.pin, own.place), |slack| (slack.pin, slack.place)) {
            Ok(k) => state.slack[k] = own,
            Err(k) => state.slack.insert(k, own),
        }
    }
    any
}

/// Presses in vertices of obstacles that close on each other. Returns true if there is room.
fn press(world: &World, state: &mut State, step: &Step, zone: &[u32], room: f64) -> bool {
    let moves = |v: &u32| {
        let object = world.object_of(*v as usize);
        world.obstacles.iter().any(|obstacle| Some(obstacle.object) == object && !obstacle.course.still())
    };
    let own: Vec<u32> = zone.iter().copied().filter(moves).collect();
    let known = |v: &u32| {
        let k = state.dents.binary_search_by_key(v, |dent| dent.vertex).ok()?;
        state.dents[k].tight.then_some(state.dents[k].meet)
    };
    let mut all: Vec<Vec3> = own.iter().filter_map(known).collect();
    // If another surface stands still, the obstacles meet there. Otherwise they meet at their mean velocity.
    if all.is_empty() && own.len() == zone.len() {
        all = own.iter().map(|v| step.displacement[*v as usize] / step.h).collect();
    }
    let meet = all.iter().sum::<Vec3>() / all.len().max(1) as f64;
    let mut any = false;
    for obstacle in &world.obstacles {
        let range = world.objects[obstacle.object].vertices.clone();
        let mut vertices: Vec<u32> = own.iter().copied().filter(|v| range.contains(&(*v as usize))).collect();
        vertices.sort_unstable();
        if vertices.is_empty() {
            continue;
        }
        let deepest = DEEPEST * size(&obstacle.rest);
        for vertex in vertices {
            let k = state.dents.partition_point(|dent| dent.vertex < vertex);
            if state.dents.get(k).is_none_or(|dent| dent.vertex != vertex) {
                state.dents.insert(k, Dent { vertex, depth: 0.0, was: 0.0, calm: 0, tight: true, meet });
            }
            let dent = &mut state.dents[k];
            any |= dent.depth + room <= deepest;
            if !dent.tight {
                (dent.tight, dent.meet) = (true, meet);
            }
            (dent.depth, dent.calm) = ((dent.depth + room).min(deepest), 0);
        }
    }
    any
}

/// Returns the diagonal of the bounding box [m].
fn size(x: &[Vec3]) -> f64 {
    let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let (low, high) = x.iter().fold(start, |(low, high), p| (low.inf(p), high.sup(p)));
    (high - low).norm()
}
