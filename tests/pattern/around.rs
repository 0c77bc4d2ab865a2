//! Panels that are bent around limbs: without strain, at the gap that is asked for.

use percale::linalg::{Vec2, Vec3};
use percale::pattern::Girth;
use percale::scene;
use percale::scene::build::{Built, build};
use percale::world::Kind;
use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pattern/scene.toml")
}

/// Builds a scene; returns all that is told of it otherwise.
fn built(text: &str) -> Result<Built, String> {
    let told = |faults: &[scene::Fault]| faults.iter().map(|f| f.to_string()).collect::<Vec<_>>().join("\n");
    let scene = scene::read_text(&file(), text.as_bytes(), &[]).map_err(|faults| told(&faults))?;
    build(&scene, &file()).map_err(|refusal| told(&refusal.faults))
}

/// Scene with front and back of a shirt, 46 x 63.4 cm, and an obstacle, where its limb is.
fn shirt(front: &str, back: &str, more: &str) -> String {
    let far = "translate = [1, 1, 9]";
    format!(
        "[[cloth]]\nname = \"shirt\"\n[cloth.pattern]\nfile = \"../../../meshes/t-shirt.svg\"\nedge_length = \"2 cm\"\n\
         panel = [{{ name = \"front\", {front} }}, {{ name = \"back\", {back} }},\n\
         {{ name = \"sleeve-left\", translate = [2, 1, 9] }}, {{ name = \"sleeve-right\", translate = [3, 1, 9] }}]\n{more}"
    )
    .replace("FAR", far)
}

/// A capsule from the ground to 1.5 m, of 15 cm, and a box of 30 x 120 x 20 cm; both with a part that is no limb.
const CAPSULE: &str =
    "[[obstacle]]\nname = \"trunk\"\ncapsule = { a = [0.1, 0.15, 0.2], b = [0.1, 1.35, 0.2], radius = 0.15 }\n";
const BOX: &str = "[[obstacle]]\nname = \"trunk\"\nbox = { center = [0.1, 0.75, 0.2], size = [0.3, 1.2, 0.2] }\n";

/// Returns the positions of a panel's vertices, and the lengths of its edges with those of the flat panel.
fn panel(built: &Built, name: &str) -> (Vec<Vec3>, Vec<[f64; 2]>) {
    let object = built.world.objects.iter().find(|object| object.kind == Kind::Cloth).unwrap();
    let members = &object.groups[name];
    let at = |v: u32| built.state.x[object.place[v as usize] as usize];
    let mut edges = Vec::new();
    for (t, uv) in object.triangles.iter().zip(&object.uv_triangles).filter(|(t, _)| members.contains(&t[0])) {
        for k in 0..3 {
            let flat = object.uv[uv[k] as usize] - object.uv[uv[(k + 1) % 3] as usize];
            edges.push([(at(t[k]) - at(t[(k + 1) % 3])).norm(), flat.norm()]);
        }
    }
    (members.iter().map(|v| at(*v)).collect(), edges)
}

/// Chords are shorter than the arcs of the flat panel by at most what a circle of the least radius of curvature takes,
/// 1 - h^2/(24 r^2); longer they never are.
#[test]
fn edges_keep_their_lengths_up_to_chords() {
    // Where limbs have edges, as meshes do, the gap is the least radius. Around an axis it is the radius and the gap.
    let around = [
        ("limb = \"trunk\"", CAPSULE, 0.04),
        ("limb = \"trunk\", offset = \"5 cm\"", BOX, 0.05),
        ("from = [0, 0, 0], to = [0, 1, 0], radius = \"15 cm\"", "", 0.19),
    ];
    for (limb, obstacle, radius) in around {
        let text = shirt(&format!("around = {{ {limb} }}"), "FAR", obstacle);
        let (_, edges) = panel(&built(&text).unwrap(), "front");
        let ratios: Vec<f64> = edges.iter().map(|[bent, flat]| bent / flat).collect();
        let longest = edges.iter().map(|[_, flat]| *flat).fold(0.0, f64::max);
        let [least, most] = ratios.iter().fold([2.0, 0.0_f64], |[l, m], r| [r.min(l), r.max(m)]);
        let chord = 1.0 - longest * longest / (24.0 * radius * radius);
        assert!(most < 1.0 + 1e-9 && least > chord - 1e-9 && least < 1.0 - 1e-5, "{least} to {most}, chord {chord}");
    }
}

/// Returns the distance of a point from the side of the box of [`BOX`].
fn from_box(p: &Vec3) -> f64 {
    Vec3::new((p.x - 0.1).abs() - 0.15, 0.0, (p.z - 0.2).abs() - 0.1).sup(&Vec3::zeros()).norm()
}

