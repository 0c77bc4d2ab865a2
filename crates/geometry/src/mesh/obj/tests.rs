use super::*;

fn fault(text: &str) -> String {
    read(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn file_order_is_kept() {
    // The last vertex is unused. The faces refer to the others out of order and in two groups.
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 0 0\nv 9 9 9\ng a\nf 3 4 1\ng b\nf 5 2 1\n";
    let mesh = read(text.as_bytes()).unwrap();
    let x: Vec<f64> = mesh.positions.iter().map(|p| p.x).collect();
    assert_eq!(x, [0.0, 1.0, 0.0, 1.0, 2.0, 9.0]);
    assert_eq!(mesh.triangles, [[2, 3, 0], [4, 1, 0]]);
    assert_eq!(mesh.groups["a"], [0, 2, 3]);
    assert_eq!(mesh.groups["b"], [0, 1, 4]);
}

#[test]
fn all_forms_of_a_face_are_read() {
    let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5 0.25\nvt 1\nvn 0 0 1\n";
    for face in ["f 1 2 3", "f 1//1 2//1 3//1", "f -3 -2 -1", "f 1 \\\n 2 \\\r\n3 # end", "\tf  1 2\t3"] {
        let mesh = read(format!("{head}{face}").as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]], "{face}");
        assert!(mesh.uv.is_empty() && mesh.uv_triangles.is_empty(), "{face}");
    }
    for face in ["f 1/1 2/2 3/1", "f 1/1/1 2/2/1 3/1/1", "f -3/-2 -2/-1 -1/-2"] {
        let mesh = read(format!("{head}{face}").as_bytes()).unwrap();
        assert_eq!(mesh.uv_triangles, [[0, 1, 0]], "{face}");
        assert_eq!(mesh.uv, [Vec2::new(0.5, 0.25), Vec2::new(1.0, 0.0)], "{face}");
    }
}

#[test]
fn a_face_may_stand_before_its_vertices() {
    let mesh = read(b"f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n").unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
}

#[test]
fn polygons_become_triangles() {
    let mesh = read(b"v 0 0 0\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nvt 0 0\nvt 2 0\nvt .5 .5\nvt 0 2\nf 1/1 2/2 3/3 4/4\n");
    let mesh = mesh.unwrap();
    assert_eq!(mesh.triangles.len(), 2);
    assert_eq!(mesh.triangles, mesh.uv_triangles);
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        assert!((b - a).cross(&(c - a)).z > 0.0);
    }
}

#[test]
fn groups_overlap_and_come_from_points_too() {
    let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n";
    let mesh =
        read(format!("{head}o my coat\ng top left\nf 1 2 3\ng\nusemtl red\nf 2 4 3\ng pins\np 4 1\n").as_bytes());
    let groups = mesh.unwrap().groups;
    assert_eq!(groups["top"], [0, 1, 2]);
    assert_eq!(groups["left"], groups["top"]);
    assert_eq!(groups["my coat"], [0, 1, 2, 3]);
    assert_eq!(groups["red"], [0, 1, 2, 3]);
    assert_eq!(groups["pins"], [0, 3]);
}

/// Writes and reads a mesh. The lines of its faces are those of the original.
fn again(mesh: &TriMesh) -> TriMesh {
    TriMesh { source: mesh.source.clone(), ..read(&write(mesh)).unwrap() }
}

#[test]
fn what_is_written_reads_back() {
    let mut mesh =
        read(b"v 0.1 0 0\nv 1 1e-7 0\nv 0 1 0.3333333333333333\nv 7 7 7\nvt 0 1\nvt 1 1\nf 1/1 2/2 3/1\n").unwrap();
    mesh.groups.insert("hem".into(), vec![0, 3]);
    mesh.groups.insert("waist".into(), vec![0, 1]);
    assert_eq!(again(&mesh), mesh);
    mesh.uv.clear();
    mesh.uv_triangles.clear();
    assert_eq!(again(&mesh), mesh);
}

