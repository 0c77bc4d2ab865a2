//! What is known of the energy of each component in a step: of its motion and shape, before and after, and what may add to it.

use super::free::Free;
use super::pull::Pulls;
use crate::contact::element::Element;
use crate::effect::Running;
use crate::linalg::Vec3;
use crate::world::effect::At;
use crate::world::step::Step;
use crate::world::{State, World};

/// Speed at which thickness that grows pushes what is near apart, in units of that growth.
const PUSHED: f64 = 3.0;

/// What is known of a component in a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part {
    /// Energy of motion before and after it [J].
    pub motion: [f64; 2],
    /// Energy of the shape before and after it [J].
    pub shape: [f64; 2],
    /// Squares of the speeds of its fastest vertex before and after it [m^2/s^2].
    pub fastest: [f64; 2],
    /// What handles and effects can do [J].
    pub work: f64,
    /// What contacts store before it, at most [J].
    pub stored: f64,
    /// What distances that grow push apart [J].
    pub eased: f64,
    /// What contacts may bear: the weight of all over the distance in which they act [J].
    pub borne: f64,
    /// What gravity does [J].
    pub fall: f64,
    /// Mean of the fourth powers of the speeds in it before the step, by mass [m^4/s^4]: a few light vertices that fly count little.
    pub spread: f64,
    /// Square of the speed before it of what is prescribed, or that goes with the largest `spread` of all [m^2/s^2].
    pub around: f64,
    /// Energy of motion that all else may have given it [J].
    pub given: f64,
}

impl Part {
    /// Energy that it had before the step [J].
    pub fn before(&self) -> f64 {
        self.motion[0] + self.shape[0]
    }

    /// Energy that it has after the step [J].
    pub fn after(&self) -> f64 {
        self.motion[1] + self.shape[1]
    }

    /// Energy that nothing that acts on it explains, but for contacts [J].
    pub fn gain(&self) -> f64 {
        self.after() - self.before() - self.work - self.fall
    }

    /// What else than gravity may add [J].
    pub fn slack(&self) -> f64 {
        self.work + self.stored + self.eased
    }
}

/// Motion of all components; gives the square of the speed of the fastest of what is prescribed, and of the air [m^2/s^2].
pub fn motion(world: &World, state: &State, step: &Step, parts: &mut Vec<Part>) -> f64 {
    parts.clear();
    parts.resize(world.component_mass.len(), Part::default());
    let mut outside = step.air_speed * step.air_speed;
    for v in 0..state.v.len() {
        if step.fixed.get(v).copied().unwrap_or(true) {
            outside = outside.max(step.moved[v].norm_squared() / (step.h * step.h));
            continue;
        }
        let part = &mut parts[world.component[v] as usize];
        let speeds = [&state.v[v], &step.rate[v]].map(Vec3::norm_squared);
        for ((motion, fastest), speed) in part.motion.iter_mut().zip(&mut part.fastest).zip(speeds) {
            *motion += 0.5 * step.mass[v] * speed;
            *fastest = fastest.max(speed);
        }
        part.spread += step.mass[v] / world.component_mass[world.component[v] as usize] * speeds[0] * speeds[0];
        part.fall += step.mass[v] * world.gravity.dot(&step.moved[v]);
    }
    outside
}

/// What all else may have given each component: what is `outside` as much as makes it as fast, the others no more than they have.
pub fn give(world: &World, outside: f64, parts: &mut [Part]) {
    let all: f64 = parts.iter().map(Part::before).sum();
    // The fastest of all, and of all but that component.
    let first = (0..parts.len()).max_by(|a, b| parts[*a].fastest[0].total_cmp(&parts[*b].fastest[0]));
    let fastest = first.map_or(0.0, |k| parts[k].fastest[0]);
    let second = (0..parts.len()).filter(|k| Some(*k) != first).map(|k| parts[k].fastest[0]).fold(0.0, f64::max);
    let around = parts.iter().map(|part| part.spread.sqrt()).fold(outside, f64::max);
    for (k, (part, mass)) in parts.iter_mut().zip(&world.component_mass).enumerate() {
        let other = if Some(k) == first { second } else { fastest };
        part.around = around;
        part.given = 0.5 * mass * outside + (0.5 * mass * other).min(all - part.before());
    }
}

/// Positions after the step.
pub fn after(state: &State, step: &Step) -> Vec<Vec3> {
    state.x.iter().zip(&step.moved).map(|(x, moved)| x + moved).collect()
}

/// Adds the energies of all shapes, before the step and after it.
pub fn shapes(world: &World, state: &State, step: &Step, parts: &mut [Part]) {
    for (when, x) in [&state.x, &after(state, step)].into_iter().enumerate() {
        world.elements.each_energy(step.shape(x), &state.memory, |v, energy| {
            parts[world.component[v as usize] as usize].shape[when] += energy;
        });
    }
}

/// What acts in a step between components, and on them.
#[derive(Clone, Copy)]
pub struct Acts<'a> {
    /// What nothing holds.
    pub free: &'a Free,
    /// Handles.
    pub pulls: &'a Pulls,
    /// Effects.
    pub effects: &'a Running,
    /// Contacts.
    pub contacts: &'a [Element],
}

/// Adds what handles and effects do at most, and what contacts have stored.
pub fn work(world: &World, state: &State, step: &Step, acts: Acts, parts: &mut [Part]) {
    let Acts { pulls, effects, contacts, .. } = acts;
    let part = |v: usize| world.component.get(v).map(|k| *k as usize);
    let mut add = |v: usize, work: f64| {
        if let Some(k) = part(v) {
            parts[k].work += work;
        }
    };
    pulls.each_work(world, state, step, &mut add);
    effects.each_work(At { world, state }, step, &mut add);
    for contact in contacts {
        let own = contact.vertices.iter().zip(contact.weights).filter(|(_, weight)| *weight != 0.0);
        if let Some(k) = own.filter_map(|(v, _)| part(*v as usize)).next() {
            parts[k].stored += contact.contact.stored(world.contact.stiffness);
        }
    }
    let thickest = world.half_thickness.iter().fold(0.0, |most: f64, half| most.max(*half));
    let reach = world.contact.distance + 2.0 * thickest;
    let borne = step.mass.iter().sum::<f64>() * world.gravity.norm() * reach;
    parts.iter_mut().for_each(|part| part.borne = borne);
    if !state.room.is_empty() {
        let speed = PUSHED * reach / world.contact.ease.max(step.h);
        for (part, mass) in parts.iter_mut().zip(&world.component_mass) {
            part.eased = 0.5 * mass * speed * speed;
        }
    }
}
