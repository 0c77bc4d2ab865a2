//! Strain of cloths.

use crate::force::elements::Elements;
use crate::force::membrane::Triangle;
use crate::force::scheme::pick;
use crate::force::spring::{Role, Spring};
use crate::linalg::{Vec3, par};
use crate::world::{Object, World};

/// Computes the relative change of length of a triangle's edges (01, 12, 20) from its rest shape.
fn strain(triangle: &Triangle, x: &[Vec3]) -> [f64; 3] {
    let [a, b, c] = pick(x, &triangle.vertices);
    let now = [b - a, c - b, a - c];
    let rest = triangle.edges();
    std::array::from_fn(|k| now[k].norm() / rest[k] - 1.0)
}

/// Computes the relative change of length of a spring; 0 unless it is an edge spring.
fn spring_strain(spring: &Spring, x: &[Vec3]) -> f64 {
    let [a, b] = pick(x, &spring.vertices);
    if spring.role != Role::Edge { 0.0 } else { (b - a).norm() / spring.rest - 1.0 }
}

/// Computes the largest relative elongation of all cloth edges; 0 if there are none.
pub fn largest_strain(world: &World, x: &[Vec3]) -> f64 {
    let Elements { triangles, springs, .. } = &world.elements;
    let largest = par::max(triangles.len(), |t| strain(&triangles[t], x).into_iter().fold(0.0, f64::max));
    largest.max(par::max(springs.len(), |k| spring_strain(&springs[k], x))).max(0.0)
}

/// Finds the largest relative elongation of the edges of each cloth: index of its object, strain, position [m].
pub fn strained(world: &World, x: &[Vec3]) -> Vec<(usize, f64, Vec3)> {
    let mut most: Vec<_> = world.cloths.iter().map(|cloth| (cloth.object, 0.0, Vec3::zeros())).collect();
    let mut see = |cloth: u32, strain: f64, vertex: u32| {
        if let Some(most) = most.get_mut(cloth as usize).filter(|most| strain > most.1) {
            (most.1, most.2) = (strain, x[vertex as usize]);
        }
    };
    for triangle in &world.elements.triangles {
        see(triangle.cloth, strain(triangle, x).into_iter().fold(0.0, f64::max), triangle.vertices[0]);
    }
    for spring in &world.elements.springs {
        see(spring.cloth, spring_strain(spring, x), spring.vertices[0]);
    }
    most
}

/// Computes the largest absolute relative change of length of the edges around each vertex of an object, in file order.
pub fn strains(world: &World, object: &Object, x: &[Vec3]) -> Vec<f64> {
    let mut largest = vec![0.0f64; world.moving];
    let own = |vertex: u32| object.vertices.contains(&(vertex as usize));
    let mut see = |vertices: [u32; 2], strain: f64| {
        for v in vertices.map(|v| v as usize) {
            largest[v] = largest[v].max(strain.abs());
        }
    };
    for t in world.elements.triangles.iter().filter(|t| own(t.vertices[0])) {
        for (k, e) in strain(t, x).into_iter().enumerate() {
            see([t.vertices[k], t.vertices[(k + 1) % 3]], e);
        }
    }
    for spring in world.elements.springs.iter().filter(|spring| own(spring.vertices[0])) {
        see(spring.vertices, spring_strain(spring, x));
    }
    world.in_file_order(object, &largest)
}
