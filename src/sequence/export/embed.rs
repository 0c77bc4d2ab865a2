//! Meshes that a body carries along: each vertex goes with the triangle of the body's surface that was nearest at the start,
//! in the plane's coordinates and at a height above it.

use super::Sample;
use crate::collision::traversal::Traversal;
use crate::linalg::Vec3;

/// How a vertex hangs on a triangle.
struct Bond {
    corners: [u32; 3],
    /// Along the two edges from the first corner.
    along: [f64; 2],
    /// Along the normal [m].
    height: f64,
}

/// A mesh on a surface.
pub struct Embedding {
    bonds: Vec<Bond>,
}

fn wide(p: &[f32; 3]) -> Vec3 {
    Vec3::new(p[0].into(), p[1].into(), p[2].into())
}

impl Embedding {
    /// Hangs points [m] on a surface with its vertices at `x`.
    pub fn new(points: &[Vec3], x: &[Vec3], triangles: &[[u32; 3]]) -> Embedding {
        let mut search = Traversal::new(triangles, x, points.len());
        search.update(x, |k| points[k]);
        let bond = |(k, p): (usize, &Vec3)| {
            let corners = triangles[search.closest(k).triangle as usize];
            let [a, b, c] = corners.map(|v| x[v as usize]);
            let (e, f, d) = (b - a, c - a, p - a);
            let normal = e.cross(&f);
            let area2 = normal.norm_squared();
            let along = [d.cross(&f).dot(&normal), e.cross(&d).dot(&normal)].map(|s| s / area2);
            Bond { corners, along, height: d.dot(&normal) / area2.sqrt() }
        };
        Embedding { bonds: points.iter().enumerate().map(bond).collect() }
    }

    /// Positions and velocities of the points, from those of the surface's vertices.
    pub fn carry(&self, surface: &Sample) -> Sample {
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        for bond in &self.bonds {
            let edges = |all: &[[f32; 3]]| {
                let [a, b, c] = bond.corners.map(|v| wide(&all[v as usize]));
                (a, b - a, c - a)
            };
            let [s, t] = bond.along;
            let (a, e, f) = edges(&surface.positions);
            let across = e.cross(&f);
            let normal = across.normalize();
            let p = a + s * e + t * f + bond.height * normal;
            positions.push([p.x as f32, p.y as f32, p.z as f32]);
            if let Some(all) = &surface.velocities {
                let (va, ve, vf) = edges(all);
                let turn = (ve.cross(&f) + e.cross(&vf)) / across.norm();
                let v = va + s * ve + t * vf + bond.height * (turn - normal * normal.dot(&turn));
                velocities.push([v.x as f32, v.y as f32, v.z as f32]);
            }
        }
        let velocities = surface.velocities.as_ref().map(|_| velocities);
        Sample { positions, velocities, fields: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Rotation;

    /// A rigid motion takes the mesh along; velocities are the rate of positions.
    #[test]
    fn a_mesh_goes_with_its_surface() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.25)];
        let triangles = [[0, 1, 2], [1, 3, 2]];
        let points = [Vec3::new(0.2, 0.3, 0.1), Vec3::new(0.9, 0.8, -0.2), Vec3::new(-0.5, 0.0, 0.0), Vec3::x()];
        let embedding = Embedding::new(&points, &x, &triangles);
        let (axis, shift) = (Vec3::new(0.3, -0.8, 0.4), Vec3::new(1.0, 2.0, -3.0));
        let turn = |t: f64| Rotation::from_scaled_axis(axis * t);
        let single = |p: Vec3| [p.x as f32, p.y as f32, p.z as f32];
        let surface = Sample {
            positions: x.iter().map(|p| single(turn(1.0) * p + shift)).collect(),
            velocities: Some(x.iter().map(|p| single(axis.cross(&(turn(1.0) * p)))).collect()),
            fields: Vec::new(),
        };
        let carried = embedding.carry(&surface);
        for (p, (x, v)) in points.iter().zip(carried.positions.iter().zip(carried.velocities.unwrap())) {
            assert!((wide(x) - (turn(1.0) * p + shift)).norm() < 1e-6);
            assert!((wide(&v) - axis.cross(&(turn(1.0) * p))).norm() < 1e-6);
        }
    }
}
