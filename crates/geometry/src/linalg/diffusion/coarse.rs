//! Coarse versions of the diffusion equation, with one unknown per group.

use super::means::sum_up;
use super::{Diffusion, Equation};
use crate::linalg::par;
use crate::linalg::skyline::SkylineCholesky;

/// Reusable storage for a coarse mesh.
#[derive(Clone, Debug, Default)]
pub struct Coarse {
    /// Mean resistance of the border edges of each group, and their number.
    resistance: Vec<[f64; 2]>,
    /// Resistance of each edge between groups, later its coefficient.
    between: Vec<f64>,
}

impl Equation<'_> {
    /// Assembles and factors two coarse equations with one unknown per group, for the matrix last given to `diffusion`.
    /// The conductances of each are multiplied by its own part. Returns false if one is not positive definite.
    ///
    /// The matrix of the means treats the path between two group centres as being as short as an edge. Here the rest of
    /// the path has the mean resistance of the border edges of both groups. `shapes` is width over length of each edge.
    pub fn coarsen(
        &self,
        diffusion: &Diffusion,
        shapes: &[f64],
        storage: &mut Coarse,
        [(part, sums), (other_part, other)]: [(f64, &mut SkylineCholesky); 2],
    ) -> bool {
        let (graph, Coarse { resistance, between }, Diffusion { rows, .. }) = (self.graph, storage, diffusion);
        resistance.clear();
        resistance.resize(graph.groups() + 1, [0.0; 2]);
        between.clear();
        for ([g, h], edges) in rows.pairs.iter().cloned() {
            let mut sum = [0.0; 2];
            for (e, k) in rows.edges[edges.clone()].iter().zip(&diffusion.between[edges]) {
                let shape = shapes[*e as usize];
                let conducts = *k > 0.0 && shape > 0.0;
                let own = if conducts { shape / k } else { f64::INFINITY };
                between.push(own);
                if conducts {
                    sum = [sum[0] + own, sum[1] + 1.0];
                }
            }
            for g in [g, h] {
                let [all, number] = resistance[g];
                resistance[g] = [all + sum[0], number + sum[1]];
            }
        }
        resistance.iter_mut().for_each(|[sum, number]| *sum /= number.max(1.0));
        for ([g, h], edges) in rows.pairs.iter().cloned() {
            let h = if h < graph.groups() { h } else { g };
            let mean = 0.5 * (resistance[g][0] + resistance[h][0]);
            for (between, e) in between[edges.clone()].iter_mut().zip(&rows.edges[edges]) {
                *between = shapes[*e as usize] / (*between + graph.ways[*e as usize] * mean);
            }
        }
        let (first, second) = par::join(
            || sum_up(graph, rows, &diffusion.volumes, (between, part), sums),
            || sum_up(graph, rows, &diffusion.volumes, (between, other_part), other),
        );
        first && second
    }
}
