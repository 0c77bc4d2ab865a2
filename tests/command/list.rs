//! Manual pages and completions have every command and every option.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

/// All commands. A new command is added here too, as evidence that the help is parsed.
const COMMANDS: &[&str] = &[
    "run",
    "check",
    "render",
    "movie",
    "export",
    "inspect",
    "sweep",
    "report",
    "view",
    "compare",
    "fit",
    "materials",
    "pattern",
    "schema",
    "completions",
    "man",
];
const SHELLS: &[&str] = &["bash", "elvish", "fish", "powershell", "zsh"];

/// The help has the same exit codes as the handbook.
#[test]
fn the_help_has_the_exit_codes() {
    let (help, page) = (told(&["--help"]), std::fs::read_to_string("handbook/src/troubleshooting.md").unwrap());
    for code in ["0", "1", "2", "3", "73", "75"] {
        assert!(help.lines().any(|line| line.trim_start().starts_with(&format!("{code} "))), "{code}: {help}");
        assert!(page.contains(&format!("\n| {code} | ")), "{code}");
    }
}

fn percale(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).output().unwrap()
}

fn told(arguments: &[&str]) -> String {
    let output = percale(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the subcommands that the help of a command lists.
fn listed(command: &[&str]) -> Vec<String> {
    let help = told(&[command, &["--help"]].concat());
    let Some((_, list)) = help.split_once("Commands:\n") else { return Vec::new() };
    let names = list.lines().take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_string).collect()
}

/// Returns the long options that the help of a command lists.
fn options(command: &[&str]) -> Vec<String> {
    let help = told(&[command, &["-h"]].concat());
    let long = help.split_whitespace().filter_map(|word| word.strip_prefix("--"));
    let mut long: Vec<String> =
        long.map(|word| word.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect()).collect();
    long.retain(|name: &String| !name.is_empty());
    long
}

/// Returns every command and subcommand, as words.
fn all() -> Vec<Vec<String>> {
    below(&[])
}

/// Returns the commands below some words, each with all that are below it.
fn below(words: &[String]) -> Vec<Vec<String>> {
    let here: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut all = Vec::new();
    for name in listed(&here) {
        let own = [words, &[name]].concat();
        all.push(own.clone());
        all.extend(below(&own));
    }
    all
}

/// Returns the completions of the bash script after these words.
fn bash(script: &str, words: &[&str]) -> Vec<String> {
    let ask = r#"source /dev/stdin; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
        _percale percale "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\n' "${COMPREPLY[@]}""#;
    let mut command = Command::new("bash");
    command.args(["-c", ask, "bash"]).args(words).stdin(std::process::Stdio::piped());
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), script.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_string).collect()
}

#[test]
fn the_help_lists_the_commands() {
    assert_eq!(listed(&[]), COMMANDS);
    assert!(listed(&["fit"]).contains(&"stretch".to_string()) && options(&["run"]).contains(&"frames".to_string()));
}

#[test]
fn shells_complete_every_command() {
    let mut scripts = BTreeMap::new();
    for shell in SHELLS {
        let script = told(&["completions", shell]);
        for words in all() {
            let name = words.last().unwrap();
            assert!(script.contains(name.as_str()), "{shell}: {words:?} is missing");
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            for option in options(&words) {
                // fish writes `-l name`, the other shells `--name`.
                let there = [format!("--{option}"), format!("-l {option}")].iter().any(|way| script.contains(way));
                assert!(there, "{shell}: {words:?} --{option} is missing");
            }
        }
        scripts.insert(*shell, script);
    }
    let refused = percale(&["completions", "csh"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("possible values: bash, elvish, fish, powershell, zsh"));
    if Command::new("bash").arg("--version").output().is_ok() {
        let script = &scripts["bash"];
        assert_eq!(bash(script, &["percale", "comp"]), ["compare", "completions"]);
        assert_eq!(bash(script, &["percale", "run", "--fra"]), ["--frames"]);
    }
}

#[test]
fn every_command_has_a_page() {
    let folder: PathBuf = std::env::temp_dir().join(format!("percale-man-{}", std::process::id()));
    told(&["man", "--out", folder.to_str().unwrap()]);
    let all = all();
    assert!(all.len() > COMMANDS.len());
    let mut names: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let mut wanted: Vec<String> = all.iter().map(|words| format!("percale-{}.1", words.join("-"))).collect();
    wanted.push("percale.1".to_string());
    wanted.sort();
    assert_eq!(names, wanted);
    let root = told(&["man"]);
    assert_eq!(root, std::fs::read_to_string(folder.join("percale.1")).unwrap());
    for words in all {
        let page = std::fs::read_to_string(folder.join(format!("percale-{}.1", words.join("-")))).unwrap();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        assert_eq!(page, told(&[&["man"], &words[..]].concat()));
        let plain = page.replace("\\-", "-");
        assert!(plain.contains(&format!(".TH percale-{} 1", words.join("-"))), "{page}");
        assert!(plain.contains(&format!("percale {}", words.join(" "))), "{page}");
        for option in options(&words) {
            assert!(plain.contains(&format!("--{option}")), "{words:?}: --{option} is missing");
        }
        if words.len() == 1 {
            assert!(root.replace("\\-", "-").contains(&format!("percale-{}(1)", words[0])), "{words:?}: not in {root}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    let refused = percale(&["man", "rum"]);
    assert_eq!(refused.status.code(), Some(2));
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.starts_with("rum: is no command; there are run, check, "), "{told}");
}
