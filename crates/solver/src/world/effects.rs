//! Type-erased effects: the list of a world, and the list of their memories in a state.

use super::carry::Carried;
use super::effect::{At, Effect, EffectReport, Forces, Made, Remember, Tallies};
use super::step::Step;
use super::{State, World};
use crate::force::links::Couples;
use crate::linalg::Vec3;
use crate::linalg::matrix::LowRank;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// Type-erased storage of an effect ([`Effect::Work`]).
pub type Work = Box<dyn Any + Send + Sync>;

/// Type-erased [`Remember`].
pub trait Remembered: Any + Debug + Send + Sync {
    /// Returns a copy.
    fn copy(&self) -> Box<dyn Remembered>;
    /// Returns the default value of the same type.
    fn blank(&self) -> Box<dyn Remembered>;
    /// Compares two memories; those of different types are unequal.
    fn same(&self, other: &dyn Remembered) -> bool;
    /// See [`Remember::SECTIONS`].
    fn sections(&self) -> &'static [(&'static str, u32)];
    /// See [`Remember::put`].
    fn put(&self, section: usize, out: &mut Vec<u8>);
    /// See [`Remember::take`].
    fn take(&mut self, section: usize, from: &mut &[u8]) -> Option<()>;
    /// See [`Remember::carry`].
    fn carry(&mut self, carried: &Carried);
    /// See [`Remember::misfit`].
    fn misfit(&self, start: &dyn Remembered, world: &World) -> Option<&'static str>;
}

/// Downcasts a memory to its type. Effects and memories have the same order in their lists, so the type always fits.
fn own<M: Remember>(memory: &dyn Remembered) -> &M {
    let memory: &dyn Any = memory;
    memory.downcast_ref().expect("a memory stands at the place of its effect")
}

fn own_mut<M: Remember>(memory: &mut dyn Remembered) -> &mut M {
    let memory: &mut dyn Any = memory;
    memory.downcast_mut().expect("a memory stands at the place of its effect")
}

impl<M: Remember> Remembered for M {
    fn copy(&self) -> Box<dyn Remembered> {
        Box::new(self.clone())
    }
    fn blank(&self) -> Box<dyn Remembered> {
        Box::new(M::default())
    }
    fn same(&self, other: &dyn Remembered) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref().is_some_and(|other: &M| self == other)
    }
    fn sections(&self) -> &'static [(&'static str, u32)] {
        M::SECTIONS
    }
    fn put(&self, section: usize, out: &mut Vec<u8>) {
        Remember::put(self, section, out);
    }
    fn take(&mut self, section: usize, from: &mut &[u8]) -> Option<()> {
        Remember::take(self, section, from)
    }
    fn carry(&mut self, carried: &Carried) {
        Remember::carry(self, carried);
    }
    fn misfit(&self, start: &dyn Remembered, world: &World) -> Option<&'static str> {
        Remember::misfit(self, own(start), world)
    }
}

/// Checkpoint section that has not yet been read into an effect's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct RawSection {
    /// Name.
    pub name: String,
    /// Version.
    pub version: u32,
    /// Content.
    pub bytes: Vec<u8>,
}

/// Memories of all effects, in the order of the effects.
#[derive(Debug, Default)]
pub struct Memories {
    all: Vec<Box<dyn Remembered>>,
    /// Sections read from a checkpoint but not yet assigned to an effect.
    pub(super) unread: Vec<RawSection>,
}

impl Clone for Memories {
    fn clone(&self) -> Memories {
        Memories { all: self.all.iter().map(|memory| (**memory).copy()).collect(), unread: self.unread.clone() }
    }
}

impl PartialEq for Memories {
    fn eq(&self, other: &Memories) -> bool {
        self.unread == other.unread
            && self.all.len() == other.all.len()
            && self.all.iter().zip(&other.all).all(|(a, b)| (**a).same(&**b))
    }
}

impl Memories {
    /// Returns the memory of a type.
    pub fn get<M: Remember>(&self) -> Option<&M> {
        self.all.iter().find_map(|memory| {
            let memory: &dyn Any = &**memory;
            memory.downcast_ref()
        })
    }

    /// Returns the memory of a type, mutable.
    pub fn get_mut<M: Remember>(&mut self) -> Option<&mut M> {
        self.all.iter_mut().find_map(|memory| {
            let memory: &mut dyn Any = &mut **memory;
            memory.downcast_mut()
        })
    }

    /// Returns all memories.
    pub(super) fn all(&self) -> impl Iterator<Item = &dyn Remembered> {
        self.all.iter().map(|memory| &**memory)
    }

    /// Returns the memory of the effect at an index of the list.
    pub fn at(&self, place: usize) -> &dyn Remembered {
        &*self.all[place]
    }

