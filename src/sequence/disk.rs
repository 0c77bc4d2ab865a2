//! Files that are there whole or not at all.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file or folder that could not be read or written.
#[derive(Debug)]
pub struct DiskError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub reason: String,
}

impl DiskError {
    /// From what the system says.
    pub fn new(path: &Path, error: &io::Error) -> DiskError {
        let reason = match error.kind() {
            io::ErrorKind::StorageFull => "the disk is full".to_string(),
            io::ErrorKind::QuotaExceeded => "the disk quota is used up".to_string(),
            _ => error.to_string(),
        };
        DiskError { path: path.to_path_buf(), reason }
    }
}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

/// Ending of temporary names.
pub(super) const TEMPORARY: &str = ".percale-part";

/// Writes a file: under a temporary name in the same folder, synced, then renamed over what was there.
///
/// # Errors
/// The file that could not be written; nothing of it is left.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(TEMPORARY);
    let temporary = path.with_file_name(name);
    let put = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    put().map_err(|error| {
        let _ = fs::remove_file(&temporary);
        DiskError::new(path, &error)
    })
}

/// Waits until a file or folder is on the disk.
///
/// # Errors
/// Which could not be brought there.
pub(super) fn sync(path: &Path) -> Result<(), DiskError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(|error| DiskError::new(path, &error))
}

/// Makes a folder with those above it.
///
/// # Errors
/// The folder that could not be made.
pub(super) fn make_folder(path: &Path) -> Result<(), DiskError> {
    fs::create_dir_all(path).map_err(|error| DiskError::new(path, &error))
}

/// Reads a file.
///
/// # Errors
/// The file that could not be read.
pub fn read(path: &Path) -> Result<Vec<u8>, DiskError> {
    fs::read(path).map_err(|error| DiskError::new(path, &error))
}
