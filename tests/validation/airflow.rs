//! Flowing air and cloth: drag, exchange of momentum, cloth as a screen. The flow alone is tested in `field::flow`.

use crate::common::{Bench, G, input, settings};
use percale::effect::air::equation::{Air, Layer, Work};
use percale::effect::airflow::domain::{Airflow, Blow, Blower};
use percale::effect::airflow::resistance::Resistance;
use percale::effect::airflow::solver::advect::Advection;
use percale::effect::airflow::solver::bounds::{Inlet, Side, faces_of};
use percale::effect::airflow::solver::grid::Grid;
use percale::effect::airflow::solver::{Flow, Fluid, Solver};
use percale::linalg::Vec3;
use percale::mesh::generate::{Diagonals, sheet};
use percale::stepper::{Integrator, stepper};
use percale::world::Pin;
use percale::world::build::ClothInput;
use std::f64::consts::PI;

const AIR: Fluid = Fluid { viscosity: 1.5e-5, density: 1.2, advection: Advection::MacCormack };
const SPLIT: Resistance = Resistance::Split { normal: 1.2, tangent: 0.02 };

/// Makes a box without inlets.
fn still(low: Vec3, high: Vec3, cells: [usize; 3], resistance: Resistance, two_way: bool) -> Airflow {
    Airflow {
        grid: Grid::new(low, high, cells),
        sides: [Side::Wall; 6],
        fluid: AIR,
        inlets: Vec::new(),
        resistance,
        two_way,
        solids: Vec::new(),
    }
}

/// Adds the airflow to a bench.
fn blow(bench: &mut Bench, airflow: Airflow) {
    airflow.blow(&mut bench.world, &mut bench.state);
    bench.stepper = stepper(&bench.world, bench.stepper.settings(), true);
}

fn step(bench: &mut Bench, h: f64) {
    let until = bench.state.time + h;
    bench.stepper.advance(&bench.world, &mut bench.state, until).unwrap_or_else(|stuck| panic!("{stuck:?}"));
}

/// Makes a horizontal square of edge `size` [m].
fn plate(size: f64, count: usize) -> ClothInput {
    let mesh =
        sheet(count, count, size, size, Diagonals::Aligned, |m| Vec3::new(m.x - size / 2.0, 0.0, m.y - size / 2.0));
    ClothInput::plain(mesh, 1000.0, 0.2)
}

/// Returns the momentum of the cloth [kg m/s].
fn momentum(bench: &Bench) -> Vec3 {
    bench.world.mass.iter().zip(&bench.state.v).map(|(mass, v)| v * *mass).sum()
}

/// A plate reaches the terminal speed `sqrt(2 m g/(rho Cn A))`. The fixed point of the scheme is exact; after two
/// seconds, ten decay times `v/(2 g)`, the start has no effect.
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
    assert_eq!(bench.memory::<Flow>().fastest(), 0.0);
}

/// The air gains the momentum that the cloth loses in each step, to rounding. The forces `F` of a step act on the
/// cloth; the air gets the part given before and the rest (`kick`).
#[test]
fn cloth_and_air_exchange_momentum() {
    for resistance in [SPLIT, Resistance::Dissipative(-3.0), Resistance::Screen { friction: 5.0, inertia: 1.0 }] {
        let mut cloth = plate(0.3, 9);
        cloth.velocity = Vec3::new(0.3, -2.0, 0.1);
        let mut bench = Bench::new(input(Vec3::zeros(), cloth), settings(Integrator::BackwardEuler, 2e-3, 1e-13));
        let airflow = still(Vec3::repeat(-0.5), Vec3::repeat(0.5), [12, 14, 10], resistance, true);
        let mass = airflow.fluid.density * airflow.grid.volume();
        blow(&mut bench, airflow);
        let (mut most, mut scale) = (0.0f64, 0.0f64);
        while bench.state.time < 0.12 {
            let (own, force) = (momentum(&bench), bench.memory::<Flow>().force.iter().sum::<Vec3>());
            bench.stepper.step(&bench.world, &mut bench.state, 0.12).unwrap_or_else(|stuck| panic!("{stuck:?}"));
            let h = bench.state.last;
            let now: Vec3 = bench.memory::<Flow>().force.iter().sum();
            let kick = Vec3::from_fn(|axis, _| mass * bench.memory::<Flow>().kick[axis].iter().sum::<f64>());
            let cloth = momentum(&bench) - own;
            most = most.max((cloth - now * h).norm()).max((kick + (now - force) * h).norm());
            scale = scale.max((now * h).norm());
        }
        println!("{resistance:?}: {most:e} of {scale:e} kg m/s a step");
        assert!(scale > 1e-5 && most < 1e-10 * scale, "{most:e} of {scale:e}");
        // The air moves with the cloth, at a fraction of its speed.
        let flow: &Flow = bench.memory::<Flow>();
        let behind =
            bench.world.effects.get::<Airflow>().unwrap().grid.velocity(&flow.velocity, &Vec3::new(0.0, -0.1, 0.0));
        assert!(behind.y < -0.05 && behind.y > -2.0, "{behind:?}");
    }
}

