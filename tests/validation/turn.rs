//! Rotating objects keep rotating: free, on a floor, on a hinge and about any axis, at the default step and tolerance
//! of a scene.

use crate::common::{Bench, Cut, G, bar, body, cloth, cut, settings};
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::force::contact::Friction;
use percale::force::solid::{Body, Lame, Solid};
use percale::linalg::{Rotation, Vec2, Vec3};
use percale::mesh::generate::plane;
use percale::stepper::Integrator;
use percale::world::build::{BodyInput, ClothInput, Input, ObstacleInput};
use percale::world::motion::Motion;
use percale::world::window::Window;
use percale::world::{Course, Pin};

/// Default step of a scene [s].
const STEP: f64 = 1e-3;
/// Default tolerance of a scene.
const TOLERANCE: f64 = 1e-3;
/// Angular velocity [rad/s].
const SPIN: f64 = 20.0;

fn no_friction() -> Friction {
    Friction { fixed: 0.0, sliding: 0.0 }
}

fn alone(bodies: Vec<BodyInput>, cloths: Vec<ClothInput>, gravity: Vec3) -> Input {
    let mut input = Input { bodies, cloths, ..Input::empty(gravity) };
    input.contact.enabled = false;
    input
}

/// Makes a block of rubber, 10 x 2 x 10 cm, with the library's values.
fn rubber(solid: impl Fn(Lame) -> Solid, cells: [usize; 3], size: f64, damping: f64) -> BodyInput {
    let law = Body { solid: solid(Lame::new(1e6, 0.49)), damping };
    BodyInput { law, density: 1100.0, ..body(bar(cells, size), solid(Lame::new(1e6, 0.49))) }
}

/// Makes a napkin of woven cotton, 20 cm, with damping.
fn napkin() -> ClothInput {
    let mut napkin = cloth(cut(Cut::Alternating, 10, 10, 0.2, 0.2, |m: Vec2| Vec3::new(m.x, 0.0, m.y)), 2000.0);
    napkin.law.bending = Bending::Constant(1e-5);
    napkin.law.damping = Damping::even(2e-3);
    napkin
}

fn bench(input: Input, integrator: Integrator) -> Bench {
    Bench::new(input, settings(integrator, STEP, TOLERANCE))
}

/// Returns the centre of mass and its velocity.
fn centre(bench: &Bench) -> [Vec3; 2] {
    let all: f64 = bench.world.mass[..bench.world.moving].iter().sum();
    let mean = |of: &[Vec3]| (0..bench.world.moving).map(|v| of[v] * bench.world.mass[v]).sum::<Vec3>() / all;
    [mean(&bench.state.x), mean(&bench.state.v)]
}

/// Rotates all vertices about an axis through the centre of mass.
fn spin(bench: &mut Bench, axis: Vec3) {
    let [centre, _] = centre(bench);
    for v in 0..bench.world.moving {
        bench.state.v[v] = axis.cross(&(bench.state.x[v] - centre));
    }
    bench.state.v_before = bench.state.v[..bench.world.moving].to_vec();
}

/// Returns angular momentum about the centre of mass [kg m^2/s], and kinetic energy relative to the centre [J].
fn turning(bench: &Bench) -> (Vec3, f64) {
    let [centre, mean] = centre(bench);
    (0..bench.world.moving).fold((Vec3::zeros(), 0.0), |(spin, energy), v| {
        let (r, u) = (bench.state.x[v] - centre, bench.state.v[v] - mean);
        (spin + r.cross(&u) * bench.world.mass[v], energy + 0.5 * bench.world.mass[v] * u.norm_squared())
    })
}

/// Prints a row. Returns the relative change of the angular momentum, as a vector in units of its amount, and the
/// remaining fraction of the energy.
fn kept(test: &str, bench: &mut Bench, until: f64) -> (Vec3, f64) {
    let (before, energy) = turning(bench);
    bench.run(until);
    let (after, left) = turning(bench);
    let lost = (after - before) / before.norm();
    println!("| {test} | 1 | {:.6}, energy {:.6} | |", after.norm() / before.norm(), left / energy);
    (lost, left / energy)
}

/// The only loss is the residual of the solve, also with the laws' own damping, since a rotation causes no strain. The
/// stretch by the spin itself stores `rho w^2 r^2/E`, below 1e-5 of the energy of the block and 1e-3 of that of the
/// napkin, and oscillates.
#[test]
fn what_is_free_goes_on_turning() {
    type Law = fn(Lame) -> Solid;
    for (name, law) in [("co-rotational", Solid::Corotational as Law), ("neo-Hookean", Solid::NeoHookean)] {
        for damping in [0.0, 1e-2] {
            for axis in [Vec3::y() * SPIN, Vec3::new(0.02, 0.0, 1.0) * SPIN] {
                let body = rubber(law, [5, 1, 3], 0.02, damping);
                let mut bench = bench(alone(vec![body], Vec::new(), Vec3::zeros()), Integrator::Bdf2);
                spin(&mut bench, axis);
                let (lost, energy) = kept(&format!("block, {name}, {damping} s, {axis:?}"), &mut bench, 1.0);
                assert!(lost.norm() < 1e-6 && (energy - 1.0).abs() < 5e-3, "{lost:?} {energy}");
            }
        }
    }
    let mut bench = bench(alone(Vec::new(), vec![napkin()], Vec3::zeros()), Integrator::Bdf2);
    spin(&mut bench, Vec3::y() * SPIN);
    let (lost, energy) = kept("napkin", &mut bench, 1.0);
    assert!(lost.norm() < 1e-6 && (energy - 1.0).abs() < 5e-3, "{lost:?} {energy}");
}

