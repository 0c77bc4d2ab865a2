//! `[[air_layer]]` as a world takes it.

use super::faults::Faults;
use super::select;
use crate::field::air::{Gas, Method};
use crate::mesh::topology::Topology;
use crate::scene::Scene;
use crate::scene::air::{AirForce, AirSolver, Border};
use crate::world::air::{AirInput, Along, Vent};
use crate::world::build::ClothInput;
use crate::world::window::Window;

/// All layers of air of a scene, of cloths that were read.
pub fn layers(scene: &Scene, cloths: &[ClothInput], faults: &mut Faults) -> Vec<AirInput> {
    let mut layers: Vec<AirInput> = Vec::with_capacity(scene.airs.len());
    for (k, air) in scene.airs.iter().enumerate() {
        // What could not be read has been told.
        let Some(cloth) = cloths.iter().find(|c| c.name == air.cloth) else { continue };
        let between = |l: &AirInput| {
            let [above, below] = &l.names;
            (*above == air.cloth && *below == air.body) || (*above == air.body && *below == air.cloth)
        };
        if layers.iter().any(between) {
            let message = format!("there is a layer of air between '{}' and '{}' already", air.cloth, air.body);
            faults.fault(&format!("air_layer[{k}].body"), message);
            continue;
        }
        let below = scene.obstacles.iter().find(|o| o.name == air.body);
        if below.is_some_and(|obstacle| obstacle.window() != Window::ALWAYS) {
            let message = format!("'{}' appears or vanishes; a layer of air lies over what is always there", air.body);
            faults.fault(&format!("air_layer[{k}].body"), message);
            continue;
        }
        let topology = Topology::new(cloth.mesh.positions.len(), &cloth.mesh.joined_triangles());
        let all = 0..cloth.mesh.positions.len() as u32;
        let open = all.filter(|v| air.border == Border::Open && topology.boundary[*v as usize]).collect();
        let through = air.through();
        let mut vents = Vec::with_capacity(air.vents.len());
        for (i, vent) in air.vents.iter().enumerate() {
            match select::vertices(&vent.selector, &cloth.mesh.positions, &cloth.mesh.groups) {
                Ok(vertices) => {
                    let permeance = vent.speed / 200.0;
                    vents.push(Vent {
                        vertices,
                        pressure: vent.pressure,
                        period: vent.period.unwrap_or(0.0),
                        permeance,
                    });
                }
                Err((below, message)) => faults.fault(&format!("air_layer[{k}].vent[{i}].{below}"), message),
            }
        }
        layers.push(AirInput {
            names: [air.cloth.clone(), air.body.clone()],
            gas: Gas { pressure: air.atmosphere, speed: air.speed, least: air.least_gap, ..Gas::default() },
            method: match air.solver {
                AirSolver::Symmetric => Method::Symmetric,
                AirSolver::Seed => Method::Seed,
                AirSolver::SeedVerbatim => Method::SeedVerbatim,
            },
            along: match air.force {
                AirForce::Gap => Along::Gap,
                AirForce::Normal => Along::Normal,
            },
            permeance: through.permeance,
            inertia: through.inertia,
            blockage: air.blockage.unwrap_or(f64::INFINITY),
            open,
            vents,
        });
    }
    layers
}
