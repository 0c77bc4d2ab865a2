//! From objects to pixels.

use super::bvh::{LANES, NONE, Packet};
use super::camera::{View, unit_or};
use super::legend;
use super::light::key_samples;
use super::pattern;
use super::picture::{Picture, Rays};
use super::settings::{Object, Settings, Wireframe};
use super::sky::{self, Spot};
use super::surface::{Hit, Surface};
use super::to_f32;
use crate::linalg::{Vec3, par};

/// Radius of the reconstruction filter, a tent [pixels].
const FILTER: f64 = 0.9;
/// Directions towards the key light: four groups of four blocks of sixteen, each group and each block well spread; the
/// pixels of a 2x2 tile use different groups.
const LIGHTS: usize = 256;
/// Blocks of sixteen shadow rays for a pixel in a penumbra.
const PENUMBRA: usize = 4;

/// A sample of a pixel after the first hit.
#[derive(Clone, Copy, Default)]
struct Sample {
    /// Light that needs no ray.
    plain: Vec3,
    /// From the key light if nothing is in its way.
    direct: Vec3,
    /// From the fill if nothing covers the sky.
    ambient: Vec3,
    /// Start of shadow rays, relative to the surface's centre.
    origin: Vec3,
    /// Normal that shadow rays must leave.
    face: Vec3,
    normal: Vec3,
}

/// A finished pixel but for the share of the sky.
#[derive(Clone, Copy, Default)]
struct Pixel {
    lit: [f32; 3],
    ambient: [f32; 3],
    spot: Spot,
    shadow_rays: u32,
}

struct Draw<'a> {
    surface: Surface<'a>,
    objects: &'a [Object<'a>],
    settings: &'a Settings,
    view: View,
    up: Vec3,
    pattern: Vec<[f64; 2]>,
    key: Vec<Vec3>,
    probe: Vec<Vec3>,
    key_axis: Vec3,
    /// Distance by which shadow rays leave the surface [m].
    lift: f64,
}

/// Memory that drawing so many pixels takes, beside that of the objects [bytes].
pub fn memory(width: u64, height: u64) -> u64 {
    // Pixels with their spots, those again with the share of the sky, and the planes of the picture.
    let pixel = size_of::<Pixel>() + size_of::<Spot>() + 2 * size_of::<f32>() + 8 * size_of::<f32>();
    width.saturating_mul(height).saturating_mul(pixel as u64)
}

/// Draws the objects; `up` points away from the ground.
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
    let mut pixels = vec![Pixel::default(); width * height];
    par::blocks_mut(&mut pixels, width.max(1), |first, row| {
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = all.pixel(x, first / width.max(1));
        }
    });
    let spots: Vec<Spot> = pixels.iter().map(|p| p.spot).collect();
    let (open, sky_rays) = if settings.lights.fill.occlusion {
        sky::open(&all.surface.tree, &spots, width, 2.0 * all.view.half[1] / height.max(1) as f64)
    } else {
        (vec![1.0; pixels.len()], 0)
    };
    let colour = |(p, open): (&Pixel, &f32)| std::array::from_fn(|c| p.lit[c] + p.ambient[c] * open);
    Picture {
        width,
        height,
        colour: pixels.iter().zip(&open).map(colour).collect(),
        depth: spots.iter().map(|s| if s.object > 0 { s.depth } else { f32::INFINITY }).collect(),
        normal: spots.iter().map(|s| s.normal).collect(),
        object: spots.iter().map(|s| s.object).collect(),
        objects: objects.iter().map(|o| o.name.to_string()).collect(),
        legends: legend::of(objects),
        rays: Rays {
            camera: (pixels.len() * all.pattern.len()) as u64,
            shadow: pixels.iter().map(|p| u64::from(p.shadow_rays)).sum(),
            sky: sky_rays,
        },
    }
}

