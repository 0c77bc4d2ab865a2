//! Ownership of a run folder. A folder belongs to one run at a time and to one scene: the file that it was made from,
//! edited or not. Scenes are equal if their paths are, or their paths relative to the folder, so that a project may be
//! moved or mounted elsewhere. If the original scene file is gone, scenes of equal text are equal.

use super::failure::Failure;
use super::log::{Level, log};
use crate::scene::{self, Scene};
use crate::sequence::{ClaimError, Folder, Found, Lock, LockError, Run as Record, Status};
use std::path::{Component, Path, PathBuf};

/// A request to use a folder.
pub(super) struct Ownership<'a> {
    /// Run folder.
    pub folder: &'a Folder,
    /// Scene.
    pub scene: &'a Scene,
    /// Scene file.
    pub file: &'a Path,
    /// Whether a run of another scene may be set aside.
    pub force: bool,
}

impl Ownership<'_> {
    /// Returns the run in the folder, if its record is readable. A run that `resumes` may find one of another scene or
    /// with a damaged record. Writes nothing.
    ///
    /// # Errors
    /// The folder is in use, is not a run's, or belongs to another scene, or the record is damaged.
    pub(super) fn look(&self, resumes: bool) -> Result<Option<Record>, Failure> {
        if self.folder.path().is_file() {
            let path = self.folder.path().display();
            return Err(Failure::input(format!("{path}: is a file; a run needs a folder: give another with --out")));
        }
        if let Some(who) = Lock::held(self.folder.path()) {
            return Err(ClaimError::Held(self.folder.path().to_path_buf(), who).into());
        }
        self.look_again(resumes)
    }

    /// Returns the run in the folder as [`Ownership::look`] does, without testing the lock, which this process holds.
    ///
    /// # Errors
    /// Errors of [`Ownership::look`].
    pub(super) fn look_again(&self, resumes: bool) -> Result<Option<Record>, Failure> {
        match self.folder.find()? {
            Found::Nothing => Ok(None),
            Found::Foreign(path) => Err(ClaimError::Foreign(path).into()),
            Found::Run(record) => {
                if !resumes {
                    self.own(&record)?;
                }
                Ok(Some(*record))
            }
            Found::Damaged(why) if resumes => {
                log(Level::Warning, &format!("{why}; it is made again from the newest whole checkpoint"));
                Ok(None)
            }
            Found::Damaged(_) if self.force => Ok(None),
            Found::Damaged(why) => Err(Failure::input(format!(
                "{why}; --resume makes it again from the newest whole checkpoint, --force sets the run aside and begins a new one"
            ))),
        }
    }

    /// Checks that the run is one of this scene, or may be set aside.
    ///
    /// # Errors
    /// The run is one of another scene.
    pub(super) fn own(&self, record: &Record) -> Result<(), Failure> {
        if self.force || self.same(record) {
            return Ok(());
        }
        Err(Failure::input(format!(
            "{}: holds the run of another scene, {}; give another folder with --out, or --force to set that run aside",
            self.folder.path().display(),
            record.scene
        )))
    }

    fn same(&self, record: &Record) -> bool {
        let then = Path::new(&record.scene);
        let (now, folder) = (real(self.file), real(self.folder.path()));
        if real(then) == now {
            return true;
        }
        let place = |scene: &Path, folder: &Path| way(&clean(folder), &clean(scene));
        if !record.folder.is_empty() && place(then, Path::new(&record.folder)) == place(&now, &folder) {
            return true;
        }
        let text = || std::fs::read_to_string(self.folder.scene()).ok();
        !then.exists() && text().is_some_and(|text| !scene::changes(&text, &self.scene.text).iter().any(|c| counts(c)))
    }

    /// Takes the lock of the folder, which must exist.
    ///
    /// # Errors
    /// Another process holds it, or the disk refuses.
    pub(super) fn lock(&self) -> Result<Lock, Failure> {
        let lock = self.folder.lock().map_err(|error| match error {
            LockError::Held(who) => ClaimError::Held(self.folder.path().to_path_buf(), who).into(),
            LockError::Disk(error) => Failure::Disk(error),
        })?;
        if !lock.firm() {
            let path = self.folder.path().display();
            let reported = "the file system has no locks; nothing keeps a second run out of the folder";
            log(Level::Warning, &format!("{path}: {reported}"));
        }
        Ok(lock)
    }

    /// Takes the folder over for this run. Sets an earlier run aside and returns its new place. A resumed run of the
    /// same scene without a checkpoint is not set aside, since it ended before its first checkpoint and starts again.
    ///
    /// # Errors
    /// The folder belongs to another scene, or the disk refuses.
    pub(super) fn claim(&self, record: Option<&Record>, resumes: bool) -> Result<Option<PathBuf>, Failure> {
        if let Some(record) = record {
            self.own(record)?;
            let ended = record.status != Status::Finished && self.folder.checkpoints()?.is_empty();
            let text = std::fs::read_to_string(self.folder.scene()).unwrap_or_default();
            if resumes && ended && !scene::changes(&text, &self.scene.text).iter().any(|change| counts(change)) {
                self.folder.claim_again()?;
                return Ok(None);
            }
        }
        Ok(self.folder.claim()?)
    }
}

/// Returns whether a changed key affects the results. The number of frames does not.
pub(super) fn counts(change: &str) -> bool {
    !change.starts_with("time.frames:")
}

/// Returns the absolute path, with links resolved if it exists.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_path_buf())
}

/// Removes `.` and `..` from a path lexically.
pub(super) fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => (),
            Component::ParentDir if out.parent().is_some() => drop(out.pop()),
            other => out.push(other),
        }
    }
    out
}

/// Returns the relative path from a folder to a file.
fn way(from: &Path, to: &Path) -> PathBuf {
    let same = from.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(same).map(|_| Component::ParentDir);
    up.chain(to.components().skip(same)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_the_same_wherever_a_project_is() {
        let of = |from: &str, to: &str| way(&clean(Path::new(from)), &clean(Path::new(to))).display().to_string();
        assert_eq!(of("/a/out/x", "/a/scenes/x.toml"), "../../scenes/x.toml");
        assert_eq!(of("/mnt/b/out/x", "/mnt/b/other/../scenes/x.toml"), "../../scenes/x.toml");
        assert_eq!(of("/a", "/a/x.toml"), "x.toml");
    }
}
