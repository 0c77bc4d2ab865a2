//! Declarations of sections: one line a key, from which it is read, checked, described and documented.
//!
//! [`section!`] declares a table: a struct whose fields each carry their sentence, their kind, range and default.
//! [`one_of!`] declares keys of which a table holds one, [`choices!`] the words a key may hold.

mod one_of;
mod respelled;
mod shelf;

pub(in crate::scene) use one_of::one_of;
pub use one_of::{Alternatives, AtMostOne, at_most_one, exactly_one, one_or};
pub use shelf::Shelf;

use crate::scene::document::{Node, Origin, Table, Value};
use crate::scene::fault::{Fault, meant};
use crate::scene::json::Json;
use crate::scene::material::Material;
use crate::scene::solid::Solid;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A fault that does not know its line yet.
pub struct Raw {
    /// Where.
    pub origin: Origin,
    /// Path of the key.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
    /// Something is absent, rather than wrong.
    pub absent: bool,
}

/// What is known while a scene is read.
#[derive(Default)]
pub struct Context {
    /// Folder to which paths are relative.
    pub folder: PathBuf,
    /// Files that are named so far.
    pub files: Vec<PathBuf>,
    /// Faults so far.
    pub faults: Vec<Raw>,
    /// Faults of other files so far.
    pub foreign: Vec<Fault>,
    /// What is allowed but probably not meant.
    pub warnings: Vec<Raw>,
    /// Materials of cloths.
    pub materials: Shelf<Material>,
    /// Materials of bodies.
    pub solids: Shelf<Solid>,
    /// Names of objects so far, and the section of each.
    pub objects: BTreeMap<String, String>,
    /// Names of pins so far.
    pub pins: BTreeSet<String>,
    /// Names of handles so far.
    pub handles: BTreeSet<String>,
    /// Where pointers are named so far, and their keys.
    pub pointers: Vec<(Origin, String)>,
    /// Names of probes so far, in small letters.
    pub probes: BTreeSet<String>,
    /// The scene has been run: the files that it names need not be there any more.
    pub recorded: bool,
    /// The schema is wanted, not the values.
    pub describing: bool,
}

impl Context {
    /// Records a fault.
    pub fn fault(&mut self, origin: Origin, key: &str, message: impl Into<String>) {
        self.faults.push(Raw { origin, key: key.to_string(), message: message.into(), absent: false });
    }

    /// Records that a value is allowed but probably not meant.
    pub fn warn(&mut self, origin: Origin, key: &str, message: impl Into<String>) {
        self.warnings.push(Raw { origin, key: key.to_string(), message: message.into(), absent: false });
    }
}

struct Declared {
    name: &'static str,
    schema: Json,
    required: bool,
}

/// A table being read: what it holds, and the keys declared so far.
pub struct Keys<'a> {
    /// What is known beside this table.
    pub cx: &'a mut Context,
    table: &'a Table,
    path: String,
    origin: Origin,
    declared: Vec<Declared>,
    rules: Vec<Json>,
}

/// A table with declared keys; see [`section!`].
pub trait Section: Sized {
    /// Name of the type.
    const TITLE: &'static str;
    /// What the table is.
    const ABOUT: &'static str;
    /// Declares and reads every key; `None` if one is faulty.
    fn read(keys: &mut Keys) -> Option<Self>;
}

/// How a value is read and described.
pub trait Kind {
    /// What it becomes.
    type Value;
    /// Reads a value; records faults and gives `None` where it is faulty.
    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Self::Value>;
    /// What would be right, for messages: "a time (...)".
    fn wanted(&self) -> String;
    /// What would be right for a list of it.
    fn plural(&self) -> String {
        format!("a list of {}", self.wanted())
    }
    /// JSON Schema of the value, an object.
    fn schema(&self) -> Json;
    /// How a value is written; `None` if it cannot be written (such as infinity for an open end).
    fn json(&self, _value: &Self::Value) -> Option<Json> {
        None
    }

    /// The key may be absent and then has this value.
    fn or(self, default: Self::Value) -> Or<Self>
    where
        Self: Sized,
    {
        Or(self, default)
    }

    /// The key must be there.
    fn required(self) -> Required<Self>
    where
        Self: Sized,
    {
        Required(self)
    }

