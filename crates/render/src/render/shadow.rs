//! Shadows: the share of the key light that reaches each surface point.

use super::first::Sample;
use super::packet::{LANES, NONE, Packet};
use super::pixel::same;
use super::pixel::{Draw, Pixel, SIDE, tile};
use super::to_f32;
use crate::linalg::{Vec3, par};

/// Number of directions towards the key light: four groups of four blocks of sixteen. Each group and each block is well
/// spread. The pixels of a 4x4 tile use different blocks. Pixels with all samples share the same groups, since
/// different groups in adjacent pixels would look like a dither.
pub(super) const LIGHTS: usize = 256;
/// Blocks of sixteen shadow rays for all samples of a pixel in a penumbra.
const PENUMBRA: usize = 4;

/// Rotations of the light's points among the pixels of a tile, for repeated probes.
const TURNS: [usize; 2] = [5, 10];

/// Shares of the key light at the pixels' centres.
pub(super) struct Lit {
    pub share: Vec<f32>,
    /// Number of rays sent.
    pub rays: u64,
}

/// Computes the share of the key light that reaches each pixel's centre. Each pixel of a tile sends a ray to another
/// point of the light. If some rays are free and others blocked, each pixel sends sixteen, and shares are averaged over
/// the surface around it.
pub(super) fn lit(draw: &Draw, pixels: &[Pixel]) -> Lit {
    let (width, height) = (draw.settings.width, draw.settings.height);
    let (across, down) = (width.div_ceil(SIDE), height.div_ceil(SIDE));
    let place = |k: usize| (k % across * SIDE, k / across * SIDE);
    // Sends a ray from each pixel of a tile to another point of the light. Returns the numbers of rays sent and
    // arrived.
    let probe = |k: usize, turn: usize| {
        let ((left, top), mut sent) = (place(k), 0);
        let mut packet = Packet::default();
        for (l, (x, y)) in tile(left, width, SIDE.min(height - top)).into_iter().enumerate() {
            if x < width
                && let p = &pixels[(top + y) * width + x]
                && p.direct != [0.0; 3]
            {
                packet.set(l, p.spot.origin, to_f32(draw.probe[(l + turn) % LANES]), f32::MAX);
                sent += 1;
            }
        }
        if sent > 0 {
            draw.surface.tree.blocked(&mut packet);
        }
        [sent, sent - packet.hit.iter().filter(|hit| **hit != NONE).count() as u32]
    };
    let mixes = |[sent, free]: [u32; 2]| free > 0 && free < sent;
    let tiles: Vec<[u32; 2]> = par::map(across * down, |k| probe(k, 0));
    // A tile may have missed a small occluder if its neighbours differ. Rotated probes decide.
    let mixed = |k: usize| {
        let (x, y) = (k % across, k / across);
        let near = |a: usize, count: usize| a.saturating_sub(1)..(a + 2).min(count);
        let around = near(y, down).flat_map(|y| near(x, across).map(move |x| y * across + x));
        let all = around.map(|k| tiles[k]).fold([0, 0], |[a, b], [c, d]| [a + c, b + d]);
        tiles[k][0] > 0
            && (mixes(tiles[k])
                || mixes(all)
                    && TURNS.iter().any(|turn| {
                        let [sent, free] = probe(k, *turn);
                        free * tiles[k][0] != tiles[k][1] * sent
                    }))
    };
    let mixed: Vec<bool> = par::map(tiles.len(), mixed);
    // A tile between two mixed tiles counts as mixed.
    let between = |k: usize| {
        let (x, y) = (k % across, k / across);
        let aside = x > 0 && x + 1 < across && mixed[k - 1] && mixed[k + 1];
        let above = y > 0 && y + 1 < down && mixed[k - across] && mixed[k + across];
        mixed[k] || tiles[k][0] > 0 && (aside || above)
    };
    let mixed: Vec<bool> = par::map(tiles.len(), between);
    let tile_of = |i: usize| i / width / SIDE * across + i % width / SIDE;
    let raw: Vec<f32> = par::map(pixels.len(), |i| {
        let k = tile_of(i);
        match tiles[k] {
            _ if mixed[k] && pixels[i].direct != [0.0; 3] => {
                draw.share(&pixels[i], i % width % SIDE + i / width % SIDE * SIDE)
            }
            [sent, free] => f32::from(u8::from(free == sent)),
        }
    });
    let share = par::map(pixels.len(), |i| if mixed[tile_of(i)] { average(pixels, &raw, width, i) } else { raw[i] });
    let probes: u64 = tiles.iter().map(|tile| u64::from(tile[0])).sum();
    let full = |k: usize| if mixed[k] { u64::from(tiles[k][0]) * LANES as u64 } else { 0 };
    Lit { share, rays: probes + (0..tiles.len()).map(full).sum::<u64>() }
}

