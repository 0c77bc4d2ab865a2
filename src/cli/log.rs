//! Log lines on standard error: time, level, text.

use super::warn;
use std::time::{SystemTime, UNIX_EPOCH};

/// Severity of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Progress.
    Info,
    /// Warning.
    Warning,
    /// Reason of a failure.
    Error,
}

/// Writes a line such as `2026-03-01T12:00:00Z info frame 3/6`. The time is UTC.
pub fn log(level: Level, text: &str) {
    warn(&line(level, text));
}

/// Returns the line that [`log`] writes.
pub fn line(level: Level, text: &str) -> String {
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
