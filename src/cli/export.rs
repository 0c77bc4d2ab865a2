//! `percale export`: writes the meshes of a run for other programs.

use super::failure::Failure;
use super::inspect::run_of;
use super::log::{Level, log};
use super::range::Frames;
use super::say;
use crate::collision::surface::Surface;
use crate::linalg::Vec3;
use crate::mesh;
use crate::mesh::archive::{self, Archive, Upward};
use crate::scene::build::{Built, build};
use crate::scene::{self, Scene, Up};
use crate::sequence::export::{
    Alembic, Clips, Embedded, ExportHeader, Files, Gltf, Made, Normals, Order, Part, Points, Range, Sample, Sink,
    Source, Usd,
};
use crate::sequence::{Folder, Run as Record, make_folder, read};
use crate::world::crossing::crossings;
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Arguments.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// Run folder
    dir: PathBuf,
    /// Format of the files
    #[arg(long, value_enum)]
    format: Format,
    /// Object to write; may be given several times; all if absent
    #[arg(long = "object", value_name = "NAME")]
    objects: Vec<String>,
    /// Mesh in the coordinates of the file of a cloth or a body, which carries it along, such as a finer one to render;
    /// as object NAME-embedded
    #[arg(long, value_name = "NAME=FILE")]
    embed: Vec<String>,
    /// Make cloths finer and smooth, so many times: each corner of a face becomes a quad (Catmull-Clark). Smooth
    /// surfaces may cross where those of the run do not
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=3))]
    subdivide: u8,
    /// Give cloths their thickness: closed, with a rim along borders
    #[arg(long)]
    thick: bool,
    /// Objects whose normals USD and Alembic have: they make files larger, and other programs make their own, but for
    /// creases where borders are joined
    #[arg(long, value_enum, default_value_t = Which::Seams)]
    normals: Which,
    /// First frame at 0 s, as players that begin at 0 need it; glTF alone. Else frame k is at k / fps seconds
    #[arg(long)]
    from_zero: bool,
    /// Frames to write: a number or a range A-B; all that are there if absent
    #[arg(long, value_name = "A-B", value_parser = Frames::unbroken)]
    frames: Option<(u32, u32)>,
    /// File, or folder of formats with a file an object; in the folder `export` of the run if absent
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

/// Export formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// USD, one binary file
    #[value(alias = "usd")]
    Usdc,
    /// USD, a binary file a frame below a text file that joins them (value clips)
    Usda,
    /// Alembic, one file
    Abc,
    /// glTF with a morph target a frame: for short clips
    Gltf,
    /// Point cache, a file an object
    Pc2,
    /// Point cache, a file an object
    Mdd,
    /// A file an object and frame: shape and chart
    Obj,
    /// A file an object and frame: with velocities and fields
    Ply,
}

/// Objects whose normals are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// Objects with joined borders
    Seams,
    /// All objects that are smooth
    All,
    /// No object
    Off,
}

impl Format {
    /// Returns the extension of the file; `None` for formats with a file per object.
    fn ending(self) -> Option<&'static str> {
        match self {
            Format::Usdc => Some("usdc"),
            Format::Usda => Some("usda"),
            Format::Abc => Some("abc"),
            Format::Gltf => Some("gltf"),
            Format::Pc2 | Format::Mdd | Format::Obj | Format::Ply => None,
        }
    }

    /// Says why a path does not fit the format: another extension, a file in place of a folder, or a folder in place of
    /// a file.
    fn misfit(self, path: &Path) -> Option<String> {
        let given = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        match (self.ending(), given) {
            (Some(_), _) if path.is_dir() => Some("is a folder; name a file".to_string()),
            (Some(own), Some(given)) if given != own && !(own == "gltf" && given == "glb") => {
                Some(format!("--format {own} writes .{own}"))
            }
            (None, _) if path.is_file() => Some("is a file; this format makes a folder of files".to_string()),
            (None, Some(given)) if ["pc2", "mdd", "obj", "ply"].contains(&given.as_str()) => {
                Some("this format makes a folder with a file for each object; name a folder".to_string())
            }
            _ => None,
        }
    }
}

/// Distance above which an embedded mesh is reported as too far from its object [m].
const FAR: f64 = 0.1;

