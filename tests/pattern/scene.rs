//! Patterns in a scene: one cloth, whose panels and edges are groups.

use percale::linalg::Vec3;
use percale::scene;
use percale::scene::build::{Built, build};
use percale::world::Kind;
use std::path::{Path, PathBuf};

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pattern/scene.toml")
}

/// Builds a scene in the folder of the patterns; returns all that is told of it otherwise.
fn built(text: &str) -> Result<Built, String> {
    let told = |faults: &[scene::Fault]| faults.iter().map(|f| f.to_string()).collect::<Vec<_>>().join("\n");
    let scene = scene::read_text(&file(), text.as_bytes(), &[]).map_err(|faults| told(&faults))?;
    build(&scene, &file()).map_err(|refusal| told(&refusal.faults))
}

const TOP: &str =
    "[[cloth]]\nname = \"top\"\nmaterial = \"jersey\"\npattern = { file = \"top.json\", edge_length = \"2 cm\" }\n";

#[test]
fn a_garment_is_one_cloth_with_pinned_groups_and_seams() {
    let text = format!("{TOP}[[cloth.pin]]\ngroup = \"front.hem\"\n[[cloth.pin]]\ngroup = \"back\"\n");
    let Built { world, state, seams, .. } = built(&text).unwrap();
    let [object] = &world.objects[..] else { panic!("one cloth") };
    assert_eq!(object.kind, Kind::Cloth);
    let place = |v: u32| state.x[object.place[v as usize] as usize];
    let [hem, back] = [0, 1].map(|k| &world.pins[k].vertices);
    assert_eq!(hem.len(), 27);
    assert!(hem.iter().all(|v| (state.x[*v as usize] - Vec3::new(state.x[*v as usize].x, 1.0, 0.2)).norm() < 1e-9));
    assert!(back.iter().all(|v| (state.x[*v as usize].z + 0.2).abs() < 1e-9));
    let [sewn] = &seams[..] else { panic!("seams of one cloth") };
    assert_eq!((sewn.cloth.as_str(), sewn.seams.len()), ("top", 4));
    for seam in &sewn.seams {
        assert!(seam.pairs.len() > 3);
        for [a, b] in &seam.pairs {
            assert!((place(*a) - place(*b) - Vec3::new(0.0, 0.0, 0.4)).norm() < 1e-9, "{}", seam.name);
        }
    }
}

#[test]
fn panels_are_placed_by_the_scene_and_sewn_there() {
    let text = "[scene]\nup = \"z\"\n[[cloth]]\nname = \"shirt\"\n[cloth.pattern]\nfile = \"../../../meshes/t-shirt.svg\"\nedge_length = \"2 cm\"\n\
        stitch = [{ name = \"hems\", edges = [\"front.hem\", \"back.hem\"] }]\n\
        panel = [{ name = \"front\", translate = [0, 1, 0.5] },\n\
        { name = \"back\", rotate = { axis = [0, 1, 0], angle = \"180 deg\" }, translate = [0, 1, -0.5] }]\n";
    let Built { world, state, seams, warnings, .. } = built(text).unwrap();
    let object = &world.objects[0];
    let told: Vec<String> = warnings.iter().map(|w| w.to_string()).collect();
    assert!(told.iter().any(|w| w.contains("the file does not place 'sleeve-left', 'sleeve-right'")), "{told:?}");
    let hems = seams[0].seams.iter().find(|s| s.name == "hems").unwrap();
    for [a, b] in &hems.pairs {
        let [p, q] = [a, b].map(|v| state.x[object.place[*v as usize] as usize]);
        assert!(
            (p - q - Vec3::new(0.0, 0.0, 1.0)).norm() < 1e-9,
            "the back is turned, so its edge lies behind: {p} {q}"
        );
        assert!((p.y - 1.0 + 0.317).abs() < 1e-9, "the middle of a panel is its origin");
    }
}

#[test]
fn a_file_with_y_upwards_stands_in_a_scene_with_z_upwards() {
    let Built { world, state, .. } = built(&format!("[scene]\nup = \"z\"\n{TOP}")).unwrap();
    let highest = state.x.iter().map(|x| x.z).fold(0.0, f64::max);
    assert!((highest - 1.66).abs() < 1e-9 && world.objects.len() == 1, "{highest}");
}

#[test]
fn faults_name_the_key_or_the_place_in_the_file() {
    let pattern = |inner: &str| format!("[[cloth]]\nname = \"top\"\npattern = {{ file = \"top.json\", {inner} }}\n");
    let cases = [
        (
            pattern("stitch = [{ edges = [\"front.1\", \"back.0\"] }]"),
            "cloth[0].pattern.stitch[0].edges: 'front.1' is sewn already",
        ),
        (pattern("stitch = [{ edges = [\"front.0\", \"back.17\"] }]"), "panel 'back' has no edge of 'back.17'"),
        (pattern("stitch = [{ edges = [\"front.0\"] }]"), "a list of 1; give 2"),
        (pattern("panel = [{ name = \"bakc\" }]"), "there are 'front', 'back'; did you mean 'back'?"),
        (
            pattern("panel = [{ name = \"back\" }, { name = \"back\" }]"),
            "cloth[0].pattern.panel[1].name: has a place already",
        ),
        (pattern("edge_length = \"5 m\""), "cloth[0].pattern.edge_length"),
        (pattern("edge_length = \"0.1 mm\""), "give a longer one"),
        (
            pattern("unit = \"1 m\""),
            "top.json:20:1: panel 'back': the largest panel measures 66 m, so lengths are in another unit; 0.01 or 0.0254 times that would fit",
        ),
        (TOP.replace("top.json", "top.jsn"), "a file ending in .json or .svg or .dxf"),
        (
            format!("{TOP}subdivide = 1\n"),
            "cloth[0].subdivide: goes with 'mesh', not with 'pattern': give a shorter 'edge_length'",
        ),
        (format!("{TOP}mesh = \"top.obj\"\n"), "conflicts with"),
        ("[[cloth]]\nname = \"top\"\n".to_string(), "give one of mesh, pattern"),
        (format!("{TOP}[[cloth.pin]]\ngroup = \"front.hemm\"\n"), "did you mean 'front.hem'?"),
    ];
    for (text, message) in cases {
        let told = built(&text).map(|_| ()).unwrap_err();
        assert!(told.contains(message), "{told}\nhas not: {message}");
    }
}
