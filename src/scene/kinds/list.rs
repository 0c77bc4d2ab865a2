//! Lists and tables.

use crate::scene::document::{Node, Value};
use crate::scene::json::Json;
use crate::scene::keys::{Context, Field, Keys, Kind, Or, Section, described};
use std::marker::PhantomData;
use std::ops::RangeInclusive;

/// Returns the JSON Schema of a list.
pub(super) fn array(items: Json, least: usize, most: usize) -> Json {
    let schema = Json::map([("type", Json::text("array")), ("items", items), ("minItems", Json::Number(least as f64))]);
    if most == usize::MAX { schema } else { schema.with("maxItems", Json::Number(most as f64)) }
}

/// Kind of a list.
#[derive(Clone)]
pub struct List<K> {
    kind: K,
    count: RangeInclusive<usize>,
}

/// Returns the kind of a list whose length is in a range.
pub(crate) fn list<K>(kind: K, count: RangeInclusive<usize>) -> List<K> {
    List { kind, count }
}

impl<K: Kind> Kind for List<K> {
    type Value = Vec<K::Value>;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Vec<K::Value>> {
        let Value::List(items) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let read: Vec<_> =
            items.iter().enumerate().map(|(k, n)| self.kind.read(cx, &format!("{path}[{k}]"), n)).collect();
        if !self.count.contains(&items.len()) {
            let (least, most) = (self.count.start(), self.count.end());
            let count = match most {
                most if most == least => format!("{least}"),
                1_000_000.. => format!("at least {least}"),
                most => format!("{least} to {most}"),
            };
            cx.fault(node.origin, path, format!("a list of {}; give {count}", items.len()));
            return None;
        }
        read.into_iter().collect()
    }

    fn wanted(&self) -> String {
        self.kind.plural()
    }

    fn schema(&self) -> Json {
        array(self.kind.schema(), *self.count.start(), *self.count.end())
    }

    fn json(&self, value: &Vec<K::Value>) -> Option<Json> {
        value.iter().map(|v| self.kind.json(v)).collect::<Option<Vec<Json>>>().map(Json::List)
    }
}

/// Kind of a table of a section. An absent field has all defaults.
pub(crate) struct SubTable<S>(PhantomData<S>);

impl<S> Clone for SubTable<S> {
    fn clone(&self) -> Self {
        SubTable(PhantomData)
    }
}

/// Returns the kind of a table of a section.
pub(crate) fn table<S: Section>() -> SubTable<S> {
    SubTable(PhantomData)
}

/// Returns the kind of any number of tables, written `[[...]]`.
pub(crate) fn tables<S: Section + Clone>() -> Or<List<SubTable<S>>> {
    list(table::<S>(), 0..=usize::MAX).or(Vec::new())
}

impl<S: Section> Kind for SubTable<S> {
    type Value = S;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<S> {
        let Value::Table(table) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        Keys::section(cx, path, node.origin, table)
    }

    fn wanted(&self) -> String {
        "one table".to_string()
    }

    fn plural(&self) -> String {
        "a list of tables, each headed by [[ ]]".to_string()
    }

    fn schema(&self) -> Json {
        Keys::describe::<S>()
    }
}

impl<S: Section> Field for SubTable<S> {
    type Value = S;

    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<S> {
        keys.declare(name, false, || described(self, doc));
        match keys.read(name, self) {
            Some(read) => read,
            None => keys.absent(name),
        }
    }
}
