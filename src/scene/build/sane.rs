//! Plausibility checks: extreme sizes and speeds, leaps between poses, and motion outside the run. Prescribed motion
//! faster than `REFUSED` is an error; the other checks give warnings.

use super::faults::Faults;
use super::{files, threads};
use crate::force::drag::Drag;
use crate::linalg::Vec3;
use crate::scene::unit::{self, rounded as about};
use crate::scene::{Cloth, Obstacle, Scene};
use crate::world::build::{BodyInput, ClothInput, Input, ObstacleInput, mean_edge};
use crate::world::motion::Motion;
use crate::world::recording::{Clock, Recording};
use crate::world::{Course, Handle, Pin};

/// Speed above which a warning is given [m/s].
const FAST: f64 = 100.0;
/// Speed above which prescribed motion is an error [m/s].
const REFUSED: f64 = 1000.0;
/// Acceleration of gravity above which a warning is given [m/s^2].
const HEAVY: f64 = 100.0;
/// Bounding box diagonals [m] below which cloths and bodies, and above which obstacles, get a warning. Obstacles of up
/// to 100 times the largest cloth or body get none.
const SIZES: [f64; 2] = [0.01, 100.0];
/// Ratio of motion to run duration above which whole-number times get a warning. Such times are probably frames or
/// milliseconds.
const LONG: f64 = 5.0;
/// Ratio of the speed between poses to the neighbouring speeds above which a leap is reported.
const LEAP: f64 = 8.0;
/// Displacement between poses above which a leap is reported, relative to the size of the shape.
const FAR: f64 = 2.0;
/// Duration of a run from which an undamped cloth is reported [s]. In air a cloth comes to rest in 2 to 4 s.
const SWAYS: f64 = 2.0;
/// Number of intervals between two keyframes in which the speed is measured.
const BETWEEN: u32 = 8;

/// Checks all objects of a scene. All of them were read without errors.
pub(super) fn tell(scene: &Scene, (cloths, bodies, obstacles): Inputs, faults: &mut Faults) {
    weather(scene, faults);
    if cloths.iter().all(|c| c.drag == Drag::default()) && bodies.iter().all(|b| b.drag == 0.0) && blows(scene) {
        faults.warn("wind", "moves nothing: no cloth or body has air_drag");
    }
    if scene.contact.epsilon.is_some() {
        faults.warn("contact.method", "the vertex test lets triangles cross: no frame of this run is proven");
    }
    let mut largest: f64 = 0.0;
    for (k, (input, described)) in cloths.iter().zip(&scene.cloths).enumerate() {
        let (key, x) = (format!("cloth[{k}]"), &input.mesh.positions);
        largest = largest.max(sized(x, described.transform.scale, &key, faults));
        thrown(&input.velocity, &key, faults);
        thick(input, &key, faults);
        threads::tell(input, &key, faults);
        held(scene, x, (&input.pins, &input.handles), &key, faults);
        sways(scene, input, &key, faults);
    }
    for (k, (input, described)) in bodies.iter().zip(&scene.bodies).enumerate() {
        let (key, x) = (format!("body[{k}]"), &input.mesh.positions);
        largest = largest.max(sized(x, described.transform.scale, &key, faults));
        thrown(&input.velocity, &key, faults);
        held(scene, x, (&input.pins, &input.handles), &key, faults);
    }
    for (k, (input, described)) in obstacles.iter().zip(&scene.obstacles).enumerate() {
        obstacle(scene, (input, described), &format!("obstacle[{k}]"), largest, faults);
    }
}

