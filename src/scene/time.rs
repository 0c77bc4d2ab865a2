//! `[scene]` and `[time]`.

use super::Scene;
use super::cloth::Cloth;
use super::document::{Node, Value};
use super::json::Json;
use super::keys::{Context, Keys, Kind, choices, section};
use super::kinds::{Quantity, choice, flag, folder_name, integer, quantity, real, vector};
use super::onward::{FrameOfRun, Onward};
use super::spring::Model;
use super::unit::{Unit, number, rounded};
use crate::linalg::Vec3;
use crate::world::shot::Shot;

choices! {
    /// Axis that points up.
    pub enum Up {
        /// +y.
        Y = "y",
        /// +z.
        Z = "z",
    }
}

choices! {
    /// Time integration.
    pub enum Integrator {
        /// Linearised second-order backward differences with variable step: little numerical damping.
        Bdf2 = "bdf2",
        /// Linearised backward Euler: first order, damps more.
        BackwardEuler = "backward-euler",
    }
}

choices! {
    /// Accuracy of steps, as the error of a step.
    pub enum Preset {
        /// 1 mm: for a first look.
        Draft = "draft",
        /// 0.3 mm: for pictures.
        Shot = "shot",
        /// 0.03 mm: for comparison with measurements.
        Reference = "reference",
    }
}

/// Accuracy of the preset for pictures [m].
const SHOT: f64 = 3e-4;

/// Kind of an accuracy: a length, or the name of a preset.
pub struct Accuracy;

impl Accuracy {
    fn length() -> Quantity {
        quantity(Unit::Length, 1e-7..=1.0)
    }
}

impl Kind for Accuracy {
    type Value = f64;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<f64> {
        match &node.value {
            Value::Text(name) if !name.trim_start().starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
                Some(match choice::<Preset>().read(cx, path, node)? {
                    Preset::Draft => 1e-3,
                    Preset::Shot => SHOT,
                    Preset::Reference => 3e-5,
                })
            }
            Value::Text(_) | Value::Integer(_) | Value::Float(_) => Accuracy::length().read(cx, path, node),
            _ => {
                self.refuse(cx, path, node);
                None
            }
        }
    }

    fn wanted(&self) -> String {
        format!("{}; or {}", choice::<Preset>().wanted(), Accuracy::length().wanted())
    }

    fn schema(&self) -> Json {
        Json::map([("anyOf", Json::List(vec![choice::<Preset>().schema(), Accuracy::length().schema()]))])
    }

    fn json(&self, value: &f64) -> Option<Json> {
        Accuracy::length().json(value)
    }
}

section! {
    /// The scene as a whole.
    pub struct Heading {
        /// Name of the scene and its run folder; the file's name if absent.
        pub name: Option<String> = folder_name().optional(),
        /// Begin with this frame of another run of the same objects: positions, velocities and memories are those of
        /// its checkpoint, motion and pins those of this scene. Seams and the inflation of balloons have had their
        /// time, and so have attachments, shrinkage and bands whose 'from' is 0.
        pub onward as "continue": Option<Onward> = FrameOfRun.optional(),
        /// Axis that points up: gravity, ground and camera follow it.
        pub up: Up = choice().or(Up::Y),
        /// Acceleration of gravity; 9.81 m/s2 downward if absent.
        pub gravity: Option<Vec3> = vector(Unit::Acceleration, 1e4).optional(),
    }
}

section! {
    /// Frames and steps.
    pub struct Time {
        /// Frames per second; a fraction as text, such as "24000/1001".
        pub fps: f64 = quantity(Unit::Frequency, 1e-3..=1e6).or(30.0),
        /// Number of frames written; the first is the initial state, at time 0.
        pub frames: u32 = integer(1..=1_000_000).or(120),
        /// Number of the first frame, for a shot that does not begin at 1: files, exports, ranges of frames and
        /// messages count from it. Times in the scene are seconds from the first frame, whatever its number.
        pub start_frame: u32 = integer(0..=9_999_999).or(1),
        /// Frames that are simulated before the first one and not written, in which cloth settles: obstacles, pins and
        /// handles stand as they do at the first frame, but for motion that a file has before it.
        pub preroll: u32 = integer(0..=100_000).or(0),
        /// Seconds that are simulated for each second of the shot: 0.5 is slow motion. Prescribed motion keeps its
        /// frames.
        pub scale: f64 = real(1e-3..=1e3).or(1.0),
        /// Largest step: steps are as long as `accuracy` allows up to this one, and end on frame times. If absent,
        /// 4 ms; 1 ms in scenes with bodies, springs or internal friction. Long steps damp what swings. 12 ms suit
        /// cloth that falls on things; folds come to rest in 6 ms or less.
        pub step: Option<f64> = quantity(Unit::Time, 1e-7..=1.0).optional(),
        /// Largest error of a step: the root mean square over an object, as the change of acceleration tells it. Bodies
        /// also keep to 0.0003 of their size. No step is shorter for it than a 32nd of `step`.
        pub accuracy: f64 = Accuracy.or(SHOT),
        /// Smallest step, 0.02 ms or `step` if that is smaller; a run that needs a smaller one fails and says where.
        /// A step that is not solved, or makes an edge twice as long, is repeated with down to a 64th of it, for 2000
        /// steps in a row at most.
        pub min_step: f64 = quantity(Unit::Time, 1e-9..=0.1).or(2e-5),
        /// Scheme.
        pub integrator: Integrator = choice().or(Integrator::Bdf2),
        /// Choose each step by `accuracy` and by the need of the last ones. Otherwise every step is `step`, but for
        /// shorter ones at the start.
        pub adaptive: bool = flag().or(true),
        /// Wall time that a frame may take; a run in which one takes more ends with a checkpoint there, says why and
        /// can be resumed. No bound if absent. A resumed frame begins to count anew.
        pub frame_limit: Option<f64> = quantity(Unit::Time, 1e-3..=1e7).optional(),
    }
    check bounds_in_order;
}

