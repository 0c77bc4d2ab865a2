//! Diffusion on a graph, `d_i x_i + sum_j k_ij (x_i - x_j) = b_i`, by deflated conjugate gradients.
//!
//! Where `k` is large against `d`, a disturbance reaches far beyond a neighbour. Plain conjugate gradients then need as
//! many iterations as there are vertices on the way. Deflation solves exactly for means over groups of neighbours in
//! every iteration (Saad, Yeung, Erhel & Guyomarc'h 2000). The remaining error is shorter than a group. The number of
//! iterations thus does not depend on the number of vertices. Corrections are computed in single precision. For more
//! accuracy, the residual is recomputed in double precision from the sum of the corrections.

mod coarse;
mod means;
mod rows;

use super::graph::Graph;
use super::par;
use super::pcg::Outcome;
use means::{Means, sum_up};
use rows::Rows;

pub use coarse::Coarse;

/// Reduction of the residual at which a single-precision correction ends and the residual is recomputed.
const CORRECTION: f64 = 1e-4;

/// Reusable storage of the solver, indexed by slot (position of a vertex, group by group).
#[derive(Clone, Debug, Default)]
pub struct Diffusion {
    rows: Rows,
    /// Coefficient `k` of each link of the rows.
    couples: Vec<f32>,
    /// Coefficient `k` of each edge between groups.
    between: Vec<f64>,
    /// Sum of `d_i` over each group.
    volumes: Vec<f64>,
    /// `d_i`
    own: Vec<f32>,
    /// Solution in double precision; zero at fixed vertices, with one extra entry for all of them.
    known: Vec<f64>,
    unknowns: Vec<Unknown>,
    /// Scaled residual, with one extra zero for all fixed vertices.
    z: Vec<f32>,
    /// Matrix times the scaled residual.
    q: Vec<f32>,
    /// Partial sum of each block of vertices.
    sums: Vec<f64>,
    means: Means,
}

/// State of a vertex in conjugate gradients; all zeros at a fixed vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Unknown {
    /// Correction.
    x: f32,
    /// Residual.
    r: f32,
    /// Direction.
    p: f32,
    /// Matrix times the direction.
    ap: f32,
    /// Inverse diagonal.
    scale: f32,
}

/// Equation, with `d` by vertex and `k` by edge, none negative. `fixed` vertices keep `x = 0`.
#[derive(Clone, Copy, Debug)]
pub struct Equation<'a> {
    /// Adjacency of the vertices.
    pub graph: &'a Graph,
    /// `d_i`
    pub vertex: &'a [f64],
    /// `k_ij`
    pub edge: &'a [f64],
    /// Dirichlet vertices.
    pub fixed: &'a [bool],
}

impl Equation<'_> {
    /// Returns `d_v + sum_j k_vj`.
    pub fn diagonal(&self, v: usize) -> f64 {
        self.graph.links(v).iter().fold(self.vertex[v], |sum, [_, e]| sum + self.edge[*e as usize])
    }

    /// Sums `d` over the unknowns of each group; a group without unknowns gets one.
    fn volumes(&self, out: &mut Vec<f64>) {
        let Equation { graph, vertex, fixed, .. } = *self;
        out.resize(graph.groups(), 0.0);
        graph.each_group(out, |slots| {
            let unknown = slots.map(|s| graph.vertex_at(s)).filter(|v| !fixed[*v]);
            let (sum, number) = unknown.fold((0.0, 0), |(sum, number), v| (sum + vertex[v], number + 1));
            if number == 0 { 1.0 } else { sum }
        });
    }
}

/// State of the conjugate gradient iteration.
struct Search {
    /// Squared norm of the residual.
    rr: f64,
    /// Coefficient of the last direction in the next one.
    beta: f32,
    /// Difference between the squares of the scaled residual and of the next direction, in the norm of the matrix.
    before: f64,
}

/// Stopping criteria, in the norm of the inverse diagonal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stop {
    /// Largest residual, relative to the right-hand side or to `floor`, whichever is larger.
    pub tolerance: f64,
    /// Smallest norm of the right-hand side to which residuals are relative.
    pub floor: f64,
    /// Largest residual, relative to that after the first solve for the means. Either criterion suffices.
    pub progress: f64,
    /// Maximum number of iterations.
    pub iterations: usize,
}

impl Diffusion {
    /// Returns the diagonal of the last matrix. Dirichlet vertices have infinity.
    pub fn diagonal(&self, slot: usize) -> f64 {
        1.0 / f64::from(self.unknowns[slot].scale)
    }

    /// Prepares the matrix as [`Diffusion::solve`] does.
    pub fn prepare(&mut self, equation: &Equation) {
        let graph = equation.graph;
        self.unknowns.resize(graph.size(), Unknown::default());
        par::each_mut(&mut self.unknowns, |slot, u| {
            let v = graph.vertex_at(slot);
            u.scale = if equation.fixed[v] { 0.0 } else { (1.0 / equation.diagonal(v)) as f32 };
        });
        self.take(equation);
    }

