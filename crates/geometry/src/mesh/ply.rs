//! Reader of PLY (ascii, binary little and big endian) and writer of PLY (binary little endian).
//!
//! Read: vertex positions `x y z`; one texture coordinate per vertex (`s t`, `u v` or `texture_u texture_v`);
//! velocities `vx vy vz`; every other scalar of a vertex, except normals and colours, as a channel under its unchanged
//! name (`sleeve.L`); faces `vertex_indices` or `vertex_index`, with polygons cut into triangles; and texture
//! coordinates of face corners (`texcoord`), which override those of vertices. The vertices whose channel exceeds 0.5
//! also form a group of its name.

mod body;
mod columns;
mod header;
mod write;

pub use columns::{Columns, columns};
pub use write::{PlyRecord, vertex_uv, write, write_mesh};

use crate::linalg::{Vec2, Vec3};
use crate::mesh::cursor::Cursor;
use crate::mesh::{LEFT_OUT, MeshError, TriMesh, polygon, text};
use body::Records;
use std::collections::HashMap;

/// Names of the two texture coordinates, in order of preference.
const UV_NAMES: [[&str; 2]; 3] = [["s", "t"], ["u", "v"], ["texture_u", "texture_v"]];
/// Vertex properties that are not channels.
const NO_CHANNELS: [&str; 13] = ["x", "y", "z", "vx", "vy", "vz", "nx", "ny", "nz", "red", "green", "blue", "alpha"];

/// Mesh read from PLY.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlyMesh {
    /// Geometry, chart, channels and groups.
    pub mesh: TriMesh,
    /// Velocity of each vertex [m/s], if the file has `vx vy vz`.
    pub velocities: Option<Vec<Vec3>>,
}

/// Reads a PLY file. Memory stays in proportion to the given bytes, for any header.
///
/// # Errors
/// Fails for a header that is invalid or promises more than the file holds, missing `x y z`, and positions that are not
/// finite. Fails for faces with fewer than three vertices or with indices out of range.
pub fn read(bytes: &[u8]) -> Result<PlyMesh, MeshError> {
    let bytes = text::plain(bytes)?;
    let mut cursor = Cursor::new(&bytes);
    let header = header::read(&mut cursor)?;
    let mut out = PlyMesh::default();
    let mut notes = Vec::new();
    let (mut vertices, mut faces) = (None, None);
    for element in &header.elements {
        let records = body::records(&mut cursor, &header, element, &mut notes)?;
        match element.name.as_str() {
            "vertex" => vertices = Some(records),
            "face" => faces = Some(records),
            "tristrips" => {
                return Err(MeshError::new("triangle strips ('tristrips') are not read; save the mesh with faces"));
            }
            _ => {}
        }
    }
    body::report_rest(&mut cursor, &header, &mut notes);
    out.mesh.notes = notes;
    take_vertices(&vertices.ok_or_else(|| MeshError::new("no element 'vertex'"))?, &mut out)?;
    if let Some(faces) = faces {
        take_faces(&faces, &mut out.mesh)?;
    }
    for (name, values) in &out.mesh.channels {
        let members: Vec<u32> = (0..).zip(values).filter(|(_, v)| **v > 0.5).map(|(i, _)| i).collect();
        if !members.is_empty() {
            out.mesh.groups.insert(name.clone(), members);
        }
    }
    Ok(out)
}

/// Finds the first value that is not finite, and returns its record, name and value.
fn not_finite<'n>(records: &Records, names: &[&'n str]) -> Option<(usize, &'n str, f64)> {
    let first = |name: &'n str| {
        let values = records.scalar(name)?;
        values.iter().position(|x| !x.is_finite()).map(|v| (v, name, values[v]))
    };
    names.iter().filter_map(|name| first(name)).min_by_key(|(v, ..)| *v)
}

fn take_vertices(records: &Records, out: &mut PlyMesh) -> Result<(), MeshError> {
    let scalars = || records.element.properties.iter().zip(&records.columns).filter(|(p, _)| p.length.is_none());
    let columns = |names: [&str; 3]| match names.map(|name| records.scalar(name)) {
        [Some(a), Some(b), Some(c)] => {
            Some(a.iter().zip(b).zip(c).map(|((x, y), z)| Vec3::new(*x, *y, *z)).collect::<Vec<Vec3>>())
        }
        _ => None,
    };
    out.mesh.positions = columns(["x", "y", "z"]).ok_or_else(|| {
        let names: Vec<&str> = scalars().map(|(p, _)| p.name.as_str()).collect();
        let has = format!("element 'vertex' lacks one of the scalar properties x, y, z; it has {}", names.join(", "));
        MeshError::new(has)
    })?;
    if let Some((v, name, value)) = not_finite(records, &["x", "y", "z"]) {
        return Err(records.error(v, format!("{name} is {value}, not a finite number")));
    }
    out.velocities = columns(["vx", "vy", "vz"]);
    if let Some((v, name, value)) = out.velocities.as_ref().and_then(|_| not_finite(records, &["vx", "vy", "vz"])) {
        out.velocities = None;
        out.mesh.notes.push(records.error(v, format!("{name} is {value}; the velocities are left out")));
    }
    let has = |name: &str| records.scalar(name).is_some();
    let chart = UV_NAMES.into_iter().find(|[u, v]| has(u) && has(v));
    if let Some(names) = chart {
        let [u, v] = names.map(|name| records.scalar(name).unwrap_or_default());
        out.mesh.uv = u.iter().zip(v).map(|(u, v)| Vec2::new(*u, *v)).collect();
    }
    for (property, column) in scalars() {
        let name = property.name.as_str();
        if !NO_CHANNELS.contains(&name) && !chart.is_some_and(|c| c.contains(&name)) {
            if let Some((v, name, value)) = not_finite(records, &[name]) {
                out.mesh.notes.push(records.error(v, format!("{name} is {value}; no map can take it there")));
            }
            out.mesh.channels.insert(name.to_string(), column.values.clone());
        }
    }
    Ok(())
}

