//! Files that a USD stage refers to: regular ones alone, and packages that hold their parts as they are.

use super::bounds;
use openusd::ar::{Asset, DefaultResolver, ResolvedPath, Resolver};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use zip::{CompressionMethod, ZipArchive};

/// Opens what a stage refers to.
#[derive(Default)]
pub struct Assets(DefaultResolver);

impl Resolver for Assets {
    fn create_identifier(&self, asset_path: &str, anchor: Option<&ResolvedPath>) -> String {
        self.0.create_identifier(asset_path, anchor)
    }

    fn resolve(&self, asset_path: &str) -> Option<ResolvedPath> {
        self.0.resolve(asset_path)
    }

    fn resolve_for_new_asset(&self, asset_path: &str) -> Option<ResolvedPath> {
        self.0.resolve_for_new_asset(asset_path)
    }

    fn open_asset(&self, resolved_path: &ResolvedPath) -> io::Result<Box<dyn Asset>> {
        let file: &Path = resolved_path;
        if file.exists() {
            regular(file)?;
            if file.extension().is_some_and(|end| end.eq_ignore_ascii_case("usdz")) {
                stored(file)?;
            }
        }
        self.0.open_asset(resolved_path)
    }
}

/// Refuses pipes and devices: who opens a pipe waits for one who writes.
///
/// # Errors
/// The file is no regular one, or is not there.
pub fn regular(file: &Path) -> io::Result<()> {
    let about = fs::metadata(file)?;
    if !about.is_file() {
        return Err(io::Error::other(format!("{} is no regular file", file.display())));
    }
    bounds::opened(about.len());
    Ok(())
}

/// All entries of a package are stored, as USDZ has it: a compressed one may be of any size.
///
/// # Errors
/// An entry is compressed, or the package is not whole.
fn stored(file: &Path) -> io::Result<()> {
    let mut package = ZipArchive::new(File::open(file)?)?;
    for k in 0..package.len() {
        let entry = package.by_index_raw(k)?;
        if entry.compression() != CompressionMethod::Stored {
            let message =
                format!("{}: its entry '{}' is compressed, and USDZ has none that are", file.display(), entry.name());
            return Err(io::Error::other(message));
        }
    }
    Ok(())
}
