//! Air layer between a cloth and a body (Chen, Feng & Wang 2013, section 6, corrected).
//!
//! A cloth vertex `i` has the volume `V_i = A_i d_i` of the gap below it. The energy of its air is `Q_i = P_i V_i`,
//! mass times the square of the isothermal speed of sound `c`. An edge is a duct with a width from the mesh and the
//! height of the gap. Air flows through the cloth by its permeability (`effect::permeability`), and along the ducts by
//! the pressure difference. Friction at the walls slows it (Poiseuille: a relaxation time `tau = d^2/(12 nu)`):
//!
//! `dQ_i/dt = g_i (P_out - P_i) + sum_j phi_ij`, `g_i = A_i P_atm w/dP`,
//! `dphi_ij/dt = c^2 s_ij/l_ij (P_j - P_i) - phi_ij/tau_ij`.
//!
//! Backward Euler gives a symmetric system in the excess `p = P - P_atm`, with `k = c^2 s/l/(1 + h/tau)`,
//! `f = phi/(1 + h/tau)`:
//!
//! `(V_i + h g_i) p_i + h^2 sum_j k_ij (p_i - p_j) = Q_i - P_atm V_i + h g_i p_out + h sum_j f_ij`.
//!
//! Where the speed `w` through the cloth is not proportional to the pressure difference, `g_i` is the value at the end
//! of the step. It is found by repeated solves, each with `g` from the last pressures. The first assumes equal pressure
//! changes of neighbours, which is exact for a uniformly pressed layer. Elsewhere `g` falls at most with the square
//! root of the pressure, and the pressure at most with `g`. A solve thus about halves the logarithm of the error of
//! `g`. One to three solves suffice where heights vary smoothly, nine where they vary wildly. Each solve is as
//! symmetric and monotone as with a constant `g`. The change of pressure with the gap uses the tangent of `w`, which is
//! smaller.
//!
//! The fluxes then move `Q`, so that it is conserved whatever the accuracy of the solve. The paper prints `s_ij/l_ij`
//! as a constant, with wave speeds that depend on the mesh. It takes the distance of the centroids of both triangles as
//! the width of the duct. Here the width is that of the linear finite element, half the cotangents of the opposite
//! angles. Plane waves then have the same speed in all directions on any mesh.

mod step;
mod as_printed;

use super::reference::{self, NOTHING, Reference};
use crate::effect::permeability::PermeabilityLaw;
use crate::linalg::diffusion::{Coarse, Diffusion, Equation};
use crate::linalg::graph::Graph;
use crate::linalg::pcg::Outcome;
use crate::linalg::skyline::SkylineCholesky;
use crate::linalg::{Vec3, par};
use crate::mesh::topology::Topology;
use step::Step;

/// Largest number of solves in a step.
const SOLVES: usize = 12;

/// Properties of the gas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gas {
    /// Atmospheric pressure [Pa].
    pub pressure: f64,
    /// Isothermal speed of sound [m/s].
    pub speed: f64,
    /// Kinematic viscosity [m^2/s].
    pub viscosity: f64,
    /// Lower bound of the height of the gap [m].
    pub least: f64,
}

impl Default for Gas {
    /// Returns air at 20 degrees.
    fn default() -> Gas {
        Gas { pressure: 101_325.0, speed: 290.6, viscosity: 1.5e-5, least: 1e-4 }
    }
}

/// Formulation of the air's equation in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Symmetric system in the pressures, by conjugate gradients ([`Air::advance`]).
    #[default]
    Symmetric,
    /// Unsymmetric system in the energies, as in the paper, by BiCGSTAB ([`reference`]).
    Reference,
    /// Matrix and right-hand side of the paper as printed, with their defects (`as_printed`).
    AsPrinted,
}

/// Constants of a layer.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// Formulation of the air's equation in a step.
    pub method: Method,
    pub(super) graph: Graph,
    /// Width of each edge's duct over its length [-].
    shapes: Vec<f64>,
    /// Distance between the centroids of the triangles at each edge [m].
    pub(super) spans: Vec<f64>,
    /// Area of each vertex [m^2].
    pub areas: Vec<f64>,
    /// Speed of air through the cloth over the pressure difference, by vertex [m/(s Pa)]. Inertia is not included.
    pub permeance: Vec<f64>,
    /// Inertial pressure over the speed squared, by vertex [Pa s^2/m^2].
    pub inertia: Vec<f64>,
    /// True for vertices where the layer is open to the atmosphere.
    pub open: Vec<bool>,
}

