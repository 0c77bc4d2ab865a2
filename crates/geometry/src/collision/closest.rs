//! Closest points of a point and a triangle, and of two edges.
//!
//! All functions use differences of coordinates only, so pairs far from the origin lose no accuracy. Degenerate
//! triangles and edges of zero length are valid. They give the result of the edge or point to which they collapse.

use crate::linalg::four::Four;
use crate::linalg::{Vec3, f64x4};
use std::cmp::Ordering;

/// Feature of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Corner, 0 to 2.
    Vertex(u8),
    /// Side opposite to a corner, 0 to 2.
    Edge(u8),
    /// Inside of the triangle.
    Face,
}

/// Closest point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointTriangle {
    /// Barycentric weights of the closest point: none negative, sum one.
    pub weights: [f64; 3],
    /// Squared distance; infinite instead of NaN [m^2].
    pub distance2: f64,
}

impl PointTriangle {
    /// Returns the feature of the triangle that the closest point is on.
    #[inline]
    pub fn feature(&self) -> Feature {
        match self.weights.map(|w| w > 0.0) {
            [true, true, true] => Feature::Face,
            [false, true, true] => Feature::Edge(0),
            [true, false, true] => Feature::Edge(1),
            [true, true, false] => Feature::Edge(2),
            [true, false, false] => Feature::Vertex(0),
            [false, true, false] => Feature::Vertex(1),
            _ => Feature::Vertex(2),
        }
    }
}

/// Squared sine of a triangle's angle at the first corner below which determinants do not decide its regions.
const SLIVER: f64 = 1e-8;

/// Closest points of four points and four triangles.
#[derive(Clone, Copy, Debug)]
pub struct PointTriangles {
    /// Barycentric weights of the closest points: none negative, sum one.
    pub weights: [f64x4; 3],
    /// Vectors from the closest points to the points [m].
    pub between: Four,
}

impl PointTriangles {
    /// Returns the four closest points one by one.
    #[inline(always)]
    pub fn to_array(self) -> [PointTriangle; 4] {
        let [u, v, w] = self.weights.map(f64x4::to_array);
        let distance2 = self.between.dot(&self.between);
        let infinity = f64x4::splat(f64::INFINITY);
        let distance2 = distance2.simd_le(infinity).select(distance2, infinity).to_array();
        std::array::from_fn(|k| PointTriangle { weights: [u[k], v[k], w[k]], distance2: distance2[k] })
    }
}

