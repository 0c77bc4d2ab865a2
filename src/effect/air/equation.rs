//! The air between a cloth and a body (Chen, Feng & Wang 2013, section 6, corrected).
//!
//! A vertex `i` of the cloth stands for the volume `V_i = A_i d_i` of the gap below it and the energy `Q_i = P_i V_i` of its air (mass
//! times the square of the isothermal speed of sound `c`); an edge for a duct as wide as the mesh says and as high as the gap. Air
//! goes through the cloth by its permeability (`effect::permeability`) and along the ducts by the difference of pressure, slowed by the walls
//! (Poiseuille: a relaxation time `tau = d^2/(12 nu)`):
//!
//! `dQ_i/dt = g_i (P_out - P_i) + sum_j phi_ij`, `g_i = A_i P_atm w/dP`,
//! `dphi_ij/dt = c^2 s_ij/l_ij (P_j - P_i) - phi_ij/tau_ij`.
//!
//! Backward Euler gives one symmetric system in the excess `p = P - P_atm`, with `k = c^2 s/l/(1 + h/tau)`, `f = phi/(1 + h/tau)`:
//!
//! `(V_i + h g_i) p_i + h^2 sum_j k_ij (p_i - p_j) = Q_i - P_atm V_i + h g_i p_out + h sum_j f_ij`.
//!
//! Where the speed `w` through the cloth is not proportional to the pressure across it, `g_i` is that at the end of the step, found by solving
//! anew from the pressures found. It begins as if neighbours' pressures changed alike, which is exact for a layer that is pressed
//! evenly; elsewhere `g` falls with the root of the pressure at most and the pressure with `g` at most, so that a solve about halves the
//! logarithm of an error of `g`: one to three solves are enough where heights change smoothly, nine where they change wildly. Each is
//! as symmetric and as monotone as with a constant `g`. What the pressure changes by when the gap does is of the tangent, which is less.
//!
//! `Q` is then moved by the fluxes, so none is lost whatever the accuracy of the solve. The paper prints `s_ij/l_ij` as a constant, so that
//! the speed of waves depends on the mesh, and takes the distance of the centroids of both triangles for the width of the duct; here it
//! is the width of the linear finite element, half the cotangents of the opposite angles, for which plane waves have one speed in all
//! directions on any mesh.

mod step;

use super::seed::{self, Seed};
use crate::effect::permeability::Through;
use crate::linalg::diffusion::{Coarse, Diffusion, Equation};
use crate::linalg::envelope::Envelope;
use crate::linalg::graph::Graph;
use crate::linalg::pcg::Outcome;
use crate::linalg::{Vec3, par};
use crate::mesh::topology::Topology;
use step::Step;

/// Pressure that counts as none [Pa]: with it a 1 g/m2 cloth hangs 0.1 % lower.
pub(super) const NOTHING: f64 = 1e-5;
/// Most solves of a step.
const SOLVES: usize = 12;

/// The gas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gas {
    /// Pressure of the atmosphere [Pa].
    pub pressure: f64,
    /// Speed of sound at constant temperature [m/s].
    pub speed: f64,
    /// Kinematic viscosity [m^2/s].
    pub viscosity: f64,
    /// Least height of the gap that counts [m].
    pub least: f64,
}

impl Default for Gas {
    /// Air at 20 degrees.
    fn default() -> Gas {
        Gas { pressure: 101_325.0, speed: 290.6, viscosity: 1.5e-5, least: 1e-4 }
    }
}

/// How the air of a step is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// The symmetric system in the pressures, by conjugate gradients ([`Air::advance`]).
    #[default]
    Symmetric,
    /// The same in the energies, as the paper has it: the system is not symmetric and solved by BiCGSTAB ([`seed`]).
    Seed,
    /// The paper's matrix and right-hand side as printed, with their defects ([`seed::verbatim`]).
    SeedVerbatim,
}

