//! Impacts of bodies: while one lasts steps are short.
//!
//! A body that strikes is pressed together and thrown back within a few milliseconds. Steps that are no small part of that lose what it
//! stores: a rubber ball of 6 cm touches a floor for 6 ms and comes back at 0.27 to 0.52 of its speed in steps of 1 ms, by the mesh;
//! in steps of a quarter at 0.55 to 0.56, of the 0.59 to 0.60 that its damping leaves.

use super::control::ROUGH;
use super::{Report, Settings};
use crate::contact::element::Element;
use crate::linalg::Vec3;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Part of the speed that a body comes with, or could leave with, by which contact changes it in a step that is too long for an impact.
const CHANGE: f64 = 0.05;
/// Change of speed in a step that is none: what twice gravity makes of it, and this [m/s].
const CALM: (f64, f64) = (2.0, 0.01);

/// Notes whether a body strikes an obstacle or a body in a step that is about to be committed.
/// Cloth between them keeps less than a body does.
///
/// # Errors
/// The body, where the step can be shorter: than the smallest, and a part of a whole one.
pub fn look(
    (world, state, step): (&World, &State, &Step),
    contacts: &[Element],
    settings: &Settings,
    report: &mut Report,
) -> Result<(), StepError> {
    let (cloths, bodies) = world.objects[..world.simulated()].split_at(world.cloths.len());
    let struck = bodies.iter().filter_map(|body| {
        // Its own vertex in a contact with another body or an obstacle.
        let touched = contacts.iter().find_map(|contact| {
            let own = |v: &&u32| body.vertices.contains(&(**v as usize));
            let other = contact.vertices.iter().find(|v| !own(v))?;
            let cloth = cloths.iter().any(|cloth| cloth.vertices.contains(&(*other as usize)));
            contact.vertices.iter().find(own).filter(|_| !cloth)
        })?;
        let (mut before, mut after, mut mass) = (Vec3::zeros(), Vec3::zeros(), 0.0);
        for v in body.vertices.clone() {
            before += state.v[v] * step.mass[v];
            after += step.rate[v] * step.mass[v];
            mass += step.mass[v];
        }
        let change = (after - before - world.gravity * (step.h * mass)).norm() / mass;
        let speed = before.norm().max(after.norm()) / mass;
        let calm = CALM.0 * world.gravity.norm() * step.h + CALM.1;
        if change < calm || change < CHANGE * speed {
            return None;
        }
        // What is pressed together stands still, and has stored what it came with.
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
