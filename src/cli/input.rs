//! Scenes of commands: read with overrides, within a folder, and built.

use super::failure::Failure;
use super::warn;
use crate::mesh::within;
use crate::scene::build::{Built, Parts, Refusal};
use crate::scene::{self, Fault, Override, Scene};
use crate::sequence::{Continued, onward};
use crate::world::{State, World};
use std::path::Path;

/// Returns the overrides of `--set` and of other arguments.
///
/// # Errors
/// An argument of `--set` is no key and value.
pub(super) fn overrides(set: &[String], more: Vec<(&str, String)>) -> Result<Vec<Override>, Vec<Fault>> {
    let mut overrides = Vec::new();
    let mut faults = Vec::new();
    for argument in set {
        match Override::parse(argument) {
            Ok(one) => overrides.push(one),
            Err(fault) => faults.push(fault),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    overrides.extend(more.into_iter().map(|(path, value)| Override { path: path.to_string(), value }));
    Ok(overrides)
}

/// Refuses a scene with warnings.
///
/// # Errors
/// There were warnings.
pub(super) fn strict(warnings: usize) -> Result<(), Failure> {
    match warnings {
        0 => Ok(()),
        1 => Err(Failure::input("a warning, which --strict takes as a fault")),
        count => Err(Failure::input(format!("{count} warnings, which --strict takes as faults"))),
    }
}

/// Restricts reading the files of scenes to a folder, if one is given.
///
/// # Errors
/// The folder does not exist.
pub(super) fn bounded(folder: Option<&Path>) -> Result<(), Failure> {
    let Some(folder) = folder else { return Ok(()) };
    within::set(folder).map_err(|error| Failure::input(format!("--within {}: {error}", folder.display())))
}

/// Reads a scene with overrides. Prints its warnings.
///
/// # Errors
/// The scene has faults, or is a sweep.
pub(super) fn load(file: &Path, set: &[String], more: Vec<(&str, String)>) -> Result<Scene, Failure> {
    let read = overrides(set, more).and_then(|overrides| scene::read(file, &overrides));
    let scene = read.map_err(|faults| mistaken(file).unwrap_or_else(|| faults.into()))?;
    scene.warnings.iter().for_each(|w| warn(&format!("warning: {w}")));
    Ok(scene)
}

/// Returns the failure of a sweep that is given as a scene.
pub(super) fn mistaken(file: &Path) -> Option<Failure> {
    let read = within::check(file).ok().and_then(|()| std::fs::read_to_string(file).ok());
    let text = read.unwrap_or_default();
    let begins = |word: &str| text.lines().any(|line| line.trim_start().starts_with(word));
    (begins("scene =") && begins("[keys]"))
        .then(|| Failure::input(format!("{0}: is a sweep, not a scene; percale sweep {0} runs it", file.display())))
}

/// World and state with which a run begins.
pub(super) struct Ready {
    /// World of the objects as read.
    pub world: World,
    /// State of that world at time 0.
    pub state: State,
    /// Objects as read, if there are seams to join.
    pub parts: Option<Box<Parts>>,
    /// State of the run that the scene continues.
    pub continued: Option<Continued>,
    /// Warnings.
    pub warnings: Vec<Fault>,
}

impl Ready {
    /// Returns the world and state of the first frame.
    pub(super) fn first(&self) -> (&World, &State) {
        let Ready { world, state, continued, .. } = self;
        continued.as_ref().map_or((world, state), |from| (from.world.as_ref().unwrap_or(world), &from.state))
    }
}

/// Builds the world of a scene. Prints its warnings.
///
/// # Errors
/// The meshes or the start have faults, or the state that the scene continues does not fit.
pub(super) fn build(scene: &Scene, file: &Path) -> Result<Ready, Refusal> {
    let built = scene::build::build(scene, file);
    let warnings = built.as_ref().map_or_else(|refusal| &refusal.warnings, |built| &built.warnings);
    warnings.iter().for_each(|w| warn(&format!("warning: {w}")));
    let built = built?;
    match onward(scene, file, &built) {
        Ok(continued) => {
            let Built { world, state, parts, warnings, .. } = built;
            Ok(Ready { world, state, parts, continued, warnings })
        }
        Err(fault) => Err(Refusal { faults: vec![fault], warnings: built.warnings, ..Refusal::default() }),
    }
}
