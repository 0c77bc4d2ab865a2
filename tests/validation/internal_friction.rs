//! Internal friction (Miguel et al. 2013): the tables' fabrics stretched, rolled and released.

use crate::common::{Bench, Cut, close, cut, hold, input, select, settings};
use percale::force::assembly::Assembly;
use percale::force::bending::Bending;
use percale::force::cloth_law::Damping;
use percale::force::dahl::{Dahl, Form};
use percale::force::internal_friction::{InternalFriction, Start};
use percale::force::membrane::{Isotropic, Membrane, Progressive};
use percale::force::scheme::Scheme;
use percale::force::term::Memory;
use percale::linalg::random::Random;
use percale::linalg::{Rotation, Vec2, Vec3};
use percale::stepper::{Integrator, stepper};
use percale::world::build::{ClothInput, Rest};
use percale::world::motion::Motion;
use percale::world::probe::{Every, Measure, Probe, Source};
use percale::world::quantity::kinetic_energy;
use percale::world::{Handle, Pin, Pull, World};

/// k1, k2 [N/m], a, b [N/m], tau, density [kg/m^2] of section 4.2.
const STRETCH: [(&str, [f64; 6]); 3] = [
    ("cotton", [135.6, 64.03, 2.22, 3.16, 0.006, 0.143]),
    ("spandex", [4.42, 32.19, 0.40, 4.84, 0.088, 0.157]),
    ("polyester", [26.62, 3.64, 2.10, 5.41, 0.031, 0.121]),
];
/// k1 [N m], k2 [N m^2], a [N], b [N m], tau [1/m], density [kg/m^2] of section 4.3.
const BEND: [(&str, [f64; 6]); 3] = [
    ("felt", [145.3e-7, 0.15e-7, 5.12e-4, 0.15e-4, 29.9, 0.208]),
    ("doublecloth", [62.19e-7, 0.07e-7, 12.84e-4, 0.05e-4, 7.67, 0.255]),
    ("paper", [479.7e-7, 0.47e-7, 0.04e-4, 0.64e-4, 10.2, 0.075]),
];

fn both(dahl: Dahl) -> [Option<Dahl>; 2] {
    [Some(dahl); 2]
}

/// Makes a strip of a fabric of section 4.2, hanging along z.
fn stretchy(cells: [usize; 2], size: [f64; 2], [k1, k2, a, b, tau, density]: [f64; 6], form: Form) -> ClothInput {
    let mesh = cut(Cut::Aligned, cells[0], cells[1], size[0], size[1], |m| Vec3::new(0.0, m.y, -m.x));
    let mut strip = ClothInput::plain(mesh, 1.0, density);
    strip.law.membrane = Membrane::Progressive(Progressive { young: [[k1, k2]; 2], shear: 0.5 * k1, poisson: 0.0 });
    let [warp, weft] = both(Dahl { a, b, tau, form });
    strip.law.inner = InternalFriction { stretch: [warp, weft, None], ..InternalFriction::default() };
    strip
}

/// Friction memory exerts no net force. A free strip that vibrates at 0.5 m/s keeps its momentum whatever the residual
/// of the solver, to the rounding of 150 steps.
#[test]
fn friction_moves_nothing_that_is_free() {
    let mut strip = stretchy([8, 4], [0.1, 0.05], STRETCH[0].1, Form::Exact);
    strip.density = 0.1;
    let mut bench = Bench::new(input(Vec3::zeros(), strip), settings(Integrator::Bdf2, 2e-3, 1e-3));
    let count = bench.world.moving;
    let mut random = percale::linalg::random::Random::new(5);
    bench.state.v.iter_mut().for_each(|v| *v = Vec3::from_fn(|_, _| random.unit() - 0.5));
    let mean = |bench: &Bench| {
        let mass = &bench.world.mass;
        (0..count).map(|v| bench.state.v[v] * mass[v]).sum::<Vec3>() / mass.iter().sum::<f64>()
    };
    let first = mean(&bench);
    bench.state.v.iter_mut().for_each(|v| *v -= first);
    bench.run(0.3);
    let drift = mean(&bench).norm();
    println!("| a free strip with friction: mean speed | 0 | {drift:.1e} m/s | | 1e-12 |");
    assert!(drift < 1e-12, "{drift}");
}

