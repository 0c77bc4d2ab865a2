//! Attachments, pins that do not hold exactly, and keys of gravity and wind, on scenes as a user writes them.

use crate::common::{Bench, close, shipped};
use percale::effect::attach::{ATTACH_BROKEN, ATTACH_FORCE, ATTACHED};
use percale::linalg::Vec3;
use percale::mesh::{TriMesh, ply};
use percale::scene;
use percale::world::effect::{Tallies, Tally};
use std::path::Path;

/// Cells along a side of the sheet.
const CELLS: usize = 10;

/// Returns a sheet of 20 cm that hangs from y = 0, in the plane z = 0.
fn sheet() -> TriMesh {
    let at = |k: usize| 0.2 * k as f64 / CELLS as f64;
    let corners = (0..=CELLS).flat_map(|j| (0..=CELLS).map(move |i| (i, j)));
    let cells = (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| (j * (CELLS + 1) + i) as u32));
    let below = CELLS as u32 + 1;
    TriMesh {
        positions: corners.map(|(i, j)| Vec3::new(at(i) - 0.1, -at(j), 0.0)).collect(),
        triangles: cells.flat_map(|a| [[a, a + below, a + below + 1], [a, a + below + 1, a + 1]]).collect(),
        ..TriMesh::default()
    }
}

/// Returns the number of a frame's line.
fn tally(bench: &Bench, of: &Tally) -> f64 {
    let mut tallies = Tallies::default();
    bench.world.tally(&bench.state, &mut tallies);
    tallies.get(of)
}

const HUNG: &str = r#"
[time]
fps = 30
frames = 61
[[cloth]]
name = "sheet"
mesh = "mesh.obj"
material = "cotton"
air_drag = 1
[[obstacle]]
name = "rail"
box = { center = [0, 0, -0.007], size = [0.3, 0.04, 0.01] }
MOTION
[[attach]]
name = "hooks"
cloth = "sheet"
vertices = [0, 5, 10]
to = "rail"
MORE
"#;

fn hung(name: &str, motion: &str, more: &str) -> Bench {
    shipped(name, &sheet(), &HUNG.replace("MOTION", motion).replace("MORE", more))
}

/// Three hooks carry the weight of a sheet: their deviations times the stiffness sum to it within 0.5 %, at rest after
/// two seconds. Without hooks it falls.
#[test]
fn hooks_carry_the_weight() {
    let mut bench = hung("hooks", "", "");
    let start = bench.positions();
    bench.run(2.0);
    let now = bench.positions();
    let force: f64 = [0, 5, 10].map(|v| 1000.0 * (start[v].y - now[v].y)).iter().sum();
    let weight = 9.81 * bench.world.mass.iter().sum::<f64>();
    close("hooks carry a sheet [N]", force, weight, 5e-3);
    assert_eq!((tally(&bench, &ATTACHED), tally(&bench, &ATTACH_BROKEN)), (3.0, 0.0));
    let most = tally(&bench, &ATTACH_FORCE);
    assert!(most > force / 3.0 && most < force, "{most} N");
    let mut free = hung("hooks-far", "", "within = \"1 mm\"");
    free.run(0.5);
    assert_eq!(tally(&free, &ATTACHED), 0.0);
    // Drag slows it by less than a tenth.
    assert!(free.positions()[5].y < -0.9 * 0.5 * 9.81 * 0.25);
}

/// Hooks beside the border of a surface hold their vertices where they are, without force. Their offset is not below
/// the surface, but as much beside it.
#[test]
fn hooks_beside_a_border_hold_without_force() {
    let text = HUNG.replace("center = [0, 0, -0.007]", "center = [0, 0.05, -0.02]");
    let mut bench = shipped("hooks-beside", &sheet(), &text.replace("MOTION", "").replace("MORE", ""));
    assert!(tally(&bench, &ATTACHED) == 3.0 && tally(&bench, &ATTACH_FORCE) < 1e-9);
    let start = bench.positions();
    bench.run(2.0);
    let force: f64 = [0, 5, 10].map(|v| 1000.0 * (start[v].y - bench.positions()[v].y)).iter().sum();
    close("hooks beside a border carry a sheet [N]", force, 9.81 * bench.world.mass.iter().sum::<f64>(), 5e-3);
}

