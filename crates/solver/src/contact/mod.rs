//! Contact: which pairs of features act in a step, their forces, and the proof that nothing crosses.
//!
//! [`active`] is the active set: it finds contacts among the candidate pairs, linearises them and proves the end
//! positions. Files of their own have the feasible region of features, the mass they bear, friction frames,
//! co-rotation, inelastic impulses and impact zones. [`ease`], [`part`] and [`ignore`] handle surfaces that start too
//! near, touching or intersecting, [`appear`] those of obstacles that appear later, [`caught`] cloth between obstacles
//! that cross. [`vertex_test`] is a published
//! method, for comparison.

pub mod active;
pub mod appear;
mod bearing;
pub mod caught;
mod corotation;
pub mod offset_ramp;
pub mod element;
mod feasible;
mod narrow_result;
mod friction_frame;
pub mod ignore;
mod impact_zone;
pub mod impulse;
pub mod separate;
mod persistent;
pub mod vertex_test;
