//! Four vectors side by side, for loops over four items at once.
//!
//! Components are written out, because array functions remain calls at lower optimisation levels.

use super::{Vec3, f64x4};
use std::ops::{Add, Div, Mul, Sub};

/// Four vectors by component: the first components of all, then the second, then the third.
#[derive(Clone, Copy, Debug)]
pub struct Four([f64x4; 3]);

impl Four {
    /// Builds the vectors `at(0)` to `at(3)`.
    #[inline(always)]
    pub fn from_fn<'a>(at: impl Fn(usize) -> &'a Vec3) -> Four {
        let at = [at(0), at(1), at(2), at(3)];
        let lanes = |l: usize| f64x4::new([at[0][l], at[1][l], at[2][l], at[3][l]]);
        Four([lanes(0), lanes(1), lanes(2)])
    }

    /// Builds the vectors from the first components of all, the second, and the third.
    #[inline(always)]
    pub fn new(parts: [f64x4; 3]) -> Four {
        Four(parts)
    }

    /// Returns the first components of all, the second, and the third.
    #[inline(always)]
    pub fn parts(&self) -> [f64x4; 3] {
        self.0
    }

    /// Returns the four dot products.
    #[inline(always)]
    pub fn dot(&self, other: &Four) -> f64x4 {
        let ([a, b, c], [p, q, r]) = (self.0, other.0);
        a * p + b * q + c * r
    }

    /// Returns the four cross products.
    #[inline(always)]
    pub fn cross(&self, other: &Four) -> Four {
        let ([a, b, c], [p, q, r]) = (self.0, other.0);
        Four([b * r - c * q, c * p - a * r, a * q - b * p])
    }

    /// Returns the four lengths.
    #[inline(always)]
    pub fn norm(&self) -> f64x4 {
        self.dot(self).sqrt()
    }

    /// Returns the four vectors one by one.
    #[inline(always)]
    pub fn to_array(self) -> [Vec3; 4] {
        let [x, y, z] = self.0;
        let (x, y, z) = (x.to_array(), y.to_array(), z.to_array());
        let vector = |k: usize| Vec3::new(x[k], y[k], z[k]);
        [vector(0), vector(1), vector(2), vector(3)]
    }
}

/// Iterates over the items in fours, each with its number of valid items. The last four is padded with copies.
#[inline(always)]
pub fn fours<T: Copy>(items: &[T]) -> impl Iterator<Item = ([T; 4], usize)> {
    items.chunks(4).map(|c| (std::array::from_fn(|k| c[k.min(c.len() - 1)]), c.len()))
}

impl Add for Four {
    type Output = Four;
    #[inline(always)]
    fn add(self, other: Four) -> Four {
        let ([a, b, c], [p, q, r]) = (self.0, other.0);
        Four([a + p, b + q, c + r])
    }
}

impl Sub for Four {
    type Output = Four;
    #[inline(always)]
    fn sub(self, other: Four) -> Four {
        let ([a, b, c], [p, q, r]) = (self.0, other.0);
        Four([a - p, b - q, c - r])
    }
}

impl Mul<f64x4> for Four {
    type Output = Four;
    #[inline(always)]
    fn mul(self, by: f64x4) -> Four {
        let [a, b, c] = self.0;
        Four([a * by, b * by, c * by])
    }
}

impl Div<f64x4> for Four {
    type Output = Four;
    #[inline(always)]
    fn div(self, by: f64x4) -> Four {
        let [a, b, c] = self.0;
        Four([a / by, b / by, c / by])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_is_a_vector_of_its_own() {
        let a: [Vec3; 4] = std::array::from_fn(|k| Vec3::new(1.0, k as f64, -2.0));
        let b: [Vec3; 4] = std::array::from_fn(|k| Vec3::new(k as f64, 3.0, 0.5));
        let [p, q] = [a, b].map(|v| Four::from_fn(|k| &v[k]));
        let s = f64x4::new([0.0, 1.0, 2.0, 3.0]);
        for k in 0..4 {
            assert_eq!(p.dot(&q).to_array()[k], a[k].dot(&b[k]));
            assert_eq!(p.norm().to_array()[k], a[k].norm());
            assert_eq!(p.cross(&q).to_array()[k], a[k].cross(&b[k]));
            assert_eq!(((p + q) * s - p).to_array()[k], (a[k] + b[k]) * k as f64 - a[k]);
        }
    }

    #[test]
    fn what_is_left_over_is_filled_up() {
        let all: Vec<([u8; 4], usize)> = fours(&[1, 2, 3, 4, 5, 6]).collect();
        assert_eq!(all, [([1, 2, 3, 4], 4), ([5, 6, 6, 6], 2)]);
        assert_eq!(fours::<u8>(&[]).count(), 0);
    }
}
