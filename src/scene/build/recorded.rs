//! Recorded motion of obstacles and pins, from mesh sequences, point caches, USD and Alembic files.

use super::beat::{NEAR, sampled};
use super::faults::Faults;
use super::files::{self, Wanted};
use crate::linalg::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::archive::{self, Archive, Pose};
use crate::mesh::check;
use crate::mesh::point_cache::{Clock as Count, PointCache};
use crate::scene::Scene;
use crate::scene::obstacle::{Cache, Obstacle, Sequence};
use crate::scene::place::Transform;
use crate::scene::unit::rounded;
use crate::world::Course;
use crate::world::recording::{Clock, Recorder, Recording};
use crate::world::window::Window;
use std::path::Path;

/// Context of the recorded motions of pins and handles.
#[derive(Clone, Copy)]
pub(super) struct Led<'a> {
    /// Scene of the pins and handles.
    pub scene: &'a Scene,
    /// Transform from file coordinates to the world.
    pub transform: &'a Transform,
    /// Selection of the contents of a file.
    pub wanted: Wanted<'a>,
}

/// Shapes recorded so far, and the triangles without an area in all of them.
struct Taken {
    recorder: Recorder,
    mesh: TriMesh,
    flat: Vec<bool>,
}

impl Taken {
    /// Creates an empty recording of a mesh.
    fn new(mesh: &TriMesh) -> Taken {
        Taken { recorder: Recorder::default(), mesh: mesh.clone(), flat: vec![true; mesh.triangles.len()] }
    }

    /// Adds a shape in world coordinates.
    fn add(&mut self, positions: Vec<Vec3>, key: &str, faults: &mut Faults) -> Option<()> {
        self.mesh.positions = positions;
        self.flat.iter_mut().zip(check::flat(&self.mesh)).for_each(|(flat, now)| *flat &= now);
        let added = self.recorder.add(&self.mesh.positions);
        added.map_err(|error| lost(key, &error, faults)).ok()
    }

    /// Removes the triangles that never have an area from `mesh`, which is of `file`; false if none is left.
    fn trim(&self, mesh: &mut TriMesh, scale: f64, file: &Path, faults: &mut Faults) -> bool {
        files::drop_flat(mesh, &self.flat, scale, file, faults)
    }

    /// Returns the recording of the shapes.
    fn finish(self, clock: Clock, repeat: bool, key: &str, faults: &mut Faults) -> Option<Recording> {
        self.recorder.finish(clock, repeat).map_err(|error| lost(key, &error, faults)).ok()
    }
}

fn lost(key: &str, error: &std::io::Error, faults: &mut Faults) {
    let folder = std::env::temp_dir();
    faults.fault(key, format!("its motion has no room in {}: {error}; TMPDIR names another folder", folder.display()));
}

/// Reads a sequence and returns its first mesh and its course. `key` is the path of the obstacle in the scene.
pub(super) fn sequence(
    scene: &Scene,
    obstacle: &Obstacle,
    sequence: &Sequence,
    (key, wanted): (&str, Wanted),
    faults: &mut Faults,
) -> Option<(TriMesh, Course)> {
    let files = sequence.files(&scene.folder);
    let (first, rest) = files.split_first()?;
    let mut mesh = files::noted(first, wanted, &obstacle.transform, faults)?;
    // Triangles that have an area at any time are kept.
    let mut taken = Taken::new(&mesh);
    taken.add(mesh.positions.clone(), key, faults)?;
    let mut sound = true;
    let mut reported: Vec<String> = mesh.notes.iter().map(|note| note.what.clone()).collect();
    for file in rest {
        let Some(mut next) = files::read(file, wanted, faults) else {
            sound = false;
            continue;
        };
        if next.positions.iter().flatten().any(|c| !c.is_finite()) {
            faults.in_file(file, None, None, "has coordinates that are not finite numbers");
            sound = false;
            continue;
        }
        // A note that several files have is reported once.
        for note in &next.notes {
            if !reported.contains(&note.what) {
                faults.note(file, note);
                reported.push(note.what.clone());
            }
        }
        if !next.same_faces(&mesh) {
            let (has, wants) = (next.positions.len(), mesh.positions.len());
            let message = if has == wants {
                format!("other faces than \"{}\"; all meshes of a sequence have the same", first.display())
            } else {
                format!(
                    "{has} vertices, but \"{}\" has {wants}; all meshes of a sequence have the same",
                    first.display()
                )
            };
            faults.in_file(file, None, None, message);
            sound = false;
            continue;
        }
        files::apply(&obstacle.transform, &mut next.positions);
        taken.add(next.positions, key, faults)?;
    }
    let clock = Clock::Even { start: sequence.start, interval: 1.0 / sequence.fps.unwrap_or(scene.time.fps) };
    if !taken.trim(&mut mesh, obstacle.transform.scale, first, faults) {
        return None;
    }
    let mut recording = taken.finish(clock, sequence.repeat, key, faults)?;
    if sequence.repeat && closes(&recording) {
        recording.leave_out_last();
        let [first, last] = [first, files.last()?].map(|f| f.file_name().unwrap_or_default().to_string_lossy());
        let message =
            format!("\"{last}\" is \"{first}\" again, and is left out of the loop: its time is the first one's");
        faults.warn(&format!("{key}.sequence.last"), message);
    }
    sound.then_some((mesh, Course::Recorded(recording)))
}

