//! A run's meshes in the formats of other programs.
//!
//! A [`Source`] reads the run folder frame after frame, a [`Sink`] writes one format; neither holds more than a frame. Files
//! appear under their names once they are whole.

mod alembic;
mod embed;
mod gltf;
mod obj;
mod ogawa;
mod points;
mod shell;
mod source;
mod subdivision;
mod usd;
mod usdc;

pub use alembic::Alembic;
pub use gltf::Gltf;
pub use obj::Files;
pub use points::{Order, Points};
pub use source::{Embedded, Made, Range, Source};
pub use usd::{Clips, Usd};

use super::disk::DiskError;
use crate::linalg::Vec3;
use crate::scene::Up;
use std::path::PathBuf;

/// What is the same in all frames.
#[derive(Clone, Debug)]
pub struct Take {
    /// Name of the scene.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
    /// Which axis points up.
    pub up: Up,
    /// What the origin of all positions is in the scene [m]; formats that can add it.
    pub origin: Vec3,
    /// First and last frame.
    pub frames: Range,
    /// Objects.
    pub parts: Vec<Part>,
}

/// An object.
#[derive(Clone, Debug)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Vertex indices per triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Faces as in the file that the object came from: places of corners, as triangle and corner.
    pub faces: Vec<Vec<[usize; 2]>>,
    /// Texture coordinates.
    pub chart: Option<Chart>,
    /// Number of its material: the same for all objects of a material.
    pub material: i32,
    /// It never moves, and has the sample of the first frame only.
    pub still: bool,
    /// Frames at which it is there; `None`: at all. Elsewhere its samples are those of the nearest frame at which it is.
    pub there: Option<std::ops::Range<u32>>,
}

impl Part {
    /// Entries of `triangles` at the corners of all faces, one after the other.
    pub fn corners<'a>(&'a self, triangles: &'a [[u32; 3]]) -> impl Iterator<Item = u32> + 'a {
        self.faces.iter().flatten().map(|[t, k]| triangles[*t][*k])
    }

    /// It is there at a frame.
    pub fn shows(&self, frame: u32) -> bool {
        self.there.as_ref().is_none_or(|there| there.contains(&frame))
    }
}

/// Texture coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// One a vertex.
    Vertices(Vec<[f32; 2]>),
    /// With a topology of its own, for seams: coordinates, and indices of them per triangle.
    Corners(Vec<[f32; 2]>, Vec<[u32; 3]>),
}

/// An object at a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Position of each vertex [m].
    pub positions: Vec<[f32; 3]>,
    /// Velocity of each vertex [m/s].
    pub velocities: Option<Vec<[f32; 3]>>,
    /// Further values per vertex, by name.
    pub fields: Vec<(String, Vec<[f32; 1]>)>,
}

impl Sample {
    /// Smallest and largest coordinates; zero without vertices.
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        let Some(first) = self.positions.first() else { return [[0.0; 3]; 2] };
        self.positions.iter().fold([*first, *first], |[low, high], p| {
            [[0, 1, 2].map(|k| low[k].min(p[k])), [0, 1, 2].map(|k| high[k].max(p[k]))]
        })
    }
}

/// A writer of one format. Frames come in order; within a frame the parts that have a sample.
pub trait Sink {
    /// Takes a part (its place in [`Take::parts`]) at a frame, also where it does not show.
    ///
    /// # Errors
    /// The disk refuses.
    fn add(&mut self, part: usize, frame: u32, sample: &Sample) -> Result<(), DiskError>;

    /// After the last part of a frame.
    ///
    /// # Errors
    /// The disk refuses.
    fn end_frame(&mut self, _frame: u32) -> Result<(), DiskError> {
        Ok(())
    }

    /// After the last frame: publishes what is not yet there; gives the files to tell of.
    ///
    /// # Errors
    /// The disk refuses.
    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, DiskError>;
}

/// Fills a buffer with numbers, little endian.
fn le_bytes<const N: usize>(values: &[[f32; N]], out: &mut Vec<u8>) {
    out.clear();
    out.extend(values.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
}

/// A name of letters, digits and `_` that begins with no digit.
fn identifier(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

/// Identifiers of names, no two the same.
fn identifiers<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        let mut one = identifier(name);
        while all.contains(&one) {
            one.push('_');
        }
        all.push(one);
    }
    all
}
