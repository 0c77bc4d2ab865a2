//! `--resume`, `--from`, longer runs, changed scenes.

use super::bench::{Bench, SMALL};
use percale::sequence::Status;
use std::fs;

#[test]
fn ten_frames_and_ten_more_are_twenty() {
    let bench = Bench::new("longer", SMALL);
    let run = ["run", "scene.toml", "--no-preview"];
    bench.ends(0, &[&run[..], &["--out", "whole", "--frames", "20"]].concat());
    assert_eq!(bench.checkpoints("whole"), [4, 8, 12, 16, 20].map(|frame| (frame, None)));
    for threads in ["1", "2"] {
        bench.ends(0, &[&run[..], &["--out", threads, "--frames", "10", "--threads", threads]].concat());
        assert_eq!(bench.checkpoints(threads), [4, 8, 10].map(|frame| (frame, None)));
        let told = bench.ends(0, &[&run[..], &["--out", threads, "--frames", "20", "--resume"]].concat());
        assert!(told.contains(" info goes on after frame 10, t=0.180000 s: ") && !told.contains("changed"), "{told}");
        fs::remove_file(bench.path(threads).join("checkpoints/frame.0010.ckpt")).unwrap();
        assert_eq!(bench.checkpoints(threads), bench.checkpoints("whole"));
        bench.same("whole", threads, threads);
        let run = bench.of(threads).read_run().unwrap();
        assert_eq!((run.status, run.done, run.frames), (Status::Finished, 20, 20));
    }
    let before = fs::read(bench.path("1/run.json")).unwrap();
    let told = bench.ends(0, &[&run[..], &["--out", "1", "--frames", "20", "--resume"]].concat());
    assert!(told.ends_with("info all 20 frames are in 1\n"), "{told}");
    assert_eq!(fs::read(bench.path("1/run.json")).unwrap(), before);
    // Without `--resume` a run starts over.
    bench.ends(0, &[&run[..], &["--out", "1", "--frames", "2"]].concat());
    assert_eq!(bench.checkpoints("1"), [(2, None)]);
}

#[test]
fn a_run_goes_on_from_an_earlier_frame() {
    let bench = Bench::new("from", SMALL);
    bench.ends(0, &["run", "scene.toml", "--out", "whole"]);
    bench.ends(0, &["run", "scene.toml", "--out", "a"]);
    // Frame 10 is computed from the checkpoint at 8. The contact sheet reads earlier frames from their meshes.
    fs::remove_file(bench.path("a/preview/sheet.png")).unwrap();
    let told = bench.ends(0, &["run", "scene.toml", "--out", "a", "--from", "10"]);
    assert!(told.contains("goes on after frame 8, "), "{told}");
    bench.same("whole", "a", "again");
    // With fewer frames, later files are deleted.
    bench.ends(0, &["run", "scene.toml", "--out", "a", "--no-preview", "--from", "8", "--frames", "9"]);
    assert_eq!(bench.of("a").read_stats().unwrap().len(), 9);
    assert!(bench.path("a/meshes/sheet/sheet.0009.ply").is_file() && bench.path("a/meshes/ball/ball.ply").is_file());
    assert!(!bench.path("a/meshes/sheet/sheet.0010.ply").exists() && !bench.path("a/meshes/bar/bar.0010.ply").exists());
    assert_eq!(bench.checkpoints("a"), [4, 8, 9].map(|frame| (frame, None)));
    let told = bench.ends(2, &["run", "scene.toml", "--out", "a", "--from", "12"]);
    assert!(told.contains("a: frame 12 is not there; 9 frames are"), "{told}");
    let told = bench.ends(2, &["run", "scene.toml", "--out", "a", "--from", "3"]);
    assert!(told.contains("a: no whole checkpoint at frame 3 or before"), "{told}");
    let told = bench.ends(2, &["run", "scene.toml", "--out", "a", "--from", "8", "--set", "time.fps=7"]);
    let file =
        "a/checkpoints/frame.0008.ckpt: time.fps is another than at the checkpoint; it cannot go on from there, ";
    assert!(told.contains(&format!("{file}run without --from")), "{told}");
    bench.ends(2, &["run", "scene.toml", "--out", "new", "--from", "3"]);
    assert!(!bench.path("new").exists());
    // Without an existing run, `--resume` begins a run.
    let told = bench.ends(0, &["run", "scene.toml", "--out", "new", "--no-preview", "--resume"]);
    assert!(told.contains("no checkpoint in new; begins at frame 1"), "{told}");
    assert!(bench.left("new").last == bench.left("whole").last);
}

