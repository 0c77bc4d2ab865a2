//! Garments: panels sewn along shared vertices, each with its own flat pattern.

use percale::linalg::{Vec2, Vec3, par};
use percale::mesh::TriMesh;

/// A piece of cloth before sewing.
#[derive(Clone, Debug, Default)]
pub(super) struct Panel {
    /// Vertex of the garment for each vertex of the panel. Panels share vertices of the garment along seams.
    pub vertices: Vec<u32>,
    /// Initial guess of the pattern [m]: not mirrored, the grain (warp) upwards.
    pub pattern: Vec<Vec2>,
    /// Triangles, as indices of the panel's vertices.
    pub triangles: Vec<[u32; 3]>,
}

impl Panel {
    /// Makes a panel from rows of vertices of the garment, all of the same length. Cells without all corners are left
    /// out. In the pattern, `signs` give the direction of the columns sideways and of the rows upwards.
    pub fn of_rows(positions: &[Vec3], rows: &[Vec<Option<u32>>], signs: [f64; 2]) -> Self {
        let at = |v: u32| positions[v as usize];
        let mut panel = Self::default();
        let mut local: Vec<Vec<Option<u32>>> = Vec::new();
        let mut height = 0.0;
        for (r, row) in rows.iter().enumerate() {
            if let Some(before) = r.checked_sub(1).and_then(|k| rows.get(k)) {
                let steps: Vec<f64> =
                    before.iter().zip(row).filter_map(|(a, b)| Some((at((*a)?) - at((*b)?)).norm())).collect();
                height += signs[1] * steps.iter().sum::<f64>() / steps.len().max(1) as f64;
            }
            let present: Vec<u32> = row.iter().flatten().copied().collect();
            let length: f64 = present.windows(2).map(|pair| (at(pair[0]) - at(pair[1])).norm()).sum();
            let last = row.len().saturating_sub(1).max(1) as f64;
            let mut ids = Vec::new();
            for (c, vertex) in row.iter().enumerate() {
                ids.push(vertex.map(|v| {
                    panel.vertices.push(v);
                    panel.pattern.push(Vec2::new(signs[0] * length * (c as f64 / last - 0.5), height));
                    (panel.vertices.len() - 1) as u32
                }));
            }
            local.push(ids);
        }
        for (r, pair) in local.windows(2).enumerate() {
            for (c, (low, high)) in pair[0].windows(2).zip(pair[1].windows(2)).enumerate() {
                if let (Some(a), Some(b), Some(c1), Some(d)) = (low[0], low[1], high[1], high[0]) {
                    let [a, b, c1, d] = if signs[0] * signs[1] > 0.0 { [a, b, c1, d] } else { [a, d, c1, b] };
                    if (r + c) % 2 == 0 {
                        panel.triangles.extend([[a, b, c1], [a, c1, d]]);
                    } else {
                        panel.triangles.extend([[a, b, d], [b, c1, d]]);
                    }
                }
            }
        }
        panel
    }
}

/// Sews panels into a mesh. Its chart is the patterns of the panels side by side, each flattened with minimal
/// distortion.
pub(super) fn sew(positions: &[Vec3], panels: &[Panel]) -> TriMesh {
    let mut mesh = TriMesh::default();
    mesh.positions.extend(positions.iter().map(|p| p.map(micrometres)));
    let patterns = par::map_heavy(panels.len(), |i| flatten(positions, &panels[i]));
    let mut right = 0.0;
    for (panel, pattern) in panels.iter().zip(patterns) {
        let first = mesh.uv.len() as u32;
        let min = pattern.iter().fold(Vec2::repeat(f64::MAX), |m, p| m.inf(p));
        let max = pattern.iter().fold(Vec2::repeat(f64::MIN), |m, p| m.sup(p));
        mesh.uv.extend(pattern.iter().map(|p| (p - min + Vec2::new(right, 0.0)).map(micrometres)));
        right += max.x - min.x + 0.05;
        for tri in &panel.triangles {
            mesh.triangles.push(tri.map(|v| panel.vertices[v as usize]));
            mesh.uv_triangles.push(tri.map(|v| v + first));
        }
    }
    mesh
}

/// Rounds to whole micrometres, which keeps files short.
fn micrometres(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}

/// Flattens a panel as rigidly as possible (Liu et al. 2008). Each vertex moves, with momentum, to the average of its
/// positions in its rigidly flattened triangles.
fn flatten(positions: &[Vec3], panel: &Panel) -> Vec<Vec2> {
    // Each triangle flattened into its own plane, about its centre.
    let rest: Vec<[Vec2; 3]> = (panel.triangles.iter())
        .map(|tri| {
            let [a, b, c] = tri.map(|v| positions[panel.vertices[v as usize] as usize]);
            let x = (b - a).normalize();
            let y = (b - a).cross(&(c - a)).cross(&(b - a)).normalize();
            let flat = [Vec2::zeros(), Vec2::new((b - a).norm(), 0.0), Vec2::new((c - a).dot(&x), (c - a).dot(&y))];
            let centre = (flat[0] + flat[1] + flat[2]) / 3.0;
            flat.map(|p| p - centre)
        })
        .collect();
    let mut count = vec![0.0; panel.vertices.len()];
    panel.triangles.iter().flatten().for_each(|v| count[*v as usize] += 1.0);
    let mut now = panel.pattern.clone();
    let mut before = now.clone();
    for _ in 0..1500 {
        let mut sum = vec![Vec2::zeros(); now.len()];
        for (tri, flat) in panel.triangles.iter().zip(&rest) {
            let p = tri.map(|v| now[v as usize]);
            let centre = (p[0] + p[1] + p[2]) / 3.0;
            // The best rotation of the flat triangle onto the current one.
            let (mut cos, mut sin) = (0.0, 0.0);
            for k in 0..3 {
                cos += flat[k].dot(&(p[k] - centre));
                sin += flat[k].perp(&(p[k] - centre));
            }
            let length = cos.hypot(sin).max(1e-300);
            let (cos, sin) = (cos / length, sin / length);
            for k in 0..3 {
                let turned = Vec2::new(cos * flat[k].x - sin * flat[k].y, sin * flat[k].x + cos * flat[k].y);
                sum[tri[k] as usize] += centre + turned;
            }
        }
        let next: Vec<Vec2> = (0..now.len())
            .map(|v| if count[v] > 0.0 { sum[v] / count[v] + (now[v] - before[v]) * 0.95 } else { now[v] })
            .collect();
        before = std::mem::replace(&mut now, next);
    }
    // Rotates the pattern back onto the grain of the initial guess.
    let mean = |p: &[Vec2]| p.iter().sum::<Vec2>() / p.len().max(1) as f64;
    let (centre, target) = (mean(&now), mean(&panel.pattern));
    let (mut cos, mut sin) = (0.0, 0.0);
    for (p, q) in now.iter().zip(&panel.pattern) {
        cos += (p - centre).dot(&(q - target));
        sin += (p - centre).perp(&(q - target));
    }
    let length = cos.hypot(sin).max(1e-300);
    let (cos, sin) = (cos / length, sin / length);
    now.iter()
        .map(|p| {
            let d = p - centre;
            Vec2::new(cos * d.x - sin * d.y, sin * d.x + cos * d.y)
        })
        .collect()
}
