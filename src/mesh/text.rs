//! Text as other programs save it: with or without a mark of its encoding, in UTF-8, UTF-16 or Latin-1.

use crate::mesh::MeshError;
use std::borrow::Cow;

/// The mark with which some programs begin a UTF-8 text, and which stays between two that were joined.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes of a file without the mark of its encoding; what is UTF-16 becomes UTF-8. Files that mix text and binary
/// numbers begin with text, so they are told apart by their first bytes like others.
///
/// # Errors
/// UTF-32, and UTF-16 that ends within a character.
pub fn plain(bytes: &[u8]) -> Result<Cow<'_, [u8]>, MeshError> {
    let little = u16::from_le_bytes as fn([u8; 2]) -> u16;
    let letter = |b: u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => {
            Err(MeshError::new("the file is UTF-32 text; save it as UTF-8"))
        }
        [0xef, 0xbb, 0xbf, rest @ ..] => Ok(Cow::Borrowed(rest)),
        [0xff, 0xfe, rest @ ..] => utf16(rest, little),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [a, 0, b, 0, ..] if letter(*a) && letter(*b) => utf16(bytes, little),
        [0, a, 0, b, ..] if letter(*a) && letter(*b) => utf16(bytes, u16::from_be_bytes),
        _ => Ok(Cow::Borrowed(bytes)),
    }
}

fn utf16(bytes: &[u8], unit: impl Fn([u8; 2]) -> u16) -> Result<Cow<'_, [u8]>, MeshError> {
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(MeshError::new("the file is UTF-16 text and ends within a character; save it as UTF-8"));
    }
    let text: String =
        char::decode_utf16(units.iter().map(|u| unit(*u))).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    Ok(Cow::Owned(text.into_bytes()))
}

/// A name. Bytes that are no UTF-8 are Latin-1, so that two names never become one.
pub fn name(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

/// A whole text with `\n` at the ends of its lines, whichever it has (`\r\n`, or `\r` alone).
///
/// # Errors
/// As [`plain`].
pub fn whole(bytes: &[u8]) -> Result<String, MeshError> {
    Ok(name(&plain(bytes)?).replace("\r\n", "\n").replace('\r', "\n"))
}

/// A file that holds nothing, or only stands for another one, is told before it is read as what it is not.
///
/// # Errors
/// The file is empty, or a pointer of Git LFS.
pub fn there(bytes: &[u8]) -> Result<&[u8], MeshError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(MeshError::new("the file is empty"));
    }
    if bytes.starts_with(b"version https://git-lfs") {
        return Err(MeshError::new("a pointer of Git LFS, not the file itself; fetch it with git lfs pull"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_is_the_same_text() {
        let text = "v 0 1\nÄrmel\n";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|u| u.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|u| u.to_be_bytes()).collect();
        let marked = |mark: &[u8], rest: &[u8]| [mark, rest].concat();
        let all = [
            text.as_bytes().to_vec(),
            marked(MARK, text.as_bytes()),
            marked(&[0xff, 0xfe], &little),
            marked(&[0xfe, 0xff], &big),
            little,
            big,
        ];
        for bytes in all {
            assert_eq!(plain(&bytes).unwrap(), text.as_bytes(), "{bytes:?}");
        }
        assert_eq!(name(b"\xc4rmel"), "Ärmel");
        assert_eq!(whole(b"a\rb\r\nc\nd").unwrap(), "a\nb\nc\nd");
        let told = |bytes: &[u8]| plain(bytes).unwrap_err().to_string();
        assert!(told(b"\xff\xfev\0 ").contains("UTF-16") && told(b"\xff\xfe\0\0v\0\0\0").contains("UTF-32"));
        // Binary numbers are no text.
        assert_eq!(plain(b"\0\0\x80?\0\0").unwrap(), &b"\0\0\x80?\0\0"[..]);
        assert!(there(b" \r\n").is_err() && there(b"version https://git-lfs.github.com/spec/v1\n").is_err());
    }
}
