//! Meshes of a stage, with those that instancers place, and prims to tell of.

use super::bounds;
use super::instancer::{Instancer, Levels, count, holders};
use super::resolved::{self, describe, value};
use super::shown::Shown;
use super::values::{ints, points, token};
use super::xform::Any;
use crate::mesh::MeshError;
use openusd::pcp::{ArcType, Node};
use openusd::schemas::geom::{Imageable, Purpose};
use openusd::sdf::{Path, Value};
use openusd::usd::{Prim, PrimPredicate, Stage, TimeCode};

/// Largest accepted nesting depth of a prim.
const DEEPEST: usize = 200;
/// Largest accepted nesting depth of instancers in each other's prototypes.
const NESTED: usize = 8;
/// Largest number of prims looked at in prototypes.
const PROTOTYPES: usize = 200_000;
/// Memory taken by a vertex and by a face corner of an instance on its way to a mesh [bytes].
const TAKES: [u64; 2] = [100, 60];

/// Mesh on the stage.
pub(super) struct Found {
    pub prim: Prim,
    /// Path by which it is chosen. Of an instanced mesh it begins with the path of the instancer.
    pub path: String,
    /// Instances of it.
    pub levels: Levels,
    pub shown: Shown,
    /// Reason why it is left out.
    pub hidden: Option<&'static str>,
}

/// Meshes of a stage, and prims to report.
#[derive(Default)]
pub(super) struct Content {
    pub meshes: Vec<Found>,
    /// Paths of surfaces that are not meshes.
    pub others: Vec<String>,
    /// Paths of prims that refer to a missing prim.
    pub astray: Vec<String>,
    /// Errors of composition and of single prims, each with the path of its prim if it is known.
    pub broken: Vec<(Option<String>, String)>,
}

/// Place in the prototypes of instancers.
struct Within<'a> {
    levels: &'a Levels,
    /// Path of the prim from which a mesh is named, and the text in its place.
    from: &'a Path,
    named: &'a str,
}

/// Finds all meshes of a stage. A prim that cannot be read is told of, and does not hide others.
///
/// # Errors
/// Fails if prims are nested too deeply, or instances take more memory than the size of the file allows.
pub(super) fn content(stage: &Stage, rate: f64) -> Result<Content, MeshError> {
    let mut paths = Vec::new();
    let traversed = stage.traverse(PrimPredicate::DEFAULT_PROXIES, |path| paths.push(path.clone()));
    let mut all = Search { rate, seen: 0, content: Content::default() };
    if let Err(error) = traversed {
        all.content.broken.push((None, describe(error).what));
    }
    if let Some(deep) = paths.iter().find(|path| path.as_str().matches('/').count() > DEEPEST) {
        let top = deep.as_str().split('/').nth(1).unwrap_or_default();
        return Err(MeshError::new(format!("its prims below '/{top}' are nested more than {DEEPEST} deep")));
    }
    let mut instancer: Option<Path> = None;
    let none = Levels::new();
    for (k, path) in paths.iter().enumerate() {
        // Prims below an instancer are prototypes. Their instances are placed elsewhere.
        if instancer.as_ref().is_some_and(|instancer| path.has_prefix(instancer)) {
            continue;
        }
        let prim = stage.prim(path.clone());
        match strays(&prim) {
            Ok(true) => all.content.astray.push(path.as_str().to_string()),
            Ok(false) => (),
            Err(error) => all.content.broken.push((Some(path.as_str().to_string()), error.what)),
        }
        let leaf = paths.get(k + 1).is_none_or(|next| !next.has_prefix(path));
        if leaf && nested(&prim) {
            let what = format!(
                "<{path}>: left out, for it is an instance in an instance whose content is not found; export it with \
                 instanceable = false"
            );
            all.content.broken.push((Some(path.as_str().to_string()), what));
        }
        if all.look(&prim, path.as_str(), &none)? {
            instancer = Some(path.clone());
        }
    }
    let mut content = all.content;
    let describe = |error| (None, format!("what it refers to is not whole: {error}"));
    content.broken.extend(stage.composition_errors().iter().map(describe));
    Ok(content)
}

