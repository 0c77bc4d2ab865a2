//! Cloth of springs: lattices of Provot, and of Choi and Ko.

use crate::common::{Bench, Cut, G, close, cut, hold, input, select, settings};
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::force::drag::Drag;
use percale::force::membrane::Isotropic;
use percale::force::scheme::pick;
use percale::force::spring::{Jacobian, Role, Spring};
use percale::force::spring_mesh::{Flexion, Network, Stretch};
use percale::linalg::{Vec2, Vec3};
use percale::mesh::TriMesh;
use percale::stepper::Integrator;
use percale::world::build::{ClothInput, Input};
use std::f64::consts::PI;

/// Returns springs that resist stretching only, of one stiffness [N/m], and beams of `rigidity` [N m^2] on a `ramp`
/// [N/m].
fn choi_ko(stiffness: f64, rigidity: f64, ramp: f64) -> Network {
    Network {
        stretch: Stretch::Given([stiffness, stiffness]),
        taut: true,
        damping: 0.0,
        damping_time: 0.0,
        flexion: Flexion::Buckling { rigidity, ramp },
        jacobian: Jacobian::Full,
        bounds: [1.0, f64::INFINITY],
    }
}

/// Returns structural and shear springs of one stiffness [N/m] each.
pub fn linear(stiffness: [f64; 2]) -> Network {
    Network { stretch: Stretch::Given(stiffness), taut: false, flexion: Flexion::Linear(0.0), ..choi_ko(1.0, 0.0, 1.0) }
}

/// Makes a cloth of springs whose vertices have `mass` each [kg].
pub fn knitted(mesh: TriMesh, network: Network, mass: f64) -> ClothInput {
    ClothInput { springs: Some(network), vertex_mass: Some(mass), ..ClothInput::plain(mesh, 1.0, 1.0) }
}

fn still(cloth: ClothInput) -> Input {
    input(Vec3::zeros(), cloth)
}

/// A beam carries 12 kb/L^2 at most (Choi & Ko 2002): its length minimises the energy of beam and load. A load 2 %
/// smaller shortens it along the ramp, one 2 % larger bends it: then the force is 12 (1 + 0.6 e) kb/L^2 at a shortening
/// e, to first order; the second order is below a tenth of it. Euler's load is the same with pi^2/12 of the rigidity.
#[test]
fn a_beam_gives_way_at_its_load() {
    let (rigidity, length) = (1e-7, 0.02);
    let ramp = 1e5 * rigidity / f64::powi(length, 3);
    let mesh = cut(Cut::Aligned, 2, 1, length, length / 2.0, |m| Vec3::new(m.x, 0.0, m.y));
    // Two rows of three vertices, with a beam along each row.
    let bench = Bench::new(
        still(knitted(mesh, choi_ko(1.0, rigidity, ramp), 1e-4)),
        settings(Integrator::BackwardEuler, 1e-3, 1e-10),
    );
    let load = 12.0 * rigidity / (length * length);
    for part in [0.98, 1.02] {
        let energy = |shortened: f64| {
            let x: Vec<Vec3> = bench.world.rest.iter().map(|p| Vec3::new(p.x * (1.0 - shortened), p.y, p.z)).collect();
            bench.world.elements.energy(&x).1 - 2.0 * part * load * length * shortened
        };
        let least = (1..100_000).map(|k| f64::from(k) * 1e-6).min_by(|a, b| energy(*a).total_cmp(&energy(*b))).unwrap();
        if part < 1.0 {
            close("beam below its load: shortening", least, part * load / (ramp * length), 1e-2);
        } else {
            close("beam above its load: shortening", least, (part - 1.0) / 0.6, 0.1);
        }
    }
}

/// Interlaced beams make an elastica of rigidity 2 kb at any spacing: a strip of length S whose ends approach as it
/// rises to an arch of slope `t cos(pi s/S)` carries pi^2 2 kb/S^2 (1 + t^2/8) per row. The chain of n cells differs by
/// (pi/n)^2/12, 0.8 % with 10 cells. This holds for a steep ramp: beams on the ramp resist less (see
/// `Tension::Buckling`).
#[test]
fn a_chain_of_beams_is_an_elastica() {
    let (rigidity, length, slope) = (1e-6, 0.4, 0.1);
    for n in [10, 20, 40] {
        let cell = length / f64::from(n);
        let mesh = cut(Cut::Alternating, n as usize, 1, length, cell, |m| Vec3::new(m.x, 0.0, m.y));
        let cloth = knitted(mesh, choi_ko(50.0, rigidity, 1e8 * rigidity / (2.0 * cell).powi(3)), 1e-5);
        let bench = Bench::new(still(cloth), settings(Integrator::BackwardEuler, 2e-3, 1e-9));
        // Position of a length along the arch, by the midpoint rule with 1e4 intervals.
        let at = |along: f64, slope: f64| {
            let part = along / 1e4;
            let angles = (0..10_000).map(|k| slope * (PI * (f64::from(k) + 0.5) * part / length).cos());
            let (x, y) = angles.fold((0.0, 0.0), |(x, y), angle: f64| (x + angle.cos() * part, y + angle.sin() * part));
            Vec3::new(x, y, 0.0)
        };
        let arch = |slope: f64| {
            let x: Vec<Vec3> = bench.world.rest.iter().map(|p| at(p.x, slope) + Vec3::z() * p.z).collect();
            [bench.world.elements.energy(&x).1, length - at(length, slope).x]
        };
        let [more, less] = [1.01, 0.99].map(|part| arch(part * slope));
        let load = (more[0] - less[0]) / (more[1] - less[1]);
        let expected = 2.0 * PI * PI * 2.0 * rigidity / (length * length) * (1.0 + slope * slope / 8.0);
        close(&format!("load of an arch of {n} cells"), load, expected, 0.03);
    }
}

