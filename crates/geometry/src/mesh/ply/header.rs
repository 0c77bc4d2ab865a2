//! Header of a PLY file. Names of properties are kept unchanged, with any letters, points and blanks. Programs write
//! names chosen by their users into them.

use crate::mesh::cursor::{Cursor, Encoding};
use crate::mesh::statement::Token;
use crate::mesh::{MeshError, text};

/// Type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    /// Signed, 1 byte.
    Char,
    /// Unsigned, 1 byte.
    UChar,
    /// Signed, 2 bytes.
    Short,
    /// Unsigned, 2 bytes.
    UShort,
    /// Signed, 4 bytes.
    Int,
    /// Unsigned, 4 bytes.
    UInt,
    /// Single precision.
    Float,
    /// Double precision.
    Double,
}

impl Scalar {
    fn named(word: &Token) -> Result<Self, MeshError> {
        Ok(match word.text.to_ascii_lowercase().as_slice() {
            b"char" | b"int8" => Scalar::Char,
            b"uchar" | b"uint8" => Scalar::UChar,
            b"short" | b"int16" => Scalar::Short,
            b"ushort" | b"uint16" => Scalar::UShort,
            b"int" | b"int32" => Scalar::Int,
            b"uint" | b"uint32" => Scalar::UInt,
            b"float" | b"float32" => Scalar::Float,
            b"double" | b"float64" => Scalar::Double,
            _ => {
                let message = format!("'{}' is no type of numbers (as float, double, uchar, int)", word.shown());
                return Err(word.error(message));
            }
        })
    }

    /// Returns the size of a binary number [bytes].
    pub(super) fn width(self) -> usize {
        match self {
            Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Double => 8,
        }
    }

    /// Reads the number at the cursor, which in a text file must be in the same line. The number need not be finite.
    ///
    /// # Errors
    /// Fails if the line or the file ends, or the word is not a number.
    pub(super) fn read(self, cursor: &mut Cursor, encoding: Encoding, expected: &str) -> Result<f64, MeshError> {
        if encoding == Encoding::Text {
            return cursor.word_in_line(expected)?.number();
        }
        Ok(match self {
            Scalar::Char => i8::from_be_bytes(cursor.number(encoding, expected)?).into(),
            Scalar::UChar => u8::from_be_bytes(cursor.number(encoding, expected)?).into(),
            Scalar::Short => i16::from_be_bytes(cursor.number(encoding, expected)?).into(),
            Scalar::UShort => u16::from_be_bytes(cursor.number(encoding, expected)?).into(),
            Scalar::Int => i32::from_be_bytes(cursor.number(encoding, expected)?).into(),
            Scalar::UInt => u32::from_be_bytes(cursor.number(encoding, expected)?).into(),
            Scalar::Float => f32::from_be_bytes(cursor.number(encoding, expected)?).into(),
            Scalar::Double => f64::from_be_bytes(cursor.number(encoding, expected)?),
        })
    }
}

/// Property: one number, or a list of numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    /// Name.
    pub name: String,
    /// Type of its numbers.
    pub scalar: Scalar,
    /// Type of the length of a list; none for one number.
    pub length: Option<Scalar>,
}

/// Element: a table of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    /// Name.
    pub name: String,
    /// Number of records.
    pub count: usize,
    /// Properties of a record, in order.
    pub properties: Vec<Property>,
}

/// Content of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Encoding of numbers.
    pub encoding: Encoding,
    /// Elements, in order.
    pub elements: Vec<Element>,
}

/// Reads a header. The cursor is then at the first number.
///
/// # Errors
/// Fails if the file is not PLY. Fails, with line and column, for a line that does not belong to a header, an unknown
/// type, or a duplicate name.
pub(super) fn read(cursor: &mut Cursor) -> Result<Header, MeshError> {
    if cursor.rest_of_line().text != b"ply" {
        return Err(MeshError::new("not a valid PLY file: it does not begin with a line 'ply'"));
    }
    let mut encoding = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        if cursor.exhausted() {
            return Err(MeshError::new("not a valid PLY file: missing 'end_header', the file is cut short"));
        }
        let line = cursor.rest_of_line();
        let words = line.words();
        let [keyword, rest @ ..] = words.as_slice() else { continue };
        match (keyword.text, rest) {
            (b"comment" | b"obj_info", _) => {}
            (b"end_header", _) => break,
            (b"format", [kind, version]) if version.text == b"1.0" => {
                encoding = Some(match kind.text {
                    b"ascii" => Encoding::Text,
                    b"binary_little_endian" => Encoding::Little,
                    b"binary_big_endian" => Encoding::Big,
                    _ => return Err(kind.error(format!("format '{}' is not known", kind.shown()))),
                });
            }
            (b"format", _) => return Err(keyword.error("expected 'format ascii 1.0' or a binary one of version 1.0")),
            (b"element", [name, count]) => {
                let name = name.name();
                let Some(count) = text::name(count.text).parse().ok() else {
                    if count.integer().is_ok_and(|number| number < 0) {
                        let what = format!("the number of records of '{name}' is {}, which is negative", count.shown());
                        return Err(count.error(what));
                    }
                    return Err(count.error(format!("'{}' is no count of records", count.shown())));
                };
                if elements.iter().any(|known| known.name == name) {
                    return Err(keyword.error(format!("a second element '{name}'")));
                }
                elements.push(Element { name, count, properties: Vec::new() });
            }
            (b"element", _) => return Err(keyword.error("expected 'element', a name, and a count of records")),
            (b"property", rest) => {
                let Some(element) = elements.last_mut() else {
                    return Err(keyword.error("a property stands before the first element"));
                };
                element.properties.push(property(keyword, rest, &element.properties)?);
            }
            _ => {
                let what = "where comment, element, property or end_header should stand";
                return Err(keyword.error(format!("'{}' {what}", keyword.shown())));
            }
        }
    }
    let encoding = encoding.ok_or_else(|| MeshError::new("not a valid PLY file: the line 'format' is missing"))?;
    Ok(Header { encoding, elements })
}

/// Reads a line `property type name` or `property list type type name`. Names may contain blanks.
fn property(keyword: &Token, rest: &[Token], known: &[Property]) -> Result<Property, MeshError> {
    let (length, scalar, name) = match rest {
        [list, length, scalar, name @ ..] if list.text == b"list" => {
            (Some(Scalar::named(length)?), Scalar::named(scalar)?, name)
        }
        [scalar, name @ ..] => (None, Scalar::named(scalar)?, name),
        [] => (None, Scalar::Float, rest),
    };
    if name.is_empty() {
        return Err(keyword.error("expected 'property', a type and a name, or 'property list', two types and a name"));
    }
    if length.is_some_and(|length| matches!(length, Scalar::Float | Scalar::Double)) {
        return Err(keyword.error("the length of a list is a whole number"));
    }
    let name = name.iter().map(Token::name).collect::<Vec<String>>().join(" ");
    if known.iter().any(|other| other.name == name) {
        return Err(keyword.error(format!("a second property '{name}' of the same element; rename one of them")));
    }
    Ok(Property { name, scalar, length })
}
