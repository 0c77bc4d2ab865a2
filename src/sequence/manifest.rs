//! `run.json`: the record of a run and its progress.

use super::stats::Region;
use crate::linalg::Vec3;
use crate::mesh::Materials;
use crate::world::Kind;
use serde_json::{Value, json};
use std::ops::Range;

/// Status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The run continues, or was killed.
    Running,
    /// All frames were written.
    Finished,
    /// A step could not be made, or a file not written.
    Failed,
    /// A signal stopped it.
    Stopped,
}

impl Status {
    const ALL: [Status; 4] = [Status::Running, Status::Finished, Status::Failed, Status::Stopped];

    /// Returns the word in the file.
    pub fn name(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Finished => "finished",
            Status::Failed => "failed",
            Status::Stopped => "stopped",
        }
    }
}

/// Largest number of frames. Larger ones, which no scene can ask for, are reduced to it.
const MOST_FRAME: u32 = 1_000_000_000;

/// An object of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name.
    pub name: String,
    /// Kind of object.
    pub kind: Kind,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Mesh files below the run folder, with `####` for the frame. A static object has one file without number. `None`
    /// means not written.
    pub files: Option<String>,
    /// Triangles per face of the input file, run-length encoded: triangles per face, number of consecutive faces. Empty
    /// if all faces are triangles.
    pub polygons: Vec<[u32; 2]>,
    /// Materials of the triangles, by the names of the input file. The record has runs: number, consecutive triangles.
    pub materials: Materials,
    /// Objects of the input file that the triangles are of, by their names there. The record has runs as of materials.
    pub origins: Materials,
    /// OBJ file with the chart, if that has seams.
    pub chart: Option<String>,
    /// Frames written so far in which the object is present, a contiguous range. `None` means all.
    pub frames: Option<Range<u32>>,
}

impl Entry {
    /// Run-length encodes numbers: each with how many there are of it in a row.
    pub fn runs(counts: &[u32]) -> Vec<[u32; 2]> {
        counts.chunk_by(|a, b| a == b).map(|run| [run[0], run.len() as u32]).collect()
    }

    /// Returns the number of triangles of each face, in order. Empty if all faces are triangles.
    pub fn counts(&self) -> Vec<u32> {
        self.polygons.iter().flat_map(|[triangles, faces]| std::iter::repeat_n(*triangles, *faces as usize)).collect()
    }

    /// Returns whether the object is present at a written frame.
    pub fn there(&self, frame: u32) -> bool {
        self.frames.as_ref().is_none_or(|frames| frames.contains(&frame))
    }

    /// Records a frame as written, and whether the object is present in it.
    pub fn add(&mut self, frame: u32, there: bool) {
        if let Some(frames) = self.frames.as_mut().filter(|_| there) {
            *frames = if frames.start < frames.end { frames.start..frame + 1 } else { frame..frame + 1 };
        }
    }

    /// Describes the files and the frames at which the object is present.
    pub fn describe(&self) -> String {
        let files = self.files.as_deref().unwrap_or("not written");
        match &self.frames {
            None => files.to_string(),
            Some(frames) if frames.start < frames.end => {
                format!("{files}, there at frames {} to {}", frames.start, frames.end - 1)
            }
            Some(_) => format!("{files}, there at no frame so far"),
        }
    }
}

/// A change with which a run was continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// First frame to which it applies.
    pub from: u32,
    /// Changed keys of the scene and other changes, each with its values.
    pub what: Vec<String>,
}

/// Crossings in an entry of `[[ignore]]` over all frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Name of the entry: its parts.
    pub between: String,
    /// Largest number of pairs of triangles that cross in a frame.
    pub most: usize,
    /// First frame with that many.
    pub frame: u32,
}

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Version of the program.
    pub version: String,
    /// Command line.
    pub command: Vec<String>,
    /// Scene file, absolute.
    pub scene: String,
    /// Absolute path of the run folder at the time of the run. Empty if unknown.
    pub folder: String,
    /// Status.
    pub status: Status,
    /// Reason of failure or stop.
    pub reason: Option<String>,
    /// Warnings of the scene and of frames.
    pub warnings: Vec<String>,
    /// Whether frames may have crossings, since contact was the vertex test.
    pub unproven: bool,
    /// Crossings in the parts that `[[ignore]]` names.
    pub ignored: Vec<Ignored>,
    /// Changes at resumes, in the order of frames.
    pub changes: Vec<Change>,
    /// Number of the first frame.
    pub first: u32,
    /// Number of frames requested.
    pub frames: u32,
    /// Number of frames written.
    pub done: u32,
    /// Frames per second.
    pub fps: f64,
    /// Objects: cloths, bodies, obstacles.
    pub objects: Vec<Entry>,
    /// Names of probes.
    pub probes: Vec<String>,
    /// Threads.
    pub threads: usize,
    /// Wall time so far [s].
    pub wall: f64,
    /// Origin of mesh files in the scene [m]. Zero unless the scene is far from the origin.
    pub origin: Vec3,
    /// Box that the pictures show [m], rounded to `f32`.
    pub view: [Vec3; 2],
}

