//! Taking over a run folder: finding an earlier run in it, setting that aside, or removing it.
//!
//! An earlier run is moved to `<folder>.previous` beside the folder, where it stays until the next. Files are moved one
//! by one, by the names of the record. Files of anyone else stay in the folder. `run.json` is in both places until all
//! is moved, so that an interrupted move is detected and completed.

use super::checkpoint::Checkpoint;
use super::disk::{DiskError, is_temporary, lasting, make_folder, write};
use super::flow::FLOWS;
use super::folder::{Folder, MESHES, PICTURES, Stored, entries, linked, name_of, number, remove, remove_files, stored};
use super::lock::Lock;
use super::manifest::Run;
use super::probes::of_probe;
use super::stats::FrameStats;
use crate::world::snapshot::Unread;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Files of a run in its folder itself, but for `run.json`.
const TOP: [&str; 10] = [
    "crossing.ply",
    "movie.gif",
    "movie.mp4",
    "movie.png",
    "movie.webp",
    "report.html",
    "run.log",
    "scene.toml",
    "stats.ndjson",
    "turntable.png",
];

/// Contents of a folder that a run is to use.
#[derive(Debug)]
pub enum Found {
    /// No file of a run.
    Nothing,
    /// A run.
    Run(Box<Run>),
    /// A run with a complete checkpoint whose record is missing or damaged, for the reason given here.
    Damaged(DiskError),
    /// Not a run, but a file with a name of the record.
    Foreign(PathBuf),
}

/// Reason why a folder cannot be taken over.
#[derive(Debug)]
pub enum ClaimError {
    /// The folder holds a file with a name of the record, but is no run folder.
    Foreign(PathBuf),
    /// Another process uses it: folder and process.
    Held(PathBuf, String),
    /// The disk refused.
    Disk(DiskError),
}

impl From<DiskError> for ClaimError {
    fn from(error: DiskError) -> ClaimError {
        ClaimError::Disk(error)
    }
}

/// Reason why a run could not be moved.
enum MoveError {
    /// Move to this place failed, since it is on another file system or not writable.
    Place(DiskError),
    /// Move failed for any place.
    All(ClaimError),
}

impl From<DiskError> for MoveError {
    fn from(error: DiskError) -> MoveError {
        MoveError::All(ClaimError::Disk(error))
    }
}

impl Folder {
    /// Finds the contents of the folder.
    ///
    /// # Errors
    /// The record exists and cannot be read.
    pub fn find(&self) -> Result<Found, DiskError> {
        let path = self.manifest();
        let why = match fs::read(&path) {
            Ok(bytes) => match Run::parse(&bytes) {
                Ok(run) => return Ok(Found::Run(Box::new(run))),
                Err(why) => why,
            },
            Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => {
                "missing".to_string()
            }
            Err(error) => return Err(DiskError::new(&path, &error)),
        };
        let folders = ["meshes", "preview", "checkpoints", "probes", "flow"].map(|name| self.path().join(name));
        let names = [self.scene(), path.clone(), self.stats(), self.report(), self.log()].into_iter().chain(folders);
        let Some(name) = names.into_iter().find(|name| name.symlink_metadata().is_ok()) else {
            return Ok(Found::Nothing);
        };
        let whole = self
            .checkpoints()?
            .iter()
            .rev()
            .any(|at| matches!(Checkpoint::read(&at.path), Ok(_) | Err(Unread::Version(_))));
        Ok(if whole { Found::Damaged(DiskError { path, reason: why }) } else { Found::Foreign(name) })
    }

    /// Takes the folder over for a new run. An earlier run with frames is set aside. Other files of a run, by names of
    /// the record, are removed. Crossing triangles of a refused start may exist without a record. Returns the new place
    /// of the earlier run.
    ///
    /// # Errors
    /// The folder is not a run's but holds a file with a name of the record. Or the place of the earlier run is not a
    /// run's, or in use. Or the disk refuses.
    pub fn claim(&self) -> Result<Option<PathBuf>, ClaimError> {
        let worth = match self.find()? {
            Found::Foreign(path) => return Err(ClaimError::Foreign(path)),
            Found::Nothing => false,
            Found::Run(run) => run.done > 0,
            Found::Damaged(_) => true,
        };
        self.no_links()?;
        make_folder(self.path())?;
        let aside = if worth { Some(self.set_aside()?) } else { None };
        self.erase()?;
        Ok(aside)
    }

