//! Time of a step shortly after impact, split by stage.

mod common;
#[path = "common/table.rs"]
mod table;

use common::{scene, settings};
use percale::stepper::stepper;
use std::time::Instant;
use table::table;

/// Start of the measurement [s], 53 ms after first contact.
const FROM: f64 = 0.3;
/// Number of measured steps.
const STEPS: usize = 50;

/// Columns of the table. Times are in milliseconds per step; the rest are counts.
const COLUMNS: [&str; 13] = [
    "vertices",
    "broad",
    "narrow",
    "assembly",
    "solve",
    "check",
    "stages",
    "wall",
    "repeats",
    "iterations a step",
    "contacts",
    "candidates",
    "builds",
];

fn main() -> Result<(), String> {
    table(&[10_000, 40_000, 90_000], &COLUMNS, |step| {
        let title = format!("{STEPS} steps of {} ms from {FROM} s; milliseconds a step", step * 1e3);
        (title, move |size| measure(size, step))
    })
}

fn measure(size: usize, step: f64) -> Result<Vec<String>, String> {
    let (world, mut state) = scene(size);
    let mut stepper = stepper(&world, settings(step), false);
    stepper.advance(&world, &mut state, FROM).map_err(|stuck| stuck.describe(&world, &state))?;
    let until = state.time + STEPS as f64 * step;
    let start = Instant::now();
    let report = stepper.advance(&world, &mut state, until).map_err(|stuck| stuck.describe(&world, &state))?;
    let wall = start.elapsed().as_secs_f64();
    let each = |seconds: f64| seconds * 1e3 / report.steps as f64;
    let s = &report.seconds;
    let mut cells = vec![world.moving.to_string()];
    cells.extend([s.broad, s.narrow, s.assembly, s.solve, s.check, s.total(), wall].map(|t| format!("{:.2}", each(t))));
    cells.push(report.repeats.to_string());
    cells.push(format!("{:.1}", report.iterations as f64 / report.steps as f64));
    cells.extend([report.contacts.to_string(), report.candidates.to_string(), report.builds.to_string()]);
    Ok(cells)
}
