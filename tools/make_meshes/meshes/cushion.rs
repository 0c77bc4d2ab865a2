//! A stuffed cushion.

use super::relax::gradient;
use super::surface::surface;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;

/// Exponent of the outline: 2 is a circle, larger is squarer.
const OUTLINE: f64 = 4.0;
/// Exponent of the profile: 2 is an ellipse, 1 is a sharp seam.
const PROFILE: f64 = 1.5;

/// Makes a closed cushion in triangles with edges of about `spacing` [m]: about the origin in the xz-plane, `size` [m]
/// wide and `height` [m] thick in the middle, thin towards the seam around it. A superellipsoid (A. H. Barr,
/// "Superquadrics and angle-preserving transformations", IEEE Computer Graphics and Applications 1, 1981).
pub fn cushion(size: f64, height: f64, spacing: f64) -> TriMesh {
    let radii = 0.5 * Vec3::new(size, height, size);
    let level = move |p: Vec3| {
        let q = p.component_div(&radii).abs();
        let outline = (q.x.powf(OUTLINE) + q.z.powf(OUTLINE)).powf(1.0 / OUTLINE);
        (outline.powf(PROFILE) + q.y.powf(PROFILE)).powf(1.0 / PROFILE) - 1.0
    };
    // Distance to first order.
    let field = move |p: Vec3| level(p) / gradient(&level, p).norm().max(1.0 / size);
    let margin = Vec3::repeat(2.0 * spacing);
    surface(field, -radii - margin, radii + margin, spacing)
}
