//! `[[balloon]]`: its syntax, up to the world.

use crate::full::FULL;
use crate::support::{MINIMAL, folder, good, lines, write};
use percale::effect::air::AirLayers;
use percale::effect::air::gas::Supply;
use percale::effect::permeability::PermeabilityLaw;
use percale::scene::build::{Built, build};
use percale::scene::permeability::Given;
use percale::scene::{Fault, read_text};

#[test]
fn it_is_read() {
    let scene = good(FULL);
    let [one, other] = scene.balloons.as_slice() else { panic!("{:?}", scene.balloons) };
    assert_eq!((one.cloth.as_str(), one.atmosphere), ("sheet", 9e4));
    assert_eq!(one.through(), PermeabilityLaw { permeance: 0.01 / 98.0, inertia: 0.0 });
    assert_eq!(one.supply(false), Supply::Held { excess: 2e3, duration: 0.25 });
    assert_eq!(other.supply(false), Supply::Filled { times: 1.5, duration: 2.0 });
    // In a run that goes on with another one, both have been inflated.
    assert_eq!(one.supply(true), Supply::Held { excess: 2e3, duration: f64::MIN_POSITIVE });
    assert_eq!(other.supply(true), Supply::None);
    assert!(other.through().inertia > 0.0, "{other:?}");
}

#[test]
fn little_must_be_said() {
    let scene = good(&format!("{MINIMAL}[[balloon]]\ncloth = \"sheet\"\n"));
    let balloon = &scene.balloons[0];
    assert_eq!((balloon.permeability, balloon.test_pressure), (Given::Speed(0.0), 200.0));
    assert_eq!((balloon.supply(false), balloon.atmosphere), (Supply::None, 101_325.0));
    let scene = good(&format!("{MINIMAL}[[balloon]]\ncloth = \"sheet\"\npressure = \"1 kPa\"\n"));
    assert_eq!(scene.balloons[0].supply(false), Supply::Held { excess: 1e3, duration: 1.0 });
}

/// Builds a tetrahedron of 1/6 litre, with the given faces.
fn built(name: &str, faces: &str, balloons: &str) -> Result<Built, Vec<Fault>> {
    let text = format!("v 0 0 0\nv 0.1 0 0\nv 0 0.1 0\nv 0 0 0.1\n{faces}");
    write(format!("{name}.obj"), text);
    let scene = format!("[[cloth]]\nname = \"case\"\nmesh = \"{name}.obj\"\n{balloons}");
    let file = folder().join(format!("{name}.toml"));
    build(&read_text(&file, scene.as_bytes(), &[]).unwrap(), &file).map_err(|refusal| refusal.faults)
}

const OUTSIDE: &str = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const INSIDE: &str = "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";
const BALLOON: &str = "[[balloon]]\ncloth = \"case\"\n";

#[test]
fn it_comes_to_the_world_whichever_way_its_faces_look() {
    for (name, faces) in [("outside", OUTSIDE), ("inside", INSIDE)] {
        let Built { world, state, .. } = built(name, faces, &format!("{BALLOON}volume = 2\n")).unwrap();
        let ([balloon], [inside]) = (
            &AirLayers::of(&world, &state).unwrap().0.balloons[..],
            &AirLayers::of(&world, &state).unwrap().1.balloons[..],
        ) else {
            panic!()
        };
        assert_eq!(balloon.chamber.supply, Supply::Filled { times: 2.0, duration: 1.0 });
        assert!((balloon.chamber.start * 6e3 - 1.0).abs() < 1e-12 && inside.excess == 0.0);
        assert!((inside.energy / (101_325.0 / 6e3) - 1.0).abs() < 1e-12, "{inside:?}");
        let corner = (0..4).find(|v| state.x[*v].x > 0.05).unwrap();
        let gradient = balloon.gradient(corner, |v| state.x[v]);
        assert!((gradient.x * 600.0 - 1.0).abs() < 1e-12 && gradient.y.abs() < 1e-18, "{gradient}");
    }
}

#[test]
fn what_is_no_balloon_is_refused() {
    let open = OUTSIDE.split("f 2").next().unwrap();
    let told = |name: &str, faces: &str, balloons: &str| lines(&built(name, faces, balloons).unwrap_err());
    let border = told("open", open, BALLOON);
    assert!(
        border.contains("open.toml:5:9: balloon[0].cloth: 'case' is not closed: 3 of its 6 edges are border"),
        "{border}"
    );
    let twice = told("blown-twice", OUTSIDE, &format!("{BALLOON}{BALLOON}"));
    assert!(twice.contains("blown-twice.toml:7:9: balloon[1].cloth: 'case' is a balloon already"), "{twice}");
    let body = "[[body]]\nname = \"pad\"\nbox = { center = [0, -0.2, 0], size = [0.1, 0.1, 0.1] }\n";
    let layer = format!("{body}[[air_layer]]\ncloth = \"case\"\nbody = \"pad\"\npermeability = 0\n");
    let both = told("both", OUTSIDE, &format!("{layer}{BALLOON}"));
    assert!(both.contains("balloon[0].cloth: 'case' has a layer of air below it"), "{both}");
}