impl Export {
    /// Reads the frames one by one and writes them.
    ///
    /// # Errors
    /// The folder holds no run or lacks the frames. Or a file cannot be read or written.
    pub(super) fn execute(self) -> Result<(), Failure> {
        let folder = Folder::new(&self.dir);
        let dir = self.dir.display();
        let record = run_of(&folder)?;
        // The path of the original scene file names a scene that has no name of its own.
        let scene = scene::read_recorded(Path::new(&record.scene), &read(&folder.scene())?, &[])?;
        let (first, last) = self.frames.unwrap_or((record.first, record.last_done().max(record.first)));
        self.check(&record, Range { first, last })?;
        if self.from_zero && self.format != Format::Gltf {
            return Err(Failure::input("--from-zero goes with --format gltf".to_string()));
        }
        let wanted = |name: &str| self.objects.is_empty() || self.objects.iter().any(|o| o == name);
        let embedded = self.embedded(&scene, &record)?;
        let normals = match self.normals {
            Which::Seams => Normals::Seams,
            Which::All => Normals::All,
            Which::Off => Normals::Off,
        };
        let made = Made { finer: self.subdivide, thick: self.thick, normals };
        let (source, header) =
            Source::open(&folder, &record, &scene, Range { first, last }, wanted, (&embedded, made))?;
        if header.parts.is_empty() {
            return Err(Failure::input(format!("{dir}: no meshes were written; run again with output.meshes")));
        }
        if let Some((path, why)) = self.out.as_ref().and_then(|path| Some((path, self.format.misfit(path)?))) {
            return Err(Failure::input(format!("--out {}: {why}", path.display())));
        }
        let path = self.place(&folder, &header)?;
        let mut sink = self.sink(&path, &header)?;
        for (name, far) in source.carried.iter().filter(|(_, far)| *far > FAR) {
            let message = format!(
                "--embed {name}=...: it is up to {far:.3} m from '{name}' at the start; is it in the coordinates of its file?"
            );
            log(Level::Warning, &message);
        }
        self.tell_of_visibility(&header);
        self.write_frames(&scene, &source, &header, sink.as_mut())?;
        if header.origin != Vec3::zeros() && matches!(self.format, Format::Pc2 | Format::Mdd | Format::Ply) {
            let [x, y, z]: [f64; 3] = header.origin.into();
            say(&format!(
                "positions are about [{x}, {y}, {z}] m: this format has no place for it, so add it where the files are used"
            ));
        }
        for file in sink.finish()? {
            say(&format!("frames {first} to {last} in {}", file.display()));
        }
        Ok(())
    }

    /// Checks that the run has the frames and the objects that are wanted.
    fn check(&self, record: &Record, frames: Range) -> Result<(), Failure> {
        let dir = self.dir.display();
        for frame in [frames.last, frames.first] {
            let lacks = record.lacks(frame);
            if !lacks.is_empty() {
                return Err(Failure::input(format!("{dir}: frame {frame} is not there; {lacks}")));
            }
        }
        for name in &self.objects {
            let Some(entry) = record.objects.iter().find(|o| o.name == *name) else {
                let known: Vec<&str> = record.objects.iter().map(|o| o.name.as_str()).collect();
                return Err(Failure::input(format!("{dir}: no object '{name}'; there are {}", known.join(", "))));
            };
            if entry.files.is_none() {
                return Err(Failure::input(format!("{dir}: the meshes of '{name}' were not written")));
            }
            if !frames.all().any(|frame| entry.there(frame)) {
                let Range { first, last } = frames;
                return Err(Failure::input(format!("{dir}: '{name}' is at none of the frames {first} to {last}")));
            }
        }
        Ok(())
    }

    /// Returns the path that is written, after its folder is made.
    fn place(&self, folder: &Folder, header: &ExportHeader) -> Result<PathBuf, Failure> {
        let own = self.dir.join("export");
        let path = match (&self.out, self.format.ending()) {
            (Some(path), _) => path.clone(),
            (None, Some(ending)) => own.join(format!("{}.{ending}", header.name)),
            (None, None) => own,
        };
        if self.out.is_none() {
            folder.make(&self.dir.join("export"))?;
        }
        let above = if self.format.ending().is_some() { path.parent().unwrap_or(Path::new("")) } else { &path };
        make_folder(above)?;
        Ok(path)
    }

