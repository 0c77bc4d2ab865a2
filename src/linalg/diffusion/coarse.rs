//! The equation on meshes as coarse as the groups.

use super::means::sum_up;
use super::{Diffusion, Equation};
use crate::linalg::envelope::Envelope;
use crate::linalg::par;

/// Reusable storage for a coarse mesh.
#[derive(Clone, Debug, Default)]
pub struct Coarse {
    /// Mean by group, and number.
    resistance: Vec<[f64; 2]>,
    /// Of each edge between groups its resistance, then what couples them.
    between: Vec<f64>,
}

impl Equation<'_> {
    /// The equation, which `diffusion` took last, on meshes as coarse as the groups that conduct a part of what they should, each
    /// factored; false where one is not positive definite. In the sums of the equation, by contrast, the way between two middles is as
    /// short as an edge. Here the rest of the way has the mean resistance of the edges at the borders of both groups, for edges of widths over length `shapes`.
    pub fn coarsen(
        &self,
        diffusion: &Diffusion,
        shapes: &[f64],
        storage: &mut Coarse,
        [(part, sums), (other_part, other)]: [(f64, &mut Envelope); 2],
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
