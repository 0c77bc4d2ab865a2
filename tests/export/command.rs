use super::support::{bench, export, percale};
use std::fs;

fn refused(code: i32, arguments: &[&str]) -> String {
    let out = percale(arguments, bench());
    assert_eq!(out.status.code(), Some(code), "{arguments:?}");
    String::from_utf8(out.stderr).unwrap()
}

fn usd<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["export", "run", "--format", "usdc"], more].concat()
}

#[test]
fn faults_are_told() {
    assert!(refused(2, &["export", ".", "--format", "usdc"]).contains("no run folder"));
    assert_eq!(refused(2, &usd(&["--frames", "2-9"])), "run: frame 9 is not there; 4 frames are\n");
    let told = refused(2, &usd(&["--object", "sheat"]));
    assert_eq!(told, "run: no object 'sheat'; there are sheet, flap, soft-ball, ball, bar\n");
    let told = refused(2, &usd(&["--embed", "ball=flap.obj"]));
    assert_eq!(told, "--embed ball=flap.obj: expected NAME=FILE with the name of a cloth or a body\n");
    assert!(refused(2, &usd(&["--embed", "soft-ball=none.obj"])).contains("none.obj: no such file"));
    assert!(refused(3, &usd(&["--out", "scene.toml/x.usdc"])).contains("scene.toml"));
}

/// Exports an unfinished run. The record has the number of finished frames, and a later frame may be incomplete.
#[test]
fn a_run_is_exported_while_it_runs() {
    let copy = bench().join("running");
    for object in ["sheet", "ball"] {
        let from = bench().join("run/meshes").join(object);
        fs::create_dir_all(copy.join("meshes").join(object)).unwrap();
        for file in fs::read_dir(from).unwrap().map(|f| f.unwrap().path()) {
            fs::copy(&file, copy.join("meshes").join(object).join(file.file_name().unwrap())).unwrap();
        }
    }
    fs::copy(bench().join("run/scene.toml"), copy.join("scene.toml")).unwrap();
    fs::write(copy.join("meshes/sheet/sheet.0003.ply.percale-part"), "half").unwrap();
    fs::remove_file(copy.join("meshes/sheet/sheet.0004.ply")).unwrap();
    let record = fs::read_to_string(bench().join("run/run.json")).unwrap();
    let record = record.replace("\"finished\"", "\"running\"").replace("\"frames_done\": 4", "\"frames_done\": 2");
    fs::write(copy.join("run.json"), record).unwrap();
    let out = percale(&["export", "running", "--format", "pc2", "--object", "sheet"], bench());
    assert_eq!(String::from_utf8(out.stdout).unwrap(), "frames 1 to 2 in running/export\n");
    let long = fs::metadata(copy.join("export/sheet.pc2")).unwrap().len();
    assert_eq!(long, 32 + 2 * 12 * 625);
    // A truncated frame is a disk error, and no output remains.
    let frame = copy.join("meshes/sheet/sheet.0002.ply");
    let bytes = fs::read(&frame).unwrap();
    fs::write(&frame, &bytes[..5000]).unwrap();
    let told = refused(3, &["export", "running", "--format", "usdc", "--object", "sheet", "--out", "cut.usdc"]);
    assert!(told.contains("sheet.0002.ply") && told.contains("ends early"), "{told}");
    let left: Vec<String> =
        fs::read_dir(bench()).unwrap().map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!left.iter().any(|f| f.starts_with("cut.usdc")), "{left:?}");
}

#[test]
fn the_same_export_has_the_same_bytes() {
    for name in ["one", "two"] {
        export(&["--format", "usdc", "--out", &format!("same/{name}.usdc")]);
        export(&["--format", "abc", "--out", &format!("same/{name}.abc")]);
    }
    for ending in ["usdc", "abc"] {
        let [one, two] = ["one", "two"].map(|n| fs::read(bench().join(format!("same/{n}.{ending}"))).unwrap());
        assert!(one == two, "{ending}");
    }
}
