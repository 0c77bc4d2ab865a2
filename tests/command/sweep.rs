//! `percale sweep`: cases, tables, faults before the first case, resuming, and the report of each run.

use percale::sequence::{Folder, Status};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Writes a small scene and a sweep of it into a folder for the test.
fn bench(name: &str, keys: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sweep-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/sheet_1m_25.ply");
    let scene = format!(
        "[time]\nframes = 4\nstep = \"4 ms\"\n[[cloth]]\nname = \"sheet\"\nmesh = \"{}\"\n[preview]\nwidth = 96\nheight = 64\nsamples = 1\n",
        mesh.display()
    );
    fs::write(folder.join("fall.toml"), scene).unwrap();
    fs::write(folder.join("two.toml"), format!("scene = \"fall.toml\"\n[keys]\n{keys}\n")).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn cases_become_runs_tables_and_a_sheet() {
    let folder = bench("runs", "scene.gravity = [[0, -9.81, 0], [0, -4, 0]]\ntime.step = [\"4 ms\"]");
    let told = run(&folder, &["sweep", "two.toml", "--jobs", "2", "--threads", "1"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    let told = text(&told.stdout);
    assert!(told.contains("2 of 2 cases are finished"), "{told}");
    let csv = fs::read_to_string(folder.join("out/two/results.csv")).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("case,scene.gravity,time.step,status,frames,wall_s,steps,"), "{csv}");
    assert!(lines[1].starts_with("0001,\"[0, -9.81, 0]\",4 ms,finished,4/4,"), "{csv}");
    // Free fall for a tenth of a second: the other case has 4/9.81 of the speed, except for the air.
    let kinetic = |case: &str| {
        let stats = Folder::new(&folder.join("out/two").join(case)).read_stats().unwrap();
        stats.last().unwrap().energies.get("kinetic")
    };
    let ratio = (kinetic("0002") / kinetic("0001")).sqrt();
    assert!((ratio - 4.0 / 9.81).abs() < 2e-3, "{ratio}");
    for file in ["sheet.png", "index.html", "log/0002.log", "0001/report.html"] {
        assert!(folder.join("out/two").join(file).is_file(), "{file}");
    }
    let page = fs::read_to_string(folder.join("out/two/0001/report.html")).unwrap();
    for word in
        ["finished", "wall time by stage [s]", "energies [J]", "largest strain", "data:image/png", "Scene as run"]
    {
        assert!(page.contains(word), "{word}");
    }
    assert!(!page.contains("http:") && !page.contains("https:"));
    // The cases are side by side on the page of the sweep.
    let index = fs::read_to_string(folder.join("out/two/index.html")).unwrap();
    assert_eq!((index.matches("class=\"film\"").count(), index.matches("id=\"viewer\"").count()), (2, 1));
    // A second sweep has nothing to do, and leaves the run as it is.
    let before = fs::read(folder.join("out/two/0001/run.json")).unwrap();
    assert!(run(&folder, &["sweep", "two.toml"]).status.success());
    assert_eq!(fs::read(folder.join("out/two/0001/run.json")).unwrap(), before);
    // `--status` reports a missing case and does not run it.
    fs::remove_dir_all(folder.join("out/two/0002")).unwrap();
    let told = text(&run(&folder, &["sweep", "two.toml", "--status"]).stdout);
    assert!(told.contains("waiting") && told.contains("1 of 2 cases are finished"), "{told}");
    assert!(!folder.join("out/two/0002").exists());
}

#[test]
fn faults_of_all_cases_are_told_before_the_first_is_run() {
    let folder = bench("faults", "time.step = [\"1 ms\", \"1 kg\"]\ntime.fsp = [30]");
    let told = run(&folder, &["sweep", "two.toml"]);
    assert_eq!(told.status.code(), Some(2));
    let told = text(&told.stderr);
    assert!(told.contains("case 0001: --set time.fsp: unknown key; did you mean 'fps'?"), "{told}");
    assert!(told.contains("case 0002: --set time.step: "), "{told}");
    assert!(!folder.join("out").exists());
}

#[test]
fn a_case_that_fails_is_told() {
    let folder = bench("fails", "\"cloth[0].mesh\" = [\"fall.ply\"]");
    fs::write(folder.join("fall.ply"), "ply\n").unwrap();
    let told = run(&folder, &["sweep", "two.toml"]);
    assert_eq!(told.status.code(), Some(1), "{}", text(&told.stderr));
    assert!(text(&told.stdout).contains("case 0001 of 1: failed with code 2; see log/0001.log"));
    assert!(fs::read_to_string(folder.join("out/two/log/0001.log")).unwrap().contains("fall.ply"));
}

/// A signal stops the running cases, each with its only checkpoint, and no other case starts.
#[cfg(unix)]
#[test]
fn a_signal_stops_the_cases_with_checkpoints() {
    let folder = bench("signal", "time.frames = [100000, 100001, 100002]\noutput.checkpoint = [0]");
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.args(["sweep", "two.toml", "--jobs", "2", "--threads", "1"]).current_dir(&folder);
    let mut sweep = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    let case = |name: &str| folder.join("out/two").join(name);
    let begun = || ["0001", "0002"].iter().all(|name| case(name).join("stats.ndjson").is_file());
    let start = std::time::Instant::now();
    while !begun() && start.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-TERM", &sweep.id().to_string()]).status().unwrap().success());
    assert_eq!(sweep.wait().unwrap().code(), Some(75));
    for name in ["0001", "0002"] {
        let run = Folder::new(&case(name));
        assert_eq!(run.read_run().unwrap().status, Status::Stopped);
        assert_eq!(run.checkpoints().unwrap().len(), 1);
    }
    assert!(!case("0003").exists());
}

#[test]
fn a_job_template_holds_every_case() {
    let folder = bench("openjd", "time.step = [\"1 ms\", \"2 ms\"]\nscene.gravity = [[0, -9.81, 0]]");
    let told = run(&folder, &["sweep", "two.toml", "--emit", "openjd"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    let yaml = fs::read_to_string(folder.join("out/two/openjd.yaml")).unwrap();
    for word in [
        "specificationVersion: jobtemplate-2023-09\nname: \"two\"\n",
        "{ name: Case, type: STRING, range: [\"0001\", \"0002\"] }",
        "range: [\"time.step=\\\"1 ms\\\"\", \"time.step=\\\"2 ms\\\"\"] }",
        "combination: (Case, Set1)",
        "\"--set\", \"scene.gravity=[0, -9.81, 0]\"",
        "dependsOn: Simulate",
        "{ name: Project, type: PATH, objectType: DIRECTORY, dataFlow: IN, ",
        "{ name: Out, type: PATH, objectType: DIRECTORY, dataFlow: OUT, default: \".\", ",
        "{ name: Scene, type: STRING, default: \"",
        "/fall.toml\", ",
        "command: \"{{Param.Percale}}\"",
        "\"run\", \"{{Param.Project}}/{{Param.Scene}}\"",
        "\"--out\", \"{{Param.Out}}/{{Task.Param.Case}}\"",
    ] {
        assert!(yaml.contains(word), "{word} is not in {yaml}");
    }
    // The job has no path of this machine, and the project contains scene and mesh.
    assert!(!yaml.contains(folder.to_str().unwrap()) && !yaml.contains(env!("CARGO_BIN_EXE_percale")), "{yaml}");
    let told = text(&told.stdout);
    let project = told.trim().rsplit(" is ").next().unwrap();
    let scene = yaml.split("name: Scene, type: STRING, default: \"").nth(1).unwrap().split('"').next().unwrap();
    assert!(Path::new(project).join(scene).is_file(), "{told}{yaml}");
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes").starts_with(project), "{told}");
    assert!(!folder.join("out/two/0001").exists());
}

/// A driver that knows nothing but the list runs four cases, and gathers their results.
#[test]
fn a_driver_runs_the_work_items_of_the_list() {
    let keys = "time.step = [\"4 ms\", \"2 ms\"]\n\"cloth[0].material\" = [\"silk\", \"denim\"]";
    let folder = bench("list", keys);
    let told = run(&folder, &["sweep", "two.toml", "--threads", "1", "--list", "json"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    let list: Value = serde_json::from_slice(&told.stdout).unwrap();
    assert!(!folder.join("out/two/0001").exists());
    let words = |of: &Value| -> Vec<String> {
        of.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_string()).collect()
    };
    // All paths are absolute, so it may work anywhere.
    let elsewhere = folder.join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let start = |command: &Value| {
        let command = words(command);
        let mut started = Command::new(&command[0]);
        started.args(&command[1..]).current_dir(&elsewhere);
        started
    };
    let items = list["items"].as_array().unwrap();
    assert_eq!(items.len(), 4);
    for (k, item) in items.iter().enumerate() {
        assert_eq!((&item["index"], item["name"].as_str().unwrap()), (&k.into(), format!("{:04}", k + 1).as_str()));
        let out = start(&item["command"]).output().unwrap();
        assert!(out.status.success(), "{item}: {}", text(&out.stderr));
        let last: Value = serde_json::from_str(text(&out.stdout).lines().last().unwrap()).unwrap();
        assert_eq!((&last["event"], &last["code"]), (&"end".into(), &0.into()));
        for file in words(&item["outputs"]) {
            assert!(Path::new(&file).is_file(), "{file}");
        }
        let [first, end] = [0, 1].map(|k| item["frames"][k].as_u64().unwrap());
        assert_eq!([first, end], [1, 4]);
        let sequences = words(&item["sequences"]);
        assert_eq!(sequences.len(), 2, "{sequences:?}");
        for file in sequences.iter().flat_map(|s| (first..=end).map(|k| s.replace("####", &format!("{k:04}")))) {
            assert!(Path::new(&file).is_file(), "{file}");
        }
    }
    let values = &items[3]["values"];
    assert_eq!((&values["time.step"], &values["cloth[0].material"]), (&"\"2 ms\"".into(), &"\"denim\"".into()));
    assert_eq!((&list["again"][0], &list["busy"][0]), (&75.into(), &73.into()));
    assert!(words(&list["inputs"]).iter().all(|file| Path::new(file).is_absolute() && Path::new(file).is_file()));
    let out = start(&list["gather"]).output().unwrap();
    assert!(text(&out.stdout).contains("4 of 4 cases are finished"), "{}{}", text(&out.stdout), text(&out.stderr));
    assert!(words(&list["gathered"]).iter().all(|file| Path::new(file).is_file()));
    // A second list is equal: a case keeps its folder, and its command has nothing to do.
    let again = run(&folder, &["sweep", "two.toml", "--threads", "1", "--list", "json"]);
    assert_eq!(again.stdout, told.stdout);
    let out = start(&items[2]["command"]).output().unwrap();
    assert!(out.status.success() && text(&out.stderr).contains("all 4 frames are in"), "{}", text(&out.stderr));
    let told = run(&folder, &["sweep", "two.toml", "--list", "json", "--status"]);
    assert_eq!(told.status.code(), Some(2));
}

/// A report can be written again, also for a failed run. A folder without a run is refused.
#[test]
fn reports_are_written_again() {
    let folder = bench("report", "time.step = [\"4 ms\"]");
    assert!(run(&folder, &["run", "fall.toml", "--out", "a", "--no-preview"]).status.success());
    let record = Folder::new(&folder.join("a")).read_run().unwrap();
    assert_eq!(record.status, Status::Finished);
    let json = fs::read_to_string(folder.join("a/run.json")).unwrap();
    let json = json.replace("\"finished\"", "\"failed\"").replace("\"reason\": null", "\"reason\": \"<it> tore\"");
    fs::write(folder.join("a/run.json"), json.replace("\"warnings\": []", "\"warnings\": [\"thin & long\"]")).unwrap();
    fs::remove_file(folder.join("a/report.html")).unwrap();
    assert!(run(&folder, &["report", "a"]).status.success());
    let page = fs::read_to_string(folder.join("a/report.html")).unwrap();
    for word in ["failed", "&lt;it&gt; tore", "thin &amp; long", "no contact"] {
        assert!(page.contains(word), "{word}");
    }
    let told = run(&folder, &["report", "."]);
    assert_eq!(told.status.code(), Some(2));
    assert!(text(&told.stderr).contains("no run folder"));
}

/// Cases are identified by their values. After the list is edited, a result still belongs to its values, and to the
/// scene as it is.
#[test]
fn an_edited_sweep_does_not_mix_its_cases() {
    let materials = |list: &str| format!("scene = \"fall.toml\"\n[keys]\n\"cloth[0].material\" = [{list}]\n");
    let folder = bench("edited", "\"cloth[0].material\" = [\"denim\", \"silk\"]");
    let sweep = |file: &str| {
        let out = run(&folder, &["sweep", "two.toml", "--threads", "1"]);
        assert!(out.status.success(), "{file}: {}{}", text(&out.stdout), text(&out.stderr));
        let csv = fs::read_to_string(folder.join("out/two/results.csv")).unwrap();
        // Material, folder, kinetic energy at the end.
        let row = |line: &str| {
            let fields: Vec<&str> = line.split(',').collect();
            assert_eq!(fields[2], "finished", "{csv}");
            let stats = Folder::new(&folder.join("out/two").join(fields[0])).read_stats().unwrap();
            (fields[1].to_string(), fields[0].to_string(), stats.last().unwrap().energies.get("kinetic"))
        };
        csv.lines().skip(1).map(row).collect::<Vec<_>>()
    };
    let write = |list: &str| fs::write(folder.join("two.toml"), materials(list)).unwrap();
    let first = sweep("first");
    assert!(first[0].0 == "denim" && first[0].2 != first[1].2, "{first:?}");
    let begun =
        |name: &str| fs::metadata(folder.join("out/two").join(name).join("run.json")).unwrap().modified().unwrap();
    let times = [begun("0001"), begun("0002")];
    write("\"silk\", \"denim\"");
    assert_eq!(sweep("other order"), [first[1].clone(), first[0].clone()]);
    assert_eq!([begun("0001"), begun("0002")], times, "they are not run again");
    write("\"silk\", \"linen\"");
    let more = sweep("another");
    assert!(more[0] == first[1] && more[1].0 == "linen" && more[1].1 == "0003", "{more:?}");
    write("\"denim\"");
    assert_eq!(sweep("one taken out"), first[..1]);
    // With another scene, or another value for all cases, no earlier result is reused.
    let scene = fs::read_to_string(folder.join("fall.toml")).unwrap();
    fs::write(folder.join("fall.toml"), scene.replace("4 ms", "2 ms")).unwrap();
    let told = text(&run(&folder, &["sweep", "two.toml", "--status"]).stdout);
    assert!(
        told.contains("changed") && told.contains("was run with another scene: time.step: \"2 ms\", was \"4 ms\""),
        "{told}"
    );
    let again = sweep("another scene");
    assert_eq!((again[0].0.as_str(), again[0].1.as_str()), ("denim", "0001"));
    let steps = |run: &str| {
        Folder::new(&folder.join("out/two").join(run)).read_stats().unwrap().iter().map(|s| s.steps).sum::<u64>()
    };
    assert!(steps("0001") > steps("0001.previous"));
}
