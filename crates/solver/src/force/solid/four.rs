//! Four co-rotational tetrahedra evaluated side by side.

use super::{Lame, Solid, Stretched, Tetrahedron};
use crate::linalg::four::Four;
use crate::linalg::{Mat3, Vec3, f64x4};
use std::array::from_fn;

/// Volume per rest volume below which the rotation follows from the principal stretches. Newton's method is slow there,
/// and converges to a reflection in inverted elements.
const CRUSHED: f64 = 0.1;
/// Largest number of Newton iterations. Five suffice for stretches from 0.4 to 2.5.
const ROUNDS: usize = 12;

/// Four elements of co-rotational bodies.
pub struct Tetrahedra {
    gradients: [Four; 3],
    volume: f64x4,
    mu: f64x4,
    lambda: f64x4,
}

/// Forces and stiffness of four elements in a step.
pub struct Responses {
    /// Force on each vertex [N].
    pub forces: [Four; 4],
    /// Blocks of vertices (a, b), a <= b, in order of rows; each in order of its columns [N/m].
    pub blocks: [[f64x4; 9]; 10],
}

impl Tetrahedra {
    /// Combines four elements and their laws; `None` if one is not co-rotational.
    pub fn new(four: &[(&Tetrahedron, &Solid); 4]) -> Option<Tetrahedra> {
        let mut lame = [Lame { mu: 0.0, lambda: 0.0 }; 4];
        for (lame, (_, solid)) in lame.iter_mut().zip(four) {
            let Solid::Corotational(own) = solid else { return None };
            *lame = *own;
        }
        Some(Tetrahedra {
            gradients: from_fn(|a| Four::from_fn(|k| &four[k].0.gradients[a])),
            volume: f64x4::new(from_fn(|k| four[k].0.volume)),
            mu: f64x4::new(lame.map(|l| l.mu)),
            lambda: f64x4::new(lame.map(|l| l.lambda)),
        })
    }

    /// Returns the forces at the edges `x`, less the stiffness times the `displacement` of these edges, and the
    /// stiffness times `damped`. Edges go from vertex 0 to the others [m].
    #[inline(always)]
    pub fn respond(&self, x: &[Four; 3], displacement: &[Four; 3], damped: f64x4) -> Responses {
        let g = &self.gradients;
        let f = outer(x, g);
        let r = rotations(&f);
        let turn = |v: &Four| {
            let [a, b, c] = v.parts();
            r[0] * a + r[1] * b + r[2] * c
        };
        let h = from_fn(|k| turn(&g[k]));
        // 2 mu (F - R) + lambda tr(R^T F - I) R on the material gradients, mu (G + G^T) + lambda tr(G) I on the rotated
        // gradients.
        let (mu, lambda) = (self.mu * self.volume, self.lambda * self.volume);
        let trace = r[0].dot(&f[0]) + r[1].dot(&f[1]) + r[2].dot(&f[2]) - f64x4::splat(3.0);
        let (stretch, bulk) = (mu + mu, lambda * trace);
        let stress: [Four; 3] = from_fn(|c| (f[c] - r[c]) * stretch + r[c] * bulk);
        let change = outer(displacement, &h);
        let rows: [[f64x4; 3]; 3] = change.map(|c| c.parts());
        let swell = lambda * (rows[0][0] + rows[1][1] + rows[2][2]);
        let forces: [Four; 3] = from_fn(|k| {
            let [a, b, c] = g[k].parts();
            let [p, q, s] = h[k].parts();
            let leans = Four::new([change[0].dot(&h[k]), change[1].dot(&h[k]), change[2].dot(&h[k])]);
            let follows = change[0] * p + change[1] * q + change[2] * s;
            let all = stress[0] * a + stress[1] * b + stress[2] * c + (leans + follows) * mu + h[k] * swell;
            all * f64x4::splat(-1.0)
        });
        let first = (forces[0] + forces[1] + forces[2]) * f64x4::splat(-1.0);
        let (mu, lambda) = (mu * damped, lambda * damped);
        let h0 = (h[0] + h[1] + h[2]) * f64x4::splat(-1.0);
        let all = [h0, h[0], h[1], h[2]];
        let mut blocks = [[f64x4::splat(0.0); 9]; 10];
        let pairs = (0..4).flat_map(|a| (a..4).map(move |b| (a, b)));
        for (block, (a, b)) in blocks.iter_mut().zip(pairs) {
            let (h, k) = (&all[a], &all[b]);
            let diagonal = mu * h.dot(k);
            let (p, q) = (h.parts(), k.parts());
            for (e, entry) in block.iter_mut().enumerate() {
                let (row, column) = (e % 3, e / 3);
                *entry = mu * q[row] * p[column] + lambda * p[row] * q[column];
                if row == column {
                    *entry += diagonal;
                }
            }
        }
        Responses { forces: [first, forces[0], forces[1], forces[2]], blocks }
    }
}

