//! Folders that vanish, and files that are removed or damaged.

use super::bench::{Bench, SMALL};
use percale::sequence::Status;
use std::fs;
use std::path::Path;

#[cfg(unix)]
mod removed {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::{Child, Command, Stdio};

    fn signal(child: &Child, signal: &str) {
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    }

    /// Runs to the 40th frame, and applies `change` to the folder once the 9th exists. Returns the exit code and the
    /// output.
    fn run(bench: &Bench, out: &str, change: impl Fn(&Path)) -> (Option<i32>, String) {
        let arguments = [
            "run",
            "scene.toml",
            "--no-preview",
            "--threads",
            "1",
            "--frames",
            "40",
            "--progress",
            "plain",
            "--out",
            out,
        ];
        let mut child = bench.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.by_ref().any(|line| line.unwrap().contains("frame 9/")));
        signal(&child, "-STOP");
        change(&bench.path(out));
        signal(&child, "-CONT");
        lines.for_each(drop);
        let ended = child.wait_with_output().unwrap();
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    }

    #[test]
    fn a_folder_that_is_gone_ends_the_run_at_the_next_frame() {
        let bench = Bench::new("gone", SMALL);
        bench.ends(0, &["run", "scene.toml", "--out", "whole", "--no-preview", "--frames", "12"]);
        // As if the folder is moved, its mount disappears, or another folder replaces it.
        for (k, place) in ["nothing", "a folder", "a run"].into_iter().enumerate() {
            let out = format!("lost-{k}");
            let away = bench.path(&format!("away-{k}"));
            let (code, told) = run(&bench, &out, |folder| {
                fs::rename(folder, &away).unwrap();
                match place {
                    "nothing" => (),
                    "a folder" => fs::create_dir(folder).unwrap(),
                    _ => {
                        fs::create_dir(folder).unwrap();
                        fs::copy(away.join("run.json"), folder.join("run.json")).unwrap();
                        fs::write(folder.join("run.lock"), "another").unwrap();
                    }
                }
            });
            assert_eq!(code, Some(3), "{told}");
            assert!(told.contains(&format!(" error {out}: the run folder is no longer the one")), "{told}");
            let left = fs::read_dir(bench.path(&out)).map_or(0, |all| all.count());
            assert_eq!(
                left,
                ["nothing", "a folder", "a run"]
                    .iter()
                    .position(|p| *p == place)
                    .unwrap()
                    .saturating_sub(usize::from(k == 1)),
                "{place}"
            );
            let last = bench.of(&format!("away-{k}")).checkpoints().unwrap().pop().unwrap();
            assert!(last.frame >= 8);
            bench.ends(
                0,
                &["run", "scene.toml", "--no-preview", "--from", "8", "--frames", "12", "--out", &format!("away-{k}")],
            );
            bench.same("whole", &format!("away-{k}"), place);
        }
    }

    #[test]
    fn what_is_removed_is_named_at_the_next_frame_and_made_again() {
        let bench = Bench::new("removed", SMALL);
        bench.ends(0, &["run", "scene.toml", "--out", "whole", "--no-preview", "--frames", "40"]);
        for (k, name) in
            ["meshes", "meshes/bar", "meshes/sheet/sheet.0006.ply", "probes/balance.csv", "stats.ndjson", "scene.toml"]
                .into_iter()
                .enumerate()
        {
            let out = format!("a-{k}");
            let (code, told) = run(&bench, &out, |folder| fs::rename(folder.join(name), bench.path("away")).unwrap());
            assert_eq!(code, Some(3), "{name}: {told}");
            let line = told.lines().find(|line| line.contains(" error ")).unwrap();
            assert!(line.contains(&format!("{out}/{name}")) && line.contains("is no longer there"), "{line}");
            let record = bench.of(&out).read_run().unwrap();
            assert!(record.status == Status::Failed && record.done < 40 && record.reason.unwrap().contains(name));
            let told =
                bench.ends(0, &["run", "scene.toml", "--out", &out, "--no-preview", "--frames", "40", "--resume"]);
            assert!(told.contains(&format!("{out}/{name}")), "{told}");
            bench.same("whole", &out, name);
            let away = bench.path("away");
            if away.is_dir() { fs::remove_dir_all(away).unwrap() } else { fs::remove_file(away).unwrap() }
        }
    }
}

