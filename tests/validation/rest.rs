//! Free cloth comes to rest: the residual of the linear solve must not feed slow motion more than air and material
//! damping remove.
//!
//! A strip of cloth hangs from a pin in still air. Stiff membranes, small cells and long steps make its matrix
//! ill-conditioned: slow modes are the last that conjugate gradients find, and count little in the residual.

use crate::shipped::{STEP, bench, folder, sheet};
use crate::table::{Row, record};
use crate::this_test;

/// Number of cells along and across, and their size [m].
const STRIPS: [([usize; 2], f64); 3] = [([33, 8], 1e-3), ([24, 6], 2.5e-3), ([16, 5], 5e-3)];
/// Interval in which the speed is measured [s].
const TIMES: [f64; 2] = [3.0, 4.0];

/// Returns the largest mass-weighted speed of a hanging strip [mm/s].
fn speed(material: &str, (cells, size): ([usize; 2], f64), step: f64) -> f64 {
    let here = folder("rest");
    sheet(&here.join("strip.obj"), cells, size);
    let text = format!(
        "[[cloth]]\nname = \"strip\"\nmesh = \"strip.obj\"\nmaterial = \"{material}\"\nair_drag = 2\n\
         pin = [{{ box = {{ min = [-1, -1, -1], max = [{}, 1, 1] }} }}]\n",
        1.3 * size
    );
    let mut bench = bench(&here, &text, step);
    bench.run(TIMES[0]);
    let mut most = 0.0f64;
    while bench.state.time < TIMES[1] {
        bench.step(step);
        let (mut mass, mut squares) = (0.0, 0.0);
        for v in 0..bench.world.moving {
            mass += bench.world.mass[v];
            squares += bench.world.mass[v] * bench.state.v[v].norm_squared();
        }
        most = most.max((squares / mass).sqrt());
    }
    1e3 * most
}

/// Measures the speed of a strip, which must stay below half a millimetre per second, an invisible motion. With the
/// relative residual alone, cotton of 1 mm moved at 8 mm/s, silk of 2.5 mm in steps of 4 ms at 49.
fn row(material: &str, strip: ([usize; 2], f64), step: f64) -> Row {
    Row {
        law: "solver",
        scene: format!("{material} hung as a strip, cells of {} mm: speed at rest", 1e3 * strip.1),
        unit: "mm/s",
        asked: 0.0,
        measured: [step, step / 2.0].map(|step| speed(material, strip, step)),
        within: 0.5,
        step,
    }
}

/// Tests the finest strip at the default step and the worst at a long step.
#[test]
fn strips_come_to_rest() {
    record(this_test!(), &[row("cotton", STRIPS[0], STEP), row("silk", STRIPS[1], 4.0 * STEP)]);
}
