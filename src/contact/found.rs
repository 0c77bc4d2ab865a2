//! A pair that was found to act, and the contact it makes.

use super::element::{EDGES, Element, thickness};
use crate::collision::certificate::Separation;
use crate::force::contact::{Contact, Friction, Linear, Rule, Share};
use crate::linalg::Vec3;
use crate::world::World;
use crate::world::friction::Pairing;

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
    /// The contact, without memory. `roughness` is the relative growth of friction, by moving vertex; empty where there is none.
    pub(crate) fn contact(&self, world: &World, roughness: &[f64]) -> Element {
        let Found { key, vertices, separation, share, room, mass, bears, kept } = *self;
        let Separation { distance, normal, weights } = separation;
        let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize]);
        let friction = match world.frictions.of(a, b) {
            None => {
                let of = |object: u16| world.objects[usize::from(object)].friction;
                let mut sides = [of(a), of(b)];
                if !roughness.is_empty() {
                    // A vertex and a face, or two edges.
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

/// Mean of a quantity of moving vertices over a point with these weights; it is zero at all others.
fn mean(of: &[f64], vertices: &[u32], weights: &[f64]) -> f64 {
    let (mut sum, mut all) = (0.0, 0.0);
    for (v, weight) in vertices.iter().zip(weights.iter().map(|weight| weight.abs())) {
        sum += weight * of.get(*v as usize).copied().unwrap_or(0.0);
        all += weight;
    }
    if all > 0.0 { sum / all } else { 0.0 }
}
