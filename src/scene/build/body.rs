//! `[[body]]` as a world takes it.

use super::faults::Faults;
use super::{files, hold};
use crate::mesh::TetMesh;
use crate::scene::Scene;
use crate::scene::body::{Body, Shape};
use crate::world::build::BodyInput;

/// A body with its mesh in the world; `key` is its path in the scene.
pub fn input(scene: &Scene, body: &Body, key: &str, faults: &mut Faults) -> Option<BodyInput> {
    let mesh: TetMesh = match &body.shape {
        Shape::Mesh(file) => files::solid(file, &body.transform, faults)?,
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
