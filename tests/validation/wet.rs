//! Wet cloth: liquid bridges and water (Park & Byun; Lou, Ji & Qiu 2015).

use crate::common::{Bench, G, close, input, settings, shipped};
use percale::effect::water::bridge::{Disc, Law, Settings};
use percale::effect::water::capillary::Fabric;
use percale::effect::water::cloths::{Place, Source, Wet, WetInput};
use percale::effect::water::{self, WaterState};
use percale::force::assembly::Assembly;
use percale::force::bending::Bending;
use percale::force::contact::Friction;
use percale::force::membrane::{Isotropic, Membrane, Progressive};
use percale::force::scheme::{Scheme, Shape, StiffnessScales};
use percale::force::spring::Jacobian;
use percale::force::spring_mesh::{Flexion, Network, Stretch};
use percale::force::term::Memory;
use percale::linalg::random::Random;
use percale::linalg::{Vec2, Vec3};
use percale::mesh::TriMesh;
use percale::mesh::generate::{Diagonals, lying, sheet};
use percale::stepper::{Integrator, Report, stepper};
use percale::world::build::{ClothInput, Input, ObstacleInput, build};
use percale::world::motion::Motion;
use percale::world::window::Window;
use percale::world::{Course, Handle, Pin, Pull, World};
use std::f64::consts::PI;

/// Cotton of the paper: 0.84 of its mass in water, without a film.
const COTTON: Fabric = Fabric {
    capacity: 0.84,
    time: 8.884 * 60.0,
    film: 0.0,
    wicking: 0.0,
    drying: 0.0,
    friction: 1.0,
    stiffness: 1.0,
    blocks: 0.0,
};

/// Makes a lattice of `columns` x `rows` vertices `spacing` [m] apart at a height, of 0.1 g each.
fn lattice(columns: usize, rows: usize, spacing: f64, height: f64) -> ClothInput {
    let [width, depth] = [columns, rows].map(|count| spacing * (count - 1) as f64);
    let place = lying(width, depth);
    let mesh = sheet(columns, rows, width, depth, Diagonals::Alternating, |m| place(m) + Vec3::y() * height);
    ClothInput { vertex_mass: Some(1e-4), ..ClothInput::plain(mesh, 1000.0, 1.0) }
}

/// Makes a square of edge `size` [m] at height 0.
fn floor(size: f64) -> ObstacleInput {
    let at = |x: f64, z: f64| Vec3::new(x * size / 2.0, 0.0, z * size / 2.0);
    ObstacleInput {
        name: "floor".into(),
        mesh: TriMesh {
            positions: vec![at(-1.0, -1.0), at(-1.0, 1.0), at(1.0, 1.0), at(1.0, -1.0)],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..TriMesh::default()
        },
        course: Course::Rigid(Motion::Fixed),
        friction: Friction { fixed: 0.0, sliding: 0.0 },
        thickness: 0.0,
        window: Window::ALWAYS,
    }
}

/// Soaks every cloth.
fn soak(bench: &mut Bench, fabric: Fabric, bridges: Settings) {
    let names: Vec<String> = bench.world.cloths.iter().map(|c| bench.world.objects[c.object].name.clone()).collect();
    let wet = |cloth: String| WetInput { cloth, fabric, saturation: 1.0, filmed: true };
    let inputs: Vec<WetInput> = names.into_iter().map(wet).collect();
    let wet = Wet::new(&bench.world, &inputs, bridges);
    bench.world.plug(wet, &mut bench.state);
    bench.stepper = stepper(&bench.world, bench.stepper.settings(), true);
}

/// Returns the masses of the moving vertices with their water [kg].
fn masses(bench: &Bench) -> Vec<f64> {
    let mut mass = Vec::new();
    bench.world.masses(&bench.state, &mut mass);
    mass
}

/// Makes a single step and returns its report.
fn step(bench: &mut Bench, h: f64) -> Report {
    let until = bench.state.time + h;
    bench.stepper.advance(&bench.world, &mut bench.state, until).unwrap_or_else(|stuck| panic!("{stuck:?}"))
}

