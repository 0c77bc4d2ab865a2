//! Reading, placement and checks of mesh files.

use super::faults::Faults;
use crate::linalg::Vec3;
use crate::mesh::archive::{self, Archive, Choice, Pose, Upward};
use crate::mesh::check::{self, Fault, FaultKind, Severity};
use crate::mesh::point_cache::{self, Clock, PointCache};
use crate::mesh::{self, MeshError, TetMesh, TriMesh, obj, refine, seam, within};
use crate::scene::fault::meant;
use crate::scene::given::Shape;
use crate::scene::place::{Axis, MESH, Transform};
use crate::scene::unit::{rounded, short};
use crate::scene::{Scene, Up};
use std::path::Path;

/// Selection of the contents of a mesh file.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// Name of a single object, and the path of its key. All objects are read without it.
    pub object: Option<(&'a str, &'a str)>,
    /// Paths and patterns of several objects, and the path of their key. None are given beside a single object.
    pub objects: (&'a [String], &'a str),
    /// UV set that becomes the chart, and the path of its key.
    pub chart: Option<(&'a str, &'a str)>,
    /// Axis of the file that points up, and the path of its key. That of the scene if absent.
    pub axis: Option<(Upward, &'a str)>,
    /// Up axis of the scene.
    pub up: Upward,
    /// Pose that is read from an animated file.
    pub pose: Pose,
    /// Times of the first and last frame of the scene, by their numbers [s].
    pub frames: [f64; 2],
}

impl<'a> Wanted<'a> {
    /// Returns the selection for a scene. `object` is the name of an object and the path of its key.
    pub(super) fn of(scene: &Scene, object: Option<(&'a str, &'a str)>) -> Wanted<'a> {
        let up = match scene.up {
            Up::Y => Upward::Y,
            Up::Z => Upward::Z,
        };
        let time = &scene.time;
        let frames = [time.start_frame, time.last_frame()].map(|frame| f64::from(frame) / time.fps);
        let pose = Pose::At(frames[0] - time.shot().lead);
        Wanted { object, objects: (&[], ""), chart: None, axis: None, up, pose, frames }
    }

    /// Turns positions of a file upright if `axis` says how it stands.
    pub(super) fn turn(&self, positions: &mut [Vec3]) {
        if let Some((axis, _)) = self.axis {
            positions.iter_mut().for_each(|p| *p = archive::upright(*p, axis, self.up));
        }
    }

    /// Reports keys that do not go with a file. Returns whether there are none.
    pub(super) fn goes_with(&self, file: &Path, faults: &mut Faults) -> bool {
        let archive = archive::reads(file);
        let mut wrong = Vec::new();
        if let Some((_, key)) = self.axis.filter(|_| archive) {
            wrong.push((key, "USD and Alembic files say which axis points up; leave it out"));
        }
        if let Some((_, key)) = self.chart.filter(|_| !archive) {
            wrong.push((key, "only USD files have several charts; leave it out"));
        }
        if !self.objects.0.is_empty() && !archive {
            wrong.push((
                self.objects.1,
                "only of USD and Alembic files several are taken; give 'object', or leave it out",
            ));
        }
        wrong.iter().for_each(|(key, why)| faults.fault(key, *why));
        wrong.is_empty()
    }
}

/// Returns the axis of a file.
pub(super) fn upward(axis: Axis) -> Upward {
    match axis {
        Axis::Y => Upward::Y,
        Axis::Z => Upward::Z,
    }
}

/// Reads a mesh file, or one object of it, in file coordinates.
pub(super) fn read(file: &Path, wanted: Wanted, faults: &mut Faults) -> Option<TriMesh> {
    let mut mesh = as_written(file, wanted, faults)?;
    wanted.turn(&mut mesh.positions);
    Some(mesh)
}

