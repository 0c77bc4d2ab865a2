//! The vertex test of Prince & Bigham 2004, for comparison. A vertex that a step would take closer than epsilon to a
//! triangle of an obstacle stays in place, with zero velocity. Edges and faces of cloth, and cloth against cloth, are
//! not tested, so that frames may have intersections.

use super::ignore::ignores;
use crate::collision::certificate::Pair;
use crate::collision::closest::point_triangle;
use crate::collision::tree::{Box3, Tree, margin2};
use crate::linalg::{Vec3, par};
use crate::world::step::Step;
use crate::world::{State, World};

/// Storage of the vertex test.
pub struct VertexTest {
    /// Minimum distance of vertices from obstacles [m].
    epsilon: f64,
    /// Bounding volume hierarchy over the triangles of all obstacles.
    tree: Tree,
    /// End positions of all vertices in the step [m].
    x: Vec<Vec3>,
    /// Each held vertex with the corners of a triangle that it came too near to.
    held: Vec<[u32; 4]>,
}

impl VertexTest {
    /// Creates the test if the contact settings ask for it, else returns `None`.
    pub fn new(world: &World) -> Option<VertexTest> {
        let epsilon = world.contact.vertex_test?;
        let triangles = &world.surface.triangles;
        let first = world.surface.triangle_ranges.get(world.simulated()).map_or(triangles.len(), |range| range.start);
        let items: Vec<u32> = (first as u32..triangles.len() as u32).collect();
        let centre = |t: &u32| triangles[*t as usize].map(|v| world.rest[v as usize]).iter().sum::<Vec3>() / 3.0;
        let centres: Vec<Vec3> = items.iter().map(centre).collect();
        Some(VertexTest {
            epsilon,
            tree: Tree::new(&items, &centres),
            x: vec![Vec3::zeros(); world.rest.len()],
            held: Vec::new(),
        })
    }

    /// Holds vertices that the step would take too near to obstacles present at its end. Returns them with the corners
    /// of the triangles.
    pub fn hold(&mut self, world: &World, state: &State, step: &mut Step) -> &[[u32; 4]] {
        let VertexTest { epsilon, tree, x, held } = self;
        par::fill(x, |v| state.x[v] + step.displacement[v]);
        let x = &*x;
        let corners = |t: u32| world.surface.triangles[t as usize];
        tree.refit(|t| Box3::around(corners(t).each_ref().map(|v| &x[*v as usize]), 0.0));
        let (tree, margin) = (&*tree, margin2(*epsilon));
        let there = |t: u32| world.there(usize::from(world.surface.object[corners(t)[0] as usize]), step.next);
        let acts = |v: usize, t: u32| there(t) && !ignores(world, state, Pair::VertexFace, [v as u32, t]);
        let near = |v: usize| {
            let mut met = None;
            let around = Box3::around([&x[v]], 0.0);
            tree.query(&around, margin, 0, |leaf| {
                tree.within(leaf, &around, margin, |t| {
                    let [a, b, c] = corners(t).map(|v| x[v as usize]);
                    if point_triangle(&x[v], &a, &b, &c).distance2 < *epsilon * *epsilon && acts(v, t) {
                        met.get_or_insert(t);
                    }
                });
            });
            met
        };
        let fixed = &step.fixed;
        let found = par::map(world.moving, |v| if fixed[v] { None } else { near(v) });
        held.clear();
        for (v, t) in found.into_iter().enumerate().filter_map(|(v, t)| Some((v, t?))) {
            let [a, b, c] = corners(t);
            held.push([v as u32, a, b, c]);
            step.displacement[v] = Vec3::zeros();
            step.velocity[v] = Vec3::zeros();
        }
        held
    }
}
