//! The air layer below a cloth, at a fixed gap.

use percale::effect::air::equation::{Air, Gas, Layer, Method, Work};
use percale::linalg::{Vec2, Vec3};
use percale::mesh::generate::{Diagonals, sheet};
use std::f64::consts::PI;

/// Makes a strip of `along` by `across` squares of side `side` [m] in the plane y = 0, with alternating diagonals.
pub fn strip(along: usize, across: usize, side: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let size = [along, across].map(|n| n as f64 * side);
    let place = |at: Vec2| Vec3::new(at.x, 0.0, at.y);
    let mesh = sheet(along + 1, across + 1, size[0], size[1], Diagonals::Alternating, place);
    (mesh.positions, mesh.triangles)
}

/// Returns the settings of a gas with this viscosity.
pub fn gas(viscosity: f64) -> Gas {
    Gas { viscosity, least: 1e-6, ..Gas::default() }
}

/// Gives the layer the excess pressures `p` [Pa].
pub fn compress(air: &mut Air, layer: &Layer, gas: &Gas, gap: f64, p: impl Fn(usize) -> f64) {
    for v in 0..layer.size() {
        air.energy[v] = (gas.pressure + p(v)) * layer.volume(v, gap, gas);
        air.excess[v] = p(v);
    }
}

/// At a fixed gap, the excess pressure decays through the cloth as `exp(-lambda t)`, `lambda = sigma P_atm/(dP d)`:
/// with 0.1 m/s at 200 Pa and 20 mm, 2533 1/s. Backward Euler at `lambda h = 0.01` decays by 0.5 % slower; larger steps
/// must not overshoot.
#[test]
fn air_leaves_through_the_cloth() {
    let (x, triangles) = strip(6, 4, 0.01);
    let layer = Layer::new(&x, &triangles, 0.1 / 200.0);
    let (gas, gap) = (gas(1.5e-5), 0.02);
    let lambda = 0.1 / 200.0 * gas.pressure / gap;
    assert!((lambda - 2533.0).abs() < 0.5);
    let (gaps, outside) = (vec![gap; layer.size()], vec![0.0; layer.size()]);
    let mut work = Work::default();
    let mut air = Air::still(&layer, &gas, &gaps);
    compress(&mut air, &layer, &gas, gap, |_| 500.0);
    let (h, steps) = (0.01 / lambda, 200);
    for _ in 0..steps {
        air.advance(&layer, &gas, &gaps, &outside, h, &mut work);
    }
    let rate = (500.0 / air.excess[7]).ln() / (h * f64::from(steps));
    println!("lambda {rate:.1}, exact {lambda:.1} 1/s");
    assert!((rate / lambda - 1.0).abs() < 0.01);
    for h in [1e-4, 1e-2, 1.0] {
        compress(&mut air, &layer, &gas, gap, |_| 500.0);
        air.flux.fill(0.0);
        let mut last = 500.0;
        for _ in 0..5 {
            air.advance(&layer, &gas, &gaps, &outside, h, &mut work);
            assert!(air.excess.iter().all(|p| (0.0..last).contains(p)), "{h}: {:?}", air.excess);
            last = air.excess[0];
        }
    }
}

/// Air squeezed to half its height at once ends at atmospheric pressure, with half its mass.
#[test]
fn a_squeezed_gap_comes_to_the_pressure_outside() {
    let (x, triangles) = strip(5, 5, 0.01);
    let layer = Layer::new(&x, &triangles, 0.1 / 200.0);
    let gas = gas(1.5e-5);
    let (wide, narrow, outside) = (vec![0.02; layer.size()], vec![0.01; layer.size()], vec![0.0; layer.size()]);
    for h in [1e-5, 1e-4, 1e-3] {
        let mut air = Air::still(&layer, &gas, &wide);
        let before: f64 = air.energy.iter().sum();
        let mut work = Work::default();
        air.advance(&layer, &gas, &narrow, &outside, h, &mut work);
        assert!(air.excess.iter().all(|p| *p > 0.0));
        for _ in 0..(5e-3 / h) as usize {
            air.advance(&layer, &gas, &narrow, &outside, h, &mut work);
        }
        // 5 ms are 25 decay times.
        let after: f64 = air.energy.iter().sum();
        assert!(air.excess.iter().all(|p| p.abs() < 1e-3 * gas.pressure), "{h}: {:?}", air.excess);
        assert!((after / before - 0.5).abs() < 1e-3, "{h}: {after} of {before}");
    }
}

