//! The world: objects as ranges of one vertex array, and the state that differs between two moments.
//!
//! Moving vertices (cloths, then bodies) come first, in the order of the solver's subdomains; the vertices of obstacles follow in file
//! order. [`World`] holds what is constant during a run, [`State`] all that is not.

/// From meshes and laws to a world.
pub mod build;
/// What hangs together.
pub mod component;
mod contact;
/// What crosses.
pub mod crossing;
/// Friction of pairs.
pub mod friction;
/// The interface of effects.
pub mod effect;
/// Effects and their memories behind pointers.
pub mod effects;
/// How loud a recording is.
pub mod envelope;
/// Cloths glued to bodies.
pub mod glue;
/// Pins and handles.
mod hold;
/// Prescribed motion.
pub mod motion;
/// Where far scenes are solved.
pub mod origin;
/// What probes measure.
pub mod probe;
/// The table of what is told of a state.
pub mod quantity;
/// Recorded shapes of obstacles.
pub mod recording;
/// Times of the run and of the shot.
pub mod shot;
/// What is prescribed, from the shot's time to the run's.
mod retime;
/// A state as bytes.
pub mod snapshot;
/// One step in the making.
pub mod step;
/// Why a step could not be made.
pub mod step_error;
/// What gives way in a pinch.
pub mod yields;
/// Wind as a function of time.
pub mod wind;
/// Obstacles that appear and vanish.
pub mod window;

use crate::collision::certificate::Pair;
use crate::collision::surface::Surface;
use crate::force::contact::{Bristle, Friction};
use crate::force::elements::Elements;
use crate::force::term::{Memory, Term};
use crate::linalg::{Vec2, Vec3};
pub use contact::{ContactSettings, Pinch};
use effects::{Effects, Memories};
use friction::Frictions;
pub use hold::{Handle, Pin, Pull, Pulled};
use motion::Motion;
use probe::Probe;
use recording::Recording;
use shot::Shot;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use wind::Wind;
use window::Window;
use yields::{Dent, Slack};

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Simulated sheet.
    Cloth,
    /// Simulated solid: its boundary.
    Body,
    /// Prescribed.
    Obstacle,
}

impl Kind {
    /// All of them, in the order of objects.
    pub const ALL: [Kind; 3] = [Kind::Cloth, Kind::Body, Kind::Obstacle];

    /// As in records and messages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Cloth => "cloth",
            Kind::Body => "body",
            Kind::Obstacle => "obstacle",
        }
    }

    /// It moves by forces.
    pub fn simulated(self) -> bool {
        self != Kind::Obstacle
    }
}

/// One object: a range of vertices, triangles and edges.
#[derive(Clone, Debug)]
pub struct Object {
    /// Name in the scene.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Its vertices in the world.
    pub vertices: Range<usize>,
    /// World vertex of each file vertex.
    pub place: Vec<u32>,
    /// Triangles in file order, indices of file vertices.
    pub triangles: Vec<[u32; 3]>,
    /// How many of them in a row each face of the file was cut into; empty where all faces are triangles.
    pub polygons: Vec<u32>,
    /// Chart of the file.
    pub uv: Vec<Vec2>,
    /// Indices into `uv` per triangle.
    pub uv_triangles: Vec<[u32; 3]>,
    /// Coulomb friction of its surface.
    pub friction: Friction,
    /// Its activation distance; two objects have the mean of theirs [m].
    pub distance: f64,
    /// Its vertices touch its own triangles.
    pub self_contact: bool,
    /// Mean edge length at the start [m].
    pub edge: f64,
}

/// What a cloth has beside its elements.
#[derive(Clone, Debug, Default)]
pub struct Cloth {
    /// Index of its object.
    pub object: usize,
    /// What bounds its stretch.
    pub limits: Vec<Limit>,
}

/// Two vertices that may not be nearer to each other, or farther apart, than their bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The vertices.
    pub ends: [u32; 2],
    /// Least distance [m].
    pub least: f64,
    /// Largest distance; may be infinite [m].
    pub most: f64,
}

impl Limit {
    /// An upper bound alone [m].
    pub fn most(ends: [u32; 2], most: f64) -> Limit {
        Limit { ends, least: 0.0, most }
    }
}

/// Where an obstacle's vertices are at a time.
#[derive(Clone, Debug)]
pub enum Course {
    /// Rigid motion of the start shape.
    Rigid(Motion),
    /// Recorded shapes.
    Recorded(Recording),
}

