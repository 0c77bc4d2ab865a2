//! Names of the folders of scenes and sweeps, valid on every system.

use unicode_normalization::UnicodeNormalization;

/// Largest number of characters of a name.
pub(super) const MOST: usize = 64;
/// Largest number of bytes of a name. Systems allow 255, and more is appended to the name.
const BYTES: usize = 200;

/// Description of a valid name, for messages.
pub(super) const WANTED: &str = "a name of letters, digits, '_' and '-', at most 64";

/// Names that Windows reserves, with any extension.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Returns whether a folder name may contain this character. Allowed are letters, digits and marks of all scripts, `_`,
/// `-`, and other characters outside ASCII. Spaces and invisible characters are not allowed, except the joiners that
/// some scripts need.
pub(super) fn fits(c: char) -> bool {
    let joins = matches!(c, '\u{200c}' | '\u{200d}');
    // Direction and format controls, private use, the replacement character, and noncharacters.
    let unseen = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
        | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{fff0}'..='\u{ffff}' | '\u{e0000}'..='\u{10ffff}');
    match c {
        '_' | '-' => true,
        _ if c.is_ascii() => c.is_ascii_alphanumeric(),
        _ => joins || !(c.is_control() || c.is_whitespace() || unseen || c as u32 & 0xfffe == 0xfffe),
    }
}

/// Returns whether Windows reserves the name.
pub(super) fn reserved(name: &str) -> bool {
    let name = name.to_lowercase();
    let numbered = |stem: &str| {
        let digit = name.strip_prefix(stem).unwrap_or_default();
        matches!(digit, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
    };
    RESERVED.contains(&name.as_str()) || numbered("com") || numbered("lpt")
}

/// Returns the composed form (NFC) of a name, whose letters may be composed in several ways.
pub(super) fn composed(name: &str) -> String {
    name.nfc().collect()
}

/// Returns whether a composed name is valid.
pub(super) fn good(name: &str) -> bool {
    let length = name.chars().count();
    (1..=MOST).contains(&length) && name.len() <= BYTES && name.chars().all(fits) && !reserved(name)
}

/// Returns the valid name nearest to a text. `_` replaces invalid characters and is appended to a reserved name. An
/// empty text gives an empty name.
pub(super) fn made_of(text: &str) -> String {
    let mut name = String::new();
    for c in text.nfc().take(MOST).map(|c| if fits(c) { c } else { '_' }) {
        if name.len() + c.len_utf8() > BYTES {
            break;
        }
        name.push(c);
    }
    if reserved(&name) { format!("{name}_") } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_scripts_stay() {
        for name in ["シーン", "カット", "Größe", "сцена", "दृश्य", "مشهد", "場面-2", "napkin_3", "می\u{200c}خواهم"]
        {
            assert_eq!(made_of(name), name);
            assert!(good(name), "{name}");
        }
        // The result is composed, even if the system that gave the name decomposes letters.
        assert_eq!(made_of("cafe\u{301}"), "caf\u{e9}");
        assert_eq!(made_of("カ\u{3099}"), "ガ");
    }

    #[test]
    fn names_can_be_held_by_every_system() {
        let cases = [
            ("a b.c", "a_b_c"),
            ("..", "__"),
            ("a/b\\c:d*e?\"<>|", "a_b_c_d_e_____"),
            ("end. ", "end__"),
            ("CON", "CON_"),
            ("aux", "aux_"),
            ("Lpt9", "Lpt9_"),
            ("com²", "com²_"),
            ("com0", "com0"),
            ("console", "console"),
            ("場\u{3000}面", "場_面"),
            ("a\u{202e}b\u{200b}c\u{7}d\u{fffd}", "a_b_c_d_"),
            ("", ""),
        ];
        for (text, wanted) in cases {
            assert_eq!(made_of(text), wanted);
            assert!(wanted.is_empty() || good(wanted), "{wanted}");
        }
        for text in ["場".repeat(100), "a".repeat(100), "𝒳".repeat(64)] {
            let name = made_of(&text);
            assert!(name.len() <= BYTES && good(&name) && text.starts_with(&name), "{name}");
        }
        assert!(!good("") && !good("nul") && !good("a b") && !good(&"a".repeat(65)));
    }
}
