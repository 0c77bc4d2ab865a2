//! Products of 3x3 blocks with vectors of four lanes. Blocks are stored by rows without gaps.

use super::matrix::{Lanes, Real};

/// Array of 3x3 blocks by rows, nine numbers each, with one number of padding at the end. Every row can so be read as
/// four lanes. The fourth lane of a row or a vector has no meaning.
pub(super) type Rows<T> = [T];

/// Returns the three rows of a block, each as four lanes.
#[inline(always)]
pub(super) fn rows<T: Real>(block: &[T; 10]) -> [T::Four; 3] {
    [T::four(&block[..4]), T::four(&block[3..7]), T::four(&block[6..])]
}

/// Calls `f(column, rows)` for every block of row `i`, from the last to the first if `BACK`. `blocks` begins with the
/// blocks of row 0.
#[inline(always)]
pub(super) fn each_block<T: Real, const BACK: bool>(
    start: &[u32],
    columns: &[u32],
    blocks: &Rows<T>,
    i: usize,
    mut f: impl FnMut(usize, &[T::Four; 3]),
) {
    let range = start[i] as usize..start[i + 1] as usize;
    let mut rest = &blocks[9 * range.start..9 * range.end + 1];
    let mut columns = columns[range].iter();
    while let Some(column) = if BACK { columns.next_back() } else { columns.next() } {
        let Some(block) = (if BACK { rest.last_chunk() } else { rest.first_chunk() }) else { break };
        f(*column as usize, &rows::<T>(block));
        rest = if BACK { &rest[..rest.len() - 9] } else { &rest[9..] };
    }
}

/// Adds `rows[row] * t` to `acc[row]` lane by lane. [`total`] sums the lanes.
#[inline(always)]
pub(super) fn multiply_add<T: Real>(acc: &mut [T::Four; 3], rows: &[T::Four; 3], t: &Lanes<T>) {
    let t = T::four(t);
    for (acc, row) in acc.iter_mut().zip(rows) {
        *acc = *acc + *row * t;
    }
}

/// Spreads each of the three components over four lanes.
#[inline(always)]
pub(super) fn spread<T: Real>(s: &Lanes<T>) -> [T::Four; 3] {
    [T::four(&[s[0]; 4]), T::four(&[s[1]; 4]), T::four(&[s[2]; 4])]
}

/// Returns the sum of the first three lanes of each row.
#[inline(always)]
pub(super) fn total<T: Real>(acc: &[T::Four; 3]) -> [T; 3] {
    let sum = |row: T::Four| {
        let row: [T; 4] = row.into();
        row[0] + row[1] + row[2]
    };
    [sum(acc[0]), sum(acc[1]), sum(acc[2])]
}

/// Subtracts `block^T s` from `acc`.
#[inline(always)]
pub(super) fn subtract_transposed<T: Real>(acc: &mut Lanes<T>, rows: &[T::Four; 3], s: &[T::Four; 3]) {
    *acc = (T::four(acc) - (rows[0] * s[0] + rows[1] * s[1] + rows[2] * s[2])).into();
}
