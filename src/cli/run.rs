//! `percale run`: simulates a scene.

use super::failure::Failure;
use super::frames::{self, Frames};
use super::input::{Ready, bounded, build, load, overrides, strict};
use super::log::{self, Level, log};
use super::ownership::{Ownership, real};
use super::progress::{Form, Progress};
use super::resume::{Plan, Resume};
use super::simulation::Simulation;
use super::{extent, range, report, say, signals, started};
use crate::contact::offset_ramp::{RampedOffset, ramp_offset};
use crate::linalg::par;
use crate::mesh::within;
use crate::scene::build::{Parts, Refusal};
use crate::scene::settings::Format;
use crate::scene::{self, Fault, Place, Scene};
use crate::sequence::{
    Checkpoint, Continued, Entry, Folder, FrameStats, Mark, Run as Record, Status, Stored, event, marks,
};
use crate::world::window::Window;
use crate::world::{State, World};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// Scene file
    scene: PathBuf,
    /// Run folder; <scene name> in the folder PERCALE_OUT, or in out, if absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of frames, or the first and the last, such as 1001-1010: the first is that of the scene
    #[arg(long, value_name = "N|RANGE", value_parser = span, allow_negative_numbers = true)]
    frames: Option<(Option<u32>, u32)>,
    /// Threads; as many as the machine has if absent. The results do not depend on it
    #[arg(long, value_name = "N", env = "PERCALE_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Go on from the newest whole checkpoint of the run folder, and remove all results after it; begin at the first
    /// frame where there is none
    #[arg(long)]
    resume: bool,
    /// Go on after this frame: from the newest checkpoint there or before
    #[arg(long, value_name = "FRAME")]
    from: Option<u32>,
    /// With --resume: where the scene has changed, set the run aside and begin at the first frame
    #[arg(long, requires = "resume")]
    restart_if_changed: bool,
    /// Set aside the run of another scene that is in the run folder
    #[arg(long)]
    force: bool,
    /// Override a key: table.key=value, such as time.step="0.5 ms" or cloth[0].material=denim
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Take warnings of the scene as faults
    #[arg(long)]
    strict: bool,
    /// Read no file outside of this folder, whatever the scene names
    #[arg(long, value_name = "DIR", env = within::VARIABLE)]
    within: Option<PathBuf>,
    /// Draw no pictures
    #[arg(long)]
    no_preview: bool,
    /// Write no meshes
    #[arg(long)]
    no_meshes: bool,
    /// Form of progress messages
    #[arg(long, value_enum, default_value_t = Form::Auto)]
    progress: Form,
}

/// Parses a number of frames, or a range into its first frame and number of frames.
fn span(text: &str) -> Result<(Option<u32>, u32), String> {
    if text.parse::<i64>().is_ok_and(|number| number < 0) {
        return Err(format!("negative: {text}; give a number of frames or a range, such as 48 or 1001-1048"));
    }
    if text.contains('-') {
        let (first, last) = range::Frames::unbroken(text)?;
        return Ok((Some(first), last - first + 1));
    }
    let number = text.parse().map(|count| (None, count));
    number.map_err(|_| "expected a number of frames or a range, such as 48 or 1001-1048".to_string())
}

/// Refuses a range of frames that does not begin at the run's first frame. Refuses also a number of frames that may be
/// meant as the last frame of the shot.
fn begins(first: Option<u32>, count: u32, own: u32) -> Result<(), String> {
    let last = |first: u32| u64::from(first) + u64::from(count) - 1;
    match first {
        Some(first) if first != own => {
            let end = last(first);
            let all = if end >= u64::from(own) { format!("{own}-{end} for all up to there, ") } else { String::new() };
            Err(format!(
                "--frames {first}-{end}: a run begins at its first frame, {own}; give {all}{own}-{} for as many",
                last(own)
            ))
        }
        None if own > 1 && count >= own => Err(format!(
            "--frames {count}: is that the last frame, or how many? The shot begins at {own}; give {own}-{count} or {own}-{}",
            last(own)
        )),
        _ => Ok(()),
    }
}

impl Run {
    /// Simulates. The run folder records how the run ended.
    pub(super) fn execute(self) -> Result<(), Failure> {
        log::begin();
        let outcome = self.start();
        if self.progress == Form::Json {
            let failure = outcome.as_ref().err();
            say(&event::end(failure.map_or(0, Failure::code), failure.map(Failure::reason).as_deref()));
        }
        outcome
    }

