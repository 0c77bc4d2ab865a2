//! Quantities of a state: strain and speed at each vertex, energies.

use crate::linalg::{Vec3, par};
use crate::world::{Object, State, World};

/// Relative change of length of an edge against the start.
fn strain(world: &World, x: &[Vec3], a: u32, b: u32) -> f64 {
    let (a, b) = (a as usize, b as usize);
    let rest = (world.rest[a] - world.rest[b]).norm();
    if rest > 0.0 { (x[a] - x[b]).norm() / rest - 1.0 } else { 0.0 }
}

/// Largest relative elongation of all edges of cloths; 0 without any.
pub fn largest_strain(world: &World, x: &[Vec3]) -> f64 {
    let triangles = &world.elements.triangles;
    let largest = par::max(triangles.len(), |t| {
        let [a, b, c] = triangles[t].vertices;
        strain(world, x, a, b).max(strain(world, x, b, c)).max(strain(world, x, c, a))
    });
    largest.max(0.0)
}

/// Largest absolute relative change of length of the edges around each vertex of an object, in file order.
pub fn strains(world: &World, object: &Object, x: &[Vec3]) -> Vec<f64> {
    let mut largest = vec![0.0f64; object.place.len()];
    for t in &object.triangles {
        for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
            let e = strain(world, x, object.place[a as usize], object.place[b as usize]).abs();
            for v in [a, b] {
                largest[v as usize] = largest[v as usize].max(e);
            }
        }
    }
    largest
}

/// Speed of each vertex of an object [m/s], in file order.
pub fn speeds(object: &Object, v: &[Vec3]) -> Vec<f64> {
    object.place.iter().map(|p| v[*p as usize].norm()).collect()
}

/// Kinetic energy of the moving vertices [J].
pub fn kinetic_energy(world: &World, state: &State) -> f64 {
    par::sum(world.moving, |v| 0.5 * world.mass[v] * state.v[v].norm_squared())
}

/// Potential energy of weight [J], zero at the origin.
pub fn weight_energy(world: &World, state: &State) -> f64 {
    par::sum(world.moving, |v| -world.mass[v] * world.gravity.dot(&state.x[v]))
}
