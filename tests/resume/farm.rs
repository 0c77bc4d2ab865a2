//! Interface for render farms: variables, log lines, ranges, standard output.

use super::bench::{Bench, SMALL};
use percale::sequence::FrameStats;
use serde_json::Value;
use std::fs;

#[test]
fn variables_give_threads_and_the_root_of_output_and_arguments_win() {
    let bench = Bench::new("variables", SMALL);
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let fixed = ["run", "scene.toml", "--frames", "1", "--no-preview"];
        let mut command = bench.command(&[&fixed[..], arguments].concat());
        command.envs(variables.iter().copied()).output().unwrap()
    };
    let root = bench.path("root");
    let variables = [("PERCALE_THREADS", "3"), ("PERCALE_OUT", root.to_str().unwrap())];
    assert!(run(&[], &variables).status.success());
    assert_eq!(bench.of("root/small").read_run().unwrap().threads, 3);
    assert!(run(&["--threads", "2", "--out", "given"], &variables).status.success());
    assert_eq!(bench.of("given").read_run().unwrap().threads, 2);
    assert!(run(&[], &[("PERCALE_OUT", "")]).status.success());
    assert!(bench.of("out/small").is_run());
    let out = run(&[], &[("PERCALE_THREADS", "many")]);
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(2) && told.contains("'many'"), "{told}");
}

