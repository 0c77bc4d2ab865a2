//! Nearly incompressible solids at the settings of a scene: bending of beams, vibration, and compression.

use crate::common::Bench;
use crate::shipped::STEP;
use crate::table::{Row, record};
use crate::this_test;
use percale::linalg::Vec3;
use percale::scene;
use percale::world::quantity::kinetic_energy;
use std::path::Path;

/// Builds a world from the text of a scene, with its settings.
fn bench(text: &str) -> Bench {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/rubber.toml");
    let scene = scene::read_text(&path, text.as_bytes(), &[]).unwrap_or_else(|faults| panic!("{faults:?}"));
    let built = scene::build::build(&scene, &path).unwrap_or_else(|refusal| panic!("{:?}", refusal.faults));
    let stepper = scene::build::stepper(&scene, &built.world);
    Bench { world: built.world, state: built.state, stepper }
}

/// Makes a beam of the library's rubber, 20 x 2 x 2 cm, held at one end, with another Poisson's ratio.
fn beam(poisson: f64, gravity: f64, step: &str, solid: &str, body: &str) -> Bench {
    bench(&format!(
        r#"
        scene.name = "rubber"
        scene.gravity = [0, {gravity}, 0]
        time.step = "{step}"
        [[solid]]
        name = "own"
        base = "rubber"
        poisson = {poisson}
        {solid}
        [[body]]
        name = "beam"
        box = {{ center = [0.1, 0, 0], size = [0.2, 0.02, 0.02] }}
        material = "own"
        pin = [{{ box = {{ min = [-1, -1, -1], max = [0.0001, 1, 1] }} }}]
        {body}
        "#
    ))
}

/// Returns the volume of a world's tetrahedra at positions `x` [m^3], and the smallest ratio of a volume to its rest
/// volume.
fn volume(world: &percale::world::World, x: &[Vec3]) -> (f64, f64) {
    let parts = world.elements.tetrahedra.iter().map(|t| {
        let part = 1.0 + t.swell(&t.vertices.map(|v| x[v as usize]));
        (part * t.volume, part)
    });
    parts.fold((0.0, f64::INFINITY), |(sum, least), (volume, part)| (sum + volume, least.min(part)))
}

/// Returns the sag of a beam's end over `q L^4/(8 E I) + q L^2/(2 k G A)` with Cowper's `k = 10 (1 + nu)/(12 + 11 nu)`.
/// Drag close to critical brings it to rest after 0.6 s, within 0.5 %. Its volume stays within 0.1 %.
fn sag(poisson: f64, body: &str) -> f64 {
    let (young, density, gravity, length, side) = (1.69e6, 930.0, 0.3, 0.2f64, 0.02f64);
    let (second, area) = (side.powi(4) / 12.0, side * side);
    let load = density * gravity * area;
    let mut bench = beam(poisson, -gravity, "4 ms", "drag = 54", body);
    bench.run(0.6);
    let k = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
    let shear = young / (2.0 * (1.0 + poisson));
    let expected = load * length.powi(4) / (8.0 * young * second) + load * length * length / (2.0 * k * shear * area);
    let end = bench.world.rest.iter().zip(&bench.state.x).filter(|(p, _)| p.x > length - 1e-6);
    let (sum, count) = end.fold((0.0, 0.0), |(sum, count), (p, x)| (sum + p.y - x.y, count + 1.0));
    let (kept, _) = volume(&bench.world, &bench.state.x);
    assert!((kept / volume(&bench.world, &bench.world.rest).0 - 1.0).abs() < 1e-3);
    let part = sum / count / expected;
    println!("Poisson's ratio {poisson}, {body}: {part:.3} of Timoshenko's");
    part
}

/// A beam at the default mesh, four cells across, sags by at least 0.8 of Timoshenko's law. Linear elements bend too
/// stiffly; elements that each keep their volume reach only a third of the law at Poisson's ratio 0.49.
#[test]
fn a_cantilever_bends_at_any_poissons_ratio() {
    let mut last = 1.0;
    for poisson in [0.3, 0.45, 0.4999] {
        let part = sag(poisson, "");
        assert!((0.8..1.0).contains(&part), "{poisson}: {part}");
        assert!(part < last + 0.01 && part > last - 0.12, "{poisson}: {part} after {last}");
        last = part;
    }
}

/// A beam with edges of half the default length sags by at least 0.95 of Timoshenko's law. At 0.4999 solves take
/// minutes.
#[test]
#[ignore = "long: minutes"]
fn a_fine_cantilever_bends_within_five_percent() {
    for poisson in [0.3, 0.49] {
        let part = sag(poisson, "resolution = 0.0025");
        assert!((0.95..1.02).contains(&part), "{poisson}: {part}");
    }
}

