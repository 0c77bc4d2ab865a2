//! A run folder belongs to a single run at a time, and to a single scene.

use super::bench::{Bench, SMALL};
use percale::sequence::Status;
use std::fs;

const QUICK: [&str; 4] = ["--no-preview", "--threads", "1", "--resume"];

fn told(bench: &Bench, arguments: &[&str]) -> (Option<i32>, String) {
    let out = bench.run(arguments);
    let told = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    (out.status.code(), told)
}

#[test]
fn names_of_all_scripts_have_folders_of_their_own() {
    let bench = Bench::new("names", "");
    let scene = SMALL.replace("[scene]\nname = \"small\"\n", "");
    let frames = |run: &str| bench.of(&format!("out/{run}")).read_run().unwrap().frames;
    let run = |file: &str, frames: &str, code: i32, more: &[&str]| {
        bench.write(file, &scene);
        bench.ends(code, &[&["run", file, "--no-preview", "--frames", frames], more].concat())
    };
    let cases = [
        ("シーン.toml", "シーン"),
        ("カット.toml", "カット"),
        ("Größe.toml", "Größe"),
        ("cafe\u{301}.toml", "caf\u{e9}"),
        ("con.toml", "con_"),
    ];
    for (k, (file, _)) in cases.iter().enumerate() {
        run(file, &(k + 1).to_string(), 0, &[]);
    }
    for (k, (_, folder)) in cases.iter().enumerate() {
        assert_eq!(frames(folder), k as u32 + 1);
    }
    // Two scene files map to the same folder name. The second is refused, and the first run stays.
    run("a b.toml", "1", 0, &[]);
    let refused = run("a.b.toml", "2", 2, &[]);
    assert!(
        refused.contains("out/a_b: holds the run of another scene, ") && refused.contains("a b.toml; "),
        "{refused}"
    );
    assert_eq!(frames("a_b"), 1);
    run("a.b.toml", "2", 0, &["--force"]);
    assert_eq!([frames("a_b"), frames("a_b.previous")], [2, 1]);
    // An explicit name may be in any script, but not have every character.
    run("named.toml", "1", 0, &["--set", "scene.name=\"場面\""]);
    assert_eq!(frames("場面"), 1);
    for name in ["a/b", "..", "nul", "a\\u202eb", ""] {
        let refused = run("named.toml", "1", 2, &["--set", &format!("scene.name=\"{name}\"")]);
        let wanted = if name == "nul" { "Windows keeps" } else { "expected a name of letters" };
        assert!(refused.contains("scene.name: ") && refused.contains(wanted), "{refused}");
    }
}

#[test]
fn the_run_of_another_scene_is_not_replaced() {
    let bench = Bench::new("other", "");
    bench.write("a.toml", SMALL);
    bench.write("b.toml", &SMALL.replace("name = \"ball\"", "name = \"stone\""));
    let run = |file: &str, code: i32, more: &[&str]| {
        bench.ends(code, &[&["run", file, "--no-preview", "--frames"], more].concat())
    };
    run("a.toml", 0, &["6"]);
    let left = bench.left("out/small");
    for more in [&["6"][..], &["2"], &["6", "--resume"], &["6", "--set", "obstacle.stone.name=pebble"]] {
        let refused = run("b.toml", 2, more);
        let words = if more.contains(&"--resume") { "the objects are" } else { "holds the run of another scene" };
        assert!(refused.contains(words), "{refused}");
        assert!(bench.left("out/small") == left && !bench.path("out/small.previous").exists());
    }
    // A scene that was only edited, or has fewer frames, runs without `--force`, and the previous run is kept.
    let said = run("a.toml", 0, &["2"]);
    assert!(said.contains(" info the earlier run is set aside until the next, in out/small.previous\n"), "{said}");
    assert!(bench.left("out/small.previous") == left);
    assert_eq!(bench.of("out/small").read_run().unwrap().done, 2);
    bench.write("a.toml", &SMALL.replace("friction = 0.2", "friction = 0.4"));
    let said = run("a.toml", 0, &["3", "--progress", "none"]);
    assert_eq!([said.as_str(), ""], ["", ""]);
    let frames = |run: &str| bench.of(run).read_run().unwrap().frames;
    assert_eq!([frames("out/small"), frames("out/small.previous")], [3, 2]);
    // A different path, another working directory, or a moved project is still the same scene.
    let moved = Bench::new("other-moved", "");
    fs::remove_dir_all(&moved.folder).unwrap();
    fs::rename(&bench.folder, &moved.folder).unwrap();
    let scene = moved.path("out/../a.toml");
    moved.ends(0, &["run", scene.to_str().unwrap(), "--out", "out/small", "--no-preview", "--frames", "1"]);
    // `--force` sets the run of another scene aside.
    moved.ends(0, &["run", "b.toml", "--no-preview", "--frames", "4", "--force"]);
    let frames = |run: &str| moved.of(run).read_run().unwrap().frames;
    assert_eq!([frames("out/small"), frames("out/small.previous")], [4, 1]);
    assert!(moved.path("out/small/meshes/stone").exists() && !moved.path("out/small/meshes/ball").exists());
}