/// Green strains under 0, 1, ... 6, ... 0 N of a virgin sample of 10 cm without weight, Poisson's ratio 0: roots of
/// `F = w (k1 e + k2 e^2 + s) sqrt(1 + 2 e)`. The load is applied in steps. Damping of 60 ms prevents an overshoot, and
/// in 0.6 s brings the sample to within exp(-10) of the balance; the last load lasts longer, since spandex is soft
/// there.
#[test]
fn samples_stretch_as_their_tables_say() {
    let size = 0.1;
    for (name, table) in STRETCH {
        for form in [Form::Exact, Form::Fitted] {
            let [k1, k2, a, b, tau, _] = table;
            let dahl = Dahl { a, b, tau, form };
            let mut sample = stretchy([4, 1], [size, size], table, form);
            sample.law.damping = Damping { stretch: 0.06, bend: 0.0 };
            sample.pins = vec![hold(&sample.mesh, |m| m.x < 1e-6)];
            let loads = [0, 1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1, 0].map(f64::from);
            let until = |k: usize| if k < loads.len() { 0.6 * k as f64 } else { 0.6 * k as f64 + 2.0 };
            for (k, load) in loads.iter().enumerate() {
                let [from, until] = [k, k + 1].map(until);
                let pin = Pin { from, until, ..hold(&sample.mesh, |m| m.x > size - 1e-6) };
                let pull = Pull::Force(Vec3::new(0.0, 0.0, -load));
                sample.handles.push(Handle::new(pin, pull));
            }
            let end = select(&sample.mesh, |m| m.x > size - 1e-6)[0] as usize;
            let mut bench = Bench::new(input(Vec3::zeros(), sample), settings(Integrator::Bdf2, 2e-3, 1e-9));
            let (mut e, mut s) = (0.0, 0.0);
            for (k, load) in loads.iter().enumerate() {
                bench.run(until(k + 1));
                let length = -bench.positions()[end].z / size;
                let measured = 0.5 * (length * length - 1.0);
                // The balance by bisection, between no strain and far more than any.
                let way = |to: f64| dahl.go(e, s, to).0;
                let force = |to: f64| size * (k1 * to + k2 * to * to.abs() + way(to)) * (1.0 + 2.0 * to).sqrt();
                let (mut low, mut high) = (-0.01, 2.0);
                for _ in 0..60 {
                    let middle = 0.5 * (low + high);
                    *if force(middle) < *load { &mut low } else { &mut high } = middle;
                }
                (s, e) = (way(low), low);
                if e > 1e-6 {
                    close(&format!("{name} {form:?} at {load} N"), measured, e, 1e-2);
                } else {
                    assert!(measured.abs() < 1e-5, "{measured}");
                }
            }
        }
    }
}

/// Reference strains, computed independently from the same tables.
#[test]
fn the_balance_is_the_published_one() {
    let most = [("cotton", 0.28955, 0.01677), ("spandex", 0.91833, 0.16665), ("polyester", 0.94193, 0.10502)];
    for ((name, [k1, k2, a, b, tau, _]), (_, top, rest)) in STRETCH.into_iter().zip(most) {
        let dahl = Dahl { a, b, tau, form: Form::Exact };
        let (mut e, mut s) = (0.0, 0.0);
        for (load, wanted) in [(6.0, top), (0.0, rest)] {
            let force = |to: f64| 0.1 * (k1 * to + k2 * to * to + dahl.go(e, s, to).0) * (1.0 + 2.0 * to).sqrt();
            let (mut low, mut high) = (0.0, 2.0);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                *if force(middle) < load { &mut low } else { &mut high } = middle;
            }
            (s, e) = (dahl.go(e, s, low).0, low);
            close(&format!("{name} at {load} N"), e, wanted, 1e-4);
        }
    }
}

/// Makes a strip of a fabric of section 4.3, 5 cm long, rolled at a radius [m]. Its turns overlap.
fn rolled(kind: Cut, radius: f64, [k1, k2, a, b, tau, density]: [f64; 6], form: Form, start: Start) -> ClothInput {
    let place = |m: Vec2| {
        let (sin, cos) = (m.x / radius).sin_cos();
        Vec3::new(radius * sin, radius * (1.0 - cos), m.y)
    };
    let n = if radius < 0.005 { 60 } else { 40 };
    let mesh = cut(kind, n, n / 8, 0.05, 0.00625, place);
    let mut strip = ClothInput::plain(mesh, 400.0, density);
    strip.rest = Rest::Chart;
    strip.flat = true;
    strip.law.bending = Bending::Progressive([k1, k2]);
    strip.law.damping = Damping { stretch: 1e-3, bend: 0.1 };
    strip.law.inner = InternalFriction { bend: both(Dahl { a, b, tau, form }), start, ..InternalFriction::default() };
    strip
}