/// Checks an obstacle. `largest` is the size of the largest cloth or body [m].
fn obstacle(
    scene: &Scene,
    (input, described): (&ObstacleInput, &Obstacle),
    key: &str,
    largest: f64,
    faults: &mut Faults,
) {
    let x = &input.mesh.positions;
    let size = size(x);
    if described.from >= scene.time.end() && scene.time.frames > 1 {
        faults.warn(&format!("{key}.from"), format!("{} s; {}", about(described.from), unseen(scene)));
    }
    let file = described.shape.file().map(|f| f.as_path());
    let worn = |cloth: &&Cloth| {
        Some(cloth.file()) == file
            && cloth.object.is_some()
            && described.object.is_none()
            && described.objects.is_empty()
    };
    if let Some(cloth) = scene.cloths.iter().find(worn) {
        let message = format!("all meshes of the file, that of the cloth '{}' among them; name its own", cloth.name);
        faults.warn(&format!("{key}.object"), message);
    }
    if described.shape.of_files() && size > SIZES[1].max(100.0 * largest) {
        let scaled = files::rescaled(size, described.transform.scale);
        let message = format!("measures {} m from corner to corner; lengths are in metres; {scaled}", about(size));
        faults.warn(key, message);
    }
    match &input.course {
        Course::Rigid(motion) => {
            moved(scene, motion, x, [f64::NEG_INFINITY, f64::INFINITY], key, faults);
        }
        Course::Recorded(recording) => {
            let word = described.shape.moves().unwrap_or("sequence");
            let start = recording.time(0);
            if recording.count() > 1 && start >= scene.time.end() && scene.time.frames > 1 {
                let message = format!("{} s; {}", about(start), unseen(scene));
                faults.warn(&format!("{key}.{word}.start"), message);
            }
            // A character's file is made for the whole shot. A sequence of files is made for the scene, so its end
            // is deliberate.
            if word == "cache" {
                stands(scene, recording, &format!("{key}.{word}"), faults);
            }
            posed(recording, (size, word), &format!("{key}.{word}"), faults);
        }
        // Targets are set after the world is built.
        Course::Glide(_) => {}
    }
}

/// Warns about a cloth that hangs without air, unless `air_drag` is given. Damping of bending hardly affects swinging,
/// whose energy is kinetic and gravitational.
fn sways(scene: &Scene, input: &ClothInput, key: &str, faults: &mut Faults) {
    let Some(cloth) = scene.cloths.iter().find(|cloth| cloth.name == input.name) else { return };
    let still = |pin: &&Pin| matches!(pin.motion, Motion::Fixed) && pin.from <= 0.0 && pin.until >= scene.time.end();
    let mut held: Vec<u32> = input.pins.iter().filter(still).flat_map(|pin| pin.vertices.iter().copied()).collect();
    held.sort_unstable();
    held.dedup();
    let hangs = !held.is_empty() && held.len() < input.mesh.positions.len() && scene.gravity != Vec3::zeros();
    let by_itself = |name: &String| *name != cloth.name;
    let airless = cloth.air_drag.is_none()
        && cloth.air_drag_tangent == 0.0
        && scene.airflow.is_none()
        && scene.airs.iter().all(|air| by_itself(&air.cloth))
        && scene.balloons.iter().all(|balloon| by_itself(&balloon.cloth));
    if hangs && airless && scene.time.end() >= SWAYS {
        let message = "it hangs in no air: nothing damps its swinging, which goes on for 20 s and more. \
                       Of still air it is about 1; 0 says that there is none";
        faults.warn(&format!("{key}.air_drag"), message);
    }
}

/// Warns about a recording that ends before the run.
fn stands(scene: &Scene, recording: &Recording, key: &str, faults: &mut Faults) {
    let (end, last) = (scene.time.end(), recording.count().saturating_sub(1));
    if recording.repeat || last == 0 || recording.time(last) + 0.5 / scene.time.fps > end {
        return;
    }
    let frame = f64::from(scene.time.start_frame) + recording.time(last) * scene.time.fps;
    let message = format!(
        "its last shape is at frame {}; it stands still from there to frame {}",
        about(frame),
        scene.time.last_frame()
    );
    faults.warn(key, message);
}

/// Returns whether there is wind.
fn blows(scene: &Scene) -> bool {
    scene.wind.velocity != Vec3::zeros() || scene.wind.gust != 0.0
}

/// Cloths, bodies and obstacles of a world.
type Inputs<'a> = (&'a [ClothInput], &'a [BodyInput], &'a [ObstacleInput]);

