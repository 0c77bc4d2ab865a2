//! Candidate pairs: every vertex-face and edge-edge pair without a common vertex within reach.
//!
//! Trees over each object's triangles give pairs of triangles; each vertex and edge belongs to one triangle that owns it, so
//! each pair of features is found once. The order of the lists is the same for any number of threads.

use super::closest::{edge_edge, point_triangle};
use super::surface::Surface;
use super::tree::{Box3, Tree};
use crate::linalg::{Vec3, par};

/// Two features and their distance when the list was built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Vertex, or first edge.
    pub a: u32,
    /// Triangle, or second edge.
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
    /// Of two objects [m].
    #[inline]
    pub fn of(&self, a: usize, b: usize) -> f64 {
        self.table[a * self.objects + b]
    }
}

/// The lists, with the trees that find them.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// Vertex and triangle.
    pub vertex_face: Vec<Near>,
    /// Edge and edge; the first has the lower index.
    pub edge_edge: Vec<Near>,
    trees: Vec<Tree>,
}

/// What one block of queries found.
#[derive(Default)]
struct Found {
    vertex_face: Vec<Near>,
    edge_edge: Vec<Near>,
}

/// Triangles per block of queries.
const QUERIES: usize = 256;

impl Candidates {
    /// Builds the trees' shapes from positions.
    pub fn new(x: &[Vec3], surface: &Surface) -> Candidates {
        let trees = surface
            .triangle_ranges
            .iter()
            .map(|range| {
                let centre = |t: usize| surface.triangles[t].iter().map(|v| x[*v as usize]).sum::<Vec3>() / 3.0;
                Tree::new(&range.clone().map(centre).collect::<Vec<_>>())
            })
            .collect();
        Candidates { trees, ..Candidates::default() }
    }

    /// Finds all pairs within reach at positions `x`.
    pub fn build(&mut self, x: &[Vec3], surface: &Surface, reach: &Reach) {
        let corner = |t: usize, k: usize| &x[surface.triangles[t][k] as usize];
        for (tree, range) in self.trees.iter_mut().zip(&surface.triangle_ranges) {
            tree.refit(|t| Box3::around((0..3).map(|k| corner(range.start + t, k)), 0.0));
        }
        let mut blocks = Vec::new();
        for i in 0..self.trees.len() {
            for j in i..self.trees.len() {
                if reach.of(i, j) < 0.0 {
                    continue;
                }
                // The smaller object asks the larger one's tree.
                let (a, b) = if self.trees[i].items.len() <= self.trees[j].items.len() { (i, j) } else { (j, i) };
                let slots = self.trees[a].items.len();
                blocks.extend((0..slots).step_by(QUERIES).map(|first| (a, b, first..(first + QUERIES).min(slots))));
            }
        }
        let trees = &self.trees;
        let parts = par::map_heavy(blocks.len(), |k| {
            let (a, b, slots) = &blocks[k];
            let mut found = Found::default();
            let near = reach.of(*a, *b);
            let (base_a, base_b) = (surface.triangle_ranges[*a].start, surface.triangle_ranges[*b].start);
            let whole = trees[*b].whole();
            for slot in slots.clone() {
                let s = base_a + trees[*a].items[slot] as usize;
                let query = Box3::around((0..3).map(|k| corner(s, k)), near);
                if !query.meets(&whole) {
                    continue;
                }
                trees[*b].query(&query, if a == b { slot + 1 } else { 0 }, |other| {
                    found.features(x, surface, s, base_b + trees[*b].items[other] as usize, near);
                });
            }
            found
        });
        self.vertex_face.clear();
        self.edge_edge.clear();
        for part in parts {
            self.vertex_face.extend(part.vertex_face);
            self.edge_edge.extend(part.edge_edge);
        }
    }
}

impl Found {
    /// The pairs of features that two triangles own.
    #[inline]
    fn features(&mut self, x: &[Vec3], surface: &Surface, s: usize, t: usize, reach: f64) {
        self.corners(x, surface, s, t, reach);
        self.corners(x, surface, t, s, reach);
        let (edges_s, count_s) = &surface.owned_edges[s];
        let (edges_t, count_t) = &surface.owned_edges[t];
        for e in &edges_s[..*count_s as usize] {
            let [p0, p1] = surface.edges[*e as usize];
            let (xp0, xp1) = (&x[p0 as usize], &x[p1 as usize]);
            for f in &edges_t[..*count_t as usize] {
                let [q0, q1] = surface.edges[*f as usize];
                if p0 == q0 || p0 == q1 || p1 == q0 || p1 == q1 {
                    continue;
                }
                let (xq0, xq1) = (&x[q0 as usize], &x[q1 as usize]);
                let apart = |k: usize| {
                    xp0[k].min(xp1[k]) - reach > xq0[k].max(xq1[k]) || xq0[k].min(xq1[k]) - reach > xp0[k].max(xp1[k])
                };
                if apart(0) || apart(1) || apart(2) {
                    continue;
                }
                let (a, b) = if e < f { (*e, *f) } else { (*f, *e) };
                let [a0, a1] = surface.edges[a as usize].map(|v| &x[v as usize]);
                let [b0, b1] = surface.edges[b as usize].map(|v| &x[v as usize]);
                let d2 = edge_edge(a0, a1, b0, b1).distance2;
                if d2 <= reach * reach {
                    self.edge_edge.push(Near { a, b, distance: below(d2) });
                }
            }
        }
    }

