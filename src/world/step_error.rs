//! Why a step could not be made, and how that is told.

use super::{Pinch, State, World};
use crate::mesh::told::rounded;

/// Why a step could not be made.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// A pair of features would touch or cross: world vertices (vertex and face, or two edges).
    Crossing([u32; 4]),
    /// A pair that would cross because what is prescribed closes on it.
    Pinched {
        /// World vertices (vertex and face, or two edges).
        pair: [u32; 4],
        /// Prescribed world vertices that move otherwise than each other.
        between: [u32; 2],
    },
    /// An edge that was stretched too far in one step: world vertices, and by how much of its length at the start.
    Torn([u32; 2], f64),
    /// A step that can be shorter leaves an edge longer than its bound: world vertices and its strain beyond the bound.
    Overstretched([u32; 2], f64),
    /// A prescribed vertex is to move many times the size of what there is in one step.
    Far {
        /// World vertex.
        vertex: u32,
        /// How far [m].
        way: f64,
        /// In a step of this size [s].
        h: f64,
    },
    /// More may meet in one step than memory is given for.
    Crowded {
        /// World vertex that moves farthest in it.
        vertex: u32,
        /// How far [m].
        way: f64,
    },
    /// Something lies in an obstacle that appears.
    Entered {
        /// What crosses, in words.
        what: String,
        /// The triangles that cross as PLY.
        shown: Vec<u8>,
    },
    /// A component has more energy after the step than it can have.
    Gained {
        /// World vertex that is fastest in it.
        vertex: u32,
        /// Its speed [m/s].
        speed: f64,
    },
    /// Too many steps in a row wanted less than the smallest one.
    Short {
        /// How many.
        steps: u32,
        /// Fastest world vertex.
        vertex: u32,
        /// Why the last one could not be made.
        why: Box<StepError>,
    },
    /// A body strikes something, and a step that can be shorter is too long for it.
    Struck {
        /// World vertex of the body that is touched.
        vertex: u32,
        /// Change of the body's velocity [m/s].
        change: f64,
    },
    /// The linear solve ended far from its tolerance: the residual relative to the right-hand side.
    Unsolved(f64),
    /// The system has no positive definite block at this world vertex.
    Indefinite(u32),
    /// A position or velocity is not finite at this world vertex.
    NotFinite(u32),
}

impl StepError {
    /// One sentence naming objects, file vertices and the place.
    pub fn describe(&self, world: &World, state: &State) -> String {
        let name = |v: u32| match world.objects.iter().find(|o| o.vertices.contains(&(v as usize))) {
            Some(o) => {
                let file = o.place.iter().position(|p| *p == v).unwrap_or(0);
                format!("vertex {file} of '{}'", o.name)
            }
            None => format!("vertex {v}"),
        };
        let at = |v: u32| {
            let p = state.x[v as usize];
            format!("({:.4}, {:.4}, {:.4})", p.x, p.y, p.z)
        };
        match self {
            StepError::Crossing([a, b, c, d]) => {
                format!("surfaces would cross near {}: {}, {}, {}, {}", at(*a), name(*a), name(*b), name(*c), name(*d))
            }
            StepError::Pinched { pair: [a, b, c, d], between: [e, f] } => format!(
                "nothing fits any more between {} and {}, near {}: {}, {}, {} and {} would cross; let them leave room{}",
                name(*e),
                name(*f),
                at(*a),
                name(*a),
                name(*b),
                name(*c),
                name(*d),
                if world.contact.pinch == Pinch::Halt { ", or give contact.pinch = \"yield\"" } else { "" }
            ),
            StepError::Overstretched([a, b], strain) => format!(
                "the edge from {} to {} near {} is {} % beyond its strain limit",
                name(*a),
                name(*b),
                at(*a),
                rounded(strain * 100.0)
            ),
            StepError::Far { vertex, way, h } => format!(
                "{} near {} is to move {} m in one step, at {} km/s; look at times, places and units of its motion",
                name(*vertex),
                at(*vertex),
                rounded(*way),
                rounded(way / h * 1e-3)
            ),
            StepError::Crowded { vertex, way } => format!(
                "more surfaces may meet in one step than memory is given for; {} near {} moves farthest in it, {} m; \
                 look at speeds, and at thickness and contact.distance against the edges of the meshes",
                name(*vertex),
                at(*vertex),
                rounded(*way)
            ),
            StepError::Entered { what, .. } => format!("as it appears {what}; let it appear where nothing is"),
            StepError::Torn([a, b], part) => format!(
                "one step stretches the edge from {} to {} near {} by {} %",
                name(*a),
                name(*b),
                at(*a),
                rounded(part * 100.0)
            ),
            StepError::Gained { vertex, speed } => format!(
                "one step throws {} near {} at {} m/s, with energy from nothing",
                name(*vertex),
                at(*vertex),
                rounded(*speed)
            ),
            StepError::Short { steps, vertex, why } => format!(
                "{steps} steps in a row were shorter than time.min_step: {}; the fastest vertex is {} near {}, at {} m/s",
                why.describe(world, state),
                name(*vertex),
                at(*vertex),
                rounded(state.v.get(*vertex as usize).map_or(0.0, |v| v.norm()))
            ),
            StepError::Struck { vertex, change } => {
                format!("the body of {} near {} is struck by {} m/s", name(*vertex), at(*vertex), rounded(*change))
            }
            StepError::Unsolved(part) => {
                format!("the equations of one step are not solved: {} % of the error is left", rounded(part * 100.0))
            }
            StepError::Indefinite(v) => {
                format!("the equations are not positive definite at {} near {}", name(*v), at(*v))
            }
            StepError::NotFinite(v) => format!("the motion is not finite at {} near {}", name(*v), at(*v)),
        }
    }
}
