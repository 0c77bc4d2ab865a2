//! The header of a PLY file. Names of properties are taken as they stand, whatever letters, points and blanks they are of:
//! programs write the names of their users into them.

use crate::mesh::cursor::{Cursor, Encoding};
use crate::mesh::statement::Token;
use crate::mesh::{MeshError, text};

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// One byte, signed.
    Char,
    /// One byte.
    UChar,
    /// Two bytes, signed.
    Short,
    /// Two bytes.
    UShort,
    /// Four bytes, signed.
    Int,
    /// Four bytes.
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

    /// Bytes of a binary number.
    pub fn width(self) -> usize {
        match self {
            Scalar::Char | Scalar::UChar => 1,
            Scalar::Short | Scalar::UShort => 2,
            Scalar::Int | Scalar::UInt | Scalar::Float => 4,
            Scalar::Double => 8,
        }
    }

    /// The number at the cursor, in a file of text in the same line; it need not be finite.
    ///
    /// # Errors
    /// The line or the file ends, or there is no number.
    pub fn read(self, cursor: &mut Cursor, encoding: Encoding, expected: &str) -> Result<f64, MeshError> {
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

/// A property: one number, or a list of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Its numbers.
    pub scalar: Scalar,
    /// The number that says how long a list is; none for one number.
    pub length: Option<Scalar>,
}

/// A table of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// How many records it has.
    pub count: usize,
    /// What a record holds, in order.
    pub properties: Vec<Property>,
}

/// What the header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// How numbers are written.
    pub encoding: Encoding,
    /// The tables in order.
    pub elements: Vec<Element>,
}

/// Reads a header; the cursor stands on the first number then.
///
/// # Errors
/// With line and column: what is no PLY file, a line that is none of a header, an unknown type, a name that is there twice.
pub fn read(cursor: &mut Cursor) -> Result<Header, MeshError> {
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

/// A line `property type name` or `property list type type name`; names may hold blanks.
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
