//! Documentation of all keys, in Markdown. It is made from the same declarations as the schema.

use super::File;
use super::json::Json;
use super::keys::Keys;
use std::fmt::Write;

/// Text above the tables.
const HEAD: &str = "# Keys of scene files

Made by `percale schema --markdown` from the declarations that the reader uses; not edited by hand.

A quantity is a number in SI or text with a unit, such as `\"0.2 ms\"`; plain angles are radians. Defaults are in SI. A
key without a default may be absent, but for what is said above its table. Paths are relative to the scene file. Within
a table, `[cloth.transform]` may be written `transform = { ... }`, and `[[cloth.pin]]` as `pin = [{ ... }]`.
";

/// Table of the page.
struct Chapter<'a> {
    /// Paths of the table, without indices; at least one.
    paths: Vec<String>,
    /// Whether the table may occur any number of times.
    many: bool,
    /// Description of the table; empty if it differs between the paths.
    about: &'a str,
    /// JSON Schema of the table.
    table: &'a Json,
}

/// Returns a Markdown page of all keys of scene files, with expected values, defaults and sentences.
pub fn keys_page() -> String {
    let root = Keys::describe::<File>();
    let (mut chapters, mut out) = (Vec::new(), HEAD.to_string());
    for (name, key) in properties(&root) {
        collect(name, key, &mut chapters);
    }
    let _ = write!(out, "{}", rules(&root));
    for chapter in &chapters {
        let _ = write!(out, "{}", section(chapter, &chapters));
    }
    out
}

/// Adds the tables that a key may hold. Nested tables follow the table that holds them.
fn collect<'a>(path: &str, key: &'a Json, chapters: &mut Vec<Chapter<'a>>) {
    let about = split(key).0;
    for table in tables(key) {
        if let Some(known) = chapters.iter_mut().find(|known| same(known.table, table)) {
            known.paths.push(path.to_string());
            if known.about != about {
                known.about = "";
            }
            continue;
        }
        let many = key.get("items").is_some();
        chapters.push(Chapter { paths: vec![path.to_string()], many, about, table });
        for (name, key) in properties(table) {
            collect(&format!("{path}.{name}"), key, chapters);
        }
    }
}

/// Returns the tables that a value may be or hold.
fn tables(schema: &Json) -> Vec<&Json> {
    if schema.get("properties").is_some() {
        return vec![schema];
    }
    let items = schema.get("items").into_iter();
    items.chain(list(schema, "anyOf")).flat_map(tables).fold(Vec::new(), |mut all, table| {
        if !all.iter().any(|known| same(known, table)) {
            all.push(table);
        }
        all
    })
}

/// Returns whether two tables have the same keys.
fn same(a: &Json, b: &Json) -> bool {
    ["title", "properties", "required", "allOf"].iter().all(|part| a.get(part) == b.get(part))
}

fn section(chapter: &Chapter, chapters: &[Chapter]) -> String {
    let Chapter { paths, many, about, table } = chapter;
    let [first, others @ ..] = paths.as_slice() else { return String::new() };
    let (open, close) = if *many { ("[[", "]]") } else { ("[", "]") };
    let mut out = format!("\n## `{open}{first}{close}`\n");
    if !about.is_empty() {
        let _ = writeln!(out, "\n{}", line(about));
    }
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|path| format!("`{path}`")).collect();
        let _ = writeln!(out, "\nThe same: {}.", others.join(", "));
    }
    out.push_str(&rules(table));
    out.push_str("\n| key | expects | default | |\n|---|---|---|---|\n");
    let required: Vec<&str> = list(table, "required").filter_map(word).collect();
    for (name, key) in properties(table) {
        let (sentence, expects) = split(key);
        let (mut sentence, mut expects) = (line(sentence), line(expects));
        for choice in list(key, "oneOf") {
            if let (Some(name), Some(about)) =
                (choice.get("const").and_then(word), choice.get("description").and_then(word))
            {
                let _ = write!(sentence, " `{name}`: {}", line(about));
            }
        }
        for held in tables(key) {
            if let Some(path) = chapters.iter().find(|c| same(c.table, held)).and_then(|c| c.paths.first()) {
                let _ = write!(expects, ": [`{path}`](#{})", path.replace('.', ""));
            }
        }
        let default = match key.get("default") {
            _ if required.contains(&name) => "required".to_string(),
            Some(Json::List(items)) if items.is_empty() => String::new(),
            Some(default) => format!("`{}`", line(&default.to_string())),
            None => String::new(),
        };
        let _ = writeln!(out, "| `{name}` | {expects} | {default} | {sentence} |");
    }
    out
}

/// Describes the rules between keys of a table, one sentence each.
fn rules(table: &Json) -> String {
    let mut out = String::new();
    for rule in list(table, "allOf") {
        let any = list(rule, "anyOf").next().is_some();
        let all = || list(rule, if any { "anyOf" } else { "oneOf" });
        let names: Vec<String> =
            all().flat_map(|one| list(one, "required")).filter_map(word).map(|name| format!("`{name}`")).collect();
        let none = all().any(|one| one.get("not").is_some());
        let count = match (any, none) {
            (true, _) => "At least one",
            (false, true) => "At most one",
            (false, false) => "Exactly one",
        };
        let _ = writeln!(out, "\n{count} of {}.", names.join(", "));
    }
    out
}

/// Splits the description of a key into its sentence and the expected value.
fn split(key: &Json) -> (&str, &str) {
    let text = key.get("description").and_then(word).unwrap_or_default();
    let (sentence, expects) = text.rsplit_once(" Expects ").unwrap_or((text, ""));
    (sentence, expects.strip_suffix('.').unwrap_or(expects))
}

/// Returns the text as one line that fits in a table cell.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

fn properties(table: &Json) -> impl Iterator<Item = (&str, &Json)> {
    let entries: &[(String, Json)] = match table.get("properties") {
        Some(Json::Map(entries)) => entries,
        _ => &[],
    };
    entries.iter().map(|(name, key)| (name.as_str(), key))
}

fn list<'a>(schema: &'a Json, key: &str) -> impl Iterator<Item = &'a Json> + use<'a> {
    let items: &[Json] = match schema.get(key) {
        Some(Json::List(items)) => items,
        _ => &[],
    };
    items.iter()
}

fn word(json: &Json) -> Option<&str> {
    if let Json::Text(text) = json { Some(text) } else { None }
}
