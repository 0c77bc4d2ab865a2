//! Embedded meshes that an object carries along. Each vertex follows the surface triangle that was nearest at the
//! start, at a height above it along the surface's smooth normal.

use super::Sample;
use crate::collision::traversal::Traversal;
use crate::linalg::Vec3;

/// Attachment of a vertex to a triangle.
struct Bond {
    corners: [u32; 3],
    /// Coordinates along the two edges from the first corner.
    along: [f64; 2],
    /// Height along the smooth normal [m].
    height: f64,
    /// Remaining offset, along the two edges and the normal of the triangle. Nonzero only where normals vary too much.
    rest: [f64; 3],
}

/// A mesh embedded in a surface.
pub(super) struct Embedding {
    bonds: Vec<Bond>,
    /// Triangles of the surface.
    triangles: Vec<[u32; 3]>,
}

/// Iterations that find the foot point of a vertex.
const ROUNDS: usize = 12;
/// Half of the interval over which positions are differenced to give velocities [s].
const MOMENT: f64 = 1e-4;

/// Converts a point to double precision.
pub(super) fn wide(p: &[f32; 3]) -> Vec3 {
    Vec3::new(p[0].into(), p[1].into(), p[2].into())
}

/// Computes unit normals at vertices, weighted by the areas of the adjacent triangles.
pub(super) fn normals(x: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut all = vec![Vec3::zeros(); x.len()];
    for t in triangles {
        let [a, b, c] = t.map(|v| x[v as usize]);
        let normal = (b - a).cross(&(c - a));
        t.iter().for_each(|v| all[*v as usize] += normal);
    }
    all.iter().map(|n| n.try_normalize(0.0).unwrap_or_default()).collect()
}

/// A triangle with its vertex normals.
struct Facet {
    a: Vec3,
    edges: [Vec3; 2],
    normals: [Vec3; 3],
}

impl Facet {
    fn new(corners: &[u32; 3], x: &[Vec3], normals: &[Vec3]) -> Facet {
        let [a, b, c] = corners.map(|v| x[v as usize]);
        Facet { a, edges: [b - a, c - a], normals: corners.map(|v| normals[v as usize]) }
    }

    fn foot(&self, [s, t]: [f64; 2]) -> Vec3 {
        self.a + s * self.edges[0] + t * self.edges[1]
    }

    /// Returns the smooth unit normal.
    fn normal(&self, [s, t]: [f64; 2]) -> Vec3 {
        let [a, b, c] = self.normals;
        (a * (1.0 - s - t) + b * s + c * t).try_normalize(0.0).unwrap_or_else(|| self.flat())
    }

    fn flat(&self) -> Vec3 {
        self.edges[0].cross(&self.edges[1]).try_normalize(0.0).unwrap_or_default()
    }

    /// Returns the coordinates of a vector along the edges and the flat normal.
    fn local(&self, d: &Vec3) -> [f64; 3] {
        let [e, f] = self.edges;
        let normal = e.cross(&f);
        let area2 = normal.norm_squared();
        [d.cross(&f).dot(&normal) / area2, e.cross(d).dot(&normal) / area2, d.dot(&normal) / area2.sqrt()]
    }

    fn bond(&self, corners: [u32; 3], p: &Vec3) -> Bond {
        let [s, t, _] = self.local(&(p - self.a));
        let mut along = [s, t];
        for _ in 0..ROUNDS {
            let (d, normal) = (p - self.foot(along), self.normal(along));
            let [ds, dt, _] = self.local(&(d - normal * d.dot(&normal)));
            along = [along[0] + ds, along[1] + dt];
        }
        // If the iteration ends far from the triangle, the projection onto its plane is used.
        if !along.iter().all(|c| (-1.0..=2.0).contains(c)) {
            along = [s, t];
        }
        let (d, normal) = (p - self.foot(along), self.normal(along));
        let height = d.dot(&normal);
        Bond { corners, along, height, rest: self.local(&(d - normal * height)) }
    }
}

impl Embedding {
    /// Attaches points [m] to a surface with its vertices at `x`.
    pub(super) fn new(points: &[Vec3], x: &[Vec3], triangles: &[[u32; 3]]) -> Embedding {
        let mut search = Traversal::new(triangles, x, points.len());
        search.update(x, |k| points[k]);
        let normals = normals(x, triangles);
        let bond = |(k, p): (usize, &Vec3)| {
            let corners = triangles[search.closest(k).triangle as usize];
            Facet::new(&corners, x, &normals).bond(corners, p)
        };
        Embedding { bonds: points.iter().enumerate().map(bond).collect(), triangles: triangles.to_vec() }
    }

