//! USD: one crate file, or value clips, a crate file per frame under a small text file that joins them.
//!
//! `/<scene>` is an `Xform`, which adds the local origin of a scene that is far from the origin. Each object is a
//! `Mesh` in it: `points`, `velocities` [m/s], `extent`, `primvars:st`, `primvars:displayColor`, `primvars:material_id`
//! (per face), a primvar per field, and `normals` where a part has them. `userProperties:source` has the names of the
//! objects in the source file, and `primvars:source_id` their number where there are several. Materials are in
//! `/<scene>/materials`. A mesh with several has a subset for each. Units are metres, the subdivision scheme is `none`,
//! and a frame is a time code. Static objects have no time samples. Objects that appear or vanish have `visibility`.

use super::normals::smooth;
use super::surface::{Bound, Names, materials, shown_as};
use super::usdc::{Crate, Spec, Value};
use super::{Chart, ExportHeader, Part, Range, Sample, Sink, identifier, identifiers};
use crate::linalg::Vec3;
use crate::scene::Up;
use crate::sequence::disk::{DiskError, make_folder, write};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Attribute of the translation, for a scene far from the origin.
const TRANSLATE: &str = "xformOp:translate";
/// Attribute that lists the transform operations.
const ORDER: &str = "xformOpOrder";

/// An attribute of a mesh.
struct Attribute {
    name: String,
    kind: &'static str,
    more: Vec<(&'static str, Value)>,
    default: Option<Value>,
    samples: Vec<Value>,
    /// Times of its samples. If empty, those of the mesh.
    times: Vec<f64>,
}

impl Attribute {
    fn new(name: String, kind: &'static str, more: Vec<(&'static str, Value)>, default: Option<Value>) -> Attribute {
        Attribute { name, kind, more, default, samples: Vec::new(), times: Vec::new() }
    }
}

/// A mesh of a layer: attributes, and the times of their samples.
#[derive(Default)]
struct Mesh {
    attributes: Vec<Attribute>,
    times: Vec<f64>,
    /// Its materials; `None` in layers of single frames.
    bound: Option<Bound>,
}

/// A crate file of some meshes.
struct Layer {
    file: Crate,
    meshes: Vec<Mesh>,
}

impl Layer {
    fn new(path: &Path, header: &ExportHeader) -> Result<Layer, DiskError> {
        Ok(Layer { file: Crate::new(path)?, meshes: header.parts.iter().map(|_| Mesh::default()).collect() })
    }

    /// Adds the attributes that are constant over all frames.
    fn topology(&mut self, part: usize, of: &Part) -> Result<(), DiskError> {
        let file = &mut self.file;
        let mut all: Vec<Attribute> = Vec::new();
        let mut put = |name: &str, kind, more, value| {
            all.push(Attribute::new(name.into(), kind, more, Some(value)));
        };
        let uniform = ("variability", Value::uniform());
        put("subdivisionScheme", "token", vec![uniform], file.token("none"));
        put("doubleSided", "bool", vec![uniform], Value::bool(true));
        put("faceVertexCounts", "int[]", vec![], file.ints(of.faces.iter().map(|face| face.len() as i32))?);
        put("faceVertexIndices", "int[]", vec![], corners(file, of, &of.triangles)?);
        let faces = ("interpolation", file.token("uniform"));
        put("primvars:material_id", "int[]", vec![faces], file.ints(of.face_looks().map(|look| look as i32))?);
        if let Some(origins) = of.face_origins() {
            put("primvars:source_id", "int[]", vec![faces], file.ints(origins)?);
        }
        if let Some(source) = of.source() {
            put("userProperties:source", "string", vec![("custom", Value::bool(true))], file.text(&source));
        }
        let whole = ("interpolation", file.token("constant"));
        put("primvars:displayColor", "color3f[]", vec![whole], file.floats(&[of.colour])?);
        match &of.chart {
            Some(Chart::Vertices(uv)) => {
                let vertices = ("interpolation", file.token("vertex"));
                put("primvars:st", "texCoord2f[]", vec![vertices], file.floats(uv)?);
            }
            Some(Chart::Corners(uv, triangles)) => {
                let varying = ("interpolation", file.token("faceVarying"));
                put("primvars:st", "texCoord2f[]", vec![varying], file.floats(uv)?);
                put("primvars:st:indices", "int[]", vec![], corners(file, of, triangles)?);
            }
            None => {}
        }
        self.meshes[part].attributes.extend(all);
        self.meshes[part].bound = Some(Bound::of(of));
        Ok(())
    }

