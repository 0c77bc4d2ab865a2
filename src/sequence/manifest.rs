//! `run.json`: what a run is and how far it came.

use crate::linalg::Vec3;
use crate::world::Kind;
use serde_json::{Value, json};
use std::ops::Range;

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It runs, or was ended by force.
    Running,
    /// All frames are there.
    Finished,
    /// A step could not be made, or a file not written.
    Failed,
    /// A signal stopped it.
    Stopped,
}

impl Status {
    const ALL: [Status; 4] = [Status::Running, Status::Finished, Status::Failed, Status::Stopped];

    /// As in the file.
    pub fn word(self) -> &'static str {
        match self {
            Status::Running => "running",
            Status::Finished => "finished",
            Status::Failed => "failed",
            Status::Stopped => "stopped",
        }
    }
}

/// Larger numbers of frames than a scene can ask for are cut to this.
const MOST_FRAME: u32 = 1_000_000_000;

/// An object of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Its mesh files below the run folder, `####` for the frame; a still object has one file without number. `None`: not
    /// written.
    pub files: Option<String>,
    /// Triangles that each face of the file was cut into, and how many faces in a row have as many; empty where all are triangles.
    pub polygons: Vec<[u32; 2]>,
    /// An OBJ file with its chart, where that has seams.
    pub chart: Option<String>,
    /// Of what appears or vanishes the frames written so far in which it is there, one after the other; `None`: it is in all.
    pub frames: Option<Range<u32>>,
}

impl Entry {
    /// Runs of faces of as many triangles.
    pub fn runs(counts: &[u32]) -> Vec<[u32; 2]> {
        counts.chunk_by(|a, b| a == b).map(|run| [run[0], run.len() as u32]).collect()
    }

    /// How many triangles in a row are of one face; empty where all faces are triangles.
    pub fn counts(&self) -> Vec<u32> {
        self.polygons.iter().flat_map(|[triangles, faces]| std::iter::repeat_n(*triangles, *faces as usize)).collect()
    }

    /// It is there at a frame that is written.
    pub fn there(&self, frame: u32) -> bool {
        self.frames.as_ref().is_none_or(|frames| frames.contains(&frame))
    }

    /// It is there at a frame that is written now, or not.
    pub fn add(&mut self, frame: u32, there: bool) {
        if let Some(frames) = self.frames.as_mut().filter(|_| there) {
            *frames = if frames.start < frames.end { frames.start..frame + 1 } else { frame..frame + 1 };
        }
    }

    /// Its files, and at which frames it is there, in words.
    pub fn told(&self) -> String {
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

/// What a run went on with otherwise than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// First frame that it holds for.
    pub from: u32,
    /// Keys of the scene and what else, each with its values.
    pub what: Vec<String>,
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
    /// Run folder when it ran, absolute; empty where that is not known.
    pub folder: String,
    /// How it stands.
    pub status: Status,
    /// Why it failed or stopped.
    pub reason: Option<String>,
    /// What was allowed but is probably not meant.
    pub warnings: Vec<String>,
    /// Frames may have crossings: contact was the vertex test.
    pub unproven: bool,
    /// What changed where it went on, in the order of frames.
    pub changes: Vec<Change>,
    /// Number of the first frame.
    pub first: u32,
    /// Frames asked for.
    pub frames: u32,
    /// Frames written.
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
    /// What the origin of mesh files is in the scene [m]: zero unless the scene is far from there.
    pub origin: Vec3,
    /// Box that the pictures show [m], of `f32` numbers.
    pub view: [Vec3; 2],
}

impl Run {
    /// It goes on after a frame, with what has changed since; earlier changes of frames that are made again are none.
    pub fn go_on(&mut self, after: u32, what: Vec<String>) {
        self.changes.retain(|change| change.from <= after);
        if !what.is_empty() {
            self.changes.push(Change { from: after + 1, what });
        }
    }

    /// Number of the last frame that was asked for.
    pub fn last(&self) -> u32 {
        (self.first + self.frames).saturating_sub(1)
    }

    /// Numbers of the frames that are written.
    pub fn there(&self) -> Range<u32> {
        self.first..self.first + self.done
    }

    /// Number of the last frame that is written; of no use where none is.
    pub fn last_done(&self) -> u32 {
        (self.first + self.done).saturating_sub(1)
    }

    /// The frame is written.
    pub fn has(&self, frame: u32) -> bool {
        self.there().contains(&frame)
    }

    /// Which frames are written, where this one is not; empty where it is.
    pub fn lacks(&self, frame: u32) -> String {
        match self.done {
            _ if self.has(frame) => String::new(),
            0 => "no frame is".to_string(),
            done if self.first == 1 => format!("{done} frames are"),
            _ => format!("frames {} to {} are", self.first, self.last_done()),
        }
    }

