//! Time stepping. [`Stepper::attempt`] has the order of the stages.

mod accuracy;
mod control;
mod energies;
mod free;
mod guard;
mod impact;
mod limit;
mod probe;
mod pull;
mod report;
mod scheme;
mod settings;
mod solve;
mod steps;
mod stiff;
mod displacement_bound;
mod turn;
mod yields;

use crate::contact::active::ActiveSet;
use crate::contact::appear;
use crate::contact::caught::Caught;
use crate::contact::ignore::CollisionFilter;
use crate::contact::offset_ramp;
use crate::contact::vertex_test::VertexTest;
use crate::effect::Running;
use crate::force::assembly::Assembly;
use crate::force::links::Links;
use crate::force::term::Precision;
use crate::linalg::pcg::Pcg;
use crate::linalg::{Vec3, par};
use crate::world::effect::{At, Made};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{State, World};
use energies::Acts;
use guard::When;
pub use report::{Report, Touch};
use report::{lap, timed};
pub use scheme::Integrator;
pub use settings::Settings;
use std::time::Instant;
pub use steps::steps;

/// Largest stretch of an edge in a step, relative to its rest length. Above the first the edge is shortened; above the
/// second the step is repeated with half the size. Forces are linear in a step, and the proof ignores forces. A
/// membrane stretched so far by an impact has not transmitted it, and would act as a catapult.
const STRETCH: (f64, f64) = (0.05, 0.2);
/// Largest relative stretch of an edge in the smallest step, before the step is repeated below that size. Larger
/// stretch generates more energy than the impact has.
const FATAL_STRETCH: f64 = 1.0;
/// Tolerances of the first and of the following solves at which contacts are checked for fast closing and crossing. In
/// units of the tolerance of the solve.
const COARSE_TOLERANCES: [f64; 2] = [10.0, 3.0];
/// Largest relative residual at which an unconverged solve is still accepted.
const ACCEPTED_RESIDUAL: f64 = 0.1;
/// Largest number of linear solves in a step.
const SOLVES: usize = 4;

/// Advances a state. Implementations hold reusable storage only; a resumed run needs none of it.
pub trait Advance: Send {
    /// Advances by one step toward the time `until` [s], which the last step reaches exactly. A step is at most that of
    /// the settings and twice the last one; the first is short. A step that fails is repeated with half the size, down
    /// to the smallest.
    ///
    /// # Errors
    /// Returns the reason if the smallest step fails. `state` is then the last good one.
    fn step(&mut self, world: &World, state: &mut State, until: f64) -> Result<Report, StepError>;

    /// Advances by steps to the time `until` [s].
    ///
    /// # Errors
    /// Returns the reason if the smallest step fails. `state` is then the last good one.
    fn advance(&mut self, world: &World, state: &mut State, until: f64) -> Result<Report, StepError> {
        let mut report = Report::default();
        while state.time < until {
            report.add(&self.step(world, state, until)?);
        }
        Ok(report)
    }

    /// Returns the settings.
    fn settings(&self) -> Settings;

    /// Returns the forces of probes in the last step, by probe [N].
    fn forces(&self) -> &[Vec<Vec3>] {
        &[]
    }

    /// Returns the contacts of the last step. A stepper has none before its first step.
    fn contacts(&self) -> Vec<Touch> {
        Vec::new()
    }
}

/// Creates a stepper with a matrix in single precision, or in double precision if the tolerance requires it.
pub fn stepper(world: &World, settings: Settings, double: bool) -> Box<dyn Advance> {
    if double { Box::new(Stepper::<f64>::new(world, settings)) } else { Box::new(Stepper::<f32>::new(world, settings)) }
}

/// Size of a step, and pace of prescribed motion in it.
#[derive(Clone, Copy, Debug)]
struct StepPlan {
    /// Size [s].
    h: f64,
    /// Time of prescribed motion at the end [s].
    end: f64,
    /// Same time, as the next step computes it from the state [s].
    next: f64,
    /// Part by which the pace of prescribed motion is reduced.
    held: f64,
}

