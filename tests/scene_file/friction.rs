//! Friction of pairs: its syntax, its selection for objects, and the library.

use crate::support::{MINIMAL, folder, good, lines, write};
use percale::force::contact::Friction;
use percale::force::friction::Flow;
use percale::scene::build::build;
use percale::scene::friction::{Given, Law, Warp};
use percale::scene::{Fault, library, materials_page, materials_table, read_text};
use percale::world::World;
use percale::world::friction::Pairing;

const PLACED: &str = "[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\nmaterial = \"silk\"\n\
    [[cloth]]\nname = \"shirt\"\nmesh = \"sheet.obj\"\nmaterial = \"silk\"\ntransform = { translate = [0, 0, 1] }\n\
    [[obstacle]]\nname = \"ball\"\nsphere = { center = [0, 0, 9], radius = 0.25 }\n\
    [[obstacle]]\nname = \"floor\"\nplane = { point = [0, -9, 0] }\n";

fn given(text: &str) -> Given {
    good(&format!("{MINIMAL}[[friction]]\nbetween = [\"sheet\", \"cotton\"]\n{text}\n")).frictions[0].given.clone()
}

#[test]
fn it_is_given_by_coefficients_a_pair_or_curves() {
    let coulomb = |fixed, sliding| Given::Coulomb(Friction { fixed, sliding });
    assert_eq!(given("coefficient = 0.2"), coulomb(0.2, 0.2));
    assert_eq!(given("static = 0.4"), coulomb(0.4, 0.4));
    assert_eq!(given("static = 0.4\ndynamic = 0.1"), coulomb(0.4, 0.1));
    assert_eq!(given("pair = \"cotton-on-chest\""), coulomb(0.9, 0.79));
    let Given::Measured(pair) = given("pair = \"tango-red-jet-set-on-sponge\"\nlaw = \"associated\"") else { panic!() };
    assert_eq!((pair.law, pair.flow(), pair.area, pair.warp), (Law::Associated, Flow::Associated, Some(0.01), None));
    let text = "area = \"50 cm2\"\nwarp = \"second\"\ncurves = { load = [0, \"500 mN\", 1], f0 = [0, 0.1, 0.3], \
                f90 = [0, 0.2, 0.5],                 peak0 = [0, 0.2, 0.3], peak90 = [0, 0.3, 0.6] }";
    let Given::Measured(curves) = given(text) else { panic!() };
    assert_eq!((curves.law, curves.area, curves.warp), (Law::Antiparallel, Some(0.005), Some(Warp::Second)));
    let (peak, plateau) = (&curves.first.peak, &curves.first.plateau);
    assert!((plateau.warp.coefficient(0.5) - 0.2).abs() < 1e-15 && (peak.warp.coefficient(0.5) - 0.4).abs() < 1e-15);
    assert_eq!(plateau.weft.as_ref().map(|c| c.coefficient(7.0)), Some(0.5));
    assert!(plateau.between.is_none() && plateau.against_warp.is_none() && curves.second.is_none());
}

/// The heading may be in any case and order, with comments and empty lines. f0 alone is isotropic.
#[test]
fn curves_are_read_from_a_file() {
    let Given::Measured(curves) = given("curves = \"curves.csv\"") else { panic!() };
    let plateau = &curves.first.plateau;
    assert_eq!(plateau.warp.loads(), [0.5, 1.0]);
    assert_eq!((plateau.warp.coefficient(2.0), plateau.weft.as_ref().unwrap().coefficient(2.0)), (0.3, 0.4));
    assert_eq!(curves.first.peak, curves.first.plateau);
    for (name, text, place, message) in [
        ("none", "", "1:1", "no rows"),
        ("heading", "load,g0\n", "1:6", "unknown column 'g0'; did you mean 'f0'?"),
        ("twice", "load,f0,f0\n", "1:9", "a second column 'f0'"),
        ("empty", "load,f0\n# 1,2\n", "1:1", "no rows below"),
        ("short", "load,f0\n1,2\n2\n", "3:1", "1 values under 2 columns"),
        ("word", "load,f0\n1, two\n", "2:4", "found \"two\""),
        ("negative", "load,f0\n1,-2\n", "2:3", "found \"-2\""),
        ("nan", "load,f0\n1,nan\n", "2:3", "found \"nan\""),
        ("adhesion", "f0,load\n0.1,0\n1,1\n", "2:1", "f0: 0.1 N at a load of 0 N"),
        ("loads", "load,f0\n1,1\n1,2\n", "3:1", "load: loads must ascend: 1 N follows 1 N"),
        ("weft", "load,f0,f180\n1,1,2\n", "1:9", "f180: goes with 'f90'"),
        ("driven", "load,f0,f45,f90\n1,1,2.5,1\n", "1:9", "f45: at a load of 0 N so far from the mean"),
        ("peaks", "load,f0,f90,peak0\n1,1,1,2\n", "1:9", "f90: has no peak beside it"),
    ] {
        write("wrong.csv", text);
        let scene = format!("{MINIMAL}[[friction]]\nbetween = [\"sheet\", \"sheet\"]\ncurves = \"wrong.csv\"\n");
        let told = lines(&read_text(&folder().join("test.toml"), scene.as_bytes(), &[]).unwrap_err());
        assert!(told.contains(&format!("wrong.csv:{place}: ")) && told.contains(message), "{name}: {told}");
    }
}

fn built(text: &str) -> Result<(World, Vec<Fault>), Vec<Fault>> {
    let file = folder().join("test.toml");
    let scene = format!("{PLACED}{text}");
    let built = build(&read_text(&file, scene.as_bytes(), &[]).unwrap(), &file).map_err(|refusal| refusal.faults)?;
    Ok((built.world, built.warnings))
}

