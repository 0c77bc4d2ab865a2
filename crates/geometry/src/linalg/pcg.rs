//! Conjugate gradients with block symmetric Gauss-Seidel on coloured subdomains, by Eisenstat's trick.
//!
//! With `D = C C^T` the scaled matrix `C^-1 A C^-T = I + L + L^T + R` has a unit diagonal. The preconditioner is
//! `(I + L)(I + L^T)`, colour by colour. Conjugate gradients run on
//! `(I + L)^-1 (I + L + L^T + R) (I + L^T)^-1 p = t + (I + L)^-1 (p - t + R t)`, `t = (I + L^T)^-1 p`
//! (Eisenstat 1981). One backward and one forward sweep thus replace the product with the matrix. The low-rank update
//! ([`Matrix::low_rank`]) is added to `R t`. Its positive part also belongs to the preconditioner (`shared`).
//!
//! The error measure is the residual in the preconditioned norm, for each component separately ([`Components`]). In a
//! single norm, errors of light components would vanish beside heavy ones. A first guess is kept if its error in the
//! norm of `A` is not larger than that of zero. The criterion is `x^T b >= x^T A x / 2`, summed over all coupled
//! components. Otherwise it is scaled by `x^T b / x^T A x`, or zero if that is negative, which minimises the error. A
//! guess from the last solution thus does not outlive its cause.
//!
//! The matrix couples no two sets of components ([`Components::sets`]), so each set has a conjugate gradient process of
//! its own: step lengths, directions and end. Subdomains of finished sets are skipped. In a single process, a hard set
//! would make all others be solved far beyond the tolerance.

mod begin;
mod factor;
mod shared;
mod sweep;

use super::colours::Colours;
use super::matrix::{Lanes, Matrix, Real};
use super::scaled::{Block, Scaled};
use super::{Vec3, f64x4, par};
use factor::times_transposed;
use shared::Shared;
use sweep::Sweep;

/// Outcome of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Number of conjugate gradient iterations.
    pub iterations: usize,
    /// Largest final residual of a component, relative to its right-hand side or to a larger floor, in the
    /// preconditioned norm.
    pub residual: f64,
    /// Whether the tolerance was reached, also relative to the bounds [`Components::quiet`].
    pub converged: bool,
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Largest residual relative to the right-hand side, both in the preconditioned norm.
    pub tolerance: f64,
    /// Smallest reference norm of the residual [same unit as `sqrt(b^T A^-1 b)`].
    pub floor: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
}

/// Components, such as vertices joined by elements, whose errors are measured separately.
#[derive(Clone, Copy, Debug)]
pub struct Components<'a> {
    /// Component of each vertex. Vertices beyond the end are in the first.
    pub of: &'a [u32],
    /// Set of each component, given as the smallest component of the set. The matrix couples no two sets.
    pub sets: &'a [u32],
    /// Smallest reference norm of each component's residual [same unit as `sqrt(b^T A^-1 b)`].
    pub floors: &'a [f64],
    /// Largest reference norm of each component's residual; may be infinite. Large forces that cancel must not hide
    /// errors.
    pub ceilings: &'a [f64],
    /// Upper bound of the reference norm of each component, in the stopping criterion only. The reported residual does
    /// not use it. Components at rest thus stay at rest.
    pub quiet: &'a [f64],
}

/// Consecutive vertices of one component in a subdomain.
#[derive(Clone, Copy, Debug)]
struct Run {
    component: u32,
    /// Local index after the last vertex.
    end: usize,
    /// Sums over the vertices.
    sums: [f64; 2],
    /// Products `(p.q, r.q, q.q)`.
    dots: [f64; 3],
}

