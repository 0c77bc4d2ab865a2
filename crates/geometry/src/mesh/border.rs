//! Borders of a mesh that are to be sewn together: chains of border edges, and pairs of their vertices.

use crate::linalg::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::seam::{Seam, coincident};
use crate::mesh::topology::Topology;
use std::collections::{BTreeMap, BTreeSet};

/// Piece of a border, in the direction of its triangles.
#[derive(Clone, Debug, PartialEq)]
struct Chain {
    vertices: Vec<u32>,
    /// Arc length at each vertex [m], and at the end of the last edge of a closed one.
    along: Vec<f64>,
    closed: bool,
}

impl Chain {
    fn length(&self) -> f64 {
        self.along.last().copied().unwrap_or_default()
    }

    /// Returns the chain against the direction of its triangles. A closed one begins at the same vertex.
    fn reversed(&self) -> Chain {
        let mut vertices = self.vertices.clone();
        vertices.reverse();
        if self.closed {
            vertices.rotate_right(1);
        }
        let along = self.along.iter().rev().map(|s| self.length() - s).collect();
        Chain { vertices, along, closed: self.closed }
    }

    /// Returns the closed chain from its `k`-th vertex on.
    fn from(&self, k: usize) -> Chain {
        let n = self.vertices.len();
        let mut vertices = self.vertices.clone();
        vertices.rotate_left(k);
        let at = |i: usize| self.along[i % n] + if i >= n { self.length() } else { 0.0 } - self.along[k];
        Chain { vertices, along: (k..=k + n).map(at).collect(), closed: true }
    }
}

/// Returns directed border edges: the next vertex of each.
fn next(mesh: &TriMesh) -> Vec<[u32; 2]> {
    let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
    let mut edges = Vec::new();
    for (t, sides) in mesh.triangles.iter().zip(&topology.triangle_edges) {
        for k in 0..3 {
            let pair = [t[k], t[(k + 1) % 3]];
            let known = |edge: &u32| {
                let [a, b] = topology.edges[*edge as usize];
                [a, b] == pair || [b, a] == pair
            };
            if sides.iter().find(|edge| known(edge)).is_some_and(|edge| topology.edge_valence[*edge as usize] == 1) {
                edges.push(pair);
            }
        }
    }
    edges
}

/// Returns the one piece of border whose vertices are all in a group.
fn chain(x: &[Vec3], edges: &[[u32; 2]], group: &[u32]) -> Result<Chain, String> {
    let own: BTreeSet<u32> = group.iter().copied().collect();
    let mut after: BTreeMap<u32, u32> = BTreeMap::new();
    let mut ends: BTreeSet<u32> = BTreeSet::new();
    for [a, b] in edges.iter().filter(|edge| edge.iter().all(|v| own.contains(v))) {
        if after.insert(*a, *b).is_some() {
            return Err(format!("its border branches at vertex {a}"));
        }
        if !ends.insert(*b) {
            return Err(format!("its border branches at vertex {b}"));
        }
    }
    let starts: Vec<u32> = after.keys().copied().filter(|v| !ends.contains(v)).collect();
    let closed = starts.is_empty();
    let Some(first) = starts.first().or_else(|| after.keys().next()).copied() else {
        return Err("no edge of a border has both its ends in it".to_string());
    };
    let (mut vertices, mut along, mut at, mut s) = (vec![first], vec![0.0], first, 0.0);
    while let Some(to) = after.get(&at).copied() {
        s += (x[to as usize] - x[at as usize]).norm();
        along.push(s);
        if to == first {
            break;
        }
        vertices.push(to);
        at = to;
    }
    let edges_of = if closed { vertices.len() } else { vertices.len() - 1 };
    if edges_of < after.len() {
        return Err("its border is in several pieces; a seam needs one: give each piece a group of its own".to_string());
    }
    Ok(Chain { vertices, along, closed })
}