/// Returns the first zero of the excess pressure at one end of a closed duct of length `length` that starts as half a
/// cosine [s].
pub fn quarter_period(method: Method, along: usize, length: f64, h: f64) -> f64 {
    let side = length / along as f64;
    let (x, triangles) = strip(along, 3, side);
    let mut layer = Layer::new(&x, &triangles, 0.0);
    layer.method = method;
    let (gas, gap) = (gas(0.0), 0.01);
    let (gaps, outside) = (vec![gap; layer.size()], vec![0.0; layer.size()]);
    let mut air = Air::still(&layer, &gas, &gaps);
    compress(&mut air, &layer, &gas, gap, |v| 100.0 * (PI * x[v].x / length).cos());
    let mut work = Work::default();
    let mut last = air.excess[0];
    for step in 1.. {
        air.advance(&layer, &gas, &gaps, &outside, h, &mut work);
        let now = air.excess[0];
        if now <= 0.0 {
            return h * (f64::from(step) - now / (now - last));
        }
        last = now;
    }
    unreachable!()
}

/// A standing wave in a closed duct has the frequency `c/(2 L)`, also on a mesh four times as fine. A linear element of
/// 1/16 of the half wave has an error of `(pi/16)^2/24 = 0.16 %`, backward Euler with `omega h = 0.01` a part of that
/// in its first zero.
#[test]
fn a_standing_wave_has_its_frequency_on_any_mesh() {
    let (length, speed) = (0.4, Gas::default().speed);
    let omega = PI * speed / length;
    for (method, along) in
        [(Method::Symmetric, 16), (Method::Symmetric, 64), (Method::Reference, 16), (Method::Reference, 64)]
    {
        let frequency = 0.25 / quarter_period(method, along, length, 0.01 / omega);
        let exact = speed / (2.0 * length);
        println!("{method:?}, {along} squares: {frequency:.2}, exact {exact:.2} Hz");
        assert!((frequency / exact - 1.0).abs() < 0.02);
    }
}

/// A pulse runs from one end of the duct to the other in `L/c`, the time of the largest excess pressure at the far end,
/// on two meshes. The pulse is a Gaussian of 0.1 L, which 64 squares resolve. It passes a square in eight steps.
#[test]
fn a_pulse_travels_with_the_speed_of_sound() {
    let (length, speed) = (1.0, Gas::default().speed);
    for along in [64usize, 256] {
        let side = length / along as f64;
        let (x, triangles) = strip(along, 2, side);
        let layer = Layer::new(&x, &triangles, 0.0);
        let (gas, gap) = (gas(0.0), 0.01);
        let (gaps, outside) = (vec![gap; layer.size()], vec![0.0; layer.size()]);
        let mut air = Air::still(&layer, &gas, &gaps);
        compress(&mut air, &layer, &gas, gap, |v| 100.0 * (-(x[v].x / (0.1 * length)).powi(2)).exp());
        let (mut work, h) = (Work::default(), 1.0 / 64.0 / 8.0 / speed);
        let (mut best, mut when) = (0.0, 0.0);
        for step in 1..=(1.3 * length / speed / h) as usize {
            air.advance(&layer, &gas, &gaps, &outside, h, &mut work);
            if air.excess[along] > best {
                (best, when) = (air.excess[along], step as f64 * h);
            }
        }
        println!("{along} squares: {:.4} ms, exact {:.4}", when * 1e3, length / speed * 1e3);
        assert!((when * speed / length - 1.0).abs() < 0.02);
    }
}

