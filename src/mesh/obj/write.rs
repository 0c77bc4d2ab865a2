//! OBJ out.

use crate::mesh::TriMesh;
use std::fmt::Write;

/// Writes an OBJ file: coordinates in the shortest form that reads back to the same `f64`, texture coordinates where the
/// mesh has a chart, and each group as `g name` with the point element `p i j ...`, so that groups may overlap and read
/// back exactly. Spaces in names become `_`. Channels have no place in OBJ.
pub fn write(mesh: &TriMesh) -> Vec<u8> {
    let mut out = String::with_capacity(48 * mesh.positions.len() + 24 * mesh.triangles.len());
    // Writing to a String cannot fail.
    for p in &mesh.positions {
        let _ = writeln!(out, "v {} {} {}", p.x, p.y, p.z);
    }
    for t in &mesh.uv {
        let _ = writeln!(out, "vt {} {}", t.x, t.y);
    }
    for (i, tri) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = tri.map(|v| u64::from(v) + 1);
        let _ = match mesh.uv_triangles.get(i) {
            Some(chart) => {
                let [p, q, r] = chart.map(|v| u64::from(v) + 1);
                writeln!(out, "f {a}/{p} {b}/{q} {c}/{r}")
            }
            None => writeln!(out, "f {a} {b} {c}"),
        };
    }
    for (name, members) in &mesh.groups {
        let word: String = name.chars().map(|c| if c.is_whitespace() || c == '#' { '_' } else { c }).collect();
        let _ = writeln!(out, "g {word}");
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
