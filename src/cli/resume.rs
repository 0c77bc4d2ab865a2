//! Where a run goes on: its newest whole checkpoint, and whether that fits the scene as it is now.

use super::failure::Failure;
use super::log::{Level, log};
use super::simulation::time_of;
use crate::scene::{self, Scene};
use crate::sequence::{Checkpoint, Folder, Stored, marks, read};
use crate::world::{State, World};

/// Most changed keys that are told one by one.
const TOLD: usize = 20;

/// The newest whole checkpoint of a run, at the frame `from` or before where that is given; `None` where the run has none and is to
/// begin at frame 1.
///
/// # Errors
/// There is none at `from` or before; or the disk refuses.
pub fn newest(folder: &Folder, from: Option<u32>) -> Result<Option<(Stored, Checkpoint)>, Failure> {
    let path = folder.path().display();
    let all = if folder.is_run() { folder.checkpoints()? } else { Vec::new() };
    if let Some(from) = from {
        let done = if folder.is_run() { folder.read_run()?.done } else { 0 };
        if from > done {
            return Err(Failure::input(format!("{path}: frame {from} is not there; {done} frames are")));
        }
    }
    // At a frame itself, not on the way to the next.
    let fits = |at: &&Stored| from.is_none_or(|from| at.frame <= from && at.step.is_none());
    for at in all.iter().rev().filter(fits) {
        match Checkpoint::parse(&read(&at.path)?) {
            Ok(checkpoint) => return Ok(Some((at.clone(), checkpoint))),
            Err(why) => log(Level::Warning, &format!("{}: {why}; an earlier one is looked for", at.path.display())),
        }
    }
    match from {
        Some(from) => Err(Failure::input(format!("{path}: no whole checkpoint at frame {from} or before"))),
        None => {
            log(Level::Info, &format!("no checkpoint in {path}; begins at frame 1"));
            Ok(None)
        }
    }
}

/// Tells what has changed since a checkpoint of a scene whose world and start are these.
///
/// # Errors
/// What has changed so that the run cannot go on.
pub fn compare(scene: &Scene, world: &World, start: &State, checkpoint: &Checkpoint) -> Result<(), Failure> {
    let tell = |what: &str| log(Level::Warning, &format!("changed since the checkpoint: {what}"));
    let changes: Vec<String> = scene::changes(&checkpoint.scene, &scene.text);
    let changes: Vec<&String> = changes.iter().filter(|change| !change.starts_with("time.frames:")).collect();
    changes.iter().take(TOLD).for_each(|change| tell(change));
    if changes.len() > TOLD {
        tell(&format!("and {} more keys", changes.len() - TOLD));
    }
    let version = env!("CARGO_PKG_VERSION");
    if checkpoint.version != version {
        tell(&format!("percale: {version}, was {}", checkpoint.version));
    }
    let now = marks(world);
    let names =
        |marks: &[crate::sequence::Mark]| marks.iter().map(|m| format!("'{}'", m.name)).collect::<Vec<_>>().join(", ");
    let start_over = "; it cannot go on from there, run without --resume";
    if now.iter().map(|m| &m.name).ne(checkpoint.objects.iter().map(|m| &m.name)) {
        let (now, then) = (names(&now), names(&checkpoint.objects));
        return Err(Failure::input(format!("the objects are {now}, at the checkpoint {then}{start_over}")));
    }
    for (now, then) in now.iter().zip(&checkpoint.objects) {
        if now.topology != then.topology {
            let name = &now.name;
            return Err(Failure::input(format!("'{name}' has another mesh than at the checkpoint{start_over}")));
        }
        if now.shape != then.shape {
            tell(&format!("the shape of '{}' at rest", now.name));
        }
    }
    let (state, frame) = (&checkpoint.state, checkpoint.frame);
    if !(time_of(scene, frame)..time_of(scene, frame + 1)).contains(&state.time) {
        return Err(Failure::input(format!("time.fps is another than at the checkpoint{start_over}")));
    }
    if !state.fits(world, start) {
        return Err(Failure::input(format!("pins, handles or air are others than at the checkpoint{start_over}")));
    }
    Ok(())
}
