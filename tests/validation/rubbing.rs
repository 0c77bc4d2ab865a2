//! Measured friction: load-force curves, warp and weft, both laws, compared with closed forms and the equation of a
//! sliding point.

use crate::common::{Bench, Cut, G, close, cloth, cut, input, settings};
use percale::force::cloth_law::Damping;
use percale::force::curve::Curve;
use percale::force::friction::{Curves, Flow, Ground, Measured};
use percale::linalg::{Rotation, Vec3, par};
use percale::mesh::generate::plane;
use percale::stepper::Integrator;
use percale::world::build::{ClothInput, Input, ObstacleInput};
use percale::world::friction::{Between, Law};
use percale::world::motion::Motion;
use percale::world::window::Window;
use percale::world::{Course, Pin};

/// Coefficients along warp, along weft and between.
const WARP: f64 = 0.2;
const WEFT: f64 = 0.4;
const DIAGONAL: f64 = 0.33;
/// Activation distance [m] and the barrier's acceleration [m/s^2].
const REACH: f64 = 1e-3;
const BARRIER: f64 = 30.0;

fn curves(warp: f64, weft: f64, between: f64) -> Curves {
    let line = |mu: f64| Some(Curve::constant(mu));
    Curves {
        warp: Curve::constant(warp),
        against_warp: None,
        weft: line(weft),
        against_weft: None,
        between: line(between),
    }
}

fn fixed(curves: Curves) -> Ground {
    Ground { peak: curves.clone(), plateau: curves }
}

fn measured(flow: Flow, ground: Ground) -> Measured {
    Measured { flow, area: None, grounds: [Some(ground), None] }
}

/// A sheet on a plane that rises by `slope` [rad]. Its warp is rotated by `turned` [rad] from the downward direction
/// toward `-z`.
struct Slide {
    slope: f64,
    turned: f64,
    cells: usize,
    density: f64,
    /// Speed down the slope and toward `-z` [m/s].
    velocity: [f64; 2],
    law: Measured,
}

impl Slide {
    fn new(slope: f64, turned: f64, law: Measured) -> Slide {
        Slide { slope, turned, cells: 5, density: 0.2, velocity: [0.0; 2], law }
    }

    fn down(&self) -> Vec3 {
        Rotation::from_scaled_axis(Vec3::z() * -self.slope) * Vec3::x()
    }

    fn sheet(&self, name: &str, turned: f64, height: f64) -> ClothInput {
        let turn = Rotation::from_scaled_axis(Vec3::z() * -self.slope);
        let spin = Rotation::from_scaled_axis(Vec3::y() * turned);
        let n = self.cells;
        let place = |size: f64| {
            move |m: percale::linalg::Vec2| {
                turn * (spin * Vec3::new(m.x - size / 2.0, 0.0, size / 2.0 - m.y) + Vec3::y() * height)
            }
        };
        let mut sheet = cloth(cut(Cut::Alternating, n, n, 0.1, 0.1, place(0.1)), 200.0);
        sheet.name = name.into();
        sheet.density = self.density;
        sheet.velocity = self.down() * self.velocity[0] - Vec3::z() * self.velocity[1];
        sheet.law.damping = Damping::even(1e-3);
        sheet
    }

    /// Returns the gap at which the barrier carries the sheet.
    fn gap(&self) -> f64 {
        REACH / (1.0 + (G * self.slope.cos() / BARRIER).sqrt())
    }

    fn input(&self) -> Input {
        let turn = Rotation::from_scaled_axis(Vec3::z() * -self.slope);
        let mut input = input(Vec3::new(0.0, -G, 0.0), self.sheet("sheet", self.turned, self.gap()));
        input.contact.enabled = true;
        input.obstacles.push(ObstacleInput {
            name: "plane".into(),
            mesh: plane(turn * Vec3::new(9.0, 0.0, 3.0), turn * Vec3::y(), 20.0, 40.0),
            course: Course::Rigid(Motion::Fixed),
            friction: percale::force::contact::Friction { fixed: 0.0, sliding: 0.0 },
            thickness: 0.0,
            window: Window::ALWAYS,
        });
        let names = ["sheet", "plane"].map(String::from);
        input.frictions.push(Between { names, law: Law::Measured(Box::new(self.law.clone())) });
        input
    }

    fn bench(&self) -> Bench {
        Bench::new(self.input(), settings(Integrator::Bdf2, 2e-3, 1e-8))
    }