/// Stepper for one precision of the matrix.
pub struct Stepper<T> {
    settings: Settings,
    assembly: Assembly<T>,
    pcg: Pcg<T>,
    contacts: ActiveSet,
    vertex_test: Option<VertexTest>,
    filter: CollisionFilter,
    caught: Caught,
    effects: Running,
    pulls: pull::Pulls,
    links: Links,
    free: free::FreeComponents,
    turns: turn::Turns,
    /// True if cloth has internal friction.
    rubs: bool,
    stiff: stiff::Stiff,
    guard: guard::EnergyGuard,
    displacement_bound: displacement_bound::DisplacementBound,
    accuracy: accuracy::Accuracy,
    springs: limit::Springs,
    meter: probe::ProbeRecorder<T>,
    /// Bounds of the norms of right-hand sides, by component: lower bound, upper bound, and upper bound in the stopping
    /// rule alone.
    bounds: [Vec<f64>; 3],
    now: Step,
    /// Time of the last measurement.
    clock: Instant,
}

impl<T: Precision> Stepper<T> {
    /// Creates the storage for a world.
    pub fn new(world: &World, settings: Settings) -> Stepper<T> {
        let moving = world.moving;
        Stepper {
            settings,
            assembly: Assembly::new(&world.elements, &world.starts),
            pcg: Pcg::default(),
            contacts: ActiveSet::new(world, settings.step),
            vertex_test: VertexTest::new(world),
            filter: CollisionFilter::default(),
            caught: Caught::new(world),
            effects: Running::new(world),
            pulls: pull::Pulls::default(),
            links: Links::new(&world.starts),
            free: free::FreeComponents::new(world),
            turns: turn::Turns::new(world),
            rubs: world.elements.cloth_laws.iter().any(|law| law.inner.stretches() || law.inner.bends()),
            stiff: stiff::Stiff::new(world),
            guard: guard::EnergyGuard::default(),
            displacement_bound: displacement_bound::DisplacementBound::new(world),
            accuracy: accuracy::Accuracy::new(world, settings.accuracy),
            springs: limit::Springs::default(),
            meter: probe::ProbeRecorder::new(world),
            bounds: [0.0, f64::INFINITY, f64::INFINITY].map(|bound| vec![bound; world.component_mass.len()]),
            clock: Instant::now(),
            now: Step {
                mass: vec![0.0; moving],
                displacement: vec![Vec3::zeros(); world.rest.len()],
                ahead: vec![Vec3::zeros(); moving],
                left: vec![Vec3::zeros(); moving],
                drift: vec![Vec3::zeros(); moving],
                guess: vec![Vec3::zeros(); moving],
                velocity: vec![Vec3::zeros(); moving],
                dx: vec![Vec3::zeros(); moving],
                predicted: vec![Vec3::zeros(); moving],
                fixed: vec![false; moving],
                touched: vec![false; world.rest.len()],
                limited: vec![false; moving],
                effective_dt: vec![0.0; moving],
                ..Step::default()
            },
        }
    }

    /// Attempts one step: the stages in order. `state` changes only on success; the report counts the attempt in any
    /// case.
    fn attempt(
        &mut self,
        world: &World,
        state: &mut State,
        StepPlan { h, end, next, held }: StepPlan,
        report: &mut Report,
    ) -> Result<(), StepError> {
        self.clock = Instant::now();
        let begin = state.now();
        self.now = Step { h, begin, end, next, held, ..std::mem::take(&mut self.now) };
        self.predict(world, state)?;
        self.begin_effects(world, state, report);
        self.detect(world, state, report)?;
        self.linearise(world, state, report);
        let solves = self.solve(world, state, report)?;
        let limited = self.limit(world, state, report)?;
        let proven = self.prove(world, state, [solves > 1, solves == SOLVES || limited], report);
        let proven = proven.and_then(|()| appear::look(world, state, &self.now));
        let at = (world, &*state, &self.now);
        let proven = proven.and_then(|()| impact::look(at, self.contacts.contacts(), &self.settings, report));
        report.error = self.accuracy.error(world, state, &self.now);
        let proven = proven.and_then(|()| self.accuracy.check(report.error, &self.now, &self.settings));
        if proven.is_ok() {
            self.commit(world, state, report);
        }
        lap(&mut self.clock, &mut report.seconds.check);
        proven
    }

