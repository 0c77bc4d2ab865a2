//! Channels of water on cloths, at their vertices.

use super::WaterState;
use super::capillary::Cloth;
use super::cloths::Wet;
use crate::world::quantity::{Channel, SATURATION};
use crate::world::{Object, State, World};

/// Channels of water.
pub static CHANNELS: &[Channel] = &[
    Channel {
        word: SATURATION,
        sentence: "Water in the cloth as a part of what it takes up; of wet cloths, whose files always have it.",
        shown: "Water in the cloth as a part of what it takes up, of wet cloths; others are grey.",
        lacks: "there is no [[wet]]",
        values: |_, world, state, object| saturations(world, state, object),
        ..Channel::BLANK
    },
    Channel {
        word: "water",
        unit: "kg/m2",
        sentence: "Water in the cloth and on it per area at rest [kg/m2]; of wet cloths.",
        shown: "Water in the cloth and on it per area [kg/m2], of wet cloths; others are grey.",
        lacks: "there is no [[wet]]",
        values: |_, world, state, object| waters(world, state, object),
        ..Channel::BLANK
    },
    Channel {
        word: "bridge",
        unit: "m",
        sentence: "Height of the lowest liquid bridge at the vertex, 0 where there is none [m]; of wet cloths.",
        shown: "Height of the lowest liquid bridge [m], 0 where there is none, of wet cloths; others are grey.",
        lacks: "there is no [[wet]]",
        values: |_, world, state, object| heights(world, state, object),
        ..Channel::BLANK
    },
];

fn cloth<'a>(world: &'a World, object: &Object) -> Option<&'a Cloth> {
    world.effects.get::<Wet>()?.cloths.iter().find(|cloth| cloth.vertices == object.vertices)
}

/// Returns the saturation in file order. `None` for other objects than wet cloths.
pub fn saturations(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    let cloth = cloth(world, object)?;
    let water = &state.effects.get::<WaterState>()?.water;
    let own = |v: &u32| cloth.saturation(water, *v as usize - object.vertices.start);
    Some(object.place.iter().map(own).collect())
}

/// Returns the water per area at rest [kg/m^2], in file order. `None` for other objects than wet cloths.
pub fn waters(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    let cloth = cloth(world, object)?;
    let water = &state.effects.get::<WaterState>()?.water;
    let per_area = |v: &u32| {
        let area = cloth.areas[*v as usize - object.vertices.start];
        if area > 0.0 { water.at(*v as usize) / area } else { 0.0 }
    };
    Some(object.place.iter().map(per_area).collect())
}

/// Returns the height of the lowest bridge of each vertex [m], in file order; 0 without a bridge. `None` for other
/// objects than wet cloths.
pub fn heights(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    cloth(world, object)?;
    let bridges = &state.effects.get::<WaterState>()?.bridges;
    let lowest = |v: &u32| {
        let from = bridges.partition_point(|bridge| bridge.vertex < *v);
        let own = bridges[from..].iter().take_while(|bridge| bridge.vertex == *v);
        own.map(|bridge| bridge.height).reduce(f64::min).unwrap_or(0.0)
    };
    Some(object.place.iter().map(lowest).collect())
}
