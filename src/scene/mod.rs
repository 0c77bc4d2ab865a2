//! The scene file: sections, defaults, materials, validation.
//!
//! Every key is declared once, in the file of its section ([`keys`]). The reader, the checks, the JSON Schema
//! ([`schema`]) and the documentation ([`keys_page`]) use that line. All faults of a scene are found at once
//! ([`Fault`]). Only the text and recorded paths are loaded; other files must exist.
//!
//! A quantity is a number in SI or text with a unit (`"0.2 ms"`); plain angles are radians. Paths are relative to the
//! scene.

pub mod around;
pub mod body;
pub mod border;
pub mod build;
mod changes;
pub mod cloth;
pub mod csv;
mod document;
mod drape;
mod fault;
pub mod fold;
mod folder_name;
pub mod friction;
pub mod given;
pub mod air;
pub mod airflow;
pub mod attach;
pub mod balloon;
pub mod glue;
pub mod ignore;
pub mod internal_friction;
pub(crate) mod json;
pub mod key;
mod keys;
mod kinds;
mod library;
pub mod material;
pub mod memory;
pub mod motion;
mod named;
pub mod obstacle;
pub mod onward;
mod overrides;
mod page;
pub mod pattern;
pub mod permeability;
pub mod pick;
pub mod place;
pub mod preview;
pub mod probe;
pub mod settings;
pub mod shrink;
pub mod solid;
mod rigidity;
pub mod spring;
pub mod seam;
pub mod sweep;
mod table;
pub mod tether;
pub mod time;
mod unit;
mod wav;
pub mod wet;

pub use air::AirLayer;
pub use airflow::Airflow;
pub use attach::Attach;
pub use balloon::Balloon;
pub use body::Body;
pub use changes::changes;
pub use cloth::Cloth;
pub use fault::{Fault, Place, meant_of_many};
pub use friction::Friction;
pub use given::Given;
pub use glue::Glue;
pub use ignore::Ignore;
pub use key::Key;
pub use library::{faults_of_materials, library, material_of, materials_page, materials_table};
pub use material::Material;
pub use obstacle::Obstacle;
pub use overrides::Override;
pub use page::keys_page;
pub use preview::Preview;
pub use probe::Probe;
pub use settings::{Contact, Output, Solver, Wind};
pub use solid::Solid;
pub use table::fault_of_curves;
pub use tether::Tether;
pub use time::{Time, Up};
pub use wet::{Wet, WetContact};

use crate::linalg::Vec3;
use crate::mesh::within;
use document::{Document, Origin};
use json::Json;
use keys::{Context, Field, Keys, Kind, Raw, described, section};
use kinds::{list, table, tables};
use material::Entry;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use time::Heading;

/// A scene, complete and checked; SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Name.
    pub name: String,
    /// Frame of another run with which the run begins.
    pub onward: Option<onward::Onward>,
    /// Axis that points up.
    pub up: Up,
    /// Acceleration of gravity [m/s^2].
    pub gravity: Vec3,
    /// Frames and steps.
    pub time: Time,
    /// Materials of the library, then those of the scene.
    pub materials: Vec<Material>,
    /// Cloths.
    pub cloths: Vec<Cloth>,
    /// Soft bodies. A scene has at least one cloth or body.
    pub bodies: Vec<Body>,
    /// Obstacles.
    pub obstacles: Vec<Obstacle>,
    /// Friction of pairs.
    pub frictions: Vec<Friction>,
    /// Cloths glued to bodies.
    pub glues: Vec<Glue>,
    /// Parts of objects that contact leaves out.
    pub ignores: Vec<Ignore>,
    /// Elastic cords from cloths to fixed points.
    pub tethers: Vec<Tether>,
    /// Vertices of cloths attached to surfaces.
    pub attaches: Vec<Attach>,
    /// Layers of air.
    pub airs: Vec<AirLayer>,
    /// Closed cloths with air inside.
    pub balloons: Vec<Balloon>,
    /// Wet cloths.
    pub wets: Vec<Wet>,
    /// Settings of liquid bridges.
    pub wet_contact: WetContact,
    /// Measurements.
    pub probes: Vec<Probe>,
    /// Quantities that change in time.
    pub keyed: Vec<Key>,
    /// Wind.
    pub wind: Wind,
    /// Air that flows in a box.
    pub airflow: Option<Airflow>,
    /// Contact.
    pub contact: Contact,
    /// Linear solver.
    pub solver: Solver,
    /// Files that the run leaves.
    pub output: Output,
    /// Pictures.
    pub preview: Preview,
    /// Folder to which the scene's paths are relative.
    pub folder: PathBuf,
    /// Text of the scene file, with overrides applied.
    pub text: String,
    /// Meshes in memory, of a scene without a file.
    pub given: Option<Given>,
    /// Files that the scene names.
    pub files: Vec<PathBuf>,
    /// Warnings: allowed but probably unintended settings.
    pub warnings: Vec<Fault>,
}

