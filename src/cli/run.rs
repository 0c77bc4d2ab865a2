//! `percale run`: simulate a scene.

use super::failure::Failure;
use super::frames::{self, Frames};
use super::progress::{Form, Progress, span};
use super::view;
use super::warn;
use crate::linalg::par;
use crate::scene::build::Refusal;
use crate::scene::settings::{Format, Precision};
use crate::scene::{self, Fault, Override, Place, Scene, time};
use crate::sequence::{Entry, Folder, FrameStats, Run as Record, Stages, Status};
use crate::stepper::{Advance, Integrator, Report, Settings, stepper};
use crate::world::{Object, State, World};
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Arguments.
#[derive(Debug, Args)]
pub struct Run {
    /// Scene file
    scene: PathBuf,
    /// Run folder; out/<scene name> if absent
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of frames
    #[arg(long, value_name = "N")]
    frames: Option<u32>,
    /// Threads; as many as the machine has if absent. The results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
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

/// Reads a scene with overrides; warnings are told.
pub fn load(file: &Path, set: &[String], more: Vec<(&str, String)>) -> Result<Scene, Failure> {
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
    let scene = scene::read(file, &overrides)?;
    scene.warnings.iter().for_each(|w| warn(&format!("warning: {w}")));
    Ok(scene)
}

/// Builds the world of a scene; warnings are told.
pub fn build(scene: &Scene, file: &Path) -> Result<(World, State), Refusal> {
    let built = scene::build::build(scene, file)?;
    built.warnings.iter().for_each(|w| warn(&format!("warning: {w}")));
    Ok((built.world, built.state))
}

/// Time stepping as the scene asks for.
fn settings(scene: &Scene) -> Settings {
    let time = &scene.time;
    Settings {
        integrator: match time.integrator {
            time::Integrator::Bdf2 => Integrator::Bdf2,
            time::Integrator::BackwardEuler => Integrator::BackwardEuler,
        },
        step: time.step,
        min_step: if time.adaptive { time.min_step } else { time.step },
        tolerance: scene.solver.tolerance,
        iterations: scene.solver.max_iterations as usize,
    }
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
        let scene = load(&self.scene, &self.set, more)?;
        let out = self.out.clone().unwrap_or_else(|| Path::new("out").join(&scene.name));
        let folder = Folder::new(&out);
        let (world, state) = build(&scene, &self.scene).map_err(|refusal| refused(&folder, refusal))?;
        let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
        if same(&folder.scene(), &self.scene) {
            let path = self.scene.display();
            return Err(Failure::input(format!(
                "{path}: lies in the run folder, which it would be replaced in; give another folder with --out"
            )));
        }
        folder.take()?;
        self.simulate(&scene, &world, state, (folder, stop, start))
    }

    fn simulate(
        &self,
        scene: &Scene,
        world: &World,
        mut state: State,
        (folder, stop, start): (Folder, &AtomicBool, Instant),
    ) -> Result<(), Failure> {
        let record = Record {
            version: env!("CARGO_PKG_VERSION").to_string(),
            command: std::env::args_os().map(|a| a.to_string_lossy().into_owned()).collect(),
            scene: std::path::absolute(&self.scene).unwrap_or_else(|_| self.scene.clone()).display().to_string(),
            status: Status::Running,
            reason: None,
            frames: scene.time.frames,
            done: 0,
            fps: scene.time.fps,
            objects: world.objects.iter().map(|o| entry(scene, world, o)).collect(),
            threads: par::threads(),
            wall: 0.0,
            view: view::bounds(scene, world, &state),
        };
        let mut frames = Frames::start(scene, world, folder, record)?;
        let progress = Progress::new(self.progress, scene.time.frames);
        let outcome = advance(scene, world, &mut state, &mut frames, &progress, stop, &start);
        progress.end();
        let reason = outcome.as_ref().err().map(Failure::reason);
        let status = match &outcome {
            Ok(_) => Status::Finished,
            Err(Failure::Stopped(_)) => Status::Stopped,
            Err(_) => Status::Failed,
        };
        let wall = start.elapsed().as_secs_f64();
        let closed = frames.finish(status, reason, wall);
        let stages = outcome?;
        closed?;
        close(&progress, &frames, &stages, wall, state.time);
        Ok(())
    }
}

