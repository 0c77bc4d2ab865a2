//! Alembic: a file of meshes with `P`, `uv`, `.velocities` [m/s], one face set per material, named after it, and fields
//! and `material_id` as arbitrary parameters. `N` where a part has normals. The user property `source` has the names of
//! the objects in the source file, and `source_id` their number where there are several.
//! Times are in seconds: frame `k` is at `k / fps`. Alembic has y up, so that scenes with z up are turned. Objects that
//! appear or vanish have the property `visible`: 1 while they are present, 0 otherwise. Where the scene is far from the
//! origin, each mesh is in a transform of its name.

use super::normals::smooth;
use super::ogawa::{Compound, Object, Ogawa, Pod, Property};
use super::{Chart, ExportHeader, Part, Sample, Sink, identifier, identifiers, le_bytes};
use crate::linalg::Vec3;
use crate::scene::Up;
use crate::sequence::DiskError;
use std::path::{Path, PathBuf};

/// Metadata of a mesh.
const MESH: &str = "schema=AbcGeom_PolyMesh_v1;schemaObjTitle=AbcGeom_PolyMesh_v1:.geom";
/// Metadata of a face set.
const FACE_SET: &str = "schema=AbcGeom_FaceSet_v1;schemaObjTitle=AbcGeom_FaceSet_v1:.faceset";
/// Metadata of its geometry.
const GEOMETRY: &str = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1";
/// Metadata of texture coordinates per corner.
const UV: &str = "geoScope=fvr;interpretation=vector;isGeomParam=true;podName=float32_t;podExtent=2;arrayExtent=1";
/// Metadata of normals.
const NORMAL: &str = "geoScope=vtx;interpretation=normal;isGeomParam=true;podName=float32_t;podExtent=3;arrayExtent=1";
/// Metadata of a value per vertex.
const FIELD: &str = "geoScope=vtx;isGeomParam=true;podName=float32_t;podExtent=1;arrayExtent=1";
/// Metadata of a number per face.
const MATERIAL: &str = "geoScope=uni;isGeomParam=true;podName=int32_t;podExtent=1;arrayExtent=1";

/// Properties of a part.
struct Mesh {
    still: Vec<Property>,
    /// Names and faces of the sets of its looks.
    sets: Vec<(String, Property)>,
    /// Numbers of faces: of the material, and of the object in the source file.
    numbers: Vec<Property>,
    /// Names of the objects in the source file.
    source: Option<Property>,
    bounds: Property,
    positions: Property,
    velocities: Property,
    /// Normals, for parts that have them.
    normals: Option<Property>,
    fields: Vec<(String, Property)>,
    /// Visibility at each frame, for parts that appear or vanish.
    visible: Option<Property>,
    times: u32,
}

/// Writer of an Alembic file.
pub struct Alembic<'a> {
    path: PathBuf,
    file: Ogawa,
    header: &'a ExportHeader,
    meshes: Vec<Mesh>,
    buffer: Vec<u8>,
}

impl<'a> Alembic<'a> {
    /// Starts the file.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn new(path: &Path, header: &'a ExportHeader) -> Result<Alembic<'a>, DiskError> {
        let mut file = Ogawa::new(path)?;
        let mut meshes = Vec::with_capacity(header.parts.len());
        for part in &header.parts {
            meshes.push(Mesh::new(&mut file, part, header)?);
        }
        Ok(Alembic { path: path.to_path_buf(), file, header, meshes, buffer: Vec::new() })
    }

    /// Fills the buffer with vectors, turned to y up.
    fn vectors(&mut self, all: &[[f32; 3]]) {
        match self.header.up {
            Up::Y => le_bytes(all, &mut self.buffer),
            Up::Z => {
                let turned: Vec<[f32; 3]> = all.iter().map(|[x, y, z]| [*x, *z, -*y]).collect();
                le_bytes(&turned, &mut self.buffer);
            }
        }
    }
}

/// Encodes integers.
fn ints(all: &mut dyn Iterator<Item = i32>) -> Vec<u8> {
    all.flat_map(i32::to_le_bytes).collect()
}

/// Writes the numbers of each face: its material, and its origin in the source.
fn numbers(file: &mut Ogawa, part: &Part) -> Result<Vec<Property>, DiskError> {
    let mut material = Property::array("material_id", Pod::I32, 1, MATERIAL, 0);
    material.add(file, &ints(&mut part.face_looks().map(|look| look as i32)))?;
    let mut numbers = vec![material];
    if let Some(mut origins) = part.face_origins() {
        let mut property = Property::array("source_id", Pod::I32, 1, MATERIAL, 0);
        property.add(file, &ints(&mut origins))?;
        numbers.push(property);
    }
    Ok(numbers)
}

