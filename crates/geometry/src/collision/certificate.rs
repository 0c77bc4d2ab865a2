//! Proof that two features stay apart while their vertices move in straight lines.
//!
//! Side A is a vertex or an edge, side B a triangle or an edge. Both are convex hulls of vertices, so a plane between
//! the vertices separates the features. Two kinds of planes are tried, on the step and then on its halves:
//! - a plane of fixed direction that moves linearly: `min_A n.x - max_B n.x >= xi` at the start and at the end. Two
//!   directions are those of the nearest points at the start and at the end. A third is the first without its component
//!   along the relative motion. A feature that slides over an edge within the step turns its nearest points round, but
//!   never comes nearer;
//! - a plane that also turns, `n(t) = (1 - t) n0 + t n1`: `n(t).x(t) - c(t)` is a quadratic in t, bounded by its
//!   Bernstein coefficients. Since `|n(t)| <= 1`, it is a lower bound of the distance.
//!
//! A proof is never wrong, rounding included. A pair without a proof may still be safe.

use super::closest::{PointTriangles, edge_edge, point_triangles};
use crate::linalg::four::Four;
use crate::linalg::{Vec3, f64x4};

/// Pair of features that may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pair {
    /// Vertex 0 against the face of vertices 1, 2, 3.
    VertexFace,
    /// Edge of vertices 0, 1 against the edge of vertices 2, 3.
    EdgeEdge,
}

/// Distance, direction and nearest points of two features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance [m].
    pub distance: f64,
    /// Unit direction from side B to side A; zero when they touch.
    pub normal: Vec3,
    /// Weights of the four vertices, positive on side A and negative on side B. Their weighted sum is the vector
    /// between the nearest points.
    pub weights: [f64; 4],
}

/// Distances, directions and nearest points of four pairs, as in [`Separation`].
#[derive(Clone, Copy, Debug)]
pub struct Separations {
    /// Distances [m].
    pub distance: f64x4,
    /// Directions.
    pub normal: Four,
    /// Weights of the four vertices.
    pub weights: [f64x4; 4],
}

impl Separations {
    /// Returns the four separations one by one.
    #[inline(always)]
    pub fn to_array(self) -> [Separation; 4] {
        let (distance, normal) = (self.distance.to_array(), self.normal.to_array());
        let weights = self.weights.map(f64x4::to_array);
        std::array::from_fn(|k| Separation {
            distance: distance[k],
            normal: normal[k],
            weights: std::array::from_fn(|corner| weights[corner][k]),
        })
    }
}

/// Number of halvings of the step before a proof is given up.
const HALVINGS: u32 = 3;
/// Bound of the rounding of all sums here, relative to the sum of the coordinates, with a margin.
const ROUNDING: f64 = 1e-14;
/// Distance below which no direction is computed, because squares would lose digits.
const LEAST: f64 = 1e-140;

impl Pair {
    /// Returns the nearest points of the two features.
    #[inline]
    pub fn separation(self, x: &[Vec3; 4]) -> Separation {
        self.separations(&[[0, 1, 2, 3]; 4], x).to_array()[0]
    }

    /// Returns the nearest points of four pairs, with vertices `corners` among those at `x`.
    #[inline(always)]
    pub fn separations(self, corners: &[[u32; 4]; 4], x: &[Vec3]) -> Separations {
        let at: [Four; 4] = std::array::from_fn(|c| Four::from_fn(|k| &x[corners[k][c] as usize]));
        let one = f64x4::splat(1.0);
        let (weights, between) = match self {
            Pair::VertexFace => {
                let PointTriangles { weights: [a, b, c], between } = point_triangles(at);
                ([one, -a, -b, -c], between)
            }
            Pair::EdgeEdge => {
                let e = edge_edge(at);
                ([one - e.s, e.s, e.t - one, -e.t], e.between)
            }
        };
        let distance = between.norm();
        let apart = distance.simd_gt(f64x4::splat(LEAST));
        let length = apart.select(distance, f64x4::splat(f64::INFINITY));
        Separations { distance, normal: between / length, weights }
    }

    /// Returns a bound of the approach of two features while their vertices move by `moved` [m], for four pairs.
    #[inline(always)]
    pub fn closer(self, moved: &[Four; 4]) -> f64x4 {
        let by = |corner: usize| (moved[corner] - moved[0]).norm();
        let (a, b, c) = (by(1), by(2), by(3));
        match self {
            Pair::VertexFace => a.fast_max(b).fast_max(c),
            Pair::EdgeEdge => a + b.fast_max(c),
        }
    }

    /// Returns the sign of the side of vertex `k`: +1 on side A, -1 on side B.
    pub fn side(self, k: usize) -> f64 {
        let first = match self {
            Pair::VertexFace => 1,
            Pair::EdgeEdge => 2,
        };
        if k < first { 1.0 } else { -1.0 }
    }

    /// Returns the limits of the gap along `n`: `max_B n.x` and `min_A n.x`.
    #[inline]
    fn gap(self, n: &Vec3, x: &[Vec3; 4]) -> [f64; 2] {
        self.between(x.map(|p| n.dot(&p)))
    }

