//! Energies of each component in a step: kinetic and elastic energy before and after, and bounds of their sources.

use super::free::FreeComponents;
use super::pull::Pulls;
use crate::contact::element::Element;
use crate::effect::Running;
use crate::linalg::{Vec3, par};
use crate::world::effect::At;
use crate::world::step::Step;
use crate::world::{State, World};

/// Speed at which growing thickness separates near surfaces, relative to the speed of that growth.
const PUSHED: f64 = 3.0;

/// Energies of a component in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Part {
    /// Kinetic energy before and after the step [J].
    pub motion: [f64; 2],
    /// Elastic energy before and after the step [J].
    pub shape: [f64; 2],
    /// Squared speed of its fastest vertex before and after the step [m^2/s^2].
    pub fastest: [f64; 2],
    /// Upper bound of the work of handles and effects [J].
    pub work: f64,
    /// Upper bound of the energy stored by contacts before the step [J].
    pub stored: f64,
    /// Upper bound of the energy added by growing contact distances [J].
    pub eased: f64,
    /// Upper bound of the energy that contacts bear: weight of everything times the range of contacts [J].
    pub borne: f64,
    /// Work of gravity [J].
    pub fall: f64,
    /// Mass-weighted mean of the fourth power of speeds before the step [m^4/s^4]. A few light and fast vertices have
    /// little influence on it.
    pub spread: f64,
    /// Squared reference speed before the step: the maximum of prescribed motion, air, and the root of the largest
    /// `spread` [m^2/s^2].
    pub around: f64,
    /// Upper bound of the kinetic energy from all other components [J].
    pub given: f64,
}

impl Part {
    /// Adds the motion of other vertices of the component.
    fn move_as(&mut self, other: &Part) {
        for k in 0..2 {
            self.motion[k] += other.motion[k];
            self.fastest[k] = self.fastest[k].max(other.fastest[k]);
        }
        self.spread += other.spread;
        self.fall += other.fall;
    }

    /// Returns the energy before the step [J].
    pub(super) fn before(&self) -> f64 {
        self.motion[0] + self.shape[0]
    }

    /// Returns the energy after the step [J].
    pub(super) fn after(&self) -> f64 {
        self.motion[1] + self.shape[1]
    }

    /// Returns the gain of energy without explanation other than contacts [J].
    pub(super) fn gain(&self) -> f64 {
        self.after() - self.before() - self.work - self.fall
    }

    /// Returns the upper bound of the energy added by other sources than gravity [J].
    pub(super) fn slack(&self) -> f64 {
        self.work + self.stored + self.eased
    }
}

/// Computes kinetic energies and speeds of all components. Returns the squared maximum speed of prescribed vertices and
/// of the air [m^2/s^2].
pub(super) fn motion(world: &World, state: &State, step: &Step, parts: &mut Vec<Part>) -> f64 {
    parts.clear();
    parts.resize(world.component_mass.len(), Part::default());
    let prescribed = |v: usize| step.fixed.get(v).copied().unwrap_or(true);
    let own = |v: usize| (!prescribed(v)).then(|| world.component[v] as usize);
    let moving = par::runs(world.moving, own, |part: &mut Part, v| {
        let speeds = [&state.v[v], &step.velocity[v]].map(Vec3::norm_squared);
        for ((motion, fastest), speed) in part.motion.iter_mut().zip(&mut part.fastest).zip(speeds) {
            *motion += 0.5 * step.mass[v] * speed;
            *fastest = fastest.max(speed);
        }
        part.spread += step.mass[v] / world.component_mass[world.component[v] as usize] * speeds[0] * speeds[0];
        part.fall += step.mass[v] * world.gravity.dot(&step.displacement[v]);
    });
    for (k, run) in moving {
        parts[k].move_as(&run);
    }
    let outside = |v: usize| if prescribed(v) { step.displacement[v].norm_squared() / (step.h * step.h) } else { 0.0 };
    par::max(state.v.len(), outside).max(step.air_speed * step.air_speed)
}

/// Bounds the energy that each component may receive from others. Prescribed motion and air can accelerate it to their
/// own speed, squared in `outside`. Other components can give no more than they have.
pub(super) fn give(world: &World, outside: f64, parts: &mut [Part]) {
    let all: f64 = parts.iter().map(Part::before).sum();
    // Fastest component, and its speed; and the speed of the second.
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

/// Returns the positions after the step.
pub(super) fn after(state: &State, step: &Step) -> Vec<Vec3> {
    par::map(state.x.len(), |v| state.x[v] + step.displacement[v])
}

/// Elastic energies by component at the end of a step, kept for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Shapes {
    /// Positions of the energies [m].
    x: Vec<Vec3>,
    /// Remaining stiffness at these positions, by vertex.
    stiffness_scale: Vec<f64>,
    /// Factors of the stiffness by keys.
    keyed: [Vec<f64>; 2],
    /// Rest angles of hinges beyond those of their rest shapes [rad].
    turned: Vec<f64>,
    /// Energy of each component [J].
    energies: Vec<f64>,
}

impl Shapes {
    /// Sets the elastic energies before and after the step. Those before are the kept ones if nothing has changed since
    /// and no law remembers. Both have the stiffness and rest angles of this step: their change by keys,
    /// yielding or water is no gain.
    pub(super) fn set(&mut self, world: &World, state: &State, step: &Step, parts: &mut [Part]) {
        let kept = state.memory.0.is_empty()
            && self.stiffness_scale == step.stiffness_scale
            && self.keyed == step.scales.stiffness
            && self.turned == step.turned
            && self.x.len() == state.x.len()
            && !par::any_index(state.x.len(), |v| self.x[v] != state.x[v]);
        let begin = if kept { std::mem::take(&mut self.energies) } else { elastic(world, state, step, &state.x) };
        self.x = after(state, step);
        self.stiffness_scale.clone_from(&step.stiffness_scale);
        self.keyed.clone_from(&step.scales.stiffness);
        self.turned.clone_from(&step.turned);
        self.energies = elastic(world, state, step, &self.x);
        for (part, shape) in parts.iter_mut().zip(begin.into_iter().zip(&self.energies)) {
            part.shape = [shape.0, *shape.1];
        }
    }
}

/// Returns the elastic energy of each component at positions `x`. Each law is a task of its own.
fn elastic(world: &World, state: &State, step: &Step, x: &[Vec3]) -> Vec<f64> {
    let count = world.component_mass.len();
    let laws = world.elements.map_terms(|term| {
        let mut sums = vec![0.0; count];
        term.each_energy(&step.shape(x), state.memory.of(term.name()), &mut |v, energy| {
            sums[world.component[v as usize] as usize] += energy;
        });
        sums
    });
    (0..count).map(|k| laws.iter().map(|sums| sums[k]).sum()).collect()
}

/// Interactions of components in a step, and external ones.
#[derive(Clone, Copy)]
pub(super) struct Acts<'a> {
    /// Components and their constraints.
    pub free: &'a FreeComponents,
    /// Handles.
    pub pulls: &'a Pulls,
    /// Effects.
    pub effects: &'a Running,
    /// Contacts.
    pub contacts: &'a [Element],
}

/// Adds the bounds of the work of handles and effects, and of the energies of contacts.
pub(super) fn work(world: &World, state: &State, step: &Step, acts: Acts, parts: &mut [Part]) {
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
    if !state.offset_scale.is_empty() {
        let speed = PUSHED * reach / world.contact.ease.max(step.h);
        for (part, mass) in parts.iter_mut().zip(&world.component_mass) {
            part.eased = 0.5 * mass * speed * speed;
        }
    }
}
