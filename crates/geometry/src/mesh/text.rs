//! Text of other programs: with or without a byte order mark, in UTF-8, UTF-16 or Latin-1.

use crate::mesh::MeshError;
use std::borrow::Cow;

/// Byte order mark of UTF-8. Some programs begin a text with it, and it stays between two joined texts.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// Returns the bytes of a file without its byte order mark, with UTF-16 converted to UTF-8. Files that mix text and
/// binary numbers begin with text, so their first bytes decide as well.
///
/// # Errors
/// Fails for UTF-32, and for UTF-16 that ends within a character.
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

/// Decodes a name. Bytes that are not UTF-8 are read as Latin-1, so that different names stay different.
pub fn name(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_string(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    }
}

/// Decodes a whole text, and converts its ends of lines (`\r\n`, or `\r` alone) to `\n`.
///
/// # Errors
/// Fails as [`plain`] does.
pub fn whole(bytes: &[u8]) -> Result<String, MeshError> {
    Ok(name(&plain(bytes)?).replace("\r\n", "\n").replace('\r', "\n"))
}

/// Rejects an empty file or a Git LFS pointer, so that the parser does not report a misleading syntax error.
///
/// # Errors
/// Fails if the file is empty or a Git LFS pointer.
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
        let describe = |bytes: &[u8]| plain(bytes).unwrap_err().to_string();
        assert!(describe(b"\xff\xfev\0 ").contains("UTF-16") && describe(b"\xff\xfe\0\0v\0\0\0").contains("UTF-32"));
        // Binary numbers are not treated as text.
        assert_eq!(plain(b"\0\0\x80?\0\0").unwrap(), &b"\0\0\x80?\0\0"[..]);
        assert!(there(b" \r\n").is_err() && there(b"version https://git-lfs.github.com/spec/v1\n").is_err());
    }
}
