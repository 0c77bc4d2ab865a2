//! What the stages of a picture share: pixels, what their centres show, and what is drawn.

use super::bvh::LANES;
use super::camera::View;
use super::settings::{Object, Settings};
use super::surface::Surface;
use crate::linalg::Vec3;

/// Side of a tile whose pixels share packets of rays [pixels].
pub(super) const SIDE: usize = 4;

/// What a pixel's centre shows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    /// Start of rays that leave the surface, in the tree's coordinates.
    pub origin: [f32; 3],
    /// Normal of the triangle.
    pub face: [f32; 3],
    /// Interpolated normal.
    pub normal: [f32; 3],
    /// 0 where there is nothing.
    pub object: u32,
    /// Distance along the axis of view [m].
    pub depth: f32,
}

/// A pixel: what its centre shows and the light there.
#[derive(Clone, Copy, Default)]
pub(super) struct Pixel {
    /// Light that needs no ray.
    pub plain: [f32; 3],
    /// From the key light if nothing is in its way.
    pub direct: [f32; 3],
    /// From the fill if nothing covers the sky.
    pub ambient: [f32; 3],
    pub spot: Spot,
}

/// What is drawn, and how.
pub(super) struct Draw<'a> {
    pub surface: Surface<'a>,
    pub objects: &'a [Object<'a>],
    pub settings: &'a Settings,
    pub view: View,
    pub up: Vec3,
    pub pattern: Vec<[f64; 2]>,
    pub key: Vec<Vec3>,
    pub probe: Vec<Vec3>,
    pub key_axis: Vec3,
    /// Distance by which shadow rays leave the surface [m].
    pub lift: f64,
}

/// The pixels around one and itself, each with its number among the nine.
pub(super) fn around(i: usize, width: usize, height: usize) -> impl Iterator<Item = (usize, usize)> {
    let (x, y) = (i % width, i / width);
    (0..9).filter_map(move |k| {
        let (x, y) = ((x + k % 3).checked_sub(1)?, (y + k / 3).checked_sub(1)?);
        (x < width && y < height).then_some((k, y * width + x))
    })
}

/// Two spots may be of one surface.
pub(super) fn same(a: &Spot, b: &Spot) -> bool {
    a.object == b.object && (0..3).map(|c| a.normal[c] * b.normal[c]).sum::<f32>() > 0.8
}

/// Places in a band of rows of the tile that begins at `left`: those inside come first.
pub(super) fn tile(left: usize, width: usize, rows: usize) -> [(usize, usize); LANES] {
    let across = SIDE.min(width - left).max(1);
    std::array::from_fn(|k| if k < across * rows { (left + k % across, k / across) } else { (width, rows) })
}
