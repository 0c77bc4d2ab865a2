//! Triangle meshes in file order: topology, named groups, checks, generators, OBJ and PLY. Tetrahedral meshes: read
//! from Gmsh, TetGen and VTK, or made inside a closed surface.

/// Reader of USD and Alembic.
pub mod archive;
/// Meshes from arrays in memory.
pub mod arrays;
/// Borders that are to be sewn together.
pub mod border;
/// Checks of meshes. All faults are reported in words.
pub mod check;
/// Tetrahedra inside a closed surface.
pub mod fill;
/// Meshes made by formula: sheets and solids.
pub mod generate;
/// Reader of Gmsh.
pub mod gmsh;
/// Selections of vertices: box, sphere, list.
pub mod group;
/// Rows and columns of vertices.
pub mod lattice;
/// Materials of faces.
pub mod materials;
/// Reader and writer of Wavefront OBJ.
pub mod obj;
/// Reader and writer of PLY.
pub mod ply;
/// Reader of PC2 and MDD point caches.
pub mod point_cache;
/// Triangulation of polygons.
pub mod polygon;
/// Tetrahedral meshes: volume, orientation, quality, surface.
pub mod tet;
/// Refinement of triangles, and surfaces moved outward.
pub mod refine;
/// Numbers in messages.
pub mod number_text;
/// Text encodings.
pub mod text;
/// Borders that coincide.
pub mod seam;
/// Reader of TetGen.
pub mod tetgen;
/// Edges, hinges, boundary, triangles around a vertex.
pub mod topology;
/// Triangles wound against their neighbours.
pub mod turn;
/// A folder beyond which nothing is read.
pub mod within;
/// Reader of legacy VTK.
pub mod vtk;

mod cursor;
mod error;
mod statement;

pub use error::MeshError;
pub use materials::Materials;
pub use tet::TetMesh;

use crate::linalg::{Vec2, Vec3};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Text of notes on an incomplete chart.
pub const LEFT_OUT: &str = "the chart (UV) is left out";

/// Triangle mesh. Order and count of vertices are those of its file, including unused vertices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TriMesh {
    /// Vertex positions [m].
    pub positions: Vec<Vec3>,
    /// Vertex indices per triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Material (texture) chart: coordinates with a topology of their own, one entry of `uv_triangles` per triangle.
    /// Both are empty if the file has none.
    pub uv: Vec<Vec2>,
    /// Indices into `uv` per triangle; empty when there is no chart.
    pub uv_triangles: Vec<[u32; 3]>,
    /// Named vertex groups, indices ascending.
    pub groups: BTreeMap<String, Vec<u32>>,
    /// Named scalars per vertex (PLY properties beyond position, normal, colour and texture).
    pub channels: BTreeMap<String, Vec<f64>>,
    /// Warnings of the reader about content that it left out or changed, with the place if there is one.
    pub notes: Vec<MeshError>,
    /// Places of its triangles in the file.
    pub source: Source,
    /// Materials of its triangles.
    pub materials: Materials,
    /// Objects in the source file (prims, `o` of OBJ, panels of a pattern), and that of each triangle.
    pub origins: Materials,
    /// Representative of each vertex where borders are joined ([`seam::weld`]). If empty, each vertex represents
    /// itself.
    pub joined: Vec<u32>,
}

/// Places in a file of the triangles of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// Face of each triangle, counted from 0; empty where each face is one triangle.
    pub faces: Vec<u32>,
    /// Line of each face; empty in files without lines.
    pub lines: Vec<u32>,
}

impl Source {
    /// Returns the face of triangle `t`, in words.
    pub fn named(&self, t: usize) -> String {
        let face = self.faces.get(t).map_or(t, |f| *f as usize);
        match self.lines.get(face) {
            Some(line) => format!("face of line {line}"),
            None if self.faces.is_empty() => format!("triangle {t}"),
            None => format!("face {face}"),
        }
    }
}

impl TriMesh {
    /// Returns its triangles, with joined vertices replaced by their representatives.
    pub fn joined_triangles(&self) -> Vec<[u32; 3]> {
        let of = |v: u32| self.joined.get(v as usize).copied().unwrap_or(v);
        self.triangles.iter().map(|t| t.map(of)).collect()
    }

    /// Removes the triangles for which `out` is true.
    pub fn leave_out(&mut self, out: &[bool]) {
        if !out.contains(&true) {
            return;
        }
        let mut faces = std::mem::take(&mut self.source.faces);
        if faces.is_empty() {
            faces = (0..self.triangles.len() as u32).collect();
        }
        let kept = |t: &usize| out.get(*t) != Some(&true);
        let all = || (0..self.triangles.len()).filter(kept);
        let uv_triangles = all().filter_map(|t| self.uv_triangles.get(t).copied()).collect();
        self.source.faces = all().filter_map(|t| faces.get(t).copied()).collect();
        self.materials = self.materials.chosen(all());
        self.origins = self.origins.chosen(all());
        let triangles = all().map(|t| self.triangles[t]).collect();
        (self.triangles, self.uv_triangles) = (triangles, uv_triangles);
    }

