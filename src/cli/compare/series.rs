//! Finds the series of files to compare, and pairs them.

use super::What;
use crate::cli::failure::Failure;
use crate::cli::inspect::run_of;
use crate::cli::range::Frames;
use crate::linalg::Vec3;
use crate::sequence::{DiskError, Folder};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Files of a series by frame; -1 for a file without number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Series {
    name: String,
    what: What,
    frames: BTreeMap<i32, PathBuf>,
}

/// Files of both sides, by frame.
pub(super) struct Pair {
    /// Name of the series on the first side.
    pub name: String,
    /// Kind of files.
    pub what: What,
    /// Files by frame; -1 for files without number.
    pub frames: BTreeMap<i32, [PathBuf; 2]>,
}

fn what(path: &Path) -> Option<What> {
    match path.extension()?.to_string_lossy().to_ascii_lowercase().as_str() {
        "png" | "exr" => Some(What::Images),
        "ply" | "obj" => Some(What::Meshes),
        _ => None,
    }
}

/// Splits a file name into series and frame. `sheet.0012.ply` is frame 12 of `sheet.ply`, and `a_12.png` of `a.png`. A
/// name of digits alone gives a series named by the extension.
fn numbered(file: &str) -> (String, i32) {
    let (stem, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let name = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    match stem[name.len()..].parse() {
        Ok(frame) if name.is_empty() || name.ends_with(['.', '_', '-']) => {
            (format!("{}.{ending}", name.trim_end_matches(['.', '_', '-'])), frame)
        }
        _ => (file.to_string(), -1),
    }
}

/// Finds the series of a plain folder.
fn scan(folder: &Path) -> Result<Vec<Series>, DiskError> {
    let mut all: BTreeMap<String, Series> = BTreeMap::new();
    let entries = fs::read_dir(folder).map_err(|error| DiskError::new(folder, &error))?;
    for path in entries.filter_map(|e| e.ok().map(|e| e.path())).filter(|p| p.is_file()) {
        let Some(what) = what(&path) else { continue };
        let file = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let (name, frame) = numbered(&file);
        let series = all.entry(name.clone()).or_insert(Series { name, what, frames: BTreeMap::new() });
        series.frames.insert(frame, path);
    }
    Ok(all.into_values().collect())
}

/// Returns the origin of a run folder's meshes in the scene.
fn origin(path: &Path) -> Result<Option<Vec3>, Failure> {
    let folder = Folder::new(path);
    if folder.is_run() { Ok(Some(run_of(&folder)?.origin)) } else { Ok(None) }
}

/// Finds the series of a file, folder or run folder.
fn find(path: &Path) -> Result<Vec<Series>, Failure> {
    let shown = path.display();
    if path.is_file() {
        let Some(what) = what(path) else {
            return Err(Failure::input(format!("{shown}: neither a picture (.png, .exr) nor a mesh (.ply, .obj)")));
        };
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        return Ok(vec![Series { name, what, frames: BTreeMap::from([(-1, path.to_path_buf())]) }]);
    }
    if !path.is_dir() {
        return Err(Failure::input(format!("{shown}: no such file or folder")));
    }
    let folder = Folder::new(path);
    if !folder.is_run() {
        return scan(path).map_err(|error| Failure::input(error.to_string()));
    }
    let record = run_of(&folder)?;
    let mut all = Vec::new();
    for entry in &record.objects {
        let Some(files) = &entry.files else { continue };
        let frames = if files.contains("####") { record.there() } else { 0..0 };
        let of = |frame: u32| Some((i32::try_from(frame).ok()?, folder.mesh(files, frame)));
        let mut frames: BTreeMap<i32, PathBuf> = frames.filter(|frame| entry.there(*frame)).filter_map(of).collect();
        if !files.contains("####") {
            frames.insert(-1, folder.mesh(files, record.first));
        }
        let ending = files.rsplit('.').next().unwrap_or_default();
        all.push(Series { name: format!("{}.{ending}", entry.name), what: What::Meshes, frames });
    }
    let preview = path.join("preview");
    if preview.is_dir() {
        // The contact sheet repeats the same frames, so it is left out.
        let pictures = scan(&preview).map_err(|error| Failure::input(error.to_string()))?;
        all.extend(pictures.into_iter().filter(|s| s.what == What::Images && !s.frames.contains_key(&-1)));
    }
    Ok(all)
}

/// Pairs the series of two paths, by name, or the only ones of their kind. Returns also the faults: files and series
/// that only one side has. A kind that only one side has is left out.
///
/// # Errors
/// The paths have no series in common, or their meshes have different origins.
pub(super) fn pair(
    [a, b]: [&Path; 2],
    only: Option<What>,
    frames: Option<&Frames>,
) -> Result<(Vec<Pair>, Vec<String>), Failure> {
    let [left, right] = [find(a)?, find(b)?];
    let origins = [origin(a)?, origin(b)?];
    if let [Some(one), Some(other)] = origins
        && one != other
    {
        return Err(Failure::input(format!(
            "{} and {}: written about different origins, see \"origin\" in their run.json; export both as OBJ and compare those",
            a.display(),
            b.display()
        )));
    }
    let (mut pairs, mut faults) = (Vec::new(), Vec::new());
    let asked = |frame: i32| u32::try_from(frame).map_or(true, |frame| frames.is_none_or(|frames| frames.has(frame)));
    for kind in [What::Meshes, What::Images] {
        if only.is_some_and(|only| only != kind) {
            continue;
        }
        let of = |all: &[Series]| -> Vec<Series> { all.iter().filter(|s| s.what == kind).cloned().collect() };
        let (left, right) = (of(&left), of(&right));
        if left.is_empty() || right.is_empty() {
            continue;
        }
        let alone = left.len() == 1 && right.len() == 1;
        let fellow = |one: &Series, others: &[Series]| others.iter().find(|o| alone || o.name == one.name).cloned();
        let missing = |name: &str, frame: &str, side: &Path| format!("{name}{frame}: only in {}", side.display());
        for one in right.iter().filter(|one| fellow(one, &left).is_none()) {
            faults.push(missing(&one.name, "", b));
        }
        for one in &left {
            let Some(other) = fellow(one, &right) else {
                faults.push(missing(&one.name, "", a));
                continue;
            };
            let (mut both, mut lone) = (BTreeMap::new(), [Vec::new(), Vec::new()]);
            for (frame, file) in one.frames.iter().filter(|(frame, _)| asked(**frame)) {
                match other.frames.get(frame) {
                    Some(fellow) => drop(both.insert(*frame, [file.clone(), fellow.clone()])),
                    None => lone[0].push(*frame),
                }
            }
            for frame in other.frames.keys().filter(|frame| asked(**frame) && !one.frames.contains_key(frame)) {
                lone[1].push(*frame);
            }
            for (name, frames, side) in [(&one.name, &lone[0], a), (&other.name, &lone[1], b)] {
                faults.extend(ranges(frames).iter().map(|range| missing(name, range, side)));
            }
            pairs.push(Pair { name: one.name.clone(), what: kind, frames: both });
        }
    }
    if pairs.iter().all(|p| p.frames.is_empty()) && faults.is_empty() {
        return Err(Failure::input(format!("{} and {}: nothing to compare in both", a.display(), b.display())));
    }
    Ok((pairs, faults))
}

/// Formats ascending frames as ` at frame 3` and ` at frames 5 to 9`. Files without number give an empty text.
fn ranges(frames: &[i32]) -> Vec<String> {
    let runs = frames.chunk_by(|a, b| a + 1 == *b);
    let words = runs.map(|run| match run {
        [first, .., last] => format!(" at frames {first} to {last}"),
        [one] => super::at(*one),
        [] => String::new(),
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn names_of_frames() {
        let is = |file: &str, name: &str, frame: i32| assert_eq!(numbered(file), (name.to_string(), frame));
        is("sheet.0012.ply", "sheet.ply", 12);
        is("a_7.png", "a.png", 7);
        is("0100.exr", ".exr", 100);
        is("sheet.png", "sheet.png", -1);
        is("ball2.ply", "ball2.ply", -1);
    }
}