impl Run {
    /// Records the crossings of a frame in the parts that `[[ignore]]` names.
    pub fn ignore(&mut self, frame: u32, regions: &[Region]) {
        for region in regions {
            match self.ignored.iter_mut().find(|known| known.between == region.between) {
                None => self.ignored.push(Ignored { between: region.between.clone(), most: region.crossing, frame }),
                Some(known) if region.crossing > known.most => (known.most, known.frame) = (region.crossing, frame),
                Some(_) => {}
            }
        }
    }

    /// Continues after a frame, with the given changes. Earlier changes at frames that are made again are dropped.
    pub fn go_on(&mut self, after: u32, what: Vec<String>) {
        self.changes.retain(|change| change.from <= after);
        if !what.is_empty() {
            self.changes.push(Change { from: after + 1, what });
        }
    }

    /// Returns the number of the last requested frame.
    pub fn last(&self) -> u32 {
        (self.first + self.frames).saturating_sub(1)
    }

    /// Returns the range of written frames.
    pub fn there(&self) -> Range<u32> {
        self.first..self.first + self.done
    }

    /// Returns the number of the last written frame. Meaningless if none is written.
    pub fn last_done(&self) -> u32 {
        (self.first + self.done).saturating_sub(1)
    }

    /// Returns whether a frame is written.
    pub fn has(&self, frame: u32) -> bool {
        self.there().contains(&frame)
    }

    /// Describes which frames are written, if this one is not. Empty if it is.
    pub fn lacks(&self, frame: u32) -> String {
        match self.done {
            _ if self.has(frame) => String::new(),
            0 => "no frame is".to_string(),
            done if self.first == 1 => format!("{done} frames are"),
            _ => format!("frames {} to {} are", self.first, self.last_done()),
        }
    }

    /// Returns the record as JSON text.
    pub fn json(&self) -> String {
        let entry = |e: &Entry| {
            let mut entry = json!({
                "name": e.name,
                "kind": e.kind.name(),
                "vertices": e.vertices,
                "triangles": e.triangles,
                "files": e.files,
                "chart": e.chart,
            });
            if !e.polygons.is_empty() {
                entry["polygons"] = json!(e.polygons);
            }
            for (key, all) in [("materials", &e.materials), ("origins", &e.origins)] {
                if !all.names.is_empty() {
                    entry[key] = json!({ "names": all.names, "triangles": Entry::runs(&all.triangles) });
                }
            }
            if let Some(Range { start, end }) = &e.frames {
                entry["frames"] = json!({ "from": start, "until": end });
            }
            entry
        };
        let change = |c: &Change| json!({ "from_frame": c.from, "changed": c.what });
        let corner = |p: &Vec3| json!([p.x, p.y, p.z]);
        let mut all = json!({
            "version": self.version,
            "command": self.command,
            "scene": self.scene,
            "folder": self.folder,
            "status": self.status.name(),
            "reason": self.reason,
            "warnings": self.warnings,
            "changes": self.changes.iter().map(change).collect::<Vec<_>>(),
            "start_frame": self.first,
            "frames": self.frames,
            "frames_done": self.done,
            "fps": self.fps,
            "objects": self.objects.iter().map(entry).collect::<Vec<_>>(),
            "threads": self.threads,
            "wall_seconds": (self.wall * 1e3).round() / 1e3,
            "origin": corner(&self.origin),
            "view": { "min": corner(&self.view[0]), "max": corner(&self.view[1]) },
        });
        if self.unproven {
            all["unproven"] = json!(true);
        }
        if !self.ignored.is_empty() {
            let one = |i: &Ignored| json!({ "between": i.between, "most_crossing": i.most, "at_frame": i.frame });
            all["ignore"] = self.ignored.iter().map(one).collect();
        }
        if !self.probes.is_empty() {
            all["probes"] = json!(self.probes);
        }
        format!("{all:#}\n")
    }

