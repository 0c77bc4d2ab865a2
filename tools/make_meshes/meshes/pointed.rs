//! Shapes with sharp points and edges.

use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use std::f64::consts::PI;

/// Makes a closed pyramid on a regular polygon of `sides` corners at `radius` [m] about the y-axis at y = 0, with its
/// apex at `height` [m]. The first corner points to +z.
pub fn spike(radius: f64, height: f64, sides: usize) -> TriMesh {
    let n = sides.max(3) as u32;
    let mut mesh = TriMesh::default();
    for i in 0..n {
        let angle = 2.0 * PI * f64::from(i) / f64::from(n);
        mesh.positions.push(Vec3::new(radius * angle.sin(), 0.0, radius * angle.cos()));
    }
    mesh.positions.extend([Vec3::new(0.0, height, 0.0), Vec3::zeros()]);
    for i in 0..n {
        let next = (i + 1) % n;
        mesh.triangles.extend([[i, next, n], [next, i, n + 1]]);
    }
    mesh
}

/// Makes `count` x `count` needles `spacing` [m] apart about the y-axis: six-sided [`spike`]s on y = 0, each a surface
/// of its own.
pub fn needles(count: usize, spacing: f64, radius: f64, height: f64) -> TriMesh {
    let needle = spike(radius, height, 6);
    let middle = 0.5 * (count.max(1) - 1) as f64;
    let mut mesh = TriMesh::default();
    for i in 0..count {
        for j in 0..count {
            let first = mesh.positions.len() as u32;
            let foot = Vec3::new(i as f64 - middle, 0.0, j as f64 - middle) * spacing;
            mesh.positions.extend(needle.positions.iter().map(|p| p + foot));
            mesh.triangles.extend(needle.triangles.iter().map(|t| t.map(|v| v + first)));
        }
    }
    mesh
}

/// Makes a roof: a closed prism of `length` [m] along z with a ridge at `height` [m] above y = 0 and eaves `half_width`
/// [m] to both sides, cut into `cells` along the ridge.
pub fn wedge(length: f64, half_width: f64, height: f64, cells: usize) -> TriMesh {
    let cells = cells.max(1) as u32;
    let mut mesh = TriMesh::default();
    // Each row has three vertices: left eave, ridge, right eave.
    for k in 0..=cells {
        let z = length * (f64::from(k) / f64::from(cells) - 0.5);
        mesh.positions.extend([
            Vec3::new(-half_width, 0.0, z),
            Vec3::new(0.0, height, z),
            Vec3::new(half_width, 0.0, z),
        ]);
    }
    for k in 0..cells {
        for side in 0..3 {
            let next = (side + 1) % 3;
            let [a, b, c, d] = [3 * k + side, 3 * k + next, 3 * k + 3 + next, 3 * k + 3 + side];
            mesh.triangles.extend([[a, c, b], [a, d, c]]);
        }
    }
    let last = 3 * cells;
    mesh.triangles.extend([[0, 1, 2], [last, last + 2, last + 1]]);
    mesh
}
