//! Skyline Cholesky: factors of a small sparse matrix within its envelope, in reverse Cuthill-McKee order.

use super::f64x4;

/// Number of successive columns that end in the same row.
const BLOCK: usize = 4;
/// Number of start unknowns that are tried. The order with the fewest entries is kept.
const TRIES: usize = 64;

/// Pattern and factor: `P A P^T = L L^T`. Column `j` of `L` is stored from the diagonal to its last entry.
#[derive(Debug, Default, PartialEq)]
pub struct SkylineCholesky {
    /// Position of each unknown in the elimination order.
    place: Vec<u32>,
    /// Offset of each column in `values`, with one entry more. No column ends above the column before, and [`BLOCK`] of
    /// them end in the same row.
    starts: Vec<usize>,
    /// Entries of the columns. Once factored, the diagonal is stored as its inverse.
    values: Vec<f64>,
}

impl Clone for SkylineCholesky {
    fn clone(&self) -> SkylineCholesky {
        SkylineCholesky { place: self.place.clone(), starts: self.starts.clone(), values: self.values.clone() }
    }

    /// Copies without new storage where there is enough.
    fn clone_from(&mut self, other: &SkylineCholesky) {
        self.place.clone_from(&other.place);
        self.starts.clone_from(&other.starts);
        self.values.clone_from(&other.values);
    }
}

impl SkylineCholesky {
    /// Builds the pattern for `size` unknowns coupled by `pairs`, which may be repeated and in any order.
    pub fn new(size: usize, pairs: impl Iterator<Item = [u32; 2]>) -> SkylineCholesky {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); size];
        for [a, b] in pairs.filter(|[a, b]| a != b) {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        let tries = size.clamp(1, TRIES);
        let orders = (0..tries).map(|k| arrange(&near, (k * size / tries) as u32));
        let (place, starts) = orders.min_by_key(|(_, starts)| starts[size]).unwrap_or_default();
        let values = vec![0.0; starts[size]];
        SkylineCholesky { place, starts, values }
    }

    /// Returns the factored 1x1 identity.
    pub fn one() -> SkylineCholesky {
        SkylineCholesky { place: vec![0], starts: vec![0, 1], values: vec![1.0] }
    }

    /// Adds to the entry of two coupled unknowns, or to the diagonal of one.
    pub fn add(&mut self, a: u32, b: u32, value: f64) {
        let (p, q) = (self.place[a as usize], self.place[b as usize]);
        self.values[self.starts[p.min(q) as usize] + p.abs_diff(q) as usize] += value;
    }

    /// Factors the matrix in place. Returns false if it is not positive definite.
    pub fn factor(&mut self) -> bool {
        let SkylineCholesky { starts, values, .. } = self;
        let size = starts.len().saturating_sub(1);
        for first in (0..size).step_by(BLOCK) {
            let next = (first + BLOCK).min(size);
            for j in first..next {
                let (done, rest) = values.split_at_mut(starts[j + 1]);
                let column = &mut done[starts[j]..];
                if !(column[0] > 0.0 && column[0].is_finite()) {
                    return false;
                }
                let inverse = 1.0 / column[0].sqrt();
                column[0] = inverse;
                column[1..].iter_mut().for_each(|value| *value *= inverse);
                for k in j + 1..next {
                    let (own, others) = (&column[k - j..], &mut rest[starts[k] - starts[j + 1]..]);
                    subtract(others, [own[0]], [own]);
                }
            }
            // Subtracts a whole block from the columns after it at once.
            let (done, rest) = values.split_at_mut(starts[next]);
            let end = first + starts[first + 1] - starts[first];
            for k in next..end {
                let own: [&[f64]; BLOCK] =
                    std::array::from_fn(|q| &done[starts[first + q] + k - first - q..][..end - k]);
                subtract(&mut rest[starts[k] - starts[next]..], own.map(|column| column[0]), own);
            }
        }
        true
    }

    /// Returns the factored sum of a factored matrix and a diagonal one, given by unknown. Both are positive.
    pub fn shifted(&self, diagonal: &[f64]) -> SkylineCholesky {
        let SkylineCholesky { place, starts, values } = self;
        let mut sum = vec![0.0; values.len()];
        let mut column = Vec::new();
        for k in 0..place.len() {
            column.clear();
            column.extend_from_slice(&values[starts[k]..starts[k + 1]]);
            column[0] = 1.0 / column[0];
            for j in 0..column.len() {
                let (own, known) = (&column[j..], column[j]);
                let out = &mut sum[starts[k + j]..][..own.len()];
                out.iter_mut().zip(own).for_each(|(out, value)| *out += known * value);
            }
        }
        for (unknown, place) in place.iter().enumerate() {
            sum[starts[*place as usize]] += diagonal[unknown];
        }
        let mut shifted = SkylineCholesky { place: place.clone(), starts: starts.clone(), values: sum };
        // The sum is positive definite. Values that are not finite show in each solution.
        shifted.factor();
        shifted
    }

    /// Returns the number of unknowns.
    pub fn size(&self) -> usize {
        self.place.len()
    }

    /// Returns the columns of a whole block, below its rows.
    fn below(&self, first: usize) -> [&[f64]; BLOCK] {
        let SkylineCholesky { starts, values, .. } = self;
        std::array::from_fn(|k| &values[starts[first + k] + BLOCK - k..starts[first + k + 1]])
    }

    /// Solves in place. `scratch` has at least one entry per unknown.
    pub fn solve(&self, x: &mut [f64], scratch: &mut [f64]) {
        let SkylineCholesky { place, starts, values } = self;
        for (p, x) in place.iter().zip(&*x) {
            scratch[*p as usize] = *x;
        }
        let size = place.len();
        for first in (0..size).step_by(BLOCK) {
            let (own, below) = scratch[first..].split_at_mut(BLOCK.min(size - first));
            for k in 0..own.len() {
                let column = &values[starts[first + k]..];
                own[k] *= column[0];
                let known = own[k];
                own[k + 1..].iter_mut().zip(&column[1..]).for_each(|(x, value)| *x -= known * value);
            }
            if let Ok(known) = <[f64; BLOCK]>::try_from(&*own) {
                subtract(below, known, self.below(first));
            }
        }
        for first in (0..size).step_by(BLOCK).rev() {
            let (own, below) = scratch[first..].split_at_mut(BLOCK.min(size - first));
            if own.len() == BLOCK {
                let sums = products(self.below(first), below);
                own.iter_mut().zip(sums).for_each(|(x, sum)| *x -= sum);
            }
            for k in (0..own.len()).rev() {
                let column = &values[starts[first + k]..];
                let sum: f64 = own[k + 1..].iter().zip(&column[1..]).map(|(x, value)| x * value).sum();
                own[k] = (own[k] - sum) * column[0];
            }
        }
        for (p, x) in place.iter().zip(x) {
            *x = scratch[*p as usize];
        }
    }
}

