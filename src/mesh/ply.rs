//! PLY in (ascii, binary little and big endian) and out (binary little endian).
//!
//! Read: vertex positions `x y z`; one texture coordinate a vertex (`s t`, `u v` or `texture_u texture_v`); velocities
//! `vx vy vz`; every other scalar of a vertex but normals and colours as a channel; faces `vertex_indices` or
//! `vertex_index`, polygons cut into triangles. The vertices whose channel exceeds 0.5 are also a group of its name.

mod columns;
mod write;

pub use columns::{Columns, columns};
pub use write::{PlyRecord, vertex_uv, write, write_mesh};

use crate::linalg::{Vec2, Vec3};
use crate::mesh::{MeshError, TriMesh, polygon};
use ply_rs::parser::{ParseError, Parser, Reader};
use ply_rs::ply::{
    ElementDef, Encoding, Header, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};

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

/// One record of an element: scalars in order of the header, lists in order of the header.
#[derive(Debug, Default)]
struct Record {
    scalars: Vec<f64>,
    lists: Vec<Vec<f64>>,
}

impl PropertyAccess for Record {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, _name: &str, property: Property) -> PropertyAccessResult {
        fn wide<T: Into<f64>>(list: Vec<T>) -> Vec<f64> {
            list.into_iter().map(Into::into).collect()
        }
        match property {
            Property::Char(x) => self.scalars.push(x.into()),
            Property::UChar(x) => self.scalars.push(x.into()),
            Property::Short(x) => self.scalars.push(x.into()),
            Property::UShort(x) => self.scalars.push(x.into()),
            Property::Int(x) => self.scalars.push(x.into()),
            Property::UInt(x) => self.scalars.push(x.into()),
            Property::Float(x) => self.scalars.push(x.into()),
            Property::Double(x) => self.scalars.push(x),
            Property::ListChar(x) => self.lists.push(wide(x)),
            Property::ListUChar(x) => self.lists.push(wide(x)),
            Property::ListShort(x) => self.lists.push(wide(x)),
            Property::ListUShort(x) => self.lists.push(wide(x)),
            Property::ListInt(x) => self.lists.push(wide(x)),
            Property::ListUInt(x) => self.lists.push(wide(x)),
            Property::ListFloat(x) => self.lists.push(wide(x)),
            Property::ListDouble(x) => self.lists.push(x),
        }
        PropertyAccessResult::Set
    }
}

/// Reads a PLY file. Memory stays in proportion to the bytes given, whatever the header claims.
///
/// # Errors
/// A header that is none or promises more than the file holds, missing `x y z`, numbers that are not finite, faces of
/// fewer than three vertices or with indices out of range.
pub fn read(bytes: &[u8]) -> Result<PlyMesh, MeshError> {
    let mut reader = Reader::new(bytes);
    let parser = Parser::<Record>::new();
    let header = parser.read_header(&mut reader).map_err(told)?;
    let mut out = PlyMesh::default();
    let mut have = [false; 2];
    let mut faces: Vec<Record> = Vec::new();
    for (name, element) in &header.elements {
        affordable(element, &header, reader.get_ref().len())?;
        let records = parser.read_payload_for_element(&mut reader, element, &header).map_err(told)?;
        match name.as_str() {
            "vertex" => {
                take_vertices(element, &records, &mut out)?;
                have[0] = true;
            }
            "face" => {
                faces = records;
                have[1] = true;
            }
            "tristrips" => {
                return Err(MeshError::new("triangle strips ('tristrips') are not read; save the mesh with faces"));
            }
            _ => {}
        }
    }
    if !have[0] {
        return Err(MeshError::new("no element 'vertex'"));
    }
    if let (true, Some(element)) = (have[1], header.elements.get("face")) {
        take_faces(element, &faces, &mut out.mesh)?;
    }
    if !out.mesh.uv.is_empty() {
        out.mesh.uv_triangles.clone_from(&out.mesh.triangles);
    }
    for (name, values) in &out.mesh.channels {
        let members: Vec<u32> = (0..).zip(values).filter(|(_, v)| **v > 0.5).map(|(i, _)| i).collect();
        if !members.is_empty() {
            out.mesh.groups.insert(name.clone(), members);
        }
    }
    Ok(out)
}

/// The parser's complaint in one line.
fn told(error: ParseError) -> MeshError {
    let text = error.to_string();
    let text =
        text.split_once(": ").filter(|(head, _)| head.starts_with("Line ")).map_or(text.as_str(), |(_, rest)| rest);
    let words: Vec<String> = text
        .chars()
        .take(300)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .split_whitespace()
        .map(str::to_string)
        .collect();
    MeshError { line: error.line(), column: None, what: format!("not a valid PLY file: {}", words.join(" ")) }
}

