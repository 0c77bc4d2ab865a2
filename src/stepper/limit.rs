//! Strain limits: an upper bound of each edge's length that holds after the step; and what a step stretches far at once, eased.
//!
//! Gauss-Seidel in a fixed order over the edges that are too long; each is shortened along itself with inverse masses, so
//! momentum is kept (Bridson, Marino & Fedkiw 2003, section 5).

use super::{Step, Stuck};
use crate::linalg::par;
use crate::world::{State, World};

/// Most sweeps.
const SWEEPS: usize = 200;
/// Most sweeps over what a step stretches too far.
const EASED: usize = 20;
/// Corrections aim this far (relative) below the bound, so that sweeps end.
const MARGIN: f64 = 1e-4;

/// Shortens edges beyond their bounds by changing displacements and velocities of the step. True when there were any.
///
/// # Errors
/// The worst edge when sweeps do not suffice.
pub fn enforce(world: &World, state: &State, step: &mut Step) -> Result<bool, Stuck> {
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
                let strain = shorten(world, state, step, *edge, *bound);
                any |= strain > 0.0;
                if strain > largest {
                    largest = strain;
                    worst = Some(Stuck::Overstretched(*edge, largest));
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

/// Shortens edges that the step makes longer, than they are and than at rest, by more than the part `most` of their length at rest, as far as
/// some sweeps do. True when there were any.
pub fn ease(world: &World, state: &State, step: &mut Step, most: f64) -> bool {
    let mut long = torn(world, state, step, most);
    let any = !long.is_empty();
    for _ in 0..EASED {
        if long.is_empty() {
            break;
        }
        for (edge, _) in &long {
            let [a, b] = edge.map(|v| v as usize);
            let (rest, start) = ((world.rest[a] - world.rest[b]).norm(), (state.x[a] - state.x[b]).norm());
            shorten(world, state, step, *edge, start.max(rest) + most * rest);
        }
        // Edges at vertices that stayed are as long as they were.
        let at = |v: u32| world.surface.around(v as usize).iter().map(move |w| [v.min(*w), v.max(*w)]);
        let mut near: Vec<[u32; 2]> = long.iter().flat_map(|(edge, _)| *edge).flat_map(at).collect();
        near.sort_unstable();
        near.dedup();
        long = near.into_iter().filter_map(|edge| stretched(world, state, step, edge, most)).collect();
    }
    any
}

/// Brings an edge that is longer than `bound` [m] a little below it; gives by what part it was.
fn shorten(world: &World, state: &State, step: &mut Step, edge: [u32; 2], bound: f64) -> f64 {
    let Step { fixed, moved, rate, betas, .. } = step;
    let [a, b] = edge.map(|v| v as usize);
    let d = (state.x[b] + moved[b]) - (state.x[a] + moved[a]);
    let length = d.norm();
    if length <= bound {
        return 0.0;
    }
    let weight = |v: usize| if fixed[v] { 0.0 } else { 1.0 / world.mass[v] };
    let (wa, wb) = (weight(a), weight(b));
    if wa + wb > 0.0 {
        let pull = d * ((length - bound * (1.0 - MARGIN)) / (length * (wa + wb)));
        for (v, shift) in [(a, pull * wa), (b, pull * -wb)] {
            moved[v] += shift;
            rate[v] += shift / betas[v];
        }
    }
    length / bound - 1.0
}

/// Edges that the step makes longer, than they are and than at rest, by more than the part `most` of their length at rest, and by what part.
pub fn torn(world: &World, state: &State, step: &Step, most: f64) -> Vec<([u32; 2], f64)> {
    let last = world.simulated().checked_sub(1);
    let edges = &world.surface.edges[..last.map_or(0, |k| world.surface.edge_ranges[k].end)];
    par::gather(edges.len(), par::BLOCK, |range, long| {
        long.extend(edges[range].iter().filter_map(|edge| stretched(world, state, step, *edge, most)));
    })
}

/// The edge, if it is one of [`torn`].
#[inline]
fn stretched(world: &World, state: &State, step: &Step, edge: [u32; 2], most: f64) -> Option<([u32; 2], f64)> {
    let [a, b] = edge.map(|v| v as usize);
    let (rest, start) = (world.rest[a] - world.rest[b], state.x[a] - state.x[b]);
    let by = step.moved[a] - step.moved[b];
    // No longer than what one end moves against the other: roots only where that is much.
    if by.norm_squared() <= most * most * rest.norm_squared() {
        return None;
    }
    let [rest, start, end] = [rest, start, start + by].map(|d| d.norm());
    (end > start.max(rest) + most * rest).then(|| (edge, (end - start.max(rest)) / rest))
}
