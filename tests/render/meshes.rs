//! Meshes and settings for the tests.

use percale::linalg::{Vec2, Vec3};
use percale::render::{Camera, Fill, Ground, Key, Lights, Object, Paint, Picture, Settings, Shading};

/// Mesh with a chart of the same topology.
pub struct Mesh {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub uv: Vec<Vec2>,
}

impl Mesh {
    /// Maps `n` x `n` cells of the unit square.
    pub fn grid(n: usize, map: impl Fn(f64, f64) -> Vec3) -> Mesh {
        let mut mesh = Mesh { positions: Vec::new(), triangles: Vec::new(), uv: Vec::new() };
        for j in 0..=n {
            for i in 0..=n {
                let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
                mesh.positions.push(map(u, v));
                mesh.uv.push(Vec2::new(u, v));
            }
        }
        let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
        for j in 0..n {
            for i in 0..n {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let halves = if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                mesh.triangles.extend(halves);
            }
        }
        mesh
    }

    pub fn sphere(n: usize, centre: Vec3, radius: f64) -> Mesh {
        use std::f64::consts::PI;
        Mesh::grid(n, |u, v| {
            let (a, b) = (2.0 * PI * u, PI * v);
            centre + radius * Vec3::new(b.sin() * a.sin(), -b.cos(), b.sin() * a.cos())
        })
    }

    /// Makes a sheet of side 1 that hangs in folds over a sphere of radius 0.25.
    pub fn drape(n: usize) -> Mesh {
        let radius = 0.254;
        Mesh::grid(n, |u, v| {
            let (x, z) = (u - 0.5, v - 0.5);
            let (s, a) = (x.hypot(z), z.atan2(x));
            let bend = s.min(radius * 1.15) / radius;
            let rest = (s - radius * 1.15).max(0.0);
            let fold = (rest / 0.25).min(1.4).powf(1.5);
            let ripple = (0.045 + 0.045 * (8.0 * a + 0.6).sin() + 0.012 * (13.0 * a).sin()) * fold;
            let r = radius * bend.sin() + 0.33 * rest + ripple;
            let y = 0.32 + radius * bend.cos() - 0.9 * rest;
            Vec3::new(r * a.cos(), y.max(0.003), r * a.sin())
        })
    }

    pub fn object<'a>(&'a self, name: &'a str, paint: Paint<'a>) -> Object<'a> {
        Object {
            name,
            positions: &self.positions,
            triangles: &self.triangles,
            uv: &self.uv,
            uv_triangles: &self.triangles,
            paint,
            shading: Shading::Minnaert { k: 0.75 },
            wet: &[],
            crease: std::f64::consts::PI,
        }
    }
}

pub fn f32s(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

pub const CLOTH: [f64; 3] = [0.52, 0.13, 0.09];
pub const STONE: [f64; 3] = [0.62, 0.61, 0.58];

pub fn drape_camera(aspect: f64) -> Camera {
    let bounds = (Vec3::new(-0.4, 0.0, -0.4), Vec3::new(0.4, 0.56, 0.4));
    Camera::fit(bounds, Vec3::new(0.5, 0.55, 1.0), 0.6, aspect, Vec3::y())
}

pub fn drape_settings(width: usize, height: usize) -> Settings {
    let camera = drape_camera(width as f64 / height as f64);
    Settings { ground: Some(Ground::at(0.0)), ..Settings::new(width, height, camera, Vec3::y()) }
}

/// Returns a single point light without fill light.
pub fn lamp(direction: Vec3) -> Lights {
    Lights {
        key: Key { direction, radius: 0.0, colour: [1.0; 3] },
        fill: Fill { sky: [0.0; 3], ground: [0.0; 3], occlusion: false },
    }
}

/// Returns a camera on the z axis at distance 2 from the origin, with one sample per pixel.
pub fn plain(size: usize, lights: Lights) -> Settings {
    let camera = Camera { position: Vec3::new(0.0, 0.0, 2.0), target: Vec3::zeros(), fov: 0.8, roll: 0.0 };
    Settings { samples: 1, lights, ..Settings::new(size, size, camera, Vec3::y()) }
}

pub fn pixel(picture: &Picture, x: usize, y: usize) -> [f64; 3] {
    picture.colour[y * picture.width + x].map(f64::from)
}

pub fn near(a: [f64; 3], b: [f64; 3], tolerance: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance)
}
