//! Proof that two features stay apart while their vertices move in straight lines.
//!
//! A plane that translates linearly separates both features at all times when it does so at the start and at the end:
//! `min_A n.x - max_B n.x >= xi` at both. Tried with the closest direction at the start, then at the end, then on halves of
//! the step. What is not proven may still be safe.

use super::closest::{edge_edge, point_triangle};
use crate::linalg::Vec3;

/// Two features that may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// Vertex 0 against the face of vertices 1, 2, 3.
    VertexFace,
    /// Edge of vertices 0, 1 against the edge of vertices 2, 3.
    EdgeEdge,
}

/// Where two features are nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Distance [m].
    pub distance: f64,
    /// Unit direction from side B to side A; zero when they touch.
    pub normal: Vec3,
    /// Weights of the four vertices: the vector between the nearest points is their sum.
    pub weights: [f64; 4],
}

impl Pair {
    /// Number of vertices on side A.
    fn first(self) -> usize {
        match self {
            Pair::VertexFace => 1,
            Pair::EdgeEdge => 2,
        }
    }

    /// Nearest points of the two features.
    #[inline]
    pub fn separation(self, x: &[Vec3; 4]) -> Separation {
        let weights = match self {
            Pair::VertexFace => {
                let [a, b, c] = point_triangle(&x[0], &x[1], &x[2], &x[3]).weights;
                [1.0, -a, -b, -c]
            }
            Pair::EdgeEdge => {
                let e = edge_edge(&x[0], &x[1], &x[2], &x[3]);
                [1.0 - e.s, e.s, e.t - 1.0, -e.t]
            }
        };
        let d = x[0] * weights[0] + x[1] * weights[1] + x[2] * weights[2] + x[3] * weights[3];
        let distance = d.norm();
        let normal = if distance > 0.0 { d / distance } else { Vec3::zeros() };
        Separation { distance, normal, weights }
    }

    /// `min_A n.x - max_B n.x`.
    #[inline]
    fn width(self, n: &Vec3, x: &[Vec3; 4]) -> f64 {
        let d = [n.dot(&x[0]), n.dot(&x[1]), n.dot(&x[2]), n.dot(&x[3])];
        match self {
            Pair::VertexFace => d[0] - d[1].max(d[2]).max(d[3]),
            Pair::EdgeEdge => d[0].min(d[1]) - d[2].max(d[3]),
        }
    }

    /// The two features stay at least `xi` apart while vertices move from `start` to `end`: never wrong when true.
    pub fn separated(self, start: &[Vec3; 4], end: &[Vec3; 4], xi: f64) -> bool {
        // Coordinates relative to a vertex: rounding then scales with the size of the pair and its motion.
        let origin = start[0];
        let (start, end) = (start.map(|p| p - origin), end.map(|p| p - origin));
        let size = start.iter().chain(&end).fold(0.0f64, |m, p| m.max(p.amax()));
        let xi = xi + 1e-14 * size;
        self.proven(&start, &end, xi, 3)
    }

    fn proven(self, start: &[Vec3; 4], end: &[Vec3; 4], xi: f64, halvings: u32) -> bool {
        let holds = |n: &Vec3| self.width(n, start) >= xi && self.width(n, end) >= xi;
        if holds(&self.separation(start).normal) || holds(&self.separation(end).normal) {
            return true;
        }
        if halvings == 0 {
            return false;
        }
        let middle: [Vec3; 4] = std::array::from_fn(|k| (start[k] + end[k]) / 2.0);
        self.proven(start, &middle, xi, halvings - 1) && self.proven(&middle, end, xi, halvings - 1)
    }

    /// Signs of the sides: +1 on side A, -1 on side B.
    pub fn side(self, k: usize) -> f64 {
        if k < self.first() { 1.0 } else { -1.0 }
    }
}
