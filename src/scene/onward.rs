//! `scene.continue`: the frame of another run that a run begins with.

use super::document::{Node, Value};
use super::json::Json;
use super::keys::{Context, Kind};
use super::unit::short;
use crate::mesh::within;
use std::path::{Path, PathBuf};

/// Most frames that a message lists.
const MOST_LISTED: usize = 8;

/// Frame of a run that another run begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Onward {
    /// Run folder.
    pub run: PathBuf,
    /// Number of the frame.
    pub frame: u32,
    /// Checkpoint after that frame.
    pub checkpoint: PathBuf,
}

/// Kind of a frame of a run.
pub struct FrameOfRun;

impl FrameOfRun {
    /// Records why there is no checkpoint.
    fn lacks(&self, cx: &mut Context, path: &str, node: &Node, (text, at): (&str, &Onward)) {
        let Onward { run, frame, checkpoint } = at;
        let mut frames = checkpoint.parent().map(frames).unwrap_or_default();
        frames.sort_by_key(|other| other.abs_diff(*frame));
        frames.truncate(MOST_LISTED);
        frames.sort_unstable();
        let list = frames.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let message = if !run.is_dir() {
            let looked = run.display();
            format!("no run folder \"{}\" (looked for '{looked}'; paths are relative to the scene)", short(text))
        } else if frames.is_empty() {
            format!("no checkpoint is in \"{}\"; run its scene first", short(text))
        } else {
            format!(
                "no checkpoint is at frame {frame} of \"{}\"; give one of {list}, or run its scene with \
                 output.checkpoint = 1",
                short(text)
            )
        };
        cx.fault(node.origin, path, message);
    }
}

/// Returns the frames that have a checkpoint in a folder.
fn frames(folder: &Path) -> Vec<u32> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let number = |name: &str| name.strip_prefix("frame.")?.strip_suffix(".ckpt")?.parse().ok();
    entries.filter_map(|entry| number(&entry.file_name().to_string_lossy())).collect()
}

impl Kind for FrameOfRun {
    type Value = Onward;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Onward> {
        let text = if let Value::Text(text) = &node.value { text.as_str() } else { "" };
        let parts = text.rsplit_once('@').filter(|(run, _)| !run.is_empty() && !run.contains('\0'));
        let Some((run, frame)) = parts.and_then(|(run, frame)| Some((run, frame.parse::<u32>().ok()?))) else {
            self.refuse(cx, path, node);
            return None;
        };
        let folder = cx.folder.join(run);
        let checkpoint = folder.join("checkpoints").join(format!("frame.{frame:04}.ckpt"));
        for file in [&checkpoint, &folder.join("run.json")] {
            if let Err(why) = within::check(file) {
                cx.fault(node.origin, path, format!("\"{}\" {why}", short(text)));
                return None;
            }
        }
        cx.files.push(checkpoint.clone());
        let onward = Onward { run: folder, frame, checkpoint };
        if cx.recorded || onward.checkpoint.is_file() {
            return Some(onward);
        }
        self.lacks(cx, path, node, (run, &onward));
        None
    }

    fn wanted(&self) -> String {
        "a run folder and one of its frames, such as \"../out/drape@60\"".to_string()
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string")), ("pattern", Json::text("^.+@[0-9]+$"))])
    }
}
