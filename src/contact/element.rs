//! Types that the stages of contact share.

use crate::collision::certificate::Pair;
use crate::force::contact::{Contact, Linear, Rule, Setting};
use crate::force::friction::Rubs;
use crate::force::links::{Couples, Link};
use crate::force::scheme::pick;
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::{State, World};

/// Hard minimum of a distance: far above the rounding of `f32` files for coordinates up to 40 m [m].
pub const LEAST: f64 = 1e-5;
/// Keys of contacts between edges begin here, those of vertices and faces are below.
pub const EDGES: u64 = 1 << 62;
/// Bits of a key that say the second feature.
pub const SECOND: u32 = 31;
/// What a step begins with, and how far it is made.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// What is constant.
    pub world: &'a World,
    /// At the start of the step.
    pub state: &'a State,
    /// In the making.
    pub step: &'a Step,
}

/// A contact and its place.
#[derive(Clone, Copy, Debug)]
pub struct Element {
    /// Both features, as [`key`] has them.
    pub key: u64,
    /// Vertex and face, or two edges.
    pub vertices: [u32; 4],
    /// Weights of the vertices in the vector between the nearest points.
    pub weights: [f64; 4],
    /// What acts.
    pub contact: Contact,
    /// Relative displacement of free flight without what both sides turn as one, which is none along the normal.
    pub free: Vec3,
    /// What impulses took out of free flight [m].
    pub braked: f64,
    /// Force and stiffness in this step.
    pub linear: Linear,
    /// Solutions that closed it too fast.
    pub stops: i32,
    /// It was or is no contact by its features, but had to be stopped.
    pub kept: bool,
}

impl Element {
    /// Relative displacement in the step [m].
    pub fn moved(&self, step: &Step) -> Vec3 {
        (0..4).map(|k| step.moved[self.vertices[k] as usize] * self.weights[k]).sum()
    }

    /// One more solution closed it too fast: a stiffer spring.
    pub fn stop(&mut self, setting: &Setting, rubs: &Rubs) {
        self.stops += 1;
        self.linear = self.contact.linearise(&self.free, self.stops, setting, rubs);
    }

    /// Where its measured friction is found, if that is what it has.
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

/// A candidate pair that may come within the activation distance in this step.
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
    /// Patches of the candidate list it is in.
    pub patches: [u32; 2],
}

/// Key of a pair among contacts.
pub fn key(pair: Pair, features: [u32; 2]) -> u64 {
    let [a, b] = features.map(u64::from);
    (u64::from(pair == Pair::EdgeEdge) * EDGES) | (a << SECOND) | b
}

/// Part of its thickness `thick` [m] and activation distance for which the rest shape leaves a pair room: neighbours must not push each
/// other apart there.
pub fn shape_room(world: &World, pair: Pair, vertices: &[u32; 4], thick: f64) -> f64 {
    let [a, b] = [vertices[0], vertices[3]].map(|v| world.surface.object[v as usize]);
    if a != b {
        return 1.0;
    }
    let reach = thick + world.distance(vertices);
    (0.5 * pair.separation(&pick(&world.rest, vertices)).distance / reach).min(1.0)
}

/// Distance at which the surfaces of two features meet [m].
pub fn thickness(world: &World, vertices: &[u32; 4], weights: &[f64; 4]) -> f64 {
    (0..4).map(|k| world.half_thickness[vertices[k] as usize] * weights[k].abs()).sum()
}
