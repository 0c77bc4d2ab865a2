//! Effects, a folder each: constants, memory, their part in a step, and the quantities they report.
//!
//! The contract is [`crate::world::effect::Effect`]. [`Running`] calls all effects of a world at each stage of a step.
//! The stepper knows nothing else of them.

/// Layers of air below cloths, and balloons.
pub mod air;
/// Air that flows in a box.
pub mod airflow;
/// Vertices of cloths held at surfaces.
pub mod attach;
/// Gravity by keys.
pub mod gravity;
/// Flow of air through cloth.
pub mod permeability;
/// Recorded pointers that pick vertices.
pub mod pointer;
/// Seams that close.
pub mod seam;
/// Quantities that effects report.
pub mod shown;
/// Wet cloth and liquid bridges.
pub mod water;

pub use shown::{channels, tallies};

use crate::force::links::Couples;
use crate::linalg::Vec3;
use crate::linalg::matrix::LowRank;
use crate::world::effect::{At, EffectReport, Forces, Made, Tallies};
use crate::world::effects::{Plugged, Remembered, Work};
use crate::world::step::Step;
use crate::world::{State, World};

/// Order of the effects in lists.
pub mod order {
    /// Recorded pointers.
    pub const POINTERS: u32 = 10;
    /// Air layers and balloons.
    pub const AIR: u32 = 20;
    /// Wet cloth and liquid bridges.
    pub const WATER: u32 = 30;
    /// Airflow.
    pub const AIRFLOW: u32 = 40;
    /// Seams.
    pub const SEAMS: u32 = 50;
    /// Attachments.
    pub const ATTACHES: u32 = 60;
    /// Gravity by keys.
    pub const GRAVITY: u32 = 70;
}

/// Storage of a stepper for all effects of a world.
pub struct Running(Vec<Work>);

impl Running {
    /// Creates the storage for a world.
    pub fn new(world: &World) -> Running {
        Running(world.effects.all().map(|effect| effect.work(world)).collect())
    }

    /// Calls `f` with each effect, its memory and its work.
    fn each(&mut self, at: At, mut f: impl FnMut(&dyn Plugged, &dyn Remembered, &mut Work)) {
        for ((place, effect), work) in at.world.effects.all().enumerate().zip(&mut self.0) {
            f(effect, at.state.effects.at(place), work);
        }
    }

    /// Iterates over each effect and its work.
    fn all<'a>(&'a self, world: &'a World) -> impl Iterator<Item = (&'a dyn Plugged, &'a Work)> {
        world.effects.all().zip(&self.0)
    }

    /// Begins a step.
    pub fn begin(&mut self, at: At, step: &mut Step, tallies: &mut Tallies) {
        self.each(at, |effect, memory, work| effect.begin(at, memory, work, step, tallies));
    }

    /// Finds all links without their forces.
    pub fn update(&mut self, at: At, step: &Step, tallies: &mut Tallies) {
        self.each(at, |effect, memory, work| effect.update(at, memory, work, step, tallies));
    }

    /// Iterates over the links that precede contacts in the system, or over those that follow them.
    pub fn links<'a>(&'a self, world: &'a World, behind: bool) -> impl Iterator<Item = &'a dyn Couples> {
        let own = self.all(world).filter(move |(effect, _)| effect.after_contacts() == behind);
        own.filter_map(|(effect, work)| effect.links(work))
    }

    /// Linearises links about free flight.
    pub fn linearise(&mut self, at: At, step: &Step) {
        self.each(at, |effect, memory, work| effect.linearise(at, memory, work, step));
    }

    /// Linearises everything but links about free flight.
    pub fn foresee(&mut self, at: At, step: &Step) {
        self.each(at, |effect, memory, work| effect.foresee(at, memory, work, step));
    }

    /// Adds forces other than those of links [N].
    pub fn push(&self, world: &World, force: &mut [Vec3]) {
        self.all(world).for_each(|(effect, work)| effect.push(work, force));
    }

    /// Swaps the low-rank part of the matrix with `low_rank`.
    pub fn low_rank(&mut self, world: &World, low_rank: &mut LowRank) {
        world.effects.all().zip(&mut self.0).for_each(|(effect, work)| effect.low_rank(work, low_rank));
    }

    /// Updates links that a solution has broken. Returns true if there are any.
    pub fn let_go(&mut self, world: &World, step: &Step) -> bool {
        let all = world.effects.all().zip(&mut self.0);
        all.fold(false, |any, (effect, work)| effect.let_go(world, work, step) | any)
    }

    /// Calls `couple` with the vertices of each link that joins components.
    pub fn each_coupled(&self, world: &World, couple: &mut dyn FnMut(&mut dyn Iterator<Item = u32>)) {
        self.all(world).for_each(|(effect, work)| effect.each_coupled(work, couple));
    }

    /// Sets the upper bounds of the norms of right-hand sides, by component. Infinity where no effect lowers it.
    pub fn bound(&self, world: &World, floors: &[f64], ceilings: &mut [f64]) {
        ceilings.fill(f64::INFINITY);
        self.all(world).for_each(|(effect, work)| effect.bound(world, work, floors, ceilings));
    }

    /// Calls `add` with a vertex and the work that an effect can do on its component in the step [J].
    pub fn each_work(&self, at: At, step: &Step, add: &mut dyn FnMut(usize, f64)) {
        for (place, (effect, work)) in self.all(at.world).enumerate() {
            effect.each_work(at, at.state.effects.at(place), work, step, add);
        }
    }

    /// Reports to `forces` all forces that effects exerted in the step.
    pub fn each_force(&self, at: At, step: &Step, falls: &[f64], forces: &mut dyn Forces) {
        for (place, (effect, work)) in self.all(at.world).enumerate() {
            effect.each_force(at, place, work, step, falls, forces);
        }
    }

    /// Updates the memories of effects before positions and velocities change.
    pub fn before_commit(&mut self, world: &World, state: &mut State, step: &Step) {
        let effects: Vec<&dyn Plugged> = world.effects.all().collect();
        let works = &mut self.0;
        state.each_memory(|place, memory, state| {
            effects[place].before_commit(At { world, state }, memory, &mut works[place], step);
        });
    }

    /// Updates the memories of effects after the step. `state` is its end.
    pub fn commit(&mut self, world: &World, state: &mut State, made: Made, report: &mut EffectReport) {
        for ((place, effect), work) in world.effects.all().enumerate().zip(&mut self.0) {
            effect.commit(world, state, place, work, made, report);
        }
    }
}
