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

/// Encodes the same content, with doubles, another order of properties and short indices.
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
        let reported = read(text.as_bytes()).unwrap_err().to_string();
        assert!(reported.contains(message), "{text}\n-> {reported}");
    }
    // A list that claims four billion entries.
    let mut bytes = format!("ply\nformat binary_little_endian 1.0\nelement vertex 1\n{xyz}element face 1\nproperty list uint int vertex_indices\nend_header\n").into_bytes();
    bytes.extend([0; 12]);
    bytes.extend([255; 8]);
    assert!(read(&bytes).is_err());
    let mut bytes = format!("ply\nformat binary_little_endian 1.0\nelement vertex 1\n{xyz}end_header\n").into_bytes();
    bytes.extend(1f32.to_le_bytes());
    bytes.extend(f32::NAN.to_le_bytes());
    bytes.extend(1f32.to_le_bytes());
    assert_eq!(read(&bytes).unwrap_err().what, "vertex 0: y is NaN, not a finite number");
}

const SQUARE: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

/// Makes a file of a square of two triangles, with further properties of vertices and of faces, and with `records`.
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
    // Equal coordinates of a vertex are merged. The other corner of the seam has its own.
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
    for (wrong, reported) in [
        ("3 0 1 2 0 0\n", "17:1: face 1: 0 numbers in its list texcoord for 3 corners; the chart (UV) is left out"),
        ("3 0 1 2 6 0 0 1 nan 1 1 0\n", "17:1: face 1: a texture coordinate is NaN; the chart (UV) is left out"),
    ] {
        let first = faces.lines().next().unwrap();
        let mesh = read(square("", wedge, &format!("{SQUARE}{first}\n{wrong}")).as_bytes()).unwrap().mesh;
        assert!(mesh.uv.is_empty() && mesh.uv_triangles.is_empty() && mesh.triangles.len() == 2);
        assert_eq!(mesh.notes[0].to_string(), reported);
    }
}

#[test]
fn nothing_is_lost_without_a_word() {
    let faces = "3 0 1 2\n3 0 2 3\n";
    let describe = |text: &str| -> Vec<String> {
        let mesh = read(text.as_bytes()).unwrap().mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4, 2));
        mesh.notes.iter().map(ToString::to_string).collect()
    };
    assert!(describe(&square("", "", &format!("{SQUARE}\n{faces}\n \n"))).is_empty());
    assert_eq!(
        describe(&square("", "", &format!("{SQUARE}{faces}3 1 2 3\n"))),
        ["16:1: 8 bytes stand behind the last record and are not read; the header promises 4 of vertex, 2 of face: \
          does it promise too few?"]
    );
    let beyond = SQUARE.replace("1 0 0\n", "1 0 0 7 8\n");
    assert_eq!(
        describe(&square("", "", &format!("{beyond}{faces}"))),
        ["11:7: '7' stands behind all that a vertex has; it is not read"]
    );
    let fault = |text: String| read(text.as_bytes()).unwrap_err().to_string();
    let short = fault(square("", "", &format!("0 0 0\n1 0\n1 1 0\n0 1 0\n{faces}")));
    assert_eq!(short, "11:4: vertex 1 of 4 that the header promises: the line ends where z should stand");
    let comma = fault(square("", "", &format!("0,5 0 0\n{SQUARE}{faces}")));
    assert!(comma.starts_with("10:1: vertex 0 of 4") && comma.ends_with("write it with a point, not a comma"));
    let twice = fault(square("property double x\n", "", SQUARE));
    assert_eq!(twice, "7:1: a second property 'x' of the same element; rename one of them");
    assert!(
        fault(square("", "", SQUARE).replace("vertex 4", "vertex -4"))
            .contains("the number of records of 'vertex' is -4, which is negative")
    );
    assert!(fault(square("", "", SQUARE).replace("vertex 4", "vertex four")).contains("'four' is no count of records"));
    assert!(fault(square("", "", SQUARE).replace("ascii 1.0", "ascii 2.0")).starts_with("2:1: expected 'format"));
}
