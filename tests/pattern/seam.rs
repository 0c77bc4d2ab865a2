//! Seams that close, through the command.

use percale::linalg::Vec3;
use percale::mesh::ply;
use percale::scene;
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

/// Returns the positions of the mesh of a frame [m].
fn positions(folder: &Path, frame: u32) -> Vec<Vec3> {
    ply::read(&mesh(folder, frame)).unwrap().mesh.positions
}

/// Returns the pairs of the seams of the scene.
fn pairs(folder: &Path) -> Vec<[u32; 2]> {
    let file = folder.join("top.toml");
    let scene = scene::read(&file, &[]).unwrap();
    let seams = scene::build::build(&scene, &file).unwrap().seams;
    seams.iter().flat_map(|sewn| &sewn.seams).flat_map(|seam| seam.pairs.clone()).collect()
}

/// After two seconds all pairs are joined: both vertices are written in the same place. No frame has a crossing, and no
/// edge is stretched by more than the force of the seams can. The bits are the same on two threads, and after resumes
/// from the middle of the closing and from the frame at whose end seams were joined.
#[test]
fn panels_close_without_a_crossing() {
    let one = folder("one", "frames", "frames");
    let told = run(&one, &["--threads", "1"]);
    assert!(!told.contains("has had its time"), "{told}");
    let all = stats(&one);
    let number = |frame: &Value, key: &str| frame[key].as_f64().unwrap();
    assert!(all.iter().all(|frame| number(frame, "crossing") == 0.0));
    let pairs = pairs(&one);
    assert_eq!(number(&all[60], "seam_joined"), pairs.len() as f64);
    let x = positions(&one, 61);
    assert!(pairs.iter().all(|[a, b]| x[*a as usize] == x[*b as usize]));
    // Until then they are drawn to within a twentieth of the edges.
    let last = all.iter().rposition(|frame| number(frame, "seam_joined") == 0.0).unwrap();
    let x = positions(&one, last as u32 + 1);
    let gap = |[a, b]: &[u32; 2]| (x[*a as usize] - x[*b as usize]).norm();
    assert!(pairs.iter().all(|pair| gap(pair) < 0.05 * 0.031) && pairs.iter().any(|pair| gap(pair) > 0.0));
    // 5 N/m on cotton is less than a hundredth; impacts of the borders add as much again and more.
    let strain = all.iter().map(|frame| number(frame, "max_strain")).fold(0.0, f64::max);
    assert!(strain < 0.03, "{strain}");
    let two = folder("two", "frames", "frames");
    run(&two, &["--threads", "2", "--frames", "20"]);
    run(&two, &["--threads", "2", "--resume", "--set", "time.frames=61"]);
    for frame in [20, 35, 61] {
        assert!(mesh(&one, frame) == mesh(&two, frame), "frame {frame}");
    }
    let after = (last + 2).to_string();
    run(&two, &["--threads", "1", "--set", "output.checkpoint=1", "--frames", &after, "--force"]);
    run(&two, &["--threads", "1", "--resume", "--set", "output.checkpoint=1", "--frames", "61"]);
    for frame in [last as u32 + 2, 61] {
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
        let positions = positions(&folder, frame);
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
    assert!(gap < 2e-4, "{gap} m");
    // Its seams are joined, as they were.
    let joined = |frame: &Value| frame["seam_joined"].as_u64().unwrap();
    let before = joined(&stats(&folder)[60]);
    assert!(before > 10 && all.iter().all(|frame| joined(frame) == before), "{before}");
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
        ("sew = [{ strength = 3 }]", "is of elastic seams; give hold = \"elastic\" too"),
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

/// Strips of 8 cm, held at one end, of one panel or of two with a seam 2 cm from there, after three seconds of weight.
const STRIP: &str = r#"
[scene]
name = "top"
[time]
fps = 30
frames = 121
[[material]]
name = "stiff"
base = "cotton"
rigidity = "50 uN m"
[[cloth]]
name = "top"
material = "stiff"
air_drag = 1
[cloth.pattern]
file = "top.svg"
edge_length = "4 mm"
weight_from = 1
[[cloth.pattern.panel]]
name = "a"
rotate = { axis = [1, 0, 0], angle = "-90 deg" }
translate = [A, 0, 0]
SEWN
[[cloth.pin]]
box = { min = [-1, -1, -1], max = [0.0045, 1, 1] }
"#;

const SEWN: &str = r#"
[[cloth.pattern.panel]]
name = "b"
rotate = { axis = [1, 0, 0], angle = "-90 deg" }
translate = [0.053, 0, 0]
[[cloth.pattern.stitch]]
name = "middle"
edges = ["a.2", "b.0"]
[[cloth.pattern.sew]]
over = "0.5 s"
hold = "HOLD"
"#;

/// Returns the place of the free end of such a strip [m]. `hold` is that of its seam, `None` of one panel.
fn tip(hold: Option<&str>) -> [f64; 2] {
    let folder = folder(&format!("strip-{}", hold.unwrap_or("whole")), "frames", "frames");
    let (middle, sewn) = match hold {
        Some(hold) => ("0.01", SEWN.replace("HOLD", hold)),
        None => ("0.04", String::new()),
    };
    fs::write(folder.join("top.toml"), STRIP.replace("[A,", &format!("[{middle},")).replace("SEWN", &sewn)).unwrap();
    let panels = match hold {
        Some(_) => r#"<g id="a"><path d="M0,0 H20 V40 H0 Z"/></g><g id="b"><path d="M60,0 H120 V40 H60 Z"/></g>"#,
        None => r#"<g id="a"><path d="M0,0 H80 V40 H0 Z"/></g>"#,
    };
    let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="200mm" height="100mm" viewBox="0 0 200 100">"#;
    fs::write(folder.join("top.svg"), format!("{svg}{panels}</svg>")).unwrap();
    run(&folder, &["--threads", "1"]);
    let end = positions(&folder, 121).into_iter().min_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
    [end.x, end.y]
}

/// A joined seam bends as the cloth does: the end of a strip is where that of one panel is, within 0.3 mm. Two meshes
/// of one strip differ by as much. The rows of an elastic seam are a hinge, whose end hangs millimetres from there.
#[test]
fn a_joined_seam_bends_as_the_cloth() {
    let [whole, joined, hinge] = [None, Some("joined"), Some("elastic")].map(tip);
    let apart = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
    assert!(apart(whole, joined) < 3e-4, "{whole:?} {joined:?}");
    assert!(apart(whole, hinge) > 5e-3, "{whole:?} {hinge:?}");
}

/// A square of 20 cm and 1 kg/m2 hangs from another by an elastic seam.
const LOAD: &str = r#"
[scene]
name = "top"
[time]
fps = 30
frames = 91
[[material]]
name = "plain"
base = "cotton"
poisson = 0
density = "1 kg/m2"
[[cloth]]
name = "top"
material = "plain"
air_drag = 1
[cloth.pattern]
file = "top.svg"
edge_length = "1 cm"
weight_from = 0.8
[[cloth.pattern.panel]]
name = "a"
translate = [0, 0.1, 0]
[[cloth.pattern.panel]]
name = "b"
translate = [0, -0.105, 0]
[[cloth.pattern.stitch]]
name = "middle"
edges = ["a.1", "b.3"]
[[cloth.pattern.sew]]
over = "0.5 s"
hold = "elastic"
stiffness = "10 kPa"
[[cloth.pin]]
group = "a.3"
"#;

/// Writes and runs the scene of the load, with more in the table of the seam. Returns its folder and what was told.
fn loaded(name: &str, more: &str) -> (PathBuf, String) {
    let folder = folder(name, "frames", "frames");
    fs::write(folder.join("top.toml"), LOAD.replace("\"10 kPa\"", &format!("\"10 kPa\"\n{more}"))).unwrap();
    let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="300mm" height="500mm" viewBox="0 0 300 500">
<g id="a"><path d="M0,0 H200 V200 H0 Z"/></g><g id="b"><path d="M0,250 H200 V450 H0 Z"/></g></svg>"#;
    fs::write(folder.join("top.svg"), svg).unwrap();
    let told = run(&folder, &["--threads", "1"]);
    (folder, told)
}

/// The seam carries the weight below it, within 1 %: it opens by the load over its stiffness.
#[test]
fn an_elastic_seam_carries_its_load() {
    let (folder, _) = loaded("load", "");
    let (x, pairs) = (positions(&folder, 91), pairs(&folder));
    let gap = |k: usize| pairs[k].map(|v| x[v as usize]).into_iter().reduce(|a, b| a - b).unwrap().norm();
    // Pairs at the ends have half of the seam's length that the others have.
    let part = |k: usize| if k == 0 || k + 1 == pairs.len() { 0.5 } else { 1.0 };
    let mean = (0..pairs.len()).map(|k| part(k) * gap(k)).sum::<f64>() / (pairs.len() - 1) as f64;
    let (load, force) = (9.81 * 0.2, 1e4 * mean);
    assert!((force / load - 1.0).abs() < 0.01, "{force} N/m of {load} N/m");
    let told = stats(&folder)[90]["seam_force"].as_f64().unwrap();
    assert!((told / load - 1.0).abs() < 0.03, "{told} N/m");
}

/// A seam that bears less than its load breaks, which is told, and the panel falls. It holds while it closes with more
/// force than that.
#[test]
fn a_seam_breaks_at_its_strength() {
    let (folder, told) = loaded("break", "strength = \"1.5 N/m\"");
    assert!(told.contains("seam 'middle' breaks near"), "{told}");
    let all = stats(&folder);
    let number = |frame: usize, key: &str| all[frame - 1][key].as_f64().unwrap();
    assert_eq!((number(24, "seam_broken"), number(91, "seam_broken")), (0.0, pairs(&folder).len() as f64));
    let lowest = |frame: u32| positions(&folder, frame).iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    assert!(lowest(24) > -0.21 && lowest(91) < -1.0, "{} {}", lowest(24), lowest(91));
}
