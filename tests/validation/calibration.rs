//! Bending energy of cylinders.

use crate::common::{Cut, close, cloth, cut, input};
use percale::force::assembly::pick;
use percale::force::bending::Bending;
use percale::linalg::{Vec2, Vec3};
use percale::world::build::build;

const ALL: [Cut; 4] = [Cut::Aligned, Cut::Alternating, Cut::Equilateral, Cut::Random];

#[test]
fn tensor() {
    for kind in ALL {
        let n = 40;
        let mut c = cloth(cut(kind, n, n, 1.0, 1.0, |m| Vec3::new(m.x, 0.0, m.y)), 1.0);
        c.sheet.bending = Bending::Constant(1.0);
        let (world, _) = build(input(Vec3::zeros(), c));
        let rest = &world.rest;
        let sheet = &world.elements.sheets[0];
        let inner = |p: &Vec3| p.x > 0.1062 && p.x < 0.9063 && p.z > 0.1062 && p.z < 0.9063;
        let area: f64 = world
            .elements
            .triangles
            .iter()
            .map(|t| {
                let p = pick(rest, &t.vertices);
                let c = (p[0] + p[1] + p[2]) / 3.0;
                if inner(&c) { t.area } else { 0.0 }
            })
            .sum();
        let energy = |a: f64, b: f64, c: f64| {
            let x: Vec<Vec3> = rest
                .iter()
                .map(|p| {
                    let q = Vec2::new(p.x - 0.5, p.z - 0.5);
                    Vec3::new(p.x, 1e-4 * 0.5 * (a * q.x * q.x + b * q.y * q.y + 2.0 * c * q.x * q.y), p.z)
                })
                .collect();
            let e: f64 = world
                .elements
                .hinges
                .iter()
                .map(|h| {
                    let p = pick(rest, &h.vertices);
                    if inner(&((p[0] + p[1]) / 2.0)) { h.energy(&sheet.bending, &pick(&x, &h.vertices)) } else { 0.0 }
                })
                .sum();
            2.0 * e / area / 1e-8
        };
        let (d11, d22, d66) = (energy(1., 0., 0.), energy(0., 1., 0.), energy(0., 0., 1.));
        let d12 = (energy(1., 1., 0.) - d11 - d22) / 2.0;
        let d16 = (energy(1., 0., 1.) - d11 - d66) / 2.0;
        let d26 = (energy(0., 1., 1.) - d22 - d66) / 2.0;
        println!("{kind:?}: D11 {d11:.4} D22 {d22:.4} D66 {d66:.4} D12 {d12:.4} D16 {d16:.4} D26 {d26:.4}");
        // narrow strip along x: minimise over b, c
        let det = d22 * d66 - d26 * d26;
        let (b, c) = (-(d12 * d66 - d16 * d26) / det, -(d22 * d16 - d26 * d12) / det);
        println!("  narrow {:.4}, only twist free {:.4}", energy(1., b, c), d11 - d16 * d16 / d66);
        print!("  by direction:");
        for k in 0..16 {
            let f = k as f64 * std::f64::consts::PI / 16.0;
            let (s, c) = f.sin_cos();
            print!(" {:.3}", energy(c * c, s * s, s * c));
        }
        println!();
        println!("  c: {:?}", {
            let mut m = std::collections::BTreeMap::new();
            for h in &world.elements.hinges {
                let p = pick(rest, &h.vertices);
                let e = (p[1] - p[0]).norm();
                let key = ((h.direction / std::f64::consts::PI * 8.0 + 0.5) as usize) % 8;
                m.entry(key).or_insert((h.shape / (h.curvature * e), 0)).1 += 1;
            }
            m
        });
    }
    close("x", 1.0, 1.0, 0.1);
}
