//! Reasons why a step fails, and their messages.

use super::{Pinch, State, World};
use crate::mesh::number_text::rounded;

/// Reason why a step fails.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// A pair of features would touch or cross: world vertices (vertex and face, or two edges).
    Crossing([u32; 4]),
    /// A pair would cross because prescribed motions close on it.
    Pinched {
        /// World vertices (vertex and face, or two edges).
        pair: [u32; 4],
        /// Prescribed world vertices with different motions.
        between: [u32; 2],
    },
    /// An edge is stretched too far in one step: world vertices, and elongation relative to the initial length.
    Torn([u32; 2], f64),
    /// An edge is longer than its bound after a step that can be shorter: world vertices and strain beyond the bound.
    Overstretched([u32; 2], f64),
    /// A prescribed vertex would move many times the size of its object and of the simulated objects in one step.
    Far {
        /// World vertex.
        vertex: u32,
        /// Displacement [m].
        way: f64,
        /// Step size [s].
        h: f64,
    },
    /// Possible contacts of one step exceed the memory limit.
    Crowded {
        /// World vertex with the largest displacement.
        vertex: u32,
        /// Its displacement [m].
        way: f64,
    },
    /// An object is inside or intersects an obstacle that appears.
    Entered {
        /// Description of the intersections.
        what: String,
        /// Intersecting triangles as PLY.
        shown: Vec<u8>,
    },
    /// A component has more energy after the step than allowed.
    Gained {
        /// Fastest world vertex of the component.
        vertex: u32,
        /// Its speed [m/s].
        speed: f64,
    },
    /// Too many consecutive steps needed to be shorter than the smallest step size.
    Short {
        /// Number of steps.
        steps: u32,
        /// Fastest world vertex.
        vertex: u32,
        /// Error of the last step.
        why: Box<StepError>,
    },
    /// A body collides in a step that can be shorter and is too long for the impact.
    Struck {
        /// World vertex of the body in contact.
        vertex: u32,
        /// Change of the body's velocity [m/s].
        change: f64,
    },
    /// The estimated error of a step that can be shorter, relative to its aim.
    Coarse(f64),
    /// The linear solve ended far from its tolerance; value: residual relative to the right-hand side.
    Unsolved(f64),
    /// The matrix block of this world vertex is not positive definite.
    Indefinite(u32),
    /// The position or velocity of this world vertex is not finite.
    NotFinite(u32),
}

impl StepError {
    /// Returns one sentence that names objects, file vertices and position.
    #[expect(clippy::too_many_lines, reason = "a list of messages, one for each error")]
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
            StepError::Coarse(error) => format!("one step errs by {} times the aim", rounded(*error)),
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
