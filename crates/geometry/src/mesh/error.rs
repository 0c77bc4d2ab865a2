//! Errors of mesh files.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Reason why a mesh could not be read or written, or a note on changed content. The file's name is prepended by the
/// caller that opened it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeshError {
    /// Line in the file, counted from 1; none in the binary part of a file.
    pub line: Option<usize>,
    /// Column in the line, counted from 1.
    pub column: Option<usize>,
    /// Description and remedy.
    pub what: String,
}

impl MeshError {
    /// Makes an error without a place.
    pub fn new(what: impl Into<String>) -> Self {
        Self { line: None, column: None, what: what.into() }
    }

    /// Makes an error at a line and column, both counted from 1.
    pub fn at(line: usize, column: usize, what: impl Into<String>) -> Self {
        Self { line: Some(line), column: Some(column), what: what.into() }
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
            if let Some(column) = self.column {
                write!(f, "{column}:")?;
            }
            write!(f, " ")?;
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for MeshError {}
