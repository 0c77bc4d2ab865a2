//! Flat pattern (chart) of a cloth, and joining of vertices at seams.

use super::{ClothInput, Rest};
use crate::linalg::{Vec2, Vec3};
use crate::mesh::TriMesh;
use crate::mesh::topology::Topology;

/// Relative difference of the lengths of a seam's sides above which they differ by design, not by rounding.
const EASE: f64 = 1e-6;

/// Merges joined vertices: keeps the first of each group. Returns the new index of each file vertex, or `None` if the
/// mesh has no joined vertices.
pub(super) fn join(input: &mut ClothInput) -> Option<Vec<u32>> {
    let ClothInput { mesh, weights, shrinks, bands, folds, .. } = input;
    if mesh.joined.len() != mesh.positions.len() {
        return None;
    }
    let first = std::mem::take(&mut mesh.joined);
    let kept: Vec<usize> = (0..first.len()).filter(|v| first[*v] as usize == *v).collect();
    let mut local = vec![0; first.len()];
    kept.iter().zip(0..).for_each(|(v, new)| local[*v] = new);
    let local: Vec<u32> = first.iter().map(|v| local[*v as usize]).collect();
    mesh.positions = kept.iter().map(|v| mesh.positions[*v]).collect();
    mesh.triangles.iter_mut().flatten().for_each(|v| *v = local[*v as usize]);
    for map in weights.all() {
        *map = kept.iter().filter_map(|v| map.get(*v).copied()).collect();
    }
    for parts in shrinks.iter_mut().map(|shrink| &mut shrink.parts) {
        *parts = kept.iter().filter_map(|v| parts.get(*v).copied()).collect();
    }
    for inside in bands.iter_mut().map(|band| &mut band.inside) {
        let mut any = vec![false; kept.len()];
        inside.iter().zip(&local).for_each(|(inside, v)| any[*v as usize] |= inside);
        *inside = any;
    }
    folds.iter_mut().flat_map(|fold| &mut fold.edges).flatten().for_each(|v| *v = local[*v as usize]);
    Some(local)
}

/// Returns warp and weft coordinates of a triangle's corners [m]. They come from the chart if `rest` asks for it and
/// the mesh has one, else from the start positions. The first axis is then the chart's `u` direction, or `warp`
/// projected onto the triangle if there is no chart.
pub(super) fn material_points(mesh: &TriMesh, warp: Vec3, rest: Rest, t: usize) -> [Vec2; 3] {
    let corners = mesh.triangles[t].map(|v| mesh.positions[v as usize]);
    let chart = mesh.uv_triangles.get(t).map(|uv| uv.map(|k| mesh.uv[k as usize]));
    if let (Some(chart), Rest::Chart) = (chart, rest) {
        return chart;
    }
    let (p, q) = (corners[1] - corners[0], corners[2] - corners[0]);
    let normal = p.cross(&q);
    let mut warp = warp;
    if let Some(uv) = chart {
        let (a, b) = (uv[1] - uv[0], uv[2] - uv[0]);
        let det = a.perp(&b);
        if det != 0.0 {
            warp = (p * b.y - q * a.y) / det;
        }
    }
    let laid = |w: &Vec3| w - normal * (normal.dot(w) / normal.norm_squared());
    let mut axis = laid(&warp);
    if axis.norm() <= 1e-6 * warp.norm() {
        // The warp is perpendicular to the triangle. The coordinate axis that is closest to its plane is used instead.
        let flattest = normal.iamin();
        axis = laid(&Vec3::ith(flattest, 1.0));
    }
    let first = axis.normalize();
    let second = normal.cross(&first).normalize();
    corners.map(|c| Vec2::new((c - corners[0]).dot(&first), (c - corners[0]).dot(&second)))
}

/// Returns the rest length of each edge. That of a seam whose sides differ is the shorter one.
pub(super) fn edge_lengths<'a>(
    topology: &'a Topology,
    mesh: &'a TriMesh,
    material: &'a [[Vec2; 3]],
) -> impl Iterator<Item = ([u32; 2], f64)> + 'a {
    topology.edges.iter().zip(&topology.edge_triangles).map(|(edge, triangles)| {
        let length = |t: usize| {
            let at = |v: u32| mesh.triangles[t].iter().position(|w| *w == v).map_or(Vec2::zeros(), |k| material[t][k]);
            (at(edge[0]) - at(edge[1])).norm()
        };
        let (first, other) = (length(triangles[0] as usize), triangles[1] as usize);
        let second = if other < mesh.triangles.len() { length(other) } else { first };
        (*edge, if second < (1.0 - EASE) * first { second } else { first })
    })
}