/// Returns the input of cloth over a floor, with an activation distance.
fn over(cloths: Vec<ClothInput>, obstacle: Option<ObstacleInput>, distance: f64, gravity: f64) -> Input {
    let mut all = Input { cloths, ..Input::empty(Vec3::new(0.0, -gravity, 0.0)) };
    all.obstacles.extend(obstacle);
    all.contact.distance = distance;
    all.contact.ease = 0.0;
    all
}

/// The paper's five wet masses: every vertex has 0.1 g and absorbs 0.84 of that.
#[test]
fn totals_are_those_of_the_paper() {
    for (columns, rows, grams) in
        [(60, 60, 662.4), (17, 181, 566.168), (50, 50, 460.0), (40, 40, 294.4), (20, 40, 147.2)]
    {
        let mut bench =
            Bench::new(input(Vec3::zeros(), lattice(columns, rows, 0.01, 0.0)), settings(Integrator::Bdf2, 1e-3, 1e-6));
        soak(&mut bench, COTTON, Settings::water(Law::Experiments));
        let mass: f64 = masses(&bench).iter().sum();
        close(&format!("{columns} x {rows} masses"), mass * 1e3, grams, 1e-12);
    }
}

/// A soaked cloth on a floor dries completely: the film, the absorbed water, then its bridges. Then it no longer
/// adheres.
#[test]
fn what_is_dry_clings_no_more() {
    let fabric = Fabric { film: 0.1, drying: 3.0, ..COTTON };
    let cloths = vec![lattice(5, 5, 0.01, 2e-4)];
    let mut bench = Bench::new(over(cloths, Some(floor(0.2)), 2.5e-4, 9.81), settings(Integrator::Bdf2, 2e-3, 1e-6));
    let bridges = Settings { form: 2.5e-4, ..Settings::water(Law::Volume) };
    soak(&mut bench, fabric, bridges);
    bench.run(0.1);
    let (clings, joined) = (bench.memory::<WaterState>().bridges.len(), bench.memory::<WaterState>().water.joined);
    // A corner, a quarter of a square, has 3.6 kg/m2 with both films.
    bench.run(1.4);
    let water = &bench.memory::<WaterState>().water;
    println!(
        "| soaked, then dry: bridges, water left | 0, 0 | {}, {:.1e} kg | | |",
        bench.memory::<WaterState>().bridges.len(),
        water.total()
    );
    assert!(
        clings == 25 && bench.memory::<WaterState>().bridges.is_empty() && water.total() == 0.0,
        "{clings} {}",
        water.total()
    );
    assert!((water.dried / joined - 1.0).abs() < 1e-12);
}

/// Stiff springs draw four vertices off a floor at 2 mm/s. They break off at the rupture height, with the work of the
/// closed form. In a step of 1 ms they rise by 2 um: 0.2 % of 1 mm, and the pull is that of the step's start.
#[test]
fn a_vertex_breaks_off_at_the_largest_height_with_the_work_of_separation() {
    for law in [Law::Text, Law::Experiments, Law::Volume] {
        let mut cloth = lattice(2, 2, 0.01, 2e-4);
        let up = Motion::Path(vec![(0.0, Vec3::zeros()), (2.0, Vec3::y() * 4e-3)]);
        cloth.handles = (0..4)
            .map(|v| {
                let pin = Pin { motion: up.clone(), ..Pin::fixed(vec![v]) };
                Handle::new(pin, Pull::Spring { stiffness: 1e5, most: 1e3 })
            })
            .collect();
        let h = 1e-3;
        let mut bench =
            Bench::new(over(vec![cloth], Some(floor(0.1)), 2.5e-4, 0.0), settings(Integrator::BackwardEuler, h, 1e-9));
        let bridges =
            Settings { all_rims: true, viscosity: 0.0, form: 2.5e-4, angles: [0.3, 0.3], ..Settings::water(law) };
        soak(&mut bench, Fabric { film: 0.1, ..COTTON }, bridges);
        let (mut work, mut height, mut lowest) = (0.0, 0.0, f64::INFINITY);
        // Volume and largest height of each bridge.
        let mut each = [(0.0, 0.0f64); 4];
        while bench.state.time < 1.5 && (lowest.is_infinite() || !bench.memory::<WaterState>().bridges.is_empty()) {
            let report = step(&mut bench, h);
            let Some(last) = bench.memory::<WaterState>().bridges.last() else { continue };
            if lowest.is_finite() {
                work += report.effects.tallies.get(&water::ADHESION) * (last.height - height);
            }
            (height, lowest) = (last.height, lowest.min(last.height));
            for bridge in &bench.memory::<WaterState>().bridges {
                each[bridge.vertex as usize] = (bridge.volume, bridge.height);
            }
        }
        let mut exact = 0.0;
        for (volume, highest) in each {
            close(&format!("{law:?}: height at which it breaks"), highest, bridges.rupture(volume), 0.01);
            let disc = Disc { cell: 5e-3, volume, rim: true };
            let n = 4000;
            let at = |k: usize| lowest + (highest - lowest) * (k as f64 + 0.5) / n as f64;
            exact += (0..n).map(|k| bridges.pull(&disc, at(k))).sum::<f64>() * (highest - lowest) / n as f64;
        }
        close(&format!("{law:?}: work of separation"), work, exact, 0.01);
    }
}

