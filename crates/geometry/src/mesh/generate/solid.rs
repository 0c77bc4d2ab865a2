//! Closed primitives as meshes, inscribed in the true shape, and the plane.

use super::longest_edge;
use super::sheet::{Diagonals, sheet};
use crate::linalg::Vec3;
use crate::mesh::TriMesh;
use std::collections::BTreeMap;
use std::f64::consts::PI;

/// Finest subdivision of a primitive. Guards against a mistyped length.
const FINEST: usize = 256;

/// Makes a sphere with no edge longer than `max_edge` [m]. The faces of an icosahedron are cut into equal triangles and
/// pushed out to `radius` [m].
pub fn sphere(center: Vec3, radius: f64, max_edge: f64) -> TriMesh {
    let coarse = (1.05 * radius / max_edge).ceil().clamp(1.0, FINEST as f64) as usize;
    let mut mesh = geodesic(center, radius, coarse);
    for frequency in coarse + 1..=FINEST {
        if longest_edge(&mesh) <= max_edge {
            break;
        }
        mesh = geodesic(center, radius, frequency);
    }
    mesh
}

/// Faces of the icosahedron.
const FACES: [[usize; 3]; 20] = [
    [0, 11, 5],
    [0, 5, 1],
    [0, 1, 7],
    [0, 7, 10],
    [0, 10, 11],
    [1, 5, 9],
    [5, 11, 4],
    [11, 10, 2],
    [10, 7, 6],
    [7, 1, 8],
    [3, 9, 4],
    [3, 4, 2],
    [3, 2, 6],
    [3, 6, 8],
    [3, 8, 9],
    [4, 9, 5],
    [2, 4, 11],
    [6, 2, 10],
    [8, 6, 7],
    [9, 8, 1],
];

fn geodesic(center: Vec3, radius: f64, frequency: usize) -> TriMesh {
    let t = 0.5 * (1.0 + 5f64.sqrt());
    let corners = [
        [-1.0, t, 0.0],
        [1.0, t, 0.0],
        [-1.0, -t, 0.0],
        [1.0, -t, 0.0],
        [0.0, -1.0, t],
        [0.0, 1.0, t],
        [0.0, -1.0, -t],
        [0.0, 1.0, -t],
        [t, 0.0, -1.0],
        [t, 0.0, 1.0],
        [-t, 0.0, -1.0],
        [-t, 0.0, 1.0],
    ]
    .map(Vec3::from);
    let mut mesh = TriMesh::default();
    // A vertex is identified by its weights on the corners, so neighbours share it.
    let mut known: BTreeMap<[(usize, usize); 3], u32> = BTreeMap::new();
    let n = frequency;
    for face in FACES {
        let mut vertex = |i: usize, j: usize| {
            let mut key = [(face[0], n - i - j), (face[1], i), (face[2], j)]
                .map(|(c, w)| if w == 0 { (0, 0) } else { (c + 1, w) });
            key.sort_unstable();
            *known.entry(key).or_insert_with(|| {
                let p =
                    corners[face[0]] * (n - i - j) as f64 + corners[face[1]] * i as f64 + corners[face[2]] * j as f64;
                mesh.positions.push(center + p.normalize() * radius);
                (mesh.positions.len() - 1) as u32
            })
        };
        for i in 0..n {
            for j in 0..n - i {
                let (a, b, c) = (vertex(i, j), vertex(i + 1, j), vertex(i, j + 1));
                mesh.triangles.push([a, b, c]);
                if i + j + 1 < n {
                    let d = vertex(i + 1, j + 1);
                    mesh.triangles.push([b, d, c]);
                }
            }
        }
    }
    mesh
}

