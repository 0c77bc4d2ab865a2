//! Diffusion on a graph: `d_i x_i + sum_j k_ij (x_i - x_j) = b_i`, by deflated conjugate gradients.
//!
//! Where `k` is large against `d` a disturbance reaches far beyond a neighbour, and conjugate gradients alone need as many
//! iterations as there are vertices on the way. Means over groups of neighbours are solved for exactly in every iteration (deflation:
//! Saad, Yeung, Erhel & Guyomarc'h 2000), which leaves what is shorter than a group: the number of iterations does not depend
//! on the number of vertices. Corrections are found in single precision, and from their sum the residual anew in double where they have
//! to be better than that.

use super::envelope::Envelope;
use super::pcg::Outcome;
use super::{Vec3, par};
use std::ops::Range;

/// What a correction may leave of the residual before it is found anew.
const CORRECTION: f64 = 1e-4;
/// Edges on the way from the middle of a group to its border, at most.
const REACH: u32 = 3;

/// Vertices, edges and groups of neighbours.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Both vertices of each edge, the one with the smaller number first; sorted.
    pub edges: Vec<[u32; 2]>,
    /// The edges that begin at each vertex begin here, one entry more.
    firsts: Vec<u32>,
    /// Edges of each vertex begin here in `links`, one entry more.
    starts: Vec<u32>,
    /// Neighbour and edge.
    links: Vec<[u32; 2]>,
    /// Group of each vertex.
    group: Vec<u32>,
    /// Seats of each group begin here, one entry more.
    group_starts: Vec<u32>,
    /// The vertex in each seat: group by group.
    members: Vec<u32>,
    /// Length of each edge over the way between the middles of what it couples: both groups, or its group and its farther end.
    shares: Vec<f64>,
    /// For one number a group.
    pattern: Envelope,
}

/// Reusable storage of the solver; by seat.
#[derive(Clone, Debug, Default)]
pub struct Diffusion {
    /// `d_i + sum_j k_ij`
    diagonal: Vec<f64>,
    rows: Rows,
    /// Seat of the neighbour and what couples, in order of the links of the rows.
    links: Vec<(u32, f32)>,
    /// `d_i`
    own: Vec<f32>,
    /// Unknown, zero where it is known; one more.
    known: Vec<f64>,
    unknowns: Vec<Unknown>,
    /// The scaled residual; one more, zero.
    z: Vec<f32>,
    /// The matrix times the scaled residual.
    q: Vec<f32>,
    /// Part of a sum, by block of vertices.
    sums: Vec<f64>,
    means: Envelope,
    /// One number for each group, and again with a zero.
    mean: Vec<f64>,
    single: Vec<f32>,
    scratch: Vec<f64>,
}

/// The matrix in order of the seats: that of a group is next to those it is coupled with most. Fixed vertices have no links; to one that has
/// them they are all in one more seat behind the others, of one more group.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The fixed vertices it was found for.
    fixed: Vec<bool>,
    /// Group of each seat.
    home: Vec<u32>,
    /// Links of each seat begin here, those to its own group, then the others, one entry more.
    starts: Vec<[u32; 2]>,
    /// Seat of the neighbour, and edge.
    links: Vec<[u32; 2]>,
    /// Edges between groups, or with a fixed vertex.
    edges: Vec<u32>,
    /// Where in the matrix of groups the group of each one's first vertex is, that of its second, and what couples them.
    slots: Vec<[u32; 3]>,
}

/// A vertex in conjugate gradients; nothing but zeros where it is known.
#[derive(Clone, Copy, Debug, Default)]
struct Unknown {
    /// Correction.
    x: f32,
    /// Residual.
    r: f32,
    /// Direction.
    p: f32,
    /// The matrix times it.
    ap: f32,
    /// Inverse diagonal.
    scale: f32,
}