/// Hooks follow an obstacle that moves, and are let go at their time. The lag of 5 mm is that of a sheet of 6 g that is
/// drawn through air by springs of 1 kN/m, with the swing of its start.
#[test]
fn hooks_follow_and_let_go() {
    let mut bench = hung("follow", "keyframes = [{ time = 0 }, { time = 1, translate = [0.1, 0, 0] }]", "until = 1");
    let start = bench.positions();
    bench.run(0.9);
    let moved = (bench.positions()[5] - start[5]).x;
    assert!((moved - 0.09).abs() < 5e-3, "{moved} m");
    bench.run(1.5);
    assert_eq!(tally(&bench, &ATTACHED), 0.0);
    assert!(bench.positions()[5].y < -0.5, "{}", bench.positions()[5].y);
}

/// Hooks of less strength than the load come off, as many as are overloaded; those of more hold.
#[test]
fn hooks_come_off_at_their_strength() {
    let broken = |name: &str, strength: &str| {
        let mut bench = hung(name, "", &format!("strength = \"{strength}\""));
        bench.run(1.0);
        (tally(&bench, &ATTACH_BROKEN), bench.positions()[5].y)
    };
    let (count, height) = broken("weak", "10 mN");
    assert!(count == 3.0 && height < -1.0, "{count} {height}");
    let (count, height) = broken("strong", "100 mN");
    assert!(count == 0.0 && height > -1e-3, "{count} {height}");
}

/// A hook draws its vertex to the distance that is asked for, against the contact of the surface.
#[test]
fn hooks_draw_to_a_distance() {
    let mut bench = hung("gap", "", "gap = \"1.2 mm\"");
    bench.run(2.0);
    let z = [0, 5, 10].map(|v| bench.positions()[v].z);
    // The surface is at -2 mm. A weight of 20 mN turns the sheet about its hooks, which yield by 0.02 mm.
    assert!(z.iter().all(|z| (z + 0.8e-3).abs() < 0.1e-3), "{z:?}");
}

const PINNED: &str = r#"
[time]
fps = 30
frames = 61
[[cloth]]
name = "sheet"
mesh = "mesh.obj"
material = "cotton"
[[cloth.pin]]
all = true
PIN
"#;

/// Returns the sheet after a time, held as given.
fn pinned(name: &str, pin: &str, until: f64) -> Bench {
    let text =
        if pin == "none" { PINNED.replace("[[cloth.pin]]\nall = true\nPIN", "") } else { PINNED.replace("PIN", pin) };
    let mut bench = shipped(name, &sheet(), &text);
    bench.run(until);
    bench
}

/// A pin of weight 1 is one, and one of weight 0 is none, to the last bit. Between them each vertex sinks by its weight
/// over its spring, `g tau^2 (1 - w)/w`, within 0.2 %, and is at rest within a tenth of a second.
#[test]
fn pins_have_weights() {
    let bits = |name: &str, pin: &str| pinned(name, pin, 0.2).state.x;
    assert!(bits("pin-1", "weight = 1") == bits("pin", ""));
    assert!(bits("pin-0", "weight = 0") == bits("no-pin", "none"));
    for weight in [0.2, 0.5, 0.9] {
        let bench = pinned("pin-soft", &format!("weight = {weight}"), 0.5);
        let sunk = -bench.positions()[5].y;
        close(&format!("a pin of weight {weight} sinks [m]"), sunk, 9.81e-4 * (1.0 - weight) / weight, 2e-3);
        assert!(bench.state.v.iter().all(|v| v.norm() < 1e-4));
    }
}

