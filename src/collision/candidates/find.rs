//! The pairs of a list: those of two trees that are or come near.

use super::Near;
use crate::collision::certificate::Pair;
use crate::collision::surface::Surface;
use crate::collision::tree::{Tree, WIDTH, margin2};
use crate::linalg::Vec3;
use crate::linalg::four::{Four, fours};

/// Rounded to a number that is not larger.
#[inline]
fn below(distance: f64) -> f32 {
    (distance * (1.0 - 1e-6)).min(f64::from(f32::MAX)) as f32
}

/// Pairs of a leaf with a leaf; gathered before their distances are computed, so that the branches of one do not stall the
/// other.
pub struct Gathered {
    pairs: [[u32; 2]; WIDTH * WIDTH],
    count: usize,
}

impl Gathered {
    pub fn new() -> Gathered {
        Gathered { pairs: [[0; 2]; WIDTH * WIDTH], count: 0 }
    }

    /// Adds a pair if it is wanted, without a branch. A leaf with a leaf has at most as many pairs as there are places.
    #[inline]
    fn add(&mut self, pair: [u32; 2], wanted: bool) {
        self.pairs[self.count % self.pairs.len()] = pair;
        self.count += usize::from(wanted);
    }

    /// Takes all pairs out.
    #[inline]
    fn take(&mut self) -> &[[u32; 2]] {
        let count = std::mem::take(&mut self.count);
        &self.pairs[..count]
    }
}

/// A rounding that does not make it smaller.
#[inline]
fn above(distance: f64) -> f32 {
    (distance * (1.0 + 1e-6)).min(f64::from(f32::MAX)) as f32
}

/// Tells neighbours apart by their distance at rest.
pub struct Apart<'a> {
    /// Positions at rest [m].
    pub rest: &'a [Vec3],
    /// Distance up to which every pair is wanted [m].
    pub distance: f64,
    /// How much farther what is listed may be than what is wanted [m].
    pub beyond: f64,
}

/// How the pairs of a list are found.
pub struct Find<'a> {
    pub x: &'a [Vec3],
    pub surface: &'a Surface,
    /// Distance up to which pairs are listed [m].
    pub near: f64,
    /// Displacements by which they come that near; without them those that are [m].
    pub moved: Option<&'a [Vec3]>,
    /// With it, pairs of one object that are near at rest are wanted when they are nearer than that.
    pub apart: Option<Apart<'a>>,
    pub gathered: Gathered,
}

impl Find<'_> {
    /// Vertices of a tree, which go `along`, against the triangles of a tree.
    pub fn vertex_face(&mut self, (vertices, triangles): (&Tree, &Tree), along: &Vec3, out: &mut Vec<Near>) {
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

    /// Edges of a tree, which go `along`, against the edges of a tree; of the same tree, against those that come later.
    pub fn edge_edges(&mut self, (edges, others): (&Tree, &Tree), same: bool, along: &Vec3, out: &mut Vec<Near>) {
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

    /// Adds those of the gathered pairs that are or come near.
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
