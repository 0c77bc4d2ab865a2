//! Export source: reads the run folder, an object and a frame at a time.

use super::embed::Embedding;
use super::look::{Look, painted};
use super::normals::{joined, seam_ends, sharp};
use super::shell::Shell;
use super::subdivision::Subdivision;
use super::{Chart, ExportHeader, Part, Sample};
use crate::linalg::{Vec2, Vec3};
use crate::mesh::{Materials, TriMesh, ply, polygon};
use crate::scene::Scene;
use crate::scene::obstacle::Obstacle;
use crate::sequence::{DiskError, Entry, Folder, Run, Shape, Snapshot};
use crate::world::Kind;
use std::fs::File;
use std::ops::RangeInclusive;
use std::path::Path;

/// A range of frames, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First frame.
    pub first: u32,
    /// Last frame.
    pub last: u32,
}

impl Range {
    /// Returns all frames.
    pub fn all(self) -> RangeInclusive<u32> {
        self.first..=self.last
    }

    /// Returns the number of frames.
    pub fn count(self) -> u32 {
        self.last - self.first + 1
    }
}

/// A mesh that an object carries along.
pub struct Embedded {
    /// Name of the object.
    pub name: String,
    /// The mesh at the start of the run [m].
    pub mesh: TriMesh,
    /// Vertices of the object at that time [m]; those of the first frame if absent.
    pub start: Option<Vec<Vec3>>,
}

/// Choice of the objects whose normals USD and Alembic have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Normals {
    /// Objects with borders that are joined: programs take the two sides for creases there.
    #[default]
    Seams,
    /// All that are shaded smooth.
    All,
    /// No object.
    Off,
}

/// Processing of meshes at export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Number of subdivision levels.
    pub finer: u8,
    /// Whether cloths get their thickness.
    pub thick: bool,
    /// Objects that get normals.
    pub normals: Normals,
}

/// A recorded object.
struct Item {
    entry: Entry,
    /// Names of its fields, ascending, and whether it has velocities. The layout is the same in all frames.
    layout: (Vec<String>, bool),
    /// Vertices that are exported; all if absent.
    kept: Option<Vec<u32>>,
    /// Embedded mesh that is exported in place of the object.
    embedding: Option<Embedding>,
    /// Subdivision of the exported mesh.
    subdivision: Option<Subdivision>,
    /// Thickness of the exported mesh.
    shell: Option<Shell>,
}

/// Meshes of a run.
pub struct Source {
    folder: Folder,
    items: Vec<Item>,
    /// Carrying object and largest distance [m] from it, of each embedded mesh.
    pub carried: Vec<(String, f64)>,
}

/// A recorded object as opened, at the first frame at which it is present.
struct Opened<'a> {
    entry: &'a Entry,
    shape: &'a Shape,
    at: &'a Snapshot,
    look: &'a Look,
    layout: &'a (Vec<String>, bool),
    /// Whether it never moves.
    still: bool,
}

impl Opened<'_> {
    /// Lets the object carry a mesh. Fails with the reason why the mesh does not fit.
    fn carry(&self, Embedded { mesh, start, .. }: &Embedded, looks: &mut Vec<Look>) -> Result<(Part, Item), String> {
        let Opened { entry, shape, at, look, layout, still } = *self;
        let start = start.as_ref().unwrap_or(&at.positions);
        if start.len() != at.positions.len() {
            return Err(format!("'{}' has {} vertices now, then {}", entry.name, start.len(), at.positions.len()));
        }
        let embedding = Embedding::new(&mesh.positions, start, &shape.triangles);
        let named = format!("{}-embedded", entry.name);
        let shape = Shape::of_mesh(&named, Kind::Cloth, mesh.clone());
        let own = &Look { name: named, ..look.clone() };
        let paint = Paint { own, materials: &mesh.materials, origins: &mesh.origins };
        let item = Item {
            entry: entry.clone(),
            layout: layout.clone(),
            kept: None,
            embedding: Some(embedding),
            subdivision: None,
            shell: None,
        };
        let polygons = polygon::counts(&mesh.source.faces);
        Ok((part(shape, &polygons, paint, looks).0.lasting(still, None), item))
    }
}

