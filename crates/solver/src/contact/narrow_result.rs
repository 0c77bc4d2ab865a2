//! Narrow-phase result, and its conversion to a contact.

use super::element::{Element, thickness};
use crate::collision::certificate::Separation;
use crate::collision::key::EDGES;
use crate::force::contact::{Contact, Friction, Linear, Rule, Share};
use crate::linalg::Vec3;
use crate::world::World;
use crate::world::friction::Pairing;
use crate::world::keyed::Scales;
use crate::world::step::Step;

/// Pair that acts in the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NarrowResult {
    pub key: u64,
    pub vertices: [u32; 4],
    pub separation: Separation,
    pub share: Share,
    /// Scale of thickness and activation distance that rest shape and ramp allow.
    pub offset_scale: f64,
    pub mass: f64,
    pub bears: f64,
    pub kept: bool,
}

impl NarrowResult {
    /// Creates the contact of a step, without friction memory.
    pub(crate) fn contact(&self, world: &World, step: &Step) -> Element {
        let NarrowResult { key, vertices, separation, share, offset_scale, mass, bears, kept } = *self;
        let Separation { distance, normal, weights } = separation;
        let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize]);
        let friction = match world.frictions.of(a, b) {
            None => {
                let of = |object: u16| world.objects[usize::from(object)].friction;
                let mut sides = [of(a), of(b)];
                if !step.roughness.is_empty() {
                    let wet = |v: usize| step.roughness.get(v).copied().unwrap_or(0.0);
                    sides = scaled(sides, sides_of(key, &vertices, &weights, wet));
                }
                if !step.scales.friction.is_empty() {
                    sides = scaled(sides, sides_of(key, &vertices, &weights, rougher(&step.scales)));
                }
                Rule::Coulomb(Friction::between(sides[0], sides[1]))
            }
            Some(Pairing::Coulomb(friction)) => {
                let factor = pair_factor(&step.scales, key, &vertices, &weights);
                Rule::Coulomb(Friction { fixed: friction.fixed * factor, sliding: friction.sliding * factor })
            }
            Some(Pairing::Measured { .. }) => Rule::Measured(0),
        };
        let contact = Contact {
            normal,
            gap: distance - thickness(world, &vertices, &weights) * offset_scale,
            reach: world.distance(&vertices) * offset_scale,
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

/// Returns by how much friction is scaled up at a vertex, of what does not move not at all.
fn rougher(scales: &Scales) -> impl Fn(usize) -> f64 {
    |v| scales.friction.get(v).map_or(0.0, |factor| factor - 1.0)
}

/// Returns the coefficients of both sides, grown by these parts.
fn scaled(sides: [Friction; 2], growth: [f64; 2]) -> [Friction; 2] {
    [0, 1].map(|k| {
        let factor = 1.0 + growth[k];
        Friction { fixed: sides[k].fixed * factor, sliding: sides[k].sliding * factor }
    })
}

/// Returns the factor of friction that is given for a pair of objects: the geometric mean of the factors of both sides,
/// as of coefficients.
pub(crate) fn pair_factor(scales: &Scales, key: u64, vertices: &[u32; 4], weights: &[f64; 4]) -> f64 {
    if scales.friction.is_empty() {
        return 1.0;
    }
    let [a, b] = sides_of(key, vertices, weights, rougher(scales));
    ((1.0 + a) * (1.0 + b)).sqrt()
}

/// Computes the mean of a quantity of vertices over the points of both sides of a pair.
fn sides_of(key: u64, vertices: &[u32; 4], weights: &[f64; 4], of: impl Fn(usize) -> f64) -> [f64; 2] {
    // First side: one vertex of a vertex-face pair, two of an edge-edge pair.
    let first = if key < EDGES { 1 } else { 2 };
    [0..first, first..4].map(|own| {
        let (mut sum, mut all) = (0.0, 0.0);
        for (v, weight) in vertices[own.clone()].iter().zip(weights[own].iter().map(|weight| weight.abs())) {
            sum += weight * of(*v as usize);
            all += weight;
        }
        if all > 0.0 { sum / all } else { 0.0 }
    })
}
