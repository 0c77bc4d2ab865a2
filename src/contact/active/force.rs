//! What contacts did in a step, for probes.

use super::ActiveSet;
use crate::linalg::Vec3;
use crate::world::step::Step;

impl ActiveSet {
    /// Gives `f` vertices and weights of each contact and the force on its first side that the accepted solution used, then those of the
    /// impulses before it, over the step [N]. The force on each vertex is the weight's part of it.
    pub fn each_force(&self, step: &Step, mut f: impl FnMut(&[u32; 4], &[f64; 4], Vec3)) {
        for c in &self.contacts {
            let moved: Vec3 = (0..4).map(|k| step.solved(c.vertices[k]) * c.weights[k]).sum();
            f(&c.vertices, &c.weights, c.linear.force - c.contact.stiffness(&c.linear) * moved);
        }
        let pushed = self.blows.iter().zip(&self.pushes).filter(|(_, push)| **push != Vec3::zeros());
        for (blow, push) in pushed {
            // What touches takes the step by backward Euler.
            let (vertices, weights, force) = blow.force(push, step.h);
            f(vertices, weights, force);
        }
    }
}
