//! Sweep file: a scene, and lists or ranges of values for some of its keys.
//!
//! ```toml
//! scene = "drape.toml"                    # relative to this file
//! name = "stiffness"                      # this file's name if absent
//! combine = "grid"                        # all combinations; or "list": the k-th value of every key
//!
//! [set]                                   # the same in all cases
//! time.frames = 60
//!
//! [keys]
//! time.step = ["1 ms", "2 ms"]
//! "cloth[0].material" = ["silk", "denim"]
//! contact.friction = { from = 0.1, to = 0.4, count = 4 }                         # evenly
//! material.own.young = { from = 10, to = 1000, count = 3, scale = "log", unit = "kPa" }
//! ```

use super::document::{Document, Node, Origin, Table, Value};
use super::fault::{Fault, Place, meant};
use super::folder_name;
use super::overrides::Override;
use std::path::{Path, PathBuf};

/// Largest number of cases of a sweep.
const MOST: usize = 10_000;

/// A sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sweep {
    /// Name.
    pub name: String,
    /// Scene file.
    pub scene: PathBuf,
    /// Keys that differ between cases, in the order of the file.
    pub keys: Vec<String>,
    /// Overrides common to all cases.
    pub set: Vec<Override>,
    /// Values of the keys in each case, as TOML; at least one case.
    pub cases: Vec<Vec<String>>,
}

impl Sweep {
    /// Returns all overrides of a case.
    pub fn overrides(&self, case: &[String]) -> Vec<Override> {
        let own = self.keys.iter().zip(case).map(|(path, value)| Override { path: path.clone(), value: value.clone() });
        self.set.iter().cloned().chain(own).collect()
    }
}

