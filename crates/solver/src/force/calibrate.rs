//! Calibration of hinges on a mesh.
//!
//! A cloth bent to a curvature `kappa` stores `B kappa^2/2` per area. The energy of a hinge mesh depends on its
//! pattern. Forced onto a cylinder it stores up to three times as much. Relaxed, its vertices move off the cylinder by
//! parts of the sagitta of an edge, and shed up to half of that energy (alternating diagonals: a quarter at `c = 1`,
//! diagonals 1/2). A simulated mesh is relaxed, so the relaxed energy is fitted.
//!
//! Hinges are grouped by the direction of their edge. At the relaxed heights the energy over all cylinders is linear in
//! one coefficient per group. Two steps alternate. Heights are relaxed by conjugate gradients. Coefficients are fitted
//! by bounded least squares over cylinder directions, with the largest weight on warp and weft.
//!
//! This serves measured bending; a constant rigidity is that of a plate (see [`super::homogenize`]).
//!
//! Hinges cannot have every property of a plate. On all regular patterns except one the relaxed cloth is isotropic with
//! Poisson's ratio -1/3 in bending. A strip of a few cells' width, free to bend across, is then softer than `B` by up
//! to 1/9. With all diagonals in the same direction bending couples to twist, and only warp and weft can be right.

use crate::linalg::Vec2;
use std::f64::consts::PI;

/// Number of groups of edge directions, 22.5 degrees each.
const GROUPS: usize = 8;
/// Number of cylinder directions in the fit.
const DIRECTIONS: usize = 16;
/// Weight of warp and weft relative to the other directions.
const ALONG: f64 = 1e4;
/// Bounds of a coefficient. Below them, folds along one family of edges would cost no energy.
const BOUNDS: (f64, f64) = (0.3, 3.0);
/// Number of times that heights are relaxed and coefficients fitted.
const ROUNDS: usize = 6;
/// Conjugate gradient iterations per round, from the heights of the last round.
const ITERATIONS: usize = 12;
/// Number of rings next to the border that are left out of the fit, if vertices farther inside exist.
const RINGS: usize = 2;

/// Hinge in the flat rest shape.
#[derive(Clone, Copy, Debug)]
pub struct FlatHinge {
    /// Vertices: both ends of the edge, then both opposite ones. All are below the count given to [`coefficients`].
    pub vertices: [u32; 4],
    /// Material coordinates of the four vertices [m].
    pub points: [Vec2; 4],
    /// Rest area of both triangles [m^2].
    pub area: f64,
    /// Whether the ring around each end of the edge is closed.
    pub inner: [bool; 2],
}

impl FlatHinge {
    fn edge(&self) -> Vec2 {
        self.points[1] - self.points[0]
    }

    /// Returns the angle of the edge from warp, in [0, pi).
    pub fn direction(&self) -> f64 {
        let e = self.edge();
        e.y.atan2(e.x).rem_euclid(PI)
    }

    fn group(&self) -> usize {
        ((self.direction() / PI * GROUPS as f64 + 0.5) as usize) % GROUPS
    }

    /// Returns the energy per rigidity and half squared angle, for a coefficient of one.
    fn shape(&self) -> f64 {
        self.edge().norm_squared() / self.area
    }

    /// Returns the dihedral angle per height of each vertex [1/m], for small angles.
    pub(super) fn slopes(&self) -> [f64; 4] {
        let e = self.edge();
        let mut slopes = [0.0; 4];
        for k in [2, 3] {
            let p = self.points[k] - self.points[0];
            let s = p.dot(&e) / e.norm_squared();
            let reach = (p - e * s).norm();
            slopes[k] += 1.0 / reach;
            slopes[0] -= (1.0 - s) / reach;
            slopes[1] -= s / reach;
        }
        slopes
    }

    /// Returns the dihedral angle [m] per curvature xx, yy, xy of the surface on which the vertices lie.
    pub fn angles(&self) -> [f64; 3] {
        let slopes = self.slopes();
        let mut angles = [0.0; 3];
        for (point, slope) in self.points.iter().zip(&slopes) {
            let p = point - self.points[0];
            for (angle, height) in angles.iter_mut().zip([0.5 * p.x * p.x, 0.5 * p.y * p.y, p.x * p.y]) {
                *angle += slope * height;
            }
        }
        angles
    }
}

