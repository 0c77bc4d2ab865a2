//! Three stacked pillows, each in a cover 2 to 5 mm outside. The pillows sway, swell and slide while the covers creep
//! over them.

#[path = "../../tools/make_meshes/meshes/pillow.rs"]
mod pillow;

use percale::linalg::Vec3;
use percale::mesh::generate::longest_edge;

/// Side and height of a pillow [m].
const SIZE: (f64, f64) = (0.45, 0.14);
/// Range of the periodic creep of a cover over its pillow [m].
const CREEP: f64 = 0.04;

/// Combined surface of the pillows, and the points of their covers.
pub struct Pillows {
    /// Triangles of all three pillows.
    pub triangles: Vec<[u32; 3]>,
    body: Vec<Vec3>,
    cover: Vec<Vec3>,
    /// Number of triangles of the covers.
    pub cover_triangles: usize,
    /// Longest edge of a cover [m].
    pub cover_edge: f64,
}

impl Pillows {
    /// Builds pillows with `body` cells, and covers with `cover` cells, along a side.
    pub fn new(body: usize, cover: usize) -> Pillows {
        let [one, around] = [body, cover].map(|cells| pillow::pillow(SIZE.0, SIZE.1, cells));
        let triangles = (0..3).flat_map(|k| {
            let first = (k * one.positions.len()) as u32;
            one.triangles.iter().map(move |t| t.map(|v| v + first))
        });
        Pillows {
            triangles: triangles.collect(),
            body: one.positions,
            cover_edge: longest_edge(&around),
            cover: around.positions,
            cover_triangles: 3 * around.triangles.len(),
        }
    }

    /// Returns the vertices of the surface after `step` steps [m].
    pub fn surface(&self, step: usize) -> Vec<Vec3> {
        let one = |k: usize| self.body.iter().map(move |p| place(k, inflated(p.x, p.z, p.y).0, step as f64));
        (0..3).flat_map(one).collect()
    }

    /// Returns the points of the covers after `step` steps [m], if each creeps by `creep` over the surface in a step.
    pub fn covers(&self, step: usize, creep: f64) -> Vec<Vec3> {
        let way = (step as f64 * creep) % (2.0 * CREEP);
        let way = if way < CREEP { way } else { 2.0 * CREEP - way } - 0.5 * CREEP;
        let one = |k: usize| {
            self.cover.iter().map(move |p| {
                let limit = 0.5 * SIZE.0;
                let (x, z) = ((p.x + way).clamp(-limit, limit), (p.z + 0.3 * way).clamp(-limit, limit));
                let (at, normal) = inflated(x, z, p.y);
                let gap = 0.0035 + 0.0015 * (40.0 * p.x + 31.0 * p.z + 3.0 * p.y).sin();
                place(k, at + normal * gap, step as f64)
            })
        };
        (0..3).flat_map(one).collect()
    }
}

/// Returns the point of an inflated pillow at x and z, and its normal; the sign of `side` selects the upper or lower
/// half.
fn inflated(x: f64, z: f64, side: f64) -> (Vec3, Vec3) {
    let (a, b) = (2.0 * x / SIZE.0, 2.0 * z / SIZE.0);
    let (p, q) = ((1.0 - a * a).max(0.0), (1.0 - b * b).max(0.0));
    let side = if side == 0.0 { 0.0 } else { side.signum() };
    let y = 0.5 * SIZE.1 * side * (p * q).sqrt();
    // Gradient of the implicit function (2 y / height)^2 - p q.
    let gradient = Vec3::new(a * q * 4.0 / SIZE.0, 8.0 * y / (SIZE.1 * SIZE.1), b * p * 4.0 / SIZE.0);
    (Vec3::new(x, y, z), gradient.try_normalize(1e-9).unwrap_or_else(|| Vec3::new(a, 0.0, b).normalize()))
}

/// Moves a point from its rest position to its position on pillow `k`.
fn place(k: usize, p: Vec3, step: f64) -> Vec3 {
    let (k, t) = (k as f64, 0.3 * step);
    let wave = 0.004 * ((18.0 * p.x + 0.7 * t + k).sin() + (15.0 * p.z + 0.9 * t).sin());
    let y = p.y * (1.0 - 0.1 * (0.5 * t + k).sin()) + wave;
    let (sin, cos) = (0.03 * (0.2 * t + k).sin()).sin_cos();
    let turned = Vec3::new(p.x * cos - y * sin, p.x * sin + y * cos, p.z);
    turned + Vec3::new(0.02 * k + 0.002 * step, 0.155 * k, 0.001 * step * k)
}
