//! Forces of bent sheets compared with their energy.

use crate::common::{Cut, cloth, cut, input};
use percale::force::assembly::Assembly;
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::force::scheme::Scheme;
use percale::force::term::Memory;
use percale::linalg::random::Random;
use percale::linalg::{Mat3, Rotation, Vec3};
use percale::world::World;
use percale::world::build::build;

/// Returns the forces [N] on the vertices of a world at rest at positions `x`.
fn forces(world: &World, x: &[Vec3]) -> Vec<Vec3> {
    let still = vec![Vec3::zeros(); world.moving];
    let effective_dt = vec![1.0; world.moving];
    let mut assembly = Assembly::<f64>::new(&world.elements, &world.starts);
    let scheme = Scheme {
        x,
        y: &still,
        velocity: &still,
        v: &still,
        guess: &still,
        mass: &world.mass,
        beta: 1.0,
        effective_dt: &effective_dt,
        wind: Vec3::zeros(),
        exchange: &[],
        drag: &[],
        stiffness_scale: Default::default(),
    };
    assembly.assemble(&scheme, &Memory::default());
    assembly.force.clone()
}

/// A sheet without membrane, curved at rest, folded by up to a radian. The assembled force is minus the gradient of the
/// energy (central differences, 1e-6: error of second order in a step of 1e-5 of an edge), and has no sum or moment
/// (1e-12). After a rigid motion from rest it has no force and no energy.
#[test]
fn the_force_of_a_bent_sheet_is_minus_the_gradient_of_its_energy() {
    for kind in [Cut::Aligned, Cut::Alternating, Cut::Equilateral, Cut::Random] {
        let mesh = cut(kind, 6, 5, 0.06, 0.05, |m| Vec3::new(m.x, 8.0 * m.x * m.x - 5.0 * m.x * m.y, m.y));
        let mut sheet = cloth(mesh, 0.0);
        sheet.law.bending = Bending::Constant(1e-5);
        sheet.flat = false;
        let (world, state) = build(input(Vec3::zeros(), sheet));
        let carried: Vec<Vec3> = {
            let turn = Rotation::from_scaled_axis(Vec3::new(0.3, -1.1, 0.7));
            state.x.iter().map(|p| turn * p + Vec3::new(0.1, 0.2, 0.3)).collect()
        };
        let mut random = Random::new(5);
        let mut x: Vec<Vec3> = carried.iter().map(|p| p + random.vector() * 1.5e-3).collect();
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

/// Returns `force - A z` of a world of one subdomain [N].
fn residual(world: &World, scheme: &Scheme, z: &[Vec3]) -> Vec<Vec3> {
    let mut assembly = Assembly::<f64>::new(&world.elements, &world.starts);
    assembly.assemble(scheme, &Memory::default());
    let [domain] = &assembly.matrix.domains[..] else { panic!("more than one subdomain") };
    let block = |place: usize| Mat3::from_column_slice(&domain.blocks[9 * place..9 * place + 9]);
    let mut left = assembly.force.clone();
    for i in 0..domain.count {
        left[i] -= block(i) * z[i];
        for k in domain.upper_start[i] as usize..domain.upper_start[i + 1] as usize {
            let (j, upper) = (domain.upper_col[k] as usize, block(domain.upper_base() + k));
            left[i] -= upper * z[j];
            left[j] -= upper.transpose() * z[i];
        }
    }
    left
}

/// Every third vertex is in contact and uses backward Euler, the others BDF2. If the step ends as it began, at rest,
/// damping has no effect: the forces without and with 20 ms differ by rounding (1e-12).
#[test]
fn damping_does_nothing_to_what_is_held_at_rest() {
    let mesh = cut(Cut::Random, 6, 5, 0.06, 0.05, |m| Vec3::new(m.x, 8.0 * m.x * m.x - 5.0 * m.x * m.y, m.y));
    let mut sheet = cloth(mesh, 100.0);
    sheet.law.bending = Bending::Constant(1e-4);
    let (h, gravity) = (3.4e-3, Vec3::new(0.0, -9.81, 0.0));
    let held = [0.0, 0.02].map(|time| {
        sheet.law.damping = Damping::even(time);
        let (world, state) = build(input(Vec3::zeros(), sheet.clone()));
        let effective_dt: Vec<f64> = (0..world.moving).map(|v| if v % 3 == 0 { h } else { h * 2.0 / 3.0 }).collect();
        let rate: Vec<Vec3> = effective_dt.iter().map(|beta| gravity * *beta).collect();
        let y: Vec<Vec3> = effective_dt.iter().map(|beta| gravity * (beta * beta)).collect();
        let back: Vec<Vec3> = y.iter().map(|y| -y).collect();
        let still = vec![Vec3::zeros(); world.moving];
        let (x, mass, beta) = (&state.x[..], &world.mass[..], h * 2.0 / 3.0);
        residual(
            &world,
            &Scheme {
                x,
                y: &y,
                velocity: &rate,
                v: &still,
                guess: &still,
                mass,
                beta,
                effective_dt: &effective_dt,
                wind: Vec3::zeros(),
                exchange: &[],
                drag: &[],
                stiffness_scale: Default::default(),
            },
            &back,
        )
    });
    let size = held[0].iter().map(|f| f.norm()).fold(0.0, f64::max);
    for (v, (without, with)) in held[0].iter().zip(&held[1]).enumerate() {
        assert!((without - with).norm() < 1e-12 * size, "vertex {v}: {without} {with}");
    }
}