    fn start(&self) -> Result<(), Failure> {
        let stop = signals::stop().map_err(Failure::input)?;
        bounded(self.within.as_deref())?;
        let mut more = Vec::new();
        more.extend(self.frames.map(|(_, n)| ("time.frames", n.to_string())));
        more.extend(self.no_preview.then(|| ("preview.enabled", "false".to_string())));
        more.extend(self.no_meshes.then(|| ("output.meshes", "false".to_string())));
        let threads = usize::from(self.threads.unwrap_or(0));
        par::with_threads(threads, || self.load_and_simulate(more, &stop)).map_err(Failure::input)?
    }

    fn load_and_simulate(&self, more: Vec<(&str, String)>, stop: &AtomicBool) -> Result<(), Failure> {
        let start = Instant::now();
        let resumes = self.resume || self.from.is_some();
        let scene = load(&self.scene, &self.set, more.clone()).map_err(|failure| match failure {
            Failure::Input(faults) if resumes && self.began(more) => Failure::Lost(faults),
            other => other,
        })?;
        if let Some((first, count)) = self.frames {
            begins(first, count, scene.time.start_frame).map_err(Failure::input)?;
        }
        let folder = Folder::new(&self.folder(&scene.name));
        self.lies_outside(&scene, &folder)?;
        let ownership = Ownership { folder: &folder, scene: &scene, file: &self.scene, force: self.force };
        ownership.look(resumes)?;
        let ready = build(&scene, &self.scene).map_err(|refusal| refused(&folder, refusal))?;
        if self.strict {
            strict(scene.warnings.len() + ready.warnings.len())?;
        }
        let mut record = self.record(&scene, &ready);
        let mut lock = if folder.path().is_dir() { Some(ownership.lock()?) } else { None };
        // Once the lock is held, no other process can change the contents.
        let before = ownership.look_again(resumes)?;
        let plan = if resumes {
            let (from, restart, ready) = (self.from, self.restart_if_changed, &ready);
            Resume { folder: &folder, record: before.as_ref(), now: &record, scene: &scene, ready, from, restart }
                .plan()?
        } else {
            Plan::Begin
        };
        let marks = marks(&ready.world);
        let begin = match plan {
            Plan::Done => return Ok(()),
            Plan::Begin => {
                let tell = if self.progress == Form::None { log::keep } else { log };
                if let Some(aside) = ownership.claim(before.as_ref(), resumes)? {
                    let reported = "the earlier run is set aside until the next, in";
                    tell(Level::Info, &format!("{reported} {}", aside.display()));
                }
                if let Some(from) = &scene.onward {
                    tell(Level::Info, &format!("begins with frame {} of {}", from.frame, from.run.display()));
                }
                Begin::first(ready)
            }
            Plan::GoOn(found) => Begin::after(*found, ready, (&folder, &scene), before, &mut record)?,
        };
        let lock = match lock.take() {
            Some(lock) => lock,
            None => ownership.lock()?,
        };
        record.folder = real(folder.path()).display().to_string();
        let frames = Frames::start(&scene, &begin.world, folder.clone(), record, lock)?;
        log::open(&folder)?;
        self.simulate(&scene, begin, marks, frames, (stop, start))
    }

    /// Checks that neither the scene nor the run that it continues is in the run folder, which is replaced.
    fn lies_outside(&self, scene: &Scene, folder: &Folder) -> Result<(), Failure> {
        if folder.scene().exists() && real(&folder.scene()) == real(&self.scene) {
            let path = self.scene.display();
            return Err(Failure::input(format!(
                "{path}: lies in the run folder, which it would be replaced in; give another folder with --out"
            )));
        }
        if scene.onward.as_ref().is_some_and(|from| real(&from.run) == real(folder.path())) {
            let why = "is the folder of this run, which it would be replaced in; give another folder with --out";
            return Err(vec![scene::build::fault(scene, &self.scene, "scene.continue", why.to_string())].into());
        }
        Ok(())
    }

    /// Returns the run folder of a scene of this name.
    fn folder(&self, name: &str) -> PathBuf {
        let root = || std::env::var_os("PERCALE_OUT").filter(|root| !root.is_empty()).unwrap_or("out".into());
        self.out.clone().unwrap_or_else(|| Path::new(&root()).join(name))
    }

