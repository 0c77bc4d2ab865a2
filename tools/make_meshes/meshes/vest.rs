//! The padding of a down vest around the mannequin.

use super::mannequin::{section, without_arms};
use super::relax::{project, smooth};
use super::tshirt::LOOSE;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use percale::mesh::generate::flip_edges;
use percale::mesh::topology::Topology;
use std::f64::consts::PI;

/// Number of cells around the body (a multiple of 4).
const COLUMNS: usize = 48;
/// Number of cells up to the armhole, along the armhole, and from there to the collar.
const BODY: usize = 21;
const ARMHOLE: usize = 10;
const SHOULDERS: usize = 5;
const ROWS: usize = BODY + ARMHOLE + SHOULDERS;
/// Half the number of cells along the bottom of an armhole.
const UNDERARM: usize = 3;
/// Number of cells between two seams of the quilting.
const TUBE: usize = 4;
/// Height of the hem [m].
const HEM: f64 = 0.900;
/// Distance from the skin, and thickness at a seam and between two seams [m].
const GAP: f64 = 0.010;
pub(super) const THICKNESS: [f64; 2] = [0.028, 0.033];
/// Rounding of hem, collar and armholes [m].
const RIM: f64 = 0.008;
/// Makes the surface of the padding of a vest for `mannequin`: a quilted wall 28 to 33 mm thick, 1 cm off the skin,
/// open at hem, collar and armholes, with a closed surface. Groups: `inner` (the side to the mannequin) and `outer`
/// (the rest).
pub fn vest() -> TriMesh {
    let layout = Layout::new();
    let count = layout.guess.len();
    let topology = Topology::new(count, &layout.triangles);
    // The middle of the wall is smoothed first; both sides are derived from it.
    let mut middle = layout.guess.clone();
    let surface = |p: Vec3| without_arms(p) - GAP - THICKNESS[1] / 2.0;
    let place = |v: usize, p: Vec3| project(&surface, layout.planes[v], p);
    smooth(&mut middle, &topology, 0.0, place);
    for _ in 0..150 {
        smooth(&mut middle, &topology, 0.6, place);
    }
    let side = |depth: &(dyn Fn(usize) -> f64 + Sync)| {
        let at = |v: usize, p: Vec3| project(&|p: Vec3| without_arms(p) - GAP - depth(v), None, p);
        let start: Vec<Vec3> = (0..count).map(|v| at(v, middle[v])).collect();
        let (mut x, mut triangles) = (start.clone(), layout.triangles.clone());
        // Vertices converge where a side is concave. The rims stay in place.
        for _ in 0..12 {
            let topology = Topology::new(count, &triangles);
            for _ in 0..4 {
                smooth(&mut x, &topology, 0.5, |v, p| if layout.planes[v].is_some() { start[v] } else { at(v, p) });
            }
            while flip_edges(&x, &mut triangles) > 0 {}
        }
        (x, triangles)
    };
    let ((inner, facing), (outer, away)) = (side(&|_| 0.0), side(&|v| layout.thickness[v]));
    let first = count as u32;
    let mut mesh = TriMesh { positions: [inner, outer].concat(), ..TriMesh::default() };
    mesh.triangles.extend(facing.iter().map(|[a, b, c]| [*a, *c, *b]));
    mesh.triangles.extend(away.iter().map(|t| t.map(|v| v + first)));
    close(&mut mesh, &topology, &layout);
    mesh.positions.iter_mut().for_each(|p| *p = p.map(|x| (x * 1e6).round() / 1e6));
    mesh.groups.insert("inner".into(), (0..first).collect());
    mesh.groups.insert("outer".into(), (first..mesh.positions.len() as u32).collect());
    mesh
}

/// Joins the rims of both sides over a ring of vertices between them, which is moved outwards.
fn close(mesh: &mut TriMesh, topology: &Topology, layout: &Layout) {
    let first = layout.guess.len() as u32;
    let mut ring = vec![None; layout.guess.len()];
    for (v, slot) in ring.iter_mut().enumerate() {
        if let Some((normal, _)) = layout.planes[v] {
            *slot = Some(mesh.positions.len() as u32);
            let (p, q) = (mesh.positions[v], mesh.positions[v + layout.guess.len()]);
            let through = (q - p).normalize();
            let out = (normal - through * through.dot(&normal)).normalize();
            mesh.positions.push((p + q) / 2.0 + out * RIM);
        }
    }
    for t in &layout.triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            let edge = topology.edges.binary_search(&[a.min(b), a.max(b)]);
            let border = edge.is_ok_and(|e| topology.edge_valence[e] == 1);
            let (true, Some(p), Some(q)) = (border, ring[a as usize], ring[b as usize]) else { continue };
            let (c, d) = (a + first, b + first);
            mesh.triangles.extend([[d, c, p], [d, p, q], [q, p, a], [q, a, b]]);
        }
    }
}