#[test]
fn the_gap_the_side_and_the_height_are_those_asked_for() {
    let text = shirt(
        "around = { limb = \"trunk\", at = \"left\", up = \"4 cm\", offset = \"7 cm\" }",
        "around = { limb = \"trunk\", at = \"back\", offset = \"12 cm\" }",
        BOX,
    );
    let built = built(&text).unwrap();
    for (name, gap, height) in [("front", 0.07, 0.79), ("back", 0.12, 0.75)] {
        let (x, _) = panel(&built, name);
        assert!(x.iter().all(|p| (from_box(p) - gap).abs() < 1e-9), "{name}");
        let [low, high] = x.iter().fold([9.0, 0.0_f64], |[l, h], p| [p.y.min(l), p.y.max(h)]);
        assert!((0.5 * (low + high) - height).abs() < 1e-6 && (high - low - 0.634).abs() < 1e-6, "{low} {high}");
    }
    // The middles of both panels: straight to the left of the box, and behind it.
    let middle = |name: &str| panel(&built, name).0.iter().sum::<Vec3>() / panel(&built, name).0.len() as f64;
    assert!(middle("front").x > 0.25 && (middle("front").z - 0.2).abs() < 0.02, "{}", middle("front"));
    assert!(middle("back").z < 0.05 && (middle("back").x - 0.1).abs() < 0.02, "{}", middle("back"));
    // Around the capsule the gap is as good as its mesh is round.
    let text = shirt("around = { limb = \"trunk\", at = \"20 deg\" }", "FAR", CAPSULE);
    let (x, _) = panel(&self::built(&text).unwrap(), "front");
    let gap = |p: &Vec3| Vec3::new(p.x - 0.1, 0.0, p.z - 0.2).norm() - 0.15;
    assert!(x.iter().all(|p| (gap(p) - 0.04).abs() < 1e-3));
}

#[test]
fn an_axis_leans_and_a_cloth_that_is_transformed_goes_around_it_too() {
    let axis = "around = { from = [0, 1, 0], to = [0.8, 1.6, 0], radius = \"8 cm\", at = \"left\", aside = \"3 cm\" }";
    let transform =
        "transform = { scale = 0.5, rotate = { axis = [1, 2, 0], angle = \"50 deg\" }, translate = [1, 0, 2] }\n";
    let straight = shirt(axis, "FAR", "").replace("edge_length = \"2 cm\"", "edge_length = \"4 cm\"");
    let text = straight.replace("[cloth.pattern]", &format!("{transform}[cloth.pattern]"));
    let (x, edges) = panel(&built(&text).unwrap(), "front");
    let up = Vec3::new(0.8, 0.6, 0.0);
    let radius = |p: &Vec3| ((p - Vec3::y()) - up * (p - Vec3::y()).dot(&up)).norm();
    assert!(x.iter().all(|p| (radius(p) - 0.12).abs() < 1e-9));
    assert!(edges.iter().all(|[bent, flat]| bent / flat < 0.5 + 1e-9 && bent / flat > 0.495));
    let along: f64 = x.iter().map(|p| (p - Vec3::y()).dot(&up)).fold(0.0, f64::max);
    assert!((along - (0.5 + 0.25 * 0.634)).abs() < 1e-6, "{along}");
    // The left of this axis is down and to the right: (0.6, -0.8, 0).
    let middle = x.iter().sum::<Vec3>() / x.len() as f64;
    assert!((middle - Vec3::new(0.4, 1.3, 0.0)).dot(&Vec3::new(0.6, -0.8, 0.0)) > 0.05, "{middle}");
}

/// Recorded motion stands at the start of the run as its file has it then, rigid motion as at the first frame.
#[test]
fn a_limb_is_where_it_is_at_the_start() {
    let moved = format!("{CAPSULE}keyframes = [{{ time = 0, translate = [0, 0.3, 0.5] }}, {{ time = 1 }}]\n");
    let preroll = "[time]\npreroll = 10\n";
    let text = format!("{preroll}{}", shirt("around = { limb = \"trunk\" }", "FAR", &moved));
    let (x, _) = panel(&built(&text).unwrap(), "front");
    let gap = |p: &Vec3| Vec3::new(p.x - 0.1, 0.0, p.z - 0.7).norm() - 0.15;
    assert!(x.iter().all(|p| (gap(p) - 0.04).abs() < 1e-3));
}

