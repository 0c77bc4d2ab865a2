//! Triangular factors of diagonal blocks.

use super::super::Mat3;
use super::super::matrix::{Lanes, Real};
use super::super::scaled::Block;

/// Computes `C v` for a block in column order.
pub(super) fn times<T: Real>(c: &Block<T>, v: &Lanes<T>) -> Lanes<T> {
    let row = |r: usize| c[r] * v[0] + c[3 + r] * v[1] + c[6 + r] * v[2];
    [row(0), row(1), row(2), T::default()]
}

/// Computes `C^T v` for a block in column order.
pub(super) fn times_transposed<T: Real>(c: &Block<T>, v: &Lanes<T>) -> Lanes<T> {
    let column = |k: usize| c[3 * k] * v[0] + c[3 * k + 1] * v[1] + c[3 * k + 2] * v[2];
    [column(0), column(1), column(2), T::default()]
}

/// Solves `C^T x = v` for a lower triangular `C` in column order. With `C^-1` in place of `C`, the result is `C^T v`.
pub(super) fn solve_transposed<T: Real>(c: &Block<T>, v: &Lanes<T>) -> Lanes<T> {
    let z = v[2] / c[8];
    let y = (v[1] - c[5] * z) / c[4];
    let x = (v[0] - c[1] * y - c[2] * z) / c[0];
    [x, y, z, T::default()]
}

/// Fractions of its trace that are added to the diagonal of a block, tried in turn. In single precision, a stiffness
/// more than 10^7 times as large as the inertia cancels the inertia along other directions.
const ROUNDED: [f64; 4] = [0.0, 1e-7, 1e-6, 1e-5];

/// Computes [`inverse_cholesky`] of a block that rounding may have made indefinite.
pub(super) fn rounded_cholesky(a: &Mat3) -> Option<Mat3> {
    ROUNDED.iter().find_map(|part| inverse_cholesky(&(a + Mat3::from_diagonal_element(part * a.trace()))))
}

/// Computes `C^-1` of `A = C C^T`, lower triangular. Returns `None` unless `A` is positive definite.
pub(super) fn inverse_cholesky(a: &Mat3) -> Option<Mat3> {
    let positive = |x: f64| (x > 0.0 && x.is_finite()).then(|| x.sqrt());
    let c00 = positive(a[(0, 0)])?;
    let c10 = a[(1, 0)] / c00;
    let c20 = a[(2, 0)] / c00;
    let c11 = positive(a[(1, 1)] - c10 * c10)?;
    let c21 = (a[(2, 1)] - c20 * c10) / c11;
    let c22 = positive(a[(2, 2)] - c20 * c20 - c21 * c21)?;
    let (i00, i11, i22) = (1.0 / c00, 1.0 / c11, 1.0 / c22);
    let i10 = -c10 * i00 * i11;
    let i21 = -c21 * i11 * i22;
    let i20 = -(c20 * i00 + c21 * i10) * i22;
    Some(Mat3::new(i00, 0.0, 0.0, i10, i11, 0.0, i20, i21, i22))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec3;

    /// A stiffness along one direction, 10^9 times the inertia, rounded to single precision.
    #[test]
    fn a_block_that_rounding_made_indefinite_is_factored() {
        let along = Vec3::new(0.31, 0.57, 0.76).normalize();
        let block = (along * along.transpose() * 1e9 + Mat3::identity()).map(|x| f64::from(x as f32));
        assert!(inverse_cholesky(&block).is_none(), "it is definite: the test tests nothing");
        let inverse = rounded_cholesky(&block).unwrap();
        let again = inverse * block * inverse.transpose();
        assert!((along.dot(&(inverse.transpose() * inverse * along)) * 1e9 - 1.0).abs() < 1e-3, "{again}");
        assert!(rounded_cholesky(&-block).is_none());
        assert!(rounded_cholesky(&(block * f64::NAN)).is_none());
    }
}
