//! Defaults of a minimal scene.

use crate::support::{MINIMAL, folder, good};
use percale::force::contact::Friction;
use percale::force::drag::Drag;
use percale::linalg::Vec3;
use percale::scene::cloth::{Model, Pull, Rest, RestAngles};
use percale::scene::obstacle::Shape;
use percale::scene::place::Selector;
use percale::scene::preview::Shading;
use percale::scene::settings::{Format, Method, Pinch, Precision, Start};
use percale::scene::time::Integrator;
use percale::scene::{Contact, Solver, Time, Up, Wind};
use percale::world::motion::Motion;

#[test]
fn of_the_scene_and_its_settings() {
    let scene = good(MINIMAL);
    assert_eq!((scene.name.as_str(), scene.up, scene.gravity), ("test", Up::Y, Vec3::new(0.0, -9.81, 0.0)));
    let time = Time {
        fps: 30.0,
        frames: 120,
        start_frame: 1,
        preroll: 0,
        scale: 1.0,
        step: None,
        accuracy: 3e-4,
        min_step: 2e-5,
        integrator: Integrator::Bdf2,
        adaptive: true,
        frame_limit: None,
    };
    assert_eq!(scene.time, time);
    assert_eq!(
        scene.contact,
        Contact {
            enabled: true,
            method: Method::Proof,
            epsilon: None,
            distance: 1e-3,
            self_contact: true,
            stiffness: 1.0,
            start: Start::Error,
            ease: 0.5,
            pinch: Pinch::Yield,
            release: None
        }
    );
    assert_eq!(scene.solver, Solver { tolerance: 1e-3, max_iterations: 500, precision: Precision::F32 });
    assert_eq!(
        scene.wind,
        Wind { velocity: Vec3::zeros(), gust: 0.0, gust_period: 1.0, seed: 0, from: 0.0, until: f64::INFINITY }
    );
    let o = &scene.output;
    assert!(o.meshes && o.obstacles && o.format == Format::Ply && o.fields.is_empty() && o.checkpoint == 10);
    let p = &scene.preview;
    assert!(p.enabled && !p.exr && !p.wireframe && p.ground);
    assert_eq!((p.width, p.height, p.samples, p.every, p.sheet), (960, 540, 16, 1, 12));
    assert_eq!((p.shading, p.k, p.field), (Shading::Minnaert, 0.75, None));
    assert_eq!((p.field_range, p.ground_height, p.background, p.key.direction), (None, None, None, None));
    assert_eq!((p.camera.position, p.camera.target, p.camera.direction), (None, None, None));
    assert!((p.camera.fov.to_degrees() - 35.0).abs() < 1e-12);
    assert_eq!((scene.folder, scene.text.as_str()), (folder(), MINIMAL));
    assert!(scene.warnings.is_empty() && scene.obstacles.is_empty());
}

#[test]
fn of_a_cloth() {
    let scene = good(&format!("{MINIMAL}[[cloth.pin]]\nall = true\n[[cloth.handle]]\nnearest = [0, 0, 0]\n"));
    let cloth = &scene.cloths[0];
    assert_eq!((cloth.name.as_str(), cloth.file(), cloth.model), ("sheet", &*folder().join("sheet.obj"), Model::Fem));
    let cotton = scene.materials.iter().find(|m| m.name == "cotton").unwrap();
    assert_eq!(&cloth.material, cotton);
    assert_eq!((cloth.warp.into_inner(), cloth.rest, cloth.rest_angles), (Vec3::x(), Rest::Mesh, RestAngles::Mesh));
    assert_eq!((cloth.strain_limit, cloth.checker), (None, None));
    assert_eq!((cloth.air_drag, cloth.drag(), cloth.velocity), (None, Drag::default(), Vec3::zeros()));
    assert!(cloth.self_contact && cloth.groups.is_empty() && cloth.maps.is_empty());
    assert_eq!(cloth.colour, [0.33, 0.47, 0.72]);
    let t = &cloth.transform;
    assert_eq!((t.scale, t.rotate.len(), t.translate), (1.0, 0, Vec3::zeros()));
    let pin = &cloth.pins[0];
    assert_eq!((&pin.selector, &pin.motion, pin.from), (&Selector::All, &Motion::Fixed, 0.0));
    let handle = &cloth.handles[0];
    assert_eq!(handle.selector, Selector::Nearest(Vec3::zeros()));
    assert_eq!((&handle.pull, &handle.motion, handle.from), (&Pull::Spring(10.0), &Motion::Fixed, 0.0));
    assert!([pin.until, handle.until, handle.max_force].iter().all(|v| *v == f64::INFINITY));
}

