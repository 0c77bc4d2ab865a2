//! Time of a step on many threads, from the times of its tasks on one.

mod common;

use common::{Arguments, scene, settings};
use percale::linalg::par;
use percale::linalg::tasks::{Place, Schedule, Work, keep_least, record, seconds};
use percale::stepper::stepper;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Start of the measurement [s], 53 ms after first contact.
const FROM: f64 = 0.3;
/// Simulated time of the measurement [s].
const SPAN: f64 = 0.05;
/// Number of times that the steps are measured.
const ROUNDS: usize = 5;
/// Largest number of threads of the table, unless another is given.
const MOST: usize = 64;
/// Number of lines that name the loops that cost most on many threads.
const LOOPS: usize = 16;

fn main() -> Result<(), String> {
    let Arguments { sizes, step, threads } = Arguments::read(&[10_000, 40_000])?;
    let most = if threads == 0 { MOST } else { threads.max(2) };
    let columns: Vec<usize> = (1..).map(|k| 1 << k).take_while(|n| *n < most).chain([most]).collect();
    let waking = par::with_threads(2, waking)?;
    println!("waking of a thread {:.2} us; step {} ms, {SPAN} s from {FROM} s", 1e6 * waking, step * 1e3);
    println!("| vertices | serial | {} |", columns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | "));
    println!("|{}", "---|".repeat(columns.len() + 2));
    let mut loops = Vec::new();
    for size in sizes {
        let work = par::with_threads(1, || measure(size, step))??;
        let on = |threads| Schedule { threads, waking }.seconds(&work);
        let times = columns.iter().map(|n| format!("{:.1}", seconds(&work) / on(*n)));
        println!(
            "| {size} | {:.1} % | {} |",
            100.0 * serial(&work) / seconds(&work),
            times.collect::<Vec<_>>().join(" | ")
        );
        loops.push((size, work));
    }
    for (size, work) in loops {
        eprintln!("\n{size} vertices, {most} threads");
        costs(&work, Schedule { threads: most, waking });
    }
    Ok(())
}

/// Returns the time from the start of a loop to its first task on another thread, the median of many [s].
fn waking() -> f64 {
    let mut times: Vec<f64> = (0..10_000)
        .map(|_| {
            let begun = AtomicBool::new(false);
            let start = Instant::now();
            // The first waits for the second, which another thread must take.
            let wait = || {
                while !begun.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
            };
            par::join(wait, || begun.store(true, Ordering::Release));
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the tasks of the steps, each with its least time of all rounds.
fn measure(size: usize, step: f64) -> Result<Vec<Work>, String> {
    let (world, mut state) = scene(size);
    let moved = stepper(&world, settings(step), false).advance(&world, &mut state, FROM);
    moved.map_err(|stuck| stuck.describe(&world, &state))?;
    let mut least: Option<Vec<Work>> = None;
    for _ in 0..ROUNDS {
        let mut state = state.clone();
        let mut stepper = stepper(&world, settings(step), false);
        let until = state.time + SPAN;
        let (done, work) = record(|| stepper.advance(&world, &mut state, until));
        done.map_err(|stuck| stuck.describe(&world, &state))?;
        let alike = least.as_mut().is_none_or(|least| keep_least(least, &work));
        if !alike {
            return Err("two rounds of the same steps differ in their tasks".to_string());
        }
        least.get_or_insert(work);
    }
    Ok(least.expect("there are rounds"))
}

/// Returns the seconds outside of all loops.
fn serial(sequence: &[Work]) -> f64 {
    sequence.iter().map(|work| if let Work::Serial(seconds) = work { *seconds } else { 0.0 }).sum()
}

/// Prints to standard error the loops that cost most, and what is done between two of them on one thread.
fn costs(sequence: &[Work], schedule: Schedule) {
    let name = |place: Place| format!("{}:{}", place.file(), place.line());
    let mut all: BTreeMap<String, [f64; 4]> = BTreeMap::new();
    let mut add = |name: String, alone: f64, many: f64, tasks: usize| {
        let [count, one, other, parts] = all.entry(name).or_default();
        *count += 1.0;
        *one += alone;
        *other += many;
        *parts += tasks as f64;
    };
    let mut before = "start".to_string();
    for (k, work) in sequence.iter().enumerate() {
        match work {
            Work::Serial(seconds) => {
                let after = sequence[k + 1..].iter().find_map(|work| match work {
                    Work::Parallel(place, _) => Some(name(place)),
                    Work::Serial(_) => None,
                });
                add(format!("{before} to {}", after.unwrap_or("end".to_string())), *seconds, *seconds, 1);
            }
            Work::Parallel(place, tasks) => {
                before = name(place);
                let alone = seconds(std::slice::from_ref(work));
                add(before.clone(), alone, schedule.parallel(tasks), tasks.len());
            }
        }
    }
    let whole = schedule.seconds(sequence);
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_by(|a, b| b.1[2].total_cmp(&a.1[2]));
    eprintln!("{:>7} {:>8} {:>9} {:>9} {:>6}  loop, or from loop to loop", "times", "tasks", "ms alone", "ms", "%");
    for (name, [count, alone, many, tasks]) in all.into_iter().take(LOOPS) {
        let (each, share) = (tasks / count, 100.0 * many / whole);
        eprintln!("{count:>7} {each:>8.1} {:>9.1} {:>9.1} {share:>6.1}  {name}", 1e3 * alone, 1e3 * many);
    }
}
