//! Kinds of values: numbers with units, words, files, vectors, colours, lists, tables.

mod list;
mod number;
mod path;
mod vector;
mod word;

pub use list::{List, list, table, tables};
pub use number::{Integer, Quantity, integer, quantity, real};
pub use path::{File, existing, file};
pub use vector::{Vector, checker, colour, direction, vector};
pub use word::{Text, choice, flag, folder_name, name, object_name, of_name, text, word, yes};
