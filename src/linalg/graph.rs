//! Diffusion on a graph: `d_i x_i + sum_j k_ij (x_i - x_j) = b_i`, by deflated conjugate gradients.
//!
//! Where `k` is large against `d` a disturbance reaches far beyond a neighbour, and conjugate gradients alone need as many
//! iterations as there are vertices on the way. Means over groups of neighbours are solved for exactly in every iteration (deflation:
//! Saad, Yeung, Erhel & Guyomarc'h 2000), which leaves what is shorter than a group: the number of iterations does not depend
//! on the number of vertices.

use super::envelope::Envelope;
use super::pcg::Outcome;
use super::{Vec3, par};

/// Edges on the way from the middle of a group to its border, at most.
const REACH: u32 = 3;

/// Vertices, edges and groups of neighbours.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Both vertices of each edge, the one with the smaller number first.
    pub edges: Vec<[u32; 2]>,
    /// Edges of each vertex begin here in `links`, one entry more.
    starts: Vec<u32>,
    /// Neighbour and edge.
    links: Vec<[u32; 2]>,
    /// Group of each vertex.
    group: Vec<u32>,
    /// Vertices of each group begin here in `members`, one entry more.
    group_starts: Vec<u32>,
    members: Vec<u32>,
    /// Length of each edge over the way between the middles of what it couples: both groups, or its group and its farther end.
    shares: Vec<f64>,
}

/// Reusable storage of the solver.
#[derive(Clone, Debug, Default)]
pub struct Diffusion {
    /// `d_i + sum_j k_ij`
    diagonal: Vec<f64>,
    /// What each link couples by, in order of the links.
    links: Vec<(u32, f32)>,
    border: Border,
    unknowns: Vec<Unknown>,
    /// The scaled residual.
    z: Vec<f64>,
    /// The matrix times the scaled residual.
    q: Vec<f64>,
    /// Part of a sum, by block of vertices.
    sums: Vec<f64>,
    means: Envelope,
    /// One number for each group.
    mean: Vec<f64>,
    scratch: Vec<f64>,
}

/// What couples groups with each other and with fixed vertices.
#[derive(Clone, Debug, Default)]
pub struct Border {
    /// The fixed vertices it was found for.
    fixed: Vec<bool>,
    edges: Vec<u32>,
    /// Links of each vertex begin here, one entry more.
    starts: Vec<u32>,
    links: Vec<u32>,
}

/// A vertex in conjugate gradients; nothing but zeros where it is known.
#[derive(Clone, Copy, Debug, Default)]
struct Unknown {
    x: f64,
    /// Residual.
    r: f64,
    /// Direction.
    p: f64,
    /// The matrix times it.
    ap: f64,
    /// Inverse diagonal.
    scale: f64,
}

impl Graph {
    /// For `edges` between vertices at `points`.
    pub fn new(points: &[Vec3], mut edges: Vec<[u32; 2]>) -> Graph {
        edges.iter_mut().for_each(|e| e.sort_unstable());
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
        graph.shares = graph.find_shares(points);
        graph
    }

    /// Groups the vertices around middles more than [`REACH`] edges from each other, each with the nearest.
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
        let mut members: Vec<u32> = (0..count as u32).collect();
        members.sort_by_key(|v| group[*v as usize]);
        self.group_starts = (0..=groups).map(|g| members.partition_point(|v| group[*v as usize] < g) as u32).collect();
        (self.group, self.members) = (group, members);
    }

    fn find_shares(&self, points: &[Vec3]) -> Vec<f64> {
        let of = |g: usize| &self.members[self.group_starts[g] as usize..self.group_starts[g + 1] as usize];
        let middle = |g: usize| of(g).iter().map(|v| points[*v as usize]).sum::<Vec3>() / of(g).len() as f64;
        let middles: Vec<Vec3> = (0..self.groups()).map(middle).collect();
        let share = |[a, b]: &[u32; 2]| {
            let ends = [a, b].map(|v| points[*v as usize]);
            let [g, h] = [a, b].map(|v| middles[self.group[*v as usize] as usize]);
            let way = if g == h {
                (ends[0] - g).norm().max((ends[1] - g).norm())
            } else {
                (h - g).norm_squared() / (ends[1] - ends[0]).normalize().dot(&(h - g)).abs()
            };
            (ends[1] - ends[0]).norm() / way
        };
        self.edges.iter().map(|e| share(e).clamp(1e-3, 1.0)).collect()
    }

    /// Vertices of a group.
    pub fn group_size(&self, g: u32) -> u32 {
        self.group_starts[g as usize + 1] - self.group_starts[g as usize]
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.group_starts.len() - 1
    }

    /// Group of a vertex.
    pub fn group(&self, v: usize) -> u32 {
        self.group[v]
    }

    /// Number of vertices.
    pub fn size(&self) -> usize {
        self.group.len()
    }

    /// Neighbours of a vertex, each with the edge to it.
    pub fn links(&self, v: usize) -> &[[u32; 2]] {
        &self.links[self.starts[v] as usize..self.starts[v + 1] as usize]
    }

    /// For one number a group.
    fn envelope(&self) -> Envelope {
        Envelope::new(self.groups(), self.edges.iter().map(|e| e.map(|v| self.group[v as usize])))
    }

    /// `out[g]` is the sum over group `g`.
    fn gather(&self, value: impl Fn(usize) -> f64 + Sync, out: &mut [f64]) {
        let sum = |g: usize| {
            let range = self.group_starts[g] as usize..self.group_starts[g + 1] as usize;
            self.members[range].iter().map(|v| value(*v as usize)).sum()
        };
        // A group is some twenty vertices.
        par::blocks_mut(out, par::BLOCK / 16, |first, block| {
            block.iter_mut().zip(first..).for_each(|(out, g)| *out = sum(g));
        });
    }
}

