//! `[[balloon]]` as a world takes it.

use super::faults::Faults;
use crate::mesh::topology::Topology;
use crate::scene::Scene;
use crate::scene::keys::Choice;
use crate::scene::preview::Colouring;
use crate::scene::settings::Channel;
use crate::world::balloon::BalloonInput;
use crate::world::build::ClothInput;

/// All balloons of a scene, of cloths that were read.
pub fn balloons(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Vec<BalloonInput> {
    warn_of_fields(scene, faults);
    let mut balloons: Vec<BalloonInput> = Vec::with_capacity(scene.balloons.len());
    for (k, balloon) in scene.balloons.iter().enumerate() {
        // What could not be read has been told.
        let Some(cloth) = cloths.iter().find(|c| c.name == balloon.cloth) else { continue };
        let (key, name) = (format!("balloon[{k}].cloth"), &balloon.cloth);
        if balloons.iter().any(|other| other.cloth == *name) {
            faults.fault(&key, format!("'{name}' is a balloon already"));
            continue;
        }
        if scene.airs.iter().any(|air| air.cloth == *name) {
            faults.fault(&key, format!("'{name}' has a layer of air below it; a balloon has its air inside"));
            continue;
        }
        let topology = Topology::new(cloth.mesh.positions.len(), &cloth.mesh.triangles);
        let count = |wanted: fn(u32) -> bool| topology.edge_valence.iter().filter(|n| wanted(**n)).count();
        let (border, all) = (count(|n| n == 1), topology.edges.len());
        if border > 0 {
            let message = format!("'{name}' is not closed: {border} of its {all} edges are border");
            faults.fault(&key, message);
            continue;
        }
        balloons.push(BalloonInput {
            cloth: name.clone(),
            atmosphere: balloon.atmosphere,
            through: balloon.through(),
            supply: balloon.supply(),
        });
    }
    balloons
}

/// Warns of what no cloth will have.
fn warn_of_fields(scene: &Scene, faults: &mut Faults) {
    let (layers, balloons) = (!scene.airs.is_empty(), !scene.balloons.is_empty());
    let of_air = |field: &&Channel| match field {
        Channel::Pressure => !layers && !balloons,
        Channel::AirMass => !layers,
        _ => false,
    };
    let told = |word: &str| match word {
        "pressure" => format!("no cloth has \"{word}\": there is no [[air_layer]] and no [[balloon]]"),
        _ => format!("no cloth has \"{word}\": there is no [[air_layer]]"),
    };
    if let Some(field) = scene.output.fields.iter().find(of_air) {
        faults.warn("output.fields", told(field.word()));
    }
    let drawn = match scene.preview.field {
        Colouring::Pressure => Channel::Pressure,
        Colouring::AirMass => Channel::AirMass,
        _ => return,
    };
    if of_air(&&drawn) {
        faults.warn("preview.field", told(drawn.word()));
    }
}
