//! Permeability of a cloth to air: a speed, a name of the library, or two measurements.

use super::document::{Node, Value};
use super::fault::meant;
use super::json::Json;
use super::keys::{Context, Keys, Kind, section};
use super::kinds::{Quantity, flag, list, name, quantity, table, text};
use super::named::Published;
use super::unit::{Unit, short};
use crate::effect::permeability::{Mismatch, PermeabilityLaw};

/// Returns the kind for the speed of air through a cloth.
pub fn speed() -> Quantity {
    quantity(Unit::Speed, 0.0..=1e3)
}

/// Returns the kind for the pressure across a cloth.
pub fn pressure() -> Quantity {
    quantity(Unit::Pressure, 1.0..=1e5)
}

section! {
    /// A measurement of air through a cloth.
    pub struct Point {
        /// Speed of the air.
        pub speed: f64 = speed().required(),
        /// Pressure across the cloth.
        pub pressure: f64 = pressure().required(),
    }
}

section! {
    /// A permeability of the library.
    pub struct Entry {
        /// Name.
        pub name: String = name().required(),
        /// Description.
        pub description: String = text().required(),
        /// Source of the numbers.
        pub source: String = text().required(),
        /// Whether the numbers are general knowledge, not measurements of one fabric.
        pub illustrative: bool = flag().or(false),
        /// Speed of the air.
        pub speed: f64 = speed().required(),
        /// Pressure across the cloth.
        pub pressure: f64 = pressure().required(),
    }
}

/// Permeability as the scene gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given {
    /// Speed under the test pressure [m/s].
    Speed(f64),
    /// Permeability of the library.
    Known(PermeabilityLaw),
    /// Permeability by two measurements.
    Measured(PermeabilityLaw),
}

impl Given {
    /// Returns the permeability law. `pressure` [Pa] is the test pressure of a permeability given as a speed.
    pub fn through(self, pressure: f64) -> PermeabilityLaw {
        match self {
            Given::Speed(speed) => PermeabilityLaw::darcy(speed, pressure),
            Given::Known(through) | Given::Measured(through) => through,
        }
    }

    /// Records a fault and returns false if `test_pressure` is given, but the permeability is no speed. A name, or two
    /// measurements, have pressures of their own.
    pub fn pressure_once(self, keys: &mut Keys) -> bool {
        let twice = keys.find("test_pressure").is_some() && !matches!(self, Given::Speed(_));
        if twice {
            keys.fault("test_pressure", "goes with a permeability that is a speed; leave it out");
        }
        !twice
    }
}

/// Kind of a permeability: a speed, a name, or two measurements.
pub struct Permeability;

impl Permeability {
    fn points() -> impl Kind<Value = Vec<Point>> {
        list(table::<Point>(), 2..=2)
    }
}

impl Kind for Permeability {
    type Value = Given;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Given> {
        match &node.value {
            Value::Text(name) if !name.trim_start().starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
                let all = Entry::all();
                let Some(found) = all.iter().find(|known| known.name == *name) else {
                    let hint = meant(name, all.iter().map(|known| known.name.as_str()));
                    let hint = if hint.is_empty() { "; `percale materials` lists them".to_string() } else { hint };
                    let message = format!("no permeability of the library is named '{}'{hint}", short(name));
                    cx.fault(node.origin, path, message);
                    return None;
                };
                Some(Given::Known(PermeabilityLaw::darcy(found.speed, found.pressure)))
            }
            Value::Text(_) | Value::Integer(_) | Value::Float(_) => speed().read(cx, path, node).map(Given::Speed),
            Value::List(_) => {
                let points = Permeability::points().read(cx, path, node)?;
                let [first, second] = points.as_slice() else { return None };
                let measured = PermeabilityLaw::measured([first, second].map(|point| [point.speed, point.pressure]));
                let message = match measured {
                    Ok(through) => return Some(Given::Measured(through)),
                    Err(Mismatch::Order) => "the second measurement is of more speed and pressure than the first",
                    Err(Mismatch::Fast) => {
                        "the speed grows faster than the pressure; no cloth of constant pores does so"
                    }
                    Err(Mismatch::Slow) => {
                        "the speed grows slower than the root of the pressure; no cloth of constant pores does so"
                    }
                };
                cx.fault(node.origin, path, message);
                None
            }
            _ => {
                self.refuse(cx, path, node);
                None
            }
        }
    }

    fn wanted(&self) -> String {
        let speed = speed().wanted();
        format!("{speed}; or the name of a permeability of the library; or two tables {{ speed, pressure }}")
    }

    fn schema(&self) -> Json {
        let known = |known: &Entry| {
            let about = format!("{}; {}", known.description, known.source);
            Json::map([("const", Json::text(known.name.as_str())), ("description", Json::Text(about))])
        };
        let names = Json::List(Entry::all().iter().map(known).collect());
        let names = Json::map([("type", Json::text("string")), ("oneOf", names)]);
        Json::map([("anyOf", Json::List(vec![speed().schema(), names, Permeability::points().schema()]))])
    }
}
