//! Pins and soft handles.

use super::motion::{Carry, Motion};
use super::step::Step;
use crate::force::links::{Couples, Link};
use crate::linalg::{Mat3, Vec3};

/// Weights of a link to a single vertex.
const ALONE: [f64; 4] = [1.0, 0.0, 0.0, 0.0];

/// Pin: vertices that follow a prescribed motion while its window is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// World vertices.
    pub vertices: Vec<u32>,
    /// Motion relative to the positions when the window opened.
    pub motion: Motion,
    /// Start of the window [s].
    pub from: f64,
    /// End of the window [s].
    pub until: f64,
    /// Largest distance from the path at which pinned vertices may give way in a pinch [m].
    pub slack: f64,
}

impl Pin {
    /// Returns the displacement from the positions when the window opened to those at time `t` [s].
    pub fn carry(&self, t: f64) -> Carry {
        self.motion.carry(self.from, t)
    }

    /// Returns a pin that fixes its vertices at all times.
    pub fn fixed(vertices: Vec<u32>) -> Pin {
        Pin { vertices, motion: Motion::Fixed, from: 0.0, until: f64::INFINITY, slack: f64::INFINITY }
    }
}

/// Force law of a soft handle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pull {
    /// Spring to the moving target.
    Spring {
        /// Stiffness per vertex [N/m].
        stiffness: f64,
        /// Largest force per vertex [N].
        most: f64,
    },
    /// Constant force, shared by the vertices [N].
    Force(Vec3),
    /// Critically damped spring by the weight `w` of each vertex: `m/tau^2 w/(1 - w)`.
    Held,
}

/// Time in which a vertex of weight 1/2 follows its target [s].
const FOLLOWS: f64 = 0.01;

/// Soft handle: a force toward a scripted target (Horiba et al. 2007: the mouse).
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// Vertices, target motion and window.
    pub pin: Pin,
    /// Force law.
    pub pull: Pull,
    /// Weight of each vertex, between 0 and 1; empty for other laws than [`Pull::Held`].
    pub weights: Vec<f64>,
}

impl Handle {
    /// Creates a handle of a law without weights.
    pub fn new(pin: Pin, pull: Pull) -> Handle {
        Handle { pin, pull, weights: Vec::new() }
    }

    /// Returns stiffness [N/m] and damping [kg/s] of [`Pull::Held`] at a vertex of this mass [kg].
    pub fn held(&self, place: usize, mass: f64) -> [f64; 2] {
        let weight = self.weights.get(place).copied().unwrap_or_default();
        let stiffness = mass / (FOLLOWS * FOLLOWS) * weight / (1.0 - weight);
        [stiffness, 2.0 * (stiffness * mass).sqrt()]
    }
}

/// Pull at one vertex, linear in its displacement.
#[derive(Clone, Copy, Debug)]
pub struct Pulled {
    /// World vertex.
    pub vertex: u32,
    /// Force at the end of free flight [N].
    pub force: Vec3,
    /// Decrease of the force with displacement from there [N/m].
    pub stiffness: f64,
}

impl Pulled {
    /// Creates a pull at a vertex, without force.
    pub fn at(vertex: u32) -> Pulled {
        Pulled { vertex, force: Vec3::zeros(), stiffness: 0.0 }
    }

    /// Sets the pull of a spring of extension `away`. Its stiffness is reduced so that the force is at most `most`.
    pub fn spring(&mut self, away: Vec3, stiffness: f64, most: f64) {
        self.stiffness = stiffness.min(most / away.norm().max(f64::MIN_POSITIVE));
        self.force = away * self.stiffness;
    }

    /// Adds a damper, with at most the force `most` [N]. `lags` is the displacement by which the vertex lags behind the
    /// anchor in free flight of a step of `h` [s].
    pub fn damp(&mut self, lags: Vec3, damping: f64, most: f64, h: f64) {
        let damping = damping.min(most * h / lags.norm().max(f64::MIN_POSITIVE)) / h;
        self.force += lags * damping;
        self.stiffness += damping;
    }

    /// Returns the force that the step applied [N].
    pub fn used(&self, step: &Step) -> Vec3 {
        self.force - step.solved(self.vertex) * self.stiffness
    }
}

impl Couples for Vec<Pulled> {
    fn count(&self) -> usize {
        self.len()
    }

    fn corners(&self, out: &mut [([u32; 4], [f64; 4])]) {
        out.iter_mut().zip(self).for_each(|(out, pulled)| *out = ([pulled.vertex, 0, 0, 0], ALONE));
    }

    fn links(&self, out: &mut [Link]) {
        for (out, Pulled { force, stiffness, .. }) in out.iter_mut().zip(self) {
            *out = Link { weights: ALONE, force: *force, stiffness: Mat3::from_diagonal_element(*stiffness) };
        }
    }
}
