//! Closed surfaces from a scalar field: surface nets, then improvement of the triangles.

use super::relax::{project, smooth};
use percale::linalg::{Vec3, par};
use percale::mesh::TriMesh;
use percale::mesh::generate::flip_edges;
use percale::mesh::topology::Topology;

/// Meshes the surface `field = 0` inside the box from `min` to `max` [m] in triangles with edges of about `spacing`
/// [m]. The field is negative inside; the normals point outwards. The surface must stay inside the box, and details
/// below two spacings are lost.
///
/// Surface nets (Gibson 1998): a vertex in each cell that the surface crosses, a quad across each grid edge that it
/// crosses. Then the vertices are smoothed along the surface and the diagonals flipped until the triangles are well
/// shaped.
pub fn surface(field: impl Fn(Vec3) -> f64 + Sync + Send, min: Vec3, max: Vec3, spacing: f64) -> TriMesh {
    let counts: [usize; 3] = (max - min).map(|x| (x / spacing).ceil().max(1.0) as usize + 1).into();
    let mut grid = Grid { counts, min, spacing, values: Vec::new() };
    let [nx, ny, nz] = counts;
    grid.values = par::map(nx * ny * nz, |n| field(grid.point([n % nx, n / nx % ny, n / nx / ny])));
    disambiguate(&mut grid.values, counts);
    let (cell_vertex, mut positions) = grid.vertices();
    let mut triangles = grid.triangles(&cell_vertex, &positions);
    for _ in 0..12 {
        let topology = Topology::new(positions.len(), &triangles);
        for _ in 0..4 {
            smooth(&mut positions, &topology, 0.5, |_, p| project(&field, None, p));
        }
        while flip_edges(&positions, &mut triangles) > 0 {}
    }
    TriMesh { positions, triangles, ..TriMesh::default() }
}

/// Samples of a field on a grid.
struct Grid {
    /// Points along each axis.
    counts: [usize; 3],
    min: Vec3,
    spacing: f64,
    /// Field at each point; x varies fastest.
    values: Vec<f64>,
}

impl Grid {
    fn at(&self, [i, j, k]: [usize; 3]) -> usize {
        (k * self.counts[1] + j) * self.counts[0] + i
    }

    fn point(&self, [i, j, k]: [usize; 3]) -> Vec3 {
        self.min + Vec3::new(i as f64, j as f64, k as f64) * self.spacing
    }

    fn is_inside(&self, n: usize) -> bool {
        self.values[n] < 0.0
    }

    /// Iterates over grid points from index `first` on each axis, without the last of each axis.
    fn points(&self, first: usize) -> impl Iterator<Item = [usize; 3]> {
        let [x, y, z] = self.counts.map(|n| first..n - 1);
        z.flat_map(move |k| {
            let x = x.clone();
            y.clone().flat_map(move |j| x.clone().map(move |i| [i, j, k]))
        })
    }

    /// Returns the vertex of each cell, and the positions. Each crossed cell has a vertex at the mean of the crossings
    /// on its edges.
    fn vertices(&self) -> (Vec<u32>, Vec<Vec3>) {
        let mut cell_vertex = vec![u32::MAX; self.values.len()];
        let mut positions: Vec<Vec3> = Vec::new();
        for cell in self.points(0) {
            if let Some(middle) = self.middle(cell) {
                cell_vertex[self.at(cell)] = positions.len() as u32;
                positions.push(middle);
            }
        }
        (cell_vertex, positions)
    }

    /// Returns the mean of the crossings on the edges of a cell.
    fn middle(&self, cell: [usize; 3]) -> Option<Vec3> {
        let (mut sum, mut crossings) = (Vec3::zeros(), 0.0);
        for (axis, corner) in (0..3).flat_map(|axis| (0..4).map(move |corner| (axis, corner))) {
            let (u, v) = (corner & 1, corner >> 1);
            let mut from = cell;
            from[(axis + 1) % 3] += u;
            from[(axis + 2) % 3] += v;
            let mut to = from;
            to[axis] += 1;
            let (a, b) = (self.at(from), self.at(to));
            if self.is_inside(a) != self.is_inside(b) {
                let t = self.values[a] / (self.values[a] - self.values[b]);
                let (p, q) = (self.point(from), self.point(to));
                sum += p + (q - p) * t;
                crossings += 1.0;
            }
        }
        (crossings > 0.0).then(|| sum / crossings)
    }

