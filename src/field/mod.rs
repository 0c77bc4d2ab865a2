//! What is solved beside the motion.

/// Air between a cloth and a body.
pub mod air;
/// Air through a cloth.
pub mod through;