    /// Takes the folder over as [`Folder::claim`] does, but sets nothing aside. All of the run is made again as it was.
    ///
    /// # Errors
    /// The folder is not a run's but holds a file with a name of the record. Or the disk refuses.
    pub fn claim_again(&self) -> Result<(), ClaimError> {
        if let Found::Foreign(path) = self.find()? {
            return Err(ClaimError::Foreign(path));
        }
        self.no_links()?;
        Ok(self.erase()?)
    }

    /// Checks that no symbolic link is in place of a folder or file of the run.
    ///
    /// # Errors
    /// A symbolic link is in place of one.
    pub fn no_links(&self) -> Result<(), DiskError> {
        let folders = ["meshes", "preview", "checkpoints", "probes", "flow", "stats.ndjson", "run.log"];
        let folders = folders.map(|name| self.path().join(name));
        let objects = entries(&self.path().join("meshes"))?;
        match folders.into_iter().chain(objects).find(|path| path.is_symlink()) {
            Some(path) => Err(linked(&path)),
            None => Ok(()),
        }
    }

    /// Lists the files with names of the record, local to the folder. Checkpoints come first, so that a partly moved
    /// run does not look resumable. `run.json` comes last.
    fn files(&self) -> Result<Vec<PathBuf>, DiskError> {
        let preview = self.path().join("preview");
        let mut all = Vec::new();
        let mut add = |folder: &Path, ours: &dyn Fn(&str) -> bool| -> Result<(), DiskError> {
            let files = entries(folder)?;
            let is_file = |path: &PathBuf| !path.symlink_metadata().is_ok_and(|data| data.is_dir());
            all.extend(files.into_iter().filter(|path| ours(lasting(&name_of(path))) && is_file(path)));
            Ok(())
        };
        add(&self.checkpoint_folder(), &|file| stored(file).is_some())?;
        for object in entries(&self.path().join("meshes"))? {
            let name = name_of(&object);
            if object.symlink_metadata().is_ok_and(|data| data.is_dir()) {
                add(&object, &|file| of_object(file, &name).is_some())?;
            }
        }
        add(&preview, &|file| number(file, "frame", &PICTURES).is_some() || file == "sheet.png")?;
        add(&self.path().join("flow"), &|file| number(file, "frame", &FLOWS).is_some())?;
        add(&self.probes(), &of_probe)?;
        add(self.path(), &|file| TOP.contains(&file))?;
        add(self.path(), &|file| file == "run.json")?;
        let local = |path: PathBuf| path.strip_prefix(self.path()).map(Path::to_path_buf).unwrap_or(path);
        Ok(all.into_iter().map(local).collect())
    }

    /// Returns whether this name in a folder of meshes, probes, airflow or pictures is one of the record.
    pub(super) fn records(folder: &Path, file: &str) -> bool {
        let of = name_of(folder);
        of_object(file, &of).is_some()
            || of == "probes" && of_probe(file)
            || of == "flow" && number(file, "frame", &FLOWS).is_some()
            || of == "preview" && (number(file, "frame", &PICTURES).is_some() || file == "sheet.png")
    }

