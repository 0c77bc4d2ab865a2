//! Architecture tests: a module uses only modules above it, a package is used in a single module only, files stay
//! readable, functions have seven arguments at most, and no user input causes a panic.

use std::fs;
use std::path::{Path, PathBuf};

const ROOMS: [&str; 16] = [
    "linalg",
    "mesh",
    "pattern",
    "collision",
    "force",
    "world",
    "contact",
    "effect",
    "stepper",
    "render",
    "measure",
    "page",
    "scene",
    "fit",
    "sequence",
    "cli",
];

/// Folders of the crates, in whose `src` the rooms are. Cargo holds the order of crates, and this file that of rooms.
const CRATES: [&str; 4] = ["crates/geometry", "crates/solver", "crates/render", "."];

/// Each package (as named in code), and the only module that may use it.
const DOORS: &[(&str, &str)] = &[
    ("nalgebra", "linalg"),
    ("rayon", "linalg"),
    ("robust", "collision"),
    ("wide", "linalg"),
    ("exr", "render"),
    ("gif", "render"),
    ("image_webp", "render"),
    ("png", "render"),
    ("zune_jpeg", "render"),
    ("openusd", "mesh"),
    ("kurbo", "pattern"),
    ("roxmltree", "pattern"),
    ("spade", "pattern"),
    ("svgtypes", "pattern"),
    ("tempfile", "world"),
    ("base64", "page"),
    ("flate2", "page"),
    ("strsim", "scene"),
    ("csv_core", "scene"),
    ("toml", "scene"),
    ("unicode_normalization", "scene"),
    ("toml_edit", "scene"),
    ("serde_json", "sequence"),
    ("crc32fast", "sequence"),
    ("clap", "cli"),
    ("clap_complete", "cli"),
    ("clap_mangen", "cli"),
    ("indicatif", "cli"),
    ("tiny_http", "cli"),
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

/// Returns the source folders of all crates.
fn roots() -> impl Iterator<Item = PathBuf> {
    CRATES.iter().map(|folder| Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("src"))
}

/// Returns every source file: its module, its path, its code without comments and without its test module.
fn sources() -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for root in roots() {
        let mut files = Vec::new();
        rust_files(&root, &mut files);
        for path in files {
            let local = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            let Some((room, _)) = local.split_once('/') else { continue };
            let text = fs::read_to_string(&path).unwrap();
            let body = text.split("#[cfg(test)]").next().unwrap();
            let code: String = body.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
            all.push((room.to_string(), local.clone(), code));
        }
    }
    all
}

