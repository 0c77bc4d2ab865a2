use percale::force::assembly::Sheet;
use percale::force::bending::Bending;
use percale::force::contact::Friction;
use percale::force::drag::Drag;
use percale::force::membrane::{Isotropic, Membrane};
use percale::linalg::{Vec3, par};
use percale::mesh::TriMesh;
use percale::stepper::{Integrator, Report, Settings, stepper};
use percale::world::build::{ClothInput, Input, ObstacleInput, Rest, Weights, build};
use percale::world::motion::Motion;
use percale::world::wind::Wind;
use percale::world::{ContactSettings, Course};

fn grid(n: usize, size: f64, y: f64) -> TriMesh {
    let mut m = TriMesh::default();
    for j in 0..n {
        for i in 0..n {
            let f = |k: usize| (k as f64 / (n - 1) as f64 - 0.5) * size;
            m.positions.push(Vec3::new(f(i), y, f(j)));
        }
    }
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let a = (j * n + i) as u32;
            let (b, c, d) = (a + 1, a + n as u32, a + n as u32 + 1);
            if (i + j) % 2 == 0 {
                m.triangles.push([a, d, b]);
                m.triangles.push([a, c, d]);
            } else {
                m.triangles.push([a, c, b]);
                m.triangles.push([b, c, d]);
            }
        }
    }
    m
}

