//! Seams beside other effects: keyed gravity, attachments, rest shapes that change.

use percale::Simulation;
use percale::linalg::Vec3;
use percale::mesh::ply;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Two squares of 20 cm, one below the other, 5 mm apart, sewn within 0.4 s.
const SCENE: &str = r#"
[scene]
name = "top"
HEAD
[time]
fps = 30
frames = FRAMES
[[cloth]]
name = "top"
material = "cotton"
DRAG
[cloth.pattern]
file = "top.svg"
edge_length = "2 cm"
[[cloth.pattern.panel]]
name = "a"
translate = [0, 0.1, 0]
[[cloth.pattern.panel]]
name = "b"
translate = [0, -0.105, 0.005]
[[cloth.pattern.stitch]]
name = "middle"
edges = ["a.1", "b.3"]
[[cloth.pattern.sew]]
over = "0.4 s"
force = "20 N/m"
MORE
"#;

const SVG: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="300mm" height="500mm" viewBox="0 0 300 500">
<g id="a"><path d="M0,0 H200 V200 H0 Z"/></g><g id="b"><path d="M0,250 H200 V450 H0 Z"/></g></svg>"#;

/// Writes the scene into a folder.
fn folder(name: &str, frames: u32, head: &str, drag: &str, more: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("beside-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let text = SCENE.replace("HEAD", head).replace("FRAMES", &frames.to_string());
    fs::write(folder.join("top.toml"), text.replace("DRAG", drag).replace("MORE", more)).unwrap();
    fs::write(folder.join("top.svg"), SVG).unwrap();
    folder
}

fn run(folder: &Path, more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.current_dir(folder).args(["run", "top.toml", "--out", "run", "--no-preview", "--progress", "none"]);
    command.args(["--threads", "1"]).args(more).output().unwrap()
}

/// Runs the scene, and returns its statistics and the mean position at a frame.
fn ran(folder: &Path, frame: u32) -> (Vec<Value>, Vec3) {
    let output = run(folder, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(folder.join("run/stats.ndjson")).unwrap();
    let stats: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(stats.iter().all(|frame| frame["crossing"] == 0));
    let file = ply::read(&fs::read(folder.join(format!("run/meshes/top/top.{frame:04}.ply"))).unwrap()).unwrap();
    let count = file.mesh.positions.len() as f64;
    (stats, file.mesh.positions.iter().sum::<Vec3>() / count)
}

/// Cloth has no weight until it is sewn, whatever keys make of gravity: its middle stays within a millimetre, where a
/// fall of half a second would take it 1.2 m.
#[test]
fn cloth_that_is_not_sewn_has_no_weight_by_keys_either() {
    for factor in ["0", "-1", "2"] {
        let keys = format!("[[key]]\nof = \"gravity\"\ntimes = [0]\nfactors = [{factor}]\n");
        let folder = folder("keys", 15, "", "air_drag = 1", &keys);
        let start = ran(&folder, 1).1;
        let end = ran(&folder, 15).1;
        assert!((end - start).norm() < 1e-3, "factor {factor}: {end}");
    }
}

/// A bond across a seam that joins ends there: a vertex would be held to its own triangle. The cloth comes to rest.
#[test]
fn bonds_across_a_seam_end_where_it_joins() {
    let more = "[[cloth.pin]]\ngroup = \"a.3\"\n[[attach]]\ncloth = \"top\"\ngroup = \"a.1\"\nto = \"top\"\n\
                to_group = \"b.3\"\ngap = \"1 mm\"\n";
    let (stats, _) = ran(&folder("bonds", 90, "", "air_drag = 1", more), 90);
    let end = &stats[89];
    assert!(end["seam_joined"].as_f64().unwrap() > 5.0 && end["attached"].as_f64().unwrap() < 5.0, "{end}");
    assert!(end["energies"]["kinetic"].as_f64().unwrap() < 1e-7, "{end}");
}

/// Free cloth in free space keeps its momentum, while it shrinks, grows, is banded and sewn by a seam that holds: what
/// the solver leaves is given back. The speed of its middle is that of rounding.
#[test]
fn free_cloth_that_changes_keeps_its_momentum() {
    let more = "[[cloth.shrink]]\nwarp = 0.8\nweft = 1.2\ngroup = \"b\"\nover = \"0.5 s\"\n\
                [[cloth.band]]\ngroup = \"a.1\"\nfactor = 0.6\nstiffness = \"3 N\"\nover = \"0.6 s\"\n";
    let folder = folder("free", 45, "gravity = [0, 0, 0]", "", more);
    let mut simulation = Simulation::load(folder.join("top.toml"), &[]).unwrap();
    let (mut fastest, mut middle) = (0.0_f64, 0.0_f64);
    while simulation.next_frame().unwrap().is_some() {
        let (mass, v) = (&simulation.world().mass, &simulation.state().v);
        let momentum: Vec3 = mass.iter().zip(v).map(|(mass, v)| v * *mass).sum();
        middle = middle.max(momentum.norm() / mass.iter().sum::<f64>());
        fastest = v.iter().map(|v| v.norm()).fold(fastest, f64::max);
    }
    assert!(simulation.world().joined.contains(&true) && fastest > 0.05, "{fastest} m/s");
    assert!(middle < 1e-6, "{middle} m/s");
}

/// A run does not go on with bonds of other vertices.
#[test]
fn a_resume_with_other_bonds_is_refused() {
    let more = "[[cloth.pin]]\ngroup = \"a.3\"\n[[obstacle]]\nname = \"plate\"\n\
                box = { center = [0, 0, -0.03], size = [1, 1, 0.02] }\n\
                [[attach]]\ncloth = \"top\"\ngroup = \"a.0\"\nto = \"plate\"\n";
    let folder = folder("resume", 20, "", "air_drag = 1", more);
    ran(&folder, 20);
    let output = run(&folder, &["--resume", "--frames", "30", "--set", "attach[0].group=\"b.2\""]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("of the checkpoint attached vertices are others"), "{told}");
    let output = run(&folder, &["--resume", "--frames", "30"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A panel that is bent around a cylinder of 10 cm, 5 cm deep, lies flat after 3 s without weight: the slowest bending
/// of 20 cm of cotton, 8 uN m and 143 g/m2, goes by `exp(-c t)` with `c = (22.4/L^2)^2 B/drag = 2.5 1/s`, to 0.05 %. It
/// would rest as deep as it was if its place were its shape.
#[test]
fn a_panel_rests_flat_wherever_it_stands() {
    let folder = folder("flat", 90, "gravity = [0, 0, 0]", "air_drag = 1", "");
    let text = fs::read_to_string(folder.join("top.toml")).unwrap();
    let panel = "[[cloth.pattern.panel]]\nname = \"a\"\nwrap = \"10 cm\"\n";
    let text = text.replace("[[cloth.pattern.panel]]\nname = \"a\"\n", panel);
    let (start, end) = (text.find("[[cloth.pattern.stitch]]").unwrap(), text.len());
    let text = format!("{}{}", &text[..start], &text[end..]);
    fs::write(folder.join("top.toml"), text).unwrap();
    let output = run(&folder, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let depth = |frame: u32| {
        let file = ply::read(&fs::read(folder.join(format!("run/meshes/top/top.{frame:04}.ply"))).unwrap()).unwrap();
        let own = file.mesh.positions.iter().filter(|p| p.y > 0.0).map(|p| p.z);
        let (low, high) = own.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), z| (l.min(z), h.max(z)));
        high - low
    };
    // 10 cm (1 - cos 1) at the start.
    assert!((depth(1) - 0.046).abs() < 2e-3, "{} m", depth(1));
    assert!(depth(90) < 2e-3, "{} m", depth(90));
}

/// A row is attached vertex by vertex, from the lowest up or in the direction that is given: at each frame those whose
/// part of the spread is over. Without a spread all are at once.
#[test]
fn bonds_follow_one_another_as_a_zip_closes() {
    let plate = "[[obstacle]]\nname = \"plate\"\nbox = { center = [0, 0, -0.03], size = [1, 1, 0.02] }\n\
                 [[attach]]\ncloth = \"top\"\ngroup = \"a\"\nto = \"plate\"\n";
    let cases = [
        ("", [1.0, 0.0]),
        ("spread = \"0.4 s\"\n", [0.0, 5.0]),
        ("spread = \"0.4 s\"\nalong = [0, -3, 0]\n", [1.0, -5.0]),
    ];
    for (k, (spread, [from, slope])) in cases.into_iter().enumerate() {
        let folder = folder(&format!("zip-{k}"), 16, "", "air_drag = 1", &format!("{plate}{spread}"));
        let (stats, _) = ran(&folder, 1);
        let file = ply::read(&fs::read(folder.join("run/meshes/top/top.0001.ply")).unwrap()).unwrap();
        // The panel `a` spans heights of 0 to 20 cm, `b` is below.
        let heights: Vec<f64> = file.mesh.positions.iter().map(|p| p.y).filter(|y| *y > -1e-3).collect();
        for (frame, stats) in stats.iter().enumerate() {
            let time = frame as f64 / 30.0;
            let begun = |y: &&f64| spread.is_empty() || 0.4 * (from + slope * **y) <= time + 1e-6;
            let wanted = heights.iter().filter(begun).count() as f64;
            assert_eq!(
                stats["attached"].as_f64(),
                Some(wanted),
                "{spread} frame {frame} of {} vertices",
                heights.len()
            );
        }
    }
}

/// A vertex that a seam has joined to the surface needs no bond, as at the end of a zip. Bound to the next
/// triangle, an edge away, the border would be stretched by as much.
#[test]
fn what_a_seam_has_joined_is_not_attached() {
    let zip = "[[cloth.pin]]\ngroup = \"b\"\n[[attach]]\ncloth = \"top\"\ngroup = \"a.1\"\nto = \"top\"\n\
               to_group = \"b\"\nfrom = \"0.8 s\"\ngap = \"1 mm\"\n";
    let (stats, _) = ran(&folder("joined", 40, "", "air_drag = 1", zip), 1);
    let last = stats.last().unwrap();
    assert!(last["seam_joined"].as_f64().unwrap() > 5.0, "{last}");
    assert_eq!((last["attached"].as_f64(), last["attach_force"].as_f64()), (Some(0.0), Some(0.0)), "{last}");
}
