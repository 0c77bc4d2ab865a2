//! Values of attributes at a time, as Pixar's reference has them. The reader has others for value clips, for samples
//! without a value, and for constant values over samples. Between two samples of clips values are linear, also where
//! they are of different clips; where clip time jumps, the sample before it holds up to the jump.

use crate::mesh::MeshError;
use openusd::sdf::{Path, Value};
use openusd::usd::{Attribute, ClipsAPI, Prim, Stage, TimeCode};
use std::cell::RefCell;
use std::collections::HashMap;

/// Part of a time by which a sample is read early where its own time, offset by a layer, rounds past it.
const ROUNDED: f64 = 1e-12;

/// Part of a time by which the sample before a jump of clip time is earlier.
const BEFORE: f64 = 1e-9;

/// Converts an error of openusd into one line for the user.
pub(super) fn describe(error: impl std::fmt::Display + std::fmt::Debug) -> MeshError {
    let whole = format!("{error:#}");
    MeshError::new(format!("cannot read it as USD: {}", whole.lines().collect::<Vec<_>>().join(" ")))
}

/// Returns the times at which the clip time of value clips at or above a prim jumps; none if there are no clips.
fn jumps(prim: &Prim) -> Result<Option<Vec<f64>>, MeshError> {
    let mut all: Option<Vec<f64>> = None;
    for path in prim.path().ancestors_below_root() {
        let clips = ClipsAPI::new(&prim.stage().prim(path));
        for set in clips.clip_set_names().map_err(describe)? {
            let times = clips.clip_times(&set).map_err(describe)?;
            let jumps = times.windows(2).filter(|pair| pair[0].x == pair[1].x && pair[0].y != pair[1].y);
            all.get_or_insert_default().extend(jumps.map(|pair| pair[0].x));
        }
    }
    Ok(all)
}

thread_local! {
    /// Answers about the stages that are open, by what is asked, file and path. They are asked for in each frame.
    static KNOWN: RefCell<HashMap<String, bool>> = RefCell::default();
}

/// Forgets answers about stages, before one is opened.
pub(super) fn forget() {
    KNOWN.with_borrow_mut(HashMap::clear);
}

/// Returns an answer about a place of a stage, which is looked for once.
fn known(
    asked: &str,
    stage: &Stage,
    path: &Path,
    look: impl FnOnce() -> Result<bool, MeshError>,
) -> Result<bool, MeshError> {
    let key = format!("{asked} {} {path}", stage.root_layer().identifier());
    if let Some(answer) = KNOWN.with_borrow(|known| known.get(&key).copied()) {
        return Ok(answer);
    }
    let answer = look()?;
    KNOWN.with_borrow_mut(|known| known.insert(key, answer));
    Ok(answer)
}

/// Returns whether an attribute has a constant value that is stronger than all of its samples.
pub(super) fn rests(attribute: &Attribute) -> Result<bool, MeshError> {
    known("rests", attribute.stage(), attribute.path(), || covered(attribute))
}

fn covered(attribute: &Attribute) -> Result<bool, MeshError> {
    if attribute.num_time_samples().map_err(describe)? == 0 || clipped(&attribute.prim())? {
        return Ok(false);
    }
    for (layer, path) in attribute.property_stack().map_err(describe)? {
        let Some(layer) = attribute.stage().layer(&layer) else { continue };
        let has = |field| layer.data().has_field(&path, field);
        if has("timeSamples") || has("default") {
            return Ok(!has("timeSamples"));
        }
    }
    Ok(false)
}

/// Returns the time codes of the samples of an attribute, ascending.
pub(super) fn times(attribute: &Attribute) -> Result<Vec<f64>, MeshError> {
    if rests(attribute)? {
        return Ok(Vec::new());
    }
    let mut times = attribute.time_sample_times().map_err(describe)?;
    if times.len() > 1
        && let Some(jumps) = jumps(&attribute.prim())?
    {
        let [first, last] = [times[0], times[times.len() - 1]];
        let before = jumps.into_iter().filter(|t| (first..=last).contains(t)).map(|t| t - BEFORE * t.abs().max(1.0));
        times.extend(before.filter(|t| *t > first));
        times.sort_by(f64::total_cmp);
        times.dedup();
    }
    Ok(times)
}

