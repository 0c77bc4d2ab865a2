//! Airflow in a box, coupled with cloth both ways.

/// Exchange of momentum with cloth in a step.
pub mod coupling;
/// Box, sides and inlets.
pub mod domain;
/// Force of air that flows past cloth.
pub mod resistance;
/// Incompressible flow on a grid.
pub mod solver;

use super::order;
use crate::world::carry::Carried;
use crate::world::effect::{At, Effect, Join, Remember, Tallies, Tally};
use crate::world::snapshot::{Piece, pieces};
use crate::world::step::Step;
use crate::world::{State, World};
use coupling::Coupling;
use domain::Airflow;
use solver::Flow;

/// Largest speed of the air.
pub static SPEED: Tally = Tally {
    word: "flow_speed",
    unit: "m/s",
    sentence: "Fastest that the air flows [m/s].",
    whole: false,
    join: Join::Last,
};
/// Kinetic energy of the flow.
pub static ENERGY: Tally = Tally {
    word: "flow_energy",
    unit: "J",
    sentence: "Kinetic energy of the flowing air [J], with what is inside obstacles and bodies at their speed.",
    ..SPEED
};
/// Volume flow that drains evenly from closed regions.
pub static DRAINED: Tally = Tally {
    word: "flow_drained",
    unit: "m3/s",
    sentence: "Air that vanishes, or comes, evenly in rooms from which there is no way out [m3/s].",
    ..SPEED
};
/// Iterations of the pressure solver.
pub static ITERATIONS: Tally = Tally {
    word: "flow_iterations",
    unit: "",
    sentence: "Iterations for the pressure of flowing air.",
    whole: true,
    join: Join::Sum,
};
/// Steps in which the pressure or viscosity solve did not converge.
pub static UNCONVERGED: Tally =
    Tally { word: "flow_unconverged", sentence: "Steps after which it had more divergence than asked.", ..ITERATIONS };

pieces! {
    Flow { velocity, pressure, kick, force }
}

impl Remember for Flow {
    const SECTIONS: &'static [(&'static str, u32)] = &[("flow", 1)];

    fn put(&self, _: usize, out: &mut Vec<u8>) {
        Piece::put(self, out);
    }

    fn take(&mut self, _: usize, from: &mut &[u8]) -> Option<()> {
        *self = Piece::take(from)?;
        Some(())
    }

    fn carry(&mut self, carried: &Carried) {
        if !self.force.is_empty() {
            self.force = carried.sums(&self.force);
        }
    }

    fn misfit(&self, start: &Flow, _: &World) -> Option<&'static str> {
        (self.sizes() != start.sizes()).then_some("cells or coupling of the airflow")
    }
}

impl Airflow {
    /// Returns the airflow of a world and its state.
    pub fn of<'a>(world: &'a World, state: &'a State) -> Option<(&'a Airflow, &'a Flow)> {
        Some((world.effects.get()?, state.effects.get()?))
    }
}

impl Effect for Airflow {
    type Memory = Flow;
    type Work = Coupling;
    const ORDER: u32 = order::AIRFLOW;
    const TALLIES: &'static [&'static Tally] = &[&SPEED, &ENERGY, &DRAINED, &ITERATIONS, &UNCONVERGED];

    fn start(&self, world: &World, _: &State) -> Flow {
        let mut flow = Flow::still(&self.grid);
        if self.two_way {
            flow.answer(&self.grid, world.moving);
        }
        flow
    }

    fn work(&self, _: &World) -> Coupling {
        Coupling::default()
    }

    fn air_speed(&self, memory: &Flow) -> f64 {
        memory.fastest()
    }

    fn begin(&self, at: At, memory: &Flow, work: &mut Coupling, step: &mut Step, tallies: &mut Tallies) {
        let done = work.advance(self, at, memory, step);
        tallies.tell(&ITERATIONS, done.iterations as f64);
        tallies.tell(&UNCONVERGED, f64::from(u8::from(!done.converged)));
        tallies.tell(&DRAINED, done.drained);
    }

    fn before_commit(&self, at: At, memory: &mut Flow, work: &mut Coupling, step: &Step) {
        work.commit(self, at.world, memory, step);
    }

    fn tally(&self, _: At, memory: &Flow, tallies: &mut Tallies) {
        tallies.tell(&SPEED, memory.fastest());
        tallies.tell(&ENERGY, memory.energy(&self.grid, self.fluid.density));
    }
}
