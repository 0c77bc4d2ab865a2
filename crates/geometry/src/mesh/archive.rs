//! Readers of USD and Alembic files, which hold many animated meshes. They become one mesh with vertices in prim order.
//!
//! Meshes at or below the wanted path are converted to metres and to the wanted up axis, with all transforms above
//! them. Hidden meshes, guides and proxies are left out. Subdivision cages are used without subdivision.

use self::choice::chosen;
use self::shown::Shown;
use super::{LEFT_OUT, Materials, MeshError, Source, TriMesh, polygon};
use crate::linalg::{Vec2, Vec3};
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

mod alembic;
mod assets;
mod bounds;
mod choice;
mod dual;
mod found;
mod instancer;
mod lapsed;
mod mover;
mod objects;
mod ogawa;
pub mod reader;
mod resolved;
mod samples;
mod shown;
mod skin;
mod text;
mod usd;
mod values;
mod xform;

/// File name extensions of USD and Alembic.
pub const ENDS: [&str; 5] = ["usd", "usda", "usdc", "usdz", "abc"];

/// Up axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Upward {
    /// +y.
    Y,
    /// +z.
    Z,
}

/// Choice of the contents of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// Paths such as `/World/Hero`, names of single prims, or patterns of these with `*` for any part of a name. All
    /// meshes at or below any of them are read, or all of the file if there is none.
    pub objects: Vec<String>,
    /// UV set that becomes the chart, by the name of its primvar. If absent: `st`, `UVMap`, or the first by name.
    pub chart: Option<String>,
    /// Up axis of the positions.
    pub up: Upward,
}

/// Meshes of a file, joined into one animated mesh.
pub struct Archive {
    /// Mesh at the first of [`times`](Archive::times), in world space [m].
    pub mesh: TriMesh,
    /// Times of the file's samples, ascending [s]; empty for a static file. A USD time code `code` is at `code / rate`.
    pub times: Vec<f64>,
    /// USD time codes per second, or Alembic samples per second if they are evenly spaced.
    pub rate: Option<f64>,
    /// Set if vertices leave the straight line between samples, by an animated transform or by bones.
    pub turns: bool,
    /// Set if transforms above meshes or instancers are animated. The rest pose has them as at the first of the times.
    pub carried: bool,
    /// Visibility window: first and last time at which any mesh is visible [s]. Infinite where it is not bounded.
    pub shown: [f64; 2],
    poses: Box<dyn Poses>,
}

/// Pose of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pose {
    /// Pose at a time of the file [s]. The first and last samples hold beyond the ends.
    At(f64),
    /// Rest pose: points without samples, bones in bind pose, and transforms at the first sample.
    Rest,
}

impl Archive {
    /// Opens a file and reads the meshes at or below `wanted`: a path such as `/World/Hero`, or the name of one prim.
    /// Reads all meshes if it is absent.
    ///
    /// # Errors
    /// Fails if the file is missing or incomplete, has no such path, or has only hidden meshes there. Also fails for a
    /// changing topology, a number that is not finite, or an unsupported kind of skinning. The message is worded to
    /// follow the file name.
    pub fn open(file: &Path, wanted: Option<&str>, up: Upward) -> Result<Archive, MeshError> {
        Archive::choose(file, &Choice { objects: wanted.into_iter().map(str::to_string).collect(), chart: None, up })
    }

    /// Opens a file and reads what is chosen of it.
    ///
    /// # Errors
    /// Fails as [`open`](Archive::open) does, and if a chosen mesh has no UV set of the wanted name.
    pub fn choose(file: &Path, choice: &Choice) -> Result<Archive, MeshError> {
        reader::open(file, choice).unwrap_or_else(|| open_here(file, choice))
    }

    /// Returns whether the file is animated or not always visible.
    pub fn changes(&self) -> bool {
        self.times.len() > 1 || self.shown != [f64::NEG_INFINITY, f64::INFINITY]
    }

    /// Computes the positions of all vertices in a pose.
    ///
    /// # Errors
    /// Fails as [`open`](Archive::open) does, and for the rest pose of an Alembic file.
    pub fn pose(&mut self, pose: Pose) -> Result<Vec<Vec3>, MeshError> {
        let mut positions = Vec::with_capacity(self.mesh.positions.len());
        let first = self.times.first().copied().unwrap_or_default();
        guarded(|| match pose {
            Pose::At(time) => self.poses.at(time, &mut positions),
            Pose::Rest => self.poses.rest(first, &mut positions),
        })?;
        Ok(positions)
    }
}

