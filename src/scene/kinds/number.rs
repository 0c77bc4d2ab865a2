//! Numbers: quantities with units, whole numbers.

use crate::scene::document::{Node, Value};
use crate::scene::json::Json;
use crate::scene::keys::{Context, Kind};
use crate::scene::unit::{Unit, number};
use std::marker::PhantomData;
use std::ops::RangeInclusive;

/// Kind of a quantity: a number in SI, or text with a unit.
#[derive(Clone)]
pub struct Quantity {
    /// Dimension.
    pub unit: Unit,
    /// Allowed values in SI.
    pub range: RangeInclusive<f64>,
}

/// Returns the kind of a quantity of a dimension, within a range in SI.
pub(crate) fn quantity(unit: Unit, range: RangeInclusive<f64>) -> Quantity {
    Quantity { unit, range }
}

/// Returns the kind of a dimensionless number within a range.
pub(crate) fn real(range: RangeInclusive<f64>) -> Quantity {
    quantity(Unit::One, range)
}

impl Quantity {
    fn range_text(&self) -> String {
        let symbol = self.unit.symbol();
        let unit = if symbol.is_empty() { String::new() } else { format!(" {symbol}") };
        format!("{} to {}{unit}", number(*self.range.start()), number(*self.range.end()))
    }
}

impl Kind for Quantity {
    type Value = f64;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<f64> {
        let value = match &node.value {
            Value::Integer(whole) => *whole as f64,
            Value::Float(value) => *value,
            Value::Text(text) => match self.unit.parse(text) {
                Ok(value) => {
                    if value != 0.0 && self.unit.lacks_unit(text) {
                        let (taken, symbol) = (number(value), self.unit.symbol());
                        cx.warn(
                            node.origin,
                            path,
                            format!("no unit: taken as {taken} {symbol}; give one, or the number without quotes"),
                        );
                    }
                    value
                }
                Err(message) => {
                    cx.fault(node.origin, path, message);
                    return None;
                }
            },
            _ => {
                self.refuse(cx, path, node);
                return None;
            }
        };
        if !value.is_finite() {
            let found = if value.is_nan() { "nan" } else { "an infinite number" };
            cx.fault(node.origin, path, format!("{found} is not allowed; give {}", self.range_text()));
            return None;
        }
        if !self.range.contains(&value) {
            let degrees = self.unit == Unit::Angle && matches!(node.value, Value::Integer(_) | Value::Float(_));
            let hint = if degrees { format!("; for degrees write \"{} deg\"", number(value)) } else { String::new() };
            let symbol = self.unit.symbol();
            let space = if symbol.is_empty() { "" } else { " " };
            let found = format!("{}{space}{symbol}", number(value));
            let what = if value < 0.0 && *self.range.start() >= 0.0 { "negative" } else { "out of range" };
            cx.fault(node.origin, path, format!("{what}: {found}; give {}{hint}", self.range_text()));
            return None;
        }
        Some(value)
    }

    fn wanted(&self) -> String {
        format!("{}, {}", self.unit.wanted(), self.range_text())
    }

    fn schema(&self) -> Json {
        let plain = Json::map([
            ("type", Json::text("number")),
            ("minimum", Json::Number(*self.range.start())),
            ("maximum", Json::Number(*self.range.end())),
        ]);
        match self.unit.pattern() {
            None => plain,
            Some(pattern) => {
                let text = Json::map([("type", Json::text("string")), ("pattern", Json::Text(pattern))]);
                Json::map([("anyOf", Json::List(vec![plain, text]))])
            }
        }
    }

    fn json(&self, value: &f64) -> Option<Json> {
        value.is_finite().then_some(Json::Number(*value))
    }
}

/// Kind of a whole number.
#[derive(Clone)]
pub struct Integer<T> {
    range: RangeInclusive<i64>,
    kind: PhantomData<T>,
}

/// Returns the kind of a whole number within a range. The type must be able to hold that range.
pub(crate) fn integer<T>(range: RangeInclusive<i64>) -> Integer<T> {
    Integer { range, kind: PhantomData }
}

impl<T: TryFrom<i64> + TryInto<i64> + Copy> Kind for Integer<T> {
    type Value = T;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<T> {
        let least = *self.range.start();
        let whole = match node.value {
            Value::Integer(whole) => whole,
            Value::Float(value) if value < 0.0 && least >= 0 => {
                cx.fault(node.origin, path, format!("negative: {}; give {}", number(value), self.wanted()));
                return None;
            }
            Value::Float(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
                let message = format!("a whole number has no point: write {value:.0}");
                cx.fault(node.origin, path, message);
                return None;
            }
            _ => {
                self.refuse(cx, path, node);
                return None;
            }
        };
        match T::try_from(whole) {
            Ok(value) if self.range.contains(&whole) => Some(value),
            _ => {
                let (low, high) = (self.range.start(), self.range.end());
                let what = if whole < 0 && *low >= 0 { "negative" } else { "out of range" };
                cx.fault(node.origin, path, format!("{what}: {whole}; give {low} to {high}"));
                None
            }
        }
    }

    fn wanted(&self) -> String {
        format!("a whole number, {} to {}", self.range.start(), self.range.end())
    }

    fn schema(&self) -> Json {
        Json::map([
            ("type", Json::text("integer")),
            ("minimum", Json::Number(*self.range.start() as f64)),
            ("maximum", Json::Number(*self.range.end() as f64)),
        ])
    }

    fn json(&self, value: &T) -> Option<Json> {
        (*value).try_into().ok().map(|whole| Json::Number(whole as f64))
    }
}
