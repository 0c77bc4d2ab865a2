//! Keys of stiffness, friction, air drag and shrinkage, on scenes as a user writes them. Those of pressure are in
//! `balloon`.

use crate::common::{Bench, Cut, close, cut, shipped};
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use percale::world::quantity::kinetic_energy;
use std::path::Path;

const G: f64 = 9.81;

/// Returns a key that jumps from 1 to a factor at a time [s].
fn jump_at(t: f64, of: &str, factor: f64) -> String {
    format!("[[key]]\nof = \"{of}\"\nobjects = [\"strip\"]\ntimes = [{t}, {t}]\nfactors = [1, {factor}]\n")
}

/// Returns a key that jumps at half a second.
fn jump(of: &str, factor: f64) -> String {
    jump_at(0.5, of, factor)
}

/// Returns a strip of 20 cm by 4 cm along x, in the plane y = 0.
fn strip() -> TriMesh {
    cut(Cut::Alternating, 20, 4, 0.2, 0.04, |m| Vec3::new(m.x, 0.0, m.y))
}

const STRIP: &str = r#"
[time]
fps = 10
frames = 21
[scene]
gravity = GRAVITY
[[material]]
name = "plain"
base = "cotton"
young = "200 N/m"
poisson = 0
rigidity = "400 uN m"
density = "0.1 kg/m2"
damping = 0
friction = 0.5
[[cloth]]
name = "strip"
mesh = "mesh.obj"
material = "plain"
self_contact = false
KEYS
"#;

fn bench(name: &str, gravity: [f64; 3], keys: &str) -> Bench {
    shipped(name, &strip(), &STRIP.replace("GRAVITY", &format!("{gravity:?}")).replace("KEYS", keys))
}

/// Vertex in the middle of the free end.
fn tip(bench: &Bench) -> Vec3 {
    let x = bench.positions();
    *x.iter().filter(|p| (p.z - 0.02).abs() < 5e-3).max_by(|a, b| a.x.total_cmp(&b.x)).unwrap()
}

/// Strain of St. Venant and Kirchhoff's law under the force per width `f` [N/m]: `Y (1 + e) (e + e^2/2) = f`.
fn stretched(young: f64, f: f64) -> f64 {
    (0..50).fold(f / young, |e, _| f / (young * (1.0 + e) * (1.0 + 0.5 * e)))
}

/// A strip that a weight of 2 N/m stretches by 1 % is stretched half as far once its stiffness is doubled, within
/// 0.5 %. It rests at both times.
#[test]
fn stretch_by_keys_halves_the_sag() {
    let more = "air_drag = 1\nair_drag_tangent = 5\n[[cloth.pin]]\nbox = { min = [-1, -1, -1], max = [0.001, 1, 1] }\n\
                [[cloth.handle]]\nbox = { min = [0.199, -1, -1], max = [1, 1, 1] }\nforce = [0.08, 0, 0]\n";
    let sagged = |name: &str, key: &str| {
        let mut bench = bench(name, [0.0; 3], &format!("{more}{key}"));
        let start = bench.positions();
        [0.5, 1.5].map(|until| {
            bench.run(until);
            // Away from the ends, whose corners bear more.
            let x = bench.positions();
            let places = [0.05, 0.15].map(|x| start.iter().position(|p| (p - Vec3::new(x, 0.0, 0.02)).norm() < 1e-6));
            let [a, b] = places.map(|v| x[v.unwrap()].x);
            (b - a) / 0.1 - 1.0
        })
    };
    let [before, after] = sagged("keyed-stretch", &jump("stretch", 2.0));
    close("stretch before a key: strain, %", 100.0 * before, 100.0 * stretched(200.0, 2.0), 5e-3);
    close("stretch doubled by a key: strain, %", 100.0 * after, 100.0 * stretched(400.0, 2.0), 5e-3);
    let [before, after] = sagged("keyed-stretch-off", "");
    assert!((before / after - 1.0).abs() < 1e-2);
}

