//! Results of the cases: a status table, a table of results, a contact sheet, a page.

use super::beside::beside;
use super::effects;
use super::{Case, Plan};
use crate::cli::failure::Failure;
use crate::cli::ownership::counts;
use crate::cli::picture::sheet;
use crate::cli::resume::soft;
use crate::cli::say;
use crate::page::{Cell, document, document_with_viewer, number, picture, table};
use crate::render::Image;
use crate::scene;
use crate::sequence::{Folder, Lock, Status, read, write};
use std::path::Path;

/// Columns after case and keys.
const RESULTS: [&str; 10] = [
    "status",
    "frames",
    "wall_s",
    "steps",
    "most_contacts",
    "min_gap_mm",
    "max_strain_percent",
    "kinetic_J",
    "volume_l",
    "pressure_Pa",
];

/// Longest value shown in tables for reading [characters]. Longer ones are replaced by numbers.
const LONG: usize = 32;

/// Results and last picture of a case.
struct Row {
    finished: bool,
    results: Vec<String>,
    /// Last measurements of probes, by probe and column.
    probed: Vec<(String, f64)>,
    picture: Option<Image>,
    reason: Option<String>,
}

fn row(case: &Case) -> Result<Row, Failure> {
    let folder = Folder::new(&case.folder);
    let none = |word: &str, reason: Option<String>| {
        let mut results = vec![String::new(); RESULTS.len()];
        results[0] = word.to_string();
        Ok(Row { finished: false, results, probed: Vec::new(), picture: None, reason })
    };
    if !folder.is_run() {
        return none("waiting", None);
    }
    let record = folder.read_run()?;
    // Results of another scene are not those of the case, even if only some frames are of another.
    let recorded = read(&folder.scene()).unwrap_or_default();
    let mut changes = scene::changes(&String::from_utf8_lossy(&recorded), &case.text);
    changes.extend(record.changes.iter().flat_map(|change| change.what.clone()));
    if let Some(change) = changes.iter().find(|change| counts(change) && !soft(change)) {
        return none("changed", Some(format!("was run with another scene: {change}")));
    }
    let ended = record.status == Status::Running && Lock::held(&case.folder).is_none();
    let stats = if record.done > 0 { folder.read_stats()? } else { Vec::new() };
    let most = |of: &dyn Fn(&crate::sequence::FrameStats) -> f64| stats.iter().map(of).fold(0.0, f64::max);
    let gap = stats.iter().map(|s| s.min_gap).fold(f64::INFINITY, f64::min);
    let last = stats.last();
    let air = last.and_then(|s| s.airs.first());
    let optional = |x: Option<f64>| x.filter(|x| x.is_finite()).map_or(String::new(), number);
    let results = vec![
        if ended { "ended".to_string() } else { record.status.name().to_string() },
        format!("{}/{}", record.done, record.frames),
        format!("{:.1}", record.wall),
        stats.iter().map(|s| s.steps).sum::<u64>().to_string(),
        most(&|s| s.contacts as f64).to_string(),
        optional(Some(1e3 * gap)),
        number(100.0 * most(&|s| s.max_strain)),
        optional(last.map(|s| s.energies.get("kinetic"))),
        optional(air.map(|a| 1e3 * a.volume)),
        optional(air.map(|a| a.pressure)),
    ];
    let path = record.there().rev().map(|frame| folder.picture(frame, "png")).find(|path| path.is_file());
    let picture = match path {
        Some(path) => Image::from_png(&read(&path)?).ok(),
        None => None,
    };
    let mut probed = Vec::new();
    for name in &record.probes {
        let Ok(series) = folder.read_probe(name) else { continue };
        let last = series.rows.last().map_or(&[][..], |row| row.get(1..).unwrap_or(&[]));
        probed.extend(series.columns.iter().zip(last).map(|(column, value)| (format!("{name}: {column}"), *value)));
    }
    Ok(Row { finished: record.status == Status::Finished, results, probed, picture, reason: record.reason })
}

