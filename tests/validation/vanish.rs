//! Obstacles that appear and vanish.

use crate::common::{Bench, Cut, G, close, cloth, cut, hold, input, settings};
use percale::force::bending::Bending;
use percale::force::contact::Friction;
use percale::linalg::{Vec3, par};
use percale::mesh::TriMesh;
use percale::mesh::generate::{lying, plane, sphere};
use percale::stepper::Integrator;
use percale::world::build::{Input, ObstacleInput};
use percale::world::motion::{Keyframe, Motion};
use percale::world::snapshot;
use percale::world::step_error::StepError;
use percale::world::window::Window;
use percale::world::{Course, Pinch};

const DOWN: Vec3 = Vec3::new(0.0, -G, 0.0);
/// Time at which the sphere vanishes [s].
const GONE: f64 = 0.3;

fn obstacle(name: &str, mesh: TriMesh, window: Window) -> ObstacleInput {
    let friction = Friction { fixed: 0.4, sliding: 0.4 };
    ObstacleInput { name: name.into(), mesh, course: Course::Rigid(Motion::Fixed), friction, thickness: 0.0, window }
}

/// Makes a sheet that lies on a sphere, which vanishes.
fn lies() -> Input {
    let mut sheet = cloth(cut(Cut::Alternating, 14, 14, 0.3, 0.3, lying(0.3, 0.3)), 100.0);
    sheet.law.bending = Bending::Constant(1e-4);
    sheet.self_contact = true;
    sheet.friction = Friction { fixed: 0.4, sliding: 0.4 };
    let mut input = input(DOWN, sheet);
    input.contact.enabled = true;
    let window = Window { until: GONE, ..Window::ALWAYS };
    input.obstacles.push(obstacle("ball", sphere(Vec3::y() * -0.1008, 0.1, 0.02), window));
    input
}

/// Returns the mass-weighted mean of values of the moving vertices.
fn centre(bench: &Bench, values: &[Vec3]) -> Vec3 {
    let mass = &bench.world.mass;
    values.iter().zip(mass).map(|(x, m)| x * *m).sum::<Vec3>() / mass.iter().sum::<f64>()
}

/// The centre falls with its initial velocity. Its speed is `v0 + g t` in both schemes (see `stepper/free.rs`). The
/// displacement of backward Euler is `v0 t + g t (t + h)/2`: too much by the part `h/t` of `g t^2/2`. BDF2 is exact for
/// a parabola, and begins with the history of a sheet at rest, `g h^2/2` from that: its displacement is off by
/// `g h^2/4` at most, the part `(h/t)^2/2`. The tolerance is twice that for vertices with another history due to
/// contact, and 1e-4 for the solve.
#[test]
fn what_lay_on_it_falls_freely() {
    for (integrator, h) in [(Integrator::Bdf2, 2e-3), (Integrator::Bdf2, 1e-3), (Integrator::BackwardEuler, 2e-3)] {
        let mut bench = Bench::new(lies(), settings(integrator, h, 1e-6));
        bench.run(GONE);
        let (x, v) = (centre(&bench, &bench.state.x), centre(&bench, &bench.state.v));
        assert!(!bench.state.bristles.is_empty() && x.y > -0.12, "it lies on the ball at {x:?}");
        for t in [0.05, 0.1] {
            bench.run(GONE + t);
            let way = centre(&bench, &bench.state.x) - x - v * t;
            let part = h / t;
            let off = if integrator == Integrator::Bdf2 { part * part } else { part };
            close(&format!("vanished, {integrator:?}, {h} s: fall in {t} s"), -way.y, G * t * t / 2.0, off + 1e-4);
            assert!(way.x.hypot(way.z) < 1e-6, "{way:?}");
        }
        assert!(bench.state.bristles.iter().all(|(_, bristle)| !bristle.kept));
        assert!(bench.world.crossings(&mut bench.world.test(), &bench.state.x, bench.state.now()).is_empty());
    }
}

/// Results are bitwise equal with one and with two threads, and if a new stepper continues before, at and after the
/// event.
#[test]
fn a_vanishing_has_the_same_bits() {
    let steps = settings(Integrator::Bdf2, 4e-3, 1e-4);
    let frames: Vec<f64> = (1..=10).map(|k| f64::from(k) / 25.0).collect();
    let run = || {
        let mut bench = Bench::new(lies(), steps);
        let state = |t: &f64| {
            bench.run(*t);
            snapshot::write(&bench.state)
        };
        frames.iter().map(state).collect::<Vec<_>>()
    };
    let one = par::with_threads(1, run).unwrap();
    assert!(one == par::with_threads(2, run).unwrap());
    for from in [5, 6, 7] {
        let mut bench = Bench::new(lies(), steps);
        let mut state = snapshot::read(&one[from]).unwrap();
        state.effects.settle(&bench.state.effects).unwrap();
        bench.state = state;
        frames[from + 1..].iter().for_each(|t| bench.run(*t));
        assert!(snapshot::write(&bench.state) == one[9], "from {} s", frames[from]);
    }
}