/// Conjugate gradient process of a set.
#[derive(Clone, Copy, Debug, Default)]
struct Process {
    /// Squared residual in the preconditioned norm.
    rr: f64,
    /// Product of the residual with the preconditioned one; `rr` without a low-rank update.
    rz: f64,
    /// Products `(p.q, r.q, q.q)`.
    dots: [f64; 3],
    /// Step along the direction, and fraction of the last direction in the next.
    alpha: f64,
    beta: f64,
    /// Largest residual of a component relative to its aim.
    left: f64,
    /// Not yet at the tolerance.
    active: bool,
}

/// Vectors and rows of one subdomain.
#[derive(Clone, Debug, Default)]
struct Work<T> {
    /// Index of the subdomain.
    domain: usize,
    rows: Scaled<T>,
    x: Vec<Lanes<T>>,
    r: Vec<Lanes<T>>,
    p: Vec<Lanes<T>>,
    /// Runs in order, which cover the subdomain.
    runs: Vec<Run>,
    /// A run belongs to a set that is not finished.
    active: bool,
    /// Low-rank update: local row, sum and `C^-1 U`.
    low_rank: Vec<(u32, u32, Lanes<T>)>,
    /// Contribution of the subdomain's `t` to the sums.
    sums: Vec<f64>,
}

impl<T: Real> Work<T> {
    /// Sums `of` over the local vertices, run by run.
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

    /// Computes the products of `p`, `r` and `q = t + w` with `q`, run by run.
    fn multiply(&mut self, t: &[Lanes<T>], w: &[Lanes<T>]) {
        let Work { p, r, runs, .. } = self;
        let mut first = 0;
        for run in runs {
            let own = first..run.end;
            let mut dots = [f64x4::splat(0.0); 3];
            for (((p, r), t), w) in p[own.clone()].iter().zip(&r[first..]).zip(&t[first..]).zip(&w[first..]) {
                let q = T::wide_four(t) + T::wide_four(w);
                dots[0] += T::wide_four(p) * q;
                dots[1] += T::wide_four(r) * q;
                dots[2] += q * q;
            }
            run.dots = dots.map(three);
            first = own.end;
        }
    }

    /// Updates `x`, `r` and `p` by the process of each run's component, and sets `t` to the new `p`. Runs of finished
    /// sets keep theirs.
    fn advance(&mut self, process: impl Fn(u32) -> Process, w: &[Lanes<T>], t: &mut [Lanes<T>]) {
        let Work { x, r, p, runs, .. } = self;
        let mut first = 0;
        for run in runs {
            let Process { alpha, beta, active, .. } = process(run.component);
            let (alpha, beta, count) = (T::of(alpha), T::of(beta), run.end - first);
            let (x, r, p) = (&mut x[first..][..count], &mut r[first..][..count], &mut p[first..][..count]);
            let (t, w) = (&mut t[first..][..count], &w[first..][..count]);
            for i in 0..if active { count } else { 0 } {
                for l in 0..4 {
                    x[i][l] += alpha * t[i][l];
                    r[i][l] -= alpha * (t[i][l] + w[i][l]);
                    p[i][l] = r[i][l] + beta * p[i][l];
                }
            }
            t.copy_from_slice(p);
            first = run.end;
        }
    }

    /// Updates `x` and `r` by the process of each run's component. Runs of finished sets keep theirs.
    fn reduce(&mut self, process: impl Fn(u32) -> Process, t: &[Lanes<T>], w: &[Lanes<T>]) {
        let Work { x, r, runs, .. } = self;
        let mut first = 0;
        for run in runs {
            let Process { alpha, active, .. } = process(run.component);
            let alpha = T::of(alpha);
            for i in first..if active { run.end } else { first } {
                for l in 0..4 {
                    x[i][l] += alpha * t[i][l];
                    r[i][l] -= alpha * (t[i][l] + w[i][l]);
                }
            }
            first = run.end;
        }
    }

    /// Computes the subdomain's part of `U^T t`.
    fn gather(&mut self, t: &[Lanes<T>]) {
        self.sums.fill(0.0);
        for (row, sum, u) in &self.low_rank {
            self.sums[*sum as usize] += three(T::wide_four(u) * T::wide_four(&t[*row as usize]));
        }
    }
}

