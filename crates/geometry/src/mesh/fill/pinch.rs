//! Removal of surface sites around which the boundary would touch itself.

use super::lattice::{DIRECTIONS, Lattice, Site, stepped};

/// Link of a site: its 14 neighbours are the corners of 24 triangles, one opposite to it in each of its tetrahedra.
pub(super) struct Link {
    /// Offsets from the site to its neighbours.
    neighbours: Vec<Site>,
    triangles: Vec<[usize; 3]>,
    /// Pairs of triangles, with the two corners they share.
    edges: Vec<[usize; 4]>,
}

impl Link {
    pub(super) fn new() -> Self {
        let neighbours: Vec<Site> =
            DIRECTIONS.iter().flat_map(|d| [stepped([0; 3], *d, 1), stepped([0; 3], *d, -1)]).collect();
        let number = |site: Site| neighbours.iter().position(|n| *n == site);
        let mut triangles: Vec<[usize; 3]> = Vec::new();
        for even in (-2..=0).flat_map(|x| (-2..=0).flat_map(move |y| (-2..=0).map(move |z| [x, y, z]))) {
            // The site itself is even here. An odd one has the same link.
            if even.iter().any(|k| k % 2 != 0) {
                continue;
            }
            for tet in Lattice::tetrahedra(even).filter(|tet| tet.contains(&[0; 3])) {
                let others: Vec<usize> = tet.iter().filter_map(|s| number(*s)).collect();
                triangles.extend(<[usize; 3]>::try_from(others).ok());
            }
        }
        let mut edges = Vec::new();
        for t in 0..triangles.len() {
            for s in 0..t {
                let shared: Vec<usize> = triangles[t].iter().copied().filter(|n| triangles[s].contains(n)).collect();
                if let [a, b] = shared[..] {
                    edges.push([s, t, a, b]);
                }
            }
        }
        Self { neighbours, triangles, edges }
    }

    /// Returns whether the tetrahedra that are kept around a surface site are one piece, joined by faces, and so are
    /// the others. The boundary is then a disk there, or the site is inside.
    fn is_plain(&self, signs: &[i8; 14]) -> bool {
        let has = |t: usize, sign: i8| self.triangles[t].iter().any(|n| signs[*n] == sign);
        let pieces = |member: &dyn Fn(usize) -> bool, joins: i8| {
            let mut piece = [usize::MAX; 24];
            let mut count = 0;
            for t in (0..24).filter(|t| member(*t)) {
                piece[t] = t;
                count += 1;
            }
            for [s, t, a, b] in &self.edges {
                let open = signs[*a] == joins || signs[*b] == joins || (signs[*a] == 0 && signs[*b] == 0);
                if open && member(*s) && member(*t) && piece[*s] != piece[*t] {
                    let (from, to) = (piece[*s], piece[*t]);
                    piece.iter_mut().filter(|p| **p == from).for_each(|p| *p = to);
                    count -= 1;
                }
            }
            count
        };
        pieces(&|t| has(t, 1), 1) <= 1 && pieces(&|t| has(t, -1) || !has(t, 1), -1) <= 1
    }
}

/// Moves surface sites around which the boundary would touch itself to the outside, until there are none left. Each
/// boundary edge then has two faces, and each boundary vertex one fan of them. The loop ends because gaps only ever
/// open.
pub(super) fn open(lattice: &Lattice, signs: &mut [i8], on_surface: &[usize]) {
    let link = Link::new();
    let mut again = true;
    while again {
        again = false;
        for index in on_surface {
            if signs[*index] != 0 {
                continue;
            }
            let site = lattice.site(*index);
            let around: [i8; 14] = std::array::from_fn(|n| signs[lattice.index(stepped(site, link.neighbours[n], 1))]);
            if !link.is_plain(&around) {
                signs[*index] = -1;
                again = true;
            }
        }
    }
}
