//! Contact: which pairs of features act in a step, what they do, and the proof that nothing crossed.
//!
//! [`active`] is the active set: it finds contacts among the candidate pairs, linearises them and proves the end positions. What it
//! needs stands in files of its own: the feasible region of features, what they bear, friction frames, rigid co-rotation, inelastic
//! impulses, impact zones. [`ease`], [`part`] and [`ignore`] are about surfaces that begin too near, touching or crossing, [`appear`]
//! about obstacles that do so later. [`vertex_test`] is what others did, to be compared with.

pub mod active;
pub mod appear;
mod bearing;
mod corotation;
pub mod ease;
pub mod element;
mod feasible;
mod found;
mod friction_frame;
pub mod ignore;
mod impact_zone;
pub mod impulse;
pub mod part;
mod persistent;
pub mod vertex_test;
