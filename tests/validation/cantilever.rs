//! Cantilevers of the library's materials under their own weight, at rest.
//!
//! A strip of cloth hangs as the heavy elastica (Romero et al. 2021, figure 3: `H/W` over `rho g L^3/B`), a beam of a
//! solid follows Timoshenko. Air drag brings them to rest without changing the equilibrium.

use crate::common::{Bench, G};
use crate::shipped::{STEP, bench, fabrics, folder, halved, sheet, solids, turned};
use crate::table::{Row, record};
use crate::this_test;
use percale::force::bending::Bending;
use percale::force::internal_friction::InternalFriction;
use percale::linalg::Vec3;
use percale::scene::library;

/// `rho g L^3/B` and `H/W`.
const HEAVY: (f64, f64) = (5.0, 0.58572);
/// Number of cells along a strip.
const CELLS: usize = 20;
/// Length and thickness of a beam [m].
const BEAM: [f64; 2] = [0.2, 0.02];

/// Returns the mean of the vertices whose initial position is beyond `x` [m].
fn tip(bench: &Bench, x: f64) -> Vec3 {
    let rest = &bench.world.rest[..bench.world.moving];
    let (mut sum, mut count) = (Vec3::zeros(), 0.0);
    for (now, _) in bench.state.x.iter().zip(rest).filter(|(_, rest)| rest.x > x) {
        sum += now;
        count += 1.0;
    }
    sum / count
}

fn fastest(bench: &Bench) -> f64 {
    bench.state.v[..bench.world.moving].iter().fold(0.0, |most, v| v.norm().max(most))
}

/// Measures `H/W` of a strip whose weight makes it the elastica above. Tolerance 5 %: cells of a twentieth of its
/// length stiffen the clamp and cut the bend, and the sheet bends across as well, 1.6 %. Its clamp acts in the middle
/// of its first cell (see `bending.rs`).
fn strip(material: &str) -> Vec<Row> {
    let own = library().materials.all.iter().find(|m| m.name == material).unwrap();
    let Bending::Constant(rigidity) = own.bending else { panic!("{material} has no one rigidity") };
    let length = (HEAVY.0 * rigidity / (own.density * G)).cbrt();
    let cell = length / (CELLS as f64 - 0.5);
    // Half of the critical drag of its first mode, 3.52/L^2 sqrt(B/rho).
    let drag = 3.52 / (length * length) * (rigidity * own.density).sqrt();
    let here = folder("strip");
    sheet(&here.join("strip.obj"), [CELLS, CELLS], cell);
    let text = format!(
        "[[cloth]]\nname = \"strip\"\nmesh = \"strip.obj\"\nmaterial = \"{material}\"\nair_drag = {drag}\nair_drag_tangent = {drag}\n\
         pin = [{{ box = {{ min = [-1, -1, -1], max = [{}, 1, 1] }} }}]\n",
        1.4 * cell
    );
    let [droop, speed] = halved(|step| {
        let mut bench = bench(&here, &text, step);
        bench.run(2.0);
        let tip = tip(&bench, (CELLS as f64 - 0.1) * cell);
        [-tip.y / (tip.x - 0.5 * cell), 1e3 * fastest(&bench)]
    });
    let row = |law, quantity: &str, unit, asked, measured, within| Row {
        law,
        scene: format!("{material}, {:.1} mm overhang: {quantity}", 1e3 * length),
        unit,
        asked,
        measured,
        within,
        step: STEP,
    };
    vec![
        row("bending", "drop over reach", "", HEAVY.1, droop, 0.05 * HEAVY.1),
        row("solver", "speed at rest", "mm/s", 0.0, speed, 0.5),
    ]
}

