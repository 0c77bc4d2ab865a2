//! Distance of cloth vertices to other surfaces.

use crate::collision::candidates::Candidates;
use crate::collision::closest::point_triangle;
use crate::linalg::Vec3;
use crate::world::{State, World};

/// Largest reported gap, as a multiple of the contact distance.
const FAR: f64 = 4.0;

/// Computes the gap of each moving vertex: distance to the nearest triangle that it may touch, less both half
/// thicknesses [m]. Gaps are capped at four times the contact distance.
pub fn gaps(world: &World, state: &State) -> Vec<f64> {
    let x = &state.x;
    let far = FAR * world.contact.distance;
    let meet = |i, j| world.meet_at(i, j, state.now());
    let mut candidates = Candidates::new(x, &world.surface, &world.half_thickness, far, meet);
    candidates.update(x, &world.surface, &vec![Vec3::zeros(); x.len()]);
    let mut gaps = vec![far; world.moving];
    for near in candidates.lists.iter().flat_map(|list| &list.vertex_face) {
        let (v, corners) = (near.a as usize, world.surface.triangles[near.b as usize].map(|c| c as usize));
        let Some(gap) = gaps.get_mut(v) else { continue };
        let [a, b, c] = corners.map(|c| &x[c]);
        let closest = point_triangle(&x[v], a, b, c);
        let thick: f64 = corners.iter().zip(closest.weights).map(|(c, w)| w * world.half_thickness[*c]).sum();
        *gap = gap.min(closest.distance2.sqrt() - thick - world.half_thickness[v]);
    }
    gaps
}
