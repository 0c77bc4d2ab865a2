//! The air's equation as the paper has it (Chen, Feng & Wang 2013, section 6): the unknown is the energy `Q_i = P_i V_i`.
//!
//! With `S` the symmetric matrix of [`super::equation`], `S P = b` becomes `M Q = b`, `M = S diag(1/V)`, which is not symmetric. The paper
//! solves it by stabilised bi-conjugate gradients, and so does this: a reference for the default, slower, because a wave crosses one
//! edge in half an iteration. In inner products weighted by the inverse diagonal of `S`, which give the norm that the default is solved
//! to, the preconditioned matrix `S diag(S)^-1` is self-adjoint.
//!
//! [`Seed::solve`] takes the right-hand side as it should be; [`verbatim`] is the printed one:
//!
//! `m_ii = 1 + h g_i/V_i + h^2 k sum_j s_ij/V_i`, `m_ij = -h^2 k s_ij/V_j`, `b_i = Q_i^t (2 + h g_i/V_i) - Q_i^(t-1)`,
//!
//! with `g_i/V_i = sigma P_atm/(dP d_i)` and `s_ij = c_ij (d_i + d_j)/2`, `c_ij` the distance of the centroids of both triangles. It has
//! two defects. It is the time derivative of Darcy's law (Eq. 4) with the height frozen, so the pressure of the atmosphere drops
//! out: still air has no reason to leave at any pressure, and cloth over it is held as if it were sealed. And `k`, a constant in
//! m/s^2, gives waves the speed `sqrt(k l)` on a mesh with edges `l`.

use super::equation::{Air, Gas, Layer, NOTHING, Work};
use crate::linalg::bicgstab::{Bicgstab, Stop};
use crate::linalg::diffusion::Equation;
use crate::linalg::pcg::Outcome;
use crate::linalg::{Vec3, par};
use crate::mesh::topology::{NONE, Topology};

/// Length of edges for which the printed propagation is about as fast as sound [m]: `k = c^2/EDGE`.
pub const EDGE: f64 = 0.01;
/// Relative accuracy of the energies in a step.
const TOLERANCE: f64 = 1e-6;
/// Most iterations of a step.
const ITERATIONS: usize = 2000;

/// Reusable storage; what an equation is made of, by vertex.
#[derive(Clone, Debug, Default)]
pub struct Seed {
    /// `V_i`, positive [m^3].
    pub(super) volume: Vec<f64>,
    /// `b_i` [J].
    pub(super) right: Vec<f64>,
    /// `Q_i`: a guess, then the solution [J].
    pub(super) energy: Vec<f64>,
    /// `m_ii`
    diagonal: Vec<f64>,
    /// `1/s_ii`, zero where the energy is known.
    weight: Vec<f64>,
    solver: Bicgstab,
}

impl Seed {
    /// Makes room for so many vertices.
    pub(super) fn resize(&mut self, size: usize) {
        let Seed { volume, right, energy, diagonal, weight, .. } = self;
        for vector in [volume, right, energy, diagonal, weight] {
            vector.resize(size, 0.0);
        }
    }

    /// Solves `S diag(1/V) Q = b`, `S` being the matrix of `equation` [m^3], and gives the pressures above that of the atmosphere,
    /// `pressure` [Pa]; fixed vertices have the atmosphere's. As accurate as the default, or as rounding of `Q` allows.
    pub(super) fn solve(&mut self, equation: &Equation, pressure: f64, excess: &mut [f64]) -> Outcome {
        let Seed { volume, right, energy, diagonal, weight, solver } = self;
        let Equation { graph, vertex, edge, fixed } = *equation;
        let (size, volume) = (graph.size(), &*volume);
        par::fill(diagonal, |v| if fixed[v] { 1.0 } else { equation.diagonal(v) / volume[v] });
        par::fill(weight, |v| if fixed[v] { 0.0 } else { 1.0 / equation.diagonal(v) });
        for known in [&mut *right, energy] {
            par::each_mut(known, |v, known| {
                if fixed[v] {
                    *known = pressure * volume[v];
                }
            });
        }
        let product = |x: &[f64], out: &mut [f64]| {
            par::fill(out, |v| {
                if fixed[v] {
                    return x[v];
                }
                let own = x[v] / volume[v];
                let to = |[w, e]: &[u32; 2]| edge[*e as usize] * (own - x[*w as usize] / volume[*w as usize]);
                graph.links(v).iter().fold(vertex[v] * own, |sum, link| sum + to(link))
            });
        };
        // Relative to what is there beside the atmosphere; a pressure cannot be told from it closer than rounding.
        let beside = par::sum(size, |v| weight[v] * (right[v] - pressure * vertex[v]).powi(2)).sqrt();
        let nothing = NOTHING * par::sum(size, |v| vertex[v]).sqrt();
        let unknown = par::sum(size, |v| if fixed[v] { 0.0 } else { equation.diagonal(v) });
        let rounding = 4.0 * f64::EPSILON * pressure * unknown.sqrt() / TOLERANCE;
        let reference = beside.max(nothing).max(rounding);
        let stop = Stop { tolerance: TOLERANCE, reference, iterations: ITERATIONS };
        let outcome = solver.solve(product, diagonal, weight, right, energy, stop);
        par::fill(excess, |v| if fixed[v] { 0.0 } else { energy[v] / volume[v] - pressure });
        outcome
    }
}

