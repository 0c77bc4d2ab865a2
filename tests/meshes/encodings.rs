//! Meshes as other programs write them: encodings, line ends, odd names and numbers. All of them give the same mesh.

use percale::mesh::{MeshError, TetMesh, TriMesh, obj, read, read_tets};
use std::fs;
use std::path::Path;

fn data(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)).unwrap()
}

fn area(mesh: &TriMesh) -> f64 {
    let corner = |v: u32| mesh.positions[v as usize];
    mesh.triangles
        .iter()
        .map(|[a, b, c]| (corner(*b) - corner(*a)).cross(&(corner(*c) - corner(*a))).norm() / 2.0)
        .sum()
}

#[test]
fn every_file_holds_the_same_sheet() {
    let mut count = 0;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/files");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let (stem, extension) = name.rsplit_once('.').unwrap();
        if extension == "md" || extension == "msh" || stem == "two_objects" {
            continue;
        }
        let mesh = read(extension, &data(&format!("files/{name}"))).unwrap_or_else(|error| panic!("{name}: {error}"));
        let vertices = if stem == "mark_spare" { 10 } else { 9 };
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, 8), "{name}");
        assert!((area(&mesh) - 0.16).abs() < 1e-6, "{name}: {}", area(&mesh));
        let told: Vec<String> = mesh.notes.iter().map(ToString::to_string).collect();
        let wanted = match stem {
            "mixed_uv" => "24:1: texture coordinates on 2 of 4 faces only",
            "nan_vt" => "19:1: a texture coordinate that no face uses",
            "no_vt" => "10:1: texture coordinates are named here, but",
            "extra_columns" => "18:13: '1' stands behind all that a vertex has",
            "more_bytes" => "bytes stand behind the last record and are not read",
            _ => "",
        };
        assert_eq!(told.len(), usize::from(!wanted.is_empty()), "{name}: {told:?}");
        assert!(told.iter().all(|note| note.contains(wanted)), "{name}: {told:?}");
        let charted = ["wedge_uv", "nan_vt"].contains(&stem);
        assert_eq!(mesh.uv_triangles.len(), if charted { 8 } else { 0 }, "{name}");
        count += 1;
    }
    assert_eq!(count, 16);
    let sleeve = read("ply", &data("files/sleeve_L.ply")).unwrap();
    assert!(sleeve.groups.contains_key("sleeve.L") && sleeve.channels.contains_key("sleeve.L"));
    // The chart of the corners is that of the sheet: u is x, v is z.
    let wedge = read("ply", &data("files/wedge_uv.ply")).unwrap();
    assert_eq!((wedge.uv.len(), wedge.uv_triangles.len()), (9, wedge.triangles.len()));
    for (v, c) in wedge.triangles.iter().flatten().zip(wedge.uv_triangles.iter().flatten()) {
        let (p, uv) = (wedge.positions[*v as usize], wedge.uv[*c as usize]);
        assert!((p.x - uv.x).abs() < 1e-6 && (p.z - uv.y).abs() < 1e-6);
    }
    let shirt = obj::read_object(&data("files/two_objects.obj"), "Shirt").unwrap();
    assert_eq!((shirt.positions.len(), shirt.triangles.len()), (9, 8));
}

#[test]
fn gmsh_needs_no_line_ends_behind_binary_numbers() {
    let beside = |_: &str| -> Result<Vec<u8>, MeshError> { Err(MeshError::new("one file is enough")) };
    let mesh = read_tets("msh", &data("files/no_line_ends.msh"), beside).unwrap();
    assert_eq!((mesh.positions.len(), mesh.tets.len()), (8, 6));
    // As above for version 4.1, which has blocks of other sizes between, and for the other files of this kind.
    for name in ["gmsh-2.2-binary", "gmsh-4.1-binary", "meshio-2.2-binary", "meshio-4.1-binary"] {
        let with = data(&format!("tet/{name}.msh"));
        let mut without = with.clone();
        for end in ["$EndMeshFormat", "$EndEntities", "$EndNodes", "$EndElements"] {
            let at = without.windows(end.len()).position(|w| w == end.as_bytes());
            if let Some(at) = at.filter(|at| without[at - 1] == b'\n') {
                without.remove(at - 1);
            }
        }
        assert!(without.len() < with.len());
        let read = |bytes: &[u8]| read_tets("msh", bytes, beside).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read(&without), read(&with), "{name}");
    }
}

