//! Kinds of values: numbers with units, words, files, vectors, colours, lists, tables.

mod list;
mod number;
mod path;
mod vector;
mod word;

pub(super) use list::{List, list, table, tables};
pub(super) use number::{Integer, Quantity, integer, quantity, real};
pub(super) use path::{File, existing, file};
pub(super) use vector::{Vector, checker, colour, direction, vector};
pub(super) use word::{Text, choice, flag, folder_name, name, object_name, of_name, text, word, yes};