/// Distance between the centroids of the triangles at each edge, `c_ij` [m]. At a border that of the centroid from the edge: half
/// of what it is to its mirror image, as half of the duct is there.
pub fn spans(x: &[Vec3], triangles: &[[u32; 3]], topology: &Topology) -> Vec<f64> {
    let centroid = |t: u32| triangles[t as usize].iter().map(|v| x[*v as usize]).sum::<Vec3>() / 3.0;
    let span = |([a, b], [s, t]): (&[u32; 2], &[u32; 2])| {
        if *t != NONE {
            return (centroid(*s) - centroid(*t)).norm();
        }
        let from = x[*a as usize];
        let along = (x[*b as usize] - from).try_normalize(0.0).unwrap_or_default();
        along.cross(&(centroid(*s) - from)).norm()
    };
    topology.edges.iter().zip(&topology.edge_triangles).map(span).collect()
}

/// One step of size `h` [s] to the heights `gaps` [m] by the printed system, which knows neither walls nor a pressure outside, and means
/// steps of equal size. `Q^(t-1)` is in [`Air::before`]; the first step takes still air before it.
///
/// The symmetric matrix that is left in `work` is that of what the pressures do, `dP = -S^-1 P A dd`. The right-hand side changes with
/// the height as well, which takes the leak out again: `S = diag(V) + h^2 k L/(1 + h g/V)`, means of both ends for an edge.
pub fn verbatim(air: &mut Air, layer: &Layer, gas: &Gas, gaps: &[f64], h: f64, work: &mut Work) -> Outcome {
    let Work { diffusion, vertex, edge, seed, .. } = work;
    let Air { energy, excess, before, .. } = air;
    let Layer { graph, spans, open, .. } = layer;
    let size = layer.size();
    seed.resize(size);
    vertex.resize(size, 0.0);
    edge.resize(spans.len(), 0.0);
    if before.len() != size {
        before.clone_from(energy);
    }

    let k = gas.speed * gas.speed / EDGE;
    let middle = |e: usize| graph.edges[e].map(|v| gaps[v as usize].max(gas.least)).iter().sum::<f64>() / 2.0;
    par::fill(&mut seed.volume, |v| layer.volume(v, gaps[v], gas).max(f64::MIN_POSITIVE));
    par::fill(vertex, |v| seed.volume[v] + h * layer.leak(v, gas, excess[v], 1.0));
    par::fill(edge, |e| h * h * k * spans[e] * middle(e));
    par::fill(&mut seed.right, |v| energy[v] * (1.0 + vertex[v] / seed.volume[v]) - before[v]);
    par::fill(&mut seed.energy, |v| 2.0 * energy[v] - before[v]);
    let outcome = seed.solve(&Equation { graph, vertex, edge, fixed: open }, gas.pressure, excess);
    before.copy_from_slice(energy);
    par::fill(energy, |v| if open[v] { gas.pressure * layer.volume(v, gaps[v], gas) } else { seed.energy[v] });

    let leaks = |v: u32| vertex[v as usize] / seed.volume[v as usize];
    par::each_mut(edge, |e, edge| *edge *= 2.0 / graph.edges[e].map(leaks).iter().sum::<f64>());
    vertex.copy_from_slice(&seed.volume);
    diffusion.prepare(&Equation { graph, vertex, edge, fixed: open });
    outcome
}
