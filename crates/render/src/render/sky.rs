//! Ambient occlusion: the share of the sky that each pixel sees past the objects.
//!
//! The sixteen pixels of a 4x4 tile have sixteen directions each, together an even set of 256. Every other pixel sends
//! rays. Pixels that send rays lie farther apart where a block shows only ground or one smooth surface. A packet has
//! rays of sixteen pixels into one part of the sky, so that they stay close together. Shares are then averaged over the
//! tile around each pixel, within its surface.

use super::bvh::Tree;
use super::light::tangents;
use super::packet::{LANES, NONE, Packet};
use super::pattern;
use super::pixel::{Pixel, SIDE, Spot};
use crate::linalg::{Vec3, par};

/// Side of a block of pixels whose rays are traced together [pixels].
const BLOCK: usize = 16;
/// Distances from objects within which blocks of the ground have density `Half` and `Quarter` [pixels].
const NEAR: [usize; 2] = [2, 16];
/// Difference of shares between adjacent grid pixels above which the grid is refined.
const STEEP: f32 = 0.04;
/// Least cosine between the normals of adjacent pixels of a smooth surface.
const BENT: f32 = 0.98;
/// Marks a pixel that sends no rays.
const UNKNOWN: f32 = -1.0;

/// Returns cosine-weighted directions about +z: a block of directions for every pixel of a tile. Each block has one
/// direction in every cell of a 4x4 grid over the hemisphere.
fn directions() -> Vec<[f64; 3]> {
    let mut table = vec![[0.0, 0.0, 1.0]; LANES * LANES];
    for i in 0..LANES * LANES {
        let u = pattern::sobol(i as u32);
        let cell = (u[0] * 4.0) as usize + 4 * (u[1] * 4.0) as usize;
        table[i / LANES * LANES + cell] = pattern::cosine_hemisphere(u.map(|x| x + 0.5 / 256.0));
    }
    table
}

/// Density of the pixels that send rays: every other pixel; every second pixel of every second row; every fourth of
/// every fourth. Objects have `Half`, blocks of one smooth surface `Quarter`. Blocks of ground alone have `Quarter`
/// near objects and `Sixteenth` farther off. All are refined where the share changes much.
#[derive(Clone, Copy, PartialEq)]
enum Density {
    Half,
    Quarter,
    Sixteenth,
}

impl Density {
    /// Returns the distance between averaged pixels, across and down.
    fn apart(self) -> usize {
        match self {
            Density::Half => 1,
            Density::Quarter => 2,
            Density::Sixteenth => 4,
        }
    }

    /// Returns the size of a tile with sixteen pixels that send rays, across and down.
    fn tile(self) -> [usize; 2] {
        match self {
            Density::Half => [8, 4],
            Density::Quarter => [8, 8],
            Density::Sixteenth => [16, 16],
        }
    }

    /// Returns the index of the pixel's block of directions, or `None` if the pixel sends no rays.
    fn sends(self, x: usize, y: usize) -> Option<usize> {
        let apart = self.apart();
        let even = |a: usize, b: usize| a.is_multiple_of(b);
        let sends = if self == Density::Half { even(x + y, 2) } else { even(x, apart) && even(y, apart) };
        // Eight pixels of a 4x4 tile send rays, with the first half of the directions. That half is evenly spread as
        // well.
        let across = if self == Density::Half { 2 } else { apart };
        sends.then_some(y / apart % SIDE * (SIDE * apart / across) + x / across % (SIDE * apart / across))
    }
}

