//! Misspelled tables, renamed to the names that were probably meant. Their keys are checked too, so that one round
//! finds all errors.

use crate::scene::document::{Entry, Node, Table, Value};
use crate::scene::fault::nearest;

/// Renames misspelled tables to the names that were probably meant. Returns the renamed table, and the misspelled
/// entries with the correct names. The table is `None` if no name is misspelled.
pub(super) fn respelled(
    table: &Table,
    names: impl FnOnce() -> Vec<&'static str>,
) -> (Option<Table>, Vec<(Entry, &'static str)>) {
    let of_tables = |node: &Node| match &node.value {
        Value::Table(_) => true,
        Value::List(items) => !items.is_empty() && items.iter().all(|item| matches!(item.value, Value::Table(_))),
        _ => false,
    };
    if !table.entries.iter().any(|entry| of_tables(&entry.node)) {
        return (None, Vec::new());
    }
    let known = names();
    let (mut renamed, mut misspelled) = (table.clone(), Vec::new());
    for entry in table.entries.iter().filter(|e| of_tables(&e.node) && !known.contains(&e.key.as_str())) {
        let Some(meant) = nearest(&entry.key, known.iter().copied()) else { continue };
        renamed.entries.retain(|other| other.key != entry.key);
        match (renamed.entries.iter_mut().find(|other| other.key == meant), &entry.node.value) {
            (None, _) => renamed.entries.push(Entry { key: meant.to_string(), ..entry.clone() }),
            // Correctly spelled tables come first, so that their indices do not change.
            (Some(Entry { node: Node { value: Value::List(items), .. }, .. }), Value::List(more)) => {
                items.extend(more.iter().cloned());
            }
            _ => (),
        }
        misspelled.push((entry.clone(), meant));
    }
    if misspelled.is_empty() { (None, misspelled) } else { (Some(renamed), misspelled) }
}
