//! Alembic reader: polygon meshes and subdivision cages below transforms, with their samples.
//!
//! Alembic has y up and no unit of length; a unit is read as a metre. Corners run clockwise seen from outside.

use super::lapsed;
use super::objects::{Found, Search};
use super::ogawa::Ogawa;
use super::samples::Property;
use super::shown::Shown;
use super::{Archive, Choice, Entry, Part, Poses, Upward, chosen, finite, join, shown_as_one, some, upright};
use crate::linalg::{Mat4, Rotation, UnitVec3, Vec2, Vec3};
use crate::mesh::MeshError;
use std::path::Path;

/// Lists the meshes of the file.
pub(super) fn list(file: &Path) -> Result<(Vec<Entry>, Option<f64>), MeshError> {
    let mut file = Ogawa::open(file)?;
    let mut top = file.top()?;
    lapsed::mend(&mut file, &mut top)?;
    let mut entries = Vec::new();
    for found in Search::of(&file, &top)?.meshes {
        let times = samples(&file, &found).times;
        let sampled = |p: &&Property| p.count > 0;
        let count =
            |name: &str| found.geometry(name).filter(sampled).map_or(Ok(0), |p| file.reals(p, 0).map(|all| all.len()));
        let says = [(found.shown.never(), "hidden"), (found.empty, "empty"), (found.placed, "instance")];
        entries.push(Entry {
            size: [count("P")? / 3, count(".faceCounts")?],
            kind: if found.mesh().words.contains("SubD") { "SubD" } else { "PolyMesh" }.to_string(),
            moves: times.first().copied().zip(times.last().copied()).map(|(first, last)| [first, last]),
            words: says.into_iter().filter(|(so, _)| *so).map(|(_, word)| word.to_string()).collect(),
            path: found.path,
        });
    }
    Ok((entries, None))
}

/// Opens the file.
pub(super) fn open(path: &Path, choice: &Choice) -> Result<Archive, MeshError> {
    let (wanted, up) = (&choice.objects, choice.up);
    if let Some(name) = &choice.chart {
        let message = format!("no UV set is chosen by its name ('{name}') in Alembic; its meshes have one, 'uv'");
        return Err(MeshError::new(message));
    }
    let mut file = Ogawa::open(path)?;
    let mut top = file.top()?;
    let lapsed = lapsed::mend(&mut file, &mut top)?;
    let Search { meshes: all, others, .. } = Search::of(&file, &top)?;
    let paths: Vec<String> = all.iter().map(|found| found.path.clone()).collect();
    let taken = chosen(&paths, wanted)?;
    let below = all.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(found, _)| found);
    let (empty, whole): (Vec<Found>, Vec<Found>) = below.partition(|found| found.empty);
    let (seen, hidden): (Vec<Found>, Vec<Found>) = whole.into_iter().partition(|found| !found.shown.never());
    if seen.is_empty() {
        return Err(MeshError::new(nothing(&hidden, &empty)));
    }
    let (mut times, mut cycles, mut turns) = (Vec::new(), Vec::new(), false);
    let (mut parts, mut sources) = (Vec::new(), Vec::new());
    for found in &seen {
        let own = samples(&file, found);
        turns |= own.turns;
        // Programs write anything where an object is hidden.
        let start = own.times.first().copied().unwrap_or_default().max(found.shown.window()[0]);
        times.extend(own.times);
        cycles.extend(own.cycles);
        parts.push(taken_apart(&file, found, start)?);
        let points = found.geometry("P").cloned().unwrap_or_default();
        sources.push(Mover { path: found.path.clone(), points, xforms: found.xforms().cloned().collect() });
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    let mut notes: Vec<String> = lapsed
        .into_iter()
        .filter(|(path, _)| seen.iter().any(|found| found.path == *path))
        .map(|(path, note)| format!("<{path}>: {note}"))
        .collect();
    let within = chosen(&others, wanted).unwrap_or_default();
    let left: Vec<&String> = others.iter().zip(within).filter(|(_, within)| *within).map(|(path, _)| path).collect();
    let of = |found: Vec<Found>| found.into_iter().map(|found| found.path).collect::<Vec<String>>();
    for (begin, what) in [("left out, for hidden:", of(hidden)), ("left out, for empty:", of(empty))] {
        if !what.is_empty() {
            notes.push(format!("{begin} {}", some(what)));
        }
    }
    if !left.is_empty() {
        notes.push(format!("left out, for no meshes: {}; turn them into meshes to take them", some(left)));
    }
    let visible: Vec<(String, Shown)> = seen.into_iter().map(|found| (found.path, found.shown)).collect();
    let mut poses = Moving { up, sources, vertices: parts.iter().map(|part| part.vertices).collect(), file };
    let mut positions = Vec::new();
    poses.at(times.first().copied().unwrap_or_default(), &mut positions)?;
    let mut mesh = join(&parts, positions)?;
    mesh.notes.extend(notes.into_iter().map(MeshError::new));
    let rate = cycle(&cycles).map(f64::recip).or_else(|| rate(&times));
    let shown = shown_as_one(&visible, &mut mesh);
    Ok(Archive { mesh, times, rate, turns, carried: false, shown, poses: Box::new(poses) })
}

