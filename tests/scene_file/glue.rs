//! `[[glue]]`, up to the world.

use crate::full::FULL;
use crate::support::{folder, good, lines, write};
use percale::scene::build::{Built, build};
use percale::scene::place::Selector;
use percale::scene::{Fault, read_text};

#[test]
fn it_is_read() {
    let scene = good(FULL);
    let [one, other] = scene.glues.as_slice() else { panic!("{:?}", scene.glues) };
    assert_eq!((one.cloth.as_str(), one.body.as_str(), one.stiffness), ("sheet", "toy", 5e6));
    assert_eq!(one.selector, Selector::Group("corner".to_string()));
    assert_eq!((other.stiffness, &other.selector), (1e7, &Selector::All));
}

/// Builds a square of 10 cm over a box whose top is at y = 0.
fn built(name: &str, height: f64, keys: &str) -> Result<Built, Vec<Fault>> {
    let text = format!(
        "v 0 {height} 0\nv 0 {height} 0.1\nv 0.1 {height} 0.1\nv 0.1 {height} 0\nf 1 2 3\nf 1 3 4\ng end\np 1 2\n"
    );
    write(format!("{name}.obj"), text);
    let scene = format!(
        "[[cloth]]\nname = \"cover\"\nmesh = \"{name}.obj\"\nsubdivide = 1\n[[cloth.group]]\nname = \"far\"\n\
         box = {{ min = [0.08, -1, -1], max = [1, 1, 1] }}\n[[body]]\nname = \"pad\"\n\
         box = {{ center = [0.05, -0.02, 0.05], size = [0.12, 0.04, 0.12] }}\nresolution = 0.02\n\
         [[glue]]\ncloth = \"cover\"\nbody = \"pad\"\n{keys}\n"
    );
    let file = folder().join(format!("{name}.toml"));
    build(&read_text(&file, scene.as_bytes(), &[]).unwrap(), &file).map_err(|refusal| refusal.faults)
}

#[test]
fn groups_of_the_file_and_of_the_cloth_are_glued_where_they_are() {
    for (keys, count, area) in [("group = \"end\"", 3, 0.0025), ("group = \"far\"", 3, 0.0025), ("all = true", 9, 0.01)]
    {
        let Built { world, state, warnings, .. } = built("glued", 0.004, &format!("{keys}\nstiffness = 1e6")).unwrap();
        assert!(warnings.is_empty(), "{}", lines(&warnings));
        let bonds = &world.elements.bonds;
        assert_eq!(bonds.len(), count);
        let stiffness: f64 = bonds.iter().map(|b| b.stiffness).sum();
        assert!((stiffness / (1e6 * area) - 1.0).abs() < 1e-12, "{keys}: {stiffness}");
        for bond in bonds {
            assert!((bond.height - 0.004).abs() < 1e-12);
            assert!(bond.draw(&bond.vertices.map(|v| state.x[v as usize])).gap.norm() < 1e-15);
        }
    }
}

#[test]
fn places_without_vertices_are_refused_and_far_ones_told() {
    let told = |keys: &str| lines(&built("refused", 0.004, keys).unwrap_err());
    let empty = told("sphere = { center = [0, 1, 0], radius = 0.1 }");
    assert!(empty.contains("refused.toml:15:10: glue[0].sphere: no vertex lies in this sphere"), "{empty}");
    let unknown = told("group = \"fra\"");
    assert!(
        unknown.contains("15:9: glue[0].group: there is no group 'fra', known are 'end', 'far'; did you mean 'far'?"),
        "{unknown}"
    );
    let warnings = lines(&built("far", 0.07, "all = true").unwrap().warnings);
    let wanted = "12:1: glue[0]: 9 vertices of 'cover' are more than 5 cm from 'pad', the farthest is";
    assert!(warnings.contains(" at 0.070 m; they are glued as they are"), "{warnings}");
    assert!(warnings.contains(wanted), "{warnings}");
}