/// Fits the radius of a circle to points of a plane, by least squares [m].
fn circle(points: &[Vec2]) -> f64 {
    let n = points.len() as f64;
    let mean = points.iter().sum::<Vec2>() / n;
    // x^2 + y^2 = 2 a x + 2 b y + c about the mean.
    let (mut m, mut r) = (percale::linalg::Mat3::zeros(), Vec3::zeros());
    for p in points.iter().map(|p| p - mean) {
        let row = Vec3::new(2.0 * p.x, 2.0 * p.y, 1.0);
        m += row * row.transpose();
        r += row * p.norm_squared();
    }
    let s = m.try_inverse().unwrap() * r;
    (s.z + s.x * s.x + s.y * s.y).sqrt()
}

/// Returns the strain at which a strip rolled at `radius` is in balance: `k1 e + k2 e^2 + s = 0`.
fn balance([k1, k2, a, b, tau, _]: [f64; 6], radius: f64, form: Form, start: Start) -> f64 {
    let dahl = Dahl { a, b, tau, form };
    let rolled = 3.0 / radius;
    let anchor = if start == Start::Virgin { dahl.go(0.0, 0.0, rolled).0 } else { dahl.most(rolled) };
    let moment = |e: f64| k1 * e + k2 * e * e + dahl.go(rolled, anchor, e).0;
    let (mut low, mut high) = (0.0, rolled);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        *if moment(middle) < 0.0 { &mut low } else { &mut high } = middle;
    }
    low
}

/// Energy and friction work of strips on cylinders, per area, agree with the tables: `3 k1 kappa^2/2 + 3 k2 kappa^3`,
/// and a third of the work of the law on `3 kappa`. On random triangles curvatures differ by some tenths: sums of
/// squares and of paths by some per cent.
#[test]
fn cylinders_store_what_the_tables_say() {
    for (name, material) in BEND {
        let [k1, k2, a, b, tau, _] = material;
        for kind in [Cut::Aligned, Cut::Alternating, Cut::Random] {
            let place = |radius: f64| {
                move |m: Vec2| {
                    let (sin, cos) = (m.x / radius).sin_cos();
                    Vec3::new(radius * sin, radius * (1.0 - cos), m.y)
                }
            };
            let mut strip = rolled(kind, 0.01, material, Form::Exact, Start::Virgin);
            strip.mesh = cut(kind, 40, 20, 0.05, 0.025, place(0.01));
            let mesh = strip.mesh.clone();
            let (world, state) = percale::world::build::build(input(Vec3::zeros(), strip));
            let mut x = state.x.clone();
            for (file, v) in world.objects[0].place.iter().enumerate() {
                x[*v as usize] = place(0.02)(mesh.uv[file]);
            }
            let e0 = world.elements.energy(&state.x).1;
            let e1 = world.elements.energy(&x).1;
            let mut memory = state.memory.clone();
            world.elements.commit(&x, &mut memory);
            let w = world.elements.friction_work(&memory);
            let total = 0.05 * 0.025;
            let stored = |r: f64| total * (1.5 * k1 / (r * r) + 3.0 * k2 / (r * r * r));
            let dahl = Dahl { a, b, tau, form: Form::Exact };
            let s0 = dahl.go(0.0, 0.0, 300.0).0;
            let wx = total / 3.0 * dahl.go(300.0, s0, 150.0).1;
            let tolerance = if kind == Cut::Random { 0.04 } else { 1e-3 };
            // Edges at the short sides do not turn: one of 40 cells is left out.
            let turns = 39.0 / 40.0;
            close(&format!("{name} {kind:?} at 10 mm: energy"), e0, turns * stored(0.01), tolerance);
            close(&format!("{name} {kind:?} at 20 mm: energy"), e1, turns * stored(0.02), tolerance);
            close(&format!("{name} {kind:?}: work"), w, turns * wx, if kind == Cut::Random { 0.06 } else { 1e-3 });
        }
    }
}

