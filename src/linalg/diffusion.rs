//! Diffusion on a graph: `d_i x_i + sum_j k_ij (x_i - x_j) = b_i`, by deflated conjugate gradients.
//!
//! Where `k` is large against `d` a disturbance reaches far beyond a neighbour, and conjugate gradients alone need as many
//! iterations as there are vertices on the way. Means over groups of neighbours are solved for exactly in every iteration (deflation:
//! Saad, Yeung, Erhel & Guyomarc'h 2000), which leaves what is shorter than a group: the number of iterations does not depend
//! on the number of vertices. Corrections are found in single precision, and from their sum the residual anew in double where they have
//! to be better than that.

use super::envelope::Envelope;
use super::graph::Graph;
use super::par;
use super::pcg::Outcome;
use std::ops::Range;

/// What a correction may leave of the residual before it is found anew.
const CORRECTION: f64 = 1e-4;

/// Reusable storage of the solver; by seat.
#[derive(Clone, Debug, Default)]
pub struct Diffusion {
    rows: Rows,
    /// What couples, in order of the links of the rows.
    couples: Vec<f32>,
    /// What couples groups, by edge between them.
    between: Vec<f64>,
    /// Sum of `d_i` by group.
    volumes: Vec<f64>,
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
    means: Means,
}

/// The equation of what groups have in common, one number each.
#[derive(Clone, Debug, Default)]
struct Means {
    matrix: Envelope,
    /// The numbers; the last is that of what is fixed.
    mean: Vec<f64>,
    /// Right-hand side.
    total: Vec<f64>,
    /// What flows between groups, by pair.
    flows: Vec<f64>,
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
    /// Links of each seat begin here, one entry more.
    starts: Vec<u32>,
    /// Seat of the neighbour.
    to: Vec<u32>,
    /// Edge to it.
    by: Vec<u32>,
    /// Edges between groups, or with a fixed vertex, pair by pair, and the seats they are between.
    edges: Vec<u32>,
    ends: Vec<[u32; 2]>,
    /// Groups of each pair, and its edges.
    pairs: Vec<([usize; 2], Range<usize>)>,
}

