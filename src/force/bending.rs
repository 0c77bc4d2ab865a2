//! Bending: hinges with a quadratic energy in the dihedral angle (Bridson, Marino & Fedkiw 2003; Grinspun et al. 2003).
//!
//! `E = k (theta - theta0)^2 / 2`, `k = c B e^2 / (A1 + A2)` with `e` the edge's rest length, `A1`, `A2` the rest areas, `B` the
//! bending rigidity [N m] and `c` the mesh's calibration (see [`super::calibrate`]). The stiffness is `k grad grad^T`
//! (Gauss-Newton), positive semidefinite.

use crate::linalg::Vec3;

/// Bending rigidity per unit width [N m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bending {
    /// Same in every direction and at every curvature.
    Constant(f64),
    /// Measured: rows for an edge at 0, 45, 90 degrees from warp, columns at curvature 0, 10, 20, 30, 40 1/m.
    Table([[f64; 5]; 3]),
}

impl Bending {
    /// Rigidity [N m] for an edge at `angle` from warp [rad] and a curvature [1/m].
    pub fn rigidity(&self, angle: f64, curvature: f64) -> f64 {
        match self {
            Bending::Constant(b) => *b,
            Bending::Table(rows) => {
                let folded = angle.rem_euclid(std::f64::consts::PI);
                let folded = folded.min(std::f64::consts::PI - folded);
                let (row, f) = split(folded / std::f64::consts::FRAC_PI_4, 1);
                let (column, g) = split(curvature.abs() / 10.0, 3);
                let at = |r: usize| rows[r][column] * (1.0 - g) + rows[r][column + 1] * g;
                at(row) * (1.0 - f) + at(row + 1) * f
            }
        }
    }
}

/// Whole part (at most `most`) and remainder (at most 1) for interpolation in a table.
fn split(at: f64, most: usize) -> (usize, f64) {
    let whole = (at as usize).min(most);
    (whole, (at - whole as f64).min(1.0))
}

/// Rest shape of one hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Two ends of the edge, then the two opposite vertices.
    pub vertices: [u32; 4],
    /// `c e^2/(A1 + A2)` times the weight map's factor: stiffness per rigidity [-].
    pub shape: f64,
    /// `e/(A1 + A2)`: curvature per angle [1/m].
    pub curvature: f64,
    /// Angle of the edge from warp [rad].
    pub direction: f64,
    /// Rest angle [rad].
    pub rest: f64,
    /// Which cloth: index of the laws.
    pub cloth: u32,
}

/// Angle and its gradient.
#[derive(Clone, Copy, Debug)]
pub struct Angle {
    /// Dihedral angle, zero when flat [rad], in (-pi, pi].
    pub theta: f64,
    /// Gradient for the hinge's four vertices [rad/m].
    pub gradient: [Vec3; 4],
}

/// Dihedral angle of vertices (edge, edge, opposite, opposite); zero with zero gradient when a triangle has no area.
#[inline]
pub fn angle(x: &[Vec3; 4]) -> Angle {
    let (e, p, q) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let (a, b) = (e.cross(&p), q.cross(&e));
    let (ee, aa, bb) = (e.norm_squared(), a.norm_squared(), b.norm_squared());
    if aa * bb <= 1e-60 * ee * ee * ee * ee {
        return Angle { theta: 0.0, gradient: [Vec3::zeros(); 4] };
    }
    let length = ee.sqrt();
    let theta = (a.cross(&b).dot(&e)).atan2(a.dot(&b) * length);
    let (g2, g3) = (a * (-length / aa), b * (-length / bb));
    let (s, t) = (p.dot(&e) / ee, q.dot(&e) / ee);
    Angle { theta, gradient: [g2 * (s - 1.0) + g3 * (t - 1.0), -(g2 * s + g3 * t), g2, g3] }
}

impl Hinge {
    /// Angle away from rest, in (-pi, pi] [rad], and stiffness `k` [N m] at that angle, and the gradient.
    #[inline]
    fn state(&self, law: &Bending, x: &[Vec3; 4]) -> (f64, f64, [Vec3; 4]) {
        use std::f64::consts::{PI, TAU};
        let Angle { theta, gradient } = angle(x);
        let mut away = theta - self.rest;
        if away > PI {
            away -= TAU;
        } else if away <= -PI {
            away += TAU;
        }
        let k = match law {
            Bending::Constant(b) => b * self.shape,
            Bending::Table(_) => law.rigidity(self.direction, away * self.curvature) * self.shape,
        };
        (away, k, gradient)
    }

    /// Energy [J], with the rigidity at the current curvature.
    pub fn energy(&self, law: &Bending, x: &[Vec3; 4]) -> f64 {
        let (away, k, _) = self.state(law, x);
        0.5 * k * away * away
    }

    /// Moment and stiffness: the force on vertex `a` is `-moment gradient_a`, linearised at `x` and taken at the displacement
    /// `y + w` (as in [`super::membrane::Response`]); the stiffness is `k gradient_a gradient_b^T`.
    #[inline]
    pub fn respond(&self, law: &Bending, x: &[Vec3; 4], u: &[Vec3; 4]) -> (f64, f64, [Vec3; 4]) {
        let (away, k, g) = self.state(law, x);
        let turn = g[0].dot(&u[0]) + g[1].dot(&u[1]) + g[2].dot(&u[2]) + g[3].dot(&u[3]);
        (k * (away + turn), k, g)
    }
}
