//! Runs that begin with a frame of another run: `scene.continue`.
//!
//! Positions, velocities, their history, and the memories of laws, effects and friction are those of the checkpoint.
//! Time, pins, handles and probes begin anew.

use super::checkpoint::{Checkpoint, Mark, marks};
use super::folder::Folder;
use crate::linalg::Vec3;
use crate::mesh::number_text::rounded;
use crate::mesh::within;
use crate::scene::build::{self, Built};
use crate::scene::onward::Onward;
use crate::scene::{Fault, Scene};
use crate::world::driven::Driven;
use crate::world::{State, World, snapshot};
use std::path::Path;

/// Largest distance of an obstacle from its place in the other run [m].
const AWAY: f64 = 1e-5;

/// State with which a run begins that continues another one.
#[derive(Debug)]
pub struct Continued {
    /// Checksum of the state in the checkpoint of the other run.
    pub mark: u32,
    /// World in which seams are joined and rest shapes have changed, if any are in that state.
    pub world: Option<World>,
    /// State, at time 0.
    pub state: State,
}

/// Returns the state of the run that a scene continues; `None` if it continues none. `file` is the scene file.
///
/// # Errors
/// The checkpoint cannot be read, or its state does not fit the world.
pub fn onward(scene: &Scene, file: &Path, built: &Built) -> Result<Option<Continued>, Fault> {
    let Some(from) = &scene.onward else { return Ok(None) };
    let fault = |why: String| build::fault(scene, file, "scene.continue", within::hushed(&why).into_owned());
    taken(from, scene, built).map(Some).map_err(fault)
}

/// Reads the state of the other run.
fn taken(from: &Onward, scene: &Scene, built: &Built) -> Result<Continued, String> {
    let Built { world, state: start, parts, .. } = built;
    let path = from.checkpoint.display();
    let Checkpoint { objects, state: mut then, .. } =
        Checkpoint::read(&from.checkpoint).map_err(|why| format!("{path}: {why}; give another frame"))?;
    let mark = crc32fast::hash(&snapshot::write(&then));
    same_objects(&marks(world), &objects)?;
    let record = Folder::new(&from.run).read_run().map_err(|error| error.to_string())?;
    if record.origin != world.origin {
        let [now, then] = [world.origin, record.origin].map(|o| format!("[{}, {}, {}]", o.x, o.y, o.z));
        return Err(format!("this scene is solved about {now} m, that run about {then} m; bring them to one place"));
    }
    then.effects.settle(&start.effects)?;
    then.time = 0.0;
    let joined = parts.as_ref().and_then(|parts| parts.fitting(scene, &then));
    let (world, start) = joined.as_ref().map_or((world, start), |(world, start)| (world, start));
    let state = State {
        lag: 0.0,
        held: 0.0,
        step: 0,
        anchors: start.anchors.clone(),
        slack: Vec::new(),
        driven: Driven::default(),
        work: start.work.clone(),
        ..then
    };
    let misfits = state.misfits(world, start);
    if !misfits.is_empty() {
        return Err(format!("of {path} {}; give what that run had", misfits.join("; ")));
    }
    in_place(from, world, &state)?;
    Ok(Continued { mark, world: joined.map(|(world, _)| world), state })
}

/// Checks that the objects are those of the other run.
fn same_objects(now: &[Mark], then: &[Mark]) -> Result<(), String> {
    let names = |marks: &[Mark]| marks.iter().map(|m| format!("'{}'", m.name)).collect::<Vec<_>>().join(", ");
    if now.iter().map(|m| &m.name).ne(then.iter().map(|m| &m.name)) {
        let (now, then) = (names(now), names(then));
        return Err(format!("the objects are {now}, those of that run {then}; give the same ones in the same order"));
    }
    match now.iter().zip(then).find(|(now, then)| now.topology != then.topology) {
        Some((now, _)) => Err(format!("'{}' has another mesh than in that run; give the same one", now.name)),
        None => Ok(()),
    }
}

/// Checks that obstacles begin where they are in the other run, but for vertices that gave way there.
fn in_place(from: &Onward, world: &World, state: &State) -> Result<(), String> {
    let mut x = state.x.clone();
    world.place_obstacles(0.0, &mut x);
    for obstacle in world.obstacles.iter().filter(|obstacle| obstacle.window.open(0.0)) {
        let dented = |v: &usize| state.dents.binary_search_by_key(&(*v as u32), |dent| dent.vertex).is_ok();
        let vertices = world.objects[obstacle.object].vertices.clone().filter(|v| !dented(v));
        let away = |v: usize| -> Vec3 { x[v] - state.x[v] };
        let most = vertices.map(|v| away(v).norm()).fold(0.0, f64::max);
        if most > AWAY {
            return Err(format!(
                "'{}' begins up to {} mm from where it is at frame {} of that run; give it a motion that begins there",
                world.name(obstacle.object),
                rounded(1e3 * most),
                from.frame
            ));
        }
    }
    Ok(())
}