/// A cantilever of 19 cm sinks by `q L^4/(8 B)`, a little; with the fourfold rigidity by a quarter of that. It sinks by
/// 3 % of its length at first, where the error of the linear form is of the order of its square; the held cell gives
/// the mesh's error of the length.
#[test]
fn bend_by_keys_lifts_a_cantilever() {
    let more = "air_drag = 1\n[[cloth.pin]]\nbox = { min = [-1, -1, -1], max = [0.011, 1, 1] }\n";
    let sunk = |name: &str, key: &str| {
        let mut bench = bench(name, [0.0, -0.1, 0.0], &format!("{more}{key}"));
        [2.0, 4.0].map(|until| {
            bench.run(until);
            -tip(&bench).y
        })
    };
    let [before, after] = sunk("keyed-bend", &jump_at(2.0, "bend", 4.0));
    let wanted = 0.1 * 0.1 * 0.19f64.powi(4) / (8.0 * 400e-6);
    close("bend before a key: sag, mm", 1e3 * before, 1e3 * wanted, 3e-2);
    close("bend quadrupled by a key: sag, mm", 1e3 * after, 0.25e3 * wanted, 3e-2);
    close("bend quadrupled by a key: part of the sag", after / before, 0.25, 1e-2);
    let [before, after] = sunk("keyed-bend-off", "");
    assert!((before / after - 1.0).abs() < 2e-2, "{before} {after}");
}

/// A strip rests on a slope of 0.3 until its friction is keyed to nothing; from then on it slides with `g sin`, within
/// 2 % of the speed after 0.3 s, and has not moved before. With a factor of 1 it stays.
#[test]
fn friction_by_keys_lets_go() {
    let slope = f64::atan(0.3);
    let more = "transform = { translate = [0, 0.00115, 0] }\n[[obstacle]]\nname = \"slope\"\nplane = { size = 20 }\n\
                friction = 0.5\n";
    let slid = |name: &str, factor: f64| {
        let gravity = [G * slope.sin(), -G * slope.cos(), 0.0];
        let mut bench = bench(name, gravity, &format!("{more}{}", jump("friction", factor)));
        [0.5, 0.8].map(|until| {
            bench.run(until);
            bench.state.v[..bench.world.moving].iter().map(|v| v.x).sum::<f64>() / bench.world.moving as f64
        })
    };
    let [before, after] = slid("keyed-friction", 0.0);
    assert!(before.abs() < 1e-3, "{before} m/s");
    close("friction keyed to 0: speed after 0.3 s, m/s", after, 0.3 * G * slope.sin(), 2e-2);
    let [_, after] = slid("keyed-friction-off", 1.0);
    assert!(after.abs() < 1e-3, "{after} m/s");
}

/// Flat cloth falls at `rho g/c`, and at a third of that once its air drag is keyed by 3, within 0.5 %.
#[test]
fn drag_by_keys_slows_a_fall() {
    let fallen = |name: &str, factor: f64| {
        let key = jump("drag", factor);
        let mut bench = bench(name, [0.0, -G, 0.0], &format!("air_drag = 4\n{key}"));
        [0.5, 1.0].map(|until| {
            bench.run(until);
            -bench.state.v[0].y
        })
    };
    let [before, after] = fallen("keyed-drag", 3.0);
    close("air drag before a key: terminal speed, m/s", before, 0.1 * G / 4.0, 5e-3);
    close("air drag tripled by a key: terminal speed, m/s", after, 0.1 * G / 12.0, 5e-3);
    let [_, after] = fallen("keyed-drag-off", 1.0);
    close("air drag by a factor of 1: terminal speed, m/s", after, 0.1 * G / 4.0, 5e-3);
}

/// Returns a simulation of a scene in a folder.
fn simulation(name: &str, keys: &str) -> percale::Simulation {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mesh.obj"), percale::mesh::obj::write(&strip())).unwrap();
    let file = folder.join("scene.toml");
    std::fs::write(&file, STRIP.replace("GRAVITY", "[0, 0, 0]").replace("KEYS", keys)).unwrap();
    percale::Simulation::load(&file, &[]).unwrap()
}

/// Returns the positions at a frame.
fn at(simulation: &mut percale::Simulation, frame: u32) -> Vec<Vec3> {
    while simulation.frame() != Some(frame) {
        simulation.next_frame().unwrap();
    }
    simulation.positions("strip").unwrap().to_vec()
}

/// A strip shrinks by the part of its change that keys give: to 0.8 after a second, and back to its length, within
/// 0.2 %.
#[test]
fn shrinkage_by_keys_comes_and_goes() {
    let keys = "air_drag_tangent = 5\n[[cloth.shrink]]\nwarp = 0.8\n\
                [[key]]\nof = \"shrink\"\ntimes = [0, 0.6, 1.2, 1.6]\nfactors = [0, 1, 1, 0]\n";
    let mut simulation = simulation("keyed-shrink", keys);
    let long = |x: &[Vec3]| (x[20] - x[0]).norm();
    close("shrunk by keys, m", long(&at(&mut simulation, 12)), 0.16, 2e-3);
    close("grown back by keys, m", long(&at(&mut simulation, 20)), 0.2, 2e-3);
}