    /// Adds the visibility of a part: a sample at the first frame and at each change, which holds until the next.
    fn visibility(&mut self, part: usize, of: &Part, frames: Range) {
        if of.there.is_none() {
            return;
        }
        let mut track = Attribute::new("visibility".into(), "token", Vec::new(), None);
        for frame in frames.all().filter(|f| *f == frames.first || of.shows(*f) != of.shows(f - 1)) {
            track.times.push(f64::from(frame));
            track.samples.push(self.file.token(if of.shows(frame) { "inherited" } else { "invisible" }));
        }
        self.meshes[part].attributes.push(track);
    }

    /// Adds a sample at a time, or for all times without one.
    fn sample(&mut self, k: usize, part: &Part, time: Option<f64>, of: &Sample) -> Result<(), DiskError> {
        let file = &mut self.file;
        let vertices = ("interpolation", file.token("vertex"));
        let mut all: Vec<Attribute> = Vec::new();
        let mut put = |name: String, kind, more, value| {
            all.push(Attribute::new(name, kind, more, Some(value)));
        };
        put("points".into(), "point3f[]", vec![], file.floats(&of.positions)?);
        put("extent".into(), "float3[]", vec![], file.floats(&of.bounds())?);
        if let Some(velocities) = &of.velocities {
            put("velocities".into(), "vector3f[]", vec![], file.floats(velocities)?);
        }
        if part.normals {
            put("normals".into(), "normal3f[]", vec![vertices], file.floats(&smooth(of, &part.triangles))?);
        }
        for (name, values) in &of.fields {
            put(primvar(name), "float[]", vec![vertices], file.floats(values)?);
        }
        let mesh = &mut self.meshes[k];
        for mut attribute in all {
            if time.is_some() {
                attribute.samples.extend(attribute.default.take());
            }
            match mesh.attributes.iter_mut().find(|known| known.name == attribute.name) {
                Some(known) => known.samples.extend(attribute.samples),
                None => mesh.attributes.push(attribute),
            }
        }
        mesh.times.extend(time);
        Ok(())
    }

