//! Closed outlines: of pieces that are joined, cut at corners, unfolded.

use super::{Curve, Edge};
use crate::linalg::Vec2;
use kurbo::PathSeg;

/// Distance of ends that are joined [m].
pub(super) const JOINED: f64 = 5e-4;

/// Open piece of an outline.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Name; empty if it has none.
    pub name: String,
    /// Shape.
    pub curve: Curve,
    /// Line of the file.
    pub line: Option<usize>,
}

/// Gap between pieces that do not close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Gap {
    /// Place of the open end.
    pub at: Vec2,
    /// Distance to the nearest end [m].
    pub far: f64,
    /// Line of the piece that ends there.
    pub line: Option<usize>,
}

/// Joins pieces head to tail to one closed loop, from the first one on; pieces are reversed where needed. Where no end
/// is near, a straight line goes to the nearest end to which `bridge` allows one.
///
/// # Errors
/// Fails where there is no such end.
pub(super) fn joined(mut pieces: Vec<Piece>, bridge: impl Fn(Vec2, Vec2) -> bool) -> Result<Vec<Piece>, Gap> {
    if pieces.is_empty() {
        return Ok(pieces);
    }
    let mut ring = vec![pieces.remove(0)];
    loop {
        let (end, line) = (ring[ring.len() - 1].curve.end(), ring[ring.len() - 1].line);
        // Ends to go on at: of other pieces, or the start of the loop when none is left.
        let others = pieces.iter().enumerate();
        let mut ends: Vec<(usize, bool, Vec2)> =
            others.flat_map(|(k, p)| [(k, false, p.curve.start()), (k, true, p.curve.end())]).collect();
        if ends.is_empty() {
            ends.push((0, false, ring[0].curve.start()));
        }
        ends.sort_by(|a, b| (a.2 - end).norm().total_cmp(&(b.2 - end).norm()));
        let far = ends.first().map_or(0.0, |(.., p)| (p - end).norm());
        let near = ends.iter().find(|(.., p)| (p - end).norm() <= JOINED || bridge(end, *p)).copied();
        let Some((k, reversed, p)) = near else { return Err(Gap { at: end, far, line }) };
        if (p - end).norm() > JOINED {
            ring.push(Piece { name: String::new(), curve: Curve::line(end, p), line });
        }
        if pieces.is_empty() {
            return Ok(ring);
        }
        let next = pieces.remove(k);
        let curve = if reversed { next.curve.reversed() } else { next.curve };
        ring.push(Piece { curve, ..next });
    }
}

/// Returns the turn at the start of each segment of a closed loop [rad].
pub(super) fn turns(segments: &[PathSeg]) -> Vec<f64> {
    let all: Vec<Curve> = segments.iter().map(|s| Curve::new(vec![*s])).collect();
    let turn = |k: usize| {
        let before = all[(k + all.len() - 1) % all.len()].direction(true);
        let after = all[k].direction(false);
        before.perp(&after).atan2(before.dot(&after)).abs()
    };
    (0..all.len()).map(turn).collect()
}

/// Cuts a closed loop before each segment that begins at a corner. Without any, the whole loop is one curve.
pub(super) fn cut(segments: &[PathSeg], corners: &[bool]) -> Vec<Curve> {
    let n = segments.len();
    let at: Vec<usize> = (0..n).filter(|k| corners.get(*k) == Some(&true)).collect();
    let Some(first) = at.first().copied() else { return vec![Curve::new(segments.to_vec())] };
    let ends = at.iter().skip(1).copied().chain([first + n]);
    at.iter().zip(ends).map(|(from, to)| Curve::new((*from..to).map(|k| segments[k % n]).collect())).collect()
}

/// Makes edges of curves that follow each other anticlockwise. Those without a name have their number.
pub(super) fn edges(mut pieces: Vec<Piece>) -> Vec<Edge> {
    if pieces.iter().map(|p| p.curve.twice_area()).sum::<f64>() < 0.0 {
        pieces.reverse();
        pieces.iter_mut().for_each(|p| p.curve = p.curve.reversed());
    }
    let mut all: Vec<Edge> = Vec::with_capacity(pieces.len());
    for (k, Piece { name, curve, line }) in pieces.into_iter().enumerate() {
        let taken = name.is_empty() || all.iter().any(|e| e.name == name);
        all.push(Edge { name: if taken { k.to_string() } else { name }, label: None, curve, line });
    }
    all
}

/// Unfolds a half: reflects its outline about edge `fold`, which goes. Reflected edges have `-2` after their names.
pub(super) fn unfolded(outline: &[Edge], fold: usize) -> Vec<Edge> {
    let n = outline.len();
    let axis = &outline[fold].curve;
    let (origin, along) = (axis.start(), (axis.end() - axis.start()).normalize());
    // Reflection about the line through the origin, then the shift that keeps the axis.
    let x = Vec2::new(2.0 * along.x * along.x - 1.0, 2.0 * along.x * along.y);
    let y = Vec2::new(2.0 * along.x * along.y, 2.0 * along.y * along.y - 1.0);
    let shift = origin - (x * origin.x + y * origin.y);
    let own: Vec<Edge> = (1..n).map(|d| outline[(fold + d) % n].clone()).collect();
    let other = own.iter().rev().map(|e| Edge {
        name: format!("{}-2", e.name),
        curve: e.curve.mapped(x, y, shift).reversed(),
        ..e.clone()
    });
    let mut all: Vec<Edge> = own.iter().cloned().chain(other).collect();
    // Edges that the fold has cut in two are whole again.
    merge(&mut all, n - 2);
    merge_ends(&mut all);
    all
}

/// Joins edge `k` with the next one if they go on without a corner.
fn merge(all: &mut Vec<Edge>, k: usize) {
    if k + 1 < all.len() && straight_on(&all[k], &all[k + 1]) {
        let next = all.remove(k + 1);
        all[k].curve = all[k].curve.followed_by(&next.curve);
    }
}

/// Joins the last edge with the first one if they go on without a corner.
fn merge_ends(all: &mut Vec<Edge>) {
    if all.len() > 2
        && straight_on(&all[all.len() - 1], &all[0])
        && let Some(last) = all.pop()
    {
        all[0].curve = last.curve.followed_by(&all[0].curve);
    }
}

fn straight_on(a: &Edge, b: &Edge) -> bool {
    a.curve.direction(true).dot(&b.curve.direction(false)) > 10f64.to_radians().cos()
}
