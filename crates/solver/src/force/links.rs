//! Couplings whose vertices change from step to step, as one part of the linear system.
//!
//! Handles, contacts and columns of air provide links. Each subdomain adds them to its own rows, in their order. No two
//! threads write to one place, and the order of summation is fixed. Links that couple the same two vertices share one
//! moving block.

use super::assembly::Assembly;
use crate::linalg::matrix::{Entry, Real};
use crate::linalg::{Mat3, Vec3, par};

/// Force between up to four vertices along one relative displacement.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link {
    /// Weights of the vertices in the displacement.
    pub weights: [f64; 4],
    /// Force at zero relative displacement [N].
    pub force: Vec3,
    /// Decrease of the force with the displacement [N/m].
    pub stiffness: Mat3,
}

/// A list of links.
pub trait Couples: Sync {
    /// Returns the number of links.
    fn count(&self) -> usize;
    /// Writes the vertices and weights of each link. `out` has one entry per link; unused places have zero weight.
    fn corners(&self, out: &mut [([u32; 4], [f64; 4])]);
    /// Writes weights, force and stiffness of each link.
    fn links(&self, out: &mut [Link]);
}

/// Places of links in the system. Storage is kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// Subdomain of each moving vertex.
    domain: Vec<u16>,
    /// Vertices and weights of each link.
    ends: Vec<([u32; 4], [f64; 4])>,
    /// Vertices of each link that are not prescribed, else [`NONE`].
    corners: Vec<[u32; 4]>,
    rows: Vec<Rows>,
    /// Links as evaluated in this step.
    links: Vec<Link>,
}

/// Contribution of links to one subdomain.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// First vertex.
    first: u32,
    /// Pairs of vertex and term, in order of the links.
    asked: Vec<(u32, u32)>,
    /// Terms row by row. A term is four times the link plus the vertex's place in it.
    terms: Vec<u32>,
    blocks: Blocks,
    /// Blocks of the previous placement.
    before: Blocks,
    /// Columns of a row.
    found: Vec<u32>,
    /// Sums of the blocks of a row.
    sums: Vec<Mat3>,
}

/// Moving blocks of one subdomain, in CSR form.
#[derive(Clone, Debug, Default, PartialEq)]
struct Blocks {
    /// Start of each row's terms and of its blocks, plus one entry for the end.
    starts: Vec<[u32; 2]>,
    /// Column of each block, row by row.
    columns: Vec<u32>,
    /// Vertices of each term with which its row has a block, else [`NONE`].
    others: Vec<[u32; 4]>,
    /// Indices of these blocks within the row.
    shares: Vec<[u32; 4]>,
}

/// Marks the absence of a moving block.
const NONE: u32 = u32::MAX;

impl Links {
    /// Returns empty links for subdomains that begin at `starts`.
    pub fn new(starts: &[usize]) -> Links {
        let ranges = starts.windows(2).enumerate();
        let rows = |r: &[usize]| {
            let [blocks, before] = [0; 2].map(|_| Blocks::new(r[1] - r[0]));
            Rows { first: r[0] as u32, blocks, before, ..Rows::default() }
        };
        Links {
            domain: ranges.flat_map(|(k, r)| vec![k as u16; r[1] - r[0]]).collect(),
            rows: starts.windows(2).map(rows).collect(),
            ..Links::default()
        }
    }

    /// Finds the places of all links of the lists. `fixed` marks the moving vertices that are prescribed.
    pub fn place(&mut self, lists: &[&dyn Couples], fixed: &[bool]) {
        let Links { ends, corners, .. } = self;
        ends.resize(lists.iter().map(|list| list.count()).sum(), Default::default());
        each(lists, ends, |list, ends| list.corners(ends));
        corners.resize(ends.len(), [NONE; 4]);
        par::fill(corners, |c| {
            let (vertices, weights) = &ends[c];
            std::array::from_fn(|k| {
                let moves = weights[k] != 0.0 && fixed.get(vertices[k] as usize) == Some(&false);
                if moves { vertices[k] } else { NONE }
            })
        });
        self.find();
    }

