//! `[[obstacle]]`: surfaces with prescribed motion, which cloths and bodies touch.

use super::keys::{Keys, Kind, exactly_one, one_of, section};
use super::kinds::{
    checker, choice, colour, direction, file, flag, integer, list, object_name, quantity, table, tables, text, vector,
};
use super::material::{DISTANCE, friction_or};
use super::motion::{motion, window};
use super::place::{Axis, Ball, Group, PLAIN, Transform, Turn, mesh, one_name_each, point};
use super::unit::Unit;
use crate::force::contact::Friction;
use crate::linalg::{Rotation, UnitVec3, Vec3};
use crate::mesh::within;
use crate::world::motion::Motion;
use crate::world::window::Window;
use std::path::PathBuf;

section! {
    /// A box.
    pub struct Block {
        /// Centre.
        pub center: Vec3 = point().or(Vec3::zeros()),
        /// Lengths of its edges.
        pub size: Vec3 = vector(Unit::Length, 1e5).required(),
        /// Turn about the centre.
        pub rotate: Option<Turn> = table::<Turn>().optional(),
    }
    check sizes_are_positive;
}

fn sizes_are_positive(block: Block, keys: &mut Keys) -> Option<Block> {
    if block.size.min() < 1e-6 {
        keys.fault("size", "each of the three lengths must be at least 1e-6 m");
        return None;
    }
    Some(block)
}

impl Block {
    /// Turns and shifts points of a box about the origin to the place of this box.
    pub fn turn(&self, positions: &mut [Vec3]) {
        let turn = self.rotate.as_ref().map_or(Rotation::identity(), |t| Rotation::from_axis_angle(&t.axis, t.angle));
        positions.iter_mut().for_each(|p| *p = turn * *p + self.center);
    }
}

section! {
    /// A square plane.
    pub struct Plane {
        /// Centre.
        pub point: Vec3 = point().or(Vec3::zeros()),
        /// Direction to the side on which cloth is; up if absent.
        pub normal: Option<UnitVec3> = direction().optional(),
        /// Length of its edges.
        pub size: f64 = quantity(Unit::Length, 1e-3..=1e5).or(10.0),
    }
}

section! {
    /// A capsule: all points near a line.
    pub struct Capsule {
        /// First end of the line.
        pub a: Vec3 = point().required(),
        /// Other end of the line.
        pub b: Vec3 = point().required(),
        /// Radius.
        pub radius: f64 = quantity(Unit::Length, 1e-6..=1e5).required(),
    }
    check ends_differ;
}

fn ends_differ(capsule: Capsule, keys: &mut Keys) -> Option<Capsule> {
    if (capsule.a - capsule.b).norm() < 1e-9 {
        keys.fault("b", "both ends are the same point; give two points, or a sphere");
        return None;
    }
    Some(capsule)
}

section! {
    /// Meshes of one topology, one after the other in time, linear between them.
    pub struct Sequence {
        /// Files, the number written as `####` or `%04d`.
        pattern as "files": String = text().required(),
        /// Number of the first file.
        first: u32 = integer(0..=9_999_999).required(),
        /// Number of the last file.
        last: u32 = integer(0..=9_999_999).required(),
        /// Files per second; `time.fps` if absent.
        pub fps: Option<f64> = quantity(Unit::Frequency, 1e-3..=1e6).optional(),
        /// Time of the first file.
        pub start: f64 = quantity(Unit::Time, -1e6..=1e6).or(0.0),
        /// Begin again after the last: the way from it to the first takes as long as from file to file.
        pub repeat as "loop": bool = flag().or(false),
    }
    check files_exist;
}

section! {
    /// A mesh whose vertices move, linear between its samples: a USD or Alembic file, or a mesh of any kind with the
    /// points of a PC2 or MDD file.
    pub struct Cache {
        /// Mesh file.
        pub mesh: PathBuf = mesh().required(),
        /// PC2 or MDD file of as many vertices; the motion in the USD or Alembic file if absent.
        pub points: Option<PathBuf> = file(&["pc2", "mdd"]).optional(),
        /// Frames of it per second, time codes of a USD file, samples of an Alembic file; those of the file if absent,
        /// where a PC2 file counts in frames of `time.fps`. The scene's `time.fps` is one of them a frame.
        pub fps: Option<f64> = quantity(Unit::Frequency, 1e-3..=1e6).optional(),
        /// Time of the first frame. If absent: 0; of a USD or Alembic file its own, where frame f of the shot is at f /
        /// `time.fps`.
        pub start: Option<f64> = quantity(Unit::Time, -1e6..=1e6).optional(),
        /// Begin again after the last: the way from it to the first takes as long as from frame to frame.
        pub repeat as "loop": bool = flag().or(false),
        /// In the preroll go straight from the shape at rest to that at the first frame: the mesh of a point cache, the
        /// points of a USD file that have no sample, a character as it was bound.
        pub from_rest: bool = flag().or(false),
    }
    check points_or_archive;
}

