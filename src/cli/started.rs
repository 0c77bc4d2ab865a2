//! Command line of this process: the program for other processes to call again, and the arguments for the record.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

static STARTED: Mutex<(Option<PathBuf>, Vec<OsString>)> = Mutex::new((None, Vec::new()));

/// Stores the command line.
pub(super) fn keep(program: PathBuf, arguments: Vec<OsString>) {
    *STARTED.lock().unwrap_or_else(PoisonError::into_inner) = (Some(program), arguments);
}

/// Returns the program, for processes that call it again.
pub(super) fn program() -> PathBuf {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.0.clone().unwrap_or("percale".into())
}

/// Returns program and arguments, as typed.
pub(super) fn arguments() -> Vec<String> {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.1.iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
}
