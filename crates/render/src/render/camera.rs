//! Perspective camera.

use crate::linalg::Vec3;

/// Pinhole camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the pinhole [m].
    pub position: Vec3,
    /// Point on the axis of view [m].
    pub target: Vec3,
    /// Vertical field of view [rad], in (0, pi).
    pub fov: f64,
    /// Rotation about the axis of view [rad]. A positive angle turns the picture's upper edge to the right.
    pub roll: f64,
}

/// Axes of the picture (right, up and into the scene), with the half width and height at unit depth.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Position of the pinhole [m].
    pub position: Vec3,
    /// Unit vector to the right.
    pub right: Vec3,
    /// Unit vector up.
    pub up: Vec3,
    /// Unit vector into the scene.
    pub forward: Vec3,
    /// Half width and half height at unit depth.
    pub half: [f64; 2],
}

/// Normalises `v`; returns `other` if `v` has no direction.
pub(super) fn unit_or(v: Vec3, other: Vec3) -> Vec3 {
    v.try_normalize(1e-300).filter(|n| n.iter().all(|x| x.is_finite())).unwrap_or(other)
}

/// Returns the right and up axes of a view along the unit vector `forward`.
fn axes(forward: Vec3, up: Vec3, roll: f64) -> (Vec3, Vec3) {
    let any = if forward.y.abs() < 0.9 { Vec3::y() } else { Vec3::z() };
    let right = unit_or(forward.cross(&up), unit_or(forward.cross(&any), Vec3::x()));
    let upright = right.cross(&forward);
    let (s, c) = if roll.is_finite() { roll.sin_cos() } else { (0.0, 1.0) };
    (right * c - upright * s, right * s + upright * c)
}

fn half_extent(fov: f64, aspect: f64) -> [f64; 2] {
    let fov = if fov.is_finite() { fov.clamp(1e-3, 3.1) } else { 0.7 };
    let y = (0.5 * fov).tan();
    [y * if aspect.is_finite() && aspect > 0.0 { aspect } else { 1.0 }, y]
}

impl Camera {
    /// Returns the nearest camera that looks along `-direction` and sees the whole box `bounds` (lower and upper
    /// corner). The margin is 6 % on the tighter side. `direction` points from the scene to the camera, `fov` is
    /// vertical [rad], `aspect` is width over height. Bounds of all frames, passed once, keep the camera still.
    pub fn fit(bounds: (Vec3, Vec3), direction: Vec3, fov: f64, aspect: f64, up: Vec3) -> Camera {
        let (lo, hi) = bounds;
        let towards = unit_or(direction, Vec3::z());
        let (right, upright) = axes(-towards, up, 0.0);
        let half = half_extent(fov, aspect).map(|h| h * 0.94);
        let middle = 0.5 * (lo + hi);
        let corners = (0..8).map(|k: u32| {
            let pick = |a: usize| if k >> a & 1 == 0 { lo[a] } else { hi[a] };
            Vec3::new(pick(0), pick(1), pick(2)) - middle
        });
        // All corners must satisfy |x - cx| <= h (z - cz), with z along the view. With a = max(x - h z) and b = min(x +
        // h z), this is cx - h cz >= a and cx + h cz <= b. Hence cz <= (b - a) / 2h, and cx = (a + b) / 2 serves every
        // such cz.
        let mut sides = [(f64::NEG_INFINITY, f64::INFINITY); 2];
        let mut front = f64::INFINITY;
        for p in corners {
            let z = -p.dot(&towards);
            front = front.min(z);
            for (side, (x, h)) in sides.iter_mut().zip([(p.dot(&right), half[0]), (p.dot(&upright), half[1])]) {
                *side = (side.0.max(x - h * z), side.1.min(x + h * z));
            }
        }
        let span = |i: usize| (sides[i].1 - sides[i].0) / (2.0 * half[i]);
        let shift = |i: usize| 0.5 * (sides[i].0 + sides[i].1);
        let radius = 0.5 * (hi - lo).norm();
        let z = span(0).min(span(1)).min(front - 1e-2 * radius.max(1e-6));
        let axis = middle + right * shift(0) + upright * shift(1);
        Camera { position: axis - towards * z, target: axis, fov, roll: 0.0 }
    }