#[test]
fn what_is_damaged_is_named_and_made_again() {
    let bench = Bench::new("damage", SMALL);
    let run = |code: i32, out: &str, more: &[&str]| {
        bench.ends(code, &[&["run", "scene.toml", "--no-preview", "--threads", "1", "--out", out], more].concat())
    };
    run(0, "whole", &[]);
    run(0, "a", &[]);
    let cut = |path: &Path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 7]).unwrap();
    };
    let line = |path: &Path| {
        let text = fs::read_to_string(path).unwrap();
        fs::write(path, text.replace("\"frame\":7,", "\"frame\":7_")).unwrap();
    };
    let gone = |path: &Path| fs::remove_file(path).unwrap();
    let empty = |path: &Path| fs::write(path, "").unwrap();
    let huge = |path: &Path| fs::File::options().write(true).open(path).unwrap().set_len(1 << 40).unwrap();
    type Damage<'a> = &'a dyn Fn(&Path);
    // The number is the frame after which the run resumes.
    let cases: [(&str, Damage, u32); 14] = [
        ("meshes/sheet/sheet.0010.ply", &cut, 8),
        ("meshes/bar/bar.0019.ply", &gone, 16),
        ("meshes/sheet/sheet.0013.ply", &empty, 12),
        ("meshes/ball/ball.ply", &gone, 16),
        ("meshes/sheet/sheet.0003.ply", &gone, 0),
        ("stats.ndjson", &line, 4),
        ("stats.ndjson", &gone, 0),
        ("probes/balance.csv", &cut, 16),
        ("probes/work.csv", &gone, 0),
        ("probes/way.csv", &empty, 0),
        ("scene.toml", &gone, 16),
        ("checkpoints/frame.0020.ckpt", &huge, 16),
        ("run.json", &gone, 20),
        ("run.json", &cut, 20),
    ];
    for (name, damage, frame) in cases {
        damage(&bench.path("a").join(name));
        let out = bench.run(&["inspect", "a"]);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(3) && told.contains(&format!("a/{name}: ")), "{name}: {told}");
        let told = run(0, "a", &["--resume"]);
        let begins = if frame == 0 { "begins at frame 1".into() } else { format!("goes on after frame {frame}, ") };
        assert!(told.contains(&format!("a/{name}: ")) && told.contains(&begins), "{name}: {told}");
        bench.same("whole", "a", name);
        assert_eq!(bench.run(&["inspect", "a", "--frame", "1"]).status.code(), Some(0), "{name}");
    }
    // A run folder without its record is still recognised as a run.
    gone(&bench.path("a/run.json"));
    let told = run(2, "a", &["--frames", "1"]);
    assert!(told.contains("a/run.json: missing; --resume makes it again"), "{told}");
    run(0, "a", &["--frames", "1", "--force"]);
    assert!(bench.path("a.previous/meshes/sheet/sheet.0020.ply").is_file());
    // A damaged state is detected by its checksum, and reported first.
    assert_eq!(bench.of("a").read_run().unwrap().status, Status::Finished);
}

/// A picture that cannot be drawn is reported, and the record does not stay `running`.
#[test]
fn a_picture_that_cannot_be_drawn_is_told_and_no_run_is_left_running() {
    let bench = Bench::new("big", SMALL);
    let big = ["--set", "preview.width=16384", "--set", "preview.height=16384"];
    let out = bench.run(&[&["check", "scene.toml"], &big[..]].concat());
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        told.contains("--set preview.width: ")
            && told.contains("pictures of 16384 x 16384 pixels need 40.8 GB of memory"),
        "{told}"
    );
    // Long, thin pictures fit, but their contact sheet is too large. No picture is drawn.
    let out = bench.run(&[
        "check",
        "scene.toml",
        "--set",
        "preview.width=32",
        "--set",
        "preview.height=16384",
        "--set",
        "preview.sheet=400",
    ]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(told.contains("need 9.9 GB of memory"), "{told}");
    let out = bench.run(&[&["check", "scene.toml", "--set", "preview.enabled=false"], &big[..]].concat());
    assert!(out.status.success() && out.stderr.is_empty());
    if cfg!(target_os = "linux") {
        // With 4 GiB, a picture of 2.9 GB is refused beforehand. A picture whose allocation fails later ends the run.
        let limited = |script: &str| {
            let mut shell = std::process::Command::new("bash");
            let script = format!("ulimit -v 4194304; exec \"$0\" {script}");
            let out =
                shell.args(["-c", &script, env!("CARGO_BIN_EXE_percale")]).current_dir(&bench.folder).output().unwrap();
            (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
        };
        let (code, told) =
            limited("run scene.toml --out a --threads 1 --set preview.width=6000 --set preview.height=6000");
        assert!(code == Some(2) && told.contains("are there; give smaller ones"), "{told}");
        assert!(!bench.path("a").exists());
        bench.ends(0, &["run", "scene.toml", "--out", "a", "--no-preview", "--frames", "2"]);
        let (code, told) = limited(
            "render a --threads 1 --set preview.enabled=true --set preview.width=6000 --set preview.height=6000",
        );
        assert!(code == Some(2) && told.contains("a picture of 6000 x 6000 pixels needs 5.5 GB of memory"), "{told}");
    }
}
