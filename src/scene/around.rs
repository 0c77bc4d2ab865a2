//! `around` of a panel: the limb on which it is bent.

use super::document::{Node, Value};
use super::json::Json;
use super::keys::{Context, Keys, Kind, choices, section};
use super::kinds::{Quantity, choice, quantity, text};
use super::place::point;
use super::unit::Unit;
use crate::linalg::Vec3;
use std::f64::consts::{FRAC_PI_2, PI};

choices! {
    /// Side of a limb, as the figure sees it that faces +z where y is up, -y where z is up.
    pub enum Side {
        /// In front.
        Front = "front",
        /// On its left, at +x.
        Left = "left",
        /// Behind.
        Back = "back",
        /// On its right.
        Right = "right",
    }
}

/// Kind of a direction around a limb: a side, or an angle.
struct Bearing;

impl Bearing {
    fn angle() -> Quantity {
        quantity(Unit::Angle, -1e3..=1e3)
    }
}

impl Kind for Bearing {
    type Value = f64;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<f64> {
        match &node.value {
            Value::Text(name) if !name.trim_start().starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
                Some(match choice::<Side>().read(cx, path, node)? {
                    Side::Front => 0.0,
                    Side::Left => FRAC_PI_2,
                    Side::Back => PI,
                    Side::Right => -FRAC_PI_2,
                })
            }
            Value::Text(_) | Value::Integer(_) | Value::Float(_) => Bearing::angle().read(cx, path, node),
            _ => {
                self.refuse(cx, path, node);
                None
            }
        }
    }

    fn wanted(&self) -> String {
        format!("{}; or {}", choice::<Side>().wanted(), Bearing::angle().wanted())
    }

    fn schema(&self) -> Json {
        Json::map([("anyOf", Json::List(vec![choice::<Side>().schema(), Bearing::angle().schema()]))])
    }

    fn json(&self, value: &f64) -> Option<Json> {
        Bearing::angle().json(value)
    }
}

section! {
    /// A cylinder around a limb on which a panel is bent, its y axis along that of the limb. Its cross-section is a
    /// convex curve around the limb as it is at the start, beside the panel.
    pub struct Around {
        /// Name of an obstacle, or a group of it as `"obstacle:group"`.
        pub limb: Option<String> = text().optional(),
        /// Lower end of the axis, instead of that along which the limb is longest.
        pub from: Option<Vec3> = point().optional(),
        /// Upper end of the axis.
        pub to: Option<Vec3> = point().optional(),
        /// Radius of the limb, of an axis without one.
        pub radius: Option<f64> = quantity(Unit::Length, 1e-3..=1e3).optional(),
        /// Side of the limb at which the middle of the panel is, or the angle from the front towards the left.
        pub at: f64 = Bearing.or(0.0),
        /// Shift of the panel around the limb from there, to the right of who looks at it.
        pub aside: f64 = quantity(Unit::Length, -1e3..=1e3).or(0.0),
        /// Height of the middle of the panel along the axis, above the middle of the limb, or of `from` and `to`.
        pub up: f64 = quantity(Unit::Length, -1e3..=1e3).or(0.0),
        /// Gap between limb and panel.
        pub offset: f64 = quantity(Unit::Length, 1e-3..=10.0).or(0.04),
    }
    check has_limb_or_axis;
}

fn has_limb_or_axis(around: Around, keys: &mut Keys) -> Option<Around> {
    let Around { limb, from, to, radius, .. } = &around;
    let axis = match (from, to) {
        (Some(from), Some(to)) if (from - to).norm() < 1e-6 => {
            keys.fault("to", "both ends of the axis are the same point; give two points");
            return None;
        }
        (Some(_), Some(_)) => true,
        (None, None) => false,
        (Some(_), None) => {
            keys.missing("to", "missing; an axis has two ends: give 'to' too, or leave out 'from'");
            return None;
        }
        (None, Some(_)) => {
            keys.missing("from", "missing; an axis has two ends: give 'from' too, or leave out 'to'");
            return None;
        }
    };
    match (limb, radius) {
        (Some(_), Some(_)) => {
            keys.fault("radius", "the limb has its own girth; leave this out, or 'limb'");
            None
        }
        (None, _) if !axis => {
            keys.missing("limb", "missing; give limb = \"obstacle:group\", or an axis: 'from', 'to' and 'radius'");
            None
        }
        (None, None) => {
            keys.missing("radius", "missing; an axis without a limb has a radius");
            None
        }
        _ => Some(around),
    }
}
