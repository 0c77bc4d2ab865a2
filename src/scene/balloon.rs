//! `[[balloon]]`: closed cloths with air inside.

use super::Scene;
use super::build::faults::Faults;
use super::glue::Named;
use super::keys::{Keys, Kind, section};
use super::kinds::{quantity, real};
use super::permeability::{self, Given, Permeability};
use super::unit::Unit;
use crate::effect::air::balloon::{BalloonInput, rooms, shells};
use crate::effect::air::equation::Gas;
use crate::effect::air::gas::Supply;
use crate::effect::permeability::PermeabilityLaw;
use crate::mesh::topology::Topology;
use crate::world::build::ClothInput;

section! {
    /// A closed cloth with air inside, which at the start has the pressure of the atmosphere: it is squeezed, and
    /// pushes back. With a pressure or a volume it is inflated.
    pub struct Balloon {
        /// Name of the cloth; it has no border.
        pub cloth: String = Named(&["cloth"]).required(),
        /// Inflate it to this pressure above that of the atmosphere and hold it, whatever the volume.
        pub pressure: Option<f64> = quantity(Unit::Pressure, 0.0..=1e7).optional(),
        /// Let air in so that the volume grows to so many times that at the start, in `duration`, then shut the valve:
        /// later loads change its pressure.
        pub volume: Option<f64> = real(1.0..=1e4).optional(),
        /// Time in which the pressure or the volume is reached, from the start on.
        pub duration: f64 = quantity(Unit::Time, 1e-3..=1e4).or(1.0),
        /// How easily air goes through the cloth: its speed under the test pressure, 0 where it is sealed; or a
        /// permeability of the library, which `percale materials` lists; or two measurements, `[{ speed, pressure }, {
        /// speed, pressure }]`.
        pub permeability: Given = Permeability.or(Given::Speed(0.0)),
        /// Pressure across the cloth at which the speed was measured.
        pub test_pressure: f64 = permeability::pressure().or(200.0),
        /// Pressure of the atmosphere.
        pub atmosphere: f64 = quantity(Unit::Pressure, 1.0..=1e7).or(Gas::default().pressure),
    }
    check one_supply;
}

fn one_supply(balloon: Balloon, keys: &mut Keys) -> Option<Balloon> {
    if balloon.pressure.is_some() && balloon.volume.is_some() {
        keys.fault("volume", "goes without a pressure; give one of both");
        return None;
    }
    if balloon.pressure.is_none() && balloon.volume.is_none() && keys.find("duration").is_some() {
        keys.fault("duration", "goes with a pressure or a volume; leave it out");
        return None;
    }
    balloon.permeability.pressure_once(keys).then_some(balloon)
}

impl Balloon {
    /// Returns the permeability of the cloth.
    pub fn through(&self) -> PermeabilityLaw {
        self.permeability.through(self.test_pressure)
    }

    /// Returns the supply of air. A balloon that is `inflated` at the start keeps its pressure, or has a shut valve.
    pub fn supply(&self, inflated: bool) -> Supply {
        let duration = if inflated { f64::MIN_POSITIVE } else { self.duration };
        match (self.pressure, self.volume) {
            (Some(excess), _) => Supply::Held { excess, duration },
            (None, Some(_)) if inflated => Supply::None,
            (None, Some(times)) => Supply::Filled { times, duration },
            (None, None) => Supply::None,
        }
    }
}

/// Returns the balloons of a scene. `cloths` has the cloths that could be read.
pub(super) fn balloons(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Vec<BalloonInput> {
    let mut balloons: Vec<BalloonInput> = Vec::with_capacity(scene.balloons.len());
    for (k, balloon) in scene.balloons.iter().enumerate() {
        // Faults of cloths that could not be read are already recorded.
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
            let shells = shells(&triangles);
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
        if let Err(nested) = rooms(&triangles, at) {
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
            supply: balloon.supply(scene.onward.is_some()),
        });
    }
    balloons
}
