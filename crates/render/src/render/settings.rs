//! Objects and settings of a picture: plain data.

use super::camera::Camera;
use super::colormap::Map;
use super::light::Lights;
use super::shading::Shading;
use crate::linalg::{Vec2, Vec3};

/// Settings of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Samples per pixel, in a fixed pattern; 0 counts as 1.
    pub samples: usize,
    /// Camera.
    pub camera: Camera,
    /// Key light and fill.
    pub lights: Lights,
    /// Ground, if any.
    pub ground: Option<Ground>,
    /// Background.
    pub background: Background,
    /// Lines along triangle edges, if any.
    pub wireframe: Option<Wireframe>,
    /// Note in the picture's upper left corner, if any.
    pub note: Option<&'static str>,
}

impl Settings {
    /// Returns settings with 16 samples a pixel, studio lights, a background from blue-grey to white and no ground.
    pub fn new(width: usize, height: usize, camera: Camera, up: Vec3) -> Settings {
        Settings {
            width,
            height,
            samples: 16,
            camera,
            lights: Lights::studio(camera.direction(), up),
            ground: None,
            background: Background::default(),
            wireframe: None,
            note: None,
        }
    }
}

/// Infinite floor that receives shadows and fades into the background. A lit, unshadowed floor has exactly its colour.
/// The floor is visible only from above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Height along the up direction [m].
    pub height: f64,
    /// Linear RGB.
    pub colour: [f64; 3],
}

impl Ground {
    /// Returns a light floor.
    pub fn at(height: f64) -> Ground {
        Ground { height, colour: [0.54, 0.55, 0.56] }
    }
}

/// Vertical gradient over the picture, linear RGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// Colour at the upper edge.
    pub top: [f64; 3],
    /// Colour at the lower edge.
    pub bottom: [f64; 3],
}

impl Default for Background {
    fn default() -> Self {
        Background { top: [0.24, 0.29, 0.36], bottom: [0.60, 0.61, 0.62] }
    }
}

/// Lines along triangle edges, of the same width everywhere in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wireframe {
    /// Width of a line [pixels].
    pub width: f64,
    /// Linear RGB.
    pub colour: [f64; 3],
    /// Opacity: 0 invisible, 1 opaque.
    pub opacity: f64,
}

impl Default for Wireframe {
    fn default() -> Self {
        Wireframe { width: 1.0, colour: [0.02, 0.025, 0.035], opacity: 0.75 }
    }
}

/// Triangle mesh to draw. Both sides are visible. Triangles with missing or non-finite vertices are left out.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    /// Name, stored in the EXR's header with the object's number.
    pub name: &'a str,
    /// Vertex positions [m].
    pub positions: &'a [Vec3],
    /// Vertex indices per triangle.
    pub triangles: &'a [[u32; 3]],
    /// Chart coordinates [m or repeats]; empty if there are none.
    pub uv: &'a [Vec2],
    /// Indices into `uv`, one entry per triangle; empty if there are none.
    pub uv_triangles: &'a [[u32; 3]],
    /// Colour.
    pub paint: Paint<'a>,
    /// Shading law.
    pub shading: Shading,
    /// Wetness of each vertex, from 0 to 1. An empty slice means dry.
    pub wet: &'a [f64],
    /// Largest angle between triangles at a vertex that are shaded as a single curved surface [rad].
    pub crease: f64,
}

/// Colour source of a surface. Colours are linear RGB in 0..1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint<'a> {
    /// Uniform colour.
    Colour([f64; 3]),
    /// Checker in the chart, with `a` everywhere if there is no chart.
    Checker {
        /// Colour of the square at the origin.
        a: [f64; 3],
        /// Colour of its neighbours.
        b: [f64; 3],
        /// Side of a square, in units of the chart.
        size: f64,
    },
    /// Value per vertex through a colour map, with a legend in the picture. Missing and non-finite values are grey.
    Field {
        /// Values of the vertices.
        values: &'a [f64],
        /// Value at the first colour.
        min: f64,
        /// Value at the last colour.
        max: f64,
        /// Colour map.
        map: Map,
        /// Name of the field.
        label: &'a str,
        /// Unit; may be empty.
        unit: &'a str,
    },
}
