//! Obstacles that cross, parts that contact leaves out, and cloth that is caught between them.

use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Number of vertices around a sleeve, and distance between two rings [m].
const AROUND: usize = 32;
const ROW: f64 = 0.01;

struct Bench(PathBuf);

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crossed-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("sleeve.obj"), sleeve()).unwrap();
        Bench(folder)
    }

    fn percale(&self, scene: &str, arguments: &[&str]) -> Output {
        fs::write(self.0.join("scene.toml"), scene).unwrap();
        Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    /// Runs a scene to its end and returns the lines of its statistics.
    fn run(&self, scene: &str, out: &str, threads: &str) -> Vec<serde_json::Value> {
        let common = ["run", "scene.toml", "--no-preview", "--progress", "none", "--out", out, "--threads", threads];
        let output = self.percale(scene, &common);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = fs::read_to_string(self.0.join(out).join("stats.ndjson")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns what `percale inspect` tells of a run.
    fn inspect(&self, out: &str, code: i32) -> String {
        let told =
            Command::new(env!("CARGO_BIN_EXE_percale")).args(["inspect", out]).current_dir(&self.0).output().unwrap();
        assert_eq!(told.status.code(), Some(code), "{}", String::from_utf8_lossy(&told.stderr));
        String::from_utf8(told.stdout).unwrap()
    }

    /// Returns the heights of an object's vertices at a frame.
    fn heights(&self, out: &str, name: &str, frame: usize) -> Vec<f64> {
        let mesh = percale::mesh::ply::read(&fs::read(self.file(out, name, frame)).unwrap()).unwrap().mesh;
        mesh.positions.iter().map(|p| p.y).collect()
    }

    fn file(&self, out: &str, name: &str, frame: usize) -> PathBuf {
        self.0.join(format!("{out}/meshes/{name}/{name}.{frame:04}.ply"))
    }
}

/// Makes a sleeve of 46 mm radius and 20 cm length about the y axis.
fn sleeve() -> String {
    let mut text = String::new();
    for k in 0..21 * AROUND {
        let angle = (k % AROUND) as f64 / AROUND as f64 * TAU;
        text += &format!("v {} {} {}\n", 0.046 * angle.cos(), ROW * (k / AROUND) as f64, 0.046 * angle.sin());
    }
    for k in 0..20 * AROUND {
        let (row, next) = (k / AROUND * AROUND, (k + 1) % AROUND);
        let [a, b] = [k + 1, row + next + 1];
        text += &format!("f {a} {} {b}\nf {b} {} {}\n", a + AROUND, a + AROUND, b + AROUND);
    }
    text
}

fn crossing(frame: &serde_json::Value) -> u64 {
    frame["regions"].as_array().unwrap().iter().map(|region| region["crossing"].as_u64().unwrap()).sum()
}

/// Napkins over the left half of a table. The one for which that half is left out falls `g t^2/2` through it, down to
/// the floor, and the other one is held.
#[test]
fn a_napkin_falls_through_what_is_left_out() {
    let sheet = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/sheet_10x10.ply");
    let mesh = percale::mesh::ply::read(&fs::read(&sheet).unwrap()).unwrap().mesh;
    let wide = mesh.positions.iter().map(|p| p.x.abs().max(p.z.abs())).fold(0.0, f64::max);
    let napkin = |name: &str, z: f64| {
        format!(
            "[[cloth]]\nname = \"{name}\"\nmesh = {sheet:?}\nmaterial = \"cotton\"\nair_drag = 0\n\
             transform = {{ scale = {}, rotate = {{ axis = [0, 0, 1], angle = \"30 deg\" }}, translate = [-0.2, 0.3, {z}] }}\n",
            0.1 / wide
        )
    };
    let scene = format!(
        "[time]\nfps = 50\nframes = 30\n{}{}[[obstacle]]\nname = \"table\"\nbox = {{ center = [0, 0.19, 0], size = [0.8, 0.02, 0.8] }}\n\
         resolution = 0.05\n[[obstacle.group]]\nname = \"left\"\nbox = {{ min = [-1, 0, -1], max = [0.01, 1, 1] }}\n\
         [[obstacle]]\nname = \"floor\"\nplane = {{ size = 2 }}\n",
        napkin("falling", 0.15),
        napkin("held", -0.15)
    );
    let bench = Bench::new("napkin");
    let frames = bench.run(&format!("{scene}[[ignore]]\nbetween = [\"falling\", \"table:left\"]\n"), "run", "2");
    let start = bench.heights("run", "falling", 1);
    for frame in [3, 6, 9, 11] {
        let t = (frame - 1) as f64 / 50.0;
        for (y, start) in bench.heights("run", "falling", frame).iter().zip(&start) {
            let fallen = start - y;
            assert!((fallen - 0.5 * 9.81 * t * t).abs() < 2e-3, "frame {frame}: {fallen} m");
        }
    }
    assert!(bench.heights("run", "falling", 30).iter().all(|y| (0.0..0.07).contains(y)));
    assert!(bench.heights("run", "held", 30).iter().all(|y| *y > 0.2));
    // The frames in which the napkin is in the table say so by name, and no other crossing is counted.
    let crossed: Vec<u64> = frames.iter().map(crossing).collect();
    assert!(crossed.iter().any(|count| *count > 0) && crossed[0] == 0 && crossed[29] == 0, "{crossed:?}");
    assert!(frames.iter().all(|frame| frame["ignored"] == 0), "{frames:?}");
    assert_eq!(frames[0]["regions"][0]["between"], "'falling' and 'table:left'");
    let record: serde_json::Value = serde_json::from_slice(&fs::read(bench.0.join("run/run.json")).unwrap()).unwrap();
    assert_eq!(record["ignore"][0]["between"], "'falling' and 'table:left'");
    assert_eq!(record["ignore"][0]["most_crossing"].as_u64(), crossed.iter().copied().max());
    let report = bench.percale(&scene, &["report", "run"]);
    assert_eq!(report.status.code(), Some(0), "{}", String::from_utf8_lossy(&report.stderr));
    let page = fs::read_to_string(bench.0.join("run/report.html")).unwrap();
    assert!(page.contains("nothing crosses outside of the parts of [[ignore]]"), "the report does not say it");
    // `inspect` finds the same in the files.
    let told = bench.inspect("run", 0);
    assert!(told.contains("no triangles cross at frames 1 to 30 outside of the parts of [[ignore]]\n"), "{told}");
    let most = crossed.iter().copied().max().unwrap();
    let at = 1 + crossed.iter().position(|count| *count == most).unwrap();
    let some = crossed.iter().filter(|count| **count > 0).count();
    let line = format!(
        "[[ignore]] between 'falling' and 'table:left': at most {most} pairs of triangles cross, at frame {at}; some at {some} frames\n"
    );
    assert!(told.contains(&line), "{line}{told}");
    // Without the entry they are crossings, and those of a part of the table alone are no more than before.
    let recorded = fs::read_to_string(bench.0.join("run/scene.toml")).unwrap();
    let smaller = recorded.replace("0.01, 1, 1", "-0.2, 1, 1");
    assert_ne!(smaller, recorded);
    for (scene, apart) in [(recorded.replace("\"table:left\"", "\"held\""), false), (smaller, true)] {
        fs::write(bench.0.join("run/scene.toml"), scene).unwrap();
        let told = bench.inspect("run", 0);
        assert!(told.contains("'falling' and 'table' cross"), "{told}");
        assert_eq!(told.contains("[[ignore]] between 'falling' and 'table:left'"), apart, "{told}");
    }
    // Without the entry it is held too.
    bench.run(&scene, "whole", "2");
    assert!(bench.heights("whole", "falling", 30).iter().all(|y| *y > 0.2));
}

/// Returns a scene in which an arm with a sleeve goes into a torso, stays for 60 frames, and comes out. Their surfaces
/// overlap by `deep` [m].
fn arm(deep: f64, frames: u32) -> String {
    let x = 0.14 - deep - 0.22;
    let keys = format!(
        "{{ time = 0 }}, {{ time = 0.2 }}, {{ time = 0.6, translate = [{x}, 0, 0] }}, {{ time = 2.6, translate = [{x}, 0, 0] }}, {{ time = 3 }}"
    );
    format!(
        "[time]\nfps = 30\nframes = {frames}\n[[cloth]]\nname = \"sleeve\"\nmesh = \"sleeve.obj\"\nmaterial = \"cotton\"\n\
         transform = {{ translate = [0.22, 0, 0] }}\n[[cloth.pin]]\nbox = {{ min = [-1, 0.195, -1], max = [1, 0.205, 1] }}\nkeyframes = [{keys}]\n\
         [[obstacle]]\nname = \"arm\"\ncapsule = {{ a = [0.22, -0.1, 0], b = [0.22, 0.3, 0], radius = 0.04 }}\nkeyframes = [{keys}]\n\
         [[obstacle]]\nname = \"torso\"\ncapsule = {{ a = [0, -0.3, 0], b = [0, 0.5, 0], radius = 0.1 }}\n"
    )
}

const BETWEEN: &str = "[[ignore]]\nbetween = [\"arm\", \"torso\"]\n";

/// A sleeve is caught between an arm and a torso that cross by half of the arm, keeps its time, and comes out free.
/// Nothing crosses outside of the named pair: the run would end there.
#[test]
fn a_sleeve_comes_out_of_an_arm_in_a_torso() {
    let bench = Bench::new("sleeve");
    let frames = bench.run(&(arm(0.04, 100) + BETWEEN), "run", "2");
    assert_eq!(frames.len(), 100);
    assert!(frames.iter().all(|frame| frame["lag"] == 0.0 && frame["ignored"] == 0), "{frames:?}");
    assert!(frames.iter().all(|frame| frame["steps"].as_f64().unwrap() < 60.0), "{frames:?}");
    let crossed: Vec<u64> = frames.iter().map(crossing).collect();
    assert!(crossed[20..78].iter().all(|count| *count > 0), "{crossed:?}");
    assert!(crossed[..8].iter().chain(&crossed[92..]).all(|count| *count == 0), "{crossed:?}");
    // The sleeve is around the arm again, at its height.
    let mesh = percale::mesh::ply::read(&fs::read(bench.file("run", "sleeve", 100)).unwrap()).unwrap().mesh;
    for p in &mesh.positions {
        let radius = (p.x - 0.22).hypot(p.z);
        assert!((0.0395..0.06).contains(&radius) && (-0.02..0.205).contains(&p.y), "{p:?}");
    }
    // Caught cloth is in the torso by the count of the run.
    let told = bench.inspect("run", 0);
    assert!(told.contains("no triangles cross at frames 1 to 100 outside of the parts of [[ignore]]\n"), "{told}");
    let most = crossed.iter().max().unwrap();
    assert!(told.contains(&format!("[[ignore]] between 'arm' and 'torso': at most {most} pairs of")), "{told}");
    // Where the scene cannot be built again, its parts are unknown.
    fs::remove_file(bench.0.join("sleeve.obj")).unwrap();
    let told = bench.inspect("run", 0);
    assert!(told.contains("warning: the parts of [[ignore]] are unknown, and told as others: "), "{told}");
    assert!(told.contains("'sleeve' and 'torso' cross: "), "{told}");
}

/// The files are the same with one thread and with two.
#[test]
fn caught_cloth_has_the_same_bits() {
    let bench = Bench::new("bits");
    let scene = arm(0.03, 26) + BETWEEN;
    let frames = bench.run(&scene, "one", "1");
    assert!(crossing(&frames[25]) > 0);
    bench.run(&scene, "two", "2");
    for frame in 1..=26 {
        let [one, two] = ["one", "two"].map(|out| fs::read(bench.file(out, "sleeve", frame)).unwrap());
        assert!(one == two, "frame {frame}");
    }
}

/// `check` tells where obstacles cross on their way, as a note.
#[test]
fn obstacles_that_cross_on_their_way_are_told() {
    let bench = Bench::new("check");
    let hand = "[[obstacle.group]]\nname = \"hand\"\nbox = { min = [0, -1, -1], max = [1, 0.1, 1] }\n";
    let scene =
        arm(0.04, 100).replace("[[obstacle]]\nname = \"torso\"", &format!("{hand}[[obstacle]]\nname = \"torso\""));
    let output = bench.percale(&scene, &["check", "scene.toml", "--strict"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("note: at ") && told.contains("'arm' and 'torso' cross: "), "{told}");
    assert!(told.contains("; mostly in 'hand' of 'arm'"), "{told}");
    assert!(told.contains("note: obstacles were looked at in each of 100 frames, not between them\n"), "{told}");
    let output = bench.percale(&arm(-0.01, 3000), &["check", "scene.toml", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let note = json["notes"][0].as_str().unwrap();
    assert!(note.ends_with("in 250 of 3000 frames, not between them, none crosses another or itself there"), "{json}");
}
