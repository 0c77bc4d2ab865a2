//! Writer of Wavefront OBJ.

use crate::mesh::{TriMesh, polygon};
use std::fmt::Write;

/// Writes an OBJ file. Coordinates have the shortest form that reads back to the same `f64`. Texture coordinates are
/// written if the mesh has a chart. Each group is `g name` with the point element `p i j ...`, so groups may overlap
/// and read back exactly. Spaces in names become `_`. Channels are not written, because OBJ has none.
pub fn write(mesh: &TriMesh) -> Vec<u8> {
    write_faces(mesh, &polygon::faces(&mesh.triangles, &[]))
}

/// Writes an OBJ file with faces of any number of corners, each given as triangle and corner. Faces are under `usemtl`
/// and the name of their material, in their order, and `g` and the name of the object that they are of.
pub fn write_faces(mesh: &TriMesh, faces: &[Vec<[usize; 2]>]) -> Vec<u8> {
    let mut out = String::with_capacity(48 * mesh.positions.len() + 24 * mesh.triangles.len());
    // Writing to a String cannot fail.
    for p in &mesh.positions {
        let _ = writeln!(out, "v {} {} {}", p.x, p.y, p.z);
    }
    for t in &mesh.uv {
        let _ = writeln!(out, "vt {} {}", t.x, t.y);
    }
    let mut last = None;
    let mut origin = None;
    for face in faces {
        let material = face.first().and_then(|[t, _]| mesh.materials.of(*t));
        if material != last {
            let _ = writeln!(out, "usemtl {}", material_word(material.unwrap_or_default()));
            last = material;
        }
        let of = face.first().and_then(|[t, _]| mesh.origins.of(*t));
        if of != origin {
            let _ = writeln!(out, "g {}", word(of.unwrap_or_default()));
            origin = of;
        }
        out.push('f');
        for [t, k] in face {
            let _ = write!(out, " {}", u64::from(mesh.triangles[*t][*k]) + 1);
            if let Some(chart) = mesh.uv_triangles.get(*t) {
                let _ = write!(out, "/{}", u64::from(chart[*k]) + 1);
            }
        }
        out.push('\n');
    }
    for (name, members) in &mesh.groups {
        let _ = writeln!(out, "g {}", word(name));
        for chunk in members.chunks(16) {
            out.push('p');
            for &v in chunk {
                let _ = write!(out, " {}", u64::from(v) + 1);
            }
            out.push('\n');
        }
    }
    out.into_bytes()
}

/// Returns the name of a group as a word.
fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() || c == '#' { '_' } else { c }).collect()
}

/// Returns the name of a material as OBJ files and their libraries have it, without line breaks and comments.
pub fn material_word(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || c == '#' { '_' } else { c }).collect::<String>().trim().to_string()
}
