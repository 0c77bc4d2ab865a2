//! Random numbers and random meshes.

#[path = "../../tools/make_meshes/meshes/pillow.rs"]
mod pillow;

use percale::linalg::{Rotation, Vec2, Vec3};
use percale::mesh::TriMesh;
use percale::mesh::generate::{
    Diagonals, capsule, cuboid, equilateral_sheet, lying, plane, random_sheet, sheet, sphere,
};
use std::f64::consts::{PI, TAU};

/// Random numbers by splitmix64 (Steele, Lea & Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Draws uniformly from [low, high).
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * ((self.bits() >> 11) as f64 / (1u64 << 53) as f64)
    }

    /// Draws log-uniformly.
    pub fn size(&mut self, low: f64, high: f64) -> f64 {
        self.real(low.ln(), high.ln()).exp()
    }

    /// Draws uniformly from low..=high.
    pub fn whole(&mut self, low: usize, high: usize) -> usize {
        low + (self.bits() % (high - low + 1) as u64) as usize
    }

    pub fn chance(&mut self, part: f64) -> bool {
        self.real(0.0, 1.0) < part
    }

    /// Draws a unit vector, uniformly over the sphere.
    pub fn direction(&mut self) -> Vec3 {
        let (z, angle) = (self.real(-1.0, 1.0), self.real(0.0, TAU));
        let r = (1.0 - z * z).sqrt();
        Vec3::new(r * angle.cos(), r * angle.sin(), z)
    }

    /// Draws a rotation. A third are by quarter turns, which keep alignment with the axes.
    pub fn rotation(&mut self) -> Rotation {
        if self.chance(1.0 / 3.0) {
            let axis = [Vec3::x(), Vec3::y(), Vec3::z()][self.whole(0, 2)];
            Rotation::from_scaled_axis(axis * (0.5 * PI * self.whole(0, 3) as f64))
        } else {
            Rotation::from_scaled_axis(self.direction() * self.real(0.0, PI))
        }
    }
}

/// Makes a cloth of about `count` vertices and `size` [m] about the origin, with its name. The mesh may cross itself.
pub fn cloth(r: &mut Random, count: usize, size: f64) -> (&'static str, TriMesh) {
    let aspect = r.size(0.2, 5.0);
    let across = (count as f64 / aspect).sqrt();
    let (n, m) = ((aspect * across).round().max(3.0) as usize, across.round().max(3.0) as usize);
    let (width, height) = (size, size * (m - 1) as f64 / (n - 1) as f64);
    let diagonals = if r.chance(0.5) { Diagonals::Aligned } else { Diagonals::Alternating };
    let wave = (r.real(0.0, 0.1) * size, r.real(0.0, 4.0) * PI / size);
    let wavy = move |p: Vec2| lying(width, height)(p) + Vec3::y() * (wave.0 * (wave.1 * (p.x + 0.6 * p.y)).sin());
    match r.whole(0, 9) {
        0 => ("grid", sheet(n, m, width, height, diagonals, lying(width, height))),
        1 => ("waves", sheet(n, m, width, height, diagonals, wavy)),
        2 => ("equilateral", equilateral_sheet(width, height, width / (n - 1) as f64, lying(width, height))),
        3 => ("random", random_sheet(n, m, width, height, r.bits(), wavy)),
        4 => {
            // Long, thin triangles.
            let thin = height / r.size(3.0, 30.0);
            ("slivers", random_sheet(n, m, width, thin, r.bits(), lying(width, thin)))
        }
        5 => {
            let thin = height / r.size(3.0, 100.0);
            ("strips", sheet(n, m, width, thin, diagonals, lying(width, thin)))
        }
        6 => {
            // Each vertex has a random offset out of the plane.
            let mut mesh = random_sheet(n, m, width, height, r.bits(), lying(width, height));
            let rough = r.real(0.0, 0.5) * width / n as f64;
            mesh.positions.iter_mut().for_each(|p| p.y += r.real(-rough, rough));
            ("rough", mesh)
        }
        7 => {
            // A sheet folded back and forth into layers.
            let gap = r.size(2e-3, 0.1 * size);
            let straight = r.real(0.2, 0.6) * width;
            let period = straight + 0.5 * PI * gap;
            let place = move |p: Vec2| {
                let layer = (p.x / period).floor();
                let along = p.x - layer * period;
                let bent = ((along - straight) / (0.5 * gap)).max(0.0);
                let x = along.min(straight) + 0.5 * gap * bent.sin() - 0.5 * straight;
                let y = layer * gap + 0.5 * gap * (1.0 - bent.cos());
                Vec3::new(if layer % 2.0 == 0.0 { x } else { -x }, y, p.y - 0.5 * height)
            };
            ("layers", sheet(n, m, width, height, diagonals, place))
        }
        8 => ("tube", tube(n, m, width / TAU, height, r.real(-1.0, 1.0))),
        _ => ("pillow", pillow::pillow(size, r.real(0.05, 0.4) * size, (count as f64 / 2.0).sqrt() as usize)),
    }
}

