//! `percale materials`: the library.

use super::failure::Failure;
use super::say;
use crate::scene::{library, material_page, materials_table, pair_page, pairs};
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
        match library().iter().find(|m| m.name == name) {
            Some(material) => {
                say(material_page(material).trim_end());
                Ok(())
            }
            None if pairs().iter().any(|pair| pair.name == name) => {
                pairs().iter().filter(|pair| pair.name == name).for_each(|pair| say(pair_page(pair).trim_end()));
                Ok(())
            }
            None => {
                let known = library().iter().map(|m| m.name.as_str()).chain(pairs().iter().map(|p| p.name.as_str()));
                let known: Vec<&str> = known.collect();
                Err(Failure::input(format!("no material or pair '{name}'; the library has {}", known.join(", "))))
            }
        }
    }
}
