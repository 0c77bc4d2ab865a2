//! UsdSkel: blend shapes, then linear blend or dual quaternion skinning, evaluated as in Pixar's reference.

use super::dual::{self, Joint};
use super::resolved::{self, describe, value};
use super::values::{token, transform};
use super::xform::above;
use crate::linalg::Vec3;
use crate::mesh::MeshError;
use openusd::gf::{Matrix4d, Vec3f};
use openusd::schemas::skel::{BlendShape, SkelAnimQuery, SkelBindingAPI, Skeleton, SkeletonResolver, SkinningResolver};
use openusd::sdf::{self, Value};
use openusd::usd::{Prim, Stage, TimeCode};

/// Skinning of a mesh by a skeleton.
pub(super) struct Skin {
    path: String,
    skeleton: Prim,
    bones: SkeletonResolver,
    animation: Option<SkelAnimQuery>,
    binding: SkinningResolver,
    /// Joint and weight pairs, a fixed number per vertex. If `rigid`, one set applies to the whole mesh.
    joints: Vec<i32>,
    weights: Vec<f32>,
    rigid: bool,
    /// Set if joints are blended as dual quaternions.
    dual: bool,
    shapes: Vec<Shape>,
}

/// Skinning attributes that a mesh may inherit from its ancestors, as it does all primvars.
const INHERITED: [&str; 4] =
    ["primvars:skel:jointIndices", "primvars:skel:jointWeights", "primvars:skel:geomBindTransform", "skel:joints"];

/// Attributes of an animation.
const ANIMATED: [&str; 4] = ["translations", "rotations", "scales", "blendShapeWeights"];

/// Checks that each sample of an animation has a value.
fn is_whole(stage: &Stage, animation: &SkelAnimQuery) -> Result<(), MeshError> {
    let prim = stage.prim(sdf::Path::new(animation.prim_path()).map_err(describe)?);
    for attribute in ANIMATED.map(|name| prim.attribute(name)) {
        if resolved::rests(&attribute)? {
            let message = format!("<{}>: a value over samples of another place", attribute.path());
            return Err(MeshError::new(format!("{message}, which bones are not evaluated with; flatten the stage")));
        }
        for time in attribute.time_sample_times().map_err(describe)? {
            if attribute.get_at::<Value>(TimeCode::new(time)).map_err(describe)?.is_none() {
                let path = attribute.path();
                let message = format!("<{path}>: no value at time code {time}, which bones are not evaluated with");
                return Err(MeshError::new(format!("{message}; give it one")));
            }
        }
    }
    Ok(())
}

/// Returns whether the nearest skinning method at or above a prim is dual quaternions.
fn dual_quaternions(prim: &Prim) -> Result<bool, MeshError> {
    for any in above(prim) {
        if let Some(method) = value(&any.0, "primvars:skel:skinningMethod")? {
            return Ok(token(Some(&method)) == Some("dualQuaternion"));
        }
    }
    Ok(false)
}

/// Finds a skinning attribute that an ancestor of the mesh has and the mesh has not.
fn inherited(prim: &Prim) -> Result<Option<String>, MeshError> {
    for name in INHERITED {
        for (k, any) in above(prim).enumerate() {
            if value(&any.0, name)?.is_some() {
                if k > 0 {
                    return Ok(Some(any.0.attribute(name).path().to_string()));
                }
                break;
            }
        }
    }
    Ok(None)
}

/// Blend shape.
struct Shape {
    /// Index of its weight in the animation; none if it is not animated.
    weight: Option<usize>,
    /// Weights and the offsets that each gives, ascending. Weight 0 gives none.
    steps: Vec<(f64, Vec<Vec3f>)>,
    vertices: Vec<i32>,
}

