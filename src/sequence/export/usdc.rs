//! USD crate files (`.usdc`), written front to back: values as they come, then the tables of tokens, fields and prims.
//!
//! Version 0.8.0 of the format, which every USD since 2019 reads. Compressed tables are LZ4 blocks of literals only.
//! Arrays are not compressed. Layout: <https://openusd.org/release/api/_usd__page__formats.html> and the AOUSD Core
//! Specification 1.0, chapter "Binary encoding".

use crate::sequence::disk::{DiskError, Draft};
use std::collections::HashMap;
use std::path::Path;

/// Size of the header [bytes]: identifier, version, offset of the table of contents, reserved.
const HEAD: usize = 88;

/// First byte of a list that replaces others.
const EXPLICIT: u8 = 1 | 1 << 1;
/// First byte of a list before those of weaker layers.
const PREPENDED: u8 = 1 << 5;

/// Types of values, with the numbers of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Bool = 1,
    Int = 3,
    Float = 8,
    Double = 9,
    String = 10,
    Token = 11,
    Vec2f = 20,
    Vec3d = 23,
    Vec3f = 24,
    TokenListOp = 32,
    PathListOp = 34,
    TokenVector = 41,
    Specifier = 42,
    Variability = 44,
    TimeSamples = 46,
    DoubleVector = 48,
}

/// A value: its type, and either the inlined value or its offset in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Value(u64);

impl Value {
    fn inline(kind: Type, bits: u32) -> Value {
        Value(1 << 62 | (kind as u64) << 48 | u64::from(bits))
    }

    fn placed(kind: Type, at: u64) -> Value {
        Value((kind as u64) << 48 | at)
    }

    /// Returns a Boolean value.
    pub(super) fn bool(x: bool) -> Value {
        Value::inline(Type::Bool, x.into())
    }

    /// Returns the specifier `def`.
    pub(super) fn def() -> Value {
        Value::inline(Type::Specifier, 0)
    }

    /// Returns the variability `uniform`.
    pub(super) fn uniform() -> Value {
        Value::inline(Type::Variability, 1)
    }
}

/// Type of a spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spec {
    /// An attribute: its path is `/prim.name`.
    Attribute = 1,
    /// A prim: `/prim`.
    Prim = 6,
    /// The root of the layer: `/`.
    Root = 7,
    /// An attribute with targets: `/prim.name`.
    Relationship = 8,
}

impl Spec {
    fn property(self) -> bool {
        matches!(self, Spec::Attribute | Spec::Relationship)
    }
}

/// Path, spec type and fields of a spec.
#[derive(Debug)]
struct Entry {
    path: String,
    spec: Spec,
    fields: Vec<(u32, Value)>,
}

/// A crate file that is being written.
#[derive(Debug)]
pub(super) struct Crate {
    file: Draft,
    tokens: Vec<String>,
    /// Tokens of strings.
    strings: Vec<u32>,
    index: HashMap<String, u32>,
    entries: Vec<Entry>,
    buffer: Vec<u8>,
}

