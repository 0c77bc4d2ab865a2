//! World: objects as ranges of one vertex array, and the state that changes from step to step.
//!
//! Moving vertices (cloths, then bodies) come first, in the order of the solver's subdomains. The vertices of obstacles
//! follow in file order. [`World`] holds everything that is constant during a run, [`State`] everything else.

/// Builds a world from meshes and laws.
pub mod build;
/// Connected components.
pub mod component;
/// States in worlds in which more vertices are joined.
pub mod carry;
mod contact;
/// Values set in place of those of the scene.
pub mod driven;
/// Surface intersections.
pub mod crossing;
/// Factors that change in time, and their table.
pub mod keyed;
/// Friction of pairs of objects.
pub mod fold;
pub mod friction;
/// Straight ways to targets.
pub mod glide;
/// Parts of objects that contact leaves out.
pub mod left_out;
/// Interface of effects.
pub mod effect;
/// Type-erased effects and their memories.
pub mod effects;
/// Loudness of a recording.
pub mod envelope;
/// Cloths glued to bodies.
pub mod glue;
/// Pins and handles.
mod hold;
/// Prescribed motion.
pub mod motion;
/// Local origin of scenes far from (0, 0, 0).
pub mod origin;
/// Quantities that probes measure.
pub mod probe;
/// Table of the quantities reported of a state.
pub mod quantity;
/// Recorded shapes of obstacles.
pub mod recording;
/// Time of the run and of the shot.
pub mod shot;
/// Conversion of prescribed motion from shot time to run time.
mod retime;
/// State as bytes.
pub mod snapshot;
/// Data shared by the stages of a step.
pub mod step;
/// Reasons why a step fails.
pub mod step_error;
/// Vertices that give way in a pinch.
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
use crate::mesh::Materials;
pub use contact::{ContactSettings, Pinch};
use driven::Driven;
use effects::{Effects, Memories};
use fold::Fold;
use friction::Frictions;
use glide::Glide;
pub use hold::{Handle, Pin, Pull, Pulled};
use keyed::{Scales, Table};
use left_out::LeftOut;
use motion::Motion;
use probe::Probe;
use recording::Recording;
use shot::Shot;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;
use wind::Wind;
use window::Window;
use yields::{Dent, Slack};

/// Time over which the motion of an obstacle is looked ahead at the first frame [s]. Chosen: far below a step.
const DEPARTURE: f64 = 1e-5;

/// Kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Simulated sheet.
    Cloth,
    /// Boundary of a simulated solid.
    Body,
    /// Obstacle with prescribed motion.
    Obstacle,
}

impl Kind {
    /// All kinds, in the order of objects.
    pub const ALL: [Kind; 3] = [Kind::Cloth, Kind::Body, Kind::Obstacle];

    /// Returns the name of the kind in records and messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Cloth => "cloth",
            Kind::Body => "body",
            Kind::Obstacle => "obstacle",
        }
    }

    /// Returns true if the object moves by forces.
    pub fn simulated(self) -> bool {
        self != Kind::Obstacle
    }
}

/// Object: a range of vertices, triangles and edges.
#[derive(Clone, Debug)]
pub struct Object {
    /// Name in the scene.
    pub name: String,
    /// Kind of the object.
    pub kind: Kind,
    /// Range of its vertices in the world.
    pub vertices: Range<usize>,
    /// World vertex of each file vertex.
    pub place: Vec<u32>,
    /// Triangles in file order, indices of file vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Number of consecutive triangles that each face of the file was split into; empty if all faces are triangles.
    pub polygons: Vec<u32>,
    /// Materials of the triangles.
    pub materials: Materials,
    /// Objects of the file that the triangles are of.
    pub origins: Materials,
    /// Named groups of file vertices, ascending.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// Chart coordinates of the file.
    pub uv: Vec<Vec2>,
    /// Indices into `uv` per triangle.
    pub uv_triangles: Vec<[u32; 3]>,
    /// Coulomb friction of its surface.
    pub friction: Friction,
    /// Activation distance [m]. A pair of objects uses the mean of both.
    pub distance: f64,
    /// Self-contact is enabled.
    pub self_contact: bool,
    /// Mean edge length at the start [m].
    pub edge: f64,
}

/// Cloth data that are not elements.
#[derive(Clone, Debug, Default)]
pub struct Cloth {
    /// Index of its object.
    pub object: usize,
    /// Bounds of edge or spring lengths.
    pub limits: Vec<Limit>,
}

/// Bounds of the distance between two vertices.
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
    /// Creates a limit with an upper bound alone [m].
    pub fn most(ends: [u32; 2], most: f64) -> Limit {
        Limit { ends, least: 0.0, most }
    }
}

