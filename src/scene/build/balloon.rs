//! `[[balloon]]` as a world takes it.

use super::faults::Faults;
use crate::mesh::topology::Topology;
use crate::scene::Scene;
use crate::scene::cloth::Cloth;
use crate::world::build::ClothInput;
use crate::world::quantity::{Channel, Has, Of};
use crate::world::{self, balloon::BalloonInput};
use std::slice::Iter;

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
        let (x, triangles) = (&cloth.mesh.positions, cloth.mesh.joined_triangles());
        let topology = Topology::new(x.len(), &triangles);
        let all = topology.edges.len();
        let borders = || topology.edges.iter().zip(&topology.edge_valence).filter(|(_, n)| **n == 1).map(|(e, _)| e);
        let place = |v: u32| {
            let p = x.get(v as usize).copied().unwrap_or_default();
            format!("({:.4}, {:.4}, {:.4}) m", p.x, p.y, p.z)
        };
        if let Some([a, _]) = borders().next() {
            let count = borders().count();
            let shells = world::balloon::shells(&triangles);
            let open = shells.iter().position(|shell| shell.iter().any(|t| triangles[*t].contains(a)));
            let which = match open {
                Some(k) if shells.len() > 1 => format!(", the first in shell {} of {}", k + 1, shells.len()),
                _ => ", the first".to_string(),
            };
            let near = place(*a);
            let message = format!("'{name}' is not closed: {count} of its {all} edges are border{which} near {near}");
            faults.fault(&key, message);
            continue;
        }
        let at = |v: u32| x.get(v as usize).copied().unwrap_or_default();
        if let Err(nested) = world::balloon::rooms(&triangles, at) {
            let [inner, outer] = nested.map(|shell| shell.first().map_or(String::new(), |t| place(triangles[*t][0])));
            let message = format!(
                "of the shells of '{name}' that near {inner} lies inside that near {outer}, which makes no room for air of its own; \
                 turn its faces round where it is a wall around a hollow, or make it another cloth"
            );
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
    let inner = || scene.cloths.iter().map(Cloth::inner);
    let of_any = |k: usize| inner().any(|i| i.along_warp()[k]);
    let any = Has {
        air: !scene.airs.is_empty(),
        balloon: !scene.balloons.is_empty(),
        friction: [0, 1].map(of_any),
        wet: !scene.wets.is_empty(),
    };
    let elsewhere = inner().any(|i| i.stretches() || i.bends());
    let mut warn = |key: &str, mut fields: Iter<&Channel>| {
        if let Some(field) = fields.find(|field| !field.of.has(any)) {
            let lacks = match field.of {
                Of::Friction(_) if elsewhere => {
                    "it shows what is along warp, where no material has internal friction of that"
                }
                Of::Friction(_) => "no material has internal friction of that",
                Of::Wet => "there is no [[wet]]",
                Of::AirAndBalloons => "there is no [[air_layer]] and no [[balloon]]",
                Of::Air | Of::Every => "there is no [[air_layer]]",
            };
            faults.warn(key, format!("no cloth has \"{}\": {lacks}", field.word));
        }
    };
    warn("output.fields", scene.output.fields.iter());
    warn("preview.field", scene.preview.field.as_slice().iter());
}
