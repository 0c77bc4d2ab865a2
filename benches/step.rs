//! One time step shortly after impact, split by stage.

mod common;

use common::{Arguments, scene, settings};
use percale::linalg::par;
use percale::stepper::stepper;
use std::time::Instant;

/// Time at which measuring begins: 53 ms after first contact [s].
const FROM: f64 = 0.3;
/// Steps measured.
const STEPS: usize = 50;

fn main() -> Result<(), String> {
    let Arguments { sizes, step, threads } = Arguments::read(&[10_000, 40_000, 90_000])?;
    par::with_threads(threads, || {
        println!("{STEPS} steps of {} ms from {FROM} s, {} threads; milliseconds a step", step * 1e3, par::threads());
        println!(
            "| vertices | broad | narrow | assembly | solve | check | stages | wall | repeats | iterations a step | contacts | candidates | builds |"
        );
        println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
        for &size in &sizes {
            measure(size, step)?;
        }
        Ok(())
    })?
}

fn measure(size: usize, step: f64) -> Result<(), String> {
    let (world, mut state) = scene(size);
    let mut stepper = stepper(&world, settings(step), false);
    stepper.advance(&world, &mut state, FROM).map_err(|stuck| stuck.describe(&world, &state))?;
    let until = state.time + STEPS as f64 * step;
    let start = Instant::now();
    let report = stepper.advance(&world, &mut state, until).map_err(|stuck| stuck.describe(&world, &state))?;
    let wall = start.elapsed().as_secs_f64();
    let each = |seconds: f64| seconds * 1e3 / report.steps as f64;
    let s = &report.seconds;
    print!("| {} ", world.moving);
    for seconds in [s.broad, s.narrow, s.assembly, s.solve, s.check, s.total(), wall] {
        print!("| {:.2} ", each(seconds));
    }
    let iterations = report.iterations as f64 / report.steps as f64;
    print!("| {} | {iterations:.1} | {} ", report.repeats, report.contacts);
    println!("| {} | {} |", report.candidates, report.builds);
    Ok(())
}
