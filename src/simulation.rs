//! Simulations stepped from Rust, without a run folder.

use crate::collision::intersect::Test;
use crate::linalg::Vec3;
use crate::measured::Contact;
use crate::scene::build::{self, Built, Parts};
use crate::scene::{self, Fault, Given, Override, Scene};
use crate::sequence::{FrameStats, Mark, Snapshot, Verdict, marks, onward};
use crate::stepper::{Advance, steps};
use crate::world::driven::Undriven;
use crate::world::effect::Effect;
use crate::world::effects::Effects;
use crate::world::step_error::StepError;
use crate::world::{State, World};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Reason why a simulation ends early.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// Faults of the scene file, its meshes or its start, with their places.
    Scene(Vec<Fault>),
    /// A value that cannot be set, or a state that does not fit.
    Value(String),
    /// A step that cannot be made, triangles that cross, or recorded motion that can no longer be read.
    Step {
        /// Number of the frame.
        frame: u32,
        /// Number of the last frame.
        last: u32,
        /// Text for the user.
        reason: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Error::Scene(faults) => {
                for (k, fault) in faults.iter().enumerate() {
                    let line = if k > 0 { "\n" } else { "" };
                    write!(f, "{line}{fault}")?;
                }
                Ok(())
            }
            Error::Value(why) => write!(f, "{why}"),
            Error::Step { frame, last, reason } => write!(f, "frame {frame} of {last}, {reason}"),
        }
    }
}

impl std::error::Error for Error {}

/// A scene in motion, frame by frame.
///
/// Results are those of `percale run`, bit for bit, on any number of threads. Each frame is tested for intersections
/// before it is given out.
///
/// ```
/// # fn main() -> Result<(), percale::Error> {
/// let mut simulation = percale::Simulation::load("scenes/drape.toml", &["time.frames=2"])?;
/// while let Some(frame) = simulation.next_frame()? {
///     let positions = simulation.positions("sheet").unwrap_or_default();
///     let lowest = positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
///     println!("frame {frame}: {} vertices, the lowest at {lowest:.3} m", positions.len());
/// }
/// # assert_eq!(simulation.frame(), Some(2));
/// # Ok(())
/// # }
/// ```
pub struct Simulation {
    pub(crate) scene: Scene,
    /// Path of the scene file; empty without one.
    pub(crate) file: PathBuf,
    /// World, with the values that are set.
    pub(crate) world: World,
    /// Values of the world's scene, in place of which others may be set.
    pub(crate) undriven: Undriven,
    /// Effects of the world's scene.
    pub(crate) effects: Effects,
    pub(crate) state: State,
    /// Objects as read, if there are seams to join.
    pub(crate) parts: Option<Box<Parts>>,
    /// Marks of the objects, and of the state that the scene continues.
    pub(crate) marks: (Vec<Mark>, Option<u32>),
    /// Never locked. A stepper may move between threads, but two must not see it.
    stepper: Mutex<Box<dyn Advance>>,
    /// Whether the stepper is of a world that has changed since.
    pub(crate) stale: bool,
    test: Test,
    /// Frame that the snapshots are of.
    pub(crate) frame: Option<u32>,
    pub(crate) snapshots: Vec<Snapshot>,
    /// Statistics of the frame, or of the steps so far to the next.
    pub(crate) stats: FrameStats,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) warnings: Vec<Fault>,
}

/// Parses overrides.
fn overrides(set: &[&str]) -> Result<Vec<Override>, Error> {
    let (mut overrides, mut faults) = (Vec::new(), Vec::new());
    for one in set {
        match Override::parse(one) {
            Ok(one) => overrides.push(one),
            Err(fault) => faults.push(fault),
        }
    }
    if faults.is_empty() { Ok(overrides) } else { Err(Error::Scene(faults)) }
}

/// Returns all objects as files would hold them.
pub(crate) fn snapshots(world: &World, state: &State) -> Vec<Snapshot> {
    world.objects.iter().map(|object| Snapshot::of(world, state, object, Vec::new())).collect()
}

/// Returns the time of the shot [s].
fn time_of(world: &World, state: &State) -> f64 {
    world.shot.shot(state.time)
}

impl Simulation {
    /// Reads a scene file and its meshes. `set` are overrides such as `"time.step=0.5 ms"`.
    ///
    /// # Errors
    /// Faults of the overrides, of the scene file, of the meshes, or of the start.
    pub fn load(file: impl AsRef<Path>, set: &[&str]) -> Result<Simulation, Error> {
        let file = file.as_ref();
        Simulation::of(scene::read(file, &overrides(set)?).map_err(Error::Scene)?, file)
    }

