//! The run folder's names, taking it over, filling it, reading it.

use super::disk::{DiskError, TEMPORARY, make_folder, read, write};
use super::manifest::{Entry, Run};
use super::shape::{Shape, Snapshot};
use super::stats::FrameStats;
use crate::mesh::{self, obj, ply};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Endings of recorded meshes.
const MESHES: [&str; 2] = ["ply", "obj"];
/// Endings of pictures.
const PICTURES: [&str; 2] = ["png", "exr"];

/// A run folder.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// Why a folder cannot become a run's.
#[derive(Debug)]
pub enum TakeError {
    /// It holds a file with a name of the record, but is no run folder.
    Foreign(PathBuf),
    /// The disk refused.
    Disk(DiskError),
}

impl From<DiskError> for TakeError {
    fn from(error: DiskError) -> TakeError {
        TakeError::Disk(error)
    }
}

impl Folder {
    /// A folder that need not exist.
    pub fn new(path: &Path) -> Folder {
        Folder { path: path.to_path_buf() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The scene as run.
    pub fn scene(&self) -> PathBuf {
        self.path.join("scene.toml")
    }

    /// A picture.
    pub fn picture(&self, frame: u32, ending: &str) -> PathBuf {
        self.path.join(format!("preview/frame.{frame:04}.{ending}"))
    }

    /// The contact sheet.
    pub fn sheet(&self) -> PathBuf {
        self.path.join("preview/sheet.png")
    }

    /// Triangles that cross, of a start or a frame that is refused.
    pub fn crossing(&self) -> PathBuf {
        self.path.join("crossing.ply")
    }

    fn manifest(&self) -> PathBuf {
        self.path.join("run.json")
    }

    fn stats(&self) -> PathBuf {
        self.path.join("stats.ndjson")
    }

    /// Makes the folder and removes what an earlier run left in it: files with names of the record, nothing else. What crossed
    /// at a start that was refused may lie there without a record.
    ///
    /// # Errors
    /// The folder is not a run's but holds a file by one of the record's names; or the disk refuses.
    pub fn take(&self) -> Result<(), TakeError> {
        let names = [self.scene(), self.manifest(), self.stats(), self.path.join("meshes"), self.path.join("preview")];
        match fs::read(self.manifest()) {
            Ok(bytes) if Run::parse(&bytes).is_ok() => (),
            _ => {
                if let Some(foreign) = names.into_iter().find(|name| name.symlink_metadata().is_ok()) {
                    return Err(TakeError::Foreign(foreign));
                }
            }
        }
        make_folder(&self.path)?;
        self.clear_pictures()?;
        let meshes = self.path.join("meshes");
        for object in entries(&meshes)? {
            if !object.is_dir() {
                continue;
            }
            let name = object.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            remove_files(&object, |file| {
                is_numbered(file, &name, &MESHES)
                    || MESHES.iter().any(|e| *file == format!("{name}.{e}"))
                    || *file == format!("{name}.chart.obj")
            })?;
            let _ = fs::remove_dir(&object);
        }
        let _ = fs::remove_dir(&meshes);
        for file in [self.stats(), self.scene(), self.crossing()] {
            remove(&file)?;
        }
        Ok(())
    }

    fn clear_pictures(&self) -> Result<(), DiskError> {
        let preview = self.path.join("preview");
        remove_files(&preview, |file| is_numbered(file, "frame", &PICTURES) || file == "sheet.png")?;
        let _ = fs::remove_dir(&preview);
        Ok(())
    }

    /// Writes `run.json`.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_run(&self, run: &Run) -> Result<(), DiskError> {
        write(&self.manifest(), run.json().as_bytes())
    }

    /// Writes the triangles that cross, also where there is no record yet; gives the path.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_crossing(&self, bytes: &[u8]) -> Result<PathBuf, DiskError> {
        let path = self.crossing();
        make_folder(&self.path)?;
        write(&path, bytes)?;
        Ok(path)
    }

