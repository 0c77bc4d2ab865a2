//! Flowing air and cloth: drag, exchange of momentum, cloth as a screen. The flow alone is tested beside it (`field::flow`).

use crate::common::{Bench, G, input, settings};
use percale::field::flow::advect::Advection;
use percale::field::flow::bounds::{Inlet, Side, faces_of};
use percale::field::flow::grid::Grid;
use percale::field::flow::{Flow, Fluid};
use percale::force::resistance::Resistance;
use percale::linalg::Vec3;
use percale::mesh::generate::{Diagonals, sheet};
use percale::stepper::{Integrator, stepper};
use percale::world::Pin;
use percale::world::airflow::{Airflow, Blow, Blower};
use percale::world::build::ClothInput;

const AIR: Fluid = Fluid { viscosity: 1.5e-5, density: 1.2, advection: Advection::MacCormack };
const SPLIT: Resistance = Resistance::Split { normal: 1.2, tangent: 0.02 };

/// A box without inlets.
fn still(low: Vec3, high: Vec3, cells: [usize; 3], resistance: Resistance, answers: bool) -> Airflow {
    Airflow {
        grid: Grid::new(low, high, cells),
        sides: [Side::Wall; 6],
        fluid: AIR,
        inlets: Vec::new(),
        resistance,
        answers,
        solids: Vec::new(),
    }
}

/// Lets air flow.
fn blow(bench: &mut Bench, airflow: Airflow) {
    bench.world.blow(airflow, &mut bench.state);
    bench.stepper = stepper(&bench.world, bench.stepper.settings(), true);
}

fn step(bench: &mut Bench, h: f64) {
    let until = bench.state.time + h;
    bench.stepper.advance(&bench.world, &mut bench.state, until).unwrap_or_else(|stuck| panic!("{stuck:?}"));
}

/// A lying square of edge `size` [m].
fn plate(size: f64, count: usize) -> ClothInput {
    let mesh =
        sheet(count, count, size, size, Diagonals::Aligned, |m| Vec3::new(m.x - size / 2.0, 0.0, m.y - size / 2.0));
    ClothInput::plain(mesh, 1000.0, 0.2)
}

/// Momentum of the cloth [kg m/s].
fn momentum(bench: &Bench) -> Vec3 {
    bench.world.mass.iter().zip(&bench.state.v).map(|(mass, v)| v * *mass).sum()
}

/// A plate falls at `sqrt(2 m g/(rho Cn A))` in the end. The fixed point of the scheme is exact; after two seconds, ten times
/// `v/(2 g)` in which it comes nearer by 1/e, nothing is left of the start.
#[test]
fn a_plate_falls_at_its_terminal_speed() {
    let mut bench = Bench::new(input(Vec3::new(0.0, -G, 0.0), plate(0.2, 5)), settings(Integrator::Bdf2, 2e-3, 1e-10));
    let size = Vec3::new(1.0, 8.0, 1.0);
    blow(&mut bench, still(-size, Vec3::new(1.0, 1.0, 1.0), [4, 18, 4], SPLIT, false));
    (0..1000).for_each(|_| step(&mut bench, 2e-3));
    let exact = (2.0 * 0.2 * G / (1.2 * 1.2f64)).sqrt();
    let got = -momentum(&bench).y / bench.world.mass.iter().sum::<f64>();
    println!("terminal speed {got}, exact {exact}");
    assert!((got / exact - 1.0).abs() < 1e-6, "{got}, {exact}");
    assert_eq!(bench.state.flow.fastest(), 0.0);
}

