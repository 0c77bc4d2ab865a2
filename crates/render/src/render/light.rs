//! Lights: a key light with a soft shadow and an even fill.

use super::camera::unit_or;
use super::pattern;
use crate::linalg::Vec3;
use std::f64::consts::TAU;

/// Distant disc light: parallel light whose penumbra widens with the distance to the occluder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// Direction from the scene to the light; any length.
    pub direction: Vec3,
    /// Angular radius of the disc [rad]; 0 casts hard shadows.
    pub radius: f64,
    /// Linear RGB; a white Lambert surface facing the light takes this colour.
    pub colour: [f64; 3],
}

/// Fill light from everywhere: `sky` from above, `ground` from below, blended by the normal's height. The share of the
/// hemisphere that the objects themselves cover dims it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fill {
    /// Linear RGB on a surface facing up.
    pub sky: [f64; 3],
    /// Linear RGB on a surface facing down.
    pub ground: [f64; 3],
    /// Whether objects dim the fill (ambient occlusion).
    pub occlusion: bool,
}

/// Lights of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lights {
    /// Key light, which casts shadows.
    pub key: Key,
    /// Fill light.
    pub fill: Fill,
}

impl Lights {
    /// Returns a key light above the viewer's left shoulder and a cool fill. `direction` points from the scene to the
    /// camera.
    pub fn studio(direction: Vec3, up: Vec3) -> Lights {
        let up = unit_or(up, Vec3::y());
        let side = unit_or(up.cross(&direction), Vec3::x());
        let front = unit_or(side.cross(&up), Vec3::z());
        Lights {
            key: Key { direction: front * 0.55 - side * 0.85 + up * 1.15, radius: 0.1, colour: [1.0, 0.96, 0.90] },
            fill: Fill { sky: [0.19, 0.205, 0.23], ground: [0.13, 0.12, 0.11], occlusion: true },
        }
    }
}

/// Returns directions towards points of the key light: `count` evenly spread ones, and sixteen probes. The probes, most
/// of them on the rim, find out whether anything blocks the light.
pub(super) fn key_samples(key: &Key, count: u32) -> (Vec<Vec3>, Vec<Vec3>) {
    let axis = unit_or(key.direction, Vec3::y());
    let (a, b) = tangents(axis);
    let radius = if key.radius.is_finite() { key.radius.clamp(0.0, 1.5).tan() } else { 0.0 };
    let towards = |[x, y]: [f64; 2]| (axis + (a * x + b * y) * radius).normalize();
    let ring = |r: f64, turn: f64| [r * (TAU * turn).cos(), r * (TAU * turn).sin()];
    let even =
        (0..count).map(|i| towards(pattern::disc(pattern::sobol(i).map(|u| u + 0.5 / f64::from(count))))).collect();
    let probe = (0..16).map(|i| if i % 4 < 3 { ring(1.0, i as f64 / 16.0) } else { ring(0.5, i as f64 / 16.0) });
    (even, probe.map(towards).collect())
}

/// Returns two unit vectors that form a right-handed frame with the unit vector `n`.
pub(super) fn tangents(n: Vec3) -> (Vec3, Vec3) {
    // Duff et al., "Building an Orthonormal Basis, Revisited", JCGT 2017.
    let sign = if n.z < 0.0 { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + n.z);
    let b = n.x * n.y * a;
    (Vec3::new(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x), Vec3::new(b, sign + n.y * n.y * a, -n.y))
}
