//! The system of the paper as printed, with its defects (`air::reference`).

use super::{Air, Gas, Layer, Work};
use crate::effect::air::reference::EDGE;
use crate::linalg::diffusion::Equation;
use crate::linalg::par;
use crate::linalg::pcg::Outcome;

/// Advances by a step of size `h` [s] to the heights `gaps` [m] with the printed system. That system has no wall
/// friction and no outside pressure, and assumes steps of equal size. `Q^(t-1)` is in [`Air::before`]; the first step
/// assumes still air before it.
///
/// Leaves in `work` the symmetric matrix of the pressure response, `dP = -S^-1 P A dd`. The right-hand side depends on
/// the height too, which cancels the leak: `S = diag(V) + h^2 k L/(1 + h g/V)`, with means of both ends for an edge.
pub(super) fn as_printed(air: &mut Air, layer: &Layer, gas: &Gas, gaps: &[f64], h: f64, work: &mut Work) -> Outcome {
    let Work { diffusion, vertex, edge, reference, .. } = work;
    let Air { energy, excess, before, .. } = air;
    let Layer { graph, spans, open, .. } = layer;
    let size = layer.size();
    reference.resize(size);
    vertex.resize(size, 0.0);
    edge.resize(spans.len(), 0.0);
    if before.len() != size {
        before.clone_from(energy);
    }

    let k = gas.speed * gas.speed / EDGE;
    let middle = |e: usize| graph.edges[e].map(|v| gaps[v as usize].max(gas.least)).iter().sum::<f64>() / 2.0;
    par::fill(&mut reference.volume, |v| layer.volume(v, gaps[v], gas).max(f64::MIN_POSITIVE));
    par::fill(vertex, |v| reference.volume[v] + h * layer.leak(v, gas, excess[v], 1.0));
    par::fill(edge, |e| h * h * k * spans[e] * middle(e));
    par::fill(&mut reference.right, |v| energy[v] * (1.0 + vertex[v] / reference.volume[v]) - before[v]);
    par::fill(&mut reference.energy, |v| 2.0 * energy[v] - before[v]);
    let outcome = reference.solve(&Equation { graph, vertex, edge, fixed: open }, gas.pressure, excess);
    before.copy_from_slice(energy);
    par::fill(energy, |v| if open[v] { gas.pressure * layer.volume(v, gaps[v], gas) } else { reference.energy[v] });

    let leaks = |v: u32| vertex[v as usize] / reference.volume[v as usize];
    par::each_mut(edge, |e, edge| *edge *= 2.0 / graph.edges[e].map(leaks).iter().sum::<f64>());
    vertex.copy_from_slice(&reference.volume);
    diffusion.prepare(&Equation { graph, vertex, edge, fixed: open });
    outcome
}
