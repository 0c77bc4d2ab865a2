//! Curves of friction force over load: columns in a CSV file or in the scene.

use super::document::{Node, Value};
use super::fault::{Fault, Place, meant};
use super::json::Json;
use super::keys::{Context, Kind, section};
use super::kinds::{List, Quantity, existing, list, quantity, table};
use super::unit::{Unit, number, short};
use crate::force::curve::Curve;
use crate::force::friction::{Curves, Ground};
use crate::mesh::text;

/// Returns the kind of a column of forces or loads.
fn column() -> List<Quantity> {
    list(quantity(Unit::Force, 0.0..=1e6), 1..=10_000)
}

section! {
    /// Forces of friction over loads, as lists of one length. The angle is that of the direction in which the other
    /// surface slides, to the warp.
    pub(super) struct Columns {
        /// Loads, ascending.
        load: Vec<f64> = column().required(),
        /// Force along the warp; in every direction if it is the only one.
        f0: Vec<f64> = column().required(),
        /// Force at 45 degrees; the mean of warp and weft if absent.
        f45: Option<Vec<f64>> = column().optional(),
        /// Force along the weft.
        f90: Option<Vec<f64>> = column().optional(),
        /// Force against the warp; that along it if absent.
        f180: Option<Vec<f64>> = column().optional(),
        /// Force against the weft; that along it if absent.
        f270: Option<Vec<f64>> = column().optional(),
        /// Peak before it slides, along the warp; no peak if absent.
        peak0: Option<Vec<f64>> = column().optional(),
        /// Peak at 45 degrees.
        peak45: Option<Vec<f64>> = column().optional(),
        /// Peak along the weft.
        peak90: Option<Vec<f64>> = column().optional(),
        /// Peak against the warp.
        peak180: Option<Vec<f64>> = column().optional(),
        /// Peak against the weft.
        peak270: Option<Vec<f64>> = column().optional(),
    }
}

/// Largest coefficient of friction, equal to the bound where a single coefficient is given.
const MOST: f64 = 10.0;
/// Names of the columns. Loads come first.
const NAMES: [&str; 11] =
    ["load", "f0", "f45", "f90", "f180", "f270", "peak0", "peak45", "peak90", "peak180", "peak270"];

