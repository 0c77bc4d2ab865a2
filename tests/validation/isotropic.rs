//! Springs whose stiffness matrix is `k I` (Desbrun et al. 1999; Horiba et al. 2007, Eq. 1 to 4).

use crate::common::{Bench, Cut, close, cut, input, settings};
use crate::spring::{knitted, linear};
use percale::force::assembly::Assembly;
use percale::force::scheme::Scheme;
use percale::force::spring::Jacobian;
use percale::force::spring_mesh::{Flexion, Network};
use percale::force::term::Name;
use percale::linalg::{Vec2, Vec3};
use percale::stepper::Integrator;

/// Side of a cell [m].
const CELL: f64 = 0.01;

fn sheet(n: usize, network: Network, mass: f64, step: f64) -> Bench {
    let side = CELL * (n - 1) as f64;
    let flat = |m: Vec2| Vec3::new(m.x - side / 2.0, m.y - side / 2.0, 0.0);
    let mesh = cut(Cut::Alternating, n - 1, n - 1, side, side, flat);
    Bench::new(input(Vec3::zeros(), knitted(mesh, network, mass)), settings(Integrator::BackwardEuler, step, 1e-13))
}

fn isotropic(stiffness: [f64; 2], flexion: f64) -> Network {
    Network { jacobian: Jacobian::Isotropic, flexion: Flexion::Linear(flexion), ..linear(stiffness) }
}

/// Returns `H/k` of an `n` x `n` sheet as assembled from its springs; every block must be a multiple of the unit block.
fn assembled(n: usize, network: Network, k: f64) -> Vec<Vec<f64>> {
    let Bench { world, state, .. } = sheet(n, network, 5e-4, 0.3);
    let mut assembly =
        Assembly::<f64>::of(&world.elements, &world.starts, |term| term.name() == Name::first("springs"));
    let (none, steps) = (vec![Vec3::zeros(); world.moving], vec![0.3; world.moving]);
    let scheme = Scheme {
        x: &state.x,
        y: &none,
        velocity: &none,
        v: &none,
        guess: &none,
        mass: &world.mass,
        beta: 0.3,
        effective_dt: &steps,
        exchange: &[],
        drag: &[],
        stiffness_scale: Default::default(),
        wind: Vec3::zeros(),
    };
    assembly.assemble(&scheme, &state.memory);
    let place = &world.objects[0].place;
    let mut h = vec![vec![0.0; n * n]; n * n];
    for column in 0..n * n {
        for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
            let (mut unit, mut out) = (none.clone(), none.clone());
            unit[place[column] as usize] = axis;
            assembly.matrix.add_product(&unit, |_| true, &mut out);
            for row in 0..n * n {
                let value = -out[place[row] as usize] / k;
                h[row][column] = value.dot(&axis);
                assert!((value - axis * h[row][column]).norm() < 1e-14, "{row} {column}: {value:?}");
            }
        }
    }
    h
}

fn same(test: &str, found: &[Vec<f64>], row: usize, printed: &[f64]) {
    let found = &found[row];
    assert_eq!(found.iter().sum::<f64>().abs().max(1e-14), 1e-14, "{test}: row {row} sums to something");
    let off = found.iter().zip(printed).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(found.len() == printed.len() && off < 1e-14, "{test}: row {row} is {found:?}, printed {printed:?}");
}

/// Eq. 2 and Eq. 3 as published, for a sheet of 3 x 3 points.
#[test]
fn stretching_and_shearing_are_as_printed() {
    let stretching = [
        [-2., 1., 0., 1., 0., 0., 0., 0., 0.],
        [1., -3., 1., 0., 1., 0., 0., 0., 0.],
        [0., 1., -2., 0., 0., 1., 0., 0., 0.],
        [1., 0., 0., -3., 1., 0., 1., 0., 0.],
        [0., 1., 0., 1., -4., 1., 0., 1., 0.],
        [0., 0., 1., 0., 1., -3., 0., 0., 1.],
        [0., 0., 0., 1., 0., 0., -2., 1., 0.],
        [0., 0., 0., 0., 1., 0., 1., -3., 1.],
        [0., 0., 0., 0., 0., 1., 0., 1., -2.],
    ];
    let shearing = [
        [-1., 0., 0., 0., 1., 0., 0., 0., 0.],
        [0., -2., 0., 1., 0., 1., 0., 0., 0.],
        [0., 0., -1., 0., 1., 0., 0., 0., 0.],
        [0., 1., 0., -2., 0., 0., 0., 1., 0.],
        [1., 0., 1., 0., -4., 0., 1., 0., 1.],
        [0., 1., 0., 0., 0., -2., 0., 1., 0.],
        [0., 0., 0., 0., 1., 0., -1., 0., 0.],
        [0., 0., 0., 1., 0., 1., 0., -2., 0.],
        [0., 0., 0., 0., 1., 0., 0., 0., -1.],
    ];
    let k = 7e-4;
    for (test, network, printed) in
        [("Eq. 2", isotropic([k, 0.0], 0.0), stretching), ("Eq. 3", isotropic([0.0, k], 0.0), shearing)]
    {
        let found = assembled(3, network, k);
        printed.iter().enumerate().for_each(|(row, printed)| same(test, &found, row, printed));
    }
}

