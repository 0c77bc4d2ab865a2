//! `percale check`: reports all faults of a scene at once.

use super::failure::Failure;
use super::input::{Ready, bounded, build, mistaken, overrides, strict};
use super::meet;
use super::{say, warn};
use crate::force::solid::Tetrahedron;
use crate::mesh::tet::Quality;
use crate::mesh::{TetMesh, within};
use crate::scene::json::Json;
use crate::scene::{Fault, Place, Scene, read};
use crate::world::{Object, World};
use clap::Args;
use std::path::PathBuf;

/// Tetrahedra of a body.
struct Solid {
    count: usize,
    quality: Quality,
    /// Smallest and largest dihedral angle [deg].
    angles: [f64; 2],
}

/// Measures the tetrahedra of a body. Returns `None` for other objects.
fn solid(world: &World, object: &Object) -> Option<Solid> {
    let inside = |t: &&Tetrahedron| object.vertices.contains(&(t.vertices[0] as usize));
    let tets: Vec<[u32; 4]> = world.elements.tetrahedra.iter().filter(inside).map(|t| t.vertices).collect();
    let mesh = TetMesh { positions: world.rest.clone(), tets, ..TetMesh::default() };
    Some(Solid { count: mesh.tets.len(), quality: mesh.quality()?, angles: mesh.dihedral_angles()? })
}

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Check {
    /// Scene file
    scene: PathBuf,
    /// Override a key: table.key=value, such as time.step="0.5 ms" or cloth[0].material=denim
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Take warnings as faults
    #[arg(long)]
    strict: bool,
    /// Read no file outside of this folder, whatever the scene names
    #[arg(long, value_name = "DIR", env = within::VARIABLE)]
    within: Option<PathBuf>,
    /// Print faults, warnings, frames and objects as JSON on standard output; standard error has the faults too
    #[arg(long)]
    json: bool,
}

/// Results of a check.
#[derive(Default)]
struct Found {
    faults: Vec<Fault>,
    warnings: Vec<Fault>,
    scene: Option<Scene>,
    world: Option<World>,
    notes: Vec<String>,
}

impl Check {
    /// Reads scene and meshes as a run would, then reports the objects.
    ///
    /// # Errors
    /// The scene has faults, or warnings that count as such.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let mut found = Found::default();
        let outcome = self.look(&mut found);
        if self.json {
            say(&self.json(&found, outcome.as_ref().err()).to_string());
        } else if outcome.is_ok()
            && let (Some(scene), Some(world)) = (&found.scene, &found.world)
        {
            self.tell(scene, world, &found.notes);
        }
        outcome
    }

    fn look(&self, found: &mut Found) -> Result<(), Failure> {
        bounded(self.within.as_deref())?;
        let read = overrides(&self.set, Vec::new()).and_then(|overrides| read(&self.scene, &overrides));
        let scene = read.map_err(|faults| {
            mistaken(&self.scene).unwrap_or_else(|| {
                found.faults.clone_from(&faults);
                faults.into()
            })
        })?;
        scene.warnings.iter().for_each(|w| warn(&format!("warning: {w}")));
        found.warnings.clone_from(&scene.warnings);
        let built = build(&scene, &self.scene);
        found.warnings.extend(built.as_ref().map_or_else(|refusal| &refusal.warnings, |ready| &ready.warnings).clone());
        found.scene = Some(scene);
        let Ready { world, state, .. } = built.map_err(|refusal| {
            found.faults.clone_from(&refusal.faults);
            refusal.faults
        })?;
        if let Some(scene) = &found.scene {
            found.notes = meet::notes(scene, &world, &state);
        }
        found.world = Some(world);
        if self.strict { strict(found.warnings.len()) } else { Ok(()) }
    }

    fn tell(&self, scene: &Scene, world: &World, notes: &[String]) {
        for object in &world.objects {
            let kind = object.kind.name();
            let (v, t) = (object.place.len(), object.triangles.len());
            let solid = solid(world, object).map_or(String::new(), |s| {
                let [sharp, blunt] = s.angles;
                format!(
                    ", {} tetrahedra (quality {:.2} at least, {:.2} in the mean; dihedral angles {sharp:.0} to {blunt:.0} \
                     degrees)",
                    s.count, s.quality.smallest, s.quality.mean
                )
            });
            say(&format!("{kind} '{}': {v} vertices, {t} triangles{solid}", object.name));
        }
        notes.iter().for_each(|note| say(&format!("note: {note}")));
        let time = &scene.time;
        let frames = match time.start_frame {
            1 => format!("{} frames", time.frames),
            first => format!("frames {first} to {}", time.last_frame()),
        };
        say(&format!("{}: no faults; {frames} at {} Hz", self.scene.display(), time.fps));
    }

    fn json(&self, found: &Found, failure: Option<&Failure>) -> Json {
        let Found { faults, warnings, scene, world, notes } = found;
        let all = |list: &[Fault]| Json::List(list.iter().map(of_fault).collect());
        let mut json = Json::map([
            ("scene", Json::text(self.scene.display().to_string())),
            ("code", Json::Number(f64::from(failure.map_or(0, Failure::code)))),
            ("faults", all(faults)),
            ("warnings", all(warnings)),
            ("notes", Json::List(notes.iter().map(Json::text).collect())),
        ]);
        // Other failures have no place in the scene.
        if let Some(failure) = failure.filter(|_| faults.is_empty()) {
            json = json.with("reason", Json::text(failure.reason()));
        }
        if let Some(scene) = scene {
            let time = &scene.time;
            let files = scene.files.iter().map(|file| Json::text(file.display().to_string())).collect();
            json = json
                .with("name", Json::text(&*scene.name))
                .with("start_frame", Json::Number(f64::from(time.start_frame)))
                .with("frames", Json::Number(f64::from(time.frames)))
                .with("preroll", Json::Number(f64::from(time.preroll)))
                .with("fps", Json::Number(time.fps))
                .with("files", Json::List(files));
        }
        match world {
            Some(world) => {
                json.with("objects", Json::List(world.objects.iter().map(|o| of_object(world, o)).collect()))
            }
            None => json,
        }
    }
}

/// Returns a fault as JSON: its place, key and message, and the line that is printed.
fn of_fault(fault: &Fault) -> Json {
    let whole = |n: usize| Json::Number(n as f64);
    let json = match &fault.place {
        Place::File { file, line, column } => {
            Json::map([("file", Json::text(file)), ("line", whole(*line)), ("column", whole(*column))])
        }
        Place::Argument(argument) => Json::map([("argument", Json::text(argument))]),
        Place::Value => Json::map([]),
    };
    json.with("key", Json::text(&*fault.key))
        .with("message", Json::text(&*fault.message))
        .with("text", Json::text(fault.to_string()))
}

/// Returns an object as JSON: its name, kind and counts.
fn of_object(world: &World, object: &Object) -> Json {
    let whole = |n: usize| Json::Number(n as f64);
    let json = Json::map([
        ("name", Json::text(&*object.name)),
        ("kind", Json::text(object.kind.name())),
        ("vertices", whole(object.place.len())),
        ("triangles", whole(object.triangles.len())),
    ]);
    match solid(world, object) {
        Some(solid) => json.with("tetrahedra", whole(solid.count)),
        None => json,
    }
}
