//! Candidate pairs: every vertex-face and edge-edge pair without a common vertex within reach.
//!
//! Each object has a tree over its vertices, its edges and its triangles. A leaf of eight features asks the other tree once;
//! leaves that meet are compared box by box, and what is left by distance. Lists are sorted, the same for any number of
//! threads and whatever the trees look like.

use super::closest::{edge_edge, point_triangle};
use super::surface::Surface;
use super::tree::{Box3, Tree, WIDTH, margin2};
use crate::linalg::{Vec3, par};
use std::ops::Range;

/// Two features and their distance when the list was built.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Near {
    /// Vertex, or first edge.
    pub a: u32,
    /// Triangle, or second edge, which has the higher index.
    pub b: u32,
    /// Distance at build, rounded down [m].
    pub distance: f32,
}

/// Distance up to which pairs of two objects are wanted; negative: never. Symmetric, `objects x objects`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reach {
    /// Number of objects.
    pub objects: usize,
    /// Row by row [m].
    pub table: Vec<f64>,
}

impl Reach {
    /// Nothing is wanted.
    pub fn never(objects: usize) -> Reach {
        Reach { objects, table: vec![-1.0; objects * objects] }
    }

    /// Of two objects [m].
    #[inline]
    pub fn of(&self, a: usize, b: usize) -> f64 {
        self.table[a * self.objects + b]
    }

    /// Sets the reach of two objects [m].
    pub fn set(&mut self, a: usize, b: usize, reach: f64) {
        self.table[a * self.objects + b] = reach;
        self.table[b * self.objects + a] = reach;
    }
}

/// Trees over the features of one object.
#[derive(Clone, Debug, Default)]
struct Trees {
    vertices: Tree,
    edges: Tree,
    triangles: Tree,
}

/// Leaves of one tree that ask another tree.
#[derive(Clone, Debug)]
struct Block {
    kind: Kind,
    asking: usize,
    asked: usize,
    leaves: Range<usize>,
    reach: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    VertexFace,
    EdgeEdge,
}

/// The lists, with the trees that find them and storage kept between builds.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Vertex and triangle, sorted.
    pub vertex_face: Vec<Near>,
    /// Edge and edge, sorted; the first has the lower index.
    pub edge_edge: Vec<Near>,
    trees: Vec<Trees>,
    blocks: Vec<Block>,
    found: Vec<Vec<Near>>,
    starts: [Vec<u32>; 2],
}

/// Leaves per block of queries.
const LEAVES: usize = 16;

impl Candidates {
    /// Builds the trees' shapes from positions `x`, for any later positions.
    pub fn new(x: &[Vec3], surface: &Surface) -> Candidates {
        let at = |v: u32| x[v as usize];
        let tree = |items: Vec<u32>, centre: &dyn Fn(u32) -> Vec3| {
            let centres: Vec<Vec3> = items.iter().map(|i| centre(*i)).collect();
            Tree::new(&items, &centres)
        };
        let indices = |range: &Range<usize>| range.clone().map(|i| i as u32).collect();
        let trees = (0..surface.objects())
            .map(|k| Trees {
                vertices: tree(surface.used_vertices(k), &at),
                edges: tree(indices(&surface.edge_ranges[k]), &|e| {
                    let [a, b] = surface.edges[e as usize].map(at);
                    (a + b) / 2.0
                }),
                triangles: tree(indices(&surface.triangle_ranges[k]), &|t| {
                    let [a, b, c] = surface.triangles[t as usize].map(at);
                    (a + b + c) / 3.0
                }),
            })
            .collect();
        Candidates { trees, ..Candidates::default() }
    }