/// Narrow strips cut along warp, weft and bias, each as long as its rigidity makes it the elastica above. A strip cut
/// at 45 degrees bends across and twists: of a plate `D` it has `1/(t D^-1 t)` with `t = (1, 1, 2)/2`, here 6.7 uN m
/// where a cylinder has 12. Its clamp keeps it from bending across for about its width, a twentieth of its length,
/// where the moment is largest: it hangs up to 7 % less. Diagonals are aligned, since alternating ones stiffen a clamp
/// by some of a cell. Tolerance as in [`strip`] otherwise. With the mean of warp and weft for both, the strip cut along
/// warp is off by more.
#[test]
fn strips_bend_by_the_direction_of_their_cut() {
    let (density, cells) = (0.2, [40, 2]);
    let droop = |degrees: f64, law: &str, rigidity: f64, step: f64| {
        let length = (HEAVY.0 * rigidity / (density * G)).cbrt();
        let cell = length / (cells[0] as f64 - 0.5);
        let drag = 3.52 / (length * length) * (rigidity * density).sqrt();
        let here = folder("cut");
        turned(&here.join("strip.obj"), cells, cell, degrees);
        let text = format!(
            "[[material]]\nname = \"cut\"\nbase = \"cotton\"\ndensity = {density}\n{law}\n\
             [[cloth]]\nname = \"strip\"\nmesh = \"strip.obj\"\nrest = \"chart\"\nmaterial = \"cut\"\n\
             air_drag = {drag}\nair_drag_tangent = {drag}\n\
             pin = [{{ box = {{ min = [-1, -1, -1], max = [{}, 1, 1] }} }}]\n",
            1.4 * cell
        );
        let mut bench = bench(&here, &text, step);
        bench.run(1.0);
        let tip = tip(&bench, (cells[0] as f64 - 0.1) * cell);
        -tip.y / (tip.x - 0.5 * cell)
    };
    let row = |cut: &str, degrees: f64, rigidity: f64, [warp, weft, bias]: [f64; 3]| {
        let law = format!(
            "rigidity_orthotropic = {{ warp = \"{warp} uN m\", weft = \"{weft} uN m\", bias = \"{bias} uN m\" }}"
        );
        let [measured] = halved(|step| [droop(degrees, &law, 1e-6 * rigidity, step)]);
        Row {
            law: "bending",
            scene: format!("{warp} x {weft} uN m, {bias} on the bias, cut along the {cut}: drop over reach"),
            unit: "",
            asked: HEAVY.1,
            measured,
            within: if cut == "bias" { 0.07 } else { 0.05 } * HEAVY.1,
            step: STEP,
        }
    };
    let rows = [
        row("warp", 0.0, 30.0, [30.0, 10.0, 20.0]),
        row("weft", 90.0, 10.0, [30.0, 10.0, 20.0]),
        row("bias", 45.0, 20.0 / 3.0, [20.0, 20.0, 12.0]),
    ];
    let off = droop(0.0, "rigidity = \"20 uN m\"", 30e-6, STEP);
    assert!(off > 1.1 * HEAVY.1, "{off}");
    record(this_test!(), &rows);
}

/// Measures the sag of a beam of square section at its default mesh, under the weight that bends it by a hundredth of
/// its length: `q L^4/(8 E I) + q L^2/(2 k G A)` with Cowper's `k`. Tolerance 20 %: linear tetrahedra of the lattice
/// are some per cent too stiff at four cells across (see `rubber.rs`).
fn beam(material: &str) -> Row {
    let own = library().solids.all.iter().find(|s| s.name == material).unwrap();
    let [length, thick] = BEAM;
    let (area, second, shear) = (thick * thick, thick.powi(4) / 12.0, own.young / (2.0 * (1.0 + own.poisson)));
    let k = 10.0 * (1.0 + own.poisson) / (12.0 + 11.0 * own.poisson);
    let sag = length.powi(4) / (8.0 * own.young * second) + length * length / (2.0 * k * shear * area);
    let asked = 0.01 * length;
    let gravity = asked / (sag * own.density * area);
    let frequency = 3.52 / (length * length) * (own.young * second / (own.density * area)).sqrt();
    let text = format!(
        "[scene]\ngravity = [0, {}, 0]\n[[solid]]\nname = \"in-air\"\nbase = \"{material}\"\ndrag = {frequency}\n\
         [[body]]\nname = \"beam\"\nbox = {{ center = [{}, 0, 0], size = [{length}, {thick}, {thick}] }}\nmaterial = \"in-air\"\n\
         pin = [{{ box = {{ min = [-1, -1, -1], max = [1e-4, 1, 1] }} }}]\n",
        -gravity,
        0.5 * length,
    );
    let here = folder("beam");
    let [measured] = halved(|step| {
        let mut bench = bench(&here, &text, step);
        let end = 0.999 * length;
        let before = tip(&bench, end).y;
        // Seven decays of its first mode, and four periods.
        bench.run(25.0 / frequency);
        [1e3 * (before - tip(&bench, end).y)]
    });
    Row {
        law: "solid",
        scene: format!("{material}, beam of 200 x 20 x 20 mm: sag"),
        unit: "mm",
        asked: 1e3 * asked,
        measured,
        within: 200.0 * asked,
        step: STEP,
    }
}

#[test]
fn a_strip_of_cotton_hangs_as_the_elastica() {
    record(this_test!(), &strip("cotton"));
}

/// Tests all fabrics of a single rigidity and without internal friction. Rigidities by direction and by curvature have
/// tests of their own (`bending.rs`). Paper is left out: alternating diagonals lock the clamp of a sheet that hardly
/// stretches, by 6.7 % with 20 cells and 1.9 % with 40. Aligned ones give 0.585.
#[test]
#[ignore = "long: all fabrics of the library, minutes"]
fn every_fabric_of_one_rigidity_hangs_as_the_elastica() {
    let constant = |name: &&str| {
        let own = library().materials.all.iter().find(|m| m.name == **name).unwrap();
        own.name != "paper"
            && matches!(own.bending, Bending::Constant(_))
            && own.internal_friction == InternalFriction::default()
    };
    let rows: Vec<Row> = fabrics().filter(constant).flat_map(strip).collect();
    record(this_test!(), &rows);
}

/// Tests all solids.
#[test]
#[ignore = "long: all solids of the library, minutes"]
fn every_beam_sags_as_timoshenko_says() {
    record(this_test!(), &solids().map(beam).collect::<Vec<Row>>());
}
