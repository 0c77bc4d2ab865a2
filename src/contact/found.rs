//! Narrow-phase result, and its conversion to a contact.

use super::element::{Element, thickness};
use crate::collision::certificate::Separation;
use crate::collision::key::EDGES;
use crate::force::contact::{Contact, Friction, Linear, Rule, Share};
use crate::linalg::Vec3;
use crate::world::World;
use crate::world::friction::Pairing;

/// Pair that acts in the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub key: u64,
    pub vertices: [u32; 4],
    pub separation: Separation,
    pub share: Share,
    /// Scale of thickness and activation distance that rest shape and ramp allow.
    pub room: f64,
    pub mass: f64,
    pub bears: f64,
    pub kept: bool,
}

impl Found {
    /// Creates the contact, without friction memory. `roughness` is the relative increase of friction of each moving
    /// vertex; empty if there is none.
    pub(crate) fn contact(&self, world: &World, roughness: &[f64]) -> Element {
        let Found { key, vertices, separation, share, room, mass, bears, kept } = *self;
        let Separation { distance, normal, weights } = separation;
        let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize]);
        let friction = match world.frictions.of(a, b) {
            None => {
                let of = |object: u16| world.objects[usize::from(object)].friction;
                let mut sides = [of(a), of(b)];
                if !roughness.is_empty() {
                    // First side: one vertex of a vertex-face pair, two of an edge-edge pair.
                    let first = if key < EDGES { 1 } else { 2 };
                    for (side, own) in sides.iter_mut().zip([0..first, first..4]) {
                        let factor = 1.0 + mean(roughness, &vertices[own.clone()], &weights[own]);
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

/// Computes the mean of a quantity over a point with these weights. The quantity is zero at vertices that do not move.
fn mean(of: &[f64], vertices: &[u32], weights: &[f64]) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for (v, weight) in vertices.iter().zip(weights.iter().map(|weight| weight.abs())) {
        sum += weight * of.get(*v as usize).copied().unwrap_or(0.0);
        all += weight;
    }
    if all > 0.0 { sum / all } else { 0.0 }
}
