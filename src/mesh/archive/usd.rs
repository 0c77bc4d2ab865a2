//! USD reader: text, crate and `usdz` files, composed by the crate `openusd`. Reads points, the transforms of all prims
//! above them, instances and bones ([`Skin`]), and time codes, unit and up axis of the stage.

use super::assets::Assets;
use super::shown::Shown;
use super::skin::Skin;
use super::values::{changes, ints, points, primvars, subsets, token, told, transform, value};
use super::xform::{Any, above, attribute, operations, world};
use super::{Archive, Entry, Part, Poses, Upward, chosen, finite, join, shown_as_one, some, upright};
use crate::linalg::Vec3;
use crate::mesh::MeshError;
use openusd::gf::Matrix4d;
use openusd::pcp::{ArcType, Node};
use openusd::schemas::geom::{Imageable, Purpose};
use openusd::sdf::Value;
use openusd::usd::{AttributeQuery, Prim, PrimPredicate, Stage, TimeCode};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Largest accepted nesting depth of a prim.
const DEEPEST: usize = 200;

/// Mesh on the stage.
struct Found {
    prim: Prim,
    shown: Shown,
    /// Reason why it is left out.
    hidden: Option<&'static str>,
}

/// Meshes of a stage, and prims to report.
struct Content {
    meshes: Vec<Found>,
    /// Paths of surfaces that are not meshes.
    others: Vec<String>,
    /// Paths of prims that refer to a missing prim.
    astray: Vec<String>,
    /// Composition error, if there is one.
    broken: Option<String>,
}

fn content(stage: &Stage) -> Result<Content, MeshError> {
    let mut paths = Vec::new();
    stage.traverse(PrimPredicate::DEFAULT_PROXIES, |path| paths.push(path.clone())).map_err(told)?;
    let broken = stage.composition_errors().first().map(|error| format!("what it refers to is not whole: {error}"));
    let rate = rate(stage)?;
    let (mut all, mut others, mut astray, mut instancer) = (Vec::new(), Vec::new(), Vec::new(), None);
    if let Some(deep) = paths.iter().find(|path| path.as_str().matches('/').count() > DEEPEST) {
        let top = deep.as_str().split('/').nth(1).unwrap_or_default();
        return Err(MeshError::new(format!("its prims below '/{top}' are nested more than {DEEPEST} deep")));
    }
    for path in paths {
        // Prims below an instancer are prototypes. Their instances are placed elsewhere.
        if instancer.as_ref().is_some_and(|instancer| path.has_prefix(instancer)) {
            continue;
        }
        let any = Any(stage.prim(path.clone()));
        if strays(&any.0)? {
            astray.push(path.as_str().to_string());
        }
        match any.0.type_name().map_err(told)?.as_ref().map_or("", |t| t.as_str()) {
            "Mesh" => {
                let shown = shown(&any.0, rate)?;
                let hidden = match any.compute_purpose().map_err(told)? {
                    _ if shown.never() => Some("hidden"),
                    Purpose::Guide => Some("guide"),
                    Purpose::Proxy => Some("proxy"),
                    _ => None,
                };
                all.push(Found { prim: any.0, shown, hidden });
            }
            "PointInstancer" => {
                others.push(path.as_str().to_string());
                instancer = Some(path);
            }
            "Cube" | "Sphere" | "Capsule" | "Cone" | "Cylinder" | "Plane" | "NurbsPatch" => {
                others.push(path.as_str().to_string());
            }
            _ => (),
        }
    }
    if let (true, Some(broken)) = (all.is_empty(), &broken) {
        return Err(MeshError::new(broken));
    }
    Ok(Content { meshes: all, others, astray, broken })
}

/// Returns whether a reference or payload of the prim leads to a missing prim. Composition does not report this as an
/// error.
fn strays(prim: &Prim) -> Result<bool, MeshError> {
    let graph = prim.prim_index().graph().map_err(told)?;
    // Counts only the arcs of this prim, not those inherited from its ancestors.
    let depth = prim.path().as_str().matches('/').count();
    let leads = |node: &&Node| matches!(node.arc(), ArcType::Reference | ArcType::Payload) && !node.has_specs();
    Ok(graph.all_nodes().filter(leads).any(|node| usize::from(node.namespace_depth()) == depth))
}

