//! A T-shirt of four panels around the mannequin.

use super::fields::{blend, cone};
use super::garment::{Panel, sew};
use super::mannequin::{ELBOW, SHOULDER, tube};
use super::relax::{project, smooth};
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use percale::mesh::topology::Topology;
use std::f64::consts::PI;

/// Number of cells around the body (a multiple of 4).
const COLUMNS: usize = 80;
/// Number of cells up to the armhole, along the armhole, and from there to the neck.
const BODY: usize = 32;
const ARMHOLE: usize = 11;
const SHOULDERS: usize = 8;
/// Half the number of cells along the bottom of an armhole; number of cells around a sleeve and along it.
const UNDERARM: usize = 3;
const SLEEVE_AROUND: usize = 2 * (ARMHOLE + 2 * UNDERARM);
const SLEEVE: usize = 10;
/// Heights of hem and armpit [m], and end of the sleeve as a fraction of the upper arm.
const HEM: f64 = 0.800;
const ARMPIT: f64 = 1.245;
const SLEEVE_END: f64 = 0.82;
/// Cross-sections of the loose body: height, half width, half depth, shift forwards [m].
pub(super) const LOOSE: [[f64; 4]; 7] = [
    [0.600, 0.200, 0.152, -0.014],
    [0.870, 0.193, 0.146, -0.012],
    [1.050, 0.174, 0.136, -0.002],
    [1.220, 0.168, 0.140, 0.008],
    [1.300, 0.164, 0.126, 0.002],
    [1.380, 0.145, 0.090, -0.012],
    [1.460, 0.100, 0.065, -0.020],
];

/// Makes a T-shirt for `mannequin`: front, back and two sleeves, sewn at shoulders, sides, armholes and under the arms.
/// The surface is `over` [m], up to 8 mm, outside the plain shirt, so that it can be worn over it, and touches nothing.
/// Groups: `neck`, `hem`, `sleeve_left`, `sleeve_right` (the open rings).
pub fn tshirt(over: f64) -> TriMesh {
    let layout = Layout::new();
    let mut positions = layout.guess.clone();
    let panels = layout.panels(&positions);
    let triangles: Vec<[u32; 3]> = (panels.iter())
        .flat_map(|panel| panel.triangles.iter().map(|tri| tri.map(|v| panel.vertices[v as usize])))
        .collect();
    let topology = Topology::new(positions.len(), &triangles);
    let planes = layout.planes();
    // The wide shirt starts from the plain one, because a first guess alone would fold at the shoulders.
    let levels: &[f64] = if over > 0.0 { &[0.0, over] } else { &[0.0] };
    for level in levels {
        let surface = |p: Vec3| cloth(p) - level;
        let place = |v: usize, p: Vec3| project(&surface, planes[v], p);
        smooth(&mut positions, &topology, 0.0, place);
        for _ in 0..120 {
            smooth(&mut positions, &topology, 0.6, place);
        }
    }
    let mut mesh = sew(&positions, &layout.panels(&positions));
    for (name, members) in layout.rims() {
        let mut members = members;
        members.sort_unstable();
        mesh.groups.insert(name.into(), members);
    }
    mesh
}

/// Returns the field of the surface that the cloth lies on: loose around body and upper arms, close at the neck.
fn cloth(p: Vec3) -> f64 {
    let p = Vec3::new(p.x.abs(), p.y, p.z);
    let body = -blend(-tube(p, &LOOSE), 1.400 - p.y, 0.05);
    let yoke = cone(p, Vec3::new(0.02, 1.410, -0.018), 0.070, SHOULDER, 0.054);
    let neck = cone(p, Vec3::new(0.0, 1.380, -0.022), 0.070, Vec3::new(0.0, 1.620, 0.022), 0.064);
    // The sleeve continues beyond its hem, so that its end is open.
    let end = SHOULDER + (ELBOW - SHOULDER) * 1.3;
    let sleeve = cone(p, SHOULDER, 0.062, end, 0.068);
    blend(blend(blend(body, yoke, 0.05), sleeve, 0.05), neck, 0.04)
}

/// Returns the plane of the neckline, lower in front, as unit normal and offset.
fn neckline() -> (Vec3, f64) {
    let normal = Vec3::new(0.0, 1.0, 0.45);
    (normal / normal.norm(), 1.455 / normal.norm())
}

/// Vertices of the garment by row and column, and their initial positions.
struct Layout {
    guess: Vec<Vec3>,
    /// Vertex at each row and column; `None` inside the armholes.
    body: Vec<[Option<u32>; COLUMNS]>,
    /// Rings of the left and of the right sleeve; the first is the armhole. Each ring starts under the arm and runs up
    /// in front.
    sleeves: [Vec<Vec<u32>>; 2],
}

impl Layout {
    fn new() -> Self {
        let rows = BODY + ARMHOLE + SHOULDERS;
        let mut layout = Self { guess: Vec::new(), body: Vec::new(), sleeves: [Vec::new(), Vec::new()] };
        for row in 0..=rows {
            let mut ring = [None; COLUMNS];
            for (column, slot) in ring.iter_mut().enumerate() {
                let from_side = column.min(COLUMNS - column).min(column.abs_diff(COLUMNS / 2));
                if !(row > BODY && row < BODY + ARMHOLE && from_side < UNDERARM) {
                    *slot = Some(layout.guess.len() as u32);
                    layout.guess.push(Self::body_guess(row, column));
                }
            }
            layout.body.push(ring);
        }
        for (side, sign) in [(0, 1), (1, -1)] {
            layout.add_sleeve(side, sign);
        }
        layout
    }