impl Draw<'_> {
    fn pixel(&self, x: usize, y: usize) -> Pixel {
        let mut pixel = Pixel::default();
        let (mut lit, mut ambient) = (Vec3::zeros(), Vec3::zeros());
        for (block, offsets) in self.pattern.chunks(LANES).enumerate() {
            let spot = (block == 0).then_some(&mut pixel.spot);
            let samples = self.first_hits(x, y, offsets, spot);
            let samples = &samples[..offsets.len()];
            let shadow = self.shadow(samples, (x & 1) + 2 * (y & 1) + block, &mut pixel.shadow_rays);
            for (s, share) in samples.iter().zip(shadow) {
                lit += s.plain + s.direct * share;
                ambient += s.ambient;
            }
        }
        let weight = 1.0 / self.pattern.len() as f64;
        (pixel.lit, pixel.ambient) = (to_f32(lit * weight), to_f32(ambient * weight));
        pixel
    }

    /// Sends up to sixteen rays of a pixel. The first goes through its centre and tells what the pixel shows.
    fn first_hits(&self, x: usize, y: usize, offsets: &[[f64; 2]], mut spot: Option<&mut Spot>) -> [Sample; LANES] {
        let (w, h) = (self.settings.width as f64, self.settings.height as f64);
        let mut packet = Packet::default();
        let mut rays = [(Vec3::zeros(), 0.0); LANES];
        let origin = to_f32(self.view.position - self.surface.centre);
        for (l, [dx, dy]) in offsets.iter().enumerate() {
            let (px, py) = (x as f64 + 0.5 + dx, y as f64 + 0.5 + dy);
            let direction = self.view.ray(2.0 * px / w - 1.0, 1.0 - 2.0 * py / h);
            rays[l] = (direction, py / h);
            packet.set(l, origin, to_f32(direction), f32::MAX);
        }
        self.surface.tree.nearest(&mut packet);
        let mut samples = [Sample::default(); LANES];
        for (l, (direction, down)) in rays.iter().enumerate().take(offsets.len()) {
            let hit = match packet.hit[l] {
                NONE => None,
                facet => self.surface.hit(facet, self.view.position, *direction),
            };
            let distance = hit.map_or(f64::INFINITY, |h| (h.point - self.view.position).norm());
            let floor = self.floor(*direction).filter(|t| *t < distance);
            let (away, id) = if let Some(t) = floor {
                samples[l] = self.shade_floor(*direction, t, *down);
                (t, self.objects.len() + 1)
            } else if let Some(hit) = hit {
                samples[l] = self.shade(&hit, *direction);
                (distance, hit.object + 1)
            } else {
                samples[l].plain = self.background(*down);
                (f64::INFINITY, 0)
            };
            if let Some(spot) = spot.take().filter(|_| id > 0) {
                let s = &samples[l];
                let depth = (away * direction.dot(&self.view.forward)) as f32;
                let [origin, face, normal] = [s.origin, s.face, s.normal].map(to_f32);
                *spot = Spot { origin, face, normal, object: id as u32, depth };
            }
        }
        samples
    }

    fn background(&self, down: f64) -> Vec3 {
        let Settings { background: b, .. } = self.settings;
        Vec3::from(b.top).lerp(&Vec3::from(b.bottom), down.clamp(0.0, 1.0))
    }

    /// Distance to the ground along a ray from the camera, seen from above.
    fn floor(&self, direction: Vec3) -> Option<f64> {
        let ground = self.settings.ground?;
        let above = self.up.dot(&self.view.position) - ground.height;
        let sink = -self.up.dot(&direction);
        (above > 0.0 && sink > 0.0).then(|| above / sink).filter(|t| t.is_finite())
    }

    /// The floor's colour split into the shares of key and fill, so that unshadowed it is the given colour; it turns into
    /// the background between one and four times the distance of camera and target.
    fn shade_floor(&self, direction: Vec3, distance: f64, down: f64) -> Sample {
        let point = self.view.position + direction * distance;
        let camera = &self.settings.camera;
        let scale = (camera.position - camera.target).norm().max(1e-9);
        let far = ((point - camera.target).norm() / scale - 0.8) / 3.2;
        let fade = far.clamp(0.0, 1.0);
        let fade = fade * fade * (3.0 - 2.0 * fade);
        let base = self.settings.ground.map_or(Vec3::zeros(), |g| Vec3::from(g.colour));
        let colour = base.lerp(&self.background(down), fade);
        let lights = &self.settings.lights;
        let key = Vec3::from(lights.key.colour) * self.key_axis.dot(&self.up).max(0.0);
        let fill = Vec3::from(lights.fill.sky);
        let share = key.zip_map(&fill, |k, f| if k + f > 0.0 { k / (k + f) } else { 0.0 });
        let near = colour * (1.0 - fade);
        Sample {
            plain: colour * fade,
            direct: near.component_mul(&share),
            ambient: near.component_mul(&(Vec3::repeat(1.0) - share)),
            origin: point - self.surface.centre + self.up * self.lift,
            face: self.up,
            normal: self.up,
        }
    }

    fn shade(&self, hit: &Hit, direction: Vec3) -> Sample {
        let lights = &self.settings.lights;
        let mut colour = self.surface.colour(hit);
        if let Some(wire) = &self.settings.wireframe {
            let line = wire.opacity.clamp(0.0, 1.0) * self.on_edge(hit, wire);
            colour = colour.lerp(&Vec3::from(wire.colour), line);
        }
        let Some(object) = self.objects.get(hit.object) else { return Sample::default() };
        let n = hit.normal;
        let (nl, nv) = (n.dot(&self.key_axis), -n.dot(&direction));
        let rv = -(n * (2.0 * nl) - self.key_axis).dot(&direction);
        let answer = object.shading.direct(nl, nv, rv);
        let key = Vec3::from(lights.key.colour);
        let height = 0.5 + 0.5 * n.dot(&self.up);
        let fill = Vec3::from(lights.fill.ground).lerp(&Vec3::from(lights.fill.sky), height);
        Sample {
            plain: Vec3::zeros(),
            direct: (colour * answer.diffuse).add_scalar(answer.specular).component_mul(&key),
            ambient: colour.component_mul(&fill) * object.shading.ambient(nv),
            origin: hit.lifted - self.surface.centre + hit.face * self.lift,
            face: hit.face,
            normal: n,
        }
    }

    /// 1 where the hit is within half a line's width of an edge of its triangle in the picture, else 0.
    fn on_edge(&self, hit: &Hit, wire: &Wireframe) -> f64 {
        let scale = [0.5 * self.settings.width as f64, 0.5 * self.settings.height as f64];
        let place = |p: Vec3| self.view.project(p).map(|[x, y]| [x * scale[0], y * scale[1]]);
        let Some(p) = place(hit.point) else { return 0.0 };
        let near = (0..3).any(|i| {
            let (Some(a), Some(b)) = (place(hit.corners[i]), place(hit.corners[(i + 1) % 3])) else { return false };
            let (e, d) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
            (e[0] * d[1] - e[1] * d[0]).abs() <= 0.5 * wire.width * e[0].hypot(e[1])
        });
        f64::from(u8::from(near))
    }

    /// Share of the key light that reaches each sample. Sixteen rays, most to the light's rim, tell light and shade from
    /// penumbra; only there the share is measured. Where a pixel has few samples they are used repeatedly.
    fn shadow(&self, samples: &[Sample], set: usize, rays: &mut u32) -> [f64; LANES] {
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
        share(&free, &sent)
    }

    /// Sends a packet of shadow rays and counts, per sample and in all, those sent and those that arrived.
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
                packet.set(l, to_f32(samples[s].origin), to_f32(*light), f32::MAX);
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

fn share(free: &[u32; LANES], sent: &[u32; LANES]) -> [f64; LANES] {
    let mut out = [1.0; LANES];
    for l in 0..LANES {
        if sent[l] > 0 {
            out[l] = f64::from(free[l].min(sent[l])) / f64::from(sent[l]);
        }
    }
    out
}
