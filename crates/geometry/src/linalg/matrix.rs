//! Symmetric positive definite block matrix, cut into subdomains.
//!
//! `A = L + D + L^T + R`. Within a subdomain only the blocks above the diagonal are stored (`L^T`). Between subdomains
//! `R` is stored row by row. Contact adds moving blocks, whose position changes from step to step, to `D`, `L` or `R`.
//! A block is nine numbers in column order.

use super::skyline::SkylineCholesky;
use super::{Mat3, Vec3, f32x4, f64x4};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Number type of the stored matrix and of the solver's vectors.
pub trait Real:
    Copy
    + Send
    + Sync
    + Default
    + PartialEq
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + 'static
{
    /// Four values in one register.
    type Four: Copy + Add<Output = Self::Four> + Sub<Output = Self::Four> + Mul<Output = Self::Four> + Into<[Self; 4]>;

    /// Loads the first four values of the slice.
    fn four(values: &[Self]) -> Self::Four;
    /// Converts four values to `f64`.
    fn wide_four(values: &Lanes<Self>) -> f64x4 {
        let [a, b, c, d] = *values;
        f64x4::new([a.wide(), b.wide(), c.wide(), d.wide()])
    }
    /// Rounds from `f64`.
    fn of(value: f64) -> Self;
    /// Converts to `f64`.
    fn wide(self) -> f64;
}

impl Real for f32 {
    type Four = f32x4;
    #[inline(always)]
    fn four(values: &[f32]) -> f32x4 {
        f32x4::from(&values[..4])
    }
    fn of(value: f64) -> f32 {
        value as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
}

impl Real for f64 {
    type Four = f64x4;
    #[inline(always)]
    fn four(values: &[f64]) -> f64x4 {
        f64x4::from(&values[..4])
    }
    fn of(value: f64) -> f64 {
        value
    }
    fn wide(self) -> f64 {
        self
    }
}

/// Vector of three components in four lanes; the last is padding.
pub type Lanes<T> = [T; 4];

/// Columns of a block, in four lanes each.
pub type Block<T> = [Lanes<T>; 3];

/// Position of a block that a subdomain does not store.
pub const NOWHERE: u32 = u32::MAX;

/// Rows of one subdomain: fixed sparsity and values.
#[derive(Clone, Debug, Default)]
pub struct Domain<T> {
    /// First vertex.
    pub first: usize,
    /// Number of vertices.
    pub count: usize,
    /// Offsets of the upper blocks: row `i` (local) has `upper_start[i]..upper_start[i + 1]`.
    pub upper_start: Vec<u32>,
    /// Local column of each upper block, larger than its row.
    pub upper_col: Vec<u32>,
    /// Offsets of the outer blocks: row `i` (local) has `cross_start[i]..cross_start[i + 1]`.
    pub cross_start: Vec<u32>,
    /// Global column of each block that couples to another subdomain.
    pub cross_col: Vec<u32>,
    /// Values of diagonal, upper and outer blocks in turn, nine numbers each. Padding at the end allows four-lane
    /// writes.
    pub blocks: Vec<T>,
    /// Moving blocks of the rows, sorted by row, except those below the diagonal within the subdomain. A block between
    /// two subdomains is in the rows of both.
    pub entries: Vec<Entry<T>>,
}

impl<T: Real> Domain<T> {
    /// Returns the index of the first upper block among all blocks.
    pub fn upper_base(&self) -> usize {
        self.count
    }

    /// Returns the index of the first outer block among all blocks.
    pub fn cross_base(&self) -> usize {
        self.count + self.upper_col.len()
    }

    /// Returns the position of the block (`row`, `column`), both global. Returns [`NOWHERE`] for a row of another
    /// subdomain, a block below the diagonal, or one outside the sparsity.
    pub fn place(&self, row: usize, column: usize) -> u32 {
        if row < self.first || row >= self.first + self.count {
            return NOWHERE;
        }
        let i = row - self.first;
        if row == column {
            return i as u32;
        }
        let (start, columns, base, wanted) = if column >= self.first && column < self.first + self.count {
            (&self.upper_start, &self.upper_col, self.upper_base(), column - self.first)
        } else {
            (&self.cross_start, &self.cross_col, self.cross_base(), column)
        };
        let range = start[i] as usize..start[i + 1] as usize;
        match columns[range.clone()].binary_search(&(wanted as u32)) {
            Ok(k) => (base + range.start + k) as u32,
            Err(_) => NOWHERE,
        }
    }

