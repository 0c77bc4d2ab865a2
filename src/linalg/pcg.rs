//! Conjugate gradients with block symmetric Gauss-Seidel on coloured subdomains, by Eisenstat's trick.
//!
//! With `D = C C^T` the scaled matrix `C^-1 A C^-T = I + L + L^T + R` has a unit diagonal. The preconditioner is
//! `(I + L)(I + L^T)`, colour by colour, and conjugate gradients run on
//! `(I + L)^-1 (I + L + L^T + R) (I + L^T)^-1 p = t + (I + L)^-1 (p - t + R t)`, `t = (I + L^T)^-1 p`
//! (Eisenstat 1981), so one backward and one forward sweep replace the product with the matrix. What couples whole regions
//! ([`Matrix::common`]) is added to `R t`.
//!
//! The error measure is the residual in the preconditioned norm, of each component by itself ([`Components`]): in one norm over all,
//! what is light beside what is heavy would not count. A first guess is taken where it leaves less error than none, in the norm of `A`:
//! `x^T b >= x^T A x / 2`, summed over all components that are coupled. Else the part of it that leaves least is, `x^T b / x^T A x`: a
//! guess made from the last solution does not outlive what drove it.

mod begin;
mod factor;
mod sweep;

use super::colours::Colours;
use super::matrix::{Lanes, Matrix, Real};
use super::scaled::{Block, Scaled};
use super::{Vec3, f64x4, par};
use factor::times_transposed;
use sweep::Sweep;

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Conjugate gradient iterations.
    pub iterations: usize,
    /// Final residual relative to the right-hand side (or to the floor where that is larger), preconditioned norm: the largest of all
    /// components.
    pub residual: f64,
    /// The tolerance was reached, by what is quiet too.
    pub converged: bool,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Residual relative to the right-hand side, both in the preconditioned norm.
    pub tolerance: f64,
    /// A right-hand side below this norm counts as this large [same unit as `sqrt(b^T A^-1 b)`].
    pub floor: f64,
    /// Most iterations.
    pub iterations: usize,
}

/// Unknowns whose errors are measured by themselves, such as the vertices that elements join.
#[derive(Clone, Copy, Debug)]
pub struct Components<'a> {
    /// Component of each vertex; where it ends, the first.
    pub of: &'a [u32],
    /// Set of each component, by its smallest one: the matrix couples no two sets.
    pub sets: &'a [u32],
    /// A component's right-hand side below this norm counts as this large, by component [same unit as `sqrt(b^T A^-1 b)`].
    pub floors: &'a [f64],
    /// One above this norm counts as this large: what presses much and cancels must not hide errors; may be infinite.
    pub ceilings: &'a [f64],
    /// Bounds for when to stop alone, not for the residual that is told: what is quiet is to stay so.
    pub quiet: &'a [f64],
}

/// Vertices of one component that follow each other in a subdomain.
#[derive(Clone, Copy, Debug)]
struct Run {
    component: u32,
    /// Local vertex after the last.
    end: usize,
    /// Sums over its vertices.
    sums: [f64; 2],
}

/// Vectors and rows of one subdomain.
#[derive(Clone, Debug, Default)]
struct Work<T> {
    /// Which subdomain.
    domain: usize,
    rows: Scaled<T>,
    x: Vec<Lanes<T>>,
    r: Vec<Lanes<T>>,
    p: Vec<Lanes<T>>,
    dots: [f64; 3],
    /// In order; they cover it.
    runs: Vec<Run>,
    /// Local row, sum and `C^-1 U` of what couples whole regions.
    common: Vec<(u32, u32, Lanes<T>)>,
    /// What its own `t` adds to the sums.
    sums: Vec<f64>,
}

impl<T: Real> Work<T> {
    /// Sums what `of` gives for each local vertex, run by run.
    #[inline]
    fn sum_runs<const N: usize>(&mut self, of: impl Fn(&Self, usize) -> [f64x4; N]) {
        let mut first = 0;
        for k in 0..self.runs.len() {
            let end = self.runs[k].end;
            let mut sums = [f64x4::splat(0.0); N];
            for i in first..end {
                for (sum, x) in sums.iter_mut().zip(of(self, i)) {
                    *sum += x;
                }
            }
            self.runs[k].sums[..N].copy_from_slice(&sums.map(three));
            first = end;
        }
    }

