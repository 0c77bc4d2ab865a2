//! Many steps, with someone who looks at each.

use super::{Advance, Report};
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// All steps to the time `until` [s], or until `each` says after one of them that it is to be the last: it sees the stepper, the state
/// and what the step was.
///
/// # Errors
/// Why the smallest step cannot be made; `state` is the last good one.
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
