//! Low-rank update in the preconditioner.
//!
//! Sweeps leave out the low-rank update `U (E^-1 - F) U^T`, whose largest part is `U E^-1 U^T`: compression of gas that
//! few sums describe. The preconditioner of the scaled system thus becomes `I + U E^-1 U^T`. Its inverse is
//! `I - U (E + U^T U)^-1 U^T` (Woodbury). The diagonal matrix of the row sums of `U^T U` replaces `U^T U`, so the
//! pattern of `E` suffices. It is no smaller, so the preconditioner remains positive definite.

use super::sweep::Sweep;
use super::{Pcg, Process, Work, square};
use crate::linalg::matrix::{Lanes, Matrix, Real};
use crate::linalg::par;
use crate::linalg::skyline::SkylineCholesky;

/// Factors and storage of one system.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    /// The matrix has a low-rank update.
    pub active: bool,
    /// Factors of `E` plus the row sums, in blocks of consecutive sums.
    factors: Vec<SkylineCholesky>,
    /// Row sums of `U^T U`.
    rows: Vec<f64>,
    /// Component of a vertex of each sum.
    component: Vec<u32>,
    /// `U^T r`, and `(E + U^T U)^-1 U^T r`.
    sums: Vec<f64>,
    solution: Vec<f64>,
    scratch: Vec<f64>,
}

impl Shared {
    /// Factors the sums of a system whose scaled `U` is in `works`.
    pub(super) fn prepare<T: Real>(&mut self, matrix: &Matrix<T>, works: &[Work<T>]) {
        let Shared { active, factors, rows, component, sums, solution, scratch } = self;
        let count = matrix.low_rank.size();
        *active = count > 0;
        if !*active {
            return;
        }
        rows.clear();
        rows.resize(count, 0.0);
        component.clear();
        component.resize(count, 0);
        for work in works {
            let mut runs = work.runs.iter().peekable();
            for row in work.low_rank.chunk_by(|a, b| a.0 == b.0) {
                let norm = |u: &Lanes<T>| u.iter().map(|x| x.wide().powi(2)).sum::<f64>().sqrt();
                let all: f64 = row.iter().map(|(_, _, u)| norm(u)).sum();
                while runs.next_if(|run| run.end <= row[0].0 as usize).is_some() {}
                for (_, sum, u) in row {
                    rows[*sum as usize] += all * norm(u);
                    component[*sum as usize] = runs.peek().map_or(0, |run| run.component);
                }
            }
        }
        let mut first = 0;
        let firsts: Vec<usize> = matrix
            .low_rank
            .inner
            .iter()
            .map(|inner| {
                first += inner.size();
                first - inner.size()
            })
            .collect();
        *factors = par::map_heavy(firsts.len(), |k| {
            let inner = &matrix.low_rank.inner[k];
            inner.shifted(&rows[firsts[k]..firsts[k] + inner.size()])
        });
        for vector in [sums, solution, scratch] {
            vector.resize(count, 0.0);
        }
    }
}

impl<T: Real> Work<T> {
    /// Computes the subdomain's part of `U^T r`.
    fn gather_residual(&mut self) {
        self.sums.fill(0.0);
        for (row, sum, u) in &self.low_rank {
            self.sums[*sum as usize] += super::three(T::wide_four(u) * T::wide_four(&self.r[*row as usize]));
        }
    }
}

impl<T: Real> Pcg<T> {
    /// Sets the first directions from the present residual.
    pub(super) fn begin_shared(&mut self, matrix: &Matrix<T>) {
        par::each_heavy(&mut self.works, |_, work| {
            if work.active {
                work.gather_residual();
            }
        });
        self.solve_shared();
        self.processes.iter_mut().for_each(|process| process.beta = 0.0);
        self.turn(matrix);
    }

    /// Updates the solution and the residual by the steps of the processes, then the directions.
    pub(super) fn advance_shared(&mut self, matrix: &Matrix<T>) {
        let Pcg { works, starts, t, w, sets, processes, .. } = self;
        let (t, w, starts) = (&*t, &*w, &*starts);
        let process = |component: u32| processes[sets[component as usize] as usize];
        par::each_heavy(works, |k, work| {
            if !work.active {
                return;
            }
            let own = starts[k]..starts[k + 1];
            work.reduce(process, &t[own.clone()], &w[own]);
            work.sum_runs(|work, i| [square(&work.r[i])]);
            work.gather_residual();
        });
        let before: Vec<f64> = self.processes.iter().map(|process| process.rz).collect();
        self.measure();
        self.solve_shared();
        for (process, before) in self.processes.iter_mut().zip(before) {
            process.beta = if process.active { process.rz / before } else { 0.0 };
        }
        self.turn(matrix);
    }

    /// Computes the next directions `p = r - U y + beta p`, and `t = (I + L^T)^-1 p`.
    fn turn(&mut self, matrix: &Matrix<T>) {
        let Pcg { colours, works, starts, t, w, sets, processes, shared, .. } = self;
        let (sets, processes, solution) = (&*sets, &*processes, &shared.solution);
        let sweep = Sweep { matrix, colours: &colours.starts, starts };
        sweep.backward(works, t, w, |work, _, t| {
            let Work { low_rank, r, p, runs, .. } = work;
            let mut first = 0;
            for run in &*runs {
                let Process { beta, active, .. } = processes[sets[run.component as usize] as usize];
                let beta = T::of(if active { beta } else { 0.0 });
                for (p, r) in p[first..run.end].iter_mut().zip(&r[first..]) {
                    (0..4).for_each(|l| p[l] = r[l] + beta * p[l]);
                }
                first = run.end;
            }
            super::spread(low_rank, solution, p);
            t.copy_from_slice(p);
        });
    }

    /// Solves for the correction of the residual, and computes `r^T z` of each process.
    fn solve_shared(&mut self) {
        let Pcg { works, shared, processes, sets, .. } = self;
        let Shared { factors, component, sums, solution, scratch, .. } = shared;
        par::fill(sums, |k| works.iter().filter(|work| work.active).map(|work| work.sums[k]).sum());
        solution.copy_from_slice(sums);
        let mut rest = &mut solution[..];
        for factor in factors {
            let (own, others) = rest.split_at_mut(factor.size());
            factor.solve(own, scratch);
            rest = others;
        }
        solution.iter_mut().for_each(|y| *y = -*y);
        processes.iter_mut().for_each(|process| process.rz = process.rr);
        for ((component, y), sum) in component.iter().zip(&*solution).zip(sums) {
            processes[sets[*component as usize] as usize].rz += y * *sum;
        }
    }
}