    /// Returns the position after `time` of a point that slides under `g sin` down the slope and the law:
    /// `m dv/dt = m g sin - f(v)`, by the classical Runge-Kutta method: coordinates down the slope and toward `-z` [m].
    fn reference(&self, time: f64, velocity: [f64; 2]) -> [f64; 2] {
        let ground = self.law.grounds[0].as_ref().unwrap();
        let normal = G * self.slope.cos();
        let (c, s) = (self.turned.cos(), self.turned.sin());
        let rate = |v: [f64; 2]| {
            let size = v[0].hypot(v[1]).max(1e-12);
            let u = [(c * v[0] + s * v[1]) / size, (c * v[1] - s * v[0]) / size];
            let [f00, f01, f11] = ground.plateau.tensor(1.0, u.map(|u| -u));
            let once = |u: [f64; 2]| [f00 * u[0] + f01 * u[1], f01 * u[0] + f11 * u[1]];
            let fu = once(u);
            let f = match self.law.flow {
                Flow::Antiparallel => u.map(|k| k * (u[0] * fu[0] + u[1] * fu[1])),
                Flow::Associated => once(fu).map(|k| k / fu[0].hypot(fu[1])),
            };
            [G * self.slope.sin() - normal * (c * f[0] - s * f[1]), -normal * (s * f[0] + c * f[1])]
        };
        let (steps, mut x, mut v) = (20_000, [0.0; 2], velocity);
        let h = time / f64::from(steps);
        for _ in 0..steps {
            let at = |d: [f64; 2], part: f64| [v[0] + part * h * d[0], v[1] + part * h * d[1]];
            let k1 = rate(v);
            let (v2, v3) = (at(k1, 0.5), at(rate(at(k1, 0.5)), 0.5));
            let (k2, k3) = (rate(v2), rate(v3));
            let v4 = at(k3, 1.0);
            let k4 = rate(v4);
            for k in 0..2 {
                x[k] += h / 6.0 * (v[k] + 2.0 * v2[k] + 2.0 * v3[k] + v4[k]);
                v[k] += h / 6.0 * (k1[k] + 2.0 * k2[k] + 2.0 * k3[k] + k4[k]);
            }
        }
        x
    }

    /// Returns the mean velocity of the sheet down the slope and toward `-z` [m/s].
    fn speed(&self, bench: &Bench) -> [f64; 2] {
        let vertices = bench.world.objects[0].vertices.clone();
        let count = vertices.len() as f64;
        let mean: Vec3 = vertices.map(|v| bench.state.v[v]).sum::<Vec3>() / count;
        [mean.dot(&self.down()), -mean.z]
    }

    /// Returns the displacements of the sheet and of the reference point from 0.1 s on, after landing, to `until` [s].
    fn ways(&self, bench: &mut Bench, until: f64) -> [[f64; 2]; 2] {
        const LANDED: f64 = 0.1;
        bench.run(LANDED);
        let (from, velocity) = (self.travel(bench), self.speed(bench));
        bench.run(until);
        let to = self.travel(bench);
        [[to[0] - from[0], to[1] - from[1]], self.reference(until - LANDED, velocity)]
    }

    /// Returns the displacement of the sheet, the first of the cloths, down the slope and toward `-z` [m].
    fn travel(&self, bench: &Bench) -> [f64; 2] {
        let vertices = bench.world.objects[0].vertices.clone();
        let count = vertices.len() as f64;
        let moved: Vec3 = vertices.map(|v| bench.state.x[v] - bench.world.rest[v]).sum::<Vec3>() / count;
        [moved.dot(&self.down()), -moved.z]
    }
}

/// Asserts that the distance is within 1 % and the direction within 1 degree of the reference.
fn assert_path(test: &str, found: [f64; 2], wanted: [f64; 2]) {
    let length = |x: [f64; 2]| x[0].hypot(x[1]);
    let angle = |x: [f64; 2]| x[1].atan2(x[0]).to_degrees();
    println!("| {test}: direction [deg] | {:.3} | {:.3} | | 1 |", angle(wanted), angle(found));
    assert!((angle(found) - angle(wanted)).abs() < 1.0, "{test}: {found:?} instead of {wanted:?}");
    close(&format!("{test}: way [m]"), length(found), length(wanted), 0.01);
}

