//! How far two things are apart that should be the same: pictures by FLIP and by their numbers, meshes by their vertices.

mod difference;
mod flip;

pub use difference::{Difference, Gates, images, vertices};
pub use flip::{PIXELS_PER_DEGREE, flip};
