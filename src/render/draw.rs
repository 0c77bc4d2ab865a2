//! From objects to pixels.

use super::bvh::{LANES, NONE, Packet};
use super::camera::{View, unit_or};
use super::legend;
use super::light::{key_samples, tangents};
use super::pattern;
use super::picture::{Picture, Rays};
use super::settings::{Object, Settings, Wireframe};
use super::surface::{Hit, Surface};
use super::to_f32;
use crate::linalg::{Vec3, par};

/// Radius of the reconstruction filter, a tent [pixels].
const FILTER: f64 = 0.9;
/// Directions towards key and sky: sixteen blocks of sixteen, each well spread, as is every aligned group of blocks. The
/// pixels of a 4x4 tile use different blocks for the sky, those of a 2x2 tile different groups for the key.
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

/// A finished pixel but for the smoothing of the sky's share.
#[derive(Clone, Copy)]
struct Pixel {
    lit: Vec3,
    ambient: Vec3,
    /// Share of the sky that is open.
    open: f64,
    depth: f32,
    normal: Vec3,
    point: Vec3,
    object: u32,
    rays: Rays,
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
    sky: Vec<[f64; 3]>,
    /// Distance by which shadow rays leave the surface [m].
    lift: f64,
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
        sky: (0..LIGHTS as u32).map(|i| pattern::cosine_hemisphere(pattern::sobol(i))).collect(),
        lift,
        surface,
    };
    let rows = par::map_heavy(height, |y| (0..width).map(|x| all.pixel(x, y)).collect::<Vec<Pixel>>());
    let pixels: Vec<Pixel> = rows.into_iter().flatten().collect();
    let mut colour = vec![[0f32; 3]; pixels.len()];
    par::fill(&mut colour, |i| to_f32(pixels[i].lit + pixels[i].ambient * all.smooth_open(&pixels, i)));
    let mut rays = Rays::default();
    pixels.iter().for_each(|p| rays.add(p.rays));
    Picture {
        width,
        height,
        colour,
        depth: pixels.iter().map(|p| p.depth).collect(),
        normal: pixels.iter().map(|p| to_f32(p.normal)).collect(),
        object: pixels.iter().map(|p| p.object).collect(),
        objects: objects.iter().map(|o| o.name.to_string()).collect(),
        legends: legend::of(objects),
        rays,
    }
}