fn sphere(c: Vec3, r: f64, n: usize) -> TriMesh {
    // cube sphere
    let mut m = TriMesh::default();
    use std::collections::BTreeMap;
    let mut ids: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let mut id = |m: &mut TriMesh, p: [i64; 3]| -> u32 {
        *ids.entry(p).or_insert_with(|| {
            let t = |k: i64| (k as f64 / n as f64 * std::f64::consts::FRAC_PI_4).tan();
            let q = Vec3::new(t(p[0]), t(p[1]), t(p[2])).normalize();
            m.positions.push(c + q * r);
            (m.positions.len() - 1) as u32
        })
    };
    let n = n as i64;
    for axis in 0..3 {
        for s in [-n, n] {
            for u in (-n..n).step_by(2) {
                for v in (-n..n).step_by(2) {
                    let p = |a: i64, b: i64| {
                        let mut q = [0; 3];
                        q[axis] = s;
                        q[(axis + 1) % 3] = a;
                        q[(axis + 2) % 3] = b;
                        q
                    };
                    let q = [p(u, v), p(u + 2, v), p(u + 2, v + 2), p(u, v + 2)].map(|p| id(&mut m, p));
                    if s > 0 {
                        m.triangles.extend([[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                    } else {
                        m.triangles.extend([[q[0], q[2], q[1]], [q[0], q[3], q[2]]]);
                    }
                }
            }
        }
    }
    m
}

fn save(path: &str, parts: &[(&[Vec3], &[[u32; 3]])]) {
    let mut s = String::new();
    let mut base = 1;
    for (x, t) in parts {
        for p in *x {
            s += &format!("v {} {} {}\n", p.x as f32, p.y as f32, p.z as f32);
        }
        for t in *t {
            s += &format!("f {} {} {}\n", t[0] as usize + base, t[1] as usize + base, t[2] as usize + base);
        }
        base += x.len();
    }
    std::fs::write(path, s).unwrap();
}

fn main() {
    let arg = |k: usize, d: f64| std::env::args().nth(k).map_or(d, |s| s.parse().unwrap());
    let n = arg(1, 100.0) as usize;
    let h = arg(2, 1e-3);
    let time = arg(3, 2.0);
    let threads = arg(4, 2.0) as usize;
    let dist = arg(5, 1e-3);
    let fr = Friction { fixed: 0.3, sliding: 0.3 };
    let ball = sphere(Vec3::new(0.0, 0.3, 0.0), 0.25, 28);
    let (world, mut state) = build(Input {
        gravity: Vec3::new(0.0, -9.81, 0.0),
        wind: Wind::none(),
        contact: ContactSettings { enabled: true, distance: dist, stiffness: 1.0 },
        cloths: vec![ClothInput {
            name: "sheet".into(),
            mesh: grid(n, 1.0, 0.85),
            sheet: Sheet {
                membrane: Membrane::Isotropic(Isotropic { young: 261.0, poisson: 0.243 }),
                bending: Bending::Constant(2.3e-6),
                damping: arg(6, 5e-4),
            },
            density: 0.2,
            thickness: 0.0,
            friction: fr,
            drag: Drag::default(),
            warp: Vec3::x(),
            rest: Rest::Mesh,
            flat: false,
            limit: None,
            velocity: Vec3::zeros(),
            self_contact: true,
            weights: Weights::default(),
            pins: vec![],
            handles: vec![],
        }],
        obstacles: vec![ObstacleInput {
            name: "ball".into(),
            mesh: ball,
            course: Course::Rigid(Motion::Fixed),
            friction: fr,
            thickness: 0.0,
        }],
    });
    println!("{} vertices, {} domains", world.moving, world.starts.len() - 1);
    let settings = Settings { integrator: Integrator::Bdf2, step: h, min_step: 2e-5, tolerance: 1e-3, iterations: 500 };
    std::fs::create_dir_all("out/scratch/meshes/sheet").unwrap();
    std::fs::create_dir_all("out/scratch/meshes/ball").unwrap();
    par::with_threads(threads, || {
        let mut stepper = stepper(&world, settings, false);
        let start = std::time::Instant::now();
        let mut total = Report::default();
        let frames = (time * 30.0) as usize;
        for f in 1..=frames {
            let r = match stepper.advance(&world, &mut state, f as f64 / 30.0) {
                Ok(r) => r,
                Err(e) => {
                    println!("stuck: {}", e.describe(&world, &state));
                    break;
                }
            };
            total.add(&r);
            let vmax = state.v[..world.moving].iter().map(|v| v.norm()).fold(0.0, f64::max);
            let x = &state.x;
            let strain = world.elements.triangles.iter().map(|t| {
                let (a, b) = t.gradient(&[x[t.vertices[0] as usize], x[t.vertices[1] as usize], x[t.vertices[2] as usize]]);
                a.norm().max(b.norm()) - 1.0
            }).fold(0.0, f64::max);
            if f >= 7 || f % 5 == 0 || r.repeats > 0 {
                println!(
                    "f {f} steps {} rep {} it/step {:.1} contacts {} cand {} builds {} stop {} corr {} join {} gap {:.2e} vmax {:.3} strain {:.3} | {:.1}s",
                    r.steps, r.repeats, r.iterations as f64 / r.steps as f64, r.contacts, r.candidates, r.builds,
                    r.stops, r.corrected, r.joined, r.min_gap, vmax, strain, start.elapsed().as_secs_f64()
                );
            }
            let o = &world.objects;
            if f % 3 == 0 && f >= 6 {
                use percale::render::*;
                let x0 = world.in_file_order(&o[0], &state.x);
                let x1 = world.in_file_order(&o[1], &state.x);
                let up = Vec3::y();
                let cam = Camera::fit((Vec3::new(-0.5, 0.0, -0.5), Vec3::new(0.5, 0.7, 0.5)), Vec3::new(0.6, 0.5, 1.0), 0.6, 1.6, up);
                let mut st = Settings::new(800, 500, cam, up);
                st.samples = 4;
                st.ground = Some(Ground::at(0.0));
                let obj = |x: &'static str, p: &[Vec3], k: usize, c: [f64; 3]| {
                    let _ = x; let _ = p; let _ = k; let _ = c;
                };
                let _ = obj;
                let mk = |p, k: usize, c| Object { name: "a", positions: p, triangles: &o[k].triangles, uv: &[], uv_triangles: &[], paint: Paint::Colour(c), shading: Shading::Minnaert { k: 0.75 }, smooth: true };
                let pic = draw(&[mk(&x0[..], 0, [0.6, 0.12, 0.1]), mk(&x1[..], 1, [0.5, 0.5, 0.5])], up, &st);
                std::fs::write(format!("out/scratch/f{f:03}.png"), pic.png().unwrap()).unwrap();
                std::fs::write(format!("out/scratch/f{f:03}.ids"), pic.object.iter().map(|o| *o as u8).collect::<Vec<_>>()).unwrap();
            }
            save(&format!("out/scratch/meshes/sheet/sheet.{f:04}.obj"), &[(&world.in_file_order(&o[0], &state.x), &o[0].triangles)]);
            if f == 1 {
                save("out/scratch/meshes/ball/ball.obj", &[(&world.in_file_order(&o[1], &state.x), &o[1].triangles)]);
            }
        }
        let wall = start.elapsed().as_secs_f64();
        println!("{:.2} s/s, steps {}, {:?}", total.seconds.total() / state.time, total.steps, total.seconds);
        println!("wall {wall:.2}");
    }).unwrap();
}
