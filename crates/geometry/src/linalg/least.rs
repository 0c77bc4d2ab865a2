//! Nonlinear least squares with few unknowns, by the Levenberg-Marquardt method with dense matrices (Marquardt 1963;
//! More 1978).
//!
//! Every unknown is positive, and the iteration solves for its logarithm. A step is therefore a factor, independent of
//! units. `J` is the Jacobian of the residuals `r` by the logarithms. A step solves `min |J d + r|^2 + l |D d|^2` by
//! QR, with `D` the largest column norms of `J` so far. Confidence intervals use the Jacobian by the unknowns
//! themselves. With `s^2 = |r|^2/(m - n)` the covariance is `s^2 (J'J)^-1`. The interval of 95 % is Student's t times
//! its root. The method is deterministic and sequential.

use nalgebra::{DMatrix, DVector};

/// Maximum number of unknowns.
pub const MOST: usize = 12;
/// Largest change of a logarithm in a step.
const LONGEST: f64 = 1.5;
/// Largest distance of a logarithm from its start.
const FARTHEST: f64 = 30.0;
/// Change of a logarithm in central differences. Truncation error (its square) and rounding error over it are alike.
const NEAR: f64 = 1e-5;
/// Smallest scale of an unknown, relative to its start, in the Jacobian by the unknowns.
const NOTHING: f64 = 1e-3;

/// Estimates and their statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Estimated unknowns.
    pub values: Vec<f64>,
    /// Half width of the 95 % interval of each unknown, in its unit; infinite without degrees of freedom.
    pub half: Vec<f64>,
    /// Sum of squared residuals.
    pub sum: f64,
    /// Degrees of freedom: number of residuals less number of unknowns.
    pub freedom: usize,
    /// Condition: largest over smallest eigenvalue of `J'J`, by relative changes of the unknowns.
    pub condition: f64,
    /// Number of steps.
    pub steps: usize,
    /// Correlation matrix of the estimates, by rows.
    pub correlation: Vec<Vec<f64>>,
}

impl Found {
    /// Returns the root mean square of the residuals over `count` points.
    pub fn rms(&self, count: usize) -> f64 {
        (self.sum / count.max(1) as f64).sqrt()
    }
}

/// Function that returns the residuals of unknowns, or `None` where the unknowns are invalid.
pub type Residual<'a> = dyn Fn(&[f64]) -> Option<Vec<f64>> + 'a;

fn square(r: &[f64]) -> f64 {
    let sum: f64 = r.iter().map(|r| r * r).sum();
    if sum.is_finite() { sum } else { f64::INFINITY }
}

fn evaluate(residual: &Residual, values: &[f64]) -> (Vec<f64>, f64) {
    let r = residual(values).unwrap_or_default();
    let sum = if r.is_empty() { f64::INFINITY } else { square(&r) };
    (r, sum)
}

/// Returns the Jacobian of the residuals, a column per unknown. `near` returns two perturbed values of an unknown, each
/// with the change by which the slope is taken.
fn slopes(residual: &Residual, values: &[f64], r: &[f64], near: &dyn Fn(usize) -> [(f64, f64); 2]) -> DMatrix<f64> {
    let mut j = DMatrix::zeros(r.len(), values.len());
    for k in 0..values.len() {
        let mut sides = near(k).map(|(value, by)| {
            let mut there = values.to_vec();
            there[k] = value;
            (residual(&there).filter(|there| there.len() == r.len()), by)
        });
        for side in &mut sides {
            if side.0.is_none() {
                *side = (Some(r.to_vec()), 0.0);
            }
        }
        let [(Some(up), more), (Some(down), less)] = sides else { continue };
        for (row, (up, down)) in up.iter().zip(&down).enumerate() {
            let slope = (up - down) / (more - less);
            j[(row, k)] = if slope.is_finite() { slope } else { 0.0 };
        }
    }
    j
}

