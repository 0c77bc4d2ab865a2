//! Ends by force and by signals at any moment.

use super::bench::{Bench, Random, SMALL};
use percale::mesh::ply;
use percale::sequence::Checkpoint;
use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Everything that lies in a run folder is whole.
fn whole(bench: &Bench, run: &str) {
    let folder = bench.of(run);
    if folder.is_run() {
        folder.read_run().unwrap();
    }
    for stored in folder.checkpoints().unwrap() {
        Checkpoint::parse(&fs::read(stored.path).unwrap()).unwrap();
    }
    let Ok(meshes) = fs::read_dir(bench.path(run).join("meshes/sheet")) else { return };
    for mesh in meshes.map(|m| m.unwrap().path()).filter(|m| m.extension().is_some_and(|e| e == "ply")) {
        ply::read(&fs::read(&mesh).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", mesh.display()));
    }
}

#[test]
fn killed_at_fifty_moments_a_run_ends_with_the_same_bits() {
    let bench = Bench::new("killed", SMALL);
    let arguments = [
        "run",
        "scene.toml",
        "--no-preview",
        "--threads",
        "1",
        "--frames",
        "40",
        "--set",
        "output.checkpoint=2",
        "--out",
    ];
    let begun = Instant::now();
    bench.ends(0, &[&arguments[..], &["whole"]].concat());
    let took = begun.elapsed().as_secs_f64();
    let mut random = Random(1);
    let (mut kills, mut runs, mut frames) = (0, 0, 0);
    while kills < 50 {
        runs += 1;
        let out = format!("run-{runs}");
        loop {
            let mut child = bench
                .command(&[&arguments[..], &[&out, "--resume", "--progress", "none"]].concat())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            // Any moment of a run, from its first file to its last; none once there were fifty.
            let end = Instant::now() + Duration::from_secs_f64(0.4 * took * random.next());
            while kills < 50 && Instant::now() < end && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            if kills < 50 && child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                kills += 1;
            }
            let status = child.wait().unwrap();
            whole(&bench, &out);
            if status.success() {
                break;
            }
            assert_eq!(status.code(), None, "it ended by itself");
            frames += bench.checkpoints(&out).last().map_or(0, |c| c.0);
        }
        bench.same("whole", &out, &out);
    }
    println!("{kills} kills in {runs} runs, at frame {} in the mean; a whole run takes {took:.2} s", frames / kills);
    assert!(frames > kills, "every kill came before the first checkpoint");
}

#[test]
fn signals_leave_a_checkpoint_between_any_two_steps() {
    // Frames so long that signals come between their steps.
    let scene = SMALL
        .replace("fps = 50", "fps = 5")
        .replace("frames = 20", "frames = 4")
        .replace("checkpoint = 4", "checkpoint = 0");
    let bench = Bench::new("signals", &scene);
    let arguments = ["run", "scene.toml", "--no-preview", "--threads", "1", "--out"];
    let begun = Instant::now();
    bench.ends(0, &[&arguments[..], &["whole"]].concat());
    let took = begun.elapsed().as_secs_f64();
    let mut random = Random(2);
    let mut between = 0;
    for signal in ["INT", "TERM", "USR1"] {
        for k in 0..20 {
            let mut child = bench
                .command(&[&arguments[..], &[signal, "--resume"]].concat())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_secs_f64(0.1 * took + 0.3 * took * random.next()));
            let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
            let ended = child.try_wait().unwrap().is_some();
            let out = child.wait_with_output().unwrap();
            let told = String::from_utf8_lossy(&out.stderr);
            if out.status.success() {
                break;
            }
            assert!(sent.success() || ended, "{told}");
            // Before it listens, a signal ends a program at once.
            if out.status.code().is_none() {
                continue;
            }
            assert_eq!(out.status.code(), Some(75), "{told}");
            assert!(told.contains("run again with --resume"), "{told}");
            let all = bench.checkpoints(signal);
            assert!(!all.is_empty() && all.iter().filter(|c| c.1.is_some()).count() <= 1, "{all:?}");
            between += usize::from(all.last().unwrap().1.is_some());
            assert!(k < 19, "it never ends");
        }
        bench.ends(0, &[&arguments[..], &[signal, "--resume"]].concat());
        bench.same("whole", signal, signal);
    }
    println!("{between} signals between two frames");
    assert!(between > 0, "no signal came between two steps of a frame");
}
