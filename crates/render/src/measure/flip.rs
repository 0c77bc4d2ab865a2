//! FLIP: the difference that a viewer sees when two pictures alternate at the same place (P. Andersson, J. Nilsson, T.
//! Akenine-Moeller, M. Oskarsson, K. Astroem, M. D. Fairchild: "FLIP: A Difference Evaluator for Alternating Images",
//! Proc. ACM Comput. Graph. Interact. Tech. 3(2), 2020), for pictures of low dynamic range.
//!
//! FLIP has two pipelines per pixel. The colour pipeline blurs both pictures in YCxCz like the eye (contrast
//! sensitivity of an achromatic, a red-green and a blue-yellow channel). The HyAB distance in Hunt-adjusted L*a*b*,
//! compressed and scaled to 0..1, is `dC`. The feature pipeline compares edges and points of the unblurred lightness:
//! `dF`. The error is `dC^(1 - dF)`, 0 to 1.

use crate::linalg::par;
use crate::render::Image;
use std::f64::consts::PI;

/// Pixels per degree of the paper's viewer: a screen of 3840 pixels on 0.7 m, seen from 0.7 m.
pub const PIXELS_PER_DEGREE: f64 = 0.7 * 3840.0 / 0.7 * PI / 180.0;

/// Exponents and knee of the colour error (`QC`, `PC`, `PT`), and exponent of the feature error (`QF`).
const QC: f64 = 0.7;
const PC: f64 = 0.4;
const PT: f64 = 0.95;
const QF: f64 = 0.5;
/// Width of the feature detectors [degrees].
const FEATURE: f64 = 0.082;
/// Weights and squared widths [degrees^2] of the two Gaussians of each channel: achromatic, red-green, blue-yellow.
const CONTRAST: [[[f64; 2]; 2]; 3] =
    [[[1.0, 0.0047], [0.0, 1e-5]], [[1.0, 0.0053], [0.0, 1e-5]], [[34.1, 0.04], [13.5, 0.025]]];

/// Matrix from linear RGB (sRGB primaries) to XYZ. Its row sums are the white point.
const TO_XYZ: [[f64; 3]; 3] = [
    [10135552.0 / 24577794.0, 8788810.0 / 24577794.0, 4435075.0 / 24577794.0],
    [2613072.0 / 12288897.0, 8788810.0 / 12288897.0, 887015.0 / 12288897.0],
    [1425312.0 / 73733382.0, 8788810.0 / 73733382.0, 70074185.0 / 73733382.0],
];

fn white() -> [f64; 3] {
    TO_XYZ.map(|row| row.iter().sum())
}