    /// Removes empty folders of the record.
    fn prune(&self) -> Result<(), DiskError> {
        let meshes = self.path().join("meshes");
        let mut folders = entries(&meshes)?;
        let [preview, flow] = ["preview", "flow"].map(|name| self.path().join(name));
        folders.extend([meshes, preview, flow, self.probes(), self.checkpoint_folder()]);
        for folder in folders {
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    /// Removes all files and folders of a run.
    fn erase(&self) -> Result<(), DiskError> {
        for file in self.files()? {
            remove(&self.path().join(file))?;
        }
        self.prune()
    }

    /// Returns the places for an earlier run: beside the folder, or inside it if that fails.
    fn places(&self) -> [PathBuf; 2] {
        let inside = self.path().join("previous");
        let plain = self.path().file_name().is_some() && !self.path().is_symlink();
        let real = if plain { self.path().to_path_buf() } else { self.path().canonicalize().unwrap_or_default() };
        match real.file_name() {
            Some(name) => {
                let mut name = name.to_os_string();
                name.push(".previous");
                [real.with_file_name(name), inside]
            }
            None => [inside.clone(), inside],
        }
    }

    fn set_aside(&self) -> Result<PathBuf, ClaimError> {
        let [beside, inside] = self.places();
        match self.move_to(&beside) {
            Ok(()) => return Ok(beside),
            Err(MoveError::All(error)) => return Err(error),
            Err(MoveError::Place(_)) => (),
        }
        match self.move_to(&inside) {
            Ok(()) => Ok(inside),
            Err(MoveError::All(error)) => Err(error),
            Err(MoveError::Place(error)) => Err(ClaimError::Disk(error)),
        }
    }

    fn move_to(&self, place: &Path) -> Result<(), MoveError> {
        if place.is_symlink() {
            return Err(MoveError::All(ClaimError::Foreign(place.to_path_buf())));
        }
        let there = Folder::new(place);
        let own = fs::read(self.manifest()).ok();
        // Equal records in both places mean an interrupted move.
        let begun = own.is_some() && fs::read(there.manifest()).ok() == own;
        if !begun {
            if let Some(who) = Lock::held(place) {
                return Err(MoveError::All(ClaimError::Held(place.to_path_buf(), who)));
            }
            match there.find()? {
                Found::Foreign(path) => return Err(MoveError::All(ClaimError::Foreign(path))),
                Found::Nothing => (),
                Found::Run(_) | Found::Damaged(_) => there.erase()?,
            }
        }
        let fails = |path: &Path, error: &std::io::Error| match error.kind() {
            ErrorKind::CrossesDevices | ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                MoveError::Place(DiskError::new(path, error))
            }
            _ => MoveError::All(ClaimError::Disk(DiskError::new(path, error))),
        };
        match fs::create_dir(place) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(fails(place, &error)),
            _ => (),
        }
        if let Some(bytes) = &own
            && !begun
        {
            write(&there.manifest(), bytes)?;
        }
        for (k, file) in self.files()?.into_iter().enumerate() {
            let (from, to) = (self.path().join(&file), place.join(&file));
            if is_temporary(&name_of(&file)) {
                remove(&from)?;
                continue;
            }
            there.make(to.parent().unwrap_or(place))?;
            if let Err(error) = fs::rename(&from, &to) {
                if k == 0 {
                    remove(&there.manifest())?;
                    let _ = there.prune();
                    let _ = fs::remove_dir(place);
                }
                return Err(fails(&to, &error));
            }
        }
        self.prune()?;
        Ok(())
    }

    /// Removes temporary files of killed runs.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn clear(&self) -> Result<(), DiskError> {
        for part in self.files()?.iter().filter(|path| is_temporary(&name_of(path))) {
            remove(&self.path().join(part))?;
        }
        Ok(())
    }

    /// Removes the results after a checkpoint: frames, lines of statistics, later checkpoints, crossing triangles.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn rewind(&self, to: &Stored) -> Result<(), DiskError> {
        self.no_links()?;
        for later in self.checkpoints()?.iter().filter(|later| *later > to) {
            remove(&later.path)?;
        }
        self.clear()?;
        let after = |file: &str| number(file, "frame", &PICTURES).is_some_and(|frame| frame > to.frame);
        remove_files(&self.path().join("preview"), |file| after(file) || file == "sheet.png")?;
        let flows = |file: &str| number(file, "frame", &FLOWS).is_some_and(|frame| frame > to.frame);
        remove_files(&self.path().join("flow"), flows)?;
        for object in entries(&self.path().join("meshes"))? {
            let name = name_of(&object);
            remove_files(&object, |file| of_object(file, &name).flatten().is_some_and(|frame| frame > to.frame))?;
        }
        self.prune()?;
        remove(&self.crossing())?;
        let path = self.stats();
        let text = match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            read => read.map_err(|error| DiskError::new(&path, &error))?,
        };
        let text = String::from_utf8_lossy(&text);
        let keeps = |line: &&str| FrameStats::parse(line).is_some_and(|stats| stats.frame <= to.frame);
        let kept: String = text.lines().filter(keeps).flat_map(|line| [line, "\n"]).collect();
        if kept == text { Ok(()) } else { write(&path, kept.as_bytes()) }
    }
}

