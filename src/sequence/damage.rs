//! Missing and damaged files of a run.

use super::checkpoint::Checkpoint;
use super::disk::DiskError;
use super::folder::Folder;
use super::manifest::{Entry, Run};
use super::stats::FrameStats;
use crate::world::snapshot::Unread;
use std::collections::BTreeSet;
use std::fmt;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Largest heading of a mesh file [bytes].
const HEAD: u64 = 16 << 10;

/// A file of a run that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Frame that must be made again. For files of all frames: the last frame.
    pub frame: u32,
    /// Path of the file.
    pub path: PathBuf,
    /// Description of the damage.
    pub reason: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

impl Folder {
    /// Finds damage to the scene, statistics, probes and meshes of the frames up to `last`, sorted by frame.
    /// Checkpoints and pictures are not checked. Meshes are checked by their length, which detects truncated files.
    pub fn damage(&self, record: &Run, last: u32) -> Vec<Damage> {
        let mut all = Vec::new();
        if last < record.first {
            return all;
        }
        let mut add = |frame: u32, path: PathBuf, found: Result<(), String>| {
            all.extend(found.err().map(|reason| Damage { frame, path, reason }));
        };
        add(last, self.scene(), there(&self.scene()));
        match fs::read(self.stats()) {
            Err(error) => add(record.first.min(last), self.stats(), Err(DiskError::new(&self.stats(), &error).reason)),
            Ok(text) => {
                let text = String::from_utf8_lossy(&text).into_owned();
                let there: BTreeSet<u32> = text.lines().filter_map(FrameStats::parse).map(|s| s.frame).collect();
                let absent: Vec<u32> = (record.first..=last).filter(|frame| !there.contains(frame)).collect();
                if let (Some(first), count) = (absent.first(), absent.len()) {
                    let reason = format!("the lines of {count} frames from {first} on are missing or damaged");
                    add(*first, self.stats(), Err(reason));
                }
            }
        }
        // Meshes before the last change of `output` keys are not checked. The run may not have written them.
        let of_output = |change: &&super::Change| change.what.iter().any(|what| what.starts_with("output."));
        let first = record.changes.iter().filter(of_output).map(|change| change.from).max().unwrap_or(record.first);
        for entry in &record.objects {
            if let Some(chart) = &entry.chart {
                add(last, self.path().join(chart), there(&self.path().join(chart)));
            }
            match &entry.files {
                None => (),
                Some(files) if files.contains('#') => {
                    for frame in (first..=last).filter(|frame| entry.there(*frame)) {
                        let path = self.mesh(files, frame);
                        add(frame, path.clone(), whole(&path, entry));
                    }
                }
                Some(files) => add(last, self.path().join(files), whole(&self.path().join(files), entry)),
            }
        }
        all.extend(self.damaged_probes(record, last));
        all.sort_by(|a, b| (a.frame, &a.path).cmp(&(b.frame, &b.path)));
        all
    }

    /// Returns the checkpoints that are damaged, and those that another version of the program has written.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn unread_checkpoints(&self) -> Result<[Vec<Damage>; 2], DiskError> {
        let mut both = [Vec::new(), Vec::new()];
        for at in self.checkpoints()? {
            if let Err(why) = Checkpoint::read(&at.path) {
                let other = usize::from(matches!(why, Unread::Version(_)));
                both[other].push(Damage { frame: at.frame, path: at.path, reason: why.to_string() });
            }
        }
        Ok(both)
    }
}

fn describe(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "missing".to_string(),
        _ => error.to_string(),
    }
}

/// Fails unless the path is a file that is not empty.
fn there(path: &Path) -> Result<(), String> {
    let data = fs::metadata(path).map_err(|error| describe(&error))?;
    match (data.is_file(), data.len()) {
        (false, _) => Err("no file".to_string()),
        (true, 0) => Err("empty".to_string()),
        _ => Ok(()),
    }
}

/// Fails unless a mesh file has the length with which it was written.
fn whole(path: &Path, entry: &Entry) -> Result<(), String> {
    there(path)?;
    let mut file = File::open(path).map_err(|error| describe(&error))?;
    let length = file.metadata().map_err(|error| describe(&error))?.len();
    let mut bytes = Vec::new();
    if path.extension().is_some_and(|ending| ending == "ply") {
        file.take(HEAD).read_to_end(&mut bytes).map_err(|error| describe(&error))?;
        let wanted = ply_length(&bytes, entry).ok_or("damaged: not the head of this object's mesh")?;
        return if length == wanted { Ok(()) } else { Err(format!("damaged: {length} bytes, {wanted} were written")) };
    }
    file.seek(SeekFrom::End(-1)).map_err(|error| describe(&error))?;
    file.read_to_end(&mut bytes).map_err(|error| describe(&error))?;
    if bytes == b"\n" { Ok(()) } else { Err("damaged: it ends within a line".to_string()) }
}

/// Computes the length of a PLY file of a run from its header: vertices as floats, then triangles as a count and three
/// indices.
fn ply_length(bytes: &[u8], entry: &Entry) -> Option<u64> {
    const END: &[u8] = b"end_header\n";
    let end = bytes.windows(END.len()).position(|part| part == END)? + END.len();
    let head = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let counts = [format!("element vertex {}", entry.vertices), format!("element face {}", entry.triangles)];
    if !head.starts_with("ply\n") || !counts.iter().all(|count| head.lines().any(|line| line == count)) {
        return None;
    }
    let floats = head.lines().filter(|line| line.starts_with("property float ")).count() as u64;
    Some(end as u64 + 4 * floats * entry.vertices as u64 + 13 * entry.triangles as u64)
}