fn take_faces(records: &Records, mesh: &mut TriMesh) -> Result<(), MeshError> {
    let Some(corners) = records.list(&["vertex_indices", "vertex_index"]) else {
        return if records.element.count == 0 {
            Ok(())
        } else {
            Err(MeshError::new("element 'face' lacks the list property vertex_indices"))
        };
    };
    let mut wedges =
        records.list(&["texcoord", "texcoords"]).map(|list| Wedges { list: Some(list), ..Wedges::default() });
    let (mut all, mut charts, mut ends): (Vec<u32>, Vec<u32>, Vec<usize>) = (Vec::new(), Vec::new(), Vec::new());
    for f in 0..records.element.count {
        let corners = corners.list(f);
        for &corner in corners {
            if !(corner >= 0.0 && corner.fract() == 0.0 && corner < mesh.positions.len() as f64) {
                let count = mesh.positions.len();
                return Err(records.error(f, format!("vertex {corner} does not exist, the file has {count}")));
            }
            all.push(corner as u32);
        }
        ends.push(all.len());
        if let Some(Some(chart)) = wedges.as_mut().map(|wedges| wedges.corners(f, corners)) {
            charts.extend(chart);
        }
    }
    let describe = |(face, what): (usize, String)| records.error(face, what);
    let cut = polygon::cut(&mesh.positions, &all, &ends).map_err(describe)?;
    mesh.triangles = cut.triangles.iter().map(|t| t.map(|k| all[k as usize])).collect();
    // The chart is kept only if all faces have one.
    if wedges.is_some() && charts.len() == all.len() {
        mesh.uv_triangles = cut.triangles.iter().map(|t| t.map(|k| charts[k as usize])).collect();
    }
    mesh.notes.extend(cut.notes.into_iter().map(describe));
    mesh.source.faces = cut.faces;
    take_chart(records, wedges.unwrap_or_default(), mesh);
    Ok(())
}

/// Takes the chart of face corners, or else that of vertices, if it is complete.
fn take_chart(records: &Records, wedges: Wedges, mesh: &mut TriMesh) {
    if let Some((face, message)) = wedges.wrong {
        mesh.notes.push(records.error(face, format!("{message}; {LEFT_OUT}")));
        mesh.uv_triangles.clear();
    }
    if !mesh.uv_triangles.is_empty() {
        mesh.uv = wedges.uv;
    } else if !mesh.uv.is_empty() {
        mesh.uv_triangles.clone_from(&mesh.triangles);
        let is_used = |v: u32| mesh.uv.get(v as usize).is_some_and(|uv| !uv.iter().all(|x| x.is_finite()));
        if let Some(v) = mesh.triangles.iter().flatten().copied().find(|v| is_used(*v)) {
            let what = format!("vertex {v}: its texture coordinate is not a finite number; {LEFT_OUT}");
            mesh.notes.push(MeshError::new(what));
            mesh.uv.clear();
            mesh.uv_triangles.clear();
        }
    }
    // The remaining values that are not finite are unused.
    for uv in mesh.uv.iter_mut().filter(|uv| !uv.iter().all(|x| x.is_finite())) {
        *uv = Vec2::zeros();
    }
}

/// Texture coordinates of face corners, as MeshLab writes them. Equal ones of one vertex are merged.
#[derive(Default)]
struct Wedges<'c> {
    list: Option<&'c body::Column>,
    uv: Vec<Vec2>,
    known: HashMap<(u32, [u64; 2]), u32>,
    /// First face without a chart of its own, and the reason.
    wrong: Option<(usize, String)>,
}

impl Wedges<'_> {
    /// Returns the indices of the texture coordinates of a face's corners.
    fn corners(&mut self, face: usize, corners: &[f64]) -> Option<Vec<u32>> {
        let values = self.list.map_or(&[][..], |list| list.list(face));
        let why = if values.len() != 2 * corners.len() {
            format!("{} numbers in its list texcoord for {} corners", values.len(), corners.len())
        } else if let Some(value) = values.iter().find(|x| !x.is_finite()) {
            format!("a texture coordinate is {value}")
        } else {
            let (pairs, _) = values.as_chunks::<2>();
            let number = |(corner, [u, v]): (&f64, &[f64; 2])| {
                // The sum makes both signed zeros equal.
                let uv = Vec2::new(u + 0.0, v + 0.0);
                let next = self.uv.len() as u32;
                *self.known.entry((*corner as u32, [uv.x.to_bits(), uv.y.to_bits()])).or_insert_with(|| {
                    self.uv.push(uv);
                    next
                })
            };
            return Some(corners.iter().zip(pairs).map(number).collect());
        };
        self.wrong.get_or_insert((face, why));
        None
    }
}

#[cfg(test)]
mod tests;