/// An obstacle: start shape and course.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Index of its object.
    pub object: usize,
    /// Start positions [m].
    pub rest: Vec<Vec3>,
    /// Motion.
    pub course: Course,
    /// When it is there.
    pub window: Window,
}

/// Everything that is constant during a run.
#[derive(Clone, Debug)]
pub struct World {
    /// What the origin of all positions here and in files is in the scene [m]: zero unless the scene is far from there.
    pub origin: Vec3,
    /// How the run's time belongs to the shot's.
    pub shot: Shot,
    /// Acceleration of gravity [m/s^2].
    pub gravity: Vec3,
    /// Motion of the air.
    pub wind: Wind,
    /// Number of moving vertices.
    pub moving: usize,
    /// Subdomains of the moving vertices.
    pub starts: Vec<usize>,
    /// Masses of the moving vertices [kg].
    pub mass: Vec<f64>,
    /// Component of each moving vertex: what membranes, bending and solids join.
    pub component: Vec<u32>,
    /// Mass of each component [kg].
    pub component_mass: Vec<f64>,
    /// Half of the thickness at each vertex, obstacles included [m].
    pub half_thickness: Vec<f64>,
    /// Rest positions of all vertices [m].
    pub rest: Vec<Vec3>,
    /// Membrane, bending and solid elements.
    pub elements: Elements,
    /// All objects: cloths, bodies, obstacles.
    pub objects: Vec<Object>,
    /// Cloths.
    pub cloths: Vec<Cloth>,
    /// Obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Hard pins of cloths and bodies.
    pub pins: Vec<Pin>,
    /// Soft handles of cloths and bodies.
    pub handles: Vec<Handle>,
    /// What can touch.
    pub surface: Surface,
    /// How it touches.
    pub contact: ContactSettings,
    /// Friction of pairs, where it is not that of both objects.
    pub frictions: Frictions,
    /// Effects, in their order.
    pub effects: Effects,
    /// What is measured.
    pub probes: Vec<Probe>,
}

/// Everything that differs between two moments.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time [s].
    pub time: f64,
    /// How far prescribed motion is behind the time, because it had to wait for pinched cloth [s].
    pub lag: f64,
    /// Part of its pace that it was held back by in the last step: 1 when it stood still.
    pub held: f64,
    /// Steps taken.
    pub step: u64,
    /// Positions of all vertices [m].
    pub x: Vec<Vec3>,
    /// Velocities of all vertices [m/s].
    pub v: Vec<Vec3>,
    /// Positions of the moving vertices one step before [m].
    pub x_before: Vec<Vec3>,
    /// Velocities of the moving vertices one step before [m/s].
    pub v_before: Vec<Vec3>,
    /// The last step [s]; 0 at the start.
    pub last: f64,
    /// Step size aimed at [s]; 0 at the start.
    pub target: f64,
    /// Steps since the last one that had to be repeated.
    pub clean: u32,
    /// Steps in a row that aimed at less than the smallest one.
    pub short: u32,
    /// Solution of the last step, the next one's first guess, scaled by its step squared [m/s^2].
    pub guess: Vec<Vec3>,
    /// What laws remember.
    pub memory: Memory,
    /// Friction memory by contact key, keys ascending.
    pub bristles: Vec<(u64, Bristle)>,
    /// Pairs of features that contact leaves out because their triangles cross since the start; sorted.
    pub ignored: Vec<(Pair, [u32; 2])>,
    /// Object that cloth goes through since a pinch, until no triangles of theirs cross.
    pub released: Option<usize>,
    /// Pinned vertices that gave way in a pinch, by pin and place.
    pub slack: Vec<Slack>,
    /// Vertices of obstacles that gave way, ascending.
    pub dents: Vec<Dent>,
    /// Steps since something last gave way; counts up to [`yields::LATE`].
    pub calm: u32,
    /// Part of thickness and activation distance that contacts of each vertex have, since they began nearer; empty: the whole.
    pub room: Vec<f64>,
    /// Where the vertices of each pin, then of each handle, were when its window opened.
    pub anchors: Vec<Option<Vec<Vec3>>>,
    /// Memories of effects, in their order.
    pub effects: Memories,
    /// Work done so far by what each probe of work is of [J].
    pub work: Vec<f64>,
    /// Energy that steps made of nothing in each component that nothing holds, less what they lost [J]; empty: none.
    pub owed: Vec<f64>,
}