#[cfg(unix)]
#[test]
fn a_folder_in_use_is_refused_until_its_run_ends() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let bench = Bench::new("in-use", SMALL);
    bench.write("other.toml", &SMALL.replace("friction = 0.2", "friction = 0.4"));
    bench.ends(0, &["run", "scene.toml", "--out", "whole", "--no-preview"]);
    let arguments = ["run", "scene.toml", "--out", "a", "--no-preview", "--frames", "100000", "--progress", "plain"];
    let mut child = bench.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.by_ref().any(|line| line.unwrap().contains("frame 5/")));
    let who = format!("a: is in use: process {} on ", child.id());
    for (file, more) in
        [("scene.toml", &[][..]), ("scene.toml", &["--resume"]), ("other.toml", &[]), ("other.toml", &["--force"])]
    {
        let refused = bench.ends(73, &[&["run", file, "--out", "a", "--no-preview"], more].concat());
        assert!(refused.starts_with(&who) && refused.lines().count() == 1, "{refused}");
    }
    // Commands that only read meshes ignore the lock.
    for reads in [
        &["inspect", "a", "--frame", "2"][..],
        &["report", "a"],
        &["render", "a", "--frames", "1"],
        &["export", "a", "--format", "obj", "--frames", "1-2"],
    ] {
        assert_eq!(told(&bench, reads).0, Some(0), "{reads:?}: {}", told(&bench, reads).1);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(bench.path("a/run.lock").is_file());
    let (_, said) = told(&bench, &["inspect", "a", "--frame", "1"]);
    assert!(said.contains("the run was ended by force; --resume goes on"), "{said}");
    bench.ends(0, &[&["run", "scene.toml", "--out", "a", "--from", "4"], &QUICK[..3]].concat());
    assert!(!bench.path("a/run.lock").exists());
    fs::remove_dir_all(bench.path("a/preview")).unwrap();
    fs::remove_dir_all(bench.path("a/export")).unwrap();
    bench.same("whole", "a", "after a kill");
}

