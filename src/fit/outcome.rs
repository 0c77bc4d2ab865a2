//! Report of a fit: parameters with intervals, notes on undetermined parameters, plots, and the text of a file.

use super::search::Estimate;
use crate::linalg::least::Found;
use crate::page::{Cell, Line, Plot, document, fold, heading, number, paragraph, table};
use crate::scene::faults_of_materials;
use std::fmt::Write;

/// Fitted parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name.
    pub name: String,
    /// Unit; empty if dimensionless.
    pub unit: &'static str,
    /// Value in that unit.
    pub value: f64,
    /// Half width of the 95 % interval; infinite if undetermined.
    pub half: f64,
}

/// Report of a fit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Name of the fit and its subject.
    pub title: String,
    /// Parameters.
    pub rows: Vec<Row>,
    /// Measures of the quality of the fit.
    pub facts: Vec<(String, String)>,
    /// Notes for the user.
    pub words: Vec<String>,
    /// Data and fitted curves.
    pub plots: Vec<Plot>,
    /// Text of the file that a scene reads.
    pub file: String,
    /// Reasons why a scene rejects the file.
    pub refused: Vec<String>,
}

/// Condition number above which some combination of the parameters is reported as undetermined.
pub const ILL: f64 = 1e6;

/// Text in place of an undetermined number.
const UNSEEN: &str = "not seen";
/// Text before the reasons why a scene rejects the result.
pub const NO_SCENE: &str = "no scene takes this";
/// RMS residual, as part of the largest measured value, above which a misfit is reported. The bound suits manual
/// measurements and photographs.
pub const MISFIT: f64 = 0.1;
/// Bounds of tau, as parts of the range of strain. The search starts between the lower bound and the whole range. A tau
/// beyond the bounds is reported.
const BORDERS: [f64; 2] = [1e-4, 10.0];

/// Formats a number with about four digits, or as undetermined if it is not finite.
pub fn shown(x: f64) -> String {
    if x.is_finite() { number(x) } else { UNSEEN.to_string() }
}

/// Formats a number with six digits for TOML and CSV.
pub fn figure(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return "0.0".to_string();
    }
    if !(1e-3..1e6).contains(&x.abs()) {
        return format!("{x:.5e}");
    }
    let digits = (5 - x.abs().log10().floor() as i32).clamp(1, 9) as usize;
    let text = format!("{x:.digits$}");
    let text = text.trim_end_matches('0');
    if text.ends_with('.') { format!("{text}0") } else { text.to_string() }
}

/// Quotes text for TOML.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

impl Row {
    /// Returns the 95 % interval. The lower end is not negative, like every parameter.
    pub fn interval(&self) -> [f64; 2] {
        [(self.value - self.half).max(0.0), self.value + self.half]
    }

    /// Returns whether the interval is wider than the value.
    pub fn wide(&self) -> bool {
        self.half.is_nan() || 2.0 * self.half > self.value.abs()
    }

    fn cells(&self) -> [String; 4] {
        let [low, high] = self.interval();
        let range = if self.half.is_finite() && high < 1e9 * self.value.abs().max(f64::MIN_POSITIVE) {
            format!("{} .. {}", number(low), number(high))
        } else {
            UNSEEN.to_string()
        };
        [self.name.clone(), shown(self.value), range, self.unit.to_string()]
    }
}

