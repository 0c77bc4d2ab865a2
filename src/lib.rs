//! percale: offline cloth simulation. Input is a TOML scene; output is per-frame meshes, preview pictures and a record.
//!
//! [`Simulation`] steps a scene frame by frame:
//!
//! ```no_run
//! # fn main() -> Result<(), percale::Error> {
//! let mut simulation = percale::Simulation::load("scenes/drape.toml", &[])?;
//! while let Some(frame) = simulation.next_frame()? {
//!     let sheet = simulation.positions("sheet").unwrap_or_default();
//!     println!("frame {frame}: {} vertices", sheet.len());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Forces of your own are laws on fixed elements ([`force::term::Law`]) or effects ([`world::effect::Effect`], plugged
//! in by [`Simulation::plug`]). [`sequence`] reads run folders that the program has written. `examples/` shows each.
//!
//! Each module may use only modules above it in this list (`tests/house.rs` checks the order). Units are SI throughout.
//! The state is `f64`; files and the solver's matrix are `f32`.

#![warn(unreachable_pub)]

mod driving;
mod measured;
mod saving;
mod simulation;

pub use measured::Contact;
pub use simulation::{Error, Simulation};

pub use percale_geometry::{collision, linalg, mesh, pattern};
pub use percale_render::{measure, page, render};
pub use percale_solver::{contact, effect, force, stepper, world};

/// Scene files in TOML: sections, defaults, materials, validation; conversion of a scene to a world.
pub mod scene;
/// Fits of material and friction parameters to measurements.
pub mod fit;
/// Run folder: frames, manifest, statistics, atomic writes.
pub mod sequence;
/// Command line: commands, progress, signals, exit codes.
pub mod cli;
