//! Cloth on an air layer: a sheet that stays flat over a plate or a body is a piston.

use crate::common::{Airy, Bench, DENSITY, body, close, cloth, input, settings};
use percale::effect::air::AirState;
use percale::effect::air::equation::{Gas, Method};
use percale::effect::air::layer::{AirInput, Along};
use percale::force::contact::Friction;
use percale::force::solid::{Lame, Solid};
use percale::linalg::Vec3;
use percale::mesh::generate::{self, Diagonals, lying, sheet};
use percale::mesh::topology::Topology;
use percale::stepper::Integrator;
use percale::world::build::{ClothInput, Input, ObstacleInput, Rest};
use percale::world::motion::Motion;
use percale::world::quantity::{kinetic_energy, weight_energy};
use percale::world::window::Window;
use percale::world::{ContactSettings, Course, Kind, Pin};

/// Height of the gap [m].
const GAP: f64 = 0.02;
/// Width of the sheet [m].
const WIDTH: f64 = 0.2;

/// Returns an air layer below the sheet, whose permeability is `speed` [m/s] at 200 Pa.
fn air(below: &str, speed: f64) -> AirInput {
    AirInput {
        names: ["sheet".into(), below.into()],
        gas: Gas::default(),
        method: Method::default(),
        along: Along::Gap,
        permeance: speed / 200.0,
        inertia: 0.0,
        blockage: f64::INFINITY,
        open: Vec::new(),
        vents: Vec::new(),
    }
}

/// Makes a sheet at the height of the gap over a plate twice as wide.
fn piston(gravity: f64, speed: f64) -> Airy {
    let mut mesh = sheet(9, 9, WIDTH, WIDTH, Diagonals::Alternating, lying(WIDTH, WIDTH));
    mesh.positions.iter_mut().for_each(|p| p.y = GAP);
    let plate = sheet(2, 2, 2.0 * WIDTH, 2.0 * WIDTH, Diagonals::Alternating, lying(2.0 * WIDTH, 2.0 * WIDTH));
    let plate = ObstacleInput {
        name: "plate".into(),
        mesh: plate,
        course: Course::Rigid(Motion::Fixed),
        friction: Friction { fixed: 0.0, sliding: 0.0 },
        thickness: 0.0,
        window: Window::ALWAYS,
    };
    let gravity = Vec3::new(0.0, -gravity, 0.0);
    let input = Input { obstacles: vec![plate], ..input(gravity, cloth(mesh, 200.0)) };
    Airy { airs: vec![air("plate", speed)], ..input.into() }
}

/// Lifts the sheet by `by` [m] without inflow of air.
fn lift(bench: &mut Bench, by: f64) {
    let vertices = bench.world.objects[0].vertices.clone();
    for v in vertices {
        bench.state.x[v].y += by;
        bench.state.x_before[v].y += by;
    }
}

/// Returns the mean height over the rest gap [m].
fn height(bench: &Bench) -> f64 {
    let all = bench.positions();
    all.iter().map(|p| p.y - GAP).sum::<f64>() / all.len() as f64
}

/// Returns the times at which the height passes zero, and the largest height after each [s, m].
fn swings(bench: &mut Bench, h: f64, count: usize) -> Vec<[f64; 2]> {
    let mut swings: Vec<[f64; 2]> = Vec::new();
    let mut last = height(bench);
    while swings.len() < count {
        bench.step(h);
        let now = height(bench);
        if now * last <= 0.0 {
            swings.push([bench.state.time - h * now / (now - last), 0.0]);
        }
        if let Some([_, most]) = swings.last_mut() {
            *most = most.max(now.abs());
        }
        last = now;
    }
    swings
}

