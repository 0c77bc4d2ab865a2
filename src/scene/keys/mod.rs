//! Declarations of sections. Each key is declared in one line, from which it is read, checked, described and
//! documented.
//!
//! [`section!`] declares a table as a struct. Each field has a description, a kind, a range and a default. [`one_of!`]
//! declares keys that exclude each other. [`choices!`] declares the words that a key accepts.

mod one_of;
mod respelled;
mod shelf;

pub(in crate::scene) use one_of::one_of;
pub(super) use one_of::{Alternatives, AtMostOne, at_most_one, exactly_one, one_or};
pub(super) use shelf::{Shelf, Shelves};

use crate::scene::document::{Node, Origin, Table, Value};
use crate::scene::fault::{Fault, meant};
use crate::scene::given::Given;
use crate::scene::json::Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Diagnostic whose line is not known yet.
pub struct Raw {
    /// Position in the text, or index of the override.
    pub origin: Origin,
    /// Path of the key.
    pub key: String,
    /// Error, and its correction.
    pub message: String,
    /// Whether a key is missing, rather than wrong.
    pub absent: bool,
}

/// Context of a scene while it is read.
#[derive(Default)]
pub struct Context {
    /// Folder that paths are relative to.
    pub folder: PathBuf,
    /// Files named so far.
    pub files: Vec<PathBuf>,
    /// Errors so far.
    pub faults: Vec<Raw>,
    /// Errors in other files so far.
    pub foreign: Vec<Fault>,
    /// Warnings about values that are allowed but probably unintended.
    pub warnings: Vec<Raw>,
    /// Materials known so far.
    pub shelves: Shelves,
    /// Section of each object name so far.
    pub objects: BTreeMap<String, String>,
    /// Names of pins so far.
    pub pins: BTreeSet<String>,
    /// Names of handles so far.
    pub handles: BTreeSet<String>,
    /// Origins and keys of the pointers so far.
    pub pointers: Vec<(Origin, String)>,
    /// Names of probes so far, in lower case.
    pub probes: BTreeSet<String>,
    /// Whether the scene has been run. Its files need not exist any more then.
    pub recorded: bool,
    /// Meshes in memory.
    pub given: Given,
    /// Whether the schema is wanted, rather than the values.
    pub describing: bool,
}

impl Context {
    /// Records an error.
    pub fn fault(&mut self, origin: Origin, key: &str, message: impl Into<String>) {
        self.faults.push(Raw { origin, key: key.to_string(), message: message.into(), absent: false });
    }

    /// Records a warning about a value that is allowed but probably unintended.
    pub fn warn(&mut self, origin: Origin, key: &str, message: impl Into<String>) {
        self.warnings.push(Raw { origin, key: key.to_string(), message: message.into(), absent: false });
    }
}

struct Declared {
    name: &'static str,
    schema: Json,
    required: bool,
}

/// Table being read, and the keys declared so far.
pub struct Keys<'a> {
    /// Context of the scene.
    pub cx: &'a mut Context,
    table: &'a Table,
    path: String,
    origin: Origin,
    declared: Vec<Declared>,
    rules: Vec<Json>,
}

/// Table with declared keys; see [`section!`].
pub trait Section: Sized {
    /// Name of the type.
    const TITLE: &'static str;
    /// Description of the table.
    const ABOUT: &'static str;
    /// Declares and reads every key. Returns `None` if any is faulty.
    fn read(keys: &mut Keys) -> Option<Self>;
}

/// Kind of a value in a scene. A kind defines how values are read and described.
pub trait Kind {
    /// Type of the value after reading.
    type Value;
    /// Reads a value. Records errors, and returns `None` if it is faulty.
    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Self::Value>;
    /// Describes the accepted values for messages, such as "a time (...)".
    fn wanted(&self) -> String;
    /// Describes an accepted list of such values.
    fn plural(&self) -> String {
        format!("a list of {}", self.wanted())
    }
    /// Returns the JSON Schema of the value, an object.
    fn schema(&self) -> Json;
    /// Returns a value as JSON. Returns `None` if it cannot be written, such as infinity for an open end.
    fn json(&self, _value: &Self::Value) -> Option<Json> {
        None
    }

