//! Scene text as a tree. Every key and value has its origin in the text.

use super::fault::{Fault, Place};
use crate::mesh::text;
use std::ops::Range;
use toml::de::{DeTable, DeValue};

/// Origin of a key or value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Byte offset in the text.
    Text(usize),
    /// Index of the override that gave it.
    Set(usize),
}

/// Value with its origin.
#[derive(Clone, Debug)]
pub struct Node {
    /// Start of the value.
    pub origin: Origin,
    /// Value.
    pub value: Value,
}

/// Value of a TOML document.
#[derive(Clone, Debug)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// Whole number.
    Integer(i64),
    /// Any other number, including not-a-number and infinities.
    Float(f64),
    /// A string.
    Text(String),
    /// Date or time. No key accepts it.
    Date(String),
    /// An array.
    List(Vec<Node>),
    /// A table.
    Table(Table),
}

/// Keys and values.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// Entries.
    pub entries: Vec<Entry>,
}

/// Key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Key.
    pub key: String,
    /// Start of the key.
    pub origin: Origin,
    /// Value.
    pub node: Node,
}

impl Table {
    /// Returns the value of a key.
    pub fn find(&self, key: &str) -> Option<&Node> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.node)
    }
}

impl Node {
    /// Converts a parsed value. With `set`, every part has that override as its origin.
    pub fn new(value: &toml::Spanned<DeValue>, set: Option<usize>) -> Node {
        let origin = |span: Range<usize>| set.map_or(Origin::Text(span.start), Origin::Set);
        let inner = match value.get_ref() {
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
                Ok(whole) => Value::Integer(whole),
                Err(_) => Value::Float(digits.as_str().parse().unwrap_or(f64::INFINITY)),
            },
            DeValue::Float(digits) => Value::Float(digits.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Datetime(date) => Value::Date(date.to_string()),
            DeValue::Array(items) => Value::List(items.iter().map(|item| Node::new(item, set)).collect()),
            DeValue::Table(table) => Value::Table(Table {
                entries: table
                    .iter()
                    .map(|(key, value)| Entry {
                        key: key.get_ref().to_string(),
                        origin: origin(key.span()),
                        node: Node::new(value, set),
                    })
                    .collect(),
            }),
        };
        Node { origin: origin(value.span()), value: inner }
    }

    /// Converts the value of an override: TOML, else a bare string.
    pub fn of_argument(text: &str, set: usize) -> Node {
        match DeValue::parse(text) {
            Ok(value) => Node::new(&value, Some(set)),
            Err(_) => Node { origin: Origin::Set(set), value: Value::Text(text.to_string()) },
        }
    }

    /// Describes the value for messages.
    pub fn describe(&self) -> String {
        use super::unit::{number, short};
        match &self.value {
            Value::Bool(flag) => format!("{flag}"),
            Value::Integer(whole) => format!("the number {whole}"),
            Value::Float(value) => format!("the number {}", number(*value)),
            Value::Text(text) => format!("the text \"{}\"", short(text)),
            Value::Date(date) => format!("the date {date}"),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".to_string(),
        }
    }
}

/// Text and the tree read from it.
pub(super) struct Document {
    file: String,
    text: String,
    lines: Vec<usize>,
    /// Root table. If the syntax is faulty, it holds the parts that could be read.
    pub root: Table,
    /// Syntax errors, with their byte offsets.
    pub syntax: Vec<(usize, String)>,
    /// Byte offset from which on the tree is unreliable.
    pub doubt: usize,
}

impl Document {
    /// Reads a text; `file` is its name in messages, empty for a scene without a file.
    pub(super) fn new(file: &str, bytes: &[u8]) -> Document {
        // The parser handles a UTF-8 byte order mark itself, so that offsets stay correct.
        let utf16 = if bytes.starts_with(text::MARK) { None } else { text::plain(bytes).ok() };
        let bytes = utf16.as_deref().unwrap_or(bytes);
        let (text, broken) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
                (std::str::from_utf8(good).unwrap_or_default(), Some(error.valid_up_to()))
            }
        };
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let mut document = Document {
            file: file.to_string(),
            text: text.to_string(),
            lines,
            root: Table::default(),
            syntax: Vec::new(),
            doubt: usize::MAX,
        };
        if let Some(at) = broken {
            document.syntax.push((at, "not UTF-8 text; save the file as UTF-8".to_string()));
            document.doubt = 0;
            return document;
        }
        if !text.contains('\n') && text.trim_end_matches('\r').contains('\r') {
            let message = "its lines end in CR alone, which is not TOML; save it with line ends of LF or CR LF";
            document.syntax.push((0, message.to_string()));
            document.doubt = 0;
            return document;
        }
        let (root, errors) = DeTable::parse_recoverable(text);
        let root = toml::Spanned::new(0..0, DeValue::Table(root.into_inner()));
        if let Value::Table(table) = Node::new(&root, None).value {
            document.root = table;
        }
        document.judge(errors);
        document
    }

    /// Keeps the syntax errors that do not follow from others, at most one a line. If a bracket is unclosed, later
    /// errors are dropped, except unclosed brackets.
    fn judge(&mut self, mut errors: Vec<toml::de::Error>) {
        let start = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
        // The parser keeps an unquoted word as text, so the rest of the tree stays reliable.
        let unquoted = |error: &toml::de::Error| error.message().starts_with("string values must be quoted");
        let open = |error: &toml::de::Error| {
            ["unclosed array,", "unclosed inline table"].iter().any(|m| error.message().starts_with(m))
        };
        errors.sort_by_key(start);
        self.doubt = errors.iter().find(|e| !unquoted(e)).map_or(usize::MAX, start);
        if errors.iter().any(open) {
            errors.retain(|e| start(e) <= self.doubt || open(e));
        }
        errors.retain(|e| start(e) <= self.doubt || !unquoted(e));
        errors.dedup_by_key(|e| self.line(start(e)));
        for error in &errors {
            let found = error.span().and_then(|span| self.text.get(span)).unwrap_or_default().trim();
            let message = match (unquoted(error), found) {
                (true, "") => "not TOML: a value is missing".to_string(),
                (true, found) => format!("text is written in quotes: \"{}\"", super::unit::short(found)),
                (false, _) => format!("not TOML: {}", error.message()),
            };
            self.syntax.push((start(error), message));
        }
    }

    /// Returns the text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line of an offset, from 0.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// Returns the place of an offset, at which `key` is. Without a file the key alone says where it is.
    pub(super) fn place(&self, at: usize, key: &str) -> Place {
        if self.file.is_empty() && !key.is_empty() {
            return Place::Value;
        }
        let line = self.line(at);
        let start = self.lines.get(line).copied().unwrap_or(0);
        let before = self.text.as_bytes().get(start..at.min(self.text.len())).unwrap_or_default();
        // Columns count characters, so continuation bytes of UTF-8 are skipped.
        let column = before.iter().filter(|b| (**b & 0xc0) != 0x80).count();
        let file = if self.file.is_empty() { "scene" } else { &self.file };
        Place::File { file: file.to_string(), line: line + 1, column: column + 1 }
    }

    /// Makes a fault at an offset of this text.
    pub(super) fn fault(&self, at: usize, key: &str, message: &str) -> Fault {
        Fault { place: self.place(at, key), key: key.to_string(), message: message.to_string() }
    }
}
