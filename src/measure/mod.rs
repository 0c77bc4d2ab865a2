//! How far two things are apart that should be the same: pictures by FLIP and by their numbers, meshes by their vertices.
//! And numbers of one surface, or of two: how rough, curved, near, alike, turned.

mod difference;
mod flip;
mod shape;

pub use difference::{Difference, Gates, images, vertices};
pub use flip::{PIXELS_PER_DEGREE, flip};
pub use shape::Relief;
