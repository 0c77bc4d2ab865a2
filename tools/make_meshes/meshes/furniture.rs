//! Furniture of boxes with rounded edges. Every box is closed, and 2 mm or more away from the others.

use super::rounded::{Rounded, rounded};
use percale::linalg::Vec3;
use percale::mesh::TriMesh;

/// Height of feet above the floor [m], which is an obstacle too.
const GLIDE: f64 = 0.003;

/// Piece of furniture. Its objects are told by name, so that a scene gives each its own colour.
#[derive(Default)]
struct Piece(TriMesh);

impl Piece {
    /// Adds a closed surface to an object.
    fn add(&mut self, object: &str, part: TriMesh) {
        let first = self.0.positions.len() as u32;
        self.0.origins.add(Some(object), part.triangles.len());
        self.0.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
        // To a micrometre, which makes the file short.
        self.0.positions.extend(part.positions.iter().map(|p| p.map(|x| (1e6 * x).round() / 1e6)));
    }

    /// Adds a box between two corners to an object.
    fn board(&mut self, object: &str, min: [f64; 3], max: [f64; 3], radius: f64, edge: f64) {
        let (min, max) = (Vec3::from(min), Vec3::from(max));
        self.add(object, rounded(Rounded { center: 0.5 * (min + max), half: 0.5 * (max - min), radius, edge }));
    }

    /// Adds four feet at (±x, ±z), from the glides up to a height. They are `top` [m] wide, below 0.7 of it.
    fn feet(&mut self, object: &str, [x, z]: [f64; 2], height: f64, top: f64) {
        for [x, z] in [[x, z], [x, -z], [-x, z], [-x, -z]] {
            let half = Vec3::new(0.5 * top, 0.5 * (height - GLIDE), 0.5 * top);
            let center = Vec3::new(x, GLIDE + half.y, z);
            let mut foot = rounded(Rounded { center, half, radius: 0.12 * top, edge: height.max(top) / 4.0 });
            for p in &mut foot.positions {
                let width = 0.7 + 0.3 * (p.y - GLIDE) / (height - GLIDE);
                (p.x, p.z) = (x + width * (p.x - x), z + width * (p.z - z));
            }
            self.add(object, foot);
        }
    }
}

/// Bulges a box: each face moves out by up to `by` [m] in its middle, and stays where it is at its edges.
fn bulge(mesh: &mut TriMesh, center: Vec3, half: Vec3, by: Vec3) {
    for p in &mut mesh.positions {
        let q = (*p - center).component_div(&half);
        let flat = q.map(|x| (1.0 - x * x).max(0.0));
        *p += Vec3::new(q.x * by.x * flat.y * flat.z, q.y * by.y * flat.x * flat.z, q.z * by.z * flat.x * flat.y);
    }
}

/// Makes a double bed about the y-axis, its head at -z: the objects `frame` (slats, rails, feet, headboard) and
/// `mattress`, 1.5 m wide and 2 m long, whose top is at 0.39 m.
pub fn bed() -> TriMesh {
    let mut bed = Piece::default();
    bed.board("frame", [-0.74, 0.1, -0.99], [0.74, 0.182, 0.99], 0.012, 0.15);
    bed.feet("frame", [0.66, 0.9], 0.097, 0.08);
    for x in [-0.775, 0.775] {
        bed.board("frame", [x - 0.035, GLIDE, -1.15], [x + 0.035, 1.0, -1.08], 0.015, 0.12);
    }
    let (min, max) = (Vec3::new(-0.737, 0.3, -1.14), Vec3::new(0.737, 0.9, -1.09));
    let (center, half) = (0.5 * (min + max), 0.5 * (max - min));
    let mut panel = rounded(Rounded { center, half, radius: 0.015, edge: 0.1 });
    // The upper edge is an arch.
    for p in &mut panel.positions {
        let (x, y) = (p.x / half.x, (p.y - min.y) / (max.y - min.y));
        p.y += 0.12 * y * (1.0 - x * x).max(0.0);
    }
    bed.add("frame", panel);
    bed.board("mattress", [-0.75, 0.185, -1.0], [0.75, 0.39, 1.0], 0.035, 0.1);
    bed.0
}

/// Makes a square table about the y-axis: a top of 0.9 m with a rounded edge, at 0.75 m, on rails and four legs.
pub fn table() -> TriMesh {
    let mut table = Piece::default();
    table.board("table", [-0.45, 0.722, -0.45], [0.45, 0.75, 0.45], 0.012, 0.06);
    table.feet("table", [0.385, 0.385], 0.719, 0.07);
    for side in [-0.385, 0.385] {
        table.board("table", [-0.347, 0.63, side - 0.012], [0.347, 0.719, side + 0.012], 0.004, 0.12);
        table.board("table", [side - 0.012, 0.63, -0.347], [side + 0.012, 0.719, 0.347], 0.004, 0.12);
    }
    table.0
}

/// Makes a sofa for two about the y-axis that faces +z, 1.74 m wide, its seat at 0.46 m: the objects `frame` (base,
/// back, arms), `cushions` and `feet`.
pub fn sofa() -> TriMesh {
    let mut sofa = Piece::default();
    sofa.feet("feet", [0.78, 0.34], 0.117, 0.06);
    sofa.board("frame", [-0.675, 0.12, -0.255], [0.675, 0.3, 0.4], 0.03, 0.1);
    sofa.board("frame", [-0.87, 0.12, -0.45], [0.87, 0.8, -0.26], 0.07, 0.1);
    for x in [-0.775, 0.775] {
        sofa.board("frame", [x - 0.095, 0.12, -0.255], [x + 0.095, 0.6, 0.41], 0.07, 0.09);
    }
    for x in [-0.335, 0.335] {
        let (center, half) = (Vec3::new(x, 0.375, 0.1), Vec3::new(0.325, 0.07, 0.325));
        let mut seat = rounded(Rounded { center, half, radius: 0.04, edge: 0.06 });
        bulge(&mut seat, center, half, Vec3::new(0.006, 0.0, 0.012));
        for p in seat.positions.iter_mut().filter(|p| p.y > center.y) {
            let q = (*p - center).component_div(&half);
            p.y += 0.022 * q.y * (1.0 - q.x.powi(4)).max(0.0) * (1.0 - q.z.powi(4)).max(0.0);
        }
        sofa.add("cushions", seat);
        let (center, half) = (Vec3::new(x, 0.69, -0.15), Vec3::new(0.325, 0.2, 0.065));
        let mut back = rounded(Rounded { center, half, radius: 0.05, edge: 0.06 });
        bulge(&mut back, center, half, Vec3::new(0.006, 0.02, 0.0));
        for p in &mut back.positions {
            let q = (*p - center).component_div(&half);
            // The front is plump, and the whole leans against the back.
            p.z += 0.03 * q.z.max(0.0) * (1.0 - q.x.powi(2)).max(0.0) * (1.0 - (q.y / 1.1).powi(2)).max(0.0);
            p.z -= 0.035 * q.y - 0.01;
        }
        sofa.add("cushions", back);
    }
    sofa.0
}
