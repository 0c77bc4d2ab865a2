//! Linear system of a step, solved to the tolerances of the stages.

use super::pull::Pulls;
use super::report::Report;
use super::{COARSE_TOLERANCES, SOLVES, Stepper, lap};
use crate::contact::element::Element;
use crate::effect::Running;
use crate::force::assembly::Assembly;
use crate::force::links::Couples;
use crate::force::term::Precision;
use crate::linalg::pcg::Components;
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};

/// Largest acceleration left in the residual over a component's speed [1/s]. Air and material damp slow modes more
/// strongly. The first guess is the last acceleration, so the error of slow modes lags behind their motion. Such an
/// error excites them.
const FEED: f64 = 0.25;
/// Lower bound of a component's speed in that rule [m/s].
const SLOW: f64 = 5e-4;
/// Speed at which the bound has doubled [m/s]. Trembling of faster components is not visible.
const FAST: f64 = 0.05;

/// Largest number of linearisations in a step after the first.
const RENEWALS: usize = 3;
/// Change of the solution by a linearisation, relative to the aim of accuracy, below which none follows.
const CLOSE: f64 = 0.1;

/// Assembles all laws at the rotated positions of components, without links and air.
pub(super) fn assemble<T: Precision>(world: &World, state: &State, now: &Step, assembly: &mut Assembly<T>) {
    assembly.assemble(&now.scheme(world, state), &state.memory);
}

/// Returns the links of a step, in the order of assembly.
pub(super) fn coupling<'a>(
    world: &'a World,
    pulls: &'a Pulls,
    effects: &'a Running,
    contacts: &'a Vec<Element>,
) -> Vec<&'a dyn Couples> {
    let mut all: Vec<&dyn Couples> = vec![&pulls.0];
    all.extend(effects.links(world, false));
    all.push(contacts);
    all.extend(effects.links(world, true));
    all
}

impl<T: Precision> Stepper<T> {
    /// Adds the links and begins to solve for `dx`, from its present value as a guess.
    pub(super) fn begin(&mut self, world: &World, state: &State, report: &mut Report) -> Result<(), StepError> {
        let Stepper { assembly, pcg, contacts, effects, pulls, links, free, springs, now, clock, .. } = self;
        let [floors, ceilings, quiet] = &mut self.bounds;
        links.add(&coupling(world, pulls, effects, contacts.contacts()), &now.fixed, assembly);
        springs.add(now, assembly);
        free.begin(world, now, contacts.contacts(), effects);
        lap(clock, &mut report.seconds.assembly);

        // The lower bound of a right-hand side is a tenth of gravity, or of 1 m/s^2.
        let unit = 0.1 * world.gravity.norm().max(1.0) * now.beta;
        floors.iter_mut().zip(&world.component_mass).for_each(|(floor, mass)| *floor = unit * mass.sqrt());
        effects.bound(world, floors, ceilings);
        still(world, state, now, free.sets(), self.settings.tolerance, quiet);
        let components = Components { of: &world.component, sets: free.sets(), floors, ceilings, quiet };
        let begun = pcg.begin(&assembly.matrix, &now.fixed, &assembly.force, &now.dx, components);
        report.systems += 1;
        lap(clock, &mut report.seconds.solve);
        begun.map_err(|v| StepError::Indefinite(v as u32))
    }

    /// Solves again about the end positions of the present solution, and once more while the solution changes by much.
    /// Contacts that then close too fast, or leave pairs unproven, are stopped in solutions about the last positions.
    pub(super) fn refine(
        &mut self,
        world: &World,
        state: &State,
        solves: &mut usize,
        report: &mut Report,
    ) -> Result<(), StepError> {
        let before = *solves;
        for _ in 0..RENEWALS {
            self.renew(world, state, report);
            self.begin(world, state, report)?;
            self.iterate(world, 1.0, report)?;
            if self.accuracy.change(world, &self.now) < CLOSE {
                break;
            }
        }
        // Penalties of pairs that were unproven keep their contacts from closing, too.
        let stopped = before == 1 && self.contacts.add_penalties(world, &self.now);
        self.clear(world, state, (solves, stopped), report)?;
        if *solves == before {
            return Ok(());
        }
        self.renew(world, state, report);
        self.begin(world, state, report)?;
        self.iterate(world, 1.0, report)?;
        self.clear(world, state, (solves, false), report)
    }