impl Crate {
    /// Starts a file.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn new(path: &Path) -> Result<Crate, DiskError> {
        let mut file = Draft::new(path)?;
        file.put(&[0; HEAD])?;
        // The first token must not name a property. Paths of properties are distinguished by a negative token index.
        let mut out = Crate {
            file,
            tokens: Vec::new(),
            strings: Vec::new(),
            index: HashMap::new(),
            entries: Vec::new(),
            buffer: Vec::new(),
        };
        out.name(";-)");
        Ok(out)
    }

    fn name(&mut self, word: &str) -> u32 {
        if let Some(known) = self.index.get(word) {
            return *known;
        }
        let number = self.tokens.len() as u32;
        self.tokens.push(word.to_string());
        self.index.insert(word.to_string(), number);
        number
    }

    fn align(&mut self) -> Result<u64, DiskError> {
        let at = self.file.length();
        let pad = (8 - at % 8) % 8;
        self.file.put(&[0; 8][..pad as usize])?;
        Ok(at + pad)
    }

    fn blob(&mut self, bytes: &[u8]) -> Result<u64, DiskError> {
        let at = self.align()?;
        self.file.put(bytes)?;
        Ok(at)
    }

    /// Returns a token.
    pub(super) fn token(&mut self, word: &str) -> Value {
        Value::inline(Type::Token, self.name(word))
    }

    /// Returns a text.
    pub(super) fn text(&mut self, text: &str) -> Value {
        let token = self.name(text);
        self.strings.push(token);
        Value::inline(Type::String, self.strings.len() as u32 - 1)
    }

    /// Returns a number of type `float`.
    pub(super) fn float(x: f32) -> Value {
        Value::inline(Type::Float, x.to_bits())
    }

    /// Writes a vector of three `float`.
    pub(super) fn colour(&mut self, x: [f32; 3]) -> Result<Value, DiskError> {
        let bytes: Vec<u8> = x.iter().flat_map(|c| c.to_le_bytes()).collect();
        Ok(Value::placed(Type::Vec3f, self.blob(&bytes)?))
    }

    /// Writes the schemas that are applied to a prim, before those of weaker layers.
    pub(super) fn schemas(&mut self, names: &[&str]) -> Result<Value, DiskError> {
        let mut bytes = vec![PREPENDED];
        bytes.extend((names.len() as u64).to_le_bytes());
        names.iter().for_each(|name| bytes.extend(self.name(name).to_le_bytes()));
        Ok(Value::placed(Type::TokenListOp, self.blob(&bytes)?))
    }

    /// Writes the target of a relationship or connection. Its spec must have been added.
    pub(super) fn target(&mut self, path: &str) -> Result<Value, DiskError> {
        let place = self.entries.iter().position(|entry| entry.path == path).unwrap_or(0);
        let mut bytes = vec![EXPLICIT];
        bytes.extend(1u64.to_le_bytes());
        bytes.extend((place as u32).to_le_bytes());
        Ok(Value::placed(Type::PathListOp, self.blob(&bytes)?))
    }

    /// Writes names of children or properties.
    pub(super) fn names<S: AsRef<str>>(&mut self, words: &[S]) -> Result<Value, DiskError> {
        let mut bytes = (words.len() as u64).to_le_bytes().to_vec();
        for word in words {
            bytes.extend(self.name(word.as_ref()).to_le_bytes());
        }
        Ok(Value::placed(Type::TokenVector, self.blob(&bytes)?))
    }

    /// Writes a number of type `double`.
    pub(super) fn double(&mut self, x: f64) -> Result<Value, DiskError> {
        let short = x as f32;
        if f64::from(short) == x {
            return Ok(Value::inline(Type::Double, short.to_bits()));
        }
        Ok(Value::placed(Type::Double, self.blob(&x.to_le_bytes())?))
    }

    /// Writes a vector of `double`.
    pub(super) fn vector(&mut self, x: [f64; 3]) -> Result<Value, DiskError> {
        let bytes: Vec<u8> = x.iter().flat_map(|c| c.to_le_bytes()).collect();
        Ok(Value::placed(Type::Vec3d, self.blob(&bytes)?))
    }

    /// Writes an array of tokens.
    pub(super) fn tokens(&mut self, words: &[&str]) -> Result<Value, DiskError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| self.name(word).to_le_bytes()).collect();
        self.array(Type::Token, words.len(), &bytes)
    }

    /// Writes an array of vectors of `float`, or of plain `float` with `N = 1`.
    pub(super) fn floats<const N: usize>(&mut self, values: &[[f32; N]]) -> Result<Value, DiskError> {
        let kind = match N {
            1 => Type::Float,
            2 => Type::Vec2f,
            _ => Type::Vec3f,
        };
        let mut bytes = std::mem::take(&mut self.buffer);
        super::le_bytes(values, &mut bytes);
        let value = self.array(kind, values.len(), &bytes);
        self.buffer = bytes;
        value
    }

    /// Writes an array of `int`.
    pub(super) fn ints(&mut self, values: impl ExactSizeIterator<Item = i32>) -> Result<Value, DiskError> {
        let count = values.len();
        let bytes: Vec<u8> = values.flat_map(i32::to_le_bytes).collect();
        self.array(Type::Int, count, &bytes)
    }

    fn array(&mut self, kind: Type, count: usize, bytes: &[u8]) -> Result<Value, DiskError> {
        let mut at = 0;
        if count > 0 {
            at = self.blob(&(count as u64).to_le_bytes())?;
            self.file.put(bytes)?;
        }
        Ok(Value(1 << 63 | Value::placed(kind, at).0))
    }

    /// Writes time samples. Times must ascend.
    pub(super) fn samples(&mut self, times: &[f64], values: &[Value]) -> Result<Value, DiskError> {
        let mut bytes = (times.len() as u64).to_le_bytes().to_vec();
        bytes.extend(times.iter().flat_map(|t| t.to_le_bytes()));
        let times = Value::placed(Type::DoubleVector, self.blob(&bytes)?);
        // Times and values, each preceded by the offset to it.
        let mut bytes = 8u64.to_le_bytes().to_vec();
        bytes.extend(times.0.to_le_bytes());
        bytes.extend(8u64.to_le_bytes());
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.iter().flat_map(|v| v.0.to_le_bytes()));
        Ok(Value::placed(Type::TimeSamples, self.blob(&bytes)?))
    }

    /// Adds a spec. The root `/` must come first, and a prim before its children.
    pub(super) fn spec(&mut self, path: &str, spec: Spec, fields: &[(&str, Value)]) {
        let fields = fields.iter().map(|(name, value)| (self.name(name), *value)).collect();
        self.entries.push(Entry { path: path.to_string(), spec, fields });
    }

    /// Writes the tables and publishes the file.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn finish(mut self) -> Result<(), DiskError> {
        let tree = self.tree();
        let (mut fields, mut known) = (Vec::new(), HashMap::new());
        let (mut sets, mut first) = (Vec::new(), Vec::new());
        for entry in &self.entries {
            first.push(sets.len() as i32);
            for field in &entry.fields {
                sets.push(*known.entry(*field).or_insert_with(|| {
                    fields.push(*field);
                    fields.len() as i32 - 1
                }));
            }
            sets.push(-1);
        }
        let kinds: Vec<i32> = self.entries.iter().map(|e| e.spec as i32).collect();
        let paths: Vec<i32> = (0..self.entries.len() as i32).collect();
        let count = |n: usize| (n as u64).to_le_bytes().to_vec();
        let sized = |block: Vec<u8>| [count(block.len()), block].concat();
        let table = |all: &[i32]| sized(integers(all));

        let text: Vec<u8> = self.tokens.iter().flat_map(|t| [t.as_bytes(), b"\0"].concat()).collect();
        let values: Vec<u8> = fields.iter().flat_map(|(_, v)| v.0.to_le_bytes()).collect();
        let names: Vec<i32> = fields.iter().map(|(n, _)| *n as i32).collect();
        let strings: Vec<u8> = self.strings.iter().flat_map(|s| s.to_le_bytes()).collect();
        let n = self.entries.len();
        let sections: [(&str, Vec<u8>); 6] = [
            ("TOKENS", [count(self.tokens.len()), count(text.len()), sized(literals(&text))].concat()),
            ("STRINGS", [count(self.strings.len()), strings].concat()),
            ("FIELDS", [count(fields.len()), table(&names), sized(literals(&values))].concat()),
            ("FIELDSETS", [count(sets.len()), table(&sets)].concat()),
            ("PATHS", [count(n), count(n), table(&tree.order), table(&tree.names), table(&tree.jumps)].concat()),
            ("SPECS", [count(n), table(&paths), table(&first), table(&kinds)].concat()),
        ];
        let mut contents = count(sections.len());
        for (name, bytes) in &sections {
            let at = self.blob(bytes)?;
            let mut padded = [0; 16];
            padded[..name.len()].copy_from_slice(name.as_bytes());
            contents.extend(padded);
            contents.extend(at.to_le_bytes());
            contents.extend((bytes.len() as u64).to_le_bytes());
        }
        let at = self.blob(&contents)?;
        let head = [b"PXR-USDC".as_slice(), &[0, 8, 0, 0, 0, 0, 0, 0], &at.to_le_bytes()].concat();
        self.file.patch(0, &head)?;
        self.file.publish()
    }

    /// Orders the paths as the format does: each before its children.
    fn tree(&self) -> Tree {
        let mut children: HashMap<&str, Vec<usize>> = HashMap::new();
        for (k, entry) in self.entries.iter().enumerate().skip(1) {
            children.entry(above(&entry.path)).or_default().push(k);
        }
        let mut tree = Tree { order: Vec::new(), names: Vec::new(), jumps: Vec::new() };
        if !self.entries.is_empty() {
            self.walk(0, false, &children, &mut tree);
        }
        tree
    }

    fn walk(&self, k: usize, more: bool, children: &HashMap<&str, Vec<usize>>, tree: &mut Tree) {
        let entry = &self.entries[k];
        let name = entry.path.rsplit(if entry.spec.property() { '.' } else { '/' }).next().unwrap_or("");
        let number = self.index.get(name).copied().unwrap_or(0) as i32;
        let own = tree.order.len();
        tree.order.push(k as i32);
        tree.names.push(if entry.spec.property() { -number } else { number });
        tree.jumps.push(0);
        let inner = children.get(entry.path.as_str()).map_or(&[][..], Vec::as_slice);
        for (place, child) in inner.iter().enumerate() {
            self.walk(*child, place + 1 < inner.len(), children, tree);
        }
        // Jump to the next sibling: here, at a distance, or absent.
        tree.jumps[own] = match (inner.is_empty(), more) {
            (false, true) => (tree.order.len() - own) as i32,
            (false, false) => -1,
            (true, true) => 0,
            (true, false) => -2,
        };
    }
}

