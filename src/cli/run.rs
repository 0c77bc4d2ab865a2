//! `percale run`: simulate a scene.

use super::failure::Failure;
use super::frames::{self, Frames};
use super::log::{Level, log};
use super::progress::{Form, Progress};
use super::simulation::Simulation;
use super::{report, resume, view, warn};
use crate::linalg::par;
use crate::scene::build::{Built, Refusal};
use crate::scene::settings::Format;
use crate::scene::{self, Fault, Override, Place, Scene};
use crate::sequence::{Checkpoint, Entry, Folder, Run as Record, Status, marks};
use crate::world::{Object, State, World};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// Arguments.
#[derive(Debug, Args)]
pub struct Run {
    /// Scene file
    scene: PathBuf,
    /// Run folder; <scene name> in the folder PERCALE_OUT, or in out, if absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of frames
    #[arg(long, value_name = "N")]
    frames: Option<u32>,
    /// Threads; as many as the machine has if absent. The results do not depend on it
    #[arg(long, value_name = "N", env = "PERCALE_THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Go on from the newest whole checkpoint of the run folder, and throw away what came after it; begin at frame 1 where there is
    /// none
    #[arg(long)]
    resume: bool,
    /// Go on after this frame: from the newest checkpoint there or before
    #[arg(long, value_name = "FRAME", value_parser = clap::value_parser!(u32).range(1..))]
    from: Option<u32>,
    /// Override a key: table.key=value, such as time.step="0.5 ms" or cloth[0].material=denim
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Draw no pictures
    #[arg(long)]
    no_preview: bool,
    /// Write no meshes
    #[arg(long)]
    no_meshes: bool,
    /// How progress is told
    #[arg(long, value_enum, default_value_t = Form::Auto)]
    progress: Form,
}

/// The overrides that `--set` and other arguments ask for.
fn overrides(set: &[String], more: Vec<(&str, String)>) -> Result<Vec<Override>, Failure> {
    let mut overrides = Vec::new();
    let mut faults = Vec::new();
    for argument in set {
        match Override::parse(argument) {
            Ok(one) => overrides.push(one),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults.into());
    }
    overrides.extend(more.into_iter().map(|(path, value)| Override { path: path.to_string(), value }));
    Ok(overrides)
}

/// Reads a scene with overrides; warnings are told.
pub fn load(file: &Path, set: &[String], more: Vec<(&str, String)>) -> Result<Scene, Failure> {
    let scene = scene::read(file, &overrides(set, more)?)?;
    scene.warnings.iter().for_each(|w| warn(&format!("warning: {w}")));
    Ok(scene)
}

/// Builds the world of a scene; warnings are told.
pub fn build(scene: &Scene, file: &Path) -> Result<Built, Refusal> {
    let built = scene::build::build(scene, file);
    let warnings = built.as_ref().map_or_else(|refusal| &refusal.warnings, |built| &built.warnings);
    warnings.iter().for_each(|w| warn(&format!("warning: {w}")));
    built
}

impl Run {
    /// Simulates; the run folder says how it ended.
    pub fn execute(self) -> Result<(), Failure> {
        let stop = signals().map_err(Failure::input)?;
        let mut more = Vec::new();
        more.extend(self.frames.map(|n| ("time.frames", n.to_string())));
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
        let folder = Folder::new(&self.folder(&scene.name));
        let Built { world, state, warnings } =
            build(&scene, &self.scene).map_err(|refusal| refused(&folder, refusal))?;
        let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if same(&folder.scene(), &self.scene) {
            let path = self.scene.display();
            return Err(Failure::input(format!(
                "{path}: lies in the run folder, which it would be replaced in; give another folder with --out"
            )));
        }
        let found = if resumes { resume::newest(&folder, self.from)? } else { None };
        let mut earlier = None;
        match found {
            None => folder.take()?,
            Some((stored, checkpoint)) => {
                resume::compare(&scene, &world, &state, &checkpoint)?;
                let (frame, frames) = (checkpoint.frame, scene.time.frames);
                let record = folder.read_run()?;
                let path = stored.path.display();
                if frame >= frames && record.status == Status::Finished && self.from.is_none() {
                    log(Level::Info, &format!("all {frames} frames are in {}", folder.path().display()));
                    return Ok(());
                }
                if frame > frames {
                    return Err(Failure::input(format!("{path}: is beyond frame {frames}; --from goes back")));
                }
                log(Level::Info, &format!("goes on after frame {frame}, t={:.6} s: {path}", checkpoint.state.time));
                folder.rewind(&stored)?;
                earlier = Some((checkpoint, record));
            }
        }
        let warnings =
            scene.warnings.iter().map(Fault::to_string).chain(warnings.iter().map(|w| w.to_string())).collect();
        self.simulate(&scene, &world, state, earlier, warnings, (folder, stop, start))
    }

