//! Water of cloths at their vertices.

use crate::field::water::Cloth;
use crate::world::{Object, State, World};

fn cloth<'a>(world: &'a World, object: &Object) -> Option<&'a Cloth> {
    world.wet.as_ref()?.cloths.iter().find(|cloth| cloth.vertices == object.vertices)
}

/// Water in the cloth as a part of what it takes up, in file order; `None` where it takes up none.
pub fn saturations(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    let cloth = cloth(world, object)?;
    let own = |v: &u32| cloth.saturation(&state.water, *v as usize - object.vertices.start);
    Some(object.place.iter().map(own).collect())
}

/// Water per area at rest [kg/m^2], in file order; `None` where the cloth takes up none.
pub fn waters(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    let cloth = cloth(world, object)?;
    let per_area = |v: &u32| {
        let area = cloth.areas[*v as usize - object.vertices.start];
        if area > 0.0 { state.water.at(*v as usize) / area } else { 0.0 }
    };
    Some(object.place.iter().map(per_area).collect())
}

/// Height of the lowest bridge of each vertex, 0 where there is none [m], in file order; `None` where the cloth takes up no water.
pub fn heights(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    cloth(world, object)?;
    let lowest = |v: &u32| {
        let from = state.bridges.partition_point(|bridge| bridge.vertex < *v);
        let own = state.bridges[from..].iter().take_while(|bridge| bridge.vertex == *v);
        own.map(|bridge| bridge.height).reduce(f64::min).unwrap_or(0.0)
    };
    Some(object.place.iter().map(lowest).collect())
}
