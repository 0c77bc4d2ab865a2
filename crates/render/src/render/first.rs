//! First hits of camera rays, and the light that returns from them.

use super::packet::{LANES, NONE, Packet};
use super::pixel::Draw;
use super::pixel::Spot;
use super::settings::{Settings, Wireframe};
use super::shading::wetted;
use super::surface::Hit;
use super::to_f32;
use crate::linalg::Vec3;

/// Sample of a pixel after the first hit.
#[derive(Clone, Copy, Default)]
pub(super) struct Sample {
    /// Light independent of shadow and sky rays: the background, and the ground where it fades into the background.
    pub plain: Vec3,
    /// Light from the key light, if unblocked.
    pub direct: Vec3,
    /// Light from the fill, if nothing covers the sky.
    pub ambient: Vec3,
    pub spot: Spot,
}

impl Draw<'_> {
    /// Sends up to sixteen rays through points of the picture [pixels].
    pub(super) fn first_hits(&self, places: &[[f64; 2]]) -> [Sample; LANES] {
        let (w, h) = (self.settings.width as f64, self.settings.height as f64);
        let mut packet = Packet::default();
        let mut rays = [(Vec3::zeros(), 0.0); LANES];
        let origin = to_f32(self.view.position - self.surface.centre);
        for (l, [px, py]) in places.iter().enumerate() {
            let direction = self.view.ray(2.0 * px / w - 1.0, 1.0 - 2.0 * py / h);
            rays[l] = (direction, py / h);
            packet.set(l, origin, to_f32(direction), f32::MAX);
        }
        self.surface.tree.nearest(&mut packet);
        let mut samples = [Sample::default(); LANES];
        for (l, (direction, down)) in rays.iter().enumerate().take(places.len()) {
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
                continue;
            };
            samples[l].spot.object = id as u32;
            samples[l].spot.depth = (away * direction.dot(&self.view.forward)) as f32;
        }
        samples
    }

    /// Returns a ray origin for secondary rays, relative to the surface's centre.
    fn spot(&self, origin: Vec3, face: Vec3, normal: Vec3) -> Spot {
        Spot { origin: to_f32(origin), face: to_f32(face), normal: to_f32(normal), ..Spot::default() }
    }

    fn background(&self, down: f64) -> Vec3 {
        let Settings { background: b, .. } = self.settings;
        Vec3::from(b.top).lerp(&Vec3::from(b.bottom), down.clamp(0.0, 1.0))
    }

    /// Returns the distance to the ground along a camera ray. The ground is visible only from above.
    fn floor(&self, direction: Vec3) -> Option<f64> {
        let ground = self.settings.ground?;
        let above = self.up.dot(&self.view.position) - ground.height;
        let sink = -self.up.dot(&direction);
        (above > 0.0 && sink > 0.0).then(|| above / sink).filter(|t| t.is_finite())
    }

    /// Splits the ground's colour into shares of key and fill, so that an unshadowed ground has exactly its colour. The
    /// ground fades into the background as the distance from the target grows from 0.8 to 4 times that of the camera.
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
            spot: self.spot(point - self.surface.centre + self.up * self.lift, self.up, self.up),
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
        let (kept, shine) = wetted(self.surface.wetness(hit), nl, rv);
        colour *= kept;
        let key = Vec3::from(lights.key.colour);
        let height = 0.5 + 0.5 * n.dot(&self.up);
        let fill = Vec3::from(lights.fill.ground).lerp(&Vec3::from(lights.fill.sky), height);
        Sample {
            plain: Vec3::zeros(),
            direct: (colour * answer.diffuse).add_scalar(answer.specular + shine).component_mul(&key),
            ambient: colour.component_mul(&fill) * object.shading.ambient(nv),
            spot: self.spot(hit.lifted - self.surface.centre + hit.face * self.lift, hit.face, n),
        }
    }

    /// Returns 1 if the hit lies within half a line width of an edge of its triangle in the picture, else 0.
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
}
