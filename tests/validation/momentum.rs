//! Momentum in contact: forces between surfaces sum to zero, and layers that move together are not slowed.

use crate::common::{Bench, Cut, G, cloth, cut, input, settings};
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::force::contact::Friction;
use percale::linalg::{Rotation, Vec2, Vec3};
use percale::mesh::TriMesh;
use percale::stepper::{Integrator, Report};
use percale::world::build::{ClothInput, Input};

/// Relative rounding error of sums over some hundred vertices and steps, including the residual of the solver.
const ROUNDING: f64 = 1e-12;

fn friction() -> Friction {
    Friction { fixed: 0.4, sliding: 0.3 }
}

fn sheet(name: &str, mesh: TriMesh, velocity: Vec3) -> ClothInput {
    let mut sheet = cloth(mesh, 200.0);
    sheet.name = name.into();
    sheet.velocity = velocity;
    sheet.friction = friction();
    sheet.self_contact = true;
    sheet.law.bending = Bending::Constant(1e-5);
    sheet.law.damping = Damping::even(1e-3);
    sheet
}

/// Returns the input of cloths alone in space, in contact.
fn space(mut cloths: Vec<ClothInput>) -> Input {
    let mut world = input(Vec3::zeros(), cloths.remove(0));
    world.contact.enabled = true;
    world.cloths.extend(cloths);
    world
}

/// Returns the sum of mass times a value over all cloth vertices.
fn sum(bench: &Bench, of: impl Fn(usize) -> Vec3) -> Vec3 {
    (0..bench.world.moving).map(|v| of(v) * bench.world.mass[v]).sum()
}

fn momentum(bench: &Bench) -> Vec3 {
    sum(bench, |v| bench.state.v[v])
}

fn spin(bench: &Bench) -> Vec3 {
    sum(bench, |v| bench.state.x[v].cross(&bench.state.v[v]))
}

struct Course {
    report: Report,
    /// Largest number of contacts in a step.
    contacts: usize,
    /// Largest change of momentum, relative to the initial sum of its absolute values.
    lost: f64,
    /// Change of the angular momentum about the centre, relative in the same way.
    spun: f64,
}

fn run(bench: &mut Bench, until: f64) -> Course {
    let (before, spin_before) = (momentum(bench), spin(bench));
    let norm = |of: &dyn Fn(usize) -> f64| (0..bench.world.moving).map(|v| of(v) * bench.world.mass[v]).sum::<f64>();
    let size = norm(&|v| bench.state.v[v].norm());
    let spin_size = norm(&|v| bench.state.x[v].norm() * bench.state.v[v].norm());
    let mut course = Course { report: Report::default(), contacts: 0, lost: 0.0, spun: 0.0 };
    while bench.state.time < until {
        match bench.stepper.step(&bench.world, &mut bench.state, until) {
            Ok(report) => course.report.add(&report),
            Err(stuck) => panic!("{}", stuck.describe(&bench.world, &bench.state)),
        }
        course.contacts = course.contacts.max(course.report.contacts);
        course.lost = course.lost.max((momentum(bench) - before).norm() / size);
        course.spun = course.spun.max((spin(bench) - spin_before).norm() / spin_size);
    }
    course
}

fn row(test: &str, c: &Course) {
    let Course { report, contacts, lost, spun } = c;
    println!(
        "| {test}: momentum lost | 0 | {lost:.1e} | angular {spun:.1e} | {} steps, {contacts} contacts, {} stops, {} corrected, \
         {} truncated, {} unconverged |",
        report.steps, report.stops, report.corrected, report.truncated, report.unconverged
    );
}

/// Makes two sheets that meet obliquely at 2 m/s and slide over each other.
fn two_sheets(integrator: Integrator, h: f64) -> Bench {
    let turn = Rotation::from_scaled_axis(Vec3::new(0.05, 0.4, 0.1));
    let lower = cut(Cut::Alternating, 10, 10, 0.2, 0.2, |m| Vec3::new(m.x - 0.1, 0.0, m.y - 0.1));
    let upper =
        cut(Cut::Random, 9, 9, 0.2, 0.2, |m| turn * Vec3::new(m.x - 0.1, 0.0, m.y - 0.1) + Vec3::new(0.03, 0.03, 0.02));
    let cloths =
        vec![sheet("lower", lower, Vec3::new(0.0, 1.0, 0.0)), sheet("upper", upper, Vec3::new(0.6, -1.0, -0.3))];
    Bench::new(space(cloths), settings(integrator, h, 1e-14))
}

/// Makes a sheet bent to a U whose halves fly at each other and slide over each other.
fn closing_fold(integrator: Integrator, h: f64) -> Bench {
    let radius = 0.02;
    let bent = |m: Vec2| {
        let (s, half) = (m.x - 0.15, 0.5 * std::f64::consts::PI * radius);
        let angle = (s / radius).clamp(-0.5 * std::f64::consts::PI, 0.5 * std::f64::consts::PI);
        let straight = (s.abs() - half).max(0.0);
        Vec3::new(radius * angle.cos() - straight, radius * angle.sin(), m.y)
    };
    let mut bench = Bench::new(
        space(vec![sheet("fold", cut(Cut::Alternating, 30, 10, 0.3, 0.1, bent), Vec3::zeros())]),
        settings(integrator, h, 1e-14),
    );
    let state = &mut bench.state;
    for v in 0..bench.world.moving {
        let side = state.x[v].y / radius;
        state.v[v] = Vec3::new(0.3 * side, -1.5 * side, 0.5 * side + 0.2);
    }
    state.v_before = state.v[..bench.world.moving].to_vec();
    bench
}

