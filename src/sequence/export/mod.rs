//! Export of a run's meshes to the formats of other programs.
//!
//! A [`Source`] reads the run folder frame by frame. A [`Sink`] writes one format. Neither holds more than a frame.
//! Files get their final names once they are complete.

mod alembic;
mod embed;
mod gltf;
mod look;
mod normals;
mod obj;
mod ogawa;
mod points;
mod shell;
mod source;
mod subdivision;
mod surface;
mod usd;
mod usdc;

pub use alembic::Alembic;
pub use gltf::Gltf;
pub use look::Look;
pub use obj::Files;
pub use points::{Order, Points};
pub use source::{Embedded, Made, Normals, Range, Source};
pub use usd::{Clips, Usd};

use super::disk::DiskError;
use crate::linalg::Vec3;
use crate::mesh::Materials;
use crate::scene::Up;
use std::path::PathBuf;

/// Data that is constant over all frames.
#[derive(Clone, Debug)]
pub struct ExportHeader {
    /// Name of the scene.
    pub name: String,
    /// Frames per second.
    pub fps: f64,
    /// Axis that points up.
    pub up: Up,
    /// Origin of all positions in the scene [m], for formats that can add it.
    pub origin: Vec3,
    /// First and last frame.
    pub frames: Range,
    /// Looks of faces, in order of first use.
    pub looks: Vec<Look>,
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
    /// Faces as in the file that the object came from: corners as triangle and corner index.
    pub faces: Vec<Vec<[usize; 2]>>,
    /// Texture coordinates.
    pub chart: Option<Chart>,
    /// Index of the look of each triangle in [`ExportHeader::looks`].
    pub looks: Vec<u32>,
    /// Names of the objects in the source file, and which of them each triangle belongs to.
    pub origins: Materials,
    /// Linear colour of the object.
    pub colour: [f32; 3],
    /// Whether it is shaded smooth. Obstacles with sharp edges are not.
    pub smooth: bool,
    /// Whether USD and Alembic have its normals.
    pub normals: bool,
    /// Whether the object never moves. If so, only the first frame has a sample.
    pub still: bool,
    /// Frames at which the object is present; `None` means all. At other frames its samples are those of the nearest
    /// frame at which it is present.
    pub there: Option<std::ops::Range<u32>>,
}

impl Part {
    /// Returns the entries of `triangles` at the corners of all faces, in order.
    pub fn corners<'a>(&'a self, triangles: &'a [[u32; 3]]) -> impl Iterator<Item = u32> + 'a {
        self.faces.iter().flatten().map(|[t, k]| triangles[*t][*k])
    }

    /// Sets whether it never moves, and the frames at which it is present.
    fn lasting(self, still: bool, there: Option<std::ops::Range<u32>>) -> Part {
        Part { still, there, ..self }
    }

    /// Returns the names that it has in the source file, as one text; `None` without any.
    pub fn source(&self) -> Option<String> {
        (!self.origins.names.is_empty()).then(|| self.origins.names.join("; "))
    }

    /// Returns the number of each face's name in the source file, from 0; -1 without one. `None` if they have the same.
    pub fn face_origins(&self) -> Option<impl ExactSizeIterator<Item = i32> + '_> {
        let of = |face: &Vec<[usize; 2]>| {
            let number = face.first().and_then(|[t, _]| self.origins.triangles.get(*t)).copied().unwrap_or(0);
            number as i32 - 1
        };
        (self.origins.names.len() > 1).then(|| self.faces.iter().map(of))
    }

    /// Returns the look of each face.
    pub fn face_looks(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.faces.iter().map(|face| face.first().and_then(|[t, _]| self.looks.get(*t)).copied().unwrap_or(0))
    }

    /// Returns the looks that it has, ascending, each with its faces.
    pub fn sets(&self) -> Vec<(u32, Vec<i32>)> {
        let mut sets: std::collections::BTreeMap<u32, Vec<i32>> = std::collections::BTreeMap::new();
        (0..).zip(self.face_looks()).for_each(|(face, look)| sets.entry(look).or_default().push(face));
        sets.into_iter().collect()
    }

    /// Returns whether the object is present at a frame.
    pub fn shows(&self, frame: u32) -> bool {
        self.there.as_ref().is_none_or(|there| there.contains(&frame))
    }
}

/// Texture coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Coordinates per vertex.
    Vertices(Vec<[f32; 2]>),
    /// Coordinates with indices per triangle, for seams.
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
    /// Returns the smallest and largest coordinates; zero without vertices.
    pub fn bounds(&self) -> [[f32; 3]; 2] {
        let Some(first) = self.positions.first() else { return [[0.0; 3]; 2] };
        self.positions.iter().fold([*first, *first], |[low, high], p| {
            [[0, 1, 2].map(|k| low[k].min(p[k])), [0, 1, 2].map(|k| high[k].max(p[k]))]
        })
    }
}

/// A writer of one format. Frames come in order. Within a frame come the parts that have a sample.
pub trait Sink {
    /// Adds a part (its index in [`ExportHeader::parts`]) at a frame, also where it is not visible.
    ///
    /// # Errors
    /// The disk refuses.
    fn add(&mut self, part: usize, frame: u32, sample: &Sample) -> Result<(), DiskError>;

    /// Ends a frame, after its last part.
    ///
    /// # Errors
    /// The disk refuses.
    fn end_frame(&mut self, _frame: u32) -> Result<(), DiskError> {
        Ok(())
    }

    /// Publishes the remaining files, after the last frame. Returns the paths to report.
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

/// Returns a name of letters, digits and `_` that does not begin with a digit.
fn identifier(name: &str) -> String {
    let mut out: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

/// Returns distinct identifiers for names.
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
