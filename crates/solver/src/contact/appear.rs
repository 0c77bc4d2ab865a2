//! Obstacles that appear: they must not intersect anything, and must not add energy by pushing surfaces away.

use super::element::LEAST;
use super::ignore;
use super::offset_ramp;
use crate::linalg::Vec3;
use crate::world::crossing;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Returns true if an obstacle appears at the end of the step.
fn any(world: &World, step: &Step) -> bool {
    let times = [step.begin, step.next];
    world.obstacles.iter().any(|obstacle| world.appears(obstacle.object, times))
}

/// Returns a test for two objects that can touch at the end of the step, of which at least one appears then.
fn meets(world: &World, step: &Step) -> impl Fn(usize, usize) -> bool {
    let times = [step.begin, step.next];
    move |i, j| world.meet_at(i, j, step.next) && (world.appears(i, times) || world.appears(j, times))
}

/// Checks that obstacles that appear at the end of the step neither intersect nor touch anything at the positions
/// there.
///
/// # Errors
/// They do. The error names objects and position, and has the intersecting triangles if there are any.
pub fn look(world: &World, state: &State, step: &Step) -> Result<(), StepError> {
    if !world.contact.proven() || !any(world, step) {
        return Ok(());
    }
    let mut x: Vec<Vec3> = state.x.iter().zip(&step.displacement).map(|(x, displacement)| x + displacement).collect();
    world.place_obstacles(step.end, &mut x);
    let meets = meets(world, step);
    let (mut crossings, _) = ignore::crossings(world, state, &mut world.test(), (&x, step.next));
    crossings.retain(|crossing| meets(crossing.objects[0], crossing.objects[1]));
    if !crossings.is_empty() {
        let what: Vec<String> = crossings.iter().map(|crossing| crossing.describe(|k| world.name(k))).collect();
        let shown = crossing::mesh(&x, &world.surface, &crossings).unwrap_or_default();
        return Err(StepError::Entered { what: what.join("; "), shown });
    }
    // A pair at zero distance has no direction for its separation.
    let mut touching = None;
    offset_ramp::each_near(world, (state, &x), LEAST, meets, |_, _, corners, separation| {
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

/// Starts the contact ramp for contacts with obstacles that appeared at the end of the step. `state` is this end.
pub fn ramp_offset(world: &World, state: &mut State, step: &Step) {
    if any(world, step) {
        offset_ramp::ramp_offset(world, state, meets(world, step), |_| true);
    }
}
