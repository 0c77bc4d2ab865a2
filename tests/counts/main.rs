//! Counted work of ten scenes' first frames, compared with `tests/counts/counts.toml`.
//!
//! Counts are the same on any number of threads and on every machine with the same mathematical library. So a change
//! of speed shows without a clock. `PERCALE_BLESS=1 cargo test --test counts` rewrites the counts. Scenes, frames and
//! reasons are written by hand.

mod work;
mod written;

use std::fmt::Write;
use work::{COLUMNS, Work};
use written::{Entry, Written};

/// Number of threads of the runs. Counts do not depend on it.
const THREADS: usize = 2;

/// Runs a scene as the file says.
fn work(entry: &Entry, threads: usize) -> Work {
    work::run(&entry.scene, entry.frames, &entry.set, threads)
}

#[test]
#[cfg_attr(not(target_os = "linux"), ignore = "sines of other systems are rounded otherwise, which impacts amplify")]
fn ten_scenes_take_the_counted_work() {
    let mut written = Written::read();
    let entries = written.entries();
    assert_eq!(entries.len(), 10);
    let mut moved = Vec::new();
    for entry in &entries {
        let found = work(entry, THREADS);
        println!("{}: {}", entry.scene, found.told());
        moved.extend(written::moved(&entry.scene, &entry.counts, &found));
        written.set(&entry.scene, &found);
    }
    if std::env::var("PERCALE_BLESS").is_ok_and(|v| v == "1") {
        return written.save();
    }
    assert!(moved.is_empty(), "{}", complaint(&moved));
}

/// Returns the failure: a line for each moved count, and how to write them down.
fn complaint(moved: &[String]) -> String {
    let mut text = String::from("counts moved by more than a tenth:\n");
    moved.iter().for_each(|line| writeln!(text, "  {line}").unwrap());
    text + "`PERCALE_BLESS=1 cargo test --test counts` writes them down; say in the commit why they moved."
}

/// Threads change no count, and the heap by less than the tolerance.
#[test]
fn threads_change_no_count() {
    let entries = Written::read().entries();
    let blades = entries.iter().find(|entry| entry.scene == "blades").unwrap();
    let [one, three] = [1, 3].map(|threads| work(blades, threads));
    for ((column, a), b) in COLUMNS.iter().zip(one.counts()).zip(three.counts()) {
        let same = if *column == "bytes" { (a / b - 1.0).abs() < 0.1 } else { a == b };
        assert!(same, "{column}: {a} on one thread, {b} on three");
    }
}

/// A count passes within a tenth, and within two events in all where it is small.
#[test]
fn a_count_that_moves_is_told() {
    let found = Work { steps: 100, repeats: 2, iterations: 1089, systems: 120, bytes: 5000.0, ..Work::default() };
    let mut counts = found.counts();
    let of = |column: &str| COLUMNS.iter().position(|known| *known == column).unwrap();
    assert!(written::moved("drape", &counts, &found).is_empty());
    counts[of("iterations")] = 10.0;
    counts[of("repeats")] = 4.0;
    counts[of("corrected")] = 0.02;
    assert_eq!(written::moved("drape", &counts, &found), Vec::<String>::new());
    counts[of("iterations")] = 9.0;
    counts[of("repeats")] = 5.0;
    counts[of("corrected")] = 0.03;
    counts[of("bytes")] = 6000.0;
    let told = written::moved("drape", &counts, &found);
    assert_eq!(told.len(), 4, "{told:?}");
    assert_eq!(told[1], "drape: iterations: 9 a step before, 10.89 now, x 1.210");
    counts[of("steps")] = f64::NAN;
    assert_eq!(written::moved("drape", &counts, &found).len(), 5);
}
