//! Fold lines, and bending that yields, on scenes as a user writes them: library materials, shipped steps, damping and
//! tolerance.

use crate::common::{Bench, Cut, close, cut, shipped};
use crate::shipped::{STEP, halved as at_half};
use crate::table::{Row, record};
use crate::this_test;
use percale::linalg::{Vec2, Vec3};
use percale::mesh::TriMesh;
use std::path::Path;

/// Length and width of a strip [m].
const SIZE: [f64; 2] = [0.2, 0.04];

/// Returns a strip along x in the plane y = 0, with cells of 1 cm. Its front is above.
fn strip(kind: Cut) -> TriMesh {
    cut(kind, 20, 4, SIZE[0], SIZE[1], |m| Vec3::new(m.x, 0.0, SIZE[1] - m.y))
}

const STRIP: &str = r#"
[scene]
gravity = [0, 0, 0]
[time]
frames = 121
[[cloth]]
name = "strip"
mesh = "mesh.obj"
material = "cotton"
air_drag = 1
MORE
"#;

/// Returns a group of the vertices at a place along the strip [m], and fold lines there.
fn line(k: usize, x: f64, fold: &str) -> String {
    let [low, high] = [x - 1e-3, x + 1e-3];
    format!(
        "[[cloth.group]]\nname = \"line-{k}\"\nbox = {{ min = [{low}, -1, -1], max = [{high}, 1, 1] }}\n\
         [[cloth.fold]]\ngroups = [\"line-{k}\"]\n{fold}\n"
    )
}

/// Returns a scene with a step [s].
fn stepped(text: &str, step: f64) -> String {
    text.replace("frames = 121", &format!("frames = 121\nstep = {step:e}"))
}

fn bench(name: &str, kind: Cut, more: &str) -> Bench {
    shipped(name, &strip(kind), &STRIP.replace("MORE", more))
}

/// Returns the angle by which the strip is folded between two places [degrees], positive where the front is outside.
fn folded(bench: &Bench, [before, after]: [f64; 2]) -> f64 {
    let x = bench.positions();
    let uv = &bench.world.objects[0].uv;
    // Mean place of the vertices near a place along the strip, on the side `wide` of its middle or everywhere.
    let mean = |at: f64, wanted: &dyn Fn(&Vec2) -> bool| {
        let own: Vec<Vec3> =
            x.iter().zip(uv).filter(|(_, m)| (m.x - at).abs() < 6e-3 && wanted(m)).map(|(p, _)| *p).collect();
        own.iter().sum::<Vec3>() / own.len() as f64
    };
    let along = |from: f64| mean(from + 0.03, &|_| true) - mean(from, &|_| true);
    let across = mean(before, &|m| m.y > 0.021) - mean(before, &|m| m.y < 0.019);
    let (a, b) = (along(before), along(after));
    // Weft is on the left of warp, seen from the front.
    let sin = a.cross(&b).dot(&across.normalize());
    sin.atan2(a.dot(&b)).to_degrees()
}

/// A free strip of paper with one crease rests at its angle, to either side, where nothing else is bent: energy is none
/// there. Within 0.2 degrees of swing that the air leaves after eight seconds. Without the fold it stays flat.
#[test]
fn a_crease_settles_at_its_angle() {
    let settled = |kind: Cut, angle: f64, step: f64| {
        let fold = line(0, 0.1, &format!("angle = \"{angle} deg\"\nover = \"0.5 s\""));
        let text = stepped(STRIP, step).replace("cotton", "paper").replace("MORE", &fold);
        let mut bench = shipped("crease", &strip(kind), &text);
        bench.run(8.0);
        let found = folded(&bench, [0.03, 0.14]);
        println!("{kind:?}, step {step}: {angle} degrees, found {found}");
        assert!((found - angle).abs() < 0.2, "{kind:?}: {found} instead of {angle}");
        found
    };
    settled(Cut::Aligned, -90.0, 4.0 * STEP);
    settled(Cut::Alternating, 150.0, 4.0 * STEP);
    let [measured] = at_half(|step| [settled(Cut::Alternating, 60.0, 4.0 * step)]);
    let scene = "paper, a strip with a fold of 60 degrees: its angle at rest".to_string();
    let row = Row { law: "bending", scene, unit: "degrees", asked: 60.0, measured, within: 0.2, step: 4.0 * STEP };
    record(this_test!(), &[row]);
    let mut bench = bench("crease-off", Cut::Alternating, "");
    bench.run(1.0);
    assert!(folded(&bench, [0.03, 0.14]).abs() < 1e-6);
}

