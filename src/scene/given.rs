//! Meshes in memory that a scene names in place of files: `mesh = "memory:sheet"`.

use crate::linalg::Vec3;
use crate::mesh::{TetMesh, TriMesh};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Start of the name of a mesh in memory.
pub const MEMORY: &str = "memory:";

/// Content in place of a mesh file.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Triangles, in place of an OBJ or PLY file, as [`Arrays::mesh`](crate::mesh::arrays::Arrays::mesh) makes them.
    Surface(Box<TriMesh>),
    /// Tetrahedra, in place of a VTK file.
    Solid(TetMesh),
    /// Positions of all vertices by sample, in place of a PC2 file: as many in each sample, at least one sample.
    Points(Vec<Vec<Vec3>>),
}

impl Shape {
    /// Returns the extension of a file of the same kind.
    fn extension(&self) -> &'static str {
        match self {
            Shape::Surface(_) => "ply",
            Shape::Solid(_) => "vtk",
            Shape::Points(_) => "pc2",
        }
    }
}

/// Meshes in memory by name. Copies share them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given(BTreeMap<String, Arc<Shape>>);

impl Given {
    /// Adds a mesh, which the scene names as `"memory:NAME"`. Replaces one of the same name.
    pub fn insert(&mut self, name: &str, shape: Shape) {
        self.0.insert(name.to_string(), Arc::new(shape));
    }

    /// Returns the names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the path that stands for a mesh in memory. Its extension is that of a file of the same kind.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        Some(format!("{MEMORY}{name}.{}", self.0.get(name)?.extension()).into())
    }

    /// Returns the shape of a path.
    pub(super) fn shape(&self, path: &Path) -> Option<&Shape> {
        self.0.get(name(path)?).map(|shape| &**shape)
    }
}

/// Returns the name of a mesh in memory, from the path that stands for it.
pub(super) fn name(path: &Path) -> Option<&str> {
    Some(path.to_str()?.strip_prefix(MEMORY)?.rsplit_once('.')?.0)
}
