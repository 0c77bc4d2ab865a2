//! Rows of one subdomain of the scaled matrix `C^-1 A C^-T = I + L + L^T + R`, and the sweeps through them.
//!
//! `L` couples to earlier vertices of the subdomain and to earlier colours, `L^T` to later ones. `R` couples to other
//! subdomains of the same colour.

use super::block::{each_block, multiply_add, rows, spread, subtract_transposed, total};
use super::matrix::{Lanes, Matrix, Real};

/// Block of nine numbers, in column order unless stated otherwise.
pub(super) type Block<T> = [T; 9];

/// Position of a vertex in vectors that are sorted by colour.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Subdomain of the vertex.
    pub domain: usize,
    /// Index of the vertex.
    pub index: usize,
}

/// Rows of a subdomain.
#[derive(Clone, Debug, Default)]
pub(super) struct Scaled<T> {
    /// Upper blocks within the subdomain, in row order, with the sparsity of the matrix.
    upper: Vec<T>,
    /// Moving blocks within the subdomain, above the diagonal.
    inner: Inner<T>,
    /// Blocks to earlier colours.
    pub below: Links<T>,
    /// Blocks to the same colour.
    pub beside: Links<T>,
    /// Blocks to later colours.
    pub above: Links<T>,
}

/// Upper blocks, row by row.
#[derive(Clone, Debug, Default)]
struct Inner<T> {
    /// Offset of each row: row `i` has blocks `start[i]..start[i + 1]`.
    start: Vec<u32>,
    /// Local column of each block.
    columns: Vec<u32>,
    /// Scaled blocks, in row order.
    blocks: Vec<T>,
}

/// Blocks that couple to other subdomains, row by row.
#[derive(Clone, Debug, Default)]
pub(super) struct Links<T> {
    /// Local row and index of the column of each block.
    places: Vec<[u32; 2]>,
    /// Scaled blocks, in row order.
    blocks: Vec<T>,
}

impl<T: Real> Links<T> {
    fn clear(&mut self) {
        self.places.clear();
        self.blocks.clear();
    }

    /// Calls `f(row, sum)` with the product of each row. `from` has the vector from index `base` on.
    pub(super) fn product(&self, from: &[Lanes<T>], base: usize, mut f: impl FnMut(usize, [T; 3])) {
        let mut rest = &self.blocks[..];
        for row in self.places.chunk_by(|a, b| a[0] == b[0]) {
            let mut acc = [T::four(&zero::<T>()); 3];
            for [_, column] in row {
                let Some(block) = rest.first_chunk() else { break };
                multiply_add::<T>(&mut acc, &rows::<T>(block), &from[*column as usize - base]);
                rest = &rest[9..];
            }
            f(row[0][0] as usize, total::<T>(&acc));
        }
    }
}

impl<T: Real> Scaled<T> {
    /// Scales the rows of subdomain `k`. `inverse` is `C^-1` of each vertex, lower triangular. `place` returns the
    /// position of a vertex, and `colours` is the colour of each subdomain.
    pub(super) fn fill(
        &mut self,
        matrix: &Matrix<T>,
        k: usize,
        fixed: &[bool],
        inverse: &[Block<T>],
        colours: &[usize],
        place: impl Fn(u32) -> Place,
    ) {
        let scaled = |block: &Block<T>, i: usize, j: usize| {
            if fixed[i] || fixed[j] { [T::default(); 9] } else { scale(block, &inverse[i], &inverse[j]) }
        };
        let domain = &matrix.domains[k];
        let first = domain.first;
        let (stored, _) = domain.blocks[9 * domain.upper_base()..].as_chunks::<9>();
        let (stored_upper, stored_outer) = stored.split_at(domain.upper_col.len());
        let Scaled { upper, inner, below, beside, above } = self;
        upper.resize(9 * stored_upper.len() + 1, T::default());
        let (upper, _) = upper.as_chunks_mut::<9>();
        inner.start.clear();
        inner.columns.clear();
        inner.blocks.clear();
        for links in [&mut *below, beside, above] {
            links.clear();
        }
        let mut entries = domain.entries.iter().peekable();
        for i in 0..domain.count {
            for b in domain.upper_start[i] as usize..domain.upper_start[i + 1] as usize {
                upper[b] = scaled(&stored_upper[b], first + i, first + domain.upper_col[b] as usize);
            }
            let mut link = |block: &Block<T>, column: u32, at: Place| {
                let links = match colours[at.domain].cmp(&colours[k]) {
                    std::cmp::Ordering::Less => &mut *below,
                    std::cmp::Ordering::Equal => &mut *beside,
                    std::cmp::Ordering::Greater => &mut *above,
                };
                links.places.push([i as u32, at.index as u32]);
                links.blocks.extend(scaled(block, first + i, column as usize));
            };
            let outer = domain.cross_start[i] as usize..domain.cross_start[i + 1] as usize;
            for (block, column) in stored_outer[outer.clone()].iter().zip(&domain.cross_col[outer]) {
                link(block, *column, place(*column));
            }
            inner.start.push(inner.columns.len() as u32);
            while let Some(e) = entries.next_if(|e| e.row as usize == first + i) {
                let at = place(e.column);
                if at.domain != k {
                    link(&e.block, e.column, at);
                } else {
                    inner.columns.push(e.column - first as u32);
                    inner.blocks.extend(scaled(&e.block, e.row as usize, e.column as usize));
                }
            }
        }
        inner.start.push(inner.columns.len() as u32);
        for blocks in [&mut inner.blocks, &mut below.blocks, &mut beside.blocks, &mut above.blocks] {
            blocks.push(T::default());
        }
    }

