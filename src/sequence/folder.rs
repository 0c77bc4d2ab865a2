//! The run folder: names of its files, writing and reading them. Symbolic links inside it are not followed when a file
//! is written or removed.

use super::checkpoint::Checkpoint;
use super::disk::{DiskError, lasting, make_folder, read, sync, write};
use super::lock::{Lock, LockError};
use super::manifest::{Entry, Run};
use super::shape::{Shape, Snapshot};
use super::stats::FrameStats;
use crate::mesh::{self, obj, ply};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// File extensions of recorded meshes.
pub(super) const MESHES: [&str; 2] = ["ply", "obj"];
/// File extensions of pictures.
pub(super) const PICTURES: [&str; 2] = ["png", "exr"];

/// File extension of checkpoints.
const CHECKPOINT: &str = "ckpt";

/// A run folder.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// A stored checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stored {
    /// Number of the last frame written.
    pub frame: u32,
    /// Number of steps taken, for a checkpoint between two frames. It sorts after the checkpoint at the frame.
    pub step: Option<u64>,
    /// Path of the file.
    pub path: PathBuf,
}

impl Folder {
    /// Names a folder, which need not exist.
    pub fn new(path: &Path) -> Folder {
        Folder { path: path.to_path_buf() }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the scene as run.
    pub fn scene(&self) -> PathBuf {
        self.path.join("scene.toml")
    }

    /// Returns the path of a picture.
    pub fn picture(&self, frame: u32, ending: &str) -> PathBuf {
        self.path.join(format!("preview/frame.{frame:04}.{ending}"))
    }

    /// Returns the path of the contact sheet.
    pub fn sheet(&self) -> PathBuf {
        self.path.join("preview/sheet.png")
    }

    /// Returns the path of the crossing triangles of a refused start or frame.
    pub fn crossing(&self) -> PathBuf {
        self.path.join("crossing.ply")
    }

    /// Returns the path of the report.
    pub fn report(&self) -> PathBuf {
        self.path.join("report.html")
    }

    pub(super) fn checkpoint_folder(&self) -> PathBuf {
        self.path.join("checkpoints")
    }

    pub(super) fn manifest(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// Returns the path of the statistics.
    pub fn stats(&self) -> PathBuf {
        self.path.join("stats.ndjson")
    }

    /// Returns the path of the log.
    pub fn log(&self) -> PathBuf {
        self.path.join("run.log")
    }

    /// Opens the log to append lines to it.
    ///
    /// # Errors
    /// The disk refuses, or a symbolic link is in its place.
    pub fn open_log(&self) -> Result<File, DiskError> {
        let path = self.log();
        if path.is_symlink() {
            return Err(linked(&path));
        }
        let open = OpenOptions::new().create(true).append(true).open(&path);
        open.map_err(|error| DiskError::new(&path, &error))
    }

    /// Lists the stored checkpoints, the oldest first. Their contents are not checked.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<Stored>, DiskError> {
        let found = entries(&self.checkpoint_folder())?.into_iter().filter_map(|path| {
            let (frame, step) = stored(&path.file_name()?.to_string_lossy())?;
            Some(Stored { frame, step, path })
        });
        let mut all: Vec<Stored> = found.collect();
        all.sort();
        Ok(all)
    }

    /// Writes a checkpoint, after syncing the files that it depends on. Removes older checkpoints between frames, and
    /// all but the newest `most`, unless that is 0.
    ///
    /// # Errors
    /// The disk refuses. The older checkpoints are all kept then.
    pub fn write_checkpoint(&self, checkpoint: &Checkpoint, most: u32) -> Result<PathBuf, DiskError> {
        let folder = self.checkpoint_folder();
        self.make(&folder)?;
        // During a preroll there are no statistics yet.
        if self.stats().exists() {
            sync(&self.stats())?;
        }
        self.sync_probes()?;
        let between = checkpoint.partial.as_ref().map_or(String::new(), |_| format!(".{}", checkpoint.state.step));
        let path = folder.join(format!("frame.{:04}{between}.{CHECKPOINT}", checkpoint.frame));
        write(&path, &checkpoint.bytes())?;
        if cfg!(unix) {
            sync(&folder)?;
        }
        for old in self.checkpoints()?.iter().filter(|old| old.step.is_some() && old.path != path) {
            remove(&old.path)?;
        }
        let all = if most > 0 { self.checkpoints()? } else { Vec::new() };
        let surplus = all.len().saturating_sub(most as usize);
        for old in all.iter().take(surplus).filter(|old| old.path != path) {
            remove(&old.path)?;
        }
        Ok(path)
    }

    /// Creates a folder inside the run folder, which must exist.
    ///
    /// # Errors
    /// The disk refuses, or a symbolic link is in the way.
    pub fn make(&self, folder: &Path) -> Result<(), DiskError> {
        let local = folder.strip_prefix(&self.path).unwrap_or(Path::new(""));
        let mut at = self.path.clone();
        for part in local {
            at.push(part);
            match at.symlink_metadata() {
                Ok(data) if data.is_dir() => (),
                Ok(data) if data.is_symlink() => return Err(linked(&at)),
                _ => match fs::create_dir(&at) {
                    // Another process may have created it meanwhile.
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists && at.is_dir() && !at.is_symlink() => (),
                    made => made.map_err(|error| DiskError::new(&at, &error))?,
                },
            }
        }
        Ok(())
    }

    /// Takes the lock of the folder, which must exist.
    ///
    /// # Errors
    /// Another process holds it, or the disk refuses.
    pub fn lock(&self) -> Result<Lock, LockError> {
        Lock::acquire(&self.path)
    }

    /// Writes `run.json`.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_run(&self, run: &Run) -> Result<(), DiskError> {
        write(&self.manifest(), run.json().as_bytes())
    }

