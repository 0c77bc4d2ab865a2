//! `probes/<name>.csv`: measurements of probes, a line per frame or step.
//!
//! The first line has names and units, all SI. Numbers have the digits that identify them uniquely. Lines are buffered
//! until their frame is written, and synced before a checkpoint that depends on them. A resumed run removes the lines
//! after its checkpoint, by their time.

use super::damage::Damage;
use super::disk::{DiskError, read, sync, write};
use super::folder::{Folder, entries, linked};
use super::manifest::Run;
use crate::linalg::Vec3;
use crate::world::probe::{Every, Measure, Probe};
use crate::world::{State, World};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;

/// First column.
const TIME: &str = "time [s]";
/// Ending of the files.
const ENDING: &str = ".csv";

/// Returns whether a file in the folder of probes has a name of the record.
pub(super) fn of_probe(file: &str) -> bool {
    file.ends_with(ENDING)
}

/// Measurements of a probe.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Names of the columns after the time, with units.
    pub columns: Vec<String>,
    /// Time [s] and the columns' values, line by line.
    pub rows: Vec<Vec<f64>>,
}

impl Series {
    /// Parses the text of a file up to the first incomplete line. Returns `None` if the first line is wrong.
    pub fn parse(text: &str) -> Option<Series> {
        let mut lines = text.split_inclusive('\n').map_while(|line| line.strip_suffix('\n'));
        let mut names = lines.next()?.split(',').map(str::to_string);
        names.next().filter(|first| first == TIME)?;
        let columns: Vec<String> = names.collect();
        let row = |line: &str| {
            let row: Vec<f64> = line.split(',').map_while(|cell| cell.parse().ok()).collect();
            (row.len() == columns.len() + 1 && line.split(',').count() == row.len()).then_some(row)
        };
        let rows = lines.map_while(row).collect();
        Some(Series { columns, rows })
    }
}

/// Lines of a probe.
struct Lines {
    path: PathBuf,
    /// Lines that are not yet written.
    text: String,
}

/// Collects and writes the measurements of probes.
#[derive(Default)]
pub struct Recorder {
    lines: Vec<Lines>,
    values: Vec<f64>,
}

impl Recorder {
    /// Starts recording the probes of a world. Existing files are continued, unless their columns differ.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn start(folder: &Folder, world: &World) -> Result<Recorder, DiskError> {
        let mut recorder = Recorder::default();
        if world.probes.is_empty() {
            return Ok(recorder);
        }
        folder.make(&folder.probes())?;
        for probe in &world.probes {
            let path = folder.probe(&probe.name);
            if path.is_symlink() {
                return Err(linked(&path));
            }
            let names: Vec<String> = [TIME.to_string()].into_iter().chain(probe.columns(world)).collect();
            let header = format!("{}\n", names.join(","));
            let goes_on = std::fs::read(&path).is_ok_and(|text| text.starts_with(header.as_bytes()));
            if !goes_on {
                write(&path, header.as_bytes())?;
            }
            recorder.lines.push(Lines { path, text: String::new() });
        }
        Ok(recorder)
    }

    /// Measures at the end of a step. `forces` are those of the step, by probe [N].
    pub fn step(&mut self, world: &World, state: &State, forces: &[Vec<Vec3>]) {
        self.measure(world, state, forces, |probe| probe.every == Every::Step);
    }

    /// Measures at a frame.
    pub fn frame(&mut self, world: &World, state: &State, forces: &[Vec<Vec3>]) {
        let start = state.step == 0;
        self.measure(world, state, forces, |probe| match probe.every {
            Every::Frame => !(start && probe.of_steps()),
            // The start is not the end of a step.
            Every::Step => start && !probe.of_steps(),
        });
    }

    fn measure(&mut self, world: &World, state: &State, forces: &[Vec<Vec3>], wanted: impl Fn(&Probe) -> bool) {
        let mut works = state.work.iter();
        for (k, (probe, lines)) in world.probes.iter().zip(&mut self.lines).enumerate() {
            let work = match probe.measure {
                Measure::Work(_) => works.next().copied().unwrap_or_default(),
                _ => 0.0,
            };
            if !wanted(probe) {
                continue;
            }
            self.values.clear();
            let forces = forces.get(k).map_or(&[][..], Vec::as_slice);
            probe.values(world, state, forces, work, &mut self.values);
            lines.text.push_str(&format!("{:?}", world.shot.shot(state.time)));
            self.values.iter().for_each(|value| lines.text.push_str(&format!(",{value:?}")));
            lines.text.push('\n');
        }
    }

    /// Writes the buffered lines.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn flush(&mut self) -> Result<(), DiskError> {
        for Lines { path, text } in self.lines.iter_mut().filter(|lines| !lines.text.is_empty()) {
            if path.is_symlink() {
                return Err(linked(path));
            }
            let add = || OpenOptions::new().append(true).open(&*path)?.write_all(text.as_bytes());
            add().map_err(|error| DiskError::new(path, &error))?;
            text.clear();
        }
        Ok(())
    }
}

