//! `percale pattern`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn percale(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_percale"))
        .arg("pattern")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn panels_edges_and_seams_are_listed_and_drawn() {
    let picture = scratch("pattern-shirt.svg");
    let done = percale(&["meshes/t-shirt.svg", "--edge-length", "2 cm", "--svg", picture.to_str().unwrap()]);
    let (told, warned) = (text(&done.stdout), text(&done.stderr));
    assert!(done.status.success() && warned.is_empty(), "{warned}");
    for line in [
        "panel 'front': 46.0 x 63.4 cm, 2574 cm2, 8 edges, warp at 90 degrees, not placed",
        "  front.hem: 46.0 cm",
        "  front.2: 20.9 cm, curved, sewn to sleeve-left.cap-front",
        "seam 7 'side-left': front.1 40.5 cm to back.7 40.5 cm",
        "seam 1 'armhole-left-back': back.6 20.5 cm to sleeve-left.cap-back 20.9 cm, ease 2.2 % of sleeve-left.cap-back",
    ] {
        assert!(told.lines().any(|l| l == line), "{told}\nhas not: {line}");
    }
    assert!(told.lines().last().unwrap().starts_with("mesh at 20 mm: "), "{told}");
    // A unit of the drawing is a millimetre, so that it has real size.
    let drawn = std::fs::read(&picture).unwrap();
    let drawn = text(&drawn);
    let head = drawn.lines().next().unwrap();
    let of = |key: &str| head.split(&format!("{key}=\"")).nth(1).unwrap().split('"').next().unwrap();
    let [w, h] = ["width", "height"].map(|key| of(key).strip_suffix("mm").unwrap());
    assert_eq!(of("viewBox"), format!("0 0 {w} {h}"));
    let hem = drawn.lines().any(|l| l.starts_with("<polyline points=\"100.00,734.00 560.00,734.00\""));
    assert!(hem, "the hem of the front, 46 cm wide, 63.4 cm below its top");
    assert!(["sleeve-left", "cap-front (2)", "hem"].iter().all(|word| drawn.contains(&format!(">{word}</text>"))));
}

#[test]
fn faults_end_with_2_and_are_drawn() {
    let (file, picture) = (scratch("pattern-crossed.svg"), scratch("pattern-crossed-drawn.svg"));
    let crossed = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1m\" height=\"1m\" viewBox=\"0 0 1000 1000\">\
        <path id=\"bow\" d=\"M 0,0 L 400,400 V 0 L 0,400 Z\"/></svg>";
    std::fs::write(&file, crossed.replace("1m", "100cm")).unwrap();
    let _ = std::fs::remove_file(&picture);
    let done = percale(&[file.to_str().unwrap(), "--svg", picture.to_str().unwrap()]);
    let told = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{told}");
    assert!(told.contains("pattern-crossed.svg:1: panel 'bow': its edges '"), "{told}");
    assert!(text(&std::fs::read(&picture).unwrap()).contains(">bow</text>"));
    for (arguments, message) in [
        (["meshes/t-shirt.svg", "--edge-length=200 m"], "longer than 100 m"),
        (["meshes/pants.obj", "--edge-length=1 cm"], "no pattern by its name; .json, .svg, .dxf are read"),
        (["meshes/absent.svg", "--edge-length=1 cm"], "absent.svg"),
        (["meshes/t-shirt.svg", "--edge-length=0.1 mm"], "triangles; at most 8e6"),
    ] {
        let done = percale(&arguments);
        let told = text(&done.stderr);
        assert!(!done.status.success() && told.contains(message), "{told}\nhas not: {message}");
    }
}
