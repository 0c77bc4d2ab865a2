//! `percale view`: shows runs in a browser on this machine, with all their frames, also while they go on.

mod server;
mod site;

use super::failure::Failure;
use super::film::Source;
use super::{say, warn};
use crate::sequence::{Cases, Folder};
use clap::Args;
use site::Site;
use std::path::{Path, PathBuf};

/// Most runs that are shown side by side.
const MOST: usize = 16;

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct View {
    /// Run folder, or folder of a sweep; the runs of several are shown side by side
    #[arg(required = true)]
    dirs: Vec<PathBuf>,
    /// Take new frames while the runs go on
    #[arg(long)]
    live: bool,
    /// Port at which the page is served; a free one if absent
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,
}

/// Returns the run folders of a folder: itself, or those of the cases of a sweep.
fn runs(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    if Folder::new(dir).is_run() {
        return Ok(vec![dir.to_path_buf()]);
    }
    let cases: Vec<PathBuf> = Cases::read(dir)?.folders().map(|name| dir.join(name)).collect();
    let runs: Vec<PathBuf> = cases.into_iter().filter(|case| Folder::new(case).is_run()).collect();
    // The message for a folder without any is that of a run folder.
    Ok(if runs.is_empty() { vec![dir.to_path_buf()] } else { runs })
}

impl View {
    /// Serves the page until a signal ends the process.
    ///
    /// # Errors
    /// A folder is none of a run, its meshes were not written, or the port cannot be had.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let mut folders = Vec::new();
        for dir in &self.dirs {
            folders.extend(runs(dir)?.iter().map(|run| Folder::new(run)));
        }
        if folders.len() > MOST {
            warn(&format!("{} runs; the first {MOST} are shown", folders.len()));
            folders.truncate(MOST);
        }
        for folder in &folders {
            let source = Source::open(folder)?;
            if !source.entries().iter().any(|entry| entry.kind.simulated()) {
                let path = folder.path().display();
                return Err(Failure::input(format!(
                    "{path}: its meshes were not written; run again with output.meshes"
                )));
            }
        }
        server::serve(&Site::of(folders, self.live), self.port.unwrap_or(0), |address| {
            say(&format!("{address}\nCtrl-C ends it"));
        })
    }
}