/// Appends the last measurements of probes to the results of each case. Returns the heads of all results.
fn with_probes(rows: &mut [Row]) -> Vec<String> {
    let mut heads: Vec<String> = Vec::new();
    for (head, _) in rows.iter().flat_map(|row| &row.probed) {
        if !heads.contains(head) {
            heads.push(head.clone());
        }
    }
    for row in rows {
        let value =
            |head: &String| row.probed.iter().find(|(own, _)| own == head).map_or(String::new(), |(_, x)| number(*x));
        let more: Vec<String> = heads.iter().map(value).collect();
        row.results.extend(more);
    }
    RESULTS.into_iter().map(str::to_string).chain(heads).collect()
}

/// Quotes a field of CSV (RFC 4180).
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

/// Removes the quotes of a TOML string.
fn plain(value: &str) -> &str {
    value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value)
}

/// Returns the values of the keys in each case for display. A long value is shown as `#n`, the n-th value of its key.
/// The second list has the long values: key, number, value.
fn shown(keys: &[String], cases: &[&[String]]) -> (Vec<Vec<String>>, Vec<[String; 3]>) {
    let mut long = Vec::new();
    let mut all: Vec<Vec<String>> =
        cases.iter().map(|values| values.iter().map(|v| plain(v).to_string()).collect()).collect();
    for (k, key) in keys.iter().enumerate() {
        let mut values: Vec<&str> = Vec::new();
        cases.iter().map(|case| case[k].as_str()).for_each(|v| {
            if !values.contains(&v) {
                values.push(v);
            }
        });
        for (n, value) in values.iter().enumerate().filter(|(_, value)| plain(value).chars().count() > LONG) {
            let number = format!("#{}", n + 1);
            let of = all.iter_mut().zip(cases).filter(|(_, case)| case[k] == *value);
            of.for_each(|(shown, _)| shown[k].clone_from(&number));
            long.push([key.clone(), number, plain(value).to_string()]);
        }
    }
    (all, long)
}

/// Returns the name of a case with its values.
fn titled(case: &Case, values: &[String]) -> String {
    format!("{} {}", case.name, values.join(" "))
}

/// Returns the table of results as CSV.
fn csv(plan: &Plan, heads: &[&str], rows: &[Row]) -> String {
    let mut csv = heads.iter().map(|h| field(h)).collect::<Vec<_>>().join(",") + "\n";
    for (case, row) in plan.cases.iter().zip(rows) {
        let values = case.values.iter().map(|v| plain(v));
        let line = [case.name.as_str()].into_iter().chain(values).chain(row.results.iter().map(String::as_str));
        csv.push_str(&(line.map(field).collect::<Vec<_>>().join(",") + "\n"));
    }
    csv
}

/// Returns the lines of the page's table, in which column `status` shows whether a case is finished.
fn coloured(all: &[Vec<String>], rows: &[Row], status: usize) -> Vec<Vec<Cell>> {
    all.iter()
        .zip(rows)
        .map(|(line, row)| {
            let cell = |(k, text): (usize, &String)| match (k == status, row.finished) {
                (false, true) if k == 0 => Cell::Link(text.clone(), format!("{text}/report.html")),
                (true, true) => Cell::Good(text.clone()),
                (true, false) => Cell::Bad(text.clone()),
                _ if k > status => Cell::Number(text.clone()),
                _ => Cell::Text(text.clone()),
            };
            line.iter().enumerate().map(cell).collect()
        })
        .collect()
}