    /// Makes the key optional, with a default.
    fn or(self, default: Self::Value) -> Or<Self>
    where
        Self: Sized,
    {
        Or(self, default)
    }

    /// Makes the key mandatory.
    fn required(self) -> Required<Self>
    where
        Self: Sized,
    {
        Required(self)
    }

    /// Makes the key optional, without a default.
    fn optional(self) -> Optional<Self>
    where
        Self: Sized,
    {
        Optional(self)
    }

    /// Records that the value is of the wrong kind.
    fn refuse(&self, cx: &mut Context, path: &str, node: &Node) {
        cx.fault(node.origin, path, format!("expected {}, found {}", self.wanted(), node.describe()));
    }
}

/// Field of a section. A field reads its key or keys.
pub(super) trait Field {
    /// Type of the field.
    type Value;
    /// Declares the key and reads it. Returns `None` if it is faulty.
    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<Self::Value>;
}

/// Field with a default.
pub struct Or<K: Kind>(K, K::Value);
/// Field whose key must be present.
pub struct Required<K>(K);
/// Field whose key may be absent.
pub struct Optional<K>(K);

impl<K: Kind> Field for Or<K>
where
    K::Value: Clone,
{
    type Value = K::Value;
    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<K::Value> {
        keys.declare(name, false, || {
            let schema = described(&self.0, doc);
            match self.0.json(&self.1) {
                Some(default) => schema.with("default", default),
                None => schema,
            }
        });
        keys.read(name, &self.0).unwrap_or_else(|| Some(self.1.clone()))
    }
}

impl<K: Kind> Field for Required<K> {
    type Value = K::Value;
    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<K::Value> {
        keys.declare(name, true, || described(&self.0, doc));
        keys.read(name, &self.0).unwrap_or_else(|| {
            keys.missing(name, format!("missing; give {}", self.0.wanted()));
            None
        })
    }
}

impl<K: Kind> Field for Optional<K> {
    type Value = Option<K::Value>;
    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<Option<K::Value>> {
        keys.declare(name, false, || described(&self.0, doc));
        match keys.read(name, &self.0) {
            Some(read) => read.map(Some),
            None => Some(None),
        }
    }
}

/// Returns the schema of a kind with its description.
pub(super) fn described<K: Kind>(kind: &K, doc: &str) -> Json {
    let sentence = format!("{} Expects {}.", doc.trim(), kind.wanted());
    kind.schema().with("description", Json::Text(sentence))
}

impl<'a> Keys<'a> {
    /// Reads a table as a section. Keys that the section does not declare are errors.
    pub fn section<S: Section>(cx: &'a mut Context, path: &str, origin: Origin, table: &'a Table) -> Option<S> {
        let (respelled, misspelled) = respelled::respelled(table, Keys::names::<S>);
        let mut keys = Keys {
            cx,
            table: respelled.as_ref().unwrap_or(table),
            path: path.to_string(),
            origin,
            declared: Vec::new(),
            rules: Vec::new(),
        };
        for (entry, meant) in &misspelled {
            let path = keys.path_of(&crate::scene::unit::short(&entry.key));
            keys.cx.fault(entry.origin, &path, format!("unknown {}; did you mean '{meant}'?", keys.noun()));
        }
        let section = S::read(&mut keys);
        keys.refuse_unknown();
        section.filter(|_| misspelled.is_empty())
    }

