//! Unsound meshes: their repair, and the warnings.

use percale::collision::surface::Surface;
use percale::effect::air::quantities::pressures;
use percale::effect::air::{AirLayers, AirState};
use percale::linalg::Vec3;
use percale::mesh::check::{Severity, check};
use percale::mesh::{self, TriMesh, generate, obj};
use percale::scene::build::{Built, build};
use percale::scene::{Fault, read_text};
use percale::sequence;
use percale::stepper::{Integrator, Settings, stepper};
use percale::world::World;
use percale::world::crossing::crossings;
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mesh").join(name)
}

fn read(name: &str) -> TriMesh {
    let extension = name.rsplit('.').next().unwrap();
    mesh::read(extension, &fs::read(data(name)).unwrap()).unwrap()
}

/// Returns the area of a mesh [m^2].
fn area(mesh: &TriMesh) -> f64 {
    let corners = mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize]));
    corners.map(|[a, b, c]| (b - a).cross(&(c - a)).norm() / 2.0).sum()
}

/// Builds a scene in a folder of its own, with further files.
fn scene(name: &str, text: &str, files: &[(&str, String)]) -> Result<Built, Vec<Fault>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("soundness-{name}"));
    fs::create_dir_all(&folder).unwrap();
    for (file, bytes) in files {
        fs::write(folder.join(file), bytes).unwrap();
    }
    let file = folder.join("scene.toml");
    let text = text.replace("DATA", data("").to_str().unwrap());
    build(&read_text(&file, text.as_bytes(), &[])?, &file).map_err(|refusal| refusal.faults)
}

fn warned(built: &Built) -> String {
    built.warnings.iter().map(|w| format!("{w}\n")).collect()
}

fn refused(result: Result<Built, Vec<Fault>>) -> String {
    result.err().unwrap().iter().map(|f| format!("{f}\n")).collect()
}

/// Simulates until a time, and asserts that no triangles intersect and no vertex is faster than `fastest` [m/s].
fn run(built: &mut Built, until: f64, fastest: f64) {
    let settings = Settings {
        integrator: Integrator::Bdf2,
        step: 5e-3,
        min_step: 1e-6,
        accuracy: f64::INFINITY,
        tolerance: 1e-4,
        iterations: 2000,
    };
    let Built { world, state, .. } = built;
    let advanced = stepper(world, settings, false).advance(world, state, until);
    if let Err(stuck) = advanced {
        panic!("{}", stuck.describe(world, state));
    }
    assert_eq!(world.crossings(&mut world.test(), &state.x, state.now()), []);
    let speed = state.v[..world.moving].iter().map(Vec3::norm).fold(0.0, f64::max);
    assert!(speed < fastest, "{speed} m/s");
}

#[test]
fn polygons_give_the_triangles_they_should() {
    for (name, counts, wanted) in
        [("middle.obj", [5, 3], 0.04), ("repeat.obj", [9, 8], 0.16), ("repeat.ply", [9, 8], 0.16)]
    {
        let mesh = read(name);
        assert_eq!(check(&mesh), [], "{name}");
        assert_eq!([mesh.positions.len(), mesh.triangles.len()], counts, "{name}");
        assert!((area(&mesh) - wanted).abs() < 1e-9, "{name}");
        assert_eq!(mesh.notes.len(), usize::from(name != "middle.obj"), "{name}");
    }
    let nose = read("nose.obj");
    assert_eq!((check(&nose), nose.triangles.len()), (Vec::new(), 4));
}