/// Equilibrium radii of strips, for all fabrics, radii and meshes.
#[test]
#[ignore = "27 strips: two minutes"]
fn all_rolled_strips_rest_at_the_radii_of_the_balance() {
    for (name, material) in BEND {
        for radius in [0.004, 0.0075, 0.023] {
            for kind in [Cut::Aligned, Cut::Alternating, Cut::Random] {
                curl(name, material, radius, kind, (Form::Exact, Start::Virgin));
            }
        }
    }
}

/// Equilibrium radii of strips that were rolled at 4, 7.5 and 23 mm and released, without gravity (Miguel et al.,
/// figure 10).
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn rolled_strips_rest_at_the_radii_of_the_balance() {
    // The balance agrees with the published values.
    let published = [[11.14, 11.75, 37.67], [8.42, 8.48, 24.88], [7.94, 8.52, 27.80]];
    let fitted = [[14.92, 15.13, 49.12], [8.57, 8.60, 24.93], [8.79, 8.94, 29.07]];
    for (form, table) in [(Form::Exact, published), (Form::Fitted, fitted)] {
        for ((_, material), row) in BEND.iter().zip(table) {
            for (radius, wanted) in [0.004, 0.0075, 0.023].into_iter().zip(row) {
                let found = 3e3 / balance(*material, radius, form, Start::Virgin);
                assert!((found - wanted).abs() < 0.006, "{found} {wanted}");
            }
        }
    }
    for ((name, material), kind) in BEND.into_iter().zip([Cut::Aligned, Cut::Alternating, Cut::Random]) {
        curl(name, material, 0.0075, kind, (Form::Exact, Start::Virgin));
    }
}

/// Equilibrium radii for the paper's form and its anchor, with felt, for which they differ the most.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn forms_and_starts_have_their_radii() {
    for (form, start) in
        [(Form::Fitted, Start::Virgin), (Form::Exact, Start::Saturated), (Form::Fitted, Start::Saturated)]
    {
        let (name, material) = BEND[0];
        curl(name, material, 0.0075, Cut::Alternating, (form, start));
    }
}

/// Asserts that a strip rests at the radius of its balance within 3 %, of which 2 % are for the polygon (an edge turns
/// by a third of a radian at 4 mm). On random triangles the bound is 5 %, and from 4 mm 9 %: each triangle has another
/// curvature when rolled, and friction does not average like elasticity: 6 % tighter with 7 cells across, 8 % with 10.
fn curl(name: &str, material: [f64; 6], radius: f64, kind: Cut, (form, start): (Form, Start)) {
    let random = if radius < 0.005 { 0.09 } else { 0.05 };
    let tolerance = if kind == Cut::Random { random } else { 0.03 };
    let strip = rolled(kind, radius, material, form, start);
    let mesh = strip.mesh.uv.clone();
    let middle = select(&strip.mesh, |m| (0.01..0.04).contains(&m.x));
    let mut bench = Bench::new(input(Vec3::zeros(), strip), settings(Integrator::BackwardEuler, 2e-3, 1e-8));
    bench.run(1.5);
    let x = bench.positions();
    // The weft lies along the axis. Seen along it, the strip is a circle.
    let side = |wanted: bool| mesh.iter().zip(&x).filter(move |(m, _)| (m.y > 0.003) == wanted).map(|(_, x)| *x);
    let weft =
        side(true).sum::<Vec3>() / side(true).count() as f64 - side(false).sum::<Vec3>() / side(false).count() as f64;
    let turn = Rotation::rotation_between(&weft, &Vec3::z()).unwrap();
    let points: Vec<Vec2> = middle.iter().map(|v| (turn * x[*v as usize]).xy()).collect();
    let expected = 3.0 / balance(material, radius, form, start);
    close(&format!("{name} {kind:?} {form:?} {start:?} at {} mm", 1e3 * radius), circle(&points), expected, tolerance);
}

