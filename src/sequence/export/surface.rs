//! Materials of USD files: a prim for each look, with a preview surface, and what binds faces to it.

use super::usdc::{Crate, Spec, Value};
use super::{ExportHeader, Look, Part, identifiers};
use crate::sequence::disk::DiskError;

/// Applied schema of prims that are bound to a material.
const BINDING: &str = "MaterialBindingAPI";
/// Relationship to the material.
const BOUND: &str = "material:binding";
/// Output of shaders and materials.
const SURFACE: &str = "outputs:surface";

/// Names of the prims of objects and materials, and of the prim above the materials.
pub(super) struct Names {
    /// Names of the prims of objects.
    pub parts: Vec<String>,
    /// Names of the prims of looks.
    pub looks: Vec<String>,
    /// Path of the prim above the materials.
    scope: String,
}

impl Names {
    /// Returns the names below the root.
    pub(super) fn of(header: &ExportHeader, root: &str) -> Names {
        let mut parts = identifiers(header.parts.iter().map(|p| p.name.as_str()).chain(["materials"]));
        let scope = parts.pop().unwrap_or_default();
        let looks = identifiers(header.looks.iter().map(|look| look.name.as_str()));
        Names { parts, looks, scope: format!("/{root}/{scope}") }
    }

    /// Returns the name of the prim above the materials.
    pub(super) fn scope(&self) -> &str {
        self.scope.rsplit('/').next().unwrap_or_default()
    }

    fn material(&self, look: u32) -> String {
        format!("{}/{}", self.scope, self.looks.get(look as usize).map_or("", String::as_str))
    }
}

fn token(file: &mut Crate, path: &str, value: &str, uniform: bool) {
    let mut fields = vec![("typeName", file.token("token")), ("default", file.token(value))];
    fields.extend(uniform.then(|| ("variability", Value::uniform())));
    file.spec(path, Spec::Attribute, &fields);
}

/// Adds the prims of all materials, before what is bound to them.
///
/// # Errors
/// The disk refuses.
pub(super) fn materials(file: &mut Crate, header: &ExportHeader, names: &Names) -> Result<(), DiskError> {
    // Blender makes an object of a prim of type Scope, so this one has no type.
    let fields = [("specifier", Value::def()), ("primChildren", file.names(&names.looks)?)];
    file.spec(&names.scope, Spec::Prim, &fields);
    for (look, name) in header.looks.iter().zip(&names.looks) {
        material(file, look, &format!("{}/{name}", names.scope), name)?;
    }
    Ok(())
}

fn material(file: &mut Crate, look: &Look, path: &str, name: &str) -> Result<(), DiskError> {
    let mut fields = vec![
        ("specifier", Value::def()),
        ("typeName", file.token("Material")),
        ("primChildren", file.names(&["surface"])?),
        ("properties", file.names(&[SURFACE])?),
    ];
    shown_as(file, &mut fields, name, &look.name);
    file.spec(path, Spec::Prim, &fields);
    let shader = format!("{path}/surface");
    let own = ["info:id", "inputs:diffuseColor", "inputs:metallic", "inputs:roughness", SURFACE];
    let fields = [("specifier", Value::def()), ("typeName", file.token("Shader")), ("properties", file.names(&own)?)];
    file.spec(&shader, Spec::Prim, &fields);
    token(file, &format!("{shader}.info:id"), "UsdPreviewSurface", true);
    let colour = file.colour(look.single())?;
    let inputs = [
        ("diffuseColor", "color3f", colour),
        ("metallic", "float", Crate::float(0.0)),
        ("roughness", "float", Crate::float(look.roughness as f32)),
    ];
    for (input, kind, value) in inputs {
        let fields = [("typeName", file.token(kind)), ("default", value)];
        file.spec(&format!("{shader}.inputs:{input}"), Spec::Attribute, &fields);
    }
    let kind = file.token("token");
    file.spec(&format!("{shader}.{SURFACE}"), Spec::Attribute, &[("typeName", kind)]);
    let from = file.target(&format!("{shader}.{SURFACE}"))?;
    file.spec(&format!("{path}.{SURFACE}"), Spec::Attribute, &[("typeName", kind), ("connectionPaths", from)]);
    Ok(())
}

/// Adds the name that users see, where that of the prim cannot have all of its characters.
pub(super) fn shown_as(file: &mut Crate, fields: &mut Vec<(&str, Value)>, prim: &str, name: &str) {
    if prim != name {
        fields.push(("displayName", file.text(name)));
    }
}

/// Binding of a mesh, which has its subsets as children.
pub(super) struct Bound {
    /// Material of all faces; `None` if they have several.
    whole: Option<u32>,
    /// Looks and their faces.
    sets: Vec<(u32, Vec<i32>)>,
}

impl Bound {
    /// Returns the binding of a part.
    pub(super) fn of(part: &Part) -> Bound {
        match &part.sets()[..] {
            [] => Bound { whole: None, sets: Vec::new() },
            [(look, _)] => Bound { whole: Some(*look), sets: Vec::new() },
            sets => Bound { whole: None, sets: sets.to_vec() },
        }
    }

    /// Returns the further properties of the mesh.
    pub(super) fn properties<'a>(&self) -> Vec<&'a str> {
        let sets = (!self.sets.is_empty()).then_some("subsetFamily:materialBind:familyType");
        sets.into_iter().chain(self.whole.map(|_| BOUND)).collect()
    }

    /// Returns the further fields of the mesh.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn fields(&self, file: &mut Crate, names: &Names) -> Result<Vec<(&'static str, Value)>, DiskError> {
        let mut fields = Vec::new();
        if self.whole.is_some() {
            fields.push(("apiSchemas", file.schemas(&[BINDING])?));
        }
        if !self.sets.is_empty() {
            let children: Vec<&str> = self.sets.iter().map(|(look, _)| names.looks[*look as usize].as_str()).collect();
            fields.push(("primChildren", file.names(&children)?));
        }
        Ok(fields)
    }

    /// Adds the properties and subsets of the mesh at `path`.
    ///
    /// # Errors
    /// The disk refuses.
    pub(super) fn write(&self, file: &mut Crate, path: &str, names: &Names) -> Result<(), DiskError> {
        if let Some(look) = self.whole {
            return bind(file, path, &names.material(look));
        }
        if self.sets.is_empty() {
            return Ok(());
        }
        token(file, &format!("{path}.subsetFamily:materialBind:familyType"), "partition", true);
        for (look, faces) in &self.sets {
            let set = format!("{path}/{}", names.looks[*look as usize]);
            let fields = [
                ("specifier", Value::def()),
                ("typeName", file.token("GeomSubset")),
                ("apiSchemas", file.schemas(&[BINDING])?),
                ("properties", file.names(&["elementType", "familyName", "indices", BOUND])?),
            ];
            file.spec(&set, Spec::Prim, &fields);
            token(file, &format!("{set}.elementType"), "face", true);
            token(file, &format!("{set}.familyName"), "materialBind", true);
            let indices = [("typeName", file.token("int[]")), ("default", file.ints(faces.iter().copied())?)];
            file.spec(&format!("{set}.indices"), Spec::Attribute, &indices);
            bind(file, &set, &names.material(*look))?;
        }
        Ok(())
    }
}

fn bind(file: &mut Crate, prim: &str, material: &str) -> Result<(), DiskError> {
    let fields = [("variability", Value::uniform()), ("targetPaths", file.target(material)?)];
    file.spec(&format!("{prim}.{BOUND}"), Spec::Relationship, &fields);
    Ok(())
}
