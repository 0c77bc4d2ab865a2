//! Vectors, directions, colours, checkers.

use super::list::array;
use super::number::{Quantity, quantity, real};
use super::word::Flag;
use crate::linalg::{UnitVec3, Vec3};
use crate::scene::document::{Node, Value};
use crate::scene::json::Json;
use crate::scene::keys::{Context, Kind};
use crate::scene::unit::Unit;

/// Kind of a vector of three quantities.
#[derive(Clone)]
pub struct Vector(Quantity);

/// Returns the kind of a vector whose components have a dimension and are at most `most` in size.
pub(crate) fn vector(unit: Unit, most: f64) -> Vector {
    Vector(quantity(unit, -most..=most))
}

impl Kind for Vector {
    type Value = Vec3;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Vec3> {
        let Value::List(items) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let [x, y, z] = items.as_slice() else {
            self.refuse(cx, path, node);
            return None;
        };
        let [x, y, z] = [(x, 0), (y, 1), (z, 2)].map(|(n, k)| self.0.read(cx, &format!("{path}[{k}]"), n));
        Some(Vec3::new(x?, y?, z?))
    }

    fn wanted(&self) -> String {
        format!("a list [x, y, z], each {}", self.0.unit.wanted())
    }

    fn schema(&self) -> Json {
        array(self.0.schema(), 3, 3)
    }

    fn json(&self, value: &Vec3) -> Option<Json> {
        Some(Json::List(value.iter().map(|v| Json::Number(*v)).collect()))
    }
}

/// Kind of a direction of any length but zero.
#[derive(Clone)]
pub(crate) struct Direction;

/// Returns the kind of a direction of any length but zero.
pub(crate) fn direction() -> Direction {
    Direction
}

impl Kind for Direction {
    type Value = UnitVec3;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<UnitVec3> {
        let vector = vector(Unit::One, 1e6).read(cx, path, node)?;
        let direction = UnitVec3::try_new(vector, 1e-9);
        if direction.is_none() {
            cx.fault(node.origin, path, "a direction cannot be zero; give a vector such as [0, 1, 0]");
        }
        direction
    }

    fn wanted(&self) -> String {
        "a direction [x, y, z] of any length but zero".to_string()
    }

    fn schema(&self) -> Json {
        array(Json::map([("type", Json::text("number"))]), 3, 3)
    }

    fn json(&self, value: &UnitVec3) -> Option<Json> {
        Some(Json::List(value.iter().map(|v| Json::Number(*v)).collect()))
    }
}

/// Kind of an sRGB colour.
#[derive(Clone)]
pub(crate) struct Colour;

/// Returns the kind of an sRGB colour.
pub(crate) fn colour() -> Colour {
    Colour
}

impl Kind for Colour {
    type Value = [f64; 3];

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<[f64; 3]> {
        match &node.value {
            Value::List(items) if items.len() == 3 => {
                let component = real(0.0..=1.0);
                let read: Vec<_> =
                    items.iter().enumerate().map(|(k, n)| component.read(cx, &format!("{path}[{k}]"), n)).collect();
                read.into_iter().collect::<Option<Vec<f64>>>()?.try_into().ok()
            }
            Value::Text(text) if text.len() == 7 && text.starts_with('#') => {
                let digit = |k: usize| text.get(k..k + 2).and_then(|t| u8::from_str_radix(t, 16).ok());
                match (digit(1), digit(3), digit(5)) {
                    (Some(r), Some(g), Some(b)) => Some([r, g, b].map(|c| f64::from(c) / 255.0)),
                    _ => {
                        self.refuse(cx, path, node);
                        None
                    }
                }
            }
            _ => {
                self.refuse(cx, path, node);
                None
            }
        }
    }

    fn wanted(&self) -> String {
        "an sRGB colour [r, g, b] of numbers 0 to 1, or \"#rrggbb\"".to_string()
    }

    fn schema(&self) -> Json {
        let text = Json::map([("type", Json::text("string")), ("pattern", Json::text("^#[0-9A-Fa-f]{6}$"))]);
        Json::map([("anyOf", Json::List(vec![array(real(0.0..=1.0).schema(), 3, 3), text]))])
    }

    fn json(&self, value: &[f64; 3]) -> Option<Json> {
        Some(Json::List(value.iter().map(|v| Json::Number(*v)).collect()))
    }
}

/// Kind of a checker: its size, or whether there is a checker.
#[derive(Clone)]
pub(crate) struct Checker;

/// Size of the squares of a checker if the value is `true` [m].
pub(super) const CHECKER: f64 = 0.05;

/// Returns the kind of a checker's size [m]; `true` stands for [`CHECKER`].
pub(crate) fn checker() -> Checker {
    Checker
}

impl Checker {
    fn size(&self) -> Quantity {
        quantity(Unit::Length, 1e-4..=100.0)
    }
}

impl Kind for Checker {
    type Value = Option<f64>;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Option<f64>> {
        match node.value {
            Value::Bool(flag) => Some(flag.then_some(CHECKER)),
            Value::Integer(_) | Value::Float(_) | Value::Text(_) => self.size().read(cx, path, node).map(Some),
            _ => {
                self.refuse(cx, path, node);
                None
            }
        }
    }

    fn wanted(&self) -> String {
        format!("true, false or the size of a square: {}", self.size().wanted())
    }

    fn schema(&self) -> Json {
        Json::map([("anyOf", Json::List(vec![Flag.schema(), self.size().schema()]))])
    }

    fn json(&self, value: &Option<f64>) -> Option<Json> {
        Some(value.map_or(Json::Bool(false), Json::Number))
    }
}