impl Source {
    /// Opens the recorded objects of a run, for `frames`, which must exist. Bodies are exported by their surface. The
    /// `embedded` meshes follow all objects, as `<name>-embedded`. Cloths are subdivided and thickened as `made` says.
    ///
    /// # Errors
    /// A file is missing or not as it was written.
    pub fn open(
        folder: &Folder,
        record: &Run,
        scene: &Scene,
        frames: Range,
        wanted: impl Fn(&str) -> bool,
        (embedded, made): (&[Embedded], Made),
    ) -> Result<(Source, ExportHeader), DiskError> {
        let (mut items, mut parts, mut carries) = (Vec::new(), Vec::new(), Vec::new());
        let mut looks = Vec::new();
        for entry in &record.objects {
            if !wanted(&entry.name) {
                continue;
            }
            let there = entry.frames.clone();
            if there.as_ref().is_some_and(|there| there.start > frames.last || there.end <= frames.first) {
                continue;
            }
            let Some((shape, at)) = folder.read_mesh(entry, nearest(entry, record.first))? else { continue };
            let look = Look::of(scene, &entry.name);
            let layout = (at.fields.iter().map(|(name, _)| name.clone()).collect(), at.velocities.is_some());
            // Objects that appear or vanish have a file for each frame at which they are present.
            let is_still = |o: &Obstacle| o.name == entry.name && o.still() && there.is_some();
            let still = entry.files.as_ref().is_some_and(|files| !files.contains("####"))
                || scene.obstacles.iter().any(is_still);
            let opened = Opened { entry, shape: &shape, at: &at, look: &look, layout: &layout, still };
            for embedded in embedded.iter().filter(|e| e.name == entry.name) {
                let carried = opened.carry(embedded, &mut looks);
                carries.push(carried.map_err(|reason| DiskError { path: folder.scene(), reason })?);
            }
            let mut polygons = entry.counts();
            let paint = Paint { own: &look, materials: &entry.materials, origins: &entry.origins };
            let obstacle = shape.kind == Kind::Obstacle;
            let (part, kept) = part(shape, &polygons, paint, &mut looks);
            let mut part = part.lasting(still, there);
            part.smooth = !obstacle || !sharp(&of(&at).positions, &part.triangles);
            let cloth = scene.cloths.iter().find(|cloth| cloth.name == entry.name);
            let mut subdivision = None;
            if cloth.is_some() && made.finer > 0 {
                let held = held(folder, entry, frames.last, kept.as_deref(), &part.triangles)?;
                let finer = Subdivision::new(&mut part, made.finer, &held);
                (subdivision, polygons) = (Some(finer.0), finer.1);
            }
            let shell =
                cloth.filter(|_| made.thick).map(|cloth| Shell::new(&mut part, &polygons, cloth.material.thickness));
            parts.push(part);
            items.push(Item { entry: entry.clone(), layout, kept, embedding: None, subdivision, shell });
        }
        for (part, item) in carries {
            parts.push(part);
            items.push(item);
        }
        let carried =
            items.iter().filter_map(|item| Some((item.entry.name.clone(), item.embedding.as_ref()?.farthest())));
        let carried = carried.collect();
        let source = Source { folder: folder.clone(), items, carried };
        source.choose_normals(&mut parts, made.normals, frames.last)?;
        let header = ExportHeader {
            name: scene.name.clone(),
            fps: record.fps,
            up: scene.up,
            origin: record.origin,
            frames,
            looks,
            parts,
        };
        Ok((source, header))
    }

    /// Decides which smooth parts get normals. A seam that is sewn is joined at the `last` frame.
    fn choose_normals(&self, parts: &mut [Part], normals: Normals, last: u32) -> Result<(), DiskError> {
        for (k, part) in parts.iter_mut().enumerate().filter(|(_, part)| part.smooth) {
            part.normals = match normals {
                Normals::Seams => joined(&self.sample(k, last)?, &part.triangles),
                Normals::All => true,
                Normals::Off => false,
            };
        }
        Ok(())
    }

    /// Reads a part at a frame, or at the nearest frame at which it is present.
    ///
    /// # Errors
    /// The file is missing or not as it was written.
    pub fn sample(&self, part: usize, frame: u32) -> Result<Sample, DiskError> {
        let item = &self.items[part];
        let Some(files) = &item.entry.files else { return Ok(Sample::default()) };
        let frame = nearest(&item.entry, frame);
        let path = self.folder.mesh(files, frame);
        let mut sample = match columns(&path, &item.entry)? {
            Some(sample) => sample,
            None => self.folder.read_mesh(&item.entry, frame)?.map_or_else(Sample::default, |(_, at)| of(&at)),
        };
        let mut names: Vec<String> = sample.fields.iter().map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        if (names, sample.velocities.is_some()) != item.layout {
            let reason = "not the fields that the first frame has".to_string();
            return Err(DiskError { path, reason });
        }
        if let Some(embedding) = &item.embedding {
            return Ok(embedding.carry(&sample));
        }
        if let Some(kept) = &item.kept {
            sample.positions = chosen(&sample.positions, kept);
            sample.velocities = sample.velocities.map(|v| chosen(&v, kept));
            sample.fields.iter_mut().for_each(|(_, values)| *values = chosen(values, kept));
        }
        if let Some(subdivision) = &item.subdivision {
            sample = subdivision.refine(sample);
        }
        Ok(match &item.shell {
            Some(shell) => shell.thicken(sample),
            None => sample,
        })
    }
}

