//! Progress messages within a long frame, every half minute: the progress, and why the steps are short.

use crate::mesh::number_text::rounded;
use crate::stepper::{Advance, Report};
use crate::world::State;
use std::time::{Duration, Instant};

/// Interval between messages.
const EVERY: Duration = Duration::from_secs(30);

/// Time of the last message, and step counters since then.
pub(super) struct ProgressLine {
    last: Instant,
    since: Report,
    every: Duration,
}

impl ProgressLine {
    /// Starts the interval now.
    pub(super) fn new() -> ProgressLine {
        ProgressLine { last: Instant::now(), since: Report::default(), every: EVERY }
    }

    /// Returns a message after a step towards the time `until` [s], if one is due.
    pub(super) fn beat(&mut self, step: &Report, stepper: &dyn Advance, state: &State, until: f64) -> Option<String> {
        self.since.add(step);
        let past = self.last.elapsed();
        if past < self.every {
            return None;
        }
        let line = describe(&self.since, stepper.settings().step, state, (until, past.as_secs_f64()));
        (self.last, self.since) = (Instant::now(), Report::default());
        Some(line)
    }
}

/// Formats `step 120, t=0.016000 of 0.033333 s, 25 steps in 30 s, the last of 0.02 ms; ...`. The message ends with the
/// counters of repeats and corrections. If the last step is below half of the largest `step` [s], these are given as
/// the reason.
fn describe(since: &Report, step: f64, state: &State, (until, seconds): (f64, f64)) -> String {
    let Report { steps, repeats, stops, corrected, unconverged, .. } = *since;
    let mut line = format!(
        "step {}, t={:.6} of {until:.6} s, {steps} steps in {seconds:.0} s, the last of {} ms",
        state.step,
        state.time,
        rounded(1e3 * state.last)
    );
    let mut why = Vec::new();
    let mut add = |count: u64, what: &str| {
        if count > 0 {
            why.push(format!("{count} {what}"));
        }
    };
    add(
        repeats,
        "were repeated with half the size, since no motion was proven free of crossings or a limit was not met",
    );
    add(stops, "closed contacts too fast and were solved again");
    add(corrected, "times a vertex had to be corrected");
    add(unconverged, "solves ended before the tolerance");
    if state.lag > 0.0 {
        why.push("prescribed motion waits for pinched cloth".to_string());
    }
    if state.last < 0.5 * step {
        let why = if why.is_empty() { "the last ones had to be short".to_string() } else { why.join(", ") };
        line.push_str(&format!("; steps are short: {why}"));
    } else if !why.is_empty() {
        line.push_str(&format!("; {}", why.join(", ")));
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stepper::Settings;
    use crate::world::World;
    use crate::world::step_error::StepError;

    struct Still(Settings);

    impl Advance for Still {
        fn step(&mut self, _: &World, _: &mut State, _: f64) -> Result<Report, StepError> {
            Ok(Report::default())
        }

        fn settings(&self) -> Settings {
            self.0
        }
    }

    #[test]
    fn a_long_frame_tells_where_it_is() {
        let integrator = crate::stepper::Integrator::Bdf2;
        let stepper = Still(Settings {
            integrator,
            step: 1e-3,
            min_step: 1e-5,
            accuracy: f64::INFINITY,
            tolerance: 1e-3,
            iterations: 1,
        });
        let mut progress_line = ProgressLine::new();
        let state = State { time: 0.016, step: 120, last: 2e-5, ..State::default() };
        let report = Report { steps: 1, repeats: 2, corrected: 3, ..Report::default() };
        assert_eq!(progress_line.beat(&report, &stepper, &state, 0.04), None);
        progress_line.every = Duration::ZERO;
        let line = progress_line.beat(&report, &stepper, &state, 0.04).unwrap();
        assert!(
            line.starts_with(
                "step 120, t=0.016000 of 0.040000 s, 2 steps in 0 s, the last of 0.02 ms; steps are short: 4 were"
            ),
            "{line}"
        );
        assert!(line.ends_with(", 6 times a vertex had to be corrected"), "{line}");
        // Counters start anew after each message.
        let line = progress_line.beat(
            &Report { steps: 1, ..Report::default() },
            &stepper,
            &State { last: 1e-3, ..state },
            0.04,
        );
        assert!(line.unwrap().ends_with("1 steps in 0 s, the last of 1 ms"));
    }
}