impl Graph {
    /// For `edges` between vertices at `points`.
    pub fn new(points: &[Vec3], mut edges: Vec<[u32; 2]>) -> Graph {
        edges.iter_mut().for_each(|e| e.sort_unstable());
        edges.sort_unstable();
        let count = points.len();
        let firsts = (0..=count as u32).map(|v| edges.partition_point(|e| e[0] < v) as u32).collect();
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
        let mut graph = Graph { edges, firsts, starts, links, ..Graph::default() };
        graph.find_groups();
        graph.shares = graph.find_shares(points);
        let groups = graph.edges.iter().map(|e| e.map(|v| graph.group[v as usize]));
        graph.pattern = Envelope::new(graph.groups(), groups);
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

    /// The vertices of each group.
    pub fn members(&self) -> impl Iterator<Item = &[u32]> {
        self.group_starts.windows(2).map(|range| &self.members[range[0] as usize..range[1] as usize])
    }

    /// Number of groups.
    pub fn groups(&self) -> usize {
        self.group_starts.len() - 1
    }

    /// The vertex in a seat.
    pub fn member(&self, seat: usize) -> usize {
        self.members[seat] as usize
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

    /// `out[g] = f(seats of group g)`.
    pub fn each_group<T: Send>(&self, out: &mut [T], f: impl Fn(Range<usize>) -> T + Sync) {
        // A group is some twenty vertices.
        par::blocks_mut(out, par::BLOCK / 16, |first, block| {
            for (out, range) in block.iter_mut().zip(self.group_starts[first..].windows(2)) {
                *out = f(range[0] as usize..range[1] as usize);
            }
        });
    }
}

impl Rows {
    fn find(&mut self, graph: &Graph, fixed: &[bool]) {
        let Rows { fixed: last, home, starts, links, edges, slots } = self;
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
        (*starts, *links) = (Vec::new(), Vec::new());
        for (seat, v) in graph.members.iter().map(|v| *v as usize).enumerate() {
            let own = if fixed[v] { &[] } else { graph.links(v) };
            let at = |[w, e]: &[u32; 2]| [seats[*w as usize], *e];
            let within = |link: &[u32; 2]| home[link[0] as usize] == home[seat];
            let begin = links.len() as u32;
            links.extend(own.iter().map(at).filter(within));
            starts.push([begin, links.len() as u32]);
            links.extend(own.iter().map(at).filter(|link| !within(link)));
        }
        starts.push([links.len() as u32; 2]);
        let crosses = |[a, b]: [usize; 2]| fixed[a] || fixed[b] || graph.group[a] != graph.group[b];
        let all = 0..graph.edges.len() as u32;
        *edges = all.filter(|e| crosses(graph.edges[*e as usize].map(|v| v as usize))).collect();
        let slot = |e: &u32| {
            let [g, h] = graph.edges[*e as usize].map(|v| graph.group[v as usize]);
            [(g, g), (h, h), (g, h)].map(|(g, h)| graph.pattern.slot(g, h) as u32)
        };
        *slots = edges.iter().map(slot).collect();
    }

    /// Links of a seat, and of those the ones that leave its group.
    fn of(&self, seat: usize) -> [Range<usize>; 2] {
        let ([first, middle], [end, _]) = (self.starts[seat], self.starts[seat + 1]);
        [first as usize..end as usize, middle as usize..end as usize]
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

    /// The equation for one number a group where each edge has a share of its strength, and a part of that in each matrix, factored.
    /// A group without unknowns has a diagonal of one. False where one is not positive definite.
    fn sum_up<const N: usize>(
        &self,
        rows: &Rows,
        share: impl Fn(usize) -> f64,
        mut parts: [(f64, &mut Envelope); N],
    ) -> bool {
        let Equation { graph, vertex, edge, fixed } = *self;
        for (_, sums) in &mut parts {
            sums.clone_from(&graph.pattern);
        }
        for (g, members) in graph.members().enumerate() {
            let unknown = members.iter().map(|v| *v as usize).filter(|v| !fixed[*v]);
            let (sum, number) = unknown.fold((0.0, 0), |(sum, number), v| (sum + vertex[v], number + 1));
            let slot = graph.pattern.slot(g as u32, g as u32);
            parts.iter_mut().for_each(|(_, sums)| sums.add(slot, if number == 0 { 1.0 } else { sum }));
        }
        for (e, slots) in rows.edges.iter().map(|e| *e as usize).zip(&rows.slots) {
            let k = edge[e] * share(e);
            let [own, other, both] = slots.map(|slot| slot as usize);
            let [a, b] = graph.edges[e].map(|v| fixed[v as usize]);
            for (part, sums) in &mut parts {
                let k = *part * k;
                if !a && (b || own != other) {
                    sums.add(own, k);
                }
                if !b && (a || own != other) {
                    sums.add(other, k);
                }
                if !a && !b && own != other {
                    sums.add(both, -k);
                }
            }
        }
        parts.iter_mut().all(|(_, sums)| sums.factor())
    }

    /// The equation on meshes as coarse as the groups that conduct a part of what they should, each factored; false where one is
    /// not positive definite. In the sums of the equation, by contrast, the way between two middles is as short as an edge. Here the
    /// rest of the way has the mean resistance of both groups' edges, for edges of widths over length `shapes`; `resistance` is
    /// storage.
    pub fn coarsen(
        &self,
        rows: &Rows,
        shapes: &[f64],
        resistance: &mut Vec<f64>,
        parts: [(f64, &mut Envelope); 2],
    ) -> bool {
        let Equation { graph, edge, .. } = *self;
        let conducts = |e: usize| edge[e] > 0.0 && shapes[e] > 0.0;
        resistance.resize(graph.groups(), 0.0);
        graph.each_group(resistance, |seats| {
            let (mut sum, mut number) = (0.0, 0.0);
            for v in graph.members[seats].iter().map(|v| *v as usize) {
                for e in (graph.firsts[v]..graph.firsts[v + 1]).map(|e| e as usize).filter(|e| conducts(*e)) {
                    sum += shapes[e] / edge[e];
                    number += 1.0;
                }
            }
            if number > 0.0 { sum / number } else { 0.0 }
        });
        let share = |e: usize| {
            if !conducts(e) {
                return 0.0;
            }
            let [g, h] = graph.edges[e].map(|v| resistance[graph.group[v as usize] as usize]);
            1.0 / (1.0 + (1.0 / graph.shares[e] - 1.0) * edge[e] / shapes[e] * 0.5 * (g + h))
        };
        self.sum_up(rows, share, parts)
    }
}

impl Diffusion {
    /// The order of the last matrix.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// The diagonal of the last matrix, by seat.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// Takes the matrix, as [`Diffusion::solve`] does.
    pub fn prepare(&mut self, equation: &Equation) {
        let graph = equation.graph;
        self.diagonal.resize(graph.size(), 0.0);
        par::fill(&mut self.diagonal, |seat| equation.diagonal(graph.members[seat] as usize));
        self.rows.find(graph, equation.fixed);
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
        let Equation { graph, vertex, edge, fixed } = *equation;
        let (size, groups) = (graph.size(), graph.groups());
        let Diffusion { diagonal, rows, links, own, known, unknowns, z, q, sums, means, mean, single, scratch } = self;
        rows.find(graph, fixed);
        if !equation.sum_up(rows, |_| 1.0, [(1.0, &mut *means)]) {
            return None;
        }
        let rows = &*rows;
        for (vector, size) in [(&mut *diagonal, size), (known, size + 1), (mean, groups), (scratch, groups)] {
            vector.resize(size, 0.0);
        }
        for (vector, size) in [(&mut *own, size), (z, size + 1), (q, size), (single, groups + 1)] {
            vector.resize(size, 0.0);
        }
        unknowns.resize(size, Unknown::default());
        sums.resize(size.div_ceil(par::BLOCK), 0.0);
        links.resize(rows.links.len(), (0, 0.0));
        par::fill(links, |k| (rows.links[k][0], edge[rows.links[k][1] as usize] as f32));
        par::fill(own, |s| vertex[graph.members[s] as usize] as f32);
        par::fill(&mut known[..size], |s| {
            let v = graph.members[s] as usize;
            if fixed[v] { 0.0 } else { x[v] }
        });
        let (own, links) = (&*own, &*links);
        // The means that leave no sum in any group.
        let mut level = |sum: &(dyn Fn(Range<usize>) -> f64 + Sync), single: &mut [f32]| {
            graph.each_group(mean, sum);
            means.solve(mean, scratch);
            single.iter_mut().zip(&*mean).for_each(|(single, mean)| *single = *mean as f32);
        };
        // What the means are at a seat, and there the matrix times them.
        let at = |s: usize, mean: &[f32]| {
            let here = mean[rows.home[s] as usize];
            let [_, leaving] = rows.of(s);
            let flow = |sum, (w, k): &(u32, f32)| sum + k * (here - mean[rows.home[*w as usize] as usize]);
            (here, links[leaving].iter().fold(own[s] * here, flow))
        };

        let (mut enough, mut beta) = (0.0, 0.0f32);
        let mut reference = None;
        let mut outcome = Outcome::default();
        loop {
            let all = &*known;
            par::each_pair_mut(unknowns, diagonal, |s, u, diagonal| {
                let v = graph.members[s] as usize;
                let flow = |(sum, flow): (f64, f64), (w, k): &(u32, f32)| {
                    let k = f64::from(*k);
                    (sum + k, flow + k * (all[s] - all[*w as usize]))
                };
                let [near, _] = rows.of(s);
                let (sum, flow) = links[near].iter().fold((vertex[v], vertex[v] * all[s]), flow);
                *diagonal = sum;
                *u = Unknown::default();
                if !fixed[v] {
                    (u.r, u.scale) = ((b[v] - flow) as f32, (1.0 / sum) as f32);
                }
            });
            let reference = *reference.get_or_insert_with(|| {
                let square = |s: usize| b[graph.members[s] as usize].powi(2) * f64::from(unknowns[s].scale);
                par::sum(size, square).sqrt().max(floor)
            });
            level(&|seats| unknowns[seats].iter().map(|u| f64::from(u.r)).sum(), single);
            let mut rr = par::each_pair_mut_sum(unknowns, &mut z[..size], sums, |s, u, z| {
                let (here, out) = at(s, single);
                u.x = here;
                u.r -= out;
                *z = u.r * u.scale;
                f64::from(u.r) * f64::from(*z)
            });
            if outcome.iterations == 0 {
                enough = progress * progress * rr;
            }
            let corrected = CORRECTION * CORRECTION * rr;
            loop {
                outcome.residual = if reference > 0.0 { rr.sqrt() / reference } else { 0.0 };
                outcome.converged = outcome.residual <= tolerance || rr <= enough;
                if outcome.converged || rr <= corrected || outcome.iterations >= iterations || !rr.is_finite() {
                    break;
                }
                // One product an iteration: that of the direction follows from it.
                let scaled = &*z;
                par::fill(q, |s| {
                    let here = scaled[s];
                    let [near, _] = rows.of(s);
                    let flow = |sum, (w, k): &(u32, f32)| sum + k * (here - scaled[*w as usize]);
                    links[near].iter().fold(own[s] * here, flow)
                });
                level(&|seats| q[seats].iter().map(|q| f64::from(*q)).sum(), single);
                let pap = par::each_mut_sum(unknowns, sums, |s, u| {
                    let (here, out) = at(s, single);
                    u.p = scaled[s] - here + beta * u.p;
                    u.ap = q[s] - out + beta * u.ap;
                    f64::from(u.p) * f64::from(u.ap)
                });
                let alpha = (rr / pap) as f32;
                let next = par::each_pair_mut_sum(unknowns, &mut z[..size], sums, |_, u, z| {
                    u.x += alpha * u.p;
                    u.r -= alpha * u.ap;
                    *z = u.r * u.scale;
                    f64::from(u.r) * f64::from(*z)
                });
                (beta, rr) = ((next / rr) as f32, next);
                outcome.iterations += 1;
            }
            par::each_mut(&mut known[..size], |s, known| *known += f64::from(unknowns[s].x));
            if outcome.converged || outcome.iterations >= iterations || !rr.is_finite() {
                graph.members.iter().zip(&*known).for_each(|(v, known)| x[*v as usize] = *known);
                return Some(outcome);
            }
            beta = 0.0;
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
