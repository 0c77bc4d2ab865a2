//! Probes compared with the forces that acted.

use crate::common::{Airy, Bench, Cut, DENSITY, G, bar, body, close, cloth, cut, hold, input, settings};
use percale::effect::air::balloon::BalloonInput;
use percale::effect::air::equation::{Gas, Method};
use percale::effect::air::gas::Supply;
use percale::effect::air::layer::{AirInput, Along};
use percale::effect::permeability::PermeabilityLaw;
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::force::contact::Friction;
use percale::force::drag::Drag;
use percale::force::solid::{Lame, Solid};
use percale::force::tether::{Cord, Tethers};
use percale::linalg::Vec3;
use percale::mesh::TriMesh;
use percale::mesh::generate::{cuboid, plane, sphere};
use percale::stepper::{Integrator, Settings, stepper};
use percale::world::build::{ClothInput, Input, ObstacleInput};
use percale::world::motion::Motion;
use percale::world::probe::{Every, Measure, Probe, Source};
use percale::world::quantity::{kinetic_energy, weight_energy};
use percale::world::window::Window;
use percale::world::{Course, Handle, Pin, Pull};
use std::sync::Arc;

const GRAVITY: Vec3 = Vec3::new(0.0, -G, 0.0);
const MU: f64 = 0.3;
/// Sealed cloth.
const SEALED: PermeabilityLaw = PermeabilityLaw { permeance: 0.0, inertia: 0.0 };
/// Relative tolerance of the solves for tests of force balance.
const TIGHT: f64 = 1e-14;

fn friction() -> Friction {
    Friction { fixed: MU, sliding: MU }
}

fn obstacle(name: &str, mesh: TriMesh, motion: Motion) -> ObstacleInput {
    ObstacleInput {
        name: name.into(),
        mesh,
        course: Course::Rigid(motion),
        window: Window::ALWAYS,
        friction: friction(),
        thickness: 0.0,
    }
}

/// Makes a sheet with bending, damping and friction that touches itself.
fn sheet(mesh: TriMesh) -> ClothInput {
    let mut sheet = cloth(mesh, 200.0);
    sheet.friction = friction();
    sheet.self_contact = true;
    sheet.law.bending = Bending::Constant(1e-5);
    sheet.law.damping = Damping::even(1e-3);
    sheet
}

/// Makes a world with probes of these measures.
fn probed(input: impl Into<Airy>, settings: Settings, measures: Vec<Measure>) -> Bench {
    let mut bench = Bench::new(input, settings);
    let probe = |(k, measure)| Probe { name: format!("p{k}"), every: Every::Step, measure };
    bench.world.probe(measures.into_iter().enumerate().map(probe).collect(), &mut bench.state);
    bench.stepper = stepper(&bench.world, settings, true);
    bench
}

fn force(bench: &Bench, probe: usize) -> Vec3 {
    bench.stepper.forces()[probe][0]
}

fn on(object: usize) -> Measure {
    Measure::Force(Source::Object { object, from: None })
}

fn between(object: usize, from: usize) -> Measure {
    Measure::Force(Source::Object { object, from: Some(from) })
}

/// Returns the largest error of the total balance in any step, relative to the sum of the sizes of its parts; and the
/// largest correction [N].
fn lack(bench: &mut Bench, probe: usize, until: f64) -> (f64, f64) {
    let (mut worst, mut corrected) = (0.0f64, 0.0f64);
    while bench.state.time < until {
        if let Err(stuck) = bench.stepper.step(&bench.world, &mut bench.state, until) {
            panic!("{}", stuck.describe(&bench.world, &bench.state));
        }
        let [sum, parts @ .., corrections, momentum] = &bench.stepper.forces()[probe][..] else { panic!() };
        let size = parts.iter().chain([corrections, momentum]).map(Vec3::norm).sum::<f64>();
        assert!((parts.iter().sum::<Vec3>() - sum).norm() <= 1e-12 * size, "the first is not the sum of the parts");
        corrected = corrected.max(corrections.norm());
        worst = worst.max((sum + corrections - momentum).norm() / size);
    }
    (worst, corrected)
}

