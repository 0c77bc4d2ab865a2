//! Stencils of isosurface stuffing: the part of a lattice tetrahedron that is kept.

use super::lattice::{Lattice, Site};

/// Vertex of the mesh: eight times the index of a site, or an edge that is cut.
pub(super) type Vertex = u64;

/// Adds the tetrahedra that fill the inner part of a tetrahedron of positive volume. Its corners have the given signs:
/// 1 inside, 0 on the surface, -1 outside. Without a corner inside nothing is added. All added tetrahedra have positive
/// volume.
///
/// A face that loses one corner becomes a quadrilateral. Both its tetrahedra must use the same diagonal. The diagonal
/// ends at the cut of the long edge. If both cuts are on short edges, it begins at the end that is above the lost
/// corner in an even number of coordinates (the parity rule of the paper).
pub(super) fn fill(lattice: &Lattice, mut corners: [Site; 4], mut signs: [i8; 4], out: &mut Vec<[Vertex; 4]>) {
    // Corners are sorted: first inside, then on the surface, then outside. Two of four corners have the same sign, so
    // an even permutation can always be made.
    let mut odd = false;
    for end in (1..4).rev() {
        for k in 0..end {
            if signs[k] < signs[k + 1] {
                signs.swap(k, k + 1);
                corners.swap(k, k + 1);
                odd = !odd;
            }
        }
    }
    if let Some(k) = (0..3).find(|k| odd && signs[*k] == signs[k + 1]) {
        corners.swap(k, k + 1);
    }
    let at = |k: usize| 8 * lattice.index(corners[k]) as Vertex;
    let cut = |a: usize, b: usize| lattice.edge(corners[a], corners[b]) as Vertex;
    // Whether the diagonal begins at `p`, in a face of two inner corners `p` and `q` and a lost one.
    let first = |p: usize, q: usize, lost: usize| begins_at(corners[p], corners[q], corners[lost]);
    let inside = signs.iter().filter(|s| **s > 0).count();
    let outside = signs.iter().filter(|s| **s < 0).count();
    match (inside, outside) {
        (0, _) => {}
        (_, 0) => out.push([at(0), at(1), at(2), at(3)]),
        (1, _) => out.push([0, 1, 2, 3].map(|k| if signs[k] < 0 { cut(0, k) } else { at(k) })),
        (2, 1) if first(0, 1, 3) => {
            out.extend([[at(0), at(1), at(2), cut(1, 3)], [at(0), cut(1, 3), at(2), cut(0, 3)]]);
        }
        (2, 1) => out.extend([[at(0), at(1), at(2), cut(0, 3)], [cut(0, 3), at(1), at(2), cut(1, 3)]]),
        (2, _) => {
            // By the rule, the two diagonals begin at different corners.
            let (m, n) = if first(0, 1, 2) { (2, 3) } else { (3, 2) };
            let mut three = [
                [at(0), at(1), cut(1, m), cut(0, n)],
                [at(0), cut(1, m), cut(0, m), cut(0, n)],
                [cut(0, n), at(1), cut(1, m), cut(1, n)],
            ];
            if m == 3 {
                three.iter_mut().for_each(|tet| tet.swap(2, 3));
            }
            out.extend(three);
        }
        _ => {
            // The part is a prism. Two diagonals begin at `a`. The third goes from `b` to the cut of the edge at `c`.
            let order = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
            let Some(turn) =
                order.iter().position(|[a, b, c]| first(*a, *b, 3) && first(*a, *c, 3) && first(*b, *c, 3))
            else {
                return;
            };
            let [a, b, c] = order[turn];
            let mut three = [
                [at(a), at(b), at(c), cut(c, 3)],
                [at(a), at(b), cut(c, 3), cut(b, 3)],
                [at(a), cut(b, 3), cut(c, 3), cut(a, 3)],
            ];
            if turn >= 3 {
                three.iter_mut().for_each(|tet| tet.swap(2, 3));
            }
            out.extend(three);
        }
    }
}

/// Returns whether the diagonal of a face without its corner `lost` goes from `p` to the cut between `q` and `lost`.
/// Otherwise it goes from `q` to the cut between `p` and `lost`.
fn begins_at(p: Site, q: Site, lost: Site) -> bool {
    let is_long = |a: Site| (0..3).filter(|k| a[*k] != lost[*k]).count() == 1;
    if is_long(p) != is_long(q) {
        return is_long(q);
    }
    (0..3).filter(|k| p[*k] > lost[*k]).count() % 2 == 0
}
