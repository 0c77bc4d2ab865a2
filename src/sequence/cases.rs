//! `cases.json` of a sweep: the values of each run folder.

use super::disk::{DiskError, read, write};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names of run folders and the values of their cases, each value as `key=value`, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cases {
    known: BTreeMap<String, Vec<String>>,
}

fn path(folder: &Path) -> PathBuf {
    folder.join("cases.json")
}

impl Cases {
    /// Reads the list of a sweep's folder. Returns an empty list if the file is absent or not such a list; names are
    /// then assigned anew.
    ///
    /// # Errors
    /// The file exists and cannot be read.
    pub fn read(folder: &Path) -> Result<Cases, DiskError> {
        let path = path(folder);
        if !path.exists() {
            return Ok(Cases::default());
        }
        let all: Value = serde_json::from_slice(&read(&path)?).unwrap_or_default();
        let entry = |(name, values): (&String, &Value)| {
            let values = values.as_array()?.iter().map(|value| value.as_str().map(str::to_string));
            Some((name.clone(), values.collect::<Option<_>>()?))
        };
        Ok(Cases { known: all.as_object().into_iter().flatten().filter_map(entry).collect() })
    }

    /// Writes the list.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn write(&self, folder: &Path) -> Result<(), DiskError> {
        write(&path(folder), format!("{:#}\n", json!(self.known)).as_bytes())
    }

    /// Lists the names of all run folders.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str).filter(|name| Path::new(name).file_name() == Some(name.as_ref()))
    }

    /// Returns the folder names of all cases, by their values. A known case keeps its name. A new case gets its
    /// position in the list as a number, or the next free number. Names of cases that are no longer listed stay
    /// reserved.
    pub fn names(&mut self, cases: &[Vec<String>]) -> Vec<String> {
        let mut taken = BTreeSet::new();
        let mut names: Vec<Option<String>> = Vec::new();
        for values in cases {
            let had = self.known.iter().find(|(name, known)| *known == values && !taken.contains(*name));
            let name = had.map(|(name, _)| name.clone());
            taken.extend(name.clone());
            names.push(name);
        }
        let mut next = cases.len();
        let mut all = Vec::with_capacity(cases.len());
        for (k, name) in names.into_iter().enumerate() {
            let name = name.unwrap_or_else(|| {
                let mut name = format!("{:04}", k + 1);
                while self.known.contains_key(&name) {
                    next += 1;
                    name = format!("{next:04}");
                }
                self.known.insert(name.clone(), cases[k].clone());
                name
            });
            all.push(name);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_known_by_their_values() {
        let case = |values: &[&str]| values.iter().map(|v| format!("m=\"{v}\"")).collect::<Vec<String>>();
        let list = |all: &[&str]| all.iter().map(|v| case(&[v])).collect::<Vec<_>>();
        let mut cases = Cases::default();
        assert_eq!(cases.names(&list(&["a", "b", "c"])), ["0001", "0002", "0003"]);
        // Another order, a case removed, a case inserted, a case back again, a case listed twice.
        assert_eq!(cases.names(&list(&["c", "a", "b"])), ["0003", "0001", "0002"]);
        assert_eq!(cases.names(&list(&["c", "b"])), ["0003", "0002"]);
        assert_eq!(cases.names(&list(&["a", "d", "b"])), ["0001", "0004", "0002"]);
        assert_eq!(cases.names(&list(&["d", "c", "d", "a"])), ["0004", "0003", "0005", "0001"]);
        assert_eq!(cases.names(&[case(&["a", "b"])]), ["0006"]);
        let folder = std::env::temp_dir().join(format!("percale-cases-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(Cases::read(&folder).unwrap(), Cases::default());
        cases.write(&folder).unwrap();
        assert_eq!(Cases::read(&folder).unwrap(), cases);
        std::fs::write(folder.join("cases.json"), "[").unwrap();
        assert_eq!(Cases::read(&folder).unwrap(), Cases::default());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