impl Mesh {
    fn new(file: &mut Ogawa, part: &Part, header: &ExportHeader) -> Result<Mesh, DiskError> {
        let times = u32::from(!part.still);
        // Alembic orders corners clockwise, seen from outside.
        let turned = |all: &[[u32; 3]]| -> Vec<u32> {
            part.faces.iter().flat_map(|face| face.iter().rev().map(|[t, k]| all[*t][*k])).collect()
        };
        let mut indices = Property::array(".faceIndices", Pod::I32, 1, "", 0);
        indices.add(file, &ints(&mut turned(&part.triangles).into_iter().map(|v| v as i32)))?;
        let mut counts = Property::array(".faceCounts", Pod::I32, 1, "", 0);
        counts.add(file, &ints(&mut part.faces.iter().map(|face| face.len() as i32)))?;
        let mut still = vec![indices, counts];
        let chart = part.chart.as_ref().map(|chart| match chart {
            Chart::Vertices(uv) => (uv, &part.triangles),
            Chart::Corners(uv, triangles) => (uv, triangles),
        });
        if let Some((uv, triangles)) = chart {
            let corners: Vec<[f32; 2]> = turned(triangles).into_iter().map(|c| uv[c as usize]).collect();
            let mut bytes = Vec::new();
            le_bytes(&corners, &mut bytes);
            let mut property = Property::array("uv", Pod::F32, 2, UV, 0);
            property.add(file, &bytes)?;
            still.push(property);
        }
        let numbers = numbers(file, part)?;
        let mut source = None;
        if let Some(names) = part.source() {
            // Text ends with a zero byte.
            let mut property = Property::scalar("source", Pod::Text, 1, "", 0);
            property.add(file, &[names.replace('\0', " ").as_bytes(), &[0]].concat())?;
            source = Some(property);
        }
        let mut sets = Vec::new();
        for (look, faces) in part.sets() {
            let look = header.looks.get(look as usize).map_or("", |look| look.name.as_str());
            // A name may have any characters but a slash.
            let mut name: String = look.chars().map(|c| if c == '/' || c.is_control() { '_' } else { c }).collect();
            while name.is_empty() || sets.iter().any(|(other, _)| *other == name) {
                name.push('_');
            }
            let mut property = Property::array(".faces", Pod::I32, 1, "", 0);
            property.add(file, &ints(&mut faces.into_iter()))?;
            sets.push((name, property));
        }
        let mut visible = part.there.as_ref().map(|_| Property::scalar("visible", Pod::I8, 1, "", 1));
        if let Some(visible) = &mut visible {
            for frame in header.frames.all() {
                visible.add(file, &[u8::from(part.shows(frame))])?;
            }
        }
        Ok(Mesh {
            still,
            sets,
            numbers,
            source,
            bounds: Property::scalar(".selfBnds", Pod::F64, 6, "interpretation=box", times),
            positions: Property::array("P", Pod::F32, 3, "geoScope=vtx;interpretation=point", times),
            velocities: Property::array(".velocities", Pod::F32, 3, "geoScope=vtx;interpretation=vector", times),
            normals: part.normals.then(|| Property::array("N", Pod::F32, 3, NORMAL, times)),
            fields: Vec::new(),
            visible,
            times,
        })
    }

    fn object(self, name: String) -> Object {
        let children = self.sets.into_iter().map(|(name, faces)| face_set(name, faces, self.bounds.first())).collect();
        let mut own = vec![self.bounds, self.positions];
        own.extend(self.still);
        if self.velocities.count() > 0 {
            own.push(self.velocities);
        }
        own.extend(self.normals);
        let mut further = self.numbers;
        further.extend(self.fields.into_iter().map(|(_, property)| property));
        let further = Compound::new(".arbGeomParams", "", further, Vec::new());
        let source = self.source.map(|source| Compound::new(".userProperties", "", vec![source], Vec::new()));
        let further = std::iter::once(further).chain(source).collect();
        let geometry = Compound::new(".geom", GEOMETRY, own, further);
        let properties = Compound::new("", "", self.visible.into_iter().collect(), vec![geometry]);
        Object { name, meta: MESH, properties, children }
    }
}

/// Returns a face set. Readers ask for its bounds, which are those of the mesh.
fn face_set(name: String, faces: Property, bounds: Property) -> Object {
    let own = Compound::new(".faceset", "schema=AbcGeom_FaceSet_v1", vec![bounds, faces], Vec::new());
    let properties = Compound::new("", "", Vec::new(), vec![own]);
    Object { name, meta: FACE_SET, properties, children: Vec::new() }
}