impl Folder {
    /// Returns the folder of probes.
    pub fn probes(&self) -> PathBuf {
        self.path().join("probes")
    }

    /// Returns the file of a probe.
    pub fn probe(&self, name: &str) -> PathBuf {
        self.probes().join(format!("{name}{ENDING}"))
    }

    /// Reads the measurements of a probe, up to the first incomplete line.
    ///
    /// # Errors
    /// The file cannot be read, or is not a probe's.
    pub fn read_probe(&self, name: &str) -> Result<Series, DiskError> {
        let path = self.probe(name);
        let text = read(&path)?;
        let none = || DiskError { path, reason: format!("damaged: its first line does not begin with '{TIME}'") };
        Series::parse(&String::from_utf8_lossy(&text)).ok_or_else(none)
    }

    fn probe_files(&self) -> Result<Vec<PathBuf>, DiskError> {
        let mut all = entries(&self.probes())?;
        all.retain(|path| path.is_file() && of_probe(&super::folder::name_of(path)));
        Ok(all)
    }

    /// Syncs the files of probes.
    pub(super) fn sync_probes(&self) -> Result<(), DiskError> {
        self.probe_files()?.iter().try_for_each(|path| sync(path))
    }

    /// Removes the measurements after a time [s].
    ///
    /// # Errors
    /// The disk refuses.
    pub fn rewind_probes(&self, time: f64) -> Result<(), DiskError> {
        for path in self.probe_files()? {
            let bytes = read(&path)?;
            let text = String::from_utf8_lossy(&bytes);
            let Some(series) = Series::parse(&text) else { continue };
            let kept = 1 + series.rows.iter().take_while(|row| row[0] <= time).count();
            let kept: String = text.split_inclusive('\n').take(kept).collect();
            if kept != text {
                write(&path, kept.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Finds missing and damaged files of probes, up to frame `last`.
    pub(super) fn damaged_probes(&self, record: &Run, last: u32) -> Vec<Damage> {
        let damage = |name: &String| {
            let path = self.probe(name);
            let Ok(series) = self.read_probe(name) else {
                let reason = if path.exists() { "damaged: not what a probe writes" } else { "missing" };
                return Some(Damage { frame: record.first.min(last), path, reason: reason.to_string() });
            };
            // A force belongs to a step. Before the first frame there is none.
            let of_steps = series.columns.iter().any(|column| column.ends_with("[N]"));
            let absent = match series.rows.last() {
                Some(row) => record.first + (row[0] * record.fps + 1e-6).max(0.0) as u32 + 1,
                None => record.first + u32::from(of_steps),
            };
            let reason = format!("the lines from frame {absent} on are missing or damaged");
            (absent <= last).then_some(Damage { frame: absent, path, reason })
        };
        record.probes.iter().filter_map(damage).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only complete lines are read. A killed run may have left an incomplete one.
    #[test]
    fn whole_lines_are_read() {
        let text = "time [s],force x [N],force y [N]\n0.1,1.5,-2e-9\n0.2,0.0,NaN\n";
        let series = Series::parse(text).unwrap();
        assert_eq!(series.columns, ["force x [N]", "force y [N]"]);
        assert_eq!(series.rows[0], [0.1, 1.5, -2e-9]);
        assert!(series.rows.len() == 2 && series.rows[1][2].is_nan());
        for cut in ["0.3,1.0,2.", "0.3,1.0\n", "0.3,1.0,x\n", "0.3,1,2,3\n"] {
            assert_eq!(Series::parse(&format!("{text}{cut}")).unwrap().rows.len(), 2, "{cut}");
        }
        assert_eq!((Series::parse("time [s],a"), Series::parse("frame,a\n")), (None, None));
    }
}
