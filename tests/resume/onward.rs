//! Runs that begin with a frame of another run (`scene.continue`).

use super::bench::{Bench, Random, SMALL};
use percale::sequence::Checkpoint;
use percale::world::State;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

const LIFT: &str = "keyframes = [{ time = 0 }, { time = 1, translate = [0, 0.4, 0] }]";

/// Sheet that falls on a ball, and a bar that stands still from frame 6 on.
fn drape() -> String {
    SMALL.replace(LIFT, "keyframes = [{ time = 0 }, { time = 0.1, translate = [0, 0.04, 0] }]")
}

/// Goes on with frame 12 of the drape: another pin that pulls, and a bar that moves on.
fn walk() -> String {
    let pin = "name = \"side\"\nbox = { min = [-0.6, 0, -1], max = [-0.4, 1, -0.4] }\n\
               keyframes = [{ time = 0 }, { time = 0.2, translate = [-0.05, 0.1, 0] }]\n";
    SMALL
        .replace("name = \"small\"", "name = \"walk\"\ncontinue = \"drape@12\"")
        .replace("name = \"corner\"\nbox = { min = [0.5, 0, -1], max = [0.6, 1, -0.4] }\nuntil = \"0.1 s\"\n", pin)
        .replace(LIFT, "keyframes = [{ time = 0, translate = [0, 0.04, 0] }, { time = 1, translate = [0, 0.2, 0.1] }]")
}

/// Makes a folder with a finished drape of 12 frames, and the scene that goes on.
fn bench(name: &str) -> Bench {
    let bench = Bench::new(name, &drape());
    bench.write("walk.toml", &walk());
    bench.ends(0, &["run", "scene.toml", "--out", "drape", "--no-preview", "--frames", "12"]);
    bench
}

fn state(bench: &Bench, run: &str, frame: u32) -> State {
    let path = bench.path(run).join(format!("checkpoints/frame.{frame:04}.ckpt"));
    Checkpoint::parse(&fs::read(path).unwrap()).unwrap().state
}

#[test]
fn the_first_frame_is_that_of_the_other_run() {
    let bench = bench("onward-first");
    let arguments = ["run", "walk.toml", "--out", "walk", "--no-preview", "--set", "output.checkpoint=1"];
    let told = bench.ends(0, &arguments);
    assert!(told.contains(" info begins with frame 12 of drape\n"), "{told}");
    let mesh = |run: &str, object: &str, frame: u32| {
        fs::read(bench.path(run).join(format!("meshes/{object}/{object}.{frame:04}.ply"))).unwrap()
    };
    for object in ["sheet", "bar"] {
        assert!(mesh("walk", object, 1) == mesh("drape", object, 12), "{object}: positions and velocities");
        assert!(mesh("walk", object, 2) != mesh("walk", object, 1), "{object} moves on");
    }
    // All memories are those of the other run. Times, pins and probes begin anew.
    let (then, now) = (state(&bench, "drape", 12), state(&bench, "walk", 1));
    assert!(!then.bristles.is_empty() && then.last > 0.0 && then.time > 0.2 && then.work != [0.0]);
    assert!(now.x == then.x && now.v == then.v && now.x_before == then.x_before && now.v_before == then.v_before);
    assert!(now.guess == then.guess && now.bristles == then.bristles && now.memory == then.memory);
    assert_eq!((now.last, now.target), (then.last, then.target));
    assert_eq!((now.time, now.step, now.lag), (0.0, 0, 0.0));
    assert_eq!((now.anchors, now.work), (vec![None], vec![0.0]));
    let stats = [bench.of("drape"), bench.of("walk")].map(|run| run.read_stats().unwrap());
    assert_eq!(stats[1][0].energies.get("kinetic"), stats[0][11].energies.get("kinetic"));
    // The library steps the same bits.
    let mut simulation = percale::Simulation::load(bench.path("walk.toml"), &["output.checkpoint=1"]).unwrap();
    for frame in 1..=3 {
        assert_eq!(simulation.next_frame().unwrap(), Some(frame));
        assert!(simulation.state().x == state(&bench, "walk", frame).x, "frame {frame}");
    }
    // The pin has taken its corner along.
    let x = |frame: u32| state(&bench, "walk", frame).x;
    let least = |x: &[percale::linalg::Vec3]| x.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
    assert!(least(&x(11)) < least(&x(1)) - 0.02, "{} {}", least(&x(11)), least(&x(1)));
}

