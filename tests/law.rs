//! A law that only some scenes have, tested from its keys to all its outputs. Only its own file, its keys and two lists
//! name it.

use percale::sequence::{Checkpoint, FrameStats};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const SCENE: &str = r#"
[scene]
name = "law"

[time]
fps = 30
frames = 5

[output]
fields = ["tether_stretch"]
checkpoint = 1

[preview]
width = 160
height = 90
field = "tether_stretch"

[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
material = "silk"

[[tether]]
cloth = "sheet"
box = { min = [-0.6, -1, -0.6], max = [-0.4, 1, 0.6] }
point = [-0.7, 0.5, 0]
stiffness = "2 N/m"
set = 0.5
"#;

fn folder(name: &str, scene: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("law-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    fs::write(folder.join("scene.toml"), scene.replace("MESHES", meshes.to_str().unwrap())).unwrap();
    folder
}

fn percale(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    let out = command.args(arguments).current_dir(folder).env_remove("PERCALE_OUT").output().unwrap();
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned()
}

fn stats(run: &Path) -> Vec<FrameStats> {
    let lines = fs::read_to_string(run.join("stats.ndjson")).unwrap();
    lines.lines().map(|line| FrameStats::parse(line).unwrap()).collect()
}

fn checkpoint(run: &Path) -> PathBuf {
    let all = fs::read_dir(run.join("checkpoints")).unwrap().map(|entry| entry.unwrap().path());
    all.max().unwrap()
}

#[test]
fn a_law_is_told_of_everywhere_and_remembers_over_a_stop() {
    let here = folder("whole", SCENE);
    percale(&here, &["run", "scene.toml", "--out", "a"]);
    percale(&here, &["run", "scene.toml", "--out", "b", "--frames", "3"]);
    percale(&here, &["run", "scene.toml", "--out", "b", "--resume"]);
    let (a, b) = (here.join("a"), here.join("b"));

    // Resumes with the law's memory and reproduces the same bits.
    let mesh = |run: &Path| fs::read(run.join("meshes/sheet/sheet.0005.ply")).unwrap();
    assert!(mesh(&a) == mesh(&b));
    let last = Checkpoint::read(&checkpoint(&a)).unwrap().state;
    let [section] = &last.memory.0[..] else { panic!("{:?}", last.memory) };
    assert_eq!((section.word.as_str(), section.version), ("tether", 1));
    assert!(last == Checkpoint::read(&checkpoint(&b)).unwrap().state);

    // The law's energy, its values at vertices, its colours and legend, its keys.
    assert!(stats(&a).last().unwrap().energies.get("tether") > 0.0);
    let head = String::from_utf8_lossy(&mesh(&a)).into_owned();
    assert!(head.contains("property float tether_stretch"), "{}", &head[..400]);
    assert!(a.join("preview/frame.0005.png").is_file());
    assert!(fs::read_to_string(a.join("report.html")).unwrap().contains("tether"));
    let schema = percale(&here, &["schema"]);
    assert!(schema.contains("\"tether\"") && schema.contains("\"tether_stretch\""));
}

#[test]
fn a_scene_without_a_law_does_not_know_of_it() {
    let scene = SCENE.split("[[tether]]").next().unwrap().replace("fields = [\"tether_stretch\"]", "fields = []");
    let here = folder("without", &scene.replace("field = \"tether_stretch\"", ""));
    percale(&here, &["run", "scene.toml", "--out", "a", "--frames", "2", "--no-preview"]);
    let run = here.join("a");
    assert!(!fs::read_to_string(run.join("stats.ndjson")).unwrap().contains("tether"));
    assert!(!String::from_utf8_lossy(&fs::read(checkpoint(&run)).unwrap()).contains("law tether"));
    // A checkpoint without the law's memory is reported by name.
    fs::write(
        here.join("scene.toml"),
        fs::read_to_string(here.join("scene.toml")).unwrap()
            + "\n[[tether]]\ncloth = \"sheet\"\nall = true\npoint = [0, 1, 0]\nstiffness = 1\n",
    )
    .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    let out = command.args(["run", "scene.toml", "--out", "a", "--resume"]).current_dir(&here).output().unwrap();
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(2) && told.contains("lacks what 'tether' remembers"), "{told}");
}