/// A start that is refused, with what crosses left to look at.
fn refused(folder: &Folder, refusal: Refusal) -> Failure {
    let Refusal { mut faults, crossing } = refusal;
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

/// Steps from frame to frame: frame 1 is the state at time 0, frame `k` at `(k - 1) / fps`.
fn advance(
    scene: &Scene,
    world: &World,
    state: &mut State,
    frames: &mut Frames,
    progress: &Progress,
    stop: &AtomicBool,
    start: &Instant,
) -> Result<Stages, Failure> {
    let mut stepper = stepper(world, settings(scene), scene.solver.precision == Precision::F64);
    let mut total = Stages::default();
    let mut lags = false;
    for frame in 1..=scene.time.frames {
        let mut stats = FrameStats { frame, min_gap: f64::INFINITY, ..FrameStats::default() };
        if frame > 1 {
            step(scene, world, state, stepper.as_mut(), &mut stats, stop)?;
            if state.time < time_of(scene, frame) {
                return Err(stopped(scene, frames, frame - 1));
            }
        }
        stats.time = state.time;
        frames.write(world, state, &mut stats, start.elapsed().as_secs_f64())?;
        if stats.lag > 0.0 && !lags {
            progress
                .close(&format!("frame {frame}: pinched cloth holds back prescribed motion; see lag in stats.ndjson"));
        }
        lags = stats.lag > 0.0;
        total.add(&stats.seconds);
        progress.frame(&stats, state.step);
        if stop.load(Ordering::Relaxed) && frame < scene.time.frames {
            return Err(stopped(scene, frames, frame));
        }
    }
    Ok(total)
}

/// Time of a frame [s].
fn time_of(scene: &Scene, frame: u32) -> f64 {
    f64::from(frame - 1) / scene.time.fps
}

fn stopped(scene: &Scene, frames: &Frames, done: u32) -> Failure {
    Failure::Stopped(format!(
        "by a signal after frame {done} of {}; the frames so far are in {}; run again to start over",
        scene.time.frames,
        frames.folder().path().display()
    ))
}

/// Steps to a frame; a signal leaves it after the step in hand.
fn step(
    scene: &Scene,
    world: &World,
    state: &mut State,
    stepper: &mut dyn Advance,
    stats: &mut FrameStats,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let until = time_of(scene, stats.frame);
    let mut report = Report::default();
    while state.time < until && !stop.load(Ordering::Relaxed) {
        report.add(&stepper.step(world, state, until).map_err(|stuck| {
            Failure::Simulation(format!(
                "frame {} of {}, step {}, t={:.6} s: {}",
                stats.frame,
                scene.time.frames,
                state.step + 1,
                state.time,
                stuck.describe(world, state)
            ))
        })?);
    }
    stats.steps = report.steps;
    stats.repeats = report.repeats;
    stats.iterations = report.iterations;
    stats.contacts = report.contacts;
    stats.min_gap = report.min_gap;
    stats.corrected = report.corrected;
    stats.truncated = report.truncated;
    stats.lag = state.lag;
    let s = report.seconds;
    stats.seconds = Stages {
        broad: s.broad,
        narrow: s.narrow,
        air: s.air,
        assembly: s.assembly,
        solve: s.solve,
        check: s.check,
        ..Stages::default()
    };
    Ok(())
}

/// The table of wall time, and where the output is.
fn close(progress: &Progress, frames: &Frames, stages: &Stages, wall: f64, time: f64) {
    let named = stages.named();
    let other = (wall - named.iter().map(|(_, s)| s).sum::<f64>()).max(0.0);
    progress.close("stage       wall [s]   share");
    for (name, seconds) in named.into_iter().chain([("other", other), ("all", wall)]) {
        progress.close(&format!("{name:<10} {seconds:>9.2}  {:>5.1} %", 100.0 * seconds / wall.max(1e-9)));
    }
    let out = frames.folder().path().display();
    progress.close(&format!("{time:.3} s simulated in {}; see {out}", span(wall)));
}

/// A flag that the first SIGINT, SIGTERM or SIGUSR1 raises; a second one ends the process at once.
fn signals() -> Result<Arc<AtomicBool>, String> {
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
