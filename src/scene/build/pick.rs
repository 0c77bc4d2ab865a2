//! `[[cloth.pick]]` as a world takes it.

use super::faults::Faults;
use crate::render;
use crate::scene::Scene;
use crate::scene::pick::Direction;
use crate::world::pick::{Aim, Eye, Grip, Pick, look};
use crate::world::{State, World};

/// Adds the pointers of all cloths; those that are pressed at the start pick.
pub fn picks(scene: &Scene, world: &mut World, state: &mut State, faults: &mut Faults) {
    let Some(eye) = eye(scene, world) else { return };
    let mut keys = Vec::new();
    for (k, cloth) in scene.cloths.iter().enumerate() {
        let Some(object) = world.objects.iter().position(|object| object.name == cloth.name) else { continue };
        for (n, pick) in cloth.picks.iter().enumerate() {
            let aim = match pick.direction {
                Direction::Ray => Aim::Ray,
                Direction::Motion => Aim::Motion,
            };
            let mut moments = pick.moments.clone();
            moments.iter_mut().for_each(|moment| moment.time = world.shot.run(moment.time));
            world.picks.push(Pick { object, eye, moments, force: pick.force, aim });
            keys.push(format!("cloth[{k}].pick[{n}].path"));
        }
    }
    state.picks = vec![Grip::default(); world.picks.len()];
    let now = state.now();
    look(world, state, now);
    for (key, _) in keys.iter().zip(&state.picks).filter(|(_, grip)| grip.misses()) {
        faults.warn(key, "at the start the pointer is pressed beside the cloth: no force");
    }
}

/// The camera of the pictures, where it does not move.
fn eye(scene: &Scene, world: &World) -> Option<Eye> {
    let preview = &scene.preview;
    let (position, target) = (preview.camera.position? - world.origin, preview.camera.target? - world.origin);
    let camera = render::Camera { position, target, fov: preview.camera.fov, roll: 0.0 };
    let view = camera.view(scene.upwards(), preview.width as usize, preview.height as usize);
    Some(Eye { position: view.position, axes: [view.right, view.up, view.forward], half: view.half })
}