#[test]
fn of_an_obstacle() {
    let text = "[[obstacle]]\nname = \"floor\"\nplane = {}\n[[obstacle]]\nname = \"walker\"\n\
                sequence = { files = \"walk/step.####.obj\", first = 1, last = 3 }\n";
    let scene = good(&format!("{MINIMAL}{text}"));
    let floor = &scene.obstacles[0];
    let Shape::Plane(plane) = &floor.shape else { panic!("{floor:?}") };
    assert_eq!((plane.point, plane.normal, plane.size), (Vec3::zeros(), None, 10.0));
    assert_eq!((floor.resolution, floor.thickness, floor.checker), (None, 0.0, None));
    assert_eq!(floor.friction, Friction { fixed: 0.3, sliding: 0.3 });
    assert_eq!((&floor.motion, floor.visible, floor.colour), (&Motion::Fixed, true, [0.62, 0.53, 0.44]));
    let Shape::Sequence(walk) = &scene.obstacles[1].shape else { panic!() };
    assert_eq!((walk.fps, walk.start, walk.repeat), (None, 0.0, false));
    let files = [1, 2, 3].map(|k| folder().join(format!("walk/step.000{k}.obj")));
    assert_eq!(walk.files(&scene.folder), files);
}

#[test]
fn accuracy_is_a_preset_or_a_length() {
    let of = |given: &str| good(&format!("[time]\naccuracy = {given}\n{MINIMAL}")).time.accuracy;
    let given = ["\"draft\"", "\"shot\"", "\"reference\"", "\"0.2 mm\"", "0.002"];
    assert_eq!(given.map(of), [1e-3, 3e-4, 3e-5, 2e-4, 2e-3]);
}

#[test]
fn the_largest_step_is_one_that_the_laws_bear() {
    let body = "[[body]]\nname = \"b\"\nmaterial = \"rubber\"\nbox = { center = [0, 5, 0], size = [1, 1, 1] }\n";
    assert_eq!(good(MINIMAL).step(), 0.004);
    assert_eq!(good(&format!("{MINIMAL}{body}")).step(), 0.001);
    assert_eq!(good(&format!("{MINIMAL}model = \"springs\"\nsprings = {{ from_material = true }}\n")).step(), 0.001);
}

#[test]
fn the_largest_step_is_at_most_a_frame() {
    let scene = good(&format!("[time]\nfps = 500\n{MINIMAL}"));
    assert_eq!((scene.step(), scene.warnings.len()), (2e-3, 0));
}

#[test]
fn the_smallest_step_follows_a_small_step() {
    let scene = good(&format!("[time]\nstep = 1e-5\n{MINIMAL}"));
    assert_eq!((scene.step(), scene.time.min_step), (1e-5, 1e-5));
}

#[test]
fn up_turns_gravity() {
    let scene = good(&format!("[scene]\nup = \"z\"\n{MINIMAL}"));
    assert_eq!(scene.gravity, Vec3::new(0.0, 0.0, -9.81));
    let scene = good(&format!("[scene]\nup = \"z\"\ngravity = [1, 0, 0]\n{MINIMAL}"));
    assert_eq!(scene.gravity, Vec3::x());
}