/// Reads a mesh file, or one object of it, with the axes of the file.
fn as_written(file: &Path, wanted: Wanted, faults: &mut Faults) -> Option<TriMesh> {
    if !wanted.goes_with(file, faults) {
        return None;
    }
    if archive::reads(file) {
        let mut open = archived(file, wanted, faults)?;
        if open.carried && wanted.pose == Pose::Rest {
            let first = open.times.first().map_or(0.0, |time| time * open.rate.unwrap_or(1.0));
            let message = format!("its transforms move; at rest they are as at time code {}", rounded(first));
            faults.warn_in_file(file, message);
        }
        if open.times.len() > 1 || wanted.pose == Pose::Rest {
            // A file without samples in the frames of the scene begins with its first sample, as its motion does.
            let [first, last] = wanted.frames;
            let meets =
                open.times.first().is_some_and(|t| *t <= last) && open.times.last().is_some_and(|t| *t >= first);
            let pose = if meets || wanted.pose == Pose::Rest { wanted.pose } else { Pose::At(f64::NEG_INFINITY) };
            match open.pose(pose) {
                Ok(positions) => open.mesh.positions = positions,
                Err(error) => return sound(Err(error), file, faults),
            }
        }
        return Some(open.mesh);
    }
    if let Some(Shape::Surface(mesh)) = faults.given.as_ref().and_then(|given| given.shape(file)) {
        let mesh = TriMesh::clone(mesh);
        if let Some((_, key)) = wanted.object {
            faults.fault(key, "a mesh in memory has no objects; leave it out");
            return None;
        }
        return Some(mesh);
    }
    let bytes = bytes(file, faults)?;
    let Some((name, key)) = wanted.object else { return sound(mesh::read(&extension(file), &bytes), file, faults) };
    if !extension(file).eq_ignore_ascii_case("obj") {
        faults
            .fault(key, "only OBJ, USD and Alembic files have objects; leave it out, or save the mesh as one of these");
        return None;
    }
    let parts = sound(obj::parts(&bytes), file, faults)?;
    if !parts.iter().any(|part| part.name == name) {
        let names = || parts.iter().map(|part| part.name.as_str());
        let mut listed: Vec<String> = names().take(LISTED).map(|n| format!("'{}'", short(n))).collect();
        if parts.len() > LISTED {
            listed.push("...".to_string());
        }
        let has = if listed.is_empty() { "it has none".to_string() } else { format!("it has {}", listed.join(", ")) };
        let hint = meant(name, names());
        faults.fault(key, format!("no object '{}' with faces in \"{}\", {has}{hint}", short(name), file.display()));
        return None;
    }
    sound(obj::read_object(&bytes, name), file, faults)
}

/// Reads a point cache. A mesh in memory counts its samples as frames, from 0.
pub(super) fn points(file: &Path, faults: &mut Faults) -> Option<PointCache> {
    if let Some(Shape::Points(frames)) = faults.given.as_ref().and_then(|given| given.shape(file)) {
        let message = match frames.iter().position(|frame| frame.len() != frames[0].len()) {
            _ if frames.iter().all(Vec::is_empty) => Err("has no frame or no vertex".to_string()),
            Some(k) => Err(format!("has {} vertices at frame {k}, {} at the first", frames[k].len(), frames[0].len())),
            None => {
                let odd = frames.iter().position(|frame| frame.iter().flatten().any(|c| !c.is_finite()));
                odd.map_or(Ok(()), |k| Err(format!("has a coordinate that is no finite number, in frame {k}")))
            }
        };
        if let Err(message) = message {
            faults.in_file(file, None, None, message);
            return None;
        }
        return Some(PointCache { frames: frames.clone(), clock: Clock::Frames { first: 0.0, rate: 1.0 } });
    }
    let bytes = bytes(file, faults)?;
    match point_cache::read(&bytes) {
        Ok(read) => Some(read),
        Err(message) => {
            faults.in_file(file, None, None, message);
            None
        }
    }
}

/// Opens a USD or Alembic file.
pub(super) fn archived(file: &Path, wanted: Wanted, faults: &mut Faults) -> Option<Archive> {
    let mut objects: Vec<String> = wanted.objects.0.to_vec();
    objects.extend(wanted.object.map(|(name, _)| name.to_string()));
    let choice = Choice { objects, chart: wanted.chart.map(|(name, _)| name.to_string()), up: wanted.up };
    sound(Archive::choose(file, &choice), file, faults)
}

/// Largest number of names in a message.
const LISTED: usize = 12;

/// Reads the bytes of a file.
pub(super) fn bytes(file: &Path, faults: &mut Faults) -> Option<Vec<u8>> {
    if let Err(why) = within::check(file) {
        faults.in_file(file, None, None, why);
        return None;
    }
    match std::fs::read(file) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            faults.in_file(file, None, None, format!("cannot read it: {error}"));
            None
        }
    }
}

/// Returns the result of reading a file, or reports its error.
pub(super) fn sound<T>(read: Result<T, MeshError>, file: &Path, faults: &mut Faults) -> Option<T> {
    match read {
        Ok(mesh) => Some(mesh),
        Err(error) => {
            faults.in_file(file, error.line, error.column, error.what);
            None
        }
    }
}

