//! The linear system of a step, solved as far as the stages ask.

use super::report::Report;
use super::{Stepper, lap};
use crate::force::assembly::Assembly;
use crate::force::term::Precision;
use crate::linalg::par;
use crate::linalg::pcg::Components;
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// All laws where the components will have turned to, without links and air.
pub(super) fn assemble<T: Precision>(world: &World, state: &State, now: &Step, assembly: &mut Assembly<T>) {
    assembly.assemble(&now.scheme(world, state), &state.memory);
}

impl<T: Precision> Stepper<T> {
    /// Adds the contacts and begins to solve for `z`, from the guess that stands there.
    pub(super) fn begin(&mut self, world: &World, report: &mut Report) -> Result<(), StepError> {
        let Stepper { assembly, pcg, contacts, airs, bridges, pulls, links, free, springs, now, clock, .. } = self;
        let (floors, ceilings) = (&mut self.floors, &mut self.ceilings);
        links.add(&[pulls, bridges, contacts.contacts(), airs.columns()], &now.fixed, assembly);
        springs.add(now, assembly);
        free.begin(world, now, contacts.contacts(), bridges.coupled());
        lap(clock, &mut report.seconds.assembly);

        // A right-hand side below a tenth of what gravity (or 1 m/s^2) would make counts as that.
        let unit = 0.1 * world.gravity.norm().max(1.0) * now.beta;
        floors.iter_mut().zip(&world.component_mass).for_each(|(floor, mass)| *floor = unit * mass.sqrt());
        bridges.bound(world, floors, ceilings);
        let components = Components { of: &world.component, sets: free.sets(), floors, ceilings };
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
        report.unconverged += u64::from(new > 0 && !outcome.converged);
        par::each_mut(&mut moved[..world.moving], |v, moved| *moved = flight[v] + z[v]);
        lap(clock, &mut report.seconds.solve);
        match (0..world.moving).find(|v| !(moved[*v] + rate[*v]).norm_squared().is_finite()) {
            Some(v) => Err(StepError::NotFinite(v as u32)),
            None => Ok(()),
        }
    }
}