    /// The corners that triangle `s` owns against the face of triangle `t`.
    #[inline]
    fn corners(&mut self, x: &[Vec3], surface: &Surface, s: usize, t: usize, reach: f64) {
        let owned = surface.owned_corners[s];
        let face = &surface.triangles[t];
        for k in 0..3 {
            let v = surface.triangles[s][k];
            if owned & (1 << k) == 0 || face.contains(&v) {
                continue;
            }
            let [a, b, c] = face.map(|v| &x[v as usize]);
            let p = &x[v as usize];
            let apart = |k: usize| a[k].min(b[k]).min(c[k]) - reach > p[k] || p[k] - reach > a[k].max(b[k]).max(c[k]);
            if apart(0) || apart(1) || apart(2) {
                continue;
            }
            let d2 = point_triangle(p, a, b, c).distance2;
            if d2 <= reach * reach {
                self.vertex_face.push(Near { a: v, b: t as u32, distance: below(d2) });
            }
        }
    }
}

/// The root, rounded to a number that is not larger.
fn below(distance2: f64) -> f32 {
    (distance2.sqrt() * (1.0 - 1e-6)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    type Objects = Vec<(Range<usize>, Vec<[u32; 3]>)>;

    /// A bumpy sheet, a soup of triangles and two large triangles.
    fn scene(seed: &mut u64) -> (Vec<Vec3>, Objects) {
        let n = 14u32;
        let mut x: Vec<Vec3> = (0..n * n)
            .map(|k| Vec3::new(f64::from(k % n) * 0.1, 0.12 * random(seed), f64::from(k / n) * 0.1))
            .collect();
        let quad = |i: u32| [[i, i + 1, i + n], [i + 1, i + n + 1, i + n]];
        let sheet = (0..n * (n - 1)).filter(|k| k % n != n - 1).flat_map(quad).collect();
        let first = x.len();
        x.extend((0..60).map(|_| Vec3::new(random(seed), 0.1 * random(seed), random(seed))));
        let soup = (0..20u32).map(|k| [0, 1, 2].map(|c| first as u32 + 3 * k + c)).collect();
        let plane = x.len();
        x.extend([[-50.0, -50.0], [50.0, -50.0], [50.0, 50.0], [-50.0, 50.0]].map(|[a, b]| Vec3::new(a, -0.1, b)));
        let p = plane as u32;
        let ground = vec![[p, p + 2, p + 1], [p, p + 3, p + 2]];
        let objects = vec![(0..first, sheet), (first..plane, soup), (plane..x.len(), ground)];
        (x, objects)
    }

    #[test]
    fn the_lists_are_those_of_the_exhaustive_search() {
        let mut seed = 77;
        for reach in [0.03, 0.15] {
            let (x, objects) = scene(&mut seed);
            let surface = Surface::new(&objects);
            let mut table = Reach { objects: 3, table: vec![reach; 9] };
            table.table[8] = -1.0;
            let mut candidates = Candidates::new(&x, &surface);
            candidates.build(&x, &surface, &table);
            let object_of = |t: usize| surface.triangle_ranges.iter().position(|r| r.contains(&t)).unwrap();
            let at = |v: u32| &x[v as usize];
            let mut vf = Vec::new();
            for v in 0..x.len() as u32 {
                for (t, f) in surface.triangles.iter().enumerate() {
                    let near = table.of(surface.object[v as usize] as usize, object_of(t));
                    let d = point_triangle(at(v), at(f[0]), at(f[1]), at(f[2])).distance2.sqrt();
                    if !f.contains(&v) && d <= near {
                        vf.push((v, t as u32));
                    }
                }
            }
            let mut ee = Vec::new();
            for (i, a) in surface.edges.iter().enumerate() {
                for (j, b) in surface.edges.iter().enumerate().skip(i + 1) {
                    let near = table.of(surface.object[a[0] as usize] as usize, surface.object[b[0] as usize] as usize);
                    let d = edge_edge(at(a[0]), at(a[1]), at(b[0]), at(b[1])).distance2.sqrt();
                    if !a.contains(&b[0]) && !a.contains(&b[1]) && d <= near {
                        ee.push((i as u32, j as u32));
                    }
                }
            }
            assert!(vf.len() > 100 && ee.len() > 100);
            let sorted = |list: &[Near]| {
                let mut pairs: Vec<_> = list.iter().map(|n| (n.a, n.b)).collect();
                pairs.sort_unstable();
                pairs
            };
            assert_eq!(sorted(&candidates.vertex_face), vf);
            assert_eq!(sorted(&candidates.edge_edge), ee);
        }
    }
}
