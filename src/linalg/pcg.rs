//! Conjugate gradients with block symmetric Gauss-Seidel on subdomains, by Eisenstat's trick.
//!
//! With `D = C C^T` the scaled matrix `C^-1 A C^-T = I + L + L^T + R` has a unit diagonal. The preconditioner is
//! `(I + L)(I + L^T)` within subdomains, and conjugate gradients run on
//! `(I + L)^-1 (I + L + L^T + R) (I + L^T)^-1 p = t + (I + L)^-1 (p - t + R t)`, `t = (I + L^T)^-1 p`
//! (Eisenstat 1981), so one backward and one forward sweep replace the product with the matrix. The error measure is the
//! residual in the preconditioned norm.

use super::block::{Rows, each_block, multiply_add, rows, spread, subtract_transposed, total};
use super::matrix::{Domain, Lanes, Matrix, Real};
use super::{Mat3, Vec3, par};

/// How a solve went.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Conjugate gradient iterations.
    pub iterations: usize,
    /// Final residual relative to the right-hand side (or to the floor where that is larger), preconditioned norm.
    pub residual: f64,
    /// The tolerance was reached.
    pub converged: bool,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Residual relative to the right-hand side, both in the preconditioned norm.
    pub tolerance: f64,
    /// A right-hand side below this norm counts as this large [same unit as `sqrt(b^T A^-1 b)`].
    pub floor: f64,
    /// Most iterations.
    pub iterations: usize,
}

/// A block of nine numbers, in column order unless said otherwise.
type Block<T> = [T; 9];

/// Vectors of one subdomain.
#[derive(Clone, Debug, Default)]
struct Work<T> {
    x: Vec<Lanes<T>>,
    r: Vec<Lanes<T>>,
    p: Vec<Lanes<T>>,
    q: Vec<Lanes<T>>,
    /// Upper, outer and outer moving blocks, scaled, in row order.
    blocks: Vec<T>,
    /// Local row and global column of each moving block that couples to another subdomain.
    moving: Vec<[u32; 2]>,
    /// Moving blocks within the subdomain, above the diagonal.
    inner: Inner<T>,
    dots: [f64; 3],
    broken: Option<usize>,
}

/// Upper blocks, row by row.
#[derive(Clone, Debug, Default)]
struct Inner<T> {
    /// Row `i` has blocks `start[i]..start[i + 1]`.
    start: Vec<u32>,
    /// Local column of each.
    columns: Vec<u32>,
    /// Scaled, in row order.
    blocks: Vec<T>,
}

/// Reusable storage of the solver.
#[derive(Clone, Debug, Default)]
pub struct Pcg<T> {
    works: Vec<Work<T>>,
    /// `C^-1` per vertex, lower triangular, column order.
    inverse: Vec<Block<T>>,
    t: Vec<Lanes<T>>,
}

