//! Wall seconds for a simulated second of the drop, without writing frames.

mod common;

use common::{Arguments, scene, settings};
use percale::collision::intersect::intersections;
use percale::linalg::{Vec3, par};
use percale::stepper::{Report, stepper};
use percale::world::{State, World};
use std::time::Instant;

/// Simulated time [s].
const TIME: f64 = 2.0;
/// Frames a second.
const FPS: f64 = 30.0;

fn main() -> Result<(), String> {
    let Arguments { sizes, step, threads } = Arguments::read(&[2_500, 10_000, 40_000])?;
    par::with_threads(threads, || {
        println!("{TIME} s, steps of at most {} ms, {} threads; stages in s/s", step * 1e3, par::threads());
        println!(
            "| vertices | s/s | broad | narrow | assembly | solve | check | steps | repeats | iterations a step | peak, MB | allowed, MB | crossings |"
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
    let (mut report, mut wall, mut crossings) = (Report::default(), 0.0, 0);
    for frame in 1..=(TIME * FPS) as u32 {
        let start = Instant::now();
        let done = stepper.advance(&world, &mut state, f64::from(frame) / FPS);
        wall += start.elapsed().as_secs_f64();
        report.add(&done.map_err(|stuck| stuck.describe(&world, &state))?);
        crossings += crossing_pairs(&world, &state);
    }
    let s = &report.seconds;
    print!("| {} ", world.moving);
    for seconds in [wall, s.broad, s.narrow, s.assembly, s.solve, s.check] {
        print!("| {:.2} ", seconds / TIME);
    }
    let iterations = report.iterations as f64 / report.steps as f64;
    let peak = peak_bytes().map_or("-".to_string(), |bytes| format!("{:.0}", bytes * 1e-6));
    let allowed = (world.moving as f64 * 6e3 + 50e6) * 1e-6;
    print!("| {} | {} | {iterations:.1} ", report.steps, report.repeats);
    println!("| {peak} | {allowed:.0} | {crossings} |");
    Ok(())
}

/// Pairs of triangles, the cloth's among themselves and with obstacles, that cross in the positions as a file holds them.
fn crossing_pairs(world: &World, state: &State) -> usize {
    let x: Vec<Vec3> = state.x.iter().map(|p| p.map(|c| f64::from(c as f32))).collect();
    let cloth = world.surface.triangle_ranges[0].end;
    intersections(&x, &world.surface.triangles, |lower, _| lower as usize >= cloth).pairs.len()
}

/// Peak resident memory of this process, where the system tells.
fn peak_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kib| kib * 1024.0)
}