/// Refuses an element that cannot fit into the `left` bytes.
fn affordable(element: &ElementDef, header: &Header, left: usize) -> Result<(), MeshError> {
    if element.count == 0 {
        return Ok(());
    }
    if element.properties.is_empty() {
        return Err(MeshError::new(format!("element '{}' has no properties", element.name)));
    }
    let width = |scalar: &ScalarType| match scalar {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    };
    let least: usize = match header.encoding {
        // A digit and a blank or end of line each; the end of the last line may be missing.
        Encoding::Ascii => 2 * element.properties.len(),
        _ => element
            .properties
            .values()
            .map(|p| match &p.data_type {
                PropertyType::Scalar(scalar) | PropertyType::List(scalar, _) => width(scalar),
            })
            .sum(),
    };
    let needed = element.count.saturating_mul(least);
    if needed > left.saturating_add(1) || element.count >= u32::MAX as usize {
        return Err(MeshError::new(format!(
            "the header promises {} of element '{}', at least {needed} bytes, but only {left} follow: the file is cut short or its header is wrong",
            element.count, element.name
        )));
    }
    Ok(())
}

fn take_vertices(element: &ElementDef, records: &[Record], out: &mut PlyMesh) -> Result<(), MeshError> {
    let scalars: Vec<&str> = element
        .properties
        .values()
        .filter(|p| matches!(p.data_type, PropertyType::Scalar(_)))
        .map(|p| p.name.as_str())
        .collect();
    let column = |name: &str| scalars.iter().position(|s| *s == name);
    let columns = |names: [&str; 3]| match names.map(column) {
        [Some(a), Some(b), Some(c)] => Some([a, b, c]),
        _ => None,
    };
    let Some(position) = columns(["x", "y", "z"]) else {
        return Err(MeshError::new("element 'vertex' lacks one of the scalar properties x, y, z"));
    };
    for (v, record) in records.iter().enumerate() {
        if let Some(k) = record.scalars.iter().position(|x| !x.is_finite()) {
            let name = scalars.get(k).unwrap_or(&"");
            return Err(MeshError::new(format!("vertex {v}: {name} is {}, not a finite number", record.scalars[k])));
        }
    }
    let value = |record: &Record, column: usize| record.scalars.get(column).copied().unwrap_or(0.0);
    let vectors = |c: [usize; 3]| -> Vec<Vec3> {
        records.iter().map(|r| Vec3::new(value(r, c[0]), value(r, c[1]), value(r, c[2]))).collect()
    };
    out.velocities = columns(["vx", "vy", "vz"]).map(vectors);
    out.mesh.positions = vectors(position);
    let chart = UV_NAMES.iter().find_map(|[u, v]| Some([column(u)?, column(v)?]));
    if let Some([u, v]) = chart {
        out.mesh.uv = records.iter().map(|r| Vec2::new(value(r, u), value(r, v))).collect();
    }
    for (k, name) in scalars.iter().enumerate() {
        if !NO_CHANNELS.contains(name) && !chart.is_some_and(|c| c.contains(&k)) {
            out.mesh.channels.insert((*name).to_string(), records.iter().map(|r| value(r, k)).collect());
        }
    }
    Ok(())
}

fn take_faces(element: &ElementDef, records: &[Record], mesh: &mut TriMesh) -> Result<(), MeshError> {
    let list = element
        .properties
        .values()
        .filter(|p| matches!(p.data_type, PropertyType::List(..)))
        .position(|p| p.name == "vertex_indices" || p.name == "vertex_index");
    let Some(list) = list else {
        return if records.is_empty() {
            Ok(())
        } else {
            Err(MeshError::new("element 'face' lacks the list property vertex_indices"))
        };
    };
    let mut points: Vec<Vec3> = Vec::new();
    for (f, record) in records.iter().enumerate() {
        let corners = record.lists.get(list).map_or(&[][..], Vec::as_slice);
        points.clear();
        for &corner in corners {
            let vertex =
                (corner >= 0.0 && corner.fract() == 0.0).then(|| mesh.positions.get(corner as usize)).flatten();
            let Some(vertex) = vertex else {
                let count = mesh.positions.len();
                return Err(MeshError::new(format!("face {f}: vertex {corner} does not exist, the file has {count}")));
            };
            points.push(*vertex);
        }
        let triangles = &mut mesh.triangles;
        polygon::triangulate(&points, |tri| triangles.push(tri.map(|k| corners[k] as u32)))
            .map_err(|what| MeshError::new(format!("face {f}: {what}")))?;
    }
    Ok(())
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
            notes: Vec::new(),
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
                "4: not a valid PLY file",
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
            (format!("ply\nformat ascii 1.0\nelement vertex 1\n{xyz}end_header\n1 nan 3\n"), "8: not a valid PLY file"),
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
}