fn weather(scene: &Scene, faults: &mut Faults) {
    let gravity = scene.gravity.norm();
    if gravity > HEAVY {
        let g = about(gravity);
        faults.warn("scene.gravity", format!("{g} m/s2; on Earth it is 9.81 m/s2, in metres"));
    } else if scene.gravity.dot(&scene.upwards()) > 0.0 {
        faults.warn("scene.gravity", "points upward; downward is negative along the axis of scene.up");
    } else if -scene.gravity.dot(&scene.upwards()) < 0.5 * gravity {
        let axis = scene.gravity.iamax();
        let (sign, along) = (if scene.gravity[axis] < 0.0 { "-" } else { "+" }, ["x", "y", "z"][axis]);
        let up = ["x", "y", "z"][scene.upwards().iamax()];
        let advice = if along != "x" && sign == "-" { format!("; give scene.up = \"{along}\"") } else { String::new() };
        let message = format!("points along {sign}{along}, and scene.up is {up}: cloth falls sideways{advice}");
        faults.warn("scene.gravity", message);
    }
    if blows(scene) && scene.wind.from >= scene.time.end() && scene.time.frames > 1 {
        faults.warn("wind.from", format!("{} s; {}", about(scene.wind.from), unseen(scene)));
    }
    for (key, speed) in [("velocity", scene.wind.velocity.norm()), ("gust", scene.wind.gust)] {
        if speed > FAST {
            let message = format!("{} m/s; storms have 30 to 80 m/s. For km/h write \"... km/h\"", about(speed));
            faults.warn(&format!("wind.{key}"), message);
        }
    }
}

/// Warns about an extreme initial velocity.
fn thrown(velocity: &Vec3, key: &str, faults: &mut Faults) {
    if velocity.norm() > FAST {
        let message = format!("{} m/s, as fast as a bullet; for mm/s write \"... mm/s\"", about(velocity.norm()));
        faults.warn(&format!("{key}.velocity"), message);
    }
}

/// Warns about a cloth that is thicker than its mean edge is long. Neighbouring vertices are closer to each other than
/// such a thickness.
fn thick(input: &ClothInput, key: &str, faults: &mut Faults) {
    let edge = mean_edge(&input.mesh.positions, &input.mesh.triangles);
    let painted = input.weights.thickness.iter().copied().reduce(f64::max).unwrap_or(1.0);
    let thickness = input.thickness * painted;
    if !(edge > 0.0 && thickness > edge) {
        return;
    }
    // Number of equilateral triangles in a disc whose radius is the thickness.
    let beside = std::f64::consts::PI * (thickness / edge).powi(2) * 4.0 / 3f64.sqrt();
    let message = format!(
        "thickness {} mm, more than the {} mm of a mean edge: neighbours keep half of what they are apart at rest, and where layers touch each \
         vertex meets some {} triangles, which is slow. Give larger triangles or less thickness",
        about(1e3 * thickness),
        about(1e3 * edge),
        about(beside)
    );
    faults.warn(&format!("{key}.thickness"), message);
}

/// Returns the smallest and largest coordinates; zero without points.
fn bounds(x: &[Vec3]) -> [Vec3; 2] {
    let first = x.first().copied().unwrap_or_default();
    x.iter().fold([first, first], |[low, high], p| [low.inf(p), high.sup(p)])
}

fn size(x: &[Vec3]) -> f64 {
    let [low, high] = bounds(x);
    (high - low).norm()
}

/// Warns about a cloth or body that is very small. Returns its size [m]. Sizes beyond the sensible range are reported
/// by the check of its file.
fn sized(x: &[Vec3], scale: f64, key: &str, faults: &mut Faults) -> f64 {
    let size = size(x);
    if crate::mesh::check::SENSIBLE_SIZE.contains(&size) && size < SIZES[0] {
        let message = format!(
            "measures {} mm from corner to corner; lengths are in metres; where that is not meant: {}",
            about(1e3 * size),
            files::rescaled(size, scale)
        );
        faults.warn(key, message);
    }
    size
}

/// Checks the pins and handles of an object whose vertices are at `x`.
fn held(scene: &Scene, x: &[Vec3], (pins, handles): (&[Pin], &[Handle]), key: &str, faults: &mut Faults) {
    let pins = pins.iter().enumerate().map(|(k, pin)| ("pin", k, pin));
    let handles = handles.iter().enumerate().map(|(k, handle)| ("handle", k, &handle.pin));
    for (table, k, pin) in pins.chain(handles) {
        let key = format!("{key}.{table}[{k}]");
        if pin.from > scene.time.end() && scene.time.frames > 1 {
            faults.warn(&format!("{key}.from"), format!("takes hold at {} s; {}", about(pin.from), unseen(scene)));
        }
        let x: Vec<Vec3> = pin.vertices.iter().filter_map(|v| x.get(*v as usize)).copied().collect();
        moved(scene, &pin.motion, &x, [pin.from, pin.until], &key, faults);
    }
}

