//! Paths of measured points, and the residuals of a law along them.
//!
//! Where weights are hung, loads are known and strains have errors ([`Noise::Strain`]). The law then follows the known
//! loads, and residuals are differences of strains. A path of measured strains would put their noise into the memory of
//! the friction too. All parameters would then be biased (errors in variables).
//!
//! Where a machine sets the length, forces have errors ([`Noise::Load`]). The law then follows the measured strains,
//! and residuals are differences of loads. This is also the published objective (Miguel et al. 2013, Eqs. 5 to 7).

use super::law::{At, Law};

/// Quantity with the larger measurement error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// Strain has the error: weights are hung.
    Strain,
    /// Load has the error: lengths are set.
    Load,
}

/// Source of the friction stress at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Friction stress followed along the whole path from a virgin start.
    Chain,
    /// Friction stress assumed saturated at the last reversal of the load (Miguel et al. 2013, Eq. 4).
    Saturated,
}

/// Start of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// Zero strain and zero friction stress.
    Virgin,
    /// Strain reached directly from the virgin state.
    Brought(f64),
    /// Strain at which friction has its largest stress, with this sign (Eq. 4).
    Saturated(f64, f64),
}

/// Measured point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Strain.
    pub strain: f64,
    /// Load, as defined by [`super::law::Gauge`].
    pub load: f64,
}

/// Path from a start through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Start.
    pub start: Start,
    /// Points in order.
    pub points: Vec<Point>,
}

impl Path {
    /// Returns strain and friction stress of a law at the start.
    pub fn from(&self, law: &Law) -> At {
        match self.start {
            Start::Virgin => (0.0, 0.0),
            Start::Brought(e) => (e, law.dahl.go(0.0, 0.0, e).0),
            Start::Saturated(e, sign) => (e, sign * law.dahl.most(e)),
        }
    }

    /// Returns strain and friction stress of a law at each point, by the measured loads or by the measured strains.
    pub fn follow(&self, law: &Law, noise: Noise) -> Option<Vec<At>> {
        let mut at = self.from(law);
        let go = |at: At, point: &Point| match noise {
            Noise::Strain => law.reach(at, point.load, point.strain),
            Noise::Load => Some((point.strain, law.dahl.go(at.0, at.1, point.strain).0)),
        };
        self.points
            .iter()
            .map(|point| {
                at = go(at, point)?;
                Some(at)
            })
            .collect()
    }

    /// Returns whether a point is informative. Any law agrees with an unloaded first point after a virgin start.
    fn tells(&self, k: usize) -> bool {
        let first = self.points.get(k).is_some_and(|point| point.load == 0.0);
        !(self.start == Start::Virgin && k == 0 && first)
    }
}

/// Returns the informative points.
pub fn telling(paths: &[Path]) -> impl Iterator<Item = Point> {
    paths.iter().flat_map(|path| (0..path.points.len()).filter(|k| path.tells(*k)).map(|k| path.points[k]))
}

/// Returns the residuals of the informative points, measured less law, of strains or of loads. `scatter` divides each
/// residual.
pub fn left(paths: &[Path], law: &Law, noise: Noise, scatter: &Scatter) -> Option<Vec<f64>> {
    let mut out = Vec::new();
    for path in paths {
        let along = path.follow(law, noise)?;
        for (k, (point, at)) in path.points.iter().zip(along).enumerate() {
            if path.tells(k) {
                let (measured, found) = match noise {
                    Noise::Strain => (point.strain, at.0),
                    Noise::Load => (point.load, law.load(at)),
                };
                out.push((measured - found) / scatter.at(measured));
            }
        }
    }
    out.iter().all(|r| r.is_finite()).then_some(out)
}

/// Returns the root mean square residual as loads. Residuals of strains are multiplied by the elastic slope there.
pub fn left_of_loads(paths: &[Path], law: &Law, noise: Noise) -> Option<f64> {
    let left = left(paths, law, noise, &Scatter::even(1.0))?;
    let by = |point: Point| if noise == Noise::Strain { law.stiffness(point.strain) } else { 1.0 };
    let sum: f64 = telling(paths).zip(&left).map(|(point, left)| (by(point) * left).powi(2)).sum();
    Some((sum / left.len().max(1) as f64).sqrt())
}

/// Error model: the variance is proportional to `(1 - part) most^2 + part x^2` at a measured value `x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatter {
    /// Part of the variance that grows with the value.
    pub part: f64,
    /// Largest measured value.
    pub most: f64,
}

/// Candidates of `part`, from a constant error to one proportional to the value. Some part of the variance is always
/// constant.
const PARTS: [f64; 7] = [0.0, 0.75, 0.95, 0.99, 0.998, 0.9995, 0.9999];

impl Scatter {
    /// Returns the model of a constant error.
    pub fn even(most: f64) -> Scatter {
        Scatter { part: 0.0, most: if most > 0.0 { most } else { 1.0 } }
    }

    /// Returns the size of the error at a measured value, relative to that of the largest value.
    pub fn at(&self, measured: f64) -> f64 {
        (1.0 - self.part + self.part * (measured / self.most).powi(2)).sqrt()
    }

    /// Returns the most likely model for pairs of measured value and residual, with normally distributed errors.
    pub fn likeliest(most: f64, left: &[[f64; 2]]) -> Scatter {
        let count = left.len().max(1) as f64;
        let unlikely = |part: f64| {
            let scatter = Scatter { part, ..Scatter::even(most) };
            let (squares, logs) = left.iter().fold((0.0, 0.0), |(squares, logs), [measured, left]| {
                let at = scatter.at(*measured);
                (squares + (left / at).powi(2), logs + at.ln())
            });
            0.5 * count * (squares / count).max(f64::MIN_POSITIVE).ln() + logs
        };
        let part = PARTS.into_iter().min_by(|a, b| unlikely(*a).total_cmp(&unlikely(*b)));
        Scatter { part: part.unwrap_or_default(), ..Scatter::even(most) }
    }
}
