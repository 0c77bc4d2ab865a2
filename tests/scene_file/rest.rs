//! The rest shape from the mesh or from its chart, up to the world.

use crate::support::{folder, lines, write};
use percale::linalg::Vec3;
use percale::scene::build::{Built, build};
use percale::scene::{Fault, read_text};
use percale::stepper::{Integrator, Settings, stepper};
use percale::world::quantity::{largest_strain, strains};

/// Builds a square of 0.11 m, with this chart.
fn built(name: &str, uv: [[f64; 2]; 4], keys: &str) -> Result<Built, Vec<Fault>> {
    let mut text = String::from("v 0 0 0\nv 0.11 0 0\nv 0.11 0.11 0\nv 0 0.11 0\n");
    uv.iter().for_each(|[u, v]| text.push_str(&format!("vt {u} {v}\n")));
    text.push_str("f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n");
    write(format!("{name}.obj"), text);
    let scene = format!(
        "[scene]\ngravity = [0, 0, 0]\n[[cloth]]\nname = \"sheet\"\nmesh = \"{name}.obj\"\ndensity = 0.2\n{keys}\n"
    );
    let file = folder().join(format!("{name}.toml"));
    build(&read_text(&file, scene.as_bytes(), &[]).unwrap(), &file).map_err(|refusal| refusal.faults)
}

const CUT: [[f64; 2]; 4] = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]];

/// Cloth cut to 0.1 m and placed at 0.11 m has the mass of the cut size, is stretched by 10 %, and shrinks to 0.1 m
/// freely. Drag damps the shrinking: its rate is the stiffness of 400 N/m over the drag on such a length. At 1 s it is
/// at rest.
#[test]
fn a_chart_is_what_the_cloth_was_cut_to() {
    let Built { world, mut state, warnings, .. } =
        built("cut", CUT, "rest = \"chart\"\nair_drag = 20\nair_drag_tangent = 20").unwrap();
    assert!(warnings.is_empty());
    assert!((world.mass.iter().sum::<f64>() - 0.2 * 0.01).abs() < 1e-15);
    assert!((largest_strain(&world, &state.x) - 0.1).abs() < 1e-12);
    assert!(strains(&world, &world.objects[0], &state.x).iter().all(|e| (e - 0.1).abs() < 1e-12));
    let settings = Settings {
        integrator: Integrator::Bdf2,
        step: 1e-3,
        min_step: 1e-4,
        accuracy: f64::INFINITY,
        tolerance: 1e-8,
        iterations: 100,
    };
    stepper(&world, settings, true).advance(&world, &mut state, 1.0).unwrap();
    let x: Vec<Vec3> = world.in_file_order(&world.objects[0], &state.x);
    for (a, b, length) in [(0, 1, 0.1), (1, 2, 0.1), (0, 2, 0.02f64.sqrt())] {
        assert!(((x[a] - x[b]).norm() / length - 1.0).abs() < 1e-6, "{a} {b}: {}", (x[a] - x[b]).norm());
    }
}

#[test]
fn the_mesh_is_the_rest_shape_where_nothing_is_said() {
    for keys in ["", "rest = \"mesh\""] {
        let Built { world, state, .. } = built("kept", CUT, keys).unwrap();
        assert!((world.mass.iter().sum::<f64>() - 0.2 * 0.0121).abs() < 1e-15);
        assert!(largest_strain(&world, &state.x) < 1e-12);
    }
}

#[test]
fn charts_that_cannot_be_a_rest_shape_are_told() {
    let told = |uv, name: &str| lines(&built(name, uv, "rest = \"chart\"").unwrap_err());
    let folded = told([CUT[0], CUT[1], CUT[2], CUT[2]], "folded");
    assert!(folded.contains("cloth[0].rest: triangle 1 has no area in the mesh's chart"), "{folded}");
    // Coordinates from 0 to 1, as programs without metres write them.
    let unit = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let warnings = lines(&built("unit", unit, "rest = \"chart\"").unwrap().warnings);
    assert!(warnings.contains("its chart has 1 m2, the mesh as placed 0.0121 m2"), "{warnings}");
    let file = folder().join("bare.toml");
    let scene = "[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\nrest = \"chart\"\n";
    let bare = lines(&build(&read_text(&file, scene.as_bytes(), &[]).unwrap(), &file).unwrap_err().faults);
    assert!(bare.contains("cloth[0].rest: the mesh has no chart"), "{bare}");
}
