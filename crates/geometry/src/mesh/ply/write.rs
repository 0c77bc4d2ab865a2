//! Writer of binary little-endian PLY.

use crate::linalg::{Vec2, Vec3};
use crate::mesh::{MeshError, TriMesh};
use std::fmt::Write;

/// Content of a PLY file. Everything except `positions` and `triangles` may be left empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlyRecord<'a> {
    /// Vertex positions [m]: `x y z`, rounded to `f32`.
    pub positions: &'a [Vec3],
    /// Vertex indices per triangle.
    pub triangles: &'a [[u32; 3]],
    /// Velocities [m/s]: `vx vy vz`.
    pub velocities: Option<&'a [Vec3]>,
    /// Texture coordinate of each vertex: `s t`.
    pub uv: Option<&'a [Vec2]>,
    /// Further scalars per vertex by name, as `f32`.
    pub fields: &'a [(&'a str, &'a [f64])],
}

/// Writes binary little-endian PLY: `f32` scalars per vertex, triangles as `list uchar int vertex_indices`.
///
/// Field names become PLY identifiers. Characters other than letters, digits, `_` and `-` become `_`. A name with
/// another meaning in PLY, or with a first character other than a letter or `_`, gets a leading `_`.
///
/// # Errors
/// Fails if the length of an array is not the number of vertices.
pub fn write(record: &PlyRecord) -> Result<Vec<u8>, MeshError> {
    write_with(record, false)
}

/// Writes as [`write()`] does, with vertex indices of two bytes (`ushort`) if `short`, else of four.
fn write_with(record: &PlyRecord, short: bool) -> Result<Vec<u8>, MeshError> {
    let count = record.positions.len();
    let wrong = |name: &str, n: usize| MeshError::new(format!("{name}: {n} values for {count} vertices"));
    if let Some(v) = record.velocities.filter(|v| v.len() != count) {
        return Err(wrong("velocities", v.len()));
    }
    if let Some(uv) = record.uv.filter(|uv| uv.len() != count) {
        return Err(wrong("texture coordinates", uv.len()));
    }
    if let Some((name, values)) = record.fields.iter().find(|(_, values)| values.len() != count) {
        return Err(wrong(name, values.len()));
    }

    let mut header = format!("ply\nformat binary_little_endian 1.0\nelement vertex {count}\n");
    // Writing to a String cannot fail.
    let mut float = |name: &str| {
        let _ = writeln!(header, "property float {name}");
    };
    ["x", "y", "z"].into_iter().for_each(&mut float);
    if record.velocities.is_some() {
        ["vx", "vy", "vz"].into_iter().for_each(&mut float);
    }
    if record.uv.is_some() {
        ["s", "t"].into_iter().for_each(&mut float);
    }
    let mut names: Vec<String> = Vec::new();
    for (name, _) in record.fields {
        let mut name = identifier(name);
        while names.contains(&name) {
            name.push('_');
        }
        float(&name);
        names.push(name);
    }
    let index = if short { "ushort" } else { "int" };
    let faces = record.triangles.len();
    let _ = write!(header, "element face {faces}\nproperty list uchar {index} vertex_indices\nend_header\n");

    let mut out = Vec::with_capacity(512 + count * 4 * (8 + record.fields.len()) + record.triangles.len() * 13);
    out.extend_from_slice(header.as_bytes());
    let mut put = |x: f64| out.extend_from_slice(&(x as f32).to_le_bytes());
    for (i, p) in record.positions.iter().enumerate() {
        p.iter().for_each(|x| put(*x));
        if let Some(v) = record.velocities {
            v[i].iter().for_each(|x| put(*x));
        }
        if let Some(uv) = record.uv {
            uv[i].iter().for_each(|x| put(*x));
        }
        record.fields.iter().for_each(|(_, values)| put(values[i]));
    }
    for tri in record.triangles {
        out.push(3);
        for v in tri {
            let bytes = v.to_le_bytes();
            out.extend_from_slice(if short { &bytes[..2] } else { &bytes });
        }
    }
    Ok(out)
}

/// Writes a mesh with its chart and channels. Each group is a field of 0 and 1, which reads back as the group. A chart
/// with seams is left out, because one coordinate per vertex cannot express it. Indices are `ushort` if they fit, which
/// nearly halves small meshes.
///
/// # Errors
/// Fails as [`write()`] does.
pub fn write_mesh(mesh: &TriMesh) -> Result<Vec<u8>, MeshError> {
    let uv = vertex_uv(mesh).filter(|uv| !has_seams(mesh, uv));
    let flags: Vec<(&str, Vec<f64>)> = mesh
        .groups
        .iter()
        .filter(|(name, _)| !mesh.channels.contains_key(*name))
        .map(|(name, members)| {
            let mut flag = vec![0.0; mesh.positions.len()];
            for &v in members {
                if let Some(f) = flag.get_mut(v as usize) {
                    *f = 1.0;
                }
            }
            (name.as_str(), flag)
        })
        .collect();
    let mut fields: Vec<(&str, &[f64])> = mesh.channels.iter().map(|(n, v)| (n.as_str(), v.as_slice())).collect();
    fields.extend(flags.iter().map(|(n, v)| (*n, v.as_slice())));
    let record = PlyRecord {
        positions: &mesh.positions,
        triangles: &mesh.triangles,
        velocities: None,
        uv: uv.as_deref(),
        fields: &fields,
    };
    write_with(&record, mesh.positions.len() <= 1 << 16)
}

/// Returns the chart as one coordinate per vertex, the form that is written to PLY. At a seam this is the coordinate of
/// the first triangle. A vertex of no triangle has zero. Returns none without a chart.
pub fn vertex_uv(mesh: &TriMesh) -> Option<Vec<Vec2>> {
    if mesh.uv_triangles.is_empty() {
        return None;
    }
    let mut uv = vec![None; mesh.positions.len()];
    for (tri, chart) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
        for (v, c) in tri.iter().zip(chart) {
            if let (Some(slot @ None), Some(coordinate)) = (uv.get_mut(*v as usize), mesh.uv.get(*c as usize)) {
                *slot = Some(*coordinate);
            }
        }
    }
    Some(uv.into_iter().map(|c| c.unwrap_or_else(Vec2::zeros)).collect())
}

/// Returns whether any vertex has different texture coordinates in two triangles.
fn has_seams(mesh: &TriMesh, vertex_uv: &[Vec2]) -> bool {
    mesh.triangles.iter().flatten().zip(mesh.uv_triangles.iter().flatten()).any(|(v, c)| {
        matches!((vertex_uv.get(*v as usize), mesh.uv.get(*c as usize)), (Some(one), Some(other)) if one != other)
    })
}

fn identifier(name: &str) -> String {
    let mut out: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '-' { c } else { '_' }).collect();
    let taken = super::NO_CHANNELS.contains(&name) || super::UV_NAMES.as_flattened().contains(&name);
    if taken || !out.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        out.insert(0, '_');
    }
    out
}
