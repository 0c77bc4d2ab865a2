//! Maps of friction, thickness, air drag, strain limit and damping: the part of a cloth that has a factor behaves by
//! it, the other as without.

use crate::common::{Bench, Cut, DENSITY, close, cloth, cut, input, settings, shipped};
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use percale::stepper::Integrator;
use percale::world::Pin;
use percale::world::build::{ClothInput, Weights};
use std::f64::consts::PI;

const G: f64 = 9.81;

/// Returns the mesh and a copy of it that is moved, as one.
fn twice(mesh: TriMesh, by: Vec3) -> TriMesh {
    let count = mesh.positions.len() as u32;
    let moved: Vec<Vec3> = mesh.positions.iter().map(|p| p + by).collect();
    let more: Vec<[u32; 3]> = mesh.triangles.iter().map(|t| t.map(|v| v + count)).collect();
    TriMesh {
        positions: [mesh.positions, moved].concat(),
        triangles: [mesh.triangles, more].concat(),
        ..TriMesh::default()
    }
}

/// Returns the mean of the first half of a list and that of the second.
fn halves(all: &[Vec3]) -> [Vec3; 2] {
    let half = all.len() / 2;
    [&all[..half], &all[half..]].map(|own| own.iter().sum::<Vec3>() / half as f64)
}

fn velocities(bench: &Bench) -> [Vec3; 2] {
    halves(&bench.world.in_file_order(&bench.world.objects[0], &bench.state.v))
}

/// Returns two napkins of 10 cm, side by side along z, in the plane y = 0.
fn napkins() -> TriMesh {
    let napkin = cut(Cut::Alternating, 8, 8, 0.1, 0.1, |m| Vec3::new(m.x, 0.0, -m.y));
    twice(napkin, Vec3::z() * 0.2)
}

/// Two napkins, the second of which has the map.
const NAPKINS: &str = r#"
[scene]
gravity = GRAVITY
[[material]]
name = "rough"
base = "cotton"
friction = 0.5
[[cloth]]
name = "napkins"
mesh = "mesh.obj"
material = "rough"
transform = { translate = [0, 0.00115, 0] }
KEYS
[[cloth.group]]
name = "right"
box = { min = [-1, -1, 0.1], max = [1, 1, 1] }
[[cloth.map]]
of = "OF"
group = "right"
factor = FACTOR
MORE
"#;

/// Returns two napkins with a map of the second, under gravity along x and y [m/s^2].
fn mapped(name: &str, gravity: [f64; 2], [of, factor]: [&str; 2], [keys, more]: [&str; 2]) -> Bench {
    let [x, y] = gravity;
    let text = NAPKINS.replace("GRAVITY", &format!("[{x}, {y}, 0]")).replace("KEYS", keys).replace("OF", of);
    shipped(name, &napkins(), &text.replace("FACTOR", factor).replace("MORE", more))
}

/// Two napkins lie on a slope of 0.4. Friction of both sides, 0.5, holds the first. The factor 0.16 of the second
/// leaves the pair `(0.16 0.5 0.5)^1/2 = 0.2`: it slides with `g (sin - 0.2 cos)`, within 2 %. So it does where the
/// pair has friction of its own, and where that is measured. Without the map both stay.
#[test]
fn friction_by_a_map_holds_one_and_lets_the_other_slide() {
    let slope = f64::atan(0.4);
    let wanted = G * (slope.sin() - 0.2 * slope.cos());
    let pair = "[[friction]]\nbetween = [\"napkins\", \"slope\"]\n";
    for (name, factor, own) in [
        ("of both sides", "0.16", String::new()),
        ("of a pair", "0.16", format!("{pair}coefficient = 0.5\n")),
        ("measured", "0.16", format!("{pair}curves = {{ load = [1, 2], f0 = [0.5, 1] }}\narea = \"25 cm2\"\n")),
        ("without", "1", String::new()),
    ] {
        let plane = format!("[[obstacle]]\nname = \"slope\"\nplane = {{ size = 20 }}\nfriction = 0.5\n{own}");
        let gravity = [G * slope.sin(), -G * slope.cos()];
        let mut bench = mapped("painted-friction", gravity, ["friction", factor], ["", &plane]);
        // Its weight has come to rest on the barrier.
        bench.run(0.7);
        let before = velocities(&bench);
        bench.run(1.1);
        let [still, slid] = velocities(&bench).map(|v| v.x);
        assert!(still.abs() < 1e-3, "{name}: {still} m/s");
        if factor == "1" {
            assert!(slid.abs() < 1e-3, "{slid} m/s");
        } else {
            close(&format!("friction {name} by a map: acceleration, m/s2"), (slid - before[1].x) / 0.4, wanted, 2e-2);
        }
    }
}

