//! Resuming a run: finds its newest complete checkpoint without damage before it, and checks that it fits the current
//! scene.

use super::failure::Failure;
use super::input::Ready;
use super::log::{Level, log};
use super::ownership::counts;
use crate::scene::{self, Scene};
use crate::sequence::{Checkpoint, Folder, Mark, Run as Record, Status, Stored, marks};
use crate::world::{State, World};

/// Most changed keys or damaged files that are reported one by one.
const MOST_LISTED: usize = 20;

/// A run to resume.
pub(super) struct Resume<'a> {
    /// Run folder.
    pub folder: &'a Folder,
    /// Record of the run so far.
    pub record: Option<&'a Record>,
    /// Record of the run to come.
    pub now: &'a Record,
    /// Scene.
    pub scene: &'a Scene,
    /// World and state at the start.
    pub ready: &'a Ready,
    /// Frame at or before which the run is resumed.
    pub from: Option<u32>,
    /// Whether to begin anew if the scene has changed.
    pub restart: bool,
}

/// Way in which the run continues.
pub(super) enum Plan {
    /// Begin at the first frame.
    Begin,
    /// Do nothing, since all frames are there.
    Done,
    /// Continue from a checkpoint, with the changes since.
    GoOn(Box<(Stored, Checkpoint, Vec<String>)>),
}