/// Finds the closest point to `p` on the triangle `a b c`. NaN coordinates give an infinite distance. The result equals
/// that of [`point_triangles`] bit for bit, in half the time for one pair.
#[inline]
pub fn point_triangle(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> PointTriangle {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    let (ab2, ac2, abc) = (ab.norm_squared(), ac.norm_squared(), ab.dot(&ac));
    let (d3, d4) = (d1 - ab2, d2 - abc);
    let (d5, d6) = (d1 - abc, d2 - ac2);
    let (e, f) = (d4 - d3, d5 - d6);
    let weights = 'found: {
        if (ab2 * ac2 - abc * abc).partial_cmp(&(SLIVER * ab2 * ac2)) != Some(Ordering::Greater) {
            break 'found thin(p, [a, b, c]);
        }
        if d1 <= 0.0 && d2 <= 0.0 {
            break 'found [1.0, 0.0, 0.0];
        }
        if d3 >= 0.0 && d4 <= d3 {
            break 'found [0.0, 1.0, 0.0];
        }
        if d6 >= 0.0 && d5 <= d6 {
            break 'found [0.0, 0.0, 1.0];
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            let v = (d1 / ab2).min(1.0);
            break 'found [1.0 - v, v, 0.0];
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            let w = (d2 / ac2).min(1.0);
            break 'found [1.0 - w, 0.0, w];
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && e >= 0.0 && f >= 0.0 && e + f > 0.0 {
            let w = e / (e + f);
            break 'found [0.0, 1.0 - w, w];
        }
        let part = 1.0 / (va + vb + vc);
        let (v, w) = (vb * part, vc * part);
        let u = 1.0 - v - w;
        if u > 0.0 && v > 0.0 && w > 0.0 { [u, v, w] } else { thin(p, [a, b, c]) }
    };
    let distance2 = (ap - ab * weights[1] - ac * weights[2]).norm_squared();
    PointTriangle { weights, distance2: distance2.min(f64::INFINITY) }
}

/// Finds the closest points to `p` on the triangles `a b c`, four pairs at a time. Regions follow Ericson, "Real-Time
/// Collision Detection" (2005), section 5.1.5. For a thin triangle, the nearest of face and sides is used.
#[inline(always)]
pub fn point_triangles([p, a, b, c]: [Four; 4]) -> PointTriangles {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    let (ab2, ac2, abc) = (ab.dot(&ab), ac.dot(&ac), ab.dot(&ac));
    let wide = (ab2 * ac2 - abc * abc).simd_gt(f64x4::splat(SLIVER) * ab2 * ac2);
    // Dot products of the sides with bp and cp follow from those with ap.
    let (d3, d4) = (d1 - ab2, d2 - abc);
    let (d5, d6) = (d1 - abc, d2 - ac2);
    let (e, f) = (d4 - d3, d5 - d6);
    let (va, vb, vc) = (d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2);
    // The code has no branches, because regions cannot be predicted. The first matching region counts.
    let (zero, one) = (f64x4::splat(0.0), f64x4::splat(1.0));
    let at_a = d1.simd_le(zero) & d2.simd_le(zero);
    let at_b = d3.simd_ge(zero) & d4.simd_le(d3);
    let at_c = d6.simd_ge(zero) & d5.simd_le(d6);
    let on_ab = vc.simd_le(zero) & d1.simd_ge(zero) & d3.simd_le(zero);
    let on_ac = vb.simd_le(zero) & d2.simd_ge(zero) & d6.simd_le(zero);
    let on_bc = va.simd_le(zero) & e.simd_ge(zero) & f.simd_ge(zero) & (e + f).simd_gt(zero);
    let choose =
        |ab: f64x4, ac: f64x4, bc: f64x4, face: f64x4| on_ab.select(ab, on_ac.select(ac, on_bc.select(bc, face)));
    let part = choose(d1, d2, e, one) / choose(ab2, ac2, e + f, va + vb + vc);
    let along = part.fast_min(one);
    let corner = |a: f64, b: f64, c: f64, other: f64x4| {
        let [a, b, c] = [a, b, c].map(f64x4::splat);
        at_a.select(a, at_b.select(b, at_c.select(c, other)))
    };
    let v = corner(0.0, 1.0, 0.0, choose(along, zero, one - along, vb * part));
    let w = corner(0.0, 0.0, 1.0, choose(zero, along, along, vc * part));
    let u = corner(1.0, 0.0, 0.0, choose(one - along, one - along, zero, one - v - w));
    let outside = at_a | at_b | at_c | on_ab | on_ac | on_bc;
    // A weight that is not positive here means that the conditions above failed by rounding only.
    let inside = u.simd_gt(zero) & v.simd_gt(zero) & w.simd_gt(zero);
    let known = (wide & (outside | inside)).to_bitmask();
    let mut weights = [u, v, w];
    if known != 15 {
        let at = [p, a, b, c].map(Four::to_array);
        let mut lanes = weights.map(f64x4::to_array);
        for k in (0..4).filter(|k| known >> k & 1 == 0) {
            let [p, a, b, c] = std::array::from_fn(|i| &at[i][k]);
            for (lanes, weight) in lanes.iter_mut().zip(thin(p, [a, b, c])) {
                lanes[k] = weight;
            }
        }
        weights = lanes.map(f64x4::new);
    }
    PointTriangles { weights, between: ap - ab * weights[1] - ac * weights[2] }
}

/// Returns the weights of the nearest of three sides and, if the point is over it, the face.
#[cold]
fn thin(p: &Vec3, corners: [&Vec3; 3]) -> [f64; 3] {
    let (mut best, mut least) = ([1.0, 0.0, 0.0], f64::INFINITY);
    for k in 0..3 {
        let (i, j) = (k, (k + 1) % 3);
        let (side, to) = (corners[j] - corners[i], p - corners[i]);
        let length2 = side.norm_squared();
        let t = if length2 > 0.0 { (side.dot(&to) / length2).clamp(0.0, 1.0) } else { 0.0 };
        let distance2 = (to - side * t).norm_squared();
        if distance2 < least {
            (best, least) = ([0.0; 3], distance2);
            best[i] = 1.0 - t;
            best[j] = t;
        }
    }
    let [a, b, c] = corners;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let n = ab.cross(&ac);
    let n2 = n.norm_squared();
    if n2 > 0.0 {
        let (v, w) = (ap.cross(&ac).dot(&n) / n2, ab.cross(&ap).dot(&n) / n2);
        let distance2 = (ap - ab * v - ac * w).norm_squared();
        let u = 1.0 - v - w;
        if u > 0.0 && v > 0.0 && w > 0.0 && distance2 < least {
            best = [u, v, w];
        }
    }
    best
}

/// Closest points of four pairs of edges.
#[derive(Clone, Copy, Debug)]
pub struct EdgeEdge {
    /// Parameters on the first edges, in [0, 1].
    pub s: f64x4,
    /// Parameters on the second edges, in [0, 1].
    pub t: f64x4,
    /// Vectors from the points on the second edges to the points on the first [m].
    pub between: Four,
}

/// Squared sine of the angle below which two edges are treated as parallel.
const PARALLEL: f64 = 1e-24;

/// Finds the closest points of the edges `p0 p1` and `q0 q1`, four pairs at a time (Ericson 2005, section 5.1.9). Cross
/// products replace the determinant of dot products, which cancels for nearly parallel edges. Parallel edges give the
/// closest pair at an end.
#[inline(always)]
pub fn edge_edge([p0, p1, q0, q1]: [Four; 4]) -> EdgeEdge {
    let (u, v, r) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, e) = (u.dot(&u), v.dot(&v));
    let (b, c, f) = (u.dot(&v), u.dot(&r), v.dot(&r));
    let n = u.cross(&v);
    let n2 = n.dot(&n);
    let zero = f64x4::splat(0.0);
    // The code has no branches, because cases cannot be predicted.
    let along = |x: f64x4, length2: f64x4, least: f64x4| {
        let share = (x / length2).fast_max(zero).fast_min(f64x4::splat(1.0));
        length2.simd_gt(least).select(share, zero)
    };
    let s = along(-r.cross(&v).dot(&n), n2, f64x4::splat(PARALLEL) * a * e);
    let t = along(b * s + f, e, zero);
    // Where t was not clamped this is s again.
    let s = along(b * t - c, a, zero);
    EdgeEdge { s, t, between: r + u * s - v * t }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random::Random;

    /// Returns points at several scales and places, some of them equal, collinear, or nearly so.
    fn four(kind: usize, random: &mut Random) -> [Vec3; 4] {
        let [p, a, b, c] = std::array::from_fn(|_| random.vector());
        let thin = [1e-3, 1e-6, 1e-9, 1e-13][kind / 12 % 4];
        let points = match kind % 12 {
            1 => [p, a, a, c],
            2 => [p, a, a, a],
            3 => [p, a, b, a + (b - a) * random.signed()],
            4 => [p, a, b, b + (b - a) * random.signed() + random.vector() * thin],
            5 => [p, a, p + (b - a), b],
            6 => [p, p + (b - a), a + c * thin, b],
            7 => [a + (p - a) * thin, a, b, c],
            8 => [(a + b) / 2.0 + p * thin, a, b, c],
            9 => [p, p, p, p],
            10 => [p, b, a, a + (b - a) * thin + c * thin],
            11 => [p, p + (a - p), p + (a - p) * 2.0, p + (a - p) * 3.0],
            _ => [p, a, b, c],
        };
        let scale = [1.0, 1e-6, 1e6][kind / 48 % 3];
        points.map(|x| x * scale)
    }

    /// Refines the minimum of a convex function over a square of parameters until the function no longer falls.
    fn least(start: [f64; 2], legal: impl Fn([f64; 2]) -> [f64; 2], f: impl Fn([f64; 2]) -> f64) -> f64 {
        let (mut at, mut best) = (start, f(start));
        let mut step = 0.25;
        while step > 1e-9 {
            let mut better = false;
            for [i, j] in
                [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]]
            {
                let next = legal([at[0] + i * step, at[1] + j * step]);
                let value = f(next);
                if value < best {
                    (at, best, better) = (next, value, true);
                }
            }
            if !better {
                step /= 2.0;
            }
        }
        best
    }

    #[test]
    fn point_triangle_is_the_minimum() {
        let mut random = Random::new(9);
        for k in 0..1_500 {
            let [p, a, b, c] = four(k, &mut random);
            let found = point_triangle(&p, &a, &b, &c);
            let size = [a, b, c].iter().fold(0.0f64, |m, x| m.max((x - p).norm()));
            let [u, v, w] = found.weights;
            assert!((u + v + w - 1.0).abs() < 1e-15 && u >= 0.0 && v >= 0.0 && w >= 0.0, "{k}: {found:?}");
            let there = ((a - p) * u + (b - p) * v + (c - p) * w).norm();
            assert!((there - found.distance2.sqrt()).abs() <= 1e-14 * size, "{k}");
            let legal = |[v, w]: [f64; 2]| {
                let (v, w) = (v.clamp(0.0, 1.0), w.clamp(0.0, 1.0));
                [v, w.min(1.0 - v)]
            };
            let distance2 = |[v, w]: [f64; 2]| ((a - p) + (b - a) * v + (c - a) * w).norm_squared();
            for start in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.3, 0.3], [v, w]] {
                let bound = least(start, legal, distance2).sqrt();
                assert!(found.distance2.sqrt() <= bound + 1e-11 * size, "{k}: {} {bound}", found.distance2.sqrt());
            }
        }
    }

    /// Each lane equals the result for one pair alone, thin triangles included.
    #[test]
    fn four_triangles_do_not_mix() {
        let mut random = Random::new(11);
        for k in 0..1_500 {
            let pairs: [[Vec3; 4]; 4] = std::array::from_fn(|lane| four(k + 37 * lane, &mut random));
            let found = point_triangles(std::array::from_fn(|corner| Four::from_fn(|lane| &pairs[lane][corner])));
            for ([p, a, b, c], found) in pairs.iter().zip(found.to_array()) {
                assert_eq!(found, point_triangle(p, a, b, c), "{k}");
            }
        }
    }

    /// Returns parameters and distance of four pairs.
    fn edges(pairs: &[[Vec3; 4]; 4]) -> [[f64; 3]; 4] {
        let found = edge_edge(std::array::from_fn(|end| Four::from_fn(|k| &pairs[k][end])));
        let (s, t, distance) = (found.s.to_array(), found.t.to_array(), found.between.norm().to_array());
        std::array::from_fn(|k| [s[k], t[k], distance[k]])
    }

    #[test]
    fn edge_edge_is_the_minimum() {
        let mut random = Random::new(10);
        for k in 0..400 {
            let pairs: [[Vec3; 4]; 4] = std::array::from_fn(|lane| four(4 * k + lane, &mut random));
            for ([p, a, b, c], [s, t, distance]) in pairs.into_iter().zip(edges(&pairs)) {
                let size = [a, b, c].iter().fold(0.0f64, |m, x| m.max((x - p).norm()));
                assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t), "{k}: {s} {t}");
                let legal = |at: [f64; 2]| at.map(|x| x.clamp(0.0, 1.0));
                let distance2 = |[s, t]: [f64; 2]| ((p - b) + (a - p) * s - (c - b) * t).norm_squared();
                assert!((distance - distance2([s, t]).sqrt()).abs() <= 1e-14 * size, "{k}");
                for start in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [s, t]] {
                    let bound = least(start, legal, distance2).sqrt();
                    assert!(distance <= bound + 1e-11 * size, "{k}: {distance} {bound}");
                }
            }
        }
    }

    #[test]
    fn features_are_named() {
        let [a, b, c] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
        let at = |x: f64, y: f64| point_triangle(&Vec3::new(x, y, 0.5), &a, &b, &c).feature();
        assert_eq!(at(-1.0, -1.0), Feature::Vertex(0));
        assert_eq!(at(2.0, 0.0), Feature::Vertex(1));
        assert_eq!(at(0.0, 2.0), Feature::Vertex(2));
        assert_eq!(at(1.0, 1.0), Feature::Edge(0));
        assert_eq!(at(-1.0, 0.5), Feature::Edge(1));
        assert_eq!(at(0.5, -1.0), Feature::Edge(2));
        assert_eq!(at(0.2, 0.2), Feature::Face);
    }

    #[test]
    fn four_pairs_of_edges_do_not_mix() {
        let pair = |q0: [f64; 3], q1: [f64; 3]| [Vec3::zeros(), Vec3::x(), Vec3::from(q0), Vec3::from(q1)];
        let crossing = pair([0.25, -1.0, 0.5], [0.25, 1.0, 0.5]);
        let beyond = pair([2.0, -1.0, 0.0], [2.0, 1.0, 0.0]);
        let parallel = pair([0.5, 1.0, 0.0], [3.0, 1.0, 0.0]);
        let point = pair([0.5, 0.0, 2.0], [0.5, 0.0, 2.0]);
        let [crossing, beyond, [s, t, distance], point] = edges(&[crossing, beyond, parallel, point]);
        assert_eq!((crossing, beyond, point), ([0.25, 0.5, 0.5], [1.0, 0.5, 1.0], [0.5, 0.0, 2.0]));
        assert!((s == 1.0 || t == 0.0) && distance == 1.0);
    }
}
