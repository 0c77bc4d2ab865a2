//! Rectangular sheets with a chart in metres.

use super::flip::flip_edges;
use crate::linalg::{Vec2, Vec3};
use crate::mesh::TriMesh;

/// Diagonals of the cells of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagonals {
    /// Alternating from cell to cell (cross pattern). No direction of the sheet is preferred.
    Alternating,
    /// All in one direction.
    Aligned,
}

/// Makes a sheet of `columns` x `rows` vertices over `width` x `height` [m], at least 2 x 2. `place` maps material
/// coordinates, (0, 0) to (`width`, `height`), into space. Material coordinates are also the chart. Vertices are row by
/// row from (0, 0).
pub fn sheet(
    columns: usize,
    rows: usize,
    width: f64,
    height: f64,
    diagonals: Diagonals,
    place: impl Fn(Vec2) -> Vec3,
) -> TriMesh {
    let (columns, rows) = (columns.max(2), rows.max(2));
    let uv: Vec<Vec2> = (0..columns * rows)
        .map(|i| {
            let (column, row) = (i % columns, i / columns);
            Vec2::new(width * column as f64 / (columns - 1) as f64, height * row as f64 / (rows - 1) as f64)
        })
        .collect();
    let mut triangles = Vec::with_capacity(2 * (columns - 1) * (rows - 1));
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let a = (row * columns + column) as u32;
            let (b, c, d) = (a + 1, a + 1 + columns as u32, a + columns as u32);
            if diagonals == Diagonals::Aligned || (row + column) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    charted(uv, triangles, place)
}

/// Makes a sheet of nearly equilateral triangles with edges of about `edge` [m], over `width` x `height` [m].
pub fn equilateral_sheet(width: f64, height: f64, edge: f64, place: impl Fn(Vec2) -> Vec3) -> TriMesh {
    let columns = (width / edge).round().clamp(1.0, 4096.0) as usize;
    let rows = (height / (edge * 0.75f64.sqrt())).round().clamp(1.0, 4096.0) as usize;
    let step = width / columns as f64;
    let mut uv = Vec::new();
    let mut starts = Vec::new();
    for row in 0..=rows {
        let v = height * row as f64 / rows as f64;
        starts.push(uv.len());
        if row % 2 == 0 {
            uv.extend((0..=columns).map(|i| Vec2::new(step * i as f64, v)));
        } else {
            uv.push(Vec2::new(0.0, v));
            uv.extend((0..columns).map(|i| Vec2::new(step * (i as f64 + 0.5), v)));
            uv.push(Vec2::new(width, v));
        }
    }
    starts.push(uv.len());
    let mut triangles = Vec::new();
    for row in starts.windows(3) {
        // Walks along both rows, always across the shorter diagonal.
        let (mut a, mut b) = (row[0], row[1]);
        while a + 1 < row[1] || b + 1 < row[2] {
            let shorter = || (uv[a + 1].x - uv[b].x).abs() <= (uv[b + 1].x - uv[a].x).abs();
            if b + 1 == row[2] || (a + 1 < row[1] && shorter()) {
                triangles.push([a as u32, a as u32 + 1, b as u32]);
                a += 1;
            } else {
                triangles.push([a as u32, b as u32 + 1, b as u32]);
                b += 1;
            }
        }
    }
    charted(uv, triangles, place)
}

/// Makes a sheet whose vertices are shifted at random by up to 0.3 of a cell. Border vertices stay on the border. The
/// triangles are Delaunay in material coordinates. Such sheets serve to study the dependence on the mesh. The same
/// `seed` gives the same sheet.
pub fn random_sheet(
    columns: usize,
    rows: usize,
    width: f64,
    height: f64,
    seed: u64,
    place: impl Fn(Vec2) -> Vec3,
) -> TriMesh {
    let (columns, rows) = (columns.max(2), rows.max(2));
    let flat = sheet(columns, rows, width, height, Diagonals::Alternating, |m| Vec3::new(m.x, m.y, 0.0));
    let cell = Vec2::new(width / (columns - 1) as f64, height / (rows - 1) as f64);
    // xorshift64* (Vigna 2016).
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut shift = || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        0.6 * ((state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64 - 0.5)
    };
    let mut positions = flat.positions;
    for (i, p) in positions.iter_mut().enumerate() {
        let (column, row) = (i % columns, i / columns);
        let (dx, dy) = (shift() * cell.x, shift() * cell.y);
        if column > 0 && column + 1 < columns {
            p.x += dx;
        }
        if row > 0 && row + 1 < rows {
            p.y += dy;
        }
    }
    let mut triangles = flat.triangles;
    while flip_edges(&positions, &mut triangles) > 0 {}
    charted(positions.iter().map(|p| p.xy()).collect(), triangles, place)
}