    /// Returns whether the scene was run before and has no fault other than missing files.
    fn began(&self, more: Vec<(&str, String)>) -> bool {
        let folder = match std::fs::read(&self.scene) {
            Err(_) => self.out.clone(),
            Ok(bytes) => overrides(&self.set, more)
                .ok()
                .and_then(|all| scene::read_recorded(&self.scene, &bytes, &all).ok())
                .map(|scene| self.folder(&scene.name)),
        };
        folder.is_some_and(|folder| Folder::new(&folder).is_run())
    }

    /// Returns the record of a run that begins.
    fn record(&self, scene: &Scene, ready: &Ready) -> Record {
        let (world, start) = ready.first();
        let warnings = scene.warnings.iter().chain(&ready.warnings).map(Fault::to_string).collect();
        Record {
            version: env!("CARGO_PKG_VERSION").to_string(),
            command: started::arguments(),
            scene: std::path::absolute(&self.scene).unwrap_or_else(|_| self.scene.clone()).display().to_string(),
            folder: String::new(),
            status: Status::Running,
            reason: None,
            warnings,
            unproven: world.contact.vertex_test.is_some(),
            ignored: Vec::new(),
            changes: Vec::new(),
            first: scene.time.start_frame,
            frames: scene.time.frames,
            done: 0,
            fps: scene.time.fps,
            objects: (0..world.objects.len()).map(|k| entry(scene, world, k)).collect(),
            probes: world.probes.iter().map(|probe| probe.name.clone()).collect(),
            threads: par::threads(),
            wall: 0.0,
            origin: world.origin,
            view: extent::bounds(scene, world, start),
        }
    }

    fn simulate(
        &self,
        scene: &Scene,
        begin: Begin,
        marks: Vec<Mark>,
        mut frames: Frames,
        (stop, start): (&AtomicBool, Instant),
    ) -> Result<(), Failure> {
        let Begin { world, parts, mut state, partial, before, continued } = begin;
        let done = frames.done();
        if let Err(failure) = frames.redraw() {
            frames.finish(Status::Failed, Some(failure.reason()), before)?;
            return Err(failure);
        }
        let progress = Progress::new(self.progress, scene.time.start_frame, scene.time.frames);
        progress.begin(frames.record(), scene.time.preroll);
        let mut simulation =
            Simulation { scene, world, parts, marks, continued, frames, progress, stop, start, before };
        let outcome = simulation.advance(&mut state, scene.time.start_frame + done, partial);
        simulation.progress.end();
        let reason = outcome.as_ref().err().map(Failure::reason);
        let status = match &outcome {
            Ok(_) => Status::Finished,
            Err(Failure::Stopped(_)) => Status::Stopped,
            Err(_) => Status::Failed,
        };
        let wall = simulation.wall();
        let closed = simulation.frames.finish(status, reason, wall);
        // If closing failed, the report is not tried, since its error would only repeat the first.
        let reported = if closed.is_ok() { report::write(simulation.frames.folder()) } else { Ok(()) };
        let stages = outcome?;
        closed?;
        reported?;
        simulation.close(&stages, state.time);
        Ok(())
    }
}

/// World and state in which a run begins or continues.
struct Begin {
    world: World,
    /// Objects as read, if there are seams to join.
    parts: Option<Box<Parts>>,
    state: State,
    /// Counters of the steps since the last frame.
    partial: Option<FrameStats>,
    /// Wall time of earlier processes of the run [s].
    before: f64,
    /// Checksum of the state that the run continues.
    continued: Option<u32>,
}

impl Begin {
    /// Begins at the first frame.
    fn first(ready: Ready) -> Begin {
        let Ready { world, state, parts, continued, .. } = ready;
        let begin = Begin { world, parts, state, partial: None, before: 0.0, continued: None };
        match continued {
            None => begin,
            Some(Continued { mark, world, state }) => {
                Begin { world: world.unwrap_or(begin.world), state, continued: Some(mark), ..begin }
            }
        }
    }