/// Motion of an obstacle's vertices as a function of time.
#[derive(Clone, Debug)]
pub enum Course {
    /// Rigid motion of the start shape.
    Rigid(Motion),
    /// Recorded shapes.
    Recorded(Recording),
    /// Way to a target that is set.
    Glide(Glide),
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
    /// Time window in which the obstacle exists.
    pub window: Window,
}

/// Constants of a run.
#[derive(Clone, Debug)]
pub struct World {
    /// Origin of all positions in the world and in files, in scene coordinates [m]. Non-zero only for scenes far from
    /// (0, 0, 0).
    pub origin: Vec3,
    /// Relation between run time and shot time.
    pub shot: Shot,
    /// Acceleration of gravity [m/s^2].
    pub gravity: Vec3,
    /// Motion of the air.
    pub wind: Wind,
    /// Number of moving vertices.
    pub moving: usize,
    /// Offsets of the solver's subdomains in the moving vertices.
    pub starts: Vec<usize>,
    /// Masses of the moving vertices [kg].
    pub mass: Vec<f64>,
    /// Component of each moving vertex: vertices joined by membranes, bending and solids.
    pub component: Vec<u32>,
    /// Mass of each component [kg].
    pub component_mass: Vec<f64>,
    /// Half of the thickness at each vertex, obstacles included [m].
    pub half_thickness: Vec<f64>,
    /// Rest positions of all vertices [m]. A joined vertex has that of its first part.
    pub rest: Vec<Vec3>,
    /// Time of the run at which rest shapes were taken [s].
    pub shaped: f64,
    /// Whether a vertex is joined from several that are apart at rest. Empty: none.
    pub joined: Vec<bool>,
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
    /// Surface mesh for contact.
    pub surface: Surface,
    /// Contact settings.
    pub contact: ContactSettings,
    /// Friction of pairs that overrides the friction of the two objects.
    pub frictions: Frictions,
    /// Parts of objects that contact leaves out.
    pub left_out: LeftOut,
    /// Factors at vertices from maps. Those of stiffness are in the elements.
    pub painted: Scales,
    /// Factors that change in time.
    pub keyed: Table,
    /// Fold lines of cloths.
    pub folds: Vec<Fold>,
    /// Effects, in their order.
    pub effects: Effects,
    /// Probes.
    pub probes: Vec<Probe>,
}

/// State of a run: everything that changes from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Time [s].
    pub time: f64,
    /// Delay of prescribed motion behind the time, caused by pinched cloth [s].
    pub lag: f64,
    /// Fraction of the pace by which prescribed motion was slowed in the last step: 1 at standstill.
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
    /// Size of the last step [s]; 0 at the start.
    pub last: f64,
    /// Target step size [s]; 0 at the start.
    pub target: f64,
    /// Steps since the last repeat.
    pub clean: u32,
    /// Consecutive steps whose target was below the smallest step size.
    pub short: u32,
    /// Solution of the last step, divided by its effective step squared [m/s^2]. The next step uses it as initial
    /// guess.
    pub guess: Vec<Vec3>,
    /// Memory of the laws.
    pub memory: Memory,
    /// Friction memory of contacts, sorted by contact key.
    pub bristles: Vec<(u64, Bristle)>,
    /// Feature pairs excluded from contact because their triangles have intersected since the start; sorted.
    pub ignored: Vec<(Pair, [u32; 2])>,
    /// Object that cloth passes through since a pinch, until their triangles no longer intersect.
    pub released: Option<usize>,
    /// Bits of the entries of [`World::left_out`] through whose second obstacle each vertex passes; empty: none.
    pub passing: Vec<u64>,
    /// Pinned vertices that gave way in a pinch, sorted by pin and index in the pin.
    pub slack: Vec<Slack>,
    /// Vertices of obstacles that gave way, ascending.
    pub dents: Vec<Dent>,
    /// Steps since a vertex last gave way, at most [`yields::LATE`].
    pub calm: u32,
    /// Scale of thickness and activation distance at each vertex, 0 to 1, during the ramp after a start that is too
    /// near; empty: 1 everywhere.
    pub offset_scale: Vec<f64>,
    /// Positions of the vertices of each pin, then of each handle, when its window opened.
    pub anchors: Vec<Option<Vec<Vec3>>>,
    /// Memories of effects, in their order.
    pub effects: Memories,
    /// Work done so far by the source of each work probe [J].
    pub work: Vec<f64>,
    /// Energy error of each unconstrained component: energy gained by steps, less energy lost [J]; empty: zero.
    pub energy_drift: Vec<f64>,
    /// Values set in place of those of the scene.
    pub driven: Driven,
}

