//! What steps took and met.

use crate::world::effect::Told;
use crate::world::quantity::Stages;
use std::time::Instant;

/// What happened in one or more steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Steps taken.
    pub steps: u64,
    /// Steps that had to be repeated with half the size.
    pub repeats: u64,
    /// Steps with more than one solve, because the first closed contacts too fast.
    pub stops: u64,
    /// Linear iterations; these and what follows of solves, lists and wall time with attempts given up.
    pub iterations: u64,
    /// Solves that stopped before the tolerance.
    pub unconverged: u64,
    /// Contacts in the last step.
    pub contacts: usize,
    /// Smallest gap (distance less thickness, or as much of it as there is room for) in the last step [m]; infinite without contact,
    /// below zero where only a part of the barrier acts.
    pub min_gap: f64,
    /// Vertices whose end positions had to be corrected for a proof free of crossings, counted once a step.
    pub corrected: u64,
    /// Those of them that were held where no other motion was proven free of crossings.
    pub truncated: u64,
    /// The edge that was farthest beyond its strain limit after a step, and by what part.
    pub beyond: Option<([u32; 2], f64)>,
    /// What effects tell.
    pub told: Told,
    /// Candidate pairs in the last step.
    pub candidates: usize,
    /// Lists of candidates built, each of two patches.
    pub builds: u64,
    /// A body struck something in the last step.
    pub strikes: bool,
    /// Wall time.
    pub seconds: Stages,
}

impl Report {
    /// Joins the report of a following step.
    pub fn add(&mut self, next: &Report) {
        self.steps += next.steps;
        self.repeats += next.repeats;
        self.stops += next.stops;
        self.iterations += next.iterations;
        self.unconverged += next.unconverged;
        self.corrected += next.corrected;
        self.truncated += next.truncated;
        self.beyond = [self.beyond, next.beyond].into_iter().flatten().max_by(|a, b| a.1.total_cmp(&b.1));
        self.told.add(&next.told);
        self.builds += next.builds;
        self.contacts = next.contacts;
        self.min_gap = next.min_gap;
        self.candidates = next.candidates;
        self.strikes = next.strikes;
        self.seconds.add(&next.seconds);
    }
}

/// How long something takes [s].
pub(super) fn timed(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

/// Adds the time since `clock` was last looked at to that of a stage [s].
pub(super) fn lap(clock: &mut Instant, stage: &mut f64) {
    let now = Instant::now();
    *stage += (now - *clock).as_secs_f64();
    *clock = now;
}
