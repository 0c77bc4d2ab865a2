//! Coulomb's law on a slope: objects slide with `g (sin - mu cos)` if the slope is steeper than friction, and stay if
//! not.
//!
//! The plane is horizontal and gravity is tilted. The plane's friction is that of the material, so that the pair has it
//! too.

use crate::common::G;
use crate::shipped::{STEP, bench, fabrics, folder, halved, mean, sheet, solids};
use crate::table::{Row, record};
use crate::this_test;
use percale::scene::library;

/// Ratio of the slope to friction, as tangents, for sliding and for sticking.
const STEEP: f64 = 2.0;
const FLAT: f64 = 0.9;
/// Interval of the measured acceleration, whose end is also the time of the measured creep [s]. Landing is over before.
const TIMES: [f64; 2] = [0.3, 0.6];

/// Returns, down the slope at the second time, the acceleration since the first [m/s^2], and the speed [m/s].
fn slid(thing: &str, tangent: f64, friction: [f64; 2], step: f64) -> [f64; 2] {
    let angle = tangent.atan();
    let gravity = [G * angle.sin(), -G * angle.cos()];
    let here = folder("slope");
    sheet(&here.join("sheet.obj"), [8, 8], 0.0125);
    let text = format!(
        "[scene]\ngravity = [{}, {}, 0]\n{thing}\n[[obstacle]]\nname = \"slope\"\nplane = {{ size = 20 }}\n\
         friction_static = {}\nfriction_dynamic = {}\n",
        gravity[0], gravity[1], friction[0], friction[1]
    );
    let mut bench = bench(&here, &text, step);
    bench.run(TIMES[0]);
    let before = mean(&bench).1.x;
    bench.run(TIMES[1]);
    let after = mean(&bench).1.x;
    [(after - before) / (TIMES[1] - TIMES[0]), after]
}

/// Measures the acceleration, within 2 %: barrier and friction act on momentum exactly, and the rest is the oscillation
/// after landing. Sticking objects creep at less than half a millimetre per second.
fn rows(name: &str, thing: &str, friction: [f64; 2]) -> Vec<Row> {
    let [still, sliding] = friction;
    let steep = (STEEP * still.max(sliding)).atan();
    let asked = G * (steep.sin() - sliding * steep.cos());
    let [measured, _] = halved(|step| slid(thing, steep.tan(), friction, step));
    // The slope is below sliding friction too, so that an object that slips at landing stops.
    let flat = FLAT * still.min(sliding);
    let [_, creep] = halved(|step| slid(thing, flat, friction, step));
    let row = |scene: String, unit, asked, measured, within| Row {
        law: "friction",
        scene,
        unit,
        asked,
        measured,
        within,
        step: STEP,
    };
    let degrees = |tangent: f64| tangent.atan().to_degrees();
    vec![
        row(
            format!("{name} slides at {:.1} degrees: acceleration", degrees(steep.tan())),
            "m/s2",
            asked,
            measured,
            0.02 * asked,
        ),
        row(format!("{name} stays at {:.1} degrees: speed", degrees(flat)), "mm/s", 0.0, creep.map(|v| 1e3 * v), 0.5),
    ]
}

fn cloth(material: &str) -> Vec<Row> {
    let all = &library().materials.all;
    let own = all.iter().find(|m| m.name == material).unwrap();
    let thing = format!(
        "[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\nmaterial = \"{material}\"\ntransform = {{ translate = [0, {}, 0] }}\n",
        0.5 * own.thickness + 1e-3
    );
    rows(material, &thing, [own.friction_static, own.friction_dynamic])
}

fn solid(material: &str) -> Vec<Row> {
    let own = library().solids.all.iter().find(|s| s.name == material).unwrap().friction;
    let thing = format!(
        "[[body]]\nname = \"block\"\nbox = {{ center = [0, 0.0112, 0], size = [0.1, 0.02, 0.1] }}\nmaterial = \"{material}\"\n"
    );
    rows(material, &thing, [own.fixed, own.sliding])
}

/// Tests a fabric and a foam.
#[test]
fn what_lies_on_a_slope_slides_or_stays() {
    let rows: Vec<Row> = [cloth("cotton"), solid("sponge")].into_iter().flatten().collect();
    record(this_test!(), &rows);
}

/// Tests all fabrics and solids.
#[test]
#[ignore = "long: all materials of the library, minutes"]
fn everything_slides_or_stays() {
    let rows: Vec<Row> = fabrics().map(cloth).chain(solids().map(solid)).flatten().collect();
    record(this_test!(), &rows);
}