/// Returns whether a prim without children is an instance in an instance. openusd finds the content of some as empty.
fn nested(prim: &Prim) -> bool {
    prim.is_instanceable().unwrap_or(false) && prim.is_instance_proxy().unwrap_or(false)
}

/// Search for meshes.
struct Search {
    rate: f64,
    /// Number of prims looked at in prototypes.
    seen: usize,
    content: Content,
}

impl Search {
    /// Adds a prim, named so, if it is a mesh or an instancer. Returns whether it is an instancer.
    fn look(&mut self, prim: &Prim, named: &str, levels: &Levels) -> Result<bool, MeshError> {
        let kind = prim.type_name().map_err(describe);
        let wrong = |content: &mut Content, error: MeshError| {
            let said = error.what.contains(named);
            let what = if said { error.what } else { format!("<{named}>: {}", error.what) };
            content.broken.push((Some(named.to_string()), what));
        };
        match kind.as_ref().map(|kind| kind.as_ref().map_or("", |t| t.as_str())) {
            Err(_) => kind.map(|_| ()).unwrap_or_else(|error| wrong(&mut self.content, error)),
            Ok("Mesh") => match found(prim, named, levels, self.rate) {
                Ok(found) => self.content.meshes.push(found),
                Err(error) => wrong(&mut self.content, error),
            },
            Ok("PointInstancer") => {
                match Instancer::of(prim) {
                    Ok(instancer) => self.instances(prim, named, &instancer, levels)?,
                    Err(error) => wrong(&mut self.content, error),
                }
                return Ok(true);
            }
            Ok("Cube" | "Sphere" | "Capsule" | "Cone" | "Cylinder" | "Plane" | "NurbsPatch") => {
                self.content.others.push(named.to_string());
            }
            Ok(_) => (),
        }
        Ok(false)
    }

    /// Adds the meshes of an instancer that is itself placed by `levels`.
    fn instances(&mut self, prim: &Prim, named: &str, own: &Instancer, levels: &Levels) -> Result<(), MeshError> {
        if levels.len() >= NESTED {
            return Err(MeshError::new(format!(
                "<{named}>: instancers are nested more than {NESTED} deep in prototypes"
            )));
        }
        for note in &own.notes {
            self.content.broken.push((Some(named.to_string()), format!("<{named}>: {note}")));
        }
        if own.prototypes.is_empty() {
            let what = format!("<{named}>: left out, for it shows no instance");
            self.content.broken.push((Some(named.to_string()), what));
        }
        let placed = value(prim, "positions")?.is_some();
        if !placed && !own.prototypes.is_empty() {
            let what = format!("<{named}>: left out, for its instances have no positions");
            self.content.broken.push((Some(named.to_string()), what));
            return Ok(());
        }
        for (top, level) in &own.prototypes {
            let levels: Levels = [level.clone()].into_iter().chain(levels.iter().cloned()).collect();
            let below = format!("{named}/{}", top.name().unwrap_or_default());
            let within = if top.has_prefix(prim.path()) {
                Within { levels: &levels, from: prim.path(), named }
            } else {
                Within { levels: &levels, from: top, named: &below }
            };
            self.prototype(&prim.stage().prim(top.clone()), &within)?;
        }
        Ok(())
    }

    /// Adds the meshes of a prototype.
    fn prototype(&mut self, top: &Prim, within: &Within) -> Result<(), MeshError> {
        let mut stack = vec![top.clone()];
        while let Some(prim) = stack.pop() {
            self.seen += 1;
            if self.seen > PROTOTYPES {
                let message = format!("<{}>: its prototypes have more than {PROTOTYPES} prims", within.named);
                return Err(MeshError::new(message));
            }
            if prim.path().as_str().matches('/').count() > DEEPEST {
                return Err(MeshError::new(format!(
                    "<{}>: its prototypes are nested more than {DEEPEST} deep",
                    within.named
                )));
            }
            if !prim.is_active().unwrap_or(false) {
                continue;
            }
            let rest = prim.path().as_str().strip_prefix(within.from.as_str()).unwrap_or_default();
            if self.look(&prim, &format!("{}{rest}", within.named), within.levels)? {
                continue;
            }
            match prim.children() {
                Ok(children) => {
                    if children.is_empty() && prim.is_instanceable().unwrap_or(false) {
                        let named = within.named;
                        let what = format!(
                            "<{named}>: <{}> is left out, an instance whose content is not found; export it with \
                             instanceable = false",
                            prim.path()
                        );
                        self.content.broken.push((Some(named.to_string()), what));
                    }
                    stack.extend(children.into_iter().rev());
                }
                Err(error) => self.content.broken.push((Some(within.named.to_string()), describe(error).what)),
            }
        }
        Ok(())
    }
}

