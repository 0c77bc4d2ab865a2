//! Sweeps through all subdomains, colour by colour.

use super::super::matrix::{Lanes, Matrix, Real};
use super::super::par;
use super::Work;

/// Matrix and offsets for sweeps through all colours.
pub(super) struct Sweep<'a, T> {
    pub matrix: &'a Matrix<T>,
    /// Offset of each colour: `c` has the works `colours[c]..colours[c + 1]`.
    pub colours: &'a [usize],
    /// Offset of each of the works in a vector over all vertices, with one entry more.
    pub starts: &'a [usize],
}

impl<T: Real> Sweep<'_, T> {
    /// Computes `w <- (I + L)^-1 w`, colour by colour, in active subdomains. `begin(work, t, w)` sets the subdomain's
    /// part of `w`, and `end(work, t, w)` reads the result.
    pub(super) fn forward(
        &self,
        works: &mut [Work<T>],
        t: &[Lanes<T>],
        w: &mut [Lanes<T>],
        begin: impl Fn(&mut Work<T>, &[Lanes<T>], &mut [Lanes<T>]) + Sync,
        end: impl Fn(&mut Work<T>, &[Lanes<T>], &[Lanes<T>]) + Sync,
    ) {
        for range in self.colours.windows(2).map(|c| c[0]..c[1]) {
            let starts = &self.starts[range.start..=range.end];
            let (earlier, rest) = w.split_at_mut(starts[0]);
            let now = &mut rest[..starts[range.len()] - starts[0]];
            par::each_part(&mut works[range], now, starts, |k, work, w| {
                if !work.active {
                    return;
                }
                let own = &t[starts[k]..starts[k + 1]];
                begin(work, own, w);
                work.rows.forward(self.matrix, work.domain, earlier, w);
                end(work, own, w);
            });
        }
    }

    /// Computes `t <- (I + L^T)^-1 t`, from the last colour to the first. `begin(work, w, t)` sets the subdomain's part
    /// of `t`.
    pub(super) fn backward(
        &self,
        works: &mut [Work<T>],
        t: &mut [Lanes<T>],
        w: &[Lanes<T>],
        begin: impl Fn(&mut Work<T>, &[Lanes<T>], &mut [Lanes<T>]) + Sync,
    ) {
        for range in self.colours.windows(2).rev().map(|c| c[0]..c[1]) {
            let starts = &self.starts[range.start..=range.end];
            let (rest, later) = t.split_at_mut(starts[range.len()]);
            let now = &mut rest[starts[0]..];
            let later = (&*later, starts[range.len()]);
            par::each_part(&mut works[range], now, starts, |k, work, t| {
                if !work.active {
                    return;
                }
                begin(work, &w[starts[k]..starts[k + 1]], t);
                work.rows.backward(self.matrix, work.domain, later, t);
                work.gather(t);
            });
        }
    }
}