    /// Parses the bytes of the file.
    ///
    /// # Errors
    /// Says which key is missing or wrong.
    pub fn parse(bytes: &[u8]) -> Result<Run, String> {
        let all: Value = serde_json::from_slice(bytes).map_err(|e| format!("not JSON: {e}"))?;
        let version = all.get("version").and_then(Value::as_str).filter(|v| *v != env!("CARGO_PKG_VERSION"));
        Run::of(&all).map_err(|why| match version {
            Some(other) => format!("of another version of percale, {other}: {why}"),
            None => why,
        })
    }

    /// Parses the record as JSON.
    fn of(all: &Value) -> Result<Run, String> {
        let list = |key: &str| all.get(key).and_then(Value::as_array).ok_or_else(|| missing(key));
        let changes = all.get("changes").and_then(Value::as_array).into_iter().flatten();
        let corner = |key: &str| {
            let corner = vector(all.get("view").and_then(|v| v.get(key)));
            corner.map(|p| p.map(|c| f64::from(c as f32))).ok_or_else(|| missing("view"))
        };
        let status = text(all, "status").ok_or_else(|| missing("status"))?;
        Ok(Run {
            version: text(all, "version").ok_or_else(|| missing("version"))?,
            command: list("command")?.iter().filter_map(Value::as_str).map(str::to_string).collect(),
            scene: text(all, "scene").ok_or_else(|| missing("scene"))?,
            folder: text(all, "folder").unwrap_or_default(),
            status: Status::ALL.into_iter().find(|s| s.name() == status).ok_or_else(|| missing("status"))?,
            reason: text(all, "reason"),
            warnings: texts(all.get("warnings")),
            unproven: all.get("unproven").and_then(Value::as_bool).unwrap_or(false),
            ignored: all
                .get("ignore")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(Ignored::of)
                .collect(),
            changes: changes.map(Change::of).collect::<Result<_, String>>()?,
            first: if all.get("start_frame").is_some() { whole(all, "start_frame")?.min(MOST_FRAME) } else { 1 },
            frames: whole(all, "frames")?.min(MOST_FRAME),
            done: whole(all, "frames_done")?.min(MOST_FRAME),
            fps: all.get("fps").and_then(Value::as_f64).ok_or_else(|| missing("fps"))?,
            objects: list("objects")?.iter().map(Entry::of).collect::<Result<_, _>>()?,
            probes: texts(all.get("probes")).into_iter().filter(|name| plain(name)).collect(),
            threads: whole(all, "threads")? as usize,
            wall: all.get("wall_seconds").and_then(Value::as_f64).unwrap_or(0.0),
            origin: if all.get("origin").is_some() {
                vector(all.get("origin")).ok_or_else(|| missing("origin"))?
            } else {
                Vec3::zeros()
            },
            view: [corner("min")?, corner("max")?],
        })
    }
}

impl Entry {
    fn of(e: &Value) -> Result<Entry, String> {
        let word = text(e, "kind").ok_or_else(|| missing("kind"))?;
        let kind = Kind::ALL.into_iter().find(|k| k.name() == word);
        Ok(Entry {
            name: text(e, "name").filter(|n| plain(n)).ok_or_else(|| missing("name"))?,
            kind: kind.ok_or_else(|| missing("kind"))?,
            vertices: whole(e, "vertices")? as usize,
            triangles: whole(e, "triangles")? as usize,
            files: text(e, "files"),
            polygons: runs(e.get("polygons")),
            materials: materials(e.get("materials"), whole(e, "triangles")? as usize),
            origins: materials(e.get("origins"), whole(e, "triangles")? as usize),
            chart: text(e, "chart"),
            frames: match e.get("frames") {
                Some(frames) => Some(whole(frames, "from")?..whole(frames, "until")?),
                None => None,
            },
        })
    }
}

impl Change {
    fn of(c: &Value) -> Result<Change, String> {
        Ok(Change { from: whole(c, "from_frame")?, what: texts(c.get("changed")) })
    }
}

