//! Cloths glued to bodies: the glue film compared with closed forms, momentum, and its deformation.

use crate::common::{Bench, Cut, G, bar, body, close, cloth, cut, input, settings};
use percale::force::assembly::Assembly;
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::force::scheme::Scheme;
use percale::force::solid::{Body, Lame, Solid};
use percale::force::term::Memory;
use percale::linalg::{Rotation, Vec3};
use percale::stepper::Integrator;
use percale::world::Pin;
use percale::world::build::{BodyInput, ClothInput, Input};
use percale::world::glue::Glue;

const HEIGHT: f64 = 3e-3;

fn law(young: f64) -> Body {
    Body { solid: Solid::NeoHookean(Lame::new(young, 0.3)), damping: 2e-3 }
}

/// Makes a block of 8 x 2 x 6 cm, and a sheet of 6 x 4 cm over the middle of its top.
fn parts(young: f64) -> (ClothInput, BodyInput) {
    let mut block = body(bar([8, 2, 6], 0.01), Solid::NeoHookean(Lame::new(young, 0.3)));
    block.law = law(young);
    let mut patch =
        cloth(cut(Cut::Random, 9, 6, 0.06, 0.04, |m| Vec3::new(0.01 + m.x, 0.02 + HEIGHT, 0.05 - m.y)), 200.0);
    patch.law.bending = Bending::Constant(1e-5);
    patch.law.damping = Damping::even(1e-3);
    (patch, block)
}

/// Returns the sheet with all its vertices glued to the block.
fn glued(gravity: Vec3, patch: ClothInput, block: BodyInput, stiffness: f64) -> Input {
    let all = (0..patch.mesh.positions.len() as u32).collect();
    let glues = vec![Glue::new((&patch.name, &patch.mesh.positions), (&block.name, &block.mesh), all, stiffness)];
    Input { bodies: vec![block], glues, ..input(gravity, patch) }
}

/// Returns the largest distance of a bond from its rest position [m].
fn drawn(bench: &Bench) -> f64 {
    let gap = |b: &percale::force::glue::Bond| b.draw(&b.vertices.map(|v| bench.state.x[v as usize])).gap.norm();
    bench.world.elements.bonds.iter().map(gap).fold(0.0, f64::max)
}

/// On a fixed block, a stiff sheet of mass m is displaced by m g/(k A), whatever its mesh, as springs in parallel over
/// its area. Normal and tangential directions of the film are equal.
#[test]
fn a_patch_gives_by_its_load_over_the_film() {
    for down in [-Vec3::y(), Vec3::x()] {
        let (patch, mut block) = parts(1e6);
        block.pins = vec![Pin::fixed((0..block.mesh.positions.len() as u32).collect())];
        let (mass, stiffness) = (crate::common::DENSITY * 0.06 * 0.04, 1e4);
        let mut bench =
            Bench::new(glued(down * G, patch, block, stiffness), settings(Integrator::BackwardEuler, 5e-3, 1e-12));
        let before = bench.positions();
        bench.settle(1e-9);
        let ways = bench.positions().iter().zip(&before).map(|(p, q)| (p - q).dot(&down)).collect::<Vec<f64>>();
        let mean = ways.iter().sum::<f64>() / ways.len() as f64;
        close("film under its patch [m]", mean, mass * G / (stiffness * 0.06 * 0.04), 0.01);
    }
}