    /// Returns whether the other mesh has as many vertices and the same faces. Polygons may be cut differently.
    pub fn same_faces(&self, other: &TriMesh) -> bool {
        let corners = |mesh: &TriMesh| {
            let face = |t: usize| mesh.source.faces.get(t).map_or(t, |f| *f as usize);
            let all = mesh.triangles.iter().enumerate().flat_map(|(t, tri)| tri.map(|v| (face(t), v)));
            let mut all: Vec<(usize, u32)> = all.collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        self.positions.len() == other.positions.len()
            && self.triangles.len() == other.triangles.len()
            && (self.triangles == other.triangles || corners(self) == corners(other))
    }
}

/// Reads a mesh from the bytes of a file whose name ends in `extension` (`obj` or `ply`, any case).
///
/// # Errors
/// Fails for an unknown extension, and as [`obj::read`] and [`ply::read`] do.
pub fn read(extension: &str, bytes: &[u8]) -> Result<TriMesh, MeshError> {
    let bytes = text::there(bytes)?;
    match extension.to_ascii_lowercase().as_str() {
        "obj" => obj::read(bytes),
        "ply" => ply::read(bytes).map(|read| read.mesh),
        other => {
            Err(MeshError::new(format!("unknown kind of mesh file '.{other}'; .obj, .ply, USD and Alembic are read")))
        }
    }
}

/// Reads a tetrahedral mesh from the bytes of a file whose name ends in `extension` (`msh`, `vtk`, `node` or `ele`, any
/// case). The mesh is oriented ([`TetMesh::orient`]), as its [`check`](check::tet::check) requires. The two files of
/// TetGen belong together, and either may be named. `beside` returns the bytes of the file of the same name with the
/// other extension.
///
/// # Errors
/// Fails for an unknown extension, if `beside` fails, and as [`gmsh::read`], [`vtk::read`] and [`tetgen`] do.
pub fn read_tets(
    extension: &str,
    bytes: &[u8],
    beside: impl FnOnce(&str) -> Result<Vec<u8>, MeshError>,
) -> Result<TetMesh, MeshError> {
    // The caller prepends the name of the given file, so faults of the other file must say so.
    let other =
        |kind: &'static str| move |fault: MeshError| MeshError::new(format!("in the .{kind} file beside it: {fault}"));
    let mut mesh = match extension.to_ascii_lowercase().as_str() {
        "msh" => gmsh::read(text::there(bytes)?)?,
        "vtk" => vtk::read(text::there(bytes)?)?,
        "node" => {
            let (nodes, ele) = (tetgen::read_nodes(text::there(bytes)?)?, beside("ele")?);
            text::there(&ele).and_then(|ele| nodes.read_tets(ele)).map_err(other("ele"))?
        }
        "ele" => {
            let nodes = beside("node")?;
            let nodes = text::there(&nodes).and_then(tetgen::read_nodes).map_err(other("node"))?;
            nodes.read_tets(text::there(bytes)?)?
        }
        unknown => {
            return Err(MeshError::new(format!(
                "unknown kind of tetrahedral mesh file '.{unknown}'; .msh, .vtk, .node and .ele are read"
            )));
        }
    };
    mesh.orient();
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &[u8] = b"4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";

    #[test]
    fn tetrahedra_are_read_by_extension_and_turned() {
        let none = |_: &str| -> Result<Vec<u8>, MeshError> { panic!("one file is enough") };
        let vtk = b"# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n\
                    CELLS 1 5\n4 0 1 3 2\nCELL_TYPES 1\n10\n";
        let msh = b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
                    $Elements\n1\n1 4 0 1 2 4 3\n$EndElements\n";
        let ele = b"1 4 0\n0 0 1 3 2\n";
        let read = [
            read_tets("vtk", vtk, none).unwrap(),
            read_tets("MSH", msh, none).unwrap(),
            read_tets("node", NODES, |kind| if kind == "ele" { Ok(ele.to_vec()) } else { panic!("{kind}") }).unwrap(),
            read_tets("ele", ele, |kind| if kind == "node" { Ok(NODES.to_vec()) } else { panic!("{kind}") }).unwrap(),
        ];
        for mesh in read {
            assert_eq!(mesh.tets, [[0, 1, 2, 3]]);
            assert!(check::tet::check(&mesh).is_empty());
        }
    }

    #[test]
    fn faults_of_the_file_beside_say_so() {
        let describe = |result: Result<TetMesh, MeshError>| result.unwrap_err().to_string();
        let wrong = read_tets("node", NODES, |_| Ok(b"1 4 0\n0 0 1 3 9\n".to_vec()));
        assert_eq!(describe(wrong), "in the .ele file beside it: 2:9: point 9 does not exist, there are 4 from 0");
        assert_eq!(
            describe(read_tets("ele", b"1 4 0\n0 0 1 3 9\n", |_| Ok(NODES.to_vec()))),
            "2:9: point 9 does not exist, there are 4 from 0"
        );
        assert_eq!(describe(read_tets("ele", b"", |_| Err(MeshError::new("no such file")))), "no such file");
        assert!(
            describe(read_tets("obj", b"", |_| Ok(Vec::new())))
                .starts_with("unknown kind of tetrahedral mesh file '.obj'")
        );
    }
}