/// Returns the columns of the sum of `a[k] b[k]^T`.
#[inline(always)]
fn outer(a: &[Four; 3], b: &[Four; 3]) -> [Four; 3] {
    let b = b.map(|b| b.parts());
    from_fn(|c| a[0] * b[0][c] + a[1] * b[1][c] + a[2] * b[2][c])
}

/// Returns the columns of the rotations in four deformation gradients: `R <- (R + R^-T)/2` (N. J. Higham, "Computing
/// the polar decomposition - with applications", SIAM J. Sci. Stat. Comput. 7, 1986).
#[inline(always)]
fn rotations(f: &[Four; 3]) -> [Four; 3] {
    let volumes = f[0].dot(&f[1].cross(&f[2])).to_array();
    let crushed: [bool; 4] = from_fn(|k| volumes[k].is_nan() || volumes[k] < CRUSHED);
    if crushed.iter().any(|c| *c) {
        return turned(f, &crushed);
    }
    newton(*f)
}

#[inline(always)]
fn newton(mut r: [Four; 3]) -> [Four; 3] {
    let half = f64x4::splat(0.5);
    for _ in 0..ROUNDS {
        let cofactor = [r[1].cross(&r[2]), r[2].cross(&r[0]), r[0].cross(&r[1])];
        let inverse = half / r[0].dot(&cofactor[0]);
        let next: [Four; 3] = from_fn(|c| r[c] * half + cofactor[c] * inverse);
        let step: [Four; 3] = from_fn(|c| next[c] - r[c]);
        let squares = (step[0].dot(&step[0]) + step[1].dot(&step[1]) + step[2].dot(&step[2])).to_array();
        r = next;
        // The remaining error is the square of the step.
        if squares.iter().all(|m| *m < 1e-16) {
            break;
        }
    }
    r
}

/// Evaluates [`rotations`] if some elements are crushed or inverted.
#[cold]
fn turned(f: &[Four; 3], crushed: &[bool; 4]) -> [Four; 3] {
    let columns = f.map(|c| c.to_array());
    let matrix = |k: usize| Mat3::from_columns(&[columns[0][k], columns[1][k], columns[2][k]]);
    let exact: [Mat3; 4] = from_fn(|k| if crushed[k] { Stretched::new(&matrix(k)).rotation() } else { matrix(k) });
    let column = |c: usize| -> [Vec3; 4] { from_fn(|k| exact[k].column(c).into_owned()) };
    // A rotation is a fixed point of the iteration, so exact rotations are kept.
    newton(from_fn(|c| {
        let own = column(c);
        Four::from_fn(|k| &own[k])
    }))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{LAME, element};
    use super::*;
    use crate::linalg::random::Random;

    /// Four elements side by side equal single ones, to rounding. Crushed and inverted ones, and their neighbours, are
    /// included.
    #[test]
    fn four_are_four() {
        let mut random = Random::new(11);
        for k in 0..500 {
            let by = [0.01, 0.3, 3.0][k % 3];
            let all: [_; 4] = from_fn(|_| element(&mut random, by));
            let solid = Solid::Corotational(LAME);
            let four = Tetrahedra::new(&from_fn(|l| (&all[l].0, &solid))).unwrap();
            let x: [[Vec3; 4]; 4] = from_fn(|l| all[l].2);
            let displacement: [[Vec3; 4]; 4] = from_fn(|l| all[l].1.map(|p| p * 0.1));
            let edges = |x: &[[Vec3; 4]; 4]| -> [Four; 3] {
                from_fn(|a| {
                    let edges: [Vec3; 4] = from_fn(|l| x[l][a + 1] - x[l][0]);
                    Four::from_fn(|l| &edges[l])
                })
            };
            let found = four.respond(&edges(&x), &edges(&displacement), f64x4::splat(1.5));
            let forces = found.forces.map(|f| f.to_array());
            for l in 0..4 {
                let one = all[l].0.strain(&solid, &x[l]);
                let mut wanted = one.forces;
                let pairs = (0..4).flat_map(|a| (a..4).map(move |b| (a, b)));
                let scale = one.blocks.iter().map(|b| b.norm()).fold(0.0, f64::max);
                for ((a, b), (block, lanes)) in pairs.zip(one.blocks.iter().zip(&found.blocks)) {
                    wanted[a] -= block * displacement[l][b];
                    if a != b {
                        wanted[b] -= block.tr_mul(&displacement[l][a]);
                    }
                    for (entry, lanes) in block.iter().zip(lanes) {
                        assert!((entry * 1.5 - lanes.to_array()[l]).abs() < 1e-11 * scale, "{k} {a} {b}");
                    }
                }
                for a in 0..4 {
                    assert!((forces[a][l] - wanted[a]).norm() < 1e-11 * scale, "{k}: {} {}", forces[a][l], wanted[a]);
                }
            }
        }
    }
}
