//! Keys of pairs of features: their kind and both features in one number.

use super::certificate::Pair;

/// First key of edge-edge contacts. Keys of vertex-face contacts are below.
pub const EDGES: u64 = 1 << 62;
/// Number of key bits for the second feature.
pub const SECOND: u32 = 31;

/// Returns the key of a pair.
pub fn key(pair: Pair, features: [u32; 2]) -> u64 {
    let [a, b] = features.map(u64::from);
    (u64::from(pair == Pair::EdgeEdge) * EDGES) | (a << SECOND) | b
}

/// Returns the pair of a key.
pub fn features(key: u64) -> (Pair, [u32; 2]) {
    let pair = if key < EDGES { Pair::VertexFace } else { Pair::EdgeEdge };
    let [first, second] = [(key % EDGES) >> SECOND, key & ((1 << SECOND) - 1)];
    (pair, [first as u32, second as u32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_holds_its_pair() {
        for pair in [Pair::VertexFace, Pair::EdgeEdge] {
            for pair_of in [[0, 0], [7, 3], [(1 << 31) - 1, 5], [4, (1 << 31) - 1]] {
                assert_eq!(features(key(pair, pair_of)), (pair, pair_of));
            }
        }
    }
}