    /// Creates the keys of a table without a place.
    fn blank(cx: &'a mut Context, table: &'a Table) -> Keys<'a> {
        Keys { cx, table, path: String::new(), origin: Origin::Text(0), declared: Vec::new(), rules: Vec::new() }
    }

    /// Returns the names of the keys of a section.
    fn names<S: Section>() -> Vec<&'static str> {
        let (table, mut cx) = (Table::default(), Context::default());
        let mut keys = Keys::blank(&mut cx, &table);
        S::read(&mut keys);
        keys.declared.iter().map(|declared| declared.name).collect()
    }

    /// Returns the word for a name in this table: section at the top level, key elsewhere.
    fn noun(&self) -> &'static str {
        if self.path.is_empty() { "section" } else { "key" }
    }

    /// Returns the JSON Schema of a section.
    pub fn describe<S: Section>() -> Json {
        let (table, mut cx) = (Table::default(), Context { describing: true, ..Context::default() });
        let mut keys = Keys::blank(&mut cx, &table);
        S::read(&mut keys);
        let Keys { declared, rules, .. } = keys;
        let required: Vec<&str> = declared.iter().filter(|d| d.required).map(|d| d.name).collect();
        let mut schema = Json::map([
            ("title", Json::text(S::TITLE)),
            ("type", Json::text("object")),
            ("description", Json::text(S::ABOUT.trim())),
        ]);
        if !required.is_empty() {
            schema = schema.with("required", Json::texts(required));
        }
        if !rules.is_empty() {
            schema = schema.with("allOf", Json::List(rules));
        }
        let properties = declared.into_iter().map(|d| (d.name.to_string(), d.schema)).collect();
        schema.with("additionalProperties", Json::Bool(false)).with("properties", Json::Map(properties))
    }

    /// Declares a key. Builds its schema only if the schema is wanted.
    pub fn declare(&mut self, name: &'static str, required: bool, schema: impl FnOnce() -> Json) {
        let schema = if self.cx.describing { schema() } else { Json::Bool(true) };
        self.declared.push(Declared { name, schema, required });
    }

    /// Adds a rule between keys to the schema.
    pub fn rule(&mut self, rule: impl FnOnce() -> Json) {
        if self.cx.describing {
            self.rules.push(rule());
        }
    }

    /// Returns the value of a key in this table.
    pub fn find(&self, name: &str) -> Option<&'a Node> {
        self.table.find(name)
    }

    /// Returns the path of a key.
    pub fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_string() } else { format!("{}.{name}", self.path) }
    }

    /// Reads an absent table, with every key at its default.
    pub fn absent<S: Section>(&mut self, name: &str) -> Option<S> {
        let path = self.path_of(name);
        Keys::section(self.cx, &path, self.origin, &Table::default())
    }

    /// Reads a key if it is present.
    pub fn read<K: Kind>(&mut self, name: &str, kind: &K) -> Option<Option<K::Value>> {
        let node = self.find(name)?;
        let path = self.path_of(name);
        Some(kind.read(self.cx, &path, node))
    }

    /// Records an error of a key's value, or of the table if the key is absent.
    pub fn fault(&mut self, name: &str, message: impl Into<String>) {
        let origin = self.find(name).map_or(self.origin, |node| node.origin);
        let path = self.path_of(name);
        self.cx.fault(origin, &path, message);
    }

    /// Records a warning about a key's value that is allowed but probably unintended.
    pub fn warn(&mut self, name: &str, message: impl Into<String>) {
        let origin = self.find(name).map_or(self.origin, |node| node.origin);
        let key = self.path_of(name);
        self.cx.warn(origin, &key, message);
    }

    /// Records an error of a key in a table below this one.
    pub fn fault_below(&mut self, table: &str, name: &str, message: impl Into<String>) {
        let node = self.find(table);
        let key = node.and_then(|node| if let Value::Table(table) = &node.value { table.find(name) } else { None });
        let origin = key.or(node).map_or(self.origin, |node| node.origin);
        let path = self.path_of(&format!("{table}.{name}"));
        self.cx.fault(origin, &path, message);
    }

    /// Records an error of a key in one of a list of tables.
    pub fn fault_in(&mut self, list: &str, index: usize, name: &str, message: impl Into<String>) {
        let table = match self.find(list).map(|node| &node.value) {
            Some(Value::List(items)) => items.get(index),
            _ => None,
        };
        let key = match table.map(|node| &node.value) {
            Some(Value::Table(table)) => table.find(name),
            _ => None,
        };
        let origin = key.or(table).map_or(self.origin, |node| node.origin);
        let path = self.path_of(&format!("{list}[{index}].{name}"));
        self.cx.fault(origin, &path, message);
    }

    /// Records that a key is absent.
    pub fn missing(&mut self, name: &str, message: impl Into<String>) {
        if !self.cx.describing {
            let (key, message) = (self.path_of(name), message.into());
            self.cx.faults.push(Raw { origin: self.origin, key, message, absent: true });
        }
    }

    /// Records that the table is incomplete, if no single key is missing.
    pub fn lacks(&mut self, message: impl Into<String>) {
        if !self.cx.describing {
            let key = self.path.clone();
            self.cx.faults.push(Raw { origin: self.origin, key, message: message.into(), absent: true });
        }
    }

    fn refuse_unknown(&mut self) {
        let known: Vec<&str> = self.declared.iter().map(|d| d.name).collect();
        for entry in self.table.entries.iter().filter(|e| !known.contains(&e.key.as_str())) {
            let noun = self.noun();
            let hint = match meant(&entry.key, known.iter().copied()) {
                hint if hint.is_empty() => format!("; known here: {}", known.join(", ")),
                hint => hint,
            };
            let path = self.path_of(&crate::scene::unit::short(&entry.key));
            self.cx.fault(entry.origin, &path, format!("unknown {noun}{hint}"));
        }
    }
}