    /// Reads the unassigned sections into new memories of the same types as in `start`.
    ///
    /// # Errors
    /// A section is damaged, has another version, or belongs to no effect of the scene.
    pub fn settle(&mut self, start: &Memories) -> Result<(), String> {
        self.all = start.all.iter().map(|memory| (**memory).blank()).collect();
        for RawSection { name, version, bytes } in std::mem::take(&mut self.unread) {
            let mut places = self.all.iter_mut().flat_map(|memory| {
                let section = (**memory).sections().iter().position(|(own, _)| *own == name);
                section.map(|section| (memory, section))
            });
            let Some((memory, section)) = places.next() else {
                return Err(format!(
                    "it has '{name}', which the scene has not, or this version of percale does not know"
                ));
            };
            let known = (**memory).sections()[section].1;
            if version != known {
                return Err(format!("its '{name}' is of version {version}, not {known}"));
            }
            let from = &mut &bytes[..];
            if (**memory).take(section, from).is_none() || !from.is_empty() {
                return Err(format!("its '{name}' is damaged"));
            }
        }
        Ok(())
    }

    /// Follows the vertices of cloths into a world in which more of them are joined.
    pub fn carry(&mut self, carried: &Carried) {
        self.all.iter_mut().for_each(|memory| (**memory).carry(carried));
    }

    /// Names the quantities that do not fit the world. `start` has the memories at the start of the run.
    pub fn misfits(&self, start: &Memories, world: &World) -> Vec<&'static str> {
        self.all.iter().zip(&start.all).filter_map(|(own, start)| (**own).misfit(&**start, world)).collect()
    }
}

/// Type-erased [`Effect`], which documents the methods.
#[allow(missing_docs)]
pub trait Plugged: Any + Debug + Send + Sync {
    fn order(&self) -> u32;
    fn copy(&self) -> Arc<dyn Plugged>;
    fn start(&self, world: &World, state: &State) -> Box<dyn Remembered>;
    fn work(&self, world: &World) -> Work;
    fn joins(&self, world: &World, join: &mut dyn FnMut(&mut dyn Iterator<Item = usize>));
    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize));
    fn stores(&self, world: &World, store: &mut dyn FnMut(usize));
    fn feeds_all(&self) -> bool;
    fn add_mass(&self, memory: &dyn Remembered, mass: &mut [f64]);
    fn soften(&self, world: &World, memory: &dyn Remembered, stiffness_scale: &mut Vec<f64>);
    fn roughen(&self, world: &World, memory: &dyn Remembered, growth: &mut Vec<f64>);
    fn air_speed(&self, memory: &dyn Remembered) -> f64;
    fn begin(&self, at: At, memory: &dyn Remembered, work: &mut Work, step: &mut Step, tallies: &mut Tallies);
    fn update(&self, at: At, memory: &dyn Remembered, work: &mut Work, step: &Step, tallies: &mut Tallies);
    fn after_contacts(&self) -> bool;
    fn links<'a>(&self, work: &'a Work) -> Option<&'a dyn Couples>;
    fn linearise(&self, at: At, memory: &dyn Remembered, work: &mut Work, step: &Step);
    fn foresee(&self, at: At, memory: &dyn Remembered, work: &mut Work, step: &Step);
    fn push(&self, work: &Work, force: &mut [Vec3]);
    fn low_rank(&self, work: &mut Work, low_rank: &mut LowRank);
    fn let_go(&self, world: &World, work: &mut Work, step: &Step) -> bool;
    fn each_coupled(&self, work: &Work, couple: &mut dyn FnMut(&mut dyn Iterator<Item = u32>));
    fn bound(&self, world: &World, work: &Work, floors: &[f64], ceilings: &mut [f64]);
    fn each_work(&self, at: At, memory: &dyn Remembered, work: &Work, step: &Step, add: &mut dyn FnMut(usize, f64));
    fn sources(&self, world: &World) -> usize;
    fn each_force(&self, at: At, place: usize, work: &Work, step: &Step, falls: &[f64], forces: &mut dyn Forces);
    fn before_commit(&self, at: At, memory: &mut dyn Remembered, work: &mut Work, step: &Step);
    fn commit(
        &self,
        world: &World,
        state: &mut State,
        place: usize,
        work: &mut Work,
        made: Made,
        report: &mut EffectReport,
    );
    fn tally(&self, at: At, memory: &dyn Remembered, tallies: &mut Tallies);
}

/// Downcasts the storage to its type.
fn work_of<E: Effect>(work: &Work) -> &E::Work {
    work.downcast_ref().expect("a work stands at the place of its effect")
}

fn work_mut<E: Effect>(work: &mut Work) -> &mut E::Work {
    work.downcast_mut().expect("a work stands at the place of its effect")
}

