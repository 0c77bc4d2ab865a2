//! Types shared by the stages of contact.

use crate::collision::certificate::Pair;
use crate::force::contact::{Contact, Linear, Rule, Setting};
use crate::force::friction::Rubs;
use crate::force::links::{Couples, Link};
use crate::force::scheme::pick;
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::{State, World};

/// Hard minimum of a distance [m]: far above the rounding of `f32` files for coordinates up to 40 m.
pub const LEAST: f64 = 1e-5;

/// World, state and step, as far as the step is computed.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Constants of the run.
    pub world: &'a World,
    /// State at the start of the step.
    pub state: &'a State,
    /// Step being computed.
    pub step: &'a Step,
}

/// Contact with its vertices.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// Key of both features (see [`key`]).
    pub key: u64,
    /// Vertex and triangle corners, or ends of the two edges.
    pub vertices: [u32; 4],
    /// Weights of the vertices in the vector between the closest points.
    pub weights: [f64; 4],
    /// Contact law and its data.
    pub contact: Contact,
    /// Relative displacement of free flight, without the common rotation of both sides, which has no normal component.
    pub free: Vec3,
    /// Normal displacement by impulses [m].
    pub braked: f64,
    /// Force and stiffness in this step.
    pub linear: Linear,
    /// Number of solutions in the step that closed the contact too fast.
    pub stops: i32,
    /// Contact that is kept although its features do not require it, because it needed a penalty.
    pub kept: bool,
}

impl Element {
    /// Computes the relative displacement in the step [m].
    pub fn displacement(&self, step: &Step) -> Vec3 {
        (0..4).map(|k| step.displacement[self.vertices[k] as usize] * self.weights[k]).sum()
    }

    /// Stiffens the penalty after a solution that closed the contact too fast, and linearises again.
    pub fn add_penalty(&mut self, setting: &Setting, rubs: &Rubs) {
        self.stops += 1;
        self.linear = self.contact.linearise(&self.free, self.stops, setting, rubs);
    }

    /// Sets the index of the measured friction, if the contact has such a law.
    pub fn place(&mut self, place: usize) {
        if let Rule::Measured(at) = &mut self.contact.friction {
            *at = place as u32;
        }
    }
}

impl Couples for Vec<Element> {
    fn count(&self) -> usize {
        self.len()
    }

    fn corners(&self, out: &mut [([u32; 4], [f64; 4])]) {
        par::fill(out, |k| (self[k].vertices, self[k].weights));
    }

    fn links(&self, out: &mut [Link]) {
        par::fill(out, |k| {
            let Element { contact, linear, weights, .. } = &self[k];
            Link { weights: *weights, force: linear.force, stiffness: contact.stiffness(linear) }
        });
    }
}

/// Candidate pair that may come within the activation distance in this step.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    /// Kind of features.
    pub pair: Pair,
    /// Vertex and triangle, or both edges.
    pub features: [u32; 2],
    /// World vertices.
    pub vertices: [u32; 4],
    /// Distance at the start of the step [m].
    pub distance: f64,
    /// Patches of the candidate list that has the pair.
    pub patches: [u32; 2],
}

/// Computes the largest scale of thickness `thick` [m] and activation distance that the rest shape allows a pair. It is
/// below 1 for neighbours, which must not repel each other at rest.
pub fn shape_room(world: &World, pair: Pair, vertices: &[u32; 4], thick: f64) -> f64 {
    let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize]);
    // Joined vertices have no place in the rest shape.
    if a != b || vertices.iter().any(|v| world.is_joined(*v)) {
        return 1.0;
    }
    let reach = thick + world.distance(vertices);
    (0.5 * pair.separation(&pick(&world.rest, vertices)).distance / reach).min(1.0)
}

/// Computes the distance at which the surfaces of two features touch [m].
pub fn thickness(world: &World, vertices: &[u32; 4], weights: &[f64; 4]) -> f64 {
    (0..4).map(|k| world.half_thickness[vertices[k] as usize] * weights[k].abs()).sum()
}