    /// Makes two triangles across each grid edge that the surface crosses, split along the shorter diagonal.
    fn triangles(&self, cell_vertex: &[u32], positions: &[Vec3]) -> Vec<[u32; 3]> {
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        for (from, axis) in self.points(1).flat_map(|from| (0..3).map(move |axis| (from, axis))) {
            let mut to = from;
            to[axis] += 1;
            let (a, b) = (self.at(from), self.at(to));
            if self.is_inside(a) == self.is_inside(b) {
                continue;
            }
            let quad = [[1, 1], [0, 1], [0, 0], [1, 0]].map(|[u, v]: [usize; 2]| {
                let mut cell = from;
                cell[(axis + 1) % 3] -= u;
                cell[(axis + 2) % 3] -= v;
                cell_vertex[self.at(cell)]
            });
            let [p, q, r, s] = if self.is_inside(a) { quad } else { [quad[3], quad[2], quad[1], quad[0]] };
            let length = |a: u32, b: u32| (positions[a as usize] - positions[b as usize]).norm();
            if length(p, r) <= length(q, s) {
                triangles.extend([[p, q, r], [p, r, s]]);
            } else {
                triangles.extend([[p, q, s], [q, r, s]]);
            }
        }
        triangles
    }
}

/// Moves grid points that lie barely inside to the outside, until no cell and no cell face joins two parts of the
/// surface at a corner only. Surface nets would not be manifold there. Points only leave, so the loop ends.
fn disambiguate(values: &mut [f64], [nx, ny, nz]: [usize; 3]) {
    let strides = [1, nx, nx * ny];
    let corner = |cell: usize, c: usize| cell + (0..3).map(|k| (c >> k & 1) * strides[k]).sum::<usize>();
    let mut changed = true;
    while changed {
        changed = false;
        for n in 0..nx * ny * nz {
            if n % nx + 1 == nx || n / nx % ny + 1 == ny || n / nx / ny + 1 == nz {
                continue;
            }
            let mask = (0..8).filter(|c| values[corner(n, *c)] < 0.0).fold(0u8, |m, c| m | 1 << c);
            if mask == 0 || mask == 255 || (connected(mask) && connected(!mask) && faces_are_plain(mask)) {
                continue;
            }
            let inside = (0..8).filter(|c| mask >> c & 1 == 1).map(|c| corner(n, c));
            if let Some(shallow) = inside.max_by(|a, b| values[*a].total_cmp(&values[*b])) {
                values[shallow] = f64::MIN_POSITIVE;
                changed = true;
            }
        }
    }
}

/// Returns whether the corners of a cube in `mask` are connected along its edges.
fn connected(mask: u8) -> bool {
    let mut reached = mask & mask.wrapping_neg();
    loop {
        // Neighbours along the three axes differ in one bit of the corner's number.
        let grown = mask
            & (reached
                | (reached & 0x55) << 1
                | (reached & 0xAA) >> 1
                | (reached & 0x33) << 2
                | (reached & 0xCC) >> 2
                | reached << 4
                | reached >> 4);
        if grown == reached {
            return reached == mask;
        }
        reached = grown;
    }
}

/// Returns whether no face of a cube has its inner corners on a diagonal only.
fn faces_are_plain(mask: u8) -> bool {
    (0..3).all(|axis| {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        [0, 1 << axis].into_iter().all(|low| {
            let [a, b, c, d] = [low, low | u, low | u | v, low | v].map(|corner: usize| mask >> corner & 1);
            !(a == c && b == d && a != b)
        })
    })
}