/// A beam held at one end and thrown sideways vibrates without damping. Its energy never grows, whatever the step: the
/// part of the matrix beyond the law acts as mass. BDF2 conserves a norm of two steps, about which the energy
/// oscillates by a part of `(omega h)^2`, a hundredth at 10 ms; frames are a part of a period.
#[test]
fn a_ringing_beam_gains_no_energy() {
    for step in ["1 ms", "4 ms", "10 ms"] {
        let mut bench = beam(0.49, 0.0, step, "damping = 0", "velocity = [0, 0.3, 0]\nresolution = 0.01");
        let energy = |b: &Bench| kinetic_energy(&b.world, &b.state) + b.world.elements.solid_energy(&b.state.x);
        bench.run(0.02);
        let (start, mut most) = (energy(&bench), energy(&bench));
        for frame in 2..=50 {
            bench.run(f64::from(frame) * 0.02);
            let now = energy(&bench);
            assert!(now < most * (1.0 + 5e-3), "{step}, frame {frame}: {now} J after {most} J");
            most = now.min(most);
        }
        println!("{step}: {:.4} of the energy is left after a second", most / start);
        assert!(energy(&bench) < start);
    }
}

/// A block of rubber that smooth plates press to half its height stays sound and returns to its shape.
#[test]
fn a_block_pressed_to_half_is_sound() {
    let mut bench = bench(
        r#"
        scene.name = "rubber"
        scene.gravity = [0, 0, 0]
        [[solid]]
        name = "own"
        base = "rubber"
        damping = "5 ms"
        drag = 20
        friction = 0
        [[body]]
        name = "block"
        box = { center = [0, 0.02, 0], size = [0.04, 0.04, 0.04] }
        material = "own"
        resolution = 0.01
        [[obstacle]]
        name = "floor"
        plane = { point = [0, -0.0005, 0], size = 0.2 }
        friction = 0
        [[obstacle]]
        name = "press"
        plane = { point = [0, 0.0405, 0], normal = [0, -1, 0], size = 0.2 }
        friction = 0
        keyframes = [
          { time = 0, translate = [0, 0, 0] },
          { time = 0.2, translate = [0, -0.02, 0] },
          { time = 0.3, translate = [0, -0.02, 0] },
          { time = 0.4, translate = [0, 0.02, 0] },
        ]
        "#,
    );
    let whole = volume(&bench.world, &bench.world.rest).0;
    bench.run(0.3);
    let moving = bench.world.moving;
    let high = bench.state.x[..moving].iter().fold(0.0f64, |m, x| m.max(x.y));
    let (kept, least) = volume(&bench.world, &bench.state.x);
    println!("pressed to {:.1} mm: volume {:.4}, the least element {least:.3}", high * 1e3, kept / whole);
    assert!(high < 0.0225 && least > 0.2 && (kept / whole - 1.0).abs() < 0.05);
    bench.run(0.8);
    let (kept, least) = volume(&bench.world, &bench.state.x);
    println!("let go: volume {:.4}, the least element {least:.3}", kept / whole);
    assert!((kept / whole - 1.0).abs() < 2e-3 && least > 0.98);
}

/// Returns the ratio of speeds after and before the impact of a ball of rubber, 6 cm across, on a floor after a fall of
/// 12 cm.
fn restitution(more: &str, step: f64) -> f64 {
    let mut bench = bench(&format!(
        r#"
        scene.name = "rubber"
        time.step = {step:e}
        [[body]]
        name = "ball"
        material = "rubber"
        sphere = {{ center = [0, 0.15, 0], radius = 0.03 }}
        {more}
        [[obstacle]]
        name = "floor"
        plane = {{ size = 4 }}
        resolution = 2
        "#
    ));
    let mass: f64 = bench.world.mass[..bench.world.moving].iter().sum();
    let mean = |b: &Bench| -> f64 { (0..b.world.moving).map(|v| b.world.mass[v] * b.state.v[v].y).sum::<f64>() / mass };
    let (mut fastest, mut back) = (0.0f64, 0.0f64);
    for k in 1..=200 {
        bench.run(f64::from(k) * 1e-3);
        (fastest, back) = (fastest.max(-mean(&bench)), back.max(mean(&bench)));
    }
    back / fastest
}

/// Measures the bounce of a ball whose tetrahedra have this edge, with the key that says so. Tolerance 10 %. The ratio
/// converges to 0.68: at 1, 1/4, 1/16 ms it is 0.651, 0.662, 0.678. With impacts in whole steps it is 0.27 to 0.40.
fn bounce(more: &str, edge: &str) -> Row {
    Row {
        law: "solid",
        scene: format!("rubber, a ball of 6 cm falls 12 cm, edges of {edge}: speed after over before"),
        unit: "",
        asked: 0.68,
        measured: [STEP, STEP / 2.0].map(|step| restitution(more, step)),
        within: 0.068,
        step: STEP,
    }
}

#[test]
fn a_ball_bounces_as_its_damping_leaves() {
    record(this_test!(), &[bounce("resolution = 0.01", "10 mm")]);
}

/// Tests finer meshes.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn a_ball_of_any_mesh_bounces_as_its_damping_leaves() {
    record(this_test!(), &[bounce("resolution = 0.008", "8 mm"), bounce("", "the default")]);
}