impl Resume<'_> {
    /// Decides how the run continues. Reports changes and damage.
    ///
    /// There is no checkpoint at `from` or before. Or a change prevents resuming, or was made after the run had
    /// finished. Or the disk refuses.
    pub(super) fn plan(&self) -> Result<Plan, Failure> {
        let path = self.folder.path().display();
        let all = self.folder.checkpoints()?;
        self.reaches(&all)?;
        // `from` requires a checkpoint at a frame, not between frames.
        let fits = |at: &Stored| self.from.is_none_or(|from| at.frame <= from && at.step.is_none());
        let Some(newest) = whole(&all, fits) else { return self.none("no whole checkpoint") };
        let damage = self.folder.damage(self.record.unwrap_or(self.now), newest.1.frame);
        for damaged in damage.iter().take(MOST_LISTED) {
            log(Level::Warning, &damaged.to_string());
        }
        if damage.len() > MOST_LISTED {
            log(Level::Warning, &format!("and {} more files", damage.len() - MOST_LISTED));
        }
        let found = match damage.first() {
            None => Some(newest),
            Some(first) => whole(&all, |at| fits(at) && at.frame < first.frame),
        };
        let Some((stored, mut checkpoint)) = found else {
            return self.none("no whole checkpoint before what is missing or damaged");
        };
        let changes = match self.compare(&stored, &mut checkpoint) {
            Err(failure) if self.restart => {
                log(Level::Info, &failure.reason());
                return Ok(Plan::Begin);
            }
            other => other?,
        };
        let hard: Vec<&String> = changes.iter().filter(|change| !soft(change)).collect();
        if self.restart && !hard.is_empty() {
            tell(&changes);
            log(Level::Info, &format!("the scene has changed; begins at frame {}", self.scene.time.start_frame));
            return Ok(Plan::Begin);
        }
        let (frame, frames, last) = (checkpoint.frame, self.scene.time.frames, self.scene.time.last_frame());
        let finished = self.record.is_some_and(|record| record.status == Status::Finished);
        if frame >= last && finished && self.from.is_none() {
            if !hard.is_empty() {
                let reported: Vec<&str> = hard.iter().take(MOST_LISTED).map(|change| change.as_str()).collect();
                let more = if hard.len() > MOST_LISTED {
                    format!("; and {} more", hard.len() - MOST_LISTED)
                } else {
                    String::new()
                };
                return Err(Failure::input(format!(
                    "{path}: is finished, but not with the scene as it is now: {}{more}; run without --resume to simulate it again, or with --from to change it after a frame",
                    reported.join("; ")
                )));
            }
            tell(&changes);
            log(Level::Info, &format!("all {frames} frames are in {path}"));
            self.folder.clear()?;
            return Ok(Plan::Done);
        }
        tell(&changes);
        if frame > last {
            let path = stored.path.display();
            return Err(Failure::input(format!("{path}: is beyond frame {last}; --from goes back")));
        }
        Ok(Plan::GoOn(Box::new((stored, checkpoint, changes))))
    }

    /// Checks that the frame `from` is there.
    fn reaches(&self, all: &[Stored]) -> Result<(), Failure> {
        let path = self.folder.path().display();
        if let Some(from) = self.from {
            let last = all.last().map(|at| at.frame);
            let lacks = match self.record {
                Some(record) => record.lacks(from),
                None if last >= Some(from) => String::new(),
                None => last.map_or("none is".to_string(), |last| format!("the last is {last}")),
            };
            if !lacks.is_empty() {
                return Err(Failure::input(format!("{path}: frame {from} is not there; {lacks}")));
            }
        }
        Ok(())
    }

    /// Plans a new start for want of a checkpoint. Fails if `from` requires one.
    fn none(&self, why: &str) -> Result<Plan, Failure> {
        let path = self.folder.path().display();
        match self.from {
            Some(from) => Err(Failure::input(format!("{path}: no whole checkpoint at frame {from} or before"))),
            None => {
                let why = if self.record.is_none() { "no checkpoint" } else { why };
                log(Level::Info, &format!("{why} in {path}; begins at frame {}", self.scene.time.start_frame));
                Ok(Plan::Begin)
            }
        }
    }

    /// Compares a checkpoint with the current scene and returns the changes. Effects take over their sections of its
    /// state.
    ///
    /// # Errors
    /// Says which change prevents resuming.
    fn compare(&self, stored: &Stored, checkpoint: &mut Checkpoint) -> Result<Vec<String>, Failure> {
        let Resume { scene, ready, .. } = self;
        let Ready { world, state: start, parts, continued, .. } = ready;
        let mut changes: Vec<String> = scene::changes(&checkpoint.scene, &scene.text);
        changes.retain(|change| counts(change));
        let version = env!("CARGO_PKG_VERSION");
        if checkpoint.version != version {
            changes.push(format!("percale: {version}, was {}", checkpoint.version));
        }
        let now = marks(world);
        let names = |marks: &[Mark]| marks.iter().map(|m| format!("'{}'", m.name)).collect::<Vec<_>>().join(", ");
        let refuse = |why: String| {
            tell(&changes);
            let (path, asked) = (stored.path.display(), if self.from.is_some() { "--from" } else { "--resume" });
            Failure::input(format!("{path}: {why}; it cannot go on from there, run without {asked}"))
        };
        if now.iter().map(|m| &m.name).ne(checkpoint.objects.iter().map(|m| &m.name)) {
            let (now, then) = (names(&now), names(&checkpoint.objects));
            return Err(refuse(format!("the objects are {now}, at the checkpoint {then}")));
        }
        if continued.as_ref().map(|from| from.mark) != checkpoint.continued {
            let why =
                "scene.continue gives another state than the run began with: that run was made again, or is another";
            return Err(refuse(why.to_string()));
        }
        let shapes = shapes(&now, &checkpoint.objects, world).map_err(refuse)?;
        let first = scene.time.start_frame;
        let moved = match self.record {
            Some(record) => record.first != first,
            None => changes.iter().any(|change| change.starts_with("time.start_frame:")),
        };
        if moved {
            return Err(refuse(format!("time.start_frame is {first}, another than at the checkpoint")));
        }
        if let Some(record) = self.record.filter(|record| record.origin != world.origin) {
            let [now, then] = [world.origin, record.origin].map(|o| format!("[{}, {}, {}]", o.x, o.y, o.z));
            return Err(refuse(format!("the scene is solved about {now} m, at the checkpoint about {then} m")));
        }
        if let Err(why) = checkpoint.state.effects.settle(&start.effects) {
            return Err(refuse(why));
        }
        let (state, frame) = (&checkpoint.state, checkpoint.frame);
        if let Some(key) = displaced(scene, &changes, frame, state.time) {
            return Err(refuse(format!("{key} is another than at the checkpoint")));
        }
        self.once(state, frame).map_err(refuse)?;
        let joined = parts.as_ref().and_then(|parts| parts.fitting(scene, state));
        let (world, start) = joined.as_ref().map_or((world, start), |(world, start)| (world, start));
        let misfits = state.misfits(world, start);
        if !misfits.is_empty() {
            return Err(refuse(format!("of the checkpoint {}", misfits.join("; "))));
        }
        changes.extend(shapes);
        Ok(changes)
    }
}

