//! Seams between borders of a mesh.

use percale::Simulation;
use percale::mesh::ply;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A square of 20 cm above another, 5 mm in front of it and 5 mm apart, held by its upper edge.
const SCENE: &str = r#"
[scene]
name = "two"
[time]
fps = 30
frames = 60
[[cloth]]
name = "two"
mesh = "two.obj"
material = "cotton"
air_drag = 1
[[cloth.group]]
name = "above"
box = { min = [-1, -0.001, -1], max = [1, 0.001, 1] }
[[cloth.group]]
name = "below"
box = { min = [-1, -0.006, -1], max = [1, -0.004, 1] }
[[cloth.group]]
name = "top"
box = { min = [-1, 0.199, -1], max = [1, 1, 1] }
[[cloth.pin]]
group = "top"
SEAM
"#;

const MIDDLE: &str = "[[cloth.seam]]\nname = \"middle\"\ngroups = [\"above\", \"below\"]\n\
                      [[cloth.sew]]\nover = \"0.4 s\"\nforce = \"20 N/m\"\n";

/// Two squares as OBJ, with `cells` columns and rows each, the lower one `shift` behind.
fn two(cells: [usize; 2], gap: f64, shift: f64) -> String {
    let (mut text, mut first) = (String::new(), 1);
    for (n, [low, z]) in cells.into_iter().zip([[0.0, 0.0], [-0.2 - gap, shift]]) {
        for (r, c) in (0..=n).flat_map(|r| (0..=n).map(move |c| (r, c))) {
            let at = |k: usize| 0.2 * k as f64 / n as f64;
            writeln!(text, "v {} {} {z}", at(c) - 0.1, low + at(r)).unwrap();
        }
        for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
            let v = |r: usize, c: usize| first + r * (n + 1) + c;
            writeln!(text, "f {} {} {}", v(r, c), v(r, c + 1), v(r + 1, c + 1)).unwrap();
            writeln!(text, "f {} {} {}", v(r, c), v(r + 1, c + 1), v(r + 1, c)).unwrap();
        }
        first += (n + 1) * (n + 1);
    }
    text
}