    /// Writes the crossing triangles, also before there is a record. Returns the path.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_crossing(&self, bytes: &[u8]) -> Result<PathBuf, DiskError> {
        let path = self.crossing();
        make_folder(&self.path)?;
        write(&path, bytes)?;
        Ok(path)
    }

    /// Returns whether the folder holds `run.json`.
    pub fn is_run(&self) -> bool {
        self.manifest().is_file()
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// The file is absent or no record of a run.
    pub fn read_run(&self) -> Result<Run, DiskError> {
        let path = self.manifest();
        Run::parse(&read(&path)?).map_err(|reason| DiskError { path, reason })
    }

    /// Appends a line to the statistics.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn add_stats(&self, stats: &FrameStats) -> Result<(), DiskError> {
        let path = self.stats();
        if path.is_symlink() {
            return Err(linked(&path));
        }
        let add = || {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.write_all(format!("{}\n", stats.line()).as_bytes())
        };
        add().map_err(|error| DiskError::new(&path, &error))
    }

    /// Reads the statistics. Lines that cannot be parsed are skipped.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_stats(&self) -> Result<Vec<FrameStats>, DiskError> {
        let text = read(&self.stats())?;
        Ok(String::from_utf8_lossy(&text).lines().filter_map(FrameStats::parse).collect())
    }

    /// Writes a picture or contact sheet.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_picture(&self, path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
        self.make(&self.path.join("preview"))?;
        write(path, bytes)
    }

    /// Writes an object's chart beside its meshes, for charts with seams, which PLY cannot store. Returns its local
    /// path.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_chart(&self, shape: &Shape, at: &Snapshot) -> Result<String, DiskError> {
        let name = &shape.name;
        let local = format!("meshes/{name}/{name}.chart.obj");
        self.make(&self.path.join("meshes").join(name))?;
        write(&self.path.join(&local), &shape.obj(at))?;
        Ok(local)
    }

    /// Returns the path of an entry's mesh file.
    pub fn mesh(&self, files: &str, frame: u32) -> PathBuf {
        self.path.join(numbered(files, frame))
    }

    /// Writes an object's mesh of a frame to the files of its entry.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_mesh(&self, entry: &Entry, shape: &Shape, at: &Snapshot, frame: u32) -> Result<(), DiskError> {
        let Some(files) = &entry.files else { return Ok(()) };
        let path = self.mesh(files, frame);
        let bytes = if files.ends_with(".obj") {
            shape.obj(at)
        } else {
            shape.ply(at).map_err(|error| DiskError { path: path.clone(), reason: error.to_string() })?
        };
        self.make(&self.path.join("meshes").join(&shape.name))?;
        write(&path, &bytes)
    }

    /// Reads an object's mesh of a frame. Returns `None` if no meshes were written or the object is absent.
    ///
    /// # Errors
    /// The file is missing or not as it was written.
    pub fn read_mesh(&self, entry: &Entry, frame: u32) -> Result<Option<(Shape, Snapshot)>, DiskError> {
        let Some(files) = entry.files.as_ref().filter(|_| entry.there(frame)) else { return Ok(None) };
        let path = self.mesh(files, frame);
        let bytes = read(&path)?;
        let wrong = |error: mesh::MeshError| DiskError { path: path.clone(), reason: error.to_string() };
        let (mesh, velocities) = if files.ends_with(".obj") {
            (obj::read(&bytes).map_err(wrong)?, None)
        } else {
            let file = ply::read(&bytes).map_err(wrong)?;
            (file.mesh, file.velocities)
        };
        let found = (mesh.positions.len(), mesh.triangles.len());
        if found != (entry.vertices, entry.triangles) {
            let (v, t) = found;
            let reason =
                format!("{v} vertices and {t} triangles, the record says {} and {}", entry.vertices, entry.triangles);
            return Err(DiskError { path, reason });
        }
        let fields = mesh.channels.iter().map(|(name, values)| (name.clone(), values.clone())).collect();
        let at = Snapshot { positions: mesh.positions.clone(), velocities, fields };
        let mut shape = Shape::of_mesh(&entry.name, entry.kind, mesh);
        if let Some(chart) = &entry.chart {
            let path = self.path.join(chart);
            let chart = obj::read(&read(&path)?)
                .map_err(|error| DiskError { path: path.clone(), reason: error.to_string() })?;
            let with_chart = Shape::of_mesh(&entry.name, entry.kind, chart);
            if with_chart.triangles != shape.triangles {
                return Err(DiskError { path, reason: "other triangles than the object's meshes".to_string() });
            }
            shape = with_chart;
        }
        Ok(Some((shape, at)))
    }
}

