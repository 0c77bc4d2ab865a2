//! Feasible regions: each closest point of two surfaces forms one contact.
//!
//! A closest point lies in the direction of a normal that both features have there. This is the feasible region of Chen
//! et al. 2025, "Offset Geometric Contact". An interior edge of a flat region has one normal, shared with its
//! triangles. An edge in a valley has none, because the ends of the other edge are as near or nearer. A direction is a
//! normal of a vertex only if all edges of the vertex fall away from it.

use super::narrow_result::NarrowResult;
use crate::collision::key::{EDGES, SECOND};
use crate::collision::surface::Surface;
use crate::force::contact::{Bristle, Share};
use crate::linalg::Vec3;
use crate::world::{Course, World};

/// Sum of the sines of the slopes beside an edge. The edge is flat up to the first value and has full weight from the
/// second on.
const FLAT: (f64, f64) = (1e-3, 0.05);
/// Sine of the rise of a triangle beside an edge, or of the lean of a vertex. The activation weight is full up to the
/// first value and zero from the second on. In between it decreases linearly, so that no force appears or vanishes
/// abruptly.
const HOLLOW: (f64, f64) = (0.03, 0.1);

/// Difference of the sines beside an edge above which only the higher triangle counts. Below it both are blended,
/// because the higher one may change from step to step.
const ALIKE: f64 = 0.02;

/// Overhang of the other edge beyond the triangle at which a flat edge has full weight, in heights of the triangle.
const BEYOND: f64 = 0.25;

/// Barycentric weight up to which the closest point counts as on the border; far above its rounding.
const BORDER: f64 = 1e-9;

/// Interior edges and vertices of flat regions of rigid obstacles. They form no contacts, because a vertex of the other
/// surface is as near to the region.
#[derive(Clone, Debug)]
pub(super) struct Flat {
    vertices: Vec<bool>,
    edges: Vec<bool>,
}

impl Flat {
    /// Finds flat regions in the initial shapes.
    pub(super) fn new(world: &World) -> Flat {
        let surface = &world.surface;
        let mut flat = Flat { vertices: vec![false; surface.vertices], edges: vec![false; surface.edges.len()] };
        for obstacle in world.obstacles.iter().filter(|o| o.course.still() || matches!(o.course, Course::Rigid(_))) {
            flat.vertices[surface.vertex_ranges[obstacle.object].clone()].fill(true);
            for edge in surface.edge_ranges[obstacle.object].clone() {
                flat.edges[edge] = surface.is_flat(&world.rest, edge, FLAT.0);
                for v in surface.edges[edge].iter().filter(|_| !flat.edges[edge]) {
                    flat.vertices[*v as usize] = false;
                }
            }
        }
        flat
    }

    /// Returns true if the vertex forms vertex-face contacts.
    pub(super) fn vertex_counts(&self, vertex: u32) -> bool {
        !self.vertices[vertex as usize]
    }

    /// Computes the activation weight of an edge-edge pair. `normal` is the direction from the second closest point to
    /// the first, and `weights` are those of the closest points.
    pub(super) fn edges_share(
        &self,
        surface: &Surface,
        x: &[Vec3],
        edges: [u32; 2],
        normal: &Vec3,
        weights: &[f64; 4],
    ) -> Share {
        let share = |edge: u32, other: u32, d: &Vec3, ends: &[f64]| {
            let Some(bend) = surface.bend(x, edge as usize, d) else { return Share::NONE };
            // The end of the other edge on a triangle's side is as near or nearer, unless it extends beyond the
            // triangle.
            let [a, b] = surface.edges[other as usize].map(|v| v as usize);
            let along = x[b] - x[a];
            let beyond = |triangle: &Vec3| {
                let end = if along.dot(triangle) > 0.0 { ends[0] } else { ends[1] };
                let (reach, height) = (end.abs() * along.norm(), triangle.norm());
                if height == 0.0 { 1.0 } else { ((reach / height - 1.0) / BEYOND).clamp(0.0, 1.0) }
            };
            let [higher, lower] = [&bend.higher, &bend.lower].map(beyond);
            let alike = 0.5 * (1.0 - (bend.most - bend.least) / ALIKE).max(0.0);
            let flat = higher + alike * (lower - higher);
            let height = bend.higher.norm();
            let ridge = (bend.fall - FLAT.0) / (FLAT.1 - FLAT.0);
            // Approach of the edge increases the sine of each slope by its distance over the triangle's height.
            // Approach of one end of the other edge changes the difference of the sines by twice its distance over the
            // end's reach.
            let growth = if ridge > flat {
                2.0 / (height * (FLAT.1 - FLAT.0))
            } else if alike > 0.0 {
                (lower - higher).abs() / (ALIKE * along.norm() * ends[0].abs().min(ends[1].abs()))
            } else {
                0.0
            };
            Share::bounded(ridge.max(flat), growth).of(fading(-bend.least, 1.0 / height))
        };
        if weights.contains(&0.0) || edges.iter().any(|edge| self.edges[*edge as usize]) {
            return Share::NONE;
        }
        share(edges[0], edges[1], &-normal, &weights[2..]).of(share(edges[1], edges[0], normal, &weights[..2]))
    }
}

/// Returns weight 1 up to the first limit of [`HOLLOW`] and 0 from the second on. `slope` is the decrease of the sine
/// as the gap closes [1/m].
fn fading(sine: f64, slope: f64) -> Share {
    let range = HOLLOW.1 - HOLLOW.0;
    Share::bounded((HOLLOW.1 - sine) / range, slope / range)
}

