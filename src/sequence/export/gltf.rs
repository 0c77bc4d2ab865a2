//! glTF 2.0: a `.gltf` file and the `.bin` beside it, or both in one `.glb`. Every frame after the first is a morph
//! target, active at its time: frame `k` at `k / fps` seconds, or the first frame at 0.
//!
//! Objects that are absent have the scale zero. Each material of an object is a primitive. Normals are smooth, except
//! for obstacles with sharp edges, which have none. The format suits short clips, since other programs make a shape key
//! of each frame.

use super::normals::smooth;
use super::{Chart, ExportHeader, Look, Part, Sample, Sink, le_bytes};
use crate::linalg::Vec3;
use crate::scene::Up;
use crate::sequence::disk::{DiskError, Draft, read, write};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Component types of the format: `float`, `unsigned int`.
const FLOAT: u32 = 5126;
const UINT: u32 = 5125;

/// A mesh of the file.
struct Mesh {
    /// Original vertex of each vertex that a seam duplicates.
    repeated: Vec<u32>,
    /// Accessors of triangles, each with its look.
    triangles: Vec<(usize, u32)>,
    /// Accessors.
    uv: Option<usize>,
    base: Value,
    targets: Vec<Value>,
    /// Positions and normals at the first frame.
    start: [Vec<[f32; 3]>; 2],
}

impl Mesh {
    /// Returns the primitives, one for each look.
    fn primitives(&self) -> Vec<Value> {
        let mut attributes = self.base.clone();
        if let Some(uv) = self.uv {
            attributes["TEXCOORD_0"] = json!(uv);
        }
        let primitive = |(indices, look): &(usize, u32)| {
            let mut primitive = json!({ "attributes": attributes, "indices": indices, "material": look });
            if !self.targets.is_empty() {
                primitive["targets"] = json!(self.targets);
            }
            primitive
        };
        self.triangles.iter().map(primitive).collect()
    }
}

/// Writer of the two files.
pub struct Gltf<'a> {
    path: PathBuf,
    data: Draft,
    header: &'a ExportHeader,
    /// Frame at 0 s.
    zero: u32,
    meshes: Vec<Mesh>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    buffer: Vec<u8>,
}

impl<'a> Gltf<'a> {
    /// Starts the files. Frame `zero` is at 0 s.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn new(path: &Path, header: &'a ExportHeader, zero: u32) -> Result<Gltf<'a>, DiskError> {
        let data = Draft::new(&path.with_extension("bin"))?;
        let mut out = Gltf {
            path: path.to_path_buf(),
            data,
            header,
            zero,
            meshes: Vec::new(),
            views: Vec::new(),
            accessors: Vec::new(),
            buffer: Vec::new(),
        };
        for part in &header.parts {
            let Split { repeated, triangles, uv } = split(part);
            let mut primitives = Vec::new();
            for (look, _) in part.sets() {
                let own = triangles.iter().zip(&part.looks).filter(|(_, of)| **of == look);
                out.buffer.clear();
                out.buffer.extend(own.flat_map(|(t, _)| t).flat_map(|v| v.to_le_bytes()));
                primitives.push((out.accessor(UINT, "SCALAR", out.buffer.len() / 4, None)?, look));
            }
            let uv = match uv {
                Some(uv) => {
                    // In glTF, v points down.
                    let turned: Vec<[f32; 2]> = uv.iter().map(|[u, v]| [*u, 1.0 - *v]).collect();
                    le_bytes(&turned, &mut out.buffer);
                    Some(out.accessor(FLOAT, "VEC2", turned.len(), None)?)
                }
                None => None,
            };
            out.meshes.push(Mesh {
                repeated,
                triangles: primitives,
                uv,
                base: Value::Null,
                targets: Vec::new(),
                start: Default::default(),
            });
        }
        Ok(out)
    }

    /// Writes the buffer. Returns the number of its accessor.
    fn accessor(
        &mut self,
        kind: u32,
        shape: &str,
        count: usize,
        bounds: Option<[Vec<f32>; 2]>,
    ) -> Result<usize, DiskError> {
        let bytes = std::mem::take(&mut self.buffer);
        let at = self.data.length();
        self.data.put(&bytes)?;
        self.views.push(json!({ "buffer": 0, "byteOffset": at, "byteLength": bytes.len() }));
        let mut accessor =
            json!({ "bufferView": self.views.len() - 1, "componentType": kind, "count": count, "type": shape });
        if let Some([low, high]) = bounds {
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.accessors.push(accessor);
        self.buffer = bytes;
        Ok(self.accessors.len() - 1)
    }

    fn vectors(&mut self, positions: Vec<[f32; 3]>) -> Result<usize, DiskError> {
        le_bytes(&positions, &mut self.buffer);
        let count = positions.len();
        let bounds = Sample { positions, ..Sample::default() }.bounds();
        self.accessor(FLOAT, "VEC3", count, Some(bounds.map(|corner| corner.to_vec())))
    }

    /// Writes the times of all frames. Returns the accessor.
    fn times(&mut self) -> Result<usize, DiskError> {
        let frames = self.header.frames;
        let times: Vec<f32> =
            frames.all().map(|f| ((f64::from(f) - f64::from(self.zero)) / self.header.fps) as f32).collect();
        self.buffer = times.iter().flat_map(|t| t.to_le_bytes()).collect();
        let ends = [times.first(), times.last()].map(|t| t.copied().into_iter().collect());
        self.accessor(FLOAT, "SCALAR", times.len(), Some(ends))
    }

    /// Writes the scale of a part at each frame, 0 where it is absent. Returns the accessor.
    fn scales(&mut self, part: &Part) -> Result<usize, DiskError> {
        let frames = self.header.frames;
        let scales: Vec<[f32; 3]> = frames.all().map(|f| [f32::from(u8::from(part.shows(f))); 3]).collect();
        le_bytes(&scales, &mut self.buffer);
        self.accessor(FLOAT, "VEC3", scales.len(), None)
    }

    /// Writes the weights of all targets, a row per frame. Returns the accessor.
    fn weights(&mut self) -> Result<usize, DiskError> {
        let (at, rows) = (self.data.length(), self.header.frames.count() as usize);
        for row in 0..rows {
            let weight = |target: usize| if target + 1 == row { 1f32 } else { 0.0 };
            let bytes: Vec<u8> = (0..rows - 1).flat_map(|target| weight(target).to_le_bytes()).collect();
            self.data.put(&bytes)?;
        }
        let count = rows * (rows - 1);
        self.views.push(json!({ "buffer": 0, "byteOffset": at, "byteLength": 4 * count }));
        let view = self.views.len() - 1;
        let accessor = json!({ "bufferView": view, "componentType": FLOAT, "count": count, "type": "SCALAR" });
        self.accessors.push(accessor);
        Ok(self.accessors.len() - 1)
    }
}