/// Formats a value as TOML on one line.
fn toml_text(node: &Node) -> String {
    match &node.value {
        Value::Bool(flag) => flag.to_string(),
        Value::Integer(whole) => whole.to_string(),
        Value::Float(real) => toml_edit::Value::from(*real).to_string(),
        Value::Text(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Date(date) => date.clone(),
        Value::List(items) => format!("[{}]", items.iter().map(toml_text).collect::<Vec<_>>().join(", ")),
        Value::Table(table) => {
            let entry = |key: &str, value: &Node| format!("{} = {}", toml_edit::Key::new(key), toml_text(value));
            let entries: Vec<String> = table.entries.iter().map(|e| entry(&e.key, &e.node)).collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// Parser state: the document and its faults so far.
struct Reader<'a> {
    document: &'a Document,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, origin: Origin, key: &str, message: impl AsRef<str>) {
        let at = if let Origin::Text(at) = origin { at } else { 0 };
        self.faults.push(self.document.fault(at, key, message.as_ref()));
    }

    fn known(&mut self, table: &Table, path: &str, known: &[&str]) {
        for entry in table.entries.iter().filter(|e| !known.contains(&e.key.as_str())) {
            let hint = match meant(&entry.key, known.iter().copied()) {
                hint if hint.is_empty() => format!("; known here: {}", known.join(", ")),
                hint => hint,
            };
            self.fault(entry.origin, &format!("{path}{}", entry.key), format!("unknown key{hint}"));
        }
    }

    fn text(&mut self, table: &Table, key: &str) -> Option<String> {
        let node = table.find(key)?;
        if let Value::Text(text) = &node.value {
            return Some(text.clone());
        }
        self.fault(node.origin, key, format!("expected text, found {}", node.describe()));
        None
    }

    /// Returns the keys and values of a section, in the order of the file. Nested tables become parts of paths.
    fn entries<'n>(&mut self, table: &'n Table, key: &str) -> Vec<(String, &'n Node)> {
        let Some(node) = table.find(key) else { return Vec::new() };
        let Value::Table(section) = &node.value else {
            self.fault(node.origin, key, format!("expected a table, found {}", node.describe()));
            return Vec::new();
        };
        let mut all = Vec::new();
        flatten(section, "", &mut all);
        all.sort_by_key(|(_, node)| node.origin);
        all
    }

    /// Combines the values of each key with those of each other. The last key changes first.
    fn grid(&mut self, columns: &[(String, Vec<String>)], origin: Origin) -> Vec<Vec<String>> {
        let count = columns.iter().fold(1usize, |n, (_, values)| n.saturating_mul(values.len()));
        if count > MOST {
            self.fault(origin, "keys", format!("{count} cases; at most {MOST} are run"));
        }
        let case = |mut k: usize| {
            let mut case: Vec<String> = columns
                .iter()
                .rev()
                .map(|(_, values)| {
                    let value = values[k % values.len()].clone();
                    k /= values.len();
                    value
                })
                .collect();
            case.reverse();
            case
        };
        (0..count.min(MOST)).map(case).collect()
    }

    /// Combines the k-th values of all keys.
    fn list(&mut self, columns: &[(String, Vec<String>)], origin: Origin) -> Vec<Vec<String>> {
        let count = columns.first().map_or(0, |(_, values)| values.len());
        if let Some((key, values)) = columns.iter().find(|(_, values)| values.len() != count) {
            let message =
                format!("{} values where {} has {count}; a list takes as many of each", values.len(), columns[0].0);
            self.fault(origin, key, message);
            return Vec::new();
        }
        (0..count).map(|k| columns.iter().map(|(_, values)| values[k].clone()).collect()).collect()
    }

    fn number(&mut self, table: &Table, path: &str, key: &str, origin: Origin) -> Option<f64> {
        match table.find(key).map(|n| (&n.value, n)) {
            Some((Value::Integer(whole), _)) => Some(*whole as f64),
            Some((Value::Float(real), _)) if real.is_finite() => Some(*real),
            Some((_, node)) => {
                self.fault(
                    node.origin,
                    &format!("{path}.{key}"),
                    format!("expected a number, found {}", node.describe()),
                );
                None
            }
            None => {
                self.fault(origin, path, format!("a range has from, to and count; '{key}' is missing"));
                None
            }
        }
    }

    /// Returns the values of a key.
    fn values(&mut self, path: &str, node: &Node) -> Option<Vec<String>> {
        match &node.value {
            Value::List(items) if !items.is_empty() => Some(items.iter().map(toml_text).collect()),
            Value::Table(range) => self.range(path, node.origin, range),
            _ => {
                let wanted = "a list of values, or a range such as { from = 0.1, to = 0.4, count = 4 }";
                self.fault(node.origin, path, format!("expected {wanted}, found {}", node.describe()));
                None
            }
        }
    }

    fn range(&mut self, path: &str, origin: Origin, range: &Table) -> Option<Vec<String>> {
        self.known(range, &format!("{path}."), &["from", "to", "count", "scale", "unit"]);
        let [from, to, count] = ["from", "to", "count"].map(|key| self.number(range, path, key, origin));
        let unit = self.text(range, "unit");
        let scale = self.text(range, "scale").unwrap_or("linear".to_string());
        let (from, to, count) = (from?, to?, count?);
        let log = match scale.as_str() {
            "linear" => false,
            "log" => true,
            _ => {
                self.fault(origin, &format!("{path}.scale"), "expected \"linear\" or \"log\"");
                return None;
            }
        };
        if !(count >= 2.0 && count.fract() == 0.0 && count <= MOST as f64) {
            self.fault(origin, &format!("{path}.count"), format!("expected a count from 2 to {MOST}"));
            return None;
        }
        if log && !(from > 0.0 && to > 0.0) {
            self.fault(origin, path, "a range with scale \"log\" lies above 0");
            return None;
        }
        let value = |k: usize| {
            let t = k as f64 / (count - 1.0);
            let exact = if log { from * (to / from).powf(t) } else { from + (to - from) * t };
            // Rounding to twelve digits makes 0.1 + 2 * 0.1 equal 0.3.
            let x: f64 = format!("{exact:.11e}").parse().unwrap_or(exact);
            match &unit {
                Some(unit) => toml_edit::Value::from(format!("{x} {unit}")).to_string(),
                None if x.fract() == 0.0 && [from, to].iter().all(|x| x.fract() == 0.0) => format!("{x:.0}"),
                None => toml_edit::Value::from(x).to_string(),
            }
        };
        Some((0..count as usize).map(value).collect())
    }
}

/// Adds the entries of a table under their paths. A range counts as one entry.
fn flatten<'n>(table: &'n Table, before: &str, all: &mut Vec<(String, &'n Node)>) {
    for entry in &table.entries {
        let path = if before.is_empty() { entry.key.clone() } else { format!("{before}.{}", entry.key) };
        match &entry.node.value {
            Value::Table(inner) if inner.find("from").or(inner.find("to")).is_none() => flatten(inner, &path, all),
            _ => all.push((path, &entry.node)),
        }
    }
}

/// Reads a sweep file.
///
/// # Errors
/// Returns every fault of the sweep file. The scene is not read.
pub fn read(path: &Path) -> Result<Sweep, Vec<Fault>> {
    let refused = |message: String| {
        let place = Place::Argument(path.display().to_string());
        vec![Fault { place, key: String::new(), message }]
    };
    crate::mesh::within::check(path).map_err(refused)?;
    let bytes = std::fs::read(path).map_err(|error| refused(format!("cannot read the sweep: {error}")))?;
    read_text(path, &bytes)
}

fn read_text(path: &Path, bytes: &[u8]) -> Result<Sweep, Vec<Fault>> {
    let document = Document::new(&path.display().to_string(), bytes);
    if !document.syntax.is_empty() {
        return Err(document.syntax.iter().map(|(at, message)| document.fault(*at, "", message)).collect());
    }
    let mut reader = Reader { document: &document, faults: Vec::new() };
    let root = &document.root;
    reader.known(root, "", &["scene", "name", "combine", "set", "keys"]);
    let scene = reader.text(root, "scene");
    if root.find("scene").is_none() {
        reader.fault(Origin::Text(0), "scene", "missing; give a scene file");
    }
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let name =
        reader.text(root, "name").map_or_else(|| folder_name::made_of(&stem), |name| folder_name::composed(&name));
    if let Some(node) = root.find("name").filter(|_| !folder_name::good(&name)) {
        reader.fault(node.origin, "name", format!("expected {}", folder_name::WANTED));
    }
    let combine = reader.text(root, "combine").unwrap_or("grid".to_string());
    let set = reader.entries(root, "set");
    let set = set.into_iter().map(|(path, node)| Override { path, value: toml_text(node) }).collect();
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    for (key, node) in reader.entries(root, "keys") {
        if let Some(values) = reader.values(&key, node) {
            columns.push((key, values));
        }
    }
    let origin = root.find("keys").map_or(Origin::Text(0), |node| node.origin);
    if columns.is_empty() && reader.faults.is_empty() {
        reader.fault(origin, "keys", "missing; give keys of the scene with lists or ranges of values");
    }
    let cases = match combine.as_str() {
        "grid" => reader.grid(&columns, origin),
        "list" => reader.list(&columns, origin),
        _ => {
            let origin = root.find("combine").map_or(Origin::Text(0), |node| node.origin);
            reader.fault(origin, "combine", "expected \"grid\" or \"list\"");
            Vec::new()
        }
    };
    match scene {
        Some(scene) if reader.faults.is_empty() => {
            let scene = path.parent().unwrap_or(Path::new("")).join(scene);
            Ok(Sweep { name, scene, keys: columns.into_iter().map(|(key, _)| key).collect(), set, cases })
        }
        _ => Err(reader.faults),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Sweep, Vec<String>> {
        let read = read_text(Path::new("some/my sweep.toml"), text.as_bytes());
        read.map_err(|faults| faults.iter().map(Fault::to_string).collect())
    }

    #[test]
    fn a_grid_is_each_with_each() {
        let sweep = read(
            "scene = \"drape.toml\"\n[set]\ntime.frames = 6\n[keys]\ntime.step = { from = 1, to = 2, count = 3, unit = \"ms\" }\n\
             \"cloth[0].material\" = [\"silk\", \"denim\"]\n",
        )
        .unwrap();
        assert_eq!((sweep.name.as_str(), sweep.scene.as_path()), ("my_sweep", Path::new("some/drape.toml")));
        assert_eq!(sweep.keys, ["time.step", "cloth[0].material"]);
        assert_eq!(sweep.cases.len(), 6);
        assert_eq!(sweep.cases[0], ["\"1 ms\"", "\"silk\""]);
        assert_eq!(sweep.cases[3], ["\"1.5 ms\"", "\"denim\""]);
        let all = sweep.overrides(&sweep.cases[5]);
        let all: Vec<String> = all.iter().map(|o| format!("{}={}", o.path, o.value)).collect();
        assert_eq!(all, ["time.frames=6", "time.step=\"2 ms\"", "cloth[0].material=\"denim\""]);
    }

    #[test]
    fn ranges_are_even_or_logarithmic() {
        let of = |range: &str| {
            let text = format!("scene = \"a.toml\"\n[keys]\na.b = {range}\n");
            read(&text).map(|sweep| sweep.cases.concat())
        };
        assert_eq!(of("{ from = 0.1, to = 0.4, count = 4 }").unwrap(), ["0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(of("{ from = 1, to = 3, count = 3 }").unwrap(), ["1", "2", "3"]);
        assert_eq!(of("{ from = 1.0, to = 1e4, count = 3, scale = \"log\" }").unwrap(), ["1", "100", "10000"]);
        assert_eq!(of("[[0, 1], { x = true }]").unwrap(), ["[0, 1]", "{ x = true }"]);
        assert!(of("{ from = 0, to = 1, count = 3, scale = \"log\" }").unwrap_err()[0].contains("lies above 0"));
        assert!(of("{ from = 0, to = 1 }").unwrap_err()[0].contains("'count' is missing"));
        assert!(of("{ from = 0, to = 1, count = 1 }").unwrap_err()[0].contains("a count from 2"));
        assert!(of("3").unwrap_err()[0].starts_with("some/my sweep.toml:3:7: a.b: expected a list of values"));
    }

    #[test]
    fn a_list_takes_them_side_by_side() {
        let text = "scene = \"a.toml\"\ncombine = \"list\"\n[keys]\na.b = [1, 2]\na.c = [3, 4]\n";
        assert_eq!(read(text).unwrap().cases, [["1", "3"], ["2", "4"]]);
        let reported = read(&text.replace("[3, 4]", "[3]")).unwrap_err();
        assert!(reported[0].contains("a.c: 1 values where a.b has 2"), "{reported:?}");
    }

    #[test]
    fn faults_are_told_with_their_places() {
        let reported = read("name = \"a b\"\nsceen = \"x\"\ncombine = 3\n").unwrap_err().join("\n");
        for word in [
            "2:1: sceen: unknown key; did you mean 'scene'?",
            "scene: missing",
            "1:8: name: ",
            "3:11: combine: expected text",
        ] {
            assert!(reported.contains(word), "{word} is not in {reported}");
        }
        assert!(read("scene = ").unwrap_err()[0].contains("not TOML"));
        assert!(read("scene = \"x\"\n").unwrap_err()[0].contains("keys: missing"));
    }
}
