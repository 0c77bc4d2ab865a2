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

mod driving;
mod measured;
mod saving;
mod simulation;

pub use measured::Contact;
pub use simulation::{Error, Simulation};

/// Linear algebra: 3x3 blocks, block-sparse matrices, conjugate gradients, ordered (deterministic) parallel loops.
pub mod linalg;
/// Triangle meshes: topology, rest measures, charts, named groups, generators; OBJ and PLY. Tetrahedral meshes: Gmsh,
/// TetGen, VTK; checks, quality, surface.
pub mod mesh;
/// Sewing patterns: flat panels with edges and stitches, from GarmentCode, SVG and apparel DXF, as a mesh.
pub mod pattern;
/// Collision geometry: boxes, trees, grids, closest points, exact intersection, candidate pairs.
pub mod collision;
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
/// Rendering: camera, lights, ray casting, Minnaert and other shading, images.
pub mod render;
/// Differences between pictures and between meshes: FLIP, gates.
pub mod measure;
/// HTML pages in a single file: tables, plots, pictures.
pub mod page;
/// Scene files in TOML: sections, defaults, materials, validation; conversion of a scene to a world.
pub mod scene;
/// Fits of material and friction parameters to measurements.
pub mod fit;
/// Run folder: frames, manifest, statistics, atomic writes.
pub mod sequence;
/// Command line: commands, progress, signals, exit codes.
pub mod cli;
