//! Refinement of triangles, and surfaces moved along their normals.

use super::{Materials, Source, TriMesh};
use crate::linalg::Vec3;
use std::collections::BTreeMap;

/// Cuts each triangle `t` into four, `levels[t]` times. Vertices of the mesh keep their indices. New ones lie at
/// midpoints of edges, with the mean of their channels and the groups of both ends. Neighbours of triangles that are
/// cut more often are cut into two or three, so that no vertex lies on an edge. If neighbours differ by no more than
/// one level ([`graded`]), no triangle is cut so twice.
pub fn refine(mesh: &TriMesh, levels: &[u8]) -> TriMesh {
    let mut mesh = mesh.clone();
    let mut levels = levels.to_vec();
    // The triangles are no longer those of the file.
    mesh.source = Source::default();
    for round in 1..=levels.iter().copied().max().unwrap_or(0) {
        let cut: Vec<bool> = levels.iter().map(|level| *level >= round).collect();
        let (middles, uv_middles) = (middles(&mesh, &cut), uv_middles(&mesh, &cut));
        let (mut triangles, mut uv_triangles, mut inherited) = (Vec::new(), Vec::new(), Vec::new());
        let (mut materials, mut origins) = (Materials::default(), Materials::default());
        let (first, uv_first) = (mesh.positions.len() as u32, mesh.uv.len() as u32);
        for (t, tri) in mesh.triangles.iter().enumerate() {
            let middle = [0, 1, 2].map(|k| middles.get(&side(tri, k)).map(|m| first + m));
            let pieces = pieces(&mesh.positions, tri, &middle);
            materials.add(mesh.materials.of(t), pieces.len());
            origins.add(mesh.origins.of(t), pieces.len());
            for piece in &pieces {
                triangles.push(piece.map(|corner| corner.of(tri, &middle)));
                inherited.push(levels[t]);
            }
            if let Some(uv) = mesh.uv_triangles.get(t) {
                let uv_middle = [0, 1, 2].map(|k| uv_middles.get(&side(uv, k)).map(|m| uv_first + m));
                uv_triangles.extend(pieces.iter().map(|piece| piece.map(|corner| corner.of(uv, &uv_middle))));
            }
        }
        extend(&mut mesh, &middles);
        let mut added: Vec<(u32, [u32; 2])> = uv_middles.iter().map(|(ends, k)| (*k, *ends)).collect();
        added.sort_unstable();
        for (_, [a, b]) in added {
            mesh.uv.push((mesh.uv[a as usize] + mesh.uv[b as usize]) / 2.0);
        }
        (mesh.triangles, mesh.uv_triangles, levels) = (triangles, uv_triangles, inherited);
        (mesh.materials, mesh.origins) = (materials.tidy(), origins.tidy());
    }
    mesh
}

/// Returns levels for [`refine`]: `most` where `wanted`, and one less in each further ring of triangles, also across
/// joined borders.
pub fn graded(mesh: &TriMesh, most: u8, wanted: impl Fn(&[u32; 3]) -> bool) -> Vec<u8> {
    let mut levels: Vec<u8> = mesh.triangles.iter().map(|t| if wanted(t) { most } else { 0 }).collect();
    let joined = mesh.joined_triangles();
    for _ in 1..most {
        let mut highest = vec![0; mesh.positions.len()];
        for (t, level) in joined.iter().zip(&levels) {
            for v in t {
                highest[*v as usize] = (*level).max(highest[*v as usize]);
            }
        }
        for (t, level) in joined.iter().zip(&mut levels) {
            let around: u8 = t.iter().map(|v| highest[*v as usize]).max().unwrap_or(0);
            *level = (*level).max(around.saturating_sub(1));
        }
    }
    levels
}

/// Moves every vertex by `by` [m] along its normal, the area-weighted mean of the triangles there. A negative `by`
/// moves inward.
pub fn offset(mesh: &mut TriMesh, by: f64) {
    let mut normals = vec![Vec3::zeros(); mesh.positions.len()];
    for t in mesh.joined_triangles() {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        t.iter().for_each(|v| normals[*v as usize] += (b - a).cross(&(c - a)));
    }
    for v in 0..mesh.positions.len() {
        let normal = normals[mesh.joined.get(v).map_or(v, |first| *first as usize)];
        mesh.positions[v] += normal.try_normalize(0.0).unwrap_or_default() * by;
    }
}