#[test]
fn shapes_of_a_sequence_may_be_cut_otherwise() {
    // The middle of a side moves in, then out. The best fan would change its corner.
    let shape = |y: f64| format!("v 0 0 0\nv 1 {y} 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n");
    let files = [("s.0001.obj", shape(-0.4)), ("s.0002.obj", shape(0.0)), ("s.0003.obj", shape(0.7))];
    let text = "[time]\nframes = 3\n[[obstacle]]\nname = \"o\"\nsequence = { files = \"s.####.obj\", first = 1, last = 3 }\n\
        [[cloth]]\nname = \"c\"\nmesh = \"DATA/middle.obj\"\ntransform = { translate = [0, 9, 0] }\n";
    assert_eq!(warned(&scene("sequence", text, &files).unwrap()), "");
    // A triangle that is degenerate at first but opens later is kept. A triangle that is always degenerate is left out.
    let shape = |y: f64| format!("v 0 0 0\nv 1 0 0\nv 2 {y} 0\nv 2 0 1\nv 3 0 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n");
    let files = [("s.0001.obj", shape(0.0)), ("s.0002.obj", shape(0.5)), ("s.0003.obj", shape(1.0))];
    let built = scene("opening", text, &files).unwrap();
    assert_eq!(built.world.objects[1].triangles, [[0, 1, 2], [0, 1, 3]]);
    assert!(warned(&built).contains("1 degenerate triangle"), "{}", warned(&built));
}

/// A sheet falls on meshes that would be invalid for a cloth.
#[test]
fn obstacles_need_no_sound_mesh() {
    let cloth = generate::sheet(9, 9, 0.4, 0.4, generate::Diagonals::Alternating, generate::lying(0.4, 0.4));
    let cloth = String::from_utf8(obj::write(&cloth)).unwrap();
    // A cube with every face twice, once reversed. Three sheets at a common edge, one of them as narrow as a needle.
    // Two wedges with a common edge.
    let cube = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n\
        f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\nf 2 3 7 6\nf 5 8 7 6\nf 3 7 8 4\nf 8 7 3 4\nf 1 1 2\n";
    let fins = "v -1 0 0\nv 1 0 0\nv 0 -1 1\nv 0 -1 -1\nv 0 1 0\nv 0 1e-12 0\nf 1 2 3\nf 2 1 4\nf 1 2 5\nf 1 2 6\n";
    let wedges = "v -1 0 0\nv 1 0 0\nv 0 -1 1\nv 0 -1 -1\nv 0 1 1\nv 0 1 -1\nf 1 2 3\nf 2 1 4\nf 1 2 5\nf 2 1 6\n";
    let pole = fs::read_to_string(data("pole.obj")).unwrap();
    for (name, shape, scale, told) in [
        ("cube", cube, 0.1, &["duplicate", "non-manifold", "an obstacle may have that"][..]),
        ("fins", fins, 0.15, &["1 degenerate triangle", "1 non-manifold edge"]),
        ("wedges", wedges, 0.15, &["1 non-manifold edge"]),
        ("pole", pole.as_str(), 0.5, &["1 degenerate triangle", "left out"]),
    ] {
        let text = format!(
            "[[cloth]]\nname = \"c\"\nmesh = \"c.obj\"\ntransform = {{ translate = [0, 0.27, 0] }}\nvelocity = [0, -1, 0]\n\
             [[obstacle]]\nname = \"o\"\nmesh = \"o.obj\"\ntransform = {{ scale = {scale} }}\n"
        );
        let files = [("c.obj", cloth.clone()), ("o.obj", shape.to_string())];
        let mut built = scene(name, &text, &files).unwrap();
        let warnings = warned(&built);
        assert!(told.iter().all(|told| warnings.contains(told)), "{name}: {warnings}");
        run(&mut built, 0.1, 4.0);
        let cloth = text.replace("o.obj", "c.obj").replace("mesh = \"c.obj\"", "mesh = \"o.obj\"");
        let faults = scene(&format!("{name}-cloth"), &cloth, &files);
        assert!(refused(faults).lines().count() > 0, "{name}");
    }
}

const SEAM: &str = "[[cloth]]\nname = \"c\"\nmesh = \"DATA/seam.obj\"\nair_drag = 1\nWELD\n[[cloth.pin]]\nbox = { min = [-0.51, 1, -0.51], max = [-0.49, 2, 0.51] }\n\
    [[cloth.pin]]\nvertices = [VERTEX]\nuntil = 0.01\n";

