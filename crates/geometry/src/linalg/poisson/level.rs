//! Level of the multigrid cycle.

use super::Stencil;
use crate::linalg::par;

/// Minimum number of cells in a parallel block.
const CHUNK: usize = 2048;

/// Box of cells with its matrix and the vectors of the cycle. Arrays with a border have a layer of zeros before the
/// first and behind the last cell. Each cell thus has neighbours on all sides.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    cells: [usize; 3],
    /// Coupling of each cell with the next along each axis; with a border.
    across: [Vec<f64>; 3],
    own: Vec<f64>,
    /// Number of unknowns in each cell.
    unknowns: Vec<f64>,
    /// Diagonal, and its inverse; 0 where the cell has no coupling.
    diagonal: Vec<f64>,
    inverse: Vec<f64>,
    /// Right-hand side.
    pub b: Vec<f64>,
    /// Solution; with a border.
    pub x: Vec<f64>,
    /// Solution after the next half sweep; with a border.
    next: Vec<f64>,
}

/// Calls `f(first, row)` for each row of cells along the first axis. `first` is the index of its first cell.
pub(super) fn rows(out: &mut [f64], length: usize, f: impl Fn(usize, &mut [f64]) + Sync) {
    let block = length * CHUNK.div_ceil(length.max(1)).max(1);
    par::blocks_mut(out, block, |from, block| {
        block.chunks_mut(length).enumerate().for_each(|(k, row)| f(from + k * length, row));
    });
}