/// Makes a sheet held at a corner, pulled by two handles and a cord, in wind, with strain limits.
fn held() -> Input {
    let mut sheet = sheet(cut(Cut::Random, 8, 8, 0.4, 0.4, |m| Vec3::new(m.x, 0.0, m.y)));
    sheet.drag = Drag { normal: 1.0, tangent: 0.1 };
    sheet.limit = Some(0.02);
    let rising = Motion::Path((0..=20).map(|k| (0.01 * k as f64, Vec3::y() * (0.03 * k as f64).powi(2))).collect());
    sheet.pins = vec![Pin { motion: rising, ..hold(&sheet.mesh, |m| m.x < 0.06 && m.y < 0.06) }];
    let pulled = Handle::new;
    sheet.handles = vec![
        pulled(hold(&sheet.mesh, |m| m.x > 0.34 && m.y < 0.06), Pull::Spring { stiffness: 3.0, most: 0.05 }),
        pulled(hold(&sheet.mesh, |m| m.x < 0.1), Pull::Force(Vec3::new(0.01, 0.0, 0.02))),
    ];
    let mut input = input(GRAVITY, sheet);
    input.wind.velocity = Vec3::new(1.0, 0.5, 2.0);
    input.contact.enabled = true;
    input
}

/// Makes two sheets and a body on a turning ball. The upper sheet is pinned at an edge that the lower one touches.
fn heap() -> Input {
    let mesh = |height: f64| cut(Cut::Alternating, 9, 9, 0.3, 0.3, move |m| Vec3::new(m.x - 0.15, height, m.y - 0.15));
    let mut upper = sheet(mesh(0.104));
    upper.name = "upper".into();
    upper.velocity = Vec3::new(0.2, -0.5, 0.0);
    upper.pins = vec![hold(&upper.mesh, |m| m.x < 0.01)];
    let mut pad = body(bar([2, 2, 2], 0.04), Solid::NeoHookean(Lame::new(2e4, 0.3)));
    pad.mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(-0.03, 0.112, -0.05));
    pad.friction = friction();
    let axis = Vec3::y_axis();
    let turning = Motion::Rotation { axis, origin: Vec3::zeros(), speed: 3.0, from: 0.0, until: 1.0 };
    let mut input = input(GRAVITY, sheet(mesh(0.101)));
    input.contact.enabled = true;
    input.cloths.push(upper);
    input.bodies.push(pad);
    input.obstacles.push(obstacle("ball", sphere(Vec3::zeros(), 0.1, 0.03), turning));
    input
}

/// Makes sheets held at an edge that a thin bar strikes at 20 m/s, so that steps are corrected.
fn struck() -> Input {
    let mesh = |z: f64| cut(Cut::Alternating, 9, 9, 0.3, 0.3, move |m| Vec3::new(m.x - 0.15, m.y - 0.15, z));
    let held = |name: &str, z: f64| {
        let mut sheet = sheet(mesh(z));
        sheet.name = name.into();
        sheet.pins = vec![hold(&sheet.mesh, |m| m.y > 0.29)];
        sheet
    };
    let far = Motion::Path(vec![(0.0, Vec3::zeros()), (0.02, Vec3::new(0.0, 0.0, -0.4))]);
    let mut input = input(GRAVITY, held("sheet", 0.0));
    input.contact.enabled = true;
    input.cloths.push(held("back", -0.004));
    let bar = cuboid(Vec3::new(-0.1, -0.0005, 0.02), Vec3::new(0.1, 0.0005, 0.12), 0.1);
    input.obstacles.push(obstacle("bar", bar, far));
    input
}

