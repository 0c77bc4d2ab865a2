//! Pressures of an air layer at the end of a step.

use super::{Gas, Layer, Method, NOTHING, Work};
use crate::effect::permeability::PermeabilityLaw;
use crate::linalg::diffusion::{Equation, Stop};
use crate::linalg::par;
use crate::linalg::pcg::Outcome;

/// Relative tolerance of the pressures in a step.
const TOLERANCE: f64 = 1e-5;
/// Allowed error relative to that of the first guess, the previous pressures. The air is conserved in any case, and the
/// next step starts from the result.
const PROGRESS: f64 = 0.1;
/// Allowed error of predicted pressures, likewise. With exact group means alone, a comforter's air is off by 1 % at
/// impact. With 0.05 to 0.4, it is off by 0.1 to 0.4 %, without a trend.
const FORESIGHT: f64 = 0.4;
/// Largest number of iterations of a solve.
const ITERATIONS: usize = 500;
/// Tolerance of the leak through the cloth, relative to the largest leak.
const THROUGH: f64 = 1e-3;

/// Inputs of a step of the air.
pub(super) struct Step<'a> {
    pub layer: &'a Layer,
    pub gas: &'a Gas,
    /// Fields as in [`Air`](super::Air).
    pub energy: &'a [f64],
    pub flux: &'a [f64],
    pub free: &'a [f64],
    /// Heights at the end of the step [m].
    pub gaps: &'a [f64],
    /// Outside excess over atmospheric pressure [Pa].
    pub outside: &'a [f64],
    /// Size of the step [s].
    pub h: f64,
}

impl Step<'_> {
    /// Returns the uncovered part of the cloth at vertex `v`.
    fn free(&self, v: usize) -> f64 {
        self.free.get(v).copied().unwrap_or(1.0)
    }

    fn volume(&self, v: usize) -> f64 {
        self.layer.volume(v, self.gaps[v], self.gas)
    }

    /// Returns the energy of the air in excess of that at atmospheric pressure [J].
    fn surplus(&self, v: usize) -> f64 {
        self.energy[v] - self.gas.pressure * self.volume(v)
    }

    fn through(&self, v: usize) -> PermeabilityLaw {
        self.layer.through(v, self.free(v))
    }

    fn leak(&self, v: usize, across: f64) -> f64 {
        self.layer.leak(v, self.gas, across, self.free(v))
    }
}

impl Work {
    fn resize(&mut self, layer: &Layer) {
        let Work { vertex, edge, right, flux, flows, supply, leak, .. } = self;
        let size = layer.size();
        for vector in [vertex, right, flows, supply] {
            vector.resize(size, 0.0);
        }
        leak.resize(size, [0.0; 2]);
        for vector in [edge, flux] {
            vector.resize(layer.shapes.len(), 0.0);
        }
    }

    /// Computes the fluxes after wall friction, without the new pressures, and the coefficients between pressures.
    fn coast(&mut self, step: &Step) {
        let Work { edge, flux, flows, supply, .. } = self;
        let Step { layer: Layer { graph, shapes, .. }, gas, energy, gaps, h, .. } = *step;
        let height = |v: u32| gaps[v as usize].max(gas.least);
        let (walls, sound) = (12.0 * gas.viscosity * h, (h * gas.speed).powi(2));
        par::each_pair_mut(flux, edge, |e, flux, edge| {
            let middle = graph.edges[e].map(height).iter().sum::<f64>() / 2.0;
            let kept = middle * middle / (middle * middle + walls);
            *flux = step.flux[e] * kept;
            *edge = sound * shapes[e] * middle * kept;
        });
        // A vertex gives no more than its energy.
        par::each_pair_mut(supply, flows, |v, supply, flows| {
            let gives;
            [*flows, gives] = graph.flows(v, flux);
            *supply = if h * gives > energy[v] { energy[v] / (h * gives) } else { 1.0 };
        });
        if par::any(supply, |supply| *supply < 1.0) {
            par::each_mut(flux, |e, flux| {
                let [first, second] = graph.edges[e];
                *flux *= supply[if *flux > 0.0 { second } else { first } as usize];
            });
            par::fill(flows, |v| graph.flows(v, flux)[0]);
        }
    }

