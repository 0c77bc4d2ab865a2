//! Stabilised bi-conjugate gradients (BiCGSTAB) for unsymmetric matrices (van der Vorst 1992), with preconditioning
//! from the right by the diagonal `D` of `A`: `A D^-1 y = b`, `x = D^-1 y`. The residual is therefore that of the
//! system itself.
//!
//! All inner products are weighted by row. The caller chooses the weights so that the norm of the residual is the norm
//! of the wanted accuracy. Each iteration minimises this norm along its last direction. The method suits preconditioned
//! matrices that are nearly self-adjoint in this inner product. The recursion may not converge where transport in one
//! direction spans hundreds of rows.

use super::par;
use super::pcg::Outcome;

/// Reusable storage of the solver.
#[derive(Clone, Debug, Default)]
pub struct Bicgstab {
    r: Vec<f64>,
    /// Shadow residual: the residual at the last restart.
    shadow: Vec<f64>,
    p: Vec<f64>,
    /// Product `A D^-1 p`.
    v: Vec<f64>,
    /// Product `A D^-1 r`.
    t: Vec<f64>,
    /// Preconditioned vector `D^-1 p` or `D^-1 r`.
    z: Vec<f64>,
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Largest residual, relative to `reference`.
    pub tolerance: f64,
    /// Norm to which residuals are relative.
    pub reference: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Bicgstab {
    /// Solves `A x = b` from the first guess `x`, in the norm `sqrt(sum_i weight_i r_i^2)`. `product(x, out)` computes
    /// `out = A x`, and `diagonal` is the diagonal of `A`. The recursion restarts after a breakdown, or where the true
    /// residual is above the tolerance though its own is not. The solve ends where a restart has not reduced the
    /// residual.
    pub fn solve(
        &mut self,
        product: impl Fn(&[f64], &mut [f64]),
        diagonal: &[f64],
        weight: &[f64],
        b: &[f64],
        x: &mut [f64],
        Stop { tolerance, reference, iterations }: Stop,
    ) -> Outcome {
        let size = b.len();
        let Bicgstab { r, shadow, p, v, t, z } = self;
        for vector in [&mut *r, shadow, p, v, t, z] {
            vector.resize(size, 0.0);
        }
        let dot = |a: &[f64], b: &[f64]| par::sum(size, |i| weight[i] * a[i] * b[i]);
        let goal = (tolerance * reference) * (tolerance * reference);
        let mut outcome = Outcome::default();
        let mut least = f64::INFINITY;
        loop {
            product(x, r);
            par::each_mut(r, |i, r| *r = b[i] - *r);
            let mut rr = dot(r, r);
            outcome.residual = if rr > 0.0 { rr.sqrt() / reference } else { 0.0 };
            outcome.converged = rr <= goal;
            let better = rr < least;
            if outcome.converged || outcome.iterations >= iterations || !better {
                return outcome;
            }
            least = rr;

            shadow.copy_from_slice(r);
            p.copy_from_slice(r);
            let mut rho = rr;
            while rr > goal && outcome.iterations < iterations {
                outcome.iterations += 1;
                par::fill(z, |i| p[i] / diagonal[i]);
                product(z, v);
                let alpha = rho / dot(shadow, v);
                if !alpha.is_finite() {
                    break;
                }
                par::each_mut(x, |i, x| *x += alpha * z[i]);
                par::each_mut(r, |i, r| *r -= alpha * v[i]);
                par::fill(z, |i| r[i] / diagonal[i]);
                product(z, t);
                let tt = dot(t, t);
                let omega = if tt > 0.0 { dot(t, r) / tt } else { 0.0 };
                par::each_mut(x, |i, x| *x += omega * z[i]);
                par::each_mut(r, |i, r| *r -= omega * t[i]);
                rr = dot(r, r);
                let next = dot(shadow, r);
                let beta = next / rho * (alpha / omega);
                if !beta.is_finite() || next == 0.0 {
                    break;
                }
                par::each_mut(p, |i, p| *p = r[i] + beta * (*p - omega * v[i]));
                rho = next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies by upwind convection and diffusion on a line: `2.5 x_i - 1.4 x_(i-1) - 0.8 x_(i+1)`. The columns are
    /// scaled by 1 to 1000.
    fn product(x: &[f64], out: &mut [f64]) {
        let size = x.len();
        let at = |i: usize| scale(i) * x[i];
        par::fill(out, |i| {
            let before = if i > 0 { 1.4 * at(i - 1) } else { 0.0 };
            let after = if i + 1 < size { 0.8 * at(i + 1) } else { 0.0 };
            2.5 * at(i) - before - after
        });
    }

    fn scale(i: usize) -> f64 {
        10.0f64.powi((i % 4) as i32)
    }

    fn stop(reference: f64) -> Stop {
        Stop { tolerance: 1e-9, reference, iterations: 100 }
    }

    /// Returns the outcome, the largest relative error and the solution.
    fn solve(size: usize, tolerance: f64) -> (Outcome, f64, Vec<f64>) {
        let wanted: Vec<f64> = (0..size).map(|i| (1.0 + (0.3 * i as f64).sin() / 2.0) / scale(i)).collect();
        let mut b = vec![0.0; size];
        product(&wanted, &mut b);
        let diagonal: Vec<f64> = (0..size).map(|i| 2.5 * scale(i)).collect();
        let (weight, mut x) = (vec![1.0; size], vec![0.0; size]);
        let reference = b.iter().map(|b| b * b).sum::<f64>().sqrt();
        let stop = Stop { tolerance, reference, iterations: 500 };
        let outcome = Bicgstab::default().solve(product, &diagonal, &weight, &b, &mut x, stop);
        let error = x.iter().zip(&wanted).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
        (outcome, error, x)
    }

    #[test]
    fn finds_the_solution() {
        for size in [1, 2, 50, 3000] {
            let (outcome, error, _) = solve(size, 1e-12);
            assert!(outcome.converged && error < 1e-9, "{size}: {outcome:?}, {error:.1e}");
        }
    }

    #[test]
    fn has_the_same_bits_on_any_number_of_threads() {
        let [one, three] = [1, 3].map(|threads| par::with_threads(threads, || solve(5000, 1e-9).2).unwrap());
        assert_eq!(one, three);
    }

    /// A rotation by a quarter turn has no product with the first residual, so the recursion divides by zero.
    #[test]
    fn ends_where_it_breaks_down() {
        let turn = |x: &[f64], out: &mut [f64]| out.copy_from_slice(&[-x[1], x[0]]);
        let mut x = [0.0; 2];
        let outcome = Bicgstab::default().solve(turn, &[1.0; 2], &[1.0; 2], &[1.0, 0.0], &mut x, stop(1.0));
        assert!(!outcome.converged && outcome.iterations < 100 && x.iter().all(|x| x.is_finite()), "{outcome:?} {x:?}");
    }

    #[test]
    fn what_is_solved_stays() {
        let mut x = [0.5, 0.25];
        let double = |x: &[f64], out: &mut [f64]| out.copy_from_slice(&[2.0 * x[0], 4.0 * x[1]]);
        let outcome = Bicgstab::default().solve(double, &[2.0, 4.0], &[1.0; 2], &[1.0; 2], &mut x, stop(0.0));
        assert_eq!((outcome, x), (Outcome { iterations: 0, residual: 0.0, converged: true }, [0.5, 0.25]));
    }
}