/// Makes a sheet pinned at an edge over an air layer on a floor; and a balloon pinned at a pole.
fn airy() -> Airy {
    let mut sheet = sheet(cut(Cut::Alternating, 8, 8, 0.2, 0.2, |m| Vec3::new(m.x - 0.1, 0.01, m.y - 0.1)));
    sheet.pins = vec![hold(&sheet.mesh, |m| m.x < 0.06)];
    let mut case = cloth(sphere(Vec3::new(0.5, 0.1, 0.0), 0.08, 0.03), 300.0);
    case.name = "case".into();
    case.rest = percale::world::build::Rest::Mesh;
    case.flat = false;
    let low = |p: &Vec3| p.y < 0.05;
    case.pins = vec![Pin::fixed((0..).zip(&case.mesh.positions).filter(|(_, p)| low(p)).map(|(v, _)| v).collect())];
    let mut input = input(GRAVITY, sheet);
    input.contact.enabled = true;
    input.cloths.push(case);
    input.obstacles.push(obstacle("floor", plane(Vec3::zeros(), Vec3::y(), 0.5, 0.3), Motion::Fixed));
    let mut input = Airy::from(input);
    input.airs.push(AirInput {
        names: ["sheet".into(), "floor".into()],
        gas: Gas::default(),
        method: Method::default(),
        along: Along::Gap,
        permeance: 0.02 / 200.0,
        inertia: 0.0,
        blockage: f64::INFINITY,
        open: Vec::new(),
        vents: Vec::new(),
    });
    let supply = Supply::Filled { times: 1.2, duration: 0.05 };
    input.balloons.push(BalloonInput { cloth: "case".into(), atmosphere: 1e5, through: SEALED, supply });
    input
}

/// Newton's second law: the external forces on all simulated objects are the rate of their momentum in the scheme. The
/// scenes have varying steps, several schemes in a step, pins, handles, cords, wind, limits, impulses, air. Internal
/// forces cancel in pairs to rounding, 1e-16 of stiffnesses times displacements that are up to 1e5 of the remaining
/// forces. The residual of the solve, `TIGHT` of the norm of its initial residual, adds up to at most its root of the
/// number of rows, 1e-12. Both are below 1e-9.
#[test]
fn everything_is_in_balance() {
    for integrator in [Integrator::Bdf2, Integrator::BackwardEuler] {
        for (name, input, until) in [
            ("held", held().into(), 0.15),
            ("heap", heap().into(), 0.12),
            ("struck", struck().into(), 0.02),
            ("air", airy(), 0.1),
        ] {
            let everything = vec![Measure::Force(Source::Everything)];
            let all = Settings { min_step: 1e-5, ..settings(integrator, 2e-3, TIGHT) };
            let mut bench = probed(input, all, everything);
            if name == "held" {
                let vertex = bench.world.objects[0].place[80];
                let point = bench.state.x[vertex as usize] + Vec3::new(0.0, 0.3, 0.1);
                let cord = Cord { vertex, point, length: 0.3, stiffness: 5.0, set: 0.2 };
                bench.world.add(Arc::new(Tethers(vec![cord])));
                bench.state.memory = bench.world.elements.memory(&bench.state.x);
                bench.stepper = stepper(&bench.world, all, true);
            }
            let (worst, corrected) = lack(&mut bench, 0, until);
            println!(
                "| balance of everything, {name}, {integrator:?} | 0 | {worst:.1e} | | 1e-9 | corrections to {corrected} N"
            );
            for part in 1..6 {
                println!("    part {part}: {:?}", bench.stepper.forces()[0][part]);
            }
            assert!(worst < 1e-9, "{name}: {worst}");
            assert!(name != "struck" || corrected > 1e-2, "nothing was corrected");
        }
    }
}