/// The film's forces on both sides cancel. A glued pair in space that is thrown, spins and vibrates keeps its momentum
/// to rounding under backward Euler.
#[test]
fn a_glued_pair_keeps_its_momentum() {
    let (mut patch, mut block) = parts(2e4);
    (patch.velocity, block.velocity) = (Vec3::new(0.5, 1.0, -0.3), Vec3::new(-0.2, -0.1, 0.4));
    let mut bench =
        Bench::new(glued(Vec3::zeros(), patch, block, 1e7), settings(Integrator::BackwardEuler, 1e-3, 1e-14));
    for v in 0..bench.world.moving {
        bench.state.v[v] += Vec3::new(3.0, -2.0, 5.0).cross(&bench.state.x[v]);
    }
    bench.state.v_before = bench.state.v[..bench.world.moving].to_vec();
    let sum = |bench: &Bench| (0..bench.world.moving).map(|v| bench.state.v[v] * bench.world.mass[v]).sum::<Vec3>();
    let size: f64 = (0..bench.world.moving).map(|v| bench.state.v[v].norm() * bench.world.mass[v]).sum();
    let before = sum(&bench);
    for _ in 0..50 {
        bench.step(1e-3);
        let lost = (sum(&bench) - before).norm() / size;
        assert!(lost < 1e-12, "{lost}");
    }
    println!(
        "| glued pair in space: momentum lost | 0 | {:.1e} | drawn {:.1e} m |",
        (sum(&bench) - before).norm() / size,
        drawn(&bench)
    );
}

/// The forces of all elements on a sheared and rotated body have neither sum nor moment, to rounding.
#[test]
fn the_film_has_no_moment() {
    let (patch, block) = parts(2e4);
    let bench = Bench::new(glued(Vec3::zeros(), patch, block, 1e7), settings(Integrator::BackwardEuler, 1e-3, 1e-10));
    let turn = Rotation::from_scaled_axis(Vec3::new(0.4, 1.1, -0.7));
    let bent = |p: &Vec3| turn * (p + Vec3::new(0.3 * p.y, 0.8 * p.x * p.z, 5.0 * p.y * p.y));
    let x: Vec<Vec3> = bench.world.rest.iter().map(bent).collect();
    let (still, massless, ones) = (vec![Vec3::zeros(); x.len()], vec![0.0; x.len()], vec![1.0; x.len()]);
    let mut assembly = Assembly::<f64>::new(&bench.world.elements, &bench.world.starts);
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
    let size: f64 = assembly.force.iter().map(|f| f.norm()).sum();
    let sum: Vec3 = assembly.force.iter().sum();
    let moment: Vec3 = x.iter().zip(&assembly.force).map(|(p, f)| p.cross(f)).sum();
    assert!(size > 1.0 && sum.norm() < 1e-13 * size && moment.norm() < 1e-14 * size, "{size} {sum} {moment}");
    assert!(drawn(&bench) < 1e-15);
}

/// A soft block held at one end bends and sags by about 3 cm, and the sheet stays on its bonds. A sheet of stiffness
/// `E` that is stretched by `e` through a film `k` displaces it at its rim by `e sqrt(E/k)` (shear lag, O. Volkersen
/// 1938), the maximum. The top of the block stretches by less than a fifth.
#[test]
fn it_follows_a_body_that_bends() {
    for stiffness in [1e7, 1e9] {
        let (patch, mut block) = parts(3e3);
        let held = (0..).zip(&block.mesh.positions).filter(|(_, p)| p.x < 0.005).map(|(v, _)| v).collect();
        block.pins = vec![Pin::fixed(held)];
        let input = glued(Vec3::new(0.0, -G, 0.0), patch, block, stiffness);
        let mut bench = Bench::new(input, settings(Integrator::Bdf2, 2e-3, 1e-8));
        let (mut most, mut moved) = (0.0f64, 0.0f64);
        let start = bench.positions();
        for _ in 0..200 {
            bench.step(2e-3);
            most = most.max(drawn(&bench));
            let ways = bench.positions().iter().zip(&start).map(|(p, q)| (p - q).norm()).fold(0.0, f64::max);
            moved = moved.max(ways);
        }
        let bound = 0.2 * (200.0 / stiffness).sqrt();
        println!(
            "| glued to a bending block: drawn [mm] | {:.3} | {:.3} | moved {moved:.3} m |",
            1e3 * bound,
            1e3 * most
        );
        assert!(moved > 0.025 && most < bound, "{moved} m, {most} m");
    }
}
