//! `PointInstancer`: where it places its prototypes (UsdGeom), evaluated as in Pixar's reference.

use super::resolved::{self, describe, value};
use super::values::{ints, transform, vectors};
use super::xform::{Any, attribute, operations, outward, up_to};
use crate::linalg::Vec3;
use crate::mesh::MeshError;
use openusd::gf::Matrix4d;
use openusd::sdf::{Path, Value};
use openusd::usd::{Prim, TimeCode};
use std::collections::HashSet;
use std::rc::Rc;

/// Attributes that place instances.
const PLACING: [&str; 4] = ["positions", "orientations", "orientationsf", "scales"];

/// Instances of one prototype of an instancer.
#[derive(Clone)]
pub(super) struct Level {
    instancer: Prim,
    /// Root of the prototype.
    top: Path,
    /// Indices of the instances.
    members: Rc<[usize]>,
}

/// Instances of a mesh: those of its prototype, then those of the prototype that holds their instancer, and so on.
/// Empty for a mesh that no instancer places.
pub(super) type Levels = Vec<Level>;

/// Instancer: its prototypes, and the shown instances of each.
pub(super) struct Instancer {
    pub prototypes: Vec<(Path, Level)>,
    pub notes: Vec<&'static str>,
}

impl Instancer {
    /// Reads which instances of which prototypes an instancer has at its first time.
    ///
    /// # Errors
    /// Fails if an attribute is of another type or an instance names no prototype.
    pub(super) fn of(prim: &Prim) -> Result<Instancer, MeshError> {
        let targets = prim.relationship("prototypes").forwarded_targets().map_err(describe)?;
        let indices = ints(prim, "protoIndices")?;
        let mut notes = Vec::new();
        for (name, note) in [
            ("protoIndices", "its protoIndices change with time; the first are taken"),
            ("invisibleIds", "its invisibleIds change with time; the first are taken"),
        ] {
            if prim.attribute(name).num_time_samples().map_err(describe)? > 1 {
                notes.push(note);
            }
        }
        let hidden = hidden(prim)?;
        let ids = match value(prim, "ids")? {
            Some(Value::Int64Vec(ids)) if ids.len() == indices.len() => Some(ids),
            _ => None,
        };
        let mut members = vec![Vec::new(); targets.len()];
        for (k, prototype) in indices.iter().enumerate() {
            let id = ids.as_ref().map_or(k as i64, |ids| ids[k]);
            let Some(own) = usize::try_from(*prototype).ok().and_then(|p| members.get_mut(p)) else {
                let message =
                    format!("<{}>: instance {k} is of prototype {prototype}; it has {}", prim.path(), targets.len());
                return Err(MeshError::new(message));
            };
            if !hidden.contains(&id) {
                own.push(k);
            }
        }
        let level = |(top, members): (Path, Vec<usize>)| {
            (top.clone(), Level { instancer: prim.clone(), top, members: members.into() })
        };
        let all = targets.into_iter().zip(members).filter(|(_, members)| !members.is_empty());
        Ok(Instancer { prototypes: all.map(level).collect(), notes })
    }
}

/// Returns the ids of instances that are inactive, or invisible at first.
fn hidden(prim: &Prim) -> Result<HashSet<i64>, MeshError> {
    let mut all = HashSet::new();
    if let Some(Value::Int64Vec(ids)) = value(prim, "invisibleIds")? {
        all.extend(ids);
    }
    let inactive =
        prim.stage().attribute(prim.path().clone()).get_metadata::<Value>("inactiveIds").map_err(describe)?;
    match inactive {
        Some(Value::Int64ListOp(ids)) => all.extend(ids.flatten()),
        Some(Value::Int64Vec(ids)) => all.extend(ids),
        _ => (),
    }
    Ok(all)
}

/// Returns the number of instances of a mesh.
pub(super) fn count(levels: &Levels) -> usize {
    levels.iter().fold(1, |all, level| all.saturating_mul(level.members.len()))
}

/// Returns the prims whose visibility and transforms are those of a mesh, from the mesh outwards.
pub(super) fn holders(prim: &Prim, levels: &Levels) -> Vec<Any> {
    let tops = levels.iter().map(|level| Some(&level.top)).chain([None]);
    let from = [prim].into_iter().chain(levels.iter().map(|level| &level.instancer));
    from.zip(tops).flat_map(|(prim, top)| up_to(prim, top).collect::<Vec<_>>()).collect()
}