    /// Adds attributes without values.
    fn declare(&mut self, part: usize, attributes: Vec<(String, &'static str)>) {
        let vertices = ("interpolation", self.file.token("vertex"));
        for (name, kind) in attributes {
            let of_vertices = name.starts_with("primvars:") || name == "normals";
            let more = if of_vertices { vec![vertices] } else { Vec::new() };
            self.meshes[part].attributes.push(Attribute::new(name, kind, more, None));
        }
    }

    /// Writes the prims and their attributes, and publishes the file.
    fn finish(mut self, header: &ExportHeader, frames: Range) -> Result<(), DiskError> {
        let file = &mut self.file;
        let root = identifier(&header.name);
        let double = |file: &mut Crate, x: u32| file.double(f64::from(x));
        let fields = [
            ("defaultPrim", file.token(&root)),
            ("upAxis", file.token(axis(header))),
            ("metersPerUnit", file.double(1.0)?),
            ("startTimeCode", double(file, frames.first)?),
            ("endTimeCode", double(file, frames.last)?),
            ("timeCodesPerSecond", file.double(header.fps)?),
            ("framesPerSecond", file.double(header.fps)?),
            ("primChildren", file.names(&[root.as_str()])?),
        ];
        file.spec("/", Spec::Root, &fields);
        let names = Names::of(header, &root);
        let bound = self.meshes.iter().any(|mesh| mesh.bound.is_some());
        let all = names.parts.iter().zip(&header.parts).zip(self.meshes);
        let present: Vec<((&String, &Part), Mesh)> = all.filter(|(_, mesh)| !mesh.attributes.is_empty()).collect();
        let mut children: Vec<&str> = present.iter().map(|((name, _), _)| name.as_str()).collect();
        children.extend(bound.then_some(names.scope()));
        let mut fields = vec![
            ("specifier", Value::def()),
            ("typeName", file.token("Xform")),
            ("primChildren", file.names(&children)?),
        ];
        if header.origin == Vec3::zeros() {
            file.spec(&format!("/{root}"), Spec::Prim, &fields);
        } else {
            fields.push(("properties", file.names(&[TRANSLATE, ORDER])?));
            file.spec(&format!("/{root}"), Spec::Prim, &fields);
            let place = [("typeName", file.token("double3")), ("default", file.vector(header.origin.into())?)];
            file.spec(&format!("/{root}.{TRANSLATE}"), Spec::Attribute, &place);
            let order = file.tokens(&[TRANSLATE])?;
            let order = [("typeName", file.token("token[]")), ("variability", Value::uniform()), ("default", order)];
            file.spec(&format!("/{root}.{ORDER}"), Spec::Attribute, &order);
        }
        if bound {
            materials(file, header, &names)?;
        }
        for ((name, part), mesh) in present {
            mesh.write(file, &format!("/{root}/{name}"), part, &names)?;
        }
        self.file.finish()
    }
}

impl Mesh {
    /// Writes the prim at a path, with its attributes and materials.
    fn write(self, file: &mut Crate, path: &str, part: &Part, names: &Names) -> Result<(), DiskError> {
        let mut own: Vec<&str> = self.attributes.iter().map(|a| a.name.as_str()).collect();
        if let Some(bound) = &self.bound {
            own.extend(bound.properties());
        }
        let mut fields =
            vec![("specifier", Value::def()), ("typeName", file.token("Mesh")), ("properties", file.names(&own)?)];
        if let Some(bound) = &self.bound {
            shown_as(file, &mut fields, path.rsplit('/').next().unwrap_or_default(), &part.name);
            fields.extend(bound.fields(file, names)?);
        }
        file.spec(path, Spec::Prim, &fields);
        for attribute in self.attributes {
            // The tokens of names must be in the file before the paths are written.
            let _ = file.token(&attribute.name);
            let mut fields = vec![("typeName", file.token(attribute.kind))];
            fields.extend(attribute.more);
            fields.extend(attribute.default.map(|value| ("default", value)));
            if !attribute.samples.is_empty() {
                let times = if attribute.times.is_empty() { &self.times } else { &attribute.times };
                fields.push(("timeSamples", file.samples(times, &attribute.samples)?));
            }
            file.spec(&format!("{path}.{}", attribute.name), Spec::Attribute, &fields);
        }
        self.bound.map_or(Ok(()), |bound| bound.write(file, path, names))
    }
}

fn corners(file: &mut Crate, of: &Part, triangles: &[[u32; 3]]) -> Result<Value, DiskError> {
    let all: Vec<i32> = of.corners(triangles).map(|v| v as i32).collect();
    file.ints(all.into_iter())
}

fn primvar(field: &str) -> String {
    format!("primvars:{}", identifier(field))
}

fn axis(header: &ExportHeader) -> &'static str {
    match header.up {
        Up::Y => "Y",
        Up::Z => "Z",
    }
}

/// Writer of one crate file.
pub struct Usd<'a> {
    path: PathBuf,
    layer: Layer,
    header: &'a ExportHeader,
}

impl<'a> Usd<'a> {
    /// Starts the file.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn new(path: &Path, header: &'a ExportHeader) -> Result<Usd<'a>, DiskError> {
        let mut layer = Layer::new(path, header)?;
        for (k, part) in header.parts.iter().enumerate() {
            layer.topology(k, part)?;
            layer.visibility(k, part, header.frames);
        }
        Ok(Usd { path: path.to_path_buf(), layer, header })
    }
}

impl Sink for Usd<'_> {
    fn add(&mut self, part: usize, frame: u32, sample: &Sample) -> Result<(), DiskError> {
        let of = &self.header.parts[part];
        self.layer.sample(part, of, (!of.still).then_some(f64::from(frame)), sample)
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, DiskError> {
        self.layer.finish(self.header, self.header.frames)?;
        Ok(vec![self.path])
    }
}

/// Writer of value clips: `<name>.usda` and, in the folder `<name>.clips`, `topology.usdc`, `manifest.usda` and
/// `frame.0001.usdc` on.
pub struct Clips<'a> {
    path: PathBuf,
    folder: PathBuf,
    header: &'a ExportHeader,
    topology: Layer,
    frame: Option<Layer>,
    /// Name and type of the attributes with time samples, by part.
    animated: Vec<Vec<(String, &'static str)>>,
}

