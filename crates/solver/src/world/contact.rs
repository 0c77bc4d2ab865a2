//! Contact settings.

/// Response to a pinch: prescribed surfaces close on cloth until nothing fits between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinch {
    /// Pins leave their path, or obstacle surfaces are pressed in.
    Yield,
    /// All prescribed motion waits, then catches up.
    Lag,
    /// The run stops.
    Halt,
    /// Cloth passes through this obstacle (object index) until they no longer intersect.
    Release(usize),
}

/// Settings of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Contact is enabled.
    pub enabled: bool,
    /// Minimum distance of the vertex test [m]. The test replaces proven contact, so nothing is certified.
    pub vertex_test: Option<f64>,
    /// Activation distance beyond the thickness; the largest of all objects [m].
    pub distance: f64,
    /// Factor of the barrier's stiffness.
    pub stiffness: f64,
    /// Response to a pinch.
    pub pinch: Pinch,
    /// Time [s] over which contacts that start closer than their rest distance reach their full distance; 0: at once.
    pub ease: f64,
}

impl Default for ContactSettings {
    /// Returns the settings of a scene that gives none: activation distance 1 mm.
    fn default() -> ContactSettings {
        ContactSettings {
            enabled: true,
            vertex_test: None,
            distance: 1e-3,
            stiffness: 1.0,
            pinch: Pinch::Yield,
            ease: 0.5,
        }
    }
}

impl ContactSettings {
    /// Returns true if contacts act and every step is certified free of intersections.
    pub fn proven(&self) -> bool {
        self.enabled && self.vertex_test.is_none()
    }
}