    /// Finds the moving blocks of all rows.
    fn find(&mut self) {
        let Links { domain, corners, rows, .. } = self;
        rows.iter_mut().for_each(|rows| rows.asked.clear());
        for (c, corners) in corners.iter().enumerate() {
            for (k, v) in corners.iter().enumerate().filter(|(_, v)| **v != NONE) {
                rows[usize::from(domain[*v as usize])].asked.push((*v, (4 * c + k) as u32));
            }
        }
        par::each_heavy(rows, |_, rows| rows.place(corners));
    }

    /// Adds forces and stiffness of the lists. Places them first if their number has changed since [`Links::place`].
    pub fn add<T: Real>(&mut self, lists: &[&dyn Couples], fixed: &[bool], assembly: &mut Assembly<T>) {
        if self.ends.len() != lists.iter().map(|list| list.count()).sum::<usize>() {
            self.place(lists, fixed);
        }
        let Assembly { matrix, force, .. } = assembly;
        // Every vertex of a link reads it, out of order.
        self.links.resize(self.corners.len(), Link::default());
        each(lists, &mut self.links, |list, links| list.links(links));
        let links = &self.links;
        let mut pairs: Vec<_> = self.rows.iter_mut().zip(&mut matrix.domains).collect();
        par::each_part(&mut pairs, force, &matrix.starts, |_, (rows, domain), force| {
            let Rows { first, terms, blocks, sums, .. } = &mut **rows;
            domain.entries.clear();
            domain.entries.reserve(blocks.columns.len());
            for (row, force) in force.iter_mut().enumerate() {
                let [from, to] = [blocks.starts[row], blocks.starts[row + 1]];
                sums.clear();
                sums.resize((to[1] - from[1]) as usize, Mat3::zeros());
                let own = from[0] as usize..to[0] as usize;
                for (term, shares) in terms[own.clone()].iter().zip(&blocks.shares[own]) {
                    let Link { weights, force: push, stiffness } = &links[*term as usize / 4];
                    let own = weights[*term as usize % 4];
                    *force += push * own;
                    domain.add(row as u32, &(stiffness * (own * own)));
                    for (share, weight) in shares.iter().zip(weights).filter(|(share, _)| **share != NONE) {
                        sums[*share as usize] += stiffness * (own * weight);
                    }
                }
                let columns = &blocks.columns[from[1] as usize..to[1] as usize];
                domain.entries.extend(sums.iter().zip(columns).map(|(sum, column)| Entry {
                    row: *first + row as u32,
                    column: *column,
                    block: std::array::from_fn(|e| T::of(sum.as_slice()[e])),
                }));
            }
        });
    }
}

/// Calls `f` for each list and its part of `all`.
fn each<T>(lists: &[&dyn Couples], mut all: &mut [T], f: impl Fn(&dyn Couples, &mut [T])) {
    for list in lists {
        let (own, rest) = all.split_at_mut(list.count());
        f(*list, own);
        all = rest;
    }
}