    /// The run folder of a scene of this name.
    fn folder(&self, name: &str) -> PathBuf {
        let root = || std::env::var_os("PERCALE_OUT").filter(|root| !root.is_empty()).unwrap_or("out".into());
        self.out.clone().unwrap_or_else(|| Path::new(&root()).join(name))
    }

    /// The scene was run before: it has no fault but that files are missing.
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

    fn simulate(
        &self,
        scene: &Scene,
        world: &World,
        start_state: State,
        earlier: Option<(Checkpoint, Record)>,
        warnings: Vec<String>,
        (folder, stop, start): (Folder, &AtomicBool, Instant),
    ) -> Result<(), Failure> {
        let mut record = Record {
            version: env!("CARGO_PKG_VERSION").to_string(),
            command: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
            scene: std::path::absolute(&self.scene).unwrap_or_else(|_| self.scene.clone()).display().to_string(),
            status: Status::Running,
            reason: None,
            warnings,
            frames: scene.time.frames,
            done: 0,
            fps: scene.time.fps,
            objects: world.objects.iter().map(|o| entry(scene, world, o)).collect(),
            threads: par::threads(),
            wall: 0.0,
            view: view::bounds(scene, world, &start_state),
        };
        let (mut state, mut partial, mut before) = (start_state, None, 0.0);
        if let Some((checkpoint, earlier)) = earlier {
            // What was found at frame 1 stays: charts, and where the camera looks.
            record.view = earlier.view;
            for (entry, earlier) in record.objects.iter_mut().zip(earlier.objects) {
                entry.chart = earlier.chart;
            }
            (record.done, record.wall) = (checkpoint.frame, checkpoint.wall);
            (state, partial, before) = (checkpoint.state, checkpoint.partial, checkpoint.wall);
        }
        let done = record.done;
        let frames = Frames::start(scene, world, folder, record)?;
        let progress = Progress::new(self.progress, done, scene.time.frames);
        let marks = marks(world);
        let mut simulation = Simulation { scene, world, marks, frames, progress, stop, start, before };
        let outcome = simulation.advance(&mut state, done, partial);
        simulation.progress.end();
        let reason = outcome.as_ref().err().map(Failure::reason);
        let status = match &outcome {
            Ok(_) => Status::Finished,
            Err(Failure::Stopped(_)) => Status::Stopped,
            Err(_) => Status::Failed,
        };
        let wall = simulation.wall();
        let closed = simulation.frames.finish(status, reason, wall);
        let reported = report::write(simulation.frames.folder());
        let stages = outcome?;
        closed?;
        reported?;
        simulation.close(&stages, state.time);
        Ok(())
    }
}

/// A start that is refused, with what crosses left to look at.
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

/// What the record says of an object before its files are written.
fn entry(scene: &Scene, world: &World, object: &Object) -> Entry {
    let output = &scene.output;
    let still = frames::still(world, object);
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
        chart: None,
    }
}

/// A flag that the first SIGINT, SIGTERM or SIGUSR1 raises; a second one ends the process at once.
pub fn signals() -> Result<Arc<AtomicBool>, String> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag::{register, register_conditional_shutdown};
    let stop = Arc::new(AtomicBool::new(false));
    let mut all = vec![SIGINT, SIGTERM];
    #[cfg(unix)]
    all.push(signal_hook::consts::SIGUSR1);
    for signal in all {
        register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))
            .and_then(|_| register(signal, Arc::clone(&stop)))
            .map_err(|error| format!("cannot listen to signals: {error}"))?;
    }
    Ok(stop)
}
