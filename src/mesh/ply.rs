//! PLY in (ascii, binary little and big endian) and out (binary little endian).
//!
//! Read: vertex positions `x y z`; one texture coordinate a vertex (`s t`, `u v` or `texture_u texture_v`); velocities
//! `vx vy vz`; every other scalar of a vertex but normals and colours as a channel, under its name as it stands (`sleeve.L`);
//! faces `vertex_indices` or `vertex_index`, polygons cut into triangles; texture coordinates of the corners of faces
//! (`texcoord`), which go before those of vertices. The vertices whose channel exceeds 0.5 are also a group of its name.

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
/// Vertex properties that are no channels.
const NO_CHANNELS: [&str; 13] = ["x", "y", "z", "vx", "vy", "vz", "nx", "ny", "nz", "red", "green", "blue", "alpha"];

/// A mesh read from PLY.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlyMesh {
    /// Geometry, chart, channels and groups.
    pub mesh: TriMesh,
    /// Velocity of each vertex [m/s], if the file has `vx vy vz`.
    pub velocities: Option<Vec<Vec3>>,
}

/// Reads a PLY file. Memory stays in proportion to the bytes given, whatever the header claims.
///
/// # Errors
/// A header that is none or promises more than the file holds, missing `x y z`, numbers that are not finite, faces of
/// fewer than three vertices or with indices out of range.
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
    body::told_rest(&mut cursor, &header, &mut notes);
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

/// The first value that is not finite: its record, its name and what it is.
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
    let told = |(face, what): (usize, String)| records.error(face, what);
    let cut = polygon::cut(&mesh.positions, &all, &ends).map_err(told)?;
    mesh.triangles = cut.triangles.iter().map(|t| t.map(|k| all[k as usize])).collect();
    // Where one face has no chart, none is kept.
    if wedges.is_some() && charts.len() == all.len() {
        mesh.uv_triangles = cut.triangles.iter().map(|t| t.map(|k| charts[k as usize])).collect();
    }
    mesh.notes.extend(cut.notes.into_iter().map(told));
    mesh.source.faces = cut.faces;
    take_chart(records, wedges.unwrap_or_default(), mesh);
    Ok(())
}

/// The chart of the corners of faces, else that of the vertices, if it is whole.
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
    // What no face uses is in no chart.
    for uv in mesh.uv.iter_mut().filter(|uv| !uv.iter().all(|x| x.is_finite())) {
        *uv = Vec2::zeros();
    }
}

/// Texture coordinates of the corners of faces, as MeshLab writes them: those of one vertex that are equal become one.
#[derive(Default)]
struct Wedges<'c> {
    list: Option<&'c body::Column>,
    uv: Vec<Vec2>,
    known: HashMap<(u32, [u64; 2]), u32>,
    /// The first face without a chart of its own, and why.
    wrong: Option<(usize, String)>,
}

