//! Differences of pictures and of meshes as a few numbers, and the gates that they must pass.

use super::flip::{PIXELS_PER_DEGREE, flip};
use crate::linalg::{Vec3, par};
use crate::render::{Image, srgb_from_linear};

/// Difference of two frames. A value of pictures belongs to a pixel: the largest over its channels as encoded for
/// display (sRGB, 0..1). A value of meshes belongs to a vertex: the distance between its two positions [m].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Difference at each pixel or vertex; infinite if exactly one side is not a number.
    pub values: Vec<f64>,
    /// Root mean square: over all channels of pictures, over all vertices of meshes.
    pub rms: f64,
    /// Largest difference.
    pub most: f64,
    /// FLIP at each pixel; empty for meshes.
    pub flip: Vec<f64>,
}

/// Bounds of an acceptable difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gates {
    /// Difference above which a pixel or vertex is bad.
    pub threshold: f64,
    /// Largest share of bad pixels or vertices, 0..1.
    pub share: f64,
    /// Largest difference anywhere.
    pub most: f64,
}

impl Gates {
    /// Gates of pictures. Two levels of 255 are rounding. One pixel in a thousand may differ by more, as at an edge
    /// that moved by a fraction of a pixel.
    pub const IMAGES: Gates = Gates { threshold: 2.5 / 255.0, share: 1e-3, most: 0.25 };
    /// Gates of meshes: a hundredth of a millimetre, and a millimetre for one vertex in a thousand.
    pub const MESHES: Gates = Gates { threshold: 1e-5, share: 1e-3, most: 1e-3 };

    /// Returns whether the difference is small enough. A difference that is not a number fails.
    pub fn pass(&self, difference: &Difference) -> bool {
        difference.bad(self.threshold) <= self.share && difference.most <= self.most
    }
}

impl Difference {
    fn of(values: Vec<f64>, rms: f64, flip: Vec<f64>) -> Difference {
        let most = par::max(values.len(), |i| values[i]).max(0.0);
        Difference { values, rms, most, flip }
    }

    /// Returns the share of pixels or vertices whose difference exceeds `threshold`, 0..1.
    pub fn bad(&self, threshold: f64) -> f64 {
        let count = self.values.iter().filter(|v| **v > threshold).count();
        count as f64 / self.values.len().max(1) as f64
    }

    /// Returns the value that a share of pixels or vertices do not exceed, or 0 for an empty list.
    pub fn quantile(values: &[f64], share: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        sorted.get((share * last as f64).round() as usize).copied().unwrap_or(0.0)
    }
}

/// Returns `|a - b|`: 0 if both are NaN or equally infinite, infinity if only one is.
fn apart(a: f64, b: f64) -> f64 {
    if a == b || a.is_nan() && b.is_nan() {
        0.0
    } else {
        let d = (a - b).abs();
        if d.is_nan() { f64::INFINITY } else { d }
    }
}

/// Encodes a colour for display. The curve continues beyond 0..1.
fn encoded(x: f32) -> f64 {
    srgb_from_linear(f64::from(x))
}

/// Computes the difference of two pictures.
///
/// # Errors
/// The pictures are empty or differ in size.
pub fn images(a: &Image, b: &Image) -> Result<Difference, String> {
    let flip = flip(a, b, PIXELS_PER_DEGREE)?;
    let channels = |i: usize| [0, 1, 2].map(|c| apart(encoded(a.pixels[i][c]), encoded(b.pixels[i][c])));
    let values = par::map(a.pixels.len(), |i| channels(i).into_iter().fold(0.0, f64::max));
    let squares = par::sum(values.len(), |i| channels(i).iter().map(|d| d * d).sum());
    Ok(Difference::of(values, (squares / (3.0 * a.pixels.len() as f64)).sqrt(), flip))
}

/// Computes the difference of two meshes with the same vertices.
///
/// # Errors
/// The numbers of vertices differ.
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

    /// Gates distinguish a small defect from a harmless level. A mean hides the defect and punishes the level.
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
        // Red rises by a half and both other channels fall by a half, in five of ten thousand pixels.
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