/// With the same still obstacles and no pin, the cloth does what it would have done in the other run.
#[test]
fn nothing_tells_that_a_run_was_continued() {
    let bench = bench("onward-same");
    bench.ends(0, &["run", "scene.toml", "--out", "long", "--no-preview", "--frames", "20"]);
    let still = walk().replace(", { time = 1, translate = [0, 0.2, 0.1] }]", "]").replace(
        "keyframes = [{ time = 0 }, { time = 0.2, translate = [-0.05, 0.1, 0] }]\n",
        "from = 10\nuntil = 11\n",
    );
    bench.write("still.toml", &still);
    bench.ends(0, &["run", "still.toml", "--out", "still", "--no-preview", "--frames", "9"]);
    let (long, still) = (state(&bench, "long", 20), state(&bench, "still", 9));
    let most = long.x.iter().zip(&still.x).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let moved = long.x.iter().zip(&state(&bench, "drape", 12).x).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    println!("{most:.1e} m apart after {moved:.3} m");
    assert!(most < 1e-6 && moved > 0.01, "{most:.1e} m apart after {moved:.3} m");
}

#[test]
fn killed_at_any_moment_it_ends_with_the_same_bits() {
    let bench = bench("onward-killed");
    let arguments = ["run", "walk.toml", "--no-preview", "--threads", "1", "--set", "output.checkpoint=2", "--out"];
    let begun = Instant::now();
    bench.ends(0, &[&arguments[..], &["whole"]].concat());
    let took = begun.elapsed().as_secs_f64();
    let mut random = Random(7);
    let (mut kills, mut runs, mut frames) = (0, 0, 0);
    while kills < 12 {
        runs += 1;
        let out = format!("run-{runs}");
        loop {
            let more = [&out, "--resume", "--progress", "none"];
            let mut command = bench.command(&[&arguments[..], &more].concat());
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let end = Instant::now() + Duration::from_secs_f64(0.6 * took * random.next());
            while kills < 12 && Instant::now() < end && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            if kills < 12 && child.try_wait().unwrap().is_none() {
                child.kill().unwrap();
                kills += 1;
            }
            let status = child.wait().unwrap();
            if status.success() {
                break;
            }
            assert_eq!(status.code(), None, "it ended by itself");
            frames += bench.checkpoints(&out).last().map_or(0, |at| at.0);
        }
        bench.same("whole", &out, &out);
    }
    println!("{kills} kills in {runs} runs, at frame {} in the mean", frames / kills);
    assert!(frames > kills, "every kill came before the first checkpoint");
}

#[test]
fn a_resume_with_another_beginning_is_refused() {
    let bench = bench("onward-other");
    let arguments = ["run", "walk.toml", "--no-preview", "--out", "walk"];
    bench.ends(0, &[&arguments[..], &["--frames", "6"]].concat());
    let left = bench.left("walk");
    let refused = "checkpoints/frame.0006.ckpt: scene.continue gives another state than the run began with";
    // The drape was made again, with other friction.
    let away = bench.path("away");
    fs::rename(bench.path("drape"), &away).unwrap();
    let again = ["run", "scene.toml", "--out", "drape", "--no-preview", "--frames", "12"];
    bench.ends(0, &[&again[..], &["--set", "obstacle.ball.friction=0.4"]].concat());
    let told = bench.ends(2, &[&arguments[..], &["--resume"]].concat());
    assert!(told.contains(refused), "{told}");
    let told = bench.ends(2, &[&arguments[..], &["--from", "4"]].concat());
    assert!(told.contains("scene.continue gives another state") && told.contains("run without --from"), "{told}");
    // Another frame, or none.
    let told = bench.ends(2, &[&arguments[..], &["--resume", "--set", "scene.continue=drape@8"]].concat());
    assert!(told.contains(refused) || told.contains("begins up to"), "{told}");
    let text = walk().replace("continue = \"drape@12\"\n", "");
    bench.write("none.toml", &text);
    let told = bench.ends(2, &["run", "none.toml", "--no-preview", "--out", "walk", "--resume"]);
    assert!(told.contains(refused), "{told}");
    assert!(bench.left("walk") == left);
    // Without it, nothing goes on until it is back. The same state may be elsewhere.
    fs::rename(bench.path("drape"), bench.path("other")).unwrap();
    let told = bench.ends(3, &[&arguments[..], &["--resume"]].concat());
    assert!(told.contains("what the run began with is gone"), "{told}");
    let moved = ["--resume", "--frames", "10", "--set", "scene.continue=away@12"];
    let told = bench.ends(0, &[&arguments[..], &moved].concat());
    assert!(told.contains("goes on after frame 6, "), "{told}");
    fs::rename(&away, bench.path("drape")).unwrap();
    bench.ends(0, &[&arguments[..], &["--resume"]].concat());
    bench.ends(0, &["run", "walk.toml", "--no-preview", "--out", "whole"]);
    bench.same("whole", "walk", "resumed");
    // A farm may begin anew instead.
    bench.ends(0, &[&again[..], &["--set", "obstacle.ball.friction=0.4"]].concat());
    let told = bench.ends(0, &[&arguments[..], &["--resume", "--restart-if-changed"]].concat());
    assert!(told.contains("scene.continue gives another state") && told.contains("begins with frame 12"), "{told}");
    let first =
        |run: &str, frame: u32| fs::read(bench.path(&format!("{run}/meshes/sheet/sheet.{frame:04}.ply"))).unwrap();
    assert!(first("walk", 1) == first("drape", 12) && first("walk", 1) != first("whole", 1));
}