/// Orders the unknowns by reverse Cuthill-McKee: breadth first from `first`, neighbours by degree. `near` has the
/// neighbours of each unknown. Returns the position of each unknown and the offset of each column.
fn arrange(near: &[Vec<u32>], first: u32) -> (Vec<u32>, Vec<usize>) {
    let size = near.len();
    let degree = |v: u32| near[v as usize].len();
    let mut order: Vec<u32> = Vec::with_capacity(size);
    let mut seen = vec![false; size];
    let mut roots: Vec<u32> = (0..size as u32).collect();
    roots.sort_by_key(|v| (*v != first, degree(*v)));
    for root in roots {
        if std::mem::replace(&mut seen[root as usize], true) {
            continue;
        }
        let mut next = order.len();
        order.push(root);
        while next < order.len() {
            let begin = order.len();
            for w in &near[order[next] as usize] {
                if !std::mem::replace(&mut seen[*w as usize], true) {
                    order.push(*w);
                }
            }
            order[begin..].sort_by_key(|v| degree(*v));
            next += 1;
        }
    }
    let mut place = vec![0; size];
    for (k, v) in order.iter().rev().enumerate() {
        place[*v as usize] = k as u32;
    }
    let mut last = vec![0; size];
    for (v, list) in near.iter().enumerate() {
        let column = place[v] as usize;
        last[column] = list.iter().map(|w| place[*w as usize] as usize).fold(column, usize::max);
    }
    let mut starts = vec![0];
    let mut end = 0;
    for (block, last) in last.chunks(BLOCK).enumerate() {
        end = last.iter().copied().fold(end, usize::max);
        let columns = block * BLOCK..block * BLOCK + last.len();
        starts.extend(columns.scan(starts[block * BLOCK], |start, column| {
            *start += end + 1 - column;
            Some(*start)
        }));
    }
    (place, starts)
}

