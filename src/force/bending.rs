//! Bending law (parameters).

/// Bending rigidity per unit width [N m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bending {
    /// Same in every direction and at every curvature.
    Constant(f64),
    /// Measured: rows for an edge at 0, 45, 90 degrees from warp, columns at curvature 0, 10, 20, 30, 40 1/m.
    Table([[f64; 5]; 3]),
}