fn found(prim: &Prim, named: &str, levels: &Levels, rate: f64) -> Result<Found, MeshError> {
    let shown = shown(&holders(prim, levels), rate)?;
    resolved::declare_points(prim)?;
    let empty =
        || -> Result<bool, MeshError> { Ok(value(prim, "points")?.is_none() || points(prim, named)?.is_empty()) };
    let hidden = match Any(prim.clone()).compute_purpose().map_err(describe)? {
        _ if shown.never() => Some("hidden"),
        Purpose::Guide => Some("guide"),
        Purpose::Proxy => Some("proxy"),
        _ if empty()? || ints(prim, "faceVertexIndices")?.is_empty() => Some("empty"),
        _ => None,
    };
    Ok(Found { prim: prim.clone(), path: named.to_string(), levels: levels.clone(), shown, hidden })
}

/// Checks that the instances of meshes take no more memory than the size of the file allows.
///
/// # Errors
/// Fails with the largest of them if they do.
pub(super) fn bounded(all: &[Found]) -> Result<(), MeshError> {
    let (mut sum, mut largest) = (0_u64, (0, ""));
    for found in all.iter().filter(|found| !found.levels.is_empty()) {
        let vertices = points(&found.prim, &found.path)?.len();
        let corners = ints(&found.prim, "faceVertexIndices")?.len();
        let each = (vertices as u64).saturating_mul(TAKES[0]).saturating_add((corners as u64).saturating_mul(TAKES[1]));
        let own = each.saturating_mul(count(&found.levels) as u64);
        sum = sum.saturating_add(own);
        if own > largest.0 {
            largest = (own, &found.path);
        }
    }
    let most = bounds::instances();
    if sum <= most {
        return Ok(());
    }
    let [sum, most] = [sum, most].map(|bytes| bytes.div_ceil(1 << 20));
    Err(MeshError::new(format!(
        "its instances take {sum} MB, {most} MB are allowed; most are of <{}>. Ask for less of it, or set {}=8 in the \
         environment to read with 8 GB",
        largest.1,
        bounds::VARIABLE
    )))
}

/// Returns whether a reference or payload of the prim leads to a missing prim. Composition does not report this as an
/// error.
fn strays(prim: &Prim) -> Result<bool, MeshError> {
    let graph = prim.prim_index().graph().map_err(describe)?;
    // Counts only the arcs of this prim, not those inherited from its ancestors.
    let depth = prim.path().as_str().matches('/').count();
    let leads = |node: &&Node| matches!(node.arc(), ArcType::Reference | ArcType::Payload) && !node.has_specs();
    Ok(graph.all_nodes().filter(leads).any(|node| usize::from(node.namespace_depth()) == depth))
}

/// Computes when a prim is visible [s], by itself and by those that hold it. It is hidden whenever one of them is.
fn shown(holders: &[Any], rate: f64) -> Result<Shown, MeshError> {
    let visible = |value: Option<Value>| token(value.as_ref()) != Some("invisible");
    let mut all = Shown::always(true);
    for any in holders {
        let attribute = any.0.attribute("visibility");
        let mut samples = Vec::new();
        for time in resolved::times(&attribute)? {
            samples.push((time / rate, visible(attribute.get_at(TimeCode::new(time)).map_err(describe)?)));
        }
        let default =
            samples.is_empty().then(|| attribute.get_at::<Value>(None).map_err(describe)).transpose()?.flatten();
        all = all.with(&Shown::sampled(samples, visible(default)), |above, own| above && own);
    }
    Ok(all)
}
