//! Cursor over files in which text and binary numbers alternate, as in Gmsh and VTK.

use crate::mesh::MeshError;
use crate::mesh::statement::Token;

/// Encoding of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Digits between blanks.
    Text,
    /// Binary, little-endian.
    Little,
    /// Binary, big-endian.
    Big,
}

/// Cursor over the bytes of a file. A count in the file never reserves memory: only existing bytes are read.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Line counted from 1 and its first byte. Errors report them until binary data have been read.
    line: usize,
    line_start: usize,
    /// Byte that ends a line: `\n`, or `\r` if the first line ends in `\r` alone.
    end: u8,
    binary: bool,
}

impl<'a> Cursor<'a> {
    /// Makes a cursor at the start of a file.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let first = bytes.iter().position(|b| matches!(b, b'\n' | b'\r'));
        let alone = first.is_some_and(|at| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
        Self { bytes, at: 0, line: 1, line_start: 0, end: if alone { b'\r' } else { b'\n' }, binary: false }
    }

    /// Skips blanks. Returns true at the end of the file.
    pub(super) fn at_end(&mut self) -> bool {
        while let Some(b) = self.bytes.get(self.at).filter(|b| b.is_ascii_whitespace()) {
            self.at += 1;
            if *b == self.end {
                self.line += 1;
                self.line_start = self.at;
            }
        }
        self.at == self.bytes.len()
    }