impl Draw<'_> {
    fn pixel(&self, x: usize, y: usize) -> Pixel {
        let mut pixel = Pixel {
            lit: Vec3::zeros(),
            ambient: Vec3::zeros(),
            open: 0.0,
            depth: f32::INFINITY,
            normal: Vec3::zeros(),
            point: Vec3::zeros(),
            object: 0,
            rays: Rays::default(),
        };
        let tile = (x & 3) + 4 * (y & 3);
        let weight = 1.0 / self.pattern.len() as f64;
        let mut covered = 0.0;
        for (block, offsets) in self.pattern.chunks(LANES).enumerate() {
            let samples = self.first_hits(x, y, offsets, block == 0, &mut pixel);
            let samples = &samples[..offsets.len()];
            let shadow = self.shadow(samples, (x & 1) + 2 * (y & 1) + block, &mut pixel.rays);
            let open = self.open_sky(samples, tile + block, &mut pixel.rays);
            for (l, s) in samples.iter().enumerate() {
                pixel.lit += (s.plain + s.direct * shadow[l]) * weight;
                pixel.ambient += s.ambient * weight;
                let share = s.ambient.sum();
                pixel.open += open[l] * share;
                covered += share;
            }
        }
        pixel.open = if covered > 0.0 { pixel.open / covered } else { 1.0 };
        pixel
    }

    /// Sends up to sixteen rays of a pixel. The first ray of the first block goes through its centre and gives depth,
    /// normal and object.
    fn first_hits(&self, x: usize, y: usize, offsets: &[[f64; 2]], centre: bool, pixel: &mut Pixel) -> [Sample; LANES] {
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
        pixel.rays.camera += offsets.len() as u64;
        let mut samples = [Sample::default(); LANES];
        for (l, (direction, down)) in rays.iter().enumerate().take(offsets.len()) {
            let hit = match packet.hit[l] {
                NONE => None,
                facet => self.surface.hit(facet, self.view.position, *direction),
            };
            let distance = hit.map_or(f64::INFINITY, |h| (h.point - self.view.position).norm());
            let floor = self.floor(*direction).filter(|t| *t < distance);
            let mut seen = (f64::INFINITY, Vec3::zeros(), 0);
            if let Some(t) = floor {
                samples[l] = self.shade_floor(*direction, t, *down);
                seen = (t, self.up, self.objects.len() as u32 + 1);
            } else if let Some(hit) = hit {
                samples[l] = self.shade(&hit, *direction);
                seen = (distance, hit.normal, hit.object as u32 + 1);
            } else {
                samples[l].plain = self.background(*down);
            }
            if centre && l == 0 && seen.2 > 0 {
                pixel.depth = (seen.0 * direction.dot(&self.view.forward)) as f32;
                pixel.normal = seen.1;
                pixel.object = seen.2;
                pixel.point = self.view.position + direction * seen.0;
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
    fn shadow(&self, samples: &[Sample], set: usize, rays: &mut Rays) -> [f64; LANES] {
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
        rays: &mut Rays,
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
        rays.shadow += u64::from(used);
        (lit, used)
    }

    /// Share of the sky, weighted by the cosine, that each sample sees past the objects.
    fn open_sky(&self, samples: &[Sample], tile: usize, rays: &mut Rays) -> [f64; LANES] {
        if !self.settings.lights.fill.occlusion {
            return [1.0; LANES];
        }
        let block = tile % LANES;
        let mut packet = Packet::default();
        let (mut sent, mut free) = ([0u32; LANES], [0u32; LANES]);
        for l in 0..LANES {
            let s = &samples[l % samples.len()];
            if s.ambient == Vec3::zeros() {
                continue;
            }
            let [x, y, z] = self.sky[block * LANES + l];
            let (a, b) = tangents(s.normal);
            let direction = a * x + b * y + s.normal * z;
            let below = direction.dot(&s.face).min(0.0);
            packet.set(l, to_f32(s.origin), to_f32(direction - s.face * (2.0 * below)), f32::MAX);
            sent[l % samples.len()] += 1;
            rays.sky += 1;
        }
        if sent == [0; LANES] {
            return [1.0; LANES];
        }
        self.surface.tree.blocked(&mut packet);
        for l in 0..LANES {
            if packet.hit[l] == NONE {
                free[l % samples.len()] += 1;
            }
        }
        share(&free, &sent)
    }

    /// The open share of pixel `i`, averaged over the 4x4 tile around it where the surface goes on: the sixteen pixels
    /// have the sixteen blocks of sky directions, together an even set of 256.
    fn smooth_open(&self, pixels: &[Pixel], i: usize) -> f64 {
        let p = &pixels[i];
        if p.object == 0 || !self.settings.lights.fill.occlusion {
            return p.open;
        }
        let (w, h) = (self.settings.width as i64, self.settings.height as i64);
        let (x, y) = (i as i64 % w, i as i64 / w);
        let footprint = 2.0 * self.view.half[1] * f64::from(p.depth) / h as f64;
        let (mut sum, mut total) = (p.open * 1e-6, 1e-6);
        for dy in -2..=2i64 {
            for dx in -2..=2i64 {
                let (qx, qy) = (x + dx, y + dy);
                if qx < 0 || qy < 0 || qx >= w || qy >= h {
                    continue;
                }
                let q = &pixels[(qy * w + qx) as usize];
                if q.object != p.object {
                    continue;
                }
                let border = |d: i64| if d.abs() == 2 { 0.5 } else { 1.0 };
                let off = (q.point - p.point).dot(&p.normal).abs() / (4.0 * footprint);
                let same = p.normal.dot(&q.normal).max(0.0).powi(4) * (1.0 - off).max(0.0);
                let weight = border(dx) * border(dy) * same;
                sum += q.open * weight;
                total += weight;
            }
        }
        sum / total
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
