//! OBJ and PLY: a file per object and frame, `<object>.0001.obj`. A static object has one file without number. An
//! object that appears or vanishes has files for the frames at which it is present. Beside OBJ is `<object>.mtl`, with
//! the materials.

use super::{Chart, ExportHeader, Part, Sample, Sink};
use crate::linalg::{Vec2, Vec3};
use crate::mesh::{Materials, TriMesh, obj, ply};
use crate::sequence::disk::{DiskError, write};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A sequence of files.
pub struct Files<'a> {
    folder: PathBuf,
    header: &'a ExportHeader,
    ply: bool,
}

impl<'a> Files<'a> {
    /// Starts a sequence in an existing folder: PLY if `ply`, else OBJ.
    pub fn new(folder: &Path, header: &'a ExportHeader, ply: bool) -> Files<'a> {
        Files { folder: folder.to_path_buf(), header, ply }
    }
}

impl Sink for Files<'_> {
    fn add(&mut self, part: usize, frame: u32, sample: &Sample) -> Result<(), DiskError> {
        let of = &self.header.parts[part];
        // A static sample is one file, unless the object is absent at some frames.
        let frames = if of.still && of.there.is_some() { self.header.frames.all() } else { frame..=frame };
        for frame in frames.filter(|frame| of.shows(*frame)) {
            self.file(of, frame, sample)?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, DiskError> {
        for part in self.header.parts.iter().filter(|_| !self.ply) {
            library(&self.folder, self.header, part)?;
        }
        Ok(vec![self.folder])
    }
}

impl Files<'_> {
    fn file(&self, of: &Part, frame: u32, sample: &Sample) -> Result<(), DiskError> {
        let number = if of.still && of.there.is_none() { String::new() } else { format!(".{frame:04}") };
        let ending = if self.ply { "ply" } else { "obj" };
        let path = self.folder.join(format!("{}{number}.{ending}", of.name));
        let bytes = if self.ply {
            record(of, sample).map_err(|reason| DiskError { path: path.clone(), reason })?
        } else {
            mesh(self.header, of, sample, &self.header.origin)
        };
        write(&path, &bytes)
    }
}

fn wide(all: &[[f32; 3]]) -> Vec<Vec3> {
    all.iter().map(|p| Vec3::new(p[0].into(), p[1].into(), p[2].into())).collect()
}

fn wide2(all: &[[f32; 2]]) -> Vec<Vec2> {
    all.iter().map(|c| Vec2::new(c[0].into(), c[1].into())).collect()
}

fn tri_mesh(of: &Part, sample: &Sample) -> TriMesh {
    let (uv, uv_triangles) = match &of.chart {
        Some(Chart::Vertices(uv)) => (wide2(uv), of.triangles.clone()),
        Some(Chart::Corners(uv, triangles)) => (wide2(uv), triangles.clone()),
        None => Default::default(),
    };
    let positions = wide(&sample.positions);
    TriMesh { positions, triangles: of.triangles.clone(), uv, uv_triangles, ..TriMesh::default() }
}

/// Writes the materials of a part. Colours are linear, as Blender reads them. `Pr` is roughness, `Pm` metalness.
///
/// # Errors
/// The disk refuses.
pub(super) fn library(folder: &Path, header: &ExportHeader, of: &Part) -> Result<(), DiskError> {
    let mut out = String::new();
    for look in of.sets().iter().filter_map(|(look, _)| header.looks.get(*look as usize)) {
        let [r, g, b] = look.colour;
        let (name, roughness) = (obj::material_word(&look.name), look.roughness);
        // Writing to a String cannot fail.
        let _ = writeln!(out, "newmtl {name}\nKd {r} {g} {b}\nKs 0.5 0.5 0.5\nd 1\nillum 2\nPr {roughness}\nPm 0\n");
    }
    write(&folder.join(format!("{}.mtl", of.name)), out.as_bytes())
}

/// Returns a frame as OBJ, with an origin added and with the names of the object and its materials.
pub(super) fn mesh(header: &ExportHeader, of: &Part, sample: &Sample, origin: &Vec3) -> Vec<u8> {
    let mut mesh = tri_mesh(of, sample);
    let names = header.looks.iter().map(|look| look.name.clone()).collect();
    mesh.origins = of.origins.clone();
    mesh.materials = Materials { names, triangles: of.looks.iter().map(|look| look + 1).collect() };
    let head = format!("mtllib {0}.mtl\no {0}\n", of.name);
    if *origin != Vec3::zeros() {
        mesh.positions.iter_mut().for_each(|p| *p += origin);
    }
    [head.into_bytes(), obj::write_faces(&mesh, &of.faces)].concat()
}

/// Returns a frame as PLY. A vertex at a seam gets the texture coordinate of the first triangle.
fn record(of: &Part, sample: &Sample) -> Result<Vec<u8>, String> {
    let mesh = tri_mesh(of, sample);
    let velocities = sample.velocities.as_deref().map(wide);
    let fields: Vec<(&str, Vec<f64>)> = sample
        .fields
        .iter()
        .map(|(name, values)| (name.as_str(), values.as_flattened().iter().map(|x| f64::from(*x)).collect()))
        .collect();
    let fields: Vec<(&str, &[f64])> = fields.iter().map(|(name, values)| (*name, values.as_slice())).collect();
    let uv = ply::vertex_uv(&mesh);
    let record = ply::PlyRecord {
        positions: &mesh.positions,
        triangles: &of.triangles,
        velocities: velocities.as_deref(),
        uv: uv.as_deref(),
        fields: &fields,
    };
    ply::write(&record).map_err(|error| error.to_string())
}
