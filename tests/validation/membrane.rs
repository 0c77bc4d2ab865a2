//! In-plane response: patches, hanging strips, loads.

use crate::common::{Bench, Cut, DENSITY, G, close, cloth, cut, hold, input, select, settings};
use percale::force::assembly::Assembly;
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::force::membrane::{Isotropic, Membrane};
use percale::force::scheme::{Scheme, pick};
use percale::force::term::Memory;
use percale::linalg::{Rotation, Vec2, Vec3};
use percale::stepper::{Integrator, stepper};
use percale::world::build::build;
use percale::world::{Handle, Pin, Pull, World};

const CUTS: [Cut; 4] = [Cut::Aligned, Cut::Alternating, Cut::Equilateral, Cut::Random];
const YOUNG: f64 = 100.0;

/// Returns the nodal forces of the elements [N].
fn forces(world: &World, x: &[Vec3]) -> Vec<Vec3> {
    let still = vec![Vec3::zeros(); world.moving];
    let ones = vec![1.0; world.moving];
    let mut assembly = Assembly::<f64>::new(&world.elements, &world.starts);
    let scheme = Scheme {
        x,
        y: &still,
        velocity: &still,
        v: &still,
        guess: &still,
        mass: &world.mass,
        beta: 1.0,
        effective_dt: &ones,
        wind: Vec3::zeros(),
        exchange: &[],
        drag: &[],
        stiffness_scale: Default::default(),
    };
    assembly.assemble(&scheme, &Memory::default());
    assembly.force
}

/// Applies a plane affine map in space: stretch, then a rotation not aligned with any axis.
fn stretched(m: Vec2) -> Vec3 {
    let turn = Rotation::from_scaled_axis(Vec3::new(0.7, -1.9, 1.1));
    turn * Vec3::new(1.1 * m.x + 0.08 * m.y, 0.03 * m.x + 0.95 * m.y, 0.0) + Vec3::new(0.3, -0.2, 0.9)
}

/// Patch test: an affine map has a uniform stress `S = C:E` in every triangle, and interior vertices are in
/// equilibrium. A rigid motion causes no force. The tolerance is 1e-10 of `Y` times the edge: rounding of positions of
/// order 1 m over cells of 1/12 m.
#[test]
fn an_affine_map_has_one_stress_and_balanced_forces() {
    for kind in CUTS {
        let mesh = cut(kind, 12, 12, 1.0, 1.0, stretched);
        let border = |m: &Vec2| m.x < 1e-9 || m.y < 1e-9 || m.x > 1.0 - 1e-9 || m.y > 1.0 - 1e-9;
        let inside = select(&mesh, |m| !border(m));
        let mut sheet = cloth(mesh, YOUNG);
        let nu = 0.3;
        sheet.law.membrane = Membrane::Isotropic(Isotropic { young: YOUNG, poisson: nu });
        let (world, state) = build(input(Vec3::zeros(), sheet));
        let (e11, e22, e12) = (
            (1.1f64.powi(2) + 0.03f64.powi(2) - 1.0) / 2.0,
            (0.08f64.powi(2) + 0.95f64.powi(2) - 1.0) / 2.0,
            (1.1 * 0.08 + 0.03 * 0.95) / 2.0,
        );
        let c = YOUNG / (1.0 - nu * nu);
        let stress = Vec3::new(c * (e11 + nu * e22), c * (e22 + nu * e11), c * (1.0 - nu) * e12);
        let law = &world.elements.cloth_laws[0].membrane;
        let mut worst: f64 = 0.0;
        for t in &world.elements.triangles {
            let e = t.strain(&pick(&state.x, &t.vertices));
            let [c11, c12, c22, c33] = law.moduli(&e);
            let s = Vec3::new(c11 * e.x + c12 * e.y, c12 * e.x + c22 * e.y, c33 * e.z);
            worst = worst.max((s - stress).norm() / stress.norm());
        }
        let place = &world.objects[0].place;
        let force = forces(&world, &state.x);
        let net = inside.iter().map(|v| force[place[*v as usize] as usize].norm()).fold(0.0, f64::max);
        println!(
            "| patch, {kind:?}: stress, net force/(Y edge) | 0 | {worst:.1e}, {:.1e} | | 1e-10 |",
            12.0 * net / YOUNG
        );
        assert!(worst < 1e-10 && 12.0 * net / YOUNG < 1e-10);
    }
}

/// A rigid motion of a sheet with membrane and bending causes no force: 1e-10 of `Y` times the edge.
#[test]
fn a_rigid_motion_makes_no_force() {
    let turn = Rotation::from_scaled_axis(Vec3::new(-1.2, 0.4, 2.2));
    for kind in CUTS {
        let mut sheet = cloth(cut(kind, 12, 12, 1.0, 1.0, |m| turn * Vec3::new(m.x, m.y, 0.4) + Vec3::x()), YOUNG);
        sheet.law.bending = Bending::Constant(1e-3);
        let (world, state) = build(input(Vec3::zeros(), sheet));
        let worst = forces(&world, &state.x).iter().map(|f| f.norm()).fold(0.0, f64::max) * 12.0 / YOUNG;
        println!("| rigid motion, {kind:?}: force/(Y edge) | 0 | {worst:.1e} | | 1e-10 |");
        assert!(worst < 1e-10);
    }
}