/// Subtracts the sum of `known` times `columns` from `x`, over the length of the columns.
#[inline(always)]
fn subtract<const N: usize>(x: &mut [f64], known: [f64; N], columns: [&[f64]; N]) {
    let length = columns[0].len();
    let (blocks, rest) = x[..length].as_chunks_mut::<4>();
    let at = blocks.len() * 4;
    let splat = known.map(f64x4::splat);
    let parts = columns.map(|a| a[..length].as_chunks::<4>().0);
    for (k, x) in blocks.iter_mut().enumerate() {
        let taken = (0..N).fold(f64x4::ZERO, |sum, q| sum + splat[q] * f64x4::new(parts[q][k]));
        *x = (f64x4::new(*x) - taken).to_array();
    }
    for (k, x) in rest.iter_mut().enumerate() {
        *x -= (0..N).map(|q| known[q] * columns[q][at + k]).sum::<f64>();
    }
}

/// Returns the product of `x` with each column, over the length of the columns.
#[inline(always)]
fn products<const N: usize>(columns: [&[f64]; N], x: &[f64]) -> [f64; N] {
    let length = columns[0].len();
    let (blocks, rest) = x[..length].as_chunks::<4>();
    let at = blocks.len() * 4;
    let parts = columns.map(|a| a[..length].as_chunks::<4>().0);
    let mut sums = [f64x4::ZERO; N];
    for (k, x) in blocks.iter().enumerate() {
        let x = f64x4::new(*x);
        (0..N).for_each(|q| sums[q] += x * f64x4::new(parts[q][k]));
    }
    std::array::from_fn(|q| {
        rest.iter().zip(&columns[q][at..]).fold(sums[q].reduce_add(), |sum, (x, value)| sum + x * value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_grids_and_what_is_in_pieces() {
        let side = 9u32;
        let n = (side * side + 3) as usize;
        let across = (0..side * side).filter(|v| v % side + 1 < side).map(|v| [v, v + 1]);
        let along = (0..side * (side - 1)).map(|v| [v + side, v]);
        let pairs: Vec<[u32; 2]> = across.chain(along).chain([[side * side, side * side + 1]]).collect();
        let mut skyline = SkylineCholesky::new(n, pairs.iter().copied());
        // A grid numbered along its rows has rows of nine. The order must not be much worse.
        assert!(skyline.values.len() < n * 12, "{}", skyline.values.len());
        for round in 0..2 {
            skyline.values.fill(0.0);
            let weight = |k: usize| 1.0 + (k + round) as f64 % 5.0;
            let diagonal = |v: usize| 0.1 + v as f64 % 3.0;
            let mut add = |a: u32, b: u32, value: f64| skyline.add(a, b, value);
            (0..n).for_each(|v| add(v as u32, v as u32, diagonal(v)));
            for (k, [a, b]) in pairs.iter().enumerate() {
                add(*a, *a, weight(k));
                add(*b, *b, weight(k));
                add(*a, *b, -weight(k));
            }
            assert!(skyline.factor());
            let wanted: Vec<f64> = (0..n).map(|v| (v as f64 * 0.7).sin()).collect();
            let mut x: Vec<f64> = (0..n).map(|v| diagonal(v) * wanted[v]).collect();
            for (k, [a, b]) in pairs.iter().enumerate() {
                let flow = weight(k) * (wanted[*a as usize] - wanted[*b as usize]);
                x[*a as usize] += flow;
                x[*b as usize] -= flow;
            }
            skyline.solve(&mut x, &mut vec![0.0; n]);
            assert!(x.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn a_factor_is_shifted_by_a_diagonal() {
        let n = 11u32;
        let pairs: Vec<[u32; 2]> = (0..n).flat_map(|k| [[k, (k + 1) % n], [k, (k + 4) % n]]).collect();
        let build = |more: f64| {
            let mut skyline = SkylineCholesky::new(n as usize, pairs.iter().copied());
            pairs.iter().for_each(|[a, b]| skyline.add(*a, *b, -1.0));
            (0..n).for_each(|k| skyline.add(k, k, 5.0 + more * f64::from(k)));
            assert!(skyline.factor());
            skyline
        };
        let diagonal: Vec<f64> = (0..n).map(|k| 3.0 * f64::from(k)).collect();
        let (shifted, wanted) = (build(0.0).shifted(&diagonal), build(3.0));
        assert!(shifted.values.iter().zip(&wanted.values).all(|(a, b)| (a - b).abs() < 1e-12));
    }

    #[test]
    fn what_is_not_positive_definite_is_told() {
        let mut skyline = SkylineCholesky::new(2, [[0, 1]].into_iter());
        for (a, b) in [(0, 0), (1, 1), (1, 0)] {
            skyline.add(a, b, 1.0);
        }
        assert!(!skyline.factor());
    }
}