/// Two napkins lie on a floor. The second, of four times the thickness, lies higher by three halves of the thickness of
/// cotton, within 2 %. Without the map both lie as high.
#[test]
fn thickness_by_a_map_holds_layers_apart() {
    let floor = "[[obstacle]]\nname = \"floor\"\nplane = { size = 20 }\n";
    let heights = |factor: &str| {
        let mut bench = mapped("painted-thickness", [0.0, -G], ["thickness", factor], ["air_drag = 1", floor]);
        bench.run(2.0);
        halves(&bench.positions()).map(|p| p.y)
    };
    let [plain, mapped] = heights("4");
    close("thickness by a map: height above that without, mm", 1e3 * (mapped - plain), 3.0 * 0.15, 2e-2);
    let [plain, mapped] = heights("1");
    assert!((mapped - plain).abs() < 1e-6, "{plain} {mapped}");
}

/// Flat cloth falls through still air at `rho g/c`; where a map doubles its drag, at half of that, within 0.5 %.
#[test]
fn drag_by_a_map_halves_the_terminal_speed() {
    let keys = "air_drag = 5\ndensity = \"0.1 kg/m2\"";
    let mut bench = mapped("painted-drag", [0.0, -G], ["drag", "2"], [keys, ""]);
    bench.run(0.5);
    let [plain, mapped] = velocities(&bench).map(|v| -v.y);
    close("air drag without a map: terminal speed, m/s", plain, 0.1 * G / 5.0, 5e-3);
    close("air drag by a map: terminal speed, m/s", mapped, 0.1 * G / 10.0, 5e-3);
}

/// Two strips of 20 cm by 4 cm hang from z = 0, side by side along x.
fn strips() -> TriMesh {
    twice(cut(Cut::Alternating, 4, 20, 0.04, 0.2, |m| Vec3::new(m.x, -m.y, 0.0)), Vec3::x() * 0.1)
}

/// Strips whose elasticity gives way to ten times their load are stretched to their limits: 5 %, and 10 % where a map
/// doubles it, within 0.1 % of the length.
#[test]
fn a_strain_limit_by_a_map_stretches_to_it() {
    let text = "[[material]]\nname = \"weak\"\nbase = \"cotton\"\nyoung = \"10 N/m\"\n[[cloth]]\nname = \"strips\"\n\
                mesh = \"mesh.obj\"\nmaterial = \"weak\"\nstrain_limit = 0.05\nair_drag = 1\nself_contact = false\n\
                [[cloth.group]]\nname = \"right\"\nbox = { min = [0.09, -1, -1], max = [1, 1, 1] }\n\
                [[cloth.map]]\nof = \"strain_limit\"\ngroup = \"right\"\nfactor = FACTOR\n\
                [[cloth.pin]]\nbox = { min = [-1, -0.001, -1], max = [1, 1, 1] }\n\
                [[cloth.handle]]\nbox = { min = [-1, -1, -1], max = [1, -0.199, 1] }\nforce = [0, -0.4, 0]\n";
    let stretched = |factor: &str| {
        let mut bench = shipped("painted-limit", &strips(), &text.replace("FACTOR", factor));
        bench.run(1.0);
        let x = bench.positions();
        // The middles of the lower ends.
        [102, 207].map(|v| (-x[v].y / 0.2 - 1.0) * 100.0)
    };
    let [plain, mapped] = stretched("2");
    close("strain limit without a map: length, %", 100.0 + plain, 105.0, 1e-3);
    close("strain limit by a map: length, %", 100.0 + mapped, 110.0, 1e-3);
    let [plain, mapped] = stretched("1");
    assert!((plain - mapped).abs() < 1e-3);
}

/// Length of a strip that swings [m].
const LENGTH: f64 = 0.2;

/// Returns a cloth of three strips along x: without a map, with a factor of a half, and with a factor that is 0 in the
/// left half and 1 in the right.
fn three(young: f64, map: impl Fn(&mut Weights) -> &mut Vec<f64>) -> ClothInput {
    let strip = cut(Cut::Alternating, 40, 2, LENGTH, 0.01, |m| Vec3::new(m.x, 0.0, m.y));
    let count = strip.positions.len();
    let mesh = twice(strip.clone(), Vec3::z() * 0.1);
    let shift = |t: &[u32; 3]| t.map(|v| v + 2 * count as u32);
    let more: Vec<[u32; 3]> = strip.triangles.iter().map(shift).collect();
    let positions = [mesh.positions, strip.positions.iter().map(|p| p + Vec3::z() * 0.2).collect()].concat();
    let sided = strip.positions.iter().map(|p| match p.x / LENGTH - 0.5 {
        x if x < -1e-9 => 0.0,
        x if x > 1e-9 => 1.0,
        _ => 0.5,
    });
    let factors = [vec![1.0; count], vec![0.5; count], sided.collect()].concat();
    let mut cloth =
        cloth(TriMesh { positions, triangles: [mesh.triangles, more].concat(), ..TriMesh::default() }, young);
    cloth.rest = percale::world::build::Rest::Mesh;
    *map(&mut cloth.weights) = factors;
    cloth
}