/// Reads a mesh with a point cache, or a USD or Alembic file. Returns the mesh, its course, and the visibility window
/// of the file.
pub(super) fn cache(
    scene: &Scene,
    obstacle: &Obstacle,
    cache: &Cache,
    (key, wanted): (&str, Wanted),
    faults: &mut Faults,
) -> Option<(TriMesh, Course, Window)> {
    let (mut mesh, mut source) = Source::open(cache, wanted, faults)?;
    mesh.notes.iter().for_each(|note| faults.note(&cache.mesh, note));
    let mut taken = Taken::new(&mesh);
    let Timed { shapes, clock, window } = source.shapes(scene, cache, &format!("{key}.cache"), faults)?;
    for k in 0..shapes {
        let mut positions = source.shape(k, &cache.mesh, faults)?;
        files::apply(&obstacle.transform, &mut positions);
        if k == 0 {
            mesh.positions.clone_from(&positions);
        }
        taken.add(positions, key, faults)?;
    }
    let repeat = cache.repeat && shapes > 1;
    if !taken.trim(&mut mesh, obstacle.transform.scale, &cache.mesh, faults) {
        return None;
    }
    let recording = taken.finish(clock, repeat, key, faults)?;
    let recording = looped(recording, &format!("{key}.cache.{}", source.name()), faults);
    Some((mesh, Course::Recorded(recording), window))
}

/// Reads the recorded positions of a pin's vertices. The file must have `count` vertices, as the mesh has. `key` is the
/// path of the pin.
pub(super) fn guide(
    cache: &Cache,
    (vertices, count): (&[u32], usize),
    Led { scene, transform, wanted }: Led,
    key: &str,
    faults: &mut Faults,
) -> Option<Recording> {
    // A file that leads vertices needs no chart, and says its up axis where its format does.
    let axis = wanted.axis.filter(|_| !archive::reads(&cache.mesh));
    let wanted = Wanted { chart: None, axis, ..wanted };
    let (mesh, mut source) = Source::open(cache, wanted, faults)?;
    let has = mesh.positions.len();
    if has != count {
        let message =
            format!("{has} vertices, but the mesh that it is to lead has {count}; they must be the same ones");
        faults.in_file(&cache.mesh, None, None, message);
        return None;
    }
    let mut recorder = Recorder::default();
    let Timed { shapes, clock, .. } = source.shapes(scene, cache, &format!("{key}.cache"), faults)?;
    for k in 0..shapes {
        let positions = source.shape(k, &cache.mesh, faults)?;
        let mut own: Vec<Vec3> = vertices.iter().map(|v| positions[*v as usize]).collect();
        files::apply(transform, &mut own);
        recorder.add(&own).map_err(|error| lost(key, &error, faults)).ok()?;
    }
    let recording =
        recorder.finish(clock, cache.repeat && shapes > 1).map_err(|error| lost(key, &error, faults)).ok()?;
    Some(looped(recording, &format!("{key}.cache.{}", source.name()), faults))
}

/// Number of shapes, their times, and their visibility window, in scene time.
struct Timed {
    shapes: usize,
    clock: Clock,
    window: Window,
}

/// Source of recorded shapes.
enum Source {
    /// PC2 or MDD file, and the positions of the mesh beside it.
    Points(PointCache, Vec<Vec3>),
    /// USD or Alembic file, and the poses that are read from it.
    Archive(Box<Archive>, Vec<Pose>),
}

