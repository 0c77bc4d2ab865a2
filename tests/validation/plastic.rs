//! Stretch that yields, on scenes as a user writes them: library materials, shipped steps, damping and tolerance.

use crate::common::{Bench, Cut, cut};
use crate::shipped::{STEP, bench, folder, halved};
use crate::table::{Row, record};
use crate::this_test;
use percale::linalg::{Mat3, Vec2, Vec3};
use percale::mesh::{TriMesh, obj};
use std::path::Path;

/// Length and width of a strip [m].
const SIZE: [f64; 2] = [0.05, 0.02];

/// Strain along warp, along weft, and half the shear.
type Strain = [f64; 3];

/// Returns a strip in the plane y = 0 with a homogeneous strain.
fn strained(kind: Cut, [warp, weft, shear]: Strain) -> TriMesh {
    cut(kind, 10, 4, SIZE[0], SIZE[1], |m| {
        let (u, v) = ((1.0 + warp) * m.x + shear * m.y, shear * m.x + (1.0 + weft) * m.y);
        Vec3::new(u, 0.0, -v)
    })
}

/// Scene of a strip of which all is held for 0.2 s, and then nothing.
fn scene(material: &str, plastic: &str, more: &str) -> String {
    format!(
        "[scene]\ngravity = [0, 0, 0]\n[[material]]\nname = \"own\"\nbase = \"{material}\"\n{plastic}\n\
         [[cloth]]\nname = \"strip\"\nmesh = \"mesh.obj\"\nrest = \"chart\"\nrest_angles = \"flat\"\nmaterial = \"own\"\n\
         air_drag = 1\n{more}\n[[cloth.pin]]\nall = true\nuntil = \"0.2 s\"\n"
    )
}

fn made(name: &str, mesh: &TriMesh) -> std::path::PathBuf {
    let folder = folder(name);
    std::fs::write(folder.join("mesh.obj"), obj::write(mesh)).unwrap();
    folder
}

/// Returns the strain of lengths along warp, along weft, and half the shear, of the linear map nearest to a strip.
fn strain(x: &[Vec3], uv: &[Vec2]) -> Strain {
    let n = x.len() as f64;
    let (mean_x, mean_m) = (x.iter().sum::<Vec3>() / n, uv.iter().sum::<Vec2>() / n);
    let (mut moved, mut chart) = ([Vec3::zeros(); 2], [0.0; 3]);
    for (p, m) in x.iter().zip(uv) {
        let (p, m) = (p - mean_x, m - mean_m);
        moved[0] += p * m.x;
        moved[1] += p * m.y;
        chart = [chart[0] + m.x * m.x, chart[1] + m.y * m.y, chart[2] + m.x * m.y];
    }
    let det = chart[0] * chart[1] - chart[2] * chart[2];
    let warp = (moved[0] * chart[1] - moved[1] * chart[2]) / det;
    let weft = (moved[1] * chart[0] - moved[0] * chart[2]) / det;
    // The root of warp and weft's products, by its eigenvalues.
    let [a, b, c] = [warp.norm_squared(), weft.norm_squared(), warp.dot(&weft)];
    let products = Mat3::new(a, c, 0.0, c, b, 0.0, 0.0, 0.0, 1.0).symmetric_eigen();
    let root = products.eigenvectors
        * Mat3::from_diagonal(&products.eigenvalues.map(f64::sqrt))
        * products.eigenvectors.transpose();
    [root[(0, 0)] - 1.0, root[(1, 1)] - 1.0, root[(0, 1)]]
}

/// Holds a strip at a strain and lets it go. Returns the strain that stays after three seconds.
fn kept(kind: Cut, held: Strain, (material, plastic): (&str, &str), step: f64) -> Strain {
    let mesh = strained(kind, held);
    let mut bench = bench(&made("plastic", &mesh), &scene(material, plastic, ""), step);
    bench.run(3.0);
    strain(&bench.positions(), &mesh.uv)
}