/// Two wet sheets 0.3 mm apart: the sum of all pulls is that of the area law for any spacing, if the rim pulls at the
/// border only. If it pulls everywhere, the sum grows as the mesh becomes finer. Each sheet has half of the bridges'
/// strength.
#[test]
fn the_sum_over_an_area_does_not_depend_on_the_mesh() {
    let pull = |spacing: f64, law: Law, all_rims: bool| {
        let n = (0.2 / spacing) as usize + 1;
        let [low, high] = [0.0, 3e-4].map(|height| lattice(n, n, spacing, height));
        let low = ClothInput { name: "low".into(), ..low };
        let h = 1e-5;
        let mut bench =
            Bench::new(over(vec![low, high], None, 4e-4, 0.0), settings(Integrator::BackwardEuler, h, 1e-9));
        let bridges = Settings { all_rims, viscosity: 0.0, form: 4e-4, ..Settings::water(law) };
        soak(&mut bench, COTTON, bridges);
        step(&mut bench, h);
        let report = step(&mut bench, h);
        assert_eq!(report.effects.tallies.get(&water::BRIDGES) as usize, 2 * n * n);
        let area = (n * n) as f64 * PI * spacing * spacing / 4.0;
        report.effects.tallies.get(&water::ADHESION) / area
    };
    for spacing in [5e-3, 10e-3, 20e-3] {
        let area = pull(spacing, Law::Area, false);
        let [border, all] = [false, true].map(|all| pull(spacing, Law::Experiments, all));
        close(&format!("pull per area at {spacing} m"), border, area, 0.05);
        let rim = 0.3e-3 * (0.7 * PI / 2.0).sin() / (spacing / 2.0 * 2.0 * (0.7 * PI / 2.0).cos());
        close(&format!("with all rims at {spacing} m"), all / area, 1.0 + rim, 0.05);
    }
}

/// Stefan (1874): a force that draws an object off a floor through a viscous film takes
/// `3 pi mu r^4/(4 F) (1/h0^2 - 1/h1^2)`. Implicit steps of a thousandth of that have an error of less than 1 %.
#[test]
fn a_film_gives_way_as_slowly_as_stefan_has_it() {
    let mut cloth = lattice(2, 2, 0.01, 2e-4);
    let force = 0.05;
    let all = Pin::fixed((0..4).collect());
    cloth.handles = vec![Handle::new(all, Pull::Force(Vec3::y() * (4.0 * force)))];
    let h = 1e-4;
    // The height is beyond the activation distance of contact, whose barrier would push.
    let mut bench =
        Bench::new(over(vec![cloth], Some(floor(0.1)), 2.5e-4, 0.0), settings(Integrator::BackwardEuler, h, 1e-9));
    let bridges = Settings { viscosity: 0.1, tension: 0.0, form: 2.5e-4, ..Settings::water(Law::Experiments) };
    soak(&mut bench, COTTON, bridges);
    let mut begin = None;
    let (h0, h1) = (3e-4, 8e-4);
    while bench.memory::<WaterState>().bridges.first().is_none_or(|bridge| bridge.height < h1) {
        step(&mut bench, h);
        if begin.is_none() && bench.memory::<WaterState>().bridges.first().is_some_and(|bridge| bridge.height >= h0) {
            begin = bench.memory::<WaterState>().bridges.first().map(|bridge| (bench.state.time, bridge.height));
        }
        assert!(bench.state.time < 2.0);
    }
    let (time, from) = begin.unwrap();
    let to = bench.memory::<WaterState>().bridges[0].height;
    let exact = 0.75 * PI * 0.1 * 5e-3f64.powi(4) / force * (from.powi(-2) - to.powi(-2));
    close("time of separation", bench.state.time - time, exact, 0.03);
}

