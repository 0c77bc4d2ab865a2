//! Builds a world from a scene. Reads, checks and places meshes, selects vertices, adds laws, effects and motions, and
//! checks the initial state.

mod around;
mod body;
mod border;
mod cloth;
pub(super) mod faults;
mod files;
mod fold;
mod friction;
mod beat;
mod glue;
mod hold;
mod ignore;
mod obstacle;
mod odd;
mod parts;
mod pattern;
pub(super) mod plug;
mod probe;
mod recorded;
mod rubs;
mod sane;
pub(super) mod select;
mod start;
mod stepper;
mod threads;

use super::fault::meant;
use super::{Fault, Scene, settings};
use crate::linalg::Vec3;
use crate::mesh::seam::Seam;
use crate::world::build::{BodyInput, ClothInput, Input, ObstacleInput};
use crate::world::keyed::Keyed;
use crate::world::quantity::Channel;
use crate::world::{self, ContactSettings, Kind, Pinch, State, World};
pub(super) use faults::Faults;
pub use parts::Parts;
use parts::Plugs;
use std::path::Path;
pub use stepper::stepper;

/// Seams of a cloth that is given as a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Sewn {
    /// Name of the cloth.
    pub cloth: String,
    /// Seams. Vertices are those of the cloth in file order, which `place` of its object takes to the world's.
    pub seams: Vec<Seam>,
}

/// World and its initial state.
#[derive(Clone, Debug)]
pub struct Built {
    /// Constants of the run.
    pub world: World,
    /// State at time 0.
    pub state: State,
    /// Seams of the cloths that have any.
    pub seams: Vec<Sewn>,
    /// Objects as read, if there are seams to join or rest shapes that change.
    pub parts: Option<Box<Parts>>,
    /// Warnings about input that is allowed but probably unintended.
    pub warnings: Vec<Fault>,
}

/// Errors of a scene that cannot be simulated.
#[derive(Clone, Debug, Default)]
pub struct Refusal {
    /// All errors.
    pub faults: Vec<Fault>,
    /// Warnings about input that is allowed but probably unintended. They may explain the errors.
    pub warnings: Vec<Fault>,
    /// Triangles that intersect at the start, as PLY. Empty if there are only other errors.
    pub crossing: Vec<u8>,
}

/// Reads and places all objects of a scene.
fn inputs(scene: &Scene, file: &Path, faults: &mut Faults) -> (Vec<ClothInput>, Vec<BodyInput>, Vec<ObstacleInput>) {
    // Panels of patterns are placed around obstacles. Their faults are told after those of cloths and bodies.
    let mut later = Faults::new(scene, file);
    let mut obstacles = Vec::with_capacity(scene.obstacles.len());
    for (k, obstacle) in scene.obstacles.iter().enumerate() {
        obstacles.extend(obstacle::input(scene, obstacle, &format!("obstacle[{k}]"), &mut later));
    }
    let mut cloths = Vec::with_capacity(scene.cloths.len());
    for (k, cloth) in scene.cloths.iter().enumerate() {
        cloths.extend(cloth::input(scene, &obstacles, cloth, &format!("cloth[{k}]"), faults));
    }
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    for (k, body) in scene.bodies.iter().enumerate() {
        bodies.extend(body::input(scene, body, &format!("body[{k}]"), faults));
    }
    faults.extend(later);
    (cloths, bodies, obstacles)
}

/// Builds the world and the initial state of a scene. `file` is the path of the scene, for the places of diagnostics.
///
/// # Errors
/// Fails with the errors of all objects at once. These are unreadable files, meshes that cannot be simulated,
/// selections without vertices, and sequences with different vertex counts. Intersections at the start are reported
/// only if there are no such errors.
pub fn build(scene: &Scene, file: &Path) -> Result<Built, Refusal> {
    let mut faults = Faults::new(scene, file);
    let (cloths, bodies, obstacles) = inputs(scene, file, &mut faults);
    let pinch = pinch(scene, &mut faults);
    let frictions = friction::pairs(scene, &obstacles, &mut faults);
    let glues = glue::glues(scene, &cloths, &bodies, &mut faults);
    let apart = ignore::apart(scene, (&cloths, &bodies, &obstacles), &mut faults);
    let plugs = Plugs::of(scene, &cloths, &mut faults);
    let read = probe::Read { cloths: &cloths, bodies: &bodies, obstacles: &obstacles };
    let selected = probe::selected(scene, &read, &mut faults);
    if !faults.any() {
        sane::tell(scene, (&cloths, &bodies, &obstacles), &mut faults);
        odd::tell(scene, (&cloths, &bodies, &obstacles), &mut faults);
        rubs::tell(scene, &cloths, &mut faults);
    }
    if faults.any() {
        let (faults, warnings) = faults.finish();
        return Err(Refusal { faults, warnings, ..Refusal::default() });
    }
    let sewn = cloths.iter().filter(|cloth| !cloth.seams.is_empty());
    let seams: Vec<Sewn> = sewn.map(|cloth| Sewn { cloth: cloth.name.clone(), seams: cloth.seams.clone() }).collect();
    let contact = ContactSettings {
        enabled: scene.contact.enabled,
        vertex_test: scene.contact.epsilon.filter(|_| scene.contact.enabled),
        distance: scene.largest_distance(),
        stiffness: scene.contact.stiffness,
        pinch,
        ease: scene.contact.ease,
    };
    let mut input = Input {
        gravity: scene.gravity,
        wind: wind(scene),
        contact,
        cloths,
        bodies,
        obstacles,
        frictions,
        glues,
        apart,
        shaped: 0.0,
    };
    input.retime(&scene.time.shot());
    let origin = input.origin();
    if origin != Vec3::zeros() {
        input.about(&origin);
        sane::tell_of_origin(scene, &origin, &mut faults);
    }
    sane::tell_of_reach(scene, &input, &mut faults);
    let parts = Parts { file: file.to_path_buf(), input, origin, selected };
    let changes = parts.input.cloths.iter().any(ClothInput::ever_changes);
    let kept = (changes || !seams.is_empty()).then(|| Box::new(parts.clone()));
    // A scene that continues a run does not begin with the places of its meshes.
    let (world, state, crossing) =
        parts.assemble(scene, plugs, &mut faults, |world, state, faults| match scene.onward {
            None => start::begin(scene.contact.start, world, state, faults),
            Some(_) => Vec::new(),
        });
    warn_of_fields(scene, &world, &state, &mut faults);
    match faults.finish() {
        (found, warnings) if found.is_empty() => Ok(Built { world, state, seams, parts: kept, warnings }),
        (faults, warnings) => Err(Refusal { faults, warnings, crossing }),
    }
}

