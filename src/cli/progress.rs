//! Progress of a run: a bar, plain lines, JSON lines, or nothing.

use super::{say, warn};
use crate::sequence::FrameStats;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Form of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A bar on a terminal, else plain lines
    Auto,
    /// A bar
    Bar,
    /// A line a frame that a farm reads
    Plain,
    /// A line of JSON a frame
    Json,
    /// Nothing
    None,
}

/// Tells how far a run is.
pub struct Progress {
    form: Form,
    bar: Option<ProgressBar>,
    frames: u32,
    start: Instant,
}

impl Progress {
    /// At the start of so many frames.
    pub fn new(form: Form, frames: u32) -> Progress {
        let form = match form {
            Form::Auto if std::io::stderr().is_terminal() => Form::Bar,
            Form::Auto => Form::Plain,
            other => other,
        };
        let bar = (form == Form::Bar).then(|| {
            let bar = ProgressBar::new(u64::from(frames));
            if let Ok(style) = ProgressStyle::with_template("{wide_bar:.cyan/blue} frame {pos}/{len}  {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Progress { form, bar, frames, start: Instant::now() }
    }

    /// A frame is written.
    pub fn frame(&self, stats: &FrameStats, steps: u64) {
        let left = self.left(stats.frame);
        match (self.form, &self.bar) {
            (Form::Bar, Some(bar)) => {
                bar.set_position(u64::from(stats.frame));
                let FrameStats { time, contacts, .. } = stats;
                bar.set_message(format!("step {steps}, t={time:.3} s, {contacts} contacts, {} left", span(left)));
            }
            (Form::Json, _) => say(&stats.line()),
            (Form::None, _) => (),
            _ => {
                let FrameStats { frame, time, steps, contacts, .. } = stats;
                let share = 100 * u64::from(*frame) / u64::from(self.frames.max(1));
                say(&format!(
                    "Progress: {share}% (frame {frame}/{}) t={time:.3} s, {steps} steps, {contacts} contacts, {} left",
                    self.frames,
                    span(left)
                ));
            }
        }
    }

    /// Wall seconds left, from the mean of the frames so far.
    fn left(&self, frame: u32) -> f64 {
        let spent = self.start.elapsed().as_secs_f64();
        spent / f64::from(frame.max(1)) * f64::from(self.frames.saturating_sub(frame))
    }

    /// The run is over; clears the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A closing line: beside JSON lines it goes to standard error.
    pub fn close(&self, line: &str) {
        match self.form {
            Form::None => (),
            Form::Json => warn(line),
            _ => say(line),
        }
    }
}

/// `12 s`, `3 min 5 s`, `2 h 4 min`.
pub fn span(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn spans_are_short() {
        assert_eq!([0.4, 59.4, 61.0, 3600.0, 7500.0].map(span), ["0 s", "59 s", "1 min 1 s", "1 h 0 min", "2 h 5 min"]);
    }
}
