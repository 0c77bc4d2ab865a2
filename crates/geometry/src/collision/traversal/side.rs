//! Side of a surface that a point is on.

use super::Mesh;
use crate::collision::closest::{Feature, PointTriangle};
use crate::linalg::Vec3;

/// Returns 1 for a point on the surface or on the side of its normals, else -1. Triangle `t` has the closest point. A
/// face has its own normal, an edge the sum of its faces' unit normals, and a vertex their angle-weighted sum
/// (Baerentzen & Aanaes 2005, "Signed distance computation using the angle weighted pseudonormal"). The sign is exact
/// for closed surfaces, even where faces on both sides are equally near.
#[inline(always)]
pub(super) fn sign(mesh: &Mesh, x: &[Vec3], p: &Vec3, t: u32, closest: &PointTriangle) -> f64 {
    let [a, b, c] = mesh.corners(x, t);
    let side = match closest.feature() {
        Feature::Face => (b - a).cross(&(c - a)).dot(&(p - a)),
        feature => around(mesh, x, p, t, feature),
    };
    if side < 0.0 { -1.0 } else { 1.0 }
}

fn around(mesh: &Mesh, x: &[Vec3], p: &Vec3, t: u32, feature: Feature) -> f64 {
    let unit = |t: u32| {
        let [a, b, c] = mesh.corners(x, t);
        (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or_default()
    };
    match feature {
        Feature::Face => unit(t).dot(&(p - mesh.corners(x, t)[0])),
        Feature::Edge(k) => {
            let other = mesh.across[t as usize].get(k as usize).filter(|t| **t != crate::mesh::topology::NONE);
            let normal = unit(t) + other.map(|t| unit(*t)).unwrap_or_default();
            normal.dot(&(p - mesh.corners(x, t)[(k as usize + 1) % 3]))
        }
        Feature::Vertex(k) => {
            let vertex = mesh.triangles[t as usize][k as usize];
            let here = x[vertex as usize];
            let local = (vertex - mesh.first) as usize;
            let fan = &mesh.around[mesh.starts[local] as usize..mesh.starts[local + 1] as usize];
            let weighted = fan.iter().map(|t| {
                let corners = mesh.triangles[*t as usize];
                let k = corners.iter().position(|v| *v == vertex).unwrap_or(0);
                let [q, r] = [1, 2].map(|j| x[corners[(k + j) % 3] as usize] - here);
                unit(*t) * q.angle(&r)
            });
            weighted.sum::<Vec3>().dot(&(p - here))
        }
    }
}
