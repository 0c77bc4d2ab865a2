//! Motion of meshes on a stage: points, transforms, bones and instances at any time.

use super::found::Found;
use super::instancer::{self, Levels, holders, places, spread, transform_times};
use super::resolved::{self, describe, value};
use super::skin::Skin;
use super::values::{bound, changes, ints, points, primvars, subsets, token, vectors};
use super::{Part, Poses, Upward, finite, upright};
use crate::linalg::Vec3;
use crate::mesh::MeshError;
use openusd::gf::Matrix4d;
use openusd::sdf::{LayerOffset, Value};
use openusd::usd::{Prim, Stage, TimeCode};

/// Motion of one mesh.
pub(super) struct Mover {
    path: String,
    prim: Prim,
    levels: Levels,
    skin: Option<Skin>,
    vertices: usize,
    /// Attributes of its topology that change, with their values as they were read.
    changing: Vec<(&'static str, Option<Value>)>,
}

/// Motion of all meshes that are read.
pub(super) struct Moving {
    /// Stage of the prims, which it keeps open.
    pub _stage: Stage,
    pub rate: f64,
    pub metres: f64,
    /// Up axes of the stage and of the scene.
    pub turned: [Upward; 2],
    pub sources: Vec<Mover>,
}

impl Poses for Moving {
    fn at(&mut self, time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError> {
        self.add(time, Mover::points_at, positions)
    }

    fn rest(&mut self, time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError> {
        self.add(time, Mover::points_at_rest, positions)
    }
}

/// Returns a time code that went through seconds as it was: 1004/25*25 is below 1004, where a sample begins to hold.
fn exact(code: f64) -> f64 {
    let near = (code * 1e6).round() / 1e6;
    if (near - code).abs() <= 1e-12 * code.abs().max(1.0) { near } else { code }
}

impl Moving {
    /// Appends world positions at a time. `own` returns the points of a mesh in its own space.
    fn add(
        &self,
        time: f64,
        own: impl Fn(&Mover, TimeCode) -> Result<Vec<Vec3>, MeshError>,
        positions: &mut Vec<Vec3>,
    ) -> Result<(), MeshError> {
        let code = TimeCode::new(exact(time * self.rate));
        let [from, to] = self.turned;
        for source in &self.sources {
            let places = places(source.space(), &source.levels, code)?;
            let start = positions.len();
            spread(&own(source, code)?, &places, |p| upright(p * self.metres, from, to), positions);
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
        for (name, read) in &self.changing {
            if self.prim.attribute(*name).get_at::<Value>(code).map_err(describe)? != *read {
                let path = &self.path;
                let message = format!(
                    "<{path}>: its {name} at time code {} are not the first ones; they must stay the same",
                    code.value()
                );
                return Err(MeshError::new(message));
            }
        }
        let mut own = match resolved::between(&self.prim.attribute("points"), code)? {
            Some((ends, part)) => {
                let [from, to] = ends.map(|end| vectors(Some(end), &self.path));
                let [from, to] = [self.counted(from?, code)?, self.counted(to?, code)?];
                from.iter().zip(&to).map(|(a, b)| a.lerp(b, part)).collect()
            }
            None => self.counted(vectors(resolved::held(&self.prim.attribute("points"), code)?, &self.path)?, code)?,
        };
        if let Some(skin) = &self.skin {
            skin.bend(&mut own, code)?;
        }
        Ok(own)
    }

    /// Returns the points at rest, in the space of the prim or of its skeleton.
    fn points_at_rest(&self, code: TimeCode) -> Result<Vec<Vec3>, MeshError> {
        let authored = self.prim.attribute("points").get_at::<Value>(None).map_err(describe)?;
        let rest = if authored.is_some() { vectors(authored, &self.path)? } else { points(&self.prim, &self.path)? };
        let mut own = self.counted(rest, code)?;
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

/// Samples that move a mesh.
pub(super) struct Samples {
    /// Time codes of all of them.
    pub times: Vec<f64>,
    /// Set if transforms, bones or instancers have some.
    turns: bool,
    /// Set if transforms or instancers have some.
    carried: bool,
}

/// Returns the samples that move a mesh.
pub(super) fn samples(prim: &Prim, levels: &Levels, skin: Option<&Skin>) -> Result<Samples, MeshError> {
    let several = |times: Vec<f64>| if times.len() > 1 { times } else { Vec::new() };
    let mut times = several(resolved::times(&prim.attribute("points"))?);
    let top = skin.and_then(Skin::skeleton).unwrap_or(prim);
    let mut turning = transform_times(&holders(top, levels))?;
    turning.extend(instancer::times(levels)?);
    let carried = turning.iter().any(|own| own.len() > 1);
    if let Some(skin) = skin {
        turning.push(skin.times()?);
    }
    let turns = turning.iter().any(|own| own.len() > 1);
    times.extend(turning.into_iter().flat_map(several));
    times.sort_by(f64::total_cmp);
    times.dedup();
    Ok(Samples { times, turns, carried })
}

/// Attributes that have the topology of a mesh.
const FACES: [&str; 2] = ["faceVertexCounts", "faceVertexIndices"];

/// Mesh and motion of a prim.
pub(super) struct Taken {
    pub part: Part,
    pub mover: Mover,
    /// Time codes of its samples.
    pub times: Vec<f64>,
    /// Set if vertices leave the straight line between samples.
    pub turns: bool,
    /// Set if transforms or instancers have samples.
    pub carried: bool,
}

/// Takes a mesh apart into its surface and its motion.
///
/// # Errors
/// Fails if a value is missing, of another type, or changes the topology.
pub(super) fn taken_apart(stage: &Stage, found: Found, chart: Option<&str>) -> Result<Taken, MeshError> {
    let Found { prim, path, levels, .. } = found;
    let vertices = points(&prim, &path)?.len();
    let mut part = Part { path: path.clone(), vertices, ..Part::default() };
    let skin = Skin::of(stage, &prim, vertices)?;
    let Samples { times, turns, carried } = samples(&prim, &levels, skin.as_ref())?;
    if !times.is_empty() && retimed(&prim)? {
        let message = format!("<{path}>: a reference within a sublayer whose time is offset or scaled");
        return Err(MeshError::new(format!("{message}, which is not evaluated; flatten the stage")));
    }
    let start = TimeCode::new(times.first().copied().unwrap_or_default());
    let places = places(skin.as_ref().and_then(Skin::skeleton).unwrap_or(&prim), &levels, start)?;
    let mirrored: Vec<bool> = places.iter().map(|place| determinant(place) < 0.0).collect();
    let left_handed = token(value(&prim, "orientation")?.as_ref()) == Some("leftHanded");
    let turned = left_handed != mirrored.first().is_some_and(|first| *first);
    let [counts, indices] = [ints(&prim, "faceVertexCounts")?, ints(&prim, "faceVertexIndices")?];
    let mut changing = Vec::new();
    for name in FACES {
        let attribute = prim.attribute(name);
        if attribute.num_time_samples().map_err(describe)? > 1 && changes(&attribute.query())? {
            part.notes.push(format!("its {name} change with time; it is read where they are the first ones"));
            changing.push((name, value(&prim, name)?));
        }
    }
    part.set_faces(&counts, &indices, turned)?;
    primvars(&prim, &mut part, turned, chart)?;
    subsets(&prim, &mut part)?;
    bound(&prim, &mut part);
    let holes = ints(&prim, "holeIndices")?;
    if !holes.is_empty() {
        part.leave_out(|face| holes.contains(&(face as i32)));
    }
    part.repeat(&mirrored);
    Ok(Taken { part, mover: Mover { path, prim, levels, skin, vertices, changing }, times, turns, carried })
}

/// Returns whether a reference within one file meets a sublayer that has an offset in time. The reader would apply that
/// once more for each such reference.
fn retimed(prim: &Prim) -> Result<bool, MeshError> {
    let graph = prim.prim_index().graph().map_err(describe)?;
    let plain = |offset: LayerOffset| offset == LayerOffset::default();
    Ok(graph.all_nodes().any(|node| {
        let within = node.parent().is_some_and(|above| graph.node(above).layer_id() == node.layer_id());
        let offset = || prim.stage().node_layer_stack(node).into_iter().any(|(_, own)| !plain(own));
        within && !plain(node.map_to_parent().time_offset()) && offset()
    }))
}

fn determinant(m: &Matrix4d) -> f64 {
    let row = |k: usize| Vec3::new(m.0[4 * k], m.0[4 * k + 1], m.0[4 * k + 2]);
    row(0).cross(&row(1)).dot(&row(2))
}
