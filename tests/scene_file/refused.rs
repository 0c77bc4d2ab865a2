//! Scenes that must be refused, each with its expected messages.

use percale::scene;
use std::fs;
use std::path::Path;

/// Every file of `scenes/refused` begins with `# expect: line:column: key: message` for each of its faults, in order.
/// Each is a part of the printed line, and there are no other faults.
#[test]
fn every_refused_scene_gives_its_messages() {
    let folder = Path::new("scenes/refused");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    assert!(files.len() >= 35, "{} scenes", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let bytes = fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let expected: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("# expect: ")).collect();
        let told: Vec<String> = match scene::read(&path, &[]) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.iter().map(ToString::to_string).collect(),
        };
        let same = told.len() == expected.len() && told.iter().zip(&expected).all(|(t, e)| t.contains(e));
        if expected.is_empty() || !same {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            wrong.push(format!("{name} expects\n  {}\nand gives\n  {}\n", expected.join("\n  "), told.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