/// Writes `results.csv`, `sheet.png` and `index.html`, and prints the status. Returns the number of finished cases.
///
/// # Errors
/// A record cannot be read, or the disk refuses.
pub(super) fn gather(plan: &Plan) -> Result<usize, Failure> {
    let mut rows = plan.cases.iter().map(row).collect::<Result<Vec<Row>, Failure>>()?;
    let own = with_probes(&mut rows);
    let keys = plan.keys.iter().map(String::as_str);
    let heads: Vec<&str> = ["case"].into_iter().chain(keys).chain(own.iter().map(String::as_str)).collect();
    let values: Vec<&[String]> = plan.cases.iter().map(|case| case.values.as_slice()).collect();
    let (short, long) = shown(&plan.keys, &values);
    let cells = |((case, row), values): ((&Case, &Row), &Vec<String>)| -> Vec<String> {
        [case.name.clone()].into_iter().chain(values.iter().cloned()).chain(row.results.iter().cloned()).collect()
    };
    let all: Vec<Vec<String>> = plan.cases.iter().zip(&rows).zip(&short).map(cells).collect();
    write(&plan.out.join("results.csv"), csv(plan, &heads, &rows).as_bytes())?;
    let mut body = table(&heads, &coloured(&all, &rows, 1 + plan.keys.len()));
    if !long.is_empty() {
        let lines: Vec<Vec<Cell>> = long.iter().map(|line| line.iter().cloned().map(Cell::Text).collect()).collect();
        body.push_str(&table(&["key", "number", "value"], &lines));
    }
    if rows.iter().all(|row| row.finished) {
        let results: Vec<Vec<String>> = rows.iter().map(|row| row.results.clone()).collect();
        body.push_str(&effects::page(&plan.keys, &values, &own, &results));
    }
    let done = plan.cases.iter().zip(&rows).zip(&short).filter(|((_, row), _)| row.finished);
    let done: Vec<(String, &Path)> =
        done.map(|((case, _), values)| (titled(case, values), case.folder.as_path())).collect();
    // Films are read from meshes, which takes long, so they come when all cases are there.
    let films = if done.len() == rows.len() { beside(&done) } else { None };
    let labelled = plan
        .cases
        .iter()
        .zip(&rows)
        .zip(&short)
        .filter_map(|((case, row), values)| Some((titled(case, values), row.picture.clone()?)));
    let pictures: Vec<(String, Image)> = labelled.collect();
    if !pictures.is_empty() {
        let png = sheet(&pictures).png().map_err(Failure::input)?;
        write(&plan.out.join("sheet.png"), &png)?;
        body.push_str(&picture("the last picture of each case", &png));
    }
    let page = match films {
        Some(films) => document_with_viewer(&plan.name, &(films + &body), false),
        None => document(&plan.name, &body),
    };
    write(&plan.out.join("index.html"), page.as_bytes())?;
    tell(plan, &heads, &all, &long, &rows);
    let finished = rows.iter().filter(|row| row.finished).count();
    say(&format!("{finished} of {} cases are finished; see {}", rows.len(), plan.out.display()));
    Ok(finished)
}

/// Prints the status of all cases.
fn tell(plan: &Plan, heads: &[&str], all: &[Vec<String>], long: &[[String; 3]], rows: &[Row]) {
    // Measurements of probes are only in the files.
    let widths: Vec<usize> = (0..1 + plan.keys.len() + RESULTS.len())
        .map(|k| all.iter().map(|l| l[k].chars().count()).chain([heads[k].chars().count()]).max().unwrap_or(0))
        .collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        say(padded.collect::<Vec<_>>().join("  ").trim_end());
    };
    line(heads.to_vec());
    all.iter().for_each(|l| line(l.iter().map(String::as_str).collect()));
    long.iter().for_each(|[key, number, value]| say(&format!("{key} {number}: {value}")));
    for (case, row) in plan.cases.iter().zip(rows) {
        if let Some(reason) = &row.reason {
            say(&format!("case {}: {reason}", case.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LONG, field, plain, shown};

    #[test]
    fn fields_of_csv() {
        assert_eq!([field("a"), field("a,b"), field("a \"b\"")], ["a", "\"a,b\"", "\"a \"\"b\"\"\""]);
        assert_eq!([plain("\"1 ms\""), plain("3"), plain("[\"a\"]")], ["1 ms", "3", "[\"a\"]"]);
    }

    #[test]
    fn long_values_are_numbered() {
        let long = "x".repeat(LONG + 1);
        let words = |all: &[&str]| all.iter().map(|v| v.to_string()).collect::<Vec<_>>();
        let cases = [words(&["[]", "\"silk\""]), words(&[&long, "\"silk\""]), words(&[&long, "3"])];
        let cases: Vec<&[String]> = cases.iter().map(Vec::as_slice).collect();
        let (short, reported) = shown(&words(&["wet", "cloth"]), &cases);
        assert_eq!(short, [words(&["[]", "silk"]), words(&["#2", "silk"]), words(&["#2", "3"])]);
        assert_eq!(reported, [["wet".to_string(), "#2".into(), long]]);
    }
}
