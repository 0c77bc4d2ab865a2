//! Order of accuracy and invariants of the time integration.

use crate::common::{Bench, Cut, DENSITY, G, close, cloth, cut, hold, input, settings};
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::linalg::{Rotation, Vec2, Vec3};
use percale::mesh::TriMesh;
use percale::stepper::Integrator;
use percale::world::{Pin, State};

const BOTH: [(Integrator, f64); 2] = [(Integrator::BackwardEuler, 1.0), (Integrator::Bdf2, 2.0)];

/// Returns the largest distance between positions.
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

/// Estimates the order from three runs, each with half the step of the previous.
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

/// A mass in the middle of a drumhead stretched by 15 %, plucked along and across it. The sheet is always under
/// tension: the stiffness of compression is clipped, which would be of first order. Bending halves the remaining pluck
/// at the end; its Gauss-Newton stiffness has a term of first order as well, negligible at these steps.
#[test]
fn a_spring_has_the_order_of_the_scheme() {
    let make = |integrator, h| {
        let middle = |m: &Vec2| (m - Vec2::repeat(0.05)).norm() < 1e-9;
        let pluck = |m: Vec2| if middle(&m) { Vec3::new(0.003, 0.002, 0.004) } else { Vec3::zeros() };
        let mesh = cut(Cut::Alternating, 2, 2, 0.1, 0.1, |m| Vec3::new(1.15 * m.x, 1.15 * m.y, 0.0) + pluck(m));
        let pin = hold(&mesh, |m| !middle(m));
        let mut sheet = cloth(mesh, 1.0);
        sheet.law.bending = Bending::Constant(1e-4);
        sheet.pins.push(pin);
        Bench::new(input(Vec3::zeros(), sheet), settings(integrator, h, 1e-13))
    };
    assert_orders("spring", make, 0.2, [3200, 400]);
}