/// Encodes a text in UTF-16, with or without a byte order mark.
fn utf16(text: &str, big: bool, mark: bool) -> Vec<u8> {
    let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
    units.flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

/// Returns a text in the encodings of other programs.
fn variants(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let text = text.replace("\r\n", "\n");
    vec![
        ("a mark", format!("\u{feff}{text}").into_bytes()),
        ("CR LF", text.replace('\n', "\r\n").into_bytes()),
        ("CR", text.replace('\n', "\r").into_bytes()),
        ("CR and a mark", format!("\u{feff}{}", text.replace('\n', "\r")).into_bytes()),
        ("UTF-16 LE", utf16(&text, false, true)),
        ("UTF-16 BE", utf16(&text, true, true)),
        ("UTF-16 LE without a mark", utf16(&text, false, false)),
        ("UTF-16 BE with CR LF", utf16(&text.replace('\n', "\r\n"), true, true)),
        ("no last line end", text.trim_end().as_bytes().to_vec()),
    ]
}

#[test]
fn every_format_is_read_in_every_encoding() {
    for name in ["mixed_uv.obj", "wedge_uv.ply", "sleeve_L.ply", "two_objects.obj"] {
        let (extension, bytes) = (name.rsplit_once('.').unwrap().1, data(&format!("files/{name}")));
        let plain = read(extension, &bytes).unwrap();
        for (how, bytes) in variants(std::str::from_utf8(&bytes).unwrap()) {
            let mesh = read(extension, &bytes).unwrap_or_else(|error| panic!("{name} with {how}: {error}"));
            assert_eq!(mesh, plain, "{name} with {how}");
        }
    }
    let text = |name: &str| String::from_utf8(data(&format!("tet/{name}"))).unwrap();
    let ele = text("meshio.ele");
    for name in ["gmsh-2.2.msh", "gmsh-4.1.msh", "vtk-4.2.vtk", "vtk-5.1.vtk", "meshio.node"] {
        let extension = name.rsplit_once('.').unwrap().1;
        let read = |bytes: &[u8], ele: &[u8]| -> Result<TetMesh, MeshError> {
            read_tets(extension, bytes, |_| Ok(ele.to_vec()))
        };
        let plain = read(text(name).as_bytes(), ele.as_bytes()).unwrap();
        for ((how, bytes), (_, ele)) in variants(&text(name)).iter().zip(variants(&ele)) {
            let mesh = read(bytes, &ele).unwrap_or_else(|error| panic!("{name} with {how}: {error}"));
            assert_eq!(mesh, plain, "{name} with {how}");
        }
    }
    // A byte order mark before a file that continues in binary.
    let binary = data("files/crlf_binary.ply");
    assert_eq!(read("ply", &[b"\xef\xbb\xbf", &binary[..]].concat()).unwrap(), read("ply", &binary).unwrap());
}

#[test]
fn what_is_no_mesh_says_so() {
    let told = |extension: &str, bytes: &[u8]| read(extension, bytes).unwrap_err().to_string();
    for extension in ["obj", "ply"] {
        assert_eq!(told(extension, b""), "the file is empty");
        assert_eq!(told(extension, b" \r\n\n"), "the file is empty");
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
        assert_eq!(told(extension, pointer), "a pointer of Git LFS, not the file itself; fetch it with git lfs pull");
        assert!(told(extension, b"\xff\xfev\0 ").contains("UTF-16"));
    }
    let beside = |_: &str| Ok(Vec::new());
    for extension in ["msh", "vtk", "node"] {
        assert_eq!(read_tets(extension, b"\n", beside).unwrap_err().to_string(), "the file is empty");
    }
    let node = b"4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
    assert_eq!(
        read_tets("node", node, beside).unwrap_err().to_string(),
        "in the .ele file beside it: the file is empty"
    );
}
