//! Measures benches and writes their tables into `benches/README.md`, with commit and machine:
//! `cargo run --release --example bench_tables [NAME...]`. Without names it measures all of them.
//!
//! Only text between the marks of a table is replaced.

mod machine;
mod page;

use machine::Machine;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Bench, and arguments of each of its runs. A run of a single size alone has a peak of memory of its own.
type Bench = (&'static str, &'static [&'static [&'static str]]);

const BENCHES: [Bench; 7] = [
    ("step", &[&[]]),
    ("linear", &[&[]]),
    ("preview", &[&[]]),
    (
        "speed",
        &[&["2500", "2"], &["10000", "2"], &["40000", "2"], &["2500", "3.4"], &["10000", "3.4"], &["40000", "3.4"]],
    ),
    ("traversal", &[&[]]),
    ("cores", &[&["10000", "8"], &["40000", "8"]]),
    ("export", &[&[]]),
];

fn main() -> Result<(), Box<dyn Error>> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if let Some(unknown) = asked.iter().find(|name| BENCHES.iter().all(|(known, _)| known != name)) {
        let known: Vec<&str> = BENCHES.iter().map(|(known, _)| *known).collect();
        return Err(format!("no bench '{unknown}': give some of {}", known.join(", ")).into());
    }
    if let Some((key, _)) = std::env::vars().find(|(key, _)| key.starts_with("CARGO_PROFILE_")) {
        return Err(format!("{key} is set: tables are of the program as it is shipped").into());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("benches/README.md");
    let machine = Machine::look(root);
    for (name, runs) in BENCHES.iter().filter(|(name, _)| asked.is_empty() || asked.iter().any(|one| one == name)) {
        let outputs = runs.iter().map(|arguments| measure(root, name, arguments)).collect::<Result<Vec<_>, _>>()?;
        let block = format!("{}\n{}\n", page::block(&outputs), machine.line());
        // Each is written as soon as it is measured, so that a later failure loses nothing.
        let text = fs::read_to_string(&file)?;
        let text = page::replaced(&page::replaced(&text, name, &block)?, "machine", &machine.table())?;
        fs::write(&file, text)?;
        eprintln!("{name}: written");
    }
    Ok(())
}

/// Runs a bench and returns its output.
fn measure(root: &Path, name: &str, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
    let mut command = Command::new(cargo);
    command.current_dir(root).args(["bench", "--bench", name, "--"]).args(arguments);
    let output = command.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("bench {name} {}: {}", arguments.join(" "), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}