/// A cloth across a channel, held at its border, has the pressure drop `a w + b w^2` at the speed `w` of the air.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn a_screen_has_its_pressure_drop() {
    let (friction, inertia) = (40.0, 25.0);
    for speed in [0.1, 0.6] {
        let mesh = sheet(9, 9, 0.2, 0.2, Diagonals::Alternating, |m| Vec3::new(0.3, m.x - 0.1, m.y - 0.1));
        let border: Vec<u32> =
            (0..81).filter(|v| [v % 9, v / 9].iter().any(|k| *k == 0 || *k == 8)).map(|v| v as u32).collect();
        let cloth = ClothInput { pins: vec![Pin::fixed(border)], ..ClothInput::plain(mesh, 5000.0, 0.2) };
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
            layer.map(|k| bench.memory::<Flow>().pressure[i + grid.cells[0] * k]).sum::<f64>() / 64.0
        };
        let (drop, exact) = (mean(4) - mean(28), friction * speed + inertia * speed * speed);

        println!("{speed} m/s: {drop} Pa, exact {exact}");
        assert!((drop / exact - 1.0).abs() < 0.02, "{drop}, {exact}");
    }
}

/// Makes a disc of `rings` rings, each with six vertices more than the previous.
fn disc(radius: f64, rings: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let first = |ring: usize| if ring == 0 { 0 } else { 1 + 3 * ring * (ring - 1) };
    let at = |ring: usize, k: usize| (first(ring) + if ring == 0 { 0 } else { k % (6 * ring) }) as u32;
    let mut x = vec![Vec3::zeros()];
    let mut triangles = Vec::new();
    for ring in 1..=rings {
        for k in 0..6 * ring {
            let (sin, cos) = (k as f64 / (6 * ring) as f64 * 2.0 * PI).sin_cos();
            x.push(Vec3::new(cos, 0.0, sin) * (radius * ring as f64 / rings as f64));
            let (side, along) = (k / ring, k % ring);
            let inner = side * (ring - 1) + along;
            triangles.push([at(ring - 1, inner), at(ring, k), at(ring, k + 1)]);
            if along + 1 < ring {
                triangles.push([at(ring - 1, inner), at(ring, k + 1), at(ring - 1, inner + 1)]);
            }
        }
    }
    (x, triangles)
}

/// A plate of radius `R` sinks at speed `V` toward another at the distance `h`: the air between carries
/// `F = 3 pi mu V R^4/(2 h^3)` (Stefan 1874; Reynolds 1886). The air layer has heights only; on 30 rings its error is
/// within 1/30^2.
#[test]
fn a_squeezed_disc_bears_what_lubrication_says() {
    let (radius, gap, speed, h) = (0.1, 1e-3, 1e-4, 1e-3);
    let (x, triangles) = disc(radius, 30);
    let mut layer = Layer::new(&x, &triangles, 0.0);
    layer.open = x.iter().map(|x| x.norm() > radius * (1.0 - 1e-9)).collect();
    let gas = crate::air::gas(1.5e-5);
    let outside = vec![0.0; layer.size()];
    let mut air = Air::still(&layer, &gas, &vec![gap; layer.size()]);
    let mut work = Work::default();
    for step in 1..=60 {
        let gaps = vec![gap - speed * h * f64::from(step); layer.size()];
        assert!(air.advance(&layer, &gas, &gaps, &outside, h, &mut work).converged);
    }
    let force: f64 = layer.areas.iter().zip(&air.excess).map(|(area, p)| area * p).sum();
    let viscosity = gas.viscosity * gas.pressure / (gas.speed * gas.speed);
    let now = gap - speed * h * 60.0;
    let exact = 1.5 * PI * viscosity * speed * radius.powi(4) / now.powi(3);
    println!("squeezed disc: {force:e} N, exact {exact:e}");
    assert!((force / exact - 1.0).abs() < 0.005, "{force:e}, {exact:e}");
}

