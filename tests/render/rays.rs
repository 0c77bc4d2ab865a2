//! The bounding volume hierarchy compared with brute force.

use crate::meshes::{Mesh, f32s};
use percale::linalg::Vec3;
use percale::linalg::random::Random;
use percale::render::{LANES, NONE, Packet, Tree};

/// Returns all hits in double precision (Moeller & Trumbore 1997): ray parameter, smallest barycentric coordinate,
/// triangle.
fn brute(triangles: &[[[f32; 3]; 3]], origin: [f32; 3], direction: [f32; 3]) -> Vec<(f64, f64, u32)> {
    let v = |p: [f32; 3]| Vec3::from(p.map(f64::from));
    let (o, d) = (v(origin), v(direction));
    let mut hits = Vec::new();
    for (i, t) in triangles.iter().enumerate() {
        let [a, b, c] = t.map(v);
        let (e, f) = (b - a, c - a);
        let p = d.cross(&f);
        let det = e.dot(&p);
        let s = o - a;
        let u = s.dot(&p) / det;
        let q = s.cross(&e);
        let w = d.dot(&q) / det;
        let t = f.dot(&q) / det;
        let inside = u.min(w).min(1.0 - u - w);
        if det != 0.0 && inside > -1e-4 && t > -1e-4 {
            hits.push((t, inside, i as u32));
        }
    }
    hits.sort_by(|a, b| a.0.total_cmp(&b.0));
    hits
}

#[test]
fn rays_agree_with_brute_force() {
    let mut noise = Random::new(7);
    let mut triangles: Vec<[[f32; 3]; 3]> = (0..600)
        .map(|_| {
            let c = noise.vector();
            [0, 1, 2].map(|_| f32s(c + noise.vector() * 0.2))
        })
        .collect();
    // Flat boxes on round coordinates, where rays along the axes run inside box faces.
    for i in 0..8 {
        let x = i as f32 * 0.25 - 1.0;
        triangles.push([[x, -0.5, -0.5], [x, 0.5, -0.5], [x, 0.0, 0.5]]);
        triangles.push([[-0.5, x, -0.5], [0.5, x, -0.5], [0.0, x, 0.5]]);
    }
    let tree = Tree::new(&triangles);
    let (mut hits, mut sure) = (0, 0);
    for round in 0..400 {
        let mut packet = Packet::default();
        let mut rays = Vec::new();
        for lane in 0..LANES {
            let mut direction = f32s(noise.vector().normalize());
            let mut origin = f32s(noise.vector() * 2.0);
            if lane % 4 != 0 {
                // Some directions have one or two components exactly zero (of either sign), with origins on round
                // coordinates.
                direction[lane % 3] = if lane % 2 == 0 { 0.0 } else { -0.0 };
                origin[lane % 3] = (origin[lane % 3] * 4.0).round() / 4.0 + if lane % 8 > 4 { 0.0 } else { 0.013 };
                if lane % 5 == 0 {
                    direction[(lane + 1) % 3] = 0.0;
                }
            }
            packet.set(lane, origin, direction, f32::MAX);
            rays.push((origin, direction));
        }
        let mut shadow = packet.clone();
        tree.nearest(&mut packet);
        tree.blocked(&mut shadow);
        for (lane, (origin, direction)) in rays.into_iter().enumerate() {
            let all = brute(&triangles, origin, direction);
            let clear: Vec<_> = all.iter().filter(|h| h.1 > 1e-4 && h.0 > 1e-4).collect();
            if packet.hit[lane] == NONE {
                assert!(clear.is_empty(), "round {round} lane {lane}: missed {clear:?}");
            } else {
                let t = f64::from(packet.reach[lane]);
                let same = all.iter().any(|h| h.2 == packet.hit[lane] && (h.0 - t).abs() < 1e-3 * (1.0 + t));
                assert!(same, "round {round} lane {lane}: hit {} at {t}, brute force {all:?}", packet.hit[lane]);
                assert!(clear.first().is_none_or(|h| t < h.0 + 1e-3 * (1.0 + t)), "not the nearest");
                hits += 1;
                sure += usize::from(!clear.is_empty());
            }
            assert_eq!(shadow.hit[lane] == NONE, packet.hit[lane] == NONE);
        }
    }
    assert!(hits > 900 && sure > 900, "{hits} {sure}");
}

#[test]
fn no_ray_slips_through_a_closed_surface() {
    let mesh = Mesh::sphere(40, Vec3::zeros(), 1.0);
    let at = |i: u32| f32s(mesh.positions[i as usize]);
    let mut triangles: Vec<[[f32; 3]; 3]> = mesh.triangles.iter().map(|t| t.map(at)).collect();
    // The seam and the poles of the generator coincide only after rounding. Rounding closes them exactly.
    for p in triangles.iter_mut().flatten().flatten() {
        *p = (*p * 4096.0).round() / 4096.0;
    }
    let tree = Tree::new(&triangles);
    let origin = [0.1f32, -0.05, 0.03];
    // Random targets, and points on every edge.
    let mut noise = Random::new(3);
    let mut targets: Vec<[f32; 3]> = (0..20000).map(|_| f32s(noise.vector())).collect();
    for t in &triangles {
        for i in 0..3 {
            for share in [0.5, 0.1, 0.7] {
                targets.push([0, 1, 2].map(|a| t[i][a] + share * (t[(i + 1) % 3][a] - t[i][a])));
            }
        }
    }
    for group in targets.chunks(LANES) {
        let mut packet = Packet::default();
        for (l, p) in group.iter().enumerate() {
            packet.set(l, origin, [0, 1, 2].map(|a| p[a] - origin[a]), f32::MAX);
        }
        tree.nearest(&mut packet);
        for (l, p) in group.iter().enumerate() {
            assert_ne!(packet.hit[l], NONE, "towards {p:?}");
        }
    }
}