/// An absent obstacle costs no step: it has no candidates, however it moves, and does not stop the sheet.
#[test]
fn what_is_absent_meets_nothing() {
    let mut sheet = cloth(cut(Cut::Alternating, 8, 8, 0.3, 0.3, lying(0.3, 0.3)), 100.0);
    sheet.law.bending = Bending::Constant(1e-5);
    let mut input = input(DOWN, sheet);
    input.contact.enabled = true;
    // Two balls that jump through the sheet by many times its size in a step.
    let leap =
        |time: f64, x: f64| Keyframe { time, turn: Vec3::zeros(), origin: Vec3::zeros(), translation: Vec3::x() * x };
    for (name, window) in [("late", Window { from: 0.2, until: 1.0 }), ("early", Window { from: 0.0, until: 0.01 })] {
        let mut ball = obstacle(name, sphere(Vec3::x() * 9.0, 0.1, 0.05), window);
        ball.course = Course::Rigid(Motion::Keyframes(vec![leap(0.05, 0.0), leap(0.0501, -18.0), leap(0.0502, 0.0)]));
        input.obstacles.push(ball);
    }
    let mut bench = Bench::new(input, settings(Integrator::BackwardEuler, 2e-3, 1e-6));
    let report = bench.stepper.advance(&bench.world, &mut bench.state, 0.1).unwrap();
    assert_eq!((report.repeats, report.candidates, report.contacts), (0, 0, 0));
    // The sum of backward Euler is exact: only the solve and rounding are left.
    let n = report.steps as f64;
    let fall = -centre(&bench, &bench.state.x).y;
    println!("| absent: fall | {} | {fall} | {n} steps | |", G * 0.1 * 0.1 / 2.0);
    assert!((fall / (G * 0.005) - 1.0).abs() < 2e-3 / 0.1 + 1e-4);
}

/// A plate appears within the thickness of a free sheet, without gravity. Its barrier energy would throw the sheet away
/// at metres per second; `contact.ease` separates them instead, 0.5 s for 3.6 mm at most.
#[test]
fn what_appears_too_near_throws_nothing() {
    let mut sheet = cloth(cut(Cut::Alternating, 8, 8, 0.3, 0.3, lying(0.3, 0.3)), 100.0);
    sheet.law.bending = Bending::Constant(1e-5);
    sheet.thickness = 3e-3;
    let mut input = input(Vec3::zeros(), sheet);
    input.contact.enabled = true;
    let window = Window { from: 0.1, ..Window::ALWAYS };
    input.obstacles.push(obstacle("plate", plane(Vec3::y() * -1e-4, Vec3::y(), 0.5, 0.1), window));
    let mut bench = Bench::new(input, settings(Integrator::Bdf2, 2e-3, 1e-6));
    bench.run(0.1);
    assert!(bench.state.v.iter().all(|v| v.norm() < 1e-9));
    // The separation begins with the step that ends as the plate appears.
    assert!(bench.state.offset_scale.iter().any(|part| *part < 0.1) && bench.state.bristles.is_empty());
    let mut fastest = 0.0f64;
    while bench.state.time < 0.7 {
        bench.step(2e-3);
        fastest = bench.state.v[..bench.world.moving].iter().fold(fastest, |m, v| m.max(v.norm()));
    }
    let height = centre(&bench, &bench.state.x).y + 1e-4;
    println!("| appeared: fastest | | {fastest:.4} m/s | height {height:.5} m | |");
    assert!(fastest < 0.02 && bench.state.offset_scale.is_empty());
    assert!(height > 1.5e-3, "it is parted by {height} m");
}

/// An object inside an obstacle that appears ends the run, with the triangles; the state is that before the step.
#[test]
fn nothing_may_lie_in_what_appears() {
    for (height, word) in [(-0.05, "cross"), (0.0, "touch")] {
        let mesh = cut(Cut::Alternating, 8, 8, 0.3, 0.3, lying(0.3, 0.3));
        let mut sheet = cloth(mesh.clone(), 100.0);
        sheet.pins.push(hold(&mesh, |_| true));
        let mut input = input(DOWN, sheet);
        input.contact.enabled = true;
        input.contact.pinch = Pinch::Halt;
        let window = Window { from: 0.1, ..Window::ALWAYS };
        let shape = if height < 0.0 {
            sphere(Vec3::y() * height, 0.1, 0.03)
        } else {
            plane(Vec3::zeros(), Vec3::y(), 0.5, 0.1)
        };
        input.obstacles.push(obstacle("late", shape, window));
        let mut bench = Bench::new(input, settings(Integrator::Bdf2, 4e-3, 1e-4));
        let stuck = bench.stepper.advance(&bench.world, &mut bench.state, 0.5).unwrap_err();
        let told = stuck.describe(&bench.world, &bench.state);
        assert!(told.starts_with("as it appears 'sheet' and 'late' ") && told.contains(word), "{told}");
        let StepError::Entered { shown, .. } = stuck else { panic!("{told}") };
        assert_eq!(shown.is_empty(), word == "touch");
        assert!(bench.state.time < 0.1 && bench.state.time > 0.1 - 5e-3, "{}", bench.state.time);
    }
}
