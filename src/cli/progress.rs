//! Progress of a run: a bar, log lines, plain lines, JSON lines, or none. Standard output has only the requested lines.

use super::log::{self, Level};
use super::say;
use crate::sequence::{FrameStats, Run, event};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Form of progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// A bar on a terminal, else log lines; on standard error
    Auto,
    /// A bar, on standard error
    Bar,
    /// A line a frame that a farm reads, on standard output
    Plain,
    /// A line of JSON for the start, each frame and the end, on standard output
    Json,
    /// Nothing
    None,
    /// Log lines.
    #[value(skip)]
    Log,
}

/// Reports the progress of a run.
pub(super) struct Progress {
    form: Form,
    bar: Option<ProgressBar>,
    first: u32,
    frames: u32,
    ends: RefCell<Ends>,
}

/// End times of the last frames, those of the preroll included.
struct Ends(VecDeque<Instant>);

impl Ends {
    /// Number of frames whose mean predicts the remaining time.
    const MEAN: usize = 10;

    fn new() -> Ends {
        Ends(VecDeque::from([Instant::now()]))
    }

    fn frame(&mut self, now: Instant) {
        self.0.push_back(now);
        if self.0.len() > Ends::MEAN + 1 {
            self.0.pop_front();
        }
    }

    /// Estimates the time that so many frames take [s]; `None` before a frame has been timed.
    fn of(&self, frames: u32) -> Option<f64> {
        let timed = (self.0.len() - 1) as f64;
        match (self.0.front(), self.0.back()) {
            _ if frames == 0 => Some(0.0),
            (Some(first), Some(last)) if timed > 0.0 => {
                Some((*last - *first).as_secs_f64() / timed * f64::from(frames))
            }
            _ => None,
        }
    }
}

impl Progress {
    /// Reports the progress of `frames` frames from number `first` on.
    pub(super) fn new(form: Form, first: u32, frames: u32) -> Progress {
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
        Progress { form, bar, first, frames, ends: RefCell::new(Ends::new()) }
    }

    /// Reports that a run begins or goes on.
    pub(super) fn begin(&self, run: &Run, preroll: u32) {
        if self.form == Form::Json {
            say(&event::start(run, preroll));
        }
    }

    /// Reports a written frame.
    pub(super) fn frame(&self, stats: &FrameStats, steps: u64) {
        let count = (stats.frame + 1).saturating_sub(self.first);
        let mut ends = self.ends.borrow_mut();
        if stats.steps > 0 {
            ends.frame(Instant::now());
        } else {
            *ends = Ends::new();
        }
        let left = ends.of(self.frames.saturating_sub(count));
        drop(ends);
        let last = self.first + self.frames.saturating_sub(1);
        match (self.form, &self.bar) {
            (Form::Bar, Some(bar)) => {
                bar.set_position(u64::from(count));
                bar.set_prefix(format!("{}/{last}", stats.frame));
                let FrameStats { time, contacts, .. } = stats;
                bar.set_message(format!("step {steps}, t={time:.3} s, {contacts} contacts{}", told(left)));
            }
            (Form::Json, _) => say(&event::frame(stats, left)),
            _ => (),
        }
        let FrameStats { frame, time, steps, contacts, .. } = stats;
        let share = 100 * u64::from(count) / u64::from(self.frames.max(1));
        let text = format!(
            "Progress: {share}% (frame {frame}/{last}) t={time:.3} s, {steps} steps, {contacts} contacts{}",
            told(left)
        );
        match self.form {
            Form::Log => log::log(Level::Info, &text),
            Form::Plain => {
                say(&text);
                log::keep(Level::Info, &text);
            }
            _ => log::keep(Level::Info, &text),
        }
    }

    /// Reports that frame `frame` of the preroll's `of` frames has ended.
    pub(super) fn preroll(&self, frame: u32, of: u32) {
        let mut ends = self.ends.borrow_mut();
        ends.frame(Instant::now());
        let left = ends.of(of - frame + self.frames.saturating_sub(1));
        drop(ends);
        let text = format!("preroll: {frame} of {of} frames{}", told(left));
        if let Some(bar) = &self.bar {
            bar.set_prefix(format!("{frame}/{of} of the preroll"));
            bar.set_message(left.map_or_else(String::new, |left| format!("{} left", span(left))));
            return log::keep(Level::Info, &text);
        }
        if self.form == Form::Json {
            say(&event::preroll(frame, of, left));
        }
        self.log(Level::Info, &text);
    }

    /// Clears the bar at the end of the run.
    pub(super) fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Writes a log line. Without progress, only warnings and errors are printed.
    pub(super) fn log(&self, level: Level, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| log::log(level, text)),
            None if self.form == Form::None && level == Level::Info => log::keep(level, text),
            None => log::log(level, text),
        }
    }
}

/// Formats the time that is left, after a comma. The first frame costs nothing, so that nothing is known after it.
fn told(left: Option<f64>) -> String {
    left.map_or_else(String::new, |left| format!(", {} left", span(left)))
}

/// Formats seconds as `12 s`, `3 min 5 s` or `2 h 4 min`.
pub(super) fn span(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow frames of a preroll do not affect the estimate ten frames later, when frames are quick.
    #[test]
    fn the_last_frames_tell_what_is_left() {
        let start = Instant::now();
        let mut ends = Ends(VecDeque::from([start]));
        let mut now = start;
        for _ in 0..120 {
            now += Duration::from_millis(60);
            ends.frame(now);
        }
        assert!((ends.of(40).unwrap() - 2.4).abs() < 1e-9);
        for _ in 0..10 {
            now += Duration::from_millis(20);
            ends.frame(now);
        }
        assert!((ends.of(30).unwrap() - 0.6).abs() < 1e-9);
        assert_eq!([0, 30].map(|frames| Ends::new().of(frames)), [Some(0.0), None]);
    }

    #[test]
    fn spans_are_short() {
        assert_eq!([0.4, 59.4, 61.0, 3600.0, 7500.0].map(span), ["0 s", "59 s", "1 min 1 s", "1 h 0 min", "2 h 5 min"]);
    }
}
