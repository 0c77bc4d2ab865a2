//! Search for the pairs of a list: features of two trees that are or come near.

use super::Near;
use crate::collision::certificate::Pair;
use crate::collision::surface::Surface;
use crate::collision::tree::{Tree, WIDTH, margin2};
use crate::linalg::Vec3;
use crate::linalg::four::{Four, fours};

/// Rounds down to `f32`.
#[inline]
fn below(distance: f64) -> f32 {
    (distance * (1.0 - 1e-6)).min(f64::from(f32::MAX)) as f32
}

/// Pairs of two leaves, gathered before their distances are computed. The branches of one loop thus do not stall the
/// other.
pub(super) struct Gathered {
    pairs: [[u32; 2]; WIDTH * WIDTH],
    count: usize,
}

impl Gathered {
    pub(super) fn new() -> Gathered {
        Gathered { pairs: [[0; 2]; WIDTH * WIDTH], count: 0 }
    }

    /// Adds a pair if it is `wanted`, without a branch. Two leaves have at most as many pairs as there are places.
    #[inline]
    fn add(&mut self, pair: [u32; 2], wanted: bool) {
        self.pairs[self.count % self.pairs.len()] = pair;
        self.count += usize::from(wanted);
    }

    /// Removes and returns all pairs.
    #[inline]
    fn take(&mut self) -> &[[u32; 2]] {
        let count = std::mem::take(&mut self.count);
        &self.pairs[..count]
    }
}

/// Rounds up to `f32`.
#[inline]
fn above(distance: f64) -> f32 {
    (distance * (1.0 + 1e-6)).min(f64::from(f32::MAX)) as f32
}

/// Filter for neighbours by their rest distance.
pub(super) struct Apart<'a> {
    /// Rest positions [m].
    pub rest: &'a [Vec3],
    /// Distance up to which every pair is a candidate [m].
    pub distance: f64,
    /// Margin by which listed pairs may be farther than candidates [m].
    pub beyond: f64,
}

/// Search for the pairs of a list.
pub(super) struct Find<'a> {
    pub x: &'a [Vec3],
    pub surface: &'a Surface,
    /// Distance up to which pairs are listed [m].
    pub near: f64,
    /// Displacements by which pairs come that near; without them, only present distances count [m].
    pub moved: Option<&'a [Vec3]>,
    /// Filter for pairs of one object, by their rest distance.
    pub apart: Option<Apart<'a>>,
    pub gathered: Gathered,
}

impl Find<'_> {
    /// Finds pairs of the vertices of a tree, which move `along`, with the triangles of another tree.
    pub(super) fn vertex_face(&mut self, (vertices, triangles): (&Tree, &Tree), along: &Vec3, out: &mut Vec<Near>) {
        let (surface, margin2) = (self.surface, margin2(self.near));
        for leaf in 0..vertices.leaves() {
            triangles.query(&vertices.around(leaf).swept(along), margin2, 0, |other| {
                vertices.pairs_along(leaf, (triangles, other), margin2, along, |v, t| {
                    let [a, b, c] = surface.triangles[t as usize];
                    self.gathered.add([v, t], (v != a) & (v != b) & (v != c));
                });
                self.keep(Pair::VertexFace, out);
            });
        }
    }

    /// Finds pairs of the edges of a tree, which move `along`, with the edges of another tree. Within one tree, each
    /// edge is paired with later edges only.
    pub(super) fn edge_edges(
        &mut self,
        (edges, others): (&Tree, &Tree),
        same: bool,
        along: &Vec3,
        out: &mut Vec<Near>,
    ) {
        let (surface, margin2) = (self.surface, margin2(self.near));
        for leaf in 0..edges.leaves() {
            others.query(&edges.around(leaf).swept(along), margin2, if same { leaf } else { 0 }, |other| {
                edges.pairs_along(leaf, (others, other), margin2, along, |e, f| {
                    let ([p0, p1], [q0, q1]) = (surface.edges[e as usize], surface.edges[f as usize]);
                    self.gathered.add([e.min(f), e.max(f)], (p0 != q0) & (p0 != q1) & (p1 != q0) & (p1 != q1));
                });
                self.keep(Pair::EdgeEdge, out);
            });
        }
    }

    /// Appends the gathered pairs that are or come near.
    #[inline(always)]
    fn keep(&mut self, pair: Pair, out: &mut Vec<Near>) {
        let Find { x, surface, near, moved, apart, gathered } = self;
        for (four, count) in fours(gathered.take()) {
            let corners: [[u32; 4]; 4] = std::array::from_fn(|k| surface.corners(pair, four[k]));
            let distances = pair.separations(&corners, x).distance;
            let least = match moved {
                Some(moved) => {
                    let moved = |c: usize| Four::from_fn(|k| &moved[corners[k][c] as usize]);
                    distances - pair.closer(&std::array::from_fn(moved))
                }
                None => distances,
            };
            let reaches = match apart {
                Some(Apart { rest, distance, .. }) => {
                    pair.separations(&corners, rest).distance.to_array().map(|d| above((0.5 * d).max(*distance)))
                }
                None => [f32::INFINITY; 4],
            };
            let beyond = apart.as_ref().map_or(0.0, |apart| apart.beyond);
            let each = four.into_iter().zip(distances.to_array()).zip(least.to_array()).zip(reaches);
            for ((([a, b], distance), least), reach) in each.take(count) {
                if least <= near.min(f64::from(reach) + beyond) {
                    out.push(Near { a, b, distance: below(distance), reach });
                }
            }
        }
    }
}
