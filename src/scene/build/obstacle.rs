//! `[[obstacle]]` as a world takes it: files, shapes by formula, sequences.

use super::faults::Faults;
use super::files;
use crate::linalg::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::check::{self, FaultKind, Severity};
use crate::mesh::generate;
use crate::mesh::point_cache::{self, Clock, PointCache};
use crate::scene::Scene;
use crate::scene::obstacle::{Cache, Obstacle, Sequence, Shape};
use crate::scene::unit::rounded;
use crate::world::Course;
use crate::world::build::ObstacleInput;

/// Longest edge of a sphere's triangles, as a part of its radius: about 7,000 triangles, at most 0.1 % of the radius deep.
const SPHERE_EDGE: f64 = 0.078;
/// Longest edge of a capsule's triangles, as a part of its radius.
const CAPSULE_EDGE: f64 = 0.2;
/// Longest edge of a box's triangles, as a part of its longest side.
const BOX_EDGE: f64 = 0.25;
/// Longest edge of a plane's triangles, as a part of its size: its two halves.
const PLANE_EDGE: f64 = 1.5;

/// An obstacle with its mesh in the world; `key` is its path in the scene.
pub fn input(scene: &Scene, obstacle: &Obstacle, key: &str, faults: &mut Faults) -> Option<ObstacleInput> {
    let rigid = Course::Rigid(obstacle.motion.clone());
    let object = format!("{key}.object");
    let object = obstacle.object.as_deref().map(|name| (name, object.as_str()));
    let edge = |usual: f64| obstacle.resolution.unwrap_or(usual);
    let (mut mesh, course) = match &obstacle.shape {
        Shape::Mesh(file) => {
            let mesh = files::loose(file, object, &obstacle.transform, faults)?;
            let levels = vec![obstacle.subdivide; mesh.triangles.len()];
            (files::subdivided(mesh, &levels, &format!("{key}.subdivide"), faults)?, rigid)
        }
        Shape::Sequence(sequence) => recorded(scene, obstacle, sequence, (key, object), faults)?,
        Shape::Cache(cache) => cached(scene, obstacle, cache, key, faults)?,
        Shape::Sphere(ball) => (generate::sphere(ball.center, ball.radius, edge(SPHERE_EDGE * ball.radius)), rigid),
        Shape::Box(block) => {
            let half = block.size / 2.0;
            let mut mesh = generate::cuboid(-half, half, edge(BOX_EDGE * block.size.max()));
            block.turn(&mut mesh.positions);
            (mesh, rigid)
        }
        Shape::Plane(plane) => {
            let normal = plane.normal.map_or(scene.upwards(), |n| n.into_inner());
            (generate::plane(plane.point, normal, plane.size / 2.0, edge(PLANE_EDGE * plane.size)), rigid)
        }
        Shape::Capsule(capsule) => {
            let edge = edge(CAPSULE_EDGE * capsule.radius);
            (generate::capsule(capsule.a, capsule.b, capsule.radius, edge), rigid)
        }
    };
    if !obstacle.shape.of_files() {
        files::apply(&obstacle.transform, &mut mesh.positions);
        let wrong = |kind| kind != FaultKind::AbsurdScale;
        if let Some(fault) = check::check(&mesh).into_iter().find(|f| f.severity == Severity::Error && wrong(f.kind)) {
            faults.fault(key, format!("no sound mesh comes of this shape: {}", fault.message));
            return None;
        }
    }
    let Obstacle { name, friction, thickness, .. } = obstacle;
    let (friction, thickness) = (*friction, *thickness);
    Some(ObstacleInput { name: name.clone(), mesh, course, friction, thickness, window: obstacle.window() })
}