/// Enclosed air is a spring: `omega^2 = P_atm/(rho d)`, 5033 rad/s at 0.2 kg/m2 and 20 mm. With 200 steps per period
/// BDF2 is late by `(omega h)^2/3 = 0.03 %`; an amplitude of a hundredth of the gap makes the spring nonlinear by less.
#[test]
fn a_sealed_piston_swings() {
    let omega = (Gas::default().pressure / (DENSITY * GAP)).sqrt();
    assert!((omega - 5033.0).abs() < 1.0);
    let period = std::f64::consts::TAU / omega;
    let h = period / 200.0;
    let mut bench = Bench::new(piston(0.0, 0.0), settings(Integrator::Bdf2, h, 1e-8));
    lift(&mut bench, 0.01 * GAP);
    let swings = swings(&mut bench, h, 9);
    close("sealed piston: omega, rad/s", 8.0 * std::f64::consts::PI / (swings[8][0] - swings[0][0]), omega, 0.01);
    close("sealed piston: height after four periods, mm", 1e3 * swings[7][1], 1e3 * 0.01 * GAP, 0.01);
}

/// Two equal sheets with sealed air between them oscillate against each other as half of the mass of one on a plate.
/// The orientation of the lower sheet does not matter, and their common centre does not move.
#[test]
fn two_sheets_are_a_piston_of_half_the_mass() {
    let omega = (2.0 * Gas::default().pressure / (DENSITY * GAP)).sqrt();
    let h = std::f64::consts::TAU / omega / 200.0;
    for turned in [false, true] {
        let flat = sheet(9, 9, WIDTH, WIDTH, Diagonals::Alternating, lying(WIDTH, WIDTH));
        let (mut upper, mut lower) = (flat.clone(), flat);
        upper.positions.iter_mut().for_each(|p| p.y = GAP);
        if turned {
            lower.triangles.iter_mut().for_each(|t| t.swap(1, 2));
            lower.uv_triangles.iter_mut().for_each(|t| t.swap(1, 2));
        }
        let lower = ClothInput { name: "lower".into(), ..cloth(lower, 200.0) };
        let input = input(Vec3::zeros(), cloth(upper, 200.0));
        let cloths = input.cloths.into_iter().chain([lower]).collect();
        let input = Input { cloths, ..Input::empty(Vec3::zeros()) };
        let contact = ContactSettings { enabled: false, ..input.contact };
        let airy = Airy { airs: vec![air("lower", 0.0)], ..Input { contact, ..input }.into() };
        let mut bench = Bench::new(airy, settings(Integrator::Bdf2, h, 1e-8));
        lift(&mut bench, 0.01 * GAP);
        let means = |bench: &Bench| {
            [0, 1].map(|k: usize| {
                let all = bench.world.in_file_order(&bench.world.objects[k], &bench.state.x);
                all.iter().map(|p| p.y).sum::<f64>() / all.len() as f64
            })
        };
        let (mut zeros, mut last) = (Vec::new(), 0.01 * GAP);
        while zeros.len() < 9 {
            bench.step(h);
            let [up, low] = means(&bench);
            let now = up - low - GAP;
            if now * last <= 0.0 {
                zeros.push(bench.state.time - h * now / (now - last));
            }
            last = now;
            assert!((up + low - GAP - 0.01 * GAP).abs() < 1e-6 * GAP, "{up} {low}");
        }
        let found = 8.0 * std::f64::consts::PI / (zeros[8] - zeros[0]);
        close(&format!("sealed air between sheets, turned: {turned}: omega, rad/s"), found, omega, 0.01);
    }
}

