//! Failures of commands.

use super::log::{Level, log};
use super::warn;
use crate::scene::Fault;
use crate::sequence::{ClaimError, DiskError};

/// Reason of a failure, with all messages.
#[derive(Debug)]
pub(super) enum Failure {
    /// A step could not be made.
    Simulation(String),
    /// The scene, a mesh or an argument is wrong. Each fault has a line.
    Input(Vec<String>),
    /// A file could not be read or written.
    Disk(DiskError),
    /// Input files of the run are no longer there. Each fault has a line.
    Lost(Vec<String>),
    /// Files of a run are missing or damaged. Each file has a line.
    Damaged(Vec<String>),
    /// Another process runs in the folder.
    InUse(String),
    /// A signal stopped the run.
    Stopped(String),
    /// The compared files differ.
    Differs(String),
}

impl Failure {
    /// Returns the exit code of the process.
    pub(super) fn code(&self) -> u8 {
        match self {
            Failure::Simulation(_) | Failure::Differs(_) => 1,
            Failure::Input(_) => 2,
            Failure::Disk(_) | Failure::Lost(_) | Failure::Damaged(_) => 3,
            Failure::InUse(_) => 73,
            Failure::Stopped(_) => 75,
        }
    }

    /// Returns a failure of one fault in the input.
    pub(super) fn input(what: impl Into<String>) -> Failure {
        Failure::Input(vec![what.into()])
    }

    /// Returns the reason in one line.
    pub(super) fn reason(&self) -> String {
        match self {
            Failure::Simulation(what) | Failure::Stopped(what) | Failure::Differs(what) | Failure::InUse(what) => {
                what.clone()
            }
            Failure::Input(faults) | Failure::Lost(faults) | Failure::Damaged(faults) => faults.join("; "),
            Failure::Disk(error) => error.to_string(),
        }
    }
}

impl From<Vec<Fault>> for Failure {
    fn from(faults: Vec<Fault>) -> Failure {
        Failure::Input(faults.iter().map(Fault::to_string).collect())
    }
}

impl From<DiskError> for Failure {
    fn from(error: DiskError) -> Failure {
        Failure::Disk(error)
    }
}

impl From<ClaimError> for Failure {
    fn from(error: ClaimError) -> Failure {
        match error {
            ClaimError::Disk(error) => Failure::Disk(error),
            ClaimError::Held(path, who) => Failure::InUse(format!(
                "{}: is in use: {who} runs in it; wait until that ends, or give another folder with --out",
                path.display()
            )),
            ClaimError::Foreign(path) => Failure::input(format!(
                "{}: exists, but its folder holds no run of percale; give another folder with --out",
                path.display()
            )),
        }
    }
}

/// Prints a failure to standard error: faults of the input with their places, all others as log lines.
pub(super) fn print_failure(failure: &Failure) {
    match failure {
        Failure::Simulation(what) => log(Level::Error, &format!("failed: {what}")),
        Failure::Differs(what) => warn(&format!("differs: {what}")),
        Failure::InUse(what) => warn(what),
        Failure::Stopped(what) => log(Level::Warning, &format!("stopped: {what}")),
        Failure::Disk(error) => log(Level::Error, &error.to_string()),
        Failure::Damaged(files) => {
            files.iter().for_each(|file| warn(file));
            log(
                Level::Error,
                "files of the run are missing or damaged; --resume makes them again from the checkpoint before, or from the first frame",
            );
        }
        Failure::Input(faults) | Failure::Lost(faults) => {
            for fault in faults {
                warn(fault);
            }
            if faults.len() > 1 {
                warn(&format!("{} faults", faults.len()));
            }
            if matches!(failure, Failure::Lost(_)) {
                log(Level::Error, "what the run began with is gone; --resume goes on once it is back");
            }
        }
    }
}