/// Averages over the pixels around, within the same surface. The weights count all sixteen sets of directions equally.
fn average(pixels: &[Pixel], raw: &[f32], width: usize, i: usize) -> f32 {
    const WEIGHTS: [f32; 5] = [1.0, 2.0, 2.0, 2.0, 1.0];
    let own = &pixels[i];
    if own.direct == [0.0; 3] {
        return raw[i];
    }
    let (x, y) = (i % width, i / width);
    let (mut sum, mut total) = (0.0, 0.0);
    let taps = |c: usize| WEIGHTS.into_iter().enumerate().filter_map(move |(k, w)| Some((w, (c + k).checked_sub(2)?)));
    for (wy, qy) in taps(y) {
        for (wx, qx) in taps(x).filter(|(_, qx)| *qx < width) {
            let at = qy * width + qx;
            let Some(p) = pixels.get(at) else { continue };
            if p.direct != [0.0; 3] && same(&own.spot, &p.spot) {
                sum += wx * wy * raw[at];
                total += wx * wy;
            }
        }
    }
    if total > 0.0 { sum / total } else { raw[i] }
}

impl Draw<'_> {
    /// Returns the share of the key light at a pixel's centre, by sixteen rays of a set.
    fn share(&self, pixel: &Pixel, set: usize) -> f32 {
        let mut packet = Packet::default();
        let first = set * LANES % LIGHTS;
        for (l, light) in self.key[first..first + LANES].iter().enumerate() {
            packet.set(l, pixel.spot.origin, to_f32(*light), f32::MAX);
        }
        self.surface.tree.blocked(&mut packet);
        packet.hit.iter().filter(|hit| **hit == NONE).count() as f32 / LANES as f32
    }

    /// Returns the share of the key light that reaches each sample. Sixteen rays, most of them to the light's rim,
    /// distinguish light and shade from penumbra. Only in a penumbra is the share measured. Samples are used repeatedly
    /// if a pixel has few.
    pub(super) fn shadow(&self, samples: &[Sample], set: usize, rays: &mut u32) -> [f64; LANES] {
        let (mut sent, mut free) = ([0u32; LANES], [0u32; LANES]);
        let (lit, used) = self.towards_key(samples, &self.probe, rays, &mut sent, &mut free);
        if lit > 0 && lit < used {
            (sent, free) = ([0; LANES], [0; LANES]);
            for round in 0..PENUMBRA {
                let first = (set * PENUMBRA + round) * LANES % LIGHTS;
                let part = self.key.get(first..first + LANES).unwrap_or(&self.probe);
                self.towards_key(samples, part, rays, &mut sent, &mut free);
            }
        }
        std::array::from_fn(|l| if sent[l] > 0 { f64::from(free[l].min(sent[l])) / f64::from(sent[l]) } else { 1.0 })
    }

    /// Sends a packet of shadow rays. Counts rays sent and rays that arrived, per sample and in total.
    fn towards_key(
        &self,
        samples: &[Sample],
        lights: &[Vec3],
        rays: &mut u32,
        sent: &mut [u32; LANES],
        free: &mut [u32; LANES],
    ) -> (u32, u32) {
        let mut packet = Packet::default();
        let (mut lit, mut used) = (0, 0);
        for (l, light) in lights.iter().enumerate().take(LANES) {
            let s = l % samples.len();
            if samples[s].direct != Vec3::zeros() {
                packet.set(l, samples[s].spot.origin, to_f32(*light), f32::MAX);
                sent[s] += 1;
                used += 1;
            }
        }
        if used > 0 {
            self.surface.tree.blocked(&mut packet);
            for l in 0..LANES {
                let s = l % samples.len();
                if samples[s].direct != Vec3::zeros() && packet.hit[l] == NONE {
                    free[s] += 1;
                    lit += 1;
                }
            }
        }
        *rays += used;
        (lit, used)
    }
}
