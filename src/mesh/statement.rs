//! Text cut into statements of words, each word with its place; `#` begins a comment.

use crate::mesh::MeshError;

/// A word and where it stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Token<'a> {
    /// The bytes of the word.
    pub text: &'a [u8],
    line: usize,
    column: usize,
}

impl<'a> Token<'a> {
    /// A word at a line and column, both counted from 1; line 0 for a word without a place.
    pub fn new(text: &'a [u8], line: usize, column: usize) -> Self {
        Self { text, line, column }
    }

    /// The word as text; bytes that are no UTF-8 are replaced.
    pub fn name(&self) -> String {
        String::from_utf8_lossy(self.text).into_owned()
    }

    /// The word as a message shows it, at most 40 characters.
    pub fn shown(&self) -> String {
        self.name().chars().take(40).collect()
    }

    /// An error at this word.
    pub fn error(&self, what: impl Into<String>) -> MeshError {
        if self.line == 0 { MeshError::new(what) } else { MeshError::at(self.line, self.column, what) }
    }

    /// The word as a finite number.
    ///
    /// # Errors
    /// It is none.
    pub fn real(&self) -> Result<f64, MeshError> {
        match std::str::from_utf8(self.text).ok().and_then(|t| t.parse::<f64>().ok()) {
            Some(x) if x.is_finite() => Ok(x),
            Some(_) => Err(self.error(format!("'{}' is not a finite number", self.shown()))),
            None => Err(self.error(format!("'{}' is not a number", self.shown()))),
        }
    }

    /// The word as a whole number.
    ///
    /// # Errors
    /// It is none.
    pub fn integer(&self) -> Result<i64, MeshError> {
        let number = std::str::from_utf8(self.text).ok().and_then(|t| t.parse().ok());
        number.ok_or_else(|| self.error(format!("'{}' is not a whole number", self.shown())))
    }
}

/// One statement: a line, or several joined by `\`.
#[derive(Debug, Default)]
pub struct Statement<'a> {
    tokens: Vec<Token<'a>>,
}

impl<'a> Statement<'a> {
    /// The first word, empty if there is none.
    pub fn keyword(&self) -> &'a [u8] {
        self.tokens.first().map_or(b"", |t| t.text)
    }

    /// All words.
    pub fn tokens(&self) -> &[Token<'a>] {
        &self.tokens
    }

    /// The words after the first.
    pub fn words(&self) -> &[Token<'a>] {
        self.tokens.get(1..).unwrap_or_default()
    }

    /// The line of the first word.
    pub fn line(&self) -> usize {
        self.tokens.first().map_or(0, |t| t.line)
    }

    /// An error at the first word.
    pub fn error(&self, what: impl Into<String>) -> MeshError {
        match self.tokens.first() {
            Some(first) => first.error(what),
            None => MeshError::new(what),
        }
    }
}

/// Walks over the statements of a file.
pub struct Tokens<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Tokens<'a> {
    /// At the start of a file.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, line: 0 }
    }

    /// Fills `statement` with the next one, which may be empty; false at the end of the file.
    pub fn next(&mut self, statement: &mut Statement<'a>) -> bool {
        statement.tokens.clear();
        if self.rest.is_empty() {
            return false;
        }
        loop {
            let end = self.rest.iter().position(|&b| b == b'\n').unwrap_or(self.rest.len());
            let line = &self.rest[..end];
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            self.line += 1;
            let line = line.trim_ascii_end();
            let (line, goes_on) = match line.strip_suffix(b"\\") {
                Some(before) => (before, true),
                None => (line, false),
            };
            self.split(line, statement);
            if !goes_on || self.rest.is_empty() {
                return true;
            }
        }
    }

    fn split(&self, line: &'a [u8], statement: &mut Statement<'a>) {
        let mut at = 0;
        while at < line.len() {
            if line[at].is_ascii_whitespace() {
                at += 1;
                continue;
            }
            if line[at] == b'#' {
                return;
            }
            let length = line[at..].iter().position(u8::is_ascii_whitespace).unwrap_or(line.len() - at);
            statement.tokens.push(Token { text: &line[at..at + length], line: self.line, column: at + 1 });
            at += length;
        }
    }
}
