//! Boxes with rounded edges.

use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use std::collections::BTreeMap;
use std::f64::consts::FRAC_PI_4;

/// Radius from which each half of an edge's quarter of a circle has two cells, not one [m].
const ROUND: f64 = 0.011;
/// Ratio of the lengths of adjacent cells near an edge.
const GROWTH: f64 = 3.0;

/// Box with rounded edges.
#[derive(Clone, Copy)]
pub struct Rounded {
    pub center: Vec3,
    /// Half of its sizes [m].
    pub half: Vec3,
    /// Radius of its edges [m].
    pub radius: f64,
    /// Length of the cells in the middle of its faces [m]. They are smaller towards the edges.
    pub edge: f64,
}

/// Makes a closed box whose edges are quarters of cylinders and whose corners are eighths of spheres.
pub fn rounded(shape: Rounded) -> TriMesh {
    let Rounded { center, half, radius, edge } = shape;
    let lines: [Vec<f64>; 3] = [0, 1, 2].map(|k| line(half[k], radius, edge));
    let flat = half - Vec3::repeat(radius);
    let mut mesh = TriMesh::default();
    let mut known: BTreeMap<[usize; 3], u32> = BTreeMap::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in [0, lines[axis].len() - 1] {
            let mut vertex = |i: usize, j: usize| {
                let mut key = [0; 3];
                (key[axis], key[u], key[v]) = (side, i, j);
                *known.entry(key).or_insert_with(|| {
                    let p = Vec3::from_fn(|k, _| lines[k][key[k]]);
                    let inner = p.sup(&-flat).inf(&flat);
                    mesh.positions.push(center + inner + (p - inner).normalize() * radius);
                    (mesh.positions.len() - 1) as u32
                })
            };
            for (i, j) in (0..lines[u].len() - 1).flat_map(|i| (0..lines[v].len() - 1).map(move |j| (i, j))) {
                let [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1), vertex(i, j + 1)];
                let (b, d) = if side == 0 { (d, b) } else { (b, d) };
                // Diagonals run towards the corners, so that eighths of spheres are even.
                if (2 * i < lines[u].len() - 1) == (2 * j < lines[v].len() - 1) {
                    mesh.triangles.extend([[a, b, c], [a, c, d]]);
                } else {
                    mesh.triangles.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
    }
    mesh
}

/// Returns the coordinates of the cells along an axis, from `-half` to `half`. Arcs have equal angles: their cells are
/// those of a cube that is pushed onto a sphere.
fn line(half: f64, radius: f64, edge: f64) -> Vec<f64> {
    let flat = half - radius;
    let cells = if radius < ROUND { 1 } else { 2 };
    let mut flats = vec![0.0];
    let mut cell = radius * FRAC_PI_4 / cells as f64;
    while let Some(last) = flats.last().copied().filter(|last| *last < flat) {
        cell = (GROWTH * cell).min(edge);
        flats.push(last + cell);
    }
    let stretch = flat / flats.last().copied().filter(|last| *last > 0.0).unwrap_or(1.0);
    let arc = |k: usize| half - radius + radius * (FRAC_PI_4 * k as f64 / cells as f64).tan();
    // From the middle of the face out: its flat part from the far end, then the arc.
    let out: Vec<f64> = (flats.iter().rev().map(|x| flat - stretch * x)).chain((1..=cells).map(arc)).collect();
    let back = out.iter().rev().map(|x| -x);
    back.chain(out.iter().skip(1).copied()).collect()
}
