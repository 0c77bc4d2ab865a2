//! Points without samples where a mesh is hidden. Blender leaves these samples out, so that later ones come early.

use super::ogawa::{Object, Ogawa};
use super::samples::{Clock, Property};
use crate::mesh::MeshError;

/// Largest number of samples of a visibility that are looked at.
const MOST: usize = 100_000;

/// Gives points the times of the samples that show their mesh, if there are as many. Returns paths, each with a note.
///
/// # Errors
/// Fails if the file is damaged.
pub(super) fn mend(file: &mut Ogawa, top: &mut Object) -> Result<Vec<(String, String)>, MeshError> {
    let mut reported = Vec::new();
    below(file, top, "", &mut reported)?;
    Ok(reported)
}

fn below(
    file: &mut Ogawa,
    object: &mut Object,
    path: &str,
    reported: &mut Vec<(String, String)>,
) -> Result<(), MeshError> {
    let above = object.properties.get("visible").cloned();
    for child in &mut object.children {
        let path = format!("{path}/{}", child.name);
        let visible = child.properties.get("visible").cloned().or_else(|| above.clone());
        let points = child.properties.get_mut(".geom").and_then(|geometry| geometry.within.get_mut("P"));
        if let Some((visible, points)) = visible.zip(points) {
            reported.extend(lapsed(file, &visible, points)?.map(|note| (path.clone(), note)));
        }
        below(file, child, &path, reported)?;
    }
    Ok(())
}

fn lapsed(file: &mut Ogawa, visible: &Property, points: &mut Property) -> Result<Option<String>, MeshError> {
    if !visible.moves() || !points.moves() || visible.count > MOST {
        return Ok(None);
    }
    let [end, last] = [&*points, visible].map(|property| property.time(&file.clocks, property.count - 1));
    let interval = file.clocks.get(points.clock).map_or(f64::INFINITY, |clock| clock.cycle);
    if !interval.is_finite() || end + 0.99 * interval > last {
        return Ok(None);
    }
    let mut shown = Vec::new();
    for sample in 0..visible.count {
        if file.ints(visible, sample)?.first() != Some(&0) {
            shown.push(visible.time(&file.clocks, sample));
        }
    }
    if points.clock != visible.clock || points.count != shown.len() {
        return Ok(Some(format!(
            "its points end at {end} s, its visibility at {last} s: samples may be missing where it is hidden, and later ones come \
             early; export it without hiding it, and give from and until"
        )));
    }
    points.clock = file.clocks.len();
    file.clocks.push(Clock { cycle: f64::INFINITY, times: shown, beat: interval });
    Ok(Some("it has no points where it is hidden; they are taken as those of the samples that show it".to_string()))
}