/// A sheet hung from one edge, brought to rest under tilted gravity, then released to swing under permanent tension.
/// Bending changes its final position by 2 mm.
#[test]
fn a_pendulum_sheet_has_the_order_of_the_scheme() {
    let bench = |integrator, gravity: Vec3, h: f64, damping: f64| {
        let mesh = cut(Cut::Aligned, 2, 6, 0.1, 0.3, |m| Vec3::new(m.x, m.y - 0.3, 0.0));
        let pin = hold(&mesh, |m| m.y > 0.3 - 1e-9);
        let mut sheet = cloth(mesh, 10.0);
        sheet.law.bending = Bending::Constant(1e-4);
        sheet.law.damping = Damping::even(damping);
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

/// Returns linear and angular momentum about the origin.
fn momenta(bench: &Bench) -> (Vec3, Vec3) {
    let State { x, v, .. } = &bench.state;
    let mass = &bench.world.mass;
    let linear = (0..mass.len()).map(|i| v[i] * mass[i]).sum();
    let angular = (0..mass.len()).map(|i| x[i].cross(&v[i]) * mass[i]).sum();
    (linear, angular)
}

/// Returns a hexagon of six triangles at its centre, turned, with its corners stretched by `stretch`.
fn hexagon(radius: f64, stretch: f64, turn: &Rotation) -> TriMesh {
    let corner = |k: u32| {
        let (sin, cos) = (f64::from(k) * std::f64::consts::FRAC_PI_3).sin_cos();
        Vec2::new(cos, sin) * radius
    };
    let uv: Vec<Vec2> = (0..6).map(corner).chain([Vec2::zeros()]).collect();
    let triangles: Vec<[u32; 3]> = (0..6).map(|k| [6, k, (k + 1) % 6]).collect();
    let positions = uv.iter().map(|m| turn * Vec3::new(m.x, m.y, 0.0) * stretch).collect();
    TriMesh { positions, uv_triangles: triangles.clone(), uv, triangles, ..TriMesh::default() }
}

/// A hexagon that spins and flies without forces keeps its linear and angular momentum, to 1e-12 and 1e-11 of their
/// size. Element forces and solver sum to zero, and the momentum correction returns the loss of rotation. Held at its
/// centre it has no correction, and loses angular momentum by the expansions of the schemes. Its corners are stretched
/// by `l`, `l^2 = 1 + 2 rho w^2 R^2/(3 E)`, so that elasticity is the centripetal force and the motion is a rotation by
/// `w t`.
///
/// With `p = h w`, backward Euler multiplies the solution of `z' = i w z` by `1/(1 - i p)` per step, angular momentum
/// by `1 - p^2`: the loss per radian is `p`. BDF2's root has the size `1 - p^4/4`, so the loss per radian is `p^3/2`,
/// and no more. Forces are linearised at the predicted rotation of the hexagon, so that they have no torque.
///
/// The start adds a loss of second order. Its step of `h/8` by backward Euler loses `(p/8)^2`. BDF2 passes on to a step
/// `r` times as long `r^2/(1 + 2 r)` of the error of an increment: 4/5 while steps double, 1/3 then, so
/// `(p/8)^2 (1 + 4/5 + 16/25 + 3/2 64/125)`. The losses after half the time and after all of it distinguish both.
/// Tolerance 1 %, and 0.05 of a slope: the next terms are 0.3 %.
#[test]
fn free_flight_keeps_momentum() {
    const SPIN: f64 = 40.0;
    const RADIUS: f64 = 0.1;
    const YOUNG: f64 = 20.0;
    const TIME: f64 = 0.05;
    let square = 1.0 + 2.0 * DENSITY * (SPIN * RADIUS).powi(2) / (3.0 * YOUNG);
    let turn = Rotation::from_scaled_axis(Vec3::new(0.3, 0.9, -0.4));
    // Loss of angular momentum about the centre of mass after half the time and after all of it; error of the linear
    // momentum.
    let fly = |integrator: Integrator, h: f64, held: bool| {
        let mut sheet = cloth(hexagon(RADIUS, square.sqrt(), &turn), YOUNG);
        sheet.pins.extend(held.then(|| Pin::fixed(vec![6])));
        let mut bench = Bench::new(input(Vec3::zeros(), sheet), settings(integrator, h, 1e-14));
        let flight = if held { Vec3::zeros() } else { Vec3::new(1.0, 2.0, 3.0) };
        let spin = turn * Vec3::new(0.0, 0.0, SPIN);
        for (v, x) in bench.state.v.iter_mut().zip(&bench.state.x) {
            *v = spin.cross(x) + flight;
        }
        // The path of the centre adds no angular momentum, since it starts at the origin.
        let spun = |bench: &Bench| {
            let (p, l) = momenta(bench);
            l - (p * (bench.state.time / bench.world.mass.iter().sum::<f64>())).cross(&p)
        };
        let (linear, angular) = (momenta(&bench).0, spun(&bench));
        let lost = [0.5, 1.0].map(|share| {
            bench.run(share * TIME);
            (spun(&bench) - angular).norm() / angular.norm()
        });
        (lost, (momenta(&bench).0 - linear).norm() / linear.norm())
    };
    let radians = SPIN * TIME;
    let started = (1.0 + 0.8 + 0.64 + 1.5 * 0.512) / 64.0;
    for (integrator, _) in BOTH {
        let [coarse, fine] = [1600.0, 3200.0].map(|steps| {
            let ([_, all], linear) = fly(integrator, TIME / steps, false);
            println!("| free flight, {integrator:?}: linear, angular momentum | 0 | {linear:.1e}, {all:.1e} | | 1e-12, 1e-11 |");
            assert!(linear < 1e-12 && all < 1e-11, "{linear:e} {all:e}");
            let ([half, all], _) = fly(integrator, TIME / steps, true);
            // Loss at the start, and per radian.
            [2.0 * half - all, 2.0 * (all - half) / radians]
        });
        let p = radians / 3200.0;
        let expected: &[(usize, &str, f64, f64)] = match integrator {
            Integrator::BackwardEuler => &[(1, "a radian", p, 1.0)],
            Integrator::Bdf2 => &[(0, "at the start", started * p * p, 2.0), (1, "a radian", 0.5 * p.powi(3), 3.0)],
        };
        for &(part, name, loss, order) in expected {
            close(
                &format!("held at its centre, {integrator:?}: angular momentum lost {name}, 1e-9"),
                fine[part] * 1e9,
                loss * 1e9,
                0.01,
            );
            let slope = (coarse[part] / fine[part]).log2();
            println!("| its slope | {order} | {slope:.3} | | 0.05 |");
            assert!((slope - order).abs() < 0.05, "{integrator:?} {name}: {slope}");
        }
    }
}