/// The pinned arch on steep ramps comes to rest: within 5 mm/s in 4 s, for any ratio of the step to the ramp's
/// vibration (28 radians of it here).
#[test]
fn an_arch_on_steep_ramps_rests() {
    let (rigidity, length, n) = (1e-6, 0.4, 10);
    let cell = length / f64::from(n);
    let arched = |m: Vec2| Vec3::new(0.98 * m.x, 0.09 * length * (PI * m.x / length).sin(), m.y);
    let mesh = cut(Cut::Alternating, n as usize, 1, length, cell, arched);
    let pin = hold(&mesh, |m| m.x < 1e-9 || m.x > length - 1e-9);
    let mut cloth = knitted(mesh, choi_ko(50.0, rigidity, 1e6 * rigidity / (2.0 * cell).powi(3)), 1e-5);
    cloth.drag = Drag { normal: 0.5, tangent: 0.5 };
    cloth.pins.push(pin);
    let mut bench = Bench::new(still(cloth), settings(Integrator::BackwardEuler, 2e-3, 1e-9));
    bench.run(4.0);
    let speed = bench.state.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
    println!("| speed of an arch on steep ramps after 4 s, m/s | 0 | {speed:.2e} | | 5e-3 |");
    assert!(speed < 5e-3, "{speed}");
}

/// Masses on a column of springs: the lowest is displaced by m g n (n + 1)/(2 ks).
#[test]
fn a_column_hangs_by_its_weight() {
    let (n, stiffness, mass) = (12, 4.0, 1e-3);
    let mesh = cut(Cut::Aligned, 1, n, 0.02, 0.02 * n as f64, |m| Vec3::new(m.x, m.y, 0.0));
    let (pin, low) = (hold(&mesh, |m| m.y > 0.02 * n as f64 - 1e-9), select(&mesh, |m| m.y < 1e-9));
    let network = Network { taut: true, ..linear([stiffness, 0.0]) };
    let mut cloth = knitted(mesh, network, mass);
    cloth.drag = Drag { normal: 10.0, tangent: 10.0 };
    cloth.pins.push(pin);
    let mut bench = Bench::new(input(Vec3::new(0.0, -G, 0.0), cloth), settings(Integrator::BackwardEuler, 5e-3, 1e-10));
    bench.settle(1e-7);
    let hung = -bench.positions()[low[0] as usize].y;
    close("elongation of a column", hung, mass * G * (n * (n + 1)) as f64 / (2.0 * stiffness), 1e-3);
}

/// A level sheet held at one end, 4 cm long and wide, hangs as the heavy elastica, with 16 and with 32 cells. The drop
/// over the reach of its end is that of the table of Romero et al. 2021, `rho g L^3/B = 10`, within 8 %: cells of a
/// 16th of the length stiffen the clamp by that. Without a plate the drop is more than ten times the reach.
#[test]
fn a_sheet_of_springs_hangs_as_its_material() {
    let (length, density) = (0.04, 0.15);
    let rigidity = density * G * f64::powi(length, 3) / 10.0;
    for n in [16, 32] {
        let cell = length / (f64::from(n) - 0.5);
        let mesh =
            cut(Cut::Alternating, n as usize, n as usize, f64::from(n) * cell, length, |m| Vec3::new(m.x, 0.0, m.y));
        let (pin, tip) = (hold(&mesh, |m| m.x < 1.4 * cell), select(&mesh, |m| m.x > (f64::from(n) - 0.5) * cell));
        let network = Network {
            stretch: Stretch::Material(Isotropic { young: 300.0, poisson: 0.25 }),
            flexion: Flexion::Sheet,
            ..linear([1.0; 2])
        };
        let mut cloth = ClothInput { springs: Some(network), ..ClothInput::plain(mesh, 300.0, density) };
        cloth.law.bending = Bending::Constant(rigidity);
        cloth.law.damping = Damping::even(0.05);
        cloth.drag = Drag { normal: 2.0, tangent: 2.0 };
        cloth.pins.push(pin);
        let gravity = Vec3::new(0.0, -G, 0.0);
        let mut bench = Bench::new(input(gravity, cloth), settings(Integrator::BackwardEuler, 0.02, 1e-9));
        bench.settle(1e-5);
        let x = bench.positions();
        let mean = tip.iter().map(|v| x[*v as usize]).sum::<Vec3>() / tip.len() as f64;
        // A clamp acts in the middle of the first cell.
        close(&format!("overhang of springs, {n} cells"), -mean.y / (mean.x - 0.5 * cell), 1.06680, 0.08);
    }
}

