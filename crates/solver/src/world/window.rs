//! Windows in which obstacles exist, as functions of the time of prescribed motion alone.
//!
//! Windows of obstacles, like those of pins, are evaluated at the start of a step and hold for the whole step. An
//! absent obstacle has no contact, but continues its prescribed motion.

use super::{State, World};

/// Time window, half open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Start [s].
    pub from: f64,
    /// End [s].
    pub until: f64,
}

impl Window {
    /// Window without bounds.
    pub const ALWAYS: Window = Window { from: f64::NEG_INFINITY, until: f64::INFINITY };

    /// Returns true at a time of prescribed motion [s] inside the window. The start is included, the end is not.
    pub fn open(&self, time: f64) -> bool {
        self.from <= time && time < self.until
    }

    /// Returns the intersection of two windows.
    pub fn within(self, other: Window) -> Window {
        Window { from: self.from.max(other.from), until: self.until.min(other.until) }
    }
}

impl State {
    /// Returns the time of prescribed motion [s].
    pub fn now(&self) -> f64 {
        self.time - self.lag
    }
}

impl World {
    /// Returns the window of an object. Simulated objects always exist.
    pub fn window(&self, object: usize) -> Window {
        let obstacle = object.checked_sub(self.simulated()).and_then(|k| self.obstacles.get(k));
        obstacle.map_or(Window::ALWAYS, |obstacle| obstacle.window)
    }

    /// Returns true if an object exists at a time of prescribed motion [s].
    pub fn there(&self, object: usize, time: f64) -> bool {
        self.window(object).open(time)
    }

    /// Returns true if an object exists at the second of two times of prescribed motion [s], but not at the first.
    pub fn appears(&self, object: usize, [before, now]: [f64; 2]) -> bool {
        let window = self.window(object);
        window.open(now) && !window.open(before)
    }

    /// Returns true if two objects, or one and itself, must not intersect at a time of prescribed motion [s].
    pub fn meet_at(&self, i: usize, j: usize, time: f64) -> bool {
        self.meet(i, j) && self.there(i, time) && self.there(j, time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_its_first_moment_and_not_its_last() {
        let window = Window { from: 0.5, until: 2.0 };
        assert_eq!([0.0, 0.5, 1.0, 2.0].map(|t| window.open(t)), [false, true, true, false]);
        assert!([f64::MIN, -1e-18, 0.0, f64::MAX].iter().all(|t| Window::ALWAYS.open(*t)));
    }
}
