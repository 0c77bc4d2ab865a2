//! Flags, texts, names, and words of a choice.

use crate::scene::document::{Node, Value};
use crate::scene::fault::meant;
use crate::scene::folder_name::{WANTED, composed, good, reserved};
use crate::scene::json::Json;
use crate::scene::keys::{Choice, Context, Kind};

/// Kind of `true` or `false`.
#[derive(Clone)]
pub(crate) struct Flag;

/// Returns the kind of `true` or `false`.
pub(crate) fn flag() -> Flag {
    Flag
}

impl Kind for Flag {
    type Value = bool;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<bool> {
        if let Value::Bool(flag) = node.value {
            return Some(flag);
        }
        self.refuse(cx, path, node);
        None
    }

    fn wanted(&self) -> String {
        "true or false".to_string()
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("boolean"))])
    }

    fn json(&self, value: &bool) -> Option<Json> {
        Some(Json::Bool(*value))
    }
}

/// Kind of a key that accepts only `true`. Its presence says everything.
#[derive(Clone)]
pub(crate) struct Yes;

/// Returns the kind of a key that accepts only `true`.
pub(crate) fn yes() -> Yes {
    Yes
}

impl Kind for Yes {
    type Value = ();

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<()> {
        if let Value::Bool(true) = node.value {
            return Some(());
        }
        self.refuse(cx, path, node);
        None
    }

    fn wanted(&self) -> String {
        "true, or leave it out".to_string()
    }

    fn schema(&self) -> Json {
        Json::map([("const", Json::Bool(true))])
    }
}

/// Kind of any text, or of a name of letters, digits, `_` and `-`.
#[derive(Clone)]
pub(crate) struct Text {
    name: bool,
    object: bool,
}

/// Returns the kind of any text.
pub(crate) fn text() -> Text {
    Text { name: false, object: false }
}

/// Returns the kind of a name.
pub(crate) fn name() -> Text {
    Text { name: true, object: false }
}

/// Returns the kind of the unique name of an object.
pub(crate) fn object_name() -> Text {
    Text { name: true, object: true }
}

/// Kind of a folder name, in letters of any script.
#[derive(Clone)]
pub(crate) struct FolderName;

/// Returns the kind of a folder name.
pub(crate) fn folder_name() -> FolderName {
    FolderName
}

impl Kind for FolderName {
    type Value = String;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<String> {
        let name = match &node.value {
            Value::Text(text) => composed(text),
            _ => String::new(),
        };
        if reserved(&name) {
            let message = format!("'{name}' is a name that Windows keeps for itself; give another");
            cx.fault(node.origin, path, message);
            return None;
        }
        if !good(&name) {
            self.refuse(cx, path, node);
            return None;
        }
        Some(name)
    }

    fn wanted(&self) -> String {
        WANTED.to_string()
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string")), ("pattern", Json::text("^[A-Za-z0-9_\\u00a1-\\uffff-]{1,128}$"))])
    }

    fn json(&self, value: &String) -> Option<Json> {
        Some(Json::text(value.clone()))
    }
}

/// Returns whether a name may contain this character.
pub(crate) fn of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

impl Kind for Text {
    type Value = String;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<String> {
        let Value::Text(text) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        if self.name && (text.is_empty() || text.len() > 64 || !text.chars().all(of_name)) {
            self.refuse(cx, path, node);
            return None;
        }
        if self.object {
            if cx.objects.contains_key(text) {
                cx.fault(node.origin, path, format!("another object is named '{text}'; names are unique"));
                return None;
            }
            let section = path.split('[').next().unwrap_or_default();
            cx.objects.insert(text.clone(), section.to_string());
        }
        Some(text.clone())
    }

    fn wanted(&self) -> String {
        let wanted = if self.name { "a name of letters, digits, '_' and '-', at most 64" } else { "text" };
        wanted.to_string()
    }

    fn schema(&self) -> Json {
        let schema = Json::map([("type", Json::text("string"))]);
        if self.name { schema.with("pattern", Json::text("^[A-Za-z0-9_-]{1,64}$")) } else { schema }
    }

    fn json(&self, value: &String) -> Option<Json> {
        Some(Json::text(value.clone()))
    }
}

/// Value, word and description of a choice.
type Row<T> = (T, &'static str, &'static str);

/// Kind of a word from a table.
#[derive(Clone)]
pub(crate) struct Word<T>(Vec<Row<T>>);

/// Returns the kind of a word from a table.
pub(crate) fn word<T>(rows: impl IntoIterator<Item = Row<T>>) -> Word<T> {
    Word(rows.into_iter().collect())
}

/// Returns the kind of a word of a choice.
pub(crate) fn choice<E: Choice>() -> Word<E> {
    word(E::ALL.iter().copied())
}

impl<T: Copy + PartialEq> Kind for Word<T> {
    type Value = T;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<T> {
        let Value::Text(text) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let found = self.0.iter().find(|(_, word, _)| word == text).map(|(value, ..)| *value);
        if found.is_none() {
            let hint = meant(text, self.0.iter().map(|(_, word, _)| *word));
            let message = format!("expected {}, found {}{hint}", self.wanted(), node.describe());
            cx.fault(node.origin, path, message);
        }
        found
    }

    fn wanted(&self) -> String {
        let words: Vec<String> = self.0.iter().map(|(_, word, _)| format!("\"{word}\"")).collect();
        match words.as_slice() {
            [one] => one.clone(),
            _ => format!("one of {}", words.join(", ")),
        }
    }

    fn schema(&self) -> Json {
        let word = |(_, word, doc): &Row<T>| {
            Json::map([("const", Json::text(*word)), ("description", Json::text(doc.trim()))])
        };
        let words = self.0.iter().map(word).collect();
        Json::map([("type", Json::text("string")), ("oneOf", Json::List(words))])
    }

    fn json(&self, value: &T) -> Option<Json> {
        self.0.iter().find(|(other, ..)| other == value).map(|(_, word, _)| Json::text(*word))
    }
}
