//! USD text in a form that `openusd` reads.
//!
//! Its parser refuses numbers such as `.01` and `1.`, comments after `//` and type names of old files. It also refuses
//! samples of asset paths, and arrays of some types that no mesh has.

/// First bytes of USD text.
pub(super) const MAGIC: &[u8] = b"#usda";

/// Types whose arrays the parser refuses, each with a type that holds the same values.
const ARRAYS: [(&[u8], &[u8]); 4] =
    [(b"uchar", b"int"), (b"uint", b"int64"), (b"uint64", b"double"), (b"timecode", b"double")];
/// Words before the name of an attribute that the parser refuses, each with one of the same notation.
const TYPES: [(&[u8], &[u8]); 36] = [
    (b"pathExpression", b"string"),
    (b"config", b"uniform"),
    (b"Vec2i", b"int2"),
    (b"Vec2h", b"half2"),
    (b"Vec2f", b"float2"),
    (b"Vec2d", b"double2"),
    (b"Vec3i", b"int3"),
    (b"Vec3h", b"half3"),
    (b"Vec3f", b"float3"),
    (b"Vec3d", b"double3"),
    (b"Vec4i", b"int4"),
    (b"Vec4h", b"half4"),
    (b"Vec4f", b"float4"),
    (b"Vec4d", b"double4"),
    (b"vec2f", b"float2"),
    (b"vec3f", b"float3"),
    (b"vec4f", b"float4"),
    (b"PointFloat", b"point3f"),
    (b"Point", b"point3d"),
    (b"NormalFloat", b"normal3f"),
    (b"Normal", b"normal3d"),
    (b"VectorFloat", b"vector3f"),
    (b"Vector", b"vector3d"),
    (b"ColorFloat", b"color3f"),
    (b"Color", b"color3d"),
    (b"Quath", b"quath"),
    (b"Quatf", b"quatf"),
    (b"Quatd", b"quatd"),
    (b"Matrix2d", b"matrix2d"),
    (b"Matrix3d", b"matrix3d"),
    (b"Matrix4d", b"matrix4d"),
    (b"Frame", b"frame4d"),
    (b"Transform", b"matrix4d"),
    (b"PointIndex", b"int"),
    (b"EdgeIndex", b"int"),
    (b"FaceIndex", b"int"),
];

/// Rewrites numbers and types that the parser refuses. Strings, comments, paths and line numbers stay.
pub(super) fn plain(text: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(text.len() + text.len() / 64);
    let mut at = 0;
    // Set in samples of asset paths, which are rewritten as those of strings.
    let mut assets = false;
    while at < text.len() {
        let rest = &text[at..];
        let (length, mut instead) = token(rest);
        match rest[0] {
            b'a' if samples_assets(&rest[..length], &rest[length..]) => {
                (assets, instead) = (true, Some(b"string".to_vec()));
            }
            b'}' => assets = false,
            b'@' if assets => instead = Some(as_string(&rest[..length])),
            _ => (),
        }
        match instead {
            Some(instead) => all.extend_from_slice(&instead),
            None => all.extend_from_slice(&rest[..length]),
        }
        at += length;
    }
    all
}

/// Returns whether a word begins the samples of an attribute of asset paths.
fn samples_assets(word: &[u8], behind: &[u8]) -> bool {
    let name = behind.trim_ascii_start();
    let of_name = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b':');
    let end = name.iter().position(|c| !of_name(c)).unwrap_or(name.len());
    word == b"asset" && end > 0 && name[end..].starts_with(b".timeSamples")
}

/// Returns an asset path as a string.
fn as_string(path: &[u8]) -> Vec<u8> {
    let path = path.strip_prefix(b"@@@").and_then(|path| path.strip_suffix(b"@@@")).unwrap_or(path);
    let inner = path.iter().filter(|c| !matches!(**c, b'@' | b'"' | b'\\' | b'\n' | b'\r')).copied();
    [b'"'].into_iter().chain(inner).chain([b'"']).collect()
}

/// Returns the length of the token at the start of a text, and the text in its place if it has to be another.
fn token(rest: &[u8]) -> (usize, Option<Vec<u8>>) {
    let next = |k: usize| rest.get(k).copied().unwrap_or_default();
    match rest[0] {
        b'#' => (rest.iter().position(|c| matches!(c, b'\n' | b'\r')).unwrap_or(rest.len()), None),
        b'/' if next(1) == b'/' => {
            let length = rest.iter().position(|c| matches!(c, b'\n' | b'\r')).unwrap_or(rest.len());
            (length, Some([b"#", &rest[1..length]].concat()))
        }
        b'/' if next(1) == b'*' => (after(rest, 2, b"*/"), None),
        quote @ (b'"' | b'\'' | b'@') => {
            let triple = [quote; 3];
            let length = if rest.starts_with(&triple) { quoted(rest, &triple) } else { quoted(rest, &[quote]) };
            (length, None)
        }
        b'<' => (after(rest, 1, b">"), None),
        c if c.is_ascii_alphabetic() || c == b'_' => word(rest),
        c if c.is_ascii_digit() => number(rest),
        b'.' if next(1).is_ascii_digit() => {
            let (length, instead) = number(&rest[1..]);
            let digits = instead.unwrap_or_else(|| rest[1..=length].to_vec());
            (length + 1, Some([b"0.", &digits[..]].concat()))
        }
        _ => (1, None),
    }
}

