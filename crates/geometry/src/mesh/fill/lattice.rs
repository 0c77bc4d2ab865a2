//! Body-centred cubic lattice: sites, edges, tetrahedra.

use crate::linalg::Vec3;

/// Lattice point in half cells. Its three coordinates are all even or all odd.
pub(super) type Site = [i64; 3];

/// Directions of the lattice lines. Along the first three, consecutive sites are one cell apart (long edges), along the
/// others `sqrt(3) / 2` cells (short edges).
pub(super) const DIRECTIONS: [Site; 7] =
    [[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 1, 1], [1, 1, -1], [1, -1, 1], [1, -1, -1]];

/// Fractions of a long and of a short edge. An end nearer than this to a cut is moved to the cut. Found by search for
/// good [`ANGLES`](super::ANGLES). Both are below a half, so one end is moved at most.
pub(super) const NEAR: [f64; 2] = [0.28, 0.40];

/// Margin around the surface, in cells.
const MARGIN: i64 = 2;

/// Block of the lattice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    /// Position of the site `[0, 0, 0]` [m].
    origin: Vec3,
    /// Half of the cell size [m].
    pub half: f64,
    /// Numbers of even sites along each axis. There are as many odd sites.
    counts: [usize; 3],
}

/// Lattice edge: eight times the index of its lower end, plus one to seven for its direction.
pub(super) type Edge = u64;

/// Returns the index of the lower end of an edge and the index of its direction.
pub(super) fn parts(edge: Edge) -> (usize, usize) {
    ((edge / 8) as usize, (edge % 8) as usize - 1)
}

/// Returns [`NEAR`] for the edges of a direction.
pub(super) fn near(direction: usize) -> f64 {
    NEAR[usize::from(direction >= 3)]
}

/// Returns `site + step * direction`.
pub(super) fn stepped(site: Site, direction: Site, step: i64) -> Site {
    [0, 1, 2].map(|k| site[k] + step * direction[k])
}

impl Lattice {
    /// Makes the block around the box from `min` to `max` [m], with cells of `size` [m]. `min` is a site. Flat sides a
    /// whole number of cells long are thereby met exactly.
    pub(super) fn new(min: &Vec3, max: &Vec3, size: f64) -> Self {
        let counts = (max - min).map(|x| (x / size).ceil() as usize + 1 + 2 * MARGIN as usize);
        Self { origin: min - Vec3::repeat(MARGIN as f64 * size), half: 0.5 * size, counts: counts.into() }
    }

    /// Returns the number of sites in the block around a box of `extent` [m], as a float that cannot overflow.
    pub(super) fn sites(extent: &Vec3, size: f64) -> f64 {
        2.0 * extent.iter().map(|x| (x / size).ceil() + 1.0 + 2.0 * MARGIN as f64).product::<f64>()
    }

    /// Returns the number of sites.
    pub(super) fn len(&self) -> usize {
        2 * self.counts.iter().product::<usize>()
    }

    /// Returns the index of a site of the block.
    pub(super) fn index(&self, [x, y, z]: Site) -> usize {
        (z as usize * self.counts[1] + (y >> 1) as usize) * self.counts[0] + (x >> 1) as usize
    }

    /// Returns the site of an index.
    pub(super) fn site(&self, index: usize) -> Site {
        let [nx, ny, _] = self.counts;
        let z = index / (nx * ny);
        [2 * (index % nx) + z % 2, 2 * (index / nx % ny) + z % 2, z].map(|k| k as i64)
    }

    /// Returns whether a site is at least one cell away from the border of the block. All its neighbours are then in
    /// the block.
    pub(super) fn is_within(&self, site: Site) -> bool {
        let last = [0, 1, 2].map(|k| 2 * (self.counts[k] as i64 - 1));
        (0..3).all(|k| (2..=last[k] - 2).contains(&site[k]))
    }

    /// Returns the position of a site [m].
    pub(super) fn position(&self, site: Site) -> Vec3 {
        self.origin + Vec3::from(site.map(|k| k as f64)) * self.half
    }

    /// Returns the coordinates of a point [m] in half cells.
    pub(super) fn coordinates(&self, point: &Vec3) -> Vec3 {
        (point - self.origin) / self.half
    }

    /// Returns the point at the fraction `at` of an edge from its lower end [m].
    pub(super) fn along(&self, edge: Edge, at: f64) -> Vec3 {
        let (lower, direction) = parts(edge);
        self.position(self.site(lower)) + Vec3::from(DIRECTIONS[direction].map(|k| k as f64)) * (at * self.half)
    }

    /// Returns the two ends of an edge, the lower one first.
    pub(super) fn ends(&self, edge: Edge) -> [usize; 2] {
        let (lower, direction) = parts(edge);
        [lower, self.index(stepped(self.site(lower), DIRECTIONS[direction], 1))]
    }

    /// Returns the edge between two neighbouring sites.
    pub(super) fn edge(&self, a: Site, b: Site) -> Edge {
        let d = [0, 1, 2].map(|k| b[k] - a[k]);
        // The first nonzero component of every direction is positive.
        let (lower, d) = if d < [0; 3] { (b, d.map(|k| -k)) } else { (a, d) };
        let direction = match d {
            [2, ..] => 0,
            [0, 2, _] => 1,
            [0, ..] => 2,
            [_, y, z] => 3 + usize::from(y < 0) * 2 + usize::from(z < 0),
        };
        (8 * self.index(lower) + 1 + direction) as Edge
    }

    /// Returns the twelve tetrahedra at the three long edges that go upwards from an even site, each of positive
    /// volume. Over all even sites they fill space once. Each has one edge between even sites and one between odd ones.
    pub(super) fn tetrahedra(site: Site) -> impl Iterator<Item = [Site; 4]> {
        (0..12).map(move |n| {
            let (axis, quarter) = (n / 4, n % 4);
            let upper = stepped(site, DIRECTIONS[axis], 1);
            let around = |quarter: usize| {
                let mut odd = site;
                odd[axis] += 1;
                odd[(axis + 1) % 3] += [1, -1, -1, 1][quarter % 4];
                odd[(axis + 2) % 3] += [1, 1, -1, -1][quarter % 4];
                odd
            };
            [site, upper, around(quarter), around(quarter + 1)]
        })
    }

    /// Returns the cubic cell that contains a point [m].
    pub(super) fn cell(&self, point: &Vec3) -> [i64; 3] {
        self.coordinates(point).map(|x| (0.5 * x).floor() as i64).into()
    }

    /// Returns the index of a cubic cell, if it is in the block.
    pub(super) fn cell_index(&self, cell: [i64; 3]) -> Option<usize> {
        let [x, y, z] = [0, 1, 2].map(|k| usize::try_from(cell[k]).ok().filter(|c| *c < self.counts[k]));
        Some((z? * self.counts[1] + y?) * self.counts[0] + x?)
    }
}