impl State {
    /// What keeps it from going on in a world whose start is `start`, in words: it has other numbers of something, or another memory.
    pub fn misfits(&self, world: &World, start: &State) -> Vec<String> {
        let counts = |s: &State| [s.x.len(), s.v.len(), s.x_before.len(), s.v_before.len(), s.guess.len()];
        let pins = world.pins.iter().chain(world.handles.iter().map(|h| &h.pin));
        let held = self.anchors.len() == start.anchors.len()
            && self.anchors.iter().zip(pins).all(|(a, pin)| a.as_ref().is_none_or(|a| a.len() == pin.vertices.len()));
        let known = [
            (counts(self) == counts(start), "vertices"),
            (self.room.is_empty() || self.room.len() == self.x.len(), "vertices with less room"),
            (held, "pins or handles"),
            (self.work.len() == start.work.len(), "probes of work"),
            (self.owed.is_empty() || self.owed.len() == world.component_mass.len(), "parts"),
            (self.released.is_none_or(|object| object < world.objects.len()), "objects"),
        ];
        let mut all: Vec<String> =
            known.iter().filter(|(same, _)| !same).map(|(_, what)| format!("{what} are others")).collect();
        all.extend(self.effects.misfits(&start.effects, world).into_iter().map(|what| format!("{what} are others")));
        let of =
            |s: &State, word: &str| s.memory.0.iter().find(|m| m.word == word).map(|m| (m.version, m.values.len()));
        let words = start.memory.0.iter().chain(&self.memory.0).map(|m| &m.word).collect::<BTreeSet<_>>();
        all.extend(words.into_iter().filter_map(|word| match [of(self, word), of(start, word)] {
            [None, Some(_)] => Some(format!("it lacks what '{word}' remembers")),
            [Some(_), None] => Some(format!("it has a memory of '{word}', which the scene does not")),
            [own, wanted] => (own != wanted).then(|| format!("what '{word}' remembers is of other elements")),
        }));
        all
    }
}

impl Course {
    /// Position of each vertex at time `t`.
    pub fn place(&self, rest: &[Vec3], t: f64, out: &mut [Vec3]) {
        match self {
            Course::Rigid(motion) => {
                let pose = motion.at(t);
                for (out, rest) in out.iter_mut().zip(rest) {
                    *out = pose.apply(rest);
                }
            }
            Course::Recorded(recording) => recording.place(t, out),
        }
    }

    /// It never moves.
    pub fn still(&self) -> bool {
        match self {
            Course::Rigid(motion) => *motion == Motion::Fixed,
            Course::Recorded(recording) => recording.count() == 1,
        }
    }
}

impl World {
    /// Adds a law. States from before do not know its memory.
    pub fn add(&mut self, law: Arc<dyn Term>) {
        self.elements.others.push(law);
        (self.component, self.component_mass) = component::components(&self.elements, &self.mass);
    }

    /// Gives each object its activation distance [m]; none is larger than that of the world.
    pub fn set_distances(&mut self, own: impl Iterator<Item = f64>) {
        self.objects.iter_mut().zip(own).for_each(|(object, own)| object.distance = own);
    }

    /// Activation distance of what a pair with these vertices is of [m].
    pub fn distance(&self, vertices: &[u32; 4]) -> f64 {
        let of = |v: u32| self.objects[usize::from(self.surface.object[v as usize])].distance;
        0.5 * (of(vertices[0]) + of(vertices[3]))
    }

    /// Number of objects that move by forces: the first ones.
    pub fn simulated(&self) -> usize {
        self.cloths.len() + self.elements.bodies.len()
    }

    /// Positions of all obstacle vertices at time `t`, written behind the moving ones.
    pub fn place_obstacles(&self, t: f64, x: &mut [Vec3]) {
        for obstacle in &self.obstacles {
            obstacle.course.place(&obstacle.rest, t, &mut x[self.objects[obstacle.object].vertices.clone()]);
        }
    }

    /// Why recorded motion can no longer be read, and of which object, if that is so.
    pub fn lost(&self) -> Option<String> {
        self.obstacles.iter().find_map(|obstacle| match &obstacle.course {
            Course::Rigid(_) => None,
            Course::Recorded(recording) => {
                recording.fault().map(|why| format!("the motion of '{}' is lost: {why}", self.name(obstacle.object)))
            }
        })
    }

    /// Values of an object's vertices in file order.
    pub fn in_file_order<T: Copy>(&self, object: &Object, values: &[T]) -> Vec<T> {
        object.place.iter().map(|v| values[*v as usize]).collect()
    }
}
