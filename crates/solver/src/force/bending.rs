//! Bending: hinges with a quadratic energy in the dihedral angle (Bridson, Marino & Fedkiw 2003; Grinspun et al. 2003).
//!
//! If the rigidity is a table by direction and curvature, each hinge stores energy by itself. If the rigidity does not
//! depend on curvature, the three hinges of a triangle store it together (see [`super::plate`]). `k` is then the
//! stiffness of each hinge in the linear system.
//!
//! `E = k (theta - theta0)^2 / 2`, `k = c B e^2 / (A1 + A2)` with `e` the edge's rest length, `A1`, `A2` the rest
//! areas, `B` the bending rigidity [N m] and `c` the mesh's calibration (see [`super::calibrate`]). The force on vertex
//! `a` is `-k (theta - theta0) grad_a`. At a displacement `u`, as in [`super::membrane::Response`], the angle is linear
//! in it, `theta + grad . u`. The stiffness is `k grad grad^T` (Gauss-Newton), which is positive semidefinite.

use crate::linalg::Vec3;

/// `D/B` of a plate that is equal in every direction, of Poisson's ratio 0, on curvatures xx, yy, xy.
pub const PLATE: [f64; 3] = [1.0, 1.0, 2.0];

/// Bending rigidity per unit width [N m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bending {
    /// Rigidity that is equal in every direction and at every curvature.
    Constant(f64),
    /// Rigidity of an orthotropic plate without Poisson's ratio: bending along warp, bending along weft, twist. The
    /// energy per area is `(warp xx^2 + weft yy^2 + 2 twist xy^2)/2`.
    Orthotropic([f64; 3]),
    /// Measured rigidity: rows for an edge at 0, 45, 90 degrees from warp, columns at curvature 0, 10, 20, 30, 40 1/m.
    Table([[f64; 5]; 3]),
    /// Rigidity `3 (k1 + 3 k2 |kappa|)` along warp and weft, `k1` in [N m] and `k2` in [N m^2] (Miguel et al. 2013,
    /// section 4.3). `3 kappa` is the strain of that paper.
    Progressive([f64; 2]),
}

impl Bending {
    /// Returns the constant part of the rigidity, which a plate has [N m]; `None` if hinges store energy by themselves.
    /// An orthotropic plate gives the mean of warp and weft.
    #[inline]
    pub fn plate(&self) -> Option<f64> {
        match self {
            Bending::Constant(b) => Some(*b),
            Bending::Orthotropic([warp, weft, _]) => Some(0.5 * (warp + weft)),
            Bending::Progressive([k1, _]) => Some(3.0 * k1),
            Bending::Table(_) => None,
        }
    }

    /// Returns `D` of the plate per [`Bending::plate`], on curvatures xx, yy, xy.
    pub fn form(&self) -> [f64; 3] {
        match self {
            Bending::Orthotropic([warp, weft, twist]) if warp + weft > 0.0 => {
                [*warp, *weft, 2.0 * twist].map(|d| d / (0.5 * (warp + weft)))
            }
            _ => PLATE,
        }
    }

    /// Returns the twist of an orthotropic plate whose rigidity at 45 degrees is `bias` [N m].
    pub fn twist(warp: f64, weft: f64, bias: f64) -> f64 {
        0.5 * (4.0 * bias - warp - weft)
    }

    /// Returns the moment per width [N] of a sheet bent along warp (0) or weft (1) to a curvature [1/m]. Bending along
    /// warp folds edges along weft.
    pub fn moment(&self, way: usize, curvature: f64) -> f64 {
        let edge = [std::f64::consts::FRAC_PI_2, 0.0][way];
        self.rigidity(edge, curvature) * curvature
    }

    /// Returns the rigidity [N m] for an edge at `angle` from warp [rad] and a curvature [1/m].
    pub fn rigidity(&self, angle: f64, curvature: f64) -> f64 {
        match self {
            Bending::Constant(b) => *b,
            Bending::Orthotropic([warp, weft, twist]) => {
                let (sin, cos) = angle.sin_cos();
                let [along, across] = [sin * sin, cos * cos];
                warp * along * along + weft * across * across + 2.0 * twist * along * across
            }
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

/// Splits a table position into index (at most `most`) and remainder (at most 1) for interpolation.
fn split(at: f64, most: usize) -> (usize, f64) {
    let whole = (at as usize).min(most);
    (whole, (at - whole as f64).min(1.0))
}

/// Rest shape of one hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hinge {
    /// Both ends of the edge, then the two opposite vertices.
    pub vertices: [u32; 4],
    /// `c e^2/(A1 + A2)` times the weight map's factor: stiffness per rigidity [-].
    pub shape: f64,
    /// `e/(A1 + A2)`: curvature per angle [1/m].
    pub curvature: f64,
    /// Angle of the edge from warp [rad].
    pub direction: f64,
    /// Rest angle [rad].
    pub rest: f64,
    /// Weight map's factor of damping [-].
    pub damping: f64,
    /// Index of the cloth's laws.
    pub cloth: u32,
}

/// Fold of two triangles: sine and cosine of its angle, unscaled, and gradient.
#[derive(Clone, Copy, Debug)]
pub struct Bent {
    /// Value proportional to the sine of the angle, zero when flat.
    pub sin: f64,
    /// Value proportional to the cosine of the angle.
    pub cos: f64,
    /// Gradient of the angle by the hinge's four vertices [rad/m].
    pub gradient: [Vec3; 4],
}

/// Returns the fold of two triangles. Arguments are the edge and the two opposite vertices, relative to the edge's
/// first vertex. A triangle without area gives a flat fold with zero gradient. The code has no branch, so that loops
/// over hinges vectorise.
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
    /// Returns the angle, in (-pi, pi] [rad].
    #[inline(always)]
    pub fn angle(&self) -> f64 {
        direction(self.sin, self.cos)
    }
}

/// Returns the angle of the direction (`cos`, `sin`), in (-pi, pi]. Near zero, where most of cloth is, it evaluates the
/// series of the arc tangent.
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

/// Coefficients 1, 1/3, 1/5, ... of the arc tangent series. At 1/4, truncation omits less than half a unit in the last
/// place.
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
    /// Returns the angle less the rest angle, in (-pi, pi] [rad].
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

    /// Returns the angle less that of the rest shape at positions `x` [rad].
    pub fn away(&self, x: &[Vec3; 4]) -> f64 {
        self.less_rest(fold([x[1] - x[0], x[2] - x[0], x[3] - x[0]]).angle())
    }

    /// Returns the angle less the rest angle [rad], and stiffness `k` [N m] there. `turned` is the part of the rest
    /// angle beyond that of the rest shape.
    #[inline(always)]
    pub fn state(&self, law: &Bending, theta: f64, turned: f64) -> (f64, f64) {
        let away = self.less_rest(theta) - turned;
        let k = match law.plate() {
            Some(b) => b * self.shape,
            None => law.rigidity(self.direction, away * self.curvature) * self.shape,
        };
        (away, k)
    }

    /// Returns the energy [J], with the rigidity at the current curvature.
    pub fn energy(&self, law: &Bending, x: &[Vec3; 4], turned: f64) -> f64 {
        let bent = fold([x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
        let (away, k) = self.state(law, bent.angle(), turned);
        0.5 * k * away * away
    }
}
