//! Contact forces for probes and effects.

use super::ActiveSet;
use crate::collision::key::{EDGES, SECOND};
use crate::contact::element::Element;
use crate::linalg::Vec3;
use crate::world::World;
use crate::world::effect::{Touch, Touching};
use crate::world::step::Step;

impl ActiveSet {
    /// Calls `f` for each contact with its vertices, weights and the force on its first side in the accepted solution
    /// [N]. Then does the same for the impulses, as forces over the step. The force on each vertex is this force times
    /// its weight.
    pub fn each_force(&self, step: &Step, mut f: impl FnMut(&[u32; 4], &[f64; 4], Vec3)) {
        for c in &self.contacts {
            let displacement: Vec3 = (0..4).map(|k| step.solved(c.vertices[k]) * c.weights[k]).sum();
            f(&c.vertices, &c.weights, c.linear.force - c.contact.stiffness(&c.linear) * displacement);
        }
        let pushed = self.blows.iter().zip(&self.pushes).filter(|(_, push)| **push != Vec3::zeros());
        for (blow, push) in pushed {
            // Vertices in contact use backward Euler.
            let (vertices, weights, force) = blow.force(push, step.h);
            f(vertices, weights, force);
        }
    }
}

impl Touching for ActiveSet {
    fn each(&self, f: &mut dyn FnMut(&Touch)) {
        for Element { key, vertices, weights, .. } in &self.contacts {
            let triangle = (*key < EDGES).then_some((key & ((1 << SECOND) - 1)) as u32);
            f(&Touch { vertices: *vertices, weights: *weights, triangle });
        }
    }

    fn load(&self, world: &World, step: &Step, [object, below]: [usize; 2], loads: &mut [f64]) {
        let first = world.objects[object].vertices.start;
        // Serial loop: the order of summation is that of the contacts.
        for c in &self.contacts {
            let objects = [c.vertices[0], c.vertices[3]].map(|v| world.surface.object[v as usize] as usize);
            if !objects.contains(&object) || objects.contains(&below) || objects[0] == objects[1] {
                continue;
            }
            let force = c.contact.normal_force(&c.linear, &c.displacement(step), &c.free);
            for (v, weight) in c.vertices.iter().zip(c.weights) {
                if let Some(load) = (*v as usize).checked_sub(first).and_then(|k| loads.get_mut(k)) {
                    // Vertices in contact use backward Euler.
                    let braking = c.contact.mass * c.braked / (step.h * step.h);
                    *load += weight.abs() * (force + braking);
                }
            }
        }
    }
}