/// State of the air of a layer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Air {
    /// Pressure times volume, by vertex [J].
    pub energy: Vec<f64>,
    /// Energy flux from the second to the first vertex of each edge [W].
    pub flux: Vec<f64>,
    /// Excess over atmospheric pressure, by vertex [Pa].
    pub excess: Vec<f64>,
    /// Energy one step before, by vertex [J]. Empty before the first step, and if the method does not need it.
    pub before: Vec<f64>,
    /// Uncovered part of the cloth, by vertex. Empty if nothing can cover it.
    pub free: Vec<f64>,
}

/// Inputs of the prediction for a step.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<'a> {
    /// Height of each column, and its increase in free flight [m].
    pub predicted: &'a [[f64; 2]],
    /// Outside excess over atmospheric pressure, by column [Pa].
    pub outside: &'a [f64],
    /// Size of the step [s].
    pub h: f64,
}

/// Reusable storage.
#[derive(Clone, Debug, Default)]
pub struct Work {
    pub(super) diffusion: Diffusion,
    pub(super) vertex: Vec<f64>,
    pub(super) edge: Vec<f64>,
    right: Vec<f64>,
    /// Fluxes at the end of the step after wall friction, without the new pressures [W].
    flux: Vec<f64>,
    /// Sum of these fluxes into each vertex [W].
    flows: Vec<f64>,
    /// Part of its outflow that a vertex can supply.
    supply: Vec<f64>,
    pub(super) reference: Reference,
    /// Leak through the cloth per pressure difference, by vertex [m^3/s], and a constant leak [W].
    leak: Vec<[f64; 2]>,
    /// Predicted heights [m] and energies [J].
    heights: Vec<f64>,
    energy: Vec<f64>,
    /// Copy of the air, for a method that predicts by a whole step.
    copy: Air,
}

impl Work {
    /// Restricts the last step's system to the groups of vertices, see [`Equation::coarsen`]. Volumes are positive, so
    /// it is positive definite.
    pub fn coarsen(&self, layer: &Layer, coarse: &mut Coarse, parts: [(f64, &mut SkylineCholesky); 2]) {
        let Layer { graph, open, shapes, .. } = layer;
        let equation = Equation { graph, vertex: &self.vertex, edge: &self.edge, fixed: open };
        equation.coarsen(&self.diffusion, shapes, coarse, parts);
    }

    /// Returns a lower bound of the last step's matrix for zero-mean vectors within the group of the vertex in `slot`
    /// [m^3]. It is volume and leak, plus the exchange with neighbours over the group size `n`. The longest wave in a
    /// square of `n` vertices has `pi^2/(4 n)` of the diagonal, more than twice that exchange.
    pub fn least(&self, layer: &Layer, slot: usize) -> f64 {
        let v = layer.graph.vertex_at(slot);
        let exchange = self.diffusion.diagonal(slot) - self.vertex[v];
        self.vertex[v] + exchange / f64::from(layer.graph.group_size(layer.group(v)))
    }

    /// Returns the diagonal of the last step's symmetric matrix at vertex `v` [m^3]: volume, leak and exchange with
    /// neighbours. The leak is its derivative by pressure.
    pub fn diagonal(&self, layer: &Layer, v: usize) -> f64 {
        let Layer { graph, open, .. } = layer;
        Equation { graph, vertex: &self.vertex, edge: &self.edge, fixed: open }.diagonal(v)
    }

    /// Returns the last step's matrix as a dense matrix.
    #[cfg(test)]
    pub fn dense(&self, layer: &Layer) -> nalgebra::DMatrix<f64> {
        let mut dense = nalgebra::DMatrix::from_diagonal(&nalgebra::DVector::from_column_slice(&self.vertex));
        for ([a, b], k) in layer.graph.edges.iter().map(|e| e.map(|v| v as usize)).zip(&self.edge) {
            for (v, w, k) in [(a, a, *k), (b, b, *k), (a, b, -k), (b, a, -k)] {
                dense[(v, w)] += k;
            }
        }
        dense
    }
}

impl Layer {
    /// Creates the layer under triangles with corners at `x` [m] and the permeance `permeance` [m/(s Pa)]. Only
    /// vertices without triangles are open.
    pub fn new(x: &[Vec3], triangles: &[[u32; 3]], permeance: f64) -> Layer {
        let topology = Topology::new(x.len(), triangles);
        let (areas, mut shapes) = topology.areas_and_shapes(x, triangles);
        // No air flows across an edge with a negative width, opposite to obtuse angles. A negative width would make
        // waves unstable.
        shapes.iter_mut().for_each(|s| *s = s.max(0.0));
        Layer {
            method: Method::default(),
            spans: reference::spans(x, triangles, &topology),
            graph: Graph::new(x, topology.edges),
            shapes,
            open: areas.iter().map(|a| *a == 0.0).collect(),
            areas,
            permeance: vec![permeance; x.len()],
            inertia: vec![0.0; x.len()],
        }
    }

