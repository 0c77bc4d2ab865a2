//! How the command line was called: the program that other processes call again, and the words for the record.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

static STARTED: Mutex<(Option<PathBuf>, Vec<OsString>)> = Mutex::new((None, Vec::new()));

/// Keeps how it was called.
pub fn keep(program: PathBuf, arguments: Vec<OsString>) {
    *STARTED.lock().unwrap_or_else(PoisonError::into_inner) = (Some(program), arguments);
}

/// The program, for processes that are to call it again.
pub fn program() -> PathBuf {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.0.clone().unwrap_or("percale".into())
}

/// Program and arguments, as they were typed.
pub fn arguments() -> Vec<String> {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    started.1.iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
}
