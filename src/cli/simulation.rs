//! Simulation from frame to frame: steps, frames, checkpoints, signals.

use super::failure::Failure;
use super::frames::Frames;
use super::log::Level;
use super::progress::{Progress, span};
use super::progress_line::ProgressLine;
use super::stretch::Stretched;
use crate::effect::airflow;
use crate::mesh::number_text::rounded;
use crate::scene::build::Parts;
use crate::scene::{Scene, build};
use crate::sequence::{Checkpoint, FrameStats, Mark};
use crate::stepper::{Advance, Report, steps};
use crate::world::quantity::{Stages, largest_strain};
use crate::world::step_error::StepError;
use crate::world::{State, World};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Unconverged solves per step of a frame above which a warning is given.
const UNSOLVED: f64 = 0.1;
/// Airflow without an outlet above which a warning is given [m^3/s]. Larger than rounding errors.
const DRAINED: f64 = 1e-9;

/// A simulation with its inputs and outputs.
pub(super) struct Simulation<'a> {
    /// Scene.
    pub scene: &'a Scene,
    /// World of the scene.
    pub world: World,
    /// Objects as read, if there are seams to join.
    pub parts: Option<Box<Parts>>,
    /// Marks of the objects.
    pub marks: Vec<Mark>,
    /// Checksum of the state that the run continues.
    pub continued: Option<u32>,
    /// Writer of frames.
    pub frames: Frames<'a>,
    /// Progress messages.
    pub progress: Progress,
    /// Flag raised by a signal.
    pub stop: &'a AtomicBool,
    /// Start time of this process.
    pub start: Instant,
    /// Wall time of earlier processes of the run [s].
    pub before: f64,
}

