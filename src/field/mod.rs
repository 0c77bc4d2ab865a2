//! What is solved beside the motion.

/// Air between a cloth and a body.
pub mod air;
/// Air inside a closed cloth.
pub mod balloon;
/// Flow of the air in a box.
pub mod flow;
/// The air's equation as the paper has it.
pub mod seed;
/// Stiffness of a layer of air.
pub mod stiffness;
/// Air through a cloth.
pub mod through;
/// Water in cloth.
pub mod water;
