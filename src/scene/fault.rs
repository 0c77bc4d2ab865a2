//! Faults: where in the user's words, what is wrong, what would be right.

use std::fmt;

/// Where a fault stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In a file, as it was named; line and column count characters from 1.
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
}

/// One thing that is wrong with the input.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Where.
    pub place: Place,
    /// Path of the key, such as `cloth[0].pin[1].from`; empty for the file as a whole.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.place {
            Place::File { file, line, column } => write!(f, "{file}:{line}:{column}: ")?,
            Place::Argument(argument) => write!(f, "{argument}: ")?,
        }
        let named = matches!(&self.place, Place::Argument(a) if a.strip_prefix("--set ") == Some(&self.key));
        if !self.key.is_empty() && !named {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}", self.message)
    }
}

/// The candidate that was probably meant: nearest by edits (insert, drop, replace, swap neighbours), at most a third of the
/// word's letters.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
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

/// `; did you mean 'x'?`, or nothing.
pub fn meant<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|c| format!("; did you mean '{c}'?")).unwrap_or_default()
}

/// Optimal string alignment distance.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(64).collect(), b.chars().take(64).collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

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