/// A part whose vertices are split at seams of the chart.
struct Split {
    /// Original vertex of each vertex that a seam duplicates.
    repeated: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    uv: Option<Vec<[f32; 2]>>,
}

fn split(part: &Part) -> Split {
    let whole = |uv| Split { repeated: Vec::new(), triangles: part.triangles.clone(), uv };
    let (uv, chart) = match &part.chart {
        None => return whole(None),
        Some(Chart::Vertices(uv)) => return whole(Some(uv.clone())),
        Some(Chart::Corners(uv, chart)) => (uv, chart),
    };
    let mut known: Vec<Option<[f32; 2]>> = vec![None; part.vertices];
    let mut more = std::collections::HashMap::new();
    let mut repeated = Vec::new();
    let mut all = Vec::with_capacity(part.triangles.len());
    for (triangle, places) in part.triangles.iter().zip(chart) {
        let mut own = *triangle;
        for (v, c) in own.iter_mut().zip(places) {
            let place = uv[*c as usize];
            let first = *known[*v as usize].get_or_insert(place);
            if first != place {
                let next = (part.vertices + repeated.len()) as u32;
                *v = *more.entry((*v, place.map(f32::to_bits))).or_insert_with(|| {
                    repeated.push(*v);
                    known.push(Some(place));
                    next
                });
            }
        }
        all.push(own);
    }
    let uv = known.into_iter().map(|c| c.unwrap_or_default()).collect();
    Split { repeated, triangles: all, uv: Some(uv) }
}