fn charted(uv: Vec<Vec2>, triangles: Vec<[u32; 3]>, place: impl Fn(Vec2) -> Vec3) -> TriMesh {
    TriMesh {
        positions: uv.iter().map(|m| place(*m)).collect(),
        uv_triangles: triangles.clone(),
        uv,
        triangles,
        ..TriMesh::default()
    }
}

/// Returns the map of material coordinates into the xz-plane about the origin, with normal +y, for [`sheet`].
pub fn lying(width: f64, height: f64) -> impl Fn(Vec2) -> Vec3 {
    move |m| Vec3::new(m.x - 0.5 * width, 0.0, 0.5 * height - m.y)
}

/// Returns the map of material coordinates into the xy-plane from (0, 0) up, with normal +z, for [`sheet`].
pub fn hanging() -> impl Fn(Vec2) -> Vec3 {
    |m| Vec3::new(m.x, m.y, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::check::check;
    use crate::mesh::topology::Topology;

    /// Asserts that a mesh is a sound disc of the right area with normals along `normal`. Returns its smallest triangle
    /// area.
    fn assert_sheet(mesh: &TriMesh, area: f64, normal: Vec3) -> f64 {
        assert_eq!(check(mesh), []);
        let t = Topology::new(mesh.positions.len(), &mesh.triangles);
        assert_eq!(mesh.positions.len() + mesh.triangles.len(), t.edges.len() + 1, "Euler characteristic of a disc");
        let (mut sum, mut chart, mut smallest) = (0.0, 0.0, f64::INFINITY);
        for (tri, uv) in mesh.triangles.iter().zip(&mesh.uv_triangles) {
            let [a, b, c] = tri.map(|v| mesh.positions[v as usize]);
            let [p, q, r] = uv.map(|v| mesh.uv[v as usize]);
            let part = 0.5 * (b - a).cross(&(c - a)).dot(&normal);
            smallest = smallest.min(part);
            sum += part;
            chart += 0.5 * (q - p).perp(&(r - p));
        }
        assert!(smallest > 0.0);
        assert!((sum - area).abs() < 1e-12 && (chart - area).abs() < 1e-12);
        smallest
    }

    #[test]
    fn sheets_have_their_area_and_normal() {
        for diagonals in [Diagonals::Alternating, Diagonals::Aligned] {
            let mesh = sheet(7, 4, 1.5, 0.5, diagonals, lying(1.5, 0.5));
            assert_eq!((mesh.positions.len(), mesh.triangles.len()), (28, 36));
            assert_sheet(&mesh, 0.75, Vec3::y());
        }
        let mesh = sheet(5, 5, 1.0, 1.0, Diagonals::Alternating, hanging());
        assert_sheet(&mesh, 1.0, Vec3::z());
    }

    #[test]
    fn equilateral_triangles_are_nearly_so() {
        let mesh = equilateral_sheet(1.0, 1.0, 0.05, hanging());
        assert_sheet(&mesh, 1.0, Vec3::z());
        let longest = super::super::longest_edge(&mesh);
        assert!(longest < 0.05 * 1.15, "{longest}");
    }

    #[test]
    fn a_random_sheet_is_delaunay_and_repeats() {
        let mesh = random_sheet(20, 20, 1.0, 1.0, 7, lying(1.0, 1.0));
        let smallest = assert_sheet(&mesh, 1.0, Vec3::y());
        assert!(smallest > 1e-5, "{smallest}");
        assert_eq!(mesh, random_sheet(20, 20, 1.0, 1.0, 7, lying(1.0, 1.0)));
        assert_ne!(mesh, random_sheet(20, 20, 1.0, 1.0, 8, lying(1.0, 1.0)));
        for hinge in Topology::new(400, &mesh.triangles).hinges {
            let [a, b, c, d] = hinge.vertices.map(|v| mesh.positions[v as usize]);
            let opposite = (a - c).angle(&(b - c)) + (a - d).angle(&(b - d));
            assert!(opposite < std::f64::consts::PI + 1e-9);
        }
    }
}
