//! Asset resolver for USD stages. Accepts regular files only, and USDZ packages without compression.

use super::{bounds, text};
use crate::mesh::within;
use openusd::ar::{Asset, DefaultResolver, ResolvedPath, Resolver};
use std::fs::{self, File};
use std::io::{self, Cursor, Read, SeekFrom};
use std::path::Path;
use zip::{CompressionMethod, ZipArchive};

/// Resolver that checks each asset before it is opened.
#[derive(Default)]
pub(super) struct Assets(DefaultResolver);

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
        within::check(file).map_err(|why| io::Error::other(format!("{} {why}", file.display())))?;
        if file.exists() {
            regular(file)?;
            known(file)?;
            if file.extension().is_some_and(|end| end.eq_ignore_ascii_case("usdz")) {
                stored(file)?;
            }
        }
        legible(self.0.open_asset(resolved_path)?)
    }
}

/// Rewrites text that openusd would refuse ([`text`]). Other assets stay as they are.
fn legible(mut asset: Box<dyn Asset>) -> io::Result<Box<dyn Asset>> {
    let mut head = Vec::new();
    asset.by_ref().take(text::MAGIC.len() as u64).read_to_end(&mut head)?;
    asset.seek(SeekFrom::Start(0))?;
    if head != text::MAGIC {
        return Ok(asset);
    }
    Ok(Box::new(Cursor::new(text::plain(&asset.read_all()?))))
}

/// Rejects pipes and devices. Opening a pipe would block until another process writes.
///
/// # Errors
/// Fails if the file is missing or not a regular file.
pub(super) fn regular(file: &Path) -> io::Result<()> {
    within::check(file).map_err(|why| io::Error::other(format!("{} {why}", file.display())))?;
    let about = fs::metadata(file)?;
    if !about.is_file() {
        return Err(io::Error::other(format!("{} is no regular file", file.display())));
    }
    bounds::opened(about.len());
    Ok(())
}

/// Crates of versions up to this one are read: major, minor.
const NEWEST: [u8; 2] = [0, 12];
/// Crates below it have nothing compressed; no program has written them for years.
const OLD: [u8; 2] = [0, 4];

/// Rejects a crate of a version newer than [`NEWEST`].
///
/// # Errors
/// The crate has such a version.
fn known(file: &Path) -> io::Result<()> {
    match version(file) {
        Some([major, minor, _]) if [major, minor] > NEWEST => Err(io::Error::other(other(file).unwrap_or_default())),
        _ => Ok(()),
    }
}

/// Version of a crate, by its first bytes.
fn version(file: &Path) -> Option<[u8; 3]> {
    let mut head = [0; 11];
    File::open(file).and_then(|mut open| open.read_exact(&mut head)).ok()?;
    let [major, minor, patch] = *head.strip_prefix(b"PXR-USDC")?.first_chunk()?;
    Some([major, minor, patch])
}

/// That a crate is of another version than those that are read; `None` where it is not.
pub(super) fn other(file: &Path) -> Option<String> {
    let [major, minor, patch] = version(file)?;
    let known = (OLD..=NEWEST).contains(&[major, minor]);
    (!known).then(|| {
        format!(
            "{} is a crate of version {major}.{minor}.{patch}; versions {}.{} to {}.{} are read: save it as one of these, or as .usda",
            file.display(),
            OLD[0],
            OLD[1],
            NEWEST[0],
            NEWEST[1]
        )
    })
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
