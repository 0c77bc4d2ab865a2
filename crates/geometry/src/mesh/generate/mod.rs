//! Meshes made by formula. All functions are pure: the same arguments give the same mesh.

mod brick;
mod flip;
mod sheet;
mod solid;

pub use brick::brick;
pub use flip::flip_edges;
pub use sheet::{Diagonals, equilateral_sheet, hanging, lying, random_sheet, sheet};
pub use solid::{capsule, cuboid, plane, sphere};

use crate::mesh::TriMesh;
use crate::mesh::topology::Topology;

/// Returns the length of the longest edge [m]; zero without triangles.
pub fn longest_edge(mesh: &TriMesh) -> f64 {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let length = |[a, b]: &[u32; 2]| (mesh.positions[*a as usize] - mesh.positions[*b as usize]).norm();
    topology.edges.iter().map(length).fold(0.0, f64::max)
}

/// Returns the smallest angle of all triangles [degrees].
pub fn smallest_angle(mesh: &TriMesh) -> f64 {
    let mut smallest = f64::MAX;
    for tri in &mesh.triangles {
        let p = tri.map(|v| mesh.positions[v as usize]);
        for k in 0..3 {
            let (a, b, c) = (p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
            smallest = smallest.min((b - a).angle(&(c - a)));
        }
    }
    smallest.to_degrees()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::mesh::check::check;

    /// Returns the enclosed volume, positive for outward normals.
    pub(crate) fn volume(mesh: &TriMesh) -> f64 {
        let part = |tri: &[u32; 3]| {
            let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
            a.dot(&b.cross(&c)) / 6.0
        };
        mesh.triangles.iter().map(part).sum()
    }

    /// Asserts that a mesh is sound, closed, connected and of genus 0, with outward normals and no angle below `angle`
    /// degrees.
    pub(crate) fn assert_closed(mesh: &TriMesh, angle: f64) {
        assert_eq!(check(mesh), []);
        let t = Topology::new(mesh.positions.len(), &mesh.triangles);
        assert!(t.boundary.iter().all(|b| !b), "a boundary");
        assert!(t.edge_valence.iter().all(|v| *v == 2));
        assert_eq!(mesh.positions.len() + mesh.triangles.len(), t.edges.len() + 2, "Euler characteristic of a sphere");
        assert!(volume(mesh) > 0.0);
        let smallest = smallest_angle(mesh);
        assert!(smallest >= angle, "smallest angle {smallest} degrees");
    }
}
