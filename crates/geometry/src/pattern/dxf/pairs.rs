//! Pairs of code and value, of which a DXF file consists: two lines each.

use super::super::model::short;
use crate::mesh::{MeshError, text};

/// Largest number of pairs.
const MOST: usize = 20_000_000;

/// Code and value, with the line of the value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    /// Group code.
    pub code: u16,
    /// Value without blanks around.
    pub value: String,
    /// Line of the value, from 1.
    pub line: usize,
}

impl Pair {
    /// Returns the value as a number. A decimal comma is read as a point.
    ///
    /// # Errors
    /// Fails for what is no finite number.
    pub(super) fn number(&self) -> Result<f64, MeshError> {
        let parsed = self.value.parse().or_else(|_| self.value.replacen(',', ".", 1).parse());
        parsed.ok().filter(|v: &f64| v.is_finite()).ok_or_else(|| {
            let what = format!("'{}' is no finite number, at code {}", short(&self.value), self.code);
            MeshError { line: Some(self.line), column: None, what }
        })
    }
}

/// Reads all pairs. Texts that are not UTF-8 are read as Latin-1.
///
/// # Errors
/// Fails for a binary file, and at the first line that should be a code and is none.
pub(super) fn pairs(bytes: &[u8]) -> Result<Vec<Pair>, MeshError> {
    if bytes.starts_with(b"AutoCAD Binary DXF") {
        return Err(MeshError::new("a binary DXF; save it as text (ASCII DXF)"));
    }
    let text = text::whole(bytes)?;
    let mut lines = text.lines().zip(1..);
    let mut all = Vec::new();
    while let Some((code, at)) = lines.next() {
        let code = code.trim();
        if code.is_empty() && lines.clone().all(|(rest, _)| rest.trim().is_empty()) {
            break;
        }
        let Ok(number) = code.parse::<i32>() else {
            let what = format!(
                "'{}' stands where a group code is expected: not a DXF of text, or a line before it is missing",
                short(code)
            );
            return Err(MeshError { line: Some(at), column: None, what });
        };
        let Some((value, line)) = lines.next() else {
            let what = format!("the file ends after the group code {number}; it is cut off");
            return Err(MeshError { line: Some(at), column: None, what });
        };
        // Comments and codes of extended data that are negative are of no use here.
        if let Ok(code) = u16::try_from(number)
            && code != 999
        {
            all.push(Pair { code, value: value.trim().to_string(), line });
        }
        if all.len() > MOST {
            return Err(MeshError::new("more than 20 million values; this is no pattern of a garment"));
        }
    }
    Ok(all)
}