impl<E: Effect> Plugged for E {
    fn order(&self) -> u32 {
        E::ORDER
    }
    fn copy(&self) -> Arc<dyn Plugged> {
        Arc::new(self.clone())
    }
    fn start(&self, world: &World, state: &State) -> Box<dyn Remembered> {
        Box::new(Effect::start(self, world, state))
    }
    fn work(&self, world: &World) -> Work {
        Box::new(Effect::work(self, world))
    }
    fn joins(&self, world: &World, join: &mut dyn FnMut(&mut dyn Iterator<Item = usize>)) {
        Effect::joins(self, world, join);
    }
    fn feeds(&self, world: &World, feed: &mut dyn FnMut(usize)) {
        Effect::feeds(self, world, feed);
    }
    fn stores(&self, world: &World, store: &mut dyn FnMut(usize)) {
        Effect::stores(self, world, store);
    }
    fn feeds_all(&self) -> bool {
        Effect::feeds_all(self)
    }
    fn add_mass(&self, memory: &dyn Remembered, mass: &mut [f64]) {
        Effect::add_mass(self, own(memory), mass);
    }
    fn soften(&self, world: &World, memory: &dyn Remembered, stiffness_scale: &mut Vec<f64>) {
        Effect::soften(self, world, own(memory), stiffness_scale);
    }
    fn roughen(&self, world: &World, memory: &dyn Remembered, growth: &mut Vec<f64>) {
        Effect::roughen(self, world, own(memory), growth);
    }
    fn air_speed(&self, memory: &dyn Remembered) -> f64 {
        Effect::air_speed(self, own(memory))
    }
    fn begin(&self, at: At, memory: &dyn Remembered, work: &mut Work, step: &mut Step, tallies: &mut Tallies) {
        Effect::begin(self, at, own(memory), work_mut::<E>(work), step, tallies);
    }
    fn update(&self, at: At, memory: &dyn Remembered, work: &mut Work, step: &Step, tallies: &mut Tallies) {
        Effect::update(self, at, own(memory), work_mut::<E>(work), step, tallies);
    }
    fn after_contacts(&self) -> bool {
        E::AFTER_CONTACTS
    }
    fn links<'a>(&self, work: &'a Work) -> Option<&'a dyn Couples> {
        Effect::links(self, work_of::<E>(work))
    }
    fn linearise(&self, at: At, memory: &dyn Remembered, work: &mut Work, step: &Step) {
        Effect::linearise(self, at, own(memory), work_mut::<E>(work), step);
    }
    fn foresee(&self, at: At, memory: &dyn Remembered, work: &mut Work, step: &Step) {
        Effect::foresee(self, at, own(memory), work_mut::<E>(work), step);
    }
    fn push(&self, work: &Work, force: &mut [Vec3]) {
        Effect::push(self, work_of::<E>(work), force);
    }
    fn low_rank(&self, work: &mut Work, low_rank: &mut LowRank) {
        Effect::low_rank(self, work_mut::<E>(work), low_rank);
    }
    fn let_go(&self, world: &World, work: &mut Work, step: &Step) -> bool {
        Effect::let_go(self, world, work_mut::<E>(work), step)
    }
    fn each_coupled(&self, work: &Work, couple: &mut dyn FnMut(&mut dyn Iterator<Item = u32>)) {
        Effect::each_coupled(self, work_of::<E>(work), couple);
    }
    fn bound(&self, world: &World, work: &Work, floors: &[f64], ceilings: &mut [f64]) {
        Effect::bound(self, world, work_of::<E>(work), floors, ceilings);
    }
    fn each_work(&self, at: At, memory: &dyn Remembered, work: &Work, step: &Step, add: &mut dyn FnMut(usize, f64)) {
        Effect::each_work(self, at, own(memory), work_of::<E>(work), step, add);
    }
    fn sources(&self, world: &World) -> usize {
        Effect::sources(self, world)
    }
    fn each_force(&self, at: At, place: usize, work: &Work, step: &Step, falls: &[f64], forces: &mut dyn Forces) {
        Effect::each_force(self, at, own(at.state.effects.at(place)), work_of::<E>(work), step, falls, forces);
    }
    fn before_commit(&self, at: At, memory: &mut dyn Remembered, work: &mut Work, step: &Step) {
        Effect::before_commit(self, at, own_mut(memory), work_mut::<E>(work), step);
    }
    fn commit(
        &self,
        world: &World,
        state: &mut State,
        place: usize,
        work: &mut Work,
        made: Made,
        report: &mut EffectReport,
    ) {
        // Other effects see an empty memory meanwhile.
        let blank = state.effects.all[place].blank();
        let mut memory = std::mem::replace(&mut state.effects.all[place], blank);
        Effect::commit(self, world, state, own_mut(&mut *memory), work_mut::<E>(work), made, report);
        state.effects.all[place] = memory;
    }
    fn tally(&self, at: At, memory: &dyn Remembered, tallies: &mut Tallies) {
        Effect::tally(self, at, own(memory), tallies);
    }
}