    fn body_guess(row: usize, column: usize) -> Vec3 {
        let angle = 2.0 * PI * column as f64 / COLUMNS as f64;
        let part = |from: usize, cells: usize| ((row as f64 - from as f64) / cells as f64).clamp(0.0, 1.0);
        let (body, hole, shoulder) = (part(0, BODY), part(BODY, ARMHOLE), part(BODY + ARMHOLE, SHOULDERS));
        let y = HEM + (ARMPIT - HEM) * body + 0.140 * hole + 0.045 * shoulder;
        let [width, depth, shift] = super::mannequin::section(y, &LOOSE);
        let (width, depth) = (width.max(0.17 * hole), depth);
        let narrow = |wide: f64| wide + (0.080 - wide) * shoulder;
        Vec3::new(narrow(width) * angle.cos(), y, shift + narrow(depth) * angle.sin())
    }

    fn add_sleeve(&mut self, side: usize, sign: isize) {
        let middle = if sign > 0 { 0 } else { COLUMNS as isize / 2 };
        let (w, low, high) = (UNDERARM as isize, BODY, BODY + ARMHOLE);
        let mut loop_places: Vec<(usize, isize)> = Vec::new();
        loop_places.extend((0..w).map(|c| (low, c)));
        loop_places.extend((low..high).map(|r| (r, w)));
        loop_places.extend((0..2 * w).map(|c| (high, w - c)));
        loop_places.extend((0..ARMHOLE).map(|r| (high - r, -w)));
        loop_places.extend((0..w).map(|c| (low, c - w)));
        let columns = COLUMNS as isize;
        let armhole = (loop_places.iter())
            .filter_map(|&(row, c)| self.body[row][(middle + sign * c).rem_euclid(columns) as usize])
            .collect::<Vec<u32>>();
        let mirror = Vec3::new(sign as f64, 1.0, 1.0);
        let along = (ELBOW - SHOULDER).normalize();
        // Directions from the arm towards the armpit, and forwards.
        let inwards = (-Vec3::x() + along * along.x).normalize();
        let forwards = (Vec3::z() - along * along.z).normalize();
        let mut rings = vec![armhole];
        for k in 1..=SLEEVE {
            let t = 0.15 + (SLEEVE_END - 0.15) * k as f64 / SLEEVE as f64;
            let ring = (0..SLEEVE_AROUND).map(|m| {
                let angle = 2.0 * PI * m as f64 / SLEEVE_AROUND as f64;
                let p = SHOULDER + (ELBOW - SHOULDER) * t + (inwards * angle.cos() + forwards * angle.sin()) * 0.066;
                self.guess.push(p.component_mul(&mirror));
                (self.guess.len() - 1) as u32
            });
            rings.push(ring.collect());
        }
        self.sleeves[side] = rings;
    }

    /// Returns the open rings by name.
    fn rims(&self) -> [(&'static str, Vec<u32>); 4] {
        let ring = |row: usize| self.body[row].iter().flatten().copied().collect();
        let last = |side: usize| self.sleeves[side][SLEEVE].clone();
        [
            ("neck", ring(BODY + ARMHOLE + SHOULDERS)),
            ("hem", ring(0)),
            ("sleeve_left", last(0)),
            ("sleeve_right", last(1)),
        ]
    }

    /// Returns the plane of each vertex on an open ring.
    fn planes(&self) -> Vec<Option<(Vec3, f64)>> {
        let along = (ELBOW - SHOULDER).normalize();
        let end = SHOULDER + (ELBOW - SHOULDER) * SLEEVE_END;
        let sleeve = |sign: f64| {
            let mirror = Vec3::new(sign, 1.0, 1.0);
            (along.component_mul(&mirror), along.dot(&end))
        };
        let mut planes = vec![None; self.guess.len()];
        for ((_, ring), plane) in self.rims().iter().zip([neckline(), (Vec3::y(), HEM), sleeve(1.0), sleeve(-1.0)]) {
            for &v in ring {
                planes[v as usize] = Some(plane);
            }
        }
        planes
    }

    /// Makes the panels front, back, left and right sleeve for the given positions.
    fn panels(&self, positions: &[Vec3]) -> Vec<Panel> {
        let half = COLUMNS / 2;
        let mut panels = Vec::new();
        for first in [0, half] {
            let rows: Vec<Vec<Option<u32>>> =
                (self.body.iter()).map(|row| (0..=half).map(|i| row[(first + i) % COLUMNS]).collect()).collect();
            panels.push(Panel::of_rows(positions, &rows, [-1.0, 1.0]));
        }
        for (rings, sign) in self.sleeves.iter().zip([1.0, -1.0]) {
            let rows: Vec<Vec<Option<u32>>> = (rings.iter())
                .map(|ring| (0..=SLEEVE_AROUND).map(|m| ring.get(m % SLEEVE_AROUND).copied()).collect())
                .collect();
            panels.push(Panel::of_rows(positions, &rows, [sign, -1.0]));
        }
        panels
    }
}