/// Returns the coefficient `c` of every hinge; 1 for all if none has area. `count` is the number of vertices.
///
/// Each vertex well inside represents a third of its ring's area and half of each of its edges' hinges. The border,
/// where hinges are missing, is left out. In a strip without inner vertices, all vertices count.
pub fn coefficients(hinges: &[FlatHinge], count: usize) -> Vec<f64> {
    let mut sheet = Relaxed::new(hinges, count);
    let counted = counted(hinges, count);
    let ends = |hinge: &FlatHinge| -> f64 { (0..2).map(|k| counted[hinge.vertices[k] as usize]).sum() };
    let area: f64 = hinges.iter().map(|h| ends(h) * h.area / 6.0).sum();
    if !(area > 0.0 && area.is_finite()) {
        return vec![1.0; hinges.len()];
    }
    let mut fitted = [1.0; GROUPS];
    for _ in 0..ROUNDS {
        sheet.relax(hinges, &fitted);
        // q[d][g]: energy over B kappa^2/2 of group g with coefficient one, bent in direction d.
        let mut q = [[0.0; GROUPS]; DIRECTIONS];
        for (k, hinge) in hinges.iter().enumerate() {
            let weight = 0.5 * ends(hinge) * hinge.shape() / area;
            let [xx, yy, xy] = sheet.angles(k, hinge);
            for (d, row) in q.iter_mut().enumerate() {
                let (sin, cos) = (d as f64 * PI / DIRECTIONS as f64).sin_cos();
                row[hinge.group()] += weight * (xx * cos * cos + yy * sin * sin + xy * sin * cos).powi(2);
            }
        }
        fitted = fit(&q);
    }
    hinges.iter().map(|h| fitted[h.group()]).collect()
}

/// Returns 1 for each vertex that represents its ring, else 0: those farthest from the border, up to `RINGS` rings from
/// it.
pub(super) fn counted(hinges: &[FlatHinge], count: usize) -> Vec<f64> {
    let mut counted = vec![true; count];
    let mut next = inner(hinges, count);
    for _ in 0..RINGS {
        if !next.contains(&true) {
            break;
        }
        let within = within(hinges, &next);
        counted = std::mem::replace(&mut next, within);
    }
    counted.iter().map(|c| f64::from(u8::from(*c))).collect()
}

/// Returns the vertices of a set whose hinges have no vertex outside it.
pub(super) fn within(hinges: &[FlatHinge], set: &[bool]) -> Vec<bool> {
    let mut within = set.to_vec();
    for hinge in hinges.iter().filter(|h| h.vertices.iter().any(|v| !set[*v as usize])) {
        for v in hinge.vertices {
            within[v as usize] = false;
        }
    }
    within
}

/// Returns the vertices with a closed ring.
pub(super) fn inner(hinges: &[FlatHinge], count: usize) -> Vec<bool> {
    let mut inner = vec![false; count];
    for hinge in hinges {
        for k in 0..2 {
            inner[hinge.vertices[k] as usize] |= hinge.inner[k];
        }
    }
    inner
}

/// Heights above the surfaces of unit curvature xx, yy, xy that minimise the energy. They are zero on the border and on
/// the ring next to it, so that the cloth as a whole cannot flatten.
struct Relaxed {
    slopes: Vec<[f64; 4]>,
    flat: Vec<[f64; 3]>,
    inner: Vec<bool>,
    heights: Vec<[f64; 3]>,
}

impl Relaxed {
    fn new(hinges: &[FlatHinge], count: usize) -> Relaxed {
        let slopes: Vec<[f64; 4]> = hinges.iter().map(FlatHinge::slopes).collect();
        let flat = hinges.iter().map(FlatHinge::angles).collect();
        Relaxed { slopes, flat, inner: within(hinges, &inner(hinges, count)), heights: vec![[0.0; 3]; count] }
    }

    /// Returns the angles of a hinge per curvature, with the heights.
    fn angles(&self, k: usize, hinge: &FlatHinge) -> [f64; 3] {
        std::array::from_fn(|i| self.flat[k][i] + self.turn(k, hinge, &self.heights)[i])
    }

    fn turn(&self, k: usize, hinge: &FlatHinge, heights: &[[f64; 3]]) -> [f64; 3] {
        let mut turn = [0.0; 3];
        for (v, slope) in hinge.vertices.iter().zip(&self.slopes[k]) {
            for (turn, height) in turn.iter_mut().zip(&heights[*v as usize]) {
                *turn += slope * height;
            }
        }
        turn
    }

