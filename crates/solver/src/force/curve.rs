//! Load-force curves: monotone cubics through measured points (Fritsch & Carlson 1980, "Monotone piecewise cubic
//! interpolation").

/// Force of friction over load, zero at zero load.
///
/// Beyond the last point the coefficient is constant, as in Coulomb's law. The alternative would be the slope of the
/// last points. That slope is the least certain of the measurement, and where it is zero, friction would vanish under
/// impacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Loads; the first is zero [N].
    loads: Vec<f64>,
    /// Forces; the first is zero [N].
    forces: Vec<f64>,
    /// Slopes at the loads.
    slopes: Vec<f64>,
}

impl Curve {
    /// Interpolates points of load and force [N]. Loads must be positive and ascending; at least one is needed.
    pub fn new(points: impl IntoIterator<Item = [f64; 2]>) -> Curve {
        let (loads, forces): (Vec<f64>, Vec<f64>) =
            std::iter::once([0.0; 2]).chain(points).map(|[load, force]| (load, force)).unzip();
        let secants: Vec<f64> =
            loads.windows(2).zip(forces.windows(2)).map(|(x, y)| (y[1] - y[0]) / (x[1] - x[0])).collect();
        let last = secants.len() - 1;
        let mean = |k: usize| if secants[k - 1] * secants[k] > 0.0 { (secants[k - 1] + secants[k]) / 2.0 } else { 0.0 };
        let mut slopes: Vec<f64> = (0..loads.len())
            .map(|k| match k {
                0 => secants[0],
                k if k > last => secants[last],
                k => mean(k),
            })
            .collect();
        for (k, secant) in secants.iter().enumerate() {
            if *secant == 0.0 {
                slopes[k..k + 2].fill(0.0);
                continue;
            }
            let size = (slopes[k] / secant).hypot(slopes[k + 1] / secant);
            if size > 3.0 {
                slopes[k..k + 2].iter_mut().for_each(|slope| *slope *= 3.0 / size);
            }
        }
        Curve { loads, forces, slopes }
    }

    /// Returns the curve of a coefficient that does not depend on the load.
    pub fn constant(coefficient: f64) -> Curve {
        Curve::new([[1.0, coefficient]])
    }

    /// Returns force over load; at zero load, the slope of the curve.
    pub fn coefficient(&self, load: f64) -> f64 {
        let last = self.loads.len() - 1;
        let k = self.loads[1..].partition_point(|l| *l <= load);
        if k == last {
            return self.forces[last] / self.loads[last];
        }
        let width = self.loads[k + 1] - self.loads[k];
        let t = (load - self.loads[k]).max(0.0) / width;
        let (from, to) = (self.slopes[k], self.slopes[k + 1]);
        let secant = (self.forces[k + 1] - self.forces[k]) / width;
        let (bend, end) = (secant - from, secant - to);
        let slope = from + t * (2.0 * bend + end - t * (bend + end));
        if k == 0 { slope } else { (self.forces[k] + (load - self.loads[k]) * slope) / load }
    }

    /// Returns the measured loads, without the zero load [N].
    pub fn loads(&self) -> &[f64] {
        &self.loads[1..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn force(curve: &Curve, load: f64) -> f64 {
        curve.coefficient(load) * load
    }

    #[test]
    fn a_curve_goes_through_its_points_and_never_back() {
        let points = [[0.1, 0.05], [0.5, 0.3], [0.6, 0.31], [2.0, 0.31], [3.0, 0.9]];
        let curve = Curve::new(points);
        for [load, wanted] in points {
            assert!((force(&curve, load) - wanted).abs() < 1e-15);
            assert!((force(&curve, load * (1.0 - 1e-12)) - wanted).abs() < 1e-10, "continuous at {load}");
        }
        let mut last = 0.0;
        for k in 0..=4000 {
            let now = force(&curve, f64::from(k) * 1e-3);
            assert!(now >= last - 1e-15, "{k}: {now} after {last}");
            last = now;
        }
    }

    /// A straight line has one coefficient at every load. Beyond its points a curve keeps its last coefficient.
    #[test]
    fn a_line_is_coulombs_law_and_beyond_its_points_a_curve_is_too() {
        let line = Curve::new([[0.5, 0.15], [1.0, 0.3], [4.0, 1.2]]);
        for load in [0.0, 1e-9, 0.3, 0.7, 2.0, 4.0, 100.0] {
            assert!((line.coefficient(load) - 0.3).abs() < 1e-15, "{load}");
        }
        let curve = Curve::new([[1.0, 0.5], [2.0, 0.7]]);
        assert_eq!([2.0, 3.0, 1e6].map(|load| curve.coefficient(load)), [0.35; 3]);
        assert!((curve.coefficient(0.0) - 0.5).abs() < 1e-15, "the slope at no load");
    }
}