    /// Returns the largest distance of the points from the surface, along its normals [m].
    pub(super) fn farthest(&self) -> f64 {
        self.bonds.iter().map(|bond| bond.height.abs()).fold(0.0, f64::max)
    }

    /// Computes the points from the vertices of the surface.
    fn place(&self, x: &[Vec3]) -> Vec<Vec3> {
        let normals = normals(x, &self.triangles);
        let place = |bond: &Bond| {
            let facet = Facet::new(&bond.corners, x, &normals);
            let [e, f, up] = bond.rest;
            let rest = facet.edges[0] * e + facet.edges[1] * f + facet.flat() * up;
            facet.foot(bond.along) + facet.normal(bond.along) * bond.height + rest
        };
        self.bonds.iter().map(place).collect()
    }

    /// Computes positions and velocities of the points from those of the surface's vertices.
    pub(super) fn carry(&self, surface: &Sample) -> Sample {
        let x: Vec<Vec3> = surface.positions.iter().map(wide).collect();
        let single = |p: Vec3| [p.x as f32, p.y as f32, p.z as f32];
        let velocities = surface.velocities.as_ref().map(|v| {
            let at = |dt: f64| self.place(&x.iter().zip(v).map(|(x, v)| x + wide(v) * dt).collect::<Vec<_>>());
            let rate = |(after, before): (Vec3, Vec3)| single((after - before) / (2.0 * MOMENT));
            at(MOMENT).into_iter().zip(at(-MOMENT)).map(rate).collect()
        });
        Sample { positions: self.place(&x).into_iter().map(single).collect(), velocities, fields: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Rotation;

    fn single(p: Vec3) -> [f32; 3] {
        [p.x as f32, p.y as f32, p.z as f32]
    }

    /// A rigid motion carries the mesh along. Velocities are the rate of positions.
    #[test]
    fn a_mesh_goes_with_its_surface() {
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.25)];
        let triangles = [[0, 1, 2], [1, 3, 2]];
        let points = [Vec3::new(0.2, 0.3, 0.1), Vec3::new(0.9, 0.8, -0.2), Vec3::new(-0.5, 0.0, 0.0), Vec3::x()];
        let embedding = Embedding::new(&points, &x, &triangles);
        let (axis, shift) = (Vec3::new(0.3, -0.8, 0.4), Vec3::new(1.0, 2.0, -3.0));
        let turn = |t: f64| Rotation::from_scaled_axis(axis * t);
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

    /// A sheet four times finer, 2 mm above one that is rolled up to a tube, keeps its offset within 1 % and stays
    /// smooth.
    #[test]
    fn a_finer_sheet_keeps_its_offset() {
        let lattice = |n: usize, size: f64, height: f64| -> Vec<Vec3> {
            let at = |k: usize| k as f64 / (n - 1) as f64 * size;
            (0..n * n).map(|k| Vec3::new(at(k % n), height, at(k / n))).collect()
        };
        let faces = |n: usize| -> Vec<[u32; 3]> {
            let quad = |k: usize| {
                let v = (k / (n - 1) * n + k % (n - 1)) as u32;
                [[v, v + n as u32, v + 1], [v + 1, v + n as u32, v + n as u32 + 1]]
            };
            (0..(n - 1) * (n - 1)).flat_map(quad).collect()
        };
        let (coarse, fine, height) = (lattice(41, 0.4, 0.0), lattice(161, 0.4, 0.002), 0.002);
        let embedding = Embedding::new(&fine, &coarse, &faces(41));
        // A quarter of a tube of this radius.
        let radius = 0.4 / std::f64::consts::FRAC_PI_2;
        let rolled = |p: &Vec3, off: f64| {
            let angle = p.x / radius;
            Vec3::new((radius + off) * angle.sin(), (radius + off) * angle.cos(), p.z)
        };
        let surface = Sample {
            positions: coarse.iter().map(|p| single(rolled(p, 0.0))).collect(),
            velocities: None,
            fields: Vec::new(),
        };
        for (p, x) in fine.iter().zip(embedding.carry(&surface).positions) {
            // The chord of a triangle is below the arc by s^2/8R at most.
            let chord = 0.01f64.powi(2) / (8.0 * radius);
            let off = (wide(&x).xy().norm() - radius - height).abs();
            assert!(off < chord + 0.01 * height, "{off:e} at {p}");
        }
    }
}