/// Returns the open share of the sky for every pixel, and the number of rays sent. `ground` is the object number of the
/// ground, `pixel` the size of a pixel at unit depth.
pub(super) fn open(tree: &Tree, pixels: &[Pixel], ground: u32, width: usize, pixel: f64) -> (Vec<f32>, u64) {
    let (wide, height) = (width.max(1), pixels.len() / width.max(1));
    let across = wide.div_ceil(BLOCK);
    let mut raw = vec![UNKNOWN; pixels.len()];
    let mut densities = densities(pixels, ground, wide, pixel as f32);
    let table = directions();
    let mut known = vec![UNKNOWN; pixels.len()];
    let place = |i: usize| i / wide / BLOCK * across + i % wide / BLOCK;
    let (mut anew, mut rays) = (vec![true; densities.len()], 0);
    while anew.contains(&true) {
        par::blocks_mut(&mut raw, BLOCK * wide, |first, band| {
            let part = &pixels[first..first + band.len()];
            for x in (0..width).step_by(BLOCK).filter(|x| anew[place(first + x)]) {
                block(tree, part, band, width, x, densities[place(first + x)], &table);
            }
        });
        let grid = |k: usize| anew[k].then(|| densities[k].apart());
        by_block(&mut known, wide, grid, |k, i| average(pixels, &raw, width, pixel, i, densities[k].apart()));
        rays += par::map(densities.len(), |k| if anew[k] { sent(pixels, wide, k, densities[k]) } else { 0 })
            .iter()
            .sum::<usize>();
        // The grid is too coarse where the share changes much between adjacent grid pixels.
        let steep = |k: usize| {
            let (x, y, apart) = (k % across * BLOCK, k / across * BLOCK, densities[k].apart());
            let at = |x: usize, y: usize| (x < width && y < height).then(|| known[y * width + x]);
            let grid = || (0..BLOCK).step_by(apart);
            let differs = |a: f32, b: Option<f32>| b.is_some_and(|b| b != UNKNOWN && (a - b).abs() > STEEP);
            anew[k]
                && densities[k] != Density::Half
                && grid().any(|dy| {
                    grid().any(|dx| {
                        let own = at(x + dx, y + dy).filter(|own| *own != UNKNOWN);
                        let beside = [at(x + dx + apart, y + dy), at(x + dx, y + dy + apart)];
                        own.is_some_and(|own| beside.into_iter().any(|other| differs(own, other)))
                    })
                })
        };
        anew = par::map(densities.len(), steep);
        for (density, _) in densities.iter_mut().zip(&anew).filter(|(_, anew)| **anew) {
            *density = if *density == Density::Sixteenth { Density::Quarter } else { Density::Half };
        }
    }
    let mut smooth = vec![1f32; pixels.len()];
    by_block(
        &mut smooth,
        wide,
        |_| Some(1),
        |k, i| match densities[k].apart() {
            1 => known[i],
            apart => between(&known, wide, i, apart),
        },
    );
    (smooth, rays as u64)
}

/// Returns the density with which each block begins.
fn densities(pixels: &[Pixel], ground: u32, width: usize, pixel: f32) -> Vec<Density> {
    let (across, height) = (width.div_ceil(BLOCK), pixels.len() / width);
    let around = |k: usize, room: usize| {
        let (x, y) = (k % across * BLOCK, k / across * BLOCK);
        let rows = y.saturating_sub(room)..(y + BLOCK + room).min(height);
        let columns = x.saturating_sub(room)..(x + BLOCK + room).min(width);
        rows.flat_map(move |y| columns.clone().map(move |x| y * width + x))
    };
    let alone = |k: usize, room: usize| around(k, room).all(|i| pixels[i].spot.object == ground);
    // Whether a block shows one smooth surface.
    let smooth = |k: usize| {
        let step = |i: usize, j: usize| {
            pixels.get(j).is_none_or(|other| gentle(&pixels[i].spot, &other.spot, pixel))
                || (j - i == 1 && j.is_multiple_of(width))
        };
        let object = pixels[k / across * BLOCK * width + k % across * BLOCK].spot.object;
        object > 0
            && around(k, NEAR[0]).all(|i| pixels[i].spot.object == object)
            && around(k, 0).all(|i| step(i, i + 1) && step(i, i + width))
    };
    let mut densities = vec![Density::Half; across * height.div_ceil(BLOCK)];
    par::fill(&mut densities, |k| match () {
        () if !alone(k, NEAR[0]) && smooth(k) => Density::Quarter,
        () if !alone(k, NEAR[0]) => Density::Half,
        () if !alone(k, NEAR[1]) => Density::Quarter,
        () => Density::Sixteenth,
    });
    densities
}

