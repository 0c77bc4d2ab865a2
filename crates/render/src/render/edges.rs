//! Detection of pixels that need more than one sample.

use super::pixel::{Draw, Pixel, around, same};
use super::settings::Paint;
use crate::linalg::par;

/// Second difference of brightness of adjacent pixels above which a pixel gets all samples. The error of one sample
/// against the filter is a seventh of this difference.
const BEND: f32 = 0.02;
/// Second difference of depth above which a pixel lies on a depth edge [pixels].
const STEP: f32 = 3.0;
/// Difference of the key light's shares of adjacent pixels above which a shadow edge is sharp.
const SHADOW: f32 = 0.15;
/// Second difference of the key light's shares, over pixels two apart, above which their average is wrong at the
/// middle. The average errs by about a fifth of this difference.
const CURVE: f32 = 0.1;

/// Finds the pixels that need all samples, in order. `pixel` is the size of a pixel at unit depth.
pub(super) fn fine(draw: &Draw, pixels: &[Pixel], lit: &[f32], pixel: f64) -> Vec<u32> {
    let (width, height) = (draw.settings.width, draw.settings.height);
    if draw.pattern.len() < 2 {
        return Vec::new();
    }
    let ground = draw.objects.len() as u32 + 1;
    // Wireframes and checkers have edges within an object.
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

/// Returns whether shading, depth or shadow bends at pixel `i`, across, down or along a diagonal.
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
        // The ground is flat and has one colour.
        if own.spot.object == ground {
            continue;
        }
        let (p, q) = (&pixels[a], &pixels[b]);
        let (before, here, after) = (light(p), light(own), light(q));
        if (0..3).any(|c| (before[c] + after[c] - 2.0 * here[c]).abs() > BEND) {
            return true;
        }
        // The reciprocal of depth is linear on a plane.
        if (1.0 / p.spot.depth + 1.0 / q.spot.depth - 2.0 * near).abs() > STEP * pixel * near {
            return true;
        }
    }
    false
}