/// What is constant of a layer.
#[derive(Clone, Debug, Default)]
pub struct Layer {
    /// How the air of a step is found.
    pub method: Method,
    pub(super) graph: Graph,
    /// Width of each edge's duct over its length [-].
    shapes: Vec<f64>,
    /// Distance between the centroids of the triangles at each edge [m].
    pub(super) spans: Vec<f64>,
    /// Area of each vertex [m^2].
    pub areas: Vec<f64>,
    /// Speed of air through the cloth over the pressure across it, by vertex [m/(s Pa)]; without what inertia takes.
    pub permeance: Vec<f64>,
    /// Pressure that the inertia of the air takes, over the speed squared, by vertex [Pa s^2/m^2].
    pub inertia: Vec<f64>,
    /// Vertices where the layer is open to the atmosphere.
    pub open: Vec<bool>,
}

/// The air of a layer at a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Air {
    /// Pressure times volume, by vertex [J].
    pub energy: Vec<f64>,
    /// From the second to the first vertex of each edge [W].
    pub flux: Vec<f64>,
    /// Pressure above that of the atmosphere, by vertex [Pa].
    pub excess: Vec<f64>,
    /// The energy a step before, by vertex [J]; empty before the first step, and where the method does not ask for it.
    pub before: Vec<f64>,
    /// Part of the cloth that what lies on it leaves free, by vertex; empty where nothing can.
    pub free: Vec<f64>,
}

/// What a step is to bring.
#[derive(Clone, Copy, Debug)]
pub struct Ahead<'a> {
    /// Height of each column, and what it grows by in free flight [m].
    pub flight: &'a [[f64; 2]],
    /// Pressure outside, above that of the atmosphere, by column [Pa].
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
    /// What is left of the fluxes at the end of the step before pressures drive them [W].
    flux: Vec<f64>,
    /// What they bring to each vertex [W].
    flows: Vec<f64>,
    /// Part of what a vertex would give that it has.
    supply: Vec<f64>,
    pub(super) seed: Seed,
    /// What flows through the cloth per pressure, by vertex [m^3/s], and beside that [W].
    leak: Vec<[f64; 2]>,
    /// Heights and energies that are foreseen [m, J].
    heights: Vec<f64>,
    energy: Vec<f64>,
    /// For a method that foresees by a step.
    copy: Air,
}

impl Work {
    /// The last step's system on the groups of vertices alone, see [`Equation::coarsen`]. Volumes are positive, so is it.
    pub fn coarsen(&self, layer: &Layer, coarse: &mut Coarse, parts: [(f64, &mut Envelope); 2]) {
        let Layer { graph, open, shapes, .. } = layer;
        let equation = Equation { graph, vertex: &self.vertex, edge: &self.edge, fixed: open };
        equation.coarsen(&self.diffusion, shapes, coarse, parts);
    }

    /// A bound of the last step's matrix from below, among what differs within the group of the vertex in a seat and has no mean there:
    /// volume and leak, and of the exchange with neighbours less than half of what the longest wave in a square of so many vertices has,
    /// `pi^2/(4 n)` of the diagonal [m^3].
    pub fn least(&self, layer: &Layer, seat: usize) -> f64 {
        let v = layer.graph.member(seat);
        let exchange = self.diffusion.diagonal(seat) - self.vertex[v];
        self.vertex[v] + exchange / f64::from(layer.graph.group_size(layer.group(v)))
    }

    /// Diagonal of the last step's symmetric matrix at vertex `v`: volume, leak and exchange with neighbours [m^3]. The leak is that of a
    /// change of pressure.
    pub fn diagonal(&self, layer: &Layer, v: usize) -> f64 {
        let Layer { graph, open, .. } = layer;
        Equation { graph, vertex: &self.vertex, edge: &self.edge, fixed: open }.diagonal(v)
    }

