//! Triangle meshes in file order: topology, named groups, checks, generators, OBJ and PLY. Tetrahedral meshes: Gmsh,
//! TetGen and VTK.

/// What is wrong with a mesh, all of it, in words.
pub mod check;
/// Tetrahedra inside a closed surface.
pub mod fill;
/// Meshes made by formula: sheets, solids, a mannequin, garments, a car-like hull, pillows.
pub mod generate;
/// Gmsh, in.
pub mod gmsh;
/// Selections of vertices: box, sphere, list, name.
pub mod group;
/// Wavefront OBJ, in and out.
pub mod obj;
/// PLY, in and out.
pub mod ply;
/// Polygons cut into triangles.
pub mod polygon;
/// Tetrahedral meshes: volume, orientation, quality, surface.
pub mod tet;
/// Triangles cut into smaller ones, surfaces moved outward.
pub mod refine;
/// TetGen, in.
pub mod tetgen;
/// Edges, hinges, boundary, triangles around a vertex.
pub mod topology;
/// Legacy VTK, in.
pub mod vtk;

mod cursor;
mod error;
mod statement;

pub use error::MeshError;
pub use tet::TetMesh;

use crate::linalg::{Vec2, Vec3};
use std::collections::BTreeMap;

/// A triangle mesh. Order and count of vertices are those of the file it came from, unused vertices included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Vertex indices per triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Material (texture) chart: coordinates with a topology of their own, one entry of `uv_triangles` per triangle.
    /// Both empty when the file has none.
    pub uv: Vec<Vec2>,
    /// Indices into `uv` per triangle; empty when there is no chart.
    pub uv_triangles: Vec<[u32; 3]>,
    /// Named vertex groups, indices ascending.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// Named scalars per vertex (PLY properties beyond position, normal, colour and texture).
    pub channels: BTreeMap<String, Vec<f64>>,
}

/// Reads a mesh from the bytes of a file whose name ends in `extension` (`obj` or `ply`, any case).
///
/// # Errors
/// An extension that is not known, or what [`obj::read`] and [`ply::read`] find wrong.
pub fn read(extension: &str, bytes: &[u8]) -> Result<TriMesh, MeshError> {
    match extension.to_ascii_lowercase().as_str() {
        "obj" => obj::read(bytes),
        "ply" => ply::read(bytes).map(|read| read.mesh),
        other => Err(MeshError::new(format!("unknown kind of mesh file '.{other}'; .obj and .ply are read"))),
    }
}
