//! A bumpy hull like a car's body.

use super::fields::{blend, cone, ellipsoid};
use super::surface::surface;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;

/// Makes a closed smooth hull about 4 m long (x, the front at +x), 1.5 m wide (z) and 1.3 m high, its underside at y =
/// 0: cabin, bonnet, wheel arches, lamps, mirrors. Triangles have edges of about `spacing` [m], up to 0.075; 0.07 gives
/// about 5,000 vertices, 0.0365 about 18,000.
pub fn hull(spacing: f64) -> TriMesh {
    surface(field, Vec3::new(-2.3, -0.25, -1.15), Vec3::new(2.3, 1.55, 1.15), spacing.clamp(0.02, 0.075))
}

fn field(p: Vec3) -> f64 {
    let p = Vec3::new(p.x, p.y, p.z.abs());
    let sill = rounded_box(p - Vec3::new(0.0, 0.42, 0.0), Vec3::new(1.93, 0.40, 0.68), 0.20);
    let bonnet = ellipsoid(p, Vec3::new(1.15, 0.70, 0.0), Vec3::new(0.85, 0.25, 0.62));
    let boot = ellipsoid(p, Vec3::new(-1.45, 0.74, 0.0), Vec3::new(0.55, 0.22, 0.60));
    let cabin = rounded_box(slanted(p) - Vec3::new(-0.25, 0.90, 0.0), Vec3::new(0.92, 0.38, 0.58), 0.22);
    let mut hull = blend(blend(blend(sill, bonnet, 0.15), boot, 0.15), cabin, 0.18);
    for x in [1.22, -1.22] {
        // An arch bulges out over its wheel and the wheel itself is cut in below it.
        let arch = ellipsoid(p, Vec3::new(x, 0.38, 0.60), Vec3::new(0.46, 0.40, 0.18));
        hull = blend(hull, arch, 0.08);
        let wheel = cone(p, Vec3::new(x, 0.02, 0.80), 0.25, Vec3::new(x, 0.02, 0.95), 0.25);
        hull = -blend(-hull, wheel, 0.08);
    }
    let lamp = ellipsoid(p, Vec3::new(1.80, 0.62, 0.45), Vec3::new(0.16, 0.12, 0.14));
    let mirror = ellipsoid(p, Vec3::new(0.80, 0.86, 0.60), Vec3::new(0.09, 0.16, 0.11));
    let scoop = ellipsoid(p, Vec3::new(1.05, 0.94, 0.0), Vec3::new(0.30, 0.09, 0.20));
    blend(blend(blend(hull, lamp, 0.08), mirror, 0.06), scoop, 0.08)
}

/// Leans windscreen and rear window: the cabin narrows and shortens upwards.
fn slanted(p: Vec3) -> Vec3 {
    let rise = (p.y - 0.75).clamp(0.0, 0.7);
    Vec3::new((p.x + 0.25) * (1.0 + 0.75 * rise) - 0.25, p.y, p.z * (1.0 + 0.35 * rise))
}

/// Returns the field of a box of half size `half` about the origin with edges rounded by `radius`.
fn rounded_box(p: Vec3, half: Vec3, radius: f64) -> f64 {
    let q = p.abs() - half + Vec3::repeat(radius);
    q.sup(&Vec3::zeros()).norm() + q.max().min(0.0) - radius
}
