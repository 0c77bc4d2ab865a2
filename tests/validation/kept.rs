//! Isolated systems: momentum is conserved, and energy never grows.

use crate::common::{Cut, bar, body, cloth, cut, input, settings};
use percale::force::solid::{Lame, Solid};
use percale::linalg::Vec3;
use percale::stepper::{Integrator, Settings, stepper};
use percale::world::build::{Input, build};
use percale::world::{ContactSettings, State, World};

/// Returns kinetic and elastic energy [J], and momentum [kg m/s].
fn kept(world: &World, state: &State) -> (f64, Vec3) {
    let (mut energy, mut momentum) = (0.0, Vec3::zeros());
    world.elements.each_energy(&state.x, &state.memory, |_, part| energy += part);
    for v in 0..world.moving {
        energy += 0.5 * world.mass[v] * state.v[v].norm_squared();
        momentum += state.v[v] * world.mass[v];
    }
    (energy, momentum)
}

/// Runs in single precision until a time. Returns the largest energy over that at the start, and the largest change of
/// momentum over the sum of all masses times their initial speed.
fn run(input: Input, settings: Settings, until: f64) -> (f64, f64) {
    let (world, mut state) = build(input);
    let (energy, momentum) = kept(&world, &state);
    let whole: f64 = (0..world.moving).map(|v| world.mass[v] * state.v[v].norm()).sum();
    let mut stepper = stepper(&world, settings, false);
    let (mut most, mut off) = (0.0f64, 0.0f64);
    while state.time < until {
        stepper.step(&world, &mut state, until).unwrap_or_else(|stuck| panic!("{}", stuck.describe(&world, &state)));
        let (now, p) = kept(&world, &state);
        most = most.max(now / energy);
        off = off.max((p - momentum).norm() / whole);
    }
    (most, off)
}

/// A napkin flies at a block of rubber at 5 m/s and folds around it. Vertices in contact use backward Euler, the others
/// BDF2, and some are corrected. Tolerances: rounding of positions in the energy, and 1e-6 of the momentum.
#[test]
fn what_collides_keeps_its_momentum_and_makes_no_energy() {
    let mut napkin = cloth(cut(Cut::Alternating, 16, 16, 0.2, 0.2, |m| Vec3::new(m.x, 0.1, m.y)), 200.0);
    napkin.velocity = Vec3::new(0.0, -5.0, 0.0);
    napkin.self_contact = true;
    napkin.thickness = 5e-4;
    let mut mesh = bar([2, 2, 2], 0.02);
    mesh.positions.iter_mut().for_each(|p| *p += Vec3::new(0.08, 0.0, 0.07));
    let block = body(mesh, Solid::Corotational(Lame::new(1e5, 0.4)));
    let contact = ContactSettings::default();
    let input = Input { bodies: vec![block], contact, ..input(Vec3::zeros(), napkin) };
    let settings = Settings { min_step: 2e-5, iterations: 500, ..settings(Integrator::Bdf2, 1e-3, 1e-3) };
    let (most, off) = run(input, settings, 0.1);
    println!("| a napkin strikes a block: energy over that at the start, momentum | 1, 0 | {most:.3}, {off:.1e} |");
    assert!(most <= 1.0 + 1e-6, "{most}");
    assert!(off < 1e-6, "{off}");
}
