//! Channels of the air below or inside a cloth, at its vertices.

use super::equation::Air;
use super::layer::AirLayer;
use super::{AirLayers, AirState};
use crate::world::quantity::Channel;
use crate::world::{Object, State, World};

/// Channels of the air.
pub static CHANNELS: &[Channel] = &[
    Channel {
        word: "pressure",
        unit: "Pa",
        sentence: "Pressure of the air below above that of the atmosphere [Pa]; of cloths over a layer of air and of balloons.",
        shown: "Pressure of the air below above that of the atmosphere [Pa], of cloths over air and of balloons: blue where lower; \
            others are grey.",
        diverging: true,
        lacks: "there is no [[air_layer]] and no [[balloon]]",
        values: |_, world, state, object| pressures(world, state, object),
        ..Channel::BLANK
    },
    Channel {
        word: "air_mass",
        label: Some("air"),
        unit: "kg/m2",
        sentence: "Mass of the air below per area of the cloth at rest [kg/m2]; of cloths over a layer of air.",
        shown: "Mass of the air below per area [kg/m2], of cloths over air; others are grey.",
        lacks: "there is no [[air_layer]]",
        values: |_, world, state, object| air_masses(world, state, object),
        ..Channel::BLANK
    },
];

/// Returns a number for each vertex of an object, in file order, summed over its layers. `None` without an air layer.
fn below(
    world: &World,
    state: &State,
    object: &Object,
    value: impl Fn(&AirLayer, &Air, usize) -> f64,
) -> Option<Vec<f64>> {
    let first = object.vertices.start;
    let is_of = |layer: &AirLayer| world.objects.get(layer.objects[0]).is_some_and(|cloth| cloth.name == object.name);
    let mut all: Option<Vec<f64>> = None;
    let (airs, memory) = AirLayers::of(world, state)?;
    for (layer, air) in airs.layers.iter().zip(&memory.layers).filter(|(layer, _)| is_of(layer)) {
        let own = object.place.iter().map(|v| value(layer, air, *v as usize - first));
        all = Some(match all {
            None => own.collect(),
            Some(sums) => sums.into_iter().zip(own).map(|(sum, own)| sum + own).collect(),
        });
    }
    all
}

/// Returns the excess over atmospheric pressure at each vertex [Pa]: that of its balloon, or the sum over its layers.
pub fn pressures(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    let is_of = |cloth: usize| world.objects.get(cloth).is_some_and(|cloth| cloth.name == object.name);
    let (airs, memory): (&AirLayers, &AirState) = AirLayers::of(world, state)?;
    let balloons = || airs.balloons.iter().zip(&memory.balloons).filter(|(balloon, _)| is_of(balloon.cloth));
    if balloons().next().is_some() {
        let mut excess = vec![0.0; object.vertices.len()];
        for (balloon, inside) in balloons() {
            balloon.vertices().iter().for_each(|v| excess[*v as usize - object.vertices.start] = inside.excess);
        }
        return Some(object.place.iter().map(|v| excess[*v as usize - object.vertices.start]).collect());
    }
    below(world, state, object, |_, air, v| air.excess[v])
}

/// Returns the mass of the air below each vertex over the vertex's area at rest [kg/m^2]: `Q/(c^2 A)`. The area of a
/// vertex is a third of the triangles around it, so the sum over areas is the mass of the layer. Zero for a vertex
/// without triangles.
pub fn air_masses(world: &World, state: &State, object: &Object) -> Option<Vec<f64>> {
    below(world, state, object, |layer, air, v| {
        let area = layer.layer.areas[v];
        if area > 0.0 { air.energy[v] / (layer.gas.speed * layer.gas.speed * area) } else { 0.0 }
    })
}
