//! Lengths that fits read, and outcomes that they tell.

use super::failure::Failure;
use super::say;
use crate::fit::outcome::{NO_SCENE, Outcome};
use crate::scene::csv::units::Measure;
use crate::sequence::write;
use std::path::Path;

/// Reads a value above 0.
pub(super) fn above(measure: Measure, text: &str) -> Result<f64, String> {
    let value = measure.read(text)?;
    if value > 0.0 { Ok(value) } else { Err("must be larger than 0".to_string()) }
}

/// Reads a length above 0, at most 100 m.
pub(super) fn length(text: &str) -> Result<f64, String> {
    above(Measure::Length, text).and_then(|x| if x <= 100.0 { Ok(x) } else { Err("longer than 100 m".to_string()) })
}

/// Prints an outcome, and writes its file for scenes and its page.
pub(super) fn tell(outcome: &Outcome, out: Option<&Path>, report: Option<&Path>) -> Result<(), Failure> {
    say(outcome.text().trim_end());
    if let (Some(path), false) = (out, outcome.refused.is_empty()) {
        let why = format!("{}: not written, {NO_SCENE}", path.display());
        return Err(Failure::Input(outcome.refused.iter().map(|fault| format!("{why}: {fault}")).collect()));
    }
    for (path, text, what) in [(out, &outcome.file, "file for scenes"), (report, &outcome.page(), "report")] {
        let Some(path) = path else { continue };
        write(path, text.as_bytes())?;
        say(&format!("{what} in {}", path.display()));
    }
    Ok(())
}
