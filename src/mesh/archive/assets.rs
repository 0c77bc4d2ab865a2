//! Asset resolver for USD stages. Accepts regular files only, and USDZ packages without compression.

use super::bounds;
use openusd::ar::{Asset, DefaultResolver, ResolvedPath, Resolver};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use zip::{CompressionMethod, ZipArchive};

/// Resolver that checks each asset before it is opened.
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

/// Rejects pipes and devices. Opening a pipe would block until another process writes.
///
/// # Errors
/// Fails if the file is missing or not a regular file.
pub fn regular(file: &Path) -> io::Result<()> {
    let about = fs::metadata(file)?;
    if !about.is_file() {
        return Err(io::Error::other(format!("{} is no regular file", file.display())));
    }
    bounds::opened(about.len());
    Ok(())
}

/// Rejects a USDZ package with compressed entries. USDZ allows none, and a compressed entry may expand to any size.
///
/// # Errors
/// Fails if an entry is compressed or the package is incomplete.
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
