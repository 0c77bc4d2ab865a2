//! Machine, commit and date of a measurement.

use std::fs;
use std::path::Path;
use std::process::Command;

/// Description of the machine, and of the program measured on it. Unknown entries are `-`.
pub struct Machine {
    processor: String,
    caches: String,
    threads: usize,
    memory: String,
    rustc: String,
    date: String,
    commit: String,
}

impl Machine {
    pub fn look(root: &Path) -> Machine {
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let memory = field(&memory, "MemTotal").and_then(|all| all.trim_end_matches("kB").trim().parse::<f64>().ok());
        let unknown = || "-".to_string();
        let rustc = told(root, "rustc", &["-V"]).unwrap_or_else(unknown);
        Machine {
            processor: field(&cpu, "model name").map_or_else(unknown, str::to_string),
            caches: caches().unwrap_or_else(unknown),
            threads: std::thread::available_parallelism().map_or(1, Into::into),
            memory: memory.map_or_else(unknown, |kib| format!("{:.0} GiB", kib / f64::from(1 << 20))),
            rustc: rustc.trim_start_matches("rustc ").to_string(),
            date: told(root, "date", &["-u", "+%F"]).unwrap_or_else(unknown),
            commit: commit(root).unwrap_or_else(unknown),
        }
    }

    /// Returns the table of the machine.
    pub fn table(&self) -> String {
        let Machine { processor, caches, threads, memory, rustc, date, commit } = self;
        format!(
            "| machine | |\n|---|---|\n| processor | {processor} |\n| caches | {caches} |\n| threads | {threads} |\n\
             | memory | {memory} |\n| rustc | {rustc} |\n| date | {date} |\n| commit | {commit} |\n"
        )
    }

    /// Returns the line below each table, which may be older than others.
    pub fn line(&self) -> String {
        let Machine { processor, threads, date, commit, .. } = self;
        format!("Commit {commit}, {date}, {processor}, {threads} threads.")
    }
}

/// Returns the value of the first line `key : value`.
fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim_start().strip_prefix(':')?.trim())
}

/// Returns level, kind and size of each cache of the first processor.
fn caches() -> Option<String> {
    let mut all = Vec::new();
    for index in 0.. {
        let of = |key: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{key}");
            fs::read_to_string(path).ok().map(|text| text.trim().to_string())
        };
        let (Some(level), Some(kind), Some(size)) = (of("level"), of("type"), of("size")) else { break };
        let kind = match kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        all.push(format!("L{level}{kind} {size}"));
    }
    (!all.is_empty()).then(|| all.join(", "))
}

/// Returns the commit, and whether anything but the page itself differs from it.
fn commit(root: &Path) -> Option<String> {
    let commit = told(root, "git", &["rev-parse", "--short=12", "HEAD"])?;
    let changed = told(root, "git", &["status", "--porcelain", "--", ".", ":!benches/README.md"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit} with changes") })
}

/// Returns the output of a program in one line.
fn told(root: &Path, program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).current_dir(root).args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}