    /// Returns the sum over hinges of `stiffness angle slope` for each inner vertex.
    fn forces(
        &self,
        hinges: &[FlatHinge],
        stiffness: &[f64],
        angles: impl Fn(usize, &FlatHinge) -> [f64; 3],
    ) -> Vec<[f64; 3]> {
        let mut forces = vec![[0.0; 3]; self.inner.len()];
        for (k, hinge) in hinges.iter().enumerate() {
            let angles = angles(k, hinge).map(|a| a * stiffness[k]);
            for (v, slope) in hinge.vertices.iter().zip(&self.slopes[k]) {
                for (force, angle) in forces[*v as usize].iter_mut().zip(angles) {
                    *force += slope * angle;
                }
            }
        }
        for (force, inner) in forces.iter_mut().zip(&self.inner) {
            if !inner {
                *force = [0.0; 3];
            }
        }
        forces
    }

    /// Relaxes the heights by conjugate gradients with diagonal preconditioner, the three curvatures side by side.
    fn relax(&mut self, hinges: &[FlatHinge], coefficients: &[f64; GROUPS]) {
        let stiffness: Vec<f64> = hinges.iter().map(|h| coefficients[h.group()] * h.shape()).collect();
        let mut diagonal = vec![0.0; self.inner.len()];
        for ((hinge, slopes), stiffness) in hinges.iter().zip(&self.slopes).zip(&stiffness) {
            for (v, slope) in hinge.vertices.iter().zip(slopes) {
                diagonal[*v as usize] += stiffness * slope * slope;
            }
        }
        let dot = |a: &[[f64; 3]], b: &[[f64; 3]], scale: &dyn Fn(usize) -> f64| -> [f64; 3] {
            let mut sum = [0.0; 3];
            for (v, (a, b)) in a.iter().zip(b).enumerate().filter(|(v, _)| self.inner[*v]) {
                for i in 0..3 {
                    sum[i] += a[i] * b[i] * scale(v);
                }
            }
            sum
        };
        let mut heights = self.heights.clone();
        let mut residual = self.forces(hinges, &stiffness, |k, h| self.angles(k, h));
        let mut search = vec![[0.0; 3]; heights.len()];
        let mut before = [f64::INFINITY; 3];
        for _ in 0..ITERATIONS {
            let now = dot(&residual, &residual, &|v| 1.0 / diagonal[v]);
            for v in (0..heights.len()).filter(|v| self.inner[*v]) {
                for i in 0..3 {
                    let keep = if before[i] > 0.0 { now[i] / before[i] } else { 0.0 };
                    search[v][i] = residual[v][i] / diagonal[v] + keep * search[v][i];
                }
            }
            let image = self.forces(hinges, &stiffness, |k, h| self.turn(k, h, &search));
            let curvature = dot(&search, &image, &|_| 1.0);
            for v in 0..heights.len() {
                for i in (0..3).filter(|i| curvature[*i] > 0.0) {
                    heights[v][i] -= now[i] / curvature[i] * search[v][i];
                    residual[v][i] -= now[i] / curvature[i] * image[v][i];
                }
            }
            before = now;
        }
        self.heights = heights;
    }
}

/// Solves the bounded weighted least squares `sum_g q[d][g] c[g] = 1`. A coefficient outside its bounds is fixed there,
/// the worst first. Coefficients that the energies do not determine are as near to one as possible.
fn fit(q: &[[f64; GROUPS]; DIRECTIONS]) -> [f64; GROUPS] {
    let weight = |d: usize| if d.is_multiple_of(DIRECTIONS / 2) { ALONG } else { 1.0 };
    let mut held = [None; GROUPS];
    loop {
        let mut rows = [[0.0; GROUPS + 1]; GROUPS];
        for (i, row) in rows.iter_mut().enumerate() {
            row[i] = 1e-6;
            row[GROUPS] = 1e-6;
            for (j, d) in (0..GROUPS).flat_map(|j| (0..DIRECTIONS).map(move |d| (j, d))) {
                row[j] += weight(d) * q[d][i] * q[d][j];
            }
            row[GROUPS] += (0..DIRECTIONS).map(|d| weight(d) * q[d][i]).sum::<f64>();
            if let Some(bound) = held[i] {
                *row = [0.0; GROUPS + 1];
                row[i] = 1.0;
                row[GROUPS] = bound;
            }
        }
        let c = solve(rows);
        let outside = |g: &usize| (BOUNDS.0 - c[*g]).max(c[*g] - BOUNDS.1);
        let free = (0..GROUPS).filter(|g| held[*g].is_none());
        match free.max_by(|a, b| outside(a).total_cmp(&outside(b))) {
            Some(g) if outside(&g) > 0.0 => held[g] = Some(c[g].clamp(BOUNDS.0, BOUNDS.1)),
            _ => return c,
        }
    }
}

