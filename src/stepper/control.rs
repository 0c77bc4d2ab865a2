//! How long steps are, and what is done when one cannot be made.

use super::{Advance, Pace, RENT, Report, Settings, Stepper, scheme, yields};
use crate::force::term::Precision;
use crate::linalg::Vec3;
use crate::world::step_error::StepError;
use crate::world::yields::LATE;
use crate::world::{Pinch, State, World};

/// Most that a step grows over the last one: the second-order scheme stays stable at any sequence of such steps (Grigorieff 1983:
/// up to `1 + sqrt 2`).
const GROWTH: f64 = 2.0;
/// The first step, as a part of a whole one: it has no history and is of first order.
const START: f64 = 0.125;
/// How much faster prescribed motion goes than it should while it is behind.
const CATCH_UP: f64 = 0.5;
/// Least part of its pace at which prescribed motion goes on in a pinch.
const CRAWL: f64 = 1.0 / 32.0;
/// Part of a whole step at which two prescribed motions that leave no room are a pinch: a longer one is tried shorter.
const PINCHED: f64 = 0.25;
/// Part of the vertices that may be corrected in a step before the next ones get shorter, as in an impact, and how short at most, of a
/// whole one.
pub(super) const ROUGH: (f64, f64) = (0.01, 0.25);
/// How many times shorter than the smallest step one may be whose equations cannot be solved, or which tears what it should
/// stretch: the shorter, the more they are those of free flight.
pub(super) const FINEST: f64 = 64.0;
/// How many of these may follow each other: thousands of equations in a row that want shorter steps will not end.
const MANY: u32 = 2000;

/// The equations have no solution in the precision of the matrix, or one far from what they stand for.
fn ill(stuck: &StepError) -> bool {
    match stuck {
        StepError::Indefinite(_) | StepError::NotFinite(_) | StepError::Unsolved(_) => true,
        StepError::Torn(_, part) => *part > RENT,
        _ => false,
    }
}

/// Names why a run ends after too many steps below the smallest one.
fn short(world: &World, state: &State, why: StepError) -> StepError {
    let speed = |v: &usize| state.v[*v].norm_squared();
    let vertex = (0..world.moving).max_by(|a, b| speed(a).total_cmp(&speed(b))).unwrap_or(0) as u32;
    StepError::Short { steps: state.short, vertex, why: Box::new(why) }
}

impl<T: Precision> Advance for Stepper<T> {
    fn step(&mut self, world: &World, state: &mut State, until: f64) -> Result<Report, StepError> {
        let Settings { step, min_step, .. } = self.settings;
        let most = until - state.time;
        let mut target = if state.target > 0.0 { state.target.min(step) } else { step };
        let growth = if state.last > 0.0 { GROWTH * state.last } else { START * target.min(most) };
        // A pinch at a step no longer than that is one at any.
        let pinched = |allowed: f64| allowed <= (PINCHED * step).max(min_step);
        let mut report = Report::default();
        yields::relax(world, state);
        let mut fresh = true;
        let (mut rounds, mut given, whole) = (0, false, (state.slack.clone(), state.dents.clone()));
        // What had to wait tries to go on.
        let mut apart = false;
        let mut held = if state.held == 1.0 { 1.0 - CRAWL } else { (2.0 * state.held - 1.0).max(0.0) };
        loop {
            // Equal steps to the end of the interval, so that none is tiny.
            let allowed = target.min(growth);
            let parts = (most / allowed - 1e-6).ceil().max(1.0);
            let h = if parts.is_finite() { most / parts } else { allowed };
            let rejoins = held > 0.0 && !apart && scheme::rejoins(world, state, h);
            let lag = if held > 0.0 { state.lag + held * h } else { (state.lag - CATCH_UP * h).max(0.0) };
            let (end, held_now) = if rejoins { (state.time + h, 0.0) } else { (state.time + h - lag, held) };
            let time = if parts == 1.0 { until } else { state.time + h };
            let next = time - (state.time + h - end);
            match self.attempt(world, state, Pace { h, end, next, held: held_now }, &mut report) {
                Ok(()) => {
                    state.time = time;
                    report.steps = 1;
                    yields::settle(world, state, (&self.now, self.contacts.contacts()), given);
                    state.short = if target < min_step { state.short.saturating_add(1) } else { 0 };
                    let rough = report.strikes || report.corrected as f64 > ROUGH.0 * world.moving as f64;
                    state.clean = if report.repeats > 0 || rough { 0 } else { state.clean + 1 };
                    state.target = if rough {
                        (h / 2.0).max(ROUGH.1 * step).min(target).max(min_step)
                    } else if state.clean >= 10 {
                        state.clean = 0;
                        (2.0 * target).min(step)
                    } else {
                        target
                    };
                    return Ok(report);
                }
                Err(StepError::Pinched { .. }) if rejoins => apart = true,
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
                    match world.contact.pinch {
                        Pinch::Yield | Pinch::Lag => {
                            held = if held < 1.0 - CRAWL { 1.0 - (1.0 - held) / 4.0 } else { 1.0 }
                        }
                        Pinch::Release(object) if state.released.is_none() => state.released = Some(object),
                        _ => return Err(stuck),
                    }
                    report.repeats += 1;
                }
                Err(entered @ StepError::Entered { .. }) => return Err(entered),
                Err(stuck) => {
                    // What gave way in vain would do so in a shorter step, and faster.
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
}

#[cfg(test)]
mod tests {
    use super::super::tests::tethered;
    use super::*;

    /// A solve that may not iterate is good at a 64th of the smallest step and at no longer one: after as many as may follow each other it is said why.
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