#[test]
fn log_lines_have_time_and_level_and_standard_output_is_what_was_asked() {
    let bench = Bench::new("log", SMALL);
    let run = |more: &[&str]| {
        let out = bench.run(&[&["run", "scene.toml", "--out", "a", "--frames", "2", "--no-preview"], more].concat());
        assert!(out.status.success());
        [out.stdout, out.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let [out, log] = run(&[]);
    assert_eq!(out, "");
    for line in log.lines() {
        let mut words = line.splitn(3, ' ');
        let (time, level) = (words.next().unwrap(), words.next().unwrap());
        assert!(time.len() == 20 && time.ends_with('Z') && time.as_bytes()[10] == b'T', "{line}");
        assert_eq!(level, "info", "{line}");
    }
    assert!(log.contains(" info Progress: 50% (frame 1/2) t=0.000 s, "), "{log}");
    let [out, log] = run(&["--progress", "plain"]);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("Progress: 50% (frame 1/2) "), "{out}");
    assert!(!lines[0].contains("left") && lines[1].ends_with(", 0 s left"), "{out}");
    assert!(log.contains(" info solve ") && !log.contains("Progress"), "{log}");
    let [out, _] = run(&["--progress", "json"]);
    let frames: Vec<u32> = out.lines().filter_map(FrameStats::parse).map(|stats| stats.frame).collect();
    assert_eq!(frames, [1, 2]);
    // After the first frame, which costs nothing, no time is known.
    let left: Vec<Value> =
        out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seconds_left"].take()).collect();
    assert_eq!(left[1..3], [Value::Null, 0.0.into()], "{out}");
    assert_eq!(run(&["--progress", "none"]), ["", ""]);
}

/// Returns the exit code of a run, and its lines of JSON.
fn events(bench: &Bench, more: &[&str]) -> (i32, Vec<Value>) {
    let fixed = ["run", "scene.toml", "--no-preview", "--progress", "json"];
    let out = bench.run(&[&fixed[..], more].concat());
    let lines = String::from_utf8(out.stdout).unwrap();
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    (out.status.code().unwrap(), lines.lines().map(read).collect())
}

#[test]
fn lines_of_json_have_a_start_and_an_end() {
    let bench = Bench::new("events", SMALL);
    let preroll = ["--set", "time.preroll=3", "--set", "time.start_frame=1001"];
    let (code, all) = events(&bench, &[&["--out", "a", "--frames", "4"][..], &preroll].concat());
    let words: Vec<&str> = all.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(words, ["start", "preroll", "preroll", "frame", "frame", "frame", "frame", "end"]);
    let start = &all[0];
    let counts = ["start_frame", "frames", "frames_done", "preroll"].map(|key| start[key].as_u64().unwrap());
    assert_eq!(counts, [1001, 4, 0, 3]);
    assert!(fs::canonicalize(start["folder"].as_str().unwrap()).unwrap() == fs::canonicalize(bench.path("a")).unwrap());
    assert!(start["scene"].as_str().unwrap().ends_with("scene.toml"));
    // The add-on for Blender takes each line with a frame for a frame.
    assert!(all.iter().all(|event| event.get("frame").is_some() == (event["event"] == "frame")));
    let left: Vec<f64> = all[3..7].iter().map(|event| event["seconds_left"].as_f64().unwrap()).collect();
    assert!(left.iter().all(|left| (0.0..60.0).contains(left)) && left[3] == 0.0, "{left:?}");
    assert_eq!((code, &all[7]["code"], &all[7]["reason"]), (0, &0.into(), &Value::Null));
    // A resumed run says how many frames are there.
    let (code, all) = events(&bench, &[&["--out", "a", "--frames", "6", "--resume"][..], &preroll].concat());
    assert_eq!((code, &all[0]["frames_done"], all.len()), (0, &4.into(), 4));
    // Whatever ends a run has its code and reason.
    let (code, all) = events(&bench, &["--out", "b", "--set", "time.fsp=3"]);
    assert_eq!((code, all.len(), &all[0]["code"]), (2, 1, &2.into()));
    assert!(all[0]["reason"].as_str().unwrap().contains("did you mean 'fps'?"));
    let (code, all) = events(&bench, &["--out", "c", "--frames", "20", "--set", "time.frame_limit=\"1 ms\""]);
    let last = all.last().unwrap();
    assert_eq!((code, &last["event"], &last["code"]), (1, &"end".into(), &1.into()));
    assert!(last["reason"].as_str().unwrap().contains("time.frame_limit"), "{last}");
}

#[test]
fn the_log_is_in_the_run_folder_whatever_is_printed() {
    let bench = Bench::new("kept-log", SMALL);
    let run = |code: i32, more: &[&str]| {
        let out = bench.run(&[&["run", "scene.toml", "--out", "a", "--no-preview"], more].concat());
        assert_eq!(out.status.code(), Some(code));
        String::from_utf8(out.stderr).unwrap()
    };
    let log = || fs::read_to_string(bench.path("a/run.log")).unwrap();
    for form in ["auto", "plain", "json", "none"] {
        let printed = run(0, &["--frames", "4", "--progress", form]);
        let log = log();
        for line in log.lines() {
            let words: Vec<&str> = line.splitn(3, ' ').collect();
            assert!(words[0].ends_with('Z') && ["info", "warning", "error"].contains(&words[1]), "{line}");
        }
        assert_eq!(log.matches(" info Progress: ").count(), 4, "{form}: {log}");
        assert!(log.contains(" info solve ") && log.ends_with(" info ends with exit code 0\n"), "{form}: {log}");
        assert!(printed.lines().all(|line| log.contains(line)), "{form}: {printed}\n{log}");
    }
    // The earlier run has taken its log along.
    assert!(fs::read_to_string(bench.path("a.previous/run.log")).unwrap().contains("exit code 0"));
    // A resumed run appends. Warnings from before the folder was opened are there, and the reason of a failure.
    let more = ["--frames", "6", "--resume", "--set", "wind.seed=3", "--set", "time.frame_limit=\"1 ms\""];
    run(1, &[&more[..], &["--progress", "none"]].concat());
    let log = log();
    let at = |words: &str| log.find(words).unwrap_or_else(|| panic!("{words}: {log}"));
    let all = ["exit code 0", "warning changed since", "goes on after frame 4", "error failed: frame 5", "exit code 1"];
    assert!(all.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{log}");
    assert!(log.contains(" warning --set wind.seed: "), "{log}");
    // A link in its place is refused, and what it names stays as it is.
    #[cfg(unix)]
    {
        fs::write(bench.path("mine"), "mine").unwrap();
        fs::remove_file(bench.path("a/run.log")).unwrap();
        std::os::unix::fs::symlink(bench.path("mine"), bench.path("a/run.log")).unwrap();
        assert!(run(3, &["--frames", "6", "--resume"]).contains("a/run.log: is a symbolic link"));
        assert_eq!(fs::read_to_string(bench.path("mine")).unwrap(), "mine");
    }
}

#[test]
fn old_checkpoints_are_removed() {
    let bench = Bench::new("prune", SMALL);
    let run = ["run", "scene.toml", "--no-preview", "--out"];
    bench.ends(0, &[&run[..], &["whole"]].concat());
    assert_eq!(bench.checkpoints("whole").len(), 5);
    let two = ["--set", "output.keep_checkpoints=2"];
    bench.ends(0, &[&run[..], &["a", "--frames", "12"], &two].concat());
    assert_eq!(bench.checkpoints("a"), [(8, None), (12, None)]);
    // The newest is damaged: the run goes on from the one before, with the same bits.
    fs::write(bench.path("a/checkpoints/frame.0012.ckpt"), "").unwrap();
    let told = bench.ends(0, &[&run[..], &["a", "--resume"], &two].concat());
    assert!(told.contains("goes on after frame 8, "), "{told}");
    assert_eq!(bench.checkpoints("a"), [(16, None), (20, None)]);
    let same = || {
        let [mut whole, mut left] = ["whole", "a"].map(|run| bench.left(run));
        // The scene of the other run has another number of checkpoints.
        assert!(whole.files.remove("scene.toml") != left.files.remove("scene.toml"));
        assert!(whole == left);
    };
    same();
    // The number may change in a run, and no result counts as changed.
    let told = bench.ends(0, &[&run[..], &["a", "--resume", "--set", "output.keep_checkpoints=1"]].concat());
    assert!(told.ends_with("info all 20 frames are in a\n"), "{told}");
    bench.ends(0, &[&run[..], &["a", "--from", "16", "--set", "output.keep_checkpoints=1"]].concat());
    assert_eq!(bench.checkpoints("a"), [(20, None)]);
    same();
    let told = bench.ends(2, &[&run[..], &["a", "--from", "16"]].concat());
    assert!(told.contains("no whole checkpoint at frame 16 or before"), "{told}");
}

#[test]
fn ranges_choose_what_is_drawn() {
    let bench = Bench::new("ranges", SMALL);
    bench.ends(0, &["run", "scene.toml", "--out", "a", "--frames", "8"]);
    let drawn = |range: &str| {
        (1..=8).for_each(|k| drop(fs::remove_file(bench.path(&format!("a/preview/frame.{k:04}.png")))));
        assert!(bench.run(&["render", "a", "--frames", range]).status.success());
        (1..=8).filter(|k| bench.path(&format!("a/preview/frame.{k:04}.png")).is_file()).collect::<Vec<u32>>()
    };
    assert_eq!(drawn("1-8x3"), [1, 4, 7]);
    assert_eq!(drawn("2:1,5-6"), [2, 5, 6]);
    let told = bench.ends(2, &["render", "a", "--frames", "1-9x2"]);
    assert!(told.contains("frame 9 is not there"), "{told}");
    let told = bench.ends(2, &["render", "a", "--frames", "6-1"]);
    assert!(told.contains("1-100x2"), "{told}");
}
