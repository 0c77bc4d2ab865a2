//! The air's equation as in the paper (Chen, Feng & Wang 2013, section 6). The unknown is the energy `Q_i = P_i V_i`.
//!
//! With `S` the symmetric matrix of `equation`, `S P = b` becomes `M Q = b`, `M = S diag(1/V)`, which is not
//! symmetric. The solver is stabilised bi-conjugate gradients, as in the paper. It is a reference for the default, and
//! slower: a wave crosses one edge in half an iteration. Inner products weighted by the inverse diagonal of `S` give
//! the norm of the default's stopping rule. In them, the preconditioned matrix `S diag(S)^-1` is self-adjoint.
//!
//! [`Reference::solve`] uses the correct right-hand side; `equation::as_printed` uses the printed system:
//!
//! `m_ii = 1 + h g_i/V_i + h^2 k sum_j s_ij/V_i`, `m_ij = -h^2 k s_ij/V_j`, `b_i = Q_i^t (2 + h g_i/V_i) - Q_i^(t-1)`,
//!
//! with `g_i/V_i = sigma P_atm/(dP d_i)` and `s_ij = c_ij (d_i + d_j)/2`, `c_ij` the distance of the centroids of both
//! triangles. The printed system has two defects. First, it is the time derivative of Darcy's law (Eq. 4) with the
//! height frozen, in which atmospheric pressure cancels. Still air thus has no reason to leave at any pressure, and the
//! cloth above is held as if it were sealed. Second, `k`, a constant in m/s^2, gives waves the speed `sqrt(k l)` on a
//! mesh with edges `l`.

use crate::linalg::bicgstab::{Bicgstab, Stop};
use crate::linalg::diffusion::Equation;
use crate::linalg::pcg::Outcome;
use crate::linalg::{Vec3, par};
use crate::mesh::topology::{NONE, Topology};

/// Pressure treated as zero [Pa]. It would lower a 1 g/m2 cloth by 0.1 %.
pub(super) const NOTHING: f64 = 1e-5;
/// Edge length for which the printed propagation is about as fast as sound [m]: `k = c^2/EDGE`.
pub const EDGE: f64 = 0.01;
/// Relative tolerance of the energies in a step.
const TOLERANCE: f64 = 1e-6;
/// Largest number of iterations in a step.
const ITERATIONS: usize = 2000;

/// Reusable storage: the terms of the equation, by vertex.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    /// Volume `V_i`, positive [m^3].
    pub(super) volume: Vec<f64>,
    /// Right-hand side `b_i` [J].
    pub(super) right: Vec<f64>,
    /// Energy `Q_i` [J]: first a guess, then the solution.
    pub(super) energy: Vec<f64>,
    /// Diagonal `m_ii`.
    diagonal: Vec<f64>,
    /// Weight `1/s_ii`. Zero where the energy is known.
    weight: Vec<f64>,
    solver: Bicgstab,
}

impl Reference {
    /// Resizes all vectors to `size` vertices.
    pub(super) fn resize(&mut self, size: usize) {
        let Reference { volume, right, energy, diagonal, weight, .. } = self;
        for vector in [volume, right, energy, diagonal, weight] {
            vector.resize(size, 0.0);
        }
    }

    /// Solves `S diag(1/V) Q = b` for the excess over atmospheric pressure. `S` is the matrix of `equation` [m^3],
    /// `pressure` that of the atmosphere [Pa]. Fixed vertices have atmospheric pressure. The accuracy is that of the
    /// default, or the rounding of `Q`.
    pub(super) fn solve(&mut self, equation: &Equation, pressure: f64, excess: &mut [f64]) -> Outcome {
        let Reference { volume, right, energy, diagonal, weight, solver } = self;
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
        // The tolerance is relative to the right-hand side without that of the atmosphere. Pressures closer to the
        // atmosphere's than rounding cannot be resolved.
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

/// Returns the distance between the centroids of the triangles at each edge, `c_ij` [m]. At a border it is the distance
/// of the centroid from the edge. That is half of the distance to its mirror image, as only half of the duct is there.
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