/// Returns the ends of side `k` of a triangle, opposite to its corner `k`, the lower one first.
fn side(t: &[u32; 3], k: usize) -> [u32; 2] {
    let (a, b) = (t[(k + 1) % 3], t[(k + 2) % 3]);
    [a.min(b), a.max(b)]
}

/// Numbers the edges of triangles that are cut, and the edges joined to them, in order.
fn middles(mesh: &TriMesh, cut: &[bool]) -> BTreeMap<[u32; 2], u32> {
    let joined = mesh.joined_triangles();
    let mut wanted: Vec<[u32; 2]> =
        joined.iter().zip(cut).filter(|(_, cut)| **cut).flat_map(|(t, _)| [0, 1, 2].map(|k| side(t, k))).collect();
    wanted.sort_unstable();
    wanted.dedup();
    if mesh.joined.is_empty() {
        return wanted.into_iter().zip(0..).collect();
    }
    let is_cut = |t: &[u32; 3], k: usize| wanted.binary_search(&side(t, k)).is_ok();
    let both = mesh.triangles.iter().zip(&joined);
    let mut sides: Vec<[u32; 2]> =
        both.flat_map(|(t, joined)| [0, 1, 2].map(|k| is_cut(joined, k).then(|| side(t, k)))).flatten().collect();
    sides.sort_unstable();
    sides.dedup();
    sides.into_iter().zip(0..).collect()
}

/// Numbers the chart edges of triangle sides that lie on a cut edge, in order.
fn uv_middles(mesh: &TriMesh, cut: &[bool]) -> BTreeMap<[u32; 2], u32> {
    let cut = middles(mesh, cut);
    let both = mesh.triangles.iter().zip(&mesh.uv_triangles);
    let mut sides: Vec<[u32; 2]> = both
        .flat_map(|(t, uv)| [0, 1, 2].map(|k| cut.contains_key(&side(t, k)).then(|| side(uv, k))))
        .flatten()
        .collect();
    sides.sort_unstable();
    sides.dedup();
    sides.into_iter().zip(0..).collect()
}

/// Appends the vertices at midpoints of edges. Midpoints of joined edges are joined.
fn extend(mesh: &mut TriMesh, middles: &BTreeMap<[u32; 2], u32>) {
    if !mesh.joined.is_empty() {
        let mut first = BTreeMap::new();
        for (k, [a, b]) in (mesh.positions.len() as u32..).zip(middles.keys()) {
            let [a, b] = [a, b].map(|v| mesh.joined[*v as usize]);
            mesh.joined.push(*first.entry([a.min(b), a.max(b)]).or_insert(k));
        }
    }
    for (k, [a, b]) in (mesh.positions.len() as u32..).zip(middles.keys()) {
        let (p, q) = (mesh.positions[*a as usize], mesh.positions[*b as usize]);
        mesh.positions.push((p + q) / 2.0);
        for values in mesh.channels.values_mut() {
            values.push((values[*a as usize] + values[*b as usize]) / 2.0);
        }
        for group in mesh.groups.values_mut() {
            if [a, b].iter().all(|v| group.binary_search(v).is_ok()) {
                group.push(k);
            }
        }
    }
}

/// Corner of a piece: a corner of the triangle, or the midpoint of the side opposite to one.
#[derive(Clone, Copy)]
enum Corner {
    Own(usize),
    Middle(usize),
}

impl Corner {
    fn of(self, t: &[u32; 3], middle: &[Option<u32>; 3]) -> u32 {
        match self {
            Corner::Own(k) => t[k],
            Corner::Middle(k) => middle[k].unwrap_or(t[(k + 1) % 3]),
        }
    }
}

