//! Wall time per simulated second of the drop [s], without writing frames.

mod common;
#[path = "common/table.rs"]
mod table;

use common::{scene, settings};
use percale::collision::intersect::intersections;
use percale::linalg::Vec3;
use percale::stepper::{Report, stepper};
use percale::world::{State, World};
use std::time::Instant;
use table::table;

/// Simulated time [s].
const TIME: f64 = 2.0;
/// Frames per second.
const FPS: f64 = 30.0;

/// Columns of the table. Stages are in seconds per simulated second.
const COLUMNS: [&str; 14] = [
    "vertices",
    "step, ms",
    "s/s",
    "broad",
    "narrow",
    "assembly",
    "solve",
    "check",
    "steps",
    "repeats",
    "iterations a step",
    "peak, MB",
    "allowed, MB",
    "crossings",
];

fn main() -> Result<(), String> {
    table(&[2_500, 10_000, 40_000], &COLUMNS, |step| {
        (format!("{TIME} s, steps of at most {} ms; stages in s/s", step * 1e3), move |size| measure(size, step))
    })
}

fn measure(size: usize, step: f64) -> Result<Vec<String>, String> {
    let (world, mut state) = scene(size);
    let mut stepper = stepper(&world, settings(step), false);
    let (mut report, mut wall, mut crossings) = (Report::default(), 0.0, 0);
    for frame in 1..=(TIME * FPS) as u32 {
        let start = Instant::now();
        let done = stepper.advance(&world, &mut state, f64::from(frame) / FPS);
        wall += start.elapsed().as_secs_f64();
        report.add(&done.map_err(|stuck| stuck.describe(&world, &state))?);
        crossings += crossing_pairs(&world, &state);
    }
    let s = &report.seconds;
    let mut cells = vec![world.moving.to_string(), format!("{:.1}", step * 1e3)];
    cells.extend([wall, s.broad, s.narrow, s.assembly, s.solve, s.check].map(|t| format!("{:.2}", t / TIME)));
    cells.extend([report.steps.to_string(), report.repeats.to_string()]);
    cells.push(format!("{:.1}", report.iterations as f64 / report.steps as f64));
    cells.push(peak_bytes().map_or("-".to_string(), |bytes| format!("{:.0}", bytes * 1e-6)));
    cells.push(format!("{:.0}", (world.moving as f64 * 6e3 + 50e6) * 1e-6));
    cells.push(crossings.to_string());
    Ok(cells)
}

/// Counts pairs of intersecting triangles, cloth with cloth and cloth with obstacles, in positions rounded as in a
/// file.
fn crossing_pairs(world: &World, state: &State) -> usize {
    let x: Vec<Vec3> = state.x.iter().map(|p| p.map(|c| f64::from(c as f32))).collect();
    let cloth = world.surface.triangle_ranges[0].end;
    intersections(&x, &world.surface.triangles, |lower, _| lower as usize >= cloth).pairs.len()
}

/// Returns the peak resident memory of this process, if the system reports it.
fn peak_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kib| kib * 1024.0)
}