impl Border {
    fn find(&mut self, graph: &Graph, fixed: &[bool]) {
        let Border { fixed: last, edges, starts, links } = self;
        if last == fixed {
            return;
        }
        last.clear();
        last.extend_from_slice(fixed);
        let crosses = |[a, b]: [usize; 2]| fixed[a] || fixed[b] || graph.group[a] != graph.group[b];
        let all = 0..graph.edges.len() as u32;
        *edges = all.filter(|e| crosses(graph.edges[*e as usize].map(|v| v as usize))).collect();
        (*starts, *links) = (vec![0], Vec::new());
        for v in 0..graph.size() {
            let own = graph.starts[v]..graph.starts[v + 1];
            links.extend(own.filter(|k| crosses([v, graph.links[*k as usize][0] as usize])));
            starts.push(links.len() as u32);
        }
    }

    /// Links of a vertex, as places among all.
    fn of(&self, v: usize) -> &[u32] {
        &self.links[self.starts[v] as usize..self.starts[v + 1] as usize]
    }
}

/// The equation: `d` by vertex and `k` by edge, none negative; `fixed` vertices keep `x = 0`.
#[derive(Clone, Copy, Debug)]
pub struct Equation<'a> {
    /// Who is next to whom.
    pub graph: &'a Graph,
    /// `d_i`
    pub vertex: &'a [f64],
    /// `k_ij`
    pub edge: &'a [f64],
    /// Not unknown.
    pub fixed: &'a [bool],
}

impl Equation<'_> {
    /// `d_v + sum_j k_vj`
    pub fn diagonal(&self, v: usize) -> f64 {
        self.graph.links(v).iter().fold(self.vertex[v], |sum, [_, e]| sum + self.edge[*e as usize])
    }

    /// The equation for one number a group, each edge with a share of its strength; not factored. A group without unknowns has a
    /// diagonal of one.
    fn sum_up(&self, sums: &mut Envelope, border: &Border, share: impl Fn(usize) -> f64) {
        let Equation { graph, vertex, edge, fixed } = *self;
        sums.clear();
        for (g, range) in graph.group_starts.windows(2).enumerate() {
            let unknown = graph.members[range[0] as usize..range[1] as usize].iter().filter(|v| !fixed[**v as usize]);
            let sum: f64 = unknown.map(|v| vertex[*v as usize]).sum();
            let none = (range[0]..range[1]).all(|m| fixed[graph.members[m as usize] as usize]);
            sums.add(g as u32, g as u32, if none { 1.0 } else { sum });
        }
        for e in border.edges.iter().map(|e| *e as usize) {
            let [a, b] = graph.edges[e];
            let k = edge[e] * share(e);
            let [g, h] = [a, b].map(|v| graph.group[v as usize]);
            match [a, b].map(|v| fixed[v as usize]) {
                [false, false] if g == h => {}
                [false, false] => {
                    sums.add(g, g, k);
                    sums.add(h, h, k);
                    sums.add(g, h, -k);
                }
                [false, true] => sums.add(g, g, k),
                [true, false] => sums.add(h, h, k),
                [true, true] => {}
            }
        }
    }

    /// The equation on meshes as coarse as the groups that conduct a part of what they should, each factored; false where one is
    /// not positive definite. In the sums of the equation, by contrast, the way between two middles is as short as an edge. Here the
    /// rest of the way has the mean resistance of both groups' edges, for edges of widths over length `shapes`; `resistance` is
    /// storage.
    pub fn coarsen(
        &self,
        border: &Border,
        shapes: &[f64],
        resistance: &mut Vec<[f64; 2]>,
        parts: [(f64, &mut Envelope); 2],
    ) -> bool {
        let Equation { graph, edge, .. } = *self;
        // Sum and number by group.
        resistance.clear();
        resistance.resize(graph.groups(), [0.0; 2]);
        let conducts = |e: usize| edge[e] > 0.0 && shapes[e] > 0.0;
        for (e, ends) in graph.edges.iter().enumerate().filter(|(e, _)| conducts(*e)) {
            for v in ends {
                let [sum, number] = &mut resistance[graph.group[*v as usize] as usize];
                *sum += shapes[e] / edge[e];
                *number += 1.0;
            }
        }
        let share = |e: usize| {
            if !conducts(e) {
                return 0.0;
            }
            let around = graph.edges[e].map(|v| resistance[graph.group[v as usize] as usize]);
            let [g, h] = around.map(|[sum, number]| sum / number);
            1.0 / (1.0 + (1.0 / graph.shares[e] - 1.0) * edge[e] / shapes[e] * 0.5 * (g + h))
        };
        let mut positive = true;
        for (part, regions) in parts {
            if regions.size() != graph.groups() {
                *regions = graph.envelope();
            }
            self.sum_up(regions, border, |e| part * share(e));
            positive &= regions.factor();
        }
        positive
    }
}

