//! Two-way coupling of the airflow and cloth in a step, with moving solids as boundaries.

use super::domain::Airflow;
use super::resistance::Exposed;
use super::solver::bounds::Inlet;
use super::solver::grid::{Grid, Spread};
use super::solver::solid::Solids;
use super::solver::{Flow, Solver, Work};
use crate::force::scheme::Exchange;
use crate::linalg::{Vec3, par};
use crate::world::World;
use crate::world::effect::At;
use crate::world::step::Step;
use crate::world::window::Window;

/// Storage of the coupling, kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    solver: Solver,
    solids: Solids,
    /// True once the cells of the solids are known and no solid moves.
    still: bool,
    /// Third of the area vectors of each vertex's triangles [m^2].
    areas: Vec<Vec3>,
    /// Cloth vertices in the box, and the faces around them with weights, by axis.
    places: Vec<(u32, [Spread; 3])>,
    /// Sum of the weights of all vertices at each face.
    shares: [Vec<f64>; 3],
    /// Velocity change of the air by cloth [m/s].
    push: [Vec<f64>; 3],
}

impl Coupling {
    /// Advances the air by a step and computes its exchange with each moving vertex.
    pub fn advance(&mut self, airflow: &Airflow, at: At, flow: &Flow, step: &mut Step) -> Work {
        let At { state, .. } = at;
        self.find_solids(airflow, at, step);
        let time = state.time + step.h;
        let inlets: Vec<(&Inlet, f64)> = airflow.inlets.iter().map(|b| (&b.inlet, b.blow.at(time))).collect();
        let solids: &[_] = if airflow.solids.is_empty() { &[] } else { &self.solids.cells };
        self.solver.bounds.find(&airflow.grid, &airflow.sides, &inlets, solids);
        self.find_areas(at, step);
        self.place(airflow, at);
        if airflow.two_way {
            self.share(&airflow.grid);
            let per = step.h / (airflow.fluid.density * airflow.grid.volume());
            for (axis, push) in self.push.iter_mut().enumerate() {
                push.clone_from(&flow.kick[axis]);
            }
            give(&self.places, |v| -flow.force[v as usize] * per, &mut self.push);
        }
        let setting = (&airflow.grid, &airflow.sides, &airflow.fluid);
        let work = self.solver.advance(setting, flow, &self.push, step.h);
        self.expose(airflow, at, flow, step);
        work
    }

    /// Finds the cells inside obstacles and bodies, again in each step if one of them moves.
    fn find_solids(&mut self, airflow: &Airflow, At { world, state }: At, step: &Step) {
        if self.still || airflow.solids.is_empty() {
            return;
        }
        let stands = |k: &usize| {
            world.obstacles.iter().any(|o| o.object == *k && o.course.still() && o.window == Window::ALWAYS)
        };
        self.still = airflow.solids.iter().all(stands);
        let velocity = |v: u32| match v as usize {
            v if v < world.moving => state.v[v],
            v => step.displacement[v] / step.h,
        };
        airflow.find_solids(world, (&state.x, state.now()), velocity, &mut self.solids);
    }

    /// Computes the area vectors of cloth vertices, with the factors of their drag.
    fn find_areas(&mut self, At { world, state }: At, step: &Step) {
        self.areas.clear();
        self.areas.resize(world.moving, Vec3::zeros());
        for surface in &world.elements.aero_surfaces {
            for face in &surface.faces {
                let [a, b, c] = face.map(|v| state.x[v as usize]);
                let sixth = (b - a).cross(&(c - a)) / 6.0;
                face.iter().for_each(|v| self.areas[*v as usize] += sixth);
            }
        }
        self.areas.iter_mut().zip(&step.scales.drag).for_each(|(area, factor)| *area *= *factor);
    }

