//! Interface through which an effect takes part in a step.
//!
//! A law (`force::term`) acts on fixed elements. An effect is everything else. Examples are links between vertices that
//! change in each step, a field solved beside the motion, and external forces. Its constants are in [`World::effects`],
//! its memory is in [`State::effects`], and its storage in a stepper is called work. Each method below is one stage of
//! a step. An effect implements the stages in which it acts.

use super::carry::Carried;
use super::quantity::Channel;
use super::step::Step;
use super::{State, World};
use crate::force::links::{Couples, Link};
use crate::linalg::Vec3;
use crate::linalg::matrix::LowRank;
use std::fmt::Debug;

/// World and state.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Constants of the run.
    pub world: &'a World,
    /// State at the start of the step.
    pub state: &'a State,
}

/// Memory of an effect: everything that changes during a run.
pub trait Remember: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Names and versions of its checkpoint sections. A change of the layout increases the version.
    const SECTIONS: &'static [(&'static str, u32)];

    /// Appends the bytes of the section with this index.
    fn put(&self, section: usize, out: &mut Vec<u8>);

    /// Reads the bytes of the section with this index; `None` if they are damaged.
    fn take(&mut self, section: usize, from: &mut &[u8]) -> Option<()>;

    /// Follows the vertices of cloths into a world in which more of them are joined.
    fn carry(&mut self, _carried: &Carried) {}

    /// Names the quantity in a checkpoint that does not fit the world. `_start` is the memory at the start of the run.
    fn misfit(&self, _start: &Self, _world: &World) -> Option<&'static str> {
        None
    }
}

/// How values of several steps are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// Values are added.
    Sum,
    /// The last value counts.
    Last,
}

/// Per-frame number in the statistics.
#[derive(Debug, PartialEq)]
pub struct Tally {
    /// Key in `stats.ndjson`.
    pub word: &'static str,
    /// Unit; empty for a pure number.
    pub unit: &'static str,
    /// Documentation.
    pub sentence: &'static str,
    /// The number is an integer.
    pub whole: bool,
    /// How values of several steps are combined.
    pub join: Join,
}

/// Values of tallies; 0 if none was reported.
#[derive(Clone, Debug, Default)]
pub struct Tallies(Vec<(&'static Tally, f64)>);

impl PartialEq for Tallies {
    fn eq(&self, other: &Tallies) -> bool {
        self.all().chain(other.all()).all(|(tally, _)| self.get(tally) == other.get(tally))
    }
}

impl Tallies {
    /// Combines a new value with the present one.
    pub fn tell(&mut self, tally: &'static Tally, value: f64) {
        match self.0.iter_mut().find(|(own, _)| own.word == tally.word) {
            Some((_, own)) => match tally.join {
                Join::Sum => *own += value,
                Join::Last => *own = value,
            },
            None => self.0.push((tally, value)),
        }
    }

    /// Combines the values of a following step.
    pub fn add(&mut self, next: &Tallies) {
        next.all().for_each(|(tally, value)| self.tell(tally, value));
    }

    /// Returns the value of a tally; 0 if none was reported.
    pub fn get(&self, tally: &Tally) -> f64 {
        self.0.iter().find(|(own, _)| own.word == tally.word).map_or(0.0, |(_, value)| *value)
    }

    /// Returns all values.
    pub fn all(&self) -> impl Iterator<Item = (&'static Tally, f64)> {
        self.0.iter().copied()
    }
}

/// A warning about a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Text for the user.
    pub text: String,
    /// Severity: among warnings of a frame with the same subject, the one with the smallest measure is shown.
    pub measure: f64,
    /// Effect and object.
    pub subject: (&'static str, usize),
}

/// Numbers and warnings reported by a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EffectReport {
    /// Numbers.
    pub tallies: Tallies,
    /// Warnings.
    pub notices: Vec<Notice>,
}

impl EffectReport {
    /// Adds a warning, unless a more severe one with the same subject exists.
    pub fn notice(&mut self, new: Notice) {
        match self.notices.iter_mut().find(|own| own.subject == new.subject) {
            Some(own) if new.measure < own.measure => *own = new,
            Some(_) => (),
            None => self.notices.push(new),
        }
    }

    /// Adds the report of a following step.
    pub fn add(&mut self, next: &EffectReport) {
        self.tallies.add(&next.tallies);
        next.notices.iter().for_each(|notice| self.notice(notice.clone()));
    }
}

/// Contact, as seen by effects.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Vertex and triangle corners, or ends of the two edges.
    pub vertices: [u32; 4],
    /// Weights of the vertices in the vector between the closest points.
    pub weights: [f64; 4],
    /// Triangle index; `None` for an edge-edge contact.
    pub triangle: Option<u32>,
}

