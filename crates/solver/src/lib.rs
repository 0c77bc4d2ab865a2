//! Forces, contact, effects and time stepping of percale.
//!
//! Files and pictures are none of its business. `percale` shows these modules under its own name.

#![warn(unreachable_pub)]

pub use percale_geometry::{collision, linalg, mesh, pattern};

/// Force laws, each in its own file: parameters, equation, energy, force and derivatives of an element. Assembly is
/// written once.
pub mod force;
/// World (constants of a run) and state (all that differs between two moments): vertices, pins, colliders as functions
/// of time.
pub mod world;
/// Contact: the features that act on each other in a step, their forces, and the proof that nothing crossed.
pub mod contact;
/// Effects, each in its own folder: air below and inside cloths, flowing air, water, pointers.
pub mod effect;
/// Time stepping: one page of named stages.
pub mod stepper;
