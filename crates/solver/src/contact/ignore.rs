//! Contact exclusion of pairs whose triangles intersect at the start, and of parts that the scene names.
//!
//! Parts that are named stay excluded. Otherwise every pair of features (vertex and face, edge and edge) of two
//! intersecting triangles is excluded. The exclusion ends for good when all pairs of triangles with both features are
//! apart, so that the set of excluded pairs only shrinks. Intersecting triangles always have an excluded pair.
//! Triangles without one can only come to intersect through a pair that is proven.

use super::element::LEAST;
use crate::collision::certificate::Pair;
use crate::collision::intersect::{Test, cross};
use crate::collision::surface::Surface;
use crate::force::scheme::pick;
use crate::linalg::Vec3;
use crate::mesh::topology::Topology;
use crate::world::crossing::Crossing;
use crate::world::{State, World};
use std::collections::BTreeMap;

/// Lists the feature pairs of two triangles without a common vertex.
fn features(surface: &Surface, [s, t]: [u32; 2]) -> Vec<(Pair, [u32; 2])> {
    let corners = |t: u32| surface.triangles[t as usize];
    let object = |t: u32| usize::from(surface.object[corners(t)[0] as usize]);
    let mut all = Vec::with_capacity(15);
    for (s, t) in [(s, t), (t, s)] {
        let apart = corners(s).into_iter().filter(|v| !corners(t).contains(v));
        all.extend(apart.map(|v| (Pair::VertexFace, [v, t])));
    }
    for e in surface.sides(object(s), s).into_iter().flatten() {
        for f in surface.sides(object(t), t).into_iter().flatten() {
            let [a, b] = [e, f].map(|e| surface.edges[e as usize]);
            if a.iter().all(|v| !b.contains(v)) {
                all.push((Pair::EdgeEdge, [e.min(f), e.max(f)]));
            }
        }
    }
    all
}

/// Excludes the feature pairs of the given intersecting triangles from contact.
pub fn ignore(surface: &Surface, state: &mut State, triangles: &[[u32; 2]]) {
    state.ignored.extend(triangles.iter().flat_map(|pair| features(surface, *pair)));
    state.ignored.sort_unstable();
    state.ignored.dedup();
}

/// Returns true if the pair is excluded from contact.
#[inline]
pub fn ignores(world: &World, state: &State, pair: Pair, features: [u32; 2]) -> bool {
    (!state.ignored.is_empty() && state.ignored.binary_search(&(pair, features)).is_ok())
        || (!world.left_out.is_empty()
            && world.left_out.has(&state.passing, pair, &world.surface.corners(pair, features)))
}

/// Returns true if the triangles may intersect: a part of the scene excludes them, a feature pair is excluded, or cloth
/// passes through one of their objects.
pub fn excuses(world: &World, state: &State, triangles: [u32; 2]) -> bool {
    let surface = &world.surface;
    let object = |t: u32| usize::from(surface.object[surface.triangles[t as usize][0] as usize]);
    if state.released.is_some() && triangles.iter().any(|t| state.released == Some(object(*t))) {
        return true;
    }
    named(world, state, triangles) != 0
        || !state.ignored.is_empty()
            && features(surface, triangles).iter().any(|pair| state.ignored.binary_search(pair).is_ok())
}

/// Returns the bits of the scene's entries that exclude a pair of triangles.
pub fn named(world: &World, state: &State, triangles: [u32; 2]) -> u64 {
    world.left_out.of(&state.passing, triangles.map(|t| &world.surface.triangles[t as usize]))
}

/// Finds the intersections at positions `x` and a time of prescribed motion [s] outside of the parts that the scene
/// names. Returns also the number of pairs of triangles that intersect in each of these.
pub fn crossings(
    world: &World,
    state: &State,
    test: &mut Test,
    (x, time): (&[Vec3], f64),
) -> (Vec<Crossing>, Vec<usize>) {
    let mut all = world.crossings(test, x, time);
    let mut counts = vec![0; world.left_out.names.len()];
    if world.left_out.is_empty() {
        return (all, counts);
    }
    for crossing in &mut all {
        let before = crossing.pairs.len();
        crossing.pairs.retain(|pair| {
            let entries = named(world, state, *pair);
            // A pair in several parts counts in the first.
            if let Some(count) = counts.get_mut(entries.trailing_zeros() as usize) {
                *count += 1;
            }
            entries == 0
        });
        if crossing.pairs.len() < before {
            world.place(crossing, x);
        }
    }
    all.retain(|crossing| !crossing.pairs.is_empty());
    (all, counts)
}