/// Returns the pieces of a triangle of which some sides have a midpoint.
fn pieces(x: &[Vec3], t: &[u32; 3], middle: &[Option<u32>; 3]) -> Vec<[Corner; 3]> {
    use Corner::{Middle, Own};
    let cut = middle.iter().filter(|m| m.is_some()).count();
    match cut {
        0 => vec![[Own(0), Own(1), Own(2)]],
        1 => {
            let a = middle.iter().position(Option::is_some).unwrap_or(0);
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            vec![[Own(a), Own(b), Middle(a)], [Own(a), Middle(a), Own(c)]]
        }
        2 => {
            // Side `a` stays. The corner opposite to it is cut off, and the rest is cut along its shorter diagonal.
            let a = middle.iter().position(Option::is_none).unwrap_or(0);
            let (b, c) = ((a + 1) % 3, (a + 2) % 3);
            let at = |k: usize| x[t[k] as usize];
            let (on_c, on_b) = ((at(a) + at(b)) / 2.0, (at(a) + at(c)) / 2.0);
            let mut all = vec![[Own(a), Middle(c), Middle(b)]];
            if (on_c - at(c)).norm_squared() < (on_b - at(b)).norm_squared() {
                all.extend([[Middle(c), Own(b), Own(c)], [Middle(c), Own(c), Middle(b)]]);
            } else {
                all.extend([[Middle(c), Own(b), Middle(b)], [Middle(b), Own(b), Own(c)]]);
            }
            all
        }
        _ => vec![
            [Own(0), Middle(2), Middle(1)],
            [Own(1), Middle(0), Middle(2)],
            [Own(2), Middle(1), Middle(0)],
            [Middle(0), Middle(1), Middle(2)],
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec2;
    use crate::mesh::generate::{self, Diagonals, smallest_angle};
    use crate::mesh::topology::Topology;

    /// Counts the edges without exactly two triangles. A vertex on the edge of a neighbour would add three.
    fn borders(mesh: &TriMesh) -> usize {
        Topology::new(mesh.positions.len(), &mesh.triangles).edge_valence.iter().filter(|v| **v != 2).count()
    }

    fn area(mesh: &TriMesh) -> f64 {
        let corners = mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize]));
        corners.map(|[a, b, c]| (b - a).cross(&(c - a)).y / 2.0).sum()
    }

    fn uv_area(mesh: &TriMesh) -> f64 {
        let corners = mesh.uv_triangles.iter().map(|t| t.map(|k| mesh.uv[k as usize]));
        corners.map(|[a, b, c]: [Vec2; 3]| (b - a).perp(&(c - a)) / 2.0).sum()
    }

    #[test]
    fn a_sheet_is_cut_evenly() {
        let coarse = generate::sheet(6, 6, 1.0, 1.0, Diagonals::Alternating, generate::lying(1.0, 1.0));
        let mut mesh = coarse.clone();
        mesh.channels.insert("x".into(), mesh.positions.iter().map(|p| p.x).collect());
        mesh.groups.insert("left".into(), (0..36).filter(|v| mesh.positions[*v as usize].x < -0.49).collect());
        let fine = refine(&mesh, &vec![2; mesh.triangles.len()]);
        assert_eq!((fine.positions.len(), fine.triangles.len()), (21 * 21, 16 * 50));
        assert_eq!(fine.positions[..36], coarse.positions);
        assert_eq!((borders(&coarse), borders(&fine)), (20, 80));
        assert!((area(&fine) - 1.0).abs() < 1e-13 && (uv_area(&fine) - uv_area(&coarse)).abs() < 1e-13);
        assert!(fine.channels["x"].iter().zip(&fine.positions).all(|(x, p)| (x - p.x).abs() < 1e-15));
        assert_eq!(fine.groups["left"].len(), 21);
        assert!(fine.groups["left"].is_sorted());
    }

    #[test]
    fn what_is_cut_more_often_fits_what_is_not() {
        let mesh = generate::sheet(9, 9, 1.0, 1.0, Diagonals::Alternating, generate::lying(1.0, 1.0));
        let left = |t: &[u32; 3]| t.iter().all(|v| mesh.positions[*v as usize].x < 1e-9);
        for most in 1..4 {
            let levels = graded(&mesh, most, left);
            let fine = refine(&mesh, &levels);
            // Edges of one triangle are on the border only.
            let on_border = |p: &Vec3| p.x.abs().max(p.z.abs()) > 0.4999;
            assert_eq!(borders(&fine), fine.positions.iter().filter(|p| on_border(p)).count());
            assert!((area(&fine) - 1.0).abs() < 1e-13 && (uv_area(&fine) - uv_area(&mesh)).abs() < 1e-13);
            let finest =
                fine.triangles.iter().filter(|t| t.iter().all(|v| fine.positions[*v as usize].x < 1e-9)).count();
            assert_eq!(finest, 64 * 4usize.pow(u32::from(most)));
            // Halves of right triangles have the smallest angles.
            let angle = smallest_angle(&fine);
            assert!(angle > 18.4, "{angle}");
        }
    }

    #[test]
    fn an_offset_is_that_far_away() {
        let mut ball = generate::sphere(Vec3::zeros(), 0.5, 0.05);
        offset(&mut ball, 0.01);
        // The error of area-weighted normals goes with the squared edge length over the radius.
        assert!(ball.positions.iter().all(|p| (p.norm() - 0.51).abs() < 1e-4));
    }
}