    /// Builds a scene without a file. `text` is its TOML, which names meshes of `given` as `"memory:NAME"` and files
    /// relative to `folder`.
    ///
    /// ```
    /// use percale::linalg::Vec3;
    /// use percale::mesh::arrays::Arrays;
    /// use percale::scene::given::{Given, Shape};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let positions = vec![Vec3::zeros(), Vec3::x(), Vec3::z()];
    /// let mesh = Arrays { positions, corners: vec![0, 2, 1], ends: vec![3], ..Arrays::default() }.mesh()?;
    /// let mut given = Given::default();
    /// given.insert("scrap", Shape::Surface(Box::new(mesh)));
    /// let text = "[[cloth]]\nname = \"scrap\"\nmesh = \"memory:scrap\"";
    /// let mut simulation = percale::Simulation::from_text(text, ".", given, &["time.frames=2"])?;
    /// while simulation.next_frame()?.is_some() {}
    /// assert!(simulation.positions("scrap").is_some_and(|p| p[0].y < 0.0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Faults of the overrides, the text, the meshes, or the start. Each has the path of its key as its place.
    pub fn from_text(text: &str, folder: impl AsRef<Path>, given: Given, set: &[&str]) -> Result<Simulation, Error> {
        let scene = scene::read_given(text, folder.as_ref(), given, &overrides(set)?).map_err(Error::Scene)?;
        Simulation::of(scene, Path::new(""))
    }

    /// Builds a scene that was read from `file`.
    ///
    /// # Errors
    /// Faults of the meshes, or of the start.
    pub fn of(scene: Scene, file: &Path) -> Result<Simulation, Error> {
        let built = build::build(&scene, file).map_err(|refusal| Error::Scene(refusal.faults))?;
        let continued = onward(&scene, file, &built).map_err(|fault| Error::Scene(vec![fault]))?;
        let Built { mut world, mut state, parts, warnings, .. } = built;
        let marks = (marks(&world), continued.as_ref().map(|from| from.mark));
        if let Some(from) = continued {
            state = from.state;
            world = from.world.unwrap_or(world);
        }
        let warnings = scene.warnings.iter().cloned().chain(warnings).collect();
        let (stepper, test) = (Mutex::new(build::stepper(&scene, &world)), world.test());
        Ok(Simulation {
            file: file.to_path_buf(),
            undriven: Undriven::of(&world),
            effects: world.effects.clone(),
            stats: FrameStats::new(scene.time.start_frame),
            scene,
            world,
            state,
            parts,
            marks,
            stepper,
            stale: false,
            test,
            frame: None,
            snapshots: Vec::new(),
            contacts: Vec::new(),
            warnings,
        })
    }

    /// Adds an effect of your own. It takes part from the next step on. Seams of patterns are held then, but no longer
    /// joined, since the effect may know vertices by number.
    pub fn plug(&mut self, effect: impl Effect) {
        self.parts = None;
        self.world.effects.clone_from(&self.effects);
        self.world.plug(effect, &mut self.state);
        self.effects.clone_from(&self.world.effects);
        self.drive();
    }

    /// Steps to the next frame and returns its number; `None` after the last one. The first frame is the start, after
    /// the preroll.
    ///
    /// # Errors
    /// A step that cannot be made, triangles that cross in the frame, or recorded motion that can no longer be read.
    pub fn next_frame(&mut self) -> Result<Option<u32>, Error> {
        self.next_frame_while(|| true)
    }

