//! Work of a scene's first frames: counts of its steps, and the peak of the heap.

use peak_alloc::PeakAlloc;
use percale::linalg::par;
use percale::scene::{self, Override, build};
use percale::stepper::{Report, steps};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Lock of a run. Tests run side by side, and the heap is that of all of them.
static ALONE: Mutex<()> = Mutex::new(());

/// Names of the counts, in the order of [`Work::counts`].
pub const COLUMNS: [&str; 10] =
    ["steps", "repeats", "systems", "iterations", "candidates", "contacts", "lists", "corrected", "truncated", "bytes"];

/// Counts of all steps of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Steps.
    pub steps: u64,
    /// Repeats with half the size.
    pub repeats: u64,
    /// Linear systems.
    pub systems: u64,
    /// Linear iterations.
    pub iterations: u64,
    /// Candidate pairs, summed over steps.
    pub candidates: u64,
    /// Contacts, summed over steps.
    pub contacts: u64,
    /// Candidate lists built.
    pub lists: u64,
    /// Corrected vertices.
    pub corrected: u64,
    /// Truncated vertices.
    pub truncated: u64,
    /// Peak of the heap while stepping, per simulated vertex, with world and state [B].
    pub bytes: f64,
}

impl Work {
    fn add(&mut self, step: &Report) {
        self.steps += step.steps;
        self.repeats += step.repeats;
        self.systems += step.systems;
        self.iterations += step.iterations;
        self.candidates += step.candidates as u64;
        self.contacts += step.contacts as u64;
        self.lists += step.builds;
        self.corrected += step.corrected;
        self.truncated += step.truncated;
    }

    /// Returns steps, repeats and bytes as they are, and all other counts per step.
    pub fn counts(&self) -> [f64; COLUMNS.len()] {
        let Work { steps, repeats, systems, iterations, candidates, contacts, lists, corrected, truncated, bytes } =
            *self;
        let by_step = |count: u64| count as f64 / steps as f64;
        let [systems, iterations, candidates, contacts, lists, corrected, truncated] =
            [systems, iterations, candidates, contacts, lists, corrected, truncated].map(by_step);
        let [steps, repeats] = [steps, repeats].map(|count| count as f64);
        [steps, repeats, systems, iterations, candidates, contacts, lists, corrected, truncated, bytes]
    }

    /// Returns all counts as text.
    pub fn told(&self) -> String {
        let words = COLUMNS.iter().zip(self.counts()).map(|(column, count)| format!("{column} {count:.4}"));
        words.collect::<Vec<_>>().join(", ")
    }
}

/// Runs the first frames of a scene.
pub fn run(name: &str, frames: u32, set: &[String], threads: usize) -> Work {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenes/{name}.toml"));
    let set: Vec<Override> = set.iter().map(|one| Override::parse(one).unwrap()).collect();
    let before = HEAP.current_usage();
    let work = || {
        let scene = scene::read(&file, &set).unwrap();
        let mut built = build::build(&scene, &file).unwrap_or_else(|refusal| panic!("{name}: {:?}", refusal.faults));
        let mut stepper = build::stepper(&scene, &built.world);
        HEAP.reset_peak_usage();
        let mut work = Work::default();
        let until = scene.time.run(scene.time.start_frame + frames - 1);
        let made = steps(stepper.as_mut(), &built.world, &mut built.state, until, |_, _, step| {
            work.add(step);
            true
        });
        made.unwrap_or_else(|stuck| panic!("{name}: {}", stuck.describe(&built.world, &built.state)));
        let bytes = HEAP.peak_usage().saturating_sub(before);
        Work { bytes: bytes as f64 / built.world.moving as f64, ..work }
    };
    par::with_threads(threads, work).unwrap()
}
