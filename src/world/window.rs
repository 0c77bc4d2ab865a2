//! Obstacles that appear and vanish: functions of the time of prescribed motion alone.
//!
//! Whether an obstacle is there is looked at when a step begins, as pins do, and holds for the whole step. What is not there meets
//! nothing, and moves on as it is told.

use super::{State, World};

/// From when until when something is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// When it appears [s].
    pub from: f64,
    /// When it vanishes [s].
    pub until: f64,
}

impl Window {
    /// It is there at all times.
    pub const ALWAYS: Window = Window { from: f64::NEG_INFINITY, until: f64::INFINITY };

    /// It is there at a time of prescribed motion [s]: at its first moment, and no more at its last.
    pub fn open(&self, time: f64) -> bool {
        self.from <= time && time < self.until
    }

    /// When both are open.
    pub fn within(self, other: Window) -> Window {
        Window { from: self.from.max(other.from), until: self.until.min(other.until) }
    }
}

impl State {
    /// Time of prescribed motion [s].
    pub fn now(&self) -> f64 {
        self.time - self.lag
    }
}

impl World {
    /// When an object is there; what is simulated always is.
    pub fn window(&self, object: usize) -> Window {
        let obstacle = object.checked_sub(self.simulated()).and_then(|k| self.obstacles.get(k));
        obstacle.map_or(Window::ALWAYS, |obstacle| obstacle.window)
    }

    /// An object is there at a time of prescribed motion [s].
    pub fn there(&self, object: usize, time: f64) -> bool {
        self.window(object).open(time)
    }

    /// An object is there at the second of two times of prescribed motion [s], and was not at the first.
    pub fn appears(&self, object: usize, [before, now]: [f64; 2]) -> bool {
        let window = self.window(object);
        window.open(now) && !window.open(before)
    }

    /// Two objects, or one with itself, may not cross at a time of prescribed motion [s].
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