impl<T: Real> Pcg<T> {
    /// Solves `A x = b` for the vertices that are not `fixed`; those keep `x = 0`. `x` is the first guess on entry and the
    /// solution on return.
    ///
    /// # Errors
    /// The vertex whose diagonal block is not positive definite (or not finite).
    pub fn solve(
        &mut self,
        matrix: &Matrix<T>,
        fixed: &[bool],
        b: &[Vec3],
        x: &mut [Vec3],
        stop: Stop,
    ) -> Result<Outcome, usize> {
        self.prepare(matrix, fixed)?;
        let starts = &matrix.starts;
        let Pcg { works, inverse, t } = self;
        let inverse = &*inverse;

        // r = (I + L)^-1 (C^-1 b - A x), and the norm of the same with x = 0.
        par::each_part(works, t, starts, &|k, work, t| {
            let domain = &matrix.domains[k];
            for (i, t) in t.iter_mut().enumerate() {
                let v = domain.first + i;
                let c = &inverse[v];
                work.r[i] = if fixed[v] { zero() } else { times(c, &lanes(&b[v])) };
                *t = if fixed[v] { zero() } else { solve_transposed(c, &lanes(&x[v])) };
                work.x[i] = *t;
            }
        });
        let t_all = &*t;
        par::each_heavy(works, |k, work| {
            let domain = &matrix.domains[k];
            let Work { r, q, blocks, moving, inner, dots, .. } = work;
            q.copy_from_slice(r);
            forward(domain, blocks, inner, q);
            dots[0] = dot(q, q);
            subtract_product(domain, (blocks, inner), moving, t_all, r, q);
            forward(domain, blocks, inner, r);
        });
        let reference = sum(works, 0).sqrt().max(stop.floor);
        if reference == 0.0 {
            x.fill(Vec3::zeros());
            return Ok(Outcome { converged: true, ..Outcome::default() });
        }

        let (mut alpha, mut beta) = (T::default(), T::default());
        let mut outcome = Outcome::default();
        loop {
            // Finish the last iteration and sweep backward: t = (I + L^T)^-1 p.
            let first = outcome.iterations == 0;
            par::each_part(works, t, starts, &|k, work, t| {
                let domain = &matrix.domains[k];
                let Work { x, r, p, q, .. } = &mut *work;
                for ((((t, x), r), p), q) in t.iter().zip(x).zip(r).zip(p).zip(q) {
                    for l in 0..4 {
                        if !first {
                            x[l] += alpha * t[l];
                            r[l] -= alpha * q[l];
                        }
                        p[l] = r[l] + beta * p[l];
                    }
                }
                work.dots[0] = dot(&work.r, &work.r);
                t.copy_from_slice(&work.p);
                backward(domain, &work.blocks, &work.inner, t);
            });
            let rr = sum(works, 0);
            outcome.residual = rr.sqrt() / reference;
            outcome.converged = outcome.residual <= stop.tolerance;
            if outcome.converged || outcome.iterations >= stop.iterations || !rr.is_finite() {
                break;
            }
            // q = t + (I + L)^-1 (p - t + R t)
            let t_all = &*t;
            par::each_heavy(works, |k, work| {
                let domain = &matrix.domains[k];
                let own = &t_all[domain.first..domain.first + domain.count];
                let Work { p, q, r, blocks, moving, inner, dots, .. } = work;
                for i in 0..domain.count {
                    for l in 0..4 {
                        q[i][l] = p[i][l] - own[i][l];
                    }
                }
                outer(domain, blocks, moving, t_all, q);
                forward(domain, blocks, inner, q);
                for (q, t) in q.iter_mut().zip(own) {
                    for l in 0..4 {
                        q[l] += t[l];
                    }
                }
                *dots = [dot(p, q), dot(r, q), dot(q, q)];
            });
            let (pq, rq, qq) = (sum(works, 0), sum(works, 1), sum(works, 2));
            let step = rr / pq;
            let next = (rr - 2.0 * step * rq + step * step * qq).max(0.0);
            alpha = T::of(step);
            beta = T::of(next / rr);
            outcome.iterations += 1;
        }
        for (work, domain) in works.iter().zip(&matrix.domains) {
            for i in 0..domain.count {
                x[domain.first + i] = narrow(&times_transposed(&inverse[domain.first + i], &work.x[i]));
            }
        }
        Ok(outcome)
    }