    /// Computes masses, free flight, and prescribed motion of pins and obstacles.
    fn predict(&mut self, world: &World, state: &mut State) -> Result<(), StepError> {
        let Stepper { settings, displacement_bound, springs, turns, caught, now, .. } = self;
        springs.clear();
        [&mut now.found, &mut now.swift, &mut now.extended].into_iter().for_each(Vec::clear);
        now.limited.fill(false);
        world.masses(state, &mut now.mass);
        world.soften(state, &mut now.stiffness_scale);
        let times = [state.time, state.time + now.h];
        world.scale(times, &mut now.scales);
        world.turn(state, times, &mut now.turned);
        world.grow(state, &mut now.grown);
        world.elements.each_term(|term| {
            term.mass(state.memory.of(term.name()), &mut |v, mass| now.mass[v as usize] += mass);
        });
        scheme::free_flight(world, state, settings.integrator, now);
        let freed = scheme::prescribe(world, state, now);
        turns.find(world, state, now);
        caught.catch(world, state, now);
        if freed.contains(&true) {
            let begin = now.begin;
            offset_ramp::ramp_offset(
                world,
                state,
                |i, j| world.meet_at(i, j, begin),
                |v| freed.get(v as usize) == Some(&true),
            );
        }
        displacement_bound.check(world, now)
    }

    /// Begins effects, which set quantities that laws and contacts read.
    fn begin_effects(&mut self, world: &World, state: &State, report: &mut Report) {
        let mut other = 0.0;
        lap(&mut self.clock, &mut other);
        report.seconds.assembly += other;
        self.effects.begin(At { world, state }, &mut self.now, &mut report.effects.tallies);
        self.now.air_speed = world.air_speed(state, state.time + self.now.h);
        lap(&mut self.clock, &mut report.seconds.flow);
    }

    /// Finds candidate pairs, contacts, links of effects and handles. Then linearises contacts.
    fn detect(&mut self, world: &World, state: &State, report: &mut Report) -> Result<(), StepError> {
        let Stepper { contacts, effects, pulls, links, turns, stiff, now, clock, .. } = self;
        report.builds += contacts.update_candidates(world, state, now)?;
        report.candidates = contacts.candidate_count();
        lap(clock, &mut report.seconds.broad);
        contacts.find_contacts(world, state, now);
        stiff.spread(now.h, &mut now.touched);
        scheme::restart_touched(world, state, turns, now);
        lap(clock, &mut report.seconds.narrow);
        effects.update(At { world, state }, now, &mut report.effects.tallies);
        lap(clock, &mut report.seconds.air);
        pulls.find(world, state, now);
        contacts.linearise(world, state, now, |contacts, fixed| {
            links.place(&solve::coupling(world, pulls, effects, contacts), fixed);
        });
        (report.contacts, report.min_gap) = contacts.summary();
        lap(clock, &mut report.seconds.narrow);
        Ok(())
    }

    /// Linearises all laws and effects about free flight, and sets the first guess.
    fn linearise(&mut self, world: &World, state: &State, report: &mut Report) {
        let Stepper { assembly, effects, pulls, turns, now, clock, .. } = self;
        pulls.pull(world, state, now);
        effects.linearise(At { world, state }, now);
        turns.ahead(world, state, now);
        // In parallel: neither depends on the other, and the air has serial parts that leave a thread free.
        let (step, forces) = (&*now, &mut *assembly);
        let (pressed, assembled) = par::join(
            || timed(|| effects.foresee(At { world, state }, step)),
            || timed(|| solve::assemble(world, state, step, forces)),
        );
        // Each gets half of the time in which both run.
        let mut both = 0.0;
        lap(clock, &mut both);
        report.seconds.air += 0.5 * (both + pressed - assembled);
        report.seconds.assembly += 0.5 * (both + assembled - pressed);
        effects.push(world, &mut assembly.force);
        effects.low_rank(world, &mut assembly.matrix.low_rank);
        assembly.keep();
        let Step { dx, effective_dt, fixed, predicted, displacement, guess, .. } = now;
        par::fill(dx, |v| if fixed[v] { Vec3::zeros() } else { guess[v] * (effective_dt[v] * effective_dt[v]) });
        par::fill(predicted, |v| displacement[v]);
        lap(clock, &mut report.seconds.assembly);
    }

    /// Solves the linear system, and again if its solution closes contacts too fast or leaves pairs unproven. Returns
    /// the number of solves.
    fn solve(&mut self, world: &World, state: &State, report: &mut Report) -> Result<usize, StepError> {
        self.begin(world, state, report)?;
        // Contacts that close too fast, or cross, show long before convergence. A contact with both gets a penalty
        // twice, the second time stiffer.
        self.iterate(world, COARSE_TOLERANCES[0], report)?;
        let mut stopped = self.contacts.add_penalties(world, &self.now);
        if stopped {
            self.contacts.add_unproven_penalties(world, state, &self.now);
        } else if !self.rubs {
            self.iterate(world, 1.0, report)?;
            stopped = self.contacts.add_penalties(world, &self.now);
        }
        let mut solves = 1;
        if stopped || !self.rubs {
            self.clear(world, state, (&mut solves, stopped), report)?;
        }
        if self.rubs {
            self.refine(world, state, &mut solves, report)?;
        }
        report.stops += u64::from(solves > 1);
        Ok(solves)
    }