    #[inline]
    fn between(self, d: [f64; 4]) -> [f64; 2] {
        match self {
            Pair::VertexFace => [d[1].max(d[2]).max(d[3]), d[0]],
            Pair::EdgeEdge => [d[2].max(d[3]), d[0].min(d[1])],
        }
    }

    /// Returns whether the two features stay at least `xi` apart while their vertices move linearly from `start` to
    /// `end`. The answer true is never wrong.
    #[inline]
    pub fn separated(self, start: &[Vec3; 4], end: &[Vec3; 4], xi: f64) -> bool {
        Step::new(self, start, end, xi).proven()
    }

    /// Returns the same as [`Pair::separated`], but first tries the unit direction `normal` (from side B to side A).
    /// The attempt costs a few dot products.
    #[inline]
    pub fn separated_along(self, start: &[Vec3; 4], end: &[Vec3; 4], normal: &Vec3, xi: f64) -> bool {
        let step = Step::new(self, start, end, xi);
        let length2 = normal.norm_squared();
        ((1.0 - 1e-12..=1.0 + 1e-12).contains(&length2) && step.translating(normal)) || step.proven()
    }
}

/// Motion of a pair, relative to the start of its first vertex.
struct Step {
    pair: Pair,
    start: [Vec3; 4],
    end: [Vec3; 4],
    /// Distance to prove, including rounding.
    xi: f64,
}

impl Step {
    #[inline]
    fn new(pair: Pair, start: &[Vec3; 4], end: &[Vec3; 4], xi: f64) -> Step {
        let origin = start[0];
        let (start, end) = (start.map(|p| p - origin), end.map(|p| p - origin));
        let size: f64 = start.iter().chain(&end).map(|p| p.x.abs() + p.y.abs() + p.z.abs()).sum();
        // Directions are unit within 1e-15. `LEAST` prevents a proof for a pair of zero extent at distance zero. A
        // distance that is not finite becomes NaN, which proves nothing.
        let xi = xi * (1.0 + ROUNDING) + size * ROUNDING + LEAST;
        Step { pair, start, end, xi: if xi.is_finite() { xi } else { f64::NAN } }
    }

    #[inline]
    fn translating(&self, n: &Vec3) -> bool {
        let [low0, high0] = self.pair.gap(n, &self.start);
        let [low1, high1] = self.pair.gap(n, &self.end);
        high0 - low0 >= self.xi && high1 - low1 >= self.xi
    }

    /// Tries a plane parallel to the relative motion of the nearest points at the start.
    fn passes(&self, from: &Separation) -> bool {
        let way: Vec3 = (0..4).map(|k| (self.end[k] - self.start[k]) * from.weights[k]).sum();
        let along = way.try_normalize(0.0).unwrap_or_default();
        let across = from.normal - along * along.dot(&from.normal);
        across.try_normalize(0.0).is_some_and(|across| self.translating(&across))
    }

    /// Tries a plane that turns from `n0` to `n1`. The plane may be anywhere in the gap: `c0` in `[low0, high0]` at the
    /// start, `c1` at the end. Only the sum of the two middle coefficients matters.
    fn rotating(&self, n0: &Vec3, n1: &Vec3) -> bool {
        let half = self.xi / 2.0;
        let room = |[low, high]: [f64; 2]| [low + half, high - half];
        let [low0, high0] = room(self.pair.gap(n0, &self.start));
        let [low1, high1] = room(self.pair.gap(n1, &self.end));
        let across = std::array::from_fn(|k| (n0.dot(&self.end[k]) + n1.dot(&self.start[k])) / 2.0);
        let [low, high] = room(self.pair.between(across));
        low0 <= high0 && low1 <= high1 && low <= high && (low0 + low1).max(2.0 * low) <= (high0 + high1).min(2.0 * high)
    }

    #[inline]
    fn proven(&self) -> bool {
        self.proven_from(&self.pair.separation(&self.start), None, HALVINGS)
    }

    fn proven_from(&self, from: &Separation, to: Option<&Separation>, halvings: u32) -> bool {
        if from.distance < self.xi {
            return false;
        }
        if self.translating(&from.normal) {
            return true;
        }
        let to = to.copied().unwrap_or_else(|| self.pair.separation(&self.end));
        if to.distance < self.xi {
            return false;
        }
        if self.translating(&to.normal) || self.rotating(&from.normal, &to.normal) || self.passes(from) {
            return true;
        }
        if halvings == 0 {
            return false;
        }
        let middle: [Vec3; 4] = std::array::from_fn(|k| (self.start[k] + self.end[k]) / 2.0);
        let between = self.pair.separation(&middle);
        let Step { pair, start, end, xi } = *self;
        Step { pair, start, end: middle, xi }.proven_from(from, Some(&between), halvings - 1)
            && Step { pair, start: middle, end, xi }.proven_from(&between, Some(&to), halvings - 1)
    }
}

#[cfg(test)]
mod exact;
#[cfg(test)]
mod tests;
