//! A pillow: two squares sewn along their border.

use percale::linalg::{Vec2, Vec3};
use percale::mesh::TriMesh;
use percale::mesh::generate::{Diagonals, sheet};

/// Makes a closed cover of two `size` x `size` [m] squares of `cells` x `cells` (made even) cells, sewn along the
/// border, lying in the xz-plane about the origin and inflated to `height` [m] in the middle. Each square is a panel of
/// its own in the chart; the group `seam` holds the border.
pub fn pillow(size: f64, height: f64, cells: usize) -> TriMesh {
    // An even number of cells puts a diagonal into each corner, so that no triangle has all its corners on the seam.
    let n = 2 * cells.div_ceil(2).max(1) + 1;
    let bulge = move |m: Vec2| {
        let (s, t) = (2.0 * m.x / size - 1.0, 2.0 * m.y / size - 1.0);
        0.5 * height * (1.0 - s * s) * (1.0 - t * t)
    };
    let top =
        sheet(n, n, size, size, Diagonals::Alternating, |m| Vec3::new(m.x - 0.5 * size, bulge(m), 0.5 * size - m.y));
    let mut mesh = top.clone();
    // The lower panel shares the vertices of the border and has mirrored vertices inside.
    let border = |i: usize| [i % n, i / n].iter().any(|k| *k == 0 || *k == n - 1);
    let below: Vec<u32> = (0..n * n)
        .map(|i| {
            if border(i) {
                return i as u32;
            }
            let p = top.positions[i];
            mesh.positions.push(Vec3::new(p.x, -p.y, p.z));
            (mesh.positions.len() - 1) as u32
        })
        .collect();
    let panel = mesh.uv.len() as u32;
    // In the chart, the lower panel lies next to the upper one, seen from its own outside.
    mesh.uv.extend(top.uv.iter().map(|m| Vec2::new(2.1 * size - m.x, m.y)));
    for tri in &top.triangles {
        let [a, b, c] = *tri;
        mesh.triangles.push([a, c, b].map(|v| below[v as usize]));
        mesh.uv_triangles.push([a, c, b].map(|v| v + panel));
    }
    mesh.groups.insert("seam".into(), (0..n * n).filter(|i| border(*i)).map(|i| i as u32).collect());
    mesh
}