fn points_or_archive(cache: Cache, keys: &mut Keys) -> Option<Cache> {
    let ending = cache.mesh.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    if cache.points.is_none() && PLAIN.contains(&ending.as_str()) {
        keys.fault(
            "mesh",
            "an OBJ or PLY file does not move; give 'points', a PC2 or MDD file, or a USD or Alembic file",
        );
        return None;
    }
    if cache.from_rest && cache.repeat {
        keys.fault("from_rest", "conflicts with 'loop'; leave one out");
        return None;
    }
    if cache.from_rest && cache.points.is_none() && ending == "abc" {
        keys.fault("from_rest", "an Alembic file has no shape at rest; give a mesh with points, or a USD file");
        return None;
    }
    Some(cache)
}

/// Largest number of files of a sequence.
const FILES: u32 = 100_000;

fn files_exist(sequence: Sequence, keys: &mut Keys) -> Option<Sequence> {
    if !PLAIN.iter().any(|e| sequence.pattern.to_ascii_lowercase().ends_with(&format!(".{e}"))) {
        keys.fault("files", "expected files ending in .obj or .ply");
        return None;
    }
    if numbered(&sequence.pattern, 0).is_none() {
        keys.fault("files", "no number in the pattern; write it as #### or %04d, such as \"body.####.obj\"");
        return None;
    }
    if sequence.last < sequence.first {
        keys.fault("last", format!("last {} is before first {}", sequence.last, sequence.first));
        return None;
    }
    if sequence.last - sequence.first >= FILES {
        keys.fault("last", format!("more than {FILES} files; give fewer"));
        return None;
    }
    for file in (sequence.first..=sequence.last).filter_map(|n| numbered(&sequence.pattern, n)) {
        let full = keys.cx.folder.join(&file);
        if let Err(why) = within::check(&full) {
            keys.fault("files", format!("\"{}\" {why}", super::unit::short(&file)));
            return None;
        }
        keys.cx.files.push(full);
    }
    let mut missing = (sequence.first..=sequence.last)
        .filter_map(|n| numbered(&sequence.pattern, n))
        .filter(|file| file.contains('\0') || !keys.cx.recorded && !keys.cx.folder.join(file).is_file());
    if let Some(first) = missing.next() {
        let count = 1 + missing.count();
        let of = sequence.last - sequence.first + 1;
        let message =
            format!("{count} of {of} files missing, the first is \"{first}\" (paths are relative to the scene)");
        keys.fault("files", message);
        return None;
    }
    Some(sequence)
}

/// Returns a pattern with its number, or `None` if it has no place for a number.
fn numbered(pattern: &str, number: u32) -> Option<String> {
    if let Some(start) = pattern.find('#') {
        let count = pattern.get(start..)?.chars().take_while(|c| *c == '#').count();
        let rest = pattern.get(start + count..)?;
        return Some(format!("{}{number:0count$}{rest}", pattern.get(..start)?));
    }
    let (before, after) = pattern.split_once('%')?;
    let (width, rest) = after.split_once('d')?;
    let width: usize = if width.is_empty() { 0 } else { width.parse().ok().filter(|w| *w <= 9)? };
    Some(format!("{before}{number:0width$}{rest}"))
}

impl Sequence {
    /// Returns the files in order, relative to a folder (the scene's).
    pub fn files(&self, folder: &std::path::Path) -> Vec<PathBuf> {
        (self.first..=self.last).filter_map(|n| numbered(&self.pattern, n)).map(|f| folder.join(f)).collect()
    }
}

one_of! {
    /// Shape.
    pub enum Shape {
        /// Mesh file.
        Mesh(PathBuf) = "mesh": mesh(),
        /// Sphere.
        Sphere(Ball) = "sphere": table(),
        /// Box.
        Box(Block) = "box": table(),
        /// Square plane.
        Plane(Plane) = "plane": table(),
        /// Capsule.
        Capsule(Capsule) = "capsule": table(),
        /// Meshes, one after the other in time.
        Sequence(Sequence) = "sequence": table(),
        /// A mesh with a point cache.
        Cache(Cache) = "cache": table(),
    }
}

impl Shape {
    /// Returns whether the shape is read from files.
    pub fn of_files(&self) -> bool {
        matches!(self, Shape::Mesh(_)) || self.moves().is_some()
    }

    /// Returns the mesh file of the shape, if it has one.
    pub fn file(&self) -> Option<&PathBuf> {
        match self {
            Shape::Mesh(file) => Some(file),
            Shape::Cache(cache) => Some(&cache.mesh),
            _ => None,
        }
    }

    /// Returns the key of a shape that moves by itself.
    pub fn moves(&self) -> Option<&'static str> {
        match self {
            Shape::Sequence(_) => Some("sequence"),
            Shape::Cache(_) => Some("cache"),
            _ => None,
        }
    }
}

