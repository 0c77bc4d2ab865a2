//! Where one sample does not tell what a pixel looks like.

use super::pixel::{Draw, Pixel, around, same};
use super::settings::Paint;
use crate::linalg::par;

/// Second difference of brightness, of pixels side by side, that asks for all samples: the filter's error of one sample is a seventh of it.
const BEND: f32 = 0.02;
/// Second difference of depth that is a border [pixels].
const STEP: f32 = 3.0;
/// Difference of the shares of key light, of pixels side by side, that is a sharp shadow.
const SHADOW: f32 = 0.15;
/// Second difference of the shares of key light, of pixels two apart, beyond which their average is no share of the middle: it errs by
/// about a fifth of it.
const CURVE: f32 = 0.1;

/// Pixels that need all samples, in order. `pixel` is a pixel's size at unit depth.
pub(super) fn fine(draw: &Draw, pixels: &[Pixel], lit: &[f32], pixel: f64) -> Vec<u32> {
    let (width, height) = (draw.settings.width, draw.settings.height);
    if draw.pattern.len() < 2 {
        return Vec::new();
    }
    let ground = draw.objects.len() as u32 + 1;
    // Lines and charts have borders of their own.
    let drawn = |object: u32| {
        let painted = |k: usize| matches!(draw.objects[k].paint, Paint::Checker { .. });
        let k = object.wrapping_sub(1) as usize;
        k < draw.objects.len() && (draw.settings.wireframe.is_some() || painted(k))
    };
    par::gather(pixels.len(), par::BLOCK, |range, fine| {
        for i in range {
            let own = &pixels[i];
            let borders = around(i, width, height).any(|(_, at)| pixels[at].spot.object != own.spot.object);
            if borders || drawn(own.spot.object) || bends(pixels, lit, i, [width, height], pixel as f32, ground) {
                fine.push(i as u32);
            }
        }
    })
}

/// Shading, depth or shadow bend at the pixel, across, down or along a diagonal.
fn bends(pixels: &[Pixel], lit: &[f32], i: usize, [width, height]: [usize; 2], pixel: f32, ground: u32) -> bool {
    let (x, y) = (i % width, i / width);
    let own = &pixels[i];
    if own.spot.object == 0 {
        return false;
    }
    let light = |p: &Pixel| std::array::from_fn::<f32, 3, _>(|c| p.direct[c] + p.ambient[c] + p.plain[c]);
    let near = 1.0 / own.spot.depth;
    let at = |dx: isize, dy: isize| {
        let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
        (x < width && y < height).then_some(y * width + x)
    };
    for (dx, dy) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
        let (Some(a), Some(b)) = (at(-dx, -dy), at(dx, dy)) else { continue };
        if (lit[a] - lit[i]).abs().max((lit[b] - lit[i]).abs()) > SHADOW {
            return true;
        }
        if let (Some(c), Some(d)) = (at(-2 * dx, -2 * dy), at(2 * dx, 2 * dy))
            && (lit[c] + lit[d] - 2.0 * lit[i]).abs() > CURVE
            && [c, d].iter().all(|far| same(&pixels[*far].spot, &own.spot))
        {
            return true;
        }
        // The ground is flat, and of one colour.
        if own.spot.object == ground {
            continue;
        }
        let (p, q) = (&pixels[a], &pixels[b]);
        let (before, here, after) = (light(p), light(own), light(q));
        if (0..3).any(|c| (before[c] + after[c] - 2.0 * here[c]).abs() > BEND) {
            return true;
        }
        // One over the depth is linear on a plane.
        if (1.0 / p.spot.depth + 1.0 / q.spot.depth - 2.0 * near).abs() > STEP * pixel * near {
            return true;
        }
    }
    false
}