/// Contacts of a step.
pub trait Touching {
    /// Calls `f` for each contact, in order.
    fn each(&self, f: &mut dyn FnMut(&Touch));

    /// Adds normal contact forces to `loads`, per vertex of the first object of `between` [N]. Contacts of this object
    /// with itself or with the second object are excluded.
    fn load(&self, world: &World, step: &Step, between: [usize; 2], loads: &mut [f64]);
}

/// Completed step.
#[derive(Clone, Copy)]
pub struct Made<'a> {
    /// The step.
    pub step: &'a Step,
    /// Contacts of the step.
    pub touching: &'a dyn Touching,
}

/// Receiver of the forces that an effect applied in a step [N].
pub trait Forces {
    /// Receives a force on the first side of a link. The other side gets its opposite.
    fn between(&mut self, vertices: &[u32; 4], weights: &[f64; 4], force: Vec3);

    /// Receives a force of the effect itself on one vertex.
    fn on(&mut self, vertex: u32, force: Vec3);

    /// Receives a force of a numbered external source on one vertex.
    fn from(&mut self, source: usize, vertex: u32, force: Vec3);
}

/// Effect: its fields are constant during a run.
pub trait Effect: Clone + Debug + Send + Sync + 'static {
    /// State of the effect that changes during a run.
    type Memory: Remember;
    /// Temporary storage in a stepper. Results of the next step must not depend on it.
    type Work: Send + Sync + 'static;

    /// Rank among all effects: each stage calls them in ascending order.
    const ORDER: u32 = u32::MAX;
    /// Vertex channels of cloths that the effect provides.
    const CHANNELS: &'static [Channel] = &[];
    /// Per-frame numbers that the effect reports.
    const TALLIES: &'static [&'static Tally] = &[];
    /// Links of the effect come after contacts in the system instead of before them.
    const AFTER_CONTACTS: bool = false;

    /// Creates the memory at the start. `state` has the initial positions.
    fn start(&self, world: &World, state: &State) -> Self::Memory;

    /// Creates the storage for a world.
    fn work(&self, world: &World) -> Self::Work;

    /// Passes `join` each set of vertices that the effect couples in every step.
    fn joins(&self, _world: &World, _join: &mut dyn FnMut(&mut dyn Iterator<Item = usize>)) {}

    /// Passes `feed` the vertices on which the effect does work that no energy balance includes.
    fn feeds(&self, _world: &World, _feed: &mut dyn FnMut(usize)) {}

    /// Passes `store` the vertices whose energy the effect changes, while it keeps their momentum.
    fn stores(&self, _world: &World, _store: &mut dyn FnMut(usize)) {}

    /// Returns true if the effect changes masses or energies of all vertices.
    fn feeds_all(&self) -> bool {
        false
    }

    /// Adds mass to the moving vertices [kg].
    fn add_mass(&self, _memory: &Self::Memory, _mass: &mut [f64]) {}

    /// Sets the remaining fraction of cloth stiffness, per moving vertex. The list is empty if no effect has set it.
    fn soften(&self, _world: &World, _memory: &Self::Memory, _soft: &mut Vec<f64>) {}

    /// Sets the relative increase of friction, per moving vertex. The list is empty if no effect has set it.
    fn roughen(&self, _world: &World, _memory: &Self::Memory, _growth: &mut Vec<f64>) {}

    /// Returns the largest speed of the air that the effect moves [m/s].
    fn air_speed(&self, _memory: &Self::Memory) -> f64 {
        0.0
    }

    /// Begins a step. Prescribed motion is known. The effect may set quantities of `step` that laws read.
    fn begin(&self, _at: At, _memory: &Self::Memory, _work: &mut Self::Work, _step: &mut Step, _tallies: &mut Tallies) {
    }

    /// Finds the links of the step, without their forces.
    fn update(&self, _at: At, _memory: &Self::Memory, _work: &mut Self::Work, _step: &Step, _tallies: &mut Tallies) {}

    /// Returns the links of the step.
    fn links<'a>(&self, _work: &'a Self::Work) -> Option<&'a dyn Couples> {
        None
    }

    /// Linearises the links about free flight. Called again when free flight changes.
    fn linearise(&self, _at: At, _memory: &Self::Memory, _work: &mut Self::Work, _step: &Step) {}

    /// Linearises everything except links about free flight, once per step, during assembly of the laws.
    fn foresee(&self, _at: At, _memory: &Self::Memory, _work: &mut Self::Work, _step: &Step) {}

    /// Adds forces that are not links [N].
    fn push(&self, _work: &Self::Work, _force: &mut [Vec3]) {}

    /// Swaps the low-rank update, computed in [`Effect::foresee`], with other storage.
    fn low_rank(&self, _work: &mut Self::Work, _common: &mut LowRank) {}

    /// Updates links that the solution has broken. Returns true if there are any.
    fn let_go(&self, _world: &World, _work: &mut Self::Work, _step: &Step) -> bool {
        false
    }

    /// Passes `couple` the vertices of each link that connects components.
    fn each_coupled(&self, _work: &Self::Work, _couple: &mut dyn FnMut(&mut dyn Iterator<Item = u32>)) {}

    /// Lowers the ceilings, per component: largest norm of the right-hand side to which the residual is compared.
    fn bound(&self, _world: &World, _work: &Self::Work, _floors: &[f64], _ceilings: &mut [f64]) {}

    /// Passes `add` vertices and the work that the effect may do on the component of each in the step [J]. The energy
    /// check removes from a component's motion any energy without such a source. The default is the work of its links.
    fn each_work(
        &self,
        _at: At,
        _memory: &Self::Memory,
        work: &Self::Work,
        step: &Step,
        add: &mut dyn FnMut(usize, f64),
    ) {
        each_link(self.links(work), |vertices, Link { weights, force, .. }| {
            let displacement: Vec3 = (0..4).map(|k| step.displacement[vertices[k] as usize] * weights[k]).sum();
            for (v, _) in vertices.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
                add(*v as usize, force.dot(&displacement).max(0.0));
            }
        });
    }

    /// Returns the number of external sources.
    fn sources(&self, _world: &World) -> usize {
        0
    }

    /// Passes all forces of the step to `forces`. `falls` is `(E^-1 - F) U^T z` of the low-rank update. The default
    /// passes those of its links.
    fn each_force(
        &self,
        _at: At,
        _memory: &Self::Memory,
        work: &Self::Work,
        step: &Step,
        _falls: &[f64],
        forces: &mut dyn Forces,
    ) {
        each_link(self.links(work), |vertices, Link { weights, force, stiffness }| {
            let solved: Vec3 = (0..4).map(|k| step.solved(vertices[k]) * weights[k]).sum();
            let force = force - stiffness * solved;
            match weights[1..].iter().all(|weight| *weight == 0.0) {
                true => forces.on(vertices[0], force * weights[0]),
                false => forces.between(vertices, weights, force),
            }
        });
    }

    /// Updates the memory before positions and velocities of `at` change.
    fn before_commit(&self, _at: At, _memory: &mut Self::Memory, _work: &mut Self::Work, _step: &Step) {}

    /// Updates the memory after the step. `state` is its end, without the effect's own memory.
    fn commit(
        &self,
        _world: &World,
        _state: &mut State,
        _memory: &mut Self::Memory,
        _work: &mut Self::Work,
        _made: Made,
        _report: &mut EffectReport,
    ) {
    }

    /// Reports numbers of a state.
    fn tally(&self, _at: At, _memory: &Self::Memory, _tallies: &mut Tallies) {}
}

/// Passes each link of a list and its vertices to `f`.
fn each_link(links: Option<&dyn Couples>, mut f: impl FnMut(&[u32; 4], &Link)) {
    let Some(links) = links else { return };
    let (mut corners, mut all) = (vec![Default::default(); links.count()], vec![Link::default(); links.count()]);
    links.corners(&mut corners);
    links.links(&mut all);
    corners.iter().zip(&all).for_each(|((vertices, _), link)| f(vertices, link));
}
