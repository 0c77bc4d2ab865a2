//! Shorter steps during impacts of bodies.
//!
//! A body in an impact is compressed and rebounds within a few milliseconds. Longer steps dissipate its stored energy.
//! For example, a rubber ball of 6 cm is in contact with a floor for 6 ms. In steps of 1 ms it rebounds at 0.27 to 0.52
//! of its speed, depending on the mesh. In steps of a quarter of that it rebounds at 0.55 to 0.56. Its damping alone
//! leaves 0.59 to 0.60.

use super::control::ROUGH;
use super::{Report, Settings};
use crate::contact::element::Element;
use crate::linalg::Vec3;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Change of speed by contact that marks an impact, relative to the speed before, or to the largest possible rebound.
const CHANGE: f64 = 0.05;
/// Change of speed in a step below which there is no impact: a multiple of that by gravity, plus a constant [m/s].
const CALM: (f64, f64) = (2.0, 0.01);

/// Reports whether a body strikes an obstacle or a body in a step that is about to be committed. Contacts with cloth do
/// not count; cloth stores less than a body.
///
/// # Errors
/// Returns a vertex of the body and its change of speed if the step can be shorter. The lower bound is the smallest
/// step, and a part of a whole one.
pub(super) fn look(
    (world, state, step): (&World, &State, &Step),
    contacts: &[Element],
    settings: &Settings,
    report: &mut Report,
) -> Result<(), StepError> {
    let (cloths, bodies) = world.objects[..world.simulated()].split_at(world.cloths.len());
    let struck = bodies.iter().filter_map(|body| {
        // Vertex of the body in a contact with another body or an obstacle.
        let touched = contacts.iter().find_map(|contact| {
            let own = |v: &&u32| body.vertices.contains(&(**v as usize));
            let other = contact.vertices.iter().find(|v| !own(v))?;
            let cloth = cloths.iter().any(|cloth| cloth.vertices.contains(&(*other as usize)));
            contact.vertices.iter().find(own).filter(|_| !cloth)
        })?;
        let (mut before, mut after, mut mass) = (Vec3::zeros(), Vec3::zeros(), 0.0);
        for v in body.vertices.clone() {
            before += state.v[v] * step.mass[v];
            after += step.velocity[v] * step.mass[v];
            mass += step.mass[v];
        }
        let change = (after - before - world.gravity * (step.h * mass)).norm() / mass;
        let speed = before.norm().max(after.norm()) / mass;
        let calm = CALM.0 * world.gravity.norm() * step.h + CALM.1;
        if change < calm || change < CHANGE * speed {
            return None;
        }
        // A compressed body is at rest, with its kinetic energy stored.
        let stored = 2.0 * world.elements.solid_energy(&state.x) / mass;
        (change > CHANGE * (speed * speed + stored).sqrt()).then_some((*touched, change))
    });
    let shortest = settings.min_step.max(ROUGH.1 * settings.step);
    let struck = struck.reduce(|a, b| if b.1 > a.1 { b } else { a });
    report.strikes = struck.is_some();
    match struck {
        Some((vertex, change)) if step.h > shortest * (1.0 + 1e-5) => Err(StepError::Struck { vertex, change }),
        _ => Ok(()),
    }
}
