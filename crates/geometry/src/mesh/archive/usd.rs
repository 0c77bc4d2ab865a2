//! USD reader: text, crate and `usdz` files, composed by the crate `openusd`. Reads points, the transforms of all prims
//! above them, instances and bones ([`Skin`]), and time codes, unit and up axis of the stage.

use super::assets::Assets;
use super::found::{Content, Found, bounded, content};
use super::instancer::count;
use super::mover::{Moving, samples, taken_apart};
use super::resolved::{self, describe};
use super::skin::Skin;
use super::values::{charts, ints, points};
use super::{Archive, Choice, Entry, Poses, Upward, chosen, join, shown_as_one, some};
use crate::mesh::{MeshError, TriMesh};
use openusd::sdf::Value;
use openusd::usd::Stage;
use std::fs::File;
use std::io::Read;
use std::path::Path;

fn stage(file: &Path) -> Result<Stage, MeshError> {
    let mut first = [0; 8];
    let read = File::open(file).and_then(|mut open| open.read(&mut first));
    let begin = &first[..read.map_err(|error| MeshError::new(format!("cannot read: {error}")))?];
    if begin.is_empty() {
        return Err(MeshError::new("the file is empty"));
    }
    if ![&b"#usda"[..], b"PXR-USDC", b"PK"].iter().any(|magic| begin.starts_with(magic)) {
        return Err(MeshError::new("it is no USD file: it begins neither with #usda nor as a crate or usdz file"));
    }
    let Some(name) = file.to_str() else { return Err(MeshError::new("its name is not in UTF-8; rename it")) };
    resolved::forget();
    Stage::builder().resolver(Assets::default()).open(name).map_err(describe)
}

/// Lists the meshes of the file.
pub(super) fn list(file: &Path) -> Result<(Vec<Entry>, Option<f64>), MeshError> {
    let stage = stage(file)?;
    let (rate, _) = rate(&stage);
    let Content { meshes, broken, .. } = content(&stage, rate)?;
    if let (true, Some((_, broken))) = (meshes.is_empty(), broken.first()) {
        return Err(MeshError::new(broken));
    }
    let all = meshes.into_iter().map(|found| entry(&stage, found, rate)).collect::<Result<_, _>>()?;
    Ok((all, Some(rate)))
}

fn entry(stage: &Stage, Found { prim, path, levels, hidden, .. }: Found, rate: f64) -> Result<Entry, MeshError> {
    let kind = "Mesh".to_string();
    if hidden == Some("empty") {
        return Ok(Entry { path, kind, size: [0; 2], moves: None, words: vec!["empty".into()] });
    }
    let vertices = points(&prim, &path)?.len();
    let faces = ints(&prim, "faceVertexCounts")?.len();
    let skin = Skin::of(stage, &prim, vertices)?;
    let times = samples(&prim, &levels, skin.as_ref())?.times;
    let moves = times.first().zip(times.last()).map(|(first, last)| [first / rate, last / rate]);
    let mut words: Vec<String> = hidden.into_iter().chain(skin.map(|_| "skinned")).map(String::from).collect();
    if !levels.is_empty() {
        words.push(format!("{} instances", count(&levels)));
    }
    let charts: Vec<String> = charts(&prim)?.iter().map(|name| format!("'{name}'")).collect();
    if !charts.is_empty() {
        words.push(format!("UV {} {}", if charts.len() == 1 { "set" } else { "sets" }, charts.join(" and ")));
    }
    Ok(Entry { path, kind, size: [vertices, faces], moves, words })
}

/// Opens the file.
pub(super) fn open(file: &Path, choice: &Choice) -> Result<Archive, MeshError> {
    let stage = stage(file)?;
    let (rate, no_rate) = rate(&stage);
    let Content { meshes: all, others, astray, broken } = content(&stage, rate)?;
    let broken = describe_broken(broken, &all, &others, choice);
    let paths: Vec<String> = all.iter().map(|found| found.path.clone()).collect();
    let taken = chosen(&paths, &choice.objects).map_err(|error| match broken.first() {
        Some(broken) => MeshError::new(format!("{error}; {broken}")),
        None => error,
    })?;
    let below = all.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(found, _)| found);
    let (seen, hidden): (Vec<Found>, Vec<Found>) = below.partition(|found| found.hidden.is_none());
    if let (Some(found), []) = (hidden.first(), &seen[..]) {
        let what = found.hidden.unwrap_or_default();
        if what == "empty" {
            // A mesh may be empty since a reference of it is broken.
            let why = broken.first().map_or(String::new(), |broken| format!("; {broken}"));
            let message = format!("<{}>: it has no points or no faces, as all that was asked for{why}", found.path);
            return Err(MeshError::new(message));
        }
        let message = format!("'{}' is {what}, as is all that was asked for; show it, or name another", found.path);
        return Err(MeshError::new(message));
    }
    if seen.is_empty() {
        return Err(MeshError::new(broken.first().map_or("it has no mesh", String::as_str)));
    }
    bounded(&seen)?;
    let (metres, note) = unit(&stage)?;
    let (mut times, mut turns, mut carried) = (Vec::new(), false, false);
    let (mut parts, mut sources) = (Vec::new(), Vec::new());
    let mut visible = Vec::new();
    for found in seen {
        visible.push((found.path.clone(), found.shown.clone()));
        let own = taken_apart(&stage, found, choice.chart.as_deref())?;
        times.extend(own.times);
        turns |= own.turns;
        carried |= own.carried;
        parts.push(own.part);
        sources.push(own.mover);
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    if let (Some(fault), false) = (&no_rate, times.is_empty()) {
        return Err(MeshError::new(fault));
    }
    let from = axis(&stage)?;
    let mut poses = Moving { _stage: stage, rate, metres, turned: [from, choice.up], sources };
    let mut positions = Vec::new();
    let first = times.first().map_or(0.0, |t| t / rate);
    poses.at(first, &mut positions)?;
    let mut mesh = join(&parts, positions)?;
    mesh.notes.extend(note.map(MeshError::new));
    mesh.notes.extend(broken.into_iter().map(MeshError::new));
    note_left_out(&mut mesh, &hidden, &others, &astray, choice);
    times.iter_mut().for_each(|t| *t /= rate);
    let shown = shown_as_one(&visible, &mut mesh);
    Ok(Archive { mesh, times, rate: Some(rate), turns, carried, shown, poses: Box::new(poses) })
}