/// Pairs the vertices of two borders by arc length. Sides whose numbers of vertices differ leave some of the longer
/// list free. `sides` are groups of vertices. `flip` pairs the second side in the other direction, for a seam that
/// turns one side over. Returns the seam and the number of vertices that stay free.
///
/// # Errors
/// Fails if the edges of a side are not one piece of border, or one side is closed and the other is not.
pub fn between(mesh: &TriMesh, name: &str, sides: [&[u32]; 2], flip: bool) -> Result<(Seam, usize), (usize, String)> {
    let (x, edges) = (&mesh.positions, next(mesh));
    let side = |k: usize| chain(x, &edges, sides[k]).map_err(|what| (k, what));
    let (a, b) = (side(0)?, side(1)?);
    let known: BTreeSet<u32> = a.vertices.iter().copied().collect();
    if b.vertices.iter().filter(|v| known.contains(v)).count() > 1 {
        return Err((1, "it is the same border as the other side, or a part of it".to_string()));
    }
    if a.closed != b.closed {
        return Err((1, "one side goes around a hole and the other does not; give both the same kind".to_string()));
    }
    let mut b = if flip { b } else { b.reversed() };
    let mut a = a;
    if a.closed {
        let far = |i: usize, j: usize| (x[a.vertices[i] as usize] - x[b.vertices[j] as usize]).norm();
        let all = (0..a.vertices.len()).flat_map(|i| (0..b.vertices.len()).map(move |j| (i, j)));
        let (i, j) = all.min_by(|p, q| far(p.0, p.1).total_cmp(&far(q.0, q.1))).unwrap_or_default();
        (a, b) = (a.from(i), b.from(j));
    }
    let turned = a.vertices.len() > b.vertices.len();
    let (few, many) = if turned { (&b, &a) } else { (&a, &b) };
    let mut pairs = Vec::with_capacity(few.vertices.len());
    let part = |chain: &Chain, k: usize| chain.along[k] / chain.length().max(f64::MIN_POSITIVE);
    let (count, left) = (few.vertices.len(), many.vertices.len());
    let mut from = 0;
    for k in 0..count {
        // Enough are left for those that follow.
        let most = left - (count - k);
        let near = |j: &usize| (part(many, *j) - part(few, k)).abs();
        let j = (from..=most).min_by(|p, q| near(p).total_cmp(&near(q))).unwrap_or(most);
        from = j + 1;
        let pair = [few.vertices[k], many.vertices[j]];
        pairs.push(if turned { [pair[1], pair[0]] } else { pair });
    }
    // Sides that meet at a corner share it.
    pairs.retain(|[a, b]| a != b);
    Ok((seam(mesh, name, pairs, [a.length(), b.length()]), left - count))
}

/// Returns a seam. It has at least the length of the edges at its pairs, so that a single pair, too, is drawn.
fn seam(mesh: &TriMesh, name: &str, pairs: Vec<[u32; 2]>, lengths: [f64; 2]) -> Seam {
    let (x, ends) = (&mesh.positions, pairs.iter().flatten().copied().collect::<BTreeSet<u32>>());
    let sides = mesh.triangles.iter().flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
    let at = sides.filter(|side| side.iter().any(|v| ends.contains(v)));
    let (sum, count) =
        at.fold((0.0, 0usize), |(sum, count), [a, b]| (sum + (x[a as usize] - x[b as usize]).norm(), count + 1));
    let least = sum / count.max(1) as f64 * pairs.len().max(2).saturating_sub(1) as f64;
    Seam { name: name.to_string(), pairs, lengths: lengths.map(|own| if own < 0.1 * least { least } else { own }) }
}

/// Returns the seam of given pairs. Lengths are those of the ways along them.
pub fn of_pairs(mesh: &TriMesh, name: &str, pairs: Vec<[u32; 2]>) -> Seam {
    let x = &mesh.positions;
    let way =
        |side: usize| pairs.windows(2).map(|w| (x[w[1][side] as usize] - x[w[0][side] as usize]).norm()).sum::<f64>();
    let lengths = [way(0), way(1)];
    seam(mesh, name, pairs, lengths)
}