/// Reusable storage of the solver. `works` and the vectors over all vertices are sorted by colour.
#[derive(Clone, Debug, Default)]
pub struct Pcg<T> {
    colours: Colours,
    works: Vec<Work<T>>,
    /// Offset of each of the `works` in `t` and `w`, with one entry more.
    starts: Vec<usize>,
    /// `(I + L^T)^-1 p`
    t: Vec<Lanes<T>>,
    /// `(I + L)^-1 (p - t + R t)`
    w: Vec<Lanes<T>>,
    /// Inverse factor `C^-1` of each vertex, lower triangular, in column order.
    inverse: Vec<Block<T>>,
    /// Subdomain of each vertex.
    domain: Vec<u32>,
    /// Vertex of each subdomain whose diagonal block is not positive definite, if any.
    broken: Vec<Option<usize>>,
    /// Low-rank terms `(E^-1 - F) U^T t`, and storage for them.
    sums: [Vec<f64>; 2],
    /// Low-rank update in the preconditioner.
    shared: Shared,
    /// Set of each component, given as the smallest component of the set.
    sets: Vec<u32>,
    /// Process of each set, at its smallest component.
    processes: Vec<Process>,
    /// All residuals are finite.
    finite: bool,
    /// Reference norm of each component's reported residual.
    references: Vec<f64>,
    /// Reference norm of each component's residual in the stopping criterion.
    aims: Vec<f64>,
    /// Largest residual relative to `aims`.
    left: f64,
    /// Fraction of the first guess that is kept, by component.
    taken: Vec<f64>,
    /// Sums by component.
    totals: Vec<[f64; 2]>,
    outcome: Outcome,
}

impl<T: Real> Pcg<T> {
    /// Solves `A x = b` for the vertices that are not `fixed`; fixed vertices keep `x = 0`. `x` is the first guess on
    /// entry and the solution on return.
    ///
    /// # Errors
    /// Returns the vertex whose diagonal block is not finite, or not positive definite by more than rounding.
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

    /// Iterates to the relative residual `tolerance`, or until `iterations` in total.
    pub fn iterate(&mut self, matrix: &Matrix<T>, tolerance: f64, iterations: usize) -> Outcome {
        let waited = self.processes.iter().any(|process| !process.active && process.rr > 0.0);
        let mut begins = self.shared.active && waited;
        loop {
            self.outcome.converged = self.left <= tolerance;
            if self.outcome.converged || self.outcome.iterations >= iterations || !self.finite {
                return self.outcome;
            }
            self.activate(tolerance);
            if std::mem::take(&mut begins) {
                self.begin_shared(matrix);
            }
            let Pcg { colours, works, starts, t, w, sums, sets, processes, .. } = self;
            let sweep = Sweep { matrix, colours: &colours.starts, starts };
            // The matrix times p is q = t + w with w = (I + L)^-1 (p - t + R t + U (E^-1 - F) U^T t).
            let t_all = &*t;
            low_rank(matrix, works, sums);
            let start = |work: &mut Work<T>, t: &[Lanes<T>], w: &mut [Lanes<T>]| {
                for ((w, p), t) in w.iter_mut().zip(&work.p).zip(t) {
                    for l in 0..4 {
                        w[l] = p[l] - t[l];
                    }
                }
                work.rows.beside.product(t_all, 0, |i, sum| (0..3).for_each(|l| w[i][l] += sum[l]));
                spread(&work.low_rank, &sums[0], w);
            };
            sweep.forward(works, t, w, start, |work, t, w| work.multiply(t, w));
            processes.iter_mut().for_each(|process| process.dots = [0.0; 3]);
            for run in works.iter().filter(|work| work.active).flat_map(|work| &work.runs) {
                let process = &mut processes[sets[run.component as usize] as usize];
                process.dots.iter_mut().zip(run.dots).for_each(|(sum, own)| *sum += own);
            }
            for Process { rr, rz, dots: [pq, rq, qq], alpha, beta, .. } in processes.iter_mut().filter(|p| p.active) {
                *alpha = *rz / *pq;
                *beta = (*rr - 2.0 * *alpha * *rq + *alpha * *alpha * *qq).max(0.0) / *rr;
            }
            self.outcome.iterations += 1;
            if self.shared.active {
                self.advance_shared(matrix);
                continue;
            }
            // Updates x, r, p, and t = (I + L^T)^-1 p.
            let (sets, processes) = (&*sets, &*processes);
            sweep.backward(works, t, w, |work, w, t| {
                work.advance(|component| processes[sets[component as usize] as usize], w, t);
                work.sum_runs(|work, i| [square(&work.r[i])]);
            });
            self.measure();
            self.processes.iter_mut().for_each(|process| process.rz = process.rr);
        }
    }