/// Computes the common visibility window of meshes that are joined. A note names the meshes whose own visibility
/// differs.
fn shown_as_one(all: &[(String, Shown)], mesh: &mut TriMesh) -> [f64; 2] {
    let (window, otherwise) = shown::together(all.iter().map(|(path, shown)| (path, shown)));
    if !otherwise.is_empty() {
        let message = format!(
            "they appear or vanish on their way, and are taken as there whenever any of these is; an obstacle of its own for each is there \
             as it is: {}",
            some(&otherwise)
        );
        mesh.notes.push(MeshError::new(message));
    }
    window
}

/// Source of vertex positions over time.
trait Poses {
    /// Appends the positions of all vertices at a time of the file [s].
    fn at(&mut self, time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError>;

    /// Appends the positions of all vertices in the rest pose, with the transforms above them at a time [s].
    fn rest(&mut self, time: f64, positions: &mut Vec<Vec3>) -> Result<(), MeshError>;
}

/// Mesh of a file, as listed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Prim path.
    pub path: String,
    /// Type name in the file format.
    pub kind: String,
    /// Numbers of vertices and faces.
    pub size: [usize; 2],
    /// Times of the first and the last sample [s]; none for a static mesh.
    pub moves: Option<[f64; 2]>,
    /// Remarks: hidden, skinned.
    pub words: Vec<String>,
}

/// Meshes of a file, and the USD time codes per second.
pub type Listed = (Vec<Entry>, Option<f64>);

/// Lists all meshes of a file in file order, whether or not [`Archive::open`] would read them. Also returns the USD
/// time codes per second.
///
/// # Errors
/// Fails if the file is missing or incomplete.
pub fn list(file: &Path) -> Result<Listed, MeshError> {
    reader::list(file).unwrap_or_else(|| list_here(file))
}

/// Opens a file in this process.
fn open_here(file: &Path, choice: &Choice) -> Result<Archive, MeshError> {
    guarded(|| {
        regular(file)?;
        if is_alembic(file) { alembic::open(file, choice) } else { usd::open(file, choice) }
    })
    .map_err(|error| of_version(file, error))
}

fn list_here(file: &Path) -> Result<Listed, MeshError> {
    guarded(|| {
        regular(file)?;
        if is_alembic(file) { alembic::list(file) } else { usd::list(file) }
    })
    .map_err(|error| of_version(file, error))
}

/// An old crate is not damaged, though its reader gives up.
fn of_version(file: &Path, error: MeshError) -> MeshError {
    assets::other(file).filter(|_| error.what == DAMAGED).map_or(error, MeshError::new)
}

fn regular(file: &Path) -> Result<(), MeshError> {
    assets::regular(file).map_err(|error| MeshError::new(format!("cannot read it: {error}")))
}

const DAMAGED: &str = "is damaged: its parts do not fit each other";