/// Computes the transforms from the space of a prim to the world, one for each instance.
///
/// # Errors
/// Fails if an instance has no position at the time.
pub(super) fn places(space: &Prim, levels: &Levels, code: TimeCode) -> Result<Vec<Matrix4d>, MeshError> {
    let mut all = vec![outward(space, levels.first().map(|level| &level.top), code)?];
    for (k, level) in levels.iter().enumerate() {
        let around = outward(&level.instancer, levels.get(k + 1).map(|next| &next.top), code)?;
        let own = level.matrices(code)?;
        all = own.iter().flat_map(|own| all.iter().map(|within| *within * *own * around)).collect();
    }
    Ok(all)
}

/// Returns the time codes of samples that place instances.
pub(super) fn times(levels: &Levels) -> Result<Vec<Vec<f64>>, MeshError> {
    let own = levels.iter().flat_map(|level| PLACING.map(|name| level.instancer.attribute(name)));
    own.map(|attribute| resolved::times(&attribute)).collect()
}

/// Returns the time codes of samples of the transforms of prims.
pub(super) fn transform_times(all: &[Any]) -> Result<Vec<Vec<f64>>, MeshError> {
    let mut times = Vec::new();
    for any in all {
        for operation in operations(any)?.0 {
            times.push(resolved::times(&attribute(any, &operation).0)?);
        }
    }
    Ok(times)
}

impl Level {
    /// Computes the transform of each instance at a time code: scale, turn, shift.
    fn matrices(&self, code: TimeCode) -> Result<Vec<Matrix4d>, MeshError> {
        let prim = &self.instancer;
        let path = prim.path().as_str();
        let at = |name: &str| vectors(resolved::held(&prim.attribute(name), code)?, path);
        let positions = at("positions")?;
        let scales = match value(prim, "scales")? {
            Some(_) => at("scales")?,
            None => Vec::new(),
        };
        let mut turns = quaternions(prim, "orientationsf", code)?;
        if turns.is_empty() {
            turns = quaternions(prim, "orientations", code)?;
        }
        let of = |k: &usize| {
            let Some(p) = positions.get(*k) else {
                let message = format!(
                    "<{path}>: instance {k} has no position at time code {}, there are {}",
                    code.value(),
                    positions.len()
                );
                return Err(MeshError::new(message));
            };
            let s = scales.get(*k).copied().unwrap_or(Vec3::repeat(1.0));
            let turn = turns.get(*k).map_or(Matrix4d::IDENTITY, |q| Matrix4d::from_quat(*q));
            Ok(Matrix4d::scale([s.x, s.y, s.z]) * turn * Matrix4d::translation([p.x, p.y, p.z]))
        };
        self.members.iter().map(of).collect()
    }
}

/// Reads unit quaternions as (w, x, y, z) at a time code; none if the attribute has no value.
fn quaternions(prim: &Prim, name: &str, code: TimeCode) -> Result<Vec<[f64; 4]>, MeshError> {
    let all: Vec<[f64; 4]> = match resolved::held(&prim.attribute(name), code)? {
        Some(Value::QuathVec(all)) => all.iter().map(|q| [q.w, q.x, q.y, q.z].map(|c| c.to_f64())).collect(),
        Some(Value::QuatfVec(all)) => all.iter().map(|q| [q.w, q.x, q.y, q.z].map(f64::from)).collect(),
        Some(Value::QuatdVec(all)) => all.iter().map(|q| [q.w, q.x, q.y, q.z]).collect(),
        _ => Vec::new(),
    };
    let unit = |q: [f64; 4]| {
        let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
        if length > 1e-12 { q.map(|c| c / length) } else { [1.0, 0.0, 0.0, 0.0] }
    };
    Ok(all.into_iter().map(unit).collect())
}

/// Appends a point to a list, once for each transform. Points of one instance stay together.
pub(super) fn spread(own: &[Vec3], places: &[Matrix4d], to: impl Fn(Vec3) -> Vec3, positions: &mut Vec<Vec3>) {
    for place in places {
        positions.extend(own.iter().map(|p| to(transform(place, *p))));
    }
}
