//! `[[body]]` as a world takes it: tetrahedra from a file, or a surface that is filled.

use super::faults::Faults;
use super::{files, hold, obstacle};
use crate::mesh::fill::fill;
use crate::mesh::{TetMesh, TriMesh, generate};
use crate::scene::Scene;
use crate::scene::body::{Body, Shape};
use crate::world::build::BodyInput;

/// Tetrahedra with which a body is filled where nothing is said.
const TETRAHEDRA: f64 = 4000.0;
/// Longest edge of the triangles of a ball or capsule that is filled, as a part of its radius: they are at most 0.1 % of it deep.
const FINE: f64 = 0.078;

/// A body with its mesh in the world; `key` is its path in the scene.
pub fn input(scene: &Scene, body: &Body, key: &str, faults: &mut Faults) -> Option<BodyInput> {
    let surface = match &body.shape {
        Shape::Mesh(file) if files::is_surface(file) => Some(files::placed(file, &body.transform, faults)?),
        Shape::Mesh(_) => None,
        Shape::Sphere(b) => Some(placed(body, generate::sphere(b.center, b.radius, FINE * b.radius))),
        Shape::Box(block) => Some(placed(body, obstacle::block(block, block.size.max()))),
        Shape::Capsule(c) => Some(placed(body, generate::capsule(c.a, c.b, c.radius, FINE * c.radius))),
    };
    let mesh = match (&body.shape, surface) {
        (Shape::Mesh(file), None) => files::solid(file, &body.transform, faults)?,
        (_, Some(surface)) => filled(body, &surface, key, faults)?,
        _ => return None,
    };
    let x = &mesh.positions;
    let groups = hold::groups(&body.groups, &mesh.groups, x, key, faults);
    let pins = hold::pins(&body.pins, x, &groups, key, faults);
    let handles = hold::handles(&body.handles, x, &groups, key, faults);
    let material = &body.material;
    Some(BodyInput {
        name: body.name.clone(),
        law: material.elastic(),
        density: material.density,
        drag: material.drag,
        thickness: body.thickness,
        friction: material.friction,
        velocity: body.velocity,
        self_contact: body.self_contact && scene.contact.self_contact,
        pins,
        handles,
        mesh,
    })
}

/// A shape by formula in the world.
fn placed(body: &Body, mut mesh: TriMesh) -> TriMesh {
    files::apply(&body.transform, &mut mesh.positions);
    mesh
}

/// Tetrahedra inside a surface; says how well shaped they are.
fn filled(body: &Body, surface: &TriMesh, key: &str, faults: &mut Faults) -> Option<TetMesh> {
    let size = body.resolution.unwrap_or_else(|| (12.0 * volume(surface).abs() / TETRAHEDRA).cbrt());
    match fill(surface, size) {
        Ok(mesh) => Some(mesh),
        Err(fault) => {
            faults.fault(&format!("{key}.resolution"), fault.to_string());
            None
        }
    }
}

/// Volume inside a closed surface [m^3].
fn volume(surface: &TriMesh) -> f64 {
    let corner = |v: u32| surface.positions.get(v as usize).copied().unwrap_or_default();
    let faces = surface.triangles.iter().map(|t| t.map(corner));
    faces.map(|[a, b, c]| a.cross(&b).dot(&c) / 6.0).sum()
}