#[test]
fn what_a_run_went_on_with_is_in_its_record() {
    let bench = Bench::new("mixes", SMALL);
    bench.write("silk.toml", &SMALL.replace("[[cloth.pin]]", "material = \"silk\"\n[[cloth.pin]]"));
    bench.write("denim.toml", &SMALL.replace("[[cloth.pin]]", "material = \"denim\"\n[[cloth.pin]]"));
    let run = |file: &str, code: i32, more: &[&str]| {
        let fixed = ["run", file, "--out", "a", "--no-preview", "--frames"];
        bench.ends(code, &[&fixed[..], more].concat())
    };
    run("silk.toml", 0, &["6"]);
    let key = "cloth.sheet.material: \"denim\", was \"silk\"";
    // All frames exist, but of another scene: resuming without further frames is refused.
    let refused = run("denim.toml", 2, &["6", "--resume"]);
    assert!(
        refused.contains("a: is finished, but not with the scene as it is now: ") && refused.contains(key),
        "{refused}"
    );
    run("denim.toml", 0, &["8", "--resume"]);
    let changes = |run: &str| -> Vec<(u32, Vec<String>)> {
        bench.of(run).read_run().unwrap().changes.into_iter().map(|c| (c.from, c.what)).collect()
    };
    assert_eq!(changes("a"), [(7, vec![key.to_string()])]);
    let (code, said) = told(&bench, &["inspect", "a"]);
    assert!(code == Some(0) && said.contains(&format!("changed from frame 7 on: {key}")), "{said}");
    let page = fs::read_to_string(bench.path("a/report.html")).unwrap();
    assert!(
        page.contains("changed from frame 7 on: cloth.sheet.material: &quot;denim&quot;")
            || page.contains("changed from frame 7 on: cloth.sheet.material: \"denim\"")
    );
    // The changed scene resumes without another change. A second change is recorded in addition to the first.
    run("denim.toml", 0, &["9", "--resume"]);
    run("denim.toml", 0, &["10", "--resume", "--set", "time.step=2 ms", "--set", "contact.stiffness=2"]);
    let second =
        ["contact.stiffness: 2, was not given", "time.step: \"2 ms\", was \"4 ms\""].map(str::to_string).to_vec();
    assert_eq!(changes("a"), [(7, vec![key.to_string()]), (10, second)]);
    // Resuming before the changes removes them from the record. Changes of pictures do not concern the frames.
    run("silk.toml", 0, &["6", "--from", "4"]);
    assert_eq!(changes("a"), []);
    let said = run("silk.toml", 0, &["6", "--resume", "--set", "preview.width=64"]);
    assert!(
        said.contains("changed since the checkpoint: preview.width") && said.contains("all 6 frames are in a"),
        "{said}"
    );
    // `--restart-if-changed` starts a changed scene anew.
    run("denim.toml", 2, &["8", "--resume", "--restart-if-changed"]);
    run("denim.toml", 0, &["8", "--resume", "--restart-if-changed", "--force"]);
    run("denim.toml", 0, &["8", "--resume", "--restart-if-changed"]);
    assert_eq!(changes("a"), []);
    let record = bench.of("a").read_run().unwrap();
    assert_eq!((record.status, record.done, bench.of("a.previous").read_run().unwrap().done), (Status::Finished, 8, 6));
}

/// A sheet on a ball resumes with twenty times its thickness. Surfaces that are now too near are separated slowly, with
/// a warning.
#[test]
fn what_is_thicker_after_a_frame_is_eased() {
    let bench = Bench::new("thicker", "");
    bench.write("scene.toml", SMALL);
    let run = |more: &[&str]| bench.ends(0, &[&["run", "scene.toml", "--no-preview"], more].concat());
    let kinetic = || {
        let stats = fs::read_to_string(bench.path("out/small/stats.ndjson")).unwrap();
        let of = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            (line["frame"].as_u64().unwrap(), line["energies"]["kinetic"].as_f64().unwrap())
        };
        stats.lines().map(of).collect::<Vec<(u64, f64)>>()
    };
    run(&["--frames", "14"]);
    let calm = kinetic();
    let said = run(&["--from", "12", "--frames", "14", "--set", "cloth.sheet.thickness=6 mm"]);
    assert!(said.contains("than they rest") && said.contains("(contact.ease)"), "{said}");
    // A millijoule is the kinetic energy of the whole sheet at a tenth of a metre per second.
    for ((frame, before), (again, eased)) in calm.iter().zip(kinetic()) {
        assert_eq!(*frame, again);
        assert!(eased < 1.2 * before + 1e-3, "frame {frame}: {eased} J, {before} J before");
    }
}
