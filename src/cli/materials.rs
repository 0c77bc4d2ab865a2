//! `percale materials`: the library.

use super::failure::Failure;
use super::say;
use crate::scene::{library, materials_page, materials_table};
use clap::Args;

/// Arguments.
#[derive(Debug, Args)]
pub struct Materials {
    /// Material or pair to tell all of
    name: Option<String>,
}

impl Materials {
    /// Prints the table, or one material or pair with its sources.
    pub fn execute(self) -> Result<(), Failure> {
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
                let known: Vec<&str> = library.materials.names().chain(library.solids.names()).chain(pairs).collect();
                Err(Failure::input(format!("no material or pair '{name}'; the library has {}", known.join(", "))))
            }
        }
    }
}