impl Skin {
    /// Reads the skinning of a mesh with so many vertices. Returns nothing if it is not skinned.
    ///
    /// # Errors
    /// Fails if the binding is incomplete, inherited or out of range.
    pub(super) fn of(stage: &Stage, prim: &Prim, vertices: usize) -> Result<Option<Skin>, MeshError> {
        let path = prim.path().as_str().to_string();
        let fault = |what: &str| MeshError::new(format!("<{path}>: {what}"));
        if !below_root(prim)? {
            return Ok(None);
        }
        let Some(bound) = SkelBindingAPI::get(stage, prim.path().clone()).map_err(describe)? else { return Ok(None) };
        let Some(skeleton) = bound.inherited_skeleton().map_err(describe)? else { return Ok(None) };
        let Some(bones) = Skeleton::get(stage, skeleton.clone()).map_err(describe)? else {
            return Err(fault(&format!("it is bound to <{skeleton}>, which is no Skeleton")));
        };
        let skeleton = stage.prim(skeleton);
        let source = match bound.inherited_animation_source().map_err(describe)? {
            Some(source) => Some(source),
            // A skeleton may carry the animation binding of its meshes.
            None => match SkelBindingAPI::get(stage, skeleton.path().clone()).map_err(describe)? {
                Some(own) => own.inherited_animation_source().map_err(describe)?,
                None => None,
            },
        };
        let animation = match source {
            Some(source) => SkelAnimQuery::new(stage, source).map_err(describe)?,
            None => None,
        };
        if let Some(animation) = &animation {
            is_whole(stage, animation)?;
        }
        let bones = SkeletonResolver::from_skeleton(&bones).map_err(describe)?;
        let binding = SkinningResolver::from_binding(&bound, bones.joint_order()).map_err(describe)?;
        if let Some(inherited) = inherited(prim)? {
            return Err(fault(&format!("it inherits <{inherited}>, which is read at the mesh only; write it there")));
        }
        let [joints, weights] =
            [bound.joint_indices().map_err(describe)?.len(), bound.joint_weights().map_err(describe)?.len()];
        let shapes = shapes(stage, &bound, animation.as_ref())?;
        if joints == 0 && shapes.is_empty() {
            return Ok(None);
        }
        let (rigid, each) = (binding.is_rigidly_deformed(), binding.num_influences_per_component());
        let wanted = if rigid { each } else { vertices * each };
        if joints != weights || joints > 0 && joints != wanted {
            return Err(fault(&format!(
                "{joints} joint indices and {weights} weights, {wanted} of each are needed: {each} a vertex"
            )));
        }
        let joints = bound.joint_indices().map_err(describe)?;
        if joints.iter().any(|j| *j < 0 || *j as usize >= binding.joint_order_len()) {
            return Err(fault(&format!(
                "a vertex follows a joint that is not there, there are {}",
                binding.joint_order_len()
            )));
        }
        let count = bones.joint_order().len();
        if bones.joint_world_bind_transforms().len() != count {
            return Err(fault("its skeleton has no bind transform for each of its joints"));
        }
        let weights = bound.joint_weights().map_err(describe)?;
        let dual = dual_quaternions(prim)?;
        Ok(Some(Skin { path, skeleton, bones, animation, binding, joints, weights, rigid, dual, shapes }))
    }

    /// Returns the skeleton in whose space skinned points are; none if only blend shapes act.
    pub(super) fn skeleton(&self) -> Option<&Prim> {
        (!self.joints.is_empty()).then_some(&self.skeleton)
    }

    /// Returns the time codes of samples of joints and of blend shape weights.
    pub(super) fn times(&self) -> Result<Vec<f64>, MeshError> {
        let Some(animation) = &self.animation else { return Ok(Vec::new()) };
        let prim = self.skeleton.stage().prim(sdf::Path::new(animation.prim_path()).map_err(describe)?);
        let mut times = Vec::new();
        for name in ANIMATED {
            times.extend(prim.attribute(name).time_sample_times().map_err(describe)?);
        }
        times.sort_by(f64::total_cmp);
        times.dedup();
        Ok(times)
    }

    /// Transforms mesh points to the bind pose, in skeleton space.
    pub(super) fn bind(&self, points: &mut [Vec3]) {
        let place = self.binding.geom_bind_transform();
        if !self.joints.is_empty() {
            points.iter_mut().for_each(|p| *p = transform(&place, *p));
        }
    }

    /// Deforms mesh points to their pose at a time code, in skeleton space.
    pub(super) fn bend(&self, points: &mut [Vec3], code: TimeCode) -> Result<(), MeshError> {
        let stage = self.skeleton.stage();
        if let Some(animation) = self.animation.as_ref().filter(|_| !self.shapes.is_empty()) {
            let weights = animation.compute_blend_shape_weights(stage, code).map_err(describe)?;
            self.shapes.iter().for_each(|shape| shape.add(&weights, points));
        }
        self.bind(points);
        if self.joints.is_empty() {
            return Ok(());
        }
        let moved = self.binding.remap_skinning_xforms(&self.pose(stage, code)?);
        let each = self.binding.num_influences_per_component();
        let pairs = |v: usize| {
            let from = if self.rigid { 0 } else { v * each };
            let pairs = self.joints[from..from + each].iter().zip(&self.weights[from..from + each]);
            pairs.filter(|(_, weight)| **weight != 0.0).map(|(joint, weight)| (*joint as usize, f64::from(*weight)))
        };
        if self.dual {
            let all: Vec<Joint> = moved.iter().map(Joint::of).collect();
            for (v, p) in points.iter_mut().enumerate() {
                *p = dual::moved(*p, pairs(v).map(|(joint, weight)| (&all[joint], weight)));
            }
            return Ok(());
        }
        for (v, p) in points.iter_mut().enumerate() {
            let bound = *p;
            *p = pairs(v).map(|(joint, weight)| transform(&moved[joint], bound) * weight).sum();
        }
        Ok(())
    }

