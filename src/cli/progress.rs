//! Progress of a run: a bar, log lines, plain lines, JSON lines, or nothing. Standard output has only what was asked for.

use super::log::{Level, line};
use super::{say, warn};
use crate::sequence::FrameStats;
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Form of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A bar on a terminal, else log lines; on standard error
    Auto,
    /// A bar, on standard error
    Bar,
    /// A line a frame that a farm reads, on standard output
    Plain,
    /// A line of JSON a frame, on standard output
    Json,
    /// Nothing
    None,
    /// Log lines.
    #[value(skip)]
    Log,
}

/// Tells how far a run is.
pub struct Progress {
    form: Form,
    bar: Option<ProgressBar>,
    done: u32,
    first: u32,
    frames: u32,
    start: Instant,
}

impl Progress {
    /// Of so many frames from number `first` on, of which some are `done`.
    pub fn new(form: Form, done: u32, first: u32, frames: u32) -> Progress {
        let form = match form {
            Form::Auto if std::io::stderr().is_terminal() => Form::Bar,
            Form::Auto => Form::Log,
            other => other,
        };
        let bar = (form == Form::Bar).then(|| {
            let bar = ProgressBar::new(u64::from(frames));
            if let Ok(style) = ProgressStyle::with_template("{wide_bar:.cyan/blue} frame {prefix}  {msg}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        Progress { form, bar, done, first, frames, start: Instant::now() }
    }

    /// A frame is written.
    pub fn frame(&self, stats: &FrameStats, steps: u64) {
        let count = (stats.frame + 1).saturating_sub(self.first);
        let left = self.left(count);
        let last = self.first + self.frames.saturating_sub(1);
        match (self.form, &self.bar) {
            (Form::Bar, Some(bar)) => {
                bar.set_position(u64::from(count));
                bar.set_prefix(format!("{}/{last}", stats.frame));
                let FrameStats { time, contacts, .. } = stats;
                bar.set_message(format!("step {steps}, t={time:.3} s, {contacts} contacts, {} left", span(left)));
            }
            (Form::Json, _) => say(&stats.line()),
            (Form::None, _) => (),
            _ => {
                let FrameStats { frame, time, steps, contacts, .. } = stats;
                let share = 100 * u64::from(count) / u64::from(self.frames.max(1));
                let text = format!(
                    "Progress: {share}% (frame {frame}/{last}) t={time:.3} s, {steps} steps, {contacts} contacts, {} left",
                    span(left)
                );
                if self.form == Form::Plain { say(&text) } else { self.log(Level::Info, &text) }
            }
        }
    }

    /// Wall seconds left after so many frames, from the mean of those so far.
    fn left(&self, count: u32) -> f64 {
        let spent = self.start.elapsed().as_secs_f64();
        spent / f64::from(count.saturating_sub(self.done).max(1)) * f64::from(self.frames.saturating_sub(count))
    }

    /// The run is over; clears the bar.
    pub fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// A log line; of no progress only what is worth a look.
    pub fn log(&self, level: Level, text: &str) {
        let tell = || warn(&line(level, text));
        match &self.bar {
            Some(bar) => bar.suspend(tell),
            None if self.form == Form::None && level == Level::Info => (),
            None => tell(),
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
