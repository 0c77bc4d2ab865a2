//! Termination by kill and by signals at any moment.

use super::bench::{Bench, Random, SMALL};
use percale::mesh::ply;
use percale::sequence::{Checkpoint, Status};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Asserts that every file in a run folder is complete.
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
            // The moment is random, from the first file of a run to its last. After fifty kills the run continues.
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

/// Sends a signal, and returns whether the process existed.
fn send(signal: &str, to: &Child) -> bool {
    Command::new("kill").args([&format!("-{signal}"), &to.id().to_string()]).status().unwrap().success()
}

/// Asserts that the record of an interrupted run has the status and a reason, and that the report exists.
fn stopped(bench: &Bench, run: &str) {
    let record = bench.of(run).read_run().unwrap();
    assert_eq!((record.status, record.reason.is_some()), (Status::Stopped, true), "{:?}", record.reason);
    assert!(bench.path(run).join("report.html").is_file());
}

#[test]
fn signals_leave_a_checkpoint_between_any_two_steps() {
    // Frames are so long that signals arrive between their steps.
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
    for signal in ["INT", "TERM", "USR1", "USR2", "XCPU", "HUP"] {
        for k in 0..20 {
            let mut child = bench
                .command(&[&arguments[..], &[signal, "--resume"]].concat())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_secs_f64(0.1 * took + 0.3 * took * random.next()));
            let sent = send(signal, &child);
            let ended = child.try_wait().unwrap().is_some();
            let out = child.wait_with_output().unwrap();
            let told = String::from_utf8_lossy(&out.stderr);
            if out.status.success() {
                break;
            }
            assert!(sent || ended, "{told}");
            // Before the handlers are installed, a signal ends the program at once.
            if out.status.code().is_none() {
                continue;
            }
            assert_eq!(out.status.code(), Some(75), "{told}");
            assert!(told.contains("run again with --resume"), "{told}");
            stopped(&bench, signal);
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

/// Makes a scene that runs for minutes.
fn long(name: &str) -> Bench {
    Bench::new(name, &SMALL.replace("frames = 20", "frames = 20000").replace("checkpoint = 4", "checkpoint = 0"))
}

const LONG: [&str; 5] = ["run", "scene.toml", "--no-preview", "--threads", "1"];

#[cfg(unix)]
#[test]
fn timeout_sends_its_signal_twice_and_stops_the_run_once() {
    let bench = long("timeout");
    for k in 0..50 {
        let mut command = Command::new("timeout");
        // `timeout` returns the exit code of the run. It sends the signal to the process, and then to its group.
        command.args(["--preserve-status", &format!("{}", 0.2 + 0.004 * f64::from(k))]);
        command.arg(env!("CARGO_BIN_EXE_percale")).args(LONG).args(["--out", "run"]).current_dir(&bench.folder);
        let out = command.output().unwrap();
        let told = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(75), "{k}: {told}");
        stopped(&bench, "run");
        assert!(!bench.checkpoints("run").is_empty(), "{k}: {told}");
        fs::remove_dir_all(bench.path("run")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_lost_terminal_leaves_a_run_that_began_without_one() {
    let bench = long("nohup");
    let mut nohup = Command::new("nohup");
    nohup.arg(env!("CARGO_BIN_EXE_percale")).args(LONG).args(["--out", "run"]).current_dir(&bench.folder);
    let mut child = nohup.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = |run: &str| bench.of(run).is_run() && bench.of(run).read_stats().is_ok_and(|all| all.len() > 1);
    let end = Instant::now() + Duration::from_secs(60);
    while !begun("run") && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    let frames = bench.of("run").read_stats().unwrap().len();
    send("HUP", &child);
    while bench.of("run").read_stats().unwrap().len() < frames + 5 && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(child.try_wait().unwrap().is_none(), "HUP ended it");
    send("TERM", &child);
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(75), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(bench.of("run").read_stats().unwrap().len() >= frames + 5, "HUP stopped it");
}

#[cfg(unix)]
#[test]
fn a_second_signal_ends_a_run_after_two_seconds() {
    let bench = long("second");
    // No process reads the output. The run blocks once the pipe is full.
    let mut child = bench
        .command(&[&LONG[..], &["--out", "run", "--progress", "json"]].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let frames = || bench.of("run").read_stats().map_or(0, |all| all.len());
    let (mut last, mut still) = (0, 0);
    while still < 20 {
        std::thread::sleep(Duration::from_millis(50));
        let now = frames();
        still = if now == last && now > 0 { still + 1 } else { 0 };
        last = now;
    }
    send("TERM", &child);
    let first = Instant::now();
    send("TERM", &child);
    std::thread::sleep(Duration::from_millis(1500));
    send("TERM", &child);
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it ended {:?} after the first signal", first.elapsed());
    std::thread::sleep(Duration::from_millis(400));
    send("TERM", &child);
    assert_eq!(child.wait().unwrap().code(), Some(143));
}
