//! Strain limits: bounds of each edge's length from above and below (Provot 1995). They hold after the step as far as
//! the sweeps converge. Also strain-rate limiting of edges that one step stretches too far.
//!
//! The sweeps are Gauss-Seidel in a fixed order over edges beyond their bounds. Each edge is shortened along itself
//! with inverse masses, so momentum is conserved (Bridson, Marino & Fedkiw 2003, section 5). A limit corrects positions
//! and velocities separately. The correction of an edge's length depends on the excess and the step, so it is no
//! measure of speed. Velocities that lengthen a taut edge are removed by inelastic impulses along it. No impulse
//! exceeds a reflection, so kinetic energy does not grow, except by prescribed vertices. A cloth with an active limit
//! takes the step by backward Euler, and its history is reset (`scheme`). BDF2 would turn the corrections into
//! velocities. After such a step, no vertex of it is faster than anything before.

mod spring;

use super::energies::after;
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::step_error::StepError;
use crate::world::{Cloth, Limit, State, World};
pub(super) use spring::Springs;

/// Largest number of sweeps, over positions and over velocities.
const SWEEPS: usize = 200;
/// Number of edges up to which position sweeps may exceed that. It takes a few hundredths of a second.
const LOOKS: usize = 1_000_000;
/// Largest number of sweeps over vertices that are too fast.
const SLOWED: usize = 20;
/// Largest number of sweeps of strain-rate limiting.
const EASED: usize = 20;
/// Number of edges for each one that is too long, below which a sweep looks at all edges.
const FEW: usize = 64;
/// Relative margin of corrections below the bound, so that sweeps end. Also the largest remaining lengthening of taut
/// edges in a step.
const MARGIN: f64 = 1e-4;
/// Rate at which edges beyond their bound return to it, relative to the bound [1/s].
const RETURN: f64 = 5.0;
/// Relative excess over both bound and previous length that a step may leave.
const BORNE: f64 = 1e-3;
/// Relative length, to the bound, above which an edge at the start of a step is taut throughout it.
const TAUT: f64 = 0.99;

/// Edge with bounds in a step.
#[derive(Clone, Copy, Debug)]
struct Edge {
    ends: [u32; 2],
    /// Upper bound of the length at any time [m].
    bound: f64,
    /// Length before the step [m].
    start: f64,
    /// Largest length after the step [m]. Above the bound if the edge was longer before.
    allowed: f64,
    /// Smallest length after the step [m].
    least: f64,
    /// True if the edge was shortened or lengthened.
    taut: bool,
}

/// Corrects edges beyond their bounds by changing displacements of the step, and removes velocities that would lengthen
/// them further. Returns true if there were any.
///
/// # Errors
/// Returns the worst edge if the sweeps do not suffice and the step can be shorter.
pub(super) fn limit_strain(
    world: &World,
    state: &State,
    step: &mut Step,
    springs: &Springs,
    smallest: bool,
) -> Result<bool, StepError> {
    let mut any = false;
    let mut pulled = springs.edges().peekable();
    for (k, cloth) in world.cloths.iter().enumerate() {
        let mut edges = edges(state, step, cloth);
        edges.iter_mut().for_each(|edge| edge.taut = pulled.next_if_eq(&edge.ends).is_some());
        if edges.iter().all(|edge| !edge.taut && edge.goal(edge.after(state, step).norm()).is_none()) {
            continue;
        }
        any = true;
        step.limited[world.objects[cloth.object].vertices.clone()].fill(true);
        let (solved, longest) = (step.displacement.clone(), worst(state, step, &edges));
        if !shorten_all(state, step, &mut edges) {
            if worst(state, step, &edges) > longest {
                step.displacement = solved;
            }
            if let Some(longest) = grown(state, step, &edges)
                && !smallest
            {
                return Err(longest);
            }
        }
        edges.retain(|edge| edge.taut);
        stop(state, step, &edges);
        slow(world, step, k, fastest(world, state, step));
    }
    Ok(any)
}

/// Returns the elastic energy after the step [J].
fn energy(world: &World, state: &State, step: &Step) -> f64 {
    let x = after(state, step);
    let (membrane, bending) = world.elements.energy(step.shape(&x));
    membrane + bending
}