fn times(m: &[[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

/// Inverts [`TO_XYZ`] by Cramer's rule.
fn from_xyz() -> [[f64; 3]; 3] {
    let m = TO_XYZ;
    let minor = |r: usize, c: usize| {
        let (r1, r2, c1, c2) = ((r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3);
        m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]
    };
    let det: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
    std::array::from_fn(|r| std::array::from_fn(|c| minor(c, r) / det))
}

/// Converts XYZ relative to white to YCxCz; `relative` converts back.
fn opponent([x, y, z]: [f64; 3]) -> [f64; 3] {
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

fn relative([l, cx, cz]: [f64; 3]) -> [f64; 3] {
    let y = (l + 16.0) / 116.0;
    [y + cx / 500.0, y, y - cz / 200.0]
}

/// Converts XYZ relative to white to L*a*b*, with chroma scaled by lightness (Hunt effect).
fn hunt(v: [f64; 3]) -> [f64; 3] {
    let d: f64 = 6.0 / 29.0;
    let f = |t: f64| if t > d * d * d { t.cbrt() } else { t / (3.0 * d * d) + 4.0 / 29.0 };
    let [x, y, z] = v.map(f);
    let l = 116.0 * y - 16.0;
    [l, 0.01 * l * 500.0 * (x - y), 0.01 * l * 200.0 * (y - z)]
}

/// Returns the HyAB distance for large differences: city block in lightness, Euclidean in chroma.
fn hyab(a: [f64; 3], b: [f64; 3]) -> f64 {
    (a[0] - b[0]).abs() + (a[1] - b[1]).hypot(a[2] - b[2])
}

/// Scalar image.
struct Plane {
    width: usize,
    height: usize,
    values: Vec<f64>,
}

impl Plane {
    /// Convolves with a row and a column, both of odd length. The border is repeated outward.
    fn filtered(&self, across: &[f64], down: &[f64]) -> Plane {
        let &Plane { width, height, .. } = self;
        let pass = |from: &[f64], kernel: &[f64], step: usize, place: fn(usize, usize) -> usize, count: usize| {
            let r = kernel.len() / 2;
            par::map(from.len(), |i| {
                let at = place(i, width);
                let first = i - at * step;
                let tap = |(k, w): (usize, &f64)| {
                    let j = (at + k).saturating_sub(r).min(count - 1);
                    w * from[first + j * step]
                };
                kernel.iter().enumerate().map(tap).sum::<f64>()
            })
        };
        let rows = pass(&self.values, across, 1, |i, width| i % width, width);
        Plane { width, height, values: pass(&rows, down, width, |i, width| i / width, height) }
    }
}

/// Samples a function at `-r ..= r`.
fn kernel(r: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
    (0..=2 * r).map(|k| f(k as f64 - r as f64)).collect()
}

/// Filters a channel by the contrast sensitivity of the eye.
fn seen(plane: &Plane, gaussians: &[[f64; 2]; 2], ppd: f64) -> Plane {
    let widest = CONTRAST.iter().flatten().fold(0.0, |m: f64, g| m.max(g[1]));
    let r = (3.0 * (widest / (2.0 * PI * PI)).sqrt() * ppd).ceil() as usize;
    // exp(-pi^2 (x^2 + y^2) / b) is a product of a row and a column.
    let parts: Vec<(f64, Vec<f64>)> = gaussians
        .iter()
        .filter(|[a, _]| *a > 0.0)
        .map(|[a, b]| (a * (PI / b).sqrt(), kernel(r, |x| (-(PI * x / ppd).powi(2) / b).exp())))
        .collect();
    let total: f64 = parts.iter().map(|(w, row)| w * row.iter().sum::<f64>().powi(2)).sum();
    let mut all = Plane { width: plane.width, height: plane.height, values: vec![0.0; plane.values.len()] };
    for (weight, row) in parts {
        let part = plane.filtered(&row, &row);
        all.values.iter_mut().zip(part.values).for_each(|(sum, v)| *sum += v * weight / total);
    }
    all
}

/// Returns the strength of edges and of points at each pixel.
fn features(lightness: &Plane, ppd: f64) -> [Vec<f64>; 2] {
    let sd = 0.5 * FEATURE * ppd;
    let r = (3.0 * sd).ceil() as usize;
    let bell = |x: f64| (-x * x / (2.0 * sd * sd)).exp();
    let mut across = kernel(r, bell);
    let sum: f64 = across.iter().sum();
    across.iter_mut().for_each(|w| *w /= sum);
    let strength = |law: &dyn Fn(f64) -> f64| {
        let mut along = kernel(r, law);
        // The negative and the positive part are normalised to 1 each.
        let sums = along.iter().fold([0.0; 2], |[n, p], w| if *w < 0.0 { [n - w, p] } else { [n, p + w] });
        along.iter_mut().for_each(|w| *w /= if *w < 0.0 { sums[0] } else { sums[1] });
        let (x, y) = (lightness.filtered(&along, &across), lightness.filtered(&across, &along));
        x.values.iter().zip(y.values).map(|(x, y)| x.hypot(y)).collect()
    };
    [strength(&|x| -x * bell(x)), strength(&|x| (x * x / (sd * sd) - 1.0) * bell(x))]
}

/// Returns the Hunt-adjusted colours as seen, and the features of a picture.
fn perceived(image: &Image, ppd: f64) -> (Vec<[f64; 3]>, [Vec<f64>; 2]) {
    let (w, white) = (image.width, white());
    let clean = |c: f32| if c.is_nan() { 0.0 } else { f64::from(c).clamp(0.0, 1.0) };
    let opponents: Vec<[f64; 3]> = par::map(image.pixels.len(), |i| {
        let xyz = times(&TO_XYZ, image.pixels[i].map(clean));
        opponent([0, 1, 2].map(|c| xyz[c] / white[c]))
    });
    let plane = |f: &dyn Fn(&[f64; 3]) -> f64| Plane {
        width: w,
        height: image.height,
        values: opponents.iter().map(f).collect(),
    };
    let [l, cx, cz] = [0, 1, 2].map(|c| seen(&plane(&|v| v[c]), &CONTRAST[c], ppd).values);
    let back = from_xyz();
    let colours = par::map(l.len(), |i| {
        let v = relative([l[i], cx[i], cz[i]]);
        let rgb = times(&back, [0, 1, 2].map(|c| v[c] * white[c])).map(|c| c.clamp(0.0, 1.0));
        adjusted(rgb)
    });
    (colours, features(&plane(&|v| (v[0] + 16.0) / 116.0), ppd))
}

/// Converts linear RGB to Hunt-adjusted L*a*b*.
fn adjusted(rgb: [f64; 3]) -> [f64; 3] {
    let (xyz, white) = (times(&TO_XYZ, rgb), white());
    hunt([0, 1, 2].map(|c| xyz[c] / white[c]))
}

/// Computes FLIP at each pixel, 0 to 1, of two pictures of the same size. Colours beyond 0..1 are clamped. `ppd` is the
/// number of pixels per degree of the field of view.
///
/// # Errors
/// The pictures are empty or differ in size.
pub fn flip(a: &Image, b: &Image, ppd: f64) -> Result<Vec<f64>, String> {
    let size = |i: &Image| (i.width, i.height, i.pixels.len());
    if size(a) != size(b) || a.pixels.is_empty() || a.pixels.len() != a.width * a.height {
        return Err(format!("pictures of {} x {} and {} x {} pixels", a.width, a.height, b.width, b.height));
    }
    let ((colour_a, features_a), (colour_b, features_b)) = par::join(|| perceived(a, ppd), || perceived(b, ppd));
    let most = hyab(adjusted([0.0, 1.0, 0.0]), adjusted([0.0, 0.0, 1.0])).powf(QC);
    Ok(par::map(a.pixels.len(), |i| {
        let e = hyab(colour_a[i], colour_b[i]).powf(QC);
        let knee = PC * most;
        let colour = if e < knee { PT / knee * e } else { PT + (e - knee) / (most - knee) * (1.0 - PT) };
        let apart = |k: usize| (features_a[k][i] - features_b[k][i]).abs();
        let feature = (apart(0).max(apart(1)) / 2f64.sqrt()).powf(QF).clamp(0.0, 1.0);
        colour.clamp(0.0, 1.0).powf(1.0 - feature)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::linear_from_srgb;

    const WIDTH: usize = 64;
    const HEIGHT: usize = 48;

    fn image(mut f: impl FnMut(usize, usize) -> [u32; 3]) -> Image {
        let mut pixels = Vec::new();
        for y in 0..HEIGHT {
            for x in 0..WIDTH {
                pixels.push(f(x, y).map(|c| linear_from_srgb(f64::from(c) / 255.0) as f32));
            }
        }
        Image { width: WIDTH, height: HEIGHT, pixels }
    }

    fn grey(f: impl Fn(usize, usize) -> u32) -> Image {
        image(|x, y| [f(x, y); 3])
    }

    fn ramp(x: usize, y: usize) -> [u32; 3] {
        [x * 255 / 63, y * 255 / 47, (x + y) * 255 / 110].map(|c| c as u32)
    }

    fn noise(seed: u32) -> Image {
        let mut s = seed;
        image(|_, _| {
            [(); 3].map(|_| {
                s = s.wrapping_mul(1664525).wrapping_add(1013904223);
                s >> 24
            })
        })
    }

    /// Returns the mean, the largest value, and the values at (21, 12), (33, 24) and (0, 0).
    fn numbers(a: &Image, b: &Image) -> [f64; 5] {
        let all = flip(a, b, PIXELS_PER_DEGREE).unwrap();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let at = |x: usize, y: usize| all[y * WIDTH + x];
        [mean, all.iter().copied().fold(0.0, f64::max), at(21, 12), at(33, 24), at(0, 0)]
    }

    /// Expected values from the authors' implementation: flip-evaluator 1.7 (PyPI; github.com/NVlabs/flip), LDR, with
    /// its default viewer of 67.0206 pixels a degree. That implementation computes in single precision.
    #[test]
    fn the_authors_implementation_gives_the_same_numbers() {
        let in_blot = |x: usize, y: usize| (20..26).contains(&x) && (10..16).contains(&y);
        let cases = [
            (
                "a red blot",
                image(ramp),
                image(|x, y| if in_blot(x, y) { [255, 0, 0] } else { ramp(x, y) }),
                [0.024872401729226112, 0.96700335, 0.9651321, 0.00014516697, 0.0],
            ),
            (
                "one level",
                image(ramp),
                image(|x, y| ramp(x, y).map(|c| (c + 1).min(255))),
                [0.03878924995660782, 0.050626338, 0.036901195, 0.033056054, 0.024334408],
            ),
            ("noise", noise(1), noise(2), [0.431583434343338, 0.96551985, 0.3534763, 0.2017488, 0.8346093]),
            (
                "an edge one pixel off",
                grey(|x, _| if x < 32 { 40 } else { 200 }),
                grey(|x, _| if x < 33 { 40 } else { 200 }),
                [0.03662606328725815, 0.6218519, 0.0, 0.39337614, 0.0],
            ),
            (
                "a white speck on black",
                grey(|_, _| 0),
                grey(|x, y| if (x, y) == (32, 24) { 255 } else { 0 }),
                [0.00465796934440732, 0.8649065, 0.0, 0.7634907, 0.0],
            ),
        ];
        for (name, a, b, wanted) in cases {
            let found = numbers(&a, &b);
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 2e-5, "{name}: {found}, the authors have {wanted}");
            }
            assert!(numbers(&a, &a) == [0.0; 5], "{name}: not the same as itself");
        }
    }

    #[test]
    fn pictures_of_different_sizes_are_refused() {
        let other = Image::filled(WIDTH, HEIGHT + 1, [0.0; 3]);
        assert!(flip(&noise(1), &other, PIXELS_PER_DEGREE).unwrap_err().contains("64 x 48 and 64 x 49"));
    }
}