/// Returns whether a file is the test module of its parent file. The parent must declare it in its last lines, so that
/// code before the declaration is not treated as tests.
fn is_test_module(file: &str) -> bool {
    let Some(parent) = file.strip_suffix("/tests.rs") else { return false };
    let text = roots().find_map(|root| fs::read_to_string(root.join(format!("{parent}.rs"))).ok()).unwrap_or_default();
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

/// The stepper calls all effects through the same interface.
#[test]
fn the_stepper_names_no_effect() {
    for (_, file, code) in sources().into_iter().filter(|(room, ..)| room == "stepper") {
        for (at, _) in code.match_indices("effect::").filter(|(at, _)| !code[..*at].ends_with("world::")) {
            assert!(code[at..].starts_with("effect::Running"), "{file}: names a file of 'effect'");
        }
    }
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
        if !["mesh", "pattern", "scene", "fit", "sequence", "cli", "render"].contains(&room.as_str()) {
            continue;
        }
        if is_test_module(&file) {
            continue;
        }
        for (number, line) in code.lines().enumerate() {
            // The forbidden words. This list is the check itself.
            for word in [".unwrap()", ".expect(", "panic!(", "unreachable!(", "todo!(", "unimplemented!("] {
                if line.contains(word) {
                    faults.push(format!("{file}:{}: {word}", number + 1));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Files have at most 375 lines of code, without comments and blank lines.
#[test]
fn files_stay_readable() {
    let lines = |code: &str| code.lines().filter(|line| !line.trim().is_empty()).count();
    let long: Vec<String> = sources()
        .iter()
        .map(|(_, file, code)| (file, lines(code)))
        .filter(|(_, lines)| *lines > 375)
        .map(|(file, lines)| format!("{file}: {lines} lines"))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}

/// Words with which no comment begins: the subject is missing.
const HEADLESS: [&str; 9] = ["What", "Which", "Those", "Of", "It", "One", "None", "The same", "Beside"];

/// Comments are lines of up to 120 characters, begin with their subject, and hardly ever say "what".
#[test]
fn comments_are_plain() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "crates", "tests", "benches", "examples", "tools"] {
        rust_files(&root.join(folder), &mut files);
    }
    let (mut lines, mut vague, mut faults) = (0, 0, Vec::new());
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let mut inside = false;
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                inside = false;
                continue;
            };
            let comment = comment.trim_start_matches(['/', '!']).trim();
            let place = || format!("{}:{}: {comment}", path.display(), number + 1);
            lines += 1;
            let words = comment.split(|c: char| !c.is_alphanumeric());
            vague += usize::from(words.into_iter().any(|word| word.eq_ignore_ascii_case("what")));
            let headless = |word: &&str| {
                let rest = comment.strip_prefix(*word);
                rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
            };
            if !inside && HEADLESS.iter().any(headless) {
                faults.push(place());
            }
            if line.chars().count() > 120 {
                faults.push(place());
            }
            inside = !comment.is_empty();
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(100 * vague < 2 * lines, "{vague} of {lines} lines of comments say 'what'");
}

/// Collects the paths of a `use` tree.
fn named(prefix: &[String], tree: &str, out: &mut Vec<Vec<String>>) {
    let words = |path: &str| -> Vec<String> {
        prefix.iter().cloned().chain(path.split("::").filter(|w| !w.is_empty()).map(|w| w.trim().to_string())).collect()
    };
    let Some((path, rest)) = tree.split_once('{') else {
        let path = tree.split(" as ").next().unwrap_or_default();
        return out.push(words(path));
    };
    let (prefix, inside) = (words(path), rest.trim_end().trim_end_matches('}'));
    let (mut depth, mut item) = (0, String::new());
    for c in inside.chars().chain([',']) {
        match c {
            ',' if depth == 0 => {
                if !item.trim().is_empty() {
                    named(&prefix, item.trim(), out);
                }
                item.clear();
                continue;
            }
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        item.push(c);
    }
}

/// Returns the modules by path, and the modules that each uses, without its own ancestors.
fn graph() -> Vec<(Vec<String>, Vec<usize>)> {
    let path = |file: &str| -> Vec<String> {
        let parts = file.trim_end_matches(".rs").split('/').map(str::to_string);
        parts.filter(|part| part != "mod").collect()
    };
    let all: Vec<(Vec<String>, String)> = sources().into_iter().map(|(_, file, code)| (path(&file), code)).collect();
    let find =
        |path: &[String]| (1..=path.len()).rev().find_map(|n| all.iter().position(|(known, _)| known == &path[..n]));
    let edges = |(own, code): &(Vec<String>, String)| -> Vec<usize> {
        let mut paths = Vec::new();
        for statement in code.split(';') {
            let words: Vec<&str> = statement.split_whitespace().collect();
            let Some(at) = words.iter().rposition(|w| *w == "use") else { continue };
            named(&[], &words[at + 1..].join(" "), &mut paths);
        }
        let inline = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
        paths.extend(inline.filter(|w| w.contains("::")).map(|w| w.split("::").map(str::to_string).collect()));
        let resolve = |path: Vec<String>| -> Option<usize> {
            let ups = path.iter().take_while(|w| *w == "super").count();
            let rest = path[ups..].iter().cloned();
            let full: Vec<String> = match path.first()?.as_str() {
                "crate" => path[1..].to_vec(),
                "super" => own[..own.len().checked_sub(ups)?].iter().cloned().chain(rest).collect(),
                "self" => own.iter().cloned().chain(path[1..].iter().cloned()).collect(),
                _ => own.iter().cloned().chain(rest).collect(),
            };
            find(&full).filter(|k| !own.starts_with(&all[*k].0))
        };
        paths.into_iter().filter_map(resolve).collect()
    };
    all.iter().map(|module| (module.0.clone(), edges(module))).collect()
}

/// No files name each other in a circle, so that each can be read after those it names.
#[test]
fn files_are_in_no_circle() {
    let graph = graph();
    assert!(graph.iter().map(|(_, edges)| edges.len()).sum::<usize>() > 1000, "few names are found");
    let reach = |from: usize| {
        let (mut seen, mut open) = (vec![false; graph.len()], graph[from].1.clone());
        while let Some(k) = open.pop() {
            if !std::mem::replace(&mut seen[k], true) {
                open.extend(&graph[k].1);
            }
        }
        seen
    };
    let all: Vec<Vec<bool>> = (0..graph.len()).map(reach).collect();
    let name = |k: usize| graph[k].0.join("/");
    let mut faults: Vec<String> = Vec::new();
    for (a, reached) in all.iter().enumerate() {
        let circle: Vec<String> = (0..graph.len()).filter(|b| reached[*b] && all[*b][a]).map(name).collect();
        if circle.len() > 1 {
            faults.push(circle.join(", "));
        }
    }
    faults.sort();
    faults.dedup();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Splits a list at commas outside brackets.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (k, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if !list[..k].ends_with(['-', '=']) => depth -= 1,
            ',' if depth == 0 => {
                found.push(list[from..k].trim());
                from = k + 1;
            }
            _ => {}
        }
    }
    found.push(list[from..].trim());
    found.retain(|part| !part.is_empty());
    found
}

/// Returns the argument list in parentheses after a function's name and generic parameters.
fn within(text: &str) -> Option<&str> {
    let (mut depth, mut from) = (0, None);
    for (k, c) in text.char_indices() {
        match c {
            '(' if depth == 0 => (depth, from) = (1, Some(k + 1)),
            '(' | '<' => depth += 1,
            ')' | '>' if !text[..k].ends_with(['-', '=']) => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
        if let Some(from) = from.filter(|_| depth == 0) {
            return Some(&text[from..k]);
        }
    }
    None
}

/// Counts the arguments of a list, with the elements of tuples counted separately.
fn arguments(list: &str) -> usize {
    let opened = |part: &&str| match part.strip_prefix('(').and_then(|rest| rest.split_once("):")) {
        Some((names, _)) => arguments(names),
        None if part.starts_with('(') => arguments(&part[1..part.len() - 1]),
        None => 1,
    };
    parts(list).iter().map(opened).sum()
}

#[test]
fn no_function_has_more_than_seven_arguments() {
    assert_eq!(arguments("&self, (a, (b, c)): (A, (B, C)), f: impl Fn(u8, u8) -> Vec<[u8; 2]>, S { x, y }: S"), 6);
    let mut seen = 0;
    for (_, name, code) in sources() {
        for (at, _) in code.match_indices("fn ").filter(|(at, _)| code[..*at].ends_with([' ', '\n', '('])) {
            let rest = &code[at + 3..];
            let function = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap()];
            let Some(list) = within(&rest[function.len()..]) else { continue };
            let count = arguments(list);
            assert!(count <= 7, "{name}: {function} has {count} arguments");
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}