/// Returns mass and momentum of an object [kg, kg m/s].
fn momentum(bench: &Bench, object: usize) -> (f64, Vec3) {
    let vertices = bench.world.objects[object].vertices.clone();
    let of = |v: usize| bench.state.v[v] * bench.world.mass[v];
    (bench.world.mass[vertices.clone()].iter().sum(), vertices.map(of).sum())
}

/// Newton's third law, and the second for a single object. The probed forces on it, with its weight and the
/// corrections, are the change of its momentum over a step of backward Euler, taken from the state. Rounding and the
/// residual are as in [`everything_is_in_balance`].
#[test]
fn action_is_reaction() {
    // Measures for lower sheet, upper sheet, body, ball.
    let measures = vec![
        on(0),
        on(2),
        on(3),
        between(0, 3),
        between(3, 0),
        between(0, 1),
        between(1, 0),
        between(0, 2),
        between(2, 3),
    ];
    let mut bench = probed(heap(), settings(Integrator::BackwardEuler, 1e-3, TIGHT), measures);
    let (mut worst, mut touched) = ([0.0f64; 3], [false; 3]);
    for _ in 0..120 {
        let before = [0, 2].map(|object| momentum(&bench, object).1);
        let time = bench.state.time;
        bench.step(1e-3);
        let h = bench.state.time - time;
        let single = bench.state.last == h;
        let f = |k: usize| force(&bench, k);
        let pair = |a: usize, b: usize| (f(a) + f(b)).norm() / (f(a).norm() + f(b).norm()).max(1e-6);
        worst[0] = worst[0].max(pair(3, 4)).max(pair(5, 6));
        // All forces on the lower sheet, by their source. The force on the ball comes from both others.
        let size = f(0).norm() + f(3).norm() + f(5).norm() + f(7).norm() + 1e-3;
        worst[1] = worst[1].max((f(0) - f(3) - f(5) - f(7)).norm() / size);
        for (k, (object, before)) in [0, 2].into_iter().zip(before).enumerate().filter(|_| single) {
            let (mass, after) = momentum(&bench, object);
            let [force, corrections] = bench.stepper.forces()[k][..] else { panic!() };
            let rate = (after - before) / h;
            let size = rate.norm() + force.norm() + corrections.norm() + mass * G;
            worst[2] = worst[2].max((rate - GRAVITY * mass - force - corrections).norm() / size);
        }
        touched[0] |= f(3).norm() > 1e-3;
        touched[1] |= f(5).norm() > 1e-3;
        touched[2] |= f(7).norm() > 1e-3;
    }
    println!("| action and reaction, parts, momentum | 0 | {worst:?} | | 1e-9 |");
    assert!(touched == [true; 3], "they do not touch: {touched:?}");
    assert!(worst.iter().all(|worst| *worst < 1e-9), "{worst:?}");
}

/// Steps until no vertex was faster than `slow` [m/s] at the beginning and at the end of a step.
fn still(bench: &mut Bench, slow: f64) {
    loop {
        bench.settle(slow);
        bench.step(bench.stepper.settings().step);
        if bench.state.v.iter().all(|v| v.norm() < slow) {
            return;
        }
    }
}