    /// Adds springs at edges beyond their strain limits, with a solve for each set of them. Then computes velocities.
    /// Returns true if there were any.
    fn limit(&mut self, world: &World, state: &State, report: &mut Report) -> Result<bool, StepError> {
        let mut limited = 0;
        while limited < SOLVES && self.springs.find(world, state, &self.now) {
            lap(&mut self.clock, &mut report.seconds.check);
            if scheme::restart_implicit_euler(world, state, &self.turns, &mut self.now) {
                self.springs.find(world, state, &self.now);
                let Step { predicted, displacement, .. } = &mut self.now;
                displacement[..world.moving].copy_from_slice(predicted);
                self.pulls.pull(world, state, &self.now);
                self.effects.linearise(At { world, state }, &self.now);
                self.turns.ahead(world, state, &mut self.now);
                let Step { found, swift, extended, .. } = &mut self.now;
                [found, swift, extended].into_iter().for_each(Vec::clear);
                solve::assemble(world, state, &self.now, &mut self.assembly);
                self.effects.push(world, &mut self.assembly.force);
                self.assembly.keep();
            }
            self.assembly.restore();
            self.begin(world, state, report)?;
            self.iterate(world, 1.0, report)?;
            limited += 1;
        }
        self.meter.note(&self.now);
        let Step { velocity, dx, effective_dt, .. } = &mut self.now;
        par::each_mut(velocity, |v, velocity| *velocity += dx[v] / effective_dt[v]);
        Ok(limited > 0)
    }

    /// Commits the step: sets the new state and all memories.
    fn commit(&mut self, world: &World, state: &mut State, report: &mut Report) {
        self.free.settle(world, state, &mut self.now);
        self.turns.settle(world, state, &mut self.now, &self.free);
        if self.meter.asked() {
            self.measure(world, state);
        }
        let Stepper { contacts, effects, guard, filter, caught, turns, now, clock, .. } = self;
        contacts.advance_bristles(world, state, now);
        effects.before_commit(world, state, now);
        scheme::commit(world, state, turns, now);
        state.energy_drift.clone_from(guard.energy_drift());
        let State { x, memory, .. } = &mut *state;
        world.elements.commit(x, memory);
        if !state.offset_scale.is_empty() {
            offset_ramp::grow(world, state, contacts.contacts(), now.h);
        }
        appear::ramp_offset(world, state, now);
        filter.release(world, state, now.next);
        caught.let_go(world, state, now.next);
        lap(clock, &mut report.seconds.check);
        effects.commit(world, state, Made { step: now, touching: contacts }, &mut report.effects);
        lap(clock, &mut report.seconds.air);
    }

    /// Measures the quantities of probes in the step.
    fn measure(&mut self, world: &World, state: &mut State) {
        let Stepper { settings, assembly, contacts, effects, pulls, springs, meter, now, .. } = self;
        let mut work = std::mem::take(&mut state.work);
        let links = probe::Links { pulls, contacts, effects };
        let integrator = settings.integrator;
        let acted = probe::Acted { world, state, step: now, integrator, assembly, links, springs };
        meter.measure(&acted, &mut work);
        state.work = work;
    }