/// Returns whether a surface goes on from a pixel's point to its neighbour's without a fold or a step.
fn gentle(a: &Spot, b: &Spot, pixel: f32) -> bool {
    let dot = |a: &[f32; 3], b: &[f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let apart: [f32; 3] = std::array::from_fn(|k| b.origin[k] - a.origin[k]);
    dot(&a.normal, &b.normal) > BENT && dot(&apart, &a.normal).abs() < pixel * a.depth
}

/// Sets every `apart`-th pixel of each block, from the block's number and the pixel's. Blocks without `apart` are
/// skipped.
fn by_block(
    values: &mut [f32],
    width: usize,
    apart: impl Fn(usize) -> Option<usize> + Sync,
    value: impl Fn(usize, usize) -> f32 + Sync,
) {
    par::blocks_mut(values, BLOCK * width, |first, band| {
        let (across, height) = (width.div_ceil(BLOCK), band.len() / width);
        for left in (0..width).step_by(BLOCK) {
            let block = first / width / BLOCK * across + left / BLOCK;
            let Some(apart) = apart(block) else { continue };
            for y in (0..height).step_by(apart) {
                for x in (left..(left + BLOCK).min(width)).step_by(apart) {
                    band[y * width + x] = value(block, first + y * width + x);
                }
            }
        }
    });
}

/// Counts the rays that a block sends.
fn sent(pixels: &[Pixel], width: usize, block: usize, density: Density) -> usize {
    let across = width.div_ceil(BLOCK);
    let (left, top) = (block % across * BLOCK, block / across * BLOCK);
    let rows = top..(top + BLOCK).min(pixels.len() / width);
    let of_row = |y: usize| {
        let sends = |x: &usize| density.sends(*x, y).is_some() && pixels[y * width + x].spot.object > 0;
        (left..(left + BLOCK).min(width)).filter(sends).count() * LANES
    };
    rows.map(of_row).sum()
}

/// Interpolates bilinearly between the four grid pixels around pixel `i`. Grid pixels outside the picture are left out.
fn between(known: &[f32], width: usize, i: usize, apart: usize) -> f32 {
    let (x, y) = (i % width, i / width);
    let (left, top) = (x / apart * apart, y / apart * apart);
    let (mut sum, mut total) = (0.0, 0.0);
    for (dx, dy) in [(0, 0), (apart, 0), (0, apart), (apart, apart)] {
        let (gx, gy) = (left + dx, top + dy);
        let Some(value) = known.get(gy * width + gx).filter(|value| gx < width && **value != UNKNOWN) else { continue };
        let weight = ((apart - gx.abs_diff(x)) * (apart - gy.abs_diff(y))) as f32;
        sum += weight * value;
        total += weight;
    }
    if total > 0.0 { sum / total } else { 1.0 }
}

/// Traces the rays of a block in a band of rows.
fn block(
    tree: &Tree,
    pixels: &[Pixel],
    out: &mut [f32],
    width: usize,
    left: usize,
    density: Density,
    table: &[[f64; 3]],
) {
    let (rows, right) = (pixels.len() / width, (left + BLOCK).min(width));
    let [across, down] = density.tile();
    let tiles = (0..rows).step_by(down).flat_map(|top| (left..right).step_by(across).map(move |left| (left, top)));
    let mut lanes = Vec::with_capacity(LANES);
    for (left, top) in tiles {
        lanes.clear();
        for y in top..(top + down).min(rows) {
            for x in left..(left + across).min(right) {
                let at = y * width + x;
                if let Some(own) = density.sends(x, y).filter(|_| pixels[at].spot.object > 0) {
                    lanes.push((at, own));
                }
            }
        }
        if !lanes.is_empty() {
            rays(tree, pixels, out, &lanes, table);
        }
    }
}

/// Traces the rays of up to sixteen pixels, each with its own directions, one part of the sky after the other.
fn rays(tree: &Tree, pixels: &[Pixel], out: &mut [f32], lanes: &[(usize, usize)], table: &[[f64; 3]]) {
    let wide = |v: [f32; 3]| Vec3::from(v.map(f64::from));
    let mut frames = [(Vec3::zeros(), Vec3::zeros(), Vec3::zeros(), Vec3::zeros()); LANES];
    for (frame, (at, _)) in frames.iter_mut().zip(lanes) {
        let n = wide(pixels[*at].spot.normal);
        let (a, b) = tangents(n);
        *frame = (a, b, n, wide(pixels[*at].spot.face));
    }
    let mut free = [0u32; LANES];
    for cell in 0..LANES {
        let mut packet = Packet::default();
        for (l, (at, own)) in lanes.iter().enumerate() {
            let (a, b, n, face) = &frames[l];
            let [x, y, z] = table[own * LANES + cell];
            let direction = a * x + b * y + n * z;
            let below = direction.dot(face).min(0.0);
            packet.set(l, pixels[*at].spot.origin, super::to_f32(direction - face * (2.0 * below)), f32::MAX);
        }
        tree.blocked(&mut packet);
        for (count, hit) in free.iter_mut().zip(packet.hit) {
            *count += u32::from(hit == NONE);
        }
    }
    for ((at, _), count) in lanes.iter().zip(free) {
        out[*at] = count as f32 / LANES as f32;
    }
}

/// Averages the shares of grid pixels around pixel `i`, spaced `apart`, over the same surface. A pixel whose centre
/// shows no object averages over all neighbours.
fn average(pixels: &[Pixel], raw: &[f32], width: usize, pixel: f64, i: usize, apart: usize) -> f32 {
    let p = &pixels[i].spot;
    let (x, y) = (i % width, i / width);
    let dot = |a: &[f32; 3], b: &[f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let reach = 4.0 * apart as f32 * pixel as f32 * p.depth;
    let (mut sum, mut total) = (0.0, 0.0);
    let steps = |c: usize| (0..5).filter_map(move |k| (c + k * apart).checked_sub(2 * apart));
    for qy in steps(y) {
        for qx in steps(x).filter(|qx| *qx < width) {
            let at = qy * width + qx;
            let Some(q) = pixels.get(at).map(|q| &q.spot).filter(|q| q.object > 0) else { continue };
            if raw[at] == UNKNOWN {
                continue;
            }
            let border = |a: usize, b: usize| if a.abs_diff(b) == 2 * apart { 0.5 } else { 1.0 };
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
    if total > 0.0 { sum / total } else { 1.0 }
}
