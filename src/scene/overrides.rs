//! `--set table.key=value`, applied to the tree that is read and to the text that is kept.

use super::document::{Document, Entry, Node, Origin, Table, Value};
use super::fault::{Fault, Place, meant};
use super::unit::short;
use toml_edit::{DocumentMut, Item};

/// Override by `--set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Key path: `time.step`, `cloth[0].material`, or by name `cloth.sheet.material`.
    pub path: String,
    /// Value: TOML, else text.
    pub value: String,
}

/// Step of a path: a key, or the index of a list element.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

impl Override {
    /// Parses `path=value`.
    pub fn parse(argument: &str) -> Result<Override, Fault> {
        match argument.split_once('=') {
            Some((path, value)) if !path.trim().is_empty() => {
                Ok(Override { path: path.trim().to_string(), value: value.trim().to_string() })
            }
            _ => Err(Fault {
                place: Place::Argument(format!("--set {}", short(argument))),
                key: String::new(),
                message: "expected table.key=value, such as time.step=\"0.5 ms\"".to_string(),
            }),
        }
    }

    fn steps(&self) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        for part in self.path.split('.') {
            let (key, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
            if key.is_empty() || !key.chars().all(super::kinds::of_name) {
                return Err("expected table.key, such as time.step or cloth[0].material".to_string());
            }
            steps.push(Step::Key(key.to_string()));
            for index in indices.split_terminator(']') {
                match index.strip_prefix('[').and_then(|digits| digits.parse().ok()) {
                    Some(index) => steps.push(Step::Index(index)),
                    None => return Err(format!("expected a count from 0 in brackets, found '{}'", short(part))),
                }
            }
        }
        if steps.len() > 16 { Err("no key lies that deep".to_string()) } else { Ok(steps) }
    }
}

/// Applies overrides to the tree. Returns the text with them applied, and faults of their paths by index.
pub(super) fn apply(document: &mut Document, overrides: &[Override]) -> (String, Vec<(usize, String)>) {
    let mut faults = Vec::new();
    let mut text = document.text().parse::<DocumentMut>().ok();
    for (index, change) in overrides.iter().enumerate() {
        let node = Node::of_argument(&change.value, index);
        let mut tree = document.root.clone();
        match change.steps().and_then(|steps| put(&mut tree, &steps, node, index)) {
            Ok(steps) => {
                document.root = tree;
                if let Some(text) = &mut text {
                    let value = change.value.parse().unwrap_or_else(|_| toml_edit::Value::from(change.value.as_str()));
                    write(text.as_item_mut(), &steps, value);
                }
            }
            Err(message) => faults.push((index, message)),
        }
    }
    match text {
        Some(text) if !overrides.is_empty() => (text.to_string(), faults),
        _ => (document.text().to_string(), faults),
    }
}

/// Puts a value into the tree. Returns the steps, with names of elements replaced by their indices.
fn put(root: &mut Table, steps: &[Step], node: Node, set: usize) -> Result<Vec<Step>, String> {
    let mut resolved = Vec::new();
    let mut rest = steps;
    let Some((Step::Key(key), tail)) = rest.split_first() else { return Err("expected table.key".to_string()) };
    rest = tail;
    let mut at = entry(root, key, set);
    resolved.push(Step::Key(key.clone()));
    let mut place = key.clone();
    while let Some((step, tail)) = rest.split_first() {
        if at.fresh && matches!(step, Step::Key(_)) {
            at.node.value = Value::Table(Table::default());
        }
        let (fresh, found) = (at.fresh, at.node.describe());
        at = match (&mut at.node.value, step) {
            (Value::List(items), Step::Index(index)) => {
                let count = items.len();
                let Some(item) = items.get_mut(*index) else {
                    return Err(format!("there is no {place}[{index}]; '{place}' has {count}, counted from 0"));
                };
                resolved.push(Step::Index(*index));
                place = format!("{place}[{index}]");
                rest = tail;
                At { node: item, fresh: false }
            }
            // List element by its name.
            (Value::List(items), Step::Key(name)) => {
                let names: Vec<String> = items.iter().map(name_of).collect();
                let Some(index) = names.iter().position(|n| n == name) else {
                    let hint = meant(name, names.iter().map(String::as_str));
                    let hint = if hint.is_empty() { format!("; count them as {place}[0]") } else { hint };
                    return Err(format!("no {place} is named '{name}'{hint}"));
                };
                let Some(item) = items.get_mut(index) else { return Err(format!("there is no {place}[{index}]")) };
                resolved.push(Step::Index(index));
                place = format!("{place}[{index}]");
                rest = tail;
                At { node: item, fresh: false }
            }
            (Value::Table(table), Step::Key(key)) => {
                resolved.push(Step::Key(key.clone()));
                place = format!("{place}.{key}");
                rest = tail;
                entry(table, key, set)
            }
            (_, Step::Index(_)) if fresh => return Err(format!("there is no '{place}' in the scene to count in")),
            (_, Step::Index(_)) => return Err(format!("'{place}' is {found}, not a list")),
            (_, Step::Key(key)) => return Err(format!("'{place}' is {found}, it has no '{key}'")),
        };
    }
    *at.node = node;
    Ok(resolved)
}

/// Node in the tree, and whether it was just created.
struct At<'a> {
    node: &'a mut Node,
    fresh: bool,
}

fn name_of(node: &Node) -> String {
    match &node.value {
        Value::Table(table) => match table.find("name").map(|n| &n.value) {
            Some(Value::Text(name)) => name.clone(),
            _ => String::new(),
        },
        _ => String::new(),
    }
}

/// Returns the value of a key, which is created if absent.
fn entry<'a>(table: &'a mut Table, key: &str, set: usize) -> At<'a> {
    let known = table.entries.iter().position(|e| e.key == key);
    let fresh = known.is_none();
    let index = known.unwrap_or_else(|| {
        let origin = Origin::Set(set);
        let node = Node { origin, value: Value::Bool(false) };
        table.entries.push(Entry { key: key.to_string(), origin, node });
        table.entries.len() - 1
    });
    At { node: &mut table.entries[index].node, fresh }
}

/// Writes a value into the text at resolved steps.
fn write(root: &mut Item, steps: &[Step], value: toml_edit::Value) {
    let Some((last, path)) = steps.split_last() else { return };
    let mut at = root;
    for (depth, step) in path.iter().enumerate() {
        let next = match step {
            Step::Index(index) => at.get_mut(*index),
            Step::Key(key) => {
                if at.get(key).is_none()
                    && let Some(table) = at.as_table_like_mut()
                {
                    // A new section gets a heading of its own. A table within a table is written inline.
                    let new = if depth == 0 { Item::Table(toml_edit::Table::new()) } else { inline() };
                    table.insert(key, new);
                }
                at.get_mut(key.as_str())
            }
        };
        let Some(next) = next else { return };
        at = next;
    }
    match last {
        Step::Key(key) => {
            if let Some(table) = at.as_table_like_mut() {
                let item = match table.get(key) {
                    Some(Item::Value(old)) => {
                        let decor = old.decor().clone();
                        let mut value = value;
                        *value.decor_mut() = decor;
                        Item::Value(value)
                    }
                    _ => Item::Value(value),
                };
                table.insert(key, item);
            }
        }
        Step::Index(index) => {
            if let Some(array) = at.as_array_mut()
                && *index < array.len()
            {
                array.replace(*index, value);
            }
        }
    }
}

fn inline() -> Item {
    Item::Value(toml_edit::Value::InlineTable(toml_edit::InlineTable::new()))
}
