//! Linear air drag on cloth: `f = -A (c_n (n.w) n + c_t (w - (n.w) n))` for the velocity `w` relative to the air, the vertex's
//! area `A` and unit normal `n` (Chen, Feng & Wang 2013, section 3: linear drag on the cloth only; split by direction).

use crate::linalg::{Mat3, Vec3};

/// Drag coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {
    /// Along the normal [N s/m^3].
    pub normal: f64,
    /// Along the surface [N s/m^3].
    pub tangent: f64,
}

impl Drag {
    /// Damping matrix [N s/m] of a vertex with area vector `area` (length: area in m^2, direction: normal): force
    /// `-matrix w`. Positive semidefinite.
    pub fn matrix(&self, area: &Vec3) -> Mat3 {
        let size = area.norm();
        if size == 0.0 {
            return Mat3::zeros();
        }
        let along = area * area.transpose() / size;
        Mat3::from_diagonal_element(size * self.tangent) + along * (self.normal - self.tangent)
    }
}