    /// Finds all pairs at positions `x` that are within the reach of their objects plus the margins of both features; a feature
    /// has the largest margin of its vertices [m].
    pub fn build(&mut self, x: &[Vec3], surface: &Surface, reach: &Reach, margin: &[f64]) {
        self.refit(x, surface, reach, margin);
        self.plan(reach);
        if self.found.len() < self.blocks.len() {
            self.found.resize(self.blocks.len(), Vec::new());
        }
        let (trees, blocks) = (&self.trees, &self.blocks);
        let found = &mut self.found[..blocks.len()];
        par::each_heavy(found, |k, out| {
            out.clear();
            let Block { kind, asking, asked, ref leaves, reach } = blocks[k];
            let (a, b) = (&trees[asking], &trees[asked]);
            match kind {
                Kind::VertexFace => vertex_face(x, surface, (&a.vertices, &b.triangles), leaves, (reach, margin), out),
                Kind::EdgeEdge => {
                    edge_edges(x, surface, (&a.edges, &b.edges), (leaves, asking == asked), (reach, margin), out);
                }
            }
        });
        let middle = self.blocks.partition_point(|b| b.kind == Kind::VertexFace);
        let (faces, edges) = self.found[..self.blocks.len()].split_at(middle);
        let [starts_faces, starts_edges] = &mut self.starts;
        let (vertex_face, edge_edge) = (&mut self.vertex_face, &mut self.edge_edge);
        par::join(
            || sort_into(vertex_face, faces, starts_faces, surface.vertices),
            || sort_into(edge_edge, edges, starts_edges, surface.edges.len()),
        );
    }

    /// Boxes of all objects that have a partner.
    fn refit(&mut self, x: &[Vec3], surface: &Surface, reach: &Reach, margin: &[f64]) {
        let at = |v: u32| &x[v as usize];
        let most = |v: &[u32]| most(margin, v);
        for (k, trees) in self.trees.iter_mut().enumerate() {
            if !(0..surface.objects()).any(|other| reach.of(k, other) >= 0.0) {
                continue;
            }
            trees.vertices.refit(|v| Box3::around([at(v)], margin[v as usize]));
            trees.edges.refit(|e| {
                let ends = surface.edges[e as usize];
                Box3::around(ends.map(at), most(&ends))
            });
            trees.triangles.refit(|t| {
                let corners = surface.triangles[t as usize];
                Box3::around(corners.map(at), most(&corners))
            });
        }
    }

    /// Who asks whom: vertex-face blocks, then edge-edge blocks.
    fn plan(&mut self, reach: &Reach) {
        let Candidates { trees, blocks, .. } = self;
        blocks.clear();
        let near = |a: usize, b: usize| {
            let reach = reach.of(a, b);
            reach >= 0.0 && trees[a].triangles.whole().within(&trees[b].triangles.whole(), margin2(reach))
        };
        let mut add = |kind, asking, asked, count: usize| {
            blocks.extend((0..count).step_by(LEAVES).map(|first| Block {
                kind,
                asking,
                asked,
                leaves: first..(first + LEAVES).min(count),
                reach: reach.of(asking, asked),
            }));
        };
        let n = trees.len();
        for (a, of) in trees.iter().enumerate() {
            for b in (0..n).filter(|b| near(a, *b)) {
                add(Kind::VertexFace, a, b, of.vertices.leaves());
            }
        }
        for a in 0..n {
            for b in (a..n).filter(|b| near(a, *b)) {
                // The larger object asks: many small queries into a small tree.
                let (a, b) = if trees[a].edges.leaves() >= trees[b].edges.leaves() { (a, b) } else { (b, a) };
                add(Kind::EdgeEdge, a, b, trees[a].edges.leaves());
            }
        }
    }
}

/// Largest margin of a feature's vertices.
#[inline]
fn most(margin: &[f64], vertices: &[u32]) -> f64 {
    vertices.iter().fold(0.0, |m, v| margin[*v as usize].max(m))
}

/// Root, rounded to a number that is not larger.
#[inline]
fn root_below(distance2: f64) -> f32 {
    (distance2.sqrt() * (1.0 - 1e-6)).min(f64::from(f32::MAX)) as f32
}

/// Pairs of a leaf with a leaf; gathered before their distances are computed, so that the branches of one do not stall the
/// other.
struct Gathered {
    pairs: [(u32, u32); WIDTH * WIDTH],
    count: usize,
}

impl Gathered {
    fn new() -> Gathered {
        Gathered { pairs: [(0, 0); WIDTH * WIDTH], count: 0 }
    }