/// A single vertex over a small floor: the area law equals that of the experiments.
#[test]
fn an_area_of_one_vertex_is_that_vertex() {
    let pull = |law: Law| {
        let mut cloth = lattice(2, 2, 0.01, 2e-4);
        cloth.mesh.positions.iter_mut().for_each(|x| *x += Vec3::new(5e-3, 0.0, 5e-3));
        let h = 1e-5;
        let mut bench =
            Bench::new(over(vec![cloth], Some(floor(4e-3)), 4e-4, 0.0), settings(Integrator::BackwardEuler, h, 1e-9));
        soak(&mut bench, COTTON, Settings { all_rims: true, form: 4e-4, ..Settings::water(law) });
        step(&mut bench, h);
        let report = step(&mut bench, h);
        assert_eq!(report.effects.tallies.get(&water::BRIDGES), 1.0);
        report.effects.tallies.get(&water::ADHESION)
    };
    close("pull", pull(Law::Area), pull(Law::Experiments), 1e-9);
}

/// Water at rest that joins a flying sheet takes its share of the momentum, water that flies along none: `v = v0 m0/m`,
/// and v0. Tested for both schemes, with a film that joins at once and slow absorption.
#[test]
fn water_that_joins_keeps_the_momentum() {
    for integrator in [Integrator::Bdf2, Integrator::BackwardEuler] {
        for velocity in [Some(Vec3::zeros()), None] {
            let mut cloth = lattice(5, 5, 0.01, 0.0);
            let v0 = Vec3::new(0.4, -0.3, 0.1);
            cloth.velocity = v0;
            let mut bench = Bench::new(input(Vec3::zeros(), cloth), settings(integrator, 1e-3, 1e-9));
            let fabric = Fabric { time: 0.05, film: 0.1, ..COTTON };
            let wet = WetInput { cloth: "sheet".into(), fabric, saturation: 0.0, filmed: false };
            let wet = Wet::new(&bench.world, &[wet], Settings::water(Law::Volume));
            bench.world.plug(wet, &mut bench.state);
            let (from, until) = (0.0101, 0.08);
            let source = Source { cloth: 0, place: Place::Everywhere, from, until, velocity };
            bench.world.effects.get_mut::<Wet>().unwrap().sources.push(source);
            bench.stepper = stepper(&bench.world, bench.stepper.settings(), true);
            let dry: f64 = bench.world.mass.iter().sum();
            while bench.state.time < 0.1 {
                step(&mut bench, 1e-3);
                let water = &bench.memory::<WaterState>().water;
                assert!((water.total() + water.dried - water.joined).abs() <= 1e-12 * water.joined);
                let mass = dry + water.total();
                let momentum: Vec3 = masses(&bench).iter().zip(&bench.state.v).map(|(mass, v)| v * *mass).sum();
                let expected = v0 * if velocity.is_some() { dry } else { mass };
                assert!((momentum - expected).norm() < 1e-9 * expected.norm(), "{momentum:?} {expected:?}");
            }
            assert!(
                bench.memory::<WaterState>().water.total() > 0.7 * dry,
                "{} {dry}",
                bench.memory::<WaterState>().water.total()
            );
        }
    }
}