/// Largest steps where a scene gives none [s]: of cloth alone, and with bodies, springs or internal friction. In longer
/// ones free cloth swings less than it should; a body on few contacts hops; friction and buckling springs gain energy.
const LARGEST: [f64; 2] = [0.004, 0.001];

impl Scene {
    /// Returns the largest step [s]: that of the scene, or one that its cloths and bodies bear.
    pub fn step(&self) -> f64 {
        let frame = self.time.scale / self.time.fps;
        let steep = |cloth: &Cloth| {
            let inner = cloth.inner();
            cloth.model != Model::Fem || inner.stretches() || inner.bends()
        };
        let steep = !self.bodies.is_empty() || self.cloths.iter().any(steep);
        self.time.step.unwrap_or_else(|| LARGEST[usize::from(steep)].min(frame).max(self.time.min_step))
    }
}

impl Time {
    /// Returns the number of the last frame.
    pub fn last_frame(&self) -> u32 {
        self.start_frame + self.frames.saturating_sub(1)
    }

    /// Returns the relation between run time and shot time.
    pub fn shot(&self) -> Shot {
        Shot { lead: f64::from(self.preroll) / self.fps, scale: self.scale }
    }

    /// Returns the run time of a frame [s]. Frames before the first are at the start of the run.
    pub fn run(&self, frame: u32) -> f64 {
        if frame < self.start_frame { 0.0 } else { self.run_after(frame - self.start_frame + self.preroll) }
    }

    /// Returns the run time after so many frames, including the preroll [s].
    pub fn run_after(&self, frames: u32) -> f64 {
        f64::from(frames) / self.fps * self.scale
    }

    /// Returns the last and the next time at which rest shapes may change: equal parts of frames, at most `step` [s].
    pub fn changes(&self, step: f64, time: f64) -> [f64; 2] {
        // Times depend on the numbers of frame and part alone, so that those of a resumed run have the same bits.
        let nearest = (time / self.scale * self.fps).round() as u32;
        let frame = if self.run_after(nearest) <= time { nearest } else { nearest.saturating_sub(1) };
        let (start, end) = (self.run_after(frame), self.run_after(frame + 1));
        let parts = ((end - start) / step - 1e-9).ceil().max(1.0) as u32;
        let at =
            |part: u32| if part >= parts { end } else { start + (end - start) * (f64::from(part) / f64::from(parts)) };
        let part = (0..parts).rev().find(|part| at(*part) <= time).unwrap_or(0);
        [at(part), at(part + 1)]
    }

    /// Returns the shot time of a frame [s]. The first frame is at 0.
    pub fn of(&self, frame: u32) -> f64 {
        f64::from(frame.saturating_sub(self.start_frame)) / self.fps
    }

    /// Returns the shot time of the last frame [s].
    pub fn end(&self) -> f64 {
        self.of(self.last_frame())
    }
}

fn bounds_in_order(mut time: Time, keys: &mut Keys) -> Option<Time> {
    if time.preroll > 0 && time.start_frame == 0 {
        keys.fault("preroll", "goes with a start_frame of at least 1; give start_frame = 1");
        return None;
    }
    let frame = time.scale / time.fps;
    if keys.find("min_step").is_none() {
        time.min_step = time.min_step.min(time.step.unwrap_or(frame));
    }
    let Some(step) = time.step else { return Some(time) };
    if time.min_step > step {
        let (low, high) = (number(time.min_step), number(step));
        keys.fault("min_step", format!("{low} s is larger than step, {high} s; give at most step"));
        return None;
    }
    if step > frame * (1.0 + 1e-9) {
        let (step, frame) = (rounded(1e3 * step), rounded(1e3 * frame));
        keys.warn("step", format!("{step} ms is longer than a frame, {frame} ms, which no step is"));
    }
    Some(time)
}