section! {
    /// A scene of percale. Quantities are numbers in SI or text with a unit, such as "0.2 ms"; plain angles are
    /// radians. Paths are relative to the scene file.
    struct File {
        /// The scene as a whole.
        scene: Heading = table(),
        /// Frames and steps.
        time: Time = table(),
        /// Materials of cloths beside those of the library.
        material: Vec<Entry> = tables(),
        /// Materials of bodies beside those of the library.
        solid: Vec<solid::Entry> = tables(),
        /// Simulated cloths.
        cloth: Vec<Cloth> = Cloths,
        /// Simulated soft bodies.
        body: Vec<Body> = tables(),
        /// Obstacles that cloths and bodies touch.
        obstacle: Vec<Obstacle> = tables(),
        /// Friction of pairs, in place of that of materials and obstacles; after the objects, whose names it knows.
        friction: Vec<Friction> = tables(),
        /// Cloths glued to bodies; after the objects, whose names it knows.
        glue: Vec<Glue> = tables(),
        /// Parts of objects between which contact is left out; after the objects, whose names it knows.
        ignore: Vec<Ignore> = tables(),
        /// Elastic cords from cloths to fixed points; after the objects, whose names it knows.
        tether: Vec<Tether> = tables(),
        /// Vertices of cloths attached to surfaces; after the objects, whose names it knows.
        attach: Vec<Attach> = tables(),
        /// Air between cloths and the surfaces below them; after the objects, whose names it knows.
        air_layer: Vec<AirLayer> = tables(),
        /// Closed cloths with air inside; after the objects, whose names it knows.
        balloon: Vec<Balloon> = tables(),
        /// Water in cloths; after the objects, whose names it knows.
        wet: Vec<Wet> = tables(),
        /// Liquid bridges.
        wet_contact: WetContact = table(),
        /// Measurements; after the objects, whose names it knows.
        probe: Vec<Probe> = tables(),
        /// Quantities that change in time.
        key: Vec<Key> = tables(),
        /// Wind.
        wind: Wind = table(),
        /// Air that flows in a box.
        airflow: Option<Airflow> = table().optional(),
        /// Contact.
        contact: Contact = table(),
        /// Linear solver.
        solver: Solver = table(),
        /// Files that the run leaves.
        output: Output = table(),
        /// Pictures.
        preview: Preview = table(),
    }
}

/// Builders of the laws that only some scenes have, from keys to elements.
const LAWS: &[build::plug::Law] = &[tether::law];

/// Builders of effects, from keys to a world.
const EFFECTS: &[build::plug::Effect] =
    &[air::effect, wet::effect, airflow::effect, pick::effect, seam::effect, attach::effect, key::effect];

/// Field of the cloths. A scene needs at least one cloth or body.
struct Cloths;

impl Field for Cloths {
    type Value = Vec<Cloth>;

    fn take(&self, keys: &mut Keys, name: &'static str, doc: &str) -> Option<Vec<Cloth>> {
        let kind = list(table::<Cloth>(), 1..=usize::MAX);
        keys.declare(name, false, || described(&kind, doc));
        let one = |name| Json::map([("required", Json::texts([name]))]);
        keys.rule(|| Json::map([("anyOf", Json::List(vec![one(name), one("body")]))]));
        keys.read(name, &kind).unwrap_or_else(|| {
            if keys.find("body").is_some() {
                return Some(Vec::new());
            }
            keys.missing(name, "missing; a scene has at least one [[cloth]] with name and mesh, or one [[body]]");
            None
        })
    }
}

/// Largest size of a scene file [bytes].
const LARGEST: u64 = 64 << 20;

