//! The interface through which an effect enters a step.
//!
//! A law (`force::term`) acts on fixed elements. An effect is all else: links between vertices that are found anew in each step, a field
//! beside the motion, forces from outside. Its constants are in [`World::effects`], its memory is in [`State::effects`], and the storage
//! of a stepper is its work. Each method below is one moment of a step; an effect implements those in which it does something.

use super::quantity::Channel;
use super::step::Step;
use super::{State, World};
use crate::force::links::Couples;
use crate::linalg::Vec3;
use crate::linalg::matrix::Common;
use std::fmt::Debug;

/// The world and a state of it.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Constants of the run.
    pub world: &'a World,
    /// State at the start of the step.
    pub state: &'a State,
}

/// Memory of an effect: all of it that differs between two moments.
pub trait Remember: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Names and versions of its sections in a checkpoint. A version grows when the layout changes.
    const SECTIONS: &'static [(&'static str, u32)];

    /// Appends the bytes of a section, by its number.
    fn put(&self, section: usize, out: &mut Vec<u8>);

    /// Reads the bytes of a section; `None` where they are damaged.
    fn take(&mut self, section: usize, from: &mut &[u8]) -> Option<()>;

    /// Names the quantity of a checkpoint's memory that does not fit the world, whose start has the memory `start`.
    fn misfit(&self, _start: &Self, _world: &World) -> Option<&'static str> {
        None
    }
}

/// How numbers of several steps become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// They are added.
    Sum,
    /// The last one counts.
    Last,
}

/// A number of a frame, as statistics have it.
#[derive(Debug, PartialEq)]
pub struct Tally {
    /// Key in `stats.ndjson`.
    pub word: &'static str,
    /// Unit; empty for a pure number.
    pub unit: &'static str,
    /// Documentation.
    pub sentence: &'static str,
    /// It is a count.
    pub whole: bool,
    /// How steps are joined.
    pub join: Join,
}

/// Values of tallies; 0 where nothing told any.
#[derive(Clone, Debug, Default)]
pub struct Tallies(Vec<(&'static Tally, f64)>);

impl PartialEq for Tallies {
    fn eq(&self, other: &Tallies) -> bool {
        self.all().chain(other.all()).all(|(tally, _)| self.get(tally) == other.get(tally))
    }
}

impl Tallies {
    /// Joins a value.
    pub fn tell(&mut self, tally: &'static Tally, value: f64) {
        match self.0.iter_mut().find(|(own, _)| own.word == tally.word) {
            Some((_, own)) => match tally.join {
                Join::Sum => *own += value,
                Join::Last => *own = value,
            },
            None => self.0.push((tally, value)),
        }
    }

    /// Joins the values of a following step.
    pub fn add(&mut self, next: &Tallies) {
        next.all().for_each(|(tally, value)| self.tell(tally, value));
    }

    /// Value of a tally; 0 where nothing told any.
    pub fn get(&self, tally: &Tally) -> f64 {
        self.0.iter().find(|(own, _)| own.word == tally.word).map_or(0.0, |(_, value)| *value)
    }

    /// All values.
    pub fn all(&self) -> impl Iterator<Item = (&'static Tally, f64)> {
        self.0.iter().copied()
    }
}

/// A warning about a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Text for the user.
    pub text: String,
    /// Of several in a frame with the same subject the one with the smallest measure is shown.
    pub measure: f64,
    /// Effect and object.
    pub subject: (&'static str, usize),
}

/// Numbers and warnings of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// Numbers.
    pub tallies: Tallies,
    /// Warnings.
    pub notices: Vec<Notice>,
}

impl Told {
    /// Adds a warning, unless there is a graver one with the same subject.
    pub fn notice(&mut self, new: Notice) {
        match self.notices.iter_mut().find(|own| own.subject == new.subject) {
            Some(own) if new.measure < own.measure => *own = new,
            Some(_) => (),
            None => self.notices.push(new),
        }
    }

    /// Joins a following step.
    pub fn add(&mut self, next: &Told) {
        self.tallies.add(&next.tallies);
        next.notices.iter().for_each(|notice| self.notice(notice.clone()));
    }
}

/// A contact, as effects see it.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Vertex and triangle, or the ends of two edges.
    pub vertices: [u32; 4],
    /// Weights of the vertices in the vector between the nearest points.
    pub weights: [f64; 4],
    /// The triangle; `None` between two edges.
    pub triangle: Option<u32>,
}

/// Contacts of a step.
pub trait Touching {
    /// Gives `f` each contact, in their order.
    fn each(&self, f: &mut dyn FnMut(&Touch));

    /// Adds to `loads`, by vertex of `object`, the normal forces of contacts with everything but itself and `below` [N].
    fn load(&self, world: &World, step: &Step, between: [usize; 2], loads: &mut [f64]);
}

/// A step that is made.
#[derive(Clone, Copy)]
pub struct Made<'a> {
    /// The step.
    pub step: &'a Step,
    /// Its contacts.
    pub touching: &'a dyn Touching,
}

/// Receives the forces that an effect used in a step [N].
pub trait Forces {
    /// A force on the first side of a link, and its opposite on the other.
    fn between(&mut self, vertices: &[u32; 4], weights: &[f64; 4], force: Vec3);

    /// A force on one vertex by the effect itself.
    fn on(&mut self, vertex: u32, force: Vec3);

