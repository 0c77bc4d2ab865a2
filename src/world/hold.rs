//! Pins and soft handles.

use super::motion::{Carry, Motion};
use crate::linalg::Vec3;

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
