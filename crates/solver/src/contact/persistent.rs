//! Contacts that act regardless of the feasible regions of their features, because they needed a penalty.

use crate::collision::key::SECOND;
use crate::force::contact::Bristle;

/// Bits of the Bloom filter per key.
const BITS: usize = 16;

/// Keys of persistent contacts. The storage is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Persistent {
    /// Sorted keys.
    keys: Vec<u64>,
    /// Bloom filter with one bit per key. It rejects most pairs by one lookup instead of a search.
    sieve: Vec<u64>,
}

impl Persistent {
    /// Takes the keys of persistent contacts among `bristles`, which are sorted by key.
    pub(super) fn take(&mut self, bristles: &[(u64, Bristle)]) {
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

    /// Returns true if the contact with this key is persistent.
    #[inline]
    pub(super) fn has(&self, key: u64) -> bool {
        if self.keys.is_empty() {
            return false;
        }
        let (word, bit) = place(&self.sieve, key);
        self.sieve[word] & bit != 0 && self.keys.binary_search(&key).is_ok()
    }
}

/// Returns a key's word in the Bloom filter, whose length is a power of two, and its bit in the word. Each first
/// feature has eight adjacent bits, because pairs near each other have similar first features.
fn place(sieve: &[u64], key: u64) -> (usize, u64) {
    let second = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 61;
    let bit = (key >> SECOND) << 3 | second;
    ((bit >> 6) as usize % sieve.len(), 1 << (bit & 63))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::key::EDGES;

    #[test]
    fn those_and_no_others_are_kept() {
        let mut kept = Persistent::default();
        assert!(!kept.has(0) && !kept.has(EDGES | 5));
        // Every third contact is persistent. Vertex-face and edge-edge keys have close first features, and the others
        // are present too.
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
