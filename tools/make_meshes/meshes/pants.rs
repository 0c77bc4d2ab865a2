//! Trousers for a figure whose hips, thighs and shins are capsules (scenes/knee.toml).

use super::fields::{blend, cone};
use super::surface::surface;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;

/// Half length of the hips' axis, and radius of the hips [m].
const HIPS: [f64; 2] = [0.07, 0.105];
/// Hip joint, knee and ankle of the left leg, at +x [m].
const LEG: [Vec3; 3] = [Vec3::new(0.085, 0.93, 0.0), Vec3::new(0.105, 0.5, 0.0), Vec3::new(0.12, 0.1, 0.0)];
/// Radii of thigh and shin [m].
const RADII: [f64; 2] = [0.072, 0.055];
/// Distance of the cloth from the figure [m].
const GAP: f64 = 0.014;
/// Heights of hem and waist [m].
const ENDS: [f64; 2] = [0.14, 1.0];

/// Makes trousers around the figure, open at the waist and at both ankles. Edges are about `spacing` [m] long. Groups:
/// `waist`, `ankle_left`, `ankle_right`.
pub fn pants(spacing: f64) -> TriMesh {
    let figure = |p: Vec3| {
        let p = Vec3::new(p.x.abs(), p.y, p.z);
        let thigh = cone(p, LEG[0], RADII[0], LEG[1], RADII[0]);
        let shin = cone(p, LEG[1], RADII[1], LEG[2] - Vec3::y() * 0.2, RADII[1]);
        let hips = cone(p, Vec3::new(0.0, 0.98, 0.0), HIPS[1], Vec3::new(HIPS[0], 0.98, 0.0), HIPS[1]);
        blend(blend(thigh, shin, 0.04), hips, 0.05) - GAP
    };
    let mut mesh = surface(figure, Vec3::new(-0.4, -0.2, -0.25), Vec3::new(0.4, 1.2, 0.25), spacing);
    cut(&mut mesh, spacing);
    mesh
}

/// Cuts the mesh at the ends. Vertices near an end move onto it; triangles beyond it are removed.
fn cut(mesh: &mut TriMesh, spacing: f64) {
    for p in &mut mesh.positions {
        for end in ENDS {
            if (p.y - end).abs() < 0.5 * spacing {
                p.y = end;
            }
        }
    }
    let inside = |v: &u32| (ENDS[0]..=ENDS[1]).contains(&mesh.positions[*v as usize].y);
    mesh.triangles.retain(|t| t.iter().all(inside));
    let mut place = vec![u32::MAX; mesh.positions.len()];
    let mut kept = Vec::new();
    for v in mesh.triangles.iter_mut().flatten() {
        let new = &mut place[*v as usize];
        if *new == u32::MAX {
            *new = kept.len() as u32;
            kept.push(mesh.positions[*v as usize].map(|x| (x * 1e6).round() / 1e6));
        }
        *v = *new;
    }
    mesh.positions = kept;
    let mut edge = std::collections::BTreeMap::new();
    for t in &mesh.triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            *edge.entry((a.min(b), a.max(b))).or_insert(0) += 1;
        }
    }
    let mut border: Vec<u32> = edge.into_iter().filter(|(_, n)| *n == 1).flat_map(|((a, b), _)| [a, b]).collect();
    border.sort_unstable();
    border.dedup();
    let part = |wanted: &dyn Fn(&Vec3) -> bool| -> Vec<u32> {
        border.iter().copied().filter(|v| wanted(&mesh.positions[*v as usize])).collect()
    };
    let groups = [
        ("waist", part(&|p| p.y > 0.5)),
        ("ankle_left", part(&|p| p.y < 0.5 && p.x > 0.0)),
        ("ankle_right", part(&|p| p.y < 0.5 && p.x < 0.0)),
    ];
    mesh.groups.extend(groups.map(|(name, vertices)| (name.to_string(), vertices)));
}
