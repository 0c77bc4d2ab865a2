//! Deflation: exact solution for the means over groups of neighbours.

use super::rows::Rows;
use crate::linalg::graph::Graph;
use crate::linalg::par;
use crate::linalg::skyline::SkylineCholesky;
use std::ops::Range;

/// Equation for the means, with one unknown per group.
#[derive(Clone, Debug, Default)]
pub(super) struct Means {
    pub matrix: SkylineCholesky,
    /// Mean of each group. The last entry is zero, for fixed vertices.
    pub mean: Vec<f64>,
    /// Right-hand side.
    total: Vec<f64>,
    /// Flow between groups, by pair.
    flows: Vec<f64>,
    scratch: Vec<f64>,
}

impl Means {
    /// Solves for the means that cancel the sum of the residual in each group. `b` sums the residual without flows over
    /// a range of slots; `x` returns the value at a slot.
    pub(super) fn level(
        &mut self,
        graph: &Graph,
        rows: &Rows,
        between: &[f64],
        b: impl Fn(Range<usize>) -> f64 + Sync,
        x: impl Fn(usize) -> f64 + Sync,
    ) {
        let Means { matrix, mean, total, flows, scratch } = self;
        for (vector, size) in [(&mut *total, graph.groups()), (scratch, graph.groups()), (flows, rows.pairs.len())] {
            vector.resize(size, 0.0);
        }
        graph.each_group(total, b);
        par::fill(flows, |pair| {
            let edges = rows.pairs[pair].1.clone();
            let flow = |([a, b], k): (&[u32; 2], &f64)| k * (x(*a as usize) - x(*b as usize));
            rows.ends[edges.clone()].iter().zip(&between[edges]).map(flow).sum()
        });
        for (([g, h], _), flow) in rows.pairs.iter().zip(&*flows) {
            total[*g] -= flow;
            if let Some(total) = total.get_mut(*h) {
                *total += flow;
            }
        }
        mean.clear();
        mean.extend_from_slice(total);
        matrix.solve(mean, scratch);
        mean.push(0.0);
    }
}

/// Assembles and factors the matrix with one unknown per group. `volumes` is the sum of `d` over each group. Edges
/// between groups couple by a fraction `part` of `between`. Returns false if the matrix is not positive definite.
pub(super) fn sum_up(
    graph: &Graph,
    rows: &Rows,
    volumes: &[f64],
    (between, part): (&[f64], f64),
    sums: &mut SkylineCholesky,
) -> bool {
    sums.clone_from(&graph.pattern);
    let mut add = |g: usize, h: usize, value: f64| sums.add(g as u32, h as u32, value);
    (0..).zip(volumes).for_each(|(g, volume)| add(g, g, *volume));
    for ([g, h], edges) in rows.pairs.iter().cloned() {
        let sum = part * between[edges].iter().sum::<f64>();
        add(g, g, sum);
        // The last group is that of the fixed vertices.
        if h < graph.groups() {
            add(h, h, sum);
            add(g, h, -sum);
        }
    }
    sums.factor()
}
