//! Sequences of steps with an observer.

use super::{Advance, Report};
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Advances to the time `until` [s], or until `each` returns false. `each` receives the stepper, the state and the
/// report after each step.
///
/// # Errors
/// Returns the reason if the smallest step fails. `state` is then the last good one.
pub fn steps(
    stepper: &mut dyn Advance,
    world: &World,
    state: &mut State,
    until: f64,
    mut each: impl FnMut(&dyn Advance, &State, &Report) -> bool,
) -> Result<Report, StepError> {
    let mut report = Report::default();
    while state.time < until {
        let step = stepper.step(world, state, until)?;
        report.add(&step);
        if !each(stepper, state, &step) {
            break;
        }
    }
    Ok(report)
}
