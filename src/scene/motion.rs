//! Prescribed motion of pins, handles and obstacles: keyframes, rotation, recorded path.

use super::document::{Node, Value};
use super::fault::{Fault, Place};
use super::json::Json;
use super::keys::{AtMostOne, Context, Field, Keys, Kind, at_most_one, exactly_one, one_of, section};
use super::kinds::{direction, existing, list, quantity, table};
use super::place::{Turn, point};
use super::unit::{Unit, number, short};
use crate::linalg::{UnitVec3, Vec3};
use crate::mesh::text;
use crate::world::motion::{Keyframe, Motion};
use std::f64::consts::TAU;

section! {
    /// A pose at a time.
    pub struct Pose {
        /// When.
        pub time: f64 = quantity(Unit::Time, -1e6..=1e6).required(),
        /// Shift away from the start pose, after the turn.
        pub translate: Vec3 = point().or(Vec3::zeros()),
        /// Turn away from the start pose.
        pub rotate: Option<Turn> = table::<Turn>().optional(),
        /// Centre of the turn.
        pub origin: Vec3 = point().or(Vec3::zeros()),
    }
}

one_of! {
    /// How fast it turns.
    pub enum Rate {
        /// Angular speed, counter-clockwise seen against the axis.
        Speed(f64) = "speed": quantity(Unit::AngularSpeed, -1e4..=1e4),
        /// Number of turns made between `from` and `until`.
        Turns(f64) = "turns": quantity(Unit::One, -1e6..=1e6),
    }
}

section! {
    /// Steady turning about an axis.
    pub struct Turning {
        /// Direction of the axis.
        pub axis: UnitVec3 = direction().required(),
        /// A point of the axis.
        pub origin: Vec3 = point().or(Vec3::zeros()),
        /// Rate of the turning.
        pub rate: Rate = exactly_one(),
        /// When the turning starts.
        pub from: f64 = quantity(Unit::Time, -1e6..=1e6).or(0.0),
        /// When it ends; never if absent.
        pub until: f64 = quantity(Unit::Time, -1e6..=1e6).or(f64::INFINITY),
    }
    check turns_have_an_end;
}

fn turns_have_an_end(turning: Turning, keys: &mut Keys) -> Option<Turning> {
    if turning.until <= turning.from {
        keys.fault("until", "'until' must be later than 'from'");
        return None;
    }
    if matches!(turning.rate, Rate::Turns(_)) && turning.until.is_infinite() {
        keys.missing("until", "missing; 'turns' are made between 'from' and 'until': give 'until', or 'speed' instead");
        return None;
    }
    Some(turning)
}

/// Records a fault if the time window is empty.
pub fn window(from: f64, until: f64, keys: &mut Keys) -> Option<()> {
    if until > from {
        return Some(());
    }
    let at = if keys.find("until").is_some() { "until" } else { "from" };
    keys.fault(at, "'until' must be later than 'from'");
    None
}

one_of! {
    /// Prescribed motion.
    pub enum Course {
        /// Poses at ascending times, linear between them, held before the first and after the last.
        Keyframes(Vec<Pose>) = "keyframes": list(table(), 1..=1_000_000),
        /// Steady turning about an axis.
        Rotation(Turning) = "rotation": table(),
        /// A recorded point: CSV file of rows `t, x, y, z` in s and m; the displacement is relative to the first row.
        Path(Vec<(f64, Vec3)>) = "path": PathFile,
    }
}

/// Field of a motion. Without a key it is [`Motion::Fixed`].
pub struct MotionField(AtMostOne<Course>);

/// Returns the field for at most one of `keyframes`, `rotation`, `path`.
pub fn motion() -> MotionField {
    MotionField(at_most_one())
}

impl Field for MotionField {
    type Value = Motion;

    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<Motion> {
        Some(match self.0.take(keys, name, doc)? {
            None => Motion::Fixed,
            Some(Course::Keyframes(poses)) => {
                ascending(&poses, keys)?;
                let turn = |pose: &Pose| pose.rotate.as_ref().map_or(Vec3::zeros(), |t| t.axis.into_inner() * t.angle);
                let keyframe =
                    |p: &Pose| Keyframe { time: p.time, turn: turn(p), origin: p.origin, translation: p.translate };
                Motion::Keyframes(poses.iter().map(keyframe).collect())
            }
            Some(Course::Rotation(Turning { axis, origin, rate, from, until })) => {
                let speed = match rate {
                    Rate::Speed(speed) => speed,
                    Rate::Turns(turns) => turns * TAU / (until - from),
                };
                Motion::Rotation { axis, origin, speed, from, until }
            }
            Some(Course::Path(samples)) => Motion::Path(samples),
        })
    }
}

fn ascending(poses: &[Pose], keys: &mut Keys) -> Option<()> {
    let late = poses.windows(2).position(|pair| matches!(pair, [a, b] if a.time >= b.time));
    let Some(late) = late else { return Some(()) };
    let [a, b] = [late, late + 1].map(|k| poses.get(k).map_or(0.0, |p| p.time));
    let message = format!("times must ascend: {} s follows {} s", number(b), number(a));
    keys.fault_in("keyframes", late + 1, "time", message);
    None
}

/// CSV file of a recorded point.
struct PathFile;

