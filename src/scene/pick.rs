//! `[[cloth.pick]]`: a recorded pointer that pulls at a cloth.

use super::Scene;
use super::build::faults::Faults;
use super::build::plug::Then;
use super::csv::units::Measure;
use super::csv::{Sheet, Want};
use super::document::{Node, Value};
use super::fault::Fault;
use super::json::Json;
use super::keys::{Context, Keys, Kind, choices, section};
use super::kinds::{choice, existing, quantity};
use super::unit::{Unit, number, short};
use crate::effect::pointer::pick::{self, Aim, Eye, Moment};
use crate::effect::pointer::{Grips, Pointers};
use crate::render;
use crate::world::build::ClothInput;
use crate::world::{State, World};

choices! {
    /// Direction of the force of a pointer.
    pub enum Direction {
        /// Along the ray from the camera to the pointer (Horiba et al. 2007, section 3.1).
        Ray = "ray",
        /// Where the pointer was moved last since it was pressed, in the plane of the picture (section 5.1).
        Motion = "motion",
    }
}

section! {
    /// A pointer in the picture of `[preview]`, as a mouse recorded it: where it is pressed on the cloth it picks the
    /// nearest vertex, at which it pulls while the button is down.
    pub struct Pick {
        /// Where it is: CSV file with the columns t, px, py, button.
        pub moments as "path": Vec<Moment> = PointerFile.required(),
        /// Size of its force.
        pub force: f64 = quantity(Unit::Force, 0.0..=1e6).required(),
        /// Direction of its force.
        pub direction: Direction = choice().or(Direction::Ray),
    }
    check sees;
}

/// Defers the check of the camera until the scene's `[preview]` is read. Warns if the button is never down.
fn sees(pick: Pick, keys: &mut Keys) -> Option<Pick> {
    if let Some(node) = keys.find("path") {
        let key = keys.path_of("path");
        keys.cx.pointers.push((node.origin, key));
    }
    if !pick.moments.iter().any(|moment| moment.down) && !keys.cx.recorded {
        keys.warn("path", "the button is never down: nothing is picked");
    }
    Some(pick)
}

/// CSV file of a recorded pointer.
struct PointerFile;