/// Parses the name of a file among an object's meshes. Returns its frame, or `Some(None)` for a file of all frames.
fn of_object(file: &str, name: &str) -> Option<Option<u32>> {
    if let Some(frame) = number(file, name, &MESHES) {
        return Some(Some(frame));
    }
    let still = MESHES.iter().any(|e| *file == format!("{name}.{e}")) || *file == format!("{name}.chart.obj");
    still.then_some(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec3;
    use crate::sequence::Status;

    fn run(done: u32) -> Run {
        Run {
            version: "1".into(),
            command: Vec::new(),
            scene: "a.toml".into(),
            folder: String::new(),
            status: Status::Finished,
            reason: None,
            unproven: false,
            ignored: Vec::new(),
            warnings: Vec::new(),
            changes: Vec::new(),
            first: 1,
            frames: done,
            done,
            fps: 30.0,
            objects: Vec::new(),
            threads: 1,
            probes: Vec::new(),
            wall: 0.0,
            origin: Vec3::zeros(),
            view: [Vec3::zeros(); 2],
        }
    }

    fn fill(folder: &Folder, done: u32, mesh: &str) {
        folder.make(&folder.path().join("meshes/a")).unwrap();
        fs::write(folder.path().join("meshes/a/a.0001.ply"), mesh).unwrap();
        fs::write(folder.stats(), mesh).unwrap();
        folder.write_run(&run(done)).unwrap();
    }

    fn read(path: PathBuf) -> String {
        fs::read_to_string(path).unwrap()
    }

    #[test]
    fn an_earlier_run_is_kept_under_one_name() {
        let root = std::env::temp_dir().join(format!("percale-take-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let folder = Folder::new(&root.join("a"));
        assert_eq!(folder.claim().unwrap(), None);
        let aside = root.join("a.previous");
        for (k, text) in ["first", "second"].into_iter().enumerate() {
            fill(&folder, 1 + k as u32, text);
            fs::write(folder.path().join("meshes/a/notes"), "mine").unwrap();
            assert_eq!(folder.claim().unwrap().as_deref(), Some(aside.as_path()));
            assert_eq!(read(aside.join("meshes/a/a.0001.ply")), text);
            assert_eq!(Folder::new(&aside).read_run().unwrap().done, 1 + k as u32);
            assert_eq!(read(folder.path().join("meshes/a/notes")), "mine");
            assert!(
                !folder.is_run() && !folder.stats().exists() && !folder.path().join("meshes/a/a.0001.ply").exists()
            );
        }
        // A run without frames does not replace one with frames.
        fill(&folder, 0, "none");
        assert_eq!(folder.claim().unwrap(), None);
        assert_eq!(read(aside.join("meshes/a/a.0001.ply")), "second");
        // An interrupted move is completed.
        fill(&folder, 3, "third");
        fs::remove_file(aside.join("meshes/a/a.0001.ply")).unwrap();
        fs::rename(folder.path().join("meshes/a/a.0001.ply"), aside.join("meshes/a/a.0001.ply")).unwrap();
        fs::copy(folder.manifest(), aside.join("run.json")).unwrap();
        folder.claim().unwrap();
        assert_eq!([read(aside.join("meshes/a/a.0001.ply")), read(aside.join("stats.ndjson"))], ["third", "third"]);
        // A folder of that name that is no run's stays as it is.
        fill(&folder, 4, "fourth");
        fs::remove_file(aside.join("run.json")).unwrap();
        assert!(matches!(folder.claim(), Err(ClaimError::Foreign(_))));
        assert_eq!(read(folder.path().join("meshes/a/a.0001.ply")), "fourth");
        fs::remove_dir_all(root).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        use std::os::unix::fs::symlink;
        let root = std::env::temp_dir().join(format!("percale-links-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let other = root.join("other/a");
        fs::create_dir_all(&other).unwrap();
        fs::write(other.join("a.0001.ply"), "mine").unwrap();
        let folder = Folder::new(&root.join("run"));
        folder.claim().unwrap();
        folder.write_run(&run(1)).unwrap();
        // A link with a file's name is removed, its target is kept.
        symlink(other.join("a.0001.ply"), folder.path().join("report.html")).unwrap();
        folder.claim().unwrap();
        folder.claim().unwrap();
        assert_eq!(read(other.join("a.0001.ply")), "mine");
        // A link in the place of a temporary file.
        let process = std::process::id();
        let part = folder.path().join(format!("scene.toml.w{process}-0.percale-part"));
        symlink(other.join("a.0001.ply"), &part).unwrap();
        super::write(&folder.scene(), b"scene").unwrap();
        assert_eq!(read(other.join("a.0001.ply")), "mine");
        fs::remove_file(folder.scene()).unwrap();
        fs::remove_file(part).unwrap();
        // A link in the place of the folder of all meshes, or of an object's meshes.
        let meshes = folder.path().join("meshes");
        for (link, to) in [(meshes.clone(), root.join("other")), (meshes.join("a"), other.clone())] {
            if link != meshes {
                fs::create_dir(&meshes).unwrap();
            }
            folder.write_run(&run(1)).unwrap();
            symlink(to, &link).unwrap();
            let reported = folder.claim().map_err(|error| format!("{error:?}")).unwrap_err();
            assert!(reported.contains("is a symbolic link"), "{reported}");
            assert!(folder.make(&meshes.join("a")).is_err());
            folder.rewind(&Stored { frame: 0, step: None, path: PathBuf::new() }).unwrap_err();
            assert!(folder.erase().is_ok() && folder.find().is_ok());
            assert_eq!(read(other.join("a.0001.ply")), "mine");
            fs::remove_file(&link).unwrap();
        }
        fs::remove_dir_all(root).unwrap();
    }
}