    /// Finds the cloth vertices in the box and the faces around them.
    fn place(&mut self, airflow: &Airflow, At { world, state }: At) {
        let grid = &airflow.grid;
        self.places.clear();
        for surface in &world.elements.aero_surfaces {
            for v in surface.vertices.clone().filter(|v| grid.reaches(&state.x[*v])) {
                self.places.push((v as u32, [0, 1, 2].map(|axis| grid.spread(axis, &state.x[v]))));
            }
        }
    }

    /// Sums the weights of all vertices at each face.
    fn share(&mut self, grid: &Grid) {
        for (axis, (shares, push)) in self.shares.iter_mut().zip(&mut self.push).enumerate() {
            shares.clear();
            shares.resize(grid.face_count(axis), 0.0);
            push.resize(shares.len(), 0.0);
        }
        give(&self.places, |_| Vec3::repeat(1.0), &mut self.shares);
    }

    /// Computes the exchange of air with each vertex, at the vertex's present velocity.
    fn expose(&self, airflow: &Airflow, At { world, state }: At, flow: &Flow, step: &mut Step) {
        let Coupling { solver, areas, places, shares, .. } = self;
        let mass = airflow.fluid.density * airflow.grid.volume();
        let around =
            |corners: &Spread, values: &[f64]| (0..12).fold(0.0, |sum, k| sum + corners.1[k] * values[corners.0[k]]);
        step.exchange.clear();
        step.exchange.resize(world.moving, Exchange::default());
        // Outside the box the air is at rest and has infinite mass.
        let mut airs = vec![(Vec3::zeros(), f64::INFINITY); world.moving];
        for (v, corners) in places {
            let air = Vec3::from_fn(|axis, _| around(&corners[axis], &solver.next.velocity[axis]));
            let share = |axis: usize| around(&corners[axis], &shares[axis]);
            let air_mass = if airflow.two_way { mass / (0..3).map(share).fold(0.0, f64::max) } else { f64::INFINITY };
            airs[*v as usize] = (air, air_mass);
        }
        for surface in &world.elements.aero_surfaces {
            let first = surface.vertices.start;
            par::each_mut(&mut step.exchange[surface.vertices.clone()], |k, exchange| {
                let v = first + k;
                let (air, mass) = airs[v];
                let before = if mass.is_finite() { flow.force[v] } else { Vec3::zeros() };
                let exposed = Exposed { area: areas[v], velocity: state.v[v], air, mass, before };
                *exchange = airflow.resistance.exchange(&surface.drag, &exposed, airflow.fluid.density, step.h);
            });
        }
    }

    /// Commits the step. Momentum that cloth gave beyond the force that the air has already received is added in the
    /// next step.
    pub fn commit(&mut self, airflow: &Airflow, world: &World, flow: &mut Flow, step: &Step) {
        let next = &mut self.solver.next;
        std::mem::swap(&mut flow.velocity, &mut next.velocity);
        std::mem::swap(&mut flow.pressure, &mut next.pressure);
        if !airflow.two_way {
            return;
        }
        let per = step.h / (airflow.fluid.density * airflow.grid.volume());
        let before = std::mem::take(&mut flow.force);
        let force = |v: usize| step.exchange[v].force - step.exchange[v].matrix * step.velocity[v];
        flow.force = vec![Vec3::zeros(); world.moving];
        self.places.iter().for_each(|(v, _)| flow.force[*v as usize] = force(*v as usize));
        flow.kick.iter_mut().for_each(|kick| kick.fill(0.0));
        let more = |v: u32| (before[v as usize] - flow.force[v as usize]) * per;
        give(&self.places, more, &mut flow.kick);
    }
}

/// Adds the value of each vertex to the faces around it, by weight.
fn give(places: &[(u32, [Spread; 3])], what: impl Fn(u32) -> Vec3, faces: &mut [Vec<f64>; 3]) {
    for (v, corners) in places {
        let own = what(*v);
        for ((places, weights), (faces, own)) in corners.iter().zip(faces.iter_mut().zip(own.iter())) {
            places.iter().zip(weights).for_each(|(face, weight)| faces[*face] += weight * own);
        }
    }
}