/// A sheet cut at an angle to the warp slides like a point under the law: from rest, and pushed across. The scheme is
/// of first order in contact: 2 ms of 0.8 s are 0.25 %, of the direction less.
fn assert_slides(flow: Flow) -> Vec<f64> {
    let mut directions = Vec::new();
    for degrees in [0.0f64, 30.0, 60.0, 90.0] {
        for velocity in [[1e-3, 0.0], [0.2, 0.4]] {
            let law = measured(flow, fixed(curves(WARP, WEFT, DIAGONAL)));
            let slide = Slide { velocity, ..Slide::new(0.5, degrees.to_radians(), law) };
            let mut bench = slide.bench();
            let [found, wanted] = slide.ways(&mut bench, 0.8);
            assert_path(&format!("{flow:?}, warp at {degrees}, {velocity:?} m/s"), found, wanted);
            if velocity[1] == 0.0 {
                directions.push(found[1].atan2(found[0]).to_degrees());
            }
        }
    }
    directions
}

/// The force is opposite to the sliding. From rest the path is straight down, with the acceleration
/// `g (sin - u.F u cos)`.
#[test]
fn an_antiparallel_sheet_slides_straight() {
    let directions = assert_slides(Flow::Antiparallel);
    assert!(directions.iter().all(|d| d.abs() < 0.1), "{directions:?}");
}

/// The force is normal to the ellipse. Between warp and weft the path deviates toward the direction of lower friction.
#[test]
fn an_associated_sheet_is_deflected() {
    let directions = assert_slides(Flow::Associated);
    assert!(directions[1] > 3.0 && directions[2] > 3.0, "{directions:?}");
}

/// Returns the slope's `tan` at which a sheet with this rotation of its warp slides: `u.F u`, or for the ellipse
/// `1/|F^-1 u|`.
fn threshold(flow: Flow, curves: &Curves, degrees: f64) -> f64 {
    let (c, s) = (degrees.to_radians().cos(), -degrees.to_radians().sin());
    let [f00, f01, f11] = curves.tensor(1.0, [c, s]);
    match flow {
        Flow::Antiparallel => f00 * c * c + 2.0 * f01 * c * s + f11 * s * s,
        Flow::Associated => (f00 * f11 - f01 * f01) / (f11 * c - f01 * s).hypot(f00 * s - f01 * c),
    }
}

/// Half a percent below the bound a sheet sticks and creeps less than 10 um in 10 s; half a percent above it slides:
/// along the warp, the weft and 30 degrees from it.
#[test]
fn a_sheet_sticks_below_the_bound_of_every_direction() {
    for flow in [Flow::Antiparallel, Flow::Associated] {
        for degrees in [0.0, 90.0, 30.0] {
            let curves = curves(WARP, WEFT, DIAGONAL);
            let mu = threshold(flow, &curves, degrees);
            let [creep, gone] = [(0.995, 11.0), (1.005, 3.0)].map(|(part, until)| {
                let law = measured(flow, fixed(curves.clone()));
                let slide = Slide::new((mu * part).atan(), degrees.to_radians(), law);
                let mut bench = slide.bench();
                bench.run(1.0);
                let landed = slide.travel(&bench);
                bench.run(until);
                let to = slide.travel(&bench);
                (to[0] - landed[0]).hypot(to[1] - landed[1])
            });
            println!("| {flow:?}, {degrees} degrees: creep in 10 s [um] | < 10 | {:.2e} | | |", 1e6 * creep);
            println!("| {flow:?}, {degrees} degrees: slide in 2 s [mm] | > 10 | {:.2} | | |", 1e3 * gone);
            assert!(creep < 1e-5 && gone > 0.01, "{flow:?} {degrees}: {creep} {gone}");
        }
    }
}

/// With a peak a quarter above the plateau, a sheet at rest sticks between both, at 1.2 times the plateau. Pushed by 5
/// cm/s it slides on the same slope, with the acceleration for the plateau.
#[test]
fn what_holds_is_the_peak_and_what_slides_the_plateau() {
    for flow in [Flow::Antiparallel, Flow::Associated] {
        let of = |factor: f64| Curves { between: None, ..curves(factor * WARP, factor * WEFT, DIAGONAL) };
        let law = measured(flow, Ground { peak: of(1.25), plateau: of(1.0) });
        let slope = (1.2 * WEFT).atan();
        let slide = Slide::new(slope, 90f64.to_radians(), law);
        // Landing would start it sliding, so gravity tilts within a second, with the sheet at rest.
        let mut bench = slide.bench();
        for k in 0..=500 {
            let angle = slope * (f64::from(k) / 500.0 - 1.0);
            bench.world.gravity = Rotation::from_scaled_axis(Vec3::z() * angle) * Vec3::y() * -G;
            bench.run(1.0 + 2e-3 * f64::from(k));
        }
        let landed = slide.travel(&bench)[0];
        bench.run(12.0);
        let creep = slide.travel(&bench)[0] - landed;
        println!("| {flow:?}, 1.2 of the plateau: creep in 10 s [um] | < 10 | {:.2e} | | |", 1e6 * creep);
        let pushed = Slide { velocity: [0.05, 0.0], ..slide };
        let mut bench = pushed.bench();
        bench.run(0.2);
        let before = pushed.speed(&bench)[0];
        bench.run(0.6);
        let rate = (pushed.speed(&bench)[0] - before) / 0.4;
        close(
            &format!("{flow:?}, 1.2 of the plateau: acceleration"),
            rate,
            G * (slope.sin() - WEFT * slope.cos()),
            0.01,
        );
        assert!(creep.abs() < 1e-5, "{flow:?}: {creep}");
    }
}

