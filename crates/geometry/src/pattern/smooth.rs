//! Smoothing of a triangulation: inner vertices go to the centroid of the triangles around them.

use crate::linalg::Vec2;

/// Number of rounds.
const ROUNDS: usize = 4;
/// Angle that no move may make smaller [deg].
const ANGLE: f64 = 28.0;

/// Triangles of a panel.
#[derive(Clone, Debug, Default)]
pub(super) struct Flat {
    /// Vertices: those of the border, then others [m].
    pub points: Vec<Vec2>,
    /// Triangles, anticlockwise in the plane.
    pub triangles: Vec<[u32; 3]>,
    /// Pieces of inner lines that had to be left out.
    pub lost: usize,
}

/// Moves the vertices after the first `fixed` ones. `again` triangulates the points anew after each round.
pub(super) fn smoothed(mut flat: Flat, fixed: usize, again: impl Fn(&[Vec2]) -> Option<Vec<[u32; 3]>>) -> Flat {
    for _ in 0..ROUNDS {
        let mut around: Vec<Vec<u32>> = vec![Vec::new(); flat.points.len()];
        for (t, triangle) in flat.triangles.iter().enumerate() {
            triangle.iter().for_each(|v| around[*v as usize].push(t as u32));
        }
        let mut points = flat.points.clone();
        for v in fixed..points.len() {
            let star: Vec<[u32; 3]> = around[v].iter().map(|t| flat.triangles[*t as usize]).collect();
            let centre = centroid(&star, &points);
            let old = points[v];
            let before = smallest(&star, &points);
            points[v] = centre;
            if smallest(&star, &points) < before.min(ANGLE.to_radians()) {
                points[v] = old;
            }
        }
        let Some(triangles) = again(&points) else { break };
        let worst = smallest(&triangles, &points);
        let before = smallest(&flat.triangles, &flat.points);
        // Numbers of vertices stay, so a triangulation that loses some cannot be used.
        if triangles.len() != flat.triangles.len() || worst < before.min(ANGLE.to_radians()) {
            break;
        }
        flat = Flat { points, triangles, ..flat };
    }
    flat
}

/// Returns the mean of the centroids of triangles, weighted by their areas.
fn centroid(star: &[[u32; 3]], points: &[Vec2]) -> Vec2 {
    let (mut sum, mut weight) = (Vec2::zeros(), 0.0);
    for triangle in star {
        let [a, b, c] = triangle.map(|v| points[v as usize]);
        let area = (b - a).perp(&(c - a));
        sum += (a + b + c) * (area / 3.0);
        weight += area;
    }
    sum / weight
}

/// Returns the smallest angle of triangles [rad]; negative if one is turned over.
pub(super) fn smallest(triangles: &[[u32; 3]], points: &[Vec2]) -> f64 {
    let of = |triangle: &[u32; 3]| {
        let p = triangle.map(|v| points[v as usize]);
        (0..3).map(|k| angle(p[k], p[(k + 1) % 3], p[(k + 2) % 3])).fold(f64::INFINITY, f64::min)
    };
    triangles.iter().map(of).fold(f64::INFINITY, f64::min)
}

/// Returns the angle at the first point.
fn angle(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    let (p, q) = (b - a, c - a);
    p.perp(&q).atan2(p.dot(&q))
}