    /// Factors the diagonal and scales every other block.
    fn prepare(&mut self, matrix: &Matrix<T>, fixed: &[bool]) -> Result<(), usize> {
        let Pcg { works, inverse, t } = self;
        t.resize(matrix.size(), zero());
        inverse.resize(matrix.size(), [T::default(); 9]);
        works.resize(matrix.domains.len(), Work::default());
        par::each_part(works, inverse, &matrix.starts, &|k, work, inverse| {
            let domain = &matrix.domains[k];
            for vector in [&mut work.x, &mut work.r, &mut work.p, &mut work.q] {
                vector.resize(domain.count, zero());
            }
            work.p.fill(zero());
            work.broken = None;
            for (i, inverse) in inverse.iter_mut().enumerate() {
                let block: [f64; 9] = std::array::from_fn(|e| domain.blocks[9 * i + e].wide());
                let block = if fixed[domain.first + i] { Mat3::identity() } else { Mat3::from_column_slice(&block) };
                match inverse_cholesky(&block) {
                    Some(c) => *inverse = std::array::from_fn(|e| T::of(c.as_slice()[e])),
                    None => work.broken = work.broken.or(Some(domain.first + i)),
                }
            }
        });
        if let Some(vertex) = works.iter().find_map(|w| w.broken) {
            return Err(vertex);
        }
        let inverse = &*inverse;
        let scaled_rows = |block: &Block<T>, i: usize, j: usize| {
            if fixed[i] || fixed[j] { [T::default(); 9] } else { scale(block, &inverse[i], &inverse[j]) }
        };
        par::each_heavy(works, |k, work| {
            let domain = &matrix.domains[k];
            let first = domain.first;
            let (stored, _) = domain.blocks[9 * domain.upper_base()..].as_chunks::<9>();
            let at = |row: usize| matrix.entries.partition_point(|e| (e.row as usize) < row);
            let entries = &matrix.entries[at(first)..at(first + domain.count)];
            let within = |column: u32| (first..first + domain.count).contains(&(column as usize));
            work.moving.clear();
            work.moving.extend(entries.iter().filter(|e| !within(e.column)).map(|e| [e.row - first as u32, e.column]));
            work.blocks.resize(9 * (stored.len() + work.moving.len()) + 1, T::default());
            let (scaled, _) = work.blocks.as_chunks_mut::<9>();
            let (upper, outer) = scaled.split_at_mut(domain.upper_col.len());
            let (outer, moving) = outer.split_at_mut(domain.cross_col.len());
            let (stored_upper, stored_outer) = stored.split_at(domain.upper_col.len());
            for i in 0..domain.count {
                for k in domain.upper_start[i] as usize..domain.upper_start[i + 1] as usize {
                    upper[k] = scaled_rows(&stored_upper[k], first + i, first + domain.upper_col[k] as usize);
                }
                for k in domain.cross_start[i] as usize..domain.cross_start[i + 1] as usize {
                    outer[k] = scaled_rows(&stored_outer[k], first + i, domain.cross_col[k] as usize);
                }
            }
            for (rows, e) in moving.iter_mut().zip(entries.iter().filter(|e| !within(e.column))) {
                *rows = scaled_rows(&e.block, e.row as usize, e.column as usize);
            }
            let Inner { start, columns, blocks } = &mut work.inner;
            let mut upper = entries.iter().filter(|e| e.row < e.column && within(e.column)).peekable();
            start.clear();
            columns.clear();
            blocks.clear();
            for i in 0..domain.count {
                start.push(columns.len() as u32);
                while let Some(e) = upper.next_if(|e| e.row as usize == first + i) {
                    columns.push(e.column - first as u32);
                    blocks.extend(scaled_rows(&e.block, e.row as usize, e.column as usize));
                }
            }
            start.push(columns.len() as u32);
            blocks.push(T::default());
        });
        Ok(())
    }
}

fn sum<T>(works: &[Work<T>], which: usize) -> f64 {
    works.iter().map(|w| w.dots[which]).sum()
}

fn zero<T: Real>() -> Lanes<T> {
    [T::default(); 4]
}

fn lanes<T: Real>(v: &Vec3) -> Lanes<T> {
    [T::of(v.x), T::of(v.y), T::of(v.z), T::default()]
}

fn narrow<T: Real>(v: &Lanes<T>) -> Vec3 {
    Vec3::new(v[0].wide(), v[1].wide(), v[2].wide())
}

