//! Filled pillows.

use super::relax::gradient;
use super::surface::surface;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use std::f64::consts::FRAC_PI_2;

/// Exponent of the swell along each axis: 2 is a parabola, larger is flatter in the middle.
const SWELL: f64 = 2.5;
/// Exponent of the profile: 2 is an ellipse, 1 is a sharp seam.
const PROFILE: f64 = 1.5;
/// Part of its size by which the filling draws the middle of each side in, between corners that keep their place.
const DRAWN: f64 = 0.1;

/// Makes a closed pillow in triangles with edges of about `spacing` [m]: about the origin in the xz-plane, `size` [m]
/// wide, thick in the middle and deep, with corners that stand out and thin sides.
pub fn plump(size: Vec3, spacing: f64) -> TriMesh {
    let radii = 0.5 * size;
    let level = move |p: Vec3| {
        let q = p.component_div(&radii).abs();
        let drawn = |along: f64| 1.0 - DRAWN * (FRAC_PI_2 * along.min(1.0)).cos();
        let [x, z] = [q.x / drawn(q.z), q.z / drawn(q.x)].map(|along| 1.0 - along.powf(SWELL));
        q.y.powf(PROFILE) - if x > 0.0 && z > 0.0 { x * z } else { x.min(z) }
    };
    // Distance to first order.
    let field = move |p: Vec3| level(p) / gradient(&level, p).norm().max(1.0 / size.max());
    let margin = Vec3::repeat(2.0 * spacing);
    surface(field, -radii - margin, radii + margin, spacing)
}