/// Reads and checks the mesh of a cloth, and places it in the world. Borders at most `weld` [m] apart are joined, and
/// faces are oriented like their neighbours. `key` is the path of the object in the scene.
pub(super) fn placed(
    file: &Path,
    object: Wanted,
    transform: &Transform,
    (weld, sewn): (f64, bool),
    key: &str,
    faults: &mut Faults,
) -> Option<TriMesh> {
    let mut mesh = noted(file, object, transform, faults)?;
    if weld > 0.0 {
        let mut whole = mesh.clone();
        let key = format!("{key}.weld");
        if seam::weld(&mut whole, weld) == 0 {
            let message = "no two vertices of borders are that near to each other; nothing is joined";
            faults.warn(&key, message);
        }
        let is_error = |fault: &Fault| fault.severity == Severity::Error;
        let found = check::surface(&mut whole.clone());
        if let Some(fault) = found.into_iter().find(is_error)
            && !check::surface(&mut mesh.clone()).iter().any(is_error)
        {
            faults.fault(&key, format!("no sound mesh comes of this: {}; join less", fault.message));
            return None;
        }
        mesh = whole;
    }
    let mut found = check::surface(&mut mesh);
    found.retain(|fault| !sewn || fault.kind != FaultKind::CoincidentVertices);
    tell(found, &mesh.positions, transform.scale, file, faults).then_some(mesh)
}

/// Reads and checks a surface that is filled, and places it in the world. Coincident seams are joined, since the
/// surface would not be closed otherwise.
pub(super) fn closed(file: &Path, object: Wanted, transform: &Transform, faults: &mut Faults) -> Option<TriMesh> {
    let mut mesh = noted(file, object, transform, faults)?;
    let count = seam::weld_same(&mut mesh);
    if count > 0 {
        let message = format!("{count} vertices of borders lie on another one; they are joined, so that it is closed");
        faults.warn_in_file(file, message);
    }
    let found = check::surface(&mut mesh);
    tell(found, &mesh.positions, transform.scale, file, faults).then_some(mesh)
}

/// Reads and places the mesh of an obstacle. Obstacles are checked less strictly than cloths.
pub(super) fn loose(file: &Path, object: Wanted, transform: &Transform, faults: &mut Faults) -> Option<TriMesh> {
    let mut mesh = noted(file, object, transform, faults)?;
    let flat = check::flat(&mesh);
    drop_flat(&mut mesh, &flat, transform.scale, file, faults).then_some(mesh)
}

/// Removes `flat` triangles from the mesh of an obstacle and reports its faults. Returns whether the mesh has no
/// errors.
pub(super) fn drop_flat(mesh: &mut TriMesh, flat: &[bool], scale: f64, file: &Path, faults: &mut Faults) -> bool {
    let found = check::obstacle(mesh, flat);
    tell(found, &mesh.positions, scale, file, faults)
}

/// Reads a mesh file, reports its notes, and places it in the world.
pub(super) fn noted(file: &Path, object: Wanted, transform: &Transform, faults: &mut Faults) -> Option<TriMesh> {
    let mut mesh = read(file, object, faults)?;
    mesh.notes.iter().for_each(|note| faults.note(file, note));
    apply(transform, &mut mesh.positions);
    Some(mesh)
}

/// Scale factors from the units of other programs, the likeliest first.
const UNITS: [f64; 8] = [0.01, 0.001, 100.0, 1000.0, 0.1, 10.0, 0.0254, 1e-6];
/// Sizes that are probably intended [m].
const LIKELY: std::ops::RangeInclusive<f64> = 0.1..=10.0;

/// Computes the diagonal of the bounding box of finite points [m].
fn diagonal(x: &[Vec3]) -> f64 {
    let start = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    let finite = x.iter().filter(|p| p.iter().all(|c| c.is_finite()));
    let (low, high) = finite.fold(start, |(low, high), p| (low.inf(p), high.sup(p)));
    (high - low).norm()
}

/// Describes a scale that gives an object of `size` [m] a common size. `scale` is its present scale.
pub(super) fn rescaled(size: f64, scale: f64) -> String {
    let ten = 10f64.powf(-size.log10().floor());
    let factor = UNITS.into_iter().find(|factor| LIKELY.contains(&(factor * size))).unwrap_or(ten);
    let (now, then, made) = (rounded(scale), rounded(scale * factor), rounded(factor * size));
    format!("its scale is {now}: transform = {{ scale = {then} }} makes it {made} m")
}