/// Returns the largest speed before the step, of prescribed motion, and of the air, plus the speed gained by gravity
/// [m/s].
fn fastest(world: &World, state: &State, step: &Step) -> f64 {
    let prescribed = |v: usize| step.fixed.get(v).copied().unwrap_or(true);
    let speed = |v: usize| if prescribed(v) { step.displacement[v].norm() / step.h } else { state.v[v].norm() };
    let air = step.air_speed;
    par::max(state.v.len(), speed).max(air) + world.gravity.norm() * step.h
}

/// Slows vertices of cloth `k` that are faster than `most` [m/s]. One by one, each takes the common velocity with its
/// neighbours.
fn slow(world: &World, step: &mut Step, k: usize, most: f64) {
    for _ in 0..SLOWED {
        let mut done = true;
        for v in world.objects[world.cloths[k].object].vertices.clone() {
            if step.fixed[v] || step.velocity[v].norm() <= most {
                continue;
            }
            done = false;
            for w in world.surface.around(v).iter().map(|w| *w as usize) {
                if step.fixed[w] {
                    step.velocity[v] = step.displacement[w] / step.h;
                    continue;
                }
                let (a, b) = (step.mass[v], step.mass[w]);
                let common = (step.velocity[v] * a + step.velocity[w] * b) / (a + b);
                (step.velocity[v], step.velocity[w]) = (common, common);
            }
        }
        if done {
            break;
        }
    }
}

/// Returns the edges of a cloth that have bounds.
fn edges(state: &State, step: &Step, cloth: &Cloth) -> Vec<Edge> {
    let edge = |limit: &Limit| {
        let Limit { ends, least, most: bound } = *limit;
        let start = (state.x[ends[1] as usize] - state.x[ends[0] as usize]).norm();
        let back = RETURN * step.h;
        let allowed = bound.max(start - back * bound);
        Edge { ends, bound, start, allowed, least: least.min(start + back * least), taut: false }
    };
    cloth.limits.iter().map(edge).collect()
}

impl Edge {
    /// Returns the length to which an edge of a length [m] is corrected. `None` if it is within its bounds.
    fn goal(&self, length: f64) -> Option<f64> {
        if length > self.allowed {
            Some(self.allowed * (1.0 - MARGIN))
        } else if length < self.least {
            Some(self.least * (1.0 + MARGIN))
        } else {
            None
        }
    }

    /// Returns the vector from the first end to the second before the step [m].
    fn before(&self, state: &State) -> Vec3 {
        let [a, b] = self.ends.map(|v| v as usize);
        state.x[b] - state.x[a]
    }

    /// Returns the vector from the first end to the second after the step [m].
    fn after(&self, state: &State, step: &Step) -> Vec3 {
        let [a, b] = self.ends.map(|v| v as usize);
        (state.x[b] + step.displacement[b]) - (state.x[a] + step.displacement[a])
    }
}

/// Corrects edges to within their bounds, in sweeps of alternating direction. Returns false if any remain outside.
fn shorten_all(state: &State, step: &mut Step, edges: &mut [Edge]) -> bool {
    for _ in 0..SWEEPS.max(LOOKS / edges.len().max(1)) {
        let mut done = true;
        for edge in edges.iter_mut() {
            let goal = edge.goal(edge.after(state, step).norm());
            if let Some(shifts) = goal.and_then(|goal| brought(state, step, edge.ends, goal)) {
                for (v, shift) in edge.ends.into_iter().zip(shifts) {
                    step.displacement[v as usize] += shift;
                }
                (edge.taut, done) = (true, false);
            }
        }
        if done {
            return true;
        }
        edges.reverse();
    }
    false
}

/// Returns the largest length after the step relative to the allowed one.
fn worst(state: &State, step: &Step, edges: &[Edge]) -> f64 {
    edges.iter().map(|edge| edge.after(state, step).norm() / edge.allowed).fold(0.0, f64::max)
}

/// Returns the worst edge that the step leaves too long and longer than before.
fn grown(state: &State, step: &Step, edges: &[Edge]) -> Option<StepError> {
    let grown = |edge: &Edge| {
        let length = edge.after(state, step).norm();
        (length > edge.start.max(edge.bound) * (1.0 + BORNE)).then(|| (edge.ends, length / edge.bound - 1.0))
    };
    let worst = edges.iter().filter_map(grown).max_by(|a, b| a.1.total_cmp(&b.1));
    worst.map(|(ends, beyond)| StepError::Overstretched(ends, beyond))
}

