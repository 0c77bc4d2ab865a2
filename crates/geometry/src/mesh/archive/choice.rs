//! Choice of prims by their paths, names and patterns.

use super::{name, some};
use crate::mesh::MeshError;

/// Marks the paths at or below any of `wanted`: paths, names of single prims, or patterns of these. Without any, all.
///
/// # Errors
/// Fails if one of them matches no path or its name is ambiguous. The message lists the candidates.
pub(super) fn chosen(paths: &[String], wanted: &[String]) -> Result<Vec<bool>, MeshError> {
    let mut all = vec![wanted.is_empty(); paths.len()];
    for wanted in wanted {
        for (all, own) in all.iter_mut().zip(chosen_by(paths, wanted)?) {
            *all |= own;
        }
    }
    Ok(all)
}

fn chosen_by(paths: &[String], wanted: &str) -> Result<Vec<bool>, MeshError> {
    let below =
        |path: &str, top: &str| path.strip_prefix(top).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let wanted = wanted.trim_end_matches('/');
    let mut tops: Vec<&str> = Vec::new();
    if wanted.contains('*') {
        let fits = |above: &str| fits(wanted, if wanted.starts_with('/') { above } else { name(above) });
        let taken = |path: &String| {
            path.match_indices('/').skip(1).map(|(end, _)| &path[..end]).chain([path.as_str()]).any(fits)
        };
        return found(paths, wanted, paths.iter().map(taken).collect());
    }
    if wanted.is_empty() || wanted.starts_with('/') {
        tops.push(wanted);
    } else {
        for path in paths {
            let mut end = 0;
            for element in path.split('/').skip(1) {
                end += 1 + element.len();
                if element == wanted && !tops.contains(&&path[..end]) {
                    tops.push(&path[..end]);
                }
            }
        }
        // A match below another match counts as part of it: `/root/Shirt` holds `/root/Shirt/Shirt`.
        let all = tops.clone();
        tops.retain(|top| !all.iter().any(|other| other != top && below(top, other)));
        if tops.len() > 1 {
            let message = format!("'{wanted}' is the name of {}; give the whole path of one", some(tops));
            return Err(MeshError::new(message));
        }
    }
    found(paths, wanted, paths.iter().map(|path| tops.iter().any(|top| below(path, top))).collect())
}

fn found(paths: &[String], wanted: &str, chosen: Vec<bool>) -> Result<Vec<bool>, MeshError> {
    if !chosen.contains(&true) {
        let has = if paths.is_empty() { "it has no mesh".to_string() } else { format!("it has {}", some(paths)) };
        return Err(MeshError::new(format!("no mesh at or below '{wanted}'; {has}")));
    }
    Ok(chosen)
}

/// Returns whether a text fits a pattern, in which `*` stands for any text without a slash.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        let skipped = if parts.peek().is_none() {
            rest.ends_with(part).then(|| rest.len() - part.len())
        } else {
            rest.find(part)
        };
        let Some(skipped) = skipped.filter(|k| !rest[..*k].contains('/')) else { return false };
        rest = &rest[skipped + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_or_a_name_chooses() {
        let paths = ["/root/Shirt/Shirt", "/root/Shirt/Button", "/root/Body/Body", "/props/Body"].map(String::from);
        let found = |wanted: &str| chosen(&paths, &[wanted.to_string()]).map_err(|e| e.what);
        assert_eq!(chosen(&paths, &[]).unwrap(), [true; 4]);
        assert_eq!(found("B*").unwrap(), [false, true, true, true]);
        assert_eq!(found("/root/*/B*").unwrap(), [false, true, true, false]);
        assert_eq!(found("/*").unwrap(), [true; 4]);
        assert!(found("/root/S").is_err() && found("/root/S*x").is_err());
        let both = chosen(&paths, &["Button".to_string(), "/props".to_string()]).unwrap();
        assert_eq!(both, [false, true, false, true]);
        assert_eq!(found("/root/Shirt").unwrap(), [true, true, false, false]);
        assert_eq!(found("/root/").unwrap(), [true, true, true, false]);
        assert_eq!(found("Shirt").unwrap(), [true, true, false, false]);
        assert_eq!(found("Button").unwrap(), [false, true, false, false]);
        assert!(found("Body").unwrap_err().contains("'/root/Body', '/props/Body'"), "{:?}", found("Body"));
        assert!(found("/root/Shi").unwrap_err().contains("it has '/root/Shirt/Shirt'"));
    }
}
