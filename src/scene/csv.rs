//! Measurements in columns of a CSV file with a heading. A name may be followed by its unit in brackets. Empty lines
//! and `#` comments are skipped. The delimiter is a comma, a semicolon or a tab, and cells may be quoted. Decimal
//! commas are accepted in quotes, or if the delimiter is no comma.
//!
//! `csv_core`, the parser of the package `csv`, reads the cells. The package itself reports no position of a cell. For
//! the line of a row it reports that of the comments before the row.

pub mod units;

use super::fault::{Fault, Place, meant_of_many};
use crate::mesh::text;
use crate::page::number;
use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use std::ops::RangeInclusive;
use units::Measure;

/// Expected column.
#[derive(Clone, Debug)]
pub struct Want {
    /// Name of the column.
    pub name: &'static str,
    /// Quantity that the column measures.
    pub measure: Measure,
    /// Accepted values in SI.
    pub range: RangeInclusive<f64>,
    /// Whether the column is mandatory.
    pub needed: bool,
}

impl Want {
    /// Returns a mandatory column.
    pub fn new(name: &'static str, measure: Measure, range: RangeInclusive<f64>) -> Want {
        Want { name, measure, range, needed: true }
    }

    /// Returns an optional column.
    pub fn maybe(name: &'static str, measure: Measure, range: RangeInclusive<f64>) -> Want {
        Want { needed: false, ..Want::new(name, measure, range) }
    }
}

/// Columns of a file.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// File name as given.
    pub file: String,
    /// Line of the heading.
    heading: usize,
    /// Columns in SI, in the order of the expected columns.
    columns: Vec<Option<Column>>,
    names: Vec<&'static str>,
    /// Line of each row, and the columns of its cells in characters.
    rows: Vec<(usize, Vec<usize>)>,
}

#[derive(Clone, Debug)]
struct Column {
    /// Index among the columns of the file, from 0.
    place: usize,
    values: Vec<f64>,
}

/// Number of errors from which on no further rows are read.
const MOST_LISTED: usize = 20;

fn short(word: &str) -> String {
    word.chars().take(40).collect()
}

/// Returns the delimiter of a file, according to its heading. Names and units contain neither semicolons nor tabs.
fn parting(head: &str) -> char {
    [';', '\t'].into_iter().find(|c| head.contains(*c)).unwrap_or(',')
}

/// Accepts a cell without quotes, or quoted as a whole. `csv_core` accepts anything.
///
/// # Errors
/// Fails at a quote that is not closed, or at text behind a quote. Returns the number of characters before it.
fn quoted(raw: &str) -> Result<(), (usize, String)> {
    let Some((_, behind)) = raw.rsplit_once('"').filter(|_| raw.starts_with('"')) else { return Ok(()) };
    if !raw.matches('"').count().is_multiple_of(2) {
        return Err((0, "a quote that is not closed in its line".to_string()));
    }
    let behind = behind.trim_start();
    let before = raw.chars().count() - behind.chars().count();
    let describe = || format!("\"{}\" behind a quote; put the whole cell into quotes", short(behind));
    if behind.is_empty() { Ok(()) } else { Err((before, describe())) }
}

/// Number format of a file: the delimiter, and the decimal mark (comma or point) if any was seen.
#[derive(Debug)]
struct Style {
    parting: char,
    mark: Option<char>,
    reader: Reader,
}

impl Style {
    /// Creates a number format without a decimal mark.
    fn new(parting: char) -> Style {
        let reader = ReaderBuilder::new().delimiter(parting as u8).terminator(Terminator::Any(b'\n')).build();
        Style { parting, mark: None, reader }
    }

    /// Returns the cells of a row and their columns in characters, from 1.
    ///
    /// # Errors
    /// Fails at a quote that is not closed, or at text behind a quote. Returns its column.
    fn cells(&mut self, row: &str) -> Result<Vec<(usize, String)>, (usize, String)> {
        let Style { parting, reader, .. } = self;
        let blank = |c: char| c.is_whitespace() && c != *parting;
        let (mut out, mut rest, mut cell) = (Vec::new(), row, vec![0; row.len()]);
        reader.reset();
        loop {
            // `csv_core` treats a quote behind a blank as part of the cell.
            rest = rest.trim_start_matches(blank);
            let at = 1 + row.strip_suffix(rest).unwrap_or_default().chars().count();
            let (result, read, written) = reader.read_field(rest.as_bytes(), &mut cell);
            let last = !matches!(result, ReadFieldResult::Field { record_end: false });
            let (raw, next) = rest.split_at(read);
            quoted(raw.strip_suffix(*parting).unwrap_or(raw)).map_err(|(k, what)| (at + k, what))?;
            let inside = String::from_utf8_lossy(cell.get(..written).unwrap_or_default());
            out.push((at, inside.trim().to_string()));
            if last {
                return Ok(out);
            }
            rest = next;
        }
    }