    /// The last step's matrix.
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
    /// Under triangles with corners at `x` [m]; each vertex with the permeance `permeance` [m/(s Pa)], none open but those in no
    /// triangle.
    pub fn new(x: &[Vec3], triangles: &[[u32; 3]], permeance: f64) -> Layer {
        let topology = Topology::new(x.len(), triangles);
        let (areas, mut shapes) = topology.areas_and_shapes(x, triangles);
        // Across two obtuse angles nothing flows: a negative width would make a wave of it.
        shapes.iter_mut().for_each(|s| *s = s.max(0.0));
        Layer {
            method: Method::default(),
            spans: seed::spans(x, triangles, &topology),
            graph: Graph::new(x, topology.edges),
            shapes,
            open: areas.iter().map(|a| *a == 0.0).collect(),
            areas,
            permeance: vec![permeance; x.len()],
            inertia: vec![0.0; x.len()],
        }
    }

    /// Group of neighbours that vertex `v` is in.
    pub fn group(&self, v: usize) -> u32 {
        self.graph.group(v)
    }

    /// The vertices of each group.
    pub fn groups(&self) -> impl Iterator<Item = &[u32]> {
        self.graph.members()
    }

    /// Number of vertices.
    pub fn size(&self) -> usize {
        self.areas.len()
    }

    /// Volume below vertex `v` where the gap is so high [m^3].
    pub fn volume(&self, v: usize, gap: f64, gas: &Gas) -> f64 {
        self.areas[v] * gap.max(gas.least)
    }

    /// How air goes through the cloth at vertex `v`, of which the part `free` is not covered.
    pub fn through(&self, v: usize, free: f64) -> Through {
        Through { permeance: free * self.permeance[v], inertia: self.inertia[v] / (free * free) }
    }

    /// What flows through the cloth at vertex `v` per pressure, where `across` [Pa] is across it and the part `free` is not covered
    /// [m^3/s].
    pub fn leak(&self, v: usize, gas: &Gas, across: f64, free: f64) -> f64 {
        self.through(v, free).secant(across) * self.areas[v] * gas.pressure
    }
}

impl Air {
    /// Still, at the pressure of the atmosphere.
    pub fn still(layer: &Layer, gas: &Gas, gaps: &[f64]) -> Air {
        Air {
            energy: (0..layer.size()).map(|v| gas.pressure * layer.volume(v, gaps[v], gas)).collect(),
            flux: vec![0.0; layer.shapes.len()],
            excess: vec![0.0; layer.size()],
            before: Vec::new(),
            free: Vec::new(),
        }
    }

    /// One step of size `h` [s] to the heights `gaps` [m], with the pressures `outside` above that of the atmosphere [Pa], by vertex.
    pub fn advance(
        &mut self,
        layer: &Layer,
        gas: &Gas,
        gaps: &[f64],
        outside: &[f64],
        h: f64,
        work: &mut Work,
    ) -> Outcome {
        if layer.method == Method::SeedVerbatim {
            return seed::verbatim(self, layer, gas, gaps, h, work);
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

    /// The pressures above that of the atmosphere, `foreseen` [Pa], linearised: what may come out of it and serve as a bound for what
    /// does. A gap that opens has its new height. One that closes would have none, and no bound: it keeps its height, and the air that is
    /// to be squeezed out of it comes to what it has. Through the cloth air goes by the tangent of its law.
    pub fn foresee(
        &self,
        layer: &Layer,
        gas: &Gas,
        Ahead { flight, outside, h }: Ahead,
        foreseen: &mut Vec<f64>,
        work: &mut Work,
    ) -> Outcome {
        let [mut heights, mut energy] = [&mut work.heights, &mut work.energy].map(std::mem::take);
        heights.resize(layer.size(), 0.0);
        let outcome = if layer.method == Method::SeedVerbatim {
            par::fill(&mut heights, |v| flight[v].iter().sum());
            let mut copy = std::mem::take(&mut work.copy);
            copy.clone_from(self);
            let outcome = seed::verbatim(&mut copy, layer, gas, &heights, h, work);
            foreseen.clone_from(&copy.excess);
            work.copy = copy;
            outcome
        } else {
            energy.resize(layer.size(), 0.0);
            par::each_pair_mut(&mut heights, &mut energy, |v, height, energy| {
                let pressure = (gas.pressure + self.excess[v]).max(0.0);
                let [gap, opens] = flight[v];
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
