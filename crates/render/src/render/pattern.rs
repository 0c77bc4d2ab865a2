//! Fixed sample patterns: the two-dimensional Sobol (0,2)-sequence and its maps to a pixel, a disc and a hemisphere.

use std::f64::consts::PI;

/// Returns point `index` of the (0,2)-sequence (Sobol 1967; Kollig & Keller 2002). Every aligned block of `2^m` points
/// has one point in each elementary interval of area `2^-m`.
pub(super) fn sobol(index: u32) -> [f64; 2] {
    let (mut rest, mut v, mut y) = (index, 1u32 << 31, 0u32);
    while rest != 0 {
        if rest & 1 == 1 {
            y ^= v;
        }
        rest >>= 1;
        v ^= v >> 1;
    }
    [index.reverse_bits(), y].map(|u| f64::from(u) / 4294967296.0)
}

/// Returns an offset from the pixel's centre [pixels], distributed as the tent filter of the given radius. Point 0 is
/// the centre.
pub(super) fn pixel(index: u32, radius: f64) -> [f64; 2] {
    sobol(index).map(|u| {
        let u = (u + 0.5).fract();
        radius * if u < 0.5 { (2.0 * u).sqrt() - 1.0 } else { 1.0 - (2.0 - 2.0 * u).sqrt() }
    })
}

/// Maps the unit square to the unit disc, area preserving and concentric (Shirley & Chiu 1997).
pub(super) fn disc(u: [f64; 2]) -> [f64; 2] {
    let [a, b] = u.map(|x| 2.0 * x - 1.0);
    if a == 0.0 && b == 0.0 {
        return [0.0, 0.0];
    }
    let (r, phi) = if a.abs() > b.abs() { (a, PI / 4.0 * (b / a)) } else { (b, PI / 2.0 - PI / 4.0 * (a / b)) };
    [r * phi.cos(), r * phi.sin()]
}

/// Maps the unit square to directions about +z with density `cos / pi`.
pub(super) fn cosine_hemisphere(u: [f64; 2]) -> [f64; 3] {
    let [x, y] = disc(u);
    [x, y, (1.0 - x * x - y * y).max(0.0).sqrt()]
}
