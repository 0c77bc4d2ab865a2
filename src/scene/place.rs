//! Transforms, and selectors of vertices: groups, boxes, balls.

use super::document::{Node, Value};
use super::json::Json;
use super::keys::{Context, Keys, Kind, choices, one_of, section};
use super::kinds::{direction, file, integer, list, name, quantity, real, table, text, vector, yes};
use super::unit::Unit;
use crate::linalg::{Rotation, UnitVec3, Vec3};

/// Extensions of files with one mesh.
pub const PLAIN: &[&str] = &["obj", "ply"];
/// Extensions of mesh files.
pub const MESH: &[&str] = &["obj", "ply", "usd", "usda", "usdc", "usdz", "abc"];

/// Returns the kind of a mesh file.
pub fn mesh() -> super::kinds::File {
    file(MESH)
}

/// Returns the kind of a point in space [m].
pub fn point() -> super::kinds::Vector {
    vector(Unit::Length, 1e6)
}

choices! {
    /// Axis of a file that points up.
    pub enum Axis {
        /// +y.
        Y = "y",
        /// +z.
        Z = "z",
    }
}

section! {
    /// A turn about an axis.
    pub struct Turn {
        /// Axis.
        pub axis: UnitVec3 = direction().required(),
        /// Angle, counter-clockwise seen against the axis.
        pub angle: f64 = quantity(Unit::Angle, -1e4..=1e4).required(),
    }
    check degrees_suspected;
}

/// Warns of a plain number beyond a full turn, which was probably meant in degrees.
fn degrees_suspected(turn: Turn, keys: &mut Keys) -> Option<Turn> {
    if turn.angle.abs() > 6.3
        && let Some(Node { origin, value: Value::Integer(_) | Value::Float(_) }) = keys.find("angle")
    {
        let (key, angle) = (keys.path_of("angle"), super::unit::number(turn.angle));
        let message = format!("a plain number is in radians: {angle} rad; for degrees write \"{angle} deg\"");
        keys.cx.warnings.push(super::keys::Raw { origin: *origin, key, message, absent: false });
    }
    Some(turn)
}

/// Formats a turn whose angle [deg] is the given number.
fn about(axis: &str, node: &Node) -> String {
    let angle = match node.value {
        Value::Integer(whole) => format!("\"{whole} deg\""),
        Value::Float(value) => format!("\"{} deg\"", super::unit::number(value)),
        _ => "\"90 deg\"".to_string(),
    };
    format!("{{ axis = [{axis}], angle = {angle} }}")
}

/// Formats three angles about x, y and z as turns. Other programs store rotations as such angles.
fn angles(items: &[Node]) -> Option<String> {
    let number = |node: &Node| match node.value {
        Value::Integer(whole) => Some(whole as f64),
        Value::Float(value) => Some(value),
        _ => None,
    };
    let values: Vec<f64> = items.iter().map(number).collect::<Option<_>>()?;
    let axes = ["1, 0, 0", "0, 1, 0", "0, 0, 1"];
    let turning = axes.iter().zip(items).zip(&values).filter(|(_, value)| **value != 0.0);
    let turns: Vec<String> = turning.map(|((axis, node), _)| about(axis, node)).collect();
    match (values.len(), turns.as_slice()) {
        (3, [one]) => Some(one.clone()),
        (3, all) => Some(format!("[{}]", all.join(", "))),
        _ => None,
    }
}

/// Kind of a turn or a list of turns.
pub struct Turns;

/// Returns the kind of a turn or a list of turns.
pub fn turns() -> Turns {
    Turns
}

/// Returns turns in order as one rotation.
pub fn rotation(turns: &[Turn]) -> Rotation {
    turns.iter().fold(Rotation::identity(), |r, turn| Rotation::from_axis_angle(&turn.axis, turn.angle) * r)
}

impl Kind for Turns {
    type Value = Vec<Turn>;

    fn read(&self, cx: &mut Context, path: &str, node: &Node) -> Option<Vec<Turn>> {
        match node.value {
            Value::Table(_) => table().read(cx, path, node).map(|turn| vec![turn]),
            Value::List(ref items) => match angles(items) {
                Some(write) => {
                    cx.fault(node.origin, path, format!("takes turns, not angles: write rotate = {write}"));
                    None
                }
                None => list(table(), 0..=64).read(cx, path, node),
            },
            Value::Integer(_) | Value::Float(_) => {
                let message = format!("a turn has an axis: write rotate = {}", about("0, 1, 0", node));
                cx.fault(node.origin, path, message);
                None
            }
            _ => {
                self.refuse(cx, path, node);
                None
            }
        }
    }

    fn wanted(&self) -> String {
        "a turn { axis = [0, 1, 0], angle = \"30 deg\" } or a list of turns".to_string()
    }

