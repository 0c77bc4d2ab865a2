//! Colouring of subdomains: subdomains of one colour are swept at the same time, the colours one after the other.
//!
//! Couplings between different colours take part in the sweeps; couplings within a colour do not. Few subdomains have a
//! single colour. Many have as many colours as it takes to separate coupled subdomains, and no more. The colouring
//! depends on the matrix alone, never on threads.

use super::matrix::{Matrix, Real};
use super::par;

/// Number of colours that a flat arrangement needs.
const FLAT: usize = 4;
/// Maximum number of colours. Stacked layers need two to three times as many as a flat arrangement. All threads wait
/// between two colours.
const MOST: usize = 12;
/// Smallest mean number of subdomains per colour, so that as many threads have work.
const FEWEST: usize = 4;

/// Colouring of the subdomains.
#[derive(Clone, Debug, Default)]
pub(super) struct Colours {
    /// Subdomains, sorted by colour.
    pub order: Vec<usize>,
    /// Offset of each colour: colour `c` has `order[starts[c]..starts[c + 1]]`.
    pub starts: Vec<usize>,
    /// Colour of each subdomain.
    pub of: Vec<usize>,
    /// Position of each subdomain in `order`.
    pub place: Vec<usize>,
    /// Number of blocks that couple two subdomains, row by row.
    couplings: Vec<Vec<u32>>,
    /// Colouring under trial.
    trial: Vec<usize>,
}

impl Colours {
    /// Colours the subdomains of `matrix`. `domain` is the subdomain of each vertex.
    pub(super) fn assign<T: Real>(&mut self, matrix: &Matrix<T>, domain: &[u32]) {
        let Colours { order, starts, of, place, couplings, trial } = self;
        let count = matrix.domains.len();
        couplings.resize(count, Vec::new());
        par::each_heavy(couplings, |k, row| {
            row.clear();
            row.resize(count, 0);
            let moving = matrix.domains[k].entries.iter().map(|e| e.column);
            for column in matrix.domains[k].cross_col.iter().copied().chain(moving) {
                row[domain[column as usize] as usize] += 1;
            }
        });
        let most = (count / FEWEST).clamp(1, MOST);
        let mut least = u32::MAX;
        let mut used = 0;
        for colours in most.min(FLAT)..=most {
            let left = paint(couplings, colours, trial);
            if left < least {
                (least, used) = (left, colours);
                std::mem::swap(of, trial);
            }
            if least == 0 {
                break;
            }
        }
        order.clear();
        starts.clear();
        for colour in 0..used {
            starts.push(order.len());
            order.extend((0..count).filter(|k| of[*k] == colour));
        }
        starts.push(order.len());
        place.resize(count, 0);
        for (at, k) in order.iter().enumerate() {
            place[*k] = at;
        }
    }
}

/// Assigns a colour to each subdomain: the one with the fewest coupling blocks, then with the fewest members. Returns
/// the number of blocks that couple two subdomains of the same colour.
fn paint(couplings: &[Vec<u32>], colours: usize, of: &mut Vec<usize>) -> u32 {
    let mut members = [0; MOST];
    let mut left = 0;
    of.clear();
    for row in couplings {
        let mut within = [0; MOST];
        for (other, blocks) in of.iter().zip(row) {
            within[*other] += blocks;
        }
        let colour = (0..colours).min_by_key(|c| (within[*c], members[*c])).unwrap_or(0);
        members[colour] += 1;
        left += within[colour];
        of.push(colour);
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds layers of a grid of `side` x `side` vertices. Each vertex is a subdomain, coupled to all neighbours in
    /// its own layer and the next.
    fn grid(side: u32, layers: u32) -> (Matrix<f32>, Vec<u32>) {
        let count = side * side * layers;
        let starts: Vec<usize> = (0..=count as usize).collect();
        let at = |v: u32| [v % side, v / side % side, v / (side * side)];
        let near = |a: u32, b: u32| at(a).iter().zip(at(b)).all(|(a, b)| a.abs_diff(b) <= 1);
        let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b))).filter(|(a, b)| near(*a, *b));
        (Matrix::new(&starts, pairs), (0..count).collect())
    }

    #[test]
    fn neighbours_differ_and_colours_are_even() {
        // The four neighbours around a corner all differ in each layer.
        for (layers, needed) in [(1, 4), (2, 8)] {
            let (matrix, domain) = grid(8, layers);
            let mut colours = Colours::default();
            colours.assign(&matrix, &domain);
            for (k, d) in matrix.domains.iter().enumerate() {
                assert!(d.cross_col.iter().all(|c| colours.of[*c as usize] != colours.of[k]));
            }
            let sizes: Vec<usize> = colours.starts.windows(2).map(|w| w[1] - w[0]).collect();
            assert!(
                (needed..=needed + 2).contains(&sizes.len()) && sizes.iter().all(|n| (6..=18).contains(n)),
                "{sizes:?}"
            );
            let mut all = colours.order.clone();
            all.sort_unstable();
            assert!(all.iter().enumerate().all(|(i, k)| i == *k));
        }
    }

    #[test]
    fn few_subdomains_have_few_colours() {
        for (side, expected) in [(1, 1), (2, 1), (3, 2), (4, 4)] {
            let (matrix, domain) = grid(side, 1);
            let mut colours = Colours::default();
            colours.assign(&matrix, &domain);
            assert_eq!(colours.starts.len() - 1, expected);
        }
    }
}