    /// Reads the next word of this line.
    ///
    /// # Errors
    /// Fails if the line or the file ends.
    pub(super) fn word_in_line(&mut self, expected: &str) -> Result<Token<'a>, MeshError> {
        while self.bytes.get(self.at).is_some_and(|b| b.is_ascii_whitespace() && *b != self.end) {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b) if *b == self.end => Err(self.error(format!("the line ends where {expected} should stand"))),
            _ => self.word(expected),
        }
    }

    /// Returns the number of remaining bytes.
    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Returns the line, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Returns whether no bytes remain, not even blanks.
    pub(super) fn exhausted(&self) -> bool {
        self.at == self.bytes.len()
    }

    /// Reads the next word. `expected` names it in an error.
    ///
    /// # Errors
    /// Fails if the file ends.
    pub(super) fn word(&mut self, expected: &str) -> Result<Token<'a>, MeshError> {
        if self.at_end() {
            return Err(self.cut_short(expected));
        }
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let token = self.token(length);
        self.at += length;
        Ok(token)
    }

    /// Returns whether the next bytes are `text`.
    pub(super) fn stands(&self, text: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(text)
    }

    /// Reads the rest of the line without its end and trailing blanks. Moves to the next line.
    pub(super) fn rest_of_line(&mut self) -> Token<'a> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|b| *b == self.end).unwrap_or(rest.len());
        let mut token = self.token(length);
        token.text = token.text.trim_ascii_end();
        self.at += length;
        if self.at < self.bytes.len() {
            self.at += 1;
            self.line += 1;
            self.line_start = self.at;
        }
        token
    }

    /// Ends a line of text before numbers. Binary numbers begin with the next byte after the end of the line.
    ///
    /// # Errors
    /// Fails if the line has more words.
    pub(super) fn numbers_follow(&mut self, encoding: Encoding) -> Result<(), MeshError> {
        if encoding == Encoding::Text {
            return Ok(());
        }
        let rest = self.rest_of_line();
        if rest.text.is_empty() { Ok(()) } else { Err(rest.error("the line should end here")) }
    }

    /// Moves past the next `text`, anywhere in a line. No end of line is needed after binary numbers.
    ///
    /// # Errors
    /// Fails if `text` does not occur in the rest of the file.
    pub(super) fn pass(&mut self, text: &str) -> Result<(), MeshError> {
        loop {
            let rest = &self.bytes[self.at..];
            let length = rest.iter().position(|b| *b == self.end).unwrap_or(rest.len());
            if let Some(k) = rest[..length].windows(text.len()).position(|w| w == text.as_bytes()) {
                self.at += k + text.len();
                return Ok(());
            }
            if rest.is_empty() {
                return Err(self.cut_short(text));
            }
            self.rest_of_line();
        }
    }

    /// Moves past `text`, which must come next, apart from blanks. Other characters may follow it at once.
    ///
    /// # Errors
    /// Fails if something else comes next, or the file ends.
    pub(super) fn past(&mut self, text: &str) -> Result<(), MeshError> {
        let word = self.word(text)?;
        if !word.text.starts_with(text.as_bytes()) {
            return Err(word.error(format!("'{}' where {text} should stand", word.shown())));
        }
        self.at -= word.text.len() - text.len();
        Ok(())
    }

    /// Reads an integer. A binary one has `width` bytes (4 or 8).
    ///
    /// # Errors
    /// Fails if the file ends, or the word is not an integer.
    pub(super) fn integer(&mut self, encoding: Encoding, width: usize, expected: &str) -> Result<i64, MeshError> {
        match (encoding, width) {
            (Encoding::Text, _) => self.word(expected)?.integer(),
            (_, 4) => Ok(i32::from_be_bytes(self.number(encoding, expected)?).into()),
            _ => Ok(i64::from_be_bytes(self.number(encoding, expected)?)),
        }
    }

    /// Reads an integer that is not negative.
    ///
    /// # Errors
    /// Fails as [`Cursor::integer`] does, or if the integer is negative.
    pub(super) fn count(&mut self, encoding: Encoding, width: usize, expected: &str) -> Result<usize, MeshError> {
        let number = self.integer(encoding, width, expected)?;
        usize::try_from(number).map_err(|_| self.error(format!("{expected} is {number}, which is negative")))
    }

    /// Reads a finite number. A binary one has `width` bytes (4 or 8).
    ///
    /// # Errors
    /// Fails if the file ends, or the word is not a finite number.
    pub(super) fn real(&mut self, encoding: Encoding, width: usize, expected: &str) -> Result<f64, MeshError> {
        let number = match (encoding, width) {
            (Encoding::Text, _) => return self.word(expected)?.real(),
            (_, 4) => f32::from_be_bytes(self.number(encoding, expected)?).into(),
            _ => f64::from_be_bytes(self.number(encoding, expected)?),
        };
        if number.is_finite() {
            Ok(number)
        } else {
            Err(self.error(format!("{expected} is {number}, not a finite number")))
        }
    }

    /// Skips `count` numbers of `width` bytes.
    ///
    /// # Errors
    /// Fails if the file ends.
    pub(super) fn skip(
        &mut self,
        encoding: Encoding,
        count: usize,
        width: usize,
        expected: &str,
    ) -> Result<(), MeshError> {
        if encoding == Encoding::Text {
            for _ in 0..count {
                self.word(expected)?;
            }
        } else {
            self.take(count.saturating_mul(width), expected)?;
        }
        Ok(())
    }

    /// Makes an error at the cursor.
    pub(super) fn error(&self, what: impl Into<String>) -> MeshError {
        if self.binary {
            MeshError::new(format!("before byte {}: {}", self.at, what.into()))
        } else {
            MeshError::at(self.line, self.at - self.line_start + 1, what)
        }
    }

    fn cut_short(&self, expected: &str) -> MeshError {
        self.error(format!("the file ends where {expected} should stand"))
    }

    /// Returns the next `length` bytes, which must exist and contain no end of line.
    fn token(&self, length: usize) -> Token<'a> {
        let line = if self.binary { 0 } else { self.line };
        Token::new(&self.bytes[self.at..self.at + length], line, self.at - self.line_start + 1)
    }

    /// Reads the bytes of a binary number, in big-endian order.
    ///
    /// # Errors
    /// Fails if the file ends.
    pub(super) fn number<const N: usize>(&mut self, encoding: Encoding, expected: &str) -> Result<[u8; N], MeshError> {
        let mut number = [0; N];
        number.copy_from_slice(self.take(N, expected)?);
        if encoding == Encoding::Little {
            number.reverse();
        }
        Ok(number)
    }

    fn take(&mut self, length: usize, expected: &str) -> Result<&'a [u8], MeshError> {
        self.binary = true;
        let end = self.at.saturating_add(length);
        let taken = self.bytes.get(self.at..end).ok_or_else(|| self.cut_short(expected))?;
        self.at = end;
        Ok(taken)
    }
}
