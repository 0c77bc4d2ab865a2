//! Mesh files: read, placed, checked.

use super::faults::Faults;
use crate::linalg::Vec3;
use crate::mesh::check::{self, Severity};
use crate::mesh::{self, TetMesh, TriMesh};
use crate::scene::place::{MESH, Transform};
use std::path::Path;

/// Reads a mesh file as it is.
pub fn read(file: &Path, faults: &mut Faults) -> Option<TriMesh> {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) => {
            faults.in_file(file, None, None, format!("cannot read the mesh: {error}"));
            return None;
        }
    };
    match mesh::read(&extension(file), &bytes) {
        Ok(mesh) => Some(mesh),
        Err(error) => {
            faults.in_file(file, error.line, error.column, error.what);
            None
        }
    }
}

/// Reads a mesh file, brings it into the world and tells what is wrong with it.
pub fn placed(file: &Path, transform: &Transform, faults: &mut Faults) -> Option<TriMesh> {
    let mut mesh = read(file, faults)?;
    apply(transform, &mut mesh.positions);
    let mut sound = true;
    for fault in check::check(&mesh) {
        match fault.severity {
            Severity::Error => {
                faults.in_file(file, None, None, fault.message);
                sound = false;
            }
            Severity::Warning => faults.warn_in_file(file, fault.message),
        }
    }
    sound.then_some(mesh)
}

/// The file is one of triangles.
pub fn is_surface(file: &Path) -> bool {
    MESH.contains(&extension(file).to_ascii_lowercase().as_str())
}

fn extension(file: &Path) -> String {
    file.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads a file of tetrahedra, brings it into the world and tells what is wrong with it.
pub fn solid(file: &Path, transform: &Transform, faults: &mut Faults) -> Option<TetMesh> {
    let bytes = std::fs::read(file).ok()?;
    let mut mesh = mesh::gmsh::read(&bytes).ok()?;
    apply(transform, &mut mesh.positions);
    mesh.orient();
    let mut sound = true;
    for fault in check::tet::check(&mesh) {
        match fault.severity {
            Severity::Error => {
                faults.in_file(file, None, None, fault.message);
                sound = false;
            }
            Severity::Warning => faults.warn_in_file(file, fault.message),
        }
    }
    sound.then_some(mesh)
}

/// Moves a mesh from the file's coordinates to the world.
pub fn apply(transform: &Transform, positions: &mut [Vec3]) {
    let rotation = transform.rotation();
    for p in positions {
        *p = rotation * (*p * transform.scale) + transform.translate;
    }
}
