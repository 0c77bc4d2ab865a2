//! When the shapes of a USD or Alembic file are, and are visible, in the scene's time: by the numbers of frames.

use super::faults::Faults;
use crate::mesh::archive::{self, Archive};
use crate::scene::Scene;
use crate::scene::obstacle::Cache;
use crate::scene::unit::number;
use crate::world::window::Window;
use std::path::Path;

/// Where a file counts frames of the scene within so much of one, it is meant so.
pub const NEAR: f64 = 0.01;

/// The samples that the run sees: times of the scene and of the file [s]; and when it sees them. Where something turns there is a sample at
/// each frame of the scene, too, for between samples it leaves the straight line.
pub fn sampled(
    scene: &Scene,
    cache: &Cache,
    open: &Archive,
    key: &str,
    faults: &mut Faults,
) -> (Vec<(f64, f64)>, Window) {
    let fps = scene.time.fps;
    // Seconds of the scene in a second of the file.
    let pace = open.rate.zip(cache.fps).map_or(1.0, |(rate, fps)| rate / fps);
    // A file in which nothing moves may still say when it is visible.
    let mut shown = open.shown.into_iter().filter(|t| t.is_finite());
    let first = open.times.first().copied().or_else(|| shown.clone().next());
    let last = open.times.last().copied().or_else(|| shown.next_back());
    let Some((first, last)) = first.zip(last) else { return (vec![(0.0, 0.0)], Window::ALWAYS) };
    if let Some(message) = open.rate.filter(|_| cache.fps.is_none()).and_then(|rate| off_beat(rate, fps, &cache.mesh)) {
        faults.warn(key, message);
    }
    // Frames of the scene by their numbers, in seconds of the file.
    let number = f64::from(scene.time.start_frame);
    let [zero, end] = [scene.time.start_frame, scene.time.last_frame()].map(|frame| f64::from(frame) / fps / pace);
    let margin = NEAR / fps / pace;
    let start = match cache.start {
        Some(start) => start,
        // In frames, which are whole numbers, so that a later start of the run gives the same bits.
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
        let near = |t: f64, all: &[(f64, f64)]| all.iter().any(|(own, _)| (own - t).abs() < margin * pace);
        let between: Vec<(f64, f64)> = times.filter(|t| !near(*t, &all)).map(|t| (t, to_file(t))).collect();
        all.extend(between);
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    if cache.repeat {
        return (all, window);
    }
    // One before the start and one after the end are enough.
    let begin = all.partition_point(|(t, _)| *t <= -scene.time.shot().lead).saturating_sub(1);
    let after = all.partition_point(|(t, _)| *t < scene.time.end());
    (all[begin..(after + 1).min(all.len())].to_vec(), window)
}

/// How samples of a file are not at the scene's frames, with what puts them there.
fn off_beat(rate: f64, fps: f64, file: &Path) -> Option<String> {
    let advice = format!("give cache.fps = {}", number(fps));
    // Of times in seconds a rate comes back with rounding in it.
    let number = |rate: f64| number((rate * 1e6).round() / 1e6);
    if !archive::is_alembic(file) {
        let says = format!(
            "has {0} time codes a second, and the scene {1} frames: a time code lasts 1/{0} s",
            number(rate),
            number(fps)
        );
        return ((rate - fps).abs() > NEAR).then(|| format!("{says}. For a time code a frame {advice}"));
    }
    // Several samples a frame, or one every few frames.
    let ratio = if rate < fps { fps / rate } else { rate / fps };
    let says = format!(
        "has {} samples a second, and the scene {} frames: they are at other times than frames",
        number(rate),
        number(fps)
    );
    ((ratio - ratio.round()).abs() * fps > NEAR).then(|| format!("{says}. For a sample a frame {advice}"))
}

/// A number of frames without rounding.
fn whole(frames: f64) -> f64 {
    if (frames - frames.round()).abs() < 1e-6 { frames.round() } else { frames }
}
