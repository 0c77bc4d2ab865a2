//! Pins and soft handles.

use super::motion::{Carry, Motion};
use super::step::Step;
use crate::force::links::Link;
use crate::linalg::{Mat3, Vec3};

/// Vertices that follow a motion while the window is open.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// World vertices.
    pub vertices: Vec<u32>,
    /// How they move from where they were when the window opened.
    pub motion: Motion,
    /// Window [s].
    pub from: f64,
    /// End of the window [s].
    pub until: f64,
    /// How far its vertices give way in a pinch, from their path [m].
    pub slack: f64,
}

impl Pin {
    /// What takes its vertices from where they were when it took hold to where they are at a time [s].
    pub fn carry(&self, t: f64) -> Carry {
        self.motion.carry(self.from, t)
    }

    /// A pin that holds its vertices where they are, always.
    pub fn fixed(vertices: Vec<u32>) -> Pin {
        Pin { vertices, motion: Motion::Fixed, from: 0.0, until: f64::INFINITY, slack: f64::INFINITY }
    }
}

/// How a soft handle pulls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pull {
    /// A spring to the moving target: stiffness [N/m] per vertex and the largest force [N] per vertex.
    Spring {
        /// Stiffness [N/m].
        stiffness: f64,
        /// Largest force [N].
        most: f64,
    },
    /// A constant force shared by the vertices [N].
    Force(Vec3),
}

/// A soft handle: a force toward a scripted target (Horiba et al. 2007: the mouse).
#[derive(Clone, Debug, PartialEq)]
pub struct Handle {
    /// Where and when.
    pub pin: Pin,
    /// How.
    pub pull: Pull,
}

/// Pull at one vertex, linear in its displacement.
#[derive(Clone, Copy, Debug)]
pub struct Pulled {
    /// World vertex.
    pub vertex: u32,
    /// Force at the end of free flight [N].
    pub force: Vec3,
    /// How much it falls from there [N/m].
    pub stiffness: f64,
}

impl Pulled {
    /// At a vertex, without force.
    pub fn at(vertex: u32) -> Pulled {
        Pulled { vertex, force: Vec3::zeros(), stiffness: 0.0 }
    }

    /// Pulls as a spring over the way `away`, with at most the force `most`.
    pub fn spring(&mut self, away: Vec3, stiffness: f64, most: f64) {
        self.stiffness = stiffness.min(most / away.norm().max(f64::MIN_POSITIVE));
        self.force = away * self.stiffness;
    }

    /// Force that the step used [N].
    pub fn used(&self, step: &Step) -> Vec3 {
        self.force - step.solved(self.vertex) * self.stiffness
    }

    /// Its vertex and weight, as a link has them.
    pub fn corners(&self) -> ([u32; 4], [f64; 4]) {
        ([self.vertex, 0, 0, 0], [1.0, 0.0, 0.0, 0.0])
    }

    /// The link.
    pub fn link(&self) -> Link {
        let Pulled { force, stiffness, .. } = *self;
        Link { weights: [1.0, 0.0, 0.0, 0.0], force, stiffness: Mat3::from_diagonal_element(stiffness) }
    }
}
