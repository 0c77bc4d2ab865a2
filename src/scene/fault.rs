//! Diagnostics of scene files: place in the user's text, fault, correction.

use std::fmt;

/// Place of a fault.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Position in a file.
    File {
        /// File as the user named it.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in characters, from 1.
        column: usize,
    },
    /// In an argument, such as `--set time.step`.
    Argument(String),
    /// In a scene without a file. The path of the key says where.
    Value,
}

/// Diagnostic of the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Place of the fault.
    pub place: Place,
    /// Path of the key, such as `cloth[0].pin[1].from`; empty for the file as a whole.
    pub key: String,
    /// Message: the fault and its correction.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.place {
            Place::File { file, line, column } => write!(f, "{file}:{line}:{column}: ")?,
            Place::Argument(argument) => write!(f, "{argument}: ")?,
            Place::Value => (),
        }
        let named = matches!(&self.place, Place::Argument(a) if a.strip_prefix("--set ") == Some(&self.key));
        if !self.key.is_empty() && !named {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}", self.message)
    }
}

/// Returns the candidate that was probably meant: the nearest by edits (insert, drop, replace, swap neighbours). Edits
/// are limited to a third of the word's letters.
pub(super) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = match word.chars().count() {
        0 | 1 => 0,
        length => (length / 3).max(1),
    };
    candidates
        .into_iter()
        .filter_map(|c| {
            let same = c.eq_ignore_ascii_case(word);
            let edits = if same { 0 } else { edits(&word.to_lowercase(), &c.to_lowercase()) };
            (edits <= most).then_some((edits, c))
        })
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, c)| c)
}

/// Largest number of suggested names.
const OFFERED: usize = 5;

/// Returns candidates that may be meant, nearest first. A candidate matches by few edits of the whole or of a word. It
/// also matches if a word of either contains one of the other.
pub(super) fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let short: String = word.to_lowercase().chars().take(64).collect();
    let parts = |text: &str| -> Vec<String> {
        text.to_lowercase()
            .split(|c: char| !c.is_alphanumeric())
            .filter(|p| p.chars().count() > 2)
            .map(str::to_string)
            .collect()
    };
    let own = parts(&short);
    let most = |word: &str| (word.chars().count() / 3).max(1);
    let rank = |candidate: &str| -> Option<usize> {
        let lower = candidate.to_lowercase();
        let whole = edits(&short, &lower);
        if whole <= most(&short) && short.chars().count() > 1 {
            return Some(whole);
        }
        let others = parts(&lower);
        let pairs = || own.iter().flat_map(|a| others.iter().map(move |b| (a, b)));
        if pairs().any(|(a, b)| a.contains(b.as_str()) || b.contains(a.as_str())) {
            return Some(100 + whole);
        }
        pairs().any(|(a, b)| edits(a, b) <= most(a).min(most(b))).then_some(200 + whole)
    };
    let mut found: Vec<(usize, &str)> = candidates.into_iter().filter_map(|c| Some((rank(c)?, c))).collect();
    found.sort();
    found.dedup_by_key(|(_, name)| *name);
    found.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

/// Returns `; did you mean 'x' or 'y'?`, or an empty text.
pub fn meant_of_many<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<String> = near(word, candidates).into_iter().map(|name| format!("'{name}'")).collect();
    match all.split_last() {
        None => String::new(),
        Some((one, [])) => format!("; did you mean {one}?"),
        Some((last, rest)) => format!("; did you mean {} or {last}?", rest.join(", ")),
    }
}

/// Returns `; did you mean 'x'?`, or an empty text.
pub(super) fn meant<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|c| format!("; did you mean '{c}'?")).unwrap_or_default()
}

/// Returns the optimal string alignment distance of the first 64 characters.
fn edits(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|text| text.chars().take(64).collect::<String>());
    strsim::osa_distance(&a, &b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_meant_are_offered() {
        let names = ["cotton", "cotton-duck", "silk", "silk-on-steel", "denim", "wool", "soft-foam"];
        assert_eq!(near("coton", names), ["cotton", "cotton-duck"]);
        assert_eq!(near("Silk2", names), ["silk", "silk-on-steel"]);
        assert_eq!(near("heavy denim", names), ["denim"]);
        assert_eq!(near("foam", names), ["soft-foam"]);
        assert!(near("stone", names).is_empty() && near("", names).is_empty() && near("x", names).is_empty());
        assert!(near(&"silk".repeat(100_000), names).len() <= 5);
        assert_eq!(meant_of_many("coton", names), "; did you mean 'cotton' or 'cotton-duck'?");
    }

    #[test]
    fn the_nearest_word_is_found() {
        let words = ["fps", "frames", "step", "min_step"];
        assert_eq!(nearest("fsp", words), Some("fps"));
        assert_eq!(nearest("frame", words), Some("frames"));
        assert_eq!(nearest("FPS", words), Some("fps"));
        assert_eq!(nearest("minstep", words), Some("min_step"));
        assert_eq!(nearest("gravity", words), None);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("ab", "ba"), 1);
    }
}