    /// Parses a number. Describes the error if the cell has none.
    fn number(&mut self, cell: &str) -> Result<f64, String> {
        let none = || format!("expected a number, found \"{}\"", short(cell));
        let Some(mark) = [',', '.'].into_iter().find(|mark| cell.contains(*mark)) else {
            return cell.parse().map_err(|_| none());
        };
        // Spreadsheets quote decimal commas and thousands separators alike. Three digits behind a comma are ambiguous.
        let behind = cell.split_once(',').map_or(0, |(_, behind)| behind.len());
        if self.parting == ',' && behind == 3 {
            return Err(format!("\"{}\" may be a thousand or a decimal comma; write it as 1.5", short(cell)));
        }
        let value = cell.replacen(',', ".", 1).parse().map_err(|_| none())?;
        if self.mark.is_some_and(|before| before != mark) {
            return Err(format!(
                "\"{}\" has another decimal mark than the cells before; write all numbers as 1.5",
                short(cell)
            ));
        }
        self.mark = Some(mark);
        Ok(value)
    }

    /// Suggests a correction for a row with `found` instead of `wanted` cells.
    fn hint(&self, found: usize, wanted: usize) -> &'static str {
        match self.parting {
            ',' if found > wanted => "; if they are decimal commas, write 1.5, or part the cells by semicolons",
            _ if found == 1 => "; part the cells as in the heading",
            _ => "",
        }
    }
}

/// Splits a heading into its name and unit.
fn titled(cell: &str) -> (&str, Option<&str>) {
    match cell.split_once(['[', '(']) {
        Some((name, unit)) => (name.trim(), Some(unit.trim_end_matches([']', ')']).trim())),
        None => (cell.trim(), None),
    }
}

/// Index of the expected column, and unit factor, of each column of the file.
type Order = Vec<(usize, f64)>;

