//! The run folder: what a run leaves and how it is read again.
//!
//! `scene.toml`, `run.json`, `stats.ndjson`, `meshes/<object>/`, `preview/`, `flow/`, `probes/`, `checkpoints/`, and `crossing.ply` where a start or a
//! frame is refused. Every file but the statistics and those of probes, which grow by lines, is written under a temporary name in its folder, synced
//! and renamed. While a run is in the folder `run.lock` lies there ([`Lock`]).

mod air;
mod cases;
mod checkpoint;
mod damage;
mod disk;
pub mod export;
mod flow;
mod folder;
mod lock;
mod manifest;
mod probes;
mod shape;
mod stats;
mod take;
mod watch;

pub use air::airs;
pub use cases::Cases;
pub use checkpoint::{Checkpoint, Mark, marks};
pub use damage::Damage;
pub use disk::{DiskError, make_folder, read, write};
pub use flow::Flowing;
pub use folder::{Folder, Stored};
pub use lock::{LOCK, Lock, LockError};
pub use manifest::{Change, Entry, Run, Status, json_text};
pub use probes::{Recorder, Series};
pub use shape::{Shape, Snapshot, Verdict};
pub use stats::{Air, FrameStats};
pub use take::{Found, TakeError};
pub use watch::Watch;
