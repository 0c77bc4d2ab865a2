//! Gathers: a longer border on a shorter one, through the command.

use percale::mesh::ply;
use percale::scene;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Makes a scene of a yoke of 40 cm, held above, and a skirt that is a fifth longer, 10 cm apart.
fn folder(name: &str, sew: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("gather-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let panels = "<g id=\"yoke\"><path d=\"M100,0 H500 V100 H100 Z\"/><text class=\"seam\" x=\"300\" y=\"95\">gather</text>\
                  <text class=\"edge\" x=\"300\" y=\"5\">hold</text></g>\
                  <g id=\"skirt\"><path d=\"M60,400 H540 V650 H60 Z\"/><text class=\"seam\" x=\"300\" y=\"405\">gather</text></g>";
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"600mm\" height=\"700mm\" viewBox=\"0 0 600 700\">";
    fs::write(folder.join("top.svg"), format!("{svg}{panels}</svg>")).unwrap();
    let panel = |name: &str, y: f64, z: f64| {
        format!(
            "[[cloth.pattern.panel]]\nname = \"{name}\"\ntranslate = [0, {y}, {z}]\n\
             rotate = {{ axis = [1, 0, 0], angle = \"4 deg\" }}\n"
        )
    };
    let text = format!(
        "[scene]\nname = \"gather\"\n[time]\nfps = 30\nframes = 61\n[[cloth]]\nname = \"top\"\nmaterial = \"cotton\"\n\
         air_drag = 1\npin = [{{ group = \"yoke.hold\" }}]\n[cloth.pattern]\nfile = \"top.svg\"\nedge_length = \"2 cm\"\n{}{}\
         [[cloth.pattern.sew]]\n{sew}\n",
        panel("yoke", 1.05, 0.0),
        panel("skirt", 0.85, 0.02)
    );
    fs::write(folder.join("gather.toml"), text).unwrap();
    folder
}

/// Runs the scene and returns standard error.
fn run(folder: &Path, more: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.current_dir(folder).args(["run", "gather.toml", "--out", "run", "--no-preview", "--progress", "none"]);
    let output = command.args(more).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{told}");
    told
}

/// Returns a number of all frames.
fn numbers(folder: &Path, key: &str) -> Vec<f64> {
    let text = fs::read_to_string(folder.join("run/stats.ndjson")).unwrap();
    text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()[key].as_f64().unwrap()).collect()
}

fn most(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(*value))
}

/// Ease of a fifth gathers: all pairs are joined, and in every frame the strain is below 3 %. Without a gather edges of
/// the seam have two lengths: pairs stay open, strained by a good part of half the ease.
#[test]
fn ease_of_a_fifth_gathers_without_strain() {
    let gathered = folder("on", "");
    let told = run(&gathered, &["--threads", "1"]);
    assert!(!told.contains("seam"), "{told}");
    let strain = most(&numbers(&gathered, "max_strain"));
    let [joined, crossing] = ["seam_joined", "crossing"].map(|key| numbers(&gathered, key));
    println!("largest strain of all frames {:.2} %, {} pairs joined", 1e2 * strain, joined[60]);
    assert!(strain < 0.03 && most(&crossing) == 0.0, "{strain}");
    let file = gathered.join("gather.toml");
    let pairs = scene::build::build(&scene::read(&file, &[]).unwrap(), &file).unwrap().seams[0].seams[0].pairs.clone();
    assert_eq!(joined[60], pairs.len() as f64);
    // A strip of five edges in place of six.
    let own = folder("own", "gather = \"12 cm\"");
    run(&own, &["--threads", "1"]);
    assert!(most(&numbers(&own, "max_strain")) < 0.03 && numbers(&own, "seam_joined")[60] == joined[60]);
    let off = folder("off", "gather = 0");
    let told = run(&off, &["--threads", "1"]);
    let strain = most(&numbers(&off, "max_strain"));
    assert!(strain > 0.05 && told.contains("has had its time and is open by"), "{strain}: {told}");
}

/// A gather has the same bits on two threads, and after a resume while it grows.
#[test]
fn a_gather_is_resumed_while_it_grows() {
    let [one, two] = ["one", "two"].map(|name| folder(name, ""));
    run(&one, &["--threads", "1", "--frames", "40"]);
    run(&two, &["--threads", "2", "--frames", "11"]);
    run(&two, &["--threads", "2", "--resume", "--set", "time.frames=61", "--frames", "40"]);
    let mesh = |folder: &Path, frame: u32| fs::read(folder.join(format!("run/meshes/top/top.{frame:04}.ply"))).unwrap();
    for frame in [11, 12, 25, 40] {
        assert!(mesh(&one, frame) == mesh(&two, frame), "frame {frame}");
    }
    let x = ply::read(&mesh(&one, 40)).unwrap().mesh.positions;
    assert!(x.iter().all(|p| p.iter().all(|c| c.is_finite())));
}

/// A cloth keeps its mass while it is gathered, vertex by vertex.
#[test]
fn gathered_cloth_keeps_its_mass() {
    let folder = folder("mass", "");
    let file = folder.join("gather.toml");
    let scene = scene::read(&file, &[]).unwrap();
    let built = scene::build::build(&scene, &file).unwrap();
    let parts = built.parts.unwrap();
    let (after, _) = parts.joined(&scene, &parts.apart(), 1.0);
    assert!(after.elements.triangles != built.world.elements.triangles);
    let differ = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-12 * a;
    assert!(!after.mass.iter().zip(&built.world.mass).any(differ));
}
