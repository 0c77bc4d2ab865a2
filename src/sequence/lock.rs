//! Lock that admits one run at a time to a run folder.
//!
//! A run holds a system lock on the file `run.lock` in its folder, which names the holder. A run removes the file when
//! it ends. The system releases a lock when its process ends in any way, so a file left by a killed run excludes
//! nobody.
//!
//! On Unix the lock is `flock`. On NFS, Linux requests it from the server. So it holds between machines, unless the
//! folder is mounted with `nolock` or `local_lock`. A server releases the locks of a lost machine after its lease,
//! about 90 seconds. Where a file system has no locks, the run continues without one and reports it.

use super::disk::DiskError;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// Name of the lock's file in a run folder.
pub const LOCK: &str = "run.lock";
/// Most attempts to take a lock. A command that only checks for a run holds it for a moment.
const TRIES: usize = 8;
/// Pause between attempts.
const PAUSE: Duration = Duration::from_millis(25);

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    firm: bool,
}

/// Reason why a lock was not taken.
#[derive(Debug)]
pub enum LockError {
    /// Another process holds it: its name, as far as known.
    Held(String),
    /// The disk refuses.
    Disk(DiskError),
}

impl Lock {
    /// Takes the lock of an existing folder.
    ///
    /// # Errors
    /// Another process holds it, or the disk refuses.
    pub fn acquire(folder: &Path) -> Result<Lock, LockError> {
        let path = folder.join(LOCK);
        let refused = |error: &std::io::Error| LockError::Disk(DiskError::new(&path, error));
        for tried in 1..=TRIES {
            if path.symlink_metadata().is_ok_and(|data| !data.is_file()) {
                let reason = "is no file but a link or folder; take it away".to_string();
                return Err(LockError::Disk(DiskError { path, reason }));
            }
            let open = File::options().read(true).write(true).create(true).truncate(false).open(&path);
            let file = open.map_err(|error| refused(&error))?;
            let firm = match file.try_lock() {
                Ok(()) => true,
                Err(TryLockError::Error(_)) => false,
                Err(TryLockError::WouldBlock) if tried < TRIES => {
                    thread::sleep(PAUSE);
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Err(LockError::Held(holder(&path))),
            };
            // The previous holder may have removed its file meanwhile, or the folder may have been replaced.
            if !same(&file, &path).map_err(|error| refused(&error))? {
                continue;
            }
            let mut lock = Lock { file, path, firm };
            lock.sign();
            return Ok(lock);
        }
        Err(LockError::Held(holder(&path)))
    }

    /// Returns the process that runs in a folder; `None` if there is none, or it cannot be determined.
    pub fn held(folder: &Path) -> Option<String> {
        let path = folder.join(LOCK);
        let file = File::options().read(true).open(&path).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(holder(&path)),
            _ => None,
        }
    }

    /// Returns whether the file system has locks. If so, no other run can enter the folder.
    pub fn firm(&self) -> bool {
        self.firm
    }

    /// Checks that the folder is the one in which the lock was taken.
    ///
    /// # Errors
    /// The folder was removed or replaced, or its file system is gone.
    pub fn check(&self) -> Result<(), DiskError> {
        let folder = self.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let gone = match same(&self.file, &self.path) {
            Ok(true) => return Ok(()),
            Ok(false) => "",
            Err(error) => &format!(": {error}"),
        };
        let reason = format!(
            "the run folder is no longer the one that the run began in{gone}; it was moved or removed, {LOCK} in it was removed, or what it lies on was unmounted"
        );
        Err(DiskError { path: folder, reason })
    }

    /// Writes the holder into the file, for messages of other processes.
    fn sign(&mut self) {
        let text = format!("process {} on {}\n", std::process::id(), machine());
        let _ = self.file.set_len(0).and_then(|()| self.file.write_all(text.as_bytes()));
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed while the lock is held. A waiting process then sees that the file is another.
        if same(&self.file, &self.path).unwrap_or(false) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns the holder named in the lock's file.
fn holder(path: &Path) -> String {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(200).read_to_string(&mut text));
    let line = text.lines().next().unwrap_or_default();
    if read.is_ok() && !line.is_empty() { line.to_string() } else { "another process".to_string() }
}

/// Returns the name of this machine.
fn machine() -> String {
    let kernel = fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| fs::read_to_string("/etc/hostname"));
    let named = || ["HOSTNAME", "COMPUTERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    let name = kernel.ok().or_else(named).map(|name| name.trim().to_string());
    name.filter(|name| !name.is_empty()).unwrap_or("this machine".to_string())
}

/// Returns whether an open file is the one at this path.
#[cfg(unix)]
fn same(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let own = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(there) => Ok((own.dev(), own.ino()) == (there.dev(), there.ino())),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Returns whether a file exists at this path. On other systems an open file cannot be removed.
#[cfg(not(unix))]
fn same(_: &File, path: &Path) -> std::io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(there) => Ok(there.is_file()),
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_and_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("percale-lock-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(Lock::held(&folder), None);
        // A file left by a killed run excludes nobody.
        fs::write(folder.join(LOCK), "process 1 on nowhere\n").unwrap();
        assert_eq!(Lock::held(&folder), None);
        let lock = Lock::acquire(&folder).unwrap();
        let own = format!("process {} on ", std::process::id());
        let Err(LockError::Held(who)) = Lock::acquire(&folder) else { panic!() };
        assert!(lock.firm() && who.starts_with(&own) && Lock::held(&folder) == Some(who));
        lock.check().unwrap();
        // Another folder replaces the moved one, as after an unmount.
        let away = folder.with_extension("away");
        fs::rename(&folder, &away).unwrap();
        assert!(lock.check().unwrap_err().to_string().contains("unmounted"));
        fs::create_dir_all(&folder).unwrap();
        assert!(lock.check().is_err());
        let other = Lock::acquire(&folder).unwrap();
        drop(lock);
        other.check().unwrap();
        drop(other);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        fs::create_dir(folder.join(LOCK)).unwrap();
        assert!(matches!(Lock::acquire(&folder), Err(LockError::Disk(_))));
        fs::remove_dir_all(&folder).unwrap();
        fs::remove_dir_all(&away).unwrap();
    }
}
