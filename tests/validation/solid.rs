//! Tetrahedra and soft bodies compared with closed forms.

use crate::common::{self, Bench, G, bar, body, close, cloth, input, settings, solid};
use percale::force::assembly::Assembly;
use percale::force::contact::Friction;
use percale::force::scheme::Scheme;
use percale::force::solid::{Lame, Solid};
use percale::force::term::Memory;
use percale::linalg::pcg::{Pcg, Stop};
use percale::linalg::random::Random;
use percale::linalg::{Mat3, Rotation, Vec3};
use percale::mesh::generate;
use percale::stepper::Integrator;
use percale::world::build::{Input, ObstacleInput, build};
use percale::world::motion::{Keyframe, Motion};
use percale::world::window::Window;
use percale::world::{Course, World};

/// Returns the sag of the end [m] of a bar ten times as long as thick, clamped at one end, with `n` cubes across, under
/// an end load of 1 mN.
fn sag(n: usize, thickness: f64, solid: Solid) -> f64 {
    let size = thickness / n as f64;
    let (World { rest: x, starts, elements, .. }, _) =
        build(common::solid(Vec3::zeros(), body(bar([10 * n, n, n], size), solid)));
    let volume: f64 = elements.tetrahedra.iter().map(|t| t.volume).sum();
    // The sum has a quarter of a million terms, each rounded.
    assert!((volume / (10.0 * thickness.powi(3)) - 1.0).abs() < 1e-10);
    let (still, massless, ones) = (vec![Vec3::zeros(); x.len()], vec![0.0; x.len()], vec![1.0; x.len()]);
    let mut assembly = Assembly::<f64>::new(&elements, &starts);
    let scheme = Scheme {
        x: &x,
        y: &still,
        velocity: &still,
        v: &still,
        guess: &still,
        mass: &massless,
        beta: 1.0,
        effective_dt: &ones,
        wind: Vec3::zeros(),
        exchange: &[],
        drag: &[],
        stiffness_scale: Default::default(),
    };
    assembly.assemble(&scheme, &Memory::default());
    assert!(assembly.force.iter().all(|f| f.norm() < 1e-12));
    // The load is distributed by area: inner vertices of the end face carry a cell each, its sides half, its corners a
    // quarter.
    let end = 10.0 * thickness - size / 2.0;
    let share = |at: f64| if at < size / 2.0 || at > thickness - size / 2.0 { 0.5 } else { 1.0 };
    let weights: Vec<f64> =
        x.iter().map(|p| if p.x > end { share(p.y) * share(p.z) / (n * n) as f64 } else { 0.0 }).collect();
    for (force, weight) in assembly.force.iter_mut().zip(&weights) {
        force.y -= 1e-3 * weight;
    }
    let fixed: Vec<bool> = x.iter().map(|p| p.x < size / 2.0).collect();
    let mut z = vec![Vec3::zeros(); x.len()];
    let stop = Stop { tolerance: 1e-9, floor: 0.0, iterations: 20_000 };
    let outcome = Pcg::default().solve(&assembly.matrix, &fixed, &assembly.force, &mut z, stop).unwrap();
    assert!(outcome.converged, "{} iterations", outcome.iterations);
    -z.iter().zip(&weights).map(|(z, weight)| z.y * weight).sum::<f64>()
}

/// A bar sags by `P L^3/(3 E I) + P L/(k G A)` with Cowper's `k = 10 (1 + nu)/(12 + 11 nu)`. Linear elements are too
/// stiff, with an error of second order: cubes cut into six by 21, 7 and 2.4 % at 4, 8 and 16 across.
#[test]
fn a_bar_sags_as_timoshenko_says() {
    let (young, poisson, thickness) = (1e5, 0.3, 0.01f64);
    let lame = Lame::new(young, poisson);
    let (length, load) = (10.0 * thickness, 1e-3f64);
    let (second, area) = (thickness.powi(4) / 12.0, thickness * thickness);
    let k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let expected = load * length.powi(3) / (3.0 * young * second) + load * length / (k * lame.mu * area);
    let sags = [4, 8, 16].map(|n| sag(n, thickness, Solid::Corotational(lame)));
    println!("of Timoshenko's: {:?}", sags.map(|s| s / expected));
    assert!(sags[0] < sags[1] && sags[1] < sags[2] && sags[2] < expected, "from below: {sags:?}, {expected}");
    close("bar, 16 cubes across", sags[2], expected, 0.03);
    close("neo-Hookean at rest", sag(4, thickness, Solid::NeoHookean(lame)), sags[0], 1e-6);
}

