//! Colour maps of fields.

use super::raster::linear_from_srgb;
use std::sync::LazyLock;

/// Every sixteenth entry of viridis (S. van der Walt and N. Smith, matplotlib, CC0), sRGB. The map is perceptually
/// uniform, and monotonic also without colour vision and in grey.
const VIRIDIS: [[f64; 3]; 17] = [
    [0.2670, 0.0049, 0.3294],
    [0.2823, 0.0950, 0.4173],
    [0.2788, 0.1755, 0.4834],
    [0.2590, 0.2515, 0.5247],
    [0.2297, 0.3224, 0.5457],
    [0.1994, 0.3876, 0.5546],
    [0.1727, 0.4488, 0.5579],
    [0.1490, 0.5081, 0.5573],
    [0.1276, 0.5669, 0.5506],
    [0.1201, 0.6222, 0.5349],
    [0.1539, 0.6802, 0.5042],
    [0.2394, 0.7356, 0.4557],
    [0.3607, 0.7860, 0.3878],
    [0.5063, 0.8288, 0.3004],
    [0.6681, 0.8620, 0.1963],
    [0.8353, 0.8860, 0.1026],
    [0.9932, 0.9062, 0.1439],
];

/// Every sixteenth entry of the cool to warm map (K. Moreland, "Diverging Color Maps for Scientific Visualization",
/// 2009), 8-bit sRGB. The map runs from blue over grey to red, with both ends equally far from grey.
const COOL_TO_WARM: [[u8; 3]; 17] = [
    [59, 76, 192],
    [77, 104, 215],
    [98, 130, 234],
    [119, 154, 247],
    [141, 176, 254],
    [163, 194, 255],
    [184, 208, 249],
    [204, 217, 238],
    [221, 221, 221],
    [236, 211, 197],
    [245, 196, 173],
    [247, 177, 148],
    [244, 154, 123],
    [236, 127, 99],
    [222, 96, 77],
    [203, 62, 56],
    [180, 4, 38],
];

const STEPS: usize = 512;

static SEQUENTIAL: LazyLock<Vec<[f64; 3]>> = LazyLock::new(|| linear(&VIRIDIS));
static DIVERGING: LazyLock<Vec<[f64; 3]>> =
    LazyLock::new(|| linear(&COOL_TO_WARM.map(|colour| colour.map(|c| f64::from(c) / 255.0))));

/// Interpolates 17 sRGB colours to linear RGB at all steps.
fn linear(colours: &[[f64; 3]; 17]) -> Vec<[f64; 3]> {
    let entry = |i: usize| {
        let x = i as f64 / STEPS as f64 * 16.0;
        let k = (x as usize).min(15);
        let f = x - k as f64;
        [0, 1, 2].map(|c| linear_from_srgb(colours[k][c] * (1.0 - f) + colours[k + 1][c] * f))
    };
    (0..=STEPS).map(entry).collect()
}

/// Colour map of a field's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Map {
    /// Sequential map from dark violet to yellow.
    #[default]
    Sequential,
    /// Diverging map from blue over light grey to red, for values on both sides of the middle of their range.
    Diverging,
}

impl Map {
    /// Returns linear RGB at `t` in 0..1 (clamped), or grey for NaN.
    pub fn colour(self, t: f64) -> [f64; 3] {
        if t.is_nan() {
            return [0.2; 3];
        }
        let colours = match self {
            Map::Sequential => &SEQUENTIAL,
            Map::Diverging => &DIVERGING,
        };
        colours[((t.clamp(0.0, 1.0) * STEPS as f64).round() as usize).min(STEPS)]
    }
}