/// Returns a fault of a key that is found after the world is built.
pub fn fault(scene: &Scene, file: &Path, key: &str, message: String) -> Fault {
    let mut faults = Faults::new(scene, file);
    faults.at_key(key, message)
}

/// Looks at positions that are given during a run as at a start. Returns warnings.
///
/// # Errors
/// Surfaces cross or touch; `state` is not to be used then.
pub fn look(scene: &Scene, file: &Path, world: &World, state: &mut State) -> Result<Vec<Fault>, Vec<Fault>> {
    let mut faults = Faults::new(scene, file);
    start::settle(scene.contact.start, world, state, &mut faults);
    match faults.finish() {
        (found, warnings) if found.is_empty() => Ok(warnings),
        (found, _) => Err(found),
    }
}

/// Warns about requested channels that no cloth has.
fn warn_of_fields(scene: &Scene, world: &World, state: &State, faults: &mut Faults) {
    let cloths = || world.objects.iter().filter(|object| object.kind == Kind::Cloth);
    let has = |field: &Channel| cloths().any(|cloth| (field.values)(field, world, state, cloth).is_some());
    let mut warn = |key: &str, fields: &[&Channel]| {
        if let Some(field) = fields.iter().find(|field| !field.lacks.is_empty() && !has(field)) {
            faults.warn(key, format!("no cloth has \"{}\": {}", field.word, field.lacks));
        }
    };
    warn("output.fields", &scene.output.fields);
    warn("preview.field", scene.preview.field.as_slice());
}

/// Returns the response to a pinch.
fn pinch(scene: &Scene, faults: &mut Faults) -> Pinch {
    match (scene.contact.pinch, &scene.contact.release) {
        (settings::Pinch::Halt, _) => Pinch::Halt,
        (settings::Pinch::Release, Some(name)) => {
            let names = scene.obstacles.iter().map(|o| o.name.as_str());
            match names.clone().position(|other| other == name) {
                Some(k) => Pinch::Release(scene.cloths.len() + scene.bodies.len() + k),
                None => {
                    let meant = meant(name, names);
                    faults.fault("contact.release", format!("no obstacle is named '{name}'{meant}"));
                    Pinch::Halt
                }
            }
        }
        (settings::Pinch::Lag, _) => Pinch::Lag,
        _ => Pinch::Yield,
    }
}

fn wind(scene: &Scene) -> world::wind::Wind {
    world::wind::Wind {
        velocity: scene.wind.velocity,
        gust: scene.wind.gust,
        period: scene.wind.gust_period,
        seed: scene.wind.seed,
        window: [scene.wind.from, scene.wind.until],
        factor: Keyed::default(),
    }
}

impl Scene {
    /// Returns the activation distance of each cloth, body and obstacle [m].
    fn distances(&self) -> impl Iterator<Item = f64> {
        let cloths = self.cloths.iter().map(|cloth| cloth.contact_distance);
        let bodies = self.bodies.iter().map(|body| body.contact_distance);
        let all = cloths.chain(bodies).chain(self.obstacles.iter().map(|obstacle| obstacle.contact_distance));
        all.map(|own| own.unwrap_or(self.contact.distance))
    }

    /// Returns the largest activation distance [m].
    pub(super) fn largest_distance(&self) -> f64 {
        self.distances().fold(0.0, f64::max)
    }

    /// Returns the unit vector that points up.
    pub fn upwards(&self) -> Vec3 {
        match self.up {
            super::Up::Y => Vec3::y(),
            super::Up::Z => Vec3::z(),
        }
    }
}