/// Row of cells, with the neighbouring rows along both other axes.
struct Line<'a> {
    /// Couplings along the row, and the row itself, with one more cell at each end.
    kx: &'a [f64],
    x: &'a [f64],
    /// Couplings with the rows before and behind, and the rows themselves.
    ky: [&'a [f64]; 2],
    y: [&'a [f64]; 2],
    kz: [&'a [f64]; 2],
    z: [&'a [f64]; 2],
}

impl Line<'_> {
    /// Returns the contribution of all neighbours to a cell.
    #[inline(always)]
    fn beside(&self, i: usize) -> f64 {
        (self.kx[i] * self.x[i] + self.kx[i + 1] * self.x[i + 2])
            + (self.ky[0][i] * self.y[0][i] + self.ky[1][i] * self.y[1][i])
            + (self.kz[0][i] * self.z[0][i] + self.kz[1][i] * self.z[1][i])
    }
}

impl Level {
    /// Returns the number of cells.
    pub(super) fn count(&self) -> usize {
        self.cells.iter().product()
    }

    /// Returns the number of cells of a layer, which is the size of the border.
    fn layer(&self) -> usize {
        self.cells[0] * self.cells[1]
    }

    /// Returns the length of an array with a border.
    pub(super) fn padded(&self) -> usize {
        self.count() + 2 * self.layer()
    }

    /// Returns the range of the cells in an array with a border.
    pub(super) fn inner(&self) -> std::ops::Range<usize> {
        self.layer()..self.layer() + self.count()
    }

    /// Sets the matrix from a stencil.
    pub(super) fn take(&mut self, stencil: &Stencil) {
        self.resize(stencil.cells);
        let inner = self.inner();
        for (own, given) in self.across.iter_mut().zip(&stencil.across) {
            own[inner.clone()].copy_from_slice(given);
        }
        self.own.copy_from_slice(&stencil.own);
        self.weigh(0.0);
        let Level { unknowns, diagonal, .. } = self;
        par::each_light(unknowns, |c, slot| *slot = if diagonal[c] > 0.0 { 1.0 } else { 0.0 });
    }

    fn resize(&mut self, cells: [usize; 3]) {
        self.cells = cells;
        let (count, padded) = (self.count(), self.padded());
        for vector in self.across.iter_mut().chain([&mut self.x, &mut self.next]) {
            vector.clear();
            vector.resize(padded, 0.0);
        }
        for vector in [&mut self.diagonal, &mut self.inverse, &mut self.own, &mut self.unknowns, &mut self.b] {
            vector.clear();
            vector.resize(count, 0.0);
        }
    }

    /// Computes the diagonal, with `mass` for each unknown.
    pub(super) fn weigh(&mut self, mass: f64) {
        let (strides, layer) = (Stencil::strides(self.cells), self.layer());
        let Level { across, diagonal, inverse, own, unknowns, .. } = self;
        let (across, own, unknowns) = (&*across, &*own, &*unknowns);
        par::each_light_pair(diagonal, inverse, |c, diagonal, inverse| {
            let (at, begin) = (layer + c, own[c] + mass * unknowns[c]);
            *diagonal = strides.iter().zip(across).fold(begin, |sum, (s, across)| sum + across[at] + across[at - s]);
            *inverse = if *diagonal > 0.0 { 1.0 / *diagonal } else { 0.0 };
        });
    }

    /// Returns whether `mass` for each unknown outweighs its couplings with all neighbours.
    pub(super) fn outweighed(&self, mass: f64) -> bool {
        self.diagonal.iter().zip(&self.unknowns).all(|(diagonal, unknowns)| 2.0 * mass * unknowns >= *diagonal)
    }

    /// Builds the matrix of the coarser level, with cells joined in pairs along each axis.
    pub(super) fn coarsen(&self, coarser: &mut Level) {
        let half = self.cells.map(|n| n.div_ceil(2));
        coarser.resize(half);
        let layer = [self.layer(), coarser.layer()];
        let [nx, ny, _] = self.cells;
        for fine in 0..self.count() {
            let at = [fine % nx, fine / nx % ny, fine / (nx * ny)];
            let coarse = at[0] / 2 + half[0] * (at[1] / 2 + half[1] * (at[2] / 2));
            coarser.own[coarse] += 0.5 * self.own[fine];
            coarser.unknowns[coarse] += self.unknowns[fine];
            for (at, (coarser, own)) in at.iter().zip(coarser.across.iter_mut().zip(&self.across)) {
                // The face is between two coarse cells.
                if at % 2 == 1 {
                    coarser[layer[1] + coarse] += 0.5 * own[layer[0] + fine];
                }
            }
        }
        coarser.weigh(0.0);
    }

    /// Computes `b - A x` into `out`; `x` has a border.
    pub(super) fn residual(&self, b: &[f64], x: &[f64], out: &mut [f64]) {
        self.product(x, out);
        par::each_light(out, |c, out| *out = b[c] - *out);
    }

    /// Computes `A x` into `out`; `x` has a border.
    pub(super) fn product(&self, x: &[f64], out: &mut [f64]) {
        rows(out, self.cells[0], |first, row| {
            let (line, own) = (self.line(x, first), &x[self.layer() + first..][..row.len()]);
            let diagonal = &self.diagonal[first..][..row.len()];
            for (i, out) in row.iter_mut().enumerate() {
                *out = diagonal[i] * own[i] - line.beside(i);
            }
        });
    }

    /// Returns the row of cells that begins with `first`, of an array with a border.
    #[inline(always)]
    fn line<'a>(&'a self, x: &'a [f64], first: usize) -> Line<'a> {
        let (nx, layer) = (self.cells[0], self.layer());
        let at = layer + first;
        let [kx, ky, kz] = &self.across;
        Line {
            kx: &kx[at - 1..][..nx + 1],
            x: &x[at - 1..][..nx + 2],
            ky: [&ky[at - nx..][..nx], &ky[at..][..nx]],
            y: [&x[at - nx..][..nx], &x[at + nx..][..nx]],
            kz: [&kz[first..][..nx], &kz[at..][..nx]],
            z: [&x[first..][..nx], &x[at + layer..][..nx]],
        }
    }

    /// Resets the solution to zero.
    pub(super) fn begin(&mut self) {
        let inner = self.inner();
        self.x[inner].fill(0.0);
    }

    /// Sweeps over red, then black cells, or if `backward` over black, then red cells.
    pub(super) fn sweep(&mut self, times: usize, backward: bool) {
        let inner = self.inner();
        for half in 0..2 * times {
            let red = usize::from((half % 2 == 1) != backward);
            let mut next = std::mem::take(&mut self.next);
            let (level, x) = (&*self, &self.x);
            rows(&mut next[inner.clone()], self.cells[0], |first, row| {
                let line = first / level.cells[0];
                let (j, k) = (line % level.cells[1], line / level.cells[1]);
                let own = inner.start + first;
                row.copy_from_slice(&x[own..own + row.len()]);
                let line = level.line(x, first);
                let (b, inverse) = (&level.b[first..][..row.len()], &level.inverse[first..][..row.len()]);
                for i in ((j + k + red) % 2..row.len()).step_by(2) {
                    row[i] = (b[i] + line.beside(i)) * inverse[i];
                }
            });
            self.next = std::mem::replace(&mut self.x, next);
        }
    }

    /// Sums the residual into the right-hand side of the coarser level.
    pub(super) fn restrict(&self, coarser: &mut [f64]) {
        let half = self.cells.map(|n| n.div_ceil(2));
        rows(coarser, half[0], |first, row| {
            let line = first / half[0];
            let (j, k) = (line % half[1], line / half[1]);
            row.fill(0.0);
            for k in (2 * k..2 * k + 2).filter(|k| *k < self.cells[2]) {
                for j in (2 * j..2 * j + 2).filter(|j| *j < self.cells[1]) {
                    let own = self.cells[0] * (j + self.cells[1] * k);
                    let (line, x) = (self.line(&self.x, own), &self.x[self.layer() + own..]);
                    let (b, diagonal) = (&self.b[own..], &self.diagonal[own..]);
                    for i in 0..self.cells[0] {
                        row[i / 2] += b[i] - (diagonal[i] * x[i] - line.beside(i));
                    }
                }
            }
        });
    }

    /// Adds the solution of the coarser level.
    pub(super) fn add(&mut self, coarser: &Level) {
        let (inner, cells) = (self.inner(), self.cells);
        let half = coarser.cells;
        let inverse = &self.inverse;
        rows(&mut self.x[inner], cells[0], |first, row| {
            let line = first / cells[0];
            let (j, k) = (line % cells[1], line / cells[1]);
            let from = coarser.layer() + half[0] * (j / 2 + half[1] * (k / 2));
            for (i, x) in row.iter_mut().enumerate() {
                // A cell without a diagonal is no unknown.
                if inverse[first + i] > 0.0 {
                    *x += coarser.x[from + i / 2];
                }
            }
        });
    }
}