/// First mesh and course of a sequence; `key` is the path of the obstacle in the scene.
fn recorded(
    scene: &Scene,
    obstacle: &Obstacle,
    sequence: &Sequence,
    (key, object): (&str, files::Wanted),
    faults: &mut Faults,
) -> Option<(TriMesh, Course)> {
    let files = sequence.files(&scene.folder);
    let (first, rest) = files.split_first()?;
    let mut mesh = files::noted(first, object, &obstacle.transform, faults)?;
    // What has an area at some time stays.
    let mut flat = check::flat(&mesh);
    let mut frames: Vec<Vec<Vec3>> = vec![mesh.positions.clone()];
    let mut sound = true;
    let mut told: Vec<String> = mesh.notes.iter().map(|note| note.what.clone()).collect();
    for file in rest {
        let Some(mut next) = files::read(file, object, faults) else {
            sound = false;
            continue;
        };
        if next.positions.iter().flatten().any(|c| !c.is_finite()) {
            faults.in_file(file, None, None, "has coordinates that are not finite numbers");
            sound = false;
            continue;
        }
        // What all files have in common is told once.
        for note in &next.notes {
            if !told.contains(&note.what) {
                faults.note(file, note);
                told.push(note.what.clone());
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
        next.triangles.clone_from(&mesh.triangles);
        let now = check::flat(&next);
        flat.iter_mut().zip(now).for_each(|(flat, now)| *flat &= now);
        frames.push(next.positions);
    }
    sound &= files::drop_flat(&mut mesh, &flat, first, faults);
    let (interval, start, repeat) = (1.0 / sequence.fps.unwrap_or(scene.time.fps), sequence.start, sequence.repeat);
    if repeat && closes(&frames) {
        frames.pop();
        let [first, last] = [first, files.last()?].map(|f| f.file_name().unwrap_or_default().to_string_lossy());
        let message =
            format!("\"{last}\" is \"{first}\" again, and is left out of the loop: its time is the first one's");
        faults.warn(&format!("{key}.sequence.last"), message);
    }
    sound.then_some((mesh, Course::Sequence { frames, interval, start, repeat }))
}

/// Mesh and course of a point cache.
fn cached(
    scene: &Scene,
    obstacle: &Obstacle,
    cache: &Cache,
    key: &str,
    faults: &mut Faults,
) -> Option<(TriMesh, Course)> {
    let mut mesh = files::noted(&cache.mesh, None, &obstacle.transform, faults)?;
    let bytes = files::bytes(&cache.points, faults)?;
    let PointCache { mut frames, clock } = match point_cache::read(&bytes) {
        Ok(read) => read,
        Err(message) => {
            faults.in_file(&cache.points, None, None, message);
            return None;
        }
    };
    let (has, wants) = (frames[0].len(), mesh.positions.len());
    if has != wants {
        let message = format!("{has} vertices, but \"{}\" has {wants}", cache.mesh.display());
        faults.in_file(&cache.points, None, None, message);
        return None;
    }
    let mut flat = vec![true; mesh.triangles.len()];
    for frame in &mut frames {
        files::apply(&obstacle.transform, frame);
        mesh.positions.clone_from(frame);
        flat.iter_mut().zip(check::flat(&mesh)).for_each(|(flat, now)| *flat &= now);
    }
    mesh.positions.clone_from(&frames[0]);
    if !files::drop_flat(&mut mesh, &flat, &cache.mesh, faults) {
        return None;
    }
    let interval = interval(scene, cache, &clock, frames.len(), key, faults);
    let (start, repeat) = (cache.start.unwrap_or_default(), cache.repeat);
    if repeat && closes(&frames) {
        frames.pop();
        let message = "the last frame is the first again, and is left out of the loop: its time is the first one's";
        faults.warn(&format!("{key}.cache.points"), message);
    }
    Some((mesh, Course::Sequence { frames, interval, start, repeat }))
}

/// Time from frame to frame of a cache; where its own times are not as they are taken, that is told.
fn interval(scene: &Scene, cache: &Cache, clock: &Clock, count: usize, key: &str, faults: &mut Faults) -> f64 {
    let (key, of_scene) = (format!("{key}.cache.points"), scene.time.fps);
    let told = clock.interval(of_scene);
    let taken = cache.fps.map(|fps| 1.0 / fps).or(told).unwrap_or(1.0 / of_scene);
    let first = clock.first(of_scene);
    // Files count from 0, or as the scene does.
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
    } else if told.is_none() {
        let message = format!("says no time from frame to frame that could be; it is taken to be {} s", rounded(taken));
        faults.warn(&key, message);
    } else if let (Clock::Frames { rate, .. }, Some(fps)) = (clock, cache.fps)
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

/// The last pose of a loop is the first one again: they are apart by less than a hundredth of the mean way from pose to pose.
fn closes(frames: &[Vec<Vec3>]) -> bool {
    let [first, .., last] = frames else { return false };
    let ways: Vec<f64> = frames.windows(2).map(|pair| way(&pair[0], &pair[1])).collect();
    let mean = ways.iter().sum::<f64>() / ways.len() as f64;
    frames.len() > 2 && way(last, first) < 0.01 * mean
}

/// Longest way of a vertex from a pose to another [m].
fn way(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (b - a).norm()).fold(0.0, f64::max)
}
