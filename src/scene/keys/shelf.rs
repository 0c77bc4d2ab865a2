//! Materials by name.

use std::collections::BTreeMap;

/// Materials of one kind so far: the library's, then the scene's.
#[derive(Clone, Debug)]
pub struct Shelf<T> {
    /// Materials in the order of the library and the scene.
    pub all: Vec<T>,
    /// Index of each material by name; `None` for materials that could not be read.
    names: BTreeMap<String, Option<usize>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Shelf<T> {
        Shelf { all: Vec::new(), names: BTreeMap::new() }
    }
}

impl<T> Shelf<T> {
    /// Returns a material by its name.
    pub fn find(&self, name: &str) -> Option<&T> {
        self.names.get(name).and_then(|index| self.all.get((*index)?))
    }

    /// Adds a material.
    pub fn add(&mut self, name: &str, material: T) {
        self.names.insert(name.to_string(), Some(self.all.len()));
        self.all.push(material);
    }

    /// Reserves a name without a material yet.
    pub fn announce(&mut self, name: &str) {
        self.names.insert(name.to_string(), None);
    }

    /// Returns all names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// Returns whether a name is in use.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }
}
