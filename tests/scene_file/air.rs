//! `[[air_layer]]`: its syntax, up to the world; and the permeabilities of the library.

use crate::full::FULL;
use crate::support::{MINIMAL, folder, good, lines, write};
use percale::effect::air::AirLayers;
use percale::effect::air::equation::{Gas, Method};
use percale::effect::permeability::PermeabilityLaw;
use percale::scene::air::{AirSolver, Border};
use percale::scene::build::{Built, build};
use percale::scene::permeability::Given;
use percale::scene::{Fault, library, materials_page, materials_table, read_text};

#[test]
fn it_is_read() {
    let scene = good(FULL);
    let [one, other] = scene.airs.as_slice() else { panic!("{:?}", scene.airs) };
    assert_eq!((one.cloth.as_str(), one.body.as_str(), one.border), ("sheet", "floor", Border::Closed));
    assert_eq!((one.permeability, one.test_pressure), (Given::Speed(0.08), 98.0));
    assert_eq!(one.through(), PermeabilityLaw { permeance: 0.08 / 98.0, inertia: 0.0 });
    assert_eq!((one.atmosphere, one.speed, one.least_gap), (1010.0, 60.0, 2e-4));
    assert_eq!(one.solver, AirSolver::AsPrinted);
    let (law, speed) = (other.through(), 0.05);
    assert!((speed / (law.secant(300.0) * 300.0) - 1.0).abs() < 1e-12, "1000 Pa s/m, 1e5 Pa s2/m2: {law:?}");
}

#[test]
fn little_must_be_said() {
    let body = "[[body]]\nname = \"pad\"\nbox = { size = [1, 1, 1] }\n";
    let air = "[[air_layer]]\ncloth = \"sheet\"\nbody = \"pad\"\npermeability = 0\n";
    let scene = good(&format!("{MINIMAL}{body}{air}"));
    let (air, gas) = (&scene.airs[0], Gas::default());
    assert_eq!((air.test_pressure, air.atmosphere, air.speed), (200.0, gas.pressure, gas.speed));
    assert_eq!((air.border, air.least_gap, air.solver), (Border::Open, gas.least, AirSolver::Symmetric));
}

/// Builds a square of 10 cm, refined to nine vertices, 4 mm over a box.
fn built(name: &str, airs: &str) -> Result<Built, Vec<Fault>> {
    let text = "v 0 4e-3 0\nv 0 4e-3 0.1\nv 0.1 4e-3 0.1\nv 0.1 4e-3 0\nf 1 2 3\nf 1 3 4\n";
    write(format!("{name}.obj"), text);
    let scene = format!(
        "[[cloth]]\nname = \"cover\"\nmesh = \"{name}.obj\"\nsubdivide = 1\n\
         [[body]]\nname = \"pad\"\nbox = {{ center = [0.05, -0.02, 0.05], size = [0.12, 0.04, 0.12] }}\nresolution = 0.02\n{airs}"
    );
    let file = folder().join(format!("{name}.toml"));
    build(&read_text(&file, scene.as_bytes(), &[]).unwrap(), &file).map_err(|refusal| refusal.faults)
}

const AIR: &str = "[[air_layer]]\ncloth = \"cover\"\nbody = \"pad\"\npermeability = \"10 cm/s\"\n";

#[test]
fn it_comes_to_the_world() {
    for (solver, method) in
        [("symmetric", Method::Symmetric), ("seed", Method::Reference), ("seed_verbatim", Method::AsPrinted)]
    {
        let Built { world, state, .. } = built("aired", &format!("{AIR}solver = \"{solver}\"\n")).unwrap();
        let ([air], [at]) = (
            &AirLayers::of(&world, &state).unwrap().0.layers[..],
            &AirLayers::of(&world, &state).unwrap().1.layers[..],
        ) else {
            panic!()
        };
        assert_eq!((air.layer.method, air.layer.permeance[0]), (method, 0.1 / 200.0));
        assert_eq!(air.layer.open.iter().filter(|open| **open).count(), 8);
        let volume: f64 = at.energy.iter().sum::<f64>() / air.gas.pressure;
        assert!((volume / 4e-5 - 1.0).abs() < 1e-9, "{volume}");
    }
}

#[test]
fn two_objects_have_one_layer() {
    let told = lines(&built("twice", &format!("{AIR}{AIR}")).unwrap_err());
    assert!(
        told.contains("twice.toml:15:8: air_layer[1].body: there is a layer of air between 'cover' and 'pad' already"),
        "{told}"
    );
}

/// Reads `[[air_layer]]` with a permeability, over a floor.
fn through(permeability: &str) -> PermeabilityLaw {
    let scene = good(&format!(
        "[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\n[[obstacle]]\nname = \"floor\"\nplane = {{}}\n\
         [[air_layer]]\ncloth = \"sheet\"\nbody = \"floor\"\npermeability = {permeability}\n"
    ));
    scene.airs[0].through()
}

#[test]
fn a_permeability_is_a_speed_a_name_or_two_measurements() {
    let darcy = |speed, pressure| PermeabilityLaw { permeance: speed / pressure, inertia: 0.0 };
    for speed in ["0.1", "\"100 mm/s\"", "\" +.1\"", "\"10 cm/s\""] {
        assert_eq!(through(speed), darcy(0.1, 200.0), "{speed}");
    }
    assert_eq!(through("0"), darcy(0.0, 200.0));
    assert_eq!(through("\"down-proof\""), darcy(0.02, 125.0));
    assert_eq!(through("\"coated\"").permeance, 0.0);
    let two = |second: &str| through(&format!("[{{ speed = \"50 mm/s\", pressure = 100 }}, {second}]"));
    assert_eq!(two("{ speed = 0.1, pressure = \"200 Pa\" }"), darcy(0.05, 100.0));
    assert!(two("{ speed = 0.08, pressure = \"200 Pa\" }").inertia > 0.0);
}

#[test]
fn the_permeabilities_of_the_library_are_sourced() {
    let all = &library().permeabilities;
    assert_eq!(
        all.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        ["coated", "down-proof", "denim", "poplin", "jersey", "gauze"]
    );
    let mut last = -1.0;
    for p in all {
        // Permeabilities are sorted by the speed at 200 Pa, ascending.
        let speed = PermeabilityLaw::darcy(p.speed, p.pressure).permeance * 200.0;
        assert!(speed > last && speed <= 3.0, "{}: {speed}", p.name);
        last = speed;
        assert!(!p.description.is_empty() && (p.source.starts_with("illustrative") == p.illustrative), "{}", p.name);
        assert!(materials_table().contains(&format!("\n{} ", p.name)));
        let page = materials_page(&p.name).unwrap();
        assert!(page.contains(&p.source) && page.contains("  permeability "), "{page}");
    }
    // A name shared by a material and a permeability shows both.
    let denim = materials_page("denim").unwrap();
    assert!(denim.contains("rigidity") && denim.contains("0.05 m/s at 200 Pa"), "{denim}");
}
