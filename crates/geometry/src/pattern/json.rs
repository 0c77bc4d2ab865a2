//! Reader of JSON that keeps lines and columns, for faults.

use super::model::{listed, short};
use crate::mesh::MeshError;

/// Largest depth of lists and maps.
const DEEPEST: usize = 64;

/// Value with its place.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// Value.
    pub value: Value,
}

/// JSON value. Maps keep their order.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// Number, always finite.
    Number(f64),
    /// Text.
    Text(String),
    /// List.
    List(Vec<Node>),
    /// Map.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// Makes an error at the place of the value.
    pub(super) fn fault(&self, what: impl Into<String>) -> MeshError {
        MeshError::at(self.line, self.column, what)
    }

    /// Returns an entry, if this is a map that has it and it is not `null`.
    pub(super) fn find(&self, key: &str) -> Option<&Node> {
        let Value::Map(entries) = &self.value else { return None };
        let found = entries.iter().find(|(known, _)| known == key).map(|(_, node)| node);
        found.filter(|node| !matches!(node.value, Value::Null))
    }

    /// Returns an entry that must be there.
    ///
    /// # Errors
    /// Fails if there is none.
    pub(super) fn get(&self, key: &str) -> Result<&Node, MeshError> {
        let Value::Map(entries) = &self.value else {
            return Err(self.fault(format!("expected a map with '{key}', found {}", self.kind())));
        };
        self.find(key).ok_or_else(|| {
            let known = listed(entries.iter().map(|(k, _)| k.as_str()));
            self.fault(format!("'{key}' is missing; there is {known}"))
        })
    }

    /// Returns the entries of a map.
    ///
    /// # Errors
    /// Fails for other values.
    pub(super) fn entries(&self) -> Result<&[(String, Node)], MeshError> {
        match &self.value {
            Value::Map(entries) => Ok(entries),
            _ => Err(self.fault(format!("expected a map, found {}", self.kind()))),
        }
    }

    /// Returns the items of a list.
    ///
    /// # Errors
    /// Fails for other values.
    pub(super) fn items(&self) -> Result<&[Node], MeshError> {
        match &self.value {
            Value::List(items) => Ok(items),
            _ => Err(self.fault(format!("expected a list, found {}", self.kind()))),
        }
    }

    /// Returns a number.
    ///
    /// # Errors
    /// Fails for other values.
    pub(super) fn number(&self) -> Result<f64, MeshError> {
        match &self.value {
            Value::Number(value) => Ok(*value),
            _ => Err(self.fault(format!("expected a number, found {}", self.kind()))),
        }
    }

    /// Returns an index below `count` of things named by `noun`.
    ///
    /// # Errors
    /// Fails for other values.
    pub(super) fn index(&self, count: usize, noun: &str) -> Result<usize, MeshError> {
        let value = self.number()?;
        if value.fract() == 0.0 && value >= 0.0 && value < count as f64 {
            return Ok(value as usize);
        }
        Err(self.fault(format!("there is no {noun} {value}; there are {count}, from 0")))
    }

    /// Returns a list of exactly `N` numbers.
    ///
    /// # Errors
    /// Fails for other values.
    pub(super) fn numbers<const N: usize>(&self) -> Result<[f64; N], MeshError> {
        let items = self.items()?;
        if items.len() != N {
            return Err(self.fault(format!("expected a list of {N} numbers, found {}", items.len())));
        }
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(items) {
            *number = item.number()?;
        }
        Ok(numbers)
    }

    /// Returns a text.
    ///
    /// # Errors
    /// Fails for other values.
    pub(super) fn text(&self) -> Result<&str, MeshError> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.fault(format!("expected a text, found {}", self.kind()))),
        }
    }

    /// Describes the kind of the value.
    pub(super) fn kind(&self) -> String {
        match &self.value {
            Value::Null => "null".to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Number(value) => format!("the number {value}"),
            Value::Text(text) => format!("the text \"{}\"", short(text)),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Map(_) => "a map".to_string(),
        }
    }
}

/// Reads a text as one value.
///
/// # Errors
/// Fails at the first place that is not JSON.
pub(super) fn read(bytes: &[u8]) -> Result<Node, MeshError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let reader = Reader { text: "", bytes, at: error.valid_up_to(), line: 1, line_start: 0 };
            return Err(reader.counted().fault("not UTF-8 text; save the file as UTF-8"));
        }
    };
    let mut reader = Reader { text, bytes, at: 0, line: 1, line_start: 0 };
    let node = reader.value(0)?;
    reader.blank();
    if reader.at < bytes.len() {
        return Err(reader.fault("more text after the end of the value"));
    }
    Ok(node)
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
}

