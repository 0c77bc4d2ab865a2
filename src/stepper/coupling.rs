//! Contacts' part of the linear system, by subdomain.
//!
//! Each subdomain adds what contacts say in its own rows, in order of the contacts: no two threads write one place and the order
//! of summation is fixed. Contacts that couple the same two vertices share one moving block.

use super::Step;
use crate::force::assembly::Assembly;
use crate::linalg::matrix::{Entry, Real};
use crate::linalg::{Mat3, Vec3, par};

/// What acts between up to four vertices along one relative displacement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link {
    pub weights: [f64; 4],
    /// Force where the relative displacement is zero [N].
    pub force: Vec3,
    /// How much it falls with the displacement [N/m].
    pub stiffness: Mat3,
}

/// Places of contacts, and of what else is like them, in the system; storage kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    /// Subdomain of each moving vertex.
    domain: Vec<u16>,
    /// Vertices of each contact that it moves, else [`NONE`].
    corners: Vec<[u32; 4]>,
    rows: Vec<Rows>,
    /// What is added, by contact.
    links: Vec<Link>,
}

/// What contacts add to one subdomain.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// First vertex.
    first: u32,
    /// Vertex and its term, in order of the contacts.
    found: Vec<(u32, u32)>,
    /// Row by row: four times the contact plus the vertex's place in it.
    terms: Vec<u32>,
    /// Where the terms of each row begin and its moving blocks, one more than there are rows.
    starts: Vec<[u32; 2]>,
    /// Column of each moving block, row by row.
    columns: Vec<u32>,
    /// Moving block of each term for each of the contact's vertices, [`NONE`] where there is none.
    shares: Vec<[u32; 4]>,
    /// Sums of the blocks of a row.
    sums: Vec<Mat3>,
}

/// No moving block.
const NONE: u32 = u32::MAX;

impl Coupling {
    /// For subdomains `starts`.
    pub fn new(starts: &[usize]) -> Coupling {
        let ranges = starts.windows(2).enumerate();
        let rows = |r: &[usize]| Rows { first: r[0] as u32, starts: vec![[0; 2]; r[1] - r[0] + 1], ..Rows::default() };
        Coupling {
            domain: ranges.flat_map(|(k, r)| vec![k as u16; r[1] - r[0]]).collect(),
            rows: starts.windows(2).map(rows).collect(),
            ..Coupling::default()
        }
    }

    /// Finds the places of `count` contacts with vertices and weights `of`.
    pub fn place(&mut self, count: usize, of: impl Fn(usize) -> ([u32; 4], [f64; 4]) + Sync, step: &Step) {
        let Coupling { domain, corners, rows, .. } = self;
        corners.resize(count, [NONE; 4]);
        par::fill(corners, |c| {
            let (vertices, weights) = of(c);
            std::array::from_fn(|k| {
                let moves = weights[k] != 0.0 && step.fixed.get(vertices[k] as usize) == Some(&false);
                if moves { vertices[k] } else { NONE }
            })
        });
        rows.iter_mut().for_each(|rows| rows.found.clear());
        for (c, corners) in corners.iter().enumerate() {
            for (k, v) in corners.iter().enumerate().filter(|(_, v)| **v != NONE) {
                rows[usize::from(domain[*v as usize])].found.push((*v, (4 * c + k) as u32));
            }
        }
        // Per vertex: the row that last had it as a column, and the block there.
        let blank = || vec![(NONE, NONE); domain.len()];
        par::each_heavy_with(rows, blank, |seen, rows| {
            rows.order();
            let Rows { first, terms, starts, columns, shares, .. } = rows;
            // The contact's vertex `k` where it is another than the term's own, else none.
            let other = |term: u32, k: u32| if k == term % 4 { NONE } else { corners[term as usize / 4][k as usize] };
            columns.clear();
            shares.clear();
            for (i, row) in (0..starts.len() - 1).zip(*first..) {
                let begin = columns.len();
                starts[i][1] = begin as u32;
                let terms = &terms[starts[i][0] as usize..starts[i + 1][0] as usize];
                for term in terms {
                    for v in [0, 1, 2, 3].map(|k| other(*term, k)) {
                        if v != NONE && seen[v as usize].0 != row {
                            seen[v as usize].0 = row;
                            columns.push(v);
                        }
                    }
                }
                columns[begin..].sort_unstable();
                for (block, v) in columns.iter().enumerate().skip(begin) {
                    seen[*v as usize].1 = block as u32;
                }
                let block = |v: u32| seen.get(v as usize).map_or(NONE, |(_, block)| *block);
                shares.extend(terms.iter().map(|term| [0, 1, 2, 3].map(|k| block(other(*term, k)))));
            }
            if let Some([_, end]) = starts.last_mut() {
                *end = columns.len() as u32;
            }
        });
    }