/// Describes the end of the run and how times are counted.
fn unseen(scene: &Scene) -> String {
    format!(
        "the run ends at {} s. Times are in seconds from the first frame: the k-th frame is at (k - 1) / {} s",
        about(scene.time.end()),
        about(scene.time.fps)
    )
}

/// Checks the motion of points that begin at `x`, within a time window.
fn moved(scene: &Scene, motion: &Motion, x: &[Vec3], [from, until]: [f64; 2], key: &str, faults: &mut Faults) {
    let [low, high] = bounds(x);
    let corners: Vec<Vec3> =
        (0..8u32).map(|k| Vec3::from_fn(|a, _| if k >> a & 1 == 0 { low[a] } else { high[a] })).collect();
    let way = |a: f64, b: f64| {
        let (a, b) = (motion.at(a), motion.at(b));
        corners.iter().map(|p| (b.apply(p) - a.apply(p)).norm()).fold(0.0, f64::max)
    };
    let (name, times): (&str, Vec<f64>) = match motion {
        Motion::Fixed | Motion::Glide(_) => return,
        Motion::Recorded(recording) => return posed(recording, (size(x), "cache"), &format!("{key}.cache"), faults),
        Motion::Keyframes(keys) => ("keyframes", keys.iter().map(|k| k.time).collect()),
        Motion::Path(samples) => ("path", samples.iter().map(|(time, _)| *time).collect()),
        Motion::Rotation { axis, origin, speed, from, .. } => {
            let arm = corners.iter().map(|p| (p - origin).cross(axis).norm()).fold(0.0, f64::max);
            let key = format!("{key}.rotation");
            let hint = "a plain number is in rad/s: for degrees write \"... deg/s\", for turns a minute \"... rpm\"";
            fast(speed.abs() * arm, "turns", hint, &key, faults);
            if *from >= scene.time.end() && scene.time.frames > 1 {
                faults.warn(&format!("{key}.from"), format!("{} s; {}", about(*from), unseen(scene)));
            }
            return;
        }
    };
    let (mut worst, mut place, mut begins): (f64, usize, Option<f64>) = (0.0, 0, None);
    for (k, pair) in times.windows(2).enumerate() {
        let (a, b) = (pair[0].max(from), pair[1].min(until));
        if a >= b {
            continue;
        }
        let step = (b - a) / f64::from(BETWEEN);
        let ways = (0..BETWEEN).map(|i| way(a + step * f64::from(i), a + step * f64::from(i + 1)));
        let speed = ways.fold(0.0, f64::max) / step;
        if speed > 0.0 && begins.is_none() {
            begins = Some(a);
        }
        if speed > worst {
            (worst, place) = (speed, k);
        }
    }
    let when = [place, place + 1].map(|k| times.get(k).copied().unwrap_or_default());
    let at = if name == "keyframes" { format!("{key}.keyframes[{}]", place + 1) } else { format!("{key}.{name}") };
    let does = format!("between {} s and {} s it moves", unit::number(when[0]), unit::number(when[1]));
    fast(worst, &does, "lengths are in metres, times in seconds: for others write \"... mm\", \"... ms\"", &at, faults);
    let (end, last) = (scene.time.end(), times.last().copied().unwrap_or_default());
    let whole = last > 1.0 && times.iter().all(|t| t.fract() == 0.0);
    if scene.time.frames > 1 && begins.is_some_and(|begins| begins >= end || whole && last > LONG * end) {
        faults.warn(&format!("{key}.{name}"), format!("goes on to {} s; {}", about(last), unseen(scene)));
    }
}

/// Reports an implausible speed: a warning above `FAST`, an error above `REFUSED`.
fn fast(speed: f64, does: &str, hint: &str, key: &str, faults: &mut Faults) {
    let message = format!("{does} at {} m/s", about(speed));
    if speed > REFUSED {
        faults.fault(key, format!("{message}; at most {REFUSED} m/s. Is it meant? {hint}"));
    } else if speed > FAST {
        faults.warn(key, format!("{message}. Is it meant? {hint}"));
    }
}

