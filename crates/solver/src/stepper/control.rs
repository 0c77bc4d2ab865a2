//! Step size control and the treatment of failed steps.

use super::{Advance, FATAL_STRETCH, Report, Settings, StepPlan, Stepper, Touch, accuracy, scheme, yields};
use crate::contact::element::Element;
use crate::force::term::Precision;
use crate::linalg::Vec3;
use crate::world::step_error::StepError;
use crate::world::yields::LATE;
use crate::world::{Pinch, State, World};

/// Largest ratio of a step to the last one. Variable-step BDF2 is stable for ratios up to `1 + sqrt 2` (Grigorieff
/// 1983).
const GROWTH: f64 = 2.0;
/// First step relative to a whole one, and its largest size [s]. Without history it is of first order.
const START: (f64, f64) = (0.125, 5e-4);
/// Excess pace of prescribed motion that is behind its time and catches up.
const CATCH_UP: f64 = 0.5;
/// Smallest pace of prescribed motion in a pinch, relative to its normal pace.
const CRAWL: f64 = 1.0 / 32.0;
/// Largest step, relative to a whole one, that counts as a pinch. A longer step is repeated with half the size first.
const PINCHED: f64 = 0.25;
/// Part of corrected vertices above which the next steps are shortened, as in an impact. Lower bound of those steps,
/// relative to a whole one.
pub(super) const ROUGH: (f64, f64) = (0.01, 0.25);
/// Ratio of the smallest step to the shortest one for equations that cannot be solved or edges that stretch too far.
/// The shorter the step, the closer the equations are to free flight.
pub(super) const FINEST: f64 = 64.0;
/// Largest number of such steps in a row. Equations that fail thousands of times in a row will not recover.
const MANY: u32 = 2000;

/// Checks whether the equations have no solution in the precision of the matrix, or one far from the true forces.
fn ill(stuck: &StepError) -> bool {
    match stuck {
        StepError::Indefinite(_) | StepError::NotFinite(_) | StepError::Unsolved(_) => true,
        StepError::Torn(_, part) => *part > FATAL_STRETCH,
        _ => false,
    }
}

/// Returns the error of a run that ends after too many steps below the smallest size.
fn short(world: &World, state: &State, why: StepError) -> StepError {
    let speed = |v: &usize| state.v[*v].norm_squared();
    let vertex = (0..world.moving).max_by(|a, b| speed(a).total_cmp(&speed(b))).unwrap_or(0) as u32;
    StepError::Short { steps: state.short, vertex, why: Box::new(why) }
}

/// Step to attempt.
struct Try {
    pace: StepPlan,
    /// Time at the end [s].
    time: f64,
    /// Whether delayed prescribed motion rejoins its path.
    rejoins: bool,
}

/// Returns the first of equal steps of up to `allowed` in the time `most` left until `until`, so that none is tiny.
/// Prescribed motion delayed by `held` rejoins its path if it is near and `may_rejoin`.
fn first_part(world: &World, state: &State, [most, until]: [f64; 2], allowed: f64, held: f64, may_rejoin: bool) -> Try {
    let parts = (most / allowed - 1e-6).ceil().max(1.0);
    let h = if parts.is_finite() { most / parts } else { allowed };
    let rejoins = held > 0.0 && may_rejoin && scheme::rejoins(world, state, h);
    let lag = if held > 0.0 { state.lag + held * h } else { (state.lag - CATCH_UP * h).max(0.0) };
    let (end, held) = if rejoins { (state.time + h, 0.0) } else { (state.time + h - lag, held) };
    let time = if parts == 1.0 { until } else { state.time + h };
    let next = time - (state.time + h - end);
    Try { pace: StepPlan { h, end, next, held }, time, rejoins }
}

/// Delays prescribed motion more in a pinch, or releases an object from its own. Returns by how much motion is delayed,
/// or `None` if the scene allows neither.
fn delay(world: &World, state: &mut State, held: f64) -> Option<f64> {
    match world.contact.pinch {
        Pinch::Yield | Pinch::Lag => Some(if held < 1.0 - CRAWL { 1.0 - (1.0 - held) / 4.0 } else { 1.0 }),
        Pinch::Release(object) if state.released.is_none() => {
            state.released = Some(object);
            Some(held)
        }
        _ => None,
    }
}

impl<T: Precision> Stepper<T> {
    /// Accepts a step of size `h`, and sets the target of the next one. `given` says whether surfaces yielded in it.
    fn accept(&self, world: &World, state: &mut State, [h, target]: [f64; 2], given: bool, report: &mut Report) {
        let Settings { step, min_step, .. } = self.settings;
        report.steps = 1;
        yields::settle(world, state, (&self.now, self.contacts.contacts()), given);
        state.short = if target < min_step { state.short.saturating_add(1) } else { 0 };
        let rough = report.strikes || report.corrected as f64 > ROUGH.0 * world.moving as f64;
        state.clean = if report.repeats > 0 || rough { 0 } else { state.clean + 1 };
        let next = accuracy::next(&self.settings, report.error, h, target, state.clean);
        let most = if rough { (h / 2.0).max(ROUGH.1 * step) } else { f64::INFINITY };
        // A target below the smallest step is kept until clean steps raise it.
        state.target = next.min(most).max(min_step.min(target));
    }
}