impl State {
    /// Lists the reasons why this state cannot continue in a world whose initial state is `start`. Counts differ, or
    /// the memory of laws or effects does.
    pub fn misfits(&self, world: &World, start: &State) -> Vec<String> {
        let counts = |s: &State| [s.x.len(), s.v.len(), s.x_before.len(), s.v_before.len(), s.guess.len()];
        let pins = world.pins.iter().chain(world.handles.iter().map(|h| &h.pin));
        let held = self.anchors.len() == start.anchors.len()
            && self.anchors.iter().zip(pins).all(|(a, pin)| a.as_ref().is_none_or(|a| a.len() == pin.vertices.len()));
        let known = [
            (counts(self) == counts(start), "vertices"),
            (self.offset_scale.is_empty() || self.offset_scale.len() == self.x.len(), "vertices with less room"),
            (self.passing.is_empty() || self.passing.len() == self.x.len(), "vertices caught between obstacles"),
            (held, "pins or handles"),
            (self.work.len() == start.work.len(), "probes of work"),
            (self.energy_drift.is_empty() || self.energy_drift.len() == world.component_mass.len(), "parts"),
            (self.driven.fits(world), "pins, handles or obstacles with targets"),
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
    /// Computes the position of each vertex at time `t`.
    pub fn place(&self, rest: &[Vec3], t: f64, out: &mut [Vec3]) {
        match self {
            Course::Rigid(motion) => {
                let pose = motion.at(t);
                for (out, rest) in out.iter_mut().zip(rest) {
                    *out = pose.apply(rest);
                }
            }
            Course::Recorded(recording) => recording.place(t, out),
            Course::Glide(glide) => glide.place(t, out),
        }
    }

    /// Returns true if the obstacle never moves.
    pub fn still(&self) -> bool {
        match self {
            Course::Rigid(motion) => *motion == Motion::Fixed,
            Course::Recorded(recording) => recording.count() == 1,
            Course::Glide(_) => false,
        }
    }
}

impl World {
    /// Adds a law. States created before do not have its memory.
    pub fn add(&mut self, law: Arc<dyn Term>) {
        self.elements.others.push(law);
        (self.component, self.component_mass) = component::components(&self.elements, &self.mass);
    }

    /// Sets the activation distance of each object [m]. It must not exceed that of the world.
    pub fn set_distances(&mut self, own: impl Iterator<Item = f64>) {
        self.objects.iter_mut().zip(own).for_each(|(object, own)| object.distance = own);
    }

    /// Returns the activation distance of the objects to which this pair of features belongs [m].
    pub fn distance(&self, vertices: &[u32; 4]) -> f64 {
        let of = |v: u32| self.objects[usize::from(self.surface.object[v as usize])].distance;
        0.5 * (of(vertices[0]) + of(vertices[3]))
    }

    /// Returns whether a vertex is joined from several that are apart at rest.
    pub fn is_joined(&self, vertex: u32) -> bool {
        self.joined.get(vertex as usize).is_some_and(|joined| *joined)
    }

    /// Returns the number of simulated objects. They are the first ones.
    pub fn simulated(&self) -> usize {
        self.cloths.len() + self.elements.bodies.len()
    }

    /// Computes the positions of all obstacle vertices at time `t`. They are stored after the moving vertices.
    pub fn place_obstacles(&self, t: f64, x: &mut [Vec3]) {
        for obstacle in &self.obstacles {
            obstacle.course.place(&obstacle.rest, t, &mut x[self.objects[obstacle.object].vertices.clone()]);
        }
    }

    /// Computes the velocity with which an obstacle sets out at the first frame; nothing at other times. It has come
    /// from nowhere then, so that its last step tells none.
    pub fn departure(&self, state: &State, object: &Object) -> Option<Vec<Vec3>> {
        let obstacle = self.obstacles.iter().find(|o| self.objects[o.object].name == object.name)?;
        // A run that continues another has steps behind it at time zero, and the first frame of the other's files.
        let continues = state.time == 0.0 && state.last > 0.0;
        if continues || obstacle.course.still() || (state.time - self.shot.run(0.0)).abs() > DEPARTURE {
            return None;
        }
        let mut next = vec![Vec3::zeros(); obstacle.rest.len()];
        obstacle.course.place(&obstacle.rest, state.time + DEPARTURE, &mut next);
        let now = &state.x[object.vertices.clone()];
        Some(next.iter().zip(now).map(|(next, now)| (next - now) / DEPARTURE).collect())
    }

    /// Returns an error message that names the object, if its recorded motion can no longer be read.
    pub fn lost(&self) -> Option<String> {
        self.obstacles.iter().find_map(|obstacle| match &obstacle.course {
            Course::Rigid(_) | Course::Glide(_) => None,
            Course::Recorded(recording) => {
                recording.fault().map(|why| format!("the motion of '{}' is lost: {why}", self.name(obstacle.object)))
            }
        })
    }

    /// Returns values at an object's vertices in file order.
    pub fn in_file_order<T: Copy>(&self, object: &Object, values: &[T]) -> Vec<T> {
        object.place.iter().map(|v| values[*v as usize]).collect()
    }
}
