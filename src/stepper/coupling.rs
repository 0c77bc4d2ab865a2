//! Contacts' part of the linear system, by subdomain.
//!
//! Each subdomain adds what contacts say in its own rows, in order of the contacts: no two threads write one place and the order
//! of summation is fixed. Contacts that couple the same two vertices share one moving block.

use super::Step;
use super::touch::Element;
use crate::force::assembly::Assembly;
use crate::linalg::matrix::{Entry, Real};
use crate::linalg::{Mat3, par};

/// Places of contacts in the system; storage kept from step to step.
#[derive(Clone, Debug, Default)]
pub struct Coupling {
    /// Subdomain of each moving vertex.
    domain: Vec<u8>,
    rows: Vec<Rows>,
    /// Where the moving blocks of each subdomain begin, one more than there are subdomains.
    starts: Vec<usize>,
}

/// What contacts add to one subdomain.
#[derive(Clone, Debug, Default)]
struct Rows {
    /// Vertex (upper half), and four times the contact plus the vertex's place in it; sorted.
    terms: Vec<u64>,
    /// Row by row: column (upper half), and four times the term plus the column's place in the contact; sorted.
    shares: Vec<u64>,
    /// Vertex of each row, and where its shares end.
    ends: Vec<(u32, u32)>,
    /// Different rows and columns among the shares.
    blocks: usize,
}

/// Both halves of a number.
fn halves(both: u64) -> (u32, u32) {
    ((both >> 32) as u32, both as u32)
}

fn whole(upper: u32, lower: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}

impl Coupling {
    /// For subdomains `starts`.
    pub fn new(starts: &[usize]) -> Coupling {
        let ranges = starts.windows(2).enumerate();
        Coupling {
            domain: ranges.flat_map(|(k, r)| vec![k as u8; r[1] - r[0]]).collect(),
            rows: vec![Rows::default(); starts.windows(2).len()],
            starts: Vec::new(),
        }
    }

    /// Finds the places of all contacts.
    pub fn place(&mut self, contacts: &[Element], step: &Step) {
        let Coupling { domain, rows, starts } = self;
        let free = |v: u32| step.fixed.get(v as usize) == Some(&false);
        rows.iter_mut().for_each(|rows| rows.terms.clear());
        for (c, contact) in contacts.iter().enumerate() {
            for (k, v) in contact.vertices.into_iter().enumerate() {
                if contact.weights[k] != 0.0 && free(v) {
                    rows[usize::from(domain[v as usize])].terms.push(whole(v, (4 * c + k) as u32));
                }
            }
        }
        par::each_heavy(rows, |_, Rows { terms, shares, ends, blocks }| {
            terms.sort_unstable();
            shares.clear();
            ends.clear();
            *blocks = 0;
            for row in terms.chunk_by(|a, b| halves(*a).0 == halves(*b).0) {
                let first = shares.len();
                let v = halves(row[0]).0;
                for (_, term) in row.iter().map(|both| halves(*both)) {
                    let contact = &contacts[term as usize / 4];
                    for (k, column) in contact.vertices.into_iter().enumerate() {
                        if column != v && contact.weights[k] != 0.0 && free(column) {
                            shares.push(whole(column, 4 * term + k as u32));
                        }
                    }
                }
                shares[first..].sort_unstable();
                *blocks += shares[first..].chunk_by(|a, b| halves(*a).0 == halves(*b).0).count();
                ends.push((v, shares.len() as u32));
            }
        });
        starts.clear();
        starts.push(0);
        for rows in rows.iter() {
            starts.push(starts[starts.len() - 1] + rows.blocks);
        }
    }

    /// Adds forces and stiffness of the contacts that were placed.
    pub fn add<T: Real>(&mut self, contacts: &[Element], assembly: &mut Assembly<T>) {
        let Coupling { rows, starts, .. } = self;
        let Assembly { matrix, force, .. } = assembly;
        par::each_part(&mut matrix.domains, force, &matrix.starts, &|k, domain, force| {
            for (v, term) in rows[k].terms.iter().map(|both| halves(*both)) {
                let Element { contact, linear, weights, .. } = &contacts[term as usize / 4];
                let (row, weight) = (v as usize - domain.first, weights[term as usize % 4]);
                force[row] += linear.force * weight;
                domain.add(row as u32, &(contact.stiffness(linear) * (weight * weight)));
            }
        });
        let none = Entry { row: 0, column: 0, block: [T::default(); 9] };
        matrix.entries.resize(starts[starts.len() - 1], none);
        par::each_part(rows, &mut matrix.entries, starts, &|_, rows, entries| {
            let (mut entries, mut first) = (entries.iter_mut(), 0);
            for (row, end) in &rows.ends {
                let shares = &rows.shares[std::mem::replace(&mut first, *end as usize)..*end as usize];
                let blocks = shares.chunk_by(|a, b| halves(*a).0 == halves(*b).0);
                for (shares, entry) in blocks.zip(entries.by_ref()) {
                    let mut sum = Mat3::zeros();
                    for (_, share) in shares.iter().map(|both| halves(*both)) {
                        let [k, i, j] = [share / 16, share / 4 % 4, share % 4].map(|k| k as usize);
                        let Element { contact, linear, weights, .. } = &contacts[k];
                        sum += contact.stiffness(linear) * (weights[i] * weights[j]);
                    }
                    (entry.row, entry.column) = (*row, halves(shares[0]).0);
                    for (value, sum) in entry.block.iter_mut().zip(sum.as_slice()) {
                        *value = T::of(*sum);
                    }
                }
            }
        });
    }
}
