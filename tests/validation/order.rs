//! Order of accuracy and invariants of the time integration.

use crate::common::{Bench, Cut, G, cloth, cut, hold, input, settings};
use percale::linalg::{Rotation, Vec2, Vec3};
use percale::mesh::TriMesh;
use percale::stepper::Integrator;
use percale::world::State;

const BOTH: [(Integrator, f64); 2] = [(Integrator::BackwardEuler, 1.0), (Integrator::Bdf2, 2.0)];

/// Largest distance of positions.
fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Runs `steps` steps to `time`; uneven: pairs of steps in the ratio 2 : 3.
fn end(mut bench: Bench, time: f64, steps: usize, uneven: bool) -> Vec<Vec3> {
    let h = time / steps as f64;
    for k in 0..steps {
        let part = match (uneven, k % 2) {
            (false, _) => 1.0,
            (true, 0) => 0.8,
            (true, _) => 1.2,
        };
        bench.step(h * part);
    }
    assert!((bench.state.time - time).abs() < 1e-12);
    bench.positions()
}

/// Order by three runs, each with half the step of the last.
fn order(run: impl Fn(usize) -> Vec<Vec3>, steps: usize) -> f64 {
    let [a, b, c] = [1, 2, 4].map(|k| run(steps * k));
    (apart(&a, &b) / apart(&b, &c)).log2()
}

/// Asserts the orders, 1 and 2, within 0.05: steps are small enough for the next term of the error to be below 3 %.
fn assert_orders(name: &str, make: impl Fn(Integrator, f64) -> Bench, time: f64, steps: [usize; 2]) {
    for ((integrator, expected), steps) in BOTH.into_iter().zip(steps) {
        for uneven in [false, true] {
            let h = 1.3 * time / steps as f64;
            let measured = order(|n| end(make(integrator, h), time, n, uneven), steps);
            println!("| order, {name}, {integrator:?}, uneven: {uneven} | {expected} | {measured:.3} | | 0.05 |");
            assert!((measured - expected).abs() < 0.05, "{name} {integrator:?} {uneven}: {measured}");
        }
    }
}

/// A mass in the middle of a drumhead stretched by 15 %, plucked along and across it. Tension all the time: the stiffness of
/// compression is clipped, which would leave first order there.
#[test]
fn a_spring_has_the_order_of_the_scheme() {
    let make = |integrator, h| {
        let middle = |m: &Vec2| (m - Vec2::repeat(0.05)).norm() < 1e-9;
        let pluck = |m: Vec2| if middle(&m) { Vec3::new(0.003, 0.002, 0.004) } else { Vec3::zeros() };
        let mesh = cut(Cut::Alternating, 2, 2, 0.1, 0.1, |m| Vec3::new(1.15 * m.x, 1.15 * m.y, 0.0) + pluck(m));
        let pin = hold(&mesh, |m| !middle(m));
        let mut sheet = cloth(mesh, 1.0);
        sheet.pins.push(pin);
        Bench::new(input(Vec3::zeros(), sheet), settings(integrator, h, 1e-13))
    };
    assert_orders("spring", make, 0.2, [3200, 400]);
}

/// A sheet hung from one edge, brought to rest under tilted gravity, then left to swing: under tension all the time.
#[test]
fn a_pendulum_sheet_has_the_order_of_the_scheme() {
    let bench = |integrator, gravity: Vec3, h: f64, damping: f64| {
        let mesh = cut(Cut::Aligned, 2, 6, 0.1, 0.3, |m| Vec3::new(m.x, m.y - 0.3, 0.0));
        let pin = hold(&mesh, |m| m.y > 0.3 - 1e-9);
        let mut sheet = cloth(mesh, 10.0);
        sheet.sheet.damping = damping;
        sheet.drag.normal = 10.0 * damping;
        sheet.drag.tangent = 10.0 * damping;
        sheet.pins.push(pin);
        Bench::new(input(gravity, sheet), settings(integrator, h, 1e-13))
    };
    let mut tilted = bench(Integrator::BackwardEuler, Vec3::new(0.0, -G * 0.2f64.cos(), G * 0.2f64.sin()), 5e-3, 0.1);
    tilted.settle(1e-9);
    let start = tilted.state.x.clone();
    let make = |integrator, h| {
        let mut swing = bench(integrator, Vec3::new(0.0, -G, 0.0), h, 0.0);
        swing.state = State { x: start.clone(), x_before: start.clone(), ..swing.state };
        swing
    };
    assert_orders("pendulum sheet", make, 0.3, [1600, 200]);
}