fn off(found: Strain, wanted: Strain) -> f64 {
    found.iter().zip(wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Cloth that is pulled past its yield keeps `(e - y)/(1 + h)`, the return mapping of one dimension, within 1 % of it:
/// along warp, weft and bias, where it is sheared, and where it is pulled both ways. The strain across stays elastic.
#[test]
fn stretch_past_its_yield_stays() {
    // A shear is a pull and a push along the bias, of which the pull stays.
    let sheared = (0.08 - 0.02) / 2.0;
    for (material, kind, held, (yields, hardening), wanted) in [
        ("cotton", Cut::Alternating, [0.10, 0.0, 0.0], (0.02, 0.0), [0.08, 0.0, 0.0]),
        ("cotton", Cut::Random, [0.10, -0.02, 0.0], (0.02, 0.25), [0.064, 0.0, 0.0]),
        ("denim", Cut::Aligned, [0.0, 0.05, 0.0], (0.01, 0.0), [0.0, 0.04, 0.0]),
        ("jersey", Cut::Alternating, [0.30, 0.0, 0.0], (0.05, 0.5), [0.25 / 1.5, 0.0, 0.0]),
        ("silk", Cut::Random, [0.05, 0.05, 0.05], (0.02, 0.0), [0.04, 0.04, 0.04]),
        ("cotton", Cut::Alternating, [0.0, 0.0, 0.08], (0.02, 0.0), [sheared, sheared, sheared]),
        ("cotton", Cut::Aligned, [0.10, 0.06, 0.0], (0.02, 0.0), [0.08, 0.04, 0.0]),
    ] {
        let plastic = format!("plastic = {{ stretch = {yields}, stretch_hardening = {hardening} }}");
        let stays = kept(kind, held, (material, &plastic), 4.0 * STEP);
        println!(
            "{material}, {kind:?}, {held:?}, yield {yields}, hardening {hardening}: {stays:?}, {wanted:?} by its law"
        );
        let most = wanted.iter().fold(0.0, |most: f64, own| most.max(*own));
        assert!(off(stays, wanted) < 0.01 * most, "{held:?}: {stays:?} instead of {wanted:?}");
    }
}

/// Below its yield, without it, and where it was pushed, cloth springs back to within 1e-4.
#[test]
fn stretch_below_its_yield_springs_back() {
    let law = "plastic = { stretch = 0.05 }";
    for (plastic, held) in [(law, [0.049, 0.0, 0.0]), ("", [0.10, 0.0, 0.0]), (law, [-0.06, 0.02, 0.0])] {
        let stays = kept(Cut::Alternating, held, ("cotton", plastic), 4.0 * STEP);
        println!("{plastic} {held:?}: {stays:?}");
        assert!(off(stays, [0.0; 3]) < 1e-4, "{plastic} {held:?}: {stays:?} stays");
    }
}

const PULLED: &str = r#"
[scene]
gravity = [0, 0, 0]
[[material]]
name = "own"
base = "MATERIAL"
PLASTIC
[[cloth]]
name = "strip"
mesh = "mesh.obj"
rest = "chart"
material = "own"
air_drag = 1
MORE
[[cloth.pin]]
box = { min = [-1, -1, -1], max = [1e-4, 1, 1] }
until = "1.2 s"
[[cloth.pin]]
box = { min = [0.1999, -1, -1], max = [1, 1, 1] }
keyframes = [{ time = 0 }, { time = 1, translate = [PULL, 0, 0] }]
until = "1.2 s"
"#;

/// Pulls a strip of 20 cm at its ends in one second, holds it and lets it go. Returns the strain of its middle third
/// while it is held and of what stays, and the work against yielding [J].
fn pulled(material: &str, plastic: &str, pull: f64, more: &str, step: f64) -> [f64; 3] {
    let mesh = cut(Cut::Alternating, 40, 8, 0.2, 0.04, |m| Vec3::new(m.x, 0.0, 0.04 - m.y));
    let text = PULLED.replace("MATERIAL", material).replace("PLASTIC", plastic).replace("MORE", more);
    let text = text.replace("PULL", &pull.to_string());
    let mut bench = bench(&made("pulled", &mesh), &text, step);
    let middle = |bench: &Bench| {
        let x = bench.positions();
        let mean = |at: f64| {
            let own = x.iter().zip(&mesh.uv).filter(|(_, m)| (m.x - at).abs() < 1e-6);
            let own: Vec<Vec3> = own.map(|(p, _)| *p).collect();
            own.iter().sum::<Vec3>() / own.len() as f64
        };
        (mean(0.13) - mean(0.07)).norm() / 0.06 - 1.0
    };
    bench.run(1.19);
    let held = middle(&bench);
    bench.run(4.0);
    let stretchings = bench.world.elements.stretchings();
    let name = percale::force::term::Law::name(&stretchings);
    let work = bench.state.memory.of(name).chunks(4).map(|own| own[3]).sum();
    [held, middle(&bench), work]
}

/// A strip is pulled at its ends, as in a machine, and let go. Its middle keeps the return mapping of what it had, with
/// Poisson's ratio and clamps, within 1 %. Hardening keeps the strain even. Without yielding nothing stays.
#[test]
fn a_pulled_strip_keeps_its_return_mapping() {
    let row = |(yields, hardening): (f64, f64)| {
        let plastic = format!("plastic = {{ stretch = {yields}, stretch_hardening = {hardening} }}");
        let asked = |held: f64| (held - yields) / (1.0 + hardening);
        let [held, stays] = halved(|step| {
            let [held, stays, _] = pulled("cotton", &plastic, 0.02, "", 4.0 * step);
            [held, stays]
        });
        let asked = held.map(asked);
        println!("held {held:?}, stays {stays:?}, {asked:?} by its law");
        assert!((asked[0] - asked[1]).abs() < 5e-3 * asked[0]);
        Row {
            law: "membrane",
            scene: format!(
                "cotton that yields at {:.0} %, hardening {hardening}, pulled to {:.1} % and let go: strain that stays",
                100.0 * yields,
                100.0 * held[0]
            ),
            unit: "%",
            asked: 100.0 * asked[0],
            measured: stays.map(|stays| 100.0 * stays),
            within: asked[0],
            step: 4.0 * STEP,
        }
    };
    record(this_test!(), &[row((0.02, 0.25)), row((0.03, 0.5))]);
    let [held, stays, _] = pulled("cotton", "", 0.02, "", 4.0 * STEP);
    assert!(held > 0.09 && stays.abs() < 1e-4, "{held} {stays}");
}

/// A strain limit bounds what stays: cloth of jersey that hangs under ten times its weight for half a second keeps
/// what lies between yield and limit. Without the limit it keeps many times that.
#[test]
fn a_strain_limit_bounds_what_stays() {
    let mesh = cut(Cut::Alternating, 40, 8, 0.2, 0.04, |m| Vec3::new(m.y, -m.x, 0.0));
    let hung = |limit: &str| {
        let text = PULLED
            .replace("MATERIAL", "jersey")
            .replace("PLASTIC", "plastic = { stretch = 0.02, stretch_hardening = 0.1 }");
        let text =
            text[..text.find("[[cloth.pin]]").unwrap()].replace("MORE", limit).replace("[0, 0, 0]", "[0, -100, 0]");
        let text = text
            + "[[cloth.pin]]\nbox = { min = [-1, -1e-4, -1], max = [1, 1, 1] }\n\
               [[key]]\nof = \"gravity\"\ntimes = [0.5, 0.6]\nfactors = [1, 0]\n";
        let mut bench = bench(&made("hung", &mesh), &text, 4.0 * STEP);
        bench.run(3.0);
        let x = bench.positions();
        let mean = |at: f64| {
            let own = x.iter().zip(&mesh.uv).filter(|(_, m)| (m.x - at).abs() < 1e-6);
            let own: Vec<Vec3> = own.map(|(p, _)| *p).collect();
            own.iter().sum::<Vec3>() / own.len() as f64
        };
        (mean(0.06) - mean(0.02)).norm() / 0.04 - 1.0
    };
    let [limited, free] = ["strain_limit = 0.05", ""].map(hung);
    println!("{limited} stays with a limit of 5 %, {free} without");
    assert!(limited > 0.5 * 0.03 / 1.1 && limited < 1.1 * 0.03 / 1.1 && free > 3.0 * limited, "{limited} {free}");
}

/// Yielding stays where worlds are built anew after it: seams that join, and rest shapes that change.
/// Away from the seam both keep the strain of the law within 1 %.
#[test]
fn yielding_is_carried_along() {
    let law = "plastic = { stretch = 0.02 }";
    let seam = "[[cloth.seam]]\nname = \"middle\"\ncoincident = true\n[[cloth.sew]]\nover = \"0.3 s\"\n";
    let shrink = "[[cloth.shrink]]\nweft = 0.9\nfrom = \"0.3 s\"\nover = \"0.5 s\"\n";
    let whole = strained(Cut::Aligned, [0.10, 0.0, 0.0]);
    for (name, mesh, more, weft) in
        [("seam", crate::fold::halved(&whole, 0.025), seam, 0.0), ("shrink", whole, shrink, -0.1)]
    {
        let folder = made(&format!("plastic-{name}"), &mesh);
        let file = folder.join("scene.toml");
        let text = scene("cotton", law, more) + "[time]\nframes = 91\n";
        std::fs::write(&file, text).unwrap();
        let mut simulation = percale::Simulation::load(&file, &[]).unwrap();
        while simulation.next_frame().unwrap().is_some() {}
        let all = simulation.positions("strip").unwrap();
        let (x, uv): (Vec<Vec3>, Vec<Vec2>) = all.iter().zip(&mesh.uv).filter(|(_, m)| m.x < 0.0201).unzip();
        let stays = strain(&x, &uv);
        println!("{name}: {stays:?} stays");
        assert!(off(stays, [0.08, weft, 0.0]) < 8e-4, "{name}: {stays:?}");
    }
}

/// Stretch that yields is the same to the last bit on one and two threads, and of a run that is resumed in the middle.
#[test]
fn stretch_resumes_bit_for_bit() {
    let folder = made("plastic-bits", &cut(Cut::Alternating, 40, 8, 0.2, 0.04, |m| Vec3::new(m.x, 0.0, 0.04 - m.y)));
    let law = "plastic = { stretch = 0.02, stretch_hardening = 0.1, bend = \"20 1/m\" }";
    let text = PULLED.replace("MATERIAL", "cotton").replace("PLASTIC", law).replace("PULL", "0.02");
    let text = text
        .replace("MORE", "")
        .replace("[0, 0, 0]\n[[mat", "[0, -9.81, 0]\n[[mat")
        .replace("time = 1,", "time = 0.3,");
    let text =
        text.replace("\"1.2 s\"", "\"0.35 s\"") + "[output]\nfields = [\"plastic_strain\"]\n[time]\nframes = 16\n";
    std::fs::write(folder.join("scene.toml"), text).unwrap();
    let one = run(&folder, "one", &["--threads", "1"]);
    assert!(one.iter().all(Option::is_some) && one[5] != one[15]);
    let stats = std::fs::read_to_string(folder.join("one/stats.ndjson")).unwrap();
    assert!(stats.lines().last().unwrap().contains("plastic_stretch"), "{stats}");
    assert!(run(&folder, "two", &["--threads", "2"]) == one);
    run(&folder, "cut", &["--threads", "2", "--frames", "8"]);
    assert!(run(&folder, "cut", &["--threads", "1", "--frames", "16", "--resume"]) == one);
}

/// Runs a scene, and returns the meshes of its frames.
fn run(folder: &Path, out: &str, more: &[&str]) -> Vec<Option<Vec<u8>>> {
    let given = ["run", "scene.toml", "--no-preview", "--progress", "none", "--out", out];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_percale"));
    let output = command.current_dir(folder).args(given).args(more).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mesh = |frame: u32| std::fs::read(folder.join(out).join(format!("meshes/strip/strip.{frame:04}.ply"))).ok();
    (1..=16).map(mesh).collect()
}