#[test]
fn no_file_outside_of_a_folder_is_continued() {
    let bench = bench("onward-within");
    fs::create_dir(bench.path("inside")).unwrap();
    let meshes = bench.path("inside/sheet.ply");
    fs::copy(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/sheet_1m_25.ply"), meshes).unwrap();
    let text = walk().replace("MESHES/sheet_1m_25.ply", "sheet.ply");
    let check = |run: &str, code: i32| {
        bench.write("inside/walk.toml", &text.replace("drape@12", run));
        let out = bench.run(&["check", "inside/walk.toml", "--within", "inside"]);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{told}");
        told
    };
    let told = check("../drape@12", 2);
    assert!(told.contains("scene.continue: \"../drape@12\" leaves the folder"), "{told}");
    // Nothing tells whether a file outside is there.
    assert_eq!(check("../drape@11", 2), told.replace("@12", "@11"));
    fs::rename(bench.path("drape"), bench.path("inside/drape")).unwrap();
    check("drape@12", 0);
}

#[test]
fn a_run_does_not_replace_the_one_that_it_continues() {
    let bench = bench("onward-own");
    let left = bench.left("drape");
    for more in [&[][..], &["--force"], &["--resume"]] {
        let told = bench.ends(2, &[&["run", "walk.toml", "--no-preview", "--out", "drape"], more].concat());
        assert!(told.contains("walk.toml:4:12: scene.continue: is the folder of this run"), "{told}");
    }
    assert!(bench.left("drape") == left);
}

#[test]
fn what_does_not_fit_is_told_at_its_line() {
    let bench = bench("onward-faults");
    let check = |text: &str| {
        bench.write("bad.toml", text);
        bench.ends(2, &["check", "bad.toml"])
    };
    let of = |value: &str| walk().replace("drape@12", value);
    let line = "bad.toml:4:12: scene.continue: ";
    for (text, words) in [
        (of("drape"), "expected a run folder and one of its frames, such as \"../out/drape@60\", found"),
        (of("drape@last"), "expected a run folder and one of its frames"),
        (of("nowhere@12"), "no run folder \"nowhere\" (looked for 'nowhere'; paths are relative to the scene)"),
        (of("drape@11"), "no checkpoint is at frame 11 of \"drape\"; give one of 4, 8, 12, or run its scene with"),
        (of("."), "expected a run folder"),
        (of(".@3"), "no checkpoint is in \".\"; run its scene first"),
        (walk().replace("sheet_1m_25", "sheet_1m_50"), "'sheet' has another mesh than in that run; give the same one"),
        (
            walk().replace("name = \"ball\"", "name = \"stone\"").replace("of = \"ball\"", "of = \"stone\""),
            "the objects are 'sheet', 'stone', 'bar', those of that run 'sheet', 'ball', 'bar'; give the same ones",
        ),
        (
            walk().replace("{ time = 0, translate = [0, 0.04, 0] }", "{ time = 0, translate = [0, 0.05, 0] }"),
            "'bar' begins up to 10 mm from where it is at frame 12 of that run; give it a motion that begins there",
        ),
    ] {
        let told = check(&text);
        assert!(told.contains(&format!("{line}{words}")), "{words}: {told}");
    }
    let path = bench.path("drape/checkpoints/frame.0012.ckpt");
    let mut bytes = fs::read(&path).unwrap();
    bytes[5000] ^= 1;
    fs::write(&path, bytes).unwrap();
    let told = check(&walk());
    assert!(told.contains(line) && told.contains("frame.0012.ckpt: damaged: its checksum does not fit"), "{told}");
}