impl<T: Precision> Advance for Stepper<T> {
    fn step(&mut self, world: &World, state: &mut State, until: f64) -> Result<Report, StepError> {
        let Settings { step, min_step, .. } = self.settings;
        let most = until - state.time;
        let mut target = if state.target > 0.0 { state.target.min(step) } else { step };
        let growth = if state.last > 0.0 { GROWTH * state.last } else { (START.0 * target.min(most)).min(START.1) };
        // A pinch at a step up to this size remains a pinch at any smaller one.
        let pinched = |allowed: f64| allowed <= (PINCHED * step).max(min_step);
        let mut report = Report::default();
        yields::relax(world, state);
        let mut fresh = true;
        let (mut rounds, mut given, whole) = (0, false, (state.slack.clone(), state.dents.clone()));
        // Prescribed motion that was held back tries to resume.
        let mut apart = false;
        let mut held = if state.held == 1.0 { 1.0 - CRAWL } else { (2.0 * state.held - 1.0).max(0.0) };
        loop {
            let allowed = target.min(growth);
            let Try { pace, time, rejoins } = first_part(world, state, [most, until], allowed, held, !apart);
            let h = pace.h;
            match self.attempt(world, state, pace, &mut report) {
                Ok(()) => {
                    state.time = time;
                    self.accept(world, state, [h, target], given, &mut report);
                    return Ok(report);
                }
                Err(StepError::Pinched { .. }) if rejoins => apart = true,
                Err(StepError::Pinched { pair, between }) if self.caught.pinched(world, state, &pair, between) => {
                    report.repeats += 1;
                }
                Err(StepError::Pinched { .. })
                    if world.contact.pinch == Pinch::Yield
                        && (pinched(allowed) || given || state.calm < LATE)
                        && rounds < yields::ROUNDS
                        && yields::give_way(world, state, &self.now, rounds) =>
                {
                    (rounds, given) = (rounds + 1, true);
                    if std::mem::take(&mut fresh) {
                        target = if state.target > 0.0 { state.target.min(step) } else { step };
                    }
                    report.repeats += 1;
                }
                Err(stuck @ StepError::Pinched { .. }) if held < 1.0 && (held > 0.0 || pinched(allowed)) => {
                    yields::take_back(state, &whole, &mut given);
                    let Some(more) = delay(world, state, held) else { return Err(stuck) };
                    held = more;
                    report.repeats += 1;
                }
                Err(entered @ StepError::Entered { .. }) => return Err(entered),
                Err(stuck) => {
                    // Yielding that failed would also fail in a shorter step, at a higher speed.
                    yields::take_back(state, &whole, &mut given);
                    rounds = 0;
                    if state.short >= MANY && ill(&stuck) {
                        return Err(short(world, state, stuck));
                    }
                    let least = if ill(&stuck) { min_step / FINEST } else { min_step };
                    if allowed <= least {
                        return Err(stuck);
                    }
                    report.repeats += 1;
                    target = (h / 2.0).max(least);
                }
            }
        }
    }

    fn settings(&self) -> Settings {
        self.settings
    }

    fn forces(&self) -> &[Vec<Vec3>] {
        self.meter.forces()
    }

    fn contacts(&self) -> Vec<Touch> {
        let touch = |element: &Element| {
            let Element { vertices, weights, contact, linear, free, .. } = element;
            let force = contact.normal_force(linear, &element.displacement(&self.now), free);
            Touch { vertices: *vertices, weights: *weights, normal: contact.normal, gap: contact.gap, force }
        };
        self.contacts.contacts().iter().map(touch).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::tethered;
    use super::*;

    /// A solve without iterations succeeds only at a 64th of the smallest step. After the largest number of such steps
    /// in a row, the error is reported.
    #[test]
    fn steps_below_the_smallest_come_to_an_end() {
        let (world, mut state, mut stepper) = tethered(1e3);
        stepper.settings = Settings { min_step: 1e-3, iterations: 0, ..stepper.settings };
        let mut count = 0;
        let stuck = loop {
            match stepper.step(&world, &mut state, 1.0) {
                Ok(_) => count += 1,
                Err(stuck) => break stuck,
            }
            assert!(count < MANY + 100, "goes on for {} s", state.time);
        };
        let StepError::Short { steps, why, .. } = &stuck else { panic!("{count}: {stuck:?}") };
        assert!(*steps == count && count >= MANY && matches!(**why, StepError::Unsolved(_)), "{count}: {stuck:?}");
    }
}
