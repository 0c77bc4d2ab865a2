//! Why a surface could not be filled.

use crate::linalg::Vec3;
use std::fmt;

/// What is wrong with a surface or with the size of the cells for it.
#[derive(Clone, Debug, PartialEq)]
pub enum FillFault {
    /// The size is no positive number.
    Size(f64),
    /// The surface has a fault that [`check`](crate::mesh::check::check) calls an error: its message.
    Unsound(String),
    /// Edges of one triangle only.
    Open {
        /// Vertices of the first.
        edge: [u32; 2],
        /// Where the first of them is [m].
        at: Vec3,
        /// How many edges.
        count: usize,
    },
    /// A vertex where parts of the surface touch.
    NonManifoldVertex {
        /// The vertex.
        vertex: u32,
        /// Where it is [m].
        at: Vec3,
    },
    /// The surface encloses nothing.
    NoVolume,
    /// Too many tetrahedra.
    TooFine {
        /// Size of the cells [m].
        size: f64,
        /// The least that is allowed [m].
        least: f64,
    },
    /// A part of the surface that the tetrahedra do not reach.
    Vanished {
        /// Size of the cells [m].
        size: f64,
        /// How many of its vertices.
        count: usize,
        /// How many there are.
        of: usize,
        /// Where one of them is [m].
        at: Vec3,
    },
    /// A piece of the surface that becomes several.
    Torn {
        /// Size of the cells [m].
        size: f64,
        /// How many it becomes.
        pieces: usize,
        /// A place in it [m].
        at: Vec3,
    },
    /// Two pieces of the surface that become one.
    Joined {
        /// Size of the cells [m].
        size: f64,
        /// A place where they do [m].
        at: Vec3,
    },
    /// The number of holes through a piece of the surface changes.
    Holes {
        /// Size of the cells [m].
        size: f64,
        /// Holes through the surface.
        surface: i64,
        /// Holes through what fills it.
        mesh: i64,
        /// A place in it [m].
        at: Vec3,
    },
}

impl FillFault {
    /// The surface itself is at fault, whatever the size.
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
