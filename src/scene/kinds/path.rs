//! Kind of a file that exists.

use crate::mesh::within;
use crate::scene::document::{Node, Value};
use crate::scene::fault::{meant, nearest};
use crate::scene::given::MEMORY;
use crate::scene::json::Json;
use crate::scene::keys::{Context, Kind};
use crate::scene::unit::short;
use std::path::PathBuf;

/// Kind of a file that exists, with its accepted extensions.
#[derive(Clone)]
pub struct File(&'static [&'static str]);

/// Returns the kind of a file that exists and has one of these extensions.
pub(crate) fn file(endings: &'static [&'static str]) -> File {
    File(endings)
}

/// Records why a file cannot be used, with the name that was probably meant.
fn refuse_file(cx: &mut Context, path: &str, node: &Node, text: &str, full: &std::path::Path) {
    let folder = full.parent().unwrap_or(full);
    let wrong = full.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut there: Vec<String> = std::fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect())
        .unwrap_or_default();
    there.sort();
    let why = if full.is_dir() {
        "it is a folder".to_string()
    } else if !folder.as_os_str().is_empty() && !folder.is_dir() {
        format!("there is no folder '{}'", folder.display())
    } else {
        format!("looked for '{}'", full.display())
    };
    let hint = nearest(&wrong, there.iter().map(String::as_str)).map(|n| format!("; did you mean '{n}'?"));
    let hint = hint.filter(|_| !full.is_dir()).unwrap_or_default();
    cx.fault(
        node.origin,
        path,
        format!("no such file \"{}\" ({why}; paths are relative to the scene){hint}", short(text)),
    );
}

/// Returns the full path of a file named in the scene. The file must exist, unless the scene has been run.
pub(crate) fn existing(cx: &mut Context, path: &str, node: &Node, text: &str) -> Option<PathBuf> {
    let full = cx.folder.join(text);
    if let Err(why) = within::check(&full) {
        cx.fault(node.origin, path, format!("\"{}\" {why}", short(text)));
        return None;
    }
    cx.files.push(full.clone());
    if !text.contains('\0') && (cx.recorded || full.is_file()) {
        return Some(full);
    }
    refuse_file(cx, path, node, text, &full);
    None
}

impl File {
    /// Returns the path that stands for a mesh in memory, which must be of an accepted kind.
    fn in_memory(&self, cx: &mut Context, path: &str, node: &Node, name: &str) -> Option<PathBuf> {
        let Some(found) = cx.given.path(name) else {
            let hint = meant(name, cx.given.names());
            let message = format!("no mesh in memory is named '{}'{hint}", short(name));
            cx.fault(node.origin, path, message);
            return None;
        };
        let ending = found.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if self.0.contains(&ending) {
            return Some(found);
        }
        cx.fault(
            node.origin,
            path,
            format!("'{}' is in memory what a .{ending} file is; expected {}", short(name), self.wanted()),
        );
        None
    }
}

impl Kind for File {
    type Value = PathBuf;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<PathBuf> {
        let Value::Text(text) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        if let Some(name) = text.strip_prefix(MEMORY) {
            return self.in_memory(cx, path, node, name);
        }
        let ending = text.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase()).unwrap_or_default();
        if !self.0.contains(&ending.as_str()) {
            self.refuse(cx, path, node);
            return None;
        }
        existing(cx, path, node, text)
    }

    fn wanted(&self) -> String {
        format!("a file ending in .{}", self.0.join(" or ."))
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string")), ("pattern", Json::text(format!("\\.({})$", self.0.join("|"))))])
    }
}
