//! `percale check --json`: faults, warnings and objects for programs.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCENE: &str = r#"
[scene]
name = "pair"
[time]
frames = 24
start_frame = 1001
preroll = 5
fps = 24
[[cloth]]
name = "sheet"
mesh = "sheet.obj"
transform = { translate = [0, 1, 0] }
[[body]]
name = "block"
box = { size = [0.2, 0.2, 0.2] }
resolution = "10 cm"
[[obstacle]]
name = "floor"
plane = { point = [0, -1, 0], size = 2 }
[wind]
seed = 3
"#;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("check-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("sheet.obj"), "v 0 0 0\nv 0.2 0 0\nv 0.2 0 0.2\nv 0 0 0.2\nf 1 4 3 2\n").unwrap();
    folder
}

/// Returns exit code, JSON and standard error of a check.
fn check(folder: &Path, scene: &str, more: &[&str]) -> (i32, Value, String) {
    fs::write(folder.join("scene.toml"), scene).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    let out = command.args(["check", "scene.toml", "--json"]).args(more).current_dir(folder).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let json = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    (out.status.code().unwrap(), json, String::from_utf8(out.stderr).unwrap())
}

#[test]
fn a_good_scene_has_objects_frames_and_files() {
    let folder = folder("good");
    let (code, json, told) = check(&folder, SCENE, &[]);
    assert_eq!((code, &json["code"], &json["faults"]), (0, &0.into(), &Value::Array(Vec::new())), "{told}");
    assert_eq!((&json["name"], &json["fps"]), (&"pair".into(), &24.into()));
    let counts = ["start_frame", "frames", "preroll"].map(|key| json[key].as_u64().unwrap());
    assert_eq!(counts, [1001, 24, 5]);
    assert_eq!(json["files"].as_array().unwrap(), &[Value::from("sheet.obj")]);
    let objects: Vec<[&str; 2]> = json["objects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|o| ["name", "kind"].map(|key| o[key].as_str().unwrap()))
        .collect();
    assert_eq!(objects, [["sheet", "cloth"], ["block", "body"], ["floor", "obstacle"]]);
    let sheet = &json["objects"][0];
    assert_eq!((&sheet["vertices"], &sheet["triangles"]), (&4.into(), &2.into()));
    assert!(json["objects"][1]["tetrahedra"].as_u64().unwrap() > 5 && sheet.get("tetrahedra").is_none());
    // Warnings have a place. Standard error has them in words.
    let warning = json["warnings"].as_array().unwrap().iter().find(|w| w["key"] == "wind.seed").unwrap();
    assert_eq!((&warning["file"], &warning["line"], &warning["column"]), (&"scene.toml".into(), &21.into(), &8.into()));
    assert!(told.contains(&format!("warning: {}\n", warning["text"].as_str().unwrap())), "{told}");
    let (code, json, _) = check(&folder, SCENE, &["--strict"]);
    assert_eq!((code, &json["code"]), (2, &2.into()));
    assert!(json["reason"].as_str().unwrap().contains("which --strict takes as"), "{json}");
}

#[test]
fn faults_have_file_line_column_and_key() {
    let folder = folder("bad");
    let scene = SCENE.replace("fps = 24", "fsp = 24").replace("size = 2", "size = \"2 kg\"");
    let (code, json, told) = check(&folder, &scene, &["--set", "time.frames=none"]);
    assert_eq!((code, &json["code"]), (2, &2.into()));
    let faults = json["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 3, "{json}");
    let of = |key: &str| faults.iter().find(|fault| fault["key"] == key).unwrap_or_else(|| panic!("{key}: {json}"));
    let fps = of("time.fsp");
    assert_eq!((&fps["file"], &fps["line"], &fps["column"]), (&"scene.toml".into(), &8.into(), &1.into()));
    assert_eq!(fps["message"], "unknown key; did you mean 'fps'?");
    assert_eq!(of("time.frames")["argument"], "--set time.frames");
    assert!(faults.iter().all(|fault| told.contains(fault["text"].as_str().unwrap())), "{told}");
    // Faults of meshes too, and a file that is no scene.
    let (code, json, _) = check(&folder, &SCENE.replace("[0, 1, 0]", "[0, 0, 0]"), &[]);
    assert_eq!((code, &json["name"]), (2, &"pair".into()));
    assert!(json["faults"][0]["message"].as_str().unwrap().contains("cross"), "{json}");
    assert!(json.get("objects").is_none());
    let (code, json, _) = check(&folder, "scene = \"a.toml\"\n[keys]\n", &[]);
    assert_eq!((code, &json["faults"]), (2, &Value::Array(Vec::new())));
    assert!(json["reason"].as_str().unwrap().contains("is a sweep, not a scene"), "{json}");
}