/// Size above which cloths and bodies were probably modelled in other units [m].
const LARGE: f64 = 30.0;
/// Size above which the mesh check reports any mesh [m].
const ABSURD: f64 = 1e3;

/// Warns about a cloth or a body that was probably modelled in other units. `key` is its path in the scene.
pub(super) fn measure(x: &[Vec3], scale: f64, key: &str, faults: &mut Faults) {
    let size = diagonal(x);
    if (LARGE..=ABSURD).contains(&size) {
        let message = format!(
            "it measures {} m from corner to corner; lengths are metres; {}",
            rounded(size),
            rescaled(size, scale)
        );
        faults.warn(&format!("{key}.mesh"), message);
    }
}

/// Returns whether a file has triangles, by its extension.
pub(super) fn is_surface(file: &Path) -> bool {
    MESH.contains(&extension(file).to_ascii_lowercase().as_str())
}

/// Returns the extension of a file.
pub(super) fn extension(file: &Path) -> String {
    file.extension().map(|e| e.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Reads and checks a file of tetrahedra, and places it in the world.
pub(super) fn solid(file: &Path, wanted: Wanted, transform: &Transform, faults: &mut Faults) -> Option<TetMesh> {
    if let Some(Shape::Solid(mesh)) = faults.given.as_ref().and_then(|given| given.shape(file)) {
        let mut mesh = mesh.clone();
        mesh.orient();
        return placed_solid(mesh, (file, wanted), transform, faults);
    }
    let bytes = bytes(file, faults)?;
    let beside = |kind: &str| {
        let other = file.with_extension(kind);
        within::check(&other).map_err(|why| MeshError::new(format!("{} {why}", other.display())))?;
        std::fs::read(&other).map_err(|error| MeshError::new(format!("cannot read {}: {error}", other.display())))
    };
    let mesh = sound(mesh::read_tets(&extension(file), &bytes, beside), file, faults)?;
    placed_solid(mesh, (file, wanted), transform, faults)
}

/// Checks tetrahedra and places them in the world.
fn placed_solid(
    mut mesh: TetMesh,
    (file, wanted): (&Path, Wanted),
    transform: &Transform,
    faults: &mut Faults,
) -> Option<TetMesh> {
    mesh.notes.iter().for_each(|note| faults.note(file, note));
    wanted.turn(&mut mesh.positions);
    apply(transform, &mut mesh.positions);
    tell(check::tet::check(&mesh), &mesh.positions, transform.scale, file, faults).then_some(mesh)
}

/// Reports the faults of a mesh at `x`, which has been scaled. Returns whether there are no errors.
pub(super) fn tell(found: Vec<Fault>, x: &[Vec3], scale: f64, file: &Path, faults: &mut Faults) -> bool {
    let mut sound = true;
    for mut fault in found {
        if fault.kind == FaultKind::AbsurdScale {
            let size = diagonal(x);
            let measures = format!("the bounding box measures {} m from corner to corner", rounded(size));
            fault.message = format!("{measures}; lengths are metres; {}", rescaled(size, scale));
        }
        match fault.severity {
            Severity::Error => {
                faults.in_file(file, None, None, fault.message);
                sound = false;
            }
            Severity::Warning => faults.warn_in_file(file, fault.message),
        }
    }
    sound
}

/// Largest number of triangles after subdivision.
const MOST: f64 = 8e6;

/// Subdivides each triangle into four, as often as `levels` says. `key` is the path of the key that asks for it.
pub(super) fn subdivided(mesh: TriMesh, levels: &[u8], key: &str, faults: &mut Faults) -> Option<TriMesh> {
    let count: f64 = levels.iter().map(|level| 4f64.powi(i32::from(*level))).sum();
    if count > MOST {
        faults.fault(
            key,
            format!("cut so often it would have {count:.1e} triangles; at most {MOST:.0e}, cut less often"),
        );
        return None;
    }
    Some(if levels.iter().all(|level| *level == 0) { mesh } else { refine::refine(&mesh, levels) })
}

/// Transforms positions from file coordinates to the world.
pub(super) fn apply(transform: &Transform, positions: &mut [Vec3]) {
    let rotation = transform.rotation();
    for p in positions {
        *p = rotation * (*p * transform.scale) + transform.translate;
    }
}