/// If walls stop the air before a wave forms, pressure diffuses with `D = c^2 d^2/(12 nu)` (plane Poiseuille flow; with
/// `c^2 = P/rho` this is `P d^2/(12 mu)`: 469 m^2/s at 1 mm). Half a cosine over 100 m decays with `D k^2`, by 0.3 %
/// faster because air has mass, and slower by `D k^2 h/2 = 0.1 %` in steps of backward Euler.
#[test]
fn pressure_diffuses_between_close_walls() {
    let (length, gap) = (100.0, 1e-3);
    let (x, triangles) = strip(40, 2, length / 40.0);
    let layer = Layer::new(&x, &triangles, 0.0);
    let gas = gas(1.5e-5);
    let diffusivity = gas.speed * gas.speed * gap * gap / (12.0 * gas.viscosity);
    assert!((diffusivity / 469.0 - 1.0).abs() < 0.001, "{diffusivity}");
    let (gaps, outside) = (vec![gap; layer.size()], vec![0.0; layer.size()]);
    let mut air = Air::still(&layer, &gas, &gaps);
    let wave = PI / length;
    compress(&mut air, &layer, &gas, gap, |v| 100.0 * (wave * x[v].x).cos());
    let (mut work, h) = (Work::default(), 5e-3);
    // The flow is established after a few relaxation times of 5.6 ms.
    let mut at = [0.0; 2];
    for step in 1..=300 {
        air.advance(&layer, &gas, &gaps, &outside, h, &mut work);
        if step == 20 {
            at[0] = air.excess[0];
        }
    }
    at[1] = air.excess[0];
    let rate = (at[0] / at[1]).ln() / (280.0 * h);
    println!("D {:.1}, exact {diffusivity:.1} m2/s", rate / (wave * wave));
    assert!((rate / (diffusivity * wave * wave) - 1.0).abs() < 0.03);
}

/// A closed layer conserves its air to 1e-12 per step, while the height changes.
#[test]
fn a_closed_layer_keeps_its_air() {
    let (x, triangles) = strip(20, 15, 0.01);
    let layer = Layer::new(&x, &triangles, 0.0);
    let gas = gas(1.5e-5);
    let outside = vec![0.0; layer.size()];
    let height = |v: usize, t: f64| 0.004 + 0.003 * (40.0 * x[v].x + 30.0 * x[v].z + 900.0 * t).sin();
    let mut gaps: Vec<f64> = (0..layer.size()).map(|v| height(v, 0.0)).collect();
    let mut air = Air::still(&layer, &gas, &gaps);
    let mut work = Work::default();
    for step in 1..=200 {
        for (v, gap) in gaps.iter_mut().enumerate() {
            *gap = height(v, f64::from(step) * 2e-4);
        }
        let before: f64 = air.energy.iter().sum();
        let outcome = air.advance(&layer, &gas, &gaps, &outside, 2e-4, &mut work);
        let after: f64 = air.energy.iter().sum();
        assert!(outcome.converged && (after / before - 1.0).abs() < 1e-12, "{step}: {outcome:?}");
        assert!(air.energy.iter().all(|e| *e >= 0.0));
    }
}

/// A vertex without triangles has no air and does not affect others.
#[test]
fn a_vertex_by_itself_has_no_air() {
    let (mut x, triangles) = strip(4, 3, 0.01);
    x.push(Vec3::new(1.0, 0.0, 0.0));
    let mut layer = Layer::new(&x, &triangles, 0.1 / 200.0);
    let (gas, none) = (gas(1.5e-5), vec![0.0; x.len()]);
    for method in [Method::Symmetric, Method::Reference, Method::AsPrinted] {
        layer.method = method;
        let mut air = Air::still(&layer, &gas, &vec![0.02; x.len()]);
        let outcome = air.advance(&layer, &gas, &vec![0.019; x.len()], &none, 1e-3, &mut Work::default());
        assert!(outcome.converged);
        let (alone, others) = air.excess.split_last().unwrap();
        assert!(*alone == 0.0 && others.iter().all(|p| *p > 0.0), "{:?}", air.excess);
    }
}

