//! Forces of bent sheets against their energy.

use crate::common::{Cut, cloth, cut, input};
use percale::force::assembly::{Assembly, Scheme};
use percale::force::bending::Bending;
use percale::linalg::{Rotation, Vec3};
use percale::world::World;
use percale::world::build::build;

/// Forces [N] on the vertices of a world at rest at positions `x`.
fn forces(world: &World, x: &[Vec3]) -> Vec<Vec3> {
    let still = vec![Vec3::zeros(); world.moving];
    let betas = vec![1.0; world.moving];
    let mut assembly = Assembly::<f64>::new(&world.elements, &world.starts);
    let scheme = Scheme { x, y: &still, rate: &still, v: &still, mass: &world.mass, beta: 1.0, betas: &betas };
    assembly.assemble(&world.elements, &scheme);
    assembly.force.clone()
}

/// A sheet without membrane, curved at rest, folded by up to a radian: the assembled force is minus the gradient of the
/// energy (central differences, 1e-6: error of second order in a step of 1e-5 of an edge), nothing acts on the sheet as a
/// whole (1e-12), and carried rigidly from rest it has no force and no energy.
#[test]
fn the_force_of_a_bent_sheet_is_minus_the_gradient_of_its_energy() {
    for kind in [Cut::Aligned, Cut::Alternating, Cut::Equilateral, Cut::Random] {
        let mesh = cut(kind, 6, 5, 0.06, 0.05, |m| Vec3::new(m.x, 8.0 * m.x * m.x - 5.0 * m.x * m.y, m.y));
        let mut sheet = cloth(mesh, 0.0);
        sheet.sheet.bending = Bending::Constant(1e-5);
        sheet.flat = false;
        let (world, state) = build(input(Vec3::zeros(), sheet));
        let carried: Vec<Vec3> = {
            let turn = Rotation::from_scaled_axis(Vec3::new(0.3, -1.1, 0.7));
            state.x.iter().map(|p| turn * p + Vec3::new(0.1, 0.2, 0.3)).collect()
        };
        let mut seed = 5u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut x: Vec<Vec3> = carried.iter().map(|p| p + Vec3::new(random(), random(), random()) * 1.5e-3).collect();
        let force = forces(&world, &x);
        let size = force.iter().map(|f| f.norm()).fold(0.0, f64::max);
        let step = 1e-7;
        for v in 0..world.moving {
            for d in 0..3 {
                let at = x[v][d];
                let mut energy = |to: f64| {
                    x[v][d] = to;
                    world.elements.energy(&x).1
                };
                let slope = (energy(at + step) - energy(at - step)) / (2.0 * step);
                x[v][d] = at;
                assert!((slope + force[v][d]).abs() < 1e-6 * size, "{kind:?}, vertex {v}: {slope} {}", force[v][d]);
            }
        }
        let net: Vec3 = force.iter().sum();
        let torque: Vec3 = x.iter().zip(&force).map(|(x, f)| x.cross(f)).sum();
        assert!(net.norm() < 1e-12 * size && torque.norm() < 1e-12 * size, "{kind:?}: {net} {torque}");
        let rigid = forces(&world, &carried);
        assert!(rigid.iter().all(|f| f.norm() < 1e-11 * size), "{kind:?}");
        assert!(world.elements.energy(&carried).1 < 1e-20 * world.elements.energy(&x).1);
    }
}
