//! Rows of the matrix in the order of the slots.

use crate::linalg::graph::Graph;
use std::ops::Range;

/// Rows of the matrix, sorted by slot. The slots of a group are adjacent, since they couple most with each other. Fixed
/// vertices have no links. Links to them lead to one extra slot at the end, which is in one extra group.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// Fixed vertices for which the rows were built.
    fixed: Vec<bool>,
    /// Group of each slot.
    pub home: Vec<u32>,
    /// Offset of each slot's links, with one entry more.
    starts: Vec<u32>,
    /// Seat of each link's neighbour.
    to: Vec<u32>,
    /// Edge of each link.
    pub by: Vec<u32>,
    /// Edges between groups or with a fixed vertex, sorted by pair of groups. `ends` has the slots of each.
    pub edges: Vec<u32>,
    pub ends: Vec<[u32; 2]>,
    /// Pairs of groups, with their range of `edges`.
    pub pairs: Vec<([usize; 2], Range<usize>)>,
}

impl Rows {
    pub(super) fn find(&mut self, graph: &Graph, fixed: &[bool]) {
        let Rows { fixed: last, home, starts, to, by, edges, ends, pairs } = self;
        if last == fixed && home.len() == fixed.len() + 1 {
            return;
        }
        last.clear();
        last.extend_from_slice(fixed);
        let (size, groups) = (graph.size(), graph.groups() as u32);
        let mut slots = vec![size as u32; size];
        *home = vec![groups; size + 1];
        for (slot, v) in graph.order.iter().map(|v| *v as usize).enumerate().filter(|(_, v)| !fixed[*v]) {
            (slots[v], home[slot]) = (slot as u32, graph.group[v]);
        }
        (*starts, *to, *by) = (vec![0], Vec::new(), Vec::new());
        for v in graph.order.iter().map(|v| *v as usize) {
            let own = if fixed[v] { &[] } else { graph.links(v) };
            to.extend(own.iter().map(|[w, _]| slots[*w as usize]));
            by.extend(own.iter().map(|[_, e]| *e));
            starts.push(to.len() as u32);
        }
        let between = |e: u32| {
            let mut ends = graph.edges[e as usize].map(|v| slots[v as usize]);
            ends.sort_unstable();
            (ends.map(|slot| home[slot as usize]), ends)
        };
        *edges = (0..graph.edges.len() as u32).filter(|e| between(*e).0[0] != between(*e).0[1]).collect();
        edges.sort_by_key(|e| between(*e));
        *ends = edges.iter().map(|e| between(*e).1).collect();
        pairs.clear();
        for (k, e) in edges.iter().enumerate() {
            let groups = between(*e).0.map(|g| g as usize);
            match pairs.last_mut() {
                Some((pair, edges)) if *pair == groups => edges.end = k + 1,
                _ => pairs.push((groups, k..k + 1)),
            }
        }
    }

    /// Returns the neighbours of a slot with their coefficients. `couples` has the coefficient of each link.
    #[inline(always)]
    pub(super) fn near<'a>(&'a self, slot: usize, couples: &'a [f32]) -> impl Iterator<Item = (usize, f32)> + 'a {
        let range = self.starts[slot] as usize..self.starts[slot + 1] as usize;
        self.to[range.clone()].iter().map(|to| *to as usize).zip(couples[range].iter().copied())
    }
}