/// A strip drawn back and forth between two strains dissipates the work of the closed form, a loop
/// `2 smax (D - 2 tau tanh(D/2 tau))` per area, equal to the work of the pins. The error of a step is half of the
/// change of force in it, times the displacement: with 2000 steps of a loop of `k D + 2 smax`, 0.4 %.
#[test]
fn a_loop_takes_its_work() {
    let (most, tau, range) = (2.22, 0.006, 0.02);
    let size = [0.1, 0.05];
    let mut strip = stretchy([4, 2], size, [135.6, 0.0, most, 0.0, tau, 1e-3], Form::Exact);
    // The motion is slow at the turns, where the predicted displacement is that of the previous step.
    let at = |k: i32| {
        let t = 0.005 * f64::from(k);
        let e = 0.5 * range * (1.0 - (std::f64::consts::PI * t).cos());
        (t, Vec3::new(0.0, 0.0, -size[0] * ((1.0 + 2.0 * e).sqrt() - 1.0)))
    };
    let drawn = Pin { motion: Motion::Path((0..=1600).map(at).collect()), ..hold(&strip.mesh, |m| m.x > 0.0999) };
    strip.pins = vec![hold(&strip.mesh, |m| m.x < 1e-6), drawn];
    let mut bench = Bench::new(input(Vec3::zeros(), strip), settings(Integrator::BackwardEuler, 1e-3, 1e-10));
    let probe = Probe { name: "work".into(), every: Every::Step, measure: Measure::Work(Source::Pins(vec![0, 1])) };
    bench.world.probe(vec![probe], &mut bench.state);
    bench.stepper = stepper(&bench.world, bench.stepper.settings(), true);
    let mut work = Vec::new();
    for k in [4, 6, 8] {
        bench.run(f64::from(k));
        work.push((bench.state.work[0], bench.world.elements.friction_work(&bench.state.memory)));
    }
    let expected = size[0] * size[1] * 2.0 * most * (range - 2.0 * tau * (0.5 * range / tau).tanh());
    for pair in work.windows(2) {
        close("work of a loop", pair[1].0 - pair[0].0, expected, 1e-2);
        close("work against friction", pair[1].1 - pair[0].1, expected, 2e-3);
    }
}

