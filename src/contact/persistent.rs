//! Pairs that act whatever their features say, because they had to be stopped once.

use super::element::SECOND;
use crate::force::contact::Bristle;

/// Bits of the sieve for each key.
const BITS: usize = 16;

/// Their keys; storage kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct Persistent {
    /// Sorted.
    keys: Vec<u64>,
    /// A bit of each key is set here: most pairs are found not to be kept by one look, not by a search.
    sieve: Vec<u64>,
}

impl Persistent {
    /// Takes those among `bristles`, sorted by key.
    pub fn take(&mut self, bristles: &[(u64, Bristle)]) {
        let Persistent { keys, sieve } = self;
        keys.clear();
        keys.extend(bristles.iter().filter(|(_, b)| b.kept).map(|(key, _)| *key));
        sieve.clear();
        sieve.resize((BITS * keys.len()).next_power_of_two().div_ceil(64), 0);
        for key in &*keys {
            let (word, bit) = place(sieve, *key);
            sieve[word] |= bit;
        }
    }

    /// The pair with this key is kept.
    #[inline]
    pub fn has(&self, key: u64) -> bool {
        if self.keys.is_empty() {
            return false;
        }
        let (word, bit) = place(&self.sieve, key);
        self.sieve[word] & bit != 0 && self.keys.binary_search(&key).is_ok()
    }
}

/// A key's word in the sieve, whose length is a power of two, and its bit there: eight bits side by side for each first feature, since
/// what is near has near first features.
fn place(sieve: &[u64], key: u64) -> (usize, u64) {
    let second = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61;
    let bit = (key >> SECOND) << 3 | second;
    ((bit >> 6) as usize % sieve.len(), 1 << (bit & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::element::EDGES;

    #[test]
    fn those_and_no_others_are_kept() {
        let mut kept = Persistent::default();
        assert!(!kept.has(0) && !kept.has(EDGES | 5));
        // Every third of many, vertices and edges, with near first features; those that are not kept are there as well.
        for count in [0u64, 1, 5, 3000] {
            let key = |k: u64| (k / 4) << SECOND | (k % 4 * 37) | if k >= count / 2 { EDGES } else { 0 };
            let bristle = |k: u64| Bristle { kept: k.is_multiple_of(3), ..Bristle::default() };
            let bristles: Vec<(u64, Bristle)> = (0..count).map(|k| (key(k), bristle(k))).collect();
            assert!(bristles.is_sorted_by_key(|b| b.0));
            kept.take(&bristles);
            for (key, bristle) in &bristles {
                assert_eq!(kept.has(*key), bristle.kept);
                assert!(!kept.has(key + 1) && !kept.has(key ^ EDGES ^ 1 << 60));
            }
        }
    }
}