impl Rows {
    /// Finds the moving blocks. A row with the same links as before, as most at rest, reuses its blocks.
    fn place(&mut self, corners: &[[u32; 4]]) {
        std::mem::swap(&mut self.blocks, &mut self.before);
        self.order();
        let Rows { first, terms, blocks, before, found, .. } = self;
        let Blocks { starts, columns, others, shares } = blocks;
        columns.clear();
        others.clear();
        shares.clear();
        for (i, row) in (0..starts.len() - 1).zip(*first..) {
            // A block below the diagonal within the subdomain is stored above it.
            let other = |term: u32, k: u32| match corners[term as usize / 4][k as usize] {
                v if k == term % 4 || (*first..row).contains(&v) => NONE,
                v => v,
            };
            let begin = columns.len();
            starts[i][1] = begin as u32;
            let own = starts[i][0] as usize..starts[i + 1][0] as usize;
            others.extend(terms[own.clone()].iter().map(|term| [0, 1, 2, 3].map(|k| other(*term, k))));
            let (old_columns, old_others, old_shares) = before.row(i);
            if *old_others == others[own.clone()] {
                columns.extend_from_slice(old_columns);
                shares.extend_from_slice(old_shares);
                continue;
            }
            found.clear();
            found.extend(others[own.clone()].iter().flatten().filter(|v| **v != NONE));
            found.sort_unstable();
            found.dedup();
            let block = |v: u32| found.binary_search(&v).map_or(NONE, |block| block as u32);
            shares.extend(others[own].iter().map(|others| others.map(block)));
            columns.extend_from_slice(found);
        }
        if let Some([_, end]) = starts.last_mut() {
            *end = columns.len() as u32;
        }
    }

    /// Sorts the terms by row. Within a row they keep the order of the links.
    fn order(&mut self) {
        let Rows { first, asked, terms, blocks, .. } = self;
        let starts = &mut blocks.starts;
        let row = |v: u32| (v - *first) as usize;
        starts.fill([0; 2]);
        for (v, _) in asked.iter() {
            starts[row(*v) + 1][0] += 1;
        }
        for i in 1..starts.len() {
            starts[i][0] += starts[i - 1][0];
        }
        terms.clear();
        terms.resize(asked.len(), 0);
        // While a row is filled, its start moves to its end, which is the start of the next row.
        for (v, term) in asked.iter() {
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

impl Blocks {
    /// Returns empty blocks of this many rows.
    fn new(rows: usize) -> Blocks {
        Blocks { starts: vec![[0; 2]; rows + 1], ..Blocks::default() }
    }

    /// Returns columns, other vertices and block indices of a row.
    fn row(&self, i: usize) -> (&[u32], &[[u32; 4]], &[[u32; 4]]) {
        let [from, to] = [self.starts[i], self.starts[i + 1]].map(|start| start.map(|k| k as usize));
        (&self.columns[from[1]..to[1]], &self.others[from[0]..to[0]], &self.shares[from[0]..to[0]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::random::Random;

    /// Reused rows equal rows found anew, whichever links come and go.
    #[test]
    fn places_do_not_depend_on_those_before() {
        let starts = [0, 5, 9, 14];
        let mut kept = Links::new(&starts);
        let mut random = Random::new(7);
        let mut corners: Vec<[u32; 4]> = Vec::new();
        let (mut blocks, mut reused) = (0, 0);
        for _ in 0..200 {
            // A few links are inserted and removed, anywhere in the order.
            for _ in 0..random.below(3) {
                let at = random.below(corners.len() + 1);
                let first = random.below(4) as u32;
                corners.insert(at, [first, first + 3, first + 6, first + 10]);
            }
            if corners.len() > 12 {
                corners.remove(random.below(corners.len()));
            }
            let mut anew = Links::new(&starts);
            for links in [&mut kept, &mut anew] {
                links.corners = corners.clone();
                links.find();
            }
            for (kept, anew) in kept.rows.iter().zip(&anew.rows) {
                assert_eq!(kept.terms, anew.terms);
                assert_eq!(kept.blocks, anew.blocks);
                reused += usize::from(kept.blocks == kept.before);
                blocks += kept.blocks.columns.len();
                for (i, row) in (0..kept.blocks.starts.len() - 1).zip(kept.first..) {
                    assert!(kept.blocks.row(i).0.iter().all(|column| !(kept.first..=row).contains(column)));
                }
            }
        }
        assert!(blocks > 1000 && reused > 20, "{blocks} {reused}");
    }

    #[test]
    fn many_subdomains_keep_their_numbers() {
        let starts: Vec<usize> = (0..=700).collect();
        let links = Links::new(&starts);
        assert!(links.domain.iter().enumerate().all(|(v, k)| usize::from(*k) == v));
    }
}
