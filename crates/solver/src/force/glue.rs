//! Glue: a film of springs that holds vertices of a cloth over triangles of a body.
//!
//! A bond keeps a vertex `c` over one point of a triangle, at a height `d` along its normal: `E = k/2 |r|^2` with
//! `r = x_c - sum w_k x_k - d n`. The unit normal is `n = N/|N|`, `N = (x_1 - x_0) x (x_2 - x_0)`. With the side `e_k`
//! opposite to corner `k` it changes by `dn = (e_k x n)/|N| (n . dx_k)`. The derivatives of `r` are therefore `I` for
//! the vertex and `-(w_k I + d (e_k x n) n^T/|N|)` for the corners. They sum to zero, and so do the forces
//! `-k J_a^T r`.
//!
//! The energy is invariant under rotation, so the forces have no moment either. With a fixed `n`, a load `t` along the
//! film would leave the moment `d n x t`, and a free body would begin to spin. The stiffness `k J_a^T J_b` omits the
//! curvature of `r` (Gauss-Newton). It is positive semidefinite, and exact where `r` is small against the height of the
//! triangle.

mod rows;

use crate::linalg::{Mat3, Vec3};
pub use rows::{Bonds, Glue};
use std::array::from_fn;

/// Default stiffness of the film per area [N/m^3]. The weight or drag of a garment, 100 Pa at most, displaces it by 10
/// um, a hundredth of the contact distance. A vertex of 1 cm^2 then has a spring of 1 kN/m, as stiff as its cloth. The
/// linear system is therefore no harder to solve. Only at the border of the glued region the film yields more. If the
/// body stretches the cloth of stiffness `E` by `e`, it yields by `e sqrt(E/k)` (shear lag): 0.04 mm for 1 % and 200
/// N/m.
pub const STIFFNESS: f64 = 1e7;

/// Vertex of a cloth that is held over a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bond {
    /// The vertex, then the corners of the triangle.
    pub vertices: [u32; 4],
    /// Weights of the corners at the foot of the vertex on the triangle's plane. Their sum is one. Next to a convex
    /// edge, the foot may lie slightly outside the triangle.
    pub weights: [f64; 3],
    /// Height over the plane, negative below [m].
    pub height: f64,
    /// Stiffness [N/m].
    pub stiffness: f64,
}

/// Bond evaluated at some positions.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Deviation `r` from the rest position [m].
    pub gap: Vec3,
    /// Derivatives of `r` by the four vertices.
    pub slopes: [Mat3; 4],
}

impl Bond {
    /// Holds the vertex at its present place. `x` are positions of the four vertices [m], `area` is the area of the
    /// cloth vertex [m^2], `stiffness` that of the film [N/m^3]. Returns `None` for a triangle without area.
    pub fn new(vertices: [u32; 4], x: &[Vec3; 4], area: f64, stiffness: f64) -> Option<Bond> {
        let [p, a, b, c] = x;
        let (u, v, to) = (b - a, c - a, p - a);
        let normal = u.cross(&v);
        let square = normal.norm_squared();
        let (s, t) = (normal.dot(&to.cross(&v)) / square, normal.dot(&u.cross(&to)) / square);
        let height = normal.dot(&to) / square.sqrt();
        let bond = Bond { vertices, weights: [1.0 - s - t, s, t], height, stiffness: stiffness * area };
        (s.is_finite() && t.is_finite() && height.is_finite()).then_some(bond)
    }

    /// Evaluates the bond at positions `x` [m].
    pub fn draw(&self, x: &[Vec3; 4]) -> Drawn {
        let [p, a, b, c] = x;
        let [u, v, w] = self.weights;
        let normal = (b - a).cross(&(c - a));
        let size = normal.norm();
        // A triangle without area has no normal, and bears no moment.
        let (n, per) = if size > 0.0 { (normal / size, self.height / size) } else { (Vec3::zeros(), 0.0) };
        let sides = [c - b, a - c, b - a];
        let corner =
            |k: usize| -(Mat3::from_diagonal_element(self.weights[k]) + sides[k].cross(&n) * n.transpose() * per);
        Drawn {
            gap: p - a * u - b * v - c * w - n * self.height,
            slopes: [Mat3::identity(), corner(0), corner(1), corner(2)],
        }
    }

    /// Returns the energy at positions `x` [J].
    pub fn energy(&self, x: &[Vec3; 4]) -> f64 {
        0.5 * self.stiffness * self.draw(x).gap.norm_squared()
    }
}