/// Returns both laws with Young's modulus 20 kPa.
fn laws(poisson: f64) -> [Solid; 2] {
    let lame = Lame::new(2e4, poisson);
    [Solid::Corotational(lame), Solid::NeoHookean(lame)]
}

/// Returns the forces of a world's elements alone at the positions `x` [N].
fn forces(world: &World, x: &[Vec3]) -> Vec<Vec3> {
    let (still, massless, ones) = (vec![Vec3::zeros(); x.len()], vec![0.0; x.len()], vec![1.0; x.len()]);
    let mut assembly = Assembly::<f64>::new(&world.elements, &world.starts);
    let scheme = Scheme {
        x,
        y: &still,
        velocity: &still,
        v: &still,
        guess: &still,
        mass: &massless,
        beta: 1.0,
        effective_dt: &ones,
        wind: Vec3::zeros(),
        exchange: &[],
        drag: &[],
        stiffness_scale: Default::default(),
    };
    assembly.assemble(&scheme, &Memory::default());
    assembly.force.clone()
}

fn volume(world: &World, x: &[Vec3]) -> f64 {
    let of = |t: &[u32; 4]| {
        let [a, b, c, d] = t.map(|v| x[v as usize]);
        (b - a).cross(&(c - a)).dot(&(d - a)) / 6.0
    };
    world.elements.tetrahedra.iter().map(|t| of(&t.vertices)).sum()
}

/// Patch test: a uniform deformation leaves no force inside, and the forces on the surface are those of a uniform
/// stress. Rounding is 1e-16 of the forces between elements.
#[test]
fn one_deformation_is_one_stress() {
    for law in laws(0.3) {
        let mut mesh = bar([3, 3, 3], 0.02);
        // Inner vertices are displaced from the lattice.
        for (k, p) in mesh.positions.iter_mut().enumerate() {
            if p.iter().all(|c| (0.01..0.05).contains(c)) {
                *p += Vec3::new((k * 7 % 5) as f64 - 2.0, (k * 3 % 5) as f64 - 2.0, (k % 5) as f64 - 2.0) * 2e-3;
            }
        }
        let (world, _) = build(solid(Vec3::zeros(), body(mesh, law)));
        let turn = Rotation::from_scaled_axis(Vec3::new(0.3, -0.8, 0.5));
        let stretch = Mat3::new(1.2, 0.1, 0.0, 0.1, 0.85, -0.05, 0.0, -0.05, 1.05);
        let x: Vec<Vec3> = world.rest.iter().map(|p| turn * (stretch * p)).collect();
        let forces = forces(&world, &x);
        let scale = forces.iter().map(|f| f.norm()).fold(0.0, f64::max);
        let inside = |p: &Vec3| p.iter().all(|c| (0.004..0.056).contains(c));
        let left = world.rest.iter().zip(&forces).filter(|(p, _)| inside(p)).map(|(_, f)| f.norm()).fold(0.0, f64::max);
        assert!(scale > 0.1 && left < 1e-12 * scale, "{law:?}: {left} N inside of {scale} N");
        // Virtual work: the sum of f X^T is -V P.
        let moment: Mat3 = world.rest.iter().zip(&forces).map(|(p, f)| f * p.transpose()).sum();
        let first = &world.elements.tetrahedra[0];
        let one = first.strain(&law, &first.vertices.map(|v| x[v as usize]));
        let of_one: Mat3 = (0..4).map(|k| one.forces[k] * world.rest[first.vertices[k] as usize].transpose()).sum();
        let (p, q) = (moment / volume(&world, &world.rest), of_one / first.volume);
        assert!((p - q).norm() < 1e-11 * p.norm(), "{law:?}: {p} {q}");
    }
}

