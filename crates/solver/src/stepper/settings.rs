//! Settings of time stepping.

use super::Integrator;

/// Settings of time stepping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Time integration.
    pub integrator: Integrator,
    /// Largest step [s].
    pub step: f64,
    /// Smallest step after repeats [s].
    pub min_step: f64,
    /// Largest estimated error of a step, root mean square over an object [m]. Infinite for no control by error.
    pub accuracy: f64,
    /// Relative tolerance of the linear solve.
    pub tolerance: f64,
    /// Largest number of iterations of the linear solve.
    pub iterations: usize,
}
