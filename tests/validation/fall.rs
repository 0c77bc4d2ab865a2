//! Free fall, `g t^2/2`, of a horizontal sheet and a block in a vacuum.

use crate::common::G;
use crate::shipped::{STEP, bench, fabrics, folder, halved, mean, sheet, solids};
use crate::table::{Row, record};
use crate::this_test;

/// Duration of the fall [s].
const LONG: f64 = 0.3;

/// Measures the fall. BDF2 is exact for a parabola; the first step, an eighth of the others, is backward Euler and
/// leaves a constant error of `g h^2/128`, 1e-7 m, and `g h/16 t` from its speed, 2e-4 m at most. Half a millimetre is
/// 0.1 % of the distance.
fn row(law: &'static str, name: &str, thing: &str) -> Row {
    let here = folder("fall");
    sheet(&here.join("sheet.obj"), [8, 8], 0.0125);
    let [measured] = halved(|step| {
        let mut bench = bench(&here, thing, step);
        let before = mean(&bench).0;
        bench.run(LONG);
        [(before - mean(&bench).0).y]
    });
    Row {
        law,
        scene: format!("{name} falls for {LONG} s"),
        unit: "m",
        asked: 0.5 * G * LONG * LONG,
        measured,
        within: 5e-4,
        step: STEP,
    }
}

fn cloth(material: &str) -> Row {
    row("inertia", material, &format!("[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\nmaterial = \"{material}\"\n"))
}

fn solid(material: &str) -> Row {
    let thing = format!("[[body]]\nname = \"block\"\nbox = {{ size = [0.1, 0.02, 0.1] }}\nmaterial = \"{material}\"\n");
    row("inertia", material, &thing)
}

/// Tests a light fabric and the heaviest solid.
#[test]
fn what_is_let_go_falls() {
    record(this_test!(), &[cloth("silk"), solid("rubber")]);
}

/// Tests all fabrics and solids.
#[test]
#[ignore = "long: all materials of the library, a minute"]
fn everything_falls() {
    let rows: Vec<Row> = fabrics().map(cloth).chain(solids().map(solid)).collect();
    record(this_test!(), &rows);
}