/// Returns true if the triangles do not intersect and their features are at least the hard minimum apart.
fn apart(surface: &Surface, x: &[Vec3], triangles: [u32; 2]) -> bool {
    let far =
        |(pair, near): &(Pair, [u32; 2])| pair.separation(&pick(x, &surface.corners(*pair, *near))).distance >= LEAST;
    !cross(x, triangles.map(|t| &surface.triangles[t as usize])) && features(surface, triangles).iter().all(far)
}

/// Detects excluded pairs that have come apart.
#[derive(Default)]
pub struct CollisionFilter {
    topology: Option<Topology>,
    test: Option<Test>,
}

impl CollisionFilter {
    /// Ends the exclusion of pairs that are apart, and of the released object once it no longer intersects cloth.
    /// Objects absent at the time `now` of prescribed motion [s] are apart from all others.
    pub fn release(&mut self, world: &World, state: &mut State, now: f64) {
        if let Some(object) = state.released {
            let test = self.test.get_or_insert_with(|| world.test());
            let (crossings, _) = crossings(world, state, test, (&state.x, now));
            if crossings.iter().all(|c| !c.objects.contains(&object)) {
                state.released = None;
            }
        }
        if !state.ignored.is_empty() {
            let there = |v: u32| world.there(usize::from(world.surface.object[v as usize]), now);
            let corners = |(pair, features): &(Pair, [u32; 2])| world.surface.corners(*pair, *features);
            state.ignored.retain(|features| corners(features).into_iter().all(there));
        }
        self.release_pairs(&world.surface, state);
    }

    fn release_pairs(&mut self, surface: &Surface, state: &mut State) {
        if state.ignored.is_empty() {
            return;
        }
        let topology = self.topology.get_or_insert_with(|| Topology::new(surface.vertices, &surface.triangles));
        let at = |v: u32| topology.vertex_triangles(v as usize);
        let on = |e: u32| {
            let [a, b] = surface.edges[e as usize];
            at(a).iter().copied().filter(move |t| surface.triangles[*t as usize].contains(&b)).collect::<Vec<u32>>()
        };
        let State { x, ignored, .. } = state;
        let mut seen: BTreeMap<[u32; 2], bool> = BTreeMap::new();
        ignored.retain(|(pair, [a, b])| {
            let (first, second) = match pair {
                Pair::VertexFace => (at(*a).to_vec(), vec![*b]),
                Pair::EdgeEdge => (on(*a), on(*b)),
            };
            let both = first.iter().flat_map(|s| second.iter().map(|t| [*s.min(t), *s.max(t)]));
            both.into_iter().any(|pair| !*seen.entry(pair).or_insert_with(|| apart(surface, x, pair)))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::build::{Input, build};

    /// Creates a triangle in the plane y = 0, and one with its tip at height `tip` and two corners above.
    fn two(tip: f64) -> (Surface, State) {
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.3, tip, 0.3], [0.3, 1.0, 0.2], [0.2, 1.0, 0.3]];
        let surface = Surface::new(&[(0..3, vec![[0, 1, 2]]), (3..6, vec![[3, 4, 5]])]);
        (surface, State { x: x.map(Vec3::from).to_vec(), ..State::default() })
    }

    #[test]
    fn pairs_are_left_out_until_seen_apart() {
        let (surface, mut state) = two(-0.1);
        ignore(&surface, &mut state, &[[0, 1]]);
        assert_eq!(state.ignored.len(), 15);
        let (mut world, _) = build(Input::empty(Vec3::zeros()));
        world.surface = surface.clone();
        let ignores = |pair: Pair, features| ignores(&world, &state, pair, features);
        assert!(ignores(Pair::VertexFace, [3, 0]) && ignores(Pair::EdgeEdge, [1, 4]));
        assert!(!ignores(Pair::EdgeEdge, [0, 1]) && excuses(&world, &state, [0, 1]));
        // Intersecting, then closer than the hard minimum, then apart for good.
        let mut watch = CollisionFilter::default();
        for (tip, left) in [(-0.1, 15), (0.5 * LEAST, 15), (1.5 * LEAST, 0), (-0.1, 0)] {
            state.x = two(tip).1.x;
            watch.release_pairs(&surface, &mut state);
            assert_eq!(state.ignored.len(), left, "{tip}");
        }
        assert!(!excuses(&world, &state, [0, 1]));
    }
}