/// Weights of a PLY file are those of its vertices. A row of weight 1 stays, one of 0.5 sinks, one of 0 hangs free.
/// Weights outside of 0 to 1, and channels that are not there, are told with the place.
#[test]
fn pins_have_weights_by_vertex() {
    let mesh = sheet();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("held");
    std::fs::create_dir_all(&folder).unwrap();
    let text = PINNED.replace("mesh.obj", "mesh.ply").replace("PIN", "weight_channel = \"pin\"");
    let build = |top: f64, text: &str| {
        let mut pin = vec![0.0; mesh.positions.len()];
        pin[..=CELLS].fill(top);
        pin[5] = 0.5;
        let record = ply::PlyRecord {
            positions: &mesh.positions,
            triangles: &mesh.triangles,
            velocities: None,
            uv: None,
            fields: &[("pin", &pin)],
        };
        std::fs::write(folder.join("mesh.ply"), ply::write(&record).unwrap()).unwrap();
        let file = folder.join("scene.toml");
        let scene = scene::read_text(&file, text.as_bytes(), &[]).unwrap();
        scene::build::build(&scene, &file).map(|built| (scene, built)).map_err(|refusal| refusal.faults)
    };
    let (scene, built) = build(1.0, &text).unwrap();
    let stepper = scene::build::stepper(&scene, &built.world);
    let mut bench = Bench { world: built.world, state: built.state, stepper };
    let start = bench.positions();
    bench.run(0.2);
    let x = bench.positions();
    assert!(x[0] == start[0] && x[10] == start[10]);
    assert!(x[5].y < 0.0 && x[5].y > -2e-3 && x[115].y < start[115].y, "{} {}", x[5], x[115]);
    for (top, text, told) in [
        (1.5, text.clone(), "is 1.5 at vertex 0; weights are 0 to 1"),
        (1.0, text.replace("\"pin\"", "\"pins\""), "the mesh has no channel 'pins', it has 'pin'; did you mean 'pin'?"),
    ] {
        let faults = build(top, &text).map(drop).unwrap_err();
        assert_eq!(faults[0].key, "cloth[0].pin[0].weight_channel");
        assert!(faults[0].message.contains(told), "{}", faults[0].message);
    }
}

const KEYED: &str = r#"
[time]
fps = 30
frames = 61
[[cloth]]
name = "sheet"
mesh = "mesh.obj"
material = "cotton"
MORE
"#;

/// Gravity turns over at half a second. A free sheet then falls on and comes to `-g/4` after one second, within 0.1 %;
/// with gravity as it is it would be at `-g/2`. A ramp from nothing gives `-g/6` of the second's square.
#[test]
fn gravity_follows_its_keys() {
    let fallen = |name: &str, more: &str| {
        let mut bench = shipped(name, &sheet(), &KEYED.replace("MORE", more));
        // Frames end at the jump; one within a step would be late by half of it.
        bench.run(0.5);
        bench.run(1.0);
        -bench.positions()[0].y
    };
    let turned = fallen("turned", "[[key]]\nof = \"gravity\"\ntimes = [0, 0.5, 0.5]\nfactors = [1, 1, -1]\n");
    close("gravity turns over [m]", turned, 9.81 / 4.0, 1e-3);
    let ramp = fallen("ramp", "[[key]]\nof = \"gravity\"\ntimes = [0, 1]\nfactors = [0, 1]\n");
    close("gravity grows [m]", ramp, 9.81 / 6.0, 1e-3);
    close("gravity without keys [m]", fallen("plain", ""), 9.81 / 2.0, 1e-3);
}

/// Wind by keys is that of the scene times their factor. A factor of 0 gives the bits of still air.
#[test]
fn wind_follows_its_keys() {
    let wind = "air_drag = 1\n[wind]\nvelocity = [3, 0, 0]\ngust = 1\n";
    let run = |name: &str, more: &str| {
        let mut bench = shipped(name, &sheet(), &KEYED.replace("MORE", more));
        let (early, late) = (bench.world.wind.at(0.5), bench.world.wind.at(3.0));
        bench.run(0.5);
        (bench.state.x, early, late)
    };
    let keys = |factors: &str| format!("{wind}[[key]]\nof = \"wind\"\ntimes = [0, 1]\nfactors = [{factors}]\n");
    let (whole, early, late) = run("wind", wind);
    let (none, ..) = run("wind-0", &keys("0, 0"));
    let (still, ..) = run("still", "air_drag = 1\n");
    assert!(none == still && none != whole);
    let (_, half, doubled) = run("wind-up", &keys("0, 2"));
    assert!((half - early).norm() < 1e-15 && (doubled - late * 2.0).norm() < 1e-15, "{half} {doubled}");
}

/// Cells of 1 cm along a strip of 20 cm by 5 cm, in the plane z = 0, whose warp runs along x.
fn strip() -> TriMesh {
    let corners = (0..=5).flat_map(|j| (0..=20).map(move |i| Vec3::new(0.01 * f64::from(i), 0.01 * f64::from(j), 0.0)));
    let cells = (0..5).flat_map(|j| (0..20).map(move |i| j * 21 + i));
    let cut = |a: u32| [[a, a + 1, a + 22], [a, a + 22, a + 21]];
    TriMesh { positions: corners.collect(), triangles: cells.flat_map(cut).collect(), ..TriMesh::default() }
}

