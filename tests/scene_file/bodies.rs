//! `[[body]]` and covers, up to the world.

use crate::support::{folder, lines, write};
use percale::mesh::generate::sphere;
use percale::mesh::obj;
use percale::scene::build::{Built, build};
use percale::scene::{Fault, read_text};
use percale::world::Kind;

/// Builds the world of a scene, with a file name of its own.
fn built(name: &str, text: &str) -> Result<Built, Vec<Fault>> {
    let file = folder().join(format!("bodies-{name}.toml"));
    build(&read_text(&file, text.as_bytes(), &[]).unwrap_or_else(|f| panic!("{}", lines(&f))), &file)
        .map_err(|refusal| refusal.faults)
}

fn told(name: &str, text: &str) -> String {
    lines(&built(name, text).unwrap_err())
}

fn file(name: &str, text: &str) {
    write(name, text);
}

/// Every shape of a body has the right mass: a box exactly, round shapes within the error of their facets and cells.
#[test]
fn every_shape_has_its_mass() {
    write("ball.obj", obj::write(&sphere(Default::default(), 0.1, 0.01)));
    file("tet.node", "4 3 0 0\n1 0 0 0\n2 0.3 0 0\n3 0 0.3 0\n4 0 0 0.3\n");
    file("tet.ele", "1 4 0\n1 1 2 3 4\n");
    let pi = std::f64::consts::PI;
    let ball = 4.0 / 3.0 * pi * 1e-3;
    for (k, (shape, volume, tolerance)) in [
        ("box = { size = [0.3, 0.1, 0.2], rotate = { axis = [1, 1, 0], angle = 0.3 } }", 0.006, 1e-12),
        ("sphere = { center = [0, 0, 0], radius = 0.1 }", ball, 0.03),
        ("mesh = \"ball.obj\"\nresolution = \"1 cm\"", ball, 0.02),
        ("capsule = { a = [0, 0, 0], b = [0, 0.2, 0], radius = 0.1 }", ball + pi * 2e-3, 0.03),
        ("mesh = \"tet.ele\"", 0.0045, 1e-12),
        ("mesh = \"tet.node\"\ntransform = { scale = 2 }", 0.036, 1e-12),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!(
            "[[body]]\nname = \"b\"\n{shape}\n[[body]]\nname = \"c\"\nbox = {{ center = [9, 0, 0], size = [1, 1, 1] }}\n"
        );
        let Built { world, .. } = built(&format!("mass-{k}"), &text).unwrap_or_else(|f| panic!("{}", lines(&f)));
        let object = &world.objects[0];
        assert_eq!((object.kind, world.simulated(), world.moving), (Kind::Body, 2, world.rest.len()));
        let mass: f64 = world.mass[object.vertices.clone()].iter().sum();
        // Sponge has a density of 30 kg/m3.
        assert!((mass / (30.0 * volume) - 1.0).abs() < tolerance, "{shape}: {mass} kg of {}", 30.0 * volume);
    }
}

#[test]
fn what_cannot_be_a_body_is_told() {
    file("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    file("lone.node", "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n");
    file(
        "flat.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n$EndElements\n",
    );
    file("words.vtk", "hello\n");
    let mut wrong = Vec::new();
    for (k, (keys, wanted)) in [
        ("mesh = \"open.obj\"", "open.obj: the surface is open: 3 edges have one triangle only"),
        ("mesh = \"lone.node\"", "lone.ele"),
        ("mesh = \"flat.msh\"", "flat.msh: 1 flat tetrahedron (no volume): tetrahedron 0"),
        ("mesh = \"words.vtk\"", "words.vtk: this is no legacy VTK file"),
        (
            "box = { size = [1, 1, 1] }\nresolution = \"1 mm\"",
            ":4:14: body[0].resolution: cells of 0.001 m are too fine",
        ),
        ("sphere = { center = [0, 0, 0], radius = 1 }\nresolution = \"1 mm\"", "are too fine for this surface"),
        ("sphere = { center = [0, 0, 0], radius = 1 }\nresolution = \"3 m\"", "are too coarse for this surface"),
        (
            "box = { size = [1, 1, 1] }\n[[body.pin]]\ngroup = \"foot\"",
            ":5:9: body[0].pin[0].group: there is no group 'foot'",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let told = told(&format!("wrong-{k}"), &format!("[[body]]\nname = \"b\"\n{keys}\n"));
        if !told.contains(wanted) {
            wrong.push(format!("{keys}: {told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A cover has the vertices of the file first, moved out, then the midpoints of edges. Its size is bounded by memory.
#[test]
fn a_cover_is_moved_out_and_cut_finer() {
    write("ball.obj", obj::write(&sphere(Default::default(), 0.1, 0.01)));
    let text = |keys: &str| format!("[[cloth]]\nname = \"cover\"\nmesh = \"ball.obj\"\noffset = \"5 mm\"\n{keys}\n");
    let Built { world, .. } = built("cover", &text("subdivide = 1")).unwrap();
    let ball = sphere(Default::default(), 0.1, 0.01);
    let x = world.in_file_order(&world.objects[0], &world.rest);
    assert_eq!(world.objects[0].triangles.len(), 4 * ball.triangles.len());
    // Normals weighted by area have an error of second order in edge length over radius.
    assert!(ball.positions.iter().zip(&x).all(|(p, q)| (q - p * 1.05).norm() < 5e-5));
    let bomb = told("bomb", &text("subdivide = 6"));
    assert!(bomb.contains("bodies-bomb.toml:5:13: cloth[0].subdivide: cut so often it would have"), "{bomb}");
    let group = told("group", &text("subdivide = 1\nsubdivide_group = \"out\""));
    assert!(group.contains("cloth[0].subdivide_group: there is no group 'out'"), "{group}");
}
