//! Small pictures of shipped scenes compared with `tests/golden`, by `percale compare`. The same machine reproduces the
//! same bits. On other machines mathematical functions may differ in the last bit; gates allow for that.
//!
//! `PERCALE_BLESS=1 cargo test --test golden` replaces the pictures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// At most half a percent of pixels differ by more than two and a half levels of 255, none by more than half the range.
/// A cloth that moves by a pixel changes a percent of the pixels.
const GATES: [&str; 4] = ["--share", "0.005", "--maximum", "0.5"];

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{name}.png"))
}

/// Runs a scene and returns the picture of its last frame.
fn picture(name: &str, folder: &str, frames: u32, set: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("golden-{folder}"));
    let _ = fs::remove_dir_all(&out);
    let every = format!("preview.every={}", frames - 1);
    let small = ["preview.width=128", "preview.height=96", "preview.samples=4", "preview.sheet=0", every.as_str()];
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.arg("run").arg(root.join(format!("scenes/{name}.toml"))).arg("--out").arg(&out);
    command.args(["--threads", "1", "--progress", "none", "--frames", &frames.to_string()]);
    for one in small.iter().chain(set) {
        command.args(["--set", one]);
    }
    let told = command.output().unwrap();
    assert!(told.status.success(), "{name}: {}", String::from_utf8_lossy(&told.stderr));
    out.join(format!("preview/frame.{frames:04}.png"))
}

fn compare(golden: &Path, found: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    let report = found.with_file_name("compare.html");
    command.arg("compare").args([golden, found]).args(GATES).arg("--report").arg(report).output().unwrap()
}

fn check(name: &str, frames: u32, set: &[&str]) {
    let found = picture(name, name, frames, set);
    if std::env::var_os("PERCALE_BLESS").is_some() {
        fs::copy(&found, golden(name)).unwrap();
    }
    let told = compare(&golden(name), &found);
    assert!(told.status.success(), "{name}: {}", String::from_utf8_lossy(&told.stdout));
}

#[test]
fn drape_looks_as_before() {
    check("drape", 16, &["cloth[0].mesh=\"../meshes/sheet_1m_25.ply\""]);
}

#[test]
fn flag_looks_as_before() {
    check("flag", 10, &["cloth[0].mesh=\"../meshes/flag.ply\""]);
}

#[test]
fn balloon_looks_as_before() {
    check("balloon", 10, &["cloth[0].subdivide=0"]);
}

#[test]
fn cushion_looks_as_before() {
    check("cushion", 10, &["cloth[0].subdivide=0"]);
}

/// Weaker gravity, by which the cloth falls 2 cm less, gives a difference from the golden picture.
#[test]
fn another_picture_is_found_out() {
    let set = ["cloth[0].mesh=\"../meshes/sheet_1m_25.ply\"", "scene.gravity=[0, -9.3, 0]"];
    let told = compare(&golden("drape"), &picture("drape", "other", 16, &set));
    assert_eq!(told.status.code(), Some(1), "{}", String::from_utf8_lossy(&told.stdout));
}