/// Returns the forces on a cloth at rest.
fn forces(world: &World, x: &[Vec3], memory: &Memory) -> Vec<Vec3> {
    let mut assembly: Assembly<f64> = Assembly::new(&world.elements, &world.starts);
    let still = vec![Vec3::zeros(); world.moving];
    let (massless, ones) = (vec![0.0; world.moving], vec![1.0; world.moving]);
    let scheme = Scheme {
        x,
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
    assembly.assemble(&scheme, memory);
    assembly.force
}

/// Sums of forces, torques and their sizes, for a cloth with all frictions that is bent and stretched randomly, and
/// then rotated.
#[test]
fn friction_pushes_nothing_from_within() {
    let mut cloth = ClothInput::plain(cut(Cut::Random, 8, 8, 0.1, 0.1, |m| Vec3::new(m.x, 0.0, m.y)), 100.0, 0.2);
    cloth.law.bending = Bending::Constant(1e-5);
    let dahl = |a, tau| Some(Dahl { a, b: 0.3 * a, tau, form: Form::Exact });
    cloth.law.inner = InternalFriction {
        stretch: [dahl(3.0, 0.01), dahl(2.0, 0.02), dahl(1.0, 0.03)],
        bend: [dahl(1e-3, 10.0), dahl(2e-3, 20.0)],
        start: Start::None,
    };
    let (world, state) = percale::world::build::build(input(Vec3::zeros(), cloth));
    let mut random = Random::new(5);
    let mut memory = state.memory.clone();
    let shaken = |random: &mut Random| -> Vec<Vec3> { state.x.iter().map(|x| x + random.vector() * 1e-3).collect() };
    for _ in 0..3 {
        world.elements.commit(&shaken(&mut random), &mut memory);
    }
    let x = shaken(&mut random);
    world.elements.commit(&x, &mut memory);
    let turn = Rotation::from_scaled_axis(Vec3::new(0.4, 1.2, -0.7));
    let turned: Vec<Vec3> = x.iter().map(|x| turn * x + Vec3::new(0.3, -0.2, 0.1)).collect();
    let (own, other) = (forces(&world, &x, &memory), forces(&world, &turned, &memory));
    let elastic = forces(
        &world,
        &x,
        &Memory(
            memory
                .0
                .iter()
                .cloned()
                .map(|mut section| {
                    let numbers = if section.word == "membrane" { 7 } else { 5 };
                    section.values.chunks_mut(numbers).for_each(|element| element[numbers / 2..].fill(0.0));
                    section
                })
                .collect(),
        ),
    );
    let friction: Vec<Vec3> = own.iter().zip(&elastic).map(|(own, elastic)| own - elastic).collect();
    let size: f64 = friction.iter().map(Vec3::norm).sum();
    assert!(size > 0.1 * elastic.iter().map(Vec3::norm).sum::<f64>(), "{size}");
    let net: Vec3 = friction.iter().sum();
    let torque: Vec3 = x.iter().zip(&friction).map(|(x, f)| x.cross(f)).sum();
    assert!(net.norm() < 1e-12 * size && torque.norm() < 1e-12 * size, "{net} {torque} {size}");
    for (own, other) in own.iter().zip(&other) {
        assert!((turn * own - other).norm() < 1e-9 * size);
    }
}

/// Paper rolled at 20 mm is straightened by a handle, past the curvature at which its tangent stiffness is negative (k1
/// < b: below 57 1/m; a strip of felt and one of spandex alike), where it jumps. Kinetic and elastic energy, with the
/// friction work, grow by no more than the work of the handle, and the run continues.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn a_strip_drawn_past_its_balance_survives() {
    for (name, material) in [BEND[2], BEND[0]] {
        let mut strip = rolled(Cut::Alternating, 0.02, material, Form::Exact, Start::Virgin);
        strip.law.damping.bend = 1e-3;
        let end = select(&strip.mesh, |m| m.x > 0.0499);
        strip.pins = vec![hold(&strip.mesh, |m| m.x < 1.3e-3)];
        let pin = Pin::fixed(end.clone());
        let pull = Pull::Force(Vec3::new(2e-3, -1e-3, 0.0));
        strip.handles = vec![Handle::new(pin, pull)];
        let mut bench = Bench::new(input(Vec3::zeros(), strip), settings(Integrator::Bdf2, 1e-3, 1e-7));
        let energy = |bench: &Bench| {
            let (membrane, bending) = bench.world.elements.energy(&bench.state.x);
            kinetic_energy(&bench.world, &bench.state)
                + membrane
                + bending
                + bench.world.elements.friction_work(&bench.state.memory)
        };
        let mean = |bench: &Bench| {
            let x = bench.positions();
            end.iter().map(|v| x[*v as usize]).sum::<Vec3>() / end.len() as f64
        };
        let (first, from) = (energy(&bench), mean(&bench));
        let mut largest = f64::MIN;
        for k in 1..=100 {
            bench.run(0.01 * f64::from(k));
            let given = Vec3::new(2e-3, -1e-3, 0.0).dot(&(mean(&bench) - from));
            largest = largest.max((energy(&bench) - first - given) / (first + given.abs()));
        }
        println!("{name}: {largest:.2e} of the energy gained at most; the end went {:?}", mean(&bench) - from);
        // The scheme's own error in the first step from rest is 1e-3.
        assert!(largest < 1e-3, "{name}: {largest}");
    }
}

/// A residual strain vanishes under small loads that alternate about zero and decay; a plastic strain stays (section
/// 2.2). The residual strain of cotton after 6 N, under 20 cycles from 2 N on, each 0.8 of the previous.
#[test]
fn small_swings_undo_what_stays() {
    let [k1, k2, a, b, tau, _] = STRETCH[0].1;
    let dahl = Dahl { a, b, tau, form: Form::Exact };
    let loads = || (0..40).map(|k| (if k % 2 == 0 { -2.0 } else { 2.0 }) * 0.8f64.powi(k / 2)).chain([0.0]);
    // With friction: the balance at each load.
    let (mut e, mut s) = (0.0, 0.0);
    let mut to = |load: f64| {
        let force = |to: f64| 0.1 * (k1 * to + k2 * to * to.abs() + dahl.go(e, s, to).0) * (1.0 + 2.0 * to).sqrt();
        let (mut low, mut high) = (-0.3, 2.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            *if force(middle) < load { &mut low } else { &mut high } = middle;
        }
        (s, e) = (dahl.go(e, s, low).0, low);
        e
    };
    to(6.0);
    let stays = to(0.0);
    let left = loads().map(&mut to).last().unwrap();
    println!("friction: {stays:.5} stays, {left:.6} is left");
    assert!(stays > 0.016 && left.abs() < 0.1 * stays, "{stays} {left}");
    // Creep with a bound of the plastic strain (Mueller & Gross 2004), and elasticity with a bound (Bergou et al.
    // 2007), linear with k1: beyond the yield strain a part of the elastic strain becomes plastic.
    for (creep, yields, most) in [(0.5, 0.2, 0.1), (1.0, 0.2, f64::INFINITY)] {
        let mut plastic = 0.0f64;
        let mut bear = |load: f64| {
            let elastic = 10.0 * load / k1;
            let beyond = (elastic.abs() - yields).max(0.0) * elastic.signum();
            plastic = (plastic + creep * beyond).clamp(-most, most);
            plastic
        };
        bear(6.0);
        let stays = bear(0.0);
        let left = loads().map(&mut bear).last().unwrap();
        assert!(stays > 0.05 && left > 0.9 * stays, "{stays} {left}");
    }
}

