//! `[[air_layer]]`, as far as the world.

use crate::full::FULL;
use crate::support::{MINIMAL, folder, good, lines};
use percale::field::air::{Gas, Method};
use percale::scene::air::{AirSolver, Border};
use percale::scene::build::{Built, build};
use percale::scene::{Fault, read_text};
use std::fs;

#[test]
fn it_is_read() {
    let scene = good(FULL);
    let [air] = scene.airs.as_slice() else { panic!("{:?}", scene.airs) };
    assert_eq!((air.cloth.as_str(), air.body.as_str()), ("sheet", "floor"));
    assert_eq!((air.permeability, air.test_pressure, air.atmosphere, air.speed), (0.08, 98.0, 1010.0, 60.0));
    assert_eq!((air.border, air.least_gap, air.solver), (Border::Closed, 2e-4, AirSolver::SeedVerbatim));
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

/// A square of 10 cm, cut to nine vertices, 4 mm over a box.
fn built(name: &str, airs: &str) -> Result<Built, Vec<Fault>> {
    let text = "v 0 4e-3 0\nv 0 4e-3 0.1\nv 0.1 4e-3 0.1\nv 0.1 4e-3 0\nf 1 2 3\nf 1 3 4\n";
    fs::write(folder().join(format!("{name}.obj")), text).unwrap();
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
        [("symmetric", Method::Symmetric), ("seed", Method::Seed), ("seed_verbatim", Method::SeedVerbatim)]
    {
        let Built { world, state, .. } = built("aired", &format!("{AIR}solver = \"{solver}\"\n")).unwrap();
        let ([air], [at]) = (world.airs.as_slice(), state.airs.as_slice()) else { panic!() };
        assert_eq!((air.layer.method, air.layer.permeance[0]), (method, 0.1 / 200.0));
        assert_eq!(air.layer.open.iter().filter(|open| **open).count(), 8);
        let volume: f64 = at.energy.iter().sum::<f64>() / air.gas.pressure;
        assert!((volume / 4e-5 - 1.0).abs() < 1e-9, "{volume}");
    }
}

#[test]
fn a_cloth_has_one_layer() {
    let told = lines(&built("twice", &format!("{AIR}{AIR}")).unwrap_err());
    assert!(told.contains("twice.toml:14:9: air_layer[1].cloth: 'cover' has a layer of air already"), "{told}");
}