/// Removes velocities at the end of the step that lengthen taut edges.
fn stop(state: &State, step: &mut Step, edges: &[Edge]) {
    let mut pulls: Vec<Pull> = edges.iter().map(|edge| Pull::of(state, step, edge)).collect();
    for _ in 0..SWEEPS {
        let fastest = pulls.iter().fold(0.0, |most: f64, pull| most.max(pull.stop(step)));
        if fastest * step.h <= MARGIN {
            break;
        }
        pulls.reverse();
    }
}

/// Inelastic impulse between the ends of a taut edge.
struct Pull {
    ends: [usize; 2],
    /// Inverse masses [1/kg].
    weights: [f64; 2],
    /// Direction at the end of the step, from the first end to the second.
    end: Vec3,
    /// Direction of the impulse. For an edge that was taut throughout, it is the mean direction, which preserves the
    /// speed of rotation.
    along: Vec3,
    bound: f64,
}

impl Pull {
    fn of(state: &State, step: &Step, edge: &Edge) -> Pull {
        let unit = |d: Vec3| d.try_normalize(0.0).unwrap_or_default();
        let end = unit(edge.after(state, step));
        let mean = unit(end + unit(edge.before(state)));
        let taut = edge.start > TAUT * edge.bound || edge.start * TAUT < edge.least;
        let along = if taut && mean.dot(&end) > 0.5 { mean } else { end };
        let ends = edge.ends.map(|v| v as usize);
        let bound = if edge.bound.is_finite() { edge.bound } else { edge.start };
        Pull { ends, weights: ends.map(|v| weight(step, v)), end, along, bound }
    }

    /// Stops the ends from separating. Returns their speed of separation before, relative to the bound [1/s].
    fn stop(&self, step: &mut Step) -> f64 {
        let Pull { ends: [a, b], weights: [wa, wb], end, along, .. } = *self;
        let velocity = |v: usize| if step.fixed[v] { step.displacement[v] / step.h } else { step.velocity[v] };
        let parting = velocity(b) - velocity(a);
        let (speed, most) = (parting.dot(&end), 2.0 * parting.dot(&along));
        let by = (speed / along.dot(&end)).clamp(most.min(0.0), most.max(0.0));
        if wa + wb == 0.0 || by == 0.0 {
            return 0.0;
        }
        let pull = along * (by / (wa + wb));
        step.velocity[a] += pull * wa;
        step.velocity[b] -= pull * wb;
        speed.abs() / self.bound
    }
}

