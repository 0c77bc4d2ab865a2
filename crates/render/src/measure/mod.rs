//! Differences of pictures (by FLIP and by pixel) and of meshes (by vertex).
//!
//! Also measures of one surface or of two: roughness, curvature, nearness, correlation, crest, rigid motion. And
//! shadows: area and folds of the outline. And photographs: spots, marks at known distances, the centreline of a band.

mod band;
mod difference;
mod flip;
mod marks;
mod photo;
mod shadow;
mod shape;

pub use band::Band;
pub use difference::{Difference, Gates, images, vertices};
pub use flip::{PIXELS_PER_DEGREE, flip};
pub use marks::{Chart, MARK, Marks};
pub use photo::{Photo, Spot};
pub use shadow::Shadow;
pub use shape::Relief;
