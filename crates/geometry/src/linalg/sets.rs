//! Disjoint sets of indices, joined pair by pair (union-find).

/// Disjoint sets of the indices from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sets {
    /// Index of the same set, not larger. The smallest index of a set is its own parent.
    parent: Vec<u32>,
    /// Number of sets.
    count: usize,
}

impl Sets {
    /// Creates `size` sets of one index each.
    pub fn new(size: usize) -> Sets {
        Sets { parent: (0..size as u32).collect(), count: size }
    }

    /// Returns the number of sets.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the smallest index of the set of `a`.
    pub fn first(&self, a: u32) -> u32 {
        let mut a = a;
        while self.parent[a as usize] != a {
            a = self.parent[a as usize];
        }
        a
    }

    /// Joins the sets of `a` and `b`.
    pub fn join(&mut self, a: u32, b: u32) {
        let (first, second) = (self.first(a), self.first(b));
        self.count -= usize::from(first != second);
        let first = first.min(second);
        for mut k in [a, b] {
            while self.parent[k as usize] != first {
                let next = self.parent[k as usize];
                self.parent[k as usize] = first;
                k = next;
            }
        }
    }

    /// Returns the set index of each element. Sets are numbered by their smallest element.
    pub fn places(&self) -> Vec<u32> {
        let mut places: Vec<u32> = Vec::with_capacity(self.parent.len());
        let mut next = 0;
        for (k, parent) in (0..).zip(&self.parent) {
            // A smaller parent already has its set index.
            let place = if *parent == k { next } else { places[*parent as usize] };
            next += u32::from(*parent == k);
            places.push(place);
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_joined_by_any_way_is_one_set() {
        let mut sets = Sets::new(7);
        for (a, b) in [(5, 3), (6, 5), (1, 2), (3, 6), (3, 6)] {
            sets.join(a, b);
        }
        assert_eq!(sets.count(), 4);
        assert_eq!(sets.places(), [0, 1, 1, 2, 3, 2, 2]);
        assert_eq!([0, 1, 2, 3, 4, 5, 6].map(|k| sets.first(k)), [0, 1, 1, 3, 4, 3, 3]);
        sets.join(2, 6);
        sets.join(0, 4);
        sets.join(4, 1);
        assert_eq!((sets.count(), sets.places()), (1, vec![0; 7]));
    }
}