    /// Steps to the next frame like [`Simulation::next_frame`]. Stops after a step in which `go` has become false, and
    /// returns `None`.
    ///
    /// # Errors
    /// The errors of [`Simulation::next_frame`].
    pub fn next_frame_while(&mut self, mut go: impl FnMut() -> bool) -> Result<Option<u32>, Error> {
        let (time, last) = (self.scene.time.clone(), self.scene.time.last_frame());
        let frame = self.frame.map_or(time.start_frame, |frame| frame + 1);
        if frame > last {
            return Ok(None);
        }
        if self.stats.frame != frame {
            self.stats = FrameStats::new(frame);
        }
        let preroll = if self.frame.is_none() { time.preroll } else { 0 };
        let times = (1..=preroll).map(|k| time.run_after(k)).chain([time.run(frame)]);
        for until in times {
            if let Err(stuck) = self.step_until(until, &mut go) {
                let place = format!("step {}, t={:.6} s", self.state.step + 1, time_of(&self.world, &self.state));
                let reason = format!("{place}: {}", stuck.describe(&self.world, &self.state));
                return Err(Error::Step { frame, last, reason });
            }
            if self.state.time < until {
                return Ok(None);
            }
            if until < time.run(frame) {
                self.renew();
            }
        }
        self.stats.time = time_of(&self.world, &self.state);
        self.world.tally(&self.state, &mut self.stats.tallies);
        self.stats.measure(&self.world, &self.state);
        self.snapshots = self.checked().map_err(|reason| Error::Step { frame, last, reason })?;
        self.frame = Some(frame);
        let stepper = self.stepper.get_mut().unwrap_or_else(PoisonError::into_inner);
        self.contacts = Contact::all(&self.world, &stepper.contacts());
        self.renew();
        Ok(self.frame)
    }

    /// Steps to a time of the run. Rest shapes change on the way.
    fn step_until(&mut self, until: f64, go: &mut impl FnMut() -> bool) -> Result<(), StepError> {
        loop {
            if std::mem::take(&mut self.stale) {
                self.stepper = Mutex::new(build::stepper(&self.scene, &self.world));
            }
            let next = |parts: &Parts| parts.next_change(&self.scene, self.state.time, until);
            let to = self.parts.as_deref().map_or(until, next);
            let stepper = self.stepper.get_mut().unwrap_or_else(PoisonError::into_inner);
            let report = steps(stepper.as_mut(), &self.world, &mut self.state, to, |_, _, _| go())?;
            self.stats.count(&report, &self.world, &self.state);
            if self.state.time < to || to >= until {
                return Ok(());
            }
            let parts = self.parts.as_ref();
            if let Some(renewed) = parts.and_then(|parts| parts.reshape(&self.scene, &self.world, &self.state)) {
                self.put(renewed);
            }
        }
    }

    /// Puts another world in the place of the present one. Values that are set stay set.
    pub(crate) fn put(&mut self, (world, state): (World, State)) {
        self.undriven = Undriven::of(&world);
        self.effects = world.effects.clone();
        self.test = world.test();
        (self.world, self.state) = (world, state);
        self.drive();
    }

    /// Renews the world where seams have closed or rest shapes change.
    fn renew(&mut self) {
        let Some((world, state)) = self.parts.as_ref().and_then(|p| p.renew(&self.scene, &self.world, &self.state))
        else {
            return;
        };
        self.put((world, state));
    }

    /// All objects as files would hold them, after the exact test.
    fn checked(&mut self) -> Result<Vec<Snapshot>, String> {
        let Simulation { world, state, test, stats, .. } = self;
        if let Some(lost) = world.lost() {
            return Err(lost);
        }
        let all = snapshots(world, state);
        let verdict = Verdict::of(world, state, &all, test);
        stats.ignored += verdict.ignored;
        stats.crossing = verdict.crossing;
        stats.regions = verdict.regions(world);
        match verdict.describe(world) {
            None => Ok(all),
            Some(reported) => Err(format!("t={:.6} s: {reported}", world.shot.shot(state.time))),
        }
    }

    /// Number of the frame reached; `None` before the first one.
    pub fn frame(&self) -> Option<u32> {
        self.frame
    }

    /// Returns positions of an object's vertices in file order [m]; `None` if no object has that name, or before the
    /// first frame.
    pub fn positions(&self, object: &str) -> Option<&[Vec3]> {
        self.snapshot(object).map(|at| &at.positions[..])
    }

    /// Returns velocities of an object's vertices in file order, per second of the shot [m/s].
    pub fn velocities(&self, object: &str) -> Option<&[Vec3]> {
        self.snapshot(object)?.velocities.as_deref()
    }

    fn snapshot(&self, object: &str) -> Option<&Snapshot> {
        self.snapshots.get(self.world.objects.iter().position(|own| own.name == object)?)
    }

    /// Objects of the frame reached, in the order of the world.
    pub fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    /// Warnings about the scene.
    pub fn warnings(&self) -> &[Fault] {
        &self.warnings
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Constants of the run.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// State at the end of the last step.
    pub fn state(&self) -> &State {
        &self.state
    }
}
