//! The linear system of a step, solved as far as the stages ask.

use super::pull::Pulls;
use super::report::Report;
use super::{Stepper, lap};
use crate::contact::element::Element;
use crate::effect::Running;
use crate::force::assembly::Assembly;
use crate::force::links::Couples;
use crate::force::term::Precision;
use crate::linalg::par;
use crate::linalg::pcg::Components;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Acceleration that the residual may leave over a component's speed [1/s]: less than air and material take out of slow modes.
/// The first guess is the acceleration before, so what a solve leaves of slow modes lags behind their motion and drives it.
const FEED: f64 = 0.25;
/// A component slower than this counts as this fast [m/s].
const SLOW: f64 = 5e-4;
/// Speed at which the bound has doubled, for it is not seen that what goes faster trembles [m/s].
const FAST: f64 = 0.05;

/// All laws where the components will have turned to, without links and air.
pub(super) fn assemble<T: Precision>(world: &World, state: &State, now: &Step, assembly: &mut Assembly<T>) {
    assembly.assemble(&now.scheme(world, state), &state.memory);
}

/// Links of a step, in the order in which they are added.
pub(super) fn coupling<'a>(
    world: &'a World,
    pulls: &'a Pulls,
    effects: &'a Running,
    contacts: &'a Vec<Element>,
) -> Vec<&'a dyn Couples> {
    let mut all: Vec<&dyn Couples> = vec![pulls];
    all.extend(effects.links(world, false));
    all.push(contacts);
    all.extend(effects.links(world, true));
    all
}

impl<T: Precision> Stepper<T> {
    /// Adds the contacts and begins to solve for `z`, from the guess that stands there.
    pub(super) fn begin(&mut self, world: &World, state: &State, report: &mut Report) -> Result<(), StepError> {
        let Stepper { assembly, pcg, contacts, effects, pulls, links, free, springs, now, clock, .. } = self;
        let [floors, ceilings, quiet] = &mut self.bounds;
        links.add(&coupling(world, pulls, effects, contacts.contacts()), &now.fixed, assembly);
        springs.add(now, assembly);
        free.begin(world, now, contacts.contacts(), effects);
        lap(clock, &mut report.seconds.assembly);

        // A right-hand side below a tenth of what gravity (or 1 m/s^2) would make counts as that.
        let unit = 0.1 * world.gravity.norm().max(1.0) * now.beta;
        floors.iter_mut().zip(&world.component_mass).for_each(|(floor, mass)| *floor = unit * mass.sqrt());
        effects.bound(world, floors, ceilings);
        still(world, state, now, free.sets(), self.settings.tolerance, quiet);
        let components = Components { of: &world.component, sets: free.sets(), floors, ceilings, quiet };
        let begun = pcg.begin(&assembly.matrix, &now.fixed, &assembly.force, &now.z, components);
        lap(clock, &mut report.seconds.solve);
        begun.map_err(|v| StepError::Indefinite(v as u32))
    }

    /// Solves for `z` up to so many tolerances and moves the vertices by it.
    pub(super) fn iterate(&mut self, world: &World, tolerances: f64, report: &mut Report) -> Result<(), StepError> {
        let Stepper { settings, assembly, pcg, free, now, clock, .. } = self;
        let before = pcg.outcome().iterations;
        let outcome = pcg.iterate(&assembly.matrix, settings.tolerance * tolerances, settings.iterations);
        pcg.solution(&assembly.matrix, &mut now.z);
        free.balance(world, now, &assembly.force);
        let Step { flight, moved, rate, z, .. } = now;
        let new = (outcome.iterations - before) as u64;
        report.iterations += new;
        report.unconverged += u64::from(new > 0 && outcome.residual > settings.tolerance * tolerances);
        par::each_mut(&mut moved[..world.moving], |v, moved| *moved = flight[v] + z[v]);
        lap(clock, &mut report.seconds.solve);
        match (0..world.moving).find(|v| !(moved[*v] + rate[*v]).norm_squared().is_finite()) {
            Some(v) => Err(StepError::NotFinite(v as u32)),
            None => Ok(()),
        }
    }
}

/// Sets the right-hand side of each component as which a larger one counts for when to stop: the residual that [`FEED`] allows over
/// `tolerance`. What other components hold by contact, glue or air comes to rest by what couples them.
fn still(world: &World, state: &State, step: &Step, sets: &[u32], tolerance: f64, quiet: &mut [f64]) {
    // By component: mass, mass by the square of speed, mass in contact; members of its set.
    let mut sums = vec![[0.0; 3]; quiet.len()];
    for (v, mass) in step.mass.iter().enumerate() {
        let [all, squares, touched] = &mut sums[world.component[v] as usize];
        *all += mass;
        *squares += mass * state.v[v].norm_squared();
        *touched += if step.touched[v] { *mass } else { 0.0 };
    }
    let mut members = vec![0; quiet.len()];
    sets.iter().for_each(|set| members[*set as usize] += 1);
    for ((quiet, set), [mass, squares, touched]) in quiet.iter_mut().zip(sets).zip(sums) {
        let speed = (squares / mass).sqrt();
        let left = FEED * (speed + speed * speed / FAST).max(SLOW);
        let alone = (1.0 - touched / mass).max(0.0).powi(3);
        let bound = left / alone * step.beta * mass.sqrt() / tolerance;
        // Without mass, or in contact all over, there is none.
        *quiet = if members[*set as usize] == 1 && bound.is_finite() { bound } else { f64::INFINITY };
    }
}