impl Drawn {
    /// Returns the forces on the four vertices per stiffness, for the deviation `gap` [m].
    pub fn pushes(&self, gap: &Vec3) -> [Vec3; 4] {
        from_fn(|a| -self.slopes[a].tr_mul(gap))
    }

    /// Returns the deviation to first order after the displacements `y` [m].
    pub fn after(&self, y: &[Vec3; 4]) -> Vec3 {
        self.gap + (0..4).map(|a| self.slopes[a] * y[a]).sum::<Vec3>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Rotation;
    use crate::linalg::random::Random;

    /// Bonds over triangles of any shape, displaced by about a millimetre.
    fn cases() -> Vec<(Bond, [Vec3; 4])> {
        let mut random = Random::new(3);
        let mut cases = Vec::new();
        while cases.len() < 50 {
            let rest: [Vec3; 4] = from_fn(|_| random.vector() * 0.01);
            let normal = (rest[2] - rest[1]).cross(&(rest[3] - rest[1]));
            if normal.norm() < 2e-5 {
                continue;
            }
            let bond = Bond::new([0, 1, 2, 3], &rest, 1e-4, STIFFNESS).unwrap();
            assert!(bond.draw(&rest).gap.norm() < 1e-15 && (bond.weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            cases.push((bond, rest.map(|p| p + random.vector() * 1e-3)));
        }
        cases
    }

    #[test]
    fn forces_are_the_gradient_and_sum_to_nothing() {
        for (bond, x) in cases() {
            let drawn = bond.draw(&x);
            let forces = drawn.pushes(&drawn.gap).map(|push| push * bond.stiffness);
            let size = forces.iter().map(|f| f.norm()).fold(0.0, f64::max);
            for (a, force) in forces.iter().enumerate() {
                let slope = Vec3::from_fn(|k, _| {
                    let step = 1e-7;
                    let at = |by: f64| {
                        let mut x = x;
                        x[a][k] += by;
                        bond.energy(&x)
                    };
                    (at(step) - at(-step)) / (2.0 * step)
                });
                // Differences over 0.1 um of heights of 2 mm: (1e-7/2e-3)^2, and rounding of 1e-16/1e-7 of the energy.
                assert!((slope + force).norm() < 1e-6 * size, "{a}: {slope} {force}");
            }
            let (sum, moment) =
                (0..4).fold((Vec3::zeros(), Vec3::zeros()), |(f, m), a| (f + forces[a], m + x[a].cross(&forces[a])));
            assert!(sum.norm() < 1e-14 * size && moment.norm() < 1e-15 * size, "{sum} {moment}");
        }
    }

    #[test]
    fn it_turns_with_what_it_holds() {
        let turn = Rotation::from_scaled_axis(Vec3::new(0.7, -1.9, 0.4));
        for (bond, x) in cases() {
            let turned = x.map(|p| turn * p + Vec3::new(0.1, -0.2, 0.05));
            assert!((bond.draw(&turned).gap - turn * bond.draw(&x).gap).norm() < 1e-15);
        }
    }

    #[test]
    fn slopes_are_those_of_the_gap_and_the_stiffness_is_not_negative() {
        for (bond, x) in cases() {
            let drawn = bond.draw(&x);
            let y: [Vec3; 4] = from_fn(|a| Vec3::new(a as f64, 1.0 - a as f64, 2.0) * 1e-7);
            let there: [Vec3; 4] = from_fn(|a| x[a] + y[a]);
            // Error of second order: (4e-7)^2 over heights of 2 mm.
            assert!((drawn.after(&y) - bond.draw(&there).gap).norm() < 1e-3 * 4e-7);
            let (mut form, mut size) = (0.0, 0.0f64);
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                let part = y[a].dot(&(drawn.slopes[a].tr_mul(&drawn.slopes[b]) * y[b]));
                (form, size) = (form + part, size.max(part.abs()));
            }
            assert!(form > -1e-14 * size, "{form}");
        }
    }

    #[test]
    fn a_triangle_without_area_holds_nothing() {
        assert_eq!(Bond::new([0, 1, 2, 3], &[Vec3::z(), Vec3::x(), Vec3::x() * 2.0, Vec3::x() * 3.0], 1.0, 1.0), None);
        let bond = Bond { vertices: [0, 1, 2, 3], weights: [0.2, 0.3, 0.5], height: 1e-3, stiffness: 1.0 };
        let drawn = bond.draw(&[Vec3::z(), Vec3::x(), Vec3::x() * 2.0, Vec3::x() * 3.0]);
        assert!(drawn.gap.iter().chain(drawn.slopes.iter().flat_map(|s| s.iter())).all(|c| c.is_finite()));
    }
}
