//! A tailor's dummy.

use super::fields::{blend, cone, ellipsoid};
use super::surface::surface;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;

/// Start of the left upper arm [m]; left is the +x side.
pub(super) const SHOULDER: Vec3 = Vec3::new(0.172, 1.368, -0.012);
/// End of the upper arm [m].
pub(super) const ELBOW: Vec3 = Vec3::new(0.345, 1.125, -0.005);

/// Cross-sections of the torso: height, half width, half depth, shift forwards [m].
const TORSO: [[f64; 4]; 10] = [
    [0.740, 0.140, 0.092, -0.012],
    [0.800, 0.156, 0.104, -0.014],
    [0.870, 0.162, 0.110, -0.014],
    [0.950, 0.148, 0.102, -0.008],
    [1.050, 0.121, 0.088, 0.000],
    [1.130, 0.128, 0.094, 0.002],
    [1.220, 0.144, 0.103, 0.002],
    [1.300, 0.146, 0.100, -0.004],
    [1.370, 0.130, 0.080, -0.012],
    [1.440, 0.080, 0.055, -0.020],
];

/// Makes a mannequin standing at y = 0, facing +z, 1.7 m tall: head, torso, upper arms a little away from the body,
/// legs with feet. The surface is closed, in triangles with edges of about `spacing` [m], up to 0.016 (so that legs and
/// arms stay apart). 0.016 gives about 8,000 vertices.
pub fn mannequin(spacing: f64) -> TriMesh {
    surface(body, Vec3::new(-0.42, -0.06, -0.26), Vec3::new(0.42, 1.78, 0.28), spacing.clamp(0.004, 0.016))
}

/// Returns the field of the whole body; negative inside, about a distance [m] near the surface.
fn body(p: Vec3) -> f64 {
    // The body is symmetric.
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    blend(without_arms(p), cone(p, SHOULDER, 0.046, ELBOW, 0.037), 0.03)
}

/// Returns the field of the body without its arms, for `p` on either side.
pub(super) fn without_arms(p: Vec3) -> f64 {
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    blend(blend(torso(p), neck_and_head(p), 0.05), leg(p), 0.05)
}

/// Returns the field of a tube around the y-axis through given cross-sections
/// `[height, half width, half depth, shift]`.
pub(super) fn tube(p: Vec3, sections: &[[f64; 4]]) -> f64 {
    let [width, depth, shift] = section(p.y, sections);
    let (x, z) = (p.x / width, (p.z - shift) / depth);
    let rho = x.hypot(z);
    let slope = (x / width).hypot(z / depth);
    if slope < 1e-9 { -width.min(depth) } else { rho * (rho - 1.0) / slope }
}

/// Returns half width, half depth and shift at a height: cubic Hermite (Catmull-Rom) interpolation, constant outside.
pub(super) fn section(y: f64, sections: &[[f64; 4]]) -> [f64; 3] {
    let last = sections.len() - 1;
    let above = sections.iter().position(|s| s[0] > y);
    let i = match above {
        Some(0) => return [sections[0][1], sections[0][2], sections[0][3]],
        Some(i) => i - 1,
        None => return [sections[last][1], sections[last][2], sections[last][3]],
    };
    let (a, b) = (&sections[i], &sections[i + 1]);
    let (before, after) = (&sections[i.saturating_sub(1)], &sections[(i + 2).min(last)]);
    let h = b[0] - a[0];
    let t = (y - a[0]) / h;
    [1, 2, 3].map(|k| {
        let m0 = (b[k] - before[k]) / (b[0] - before[0]) * h;
        let m1 = (after[k] - a[k]) / (after[0] - a[0]) * h;
        let (t2, t3) = (t * t, t * t * t);
        (2.0 * t3 - 3.0 * t2 + 1.0) * a[k] + (t3 - 2.0 * t2 + t) * m0 + (3.0 * t2 - 2.0 * t3) * b[k] + (t3 - t2) * m1
    })
}

fn torso(p: Vec3) -> f64 {
    let lower = -blend(-tube(p, &TORSO), -((p.y - 1.08).abs() - 0.32), 0.05);
    let yoke = cone(p, Vec3::new(0.02, 1.410, -0.018), 0.058, SHOULDER, 0.040);
    let breast = ellipsoid(p, Vec3::new(0.066, 1.215, 0.070), Vec3::new(0.058, 0.060, 0.050));
    let seat = ellipsoid(p, Vec3::new(0.072, 0.850, -0.058), Vec3::new(0.076, 0.090, 0.066));
    blend(blend(blend(lower, yoke, 0.05), breast, 0.05), seat, 0.06)
}

fn neck_and_head(p: Vec3) -> f64 {
    let neck = cone(p, Vec3::new(0.0, 1.380, -0.022), 0.056, Vec3::new(0.0, 1.520, 0.004), 0.049);
    let skull = ellipsoid(p, Vec3::new(0.0, 1.608, 0.012), Vec3::new(0.073, 0.097, 0.090));
    let jaw = ellipsoid(p, Vec3::new(0.0, 1.545, 0.042), Vec3::new(0.045, 0.045, 0.048));
    blend(neck, blend(skull, jaw, 0.05), 0.035)
}

fn leg(p: Vec3) -> f64 {
    let (hip, knee) = (Vec3::new(0.091, 0.830, -0.010), Vec3::new(0.103, 0.470, 0.002));
    let (calf, ankle) = (Vec3::new(0.106, 0.350, -0.014), Vec3::new(0.108, 0.090, -0.022));
    let thigh = cone(p, hip, 0.084, knee, 0.052);
    let shin = blend(cone(p, knee, 0.049, calf, 0.050), cone(p, calf, 0.050, ankle, 0.035), 0.02);
    let foot = cone(p, Vec3::new(0.108, 0.036, -0.040), 0.036, Vec3::new(0.120, 0.026, 0.130), 0.033);
    let leg = blend(blend(thigh, shin, 0.02), foot, 0.045);
    // The sole is flat, at y = 0.
    -blend(-leg, p.y, 0.012)
}