    /// A force on one vertex by a numbered source outside.
    fn from(&mut self, source: usize, vertex: u32, force: Vec3);
}

/// An effect: constants of a run.
pub trait Effect: Clone + Debug + Send + Sync + 'static {
    /// What differs between two moments.
    type Memory: Remember;
    /// Storage of a stepper. Nothing in it may matter to the next step.
    type Work: Send + Sync + 'static;

    /// Place among all effects, which call by call go in ascending order.
    const ORDER: u32 = u32::MAX;
    /// Channels of cloths' vertices that it shows.
    const CHANNELS: &'static [Channel] = &[];
    /// Numbers of a frame that it tells.
    const TALLIES: &'static [&'static Tally] = &[];
    /// Its links stand behind contacts in the system instead of before them.
    const AFTER_CONTACTS: bool = false;

    /// Memory at the start, whose positions `state` has.
    fn start(&self, world: &World, state: &State) -> Self::Memory;

    /// Storage for a world.
    fn work(&self, world: &World) -> Self::Work;

    /// Gives `join` sets of vertices that it couples in every step.
    fn joins(&self, _world: &World, _join: &mut dyn FnMut(&mut dyn Iterator<Item = usize>)) {}

    /// Gives `feed` the vertices on which it does work that nothing else accounts for.
    fn feeds(&self, _world: &World, _feed: &mut dyn FnMut(usize)) {}

    /// It changes masses or energies of everything.
    fn feeds_all(&self) -> bool {
        false
    }

    /// Adds to the masses of the moving vertices [kg].
    fn add_mass(&self, _memory: &Self::Memory, _mass: &mut [f64]) {}

    /// Sets the part of its stiffness that cloth has, by moving vertex. The list is empty where no effect has set it.
    fn soften(&self, _world: &World, _memory: &Self::Memory, _soft: &mut Vec<f64>) {}

    /// Sets the relative growth of friction, by moving vertex. The list is empty where no effect has set it.
    fn roughen(&self, _world: &World, _memory: &Self::Memory, _growth: &mut Vec<f64>) {}

    /// Largest speed of air that it moves [m/s].
    fn air_speed(&self, _memory: &Self::Memory) -> f64 {
        0.0
    }

    /// Begins a step: prescribed motion is known. May set quantities of `step` that laws read.
    fn begin(&self, _at: At, _memory: &Self::Memory, _work: &mut Self::Work, _step: &mut Step, _tallies: &mut Tallies) {
    }

    /// Finds its links, but for their forces.
    fn update(&self, _at: At, _memory: &Self::Memory, _work: &mut Self::Work, _step: &Step, _tallies: &mut Tallies) {}

    /// Links of the step.
    fn links<'a>(&self, _work: &'a Self::Work) -> Option<&'a dyn Couples> {
        None
    }

    /// Linearises its links about free flight; again where free flight changes.
    fn linearise(&self, _at: At, _memory: &Self::Memory, _work: &mut Self::Work, _step: &Step) {}

    /// Linearises the rest about free flight, once a step, while laws are assembled.
    fn foresee(&self, _at: At, _memory: &Self::Memory, _work: &mut Self::Work, _step: &Step) {}

    /// Adds forces that are no links [N].
    fn push(&self, _work: &Self::Work, _force: &mut [Vec3]) {}

    /// Exchanges the low-rank part of the matrix, found in [`Effect::foresee`], for other storage.
    fn low_rank(&self, _work: &mut Self::Work, _common: &mut Common) {}

    /// Changes links that a solution has broken; true where there are any.
    fn let_go(&self, _world: &World, _work: &mut Self::Work, _step: &Step) -> bool {
        false
    }

    /// Gives `couple` the vertices of each link that joins components.
    fn each_coupled(&self, _work: &Self::Work, _couple: &mut dyn FnMut(&mut dyn Iterator<Item = u32>)) {}

    /// Lowers the bounds above which a component's right-hand side counts as the bound.
    fn bound(&self, _world: &World, _work: &Self::Work, _floors: &[f64], _ceilings: &mut [f64]) {}

    /// Gives `add` a vertex of each component and the work that it can do on it in the step [J].
    fn each_work(
        &self,
        _at: At,
        _memory: &Self::Memory,
        _work: &Self::Work,
        _step: &Step,
        _add: &mut dyn FnMut(usize, f64),
    ) {
    }

    /// Number of its sources outside.
    fn sources(&self, _world: &World) -> usize {
        0
    }

    /// Gives `forces` all that it did. `falls` is `(E^-1 - F) U^T z` of the low-rank part.
    fn each_force(
        &self,
        _at: At,
        _memory: &Self::Memory,
        _work: &Self::Work,
        _step: &Step,
        _falls: &[f64],
        _forces: &mut dyn Forces,
    ) {
    }

    /// Remembers the step, before positions and velocities of `at` change.
    fn before_commit(&self, _at: At, _memory: &mut Self::Memory, _work: &mut Self::Work, _step: &Step) {}

    /// Remembers the step, whose end `state` is. `state` lacks the effect's own memory meanwhile.
    fn commit(
        &self,
        _world: &World,
        _state: &mut State,
        _memory: &mut Self::Memory,
        _work: &mut Self::Work,
        _made: Made,
        _told: &mut Told,
    ) {
    }

    /// Numbers of a state.
    fn tally(&self, _at: At, _memory: &Self::Memory, _tallies: &mut Tallies) {}
}
