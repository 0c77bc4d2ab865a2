//! Samples of an Ogawa property: their times, and their storage without repeats.

use std::collections::BTreeMap;
use std::ops::Range;

/// Largest sample count for which all times are listed. Beyond it, only the range with changes is.
const LISTED: usize = 100_000;

/// Time sampling of properties.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Clock {
    /// Period of the times [s]; infinite if they do not repeat.
    pub(super) cycle: f64,
    pub(super) times: Vec<f64>,
    /// Period of the clock that the times were chosen from, else that of the times [s].
    pub(super) beat: f64,
}

impl Clock {
    /// Returns the time of a sample [s].
    pub(super) fn time(&self, sample: usize) -> f64 {
        let count = self.times.len().max(1);
        let own = |k: usize| self.times.get(k).copied().unwrap_or_default();
        if self.cycle.is_finite() {
            (sample / count) as f64 * self.cycle + own(sample % count)
        } else {
            own(sample.min(count - 1))
        }
    }
}

/// Property: samples, or a compound of properties.
#[derive(Clone, Debug, Default)]
pub(super) struct Property {
    pub words: String,
    pub compound: bool,
    pub within: BTreeMap<String, Property>,
    pub(super) array: bool,
    /// Type number, and the number of values per element.
    pub(super) pod: u32,
    pub(super) extent: usize,
    /// Number of samples.
    pub count: usize,
    /// First and last sample that differs from its predecessor.
    pub(super) changes: [usize; 2],
    /// Index of its time sampling.
    pub clock: usize,
    pub(super) samples: Vec<u64>,
}

impl Property {
    /// Returns whether the samples differ.
    pub(super) fn moves(&self) -> bool {
        self.count > 1 && self.changes != [0, 0]
    }

    /// Returns the sample times [s]; none if nothing changes. Beyond `LISTED` samples these are the first, the last and
    /// the range with changes.
    pub(super) fn times(&self, clocks: &[Clock]) -> Vec<f64> {
        let [first, last] = self.changes;
        let end = if self.moves() { self.count } else { 0 };
        let mut all: Vec<usize> = match end > LISTED {
            true => [0].into_iter().chain(first - 1..last + 1).chain([end - 1]).collect(),
            false => (0..end).collect(),
        };
        all.dedup();
        all.into_iter().map(|k| self.time(clocks, k)).collect()
    }

    /// Returns the time of a sample [s].
    pub(super) fn time(&self, clocks: &[Clock], sample: usize) -> f64 {
        clocks.get(self.clock).map_or(sample as f64, |clock| clock.time(sample))
    }

    /// Returns the range from the first to the last sample that differs from its predecessor.
    pub(super) fn changing(&self) -> Range<usize> {
        if self.moves() { self.changes[0]..self.changes[1] + 1 } else { 0..0 }
    }

    /// Returns the samples around a time, and the fraction between them.
    pub(super) fn around(&self, clocks: &[Clock], time: f64) -> ([usize; 2], f64) {
        let end = if self.moves() { self.count } else { 0 };
        // Finds the first later sample.
        let (mut next, mut after) = (0, end);
        while next < after {
            let middle = next + (after - next) / 2;
            if self.time(clocks, middle) <= time { next = middle + 1 } else { after = middle }
        }
        if next == 0 || next >= end {
            return ([next.saturating_sub(1); 2], 0.0);
        }
        let [before, at] = [next - 1, next].map(|k| self.time(clocks, k));
        ([next - 1, next], (time - before) / (at - before))
    }

    /// Returns the index of a sample in storage, where repeats before and after the changes are left out.
    pub(super) fn place(&self, sample: usize) -> usize {
        let [first, last] = self.changes;
        if sample < first || [first, last] == [0, 0] { 0 } else { sample.min(last) - first + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_repeat_or_do_not() {
        let twice = Clock { cycle: 0.04, times: vec![0.0, 0.01], beat: 0.04 };
        assert_eq!([0, 1, 2, 5].map(|k| twice.time(k)), [0.0, 0.01, 0.04, 0.09]);
        let once = Clock { cycle: f64::INFINITY, times: vec![1.0, 1.5, 3.0], beat: f64::INFINITY };
        assert_eq!([0, 2, 9].map(|k| once.time(k)), [1.0, 3.0, 3.0]);
    }

    #[test]
    fn samples_that_repeat_are_kept_once() {
        let property = Property { count: 10, changes: [3, 5], ..Property::default() };
        assert_eq!([0, 2, 3, 4, 5, 6, 9].map(|k| property.place(k)), [0, 0, 1, 2, 3, 3, 3]);
        let constant = Property { count: 10, changes: [0, 0], ..Property::default() };
        assert_eq!((constant.place(7), constant.moves()), (0, false));
    }
}
