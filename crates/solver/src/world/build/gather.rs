//! Gathers: cloth beside a seam whose other side is shorter.
//!
//! Both sides of a seam have as many vertices, so the longer one cannot fold between two of them. Its folds there are
//! finer than the mesh: they are lengths that the rest shape loses. At the seam the longer border rests as long as the
//! shorter one; the difference fades with the distance from the seam. Cloth keeps the mass that was cut.

use super::ClothInput;
use super::chart::material_points;
use crate::linalg::{Mat2, Mat3, Vec2, Vec3};
use crate::mesh::seam::Seam;
use crate::mesh::topology::Topology;
use crate::world::keyed::Ramp;
use std::collections::{BTreeSet, HashMap};

/// Number of changes of the rest shape while a gather grows. Each builds a new world.
const CHANGES: f64 = 40.0;

/// Strip of cloth whose lengths at rest shrink along a seam.
#[derive(Clone, Debug, PartialEq)]
pub struct Gather {
    /// Triangles of the file, each with the factors of its sides' lengths at the end. Side `k` begins at corner `k`.
    pub sides: Vec<(u32, [f64; 3])>,
    /// Time in which it grows.
    pub ramp: Ramp,
}

/// Edge of a border, with its factor of the length at rest.
struct Edge {
    ends: [Vec3; 2],
    factor: f64,
}

impl Gather {
    /// Returns the part of the change that has taken place at a time.
    pub fn part(&self, time: f64) -> f64 {
        (self.ramp.part(time) * CHANGES).floor() / CHANGES
    }

    /// Returns the strip beside a seam of an unjoined cloth, `depth` wide [m]. It is empty if no side is longer.
    pub fn new(input: &ClothInput, seam: &Seam, depth: f64, ramp: Ramp) -> Gather {
        let mesh = &input.mesh;
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        let triangle_of: HashMap<[u32; 2], u32> =
            topology.edges.iter().zip(&topology.edge_triangles).map(|(edge, own)| (*edge, own[0])).collect();
        let length = |a: u32, b: u32| {
            let t = *triangle_of.get(&[a.min(b), a.max(b)])?;
            let points = material_points(mesh, input.warp, input.rest, t as usize);
            let at = |v: u32| mesh.triangles[t as usize].iter().position(|w| *w == v).map(|k| points[k]);
            Some((at(a)? - at(b)?).norm())
        };
        let mut edges: [Vec<Edge>; 2] = Default::default();
        for pair in seam.pairs.windows(2) {
            let ends = [0, 1].map(|side| [pair[0][side], pair[1][side]]);
            let [Some(first), Some(second)] = ends.map(|[a, b]| length(a, b)) else { continue };
            for (side, factor) in [second / first, first / second].into_iter().enumerate() {
                if factor < 1.0 {
                    edges[side].push(Edge { ends: ends[side].map(|v| mesh.positions[v as usize]), factor });
                }
            }
        }
        let mut sides = Vec::new();
        for (side, edges) in edges.iter().enumerate().filter(|(_, edges)| !edges.is_empty()) {
            let border = seam.pairs.iter().map(|pair| pair[side]);
            for t in strip(input, border, edges, depth) {
                let corners = mesh.triangles[t as usize].map(|v| mesh.positions[v as usize]);
                let factors = [0, 1, 2].map(|k| factor(edges, [corners[k], corners[(k + 1) % 3]], depth));
                sides.push((t, factors));
            }
        }
        Gather { sides, ramp }
    }
}

/// Returns the triangles that reach into a strip beside a border, in order.
fn strip(input: &ClothInput, border: impl Iterator<Item = u32>, edges: &[Edge], depth: f64) -> BTreeSet<u32> {
    let mesh = &input.mesh;
    let mut around: HashMap<u32, Vec<u32>> = HashMap::new();
    for (triangle, t) in mesh.triangles.iter().zip(0..) {
        triangle.iter().for_each(|v| around.entry(*v).or_default().push(t));
    }
    let mut next: Vec<u32> = border.collect();
    let mut seen: BTreeSet<u32> = next.iter().copied().collect();
    let mut found = BTreeSet::new();
    while let Some(v) = next.pop() {
        for t in around.get(&v).into_iter().flatten() {
            found.insert(*t);
            let near = |w: &&u32| nearest(edges, &mesh.positions[**w as usize]).is_some_and(|(d, _)| d < depth);
            let fresh: Vec<u32> =
                mesh.triangles[*t as usize].iter().filter(near).copied().filter(|w| seen.insert(*w)).collect();
            next.extend(fresh);
        }
    }
    found
}

