//! Bending of a plate: the curvature of a triangle from the angles of its three hinges.
//!
//! A triangle and its neighbours, laid flat, have six vertices; on a surface of constant curvature `kappa = (xx, yy, xy)` the
//! hinges of the triangle turn by `theta = Theta kappa`, a linear map that the rest shape gives. Its inverse is exact on
//! quadratic surfaces, so the energy `A kappa^T D kappa/2` of the triangle is `theta^T C theta/2` with
//! `C = A (Theta D^-1 Theta^T)^-1`, which also holds on the border: of all curvatures that turn the hinges there are as they are
//! turned, it takes the one with the least energy. The angles are those of the bent mesh, less those at rest, so rotations may
//! be large. `D` is the plate's, `B (xx^2 + yy^2 + 2 xy^2)` for Poisson's ratio 0, fitted to the mesh
//! (see [`super::homogenize`]).
//!
//! The hinges of a triangle whose six vertices lie near a conic section cannot tell curvatures apart. They are by themselves
//! then, as in [`super::bending`].

use crate::linalg::{Mat3, Vec3};

/// No hinge on this side of a triangle.
pub const NONE: u32 = u32::MAX;

/// `D/B` of a plate of Poisson's ratio 0, on curvatures xx, yy, xy.
pub const PLATE: [f64; 3] = [1.0, 1.0, 2.0];

/// Least eigenvalue of `Theta D^-1 Theta^T`, with angles as curvatures, at which the hinges of a triangle tell curvatures apart; an
/// equilateral triangle has 2/3.
const APART: f64 = 0.1;

/// The hinges of one triangle as a bending element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Hinges by index; [`NONE`] on the border.
    pub hinges: [u32; 3],
    /// `C` per rigidity [-]; zero where there is no hinge.
    pub stiffness: Mat3,
    /// Which cloth: index of the laws.
    pub cloth: u32,
}

impl Patch {
    /// Energy [J] at angles away from rest [rad].
    pub fn energy(&self, rigidity: f64, away: impl Fn(u32) -> f64) -> f64 {
        let away = Vec3::from(self.hinges.map(|h| if h == NONE { 0.0 } else { away(h) }));
        0.5 * rigidity * away.dot(&(self.stiffness * away))
    }

    /// Stiffness of each hinge by itself that together are at least as stiff as the patch: sums of rows of `|C|`, after `C`
    /// was scaled to equal diagonals.
    pub fn bounds(&self) -> [f64; 3] {
        let c = &self.stiffness;
        std::array::from_fn(|i| (0..3).map(|j| c[(i, j)].abs() * over(c[(i, i)], c[(j, j)]).sqrt()).sum())
    }
}

fn over(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { 0.0 }
}

/// A triangle in the flat rest shape.
#[derive(Clone, Copy, Debug)]
pub struct FlatPatch {
    /// Vertices.
    pub vertices: [u32; 3],
    /// Hinges by index; [`NONE`] on the border.
    pub hinges: [u32; 3],
    /// Angle of each hinge per curvature xx, yy, xy [m]; zero on the border.
    pub angles: [[f64; 3]; 3],
    /// Curvature per angle of each hinge by itself [1/m]; zero on the border.
    pub curvature: [f64; 3],
    /// Whether each hinge's first triangle is wound the other way, so that the hinge's angle has the other sign.
    pub against: [bool; 3],
    /// Rest area [m^2].
    pub area: f64,
}

impl FlatPatch {
    /// `Theta`; rows of zeros on the border.
    pub fn theta(&self) -> Mat3 {
        Mat3::from_fn(|i, k| self.angles[i][k])
    }

    /// `C` for the diagonal of `D`; see the head of this file.
    pub fn stiffness(&self, rigidity: &[f64; 3]) -> Mat3 {
        let missing = Mat3::from_diagonal(&self.hinges.map(|h| if h == NONE { 1.0 } else { 0.0 }).into());
        // Angles as curvatures: of order one.
        let scale = Mat3::from_diagonal(&self.curvature.into());
        let rows = scale * self.theta();
        let form = |d: &[f64; 3]| rows * Mat3::from_diagonal(&d.map(|d| 1.0 / d).into()) * rows.transpose() + missing;
        let apart = form(&PLATE).symmetric_eigenvalues().min() > APART;
        let inverse = form(rigidity).try_inverse().filter(|_| apart);
        scale * (inverse.unwrap_or_else(Mat3::identity) - missing) * scale * self.area
    }
}