/// Returns force over load of a sled of 100 cm^2: 0.5 at small loads, less at larger ones.
fn sled() -> Curve {
    Curve::new([0.005, 0.01, 0.02, 0.04, 0.08, 0.16].map(|load: f64| [load, 0.5 * load / (1.0 + load / 0.05).sqrt()]))
}

/// With a curve over pressure, the slope at which a sheet slides follows the curve at its weight per area, for any
/// density and any triangulation; 0.5 %, from both sides.
#[test]
fn the_threshold_follows_the_curve_and_not_the_mesh() {
    const AREA: f64 = 0.01;
    let law = Measured { area: Some(AREA), ..measured(Flow::Antiparallel, fixed(Curves::even(sled()))) };
    for density in [0.1, 0.4] {
        // The threshold solves tan = mu(p) at p = density g cos.
        let mut slope: f64 = 0.3;
        for _ in 0..100 {
            slope = sled().coefficient(density * G * slope.cos() * AREA).atan();
        }
        for cells in [4, 9] {
            let slide =
                |part: f64| Slide { density, cells, ..Slide::new((part * slope.tan()).atan(), 0.0, law.clone()) };
            let mut ways = [0.995, 1.005].map(|part| {
                let slide = slide(part);
                let mut bench = slide.bench();
                bench.run(1.0);
                let before = slide.travel(&bench)[0];
                bench.run(3.0);
                slide.travel(&bench)[0] - before
            });
            ways.iter_mut().for_each(|way| *way *= 1e3);
            println!(
                "| curve at {density} kg/m2, {cells} cells, tan {:.4}: slides [mm] | < 0.002, > 10 | {ways:?} | | |",
                slope.tan()
            );
            assert!(ways[0].abs() < 2e-3 && ways[1] > 10.0, "{density} {cells}: {ways:?}");
        }
    }
}

/// A cloth with a pile slides down along its warp, so that the plane moves against the pile, or rotated with it. The
/// acceleration is `g (sin - mu cos)` with the respective coefficient, 1 %, in both laws.
#[test]
fn a_pile_holds_in_one_direction() {
    let (with, against) = (0.15, 0.45);
    for flow in [Flow::Antiparallel, Flow::Associated] {
        for (degrees, mu) in [(0.0f64, against), (180.0, with)] {
            let pile =
                Curves { against_warp: Some(Curve::constant(against)), between: None, ..curves(with, with, with) };
            let slide = Slide::new(0.6, degrees.to_radians(), measured(flow, fixed(pile)));
            let mut bench = slide.bench();
            bench.run(0.2);
            let before = slide.travel(&bench)[0];
            bench.run(0.4);
            let between = slide.travel(&bench)[0];
            bench.run(0.6);
            let rate = (slide.travel(&bench)[0] - 2.0 * between + before) / 0.04;
            let wanted = G * (slide.slope.sin() - mu * slide.slope.cos());
            close(&format!("pile, {flow:?}, warp at {degrees}: acceleration"), rate, wanted, 0.01);
        }
    }
}

