//! Wind: uniform in space, a mean velocity plus smooth gusts in time.

use super::keyed::Keyed;
use crate::linalg::Vec3;

/// Wind settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Wind {
    /// Mean velocity [m/s].
    pub velocity: Vec3,
    /// Amplitude of the gusts [m/s].
    pub gust: f64,
    /// Time scale of the gusts [s].
    pub period: f64,
    /// Random seed of the gusts.
    pub seed: u64,
    /// Start and end of the wind [s].
    pub window: [f64; 2],
    /// Factor of velocity and gusts.
    pub factor: Keyed,
}

impl Wind {
    /// Returns zero wind.
    pub fn none() -> Wind {
        Wind {
            velocity: Vec3::zeros(),
            gust: 0.0,
            period: 1.0,
            seed: 0,
            window: [0.0, f64::INFINITY],
            factor: Keyed::default(),
        }
    }

    /// Returns the air velocity at time `t`: the mean plus, in each direction, value noise in time of amplitude `gust`.
    /// Directions other than the main axis of the mean wind have half of it.
    pub fn at(&self, t: f64) -> Vec3 {
        if !(self.window[0]..self.window[1]).contains(&t) {
            return Vec3::zeros();
        }
        let factor = self.factor.at(t);
        if self.gust == 0.0 {
            return self.velocity * factor;
        }
        let along = self.velocity.iamax();
        let noise = |axis: usize| {
            let size = if axis == along { self.gust } else { 0.5 * self.gust };
            size * (self.value(axis as u64, t / self.period) + 0.5 * self.value(axis as u64 + 3, 2.3 * t / self.period))
        };
        (self.velocity + Vec3::new(noise(0), noise(1), noise(2))) * factor
    }

    /// Returns smooth noise in [-1, 1] with a new value at every integer `s`.
    fn value(&self, channel: u64, s: f64) -> f64 {
        let whole = s.floor();
        let f = s - whole;
        let at = |k: i64| {
            // SplitMix64 hash.
            let mut z = (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.seed.wrapping_add(channel << 32);
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let (a, b) = (at(whole as i64), at(whole as i64 + 1));
        a + (b - a) * f * f * f * (10.0 + f * (6.0 * f - 15.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gusts_are_bounded_continuous_and_vary() {
        let wind = Wind { velocity: Vec3::new(5.0, 0.0, 0.0), gust: 2.0, period: 0.5, seed: 7, ..Wind::none() };
        let samples: Vec<f64> = (0..10_000).map(|k| wind.at(f64::from(k) * 1e-3).x).collect();
        assert!(samples.iter().all(|x| (2.0..=8.0).contains(x)));
        // Largest slope of the quintic fade: 1.875 per unit. Thus 2 * 2 * 1.875 / 0.5 plus 2.3 times half of it, per
        // second.
        assert!(samples.windows(2).all(|w| (w[1] - w[0]).abs() < (15.0 + 17.25) * 1e-3));
        let spread = samples.iter().fold(0.0f64, |m, x| m.max((x - 5.0).abs()));
        assert!(spread > 0.5, "{spread}");
        assert_eq!(Wind::none().at(3.0), Vec3::zeros());
        let brief = Wind { window: [1.0, 2.0], gust: 0.0, ..wind };
        assert_eq!([0.9, 1.0, 2.0].map(|t| brief.at(t).x), [0.0, 5.0, 0.0]);
    }
}
