//! Statistics of steps.

use crate::linalg::Vec3;
use crate::world::effect::EffectReport;
use crate::world::quantity::Stages;
use std::time::Instant;

/// Contact as a step had it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// World vertices: a vertex and the corners of a triangle, or the ends of two edges.
    pub vertices: [u32; 4],
    /// Weights of the vertices in the vector between the closest points: positive on the side that is pushed along the
    /// normal, negative on the other.
    pub weights: [f64; 4],
    /// Unit normal.
    pub normal: Vec3,
    /// Gap about which the step was linearised: distance less the thickness [m].
    pub gap: f64,
    /// Force along the normal at the end of the step [N].
    pub force: f64,
}

/// Statistics of one or more steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Number of steps.
    pub steps: u64,
    /// Number of repeats with half the size.
    pub repeats: u64,
    /// Number of steps with more than one solve, because the first closed contacts too fast.
    pub stops: u64,
    /// Linear systems, each begun with its own matrix or right-hand side. Systems, iterations, unconverged solves,
    /// candidate lists and wall time include failed attempts.
    pub systems: u64,
    /// Linear iterations.
    pub iterations: u64,
    /// Solves that stopped before the tolerance.
    pub unconverged: u64,
    /// Contacts in the last step.
    pub contacts: usize,
    /// Smallest gap in the last step [m]. Infinite without contact, negative where only a part of the barrier acts. A
    /// gap is distance minus thickness, reduced during the ramp of the contact offset.
    pub min_gap: f64,
    /// Vertices whose end positions were corrected for a proof without crossings, counted once a step.
    pub corrected: u64,
    /// Number of these that were truncated, where no other motion had a proof.
    pub truncated: u64,
    /// Edge farthest beyond its strain limit after a step, and its relative excess.
    pub beyond: Option<([u32; 2], f64)>,
    /// Reports of effects.
    pub effects: EffectReport,
    /// Candidate pairs in the last step.
    pub candidates: usize,
    /// Number of candidate lists built, each between two patches.
    pub builds: u64,
    /// True if a body struck something in the last step.
    pub strikes: bool,
    /// Estimated error of the last step relative to its aim.
    pub error: f64,
    /// Wall time [s], by stage.
    pub seconds: Stages,
}

impl Report {
    /// Adds the report of a following step.
    pub fn add(&mut self, next: &Report) {
        self.steps += next.steps;
        self.repeats += next.repeats;
        self.stops += next.stops;
        self.systems += next.systems;
        self.iterations += next.iterations;
        self.unconverged += next.unconverged;
        self.corrected += next.corrected;
        self.truncated += next.truncated;
        self.beyond = [self.beyond, next.beyond].into_iter().flatten().max_by(|a, b| a.1.total_cmp(&b.1));
        self.effects.add(&next.effects);
        self.builds += next.builds;
        self.contacts = next.contacts;
        self.min_gap = next.min_gap;
        self.candidates = next.candidates;
        self.strikes = next.strikes;
        self.error = next.error;
        self.seconds.add(&next.seconds);
    }
}

/// Returns the wall time of `work` [s].
pub(super) fn timed(work: impl FnOnce()) -> f64 {
    let begin = Instant::now();
    work();
    begin.elapsed().as_secs_f64()
}

/// Adds the time since the last measurement to a stage [s], and resets `clock`.
pub(super) fn lap(clock: &mut Instant, stage: &mut f64) {
    let now = Instant::now();
    *stage += (now - *clock).as_secs_f64();
    *clock = now;
}
