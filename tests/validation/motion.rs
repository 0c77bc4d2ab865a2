//! Motion in time: free fall, drag, wind, scripted pins, strain limits.

use crate::common::{Bench, Cut, DENSITY, G, close, cloth, cut, hold, input, settings};
use percale::force::bending::Bending;
use percale::force::drag::Drag;
use percale::linalg::{Rotation, UnitVec3, Vec3};
use percale::mesh::TriMesh;
use percale::mesh::generate::{lying, plane};
use percale::stepper::{Integrator, Settings};
use percale::world::build::ObstacleInput;
use percale::world::motion::{Keyframe, Motion};
use percale::world::wind::Wind;
use percale::world::window::Window;
use percale::world::{Course, Pin};

const DOWN: Vec3 = Vec3::new(0.0, -G, 0.0);

fn flat(n: usize) -> TriMesh {
    cut(Cut::Alternating, n, n, 0.5, 0.5, lying(0.5, 0.5))
}

fn mean(values: &[Vec3]) -> Vec3 {
    values.iter().sum::<Vec3>() / values.len() as f64
}

/// Free fall, `g t^2/2`, with and without contact and on three meshes. BDF2 is exact for it except for its first step
/// by backward Euler, an eighth of `h` = 2 ms, which errs by `g (h/8)^2/2`. While steps double an error grows 3.2-fold,
/// with equal steps no more: relative `3.2 (h/8)^2/t^2`, 0.02 % at the first twentieth of a second and 1e-6 at half a
/// second. Tolerance 0.1 %.
#[test]
fn a_sheet_falls_freely() {
    for (n, contact) in [(15, true), (15, false), (30, true), (60, true)] {
        let mut sheet = cloth(flat(n), 100.0);
        sheet.law.bending = Bending::Constant(1e-5);
        sheet.self_contact = contact;
        let mut input = input(DOWN, sheet);
        input.contact.enabled = contact;
        input.obstacles.push(ObstacleInput {
            name: "ground".into(),
            mesh: plane(Vec3::new(0.0, -2.0, 0.0), Vec3::y(), 1.0, 1.0),
            course: Course::Rigid(Motion::Fixed),
            friction: input.cloths[0].friction,
            thickness: 0.0,
            window: Window::ALWAYS,
        });
        let mut bench = Bench::new(input, settings(Integrator::Bdf2, 2e-3, 1e-6));
        for t in [1.0 / 30.0, 0.5] {
            bench.run(t);
            let fall = -mean(&bench.positions()).y;
            close(&format!("free fall, {t:.3} s, {n} cells, contact: {contact}"), fall, G * t * t / 2.0, 1e-3);
        }
    }
}

/// Linear drag: a level sheet reaches the terminal speed `v` of `m g = c_n A v`. 0.5 %; after 12 times `rho/c` the rest
/// is `e^-12`.
#[test]
fn drag_bounds_the_speed_of_fall() {
    let mut sheet = cloth(flat(8), 100.0);
    sheet.drag = Drag { normal: 2.0, tangent: 0.3 };
    let mut bench = Bench::new(input(DOWN, sheet), settings(Integrator::Bdf2, 2e-3, 1e-8));
    bench.run(12.0 * DENSITY / 2.0);
    close("terminal speed", -mean(&bench.state.v).y, DENSITY * G / 2.0, 5e-3);
}

/// Steady wind on a free weightless sheet, at an angle to its normal: along the normal and across it the speed follows
/// `w (1 - exp(-c t/rho))`. The error of the scheme is `(c h/rho)^2`: 0.1 %.
#[test]
fn wind_carries_a_sheet_by_linear_drag() {
    let mut sheet = cloth(flat(8), 500.0);
    sheet.drag = Drag { normal: 1.5, tangent: 0.4 };
    let mut input = input(Vec3::zeros(), sheet);
    input.wind = Wind { velocity: Vec3::new(3.0, 2.0, 0.0), ..Wind::none() };
    let mut bench = Bench::new(input, settings(Integrator::Bdf2, 1e-3, 1e-8));
    bench.run(0.2);
    let v = mean(&bench.state.v);
    close("wind along the normal", v.y, 2.0 * (1.0 - (-1.5 * 0.2 / DENSITY).exp()), 1e-3);
    close("wind along the surface", v.x, 3.0 * (1.0 - (-0.4 * 0.2 / DENSITY).exp()), 1e-3);
}