/// Error of a symbolic link where a run writes.
pub(super) fn linked(path: &Path) -> DiskError {
    let reason = "is a symbolic link, which a run does not follow inside its folder; put what it names there, or give another folder with --out".to_string();
    DiskError { path: path.to_path_buf(), reason }
}

/// Replaces `####` in a pattern by the frame number.
fn numbered(files: &str, frame: u32) -> String {
    files.replace("####", &format!("{frame:04}"))
}

/// Parses the number in `stem.0001.ending`.
pub(super) fn number(file: &str, stem: &str, endings: &[&str]) -> Option<u32> {
    let (digits, ending) = file.strip_prefix(stem)?.strip_prefix('.')?.split_once('.')?;
    let numbered = digits.len() >= 4 && digits.bytes().all(|b| b.is_ascii_digit()) && endings.contains(&ending);
    if numbered { digits.parse().ok() } else { None }
}

/// Parses frame and step of a checkpoint's name, `frame.0001.ckpt` or `frame.0001.123.ckpt`.
pub(super) fn stored(file: &str) -> Option<(u32, Option<u64>)> {
    let stem = file.strip_suffix(CHECKPOINT)?.strip_suffix('.')?;
    match stem.strip_prefix("frame.")?.split_once('.') {
        None => Some((number(file, "frame", &[CHECKPOINT])?, None)),
        Some((frame, step)) => {
            let whole = format!("frame.{frame}.{CHECKPOINT}");
            Some((number(&whole, "frame", &[CHECKPOINT])?, Some(step.parse().ok()?)))
        }
    }
}

/// Lists the entries of a folder. Returns an empty list if it is absent or a symbolic link.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, DiskError> {
    if folder.is_symlink() {
        return Ok(Vec::new());
    }
    match fs::read_dir(folder) {
        Ok(all) => Ok(all.filter_map(|e| e.ok().map(|e| e.path())).collect()),
        Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => Ok(Vec::new()),
        Err(error) => Err(DiskError::new(folder, &error)),
    }
}

/// Removes a file or a link, not the target of the link.
pub(super) fn remove(file: &Path) -> Result<(), DiskError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(DiskError::new(file, &error)),
        _ => Ok(()),
    }
}

/// Returns the last component of a path.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Removes the files of a folder whose name is `ours`, temporary suffixes ignored.
pub(super) fn remove_files(folder: &Path, ours: impl Fn(&str) -> bool) -> Result<(), DiskError> {
    for file in entries(folder)? {
        let folder = file.symlink_metadata().is_ok_and(|data| data.is_dir());
        if ours(lasting(&name_of(&file))) && !folder {
            remove(&file)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_the_record_are_ours() {
        assert_eq!(number("frame.0001.png", "frame", &PICTURES), Some(1));
        assert_eq!(number("frame.12345.exr", "frame", &PICTURES), Some(12345));
        for other in ["frame.001.png", "frame.0001.jpg", "frame.0001.png.bak", "my.0001.png", "frame.00a1.png", "frame"]
        {
            assert_eq!(number(other, "frame", &PICTURES), None, "{other}");
        }
        assert_eq!(stored("frame.0010.ckpt"), Some((10, None)));
        assert_eq!(stored("frame.0010.123.ckpt"), Some((10, Some(123))));
        for other in
            ["frame.10.ckpt", "frame.0010.ckpt.percale-part", "frame.0010.x.ckpt", "my.0010.ckpt", "frame.ckpt"]
        {
            assert_eq!(stored(other), None, "{other}");
        }
        assert_eq!(numbered("meshes/a/a.####.ply", 12), "meshes/a/a.0012.ply");
        assert_eq!(numbered("meshes/a/a.ply", 12), "meshes/a/a.ply");
    }
}