/// Forces with volumes averaged over rings are minus the gradient of the energy, for random compression and extension
/// of cells. Central differences of `h = 1e-4` of a cell have an error of `h^2` times third derivatives and 1e-16/1e-4
/// for rounding.
#[test]
fn forces_of_rings_are_minus_the_gradient_of_energy() {
    let law = Solid::NeoHookean(Lame::new(2e4, 0.49));
    let (world, _) = build(solid(Vec3::zeros(), body(bar([2, 2, 2], 0.02), law)));
    let mut random = Random::new(7);
    let x: Vec<Vec3> = world.rest.iter().map(|p| p + Vec3::from_fn(|_, _| random.signed()) * 4e-3).collect();
    let found = forces(&world, &x);
    let scale = found.iter().map(|f| f.norm()).fold(0.0, f64::max);
    for (v, axis) in (0..x.len()).flat_map(|v| (0..3).map(move |axis| (v, axis))) {
        let at = |by: f64| {
            let mut y = x.clone();
            y[v][axis] += by;
            world.elements.solid_energy(&y)
        };
        let force = (at(-2e-6) - at(2e-6)) / 4e-6;
        assert!((force - found[v][axis]).abs() < 1e-6 * scale, "{v} {axis}: {force} {}", found[v][axis]);
    }
    let mut each = 0.0;
    world.elements.each_energy(&x, &Memory::default(), |_, energy| each += energy);
    close("energy of all elements", each, world.elements.solid_energy(&x), 1e-12);
}

/// A rigid rotation causes no strain: no force, the same volume.
#[test]
fn a_turned_bar_is_at_rest() {
    for law in laws(0.3) {
        let (world, _) = build(solid(Vec3::zeros(), body(bar([10, 2, 2], 0.02), law)));
        let turn = Rotation::from_scaled_axis(Vec3::z() * std::f64::consts::FRAC_PI_2);
        let x: Vec<Vec3> = world.rest.iter().map(|p| turn * p + Vec3::new(1.0, 2.0, 3.0)).collect();
        let stretched: Vec<Vec3> = world.rest.iter().map(|p| Vec3::new(1.1 * p.x, p.y, p.z)).collect();
        let most = |x: &[Vec3]| forces(&world, x).iter().map(|f| f.norm()).fold(0.0, f64::max);
        assert!(most(&x) < 1e-10 * most(&stretched), "{law:?}: {}", most(&x));
        let (before, after) = (volume(&world, &world.rest), volume(&world, &x));
        assert!((after / before - 1.0).abs() < 1e-10, "{before} {after}");
    }
}

/// A body returns from any deformation: flattened to a plane, or with random vertices.
#[test]
fn a_crushed_body_comes_back() {
    for (law, flat) in laws(0.4).into_iter().flat_map(|law| [(law, true), (law, false)]) {
        let mut soft = body(bar([3, 3, 3], 0.02), law);
        soft.law.damping = 5e-3;
        soft.drag = 5.0;
        let mut bench = Bench::new(solid(Vec3::zeros(), soft), settings(Integrator::BackwardEuler, 2e-3, 1e-6));
        let mut random = Random::new(5);
        for x in &mut bench.state.x {
            *x = if flat { Vec3::new(x.x, x.y, 0.0) } else { Vec3::from_fn(|_, _| random.unit()) * 0.06 };
        }
        let whole = 2e4 * volume(&bench.world, &bench.world.rest);
        let start = bench.world.elements.solid_energy(&bench.state.x);
        bench.run(4.0);
        let left = bench.world.elements.solid_energy(&bench.state.x);
        println!("{law:?}, flat {flat}: energy {:.3e} then {:.3e} of E V", start / whole, left / whole);
        assert!(start > 0.1 * whole && left < 1e-6 * whole);
    }
}

fn plate(name: &str, height: f64, up: f64, motion: Motion) -> ObstacleInput {
    let mesh = generate::plane(Vec3::y() * height, Vec3::y() * up, 0.2, 0.2);
    let friction = Friction { fixed: 0.0, sliding: 0.0 };
    ObstacleInput {
        name: name.into(),
        mesh,
        course: Course::Rigid(motion),
        friction,
        thickness: 0.0,
        window: Window::ALWAYS,
    }
}