/// Pins are at the positions of their motion at frame times: 1e-12 m, rounding of some hundred steps.
#[test]
fn pins_are_where_they_should_be() {
    let axis = UnitVec3::new_normalize(Vec3::new(1.0, 2.0, -1.0));
    let origin = Vec3::new(0.1, 0.2, 0.3);
    let key = |time: f64, x: f64, turn: f64| Keyframe {
        time,
        turn: Vec3::y() * turn,
        origin,
        translation: Vec3::new(x, 0.5 * x, 0.0),
    };
    let place = |t: f64, p: &Vec3| -> [Vec3; 3] {
        // Keys at 0, 0.2 and 0.4 s; rotation from 0.1 s on; a path through three points.
        let (x, turn) = if t < 0.2 { (t, 2.0 * t) } else { (0.2 - 0.5 * (t - 0.2).min(0.2), 0.4) };
        let keyed = Rotation::from_scaled_axis(Vec3::y() * turn) * (p - origin) + origin + Vec3::new(x, 0.5 * x, 0.0);
        let turned = Rotation::from_axis_angle(&axis, 3.0 * (t - 0.1).max(0.0)) * (p - origin) + origin;
        let walk = if t < 0.3 { Vec3::x() * t } else { Vec3::x() * 0.3 + Vec3::y() * (t - 0.3) };
        [keyed, turned, p + walk]
    };
    let motions = [
        Motion::Keyframes(vec![key(0.0, 0.0, 0.0), key(0.2, 0.2, 0.4), key(0.4, 0.1, 0.4)]),
        Motion::Rotation { axis, origin, speed: 3.0, from: 0.1, until: 9.0 },
        Motion::Path(vec![(0.0, Vec3::repeat(1.0)), (0.3, Vec3::new(1.3, 1.0, 1.0)), (0.5, Vec3::new(1.3, 1.2, 1.0))]),
    ];
    for (k, motion) in motions.into_iter().enumerate() {
        let mesh = flat(8);
        let mut pin = hold(&mesh, |m| m.x < 1e-9);
        pin.motion = motion;
        let Pin { vertices, .. } = pin.clone();
        let start = mesh.positions.clone();
        let mut sheet = cloth(mesh, 50.0);
        sheet.pins.push(pin);
        let mut bench = Bench::new(input(DOWN, sheet), settings(Integrator::Bdf2, 3e-3, 1e-4));
        let mut worst: f64 = 0.0;
        for frame in 1..=12 {
            let t = f64::from(frame) / 24.0;
            bench.run(t);
            let x = bench.positions();
            for v in &vertices {
                worst = worst.max((x[*v as usize] - place(t, &start[*v as usize])[k]).norm());
            }
        }
        println!("| pins, {} | 0 | {worst:.1e} m | | 1e-12 |", ["keyframes", "rotation", "path"][k]);
        assert!(worst < 1e-12);
    }
}

/// A strain limit keeps every edge within its bound after any step.
#[test]
fn a_strain_limit_holds_after_every_step() {
    let mesh = cut(Cut::Random, 16, 16, 0.5, 0.5, |m| Vec3::new(m.x, m.y, 0.0));
    let pin = hold(&mesh, |m| m.y > 0.5 - 1e-9);
    let mut sheet = cloth(mesh, 5.0);
    sheet.limit = Some(0.05);
    sheet.pins.push(pin);
    let mut bench = Bench::new(input(DOWN, sheet), settings(Integrator::Bdf2, 2e-3, 1e-6));
    bench.stepper =
        percale::stepper::stepper(&bench.world, Settings { min_step: 1e-5, ..bench.stepper.settings() }, false);
    let (mut worst, mut free): (f64, f64) = (0.0, 0.0);
    for _ in 0..250 {
        bench.step(2e-3);
        for limit in &bench.world.cloths[0].limits {
            let [a, b] = limit.ends.map(|v| bench.state.x[v as usize]);
            worst = worst.max((a - b).norm() / limit.most);
        }
        free = free.max(-mean(&bench.state.v).y);
    }
    println!("| strain limit: longest edge/bound | <= 1 | {worst:.9} | | |");
    // The strain approaches the bound (without it the strip lengthens by 10 %) and never exceeds it, to rounding.
    assert!(worst <= 1.0 + 1e-12 && worst > 0.99 && free > 0.01);
}

/// A vertex of a slack sheet is struck and moves by more than an edge's length per step. No step stretches an edge by
/// more than a twentieth of its length, and no step is repeated for that. Shortening edges conserves momentum: the loss
/// is that of each solve, a tolerance of 1e-12.
#[test]
fn a_blow_is_passed_on_within_the_step() {
    let mesh = flat(16);
    let mut input = input(Vec3::zeros(), cloth(mesh, 20.0));
    input.cloths[0].law.bending = Bending::Constant(1e-6);
    let step = Settings { min_step: 1e-5, ..settings(Integrator::BackwardEuler, 2e-3, 1e-12) };
    let mut bench = Bench::new(input, step);
    let middle = (0..bench.world.moving).min_by(|a, b| {
        let away = |v: usize| (bench.world.rest[v] - Vec3::new(0.25, 0.0, 0.25)).norm();
        away(*a).total_cmp(&away(*b))
    });
    bench.state.v[middle.unwrap()] = Vec3::new(12.0, 3.0, 5.0);
    let momentum =
        |bench: &Bench| (0..bench.world.moving).map(|v| bench.state.v[v] * bench.world.mass[v]).sum::<Vec3>();
    let begin = momentum(&bench);
    let (mut most, mut repeats, mut steps) = (0.0f64, 0, 0);
    while bench.state.time < 0.05 {
        let before = bench.state.x.clone();
        let report = bench.stepper.step(&bench.world, &mut bench.state, 0.05).unwrap();
        (repeats, steps) = (repeats + report.repeats, steps + 1);
        let Bench { world, state, .. } = &bench;
        for [a, b] in world.surface.edges.iter().map(|e| e.map(|v| v as usize)) {
            let [rest, start, end] = [&world.rest, &before, &state.x].map(|x| (x[a] - x[b]).norm());
            most = most.max((end - start.max(rest)) / rest);
        }
    }
    let lost = (momentum(&bench) - begin).norm() / begin.norm();
    println!("| blow: most that a step stretches an edge | 0.05 | {most:.4} | {repeats} repeats in {steps} steps | |");
    println!("| blow: momentum | 0 | {lost:.1e} | | {:.1e} |", steps as f64 * 1e-12);
    assert!(most <= 0.05 && most > 0.045 && repeats == 0 && lost < steps as f64 * 1e-12);
}
