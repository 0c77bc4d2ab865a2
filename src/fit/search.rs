//! Parameter estimation of a law from paths.
//!
//! The search is staged and has many starts, since the objective has several local minima (Miguel et al. 2013, section
//! 4.2).

use super::law::{Gauge, Law};
use super::track::{Noise, Path, Scatter, left, left_of_loads, telling};
use crate::force::dahl::Form;
use crate::linalg::least::{Found, least};

/// Estimation problem: kind of strain, friction form, errors, paths.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Kind of strain.
    pub gauge: Gauge,
    /// Closed form of the friction.
    pub form: Form,
    /// Quantity measured with errors.
    pub noise: Noise,
    /// Paths.
    pub paths: Vec<Path>,
    /// Whether the growth of errors is estimated from the data. Otherwise all points have equal weight (Miguel et al.
    /// 2013, Eq. 6).
    pub weighs: bool,
    /// k1 and k2, if known.
    pub known: Option<[f64; 2]>,
}

/// Estimated law and its quality.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Law.
    pub law: Law,
    /// Estimates of the unknowns: k1, k2 (if not known), a, b, tau.
    pub found: Found,
    /// Error model.
    pub scatter: Scatter,
    /// Number of informative points.
    pub count: usize,
    /// Root mean square residual of the strains, or of the loads.
    pub rms: f64,
    /// Root mean square residual as loads. Residuals of strains are converted by the elastic slope.
    pub rms_load: f64,
}

/// Largest number of iterations from a start, and from the best starts.
const TRY: usize = 12;
const FULL: usize = 120;
/// Number of best starts that get the full number of iterations.
const BEST: usize = 3;
/// Largest number of alternations between error model and parameters.
const ROUNDS: usize = 4;
/// Part of the largest value below which residuals are rounding errors. Such residuals do not show the measurement
/// errors.
const ROUNDING: f64 = 1e-8;
/// Initial values of tau as parts of the range of strain.
const TAUS: [f64; 6] = [2e-3, 8e-3, 0.025, 0.07, 0.18, 0.45];

impl Task {
    /// Returns the number of unknowns.
    pub fn unknowns(&self) -> usize {
        if self.known.is_some() { 3 } else { 5 }
    }

    /// Returns the law with the unknowns in order.
    pub fn law(&self, p: &[f64]) -> Option<Law> {
        let numbers = match (self.known, p) {
            (Some([k1, k2]), [a, b, tau]) => [k1, k2, *a, *b, *tau],
            (None, [k1, k2, a, b, tau]) => [*k1, *k2, *a, *b, *tau],
            _ => return None,
        };
        Some(Law::new(self.gauge, self.form, numbers))
    }

    fn with(&self, k: [f64; 2], rub: [f64; 3]) -> Vec<f64> {
        let k = if self.known.is_some() { Vec::new() } else { k.to_vec() };
        k.into_iter().chain(rub).collect()
    }

    /// Returns the largest magnitude of the quantity measured with errors.
    pub fn most(&self) -> f64 {
        let of = |p: super::track::Point| match self.noise {
            Noise::Strain => p.strain.abs(),
            Noise::Load => p.load.abs(),
        };
        telling(&self.paths).map(of).fold(0.0, f64::max)
    }