/// Returns the samples per second if the times are evenly spaced.
fn rate(times: &[f64]) -> Option<f64> {
    let (first, last) = times.first().zip(times.last()).filter(|(a, b)| a < b)?;
    let interval = (last - first) / (times.len() - 1) as f64;
    let even = times.iter().enumerate().all(|(k, t)| (t - first - k as f64 * interval).abs() < 1e-3 * interval);
    even.then_some(1.0 / interval)
}

/// Tells why none of the meshes that were asked for is taken.
fn nothing(hidden: &[Found], empty: &[Found]) -> String {
    if let Some(found) = hidden.first() {
        return format!("'{}' is hidden, as is all that was asked for; show it, or name another", found.path);
    }
    empty.first().map_or("it has no mesh".to_string(), |found| {
        format!("<{}>: it has no points or no faces, as all that was asked for", found.path)
    })
}

/// Returns the period after which samples of all clocks repeat, if it is one [s]. A frame may have several samples.
fn cycle(cycles: &[f64]) -> Option<f64> {
    let first = cycles.first().copied().filter(|cycle| cycle.is_finite() && *cycle > 0.0)?;
    cycles.iter().all(|cycle| (cycle - first).abs() < 1e-9 * first).then_some(first)
}

/// Samples of everything that moves a mesh.
struct Samples {
    /// Times [s].
    times: Vec<f64>,
    /// Periods of the clocks [s].
    cycles: Vec<f64>,
    /// Set if a transform is animated.
    turns: bool,
}

