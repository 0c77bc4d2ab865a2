//! `docs/validation.md`, made by the tests: a law, a scene, its expected and its measured value.
//!
//! A test measures its scene as a user writes it, and again at half the step, and submits its rows. They must be in the
//! file, with the same words; the measured digits may differ within the tolerance. `PERCALE_BLESS=1` writes them
//! instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const FILE: &str = "docs/validation.md";
/// Text above the rows.
const HEAD: &str = "\
# Validation at shipped settings

Made by `PERCALE_BLESS=1 cargo test --test validation`; not edited by hand
(see [CONTRIBUTING.md](../CONTRIBUTING.md#bless)).

Materials of the library, at the default damping, tolerance and precision. Each scene ran with the step given, then with
half of it: both must be within the tolerance of what is asked, and of each other. The tests are in
`tests/validation`.

";
const TITLE: &str = "| law | scene | asked | measured | at half the step | tolerance | step | test |\n|---|---|---|---|---|---|---|---|\n";

/// A single quantity of a scene.
#[derive(Clone, Debug)]
pub struct Row {
    /// Law or scheme under test.
    pub law: &'static str,
    /// Scene and quantity in words.
    pub scene: String,
    /// Unit of the numbers; may be empty.
    pub unit: &'static str,
    /// Value of the closed form.
    pub asked: f64,
    /// Values at the step, and at half of it.
    pub measured: [f64; 2],
    /// Largest allowed difference, in the unit.
    pub within: f64,
    /// Step [s].
    pub step: f64,
}

impl Row {
    /// Returns the cells of the row: words that stay constant, and the two measured numbers.
    fn cells(&self, test: &str) -> [String; 8] {
        let unit = if self.unit.is_empty() { String::new() } else { format!(" {}", self.unit) };
        let digits = (1.0 - self.within.log10().floor()).max(0.0) as usize;
        let number = |x: f64| format!("{x:.digits$}");
        let [measured, half] = self.measured.map(number);
        [
            self.law.to_string(),
            self.scene.clone(),
            format!("{}{unit}", number(self.asked)),
            measured,
            half,
            format!("{}{unit}", number(self.within)),
            format!("{} ms", self.step * 1e3),
            test.to_string(),
        ]
    }

    /// Returns a message if the row fails.
    fn fault(&self) -> Option<String> {
        let Row { scene, asked, measured: [full, half], within, .. } = self;
        let off = [(full - asked).abs(), (half - asked).abs(), (full - half).abs()];
        // NaN fails the comparison.
        let good = off.iter().all(|off| off <= within);
        (!good).then(|| format!("{scene}: {full}, at half the step {half}, asked {asked} within {within}"))
    }
}

/// Returns the name of the calling test, with its file: `spin::a_block_spins_on`.
#[macro_export]
macro_rules! this_test {
    () => {{
        fn here() {}
        let whole = std::any::type_name_of_val(&here).trim_end_matches("::here");
        whole.split_once("::").map_or(whole, |(_, path)| path)
    }};
}

/// Asserts that each row of a test holds, and that the file has exactly these rows for the test.
pub fn record(test: &str, rows: &[Row]) {
    let faults: Vec<String> = rows.iter().filter_map(Row::fault).collect();
    let cells: Vec<[String; 8]> = rows.iter().map(|row| row.cells(test)).collect();
    cells.iter().for_each(|cells| println!("| {} |", cells.join(" | ")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // Only one test reads or writes the file at a time, since tests run in parallel.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut all = read();
    if std::env::var("PERCALE_BLESS").is_ok_and(|v| v == "1") {
        all.retain(|row| row[7] != test);
        all.extend(cells);
        all.sort();
        let lines: String = all.iter().map(|row| format!("| {} |\n", row.join(" | "))).collect();
        fs::write(path(), format!("{HEAD}{TITLE}{lines}")).unwrap();
        return;
    }
    let words =
        |[law, scene, asked, _, _, within, step, _]: &[String; 8]| [law, scene, asked, within, step].map(String::clone);
    let mut there: Vec<_> = all.iter().filter(|row| row[7] == test).map(words).collect();
    let mut here: Vec<_> = cells.iter().map(words).collect();
    there.sort();
    here.sort();
    assert!(
        here == there,
        "{FILE} has other rows of {test}: PERCALE_BLESS=1 cargo test --test validation {test} writes them"
    );
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE)
}

/// Returns the rows of the file, or no rows if it does not exist.
fn read() -> Vec<[String; 8]> {
    let text = fs::read_to_string(path()).unwrap_or_default();
    let rows = text.lines().filter(|line| line.starts_with("| ")).skip(1);
    rows.map(|line| {
        let cells: Vec<String> = line.trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect();
        cells.try_into().unwrap_or_else(|cells| panic!("{FILE}: {cells:?}"))
    })
    .collect()
}

/// Finds rows whose test was renamed or removed.
#[test]
fn every_row_has_its_test() {
    let rows = read();
    assert!(!rows.is_empty(), "{FILE} has no rows");
    for [.., test] in rows {
        let (file, name) = test.split_once("::").unwrap_or_else(|| panic!("{FILE}: no test is named {test}"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/validation/{file}.rs"));
        let text = fs::read_to_string(&source).unwrap_or_else(|_| panic!("{FILE}: there is no {}", source.display()));
        assert!(text.contains(&format!("fn {name}(")), "{FILE}: {} has no {name}", source.display());
    }
}

/// A row that is off by more than its tolerance, at either step or between them, is refused; so is NaN.
#[test]
fn a_row_holds_at_both_steps_and_between_them() {
    let row = |full: f64, half: f64| Row {
        law: "law",
        scene: "scene".into(),
        unit: "m",
        asked: 1.0,
        measured: [full, half],
        within: 0.01,
        step: 1e-3,
    };
    assert!(row(1.005, 0.996).fault().is_none());
    for (full, half) in [(1.02, 1.0), (1.0, 0.98), (1.008, 0.995), (f64::NAN, 1.0), (1.0, f64::NAN)] {
        assert!(row(full, half).fault().is_some(), "{full} and {half} within 0.01 of 1");
    }
}
