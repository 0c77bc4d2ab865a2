//! Materials of faces, by the names that they have in the file.

use serde::{Deserialize, Serialize};

/// Material of each triangle of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Materials {
    /// Names, in order of first use.
    pub names: Vec<String>,
    /// Number of the material of each triangle, counted from 1; 0 for none. Empty if no triangle has one.
    pub triangles: Vec<u32>,
}

/// Largest number of names. Further ones are left out, since they are no materials of faces.
const MOST: usize = 4096;

impl Materials {
    /// Adds triangles of a material, or of none.
    pub fn add(&mut self, name: Option<&str>, triangles: usize) {
        let number = name.and_then(|name| self.number(name)).unwrap_or(0);
        self.triangles.resize(self.triangles.len() + triangles, number);
    }

    /// Returns the number of a name, which is new or known.
    pub fn number(&mut self, name: &str) -> Option<u32> {
        // Consecutive faces mostly have the same one.
        let last = self.triangles.last().and_then(|last| last.checked_sub(1)).map(|last| last as usize);
        let same = last.filter(|last| self.names.get(*last).is_some_and(|known| known == name));
        let known = same.or_else(|| self.names.iter().position(|known| known == name));
        let place = known.or_else(|| {
            (self.names.len() < MOST).then(|| {
                self.names.push(name.to_string());
                self.names.len() - 1
            })
        });
        place.map(|place| place as u32 + 1)
    }

    /// Returns the material of a triangle.
    pub fn of(&self, triangle: usize) -> Option<&str> {
        let number = self.triangles.get(triangle)?.checked_sub(1)?;
        self.names.get(number as usize).map(String::as_str)
    }

    /// Returns the materials of other triangles, given those that they were.
    pub fn chosen(&self, from: impl Iterator<Item = usize>) -> Materials {
        let mut out = Materials::default();
        from.for_each(|t| out.add(self.of(t), 1));
        out.tidy()
    }

    /// Removes all numbers if no triangle has a material.
    pub fn tidy(mut self) -> Materials {
        if self.names.is_empty() {
            self.triangles.clear();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_keep_their_materials() {
        let mut all = Materials::default();
        all.add(Some("front"), 2);
        all.add(None, 1);
        all.add(Some("back"), 1);
        all.add(Some("front"), 1);
        assert_eq!(
            (&all.names[..], &all.triangles[..]),
            (&["front".to_string(), "back".into()][..], &[1, 1, 0, 2, 1][..])
        );
        assert_eq!([0, 2, 3, 9].map(|t| all.of(t)), [Some("front"), None, Some("back"), None]);
        let some = all.chosen([3, 3, 2].into_iter());
        assert_eq!((&some.names[..], &some.triangles[..]), (&["back".to_string()][..], &[1, 1, 0][..]));
        assert_eq!(all.chosen([2, 2].into_iter()), Materials::default());
    }
}
