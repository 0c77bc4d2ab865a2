//! How surfaces touch: the settings of contact.

/// What happens when prescribed surfaces close on cloth until nothing fits between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinch {
    /// What is pinched gives way: pins leave their path, or the surfaces of obstacles are pressed in.
    Yield,
    /// All prescribed motion waits, then catches up.
    Lag,
    /// The run stops.
    Halt,
    /// Cloth goes through this obstacle until it is apart from it: index of its object.
    Release(usize),
}

/// Settings of contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Contact is considered at all.
    pub enabled: bool,
    /// In its place the vertex test, with the distance that it keeps [m]: nothing is proven.
    pub vertex_test: Option<f64>,
    /// Activation distance beyond the thickness, the largest of all objects [m].
    pub distance: f64,
    /// Factor of the barrier's stiffness.
    pub stiffness: f64,
    /// What happens in a pinch.
    pub pinch: Pinch,
    /// Time in which what begins nearer than it rests gets its whole distance; 0: at once [s].
    pub ease: f64,
}

impl Default for ContactSettings {
    /// Contact at 1 mm, with the settings of a scene that says nothing.
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
    /// Contacts act, and every step is proven.
    pub fn proven(&self) -> bool {
        self.enabled && self.vertex_test.is_none()
    }
}
