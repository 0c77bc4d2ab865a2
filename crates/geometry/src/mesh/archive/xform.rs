//! Transforms of USD prims (UsdGeomXformable): the operations of `xformOpOrder`. Values are linear between samples;
//! quaternions follow the shortest arc. Integers in text files are accepted as numbers. A sample without a value holds
//! the previous one.

use super::resolved::{self, describe};
use crate::mesh::MeshError;
use openusd::gf::Matrix4d;
use openusd::schemas::geom::{Imageable, Xformable};
use openusd::sdf::{Path, Value};
use openusd::usd::{Attribute, Prim, SchemaBase, SchemaKind, TimeCode};

/// Prim of any type, treated as transformable and imageable.
pub(super) struct Any(pub Prim);

impl SchemaBase for Any {
    const KIND: SchemaKind = SchemaKind::AbstractTyped;

    fn prim(&self) -> &Prim {
        &self.0
    }
}

impl Imageable for Any {}
impl Xformable for Any {}

/// Prim types without a transform, even if operations are authored on them.
const NONE: [&str; 6] = ["", "Scope", "GeomSubset", "Material", "Shader", "NodeGraph"];

/// Returns the operations of a prim, outermost first, and whether it resets the transform stack.
pub(super) fn operations(any: &Any) -> Result<(Vec<String>, bool), MeshError> {
    let kind = any.0.type_name().map_err(describe)?;
    if NONE.contains(&kind.as_ref().map_or("", |t| t.as_str())) {
        return Ok((Vec::new(), false));
    }
    let mut all = any.xform_op_order().map_err(describe)?.unwrap_or_default();
    let resets = all.first().is_some_and(|first| first == "!resetXformStack!");
    all.retain(|op| op != "!resetXformStack!");
    Ok((all, resets))
}

/// Returns the attribute of an operation, and whether the operation is inverted.
pub(super) fn attribute(any: &Any, operation: &str) -> (Attribute, bool) {
    match operation.strip_prefix("!invert!") {
        Some(name) => (any.0.attribute(name), true),
        None => (any.0.attribute(operation), false),
    }
}

/// Computes the transform from a prim's own space to the world, or to the space that holds the prim `top` above it.
pub(super) fn outward(prim: &Prim, top: Option<&Path>, code: TimeCode) -> Result<Matrix4d, MeshError> {
    let mut all = Matrix4d::IDENTITY;
    for any in up_to(prim, top) {
        let (operations, resets) = operations(&any)?;
        // The matrices are for row vectors, so the last operation acts first.
        for operation in operations.iter().rev() {
            all = all * matrix(&any, operation, code)?;
        }
        if resets {
            break;
        }
    }
    Ok(all)
}

/// Returns a prim and its ancestors, from the prim upwards.
pub(super) fn above(prim: &Prim) -> impl Iterator<Item = Any> {
    prim.path().ancestors_below_root().map(|path| Any(prim.stage().prim(path))).collect::<Vec<_>>().into_iter()
}

/// Returns a prim and its ancestors up to and with the prim `top`, from the prim upwards.
pub(super) fn up_to(prim: &Prim, top: Option<&Path>) -> impl Iterator<Item = Any> {
    let top = top.cloned();
    above(prim).take_while(move |any| top.as_ref().is_none_or(|top| any.0.path().has_prefix(top)))
}