/// Returns the part of `bristles`, sorted by key, from the first feature of `key` on. `far` selects binary search
/// instead of a linear search from the start.
pub(super) fn from_first(bristles: &[(u64, Bristle)], key: u64, far: bool) -> &[(u64, Bristle)] {
    let before = |b: &(u64, Bristle)| b.0 >> SECOND < key >> SECOND;
    let skip = if far { bristles.partition_point(before) } else { bristles.iter().take_while(|b| before(b)).count() };
    &bristles[skip..]
}

/// Returns the friction memory of a contact: its own bristle, or that of a contact from which it has moved on. The
/// latter has the same first feature and a neighbour of the second. `bristles` must start at the first feature.
pub(super) fn remember(world: &World, bristles: &[(u64, Bristle)], key: u64) -> Option<Bristle> {
    let of_first = bristles.iter().take_while(|b| b.0 >> SECOND == key >> SECOND);
    let corners = |key: u64| {
        let second = (key & ((1 << SECOND) - 1)) as usize;
        if key < EDGES { &world.surface.triangles[second][..] } else { &world.surface.edges[second][..] }
    };
    let mut neighbour = None;
    for (other, bristle) in of_first {
        if *other == key {
            return Some(*bristle);
        }
        if neighbour.is_none() && corners(*other).iter().any(|v| corners(key).contains(v)) {
            neighbour = Some(Bristle { kept: false, ..*bristle });
        }
    }
    neighbour
}

/// Computes the activation weight of a vertex-face contact, number `place` of all contacts `of` the vertex. Faces that
/// share the closest edge or corner form one contact. A face whose own closest point is elsewhere takes precedence,
/// because the shared border is then no closest point of the surface. Otherwise the first face counts. The weight fades
/// where the vertex leans, because its edges are nearer.
pub(super) fn minimum<'a>(
    world: &World,
    x: &[Vec3],
    c: &NarrowResult,
    place: usize,
    of: impl Iterator<Item = &'a NarrowResult>,
) -> Share {
    let near = |c: &NarrowResult, k: &usize| c.separation.weights[*k].abs() > BORDER;
    let shares = |of: &NarrowResult, c: &NarrowResult| {
        (1..4).filter(|k| near(of, k)).all(|k| c.vertices[1..].contains(&of.vertices[k]))
    };
    let mut others = of.enumerate().filter(|(k, _)| *k != place);
    if others.any(|(k, other)| shares(c, other) && (k < place || !shares(other, c))) {
        Share::NONE
    } else if c.kept {
        Share::WHOLE
    } else {
        let (sine, slope) = world.surface.lean(x, c.vertices[0] as usize, &-c.separation.normal);
        fading(sine, slope)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the activation weight of a flat edge along x and an edge above it, along z from `a` to `b` [m]. The
    /// triangles at the flat edge are 1 m high, and the one toward z is slightly higher. The other edge is the border
    /// of a triangle.
    fn share(a: f64, b: f64) -> f64 {
        leaning(0.0101, a, b)
    }

    /// Computes the same weight, with the triangle toward z higher by `hair` [m].
    fn leaning(hair: f64, a: f64, b: f64) -> f64 {
        let x = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, hair, 1.0], [0.0, -hair, -1.0]];
        let above = [[0.0, 0.1, a], [0.0, 0.1, b], [0.0, 1.0, 0.0]];
        let x = [&x[..], &above].concat().into_iter().map(Vec3::from).collect::<Vec<_>>();
        let surface = Surface::new(&[(0..4, vec![[0, 1, 2], [1, 0, 3]]), (4..7, vec![[4, 5, 6]])]);
        let edges = [0, surface.edge_ranges[1].start];
        assert_eq!(edges.map(|edge| surface.edges[edge]), [[0, 1], [4, 5]]);
        let flat = Flat { vertices: vec![false; 7], edges: vec![false; surface.edges.len()] };
        let t = a / (a - b);
        flat.edges_share(&surface, &x, edges.map(|edge| edge as u32), &-Vec3::y(), &[0.5, 0.5, t - 1.0, -t]).part
    }

    /// An end over the triangle is nearer than the edge. From the triangle's border on, the weight grows continuously
    /// to one.
    #[test]
    fn a_flat_edge_acts_by_how_far_the_other_reaches_beyond_its_triangle() {
        let count = 2000;
        for back in [0.5, 5.0] {
            let shares = |reach: f64| [share(-back, reach), share(reach, -back)];
            assert_eq!((shares(0.2), shares(0.99), shares(1.3), shares(9.0)), ([0.0; 2], [0.0; 2], [1.0; 2], [1.0; 2]));
            let mut last = [0.0; 2];
            for k in 0..=count {
                let now = shares(0.99 + 0.31 * f64::from(k) / f64::from(count));
                for (now, last) in now.iter().zip(last) {
                    assert!((0.0..0.001).contains(&(now - last)), "step {k}: from {last} to {now}");
                }
                last = now;
            }
        }
    }

    /// The weight of an edge with one end over a triangle and the other far beyond changes continuously as it leans. A
    /// pair that is released abruptly would oscillate forever.
    #[test]
    fn a_flat_edge_lets_go_steadily_as_it_leans() {
        let shares: Vec<f64> = (-300..=300).map(|k| leaning(1e-4 * f64::from(k), -0.5, 5.0)).collect();
        assert_eq!((shares[0], shares[300], shares[600]), (0.0, 0.5, 1.0));
        assert!(shares.windows(2).all(|s| (0.0..0.006).contains(&(s[1] - s[0]))), "{shares:?}");
    }
}