impl Source {
    /// Opens a recorded file. Returns it with its mesh in file coordinates.
    fn open(cache: &Cache, wanted: Wanted, faults: &mut Faults) -> Option<(TriMesh, Source)> {
        let Some(points) = &cache.points else {
            if !wanted.goes_with(&cache.mesh, faults) {
                return None;
            }
            let open = files::archived(&cache.mesh, wanted, faults)?;
            return Some((open.mesh.clone(), Source::Archive(Box::new(open), Vec::new())));
        };
        let mesh = files::read(&cache.mesh, wanted, faults)?;
        let read = files::points(points, faults)?;
        let (has, wants) = (read.frames[0].len(), mesh.positions.len());
        if has != wants {
            let message = format!("{has} vertices, but \"{}\" has {wants}", cache.mesh.display());
            faults.in_file(points, None, None, message);
            return None;
        }
        let mut read = read;
        read.frames.iter_mut().for_each(|frame| wanted.turn(frame));
        let rest = mesh.positions.clone();
        Some((mesh, Source::Points(read, rest)))
    }

    /// Returns the key that names the recorded file.
    fn name(&self) -> &'static str {
        match self {
            Source::Points(..) => "points",
            Source::Archive(..) => "mesh",
        }
    }

    /// Selects the shapes that are read. `key` is the path of the cache.
    fn shapes(&mut self, scene: &Scene, cache: &Cache, key: &str, faults: &mut Faults) -> Option<Timed> {
        let rests = cache.from_rest && scene.time.preroll > 0;
        if cache.from_rest && !rests {
            faults.warn(&format!("{key}.from_rest"), "does nothing without time.preroll");
        }
        match self {
            Source::Points(PointCache { frames, clock }, mesh) => {
                let interval = interval(scene, cache, clock, frames.len(), key, faults);
                let start = cache.start.unwrap_or_default();
                if !rests {
                    let clock = Clock::Even { start, interval };
                    return Some(Timed { shapes: frames.len(), clock, window: Window::ALWAYS });
                }
                let times = (0..frames.len()).map(|k| start + k as f64 * interval).collect();
                let (times, shapes) =
                    from_rest(scene, times, std::mem::take(frames), std::mem::take(mesh), |a, b, f| {
                        a.iter().zip(b).map(|(a, b)| a.lerp(b, f)).collect()
                    });
                *frames = shapes;
                Some(Timed { shapes: times.len(), clock: Clock::Times(times), window: Window::ALWAYS })
            }
            Source::Archive(open, taken) => {
                if !open.changes() {
                    faults.warn(&format!("{key}.mesh"), "nothing moves in it; mesh = \"...\" is enough");
                }
                if cache.fps.is_some() && open.rate.is_none() {
                    faults.fault(&format!("{key}.fps"), "the file's samples are not at even times; leave it out");
                    return None;
                }
                let (sampled, window) = sampled(scene, cache, open, &format!("{key}.mesh"), faults);
                *taken = sampled.iter().map(|(_, time)| Pose::At(*time)).collect();
                let mut times: Vec<f64> = sampled.iter().map(|(time, _)| *time).collect();
                if rests {
                    (times, *taken) =
                        from_rest(scene, times, std::mem::take(taken), Pose::Rest, |a, b, f| match (a, b) {
                            (Pose::At(a), Pose::At(b)) => Pose::At(a + (b - a) * f),
                            _ => *a,
                        });
                }
                if !cache.repeat || times.len() < 2 {
                    return Some(Timed { shapes: times.len(), clock: Clock::Times(times), window });
                }
                let clock = even(&times);
                if clock.is_none() {
                    faults.fault(&format!("{key}.loop"), "its samples are not at even times; export one every frame");
                }
                if window != Window::ALWAYS {
                    let message =
                        "it appears or vanishes in the file, and is taken as there all the time, for it is a loop";
                    faults.warn(&format!("{key}.loop"), message);
                }
                Some(Timed { shapes: times.len(), clock: clock?, window: Window::ALWAYS })
            }
        }
    }

    /// Reads shape `k` in file coordinates.
    fn shape(&mut self, k: usize, file: &Path, faults: &mut Faults) -> Option<Vec<Vec3>> {
        match self {
            Source::Points(cache, _) => cache.frames.get_mut(k).map(std::mem::take),
            Source::Archive(open, times) => match open.pose(times[k]) {
                Ok(positions) => Some(positions),
                Err(error) => {
                    faults.in_file(file, error.line, error.column, error.what);
                    None
                }
            },
        }
    }
}