/// A soaked sheet falls on a floor, is drawn up by a corner and dries. The water is in the cloth, in the film, in
/// bridges, or has evaporated, to 1e-12 in every step, while bridges form and break.
#[test]
fn no_water_is_lost_in_bridges() {
    let mut cloth = lattice(9, 9, 0.01, 2e-3);
    let pin = |vertices| Pin {
        motion: Motion::Path(vec![(0.15, Vec3::zeros()), (0.6, Vec3::y() * 0.1)]),
        from: 0.15,
        until: 9.0,
        ..Pin::fixed(vertices)
    };
    cloth.pins = vec![pin(vec![0, 1, 9])];
    let mut bench = Bench::new(over(vec![cloth], Some(floor(0.3)), 3e-4, G), settings(Integrator::Bdf2, 2e-3, 1e-4));
    let bridges = Settings { form: 3e-4, ..Settings::water(Law::Volume) };
    soak(&mut bench, Fabric { film: 0.1, drying: 1e-3, wicking: 1e-6, ..COTTON }, bridges);
    let (mut most, mut least) = (0, usize::MAX);
    while bench.state.time < 0.6 {
        step(&mut bench, 2e-3);
        let water = &bench.memory::<WaterState>().water;
        assert!((water.total() + water.dried - water.joined).abs() <= 1e-12 * water.joined);
        let bridged: f64 = bench.memory::<WaterState>().bridges.iter().map(|bridge| bridge.volume * 1000.0).sum();
        assert!((water.bridged.iter().sum::<f64>() - bridged).abs() <= 1e-12 * water.joined);
        let count = bench.memory::<WaterState>().bridges.len();
        if count > most {
            (most, least) = (count, count);
        }
        least = least.min(count);
    }
    assert!(most == 81 && least < 60, "{most} bridges, then {least}");
}

/// The coefficient of a full cloth is the geometric mean of its own coefficient, times its factor, and the floor's.
/// Sliding decelerates by `mu g`, within 1 % (the settling in the contact's stiffness).
#[test]
fn wet_cloth_rubs_by_its_saturation() {
    for (saturation, factor) in [(0.0, 1.0), (1.0, 1.5f64.sqrt()), (0.5, 1.25f64.sqrt())] {
        let mut cloth = lattice(5, 5, 0.01, 9e-4);
        let rough = Friction { fixed: 0.2, sliding: 0.2 };
        (cloth.friction, cloth.velocity) = (rough, Vec3::x());
        let floor = ObstacleInput { friction: rough, ..floor(2.0) };
        let h = 1e-3;
        let mut bench =
            Bench::new(over(vec![cloth], Some(floor), 1e-3, G), settings(Integrator::BackwardEuler, h, 1e-9));
        let fabric = Fabric { friction: 1.5, ..COTTON };
        let wet = WetInput { cloth: "sheet".into(), fabric, saturation, filmed: false };
        let bridges = Settings { scale: 0.0, viscosity: 0.0, ..Settings::water(Law::Experiments) };
        let wet = Wet::new(&bench.world, &[wet], bridges);
        bench.world.plug(wet, &mut bench.state);
        bench.stepper = stepper(&bench.world, bench.stepper.settings(), true);
        bench.run(0.1);
        let speed = |bench: &Bench| bench.state.v[..25].iter().map(|v| v.x).sum::<f64>() / 25.0;
        let before = speed(&bench);
        bench.run(0.3);
        let slows = (before - speed(&bench)) / 0.2;
        close(&format!("deceleration at the saturation {saturation}"), slows, 0.2 * factor * G, 0.01);
    }
}

/// A cloth half full of water has (1 - 0.5)^2 of its dry permeability.
#[test]
fn water_blocks_the_air() {
    let mut bench = Bench::new(input(Vec3::zeros(), lattice(3, 3, 0.01, 0.0)), settings(Integrator::Bdf2, 1e-3, 1e-6));
    let fabric = Fabric { blocks: 2.0, ..COTTON };
    let wet = WetInput { cloth: "sheet".into(), fabric, saturation: 0.5, filmed: false };
    let wet = Wet::new(&bench.world, &[wet], Settings::water(Law::Volume));
    bench.world.plug(wet, &mut bench.state);
    let part = bench.world.effects.get::<Wet>().unwrap().cloths[0].lets_through(&bench.memory::<WaterState>().water, 4);
    close("part of the air", part, 0.25, 1e-12);
}

