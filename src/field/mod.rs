//! What is solved beside the motion.

/// Air between a cloth and a body.
pub mod air;
/// Stiffness of a layer of air.
pub mod stiffness;
