//! Warnings for keys without effect, and for numbers that create energy.

use crate::support::{folder, lines, write};
use percale::scene::build::{Built, build};
use percale::scene::read_text;

/// Returns the warnings for a square of nine vertices of 0.1 g, with more keys of the cloth and then more tables.
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

/// With 20 N/m and 0.1 g, a ramp of 1000 N/m needs steps of sqrt(1e-4/1000) = 0.32 ms.
#[test]
fn a_ramp_too_steep_for_the_step_is_told() {
    let springs =
        |ramp: f64| warned(&format!("model = \"choi-ko\"\nsprings = {{ ks = 20, kb = 1e-8, cb = {ramp} }}"), "");
    assert!(!springs(200.0).contains("cb"), "{}", springs(200.0));
    let told = springs(1000.0);
    assert!(told.contains("cloth[0].springs.cb") && told.contains("200") && told.contains("0.31 ms"), "{told}");
}

/// The edges are 10 cm long, except diagonals.
#[test]
fn a_cloth_thicker_than_its_edges_is_told() {
    assert!(!warned("thickness = \"10 cm\"", "").contains("thickness"));
    let told = warned("thickness = \"10 cm\"\ntransform = { scale = 0.5 }", "");
    assert!(told.contains("cloth[0].thickness: thickness 100 mm, more than the 56.9 mm of a mean edge"), "{told}");
}

/// A grid of alternating diagonals is a plate of three times the rigidity along one thread, and not of eight times.
#[test]
fn rigidities_that_a_grid_does_not_have_are_told() {
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/meshes/sheet_1m_25.ply");
    let told = |warp: f64| {
        let text = format!(
            "[[material]]\nname = \"own\"\nbase = \"cotton\"\nrigidity_orthotropic = {{ warp = {warp}, weft = 1e-5 }}\n\
             [[cloth]]\nname = \"sheet\"\nmesh = {mesh:?}\nmaterial = \"own\"\n"
        );
        let file = folder().join("threads.toml");
        let scene = read_text(&file, text.as_bytes(), &[]).unwrap();
        let Ok(Built { warnings, .. }) = build(&scene, &file) else { panic!("{text}") };
        lines(&warnings)
    };
    assert!(!told(3e-5).contains("cloth[0].material"), "{}", told(3e-5));
    assert!(told(8e-5).contains("cloth[0].material: rigidities by direction"), "{}", told(8e-5));
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

/// Numbers that are well formed but implausible, each with a plausible one.
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
        // A slope is plausible.
        ("[scene]\ngravity = [5, -8, 0]\n", "[scene]\ngravity = [9.8, 0, 0]\n", "along +x"),
        ("[scene]\ngravity = [0, 0, 0]\n", "[scene]\nup = \"z\"\ngravity = [0, -9.81, 0]\n", "give scene.up = \"y\""),
    ] {
        assert!(!scene(quiet).contains("gravity") && !scene(quiet).contains("time.step"), "{}", scene(quiet));
        assert!(scene(odd).contains(words), "{}", scene(odd));
    }
}

/// The mesh has nine vertices 10 cm apart at a height of 1 m. A vertex without triangles is the tenth.
#[test]
fn places_far_from_what_they_pick_and_pins_of_nothing_are_told() {
    let pin = |keys: &str| warned(&format!("[[cloth.pin]]\n{keys}"), "");
    assert!(!pin("nearest = [0, 1.3, 0]").contains("pin"), "{}", pin("nearest = [0, 1.3, 0]"));
    let told = pin("nearest = [0, 100, 0]");
    assert!(
        told.contains("cloth[0].pin[0].nearest: the nearest vertex, 0 at (0.0000, 1.0000, 0.0000) m, is 99 m away"),
        "{told}"
    );
    let told = warned("[[cloth.handle]]\nnearest = [9, 1, 0]", "");
    assert!(told.contains("cloth[0].handle[0].nearest: ") && told.contains("vertices = [6]"), "{told}");
    let told = warned("", "[[tether]]\ncloth = \"sheet\"\nnearest = [0, 9, 0]\npoint = [0, 2, 0]\nstiffness = 1\n");
    assert!(told.contains("tether[0].nearest: the nearest vertex, 0 "), "{told}");
    let scene = |vertex: u32| {
        write("alone.obj", "v 0 1 0\nv 0.1 1 0\nv 0 1 0.1\nv 3 3 3\nf 1 2 3\n");
        let file = folder().join("alone.toml");
        let pin = format!("[[cloth.pin]]\nvertices = [{vertex}]\n");
        let text = format!("[[cloth]]\nname = \"sheet\"\nmesh = \"alone.obj\"\nair_drag = 0\n{pin}");
        let scene = read_text(&file, text.as_bytes(), &[]).unwrap();
        let Ok(Built { warnings, .. }) = build(&scene, &file) else { panic!("{text}") };
        lines(&[scene.warnings, warnings].concat())
    };
    assert!(!scene(0).contains("holds nothing"), "{}", scene(0));
    assert!(scene(3).contains("cloth[0].pin[0]: holds nothing: its vertex is of no triangle"), "{}", scene(3));
}

