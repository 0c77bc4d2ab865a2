//! Membrane laws (parameters).

/// Isotropic St. Venant-Kirchhoff membrane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Isotropic {
    /// Young's modulus times thickness [N/m].
    pub young: f64,
    /// Poisson's ratio, in (-1, 1).
    pub poisson: f64,
}

/// Measured orthotropic table of Wang, O'Brien & Ramamoorthi 2011, in N/m for Green strain `E = (F^T F - I)/2`.
///
/// Row 0 at zero strain, rows 1..5 with the major principal stretch at 0, 22.5, 45, 67.5, 90 degrees from warp;
/// columns c11, c12, c22, c33.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchTable(pub [[f64; 4]; 6]);

/// A cloth's membrane law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Membrane {
    /// Same in every direction.
    Isotropic(Isotropic),
    /// Measured, by direction and strain.
    Table(StretchTable),
}