/// Fault in a table of curves: column, row if the fault is in a row, and message.
type Wrong = (&'static str, Option<usize>, String);

/// Checks the values of column `k`, given the loads.
fn check(columns: &[Option<Vec<f64>>; 11], load: &[f64], k: usize, values: &[f64]) -> Result<(), Wrong> {
    let has = |k: usize| columns[k].is_some();
    let name = NAMES[k];
    if values.len() != load.len() {
        return Err((name, None, format!("{} values for {} loads; give as many", values.len(), load.len())));
    }
    if let Some(row) = (1..load.len()).find(|row| k == 0 && values[*row] <= values[row - 1]) {
        let (a, b) = (number(values[row]), number(values[row - 1]));
        return Err((name, Some(row), format!("loads must ascend: {a} N follows {b} N")));
    }
    if let Some(row) = (0..load.len()).find(|row| k > 0 && (values[*row] > 0.0) != (load[*row] > 0.0)) {
        return Err((
            name,
            Some(row),
            format!(
                "{} N at a load of {} N; without load there is no friction, with load there is",
                number(values[row]),
                number(load[row])
            ),
        ));
    }
    if let Some(row) = (0..load.len()).find(|row| k > 0 && values[*row] > MOST * load[*row]) {
        let message = format!("more than {MOST} times the load of {} N; is it in N?", number(load[row]));
        return Err((name, Some(row), message));
    }
    if matches!(k, 2 | 4 | 5 | 7 | 9 | 10) && !has(if k < 6 { 3 } else { 8 }) {
        let weft = if k < 6 { "f90" } else { "peak90" };
        return Err((name, None, format!("goes with '{weft}', the curve along the weft")));
    }
    if k > 5 && !(has(k - 5) && has(6)) {
        let beside = if has(6) { NAMES[k - 5] } else { "peak0" };
        return Err((name, None, format!("goes with '{beside}'")));
    }
    let lower = (0..load.len()).find(|row| k > 5 && columns[k - 5].as_ref().is_some_and(|f| values[*row] < f[*row]));
    if let Some(row) = lower {
        return Err((
            name,
            Some(row),
            format!("smaller than {} at the same load; a peak is at least what follows", NAMES[k - 5]),
        ));
    }
    Ok(())
}

/// Converts the columns to curves.
fn ground(columns: &[Option<Vec<f64>>; 11]) -> Result<Ground, Wrong> {
    let has = |k: usize| columns[k].is_some();
    let [Some(load), Some(_), ..] = columns else {
        let lacking = if has(0) { 1 } else { 0 };
        return Err((NAMES[lacking], None, format!("no column '{}'; load and f0 are needed", NAMES[lacking])));
    };
    for (k, values) in columns.iter().enumerate() {
        let Some(values) = values else { continue };
        check(columns, load, k, values)?;
    }
    if load.iter().all(|load| *load == 0.0) {
        return Err(("load", None, "no load above 0".to_string()));
    }
    if let Some(k) = (1..6).find(|k| has(6) && has(*k) && !has(k + 5)) {
        return Err((NAMES[k], None, format!("has no peak beside it; give '{}' as well, or no peaks", NAMES[k + 5])));
    }
    let curve = |k: usize| {
        let points = load.iter().zip(columns[k].as_ref()?).map(|(load, force)| [*load, *force]);
        Some(Curve::new(points.filter(|[load, _]| *load > 0.0)))
    };
    let curves = |first: usize| {
        Some(Curves {
            warp: curve(first)?,
            between: curve(first + 1),
            weft: curve(first + 2),
            against_warp: curve(first + 3),
            against_weft: curve(first + 4),
        })
    };
    let plateau = curves(1).ok_or(("f0", None, "missing".to_string()))?;
    let peak = curves(6).unwrap_or_else(|| plateau.clone());
    for (curves, name) in [(&plateau, "f45"), (&peak, "peak45")] {
        if let Some(load) = curves.indefinite() {
            let message = format!(
                "at a load of {} N so far from the mean of warp and weft that some direction would be driven; at most half of it \
                 away is safe",
                number(load)
            );
            return Err((name, None, message));
        }
    }
    Ok(Ground { peak, plateau })
}

/// Kind of friction curves, from a CSV file or in the scene.
pub(super) struct TableKind;

impl Kind for TableKind {
    type Value = Box<Ground>;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Box<Ground>> {
        match &node.value {
            Value::Text(name) => read_file(cx, path, node, name).map(Box::new),
            Value::Table(inner) => {
                let c: Columns = table::<Columns>().read(cx, path, node)?;
                let Columns { load, f0, f45, f90, f180, f270, peak0, peak45, peak90, peak180, peak270 } = c;
                let columns = [Some(load), Some(f0), f45, f90, f180, f270, peak0, peak45, peak90, peak180, peak270];
                ground(&columns)
                    .map_err(|(name, row, message)| {
                        let key = inner.find(name);
                        let origin = match (key.map(|key| &key.value), row) {
                            (Some(Value::List(items)), Some(row)) => items.get(row).map(|item| item.origin),
                            _ => key.map(|key| key.origin),
                        };
                        let index = row.map(|row| format!("[{row}]")).unwrap_or_default();
                        cx.fault(origin.unwrap_or(node.origin), &format!("{path}.{name}{index}"), message);
                    })
                    .ok()
                    .map(Box::new)
            }
            _ => {
                self.refuse(cx, path, node);
                None
            }
        }
    }

    fn wanted(&self) -> String {
        "a CSV file with a heading of the columns load, f0, f45 ... in N, or a table of these columns".to_string()
    }

    fn schema(&self) -> Json {
        let file = Json::map([("type", Json::text("string"))]);
        Json::map([("anyOf", Json::List(vec![file, table::<Columns>().schema()]))])
    }
}

fn read_file(cx: &mut Context, path: &str, node: &Node, name: &str) -> Option<Ground> {
    let full = existing(cx, path, node, name)?;
    if cx.recorded {
        // The recorded meshes already contain the effect of the curves, so a constant coefficient replaces them.
        let even = Curves::even(Curve::constant(1.0));
        return Some(Ground { peak: even.clone(), plateau: even });
    }
    let bytes = match std::fs::read(&full) {
        Ok(bytes) => bytes,
        Err(error) => {
            cx.fault(node.origin, path, format!("cannot read \"{}\": {error}", short(name)));
            return None;
        }
    };
    text::whole(&bytes)
        .map_err(|error| (1, 1, error.what))
        .and_then(|text| csv(&text))
        .map_err(|(line, column, message)| {
            let place = Place::File { file: full.display().to_string(), line, column };
            cx.foreign.push(Fault { place, key: String::new(), message });
        })
        .ok()
}

/// Returns the message of the fault that a text of curves causes in a scene.
pub fn fault_of_curves(text: &str) -> Option<String> {
    csv(text).err().map(|(line, _, message)| format!("line {line} of the file: {message}"))
}

/// Splits a row into cells, with their columns in characters, from 1.
fn cells(row: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 1;
    row.split(',').map(move |cell| {
        let here = at + cell.chars().take_while(|c| c.is_whitespace()).count();
        at += cell.chars().count() + 1;
        (here, cell.trim())
    })
}

/// Parses curves: rows under a heading of column names. Empty lines and `#` comments are skipped. An error has its line
/// and column, from 1.
fn csv(text: &str) -> Result<Ground, (usize, usize, String)> {
    let rows = text.lines().enumerate().map(|(k, row)| (k + 1, row));
    let mut rows = rows.filter(|(_, row)| !row.trim().is_empty() && !row.trim().starts_with('#'));
    let (first, heading) = rows.next().ok_or((1, 1, "no rows; give a heading such as load,f0,f45,f90".to_string()))?;
    let mut columns: [Option<Vec<f64>>; 11] = std::array::from_fn(|_| None);
    let (mut order, mut places) = (Vec::new(), Vec::new());
    for (column, name) in cells(heading) {
        let Some(k) = NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)) else {
            let hint = meant(name, NAMES);
            let hint = if hint.is_empty() { format!("; known here: {}", NAMES.join(", ")) } else { hint };
            return Err((first, column, format!("unknown column '{}'{hint}", short(name))));
        };
        if columns[k].replace(Vec::new()).is_some() {
            return Err((first, column, format!("a second column '{name}'")));
        }
        order.push(k);
        places.push(column);
    }
    let mut lines = Vec::new();
    for (line, row) in rows {
        let found: Vec<(usize, &str)> = cells(row).collect();
        if found.len() != order.len() {
            return Err((line, 1, format!("{} values under {} columns", found.len(), order.len())));
        }
        for (k, (column, cell)) in order.iter().zip(&found) {
            let value = cell.parse().ok().filter(|v: &f64| (0.0..=1e6).contains(v));
            let value =
                value.ok_or((line, *column, format!("expected a force in N, 0 to 1e6, found \"{}\"", short(cell))))?;
            columns[*k].get_or_insert_default().push(value);
        }
        lines.push((line, found.iter().map(|(column, _)| *column).collect::<Vec<usize>>()));
    }
    if lines.is_empty() {
        return Err((first, 1, "no rows below the heading".to_string()));
    }
    ground(&columns).map_err(|(name, row, message)| {
        let place = order.iter().position(|k| NAMES.get(*k) == Some(&name));
        let in_row = row.and_then(|row| lines.get(row)).zip(place);
        let (line, column) = match in_row {
            Some(((line, columns), place)) => (*line, columns.get(place).copied().unwrap_or(1)),
            None => (first, place.and_then(|p| places.get(p)).copied().unwrap_or(1)),
        };
        (line, column, format!("{name}: {message}"))
    })
}
