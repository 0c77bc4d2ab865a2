//! Differences of pictures (by FLIP and by pixel) and of meshes (by vertex).
//!
//! Also measures of one surface or of two: roughness, curvature, nearness, correlation, crest, rigid motion. And
//! shadows: area and folds of the outline.

mod difference;
mod flip;
mod shadow;
mod shape;

pub use difference::{Difference, Gates, images, vertices};
pub use flip::{PIXELS_PER_DEGREE, flip};
pub use shadow::Shadow;
pub use shape::Relief;