/// The published rows of Eq. 4, for a sheet of 5 x 5 points. The first row with a point on all four sides at distance
/// two is the thirteenth. The corners are published as -1, with which their rows would not sum to zero; they are -2.
#[test]
fn bending_is_as_printed_but_for_its_corners() {
    let k = 7e-4;
    let found = assembled(5, isotropic([0.0, 0.0], k), k);
    let row = |entries: &[(usize, f64)]| {
        let mut row = vec![0.0; 25];
        entries.iter().for_each(|(column, value)| row[*column] = *value);
        row
    };
    let printed = [
        (0, row(&[(0, -2.0), (2, 1.0), (10, 1.0)])),
        (1, row(&[(1, -2.0), (3, 1.0), (11, 1.0)])),
        (2, row(&[(0, 1.0), (2, -3.0), (4, 1.0), (12, 1.0)])),
        (3, row(&[(1, 1.0), (3, -2.0), (13, 1.0)])),
        (12, row(&[(2, 1.0), (10, 1.0), (12, -4.0), (14, 1.0), (22, 1.0)])),
        (21, row(&[(11, 1.0), (21, -2.0), (23, 1.0)])),
        (22, row(&[(12, 1.0), (20, 1.0), (22, -3.0), (24, 1.0)])),
        (23, row(&[(13, 1.0), (21, 1.0), (23, -2.0)])),
        (24, row(&[(14, 1.0), (22, 1.0), (24, -2.0)])),
    ];
    printed.iter().for_each(|(k, printed)| same("Eq. 4", &found, *k, printed));
}

/// A free spinning sheet of 3 x 3 points keeps its angular momentum with the full stiffness, except for the `h w^2`
/// that backward Euler loses per second (see `order.rs`). With `k I` the ends of each spring, `d` apart, are retarded
/// by `h k w d`: a torque of `h k w d^2`, so that the angular momentum falls at the rate `h k sum d^2/sum m r^2`. Six
/// parts in a thousand of the time are the shorter steps of the start, and a step resists by `1/(1 + h^2 k n/m)` of
/// that, `n` springs at a point: 2 % and 1 % in all.
#[test]
fn isotropic_stiffness_takes_angular_momentum() {
    const SPIN: f64 = 5.0;
    const TIME: f64 = 0.02;
    let (k, mass) = (20.0, 1e-3);
    let lost = |jacobian: Jacobian, h: f64| {
        let mut bench = sheet(3, Network { jacobian, ..isotropic([k, k], k) }, mass, h);
        let spin = |bench: &Bench| -> f64 {
            let all = bench.state.x.iter().zip(&bench.state.v).zip(&bench.world.mass);
            all.map(|((x, v), mass)| x.cross(v).z * mass).sum()
        };
        let turning = bench.state.x.iter().map(|x| (Vec3::z() * SPIN).cross(x)).collect();
        bench.state.v = turning;
        bench.state.v_before.clone_from(&bench.state.v);
        let before = spin(&bench);
        bench.run(TIME);
        (before / spin(&bench)).ln() / TIME
    };
    for h in [1e-4, 5e-5] {
        // 12 structural springs, 8 across cells, 6 at distance two.
        let squares = 12.0 + 8.0 * 2.0 + 6.0 * 4.0;
        let inertia = 12.0 * mass;
        close(
            &format!("loss of spin with k I, {h:.0e} s"),
            lost(Jacobian::Isotropic, h),
            h * k * squares / inertia,
            0.02,
        );
        let full = lost(Jacobian::Full, h);
        println!(
            "| loss of spin with full stiffness, {h:.0e} s | {:.2e} | {full:.2e} 1/s | | 1e-2 of k I |",
            h * SPIN * SPIN
        );
        assert!(full.abs() < 1e-2 * h * k * squares / inertia, "{full}");
    }
}
