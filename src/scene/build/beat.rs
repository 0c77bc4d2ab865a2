//! Conversion of the sample times and the visibility of USD and Alembic files to scene time, by frame numbers.

use super::faults::Faults;
use crate::mesh::archive::{self, Archive};
use crate::scene::Scene;
use crate::scene::obstacle::Cache;
use crate::scene::unit::number;
use crate::world::window::Window;
use std::path::Path;

/// Tolerance within which samples of a file match frames of the scene, relative to a frame.
pub(super) const NEAR: f64 = 0.01;

/// Rounding error of frame numbers, in frames.
const WHOLE: f64 = 1e-6;

/// Returns the samples within the run, as times of the scene and of the file [s], and the visibility window. If
/// anything rotates, each frame of the scene has a sample too. Rotating vertices leave the straight line between
/// samples.
pub(super) fn sampled(
    scene: &Scene,
    cache: &Cache,
    open: &Archive,
    key: &str,
    faults: &mut Faults,
) -> (Vec<(f64, f64)>, Window) {
    let fps = scene.time.fps;
    // A file without motion may still have a visibility window.
    let mut shown = open.shown.into_iter().filter(|t| t.is_finite());
    let first = open.times.first().copied().or_else(|| shown.clone().next());
    let last = open.times.last().copied().or_else(|| shown.next_back());
    let Some((first, last)) = first.zip(last) else { return (vec![(0.0, 0.0)], Window::ALWAYS) };
    // Seconds of the scene per second of the file.
    let pace = match (open.rate, cache.fps) {
        (Some(rate), Some(fps)) => rate / fps,
        (Some(rate), None) => in_step(rate, fps, &cache.mesh)
            .filter(|pace| (pace - 1.0).abs() * last.abs().max(first.abs()) * fps > WHOLE)
            .unwrap_or(1.0),
        _ => 1.0,
    };
    if let Some(message) = open.rate.filter(|_| cache.fps.is_none()).and_then(|rate| off_beat(rate, fps, &cache.mesh)) {
        faults.warn(key, message);
    }
    // Times of the scene's first and last frame by number, in seconds of the file.
    let number = f64::from(scene.time.start_frame);
    let [zero, end] = [scene.time.start_frame, scene.time.last_frame()].map(|frame| f64::from(frame) / fps / pace);
    let margin = NEAR / fps / pace;
    let start = match cache.start {
        Some(start) => start,
        // Frame numbers are whole numbers. A later start of the run therefore gives the same bits.
        None if open.times.is_empty() || first - margin <= end && zero <= last + margin => {
            (whole(first * pace * fps) - number) / fps
        }
        None => {
            let [from, to] = [first, last].map(|t| whole(t * pace * fps));
            let message = format!(
                "its samples are at frames {from} to {to}, none of which is in the scene: the first is taken to be at {number}. \
                 Give time.start_frame = {}, or cache.start",
                from.round()
            );
            faults.warn(key, message);
            0.0
        }
    };
    let to_scene = |t: f64| start + (t - first) * pace;
    let at_frame = |t: f64| whole(to_scene(t) * fps) / fps;
    let window = Window { from: at_frame(open.shown[0]), until: at_frame(open.shown[1]) };
    if !(window.from < scene.time.end() && -scene.time.shot().lead <= window.until) {
        faults.warn(key, "it is visible at no frame of the scene");
    }
    if open.times.is_empty() {
        return (vec![(0.0, 0.0)], window);
    }
    let mut all: Vec<(f64, f64)> = open.times.iter().map(|t| (to_scene(*t), *t)).collect();
    if open.turns && !cache.repeat {
        let to_file = |t: f64| first + (t - start) / pace;
        let frames = 0..scene.time.frames;
        let times = frames.map(|k| f64::from(k) / fps).filter(|t| *t > to_scene(first) && *t < to_scene(last));
        let near = |t: f64, all: &[(f64, f64)]| all.iter().any(|(own, _)| (own - t).abs() < WHOLE / fps);
        let between: Vec<(f64, f64)> = times.filter(|t| !near(*t, &all)).map(|t| (t, to_file(t))).collect();
        all.extend(between);
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    if cache.repeat {
        return (all, window);
    }
    // A sample before the start and another after the end are enough.
    let begin = all.partition_point(|(t, _)| *t <= -scene.time.shot().lead).saturating_sub(1);
    let after = all.partition_point(|(t, _)| *t < scene.time.end());
    (all[begin..(after + 1).min(all.len())].to_vec(), window)
}

/// Returns the seconds of the scene per second of the file if their rates differ by rounding alone, as 23.976 and
/// 24000/1001 do.
fn in_step(rate: f64, fps: f64, file: &Path) -> Option<f64> {
    if off_beat(rate, fps, file).is_some() {
        return None;
    }
    Some(if rate < fps { rate / fps * (fps / rate).round() } else { rate / fps / (rate / fps).round() })
}

/// Describes how the samples of a file miss the scene's frames, with a correction. Returns `None` if they match.
fn off_beat(rate: f64, fps: f64, file: &Path) -> Option<String> {
    let advice = format!("give cache.fps = {}", number(fps));
    // A rate from times in seconds has rounding errors.
    let number = |rate: f64| number((rate * 1e6).round() / 1e6);
    if !archive::is_alembic(file) {
        let says = format!(
            "has {0} time codes a second, and the scene {1} frames: a time code lasts 1/{0} s",
            number(rate),
            number(fps)
        );
        return ((rate - fps).abs() > NEAR).then(|| format!("{says}. For a time code a frame {advice}"));
    }
    // Several samples per frame match, and so does a sample every few frames.
    let ratio = if rate < fps { fps / rate } else { rate / fps };
    let says = format!(
        "has {} samples a second, and the scene {} frames: they are at other times than frames",
        number(rate),
        number(fps)
    );
    ((ratio - ratio.round()).abs() * fps > NEAR).then(|| format!("{says}. For a sample a frame {advice}"))
}

/// Removes the rounding error of a frame number.
fn whole(frames: f64) -> f64 {
    if (frames - frames.round()).abs() < WHOLE { frames.round() } else { frames }
}
