//! Smooth curve through measured points of a profile: a cubic spline over its arc length, by least squares.

use crate::linalg::least::linear;

/// Profile, from its free end on.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Control points.
    control: Vec<[f64; 2]>,
    /// Number of spline pieces, uniform in the parameter.
    pieces: usize,
    /// Largest parameter, about the length [m].
    end: f64,
}

/// Largest turn of a piece [rad]. The second derivative of a cubic spline errs by about 1/12 of the square of this
/// angle. The error oscillates with one period per piece, so that curvature is averaged over the length of a piece.
const TURN: f64 = 0.4;
/// Least number of pieces, if the points suffice. Curvature may vary along the profile.
const FEWEST: usize = 6;
/// Number of reparametrisations by arc length.
const ROUNDS: usize = 3;
/// Subdivisions of a piece for integrals.
const PARTS: usize = 16;

/// Returns the weights of four control points at `u` in 0..1 of a piece, with first and second derivatives by `u`.
fn weights(u: f64) -> [[f64; 4]; 3] {
    let v = 1.0 - u;
    [
        [
            v.powi(3) / 6.0,
            (3.0 * u.powi(3) - 6.0 * u * u + 4.0) / 6.0,
            (3.0 * v.powi(3) - 6.0 * v * v + 4.0) / 6.0,
            u.powi(3) / 6.0,
        ],
        [-0.5 * v * v, 1.5 * u * u - 2.0 * u, -1.5 * v * v + 2.0 * v, 0.5 * u * u],
        [v, 3.0 * u - 2.0, 3.0 * v - 2.0, u],
    ]
}

/// Returns the total angle by which a polyline turns [rad].
fn turning(points: &[[f64; 2]]) -> f64 {
    let ways: Vec<[f64; 2]> = points.windows(2).map(|p| [p[1][0] - p[0][0], p[1][1] - p[0][1]]).collect();
    let turn = |a: &[f64; 2], b: &[f64; 2]| (a[0] * b[1] - a[1] * b[0]).atan2(a[0] * b[0] + a[1] * b[1]);
    ways.windows(2).map(|w| turn(&w[0], &w[1])).sum::<f64>().abs()
}

impl Profile {
    /// Fits a profile through points in order. Returns `None` for fewer than 5 points or coincident successive points.
    pub fn new(points: &[[f64; 2]]) -> Option<Profile> {
        let chord = |p: &[[f64; 2]]| (p[1][0] - p[0][0]).hypot(p[1][1] - p[0][1]);
        if points.len() < 5 || points.windows(2).any(|p| chord(p) == 0.0) {
            return None;
        }
        let most = ((points.len() - 3) / 2).max(1);
        let pieces = ((turning(points) / TURN).ceil() as usize).max(FEWEST).min(most);
        let mut places = vec![0.0];
        for pair in points.windows(2) {
            places.push(places.last().copied().unwrap_or_default() + chord(pair));
        }
        let mut profile = Profile::through(points, &places, pieces)?;
        for _ in 0..ROUNDS {
            let lengths: Vec<f64> = places.iter().map(|t| profile.length(*t)).collect();
            places = lengths;
            profile = Profile::through(points, &places, pieces)?;
        }
        Some(profile)
    }

    fn through(points: &[[f64; 2]], places: &[f64], pieces: usize) -> Option<Profile> {
        let end = places.last().copied()?;
        let empty = Profile { control: Vec::new(), pieces, end };
        let rows: Vec<Vec<f64>> = places
            .iter()
            .map(|t| {
                let (piece, u) = empty.piece(*t);
                let mut row = vec![0.0; pieces + 3];
                row.iter_mut().skip(piece).zip(weights(u)[0]).for_each(|(to, weight)| *to = weight);
                row
            })
            .collect();
        Some(Profile { control: linear(&rows, points)?, ..empty })
    }

    fn piece(&self, t: f64) -> (usize, f64) {
        let at = (t / self.end * self.pieces as f64).clamp(0.0, self.pieces as f64);
        let piece = (at as usize).min(self.pieces - 1);
        (piece, at - piece as f64)
    }

    /// Returns position, first and second derivative by the parameter.
    fn at(&self, t: f64) -> [[f64; 2]; 3] {
        let (piece, u) = self.piece(t);
        let rate = self.pieces as f64 / self.end;
        let mut power = 1.0;
        weights(u).map(|weights| {
            let mut sum = [0.0; 2];
            for (control, weight) in self.control.iter().skip(piece).zip(weights) {
                sum = [sum[0] + weight * control[0] * power, sum[1] + weight * control[1] * power];
            }
            power *= rate;
            sum
        })
    }