/// Returns the nearest frame at which an object is present.
fn nearest(entry: &Entry, frame: u32) -> u32 {
    entry.frames.as_ref().map_or(frame, |there| frame.min(there.end.saturating_sub(1)).max(there.start))
}

/// Returns the vertices of a part at which its seams end or meet. Seams that are sewn are joined at the `last` frame.
fn held(
    folder: &Folder,
    entry: &Entry,
    last: u32,
    kept: Option<&[u32]>,
    triangles: &[[u32; 3]],
) -> Result<Vec<bool>, DiskError> {
    let Some((_, at)) = folder.read_mesh(entry, nearest(entry, last))? else { return Ok(Vec::new()) };
    let positions = of(&at).positions;
    Ok(seam_ends(&kept.map_or(positions.clone(), |kept| chosen(&positions, kept)), triangles))
}

fn chosen<T: Copy>(all: &[T], kept: &[u32]) -> Vec<T> {
    kept.iter().map(|v| all[*v as usize]).collect()
}

/// Look of an object, and materials and origins of its triangles.
struct Paint<'a> {
    own: &'a Look,
    materials: &'a Materials,
    origins: &'a Materials,
}

/// Builds a part that is always present and moves. Returns also the recorded vertices that it keeps: for a body, those
/// of its surface.
fn part(shape: Shape, polygons: &[u32], paint: Paint, looks: &mut Vec<Look>) -> (Part, Option<Vec<u32>>) {
    let seams = shape.has_seams();
    let Shape { name, kind, vertices, mut triangles, uv, uv_triangles } = shape;
    let kept = (kind == Kind::Body).then(|| {
        let mut kept: Vec<u32> = triangles.as_flattened().to_vec();
        kept.sort_unstable();
        kept.dedup();
        let mut new = vec![0; vertices];
        kept.iter().zip(0..).for_each(|(v, k)| new[*v as usize] = k);
        triangles.iter_mut().for_each(|t| *t = t.map(|v| new[v as usize]));
        kept
    });
    let vertices = kept.as_ref().map_or(vertices, Vec::len);
    let single = |uv: &Vec2| [uv.x as f32, uv.y as f32];
    let chart = match (uv_triangles.is_empty(), seams) {
        (true, _) => None,
        (_, true) => Some(Chart::Corners(uv.iter().map(single).collect(), uv_triangles)),
        _ => {
            let mut all = vec![[0.0; 2]; vertices];
            for (v, c) in triangles.as_flattened().iter().zip(uv_triangles.as_flattened()) {
                all[*v as usize] = single(&uv[*c as usize]);
            }
            Some(Chart::Vertices(all))
        }
    };
    let faces = polygon::faces(&triangles, polygons);
    let colour = paint.own.single();
    let looks = painted(paint.own, paint.materials, triangles.len(), looks);
    let part = Part {
        name,
        vertices,
        triangles,
        faces,
        chart,
        looks,
        origins: paint.origins.clone(),
        colour,
        smooth: true,
        normals: false,
        still: false,
        there: None,
    };
    (part, kept)
}

/// Reads a frame in the layout that a run writes, without its triangles. Returns `None` for another layout.
fn columns(path: &Path, entry: &Entry) -> Result<Option<Sample>, DiskError> {
    let mut file = File::open(path).map_err(|error| DiskError::new(path, &error))?;
    let wrong = |reason: String| DiskError { path: path.to_path_buf(), reason };
    let Some(columns) = ply::columns(&mut file).map_err(|error| wrong(error.to_string()))? else { return Ok(None) };
    let Some(positions) = columns.get(["x", "y", "z"]) else { return Ok(None) };
    if columns.count != entry.vertices {
        return Err(wrong(format!("{} vertices, the record says {}", columns.count, entry.vertices)));
    }
    let known = ["x", "y", "z", "vx", "vy", "vz", "s", "t"];
    let further = columns.names.iter().filter(|name| !known.contains(&name.as_str()));
    let fields = further.filter_map(|name| Some((name.clone(), columns.get([name])?))).collect();
    Ok(Some(Sample { positions, velocities: columns.get(["vx", "vy", "vz"]), fields }))
}

fn of(at: &Snapshot) -> Sample {
    let single = |all: &[Vec3]| all.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect();
    Sample {
        positions: single(&at.positions),
        velocities: at.velocities.as_deref().map(single),
        fields: at.fields.iter().map(|(n, all)| (n.clone(), all.iter().map(|x| [*x as f32]).collect())).collect(),
    }
}