impl Sheet {
    /// Reads the columns from the bytes of a file.
    ///
    /// # Errors
    /// Fails for unknown, missing and duplicate columns, rows of other lengths, and cells without a number in range.
    /// Returns the errors with their places.
    pub fn read(file: &str, bytes: &[u8], wants: &[Want]) -> Result<Sheet, Vec<Fault>> {
        let at = |line, column, message: String| Fault {
            place: Place::File { file: file.to_string(), line, column },
            key: String::new(),
            message,
        };
        let text = text::whole(bytes).map_err(|error| vec![at(1, 1, error.what)])?;
        let text = text.trim_start_matches('\u{feff}');
        let mut rows = text
            .lines()
            .enumerate()
            .map(|(k, row)| (k + 1, row))
            .filter(|(_, row)| !row.trim().is_empty() && !row.trim().starts_with('#'));
        let names: Vec<&'static str> = wants.iter().map(|want| want.name).collect();
        let Some((heading, head)) = rows.next() else {
            return Err(vec![at(1, 1, format!("no rows; give a heading such as {}", names.join(",")))]);
        };
        let mut style = Style::new(parting(head));
        let heads = style.cells(head).map_err(|(column, what)| vec![at(heading, column, what)])?;
        let (order, mut faults) = order(&heads, wants, &|column, message| at(heading, column, message));
        let mut sheet =
            Sheet { file: file.to_string(), heading, columns: vec![None; wants.len()], names, rows: Vec::new() };
        for (place, (k, _)) in order.iter().enumerate() {
            if let Some(column) = sheet.columns.get_mut(*k) {
                *column = Some(Column { place, values: Vec::new() });
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        for (line, row) in rows {
            sheet.row(line, row, wants, &mut style, (&order, &mut faults));
            if faults.len() >= MOST_LISTED {
                break;
            }
        }
        if sheet.rows.is_empty() && faults.is_empty() {
            faults.push(at(heading, 1, "no rows below the heading".to_string()));
        }
        if faults.is_empty() { Ok(sheet) } else { Err(faults) }
    }

    fn row(
        &mut self,
        line: usize,
        row: &str,
        wants: &[Want],
        style: &mut Style,
        (order, faults): (&Order, &mut Vec<Fault>),
    ) {
        let place = |column| Place::File { file: self.file.clone(), line, column };
        let mut fault = |column, message| faults.push(Fault { place: place(column), key: String::new(), message });
        let found = match style.cells(row) {
            Ok(found) => found,
            Err((column, what)) => return fault(column, what),
        };
        if found.len() != order.len() {
            let hint = style.hint(found.len(), order.len());
            return fault(1, format!("{} values under {} columns{hint}", found.len(), order.len()));
        }
        let mut values = Vec::new();
        for ((k, factor), (column, cell)) in order.iter().zip(&found) {
            let Some(want) = wants.get(*k) else { continue };
            match style.number(cell) {
                Ok(value) if !value.is_finite() => fault(*column, format!("{}: {cell} is not finite", want.name)),
                Ok(value) if !want.range.contains(&(value * factor)) => fault(
                    *column,
                    format!(
                        "{}: {} is out of range, {} to {}{}",
                        want.name,
                        short(cell),
                        number(want.range.start() / factor),
                        number(want.range.end() / factor),
                        want.measure.spaced(*factor)
                    ),
                ),
                Ok(value) => values.push((*k, value * factor)),
                Err(what) => fault(*column, format!("{}: {what}", want.name)),
            }
        }
        if values.len() == order.len() {
            for (k, value) in values {
                if let Some(Some(column)) = self.columns.get_mut(k) {
                    column.values.push(value);
                }
            }
            self.rows.push((line, found.iter().map(|(column, _)| *column).collect()));
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    fn find(&self, name: &str) -> Option<&Column> {
        let k = self.names.iter().position(|known| *known == name)?;
        self.columns.get(k)?.as_ref()
    }

    /// Returns a column's values in SI, if it is present.
    pub fn maybe(&self, name: &str) -> Option<&[f64]> {
        self.find(name).map(|column| column.values.as_slice())
    }

    /// Returns a column's values in SI; empty if it is absent.
    pub fn column(&self, name: &str) -> &[f64] {
        self.maybe(name).unwrap_or_default()
    }

    /// Returns an error at a cell.
    pub fn fault(&self, row: usize, name: &str, message: impl Into<String>) -> Fault {
        let line = self.rows.get(row).map_or(self.heading, |(line, _)| *line);
        let column = self.find(name).and_then(|column| self.rows.get(row)?.1.get(column.place)).copied();
        let place = Place::File { file: self.file.clone(), line, column: column.unwrap_or(1) };
        Fault { place, key: String::new(), message: message.into() }
    }

    /// Returns an error of the whole file, at its heading.
    pub fn whole(&self, message: impl Into<String>) -> Fault {
        let place = Place::File { file: self.file.clone(), line: self.heading, column: 1 };
        Fault { place, key: String::new(), message: message.into() }
    }
}

/// Matches the columns of a heading with those expected. Returns their order, and the errors.
fn order(heads: &[(usize, String)], wants: &[Want], at: &dyn Fn(usize, String) -> Fault) -> (Order, Vec<Fault>) {
    let (mut order, mut faults) = (Order::new(), Vec::new());
    for (column, cell) in heads {
        let (column, (name, unit)) = (*column, titled(cell));
        let Some(k) = wants.iter().position(|want| want.name.eq_ignore_ascii_case(name)) else {
            let names = wants.iter().map(|want| want.name);
            let hint = meant_of_many(name, names.clone());
            let known = format!("; known here: {}", names.collect::<Vec<_>>().join(", "));
            let hint = if hint.is_empty() { known } else { hint };
            faults.push(at(column, format!("unknown column '{}'{hint}", short(name))));
            continue;
        };
        let measure = wants.get(k).map_or(Measure::One, |want| want.measure);
        let bare = measure.units().first().map_or(1.0, |(_, factor)| *factor);
        let factor = unit.map_or(Ok(bare), |unit| measure.factor(unit)).unwrap_or_else(|message| {
            faults.push(at(column, format!("{name}: {message}")));
            bare
        });
        if order.iter().any(|(known, _)| *known == k) {
            faults.push(at(column, format!("a second column '{name}'")));
        }
        order.push((k, factor));
    }
    for (k, want) in wants.iter().enumerate() {
        if want.needed && !order.iter().any(|(known, _)| *known == k) {
            let unit = want.measure.units().first().map_or("1", |(unit, _)| *unit);
            let unit = if want.measure == Measure::One { String::new() } else { format!(" [{unit}]") };
            faults.push(at(1, format!("no column '{}'; give it in the heading as \"{}{unit}\"", want.name, want.name)));
        }
    }
    (order, faults)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wants() -> Vec<Want> {
        vec![
            Want::new("force", Measure::Force, 0.0..=100.0),
            Want::new("length", Measure::Length, 1e-6..=10.0),
            Want::maybe("repeat", Measure::One, 0.0..=1e6),
        ]
    }

    fn describe(text: &str) -> String {
        let faults = Sheet::read("d.csv", text.as_bytes(), &wants()).unwrap_err();
        faults.iter().map(|fault| fault.to_string()).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn columns_are_read_in_their_units() {
        let text = "# a sample\nlength [cm], force [g]\n\n10, 100\n11.5,200\n";
        let sheet = Sheet::read("d.csv", text.as_bytes(), &wants()).unwrap();
        assert!((sheet.column("length")[1] - 0.115).abs() < 1e-15 && (sheet.column("force")[0] - 0.981).abs() < 1e-12);
        assert!(sheet.maybe("repeat").is_none() && sheet.len() == 2);
        assert_eq!(sheet.fault(1, "force", "x").to_string(), "d.csv:5:6: x");
    }

    /// Spreadsheets write semicolons with decimal commas or points, tabs, and quotes.
    #[test]
    fn other_separators_are_read() {
        for text in [
            "length [mm];force\n10,5;2\n11,25;1,5\n",
            "length [mm];force\n10.5;2\n11.25;1.5\n",
            "length\tforce [N]\n10.5\t2\n11.25\t1.5\n",
            "length\tforce [N]\n10,5\t2\n11,25\t1,5\n",
            "\"length [mm]\",\"force\"\n\"10.5\",\"2\"\n11.25, \"1.5\" \n",
            "\"length\",force\n\"10,5\",2\n\"11,25\",\"1,5\"\n",
            "\"length\",force\n\"10,5\" ,2\n \"11,25\", \"1,5\"\n",
        ] {
            let sheet = Sheet::read("d.csv", text.as_bytes(), &wants()).unwrap_or_else(|faults| panic!("{faults:?}"));
            assert_eq!(sheet.column("force"), [2.0, 1.5], "{text}");
            assert!((sheet.column("length")[1] - 0.01125).abs() < 1e-15, "{text}");
        }
        let sheet = Sheet::read("d.csv", b"force;length\n 1;\"2\"\n", &wants()).unwrap();
        assert_eq!(sheet.fault(0, "length", "x").to_string(), "d.csv:2:4: x");
    }

    #[test]
    fn faults_have_their_places() {
        assert_eq!(
            describe("force [N]\n1\n"),
            "d.csv:1:1: no column 'length'; give it in the heading as \"length [mm]\""
        );
        assert_eq!(describe("force,length\n1,nan\n"), "d.csv:2:3: length: nan is not finite");
        assert_eq!(describe("force,length\n1, x\n"), "d.csv:2:4: length: expected a number, found \"x\"");
        assert!(
            describe("force,length\n1,2,3\n").starts_with("d.csv:2:1: 3 values under 2 columns; if they are decimal")
        );
        assert_eq!(describe("force,length,repeat\n1,2\n"), "d.csv:2:1: 2 values under 3 columns");
        assert_eq!(describe("force,length\n-1,2\n"), "d.csv:2:1: force: -1 is out of range, 0 to 100 N");
        assert!(describe("forc,length\n1,2\n").starts_with("d.csv:1:1: unknown column 'forc'; did you mean 'force'?"));
        assert!(describe("force,length [s]\n1,2\n").contains("d.csv:1:7: length: no unit 's' is known here"));
        assert!(describe("force,force,length\n").contains("d.csv:1:7: a second column 'force'"));
        assert!(
            describe("force,length\n").contains("no rows below") && describe("").contains("no rows; give a heading")
        );
        assert_eq!(
            describe("force,length\n1,5,10,2\n"),
            "d.csv:2:1: 4 values under 2 columns; if they are decimal commas, write 1.5, or part the cells by semicolons"
        );
        assert_eq!(
            describe("force;length\n1,5;10.2\n"),
            "d.csv:2:5: length: \"10.2\" has another decimal mark than the cells before; write all numbers as 1.5"
        );
        assert_eq!(describe("force;length\n1;1.000,5\n"), "d.csv:2:3: length: expected a number, found \"1.000,5\"");
        assert_eq!(
            describe("force;length\n1,2\n"),
            "d.csv:2:1: 1 values under 2 columns; part the cells as in the heading"
        );
        assert_eq!(describe("force,length\n\"1,2\n"), "d.csv:2:1: a quote that is not closed in its line");
        assert!(describe("force,length\n1,\"1,234\"\n").starts_with("d.csv:2:3: length: \"1,234\" may be a thousand"));
        assert_eq!(describe("force,length\n1,\"2,\n"), "d.csv:2:3: a quote that is not closed in its line");
        assert!(describe("force,length\n1,\"2\"3\n").starts_with("d.csv:2:6: \"3\" behind a quote"));
        assert!(describe("force,length\n \"1\" x,2\n").starts_with("d.csv:2:6: \"x\" behind a quote"));
        assert_eq!(describe("force [kg],length\n-1,2\n"), "d.csv:2:1: force: -1 is out of range, 0 to 10.19 kg");
    }
}