/// What cloth loses of momentum the air gains, step by step, to rounding: the forces `F` of a step are what the cloth has felt, and
/// the air what it was given before and the rest of it (`kick`).
#[test]
fn cloth_and_air_exchange_momentum() {
    for resistance in [SPLIT, Resistance::SeedFixed(-3.0), Resistance::Screen { friction: 5.0, inertia: 1.0 }] {
        let mut cloth = plate(0.3, 9);
        cloth.velocity = Vec3::new(0.3, -2.0, 0.1);
        let mut bench = Bench::new(input(Vec3::zeros(), cloth), settings(Integrator::BackwardEuler, 2e-3, 1e-13));
        let airflow = still(Vec3::repeat(-0.5), Vec3::repeat(0.5), [12, 14, 10], resistance, true);
        let mass = airflow.fluid.density * airflow.grid.volume();
        blow(&mut bench, airflow);
        let (mut most, mut scale) = (0.0f64, 0.0f64);
        while bench.state.time < 0.12 {
            let (own, force) = (momentum(&bench), bench.state.flow.force.iter().sum::<Vec3>());
            bench.stepper.step(&bench.world, &mut bench.state, 0.12).unwrap_or_else(|stuck| panic!("{stuck:?}"));
            let h = bench.state.last;
            let now: Vec3 = bench.state.flow.force.iter().sum();
            let kick = Vec3::from_fn(|axis, _| mass * bench.state.flow.kick[axis].iter().sum::<f64>());
            let cloth = momentum(&bench) - own;
            most = most.max((cloth - now * h).norm()).max((kick + (now - force) * h).norm());
            scale = scale.max((now * h).norm());
        }
        println!("{resistance:?}: {most:e} of {scale:e} kg m/s a step");
        assert!(scale > 1e-5 && most < 1e-10 * scale, "{most:e} of {scale:e}");
        // The air is carried along, by a part of the cloth's speed.
        let flow: &Flow = &bench.state.flow;
        let behind = bench.world.airflow.as_ref().unwrap().grid.velocity(&flow.velocity, &Vec3::new(0.0, -0.1, 0.0));
        assert!(behind.y < -0.05 && behind.y > -2.0, "{behind:?}");
    }
}

/// A cloth across a channel, held at its border: the pressure falls across it by `a w + b w^2` at the speed `w` of the air.
#[test]
fn a_screen_has_its_pressure_drop() {
    let (friction, inertia) = (40.0, 25.0);
    for speed in [0.1, 0.6] {
        let mesh = sheet(9, 9, 0.2, 0.2, Diagonals::Alternating, |m| Vec3::new(0.3, m.x - 0.1, m.y - 0.1));
        let border: Vec<u32> =
            (0..81).filter(|v| [v % 9, v / 9].iter().any(|k| *k == 0 || *k == 8)).map(|v| v as u32).collect();
        let cloth = ClothInput { pins: vec![Pin::fixed(border)], ..ClothInput::plain(mesh, 500.0, 0.2) };
        let mut bench = Bench::new(input(Vec3::zeros(), cloth), settings(Integrator::Bdf2, 1e-3, 1e-8));
        let low = Vec3::new(0.0, -0.1, -0.1);
        let resistance = Resistance::Screen { friction, inertia };
        let mut airflow = still(low, Vec3::new(0.8, 0.1, 0.1), [32, 8, 8], resistance, true);
        airflow.sides[1] = Side::Open;
        let faces = faces_of(&airflow.grid, 0).collect();
        let inlet = Inlet { side: 0, faces };
        airflow.inlets.push(Blower { inlet, blow: Blow::Steady(speed, [0.0, f64::INFINITY]) });
        let grid = airflow.grid;
        blow(&mut bench, airflow);
        (0..1500).for_each(|_| step(&mut bench, 1e-3));
        let mean = |i: usize| {
            let layer = 0..64;
            layer.map(|k| bench.state.flow.pressure[i + grid.cells[0] * k]).sum::<f64>() / 64.0
        };
        let (drop, exact) = (mean(4) - mean(28), friction * speed + inertia * speed * speed);

        println!("{speed} m/s: {drop} Pa, exact {exact}");
        assert!((drop / exact - 1.0).abs() < 0.02, "{drop}, {exact}");
    }
}
