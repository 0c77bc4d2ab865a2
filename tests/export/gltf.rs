use super::support::{bench, export, floats, percale, recorded, rows, single};
use serde_json::Value;
use std::fs;

struct File {
    json: Value,
    data: Vec<u8>,
}

impl File {
    fn read(path: &std::path::Path) -> File {
        let json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let name = json["buffers"][0]["uri"].as_str().unwrap();
        let data = fs::read(path.with_file_name(name)).unwrap();
        assert_eq!(json["buffers"][0]["byteLength"], data.len());
        File { json, data }
    }

    fn bytes(&self, accessor: &Value) -> &[u8] {
        let accessor = &self.json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &self.json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let whole = |key: &str| view[key].as_u64().unwrap() as usize;
        &self.data[whole("byteOffset")..][..whole("byteLength")]
    }
}

#[test]
fn morph_targets_hold_the_record() {
    export(&["--format", "gltf"]);
    let file = File::read(&bench().join("run/export/two-things.gltf"));
    let meshes = file.json["meshes"].as_array().unwrap();
    let primitive = |name: &str| &meshes.iter().find(|m| m["name"] == name).unwrap()["primitives"][0];
    let sheet = primitive("sheet");
    let base: Vec<[f32; 3]> = rows(&floats(file.bytes(&sheet["attributes"]["POSITION"])));
    assert_eq!(base, single(&recorded("sheet", 1).mesh.positions));
    let targets = sheet["targets"].as_array().unwrap();
    assert_eq!(targets.len(), 3);
    for (target, frame) in targets.iter().zip(2..) {
        let moved: Vec<[f32; 3]> = rows(&floats(file.bytes(&target["POSITION"])));
        let wanted = single(&recorded("sheet", frame).mesh.positions);
        for ((a, b), w) in base.iter().zip(&moved).zip(&wanted) {
            assert!((0..3).all(|k| (a[k] + b[k] - w[k]).abs() < 1e-7));
        }
        let accessor = &file.json["accessors"][target["POSITION"].as_u64().unwrap() as usize];
        let least = moved.iter().map(|p| p[1]).fold(f32::INFINITY, f32::min);
        assert_eq!(accessor["min"][1].as_f64().unwrap() as f32, least);
    }
    // At the time of a frame, only its morph target has weight.
    let sampler = &file.json["animations"][0]["samplers"][0];
    let times = floats(file.bytes(&sampler["input"]));
    assert!(times.iter().zip(1..).all(|(t, k)| (t - k as f32 / 25.0).abs() < 1e-7), "{times:?}");
    let weights: Vec<[f32; 3]> = rows(&floats(file.bytes(&sampler["output"])));
    assert_eq!(weights, [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    assert_eq!(file.json["animations"][0]["channels"].as_array().unwrap().len(), 4);
    assert!(primitive("ball").get("targets").is_none());
    // A vertex at a seam is repeated for each position in the chart, after the others.
    let flap = primitive("flap");
    let positions: Vec<[f32; 3]> = rows(&floats(file.bytes(&flap["attributes"]["POSITION"])));
    let own = single(&recorded("flap", 1).mesh.positions);
    assert_eq!(positions, [&own[..], &[own[1], own[2]]].concat());
    let uv: Vec<[f32; 2]> = rows(&floats(file.bytes(&flap["attributes"]["TEXCOORD_0"])));
    assert_eq!(uv, [[0.0, 1.0], [0.5, 1.0], [0.0, 0.0], [1.0, 0.0], [0.75, 1.0], [0.75, 0.0]]);
    let corners: Vec<u32> =
        file.bytes(&flap["indices"]).chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect();
    assert_eq!(corners, [0, 2, 1, 4, 5, 3]);
}

/// A GLB file has the same text as the two files, except for the name of the data file, and the same data, in chunks of
/// whole words.
#[test]
fn a_glb_holds_both() {
    export(&["--format", "gltf"]);
    let two = File::read(&bench().join("run/export/two-things.gltf"));
    export(&["--format", "gltf", "--out", "one.glb"]);
    let bytes = fs::read(bench().join("one.glb")).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let text = word(12);
    assert_eq!((&bytes[16..20], text % 4), (&b"JSON"[..], 0));
    let mut json: Value = serde_json::from_slice(&bytes[20..20 + text]).unwrap();
    let data = word(20 + text);
    assert_eq!((&bytes[24 + text..28 + text], data % 4, bytes.len()), (&b"BIN\0"[..], 0, 28 + text + data));
    assert_eq!(bytes[28 + text..28 + text + two.data.len()], two.data[..]);
    json["buffers"][0]["uri"] = two.json["buffers"][0]["uri"].clone();
    assert_eq!(json, two.json);
    assert!(!bench().join("one.bin").exists());
    for (format, out) in [("usdc", "x.abc"), ("pc2", "z.pc2")] {
        let told = percale(&["export", "run", "--format", format, "--out", out], bench());
        assert_eq!(told.status.code(), Some(2), "{format} {out}");
    }
}