/// Returns the end of the first `end` from a place on.
fn after(rest: &[u8], from: usize, end: &[u8]) -> usize {
    let found = rest.get(from..).and_then(|rest| rest.windows(end.len()).position(|w| w == end));
    found.map_or(rest.len(), |k| from + k + end.len())
}

/// Returns the length of a string or an asset path, which ends as it begins. In strings a backslash guards the next
/// character.
fn quoted(rest: &[u8], quote: &[u8]) -> usize {
    let mut k = quote.len();
    while k < rest.len() {
        if rest[k] == b'\\' && quote[0] != b'@' {
            k += 2;
        } else if rest[k..].starts_with(quote) {
            return k + quote.len();
        } else {
            k += 1;
        }
    }
    rest.len()
}

/// Reads a word, which is another one if it is a type that the parser refuses.
fn word(rest: &[u8]) -> (usize, Option<Vec<u8>>) {
    let of_word = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'_' | b':') || *c >= 0x80;
    let length = rest.iter().position(|c| !of_word(c)).unwrap_or(rest.len());
    let (word, behind) = rest.split_at(length);
    let array = || {
        let behind = behind.trim_ascii_start();
        behind.strip_prefix(b"[").is_some_and(|behind| behind.trim_ascii_start().starts_with(b"]"))
    };
    // The name of an attribute follows its type; a word that is a name or a value is followed by something else.
    let named = || {
        let begin = behind.trim_ascii_start();
        begin.len() < behind.len() && begin.first().is_some_and(|c| c.is_ascii_alphabetic() || *c == b'_')
    };
    let find = |all: &[(&[u8], &[u8])]| all.iter().find(|(from, _)| *from == word).map(|(_, to)| to.to_vec());
    let instead = find(&ARRAYS).filter(|_| array()).or_else(|| find(&TYPES).filter(|_| array() || named()));
    (length, instead)
}

/// Reads an unsigned number, with a digit on both sides of its point.
fn number(rest: &[u8]) -> (usize, Option<Vec<u8>>) {
    let digits = |from: usize| {
        rest.get(from..).map_or(0, |rest| rest.iter().position(|c| !c.is_ascii_digit()).unwrap_or(rest.len()))
    };
    let whole = digits(0);
    let mut length = whole;
    let mut instead = None;
    if rest.get(whole) == Some(&b'.') {
        let part = digits(whole + 1);
        length = whole + 1 + part;
        if part == 0 {
            instead = Some([&rest[..length], b"0"].concat());
        }
    }
    (length, instead)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> String {
        String::from_utf8(plain(text.as_bytes())).unwrap()
    }

    #[test]
    fn numbers_have_digits_on_both_sides() {
        assert_eq!(of("[.5, -.5, 1., (2.e3,.25e-2), 3.5]"), "[0.5, -0.5, 1.0, (2.0e3,0.25e-2), 3.5]");
        assert_eq!(of("float a1.timeSamples = {1.: .5}"), "float a1.timeSamples = {1.0: 0.5}");
        assert_eq!(of("rel x.connect = </A.b>"), "rel x.connect = </A.b>");
    }

    #[test]
    fn strings_comments_and_paths_stay() {
        for text in [
            "s = \"a .5 uint[] \\\" .5\" # .5\n",
            "'.5'",
            "\"\"\"a \"quoted\" .5\n\"\"\"",
            "@a/.5.usda@",
            "@@@x@.5@@@",
            "</a/b.x.5>",
            "/* .5 uint[] */",
        ] {
            assert_eq!(of(text), text);
        }
        assert_eq!(of("\"open .5"), "\"open .5");
        assert_eq!(of("\"\\"), "\"\\");
    }

    #[test]
    fn arrays_of_unread_types_are_of_read_ones() {
        assert_eq!(of("custom uint[] ids = [1]"), "custom int64[] ids = [1]");
        assert_eq!(of("uint64 [ ] uint = 3"), "double [ ] uint = 3");
        assert_eq!(of("uint uint = 3"), "uint uint = 3");
        assert_eq!(of("Vec3f[] e = [(1., 2, 3)] // .5"), "float3[] e = [(1.0, 2, 3)] #/ .5");
        assert_eq!(of("def Transform \"Frame\" {}"), "def Transform \"Frame\" {}");
        assert_eq!(
            of("asset a:b.timeSamples = { 1: @x\"y@, 2: @@@z@@@ } asset c = @w@"),
            "string a:b.timeSamples = { 1: \"xy\", 2: \"z\" } asset c = @w@"
        );
        assert_eq!(of("pathExpression a = \"/b\""), "string a = \"/b\"");
    }
}