/// Computes when a prim is visible [s]. It is hidden whenever an ancestor is.
fn shown(prim: &Prim, rate: f64) -> Result<Shown, MeshError> {
    let visible = |value: Option<Value>| token(value.as_ref()) != Some("invisible");
    let mut all = Shown::always(true);
    for any in above(prim) {
        let attribute = any.0.attribute("visibility");
        let mut samples = Vec::new();
        for time in attribute.time_sample_times().map_err(told)? {
            samples.push((time / rate, visible(attribute.get_at(TimeCode::new(time)).map_err(told)?)));
        }
        let default = samples.is_empty().then(|| attribute.get_at::<Value>(None).map_err(told)).transpose()?.flatten();
        all = all.with(&Shown::sampled(samples, visible(default)), |above, own| above && own);
    }
    Ok(all)
}

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
    Stage::builder().resolver(Assets::default()).open(name).map_err(told)
}

/// Lists the meshes of the file.
pub fn list(file: &Path) -> Result<(Vec<Entry>, Option<f64>), MeshError> {
    let stage = stage(file)?;
    let rate = rate(&stage)?;
    let mut all = Vec::new();
    for Found { prim, hidden, .. } in content(&stage)?.meshes {
        let path = prim.path().as_str().to_string();
        let vertices = points(&prim.attribute("points").query(), Some(TimeCode::EARLIEST), &path)?.len();
        let faces = ints(&prim, "faceVertexCounts")?.len();
        let skin = Skin::of(&stage, &prim, vertices)?;
        let (times, _) = samples(&prim, skin.as_ref())?;
        let moves = times.first().zip(times.last()).map(|(first, last)| [first / rate, last / rate]);
        let words = hidden.into_iter().chain(skin.map(|_| "skinned")).map(String::from).collect();
        all.push(Entry { path, kind: "Mesh".into(), size: [vertices, faces], moves, words });
    }
    Ok((all, Some(rate)))
}

/// Opens the file.
pub fn open(file: &Path, wanted: Option<&str>, up: Upward) -> Result<Archive, MeshError> {
    let stage = stage(file)?;
    let Content { meshes: all, others, astray, broken } = content(&stage)?;
    // If a part of the file is asked for, a composition error is only a note.
    if let (Some(broken), None) = (&broken, wanted) {
        return Err(MeshError::new(broken));
    }
    let paths: Vec<String> = all.iter().map(|found| found.prim.path().as_str().to_string()).collect();
    let taken = chosen(&paths, wanted).map_err(|error| match &broken {
        Some(broken) => MeshError::new(format!("{error}; {broken}")),
        None => error,
    })?;
    let below = all.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(found, _)| found);
    let (seen, hidden): (Vec<Found>, Vec<Found>) = below.partition(|found| found.hidden.is_none());
    if let (Some(found), []) = (hidden.first(), &seen[..]) {
        let what = found.hidden.unwrap_or_default();
        let message =
            format!("'{}' is {what}, as is all that was asked for; show it, or name another", found.prim.path());
        return Err(MeshError::new(message));
    }
    if seen.is_empty() {
        return Err(MeshError::new("it has no mesh"));
    }
    let rate = rate(&stage)?;
    let (metres, note) = unit(&stage)?;
    let (mut times, mut turns, mut parts, mut sources) = (Vec::new(), false, Vec::new(), Vec::new());
    let mut visible = Vec::new();
    for Found { prim, shown, .. } in seen {
        visible.push((prim.path().as_str().to_string(), shown));
        let own = taken_apart(&stage, prim)?;
        times.extend(own.times);
        turns |= own.turns;
        parts.push(own.part);
        sources.push(own.mover);
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    let from = axis(&stage)?;
    let mut poses = Moving { _stage: stage, rate, metres, turned: [from, up], sources };
    let mut positions = Vec::new();
    let first = times.first().map_or(0.0, |t| t / rate);
    poses.at(first, &mut positions)?;
    let mut mesh = join(&parts, positions)?;
    mesh.notes.extend(note.map(MeshError::new));
    let list = |found: &[Found]| some(found.iter().map(|f| f.prim.path().as_str()));
    if !hidden.is_empty() {
        mesh.notes.push(MeshError::new(format!("left out, for hidden, guide or proxy: {}", list(&hidden))));
    }
    let within = chosen(&others, wanted).unwrap_or_default();
    let left: Vec<&String> = others.iter().zip(within).filter(|(_, within)| *within).map(|(path, _)| path).collect();
    mesh.notes.extend(broken.map(MeshError::new));
    if !astray.is_empty() {
        mesh.notes.push(MeshError::new(format!("what these refer to is not there: {}", some(&astray))));
    }
    if !left.is_empty() {
        let message = format!("left out, for no meshes: {}; turn them into meshes to take them", some(left));
        mesh.notes.push(MeshError::new(message));
    }
    times.iter_mut().for_each(|t| *t /= rate);
    let shown = shown_as_one(&visible, &mut mesh);
    Ok(Archive { mesh, times, rate: Some(rate), turns, shown, poses: Box::new(poses) })
}