/// Returns the largest distance between positions.
fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Order of both schemes for a mass between taut springs, plucked: 1 and 2 within 0.05.
#[test]
fn a_plucked_spring_has_the_order_of_the_scheme() {
    for (integrator, expected, steps) in [(Integrator::BackwardEuler, 1.0, 3200), (Integrator::Bdf2, 2.0, 400)] {
        let run = |steps: usize| {
            let middle = |m: &Vec2| (m - Vec2::repeat(0.05)).norm() < 1e-9;
            let pluck = |m: Vec2| if middle(&m) { Vec3::new(0.003, 0.002, 0.004) } else { Vec3::zeros() };
            let mesh = cut(Cut::Alternating, 2, 2, 0.1, 0.1, |m| Vec3::new(1.15 * m.x, 1.15 * m.y, 0.0) + pluck(m));
            let pin = hold(&mesh, |m| !middle(m));
            let mut cloth = knitted(mesh, linear([1.0, 0.7]), 5e-4);
            cloth.pins.push(pin);
            let h = 0.2 / steps as f64;
            let mut bench = Bench::new(still(cloth), settings(integrator, h, 1e-13));
            (0..steps).for_each(|_| bench.step(h));
            bench.positions()
        };
        let [a, b, c] = [1, 2, 4].map(|k| run(k * steps));
        let order = (apart(&a, &b) / apart(&b, &c)).log2();
        println!("| order of springs, {integrator:?} | {expected} | {order:.3} | | 0.05 |");
        assert!((order - expected).abs() < 0.05, "{integrator:?}: {order}");
    }
}

/// A free sheet conserves its momentum, whatever its springs: to the tolerance of the solver, times the number of
/// steps.
#[test]
fn free_springs_keep_their_momentum() {
    let crumpled = |m: Vec2| Vec3::new(0.8 * m.x, 0.02 * (40.0 * m.x).sin() * (30.0 * m.y).cos(), 0.7 * m.y);
    for network in [linear([20.0, 10.0]), choi_ko(20.0, 1e-6, 20.0)] {
        let mesh = cut(Cut::Alternating, 10, 10, 0.2, 0.2, crumpled);
        let mut cloth = knitted(mesh, Network { damping: 1e-3, ..network }, 1e-4);
        cloth.velocity = Vec3::new(1.0, 0.5, -0.2);
        let mut bench = Bench::new(still(cloth), settings(Integrator::Bdf2, 1e-3, 1e-12));
        let momentum =
            |bench: &Bench| -> Vec3 { bench.world.mass.iter().zip(&bench.state.v).map(|(mass, v)| v * *mass).sum() };
        let before = momentum(&bench);
        bench.run(0.2);
        let moved: f64 = bench.state.v.iter().map(|v| (v - Vec3::new(1.0, 0.5, -0.2)).norm()).fold(0.0, f64::max);
        assert!(moved > 0.05, "nothing happened: {moved}");
        let change = (momentum(&bench) - before).norm() / before.norm();
        println!("| momentum of free springs | 0 | {change:.2e} | | 1e-9 |");
        assert!(change < 1e-9, "{change}");
    }
}

