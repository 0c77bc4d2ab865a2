//! Calibration of hinges on a mesh.
//!
//! A sheet bent onto a cylinder of curvature `kappa` stores `B kappa^2/2` per area, but a hinge mesh stores up to three times
//! as much, depending on its pattern. With hinges grouped by the direction of their edge, the energy over all cylinders is
//! linear in one coefficient a group; the coefficients are fitted by bounded least squares over cylinder directions, with
//! the bending directions warp and weft weighted most: right on all regular patterns there, and in every direction where
//! the pattern allows it.

use crate::linalg::Vec2;
use std::f64::consts::PI;

/// Groups of edge directions, 22.5 degrees each.
const GROUPS: usize = 8;
/// Cylinder directions in the fit.
const DIRECTIONS: usize = 16;
/// Weight of warp and weft against the other directions.
const ALONG: f64 = 20.0;
/// Bounds of a coefficient: below, folds along one family of edges would cost nothing.
const BOUNDS: (f64, f64) = (0.3, 3.0);

/// One hinge in the flat rest shape.
#[derive(Clone, Copy, Debug)]
pub struct FlatHinge {
    /// Material coordinates of edge, edge, opposite, opposite [m].
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

    /// Angle of the edge from warp, in [0, pi).
    pub fn direction(&self) -> f64 {
        let e = self.edge();
        e.y.atan2(e.x).rem_euclid(PI)
    }

    fn group(&self) -> usize {
        ((self.direction() / PI * GROUPS as f64 + 0.5) as usize) % GROUPS
    }

    /// Dihedral angle per curvature [m] when the sheet is bent along `n`: heights `(n.x)^2/2`, small angles.
    fn angle(&self, n: &Vec2) -> f64 {
        let e = self.edge();
        let origin = self.points[0];
        let height = |p: &Vec2| 0.5 * n.dot(&(p - origin)).powi(2);
        let slope = |p: &Vec2| {
            let s = (p - origin).dot(&e) / e.norm_squared();
            let reach = (p - origin - e * s).norm();
            (height(p) - s * height(&self.points[1])) / reach
        };
        slope(&self.points[2]) + slope(&self.points[3])
    }
}

/// Coefficient `c` of every hinge; 1 for all when there are none with area.
///
/// Each inner vertex stands for a third of its ring's area and for half of each of its edges' hinges, so the border, where
/// hinges are missing, has no say. A strip without inner vertices is taken whole.
pub fn coefficients(hinges: &[FlatHinge]) -> Vec<f64> {
    let any_inner = hinges.iter().any(|h| h.inner[0] || h.inner[1]);
    // q[d][g]: energy over B kappa^2/2 of group g with coefficient one, bent in direction d.
    let mut q = [[0.0; GROUPS]; DIRECTIONS];
    let mut area = 0.0;
    for hinge in hinges {
        let ends = if any_inner { f64::from(u8::from(hinge.inner[0]) + u8::from(hinge.inner[1])) } else { 2.0 };
        area += ends * hinge.area / 6.0;
        let (group, weight) = (hinge.group(), 0.5 * ends * hinge.edge().norm_squared() / hinge.area);
        for (d, row) in q.iter_mut().enumerate() {
            let phi = d as f64 * PI / DIRECTIONS as f64;
            row[group] += weight * hinge.angle(&Vec2::new(phi.cos(), phi.sin())).powi(2);
        }
    }
    if !(area > 0.0 && area.is_finite()) {
        return vec![1.0; hinges.len()];
    }
    let fitted = fit(&q, area);
    hinges.iter().map(|h| fitted[h.group()]).collect()
}

/// Bounded weighted least squares `sum_g q[d][g] c[g] = area` by coordinate descent.
fn fit(q: &[[f64; GROUPS]; DIRECTIONS], area: f64) -> [f64; GROUPS] {
    let weight = |d: usize| if d.is_multiple_of(DIRECTIONS / 2) { ALONG } else { 1.0 };
    let mut c = [1.0; GROUPS];
    for _ in 0..2000 {
        for g in 0..GROUPS {
            let (mut top, mut bottom) = (0.0, 0.0);
            for (d, row) in q.iter().enumerate() {
                let others: f64 = (0..GROUPS).filter(|k| *k != g).map(|k| row[k] * c[k]).sum();
                top += weight(d) * row[g] * (area - others);
                bottom += weight(d) * row[g] * row[g];
            }
            if bottom > 0.0 {
                c[g] = (top / bottom).clamp(BOUNDS.0, BOUNDS.1);
            }
        }
    }
    c
}