    /// Computes the transform of each joint from its bind pose to its current pose, in skeleton space.
    fn pose(&self, stage: &Stage, code: TimeCode) -> Result<Vec<Matrix4d>, MeshError> {
        let order = self.bones.joint_order();
        let mut local = self.bones.rest_pose_local().to_vec();
        if let Some(animation) = &self.animation {
            let moved = animation.compute_joint_local_transforms(stage, code).map_err(describe)?;
            let place = |name: &String| animation.joint_order().iter().position(|other| other == name);
            let places: Vec<Option<usize>> = order.iter().map(place).collect();
            if local.len() != order.len() && places.contains(&None) {
                let message =
                    format!("<{}>: its animation lacks joints that its skeleton has no rest transform of", self.path);
                return Err(MeshError::new(message));
            }
            local.resize(order.len(), Matrix4d::IDENTITY);
            for (own, place) in local.iter_mut().zip(places) {
                if let Some(moved) = place.and_then(|k| moved.get(k)) {
                    *own = *moved;
                }
            }
        } else if local.len() != order.len() {
            // Without any pose the joints stay in bind pose.
            return Ok(vec![Matrix4d::IDENTITY; order.len()]);
        }
        Ok(self.bones.compute_skinning_transforms_from_local(&local, Matrix4d::IDENTITY))
    }
}

/// Returns whether a prim is below a `SkelRoot`, where alone bones act. A baked mesh keeps its binding, but has no
/// root.
fn below_root(prim: &Prim) -> Result<bool, MeshError> {
    for path in prim.path().ancestors_below_root() {
        if prim.stage().prim(path).type_name().map_err(describe)?.is_some_and(|t| t.as_str() == "SkelRoot") {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Shape {
    /// Adds the offsets of its weight to points: linear between two steps, and onward beyond the first and the last.
    fn add(&self, weights: &[f32], points: &mut [Vec3]) {
        let Some(weight) = self.weight.and_then(|k| weights.get(k).copied()).filter(|w| *w != 0.0) else { return };
        let weight = f64::from(weight);
        let next = self.steps.partition_point(|(at, _)| *at <= weight).clamp(1, self.steps.len() - 1);
        let [(before, from), (after, to)] = [&self.steps[next - 1], &self.steps[next]];
        let part = if after > before { (weight - before) / (after - before) } else { 1.0 };
        let offset = |all: &[Vec3f], k: usize| {
            all.get(k).map_or(Vec3::zeros(), |offset| Vec3::new(offset.x.into(), offset.y.into(), offset.z.into()))
        };
        for k in 0..from.len().max(to.len()) {
            let v = if self.vertices.is_empty() { k } else { self.vertices.get(k).map_or(usize::MAX, |v| *v as usize) };
            if let Some(p) = points.get_mut(v) {
                *p += offset(from, k) * (1.0 - part) + offset(to, k) * part;
            }
        }
    }
}

/// Reads the blend shapes of a mesh, with the index of their weights in the animation.
fn shapes(stage: &Stage, bound: &SkelBindingAPI, animation: Option<&SkelAnimQuery>) -> Result<Vec<Shape>, MeshError> {
    let names = bound.blend_shapes().map_err(describe)?;
    let mut all = Vec::new();
    for (name, target) in names.iter().zip(bound.blend_shape_targets().map_err(describe)?) {
        let Some(shape) = BlendShape::get(stage, target.clone()).map_err(describe)? else { continue };
        let weight = animation.and_then(|a| a.blend_shape_order().iter().position(|other| other == name));
        let mut steps = vec![(0.0, Vec::new()), (1.0, shape.offsets().map_err(describe)?)];
        for between in shape.inbetweens().map_err(describe)? {
            // Pixar's library passes over those without a weight, and at the weights of none and of all.
            let weight =
                between.weight.map(f64::from).filter(|weight| weight.is_finite() && ![0.0, 1.0].contains(weight));
            steps.extend(weight.map(|weight| (weight, between.offsets)));
        }
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        // Some exporters write them as unsigned, which the reader holds in 64 bits.
        let vertices = match value(&stage.prim(target), "pointIndices")? {
            Some(Value::Int64Vec(all)) => all.iter().map(|v| i32::try_from(*v).unwrap_or(-1)).collect(),
            _ => shape.point_indices().map_err(describe)?,
        };
        all.push(Shape { weight, steps, vertices });
    }
    Ok(all)
}