    /// `U^T t`, the subdomain's part.
    fn gather(&mut self, t: &[Lanes<T>]) {
        self.sums.fill(0.0);
        for (row, sum, u) in &self.common {
            self.sums[*sum as usize] += three(T::wide_four(u) * T::wide_four(&t[*row as usize]));
        }
    }
}

/// Reusable storage of the solver; `works` and the vectors of all are sorted by colour.
#[derive(Clone, Debug, Default)]
pub struct Pcg<T> {
    colours: Colours,
    works: Vec<Work<T>>,
    /// Where each of the `works` begins in `t` and `w`, one entry more.
    starts: Vec<usize>,
    /// `(I + L^T)^-1 p`
    t: Vec<Lanes<T>>,
    /// `(I + L)^-1 (p - t + R t)`
    w: Vec<Lanes<T>>,
    /// `C^-1` per vertex, lower triangular, column order.
    inverse: Vec<Block<T>>,
    /// Subdomain of each vertex.
    domain: Vec<u32>,
    /// A vertex of each subdomain whose diagonal block is not positive definite.
    broken: Vec<Option<usize>>,
    /// `(E^-1 - F) U^T t`, and storage for it.
    sums: [Vec<f64>; 2],
    /// Square of the residual in the preconditioned norm.
    rr: f64,
    /// What residuals are relative to, by component.
    references: Vec<f64>,
    /// References of the residual for when to stop.
    aims: Vec<f64>,
    /// The largest residual relative to those.
    left: f64,
    /// Part of the first guess that is taken, by component.
    taken: Vec<f64>,
    /// Sums by component.
    totals: Vec<[f64; 2]>,
    outcome: Outcome,
}

impl<T: Real> Pcg<T> {
    /// Solves `A x = b` for the vertices that are not `fixed`; those keep `x = 0`. `x` is the first guess on entry and the
    /// solution on return.
    ///
    /// # Errors
    /// The vertex whose diagonal block is not positive definite but for rounding (or not finite).
    pub fn solve(
        &mut self,
        matrix: &Matrix<T>,
        fixed: &[bool],
        b: &[Vec3],
        x: &mut [Vec3],
        stop: Stop,
    ) -> Result<Outcome, usize> {
        self.begin(
            matrix,
            fixed,
            b,
            x,
            Components {
                of: &[],
                sets: &[0],
                floors: &[stop.floor],
                ceilings: &[f64::INFINITY],
                quiet: &[f64::INFINITY],
            },
        )?;
        let outcome = self.iterate(matrix, stop.tolerance, stop.iterations);
        self.solution(matrix, x);
        Ok(outcome)
    }

    /// Iterates on to the relative residual `tolerance` or to so many `iterations` from the beginning.
    pub fn iterate(&mut self, matrix: &Matrix<T>, tolerance: f64, iterations: usize) -> Outcome {
        loop {
            self.outcome.converged = self.left <= tolerance;
            if self.outcome.converged || self.outcome.iterations >= iterations || !self.rr.is_finite() {
                return self.outcome;
            }
            let Pcg { colours, works, starts, t, w, sums, rr, .. } = self;
            let sweep = Sweep { matrix, colours: &colours.starts, starts };
            // The matrix times p is q = t + w with w = (I + L)^-1 (p - t + R t + U (E^-1 - F) U^T t).
            let t_all = &*t;
            common(matrix, works, sums);
            let start = |work: &mut Work<T>, t: &[Lanes<T>], w: &mut [Lanes<T>]| {
                for ((w, p), t) in w.iter_mut().zip(&work.p).zip(t) {
                    for l in 0..4 {
                        w[l] = p[l] - t[l];
                    }
                }
                work.rows.beside.product(t_all, 0, |i, sum| (0..3).for_each(|l| w[i][l] += sum[l]));
                spread(&work.common, &sums[0], w);
            };
            sweep.forward(works, t, w, start, |work, t, w| {
                let mut dots = [f64x4::splat(0.0); 3];
                for (((p, r), t), w) in work.p.iter().zip(&work.r).zip(t).zip(w) {
                    let q = T::wide_four(t) + T::wide_four(w);
                    for (dot, with) in dots.iter_mut().zip([T::wide_four(p), T::wide_four(r), q]) {
                        *dot += with * q;
                    }
                }
                work.dots = dots.map(three);
            });
            let (pq, rq, qq) = (sum(works, 0), sum(works, 1), sum(works, 2));
            let step = *rr / pq;
            let next = (*rr - 2.0 * step * rq + step * step * qq).max(0.0);
            let (alpha, beta) = (T::of(step), T::of(next / *rr));
            // x, r, p, and t = (I + L^T)^-1 p.
            sweep.backward(works, t, w, |work, w, t| {
                let Work { x, r, p, .. } = &mut *work;
                for ((((t, x), r), p), w) in t.iter_mut().zip(x).zip(r).zip(p).zip(w) {
                    for l in 0..4 {
                        x[l] += alpha * t[l];
                        r[l] -= alpha * (t[l] + w[l]);
                        p[l] = r[l] + beta * p[l];
                    }
                    *t = *p;
                }
                work.sum_runs(|work, i| [square(&work.r[i])]);
            });
            self.outcome.iterations += 1;
            self.measure();
        }
    }

