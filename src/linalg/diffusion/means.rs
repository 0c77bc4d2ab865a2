//! What groups of neighbours have in common, found exactly.

use super::rows::Rows;
use crate::linalg::envelope::Envelope;
use crate::linalg::graph::Graph;
use crate::linalg::par;
use std::ops::Range;

/// The equation of what groups have in common, one number each.
#[derive(Clone, Debug, Default)]
pub struct Means {
    pub matrix: Envelope,
    /// The numbers; the last is that of what is fixed.
    pub mean: Vec<f64>,
    /// Right-hand side.
    total: Vec<f64>,
    /// What flows between groups, by pair.
    flows: Vec<f64>,
    scratch: Vec<f64>,
}

impl Means {
    /// The means that leave no sum in any group of what `b` has there in all less what flows with `x`, by seat.
    pub fn level(
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

/// The equation for one number a group, factored, where `volumes` are its numbers and the edges between groups couple by a part of
/// `between`. False where it is not positive definite.
pub fn sum_up(
    graph: &Graph,
    rows: &Rows,
    volumes: &[f64],
    (between, part): (&[f64], f64),
    sums: &mut Envelope,
) -> bool {
    sums.clone_from(&graph.pattern);
    let mut add = |g: usize, h: usize, value: f64| sums.add(g as u32, h as u32, value);
    (0..).zip(volumes).for_each(|(g, volume)| add(g, g, *volume));
    for ([g, h], edges) in rows.pairs.iter().cloned() {
        let sum = part * between[edges].iter().sum::<f64>();
        add(g, g, sum);
        // The last group is what is fixed.
        if h < graph.groups() {
            add(h, h, sum);
            add(g, h, -sum);
        }
    }
    sums.factor()
}