/// Weight: pins and planes carry the weight of objects at rest. If no vertex is faster than `v` the momentum changes by
/// no more than `2 m v/h` in a step: `2 v/(h g)` of the weight.
#[test]
fn what_is_at_rest_is_borne() {
    let (h, slow) = (5e-3, 1e-6);
    let tolerance = 2.0 * slow / (h * G);
    let mut hung = cloth(cut(Cut::Alternating, 6, 6, 0.3, 0.3, |m| Vec3::new(m.x, m.y, 0.0)), 500.0);
    hung.drag = Drag { normal: 1.0, tangent: 1.0 };
    hung.pins = vec![hold(&hung.mesh, |m| m.y > 0.299)];
    let pins = Measure::Force(Source::Pins(vec![0]));
    let mut bench = probed(input(GRAVITY, hung), settings(Integrator::BackwardEuler, h, 1e-10), vec![pins]);
    still(&mut bench, slow);
    let weight = bench.world.mass.iter().sum::<f64>() * G;
    close("weight of a sheet that hangs", force(&bench, 0).y, weight, tolerance);
    assert!(force(&bench, 0).cross(&Vec3::y()).norm() < tolerance * weight);

    let mut lying = sheet(cut(Cut::Alternating, 6, 6, 0.3, 0.3, |m| Vec3::new(m.x, 6e-4, m.y)));
    lying.drag = Drag { normal: 1.0, tangent: 1.0 };
    let mut all = input(GRAVITY, lying);
    all.contact.enabled = true;
    all.obstacles.push(obstacle("table", plane(Vec3::zeros(), Vec3::y(), 1.0, 0.4), Motion::Fixed));
    let mut bench = probed(all, settings(Integrator::BackwardEuler, h, 1e-10), vec![on(1), on(0)]);
    still(&mut bench, slow);
    let weight = bench.world.mass.iter().sum::<f64>() * G;
    close("weight of a sheet that lies", -force(&bench, 0).y, weight, tolerance);
    close("what bears it", force(&bench, 1).y, weight, tolerance);
}

/// Hooke: a handle's force is its stiffness times the distance of its vertices from their targets, to rounding of
/// positions.
#[test]
fn a_handle_pulls_by_its_stiffness() {
    let mut drawn = cloth(cut(Cut::Alternating, 6, 6, 0.3, 0.3, |m| Vec3::new(m.x, m.y, 0.0)), 500.0);
    let away = Vec3::new(0.3, 0.0, 0.1);
    let moving = Motion::Path((0..=10).map(|k| (0.05 * k as f64, away * (0.1 * k as f64))).collect());
    let pin = Pin { motion: moving.clone(), ..hold(&drawn.mesh, |m| m.y > 0.299) };
    let stiffness = 4.0;
    drawn.handles = vec![Handle::new(pin, Pull::Spring { stiffness, most: f64::INFINITY })];
    let measures = vec![Measure::Force(Source::Handles(vec![0])), Measure::Force(Source::Everything)];
    let mut bench = probed(input(GRAVITY, drawn), settings(Integrator::Bdf2, 2e-3, 1e-10), measures);
    bench.run(0.4);
    let pin = &bench.world.handles[0].pin;
    let lacks =
        |v: &u32| moving.at(bench.state.time).apply(&bench.world.rest[*v as usize]) - bench.state.x[*v as usize];
    let wanted: Vec3 = pin.vertices.iter().map(lacks).sum::<Vec3>() * stiffness;
    println!("| handle | {wanted:?} | {:?} |", force(&bench, 0));
    assert!(wanted.norm() > 0.1 && (force(&bench, 0) - wanted).norm() < 1e-12 * stiffness * pin.vertices.len() as f64);
    assert_eq!(bench.stepper.forces()[1][3], force(&bench, 0));
}

