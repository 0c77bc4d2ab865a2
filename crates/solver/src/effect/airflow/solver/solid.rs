//! Cells of a grid inside closed surfaces, and the velocity of the solid in them.
//!
//! Lines along x through the centres of cells cross a surface at each entry and exit. Between two crossings the
//! velocity is interpolated linearly, which is exact for rigid motion.

use super::bounds::Solid;
use super::grid::Grid;
use crate::linalg::{Vec2, Vec3};

/// Offset of the lines from the centres, in cells. Lines would otherwise hit the edges of surfaces that are aligned
/// with the grid.
const BESIDE: [f64; 2] = [1.234_567e-5, 2.718_281e-5];

/// Crossing of a line and a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    /// Index of the line.
    line: u32,
    x: f64,
    velocity: Vec3,
}

/// Cells inside closed surfaces; storage is kept.
#[derive(Clone, Debug, Default)]
pub struct Solids {
    crossings: Vec<Crossing>,
    /// Velocity of the solid in each cell.
    pub cells: Vec<Solid>,
}

impl Solids {
    /// Removes all solids.
    pub fn clear(&mut self, grid: &Grid) {
        self.cells.clear();
        self.cells.resize(grid.count(), None);
    }

    /// Adds a closed surface, given by triangles of vertices at `x` [m] with velocities `v` [m/s].
    pub fn add(
        &mut self,
        grid: &Grid,
        triangles: impl Iterator<Item = [u32; 3]>,
        x: impl Fn(u32) -> Vec3,
        v: impl Fn(u32) -> Vec3,
    ) {
        self.crossings.clear();
        for triangle in triangles {
            self.cross(grid, &triangle, triangle.map(&x), triangle.map(&v));
        }
        self.crossings.sort_by(|a, b| (a.line, a.x).partial_cmp(&(b.line, b.x)).unwrap_or(std::cmp::Ordering::Equal));
        let Solids { crossings, cells } = self;
        let [nx, ..] = grid.cells;
        let mut from = 0;
        while from < crossings.len() {
            let line = crossings[from].line;
            let count = crossings[from..].iter().take_while(|c| c.line == line).count();
            for [begin, end] in crossings[from..from + count].as_chunks::<2>().0 {
                let first = ((begin.x - grid.low.x) / grid.spacing[0] - 0.5).ceil().max(0.0) as usize;
                for i in first..nx {
                    let at = grid.low.x + (i as f64 + 0.5) * grid.spacing[0];
                    if at > end.x {
                        break;
                    }
                    let part = if end.x > begin.x { (at - begin.x) / (end.x - begin.x) } else { 0.0 };
                    cells[line as usize * nx + i] = Some(begin.velocity.lerp(&end.velocity, part));
                }
            }
            from += count;
        }
    }

    /// Adds the crossings of all lines with one triangle.
    fn cross(&mut self, grid: &Grid, names: &[u32; 3], x: [Vec3; 3], v: [Vec3; 3]) {
        let flat = x.map(|p| Vec2::new(p.y, p.z));
        let line = |b: usize, k: usize| grid.low[b] + (k as f64 + 0.5 + BESIDE[b - 1]) * grid.spacing[b];
        let range = |b: usize| {
            let all = flat.map(|p| p[b - 1]);
            let low = all.iter().fold(f64::INFINITY, |a, b| a.min(*b));
            let high = all.iter().fold(f64::NEG_INFINITY, |a, b| a.max(*b));
            let cell =
                |p: f64| ((p - grid.low[b]) / grid.spacing[b] - 0.5 - BESIDE[b - 1]).clamp(-1.0, grid.cells[b] as f64);
            (cell(low).ceil().max(0.0) as usize)..((cell(high).floor() + 1.0) as usize).min(grid.cells[b])
        };
        // Twice the signed area of the line's point and an edge. At zero area the sign follows vertex indices. A line
        // through an edge thus crosses only one of its two triangles.
        let turn = |p: &Vec2, a: usize, b: usize| {
            let area = (flat[a] - p).perp(&(flat[b] - p));
            (area > 0.0 || area == 0.0 && names[a] < names[b], area)
        };
        for k in range(2) {
            for j in range(1) {
                let p = Vec2::new(line(1, j), line(2, k));
                let sides = [(1, 2), (2, 0), (0, 1)].map(|(a, b)| turn(&p, a, b));
                if sides.iter().any(|(left, _)| *left != sides[0].0) {
                    continue;
                }
                let sum: f64 = sides.iter().map(|(_, area)| area).sum();
                if sum == 0.0 {
                    continue;
                }
                let weights = sides.map(|(_, area)| area / sum);
                let mean = |all: &[Vec3; 3]| (0..3).map(|c| all[c] * weights[c]).sum::<Vec3>();
                let number = (j + grid.cells[1] * k) as u32;
                self.crossings.push(Crossing { line: number, x: mean(&x).x, velocity: mean(&v) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{cuboid, sphere};

    /// For a rotating sphere and box, the cells inside are those with their centre inside. Their velocity is that of
    /// rigid motion.
    #[test]
    fn cells_inside_and_their_velocity() {
        let grid = Grid::new(Vec3::repeat(-1.0), Vec3::repeat(1.0), [20, 24, 22]);
        let (spin, drift) = (Vec3::new(0.3, -1.0, 0.5), Vec3::new(0.1, 0.2, 0.3));
        let velocity = |p: &Vec3| spin.cross(p) + drift;
        let depths: [fn(&Vec3) -> f64; 2] = [|p| 0.6 - p.norm(), |p| 0.5 - p.amax()];
        let meshes = [sphere(Vec3::zeros(), 0.6, 0.08), cuboid(Vec3::repeat(-0.5), Vec3::repeat(0.5), 0.25)];
        for (mesh, depth) in meshes.iter().zip(depths) {
            let mut solids = Solids::default();
            solids.clear(&grid);
            let x = |v: u32| mesh.positions[v as usize];
            solids.add(&grid, mesh.triangles.iter().copied(), x, |v| velocity(&x(v)));
            for (cell, solid) in solids.cells.iter().enumerate() {
                let p = grid.centre(cell);
                // A sphere of triangles is a little smaller than the sphere.
                let depth = depth(&p);
                if depth.abs() > 0.01 {
                    assert_eq!(solid.is_some(), depth > 0.0, "{p:?}");
                }
                if let Some(v) = solid {
                    assert!((v - velocity(&p)).norm() < 1e-4, "{v:?}, {:?}", velocity(&p));
                }
            }
        }
    }
}