impl Diffusion {
    /// What coupled groups in the last matrix.
    pub fn border(&self) -> &Border {
        &self.border
    }

    /// The diagonal of the last matrix.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The diagonal and the means of the matrix; `false` where it is not positive definite.
    pub fn prepare(&mut self, equation: &Equation) -> bool {
        let graph = equation.graph;
        let size = graph.size();
        let Diffusion { diagonal, links, border, unknowns, z, q, sums, means, mean, scratch } = self;
        if diagonal.len() != size {
            *means = graph.envelope();
            mean.resize(graph.groups(), 0.0);
            scratch.resize(graph.groups(), 0.0);
            links.resize(graph.links.len(), (0, 0.0));
            z.resize(size, 0.0);
            unknowns.resize(size, Unknown::default());
            sums.resize(size.div_ceil(par::BLOCK), 0.0);
            for vector in [&mut *diagonal, q] {
                vector.resize(size, 0.0);
            }
        }
        // A fixed vertex may have nothing at all.
        par::fill(diagonal, |v| equation.diagonal(v).max(f64::MIN_POSITIVE));
        border.find(graph, equation.fixed);
        equation.sum_up(means, border, |_| 1.0);
        means.factor()
    }

    /// Solves the equation for the right-hand side `b` from the first guess `x`, to the residual `tolerance` relative to `b` or
    /// `floor` where that is larger, or until it is `progress` of what it was once the means are right; all in the norm of the inverse
    /// diagonal. `None` where the matrix is not positive definite.
    pub fn solve(
        &mut self,
        equation: &Equation,
        b: &[f64],
        x: &mut [f64],
        (tolerance, floor, progress, iterations): (f64, f64, f64, usize),
    ) -> Option<Outcome> {
        if !self.prepare(equation) {
            return None;
        }
        let Equation { graph, vertex, edge, fixed } = *equation;
        let size = graph.size();
        let Diffusion { diagonal, links, border, unknowns, z, q, sums, means, mean, scratch } = self;
        par::fill(links, |k| (graph.links[k][0], edge[graph.links[k][1] as usize] as f32));
        let links = &*links;
        // The matrix times `z`; zero at fixed vertices, where `z` must be zero.
        let product = |z: &[f64], q: &mut [f64]| {
            par::fill(q, |v| {
                let near = &links[graph.starts[v] as usize..graph.starts[v + 1] as usize];
                let flow = |sum, (w, k): &(u32, f32)| sum + f64::from(*k) * (z[v] - z[*w as usize]);
                if fixed[v] { 0.0 } else { near.iter().fold(vertex[v] * z[v], flow) }
            });
        };
        // The means that leave no sum of `q` in any group; what they are at `v`, and there the matrix times them.
        let mut level = |q: &(dyn Fn(usize) -> f64 + Sync), mean: &mut [f64]| {
            graph.gather(q, mean);
            means.solve(mean, scratch);
        };
        let at = |v: usize, mean: &[f64]| {
            let of = |v: usize| if fixed[v] { 0.0 } else { mean[graph.group[v] as usize] };
            let own = of(v);
            let flow = |sum, k: &u32| {
                let (w, k) = links[*k as usize];
                sum + f64::from(k) * (own - of(w as usize))
            };
            let out = if fixed[v] { 0.0 } else { border.of(v).iter().fold(vertex[v] * own, flow) };
            (own, out)
        };

        par::fill(z, |v| if fixed[v] { 0.0 } else { x[v] });
        product(z, q);
        par::fill(unknowns, |v| Unknown {
            x: z[v],
            r: if fixed[v] { 0.0 } else { b[v] - q[v] },
            scale: if fixed[v] { 0.0 } else { 1.0 / diagonal[v] },
            ..Unknown::default()
        });
        let reference = par::sum(size, |v| b[v] * b[v] * unknowns[v].scale).sqrt().max(floor);
        level(&|v| unknowns[v].r, mean);
        let mut rr = par::each_mut_sum(unknowns, sums, |v, u| {
            let (own, out) = at(v, mean);
            u.x += own;
            u.r -= out;
            u.r * u.r * u.scale
        });
        par::fill(z, |v| unknowns[v].r * unknowns[v].scale);
        let enough = progress * progress * rr;
        let mut beta = 0.0;
        let mut outcome = Outcome::default();
        loop {
            outcome.residual = if reference > 0.0 { rr.sqrt() / reference } else { 0.0 };
            outcome.converged = outcome.residual <= tolerance || rr <= enough;
            if outcome.converged || outcome.iterations >= iterations || !rr.is_finite() {
                par::fill(x, |v| unknowns[v].x);
                return Some(outcome);
            }
            // One product an iteration: that of the direction follows from it.
            product(z, q);
            level(&|v| q[v], mean);
            let pap = par::each_mut_sum(unknowns, sums, |v, u| {
                let (own, out) = at(v, mean);
                u.p = z[v] - own + beta * u.p;
                u.ap = q[v] - out + beta * u.ap;
                u.p * u.ap
            });
            let alpha = rr / pap;
            let next = par::each_pair_mut_sum(unknowns, z, sums, |u, z| {
                u.x += alpha * u.p;
                u.r -= alpha * u.ap;
                *z = u.r * u.scale;
                u.r * *z
            });
            (beta, rr) = (next / rr, next);
            outcome.iterations += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square grid of `side` vertices and its lattice edges.
    fn grid(side: u32) -> Graph {
        let points: Vec<Vec3> =
            (0..side * side).map(|v| Vec3::new(f64::from(v % side), f64::from(v / side), 0.0)).collect();
        let across = (0..side * side).filter(|v| v % side + 1 < side).map(|v| [v, v + 1]);
        let along = (0..side * (side - 1)).map(|v| [v + side, v]);
        Graph::new(&points, across.chain(along).collect())
    }

    /// Iterations, and the largest error, for a known solution.
    fn solve(side: u32, pinned: bool, tolerance: f64) -> (usize, f64) {
        let graph = grid(side);
        let size = graph.size();
        let vertex: Vec<f64> = (0..size).map(|v| 1e-4 * (1.0 + v as f64 % 3.0)).collect();
        let edge: Vec<f64> = (0..graph.edges.len()).map(|e| 1.0 + e as f64 % 2.0).collect();
        let fixed: Vec<bool> = (0..size).map(|v| pinned && v % 101 == 7).collect();
        let wanted: Vec<f64> = (0..size)
            .map(|v| if fixed[v] { 0.0 } else { (v as f64 * 0.01).sin() + 0.1 * (v as f64 * 2.3).cos() })
            .collect();
        let b: Vec<f64> = (0..size)
            .map(|v| {
                let flows = graph.links(v).iter().map(|[w, e]| edge[*e as usize] * (wanted[v] - wanted[*w as usize]));
                vertex[v] * wanted[v] + flows.sum::<f64>()
            })
            .collect();
        let mut x = vec![0.5; size];
        let equation = Equation { graph: &graph, vertex: &vertex, edge: &edge, fixed: &fixed };
        let outcome = Diffusion::default().solve(&equation, &b, &mut x, (tolerance, 0.0, 0.0, 500)).unwrap();
        assert!(outcome.converged, "{outcome:?}");
        (outcome.iterations, x.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
    }

    #[test]
    fn finds_the_solution_with_and_without_known_vertices() {
        for (side, pinned) in [(3, false), (17, true), (40, false), (40, true)] {
            let (_, error) = solve(side, pinned, 1e-12);
            assert!(error < 1e-8, "{side} {pinned}: {error}");
        }
    }

    /// Sixteen times the vertices, and hardly more iterations: without means they would be four times as many.
    #[test]
    fn iterations_do_not_grow_with_the_graph() {
        let [small, large] = [40, 160].map(|side| solve(side, false, 1e-6).0);
        assert!(small <= 60 && large <= small + small / 3, "{small} {large}");
    }

    #[test]
    fn nothing_on_the_right_is_zero() {
        let graph = grid(5);
        let equation = Equation { graph: &graph, vertex: &[1.0; 25], edge: &[1.0; 40], fixed: &[false; 25] };
        let mut x = vec![3.0; 25];
        let outcome = Diffusion::default().solve(&equation, &[0.0; 25], &mut x, (1e-9, 1e-3, 0.0, 100)).unwrap();
        assert!(outcome.converged && x.iter().all(|x| x.abs() < 1e-9));
    }
}
