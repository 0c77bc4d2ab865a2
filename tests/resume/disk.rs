//! Full disks, folders without write permission, and inputs that vanish.

use super::bench::{Bench, SMALL};
use percale::sequence::Checkpoint;
use std::fs;
use std::path::Path;

/// A limit on the size of files makes checkpoints fail as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_ends_a_run_that_can_go_on() {
    use std::process::Command;
    let bench = Bench::new("full", SMALL);
    bench.ends(0, &["run", "scene.toml", "--out", "whole", "--no-preview"]);
    bench.ends(0, &["run", "scene.toml", "--out", "a", "--no-preview", "--frames", "9"]);
    // The limit, in units of 512 bytes, is enough for meshes and too small for a checkpoint.
    let script = "trap '' XFSZ; ulimit -f 80; exec \"$0\" run scene.toml --out a --no-preview --resume";
    let mut shell = Command::new("sh");
    let out = shell.args(["-c", script, env!("CARGO_BIN_EXE_percale")]).current_dir(&bench.folder).output().unwrap();
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(3), "{told}");
    assert!(told.contains(" error a/checkpoints/frame.0012.ckpt: "), "{told}");
    let run = bench.of("a").read_run().unwrap();
    assert!(run.done == 12 && run.reason.unwrap().contains("frame.0012.ckpt"));
    assert_eq!(bench.checkpoints("a"), [4, 8, 9].map(|frame| (frame, None)));
    for stored in bench.of("a").checkpoints().unwrap() {
        Checkpoint::parse(&fs::read(stored.path).unwrap()).unwrap();
    }
    bench.ends(0, &["run", "scene.toml", "--out", "a", "--no-preview", "--resume"]);
    bench.same("whole", "a", "resumed");
}

#[test]
fn what_cannot_be_written_ends_a_run_that_can_go_on() {
    let bench = Bench::new("refused", SMALL);
    bench.ends(0, &["run", "scene.toml", "--out", "whole", "--no-preview"]);
    bench.ends(0, &["run", "scene.toml", "--out", "a", "--no-preview", "--frames", "8"]);
    // A folder has the name of a frame's mesh.
    let path = bench.path("a/meshes/bar/bar.0011.ply");
    fs::create_dir_all(path.join("x")).unwrap();
    let told = bench.ends(3, &["run", "scene.toml", "--out", "a", "--no-preview", "--resume"]);
    assert!(told.contains(" error a/meshes/bar/bar.0011.ply: "), "{told}");
    fs::remove_dir_all(path).unwrap();
    bench.ends(0, &["run", "scene.toml", "--out", "a", "--no-preview", "--resume"]);
    bench.same("whole", "a", "resumed");
}

/// No user can create files below `/proc`.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_is_read_only_is_a_disk_failure() {
    let bench = Bench::new("read-only", SMALL);
    for more in [&[][..], &["--resume"]] {
        let told = bench.ends(3, &[&["run", "scene.toml", "--out", "/proc/percale"], more].concat());
        assert!(told.contains(" error /proc/percale: "), "{told}");
    }
}

#[test]
fn a_vanished_input_is_a_disk_failure_of_a_run_that_can_go_on() {
    let bench = Bench::new("vanished", &SMALL.replace("MESHES/sheet_1m_25.ply", "sheet.ply"));
    let mesh = bench.path("sheet.ply");
    let original = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/sheet_1m_25.ply");
    fs::copy(&original, &mesh).unwrap();
    bench.ends(0, &["run", "scene.toml", "--out", "whole", "--no-preview"]);
    bench.ends(0, &["run", "scene.toml", "--out", "a", "--no-preview", "--frames", "8"]);
    fs::remove_file(&mesh).unwrap();
    let resume = ["run", "scene.toml", "--out", "a", "--no-preview", "--resume"];
    let told = bench.ends(3, &resume);
    assert!(told.contains("no such file \"sheet.ply\"") && told.contains("--resume goes on once it is back"), "{told}");
    // Other faults remain faults of the scene, as do missing files of a run that has not begun.
    bench.ends(2, &[&resume[..], &["--set", "time.stpe=1"]].concat());
    bench.ends(2, &["run", "scene.toml", "--out", "b", "--resume"]);
    fs::rename(bench.path("scene.toml"), bench.path("away.toml")).unwrap();
    let told = bench.ends(3, &resume);
    assert!(told.contains("cannot read the scene"), "{told}");
    fs::rename(bench.path("away.toml"), bench.path("scene.toml")).unwrap();
    fs::copy(&original, &mesh).unwrap();
    bench.ends(0, &resume);
    bench.same("whole", "a", "resumed");
}