/// Vertices of either side by row and column.
struct Layout {
    /// Initial positions.
    guess: Vec<Vec3>,
    /// Thickness of the wall at each vertex [m].
    thickness: Vec<f64>,
    /// Plane of each rim vertex: unit normal away from the vest, and offset.
    planes: Vec<Option<(Vec3, f64)>>,
    /// Triangles as seen from outside.
    triangles: Vec<[u32; 3]>,
}

impl Layout {
    fn new() -> Layout {
        let mut layout = Layout { guess: Vec::new(), thickness: Vec::new(), planes: Vec::new(), triangles: Vec::new() };
        let mut grid = vec![[None; COLUMNS]; ROWS + 1];
        for (row, ring) in grid.iter_mut().enumerate() {
            for (column, slot) in ring.iter_mut().enumerate() {
                let from_side = column.min(COLUMNS - column).min(column.abs_diff(COLUMNS / 2));
                if row > BODY && row < BODY + ARMHOLE && from_side < UNDERARM {
                    continue;
                }
                let hole = (BODY..=BODY + ARMHOLE).contains(&row) && from_side <= UNDERARM;
                let side = if column.min(COLUMNS - column) <= UNDERARM { 1.0 } else { -1.0 };
                *slot = Some(layout.guess.len() as u32);
                layout.guess.push(guess(row, column));
                let between = 0.5 - 0.5 * (2.0 * PI * row as f64 / TUBE as f64).cos();
                layout.thickness.push(THICKNESS[0] + (THICKNESS[1] - THICKNESS[0]) * between);
                layout.planes.push(match row {
                    0 => Some((-Vec3::y(), -HEM)),
                    ROWS => Some(collar()),
                    _ => hole.then(|| armhole(side)),
                });
            }
        }
        for row in 0..ROWS {
            for column in 0..COLUMNS {
                let next = (column + 1) % COLUMNS;
                let corners = [grid[row][column], grid[row][next], grid[row + 1][next], grid[row + 1][column]];
                let [Some(a), Some(b), Some(c), Some(d)] = corners else { continue };
                if (row + column) % 2 == 0 {
                    layout.triangles.extend([[a, c, b], [a, d, c]]);
                } else {
                    layout.triangles.extend([[a, d, b], [b, d, c]]);
                }
            }
        }
        layout
    }
}

fn guess(row: usize, column: usize) -> Vec3 {
    let angle = 2.0 * PI * column as f64 / COLUMNS as f64;
    let part = |from: usize, cells: usize| ((row as f64 - from as f64) / cells as f64).clamp(0.0, 1.0);
    let (body, hole, shoulder) = (part(0, BODY), part(BODY, ARMHOLE), part(BODY + ARMHOLE, SHOULDERS));
    let y = HEM + (1.250 - HEM) * body + 0.140 * hole + 0.055 * shoulder;
    let [width, depth, shift] = section(y, &LOOSE);
    let narrow = |wide: f64| wide + (0.085 - wide) * shoulder;
    Vec3::new(narrow(width) * angle.cos(), y, shift + narrow(depth) * angle.sin())
}

/// Returns the plane of the collar's edge, lower in front.
fn collar() -> (Vec3, f64) {
    let normal = Vec3::new(0.0, 1.0, 0.45);
    (normal / normal.norm(), 1.462 / normal.norm())
}

/// Returns the plane of an armhole: from the armpit up and in to the shoulder.
fn armhole(side: f64) -> (Vec3, f64) {
    let (armpit, shoulder) = (Vec3::new(0.154, 1.250, 0.0), Vec3::new(0.138, 1.430, 0.0));
    let along = shoulder - armpit;
    let normal = Vec3::new(along.y, -along.x, 0.0).normalize();
    (normal.component_mul(&Vec3::new(side, 1.0, 1.0)), normal.dot(&armpit))
}
