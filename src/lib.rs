//! percale: offline cloth simulation. A TOML scene goes in; per-frame meshes, preview pictures and a record come out.
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
//! Forces of your own are laws on fixed elements ([`force::term::Law`]) or effects ([`world::effect::Effect`], plugged in by
//! [`Simulation::plug`]). [`sequence`] reads run folders that the program has written. `examples/` shows each.
//!
//! Rooms of the crate may use only those above them. Units are SI throughout; state is `f64`, files and the solver's matrix
//! are `f32`.

mod simulation;

pub use simulation::{Error, Simulation};

/// 3x3 blocks, block-sparse matrices, conjugate gradients, ordered (deterministic) parallel loops.
pub mod linalg;
/// Triangle meshes: topology, rest measures, charts, named groups, generators; OBJ and PLY. Tetrahedral meshes: Gmsh,
/// TetGen, VTK; checks, quality, surface.
pub mod mesh;
/// Geometry of touching: boxes, trees, grids, closest points, exact intersection, candidate pairs.
pub mod collision;
/// One file a law: parameters, equation, energy, force and derivatives of one element; assembly written once.
pub mod force;
/// Everything that differs between two moments: vertices, pins, colliders as functions of time.
pub mod world;
/// Which features act on each other in a step, how, and the proof that nothing crossed.
pub mod contact;
/// Effects, a folder each: air below and inside cloths, flowing air, water, pointers.
pub mod effect;
/// How the world changes: one page of named stages.
pub mod stepper;
/// Camera, lights, ray casting, Minnaert and other shading, images.
pub mod render;
/// How far pictures and meshes are apart: FLIP, gates.
pub mod measure;
/// HTML pages of one file: tables, plots, pictures.
pub mod page;
/// The TOML file: sections, defaults, materials, validation; from scene to world.
pub mod scene;
/// From measurements to parameters of materials and pairs.
pub mod fit;
/// The run folder: frames, manifest, statistics, atomic writes.
pub mod sequence;
/// Commands, progress, signals, exit codes.
pub mod cli;
