//! Differences between two scene files, by key.

use super::document::{Document, Node, Table, Value};
use super::unit::number;
use std::collections::BTreeMap;

/// Returns every key whose value differs between two scene texts, sorted: `time.step: "2 ms", was "1 ms"`. A list
/// element with a name is identified by that name. The form of numbers, comments and the order of keys do not count.
pub fn changes(before: &str, after: &str) -> Vec<String> {
    let [before, after] = [before, after].map(|text| {
        let mut all = BTreeMap::new();
        flatten(&Document::new("", text.as_bytes()).root, "", &mut all);
        all
    });
    let mut reported: Vec<String> = Vec::new();
    for (key, now) in &after {
        match before.get(key) {
            None => reported.push(format!("{key}: {now}, was not given")),
            Some(then) if then != now => reported.push(format!("{key}: {now}, was {then}")),
            Some(_) => (),
        }
    }
    reported.extend(
        before.iter().filter(|(k, _)| !after.contains_key(*k)).map(|(k, v)| format!("{k}: not given, was {v}")),
    );
    reported.sort();
    reported
}

fn flatten(table: &Table, path: &str, all: &mut BTreeMap<String, String>) {
    for entry in &table.entries {
        let path = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
        flatten_node(&entry.node, path, all);
    }
}

fn flatten_node(node: &Node, path: String, all: &mut BTreeMap<String, String>) {
    match &node.value {
        Value::Table(table) => flatten(table, &path, all),
        Value::List(items) if items.iter().any(|item| matches!(item.value, Value::Table(_))) => {
            for (k, item) in items.iter().enumerate() {
                let name = match &item.value {
                    Value::Table(table) => table.find("name").map(|name| &name.value),
                    _ => None,
                };
                let path = match name {
                    Some(Value::Text(name)) => format!("{path}.{name}"),
                    _ => format!("{path}[{k}]"),
                };
                flatten_node(item, path, all);
            }
        }
        value => {
            all.insert(path, shown(value));
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Bool(flag) => flag.to_string(),
        Value::Integer(whole) => number(*whole as f64),
        Value::Float(value) => number(*value),
        Value::Text(text) => format!("{text:?}"),
        Value::Date(date) => date.clone(),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(|item| shown(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(_) => "a table".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_differ_are_named() {
        let before = r#"
            time.step = 0.001 # short
            wind = { velocity = [1, 0, 0.5] }
            cloth = [{ name = "a", mesh = "a.ply", pin = [{ group = "x" }] }, { name = "b" }]
            [solver]
            tolerance = 1e-3
        "#;
        let after = r#"
            cloth = [{ name = "b" }, { name = "a", mesh = "a.ply", pin = [{ group = "y" }] }]
            wind = { velocity = [1.0, 0, 0.5], gust = 2 }
            time = { step = "2 ms" }
        "#;
        let wanted = [
            "cloth.a.pin[0].group: \"y\", was \"x\"",
            "solver.tolerance: not given, was 0.001",
            "time.step: \"2 ms\", was 0.001",
            "wind.gust: 2, was not given",
        ];
        assert_eq!(changes(before, after), wanted);
        assert!(changes(before, before).is_empty());
    }
}