/// Solves for the unknowns from a start, in at most `most` steps. The residuals must not depend on the order of calls.
pub fn least(start: &[f64], most: usize, residual: &Residual) -> Option<Found> {
    let n = start.len();
    if n == 0 || n > MOST || start.iter().any(|x| !(*x > 0.0 && x.is_finite())) {
        return None;
    }
    let mut values = start.to_vec();
    let (mut r, mut sum) = evaluate(residual, &values);
    if !sum.is_finite() || r.len() < n {
        return None;
    }
    let (mut damping, mut scale, mut steps) = (1e-3, vec![0.0f64; n], 0);
    while steps < most {
        let j =
            slopes(residual, &values, &r, &|k| [1.0, -1.0].map(|side| (values[k] * (side * NEAR).exp(), side * NEAR)));
        for (k, scale) in scale.iter_mut().enumerate() {
            *scale = scale.max(j.column(k).norm());
        }
        let widest = scale.iter().fold(f64::MIN_POSITIVE, |a, b| a.max(*b));
        let qr = j.qr();
        let (upper, turned) = (qr.r(), qr.q().transpose() * DVector::from_column_slice(&r));
        let mut better = None;
        for _ in 0..40 {
            let step = damped(&upper, &turned, &scale, damping, widest)?;
            let there: Vec<f64> = (0..n).map(|k| moved(values[k], step[k], start[k])).collect();
            let (r, sum_there) = evaluate(residual, &there);
            if sum_there < sum {
                better = Some((there, r, sum_there, step.amax()));
                break;
            }
            if step.amax() < 1e-12 {
                break;
            }
            damping = (damping * 4.0).min(1e18);
        }
        let Some((there, r_there, sum_there, length)) = better else { break };
        let gain = sum - sum_there;
        (values, r, sum, steps) = (there, r_there, sum_there, steps + 1);
        damping = (damping / 6.0).max(1e-15);
        if gain <= 1e-13 * sum && length < 1e-7 || sum == 0.0 {
            break;
        }
    }
    Some(known(start, values, &r, sum, steps, residual))
}

/// Returns a value after a step of its logarithm, within both bounds.
fn moved(value: f64, step: f64, start: f64) -> f64 {
    let far = (value / start).ln() + step.clamp(-LONGEST, LONGEST);
    start * far.clamp(-FARTHEST, FARTHEST).exp()
}

/// Returns the step of damped least squares from `R` and `Q'r`.
fn damped(
    upper: &DMatrix<f64>,
    turned: &DVector<f64>,
    scale: &[f64],
    damping: f64,
    widest: f64,
) -> Option<DVector<f64>> {
    let n = scale.len();
    let mut both = DMatrix::zeros(2 * n, n);
    both.view_mut((0, 0), (n, n)).copy_from(upper);
    for k in 0..n {
        both[(n + k, k)] = damping.sqrt() * scale[k].max(1e-9 * widest);
    }
    let mut right = DVector::zeros(2 * n);
    right.rows_mut(0, n).copy_from(&-turned);
    let qr = both.qr();
    qr.r().solve_upper_triangular(&(qr.q().transpose() * right)).filter(|step| step.iter().all(|s| s.is_finite()))
}

/// Returns the estimates with intervals, condition and correlation.
fn known(start: &[f64], values: Vec<f64>, r: &[f64], sum: f64, steps: usize, residual: &Residual) -> Found {
    let n = values.len();
    let freedom = r.len() - n;
    // Slopes are by relative changes of the unknowns. By its logarithm, an unknown near zero would have no effect.
    let size: Vec<f64> = values.iter().zip(start).map(|(value, start)| value.max(NOTHING * start)).collect();
    let j = slopes(residual, &values, r, &|k| {
        let by = 10.0 * NEAR * size[k];
        let down = if values[k] > by { -by } else { 0.0 };
        [by, down].map(|by| (values[k] + by, by / size[k]))
    });
    let svd = j.qr().r().svd(false, true);
    let singular: Vec<f64> = svd.singular_values.iter().copied().collect();
    let most = singular.iter().fold(0.0f64, |a, b| a.max(*b));
    let least = singular.iter().fold(f64::INFINITY, |a, b| a.min(*b));
    let scatter = if freedom > 0 { sum / freedom as f64 } else { f64::INFINITY };
    let mut covariance = vec![vec![0.0; n]; n];
    if let Some(v) = &svd.v_t {
        for (row, singular) in singular.iter().enumerate() {
            let inverse = 1.0 / singular.max(1e-12 * most).max(f64::MIN_POSITIVE).powi(2);
            for a in 0..n {
                for b in 0..n {
                    covariance[a][b] += v[(row, a)] * v[(row, b)] * inverse;
                }
            }
        }
    }
    let t = student(freedom);
    let half = (0..n).map(|k| t * (scatter * covariance[k][k]).sqrt() * size[k]).collect();
    let correlation = (0..n)
        .map(|a| (0..n).map(|b| covariance[a][b] / (covariance[a][a] * covariance[b][b]).sqrt()).collect())
        .collect();
    Found { values, half, sum, freedom, condition: (most / least).powi(2), steps, correlation }
}