/// Returns the work of a lift of a hanging sheet at half of it, and the part that is not potential, kinetic or elastic
/// energy [J].
fn lift(h: f64) -> (f64, f64) {
    let mut hung = cloth(cut(Cut::Alternating, 6, 6, 0.3, 0.3, |m| Vec3::new(m.x, m.y, 0.0)), 500.0);
    let (rise, time) = (0.2, 1.0);
    // A smooth rise, without impacts in any step.
    let at = |t: f64| Vec3::y() * (rise * 0.5 * (1.0 - (std::f64::consts::PI * t / time).cos()));
    let motion = Motion::Path((0..=4000).map(|k| (time * k as f64 / 4000.0, at(k as f64 / 4000.0 * time))).collect());
    hung.pins = vec![Pin { motion, ..hold(&hung.mesh, |m| m.y > 0.299) }];
    let measures = vec![Measure::Work(Source::Pins(vec![0])), Measure::Work(Source::Everything)];
    // The sheet starts at rest, stretched by its weight.
    let mut still = hung.clone();
    still.drag = Drag { normal: 1.0, tangent: 1.0 };
    still.pins[0].motion = Motion::Fixed;
    let mut rest = Bench::new(input(GRAVITY, still), settings(Integrator::BackwardEuler, 5e-3, 1e-10));
    rest.settle(1e-7);
    let mut bench = probed(input(GRAVITY, hung), settings(Integrator::BackwardEuler, h, 1e-10), measures);
    bench.state.x = rest.state.x.clone();
    bench.state.x_before = rest.state.x[..bench.world.moving].to_vec();
    let energy = |bench: &Bench| {
        let (membrane, bending) = bench.world.elements.energy(&bench.state.x);
        kinetic_energy(&bench.world, &bench.state) + weight_energy(&bench.world, &bench.state) + membrane + bending
    };
    let before = energy(&bench);
    bench.run(0.5 * time);
    let [work, all] = bench.state.work[..] else { panic!() };
    assert!((work - all).abs() <= 1e-12 * work, "pins alone do work");
    (work, work - (energy(&bench) - before))
}

/// The work of pins is the energy of the lifted sheet. Backward Euler loses `m |dv|^2/2` a step, `h` times the mean of
/// `m a^2/2` over the time: with a rise by 0.2 m in 1 s, `a = 0.99 m/s^2` at most, 1.2e-4 of the work at a step of 1
/// ms. The corresponding loss of strain is less. Both halve with the step.
#[test]
fn a_lift_takes_its_energy() {
    let (work, lost) = lift(1e-3);
    let (_, half) = lift(5e-4);
    println!(
        "| work of a lift, and what of it is lost [J] | | {work:.6}, {lost:.2e}, {half:.2e} at half the step | | |"
    );
    let mass = DENSITY * 0.09;
    close("work of a lift", work, mass * (G * 0.1 + 0.5 * (0.1 * std::f64::consts::PI).powi(2)), 1e-2);
    assert!(lost > 0.0 && lost < 4e-4 * work, "{lost} of {work}");
    assert!((lost / half - 2.0).abs() < 0.3, "{}", lost / half);
}

/// Coulomb: a sheet pulled along a plane by twice the friction has the friction force `mu m g`. Its bound follows from
/// the normal force at the start of a step, which equals that at its end except for oscillations of the gap; 1 % after
/// a second.
#[test]
fn a_sheet_that_slides_rubs_by_its_weight() {
    let mut drawn = cloth(cut(Cut::Alternating, 5, 5, 0.1, 0.1, |m| Vec3::new(m.x - 3.0, 6.4e-4, m.y + 1.0)), 200.0);
    drawn.friction = friction();
    drawn.law.damping = Damping::even(1e-3);
    let weight = DENSITY * 0.01 * G;
    let pull = Pull::Force(Vec3::x() * (2.0 * MU * weight));
    drawn.handles = vec![Handle::new(hold(&drawn.mesh, |_| true), pull)];
    let mut all = input(GRAVITY, drawn);
    all.contact.enabled = true;
    all.obstacles.push(obstacle("floor", plane(Vec3::zeros(), Vec3::y(), 10.0, 20.0), Motion::Fixed));
    let measures = vec![on(1), Measure::Work(Source::Handles(vec![0]))];
    let mut bench = probed(all, settings(Integrator::Bdf2, 2e-3, 1e-8), measures);
    bench.run(1.0);
    close("friction of a sheet that slides", force(&bench, 0).x, MU * weight, 0.01);
    close("its weight on the floor", -force(&bench, 0).y, weight, 0.01);
    let way = (0..bench.world.moving).map(|v| (bench.state.x[v] - bench.world.rest[v]).x).sum::<f64>();
    let mean = way / bench.world.moving as f64;
    close("work of what draws it", bench.state.work[0], 2.0 * MU * weight * mean, 1e-9);
}