struct Tree {
    order: Vec<i32>,
    names: Vec<i32>,
    jumps: Vec<i32>,
}

/// Returns the path above a prim or property.
fn above(path: &str) -> &str {
    match path.rsplit_once('.').or_else(|| path.rsplit_once('/')) {
        Some((up, _)) if !up.is_empty() => up,
        _ => "/",
    }
}

/// Encodes bytes as an LZ4 block of literals, after the marker of a single block.
fn literals(bytes: &[u8]) -> Vec<u8> {
    let n = bytes.len();
    let mut out = vec![0, (n.min(15) as u8) << 4];
    if n >= 15 {
        let rest = n - 15;
        out.resize(out.len() + rest / 255, 255);
        out.push((rest % 255) as u8);
    }
    out.extend_from_slice(bytes);
    out
}

/// Encodes integers as differences. The most frequent difference takes no space beyond its 2-bit code.
fn integers(all: &[i32]) -> Vec<u8> {
    let mut last = 0i32;
    let steps: Vec<i32> = all.iter().map(|x| x.wrapping_sub(std::mem::replace(&mut last, *x))).collect();
    let mut counts: HashMap<i32, usize> = HashMap::new();
    steps.iter().for_each(|s| *counts.entry(*s).or_default() += 1);
    let common = counts.into_iter().max_by_key(|(step, n)| (*n, *step)).map_or(0, |(step, _)| step);
    let mut codes = vec![0u8; all.len().div_ceil(4)];
    let mut numbers = Vec::new();
    for (k, step) in steps.iter().enumerate() {
        let code = if *step == common {
            0
        } else if let Ok(short) = i8::try_from(*step) {
            numbers.extend(short.to_le_bytes());
            1
        } else if let Ok(short) = i16::try_from(*step) {
            numbers.extend(short.to_le_bytes());
            2
        } else {
            numbers.extend(step.to_le_bytes());
            3
        };
        codes[k / 4] |= code << (2 * (k % 4));
    }
    if all.is_empty() {
        return literals(&[]);
    }
    literals(&[common.to_le_bytes().as_slice(), &codes, &numbers].concat())
}
