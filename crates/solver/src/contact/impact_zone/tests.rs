use super::*;
use crate::collision::certificate::Pair;
use crate::linalg::random::Random;
use crate::mesh::generate::{Diagonals, lying, sheet};
use crate::world::build::{ClothInput, Input, Weights, build};

/// Creates a crumpled sheet of unequal masses. Each vertex has its own motion.
fn crumpled(random: &mut Random) -> (World, State, Step) {
    let mut vector = |size: f64| random.vector() * size;
    let mesh = sheet(6, 6, 0.1, 0.1, Diagonals::Aligned, lying(0.1, 0.1));
    let weights = Weights { mass: (0..36).map(|k| 1.0 + f64::from(k % 5)).collect(), ..Weights::default() };
    let cloth = ClothInput { self_contact: true, weights, ..ClothInput::plain(mesh, 100.0, 0.2) };
    let (world, mut state) = build(Input { cloths: vec![cloth], ..Input::empty(Vec3::zeros()) });
    let n = world.moving;
    state.x.iter_mut().for_each(|x| *x += vector(0.05));
    let step = Step {
        h: 1e-3,
        effective_dt: vec![1e-3; n],
        mass: world.mass.clone(),
        displacement: (0..n).map(|_| vector(0.02)).collect(),
        velocity: (0..n).map(|_| vector(20.0)).collect(),
        fixed: vec![false; n],
        touched: vec![true; n],
        ..Step::default()
    };
    (world, state, step)
}

/// Computes the momentum of `velocity`, and its angular momentum about the origin at the start positions.
fn momenta(world: &World, state: &State, velocity: &[Vec3]) -> [Vec3; 2] {
    let mass = |v: usize| world.mass[v];
    let linear = (0..world.moving).map(|v| velocity[v] * mass(v)).sum();
    [linear, (0..world.moving).map(|v| state.x[v].cross(&velocity[v]) * mass(v)).sum()]
}

fn watched(vertices: [u32; 4]) -> Watched {
    Watched { pair: Pair::VertexFace, features: [0, 0], vertices, distance: 1.0, patches: [0, 0] }
}

/// Impact zones of four vertices, of several merged pairs, and of everything. Displacements and velocities keep
/// momentum and angular momentum except for rounding. No two vertices of a zone come nearer to each other than at the
/// start.
#[test]
fn a_zone_keeps_momentum_and_angular_momentum() {
    let mut random = Random::new(1);
    let mut worst = [0.0f64; 4];
    for case in 0..200u32 {
        let (world, state, mut step) = crumpled(&mut random);
        let before = [&step.displacement, &step.velocity].map(|of| momenta(&world, &state, of));
        let pairs: Vec<Watched> = match case % 3 {
            0 => vec![watched([0, 7, 14, 21])],
            1 => vec![watched([1, 2, 3, 4]), watched([4, 9, 12, 30]), watched([20, 22, 24, 26])],
            _ => (0..33).map(|k| watched([k, k + 1, k + 2, k + 3])).collect(),
        };
        let mut zones = ImpactZones::default();
        let changed = zones.join(&world, &state, &mut step, &pairs);
        assert!(changed.is_ok_and(|changed| changed.len() >= 4) && pairs.iter().all(|w| zones.one(&w.vertices)));
        for (k, (of, [linear, spin])) in [&step.displacement, &step.velocity].into_iter().zip(before).enumerate() {
            let after = momenta(&world, &state, of);
            let size = |arm: &dyn Fn(usize) -> f64| (0..world.moving).map(|v| world.mass[v] * arm(v)).sum::<f64>();
            let lost = (after[0] - linear).norm() / size(&|v| of[v].norm());
            let spun = (after[1] - spin).norm() / size(&|v| of[v].norm() * state.x[v].norm());
            worst[2 * k] = worst[2 * k].max(lost);
            worst[2 * k + 1] = worst[2 * k + 1].max(spun);
        }
        for zone in &zones.members {
            for (i, a) in zone.iter().map(|v| *v as usize).enumerate() {
                for b in zone[..i].iter().map(|v| *v as usize) {
                    let (start, end) = (
                        state.x[a] - state.x[b],
                        state.x[a] + step.displacement[a] - state.x[b] - step.displacement[b],
                    );
                    assert!(end.norm() >= start.norm() * (1.0 - 1e-12), "case {case}: {a} and {b} come nearer");
                }
            }
        }
    }
    println!(
        "| zones: momentum and angular momentum lost, of displacements and velocities | 0 | {worst:?} | | 1e-12 |"
    );
    assert!(worst.iter().all(|lost| *lost < 1e-12), "{worst:?}");
}
