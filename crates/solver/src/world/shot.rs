//! Run time and shot time. A run begins `lead` seconds of the shot before its first frame, and simulates `scale`
//! seconds for each second of the shot. Physical laws use run time. Prescribed motion is converted to it before the
//! world is built ([`super::retime`]).

use super::hold::Pin;
use super::motion::Motion;
use super::recording::Clock;

/// Relation between run time and shot time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shot {
    /// Duration of the run before its first frame, in shot time [s].
    pub lead: f64,
    /// Run time per second of shot time.
    pub scale: f64,
}

impl Default for Shot {
    fn default() -> Shot {
        Shot { lead: 0.0, scale: 1.0 }
    }
}

impl Shot {
    /// Converts shot time to run time [s].
    pub fn run(&self, t: f64) -> f64 {
        (t + self.lead) * self.scale
    }

    /// Converts run time to shot time [s].
    pub fn shot(&self, t: f64) -> f64 {
        t / self.scale - self.lead
    }

    /// Converts the start of a window to run time [s]. Objects present at the first frame are present since the start
    /// of the run, so times up to 0 stay.
    pub fn from(&self, t: f64) -> f64 {
        if t > 0.0 { self.run(t) } else { t }
    }

    /// Converts a window of shot time to run time [s]. One that begins at the start of the shot is open in the preroll.
    pub fn window(&self, [from, until]: [f64; 2]) -> [f64; 2] {
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
            Motion::Fixed | Motion::Glide(_) => (),
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
