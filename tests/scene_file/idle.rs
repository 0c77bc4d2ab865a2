//! Keys that do nothing, and numbers that make energy, are told.

use crate::support::{folder, lines, write};
use percale::scene::build::{Built, build};
use percale::scene::read_text;

/// Warnings for a square of nine vertices of 0.1 g, with more keys of the cloth and then more tables.
fn warned(keys: &str, more: &str) -> String {
    let mut mesh = String::new();
    (0..9).for_each(|v| mesh += &format!("v {} 1 {}\n", 0.1 * f64::from(v / 3), 0.1 * f64::from(v % 3)));
    for v in [1, 2, 4, 5] {
        mesh += &format!("f {v} {} {} {}\n", v + 1, v + 4, v + 3);
    }
    write("idle.obj", mesh);
    let scene = format!(
        "[time]\nframes = 4\nstep = \"1 ms\"\n[[cloth]]\nname = \"sheet\"\nmesh = \"idle.obj\"\nvertex_mass = \"0.1 g\"\n{keys}\n\
         [[obstacle]]\nname = \"floor\"\nplane = {{ size = 2 }}\n{more}"
    );
    let file = folder().join("idle.toml");
    let scene = read_text(&file, scene.as_bytes(), &[]).unwrap();
    let Ok(Built { warnings, .. }) = build(&scene, &file) else { panic!("{keys} {more}") };
    lines(&[scene.warnings, warnings].concat())
}

#[test]
fn water_that_does_nothing_is_told() {
    let wet = "[[wet]]\ncloth = \"sheet\"\nsoaked = true\n";
    let source = |keys: &str| format!("[[wet]]\ncloth = \"sheet\"\n[[wet.source]]\n{keys}\n");
    let air = "[[air_layer]]\ncloth = \"sheet\"\nbody = \"floor\"\npermeability = 0.1\n";
    let contact = "[wet_contact]\nlaw = \"volume\"\n";
    for quiet in [format!("{wet}{contact}"), format!("{wet}blocks = 2\n{air}"), source("object = \"floor\"")] {
        let told = warned("", &quiet);
        assert!(["wet_contact", "blocks", "source"].iter().all(|word| !told.contains(word)), "{quiet}{told}");
    }
    for (more, word) in [
        (contact.to_string(), "wet_contact: does nothing without [[wet]]"),
        (format!("{wet}blocks = 2\n"), "wet[0].blocks: does nothing without an [[air_layer]] of this cloth"),
        (source("everywhere = true\nfrom = \"9 s\""), "wet[0].source[0].from: 9 s is not before the last frame"),
        (source("object = \"sheet\""), "wet[0].source[0].object: is the cloth itself"),
    ] {
        assert!(warned("", &more).contains(word), "{word}: {}", warned("", &more));
    }
}

/// Twenty newtons a metre and 0.1 g: a ramp of 1000 N/m asks for steps of sqrt(1e-4/1000) = 0.32 ms.
#[test]
fn a_ramp_too_steep_for_the_step_is_told() {
    let springs =
        |ramp: f64| warned(&format!("model = \"choi-ko\"\nsprings = {{ ks = 20, kb = 1e-8, cb = {ramp} }}"), "");
    assert!(!springs(200.0).contains("cb"), "{}", springs(200.0));
    let told = springs(1000.0);
    assert!(told.contains("cloth[0].springs.cb") && told.contains("200") && told.contains("0.31 ms"), "{told}");
}

/// Edges of 10 cm, some of them diagonals.
#[test]
fn a_cloth_thicker_than_its_edges_is_told() {
    assert!(!warned("thickness = \"10 cm\"", "").contains("thickness"));
    let told = warned("thickness = \"10 cm\"\ntransform = { scale = 0.5 }", "");
    assert!(told.contains("cloth[0].thickness: thickness 100 mm, more than the 56.9 mm of a mean edge"), "{told}");
}

#[test]
fn springs_that_hang_lower_than_their_material_are_told() {
    let springs = |model: &str| warned(&format!("model = \"{model}\"\nsprings = {{ from_material = true }}"), "");
    assert!(!springs("springs").contains("springs"), "{}", springs("springs"));
    let told = springs("choi-ko");
    assert!(told.contains("cloth[0].springs: springs of tension alone give way"), "{told}");
}

#[test]
fn drag_as_printed_is_told() {
    let drag = |word: &str| {
        warned(
            "",
            &format!("[airflow]\nbox = {{ min = [0, 0, 0], max = [1, 2, 1] }}\ncells = [4, 4, 4]\ndrag = \"{word}\"\n"),
        )
    };
    assert!(drag("seed").contains("airflow.drag: as printed this law feeds energy"), "{}", drag("seed"));
    assert!(!drag("seed-fixed").contains("airflow.drag"), "{}", drag("seed-fixed"));
}

/// Numbers that are well formed and cannot be meant, each beside one that can.
#[test]
fn what_cannot_be_meant_is_told() {
    let told = |keys: &str, more: &str| warned(keys, more);
    for (quiet, odd, words) in [
        ("thickness = \"1 mm\"", "thickness = \"0.001\"", "cloth[0].thickness: no unit: taken as 0.001 m"),
        ("thickness = 0.001", "thickness = \"1e-3\"", "no unit"),
        ("velocity = [0, \"1 mm/s\", 0]", "velocity = [0, \"1\", 0]", "no unit: taken as 1 m/s"),
        ("strain_limit = \"5 %\"", "strain_limit = 5", "cloth[0].strain_limit: 500 %"),
        ("strain_limit = 0.9", "strain_limit = \"120 %\"", "cloth[0].strain_limit: 120 %"),
    ] {
        assert!(!told(quiet, "").contains("no unit") && !told(quiet, "").contains("strain_limit"), "{quiet}");
        assert!(told(odd, "").contains(words), "{odd}: {}", told(odd, ""));
    }
    let scene = |text: &str| {
        write("meant.obj", "v 0 1 0\nv 0.1 1 0\nv 0 1 0.1\nf 1 2 3\n");
        let file = folder().join("meant.toml");
        let text = format!("{text}[[cloth]]\nname = \"sheet\"\nmesh = \"meant.obj\"\n");
        let scene = read_text(&file, text.as_bytes(), &[]).unwrap();
        let Ok(Built { warnings, .. }) = build(&scene, &file) else { panic!("{text}") };
        lines(&[scene.warnings, warnings].concat())
    };
    for (quiet, odd, words) in [
        (
            "[time]\nstep = \"30 ms\"\n",
            "[time]\nstep = \"50 ms\"\n",
            "time.step: 50 ms is longer than a frame, 33.3 ms",
        ),
        (
            "[scene]\nup = \"z\"\ngravity = [0, 0, -9.81]\n",
            "[scene]\ngravity = [0, 0, -9.81]\n",
            "along -z, and scene.up is y",
        ),
        // A slope is no mistake.
        ("[scene]\ngravity = [5, -8, 0]\n", "[scene]\ngravity = [9.8, 0, 0]\n", "along +x"),
        ("[scene]\ngravity = [0, 0, 0]\n", "[scene]\nup = \"z\"\ngravity = [0, -9.81, 0]\n", "give scene.up = \"y\""),
    ] {
        assert!(!scene(quiet).contains("gravity") && !scene(quiet).contains("time.step"), "{}", scene(quiet));
        assert!(scene(odd).contains(words), "{}", scene(odd));
    }
}