/// A sheet is inclined over another with only the air between them. Along the gap, the pressures conserve the angular
/// momentum of both about their centre to the tolerance of the solver. Along the normals of the upper sheet, as in the
/// paper's Eq. 3, they create some: the lower sheet is coarser, and its points are not below the upper ones along their
/// normals.
#[test]
fn pressure_along_normals_turns_what_it_pushes() {
    let turning = |along: Along| {
        let flat = sheet(9, 9, WIDTH, WIDTH, Diagonals::Alternating, lying(WIDTH, WIDTH));
        let (mut upper, mut lower) = (flat.clone(), flat);
        upper.positions.iter_mut().for_each(|p| p.y = GAP * (1.0 + 2.0 * p.x / WIDTH));
        lower.positions.iter_mut().for_each(|p| p.y = 0.3 * GAP * (4.0 * p.x / WIDTH).cos());
        let lower = ClothInput { name: "lower".into(), rest: Rest::Mesh, ..cloth(lower, 200.0) };
        let upper = ClothInput { rest: Rest::Mesh, velocity: Vec3::new(0.0, -1.0, 0.0), ..cloth(upper, 200.0) };
        let airs = vec![AirInput { along, ..air("lower", 0.0) }];
        let input = Input { cloths: vec![upper, lower], ..Input::empty(Vec3::zeros()) };
        let contact = ContactSettings { enabled: false, ..input.contact };
        let airy = Airy { airs, ..Input { contact, ..input }.into() };
        let mut bench = Bench::new(airy, settings(Integrator::BackwardEuler, 1e-4, 1e-12));
        let spin = |bench: &Bench| -> Vec3 {
            let each = |v: usize| bench.state.x[v].cross(&bench.state.v[v]) * bench.world.mass[v];
            (0..bench.world.moving).map(each).sum()
        };
        let mut made = 0.0;
        for _ in 0..50 {
            let before = (bench.state.x.clone(), spin(&bench));
            bench.step(1e-4);
            // Backward Euler conserves the angular momentum about the previous positions, where forces act.
            let about: Vec3 =
                (0..bench.world.moving).map(|v| before.0[v].cross(&bench.state.v[v]) * bench.world.mass[v]).sum();
            made += (about - before.1).z;
        }
        let scale: f64 = bench.world.mass.iter().sum::<f64>() * WIDTH;
        made.abs() / scale
    };
    let [gap, normal] = [Along::Gap, Along::Normal].map(turning);
    println!(
        "| angular momentum made by air along the gap, along normals | 0 | {gap:.2e} {normal:.2e} | | 1e-3 of it |"
    );
    assert!(normal > 1e-3 && gap < 1e-3 * normal, "{gap} {normal}");
}

/// With a slow leak the oscillation decays: `s^2 + lambda s + omega^2 = 0`, damping ratio
/// `sigma/(2 dP) sqrt(P_atm rho/d) = 0.0252` at 0.01 m/s under 200 Pa. The first-order step of the air adds
/// `lambda h/2 = 0.04 %` of it.
#[test]
fn a_leaky_piston_comes_to_rest() {
    let gas = Gas::default();
    let omega = (gas.pressure / (DENSITY * GAP)).sqrt();
    let ratio = 0.01 / 400.0 * (gas.pressure * DENSITY / GAP).sqrt();
    assert!((ratio - 0.0252).abs() < 1e-4);
    let h = std::f64::consts::TAU / omega / 200.0;
    let mut bench = Bench::new(piston(0.0, 0.01), settings(Integrator::Bdf2, h, 1e-8));
    lift(&mut bench, 0.01 * GAP);
    let swings = swings(&mut bench, h, 12);
    // Extremes n half periods apart: ln = n pi zeta/sqrt(1 - zeta^2). Both signs count.
    let fall = (swings[1][1] / swings[9][1]).ln() / (8.0 * std::f64::consts::PI);
    close("leaky piston: damping ratio", fall / (1.0 + fall * fall).sqrt(), ratio, 0.02);
}

/// A load on permeable cloth presses the air out at the speed of its pressure: `sigma p/dP`, 10 mm/s for 20 Pa on 0.1
/// m/s under 200 Pa, whatever the step. The remaining air is denser by 20 Pa of 101 kPa: 0.02 %.
#[test]
fn a_load_sinks_through_permeable_cloth() {
    for (method, h) in [(Method::Symmetric, 1e-4), (Method::Symmetric, 2e-3), (Method::Reference, 2e-3)] {
        let mut bench = loaded(method, h);
        bench.run(0.04);
        let before = height(&bench);
        bench.run(0.2);
        close(
            &format!("load of 20 Pa, {method:?}, steps of {h} s: speed, mm/s"),
            1e3 * (before - height(&bench)) / 0.16,
            10.0,
            0.005,
        );
    }
}

/// Makes a sheet with a load of 20 Pa on air that leaves by 0.1 m/s under 200 Pa.
fn loaded(method: Method, h: f64) -> Bench {
    let mut input = piston(20.0 / DENSITY, 0.1);
    input.airs[0].method = method;
    Bench::new(input, settings(Integrator::Bdf2, h, 1e-8))
}