/// Solves linear least squares by QR for `R` right-hand sides. `rows` are the coefficients of the equations. Returns
/// `None` where a combination of the unknowns is undetermined.
pub fn linear<const R: usize>(rows: &[Vec<f64>], right: &[[f64; R]]) -> Option<Vec<[f64; R]>> {
    let n = rows.first()?.len();
    if n == 0 || rows.len() < n || right.len() != rows.len() || rows.iter().any(|row| row.len() != n) {
        return None;
    }
    let qr = DMatrix::from_fn(rows.len(), n, |a, b| rows[a][b]).qr();
    let upper = qr.r();
    let most = upper.diagonal().amax();
    if !upper.diagonal().iter().all(|d| d.abs() > 1e-12 * most) {
        return None;
    }
    let turned = qr.q().transpose() * DMatrix::from_fn(rows.len(), R, |a, b| right[a][b]);
    let x = upper.solve_upper_triangular(&turned)?;
    Some((0..n).map(|a| std::array::from_fn(|b| x[(a, b)])).collect())
}

/// Returns Student's t at 97.5 %, for intervals of 95 %. Above ten degrees of freedom the error is 1e-4 (Hill 1970).
pub fn student(freedom: usize) -> f64 {
    const FEW: [f64; 11] =
        [f64::INFINITY, 12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814];
    if let Some(t) = FEW.get(freedom) {
        return *t;
    }
    let (z, n) = (1.959_963_985f64, freedom as f64);
    let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
    let first = (z3 + z) / 4.0;
    let second = (5.0 * z5 + 16.0 * z3 + 3.0 * z) / 96.0;
    let third = (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / 384.0;
    z + first / n + second / n.powi(2) + third / n.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random::Random;

    /// Fits two exponentials to 30 points without noise, from a factor of three away. The error is rounding times the
    /// condition.
    #[test]
    fn what_has_no_noise_is_found() {
        let model = |p: &[f64], x: f64| p[0] * (-p[1] * x).exp() + p[2] * (-p[3] * x).exp();
        let truth = [2.0, 0.3, 0.7, 4.0];
        let residual = |p: &[f64]| {
            Some((0..30).map(|k| 0.2 * f64::from(k)).map(|x| model(p, x) - model(&truth, x)).collect::<Vec<f64>>())
        };
        let found = least(&[1.0, 0.1, 1.0, 9.0], 200, &residual).unwrap();
        for (value, truth) in found.values.iter().zip(truth) {
            assert!((value / truth - 1.0).abs() < 1e-7, "{found:?}");
        }
        assert_eq!(found, least(&[1.0, 0.1, 1.0, 9.0], 200, &residual).unwrap());
    }

    /// The slope of a straight line and its interval have closed forms.
    #[test]
    fn a_line_has_the_intervals_of_the_closed_form() {
        let mut random = Random::new(5);
        let data: Vec<[f64; 2]> =
            (0..12).map(|k| f64::from(k) / 4.0).map(|x| [x, 3.0 + 2.0 * x + 0.1 * random.signed()]).collect();
        let residual = |p: &[f64]| Some(data.iter().map(|[x, y]| p[0] + p[1] * x - y).collect::<Vec<f64>>());
        let found = least(&[1.0, 1.0], 100, &residual).unwrap();
        let n = data.len() as f64;
        let mean = data.iter().fold([0.0; 2], |[a, b], [x, y]| [a + x / n, b + y / n]);
        let sxx: f64 = data.iter().map(|[x, _]| (x - mean[0]).powi(2)).sum();
        let slope = data.iter().map(|[x, y]| (x - mean[0]) * (y - mean[1])).sum::<f64>() / sxx;
        let s = (found.sum / (n - 2.0)).sqrt();
        let half = student(10) * s / sxx.sqrt();
        assert!((found.values[1] - slope).abs() < 1e-9 && (found.half[1] / half - 1.0).abs() < 1e-6, "{found:?}");
    }

    /// An unknown without effect has a wide interval and a large condition.
    #[test]
    fn what_is_not_seen_is_told() {
        let residual = |p: &[f64]| Some(vec![p[0] - 2.0, p[0] - 2.1, p[0] - 1.9 + 0.0 * p[1]]);
        let found = least(&[1.0, 1.0], 100, &residual).unwrap();
        assert!((found.values[0] - 2.0).abs() < 1e-9 && found.condition > 1e20 && found.half[1] > 1e6, "{found:?}");
        assert!(least(&[0.0], 10, &residual).is_none() && least(&[], 10, &residual).is_none());
    }

    /// Compares with tables of Student's t.
    #[test]
    fn student_is_that_of_tables() {
        for (freedom, t) in [(1, 12.7062), (10, 2.22814), (11, 2.20099), (20, 2.08596), (60, 2.00030), (1000, 1.96234)]
        {
            assert!((student(freedom) - t).abs() < 2e-4, "{freedom}: {}", student(freedom));
        }
    }
}