/// Returns the samples around a time code, the same one twice at a sample or beyond the ends; nothing without samples.
pub(super) fn around(attribute: &Attribute, code: TimeCode) -> Result<Option<(f64, f64)>, MeshError> {
    if rests(attribute)? {
        return Ok(None);
    }
    if !clipped(&attribute.prim())? {
        return attribute.bracketing_time_samples(code).map_err(describe);
    }
    let times = times(attribute)?;
    let next = times.partition_point(|t| *t <= code.value());
    let at = |k: usize| times.get(k).copied();
    Ok(match (next.checked_sub(1).and_then(at), at(next)) {
        (Some(before), _) if before == code.value() => Some((before, before)),
        (Some(before), Some(after)) => Some((before, after)),
        (Some(only), None) | (None, Some(only)) => Some((only, only)),
        (None, None) => None,
    })
}

/// Returns the values of an attribute around a time code, and the fraction of the later one. Nothing if no value clips
/// act on it, for values are then those of the attribute itself.
pub(super) fn between(attribute: &Attribute, code: TimeCode) -> Result<Option<([Value; 2], f64)>, MeshError> {
    if !clipped(&attribute.prim())? {
        return Ok(None);
    }
    let Some((a, b)) = around(attribute, code)? else { return Ok(None) };
    let at = |time: f64| attribute.get_at::<Value>(TimeCode::new(time)).map_err(describe);
    let (Some(from), Some(to)) = (at(a)?, at(b)?) else { return Ok(None) };
    Ok(Some(([from, to], if a == b { 0.0 } else { (code.value() - a) / (b - a) })))
}

/// Declares the points of a mesh where value clips alone have them, in memory. Clips act on what a stage declares.
pub(super) fn declare_points(prim: &Prim) -> Result<(), MeshError> {
    if value(prim, "points")?.is_none() && clipped(prim)? {
        prim.create_attribute("points", "point3f[]").map_err(describe)?;
    }
    Ok(())
}

fn clipped(prim: &Prim) -> Result<bool, MeshError> {
    known("clipped", prim.stage(), prim.path(), || has_clips(prim))
}

fn has_clips(prim: &Prim) -> Result<bool, MeshError> {
    for path in prim.path().ancestors_below_root() {
        if prim.stage().prim(path).has_clips().map_err(describe)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the value of an attribute at a time code. A sample holds up to the next one where that has no value.
pub(super) fn held(attribute: &Attribute, code: TimeCode) -> Result<Option<Value>, MeshError> {
    if rests(attribute)? {
        return attribute.get_at::<Value>(None).map_err(describe);
    }
    let at = |time: f64| attribute.get_at::<Value>(TimeCode::new(time)).map_err(describe);
    if let Some(value) = at(code.value())? {
        return Ok(Some(value));
    }
    let Some((before, _)) = around(attribute, code)? else { return Ok(None) };
    match at(before)? {
        Some(value) => Ok(Some(value)),
        None => at(before - ROUNDED * before.abs().max(1.0)),
    }
}

/// Returns the value of an attribute, or of its first sample.
pub(super) fn value(prim: &Prim, name: &str) -> Result<Option<Value>, MeshError> {
    let attribute = prim.attribute(name);
    if rests(&attribute)? {
        return attribute.get_at::<Value>(None).map_err(describe);
    }
    if let Some(value) = attribute.get_at::<Value>(TimeCode::EARLIEST).map_err(describe)? {
        return Ok(Some(value));
    }
    // Value clips have nothing before the first of them.
    match attribute.time_sample_times().map_err(describe)?.first() {
        Some(first) => attribute.get_at::<Value>(TimeCode::new(*first)).map_err(describe),
        None => Ok(None),
    }
}
