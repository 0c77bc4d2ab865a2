//! Pictures, measures of pictures and meshes, and pages of percale.
//!
//! Nothing here knows of forces or time. `percale` shows these modules under its own name.

#![warn(unreachable_pub)]

pub use percale_geometry::{collision, linalg, mesh};

/// Rendering: camera, lights, ray casting, Minnaert and other shading, images.
pub mod render;
/// Differences between pictures and between meshes: FLIP, gates.
pub mod measure;
/// HTML pages in a single file: tables, plots, pictures.
pub mod page;