#[test]
fn a_changed_scene_is_told_by_key() {
    let bench = Bench::new("changed", SMALL);
    let run = |code: i32, more: &[&str]| {
        bench.ends(code, &[&["run", "scene.toml", "--out", "a", "--no-preview", "--resume"], more].concat())
    };
    run(0, &["--frames", "4"]);
    let more = [
        "--frames",
        "6",
        "--set",
        "time.step=2 ms",
        "--set",
        "obstacle.ball.friction=0.3",
        "--set",
        "contact.stiffness=2",
    ];
    let told = run(0, &more);
    for key in [
        "time.step: \"2 ms\", was \"4 ms\"",
        "obstacle.ball.friction: 0.3, was 0.2",
        "contact.stiffness: 2, was not given",
    ] {
        assert!(told.contains(&format!(" warning changed since the checkpoint: {key}\n")), "{told}");
    }
    assert_eq!(told.matches("changed since").count(), 3, "{told}");
    // Changes with which a state cannot be resumed. The run is not modified.
    let left = bench.left("a");
    let told = run(2, &["--frames", "8", "--set", "time.fps=60"]);
    assert!(told.contains("time.fps is another than at the checkpoint"), "{told}");
    let told = run(2, &["--frames", "8", "--set", "cloth.sheet.name=other"]);
    assert!(
        told.contains("the objects are 'other', 'ball', 'bar', at the checkpoint 'sheet', 'ball', 'bar'"),
        "{told}"
    );
    let told = run(2, &["--frames", "8", "--set", "obstacle.ball.resolution=0.05"]);
    assert!(told.contains("'ball' has another mesh than at the checkpoint"), "{told}");
    let told = run(2, &["--frames", "8", "--set", "cloth.sheet.pin[0].box.max=[0.6, 1, 0.4]"]);
    assert!(told.contains("pins or handles are others"), "{told}");
    assert!(bench.left("a") == left);
    // A changed shape is reported separately, since it has no key if it comes from a file.
    let told = run(0, &["--frames", "7", "--set", "obstacle.bar.box.center=[0, 0.41, 0.4]"]);
    assert!(told.contains("obstacle.bar.box.center: [0, 0.41, 0.4], was [0, 0.4, 0.4]"), "{told}");
    assert!(told.contains("changed since the checkpoint: the shape of 'bar' at rest"), "{told}");
}

#[test]
fn a_damaged_checkpoint_is_passed_over() {
    let bench = Bench::new("damaged", SMALL);
    bench.ends(0, &["run", "scene.toml", "--out", "whole", "--no-preview"]);
    for run in ["cut", "flipped", "empty"] {
        bench.ends(0, &["run", "scene.toml", "--out", run, "--no-preview", "--frames", "10"]);
        let path = bench.path(run).join("checkpoints/frame.0010.ckpt");
        let mut bytes = fs::read(&path).unwrap();
        match run {
            "cut" => bytes.truncate(bytes.len() / 2),
            "flipped" => bytes[5000] ^= 1,
            _ => bytes.clear(),
        }
        fs::write(&path, bytes).unwrap();
        // The last line of the statistics is truncated, as after a power failure.
        fs::write(bench.path(run).join("stats.ndjson"), {
            let text = fs::read_to_string(bench.path(run).join("stats.ndjson")).unwrap();
            text[..text.len() - 20].to_string()
        })
        .unwrap();
        let told = bench.ends(0, &["run", "scene.toml", "--out", run, "--no-preview", "--resume"]);
        assert!(told.contains("frame.0010.ckpt: ") && told.contains("goes on after frame 8, "), "{told}");
        bench.same("whole", run, run);
    }
}