/// Returns the time codes per second.
fn rate(stage: &Stage) -> Result<f64, MeshError> {
    let rate = stage.time_codes_per_second();
    if rate > 0.0 && rate.is_finite() {
        return Ok(rate);
    }
    Err(MeshError::new(format!("timeCodesPerSecond is {rate}; it must be more than 0")))
}

/// Returns the metres per unit of the stage, with a note if the stage does not define it.
fn unit(stage: &Stage) -> Result<(f64, Option<&'static str>), MeshError> {
    let metres = match stage.stage_metadata("metersPerUnit").map_err(told)? {
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
    match stage.stage_metadata("upAxis").map_err(told)? {
        Some(Value::Token(axis)) if axis.as_str() == "Z" => Ok(Upward::Z),
        Some(Value::Token(axis)) if axis.as_str() != "Y" => {
            Err(MeshError::new(format!("upAxis is \"{}\"; Y and Z are known", axis.as_str())))
        }
        _ => Ok(Upward::Y),
    }
}

/// Motion of one mesh.
struct Mover {
    path: String,
    prim: Prim,
    points: AttributeQuery,
    skin: Option<Skin>,
    vertices: usize,
}

struct Moving {
    /// Stage of the prims.
    _stage: Stage,
    rate: f64,
    metres: f64,
    turned: [Upward; 2],
    sources: Vec<Mover>,
}

impl Poses for Moving {
    fn at(&mut self, time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError> {
        self.add(time, Mover::points_at, positions)
    }

    fn rest(&mut self, time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError> {
        self.add(time, Mover::points_at_rest, positions)
    }
}

impl Moving {
    /// Appends world positions at a time. `own` returns the points of a mesh in its own space.
    fn add(
        &self,
        time: f64,
        own: impl Fn(&Mover, TimeCode) -> Result<Vec<Vec3>, MeshError>,
        positions: &mut Vec<Vec3>,
    ) -> Result<(), MeshError> {
        let code = TimeCode::new(time * self.rate);
        let [from, to] = self.turned;
        for source in &self.sources {
            let place = world(source.space(), code)?;
            let start = positions.len();
            let to_world = |p: Vec3| upright(transform(&place, p) * self.metres, from, to);
            positions.extend(own(source, code)?.into_iter().map(to_world));
            finite(&source.path, &positions[start..], &format!(" at time code {}", code.value()))?;
        }
        Ok(())
    }
}

impl Mover {
    /// Returns the prim in whose space the points are. Skinned points are in the space of their skeleton.
    fn space(&self) -> &Prim {
        self.skin.as_ref().and_then(Skin::skeleton).unwrap_or(&self.prim)
    }

    /// Returns the points at a time code, in the space of the prim or of its skeleton.
    fn points_at(&self, code: TimeCode) -> Result<Vec<Vec3>, MeshError> {
        let mut own = self.counted(points(&self.points, Some(code), &self.path)?, code)?;
        if let Some(skin) = &self.skin {
            skin.bend(&mut own, code)?;
        }
        Ok(own)
    }

    /// Returns the points at rest, in the space of the prim or of its skeleton.
    fn points_at_rest(&self, code: TimeCode) -> Result<Vec<Vec3>, MeshError> {
        let authored = self.points.get_at::<Value>(None).map_err(told)?.is_some();
        let time = if authored { None } else { Some(TimeCode::EARLIEST) };
        let mut own = self.counted(points(&self.points, time, &self.path)?, code)?;
        if let Some(skin) = &self.skin {
            skin.bind(&mut own);
        }
        Ok(own)
    }

    fn counted(&self, own: Vec<Vec3>, code: TimeCode) -> Result<Vec<Vec3>, MeshError> {
        if own.len() == self.vertices {
            return Ok(own);
        }
        let (count, path) = (own.len(), &self.path);
        let message = format!(
            "<{path}>: {count} points at time code {}, {} at first; they must be the same in all samples",
            code.value(),
            self.vertices
        );
        Err(MeshError::new(message))
    }
}

/// Returns the time codes of all samples that move a mesh, and whether transforms or bones do.
fn samples(prim: &Prim, skin: Option<&Skin>) -> Result<(Vec<f64>, bool), MeshError> {
    let several = |times: Vec<f64>| if times.len() > 1 { times } else { Vec::new() };
    let mut times = several(prim.attribute("points").time_sample_times().map_err(told)?);
    let mut turns = false;
    let top = skin.and_then(Skin::skeleton).unwrap_or(prim);
    for any in above(top) {
        for operation in operations(&any)?.0 {
            let own = several(attribute(&any, &operation).0.time_sample_times().map_err(told)?);
            turns |= !own.is_empty();
            times.extend(own);
        }
    }
    if let Some(skin) = skin {
        let own = several(skin.times()?);
        turns |= !own.is_empty();
        times.extend(own);
    }
    times.sort_by(f64::total_cmp);
    times.dedup();
    Ok((times, turns))
}

/// Mesh and motion of a prim.
struct Taken {
    part: Part,
    mover: Mover,
    /// Time codes of its samples.
    times: Vec<f64>,
    /// Set if vertices leave the straight line between samples.
    turns: bool,
}

fn taken_apart(stage: &Stage, prim: Prim) -> Result<Taken, MeshError> {
    let path = prim.path().as_str().to_string();
    let query = prim.attribute("points").query();
    let vertices = points(&query, Some(TimeCode::EARLIEST), &path)?.len();
    let mut part = Part { path: path.clone(), vertices, ..Part::default() };
    let skin = Skin::of(stage, &prim, vertices)?;
    let (times, turns) = samples(&prim, skin.as_ref())?;
    let start = TimeCode::new(times.first().copied().unwrap_or_default());
    let place = world(skin.as_ref().and_then(Skin::skeleton).unwrap_or(&prim), start)?;
    let left_handed = token(value(&prim, "orientation")?.as_ref()) == Some("leftHanded");
    let turned = left_handed != (determinant(&place) < 0.0);
    let [counts, indices] = [ints(&prim, "faceVertexCounts")?, ints(&prim, "faceVertexIndices")?];
    for name in ["faceVertexCounts", "faceVertexIndices"] {
        let attribute = prim.attribute(name);
        if attribute.num_time_samples().map_err(told)? > 1 && changes(&attribute.query())? {
            return Err(MeshError::new(format!("<{path}>: its {name} change with time; they must stay the same")));
        }
    }
    part.set_faces(&counts, &indices, turned)?;
    primvars(&prim, &mut part, turned)?;
    subsets(&prim, &mut part)?;
    let holes = ints(&prim, "holeIndices")?;
    if !holes.is_empty() {
        part.leave_out(|face| holes.contains(&(face as i32)));
    }
    Ok(Taken { part, mover: Mover { path, prim, points: query, skin, vertices }, times, turns })
}

fn determinant(m: &Matrix4d) -> f64 {
    let row = |k: usize| Vec3::new(m.0[4 * k], m.0[4 * k + 1], m.0[4 * k + 2]);
    row(0).cross(&row(1)).dot(&row(2))
}
