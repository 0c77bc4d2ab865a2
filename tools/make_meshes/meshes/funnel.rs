//! A funnel: a cone that opens upwards, on a tube.

use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use std::f64::consts::PI;

/// Number of vertices in a ring.
const AROUND: usize = 72;

/// Makes a funnel of sheet metal about the y-axis: a cone from radius `mouth` [m] at `height` [m] to radius `throat` at
/// height 0, then a tube of length `tube` downwards. Dimensions are of the inside; the wall is `wall` thick. The
/// surface is closed, with a hole through it. Rings are at most `edge` [m] apart.
pub fn funnel(mouth: f64, throat: f64, height: f64, tube: f64, wall: f64, edge: f64) -> TriMesh {
    // The outside of the cone is its inside shifted by the wall along the normal, down and out. It meets the outside of
    // the tube, of radius throat + wall, at the intersection of the two shifted lines.
    let along = Vec3::new(mouth - throat, height, 0.0).normalize();
    let across = Vec3::new(along.y, -along.x, 0.0) * wall;
    let knee = across + along * ((wall - across.x) / along.x);
    let inside = Vec3::new(throat, 0.0, 0.0);
    let corners = [
        Vec3::new(throat, -tube, 0.0),
        inside,
        Vec3::new(mouth, height, 0.0),
        Vec3::new(mouth, height, 0.0) + across,
        inside + knee,
        Vec3::new(throat + wall, -tube, 0.0),
    ];
    // The profile, up inside and down outside: radius and height.
    let mut profile: Vec<Vec3> = Vec::new();
    for (k, a) in corners.iter().enumerate() {
        let b = corners[(k + 1) % corners.len()];
        let cells = ((b - a).norm() / edge).ceil().max(1.0) as usize;
        profile.extend((0..cells).map(|i| a.lerp(&b, i as f64 / cells as f64)));
    }
    let mut mesh = TriMesh::default();
    for p in &profile {
        for i in 0..AROUND {
            let angle = 2.0 * PI * i as f64 / AROUND as f64;
            mesh.positions.push(Vec3::new(p.x * angle.sin(), p.y, p.x * angle.cos()));
        }
    }
    let vertex = |row: usize, i: usize| (row % profile.len() * AROUND + i % AROUND) as u32;
    for row in 0..profile.len() {
        for i in 0..AROUND {
            let [a, b, c, d] = [vertex(row, i), vertex(row + 1, i), vertex(row + 1, i + 1), vertex(row, i + 1)];
            if (row + i) % 2 == 0 {
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                mesh.triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    mesh
}