    /// Returns the group of neighbours that contains vertex `v`.
    pub fn group(&self, v: usize) -> u32 {
        self.graph.group(v)
    }

    /// Iterates over the vertices of each group.
    pub fn groups(&self) -> impl Iterator<Item = &[u32]> {
        self.graph.members()
    }

    /// Returns the number of vertices.
    pub fn size(&self) -> usize {
        self.areas.len()
    }

    /// Returns the volume below vertex `v` for a gap of height `gap` [m^3].
    pub fn volume(&self, v: usize, gap: f64, gas: &Gas) -> f64 {
        self.areas[v] * gap.max(gas.least)
    }

    /// Returns the permeability law of the cloth at vertex `v`, of which the part `free` is not covered.
    pub fn through(&self, v: usize, free: f64) -> PermeabilityLaw {
        PermeabilityLaw { permeance: free * self.permeance[v], inertia: self.inertia[v] / (free * free) }
    }

    /// Returns the leak through the cloth at vertex `v` per pressure difference [m^3/s]. `across` is the pressure
    /// difference [Pa], `free` the part that is not covered.
    pub fn leak(&self, v: usize, gas: &Gas, across: f64, free: f64) -> f64 {
        self.through(v, free).secant(across) * self.areas[v] * gas.pressure
    }
}

impl Air {
    /// Returns still air at atmospheric pressure.
    pub fn still(layer: &Layer, gas: &Gas, gaps: &[f64]) -> Air {
        Air {
            energy: (0..layer.size()).map(|v| gas.pressure * layer.volume(v, gaps[v], gas)).collect(),
            flux: vec![0.0; layer.shapes.len()],
            excess: vec![0.0; layer.size()],
            before: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Advances by a step of size `h` [s] to the heights `gaps` [m]. `outside` is the outside excess over atmospheric
    /// pressure [Pa], by vertex.
    pub fn advance(
        &mut self,
        layer: &Layer,
        gas: &Gas,
        gaps: &[f64],
        outside: &[f64],
        h: f64,
        work: &mut Work,
    ) -> Outcome {
        if layer.method == Method::AsPrinted {
            return as_printed::as_printed(self, layer, gas, gaps, h, work);
        }
        let Air { energy, flux, excess, free, .. } = self;
        let outcome = work.pressures(&Step { layer, gas, energy, flux, free, gaps, outside, h }, SOLVES, excess);
        let Work { edge, flux: left, leak, .. } = work;
        par::each_mut(flux, |e, flux| {
            let [first, second] = layer.graph.edges[e];
            *flux = left[e] + edge[e] / h * (excess[second as usize] - excess[first as usize]);
        });
        par::each_mut(energy, |v, energy| {
            if layer.open[v] {
                *energy = gas.pressure * layer.volume(v, gaps[v], gas);
                return;
            }
            let [flows, _] = layer.graph.flows(v, flux);
            *energy += h * (leak[v][0] * (outside[v] - excess[v]) + leak[v][1] + flows);
        });
        outcome
    }

    /// Predicts the excess over atmospheric pressure, `foreseen` [Pa], linearised. The result can serve as a bound of
    /// the pressure that follows. A gap that opens has its new height. A gap that closes keeps its height, and its air
    /// gets the energy of the compression; at height zero there would be no bound. Leak through the cloth follows the
    /// tangent of its law.
    pub fn foresee(
        &self,
        layer: &Layer,
        gas: &Gas,
        Ahead { predicted, outside, h }: Ahead,
        foreseen: &mut Vec<f64>,
        work: &mut Work,
    ) -> Outcome {
        let [mut heights, mut energy] = [&mut work.heights, &mut work.energy].map(std::mem::take);
        heights.resize(layer.size(), 0.0);
        let outcome = if layer.method == Method::AsPrinted {
            par::fill(&mut heights, |v| predicted[v].iter().sum());
            let mut copy = std::mem::take(&mut work.copy);
            copy.clone_from(self);
            let outcome = as_printed::as_printed(&mut copy, layer, gas, &heights, h, work);
            foreseen.clone_from(&copy.excess);
            work.copy = copy;
            outcome
        } else {
            energy.resize(layer.size(), 0.0);
            par::each_pair_mut(&mut heights, &mut energy, |v, height, energy| {
                let pressure = (gas.pressure + self.excess[v]).max(0.0);
                let [gap, opens] = predicted[v];
                *height = gap + opens.max(0.0);
                *energy = self.energy[v] - pressure * layer.areas[v] * opens.min(0.0);
            });
            foreseen.clone_from(&self.excess);
            let Air { flux, free, .. } = self;
            work.pressures(&Step { layer, gas, energy: &energy, flux, free, gaps: &heights, outside, h }, 0, foreseen)
        };
        (work.heights, work.energy) = (heights, energy);
        outcome
    }
}
