//! Mesh objects of an Alembic file, with their ancestors. Instances stand for the objects that they name.

use super::ogawa::{Object, Ogawa};
use super::samples::Property;
use super::shown::Shown;
use crate::mesh::MeshError;

/// Visibility value by which an object inherits from its parent.
const DEFERRED: i32 = -1;
/// Largest accepted nesting depth, by which an instance in itself is found.
const DEEPEST: usize = 200;
/// Largest accepted number of objects that stand for others, which may double at every level.
const PLACED: usize = 100_000;
/// Kinds of objects with geometry that is no mesh.
const OTHERS: [&str; 3] = ["AbcGeom_NuPatch", "AbcGeom_Curve", "AbcGeom_Points"];

/// Mesh object with its ancestors.
pub(super) struct Found<'a> {
    pub path: String,
    /// Objects from the top to the mesh.
    pub chain: Vec<&'a Object>,
    pub shown: Shown,
    /// Set if it has no sample of points or no face.
    pub empty: bool,
    /// Set if it is or is below an instance.
    pub placed: bool,
}

impl Found<'_> {
    pub(super) fn mesh(&self) -> &Object {
        self.chain[self.chain.len() - 1]
    }

    /// Returns a property of the mesh geometry.
    pub(super) fn geometry(&self, name: &str) -> Option<&Property> {
        self.mesh().properties.get(".geom").and_then(|g| g.within.get(name))
    }

    /// Returns the transforms from the mesh to the top.
    pub(super) fn xforms(&self) -> impl Iterator<Item = &Property> {
        self.chain.iter().rev().filter_map(|object| object.properties.get(".xform"))
    }
}

/// Search for the meshes of a file.
pub(super) struct Search<'a> {
    file: &'a Ogawa,
    top: &'a Object,
    /// Meshes in file order.
    pub meshes: Vec<Found<'a>>,
    /// Paths of objects that are not supported, and of instances of nothing.
    pub others: Vec<String>,
    /// Number of objects found that are or are below an instance.
    placed: usize,
}

impl<'a> Search<'a> {
    /// Finds all meshes.
    ///
    /// # Errors
    /// Fails if the file is damaged, an instance is in itself, or instances stand for too many objects.
    pub(super) fn of(file: &'a Ogawa, top: &'a Object) -> Result<Search<'a>, MeshError> {
        let mut search = Search { file, top, meshes: Vec::new(), others: Vec::new(), placed: 0 };
        search.below(top, "", &[], &Shown::always(true), false)?;
        Ok(search)
    }

    fn below(
        &mut self,
        object: &'a Object,
        path: &str,
        chain: &[&'a Object],
        above: &Shown,
        placed: bool,
    ) -> Result<(), MeshError> {
        if chain.len() > DEEPEST {
            return Err(MeshError::new(format!("is damaged: '{path}' is nested more than {DEEPEST} deep")));
        }
        for child in &object.children {
            let path = format!("{path}/{}", child.name);
            let instance = child.properties.get(".instanceSource");
            let own = match instance {
                Some(named) => self.source(named)?,
                None => Some(child),
            };
            let Some(own) = own else {
                self.others.push(path);
                continue;
            };
            let mut chain = chain.to_vec();
            chain.push(own);
            let (shown, placed) = (shown(self.file, own, above)?, placed || instance.is_some());
            self.placed += usize::from(placed);
            if self.placed > PLACED {
                return Err(MeshError::new(format!("has more than {PLACED} objects by instances")));
            }
            if own.words.contains("AbcGeom_PolyMesh") || own.words.contains("AbcGeom_SubD") {
                let (path, chain, shown) = (path.clone(), chain.clone(), shown.clone());
                self.meshes.push(Found { path, chain, shown, empty: self.empty(own)?, placed });
            } else if OTHERS.iter().any(|kind| own.words.contains(kind)) {
                self.others.push(path.clone());
            }
            self.below(own, &path, &chain, &shown, placed)?;
        }
        Ok(())
    }

    /// Finds the object that an instance names by its path, through other instances.
    fn source(&self, named: &Property) -> Result<Option<&'a Object>, MeshError> {
        let mut path = self.file.text(named)?;
        for _ in 0..DEEPEST {
            let mut own = self.top;
            for name in path.split('/').filter(|name| !name.is_empty()) {
                let Some(child) = own.children.iter().find(|child| child.name == name) else { return Ok(None) };
                own = child;
            }
            match own.properties.get(".instanceSource") {
                Some(named) => path = self.file.text(named)?,
                None => return Ok((!std::ptr::eq(own, self.top)).then_some(own)),
            }
        }
        Ok(None)
    }

    /// Returns whether a mesh has no sample of points or no face.
    fn empty(&self, mesh: &Object) -> Result<bool, MeshError> {
        let Some(geometry) = mesh.properties.get(".geom") else { return Ok(false) };
        let none = |name: &str| geometry.within.get(name).is_some_and(|property| property.count == 0);
        if none("P") || none(".faceCounts") || none(".faceIndices") {
            return Ok(true);
        }
        let faces = geometry.within.get(".faceCounts").filter(|faces| !faces.moves());
        faces.map_or(Ok(false), |faces| Ok(self.file.ints(faces, 0)?.is_empty()))
    }
}

/// Computes when an object is visible [s]. A deferred value inherits from the parent.
fn shown(file: &Ogawa, object: &Object, above: &Shown) -> Result<Shown, MeshError> {
    let Some(visible) = object.properties.get("visible").filter(|visible| visible.count > 0) else {
        return Ok(above.clone());
    };
    let (mut says, mut seen) = (Vec::new(), Vec::new());
    for sample in [0].into_iter().chain(visible.changing()) {
        let value = file.ints(visible, sample)?.first().copied().unwrap_or(DEFERRED);
        let time = visible.time(&file.clocks, sample);
        says.push((time, value != DEFERRED));
        seen.push((time, value != 0));
    }
    let [says, seen] = [says, seen].map(|samples| Shown::sampled(samples, true));
    let own = says.with(&seen, |says, seen| says && seen);
    let deferred = says.with(above, |says, above| !says && above);
    Ok(own.with(&deferred, |own, deferred| own || deferred))
}
