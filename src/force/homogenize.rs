//! Rigidity of the triangles of a mesh that makes the mesh a plate.
//!
//! A mesh bent by constant curvatures stores `kappa^T D kappa/2` per area while its vertices lie on the surface; left to itself
//! it sheds a part of that (see [`super::calibrate`]). What is left is a quadratic form of the curvature as well, the effective
//! rigidity of the mesh. Three scalars, `D = diag(xx, yy, xy)`, are fitted so that bent along warp, along weft and twisted it is
//! the plate's.
//!
//! What the mesh has of Poisson's ratio stays: none with aligned diagonals or equilateral triangles, -0.04 on random meshes, but
//! `1 - sqrt(2) = -0.41` with alternating diagonals, where a narrow strip bends as a beam of 5/6 the rigidity. A coupling of xx
//! and yy in `D` could mend that, but it would make vertices that are held, and so clamps, several times as stiff.

use super::calibrate::{FlatHinge, counted, inner, within};
use super::plate::{FlatPatch, NONE, PLATE};
use crate::linalg::{Mat3, Vec3};

/// Times heights are relaxed and the rigidity corrected.
const ROUNDS: usize = 5;
/// Iterations of conjugate gradients a round, from the last round's heights.
const ITERATIONS: usize = 16;
/// Bounds of a scalar over the plate's.
const BOUNDS: (f64, f64) = (0.3, 3.0);

/// `C` of every patch. `count` is the number of vertices.
///
/// Triangles count by their vertices well inside, as in [`super::calibrate::coefficients`].
pub fn stiffnesses(hinges: &[FlatHinge], patches: &[FlatPatch], count: usize) -> Vec<Mat3> {
    let each = |scale: &[f64; 3]| -> Vec<Mat3> {
        let rigidity = [0, 1, 2].map(|k| scale[k] * PLATE[k]);
        patches.iter().map(|p| p.stiffness(&rigidity)).collect()
    };
    let counted = counted(hinges, count);
    let share = |p: &FlatPatch| p.vertices.iter().map(|v| counted[*v as usize]).sum::<f64>() / 3.0;
    let area: f64 = patches.iter().map(|p| share(p) * p.area).sum();
    let mut scale = [1.0; 3];
    if !(area > 0.0 && area.is_finite()) {
        return each(&scale);
    }
    let mut sheet = Relaxed {
        slopes: hinges.iter().map(FlatHinge::slopes).collect(),
        free: within(hinges, &inner(hinges, count)),
        heights: vec![Vec3::zeros(); count],
        hinges,
        patches,
    };
    for _ in 0..ROUNDS {
        let stiffness = each(&scale);
        sheet.relax(&stiffness);
        let mut effective = Vec3::zeros();
        for (patch, stiffness) in patches.iter().zip(&stiffness) {
            let angles = patch.theta() + sheet.turns(patch, &sheet.heights);
            effective += (angles.transpose() * stiffness * angles).diagonal() * (share(patch) / area);
        }
        for k in (0..3).filter(|k| effective[*k] > 0.0) {
            scale[k] = (scale[k] * PLATE[k] / effective[k]).clamp(BOUNDS.0, BOUNDS.1);
        }
    }
    each(&scale)
}

/// Heights above the surfaces of unit curvature xx, yy, xy that make the energy least; zero on the border and on the ring
/// next to it.
struct Relaxed<'a> {
    hinges: &'a [FlatHinge],
    patches: &'a [FlatPatch],
    slopes: Vec<[f64; 4]>,
    free: Vec<bool>,
    heights: Vec<Vec3>,
}

impl Relaxed<'_> {
    /// What heights add to the angle of each hinge of a patch (rows) on the three surfaces (columns).
    fn turns(&self, patch: &FlatPatch, heights: &[Vec3]) -> Mat3 {
        let mut turns = Mat3::zeros();
        for (i, h) in patch.hinges.iter().enumerate().filter(|(_, h)| **h != NONE) {
            let h = *h as usize;
            let turn: Vec3 = (0..4).map(|a| heights[self.hinges[h].vertices[a] as usize] * self.slopes[h][a]).sum();
            turns.set_row(i, &turn.transpose());
        }
        turns
    }

    /// Derivative of the energy by the height of each free vertex, for angles of the hinges of each patch.
    fn forces(&self, stiffness: &[Mat3], angles: impl Fn(&FlatPatch) -> Mat3) -> Vec<Vec3> {
        let mut moments = vec![Vec3::zeros(); self.hinges.len()];
        for (patch, stiffness) in self.patches.iter().zip(stiffness) {
            let moment = stiffness * angles(patch);
            for (i, h) in patch.hinges.iter().enumerate().filter(|(_, h)| **h != NONE) {
                moments[*h as usize] += moment.row(i).transpose();
            }
        }
        let mut forces = vec![Vec3::zeros(); self.free.len()];
        for ((hinge, slopes), moment) in self.hinges.iter().zip(&self.slopes).zip(&moments) {
            for (v, slope) in hinge.vertices.iter().zip(slopes) {
                if self.free[*v as usize] {
                    forces[*v as usize] += moment * *slope;
                }
            }
        }
        forces
    }

    /// Conjugate gradients with the diagonal as preconditioner, the three curvatures side by side.
    fn relax(&mut self, stiffness: &[Mat3]) {
        let mut diagonal = vec![0.0; self.free.len()];
        for (patch, stiffness) in self.patches.iter().zip(stiffness) {
            for (i, h) in patch.hinges.iter().enumerate().filter(|(_, h)| **h != NONE) {
                let h = *h as usize;
                for (v, slope) in self.hinges[h].vertices.iter().zip(&self.slopes[h]) {
                    diagonal[*v as usize] += stiffness[(i, i)] * slope * slope;
                }
            }
        }
        let dot = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).fold(Vec3::zeros(), |sum, (a, b)| sum + a.component_mul(b));
        let mut residual = self.forces(stiffness, |p| p.theta() + self.turns(p, &self.heights));
        let mut heights = self.heights.clone();
        let mut search = vec![Vec3::zeros(); heights.len()];
        let mut before = Vec3::repeat(f64::INFINITY);
        for _ in 0..ITERATIONS {
            let scaled: Vec<Vec3> = (0..heights.len())
                .map(|v| if self.free[v] { residual[v] / diagonal[v] } else { Vec3::zeros() })
                .collect();
            let now = dot(&scaled, &residual);
            let keep = now.zip_map(&before, |now, before| if before > 0.0 { now / before } else { 0.0 });
            for (search, scaled) in search.iter_mut().zip(&scaled) {
                *search = scaled + search.component_mul(&keep);
            }
            let image = self.forces(stiffness, |p| self.turns(p, &search));
            let step = now.zip_map(&dot(&search, &image), |now, bend| if bend > 0.0 { now / bend } else { 0.0 });
            for v in 0..heights.len() {
                heights[v] -= search[v].component_mul(&step);
                residual[v] -= image[v].component_mul(&step);
            }
            before = now;
        }
        self.heights = heights;
    }
}