    /// Adds `block` at `place`; does nothing at [`NOWHERE`].
    #[inline]
    pub fn add(&mut self, place: u32, block: &Mat3) {
        self.accumulate(place, &std::array::from_fn(|e| T::of(block.as_slice()[e])));
    }

    /// Adds a block in column order at `place`; does nothing at [`NOWHERE`].
    #[inline(always)]
    pub fn accumulate(&mut self, place: u32, block: &[T; 9]) {
        if place == NOWHERE {
            return;
        }
        let at = place as usize * 9;
        for (value, add) in self.blocks[at..at + 9].iter_mut().zip(block) {
            *value += *add;
        }
    }

    /// Adds the subdomain's part of [`Matrix::add_product`] to `out`, which has its own rows only.
    pub fn add_product(&self, z: &[Vec3], wanted: impl Fn(usize) -> bool, out: &mut [Vec3]) {
        let block = |k: usize| Mat3::from_fn(|r, c| self.blocks[9 * k + 3 * c + r].wide());
        for i in 0..self.count {
            let (row, own) = (self.first + i, wanted(self.first + i));
            if own {
                out[i] += block(i) * z[row];
            }
            for k in self.upper_start[i] as usize..self.upper_start[i + 1] as usize {
                let column = self.first + self.upper_col[k] as usize;
                if own {
                    out[i] += block(self.upper_base() + k) * z[column];
                }
                if wanted(column) {
                    out[column - self.first] += block(self.upper_base() + k).transpose() * z[row];
                }
            }
            let outer = self.cross_start[i] as usize..self.cross_start[i + 1] as usize;
            for k in outer.filter(|_| own) {
                out[i] += block(self.cross_base() + k) * z[self.cross_col[k] as usize];
            }
        }
    }

    /// Overwrites the block at `place`, and the first value of the next block.
    #[inline(always)]
    pub fn put(&mut self, place: usize, block: &Block<T>) {
        let out = &mut self.blocks[9 * place..9 * place + 10];
        for (column, lanes) in block.iter().enumerate() {
            out[3 * column..3 * column + 4].copy_from_slice(lanes);
        }
    }
}

/// Moving block, whose position changes from step to step.
#[derive(Clone, Copy, Debug)]
pub struct Entry<T> {
    /// Global row.
    pub row: u32,
    /// Global column, different from the row.
    pub column: u32,
    /// Values of the block in column order.
    pub block: [T; 9],
}

/// Block matrix: subdomains with fixed sparsity, moving blocks and a low-rank update.
#[derive(Clone, Debug, Default)]
pub struct Matrix<T> {
    /// Subdomains in vertex order.
    pub domains: Vec<Domain<T>>,
    /// Vertex offset of each subdomain, with one entry more.
    pub starts: Vec<usize>,
    /// Low-rank update, which couples whole regions.
    pub low_rank: LowRank,
}

/// Low-rank update `U (E^-1 - F) U^T`: forces on many vertices that depend on a few sums of their displacements. The
/// update need not be positive by itself, only together with the rest.
#[derive(Clone, Debug, Default)]
pub struct LowRank {
    /// Entries of `U`: vertex, sum and coefficient of the displacement in the sum; sorted by vertex.
    pub entries: Vec<(u32, u32, Vec3)>,
    /// Factors of `E`, in blocks of consecutive sums.
    pub inner: Vec<SkylineCholesky>,
    /// Diagonal of `F`, by sum.
    pub less: Vec<f64>,
    /// Storage for sorting: offset of each vertex, and entries.
    begins: Vec<u32>,
    sorted: Vec<(u32, u32, Vec3)>,
}

impl LowRank {
    /// Returns the number of sums.
    pub fn size(&self) -> usize {
        self.less.len()
    }