impl Ignored {
    fn of(i: &Value) -> Option<Ignored> {
        let most = i.get("most_crossing")?.as_u64()? as usize;
        Some(Ignored { between: text(i, "between")?, most, frame: whole(i, "at_frame").ok()? })
    }
}

fn missing(key: &str) -> String {
    format!("'{key}' is missing or wrong; is this the record of a percale run?")
}

fn text(of: &Value, key: &str) -> Option<String> {
    of.get(key).and_then(Value::as_str).map(str::to_string)
}

fn texts(of: Option<&Value>) -> Vec<String> {
    let all = of.and_then(Value::as_array).into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_string).collect()
}

fn whole(of: &Value, key: &str) -> Result<u32, String> {
    of.get(key).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).ok_or_else(|| missing(key))
}

fn vector(of: Option<&Value>) -> Option<Vec3> {
    let numbers = of.and_then(Value::as_array);
    let numbers: Vec<f64> = numbers.into_iter().flatten().filter_map(Value::as_f64).collect();
    <[f64; 3]>::try_from(numbers).ok().map(Vec3::from)
}

/// Returns text as a JSON string, with quotes.
pub fn json_text(text: &str) -> String {
    Value::from(text).to_string()
}

/// Returns whether a name is a single path component.
fn plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != ".."
}

/// Parses pairs of whole numbers. Returns an empty list if any is wrong.
fn runs(of: Option<&Value>) -> Vec<[u32; 2]> {
    let pair = |pair: &Value| {
        let whole = |k: usize| pair.get(k).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        Some([whole(0)?, whole(1).filter(|faces| *faces < 1 << 28)?])
    };
    of.and_then(Value::as_array).and_then(|all| all.iter().map(pair).collect()).unwrap_or_default()
}

/// Parses the materials of an object, or its origins. Returns none if they do not fit its triangles.
fn materials(of: Option<&Value>, triangles: usize) -> Materials {
    let names = of.and_then(|of| of.get("names")).and_then(Value::as_array).into_iter().flatten();
    let names: Vec<String> = names.filter_map(Value::as_str).map(str::to_string).collect();
    let runs = runs(of.and_then(|of| of.get("triangles")));
    let count: u64 = runs.iter().map(|[_, count]| u64::from(*count)).sum();
    if names.is_empty() || count != triangles as u64 || runs.iter().any(|[k, _]| *k as usize > names.len()) {
        return Materials::default();
    }
    Materials { names, triangles: runs.iter().flat_map(|[k, n]| std::iter::repeat_n(*k, *n as usize)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_reads_back() {
        let entry = Entry {
            name: "sheet".into(),
            kind: Kind::Cloth,
            vertices: 4,
            triangles: 2,
            files: Some("meshes/sheet/sheet.####.ply".into()),
            polygons: vec![[2, 1]],
            materials: Materials { names: vec!["front".into(), "back".into()], triangles: vec![1, 2] },
            origins: Materials { names: vec!["/a/b".into()], triangles: vec![1, 1] },
            chart: None,
            frames: Some(1003..1009),
        };
        let run = Run {
            version: "1.2.3".into(),
            command: vec!["percale".into(), "run".into()],
            scene: "scenes/a.toml".into(),
            folder: "/out/a".into(),
            status: Status::Stopped,
            reason: Some("a signal".into()),
            warnings: vec!["thin".into()],
            unproven: true,
            ignored: vec![Ignored { between: "'arm' and 'torso'".into(), most: 140, frame: 50 }],
            changes: vec![Change { from: 7, what: vec!["time.step: 1, was 2".into()] }],
            first: 1001,
            frames: 60,
            done: 12,
            fps: 29.97,
            objects: vec![entry],
            probes: vec!["grip".into()],
            threads: 2,
            wall: 1.25,
            origin: Vec3::new(5008.0, 0.0, -16.0),
            view: [Vec3::repeat(-0.5), Vec3::repeat(0.1).map(|c: f64| f64::from(c as f32))],
        };
        assert_eq!(Run::parse(run.json().as_bytes()), Ok(run));
        assert!(Run::parse(b"{}").unwrap_err().contains("percale run"));
        assert!(Run::parse(b"[").unwrap_err().starts_with("not JSON"));
    }
}
