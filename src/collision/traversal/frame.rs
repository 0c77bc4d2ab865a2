//! Boxes along the triangles of a leaf: thin where they are flat, so that a point above one leaf is seldom near the box of the next.

use super::facet::{Local, ROUNDING};
use crate::collision::tree::{Box3, WIDTH};
use crate::linalg::f32x8;

/// Bounds of the triangles of a leaf.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Along the axes of space.
    pub around: Box3,
    /// Unit vectors at right angles to each other: in the mean plane, and its normal.
    axes: [Local; 3],
    /// Least and greatest coordinate along each [m].
    bounds: [[f32; 2]; 3],
}

/// Least and greatest of eight numbers.
#[inline(always)]
fn extent(low: f32x8, high: f32x8) -> [f32; 2] {
    let least = low.to_array().into_iter().fold(f32::INFINITY, |a, b| if b < a { b } else { a });
    let greatest = high.to_array().into_iter().fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
    [least, greatest]
}

impl Frame {
    /// Around nothing.
    pub const NONE: Frame = Frame {
        around: Box3::EMPTY,
        axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        bounds: [[f32::INFINITY, f32::NEG_INFINITY]; 3],
    };

    /// Fits it to corners of triangles with unit `normals`; what they are seen from is at `shift` from the origin [m].
    #[inline(always)]
    pub fn fit(&mut self, corners: &[[f32x8; 3]; 3], normals: &[f32x8; 3], shift: &Local) {
        let span = |along: [f32x8; 3]| {
            let [p, q, r] = along;
            extent(p.fast_min(q).fast_min(r), p.fast_max(q).fast_max(r))
        };
        let plain = [0, 1, 2].map(|k| span(corners.map(|corner| corner[k])));
        let largest = plain.iter().flatten().chain(shift).fold(0f32, |m, x| m.max(x.abs()));
        let wide = |[low, high]: [f32; 2], by: f32| {
            [low + by - 4.0 * ROUNDING * largest, high + by + 4.0 * ROUNDING * largest]
        };
        let bounds = std::array::from_fn(|k| wide(plain[k], shift[k]));
        self.around = Box3 { low: bounds.map(|b: [f32; 2]| b[0]), high: bounds.map(|b| b[1]) };
        let sum = normals.map(f32x8::reduce_add);
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        let n = sum.map(|x| x / length);
        // The axis of space that is most in the plane.
        let k = (0..3).fold(0, |k, j| if n[j].abs() < n[k].abs() { j } else { k });
        let in_plane = 1.0 / (1.0 - n[k] * n[k]).sqrt();
        let u: Local = std::array::from_fn(|j| (f32::from(u8::from(j == k)) - n[k] * n[j]) * in_plane);
        if !(length > 0.1 && in_plane.is_finite()) {
            (self.axes, self.bounds) = (Frame::NONE.axes, bounds);
            return;
        }
        let v = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
        self.axes = [u, v, n];
        self.bounds = self.axes.map(|axis| {
            let [a, b, c] = axis.map(f32x8::splat);
            let by = (0..3).map(|k| axis[k] * shift[k]).sum();
            wide(span(corners.map(|[x, y, z]| a.mul_add(x, b.mul_add(y, c * z)))), by)
        });
    }
}

/// Eight frames in lanes.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    axes: [[f32x8; 3]; 3],
    bounds: [[f32x8; 2]; 3],
}

impl Frames {
    /// Around nothing.
    pub const NONE: Frames = Frames { axes: [[f32x8::ZERO; 3]; 3], bounds: [[f32x8::ZERO; 2]; 3] };

    /// The frames given, at most eight; lanes left over are around nothing.
    #[inline(always)]
    pub fn new<'a>(frames: impl Iterator<Item = &'a Frame>) -> Frames {
        let mut axes = [[[0f32; WIDTH]; 3]; 3];
        let mut bounds = [[[f32::INFINITY; WIDTH], [f32::NEG_INFINITY; WIDTH]]; 3];
        for (k, frame) in frames.take(WIDTH).enumerate() {
            for m in 0..3 {
                (0..3).for_each(|l| axes[m][l][k] = frame.axes[m][l]);
                (0..2).for_each(|l| bounds[m][l][k] = frame.bounds[m][l]);
            }
        }
        Frames { axes: axes.map(|axis| axis.map(f32x8::new)), bounds: bounds.map(|b| b.map(f32x8::new)) }
    }

    /// Bit k is set unless frame k is shown to be farther from `p` than `distance` [m].
    #[inline(always)]
    pub fn within(&self, p: &Local, distance: f32) -> u32 {
        let [x, y, z] = p.map(f32x8::splat);
        let gap2 = |k: usize| {
            let ([a, b, c], [low, high]) = (self.axes[k], self.bounds[k]);
            let along = a.mul_add(x, b.mul_add(y, c * z));
            let gap = (low - along).fast_max(along - high).fast_max(f32x8::ZERO);
            gap * gap
        };
        let limit = f32x8::splat(distance * (1.0 + ROUNDING));
        (gap2(0) + gap2(1) + gap2(2)).simd_le(limit * limit).to_bitmask()
    }
}
