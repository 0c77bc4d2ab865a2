//! Constrained, refined Delaunay triangulation of a panel.

use super::sample::Border;
use super::smooth::{Flat, smoothed};
use crate::linalg::Vec2;
use spade::handles::FixedVertexHandle;
use spade::{AngleLimit, ConstrainedDelaunayTriangulation, Point2, RefinementParameters, Triangulation};
use std::collections::BTreeSet;

/// Largest area of a triangle, in squares of the edge length: the mean edge is then about the edge length.
const AREA: f64 = 0.65;
/// Smallest angle that refinement aims at [deg].
const ANGLE: f64 = 30.0;

/// Distance from inner lines that other vertices keep, in edge lengths.
const CLEAR: f64 = 0.5;

/// Triangulation of the plane.
type Cdt = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// Triangulates a panel at an edge length `h` [m].
///
/// # Errors
/// Fails where loops touch or cross once they are sampled: with the two vertices of a piece of the border there, or a
/// single one.
pub(super) fn triangulate(border: &Border, h: f64) -> Result<Flat, Vec<u32>> {
    let rims = rims(border);
    let mut lines: Vec<[u32; 2]> = Vec::new();
    for (_, line) in &border.lines {
        lines.extend(line.windows(2).map(|w| [w[0].min(w[1]), w[0].max(w[1])]));
    }
    lines.sort_unstable();
    lines.dedup();
    lines.retain(|piece| !rims.contains(piece));
    // Inner lines are left out of the refinement: it tells outside from inside by counting constraints.
    let (mut cdt, _) = loaded(&border.points, &rims, &[])?;
    let most = 64 * border.points.len() + (8.0 * extent(&border.points) / (h * h)) as usize;
    let parameters = RefinementParameters::new()
        .keep_constraint_edges()
        .exclude_outer_faces(true)
        .with_max_allowed_area(AREA * h * h)
        .with_angle_limit(AngleLimit::from_deg(ANGLE))
        .with_max_additional_vertices(most);
    cdt.refine(parameters);
    let mut points: Vec<Vec2> = cdt.vertices().map(|v| Vec2::new(v.position().x, v.position().y)).collect();
    let mut lost = BTreeSet::new();
    if !lines.is_empty() {
        clear_lines(&mut points, border.points.len(), &lines, h);
        (cdt, lost) = loaded(&points, &rims, &lines)?;
        lines.retain(|piece| !lost.contains(piece));
    }
    let triangles = compact(&mut points, inner(&cdt, &rims), border.points.len());
    let flat = Flat { points, triangles, lost: lost.len() };
    Ok(smoothed(flat, border.points.len(), |points| {
        let (cdt, _) = loaded(points, &rims, &lines).ok()?;
        Some(inner(&cdt, &rims))
    }))
}

/// Returns the pieces of all loops, smaller vertex first.
fn rims(border: &Border) -> BTreeSet<[u32; 2]> {
    let pieces = |ring: &Vec<u32>| {
        let next = ring.iter().cycle().skip(1);
        ring.iter().zip(next).map(|(a, b)| [*a.min(b), *a.max(b)]).collect::<Vec<_>>()
    };
    border.loops.iter().flat_map(pieces).collect()
}

/// Removes vertices after the first `kept` ones that lie so near to inner lines that triangles there would be flat.
fn clear_lines(points: &mut Vec<Vec2>, kept: usize, lines: &[[u32; 2]], h: f64) {
    let ends: Vec<[Vec2; 2]> = lines.iter().map(|l| l.map(|v| points[v as usize])).collect();
    let far = |p: &Vec2, [a, b]: &[Vec2; 2]| {
        let along = b - a;
        let t = (along.dot(&(p - a)) / along.norm_squared()).clamp(0.0, 1.0);
        (a + along * t - p).norm()
    };
    let mut at = 0..;
    points.retain(|p| at.next() < Some(kept) || ends.iter().all(|line| far(p, line) > CLEAR * h));
}

