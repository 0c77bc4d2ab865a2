//! Paths of measured points, and what a law leaves of them.
//!
//! Weights are known and strains are measured: then the path that counts is the one on which the weights lead the law, and what is left
//! is the difference of strains ([`Noise::Strain`]). Were the path that of the measured strains, their noise would be in the
//! memory of the friction too, and all parameters would come out wrong (errors in variables). Where a machine sets the length and forces
//! are measured, it is the other way round ([`Noise::Load`]); that is also the published objective (Miguel et al. 2013, Eqs. 5 to 7).

use super::law::{At, Law};

/// Which of the two is measured with the larger error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// The strain: weights are hung.
    Strain,
    /// The load: lengths are set.
    Load,
}

/// How the stress of friction at a point is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Followed along the whole path from a virgin start.
    Chain,
    /// Supposed saturated where the load turned last (Miguel et al. 2013, Eq. 4).
    Saturated,
}

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// At no strain and no stress of friction.
    Virgin,
    /// At a strain to which it was brought from there.
    Brought(f64),
    /// At a strain where friction has its largest stress, with this sign (Eq. 4).
    Saturated(f64, f64),
}

/// A measured point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Strain.
    pub strain: f64,
    /// Load, as of [`super::law::Gauge`].
    pub load: f64,
}

/// A path from a start through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Start.
    pub start: Start,
    /// Points in order.
    pub points: Vec<Point>,
}

impl Path {
    /// Where a law is at the start.
    pub fn from(&self, law: &Law) -> At {
        match self.start {
            Start::Virgin => (0.0, 0.0),
            Start::Brought(e) => (e, law.dahl.go(0.0, 0.0, e).0),
            Start::Saturated(e, sign) => (e, sign * law.dahl.most(e)),
        }
    }

    /// Where a law is at each point: by the measured loads, or by the measured strains.
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

    /// Whether a point tells anything: at a virgin start without load any law agrees.
    fn tells(&self, k: usize) -> bool {
        let first = self.points.get(k).is_some_and(|point| point.load == 0.0);
        !(self.start == Start::Virgin && k == 0 && first)
    }
}

/// Points that tell anything.
pub fn telling(paths: &[Path]) -> impl Iterator<Item = Point> {
    paths.iter().flat_map(|path| (0..path.points.len()).filter(|k| path.tells(*k)).map(|k| path.points[k]))
}

/// What a law leaves of the points that tell anything, measured less law: of strains, or of loads. `scatter` divides each.
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

/// Root mean square of what a law leaves, as loads: of strains, by the elastic slope there.
pub fn left_of_loads(paths: &[Path], law: &Law, noise: Noise) -> Option<f64> {
    let left = left(paths, law, noise, &Scatter::even(1.0))?;
    let by = |point: Point| if noise == Noise::Strain { law.stiffness(point.strain) } else { 1.0 };
    let sum: f64 = telling(paths).zip(&left).map(|(point, left)| (by(point) * left).powi(2)).sum();
    Some((sum / left.len().max(1) as f64).sqrt())
}

/// How errors grow with what is measured: their variance is as `(1 - part) most^2 + part x^2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scatter {
    /// Part that grows.
    pub part: f64,
    /// Largest that was measured.
    pub most: f64,
}

/// Parts that are tried: from the same error everywhere to an error of so many per cent; there is always some that does not grow.
const PARTS: [f64; 7] = [0.0, 0.75, 0.95, 0.99, 0.998, 0.9995, 0.9999];

impl Scatter {
    /// The same everywhere.
    pub fn even(most: f64) -> Scatter {
        Scatter { part: 0.0, most: if most > 0.0 { most } else { 1.0 } }
    }

    /// Size of the error at a measured value, over that of the largest.
    pub fn at(&self, measured: f64) -> f64 {
        (1.0 - self.part + self.part * (measured / self.most).powi(2)).sqrt()
    }

    /// The likeliest, normal errors supposed, where this is left of measured values.
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
