//! How far each vertex has come, by which pairs that cannot have met are passed over.

use crate::collision::certificate::Pair;
use crate::linalg::{Vec3, par};
use crate::world::World;

/// Travel of each vertex since some moment [m].
#[derive(Clone, Debug, Default)]
pub struct Travel {
    /// In the frame of its object's mean motion.
    pub own: Vec<f64>,
    /// In space.
    pub all: Vec<f64>,
    /// Largest of both by object.
    pub most: Vec<(f64, f64)>,
}

impl Travel {
    /// From the displacement of every vertex; obstacles that never move are not asked.
    pub fn measure(&mut self, world: &World, displacement: impl Fn(usize) -> Vec3 + Sync) {
        let n = world.rest.len();
        self.own.resize(n, 0.0);
        self.all.resize(n, 0.0);
        self.most.clear();
        self.most.resize(world.objects.len(), (0.0, 0.0));
        let still: Vec<usize> = world.obstacles.iter().filter(|o| o.course.still()).map(|o| o.object).collect();
        for (k, object) in world.objects.iter().enumerate().filter(|(k, _)| !still.contains(k)) {
            let first = object.vertices.start;
            let count = object.vertices.len();
            let sums = par::gather(count, par::BLOCK, |range, out| {
                out.push(range.fold(Vec3::zeros(), |s, v| s + displacement(first + v)));
            });
            let mean = sums.iter().sum::<Vec3>() / count.max(1) as f64;
            let (own, all) = (&mut self.own[object.vertices.clone()], &mut self.all[object.vertices.clone()]);
            par::join(
                || par::fill(all, |v| displacement(first + v).norm()),
                || par::fill(own, |v| (displacement(first + v) - mean).norm()),
            );
            let most = |values: &[f64]| values.iter().fold(0.0f64, |m, v| m.max(*v));
            self.most[k] = (most(own), most(all));
        }
    }

    /// Bound on how much nearer the two sides of a pair can have come; `same`: both belong to one object.
    #[inline]
    pub fn bound(&self, pair: Pair, vertices: &[u32; 4], same: bool) -> f64 {
        let values = if same { &self.own } else { &self.all };
        let [a, b, c, d] = vertices.map(|v| values[v as usize]);
        match pair {
            Pair::VertexFace => a + b.max(c).max(d),
            Pair::EdgeEdge => a.max(b) + c.max(d),
        }
    }
}
