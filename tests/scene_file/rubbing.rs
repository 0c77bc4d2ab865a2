//! Internal friction that is empty, without effect, creates energy, or is too steep for the step.

use crate::files::{TRIANGLE, built, cloth};
use crate::support::{MINIMAL, good, lines};

fn material(keys: &str) -> String {
    format!("[[material]]\nname = \"m\"\ndensity = 0.143\nyoung = 400\nrigidity = 1e-5\n{keys}\n")
}

/// Each material with its expected warning, or none.
#[test]
fn friction_that_does_nothing_is_told() {
    let empty = "material[0].internal_friction: gives no internal friction";
    let some = "internal_friction = { stretch = { a = 1, tau = 0.1 } }";
    let of_cotton = |keys: &str| format!("[[material]]\nname = \"m\"\nbase = \"measured-cotton\"\n{keys}\n");
    for (text, wanted) in [
        (material(some), ""),
        (material("internal_friction = {}"), "test.toml:6:21: "),
        (material("internal_friction = {}"), empty),
        (material("internal_friction = { gamma = 0.5 }"), empty),
        (material("internal_friction = { form = \"fitted\" }"), empty),
        (of_cotton("internal_friction = {}"), ""),
        (of_cotton("internal_friction = { gamma = 0.5 }"), empty),
        (material("internal_friction = { weft = { a = 0, tau = 0.1 } }"), ""),
    ] {
        let told = lines(&good(&format!("{text}{MINIMAL}")).warnings);
        assert!(told.contains(wanted) && told.is_empty() == wanted.is_empty(), "{text}: {told}");
    }
    let start = "cloth[0].friction_start: does nothing beside internal_friction = false";
    for (material, keys, wanted) in [
        ("m", "friction_start = \"virgin\"", ""),
        ("m", "internal_friction = false", ""),
        ("m", "internal_friction = false\nfriction_start = \"virgin\"", "test.toml:13:18: "),
        ("m", "internal_friction = false\nfriction_start = \"virgin\"", start),
        ("cotton", "internal_friction = false\nfriction_start = \"virgin\"", start),
    ] {
        let text = format!(
            "[[material]]\nname = \"m\"\ndensity = 0.1\nyoung = 400\nrigidity = 1e-5\n{some}\n[[cloth]]\nname = \"sheet\"\n\
            mesh = \"sheet.obj\"\nmaterial = \"{material}\"\n\n{keys}\n"
        );
        let told = lines(&good(&text).warnings);
        assert!(told.contains(wanted) && told.is_empty() == wanted.is_empty(), "{text}: {told}");
    }
}

/// With the fitted form, loops about zero strain create energy if b is above a/tau.
#[test]
fn friction_that_gives_energy_is_told() {
    for (keys, wanted) in [
        ("stretch = { a = 2, b = 20, tau = 0.01 }, form = \"fitted\"", ""),
        ("stretch = { a = 2, b = 300, tau = 0.01 }", ""),
        (
            "stretch = { a = 2, b = 300, tau = 0.01 }, form = \"fitted\"",
            "friction of stretch: of form \"fitted\" with b above a/tau, 200, it gives energy in loops about no strain, up to 0.0127 to either side",
        ),
    ] {
        let text = material(&format!("internal_friction = {{ {keys} }}"));
        let told = lines(&good(&format!("{text}{MINIMAL}material = \"m\"\n")).warnings);
        assert!(told.contains(wanted) && told.is_empty() == wanted.is_empty(), "{keys}: {told}");
    }
}

/// Half a square metre of 0.143 kg/m2 on three vertices. The suggested step gives no further warning.
#[test]
fn a_step_that_friction_is_too_steep_for_is_told() {
    let steep = "internal_friction = { shear = { a = 1000, tau = 1e-6 } }";
    let told = |time: &str, keys: &str| {
        let scene = format!("[time]\n{time}\n{}{}", material(keys), cloth("steep.obj", "material = \"m\""));
        lines(&built("steep.obj", TRIANGLE, &scene).unwrap_or_else(|r| panic!("{}", lines(&r.faults))).warnings)
    };
    let of_step = "cloth[0].material: friction of shear is so steep that steps of 1 ms make energy where a strain changes by ten tau, 1e-5, \
        in one; where motion is so quick give time.step = \"0.034 ms\" or less";
    let first = told("step = \"1 ms\"", steep);
    assert!(first.contains(of_step) && first.contains("steep.obj.toml:"), "{first}");
    assert_eq!(told("step = \"0.034 ms\"\nmin_step = 1e-5", steep), "");
    let held = steep.replace("= 1e-6", "= 10");
    assert_eq!(told("step = \"100 ms\"", &held), "");
    assert_eq!(told("step = \"1 ms\"", "internal_friction = { shear = { a = 2, tau = 0.01 } }"), "");
}

/// The fields show values along warp.
#[test]
fn fields_without_friction_along_warp_are_told() {
    let told = |keys: &str| {
        let fields = "[output]\nfields = [\"friction\", \"residual\"]\n";
        let scene = format!("{}{}{fields}", material(keys), cloth("warp.obj", "material = \"m\""));
        lines(&built("warp.obj", TRIANGLE, &scene).unwrap_or_else(|r| panic!("{}", lines(&r.faults))).warnings)
    };
    assert_eq!(told("internal_friction = { stretch = { a = 1, tau = 0.1 } }"), "");
    for keys in ["internal_friction = { weft = { a = 1, tau = 0.1 } }", ""] {
        let none = told(keys);
        let wanted = "output.fields: no cloth has \"friction\": no material has internal friction along warp";
        assert!(none.contains(wanted), "{none}");
    }
}