impl Wedges<'_> {
    /// Numbers of the texture coordinates of the corners of a face.
    fn corners(&mut self, face: usize, corners: &[f64]) -> Option<Vec<u32>> {
        let values = self.list.map_or(&[][..], |list| list.list(face));
        let why = if values.len() != 2 * corners.len() {
            format!("{} numbers in its list texcoord for {} corners", values.len(), corners.len())
        } else if let Some(value) = values.iter().find(|x| !x.is_finite()) {
            format!("a texture coordinate is {value}")
        } else {
            let (pairs, _) = values.as_chunks::<2>();
            let number = |(corner, [u, v]): (&f64, &[f64; 2])| {
                // The two zeros are one.
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
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn sample() -> (TriMesh, Vec<Vec3>) {
        let positions = vec![
            Vec3::new(0.0, 0.5, 0.0),
            Vec3::new(1.0, 0.0, -0.25),
            Vec3::new(0.0, 1.0, 0.0),
            Vec3::new(1.0, 1.0, 0.125),
            Vec3::new(9.0, 9.0, 9.0),
        ];
        let triangles = vec![[3, 2, 1], [0, 1, 2]];
        let mesh = TriMesh {
            uv: positions.iter().map(|p| Vec2::new(p.x, 2.0 * p.y)).collect(),
            uv_triangles: triangles.clone(),
            groups: BTreeMap::from([("hem".into(), vec![0, 3]), ("weight".into(), vec![1, 4])]),
            channels: BTreeMap::from([
                ("hem".into(), vec![1.0, 0.0, 0.0, 1.0, 0.0]),
                ("weight".into(), vec![0.25, 0.75, 0.5, 0.0, 2.0]),
            ]),
            positions,
            triangles,
            ..TriMesh::default()
        };
        let velocities = (0..5).map(|i| Vec3::new(f64::from(i), 0.5, -1.0)).collect();
        (mesh, velocities)
    }

    fn fields(mesh: &TriMesh) -> Vec<(&str, &[f64])> {
        mesh.channels.iter().map(|(n, v)| (n.as_str(), v.as_slice())).collect()
    }

    /// The same content in another encoding, with doubles, another order of properties and short indices.
    fn encoded(encoding: &str, mesh: &TriMesh, velocities: &[Vec3]) -> Vec<u8> {
        let mut out = format!(
            "ply\nformat {encoding} 1.0\ncomment a test\nelement vertex 5\nproperty double vx\nproperty double vy\nproperty double vz\n\
             property float hem\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\n\
             property float u\nproperty float v\nproperty float weight\nelement edge 1\nproperty int a\n\
             element face 2\nproperty uchar flag\nproperty list uchar ushort vertex_index\nend_header\n"
        )
        .into_bytes();
        let binary = encoding.starts_with("binary");
        let big = encoding.contains("big");
        let mut put = |bytes: &[u8], text: String| {
            if !binary {
                out.extend_from_slice(text.as_bytes());
            } else if big {
                out.extend(bytes.iter().rev());
            } else {
                out.extend_from_slice(bytes);
            }
        };
        for (i, v) in velocities.iter().enumerate() {
            let (p, t) = (mesh.positions[i], mesh.uv[i]);
            v.iter().for_each(|x| put(&x.to_le_bytes(), format!("{x} ")));
            let mut float = |x: f64| put(&(x as f32).to_le_bytes(), format!("{x} "));
            float(mesh.channels["hem"][i]);
            p.iter().for_each(|x| put(&x.to_le_bytes(), format!("{x} ")));
            put(&[200], "200 ".into());
            let mut float = |x: f64| put(&(x as f32).to_le_bytes(), format!("{x} "));
            t.iter().for_each(|x| float(*x));
            put(&(mesh.channels["weight"][i] as f32).to_le_bytes(), format!("{}\n", mesh.channels["weight"][i]));
        }
        put(&7i32.to_le_bytes(), "7\n".into());
        for tri in &mesh.triangles {
            put(&[1], "1 ".into());
            put(&[3], "3".into());
            tri.iter().for_each(|v| put(&(*v as u16).to_le_bytes(), format!(" {v}")));
            put(&[], "\n".into());
        }
        out
    }

    #[test]
    fn every_encoding_reads_the_same() {
        let (mesh, velocities) = sample();
        for encoding in ["ascii", "binary_little_endian", "binary_big_endian"] {
            let read = read(&encoded(encoding, &mesh, &velocities)).unwrap();
            assert_eq!(read.mesh, mesh, "{encoding}");
            assert_eq!(read.velocities.as_ref(), Some(&velocities), "{encoding}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let (mesh, velocities) = sample();
        let uv = vertex_uv(&mesh);
        let record = PlyRecord {
            positions: &mesh.positions,
            triangles: &mesh.triangles,
            velocities: Some(&velocities),
            uv: uv.as_deref(),
            fields: &fields(&mesh),
        };
        let back = read(&write(&record).unwrap()).unwrap();
        assert_eq!(back.velocities, Some(velocities));
        // The last vertex is in no triangle, so its texture coordinate is not kept.
        assert_eq!(back.mesh.uv[..4], mesh.uv[..4]);
        assert_eq!(back.mesh, TriMesh { uv: back.mesh.uv.clone(), ..mesh.clone() });
        assert_eq!(read(&write_mesh(&back.mesh).unwrap()).unwrap().mesh, back.mesh);
    }

    #[test]
    fn groups_without_a_channel_survive() {
        let (mut mesh, _) = sample();
        mesh.channels.clear();
        mesh.groups.insert("left sleeve".into(), vec![2]);
        mesh.groups.insert("x".into(), vec![1]);
        let back = read(&write_mesh(&mesh).unwrap()).unwrap().mesh;
        assert_eq!(back.groups["hem"], [0, 3]);
        assert_eq!(back.groups["left_sleeve"], [2]);
        assert_eq!(back.groups["_x"], [1]);
    }

    #[test]
    fn a_chart_with_seams_is_left_out_of_a_mesh_file() {
        let (mut mesh, _) = sample();
        assert_eq!(read(&write_mesh(&mesh).unwrap()).unwrap().mesh.uv_triangles, mesh.triangles);
        mesh.uv.push(Vec2::new(7.0, 7.0));
        mesh.uv_triangles[1][2] = 5;
        assert!(read(&write_mesh(&mesh).unwrap()).unwrap().mesh.uv.is_empty());
    }

    #[test]
    fn polygons_are_cut() {
        let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                    element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3\n";
        assert_eq!(read(text.as_bytes()).unwrap().mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn arrays_of_the_wrong_length_are_refused() {
        let (mesh, _) = sample();
        let record = PlyRecord { positions: &mesh.positions, fields: &[("strain", &[1.0])], ..PlyRecord::default() };
        assert_eq!(write(&record).unwrap_err().what, "strain: 1 values for 5 vertices");
    }

    #[test]
    fn hostile_headers_are_errors() {
        let xyz = "property float x\nproperty float y\nproperty float z\n";
        let faces = "element face 1\nproperty list uchar int vertex_indices\n";
        let cases = [
            (String::new(), "not a valid PLY file"),
            ("solid cube\n".into(), "not a valid PLY file"),
            ("ply\nformat ascii 1.0\n".into(), "missing 'end_header'"),
            (
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty quad x\nend_header\n".into(),
                "4:10: 'quad' is no type of numbers (as float, double, uchar, int)",
            ),
            ("ply\nformat ascii 1.0\nend_header\n".into(), "no element 'vertex'"),
            (
                format!("ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n{xyz}end_header\n"),
                "the header promises 4000000000 of element 'vertex'",
            ),
            (
                format!("ply\nformat ascii 1.0\nelement vertex 18446744073709551615\n{xyz}end_header\n1 2 3\n"),
                "the header promises 18446744073709551615",
            ),
            (
                "ply\nformat binary_big_endian 1.0\nelement vertex 99999999999\nend_header\n".into(),
                "element 'vertex' has no properties",
            ),
            (
                "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n".into(),
                "lacks one of the scalar",
            ),
            (
                format!("ply\nformat ascii 1.0\nelement vertex 1\n{xyz}end_header\n1 nan 3\n"),
                "8:1: vertex 0: y is NaN, not a finite number",
            ),
            (format!("ply\nformat ascii 1.0\nelement vertex 1\n{xyz}end_header\n1 1e999 3\n"), "vertex 0: y is inf"),
            (
                format!("ply\nformat ascii 1.0\nelement vertex 1\n{xyz}{faces}end_header\n1 2 3\n3 0 0 1\n"),
                "face 0: vertex 1 does not exist, the file has 1",
            ),
            (
                format!("ply\nformat ascii 1.0\nelement vertex 1\n{xyz}{faces}end_header\n1 2 3\n2 0 0\n"),
                "face 0: a face needs at least 3 vertices, this one has 2",
            ),
            (
                format!("ply\nformat ascii 1.0\nelement vertex 1\n{xyz}{faces}end_header\n1 2 3\n3 0 0 -1\n"),
                "face 0: vertex -1 does not exist",
            ),
        ];
        for (text, message) in cases {
            let told = read(text.as_bytes()).unwrap_err().to_string();
            assert!(told.contains(message), "{text}\n-> {told}");
        }
        // A list that claims four billion entries.
        let mut bytes = format!("ply\nformat binary_little_endian 1.0\nelement vertex 1\n{xyz}element face 1\nproperty list uint int vertex_indices\nend_header\n").into_bytes();
        bytes.extend([0; 12]);
        bytes.extend([255; 8]);
        assert!(read(&bytes).is_err());
        let mut bytes =
            format!("ply\nformat binary_little_endian 1.0\nelement vertex 1\n{xyz}end_header\n").into_bytes();
        bytes.extend(1f32.to_le_bytes());
        bytes.extend(f32::NAN.to_le_bytes());
        bytes.extend(1f32.to_le_bytes());
        assert_eq!(read(&bytes).unwrap_err().what, "vertex 0: y is NaN, not a finite number");
    }

    const SQUARE: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

    /// A square of two triangles; more properties of vertices and of faces, and the records.
    fn square(vertex: &str, face: &str, records: &str) -> String {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n{vertex}\
             element face 2\nproperty list uchar int vertex_indices\n{face}end_header\n{records}"
        )
    }

    #[test]
    fn every_name_is_a_name() {
        let names = ["sleeve.L", ".001", "Group 1", "1", "Kr\u{e4}gen", "#", "a/b:c"];
        for name in names {
            let records = "0 0 0 1\n1 0 0 0\n1 1 0 0.25\n0 1 0 1\n3 0 1 2\n3 0 2 3\n";
            let text = square(&format!("property float {name}\n"), "", records);
            let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
            for bytes in [text.as_bytes(), &latin] {
                let mesh = read(bytes).unwrap().mesh;
                assert_eq!((&mesh.groups[name][..], mesh.channels[name][2]), (&[0, 3][..], 0.25), "{name}");
            }
        }
        let mut bytes = square("", "", &format!("{SQUARE}3 0 1 2\n3 0 2 3\n")).into_bytes();
        bytes.splice(4..4, *b"comment Kr\xe4gen \xff\nobj_info \xe4\n\n");
        assert_eq!(read(&bytes).unwrap().mesh.triangles.len(), 2);
    }

    #[test]
    fn what_is_not_needed_need_not_be_finite() {
        let odd = ["nan", "-nan", "-nan(ind)", "1.#QNAN", "-1.#IND", "inf"];
        for odd in odd {
            let records = format!("0 0 0 {odd} 0\n1 0 0 0 0\n1 1 0 0 0\n0 1 0 0 {odd}\n3 0 1 2\n3 0 2 3\n");
            let mesh = read(square("property float nx\nproperty float red\n", "", &records).as_bytes()).unwrap().mesh;
            assert!(mesh.channels.is_empty() && mesh.notes.is_empty() && mesh.triangles.len() == 2, "{odd}");
            let velocities = "property float vx\nproperty float vy\nproperty float vz\n";
            let records = format!("0 0 0 0 0 {odd}\n1 0 0 0 0 0\n1 1 0 0 0 0\n0 1 0 0 0 0\n3 0 1 2\n3 0 2 3\n");
            let read = read(square(velocities, "", &records).as_bytes()).unwrap();
            assert!(read.velocities.is_none(), "{odd}");
            assert!(read.mesh.notes[0].to_string().starts_with("13:1: vertex 0: vz is"), "{:?}", read.mesh.notes);
        }
        let records = "0 0 0 nan 0\n1 0 0 0 0\n1 1 0 1 1\n0 1 0 1 0\n3 0 1 2\n3 0 2 3\n";
        let mesh = read(square("property float s\nproperty float t\n", "", records).as_bytes()).unwrap().mesh;
        assert!(mesh.uv.is_empty() && mesh.notes[0].what.ends_with(LEFT_OUT));
        let records = records.replace("0 2 3", "1 2 3").replace("3 0 1 2", "3 1 2 3");
        let mesh = read(square("property float s\nproperty float t\n", "", &records).as_bytes()).unwrap().mesh;
        assert_eq!((mesh.uv.len(), mesh.uv_triangles.len(), mesh.notes.len()), (4, 2, 0));
        let records = "0 0 0 nan\n1 0 0 0\n1 1 0 1\n0 1 0 1\n3 0 1 2\n3 0 2 3\n";
        let mesh = read(square("property float weight\n", "", records).as_bytes()).unwrap().mesh;
        assert_eq!((&mesh.groups["weight"][..], mesh.notes.len()), (&[2, 3][..], 1));
    }

    #[test]
    fn faces_may_have_a_chart_of_their_corners() {
        let wedge = "property list uchar float texcoord\nproperty int texnumber\n";
        // Equal coordinates of a vertex are one; the other corner of the seam has its own.
        let faces = "3 0 1 2 6 0 0 1 0 1 1 0\n3 0 2 3 6 -0 0 1 1 0.5 2 1\n";
        let mesh = read(square("", wedge, &format!("{SQUARE}{faces}")).as_bytes()).unwrap().mesh;
        assert_eq!(mesh.uv_triangles, [[0, 1, 2], [0, 2, 3]]);
        assert_eq!(mesh.uv[3], Vec2::new(0.5, 2.0));
        let seam = faces.replace("-0 0 1 1", "7 7 1 1");
        let mesh = read(square("", wedge, &format!("{SQUARE}{seam}")).as_bytes()).unwrap().mesh;
        assert_eq!(mesh.uv_triangles, [[0, 1, 2], [3, 2, 4]]);
        let quad = "4 0 1 2 3 8 0 0 1 0 1 1 0 1 0\n3 0 2 3 6 0 0 1 1 0 1 0\n";
        let mesh = read(square("", wedge, &format!("{SQUARE}{quad}")).as_bytes()).unwrap().mesh;
        assert_eq!((mesh.uv_triangles.len(), mesh.uv.len()), (3, 4));
        for (wrong, told) in [
            ("3 0 1 2 0 0\n", "17:1: face 1: 0 numbers in its list texcoord for 3 corners; the chart (UV) is left out"),
            ("3 0 1 2 6 0 0 1 nan 1 1 0\n", "17:1: face 1: a texture coordinate is NaN; the chart (UV) is left out"),
        ] {
            let first = faces.lines().next().unwrap();
            let mesh = read(square("", wedge, &format!("{SQUARE}{first}\n{wrong}")).as_bytes()).unwrap().mesh;
            assert!(mesh.uv.is_empty() && mesh.uv_triangles.is_empty() && mesh.triangles.len() == 2);
            assert_eq!(mesh.notes[0].to_string(), told);
        }
    }

    #[test]
    fn nothing_is_lost_without_a_word() {
        let faces = "3 0 1 2\n3 0 2 3\n";
        let told = |text: &str| -> Vec<String> {
            let mesh = read(text.as_bytes()).unwrap().mesh;
            assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4, 2));
            mesh.notes.iter().map(ToString::to_string).collect()
        };
        assert!(told(&square("", "", &format!("{SQUARE}\n{faces}\n \n"))).is_empty());
        assert_eq!(
            told(&square("", "", &format!("{SQUARE}{faces}3 1 2 3\n"))),
            [
                "16:1: 8 bytes stand behind the last record and are not read; the header promises 4 of vertex, 2 of face: \
              does it promise too few?"
            ]
        );
        let beyond = SQUARE.replace("1 0 0\n", "1 0 0 7 8\n");
        assert_eq!(
            told(&square("", "", &format!("{beyond}{faces}"))),
            ["11:7: '7' stands behind all that a vertex has; it is not read"]
        );
        let fault = |text: String| read(text.as_bytes()).unwrap_err().to_string();
        let short = fault(square("", "", &format!("0 0 0\n1 0\n1 1 0\n0 1 0\n{faces}")));
        assert_eq!(short, "11:4: vertex 1 of 4 that the header promises: the line ends where z should stand");
        let comma = fault(square("", "", &format!("0,5 0 0\n{SQUARE}{faces}")));
        assert!(comma.starts_with("10:1: vertex 0 of 4") && comma.ends_with("write it with a point, not a comma"));
        let twice = fault(square("property double x\n", "", SQUARE));
        assert_eq!(twice, "7:1: a second property 'x' of the same element; rename one of them");
        assert!(fault(square("", "", SQUARE).replace("vertex 4", "vertex -4")).contains("'-4' is no count of records"));
        assert!(fault(square("", "", SQUARE).replace("ascii 1.0", "ascii 2.0")).starts_with("2:1: expected 'format"));
    }
}