/// Removes the last shape of a loop if it equals the first.
fn looped(mut recording: Recording, key: &str, faults: &mut Faults) -> Recording {
    if recording.repeat && closes(&recording) {
        recording.leave_out_last();
        let message = "the last frame is the first again, and is left out of the loop: its time is the first one's";
        faults.warn(key, message);
    }
    recording
}

/// Replaces the samples up to the first frame by the rest shape and the shape at the first frame. The rest shape is at
/// the beginning of the preroll. Returns times and shapes. `between` interpolates two shapes.
fn from_rest<T: Clone>(
    scene: &Scene,
    times: Vec<f64>,
    shapes: Vec<T>,
    rest: T,
    between: impl Fn(&T, &T, f64) -> T,
) -> (Vec<f64>, Vec<T>) {
    let next = times.partition_point(|t| *t <= 0.0);
    let first = match (next.checked_sub(1), shapes.get(next)) {
        (Some(k), Some(after)) => between(&shapes[k], after, -times[k] / (times[next] - times[k])),
        (Some(k), None) => shapes[k].clone(),
        (None, _) => shapes[0].clone(),
    };
    let mut all = (vec![-scene.time.shot().lead, 0.0], vec![rest, first]);
    all.0.extend_from_slice(&times[next..]);
    all.1.extend_from_slice(&shapes[next..]);
    all
}

/// Returns a clock with even intervals, or `None` if the times are not evenly spaced.
fn even(times: &[f64]) -> Option<Clock> {
    let (first, last) = (*times.first()?, *times.last()?);
    let interval = (last - first) / (times.len() - 1).max(1) as f64;
    let off = |(k, t): (usize, &f64)| (t - first - k as f64 * interval).abs() > NEAR * interval;
    (interval > 0.0 && !times.iter().enumerate().any(off)).then_some(Clock::Even { start: first, interval })
}

/// Returns the time between frames of a cache [s]. Warns if this time or the start differs from that in the file.
fn interval(scene: &Scene, cache: &Cache, clock: &Count, count: usize, key: &str, faults: &mut Faults) -> f64 {
    let (key, of_scene) = (format!("{key}.points"), scene.time.fps);
    let reported = clock.interval(of_scene);
    let taken = cache.fps.map(|fps| 1.0 / fps).or(reported).unwrap_or(1.0 / of_scene);
    let first = clock.first(of_scene);
    // Files count frames from 0, or as the scene does.
    let usual = |from: f64| (first - from).abs() < 0.01;
    if cache.start.is_none() && !usual(0.0) && !usual(f64::from(scene.time.start_frame)) {
        let from_scene = (first - f64::from(scene.time.start_frame)) / of_scene;
        let message = format!(
            "its first frame is number {}, which is taken to be at 0 s; give cache.start, {} s if it counts as the scene does",
            rounded(first),
            rounded(from_scene)
        );
        faults.warn(&key, message);
    }
    if count < 2 {
        return taken;
    }
    if let Some([least, most]) = clock.uneven() {
        let message = format!(
            "its frames are {} to {} s apart, and are taken to be {} s apart, evenly",
            rounded(least),
            rounded(most),
            rounded(taken)
        );
        faults.warn(&key, message);
    } else if reported.is_none() {
        let message = format!("says no time from frame to frame that could be; it is taken to be {} s", rounded(taken));
        faults.warn(&key, message);
    } else if let (Count::Frames { rate, .. }, Some(fps)) = (clock, cache.fps)
        && *rate != 1.0
    {
        let message = format!(
            "the file has a frame every {} frames; fps = {} is taken to count those that it has",
            rounded(*rate),
            rounded(fps)
        );
        faults.warn(&key, message);
    }
    taken
}

/// Returns whether the last pose of a loop equals the first. Their distance is less than a hundredth of the mean
/// displacement from pose to pose.
fn closes(recording: &Recording) -> bool {
    let ways = recording.ways();
    let Some((last, between)) = ways.split_last() else { return false };
    let mean = between.iter().sum::<f64>() / between.len().max(1) as f64;
    recording.count() > 2 && *last < 0.01 * mean
}