    /// Moves the camera back along its axis of view as little as needed to see every point. The camera stays in place
    /// if it sees all points. The motion is continuous: a point that leaves the picture moves the camera without a
    /// jump.
    pub fn back<'a>(self, points: impl Iterator<Item = &'a Vec3>, aspect: f64, up: Vec3) -> Camera {
        let towards = self.direction();
        let (right, upright) = axes(-towards, up, self.roll);
        let half = half_extent(self.fov, aspect).map(|h| h * 0.98);
        let near = 1e-2 * (self.position - self.target).norm();
        let needed = points.filter(|p| p.iter().all(|c| c.is_finite())).map(|p| {
            let p = p - self.position;
            (p.dot(&right).abs() / half[0]).max(p.dot(&upright).abs() / half[1]).max(near) + p.dot(&towards)
        });
        Camera { position: self.position + towards * needed.fold(0.0, f64::max), ..self }
    }

    /// Moves the camera, without turning it, as little as needed to see points that have all left its picture. The
    /// camera moves forward when all points are beyond the far side of the box `bounds`, and sideways. This motion is
    /// continuous as well.
    pub fn follow<'a>(
        self,
        points: impl Iterator<Item = &'a Vec3> + Clone,
        bounds: (Vec3, Vec3),
        aspect: f64,
        up: Vec3,
    ) -> Camera {
        let (lo, hi) = bounds;
        let towards = self.direction();
        let (right, upright) = axes(-towards, up, self.roll);
        let half = half_extent(self.fov, aspect).map(|h| h * 0.98);
        let reach = (0.5 * (hi - lo)).component_mul(&towards.map(f64::abs)).sum();
        let last = (self.position - 0.5 * (lo + hi)).dot(&towards) + reach;
        let points = points.filter(|p| p.iter().all(|c| c.is_finite())).map(|p| p - self.position);
        let nearest = points.clone().map(|p| -p.dot(&towards)).fold(f64::INFINITY, f64::min);
        let after = if nearest.is_finite() { (nearest - last).max(0.0) } else { 0.0 };
        let sideways = |axis: Vec3, half: f64| {
            let start = (f64::NEG_INFINITY, f64::INFINITY);
            let (low, high) = points.clone().fold(start, |(low, high), p| {
                let (x, z) = (p.dot(&axis), -p.dot(&towards) - after);
                (low.max(x - half * z), high.min(x + half * z))
            });
            let shift = if low <= high { 0f64.max(low).min(high) } else { 0.5 * (low + high) };
            if shift.is_finite() { axis * shift } else { Vec3::zeros() }
        };
        let moved = sideways(right, half[0]) + sideways(upright, half[1]) - towards * after;
        Camera { position: self.position + moved, target: self.target + moved, ..self }
    }

    /// Returns the unit vector from the target to the camera.
    pub fn direction(&self) -> Vec3 {
        unit_or(self.position - self.target, Vec3::z())
    }

    /// Returns the axes of a picture of `width` x `height` pixels. `up` is the up direction of the scene.
    pub fn view(&self, up: Vec3, width: usize, height: usize) -> View {
        let forward = -self.direction();
        let (right, upright) = axes(forward, up, self.roll);
        let half = half_extent(self.fov, width as f64 / height.max(1) as f64);
        View { position: self.position, right, up: upright, forward, half }
    }
}

impl View {
    /// Returns the unit direction through the picture at `x`, `y` in -1..1, right and up positive.
    pub fn ray(&self, x: f64, y: f64) -> Vec3 {
        (self.forward + self.right * (x * self.half[0]) + self.up * (y * self.half[1])).normalize()
    }

    /// Projects a point to the picture, -1..1 right and up. Points behind the camera give `None`.
    pub fn project(&self, point: Vec3) -> Option<[f64; 2]> {
        let p = point - self.position;
        let z = p.dot(&self.forward);
        (z > 1e-9).then(|| [p.dot(&self.right) / (z * self.half[0]), p.dot(&self.up) / (z * self.half[1])])
    }
}
