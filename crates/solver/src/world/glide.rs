//! Straight ways of vertices to targets that are given between steps.

use super::snapshot::pieces;
use crate::linalg::Vec3;

/// Tolerance of times [s].
const SAME: f64 = 1e-9;

/// Way of each vertex from one place to another, at constant speed. It stays at the ends before and after.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glide {
    /// Time of the start, on the clock of prescribed motion [s].
    pub from: f64,
    /// Time of the end [s].
    pub until: f64,
    /// Places at the start [m].
    pub start: Vec<Vec3>,
    /// Places at the end [m], as many.
    pub end: Vec<Vec3>,
}

pieces! {
    Glide { from, until, start, end }
}

impl Glide {
    /// Computes the place of each vertex at time `t` [s]. From the end on it is exactly the one given, also where the
    /// sum of steps misses the end by its rounding.
    pub fn place(&self, t: f64, out: &mut [Vec3]) {
        let part = ((t - self.from) / (self.until - self.from)).max(0.0);
        for ((out, start), end) in out.iter_mut().zip(&self.start).zip(&self.end) {
            *out = if t < self.until - SAME { start.lerp(end, part) } else { *end };
        }
    }

    /// Returns the places at time `t` [s].
    pub fn places(&self, t: f64) -> Vec<Vec3> {
        let mut all = self.end.clone();
        self.place(t, &mut all);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_linear_and_ends_exactly_at_the_target() {
        let end = vec![Vec3::new(0.1, 0.2, 0.3)];
        let glide = Glide { from: 1.0, until: 1.3, start: vec![Vec3::x()], end: end.clone() };
        assert_eq!(glide.places(0.0), [Vec3::x()]);
        assert!((glide.places(1.15)[0] - (Vec3::x() + end[0]) / 2.0).norm() < 1e-15);
        assert_eq!([glide.places(1.3), glide.places(9.0)], [end.clone(), end.clone()]);
        let jump = Glide { until: 1.0, ..glide };
        assert_eq!(jump.places(1.0), end);
    }
}