/// Returns the distance of the nearest edge of a border, and the edge.
fn nearest<'a>(edges: &'a [Edge], p: &Vec3) -> Option<(f64, &'a Edge)> {
    let distance = |edge: &Edge| {
        let [a, b] = edge.ends;
        let along = (b - a) * ((p - a).dot(&(b - a)) / (b - a).norm_squared()).clamp(0.0, 1.0);
        (p - a - along).norm()
    };
    edges.iter().map(|edge| (distance(edge), edge)).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// Returns the factor of the length of a side between two points: that of the border along it, none across.
fn factor(edges: &[Edge], [a, b]: [Vec3; 2], depth: f64) -> f64 {
    let Some((distance, edge)) = nearest(edges, &(0.5 * (a + b))) else { return 1.0 };
    let along = 1.0 + (edge.factor - 1.0) * (1.0 - distance / depth).max(0.0);
    let cosine = (b - a).normalize().dot(&(edge.ends[1] - edge.ends[0]).normalize());
    (1.0 + (along * along - 1.0) * cosine * cosine).sqrt()
}

/// Returns warp and weft coordinates of a triangle whose sides have these factors of their lengths. The change has no
/// rotation. Lengths that no triangle has leave it as it is.
pub(super) fn resized(points: &[Vec2; 3], factors: &[f64; 3]) -> [Vec2; 3] {
    let side = |k: usize| points[(k + 1) % 3] - points[k];
    // Metric `G` with `e^T G e` of each side `e` as asked; the change is its root.
    let rows = [0, 1, 2].map(side).map(|e| [e.x * e.x, 2.0 * e.x * e.y, e.y * e.y]);
    let squares = Vec3::from_fn(|k, _| (factors[k] * side(k).norm()).powi(2));
    let Some(inverse) = Mat3::from_fn(|i, j| rows[i][j]).try_inverse() else { return *points };
    let metric = inverse * squares;
    let (sum, product) = (metric.x + metric.z, metric.x * metric.z - metric.y * metric.y);
    if !(sum > 0.0 && product > 0.0) {
        return *points;
    }
    let root = product.sqrt();
    let change =
        (Mat2::new(metric.x, metric.y, metric.y, metric.z) + Mat2::identity() * root) / (sum + 2.0 * root).sqrt();
    points.map(|p| change * p)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;

    /// Makes a cloth of two strips of 4 x 6 cells, 10 and 12 mm long and 10 mm high, whose sides face each other.
    fn strips() -> (ClothInput, Seam) {
        let mut mesh = TriMesh::default();
        for (long, away) in [(0.010, -1.0), (0.012, 1.0)] {
            let first = mesh.positions.len() as u32;
            for (row, column) in (0..=6u32).flat_map(|row| (0..=4u32).map(move |column| (row, column))) {
                let y = away * (0.02 + 0.01 * f64::from(row));
                mesh.positions.push(Vec3::new(long * (f64::from(column) - 2.0), y, 0.0));
            }
            for (row, column) in (0..6u32).flat_map(|row| (0..4u32).map(move |column| (row, column))) {
                let [a, b, c] = [0, 1, 5].map(|more| first + 5 * row + column + more);
                mesh.triangles.extend([[a, b, c + 1], [a, c + 1, c]]);
            }
        }
        let pairs: Vec<[u32; 2]> = (0..5).map(|k| [k, 35 + k]).collect();
        let seam = Seam { name: "seam".to_string(), pairs, lengths: [0.04, 0.048] };
        (ClothInput::plain(mesh, 100.0, 0.1), seam)
    }

    /// The longer border gets the lengths of the shorter one, rows beside it a part of the change in proportion to
    /// their distance, sides across it none. The shorter side keeps its shape.
    #[test]
    fn lengths_along_a_seam_fade_with_the_distance() {
        let (input, seam) = strips();
        let gather = Gather::new(&input, &seam, 0.03, Ramp { from: 0.0, over: 1.0 });
        assert!(!gather.sides.is_empty());
        for (t, factors) in &gather.sides {
            let corners = input.mesh.triangles[*t as usize];
            for (k, factor) in factors.iter().enumerate() {
                let ends = [corners[k], corners[(k + 1) % 3]].map(|v| input.mesh.positions[v as usize]);
                assert!(ends[0].y > 0.0, "the shorter side");
                let row = 0.5 * (ends[0].y + ends[1].y) - 0.02;
                let wanted = 1.0 - (1.0 - 10.0 / 12.0) * (1.0 - row / 0.03).max(0.0);
                if ends[0].y == ends[1].y {
                    assert!((factor - wanted).abs() < 1e-12, "{row}: {factor} not {wanted}");
                } else if ends[0].x == ends[1].x {
                    assert!((factor - 1.0).abs() < 1e-12, "{factor}");
                }
            }
        }
        // All rows up to the depth are among them: three of the cells, and their border to the fourth.
        assert!(gather.sides.len() >= 24, "{}", gather.sides.len());
    }

    /// A triangle gets the lengths that are asked for; lengths that no triangle has leave it as it is.
    #[test]
    fn a_triangle_gets_its_lengths() {
        let points = [Vec2::new(0.3, 0.1), Vec2::new(1.4, 0.2), Vec2::new(0.6, 1.3)];
        let length = |points: &[Vec2; 3], k: usize| (points[(k + 1) % 3] - points[k]).norm();
        for factors in [[1.0, 1.0, 1.0], [0.8, 1.0, 0.95], [0.9, 1.1, 0.7]] {
            let changed = resized(&points, &factors);
            for (k, factor) in factors.iter().enumerate() {
                assert!((length(&changed, k) - factor * length(&points, k)).abs() < 1e-12);
            }
        }
        assert_eq!(resized(&points, &[3.0, 1.0, 1.0]), points);
    }

    /// A gather grows in equal parts, from its time on.
    #[test]
    fn it_grows_in_parts() {
        let gather = Gather { sides: Vec::new(), ramp: Ramp { from: 1.0, over: 2.0 } };
        assert_eq!([0.0, 1.0, 1.01, 2.0, 3.0, 9.0].map(|t| gather.part(t)), [0.0, 0.0, 0.0, 0.5, 1.0, 1.0]);
    }
}