/// Wraps a mesh in a transform of the same name, from the local origin to the scene's.
fn moved(file: &mut Ogawa, header: &ExportHeader, mesh: Object) -> Result<Object, DiskError> {
    let [x, y, z] = header.origin.into();
    let place: [f64; 3] = if header.up == Up::Z { [x, z, -y] } else { [x, y, z] };
    let place: Vec<u8> = place.iter().flat_map(|c| c.to_le_bytes()).collect();
    let mut properties = Vec::new();
    // The transform inherits its parent's, has one translation of three channels, and is no identity.
    let all: [(&str, Pod, u32, &[u8]); 4] = [
        (".inherits", Pod::Bool, 1, &[1]),
        (".ops", Pod::U8, 1, &[0x10]),
        (".vals", Pod::F64, 3, &place),
        ("isNotConstantIdentity", Pod::Bool, 1, &[1]),
    ];
    for (name, pod, extent, bytes) in all {
        let mut property = Property::scalar(name, pod, extent, "", 0);
        property.add(file, bytes)?;
        properties.push(property);
    }
    let own = Compound::new(".xform", "schema=AbcGeom_Xform_v3", properties, Vec::new());
    Ok(Object {
        name: mesh.name.clone(),
        meta: "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
        properties: Compound::new("", "", Vec::new(), vec![own]),
        children: vec![mesh],
    })
}

impl Sink for Alembic<'_> {
    fn add(&mut self, part: usize, _frame: u32, sample: &Sample) -> Result<(), DiskError> {
        self.vectors(&sample.positions);
        self.meshes[part].positions.add(&mut self.file, &self.buffer)?;
        if let Some(velocities) = &sample.velocities {
            self.vectors(velocities);
            self.meshes[part].velocities.add(&mut self.file, &self.buffer)?;
        }
        let of = &self.header.parts[part];
        if of.normals {
            self.vectors(&smooth(sample, &of.triangles));
            if let Some(normals) = &mut self.meshes[part].normals {
                normals.add(&mut self.file, &self.buffer)?;
            }
        }
        let [low, high] = sample.bounds();
        let [low, high] = match self.header.up {
            Up::Y => [low, high],
            Up::Z => [[low[0], low[2], -high[1]], [high[0], high[2], -low[1]]],
        };
        let bounds: Vec<u8> = low.iter().chain(&high).flat_map(|x| f64::from(*x).to_le_bytes()).collect();
        let mesh = &mut self.meshes[part];
        mesh.bounds.add(&mut self.file, &bounds)?;
        for (name, values) in &sample.fields {
            let k = mesh.fields.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                let property = Property::array(&identifier(name), Pod::F32, 1, FIELD, mesh.times);
                mesh.fields.push((name.clone(), property));
                mesh.fields.len() - 1
            });
            le_bytes(values, &mut self.buffer);
            mesh.fields[k].1.add(&mut self.file, &self.buffer)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, DiskError> {
        let Alembic { path, mut file, header, meshes, .. } = *self;
        let names = identifiers(header.parts.iter().map(|p| p.name.as_str()));
        let mut children: Vec<Object> = meshes.into_iter().zip(names).map(|(mesh, name)| mesh.object(name)).collect();
        if header.origin != Vec3::zeros() {
            children = children.into_iter().map(|mesh| moved(&mut file, header, mesh)).collect::<Result<_, _>>()?;
        }
        let none = Compound::new("", "", Vec::new(), Vec::new());
        let top = Object { name: "ABC".to_string(), meta: "", properties: none, children };
        let version = file.data(&[&0i32.to_le_bytes()])?;
        let library = file.data(&[&10800i32.to_le_bytes()])?;
        let root = top.write(&mut file)?;
        let words = format!(
            "_ai_AlembicVersion=Alembic 1.8.0;_ai_Application=percale {};_ai_Description=frame k is at k / {} s",
            env!("CARGO_PKG_VERSION"),
            header.fps
        );
        let words = file.data(&[words.as_bytes()])?;
        // Each time sampling: number of samples, seconds between them, number of starts, start. The first is for static
        // properties, the second for moving ones.
        let mut times = Vec::new();
        for (count, step, start) in [(0, 1.0, 0.0), (header.frames.count(), 1.0, f64::from(header.frames.first))] {
            let step: f64 = if count == 0 { step } else { step / header.fps };
            let start: f64 = start / header.fps;
            times.extend(u32::to_le_bytes(count));
            times.extend(step.to_le_bytes());
            times.extend(1u32.to_le_bytes());
            times.extend(start.to_le_bytes());
        }
        let times = file.data(&[&times])?;
        let none = file.data(&[])?;
        let all = file.group(&[version, library, root, words, times, none])?;
        file.finish(all)?;
        Ok(vec![path])
    }
}
