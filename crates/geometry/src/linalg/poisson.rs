//! Equations on the cells of a box, each coupled with its six neighbours, by conjugate gradients with multigrid.
//!
//! The equation is `(m_c + d_c) x_c + sum_n k_cn (x_c - x_n) = b_c` over the cells `c` and their neighbours `n`, with
//! no negative `m`, `d` or `k`. Examples are pressure and diffusion. Coarsening joins eight cells and halves their
//! couplings, since centres are twice as far apart (Briggs, Henson & McCormick 2000). Red-black sweeps run forward on
//! the way down and backward on the way up, so the cycle is symmetric. The number of iterations hardly depends on the
//! number of cells. Over connected cells without `m` and `d`, `b` must sum to zero.

mod level;

use super::par;
use super::pcg::Outcome;
use level::Level;

/// Maximum number of cells of the coarsest level, and number of sweeps there.
const COARSEST: (usize, usize) = (64, 12);
/// Number of sweeps on the way down, and on the way up.
const SWEEPS: usize = 2;

/// Couplings of the cells of a box. Cell `(i, j, k)` has index `i + nx (j + ny k)`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stencil {
    /// Number of cells along each axis.
    pub cells: [usize; 3],
    /// Coefficient `d` of each cell: its coupling with a wall.
    pub own: Vec<f64>,
    /// Coefficient `k` between each cell and the next along an axis; 0 where there is none.
    pub across: [Vec<f64>; 3],
}

impl Stencil {
    /// Returns a stencil without couplings.
    pub fn none(cells: [usize; 3]) -> Stencil {
        let count = cells.iter().product();
        Stencil { cells, own: vec![0.0; count], across: [0; 3].map(|_| vec![0.0; count]) }
    }

    /// Returns the index difference between neighbours along each axis.
    pub fn strides(cells: [usize; 3]) -> [usize; 3] {
        [1, cells[0], cells[0] * cells[1]]
    }
}

/// Solver of one matrix, with storage kept from solve to solve.
#[derive(Clone, Debug, Default)]
pub struct Poisson {
    levels: Vec<Level>,
    /// Coarsest level of the cycle. Beyond it `m` outweighs the couplings of the cells.
    last: usize,
    /// Residual, direction, and the matrix times the direction; with a border as in [`Level`].
    residual: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    solution: Vec<f64>,
}

impl Poisson {
    /// Sets the matrix without `m`.
    pub fn prepare(&mut self, stencil: &Stencil) {
        let mut at = 0;
        self.level(at).take(stencil);
        while self.levels[at].count() > COARSEST.0 {
            let (finer, coarser) = self.split(at);
            finer.coarsen(coarser);
            at += 1;
        }
        self.levels.truncate(at + 1);
        self.last = at;
        let size = self.levels[0].padded();
        for vector in [&mut self.residual, &mut self.direction, &mut self.product, &mut self.solution] {
            vector.clear();
            vector.resize(size, 0.0);
        }
    }

    /// Sets `m`, equal for all unknowns. Unknowns are cells with at least one coupling.
    pub fn weigh(&mut self, mass: f64) {
        self.levels.iter_mut().for_each(|level| level.weigh(mass));
        let light = self.levels.iter().position(|level| level.outweighed(mass));
        self.last = light.unwrap_or(self.levels.len() - 1);
    }

    fn level(&mut self, at: usize) -> &mut Level {
        if self.levels.len() <= at {
            self.levels.resize_with(at + 1, Level::default);
        }
        &mut self.levels[at]
    }

    fn split(&mut self, at: usize) -> (&Level, &mut Level) {
        self.level(at + 1);
        let (finer, coarser) = self.levels.split_at_mut(at + 1);
        (&finer[at], &mut coarser[0])
    }