impl Kind for PointerFile {
    type Value = Vec<Moment>;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Vec<Moment>> {
        let Value::Text(name) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let full = existing(cx, path, node, name)?;
        if cx.recorded {
            // The recorded meshes already contain the effect of the pointer.
            return Some(Vec::new());
        }
        match std::fs::read(&full) {
            Ok(bytes) => match moments(&full.display().to_string(), &bytes) {
                Ok(moments) => Some(moments),
                Err(faults) => {
                    cx.foreign.extend(faults);
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
        "a CSV file with the columns t in s, px and py from 0 to 1 from the picture's left top, and button, 0 or 1"
            .to_string()
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string"))])
    }
}

/// Parses the moments of a pointer file.
fn moments(file: &str, bytes: &[u8]) -> Result<Vec<Moment>, Vec<Fault>> {
    let wants = [
        Want::new("t", Measure::Time, -1e6..=1e6),
        Want::new("px", Measure::One, 0.0..=1.0),
        Want::new("py", Measure::One, 0.0..=1.0),
        Want::new("button", Measure::One, 0.0..=1.0),
    ];
    let sheet = Sheet::read(file, bytes, &wants)?;
    let [t, px, py, button] = ["t", "px", "py", "button"].map(|name| sheet.column(name));
    let mut faults = Vec::new();
    for (row, pair) in t.windows(2).enumerate() {
        if let [a, b] = pair
            && a >= b
        {
            let message = format!("times must ascend: {} s follows {} s", number(*b), number(*a));
            faults.push(sheet.fault(row + 1, "t", message));
        }
    }
    for (row, button) in button.iter().enumerate().filter(|(_, button)| ![0.0, 1.0].contains(*button)) {
        faults.push(sheet.fault(row, "button", format!("button: {} is neither 0, up, nor 1, down", number(*button))));
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let places = px.iter().zip(py).zip(t.iter().zip(button));
    Ok(places.map(|((x, y), (t, down))| Moment { time: *t, at: [*x, *y], down: *down == 1.0 }).collect())
}

/// Returns the builder of the scene's pointers, or `None` if it has none.
pub fn effect(scene: &Scene, _: &[ClothInput], _: &mut Faults) -> Option<Then> {
    if scene.cloths.iter().all(|cloth| cloth.picks.is_empty()) { None } else { Some(Box::new(picks)) }
}

/// Adds the pointers of all cloths. A pointer that is pressed at the start picks a vertex.
fn picks(scene: &Scene, world: &mut World, state: &mut State, faults: &mut Faults) {
    let Some(eye) = eye(scene, world) else { return };
    let (mut keys, mut all) = (Vec::new(), Vec::new());
    for (k, cloth) in scene.cloths.iter().enumerate() {
        let Some(object) = world.objects.iter().position(|object| object.name == cloth.name) else { continue };
        for (n, pick) in cloth.picks.iter().enumerate() {
            let aim = match pick.direction {
                Direction::Ray => Aim::Ray,
                Direction::Motion => Aim::Motion,
            };
            let mut moments = pick.moments.clone();
            moments.iter_mut().for_each(|moment| moment.time = world.shot.run(moment.time));
            all.push(pick::Pick { object, eye, moments, force: pick.force, aim });
            keys.push(format!("cloth[{k}].pick[{n}].path"));
        }
    }
    world.plug(Pointers(all), state);
    let grips = state.effects.get::<Grips>().map_or(&[][..], |grips| &grips.0);
    for (key, _) in keys.iter().zip(grips).filter(|(_, grip)| grip.misses()) {
        faults.warn(key, "at the start the pointer is pressed beside the cloth: no force");
    }
}

/// Returns the camera of the pictures, or `None` if it moves.
fn eye(scene: &Scene, world: &World) -> Option<Eye> {
    let preview = &scene.preview;
    let (position, target) = (preview.camera.position? - world.origin, preview.camera.target? - world.origin);
    let camera = render::Camera { position, target, fov: preview.camera.fov, roll: 0.0 };
    let view = camera.view(scene.upwards(), preview.width as usize, preview.height as usize);
    Some(Eye { position: view.position, axes: [view.right, view.up, view.forward], half: view.half })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(text: &str) -> String {
        let faults = moments("m.csv", text.as_bytes()).unwrap_err();
        faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn rows_are_moments() {
        let read = moments("m.csv", b"# a mouse\nt [ms], px, py, button\n0,0,1,0\n500,0.25,0.5,1\n").unwrap();
        let [first, second] =
            [(0.0, [0.0, 1.0], false), (0.5, [0.25, 0.5], true)].map(|(time, at, down)| Moment { time, at, down });
        assert_eq!(read, [first, second]);
    }

    #[test]
    fn faults_have_their_places() {
        let head = "t,px,py,button\n";
        let of = |rows: &str| describe(&format!("{head}{rows}"));
        assert_eq!(of("0,0,0,0\n0,0,0,1\n"), "m.csv:3:1: times must ascend: 0 s follows 0 s");
        assert_eq!(of("0,1.5,0,0\n"), "m.csv:2:3: px: 1.5 is out of range, 0 to 1");
        assert_eq!(of("0,0,-0.1,0\n"), "m.csv:2:5: py: -0.1 is out of range, 0 to 1");
        assert_eq!(of("0,0,0,0.5\n"), "m.csv:2:7: button: 0.5 is neither 0, up, nor 1, down");
        assert_eq!(of("0,nan,0,0\n"), "m.csv:2:3: px: nan is not finite");
        assert_eq!(of("0,0,0\n"), "m.csv:2:1: 3 values under 4 columns");
        assert_eq!(of("0,0,0,down\n"), "m.csv:2:7: button: expected a number, found \"down\"");
        assert_eq!(describe(""), "m.csv:1:1: no rows; give a heading such as t,px,py,button");
        assert_eq!(describe(head), "m.csv:1:1: no rows below the heading");
        assert!(describe("t,x,y,button\n0,0,0,0\n").contains("no column 'px'"));
    }
}