    /// As JSON text.
    pub fn json(&self) -> String {
        let entry = |e: &Entry| {
            let mut entry = json!({
                "name": e.name,
                "kind": e.kind.word(),
                "vertices": e.vertices,
                "triangles": e.triangles,
                "files": e.files,
                "chart": e.chart,
            });
            if !e.polygons.is_empty() {
                entry["polygons"] = json!(e.polygons);
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
            "status": self.status.word(),
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
        if !self.probes.is_empty() {
            all["probes"] = json!(self.probes);
        }
        format!("{all:#}\n")
    }

    /// From the bytes of the file.
    ///
    /// # Errors
    /// What is missing or wrong.
    pub fn parse(bytes: &[u8]) -> Result<Run, String> {
        let all: Value = serde_json::from_slice(bytes).map_err(|e| format!("not JSON: {e}"))?;
        let version = all.get("version").and_then(Value::as_str).filter(|v| *v != env!("CARGO_PKG_VERSION"));
        Run::of(&all).map_err(|why| match version {
            Some(other) => format!("of another version of percale, {other}: {why}"),
            None => why,
        })
    }

    /// From the record as JSON.
    fn of(all: &Value) -> Result<Run, String> {
        let missing = |key: &str| format!("'{key}' is missing or wrong; is this the record of a percale run?");
        let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_string);
        let whole = |of: &Value, key: &str| {
            of.get(key).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok()).ok_or_else(|| missing(key))
        };
        let list = |key: &str| all.get(key).and_then(Value::as_array).ok_or_else(|| missing(key));
        let entry = |e: &Value| {
            let word = text(e, "kind").ok_or_else(|| missing("kind"))?;
            let kind = Kind::ALL.into_iter().find(|k| k.word() == word);
            Ok::<Entry, String>(Entry {
                name: text(e, "name").filter(|n| plain(n)).ok_or_else(|| missing("name"))?,
                kind: kind.ok_or_else(|| missing("kind"))?,
                vertices: whole(e, "vertices")? as usize,
                triangles: whole(e, "triangles")? as usize,
                files: text(e, "files"),
                polygons: runs(e.get("polygons")),
                chart: text(e, "chart"),
                frames: match e.get("frames") {
                    Some(frames) => Some(whole(frames, "from")?..whole(frames, "until")?),
                    None => None,
                },
            })
        };
        let texts = |of: Option<&Value>| -> Vec<String> {
            let all = of.and_then(Value::as_array).into_iter().flatten();
            all.filter_map(Value::as_str).map(str::to_string).collect()
        };
        let change = |c: &Value| Ok(Change { from: whole(c, "from_frame")?, what: texts(c.get("changed")) });
        let changes = all.get("changes").and_then(Value::as_array).into_iter().flatten();
        let vector = |of: Option<&Value>| {
            let numbers = of.and_then(Value::as_array);
            let numbers: Vec<f64> = numbers.into_iter().flatten().filter_map(Value::as_f64).collect();
            <[f64; 3]>::try_from(numbers).ok().map(Vec3::from)
        };
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
            status: Status::ALL.into_iter().find(|s| s.word() == status).ok_or_else(|| missing("status"))?,
            reason: text(all, "reason"),
            warnings: texts(all.get("warnings")),
            unproven: all.get("unproven").and_then(Value::as_bool).unwrap_or(false),
            changes: changes.map(change).collect::<Result<_, String>>()?,
            first: if all.get("start_frame").is_some() { whole(all, "start_frame")?.min(MOST_FRAME) } else { 1 },
            frames: whole(all, "frames")?.min(MOST_FRAME),
            done: whole(all, "frames_done")?.min(MOST_FRAME),
            fps: all.get("fps").and_then(Value::as_f64).ok_or_else(|| missing("fps"))?,
            objects: list("objects")?.iter().map(entry).collect::<Result<_, _>>()?,
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

/// Text as JSON, with its quotes.
pub fn json_text(text: &str) -> String {
    Value::from(text).to_string()
}

/// A name that is one folder's name.
fn plain(name: &str) -> bool {
    !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != ".."
}

/// Pairs of whole numbers; none where they are wrong.
fn runs(of: Option<&Value>) -> Vec<[u32; 2]> {
    let pair = |pair: &Value| {
        let whole = |k: usize| pair.get(k).and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
        Some([whole(0)?, whole(1).filter(|faces| *faces < 1 << 28)?])
    };
    of.and_then(Value::as_array).and_then(|all| all.iter().map(pair).collect()).unwrap_or_default()
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
