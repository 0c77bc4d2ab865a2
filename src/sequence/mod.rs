//! The run folder: the files of a run, and reading them again.
//!
//! `scene.toml`, `run.json`, `run.log`, `stats.ndjson`, `meshes/<object>/`, `preview/`, `flow/`, `probes/`,
//! `checkpoints/`, and `crossing.ply` for a refused start or frame. The log, the statistics and the files of probes
//! grow by lines. Every other file is written under a temporary name in its folder, synced and renamed. During a run
//! the folder contains `run.lock` ([`Lock`]).

mod air;
mod cases;
mod checkpoint;
mod damage;
mod disk;
pub mod event;
pub mod export;
mod flow;
mod folder;
mod lock;
mod manifest;
mod onward;
mod probes;
mod shape;
mod stats;
mod claim;
mod watch;

pub use air::airs;
pub use cases::Cases;
pub use checkpoint::{Checkpoint, Mark, marks};
pub use claim::{ClaimError, Found};
pub use damage::Damage;
pub use disk::{DiskError, make_folder, read, write};
pub use flow::Flowing;
pub use folder::{Folder, Stored};
pub use lock::{LOCK, Lock, LockError};
pub use manifest::{Change, Entry, Ignored, Run, Status, json_text};
pub use onward::{Continued, onward};
pub use probes::{Recorder, Series};
pub use shape::{Shape, Snapshot, Verdict};
pub use stats::{Air, FrameStats, Region};
pub use watch::Watch;
