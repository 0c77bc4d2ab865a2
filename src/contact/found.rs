//! A pair that was found to act, and the contact it makes.

use super::element::{EDGES, Element, thickness};
use crate::collision::certificate::Separation;
use crate::force::contact::{Contact, Friction, Linear, Rule, Share};
use crate::linalg::Vec3;
use crate::world::friction::Pairing;
use crate::world::{State, World};

/// A pair that acts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub key: u64,
    pub vertices: [u32; 4],
    pub separation: Separation,
    pub share: Share,
    /// Part of thickness and activation distance that the rest shape has room for.
    pub room: f64,
    pub mass: f64,
    pub bears: f64,
    pub kept: bool,
}

impl Found {
    /// The contact, without memory.
    pub(crate) fn contact(&self, world: &World, state: &State) -> Element {
        let Found { key, vertices, separation, share, room, mass, bears, kept } = *self;
        let Separation { distance, normal, weights } = separation;
        let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize]);
        let friction = match world.frictions.of(a, b) {
            None => {
                let of = |object: u16| world.objects[usize::from(object)].friction;
                let mut sides = [of(a), of(b)];
                if let Some(wet) = world.wet.as_ref().filter(|wet| wet.rubs()) {
                    // A vertex and a face, or two edges.
                    let first = if key < EDGES { 1 } else { 2 };
                    for (side, own) in sides.iter_mut().zip([0..first, first..4]) {
                        let factor = wet.friction(&state.water, &vertices[own.clone()], &weights[own]);
                        side.fixed *= factor;
                        side.sliding *= factor;
                    }
                }
                Rule::Coulomb(Friction::between(sides[0], sides[1]))
            }
            Some(Pairing::Coulomb(friction)) => Rule::Coulomb(friction),
            Some(Pairing::Measured { .. }) => Rule::Measured(0),
        };
        let contact = Contact {
            normal,
            gap: distance - thickness(world, &vertices, &weights) * room,
            reach: world.distance(&vertices) * room,
            mass,
            bears,
            friction,
            bristle: None,
            share,
            expected: Vec3::zeros(),
        };
        let (free, linear) = (Vec3::zeros(), Linear::default());
        Element { key, vertices, weights, contact, free, braked: 0.0, linear, stops: 0, kept }
    }
}
