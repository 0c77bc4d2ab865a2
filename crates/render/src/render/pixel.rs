//! Data shared by the stages of a picture: pixels, surface points at their centres, and the scene.

use super::camera::View;
use super::packet::LANES;
use super::settings::{Object, Settings};
use super::surface::Surface;
use crate::linalg::Vec3;

/// Side of a tile whose pixels share packets of rays [pixels].
pub(super) const SIDE: usize = 4;

/// Surface point that a camera ray hits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spot {
    /// Start of rays that leave the surface, in the tree's coordinates.
    pub origin: [f32; 3],
    /// Normal of the triangle.
    pub face: [f32; 3],
    /// Interpolated normal.
    pub normal: [f32; 3],
    /// Object number; 0 for background.
    pub object: u32,
    /// Distance along the axis of view [m].
    pub depth: f32,
}

/// Pixel: surface point at its centre and the light there.
#[derive(Clone, Copy, Default)]
pub(super) struct Pixel {
    /// Light independent of shadow and sky rays.
    pub plain: [f32; 3],
    /// Light from the key light, if unblocked.
    pub direct: [f32; 3],
    /// Light from the fill, if nothing covers the sky.
    pub ambient: [f32; 3],
    pub spot: Spot,
}

/// Scene, view and sample patterns of a picture.
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

/// Returns pixel `i` and its neighbours, each with its number 0 to 8 in the 3x3 block. Pixels outside the picture are
/// left out.
pub(super) fn around(i: usize, width: usize, height: usize) -> impl Iterator<Item = (usize, usize)> {
    let (x, y) = (i % width, i / width);
    (0..9).filter_map(move |k| {
        let (x, y) = ((x + k % 3).checked_sub(1)?, (y + k / 3).checked_sub(1)?);
        (x < width && y < height).then_some((k, y * width + x))
    })
}

/// Returns whether two points may lie on the same surface.
pub(super) fn same(a: &Spot, b: &Spot) -> bool {
    a.object == b.object && (0..3).map(|c| a.normal[c] * b.normal[c]).sum::<f32>() > 0.8
}

/// Returns the pixels of the tile that begins at column `left` in a band of `rows` rows. Pixels inside come first; the
/// rest are (`width`, `rows`).
pub(super) fn tile(left: usize, width: usize, rows: usize) -> [(usize, usize); LANES] {
    let across = SIDE.min(width - left).max(1);
    std::array::from_fn(|k| if k < across * rows { (left + k % across, k / across) } else { (width, rows) })
}
