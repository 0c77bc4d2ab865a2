//! The library of materials.

use crate::support::{MINIMAL, good};
use percale::force::bending::Bending;
use percale::force::membrane::{Isotropic, Membrane, StretchTable};
use percale::scene::{Material, library, materials_page, materials_table};

#[test]
fn the_library_is_complete_and_sourced() {
    let names: Vec<&str> = library().materials.all.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names.len(), 39);
    for m in &library().materials.all {
        assert!(!m.source.is_empty() && !m.description.is_empty(), "{}", m.name);
        assert!((0.03..=0.65).contains(&m.density), "{}: {}", m.name, m.density);
        assert!(m.friction_dynamic <= m.friction_static && m.damping > 0.0);
        assert!(materials_table().contains(&m.name));
        let page = materials_page(&m.name).unwrap();
        assert!(page.contains(&m.source) && page.contains("rigidity"), "{page}");
    }
}

#[test]
fn generic_fabrics_bend_within_the_measured_spread() {
    // The 5 % and 95 % quantiles of 618 fabrics are 1.1 and 110 uN m along warp. Leather and paper are not fabrics.
    // Chiffon is lighter than 19 of 20 of them: of those below 60 g/m2 a tenth is below 0.9 uN m.
    let others = ["leather", "paper", "chiffon"];
    for m in library().materials.all.iter().filter(|m| m.illustrative && !others.contains(&m.name.as_str())) {
        let b = match m.bending {
            Bending::Constant(b) | Bending::Orthotropic([b, ..]) => b,
            _ => panic!("{}", m.name),
        };
        assert!((1.1e-6..=110e-6).contains(&b), "{}: {b}", m.name);
    }
}

/// All measured or illustrative fabrics have a loss factor of 0.3 at 2 Hz, except those with internal friction of
/// bending instead.
#[test]
fn fabrics_lose_in_bending_what_fabrics_do() {
    let own = |m: &&Material| m.internal_friction.bends() || m.name.starts_with("measured-");
    for m in library().materials.all.iter().filter(|m| m.name != "drape-reference" && !own(m)) {
        let loss = 2.0 * std::f64::consts::TAU * m.bending_damping.unwrap_or(m.damping);
        assert!((0.25..0.35).contains(&loss), "{}: {loss}", m.name);
    }
}

#[test]
fn the_measured_figures_are_converted() {
    let denim = library().materials.all.iter().find(|m| m.name == "11oz-black-denim").unwrap();
    let Membrane::Table(StretchTable(rows)) = denim.membrane else { panic!() };
    assert_eq!(rows[0], [2.0 * 205.352005, 2.0 * 10.234077, 2.0 * 1013.88629, 2.0 * 53.387184]);
    assert!(rows.iter().flatten().all(|c| *c >= 0.0));
    let Bending::Table(rows) = denim.bending else { panic!() };
    assert_eq!(rows[2][4], 7.9781021e-05 / 4.0);
    let interlock = library().materials.all.iter().find(|m| m.name == "gray-interlock").unwrap();
    let Membrane::Table(StretchTable(rows)) = interlock.membrane else { panic!() };
    assert_eq!((rows[0][1], rows[4][3]), (0.0, 0.0), "negative figures count as 0");
}

#[test]
fn the_reference_sheet_is_the_one_compared_with() {
    let m = library().materials.all.iter().find(|m| m.name == "drape-reference").unwrap();
    assert_eq!((m.density, m.friction_static, m.friction_dynamic), (0.2, 0.3, 0.3));
    assert_eq!(m.membrane, Membrane::Isotropic(Isotropic { young: 261.0, poisson: 0.243 }));
    assert_eq!(m.bending, Bending::Constant(2.3e-6));
}

/// Variation of a material without a bending damping of its own, and of a material that has one.
#[test]
fn a_material_takes_what_damping_it_does_not_give_from_its_base() {
    let damping = |own: &str| {
        let scene = good(&format!(
            "[[material]]\nname = \"even\"\nbase = \"drape-reference\"\n{own}[[material]]\nname = \"base\"\nbase = \"cotton\"\n\
             damping = \"1 ms\"\nbending_damping = \"20 ms\"\n[[material]]\nname = \"uneven\"\nbase = \"base\"\n{own}{MINIMAL}"
        ));
        ["even", "uneven"].map(|name| {
            let m = scene.materials.iter().find(|m| m.name == name).unwrap();
            (m.damping, m.bending_damping)
        })
    };
    let plain = library().materials.all.iter().find(|m| m.name == "drape-reference").unwrap().damping;
    assert_eq!(damping(""), [(plain, None), (1e-3, Some(2e-2))]);
    assert_eq!(damping("damping = \"2 ms\"\n"), [(2e-3, None), (2e-3, Some(2e-2))]);
    assert_eq!(damping("bending_damping = \"3 ms\"\n"), [(plain, Some(3e-3)), (1e-3, Some(3e-3))]);
}