impl<'a> Clips<'a> {
    /// Starts the files. `path` is that of the text file.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn new(path: &Path, header: &'a ExportHeader) -> Result<Clips<'a>, DiskError> {
        let folder = path.with_extension("clips");
        make_folder(&folder)?;
        let mut topology = Layer::new(&folder.join("topology.usdc"), header)?;
        for (k, part) in header.parts.iter().enumerate() {
            topology.topology(k, part)?;
            topology.visibility(k, part, header.frames);
        }
        let animated = header.parts.iter().map(|_| Vec::new()).collect();
        Ok(Clips { path: path.to_path_buf(), folder, header, topology, frame: None, animated })
    }

    /// Returns the manifest, which declares the attributes of the clips.
    fn manifest(&self) -> String {
        let names = identifiers(self.header.parts.iter().map(|p| p.name.as_str()));
        let mut out = format!("#usda 1.0\n\nover \"{}\"\n{{\n", identifier(&self.header.name));
        for (name, attributes) in names.iter().zip(&self.animated).filter(|(_, a)| !a.is_empty()) {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "    over \"{name}\"\n    {{");
            for (attribute, kind) in attributes {
                let _ = writeln!(out, "        {kind} {attribute}");
            }
            out.push_str("    }\n");
        }
        out.push_str("}\n");
        out
    }

    /// Returns the text file that joins the clips.
    fn head(&self) -> String {
        let ExportHeader { name, fps, frames, .. } = self.header;
        let (root, axis) = (identifier(name), axis(self.header));
        let clips = self.folder.file_name().unwrap_or_default().to_string_lossy();
        let list = |one: &dyn Fn(u32) -> String| frames.all().map(one).collect::<Vec<_>>().join(", ");
        let assets = list(&|f| format!("@./{clips}/frame.{f:04}.usdc@"));
        let active = list(&|f| format!("({f}, {})", f - frames.first));
        let times = list(&|f| format!("({f}, {f})"));
        format!(
            "#usda 1.0\n(\n    defaultPrim = \"{root}\"\n    upAxis = \"{axis}\"\n    metersPerUnit = 1\n    \
             startTimeCode = {first}\n    endTimeCode = {last}\n    timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}\n    \
             subLayers = [@./{clips}/topology.usdc@]\n)\n\nover \"{root}\" (\n    clips = {{\n        dictionary default = {{\n            \
             asset[] assetPaths = [{assets}]\n            double2[] active = [{active}]\n            double2[] times = [{times}]\n            \
             asset manifestAssetPath = @./{clips}/manifest.usda@\n            string primPath = \"/{root}\"\n        }}\n    }}\n)\n{{\n}}\n",
            first = frames.first,
            last = frames.last,
        )
    }
}

impl Sink for Clips<'_> {
    fn add(&mut self, part: usize, frame: u32, sample: &Sample) -> Result<(), DiskError> {
        let of = &self.header.parts[part];
        if of.still {
            return self.topology.sample(part, of, None, sample);
        }
        let layer = match &mut self.frame {
            Some(layer) => layer,
            slot => slot.insert(Layer::new(&self.folder.join(format!("frame.{frame:04}.usdc")), self.header)?),
        };
        layer.sample(part, of, Some(f64::from(frame)), sample)?;
        if self.animated[part].is_empty() {
            let all = layer.meshes[part].attributes.iter().map(|a| (a.name.clone(), a.kind));
            self.animated[part] = all.collect();
        }
        Ok(())
    }

    fn end_frame(&mut self, frame: u32) -> Result<(), DiskError> {
        let frames = Range { first: frame, last: frame };
        match self.frame.take() {
            Some(layer) => layer.finish(self.header, frames),
            None => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, DiskError> {
        let (manifest, head) = (self.manifest(), self.head());
        let Clips { path, folder, header, mut topology, animated, .. } = *self;
        // Clips bring only values. The attributes are declared here.
        for (part, attributes) in animated.into_iter().enumerate() {
            topology.declare(part, attributes);
        }
        topology.finish(header, header.frames)?;
        write(&folder.join("manifest.usda"), manifest.as_bytes())?;
        write(&path, head.as_bytes())?;
        Ok(vec![path])
    }
}