/// The border of a patch is held at an affine map. The interior starts a quarter of a cell away and comes to rest on
/// it: 1e-10 of the size with the matrix in double, 1e-5 in single precision.
#[test]
fn a_patch_comes_to_rest_on_the_affine_map() {
    let tension = |m: Vec2| Vec3::new(1.1 * m.x + 0.05 * m.y, 0.03 * m.x + 1.08 * m.y, 0.0);
    for (double, tolerance) in [(true, 1e-10), (false, 1e-5)] {
        let border = |m: &Vec2| m.x < 1e-9 || m.y < 1e-9 || m.x > 1.0 - 1e-9 || m.y > 1.0 - 1e-9;
        let shake = |m: Vec2| Vec3::new((40.0 * m.y).sin(), (50.0 * m.x).sin(), (45.0 * (m.x + m.y)).sin()) * 0.02;
        let place = |m: Vec2| tension(m) + if border(&m) { Vec3::zeros() } else { shake(m) };
        let mesh = cut(Cut::Random, 12, 12, 1.0, 1.0, place);
        let pin = hold(&mesh, border);
        let expected: Vec<Vec3> = mesh.uv.iter().map(|m| tension(*m)).collect();
        let mut sheet = cloth(mesh, YOUNG);
        sheet.law.damping = Damping::even(0.02);
        sheet.pins.push(pin);
        let mut bench = Bench::new(input(Vec3::zeros(), sheet), settings(Integrator::BackwardEuler, 0.02, 1e-7));
        bench.stepper = stepper(&bench.world, bench.stepper.settings(), double);
        bench.run(if double { 12.0 } else { 6.0 });
        let off = bench.positions().iter().zip(&expected).map(|(x, e)| (x - e).norm()).fold(0.0, f64::max);
        println!("| patch at rest, double: {double} | 0 | {off:.1e} | | {tolerance:.0e} |");
        assert!(off < tolerance);
    }
}

/// Returns the elongation of a strip of 1 m that hangs under its weight [m], and its mass [kg].
fn hang(kind: Cut, n: usize, young: f64) -> (f64, f64) {
    let mesh = cut(kind, n / 4, n, 0.25, 1.0, |m| Vec3::new(m.x, m.y, 0.0));
    let pin = hold(&mesh, |m| m.y > 1.0 - 1e-9);
    let low = select(&mesh, |m| m.y < 1e-9);
    let mut sheet = cloth(mesh, young);
    sheet.law.damping = Damping::even(0.1);
    sheet.pins.push(pin);
    let mut bench = Bench::new(input(Vec3::new(0.0, -G, 0.0), sheet), settings(Integrator::BackwardEuler, 0.01, 1e-10));
    bench.settle(1e-8);
    let x = bench.positions();
    let mean = low.iter().map(|v| x[*v as usize].y).sum::<f64>() / low.len() as f64;
    (-mean, bench.world.mass.iter().sum())
}

/// A hanging strip, `L = 1 m`, `rho = 0.2`: the St. Venant-Kirchhoff bar `Y lambda (lambda^2 - 1)/2 = rho g s`
/// lengthens by 18.905 mm for `Y = 50` and 1.9544 mm for `Y = 500` (linear: `rho g L^2/2Y`). 0.1 %: the sum over the
/// cells' midpoints is exact if the law is linear.
#[test]
fn a_strip_hangs_under_its_weight() {
    for kind in CUTS {
        for (young, expected) in [(50.0, 18.905e-3), (500.0, 1.9544e-3)] {
            close(&format!("hanging strip, {kind:?}, Y = {young}"), hang(kind, 32, young).0, expected, 1e-3);
        }
    }
    let linear = DENSITY * G / (2.0 * 5e4);
    close("hanging strip, linear", hang(Cut::Alternating, 16, 5e4).0, linear, 1e-3);
}

/// A finer mesh has the same mass (rounding: 1e-12) and the same stretch (0.1 %, as above).
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn refinement_changes_neither_mass_nor_stretch() {
    for kind in CUTS {
        for n in [16, 32, 60] {
            let (stretch, mass) = hang(kind, n, 50.0);
            close(&format!("mass, {kind:?}, {n} cells"), mass, DENSITY * 0.25, 1e-12);
            close(&format!("stretch, {kind:?}, {n} cells"), stretch, 18.905e-3, 1e-3);
        }
    }
}

/// A handle's constant force `F` on the lower edge of a weightless strip of width `w`:
/// `F/w = Y lambda (lambda^2 - 1)/2`. Corners get half of the others' share, so the stretch is uniform and the answer
/// exact: 1e-6.
#[test]
fn a_constant_force_stretches_by_the_law() {
    let (width, n) = (0.25, 8);
    let mesh = cut(Cut::Aligned, n, 32, width, 1.0, |m| Vec3::new(m.x, m.y, 0.0));
    let pin = hold(&mesh, |m| m.y > 1.0 - 1e-9);
    let corner = |m: &Vec2| m.x < 1e-9 || m.x > width - 1e-9;
    let ends = select(&mesh, |m| m.y < 1e-9 && corner(m));
    let rest = select(&mesh, |m| m.y < 1e-9 && !corner(m));
    let mut sheet = cloth(mesh, YOUNG);
    sheet.law.damping = Damping::even(0.1);
    sheet.pins.push(pin);
    let lambda: f64 = 1.25;
    let force = width * YOUNG * lambda * (lambda * lambda - 1.0) / 2.0;
    let pull = |vertices: &[u32], share: f64| {
        Handle::new(Pin::fixed(vertices.to_vec()), Pull::Force(Vec3::new(0.0, -force * share, 0.0)))
    };
    sheet.handles = vec![pull(&rest, 1.0 - 1.0 / n as f64), pull(&ends, 1.0 / n as f64)];
    let mut bench = Bench::new(input(Vec3::zeros(), sheet), settings(Integrator::BackwardEuler, 0.01, 1e-10));
    bench.settle(1e-7);
    let x = bench.positions();
    let low = rest.iter().map(|v| x[*v as usize].y).sum::<f64>() / rest.len() as f64;
    close("stretch under a constant force", 1.0 - low, lambda, 1e-6);
}