#[test]
fn faults_are_told_with_their_place() {
    let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\n";
    let cases = [
        ("", "no vertices"),
        ("hello", "no vertices"),
        ("v 0 0\n", "1:1: a vertex needs three coordinates"),
        ("v 0 nan 0\n", "1:5: 'nan' is not a finite number"),
        ("v 0 0 1e999\n", "1:7: '1e999' is not a finite number"),
        ("v 0 0 zero\n", "1:7: 'zero' is not a number"),
    ];
    for (text, message) in cases {
        assert!(fault(text).starts_with(message), "{text}: {}", fault(text));
    }
    let cases = [
        ("f 1 2", "5:1: a face needs at least 3 vertices, this one has 2"),
        ("f 1 2 0", "5:7: vertex 0: OBJ counts from 1"),
        ("f 1 2 4", "5:7: vertex 4 does not exist, the file has 3"),
        ("f 1 2 -4", "5:7: vertex -4 counts back from the last, but only 3 stand before this line"),
        ("f 1/1 2/2 3/1", "5:7: texture coordinate 2 does not exist, the file has 1"),
        ("f 1/1 2/-9223372036854775808 3/1", "5:7: texture coordinate -9223372036854775808 counts back"),
        ("f 1 2 x", "5:7: 'x' is no vertex of a face"),
        ("f 1 2 /3", "5:7: '/3' is no vertex of a face"),
        ("f 1 2 3/1/1/1", "5:7: '3/1/1/1' is no vertex of a face"),
        ("f 1 \\\n2 9", "6:3: vertex 9 does not exist"),
    ];
    for (text, message) in cases {
        let reported = fault(&format!("{head}{text}\n"));
        assert!(reported.starts_with(message), "{text}: {reported}");
    }
}

#[test]
fn a_chart_that_is_not_whole_is_left_out() {
    let head = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0 0\nvt 1 0\nvt nan -nan(ind)\n";
    let cases = [
        ("f 1/1 2/1 3", "8:1: some corners of this face have a texture coordinate and some have none; the chart"),
        ("f 1/1 2/2 3/1\nf 2 4 3", "9:1: texture coordinates on 1 of 2 faces only: the face of line 8 has them"),
        ("f 1/1 2/2 3/3", "8:1: this face has a texture coordinate of NaN NaN; the chart (UV) is left out"),
    ];
    for (text, message) in cases {
        let mesh = read(format!("{head}{text}\n").as_bytes()).unwrap();
        assert!(mesh.uv.is_empty() && mesh.uv_triangles.is_empty() && !mesh.triangles.is_empty(), "{text}");
        let [note] = mesh.notes.as_slice() else { panic!("{text}: {:?}", mesh.notes) };
        assert!(note.to_string().starts_with(message) && note.what.ends_with(LEFT_OUT), "{text}: {note}");
    }
    // Bad coordinates that no face uses do no harm.
    let mesh = read(format!("{head}f 1/1 2/2 3/1\n").as_bytes()).unwrap();
    assert_eq!((mesh.uv_triangles.len(), mesh.uv[2]), (1, Vec2::zeros()));
    assert!(mesh.notes[0].to_string().starts_with("7:1: a texture coordinate that no face uses is not"));
    for text in ["f 1/1/1 2/1/1 3/1/1", "f 1/-1 2/-1 3/-1", "f 1/9 2 3"] {
        let mesh = read(format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{text}\n").as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2]], "{text}");
        assert_eq!(
            mesh.notes[0].to_string(),
            "4:1: texture coordinates are named here, but the file has no 'vt' lines; the chart (UV) is left out"
        );
    }
}

#[test]
fn no_line_is_lost_without_a_word() {
    // A byte order mark between two joined files, capitals, and the old keyword of a face.
    let text = "v 0 0 0\nv 1 0 0\n\u{feff}v 0 1 0\nV 1 1 0\nfo 1 2 3\nF 2 4 3\n";
    let mesh = read(text.as_bytes()).unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len(), mesh.notes.len()), (4, 2, 0));
    let text =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 nan\nvertex 1 1 0\nvertex 2 2 0\nsurf 0 1 0 1 1 2 3\nf 1 2 3\ns off\n\0\0\n";
    let notes = read(text.as_bytes()).unwrap().notes;
    let reported: Vec<String> = notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        reported,
        [
            "7:1: 'surf': this line is passed over; free-form curves and surfaces are not read; save the mesh as polygons",
            "5:1: 'vertex': 2 such lines are passed over; OBJ knows no such word",
        ]
    );
    assert!(fault("v 0,5 1 0\n").ends_with("'0,5' is not a number; write it with a point, not a comma"));
    assert!(fault("v 1.5D+00 1 0\n").ends_with("'1.5D+00' is not a number; write its exponent with e, not d"));
    // Different names in Latin-1 stay distinct.
    let mesh = read(b"v 0 0 0\nv 1 0 0\nv 0 1 0\ng \xc4\nf 1 2 3\ng \xd6\np 1\n").unwrap();
    assert_eq!((mesh.groups["\u{c4}"].len(), mesh.groups["\u{d6}"].len()), (3, 1));
}

const TWO: &str = "v 9 9 9\no Body\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 2 3 4\nv 0 0 1\nv 1 0 1\nv 0 1 1\no My Shirt\n\
    v 1 1 1\nv 7 7 7\nvt 0 0\nvt 1 0\nvt 0 1\nvt 1 1\ng hem front\nf 6/2 7/3 8/4\ng\nf 7/3 9/1 8/4\ng pins\np 7 2\n";

