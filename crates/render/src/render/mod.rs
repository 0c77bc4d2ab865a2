//! Preview pictures: input is plain triangles, a camera and lights; output is linear pixels, PNG and EXR bytes.
//!
//! A picture depends only on its arguments. Sample patterns are fixed in image space, so that still parts of an
//! animation have identical pixels. Every number of threads gives the same bits. Nothing here opens a file.

mod build;
mod bvh;
mod camera;
mod colormap;
mod draw;
mod edges;
mod eight;
mod enlarge;
mod first;
mod font;
mod jpeg;
mod legend;
mod light;
pub mod movie;
mod packet;
mod pattern;
mod picture;
mod pixel;
mod raster;
mod settings;
mod shading;
mod shadow;
mod sheet;
mod sky;
mod surface;

pub use self::bvh::Tree;
pub use self::camera::{Camera, View};
pub use self::colormap::Map;
pub use self::draw::{draw, memory};
pub use self::legend::Legend;
pub use self::light::{Fill, Key, Lights};
pub use self::packet::{LANES, NONE, Packet};
pub use self::picture::{Picture, Rays};
pub use self::raster::{Image, linear_from_srgb, srgb_from_linear};
pub use self::settings::{Background, Ground, Object, Paint, Settings, Wireframe};
pub use self::shading::Shading;
pub use self::sheet::{Cell, contact_sheet};

/// Rounds a vector of world space to single precision for the tree.
fn to_f32(v: crate::linalg::Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}