    /// Solves for `x` from its value on entry, until no residual of a cell exceeds `tolerance` or for at most
    /// `iterations`. The residual of the outcome is the largest of a cell.
    pub fn solve(&mut self, b: &[f64], x: &mut [f64], (tolerance, iterations): (f64, usize)) -> Outcome {
        let Some(first) = self.levels.first() else { return Outcome { converged: true, ..Outcome::default() } };
        let inner = first.inner();
        self.solution[inner.clone()].copy_from_slice(x);
        self.levels[0].residual(b, &self.solution, &mut self.residual[inner.clone()]);
        let mut outcome = Outcome::default();
        let mut size = 0.0;
        loop {
            let residual = &self.residual[inner.clone()];
            outcome.residual = par::max(residual.len(), |c| residual[c].abs()).max(0.0);
            outcome.converged = outcome.residual <= tolerance;
            if outcome.converged || outcome.iterations >= iterations || !outcome.residual.is_finite() {
                break;
            }
            self.cycle();
            let (z, r) = (&self.levels[0].x[inner.clone()], &self.residual[inner.clone()]);
            let next = par::sum(r.len(), |c| r[c] * z[c]);
            let beta = if outcome.iterations == 0 { 0.0 } else { next / size };
            size = next;
            par::each_light(&mut self.direction[inner.clone()], |c, p| *p = z[c] + beta * *p);
            self.levels[0].product(&self.direction, &mut self.product[inner.clone()]);
            let (p, q) = (&self.direction[inner.clone()], &self.product[inner.clone()]);
            let curvature = par::sum(p.len(), |c| p[c] * q[c]);
            if curvature <= 0.0 {
                break;
            }
            let alpha = size / curvature;
            let (solution, residual) = (&mut self.solution[inner.clone()], &mut self.residual[inner.clone()]);
            par::each_light_pair(solution, residual, |c, x, r| {
                *x += alpha * p[c];
                *r -= alpha * q[c];
            });
            outcome.iterations += 1;
        }
        x.copy_from_slice(&self.solution[inner]);
        outcome
    }

    /// Runs one cycle for the residual, from zero. The result is `x` of the first level.
    fn cycle(&mut self) {
        let last = self.last;
        // If a finer level is the last, the remaining error is local. The coarsest level has few cells.
        let sweeps = if last + 1 < self.levels.len() { SWEEPS } else { COARSEST.1 };
        let inner = self.levels[0].inner();
        self.levels[0].b.copy_from_slice(&self.residual[inner]);
        for at in 0..last {
            self.levels[at].begin();
            self.levels[at].sweep(SWEEPS, false);
            let (finer, coarser) = self.split(at);
            finer.restrict(&mut coarser.b);
        }
        self.levels[last].begin();
        self.levels[last].sweep(sweeps, false);
        self.levels[last].sweep(sweeps, true);
        for at in (0..last).rev() {
            let (finer, coarser) = self.levels.split_at_mut(at + 1);
            finer[at].add(&coarser[0]);
            finer[at].sweep(SWEEPS, true);
        }
    }
}

/// Subtracts the mean of `b` over the cells of each group; cells without a group have [`NONE`]. Returns the sum of the
/// absolute sums of the groups.
pub fn balance(b: &mut [f64], groups: &[u32]) -> f64 {
    let mut sums: Vec<[f64; 2]> = Vec::new();
    for (b, group) in b.iter().zip(groups).filter(|(_, group)| **group != NONE) {
        let group = *group as usize;
        if sums.len() <= group {
            sums.resize(group + 1, [0.0; 2]);
        }
        sums[group][0] += b;
        sums[group][1] += 1.0;
    }
    par::each_light(b, |c, b| {
        if groups[c] != NONE {
            let [sum, count] = sums[groups[c] as usize];
            *b -= sum / count;
        }
    });
    sums.iter().map(|[sum, _]| sum.abs()).sum()
}

/// Group index of cells without a group.
pub const NONE: u32 = u32::MAX;

/// Numbers the groups of connected cells in which no cell has `d`. Other cells have [`NONE`].
pub fn groups(stencil: &Stencil) -> Vec<u32> {
    let strides = Stencil::strides(stencil.cells);
    let count = stencil.own.len();
    let mut of = vec![NONE; count];
    let (mut seen, mut number, mut queue) = (vec![false; count], 0, Vec::new());
    for first in 0..count {
        if seen[first] {
            continue;
        }
        seen[first] = true;
        queue.push(first);
        let (mut members, mut held) = (Vec::new(), false);
        while let Some(c) = queue.pop() {
            members.push(c);
            held |= stencil.own[c] > 0.0;
            for (stride, across) in strides.iter().zip(&stencil.across) {
                let before = c.checked_sub(*stride).filter(|b| across[*b] > 0.0);
                let after = (across[c] > 0.0).then_some(c + stride);
                for next in [before, after].into_iter().flatten() {
                    if !std::mem::replace(&mut seen[next], true) {
                        queue.push(next);
                    }
                }
            }
        }
        if !held && members.len() > 1 {
            members.into_iter().for_each(|c| of[c] = number);
            number += 1;
        }
    }
    of
}

#[cfg(test)]
mod tests;