/// Returns the seam of all border vertices that coincide. Its length is that of the border edges between them.
pub fn of_coincident(mesh: &TriMesh, name: &str) -> Seam {
    let pairs = coincident(mesh);
    let second: BTreeSet<u32> = pairs.iter().map(|[_, b]| *b).collect();
    let x = &mesh.positions;
    let own = next(mesh).into_iter().filter(|edge| edge.iter().all(|v| second.contains(v)));
    let length: f64 = own.map(|[a, b]| (x[a as usize] - x[b as usize]).norm()).sum();
    seam(mesh, name, pairs, [length; 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::{Diagonals, lying, sheet};

    /// Two sheets side by side, of `rows` rows each.
    fn two(rows: [usize; 2]) -> (TriMesh, [Vec<u32>; 2]) {
        let part = |rows: usize| sheet(5, rows + 1, 1.0, 1.0, Diagonals::Aligned, lying(1.0, 1.0));
        let mut mesh = part(rows[0]);
        let count = mesh.positions.len() as u32;
        let other = part(rows[1]);
        mesh.positions.extend(other.positions.iter().map(|p| p + Vec3::new(1.2, 0.0, 0.0)));
        mesh.triangles.extend(other.triangles.iter().map(|t| t.map(|v| v + count)));
        let at = |x: f64| {
            let on = |p: &Vec3| (p.x - x).abs() < 1e-9;
            (0..).zip(&mesh.positions).filter(|(_, p)| on(p)).map(|(v, _)| v).collect::<Vec<u32>>()
        };
        let lowest = mesh.positions.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
        let sides = [at(lowest + 1.0), at(lowest + 1.2)];
        (mesh, sides)
    }

    #[test]
    fn borders_that_face_each_other_meet_without_a_twist() {
        let (mesh, [a, b]) = two([6, 6]);
        let (seam, free) = between(&mesh, "middle", [&a, &b], false).unwrap();
        assert_eq!((seam.pairs.len(), free), (7, 0));
        assert!(seam.lengths.iter().all(|l| (l - 1.0).abs() < 1e-12));
        for [p, q] in &seam.pairs {
            assert!((mesh.positions[*p as usize].z - mesh.positions[*q as usize].z).abs() < 1e-12);
        }
        let (flipped, _) = between(&mesh, "middle", [&a, &b], true).unwrap();
        let [p, q] = flipped.pairs[0];
        assert!((mesh.positions[p as usize].z - mesh.positions[q as usize].z).abs() > 0.9);
    }

    #[test]
    fn the_longer_list_leaves_some_free() {
        let (mesh, [a, b]) = two([10, 6]);
        let (seam, free) = between(&mesh, "middle", [&a, &b], false).unwrap();
        assert_eq!((seam.pairs.len(), free), (7, 4));
        let distinct: BTreeSet<u32> = seam.pairs.iter().flatten().copied().collect();
        assert_eq!(distinct.len(), 14);
        for [p, q] in &seam.pairs {
            // Half an edge of the finer side.
            assert!((mesh.positions[*p as usize].z - mesh.positions[*q as usize].z).abs() < 0.051);
        }
    }

    #[test]
    fn a_group_in_two_pieces_or_inside_is_refused() {
        let (mesh, [a, b]) = two([6, 6]);
        let both: Vec<u32> = a.iter().chain(&b).copied().collect();
        let (side, what) = between(&mesh, "s", [&a, &both], false).unwrap_err();
        assert!(side == 1 && what.contains("several pieces"), "{what}");
        let inside: Vec<u32> = vec![a[3]];
        assert!(between(&mesh, "s", [&inside, &b], false).unwrap_err().1.contains("no edge of a border"));
    }

    /// Two squares meet at one vertex; a group holds the border of one and an edge of the other that ends there.
    #[test]
    fn a_border_that_runs_into_a_ring_is_refused() {
        let positions: Vec<Vec3> = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]]
            .map(|[x, z]| Vec3::new(x, 0.0, z))
            .to_vec();
        let triangles = vec![[0, 1, 2], [0, 2, 3], [2, 4, 5], [2, 5, 6]];
        let mesh = TriMesh { positions, triangles, ..TriMesh::default() };
        for more in [4, 6] {
            let (side, what) = between(&mesh, "s", [&[0, 1, 2, 3, more], &[4, 5]], false).unwrap_err();
            assert!(side == 0 && what.contains("branches at vertex 2"), "{what}");
        }
    }

    #[test]
    fn single_pairs_have_a_length() {
        let (mesh, [a, b]) = two([4, 4]);
        let seam = of_pairs(&mesh, "s", vec![[a[0], b[0]]]);
        // Edges of 25 cm and their diagonal.
        assert!(seam.lengths.iter().all(|l| (0.25..0.36).contains(l)), "{seam:?}");
    }

    #[test]
    fn tubes_are_sewn_all_around() {
        let n = 12u32;
        let ring = |y: f64, shift: f64| {
            (0..n).map(move |k| {
                let angle = std::f64::consts::TAU * (f64::from(k) + shift) / f64::from(n);
                Vec3::new(angle.cos(), y, angle.sin())
            })
        };
        let positions: Vec<Vec3> =
            ring(0.0, 0.0).chain(ring(0.5, 0.0)).chain(ring(0.6, 5.2)).chain(ring(1.0, 5.2)).collect();
        let band = |first: u32| {
            (0..n).flat_map(move |k| {
                let l = (k + 1) % n;
                [[first + k, first + n + k, first + n + l], [first + k, first + n + l, first + l]]
            })
        };
        let mesh = TriMesh { positions, triangles: band(0).chain(band(2 * n)).collect(), ..TriMesh::default() };
        let sides = [(n..2 * n).collect::<Vec<u32>>(), (2 * n..3 * n).collect()];
        let (seam, free) = between(&mesh, "around", [&sides[0], &sides[1]], false).unwrap();
        assert_eq!((seam.pairs.len(), free), (12, 0));
        for [p, q] in &seam.pairs {
            // A fifth of an edge of half a metre, and 10 cm between the rims.
            let far = (mesh.positions[*p as usize] - mesh.positions[*q as usize]).norm();
            assert!(far < 0.15, "{far}");
        }
    }
}