/// Cloth between two plates, with a fifth of its film: bridges that form on both sides at once share the film, and no
/// amount is negative.
#[test]
fn both_sides_share_a_film() {
    let ceiling = ObstacleInput { name: "ceiling".into(), ..floor(0.2) };
    let ceiling = ObstacleInput {
        mesh: TriMesh {
            positions: ceiling.mesh.positions.iter().map(|p| p + Vec3::y() * 4e-4).collect(),
            ..ceiling.mesh
        },
        ..ceiling
    };
    let mut input = over(vec![lattice(5, 5, 0.01, 2e-4)], Some(floor(0.2)), 3e-4, 0.0);
    input.obstacles.push(ceiling);
    let mut bench = Bench::new(input, settings(Integrator::Bdf2, 1e-3, 1e-6));
    let bridges = Settings { form: 3e-4, ..Settings::water(Law::Volume) };
    soak(&mut bench, Fabric { film: 0.1, ..COTTON }, bridges);
    let water = &mut bench.memory_mut::<WaterState>().water;
    water.film.iter_mut().for_each(|film| *film *= 0.2);
    let (total, films) = (water.total(), water.film.clone());
    step(&mut bench, 1e-3);
    let WaterState { water, bridges } = bench.memory();
    assert!(bridges.len() == 50 && (water.total() - total).abs() < 1e-15, "{} {}", bridges.len(), water.total());
    assert!(water.film.iter().chain(&water.absorbed).all(|kg| *kg > -1e-18), "{:?}", water.film);
    for bridge in bridges {
        close("half of the film", bridge.volume * 1000.0, 0.5 * films[bridge.vertex as usize], 1e-9);
    }
}

/// Returns the forces [N] at rest, and the energy [J], of cloth with these fractions of its stiffness.
fn pulled(world: &World, x: &[Vec3], soft: &[f64]) -> (Vec<Vec3>, f64) {
    let (still, effective_dt) = (vec![Vec3::zeros(); world.moving], vec![1.0; world.moving]);
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
        stiffness_scale: StiffnessScales { wet: soft, ..StiffnessScales::default() },
    };
    let mut assembly = Assembly::<f64>::new(&world.elements, &world.starts);
    assembly.assemble(&scheme, &Memory::default());
    let (along, across) = world
        .elements
        .energy(Shape { x, stiffness_scale: StiffnessScales { wet: soft, ..StiffnessScales::default() } });
    (assembly.force.clone(), along + across)
}

/// A crumpled sheet is softened unevenly by water. The force is minus the gradient of the energy (central differences
/// of a step of 1e-5 of an edge, 1e-5), and half of the stiffness everywhere gives half of both (1e-12).
#[test]
fn softened_cloth_pulls_as_its_energy_says() {
    let plain = lattice(6, 5, 0.01, 0.0);
    let progressive = Progressive { young: [[135.6, 64.03], [80.0, 300.0]], shear: 40.0, poisson: 0.2 };
    let mut stiffening = plain.clone();
    stiffening.law.membrane = Membrane::Progressive(progressive);
    stiffening.law.bending = Bending::Progressive([1e-5, 3e-8]);
    let mut knit = plain.clone();
    knit.springs = Some(Network {
        stretch: Stretch::Given([20.0, 5.0]),
        taut: false,
        damping: 0.0,
        damping_time: 0.0,
        flexion: Flexion::Buckling { rigidity: 1e-7, ramp: 15.0 },
        jacobian: Jacobian::Full,
        bounds: [f64::INFINITY; 2],
    });
    for (name, cloth) in [("isotropic", plain), ("stiffening", stiffening), ("springs", knit)] {
        let (world, state) = build(input(Vec3::zeros(), cloth));
        let mut random = Random::new(5);
        let soft: Vec<f64> = (0..world.moving).map(|_| 0.2 + 0.8 * random.unit()).collect();
        let mut x: Vec<Vec3> = state.x.iter().map(|p| p + random.vector() * 1e-3).collect();
        let (force, _) = pulled(&world, &x, &soft);
        let size = force.iter().map(|f| f.norm()).fold(0.0, f64::max);
        let step = 1e-7;
        for (v, d) in (0..world.moving).flat_map(|v| (0..3).map(move |d| (v, d))) {
            let at = x[v][d];
            let mut energy = |to: f64| {
                x[v][d] = to;
                pulled(&world, &x, &soft).1
            };
            let slope = (energy(at + step) - energy(at - step)) / (2.0 * step);
            x[v][d] = at;
            assert!((slope + force[v][d]).abs() < 1e-5 * size, "{name}, vertex {v}: {slope} {}", force[v][d]);
        }
        let [(dry, most), (wet, least)] = [1.0, 0.5].map(|part| pulled(&world, &x, &vec![part; world.moving]));
        let half = dry.iter().zip(&wet).all(|(dry, wet)| (dry * 0.5 - wet).norm() < 1e-12 * size);
        assert!(half && (least / most - 0.5).abs() < 1e-12, "{name}: {most} J, {least} J");
    }
}

