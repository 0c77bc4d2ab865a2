//! Mass whose weight scales the barrier of a pair.
//!
//! Cloth bends, so that each vertex bears little more than its own weight. A body stands on a few of its vertices, or
//! rolls from one to the next. A barrier for the mass of a single vertex would be used up below a body. A gap that is
//! used up may close by next to nothing in a step.

use super::impulse::free;
use crate::collision::certificate::Pair;
use crate::world::step::Step;
use crate::world::{Kind, World};
use std::ops::Range;

/// Computes the mass that the barrier of a pair bears [kg]. It is the effective mass `1/sum(w^2/m)` of both sides, but
/// at least the `mass` of the pair. The side of a body has the mass of the whole body.
pub(super) fn bearing(
    world: &World,
    step: &Step,
    pair: Pair,
    vertices: &[u32; 4],
    weights: &[f64; 4],
    mass: f64,
) -> f64 {
    let side = |own: Range<usize>| -> f64 {
        let first = vertices[own.start] as usize;
        let own = own.filter(|k| free(world, step, vertices[*k]));
        let object = usize::from(world.surface.object[first]);
        if world.objects[object].kind == Kind::Body {
            let all = world.component_mass[world.component[first] as usize];
            return if own.count() > 0 { 1.0 / all } else { 0.0 };
        }
        own.map(|k| weights[k] * weights[k] / step.mass[vertices[k] as usize]).sum()
    };
    let first = match pair {
        Pair::VertexFace => 1,
        Pair::EdgeEdge => 2,
    };
    // At least one vertex is unconstrained, else there is no contact.
    (1.0 / (side(0..first) + side(first..4))).max(mass)
}
