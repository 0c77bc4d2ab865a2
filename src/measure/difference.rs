//! Differences of pictures and of meshes as a few numbers, and the gates they must pass.

use super::flip::{PIXELS_PER_DEGREE, flip};
use crate::linalg::{Vec3, par};
use crate::render::{Image, srgb_from_linear};

/// A difference of two frames. Of pictures each value is that of a pixel, the largest of its channels as encoded for display
/// (sRGB, 0..1); of meshes that of a vertex, the way from the one to the other [m].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Difference at each pixel or vertex; infinite where only one is a number.
    pub values: Vec<f64>,
    /// Root of the mean square: of pictures over all channels, of meshes over all vertices.
    pub rms: f64,
    /// Largest.
    pub most: f64,
    /// FLIP at each pixel; empty for meshes.
    pub flip: Vec<f64>,
}

/// What a difference may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gates {
    /// A pixel or vertex that is further off is bad.
    pub threshold: f64,
    /// Largest share of bad ones, 0..1.
    pub share: f64,
    /// Largest difference anywhere.
    pub most: f64,
}

impl Gates {
    /// Of pictures: two levels of 255 are rounding; one pixel in a thousand, an edge that moved by a part of a pixel, may be off by more.
    pub const IMAGES: Gates = Gates { threshold: 2.5 / 255.0, share: 1e-3, most: 0.25 };
    /// Of meshes: a hundredth of a millimetre, and a millimetre for one vertex in a thousand.
    pub const MESHES: Gates = Gates { threshold: 1e-5, share: 1e-3, most: 1e-3 };

    /// The difference is small enough; a difference that is no number is not.
    pub fn pass(&self, difference: &Difference) -> bool {
        difference.bad(self.threshold) <= self.share && difference.most <= self.most
    }
}

impl Difference {
    fn of(values: Vec<f64>, rms: f64, flip: Vec<f64>) -> Difference {
        let most = par::max(values.len(), |i| values[i]).max(0.0);
        Difference { values, rms, most, flip }
    }

    /// Share of pixels or vertices that are off by more than `threshold`, 0..1.
    pub fn bad(&self, threshold: f64) -> f64 {
        let count = self.values.iter().filter(|v| **v > threshold).count();
        count as f64 / self.values.len().max(1) as f64
    }

    /// The value that a share of pixels or vertices do not exceed; 0 of none.
    pub fn quantile(values: &[f64], share: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((share * last as f64).round() as usize).copied().unwrap_or(0.0)
    }
}

/// `|a - b|`: none between two that are no numbers or infinite alike, infinite if only one is.
fn apart(a: f64, b: f64) -> f64 {
    if a == b || a.is_nan() && b.is_nan() {
        0.0
    } else {
        let d = (a - b).abs();
        if d.is_nan() { f64::INFINITY } else { d }
    }
}

/// Colour as encoded for display, beyond 0..1 continued.
fn encoded(x: f32) -> f64 {
    srgb_from_linear(f64::from(x))
}

/// Difference of two pictures.
///
/// # Errors
/// They are empty or differ in size.
pub fn images(a: &Image, b: &Image) -> Result<Difference, String> {
    let flip = flip(a, b, PIXELS_PER_DEGREE)?;
    let channels = |i: usize| [0, 1, 2].map(|c| apart(encoded(a.pixels[i][c]), encoded(b.pixels[i][c])));
    let values = par::map(a.pixels.len(), |i| channels(i).into_iter().fold(0.0, f64::max));
    let squares = par::sum(values.len(), |i| channels(i).iter().map(|d| d * d).sum());
    Ok(Difference::of(values, (squares / (3.0 * a.pixels.len() as f64)).sqrt(), flip))
}

/// Difference of two meshes of the same vertices.
///
/// # Errors
/// Their numbers of vertices differ.
pub fn vertices(a: &[Vec3], b: &[Vec3]) -> Result<Difference, String> {
    if a.len() != b.len() {
        return Err(format!("meshes of {} and {} vertices", a.len(), b.len()));
    }
    let way = |i: usize| {
        let [x, y, z] = [0, 1, 2].map(|c| apart(a[i][c], b[i][c]));
        x.hypot(y).hypot(z)
    };
    let values = par::map(a.len(), way);
    let squares = par::sum(values.len(), |i| values[i] * values[i]);
    let rms = (squares / a.len().max(1) as f64).sqrt();
    Ok(Difference::of(values, rms, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::linear_from_srgb;

    fn grey(level: f64) -> Image {
        Image::filled(100, 100, [linear_from_srgb(level) as f32; 3])
    }

    /// A mean hides a small defect and punishes a harmless level: gates tell the one from the other.
    #[test]
    fn a_blot_is_caught_where_a_level_passes() {
        let base = grey(0.5);
        let level = images(&base, &grey(0.5 + 1.0 / 255.0)).unwrap();
        let mut blot = base.clone();
        for x in 40..45 {
            blot.pixels[50 * 100 + x] = [1.0, 0.0, 0.0];
        }
        let blot = images(&base, &blot).unwrap();
        let mean = |d: &Difference| d.flip.iter().sum::<f64>() / d.flip.len() as f64;
        assert!(mean(&blot) < mean(&level), "{} {}", mean(&blot), mean(&level));
        assert!(Gates::IMAGES.pass(&level) && !Gates::IMAGES.pass(&blot));
        assert!((level.rms - 1.0 / 255.0).abs() < 1e-6 && (level.most - 1.0 / 255.0).abs() < 1e-6);
        assert_eq!(blot.bad(0.1), 5.0 / 1e4);
        assert!((blot.most - 0.5).abs() < 1e-6);
        // One channel up and two down by a half, in five of ten thousand.
        assert!((blot.rms - 0.5 * (5.0f64 / 1e4).sqrt()).abs() < 1e-6);
    }

    #[test]
    fn what_is_no_number_is_a_difference() {
        let base = grey(0.5);
        let mut hole = base.clone();
        hole.pixels[7] = [f32::NAN; 3];
        let found = images(&base, &hole).unwrap();
        assert!(found.most == f64::INFINITY && !Gates::IMAGES.pass(&found));
        assert_eq!(images(&hole, &hole).unwrap().most, 0.0);
    }

    #[test]
    fn vertices_are_apart_by_their_distance() {
        let a = vec![Vec3::zeros(); 4];
        let mut b = a.clone();
        b[2] = Vec3::new(0.0, 3e-3, -4e-3);
        let found = vertices(&a, &b).unwrap();
        assert!((found.most - 5e-3).abs() < 1e-15 && (found.rms - 2.5e-3).abs() < 1e-15);
        assert_eq!(found.bad(1e-3), 0.25);
        assert_eq!(Difference::quantile(&found.values, 0.5), 0.0);
        assert!(Difference::quantile(&found.values, 1.0) > 4.9e-3);
        assert!(vertices(&a, &b[1..]).is_err());
    }
}