const CHANGED: &str = r#"
[scene]
gravity = [0, 0, 0]
[time]
fps = 30
frames = 91
[[material]]
name = "plain"
base = "cotton"
young = "200 N/m"
poisson = 0
[[cloth]]
name = "strip"
mesh = "mesh.obj"
material = "plain"
air_drag = 1
warp = [1, 0, 0]
[[cloth.group]]
name = "border"
box = { min = [-1, -1, -1], max = [1, 0.001, 1] }
MORE
"#;

/// Runs a scene through a folder, frame by frame, and returns its last positions.
fn framed(name: &str, more: &str) -> (percale::Simulation, Vec<Vec3>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("changed-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mesh.obj"), percale::mesh::obj::write(&strip())).unwrap();
    let file = folder.join("scene.toml");
    std::fs::write(&file, CHANGED.replace("MORE", more)).unwrap();
    let mut simulation = percale::Simulation::load(&file, &[]).unwrap();
    while simulation.next_frame().unwrap().is_some() {}
    let x = simulation.positions("strip").unwrap().to_vec();
    (simulation, x)
}

/// Returns the lengths along warp and weft through the middle of a strip [m].
fn lengths(x: &[Vec3]) -> [f64; 2] {
    [(x[2 * 21 + 20] - x[2 * 21]).norm(), (x[5 * 21 + 10] - x[10]).norm()]
}

/// A free strip that shrinks to 0.8 along the warp and grows to 1.1 along the weft within a second has these lengths
/// after three, within 0.2 %. Without the table it keeps its own.
#[test]
fn a_free_strip_shrinks_to_its_factors() {
    let (_, x) = framed("free", "[[cloth.shrink]]\nwarp = 0.8\nweft = 1.1\n");
    let [warp, weft] = lengths(&x);
    close("a free strip shrinks along the warp [m]", warp, 0.2 * 0.8, 2e-3);
    close("a free strip grows along the weft [m]", weft, 0.05 * 1.1, 2e-3);
    let (_, x) = framed("plain", "");
    assert!((lengths(&x)[0] - 0.2).abs() < 1e-6);
}

/// A strip that is held at both ends and shrinks to 0.9 pulls with the force of its law: St. Venant-Kirchhoff without
/// Poisson's ratio has `Y (1/p^2 - 1)/(2 p)` for each width, within 1 %.
#[test]
fn a_held_strip_that_shrinks_pulls_by_its_law() {
    let more = "[[cloth.shrink]]\nwarp = 0.9\n\
                [[cloth.pin]]\nname = \"left\"\nbox = { min = [-1, -1, -1], max = [0.001, 1, 1] }\n\
                [[cloth.pin]]\nbox = { min = [0.199, -1, -1], max = [1, 1, 1] }\n\
                [[probe]]\nname = \"pull\"\nforce = { pin = \"left\" }\n";
    let force = pulled("held", more);
    let p: f64 = 0.9;
    close("a held strip that shrinks [N]", force, 0.05 * 200.0 * (1.0 / (p * p) - 1.0) / (2.0 * p), 1e-2);
}

/// A band of half the length of the border pulls with `EA (1/f - 1)` at the ends of a strip that is held, within 0.5 %.
#[test]
fn a_band_pulls_by_its_law() {
    let more = "[[cloth.band]]\ngroup = \"border\"\nfactor = 0.5\nstiffness = \"3 N\"\n\
                [[cloth.pin]]\nname = \"left\"\nbox = { min = [-1, -1, -1], max = [0.001, 1, 1] }\n\
                [[cloth.pin]]\nbox = { min = [0.199, -1, -1], max = [1, 1, 1] }\n\
                [[probe]]\nname = \"pull\"\nforce = { pin = \"left\" }\n";
    close("a band of half the length [N]", pulled("band", more), 3.0, 5e-3);
}

/// Returns the pull along x of the left pin at the end of a run of the command [N].
fn pulled(name: &str, more: &str) -> f64 {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("changed-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mesh.obj"), percale::mesh::obj::write(&strip())).unwrap();
    std::fs::write(folder.join("scene.toml"), CHANGED.replace("MORE", more)).unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_percale"));
    let output = command
        .current_dir(&folder)
        .args(["run", "scene.toml", "--out", "run", "--no-preview", "--progress", "none", "--threads", "1"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(folder.join("run/probes/pull.csv")).unwrap();
    let last = text.lines().last().unwrap();
    last.split(',').nth(1).unwrap().parse::<f64>().unwrap().abs()
}
