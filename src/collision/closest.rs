//! Closest points of a point and a triangle, and of two edges.

use crate::linalg::Vec3;

/// Closest point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTriangle {
    /// Barycentric weights of the closest point.
    pub weights: [f64; 3],
    /// Squared distance [m^2].
    pub distance2: f64,
}

impl PointTriangle {
    /// Bit k is set when the closest point lies on corner k's side: one bit a corner, two an edge, three the face.
    pub fn feature(&self) -> u8 {
        (0..3).fold(0, |bits, k| bits | u8::from(self.weights[k] > 0.0) << k)
    }
}

/// Closest point to `p` of the triangle `a b c` (Ericson 2005, section 5.1.5); right for degenerate triangles too.
#[inline]
pub fn point_triangle(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> PointTriangle {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    let weights = 'found: {
        if d1 <= 0.0 && d2 <= 0.0 {
            break 'found [1.0, 0.0, 0.0];
        }
        let bp = p - b;
        let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
        if d3 >= 0.0 && d4 <= d3 {
            break 'found [0.0, 1.0, 0.0];
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
            let t = d1 / (d1 - d3);
            break 'found [1.0 - t, t, 0.0];
        }
        let cp = p - c;
        let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
        if d6 >= 0.0 && d5 <= d6 {
            break 'found [0.0, 0.0, 1.0];
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
            let t = d2 / (d2 - d6);
            break 'found [1.0 - t, 0.0, t];
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 && d4 - d3 + d5 - d6 > 0.0 {
            let t = (d4 - d3) / (d4 - d3 + d5 - d6);
            break 'found [0.0, 1.0 - t, t];
        }
        let sum = va + vb + vc;
        // The sum is the squared length of the normal; below rounding there is no face.
        if sum > 1e-13 * ab.norm_squared() * ac.norm_squared() {
            break 'found [va / sum, vb / sum, vc / sum];
        }
        return flat(p, [a, b, c]);
    };
    let q = a * weights[0] + b * weights[1] + c * weights[2];
    PointTriangle { weights, distance2: (p - q).norm_squared() }
}

/// A triangle without area: the nearest of its three sides.
#[cold]
fn flat(p: &Vec3, corners: [&Vec3; 3]) -> PointTriangle {
    let mut best = PointTriangle { weights: [1.0, 0.0, 0.0], distance2: f64::INFINITY };
    for k in 0..3 {
        let (i, j) = (k, (k + 1) % 3);
        let e = edge_edge(p, p, corners[i], corners[j]);
        if e.distance2 < best.distance2 {
            best = PointTriangle { weights: [0.0; 3], distance2: e.distance2 };
            best.weights[i] = 1.0 - e.t;
            best.weights[j] = e.t;
        }
    }
    best
}

/// Closest points of two edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeEdge {
    /// Parameter on the first edge, in [0, 1].
    pub s: f64,
    /// Parameter on the second edge, in [0, 1].
    pub t: f64,
    /// Squared distance [m^2].
    pub distance2: f64,
}

impl EdgeEdge {
    /// Both closest points lie strictly inside their edges.
    pub fn interior(&self) -> bool {
        self.s > 0.0 && self.s < 1.0 && self.t > 0.0 && self.t < 1.0
    }
}

/// Closest points of the edges `p0 p1` and `q0 q1` (Ericson 2005, section 5.1.9); right for parallel edges and points too.
#[inline]
pub fn edge_edge(p0: &Vec3, p1: &Vec3, q0: &Vec3, q1: &Vec3) -> EdgeEdge {
    let (u, v, r) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, e, f) = (u.norm_squared(), v.norm_squared(), v.dot(&r));
    let clamp = |x: f64| x.clamp(0.0, 1.0);
    let (s, t) = if a == 0.0 && e == 0.0 {
        (0.0, 0.0)
    } else if a == 0.0 {
        (0.0, clamp(f / e))
    } else {
        let c = u.dot(&r);
        if e == 0.0 {
            (clamp(-c / a), 0.0)
        } else {
            let b = u.dot(&v);
            let denominator = a * e - b * b;
            // Nearly parallel edges: any point of the first will do, its partner is then exact.
            let s = if denominator > 1e-14 * a * e { clamp((b * f - c * e) / denominator) } else { 0.0 };
            let t = (b * s + f) / e;
            if t < 0.0 {
                (clamp(-c / a), 0.0)
            } else if t > 1.0 {
                (clamp((b - c) / a), 1.0)
            } else {
                (s, t)
            }
        }
    };
    EdgeEdge { s, t, distance2: (r + u * s - v * t).norm_squared() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn point(seed: &mut u64) -> Vec3 {
        Vec3::new(random(seed), random(seed), random(seed))
    }

    /// Points, some of them equal, in line, or nearly so.
    fn four(kind: usize, seed: &mut u64) -> [Vec3; 4] {
        let [p, a, b, c] = std::array::from_fn(|_| point(seed));
        match kind % 6 {
            1 => [p, a, a, c],
            2 => [p, a, a, a],
            3 => [p, a, b, a + (b - a) * random(seed)],
            4 => [p, a, b, b + (b - a) * random(seed) + point(seed) * 1e-9],
            5 => [p, a, p + (b - a), b],
            _ => [p, a, b, c],
        }
    }

    #[test]
    fn point_triangle_is_the_minimum() {
        let mut seed = 9;
        for k in 0..3000 {
            let [p, a, b, c] = four(k, &mut seed);
            let found = point_triangle(&p, &a, &b, &c);
            let sum: f64 = found.weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-12 && found.weights.iter().all(|w| (-1e-15..=1.0 + 1e-15).contains(w)));
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let (u, v) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    let d = (p - (a + (b - a) * u + (c - a) * v)).norm_squared();
                    assert!(found.distance2 <= d + 1e-9, "{k}: {} {d}", found.distance2);
                }
            }
        }
    }

    #[test]
    fn edge_edge_is_the_minimum() {
        let mut seed = 10;
        for k in 0..3000 {
            let [p, a, b, c] = four(k, &mut seed);
            let found = edge_edge(&p, &a, &b, &c);
            for i in 0..=30 {
                for j in 0..=30 {
                    let (s, t) = (f64::from(i) / 30.0, f64::from(j) / 30.0);
                    let d = (p + (a - p) * s - (b + (c - b) * t)).norm_squared();
                    assert!(found.distance2 <= d + 1e-9, "{k}: {} {d}", found.distance2);
                }
            }
        }
    }
}
