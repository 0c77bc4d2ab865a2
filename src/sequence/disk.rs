//! Atomic file writing: a file is complete or absent.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file or folder that could not be read or written.
#[derive(Debug)]
pub struct DiskError {
    /// Path of the file or folder.
    pub path: PathBuf,
    /// Reason.
    pub reason: String,
}

impl DiskError {
    /// Converts an error of the operating system.
    pub fn new(path: &Path, error: &io::Error) -> DiskError {
        let reason = match error.kind() {
            io::ErrorKind::StorageFull => "the disk is full".to_string(),
            io::ErrorKind::QuotaExceeded => "the disk quota is used up".to_string(),
            _ => error.to_string(),
        };
        DiskError { path: path.to_path_buf(), reason }
    }
}

impl std::error::Error for DiskError {}

impl fmt::Display for DiskError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

/// Ending of temporary names. The process id and a counter precede it.
const TEMPORARY: &str = ".percale-part";

/// Returns the final name that belongs to a temporary one. Other names are returned unchanged.
pub(super) fn lasting(name: &str) -> &str {
    let Some(stem) = name.strip_suffix(TEMPORARY) else { return name };
    match stem.rsplit_once(".w") {
        Some((stem, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'-') => stem,
        _ => stem,
    }
}

/// Returns whether a name is temporary.
pub(super) fn is_temporary(name: &str) -> bool {
    name.ends_with(TEMPORARY)
}

/// Most names tried for a temporary file.
const NAMES: u32 = 1000;

/// Creates a temporary file beside `path`, by a name that no other process uses. A run and a command that draws it
/// again may write the same file at once. Existing files are not opened, so that no link is followed.
fn temporary(path: &Path) -> io::Result<(File, PathBuf)> {
    let process = std::process::id();
    for k in 0..NAMES {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".w{process}-{k}{TEMPORARY}"));
        let temporary = path.with_file_name(name);
        match File::create_new(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => (),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("all names ending in {TEMPORARY} beside it are taken")))
}

/// A file that is being written. Until it is published it has a temporary name in the same folder. Dropping it
/// unpublished removes it.
#[derive(Debug)]
pub(super) struct Draft {
    file: BufWriter<File>,
    path: PathBuf,
    temporary: PathBuf,
    /// Bytes written so far.
    length: u64,
}

impl Draft {
    /// Starts a file.
    ///
    /// # Errors
    /// The file could not be created.
    pub(super) fn new(path: &Path) -> Result<Draft, DiskError> {
        let (file, temporary) = temporary(path).map_err(|error| DiskError::new(path, &error))?;
        Ok(Draft { file: BufWriter::with_capacity(1 << 16, file), path: path.to_path_buf(), temporary, length: 0 })
    }

    /// Returns the final path.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the number of bytes so far, which is the offset of the next ones.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn put(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        self.length += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| DiskError::new(&self.path, &error))
    }

    /// Overwrites bytes at an offset.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn patch(&mut self, at: u64, bytes: &[u8]) -> Result<(), DiskError> {
        let put = |file: &mut BufWriter<File>| {
            file.seek(SeekFrom::Start(at))?;
            file.write_all(bytes)?;
            file.seek(SeekFrom::End(0))
        };
        put(&mut self.file).map(|_| ()).map_err(|error| DiskError::new(&self.path, &error))
    }

    /// Syncs the file and renames it over an existing one.
    ///
    /// # Errors
    /// The disk refuses. No file is left behind.
    pub(super) fn publish(mut self) -> Result<(), DiskError> {
        let done = self.file.flush().and_then(|()| self.file.get_ref().sync_all());
        done.and_then(|()| fs::rename(&self.temporary, &self.path)).map_err(|error| DiskError::new(&self.path, &error))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After publishing there is no file of this name.
        let _ = fs::remove_file(&self.temporary);
    }
}

/// Writes a file atomically: under a temporary name in the same folder, synced, then renamed over an existing one.
///
/// # Errors
/// The file could not be written. No part of it is left.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let mut draft = Draft::new(path)?;
    draft.put(bytes)?;
    draft.publish()
}

/// Waits until a file or folder is on the disk (`fsync`).
///
/// # Errors
/// The file or folder could not be synced.
pub(super) fn sync(path: &Path) -> Result<(), DiskError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(|error| DiskError::new(path, &error))
}

/// Creates a folder and its parents.
///
/// # Errors
/// The folder could not be created.
pub fn make_folder(path: &Path) -> Result<(), DiskError> {
    fs::create_dir_all(path).map_err(|error| DiskError::new(path, &error))
}

/// Reads a file.
///
/// # Errors
/// The file could not be read.
pub fn read(path: &Path) -> Result<Vec<u8>, DiskError> {
    fs::read(path).map_err(|error| DiskError::new(path, &error))
}
