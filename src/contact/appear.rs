//! Obstacles that appear: nothing may lie in them, and they push nothing away with energy that nobody put in.

use super::ease;
use super::element::LEAST;
use crate::linalg::Vec3;
use crate::world::crossing;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// An obstacle appears with the end of the step.
fn any(world: &World, step: &Step) -> bool {
    let times = [step.begin, step.next];
    world.obstacles.iter().any(|obstacle| world.appears(obstacle.object, times))
}

/// Two objects may touch with the end of the step, and one of them appears with it.
fn meets(world: &World, step: &Step) -> impl Fn(usize, usize) -> bool {
    let times = [step.begin, step.next];
    move |i, j| world.meet_at(i, j, step.next) && (world.appears(i, times) || world.appears(j, times))
}

/// What appears with the end of a step neither crosses nor touches anything where the step takes it.
///
/// # Errors
/// It does: what, where, and the triangles.
pub fn look(world: &World, state: &State, step: &Step) -> Result<(), StepError> {
    if !world.contact.proven() || !any(world, step) {
        return Ok(());
    }
    let mut x: Vec<Vec3> = state.x.iter().zip(&step.moved).map(|(x, moved)| x + moved).collect();
    world.place_obstacles(step.end, &mut x);
    let meets = meets(world, step);
    let mut crossings = world.crossings(&mut world.test(), &x, step.next);
    crossings.retain(|crossing| meets(crossing.objects[0], crossing.objects[1]));
    if !crossings.is_empty() {
        let what: Vec<String> = crossings.iter().map(|crossing| crossing.describe(|k| world.name(k))).collect();
        let shown = crossing::mesh(&x, &world.surface, &crossings).unwrap_or_default();
        return Err(StepError::Entered { what: what.join("; "), shown });
    }
    // Without any distance there is no direction in which to part them.
    let mut touching = None;
    ease::each_near(world, &x, LEAST, meets, |_, _, corners, separation| {
        if separation.distance < 0.5 * LEAST {
            touching.get_or_insert(*corners);
        }
    });
    let Some(corners) = touching else { return Ok(()) };
    let [a, b] = [corners[0], corners[3]].map(|v| world.name(usize::from(world.surface.object[v as usize])));
    let near = x[corners[0] as usize] + world.origin;
    let what = format!("'{a}' and '{b}' touch near ({:.4}, {:.4}, {:.4}) m", near.x, near.y, near.z);
    Err(StepError::Entered { what, shown: Vec::new() })
}

/// Lets contacts with what has appeared with the end of the step, which `state` is now, begin with the room they have.
pub fn ease(world: &World, state: &mut State, step: &Step) {
    if any(world, step) {
        ease::ease(world, state, meets(world, step), |_| true);
    }
}