/// Open borders have atmospheric pressure. A duct between an inlet and an open end has Poiseuille's flow
/// `u = d^2/(12 mu) dp/dx`, with the gas's `mu = nu P/c^2`.
#[test]
fn air_flows_from_an_inlet_to_an_open_end() {
    let (length, gap, inlet) = (0.5, 1e-3, 50.0);
    let (along, across) = (25, 2);
    let (x, triangles) = strip(along, across, length / along as f64);
    let mut layer = Layer::new(&x, &triangles, 0.0);
    layer.open = x.iter().map(|x| x.x > length - 1e-9).collect();
    // The permeance at the inlet is so large that the pressure below equals that outside.
    layer.permeance = x.iter().map(|x| if x.x < 1e-9 { 1e3 } else { 0.0 }).collect();
    let gas = gas(1.5e-5);
    let (gaps, outside) = (vec![gap; layer.size()], vec![inlet; layer.size()]);
    let mut air = Air::still(&layer, &gas, &gaps);
    let mut work = Work::default();
    for _ in 0..400 {
        air.advance(&layer, &gas, &gaps, &outside, 1e-3, &mut work);
    }
    for (x, excess) in x.iter().zip(&air.excess) {
        let exact = inlet * (1.0 - x.x / length);
        assert!((excess - exact).abs() < 0.01 * inlet, "{}: {excess}", x.x);
    }
    let lost: f64 = (0..layer.size()).map(|v| layer.leak(v, &gas, 0.0, 1.0) * (outside[v] - air.excess[v])).sum();
    let width = length / along as f64 * across as f64;
    let density = gas.pressure / (gas.speed * gas.speed);
    let speed = gap * gap / (12.0 * gas.viscosity * density) * inlet / length;
    let exact = gas.pressure * speed * gap * width;
    println!("through {lost:.5}, exact {exact:.5} W");
    // The pressure at the inlet is below that outside by the pressure drop through the cloth.
    assert!((lost / exact - 1.0).abs() < 0.01);
}

/// Coefficient of the quadratic law of an open cloth: 0.1 m/s at 200 Pa by inertia alone.
const INERTIA: f64 = 200.0 / (0.1 * 0.1);

/// Makes a layer whose cloth has inertia only.
fn inert(x: &[Vec3], triangles: &[[u32; 3]]) -> Layer {
    let mut layer = Layer::new(x, triangles, f64::INFINITY);
    layer.inertia.fill(INERTIA);
    layer
}

/// At a fixed gap, the root of the excess pressure decreases linearly through cloth without friction:
/// `dp/dt = -(P_atm/d) sqrt(p/b)`, so `sqrt(p) = sqrt(p0) - k t`, `k = P_atm/(2 d sqrt(b))`. Backward Euler has
/// `sqrt(p') = sqrt(sqrt(p)^2 + (k h)^2) - k h`, later by `(k h)^2/(2 sqrt(p))` a step: together
/// `(k h/2) ln(sqrt(p0)/sqrt(p))`.
#[test]
fn inertia_lets_air_out_by_the_root_of_its_pressure() {
    let (x, triangles) = strip(6, 4, 0.01);
    let layer = inert(&x, &triangles);
    let (gas, gap, start) = (gas(1.5e-5), 0.02, 500f64);
    let k = gas.pressure / (2.0 * gap * INERTIA.sqrt());
    let (gaps, outside) = (vec![gap; layer.size()], vec![0.0; layer.size()]);
    // Simulates until a tenth of the root is left.
    let until = 0.9 * start.sqrt() / k;
    for steps in [25, 100, 400] {
        let h = until / f64::from(steps);
        let mut air = Air::still(&layer, &gas, &gaps);
        compress(&mut air, &layer, &gas, gap, |_| start);
        let mut work = Work::default();
        for _ in 0..steps {
            air.advance(&layer, &gas, &gaps, &outside, h, &mut work);
        }
        let exact = 0.1 * start.sqrt();
        let late = air.excess[7].sqrt() - exact;
        let expected = 0.5 * k * h * (start.sqrt() / air.excess[7].sqrt()).ln();
        println!("{steps} steps: root {:.4}, exact {exact:.4}, expected {:.4}", air.excess[7].sqrt(), exact + expected);
        // The neglected terms of the sum are of order (k h)^2.
        assert!((late - expected).abs() < (k * h).powi(2) / exact + 1e-3 * exact, "{late} {expected}");
    }
    for h in [1e-4, 1e-2, 1.0] {
        let mut air = Air::still(&layer, &gas, &gaps);
        compress(&mut air, &layer, &gas, gap, |_| start);
        let (mut work, mut last) = (Work::default(), start);
        for _ in 0..5 {
            air.advance(&layer, &gas, &gaps, &outside, h, &mut work);
            // The pressure does not overshoot, except within the tolerance of zero.
            assert!(air.excess.iter().all(|p| (-1e-4..last.max(1e-4)).contains(p)), "{h}: {:?}", air.excess);
            last = air.excess[0];
        }
    }
}