#[test]
fn faults_say_what_to_write() {
    let cases = [
        (
            "around = { limb = \"trank\" }",
            "front.limb: no obstacle is named 'trank', there are 'trunk'; did you mean 'trunk'?",
        ),
        ("around = { limb = \"trunk:leg\" }", "front.limb: there is no group 'leg', known are 'low', 'part'"),
        (
            "around = { limb = \"trunk:low\" }",
            "front.limb: the limb has no clear axis, it lies level; give its ends, 'from' and 'to'",
        ),
        (
            "around = { limb = \"trunk\", up = \"3 m\" }",
            "front.up: nothing of the limb is beside the panel there: it ends 0.75 m",
        ),
        (
            "around = { from = [0, 0, 0], to = [0, 1, 0], radius = \"5 cm\", offset = \"1 cm\" }",
            "front.offset: the panel is 0.46 m wide and would overlap itself: 0.377 m go around the limb at this gap",
        ),
        ("around = {}", "missing; give limb = \"obstacle:group\", or an axis: 'from', 'to' and 'radius'"),
        ("around = { from = [0, 0, 0] }", "missing; an axis has two ends: give 'to' too"),
        ("around = { to = [0, 0, 0] }", "missing; an axis has two ends: give 'from' too"),
        ("around = { from = [0, 0, 0], to = [0, 0, 0], radius = 1 }", "both ends of the axis are the same point"),
        ("around = { from = [0, 0, 0], to = [0, 1, 0] }", "missing; an axis without a limb has a radius"),
        ("around = { limb = \"trunk\", radius = 1 }", "the limb has its own girth"),
        ("around = { limb = \"trunk\", at = \"lift\" }", "did you mean 'left'?"),
        ("around = { limb = \"trunk\" }, wrap = 1", "conflicts with 'around', which places the panel"),
    ];
    let groups = "[[obstacle.group]]\nname = \"part\"\nvertices = [0]\n\
                  [[obstacle.group]]\nname = \"low\"\nbox = { min = [-1, -1, -1], max = [1, 0.01, 1] }\n";
    for (front, message) in cases {
        let told = built(&shirt(front, "FAR", &format!("{CAPSULE}{groups}"))).map(|_| ()).unwrap_err();
        assert!(
            told.contains(&message.replace("front", "panel[0].around")) || told.contains(message),
            "{told}\nhas not: {message}"
        );
        assert!(told.contains("scene.toml:"), "{told}");
    }
}

/// Two panels at one gap, wider together than their limb, cross or touch: both are named.
#[test]
fn panels_that_cross_are_named() {
    let text = shirt(
        "around = { limb = \"trunk\", offset = \"2 cm\" }",
        "around = { from = [0.1, 0.2, 0.2], to = [0.12, 1.3, 0.26], radius = \"15 cm\", offset = \"2 cm\" }",
        CAPSULE,
    )
    .replace("[0.1, 1.35, 0.2], radius", "[0.1, 1.35, 0.3], radius");
    let told = built(&text).map(|_| ()).unwrap_err();
    assert!(told.contains("'shirt' crosses itself") && told.contains("panels there: 'back', 'front'"), "{told}");
}

/// Returns the distance of a point outside from the hull of a square about the origin.
fn outside(p: &Vec2, half: f64) -> f64 {
    (p.abs() - Vec2::repeat(half)).sup(&Vec2::zeros()).norm()
}

#[test]
fn around_a_point_it_is_a_circle() {
    let girth = Girth::new(&[Vec2::new(1.0, 2.0)], 0.3).expect("a point");
    assert!((girth.length() - TAU * 0.3).abs() < 1e-15);
    for angle in [0.0, 1.0, -2.0, 3.0] {
        let p = girth.at(girth.toward(angle)) - Vec2::new(1.0, 2.0);
        assert!((p - Vec2::new(angle.cos(), angle.sin()) * 0.3).norm() < 1e-12, "{angle}");
    }
}

#[test]
fn it_is_at_its_distance_and_as_long_as_its_sides_and_a_circle() {
    let mut points: Vec<Vec2> = [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(|p| Vec2::from(p.map(f64::from))).into();
    points.extend([Vec2::zeros(), Vec2::new(0.5, 1.0), Vec2::new(1.0, 1.0)]);
    let girth = Girth::new(&points, 0.2).expect("a square");
    assert!((girth.length() - (8.0 + TAU * 0.2)).abs() < 1e-12, "{}", girth.length());
    for k in 0..1000 {
        let p = girth.at(f64::from(k) * 0.013 - 4.0);
        assert!((outside(&p, 1.0) - 0.2).abs() < 1e-12, "{p}");
    }
    // Towards a side its middle, though the curve faces that way all along.
    assert!((girth.at(girth.toward(0.0)) - Vec2::new(1.2, 0.0)).norm() < 1e-12);
    assert!((girth.at(girth.toward(-0.5 * PI)) - Vec2::new(0.0, -1.2)).norm() < 1e-12);
    // Towards a corner: the middle of its arc.
    assert!((girth.at(girth.toward(0.25 * PI)) - Vec2::repeat(1.0 + 0.2 * 0.5f64.sqrt())).norm() < 1e-12);
}

#[test]
fn around_two_points_it_is_a_stadium() {
    let girth = Girth::new(&[Vec2::new(-1.0, 0.0), Vec2::new(1.0, 0.0)], 0.5).expect("two points");
    assert!((girth.length() - (4.0 + PI)).abs() < 1e-12);
    assert!((girth.at(girth.toward(0.0)) - Vec2::new(1.5, 0.0)).norm() < 1e-12);
    assert!((girth.at(girth.toward(PI)) - Vec2::new(-1.5, 0.0)).norm() < 1e-12);
}