fn dot<T: Real>(a: &[Lanes<T>], b: &[Lanes<T>]) -> f64 {
    let mut sum = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for l in 0..4 {
            sum[l] += a[l].wide() * b[l].wide();
        }
    }
    sum[0] + sum[1] + sum[2]
}

/// `C v` of a block in column order.
fn times<T: Real>(c: &Block<T>, v: &Lanes<T>) -> Lanes<T> {
    let row = |r: usize| c[r] * v[0] + c[3 + r] * v[1] + c[6 + r] * v[2];
    [row(0), row(1), row(2), T::default()]
}

/// `C^T v` of a block in column order.
fn times_transposed<T: Real>(c: &Block<T>, v: &Lanes<T>) -> Lanes<T> {
    let column = |k: usize| c[3 * k] * v[0] + c[3 * k + 1] * v[1] + c[3 * k + 2] * v[2];
    [column(0), column(1), column(2), T::default()]
}

/// Solves `C^T x = v` for a lower triangular `C` in column order. With `C^-1` in place of `C` it multiplies by the factor.
fn solve_transposed<T: Real>(c: &Block<T>, v: &Lanes<T>) -> Lanes<T> {
    let z = v[2] / c[8];
    let y = (v[1] - c[5] * z) / c[4];
    let x = (v[0] - c[1] * y - c[2] * z) / c[0];
    [x, y, z, T::default()]
}

/// `C^-1` of `A = C C^T`, lower triangular; `None` unless `A` is positive definite.
fn inverse_cholesky(a: &Mat3) -> Option<Mat3> {
    let positive = |x: f64| (x > 0.0 && x.is_finite()).then(|| x.sqrt());
    let c00 = positive(a[(0, 0)])?;
    let c10 = a[(1, 0)] / c00;
    let c20 = a[(2, 0)] / c00;
    let c11 = positive(a[(1, 1)] - c10 * c10)?;
    let c21 = (a[(2, 1)] - c20 * c10) / c11;
    let c22 = positive(a[(2, 2)] - c20 * c20 - c21 * c21)?;
    let (i00, i11, i22) = (1.0 / c00, 1.0 / c11, 1.0 / c22);
    let i10 = -c10 * i00 * i11;
    let i21 = -c21 * i11 * i22;
    let i20 = -(c20 * i00 + c21 * i10) * i22;
    Some(Mat3::new(i00, 0.0, 0.0, i10, i11, 0.0, i20, i21, i22))
}

/// `Ci block Cj^T` in row order; all else in column order, `Ci` and `Cj` lower triangular.
fn scale<T: Real>(block: &Block<T>, ci: &Block<T>, cj: &Block<T>) -> Block<T> {
    let mut left = [T::default(); 9];
    for k in 0..3 {
        let (a, b, c) = (block[3 * k], block[3 * k + 1], block[3 * k + 2]);
        left[3 * k] = ci[0] * a;
        left[3 * k + 1] = ci[1] * a + ci[4] * b;
        left[3 * k + 2] = ci[2] * a + ci[5] * b + ci[8] * c;
    }
    let mut scaled = [T::default(); 9];
    for r in 0..3 {
        let (a, b, c) = (left[r], left[3 + r], left[6 + r]);
        scaled[3 * r] = a * cj[0];
        scaled[3 * r + 1] = a * cj[1] + b * cj[4];
        scaled[3 * r + 2] = a * cj[2] + b * cj[5] + c * cj[8];
    }
    scaled
}

/// `t <- (I + L^T)^-1 t`.
fn backward<T: Real>(domain: &Domain<T>, upper: &Rows<T>, inner: &Inner<T>, t: &mut [Lanes<T>]) {
    for i in (0..domain.count).rev() {
        let mut acc = [T::four(&zero::<T>()); 3];
        each_block::<T, false>(&inner.start, &inner.columns, &inner.blocks, i, |j, rows| {
            multiply_add::<T>(&mut acc, rows, &t[j]);
        });
        // The nearest column is the last to be known.
        each_block::<T, true>(&domain.upper_start, &domain.upper_col, upper, i, |j, rows| {
            multiply_add::<T>(&mut acc, rows, &t[j]);
        });
        for (t, sum) in t[i].iter_mut().zip(total::<T>(&acc)) {
            *t -= sum;
        }
    }
}

