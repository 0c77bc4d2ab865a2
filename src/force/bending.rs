//! Bending: hinges with a quadratic energy in the dihedral angle (Bridson, Marino & Fedkiw 2003; Grinspun et al. 2003).
//!
//! A hinge stores energy by itself where the rigidity is a table by direction and curvature; where it is constant, the three hinges
//! of a triangle do together (see [`super::plate`]), and `k` is the stiffness the linear system gives to each.
//!
//! `E = k (theta - theta0)^2 / 2`, `k = c B e^2 / (A1 + A2)` with `e` the edge's rest length, `A1`, `A2` the rest areas, `B` the
//! bending rigidity [N m] and `c` the mesh's calibration (see [`super::calibrate`]). The force on vertex `a` is
//! `-k (theta - theta0) grad_a`; at a displacement `u`, as in [`super::membrane::Response`], the angle is linear in it,
//! `theta + grad . u`. The stiffness is `k grad grad^T` (Gauss-Newton), positive semidefinite.

use crate::linalg::Vec3;

/// Bending rigidity per unit width [N m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bending {
    /// Same in every direction and at every curvature.
    Constant(f64),
    /// Measured: rows for an edge at 0, 45, 90 degrees from warp, columns at curvature 0, 10, 20, 30, 40 1/m.
    Table([[f64; 5]; 3]),
    /// `3 (k1 + 3 k2 |kappa|)` along warp and weft: `k1` [N m], `k2` [N m^2] (Miguel et al. 2013, section 4.3; `3 kappa` is their strain).
    Progressive([f64; 2]),
}

impl Bending {
    /// Rigidity of the plate that it is, or that is part of it [N m]; none where hinges are by themselves.
    #[inline]
    pub fn plate(&self) -> Option<f64> {
        match self {
            Bending::Constant(b) => Some(*b),
            Bending::Progressive([k1, _]) => Some(3.0 * k1),
            Bending::Table(_) => None,
        }
    }

    /// Moment per width [N] of a sheet bent along warp (0) or weft (1) to a curvature [1/m]: what bends along warp are the edges along weft.
    pub fn moment(&self, way: usize, curvature: f64) -> f64 {
        let edge = [std::f64::consts::FRAC_PI_2, 0.0][way];
        self.rigidity(edge, curvature) * curvature
    }

    /// Rigidity [N m] for an edge at `angle` from warp [rad] and a curvature [1/m].
    pub fn rigidity(&self, angle: f64, curvature: f64) -> f64 {
        match self {
            Bending::Constant(b) => *b,
            Bending::Progressive([k1, k2]) => 3.0 * (k1 + 3.0 * k2 * curvature.abs()),
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

/// A fold: its angle as a direction, and the gradient.
#[derive(Clone, Copy, Debug)]
pub struct Bent {
    /// Proportional to the sine of the angle, which is zero when flat.
    pub sin: f64,
    /// Proportional to its cosine.
    pub cos: f64,
    /// Gradient of the angle for the hinge's four vertices [rad/m].
    pub gradient: [Vec3; 4],
}

/// Fold of two triangles on an edge: the edge and the opposite vertices, all less the edge's first vertex. Flat with zero gradient
/// when a triangle has no area. Without a branch, so that loops over hinges run in lanes.
#[inline(always)]
pub fn fold([e, p, q]: [Vec3; 3]) -> Bent {
    let (a, b) = (e.cross(&p), q.cross(&e));
    let (ee, aa, bb) = (e.norm_squared(), a.norm_squared(), b.norm_squared());
    let length = if aa * bb > 1e-60 * ee * ee * ee * ee { ee.sqrt() } else { 0.0 };
    let over = |x: f64| if length > 0.0 { 1.0 / x } else { 0.0 };
    let (g2, g3) = (a * (-length * over(aa)), b * (-length * over(bb)));
    let (s, t) = (p.dot(&e) * over(ee), q.dot(&e) * over(ee));
    let gradient = [g2 * (s - 1.0) + g3 * (t - 1.0), -(g2 * s + g3 * t), g2, g3];
    // a x b = -(a . q) e
    Bent { sin: -a.dot(&q) * length, cos: if length > 0.0 { a.dot(&b) } else { 1.0 }, gradient }
}

impl Bent {
    /// The angle, in (-pi, pi] [rad].
    #[inline(always)]
    pub fn angle(&self) -> f64 {
        direction(self.sin, self.cos)
    }
}

/// Angle of the direction (`cos`, `sin`), in (-pi, pi]: the series of the arc tangent near zero, where most of cloth is.
#[inline(always)]
fn direction(sin: f64, cos: f64) -> f64 {
    let t = sin / cos;
    if !(cos > 0.0 && t.abs() < 0.25) {
        return sin.atan2(cos);
    }
    let z = t * t;
    let (zz, z4) = (z * z, z * z * z * z);
    let four = |k: usize| {
        let c = |i: usize| SERIES[4 * k + i];
        (c(0) - c(1) * z) + (c(2) - c(3) * z) * zz
    };
    t * (four(0) + (four(1) + four(2) * z4) * z4)
}

/// One, a third, a fifth, ...: of the arc tangent of 1/4 it leaves out less than half a unit in the last place.
const SERIES: [f64; 12] = [
    1.0,
    1.0 / 3.0,
    1.0 / 5.0,
    1.0 / 7.0,
    1.0 / 9.0,
    1.0 / 11.0,
    1.0 / 13.0,
    1.0 / 15.0,
    1.0 / 17.0,
    1.0 / 19.0,
    1.0 / 21.0,
    1.0 / 23.0,
];

impl Hinge {
    /// Angle away from rest, in (-pi, pi] [rad].
    #[inline(always)]
    fn less_rest(&self, theta: f64) -> f64 {
        use std::f64::consts::{PI, TAU};
        let away = theta - self.rest;
        if away > PI {
            away - TAU
        } else if away <= -PI {
            away + TAU
        } else {
            away
        }
    }

    /// Angle away from rest at positions `x` [rad].
    pub fn away(&self, x: &[Vec3; 4]) -> f64 {
        self.less_rest(fold([x[1] - x[0], x[2] - x[0], x[3] - x[0]]).angle())
    }

    /// Angle away from rest, in (-pi, pi] [rad], and stiffness `k` [N m] there.
    #[inline(always)]
    pub fn state(&self, law: &Bending, theta: f64) -> (f64, f64) {
        let away = self.less_rest(theta);
        let k = match law.plate() {
            Some(b) => b * self.shape,
            None => law.rigidity(self.direction, away * self.curvature) * self.shape,
        };
        (away, k)
    }

    /// Energy [J], with the rigidity at the current curvature.
    pub fn energy(&self, law: &Bending, x: &[Vec3; 4]) -> f64 {
        let bent = fold([x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        let (away, k) = self.state(law, bent.angle());
        0.5 * k * away * away
    }
}
