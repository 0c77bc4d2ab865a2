//! Supply, transport and evaporation of water after a step.
//!
//! A step uses the masses at its start. Supplied water brings its own momentum: `v <- (m v + dm u)/(m + dm)`. This
//! applies to the velocity, the previous velocity and the displacement between, so that both integrators conserve
//! momentum. Water that evaporates keeps the cloth's velocity.

use super::WaterState;
use super::capillary::{Water, Work};
use super::cloths::{Place, Source, Wet};
use crate::linalg::Vec3;
use crate::world::effect::{Made, Touching};
use crate::world::step::Step;
use crate::world::{State, World};

/// Storage of the transport.
#[derive(Default)]
pub struct Transport {
    supplied: Vec<bool>,
    joins: Vec<f64>,
    /// Mass in bridges before the step, by vertex [kg].
    bridged: Vec<f64>,
    velocities: Vec<Option<Vec3>>,
    work: Work,
}

impl Transport {
    /// Updates the water after the step that ends at `state`.
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

/// Calls `f` with each vertex that a source reaches.
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

/// Mixes the velocity of supplied water into that of a vertex, whose mass includes the water. Pinned vertices keep
/// their prescribed motion.
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

/// Moves the mass `mass` [kg] from the film of one vertex to that of another, with its momentum.
pub fn pass(world: &World, (state, water): (&mut State, &mut Water), [from, to]: [usize; 2], mass: f64) {
    if mass <= 0.0 {
        return;
    }
    water.film[from] -= mass;
    water.film[to] += mass;
    carry(world, (state, water), &[([from, to], mass)]);
}

/// Moves the momentum of water between vertices, with the velocity of each source vertex.
fn carry(world: &World, (state, water): (&mut State, &Water), moves: &[([usize; 2], f64)]) {
    if moves.is_empty() {
        return;
    }
    // Momentum gained relative to the vertex's own velocity, now and before.
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