/// A sheet slides on a fixed sheet, with warps at 20 and 50 degrees: the mean of both tensors acts. The reference is a
/// point with that mean; at 1 % for distance, 1 degree.
#[test]
fn cloth_on_cloth_has_the_mean_of_two_tensors() {
    let turned = [20f64.to_radians(), 50f64.to_radians()];
    // Tensors in the axes down the slope and toward -z.
    let rotated = |[f00, f01, f11]: [f64; 3], angle: f64| {
        let (c, s) = (angle.cos(), angle.sin());
        [
            c * c * f00 - 2.0 * c * s * f01 + s * s * f11,
            c * s * (f00 - f11) + (c * c - s * s) * f01,
            s * s * f00 + 2.0 * c * s * f01 + c * c * f11,
        ]
    };
    let grounds = [curves(WARP, WEFT, DIAGONAL), curves(0.3, 0.5, 0.38)];
    let [a, b] = [0, 1].map(|k| rotated(grounds[k].tensor(1.0, [1.0, 0.0]), turned[k]));
    let mean = [0, 1, 2].map(|k| (a[k] + b[k]) / 2.0);
    let alone = curves(mean[0], mean[2], mean[1] + (mean[0] + mean[2]) / 2.0);
    for flow in [Flow::Antiparallel, Flow::Associated] {
        let law = Measured { flow, area: None, grounds: grounds.clone().map(|g| Some(fixed(g))) };
        let slide = Slide { velocity: [1e-3, 0.0], ..Slide::new(0.6, turned[0], law.clone()) };
        let mut table = Slide { velocity: [0.0; 2], ..Slide::new(0.6, turned[1], law) };
        let mut input = slide.input();
        input.obstacles.clear();
        table.cells = 10;
        let mut held = table.sheet("table", table.turned, 0.0);
        // The lower sheet is large enough for the displacement.
        let turn = Rotation::from_scaled_axis(Vec3::z() * -0.6);
        let spin = Rotation::from_scaled_axis(Vec3::y() * turned[1]);
        held.mesh = cut(Cut::Aligned, 40, 40, 4.0, 4.0, |m| turn * (spin * Vec3::new(m.x - 2.0, 0.0, 2.0 - m.y)));
        held.velocity = Vec3::zeros();
        held.pins.push(Pin::fixed((0..held.mesh.positions.len() as u32).collect()));
        input.cloths.push(held);
        input.frictions[0].names = ["sheet", "table"].map(String::from);
        let mut bench = Bench::new(input, settings(Integrator::Bdf2, 2e-3, 1e-8));
        let point = Slide { turned: 0.0, law: measured(flow, fixed(alone.clone())), ..slide };
        let [found, wanted] = point.ways(&mut bench, 0.6);
        assert_path(&format!("two tensors, {flow:?}"), found, wanted);
    }
}

/// Makes two free sheets, each with an anisotropic tensor over pressure, pressed together and sliding on each other.
fn two_sheets(flow: Flow, cells: usize) -> Input {
    let of = |factor: f64| {
        let loads = sled().loads().to_vec();
        Curve::new(loads.iter().map(|load| [*load, factor * load * sled().coefficient(*load)]))
    };
    let ground = || fixed(Curves { weft: Some(of(2.0)), ..Curves::even(of(1.0)) });
    let law = Measured { flow, area: Some(0.01), grounds: [Some(ground()), Some(ground())] };
    let slide = Slide { velocity: [0.3, 0.2], cells, ..Slide::new(0.0, 0.3, law) };
    let mut input = slide.input();
    input.gravity = Vec3::zeros();
    input.obstacles.clear();
    let mut other = slide.sheet("other", 1.1, 0.0);
    other.velocity = Vec3::zeros();
    input.cloths[0].velocity.y = -0.1;
    input.cloths.push(other);
    input.frictions[0].names = ["other", "sheet"].map(String::from);
    input
}

/// Each sheet gains the momentum that the other loses, to rounding. Friction takes a good part of their relative speed.
#[test]
fn what_rubs_conserves_momentum() {
    for flow in [Flow::Antiparallel, Flow::Associated] {
        let mut bench = Bench::new(two_sheets(flow, 5), settings(Integrator::BackwardEuler, 1e-3, 1e-14));
        let momentum = |bench: &Bench, k: usize| -> Vec3 {
            bench.world.objects[k].vertices.clone().map(|v| bench.state.v[v] * bench.world.mass[v]).sum()
        };
        let [a, b] = [0, 1].map(|k| momentum(&bench, k));
        bench.run(0.05);
        let [c, d] = [0, 1].map(|k| momentum(&bench, k));
        let lost = (c + d - a - b).norm() / a.norm();
        let across = (d - b).dot(&a) / a.norm_squared();
        println!(
            "| two sheets, {flow:?}: momentum lost, part passed across | 0, > 0.02 | {lost:.1e}, {across:.3} | | |"
        );
        assert!(lost < 1e-12 && across > 0.02, "{lost} {across}");
    }
}

/// Pressures are sums over contacts in the order of the contacts, independent of threads.
#[test]
fn what_rubs_has_the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let work = || {
            let mut bench = Bench::new(two_sheets(Flow::Associated, 30), settings(Integrator::Bdf2, 2e-3, 1e-6));
            bench.run(0.015);
            bench.state
        };
        par::with_threads(threads, work).unwrap()
    };
    let one = run(1);
    assert!(one.bristles.len() > 1000, "{} contacts", one.bristles.len());
    for threads in [2, 4] {
        assert!(run(threads) == one, "{threads} threads");
    }
}