    /// Returns the length from the free end to a parameter [m].
    fn length(&self, t: f64) -> f64 {
        self.sum(t, |[_, [x, y], _]| x.hypot(*y))
    }

    /// Integrates over the parameter up to `t` by Simpson's rule.
    fn sum(&self, t: f64, f: impl Fn(&[[f64; 2]; 3]) -> f64) -> f64 {
        let count = 2 * (PARTS * self.pieces).max(1);
        let step = t / count as f64;
        let weight = |k: usize| {
            if k == 0 || k == count {
                1.0
            } else if k % 2 == 1 {
                4.0
            } else {
                2.0
            }
        };
        (0..=count).map(|k| weight(k) * f(&self.at(step * k as f64))).sum::<f64>() * step / 3.0
    }

    /// Returns the sample at a part 0..1 of the length.
    pub fn sample(&self, part: f64) -> Sample {
        let t = part * self.end;
        let x = self.at(t)[0][0];
        let length = self.length(t);
        let centre = self.sum(t, |[[x, _], [dx, dy], _]| x * dx.hypot(*dy)) / length;
        Sample { length, rest: self.length(self.end) - length, curvature: self.curvature(t), lever: centre - x }
    }

    /// Returns the mean curvature over the length of a piece around a parameter.
    fn curvature(&self, t: f64) -> f64 {
        let way = self.end / self.pieces as f64;
        let from = (t - 0.5 * way).clamp(0.0, self.end - way);
        let at = |k: usize| {
            let [_, [dx, dy], [ddx, ddy]] = self.at(from + way * (k as f64 + 0.5) / PARTS as f64);
            (dx * ddy - dy * ddx) / dx.hypot(dy).powi(3)
        };
        (0..PARTS).map(at).sum::<f64>() / PARTS as f64
    }

    /// Returns points of the curve.
    pub fn line(&self, count: usize) -> Vec<[f64; 2]> {
        (0..=count).map(|k| self.at(self.end * k as f64 / count as f64)[0]).collect()
    }
}

/// Sample of a profile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Length of the free part, from the free end to the sample [m].
    pub length: f64,
    /// Length from the sample to the other end [m].
    pub rest: f64,
    /// Curvature, positive where the profile turns left, seen from the free end [1/m].
    pub curvature: f64,
    /// Offset along x of the free part's centre of mass from the sample [m].
    pub lever: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An arc has constant curvature, and its centre of mass has a closed form. Points are 0.05 rad apart. A cubic over
    /// 0.4 rad errs by some thousandths.
    #[test]
    fn an_arc_has_its_curvature_and_lever() {
        for sense in [1.0, -1.0] {
            let radius = 8e-3;
            let points: Vec<[f64; 2]> = (0..=120)
                .map(|k| 0.05 * f64::from(k))
                .map(|a| [radius * a.sin(), sense * radius * (1.0 - a.cos())])
                .collect();
            let profile = Profile::new(&points).unwrap();
            for part in [0.1, 0.3, 0.5, 0.77] {
                let sample = profile.sample(part);
                let angle = 6.0 * part;
                let centre = radius * (1.0 - angle.cos()) / angle;
                assert!((sample.length / (radius * angle) - 1.0).abs() < 1e-5, "{sample:?}");
                assert!((sample.curvature * radius * sense - 1.0).abs() < 5e-3, "{sample:?}");
                assert!((sample.lever - (centre - radius * angle.sin())).abs() < 1e-4 * radius, "{sample:?}");
            }
        }
        assert!(Profile::new(&[[0.0, 0.0]; 9]).is_none() && Profile::new(&[[0.0, 0.0], [1.0, 0.0]]).is_none());
    }

    /// Recovers the curvature of a spiral, which grows along it.
    #[test]
    fn a_spiral_has_its_curvatures() {
        let (mut points, mut at, mut angle) = (vec![[0.0, 0.0]], [0.0, 0.0], 0.0f64);
        let (steps, length) = (20_000, 0.1);
        let curvature = |s: f64| 60.0 + 800.0 * s;
        for k in 0..steps {
            let ds = length / f64::from(steps);
            let middle = angle + 0.5 * ds * curvature((f64::from(k) + 0.25) * ds);
            at = [at[0] + ds * middle.cos(), at[1] + ds * middle.sin()];
            angle += ds * curvature((f64::from(k) + 0.5) * ds);
            if (k + 1) % 100 == 0 {
                points.push(at);
            }
        }
        let profile = Profile::new(&points).unwrap();
        for part in [0.2, 0.5, 0.8] {
            let sample = profile.sample(part);
            assert!((sample.curvature / curvature(part * length) - 1.0).abs() < 5e-3, "{sample:?}");
        }
    }
}
