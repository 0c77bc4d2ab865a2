//! Time of the run and time of the shot. A run begins `lead` seconds of the shot before its first frame, and steps through
//! `scale` seconds for each second of the shot. Laws of physics see the time of the run; what is prescribed is brought to it
//! before the world is made ([`super::retime`]).

use super::hold::Pin;
use super::motion::Motion;
use super::recording::Clock;

/// How times of the run and of the shot belong together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// How long before its first frame the run begins, in the shot's time [s].
    pub lead: f64,
    /// Seconds of the run in one of the shot.
    pub scale: f64,
}

impl Default for Shot {
    fn default() -> Shot {
        Shot { lead: 0.0, scale: 1.0 }
    }
}

impl Shot {
    /// Time of the run at a time of the shot [s].
    pub fn run(&self, t: f64) -> f64 {
        (t + self.lead) * self.scale
    }

    /// Time of the shot at a time of the run [s].
    pub fn shot(&self, t: f64) -> f64 {
        t / self.scale - self.lead
    }

    /// Time of the run from which something is there: what is there from the first frame on is so from the begin.
    pub fn from(&self, t: f64) -> f64 {
        if t > 0.0 { self.run(t) } else { t }
    }

    pub(super) fn window(&self, [from, until]: [f64; 2]) -> [f64; 2] {
        [self.from(from), self.run(until)]
    }

    pub(super) fn pin(&self, pin: &mut Pin) {
        [pin.from, pin.until] = self.window([pin.from, pin.until]);
        self.motion(&mut pin.motion);
    }

    pub(super) fn clock(&self, clock: &mut Clock) {
        match clock {
            Clock::Even { start, interval } => (*start, *interval) = (self.run(*start), *interval * self.scale),
            Clock::Times(times) => times.iter_mut().for_each(|t| *t = self.run(*t)),
        }
    }

    pub(super) fn motion(&self, motion: &mut Motion) {
        match motion {
            Motion::Fixed => (),
            Motion::Keyframes(keys) => keys.iter_mut().for_each(|key| key.time = self.run(key.time)),
            Motion::Path(samples) => samples.iter_mut().for_each(|(time, _)| *time = self.run(*time)),
            Motion::Recorded(recording) => self.clock(&mut recording.clock),
            Motion::Rotation { speed, from, until, .. } => {
                *speed /= self.scale;
                (*from, *until) = (self.run(*from), self.run(*until));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_run_and_shot_belong_together() {
        let shot = Shot { lead: 1.25, scale: 0.5 };
        assert_eq!([-1.25, 0.0, 2.0].map(|t| shot.run(t)), [0.0, 0.625, 1.625]);
        assert!([-1.0, 0.3, 7.0].iter().all(|t| (shot.shot(shot.run(*t)) - t).abs() < 1e-14));
        assert_eq!(shot.window([0.0, f64::INFINITY]), [0.0, f64::INFINITY]);
        assert_eq!(shot.window([0.5, 1.0]), [0.875, 1.125]);
        let none = Shot::default();
        assert!([0.1, 1.0 / 3.0, 1e5].iter().all(|t| none.run(*t) == *t && none.shot(*t) == *t));
    }
}