    /// Solves again while the solution closes contacts too fast or leaves pairs unproven.
    pub(super) fn clear(
        &mut self,
        world: &World,
        state: &State,
        (solves, mut stopped): (&mut usize, bool),
        report: &mut Report,
    ) -> Result<(), StepError> {
        while *solves < SOLVES
            && (stopped
                || self.effects.let_go(world, &self.now)
                    | self.contacts.add_unproven_penalties(world, state, &self.now))
        {
            lap(&mut self.clock, &mut report.seconds.check);
            self.assembly.restore();
            self.begin(world, state, report)?;
            *solves += 1;
            stopped = *solves < SOLVES && {
                self.iterate(world, COARSE_TOLERANCES[1], report)?;
                self.contacts.add_unproven_penalties(world, state, &self.now)
            };
            if !stopped {
                lap(&mut self.clock, &mut report.seconds.check);
                self.iterate(world, 1.0, report)?;
            }
        }
        Ok(())
    }

    /// Linearises all laws again, about the end positions and velocities of the present solution. Contacts, links and
    /// effects remain as they are. The unknown is still the displacement from free flight, so the forces of laws are
    /// extended to it by the matrix.
    pub(super) fn renew(&mut self, world: &World, state: &State, report: &mut Report) {
        let Stepper { assembly, effects, now, clock, .. } = self;
        let Step { ahead, left, predicted, velocity, dx, fixed, effective_dt, found, swift, extended, .. } = now;
        let own = |v: usize| if fixed[v] { Vec3::zeros() } else { dx[v] };
        par::fill(left, |_| Vec3::zeros());
        par::fill(ahead, |v| state.x[v] + predicted[v] + own(v));
        found.resize(world.moving, Vec3::zeros());
        swift.resize(world.moving, Vec3::zeros());
        par::fill(found, own);
        par::fill(swift, |v| velocity[v] + own(v) / effective_dt[v]);
        extended.resize(world.moving, Vec3::zeros());
        assemble(world, state, now, assembly);
        let Step { found, extended, mass, effective_dt, .. } = now;
        assembly.product(found, extended);
        par::each_mut(extended, |v, extended| *extended -= found[v] * (mass[v] / (effective_dt[v] * effective_dt[v])));
        effects.push(world, &mut assembly.force);
        let extended = &*extended;
        par::each_mut(&mut assembly.force, |v, force| *force += extended[v]);
        assembly.keep();
        lap(clock, &mut report.seconds.assembly);
    }

    /// Solves for `dx` to `tolerances` times the tolerance, and moves the vertices by it.
    pub(super) fn iterate(&mut self, world: &World, tolerances: f64, report: &mut Report) -> Result<(), StepError> {
        let Stepper { settings, assembly, pcg, free, now, clock, .. } = self;
        let before = pcg.outcome().iterations;
        let outcome = pcg.iterate(&assembly.matrix, settings.tolerance * tolerances, settings.iterations);
        pcg.solution(&assembly.matrix, &mut now.dx);
        free.balance(world, now, &assembly.force);
        let Step { predicted, displacement, velocity, dx, .. } = now;
        let new = (outcome.iterations - before) as u64;
        report.iterations += new;
        report.unconverged += u64::from(new > 0 && outcome.residual > settings.tolerance * tolerances);
        par::each_mut(&mut displacement[..world.moving], |v, displacement| *displacement = predicted[v] + dx[v]);
        lap(clock, &mut report.seconds.solve);
        match (0..world.moving).find(|v| !(displacement[*v] + velocity[*v]).norm_squared().is_finite()) {
            Some(v) => Err(StepError::NotFinite(v as u32)),
            None => Ok(()),
        }
    }
}

/// Computes the upper bound of each component's right-hand side in the stopping rule: the residual that [`FEED`] allows
/// over `tolerance`. Components coupled to others by contact, glue or air are excluded, as the coupling damps them.
fn still(world: &World, state: &State, step: &Step, sets: &[u32], tolerance: f64, quiet: &mut [f64]) {
    // Mass, mass by squared speed and mass in contact, by component; number of components of its set.
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
        // Components without mass, or with all vertices in contact, have no bound.
        *quiet = if members[*set as usize] == 1 && bound.is_finite() { bound } else { f64::INFINITY };
    }
}
