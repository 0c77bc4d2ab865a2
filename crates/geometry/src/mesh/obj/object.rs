//! Reading of one object from an OBJ file with several.

use super::{Reader, Section};
use crate::mesh::{MeshError, TriMesh, text};

/// Object (`o`) or group (`g`) of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name.
    pub name: String,
    /// Set for an object, unset for a group.
    pub object: bool,
    /// Number of vertices when read alone, including its unused ones.
    pub vertices: usize,
    /// Number of faces.
    pub faces: usize,
}

/// Returns the objects with faces in file order, then the groups. A name that both have is returned as an object only.
///
/// # Errors
/// Fails as [`super::read`] does.
pub fn parts(bytes: &[u8]) -> Result<Vec<Part>, MeshError> {
    let reader = Reader::read(&text::plain(bytes)?)?;
    let mut all: Vec<Part> = Vec::new();
    let objects = reader.sections.iter().flat_map(|s| &s.names.object).map(|name| (name, true));
    let groups = reader.sections.iter().flat_map(|s| &s.names.group).map(|name| (name, false));
    for (name, object) in objects.chain(groups) {
        if all.iter().any(|part| part.name == *name) {
            continue;
        }
        let (vertices, faces) = reader.kept(name, object);
        let count = |kept: &[bool]| kept.iter().filter(|k| **k).count();
        let (vertices, faces) = (count(&vertices), count(&faces));
        if faces > 0 {
            all.push(Part { name: name.clone(), object, vertices, faces });
        }
    }
    Ok(all)
}

/// Reads one object of a file, or one group if no object has that name. The mesh has its faces and, in file order, the
/// vertices used by its faces, lines and points. Unused vertices under its name are included. Groups keep those of
/// their vertices that are in the mesh.
///
/// # Errors
/// Fails as [`super::read`] does, and if nothing of that name has faces.
pub fn read_object(bytes: &[u8], name: &str) -> Result<TriMesh, MeshError> {
    let reader = Reader::read(&text::plain(bytes)?)?;
    for object in [true, false] {
        let keep = reader.kept(name, object);
        if keep.1.contains(&true) {
            return reader.finish(Some(keep));
        }
    }
    Err(MeshError::new(format!("it has no object '{name}' with faces")))
}

impl Reader {
    /// Marks the vertices and the faces that belong to an object or a group.
    fn kept(&self, name: &str, object: bool) -> (Vec<bool>, Vec<bool>) {
        let mut used = vec![false; self.positions.len()];
        self.used.iter().for_each(|v| used[*v as usize] = true);
        let (mut vertices, mut faces) = (vec![false; self.positions.len()], vec![false; self.faces.len()]);
        let is = |s: &&Section| match object {
            true => s.names.object.as_deref() == Some(name),
            false => s.names.group.iter().any(|g| g == name),
        };
        for section in self.sections.iter().filter(is) {
            let [from, to] = section.faces;
            faces[from..to].fill(true);
            let [from, to] = section.used;
            self.used[from..to].iter().for_each(|v| vertices[*v as usize] = true);
            let [from, to] = section.vertices;
            (from..to).filter(|v| !used[*v]).for_each(|v| vertices[v] = true);
        }
        (vertices, faces)
    }
}
