//! `[[body]]`: soft bodies.

use super::cloth::{Handle, Pin};
use super::keys::{Keys, Kind, exactly_one, one_of, section};
use super::kinds::{File, choice, colour, file, flag, object_name, quantity, table, tables, text, vector};
use super::material::{DISTANCE, THICKNESS};
use super::named::material;
use super::obstacle::{Block, Capsule};
use super::place::{Axis, Ball, Group, Transform, one_name_each};
use super::solid::Solid;
use super::unit::Unit;
use crate::linalg::Vec3;
use std::path::PathBuf;

/// Extensions of files with tetrahedra, then of closed surfaces.
const SOLID: &[&str] = &["msh", "node", "ele", "vtk", "obj", "ply"];

/// Returns the kind of a body's mesh file.
fn solid() -> File {
    file(SOLID)
}

one_of! {
    /// Shape at the start, which is the rest shape.
    pub enum Shape {
        /// Mesh file: tetrahedra (.msh of Gmsh, .node and .ele of TetGen, legacy .vtk), or a closed surface (.obj,
        /// .ply) that is filled with tetrahedra.
        Mesh(PathBuf) = "mesh": solid(),
        /// Ball, filled with tetrahedra.
        Sphere(Ball) = "sphere": table(),
        /// Box, filled with tetrahedra.
        Box(Block) = "box": table(),
        /// Capsule, filled with tetrahedra.
        Capsule(Capsule) = "capsule": table(),
    }
}

section! {
    /// A simulated soft body of tetrahedra.
    pub struct Body {
        /// Name; no other object may have it.
        pub name: String = object_name().required(),
        /// Shape at the start.
        pub shape: Shape = exactly_one(),
        /// Object (`o`) or group (`g`) of an OBJ file that holds several; the whole file if absent.
        pub object: Option<String> = text().optional(),
        /// Axis of the file that points up; that of the scene if absent. USD and Alembic files say it themselves.
        pub axis: Option<Axis> = choice().optional(),
        /// Edge of the tetrahedra with which a surface, ball, box or capsule is filled; about 4,000 of them if absent,
        /// more for thin shapes.
        pub resolution: Option<f64> = quantity(Unit::Length, 1e-4..=1e3).optional(),
        /// Material of the body.
        pub material: Solid = material("sponge"),
        /// Thickness of its skin, added around the surface.
        pub thickness: f64 = quantity(Unit::Length, THICKNESS).or(0.0),
        /// Its own `contact.distance`; between two objects the mean of theirs counts.
        pub contact_distance: Option<f64> = quantity(Unit::Length, DISTANCE).optional(),
        /// Velocity at the start.
        pub velocity: Vec3 = vector(Unit::Speed, 1e3).or(Vec3::zeros()),
        /// Whether it touches itself.
        pub self_contact: bool = flag().or(true),
        /// Colour in pictures.
        pub colour: [f64; 3] = colour().or([0.86, 0.68, 0.50]),
        /// From the file's coordinates, or those of the shape, to the world.
        pub transform: Transform = table(),
        /// Named groups of vertices.
        pub groups as "group": Vec<Group> = tables(),
        /// Vertices held in place or moved.
        pub pins as "pin": Vec<Pin> = tables(),
        /// Soft handles.
        pub handles as "handle": Vec<Handle> = tables(),
    }
    check finish;
}

fn finish(body: Body, keys: &mut Keys) -> Option<Body> {
    one_name_each(&body.groups, keys)?;
    let has = |path: &PathBuf, endings: &[&str]| {
        path.extension().is_some_and(|e| endings.contains(&e.to_string_lossy().to_ascii_lowercase().as_str()))
    };
    if let Shape::Mesh(path) = &body.shape
        && body.resolution.is_some()
        && has(path, &SOLID[..4])
    {
        keys.fault("resolution", "a file of tetrahedra is taken as it is; 'resolution' goes with what is filled");
        return None;
    }
    if !matches!(body.shape, Shape::Mesh(_)) && body.object.is_some() {
        keys.fault("object", "goes with 'mesh'; leave it out");
        return None;
    }
    if body.axis.is_some() && !matches!(body.shape, Shape::Mesh(_)) {
        keys.fault("axis", "goes with 'mesh'; leave it out");
        return None;
    }
    Some(body)
}