/// `w <- (I + L)^-1 w`, with `L` read as the transpose of the upper blocks.
fn forward<T: Real>(domain: &Domain<T>, upper: &Rows<T>, inner: &Inner<T>, w: &mut [Lanes<T>]) {
    for i in 0..domain.count {
        let s = spread(&w[i]);
        each_block::<T, false>(&domain.upper_start, &domain.upper_col, upper, i, |j, rows| {
            subtract_transposed::<T>(&mut w[j], rows, &s);
        });
        each_block::<T, false>(&inner.start, &inner.columns, &inner.blocks, i, |j, rows| {
            subtract_transposed::<T>(&mut w[j], rows, &s);
        });
    }
}

/// `out += R t`: fixed and moving blocks between subdomains.
fn outer<T: Real>(domain: &Domain<T>, blocks: &Rows<T>, moving: &[[u32; 2]], t: &[Lanes<T>], out: &mut [Lanes<T>]) {
    let add = |out: &mut Lanes<T>, acc: &[T::Four; 3]| {
        for (out, sum) in out.iter_mut().zip(total::<T>(acc)) {
            *out += sum;
        }
    };
    let cross = &blocks[9 * domain.upper_col.len()..];
    for (i, out) in out.iter_mut().enumerate() {
        let mut acc = [T::four(&zero::<T>()); 3];
        each_block::<T, false>(&domain.cross_start, &domain.cross_col, cross, i, |j, rows| {
            multiply_add::<T>(&mut acc, rows, &t[j])
        });
        add(out, &acc);
    }
    let mut rest = &cross[9 * domain.cross_col.len()..];
    for row in moving.chunk_by(|a, b| a[0] == b[0]) {
        let mut acc = [T::four(&zero::<T>()); 3];
        for [_, column] in row {
            let Some(block) = rest.first_chunk() else { break };
            multiply_add::<T>(&mut acc, &rows::<T>(block), &t[*column as usize]);
            rest = &rest[9..];
        }
        add(&mut out[row[0][0] as usize], &acc);
    }
}

/// `r -= A x` for the scaled matrix and the `x` of all subdomains; `scratch` is overwritten.
fn subtract_product<T: Real>(
    domain: &Domain<T>,
    (blocks, inner): (&Rows<T>, &Inner<T>),
    moving: &[[u32; 2]],
    all: &[Lanes<T>],
    r: &mut [Lanes<T>],
    scratch: &mut [Lanes<T>],
) {
    let own = &all[domain.first..domain.first + domain.count];
    for (r, own) in r.iter_mut().zip(own) {
        for l in 0..4 {
            r[l] -= own[l];
        }
    }
    scratch.fill(zero());
    for i in 0..domain.count {
        let mut acc = [T::four(&zero::<T>()); 3];
        let s = spread(&own[i]);
        let mut both = |j: usize, rows: &[T::Four; 3]| {
            multiply_add::<T>(&mut acc, rows, &own[j]);
            subtract_transposed::<T>(&mut r[j], rows, &s);
        };
        each_block::<T, false>(&domain.upper_start, &domain.upper_col, blocks, i, &mut both);
        each_block::<T, false>(&inner.start, &inner.columns, &inner.blocks, i, &mut both);
        for (out, sum) in scratch[i].iter_mut().zip(total::<T>(&acc)) {
            *out += sum;
        }
    }
    outer(domain, blocks, moving, all, scratch);
    for (r, product) in r.iter_mut().zip(&*scratch) {
        for l in 0..4 {
            r[l] -= product[l];
        }
    }
}

#[cfg(test)]
mod tests;
