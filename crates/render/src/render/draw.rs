//! Drawing of objects into pixels, with more rays where the picture changes.
//!
//! A single ray per pixel finds the surface at its centre. A few rays per tile find out whether its pixels see the key
//! light. Pixels at borders, in sharp shading and at sharp shadows get all samples, each with its own shadow rays.
//! Other pixels keep the smooth shading of their centre.

use super::camera::unit_or;
use super::edges;
use super::first::Sample;
use super::legend;
use super::light::key_samples;
use super::packet::LANES;
use super::pattern;
use super::picture::{Picture, Rays};
use super::pixel::{Draw, Pixel, SIDE, Spot, around, tile};
use super::settings::{Object, Settings};
use super::shadow::{self, LIGHTS};
use super::sky;
use super::surface::Surface;
use super::to_f32;
use crate::linalg::{Vec3, par};

/// Radius of the reconstruction filter, a tent [pixels].
const FILTER: f64 = 0.9;
/// Pixel from all its samples.
#[derive(Clone, Copy)]
struct Fine {
    colour: [f32; 3],
    /// Rays sent from the camera and towards the key light.
    rays: [u32; 2],
}

/// Returns the memory for drawing a picture of `width` x `height` pixels, without that of the objects [bytes].
pub fn memory(width: u64, height: u64) -> u64 {
    // Pixels; their shares of key light and sky, twice where smoothed; pixels with all samples; planes of the picture.
    let pixel = size_of::<Pixel>() + 5 * size_of::<f32>() + size_of::<Fine>() + 8 * size_of::<f32>();
    width.saturating_mul(height).saturating_mul(pixel as u64)
}

/// Draws the objects. `up` points away from the ground.
pub fn draw(objects: &[Object], up: Vec3, settings: &Settings) -> Picture {
    let (width, height) = (settings.width, settings.height);
    let surface = Surface::new(objects);
    let up = unit_or(up, Vec3::y());
    let view = settings.camera.view(up, width, height);
    let lift = 2e-5 * surface.radius + 1e-6 * (view.position - surface.centre).norm();
    let (key, probe) = key_samples(&settings.lights.key, LIGHTS as u32);
    let all = Draw {
        objects,
        settings,
        view,
        up,
        pattern: (0..settings.samples.max(1) as u32).map(|i| pattern::pixel(i, FILTER)).collect(),
        key,
        probe,
        key_axis: unit_or(settings.lights.key.direction, up),
        lift,
        surface,
    };
    let pixel = 2.0 * all.view.half[1] / height.max(1) as f64;

    let pixels = all.centres();
    let lit = shadow::lit(&all, &pixels);
    let (open, sky_rays) = if settings.lights.fill.occlusion {
        sky::open(&all.surface.tree, &pixels, objects.len() as u32 + 1, width, pixel)
    } else {
        (vec![1.0; pixels.len()], 0)
    };
    let smooth = |i: usize| {
        let Pixel { plain, direct, ambient, .. } = &pixels[i];
        std::array::from_fn(|c| plain[c] + direct[c] * lit.share[i] + ambient[c] * open[i])
    };
    let mut colour: Vec<[f32; 3]> = par::map(pixels.len(), smooth);
    let fine: Vec<u32> = edges::fine(&all, &pixels, &lit.share, pixel);
    let fines: Vec<Fine> = par::map_heavy(fine.len(), |k| all.fine(&pixels, &open, fine[k] as usize));
    fine.iter().zip(&fines).for_each(|(i, fine)| colour[*i as usize] = fine.colour);
    let of_fine = |which: usize| fines.iter().map(|fine| u64::from(fine.rays[which])).sum::<u64>();
    Picture {
        width,
        height,
        colour,
        depth: pixels.iter().map(|p| if p.spot.object > 0 { p.spot.depth } else { f32::INFINITY }).collect(),
        normal: pixels.iter().map(|p| p.spot.normal).collect(),
        object: pixels.iter().map(|p| p.spot.object).collect(),
        objects: objects.iter().map(|o| o.name.to_string()).collect(),
        legends: legend::of(objects),
        note: settings.note,
        rays: Rays { camera: pixels.len() as u64 + of_fine(0), shadow: lit.rays + of_fine(1), sky: sky_rays },
    }
}

impl Draw<'_> {
    /// Computes the surface point and light at the centre of every pixel.
    fn centres(&self) -> Vec<Pixel> {
        let (width, height) = (self.settings.width, self.settings.height);
        let mut pixels = vec![Pixel::default(); width * height];
        par::blocks_mut(&mut pixels, SIDE * width.max(1), |first, band| {
            let (top, rows) = (first / width.max(1), band.len() / width.max(1));
            for left in (0..width).step_by(SIDE) {
                let places = tile(left, width, rows);
                let centres = places.map(|(x, y)| [x as f64 + 0.5, (top + y) as f64 + 0.5]);
                let count = places.iter().take_while(|(x, y)| *x < width && *y < rows).count();
                let samples = self.first_hits(&centres[..count]);
                for ((x, y), sample) in places.iter().zip(samples).take(count) {
                    let Sample { plain, direct, ambient, spot } = sample;
                    let [plain, direct, ambient] = [plain, direct, ambient].map(to_f32);
                    band[y * width + x] = Pixel { plain, direct, ambient, spot };
                }
            }
        });
        pixels
    }

    /// Averages all samples of a pixel. Each sample takes the sky's share from the most similar point among the pixel
    /// and its neighbours.
    fn fine(&self, pixels: &[Pixel], open: &[f32], i: usize) -> Fine {
        let (width, height) = (self.settings.width, self.settings.height);
        let (x, y) = (i % width, i / width);
        let (mut colour, mut rays) = (Vec3::zeros(), [0, 0]);
        for (block, offsets) in self.pattern.chunks(LANES).enumerate() {
            let mut places = [[0.0; 2]; LANES];
            for (place, [dx, dy]) in places.iter_mut().zip(offsets) {
                *place = [x as f64 + 0.5 + dx, y as f64 + 0.5 + dy];
            }
            let samples = self.first_hits(&places[..offsets.len()]);
            let samples = &samples[..offsets.len()];
            rays[0] += offsets.len() as u32;
            let shares = self.shadow(samples, block, &mut rays[1]);
            for (s, share) in samples.iter().zip(shares) {
                colour += s.plain + s.direct * share;
                if s.spot.object > 0 {
                    let (own, _) = around(i, width, height)
                        .map(|(_, at)| (at, apart(&s.spot, &pixels[at].spot) + if at == i { 0.0 } else { 1e-3 }))
                        .fold((i, f32::INFINITY), |best, next| if next.1 < best.1 { next } else { best });
                    colour += s.ambient * f64::from(open[own]);
                }
            }
        }
        Fine { colour: to_f32(colour / self.pattern.len() as f64), rays }
    }
}

/// Returns a dissimilarity of two surface points by object, normal and depth.
fn apart(a: &Spot, b: &Spot) -> f32 {
    let other = if a.object == b.object { 0.0 } else { 10.0 };
    let turned = 1.0 - (0..3).map(|c| a.normal[c] * b.normal[c]).sum::<f32>();
    other + turned + (a.depth - b.depth).abs() / a.depth.max(b.depth).max(f32::MIN_POSITIVE)
}