    /// Computes the first leak through the cloth. With `solves` 0 it follows the tangent; otherwise it assumes equal
    /// pressure changes of neighbours.
    fn begin_leak(&mut self, step: &Step, solves: usize, excess: &[f64]) {
        let Work { edge, flows, leak, .. } = self;
        let Step { layer: Layer { graph, areas, inertia, .. }, gas, outside, h, .. } = *step;
        par::fill(leak, |v| {
            if inertia[v] == 0.0 {
                return [step.leak(v, 0.0), 0.0];
            }
            let (now, all) = (outside[v] - excess[v], areas[v] * gas.pressure);
            if solves == 0 {
                let tangent = step.through(v).tangent(now) * all;
                return [tangent, (step.leak(v, now) - tangent) * now];
            }
            let differences = graph.links(v).iter().map(|[w, e]| edge[*e as usize] * (excess[*w as usize] - excess[v]));
            let volume = step.volume(v);
            let right = volume * outside[v] - step.surplus(v) - h * flows[v] - differences.sum::<f64>();
            let across = step.through(v).balance(volume, h * all, right);
            [step.leak(v, across), 0.0]
        });
    }

    /// Solves for the pressures with the present leak through the cloth.
    fn solve(&mut self, step: &Step, progress: f64, excess: &mut [f64]) -> Outcome {
        let Work { diffusion, vertex, edge, right, flows, reference, leak, .. } = self;
        let Step { layer, gas, energy, outside, h, .. } = *step;
        // Inflow of a vertex whose excess is `-base`: from outside, and by the fluxes.
        let comes = |v: usize, base: f64| h * (leak[v][0] * (base + outside[v]) + leak[v][1] + flows[v]);
        par::each_pair_mut(vertex, right, |v, vertex, right| {
            *vertex = step.volume(v) + h * leak[v][0];
            *right = step.surplus(v) + comes(v, 0.0);
        });
        let size = layer.size();
        let equation = Equation { graph: &layer.graph, vertex, edge, fixed: &layer.open };
        if layer.method == Method::Reference {
            diffusion.prepare(&equation);
            reference.resize(size);
            par::fill(&mut reference.volume, |v| step.volume(v).max(f64::MIN_POSITIVE));
            par::fill(&mut reference.right, |v| energy[v] + comes(v, gas.pressure));
            par::fill(&mut reference.energy, |v| (gas.pressure + excess[v]) * reference.volume[v]);
            reference.solve(&equation, gas.pressure, excess)
        } else {
            let floor = NOTHING * par::sum(size, |v| vertex[v]).sqrt();
            // Volumes are positive, so the matrix is positive definite.
            let stop = Stop { tolerance: TOLERANCE, floor, progress, iterations: ITERATIONS };
            diffusion.solve(&equation, right, excess, stop).unwrap_or_default()
        }
    }

    /// Computes the excess over atmospheric pressure, `excess` [Pa], at the end of a step from the previous one. Solves
    /// at most `solves` times for the leak through the cloth. With 0, solves once with the tangent.
    pub(super) fn pressures(&mut self, step: &Step, solves: usize, excess: &mut [f64]) -> Outcome {
        let Step { layer, gas, outside, h, .. } = *step;
        self.resize(layer);
        self.coast(step);
        self.begin_leak(step, solves, excess);
        let bends = layer.inertia.iter().any(|inertia| *inertia != 0.0);
        let progress = if solves == 0 { FORESIGHT } else { PROGRESS };
        let mut outcome = Outcome::default();
        for solve in 1.. {
            outcome = self.solve(step, progress, excess);
            let leak = &mut self.leak;
            let across = |v: usize| outside[v] - excess[v];
            let found = |v: usize| step.leak(v, across(v));
            let most = |of: &(dyn Fn(usize) -> f64 + Sync)| par::max(layer.size(), |v| (of(v) * across(v)).abs());
            if !bends || solve >= solves || most(&|v| found(v) - leak[v][0]) <= THROUGH * most(&found) {
                break;
            }
            par::fill(leak, |v| [found(v), 0.0]);
        }
        if bends && solves > 0 {
            let Work { diffusion, vertex, edge, .. } = self;
            par::fill(vertex, |v| {
                let tangent = step.through(v).tangent(outside[v] - excess[v]);
                step.volume(v) + h * tangent * layer.areas[v] * gas.pressure
            });
            diffusion.prepare(&Equation { graph: &layer.graph, vertex, edge, fixed: &layer.open });
        }
        outcome
    }
}