/// Makes an axis-aligned box from `min` to `max` [m] with no edge longer than `max_edge` [m].
pub fn cuboid(min: Vec3, max: Vec3, max_edge: f64) -> TriMesh {
    let size = max - min;
    // The diagonal of a square cell is the longest edge.
    let cells = size.map(|x| (x * 2f64.sqrt() / max_edge).ceil().clamp(1.0, FINEST as f64) as usize);
    let mut mesh = TriMesh::default();
    let mut known: BTreeMap<[usize; 3], u32> = BTreeMap::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, 1] {
            let mut vertex = |i: usize, j: usize| {
                let mut key = [0; 3];
                key[axis] = side * cells[axis];
                key[u] = i;
                key[v] = j;
                *known.entry(key).or_insert_with(|| {
                    mesh.positions.push(Vec3::from_fn(|k, _| min[k] + size[k] * key[k] as f64 / cells[k] as f64));
                    (mesh.positions.len() - 1) as u32
                })
            };
            for j in 0..cells[v] {
                for i in 0..cells[u] {
                    let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                    let (a, b, c, d) = if side == 1 { (a, b, c, d) } else { (a, d, c, b) };
                    if (i + j) % 2 == 0 {
                        mesh.triangles.extend([[a, b, c], [a, c, d]]);
                    } else {
                        mesh.triangles.extend([[a, b, d], [b, c, d]]);
                    }
                }
            }
        }
    }
    mesh
}

/// Makes a square part of a plane about `point` with unit `normal`, `half_size` [m] to each side. No edge is longer
/// than `max_edge` [m] (down to 256 cells a side).
pub fn plane(point: Vec3, normal: Vec3, half_size: f64, max_edge: f64) -> TriMesh {
    let axis = normal.iamin();
    let u = Vec3::from_fn(|k, _| f64::from(k == axis)).cross(&normal).normalize();
    let v = normal.cross(&u);
    let n = (2.0 * half_size * 2f64.sqrt() / max_edge).ceil().clamp(1.0, FINEST as f64) as usize + 1;
    let mesh = sheet(n, n, 2.0 * half_size, 2.0 * half_size, Diagonals::Alternating, |m| {
        point + u * (m.x - half_size) + v * (m.y - half_size)
    });
    TriMesh { positions: mesh.positions, triangles: mesh.triangles, ..TriMesh::default() }
}

/// Makes a capsule (all points within `radius` [m] of the segment from `a` to `b`) with no edge longer than `max_edge`
/// [m].
pub fn capsule(a: Vec3, b: Vec3, radius: f64, max_edge: f64) -> TriMesh {
    // Smallest edge: the straight part of a long capsule has at most `FINEST` rings.
    let finest = radius.max((b - a).norm()) / FINEST as f64;
    let mut edge = (0.95 * max_edge).max(finest);
    loop {
        let mesh = capsule_of(a, b, radius, edge);
        // This form of the condition ends the loop for lengths that are not numbers, too.
        let too_long = longest_edge(&mesh) > max_edge && edge > finest;
        if !too_long {
            return mesh;
        }
        edge *= 0.95;
    }
}

