//! Mesh files compared with an independent reader, and invalid bytes.

use percale::linalg::random::Random;
use percale::mesh::{obj, ply};

/// File with polygons, negative indices, charts, and groups in an order that a loader may change.
const SAMPLE: &str = "# sample\no coat\nv 0 0 0\nv 1 0 0\nv 1 1 0.25\nv 0 1 0\nv 2 0 0.5\nv 2 1 0\nv 3 0.5 0\nv 7 7 7\n\
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvn 0 0 1\ng b\nf 5/1/1 6/2/1 3/3/1 2/4/1\ng a\nusemtl wool\nf 1/1 2/2 3/3 4/4\nf -2/1 \\\n-3/2 -4/3\n";

/// `tobj` reads the same corners of triangles. It renumbers and splits vertices; the positions are equal.
#[test]
fn tobj_sees_the_same_triangles() {
    // `tobj` does not support continued lines.
    let joined = SAMPLE.replace("\\\n", " ");
    let options = tobj::LoadOptions { triangulate: true, ..tobj::LoadOptions::default() };
    let (models, _) =
        tobj::load_obj_buf(&mut joined.as_bytes(), &options, |_| Ok((Vec::new(), Default::default()))).unwrap();
    let mut theirs: Vec<([f64; 3], [f64; 2])> = Vec::new();
    for tobj::Model { mesh, .. } in &models {
        for (v, t) in mesh.indices.iter().zip(&mesh.texcoord_indices) {
            let (v, t) = (*v as usize, *t as usize);
            theirs.push((
                [mesh.positions[3 * v], mesh.positions[3 * v + 1], mesh.positions[3 * v + 2]],
                [mesh.texcoords[2 * t], mesh.texcoords[2 * t + 1]],
            ));
        }
    }
    let mesh = obj::read(SAMPLE.as_bytes()).unwrap();
    let corners = mesh.triangles.iter().flatten().zip(mesh.uv_triangles.iter().flatten());
    let ours: Vec<([f64; 3], [f64; 2])> =
        corners.map(|(v, t)| (mesh.positions[*v as usize].into(), mesh.uv[*t as usize].into())).collect();
    assert_eq!(ours, theirs);
    assert_eq!(mesh.positions.len(), 8);
}

/// A general PLY parser reads the written files, and its text output is read here.
#[test]
fn ply_rs_sees_the_same_mesh() {
    use ply_rs::parser::Parser;
    use ply_rs::ply::{DefaultElement, Encoding, Property};
    use ply_rs::writer::Writer;
    let mesh = obj::read(SAMPLE.as_bytes()).unwrap();
    let bytes = ply::write_mesh(&mesh).unwrap();
    let mut theirs = Parser::<DefaultElement>::new().read_ply(&mut bytes.as_slice()).unwrap();
    let number = |record: &DefaultElement, name: &str| match record[name] {
        Property::Float(x) => f64::from(x),
        _ => f64::NAN,
    };
    let vertices = &theirs.payload["vertex"];
    assert_eq!(vertices.len(), mesh.positions.len());
    for (record, p) in vertices.iter().zip(&mesh.positions) {
        assert_eq!(["x", "y", "z"].map(|name| number(record, name)), [p.x, p.y, p.z]);
    }
    for (record, triangle) in theirs.payload["face"].iter().zip(&mesh.triangles) {
        assert_eq!(record["vertex_indices"], Property::ListUShort(triangle.map(|v| v as u16).to_vec()));
    }
    for encoding in [Encoding::Ascii, Encoding::BinaryBigEndian, Encoding::BinaryLittleEndian] {
        theirs.header.encoding = encoding;
        let mut out = Vec::new();
        Writer::new().write_ply(&mut out, &mut theirs).unwrap();
        assert_eq!(ply::read(&out).unwrap(), ply::read(&bytes).unwrap(), "{encoding:?}");
    }
}

/// Changes a few bytes: random values, syntax characters, pieces cut out, doubled or swapped in.
fn mutate(valid: &[u8], random: &mut Random) -> Vec<u8> {
    const WORDS: [&[u8]; 12] = [
        b"-9223372036854775808",
        b"1e999",
        b"nan",
        b"4294967295",
        b"\\\n",
        b"f ",
        b"/",
        b"\n",
        b"0",
        b"-",
        b"list ",
        b"\xff\xff\xff\xff",
    ];
    let mut bytes = valid.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len().max(1)).min(bytes.len().saturating_sub(1));
        let end = (at + 1 + random.below(20)).min(bytes.len());
        match random.below(12) {
            0..=3 if at < bytes.len() => bytes[at] = random.below(256) as u8,
            4..=6 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            7 => drop(bytes.drain(at..end)),
            8 => {
                let piece = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, piece);
            }
            9 => bytes.truncate(at),
            _ => {
                let word = WORDS[random.below(WORDS.len())];
                bytes.splice(at..(at + word.len()).min(bytes.len()), word.iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn mutated_files_never_panic() {
    let sound = obj::read(SAMPLE.as_bytes()).unwrap();
    let binary = ply::write_mesh(&sound).unwrap();
    let ascii = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty double y\nproperty float z\n\
        property uchar hem\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0 1\n1 0 0 0\n\
        0 1 0 1\n1 1 0.5 0\n3 0 1 2\n4 1 3 2 0\n";
    let mut random = Random::new(1);
    let mut read = [0usize; 3];
    for _ in 0..10_000 {
        let results = [
            obj::read(&mutate(SAMPLE.as_bytes(), &mut random)),
            ply::read(&mutate(&binary, &mut random)).map(|r| r.mesh),
            ply::read(&mutate(ascii, &mut random)).map(|r| r.mesh),
        ];
        for (result, count) in results.iter().zip(&mut read) {
            match result {
                Ok(mesh) => {
                    *count += 1;
                    // Every mesh that is read is valid: all values are finite, and all indices are in range.
                    let vertices = mesh.positions.len() as u32;
                    assert!(mesh.positions.iter().all(|p| p.iter().all(|x| x.is_finite())));
                    assert!(mesh.triangles.iter().flatten().all(|v| *v < vertices));
                    assert!(mesh.groups.values().flatten().all(|v| *v < vertices));
                    assert!(mesh.uv_triangles.is_empty() || mesh.uv_triangles.len() == mesh.triangles.len());
                    assert!(mesh.uv_triangles.iter().flatten().all(|c| (*c as usize) < mesh.uv.len()));
                    assert!(mesh.channels.values().all(|c| c.len() == mesh.positions.len()));
                }
                Err(error) => assert!(!error.what.is_empty() && error.to_string().len() < 600, "{error}"),
            }
        }
    }
    // Some files are read and some are refused, so that both paths are tested.
    assert!(read.iter().all(|n| (50..9950).contains(n)), "{read:?}");
}