/// Checks the motion between the poses of a sequence or a cache, named by `word`. `size` is that of the shape [m].
fn posed(recording: &Recording, (size, word): (f64, &str), key: &str, faults: &mut Faults) {
    let one = if word == "cache" { "frame" } else { "file" };
    let lasts = |k: usize| match &recording.clock {
        Clock::Even { interval, .. } => *interval,
        Clock::Times(_) => recording.time(k + 1) - recording.time(k),
    };
    let speeds: Vec<f64> = recording.ways().into_iter().enumerate().map(|(k, way)| way / lasts(k)).collect();
    let Some((k, speed)) = speeds.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1)) else { return };
    let (way, to, repeat) = (speed * lasts(k), (k + 1) % recording.count(), recording.repeat);
    let does = format!("from {one} {} to {one} {} of the {word} a vertex moves by {} m,", k + 1, to + 1, about(way));
    if speed > FAST {
        let hint = format!("lengths are in metres, {one}s as many a second as fps says");
        return fast(speed, &does, &hint, key, faults);
    }
    let count = speeds.len();
    let beside = |other: Option<&f64>| other.copied();
    let before = if k > 0 {
        beside(speeds.get(k - 1))
    } else if repeat {
        beside(speeds.last())
    } else {
        None
    };
    let after = if k + 1 < count {
        beside(speeds.get(k + 1))
    } else if repeat {
        beside(speeds.first())
    } else {
        None
    };
    let around = [before, after].into_iter().flatten().reduce(f64::max);
    let leaps = count > 2 && way > 0.05 * size && around.is_some_and(|around| speed > LEAP * around);
    if leaps || way > FAR * size {
        let closing = if repeat && to == 0 {
            ": the loop does not close".to_string()
        } else {
            format!("; is a {one} missing or of another take?")
        };
        faults.warn(key, format!("{does} at {} m/s{closing}", about(speed)));
    }
}

/// Distance of simulated vertices from the local origin above which a warning is given [m]. Single precision has steps
/// of 0.1 mm there.
const REACH: f64 = 1000.0;

/// Warns that the scene is solved and written about an origin of its own.
pub(super) fn tell_of_origin(scene: &Scene, origin: &Vec3, faults: &mut Faults) {
    let key = if scene.cloths.is_empty() { "body[0]" } else { "cloth[0]" };
    let message = format!(
        "far from the origin: the run is solved, and its mesh files are written, about [{}, {}, {}] m, which run.json says as \"origin\"; \
         exports as USD, Alembic, glTF and OBJ and the Blender add-on add it again",
        origin.x, origin.y, origin.z
    );
    faults.warn(key, message);
}

/// Warns about cloths and bodies that begin, or are led by pins, too far from the local origin. Mesh files are coarse
/// there.
pub(super) fn tell_of_reach(scene: &Scene, input: &Input, faults: &mut Faults) {
    let cloths = input.cloths.iter().enumerate().map(|(k, c)| (format!("cloth[{k}]"), &c.mesh.positions, &c.pins));
    let bodies = input.bodies.iter().enumerate().map(|(k, b)| (format!("body[{k}]"), &b.mesh.positions, &b.pins));
    for (key, x, pins) in cloths.chain(bodies) {
        let mut reach = x.iter().map(|p| p.amax()).fold(0.0, f64::max);
        for pin in pins.iter().filter(|pin| pin.motion != Motion::Fixed) {
            let Some(p) = pin.vertices.first().and_then(|v| x.get(*v as usize)) else { continue };
            let times = (0..=64).map(|k| f64::from(k) / 64.0 * scene.time.end());
            let led = times.map(|t| pin.carry(t.clamp(pin.from, pin.until)).apply(0, p).amax());
            reach = led.fold(reach, f64::max);
        }
        if reach > REACH {
            let step = 1e3 * reach * f64::from(f32::EPSILON);
            let message = format!(
                "is or is led {} km from where the run is written: numbers of mesh files have steps of {} mm there, so that layers may \
                 cross as written. Bring all that is simulated together, or move the camera and the set instead",
                about(1e-3 * reach),
                about(step)
            );
            faults.warn(&key, message);
        }
    }
}