/// Linear and angular momentum about the origin.
fn momenta(bench: &Bench) -> (Vec3, Vec3) {
    let State { x, v, .. } = &bench.state;
    let mass = &bench.world.mass;
    let linear = (0..mass.len()).map(|i| v[i] * mass[i]).sum();
    let angular = (0..mass.len()).map(|i| x[i].cross(&v[i]) * mass[i]).sum();
    (linear, angular)
}

/// A hexagon that spins and flies without forces keeps its linear momentum (1e-12 of its size: element forces and solver sum to
/// nothing) and loses angular momentum by O(h) (backward Euler) or O(h^2) (BDF2): by its first step, of order 2 and short, and
/// by the damping of the scheme, (h w)^3/4 a radian (order 3), which are of one size here. The spin keeps it stretched alike in
/// all directions; where cloth is compressed the clipped stiffness leaves O(h) for both.
#[test]
fn free_flight_keeps_momentum() {
    for (integrator, slopes) in [(Integrator::BackwardEuler, 1.0..=1.0), (Integrator::Bdf2, 2.0..=3.0)] {
        let fly = |steps: usize| {
            let turn = Rotation::from_scaled_axis(Vec3::new(0.3, 0.9, -0.4));
            let corner = |k: u32| {
                let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos();
                Vec2::new(0.1 * cos, 0.1 * sin)
            };
            let uv: Vec<Vec2> = (0..6).map(corner).chain([Vec2::zeros()]).collect();
            let triangles: Vec<[u32; 3]> = (0..6).map(|k| [6, k, (k + 1) % 6]).collect();
            let positions = uv.iter().map(|m| turn * Vec3::new(1.04 * m.x, 1.04 * m.y, 0.0)).collect();
            let mesh = TriMesh { positions, uv_triangles: triangles.clone(), uv, triangles, ..TriMesh::default() };
            let mut bench = Bench::new(input(Vec3::zeros(), cloth(mesh, 20.0)), settings(integrator, 1.0, 1e-14));
            let spin = turn * Vec3::new(0.0, 0.0, 40.0);
            for (v, x) in bench.state.v.iter_mut().zip(&bench.state.x) {
                *v = spin.cross(x) + Vec3::new(1.0, 2.0, 3.0);
            }
            let before = momenta(&bench);
            for _ in 0..steps {
                bench.step(0.1 / steps as f64);
            }
            let after = momenta(&bench);
            let linear = (after.0 - before.0).norm() / before.0.norm();
            // About the centre of mass: the path of the centre adds nothing, it starts at the origin.
            let spun = |(p, l): (Vec3, Vec3), t: f64| l - (p * (t / bench.world.mass.iter().sum::<f64>())).cross(&p);
            (linear, (spun(after, 0.1) - spun(before, 0.0)).norm() / spun(before, 0.0).norm())
        };
        let [a, b, c] = [1600, 3200, 6400].map(fly);
        let slope = (b.1 / c.1).log2();
        let worst = a.0.max(b.0).max(c.0);
        println!("| free flight, {integrator:?}: linear momentum | 0 | {worst:.1e} | | 1e-12 |");
        println!(
            "| free flight, {integrator:?}: angular drift {:.1e} {:.1e} {:.1e} | slope {slopes:?} | {slope:.3} | | 0.05 |",
            a.1, b.1, c.1
        );
        assert!(worst < 1e-12 && slopes.start() - 0.05 < slope && slope < slopes.end() + 0.05);
    }
}