/// Keys take the place of the ramp: half of the fold at two seconds, all of it at four, none at eight. A strip of paper
/// lags by its inertia and the air, less than 2 degrees at 20 degrees a second.
#[test]
fn a_crease_follows_its_keys() {
    let fold = line(0, 0.1, "angle = \"80 deg\"\nover = \"0.1 s\"");
    let keys = "[[key]]\nof = \"fold\"\nobjects = [\"strip\"]\ntimes = [0, 2, 4, 8]\nfactors = [0, 0.5, 1, 0]\n";
    let text = STRIP.replace("cotton", "paper").replace("MORE", &format!("{fold}{keys}"));
    let mut bench = shipped("crease-keyed", &strip(Cut::Alternating), &text);
    for (t, wanted) in [(2.0, 40.0), (4.0, 80.0), (8.0, 0.0)] {
        bench.run(t);
        let found = folded(&bench, [0.03, 0.14]);
        println!("{t} s: {found} degrees");
        assert!((found - wanted).abs() < 2.0, "{t} s: {found} instead of {wanted}");
    }
}

/// Pleats of ridges and valleys make the strip as long as the way along its legs: those between ridge and valley stand
/// at the angle of the fold. Within 0.5 %; unfolded it has its own length.
#[test]
fn pleats_have_the_width_of_their_geometry() {
    let ends = |bench: &Bench| {
        let x = bench.positions();
        let uv = &bench.world.objects[0].uv;
        let mean = |at: f64| {
            let own: Vec<Vec3> = x.iter().zip(uv).filter(|(_, m)| (m.x - at).abs() < 1e-3).map(|(p, _)| *p).collect();
            own.iter().sum::<Vec3>() / own.len() as f64
        };
        (mean(0.2) - mean(0.0)).norm()
    };
    let angle = f64::to_radians(120.0);
    let folds = |angle: &str| {
        let fold = |k: usize, x: f64, sign: &str| line(k, x, &format!("angle = \"{sign}{angle} deg\""));
        let pleat = |k: usize| {
            let x = 0.05 + 0.05 * k as f64;
            fold(2 * k, x, "") + &fold(2 * k + 1, x + 0.02, "-")
        };
        (0..3).map(pleat).collect::<String>()
    };
    let mut pleated = bench("pleats", Cut::Alternating, &folds("120"));
    pleated.run(4.0);
    // Three legs of 2 cm at the angle, the rest of 14 cm straight on.
    let way = Vec2::new(0.14 + 0.06 * angle.cos(), 0.06 * angle.sin());
    close("width of pleats of 120 degrees [m]", ends(&pleated), way.norm(), 5e-3);
    let mut flat = bench("pleats-off", Cut::Alternating, "");
    flat.run(1.0);
    close("width without pleats [m]", ends(&flat), 0.2, 1e-6);
}

/// A crease of a twentieth of the stiffness turns by `m h/(s B)` under the moment `m` per width of the part that hangs
/// from it, beside the plate's own bending; within 3 %. Of the whole stiffness it turns as little as any other line.
#[test]
fn a_soft_crease_turns_by_its_stiffness() {
    let (rigidity, density, gravity, length) = (144e-6, 0.075, 0.2, 0.1);
    let hung = |stiffness: f64| {
        let fold = line(0, 0.1, &format!("angle = 0\nstiffness = {stiffness}"));
        let held = "[[cloth.pin]]\nbox = { min = [-1, -1, -1], max = [0.101, 1, 1] }\n";
        let text = STRIP.replace("cotton", "paper").replace("[0, 0, 0]", &format!("[0, -{gravity}, 0]"));
        let mut bench = shipped("soft", &strip(Cut::Aligned), &text.replace("MORE", &format!("{fold}{held}")));
        bench.run(4.0);
        folded(&bench, [0.03, 0.11]).to_radians()
    };
    let moment = density * gravity * length * length / 2.0;
    let soft = hung(0.05) - hung(1.0);
    close("a crease of a twentieth of the stiffness [rad]", soft, moment * 0.01 / rigidity * 19.0, 3e-2);
}

