//! Materials by name.

use std::collections::BTreeMap;

/// Materials of one sort so far: the library, then the scene's.
#[derive(Clone, Debug)]
pub struct Shelf<T> {
    /// In order.
    pub all: Vec<T>,
    /// Index of each by name; none for those that could not be read.
    names: BTreeMap<String, Option<usize>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Shelf<T> {
        Shelf { all: Vec::new(), names: BTreeMap::new() }
    }
}

impl<T> Shelf<T> {
    /// A material by name.
    pub fn find(&self, name: &str) -> Option<&T> {
        self.names.get(name).and_then(|index| self.all.get((*index)?))
    }

    /// Makes a material known.
    pub fn add(&mut self, name: &str, material: T) {
        self.names.insert(name.to_string(), Some(self.all.len()));
        self.all.push(material);
    }

    /// Makes a name known of which there is no material yet.
    pub fn announce(&mut self, name: &str) {
        self.names.insert(name.to_string(), None);
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    /// The name is taken.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }
}
