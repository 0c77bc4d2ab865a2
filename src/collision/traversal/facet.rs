//! Lower bounds of the distance of a point from the eight triangles of a leaf at once, in single precision.

use super::frame::Frame;
use crate::collision::tree::WIDTH;
use crate::linalg::{Vec3, f32x8, par};

/// Rounding of a bound as a part of the lengths it comes from: some ten roundings to `f32` in each of three components.
pub const ROUNDING: f32 = 2e-6;
/// Leaves in a block of a parallel loop.
const BLOCK: usize = 32;

/// A point seen from another [m].
pub type Local = [f32; 3];

/// The point `p` seen from `origin`.
#[inline(always)]
pub fn local(p: &Vec3, origin: &Vec3) -> Local {
    std::array::from_fn(|k| (p[k] - origin[k]) as f32)
}

/// Triangles as their planes and the half planes of their sides.
#[derive(Clone, Debug)]
pub struct Facets {
    /// Bounds of all.
    pub frame: Frame,
    /// A corner of the first one [m].
    origin: Vec3,
    /// Unit normal of each triangle's plane, then those of its sides in the plane, outward; with each, less the distance of what it is
    /// normal to from there [m].
    planes: [[f32x8; 4]; 4],
    /// What a distance counts as, rounding that grows with it included.
    scale: f32x8,
    /// Rounding due to a triangle's size and its distance from there [m].
    rounding: f32x8,
    /// Lanes with a triangle.
    lanes: u32,
}

/// Brings the facets of all leaves to the present corners of the triangles, which are numbered as in the tree; boxes and frames are seen
/// from `origin`.
pub fn fit<'a>(leaves: &mut [Facets], count: usize, origin: &Vec3, corners: impl Fn(u32) -> [&'a Vec3; 3] + Sync) {
    par::blocks_mut(leaves, BLOCK, |first, block| {
        for (k, leaf) in block.iter_mut().enumerate() {
            let at = (first + k) * WIDTH;
            let there = (count - at).min(WIDTH);
            leaf.origin = *corners(at as u32)[0];
            let mut rows = [[[0f32; WIDTH]; 3]; 3];
            for i in 0..WIDTH {
                let corners = corners((at + i.min(there - 1)) as u32);
                for (rows, corner) in rows.iter_mut().zip(corners) {
                    rows.iter_mut().zip(local(corner, &leaf.origin)).for_each(|(row, x)| row[i] = x);
                }
            }
            leaf.fit(rows.map(|corner| corner.map(f32x8::new)), &local(&leaf.origin, origin));
            leaf.lanes = (1 << there) - 1;
        }
    });
}

/// Eight vectors: the first components of all, the second, the third.
type Eight = [f32x8; 3];

#[inline(always)]
fn minus(a: &Eight, b: &Eight) -> Eight {
    std::array::from_fn(|k| a[k] - b[k])
}

#[inline(always)]
fn times(a: &Eight, by: f32x8) -> Eight {
    a.map(|x| x * by)
}

#[inline(always)]
fn dot([a, b, c]: &Eight, [p, q, r]: &Eight) -> f32x8 {
    a.mul_add(*p, b.mul_add(*q, *c * *r))
}

#[inline(always)]
fn cross([a, b, c]: &Eight, [p, q, r]: &Eight) -> Eight {
    [*b * *r - *c * *q, *c * *p - *a * *r, *a * *q - *b * *p]
}

impl Facets {
    /// Of no triangle.
    pub const NONE: Facets = Facets {
        frame: Frame::NONE,
        origin: Vec3::new(0.0, 0.0, 0.0),
        planes: [[f32x8::ZERO; 4]; 4],
        scale: f32x8::ZERO,
        rounding: f32x8::ZERO,
        lanes: 0,
    };

    #[inline(always)]
    fn fit(&mut self, corners: [Eight; 3], shift: &Local) {
        let [a, b, c] = &corners;
        let (ab, ac, bc) = (minus(b, a), minus(c, a), minus(c, b));
        let one = f32x8::splat(1.0);
        let n = cross(&ab, &ac);
        let size = dot(&n, &n).sqrt();
        // A flat triangle's is no number, and no bound puts the triangle aside.
        let n = times(&n, one / size);
        let lengths = [ab, ac, bc].map(|side| dot(&side, &side).sqrt());
        let sides = [cross(&ab, &n), cross(&n, &ac), cross(&bc, &n)];
        let plane = |normal: Eight, through: &Eight| {
            let [x, y, z] = normal;
            [x, y, z, -dot(&normal, through)]
        };
        let side = |k: usize, through: &Eight| plane(times(&sides[k], one / lengths[k]), through);
        self.planes = [plane(n, a), side(0, a), side(1, a), side(2, b)];
        let from = dot(a, a).sqrt();
        // One over the sine between the sides: what rounding turns a normal by.
        let part = f32x8::splat(ROUNDING) * (lengths[0] * lengths[1] / size);
        self.scale = one + part + f32x8::splat(ROUNDING);
        self.rounding = part * (lengths[0] + lengths[1]) + f32x8::splat(ROUNDING) * from;
        self.frame.fit(&corners, &n, shift);
    }

    /// Bit k is set unless triangle k is shown to be farther from `p` than `distance` [m].
    #[inline(always)]
    pub fn within(&self, p: &Vec3, distance: f32) -> u32 {
        let [x, y, z] = local(p, &self.origin).map(f32x8::splat);
        let over = |[a, b, c, less]: &[f32x8; 4]| a.mul_add(x, b.mul_add(y, c.mul_add(z, *less)));
        let [height, first, second, third] = [0, 1, 2, 3].map(|k| over(&self.planes[k]));
        let beyond = first.fast_max(second).fast_max(third.fast_max(f32x8::ZERO));
        let limit = f32x8::splat(distance).mul_add(self.scale, self.rounding);
        let far = height.mul_add(height, beyond * beyond).simd_gt(limit * limit);
        !far.to_bitmask() & self.lanes
    }
}