/// Returns the samples of everything that moves a mesh.
fn samples(file: &Ogawa, found: &Found) -> Samples {
    let values = |xform: &'_ Property| xform.within.get(".vals").cloned();
    let moving: Vec<Property> = found.xforms().filter_map(values).filter(Property::moves).collect();
    let turns = !moving.is_empty();
    let moving = moving.iter().chain(found.geometry("P").filter(|p| p.moves()));
    let (mut times, mut cycles) = (Vec::new(), Vec::new());
    for property in moving {
        times.extend(property.times(&file.clocks));
        cycles.push(file.clocks.get(property.clock).map_or(1.0, |clock| clock.beat));
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    Samples { times, cycles, turns }
}

/// Reads a mesh without its vertex positions.
fn taken_apart(file: &Ogawa, found: &Found, start: f64) -> Result<Part, MeshError> {
    let path = &found.path;
    let missing = |name: &str| MeshError::new(format!("<{path}>: it has no {name}"));
    let property = |name: &str| found.geometry(name).ok_or_else(|| missing(name));
    let points = property("P")?;
    let vertices = file.reals(points, 0)?.len() / 3;
    let (counts, indices) = (property(".faceCounts")?, property(".faceIndices")?);
    for (name, property) in [(".faceCounts", counts), (".faceIndices", indices)] {
        let first = file.ints(property, 0)?;
        for sample in property.changing() {
            if file.ints(property, sample)? != first {
                let message = format!("<{path}>: its {name} change with sample {sample}; they must stay the same");
                return Err(MeshError::new(message));
            }
        }
    }
    let place = placed(file, found.xforms(), start)?;
    let turned = place.fixed_view::<3, 3>(0, 0).determinant() >= 0.0;
    let mut part = Part { path: path.clone(), vertices, ..Part::default() };
    part.set_faces(&file.ints(counts, 0)?, &file.ints(indices, 0)?, turned)?;
    chart(file, found, &mut part, turned)?;
    channels(file, found, &mut part)?;
    for child in &found.mesh().children {
        if let Some(faces) = child.properties.get(".faceset").and_then(|set| set.within.get(".faces")) {
            let faces = file.ints(faces, 0)?;
            part.group_faces(&child.name, &faces);
            part.paint(&child.name, &faces);
        }
    }
    Ok(part)
}

/// Reads the chart: values per corner or per vertex, with or without indices.
fn chart(file: &Ogawa, found: &Found, part: &mut Part, turned: bool) -> Result<(), MeshError> {
    let Some(uv) = found.geometry("uv") else { return Ok(()) };
    let Some(values) = (if uv.compound { uv.within.get(".vals") } else { Some(uv) }) else { return Ok(()) };
    let points: Vec<Vec2> = file.reals(values, 0)?.chunks_exact(2).map(|c| Vec2::new(c[0], c[1])).collect();
    let places: Vec<u32> = match uv.within.get(".indices") {
        Some(indices) => file.ints(indices, 0)?.into_iter().map(|i| i as u32).collect(),
        None => (0..points.len() as u32).collect(),
    };
    let by_corner = places.len() == part.corners.len();
    let scope = if by_corner {
        places
    } else {
        let Some(indices) = found.geometry(".faceIndices") else { return Ok(()) };
        let of = |v: i32| places.get(v as usize).copied().unwrap_or(u32::MAX);
        file.ints(indices, 0)?.into_iter().map(of).collect()
    };
    part.set_chart(points, scope, turned);
    Ok(())
}

/// Reads scalar channels with a value per vertex.
fn channels(file: &Ogawa, found: &Found, part: &mut Part) -> Result<(), MeshError> {
    let Some(all) = found.geometry(".arbGeomParams") else { return Ok(()) };
    for (name, property) in &all.within {
        let values = if property.compound { property.within.get(".vals") } else { Some(property) };
        let Some(values) = values.filter(|v| v.words.contains("podName=float") && v.words.contains("podExtent=1"))
        else {
            continue;
        };
        let mut values = file.reals(values, 0)?;
        if let Some(indices) = property.within.get(".indices") {
            let of = |i: i32| values.get(usize::try_from(i).ok()?).copied();
            values = file.ints(indices, 0)?.into_iter().filter_map(of).collect();
        }
        if values.len() == part.vertices {
            part.channels.insert(name.clone(), values);
        }
    }
    Ok(())
}

/// Motion of one mesh.
struct Mover {
    path: String,
    points: Property,
    /// Transforms, from the mesh to the top.
    xforms: Vec<Property>,
}

struct Moving {
    file: Ogawa,
    up: Upward,
    sources: Vec<Mover>,
    vertices: Vec<usize>,
}

impl Poses for Moving {
    fn at(&mut self, time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError> {
        for (source, vertices) in self.sources.iter().zip(&self.vertices) {
            let ([a, b], f) = source.points.around(&self.file.clocks, time);
            let mut own = self.file.reals(&source.points, a)?;
            if a != b {
                let next = self.file.reals(&source.points, b)?;
                if next.len() == own.len() {
                    own.iter_mut().zip(next).for_each(|(x, y)| *x += (y - *x) * f);
                }
            }
            if own.len() != 3 * vertices {
                let message = format!(
                    "<{}>: {} points at {time} s, {vertices} at first; they must be the same in all samples",
                    source.path,
                    own.len() / 3
                );
                return Err(MeshError::new(message));
            }
            let place = placed(&self.file, &source.xforms, time)?;
            let start = positions.len();
            let origin = Vec3::new(place.m14, place.m24, place.m34);
            let to_world = |p: &[f64]| place.transform_vector(&vector(p)) + origin;
            positions.extend(own.chunks_exact(3).map(|p| upright(to_world(p), Upward::Y, self.up)));
            finite(&source.path, &positions[start..], &format!(" at {time} s"))?;
        }
        Ok(())
    }

    fn rest(&mut self, _time: f64, _positions: &mut Vec<Vec3>) -> Result<(), MeshError> {
        Err(MeshError::new("an Alembic file has no shape at rest"))
    }
}

/// Computes the transform to world space at a time, of transforms from the mesh to the top.
fn placed<'a>(file: &Ogawa, xforms: impl IntoIterator<Item = &'a Property>, time: f64) -> Result<Mat4, MeshError> {
    let mut place = Mat4::identity();
    for xform in xforms {
        place = transform_of(file, xform, time)? * place;
        if !inherits(file, xform, time)? {
            break;
        }
    }
    Ok(place)
}

/// Returns whether a transform is relative to its parent.
fn inherits(file: &Ogawa, xform: &Property, time: f64) -> Result<bool, MeshError> {
    let Some(inherits) = xform.within.get(".inherits") else { return Ok(true) };
    Ok(file.ints(inherits, inherits.around(&file.clocks, time).0[0])?.first() != Some(&0))
}

/// Evaluates a transform at a time. Operations begin with the outermost. Their numbers are linear between samples.
fn transform_of(file: &Ogawa, xform: &Property, time: f64) -> Result<Mat4, MeshError> {
    let (Some(ops), Some(values)) = (xform.within.get(".ops"), xform.within.get(".vals")) else {
        return Ok(Mat4::identity());
    };
    let ([a, b], f) = values.around(&file.clocks, time);
    let mut numbers = file.reals(values, a)?;
    if a != b {
        let next = file.reals(values, b)?;
        numbers.iter_mut().zip(next).for_each(|(x, y)| *x += (y - *x) * f);
    }
    let (mut all, mut at) = (Mat4::identity(), 0);
    for op in file.ints(ops, 0)? {
        let mut next = |count: usize| -> Result<&[f64], MeshError> {
            let own =
                numbers.get(at..at + count).ok_or_else(|| MeshError::new("is damaged: a transform lacks numbers"))?;
            at += count;
            Ok(own)
        };
        all *= match op >> 4 & 15 {
            0 => Mat4::new_nonuniform_scaling(&vector(next(3)?)),
            1 => Mat4::new_translation(&vector(next(3)?)),
            2 => {
                let n = next(4)?;
                let axis = UnitVec3::try_new(vector(n), 1e-12).unwrap_or(Vec3::x_axis());
                Rotation::from_axis_angle(&axis, n[3].to_radians()).to_homogeneous()
            }
            // The file uses row vectors, so its rows are columns here.
            3 => Mat4::from_column_slice(next(16)?),
            axis @ 4..=6 => {
                let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
                Rotation::from_axis_angle(&axes[axis as usize - 4], next(1)?[0].to_radians()).to_homogeneous()
            }
            unknown => return Err(MeshError::new(format!("has a transform of kind {unknown}, which is not known"))),
        };
    }
    Ok(all)
}

fn vector(n: &[f64]) -> Vec3 {
    Vec3::new(n[0], n[1], n[2])
}