/// Solves a system by Gaussian elimination with row pivots. The last column is the right-hand side.
fn solve(mut rows: [[f64; GROUPS + 1]; GROUPS]) -> [f64; GROUPS] {
    for k in 0..GROUPS {
        let pivot = (k..GROUPS).max_by(|a, b| rows[*a][k].abs().total_cmp(&rows[*b][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        let pivot = rows[k];
        for (_, row) in rows.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k] / pivot[k];
            for (value, p) in row[k..].iter_mut().zip(&pivot[k..]) {
                *value -= factor * p;
            }
        }
    }
    std::array::from_fn(|k| rows[k][GROUPS] / rows[k][k])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;
    use crate::mesh::generate::{Diagonals, equilateral_sheet, hanging, sheet};
    use crate::mesh::topology::Topology;

    fn flat_hinges(mesh: &TriMesh) -> Vec<FlatHinge> {
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let hinge = |h: &crate::mesh::topology::Hinge| {
            let points = h.vertices.map(|v| mesh.uv[v as usize]);
            let [e, p, q] = [1, 2, 3].map(|k| points[k] - points[0]);
            FlatHinge {
                vertices: h.vertices,
                points,
                area: (e.perp(&p).abs() + e.perp(&q).abs()) / 2.0,
                inner: [0, 1].map(|k| !topology.boundary[h.vertices[k] as usize]),
            }
        };
        topology.hinges.iter().map(hinge).collect()
    }

    /// Returns the coefficient of each group that has hinges.
    fn by_group(mesh: &TriMesh) -> [f64; GROUPS] {
        let hinges = flat_hinges(mesh);
        let mut seen = [f64::NAN; GROUPS];
        for (hinge, c) in hinges.iter().zip(coefficients(&hinges, mesh.positions.len())) {
            seen[hinge.group()] = c;
        }
        seen
    }

    #[test]
    fn regular_patterns_have_their_closed_form() {
        for n in [20, 40] {
            // Every other vertex moves by d: c1 ((1 - 2 d)^2 + 4 d^2) + 16 c2 d^2 is least at c1 - c1^2/(2 c1 + 4 c2)
            // for a cylinder along warp. The fixed rings cause an error of about one part in 2 n.
            let c = by_group(&sheet(n, n, 1.0, 1.0, Diagonals::Alternating, hanging()));
            let along = c[0] - c[0] * c[0] / (2.0 * c[0] + 2.0 * (c[2] + c[6]));
            assert!((along - 1.0).abs() < 0.02 && (c[0] - c[4]).abs() < 0.01 && (c[2] - c[6]).abs() < 0.01, "{c:?}");
            // The sum of (k_nn - k_tt/3)^2 over three directions is k_xx^2 for every cylinder.
            let c = by_group(&equilateral_sheet(1.0, 1.0, 1.0 / n as f64, hanging()));
            assert!([0, 3, 5].iter().all(|g| (c[*g] - 1.0).abs() < 0.01), "{c:?}");
            // Two families of edges with k_xx + k_xy and k_yy + k_xy; the diagonals only add to k_xy.
            let c = by_group(&sheet(n, n, 1.0, 1.0, Diagonals::Aligned, hanging()));
            assert!((c[0] - 1.0).abs() < 0.01 && (c[4] - 1.0).abs() < 0.01, "{c:?}");
        }
    }

    #[test]
    fn a_strip_of_one_cell_is_taken_whole() {
        let c = by_group(&sheet(30, 2, 3.0, 0.1, Diagonals::Aligned, hanging()));
        assert!(c.iter().filter(|c| !c.is_nan()).all(|c| (BOUNDS.0..=BOUNDS.1).contains(c)), "{c:?}");
        assert!(coefficients(&[], 3).is_empty());
    }
}