/// Reads a scene file with overrides.
///
/// # Errors
/// Returns every fault of the file and the overrides, in the order in which they occur.
pub fn read(path: &Path, overrides: &[Override]) -> Result<Scene, Vec<Fault>> {
    let file = path.display().to_string();
    let refused = |message: String| {
        let place = Place::Argument(file.clone());
        vec![Fault { place, key: String::new(), message }]
    };
    within::check(path).map_err(refused)?;
    match std::fs::metadata(path) {
        Err(error) => return Err(refused(format!("cannot read the scene: {error}"))),
        Ok(data) if data.is_dir() => return Err(refused("is a folder; give a scene file (.toml)".to_string())),
        Ok(data) if data.len() > LARGEST => return Err(refused("larger than 64 MiB; this is no scene".to_string())),
        Ok(_) => (),
    }
    let bytes = std::fs::read(path).map_err(|error| refused(format!("cannot read the scene: {error}")))?;
    read_text(path, &bytes, overrides)
}

/// Reads a scene from the bytes of its file. `path` gives its name and the folder of relative paths.
///
/// # Errors
/// Returns the same faults as [`read`].
pub fn read_text(path: &Path, bytes: &[u8], overrides: &[Override]) -> Result<Scene, Vec<Fault>> {
    read_as(path, bytes, overrides, Kept::default())
}

/// Reads the scene of a run from its record, as [`read_text`] does. Files that it names may be absent, and recorded
/// paths are not read.
///
/// # Errors
/// Returns the same faults as [`read`].
pub fn read_recorded(path: &Path, bytes: &[u8], overrides: &[Override]) -> Result<Scene, Vec<Fault>> {
    read_as(path, bytes, overrides, Kept { recorded: true, given: None })
}

/// Reads a scene without a file. It names meshes of `given` as `"memory:NAME"`, and files relative to `folder`. A fault
/// has the path of its key as its place.
///
/// # Errors
/// Returns the same faults as [`read`].
pub fn read_given(text: &str, folder: &Path, given: Given, overrides: &[Override]) -> Result<Scene, Vec<Fault>> {
    if text.len() as u64 > LARGEST {
        let message = "larger than 64 MiB; this is no scene".to_string();
        return Err(vec![Fault { place: Place::Value, key: String::new(), message }]);
    }
    let kept = Kept { recorded: false, given: Some(given) };
    read_as(&folder.join("scene.toml"), text.as_bytes(), overrides, kept)
}

/// Origin of what a scene names.
#[derive(Default)]
struct Kept {
    /// Whether the scene has been run. Its files may be absent then.
    recorded: bool,
    /// Meshes in memory, of a scene without a file.
    given: Option<Given>,
}

impl Kept {
    /// Returns the name of the scene in messages; empty without a file.
    fn name(&self, path: &Path) -> String {
        if self.given.is_some() { String::new() } else { path.display().to_string() }
    }

    /// Begins to read a scene.
    fn context(&self, folder: &Path) -> Context {
        let (folder, shelves) = (folder.to_path_buf(), library().shelves());
        let given = self.given.clone().unwrap_or_default();
        Context { folder, shelves, recorded: self.recorded, given, ..Context::default() }
    }
}

/// Returns a warning if `[wet_contact]` is given but no cloth is wet.
fn idle(document: &Document, file: Option<&File>) -> Option<Raw> {
    let document::Entry { key, origin, .. } = document.root.entries.iter().find(|entry| entry.key == "wet_contact")?;
    let message = "does nothing without [[wet]]".to_string();
    file.is_some_and(|file| file.wet.is_empty()).then(|| Raw {
        origin: *origin,
        key: key.clone(),
        message,
        absent: false,
    })
}

/// A fault of a file that the scene names, as it may be told.
fn hushed(fault: Fault) -> Fault {
    Fault { message: within::hushed(&fault.message).into_owned(), ..fault }
}

