//! Factors that change in time: linear between keys, constant before the first and after the last.

/// Factor by keys. Two keys at one time are a jump.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyed {
    /// Times after the start of the run, ascending [s].
    pub times: Vec<f64>,
    /// Factor at each time.
    pub factors: Vec<f64>,
}

/// Tolerance of times [s].
const SAME: f64 = 1e-9;

impl Keyed {
    /// Returns the factor at a time; 1 without keys. A jump has its later value.
    pub fn at(&self, t: f64) -> f64 {
        let next = self.times.partition_point(|time| *time <= t);
        match (next.checked_sub(1), self.times.get(next)) {
            (None, None) => 1.0,
            (None, Some(_)) => self.factors[0],
            (Some(k), None) => self.factors[k],
            (Some(k), Some(end)) => {
                let part = (t - self.times[k]) / (end - self.times[k]);
                self.factors[k] + (self.factors[next] - self.factors[k]) * part
            }
        }
    }

    /// Returns the mean factor between two times. Forces by it give the momentum of the exact ones.
    pub fn mean(&self, from: f64, until: f64) -> f64 {
        let inside = self.times.iter().copied().filter(|t| *t > from && *t < until);
        let mut times: Vec<f64> = [from].into_iter().chain(inside).chain([until]).collect();
        times.dedup();
        // The factor is linear in each part, so that the value at its middle is its mean.
        let parts = times.windows(2).map(|part| self.at(0.5 * (part[0] + part[1])) * (part[1] - part[0]));
        if until > from { parts.sum::<f64>() / (until - from) } else { self.at(until) }
    }

    /// Returns the factor for a step: that of its end, which the scheme takes. A step with a jump inside has the mean.
    pub fn of_step(&self, from: f64, until: f64) -> f64 {
        let jump = self.times.windows(2).find(|pair| pair[0] == pair[1] && pair[0] > from && pair[0] < until);
        let next = self.times.partition_point(|time| *time < until);
        match (jump, next.checked_sub(1), self.times.get(next)) {
            (Some(_), ..) => self.mean(from, until),
            // A jump at the end belongs to the next step.
            (None, Some(k), Some(end)) => {
                let part = (until - self.times[k]) / (end - self.times[k]);
                self.factors[k] + (self.factors[next] - self.factors[k]) * part
            }
            _ => self.at(until),
        }
    }

    /// Returns whether the factor jumps at a time.
    pub fn jumps(&self, t: f64) -> bool {
        self.times.windows(2).any(|pair| pair[0] == pair[1] && (pair[0] - t).abs() < SAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keyed {
        Keyed { times: vec![1.0, 2.0, 2.0, 4.0], factors: vec![1.0, 3.0, -1.0, 0.0] }
    }

    #[test]
    fn factors_are_linear_between_keys() {
        let at = [0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0].map(|t| keys().at(t));
        assert_eq!(at, [1.0, 1.0, 2.0, -1.0, -0.5, 0.0, 0.0]);
        assert_eq!(Keyed::default().at(3.0), 1.0);
        assert!(keys().jumps(2.0) && !keys().jumps(1.0));
    }

    /// Means over parts add up to that of the whole, also across a jump.
    #[test]
    fn means_are_integrals() {
        // 1 to 2: 2; 2 to 4: -1/2 each second.
        assert!((keys().mean(1.0, 4.0) - (2.0 - 1.0) / 3.0).abs() < 1e-15);
        let split = (keys().mean(0.3, 1.9) * 1.6 + keys().mean(1.9, 3.1) * 1.2) / 2.8;
        assert!((keys().mean(0.3, 3.1) - split).abs() < 1e-15);
        assert_eq!(keys().mean(2.0, 2.0), -1.0);
        // The step from 1 to 2 ends before the jump, that from 1.5 to 2.5 has it inside.
        let of_step = [(0.0, 0.5), (1.0, 1.5), (1.0, 2.0), (2.0, 3.0), (5.0, 6.0)].map(|(a, b)| keys().of_step(a, b));
        assert_eq!(of_step, [1.0, 2.0, 3.0, -0.5, 0.0]);
        assert_eq!(keys().of_step(1.5, 2.5), keys().mean(1.5, 2.5));
    }
}
