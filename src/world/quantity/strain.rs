//! Strain of cloths.

use crate::force::membrane::Triangle;
use crate::force::scheme::pick;
use crate::linalg::{Vec3, par};
use crate::world::{Object, World};

/// Relative change of length of a triangle's edges (01, 12, 20) against its rest shape.
fn strain(triangle: &Triangle, x: &[Vec3]) -> [f64; 3] {
    let [a, b, c] = pick(x, &triangle.vertices);
    let now = [b - a, c - b, a - c];
    let rest = triangle.edges();
    std::array::from_fn(|k| now[k].norm() / rest[k] - 1.0)
}

/// Largest relative elongation of all edges of cloths; 0 without any.
pub fn largest_strain(world: &World, x: &[Vec3]) -> f64 {
    let triangles = &world.elements.triangles;
    let largest = par::max(triangles.len(), |t| strain(&triangles[t], x).into_iter().fold(0.0, f64::max));
    largest.max(0.0)
}

/// Largest relative elongation of the edges of each cloth, and where: index of its object, strain, place [m].
pub fn strained(world: &World, x: &[Vec3]) -> Vec<(usize, f64, Vec3)> {
    let mut most: Vec<_> = world.cloths.iter().map(|cloth| (cloth.object, 0.0, Vec3::zeros())).collect();
    for triangle in &world.elements.triangles {
        let strain = strain(triangle, x).into_iter().fold(0.0, f64::max);
        if let Some(most) = most.get_mut(triangle.cloth as usize).filter(|most| strain > most.1) {
            (most.1, most.2) = (strain, x[triangle.vertices[0] as usize]);
        }
    }
    most
}

/// Largest absolute relative change of length of the edges around each vertex of an object, in file order.
pub fn strains(world: &World, object: &Object, x: &[Vec3]) -> Vec<f64> {
    let mut largest = vec![0.0f64; world.moving];
    for t in world.elements.triangles.iter().filter(|t| object.vertices.contains(&(t.vertices[0] as usize))) {
        for (k, e) in strain(t, x).into_iter().enumerate() {
            for v in [t.vertices[k], t.vertices[(k + 1) % 3]] {
                largest[v as usize] = largest[v as usize].max(e.abs());
            }
        }
    }
    world.in_file_order(object, &largest)
}