impl Reader<'_> {
    /// Counts the lines before its place.
    fn counted(mut self) -> Self {
        let before = &self.bytes[..self.at];
        self.line = 1 + before.iter().filter(|b| **b == b'\n').count();
        self.line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |k| k + 1);
        self
    }

    fn fault(&self, what: impl Into<String>) -> MeshError {
        MeshError::at(self.line, self.at - self.line_start + 1, format!("not JSON: {}", what.into()))
    }

    fn blank(&mut self) {
        while let Some(b) = self.bytes.get(self.at) {
            match b {
                b'\n' => (self.line, self.line_start) = (self.line + 1, self.at + 1),
                b' ' | b'\t' | b'\r' => {}
                _ => return,
            }
            self.at += 1;
        }
    }

    /// Skips blanks, and the byte if it is next.
    fn takes(&mut self, byte: u8) -> bool {
        self.blank();
        let there = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(there);
        there
    }

    fn wants(&mut self, byte: u8) -> Result<(), MeshError> {
        if self.takes(byte) { Ok(()) } else { Err(self.fault(format!("'{}' is missing here", char::from(byte)))) }
    }

    fn value(&mut self, depth: usize) -> Result<Node, MeshError> {
        self.blank();
        let (line, column) = (self.line, self.at - self.line_start + 1);
        if depth > DEEPEST {
            return Err(self.fault(format!("lists and maps are nested more than {DEEPEST} deep")));
        }
        let value = match self.bytes.get(self.at) {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.word()?,
            None => return Err(self.fault("the text ends where a value is missing")),
        };
        Ok(Node { line, column, value })
    }

    fn map(&mut self, depth: usize) -> Result<Value, MeshError> {
        self.at += 1;
        let mut entries = Vec::new();
        if self.takes(b'}') {
            return Ok(Value::Map(entries));
        }
        loop {
            self.blank();
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err(self.fault("a key in quotes is missing here"));
            }
            let key = self.string()?;
            self.wants(b':')?;
            entries.push((key, self.value(depth + 1)?));
            if self.takes(b'}') {
                return Ok(Value::Map(entries));
            }
            self.wants(b',')?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, MeshError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(Value::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.takes(b']') {
                return Ok(Value::List(items));
            }
            self.wants(b',')?;
        }
    }

    fn number(&mut self) -> Result<Value, MeshError> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(rest.len());
        let word = &rest[..end];
        let value = if word.contains(|c: char| c.is_ascii_alphabetic() && !"eE".contains(c)) {
            None
        } else {
            word.parse().ok().filter(|v: &f64| v.is_finite())
        };
        let value = value.ok_or_else(|| self.fault(format!("'{}' is no finite number", short(word))))?;
        self.at += end;
        Ok(Value::Number(value))
    }

    fn word(&mut self) -> Result<Value, MeshError> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let value = match &rest[..end] {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            word @ ("NaN" | "Infinity") => {
                return Err(self.fault(format!("{word} is no number; the program that wrote it failed there")));
            }
            "" => return Err(self.fault("a value is missing here")),
            word => return Err(self.fault(format!("'{}' is no value; texts stand in quotes", short(word)))),
        };
        self.at += end;
        Ok(value)
    }

    fn string(&mut self) -> Result<String, MeshError> {
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(end) = rest.find(['"', '\\', '\n']) else {
                return Err(self.fault("the text in quotes does not end"));
            };
            out.push_str(&rest[..end]);
            self.at += end;
            match self.bytes[self.at] {
                b'"' => {
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => out.push(self.escaped()?),
                _ => return Err(self.fault("the text in quotes does not end in its line")),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, MeshError> {
        let kind = self.bytes.get(self.at + 1).copied().unwrap_or_default();
        self.at += 2;
        Ok(match kind {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'"' | b'\\' | b'/' => char::from(kind),
            b'u' => {
                let first = self.unit()?;
                // A pair of halves follows each other in two escapes.
                let second = if (0xd800..0xdc00).contains(&first) && self.text[self.at..].starts_with("\\u") {
                    self.at += 2;
                    Some(self.unit()?)
                } else {
                    None
                };
                let units = [Some(first), second].into_iter().flatten();
                char::decode_utf16(units).next().and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            _ => {
                self.at -= 2;
                return Err(self.fault("unknown escape in a text"));
            }
        })
    }

    /// Reads four hexadecimal digits.
    fn unit(&mut self) -> Result<u16, MeshError> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|d| u16::from_str_radix(d, 16).ok());
        let unit = unit.ok_or_else(|| self.fault("\\u is followed by four hexadecimal digits"))?;
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_places() {
        let node = read(b"{ \"a\": [1, -2.5e1,\n null, true], \"\\u00e4\\ud83d\\ude00\": \"x\\n\" }").unwrap();
        let list = node.get("a").unwrap().items().unwrap();
        assert_eq!((list[1].number().unwrap(), list[1].line, list[1].column), (-25.0, 1, 12));
        assert_eq!((list[3].line, list[3].column), (2, 8));
        assert_eq!(node.entries().unwrap()[1].0, "ä😀");
        assert!(node.get("b").unwrap_err().to_string().ends_with("'b' is missing; there is 'a', 'ä😀'"));
    }

    #[test]
    fn faults_tell_their_line() {
        let describe = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            describe("{\n \"a\": NaN }"),
            "2:7: not JSON: NaN is no number; the program that wrote it failed there"
        );
        assert_eq!(describe("[1 2]"), "1:4: not JSON: ',' is missing here");
        assert_eq!(describe("[1e999]"), "1:2: not JSON: '1e999' is no finite number");
        assert!(describe(&"[".repeat(100_000)).contains("more than 64 deep"));
        assert!(describe("{\"a").contains("does not end"));
        assert!(describe("[1] 2").contains("more text"));
        assert!(read(b"[\"\xff\"]").unwrap_err().to_string().starts_with("1:3: not JSON: not UTF-8"));
        for text in ["", "{", "[", "{\"a\"", "\"\\u12", "\"\\", "-", "{\"a\":}", "[,]", "\"\\ud83dx\"x"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }
}