impl Sink for Gltf<'_> {
    fn add(&mut self, part: usize, frame: u32, sample: &Sample) -> Result<(), DiskError> {
        let (mesh, of) = (&mut self.meshes[part], &self.header.parts[part]);
        let whole = |mut all: Vec<[f32; 3]>| {
            let more: Vec<[f32; 3]> = mesh.repeated.iter().map(|v| all[*v as usize]).collect();
            all.extend(more);
            all
        };
        let normals = if of.smooth { smooth(sample, &of.triangles) } else { Vec::new() };
        let mut all = [whole(sample.positions.clone()), if of.smooth { whole(normals) } else { normals }];
        let first = frame == self.header.frames.first;
        if first {
            mesh.start = all.clone();
        } else {
            let moved = all.iter_mut().flatten().zip(mesh.start.iter().flatten());
            moved.for_each(|(now, start)| (0..3).for_each(|k| now[k] -= start[k]));
        }
        let [positions, normals] = all;
        let mut attributes = json!({ "POSITION": self.vectors(positions)? });
        if of.smooth {
            attributes["NORMAL"] = json!(self.vectors(normals)?);
        }
        if first {
            self.meshes[part].base = attributes;
        } else {
            self.meshes[part].targets.push(attributes);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, DiskError> {
        // Samplers: of weights, then of the scale of parts that appear or vanish.
        let (mut samplers, mut scaled) = (Vec::new(), Vec::new());
        if self.header.frames.count() > 1 {
            let times = self.times()?;
            samplers.push(json!({ "input": times, "output": self.weights()?, "interpolation": "LINEAR" }));
            for (k, part) in self.header.parts.iter().enumerate().filter(|(_, part)| part.there.is_some()) {
                scaled.push(json!({ "sampler": samplers.len(), "target": { "node": k, "path": "scale" } }));
                samplers.push(json!({ "input": times, "output": self.scales(part)?, "interpolation": "STEP" }));
            }
        }
        let Gltf { path, data, header, meshes, views, accessors, .. } = *self;
        let (mut nodes, mut bodies, mut channels) = (Vec::new(), Vec::new(), Vec::new());
        for (k, (mesh, part)) in meshes.iter().zip(&header.parts).enumerate() {
            if !mesh.targets.is_empty() {
                channels.push(json!({ "sampler": 0, "target": { "node": k, "path": "weights" } }));
            }
            bodies.push(json!({ "name": part.name, "primitives": mesh.primitives() }));
            nodes.push(node(k, part, header));
        }
        let one = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("glb"));
        let mut buffer = json!({ "byteLength": data.length() });
        if !one {
            buffer["uri"] = json!(data.path().file_name().unwrap_or_default().to_string_lossy());
        }
        let mut all = json!({
            "asset": { "version": "2.0", "generator": concat!("percale ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": header.name, "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
            "nodes": nodes,
            "meshes": bodies,
            "materials": header.looks.iter().map(material).collect::<Vec<_>>(),
            "buffers": [buffer],
            "bufferViews": views,
            "accessors": accessors,
        });
        channels.extend(scaled);
        if !channels.is_empty() {
            all["animations"] = json!([{ "name": header.name, "samplers": samplers, "channels": channels }]);
        }
        let beside = data.path().to_path_buf();
        data.publish()?;
        if one {
            let bytes = read(&beside)?;
            std::fs::remove_file(&beside).map_err(|error| DiskError::new(&beside, &error))?;
            write(&path, &binary(&all.to_string(), &bytes))?;
        } else {
            write(&path, all.to_string().as_bytes())?;
        }
        Ok(vec![path])
    }
}

/// Returns the node of the mesh `k`.
fn node(k: usize, part: &Part, header: &ExportHeader) -> Value {
    let mut node = json!({ "name": part.name, "mesh": k });
    if let Some(source) = part.source() {
        node["extras"] = json!({ "source": source });
    }
    if !part.shows(header.frames.first) {
        node["scale"] = json!([0.0, 0.0, 0.0]);
    }
    if header.up == Up::Z {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        node["rotation"] = json!([-half, 0.0, 0.0, half]);
    }
    if header.origin != Vec3::zeros() {
        let [x, y, z] = header.origin.into();
        node["translation"] = if header.up == Up::Z { json!([x, z, -y]) } else { json!([x, y, z]) };
    }
    node
}

/// Returns a material.
fn material(look: &Look) -> Value {
    let [r, g, b] = look.colour;
    let factors =
        json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": look.roughness });
    json!({ "name": look.name, "doubleSided": true, "pbrMetallicRoughness": factors })
}

/// Builds a `.glb` file: heading, then text and data as chunks, each padded to a multiple of 4 bytes.
fn binary(text: &str, data: &[u8]) -> Vec<u8> {
    let mut out = b"glTF\x02\0\0\0\0\0\0\0".to_vec();
    for (kind, bytes, fill) in [(b"JSON", text.as_bytes(), b' '), (b"BIN\0", data, 0)] {
        let length = bytes.len().next_multiple_of(4);
        out.extend((length as u32).to_le_bytes());
        out.extend(kind);
        out.extend(bytes);
        out.resize(out.len() + length - bytes.len(), fill);
    }
    let length = out.len() as u32;
    out[8..12].copy_from_slice(&length.to_le_bytes());
    out
}
