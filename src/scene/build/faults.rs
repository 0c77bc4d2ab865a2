//! Diagnostics found after parsing, located at their keys in the scene.

use crate::mesh::{MeshError, archive, within};
use crate::scene::document::{Document, Node, Origin, Table, Value};
use crate::scene::given::{self, Given};
use crate::scene::{Fault, Place, Scene};
use std::path::{Path, PathBuf};

/// Collector of errors and warnings.
pub struct Faults {
    file: PathBuf,
    text: String,
    /// Meshes in memory, of a scene without a file.
    pub given: Option<Given>,
    document: Option<Document>,
    found: Vec<Fault>,
    warnings: Vec<Fault>,
}

impl Faults {
    /// Creates an empty collector.
    pub fn new(scene: &Scene, file: &Path) -> Faults {
        Faults {
            file: file.to_path_buf(),
            text: scene.text.clone(),
            given: scene.given.clone(),
            document: None,
            found: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Adds an error at a key such as `cloth[0].pin[1].group`.
    pub fn fault(&mut self, key: &str, message: impl Into<String>) {
        let fault = self.at_key(key, message.into());
        self.found.push(fault);
    }

    /// Adds an error in a file, with line and column if known.
    pub fn in_file(&mut self, file: &Path, line: Option<usize>, column: Option<usize>, message: impl Into<String>) {
        self.found.push(of_file(file, line, column, message.into()));
    }

    /// Adds a warning about a key whose value is allowed but probably unintended.
    pub fn warn(&mut self, key: &str, message: impl Into<String>) {
        let warning = self.at_key(key, message.into());
        self.warnings.push(warning);
    }

    /// Adds a warning about file contents that are allowed but probably unintended.
    pub fn warn_in_file(&mut self, file: &Path, message: impl Into<String>) {
        self.warnings.push(of_file(file, None, None, message.into()));
    }

    /// Adds a note of a mesh reader as a warning.
    pub fn note(&mut self, file: &Path, note: &MeshError) {
        self.warnings.push(of_file(file, note.line, note.column, note.what.clone()));
    }

    /// Adds all that another collector has found.
    pub fn extend(&mut self, other: Faults) {
        self.found.extend(other.found);
        self.warnings.extend(other.warnings);
    }

    /// Returns whether there are errors.
    pub fn any(&self) -> bool {
        !self.found.is_empty()
    }

    /// Returns errors, then warnings.
    pub fn finish(self) -> (Vec<Fault>, Vec<Fault>) {
        (self.found, self.warnings)
    }

    /// Creates a diagnostic at the place of a key in the file. If an override sets the key, the place is that of the
    /// nearest enclosing table.
    pub fn at_key(&mut self, key: &str, message: String) -> Fault {
        let Faults { file, text, given, document, .. } = self;
        let document = document.get_or_insert_with(|| {
            if given.is_some() {
                return Document::new("", text.as_bytes());
            }
            let bytes = std::fs::read(&*file).unwrap_or_else(|_| text.clone().into_bytes());
            Document::new(&file.display().to_string(), &bytes)
        });
        Fault { place: document.place(offset(&document.root, key), key), key: key.to_string(), message }
    }
}

fn of_file(file: &Path, line: Option<usize>, column: Option<usize>, message: String) -> Fault {
    if let Some(name) = given::name(file) {
        return Fault { place: Place::Value, key: name.to_string(), message };
    }
    // Archives are identified by their first bytes. Their messages may quote the file.
    let message = if archive::reads(file) { message } else { within::hushed(&message).into_owned() };
    let name = file.display().to_string();
    let place = match line {
        Some(line) => Place::File { file: name, line, column: column.unwrap_or(1) },
        None => Place::Argument(name),
    };
    Fault { place, key: String::new(), message }
}

/// Returns the byte offset of the deepest part of a key that is in the text.
fn offset(root: &Table, key: &str) -> usize {
    let mut table = root;
    let mut found = 0;
    for part in key.split('.') {
        let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        let Some(mut node) = table.find(name) else { return found };
        found = start(node, found);
        for index in indices.split_terminator(']') {
            let index = index.trim_start_matches('[').parse::<usize>().ok();
            let Value::List(items) = &node.value else { return found };
            let Some(item) = index.and_then(|k| items.get(k)) else { return found };
            node = item;
            found = start(node, found);
        }
        let Value::Table(inner) = &node.value else { return found };
        table = inner;
    }
    found
}

fn start(node: &Node, otherwise: usize) -> usize {
    match node.origin {
        Origin::Text(at) => at,
        Origin::Set(_) => otherwise,
    }
}