    /// Checks end positions: strain limits and energies, then a proof for each pair that may have crossed.
    fn prove(
        &mut self,
        world: &World,
        state: &State,
        [stopped, resolved]: [bool; 2],
        report: &mut Report,
    ) -> Result<(), StepError> {
        let Stepper { settings, pcg, contacts, vertex_test, effects, pulls, free, guard, springs, now, .. } = self;
        // Equal steps to the end of the interval may be longer by rounding.
        let [smallest, finest] = [1.0, control::FINEST].map(|parts| now.h <= settings.min_step / parts * (1.0 + 1e-5));
        let residual = pcg.outcome().residual;
        if residual > ACCEPTED_RESIDUAL && !finest {
            return Err(StepError::Unsolved(residual));
        }
        // Strain limits come last, as strain-rate limiting of an edge may stretch the next.
        let eased = limit::limit_strain_rate(world, state, now, STRETCH.0);
        let shortened = limit::limit_strain(world, state, now, springs, smallest)?;
        let damped = guard.check(
            world,
            state,
            now,
            Acts { free, pulls, effects, contacts: contacts.contacts() },
            When { violent: stopped || eased, smallest, proven: false },
        )?;
        let corrected = contacts.check(world, state, now, resolved || damped || eased || shortened)?;
        if corrected.vertices > 0 {
            free.join(world, now, contacts.corrected());
            let acts = Acts { free, pulls, effects, contacts: contacts.contacts() };
            if guard.check(world, state, now, acts, When { violent: true, smallest, proven: true })? {
                contacts.check(world, state, now, true)?;
                free.join(world, now, contacts.corrected());
            }
        }
        contacts.room(now)?;
        if let Some(test) = vertex_test {
            let held = test.hold(world, state, now);
            free.join(world, now, held);
        }
        let overstretched = limit::overstretched(world, state, now, STRETCH.1);
        if let Some((edge, part)) = overstretched.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))
            && !(if part > FATAL_STRETCH { finest } else { smallest })
        {
            return Err(StepError::Torn(edge, part));
        }
        (report.corrected, report.truncated) = (corrected.vertices, corrected.truncated);
        report.beyond = limit::beyond(world, state, now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::tether::{Cord, Tethers};
    use crate::mesh::generate::{Diagonals, lying, sheet};
    use crate::world::build::{ClothInput, Input, build};
    use std::sync::Arc;

    /// Returns a sheet on a cord, with a law that remembers its largest stretch.
    pub(super) fn tethered(stiffness: f64) -> (World, State, Stepper<f64>) {
        let cloth = ClothInput::plain(sheet(4, 4, 0.1, 0.1, Diagonals::Aligned, lying(0.1, 0.1)), 100.0, 0.2);
        let (mut world, mut state) = build(Input { cloths: vec![cloth], ..Input::empty(Vec3::new(0.0, -9.81, 0.0)) });
        let point = state.x[0] + Vec3::y() * 0.1;
        world.add(Arc::new(Tethers(vec![Cord { vertex: 0, point, length: 0.09, stiffness, set: 0.5 }])));
        state.memory = world.elements.memory(&state.x);
        state.v.iter_mut().for_each(|v| v.y = -1.0);
        let settings = Settings {
            step: 1e-3,
            min_step: 1e-5,
            accuracy: f64::INFINITY,
            integrator: Integrator::Bdf2,
            tolerance: 1e-6,
            iterations: 500,
        };
        let stepper = Stepper::new(&world, settings);
        (world, state, stepper)
    }

    /// A step that fails after assembly changes neither positions nor the memory of a law.
    #[test]
    fn a_step_that_fails_changes_nothing() {
        let (world, mut state, mut stepper) = tethered(f64::NAN);
        let before = state.clone();
        let mut report = Report::default();
        let failed =
            stepper.attempt(&world, &mut state, StepPlan { h: 1e-3, end: 1e-3, next: 1e-3, held: 0.0 }, &mut report);
        assert!(failed.is_err() && report.seconds.assembly > 0.0, "{failed:?}");
        assert_eq!(state, before);
    }

    /// A solve without iterations keeps all of its error. The step is then refined down to the shortest allowed.
    #[test]
    fn a_step_that_is_not_solved_is_made_finer_than_the_smallest() {
        let (world, mut state, mut stepper) = tethered(1e3);
        stepper.settings = Settings { min_step: 1e-3, iterations: 0, ..stepper.settings };
        let report = stepper.step(&world, &mut state, 1e-3).unwrap();
        let finest = 1e-3 / control::FINEST;
        assert!(report.repeats > 0 && (state.time / finest - 1.0).abs() < 1e-9, "{:.2e} s", state.time);
    }

    /// A step that succeeds updates the memory: 1 m/s for 1 ms, and half of the speed gained by gravity.
    #[test]
    fn a_step_that_succeeds_is_remembered() {
        let (world, mut state, mut stepper) = tethered(1e-3);
        stepper
            .attempt(&world, &mut state, StepPlan { h: 1e-3, end: 1e-3, next: 1e-3, held: 0.0 }, &mut Report::default())
            .unwrap();
        let [section] = &state.memory.0[..] else { panic!("one law remembers") };
        assert!((section.values[0] - 0.101).abs() < 2e-5, "{:?}", section.values);
    }
}
