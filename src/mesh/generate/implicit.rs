//! Closed surfaces from a scalar field: surface nets, then better triangles.

use super::relax::{flip_edges, project, smooth};
use crate::linalg::{Vec3, par};
use crate::mesh::TriMesh;
use crate::mesh::topology::Topology;

/// The surface `field = 0` inside the box from `min` to `max` [m] in triangles with edges of about `spacing` [m]; the
/// field is negative inside, the normals point outwards. The surface must stay inside the box, and details below two
/// spacings are lost.
///
/// Surface nets (Gibson 1998): one vertex in each cell that the surface crosses, one quad across each such grid edge;
/// then the vertices are smoothed along the surface and the diagonals flipped until the triangles are well shaped.
pub fn surface(field: impl Fn(Vec3) -> f64 + Sync + Send, min: Vec3, max: Vec3, spacing: f64) -> TriMesh {
    let counts = (max - min).map(|x| (x / spacing).ceil().max(1.0) as usize + 1);
    let (nx, ny, nz) = (counts.x, counts.y, counts.z);
    let at = |i: usize, j: usize, k: usize| (k * ny + j) * nx + i;
    let point = |i: usize, j: usize, k: usize| min + Vec3::new(i as f64, j as f64, k as f64) * spacing;
    let mut values = par::map(nx * ny * nz, |n| field(point(n % nx, n / nx % ny, n / nx / ny)));
    disambiguate(&mut values, [nx, ny, nz]);
    let inside = |n: usize| values[n] < 0.0;

    // One vertex a crossed cell: the mean of the crossings on its edges.
    let mut cell_vertex = vec![u32::MAX; nx * ny * nz];
    let mut positions: Vec<Vec3> = Vec::new();
    for k in 0..nz - 1 {
        for j in 0..ny - 1 {
            for i in 0..nx - 1 {
                let (mut sum, mut crossings) = (Vec3::zeros(), 0.0);
                for axis in 0..3 {
                    for corner in 0..4 {
                        let (u, v) = (corner & 1, corner >> 1);
                        let mut from = [i, j, k];
                        from[(axis + 1) % 3] += u;
                        from[(axis + 2) % 3] += v;
                        let mut to = from;
                        to[axis] += 1;
                        let (a, b) = (at(from[0], from[1], from[2]), at(to[0], to[1], to[2]));
                        if inside(a) != inside(b) {
                            let t = values[a] / (values[a] - values[b]);
                            let (p, q) = (point(from[0], from[1], from[2]), point(to[0], to[1], to[2]));
                            sum += p + (q - p) * t;
                            crossings += 1.0;
                        }
                    }
                }
                if crossings > 0.0 {
                    cell_vertex[at(i, j, k)] = positions.len() as u32;
                    positions.push(sum / crossings);
                }
            }
        }
    }
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for k in 1..nz - 1 {
        for j in 1..ny - 1 {
            for i in 1..nx - 1 {
                for axis in 0..3 {
                    let mut to = [i, j, k];
                    to[axis] += 1;
                    let (a, b) = (at(i, j, k), at(to[0], to[1], to[2]));
                    if inside(a) == inside(b) {
                        continue;
                    }
                    let quad = [[1, 1], [0, 1], [0, 0], [1, 0]].map(|[u, v]: [usize; 2]| {
                        let mut cell = [i, j, k];
                        cell[(axis + 1) % 3] -= u;
                        cell[(axis + 2) % 3] -= v;
                        cell_vertex[at(cell[0], cell[1], cell[2])]
                    });
                    let [p, q, r, s] = if inside(a) { quad } else { [quad[3], quad[2], quad[1], quad[0]] };
                    let length = |a: u32, b: u32| (positions[a as usize] - positions[b as usize]).norm();
                    if length(p, r) <= length(q, s) {
                        triangles.extend([[p, q, r], [p, r, s]]);
                    } else {
                        triangles.extend([[p, q, s], [q, r, s]]);
                    }
                }
            }
        }
    }
    for _ in 0..12 {
        let topology = Topology::new(positions.len(), &triangles);
        for _ in 0..4 {
            smooth(&mut positions, &topology, 0.5, |_, p| project(&field, None, p));
        }
        while flip_edges(&positions, &mut triangles) > 0 {}
    }
    TriMesh { positions, triangles, ..TriMesh::default() }
}

/// Moves grid points that lie barely inside to the outside until no cell and no cell face joins two parts of the surface
/// at a corner only; without this, surface nets are not manifold there. Points only ever leave, so this ends.
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

/// Whether the corners of a cube in `mask` hang together along its edges.
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

/// Whether no face of a cube has its inner corners on a diagonal only.
fn faces_are_plain(mask: u8) -> bool {
    (0..3).all(|axis| {
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        [0, 1 << axis].into_iter().all(|low| {
            let [a, b, c, d] = [low, low | u, low | u | v, low | v].map(|corner: usize| mask >> corner & 1);
            !(a == c && b == d && a != b)
        })
    })
}

/// Union of two fields with a fillet of about `radius` [m] between them (polynomial smooth minimum, Quilez).
pub fn blend(a: f64, b: f64, radius: f64) -> f64 {
    let h = (radius - (a - b).abs()).max(0.0) / radius;
    a.min(b) - 0.25 * h * h * radius
}

/// Field of a ball-ended cone from `a` (radius `ra`) to `b` (radius `rb`): distance to the axis less the radius there.
pub fn cone(p: Vec3, a: Vec3, ra: f64, b: Vec3, rb: f64) -> f64 {
    let axis = b - a;
    let t = ((p - a).dot(&axis) / axis.norm_squared()).clamp(0.0, 1.0);
    (p - a - axis * t).norm() - (ra + (rb - ra) * t)
}

/// Field of an axis-aligned ellipsoid, a distance to first order.
pub fn ellipsoid(p: Vec3, center: Vec3, radii: Vec3) -> f64 {
    let q = p - center;
    let rho = q.component_div(&radii).norm();
    let slope = q.component_div(&radii.component_mul(&radii)).norm();
    if slope < 1e-9 { -radii.min() } else { rho * (rho - 1.0) / slope }
}
