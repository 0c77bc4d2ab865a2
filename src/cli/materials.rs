//! `percale materials`: lists the library of materials.

use super::failure::Failure;
use super::say;
use crate::scene::{library, materials_page, materials_table, meant_of_many};
use clap::Args;

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Materials {
    /// Material, pair or permeability to tell all of
    name: Option<String>,
}

impl Materials {
    /// Prints the table, or all entries of a name with their sources.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let Some(name) = self.name else {
            say(materials_table().trim_end());
            return Ok(());
        };
        match materials_page(&name) {
            Some(page) => {
                say(page.trim_end());
                Ok(())
            }
            None => {
                let library = library();
                let pairs = library.pairs.iter().map(|p| p.name.as_str());
                let airy = library.permeabilities.iter().map(|p| p.name.as_str());
                let known = library.materials.names().chain(library.solids.names()).chain(pairs).chain(airy);
                let hint = meant_of_many(&name, known);
                let hint = if hint.is_empty() { "; `percale materials` lists them" } else { &hint };
                let shown: String = name.chars().take(40).collect();
                let dots = if shown.len() < name.len() { "..." } else { "" };
                Err(Failure::input(format!("no material, pair or permeability '{shown}{dots}'{hint}")))
            }
        }
    }
}
