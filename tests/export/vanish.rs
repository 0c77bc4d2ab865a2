//! Objects that appear and vanish: a static ball at frames 2 to 4 of 6, and a moving bar that is present until frame 3.

use super::crate_file::Crate;
use super::ogawa::Archive;
use super::support::{bench, floats, percale, rows, single};
use percale::mesh::ply;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

const SCENE: &str = r##"
[time]
fps = 25
frames = 6
step = "4 ms"

[[cloth]]
name = "flap"
mesh = "flap.obj"

[[obstacle]]
name = "ball"
sphere = { center = [0, 0.25, 0], radius = 0.25 }
resolution = 0.2
from = "40 ms"
until = "160 ms"

[[obstacle]]
name = "bar"
box = { center = [0, 0.1, 0.8], size = [0.5, 0.05, 0.05] }
keyframes = [{ time = 0 }, { time = 1, translate = [0, 0.2, 0] }]
until = "120 ms"
"##;

fn export(arguments: &[&str]) -> PathBuf {
    static MADE: OnceLock<()> = OnceLock::new();
    MADE.get_or_init(|| {
        fs::write(bench().join("vanish.toml"), SCENE).unwrap();
        let out = percale(&["run", "vanish.toml", "--out", "vanish", "--no-preview"], bench());
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    });
    let out = percale(&[&["export", "vanish"], arguments].concat(), bench());
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    bench().join("vanish/export")
}

fn recorded(object: &str, frame: u32) -> Vec<[f32; 3]> {
    let file = bench().join(format!("vanish/meshes/{object}/{object}.{frame:04}.ply"));
    single(&ply::read(&fs::read(file).unwrap()).unwrap().mesh.positions)
}

fn visibility(file: &Crate, object: &str) -> Vec<(f64, String)> {
    let path = format!("/vanish/{object}.visibility");
    assert_eq!(file.token(&path, "typeName"), "token");
    file.samples(&path).into_iter().map(|(time, value)| (time, file.word(value).to_string())).collect()
}

#[test]
fn usd_has_a_visibility_track() {
    let shown = |times: &[(f64, &str)]| times.iter().map(|(t, w)| (*t, w.to_string())).collect::<Vec<_>>();
    let file = Crate::read(fs::read(export(&["--format", "usdc"]).join("vanish.usdc")).unwrap());
    assert_eq!(visibility(&file, "ball"), shown(&[(1.0, "invisible"), (2.0, "inherited"), (5.0, "invisible")]));
    assert_eq!(visibility(&file, "bar"), shown(&[(1.0, "inherited"), (4.0, "invisible")]));
    assert!(!file.specs.contains_key("/vanish/flap.visibility"));
    // A static object has a single position; an absent moving object stays at its last position.
    assert_eq!(file.field("/vanish/ball.points", "timeSamples"), None);
    let ball = file.field("/vanish/ball.points", "default").unwrap();
    assert_eq!(rows(&floats(file.array(ball, 24, 12))), recorded("ball", 2));
    let bar = file.samples("/vanish/bar.points");
    assert_eq!(bar.len(), 6);
    for (k, frame) in [1, 2, 3, 3, 3, 3].into_iter().enumerate() {
        assert_eq!(rows(&floats(file.array(bar[k].1, 24, 12))), recorded("bar", frame), "{k}");
    }
    // Value clips have the visibility in the layer of data that are equal in all frames.
    let folder = export(&["--format", "usda", "--frames", "3-6"]);
    let topology = Crate::read(fs::read(folder.join("vanish.clips/topology.usdc")).unwrap());
    assert_eq!(visibility(&topology, "ball"), shown(&[(3.0, "inherited"), (5.0, "invisible")]));
    assert!(!fs::read_to_string(folder.join("vanish.clips/manifest.usda")).unwrap().contains("visibility"));
}

