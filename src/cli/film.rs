//! Films of runs for the viewer: frames of the run folder, and their header.

mod embed;
mod header;

pub(super) use embed::{Film, film};
pub(super) use header::{Field, Values, header};

use super::failure::Failure;
use super::inspect::run_of;
use super::picture::{Stand, stand};
use crate::scene::{self, Scene};
use crate::sequence::{DiskError, Entry, Folder, Run as Record, Shape, Snapshot, read};
use std::path::PathBuf;

/// Objects of a frame, in the order of [`Source::entries`]; `None` for those that are not there.
pub(super) type Objects = Vec<Option<(Shape, Snapshot)>>;

/// A run folder from which frames are taken. Nothing outside of it is read, whatever its record names.
pub(super) struct Source {
    /// Folder.
    pub folder: Folder,
    /// Record.
    pub record: Record,
    /// Scene as run.
    pub scene: Scene,
    /// Folder, without links.
    real: PathBuf,
}

impl Source {
    /// Opens a run folder.
    ///
    /// # Errors
    /// The folder is none of a run, or its scene cannot be read.
    pub(super) fn open(folder: &Folder) -> Result<Source, Failure> {
        let record = run_of(folder)?;
        let scene = scene::read_recorded(&folder.scene(), &read(&folder.scene())?, &[])?;
        let path = folder.path();
        let real = path.canonicalize().map_err(|error| DiskError::new(path, &error))?;
        Ok(Source { folder: folder.clone(), record, scene, real })
    }

    /// Lists the objects whose meshes are written.
    pub(super) fn entries(&self) -> Vec<&Entry> {
        self.record.objects.iter().filter(|entry| entry.files.is_some()).collect()
    }

    /// Reads an object at a frame.
    ///
    /// # Errors
    /// The file is missing, is not as it was written, or lies outside of the run folder.
    pub(super) fn object(&self, entry: &Entry, frame: u32) -> Result<Option<(Shape, Snapshot)>, DiskError> {
        let Some(files) = entry.files.as_ref().filter(|_| entry.there(frame)) else { return Ok(None) };
        let chart = entry.chart.as_ref().map(|chart| self.folder.path().join(chart));
        for path in [self.folder.mesh(files, frame)].into_iter().chain(chart) {
            let real = path.canonicalize().map_err(|error| DiskError::new(&path, &error))?;
            if !real.starts_with(&self.real) {
                let reason = "lies outside of the run folder, from which alone frames are read".to_string();
                return Err(DiskError { path, reason });
            }
        }
        self.folder.read_mesh(entry, frame)
    }

    /// Reads all objects at a frame.
    ///
    /// # Errors
    /// As [`Source::object`].
    pub(super) fn objects(&self, frame: u32) -> Result<Objects, DiskError> {
        self.entries().into_iter().map(|entry| self.object(entry, frame)).collect()
    }

    /// Width over height of the pictures.
    fn aspect(&self) -> f64 {
        f64::from(self.scene.preview.width) / f64::from(self.scene.preview.height.max(1))
    }

    /// Returns camera and ground of a frame. Objects that are not in it are taken from `still`.
    pub(super) fn stand(&self, objects: &Objects, still: &Objects) -> Stand {
        let all = self.entries().into_iter().zip(objects.iter().zip(still));
        let there = all.filter_map(|(entry, (at, still))| at.as_ref().or(still.as_ref().filter(|_| is_still(entry))));
        let there: Vec<(&Shape, &Snapshot)> = there.map(|(shape, at)| (shape, at)).collect();
        stand(&self.scene, &there, &self.record, self.aspect())
    }
}

/// Returns whether an object has a single file, since it never moves.
pub(super) fn is_still(entry: &Entry) -> bool {
    entry.files.as_ref().is_some_and(|files| !files.contains("####"))
}