/// Makes five slightly crumpled sheets that fly into each other at up to 60 m/s, 30 cm per step. Impulses do not
/// suffice.
fn pile_up() -> Bench {
    let cloths = (0..5).map(|k| {
        let place = |m: Vec2| {
            let wave = 2e-3 * ((40.0 + 9.0 * k as f64) * m.x).sin() * ((50.0 - 7.0 * k as f64) * m.y).cos();
            Vec3::new(m.x - 0.05, 8e-3 * k as f64 + wave, m.y - 0.05)
        };
        let mesh = cut([Cut::Alternating, Cut::Random][k % 2], 7 + k % 2, 7, 0.1, 0.1, place);
        let velocity = Vec3::new(3.0 * (k as f64 - 2.0), 15.0 * (2.0 - k as f64), 0.5 * k as f64);
        sheet(&format!("layer {k}"), mesh, velocity)
    });
    Bench::new(space(cloths.collect()), settings(Integrator::BackwardEuler, 5e-3, 1e-14))
}

/// Newton's third law: forces and impulses of contact, friction and cloth sum to zero over all sheets. Backward Euler,
/// whose impulses are step times force for every vertex, conserves momentum to rounding.
#[test]
fn contact_keeps_momentum() {
    for (name, mut bench, until) in [
        ("two sheets", two_sheets(Integrator::BackwardEuler, 1e-3), 0.08),
        ("fold", closing_fold(Integrator::BackwardEuler, 1e-3), 0.05),
    ] {
        let course = run(&mut bench, until);
        row(name, &course);
        assert!(course.contacts > 100 && course.report.truncated == 0, "no contact to speak of, or not contact alone");
        assert!(course.lost < ROUNDING, "{name}: {}", course.lost);
    }
}

/// In the second-order scheme, vertices in contact use backward Euler, so that a force between two vertices with
/// different schemes acts over different effective steps. The resulting first-order loss of momentum is returned to the
/// velocities.
#[test]
fn bdf2_keeps_momentum_in_contact() {
    type Make = fn(Integrator, f64) -> Bench;
    for (name, make, until) in [("two sheets", two_sheets as Make, 0.08), ("fold", closing_fold as Make, 0.05)] {
        for step in [2e-3, 5e-4] {
            let course = run(&mut make(Integrator::Bdf2, step), until);
            row(&format!("{name}, BDF2, {} ms", 1e3 * step), &course);
            assert!(course.contacts > 100 && course.lost < ROUNDING, "{name}: {}", course.lost);
        }
    }
}

/// Impact zones conserve momentum (see their unit test); releasing their vertices individually to their targets does
/// not. All else is exact under backward Euler. The few vertices in zones of a pile-up carry less than 1 % of the
/// momentum.
#[test]
fn a_pile_up_keeps_its_momentum() {
    let course = run(&mut pile_up(), 0.02);
    row("pile-up at 60 m/s", &course);
    assert!(course.report.corrected > 0 && course.lost < 0.01, "{}", course.lost);
}

/// Makes ten layers, `gap` apart, with the activation distance `reach`.
fn stack(gravity: Vec3, velocity: Vec3, gap: f64, reach: f64) -> Bench {
    let cloths = (0..10).map(|k| {
        let cut = |place: &dyn Fn(Vec2) -> Vec3| cut([Cut::Alternating, Cut::Random][k % 2], 8, 8, 0.2, 0.2, place);
        sheet(&format!("layer {k}"), cut(&|m| Vec3::new(m.x, gap * k as f64, m.y)), velocity)
    });
    let mut input = space(cloths.collect());
    input.gravity = gravity;
    input.contact.distance = reach;
    Bench::new(input, settings(Integrator::Bdf2, 2e-3, 1e-6))
}

/// Ten layers in contact keep 3 m/s in every vertex, falling (plus `g t`) or flying, within 1 %. They are 0.9 mm apart
/// with an activation distance of 1 mm, or 12 um apart, next to the hard minimum, of which a step is 500-fold. The
/// barrier's energy (0.01 mJ/kg at nine tenths of its activation distance) is at most 0.3 % of the kinetic energy.
#[test]
fn a_stack_that_moves_together_is_not_slowed() {
    let down = Vec3::new(0.0, -3.0, 0.0);
    for (name, gravity, velocity) in [
        ("falls", Vec3::new(0.0, -G, 0.0), down),
        ("flies down", Vec3::zeros(), down),
        ("flies sideways", Vec3::zeros(), Vec3::new(3.0, 0.0, 0.0)),
        ("flies askew", Vec3::zeros(), Vec3::new(2.0, -2.0, 1.0)),
    ] {
        for (gap, reach) in [(0.9e-3, 1e-3), (1.2e-5, 1.3e-5)] {
            let mut bench = stack(gravity, velocity, gap, reach);
            let course = run(&mut bench, 0.2);
            let expected = velocity + gravity * bench.state.time;
            let along = expected.normalize();
            let speeds = bench.state.v[..bench.world.moving].iter().map(|v| v.dot(&along) / expected.norm() - 1.0);
            let (least, most) = speeds.fold((0.0f64, 0.0f64), |(a, b), s| (a.min(s), b.max(s)));
            println!(
                "| ten layers, {:.0} um apart: {name} | {:.4} m/s | {:+.4} % to {:+.4} % | | 1 % | {} contacts, {} corrected, {} truncated",
                1e6 * gap,
                expected.norm(),
                100.0 * least,
                100.0 * most,
                course.contacts,
                course.report.corrected,
                course.report.truncated
            );
            assert!(course.contacts > 1000, "they do not touch");
            assert!(least > -0.01 && most < 0.01, "{name}: {least} to {most}");
        }
    }
}