fn capsule_of(a: Vec3, b: Vec3, radius: f64, edge: f64) -> TriMesh {
    let axis = b - a;
    let length = axis.norm();
    let z = if length > 0.0 { axis / length } else { Vec3::z() };
    let x = Vec3::from_fn(|k, _| f64::from(k == z.iamin())).cross(&z).normalize();
    let y = z.cross(&x);
    let caps = (0.5 * PI * radius / edge).ceil().max(2.0) as usize;
    let straight = if length > 0.0 { (length / edge).ceil().clamp(1.0, FINEST as f64) as usize } else { 0 };
    // Rings from pole to pole: height along the axis from `a` and radius.
    let mut rings: Vec<(f64, f64)> = Vec::new();
    for i in 0..=caps {
        let angle = 0.5 * PI * i as f64 / caps as f64;
        rings.push((-radius * angle.cos(), radius * angle.sin()));
    }
    rings.extend((1..straight).map(|i| (length * i as f64 / straight as f64, radius)));
    let first_of_end = if straight == 0 { 1 } else { 0 };
    for i in first_of_end..=caps {
        let angle = 0.5 * PI * i as f64 / caps as f64;
        rings.push((length + radius * angle.sin(), radius * angle.cos()));
    }
    let mut mesh = TriMesh::default();
    let mut starts = Vec::new();
    let last = rings.len() - 1;
    for (k, &(height, r)) in rings.iter().enumerate() {
        starts.push(mesh.positions.len());
        let count = if k == 0 || k == last { 1 } else { (2.0 * PI * r / edge).ceil().max(5.0) as usize };
        for i in 0..count {
            // Every other ring is rotated by half a step, which makes straight parts equilateral.
            let angle = 2.0 * PI * (i as f64 + 0.5 * (k % 2) as f64) / count as f64;
            let r = if count == 1 { 0.0 } else { r };
            mesh.positions.push(a + z * height + (x * angle.cos() + y * angle.sin()) * r);
        }
    }
    starts.push(mesh.positions.len());
    for (k, ring) in starts.windows(3).enumerate() {
        let (n, m) = (ring[1] - ring[0], ring[2] - ring[1]);
        let turn = |i: usize, count: usize, k: usize| (i as f64 + 0.5 * (k % 2) as f64) / count as f64;
        let below = |i: usize| (ring[0] + i % n) as u32;
        let above = |j: usize| (ring[1] + j % m) as u32;
        let (mut i, mut j) = (0, 0);
        // Walks around both rings once, always across the diagonal that turns less.
        while i < n || j < m {
            let across_below = (turn(i + 1, n, k) - turn(j, m, k + 1)).abs();
            let across_above = (turn(i, n, k) - turn(j + 1, m, k + 1)).abs();
            if n > 1 && i < n && (j == m || m == 1 || across_below <= across_above) {
                mesh.triangles.push([below(i), below(i + 1), above(j)]);
                i += 1;
            } else if m > 1 && j < m {
                mesh.triangles.push([below(i), above(j + 1), above(j)]);
                j += 1;
            } else {
                break;
            }
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::tests::{assert_closed, volume};

    #[test]
    fn spheres_keep_edge_and_sagitta() {
        for max_edge in [0.5, 0.1, 0.03] {
            let mesh = sphere(Vec3::new(1.0, 2.0, 3.0), 0.25, max_edge);
            assert_closed(&mesh, 30.0);
            assert!(longest_edge(&mesh) <= max_edge);
            assert!(longest_edge(&mesh) > 0.75 * max_edge || mesh.positions.len() == 12);
        }
        // An equilateral triangle of edge e on a sphere of radius r lies e^2 / (6 r) deep.
        let edge = (6.0 * 0.25 * 1e-4f64).sqrt();
        let mesh = sphere(Vec3::zeros(), 0.25, edge);
        let depth = |tri: &[u32; 3]| {
            let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
            0.25 - (b - a).cross(&(c - a)).normalize().dot(&a)
        };
        let deepest = mesh.triangles.iter().map(depth).fold(0.0, f64::max);
        assert!(deepest <= 1e-4 && deepest > 5e-5, "{deepest}");
        assert!((volume(&mesh) / (4.0 / 3.0 * PI * 0.25f64.powi(3)) - 1.0).abs() < 2e-3);
    }

    #[test]
    fn boxes_are_exact() {
        let mesh = cuboid(Vec3::new(-1.0, 0.0, 0.0), Vec3::new(1.0, 0.5, 0.25), 0.1);
        assert_closed(&mesh, 30.0);
        assert!(longest_edge(&mesh) <= 0.1 && (volume(&mesh) - 0.25).abs() < 1e-12);
    }

    #[test]
    fn capsules_are_round() {
        for (a, b) in [
            (Vec3::zeros(), Vec3::new(0.0, 1.0, 0.0)),
            (Vec3::zeros(), Vec3::zeros()),
            (Vec3::x(), Vec3::new(0.9, 0.1, 0.0)),
        ] {
            let mesh = capsule(a, b, 0.2, 0.03);
            assert_closed(&mesh, 20.0);
            assert!(longest_edge(&mesh) <= 0.03);
            let exact = PI * 0.04 * ((b - a).norm() + 4.0 / 3.0 * 0.2);
            assert!((volume(&mesh) / exact - 1.0).abs() < 0.01, "{} {exact}", volume(&mesh));
        }
    }

    #[test]
    fn a_plane_faces_its_normal() {
        let normal = Vec3::new(1.0, 2.0, -0.5).normalize();
        let mesh = plane(Vec3::y(), normal, 2.0, 0.5);
        assert!(longest_edge(&mesh) <= 0.5);
        for tri in &mesh.triangles {
            let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
            assert!((b - a).cross(&(c - a)).normalize().dot(&normal) > 1.0 - 1e-9);
            assert!((a - Vec3::y()).dot(&normal).abs() < 1e-12);
        }
    }
}