/// Lets a mode of each strip swing and returns the decay rates of its energy [1/s]. `shape` is the displacement of a
/// place `x` at the start [m], `omega` the mode's angular frequency [1/s].
fn decays(cloth: ClothInput, shape: impl Fn(f64) -> Vec3, omega: f64, (h, time): (f64, f64)) -> [f64; 3] {
    let mut bench = Bench::new(input(Vec3::zeros(), cloth), settings(Integrator::Bdf2, h, 1e-10));
    let start = bench.positions();
    for v in 0..bench.world.moving {
        let moved = shape(bench.state.x[v].x);
        bench.state.x[v] += moved;
        bench.state.x_before[v] += moved;
    }
    let energies = |bench: &Bench| {
        let object = &bench.world.objects[0];
        let (x, v) = (bench.positions(), bench.world.in_file_order(object, &bench.state.v));
        let mass = bench.world.in_file_order(object, &bench.world.mass);
        let count = x.len() / 3;
        [0, 1, 2].map(|k| {
            let own = k * count..(k + 1) * count;
            let sum = |of: &dyn Fn(usize) -> Vec3| -> f64 {
                own.clone().map(|v| mass[v] * shape(start[v].x).dot(&of(v))).sum()
            };
            let [at, speed] = [sum(&|v| x[v] - start[v]), sum(&|i| v[i])];
            speed * speed + omega * omega * at * at
        })
    };
    // The first steps begin the scheme.
    bench.run(0.1 * time);
    let before = energies(&bench);
    bench.run(1.1 * time);
    let after = energies(&bench);
    [0, 1, 2].map(|k| (before[k] / after[k]).ln() / time)
}

/// A strip that swings along itself loses energy at the rate `tau omega^2`, by Kelvin and Voigt, with
/// `omega = pi/L (Y/rho)^1/2`; half of it where a map halves the damping, and where half of the strip has none: the
/// mode's strain is the same in both halves. Within 2 %, of which the mode's frequency on the mesh takes a part.
#[test]
fn damping_by_a_map_slows_the_decay() {
    let (young, tau) = (20.0, 2e-4);
    let omega = PI / LENGTH * (young / DENSITY).sqrt();
    let mut cloth = three(young, |weights| &mut weights.damping);
    cloth.law.damping = Damping { stretch: tau, bend: 0.0 };
    let shape = |x: f64| Vec3::x() * (1e-4 * (PI * x / LENGTH).cos());
    let period = 2.0 * PI / omega;
    let [plain, half, sided] = decays(cloth, shape, omega, (period / 200.0, 4.0 * period));
    let wanted = tau * omega * omega;
    close("damping without a map: decay, 1/s", plain, wanted, 2e-2);
    close("damping halved by a map: decay, 1/s", half, 0.5 * wanted, 2e-2);
    close("damping of half of a strip: decay, 1/s", sided, 0.5 * wanted, 2e-2);
}

/// Bending between simple supports decays likewise: `omega = (pi/L)^2 (B/rho)^1/2`.
#[test]
fn bending_damping_by_a_map_slows_the_decay() {
    let (rigidity, tau) = (1e-3, 5e-3);
    let omega = (PI / LENGTH).powi(2) * (rigidity / DENSITY).sqrt();
    let mut cloth = three(20.0, |weights| &mut weights.bending_damping);
    cloth.law.bending = Bending::Constant(rigidity);
    cloth.law.damping = Damping { stretch: 0.0, bend: tau };
    let ends = |p: &Vec3| p.x < 1e-9 || p.x > LENGTH - 1e-9;
    let held = (0..).zip(&cloth.mesh.positions).filter(|(_, p)| ends(p)).map(|(v, _)| v);
    cloth.pins.push(Pin::fixed(held.collect()));
    let shape = |x: f64| Vec3::y() * (1e-4 * (PI * x / LENGTH).sin());
    let period = 2.0 * PI / omega;
    let [plain, half, sided] = decays(cloth, shape, omega, (period / 200.0, 2.0 * period));
    let wanted = tau * omega * omega;
    close("bending damping without a map: decay, 1/s", plain, wanted, 2e-2);
    close("bending damping halved by a map: decay, 1/s", half, 0.5 * wanted, 2e-2);
    close("bending damping of half of a strip: decay, 1/s", sided, 0.5 * wanted, 2e-2);
}