    /// Computes `t <- (I + L^T)^-1 t` in the subdomain. `later` has the results of later colours, from index `base` on.
    pub(super) fn backward(
        &self,
        matrix: &Matrix<T>,
        k: usize,
        (later, base): (&[Lanes<T>], usize),
        t: &mut [Lanes<T>],
    ) {
        let domain = &matrix.domains[k];
        self.above.product(later, base, |i, sum| subtract(&mut t[i], &sum));
        for i in (0..domain.count).rev() {
            let mut acc = [T::four(&zero::<T>()); 3];
            each_block::<T, false>(&self.inner.start, &self.inner.columns, &self.inner.blocks, i, |j, rows| {
                multiply_add::<T>(&mut acc, rows, &t[j]);
            });
            // Columns run backward, since the nearest is computed last.
            each_block::<T, true>(&domain.upper_start, &domain.upper_col, &self.upper, i, |j, rows| {
                multiply_add::<T>(&mut acc, rows, &t[j]);
            });
            subtract(&mut t[i], &total::<T>(&acc));
        }
    }

    /// Computes `w <- (I + L)^-1 w` in the subdomain, with `L` as the transpose of the upper blocks. `earlier` has the
    /// results of earlier colours.
    pub(super) fn forward(&self, matrix: &Matrix<T>, k: usize, earlier: &[Lanes<T>], w: &mut [Lanes<T>]) {
        let domain = &matrix.domains[k];
        self.below.product(earlier, 0, |i, sum| subtract(&mut w[i], &sum));
        for i in 0..domain.count {
            let s = spread(&w[i]);
            each_block::<T, false>(&domain.upper_start, &domain.upper_col, &self.upper, i, |j, rows| {
                subtract_transposed::<T>(&mut w[j], rows, &s);
            });
            each_block::<T, false>(&self.inner.start, &self.inner.columns, &self.inner.blocks, i, |j, rows| {
                subtract_transposed::<T>(&mut w[j], rows, &s);
            });
        }
    }

    /// Subtracts `A x` from `r`. `all` is `x` of all subdomains, `own` that of the subdomain.
    pub(super) fn subtract_product(
        &self,
        matrix: &Matrix<T>,
        k: usize,
        all: &[Lanes<T>],
        own: &[Lanes<T>],
        r: &mut [Lanes<T>],
    ) {
        let domain = &matrix.domains[k];
        for i in 0..domain.count {
            let s = spread(&own[i]);
            let mut acc = [T::four(&zero::<T>()); 3];
            let mut both = |j: usize, rows: &[T::Four; 3]| {
                multiply_add::<T>(&mut acc, rows, &own[j]);
                subtract_transposed::<T>(&mut r[j], rows, &s);
            };
            each_block::<T, false>(&domain.upper_start, &domain.upper_col, &self.upper, i, &mut both);
            each_block::<T, false>(&self.inner.start, &self.inner.columns, &self.inner.blocks, i, &mut both);
            let sum = total::<T>(&acc);
            subtract(&mut r[i], &[own[i][0] + sum[0], own[i][1] + sum[1], own[i][2] + sum[2]]);
        }
        for links in [&self.below, &self.beside, &self.above] {
            links.product(all, 0, |i, sum| subtract(&mut r[i], &sum));
        }
    }
}

/// Returns a vector of zeros.
pub(super) fn zero<T: Real>() -> Lanes<T> {
    [T::default(); 4]
}

fn subtract<T: Real>(v: &mut Lanes<T>, sum: &[T; 3]) {
    for (v, sum) in v.iter_mut().zip(sum) {
        *v -= *sum;
    }
}

/// Computes `Ci block Cj^T` in row order. All factors are in column order, `Ci` and `Cj` lower triangular.
#[inline(always)]
fn scale<T: Real>(block: &Block<T>, ci: &Block<T>, cj: &Block<T>) -> Block<T> {
    let none = T::default();
    let columns = |c: &Block<T>| [T::four(&c[..4]), T::four(&c[3..7]), T::four(&[none, none, c[8], none])];
    let sum = |columns: &[T::Four; 3], parts: [T; 3]| {
        let [a, b, c] = parts;
        columns[0] * T::four(&[a; 4]) + columns[1] * T::four(&[b; 4]) + columns[2] * T::four(&[c; 4])
    };
    let (ci, cj) = (columns(ci), columns(cj));
    let left = |k: usize| -> Lanes<T> { sum(&ci, [block[3 * k], block[3 * k + 1], block[3 * k + 2]]).into() };
    let left = [left(0), left(1), left(2)];
    let row = |r: usize| -> Lanes<T> { sum(&cj, [left[0][r], left[1][r], left[2][r]]).into() };
    let (a, b, c) = (row(0), row(1), row(2));
    [a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
}