    /// It holds `run.json`.
    pub fn is_run(&self) -> bool {
        self.manifest().is_file()
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// It is not there or no record of a run.
    pub fn read_run(&self) -> Result<Run, DiskError> {
        let path = self.manifest();
        Run::parse(&read(&path)?).map_err(|reason| DiskError { path, reason })
    }

    /// Adds a line to the statistics.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn add_stats(&self, stats: &FrameStats) -> Result<(), DiskError> {
        let path = self.stats();
        let add = || {
            let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
            file.write_all(format!("{}\n", stats.line()).as_bytes())
        };
        add().map_err(|error| DiskError::new(&path, &error))
    }

    /// Reads the statistics, as far as they are there.
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
        make_folder(&self.path.join("preview"))?;
        write(path, bytes)
    }

    /// Writes an object's chart beside its meshes, where PLY cannot say it; gives the name in the record.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_chart(&self, shape: &Shape, at: &Snapshot) -> Result<String, DiskError> {
        let name = &shape.name;
        let local = format!("meshes/{name}/{name}.chart.obj");
        make_folder(&self.path.join("meshes").join(name))?;
        write(&self.path.join(&local), &shape.obj(at))?;
        Ok(local)
    }

    /// Writes an object's mesh of a frame to the files of its entry.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write_mesh(&self, entry: &Entry, shape: &Shape, at: &Snapshot, frame: u32) -> Result<(), DiskError> {
        let Some(files) = &entry.files else { return Ok(()) };
        let path = self.path.join(numbered(files, frame));
        let bytes = if files.ends_with(".obj") {
            shape.obj(at)
        } else {
            shape.ply(at).map_err(|error| DiskError { path: path.clone(), reason: error.to_string() })?
        };
        make_folder(&self.path.join("meshes").join(&shape.name))?;
        write(&path, &bytes)
    }

    /// The file of an object's mesh at a frame; `None` where none is written.
    pub fn mesh(&self, entry: &Entry, frame: u32) -> Option<PathBuf> {
        entry.files.as_ref().map(|files| self.path.join(numbered(files, frame)))
    }

    /// Reads an object's mesh of a frame; `None` where none was written.
    ///
    /// # Errors
    /// The file is missing or not what was written.
    pub fn read_mesh(&self, entry: &Entry, frame: u32) -> Result<Option<(Shape, Snapshot)>, DiskError> {
        let Some(files) = &entry.files else { return Ok(None) };
        let path = self.path.join(numbered(files, frame));
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

/// A pattern with the frame in place of `####`.
fn numbered(files: &str, frame: u32) -> String {
    files.replace("####", &format!("{frame:04}"))
}

/// `stem.0001.ending`, or its temporary name.
fn is_numbered(file: &str, stem: &str, endings: &[&str]) -> bool {
    let Some(rest) = file.strip_prefix(stem).and_then(|r| r.strip_prefix('.')) else { return false };
    let Some((digits, ending)) = rest.split_once('.') else { return false };
    digits.len() >= 4 && digits.bytes().all(|b| b.is_ascii_digit()) && endings.contains(&ending)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, DiskError> {
    match fs::read_dir(folder) {
        Ok(all) => Ok(all.filter_map(|e| e.ok().map(|e| e.path())).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(DiskError::new(folder, &error)),
    }
}

fn remove(file: &Path) -> Result<(), DiskError> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(DiskError::new(file, &error)),
        _ => Ok(()),
    }
}

/// Removes the files of a folder whose name, without the ending of temporary ones, is `ours`.
fn remove_files(folder: &Path, ours: impl Fn(&str) -> bool) -> Result<(), DiskError> {
    for file in entries(folder)? {
        let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        if ours(name.strip_suffix(TEMPORARY).unwrap_or(&name)) && !file.is_dir() {
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
        assert!(is_numbered("frame.0001.png", "frame", &PICTURES));
        assert!(is_numbered("frame.12345.exr", "frame", &PICTURES));
        for other in ["frame.001.png", "frame.0001.jpg", "frame.0001.png.bak", "my.0001.png", "frame.00a1.png", "frame"]
        {
            assert!(!is_numbered(other, "frame", &PICTURES), "{other}");
        }
        assert_eq!(numbered("meshes/a/a.####.ply", 12), "meshes/a/a.0012.ply");
        assert_eq!(numbered("meshes/a/a.ply", 12), "meshes/a/a.ply");
    }
}
