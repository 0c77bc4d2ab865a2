//! A statue of a dragon, with points and hollows.

use super::fields::{blend, cone};
use super::surface::surface;
use percale::collision::closest::point_triangle;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;

/// Balls along a limb: centre and radius [m].
type Limb = [(Vec3, f64)];

const fn at(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

const TRUNK: [(Vec3, f64); 4] = [
    (at(0.062, 0.092, 0.0), 0.032),
    (at(0.020, 0.080, 0.0), 0.037),
    (at(-0.040, 0.072, 0.0), 0.036),
    (at(-0.085, 0.066, 0.0), 0.030),
];
const NECK: [(Vec3, f64); 5] = [
    (at(0.062, 0.092, 0.0), 0.028),
    (at(0.104, 0.128, 0.0), 0.020),
    (at(0.112, 0.172, 0.0), 0.015),
    (at(0.096, 0.210, 0.0), 0.014),
    (at(0.110, 0.236, 0.0), 0.017),
];
const HEAD: [(Vec3, f64); 3] =
    [(at(0.110, 0.236, 0.0), 0.018), (at(0.138, 0.226, 0.0), 0.013), (at(0.160, 0.214, 0.0), 0.009)];
/// The left horn, on the +z side.
const HORN: [(Vec3, f64); 3] =
    [(at(0.102, 0.246, 0.010), 0.008), (at(0.082, 0.264, 0.019), 0.0065), (at(0.064, 0.270, 0.029), 0.0055)];
const FORELEG: [(Vec3, f64); 4] = [
    (at(0.056, 0.078, 0.026), 0.019),
    (at(0.048, 0.040, 0.046), 0.013),
    (at(0.066, 0.012, 0.046), 0.010),
    (at(0.086, 0.008, 0.048), 0.008),
];
const HIND_LEG: [(Vec3, f64); 4] = [
    (at(-0.078, 0.064, 0.026), 0.026),
    (at(-0.050, 0.036, 0.052), 0.016),
    (at(-0.070, 0.012, 0.050), 0.010),
    (at(-0.044, 0.008, 0.054), 0.008),
];
/// The tail, bent to the left.
const TAIL: [(Vec3, f64); 7] = [
    (at(-0.085, 0.066, 0.0), 0.028),
    (at(-0.128, 0.040, 0.006), 0.019),
    (at(-0.154, 0.020, 0.034), 0.013),
    (at(-0.150, 0.012, 0.074), 0.010),
    (at(-0.118, 0.011, 0.102), 0.008),
    (at(-0.080, 0.014, 0.110), 0.0065),
    (at(-0.054, 0.022, 0.106), 0.0045),
];
/// The left wing: its shoulder, its wrist, and the ends of its fingers from the foremost on.
const SHOULDER: Vec3 = at(0.030, 0.108, 0.020);
const WRIST: Vec3 = at(0.012, 0.196, 0.072);
const FINGERS: [Vec3; 3] = [at(-0.064, 0.248, 0.106), at(-0.088, 0.186, 0.120), at(-0.072, 0.128, 0.094)];
/// Ends of the spikes' axes, from the neck to the tail.
const SPIKES: [[Vec3; 2]; 9] = [
    [at(0.088, 0.200, 0.0), at(0.062, 0.214, 0.0)],
    [at(0.100, 0.172, 0.0), at(0.072, 0.182, 0.0)],
    [at(0.090, 0.140, 0.0), at(0.062, 0.158, 0.0)],
    [at(0.054, 0.116, 0.0), at(0.034, 0.146, 0.0)],
    [at(0.016, 0.108, 0.0), at(0.000, 0.142, 0.0)],
    [at(-0.024, 0.100, 0.0), at(-0.040, 0.134, 0.0)],
    [at(-0.062, 0.092, 0.0), at(-0.082, 0.124, 0.0)],
    [at(-0.100, 0.074, 0.0), at(-0.124, 0.096, 0.0)],
    [at(-0.136, 0.046, 0.016), at(-0.162, 0.062, 0.012)],
];
/// Radii of a spike at its foot and tip [m].
const SPIKE: [f64; 2] = [0.010, 0.0048];
/// Radii of a finger at the wrist and at its end [m].
const FINGER: [f64; 2] = [0.008, 0.0052];
/// Half the thickness of the skin between the fingers [m].
const SKIN: f64 = 0.0046;
/// Radius around a tip within which vertices move, and the largest displacement along the axis [m].
const DRAWN: [f64; 2] = [0.011, 0.008];
/// Fraction of its width that a tip loses.
const THINNED: f64 = 0.6;

/// Makes a dragon about 0.33 m long (x, its head at +x) and 0.27 m high that stands at y = 0: horns, spikes, half open
/// wings, and hollows between neck, wings and legs. Triangles have edges of about `spacing` [m], up to 5 mm, which
/// gives about 10,000 vertices.
pub fn dragon(spacing: f64) -> TriMesh {
    let mut mesh =
        surface(field, Vec3::new(-0.20, -0.02, -0.16), Vec3::new(0.20, 0.30, 0.16), spacing.clamp(0.003, 0.005));
    for p in &mut mesh.positions {
        *p = tips().into_iter().fold(*p, draw_out);
    }
    mesh
}

/// Returns the tips of horns, wings, spikes and tail, each with a point of its axis before it.
fn tips() -> Vec<[Vec3; 2]> {
    let end = |limb: &Limb| [limb[limb.len() - 2].0, limb[limb.len() - 1].0];
    let right = |[a, b]: [Vec3; 2]| [a, b].map(|p| Vec3::new(p.x, p.y, -p.z));
    let left: Vec<[Vec3; 2]> = FINGERS.iter().map(|finger| [WRIST, *finger]).chain([end(&HORN)]).collect();
    let both = left.into_iter().flat_map(|tip| [tip, right(tip)]);
    both.chain(SPIKES).chain([end(&TAIL)]).collect()
}

/// Moves a point near a tip along its axis and towards it, because the grid of the surface is too coarse for sharp
/// points.
fn draw_out(p: Vec3, [before, tip]: [Vec3; 2]) -> Vec3 {
    let [reach, length] = DRAWN;
    let from = p - tip;
    let part = 1.0 - from.norm_squared() / (reach * reach);
    if part <= 0.0 {
        return p;
    }
    let (axis, part) = ((tip - before).normalize(), part * part);
    let along = from.dot(&axis);
    tip + axis * (along + length * part) + (from - axis * along) * (1.0 - THINNED * part)
}

fn field(p: Vec3) -> f64 {
    let side = Vec3::new(p.x, p.y, p.z.abs());
    let mut body = blend(blend(limb(p, &TRUNK), limb(p, &NECK), 0.012), limb(p, &TAIL), 0.010);
    body = blend(body, blend(limb(side, &FORELEG), limb(side, &HIND_LEG), 0.004), 0.012);
    body = blend(body, limb(p, &HEAD), 0.006);
    body = blend(body, limb(side, &HORN), 0.005);
    for [foot, tip] in SPIKES {
        body = blend(body, cone(p, foot, SPIKE[0], tip, SPIKE[1]), 0.004);
    }
    body = blend(body, wing(side), 0.008);
    // The soles are flat, at y = 0.
    -blend(-body, p.y, 0.004)
}

fn limb(p: Vec3, balls: &Limb) -> f64 {
    let part = |pair: &[(Vec3, f64)]| cone(p, pair[0].0, pair[0].1, pair[1].0, pair[1].1);
    balls.windows(2).map(part).fold(f64::INFINITY, |a, b| if a.is_finite() { blend(a, b, 0.006) } else { b })
}

fn wing(p: Vec3) -> f64 {
    let mut wing = cone(p, SHOULDER, 0.011, WRIST, FINGER[0]);
    for end in FINGERS {
        wing = blend(wing, cone(p, WRIST, FINGER[0], end, FINGER[1]), 0.004);
    }
    let [first, second, third] = FINGERS;
    // The skin hangs between the fingers and ends before their tips.
    let before = |end: Vec3| WRIST + (end - WRIST) * 0.82;
    for [a, b] in [[before(first), before(second)], [before(second), before(third)]] {
        wing = blend(wing, skin(p, [WRIST, a, b]), 0.004);
    }
    blend(wing, skin(p, [WRIST, before(third), SHOULDER]), 0.004)
}

fn skin(p: Vec3, [a, b, c]: [Vec3; 3]) -> f64 {
    point_triangle(&p, &a, &b, &c).distance2.sqrt() - SKIN
}
