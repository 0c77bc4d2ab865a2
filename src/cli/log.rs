//! Log lines on standard error: time, level, text. A run writes them into its folder too.

use super::{tell, text};
use crate::sequence::{DiskError, Folder};
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Most lines that wait for the run folder.
const WAITING: usize = 1000;

/// Log of the run folder.
static KEPT: Mutex<Kept> = Mutex::new(Kept::Off);

/// State of the log of the run folder.
enum Kept {
    /// No run.
    Off,
    /// Lines of a run that has no folder yet.
    Waiting(Vec<String>),
    /// File of the run.
    Open(File),
}

fn kept() -> MutexGuard<'static, Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins to collect the lines of a run.
pub(super) fn begin() {
    *kept() = Kept::Waiting(Vec::new());
}

/// Opens the log of the run folder, and writes the lines so far to it.
///
/// # Errors
/// The disk refuses.
pub(super) fn open(folder: &Folder) -> Result<(), DiskError> {
    let mut kept = kept();
    if let Kept::Waiting(lines) = &*kept {
        let mut file = folder.open_log()?;
        lines.iter().for_each(|line| write(&mut file, line));
        *kept = Kept::Open(file);
    }
    Ok(())
}

/// Writes the exit code as the last line, and closes the log.
pub(super) fn close(code: u8) {
    keep(Level::Info, &format!("ends with exit code {code}"));
    *kept() = Kept::Off;
}

/// Writes a line to the log of the run folder only.
pub(super) fn keep(level: Level, text: &str) {
    keep_line(&line(level, text));
}

fn keep_line(line: &str) {
    match &mut *kept() {
        Kept::Off => (),
        Kept::Waiting(lines) if lines.len() < WAITING => lines.push(line.to_string()),
        Kept::Waiting(_) => (),
        Kept::Open(file) => write(file, line),
    }
}

/// Appends a line. A run whose log cannot be written goes on, since its results may still be.
fn write(file: &mut File, line: &str) {
    let _ = file.write_all(format!("{}\n", text::line(line)).as_bytes());
}

/// Severity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Progress.
    Info,
    /// Warning.
    Warning,
    /// Reason of a failure.
    Error,
}

/// Writes a line such as `2026-03-01T12:00:00Z info frame 3/6`. The time is UTC.
pub(super) fn log(level: Level, text: &str) {
    let line = line(level, text);
    tell(&line);
    keep_line(&line);
}

/// Returns the line that [`log`] writes.
pub(super) fn line(level: Level, text: &str) -> String {
    let word = match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    format!("{} {word} {text}", stamp(seconds))
}

/// Formats seconds since 1970 as date and time.
fn stamp(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March, so that a leap day is the last day of its year. An era has 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::stamp;

    #[test]
    fn seconds_are_dates() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, wanted) in cases {
            assert_eq!(stamp(seconds), wanted);
        }
    }
}
