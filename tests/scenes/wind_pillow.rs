//! Scene `wind-pillow`: waves run over the cover, from the air inlet to the outlet (Chen, Feng & Wang 2013, figure 11).

use super::{Done, Vec3, check_scene};

#[test]
#[ignore = "long: half a minute or more"]
fn wind_pillow_as_expected() {
    check_scene("wind-pillow");
}

/// Returns heights of the cover's middle line over time at a fraction of its width, less their mean [m].
fn heights(frames: &[&[Vec3]], part: f64) -> Vec<f64> {
    let start = frames[0];
    let top = start.iter().map(|p| p.y).sum::<f64>() / start.len() as f64;
    let mut middle: Vec<usize> = (0..start.len()).filter(|v| start[*v].z.abs() < 8e-3 && start[*v].y > top).collect();
    middle.sort_by(|a, b| start[*a].x.total_cmp(&start[*b].x));
    let [first, last] = [middle[0], middle[middle.len() - 1]].map(|v| start[v].x);
    let at = first + part * (last - first);
    let right = middle.partition_point(|v| start[*v].x < at);
    let [a, b] = [middle[right - 1], middle[right]];
    let share = (at - start[a].x) / (start[b].x - start[a].x);
    let all: Vec<f64> = frames.iter().map(|x| x[a].y + share * (x[b].y - x[a].y)).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    all.iter().map(|height| height - mean).collect()
}

/// Returns the delay of `b` after `a` [samples] at the maximum of the correlation, refined by a parabola through three
/// lags; and the correlation.
fn delay(a: &[f64], b: &[f64]) -> (f64, f64) {
    let correlation = |lag: usize| {
        let (p, q) = (&a[..a.len() - lag], &b[lag..]);
        let product = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(x, y)| x * y).sum::<f64>();
        product(p, q) / (product(p, p) * product(q, q)).sqrt()
    };
    let all: Vec<f64> = (0..8).map(correlation).collect();
    let best = (1..7).max_by(|i, j| all[*i].total_cmp(&all[*j])).unwrap();
    let [before, top, after] = [all[best - 1], all[best], all[best + 1]];
    (best as f64 + 0.5 * (after - before) / (2.0 * top - before - after), top)
}

/// Returns the speed of waves from a fifth to four fifths of the cover [m/s], the correlation of the heights there, and
/// their largest height [m].
pub fn waves(done: &Done) -> (f64, f64, f64) {
    // The first frames are left out, until the initial motion has decayed.
    let frames: Vec<&[Vec3]> = done.frames[15..].iter().map(|frame| frame.x.as_slice()).collect();
    let [a, b] = [0.2, 0.8].map(|part| heights(&frames, part));
    let width = {
        let x = || frames[0].iter().map(|p| p.x);
        x().fold(f64::NEG_INFINITY, f64::max) - x().fold(f64::INFINITY, f64::min)
    };
    let (samples, alike) = delay(&a, &b);
    (0.6 * width * done.record.fps / samples, alike, a.iter().fold(0.0, |most, y| y.abs().max(most)))
}
