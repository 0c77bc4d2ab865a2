//! A pair that was found to act, and the contact it makes.

use super::{Element, Touch, key, thickness};
use crate::collision::certificate::{Pair, Separation};
use crate::force::assembly::pick;
use crate::force::contact::{Contact, Friction, Linear, Rule, Share};
use crate::linalg::Vec3;
use crate::stepper::{Step, impulse};
use crate::world::World;
use crate::world::friction::Pairing;

/// A pair that acts.
#[derive(Clone, Copy, Debug)]
pub(in crate::stepper) struct Found {
    pub key: u64,
    pub vertices: [u32; 4],
    pub separation: Separation,
    pub share: Share,
    /// Part of thickness and activation distance that the rest shape has room for.
    pub room: f64,
    pub mass: f64,
    pub kept: f64,
}

impl Touch {
    /// A pair that acts with `share`, or with what is left of it since it had to be stopped; none where nothing can move.
    pub(super) fn found(
        &self,
        world: &World,
        step: &Step,
        (pair, features): (Pair, [u32; 2]),
        vertices: &[u32; 4],
        separation: &Separation,
        share: Share,
    ) -> Option<Found> {
        let key = key(pair, features);
        let kept = self.kept.binary_search_by_key(&key, |kept| kept.0).map_or(0.0, |k| self.kept[k].1);
        let share = Share::held(kept).or(share);
        if share.part == 0.0 || separation.distance == 0.0 {
            return None;
        }
        let mass = 1.0 / impulse::mobility(world, step, vertices, &separation.weights)?;
        let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize]);
        let room = if a == b {
            // Neighbours of the rest shape must not push each other apart there.
            let reach = thickness(world, vertices, &separation.weights) + world.contact.distance;
            (0.5 * pair.separation(&pick(&world.rest, vertices)).distance / reach).min(1.0)
        } else {
            1.0
        };
        Some(Found { key, vertices: *vertices, separation: *separation, share, room, mass, kept })
    }
}

impl Found {
    /// The contact, without memory.
    pub(super) fn contact(&self, world: &World) -> Element {
        let Found { key, vertices, separation, share, room, mass, kept } = *self;
        let Separation { distance, normal, weights } = separation;
        let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize]);
        let friction = match world.frictions.of(a, b) {
            None => {
                let of = |object: u16| world.objects[usize::from(object)].friction;
                Rule::Coulomb(Friction::between(of(a), of(b)))
            }
            Some(Pairing::Coulomb(friction)) => Rule::Coulomb(friction),
            Some(Pairing::Measured { .. }) => Rule::Measured(0),
        };
        let contact = Contact {
            normal,
            gap: distance - thickness(world, &vertices, &weights) * room,
            reach: world.contact.distance * room,
            mass,
            friction,
            bristle: None,
            share,
            expected: Vec3::zeros(),
        };
        let (free, linear) = (Vec3::zeros(), Linear::default());
        Element { key, vertices, weights, contact, free, braked: 0.0, linear, stops: 0, kept }
    }
}