/// Returns the stretch across an axis on which a neo-Hookean solid is compressed to the stretch `along`, without other
/// loads. The stress across is `mu s + ((lambda + mu)(s^2 along - 1) - mu) s along = 0`.
fn across(lame: &Lame, along: f64) -> f64 {
    let stress = |s: f64| lame.mu + ((lame.lambda + lame.mu) * (s * s * along - 1.0) - lame.mu) * along;
    let (mut low, mut high) = (0.5, 2.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if stress(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

/// The volume of a block of nearly incompressible rubber between smooth plates follows the law, with the stretch known
/// from its height. The difference is the barrier's uneven pressure on the plates, within 0.1 % of the volume. The gap
/// at corners, which carry a quarter, is wider by a sixth of the activation distance, 0.2 mm here.
#[test]
fn a_pressed_block_keeps_its_volume() {
    let lame = Lame::new(2e4, 0.49);
    let mut block = body(bar([4, 4, 4], 0.02), Solid::NeoHookean(lame));
    block.drag = 20.0;
    let down =
        |time: f64, y: f64| Keyframe { time, translation: Vec3::y() * -y, turn: Vec3::zeros(), origin: Vec3::zeros() };
    let press = Motion::Keyframes(vec![down(0.0, 0.0), down(1.0, 0.02)]);
    let mut input = Input {
        obstacles: vec![plate("table", -5e-4, 1.0, Motion::Fixed), plate("press", 0.0805, -1.0, press)],
        ..solid(Vec3::zeros(), block)
    };
    input.contact.enabled = true;
    input.contact.distance = 2e-4;
    let mut bench = Bench::new(input, settings(Integrator::BackwardEuler, 2e-3, 1e-6));
    bench.run(2.0);
    let x = &bench.state.x[..bench.world.moving];
    let size = |axis: usize| {
        let all = x.iter().map(|p| p[axis]);
        (all.clone().fold(f64::MIN, f64::max) - all.fold(f64::MAX, f64::min)) / 0.08
    };
    let (along, wide) = (size(1), across(&lame, size(1)));
    let (kept, expected) = (volume(&bench.world, x) / volume(&bench.world, &bench.world.rest), wide * wide * along);
    println!("stretch {along:.4}: across {:.4} {:.4}, {wide:.4} expected; volume {kept:.5}", size(0), size(2));
    assert!((0.7..0.8).contains(&along));
    close("volume of a pressed block", kept, expected, 1e-3);
    close("its width", size(0), wide, 2e-3);
}

/// A body that falls on a plane and bounces never exceeds its initial energy: the loss of a step is dissipated, and the
/// barrier stores the difference during contact.
#[test]
fn a_bouncing_body_gains_nothing() {
    for (law, integrator) in laws(0.3).into_iter().flat_map(|l| [(l, Integrator::Bdf2), (l, Integrator::BackwardEuler)])
    {
        let mut ball = body(bar([3, 3, 3], 0.02), law);
        let turn = Rotation::from_scaled_axis(Vec3::new(0.5, 0.2, 0.7));
        ball.mesh.positions.iter_mut().for_each(|p| *p = turn * *p + Vec3::new(-0.03, 0.15, -0.03));
        let mut input =
            Input { obstacles: vec![plate("table", 0.0, 1.0, Motion::Fixed)], ..solid(Vec3::y() * -G, ball) };
        input.contact.enabled = true;
        let mut bench = Bench::new(input, settings(integrator, 1e-3, 1e-6));
        let energy = |bench: &Bench| {
            let (world, state) = (&bench.world, &bench.state);
            let each = |v: usize| world.mass[v] * (0.5 * state.v[v].norm_squared() + G * state.x[v].y);
            (0..world.moving).map(each).sum::<f64>() + world.elements.solid_energy(&state.x)
        };
        let start = energy(&bench);
        let (mut most, mut lowest, mut highest) = (0.0f64, f64::MAX, 0.0f64);
        for k in 1..=500 {
            bench.run(f64::from(k) * 2e-3);
            most = most.max(energy(&bench));
            let height = bench.state.x[..bench.world.moving].iter().map(|p| p.y).fold(f64::MAX, f64::min);
            lowest = lowest.min(height);
            if lowest < 1e-3 {
                highest = highest.max(height);
            }
        }
        println!("{law:?}, {integrator:?}: at most {:.6} of the start, leaps {:.1} mm", most / start, highest * 1e3);
        assert!(highest > 2e-3, "it never left the table, so this shows nothing");
        assert!(most < start * (1.0 + 1e-6));
    }
}

/// Cloth strikes a body in space, with friction: momentum is conserved to rounding. (By BDF2 it is conserved to first
/// order, as cloth on cloth.)
#[test]
fn cloth_and_body_keep_their_momentum() {
    let sheet =
        generate::sheet(9, 9, 0.1, 0.1, generate::Diagonals::Alternating, |c| Vec3::new(c.x - 0.02, 0.065, c.y - 0.02));
    let mut sheet = cloth(sheet, 100.0);
    let friction = Friction { fixed: 0.4, sliding: 0.3 };
    (sheet.velocity, sheet.friction, sheet.self_contact) = (Vec3::new(0.5, -1.0, 0.2), friction, true);
    let mut soft = body(bar([3, 3, 3], 0.02), laws(0.3)[0]);
    (soft.friction, soft.law.damping) = (friction, 1e-3);
    let mut input = Input { bodies: vec![soft], ..input(Vec3::zeros(), sheet) };
    input.contact.enabled = true;
    let mut bench = Bench::new(input, settings(Integrator::BackwardEuler, 1e-3, 1e-14));
    let momentum = |b: &Bench, k: usize| -> Vec3 {
        b.world.objects[k].vertices.clone().map(|v| b.state.v[v] * b.world.mass[v]).sum()
    };
    let (start, mut contacts) = (momentum(&bench, 0), 0);
    for k in 1..=200 {
        let until = f64::from(k) * 1e-3;
        let report = bench.stepper.advance(&bench.world, &mut bench.state, until).unwrap();
        contacts = contacts.max(report.contacts);
    }
    let (cloth, body) = (momentum(&bench, 0), momentum(&bench, 1));
    println!("{contacts} contacts; of {start:?} the body has {body:?}, lost {:.1e}", (cloth + body - start).norm());
    assert!(contacts > 20 && body.norm() > 0.1 * start.norm());
    assert!((cloth + body - start).norm() < 1e-12 * start.norm());
}

/// Two bodies strike each other in space: momentum is conserved to rounding, and they do not intersect.
#[test]
fn bodies_keep_their_momentum() {
    let friction = Friction { fixed: 0.4, sliding: 0.3 };
    let brick = |name: &str, at: Vec3, velocity: Vec3| {
        let mut brick = body(bar([3, 3, 3], 0.02), laws(0.3)[0]);
        let turn = Rotation::from_scaled_axis(Vec3::new(0.4, 0.3, -0.5));
        brick.mesh.positions.iter_mut().for_each(|p| *p = turn * *p + at);
        (brick.name, brick.velocity, brick.friction, brick.self_contact) = (name.into(), velocity, friction, true);
        brick
    };
    let bodies = vec![
        brick("left", Vec3::zeros(), Vec3::x() * 2.0),
        brick("right", Vec3::new(0.12, 0.02, 0.01), Vec3::new(-1.0, 0.3, 0.0)),
    ];
    let mut input = Input { bodies, ..solid(Vec3::zeros(), brick("", Vec3::zeros(), Vec3::zeros())) };
    input.contact.enabled = true;
    let mut bench = Bench::new(input, settings(Integrator::BackwardEuler, 1e-3, 1e-14));
    let momentum = |b: &Bench, k: usize| -> Vec3 {
        b.world.objects[k].vertices.clone().map(|v| b.state.v[v] * b.world.mass[v]).sum()
    };
    let (start, left) = (momentum(&bench, 0) + momentum(&bench, 1), momentum(&bench, 0));
    let mut test = bench.world.test();
    for k in 1..=20 {
        bench.run(f64::from(k) * 0.01);
        assert!(bench.world.crossings(&mut test, &bench.state.x, bench.state.now()).is_empty());
    }
    let (a, b) = (momentum(&bench, 0), momentum(&bench, 1));
    println!("{left:?} became {a:?}, lost {:.1e}", (a + b - start).norm());
    assert!((a - left).norm() > 0.5 * left.norm() && (a + b - start).norm() < 1e-12 * left.norm());
}