/// A field's name as a key: without the mark of a raw identifier.
pub(super) fn plain(name: &'static str) -> &'static str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Words that a key accepts; see [`choices!`].
pub(super) trait Choice: Copy + PartialEq + 'static {
    /// Value, word and description of each choice.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// Returns the word of a value.
    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(value, ..)| *value == self).map_or("", |(_, word, _)| word)
    }
}

/// Declares a table. Each field has a description, a key (the field's name unless `as "key"`), a kind, a range and a
/// default.
macro_rules! section {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $( $(#[doc = $doc:literal])* $fvis:vis $field:ident $(as $key:literal)? : $type:ty = $kind:expr ),* $(,)?
        }
        $( check $check:path; )?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name { $( $(#[doc = $doc])* $fvis $field: $type ),* }

        impl $crate::scene::keys::Section for $name {
            const TITLE: &'static str = stringify!($name);
            const ABOUT: &'static str = concat!($($about),*);
            fn read(keys: &mut $crate::scene::keys::Keys) -> Option<Self> {
                $(
                    let $field = $crate::scene::keys::Field::take(
                        &$kind,
                        keys,
                        $crate::scene::keys::section!(@key $field $($key)?),
                        concat!($($doc),*),
                    );
                )*
                let read = Self { $( $field: $field? ),* };
                $( let read = $check(read, keys)?; )?
                Some(read)
            }
        }
    };
    (@key $field:ident $key:literal) => { $key };
    (@key $field:ident) => { $crate::scene::keys::plain(stringify!($field)) };
}

/// Declares an enum of words.
macro_rules! choices {
    (
        $(#[doc = $about:literal])*
        $vis:vis enum $name:ident { $( $(#[doc = $doc:literal])* $variant:ident = $word:literal ),* $(,)? }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $name { $( $(#[doc = $doc])* $variant ),* }

        impl $crate::scene::keys::Choice for $name {
            const ALL: &'static [(Self, &'static str, &'static str)] =
                &[$( (Self::$variant, $word, concat!($($doc),*)) ),*];
        }
    };
}

pub(in crate::scene) use {choices, section};