#[test]
fn a_seam_is_told_and_joined() {
    let mesh = read("seam.obj");
    let [fault] = &check(&mesh)[..] else { panic!() };
    assert_eq!((fault.severity, fault.count), (Severity::Warning, 13));
    assert!(fault.message.starts_with("13 border vertices that lie on another one: vertex "), "{}", fault.message);
    let pairs = mesh::seam::coincident(&mesh);
    let [first, second] = pairs[6];
    let text = |weld: &str, vertex: u32| SEAM.replace("WELD", weld).replace("VERTEX", &vertex.to_string());
    let open = scene("seam-open", &text("", second), &[]).unwrap();
    assert!(warned(&open).contains("weld = \"0.1 mm\""), "{}", warned(&open));

    let mut built = scene("seam", &text("weld = \"0.1 mm\"", second), &[]).unwrap();
    assert_eq!(warned(&built), "");
    let object = &built.world.objects[0];
    assert_eq!((object.place.len(), built.world.moving), (mesh.positions.len(), mesh.positions.len() - 13));
    assert_eq!(object.triangles, mesh.triangles);
    assert_eq!(object.place[first as usize], object.place[second as usize]);
    assert_eq!(built.world.pins[1].vertices, [object.place[first as usize]]);
    run(&mut built, 0.1, 1.5);
    let at = built.world.in_file_order(&built.world.objects[0], &built.state.x);
    assert!(pairs.iter().all(|[a, b]| at[*a as usize] == at[*b as usize]));
    // The sheet hangs like the same sheet in one piece.
    let whole = generate::sheet(13, 13, 1.0, 1.0, generate::Diagonals::Alternating, generate::lying(1.0, 1.0));
    let mass: f64 = built.world.mass.iter().sum();
    assert!(
        (mass / open.world.mass.iter().sum::<f64>() - 1.0).abs() < 1e-12 && (area(&whole) - area(&mesh)).abs() < 1e-6
    );
    assert!(built.world.elements.hinges.len() > open.world.elements.hinges.len());
}

