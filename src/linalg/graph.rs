//! Diffusion on a graph: `d_i x_i + sum_j k_ij (x_i - x_j) = b_i`, by deflated conjugate gradients.
//!
//! Where `k` is large against `d` a disturbance reaches far beyond a neighbour, and conjugate gradients alone need as many
//! iterations as there are vertices on the way. Means over groups of neighbours are solved for exactly in every iteration (deflation:
//! Saad, Yeung, Erhel & Guyomarc'h 2000), which leaves what is shorter than a group: the number of iterations does not depend
//! on the number of vertices.

use super::envelope::Envelope;
use super::partition::Partition;
use super::pcg::Outcome;
use super::{Vec3, par};

/// Vertices of a group, about.
const GROUP: usize = 48;

/// Vertices, edges and groups of neighbours.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Both vertices of each edge.
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
}

/// Reusable storage of the solver.
#[derive(Clone, Debug, Default)]
pub struct Diffusion {
    /// `d_i + sum_j k_ij`
    diagonal: Vec<f64>,
    r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    means: Envelope,
    /// One number for each group.
    mean: Vec<f64>,
    scratch: Vec<f64>,
}

impl Graph {
    /// For `edges` between vertices at `points`.
    pub fn new(points: &[Vec3], edges: Vec<[u32; 2]>) -> Graph {
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
        let members = Partition::new(points, GROUP).order;
        let groups = (count / GROUP).next_power_of_two();
        let group_starts: Vec<u32> = (0..=groups).map(|g| (g * count / groups) as u32).collect();
        let mut group = vec![0; count];
        for (g, range) in group_starts.windows(2).enumerate() {
            for v in &members[range[0] as usize..range[1] as usize] {
                group[*v as usize] = g as u32;
            }
        }
        Graph { edges, starts, links, group, group_starts, members }
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

    fn groups(&self) -> usize {
        self.group_starts.len() - 1
    }

    /// `out[g]` is the sum over group `g`.
    fn gather(&self, values: &[f64], out: &mut [f64]) {
        par::fill(out, |g| {
            let range = self.group_starts[g] as usize..self.group_starts[g + 1] as usize;
            self.members[range].iter().map(|v| values[*v as usize]).sum()
        });
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
    /// `out = A x`, zero at fixed vertices, where `x` must be zero.
    fn apply(&self, diagonal: &[f64], x: &[f64], out: &mut [f64]) {
        par::fill(out, |v| {
            if self.fixed[v] {
                return 0.0;
            }
            let links = self.graph.links(v).iter();
            links.fold(diagonal[v] * x[v], |sum, [w, e]| sum - self.edge[*e as usize] * x[*w as usize])
        });
    }
}

impl Diffusion {
    /// The diagonal of the last matrix.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// The last matrix summed over groups, factored.
    pub fn means(&self) -> &Envelope {
        &self.means
    }

    /// Takes the matrix of the equation: its diagonal and sums over groups. `false` where it is not positive definite.
    pub fn prepare(&mut self, equation: &Equation) -> bool {
        let Equation { graph, vertex, edge, fixed } = *equation;
        let size = graph.size();
        let Diffusion { diagonal, r, z, p, q, means, mean, scratch } = self;
        if diagonal.len() != size {
            let groups = |e: &[u32; 2]| e.map(|v| graph.group[v as usize]);
            *means = Envelope::new(graph.groups(), graph.edges.iter().map(groups));
            mean.resize(graph.groups(), 0.0);
            scratch.resize(graph.groups(), 0.0);
            for vector in [&mut *diagonal, r, z, p, q] {
                vector.resize(size, 0.0);
            }
        }
        // A fixed vertex may have nothing at all.
        par::fill(diagonal, |v| {
            let all = graph.links(v).iter().fold(vertex[v], |sum, [_, e]| sum + edge[*e as usize]);
            all.max(f64::MIN_POSITIVE)
        });

        // The equation for means. A group without unknowns has a diagonal of one.
        means.clear();
        for (g, range) in graph.group_starts.windows(2).enumerate() {
            let unknown = graph.members[range[0] as usize..range[1] as usize].iter().filter(|v| !fixed[**v as usize]);
            let sum: f64 = unknown.map(|v| vertex[*v as usize]).sum();
            let none = (range[0]..range[1]).all(|m| fixed[graph.members[m as usize] as usize]);
            means.add(g as u32, g as u32, if none { 1.0 } else { sum });
        }
        for ([a, b], k) in graph.edges.iter().zip(edge) {
            let [g, h] = [a, b].map(|v| graph.group[*v as usize]);
            let [known_a, known_b] = [a, b].map(|v| fixed[*v as usize]);
            match [known_a, known_b] {
                [false, false] if g == h => {}
                [false, false] => {
                    means.add(g, g, *k);
                    means.add(h, h, *k);
                    means.add(g, h, -k);
                }
                [false, true] => means.add(g, g, *k),
                [true, false] => means.add(h, h, *k),
                [true, true] => {}
            }
        }
        means.factor()
    }

    /// Solves the equation for the right-hand side `b` from the first guess `x`, to the residual `tolerance` relative to `b` or
    /// `floor` where that is larger, both in the norm of the inverse diagonal. `None` where the matrix is not positive definite.
    pub fn solve(
        &mut self,
        equation: &Equation,
        b: &[f64],
        x: &mut [f64],
        (tolerance, floor, iterations): (f64, f64, usize),
    ) -> Option<Outcome> {
        if !self.prepare(equation) {
            return None;
        }
        let Equation { graph, fixed, .. } = *equation;
        let size = graph.size();
        let Diffusion { diagonal, r, z, p, q, means, mean, scratch } = self;
        let diagonal = &*diagonal;
        let shift = |mean: &[f64], v: usize| if fixed[v] { 0.0 } else { mean[graph.group[v] as usize] };

        let reference = par::sum(size, |v| if fixed[v] { 0.0 } else { b[v] * b[v] / diagonal[v] }).sqrt().max(floor);
        for (x, fixed) in x.iter_mut().zip(fixed) {
            if *fixed {
                *x = 0.0;
            }
        }
        // The residual, then the same without means.
        for first in [true, false] {
            equation.apply(diagonal, x, q);
            par::fill(r, |v| if fixed[v] { 0.0 } else { b[v] - q[v] });
            if first {
                graph.gather(r, mean);
                means.solve(mean, scratch);
                par::each_mut(x, |v, x| *x += shift(mean, v));
            }
        }
        let norm = |r: &[f64]| par::sum(size, |v| r[v] * r[v] / diagonal[v]);
        let mut rr = norm(r);
        let mut beta = 0.0;
        let mut outcome = Outcome::default();
        loop {
            outcome.residual = if reference > 0.0 { rr.sqrt() / reference } else { 0.0 };
            outcome.converged = outcome.residual <= tolerance;
            if outcome.converged || outcome.iterations >= iterations || !rr.is_finite() {
                return Some(outcome);
            }
            par::fill(z, |v| r[v] / diagonal[v]);
            equation.apply(diagonal, z, q);
            graph.gather(q, mean);
            means.solve(mean, scratch);
            par::each_mut(p, |v, p| *p = z[v] - shift(mean, v) + if beta == 0.0 { 0.0 } else { beta * *p });
            equation.apply(diagonal, p, q);
            let alpha = rr / par::sum(size, |v| p[v] * q[v]);
            par::each_mut(x, |v, x| *x += alpha * p[v]);
            par::each_mut(r, |v, r| *r -= alpha * q[v]);
            let next = norm(r);
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
        let outcome = Diffusion::default().solve(&equation, &b, &mut x, (tolerance, 0.0, 500)).unwrap();
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
        let outcome = Diffusion::default().solve(&equation, &[0.0; 25], &mut x, (1e-9, 1e-3, 100)).unwrap();
        assert!(outcome.converged && x.iter().all(|x| x.abs() < 1e-9));
    }
}