/// Reusable storage for a coarse mesh.
#[derive(Clone, Debug, Default)]
pub struct Coarse {
    /// Mean by group, and number.
    resistance: Vec<[f64; 2]>,
    /// Of each edge between groups its resistance, then what couples them.
    between: Vec<f64>,
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

impl Rows {
    fn find(&mut self, graph: &Graph, fixed: &[bool]) {
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
    fn near<'a>(&'a self, seat: usize, couples: &'a [f32]) -> impl Iterator<Item = (usize, f32)> + 'a {
        let range = self.starts[seat] as usize..self.starts[seat + 1] as usize;
        self.to[range.clone()].iter().map(|to| *to as usize).zip(couples[range].iter().copied())
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

    /// The sum of `d` over the unknowns of each group, one where there are none.
    fn volumes(&self, out: &mut Vec<f64>) {
        let Equation { graph, vertex, fixed, .. } = *self;
        out.resize(graph.groups(), 0.0);
        graph.each_group(out, |seats| {
            let unknown = seats.map(|s| graph.member(s)).filter(|v| !fixed[*v]);
            let (sum, number) = unknown.fold((0.0, 0), |(sum, number), v| (sum + vertex[v], number + 1));
            if number == 0 { 1.0 } else { sum }
        });
    }

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

impl Means {
    /// The means that leave no sum in any group of what `b` has there in all less what flows with `x`, by seat.
    fn level(
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
fn sum_up(graph: &Graph, rows: &Rows, volumes: &[f64], (between, part): (&[f64], f64), sums: &mut Envelope) -> bool {
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

impl Diffusion {
    /// The diagonal of the last matrix; infinite where nothing is unknown.
    pub fn diagonal(&self, seat: usize) -> f64 {
        1.0 / f64::from(self.unknowns[seat].scale)
    }

    /// Takes the matrix, as [`Diffusion::solve`] does.
    pub fn prepare(&mut self, equation: &Equation) {
        let graph = equation.graph;
        self.unknowns.resize(graph.size(), Unknown::default());
        par::each_mut(&mut self.unknowns, |seat, u| {
            let v = graph.member(seat);
            u.scale = if equation.fixed[v] { 0.0 } else { (1.0 / equation.diagonal(v)) as f32 };
        });
        self.take(equation);
    }

    /// The order of the matrix, and what groups have of it.
    fn take(&mut self, equation: &Equation) {
        self.rows.find(equation.graph, equation.fixed);
        self.between.clear();
        self.between.extend(self.rows.edges.iter().map(|e| equation.edge[*e as usize]));
        equation.volumes(&mut self.volumes);
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
        let size = graph.size();
        self.take(equation);
        let Diffusion { rows, couples, between, volumes, own, known, unknowns, z, q, sums, means } = self;
        let rows = &*rows;
        known.resize(size + 1, 0.0);
        for (vector, size) in [(&mut *own, size), (z, size + 1), (q, size), (couples, rows.by.len())] {
            vector.resize(size, 0.0);
        }
        unknowns.resize(size, Unknown::default());
        sums.resize(size.div_ceil(par::BLOCK), 0.0);
        let fill = || {
            par::fill(couples, |k| edge[rows.by[k] as usize] as f32);
            par::each_pair_mut(&mut known[..size], own, |s, known, own| {
                let v = graph.member(s);
                (*known, *own) = (if fixed[v] { 0.0 } else { x[v] }, vertex[v] as f32);
            });
        };
        let factor = || sum_up(graph, rows, volumes, (between, 1.0), &mut means.matrix);
        if !par::join(factor, fill).0 {
            return None;
        }
        let (own, couples) = (&*own, &*couples);
        let (mut enough, mut beta, mut before) = (0.0, 0.0f32, 0.0);
        let mut reference = None;
        let mut outcome = Outcome::default();
        loop {
            let all = &*known;
            let left = |s: usize| {
                let v = graph.member(s);
                if fixed[v] { 0.0 } else { b[v] - vertex[v] * all[s] }
            };
            means.level(graph, rows, between, |seats| seats.map(left).sum(), |s| all[s]);
            par::each_mut(&mut known[..size], |s, known| *known += means.mean[rows.home[s] as usize]);
            let all = &*known;
            let mut rr = par::each_pair_mut_sum(unknowns, &mut z[..size], sums, |s, u, z| {
                let v = graph.member(s);
                let flow = |(sum, flow): (f64, f64), (w, k): (usize, f32)| {
                    let k = f64::from(k);
                    (sum + k, flow + k * (all[s] - all[w]))
                };
                let (sum, flow) = rows.near(s, couples).fold((vertex[v], vertex[v] * all[s]), flow);
                *u = Unknown::default();
                if !fixed[v] {
                    (u.r, u.scale) = ((b[v] - flow) as f32, (1.0 / sum) as f32);
                }
                *z = u.r * u.scale;
                f64::from(u.r) * f64::from(*z)
            });
            let reference = *reference.get_or_insert_with(|| {
                let square = |s: usize| b[graph.member(s)].powi(2) * f64::from(unknowns[s].scale);
                par::sum(size, square).sqrt().max(floor)
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
                let scaled = &*z;
                let takes = |s: usize| f64::from(own[s] * scaled[s]);
                means.level(graph, rows, between, |seats| -seats.map(takes).sum::<f64>(), |s| f64::from(scaled[s]));
                par::each_mut(&mut z[..size], |s, z| *z += means.mean[rows.home[s] as usize] as f32);
                // One product an iteration: that of the direction follows from it, and so does what both are together
                // (Chronopoulos & Gear 1989).
                let level = &*z;
                let zq = par::each_mut_sum(q, sums, |s, q| {
                    let here = level[s];
                    let flow = |sum, (w, k): (usize, f32)| sum + k * (here - level[w]);
                    *q = rows.near(s, couples).fold(own[s] * here, flow);
                    f64::from(here) * f64::from(*q)
                });
                let (pap, q) = (zq - before, &*q);
                let alpha = (rr / pap) as f32;
                let next = par::each_pair_mut_sum(unknowns, &mut z[..size], sums, |s, u, z| {
                    u.p = *z + beta * u.p;
                    u.ap = q[s] + beta * u.ap;
                    u.x += alpha * u.p;
                    u.r -= alpha * u.ap;
                    *z = u.r * u.scale;
                    f64::from(u.r) * f64::from(*z)
                });
                before = next / rr * (next / rr) * pap;
                (beta, rr) = ((next / rr) as f32, next);
                outcome.iterations += 1;
            }
            par::each_mut(&mut known[..size], |s, known| *known += f64::from(unknowns[s].x));
            if outcome.converged || outcome.iterations >= iterations || !rr.is_finite() {
                graph.members.iter().zip(&*known).for_each(|(v, known)| x[*v as usize] = *known);
                return Some(outcome);
            }
            (beta, before) = (0.0, 0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Vec3;

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
