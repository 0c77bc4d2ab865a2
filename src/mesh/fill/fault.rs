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
    /// An edge of one triangle only: its vertices and where the first of them is [m].
    Open { edge: [u32; 2], at: Vec3, count: usize },
    /// A vertex where parts of the surface touch.
    NonManifoldVertex { vertex: u32, at: Vec3 },
    /// The surface encloses nothing.
    NoVolume,
    /// Too many tetrahedra; the least size that is allowed [m].
    TooFine { size: f64, least: f64 },
    /// A part of the surface that the tetrahedra do not reach: how many of its vertices, and where one of them is [m].
    Vanished { size: f64, count: usize, of: usize, at: Vec3 },
    /// A piece of the surface that becomes several, around `at` [m].
    Torn { size: f64, pieces: usize, at: Vec3 },
    /// Two pieces of the surface that become one, around `at` [m].
    Joined { size: f64, at: Vec3 },
    /// The number of holes through the piece of the surface around `at` [m] changes.
    Holes { size: f64, surface: i64, mesh: i64, at: Vec3 },
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
