//! How far each vertex has come, by which pairs that cannot have met are passed over.

use crate::collision::certificate::Pair;
use crate::linalg::{Vec3, par};
use crate::world::World;

/// Travel of all vertices since some moment: each object's mean, and each vertex's distance from it.
#[derive(Clone, Debug, Default)]
pub struct Travel {
    /// Distance of each vertex from its object's mean travel [m].
    pub own: Vec<f64>,
    /// Mean travel of each object [m].
    pub mean: Vec<Vec3>,
}

impl Travel {
    /// From the displacement of every vertex; obstacles that never move are not asked.
    pub fn measure(&mut self, world: &World, displacement: impl Fn(usize) -> Vec3 + Sync) {
        self.own.resize(world.rest.len(), 0.0);
        self.mean.clear();
        self.mean.resize(world.objects.len(), Vec3::zeros());
        let still: Vec<usize> = world.obstacles.iter().filter(|o| o.course.still()).map(|o| o.object).collect();
        for (k, object) in world.objects.iter().enumerate().filter(|(k, _)| !still.contains(k)) {
            let first = object.vertices.start;
            let count = object.vertices.len();
            let sums = par::gather(count, par::BLOCK, |range, out| {
                out.push(range.fold(Vec3::zeros(), |s, v| s + displacement(first + v)));
            });
            let mean = sums.iter().sum::<Vec3>() / count.max(1) as f64;
            self.mean[k] = mean;
            par::fill(&mut self.own[object.vertices.clone()], |v| (displacement(first + v) - mean).norm());
        }
    }

    /// How far the mean travels of two objects differ [m].
    pub fn between(&self, i: usize, j: usize) -> f64 {
        (self.mean[i] - self.mean[j]).norm()
    }

    /// Bound on how much nearer the two sides of a pair can have come, for `between` of its two objects.
    #[inline]
    pub fn bound(&self, pair: Pair, vertices: &[u32; 4], between: f64) -> f64 {
        let [a, b, c, d] = vertices.map(|v| self.own[v as usize]);
        between
            + match pair {
                Pair::VertexFace => a + b.max(c).max(d),
                Pair::EdgeEdge => a.max(b) + c.max(d),
            }
    }
}