#[test]
fn wind_that_nothing_feels_is_told() {
    let wind = "[wind]\nvelocity = [1, 0, 0]\n";
    let held = "air_drag = 1\n[[cloth.pin]]\nall = true\n";
    assert!(!warned("air_drag = 1", wind).contains("wind"), "{}", warned("air_drag = 1", wind));
    assert!(warned("", wind).contains("wind: moves nothing: no cloth or body has air_drag"));
    assert!(warned(held, wind).contains("wind: moves nothing: pins hold every vertex"), "{}", warned(held, wind));
    let gusts = |keys: &str| warned("air_drag = 1", &format!("{wind}{keys}"));
    assert!(!gusts("gust = 1\ngust_period = 2").contains("does nothing"));
    assert!(gusts("gust_period = 2").contains("wind.gust_period: does nothing without gust"));
}

/// A figure that stands on z = 0 lies in a scene with y up, half of it below the floor. A floor from such a file is
/// rotated too.
#[test]
fn an_object_that_lies_across_up_is_told() {
    let with = |name: &str, size: [f64; 3], low: [f64; 3], keys: &str| {
        let corner = |k: usize| [0, 1, 2].map(|a| low[a] + if k >> a & 1 == 1 { size[a] } else { 0.0 });
        let v: String = (0..8).map(corner).map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
        write(name, format!("{v}f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"));
        warned(
            "transform = { translate = [0, 9, 0] }",
            &format!("[[obstacle]]\nname = \"o\"\nmesh = \"{name}\"\n{keys}"),
        )
    };
    let told = with("figure-z.obj", [0.6, 0.4, 1.8], [-0.3, -0.2, 0.0], "");
    assert!(
        told.contains("obstacle[1].mesh: lies on its side, half of it below y = 0, as a file in which z points up"),
        "{told}"
    );
    assert!(told.contains("rotate = { axis = [1, 0, 0], angle = \"-90 deg\" }") && told.contains("scene.up = \"z\""));
    let told = with("floor-z.obj", [4.0, 6.0, 0.01], [-2.0, -3.0, -0.01], "");
    assert!(told.contains("stands upright as a wall"), "{told}");
    for (name, size, low, keys) in [
        ("figure-y.obj", [0.6, 1.8, 0.4], [-0.3, 0.0, -0.2], ""),
        ("ball-y.obj", [1.0, 1.0, 1.0], [-0.5, -0.5, 0.0], ""),
        ("wall-y.obj", [4.0, 3.0, 0.01], [-2.0, 0.0, 0.0], ""),
        (
            "turned.obj",
            [0.6, 0.4, 1.8],
            [-0.3, -0.2, 0.0],
            "transform = { rotate = { axis = [1, 0, 0], angle = \"-90 deg\" } }",
        ),
    ] {
        let told = with(name, size, low, keys);
        assert!(!told.contains("points up"), "{name}: {told}");
    }
}

/// A coat of eighty metres by seven is in centimetres. The suggested scale includes the present scale of the object.
#[test]
fn a_size_is_told_with_its_scale_and_one_that_fits() {
    let scaled = |scale: f64| warned(&format!("transform = {{ scale = {scale} }}"), "");
    assert!(!scaled(2.0).contains("scale"), "{}", scaled(2.0));
    let told = scaled(500.0);
    assert!(told.contains("cloth[0].mesh: it measures 141 m"), "{told}");
    assert!(told.contains("its scale is 500: transform = { scale = 5 } makes it 1.41 m"), "{told}");
    let told = scaled(0.01);
    assert!(
        told.contains("measures 2.83 mm")
            && told.contains("its scale is 0.01: transform = { scale = 1 } makes it 0.283 m"),
        "{told}"
    );
    let told = scaled(1e5);
    assert!(told.contains("measures 28300 m from corner to corner; lengths are metres; its scale is 100000"), "{told}");
}
