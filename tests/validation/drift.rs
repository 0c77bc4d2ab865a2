//! Free cloths that touch themselves keep the place of their mass centre.

use crate::common::shipped;
use crate::table::{Row, record};
use crate::this_test;
use percale::linalg::Vec3;
use percale::mesh::ply;
use std::path::Path;

/// A pillow case, closed and leaking, that stiff fold lines close over itself without gravity or drag.
const FOLDED: &str = r#"
[scene]
gravity = [0, 0, 0]
[time]
frames = 151
STEP
[[cloth]]
name = "case"
mesh = "mesh.obj"
air_drag = 0
CLOTH
[[cloth.group]]
name = "top"
box = { min = [-0.001, -0.0001, -1], max = [0.001, 0.1, 1] }
[[cloth.group]]
name = "bottom"
box = { min = [-0.001, -0.1, -1], max = [0.001, 0.0001, 1] }
[[cloth.fold]]
groups = ["top"]
angle = "170 deg"
stiffness = 1000
over = "50 ms"
[[cloth.fold]]
groups = ["bottom"]
angle = "-170 deg"
stiffness = 1000
over = "50 ms"
[[balloon]]
cloth = "case"
volume = 1
permeability = "0.05 m/s"
"#;

/// Returns the speed of the mass centre of a folded balloon until 5 s, from its displacement [m/s], and the numbers of
/// contacts and of corrected vertices.
fn drift(name: &str, cloth: &str, step: f64) -> (f64, usize, u64) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/pillow.ply");
    let mesh = ply::read(&std::fs::read(file).unwrap()).unwrap().mesh;
    let text = FOLDED.replace("CLOTH", cloth).replace("STEP", &format!("step = {step:e}"));
    let mut bench = shipped(&format!("drift-{name}"), &mesh, &text);
    let centre = |bench: &crate::common::Bench| {
        let all: f64 = bench.world.mass.iter().sum();
        (0..bench.world.moving).map(|v| bench.state.x[v] * bench.world.mass[v]).sum::<Vec3>() / all
    };
    let before = centre(&bench);
    let (mut contacts, mut corrected) = (0, 0);
    for frame in 1..=150 {
        let report = bench.stepper.advance(&bench.world, &mut bench.state, f64::from(frame) / 30.0).unwrap();
        contacts = contacts.max(report.contacts);
        corrected += report.corrected;
    }
    ((centre(&bench) - before).norm() / 5.0, contacts, corrected)
}

/// A balloon that lies on itself in some hundred contacts stays where it is, at 0.1 mm/s or less, with and without
/// vertices that the proof corrects.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn a_folded_balloon_stays_where_it_is() {
    let thin = "material = \"jersey\"\ncontact_distance = \"0.02 mm\"\nthickness = \"0.02 mm\"";
    let rows = [("measured cotton", "material = \"measured-cotton\""), ("thin jersey", thin)].map(|(name, cloth)| {
        let measured = [4e-3, 2e-3].map(|step| {
            let (speed, contacts, corrected) = drift(name, cloth, step);
            println!("{name}, {step} s: {:.4} mm/s, {contacts} contacts, {corrected} corrected", 1e3 * speed);
            assert!(contacts > 50, "{contacts}");
            1e3 * speed
        });
        let scene = format!("a balloon of {name}, folded over itself, free for 5 s: mean speed of its mass centre");
        Row { law: "contact", scene, unit: "mm/s", asked: 0.0, measured, within: 0.1, step: 4e-3 }
    });
    record(this_test!(), &rows);
}
