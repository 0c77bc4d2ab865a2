//! Graph of vertices and edges, with groups of neighbouring vertices.
//!
//! A slot is the position of a vertex in the order of the groups.

use super::skyline::SkylineCholesky;
use super::{Vec3, par};
use std::ops::Range;

/// Maximum number of edges from the centre of a group to its border.
const REACH: u32 = 3;

/// Graph of vertices and edges, with groups of neighbouring vertices.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Vertices of each edge, the smaller index first; sorted.
    pub edges: Vec<[u32; 2]>,
    /// Offset of each vertex in `links`, with one entry more.
    starts: Vec<u32>,
    /// Neighbour and edge of each link.
    links: Vec<[u32; 2]>,
    /// Group of each vertex.
    pub(super) group: Vec<u32>,
    /// Offset of each group in the slots, with one entry more.
    pub(super) group_starts: Vec<u32>,
    /// Vertex in each slot, group by group.
    pub(super) order: Vec<u32>,
    /// Path between the two group centres of each edge less the edge length, relative to that length. Within a group,
    /// the path is from the centre to the farther end.
    pub(super) ways: Vec<f64>,
    /// Pattern of a matrix with one unknown per group.
    pub(super) pattern: SkylineCholesky,
}

impl Graph {
    /// Builds the graph for `edges` between vertices at `points`. Values by edge are in the order of [`Graph::edges`].
    pub fn new(points: &[Vec3], mut edges: Vec<[u32; 2]>) -> Graph {
        edges.iter_mut().for_each(|e| e.sort_unstable());
        edges.sort_unstable();
        let count = points.len();
        let mut starts = vec![0; count + 1];
        edges.iter().flatten().for_each(|v| starts[*v as usize + 1] += 1);
        (0..count).for_each(|v| starts[v + 1] += starts[v]);
        let mut next = starts.clone();
        let mut links = vec![[0; 2]; 2 * edges.len()];
        for (e, [a, b]) in edges.iter().enumerate() {
            for (v, other) in [(a, b), (b, a)] {
                links[next[*v as usize] as usize] = [*other, e as u32];
                next[*v as usize] += 1;
            }
        }
        let mut graph = Graph { edges, starts, links, ..Graph::default() };
        graph.find_groups();
        graph.ways = graph.find_ways(points);
        let groups = graph.edges.iter().map(|e| e.map(|v| graph.group[v as usize]));
        graph.pattern = SkylineCholesky::new(graph.groups(), groups);
        graph
    }

    /// Groups the vertices around centres more than [`REACH`] edges apart, each with the nearest centre.
    fn find_groups(&mut self) {
        let count = self.starts.len() - 1;
        let (mut group, mut far, mut groups) = (vec![0; count], vec![u32::MAX; count], 0);
        let mut queue = Vec::new();
        for middle in 0..count {
            if far[middle] <= REACH {
                continue;
            }
            queue.clear();
            queue.push(middle);
            (group[middle], far[middle]) = (groups, 0);
            let mut next = 0;
            while next < queue.len() {
                let v = queue[next];
                next += 1;
                if far[v] == REACH {
                    continue;
                }
                for [w, _] in self.links(v) {
                    let w = *w as usize;
                    if far[w] > far[v] + 1 {
                        (group[w], far[w]) = (groups, far[v] + 1);
                        queue.push(w);
                    }
                }
            }
            groups += 1;
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        // Vertices with equal numbers of links are adjacent, for branch prediction.
        order.sort_by_key(|v| (group[*v as usize], self.links(*v as usize).len()));
        self.group_starts = (0..=groups).map(|g| order.partition_point(|v| group[*v as usize] < g) as u32).collect();
        (self.group, self.order) = (group, order);
    }

    fn find_ways(&self, points: &[Vec3]) -> Vec<f64> {
        let of = |g: usize| &self.order[self.group_starts[g] as usize..self.group_starts[g + 1] as usize];
        let middle = |g: usize| of(g).iter().map(|v| points[*v as usize]).sum::<Vec3>() / of(g).len() as f64;
        let middles: Vec<Vec3> = (0..self.groups()).map(middle).collect();
        let way = |[a, b]: &[u32; 2]| {
            let ends = [a, b].map(|v| points[*v as usize]);
            let [g, h] = [a, b].map(|v| middles[self.group[*v as usize] as usize]);
            let way = if g == h {
                (ends[0] - g).norm().max((ends[1] - g).norm())
            } else {
                (h - g).norm_squared() / (ends[1] - ends[0]).normalize().dot(&(h - g)).abs()
            };
            (ends[1] - ends[0]).norm() / way
        };
        self.edges.iter().map(|e| 1.0 / way(e).clamp(1e-3, 1.0) - 1.0).collect()
    }

    /// Returns the number of vertices of a group.
    pub fn group_size(&self, g: u32) -> u32 {
        self.group_starts[g as usize + 1] - self.group_starts[g as usize]
    }

    /// Returns the vertices of each group.
    pub fn members(&self) -> impl Iterator<Item = &[u32]> {
        self.group_starts.windows(2).map(|range| &self.order[range[0] as usize..range[1] as usize])
    }

    /// Returns the number of groups.
    pub fn groups(&self) -> usize {
        self.group_starts.len() - 1
    }

    /// Returns the vertex in a slot.
    pub fn vertex_at(&self, slot: usize) -> usize {
        self.order[slot] as usize
    }

    /// Returns the group of a vertex.
    pub fn group(&self, v: usize) -> u32 {
        self.group[v]
    }

    /// Returns the number of vertices.
    pub fn size(&self) -> usize {
        self.group.len()
    }

    /// Returns the neighbours of a vertex, each with the edge to it.
    pub fn links(&self, v: usize) -> &[[u32; 2]] {
        &self.links[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// Returns the net inflow and the outflow of vertex `v`. `flux` is the flow from the second to the first vertex of
    /// each edge.
    pub fn flows(&self, v: usize, flux: &[f64]) -> [f64; 2] {
        let comes = |[w, e]: &[u32; 2]| {
            let flux = flux[*e as usize];
            if (v as u32) < *w { flux } else { -flux }
        };
        let add = |[sum, goes]: [f64; 2], comes: f64| [sum + comes, goes - comes.min(0.0)];
        self.links(v).iter().map(comes).fold([0.0; 2], add)
    }

    /// Sets `out[g] = f(slots of group g)`.
    pub fn each_group<T: Send>(&self, out: &mut [T], f: impl Fn(Range<usize>) -> T + Sync) {
        // A group has some twenty vertices.
        par::blocks_mut(out, par::BLOCK / 16, |first, block| {
            for (out, range) in block.iter_mut().zip(self.group_starts[first..].windows(2)) {
                *out = f(range[0] as usize..range[1] as usize);
            }
        });
    }
}
