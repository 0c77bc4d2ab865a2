//! What is drawn and how: plain data.

use super::camera::Camera;
use super::colormap::Map;
use super::light::Lights;
use super::shading::Shading;
use crate::linalg::{Vec2, Vec3};

/// How a picture is made.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
    /// Samples of a pixel, a fixed pattern; taken as at least 1.
    pub samples: usize,
    /// The camera.
    pub camera: Camera,
    /// Key light and fill.
    pub lights: Lights,
    /// The floor, if any.
    pub ground: Option<Ground>,
    /// What is seen where nothing is.
    pub background: Background,
    /// Lines along the triangles' edges, if any.
    pub wireframe: Option<Wireframe>,
    /// What is written into the picture's upper left corner, if anything.
    pub note: Option<&'static str>,
}

impl Settings {
    /// A picture with 16 samples a pixel, studio lights, a background from blue-grey to white and no ground.
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

/// An endless floor that takes shadows and fades into the background. Lit and unshadowed it has exactly its colour.
/// It is seen from above only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// Height along the up direction [m].
    pub height: f64,
    /// Linear RGB.
    pub colour: [f64; 3],
}

impl Ground {
    /// A light floor.
    pub fn at(height: f64) -> Ground {
        Ground { height, colour: [0.54, 0.55, 0.56] }
    }
}

/// A vertical gradient over the picture, linear RGB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Background {
    /// At the upper edge.
    pub top: [f64; 3],
    /// At the lower edge.
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
    /// 0 invisible, 1 opaque.
    pub opacity: f64,
}

impl Default for Wireframe {
    fn default() -> Self {
        Wireframe { width: 1.0, colour: [0.02, 0.025, 0.035], opacity: 0.75 }
    }
}

/// A triangle mesh to draw. Both sides are seen. Triangles with missing or non-finite vertices are left out.
#[derive(Clone, Debug)]
pub struct Object<'a> {
    /// Name, kept in the EXR's header beside the object's number.
    pub name: &'a str,
    /// Vertex positions [m].
    pub positions: &'a [Vec3],
    /// Vertex indices per triangle.
    pub triangles: &'a [[u32; 3]],
    /// Chart coordinates [m or repeats]; empty when there are none.
    pub uv: &'a [Vec2],
    /// Indices into `uv`, one entry per triangle; empty when there are none.
    pub uv_triangles: &'a [[u32; 3]],
    /// Colour.
    pub paint: Paint<'a>,
    /// Answer to light.
    pub shading: Shading,
    /// How wet each vertex is, from 0 to 1; empty: dry.
    pub wet: &'a [f64],
    /// Largest angle between triangles at a vertex that are shaded as one curved surface [rad].
    pub crease: f64,
}

/// Where a surface takes its colour from. Colours are linear RGB in 0..1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Paint<'a> {
    /// One colour.
    Colour([f64; 3]),
    /// A checker in the chart; `a` everywhere where there is no chart.
    Checker {
        /// Colour of the square at the origin.
        a: [f64; 3],
        /// Colour of its neighbours.
        b: [f64; 3],
        /// Side of a square, in units of the chart.
        size: f64,
    },
    /// A value per vertex through a colour map, with a legend in the picture. Missing and non-finite values are grey.
    Field {
        /// One value per vertex.
        values: &'a [f64],
        /// Value at the first of the colours.
        min: f64,
        /// Value at the last of them.
        max: f64,
        /// The colours.
        map: Map,
        /// What it is.
        label: &'a str,
        /// Its unit; may be empty.
        unit: &'a str,
    },
}