/// Largest number of notes on what is broken.
const BROKEN: usize = 5;
/// Largest number of broken parts that are looked at for these.
const LOOKED_AT: usize = 200;

/// Returns what is told of broken parts of a file: those of unknown place, and those at or below what is asked for.
fn describe_broken(
    broken: Vec<(Option<String>, String)>,
    all: &[Found],
    others: &[String],
    choice: &Choice,
) -> Vec<String> {
    let beside: Vec<String> = all.iter().map(|found| found.path.clone()).chain(others.iter().cloned()).collect();
    let asked = |path: &String| {
        if choice.objects.is_empty() {
            return true;
        }
        let mut paths = beside.clone();
        paths.push(path.clone());
        chosen(&paths, &choice.objects).is_ok_and(|chosen| chosen.last() == Some(&true))
    };
    let mut reported: Vec<String> = Vec::new();
    for (path, what) in broken.into_iter().take(LOOKED_AT) {
        if reported.contains(&what) || path.as_ref().is_some_and(|path| !asked(path)) {
            continue;
        }
        if reported.len() == BROKEN {
            reported.push("what it refers to is not whole in more places".to_string());
            break;
        }
        reported.push(what);
    }
    reported
}

/// Notes what is left out of what is asked for.
fn note_left_out(mesh: &mut TriMesh, hidden: &[Found], others: &[String], astray: &[String], choice: &Choice) {
    let of = |empty: bool| {
        let paths = hidden.iter().filter(|found| (found.hidden == Some("empty")) == empty);
        paths.map(|found| found.path.as_str()).collect::<Vec<&str>>()
    };
    let [unseen, empty] = [of(false), of(true)];
    if !unseen.is_empty() {
        mesh.notes.push(MeshError::new(format!("left out, for hidden, guide or proxy: {}", some(unseen))));
    }
    if !empty.is_empty() {
        mesh.notes.push(MeshError::new(format!("left out, for empty: {}", some(empty))));
    }
    if !astray.is_empty() {
        mesh.notes.push(MeshError::new(format!("what these refer to is not there: {}", some(astray))));
    }
    let within = chosen(others, &choice.objects).unwrap_or_default();
    let left: Vec<&String> = others.iter().zip(within).filter(|(_, within)| *within).map(|(path, _)| path).collect();
    if !left.is_empty() {
        let message = format!("left out, for no meshes: {}; turn them into meshes to take them", some(left));
        mesh.notes.push(MeshError::new(message));
    }
}

/// Returns the time codes per second, with a fault of the stage if they are no rate. It matters only where something
/// moves.
fn rate(stage: &Stage) -> (f64, Option<String>) {
    let rate = stage.time_codes_per_second();
    if rate > 0.0 && rate.is_finite() {
        return (rate, None);
    }
    (24.0, Some(format!("timeCodesPerSecond is {rate}; it must be more than 0")))
}

/// Returns the metres per unit of the stage, with a note if the stage does not define it.
fn unit(stage: &Stage) -> Result<(f64, Option<&'static str>), MeshError> {
    let metres = match stage.stage_metadata("metersPerUnit").map_err(describe)? {
        Some(Value::Double(metres)) => metres,
        Some(Value::Float(metres)) => f64::from(metres),
        _ => return Ok((0.01, Some("has no metersPerUnit: a unit is taken as a centimetre, as USD has it"))),
    };
    if !(metres > 0.0 && metres.is_finite()) {
        return Err(MeshError::new(format!("metersPerUnit is {metres}; it must be more than 0")));
    }
    Ok((metres, None))
}

fn axis(stage: &Stage) -> Result<Upward, MeshError> {
    match stage.stage_metadata("upAxis").map_err(describe)? {
        Some(Value::Token(axis)) if axis.as_str() == "Z" => Ok(Upward::Z),
        Some(Value::Token(axis)) if axis.as_str() != "Y" => {
            Err(MeshError::new(format!("upAxis is \"{}\"; Y and Z are known", axis.as_str())))
        }
        _ => Ok(Upward::Y),
    }
}
