//! Lower bounds of the distance of a point from the eight triangles of a leaf at once.

use crate::collision::tree::{Box3, WIDTH};
use crate::linalg::four::Four;
use crate::linalg::{Vec3, f32x8, f64x4, par};

/// Sine of the angle at the first corner below which a triangle has no bound.
const SLIVER: f64 = 1e-6;
/// Rounding of a bound, relative to the lengths in it: fourteen roundings to `f32`.
const ROUNDING: f64 = 1e-6;
/// Number of leaves in a block of a parallel loop.
const BLOCK: usize = 32;

/// Triangles of a leaf, as planes and half planes of their sides.
#[derive(Clone, Debug)]
pub(super) struct Facets {
    /// Box around all triangles.
    pub around: Box3,
    /// First corner of the first triangle [m].
    origin: Vec3,
    /// First corner of each triangle, relative to `origin` [m].
    corner: [f32x8; 3],
    /// Unit normals.
    normal: [f32x8; 3],
    /// Outward unit normals of the sides in the plane. The first two sides contain the first corner.
    sides: [[f32x8; 3]; 3],
    /// Distance of the third side from the first corner [m].
    width: f32x8,
    /// Rounding due to a triangle's size and its distance from the origin [m].
    rounding: f32x8,
    /// Mask of lanes with a triangle.
    lanes: u32,
}

/// Fits the facets of all leaves to the present corners of the triangles, numbered as in the tree.
pub(super) fn fit<'a>(leaves: &mut [Facets], count: usize, corners: impl Fn(u32) -> [&'a Vec3; 3] + Sync) {
    par::blocks_mut(leaves, BLOCK, |first, block| {
        for (k, leaf) in block.iter_mut().enumerate() {
            let at = (first + k) * WIDTH;
            let there = (count - at).min(WIDTH);
            let corners: [[&Vec3; 3]; WIDTH] = std::array::from_fn(|i| corners((at + i.min(there - 1)) as u32));
            leaf.fit(&corners);
            leaf.lanes = (1 << there) - 1;
        }
    });
}

impl Facets {
    /// Facets without triangles.
    pub(super) const NONE: Facets = Facets {
        around: Box3::EMPTY,
        origin: Vec3::new(0.0, 0.0, 0.0),
        corner: [f32x8::ZERO; 3],
        normal: [f32x8::ZERO; 3],
        sides: [[f32x8::ZERO; 3]; 3],
        width: f32x8::ZERO,
        rounding: f32x8::ZERO,
        lanes: 0,
    };

    #[inline(always)]
    fn fit(&mut self, corners: &[[&Vec3; 3]; WIDTH]) {
        let all: [&Vec3; 3 * WIDTH] = std::array::from_fn(|k| corners[k / 3][k % 3]);
        self.around = Box3::around(all, 0.0);
        self.origin = *corners[0][0];
        let origin = Four::from_fn(|_| &self.origin);
        let mut rows = [[0f32; WIDTH]; 17];
        for half in [0, 4] {
            let [a, b, c] = std::array::from_fn(|j| Four::from_fn(|i| corners[half + i][j]));
            let (ab, ac, bc, from) = (b - a, c - a, c - b, a - origin);
            let n = ab.cross(&ac);
            let (n2, ab2, ac2) = (n.dot(&n), ab.dot(&ab), ac.dot(&ac));
            let good = n2.simd_gt(f64x4::splat(SLIVER * SLIVER) * ab2 * ac2);
            // NaN in a bound: the triangle is always visited.
            let n = n / good.select(n2.sqrt(), f64x4::splat(f64::NAN));
            let sides = [ab.cross(&n) / ab2.sqrt(), n.cross(&ac) / ac2.sqrt(), bc.cross(&n) / bc.norm()];
            let width = ab.dot(&sides[2]);
            let rounding = (ab2.sqrt() + ac2.sqrt() + from.norm()) * f64x4::splat(ROUNDING);
            let vectors = [from, n, sides[0], sides[1], sides[2]].map(|v| v.parts());
            let numbers = vectors.iter().flatten().chain([&width, &rounding]);
            for (row, numbers) in rows.iter_mut().zip(numbers) {
                row[half..half + 4].copy_from_slice(&numbers.to_array().map(|v| v as f32));
            }
        }
        let vector = |m: usize| std::array::from_fn(|axis| f32x8::new(rows[3 * m + axis]));
        (self.corner, self.normal) = (vector(0), vector(1));
        self.sides = [vector(2), vector(3), vector(4)];
        (self.width, self.rounding) = (f32x8::new(rows[15]), f32x8::new(rows[16]));
    }

    /// Returns a mask whose bit k is set unless triangle k is proven farther from `p` than `distance` [m].
    #[inline(always)]
    pub(super) fn within(&self, p: &Vec3, distance: f64) -> u32 {
        let r: [f32x8; 3] = std::array::from_fn(|k| f32x8::splat((p[k] - self.origin[k]) as f32) - self.corner[k]);
        let along = |d: &[f32x8; 3]| r[0] * d[0] + r[1] * d[1] + r[2] * d[2];
        let height = along(&self.normal);
        let third = along(&self.sides[2]) - self.width;
        let beyond = along(&self.sides[0]).fast_max(along(&self.sides[1])).fast_max(third).fast_max(f32x8::ZERO);
        let limit = f32x8::splat((distance * (1.0 + ROUNDING)) as f32) + self.rounding;
        let far = (height * height + beyond * beyond).simd_gt(limit * limit);
        !far.to_bitmask() & self.lanes
    }
}
