//! Volume and pressure of balloons and air layers.

use super::stats::{self, FrameStats};
use crate::effect::air::AirLayers;
use crate::effect::air::balloon::Balloon;
use crate::world::quantity::{Energies, largest_strain};
use crate::world::{State, World};

impl FrameStats {
    /// Sets the largest strain, the energies, and the air of balloons and layers.
    pub fn measure(&mut self, world: &World, state: &State) {
        self.max_strain = largest_strain(world, &state.x);
        self.energies = Energies::new(|energy| (energy.joules)(energy, world, state));
        self.airs = airs(world, state);
    }
}

/// Returns volume and pressure of each balloon and air layer.
pub fn airs(world: &World, state: &State) -> Vec<stats::Air> {
    let Some((airs, memory)) = AirLayers::of(world, state) else { return Vec::new() };
    let name = |k: usize| world.objects.get(k).map(|o| o.name.clone()).unwrap_or_default();
    // Balloons of a cloth with more than one are numbered from 1.
    let label = |k: usize, cloth: usize| {
        let of = |balloons: &[Balloon]| balloons.iter().filter(|other| other.cloth == cloth).count();
        let number = of(airs.balloons.get(..=k).unwrap_or_default());
        if of(&airs.balloons) > 1 { format!("{} {number}", name(cloth)) } else { name(cloth) }
    };
    let balloons = airs.balloons.iter().zip(&memory.balloons).enumerate().map(|(k, (balloon, inside))| stats::Air {
        cloth: label(k, balloon.cloth),
        volume: balloon.volume(|v| state.x[v]),
        pressure: inside.excess,
        bounds: [inside.excess; 2],
    });
    let layers = airs.layers.iter().zip(&memory.layers).map(|(layer, air)| {
        let areas = &layer.layer.areas;
        let inside = || (0..areas.len()).filter(|v| areas[*v] > 0.0);
        let area: f64 = inside().map(|v| areas[v]).sum();
        let start = [f64::INFINITY, f64::NEG_INFINITY];
        let bounds = inside().fold(start, |[l, h], v| [l.min(air.excess[v]), h.max(air.excess[v])]);
        stats::Air {
            cloth: name(layer.objects[0]),
            volume: inside().map(|v| air.energy[v] / (layer.gas.pressure + air.excess[v])).sum(),
            pressure: inside().map(|v| areas[v] * air.excess[v]).sum::<f64>() / area,
            bounds,
        }
    });
    balloons.chain(layers).collect()
}
