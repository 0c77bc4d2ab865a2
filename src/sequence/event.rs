//! Progress of a run as lines of JSON: its start, the frames of its preroll, each frame, its end.

use super::manifest::Run;
use super::stats::FrameStats;
use serde_json::{Value, json};

/// Returns the line of a run that begins or goes on.
pub fn start(run: &Run, preroll: u32) -> String {
    json!({
        "event": "start",
        "version": run.version,
        "scene": run.scene,
        "folder": run.folder,
        "start_frame": run.first,
        "frames": run.frames,
        "frames_done": run.done,
        "preroll": preroll,
        "threads": run.threads,
    })
    .to_string()
}

/// Returns the line of a simulated frame of the preroll. `left` is the time to the end of the run [s].
pub fn preroll(done: u32, of: u32, left: Option<f64>) -> String {
    json!({ "event": "preroll", "done": done, "preroll": of, "seconds_left": left.map(rounded) }).to_string()
}

/// Returns the line of a frame: its statistics, and the time to the end of the run, if it is known [s].
pub fn frame(stats: &FrameStats, left: Option<f64>) -> String {
    let line = stats.line();
    let Ok(Value::Object(mut all)) = serde_json::from_str(&line) else { return line };
    all.insert("event".to_string(), json!("frame"));
    all.insert("seconds_left".to_string(), json!(left.map(rounded)));
    Value::Object(all).to_string()
}

/// Returns the last line: the exit code, and the reason of a failure or stop.
pub fn end(code: u8, reason: Option<&str>) -> String {
    json!({ "event": "end", "code": code, "reason": reason }).to_string()
}

/// Rounds to a tenth of a second.
fn rounded(seconds: f64) -> f64 {
    (seconds.max(0.0) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_single_and_read_back() {
        let stats = FrameStats { frame: 7, steps: 3, ..FrameStats::default() };
        let line = frame(&stats, Some(12.345));
        assert_eq!(FrameStats::parse(&line).map(|read| (read.frame, read.steps)), Some((7, 3)));
        let all: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((&all["event"], &all["seconds_left"]), (&json!("frame"), &json!(12.3)));
        let last: Value = serde_json::from_str(&end(2, Some("two\nlines"))).unwrap();
        assert_eq!(last, json!({ "event": "end", "code": 2, "reason": "two\nlines" }));
        assert!(!end(2, Some("two\nlines")).contains('\n') && end(0, None).contains("\"reason\":null"));
        assert!(!preroll(1, 4, None).contains("\"frame\""));
    }
}
