//! Filled pillows.

use super::relax::gradient;
use super::surface::surface;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use std::f64::consts::FRAC_PI_2;

/// Exponent of the outline: 2 is an ellipse, larger is squarer.
const OUTLINE: f64 = 7.0;
/// Exponent of the profile: 2 is an ellipse, 1 is a sharp seam.
const PROFILE: f64 = 1.5;
/// Part of its size by which the filling draws the middle of each side in, between corners that keep their place.
const DRAWN: f64 = 0.06;

/// Makes a closed pillow in triangles with edges of about `spacing` [m]: about the origin in the xz-plane, `size` [m]
/// wide, thick in the middle and deep, with corners that stand out and thin sides.
pub fn plump(size: Vec3, spacing: f64) -> TriMesh {
    let radii = 0.5 * size;
    let level = move |p: Vec3| {
        let q = p.component_div(&radii).abs();
        let drawn = |along: f64| 1.0 - DRAWN * (FRAC_PI_2 * along.min(1.0)).cos();
        let outline =
            ((q.x / drawn(q.z)).powf(OUTLINE) + (q.z / drawn(q.x)).powf(OUTLINE)).powf(1.0 / OUTLINE);
        (outline.powf(PROFILE) + q.y.powf(PROFILE)).powf(1.0 / PROFILE) - 1.0
    };
    // Distance to first order.
    let field = move |p: Vec3| level(p) / gradient(&level, p).norm().max(1.0 / size.max());
    let margin = Vec3::repeat(2.0 * spacing);
    surface(field, -radii - margin, radii + margin, spacing)
}
