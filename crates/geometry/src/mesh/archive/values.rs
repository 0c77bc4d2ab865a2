//! Values of a USD mesh prim: points, numbers, chart, channels and groups.

use super::resolved::{describe, value};
use super::{Part, some};
use crate::linalg::{Vec2, Vec3};
use crate::mesh::MeshError;
use openusd::gf::Matrix4d;
use openusd::sdf::Value;
use openusd::usd::{AttributeQuery, Prim, TimeCode};

/// Transforms a point by a matrix for row vectors.
pub(super) fn transform(m: &Matrix4d, p: Vec3) -> Vec3 {
    Vec3::from_fn(|k, _| p.x * m.0[k] + p.y * m.0[4 + k] + p.z * m.0[8 + k] + m.0[12 + k])
}

/// Returns whether the values of an attribute differ between samples.
pub(super) fn changes(query: &AttributeQuery) -> Result<bool, MeshError> {
    let mut first = None;
    for time in query.time_sample_times().map_err(describe)? {
        let now = query.get_at::<Value>(TimeCode::new(time)).map_err(describe)?;
        if first.get_or_insert_with(|| now.clone()) != &now {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds the subsets of a prim as groups.
pub(super) fn subsets(prim: &Prim, part: &mut Part) -> Result<(), MeshError> {
    for child in prim.children().map_err(describe)? {
        if child.type_name().map_err(describe)?.is_none_or(|t| t.as_str() != "GeomSubset") {
            continue;
        }
        let Some(name) = child.path().name().map(str::to_string) else { continue };
        let indices = ints(&child, "indices")?;
        match token(value(&child, "elementType")?.as_ref()) {
            Some("point") => {
                let vertices = part.vertices as i64;
                part.group(
                    &name,
                    indices.iter().filter(|v| (0..vertices).contains(&i64::from(**v))).map(|v| *v as u32),
                );
            }
            Some(kind) if kind != "face" => (),
            _ => {
                part.group_faces(&name, &indices);
                if token(value(&child, "familyName")?.as_ref()) == Some("materialBind") {
                    part.paint(&binding(&child).unwrap_or(name), &indices);
                }
            }
        }
    }
    Ok(())
}

/// Gives faces without a material that of the prim, or of the nearest one above it that has one.
pub(super) fn bound(prim: &Prim, part: &mut Part) {
    let mut path = Some(prim.path().clone());
    while let Some(own) = path.filter(|path| path.as_str().len() > 1) {
        if let Some(name) = binding(&prim.stage().prim(own.clone())) {
            part.paint_rest(&name);
            return;
        }
        path = own.parent();
    }
}

/// Returns the name of the material that a prim is bound to.
fn binding(prim: &Prim) -> Option<String> {
    // A broken binding is no reason to lose the mesh.
    let targets = prim.relationship("material:binding").targets().unwrap_or_default();
    targets.first().and_then(|path| path.name()).map(str::to_string)
}

/// Lists the UV sets of a prim. `st` comes first, then `UVMap`, then the others by name.
pub(super) fn charts(prim: &Prim) -> Result<Vec<String>, MeshError> {
    let mut charts: Vec<(usize, String)> = Vec::new();
    for name in prim.property_names().map_err(describe)? {
        let Some(short) = primvar(name.as_str()) else { continue };
        let kind = kind(prim, name.as_str())?;
        if kind.starts_with("texCoord2")
            || kind.ends_with("2f[]") && (short == "st" || short == "UVMap")
            || kind == "float2[]"
        {
            let rank = ["st", "UVMap"].iter().position(|k| *k == short).unwrap_or(2);
            charts.push((rank, short.to_string()));
        }
    }
    charts.sort();
    Ok(charts.into_iter().map(|(_, name)| name).collect())
}

/// Returns the name of a primvar without its prefix; none of other properties and of indices.
fn primvar(name: &str) -> Option<&str> {
    name.strip_prefix("primvars:").filter(|short| !short.ends_with(":indices"))
}

/// Returns the type name of an attribute.
fn kind(prim: &Prim, name: &str) -> Result<String, MeshError> {
    let kind = prim.attribute(name).type_name().map_err(describe)?;
    Ok(kind.map(|kind| kind.as_str().to_string()).unwrap_or_default())
}

/// Reads chart and channels. The chart is the UV set named `wanted`, or else the first of [`charts`].
///
/// # Errors
/// Fails if the prim has no such UV set, or a value is of another type.
pub(super) fn primvars(prim: &Prim, part: &mut Part, turned: bool, wanted: Option<&str>) -> Result<(), MeshError> {
    for name in prim.property_names().map_err(describe)? {
        let name = name.as_str();
        let Some(short) = primvar(name) else { continue };
        if kind(prim, name)? == "float[]" && !short.starts_with("skel:") && interpolation(prim, name)? == "vertex" {
            let values = match value(prim, name)? {
                Some(Value::FloatVec(values)) => indexed(values, &ints(prim, &format!("{name}:indices"))?),
                _ => continue,
            };
            if values.len() == part.vertices {
                part.channels.insert(short.to_string(), values.into_iter().map(f64::from).collect());
            }
        }
    }
    let charts = charts(prim)?;
    let name = match wanted {
        Some(wanted) if !charts.iter().any(|name| name == wanted) => {
            let has = if charts.is_empty() { "none".to_string() } else { some(&charts) };
            return Err(MeshError::new(format!("<{}>: it has no UV set '{wanted}', it has {has}", part.path)));
        }
        Some(wanted) => wanted,
        None => match charts.first() {
            Some(first) => first,
            None => return Ok(()),
        },
    };
    let name = &format!("primvars:{name}");
    let uv: Vec<Vec2> = match value(prim, name)? {
        Some(Value::Vec2fVec(uv)) => uv.iter().map(|c| Vec2::new(f64::from(c.x), f64::from(c.y))).collect(),
        Some(Value::Vec2dVec(uv)) => uv.iter().map(|c| Vec2::new(c.x, c.y)).collect(),
        Some(Value::Vec2hVec(uv)) => uv.iter().map(|c| Vec2::new(c.x.to_f64(), c.y.to_f64())).collect(),
        _ => return Ok(()),
    };
    let indices = ints(prim, &format!("{name}:indices"))?;
    let places: Vec<u32> = match interpolation(prim, name)?.as_str() {
        "faceVarying" if indices.is_empty() => (0..part.corners.len() as u32).collect(),
        "faceVarying" => indices.iter().map(|i| *i as u32).collect(),
        "vertex" | "varying" => {
            let of = |v: i32| {
                if indices.is_empty() { v as u32 } else { indices.get(v as usize).map_or(u32::MAX, |i| *i as u32) }
            };
            ints(prim, "faceVertexIndices")?.into_iter().map(of).collect()
        }
        _ => return Ok(()),
    };
    part.set_chart(uv, places, turned);
    Ok(())
}

/// Looks up values by their indices, if there are any.
fn indexed<T: Copy>(values: Vec<T>, indices: &[i32]) -> Vec<T> {
    if indices.is_empty() {
        return values;
    }
    indices.iter().filter_map(|i| values.get(usize::try_from(*i).ok()?).copied()).collect()
}

fn interpolation(prim: &Prim, name: &str) -> Result<String, MeshError> {
    let authored = prim.attribute(name).get_metadata::<Value>("interpolation").map_err(describe)?;
    Ok(token(authored.as_ref()).unwrap_or("constant").to_string())
}

/// Returns the text of a token. Samples of tokens are read as strings.
pub(super) fn token(value: Option<&Value>) -> Option<&str> {
    match value? {
        Value::Token(token) => Some(token.as_str()),
        Value::String(text) => Some(text),
        _ => None,
    }
}

pub(super) fn ints(prim: &Prim, name: &str) -> Result<Vec<i32>, MeshError> {
    match value(prim, name)? {
        None => Ok(Vec::new()),
        Some(Value::IntVec(all)) => Ok(all),
        Some(_) => Err(MeshError::new(format!("<{}>: {name} is no int[]", prim.path()))),
    }
}

/// Reads the first positions of a mesh, in the prim's own space and unit.
pub(super) fn points(prim: &Prim, path: &str) -> Result<Vec<Vec3>, MeshError> {
    vectors(value(prim, "points")?, path)
}

/// Returns the positions of a value.
pub(super) fn vectors(value: Option<Value>, path: &str) -> Result<Vec<Vec3>, MeshError> {
    Ok(match value {
        Some(Value::Vec3fVec(all)) => all.iter().map(|p| Vec3::new(p.x.into(), p.y.into(), p.z.into())).collect(),
        Some(Value::Vec3dVec(all)) => all.iter().map(|p| Vec3::new(p.x, p.y, p.z)).collect(),
        Some(Value::Vec3hVec(all)) => all.iter().map(|p| Vec3::new(p.x.to_f64(), p.y.to_f64(), p.z.to_f64())).collect(),
        None => return Err(MeshError::new(format!("<{path}>: it has no points"))),
        Some(_) => return Err(MeshError::new(format!("<{path}>: points is no point3f[]"))),
    })
}
