//! Seams that close, through the command.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A top of two panels 40 cm apart, sewn within a second, without weight.
const SCENE: &str = r#"
[scene]
name = "top"
[time]
fps = 30
frames = 61
[[cloth]]
name = "top"
material = "cotton"
air_drag = 1
[cloth.pattern]
file = "top.json"
edge_length = "3 cm"
weight_from = 100
"#;

/// Returns a new folder with the scene, and changes to its text.
fn folder(name: &str, from: &str, to: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("seam-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    assert!(SCENE.contains(from));
    fs::write(folder.join("top.toml"), SCENE.replace(from, to)).unwrap();
    fs::write(folder.join("top.json"), super::shirt::TOP).unwrap();
    folder
}

/// Runs the scene and returns standard error.
fn run(folder: &Path, more: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.current_dir(folder).args(["run", "top.toml", "--out", "run", "--no-preview", "--progress", "none"]);
    let output = command.args(more).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    told
}

/// Returns the statistics of all frames.
fn stats(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("run/stats.ndjson")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the bytes of the mesh of a frame.
fn mesh(folder: &Path, frame: u32) -> Vec<u8> {
    fs::read(folder.join(format!("run/meshes/top/top.{frame:04}.ply"))).unwrap()
}

/// After two seconds every pair is within 0.1 mm. No frame has a crossing, and no edge is stretched by more than the
/// force of the seams can. The bits are the same on two threads, and after a resume from the middle of the closing.
#[test]
fn panels_close_without_a_crossing() {
    let one = folder("one", "frames", "frames");
    let told = run(&one, &["--threads", "1"]);
    assert!(!told.contains("has had its time"), "{told}");
    let all = stats(&one);
    let number = |frame: &Value, key: &str| frame[key].as_f64().unwrap();
    assert!(all.iter().all(|frame| number(frame, "crossing") == 0.0));
    let gap = number(&all[60], "seam_gap");
    assert!(gap > 0.0 && gap < 1e-4, "{gap} m");
    // 5 N/m on cotton is less than a hundredth; impacts of the borders add as much again and more.
    let strain = all.iter().map(|frame| number(frame, "max_strain")).fold(0.0, f64::max);
    assert!(strain < 0.03, "{strain}");
    let two = folder("two", "frames", "frames");
    run(&two, &["--threads", "2", "--frames", "20"]);
    run(&two, &["--threads", "2", "--resume", "--set", "time.frames=61"]);
    for frame in [20, 35, 61] {
        assert!(mesh(&one, frame) == mesh(&two, frame), "frame {frame}");
    }
}

/// A force of the thousandth part cannot bring the panels together in time, which is told with the distance.
#[test]
fn a_seam_that_stays_open_is_told() {
    let folder = folder("open", "weight_from = 100", "weight_from = 100\nsew = [{ force = \"5 mN/m\" }]");
    let told = run(&folder, &["--threads", "1", "--frames", "45"]);
    assert!(told.contains("seam '") && told.contains("has had its time and is open by"), "{told}");
    assert!(stats(&folder)[44]["seam_gap"].as_f64().unwrap() > 0.01);
}

/// Cloth without weight stays where it is until the time at which it gets it, then falls: after 0.2 s of growth by
/// `g t^2/2 - g t T/2 + g T^2/6` with `T` of 0.2 s.
#[test]
fn cloth_falls_once_it_has_weight() {
    let folder = folder("fall", "weight_from = 100", "weight_from = 0.2\nsew = [{ from = 100 }]");
    let text = fs::read_to_string(folder.join("top.toml")).unwrap().replace("air_drag = 1\n", "");
    fs::write(folder.join("top.toml"), text).unwrap();
    run(&folder, &["--threads", "1", "--frames", "19"]);
    let height = |frame: u32| {
        let bytes = mesh(&folder, frame);
        let positions = percale::mesh::ply::read(&bytes).unwrap().mesh.positions;
        positions.iter().map(|p| p.y).sum::<f64>() / positions.len() as f64
    };
    assert!((height(6) - height(1)).abs() < 1e-5, "{}", height(6) - height(1));
    let (t, growth) = (0.4, 0.2);
    let fallen = 9.81 * (t * t / 2.0 - t * growth / 2.0 + growth * growth / 6.0);
    // Steps of 4 ms take the weight of their end: a lead of at most half a step, of g t h/2.
    let found = height(1) - height(19);
    assert!((found - fallen).abs() < 9.81 * t * 2e-3, "{found} m, not {fallen} m");
}

/// A run that goes on with the sewn garment keeps its seams closed, and has its weight at once: in 0.2 s it falls by
/// `g t^2/2`, less a little for the air. Without `continue` the panels of the same scene hang where they are.
#[test]
fn a_sewn_garment_goes_on_with_its_weight() {
    let folder = folder("onward", "frames", "frames");
    run(&folder, &["--threads", "1"]);
    let scene = fs::read_to_string(folder.join("top.toml")).unwrap();
    fs::write(folder.join("top.toml"), scene.replace("\"top\"\n[time]", "\"top\"\ncontinue = \"run@61\"\n[time]"))
        .unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.current_dir(&folder).args(["run", "top.toml", "--out", "fall/run", "--no-preview", "--frames", "7"]);
    let told = command.output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let fall = folder.join("fall");
    assert!(mesh(&folder, 61) == mesh(&fall, 1));
    let all = stats(&fall);
    let gap = all.iter().map(|frame| frame["seam_gap"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!(gap > 0.0 && gap < 2e-4, "{gap} m");
    let height = |folder: &Path, frame: u32| {
        let positions = percale::mesh::ply::read(&mesh(folder, frame)).unwrap().mesh.positions;
        positions.iter().map(|p| p.y).sum::<f64>() / positions.len() as f64
    };
    let fallen = height(&fall, 1) - height(&fall, 7);
    let free = 0.5 * 9.81 * 0.2f64.powi(2);
    println!("it fell {fallen:.4} m, in a vacuum {free:.4} m; the widest gap is {gap:.1e} m");
    assert!(fallen > 0.6 * free && fallen < 1.05 * free, "{fallen} m, in a vacuum {free} m");
}

/// A seam of an unknown name, a panel that is wider than its cylinder, and a seam in two tables are refused with the
/// place in the scene.
#[test]
fn wrong_names_and_sizes_are_told() {
    for (k, (wrong, message)) in [
        ("sew = [{ seams = [\"side\"] }]", "no seam 'side', there are '"),
        ("panel = [{ name = \"front\", wrap = \"5 cm\" }]", "more than goes around such a cylinder"),
        ("sew = [{ seams = [\"side-left\"] }, { seams = [\"side-left\"] }]", "'side-left' is in sew[0] already"),
        ("sew = [{ force = 3 }, { force = 4 }]", "sew[0] is for all seams that no table names"),
    ]
    .into_iter()
    .enumerate()
    {
        let folder = folder(&format!("wrong-{k}"), "weight_from = 100", wrong);
        let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
        let output = command.current_dir(&folder).args(["check", "top.toml"]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("top.toml:14:") && told.contains(message), "{told}");
    }
}
