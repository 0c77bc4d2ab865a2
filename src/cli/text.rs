//! Untrusted text in messages: escapes controls and line breaks, and limits the length.

use std::borrow::Cow;

/// Longest line [characters].
const MOST: usize = 3000;
/// Characters kept at the end of a longer line.
const END: usize = 500;

/// Returns whether a character is invisible but acts: a control, a change of direction, a line break.
fn acts(c: char) -> bool {
    let direction =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || direction || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn escaped(text: &str, keeps: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) && !keeps.contains(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Returns text as one line. Controls are escaped as `\\u{1b}`, and the middle of a long text is left out.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= MOST {
        return if text.chars().any(acts) { escaped(text, "").into() } else { text.into() };
    }
    let begin: String = text.chars().take(MOST - END).collect();
    let end: String = text.chars().skip(count - END).collect();
    format!("{} ... ({} characters left out) ... {}", escaped(&begin, ""), count - MOST, escaped(&end, "")).into()
}

/// Escapes controls as [`line`] does, but keeps line ends and tabs.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| acts(c) && c != '\n' && c != '\t') { escaped(text, "\n\t").into() } else { text.into() }
}

/// Formats a count with the singular noun `one`: `1 thread`, `2 threads`, `2 vertices`.
pub(super) fn count(number: impl TryInto<u64> + Copy + std::fmt::Display, one: &str) -> String {
    match (number.try_into(), one.strip_suffix("ex")) {
        (Ok(1), _) => format!("{number} {one}"),
        (_, Some(stem)) => format!("{number} {stem}ices"),
        _ => format!("{number} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_told_as_one() {
        assert_eq!([count(0_u32, "thread"), count(1_u64, "thread")], ["0 threads", "1 thread"]);
        assert_eq!([count(1_usize, "vertex"), count(2_usize, "vertex")], ["1 vertex", "2 vertices"]);
    }

    #[test]
    fn nothing_in_a_message_acts() {
        assert_eq!(line("a \u{1b}[31mred\r\nInfo forged\u{7}"), "a \\u{1b}[31mred\\r\\nInfo forged\\u{7}");
        assert_eq!(line("exe.\u{202e}gnp, \u{9b}2J"), "exe.\\u{202e}gnp, \\u{9b}2J");
        for text in ["シーン 'Größe' \"x\" 50 %", "می\u{200c}خواهم", "a\\b"] {
            assert_eq!(line(text), text);
        }
        assert_eq!(lines("a\tb\nc\u{1b}"), "a\tb\nc\\u{1b}");
        let long = line(&"é".repeat(1_000_000)).into_owned();
        assert!(long.chars().count() < 3100 && long.contains("(997000 characters left out)"), "{}", long.len());
    }
}
