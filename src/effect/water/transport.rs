//! Water that joins cloth, moves along it and leaves it, after a step.
//!
//! A step sees the masses of its beginning. Water that joins takes its own momentum along: `v <- (m v + dm u)/(m + dm)`, for the velocity, for
//! the one before and for the way between, so that both schemes keep the momentum. What leaves goes on with the cloth's velocity.

use super::WaterState;
use super::capillary::{Water, Work};
use super::cloths::{Place, Source, Wet};
use crate::linalg::Vec3;
use crate::world::effect::{Made, Touching};
use crate::world::step::Step;
use crate::world::{State, World};

/// Storage.
#[derive(Default)]
pub struct Transport {
    supplied: Vec<bool>,
    joins: Vec<f64>,
    /// In bridges before the step, by vertex [kg].
    bridged: Vec<f64>,
    velocities: Vec<Option<Vec3>>,
    work: Work,
}

impl Transport {
    /// Water over the step that led to `state`.
    pub fn commit(&mut self, wet: &Wet, world: &World, state: &mut State, memory: &mut WaterState, made: Made) {
        let Made { step, touching } = made;
        let Transport { supplied, joins, bridged, velocities, work } = self;
        for (k, cloth) in wet.cloths.iter().enumerate() {
            let (first, count) = (cloth.vertices.start, cloth.vertices.len());
            supplied.clear();
            supplied.resize(count, false);
            velocities.clear();
            velocities.resize(count, None);
            joins.resize(count, 0.0);
            let now = step.end;
            for source in wet.sources.iter().filter(|s| s.cloth == k && s.from <= now && now < s.until) {
                reaches(world, state, touching, source, &mut |v| {
                    if let Some(k) = v.checked_sub(first).filter(|k| *k < count) {
                        supplied[k] = true;
                        velocities[k] = source.velocity;
                    }
                });
            }
            bridged.clone_from(&memory.water.bridged);
            cloth.soak(&mut memory.water, supplied, step.h, joins);
            let WaterState { water, bridges } = &mut *memory;
            for bridge in bridges.iter_mut() {
                let v = bridge.vertex as usize;
                if water.bridged[v] < bridged[v] {
                    bridge.volume *= water.bridged[v] / bridged[v];
                }
            }
            for (k, mass) in joins.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                if let Some(velocity) = velocities[k] {
                    join(world, (state, &memory.water), step, first + k, (*mass, velocity));
                }
            }
            let mut moves = Vec::new();
            cloth
                .wick(&mut memory.water, step.h, work, |from, to, mass| moves.push(([first + from, first + to], mass)));
            carry(world, (state, &memory.water), &moves);
        }
    }
}

/// Gives `f` the vertices that a source reaches.
fn reaches(world: &World, state: &State, touching: &dyn Touching, source: &Source, f: &mut impl FnMut(usize)) {
    match source.place {
        Place::Everywhere => (0..world.moving).for_each(f),
        Place::Inside(low, high) => {
            let inside = |v: &usize| (0..3).all(|k| (low[k]..=high[k]).contains(&state.x[*v][k]));
            (0..world.moving).filter(inside).for_each(f);
        }
        Place::On(object) => touching.each(&mut |touch| {
            let objects = [0, 3].map(|k| usize::from(world.surface.object[touch.vertices[k] as usize]));
            if objects.contains(&object) {
                let acting = touch.vertices.iter().zip(touch.weights).filter(|(_, weight)| *weight != 0.0);
                acting.for_each(|(v, _)| f(*v as usize));
            }
        }),
    }
}

/// Water of a velocity has joined a vertex, whose mass has grown by it. Pinned vertices go their way.
fn join(world: &World, (state, water): (&mut State, &Water), step: &Step, v: usize, (joined, velocity): (f64, Vec3)) {
    if step.fixed[v] {
        return;
    }
    let mass = world.mass[v] + water.at(v);
    let part = joined / mass;
    let State { x, v: velocities, x_before, v_before, last, .. } = state;
    for own in [&mut velocities[v], &mut v_before[v]] {
        *own = own.lerp(&velocity, part);
    }
    let way = x[v] - x_before[v];
    x_before[v] = x[v] - (way + (velocity * *last - way) * part);
}

/// Water moves from a vertex's film to another's and takes its velocity along [kg].
pub fn pass(world: &World, (state, water): (&mut State, &mut Water), [from, to]: [usize; 2], mass: f64) {
    if mass <= 0.0 {
        return;
    }
    water.film[from] -= mass;
    water.film[to] += mass;
    carry(world, (state, water), &[([from, to], mass)]);
}

/// Water has moved between vertices, and each part has taken along the velocity of where it came from.
fn carry(world: &World, (state, water): (&mut State, &Water), moves: &[([usize; 2], f64)]) {
    if moves.is_empty() {
        return;
    }
    // Momentum that has come in beside that of the vertex's own velocity, of both times.
    let mut gains: std::collections::BTreeMap<usize, [Vec3; 2]> = std::collections::BTreeMap::new();
    for ([from, to], mass) in moves {
        let State { v, v_before, .. } = &*state;
        let gain = gains.entry(*to).or_insert([Vec3::zeros(); 2]);
        gain[0] += (v[*from] - v[*to]) * *mass;
        gain[1] += (v_before[*from] - v_before[*to]) * *mass;
    }
    for (v, [now, before]) in gains {
        let mass = world.mass[v] + water.at(v);
        state.v[v] += now / mass;
        state.v_before[v] += before / mass;
    }
}