/// Air blown at one half of a cloth passes through it, along the gap, and out by the other half. At a difference `2 p`
/// outside, each half takes `p = a w + b w^2`. Along the gap of 50 mm a speed of `w L/(2 d)` takes
/// `12 nu rho u L/(2 d^2) = 0.001 Pa`.
#[test]
fn air_goes_steadily_through_cloth_in_and_out() {
    let (along, side, gap) = (20, 0.005, 0.05);
    let (x, triangles) = strip(along, 4, side);
    let (friction, inertia, outer) = (1000.0, 1e4, 40.0);
    let exact = ((friction * friction + 4.0 * inertia * outer / 2.0f64).sqrt() - friction) / (2.0 * inertia);
    let mut layer = Layer::new(&x, &triangles, 1.0 / friction);
    layer.inertia.fill(inertia);
    let gas = gas(1.5e-5);
    let middle = along as f64 * side / 2.0;
    let outside: Vec<f64> = x.iter().map(|x| if x.x < middle - 1e-9 { outer } else { 0.0 }).collect();
    let gaps = vec![gap; layer.size()];
    let mut air = Air::still(&layer, &gas, &gaps);
    let mut work = Work::default();
    for _ in 0..2000 {
        air.advance(&layer, &gas, &gaps, &outside, 1e-3, &mut work);
    }
    let flow =
        |v: usize| layer.leak(v, &gas, outside[v] - air.excess[v], 1.0) * (outside[v] - air.excess[v]) / gas.pressure;
    // The column of vertices in the middle counts as outside. The mean pressure follows from the inflow and outflow
    // areas.
    let area = |of: &dyn Fn(usize) -> bool| (0..layer.size()).filter(|v| of(*v)).map(|v| layer.areas[v]).sum::<f64>();
    let (blown, free) = (area(&|v| outside[v] > 0.0), area(&|v| outside[v] == 0.0));
    let sum = |of: &dyn Fn(usize) -> bool| (0..layer.size()).filter(|v| of(*v)).map(flow).sum::<f64>();
    let (inward, outward) = (sum(&|v| outside[v] > 0.0) / blown, -sum(&|v| outside[v] == 0.0) / free);
    println!("in {inward:.6}, out {outward:.6} m/s; exact between {exact:.6}");
    // Inflow equals outflow.
    assert!((inward * blown / (outward * free) - 1.0).abs() < 1e-4);
    let pressure = |w: f64| friction * w + inertia * w * w;
    assert!(((pressure(inward) + pressure(outward)) / outer - 1.0).abs() < 1e-3);
    assert!(outward < exact && exact < inward);
}

/// The flow through open cloth in a step is that of the pressures at its end, to 1e-3 of the maximum at each vertex.
/// The height changes differently everywhere, and wind blows on a part.
#[test]
fn what_goes_through_is_that_of_the_pressures_found() {
    let (x, triangles) = strip(20, 15, 0.01);
    let gas = gas(1.5e-5);
    let height = |v: usize, t: f64| 0.004 + 0.003 * (40.0 * x[v].x + 30.0 * x[v].z + 900.0 * t).sin();
    let outside: Vec<f64> = x.iter().map(|x| if x.x < 0.05 { 100.0 } else { 0.0 }).collect();
    for friction in [0.0, 1000.0] {
        let mut layer = inert(&x, &triangles);
        layer.permeance.fill(1.0 / friction);
        let mut gaps: Vec<f64> = (0..layer.size()).map(|v| height(v, 0.0)).collect();
        let mut air = Air::still(&layer, &gas, &gaps);
        let mut work = Work::default();
        let mut worst = 0f64;
        for step in 1..=200 {
            for (v, gap) in gaps.iter_mut().enumerate() {
                *gap = height(v, f64::from(step) * 2e-4);
            }
            let before: f64 = air.energy.iter().sum();
            let outcome = air.advance(&layer, &gas, &gaps, &outside, 2e-4, &mut work);
            let came = air.energy.iter().sum::<f64>() - before;
            let across = |v: usize| outside[v] - air.excess[v];
            let through: Vec<f64> =
                (0..layer.size()).map(|v| 2e-4 * layer.leak(v, &gas, across(v), 1.0) * across(v)).collect();
            let most = through.iter().fold(0.0, |most, one| one.abs().max(most));
            worst = worst.max((came - through.iter().sum::<f64>()).abs() / (most * layer.size() as f64));
            assert!(outcome.converged && air.energy.iter().all(|e| *e > 0.0), "{step}: {outcome:?}");
        }
        println!("friction {friction}: {worst:.1e} of the most at each vertex");
        assert!(worst < 1e-3);
    }
}