/// Returns the area of the bounding box.
fn extent(points: &[Vec2]) -> f64 {
    let start = (Vec2::repeat(f64::INFINITY), Vec2::repeat(f64::NEG_INFINITY));
    let (low, high) = points.iter().fold(start, |(l, h), p| (l.inf(p), h.sup(p)));
    (high.x - low.x) * (high.y - low.y)
}

/// Triangulates points with constraints. Returns the pieces of lines that cross others.
fn loaded(
    points: &[Vec2],
    rims: &BTreeSet<[u32; 2]>,
    lines: &[[u32; 2]],
) -> Result<(Cdt, BTreeSet<[u32; 2]>), Vec<u32>> {
    let vertices: Vec<Point2<f64>> = points.iter().map(|p| Point2::new(p.x, p.y)).collect();
    // Points that coincide would be merged, and all numbers after them would change.
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    let at = |v: u32| points[v as usize];
    order.sort_by(|a, b| (at(*a).x, at(*a).y).partial_cmp(&(at(*b).x, at(*b).y)).unwrap_or(std::cmp::Ordering::Equal));
    if let Some(same) = order.windows(2).find(|w| at(w[0]) == at(w[1])) {
        return Err(vec![same[0]]);
    }
    let edges = rims.iter().chain(lines).map(|[a, b]| [*a as usize, *b as usize]).collect();
    let mut lost = BTreeSet::new();
    let cdt = Cdt::try_bulk_load_cdt(vertices, edges, |[a, b]| {
        lost.insert([a.min(b) as u32, a.max(b) as u32]);
    });
    let cdt = cdt.map_err(|_| Vec::new())?;
    let there = |[a, b]: &[u32; 2]| {
        let [a, b] = [a, b].map(|v| FixedVertexHandle::from_index(*v as usize));
        cdt.exists_constraint(a, b)
    };
    match rims.iter().find(|piece| !there(piece)) {
        Some(piece) => Err(piece.to_vec()),
        None => {
            lost.extend(lines.iter().filter(|piece| !there(piece)));
            Ok((cdt, lost))
        }
    }
}

/// Returns the triangles inside: an odd number of border pieces lies between them and infinity.
fn inner(cdt: &Cdt, rims: &BTreeSet<[u32; 2]>) -> Vec<[u32; 3]> {
    let faces = cdt.num_all_faces();
    let mut inside: Vec<Option<bool>> = vec![None; faces];
    let mut around: Vec<Vec<(usize, bool)>> = vec![Vec::new(); faces];
    for edge in cdt.directed_edges() {
        let [a, b] = edge.vertices().map(|v| v.fix().index() as u32);
        let rim = rims.contains(&[a.min(b), a.max(b)]);
        around[edge.face().fix().index()].push((edge.rev().face().fix().index(), rim));
    }
    let outer = cdt.outer_face().fix().index();
    inside[outer] = Some(false);
    let mut open = vec![outer];
    while let Some(face) = open.pop() {
        let own = inside[face] == Some(true);
        for (next, rim) in &around[face] {
            if inside[*next].is_none() {
                inside[*next] = Some(own != *rim);
                open.push(*next);
            }
        }
    }
    let within = cdt.inner_faces().filter(|f| inside[f.fix().index()] == Some(true));
    within.map(|f| f.vertices().map(|v| v.fix().index() as u32)).collect()
}

/// Removes vertices after the first `kept` ones that no triangle uses.
fn compact(points: &mut Vec<Vec2>, mut triangles: Vec<[u32; 3]>, kept: usize) -> Vec<[u32; 3]> {
    let mut used = vec![false; points.len()];
    used[..kept].fill(true);
    triangles.iter().flatten().for_each(|v| used[*v as usize] = true);
    let mut next = 0;
    let new: Vec<u32> = used.iter().map(|used| (next, next += u32::from(*used)).0).collect();
    triangles.iter_mut().flatten().for_each(|v| *v = new[*v as usize]);
    let all = std::mem::take(points);
    points.extend(all.into_iter().zip(used).filter_map(|(p, used)| used.then_some(p)));
    triangles
}
