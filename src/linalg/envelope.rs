//! Cholesky factors of a small sparse matrix within its envelope, in reverse Cuthill-McKee order.

/// Pattern and factor: `P A P^T = L L^T`, row `i` of `L` kept from its first entry to the diagonal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Envelope {
    /// Place of each unknown in the order of elimination.
    place: Vec<u32>,
    /// First column of each row.
    first: Vec<u32>,
    /// Where the rows begin in `values`, one more than there are rows.
    starts: Vec<usize>,
    values: Vec<f64>,
}

impl Envelope {
    /// For `size` unknowns, coupled by `pairs` (any order, repeated).
    pub fn new(size: usize, pairs: impl Iterator<Item = [u32; 2]>) -> Envelope {
        let mut near: Vec<Vec<u32>> = vec![Vec::new(); size];
        for [a, b] in pairs.filter(|[a, b]| a != b) {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        for list in &mut near {
            list.sort_unstable();
            list.dedup();
        }
        let degree = |v: u32| near[v as usize].len();
        // Breadth first from an unknown of least degree, neighbours by degree; the reverse of that order.
        let mut order: Vec<u32> = Vec::with_capacity(size);
        let mut seen = vec![false; size];
        let mut roots: Vec<u32> = (0..size as u32).collect();
        roots.sort_by_key(|v| degree(*v));
        for root in roots {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let mut next = order.len();
            order.push(root);
            while next < order.len() {
                let begin = order.len();
                for w in &near[order[next] as usize] {
                    if !std::mem::replace(&mut seen[*w as usize], true) {
                        order.push(*w);
                    }
                }
                order[begin..].sort_by_key(|v| degree(*v));
                next += 1;
            }
        }
        let mut place = vec![0; size];
        for (k, v) in order.iter().rev().enumerate() {
            place[*v as usize] = k as u32;
        }
        let mut first: Vec<u32> = (0..size as u32).collect();
        for (v, list) in near.iter().enumerate() {
            let row = place[v] as usize;
            first[row] = list.iter().map(|w| place[*w as usize]).fold(first[row], u32::min);
        }
        let mut starts = vec![0];
        for (row, first) in first.iter().enumerate() {
            starts.push(starts[row] + row + 1 - *first as usize);
        }
        let values = vec![0.0; starts[size]];
        Envelope { place, first, starts, values }
    }

    /// The number one, factored.
    pub fn one() -> Envelope {
        Envelope { place: vec![0], first: vec![0], starts: vec![0, 1], values: vec![1.0] }
    }

    /// Removes the values.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Adds to the entry of two unknowns that are coupled, or of one.
    pub fn add(&mut self, a: u32, b: u32, value: f64) {
        let (p, q) = (self.place[a as usize], self.place[b as usize]);
        let (row, column) = (p.max(q) as usize, p.min(q));
        self.values[self.starts[row] + (column - self.first[row]) as usize] += value;
    }

    /// Factors what was added, in place. False where it is not positive definite.
    pub fn factor(&mut self) -> bool {
        let Envelope { first, starts, values, .. } = self;
        for i in 0..first.len() {
            let (done, rest) = values.split_at_mut(starts[i]);
            let row = &mut rest[..starts[i + 1] - starts[i]];
            let from = first[i] as usize;
            for j in from..=i {
                let begin = from.max(first[j] as usize);
                let sum: f64 = if j == i {
                    row[..i - from].iter().map(|v| v * v).sum()
                } else {
                    let other = &done[starts[j] + begin - first[j] as usize..starts[j + 1] - 1];
                    row[begin - from..j - from].iter().zip(other).map(|(a, b)| a * b).sum()
                };
                let left = row[j - from] - sum;
                row[j - from] = if j < i { left / done[starts[j + 1] - 1] } else { left.sqrt() };
            }
            if !(row[i - from] > 0.0 && row[i - from].is_finite()) {
                return false;
            }
        }
        true
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.place.len()
    }

    /// Solves in place; `scratch` has room for all unknowns.
    pub fn solve(&self, x: &mut [f64], scratch: &mut [f64]) {
        let Envelope { place, first, starts, values } = self;
        for (p, x) in place.iter().zip(&*x) {
            scratch[*p as usize] = *x;
        }
        for i in 0..first.len() {
            let row = &values[starts[i]..starts[i + 1]];
            let (known, own) = scratch.split_at_mut(i);
            let sum: f64 = row.iter().zip(&known[first[i] as usize..]).map(|(a, b)| a * b).sum();
            own[0] = (own[0] - sum) / row[row.len() - 1];
        }
        for i in (0..first.len()).rev() {
            let row = &values[starts[i]..starts[i + 1]];
            let (rest, own) = scratch.split_at_mut(i);
            own[0] /= row[row.len() - 1];
            for (x, value) in rest[first[i] as usize..].iter_mut().zip(row) {
                *x -= value * own[0];
            }
        }
        for (p, x) in place.iter().zip(x) {
            *x = scratch[*p as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_grids_and_what_is_in_pieces() {
        let side = 9u32;
        let n = (side * side + 3) as usize;
        let across = (0..side * side).filter(|v| v % side + 1 < side).map(|v| [v, v + 1]);
        let along = (0..side * (side - 1)).map(|v| [v + side, v]);
        let pairs: Vec<[u32; 2]> = across.chain(along).chain([[side * side, side * side + 1]]).collect();
        let mut envelope = Envelope::new(n, pairs.iter().copied());
        // A grid numbered along its rows has rows of nine; the order must not be worse by much.
        assert!(envelope.values.len() < n * 12, "{}", envelope.values.len());
        for round in 0..2 {
            envelope.clear();
            let weight = |k: usize| 1.0 + (k + round) as f64 % 5.0;
            let diagonal = |v: usize| 0.1 + v as f64 % 3.0;
            (0..n).for_each(|v| envelope.add(v as u32, v as u32, diagonal(v)));
            for (k, [a, b]) in pairs.iter().enumerate() {
                envelope.add(*a, *a, weight(k));
                envelope.add(*b, *b, weight(k));
                envelope.add(*a, *b, -weight(k));
            }
            assert!(envelope.factor());
            let wanted: Vec<f64> = (0..n).map(|v| (v as f64 * 0.7).sin()).collect();
            let mut x: Vec<f64> = (0..n).map(|v| diagonal(v) * wanted[v]).collect();
            for (k, [a, b]) in pairs.iter().enumerate() {
                let flow = weight(k) * (wanted[*a as usize] - wanted[*b as usize]);
                x[*a as usize] += flow;
                x[*b as usize] -= flow;
            }
            envelope.solve(&mut x, &mut vec![0.0; n]);
            assert!(x.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 1e-12));
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_told() {
        let mut envelope = Envelope::new(2, [[0, 1]].into_iter());
        envelope.add(0, 0, 1.0);
        envelope.add(1, 1, 1.0);
        envelope.add(1, 0, 1.0);
        assert!(!envelope.factor());
    }
}
