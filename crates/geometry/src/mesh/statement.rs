//! Text split into statements of words, each word with its place. `#` begins a comment.

use crate::mesh::{MeshError, text};

/// Word with its place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Token<'a> {
    /// Bytes of the word.
    pub text: &'a [u8],
    line: usize,
    column: usize,
}

impl<'a> Token<'a> {
    /// Makes a word at a line and column, both counted from 1. Line 0 marks a word without a place.
    pub(super) fn new(text: &'a [u8], line: usize, column: usize) -> Self {
        Self { text, line, column }
    }

    /// Returns the word as text. Bytes that are not UTF-8 are read as Latin-1.
    pub(super) fn name(&self) -> String {
        text::name(self.text)
    }

    /// Returns the word for a message, at most 40 characters.
    pub(super) fn shown(&self) -> String {
        self.name().chars().take(40).collect()
    }

    /// Splits a line into words.
    pub(super) fn words(&self) -> Vec<Token<'a>> {
        let mut words = Vec::new();
        let mut at = 0;
        for piece in self.text.split(u8::is_ascii_whitespace) {
            if !piece.is_empty() {
                words.push(Token::new(piece, self.line, self.column + at));
            }
            at += piece.len() + 1;
        }
        words
    }

    /// Returns its line.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Makes an error at this word.
    pub(super) fn error(&self, what: impl Into<String>) -> MeshError {
        if self.line == 0 { MeshError::new(what) } else { MeshError::at(self.line, self.column, what) }
    }

    /// Parses the word as a finite number.
    ///
    /// # Errors
    /// Fails if the word is not a finite number.
    pub(super) fn real(&self) -> Result<f64, MeshError> {
        match self.number()? {
            x if x.is_finite() => Ok(x),
            _ => Err(self.error(format!("'{}' is not a finite number", self.shown()))),
        }
    }

    /// Parses the word as a number that may be infinite or NaN, as various programs write it (`-nan(ind)`, `1.#INF`).
    ///
    /// # Errors
    /// Fails for any other word.
    pub(super) fn number(&self) -> Result<f64, MeshError> {
        let parse = |text: &str| text.parse::<f64>().ok();
        if let Some(x) = std::str::from_utf8(self.text).ok().and_then(parse) {
            return Ok(x);
        }
        let name = self.name().to_ascii_lowercase();
        let digits = name.trim_start_matches(['+', '-']);
        if digits.starts_with("nan") || digits.starts_with("1.#") {
            return Ok(if digits.starts_with("1.#inf") { f64::INFINITY } else { f64::NAN });
        }
        let remedy = if parse(&name.replace(',', ".")).is_some() {
            "; write it with a point, not a comma"
        } else if parse(&name.replace('d', "e")).is_some() {
            "; write its exponent with e, not d"
        } else {
            ""
        };
        Err(self.error(format!("'{}' is not a number{remedy}", self.shown())))
    }

    /// Parses the word as an integer.
    ///
    /// # Errors
    /// Fails if the word is not an integer.
    pub(super) fn integer(&self) -> Result<i64, MeshError> {
        let number = std::str::from_utf8(self.text).ok().and_then(|t| t.parse().ok());
        number.ok_or_else(|| self.error(format!("'{}' is not a whole number", self.shown())))
    }
}

/// Statement: a line, or several joined by `\`.
#[derive(Debug, Default)]
pub(super) struct Statement<'a> {
    tokens: Vec<Token<'a>>,
}

impl<'a> Statement<'a> {
    /// Returns the first word, empty if there is none.
    pub(super) fn keyword(&self) -> &'a [u8] {
        self.tokens.first().map_or(b"", |t| t.text)
    }

    /// Returns all words.
    pub(super) fn tokens(&self) -> &[Token<'a>] {
        &self.tokens
    }

    /// Returns the words after the first.
    pub(super) fn words(&self) -> &[Token<'a>] {
        self.tokens.get(1..).unwrap_or_default()
    }

    /// Returns the line of the first word.
    pub(super) fn line(&self) -> usize {
        self.tokens.first().map_or(0, |t| t.line)
    }

    /// Makes an error at the first word.
    pub(super) fn error(&self, what: impl Into<String>) -> MeshError {
        match self.tokens.first() {
            Some(first) => first.error(what),
            None => MeshError::new(what),
        }
    }
}

/// Words that a name follows: it may end in `\`, as in a path or in Shift-JIS, and is whole at the end of its line.
const NAMING: [&[u8]; 6] = [b"g", b"o", b"usemtl", b"mtllib", b"usemap", b"maplib"];

/// Reader of the statements of a file. Lines end in `\n`, `\r\n` or `\r`.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
    line: usize,
}

impl<'a> Tokens<'a> {
    /// Starts at the beginning of a file.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, line: 0 }
    }

    /// Reads the next statement, which may be empty, into `statement`. Returns false at the end of the file.
    pub(super) fn next(&mut self, statement: &mut Statement<'a>) -> bool {
        statement.tokens.clear();
        if self.rest.is_empty() {
            return false;
        }
        loop {
            let end = self.rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(self.rest.len());
            let (line, rest) = self.rest.split_at(end);
            self.rest = rest.strip_prefix(b"\r\n").or(rest.get(1..)).unwrap_or_default();
            self.line += 1;
            let line = line.strip_prefix(text::MARK).unwrap_or(line).trim_ascii_end();
            let first = line.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or_default();
            let word = first.strip_suffix(b"\\").unwrap_or(first);
            let named = statement.tokens.is_empty() && NAMING.contains(&word);
            let before = line.strip_suffix(b"\\").filter(|_| !named);
            let commented = self.split(before.unwrap_or(line), statement);
            if before.is_none() || commented || self.rest.is_empty() {
                return true;
            }
        }
    }

    /// Adds the words of a line; true where a comment ends it.
    fn split(&self, line: &'a [u8], statement: &mut Statement<'a>) -> bool {
        let mut at = 0;
        while at < line.len() {
            if line[at].is_ascii_whitespace() {
                at += 1;
                continue;
            }
            if line[at] == b'#' {
                return true;
            }
            let length = line[at..].iter().position(u8::is_ascii_whitespace).unwrap_or(line.len() - at);
            statement.tokens.push(Token { text: &line[at..at + length], line: self.line, column: at + 1 });
            at += length;
        }
        false
    }
}
