//! Check during a run that the folder is still the one that it began in, and that the files written are there.

use super::disk::{DiskError, is_temporary};
use super::folder::Folder;
use super::lock::Lock;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Lock of a run folder and names of the run's files in it: scene, statistics, meshes, pictures, airflow, probes.
#[derive(Debug)]
pub struct Watch {
    folder: Folder,
    lock: Lock,
    known: BTreeSet<PathBuf>,
}

impl Watch {
    /// Watches a folder whose lock is held.
    pub fn new(folder: Folder, lock: Lock) -> Watch {
        Watch { folder, lock, known: BTreeSet::new() }
    }

    /// Records the files now in the folder as the run's.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn learn(&mut self) -> Result<(), DiskError> {
        let there = self.there()?;
        self.known.extend(there);
        Ok(())
    }

    /// Checks that the folder is the one in which the run began.
    ///
    /// # Errors
    /// The folder was removed or replaced, or its file system is gone.
    pub fn same(&self) -> Result<(), DiskError> {
        self.lock.check()
    }

    /// Checks that the folder is the one in which the run began, and that all files of the run are in it.
    ///
    /// # Errors
    /// The folder is another, or files are missing. The error names the first one.
    pub fn check(&self) -> Result<(), DiskError> {
        self.same()?;
        let there = self.there()?;
        let mut absent = self.known.difference(&there);
        let Some(first) = absent.next() else { return Ok(()) };
        let more = match absent.count() {
            0 => String::new(),
            count => format!(", and so are {count} more files"),
        };
        let reason = format!("is no longer there{more}; it was removed while the run went on, --resume makes it again");
        Err(DiskError { path: self.folder.path().join(first), reason })
    }

    /// Lists the files with names of the record, local to the folder.
    fn there(&self) -> Result<BTreeSet<PathBuf>, DiskError> {
        let root = self.folder.path();
        let mut all = BTreeSet::new();
        for path in [self.folder.scene(), self.folder.stats()] {
            if path.exists() {
                all.extend(path.strip_prefix(root).map(Path::to_path_buf));
            }
        }
        let meshes = root.join("meshes");
        let objects = listed(&meshes)?;
        for folder in objects.into_iter().chain([root.join("preview"), root.join("flow"), self.folder.probes()]) {
            let own =
                |path: &PathBuf| path.file_name().is_some_and(|name| Folder::records(&folder, &name.to_string_lossy()));
            let files = listed(&folder)?.into_iter().filter(own);
            all.extend(files.filter_map(|path| path.strip_prefix(root).map(Path::to_path_buf).ok()));
        }
        Ok(all)
    }
}

/// Lists the entries of a folder without temporary files. Returns an empty list if it is absent.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, DiskError> {
    let refused = |error: &std::io::Error| DiskError::new(folder, error);
    match std::fs::read_dir(folder) {
        Ok(all) => {
            let mut paths = Vec::new();
            for entry in all {
                let path = entry.map_err(|error| refused(&error))?.path();
                if !path.file_name().is_some_and(|name| is_temporary(&name.to_string_lossy())) {
                    paths.push(path);
                }
            }
            Ok(paths)
        }
        Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => Ok(Vec::new()),
        Err(error) => Err(refused(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_removed_is_named() {
        let root = std::env::temp_dir().join(format!("percale-watch-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let folder = Folder::new(&root.join("a"));
        folder.claim().unwrap();
        let mut watch = Watch::new(folder.clone(), folder.lock().unwrap());
        let file = |name: &str| folder.path().join(name);
        folder.make(&file("meshes/x")).unwrap();
        folder.make(&file("preview")).unwrap();
        let names = ["scene.toml", "stats.ndjson", "meshes/x/x.ply", "meshes/x/x.0002.ply", "preview/frame.0001.png"];
        for name in names.iter().chain(&["notes", "meshes/x/mine", "preview/mine.png"]) {
            fs::write(file(name), name).unwrap();
        }
        watch.learn().unwrap();
        watch.check().unwrap();
        // Files that are not the run's may be removed.
        for name in ["notes", "meshes/x/mine", "preview/mine.png"] {
            fs::remove_file(file(name)).unwrap();
            watch.check().unwrap();
        }
        for name in names {
            fs::rename(file(name), file("away")).unwrap();
            watch.learn().unwrap();
            let reported = watch.check().unwrap_err();
            assert!(
                reported.path == file(name) && reported.reason.starts_with("is no longer there; it was removed"),
                "{reported}"
            );
            fs::rename(file("away"), file(name)).unwrap();
        }
        watch.check().unwrap();
        fs::rename(file("meshes"), file("away")).unwrap();
        assert!(watch.check().unwrap_err().reason.contains("and so are 1 more files"));
        fs::rename(file("away"), file("meshes")).unwrap();
        fs::rename(folder.path(), root.join("away")).unwrap();
        assert!(watch.check().unwrap_err().to_string().contains("no longer the one that the run began in"));
        fs::remove_dir_all(root).unwrap();
    }
}
