//! Materials by name, of cloths and of bodies, from the library or the scene.

use super::document::{Node, Value};
use super::fault::meant_of_many;
use super::json::Json;
use super::keys::{Context, Field, Keys, Kind, Shelf, described};
use super::kinds::{Text, name};
use super::unit::short;
use std::marker::PhantomData;

/// Kind of material: of cloths or of bodies.
pub(super) trait Shelved: Clone + 'static {
    /// Name of the kind in messages.
    const SORT: &'static str;
    /// Returns the materials of the library.
    fn library() -> &'static Shelf<Self>;
}

/// Entries of a list of the library.
pub(super) trait Published: Sized + 'static {
    /// Returns all entries.
    fn all() -> &'static [Self];
}

/// Name of a new material of this kind.
pub(super) struct NewName<T>(Text, PhantomData<T>);

/// Returns the name field of a new material.
pub(super) fn new_name<T>() -> NewName<T> {
    NewName(name(), PhantomData)
}

impl<T: Shelved> Kind for NewName<T> {
    type Value = String;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<String> {
        let name = self.0.read(cx, path, node)?;
        if cx.shelves.has(&name) {
            let base = if cx.shelves.of::<T>().has(&name) {
                format!(", and base = \"{name}\" to vary it")
            } else {
                String::new()
            };
            cx.fault(node.origin, path, format!("there is a material '{name}' already; give another name{base}"));
            return None;
        }
        cx.shelves.of::<T>().announce(&name);
        Some(name)
    }

    fn wanted(&self) -> String {
        self.0.wanted()
    }

    fn schema(&self) -> Json {
        self.0.schema()
    }
}

/// Name of a known material of this kind.
pub(super) struct Known<T>(PhantomData<T>);

/// Returns the name field of a known material.
pub(super) fn known<T>() -> Known<T> {
    Known(PhantomData)
}

impl<T: Shelved> Kind for Known<T> {
    type Value = T;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<T> {
        let Value::Text(name) = &node.value else {
            self.refuse(cx, path, node);
            return None;
        };
        let shelf = cx.shelves.of::<T>();
        let found = shelf.find(name).cloned();
        // A material that was read with faults is not reported a second time.
        if found.is_none() && !shelf.has(name) {
            let hint = meant_of_many(name, shelf.names());
            let hint = if hint.is_empty() { "; `percale materials` lists them".to_string() } else { hint };
            cx.fault(node.origin, path, format!("no {} is named '{}'{hint}", T::SORT, short(name)));
        }
        found
    }

    fn wanted(&self) -> String {
        format!("the name of a {} of the library or the scene", T::SORT)
    }

    fn schema(&self) -> Json {
        Json::map([("type", Json::text("string")), ("examples", Json::texts(T::library().names()))])
    }
}

/// Field of a material by name, with a default from the library.
pub(super) struct MaterialField<T>(&'static str, PhantomData<T>);

/// Returns the field of a material by name.
pub(super) fn material<T>(default: &'static str) -> MaterialField<T> {
    MaterialField(default, PhantomData)
}

impl<T: Shelved> Field for MaterialField<T> {
    type Value = T;

    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<T> {
        keys.declare(name, false, || described(&known::<T>(), doc).with("default", Json::text(self.0)));
        match keys.read(name, &known::<T>()) {
            Some(read) => read,
            None => {
                let found = keys.cx.shelves.of::<T>().find(self.0).cloned();
                if found.is_none() {
                    keys.missing(name, format!("missing, and there is no {} '{}'", T::SORT, self.0));
                }
                found
            }
        }
    }
}
