//! Materials by name.

use std::any::{Any, TypeId};
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

/// Shelves of all sorts of materials, by their types.
#[derive(Default)]
pub struct Shelves(BTreeMap<TypeId, Box<dyn Named>>);

/// Shelf of any type.
trait Named: Any {
    fn names(&self) -> Vec<&str>;
}

impl<T: 'static> Named for Shelf<T> {
    fn names(&self) -> Vec<&str> {
        Shelf::names(self).collect()
    }
}

impl Shelves {
    /// Puts a shelf in the place of the one of its type.
    pub fn with<T: 'static>(mut self, shelf: Shelf<T>) -> Shelves {
        self.0.insert(TypeId::of::<T>(), Box::new(shelf));
        self
    }

    /// Returns the shelf of a type, which is empty if nothing was put there.
    pub fn of<T: 'static>(&mut self) -> &mut Shelf<T> {
        let shelf = self.0.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(Shelf::<T>::default()));
        let shelf: &mut dyn Any = &mut **shelf;
        match shelf.downcast_mut() {
            Some(shelf) => shelf,
            // The key is the type of the value.
            None => std::process::abort(),
        }
    }

    /// Returns all names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.values().flat_map(|shelf| (**shelf).names())
    }

    /// Returns whether a name is taken.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|own| own == name)
    }
}