impl Resume<'_> {
    /// Checks that the same objects appear or vanish as at the checkpoint, and that none would appear a second time.
    ///
    /// # Errors
    /// Says which object fails the check, and why.
    fn once(&self, state: &State, frame: u32) -> Result<(), String> {
        let entries = self.record.map_or(&[][..], |record| &record.objects);
        for (k, (before, now)) in entries.iter().zip(&self.now.objects).enumerate() {
            let name = &now.name;
            let Some(frames) = &before.frames else {
                if now.frames.is_some() {
                    return Err(format!("'{name}' appears or vanishes, at the checkpoint it did not"));
                }
                continue;
            };
            if now.frames.is_none() {
                return Err(format!("'{name}' is always there, at the checkpoint it was not"));
            }
            let (window, time) = (self.ready.world.window(k), state.now());
            let was_there = frames.start <= frame && frames.start < frames.end;
            let goes_on = frames.end > frame && window.from <= time;
            if was_there && !goes_on && window.until > time {
                return Err(format!("'{name}' was there and would appear a second time"));
            }
        }
        Ok(())
    }
}

/// Returns the key that moved the frames in time, if the time of the state is not within its frame.
fn displaced(scene: &Scene, changes: &[String], frame: u32, time: f64) -> Option<&'static str> {
    let changed = |key: &&str| changes.iter().any(|change| change.starts_with(&format!("{key}:")));
    let within = (scene.time.run(frame)..scene.time.run(frame + 1)).contains(&time);
    (!within).then(|| ["time.fps", "time.preroll", "time.scale"].into_iter().find(changed).unwrap_or("time.fps"))
}

/// Returns the changes of shapes at rest and of motions.
///
/// # Errors
/// Says which object has another mesh.
fn shapes(now: &[Mark], then: &[Mark], world: &World) -> Result<Vec<String>, String> {
    let mut shapes = Vec::new();
    for (now, then) in now.iter().zip(then) {
        let name = &now.name;
        if now.topology != then.topology {
            return Err(format!("'{name}' has another mesh than at the checkpoint"));
        }
        if now.shape != then.shape {
            shapes.push(format!("the shape of '{name}' at rest"));
        }
        if then.moves_otherwise(world) {
            shapes.push(format!("the motion of '{name}'"));
        }
    }
    Ok(shapes)
}

/// Returns whether a change leaves finished frames valid: a change of pictures, which can be drawn again, of
/// checkpoints, or of the program.
pub(super) fn soft(change: &str) -> bool {
    ["preview.", "output.checkpoint:", "output.keep_checkpoints:", "percale:"]
        .iter()
        .any(|start| change.starts_with(start))
}

fn tell(changes: &[String]) {
    let tell = |what: &str| log(Level::Warning, &format!("changed since the checkpoint: {what}"));
    changes.iter().take(MOST_LISTED).for_each(|change| tell(change));
    if changes.len() > MOST_LISTED {
        tell(&format!("and {} more keys", changes.len() - MOST_LISTED));
    }
}

/// Returns the newest checkpoint that fits and is complete. Reports the damaged ones passed over.
fn whole(all: &[Stored], fits: impl Fn(&Stored) -> bool) -> Option<(Stored, Checkpoint)> {
    all.iter().rev().filter(|at| fits(at)).find_map(|at| match Checkpoint::read(&at.path) {
        Ok(checkpoint) => Some((at.clone(), checkpoint)),
        Err(why) => {
            log(Level::Warning, &format!("{}: {why}; an earlier one is looked for", at.path.display()));
            None
        }
    })
}