#[expect(clippy::too_many_lines, reason = "a list of the sections of a scene")]
fn read_as(path: &Path, bytes: &[u8], overrides: &[Override], kept: Kept) -> Result<Scene, Vec<Fault>> {
    let mut document = Document::new(&kept.name(path), bytes);
    let (text, misplaced) = overrides::apply(&mut document, overrides);
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    let mut cx = kept.context(&folder);
    let file: Option<File> = Keys::section(&mut cx, "", Origin::Text(0), &document.root);
    let mut raw = std::mem::take(&mut cx.faults);
    raw.extend(misplaced.into_iter().map(|(index, message)| {
        let key = overrides.get(index).map(|o| o.path.clone()).unwrap_or_default();
        Raw { origin: Origin::Set(index), key, message, absent: false }
    }));
    let mut faults = gather(&document, raw, overrides);
    faults.extend(cx.foreign.drain(..).map(hushed));
    faults.extend(library::faults().iter().cloned());
    cx.warnings.extend(idle(&document, file.as_ref()));
    let Some(file) = file.filter(|_| faults.is_empty()) else {
        if faults.is_empty() {
            faults.push(document.fault(0, "", "the scene cannot be read"));
        }
        return Err(faults);
    };
    let File {
        scene,
        time,
        material: _,
        solid: _,
        cloth,
        body,
        obstacle,
        friction,
        glue,
        ignore,
        tether,
        attach,
        air_layer,
        balloon,
        wet,
        wet_contact,
        probe,
        key,
        wind,
        airflow,
        contact,
        solver,
        output,
        preview,
    } = file;
    Ok(Scene {
        name: scene.name.unwrap_or_else(|| stem(path)),
        onward: scene.onward,
        up: scene.up,
        gravity: scene.gravity.unwrap_or_else(|| down(scene.up)),
        time,
        materials: std::mem::take(&mut cx.shelves.of().all),
        cloths: cloth,
        bodies: body,
        obstacles: obstacle,
        frictions: friction,
        glues: glue,
        ignores: ignore,
        tethers: tether,
        attaches: attach,
        airs: air_layer,
        balloons: balloon,
        wets: wet,
        wet_contact,
        probes: probe,
        keyed: key,
        wind,
        airflow,
        contact,
        solver,
        output,
        preview,
        folder,
        text,
        given: kept.given,
        files: cx.files,
        warnings: gather(&document, cx.warnings, overrides),
    })
}

/// Returns the default gravity [m/s^2].
fn down(up: Up) -> Vec3 {
    match up {
        Up::Y => Vec3::new(0.0, -9.81, 0.0),
        Up::Z => Vec3::new(0.0, 0.0, -9.81),
    }
}

/// Returns the name of a scene that gives none: the stem of its file. `_` replaces characters that a folder name cannot
/// hold.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let name = folder_name::made_of(&stem);
    if name.is_empty() { "scene".to_string() } else { name }
}

/// Largest number of faults in a report. Further faults are only counted.
const MOST_LISTED: usize = 500;

/// Returns faults with their places, in order, including syntax errors. If the syntax is faulty, faults that may follow
/// from that are dropped.
fn gather(document: &Document, mut raw: Vec<Raw>, overrides: &[Override]) -> Vec<Fault> {
    let broken: BTreeSet<usize> = document.syntax.iter().map(|(at, _)| document.line(*at)).collect();
    raw.retain(|fault| match fault.origin {
        Origin::Text(at) => {
            let follows = broken.contains(&document.line(at)) || at >= document.doubt;
            broken.is_empty() || !(follows || fault.absent && document.doubt != usize::MAX)
        }
        Origin::Set(_) => true,
    });
    raw.extend(document.syntax.iter().map(|(at, message)| Raw {
        origin: Origin::Text(*at),
        key: String::new(),
        message: message.clone(),
        absent: false,
    }));
    raw.sort_by(|a, b| (a.origin, &a.key).cmp(&(b.origin, &b.key)));
    let place = |origin: Origin, key: &str| match origin {
        Origin::Text(at) => document.place(at, key),
        Origin::Set(index) => {
            let path = overrides.get(index).map(|o| o.path.as_str()).unwrap_or_default();
            Place::Argument(format!("--set {path}"))
        }
    };
    let more = raw.len().saturating_sub(MOST_LISTED);
    let reported = raw.into_iter().take(MOST_LISTED);
    let mut faults: Vec<Fault> =
        reported.map(|f| Fault { place: place(f.origin, &f.key), key: f.key, message: f.message }).collect();
    faults.dedup();
    if more > 0 {
        faults.push(document.fault(document.text().len(), "", &format!("and {more} more faults")));
    }
    faults
}

/// JSON Schema (2020-12) of scene files, for editors.
pub fn schema() -> String {
    let Json::Map(mut entries) = Keys::describe::<File>() else { return String::new() };
    entries.insert(0, ("$schema".to_string(), Json::text("https://json-schema.org/draft/2020-12/schema")));
    if let Some((_, title)) = entries.iter_mut().find(|(key, _)| key == "title") {
        *title = Json::text("percale scene");
    }
    format!("{}\n", Json::Map(entries))
}
