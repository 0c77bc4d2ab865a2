//! Triangle meshes in file order.

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