#[test]
fn alembic_has_a_visible_property() {
    let file = Archive::read(fs::read(export(&["--format", "abc"]).join("vanish.abc")).unwrap());
    let visible = |object: &str| file.samples(object, "visible").concat();
    assert_eq!((visible("ball"), visible("bar")), (vec![0, 1, 1, 1, 0, 0], vec![1, 1, 1, 0, 0, 0]));
    let property = &file.objects["ball"]["visible"];
    // The property is a signed byte, sampled at the times of frames.
    assert_eq!((property.pod, property.extent, property.sampling), (2, 1, 1));
    assert!(!file.objects["flap"].contains_key("visible"));
    assert_eq!((file.samples("ball", ".geom/P").len(), file.samples("bar", ".geom/P").len()), (1, 6));
}

#[test]
fn gltf_scales_what_is_not_there_to_nothing() {
    let path = export(&["--format", "gltf"]).join("vanish.gltf");
    let json: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let data = fs::read(path.with_extension("bin")).unwrap();
    let scale = |name: &str| -> Vec<[f32; 3]> {
        let node = json["nodes"].as_array().unwrap().iter().position(|n| n["name"] == name).unwrap();
        let animation = &json["animations"][0];
        let channels = animation["channels"].as_array().unwrap();
        let of = |c: &&Value| c["target"]["node"] == node && c["target"]["path"] == "scale";
        let Some(channel) = channels.iter().find(of) else { return Vec::new() };
        let sampler = &animation["samplers"][channel["sampler"].as_u64().unwrap() as usize];
        assert_eq!(sampler["interpolation"], "STEP");
        let accessor = &json["accessors"][sampler["output"].as_u64().unwrap() as usize];
        assert_eq!((accessor["type"].as_str(), accessor["count"].as_u64()), (Some("VEC3"), Some(6)));
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let [at, length] = ["byteOffset", "byteLength"].map(|key| view[key].as_u64().unwrap() as usize);
        rows(&floats(&data[at..at + length]))
    };
    let shown = |frames: [u8; 6]| frames.map(|f| [f32::from(f); 3]).to_vec();
    assert_eq!((scale("ball"), scale("bar")), (shown([0, 1, 1, 1, 0, 0]), shown([1, 1, 1, 0, 0, 0])));
    assert!(scale("flap").is_empty());
    assert_eq!(json["nodes"][1]["scale"], serde_json::json!([0.0, 0.0, 0.0]));
}

#[test]
fn files_lack_what_is_not_there_and_caches_hold_it() {
    let folder = export(&["--format", "ply"]);
    let there = |object: &str| [1, 2, 3, 4, 5, 6].map(|f| folder.join(format!("{object}.{f:04}.ply")).is_file());
    assert_eq!(there("ball"), [false, true, true, true, false, false]);
    assert_eq!(there("bar"), [true, true, true, false, false, false]);
    assert!(!folder.join("ball.ply").exists());
    export(&["--format", "pc2"]);
    let cache = fs::read(folder.join("bar.pc2")).unwrap();
    let all: Vec<[f32; 3]> = rows(&floats(&cache[32..]));
    let wanted: Vec<[f32; 3]> = [1, 2, 3, 3, 3, 3].into_iter().flat_map(|f| recorded("bar", f)).collect();
    assert_eq!(all, wanted);
    // An object that is absent in all frames of the range is left out, or refused by name if requested.
    let arguments = ["export", "vanish", "--format", "usdc", "--frames", "5-6", "--object", "ball"];
    let out = percale(&arguments, bench());
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(String::from_utf8_lossy(&out.stderr), "vanish: 'ball' is at none of the frames 5 to 6\n");
    export(&["--format", "usdc", "--frames", "5-6", "--out", "late.usdc"]);
    let late = Crate::read(fs::read(bench().join("late.usdc")).unwrap());
    assert!(late.specs.contains_key("/vanish/flap") && !late.specs.contains_key("/vanish/ball"));
}
