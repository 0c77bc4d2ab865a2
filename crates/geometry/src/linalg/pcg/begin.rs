//! Setup of a solve: scaled matrix, fraction of the first guess, and initial residual.

use super::factor::{rounded_cholesky, solve_transposed, times};
use super::sweep::Sweep;
use super::{Components, Pcg, Process, Run, Work, by_component, lanes, low_rank, spread, square};
use crate::linalg::matrix::{Domain, Lanes, Matrix, Real};
use crate::linalg::scaled::{Place, zero};
use crate::linalg::{Mat3, Vec3, par};

impl<T: Real> Pcg<T> {
    /// Begins to solve `A x = b` from the first guess `x`, for the vertices that are not `fixed`.
    ///
    /// # Errors
    /// Returns the vertex whose diagonal block is not finite, or not positive definite by more than rounding.
    pub fn begin(
        &mut self,
        matrix: &Matrix<T>,
        fixed: &[bool],
        b: &[Vec3],
        x: &[Vec3],
        components: Components,
    ) -> Result<(), usize> {
        self.prepare(matrix, fixed, components)?;
        self.aim(matrix, fixed, b, x, components);
        self.weigh_guess(matrix, components.sets);
        self.residual(matrix);
        self.outcome.iterations = 0;
        self.measure();
        self.processes.iter_mut().for_each(|process| (process.rz, process.active) = (process.rr, false));
        Ok(())
    }

    /// Scales right-hand side and first guess, and sets the aims by the norm of `(I + L)^-1 C^-1 b`.
    fn aim(&mut self, matrix: &Matrix<T>, fixed: &[bool], b: &[Vec3], x: &[Vec3], components: Components) {
        let Pcg { colours, works, starts, t, w, inverse, references, aims, totals, .. } = self;
        let inverse = &*inverse;
        let sweep = Sweep { matrix, colours: &colours.starts, starts };
        par::each_part(works, t, starts, |_, work, t| {
            let first = matrix.starts[work.domain];
            for (i, t) in t.iter_mut().enumerate() {
                let v = first + i;
                let c = &inverse[v];
                work.r[i] = if fixed[v] { zero() } else { times(c, &lanes(&b[v])) };
                *t = if fixed[v] { zero() } else { solve_transposed(c, &lanes(&x[v])) };
                work.x[i] = *t;
            }
            work.gather(t);
        });
        let start = |work: &mut Work<T>, _: &[Lanes<T>], w: &mut [Lanes<T>]| w.copy_from_slice(&work.r);
        sweep.forward(works, t, w, start, |work, _, w| work.sum_runs(|_, i| [square(&w[i])]));
        by_component(works, totals);
        let bounds = components.floors.iter().zip(components.ceilings);
        for ((reference, [square, _]), (floor, ceiling)) in references.iter_mut().zip(&*totals).zip(bounds) {
            *reference = square.sqrt().min(*ceiling).max(*floor);
        }
        aims.clear();
        aims.extend(references.iter().zip(components.quiet).map(|(reference, quiet)| reference.min(*quiet)));
    }

