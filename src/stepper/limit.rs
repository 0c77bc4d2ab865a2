//! Strain limits: an upper bound of each edge's length that holds after the step.
//!
//! Gauss-Seidel in a fixed order over the edges that are too long; each is shortened along itself with inverse masses, so
//! momentum is kept (Bridson, Marino & Fedkiw 2003, section 5).

use super::{Step, Stuck};
use crate::linalg::par;
use crate::world::{State, World};

/// Most sweeps.
const SWEEPS: usize = 200;
/// Corrections aim this far (relative) below the bound, so that sweeps end.
const MARGIN: f64 = 1e-4;

/// Shortens edges beyond their bounds by changing displacements and velocities of the step. True when there were any.
///
/// # Errors
/// The worst edge when sweeps do not suffice.
pub fn enforce(world: &World, state: &State, step: &mut Step) -> Result<bool, Stuck> {
    let Step { fixed, moved, rate, betas, .. } = step;
    let mut any = false;
    for cloth in &world.cloths {
        if cloth.limits.is_empty() {
            continue;
        }
        let mut worst = None;
        for _ in 0..SWEEPS {
            worst = None;
            let mut largest = 0.0;
            for (edge, bound) in &cloth.limits {
                let [a, b] = edge.map(|v| v as usize);
                let d = (state.x[b] + moved[b]) - (state.x[a] + moved[a]);
                let length = d.norm();
                if length <= *bound {
                    continue;
                }
                let weight = |v: usize| if fixed[v] { 0.0 } else { 1.0 / world.mass[v] };
                let (wa, wb) = (weight(a), weight(b));
                if length / bound - 1.0 > largest {
                    largest = length / bound - 1.0;
                    worst = Some(Stuck::Overstretched(*edge, largest));
                }
                if wa + wb > 0.0 {
                    any = true;
                    let pull = d * ((length - bound * (1.0 - MARGIN)) / (length * (wa + wb)));
                    for (v, shift) in [(a, pull * wa), (b, pull * -wb)] {
                        moved[v] += shift;
                        rate[v] += shift / betas[v];
                    }
                }
            }
            if worst.is_none() {
                break;
            }
        }
        if let Some(stuck) = worst {
            return Err(stuck);
        }
    }
    Ok(any)
}

/// Finds edges that the step makes longer, than they are and than at rest, by more than the part `most` of their length at rest.
///
/// # Errors
/// The worst of them.
pub fn torn(world: &World, state: &State, step: &Step, most: f64) -> Result<(), Stuck> {
    let last = world.simulated().checked_sub(1);
    let edges = &world.surface.edges[..last.map_or(0, |k| world.surface.edge_ranges[k].end)];
    let stretch = |e: usize| {
        let [a, b] = edges[e].map(|v| v as usize);
        let (rest, start, by) = (world.rest[a] - world.rest[b], state.x[a] - state.x[b], step.moved[a] - step.moved[b]);
        // No longer than what one end moves against the other: roots only where that is much.
        if by.norm_squared() <= most * most * rest.norm_squared() {
            return 0.0;
        }
        let [rest, start, end] = [rest, start, start + by].map(|d| d.norm());
        if end <= rest { 0.0 } else { (end - start.max(rest)) / rest }
    };
    if par::max(edges.len(), stretch) <= most {
        return Ok(());
    }
    let worst = (0..edges.len()).max_by(|e, f| stretch(*e).total_cmp(&stretch(*f)));
    worst.map_or(Ok(()), |e| Err(Stuck::Torn(edges[e], stretch(e))))
}
