//! Implicit fields of solids: negative inside, about a distance [m] near the surface.

use percale::linalg::Vec3;

/// Unites two fields with a fillet of about `radius` [m] between them (polynomial smooth minimum, Quilez).
pub fn blend(a: f64, b: f64, radius: f64) -> f64 {
    let h = (radius - (a - b).abs()).max(0.0) / radius;
    a.min(b) - 0.25 * h * h * radius
}

/// Returns the field of a ball-ended cone from `a` (radius `ra`) to `b` (radius `rb`): distance to the axis minus the
/// radius there.
pub fn cone(p: Vec3, a: Vec3, ra: f64, b: Vec3, rb: f64) -> f64 {
    let axis = b - a;
    let t = ((p - a).dot(&axis) / axis.norm_squared()).clamp(0.0, 1.0);
    (p - a - axis * t).norm() - (ra + (rb - ra) * t)
}

/// Returns the field of an axis-aligned ellipsoid, a distance to first order.
pub fn ellipsoid(p: Vec3, center: Vec3, radii: Vec3) -> f64 {
    let q = p - center;
    let rho = q.component_div(&radii).norm();
    let slope = q.component_div(&radii.component_mul(&radii)).norm();
    if slope < 1e-9 { -radii.min() } else { rho * (rho - 1.0) / slope }
}