    /// Computes `p = -A x` and the fraction of `x` to keep.
    fn weigh_guess(&mut self, matrix: &Matrix<T>, sets: &[u32]) {
        let Pcg { works, starts, t, sums, taken, totals, .. } = self;
        low_rank(matrix, works, sums);
        sums[0].iter_mut().for_each(|y| *y = -*y);
        let (t_all, y) = (&*t, &sums[0]);
        par::each_heavy(works, |k, work| {
            let Work { rows, p, low_rank, domain, .. } = &mut *work;
            p.fill(zero());
            rows.subtract_product(matrix, *domain, t_all, &t_all[starts[k]..starts[k + 1]], p);
            spread(low_rank, y, p);
            work.sum_runs(|Work { x, r, p, .. }, i| {
                let x = T::wide_four(&x[i]);
                [x * T::wide_four(&r[i]), x * T::wide_four(&p[i])]
            });
        });
        by_component(works, totals);
        // Sums of each set, at its smallest component.
        for (k, set) in sets.iter().map(|set| *set as usize).enumerate().filter(|(k, set)| k != set) {
            let own = totals[k];
            totals[set].iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        for (taken, set) in taken.iter_mut().zip(sets) {
            let [xb, xp] = totals[*set as usize];
            *taken = match xb / -xp {
                part if part >= 0.5 => 1.0,
                part => part.max(0.0),
            };
        }
    }

    /// Computes `r = (I + L)^-1 (C^-1 b + p)`, with `p` scaled by that fraction.
    fn residual(&mut self, matrix: &Matrix<T>) {
        let Pcg { colours, works, starts, t, w, taken, .. } = self;
        let sweep = Sweep { matrix, colours: &colours.starts, starts };
        let taken = &*taken;
        let start = |work: &mut Work<T>, _: &[Lanes<T>], w: &mut [Lanes<T>]| {
            let Work { runs, x, r, p, .. } = work;
            let mut first = 0;
            for run in &*runs {
                let part = T::of(taken[run.component as usize]);
                for i in first..run.end {
                    for l in 0..3 {
                        x[i][l] = part * x[i][l];
                        w[i][l] = r[i][l] + part * p[i][l];
                    }
                }
                first = run.end;
            }
        };
        sweep.forward(works, t, w, start, |work, _, w| work.r.copy_from_slice(w));
        sweep.backward(works, t, w, |work, _, t| {
            work.p.copy_from_slice(&work.r);
            t.copy_from_slice(&work.r);
            work.sum_runs(|work, i| [square(&work.r[i])]);
        });
    }

    /// Factors the diagonal, colours the subdomains and scales their rows.
    fn prepare(&mut self, matrix: &Matrix<T>, fixed: &[bool], components: Components) -> Result<(), usize> {
        self.factor(matrix, fixed)?;
        self.order(matrix);
        self.size(matrix, components);
        self.scale(matrix, fixed, components.of);
        self.shared.prepare(matrix, &self.works);
        Ok(())
    }

    /// Factors the diagonal blocks.
    fn factor(&mut self, matrix: &Matrix<T>, fixed: &[bool]) -> Result<(), usize> {
        let Pcg { t, w, inverse, domain, broken, .. } = self;
        let (size, count) = (matrix.size(), matrix.domains.len());
        for vector in [t, w] {
            vector.resize(size, zero());
        }
        domain.resize(size, 0);
        inverse.resize(size, [T::default(); 9]);
        broken.resize(count, None);
        par::each_part(broken, inverse, &matrix.starts, |k, broken, inverse| {
            let stored = &matrix.domains[k];
            *broken = None;
            for (i, inverse) in inverse.iter_mut().enumerate() {
                let block: [f64; 9] = std::array::from_fn(|e| stored.blocks[9 * i + e].wide());
                let block = if fixed[stored.first + i] { Mat3::identity() } else { Mat3::from_column_slice(&block) };
                match rounded_cholesky(&block) {
                    Some(c) => *inverse = std::array::from_fn(|e| T::of(c.as_slice()[e])),
                    None => *broken = broken.or(Some(stored.first + i)),
                }
            }
        });
        match broken.iter().find_map(|b| *b) {
            Some(vertex) => Err(vertex),
            None => Ok(()),
        }
    }

    /// Colours the subdomains and sorts them by colour.
    fn order(&mut self, matrix: &Matrix<T>) {
        let Pcg { colours, works, starts, domain, .. } = self;
        for (k, range) in matrix.starts.windows(2).enumerate() {
            domain[range[0]..range[1]].fill(k as u32);
        }
        colours.assign(matrix, domain);
        works.resize(matrix.domains.len(), Work::default());
        starts.clear();
        let mut begin = 0;
        for (work, k) in works.iter_mut().zip(&colours.order) {
            work.domain = *k;
            starts.push(begin);
            begin += matrix.domains[*k].count;
        }
        starts.push(begin);
    }

    /// Makes room for sums and processes.
    fn size(&mut self, matrix: &Matrix<T>, components: Components) {
        let Pcg { sums, references, taken, totals, processes, sets, .. } = self;
        let together = matrix.low_rank.size();
        sums[0].resize(together, 0.0);
        sums[1].resize(2 * together, 0.0);
        references.resize(components.floors.len(), 0.0);
        taken.resize(components.floors.len(), 0.0);
        totals.resize(components.floors.len(), [0.0; 2]);
        processes.clear();
        processes.resize(components.floors.len(), Process::default());
        sets.clear();
        sets.extend_from_slice(components.sets);
    }

    /// Scales the rows of each subdomain. `components` has the component of each vertex.
    fn scale(&mut self, matrix: &Matrix<T>, fixed: &[bool], components: &[u32]) {
        let Pcg { colours, works, starts, inverse, domain, .. } = self;
        let (inverse, domain, starts) = (&*inverse, &*domain, &*starts);
        let together = matrix.low_rank.size();
        par::each_heavy(works, |_, work| {
            let Domain { first, count, .. } = matrix.domains[work.domain];
            work.active = true;
            work.runs.clear();
            for v in first..first + count {
                let component = components.get(v).copied().unwrap_or(0);
                match work.runs.last_mut() {
                    Some(run) if run.component == component => run.end += 1,
                    _ => work.runs.push(Run { component, end: v - first + 1, sums: [0.0; 2], dots: [0.0; 3] }),
                }
            }
            for vector in [&mut work.x, &mut work.r, &mut work.p] {
                vector.resize(count, zero());
            }
            work.sums.resize(together, 0.0);
            work.low_rank.clear();
            let own = matrix.starts[work.domain]..matrix.starts[work.domain + 1];
            let at = |v: usize| matrix.low_rank.entries.partition_point(|e| (e.0 as usize) < v);
            let entries = matrix.low_rank.entries[at(own.start)..at(own.end)].iter();
            work.low_rank.extend(
                entries
                    .filter(|e| !fixed[e.0 as usize])
                    .map(|(v, sum, u)| (v - own.start as u32, *sum, times(&inverse[*v as usize], &lanes(u)))),
            );
            work.rows.fill(matrix, work.domain, fixed, inverse, &colours.of, |v| {
                let domain = domain[v as usize] as usize;
                Place { domain, index: starts[colours.place[domain]] + v as usize - matrix.starts[domain] }
            });
        });
    }
}