    /// Sorts the entries by vertex and adds up entries of the same vertex and sum.
    pub fn sort(&mut self) {
        let LowRank { entries, begins, sorted, .. } = self;
        let last = entries.iter().map(|e| e.0 as usize + 1).max().unwrap_or(0);
        begins.clear();
        begins.resize(last + 1, 0);
        entries.iter().for_each(|e| begins[e.0 as usize + 1] += 1);
        (0..last).for_each(|v| begins[v + 1] += begins[v]);
        sorted.clear();
        sorted.resize(entries.len(), (0, 0, Vec3::zeros()));
        for entry in entries.iter() {
            let place = &mut begins[entry.0 as usize];
            sorted[*place as usize] = *entry;
            *place += 1;
        }
        entries.clear();
        // A linear search suffices, since a vertex has few sums.
        let mut first = 0;
        for entry in sorted.iter() {
            if entries.get(first).is_none_or(|e| e.0 != entry.0) {
                first = entries.len();
            }
            match entries[first..].iter_mut().find(|e| e.1 == entry.1) {
                Some(same) => same.2 += entry.2,
                None => entries.push(*entry),
            }
        }
    }

    /// Computes `(E^-1 - F) y` in place. `scratch` has at least twice the number of sums.
    pub fn apply(&self, y: &mut [f64], scratch: &mut [f64]) {
        let (before, scratch) = scratch.split_at_mut(y.len());
        before.copy_from_slice(y);
        let mut rest = &mut *y;
        for inner in &self.inner {
            let (own, others) = rest.split_at_mut(inner.size());
            inner.solve(own, scratch);
            rest = others;
        }
        for ((y, before), less) in y.iter_mut().zip(before).zip(&self.less) {
            *y -= less * *before;
        }
    }
}

impl<T: Real> Matrix<T> {
    /// Builds a zero matrix on subdomains `starts`. `pairs` is the sparsity: in any order, repeated, in one direction
    /// or both.
    pub fn new(starts: &[usize], pairs: impl Iterator<Item = (u32, u32)>) -> Matrix<T> {
        let size = starts.last().copied().unwrap_or(0);
        let mut columns: Vec<Vec<u32>> = vec![Vec::new(); size];
        for (i, j) in pairs.filter(|(i, j)| i != j) {
            columns[i as usize].push(j);
            columns[j as usize].push(i);
        }
        for row in &mut columns {
            row.sort_unstable();
            row.dedup();
        }
        let domains = starts
            .windows(2)
            .map(|range| {
                let (first, last) = (range[0], range[1]);
                let mut domain = Domain {
                    first,
                    count: last - first,
                    upper_start: vec![0],
                    cross_start: vec![0],
                    ..Domain::default()
                };
                for (i, row) in columns[first..last].iter().enumerate() {
                    for &j in row {
                        if !(first..last).contains(&(j as usize)) {
                            domain.cross_col.push(j);
                        } else if j as usize > first + i {
                            domain.upper_col.push(j - first as u32);
                        }
                    }
                    domain.upper_start.push(domain.upper_col.len() as u32);
                    domain.cross_start.push(domain.cross_col.len() as u32);
                }
                let blocks = domain.cross_base() + domain.cross_col.len();
                domain.blocks = vec![T::default(); blocks * 9 + 3];
                domain
            })
            .collect();
        Matrix { domains, starts: starts.to_vec(), low_rank: LowRank::default() }
    }

    /// Adds `A z` in the rows that are `wanted` to `out`, in double precision. Moving blocks and the low-rank update
    /// are left out.
    pub fn add_product(&self, z: &[Vec3], wanted: impl Fn(usize) -> bool, out: &mut [Vec3]) {
        let own = |domain: &Domain<T>| domain.first..domain.first + domain.count;
        self.domains.iter().for_each(|domain| domain.add_product(z, &wanted, &mut out[own(domain)]));
    }

    /// Returns the number of block rows.
    pub fn size(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// Returns the number of bytes that one pass over the matrix reads.
    pub fn bytes(&self) -> usize {
        let columns = |d: &Domain<T>| 4 * (d.upper_col.len() + d.cross_col.len());
        self.domains.iter().map(|d| size_of_val(&d.blocks[..]) + columns(d) + size_of_val(&d.entries[..])).sum()
    }
}