section! {
    /// Something that cloths and bodies touch and that moves as it is told.
    pub struct Obstacle {
        /// Name; no other object may have it.
        pub name: String = object_name().required(),
        /// Shape.
        pub shape: Shape = exactly_one(),
        /// Object (`o`) or group (`g`) of an OBJ file or sequence that holds several; of USD and Alembic the path of a
        /// prim, the name of one, or a pattern of these with `*`: all meshes at or below it. The whole if absent.
        pub object: Option<String> = text().optional(),
        /// Several prims of a USD or Alembic file, each as for `object`, as one obstacle in which each is a group.
        pub objects: Vec<String> = list(text(), 0..=10_000).or(Vec::new()),
        /// Axis of an OBJ or PLY file that points up; that of the scene if absent. USD and Alembic files say it.
        pub axis: Option<Axis> = choice().optional(),
        /// Longest edge of the triangles of a sphere, box, plane or capsule; a fraction of its size if absent.
        pub resolution: Option<f64> = quantity(Unit::Length, 1e-4..=1e5).optional(),
        /// How often each triangle of a mesh file is cut into four.
        pub subdivide: u8 = integer(0..=6).or(0),
        /// From the file's coordinates, or those of the shape, to the world.
        pub transform: Transform = table(),
        /// Named groups of vertices.
        pub groups as "group": Vec<Group> = tables(),
        /// Prescribed motion; still if absent.
        pub motion: Motion = motion(),
        /// When it appears; where something lies in it then, the run stops.
        pub from: f64 = quantity(Unit::Time, 0.0..=1e6).or(0.0),
        /// When it vanishes; never if absent.
        pub until: f64 = quantity(Unit::Time, 0.0..=1e6).or(f64::INFINITY),
        /// Friction.
        pub friction: Friction = friction_or(0.3),
        /// Thickness added around the surface.
        pub thickness: f64 = quantity(Unit::Length, 0.0..=1.0).or(0.0),
        /// Its own `contact.distance`; between two objects the mean of theirs counts.
        pub contact_distance: Option<f64> = quantity(Unit::Length, DISTANCE).optional(),
        /// Colour in pictures.
        pub colour: [f64; 3] = colour().or([0.62, 0.53, 0.44]),
        /// Squares in two shades of the colour; `true` for 5 cm.
        pub checker: Option<f64> = checker().or(None),
        /// Whether it is drawn in pictures.
        pub visible: bool = flag().or(true),
    }
    check course_and_window;
}

fn course_and_window(obstacle: Obstacle, keys: &mut Keys) -> Option<Obstacle> {
    one_name_each(&obstacle.groups, keys)?;
    window(obstacle.from, obstacle.until, keys)?;
    one_course(obstacle, keys)
}

impl Obstacle {
    /// Returns the time window of the obstacle.
    pub fn window(&self) -> Window {
        let Window { from: ever, .. } = Window::ALWAYS;
        Window { from: if self.from > 0.0 { self.from } else { ever }, until: self.until }
    }

    /// Returns whether the obstacle never moves.
    pub fn still(&self) -> bool {
        self.motion == Motion::Fixed && self.shape.moves().is_none()
    }
}

fn one_course(obstacle: Obstacle, keys: &mut Keys) -> Option<Obstacle> {
    let moves = ["keyframes", "rotation", "path"].into_iter().find(|k| keys.find(k).is_some());
    if let (Some(shape), Some(key)) = (obstacle.shape.moves(), moves) {
        keys.fault(key, format!("conflicts with '{shape}', which moves by itself; leave one out"));
        return None;
    }
    if obstacle.shape.of_files() && obstacle.resolution.is_some() {
        keys.fault(
            "resolution",
            "a mesh file has its own triangles; 'resolution' goes with sphere, box, plane, capsule",
        );
        return None;
    }
    let files = matches!(obstacle.shape, Shape::Mesh(_) | Shape::Sequence(_) | Shape::Cache(_));
    if !files && obstacle.object.is_some() {
        keys.fault("object", "goes with 'mesh', 'sequence' or 'cache'; leave it out");
        return None;
    }
    if let Some(key) = ["objects", "axis"].into_iter().find(|key| !files && keys.find(key).is_some()) {
        keys.fault(key, "goes with 'mesh', 'sequence' or 'cache'; leave it out");
        return None;
    }
    if obstacle.objects.iter().any(|name| name.trim().is_empty()) {
        keys.fault("objects", "a name is empty; name prims, or leave it out for all of them");
        return None;
    }
    if obstacle.object.is_some() && !obstacle.objects.is_empty() {
        keys.fault("objects", "conflicts with 'object'; leave one out");
        return None;
    }
    if !matches!(obstacle.shape, Shape::Mesh(_)) && obstacle.subdivide > 0 {
        keys.fault(
            "subdivide",
            "goes with 'mesh'; other shapes have 'resolution', and the meshes of a sequence or a cache stay as they are",
        );
        return None;
    }
    Some(obstacle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_holds_one_number() {
        assert_eq!(numbered("a.####.obj", 7).as_deref(), Some("a.0007.obj"));
        assert_eq!(numbered("a%04d.ply", 12).as_deref(), Some("a0012.ply"));
        assert_eq!(numbered("a%d.ply", 12).as_deref(), Some("a12.ply"));
        assert_eq!(numbered("a.obj", 7), None);
        assert_eq!(numbered("%99999999d", 7), None);
    }
}