    /// Estimates k1 and k2 without friction, by least squares of the loads. Both have a small positive lower bound.
    fn elastic(&self) -> [f64; 2] {
        let mut sums = [0.0; 5];
        let one = Law::new(self.gauge, self.form, [1.0, 0.0, 0.0, 0.0, 1.0]);
        for point in telling(&self.paths) {
            let (x, y) = (one.elastic(point.strain), one.elastic(point.strain) * point.strain.abs());
            let terms = [x * x, x * y, y * y, x * point.load, y * point.load];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        let [xx, xy, yy, xf, yf] = sums;
        let det = xx * yy - xy * xy;
        let (k1, k2) = ((xf * yy - yf * xy) / det, (yf * xx - xf * xy) / det);
        let alone = (xf / xx).abs().max(f64::MIN_POSITIVE);
        let range = self.range();
        match (k1 > 0.05 * alone, k2 > 0.0) {
            (true, true) => [k1, k2],
            (true, false) => [alone, 0.05 * alone / range],
            _ => [0.1 * alone, (yf / yy).abs().max(0.05 * alone / range)],
        }
    }

    /// Returns the range of strain.
    pub fn range(&self) -> f64 {
        let [low, high] =
            telling(&self.paths).map(|p| p.strain).fold([0.0f64; 2], |[low, high], e| [low.min(e), high.max(e)]);
        (high - low).max(f64::MIN_POSITIVE)
    }

    /// Returns initial values by the stages of the paper: stiffness without friction; a and b with a very small tau;
    /// tau alone.
    fn starts(&self) -> Vec<Vec<f64>> {
        let range = self.range();
        let even = Scatter::even(1.0);
        let k = self.known.unwrap_or_else(|| self.elastic());
        let sum = |k: [f64; 2], rub: [f64; 3]| {
            let law = Law::new(self.gauge, self.form, [k[0], k[1], rub[0], rub[1], rub[2]]);
            left(&self.paths, &law, Noise::Load, &even)
        };
        let most = telling(&self.paths).map(|p| p.load.abs()).fold(0.0, f64::max);
        let elastic = Law::new(self.gauge, self.form, [k[0], k[1], 0.0, 0.0, 1.0]).elastic(range).abs();
        let size = 0.05 * most.max(if most > 0.0 { 0.0 } else { elastic }).max(f64::MIN_POSITIVE);
        let quick = 1e-4 * range;
        let [a, b] = least(&[size, size / range], 40, &|p| sum(k, [p[0], p[1], quick]))
            .and_then(|found| found.values.try_into().ok())
            .unwrap_or([size, size / range]);
        let (a, b) = (a.max(0.02 * size), b.max(0.02 * size / range));
        let far = |tau: f64| sum(k, [a, b, tau]).map_or(f64::INFINITY, |left| left.iter().map(|r| r * r).sum::<f64>());
        let golden = golden(|log| far(log.exp()), (1e-4 * range).ln(), range.ln()).exp();
        let taus = TAUS.iter().map(|part| part * range).chain([golden]);
        taus.flat_map(|tau| [b, 4.0 * size / range].map(|b| self.with(k, [a, b, tau]))).collect()
    }

    /// Finds the law with the smallest residual.
    pub fn solve(&self) -> Option<Estimate> {
        let most = self.most();
        let mut scatter = Scatter::even(most);
        let solve = |start: &[f64], steps: usize, scatter: &Scatter| {
            least(start, steps, &|p| left(&self.paths, &self.law(p)?, self.noise, scatter))
        };
        let by = |a: &Found, b: &Found| a.sum.total_cmp(&b.sum);
        let mut tries: Vec<Found> = self.starts().iter().filter_map(|start| solve(start, TRY, &scatter)).collect();
        tries.sort_by(by);
        tries.truncate(BEST);
        let full = |scatter: &Scatter, from: &[Found]| -> Option<Found> {
            from.iter().filter_map(|found| solve(&found.values, FULL, scatter)).min_by(by)
        };
        let mut found = full(&scatter, &tries)?;
        for _ in 0..if self.weighs { ROUNDS } else { 0 } {
            let law = self.law(&found.values)?;
            let even = left(&self.paths, &law, self.noise, &Scatter::even(most))?;
            let measured = telling(&self.paths).map(|p| if self.noise == Noise::Strain { p.strain } else { p.load });
            let pairs: Vec<[f64; 2]> = measured.zip(even).map(|(measured, left)| [measured, left]).collect();
            let rms = (pairs.iter().map(|[_, r]| r * r).sum::<f64>() / pairs.len().max(1) as f64).sqrt();
            if rms < ROUNDING * most {
                break;
            }
            let next = Scatter::likeliest(most, &pairs);
            if next == scatter {
                break;
            }
            scatter = next;
            found = solve(&found.values, FULL, &scatter)?;
        }
        self.estimate(found, scatter)
    }

    fn estimate(&self, found: Found, scatter: Scatter) -> Option<Estimate> {
        let law = self.law(&found.values)?;
        let rms = |left: Vec<f64>| (left.iter().map(|r| r * r).sum::<f64>() / left.len().max(1) as f64).sqrt();
        let even = Scatter::even(1.0);
        let own = rms(left(&self.paths, &law, self.noise, &even)?);
        let rms_load = left_of_loads(&self.paths, &law, self.noise)?;
        Some(Estimate { law, found, scatter, count: telling(&self.paths).count(), rms: own, rms_load })
    }
}

/// Minimises a function of a single variable between two bounds by golden-section search. The function must be unimodal
/// there.
fn golden(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let part = 0.5 * (5.0f64.sqrt() - 1.0);
    let mut inner = [high - part * (high - low), low + part * (high - low)];
    let mut values = inner.map(&f);
    for _ in 0..40 {
        if values[0] < values[1] {
            high = inner[1];
            inner = [high - part * (high - low), inner[0]];
            values = [f(inner[0]), values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + part * (high - low)];
            values = [values[1], f(inner[1])];
        }
    }
    0.5 * (low + high)
}