/// Air below a held sheet leaks by `lambda = P_atm v/(dP d)`, 25.33 1/s at 1 mm/s under 200 Pa. Below a cloth that lies
/// on it with 20 Pa, and blocks half of the permeability at 100 Pa, by `1/1.2` of that. Steps of 1 ms reduce it by
/// `lambda h/2 = 1.3 %`, which is included; a load that varies by half between vertices leaves
/// `(0.5 0.2/1.2)^2 = 0.7 %` more open.
#[test]
fn what_lies_on_the_cloth_holds_the_air() {
    let h = 1e-3;
    for (blockage, left) in [(100.0, 1.0 / 1.2), (f64::INFINITY, 1.0)] {
        let mut input = piston(20.0 / DENSITY, 1e-3);
        input.airs[0].blockage = blockage;
        let mut lid = input.cloths[0].clone();
        lid.name = "lid".into();
        lid.mesh.positions.iter_mut().for_each(|p| p.y += 1e-3);
        input.cloths.push(lid);
        let all = 0..input.cloths[0].mesh.positions.len() as u32;
        input.cloths[0].pins.push(Pin::fixed(all.collect()));
        input.contact.enabled = true;
        let mut bench = Bench::new(input, settings(Integrator::Bdf2, h, 1e-8));
        bench.run(0.3);
        let gas = Gas::default();
        let layer = bench.airs().layers[0].layer.clone();
        let air = &mut bench.memory_mut::<AirState>().layers[0];
        for v in 0..layer.size() {
            (air.excess[v], air.energy[v]) = (100.0, (gas.pressure + 100.0) * layer.areas[v] * GAP);
        }
        bench.run(0.33);
        let excess = |bench: &Bench| {
            let air = &bench.memory::<AirState>().layers[0];
            air.excess.iter().sum::<f64>() / air.excess.len() as f64
        };
        let before = excess(&bench);
        bench.run(0.36);
        let lambda = left * gas.pressure * 1e-3 / (200.0 * GAP);
        let expected = (1.0 + lambda * h).ln() / h;
        let what = format!("20 Pa lie on the cloth, half open at {blockage} Pa: leak, 1/s");
        close(&what, (before / excess(&bench)).ln() / 0.03, expected, 0.02);
    }
}

/// In the paper's published system the same cloth behaves as if sealed: it sinks by `p d/P_atm = 3.9 um`, and by as
/// much again before it stays there.
#[test]
fn the_printed_system_holds_a_load_up() {
    let sinks = 20.0 * GAP / Gas::default().pressure;
    for h in [1e-4, 2e-3] {
        let mut bench = loaded(Method::AsPrinted, h);
        let mut lowest = 0.0f64;
        while bench.state.time < 0.2 {
            bench.step(h);
            lowest = lowest.min(height(&bench));
        }
        assert!(lowest > -2.0 * sinks, "{h}: {lowest}");
        close(
            &format!("load of 20 Pa, printed system, steps of {h} s: sinks by, um"),
            -1e6 * height(&bench),
            1e6 * sinks,
            0.01,
        );
    }
}

/// If the air's inertia takes half of the pressure, or all of it, 20 Pa still drive 10 mm/s: `a w + b w^2` with 1000 Pa
/// s/m and 1e5 Pa s2/m2, or 2e5 alone.
#[test]
fn a_load_sinks_through_open_cloth() {
    for (permeance, inertia) in [(1e-3, 1e5), (f64::INFINITY, 2e5)] {
        for h in [1e-4, 2e-3] {
            let mut input = piston(20.0 / DENSITY, 0.0);
            (input.airs[0].permeance, input.airs[0].inertia) = (permeance, inertia);
            let mut bench = Bench::new(input, settings(Integrator::Bdf2, h, 1e-8));
            bench.run(0.04);
            let before = height(&bench);
            bench.run(0.2);
            let what = format!("load of 20 Pa on {permeance} m/(s Pa) with inertia, steps of {h} s: speed, mm/s");
            close(&what, 1e3 * (before - height(&bench)) / 0.16, 10.0, 0.005);
        }
    }
}

