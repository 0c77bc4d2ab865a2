//! `[[glue]]`: conversion from names and places to cloth vertices and the body triangles nearest to them.

use super::faults::Faults;
use super::select;
use crate::scene::Scene;
use crate::world::build::{BodyInput, ClothInput};
use crate::world::glue::Glue;

/// Distance of a cloth from a body above which gluing them was probably unintended [m].
const FAR: f64 = 0.05;

/// Returns all glue of a scene between the cloths and bodies that were read.
pub(super) fn glues(scene: &Scene, cloths: &[ClothInput], bodies: &[BodyInput], faults: &mut Faults) -> Vec<Glue> {
    let mut glues = Vec::with_capacity(scene.glues.len());
    for (k, glue) in scene.glues.iter().enumerate() {
        let cloth = cloths.iter().find(|c| c.name == glue.cloth);
        let body = bodies.iter().find(|b| b.name == glue.body);
        // Objects that could not be read are reported already.
        let (Some(cloth), Some(body)) = (cloth, body) else { continue };
        let vertices = match select::vertices(&glue.selector, &cloth.mesh.positions, &cloth.mesh.groups) {
            Ok(vertices) => vertices,
            Err((below, message)) => {
                faults.fault(&format!("glue[{k}].{below}"), message);
                continue;
            }
        };
        let glue = Glue::new((&cloth.name, &cloth.mesh.positions), (&body.name, &body.mesh), vertices, glue.stiffness);
        let far = |(_, distance): &(&u32, &f64)| **distance > FAR;
        let all = || glue.vertices.iter().zip(&glue.distances);
        if let Some((v, farthest)) = all().filter(far).max_by(|a, b| a.1.total_cmp(b.1)) {
            let count = all().filter(far).count();
            let message = format!(
                "{count} vertices of '{}' are more than 5 cm from '{}', the farthest is {v} at {farthest:.3} m; they are glued as they are",
                cloth.name, body.name
            );
            faults.warn(&format!("glue[{k}]"), message);
        }
        glues.push(glue);
    }
    glues
}