/// Vertices in contact use backward Euler, which takes `p^2 = 4e-4` of the rotation per step and all of it in a second
/// unless its frame rotates with them. The spin never grows.
#[test]
fn what_lies_on_a_smooth_floor_goes_on_turning() {
    for (name, solid) in
        [("co-rotational", Solid::Corotational as fn(Lame) -> Solid), ("neo-Hookean", Solid::NeoHookean)]
    {
        let body = BodyInput { friction: no_friction(), ..rubber(solid, [5, 1, 5], 0.02, 5e-4) };
        let floor = ObstacleInput {
            name: "floor".into(),
            course: Course::Rigid(Motion::Fixed),
            friction: no_friction(),
            thickness: 0.0,
            window: Window::ALWAYS,
            mesh: plane(Vec3::new(0.05, -1e-3, 0.05), Vec3::y(), 1.0, 1.0),
        };
        let input = Input { bodies: vec![body], obstacles: vec![floor], ..Input::empty(Vec3::new(0.0, -G, 0.0)) };
        let mut bench = bench(input, Integrator::Bdf2);
        spin(&mut bench, Vec3::y() * SPIN);
        // The component about the axis that the floor leaves free.
        let (lost, energy) = kept(&format!("block on a floor, {name}"), &mut bench, 0.5);
        assert!(lost.y.abs() < 5e-3 && energy < 1.002, "{name}: {lost:?} {energy}");
    }
}

/// A bar on a hinge, released level, returns to level: damping removes only its vibration.
#[test]
fn a_pendulum_comes_up_again() {
    let mesh = bar([15, 1, 1], 0.02);
    let hinge: Vec<u32> =
        (0..mesh.positions.len() as u32).filter(|v| mesh.positions[*v as usize].xy().norm() < 1e-9).collect();
    let mut body = rubber(Solid::NeoHookean, [15, 1, 1], 0.02, 5e-4);
    body.pins = vec![Pin::fixed(hinge)];
    let mut bench = bench(alone(vec![body], Vec::new(), Vec3::new(0.0, -G, 0.0)), Integrator::Bdf2);
    let level = centre(&bench)[0];
    let mut heights = Vec::new();
    let mut last = [level.y; 2];
    while bench.state.time < 2.2 {
        bench.step(STEP);
        let height = centre(&bench)[0].y;
        if last[1] > last[0] && last[1] > height {
            heights.push(last[1]);
        }
        last = [last[1], height];
    }
    // The angle below level at which it turns back.
    let below: Vec<f64> =
        heights.iter().map(|height| ((level.y - height) / level.xy().norm()).asin().to_degrees()).collect();
    println!("| bar on a hinge, below the level where it turns back | 0 | {below:.3?} degrees | |");
    assert!(below.len() >= 2 && below.iter().all(|angle| angle.abs() < 2.0), "{below:?}");
}

/// A world rotated as a whole behaves identically, rotated: no law and no part of the scheme depends on direction.
#[test]
fn a_turned_world_goes_the_same_way() {
    let turn = Rotation::from_scaled_axis(Vec3::new(0.7, -1.1, 0.4));
    let run = |turn: Rotation| {
        let place = |m: Vec2| turn * Vec3::new(m.x, 2e-3 * (60.0 * m.x).sin(), m.y);
        let mut sheet = ClothInput { mesh: cut(Cut::Alternating, 8, 6, 0.16, 0.12, place), ..napkin() };
        sheet.name = "sheet".into();
        let mut block = rubber(Solid::NeoHookean, [3, 1, 2], 0.02, 5e-4);
        block.mesh.positions.iter_mut().for_each(|p| *p = turn * (*p + Vec3::new(0.3, 0.0, 0.0)));
        let mut bench =
            Bench::new(alone(vec![block], vec![sheet], Vec3::zeros()), settings(Integrator::Bdf2, STEP, 1e-12));
        for v in 0..bench.world.moving {
            let x = turn.inverse() * bench.state.x[v];
            bench.state.v[v] = turn * (Vec3::new(4.0, -9.0, 6.0).cross(&x) + Vec3::new(0.0, 3.0 * x.x * x.z, 0.0));
        }
        bench.state.v_before = bench.state.v[..bench.world.moving].to_vec();
        bench.run(0.05);
        bench
    };
    let [straight, turned] = [Rotation::identity(), turn].map(run);
    let fastest = straight.state.v.iter().map(Vec3::norm).fold(0.0, f64::max);
    let speeds = |bench: &Bench| -> Vec<Vec3> {
        bench.world.objects.iter().flat_map(|object| bench.world.in_file_order(object, &bench.state.v)).collect()
    };
    let both = speeds(&straight).into_iter().zip(speeds(&turned));
    let worst = both.map(|(straight, turned)| (turn * straight - turned).norm()).fold(0.0, f64::max);
    println!("| a turned world | 0 | {:.1e} of the speed | |", worst / fastest);
    assert!(worst < 1e-8 * fastest, "{worst}");
}