/// A free strip is stretched by up to 3 %, as in its lowest mode, and has no stiffness until half a second. It then
/// gets it, and with it the energy of its stretch, which is that of motion a quarter of a period later, within 2 %: no
/// check of energies takes it away. Before, it rests.
#[test]
fn stiffness_that_comes_gives_its_energy() {
    let text = "[[key]]\nof = \"stretch\"\ntimes = [0.5, 0.5]\nfactors = [0, 1]\n";
    let mut bench = bench("keyed-energy", [0.0; 3], text);
    for v in 0..bench.world.moving {
        let x = &mut bench.state.x[v];
        x.x -= 2e-3 * (std::f64::consts::PI * x.x / 0.2).cos();
        bench.state.x_before[v] = *x;
    }
    // Without the scales of a step all of the stiffness acts.
    let whole = bench.world.elements.energy(&bench.state.x).0;
    bench.run(0.5);
    assert!(kinetic_energy(&bench.world, &bench.state) < 1e-12);
    let mut most = 0.0f64;
    while bench.state.time < 0.51 {
        bench.run(bench.state.time + 1e-4);
        most = most.max(kinetic_energy(&bench.world, &bench.state));
    }
    println!("| stiffness that comes: largest kinetic energy | 0.98 to 1 of {whole:.3e} J | {most:.3e} J | | |");
    assert!(most > 0.98 * whole && most < 1.01 * whole, "{most} J of {whole} J");
}

/// A jump at the end of a frame changes nothing before, to the last bit, and the next step is another.
#[test]
fn a_jump_is_exact_where_a_frame_ends() {
    let more = "air_drag = 1\n[[cloth.pin]]\nbox = { min = [-1, -1, -1], max = [0.011, 1, 1] }\n";
    let run = |of: &str, factor: f64| {
        let mut bench = bench(&format!("jump-{of}"), [0.0, -1.0, 0.0], &format!("{more}{}", jump(of, factor)));
        bench.run(0.5);
        let before = bench.state.x.clone();
        bench.run(0.52);
        (before, bench.state.x)
    };
    for of in ["stretch", "bend", "drag"] {
        let [plain, keyed] = [1.0, 2.0].map(|factor| run(of, factor));
        assert!(plain.0 == keyed.0, "{of} is early");
        assert!(plain.1 != keyed.1, "{of} is late");
    }
}

/// Runs with keys and maps give the same bits on one thread and on two, and where they are resumed between two keys.
#[test]
fn keys_and_maps_give_the_same_bits_on_two_threads_and_resumed() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("keyed-bits");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mesh = cut(Cut::Alternating, 40, 20, 0.2, 0.1, |m| Vec3::new(m.x, 0.0, m.y));
    std::fs::write(folder.join("mesh.obj"), percale::mesh::obj::write(&mesh)).unwrap();
    let keys = ["stretch", "bend", "friction", "drag"].map(|of| jump(of, 0.5)).concat();
    let more = "air_drag = 1\ntransform = { translate = [0, 0.051, 0] }\n[[cloth.shrink]]\nwarp = 0.9\n\
                [[cloth.group]]\nname = \"half\"\nbox = { min = [-1, -1, -1], max = [0.1, 1, 1] }\n\
                [[cloth.map]]\nof = \"friction\"\ngroup = \"half\"\nfactor = 0.2\n\
                [[cloth.map]]\nof = \"bending_damping\"\ngroup = \"half\"\nfactor = 0.2\n\
                [[obstacle]]\nname = \"ball\"\nsphere = { center = [0.09, 0, 0.05], radius = 0.05 }\n";
    let shrinks = "[[key]]\nof = \"shrink\"\ntimes = [0.3, 0.7]\nfactors = [0, 1]\n";
    let text = STRIP.replace("GRAVITY", "[0, -9.81, 0]").replace("KEYS", &format!("{more}{keys}{shrinks}"));
    std::fs::write(folder.join("scene.toml"), text).unwrap();
    let run = |out: &str, more: &[&str]| {
        let given = ["run", "scene.toml", "--no-preview", "--progress", "none", "--out", out];
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_percale"));
        let output = command.current_dir(&folder).args(given).args(more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mesh = |frame: u32| std::fs::read(folder.join(out).join(format!("meshes/strip/strip.{frame:04}.ply"))).ok();
        (1..=9).map(mesh).collect::<Vec<_>>()
    };
    let one = run("one", &["--threads", "1", "--frames", "9"]);
    assert!(one.iter().all(Option::is_some) && one[5] != one[8]);
    assert!(run("two", &["--threads", "2", "--frames", "9"]) == one);
    run("cut", &["--threads", "2", "--frames", "5"]);
    assert!(run("cut", &["--threads", "1", "--frames", "9", "--resume"]) == one);
}
