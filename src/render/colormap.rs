//! The colour map of fields.

use super::raster::linear_from_srgb;
use std::sync::LazyLock;

/// Every sixteenth entry of viridis (S. van der Walt and N. Smith, matplotlib, CC0), sRGB. Perceptually uniform, in order
/// also without colour vision and in grey.
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

const STEPS: usize = 512;

static LINEAR: LazyLock<Vec<[f64; 3]>> = LazyLock::new(|| {
    let entry = |i: usize| {
        let x = i as f64 / STEPS as f64 * 16.0;
        let k = (x as usize).min(15);
        let f = x - k as f64;
        [0, 1, 2].map(|c| linear_from_srgb(VIRIDIS[k][c] * (1.0 - f) + VIRIDIS[k + 1][c] * f))
    };
    (0..=STEPS).map(entry).collect()
});

/// Linear RGB of `t` in 0..1 (clamped), dark violet to yellow; grey for NaN.
pub fn colormap(t: f64) -> [f64; 3] {
    if t.is_nan() {
        return [0.2; 3];
    }
    LINEAR[((t.clamp(0.0, 1.0) * STEPS as f64).round() as usize).min(STEPS)]
}
