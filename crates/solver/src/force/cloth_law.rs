//! Laws and damping of one cloth.

use super::bending::Bending;
use super::internal_friction::InternalFriction;
use super::membrane::Membrane;

/// Stiffness-proportional damping times [s].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// Time of the in-plane law.
    pub stretch: f64,
    /// Time of bending.
    pub bend: f64,
}

impl Damping {
    /// Returns equal damping of both laws.
    pub fn even(time: f64) -> Damping {
        Damping { stretch: time, bend: time }
    }
}

/// The laws of one cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClothLaw {
    /// In-plane law.
    pub membrane: Membrane,
    /// Out-of-plane law.
    pub bending: Bending,
    /// Damping of both laws.
    pub damping: Damping,
    /// Internal friction.
    pub inner: InternalFriction,
}