    /// The residual of all, and the largest of the components, relative to what counts there.
    fn measure(&mut self) {
        let Pcg { works, references, aims, left, totals, rr, outcome, .. } = self;
        by_component(works, totals);
        *rr = totals.iter().map(|t| t[0]).sum();
        let relative = |(reference, [square, _]): (&f64, &[f64; 2])| match *square {
            0.0 => 0.0,
            square => square.sqrt() / reference,
        };
        for (largest, to) in [(&mut outcome.residual, references), (left, aims)] {
            *largest = to.iter().zip(&*totals).map(relative).fold(0.0, f64::max);
            if !rr.is_finite() {
                *largest = f64::INFINITY;
            }
        }
    }

    /// How it went so far.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// What has been found so far.
    pub fn solution(&self, matrix: &Matrix<T>, x: &mut [Vec3]) {
        let Pcg { colours, works, inverse, domain, .. } = self;
        par::fill(x, |v| {
            let k = domain[v] as usize;
            let own = &works[colours.place[k]].x[v - matrix.starts[k]];
            narrow(&times_transposed(&inverse[v], own))
        });
    }
}

/// `w += U y`, the part of a subdomain with this of `U`.
fn spread<T: Real>(common: &[(u32, u32, Lanes<T>)], y: &[f64], w: &mut [Lanes<T>]) {
    for (row, sum, u) in common {
        let y = T::of(y[*sum as usize]);
        for l in 0..3 {
            w[*row as usize][l] += u[l] * y;
        }
    }
}

/// Sums of all runs by component.
fn by_component<T>(works: &[Work<T>], totals: &mut [[f64; 2]]) {
    totals.fill([0.0; 2]);
    for run in works.iter().flat_map(|work| &work.runs) {
        let [a, b] = &mut totals[run.component as usize];
        *a += run.sums[0];
        *b += run.sums[1];
    }
}

/// `(E^-1 - F) U^T t` from what the subdomains have gathered.
fn common<T: Real>(matrix: &Matrix<T>, works: &[Work<T>], [y, scratch]: &mut [Vec<f64>; 2]) {
    par::fill(y, |k| works.iter().map(|work| work.sums[k]).sum());
    matrix.common.apply(y, scratch);
}

fn sum<T>(works: &[Work<T>], which: usize) -> f64 {
    works.iter().map(|w| w.dots[which]).sum()
}

fn lanes<T: Real>(v: &Vec3) -> Lanes<T> {
    [T::of(v.x), T::of(v.y), T::of(v.z), T::default()]
}

fn narrow<T: Real>(v: &Lanes<T>) -> Vec3 {
    Vec3::new(v[0].wide(), v[1].wide(), v[2].wide())
}

#[inline(always)]
fn square<T: Real>(v: &Lanes<T>) -> f64x4 {
    let v = T::wide_four(v);
    v * v
}

/// Sum of the lanes that count.
fn three(sum: f64x4) -> f64 {
    let [a, b, c, _] = sum.to_array();
    a + b + c
}

#[cfg(test)]
mod tests;