/// Returns the rows of the unknowns of an estimate, in order.
pub fn rows(found: &Found, names: &[(&str, &'static str)]) -> Vec<Row> {
    let pairs = found.values.iter().zip(&found.half);
    names
        .iter()
        .zip(pairs)
        .map(|((name, unit), (value, half))| Row { name: (*name).to_string(), unit, value: *value, half: *half })
        .collect()
}

/// Returns a note if tau lies beyond the bounds that strains of this range can resolve.
fn on_border(tau: f64, range: f64) -> Option<String> {
    let [low, high] = BORDERS.map(|part| part * range);
    let (side, limit) = match tau {
        tau if tau < low => ("less", low),
        tau if tau > high => ("more", high),
        _ => return None,
    };
    Some(format!(
        "tau came to the border of the search, {}: over the measured range of strain, {}, the data tell no more than that it is {side} than {}",
        number(tau),
        number(range),
        number(limit)
    ))
}

/// Returns a note if tau is outside the range that a scene accepts.
pub fn written(tau: f64, [low, high]: [f64; 2]) -> Option<String> {
    let bound = tau.clamp(low, high);
    (bound != tau)
        .then(|| format!("tau is {}; the file has {}, the nearest that a scene takes", shown(tau), number(bound)))
}

/// Returns a note if the residual exceeds a part `limit` of the largest measured value.
pub fn misfit(left: f64, most: f64, limit: f64, what: &str, asks: &str) -> Option<String> {
    let part = left / most;
    let describe = || format!("what is left is {} % of the largest {what}; are {asks} right?", shown(100.0 * part));
    (part > limit || part.is_nan()).then(describe)
}

/// Returns notes on the parameters that the data do not determine. `spacing` is the median distance of the strains,
/// `range` the range of all strains.
pub fn doubts(estimate: &Estimate, rows: &[Row], spacing: f64, range: f64) -> Vec<String> {
    let tau = estimate.law.dahl.tau;
    let mut words: Vec<String> = on_border(tau, range).into_iter().collect();
    let ratio = spacing / tau;
    if let Some(row) = rows.iter().find(|row| row.name.starts_with("tau"))
        && row.wide()
    {
        words.push(format!("tau is not seen: spacing is {} tau", shown(ratio)));
    }
    for row in rows.iter().filter(|row| row.wide()) {
        words.push(format!("{} is not told by these data: its interval is wider than its value", row.name));
    }
    let n = rows.len().min(estimate.found.correlation.len());
    for (a, b) in (0..n).flat_map(|a| (a + 1..n).map(move |b| (a, b))) {
        let together = estimate.found.correlation[a][b];
        if together.abs() > 0.98 && (rows[a].wide() || rows[b].wide()) {
            words.push(format!(
                "{} and {} trade: their estimates have a correlation of {}",
                rows[a].name,
                rows[b].name,
                number((together * 1e3).round() / 1e3)
            ));
        }
    }
    if estimate.found.condition > ILL {
        words.push(format!(
            "condition number {}: some mix of the parameters is not seen; measure at other loads, or at more of them",
            shown(estimate.found.condition)
        ));
    }
    words
}

/// Separates points of a plot, so that no line joins them.
pub fn dots(points: impl IntoIterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    points.into_iter().flat_map(|point| [point, [f64::NAN; 2]]).collect()
}

/// Builds a plot.
pub fn plot(title: &str, axis: &str, lines: Vec<(&str, Vec<[f64; 2]>)>) -> Plot {
    let lines = lines.into_iter().map(|(name, points)| Line { name: name.to_string(), points }).collect();
    Plot { title: title.to_string(), axis: axis.to_string(), lines }
}

impl Outcome {
    /// Adds the faults that the file would have in a scene.
    pub fn checked(self) -> Outcome {
        let refused = faults_of_materials(&self.file);
        Outcome { refused, ..self }
    }

    /// Formats the report as a small table, with notes below.
    pub fn text(&self) -> String {
        let mut out = format!("{}\n", self.title);
        let cells: Vec<[String; 4]> = self.rows.iter().map(Row::cells).collect();
        let width = |k: usize, least: usize| cells.iter().map(|c| c[k].chars().count()).max().unwrap_or(0).max(least);
        let (first, second, third) = (width(0, 9), width(1, 8), width(2, 8));
        let _ = writeln!(out, "  {:<first$}  {:>second$}  {:<third$}  unit", "parameter", "value", "95 %");
        for [name, value, range, unit] in &cells {
            let _ = writeln!(out, "  {name:<first$}  {value:>second$}  {range:<third$}  {unit}");
        }
        for (name, value) in &self.facts {
            let _ = writeln!(out, "  {name}: {value}");
        }
        for word in &self.words {
            let _ = writeln!(out, "  note: {word}");
        }
        for why in &self.refused {
            let _ = writeln!(out, "  {NO_SCENE}: {why}");
        }
        out
    }

    /// Formats the report as an HTML page.
    pub fn page(&self) -> String {
        let rows: Vec<Vec<Cell>> = self
            .rows
            .iter()
            .map(|row| {
                let wide = row.wide();
                let [name, value, range, unit] = row.cells();
                let range = if wide { Cell::Bad(range) } else { Cell::Text(range) };
                vec![Cell::Text(name), Cell::Number(value), range, Cell::Text(unit)]
            })
            .collect();
        let facts: Vec<Vec<Cell>> =
            self.facts.iter().map(|(name, value)| vec![Cell::Text(name.clone()), Cell::Text(value.clone())]).collect();
        let mut body = table(&["parameter", "value", "95 %", "unit"], &rows);
        body.push_str(&table(&["", ""], &facts));
        body.extend(self.words.iter().map(|word| paragraph(word)));
        body.extend(self.refused.iter().map(|why| paragraph(&format!("{NO_SCENE}: {why}"))));
        body.push_str(&heading("Data and fit"));
        body.extend(self.plots.iter().map(Plot::svg));
        body.push_str(&fold("File", &self.file));
        document(&self.title, &body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_numbers_of_toml() {
        assert_eq!(
            [135.6, 2.0, 0.006, 1.453e-5, 0.0, 123456.0].map(figure),
            ["135.6", "2.0", "0.006", "1.45300e-5", "0.0", "123456.0"]
        );
        assert_eq!(quoted("a\"b\\c\n"), "\"a\\\"b\\\\c \"");
    }

    #[test]
    fn borders_and_misfits_are_told() {
        assert!(on_border(0.01, 0.3).is_none() && on_border(2.0, 0.3).is_none());
        assert!(on_border(1e-6, 0.3).is_some_and(|word| word.contains("1e-6") && word.ends_with("less than 3e-5")));
        assert!(on_border(1e4, 0.3).is_some_and(|word| word.ends_with("more than 3")));
        assert!(misfit(0.02, 0.3, MISFIT, "strain", "size").is_none());
        assert!(
            misfit(0.09, 0.3, MISFIT, "strain", "size").is_some_and(|word| word.starts_with("what is left is 30 % of"))
        );
        assert!(misfit(0.0, 0.0, MISFIT, "strain", "size").is_some());
    }

    #[test]
    fn wide_intervals_are_told() {
        let row = |value, half| Row { name: "a".into(), unit: "N/m", value, half };
        assert!(row(1.0, 0.6).wide() && row(1.0, f64::INFINITY).wide() && !row(1.0, 0.4).wide());
        let outcome = Outcome { rows: vec![row(1.0, f64::INFINITY)], words: vec!["<w>".into()], ..Outcome::default() };
        assert!(!outcome.text().contains("inf") && shown(f64::INFINITY) == "not seen");
        assert!(outcome.text().contains("not seen") && outcome.page().contains("&lt;w&gt;"));
    }
}
