//! Pictures: rays against brute force, shading against closed forms, shadows, cameras, files, and the same bits for any
//! number of threads.

use percale::linalg::{Vec2, Vec3};
use percale::render::{
    Camera, Cell, Ground, Object, Paint, Settings, Shading, Wireframe, contact_sheet, draw,
};

/// A mesh with a chart of the same topology.
struct Mesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    uv: Vec<Vec2>,
}

impl Mesh {
    /// `n` x `n` cells over the unit square, mapped.
    fn grid(n: usize, map: impl Fn(f64, f64) -> Vec3) -> Mesh {
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

    fn sphere(n: usize, centre: Vec3, radius: f64) -> Mesh {
        use std::f64::consts::PI;
        Mesh::grid(n, |u, v| {
            let (a, b) = (2.0 * PI * u, PI * v);
            centre + radius * Vec3::new(b.sin() * a.sin(), -b.cos(), b.sin() * a.cos())
        })
    }

    /// A sheet of side 1 that hangs over a sphere of radius 0.25 in folds.
    fn drape(n: usize) -> Mesh {
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

    fn object<'a>(&'a self, name: &'a str, paint: Paint<'a>) -> Object<'a> {
        Object {
            name,
            positions: &self.positions,
            triangles: &self.triangles,
            uv: &self.uv,
            uv_triangles: &self.triangles,
            paint,
            shading: Shading::Minnaert { k: 0.75 },
            smooth: true,
        }
    }
}

/// Numbers in 0..1 that look random.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next()) * 2.0 - Vec3::repeat(1.0)
    }
}

fn f32s(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

const CLOTH: [f64; 3] = [0.52, 0.13, 0.09];
const STONE: [f64; 3] = [0.62, 0.61, 0.58];

fn drape_camera(aspect: f64) -> Camera {
    let bounds = (Vec3::new(-0.4, 0.0, -0.4), Vec3::new(0.4, 0.56, 0.4));
    Camera::fit(bounds, Vec3::new(0.5, 0.55, 1.0), 0.6, aspect, Vec3::y())
}

fn drape_settings(width: usize, height: usize) -> Settings {
    let camera = drape_camera(width as f64 / height as f64);
    Settings { ground: Some(Ground::at(0.0)), ..Settings::new(width, height, camera, Vec3::y()) }
}

/// Pictures to look at: `cargo test --release --test render -- --ignored`, written to `out/render/`.
#[test]
#[ignore = "writes pictures to look at"]
fn gallery() {
    let (cloth, ball) = (Mesh::drape(100), Mesh::sphere(64, Vec3::new(0.0, 0.32, 0.0), 0.25));
    let height: Vec<f64> = cloth.positions.iter().map(|p| p.y * 0.2).collect();
    let settings = drape_settings(960, 540);
    let checker = Paint::Checker { a: [0.55, 0.53, 0.48], b: [0.10, 0.17, 0.28], size: 0.1 };
    let field = Paint::Field { values: &height, min: 0.0, max: 0.12, label: "edge strain", unit: "" };
    let gap = Paint::Field { values: &height, min: 0.0, max: 0.12, label: "speed", unit: "m/s" };
    let wire = Some(Wireframe::default());
    let red = Paint::Colour(CLOTH);
    let k = |k| Shading::Minnaert { k };
    let old = |k| Shading::Minnaert1941 { k };
    let phong = Shading::Phong { shininess: 30.0, specular: 0.25 };
    let list: [(&str, Paint, Shading, Option<Wireframe>); 10] = [
        ("minnaert 0.75", red, k(0.75), None),
        ("minnaert 0.5", red, k(0.5), None),
        ("minnaert 1.5", red, k(1.5), None),
        ("minnaert1941 0.75", red, old(0.75), None),
        ("lambert", red, Shading::Lambert, None),
        ("phong", red, phong, None),
        ("checker", checker, k(0.75), None),
        ("field", field, k(0.75), None),
        ("wireframe", red, k(0.75), wire),
        ("field wire", gap, k(0.75), wire),
    ];
    std::fs::create_dir_all("out/render").unwrap();
    let mut frames = Vec::new();
    for (name, paint, shading, wireframe) in list {
        let mut sheet = cloth.object("cloth", paint);
        sheet.shading = shading;
        let start = std::time::Instant::now();
        let picture = draw(&[sheet, ball.object("ball", Paint::Colour(STONE))], Vec3::y(), &Settings {
            wireframe,
            ..settings.clone()
        });
        let drawn = start.elapsed().as_secs_f64();
        let png = picture.png().unwrap();
        let done = start.elapsed().as_secs_f64();
        let exr = picture.exr().unwrap();
        let packed = start.elapsed().as_secs_f64();
        println!(
            "{name}: {drawn:.3} s, {:.1} M rays/s ({:?}), png {:.3} s {} KB, exr {:.3} s {} KB",
            picture.rays.total() as f64 / drawn * 1e-6,
            picture.rays,
            done - drawn,
            png.len() / 1024,
            packed - done,
            exr.len() / 1024
        );
        std::fs::write(format!("out/render/{}.png", name.replace(' ', "_")), png).unwrap();
        std::fs::write(format!("out/render/{}.exr", name.replace(' ', "_")), exr).unwrap();
        frames.push((name, picture.image()));
    }
    let cells: Vec<Cell> = frames.iter().map(|(label, image)| Cell { label, image }).collect();
    std::fs::write("out/render/sheet.png", contact_sheet(&cells, 3, 420).png().unwrap()).unwrap();
}