#[test]
fn a_seam_stays_joined_when_it_is_cut_finer_and_moved_out() {
    // A ball of separate triangles, as some programs write it.
    let ball = generate::sphere(Vec3::zeros(), 0.2, 0.1);
    let positions: Vec<Vec3> = ball.triangles.iter().flatten().map(|v| ball.positions[*v as usize]).collect();
    let triangles = (0..ball.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let upper = (0..positions.len() as u32).filter(|v| positions[*v as usize].y > 0.01).collect();
    let mut soup = TriMesh { positions, triangles, ..TriMesh::default() };
    soup.groups.insert("upper".into(), upper);
    let files = [("soup.obj", String::from_utf8(obj::write(&soup)).unwrap())];
    let text = "[[cloth]]\nname = \"c\"\nmesh = \"soup.obj\"\nweld = \"0.1 mm\"\noffset = \"5 mm\"\nsubdivide = 2\nsubdivide_group = \"upper\"\n";
    let balloon = "[[balloon]]\ncloth = \"c\"\n";
    let built = scene("soup", &format!("{text}{balloon}"), &files).unwrap();
    assert_eq!(warned(&built), "");
    assert!(air(&built.world).balloons[0].chamber.start > 0.95 * 4.0 / 3.0 * std::f64::consts::PI * 0.2f64.powi(3));
    let corners = &built.world.objects[0].place[..soup.positions.len()];
    assert!(corners.iter().all(|v| (built.state.x[*v as usize].norm() - 0.205).abs() < 1e-3));
    let open = refused(scene("soup-open", &format!("{}{balloon}", text.replace("weld", "#")), &files));
    assert!(open.contains("is not closed"), "{open}");
    // A body of the same surface is filled.
    let body = "[[body]]\nname = \"b\"\nmesh = \"soup.obj\"\nresolution = \"10 cm\"\n";
    let built = scene("soup-body", body, &files).unwrap();
    assert!(warned(&built).contains("they are joined, so that it is closed"), "{}", warned(&built));
    // A weld distance that is too large, and a mesh without borders to weld.
    let told = refused(scene("soup-much", &text.replace("0.1 mm", "9 cm"), &files));
    assert!(told.contains("cloth[0].weld: no sound mesh comes of this: "), "{told}");
    let sheet = [("soup.obj", String::from_utf8(obj::write(&ball)).unwrap())];
    let text = "[[cloth]]\nname = \"c\"\nmesh = \"soup.obj\"\nweld = \"0.1 mm\"\n";
    let told = warned(&scene("soup-none", text, &sheet).unwrap());
    assert!(told.contains("cloth[0].weld: no two vertices of borders are that near to each other"), "{told}");
}

/// Returns the faces of a ball on the x axis, with vertices counted from `first`, reversed if `turned`.
fn ball(at: f64, radius: f64, first: usize, turned: bool) -> String {
    let ball = generate::sphere(Vec3::x() * at, radius, radius / 2.0);
    let mut text: String = ball.positions.iter().map(|p| format!("v {} {} {}\n", p.x, p.y, p.z)).collect();
    for [a, b, c] in ball.triangles.iter().map(|t| t.map(|v| v as usize + first + 1)) {
        text += &if turned { format!("f {a} {c} {b}\n") } else { format!("f {a} {b} {c}\n") };
    }
    text
}

fn air(world: &World) -> &AirLayers {
    world.effects.get().unwrap()
}

#[test]
fn shells_of_one_cloth_have_their_own_air() {
    let count = generate::sphere(Vec3::zeros(), 0.1, 0.05).positions.len();
    let text = "[[cloth]]\nname = \"c\"\nmesh = \"c.obj\"\n[[balloon]]\ncloth = \"c\"\n";
    let two =
        |at: f64, radius: f64, turned: bool| [("c.obj", ball(0.0, 0.1, 0, false) + &ball(at, radius, count, turned))];
    let mut built = scene("shells", text, &two(1.0, 0.1, true)).unwrap();
    assert_eq!(air(&built.world).balloons.len(), 2);
    // Compression of the second balloon does not change the pressure in the first.
    for p in built.state.x.iter_mut().filter(|p| p.x > 0.5) {
        *p = Vec3::x() + (*p - Vec3::x()) * 0.9;
    }
    let (x, world) = (built.state.x.clone(), &built.world);
    for (balloon, inside) in
        air(world).balloons.iter().zip(&mut built.state.effects.get_mut::<AirState>().unwrap().balloons)
    {
        balloon.chamber.advance(inside, balloon.volume(|v| x[v]), 0.0, balloon.chamber.held(1e-3), 1e-3);
    }
    let airs = sequence::airs(world, &built.state);
    assert!(airs[0].pressure.abs() < 1e-6 && airs[1].pressure > 3e4, "{airs:?}");
    assert_eq!([airs[0].cloth.as_str(), airs[1].cloth.as_str()], ["c 1", "c 2"]);
    let excess = pressures(world, &built.state, &world.objects[0]).unwrap();
    assert!(excess[0].abs() < 1e-6 && excess[count] == airs[1].pressure);
    // A wall around a hollow is a single chamber. A ball in a ball is refused, with its location.
    assert_eq!(scene("hollow", text, &two(0.0, 0.06, true)).map(|built| air(&built.world).balloons.len()).unwrap(), 1);
    let told = refused(scene("nested", text, &two(0.0, 0.06, false)));
    assert!(
        told.contains("balloon[0].cloth: of the shells of 'c' that near (") && told.contains("lies inside"),
        "{told}"
    );
    let mut open = two(1.0, 0.1, false);
    open[0].1 = open[0].1.trim_end().rsplit_once('\n').unwrap().0.to_string() + "\n";
    let told = refused(scene("open", text, &open));
    assert!(told.contains("3 of its ") && told.contains("the first in shell 2 of 2 near ("), "{told}");
}

#[test]
fn obstacles_that_meet_are_told() {
    let cloth = "[[cloth]]\nname = \"c\"\nmesh = \"DATA/middle.obj\"\ntransform = { translate = [0, 9, 0] }\n";
    let obstacle = |name: &str, y: f64| {
        format!("[[obstacle]]\nname = \"{name}\"\nbox = {{ center = [0, {y}, 0], size = [1, 1, 1] }}\n")
    };
    let two =
        |y: f64| warned(&scene("boxes", &format!("{cloth}{}{}", obstacle("a", 0.0), obstacle("b", y)), &[]).unwrap());
    let crossing = two(0.9);
    assert!(crossing.contains("obstacle[0]: at the start 'a' and 'b' cross: "), "{crossing}");
    assert!(two(1.0).contains("obstacle[0]: at the start 'a' and 'b' touch: "), "{}", two(1.0));
    assert_eq!(two(1.1), "");
    let itself = "v -1 0 -1\nv 1 0 -1\nv 0 0 1\nv 0 -1 0\nv 0.1 1 0\nv 0 1 0.2\nf 1 2 3\nf 4 5 6\n";
    let text = format!("{cloth}[[obstacle]]\nname = \"o\"\nmesh = \"o.obj\"\n");
    let told = warned(&scene("itself", &text, &[("o.obj", itself.to_string())]).unwrap());
    assert!(told.contains("at the start 'o' crosses itself: 1 pair of triangles (0 and 1), near "), "{told}");
}

#[test]
fn a_crossing_is_counted_once_where_it_is() {
    // Spikes of four faces each through a square of two triangles.
    let mut text = "v -9 0 -9\nv 9 0 -9\nv 9 0 9\nv -9 0 9\nf 1 4 3 2\n".to_string();
    for (k, x) in [-5.0, 0.5, 4.0].iter().enumerate() {
        let first = 5 + 5 * k;
        for [dx, y, dz] in [[-0.2, 1.0, -0.2], [0.2, 1.0, -0.2], [0.2, 1.0, 0.2], [-0.2, 1.0, 0.2], [0.0, -1.0, 0.0]] {
            text += &format!("v {} {y} {}\n", x + dx, dz + 1.7);
        }
        for [a, b] in [[0, 1], [1, 2], [2, 3], [3, 0]] {
            text += &format!("f {} {} {}\n", first + a, first + b, first + 4);
        }
    }
    let mesh = obj::read(text.as_bytes()).unwrap();
    let surface = Surface::new(&[(0..mesh.positions.len(), mesh.triangles.clone())]);
    let all = crossings(&mesh.positions, &surface, |_, _| true);
    let [crossing] = &all[..] else { panic!("{all:?}") };
    assert_eq!((crossing.places.len(), crossing.pairs.len()), (3, 12));
    let told = crossing.describe(|_| "m");
    assert!(told.starts_with("'m' crosses itself: at 3 places, 12 pairs of triangles ("), "{told}");
}

#[test]
fn faces_are_turned_to_fit_their_neighbours() {
    let text = "[[cloth]]\nname = \"c\"\nmesh = \"c.obj\"\n";
    let square = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 1\nv 1 0 1\nv 2 0 1\n";
    let file = |faces: &str| [("c.obj", format!("{square}{faces}"))];
    let built = scene("turned", text, &file("f 1 2 5 4\nf 2 5 6 3\n")).unwrap();
    let told = warned(&built);
    assert!(told.contains("1 face wound against its neighbours: face of line 8 (vertices "), "{told}");
    assert_eq!(built.world.objects[0].triangles.len(), 4);
    let (world, state) = (&built.world, &built.state);
    let up = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| state.x[world.objects[0].place[v as usize] as usize]);
        (b - a).cross(&(c - a)).y
    };
    assert!(world.objects[0].triangles.iter().all(|t| up(t) < 0.0));
    assert_eq!(warned(&scene("right", text, &file("f 1 2 5 4\nf 2 3 6 5\n")).unwrap()), "");
}
