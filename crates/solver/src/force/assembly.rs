//! Assembly of all elements into one linear system, by subdomain.
//!
//! A step of the implicit scheme has new positions `x + y + z`. The displacement of free flight is `y` (prescribed for
//! pinned vertices), the unknown is `dx`. The new velocity is `v~ + dx/beta`. Linearised at `x`:
//! `(M/beta^2 + K + tau K_material/beta) z = f(x) - K y - tau K_material v~`,
//! where `tau` is the damping time of the law.
//!
//! The stiffness `K` of a plate couples more vertices than the four of a hinge. The matrix does not store these blocks.
//! Instead it has `Kb >= K`, hinge by hinge (see [`super::plate::Patch::bounds`]). `K` acts on the displacement and
//! rate of a step at the present velocity, which are known beforehand; `Kb` acts on the rest of `y` and on `dx`. The
//! difference acts only on the change of velocity. It is of second order, vanishes in equilibrium, and is as stable as
//! added mass.
//!
//! Each subdomain evaluates every element that touches it and keeps its own rows. No two threads write to one place,
//! and the order of summation is fixed.

use super::elements::Elements;
use super::scheme::Scheme;
use super::term::{Memory, Name, Precision, Rows, Term};
use crate::linalg::matrix::{Domain, Matrix, Real};
use crate::linalg::{Mat3, Vec3, par};

/// The linear system and the rows of each term.
pub struct Assembly<T> {
    /// The matrix.
    pub matrix: Matrix<T>,
    /// The right-hand side [N].
    pub force: Vec<Vec3>,
    parts: Vec<Part<T>>,
    names: Vec<Name>,
}

/// Elements that touch one subdomain, which evaluates them. Only blocks in its own rows are stored; between two own
/// vertices, only the block above the diagonal.
struct Part<T> {
    /// Rows of each term.
    terms: Vec<Box<dyn Rows<T>>>,
    /// Diagonal blocks and right-hand side saved by [`Assembly::keep`].
    kept: (Vec<T>, Vec<Vec3>),
}

impl<T: Precision> Assembly<T> {
    /// Finds sparsity and rows of `elements` for the vertex ranges `starts`.
    pub fn new(elements: &Elements, starts: &[usize]) -> Assembly<T> {
        Assembly::of(elements, starts, |_| true)
    }

    /// Builds the system from the `wanted` terms only.
    pub fn of(elements: &Elements, starts: &[usize], wanted: impl Fn(&dyn Term) -> bool) -> Assembly<T> {
        let each_term = |f: &mut dyn FnMut(&dyn Term)| {
            elements.each_term(|term| {
                if wanted(term) {
                    f(term);
                }
            });
        };
        let (mut pairs, mut names) = (Vec::new(), Vec::new());
        each_term(&mut |term| {
            term.pairs(&mut |a, b| pairs.push((a, b)));
            names.push(term.name());
        });
        let matrix = Matrix::<T>::new(starts, pairs.into_iter());
        let empty = || Part { terms: Vec::new(), kept: Default::default() };
        let mut parts: Vec<Part<T>> = matrix.domains.iter().map(|_| empty()).collect();
        each_term(&mut |term| {
            let rows = T::rows(term, &matrix.domains);
            parts.iter_mut().zip(rows).for_each(|(part, rows)| part.terms.push(rows));
        });
        let size = matrix.size();
        Assembly { matrix, force: vec![Vec3::zeros(); size], parts, names }
    }
}

impl<T: Real> Assembly<T> {
    /// Assembles all terms. Overwrites the matrix (moving blocks are removed) and the right-hand side.
    pub fn assemble(&mut self, scheme: &Scheme, memory: &Memory) {
        let memory: Vec<&[f64]> = self.names.iter().map(|name| memory.of(*name)).collect();
        self.each_part(|part, domain, force| {
            domain.entries.clear();
            let kept = part.terms.first().map_or(0, |first| first.overwrites());
            domain.blocks[9 * kept..].fill(T::default());
            force.fill(Vec3::zeros());
            for (term, memory) in part.terms.iter_mut().zip(&memory) {
                term.add(scheme, memory, domain, force);
            }
        });
    }

    /// Computes the product of the matrix with `z`, without moving blocks and the low-rank update.
    pub fn product(&mut self, z: &[Vec3], out: &mut [Vec3]) {
        let mut domains: Vec<_> = self.matrix.domains.iter_mut().collect();
        par::each_part(&mut domains, out, &self.matrix.starts, |_, domain, out| {
            out.fill(Vec3::zeros());
            domain.add_product(z, |_| true, out);
        });
    }

    /// Saves the present diagonal and right-hand side.
    pub fn keep(&mut self) {
        self.each_part(|part, domain, force| {
            let (blocks, forces) = &mut part.kept;
            blocks.clear();
            blocks.extend_from_slice(&domain.blocks[..9 * domain.count]);
            forces.clear();
            forces.extend_from_slice(force);
        });
    }

    /// Restores the diagonal and right-hand side saved by [`Assembly::keep`], and removes all moving blocks.
    pub fn restore(&mut self) {
        self.each_part(|part, domain, force| {
            domain.entries.clear();
            let (blocks, forces) = &part.kept;
            domain.blocks[..blocks.len()].copy_from_slice(blocks);
            force.copy_from_slice(forces);
        });
    }

    /// Calls `f(part, domain, force)` for every subdomain, in parallel.
    fn each_part(&mut self, f: impl Fn(&mut Part<T>, &mut Domain<T>, &mut [Vec3]) + Sync) {
        let mut items: Vec<_> = self.parts.iter_mut().zip(&mut self.matrix.domains).collect();
        par::each_part(&mut items, &mut self.force, &self.matrix.starts, |_, (part, domain), force| {
            f(part, domain, force)
        });
    }

    /// Adds a 3x3 block to a vertex's diagonal.
    pub fn add_diagonal(&mut self, vertex: usize, block: &Mat3) {
        let k = self.matrix.starts.partition_point(|s| *s <= vertex) - 1;
        let domain = &mut self.matrix.domains[k];
        domain.add((vertex - domain.first) as u32, block);
    }
}