const BENT: &str = r#"
[scene]
gravity = [0, 0, 0]
[time]
frames = 121
[[material]]
name = "own"
base = "cotton"
PLASTIC
[[cloth]]
name = "strip"
mesh = "mesh.obj"
rest = "chart"
rest_angles = "flat"
material = "own"
air_drag = 1
[[cloth.pin]]
all = true
until = "0.2 s"
MORE
"#;

/// Returns a strip of 5 cm, rolled to a curvature [1/m].
fn rolled(kind: Cut, curvature: f64) -> TriMesh {
    let radius = 1.0 / curvature;
    cut(kind, 20, 8, 0.05, 0.02, |m| {
        let (sin, cos) = (m.x * curvature).sin_cos();
        Vec3::new(radius * sin, radius * (1.0 - cos), m.y)
    })
}

/// Returns the angle of a strip of 5 cm from end to end [degrees], by the circle through three of its places.
fn kept(x: &[Vec3], uv: &[Vec2], places: [f64; 3]) -> f64 {
    let mean = |at: f64| {
        let own: Vec<Vec3> = x.iter().zip(uv).filter(|(_, m)| (m.x - at).abs() < 1.3e-3).map(|(p, _)| *p).collect();
        own.iter().sum::<Vec3>() / own.len() as f64
    };
    let [a, b, c] = places.map(mean);
    let area = (b - a).cross(&(c - a)).norm();
    let curvature = 2.0 * area / ((b - a).norm() * (c - b).norm() * (c - a).norm());
    (0.05 * curvature).to_degrees()
}

/// Bends a strip of 5 cm to a curvature [1/m], holds it for 0.2 s and lets it go. Returns the angle that stays from end
/// to end [degrees].
fn bent(kind: Cut, curvature: f64, plastic: &str, step: f64) -> f64 {
    let text = stepped(BENT, step).replace("PLASTIC", plastic).replace("MORE", "");
    let mut bench = shipped("bent", &rolled(kind, curvature), &text);
    bench.run(4.0);
    kept(&bench.positions(), &bench.world.objects[0].uv, [0.01, 0.025, 0.04])
}

/// Cloth that is bent past its yield keeps `L (k - y)/(1 + h)`, the return mapping of one dimension, within 2 degrees:
/// 129 and 92. Below its yield, and without it, it springs back to within 0.1 degrees.
#[test]
fn bending_past_its_yield_stays() {
    for kind in [Cut::Aligned, Cut::Alternating, Cut::Random] {
        for (yields, hardening) in [(15.0, 0.0), (20.0, 0.25)] {
            let plastic = format!("plastic = {{ bend = \"{yields} 1/m\", hardening = {hardening} }}");
            let stays = bent(kind, 60.0, &plastic, 4.0 * STEP);
            let wanted = (0.05f64 * (60.0 - yields) / (1.0 + hardening)).to_degrees();
            println!("{kind:?}, yield {yields} 1/m, hardening {hardening}: {stays} degrees stay, {wanted} by its law");
            assert!((stays - wanted).abs() < 2.0, "{kind:?}: {stays} instead of {wanted}");
        }
    }
    let [measured] =
        at_half(|step| [bent(Cut::Aligned, 60.0, "plastic = { bend = \"20 1/m\", hardening = 0.25 }", 4.0 * step)]);
    let asked = (0.05f64 * 40.0 / 1.25).to_degrees();
    let scene =
        "cotton that yields at 20 1/m, hardening 0.25, 5 cm rolled to 60 1/m and let go: angle that stays".to_string();
    record(
        this_test!(),
        &[Row { law: "bending", scene, unit: "degrees", asked, measured, within: 2.0, step: 4.0 * STEP }],
    );
    for plastic in ["plastic = { bend = \"61 1/m\" }", ""] {
        let stays = bent(Cut::Aligned, 60.0, plastic, 4.0 * STEP);
        println!("{plastic}: {stays} degrees stay");
        assert!(stays < 0.1, "{plastic}: {stays}");
    }
}

