//! From a scene to the inputs of a world: meshes read, checked and placed, vertices selected, laws and motions handed on.

mod cloth;
mod faults;
mod files;
mod obstacle;
mod select;

use super::{Fault, Scene};
use crate::linalg::Vec3;
use crate::world::build::Input;
use crate::world::{self, ContactSettings};
use faults::Faults;
use std::path::Path;

/// A scene as a world takes it.
#[derive(Clone, Debug)]
pub struct Built {
    /// What the world is built from.
    pub input: Input,
    /// What is allowed but probably not meant.
    pub warnings: Vec<Fault>,
}

/// Reads the meshes of a scene and selects its vertices; `file` is where the scene was read from, for the places of faults.
///
/// # Errors
/// Every fault of every object at once: files that cannot be read, meshes that cannot be simulated, groups and places
/// without vertices, sequences of different vertex counts.
pub fn build(scene: &Scene, file: &Path) -> Result<Built, Vec<Fault>> {
    let mut faults = Faults::new(scene, file);
    let mut cloths = Vec::with_capacity(scene.cloths.len());
    for (k, cloth) in scene.cloths.iter().enumerate() {
        cloths.extend(cloth::input(scene, cloth, &format!("cloth[{k}]"), &mut faults));
    }
    let mut obstacles = Vec::with_capacity(scene.obstacles.len());
    for (k, obstacle) in scene.obstacles.iter().enumerate() {
        obstacles.extend(obstacle::input(scene, obstacle, &format!("obstacle[{k}]"), &mut faults));
    }
    let (found, warnings) = faults.finish();
    if !found.is_empty() {
        return Err(found);
    }
    let wind = world::wind::Wind {
        velocity: scene.wind.velocity,
        gust: scene.wind.gust,
        period: scene.wind.gust_period,
        seed: scene.wind.seed,
    };
    let contact = ContactSettings {
        enabled: scene.contact.enabled,
        distance: scene.contact.distance,
        stiffness: scene.contact.stiffness,
    };
    Ok(Built { input: Input { gravity: scene.gravity, wind, contact, cloths, obstacles }, warnings })
}

impl Scene {
    /// Unit vector upwards.
    pub fn upwards(&self) -> Vec3 {
        match self.up {
            super::Up::Y => Vec3::y(),
            super::Up::Z => Vec3::z(),
        }
    }
}