/// Effects of a world, in ascending [`Effect::ORDER`].
#[derive(Clone, Debug, Default)]
pub struct Effects(Vec<Arc<dyn Plugged>>);

impl Effects {
    /// Returns all effects.
    pub fn all(&self) -> impl Iterator<Item = &dyn Plugged> {
        self.0.iter().map(|effect| &**effect)
    }

    /// Returns the effect of a type.
    pub fn get<E: Effect>(&self) -> Option<&E> {
        self.all().find_map(|effect| {
            let effect: &dyn Any = effect;
            effect.downcast_ref()
        })
    }

    /// Returns the effect of a type, mutable. Copies it if another world shares it, so that the other world does not
    /// change.
    pub fn get_mut<E: Effect>(&mut self) -> Option<&mut E> {
        let is = |effect: &&mut Arc<dyn Plugged>| {
            let effect: &dyn Any = &***effect;
            effect.is::<E>()
        };
        let effect = self.0.iter_mut().find(is)?;
        if Arc::get_mut(effect).is_none() {
            *effect = (**effect).copy();
        }
        let effect: &mut dyn Any = Arc::get_mut(effect)?;
        effect.downcast_mut()
    }
}

impl World {
    /// Adds an effect to the world, and its memory to the initial state. Replaces an effect of the same type.
    pub fn plug<E: Effect>(&mut self, effect: E, state: &mut State) {
        let place = match self.effects.0.iter().position(|other| {
            let other: &dyn Any = &**other;
            other.is::<E>()
        }) {
            Some(place) => {
                self.effects.0.remove(place);
                state.effects.all.remove(place);
                place
            }
            None => self.effects.0.partition_point(|other| (**other).order() <= E::ORDER),
        };
        let memory = Effect::start(&effect, self, state);
        self.effects.0.insert(place, Arc::new(effect));
        state.effects.all.insert(place, Box::new(memory));
    }

    /// Resets the memories of all effects to those at the start, at the present positions.
    pub fn begin_effects(&self, state: &mut State) {
        let all = self.effects.all().map(|effect| effect.start(self, state)).collect();
        state.effects.all = all;
    }

    /// Pairs each effect with its memory.
    fn remembered<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (&'a dyn Plugged, &'a dyn Remembered)> {
        self.effects.all().zip(state.effects.all())
    }

    /// Computes the masses of the moving vertices, including the mass added by effects [kg].
    pub fn masses(&self, state: &State, mass: &mut Vec<f64>) {
        mass.clone_from(&self.mass);
        mass.truncate(self.moving);
        self.remembered(state).for_each(|(effect, memory)| effect.add_mass(memory, mass));
    }

    /// Computes the remaining fraction of stiffness of each moving vertex; empty if no effect changes it.
    pub fn soften(&self, state: &State, stiffness_scale: &mut Vec<f64>) {
        stiffness_scale.clear();
        self.remembered(state).for_each(|(effect, memory)| effect.soften(self, memory, stiffness_scale));
    }

    /// Computes the relative increase of friction of each moving vertex; empty if no effect changes it.
    pub fn roughen(&self, state: &State, growth: &mut Vec<f64>) {
        growth.clear();
        self.remembered(state).for_each(|(effect, memory)| effect.roughen(self, memory, growth));
    }

    /// Returns the largest air speed at time `t`, of the wind or of air moved by effects [m/s].
    pub fn air_speed(&self, state: &State, t: f64) -> f64 {
        let speeds = self.remembered(state).map(|(effect, memory)| effect.air_speed(memory));
        speeds.fold(self.wind.at(t).norm(), f64::max)
    }

    /// Collects the numbers of a state that effects report.
    pub fn tally(&self, state: &State, tallies: &mut Tallies) {
        let at = At { world: self, state };
        self.remembered(state).for_each(|(effect, memory)| effect.tally(at, memory, tallies));
    }
}

impl State {
    /// Calls `f` with the memory of each effect. Meanwhile the state has an empty memory in its place.
    pub fn each_memory(&mut self, mut f: impl FnMut(usize, &mut dyn Remembered, &State)) {
        for place in 0..self.effects.all.len() {
            let blank = self.effects.all[place].blank();
            let mut memory = std::mem::replace(&mut self.effects.all[place], blank);
            f(place, &mut *memory, self);
            self.effects.all[place] = memory;
        }
    }
}