/// Cuts a mesh in two between the cells at a place along its warp [m]. Vertices there are doubled.
pub fn halved(mesh: &TriMesh, at: f64) -> TriMesh {
    let mut own = mesh.clone();
    let mut twins = std::collections::BTreeMap::new();
    for t in 0..own.triangles.len() {
        let middle: f64 = own.triangles[t].iter().map(|v| mesh.uv[*v as usize].x / 3.0).sum();
        for k in (0..3).filter(|_| middle > at) {
            let v = own.triangles[t][k];
            if (mesh.uv[v as usize].x - at).abs() < 1e-9 {
                let twin = *twins.entry(v).or_insert_with(|| {
                    own.positions.push(own.positions[v as usize]);
                    own.uv.push(own.uv[v as usize]);
                    own.positions.len() as u32 - 1
                });
                own.triangles[t][k] = twin;
                own.uv_triangles[t][k] = twin;
            }
        }
    }
    own
}

/// Yielding stays where worlds are built anew after it: seams that join, and rest shapes that change. Away from the
/// seam both keep the angle of the law within 2 degrees.
#[test]
fn yielding_is_carried_along() {
    let plastic = "plastic = { bend = \"15 1/m\" }";
    let wanted = (0.05f64 * 45.0).to_degrees();
    let whole = rolled(Cut::Aligned, 60.0);
    let seam = "[[cloth.seam]]\nname = \"middle\"\ncoincident = true\n[[cloth.sew]]\nover = \"0.3 s\"\n";
    let shrink = "[[cloth.shrink]]\nweft = 0.9\nfrom = \"0.3 s\"\nover = \"0.5 s\"\n";
    for (name, mesh, more) in [("seam", halved(&whole, 0.025), seam), ("shrink", whole, shrink)] {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fold-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("mesh.obj"), percale::mesh::obj::write(&mesh)).unwrap();
        let file = folder.join("scene.toml");
        std::fs::write(&file, BENT.replace("PLASTIC", plastic).replace("MORE", more)).unwrap();
        let mut simulation = percale::Simulation::load(&file, &[]).unwrap();
        while simulation.next_frame().unwrap().is_some() {}
        let stays = kept(simulation.positions("strip").unwrap(), &mesh.uv, [0.005, 0.0125, 0.02]);
        println!("{name}: {stays} degrees stay, {wanted} by its law");
        assert!((stays - wanted).abs() < 2.0, "{name}: {stays} instead of {wanted}");
    }
}

/// Folds and what has yielded are the same to the last bit on one and two threads, and of a run that is resumed in the
/// middle, also while rest shapes change.
#[test]
fn folds_resume_bit_for_bit() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fold-bits");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("mesh.obj"), percale::mesh::obj::write(&strip(Cut::Alternating))).unwrap();
    let own = "[[material]]\nname = \"own\"\nbase = \"cotton\"\nplastic = { bend = \"5 1/m\", hardening = 0.1 }\n";
    let pin = "[[cloth.pin]]\nbox = { min = [-1, -1, -1], max = [0.03, 1, 1] }\n[[cloth.shrink]]\nweft = 0.9\n";
    let fold = line(0, 0.1, "angle = \"90 deg\"") + &line(1, 0.15, "angle = \"-1.5 rad\"\nover = \"0.2 s\"");
    let text = STRIP.replace("[0, 0, 0]", "[0, -9.81, 0]").replace("MORE", &format!("{pin}{fold}"));
    std::fs::write(folder.join("scene.toml"), text.replace("\"cotton\"", "\"own\"") + own).unwrap();
    let run = |out: &str, more: &[&str]| {
        let given = ["run", "scene.toml", "--no-preview", "--progress", "none", "--out", out];
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_percale"));
        let output = command.current_dir(&folder).args(given).args(more).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let mesh = |frame: u32| std::fs::read(folder.join(out).join(format!("meshes/strip/strip.{frame:04}.ply"))).ok();
        (1..=16).map(mesh).collect::<Vec<_>>()
    };
    let one = run("one", &["--threads", "1", "--frames", "16"]);
    assert!(one.iter().all(Option::is_some) && one[5] != one[15]);
    assert!(run("two", &["--threads", "2", "--frames", "16"]) == one);
    run("cut", &["--threads", "2", "--frames", "8"]);
    assert!(run("cut", &["--threads", "1", "--frames", "16", "--resume"]) == one);
}