    /// Goes on after a checkpoint. Removes the results after it, and completes the record.
    fn after(
        found: (Stored, Checkpoint, Vec<String>),
        ready: Ready,
        (folder, scene): (&Folder, &Scene),
        before: Option<Record>,
        record: &mut Record,
    ) -> Result<Begin, Failure> {
        let (stored, mut checkpoint, changes) = found;
        let Ready { mut world, parts, .. } = ready;
        let (frame, path) = (checkpoint.frame, stored.path.display());
        let time = world.shot.shot(checkpoint.state.time);
        log(Level::Info, &format!("goes on after frame {frame}, t={time:.6} s: {path}"));
        if let Some((joined, _)) = parts.as_ref().and_then(|parts| parts.fitting(scene, &checkpoint.state)) {
            world = joined;
        }
        // An increased contact offset leaves surfaces closer than they rest.
        if changes.iter().any(|change| reaches(change))
            && let Some(eased) = eased(&world, &mut checkpoint.state)
        {
            log(Level::Warning, &eased.describe(&world));
        }
        folder.rewind(&stored)?;
        folder.rewind_probes(scene.time.shot().shot(checkpoint.state.time))?;
        if let Some(before) = before {
            carry_over(folder, before, frame, record);
        } else {
            seen(folder, scene, &world, record)?;
        }
        record.go_on(frame, changes);
        record.done = (frame + 1).saturating_sub(record.first);
        record.wall = checkpoint.wall;
        let Checkpoint { state, partial, wall, continued, .. } = checkpoint;
        Ok(Begin { world, parts, state, partial, before: wall, continued })
    }
}

/// Starts the ramp of the contact offset for surfaces that are too close.
fn eased(world: &World, state: &mut State) -> Option<RampedOffset> {
    let now = state.now();
    ramp_offset(world, state, |i, j| world.meet_at(i, j, now), |_| true)
}

/// Returns whether a changed key may increase the distance at which surfaces rest.
fn reaches(change: &str) -> bool {
    let key = change.split(':').next().unwrap_or_default();
    let window = key.starts_with("obstacle[") && (key.ends_with("].from") || key.ends_with("].until"));
    window || ["thickness", "distance", "material", "contact.enabled"].iter().any(|word| key.contains(word))
}

/// Carries over the earlier record: view, charts, warnings at frames, changes, and the frames at which objects were
/// present.
fn carry_over(folder: &Folder, before: Record, frame: u32, record: &mut Record) {
    record.view = before.view;
    record.warnings.extend(before.warnings.into_iter().filter(|reported| reported.starts_with("frame ")));
    record.changes = before.changes;
    for (entry, before) in record.objects.iter_mut().zip(before.objects) {
        entry.chart = before.chart.filter(|chart| folder.path().join(chart).is_file());
        entry.frames = before.frames.map(|frames| frames.start.min(frame + 1)..frames.end.min(frame + 1));
    }
}

/// Restores the frames at which objects were present, for a run whose record is lost.
fn seen(folder: &Folder, scene: &Scene, world: &World, record: &mut Record) -> Result<(), Failure> {
    for stats in folder.read_stats()? {
        for (k, entry) in record.objects.iter_mut().enumerate() {
            entry.add(stats.frame, world.there(k, scene.time.run(stats.frame) - stats.lag));
        }
    }
    Ok(())
}

/// Returns the failure of a refused start. Writes the crossing triangles, if any.
fn refused(folder: &Folder, refusal: Refusal) -> Failure {
    let Refusal { mut faults, crossing, .. } = refusal;
    if !crossing.is_empty() {
        match folder.write_crossing(&crossing) {
            Ok(path) => {
                let message = "the triangles that cross at the start".to_string();
                faults.push(Fault { place: Place::Argument(path.display().to_string()), key: String::new(), message });
            }
            Err(error) => return Failure::Disk(error),
        }
    }
    faults.into()
}

/// Returns the entry of an object before its files are written.
fn entry(scene: &Scene, world: &World, k: usize) -> Entry {
    let object = &world.objects[k];
    let output = &scene.output;
    let window = world.window(k);
    let still = frames::still(world, k);
    let written = output.meshes && (output.obstacles || object.kind.simulated());
    let ending = match output.format {
        Format::Ply => "ply",
        Format::Obj => "obj",
    };
    let name = &object.name;
    let number = if still { "" } else { ".####" };
    Entry {
        name: name.clone(),
        kind: object.kind,
        vertices: object.place.len(),
        triangles: object.triangles.len(),
        files: written.then(|| format!("meshes/{name}/{name}{number}.{ending}")),
        polygons: Entry::runs(&object.polygons),
        materials: object.materials.clone(),
        origins: object.origins.clone(),
        chart: None,
        frames: (window != Window::ALWAYS).then_some(0..0),
    }
}