/// Returns the edge farthest beyond its upper bound after the step, and its relative excess. `None` if all are within
/// theirs up to rounding.
pub(super) fn beyond(world: &World, state: &State, step: &Step) -> Option<([u32; 2], f64)> {
    let strain = |Limit { ends, most, .. }: &Limit| {
        let [a, b] = ends.map(|v| v as usize);
        let length = ((state.x[b] + step.displacement[b]) - (state.x[a] + step.displacement[a])).norm();
        (length > most * (1.0 + 1e-9)).then(|| (*ends, length / most - 1.0))
    };
    world.cloths.iter().flat_map(|cloth| &cloth.limits).filter_map(strain).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Shortens edges that the step stretches too far, in a limited number of sweeps. The bound is the previous or rest
/// length, whichever is larger, plus the part `most` of the rest length. Changes that increase the total energy are
/// reverted. Returns true if there were such edges.
pub(super) fn limit_strain_rate(world: &World, state: &State, step: &mut Step, most: f64) -> bool {
    let mut long = overstretched(world, state, step, most);
    if long.is_empty() {
        return false;
    }
    let whole = |step: &Step| {
        let moving = |v: usize| 0.5 * step.mass[v] * step.velocity[v].norm_squared();
        energy(world, state, step) + par::sum(world.moving, moving)
    };
    let (before, solved) = (whole(step), (step.displacement.clone(), step.velocity.clone()));
    for _ in 0..EASED {
        if long.is_empty() {
            break;
        }
        for (edge, _) in &long {
            let [a, b] = edge.map(|v| v as usize);
            let start = (state.x[a] - state.x[b]).norm();
            let rest = at_rest(world, state, *edge).norm();
            shorten(state, step, *edge, start.max(rest) + most * rest);
        }
        long = if long.len() * FEW > world.surface.edges.len() {
            overstretched(world, state, step, most)
        } else {
            around(world, &long).into_iter().filter_map(|edge| stretched(world, state, step, edge, most)).collect()
        };
    }
    if whole(step) > before {
        (step.displacement, step.velocity) = solved;
    }
    true
}

/// Returns the edges at the ends of edges, in order. Only these can have changed when the ends moved.
fn around(world: &World, long: &[([u32; 2], f64)]) -> Vec<[u32; 2]> {
    let at = |v: u32| world.surface.around(v as usize).iter().map(move |w| [v.min(*w), v.max(*w)]);
    let mut near: Vec<[u32; 2]> = long.iter().flat_map(|(edge, _)| *edge).flat_map(at).collect();
    near.sort_unstable();
    near.dedup();
    near
}

/// Shortens an edge to a little below `bound` [m], and changes the velocities of its ends accordingly.
fn shorten(state: &State, step: &mut Step, edge: [u32; 2], bound: f64) {
    let Some(shifts) = shortened(state, step, edge, bound) else { return };
    for (v, shift) in edge.into_iter().map(|v| v as usize).zip(shifts) {
        step.displacement[v] += shift;
        step.velocity[v] += shift / step.effective_dt[v];
    }
}

/// Returns the shifts of the ends that shorten an edge to a little below `bound` [m]. `None` if it is not longer, or if
/// the ends cannot move.
fn shortened(state: &State, step: &Step, edge: [u32; 2], bound: f64) -> Option<[Vec3; 2]> {
    let [a, b] = edge.map(|v| v as usize);
    let length = ((state.x[b] + step.displacement[b]) - (state.x[a] + step.displacement[a])).norm();
    if length > bound { brought(state, step, edge, bound * (1.0 - MARGIN)) } else { None }
}

/// Returns the shifts of the ends that bring an edge to a length [m]. `None` if the ends cannot move.
fn brought(state: &State, step: &Step, edge: [u32; 2], goal: f64) -> Option<[Vec3; 2]> {
    let [a, b] = edge.map(|v| v as usize);
    let d = (state.x[b] + step.displacement[b]) - (state.x[a] + step.displacement[a]);
    let length = d.norm();
    let (wa, wb) = (weight(step, a), weight(step, b));
    let pull = d * ((length - goal) / (length * (wa + wb)));
    (wa + wb > 0.0 && length > 0.0).then(|| [pull * wa, pull * -wb])
}

/// Returns the inverse mass of a vertex [1/kg]. Zero for prescribed vertices.
fn weight(step: &Step, v: usize) -> f64 {
    if step.fixed[v] { 0.0 } else { 1.0 / step.mass[v] }
}

/// Returns edges that the step stretches too far, with the stretch relative to the rest length. The bound is the
/// previous or rest length, whichever is larger, plus the part `most` of the rest length.
pub(super) fn overstretched(world: &World, state: &State, step: &Step, most: f64) -> Vec<([u32; 2], f64)> {
    let last = world.simulated().checked_sub(1);
    let edges = &world.surface.edges[..last.map_or(0, |k| world.surface.edge_ranges[k].end)];
    par::gather(edges.len(), par::BLOCK, |range, long| {
        long.extend(edges[range].iter().filter_map(|edge| stretched(world, state, step, *edge, most)));
    })
}

/// Returns the rest vector of an edge [m]. The present one stands for that of a joined seam.
fn at_rest(world: &World, state: &State, edge: [u32; 2]) -> Vec3 {
    let x = if edge.iter().any(|v| world.is_joined(*v)) { &state.x } else { &world.rest };
    x[edge[0] as usize] - x[edge[1] as usize]
}

/// Returns the edge and its relative stretch if it is one of [`overstretched`].
#[inline]
fn stretched(world: &World, state: &State, step: &Step, edge: [u32; 2], most: f64) -> Option<([u32; 2], f64)> {
    let [a, b] = edge.map(|v| v as usize);
    let (rest, start) = (at_rest(world, state, edge), state.x[a] - state.x[b]);
    let by = step.displacement[a] - step.displacement[b];
    // Lengthening is at most the relative displacement of the ends. Square roots are only needed if that is large.
    if by.norm_squared() <= most * most * rest.norm_squared() {
        return None;
    }
    let [rest, start, end] = [rest, start, start + by].map(|d| d.norm());
    (end > start.max(rest) + most * rest).then(|| (edge, (end - start.max(rest)) / rest))
}
