//! Who is coupled with whom, in the order in which it is gone through.

use crate::linalg::graph::Graph;
use std::ops::Range;

/// The matrix in order of the seats: that of a group is next to those it is coupled with most. Fixed vertices have no links; to one that has
/// them they are all in one more seat behind the others, of one more group.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The fixed vertices it was found for.
    fixed: Vec<bool>,
    /// Group of each seat.
    pub home: Vec<u32>,
    /// Links of each seat begin here, one entry more.
    starts: Vec<u32>,
    /// Seat of the neighbour.
    to: Vec<u32>,
    /// Edge to it.
    pub by: Vec<u32>,
    /// Edges between groups, or with a fixed vertex, pair by pair, and the seats they are between.
    pub edges: Vec<u32>,
    pub ends: Vec<[u32; 2]>,
    /// Groups of each pair, and its edges.
    pub pairs: Vec<([usize; 2], Range<usize>)>,
}

impl Rows {
    pub fn find(&mut self, graph: &Graph, fixed: &[bool]) {
        let Rows { fixed: last, home, starts, to, by, edges, ends, pairs } = self;
        if last == fixed && home.len() == fixed.len() + 1 {
            return;
        }
        last.clear();
        last.extend_from_slice(fixed);
        let (size, groups) = (graph.size(), graph.groups() as u32);
        let mut seats = vec![size as u32; size];
        *home = vec![groups; size + 1];
        for (seat, v) in graph.members.iter().map(|v| *v as usize).enumerate().filter(|(_, v)| !fixed[*v]) {
            (seats[v], home[seat]) = (seat as u32, graph.group[v]);
        }
        (*starts, *to, *by) = (vec![0], Vec::new(), Vec::new());
        for v in graph.members.iter().map(|v| *v as usize) {
            let own = if fixed[v] { &[] } else { graph.links(v) };
            to.extend(own.iter().map(|[w, _]| seats[*w as usize]));
            by.extend(own.iter().map(|[_, e]| *e));
            starts.push(to.len() as u32);
        }
        let between = |e: u32| {
            let mut ends = graph.edges[e as usize].map(|v| seats[v as usize]);
            ends.sort_unstable();
            (ends.map(|seat| home[seat as usize]), ends)
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

    /// Seats that a seat is coupled with, and how strongly, of what couples by each link.
    #[inline(always)]
    pub fn near<'a>(&'a self, seat: usize, couples: &'a [f32]) -> impl Iterator<Item = (usize, f32)> + 'a {
        let range = self.starts[seat] as usize..self.starts[seat + 1] as usize;
        self.to[range.clone()].iter().map(|to| *to as usize).zip(couples[range].iter().copied())
    }
}