    /// Adds forces and stiffness of the contacts that were placed.
    pub fn add<T: Real>(&mut self, of: impl Fn(usize) -> Link + Sync, assembly: &mut Assembly<T>) {
        let Assembly { matrix, force, .. } = assembly;
        // A link is asked for by each of its vertices, out of order.
        self.links.resize(self.corners.len(), Link::default());
        par::fill(&mut self.links, of);
        let links = &self.links;
        let mut pairs: Vec<_> = self.rows.iter_mut().zip(&mut matrix.domains).collect();
        par::each_part(&mut pairs, force, &matrix.starts, &|_, (rows, domain), force| {
            let mut sums = std::mem::take(&mut rows.sums);
            domain.entries.clear();
            domain.entries.reserve(rows.columns.len());
            for (row, force) in force.iter_mut().enumerate() {
                let [from, to] = [rows.starts[row], rows.starts[row + 1]];
                sums.clear();
                sums.resize((to[1] - from[1]) as usize, Mat3::zeros());
                let terms = from[0] as usize..to[0] as usize;
                for (term, shares) in rows.terms[terms.clone()].iter().zip(&rows.shares[terms]) {
                    let Link { weights, force: push, stiffness } = &links[*term as usize / 4];
                    let own = weights[*term as usize % 4];
                    *force += push * own;
                    domain.add(row as u32, &(stiffness * (own * own)));
                    for (share, weight) in shares.iter().zip(weights).filter(|(share, _)| **share != NONE) {
                        sums[(share - from[1]) as usize] += stiffness * (own * weight);
                    }
                }
                let columns = &rows.columns[from[1] as usize..to[1] as usize];
                domain.entries.extend(sums.iter().zip(columns).map(|(sum, column)| Entry {
                    row: rows.first + row as u32,
                    column: *column,
                    block: std::array::from_fn(|e| T::of(sum.as_slice()[e])),
                }));
            }
            rows.sums = sums;
        });
    }
}

impl Rows {
    /// Brings the terms in order of their rows; those of a row stay in order of the contacts.
    fn order(&mut self) {
        let Rows { first, found, terms, starts, .. } = self;
        let row = |v: u32| (v - *first) as usize;
        starts.fill([0; 2]);
        for (v, _) in found.iter() {
            starts[row(*v) + 1][0] += 1;
        }
        for i in 1..starts.len() {
            starts[i][0] += starts[i - 1][0];
        }
        terms.clear();
        terms.resize(found.len(), 0);
        // While a row is filled its start moves on to its end, which is the start of the next.
        for (v, term) in found.iter() {
            let start = &mut starts[row(*v)][0];
            terms[*start as usize] = *term;
            *start += 1;
        }
        for i in (1..starts.len()).rev() {
            starts[i][0] = starts[i - 1][0];
        }
        starts[0][0] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_subdomains_keep_their_numbers() {
        let starts: Vec<usize> = (0..=700).collect();
        let coupling = Coupling::new(&starts);
        assert!(coupling.domain.iter().enumerate().all(|(v, k)| usize::from(*k) == v));
    }
}