static ONCE: Once = Once::new();
thread_local! {
    /// Set while `guarded` reads on this thread. The panic hook then prints nothing.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a reader and converts its panic into an error. openusd panics on some damaged files.
fn guarded<T>(read: impl FnOnce() -> Result<T, MeshError>) -> Result<T, MeshError> {
    // The panic hook is shared by all threads. `QUIET` decides for each thread whether a panic is printed.
    ONCE.call_once(|| {
        let printed = panic::take_hook();
        panic::set_hook(Box::new(move |what| {
            if !QUIET.get() {
                printed(what);
            }
        }));
    });
    QUIET.set(true);
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    QUIET.set(false);
    read.unwrap_or_else(|_| Err(MeshError::new(DAMAGED)))
}

/// Returns whether a file name has a USD or Alembic extension.
pub fn reads(file: &Path) -> bool {
    file.extension().is_some_and(|e| ENDS.iter().any(|end| e.eq_ignore_ascii_case(end)))
}

/// Returns whether a file name has the Alembic extension.
pub fn is_alembic(file: &Path) -> bool {
    file.extension().is_some_and(|e| e.eq_ignore_ascii_case("abc"))
}

/// Mesh of a file without its vertex positions.
#[derive(Debug, Default)]
struct Part {
    path: String,
    vertices: usize,
    /// Vertex of each corner, face by face.
    corners: Vec<u32>,
    /// End of each face in `corners`.
    ends: Vec<usize>,
    /// Chart points, and the chart point of each corner. Both are empty without a chart.
    uv: Vec<Vec2>,
    uv_corners: Vec<u32>,
    /// Vertices of each named group.
    groups: BTreeMap<String, Vec<u32>>,
    /// Materials of its faces, a face in place of a triangle.
    materials: Materials,
    channels: BTreeMap<String, Vec<f64>>,
    notes: Vec<String>,
}

impl Part {
    /// Sets faces from their corner counts and vertices. `turned` reverses the winding.
    fn set_faces(&mut self, counts: &[i32], indices: &[i32], turned: bool) -> Result<(), MeshError> {
        let path = &self.path;
        let fault = |what: String| Err(MeshError::new(format!("<{path}>: {what}")));
        let all: i64 = counts.iter().map(|c| i64::from(*c)).sum();
        if counts.iter().any(|c| *c < 0) || all != indices.len() as i64 {
            return fault(format!("its faces count {all} corners, but {} are given", indices.len()));
        }
        if let Some(wrong) = indices.iter().find(|v| **v < 0 || **v as usize >= self.vertices) {
            return fault(format!("a face names vertex {wrong}, there are {} from 0", self.vertices));
        }
        self.corners = indices.iter().map(|v| *v as u32).collect();
        let mut end = 0;
        for count in counts {
            let start = end;
            end += *count as usize;
            if turned {
                self.corners[start..end].reverse();
            }
            self.ends.push(end);
        }
        Ok(())
    }

    /// Sets a chart from the chart point of each corner, in file order. `turned` reverses the winding.
    fn set_chart(&mut self, uv: Vec<Vec2>, mut corners: Vec<u32>, turned: bool) {
        let fits = corners.len() == self.corners.len() && corners.iter().all(|c| (*c as usize) < uv.len());
        if !fits || uv.iter().flatten().any(|c| !c.is_finite()) {
            self.notes.push(format!("{LEFT_OUT}: it does not fit the faces"));
            return;
        }
        let mut start = 0;
        for end in self.ends.iter().filter(|_| turned) {
            corners[start..*end].reverse();
            start = *end;
        }
        (self.uv, self.uv_corners) = (uv, corners);
    }

    /// Removes the faces for which `out` is true.
    fn leave_out(&mut self, out: impl Fn(usize) -> bool) {
        let (mut corners, mut chart, mut ends, mut start) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for (face, end) in self.ends.iter().enumerate() {
            if !out(face) {
                corners.extend_from_slice(&self.corners[start..*end]);
                chart.extend(self.uv_corners.get(start..*end).unwrap_or_default());
                ends.push(corners.len());
            }
            start = *end;
        }
        self.materials = self.materials.chosen((0..self.ends.len()).filter(|face| !out(*face)));
        (self.corners, self.uv_corners, self.ends) = (corners, chart, ends);
    }

    /// Gives faces a material. Faces that have one keep it.
    fn paint(&mut self, name: &str, faces: &[i32]) {
        let Some(number) = self.materials.number(name) else { return };
        self.materials.triangles.resize(self.ends.len(), 0);
        for face in faces {
            let place = usize::try_from(*face).ok().and_then(|face| self.materials.triangles.get_mut(face));
            if let Some(place) = place.filter(|place| **place == 0) {
                *place = number;
            }
        }
    }

    /// Gives all faces that have no material this one.
    fn paint_rest(&mut self, name: &str) {
        let all: Vec<i32> = (0..self.ends.len() as i32).collect();
        self.paint(name, &all);
    }

    /// Adds the vertices of faces to a group.
    fn group_faces(&mut self, name: &str, faces: &[i32]) {
        let range = |f: &i32| {
            let f = usize::try_from(*f).ok()?;
            let end = *self.ends.get(f)?;
            Some(f.checked_sub(1).map_or(0, |f| self.ends[f])..end)
        };
        let members: Vec<u32> = faces.iter().filter_map(range).flat_map(|r| self.corners[r].iter().copied()).collect();
        self.group(name, members);
    }

    /// Adds vertices to a group.
    fn group(&mut self, name: &str, vertices: impl IntoIterator<Item = u32>) {
        let group = self.groups.entry(name.to_string()).or_default();
        group.extend(vertices);
        group.sort_unstable();
        group.dedup();
    }

    /// Repeats the mesh for each of its instances, of which some are mirrored. The winding of the first is right.
    fn repeat(&mut self, mirrored: &[bool]) {
        let [vertices, corners] = [self.vertices, self.corners.len()];
        let (own, chart, ends) = (self.corners.clone(), self.uv_corners.clone(), self.ends.clone());
        let groups = self.groups.clone();
        for (k, other) in mirrored.iter().enumerate().skip(1) {
            let [first, from] = [k * vertices, k * corners];
            self.corners.extend(own.iter().map(|v| v + first as u32));
            self.uv_corners.extend(&chart);
            let mut start = 0;
            for end in &ends {
                if *other != mirrored[0] {
                    self.corners[from + start..from + end].reverse();
                    if !chart.is_empty() {
                        self.uv_corners[from + start..from + end].reverse();
                    }
                }
                start = *end;
                self.ends.push(from + end);
            }
            for (name, members) in &groups {
                self.groups.entry(name.clone()).or_default().extend(members.iter().map(|v| v + first as u32));
            }
        }
        for values in self.channels.values_mut() {
            *values = values.repeat(mirrored.len());
        }
        self.materials.triangles = self.materials.triangles.repeat(mirrored.len());
        self.vertices = vertices * mirrored.len();
    }

    fn name(&self) -> &str {
        name(&self.path)
    }
}

/// Returns the last element of a path.
fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Joins all parts into one mesh in their order, with vertices at `positions`. Each part becomes a group of its name.
fn join(parts: &[Part], positions: Vec<Vec3>) -> Result<TriMesh, MeshError> {
    let mut mesh = TriMesh { positions, ..TriMesh::default() };
    let charted = parts.iter().all(|part| !part.uv.is_empty());
    if !charted && parts.iter().any(|part| !part.uv.is_empty()) {
        mesh.notes.push(MeshError::new(format!("{LEFT_OUT}: not all of its meshes have one")));
    }
    let shared = |name: &String| parts.iter().all(|part| part.channels.contains_key(name));
    let (mut corners, mut chart, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let mut first = 0;
    for part in parts {
        let [of_corners, of_uv] = [corners.len(), mesh.uv.len()];
        corners.extend(part.corners.iter().map(|v| v + first));
        ends.extend(part.ends.iter().map(|end| end + of_corners));
        if charted {
            mesh.uv.extend(&part.uv);
            chart.extend(part.uv_corners.iter().map(|c| c + of_uv as u32));
        }
        let own = [(part.name().to_string(), (0..part.vertices as u32).collect())];
        for (name, members) in own.into_iter().chain(part.groups.clone()) {
            mesh.groups.entry(name).or_default().extend(members.iter().map(|v| v + first));
        }
        for (name, values) in part.channels.iter().filter(|(name, _)| shared(name)) {
            mesh.channels.entry(name.clone()).or_default().extend(values);
        }
        mesh.notes.extend(part.notes.iter().map(|note| MeshError::new(format!("<{}>: {note}", part.path))));
        first += part.vertices as u32;
    }
    for group in mesh.groups.values_mut() {
        group.sort_unstable();
        group.dedup();
    }
    let describe = |(face, what): (usize, String)| {
        let mut before = 0;
        let of = parts.iter().find(|part| {
            before += part.ends.len();
            face < before
        });
        let (path, face) = of.map_or(("", face), |part| (part.path.as_str(), face + part.ends.len() - before));
        MeshError::new(format!("<{path}>: face {face}: {what}"))
    };
    let cut = polygon::cut(&mesh.positions, &corners, &ends).map_err(describe)?;
    mesh.triangles = cut.triangles.iter().map(|t| t.map(|k| corners[k as usize])).collect();
    if charted {
        mesh.uv_triangles = cut.triangles.iter().map(|t| t.map(|k| chart[k as usize])).collect();
    }
    mesh.notes.extend(cut.notes.into_iter().map(describe));
    let of_faces: Vec<(&str, Option<&str>)> = parts
        .iter()
        .flat_map(|part| (0..part.ends.len()).map(|face| (part.path.as_str(), part.materials.of(face))))
        .collect();
    for t in 0..mesh.triangles.len() {
        let face = cut.faces.get(t).map_or(t, |face| *face as usize);
        let (path, material) = of_faces.get(face).copied().unzip();
        mesh.materials.add(material.flatten(), 1);
        mesh.origins.add(path, 1);
    }
    mesh.materials = mesh.materials.tidy();
    mesh.source = Source { faces: cut.faces, lines: Vec::new() };
    Ok(mesh)
}

/// Largest number of paths in a message.
const LISTED: usize = 12;

/// Formats paths as a quoted list.
fn some<T: AsRef<str>>(paths: impl IntoIterator<Item = T>) -> String {
    let mut all: Vec<String> = paths.into_iter().map(|path| format!("'{}'", path.as_ref())).collect();
    if all.len() > LISTED {
        all.truncate(LISTED);
        all.push("...".to_string());
    }
    all.join(", ")
}

/// Returns an error if a coordinate is not finite.
fn finite(path: &str, positions: &[Vec3], at: &str) -> Result<(), MeshError> {
    match positions.iter().position(|p| !p.iter().all(|c| c.is_finite())) {
        None => Ok(()),
        Some(v) => Err(MeshError::new(format!("<{path}>: vertex {v} has a coordinate that is no finite number{at}"))),
    }
}

/// Rotates a point from one up axis to another.
pub fn upright(p: Vec3, from: Upward, to: Upward) -> Vec3 {
    match (from, to) {
        (Upward::Y, Upward::Z) => Vec3::new(p.x, -p.z, p.y),
        (Upward::Z, Upward::Y) => Vec3::new(p.x, p.z, -p.y),
        _ => p,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_in_their_order() {
        let mut first = Part { path: "/a/one".into(), vertices: 4, ..Part::default() };
        first.set_faces(&[4], &[0, 1, 2, 3], true).unwrap();
        first.set_chart(vec![Vec2::zeros(); 4], vec![0, 1, 2, 3], true);
        first.channels.insert("hem".into(), vec![1.0; 4]);
        let mut second = Part { path: "/a/two".into(), vertices: 3, ..Part::default() };
        second.set_faces(&[3], &[0, 1, 2], false).unwrap();
        second.group_faces("cuff", &[0, 9, -1]);
        let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [5.0, 0.0], [6.0, 0.0], [5.0, 1.0]];
        let mesh = join(&[first, second], square.iter().map(|[x, y]| Vec3::new(*x, *y, 0.0)).collect()).unwrap();
        assert_eq!((mesh.triangles.len(), mesh.source.faces.clone()), (3, vec![0, 0, 1]));
        assert_eq!(mesh.groups["cuff"], [4, 5, 6]);
        assert_eq!(mesh.groups["one"], [0, 1, 2, 3]);
        assert_eq!([0, 1, 2].map(|t| mesh.origins.of(t)), ["/a/one", "/a/one", "/a/two"].map(Some));
        assert!(mesh.channels.is_empty() && mesh.uv.is_empty() && mesh.notes.len() == 1);
        let [a, b, c] = mesh.triangles[0].map(|v| mesh.positions[v as usize]);
        assert!((b - a).cross(&(c - a)).z < 0.0, "turned");
        let mut two = Part { path: "/t".into(), vertices: 3, ..Part::default() };
        two.set_faces(&[3], &[0, 1, 2], false).unwrap();
        two.group("hem", [1]);
        two.repeat(&[false, true]);
        assert_eq!((two.vertices, &two.corners[..], &two.ends[..]), (6, &[0, 1, 2, 5, 4, 3][..], &[3, 6][..]));
        assert_eq!(two.groups["hem"], [1, 4]);
        let mut wrong = Part { path: "/w".into(), vertices: 3, ..Part::default() };
        assert!(wrong.set_faces(&[3], &[0, 1, 3], false).unwrap_err().what.contains("vertex 3, there are 3 from 0"));
        assert!(wrong.set_faces(&[4], &[0, 1, 2], false).unwrap_err().what.contains("count 4 corners, but 3"));
    }
}