    /// Adds a pair if it is wanted, without a branch. A leaf with a leaf has at most as many pairs as there are places.
    #[inline]
    fn add(&mut self, pair: (u32, u32), wanted: bool) {
        self.pairs[self.count % self.pairs.len()] = pair;
        self.count += usize::from(wanted);
    }

    /// Takes all pairs out.
    #[inline]
    fn take(&mut self) -> &[(u32, u32)] {
        let count = std::mem::take(&mut self.count);
        &self.pairs[..count]
    }
}

/// Vertices of some leaves against the triangles of a tree.
fn vertex_face(
    x: &[Vec3],
    surface: &Surface,
    (vertices, triangles): (&Tree, &Tree),
    leaves: &Range<usize>,
    (reach, margin): (f64, &[f64]),
    out: &mut Vec<Near>,
) {
    let margin2 = margin2(reach);
    let mut gathered = Gathered::new();
    for leaf in leaves.clone() {
        triangles.query(&vertices.around(leaf), margin2, 0, |other| {
            vertices.pairs(leaf, triangles, other, margin2, |v, t| {
                let [a, b, c] = surface.triangles[t as usize];
                gathered.add((v, t), (v != a) & (v != b) & (v != c));
            });
            for &(v, t) in gathered.take() {
                let corners = surface.triangles[t as usize];
                let [a, b, c] = corners.map(|v| &x[v as usize]);
                let distance2 = point_triangle(&x[v as usize], a, b, c).distance2;
                let near = reach + margin[v as usize] + most(margin, &corners);
                if distance2 <= near * near {
                    out.push(Near { a: v, b: t, distance: root_below(distance2) });
                }
            }
        });
    }
}

/// Edges of some leaves against the edges of a tree; of the same tree, against those that come later.
fn edge_edges(
    x: &[Vec3],
    surface: &Surface,
    (edges, others): (&Tree, &Tree),
    (leaves, same): (&Range<usize>, bool),
    (reach, margin): (f64, &[f64]),
    out: &mut Vec<Near>,
) {
    let margin2 = margin2(reach);
    let mut gathered = Gathered::new();
    for leaf in leaves.clone() {
        others.query(&edges.around(leaf), margin2, if same { leaf } else { 0 }, |other| {
            edges.pairs(leaf, others, other, margin2, |e, f| {
                let ([p0, p1], [q0, q1]) = (surface.edges[e as usize], surface.edges[f as usize]);
                gathered.add((e.min(f), e.max(f)), (p0 != q0) & (p0 != q1) & (p1 != q0) & (p1 != q1));
            });
            for &(e, f) in gathered.take() {
                let (ends, others) = (surface.edges[e as usize], surface.edges[f as usize]);
                let ([p0, p1], [q0, q1]) = (ends.map(|v| &x[v as usize]), others.map(|v| &x[v as usize]));
                let distance2 = edge_edge(p0, p1, q0, q1).distance2;
                let near = reach + most(margin, &ends) + most(margin, &others);
                if distance2 <= near * near {
                    out.push(Near { a: e, b: f, distance: root_below(distance2) });
                }
            }
        });
    }
}

/// Sorts the parts by `a`, then by `b`, into `out`; `a` is below `keys`. By counting, so in linear time.
fn sort_into(out: &mut Vec<Near>, parts: &[Vec<Near>], starts: &mut Vec<u32>, keys: usize) {
    starts.clear();
    starts.resize(keys + 1, 0);
    for near in parts.iter().flatten() {
        starts[near.a as usize + 1] += 1;
    }
    for k in 0..keys {
        starts[k + 1] += starts[k];
    }
    let total = starts[keys] as usize;
    out.resize(total, Near::default());
    for near in parts.iter().flatten() {
        let place = &mut starts[near.a as usize];
        out[*place as usize] = *near;
        *place += 1;
    }
    // Each start has moved to the end of its run.
    let mut first = 0;
    for last in &starts[..keys] {
        let run = &mut out[first..*last as usize];
        if run.len() > 1 {
            run.sort_unstable_by_key(|n| n.b);
        }
        first = *last as usize;
    }
}

#[cfg(test)]
mod tests;
