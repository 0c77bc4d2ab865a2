//! Seams that are not joined: border vertices that coincide.

use crate::linalg::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::topology::Topology;
use std::collections::HashMap;

/// Two borders of a mesh that are to be sewn together, vertex by vertex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seam {
    /// Name.
    pub name: String,
    /// Vertices that meet, along the seam: that of the first side, then that of the second.
    pub pairs: Vec<[u32; 2]>,
    /// Lengths of both sides [m]. Their difference is the ease.
    pub lengths: [f64; 2],
}

/// Largest distance of coincident vertices, relative to the diagonal of the bounding box. Rounding to single precision
/// moves them by this.
const SAME: f64 = 2e-7;

/// Largest opening of a seam that is meant to be closed: absolute [m], and relative to the shortest edge.
const OPEN: f64 = 2e-5;
const SLIT: f64 = 0.05;

/// Largest number of a cell. Cells beyond it are not distinguished.
const FAR: f64 = 1e18;

/// Returns the representative of each vertex when border vertices at most `within` [m] apart are joined: the first one
/// there, else the vertex itself.
pub fn joined(mesh: &TriMesh, within: f64) -> Vec<u32> {
    let x = &mesh.positions;
    let mut first: Vec<u32> = (0..x.len() as u32).collect();
    let topology = Topology::new(x.len(), &mesh.joined_triangles());
    let finite = |v: &usize| topology.boundary[*v] && x[*v].iter().all(|c| c.is_finite());
    let size = extent(x);
    // Cells must not be too fine for their numbers.
    let cell = within.max(1e-9 * size).max(f64::MIN_POSITIVE);
    let origin = x.iter().copied().find(|p| p.iter().all(|c| c.is_finite())).unwrap_or_default();
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for v in (0..x.len()).filter(finite) {
        let at = ((x[v] - origin) / cell).map(|c| c.floor().clamp(-FAR, FAR) as i64);
        let around = (0..27).map(|k| [at.x + k % 3 - 1, at.y + k / 3 % 3 - 1, at.z + k / 9 - 1]);
        let near = around.filter_map(|c| cells.get(&c)).flatten().copied();
        match near.filter(|w| (x[*w as usize] - x[v]).norm() <= within).min() {
            Some(w) => first[v] = w,
            None => cells.entry([at.x, at.y, at.z]).or_default().push(v as u32),
        }
    }
    first
}

/// Returns border vertices that lie on an earlier one, or nearer than any seam is meant to be open, with that one.
pub fn coincident(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let x = &mesh.positions;
    let sides = mesh.triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let lengths = sides.filter_map(|[a, b]| Some((x.get(a as usize)? - x.get(b as usize)?).norm()));
    let shortest = lengths.filter(|side| *side > 0.0).fold(f64::INFINITY, f64::min);
    let first = joined(mesh, OPEN.min(SLIT * shortest).max(SAME * extent(x)));
    first.iter().zip(0..).filter(|(first, v)| **first != *v).map(|(first, v)| [*first, v]).collect()
}

/// Returns the diagonal of the bounding box [m].
fn extent(x: &[Vec3]) -> f64 {
    let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let (low, high) =
        x.iter().filter(|p| p.iter().all(|c| c.is_finite())).fold(start, |(l, h), p| (l.inf(p), h.sup(p)));
    let size = (high - low).norm();
    if size.is_finite() { size } else { 0.0 }
}

/// Joins coincident border vertices. Returns the number of joined vertices.
pub fn weld_same(mesh: &mut TriMesh) -> usize {
    weld(mesh, SAME * extent(&mesh.positions))
}

/// Joins border vertices at most `within` [m] apart, and moves each to the first one there. Returns the number of
/// joined vertices.
pub fn weld(mesh: &mut TriMesh, within: f64) -> usize {
    mesh.joined.clear();
    let first = joined(mesh, within);
    let mut count = 0;
    for (v, first) in first.iter().enumerate().filter(|(v, first)| **first as usize != *v) {
        mesh.positions[v] = mesh.positions[*first as usize];
        count += 1;
    }
    mesh.joined = if count > 0 { first } else { Vec::new() };
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{check, generate, obj};

    /// Gives each triangle corners of its own.
    pub(super) fn soup(mesh: &TriMesh) -> TriMesh {
        let positions: Vec<Vec3> = mesh.triangles.iter().flatten().map(|v| mesh.positions[*v as usize]).collect();
        let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        TriMesh { positions, triangles, ..TriMesh::default() }
    }

    #[test]
    fn corners_of_a_soup_are_joined_to_the_mesh_it_was() {
        let ball = generate::sphere(Vec3::new(3.0, -1.0, 0.2), 0.5, 0.1);
        let mut mesh = soup(&ball);
        assert_eq!(coincident(&mesh).len(), mesh.positions.len() - ball.positions.len());
        assert_eq!(weld(&mut mesh, 0.0), mesh.positions.len() - ball.positions.len());
        let topology = Topology::new(mesh.positions.len(), &mesh.joined_triangles());
        assert!(topology.edge_valence.iter().all(|n| *n == 2));
        assert_eq!(check::check(&mesh), []);
        assert_eq!(coincident(&mesh), Vec::<[u32; 2]>::new());
    }

    #[test]
    fn places_beyond_all_cells_are_not_joined() {
        let mut mesh = generate::sphere(Vec3::zeros(), 0.5, 0.3);
        mesh.triangles.truncate(3);
        let v = mesh.triangles[0][0];
        for far in [1e30, 1e300, f64::MAX] {
            mesh.positions[v as usize] = Vec3::new(far, -far, 0.0);
            assert!(!coincident(&mesh).iter().flatten().any(|w| *w == v), "{far}");
        }
    }

    #[test]
    fn only_borders_within_reach_are_joined() {
        // Two squares side by side have a slit of 0.05 mm at one end and 0.2 mm at the other. Then a border vertex lies
        // on a vertex of a closed surface.
        let text =
            "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 1.00005 0 0\nv 2 0 0\nv 2 0 1\nv 1.0002 0 1\nf 1 2 3 4\nf 5 6 7 8\n";
        let mut mesh = obj::read(text.as_bytes()).unwrap();
        assert_eq!(coincident(&mesh), Vec::<[u32; 2]>::new());
        assert_eq!(weld(&mut mesh, 1e-4), 1);
        assert_eq!((mesh.joined[4], mesh.joined[7], mesh.positions[4]), (1, 7, mesh.positions[1]));
        assert_eq!(weld(&mut mesh, 1e-3), 2);
        assert_eq!((mesh.joined[4], mesh.joined[7], mesh.joined.len()), (1, 2, 8));
        let mut sheet = generate::sphere(Vec3::zeros(), 0.5, 0.1);
        let count = sheet.positions.len() as u32;
        sheet.positions.extend([Vec3::zeros(), sheet.positions[0], Vec3::x()]);
        sheet.triangles.push([count, count + 1, count + 2]);
        assert_eq!(coincident(&sheet), Vec::<[u32; 2]>::new());
    }
}