    fn schema(&self) -> Json {
        let (one, many) = (table::<Turn>().schema(), list(table::<Turn>(), 0..=64).schema());
        Json::map([("anyOf", Json::List(vec![one, many]))])
    }

    fn json(&self, value: &Vec<Turn>) -> Option<Json> {
        value.is_empty().then(|| Json::List(Vec::new()))
    }
}

one_of! {
    /// Where a map has its values.
    pub enum MapSource {
        /// A scalar property of the vertices of the PLY file.
        Channel(String) = "channel": text(),
        /// A group of the mesh file or of this cloth.
        Group(String) = "group": text(),
    }
}

section! {
    /// From the file's coordinates to the world: scale, then turns in order, then shift.
    pub struct Transform {
        /// Factor of size.
        pub scale: f64 = real(1e-6..=1e6).or(1.0),
        /// Turns about the origin.
        pub rotate: Vec<Turn> = turns().or(Vec::new()),
        /// Shift.
        pub translate: Vec3 = point().or(Vec3::zeros()),
    }
}

impl Transform {
    /// Returns all turns as one rotation.
    pub fn rotation(&self) -> Rotation {
        rotation(&self.rotate)
    }

    /// Returns the position in the world of a point of the file [m].
    pub fn apply(&self, p: &Vec3) -> Vec3 {
        self.rotation() * (p * self.scale) + self.translate
    }

    /// Returns the position in the file of a point of the world [m].
    pub fn invert(&self, p: &Vec3) -> Vec3 {
        self.rotation().inverse() * (p - self.translate) / self.scale
    }
}

section! {
    /// An axis-parallel box in world space.
    pub struct Region {
        /// Corner with the smallest coordinates.
        pub min: Vec3 = point().required(),
        /// Corner with the largest coordinates.
        pub max: Vec3 = point().required(),
    }
    check corners_in_order;
}

fn corners_in_order(region: Region, keys: &mut Keys) -> Option<Region> {
    match (0..3).find(|axis| region.min[*axis] > region.max[*axis]) {
        None => Some(region),
        Some(axis) => {
            let axis = ["x", "y", "z"].get(axis).copied().unwrap_or_default();
            keys.fault("min", format!("min is larger than max in {axis}; swap them"));
            None
        }
    }
}

impl Region {
    /// Returns whether the point is inside or on the surface.
    pub fn contains(&self, p: &Vec3) -> bool {
        (0..3).all(|axis| (self.min[axis]..=self.max[axis]).contains(&p[axis]))
    }
}

section! {
    /// A ball in world space.
    pub struct Ball {
        /// Centre.
        pub center: Vec3 = point().required(),
        /// Radius.
        pub radius: f64 = quantity(Unit::Length, 1e-6..=1e5).required(),
    }
}

impl Ball {
    /// Returns whether the point is inside or on the surface.
    pub fn contains(&self, p: &Vec3) -> bool {
        (p - self.center).norm() <= self.radius
    }
}

/// Returns the kind of a list of vertex indices, as in the file, from 0.
pub fn vertices() -> super::kinds::List<super::kinds::Integer<u32>> {
    list(integer(0..=i64::from(u32::MAX)), 1..=100_000_000)
}

one_of! {
    /// Vertices (places are in world space, after the object's transform).
    pub enum Selector {
        /// A group of the mesh file or of this object.
        Group(String) = "group": super::kinds::text(),
        /// Vertices inside a box.
        Box(Region) = "box": table(),
        /// Vertices inside a sphere.
        Sphere(Ball) = "sphere": table(),
        /// Vertices by index, as in the file, from 0.
        Vertices(Vec<u32>) = "vertices": vertices(),
        /// The vertex nearest to a point.
        Nearest(Vec3) = "nearest": point(),
        /// Every vertex.
        All = "all": yes(),
    }
}

one_of! {
    /// Members of the group (places are in world space, after the object's transform).
    pub enum Members {
        /// Vertices inside a box.
        Box(Region) = "box": table(),
        /// Vertices inside a sphere.
        Sphere(Ball) = "sphere": table(),
        /// Vertices by index, as in the file, from 0.
        Vertices(Vec<u32>) = "vertices": vertices(),
    }
}

section! {
    /// A named group of vertices.
    pub struct Group {
        /// Name; unique in the object.
        pub name: String = name().required(),
        /// Members of the group.
        pub members: Members = super::keys::exactly_one(),
    }
}

/// Records a fault if two groups have the same name.
pub fn one_name_each(groups: &[Group], keys: &mut Keys) -> Option<()> {
    let mut names = std::collections::BTreeSet::new();
    let (k, group) = match groups.iter().enumerate().find(|(_, group)| !names.insert(&group.name)) {
        Some(twice) => twice,
        None => return Some(()),
    };
    keys.fault_in("group", k, "name", format!("another group here is named '{}'; names are unique", group.name));
    None
}
