//! A folder beyond which no file of a stranger's scene is read, once it is set for the process: `--within`.

use std::borrow::Cow;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{PoisonError, RwLock};

/// Name of the variable by which a reader of archives learns of it.
pub const VARIABLE: &str = "PERCALE_WITHIN";

static WITHIN: RwLock<Option<PathBuf>> = RwLock::new(None);

/// No file outside of this folder is read from now on.
///
/// # Errors
/// The folder is not there.
pub fn set(folder: &Path) -> io::Result<()> {
    let real = folder.canonicalize()?;
    if !real.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    *WITHIN.write().unwrap_or_else(PoisonError::into_inner) = Some(real);
    Ok(())
}

/// Sets what the process that began this one has set.
///
/// # Errors
/// As [`set`].
pub fn inherit() -> io::Result<()> {
    let folder = std::env::var_os(VARIABLE).filter(|folder: &OsString| !folder.is_empty());
    folder.map_or(Ok(()), |folder| set(Path::new(&folder)))
}

/// The folder, without links; `None` where every file may be read.
pub fn folder() -> Option<PathBuf> {
    WITHIN.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Checks that a file lies in the folder, after links are resolved. The message is the same whether it exists or not.
///
/// # Errors
/// The file lies outside of the folder.
pub fn check(file: &Path) -> Result<(), String> {
    let Some(folder) = folder() else { return Ok(()) };
    match real(file) {
        Some(real) if real.starts_with(&folder) => Ok(()),
        _ => Err(format!("leaves the folder {}, beyond which --within reads nothing", folder.display())),
    }
}

/// The path without links; of what is not there as far as it is. `None` where it cannot be known.
fn real(file: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(file).ok()?;
    let mut rest: Vec<OsString> = Vec::new();
    let mut there = whole.as_path();
    loop {
        if let Ok(real) = there.canonicalize() {
            return Some(rest.iter().rev().fold(real, |path, part| path.join(part)));
        }
        // A link to what is not there may be followed by who makes it later.
        let Some(Component::Normal(name)) = there.components().next_back() else { return None };
        if there.is_symlink() {
            return None;
        }
        rest.push(name.to_os_string());
        there = there.parent()?;
    }
}

/// Removes quotations from a message about a file if a folder is set. A link may lead to a file with secrets.
pub fn hushed(message: &str) -> Cow<'_, str> {
    if folder().is_none() { message.into() } else { unquoted(message).into() }
}

/// With `...` for what stands between quotes.
fn unquoted(message: &str) -> String {
    let letters: Vec<char> = message.chars().collect();
    let word = |at: Option<usize>| at.and_then(|at| letters.get(at)).is_some_and(|c| c.is_alphanumeric());
    let mut out = String::with_capacity(message.len());
    let mut at = 0;
    while at < letters.len() {
        let quote = letters[at];
        out.push(quote);
        at += 1;
        if !matches!(quote, '\'' | '"') || word(at.checked_sub(2)) {
            continue;
        }
        // The last quote that may end it: what is quoted may hold quotes itself.
        let ends = |k: &usize| letters[*k] == quote && !word(Some(k + 1));
        let Some(end) = (at..letters.len()).rev().find(ends) else { continue };
        out.push_str("...");
        out.push(quote);
        at = end + 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_words_are_left_out() {
        assert_eq!(unquoted("'root:x:0' is no vertex"), "'...' is no vertex");
        assert_eq!(unquoted("the file's word \"a 'b' c\" is odd"), "the file's word \"...\" is odd");
        assert_eq!(unquoted("'it's' here"), "'...' here");
        assert_eq!(unquoted("nothing, 'open"), "nothing, 'open");
    }

    #[test]
    fn a_path_is_followed_as_far_as_it_is_there() {
        let folder = std::env::temp_dir().join(format!("percale-within-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let own = folder.canonicalize().unwrap();
        assert_eq!(real(&folder.join("a/b.obj")), Some(own.join("a/b.obj")));
        assert_eq!(real(&folder.join("../x.obj")), own.parent().map(|up| up.join("x.obj")));
        assert_eq!(real(&folder.join("absent/../../x.obj")), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("/nowhere/else", folder.join("link.obj")).unwrap();
            assert_eq!(real(&folder.join("link.obj")), None);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