/// Objects in order: sheet, shirt, ball, floor. The name of an object takes precedence over its material. A pair may be
/// of an object, or of all objects of a material, with itself.
#[test]
fn the_one_that_names_more_objects_counts() {
    let (world, warnings) = built(
        "[[friction]]\nbetween = [\"silk\", \"silk\"]\ncoefficient = 0.1\n\
         [[friction]]\nbetween = [\"ball\", \"silk\"]\ncoefficient = 0.2\n\
         [[friction]]\nbetween = [\"sheet\", \"ball\"]\ncoefficient = 0.3\n\
         [[friction]]\nbetween = [\"shirt\", \"shirt\"]\ncoefficient = 0.4\n",
    )
    .unwrap();
    assert!(warnings.is_empty(), "{}", lines(&warnings));
    let of = |a, b| match world.frictions.of(a, b) {
        Some(Pairing::Coulomb(friction)) => friction.sliding,
        None => 0.0,
        other => panic!("{other:?}"),
    };
    for (a, b, mu) in [(0, 0, 0.1), (0, 1, 0.1), (1, 1, 0.4), (0, 2, 0.3), (1, 2, 0.2), (0, 3, 0.0), (2, 3, 0.0)] {
        assert_eq!((of(a, b), of(b, a)), (mu, mu), "{a} {b}");
    }
}

/// Curves follow the warp of the cloth, whichever of the pair it is; and of both cloths in a pair of cloths.
#[test]
fn curves_are_by_the_warp_of_the_cloth() {
    let curves = "curves = { load = [1], f0 = [0.2], f90 = [0.4] }\n";
    let (world, _) = built(&format!(
        "[[friction]]\nbetween = [\"ball\", \"sheet\"]\n{curves}[[friction]]\nbetween = [\"sheet\", \"shirt\"]\n{curves}"
    ))
    .unwrap();
    let grounds = |a, b| match world.frictions.of(a, b) {
        Some(Pairing::Measured { law, swapped }) => {
            let has = world.frictions.laws[law as usize].grounds.clone().map(|g| g.is_some());
            if swapped { [has[1], has[0]] } else { has }
        }
        other => panic!("{other:?}"),
    };
    assert_eq!((grounds(0, 2), grounds(2, 0), grounds(0, 1)), ([true, false], [false, true], [true, true]));
    assert_eq!(world.frictions.grain.len(), world.surface.triangles.len());
    assert!(built("").unwrap().0.frictions.grain.is_empty());
}

#[test]
fn what_cannot_be_is_told_with_its_place() {
    let coefficient = "coefficient = 0.2\n";
    let curves = "curves = { load = [1], f0 = [0.2], f90 = [0.4], f180 = [0.5] }\n";
    for (text, wanted) in [
        (
            format!("[[friction]]\nbetween = [\"ball\", \"floor\"]\n{coefficient}"),
            "between: 'ball' and 'floor' never touch",
        ),
        (
            format!(
                "[[friction]]\nbetween = [\"sheet\", \"ball\"]\n{coefficient}\
                 [[friction]]\nbetween = [\"ball\", \"sheet\"]\n{coefficient}"
            ),
            "friction[1].between: friction[0] is for 'ball' and 'sheet' already",
        ),
        (
            format!("[[friction]]\nbetween = [\"sheet\", \"ball\"]\nwarp = \"second\"\n{curves}"),
            "curves: 'ball' has no chart (UV), so its warp is not known",
        ),
        (
            format!("[[friction]]\nbetween = [\"sheet\", \"shirt\"]\nlaw = \"associated\"\n{curves}"),
            "law: curves against the warp or the weft of both have no common cone",
        ),
    ] {
        let told = lines(&built(&text).unwrap_err());
        assert!(told.contains(wanted) && told.contains("test.toml:"), "{told}");
    }
    let (_, warnings) = built(&format!("[[friction]]\nbetween = [\"denim\", \"ball\"]\n{coefficient}")).unwrap();
    assert!(lines(&warnings).contains("nothing is made of 'denim'"), "{}", lines(&warnings));
}

#[test]
fn the_library_has_pairs_with_sources() {
    let pairs = &library().pairs;
    assert_eq!(pairs.len(), 55);
    let table = materials_table();
    for pair in pairs {
        let page = materials_page(&pair.name).unwrap();
        assert!(!pair.source.is_empty() && table.contains(&pair.name) && page.contains(&pair.source), "{page}");
        assert!(pairs.iter().filter(|other| other.name == pair.name).count() == 1, "{}", pair.name);
        let named_so = pair.source.contains("illustrative");
        assert_eq!(pair.illustrative, named_so, "{}", pair.name);
    }
    assert!(materials_page("cotton").unwrap().contains("friction_static"));
}

/// Properties that the paper reports of its pictures. Jet set is anisotropic on sponge, not on sheepskin; rib knit is
/// isotropic on sponge. Rib knit on sheepskin bends far more than polyester on plastic foam.
#[test]
fn the_illustrative_curves_are_as_the_paper_tells() {
    let plateau = |name: &str| match library().pairs.iter().find(|p| p.name == name).map(|p| &p.given) {
        Some(Given::Measured(curves)) => curves.first.plateau.clone(),
        other => panic!("{name}: {other:?}"),
    };
    assert!(plateau("tango-red-jet-set-on-sponge").weft.is_some());
    assert!(plateau("tango-red-jet-set-on-raw-sheepskin").is_even() && plateau("ivory-rib-knit-on-sponge").is_even());
    let bend = |name: &str| {
        let warp = plateau(name).warp;
        warp.coefficient(0.25) / warp.coefficient(2.0)
    };
    assert!(bend("ivory-rib-knit-on-raw-sheepskin") > 1.3 && bend("white-dots-on-blk-on-plastic-foam") < 1.03);
}
