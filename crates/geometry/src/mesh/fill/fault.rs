//! Errors of filling a surface.

use crate::linalg::Vec3;
use std::fmt;

/// Reason why a surface cannot be filled with cells of a size.
#[derive(Clone, Debug, PartialEq)]
pub enum FillFault {
    /// Size that is not a positive number.
    Size(f64),
    /// Surface with a fault that [`check`](crate::mesh::check::check) calls an error: its message.
    Unsound(String),
    /// Open surface: edges with one triangle only.
    Open {
        /// Vertices of the first such edge.
        edge: [u32; 2],
        /// Position of its first vertex [m].
        at: Vec3,
        /// Number of such edges.
        count: usize,
    },
    /// Vertex where parts of the surface touch.
    NonManifoldVertex {
        /// Index of the vertex.
        vertex: u32,
        /// Position of the vertex [m].
        at: Vec3,
    },
    /// Surface without enclosed volume.
    NoVolume,
    /// Too many tetrahedra.
    TooFine {
        /// Size of the cells [m].
        size: f64,
        /// Smallest allowed size [m].
        least: f64,
    },
    /// Part of the surface that the tetrahedra do not reach.
    Vanished {
        /// Size of the cells [m].
        size: f64,
        /// Number of vertices that are not reached.
        count: usize,
        /// Number of all vertices.
        of: usize,
        /// Position of a vertex that is not reached [m].
        at: Vec3,
    },
    /// Piece of the surface that falls apart.
    Torn {
        /// Size of the cells [m].
        size: f64,
        /// Number of pieces after filling.
        pieces: usize,
        /// Position on the piece [m].
        at: Vec3,
    },
    /// Two pieces of the surface that join.
    Joined {
        /// Size of the cells [m].
        size: f64,
        /// Position where they join [m].
        at: Vec3,
    },
    /// Piece of the surface whose number of holes changes.
    Holes {
        /// Size of the cells [m].
        size: f64,
        /// Holes through the surface.
        surface: i64,
        /// Holes through the mesh.
        mesh: i64,
        /// Position on the piece [m].
        at: Vec3,
    },
}

impl FillFault {
    /// Returns whether the surface itself is at fault, for any size.
    pub fn is_of_the_surface(&self) -> bool {
        matches!(self, Self::Unsound(_) | Self::Open { .. } | Self::NonManifoldVertex { .. } | Self::NoVolume)
    }
}

impl fmt::Display for FillFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = |at: &Vec3| format!("({:.4}, {:.4}, {:.4})", at.x, at.y, at.z);
        match self {
            Self::Size(size) => write!(f, "the size of the tetrahedra is {size} m; it must be a positive number"),
            Self::Unsound(message) => write!(f, "the surface cannot be filled: {message}"),
            Self::Open { edge: [a, b], at, count } => write!(
                f,
                "the surface is open: {count} edges have one triangle only, the first is {a}-{b} at {}; close it",
                place(at)
            ),
            Self::NonManifoldVertex { vertex, at } => {
                write!(
                    f,
                    "parts of the surface touch at vertex {vertex} at {}; give each a vertex of its own",
                    place(at)
                )
            }
            Self::NoVolume => write!(f, "the surface encloses no volume"),
            Self::TooFine { size, least } => write!(
                f,
                "tetrahedra of {size} m are too fine for this surface: there would be millions; at least {least:.3e} m"
            ),
            Self::Vanished { size, count, of, at } => write!(
                f,
                "tetrahedra of {size} m are too coarse for this surface: it vanishes at {count} of its {of} vertices, as at {}, \
                 where it is thinner than that; make them smaller, unless it is inside out or inside of another piece there",
                place(at)
            ),
            Self::Torn { size, pieces, at } => write!(
                f,
                "tetrahedra of {size} m are too coarse for this surface: the piece around {} falls into {pieces}; make them \
                 smaller",
                place(at)
            ),
            Self::Joined { size, at } => write!(
                f,
                "tetrahedra of {size} m are too coarse for this surface: two pieces of it join near {}; make them smaller, or \
                 move the pieces apart if they cross",
                place(at)
            ),
            Self::Holes { size, surface, mesh, at } => write!(
                f,
                "tetrahedra of {size} m are too coarse for this surface: the piece around {} has {surface} holes through it, \
                 filled it would have {mesh}; make them smaller",
                place(at)
            ),
        }
    }
}

impl std::error::Error for FillFault {}
