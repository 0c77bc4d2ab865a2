//! Records of a PLY file, after its header.

use super::header::{Element, Header, Property};
use crate::mesh::MeshError;
use crate::mesh::cursor::{Cursor, Encoding};

/// Values of a property in all records.
#[derive(Clone, Debug, Default)]
pub(super) struct Column {
    /// Numbers, with lists one after the other.
    pub values: Vec<f64>,
    /// End of the list of each record; empty for a property of one number.
    ends: Vec<usize>,
}

impl Column {
    /// Returns the list of a record.
    pub(super) fn list(&self, record: usize) -> &[f64] {
        let start = record.checked_sub(1).and_then(|k| self.ends.get(k)).copied().unwrap_or(0);
        let end = self.ends.get(record).copied().unwrap_or(start);
        self.values.get(start..end).unwrap_or_default()
    }
}

/// Records of an element, with a column per property.
pub(super) struct Records<'h> {
    /// Description of the records.
    pub element: &'h Element,
    /// Column of each property, in order. Unwanted columns are empty.
    pub columns: Vec<Column>,
    /// Lines of the records in a text file.
    lines: Vec<usize>,
}

impl Records<'_> {
    /// Returns the values of a property of one number, by name.
    pub(super) fn scalar(&self, name: &str) -> Option<&[f64]> {
        let is = |p: &Property| p.length.is_none() && p.name == name;
        self.element.properties.iter().position(is).map(|k| self.columns[k].values.as_slice())
    }

    /// Returns the column of a list property, by one of several names.
    pub(super) fn list(&self, names: &[&str]) -> Option<&Column> {
        let is = |p: &Property| p.length.is_some() && names.contains(&p.name.as_str());
        self.element.properties.iter().position(is).map(|k| &self.columns[k])
    }

    /// Makes an error of a record, at its line in a text file.
    pub(super) fn error(&self, record: usize, what: String) -> MeshError {
        let what = format!("{} {record}: {what}", self.element.name);
        match self.lines.get(record) {
            Some(line) => MeshError::at(*line, 1, what),
            None => MeshError::new(what),
        }
    }
}

/// Reads the records of an element. Memory stays in proportion to the bytes read. In a text file each record has a line
/// of its own. Surplus words in a line are reported in `notes`.
///
/// # Errors
/// Fails if the rest of the file cannot hold the records, a record is truncated, or a word is not a number.
pub(super) fn records<'h>(
    cursor: &mut Cursor,
    header: &Header,
    element: &'h Element,
    notes: &mut Vec<MeshError>,
) -> Result<Records<'h>, MeshError> {
    affordable(element, header.encoding, cursor.left())?;
    let wanted = element.name == "vertex" || element.name == "face";
    let text = header.encoding == Encoding::Text;
    let mut out = Records { element, columns: vec![Column::default(); element.properties.len()], lines: Vec::new() };
    let mut beyond: Option<(MeshError, usize)> = None;
    for record in 0..element.count {
        if text {
            cursor.at_end();
            out.lines.push(cursor.line());
        }
        let cut = |error: MeshError| {
            let what =
                format!("{} {record} of {} that the header promises: {}", element.name, element.count, error.what);
            MeshError { what, ..error }
        };
        for (property, column) in element.properties.iter().zip(&mut out.columns) {
            let name = &property.name;
            let Some(length) = property.length else {
                let value = property.scalar.read(cursor, header.encoding, name).map_err(cut)?;
                if wanted {
                    column.values.push(value);
                }
                continue;
            };
            let length = length.read(cursor, header.encoding, name).map_err(cut)?;
            if length < 0.0 || length.fract() != 0.0 {
                return Err(cut(cursor.error(format!("the length of the list {name} is {length}"))));
            }
            for _ in 0..length as u64 {
                let value = property.scalar.read(cursor, header.encoding, name).map_err(cut)?;
                if wanted {
                    column.values.push(value);
                }
            }
            column.ends.push(column.values.len());
        }
        if text {
            let rest = cursor.rest_of_line();
            if let Some(word) = rest.words().first() {
                let what = format!("'{}' stands behind all that a {} has; ", word.shown(), element.name);
                beyond.get_or_insert_with(|| (word.error(what), 0)).1 += 1;
            }
        }
    }
    notes.extend(beyond.map(|(mut note, lines)| {
        note.what += if lines == 1 { "it is not read" } else { "what is beyond in this and other lines is not read" };
        note
    }));
    Ok(out)
}

/// Adds a note on bytes after the last record.
pub(super) fn report_rest(cursor: &mut Cursor, header: &Header, notes: &mut Vec<MeshError>) {
    if cursor.at_end() {
        return;
    }
    let counts: Vec<String> = header.elements.iter().map(|e| format!("{} of {}", e.count, e.name)).collect();
    let what = format!(
        "{} bytes stand behind the last record and are not read; the header promises {}: does it promise too few?",
        cursor.left(),
        counts.join(", ")
    );
    notes.push(if header.encoding == Encoding::Text { cursor.error(what) } else { MeshError::new(what) });
}

/// Rejects an element that cannot fit into the `left` bytes.
fn affordable(element: &Element, encoding: Encoding, left: usize) -> Result<(), MeshError> {
    if element.count == 0 {
        return Ok(());
    }
    if element.properties.is_empty() {
        return Err(MeshError::new(format!("element '{}' has no properties", element.name)));
    }
    let least: usize = match encoding {
        // Each number takes a digit and a blank or end of line. The end of the last line may be missing.
        Encoding::Text => 2 * element.properties.len(),
        _ => element.properties.iter().map(|p| p.length.unwrap_or(p.scalar).width()).sum(),
    };
    let needed = element.count.saturating_mul(least);
    if needed > left.saturating_add(1) || element.count >= u32::MAX as usize {
        return Err(MeshError::new(format!(
            "the header promises {} of element '{}', at least {needed} bytes, but only {left} follow: the file is cut short or its header is wrong",
            element.count, element.name
        )));
    }
    Ok(())
}