fn matrix(any: &Any, operation: &str, code: TimeCode) -> Result<Matrix4d, MeshError> {
    let (attribute, undone) = attribute(any, operation);
    let wrong = |what: &str| MeshError::new(format!("<{}>: {operation} {what}", any.0.path()));
    let name = operation.trim_start_matches("!invert!");
    let kind = name.strip_prefix("xformOp:").unwrap_or(name).split(':').next().unwrap_or_default();
    let count = match kind {
        "transform" => 16,
        "orient" => 4,
        "translate" | "scale" => 3,
        _ if kind.len() == 9 => 3,
        _ => 1,
    };
    let Some(n) = numbers(&attribute, code, count == 4)? else { return Ok(Matrix4d::IDENTITY) };
    if n.len() != count {
        return Err(wrong(&format!("has {} numbers, {count} are needed", n.len())));
    }
    let about = |axis: char, degrees: f64| match axis {
        'X' => Matrix4d::rotation_x(degrees.to_radians()),
        'Y' => Matrix4d::rotation_y(degrees.to_radians()),
        _ => Matrix4d::rotation_z(degrees.to_radians()),
    };
    let along = |base: f64| -> [f64; 3] {
        std::array::from_fn(|k| if kind.ends_with(['X', 'Y', 'Z'][k]) { n[0] } else { base })
    };
    let own = match kind {
        "translate" => Matrix4d::translation([n[0], n[1], n[2]]),
        "scale" => Matrix4d::scale([n[0], n[1], n[2]]),
        "orient" => Matrix4d::from_quat([n[0], n[1], n[2], n[3]]),
        "transform" => {
            let mut all = Matrix4d::IDENTITY;
            all.0.copy_from_slice(&n);
            all
        }
        "translateX" | "translateY" | "translateZ" => Matrix4d::translation(along(0.0)),
        "scaleX" | "scaleY" | "scaleZ" => Matrix4d::scale(along(1.0)),
        "rotateX" | "rotateY" | "rotateZ" => about(kind.chars().last().unwrap_or_default(), n[0]),
        "rotateXYZ" | "rotateXZY" | "rotateYXZ" | "rotateYZX" | "rotateZXY" | "rotateZYX" => {
            let turn = |axis: char| about(axis, n[(axis as usize).wrapping_sub('X' as usize).min(2)]);
            kind.chars().skip("rotate".len()).fold(Matrix4d::IDENTITY, |all, axis| all * turn(axis))
        }
        _ => return Err(wrong("is no operation that is known")),
    };
    if undone { own.inverse().ok_or_else(|| wrong("cannot be undone: it has no inverse")) } else { Ok(own) }
}

/// Returns the numbers of an attribute at a time code; none if it has no value.
fn numbers(attribute: &Attribute, code: TimeCode, turns: bool) -> Result<Option<Vec<f64>>, MeshError> {
    let at = |time: Option<f64>| -> Result<Option<Vec<f64>>, MeshError> {
        let value = attribute.get_at::<Value>(time.map(TimeCode::new)).map_err(describe)?;
        Ok(value.as_ref().map(flat))
    };
    let Some((a, b)) = resolved::around(attribute, code)? else {
        if attribute.get_metadata::<Value>("spline").map_err(describe)?.is_some() {
            let path = attribute.path();
            return Err(MeshError::new(format!("<{path}>: a spline, which is not evaluated; bake it to time samples")));
        }
        return at(None);
    };
    let before = resolved::held(attribute, TimeCode::new(a))?.as_ref().map(flat);
    if a == b {
        return Ok(before);
    }
    let (Some(from), Some(to)) = (&before, at(Some(b))?) else { return Ok(before) };
    if from.len() != to.len() {
        return Ok(before);
    }
    let f = (code.value() - a) / (b - a);
    let linear = |f: [f64; 2]| from.iter().zip(&to).map(|(x, y)| x * f[0] + y * f[1]).collect();
    if !turns {
        return Ok(Some(from.iter().zip(&to).map(|(x, y)| x + (y - x) * f).collect()));
    }
    let cosine: f64 = from.iter().zip(&to).map(|(x, y)| x * y).sum();
    let (sign, angle) = (cosine.signum(), cosine.abs().min(1.0).acos());
    Ok(Some(if angle < 1e-6 {
        linear([1.0 - f, sign * f])
    } else {
        linear([((1.0 - f) * angle).sin() / angle.sin(), sign * (f * angle).sin() / angle.sin()])
    }))
}

/// Returns the numbers of a value; empty if it is not numeric.
fn flat(value: &Value) -> Vec<f64> {
    match value {
        Value::Double(x) => vec![*x],
        Value::Float(x) => vec![f64::from(*x)],
        Value::Half(x) => vec![x.to_f64()],
        Value::Int(x) => vec![f64::from(*x)],
        Value::Uint(x) => vec![f64::from(*x)],
        Value::Int64(x) => vec![*x as f64],
        Value::Uint64(x) => vec![*x as f64],
        Value::Vec2d(v) => vec![v.x, v.y],
        Value::Vec2f(v) => vec![f64::from(v.x), f64::from(v.y)],
        Value::Vec3d(v) => vec![v.x, v.y, v.z],
        Value::Vec3f(v) => [v.x, v.y, v.z].map(f64::from).to_vec(),
        Value::Vec3h(v) => [v.x, v.y, v.z].map(|x| x.to_f64()).to_vec(),
        Value::Vec3i(v) => [v.x, v.y, v.z].map(f64::from).to_vec(),
        Value::Quatd(q) => vec![q.w, q.x, q.y, q.z],
        Value::Quatf(q) => [q.w, q.x, q.y, q.z].map(f64::from).to_vec(),
        Value::Quath(q) => [q.w, q.x, q.y, q.z].map(|x| x.to_f64()).to_vec(),
        Value::Matrix4d(m) => m.0.to_vec(),
        _ => Vec::new(),
    }
}
