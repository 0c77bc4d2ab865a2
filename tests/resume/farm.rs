//! Interface for render farms: variables, log lines, ranges, standard output.

use super::bench::{Bench, SMALL};
use percale::sequence::FrameStats;
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
    assert!(out.lines().count() == 2 && out.starts_with("Progress: 50% (frame 1/2) "), "{out}");
    assert!(log.contains(" info solve ") && !log.contains("Progress"), "{log}");
    let [out, _] = run(&["--progress", "json"]);
    let frames: Vec<u32> = out.lines().map(|line| FrameStats::parse(line).unwrap().frame).collect();
    assert_eq!(frames, [1, 2]);
    assert_eq!(run(&["--progress", "none"]), ["", ""]);
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
