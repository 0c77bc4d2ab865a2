//! Meshes made by formula. All functions are pure: the same arguments give the same mesh.

mod brick;
mod cushion;
mod funnel;
mod garment;
mod hull;
mod implicit;
mod mannequin;
mod pillow;
mod pointed;
mod relax;
mod sheet;
mod shipped;
mod skirt;
mod solid;
mod tshirt;
mod vest;

pub use brick::brick;
pub use cushion::cushion;
pub use funnel::funnel;
pub use hull::hull;
pub use implicit::surface;
pub use mannequin::mannequin;
pub use pillow::pillow;
pub use pointed::{needles, spike, wedge};
pub use sheet::{Diagonals, equilateral_sheet, hanging, lying, random_sheet, sheet};
pub use shipped::shipped;
pub use skirt::skirt;
pub use solid::{capsule, cuboid, edge_for_sagitta, plane, sphere};
pub use tshirt::tshirt;
pub use vest::vest;

use crate::mesh::TriMesh;
use crate::mesh::topology::Topology;

/// Length of the longest edge [m]; zero without triangles.
pub fn longest_edge(mesh: &TriMesh) -> f64 {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let length = |[a, b]: &[u32; 2]| (mesh.positions[*a as usize] - mesh.positions[*b as usize]).norm();
    topology.edges.iter().map(length).fold(0.0, f64::max)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::linalg::Vec3;
    use crate::mesh::check::check;
    use std::collections::BTreeMap;

    /// Enclosed volume, positive for outward normals.
    pub fn volume(mesh: &TriMesh) -> f64 {
        let part = |tri: &[u32; 3]| {
            let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
            a.dot(&b.cross(&c)) / 6.0
        };
        mesh.triangles.iter().map(part).sum()
    }

    /// Smallest angle of all triangles [degrees].
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

    /// Sound, closed, in one piece, of genus 0, outward normals, no angle below `angle` degrees.
    pub fn assert_closed(mesh: &TriMesh, angle: f64) {
        assert_eq!(check(mesh), []);
        let t = Topology::new(mesh.positions.len(), &mesh.triangles);
        assert!(t.boundary.iter().all(|b| !b), "a boundary");
        assert!(t.edge_valence.iter().all(|v| *v == 2));
        assert_eq!(mesh.positions.len() + mesh.triangles.len(), t.edges.len() + 2, "Euler characteristic of a sphere");
        assert!(volume(mesh) > 0.0);
        let smallest = smallest_angle(mesh);
        assert!(smallest >= angle, "smallest angle {smallest} degrees");
    }

    /// Largest relative difference between an edge in space and in the chart.
    pub fn chart_strain(mesh: &TriMesh) -> f64 {
        let mut largest: f64 = 0.0;
        for (tri, chart) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
            for k in 0..3 {
                let (i, j) = (k, (k + 1) % 3);
                let space = (mesh.positions[tri[i] as usize] - mesh.positions[tri[j] as usize]).norm();
                let flat = (mesh.uv[chart[i] as usize] - mesh.uv[chart[j] as usize]).norm();
                largest = largest.max((space / flat - 1.0).abs());
            }
        }
        largest
    }

    /// The garment meets neither itself nor the mannequin, and every garment vertex and edge middle stays at least `gap`
    /// [m] away from the mannequin, and every mannequin vertex from the garment.
    pub fn assert_clear(garment: &TriMesh, gap: f64) {
        let body = mannequin(shipped::MANNEQUIN);
        assert_eq!(crossings(garment, garment, true), 0, "the garment meets itself");
        assert_eq!(
            crossings(garment, &body, false) + crossings(&body, garment, false),
            0,
            "the garment meets the body"
        );
        let nearest = nearest(garment, &body).min(nearest(&body, garment));
        assert!(nearest >= gap, "gap {nearest}");
    }

    fn corners(mesh: &TriMesh) -> Vec<[Vec3; 3]> {
        mesh.triangles.iter().map(|tri| tri.map(|v| mesh.positions[v as usize])).collect()
    }

    /// Triangles of `mesh` by cells of 3 cm, each in every cell its box touches.
    fn cells(triangles: &[[Vec3; 3]], margin: f64) -> BTreeMap<[i64; 3], Vec<usize>> {
        let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        for (t, [a, b, c]) in triangles.iter().enumerate() {
            let low = (a.inf(b).inf(c) - Vec3::repeat(margin)).map(|x| (x / 0.03).floor() as i64);
            let high = (a.sup(b).sup(c) + Vec3::repeat(margin)).map(|x| (x / 0.03).floor() as i64);
            for i in low.x..=high.x {
                for j in low.y..=high.y {
                    for k in low.z..=high.z {
                        cells.entry([i, j, k]).or_default().push(t);
                    }
                }
            }
        }
        cells
    }

    /// How many edges of `a` cross triangles of `b`; pairs that share a vertex are passed over within one mesh.
    fn crossings(a: &TriMesh, b: &TriMesh, same: bool) -> usize {
        let triangles = corners(b);
        let grid = cells(&triangles, 0.0);
        let mut count = 0;
        for edge in Topology::new(a.positions.len(), &a.triangles).edges {
            let [p, q] = edge.map(|v| a.positions[v as usize]);
            let key = |x: f64| (x / 0.03).floor() as i64;
            let (low, high) = (p.inf(&q).map(key), p.sup(&q).map(key));
            let mut near: Vec<usize> = Vec::new();
            for i in low.x..=high.x {
                for j in low.y..=high.y {
                    for k in low.z..=high.z {
                        near.extend(grid.get(&[i, j, k]).into_iter().flatten());
                    }
                }
            }
            near.sort_unstable();
            near.dedup();
            for t in near {
                if same && b.triangles[t].iter().any(|v| edge.contains(v)) {
                    continue;
                }
                let [x, y, z] = triangles[t];
                let volume = |a: Vec3, b: Vec3, c: Vec3, d: Vec3| (b - a).cross(&(c - a)).dot(&(d - a));
                let sides = volume(x, y, z, p) * volume(x, y, z, q);
                let around = [volume(p, q, x, y), volume(p, q, y, z), volume(p, q, z, x)];
                if sides <= 0.0 && (around.iter().all(|v| *v >= 0.0) || around.iter().all(|v| *v <= 0.0)) {
                    count += 1;
                }
            }
        }
        count
    }

    /// Smallest distance from vertices and edge middles of `a` to triangles of `b`, up to 2 cm.
    fn nearest(a: &TriMesh, b: &TriMesh) -> f64 {
        let triangles = corners(b);
        let grid = cells(&triangles, 0.02);
        let edges = Topology::new(a.positions.len(), &a.triangles).edges;
        let middles = edges.iter().map(|e| 0.5 * (a.positions[e[0] as usize] + a.positions[e[1] as usize]));
        let mut nearest: f64 = 0.02;
        for p in a.positions.iter().copied().chain(middles) {
            let cell = p.map(|x| (x / 0.03).floor() as i64);
            for &t in grid.get(&[cell.x, cell.y, cell.z]).into_iter().flatten() {
                nearest = nearest.min((closest_point(p, triangles[t]) - p).norm());
            }
        }
        nearest
    }

    /// The point of a triangle nearest to `p`: its projection, or the nearest point of an edge.
    fn closest_point(p: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
        let normal = (b - a).cross(&(c - a));
        let foot = p - normal * (normal.dot(&(p - a)) / normal.norm_squared());
        let inside = |x: Vec3, y: Vec3| (y - x).cross(&(foot - x)).dot(&normal) >= 0.0;
        if inside(a, b) && inside(b, c) && inside(c, a) {
            return foot;
        }
        let on = |x: Vec3, y: Vec3| x + (y - x) * ((p - x).dot(&(y - x)) / (y - x).norm_squared()).clamp(0.0, 1.0);
        let mut best = on(a, b);
        for q in [on(b, c), on(c, a)] {
            if (q - p).norm() < (best - p).norm() {
                best = q;
            }
        }
        best
    }
}
