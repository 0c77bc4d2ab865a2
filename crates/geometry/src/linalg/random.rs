//! Pseudorandom numbers for tests and examples, equal on every machine.

use super::Vec3;

/// Pseudorandom number generator (Knuth's MMIX).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Creates a generator. Equal seeds give equal numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0
    }

    /// Returns a number uniform in 0..1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number uniform in -1..1.
    pub fn signed(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// Returns a whole number below `n`, or 0 if there is none. Only high bits are used, since the low ones have short
    /// periods.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n.max(1)
    }

    /// Returns a vector with each component uniform in -1..1.
    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_even_and_the_same_everywhere() {
        let mut random = Random::new(1);
        assert_eq!([random.below(1000), random.below(1000)], [774, 153]);
        let (mut sum, mut seen) = (0.0, [0; 7]);
        for _ in 0..7000 {
            let (unit, signed) = (random.unit(), random.signed());
            assert!((0.0..1.0).contains(&unit) && (-1.0..1.0).contains(&signed));
            sum += unit - 0.5 + signed;
            seen[random.below(7)] += 1;
        }
        assert!(sum.abs() < 200.0 && seen.iter().all(|n| (850..1150).contains(n)), "{sum} {seen:?}");
        assert_eq!(random.below(0), 0);
    }
}