/// "Euler is bad" (Prince & Bigham 2004, section 3): the explicit scheme diverges at a step beyond 2/omega of the
/// fastest vibration of a hanging sheet, and is stable below it. BDF2 comes to rest at 20 times that step.
#[test]
fn explicit_euler_leaves_bounds_where_bdf2_does_not() {
    let hanging = |h: f64| {
        let mesh = cut(Cut::Alternating, 8, 8, 0.08, 0.08, |m| Vec3::new(m.x, m.y, 0.0));
        let pin = hold(&mesh, |m| m.y > 0.08 - 1e-9);
        let mut cloth = knitted(mesh, linear([50.0, 25.0]), 1e-4);
        cloth.drag = Drag { normal: 0.2, tangent: 0.2 };
        cloth.pins.push(pin);
        Bench::new(input(Vec3::new(0.0, -G, 0.0), cloth), settings(Integrator::Bdf2, h, 1e-9))
    };
    let bench = hanging(1e-3);
    let (springs, mass) = (&bench.world.elements.springs, &bench.world.mass);
    let held: Vec<bool> = (0..mass.len()).map(|v| bench.world.rest[v].y > 0.08 - 1e-9).collect();
    let each = |x: &[Vec3], add: &mut dyn FnMut(&Spring, percale::force::spring::Pull)| {
        for spring in springs {
            let [a, b] = pick(x, &spring.vertices);
            add(spring, spring.pull(&(b - a), &Vec3::zeros(), &Vec3::zeros(), 1.0));
        }
    };
    // Power iteration on M^-1 K at rest.
    let mut mode: Vec<Vec3> = (0..mass.len()).map(|v| Vec3::new((v * v % 7) as f64, (v % 5) as f64, 0.1)).collect();
    let mut fastest = 0.0;
    for _ in 0..400 {
        let mut next = vec![Vec3::zeros(); mass.len()];
        each(&bench.world.rest, &mut |spring, pull| {
            let [a, b] = spring.vertices.map(|v| v as usize);
            let force = (pull.along + pull.across) * (mode[a] - mode[b]);
            next[a] += force / mass[a];
            next[b] -= force / mass[b];
        });
        next.iter_mut().zip(&held).filter(|(_, held)| **held).for_each(|(next, _)| *next = Vec3::zeros());
        fastest = next.iter().map(|v| v.norm_squared()).sum::<f64>().sqrt();
        mode = next.into_iter().map(|v| v / fastest).collect();
    }
    let bound = 2.0 / fastest.sqrt();
    let explicit = |h: f64| {
        let (mut x, mut v) = (bench.world.rest.clone(), vec![Vec3::zeros(); mass.len()]);
        for _ in 0..2000 {
            let mut force: Vec<Vec3> = mass.iter().map(|mass| Vec3::new(0.0, -G * mass, 0.0)).collect();
            each(&x, &mut |spring, pull| {
                let [a, b] = spring.vertices.map(|v| v as usize);
                force[a] += pull.force;
                force[b] -= pull.force;
            });
            for k in (0..x.len()).filter(|k| !held[*k]) {
                v[k] += force[k] * (h / mass[k]);
                x[k] += v[k] * h;
            }
        }
        if x.iter().flatten().all(|c| c.is_finite()) { apart(&x, &bench.world.rest) } else { f64::INFINITY }
    };
    let [within, beyond] = [0.9, 1.1].map(|part| explicit(part * bound));
    println!(
        "| explicit Euler at 0.9 and 1.1 of {bound:.2e} s: farthest from rest | | {within:.2e} {beyond:.2e} m | | |"
    );
    assert!(within < 0.08 && beyond > 80.0, "{within} {beyond}");
    let mut implicit = hanging(20.0 * bound);
    implicit.run(2.0);
    let sag = apart(&implicit.state.x, &bench.world.rest);
    let speed = implicit.state.v.iter().map(|v| v.norm()).fold(0.0, f64::max);
    assert!(sag < 0.02 && speed < 1e-3, "{sag} m, {speed} m/s");
}

/// Provot's limits on both sides: a strip that runs into its pinned end is compressed to its bound and no further. The
/// tolerance is the margin of a sweep, 1e-4, and the residual of 200 sweeps.
#[test]
fn squeezed_springs_stop_at_their_bound() {
    let shortest = |squeeze: f64| {
        let mesh = cut(Cut::Alternating, 12, 3, 0.24, 0.06, |m| Vec3::new(m.x, 0.0, m.y));
        let pin = hold(&mesh, |m| m.x < 1e-9);
        let mut cloth = knitted(mesh, Network { bounds: [squeeze, 0.1], ..linear([2.0, 1.0]) }, 1e-4);
        cloth.velocity = Vec3::new(-1.0, 0.0, 0.0);
        cloth.pins.push(pin);
        let mut bench = Bench::new(still(cloth), settings(Integrator::Bdf2, 1e-3, 1e-8));
        let mut shortest = f64::MAX;
        while bench.state.time < 0.1 {
            bench.step(1e-3);
            for spring in bench.world.elements.springs.iter().filter(|spring| spring.role != Role::Flexion) {
                let [a, b] = pick(&bench.state.x, &spring.vertices);
                shortest = shortest.min((b - a).norm() / spring.rest);
            }
        }
        shortest
    };
    let [free, bounded] = [1.0, 0.1].map(shortest);
    println!("| shortest of squeezed springs, free and bounded at 0.9 | | {free:.4} {bounded:.4} | | |");
    assert!(free < 0.7 && bounded > 0.899, "{free} {bounded}");
}