/// A sheet settles on the floor, while air leaves through it and below its open border. It gains no energy in any step.
#[test]
fn a_settling_sheet_gains_no_energy() {
    for h in [5e-4, 1e-3, 2e-3, 4e-3] {
        let mut input = piston(9.81, 0.02);
        let mesh = &mut input.cloths[0].mesh;
        *mesh = sheet(25, 25, 1.0, 1.0, Diagonals::Alternating, lying(1.0, 1.0));
        mesh.positions.iter_mut().for_each(|p| p.y = 0.01);
        let topology = Topology::new(mesh.positions.len(), &mesh.triangles);
        input.airs[0].open = (0..topology.boundary.len() as u32).filter(|v| topology.boundary[*v as usize]).collect();
        input.contact.enabled = true;
        input.obstacles[0].mesh = sheet(2, 2, 2.0, 2.0, Diagonals::Alternating, lying(2.0, 2.0));
        let mut bench = Bench::new(input, settings(Integrator::Bdf2, h, 1e-4));
        let energy = |bench: &Bench| {
            let (membrane, bending) = bench.world.elements.energy(&bench.state.x);
            kinetic_energy(&bench.world, &bench.state) + weight_energy(&bench.world, &bench.state) + membrane + bending
        };
        let begin = energy(&bench);
        let mut most = begin;
        while bench.state.time < 0.3 {
            bench.step(h);
            most = most.max(energy(&bench));
        }
        println!("steps of {h} s: {begin:.5} J, most {most:.5}, after 0.3 s {:.5}", energy(&bench));
        assert!(most < 1.02 * begin);
    }
}

/// Compressed air between a sheet and a body drives them apart and creates neither linear nor angular momentum: forces
/// are pairs along the line between both points.
#[test]
fn air_pushes_cloth_and_body_alike() {
    let cell = 0.04;
    let mut block = generate::brick([5, 2, 5], Vec3::repeat(cell));
    let top = 2.0 * cell + 0.005;
    block.positions.iter_mut().for_each(|p| *p -= Vec3::new(2.5 * cell, 0.0, 2.5 * cell));
    let mut mesh = sheet(9, 9, 0.15, 0.15, Diagonals::Alternating, lying(0.15, 0.15));
    mesh.positions.iter_mut().for_each(|p| p.y = top + 0.1 * p.x);
    let solid = Solid::Corotational(Lame::new(2e4, 0.3));
    let input = Input { bodies: vec![body(block, solid)], ..input(Vec3::zeros(), cloth(mesh, 200.0)) };
    let mut input = Airy { airs: vec![air("body", 0.0)], ..input.into() };
    for (integrator, method) in [
        (Integrator::BackwardEuler, Method::Symmetric),
        (Integrator::Bdf2, Method::Symmetric),
        (Integrator::Bdf2, Method::Reference),
        (Integrator::Bdf2, Method::AsPrinted),
    ] {
        input.airs[0].method = method;
        let mut bench = Bench::new(input.clone(), settings(integrator, 1e-4, 1e-13));
        bench.memory_mut::<AirState>().layers[0].energy.iter_mut().for_each(|e| *e *= 1.0 + 1e-4);
        bench.run(0.01);
        let Bench { world, state, .. } = &bench;
        let all = |f: &dyn Fn(usize) -> Vec3| (0..world.moving).map(|v| f(v) * world.mass[v]).sum::<Vec3>();
        let sheet = world.objects.iter().find(|o| o.kind == Kind::Cloth).unwrap().vertices.clone();
        let share: f64 = sheet.map(|v| world.mass[v] * state.v[v].norm()).sum();
        let momentum = all(&|v| state.v[v]);
        println!("momentum of the sheet {share:.3e}, of both {:.3e} kg m/s", momentum.norm());
        assert!(share > 1e-5, "{share}");
        // Cancellation within the solver's tolerance of 1e-13 and 100 steps.
        assert!(momentum.norm() < 1e-10 * share, "{integrator:?}, {method:?}: {momentum}");
    }
}
