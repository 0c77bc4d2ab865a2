//! Closed curve at a distance around points of a plane, by arc length.

use crate::linalg::Vec2;
use std::f64::consts::{PI, TAU};

/// Convex curve at a distance around points: arcs about the corners of their hull, and sides between these. Its radius
/// of curvature is nowhere less than the distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Girth {
    /// Distance from the hull [m].
    distance: f64,
    /// Corners of the hull, anticlockwise.
    corners: Vec<Corner>,
}

/// Corner of the hull.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Corner {
    /// Place [m].
    place: Vec2,
    /// Angle of the normal with which its arc begins.
    from: f64,
    /// Angle of its arc.
    turn: f64,
    /// Arc length of the curve at which its arc begins [m].
    start: f64,
    /// Length of the side after it [m].
    side: f64,
}

impl Girth {
    /// Makes the curve around points; `None` if there are none.
    pub fn new(points: &[Vec2], distance: f64) -> Option<Girth> {
        let hull = hull(points);
        let first = hull.first()?;
        let count = hull.len();
        let side = |k: usize| hull[(k + 1) % count] - hull[k % count];
        let mut corners = Vec::with_capacity(count);
        if count == 1 {
            corners.push(Corner { place: *first, from: 0.0, turn: TAU, start: 0.0, side: 0.0 });
            return Some(Girth { distance, corners });
        }
        let before = side(count - 1);
        let (mut from, mut start) = (before.y.atan2(before.x) - 0.5 * PI, 0.0);
        for (k, place) in hull.iter().enumerate() {
            let (before, after) = (side(k + count - 1), side(k));
            let turn = before.perp(&after).atan2(before.dot(&after)).abs();
            let length = after.norm();
            corners.push(Corner { place: *place, from, turn, start, side: length });
            from += turn;
            start += distance * turn + length;
        }
        Some(Girth { distance, corners })
    }

    /// Returns the length of the curve [m].
    pub fn length(&self) -> f64 {
        self.corners.iter().map(|corner| self.distance * corner.turn + corner.side).sum()
    }

    /// Returns the arc length at which the curve faces a direction, given by its angle [m].
    fn facing(&self, angle: f64) -> f64 {
        let past = |corner: &Corner| (angle - corner.from).rem_euclid(TAU);
        let within = self.corners.iter().find(|corner| past(corner) <= corner.turn);
        // Arcs cover all angles but for rounding, so that else it is the end of the arc passed last.
        let corner = within.or(self.corners.iter().min_by(|a, b| past(a).total_cmp(&past(b))));
        corner.map_or(0.0, |corner| corner.start + self.distance * past(corner).min(corner.turn))
    }

    /// Returns the arc length of the point that lies at an angle, seen from the middle of the hull [m].
    pub fn toward(&self, angle: f64) -> f64 {
        let start = [Vec2::repeat(f64::INFINITY), Vec2::repeat(f64::NEG_INFINITY)];
        let places = self.corners.iter().map(|corner| corner.place);
        let [low, high] = places.fold(start, |[low, high], p| [low.inf(&p), high.sup(&p)]);
        let (middle, direction) = (0.5 * (low + high), Vec2::new(angle.cos(), angle.sin()));
        // The curve passes from its farthest point on the right of the direction to that on the left.
        let mut right = self.facing(angle - 0.5 * PI);
        let mut left = right + (self.facing(angle + 0.5 * PI) - right).rem_euclid(self.length());
        for _ in 0..64 {
            let s = 0.5 * (right + left);
            if direction.perp(&(self.at(s) - middle)) < 0.0 { right = s } else { left = s }
        }
        0.5 * (right + left)
    }

    /// Returns the point at an arc length [m]. Lengths beyond the curve go around again.
    pub fn at(&self, s: f64) -> Vec2 {
        let s = s.rem_euclid(self.length());
        let next = self.corners.partition_point(|corner| corner.start <= s);
        let Some(corner) = self.corners.get(next.saturating_sub(1)) else { return Vec2::zeros() };
        let arc = self.distance * corner.turn;
        let past = s - corner.start;
        let angle = corner.from + past.min(arc) / self.distance;
        let normal = Vec2::new(angle.cos(), angle.sin());
        corner.place + normal * self.distance + Vec2::new(-normal.y, normal.x) * (past - arc).max(0.0)
    }
}

/// Returns the corners of the convex hull, anticlockwise. Points within a nanometre of a side are left out.
fn hull(points: &[Vec2]) -> Vec<Vec2> {
    let mut sorted: Vec<Vec2> = points.to_vec();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    sorted.dedup_by(|a, b| (*a - *b).norm() < 1e-9);
    if sorted.len() < 3 {
        return sorted;
    }
    let chain = |points: &mut dyn Iterator<Item = &Vec2>| {
        let mut chain: Vec<Vec2> = Vec::new();
        for p in points {
            while let [.., a, b] = chain.as_slice()
                && (b - a).perp(&(p - b)) <= 1e-9 * (p - a).norm()
            {
                chain.pop();
            }
            chain.push(*p);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut sorted.iter());
    hull.extend(chain(&mut sorted.iter().rev()));
    hull
}