fn folder(name: &str, mesh: &str, seam: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("borders-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("two.obj"), mesh).unwrap();
    fs::write(folder.join("two.toml"), SCENE.replace("SEAM", seam)).unwrap();
    folder
}

fn percale(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_percale")).current_dir(folder).args(args).output().unwrap()
}

fn ran(folder: &Path, more: &[&str]) -> Vec<Value> {
    let args = ["run", "two.toml", "--out", "run", "--no-preview", "--progress", "none"];
    let output = percale(folder, &[&args[..], more].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(folder.join("run/stats.ndjson")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Lowest height at the last frame [m].
fn lowest(folder: &Path) -> f64 {
    let file = ply::read(&fs::read(folder.join("run/meshes/two/two.0060.ply")).unwrap()).unwrap();
    file.mesh.positions.iter().map(|p| p.y).fold(f64::INFINITY, f64::min)
}

/// The seam is joined, bears the lower square, and leaves both their lengths: the weight of the lower half, 0.28 N/m,
/// and of the upper stretch cotton of 400 N/m by less than 0.2 %. Without the seam the lower square falls by metres.
#[test]
fn two_borders_become_one_row() {
    let sewn = folder("joined", &two([10, 10], 0.005, -0.005), MIDDLE);
    let stats = ran(&sewn, &[]);
    let end = &stats[59];
    assert_eq!(end["seam_joined"], 11.0, "{end}");
    assert!(stats.iter().all(|frame| frame["crossing"] == 0));
    assert!(end["max_strain"].as_f64().unwrap() < 0.01, "{end}");
    let hem = lowest(&sewn);
    assert!((hem + 0.2).abs() < 2e-3, "{hem} m");
    let loose = folder("loose", &two([10, 10], 0.005, -0.005), "");
    ran(&loose, &[]);
    assert!(lowest(&loose) < -1.0);
}

/// Bits are those of one thread on two, and after a stop in between.
#[test]
fn borders_are_sewn_with_the_same_bits() {
    let mesh = two([10, 10], 0.005, -0.005);
    let [one, other] = ["one", "other"].map(|name| folder(name, &mesh, MIDDLE));
    ran(&one, &["--threads", "1"]);
    ran(&other, &["--threads", "2", "--frames", "20"]);
    let output =
        percale(&other, &["run", "two.toml", "--out", "run", "--resume", "--no-preview", "--progress", "none"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mesh = |folder: &Path| fs::read(folder.join("run/meshes/two/two.0060.ply")).unwrap();
    assert!(mesh(&one) == mesh(&other));
}

/// Coincident borders that hold by a force tear where they bear too much: a seam of 1.4 N/m under the weight of the
/// lower square, 0.28 N/m, holds, one of 0.14 N/m does not.
#[test]
fn coincident_borders_hold_and_tear() {
    let seam = |strength: f64| {
        format!(
            "[[cloth.seam]]\nname = \"torn\"\ncoincident = true\n[[cloth.sew]]\nhold = \"elastic\"\nforce = \"0.1 N/m\"\n\
             stiffness = \"3 kPa\"\nstrength = {strength}\n"
        )
    };
    let mesh = two([10, 10], 0.0, 0.0);
    let one = |name: &str, seam: &str| {
        // Both borders are at the same height.
        let folder = folder(name, &mesh, seam);
        let text = fs::read_to_string(folder.join("two.toml")).unwrap();
        let (start, end) =
            (text.find("[[cloth.group]]\nname = \"below\"").unwrap(), text.find("[[cloth.group]]\nname = \"top\""));
        fs::write(folder.join("two.toml"), format!("{}{}", &text[..start], &text[end.unwrap()..])).unwrap();
        folder
    };
    let held = one("held", &seam(1.4));
    assert_eq!(ran(&held, &[])[59]["seam_broken"], 0.0);
    // 0.28 N/m over 3 kPa open it by 0.1 mm.
    assert!((lowest(&held) + 0.2).abs() < 3e-3, "{} m", lowest(&held));
    let torn = one("torn", &seam(0.14));
    assert_eq!(ran(&torn, &[])[59]["seam_broken"], 11.0);
}

/// Pairs by index do what groups do, and sides of different numbers leave some free, which is told.
#[test]
fn pairs_and_uneven_sides() {
    let pairs: Vec<String> = (0..11).map(|k| format!("[{k}, {}]", 121 + 110 + k)).collect();
    let listed = format!(
        "[[cloth.seam]]\nname = \"middle\"\npairs = [{}]\n[[cloth.sew]]\nover = \"0.4 s\"\nforce = \"20 N/m\"\n",
        pairs.join(", ")
    );
    let mesh = two([10, 10], 0.005, -0.005);
    let [groups, list] = [folder("groups", &mesh, MIDDLE), folder("list", &mesh, &listed)];
    let sewn = |folder: &Path| Simulation::load(folder.join("two.toml"), &["time.frames=2"]).unwrap();
    let pairs = |simulation: &Simulation| {
        let seams = simulation.world().effects.get::<percale::effect::seam::Seams>().unwrap();
        let mut pairs = seams.sewing[0].pairs.clone();
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(pairs(&sewn(&groups)), pairs(&sewn(&list)));
    let uneven = folder("uneven", &two([10, 7], 0.005, -0.005), MIDDLE);
    let told = percale(&uneven, &["check", "two.toml"]);
    let text = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success() && text.contains("8 and 11 vertices; 3 of the longer list stay free"), "{text}");
}

#[test]
fn seams_that_cannot_be_meant_are_refused() {
    let cases = [
        ("[[cloth.seam]]\nname = \"a\"\ngroups = [\"above\", \"belov\"]\n", "no group 'belov'"),
        ("[[cloth.seam]]\nname = \"a\"\ngroups = [\"above\", \"above\"]\n", "the same border"),
        ("[[cloth.seam]]\nname = \"a\"\npairs = [[0, 0]]\n", "two vertices of the mesh"),
        ("[[cloth.seam]]\nname = \"a\"\npairs = [[0, 99999]]\n", "two vertices of the mesh"),
        ("[[cloth.seam]]\nname = \"a\"\ncoincident = true\n", "no border vertices coincide"),
        ("[[cloth.sew]]\nover = 1\n", "the cloth has no seam"),
        ("[[cloth.seam]]\nname = \"a\"\npairs = [[0, 130]]\nflip = true\n", "goes with 'groups'"),
        ("[[cloth.seam]]\nname = \"a\"\ngroups = [\"above\"]\n", "a list of 1; give 2"),
    ];
    for (k, (seam, wanted)) in cases.iter().enumerate() {
        let refused = folder(&format!("refused-{k}"), &two([10, 10], 0.005, -0.005), seam);
        let told = percale(&refused, &["check", "two.toml"]);
        let text = String::from_utf8_lossy(&told.stderr);
        assert!(told.status.code() == Some(2) && text.contains(wanted), "{seam}: {text}");
    }
}
