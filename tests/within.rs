//! `--within`: the files that an untrusted scene may read, and the content of messages.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

const SECRET: &str = "root:x:0:0:s3cret\nv 0 0 s3cret\n";
const MESH: &str = "v 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\n";
const STAGE: &str = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\
    def Mesh \"Sheet\" (\n    references = @../secret.usda@</Sheet>\n)\n{\n}\n";
const INNER: &str = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\ndef Mesh \"Sheet\"\n{\n\
    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0, 1, 2]\n\
    point3f[] points = [(0, 1, 0), (1, 1, 0), (0, 1, 1)]\n}\n";

/// Makes a folder with `own` for the untrusted files, and secrets next to it.
fn bench(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("within-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("own/sub")).unwrap();
    fs::write(folder.join("secret.obj"), SECRET).unwrap();
    fs::write(folder.join("secret.csv"), SECRET).unwrap();
    fs::write(folder.join("secret.usda"), INNER).unwrap();
    fs::write(folder.join("own/own.obj"), MESH).unwrap();
    fs::write(folder.join("own/stage.usda"), STAGE).unwrap();
    fs::write(folder.join("own/odd.obj"), SECRET).unwrap();
    symlink("../secret.obj", folder.join("own/link.obj")).unwrap();
    symlink("../absent.obj", folder.join("own/dangling.obj")).unwrap();
    symlink("own.obj", folder.join("own/fine.obj")).unwrap();
    symlink("..", folder.join("own/up")).unwrap();
    symlink("../secret.obj", folder.join("own/pose.0001.obj")).unwrap();
    folder
}

fn percale(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).current_dir(folder).output().unwrap();
    (out.status.code(), format!("{}{}", String::from_utf8_lossy(&out.stderr), String::from_utf8_lossy(&out.stdout)))
}

fn scene(folder: &Path, cloth: &str, more: &str) {
    let text =
        format!("[time]\nframes = 1\n[[cloth]]\nname = \"sheet\"\n{cloth}\n{more}\n[preview]\nenabled = false\n");
    fs::write(folder.join("own/scene.toml"), text).unwrap();
}

#[test]
fn no_path_of_a_scene_leaves_the_folder() {
    let folder = bench("paths");
    let own = "mesh = \"own.obj\"";
    let absolute = format!("mesh = \"{}\"", folder.join("secret.obj").display());
    let sequence = "[[obstacle]]\nname = \"o\"\nsequence = { files = \"pose.####.obj\", first = 1, last = 1 }";
    let path = "[[cloth.pin]]\nall = true\npath = \"../secret.csv\"";
    for (cloth, more) in [
        ("mesh = \"../secret.obj\"", ""),
        ("mesh = \"sub/../../secret.obj\"", ""),
        ("mesh = \"../absent.obj\"", ""),
        (&absolute, ""),
        ("mesh = \"link.obj\"", ""),
        ("mesh = \"dangling.obj\"", ""),
        ("mesh = \"up/secret.obj\"", ""),
        ("mesh = \"stage.usda\"", ""),
        (own, sequence),
        (own, path),
        (own, "[[obstacle]]\nname = \"o\"\nmesh = \"link.obj\""),
        (own, "[[obstacle]]\nname = \"o\"\nmesh = \"own.obj\"\ncache = { mesh = \"../secret.usda\" }"),
    ] {
        scene(&folder, cloth, more);
        for command in ["check", "run"] {
            let (code, told) = percale(&folder, &[command, "own/scene.toml", "--within", "own"]);
            assert!(code == Some(2) && !told.contains("s3cret"), "{cloth} {more}: {code:?} {told}");
            assert!(told.contains("beyond which --within reads nothing") || more.contains("cache"), "{cloth}: {told}");
        }
    }
    // A scene outside of the folder, and a sweep of it.
    fs::write(folder.join("secret.toml"), "s3cret = oh").unwrap();
    fs::write(folder.join("own/sweep.toml"), "scene = \"../secret.toml\"\n[keys]\n\"time.frames\" = [1]\n").unwrap();
    for arguments in [&["check", "secret.toml", "--within", "own"][..], &["sweep", "own/sweep.toml", "--within", "own"]]
    {
        let (code, told) = percale(&folder, arguments);
        assert!(code == Some(2) && told.contains("--within reads nothing") && !told.contains("s3cret"), "{told}");
    }
    // Within the folder, links and parent paths are allowed; so is a folder named by a link.
    symlink("own", folder.join("alias")).unwrap();
    for cloth in [own, "mesh = \"fine.obj\"", "mesh = \"sub/../own.obj\"", "mesh = \"up/own/own.obj\""] {
        scene(&folder, cloth, "");
        let (code, told) = percale(&folder, &["check", "own/scene.toml", "--within", "alias"]);
        assert_eq!(code, Some(0), "{cloth}: {told}");
    }
    scene(&folder, "mesh = \"stage.usda\"", "");
    assert_eq!(percale(&folder, &["check", "own/scene.toml", "--within", "."]).0, Some(0));
    let (code, told) = percale(&folder, &["check", "own/scene.toml", "--within", "nowhere"]);
    assert!(code == Some(2) && told.contains("--within nowhere: "), "{told}");
}

/// Messages quote no line of an unrecognised file within the folder.
#[test]
fn no_line_of_what_is_not_recognised_is_quoted() {
    let folder = bench("quotes");
    fs::write(folder.join("own/odd.csv"), SECRET).unwrap();
    fs::write(folder.join("own/odd.ply"), SECRET).unwrap();
    fs::write(folder.join("own/odd.usda"), SECRET).unwrap();
    for (cloth, more, quotes) in [
        ("mesh = \"odd.obj\"", "", true),
        ("mesh = \"odd.ply\"", "", false),
        ("mesh = \"odd.usda\"", "", false),
        ("mesh = \"own.obj\"", "[[cloth.pin]]\nall = true\npath = \"odd.csv\"", true),
    ] {
        scene(&folder, cloth, more);
        let (code, told) = percale(&folder, &["check", "own/scene.toml", "--within", "own"]);
        assert!(code == Some(2) && !told.contains("s3cret") && !told.contains("root"), "{cloth}: {told}");
        let (code, told) = percale(&folder, &["check", "own/scene.toml"]);
        assert!(code == Some(2) && told.contains("s3cret") == quotes, "{cloth}: {told}");
    }
}
