//! Envelope of a recording: loudness as a speed that depends on time (Horiba et al. 2007, section 3.2).

/// Speeds at equal intervals from time zero, linearly interpolated; zero outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Envelope {
    /// Time between two samples [s].
    pub interval: f64,
    /// Sampled speeds; the first is at time zero [m/s].
    pub speeds: Vec<f64>,
}

impl Envelope {
    /// Returns the speed at time `t` since the start of the recording [m/s]; zero before the start and after the end.
    pub fn at(&self, t: f64) -> f64 {
        let place = t / self.interval;
        if !(0.0..=self.last()).contains(&place) {
            return 0.0;
        }
        let speed = |k: usize| self.speeds.get(k).copied().unwrap_or_default();
        let low = place as usize;
        let part = place - low as f64;
        if part == 0.0 { speed(low) } else { speed(low) + (speed(low + 1) - speed(low)) * part }
    }

    /// Returns the time of the last sample [s].
    pub fn end(&self) -> f64 {
        self.interval * self.last()
    }

    /// Returns true if the speed is zero at all times.
    pub fn silent(&self) -> bool {
        self.speeds.iter().all(|speed| *speed == 0.0)
    }

    /// Returns the index of the last sample.
    fn last(&self) -> f64 {
        self.speeds.len().saturating_sub(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_linear_between_and_nothing_outside() {
        let envelope = Envelope { interval: 0.5, speeds: vec![1.0, 3.0, 2.0] };
        let at = [-0.1, 0.0, 0.25, 0.5, 0.75, 1.0, 1.01, f64::NAN].map(|t| envelope.at(t));
        assert_eq!(at, [0.0, 1.0, 2.0, 3.0, 2.5, 2.0, 0.0, 0.0]);
        assert!(envelope.end() == 1.0 && !envelope.silent());
        let none = Envelope::default();
        assert!(none.silent() && [0.0, 1.0].map(|t| none.at(t)) == [0.0; 2]);
    }
}