    /// Writes the frames one by one.
    fn write_frames(
        &self,
        scene: &Scene,
        source: &Source,
        header: &ExportHeader,
        sink: &mut dyn Sink,
    ) -> Result<(), Failure> {
        let mut reported = BTreeSet::new();
        for frame in header.frames.all() {
            for (k, part) in header.parts.iter().enumerate() {
                if frame == header.frames.first || !part.still {
                    let sample = source.sample(k, frame)?;
                    // Subdivided and embedded meshes are not simulated, so they may cross.
                    let finer = self.subdivide > 0 && scene.cloths.iter().any(|cloth| cloth.name == part.name);
                    if finer || part.name.ends_with("-embedded") {
                        look(part, frame, &sample, &mut reported);
                    }
                    sink.add(k, frame, &sample)?;
                }
            }
            sink.end_frame(frame)?;
        }
        Ok(())
    }

    /// Reads the embedded meshes, placed as their cloths and bodies at the start. Adds the vertices of these at the
    /// start.
    fn embedded(&self, scene: &Scene, record: &Record) -> Result<Vec<Embedded>, Failure> {
        if self.embed.is_empty() {
            return Ok(Vec::new());
        }
        // The first frame is the start, unless it comes after a preroll.
        let built = match scene.time.preroll {
            0 => None,
            _ => Some(build(scene, Path::new(&record.scene)).map_err(|refusal| refusal.faults)?),
        };
        let one = |argument: &String| {
            let named = argument.split_once('=').and_then(|(name, file)| {
                let cloth = scene.cloths.iter().find(|c| c.name == name).map(|c| &c.transform);
                let body = || scene.bodies.iter().find(|b| b.name == name).map(|b| &b.transform);
                Some((name, cloth.or_else(body)?, Path::new(file)))
            });
            let Some((name, transform, file)) = named else {
                let reported = format!("--embed {argument}: expected NAME=FILE with the name of a cloth or a body");
                return Err(Failure::input(reported));
            };
            if !file.is_file() {
                return Err(Failure::input(format!("--embed {argument}: {}: no such file", file.display())));
            }
            let mesh = if archive::reads(file) {
                let up = if scene.up == Up::Z { Upward::Z } else { Upward::Y };
                Archive::open(file, None, up).map(|open| open.mesh)
            } else {
                let ending = file.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default();
                mesh::read(&ending, &read(file)?)
            };
            let mut mesh = mesh.map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
            mesh.positions.iter_mut().for_each(|p| *p = transform.apply(p) - record.origin);
            let start = built.as_ref().and_then(|Built { world, state, .. }| {
                world.objects.iter().find(|o| o.name == name).map(|o| world.in_file_order(o, &state.x))
            });
            Ok(Embedded { name: name.to_string(), mesh, start })
        };
        self.embed.iter().map(one).collect()
    }

    /// Tells of visibility that Blender does not read.
    fn tell_of_visibility(&self, header: &ExportHeader) {
        if !matches!(self.format, Format::Usdc | Format::Usda | Format::Abc) {
            return;
        }
        for Part { name, .. } in header.parts.iter().filter(|part| part.there.is_some()) {
            let message = format!(
                "'{name}' appears or vanishes by its visibility. Blender shows it always: it does not read that"
            );
            log(Level::Info, &message);
        }
    }

    fn sink<'a>(&self, path: &Path, header: &'a ExportHeader) -> Result<Box<dyn Sink + 'a>, Failure> {
        Ok(match self.format {
            Format::Usdc => Box::new(Usd::new(path, header)?),
            Format::Usda => Box::new(Clips::new(path, header)?),
            Format::Abc => Box::new(Alembic::new(path, header)?),
            Format::Gltf => Box::new(Gltf::new(path, header, if self.from_zero { header.frames.first } else { 0 })?),
            Format::Pc2 => Box::new(Points::new(path, header, Order::Pc2)?),
            Format::Mdd => Box::new(Points::new(path, header, Order::Mdd)?),
            Format::Obj => Box::new(Files::new(path, header, false)),
            Format::Ply => Box::new(Files::new(path, header, true)),
        })
    }
}

/// Reports the crossings in a mesh, once per object.
fn look(part: &Part, frame: u32, sample: &Sample, reported: &mut BTreeSet<String>) {
    if reported.contains(&part.name) {
        return;
    }
    let x: Vec<Vec3> = sample.positions.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
    let surface = Surface::new(&[(0..x.len(), part.triangles.clone())]);
    let crossing = crossings(&x, &surface, |_, _| true);
    if let Some(crossing) = crossing.first() {
        let name = &part.name;
        log(Level::Warning, &format!("at frame {frame} {}", crossing.describe(|_| name)));
        reported.insert(name.clone());
    }
}
