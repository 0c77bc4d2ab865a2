//! `[[tether]]`: elastic cords from a cloth to a fixed point.

use super::Scene;
use super::build::faults::Faults;
use super::build::plug::Later;
use super::build::select;
use super::glue::Named;
use super::keys::{Kind, exactly_one, section};
use super::kinds::{quantity, real, vector};
use super::place::Selector;
use super::unit::Unit;
use crate::force::tether::{Cord, Tethers};
use crate::linalg::Vec3;
use crate::world::build::ClothInput;
use std::collections::BTreeSet;
use std::sync::Arc;

section! {
    /// Elastic cords from vertices of a cloth to a fixed point. They pull where they are stretched and never push.
    pub struct Tether {
        /// Name of the cloth.
        pub cloth: String = Named(&["cloth"]).required(),
        /// Vertices of the cloth: a cord each.
        pub selector: Selector = exactly_one(),
        /// Where the cords are fixed.
        pub point: Vec3 = vector(Unit::Length, 1e6).required(),
        /// Force per stretch of a cord.
        pub stiffness: f64 = quantity(Unit::Stiffness, 1e-6..=1e9).required(),
        /// Length at which a cord begins to pull; as long as it is at the start if absent.
        pub length: Option<f64> = quantity(Unit::Length, 1e-6..=1e4).optional(),
        /// Part of its longest stretch by which a cord stays longer, 0 to 1.
        pub set: f64 = real(0.0..=1.0).or(0.0),
    }
}

/// Returns the builder of the scene's tethers, or `None` if it has none. The builder needs a world with its cloths.
pub fn law(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Option<Later> {
    let mut all = Vec::new();
    for (k, tether) in scene.tethers.iter().enumerate() {
        // Faults of cloths that could not be read are already recorded.
        let Some(cloth) = cloths.iter().find(|c| c.name == tether.cloth) else { continue };
        match select::vertices(&tether.selector, &cloth.mesh.positions, &cloth.mesh.groups) {
            Ok(vertices) => all.push((tether.clone(), vertices)),
            Err((below, message)) => faults.fault(&format!("tether[{k}].{below}"), message),
        }
    }
    if all.is_empty() {
        return None;
    }
    Some(Box::new(move |world| {
        let mut cords = Vec::new();
        for (tether, vertices) in all {
            let Some(cloth) = world.objects.iter().find(|o| o.name == tether.cloth) else { continue };
            let point = tether.point - world.origin;
            // Vertices that are joined share a cord.
            let places: BTreeSet<u32> = vertices.iter().map(|v| cloth.place[*v as usize]).collect();
            cords.extend(places.into_iter().map(|vertex| Cord {
                vertex,
                point,
                length: tether.length.unwrap_or((world.rest[vertex as usize] - point).norm()).max(1e-6),
                stiffness: tether.stiffness,
                set: tether.set,
            }));
        }
        Arc::new(Tethers(cords))
    }))
}