    /// Updates the order of the rows, the couplings between groups and the sums over groups.
    fn take(&mut self, equation: &Equation) {
        self.rows.find(equation.graph, equation.fixed);
        self.between.clear();
        self.between.extend(self.rows.edges.iter().map(|e| equation.edge[*e as usize]));
        equation.volumes(&mut self.volumes);
    }

    /// Solves the equation for the right-hand side `b` from the first guess `x`. Returns `None` if the matrix of the
    /// means is not positive definite.
    pub fn solve(&mut self, equation: &Equation, b: &[f64], x: &mut [f64], stop: Stop) -> Option<Outcome> {
        let Stop { tolerance, floor, progress, iterations } = stop;
        let graph = equation.graph;
        self.take(equation);
        if !self.begin(equation, x) {
            return None;
        }
        let (mut reference, mut enough) = (None, 0.0);
        let mut outcome = Outcome::default();
        loop {
            let mut search = Search { rr: self.residual(equation, b), beta: 0.0, before: 0.0 };
            let reference = *reference.get_or_insert_with(|| self.norm(graph, b).max(floor));
            if outcome.iterations == 0 {
                enough = progress * progress * search.rr;
            }
            let corrected = CORRECTION * CORRECTION * search.rr;
            loop {
                let rr = search.rr;
                outcome.residual = if reference > 0.0 { rr.sqrt() / reference } else { 0.0 };
                outcome.converged = outcome.residual <= tolerance || rr <= enough;
                if outcome.converged || rr <= corrected || outcome.iterations >= iterations || !rr.is_finite() {
                    break;
                }
                self.iterate(graph, &mut search);
                outcome.iterations += 1;
            }
            let Diffusion { known, unknowns, .. } = self;
            par::each_mut(&mut known[..graph.size()], |s, known| *known += f64::from(unknowns[s].x));
            if outcome.converged || outcome.iterations >= iterations || !search.rr.is_finite() {
                graph.order.iter().zip(&*known).for_each(|(v, known)| x[*v as usize] = *known);
                return Some(outcome);
            }
        }
    }

    /// Converts the matrix to single precision, factors the matrix of the means and sets the first guess. Returns false
    /// if the matrix of the means is not positive definite.
    fn begin(&mut self, equation: &Equation, x: &[f64]) -> bool {
        let Equation { graph, vertex, edge, fixed } = *equation;
        let size = graph.size();
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
                let v = graph.vertex_at(s);
                (*known, *own) = (if fixed[v] { 0.0 } else { x[v] }, vertex[v] as f32);
            });
        };
        let factor = || sum_up(graph, rows, volumes, (between, 1.0), &mut means.matrix);
        par::join(factor, fill).0
    }

    /// Solves for the means and recomputes the residual. Returns the squared norm of the residual.
    fn residual(&mut self, equation: &Equation, b: &[f64]) -> f64 {
        let Equation { graph, vertex, fixed, .. } = *equation;
        let size = graph.size();
        let Diffusion { rows, couples, between, known, unknowns, z, sums, means, .. } = self;
        let (rows, couples, all) = (&*rows, &*couples, &*known);
        let left = |s: usize| {
            let v = graph.vertex_at(s);
            if fixed[v] { 0.0 } else { b[v] - vertex[v] * all[s] }
        };
        means.level(graph, rows, between, |slots| slots.map(left).sum(), |s| all[s]);
        par::each_mut(&mut known[..size], |s, known| *known += means.mean[rows.home[s] as usize]);
        let all = &*known;
        par::each_pair_mut_sum(unknowns, &mut z[..size], sums, |s, u, z| {
            let v = graph.vertex_at(s);
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
        })
    }

    /// Returns the norm of a right-hand side, weighted by the inverse diagonal.
    fn norm(&self, graph: &Graph, b: &[f64]) -> f64 {
        let square = |s: usize| b[graph.vertex_at(s)].powi(2) * f64::from(self.unknowns[s].scale);
        par::sum(graph.size(), square).sqrt()
    }

    /// Runs an iteration of conjugate gradients.
    fn iterate(&mut self, graph: &Graph, search: &mut Search) {
        let size = graph.size();
        let Diffusion { rows, couples, between, own, unknowns, z, q, sums, means, .. } = self;
        let (rows, couples, own, scaled) = (&*rows, &*couples, &*own, &*z);
        let takes = |s: usize| f64::from(own[s] * scaled[s]);
        means.level(graph, rows, between, |slots| -slots.map(takes).sum::<f64>(), |s| f64::from(scaled[s]));
        par::each_mut(&mut z[..size], |s, z| *z += means.mean[rows.home[s] as usize] as f32);
        // Each iteration has a single matrix product. The product with the direction and the inner product of both
        // follow from it (Chronopoulos & Gear 1989).
        let level = &*z;
        let zq = par::each_mut_sum(q, sums, |s, q| {
            let here = level[s];
            let flow = |sum, (w, k): (usize, f32)| sum + k * (here - level[w]);
            *q = rows.near(s, couples).fold(own[s] * here, flow);
            f64::from(here) * f64::from(*q)
        });
        let Search { rr, beta, before } = *search;
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
        *search = Search { rr: next, beta: (next / rr) as f32, before: next / rr * (next / rr) * pap };
    }
}

#[cfg(test)]
mod tests;