/// A cloth full of water, with half of its stiffness, moves like a dry cloth of that mass and stiffness, within the
/// residual of the solver.
#[test]
fn a_full_cloth_is_as_soft_as_it_says() {
    let hung = |part: f64, mass: f64| {
        let mut cloth = lattice(9, 9, 0.01, 0.0);
        cloth.vertex_mass = Some(mass);
        cloth.law.membrane = Membrane::Isotropic(Isotropic { young: 40.0 * part, poisson: 0.3 });
        cloth.law.bending = Bending::Constant(1e-5 * part);
        cloth.pins = vec![Pin::fixed(vec![0, 8])];
        Bench::new(input(Vec3::y() * -G, cloth), settings(Integrator::Bdf2, 2e-3, 1e-9))
    };
    let (mut wet, mut dry) = (hung(1.0, 1e-4), hung(0.5, 1.84e-4));
    soak(&mut wet, Fabric { stiffness: 0.5, ..COTTON }, Settings::water(Law::Experiments));
    let mut stiff = hung(1.0, 1.84e-4);
    [&mut wet, &mut dry, &mut stiff].into_iter().for_each(|bench| bench.run(0.3));
    let apart = |other: &Bench| {
        let ways = wet.state.x.iter().zip(&other.state.x).map(|(a, b)| (a - b).norm());
        ways.fold(0.0, f64::max)
    };
    println!("| soft by half | 0 | {:.1e} m | | |", apart(&dry));
    assert!(apart(&dry) < 1e-7, "{}", apart(&dry));
    assert!(apart(&stiff) > 1e-3, "{}", apart(&stiff));
}

/// A wet napkin with default settings falls along a frictionless wall and past its lower border. A step may stretch its
/// bridges far beyond rupture, and move vertices by more than a cell. Its bridges can hold 3 uJ, of 90 mJ of kinetic
/// energy. The tolerance is twice that of the solver, relative to the weight.
#[test]
fn a_wet_napkin_falls_past_a_border() {
    for milliseconds in [1, 2, 4, 8] {
        let text = format!(
            "[time]\nstep = \"{milliseconds} ms\"\n\
             [[cloth]]\nname = \"napkin\"\nmesh = \"mesh.obj\"\n\
             [[obstacle]]\nname = \"wall\"\nplane = {{ normal = [0, 0, 1], size = 2 }}\nresolution = 2\nfriction = 0\n\
             [[wet]]\ncloth = \"napkin\"\nsoaked = true\n[wet_contact]\nscale = 0.002\n"
        );
        let place = |m: Vec2| Vec3::new(m.x - 0.05, 0.4 - m.y, 0.00055);
        let mut bench = shipped("border", &sheet(11, 11, 0.1, 0.1, Diagonals::Alternating, place), &text);
        bench.run(0.5);
        let held = !bench.memory::<WaterState>().bridges.is_empty();
        bench.run(0.65);
        let free = bench.memory::<WaterState>().bridges.is_empty();
        let moving = &bench.state.v[..bench.world.moving];
        let down = -moving.iter().map(|v| v.y).sum::<f64>() / moving.len() as f64;
        assert!(held && free, "bridges before the border {held}, after it none {free}");
        close(&format!("wet napkin past a border, {milliseconds} ms: speed, m/s"), down, 0.65 * G, 2e-3);
    }
}
