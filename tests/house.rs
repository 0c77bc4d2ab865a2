//! The order of the house, held by a test: a room names only rooms above it, a package is named in one room only, files
//! stay readable, and nothing panics on what a user can write.

use std::fs;
use std::path::{Path, PathBuf};

const ROOMS: [&str; 14] = [
    "linalg",
    "mesh",
    "collision",
    "force",
    "field",
    "world",
    "contact",
    "stepper",
    "render",
    "measure",
    "page",
    "scene",
    "sequence",
    "cli",
];

/// Package (as named in code) and the one room that may name it.
const DOORS: &[(&str, &str)] = &[
    ("nalgebra", "linalg"),
    ("rayon", "linalg"),
    ("robust", "collision"),
    ("wide", "linalg"),
    ("exr", "render"),
    ("image", "render"),
    ("toml", "scene"),
    ("unicode_normalization", "scene"),
    ("toml_edit", "scene"),
    ("serde_json", "sequence"),
    ("crc32fast", "sequence"),
    ("clap", "cli"),
    ("indicatif", "cli"),
];

fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// Every source file: its room, its path, its code without comments and without its test module.
fn sources() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    let mut all = Vec::new();
    for path in files {
        let local = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let Some((room, _)) = local.split_once('/') else { continue };
        let text = fs::read_to_string(&path).unwrap();
        let body = text.split("#[cfg(test)]").next().unwrap();
        let code: String = body.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
        all.push((room.to_string(), local.clone(), code));
    }
    all
}

/// Whether a file is the test module of the file it belongs to, which says so in its last lines: what it says before must
/// not be taken for a part of its tests.
fn is_test_module(file: &str) -> bool {
    let Some(parent) = file.strip_suffix("/tests.rs") else { return false };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let text = fs::read_to_string(root.join(format!("{parent}.rs"))).unwrap_or_default();
    text.ends_with("\n#[cfg(test)]\nmod tests;\n") && text.matches("#[cfg(test)]").count() == 1
}

fn names(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '.')
    })
}

#[test]
fn rooms_name_only_rooms_above_them() {
    let mut faults = Vec::new();
    for (room, file, code) in sources() {
        let place = ROOMS.iter().position(|r| *r == room);
        let Some(place) = place else {
            faults.push(format!("{file}: '{room}' is no room"));
            continue;
        };
        for below in &ROOMS[place + 1..] {
            if names(&code, &format!("crate::{below}")) {
                faults.push(format!("{file}: names the room '{below}', which is below it"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_package_is_named_in_one_room() {
    let mut faults = Vec::new();
    for (room, file, code) in sources() {
        for (package, door) in DOORS.iter().copied() {
            if room != door && names(&code, &format!("{package}::")) {
                faults.push(format!("{file}: names '{package}', whose door is '{door}'"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nothing_panics_on_user_input() {
    let mut faults = Vec::new();
    for (room, file, code) in sources() {
        if !["mesh", "scene", "sequence", "cli", "render"].contains(&room.as_str()) {
            continue;
        }
        if is_test_module(&file) {
            continue;
        }
        for (number, line) in code.lines().enumerate() {
            // The words that must not be found: this list is the check itself.
            for word in [".unwrap()", ".expect(", "panic!(", "unreachable!(", "todo!(", "unimplemented!("] {
                if line.contains(word) {
                    faults.push(format!("{file}:{}: {word}", number + 1));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn files_stay_readable() {
    let long: Vec<String> = sources()
        .iter()
        .map(|(_, file, code)| (file, code.lines().count()))
        .filter(|(_, lines)| *lines > 500)
        .map(|(file, lines)| format!("{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}