    /// Marks the sets above the tolerance, and the subdomains that belong to them.
    fn activate(&mut self, tolerance: f64) {
        let Pcg { works, sets, processes, .. } = self;
        processes.iter_mut().for_each(|process| process.active = process.left > tolerance);
        let active = |run: &Run| processes[sets[run.component as usize] as usize].active;
        works.iter_mut().for_each(|work| work.active = work.runs.iter().any(active));
    }

    /// Measures the residual of each set and the largest relative residuals of the components.
    fn measure(&mut self) {
        let Pcg { works, references, aims, left, totals, sets, processes, finite, outcome, .. } = self;
        by_component(works, totals);
        processes.iter_mut().for_each(|process| (process.rr, process.left) = (0.0, 0.0));
        (outcome.residual, *left, *finite) = (0.0, 0.0, true);
        for (k, [square, _]) in totals.iter().enumerate() {
            let process = &mut processes[sets[k] as usize];
            process.rr += square;
            if !square.is_finite() {
                (outcome.residual, *left, *finite) = (f64::INFINITY, f64::INFINITY, false);
            } else if *square > 0.0 {
                process.left = process.left.max(square.sqrt() / aims[k]);
                outcome.residual = outcome.residual.max(square.sqrt() / references[k]);
                *left = left.max(square.sqrt() / aims[k]);
            }
        }
    }

    /// Returns the outcome so far.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Computes the solution so far.
    pub fn solution(&self, matrix: &Matrix<T>, x: &mut [Vec3]) {
        let Pcg { colours, works, inverse, domain, .. } = self;
        par::fill(x, |v| {
            let k = domain[v] as usize;
            let own = &works[colours.place[k]].x[v - matrix.starts[k]];
            narrow(&times_transposed(&inverse[v], own))
        });
    }
}

/// Adds the subdomain's part of `U y` to `w`.
fn spread<T: Real>(low_rank: &[(u32, u32, Lanes<T>)], y: &[f64], w: &mut [Lanes<T>]) {
    for (row, sum, u) in low_rank {
        let y = T::of(y[*sum as usize]);
        for l in 0..3 {
            w[*row as usize][l] += u[l] * y;
        }
    }
}

/// Sums all runs by component.
fn by_component<T>(works: &[Work<T>], totals: &mut [[f64; 2]]) {
    totals.fill([0.0; 2]);
    for run in works.iter().flat_map(|work| &work.runs) {
        let [a, b] = &mut totals[run.component as usize];
        *a += run.sums[0];
        *b += run.sums[1];
    }
}

/// Computes `(E^-1 - F) U^T t` from the sums of the subdomains.
fn low_rank<T: Real>(matrix: &Matrix<T>, works: &[Work<T>], [y, scratch]: &mut [Vec<f64>; 2]) {
    par::fill(y, |k| works.iter().map(|work| work.sums[k]).sum());
    matrix.low_rank.apply(y, scratch);
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

/// Sums the first three lanes.
fn three(sum: f64x4) -> f64 {
    let [a, b, c, _] = sum.to_array();
    a + b + c
}

#[cfg(test)]
mod tests;