/// Returns the faces of a side whose place along the other axis, x or y, is `k`.
fn strip(grid: &Grid, side: usize, k: usize) -> Inlet {
    let axis = side / 2;
    Inlet { side, faces: faces_of(grid, side).filter(|f| Grid::place(grid.faces(axis), *f)[1 - axis] == k).collect() }
}

/// Air flows along a duct and leaks through its lid. The air layer, with a height and a pressure at each vertex, is
/// compared with the Navier-Stokes equations in 80 x 16 cells between plates, whose lid draws out the layer's leak.
/// Pressures agree within 5 %.
#[test]
fn a_duct_with_a_leaking_lid_is_that_of_the_flow() {
    // The flow is slow, since the layer has no dynamic pressure, rho u^2, which is 1 % here.
    let (length, gap, inlet, viscosity) = (0.08, 4e-3, 0.2, 3e-4);
    let (along, side) = (80, 1e-3);
    let (x, triangles) = crate::air::strip(along, 2, side);
    let mut layer = Layer::new(&x, &triangles, 0.0);
    layer.open = x.iter().map(|x| x.x > length - 1e-9).collect();
    layer.permeance = x.iter().map(|x| if x.x < 1e-9 { 1e4 } else { 5e-3 }).collect();
    let gas = crate::air::gas(viscosity);
    let outside: Vec<f64> = x.iter().map(|x| if x.x < 1e-9 { inlet } else { 0.0 }).collect();
    let gaps = vec![gap; layer.size()];
    let (mut air, mut work) = (Air::still(&layer, &gas, &gaps), Work::default());
    for _ in 0..400 {
        air.advance(&layer, &gas, &gaps, &outside, 1e-3, &mut work);
    }
    let at = |place: f64| {
        let near = |v: &usize| (x[*v].x - place).abs() + if x[*v].z == side { 0.0 } else { 1.0 };
        air.excess[(0..x.len()).min_by(|a, b| near(a).total_cmp(&near(b))).unwrap()]
    };
    // The mean of two vertices is at the centre of a cell.
    let pressure: Vec<f64> = (0..along).map(|i| 0.5 * (at(i as f64 * side) + at((i + 1) as f64 * side))).collect();
    let flux: f64 = (0..layer.size())
        .filter(|v| x[*v].x < 1e-9)
        .map(|v| layer.leak(v, &gas, outside[v] - air.excess[v], 1.0) * (outside[v] - air.excess[v]))
        .sum::<f64>()
        / (gas.pressure * 2.0 * side);

    let rows = 16;
    let grid = Grid::new(Vec3::zeros(), Vec3::new(length, gap, 1e-3), [along, rows, 4]);
    let sides = [Side::Wall, Side::Open, Side::NoSlip, Side::NoSlip, Side::Wall, Side::Wall];
    let fluid = Fluid { viscosity, density: gas.pressure / (gas.speed * gas.speed), ..AIR };
    let (left, lid): (Vec<Inlet>, Vec<Inlet>) =
        ((0..rows).map(|j| strip(&grid, 0, j)).collect(), (0..along).map(|i| strip(&grid, 3, i)).collect());
    let profile = |j: usize| {
        let y = (j as f64 + 0.5) / rows as f64;
        6.0 * flux / gap * y * (1.0 - y)
    };
    let mut blown: Vec<(&Inlet, f64)> = left.iter().enumerate().map(|(j, inlet)| (inlet, profile(j))).collect();
    blown.extend(lid.iter().zip(&pressure).map(|(inlet, p)| (inlet, -5e-3 * p)));
    let (mut flow, mut solver) = (Flow::still(&grid), Solver::default());
    for _ in 0..300 {
        solver.bounds.find(&grid, &sides, &blown, &[]);
        let took = solver.advance((&grid, &sides, &fluid), &flow, &Default::default(), 2e-3);
        assert!(took.converged, "{took:?}");
        flow.clone_from(&solver.next);
    }
    let mean =
        |i: usize| (0..rows).map(|j| flow.pressure[Grid::number(grid.cells, [i, j, 1])]).sum::<f64>() / rows as f64;
    let most = pressure[4..].iter().enumerate().map(|(k, p)| (mean(k + 4) - p).abs()).fold(0.0, f64::max);
    println!(
        "leaking duct: {most:.4} Pa apart of {:.3}; flux {:.3e} m2/s, {:.0} % through the lid",
        pressure[4],
        flux,
        {
            let out: f64 = pressure.iter().map(|p| 5e-3 * p * side).sum();
            100.0 * out / flux
        }
    );
    assert!(most < 0.05 * pressure[4], "{most} of {}", pressure[4]);
}
