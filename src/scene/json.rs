//! JSON values and their text, for the schema.

use std::fmt;

/// JSON value. Maps keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `true` or `false`.
    Bool(bool),
    /// A finite number.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Json>),
    /// An object.
    Map(Vec<(String, Json)>),
}

impl Json {
    /// Makes a string.
    pub fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    /// Makes an object.
    pub fn map<const N: usize>(entries: [(&str, Json); N]) -> Json {
        Json::Map(entries.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    /// Makes an array of strings.
    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Json {
        Json::List(texts.into_iter().map(Json::text).collect())
    }

    /// Returns an entry, if this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Map(entries) = self else { return None };
        entries.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Adds or replaces an entry, if this is an object.
    pub fn with(mut self, key: &str, value: Json) -> Json {
        if let Json::Map(entries) = &mut self {
            match entries.iter_mut().find(|(known, _)| known == key) {
                Some((_, old)) => *old = value,
                None => entries.push((key.to_string(), value)),
            }
        }
        self
    }

    fn write(&self, f: &mut fmt::Formatter, indent: usize) -> fmt::Result {
        match self {
            Json::Bool(value) => write!(f, "{value}"),
            Json::Number(value) if value.fract() == 0.0 && value.abs() < 1e15 => write!(f, "{value:.0}"),
            Json::Number(value) => write!(f, "{value:?}"),
            Json::Text(text) => write_text(f, text),
            Json::List(items) if items.iter().all(|i| !matches!(i, Json::List(_) | Json::Map(_))) => {
                write!(f, "[")?;
                for (k, item) in items.iter().enumerate() {
                    write!(f, "{}", if k > 0 { ", " } else { "" })?;
                    item.write(f, indent)?;
                }
                write!(f, "]")
            }
            Json::List(items) => {
                for (k, item) in items.iter().enumerate() {
                    write!(f, "{}\n{:2$}", if k > 0 { "," } else { "[" }, "", indent + 2)?;
                    item.write(f, indent + 2)?;
                }
                write!(f, "\n{:1$}]", "", indent)
            }
            Json::Map(entries) if entries.is_empty() => write!(f, "{{}}"),
            Json::Map(entries) => {
                for (k, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}\n{:2$}", if k > 0 { "," } else { "{" }, "", indent + 2)?;
                    write_text(f, key)?;
                    write!(f, ": ")?;
                    value.write(f, indent + 2)?;
                }
                write!(f, "\n{:1$}}}", "", indent)
            }
        }
    }
}

fn write_text(f: &mut fmt::Formatter, text: &str) -> fmt::Result {
    write!(f, "\"")?;
    for c in text.chars() {
        match c {
            '"' => write!(f, "\\\"")?,
            '\\' => write!(f, "\\\\")?,
            '\n' => write!(f, "\\n")?,
            c if (c as u32) < 0x20 => write!(f, "\\u{:04x}", c as u32)?,
            c => write!(f, "{c}")?,
        }
    }
    write!(f, "\"")
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.write(f, 0)
    }
}