/// Strains do not depend on the scale of length and force: a cloth twice as large, of twice the stiffness and friction
/// of stretch, has equal strains.
#[test]
fn scales_do_not_matter() {
    let strain = |scale: f64| {
        let [k1, k2, a, b, tau, density] = STRETCH[0].1;
        let table = [k1 * scale, k2 * scale, a * scale, b * scale, tau, density / scale];
        let mut strip = stretchy([4, 2], [0.1 * scale, 0.05 * scale], table, Form::Exact);
        strip.law.damping.stretch = 0.02;
        strip.pins = vec![hold(&strip.mesh, |m| m.x < 1e-6)];
        let pin = Pin { until: 0.4, ..hold(&strip.mesh, |m| m.x > 0.0999 * scale) };
        strip.handles = vec![Handle::new(pin, Pull::Force(Vec3::new(0.0, 0.0, -2.0 * scale * scale)))];
        let end = select(&strip.mesh, |m| m.x > 0.0999 * scale)[0] as usize;
        let mut bench = Bench::new(input(Vec3::zeros(), strip), settings(Integrator::BackwardEuler, 2e-3, 1e-10));
        bench.run(0.8);
        -bench.positions()[end].z / (0.1 * scale) - 1.0
    };
    let (one, two) = (strain(1.0), strain(2.0));
    assert!(one > 0.01 && (one / two - 1.0).abs() < 1e-6, "{one} {two}");
}

/// An isotropic sheet with negligible friction of stretch (1e-300) falls as one without. Steps with friction are
/// linearised again about their end, so the distance is the error of linear steps: of first order or higher.
#[test]
fn no_friction_is_no_friction() {
    let run = |inner: InternalFriction, step: f64| {
        let mut sheet =
            ClothInput::plain(cut(Cut::Alternating, 6, 6, 0.1, 0.1, |m| Vec3::new(m.x, 0.0, m.y)), 100.0, 0.2);
        sheet.law.membrane = Membrane::Isotropic(Isotropic { young: 100.0, poisson: 0.2 });
        sheet.law.bending = Bending::Constant(1e-5);
        sheet.law.inner = inner;
        sheet.pins = vec![hold(&sheet.mesh, |m| m.x < 1e-6)];
        let gravity = Vec3::new(0.0, -9.81, 0.0);
        let mut bench = Bench::new(input(gravity, sheet), settings(Integrator::Bdf2, step, 1e-10));
        bench.run(0.1);
        bench.positions()
    };
    let tiny = Some(Dahl { a: 1e-300, b: 0.0, tau: 1.0, form: Form::Exact });
    let away = |step: f64| {
        let plain = run(InternalFriction::default(), step);
        let rubbing = run(InternalFriction { stretch: [tiny; 3], bend: [None; 2], start: Start::None }, step);
        plain.iter().zip(&rubbing).fold(0.0, |most: f64, (a, b)| most.max((a - b).norm()))
    };
    let [coarse, fine] = [2e-3, 2.5e-4].map(away);
    println!("| negligible friction: distance at 2 and 0.25 ms | 0 | {coarse:.1e}, {fine:.1e} m | | |");
    assert!(coarse < 5e-3 && fine < coarse / 6.0, "{coarse} {fine}");
}

