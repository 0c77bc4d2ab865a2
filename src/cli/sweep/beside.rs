//! Cases of a sweep side by side in 3D, for its page.

use crate::cli::film::{Film, Source, film};
use crate::page::viewer;
use crate::sequence::Folder;
use std::path::Path;

/// Most cases that are shown.
const MOST: usize = 12;
/// Most characters of all films.
const ROOM: usize = 6_000_000;

/// Returns the viewer of finished cases, each with its title. Cases without meshes are left out.
pub(super) fn beside(cases: &[(String, &Path)]) -> Option<String> {
    let shown = &cases[..cases.len().min(MOST)];
    let each = ROOM / shown.len().max(1);
    let film = |(title, folder): &(String, &Path)| {
        let source = Source::open(&Folder::new(folder)).ok()?;
        match film(&source, title, each) {
            Ok(Film::Whole(film)) => Some(film),
            _ => None,
        }
    };
    let films: Vec<String> = shown.iter().filter_map(film).collect();
    if films.is_empty() { None } else { Some(viewer(&films)) }
}