impl Kind for PathFile {
    type Value = Vec<(f64, Vec3)>;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Self::Value> {
        let Value::Text(name) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let full = existing(cx, path, node, name)?;
        if cx.recorded {
            // The recorded meshes already contain this motion.
            return Some(vec![(0.0, Vec3::zeros())]);
        }
        match std::fs::read(&full) {
            Ok(bytes) => match text::whole(&bytes).map_err(|error| (1, error.what)).and_then(|text| samples(&text)) {
                Ok(samples) => Some(samples),
                Err((line, message)) => {
                    let place = Place::File { file: full.display().to_string(), line, column: 1 };
                    cx.foreign.push(Fault { place, key: String::new(), message });
                    None
                }
            },
            Err(error) => {
                cx.fault(node.origin, path, format!("cannot read \"{}\": {error}", short(name)));
                None
            }
        }
    }

    fn wanted(&self) -> String {
        "a CSV file of rows t, x, y, z in s and m".to_string()
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string"))])
    }
}

/// Returns whether a row is a heading. No cell of a heading is a number, nor begins like one.
fn is_heading(row: &str) -> bool {
    row.split([',', ';']).all(|cell| {
        let cell = cell.trim().trim_matches('"').to_ascii_lowercase();
        cell.parse::<f64>().is_err() && !cell.starts_with(|c: char| c.is_ascii_digit() || "+-.#".contains(c))
    })
}

/// Returns a message if the columns of a heading are in another order.
fn disorder(row: &str) -> Option<String> {
    let names: Vec<String> = row.split(',').map(|cell| cell.trim().trim_matches('"').to_ascii_lowercase()).collect();
    let wrong = ["t", "x", "y", "z"].iter().zip(&names).any(|(right, name)| {
        let first: String = name.chars().take_while(|c| c.is_alphanumeric()).collect();
        let known = if first == "time" { "t" } else { first.as_str() };
        ["t", "x", "y", "z"].contains(&known) && known != *right
    });
    wrong.then(|| format!("the columns are t, x, y, z in this order, found \"{}\"", short(row)))
}

/// Parses rows `t, x, y, z`. Empty lines, `#` comments and one heading line are skipped. An error has its line, from 1.
fn samples(text: &str) -> Result<Vec<(f64, Vec3)>, (usize, String)> {
    let mut samples: Vec<(f64, Vec3)> = Vec::new();
    let mut heading = true;
    for (k, row) in text.lines().enumerate() {
        let row = row.trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        let numbers: Option<Vec<f64>> =
            row.split(',').map(|c| c.trim().parse().ok().filter(|v: &f64| v.abs() <= 1e6)).collect();
        match numbers.as_deref() {
            Some([t, x, y, z]) => {
                if let Some((before, _)) = samples.last()
                    && before >= t
                {
                    let message = format!("times must ascend: {} s follows {} s", number(*t), number(*before));
                    return Err((k + 1, message));
                }
                samples.push((*t, Vec3::new(*x, *y, *z)));
            }
            _ if heading && is_heading(row) => {
                if let Some(message) = disorder(row) {
                    return Err((k + 1, message));
                }
            }
            _ => {
                let far = row.split(',').filter_map(|c| c.trim().parse::<f64>().ok()).find(|v| v.abs() > 1e6);
                let hint = match far {
                    Some(_) => "; s and m, at most 1e6",
                    None if row.contains(';') || row.contains('\t') => {
                        "; between them stand commas, and decimals have a point"
                    }
                    None => "",
                };
                return Err((k + 1, format!("expected four numbers t, x, y, z, found \"{}\"{hint}", short(row))));
            }
        }
        heading = false;
    }
    if samples.is_empty() { Err((1, "no rows; give rows t, x, y, z".to_string())) } else { Ok(samples) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_rows_of_ascending_times() {
        let read = samples("t,x,y,z\n# start\n0, 1, 2, 3\n\n0.5,1,2.5,3\n").unwrap();
        assert_eq!(read, [(0.0, Vec3::new(1.0, 2.0, 3.0)), (0.5, Vec3::new(1.0, 2.5, 3.0))]);
        assert_eq!(samples("0,0,0,0\n0,1,1,1\n"), Err((2, "times must ascend: 0 s follows 0 s".to_string())));
        let message = "expected four numbers t, x, y, z, found \"1,2,nan,4\"".to_string();
        assert_eq!(samples("0,0,0,0\n1,2,nan,4\n"), Err((2, message)));
        // Malformed rows must not be accepted as a heading, nor reordered columns as t, x, y, z.
        for row in ["nan,0,0,0", "inf,0,0,0", "t0,1,2,3", "0;0,5;1;2", "0,0,0,0,0", "1e7,0,0,0"] {
            let (line, message) = samples(&format!("{row}\n1,0,0,0\n")).unwrap_err();
            assert!(line == 1 && message.starts_with("expected four numbers t, x, y, z, found"), "{row}: {message}");
        }
        for row in ["x,y,z,t", "X [m], Y [m], Z [m], Time [s]", "t,x,z,y", "\"t\",\"y\",\"x\",\"z\""] {
            let message = samples(&format!("{row}\n1,0,0,0\n")).unwrap_err().1;
            assert!(message.starts_with("the columns are t, x, y, z in this order"), "{row}: {message}");
        }
        for row in ["t,x,y,z", "Time (s), X, Y, Z", "\"time\",\"x\",\"y\",\"z\"", "zeit,hand_x,hand_y,hand_z"] {
            assert_eq!(samples(&format!("{row}\n1,2,3,4\n")).unwrap(), [(1.0, Vec3::new(2.0, 3.0, 4.0))], "{row}");
        }
        assert_eq!(samples("t,x,y,z\n"), Err((1, "no rows; give rows t, x, y, z".to_string())));
    }
}