/// Friction that reverses within a small fraction of a step's strain stops motion and does not reverse it. In a sheet
/// held by one side and struck, friction takes no more than the energy of the impact. With the chord of the predicted
/// path alone the work grew to 80 times that. Steps are of first order at reversals: energy with the friction work has
/// an error of the printed tenths.
#[test]
fn steep_friction_takes_no_more_than_there_is() {
    for (a, tau) in [(2.2, 1e-3), (30.0, 6e-3)] {
        let [_, work] = struck(400.0, Dahl { a, b: 0.0, tau, form: Form::Exact }, 2e-3, 50);
        assert!(work < 1.0, "{a} {tau}: {work}");
    }
}

/// The longest steps reported for a law, of at most 2 ms, create at most a 20th of the energy of the impact, since they
/// are of first order at reversals of strain. Steps four times as long create more where friction is steep.
#[test]
fn steps_as_told_make_little_energy() {
    let mass = DENSITY_OF_COTTON * 0.3 * 0.3 / (17.0 * 17.0);
    for (young, a, tau) in
        [(400.0, 2.2, 1e-3), (400.0, 30.0, 6e-3), (400.0, 30.0, 1e-3), (400.0, 1000.0, 6e-3), (135.0, 2.2, 6e-3)]
    {
        let dahl = Dahl { a, b: 0.0, tau, form: Form::Exact };
        let [grown, _] = struck(young, dahl, dahl.longest_step(mass, young).min(2e-3), 15);
        assert!(grown < 0.05, "{young} {a} {tau}: {grown}");
    }
    let dahl = Dahl { a: 30.0, b: 0.0, tau: 1e-3, form: Form::Exact };
    let [grown, _] = struck(400.0, dahl, 4.0 * dahl.longest_step(mass, 400.0), 15);
    assert!(grown > 0.5, "{grown}");
    // Friction of a slope up to ten times the stiffness is stable at any step.
    let dahl = Dahl { a: 30.0, b: 0.0, tau: 6e-3, form: Form::Exact };
    assert!(dahl.longest_step(mass, 5100.0).is_infinite());
    let [grown, _] = struck(5100.0, dahl, 2e-3, 15);
    assert!(grown < 0.01, "{grown}");
}

/// Density of cotton [kg/m^2].
const DENSITY_OF_COTTON: f64 = 0.143;

/// Simulates a sheet of 30 cm held by one side, of 16 by 16 cells, with an impact of 1 m/s, for a multiple of 20 ms.
/// Returns the growth of energy plus friction work, and that work, as fractions of the impact.
fn struck(young: f64, dahl: Dahl, step: f64, times: u32) -> [f64; 2] {
    let plain = cut(Cut::Alternating, 16, 16, 0.3, 0.3, |m| Vec3::new(m.x, 0.0, m.y));
    let mut sheet = ClothInput::plain(plain, 100.0, DENSITY_OF_COTTON);
    sheet.law.membrane = Membrane::Isotropic(Isotropic { young, poisson: 0.25 });
    sheet.law.bending = Bending::Constant(8e-6);
    sheet.law.damping = Damping::even(5e-4);
    let [warp, weft] = both(dahl);
    sheet.law.inner = InternalFriction { stretch: [warp, weft, None], ..InternalFriction::default() };
    sheet.velocity = Vec3::new(0.0, 1.0, 0.0);
    sheet.pins = vec![hold(&sheet.mesh, |m| m.x < 1e-6)];
    let mut bench = Bench::new(input(Vec3::zeros(), sheet), settings(Integrator::Bdf2, step, 1e-6));
    let sum = |bench: &Bench| {
        let (membrane, bending) = bench.world.elements.energy(&bench.state.x);
        let work = bench.world.elements.friction_work(&bench.state.memory);
        kinetic_energy(&bench.world, &bench.state) + membrane + bending + work
    };
    let blow = sum(&bench);
    let (mut least, mut grown) = (blow, 0.0f64);
    for k in 1..=times {
        bench.run(0.02 * f64::from(k));
        least = least.min(sum(&bench));
        grown = grown.max(sum(&bench) - least);
    }
    let work = bench.world.elements.friction_work(&bench.state.memory);
    println!("{dahl:?}, step {step:.1e}: grew by {:.1e}, took {:.1e} of the blow", grown / blow, work / blow);
    [grown / blow, work / blow]
}
