//! Force laws: one file each, with parameters, equation, and energy, force and stiffness of one element.

pub mod area_barrier;
pub mod assembly;
pub mod bending;
pub mod calibrate;
pub mod contact;
pub mod curve;
pub mod dahl;
pub mod drag;
pub mod elements;
pub mod friction;
pub mod glue;
pub mod homogenize;
pub mod inertia;
pub mod internal_friction;
pub mod laws;
pub mod links;
pub mod membrane;
pub mod plate;
pub mod plate_mesh;
pub mod scheme;
pub mod cloth_law;
pub mod solid;
pub mod spring;
pub mod spring_mesh;
pub mod strip;
pub mod term;
pub mod tether;

use term::Shown;

/// Laws that only some scenes have, with their entries in statistics, files and pictures.
pub static SHOWN: &[Shown] = &[tether::SHOWN, plate::yielding::SHOWN, membrane::yielding::SHOWN];
