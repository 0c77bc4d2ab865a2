//! File of the counts.

use crate::work::{COLUMNS, Work};
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item, Table, value};

/// Largest relative change of a count.
const TOLERANCE: f64 = 0.1;
/// Change of a count in all steps together that passes however small the count is.
const SLACK: f64 = 2.0;

/// Scene of the file: run, and counts in the order of [`COLUMNS`]. A missing count is not a number.
pub struct Entry {
    pub scene: String,
    pub frames: u32,
    pub set: Vec<String>,
    pub counts: [f64; COLUMNS.len()],
}

/// File with a table for each scene.
pub struct Written {
    path: PathBuf,
    document: DocumentMut,
}

impl Written {
    pub fn read() -> Written {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/counts/counts.toml");
        let document = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        Written { path, document }
    }

    /// Returns the scenes in the order of the file. Each needs a reason.
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |(scene, item): (&str, &Item)| {
            let table = item.as_table().unwrap();
            assert!(table["shows"].as_str().is_some_and(|reason| !reason.is_empty()), "{scene}: shows nothing");
            let set = table.get("set").and_then(Item::as_array).into_iter().flatten();
            Entry {
                scene: scene.to_string(),
                frames: u32::try_from(table["frames"].as_integer().unwrap()).unwrap(),
                set: set.map(|one| one.as_str().unwrap().to_string()).collect(),
                counts: COLUMNS
                    .map(|column| table.get("counts").and_then(|counts| number(counts.get(column)?)))
                    .map(|count| count.unwrap_or(f64::NAN)),
            }
        };
        self.document.iter().map(entry).collect()
    }

    /// Replaces the counts of a scene, each rounded to four digits.
    pub fn set(&mut self, scene: &str, found: &Work) {
        let mut table = Table::new();
        for (column, count) in COLUMNS.iter().zip(found.counts()) {
            let rounded: f64 = format!("{count:.3e}").parse().unwrap();
            let whole = rounded.fract() == 0.0;
            table[column] = if whole { value(rounded as i64) } else { value(rounded) };
        }
        self.document[scene]["counts"] = Item::Table(table);
    }

    pub fn save(&self) {
        std::fs::write(&self.path, self.document.to_string()).unwrap();
    }
}

fn number(item: &Item) -> Option<f64> {
    item.as_float().or(item.as_integer().map(|count| count as f64))
}

/// Returns a line for each count that has moved beyond the tolerance.
pub fn moved(scene: &str, before: &[f64; COLUMNS.len()], found: &Work) -> Vec<String> {
    let line = |((column, before), now): ((&&str, &f64), f64)| {
        let (unit, slack) = match *column {
            "steps" | "repeats" => ("", SLACK),
            "bytes" => (" a vertex", 0.0),
            _ => (" a step", SLACK / found.steps as f64),
        };
        let near = (now - before).abs() <= (TOLERANCE * before).max(slack * (1.0 + 1e-9));
        let digits = |count: f64| format!("{count:.3e}").parse::<f64>().unwrap();
        (!near).then(|| {
            let ratio = now / before;
            format!("{scene}: {column}: {}{unit} before, {} now, x {ratio:.3}", digits(*before), digits(now))
        })
    };
    COLUMNS.iter().zip(before).zip(found.counts()).filter_map(line).collect()
}