/// Makes an open tube of `n` vertices around and `m` along, with successive rings turned by `skew` of a cell.
fn tube(n: usize, m: usize, radius: f64, length: f64, skew: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for j in 0..m {
        for i in 0..n {
            let angle = TAU * (i as f64 + skew * j as f64) / n as f64;
            let y = length * (j as f64 / (m - 1) as f64 - 0.5);
            mesh.positions.push(Vec3::new(radius * angle.cos(), y, radius * angle.sin()));
        }
    }
    for j in 0..m - 1 {
        for i in 0..n {
            let [a, b] = [i, (i + 1) % n].map(|i| (j * n + i) as u32);
            let [c, d] = [b + n as u32, a + n as u32];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

/// Makes an obstacle of about `size` [m] about the origin, with its name.
pub fn obstacle(r: &mut Random, size: f64) -> (&'static str, TriMesh) {
    let half = 0.5 * size;
    let edge = size * r.size(0.1, 2.0);
    match r.whole(0, 8) {
        0 => ("sphere", sphere(Vec3::zeros(), half, edge)),
        1 => {
            let corner = Vec3::from_fn(|_, _| half * r.size(0.1, 1.0));
            ("box", cuboid(-corner, corner, edge))
        }
        2 => ("plane", plane(Vec3::zeros(), Vec3::y(), size, edge)),
        3 => {
            let end = Vec3::y() * half;
            ("capsule", capsule(-end, end, size * r.size(0.01, 0.5), edge.max(0.2 * size)))
        }
        4 => {
            let corner = Vec3::new(half, 0.5 * r.size(1e-4, 2e-3), half * r.size(0.1, 1.0));
            ("plate", cuboid(-corner, corner, edge))
        }
        5 => ("leaf", random_sheet(r.whole(2, 8), r.whole(2, 8), size, half, r.bits(), lying(size, half))),
        6 => {
            let (sides, width) = (r.whole(3, 12), half * r.size(0.005, 0.5));
            ("spike", spikes(&[Vec3::zeros()], sides, width, size))
        }
        7 => {
            let places: Vec<Vec3> =
                (0..r.whole(2, 12)).map(|_| Vec3::new(r.real(-half, half), 0.0, r.real(-half, half))).collect();
            ("needles", spikes(&places, 3, half * r.size(0.005, 0.2), size))
        }
        _ => {
            let mesh = sphere(Vec3::zeros(), half, edge.max(0.25 * size));
            let bumps: Vec<f64> = mesh.positions.iter().map(|_| r.real(0.3, 1.0)).collect();
            let positions = mesh.positions.iter().zip(bumps).map(|(p, b)| p * b).collect();
            ("star", TriMesh { positions, ..mesh })
        }
    }
}

/// Makes pyramids on regular polygons, standing at `places`, with their tips up.
fn spikes(places: &[Vec3], sides: usize, width: f64, height: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    for place in places {
        let first = mesh.positions.len() as u32;
        let (tip, foot) = (first, first + 1);
        mesh.positions.extend([place + Vec3::y() * (0.5 * height), place - Vec3::y() * (0.5 * height)]);
        for k in 0..sides {
            let angle = TAU * k as f64 / sides as f64;
            mesh.positions.push(place + Vec3::new(width * angle.cos(), -0.5 * height, width * angle.sin()));
            let [a, b] = [k, (k + 1) % sides].map(|k| foot + 1 + k as u32);
            mesh.triangles.extend([[tip, b, a], [foot, a, b]]);
        }
    }
    mesh
}