    /// The key may be absent.
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

/// How a field of a section takes its key or keys.
pub trait Field {
    /// What the field holds.
    type Value;
    /// Declares the key and reads it; `None` if it is faulty.
    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<Self::Value>;
}

/// With a default.
pub struct Or<K: Kind>(K, K::Value);
/// Must be there.
pub struct Required<K>(K);
/// May be absent.
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

/// Schema of a kind with its sentence.
pub fn described<K: Kind>(kind: &K, doc: &str) -> Json {
    let sentence = format!("{} Expects {}.", doc.trim(), kind.wanted());
    kind.schema().with("description", Json::Text(sentence))
}

impl<'a> Keys<'a> {
    /// Reads a table as a section; every key it does not declare is a fault.
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

    /// Of a table that stands nowhere.
    fn blank(cx: &'a mut Context, table: &'a Table) -> Keys<'a> {
        Keys { cx, table, path: String::new(), origin: Origin::Text(0), declared: Vec::new(), rules: Vec::new() }
    }

    /// Names of the keys of a section.
    fn names<S: Section>() -> Vec<&'static str> {
        let (table, mut cx) = (Table::default(), Context::default());
        let mut keys = Keys::blank(&mut cx, &table);
        S::read(&mut keys);
        keys.declared.iter().map(|declared| declared.name).collect()
    }

    /// What a name in this table stands for.
    fn noun(&self) -> &'static str {
        if self.path.is_empty() { "section" } else { "key" }
    }

    /// JSON Schema of a section.
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

    /// Makes a key known; its schema is only made where the schema is wanted.
    pub fn declare(&mut self, name: &'static str, required: bool, schema: impl FnOnce() -> Json) {
        let schema = if self.cx.describing { schema() } else { Json::Bool(true) };
        self.declared.push(Declared { name, schema, required });
    }

    /// Makes a rule between keys known to the schema.
    pub fn rule(&mut self, rule: impl FnOnce() -> Json) {
        if self.cx.describing {
            self.rules.push(rule());
        }
    }

    /// Value of a key in this table.
    pub fn find(&self, name: &str) -> Option<&'a Node> {
        self.table.find(name)
    }

    /// Path of a key.
    pub fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_string() } else { format!("{}.{name}", self.path) }
    }

    /// Reads a table that is not there: every key at its default.
    pub fn absent<S: Section>(&mut self, name: &str) -> Option<S> {
        let path = self.path_of(name);
        Keys::section(self.cx, &path, self.origin, &Table::default())
    }

    /// Reads a key if it is there.
    pub fn read<K: Kind>(&mut self, name: &str, kind: &K) -> Option<Option<K::Value>> {
        let node = self.find(name)?;
        let path = self.path_of(name);
        Some(kind.read(self.cx, &path, node))
    }

    /// Records a fault of a key's value, or of the table where the key is absent.
    pub fn fault(&mut self, name: &str, message: impl Into<String>) {
        let origin = self.find(name).map_or(self.origin, |node| node.origin);
        let path = self.path_of(name);
        self.cx.fault(origin, &path, message);
    }

    /// Records that a key's value is allowed but probably not meant.
    pub fn warn(&mut self, name: &str, message: impl Into<String>) {
        let origin = self.find(name).map_or(self.origin, |node| node.origin);
        let key = self.path_of(name);
        self.cx.warn(origin, &key, message);
    }

    /// Records a fault of a key in a table below this one.
    pub fn fault_below(&mut self, table: &str, name: &str, message: impl Into<String>) {
        let node = self.find(table);
        let key = node.and_then(|node| if let Value::Table(table) = &node.value { table.find(name) } else { None });
        let origin = key.or(node).map_or(self.origin, |node| node.origin);
        let path = self.path_of(&format!("{table}.{name}"));
        self.cx.fault(origin, &path, message);
    }

    /// Records a fault of a key in one of a list of tables.
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

    /// Records that the table lacks something no single key stands for.
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
pub fn plain(name: &'static str) -> &'static str {
    name.strip_prefix("r#").unwrap_or(name)
}

/// Words a key may hold; see [`choices!`].
pub trait Choice: Copy + PartialEq + 'static {
    /// Value, word and sentence of each.
    const ALL: &'static [(Self, &'static str, &'static str)];

    /// Its word.
    fn word(self) -> &'static str {
        Self::ALL.iter().find(|(value, ..)| *value == self).map_or("", |(_, word, _)| word)
    }
}

/// Declares a table: each field with its sentence, its key (the field's name unless `as "key"`), kind, range and default.
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
