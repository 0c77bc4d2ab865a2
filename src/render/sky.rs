//! How much of the sky each pixel sees past the objects.
//!
//! The pixels of a 4x4 tile have sixteen directions each, together an even set of 256. Rays are sent in packets of
//! sixteen pixels and one part of the sky, so they stay close together; the shares are then averaged over the tile
//! around each pixel as far as its surface goes on.

use super::bvh::{LANES, NONE, Packet, Tree};
use super::light::tangents;
use super::pattern;
use crate::linalg::{Vec3, par};

const SIDE: usize = 4;

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

/// Directions about +z, weighted by the cosine: a block for every pixel of a tile, in each block one in every cell of a
/// 4x4 grid over the hemisphere.
fn directions() -> Vec<[f64; 3]> {
    let mut table = vec![[0.0, 0.0, 1.0]; LANES * LANES];
    for i in 0..LANES * LANES {
        let u = pattern::sobol(i as u32);
        let cell = (u[0] * 4.0) as usize + 4 * (u[1] * 4.0) as usize;
        table[i / LANES * LANES + cell] = pattern::cosine_hemisphere(u.map(|x| x + 0.5 / 256.0));
    }
    table
}

/// Open share of the sky for every pixel, and the number of rays sent. `pixel` is a pixel's size at unit depth.
pub(super) fn open(tree: &Tree, spots: &[Spot], width: usize, pixel: f64) -> (Vec<f32>, u64) {
    let mut raw = vec![1f32; spots.len()];
    let table = directions();
    par::blocks_mut(&mut raw, SIDE * width.max(1), |first, band| {
        let part = &spots[first..first + band.len()];
        for x in (0..width).step_by(SIDE) {
            tile(tree, part, band, width, x, &table);
        }
    });
    let mut smooth = vec![1f32; spots.len()];
    par::fill(&mut smooth, |i| average(spots, &raw, width, pixel, i));
    let seen = spots.iter().filter(|s| s.object > 0).count();
    (smooth, (seen * LANES) as u64)
}

/// One tile of a band of four rows.
fn tile(tree: &Tree, spots: &[Spot], out: &mut [f32], width: usize, x: usize, table: &[[f64; 3]]) {
    let place = |p: usize| {
        let at = p / SIDE * width + x + p % SIDE;
        (x + p % SIDE < width && at < spots.len() && spots[at].object > 0).then_some(at)
    };
    let wide = |v: [f32; 3]| Vec3::from(v.map(f64::from));
    let places: [Option<usize>; LANES] = std::array::from_fn(place);
    if places.iter().all(Option::is_none) {
        return;
    }
    let frames = places.map(|at| {
        let n = at.map_or(Vec3::z(), |at| wide(spots[at].normal));
        (n, tangents(n))
    });
    let mut free = [0u32; LANES];
    for cell in 0..LANES {
        let mut packet = Packet::default();
        for (l, at) in places.iter().enumerate() {
            let Some(spot) = at.map(|at| &spots[at]) else { continue };
            let (n, (a, b)) = &frames[l];
            let [x, y, z] = table[l * LANES + cell];
            let (direction, face) = (a * x + b * y + n * z, wide(spot.face));
            let below = direction.dot(&face).min(0.0);
            packet.set(l, spot.origin, super::to_f32(direction - face * (2.0 * below)), f32::MAX);
        }
        tree.blocked(&mut packet);
        for (count, hit) in free.iter_mut().zip(packet.hit) {
            *count += u32::from(hit == NONE);
        }
    }
    for (at, count) in places.iter().zip(free) {
        if let Some(at) = at {
            out[*at] = count as f32 / LANES as f32;
        }
    }
}

/// Average around pixel `i` over the same surface; where the pixel's centre shows nothing, over whatever is beside it.
fn average(spots: &[Spot], raw: &[f32], width: usize, pixel: f64, i: usize) -> f32 {
    let p = &spots[i];
    let (x, y) = (i % width, i / width);
    let dot = |a: &[f32; 3], b: &[f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let reach = 4.0 * pixel as f32 * p.depth;
    let (mut sum, mut total) = (0.0, 0.0);
    for qy in y.saturating_sub(2)..=y + 2 {
        for qx in x.saturating_sub(2)..(x + 3).min(width) {
            let at = qy * width + qx;
            let Some(q) = spots.get(at).filter(|q| q.object > 0) else { continue };
            let border = |a: usize, b: usize| if a.abs_diff(b) == 2 { 0.5 } else { 1.0 };
            let mut weight = border(x, qx) * border(y, qy);
            if p.object > 0 {
                let apart: [f32; 3] = std::array::from_fn(|a| q.origin[a] - p.origin[a]);
                let off = dot(&apart, &p.normal).abs() / reach;
                let along = dot(&p.normal, &q.normal).max(0.0);
                let same = if q.object == p.object { (1.0 - off).max(0.0) } else { 0.0 };
                weight *= same * along * along * along * along;
            }
            sum += weight * raw[at];
            total += weight;
        }
    }
    if total > 0.0 { sum / total } else { raw[i] }
}