#[test]
fn one_object_is_taken() {
    let all = parts(TWO.as_bytes()).unwrap();
    let describe = |p: &Part| (p.name.clone(), p.object, p.vertices, p.faces);
    let reported: Vec<(String, bool, usize, usize)> = all.iter().map(describe).collect();
    let part = |name: &str, object, vertices, faces| (name.to_string(), object, vertices, faces);
    assert_eq!(
        reported,
        [part("Body", true, 4, 1), part("My Shirt", true, 6, 2), part("hem", false, 3, 1), part("front", false, 3, 1)]
    );
    assert!(read(TWO.as_bytes()).unwrap().uv.is_empty());
    // The shirt has a chart of its own, though the body has none. Its vertices may be anywhere in the file.
    let shirt = read_object(TWO.as_bytes(), "My Shirt").unwrap();
    let x: Vec<[f64; 3]> = shirt.positions.iter().map(|p| (*p).into()).collect();
    assert_eq!(
        x,
        [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [7.0, 7.0, 7.0]]
    );
    assert_eq!(shirt.triangles, [[1, 2, 3], [2, 4, 3]]);
    assert_eq!(shirt.uv_triangles, [[1, 2, 3], [2, 0, 3]]);
    assert_eq!((&shirt.groups["hem"][..], &shirt.groups["pins"][..]), (&[1, 2, 3][..], &[0, 2][..]));
    assert!(shirt.notes.is_empty());
    let body = read_object(TWO.as_bytes(), "Body").unwrap();
    assert_eq!((body.triangles, body.positions.len(), body.uv.len()), (vec![[0, 1, 2]], 4, 0));
    let front = read_object(TWO.as_bytes(), "front").unwrap();
    assert_eq!((front.triangles.len(), front.uv.len()), (1, 3));
    assert!(read_object(TWO.as_bytes(), "pins").is_err() && read_object(TWO.as_bytes(), "shirt").is_err());
}

/// Paths end in a backslash, and so do some characters of Shift-JIS (0x95 0x5c).
#[test]
fn a_name_or_a_comment_never_takes_the_next_line() {
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    for word in ["g", "o", "usemtl", "mtllib", "usemap", "maplib", "#", "# a"] {
        for name in [&b" C:\\cloth\\"[..], b" \x95\\", b" a \\", b" \\ \t", b"\\"] {
            for end in [&b"\n"[..], b"\r\n", b"\r"] {
                let bytes = [square.as_bytes(), word.as_bytes(), name, end, b"f 1 2 3\nf 1 3 4\n"].concat();
                let mesh = read(&bytes).unwrap();
                assert_eq!(mesh.triangles.len(), 2, "{:?}", String::from_utf8_lossy(&bytes));
            }
        }
    }
    // Numbers go on in the next line, in a comment's as well, and what was written reads back.
    let mesh = read(format!("{square}g over\\\nf 1 \\\n 2 \\\n 3\nf 1 3 4 # end \\\n").as_bytes()).unwrap();
    assert_eq!((mesh.triangles.len(), mesh.groups.keys().next().unwrap().as_str()), (2, "over\\"));
    let back = again(&mesh);
    assert_eq!((back.triangles, back.groups), (mesh.triangles, mesh.groups));
}

/// Faces keep the material of their `usemtl`, also when polygons are cut, an object is read alone, or triangles go.
#[test]
fn faces_keep_their_materials() {
    let file =
        b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nf 1 2 3\no a\nusemtl red cloth\nf 1 2 3 4\no b\n\
                 usemtl blue\nf 2 5 6 3\n";
    let mut mesh = read(file).unwrap();
    let of = |mesh: &TriMesh| -> Vec<String> {
        (0..mesh.triangles.len()).map(|t| mesh.materials.of(t).unwrap_or("none").to_string()).collect()
    };
    assert_eq!(of(&mesh), ["none", "red cloth", "red cloth", "blue", "blue"]);
    assert_eq!(of(&read(&write(&mesh)).unwrap()), of(&mesh));
    assert_eq!(of(&read_object(file, "b").unwrap()), ["blue", "blue"]);
    let fine = crate::mesh::refine::refine(&mesh, &[0, 0, 0, 0, 1]);
    // The last triangle becomes four, its neighbour of the same quad two.
    assert_eq!(of(&fine).iter().filter(|name| *name == "blue").count(), 6);
    assert_eq!(fine.materials.triangles.len(), fine.triangles.len());
    mesh.leave_out(&[false, true, false, true, true]);
    assert_eq!(of(&mesh), ["none", "red cloth"]);
    assert!(read(b"v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n").unwrap().materials.triangles.is_empty());
}
