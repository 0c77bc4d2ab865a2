//! Exact test for triangles that cross each other.
//!
//! Two triangles cross when a side of one pierces the other. That side passes from strictly one side of the plane to
//! strictly the other, and meets the triangle or its border. The side must share no vertex with the other triangle. If
//! an end of the side is in the plane, the triangles only touch. Coplanar triangles do not cross. A triangle without
//! area is not crossed, but its sides may cross others. Sides of planes are signs of determinants, exact by Shewchuk's
//! adaptive predicates (1997).

use super::tree::{Box3, Tree, margin2};
use crate::linalg::{Vec3, par};
use robust::{Coord3D, orient3d};

/// Pairs of triangles that cross or touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Intersections {
    /// Pairs of triangles that cross, lower index first, sorted.
    pub pairs: Vec<[u32; 2]>,
    /// Pairs of triangles that touch and do not cross, sorted.
    pub touching: Vec<[u32; 2]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meeting {
    Apart,
    Touch,
    Cross,
}

/// Number of leaves per block of queries.
const LEAVES: usize = 16;

/// Returns all pairs of `triangles` (vertices `x`, finite) that cross or touch, except those for which `skip` is true.
/// `skip` is called with the lower index first.
pub fn intersections(x: &[Vec3], triangles: &[[u32; 3]], skip: impl Fn(u32, u32) -> bool + Sync) -> Intersections {
    Test::new(x, triangles, triangles.len()).intersections(x, triangles, skip)
}

/// Intersection test of the same triangles at many moments.
#[derive(Clone, Debug)]
pub struct Test {
    /// Trees over the triangles that are tested against all, and over the others.
    trees: [Tree; 2],
}

impl Test {
    /// Builds the test from positions `x` at any moment. The first `asking` triangles are tested against all.
    pub fn new(x: &[Vec3], triangles: &[[u32; 3]], asking: usize) -> Test {
        let tree = |items: std::ops::Range<usize>| {
            let items: Vec<u32> = items.map(|t| t as u32).collect();
            let centre = |t: &u32| triangles[*t as usize].map(|v| x[v as usize]).iter().sum::<Vec3>() / 3.0;
            let centres = par::map(items.len(), |k| centre(&items[k]));
            Tree::new(&items, &centres)
        };
        Test { trees: [tree(0..asking), tree(asking..triangles.len())] }
    }

    /// Returns the pairs that cross or touch, as [`intersections`] does.
    pub fn intersections(
        &mut self,
        x: &[Vec3],
        triangles: &[[u32; 3]],
        skip: impl Fn(u32, u32) -> bool + Sync,
    ) -> Intersections {
        let points = scaled(x);
        let corners = |t: u32| triangles[t as usize].map(|v| &points[v as usize]);
        for tree in &mut self.trees {
            tree.refit(|t| Box3::around(corners(t), 0.0));
        }
        let [asking, others] = &self.trees;
        let touching = margin2(0.0);
        let test = |s: u32, t: u32, out: &mut Vec<([u32; 2], Meeting)>| {
            let pair = [s.min(t), s.max(t)];
            if skip(pair[0], pair[1]) {
                return;
            }
            let meeting = meet(&points, pair.map(|t| &triangles[t as usize]));
            if meeting != Meeting::Apart {
                out.push((pair, meeting));
            }
        };
        let met = par::gather(asking.leaves(), LEAVES, |leaves, out: &mut Vec<([u32; 2], Meeting)>| {
            for (leaf, others_too) in leaves.flat_map(|leaf| [(leaf, false), (leaf, true)]) {
                let (tree, from) = if others_too { (others, 0) } else { (asking, leaf) };
                tree.query(&asking.around(leaf), touching, from, |other| {
                    asking.pairs(leaf, tree, other, touching, |s, t| test(s, t, out));
                });
            }
        });
        let of = |wanted: Meeting| {
            let mut pairs: Vec<[u32; 2]> = met.iter().filter(|(_, m)| *m == wanted).map(|(pair, _)| *pair).collect();
            pairs.sort_unstable();
            pairs
        };
        Intersections { pairs: of(Meeting::Cross), touching: of(Meeting::Touch) }
    }
}

/// Scales positions by a power of two that brings the largest coordinate near one. Products of tiny or huge coordinates
/// then neither vanish nor overflow, and no sign changes.
fn scaled(x: &[Vec3]) -> Vec<Vec3> {
    let largest = par::max(x.len(), |v| x[v].amax());
    if largest <= 0.0 || !largest.is_finite() || (1e-6..1e6).contains(&largest) {
        return x.to_vec();
    }
    // Scaling takes two factors, because the exponent of one can exceed the range of f64.
    let power = -largest.log2().floor() as i32;
    let (half, rest) = (2f64.powi(power / 2), 2f64.powi(power - power / 2));
    par::map(x.len(), |v| x[v] * half * rest)
}

/// Returns whether two triangles cross. Coordinates must be neither tiny nor huge.
pub fn cross(x: &[Vec3], triangles: [&[u32; 3]; 2]) -> bool {
    meet(x, triangles) == Meeting::Cross
}

/// Returns whether the edge from `p` to `q` passes through the face, with which it has no vertex in common. Coordinates
/// must be neither tiny nor huge.
pub fn pierces(x: &[Vec3], [p, q]: [u32; 2], face: &[u32; 3]) -> bool {
    side_meets(&x[p as usize], &x[q as usize], face.map(|v| &x[v as usize])) == Meeting::Cross
}

/// Classifies how two triangles meet.
fn meet(x: &[Vec3], [s, t]: [&[u32; 3]; 2]) -> Meeting {
    if s.iter().filter(|v| t.contains(v)).count() >= 2 {
        return Meeting::Apart;
    }
    let mut touch = false;
    for (sides, face) in [(s, t), (t, s)] {
        for k in 0..3 {
            let [p, q] = [sides[k], sides[(k + 1) % 3]];
            if p == q || face.contains(&p) || face.contains(&q) {
                continue;
            }
            match side_meets(&x[p as usize], &x[q as usize], face.map(|v| &x[v as usize])) {
                Meeting::Cross => return Meeting::Cross,
                Meeting::Touch => touch = true,
                Meeting::Apart => {}
            }
        }
    }
    if touch { Meeting::Touch } else { Meeting::Apart }
}

/// Classifies how the segment `p q` meets the triangle `a b c`.
fn side_meets(p: &Vec3, q: &Vec3, [a, b, c]: [&Vec3; 3]) -> Meeting {
    for k in 0..3 {
        let (low, high) = (p[k].min(q[k]), p[k].max(q[k]));
        if low > a[k].max(b[k]).max(c[k]) || high < a[k].min(b[k]).min(c[k]) {
            return Meeting::Apart;
        }
    }
    let (from, to) = (side(a, b, c, p), side(a, b, c, q));
    if from == to {
        return Meeting::Apart;
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    if around.contains(&1) && around.contains(&-1) {
        return Meeting::Apart;
    }
    if from == 0 || to == 0 {
        Meeting::Touch
    } else if around == [0; 3] {
        // The triangle has no area.
        Meeting::Apart
    } else {
        Meeting::Cross
    }
}

/// Returns the side of the plane `a b c` that `d` is on: -1, 0, or 1.
#[inline]
fn side(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> i8 {
    // Most flat meshes are normal to an axis.
    if (0..3).any(|k| a[k] == d[k] && b[k] == d[k] && c[k] == d[k]) {
        return 0;
    }
    let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
    let volume = orient3d(a, b, c, d);
    i8::from(volume > 0.0) - i8::from(volume < 0.0)
}

#[cfg(test)]
mod tests;