impl Simulation<'_> {
    /// Returns the wall time so far [s].
    pub(super) fn wall(&self) -> f64 {
        self.before + self.start.elapsed().as_secs_f64()
    }

    /// Advances from frame `next` to the last. `partial` has the counters of the steps already made towards `next`.
    ///
    /// # Errors
    /// A step cannot be made, the disk refuses, or a signal stopped the run after the current step.
    pub(super) fn advance(
        &mut self,
        state: &mut State,
        next: u32,
        mut partial: Option<FrameStats>,
    ) -> Result<Stages, Failure> {
        let scene = self.scene;
        let (first, last) = (scene.time.start_frame, scene.time.last_frame());
        let mut stepper = build::stepper(scene, &self.world);
        let mut total = Stages::default();
        let mut reported = Default::default();
        let mut stretched = Stretched::default();
        for frame in next..=last {
            let mut stats = partial.take().unwrap_or_else(|| FrameStats::new(frame));
            if frame > first || scene.time.preroll > 0 {
                let report = self.step(state, &mut stepper, &mut stats)?;
                for reported in stretched.look(&self.world, state, frame, &report) {
                    self.progress.log(Level::Warning, &reported);
                    self.frames.warn(reported);
                }
                if state.time < scene.time.run(frame) {
                    let between = stats.steps > 0;
                    return Err(self.stopped(state, frame - 1, between.then_some(stats)));
                }
            }
            if let Some(lost) = self.world.lost() {
                return Err(Failure::Lost(vec![lost]));
            }
            stats.time = self.world.shot.shot(state.time);
            self.world.tally(state, &mut stats.tallies);
            let wall = self.wall();
            self.frames.recorder().frame(&self.world, state, stepper.forces());
            self.frames.write(&self.world, state, &mut stats, wall)?;
            self.renew(state, &mut stepper);
            self.tell(state, &stats, &mut reported);
            total.add(&stats.seconds);
            self.progress.frame(&stats, state.step);
            if self.stop.load(Ordering::Relaxed) && frame < last {
                return Err(self.stopped(state, frame, None));
            }
            let every = scene.output.checkpoint;
            if frame == last || every > 0 && (frame - first + 1).is_multiple_of(every) {
                self.keep(state, frame, None)?;
            }
        }
        Ok(total)
    }

    /// Renews the world at the end of a frame, where seams have closed or rest shapes change.
    fn renew(&mut self, state: &mut State, stepper: &mut Box<dyn Advance>) {
        let Some((world, after)) = self.parts.as_ref().and_then(|parts| parts.renew(self.scene, &self.world, state))
        else {
            return;
        };
        (self.world, *state) = (world, after);
        *stepper = build::stepper(self.scene, &self.world);
    }

    /// Writes a checkpoint after frame `frame`.
    fn keep(&mut self, state: &State, frame: u32, partial: Option<FrameStats>) -> Result<(), Failure> {
        let checkpoint = Checkpoint {
            version: env!("CARGO_PKG_VERSION").to_string(),
            frame,
            partial,
            wall: self.wall(),
            scene: self.scene.text.clone(),
            objects: self.marks.clone(),
            continued: self.continued,
            state: state.clone(),
        };
        self.frames.keep(&checkpoint)
    }

    /// Returns the failure of a stop by a signal, after writing a checkpoint.
    fn stopped(&mut self, state: &State, done: u32, partial: Option<FrameStats>) -> Failure {
        match self.keep(state, done, partial) {
            Ok(()) => Failure::Stopped(format!(
                "by a signal {} of {}, t={:.6} s; the frames so far are in {}; run again with --resume to go on",
                if done < self.scene.time.start_frame {
                    "in the preroll".to_string()
                } else {
                    format!("after frame {done}")
                },
                self.scene.time.last_frame(),
                self.world.shot.shot(state.time),
                self.frames.folder().path().display()
            )),
            Err(failure) => failure,
        }
    }

    /// Warns of conditions that begin at a frame, once for as long as they last. The record gets the first warning of
    /// each. `told` says for each condition whether it lasts, and whether the record has it.
    fn tell(&mut self, state: &State, stats: &FrameStats, reported: &mut [[bool; 2]; 5]) {
        let FrameStats { frame, steps, unconverged, .. } = *stats;
        let released = state.released.map(|object| self.world.name(object).to_string());
        let all = [
            (stats.lag > 0.0, "pinched cloth holds back prescribed motion; see lag in stats.ndjson".to_string()),
            (
                stats.yielding > 0,
                format!(
                    "pinned vertices or surfaces give way in a pinch, {} vertices and up to {} mm so far; see yielding and off_path in \
                     stats.ndjson",
                    stats.yielding,
                    rounded(1e3 * stats.off_path)
                ),
            ),
            (
                released.is_some(),
                format!(
                    "cloth is pinched and goes through '{}' (contact.pinch = \"release\")",
                    released.as_deref().unwrap_or_default()
                ),
            ),
            (
                unconverged as f64 > UNSOLVED * steps as f64,
                format!(
                    "{unconverged} solves in {steps} steps ended at solver.max_iterations, before the tolerance; see unconverged in \
                     stats.ndjson"
                ),
            ),
            (
                stats.tallies.get(&airflow::DRAINED) > DRAINED,
                format!(
                    "{} m3/s of air are blown or pushed to where there is no way out, and vanish evenly there; see flow_drained in \
                     stats.ndjson",
                    rounded(stats.tallies.get(&airflow::DRAINED))
                ),
            ),
        ];
        for ((is, what), [goes_on, kept]) in all.into_iter().zip(reported) {
            let text = format!("frame {frame}: {what}");
            if is && !*goes_on {
                self.progress.log(Level::Warning, &text);
            }
            if is && !*kept {
                self.frames.warn(text);
            }
            (*goes_on, *kept) = (is, *kept || is);
        }
    }

    /// Steps to a frame. Before the first frame it makes the whole preroll. A signal ends it after the current step.
    fn step(
        &mut self,
        state: &mut State,
        stepper: &mut Box<dyn Advance>,
        stats: &mut FrameStats,
    ) -> Result<Report, Failure> {
        let time = &self.scene.time;
        let mut all = Report::default();
        if stats.frame == time.start_frame {
            for k in (1..time.preroll).filter(|k| state.time < time.run_after(*k)).collect::<Vec<_>>() {
                all.add(&self.step_until(state, stepper, stats, time.run_after(k))?);
                if state.time < time.run_after(k) {
                    return Ok(all);
                }
                self.renew(state, stepper);
                self.progress.preroll(k, time.preroll);
                let every = self.scene.output.checkpoint;
                if every > 0 && k.is_multiple_of(every) {
                    // A shot with a preroll begins at frame 1 or later.
                    self.keep(state, time.start_frame - 1, Some(stats.clone()))?;
                }
            }
        }
        all.add(&self.step_until(state, stepper, stats, time.run(stats.frame))?);
        Ok(all)
    }

    /// Steps to a time of the run. Rest shapes change on the way.
    fn step_until(
        &mut self,
        state: &mut State,
        stepper: &mut Box<dyn Advance>,
        stats: &mut FrameStats,
        until: f64,
    ) -> Result<Report, Failure> {
        let (begin, mut all) = (Instant::now(), Report::default());
        loop {
            let next = |parts: &Parts| parts.next_change(self.scene, state.time, until);
            let to = self.parts.as_deref().map_or(until, next);
            all.add(&self.step_part(state, stepper.as_mut(), stats, to, begin)?);
            if state.time < to || to >= until {
                return Ok(all);
            }
            if let Some((world, after)) = self.parts.as_ref().and_then(|p| p.reshape(self.scene, &self.world, state)) {
                (self.world, *state) = (world, after);
                *stepper = build::stepper(self.scene, &self.world);
            }
        }
    }

    /// Steps to a time of the run, for a frame that began at `begin`.
    fn step_part(
        &mut self,
        state: &mut State,
        stepper: &mut dyn Advance,
        stats: &mut FrameStats,
        until: f64,
        begin: Instant,
    ) -> Result<Report, Failure> {
        let limit = self.scene.time.frame_limit.unwrap_or(f64::INFINITY);
        let mut over = false;
        let mut progress_line = ProgressLine::new();
        // A signal before the first step prevents that step.
        let to = if self.stop.load(Ordering::Relaxed) { state.time } else { until };
        let world = &self.world;
        let made = steps(stepper, world, state, to, |stepper, state, step| {
            if self.scene.time.preroll == 0 || state.time > self.scene.time.run_after(self.scene.time.preroll) {
                self.frames.recorder().step(world, state, stepper.forces());
            }
            if let Some(line) = progress_line.beat(step, stepper, state, until) {
                self.progress
                    .log(Level::Info, &format!("frame {} of {}: {line}", stats.frame, self.scene.time.last_frame()));
            }
            over = begin.elapsed().as_secs_f64() > limit;
            !over && !self.stop.load(Ordering::Relaxed)
        });
        let report = made.or_else(|stuck| self.stuck(state, stats, &stuck))?;
        stats.count(&report, &self.world, state);
        if over && state.time < until {
            let failure = self.over(state, stepper, &report, stats);
            self.keep(state, stats.frame - 1, Some(stats.clone()))?;
            return Err(failure);
        }
        Ok(report)
    }

    /// Returns the failure of a step that cannot be made. Writes the crossing triangles, if any.
    fn stuck(&self, state: &State, stats: &FrameStats, stuck: &StepError) -> Result<Report, Failure> {
        let mut reported = format!(
            "frame {} of {}, step {}, t={:.6} s: {}",
            stats.frame,
            self.scene.time.last_frame(),
            state.step + 1,
            self.world.shot.shot(state.time),
            stuck.describe(&self.world, state)
        );
        if let StepError::Entered { shown, .. } = stuck
            && !shown.is_empty()
        {
            let path = self.frames.folder().write_crossing(shown)?;
            reported += &format!("; the triangles are in {}", path.display());
        }
        Err(Failure::Simulation(reported))
    }

    /// Returns the failure of a frame that exceeds its time limit.
    fn over(&self, state: &State, stepper: &dyn Advance, report: &Report, stats: &FrameStats) -> Failure {
        let settings = stepper.settings();
        let stretch = largest_strain(&self.world, &state.x);
        let mut why = vec![
            format!("{} of {} steps were repeated shorter", report.repeats, report.steps),
            format!("{} contacts", report.contacts),
            format!("{} vertices were corrected", report.corrected),
            format!("the largest strain is {} %", rounded(100.0 * stretch)),
        ];
        if state.lag > 0.0 {
            why.push(format!("prescribed motion waits for pinched cloth, {} s behind", rounded(state.lag)));
        }
        Failure::Simulation(format!(
            "frame {} of {} has taken more than time.frame_limit, {}: step {} of it, t={:.6} s, steps of {} ms of at most {} ms; {}; \
             a checkpoint is written, run again with --resume and a larger time.frame_limit to go on",
            stats.frame,
            self.scene.time.last_frame(),
            span(self.scene.time.frame_limit.unwrap_or_default()),
            stats.steps,
            self.world.shot.shot(state.time),
            rounded(1e3 * state.last),
            rounded(1e3 * settings.step),
            why.join(", ")
        ))
    }

    /// Prints the table of wall time, and the place of the output.
    pub(super) fn close(&self, stages: &Stages, time: f64) {
        let wall = self.start.elapsed().as_secs_f64();
        let other = (wall - stages.total()).max(0.0);
        let named = Stages::NUMBERS.iter().map(|stage| (stage.word, (stage.get)(stages)));
        let tell = |text: &str| self.progress.log(Level::Info, text);
        tell("stage       wall [s]   share");
        for (name, seconds) in named.chain([("other", other), ("all", wall)]) {
            tell(&format!("{name:<10} {seconds:>9.2}  {:>5.1} %", 100.0 * seconds / wall.max(1e-9)));
        }
        let out = self.frames.folder().path().display();
        tell(&format!("{time:.3} s simulated in {}; see {out}", span(wall)));
    }
}
