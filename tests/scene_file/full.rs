//! A scene that uses every key.

use crate::support::{good, lines, read};
use percale::effect::pointer::pick::Moment;
use percale::force::bending::Bending;
use percale::force::contact::Friction;
use percale::force::dahl::{Dahl, Form};
use percale::force::internal_friction::{InternalFriction, Start as Anchor};
use percale::force::membrane::yielding as stretch;
use percale::force::membrane::{Isotropic, Membrane, Progressive};
use percale::force::plate::yielding::Yield;
use percale::linalg::Vec3;
use percale::scene::body;
use percale::scene::border::Sides;
use percale::scene::cloth::{Mapped, Model, Pull, Rest, RestAngles, Source as Shaped};
use percale::scene::fold::Yields;
use percale::scene::key::Of;
use percale::scene::obstacle::Shape;
use percale::scene::pattern::Hold;
use percale::scene::pick::Direction;
use percale::scene::place::{MapSource, Members, Selector};
use percale::scene::preview::Shading;
use percale::scene::probe::{Every, Measure, Source, Worker};
use percale::scene::settings::{Format, Method, Pinch, Precision, Start};
use percale::scene::solid::Law;
use percale::scene::time::Integrator;
use percale::scene::{Contact, Time, Up};
use percale::world::motion::Motion;
use percale::world::window::Window;
use std::f64::consts::PI;

/// Scene with every key, at values other than the defaults.
pub const FULL: &str = include_str!("full.toml");

#[test]
fn settings_are_read_in_si() {
    let scene = good(FULL);
    assert_eq!((scene.name.as_str(), scene.up, scene.gravity), ("everything", Up::Z, Vec3::new(0.0, 0.0, -1.62)));
    let onward = scene.onward.as_ref().unwrap();
    assert_eq!((&onward.run, onward.frame), (&scene.folder.join("drape"), 60));
    let time = Time {
        fps: 24.0,
        frames: 48,
        start_frame: 1001,
        preroll: 24,
        scale: 0.5,
        step: Some(5e-4),
        accuracy: 1e-4,
        min_step: 1e-6,
        integrator: Integrator::BackwardEuler,
        adaptive: false,
        frame_limit: Some(600.0),
    };
    assert_eq!(scene.time, time);
    assert_eq!(
        scene.contact,
        Contact {
            enabled: false,
            method: Method::Vertex,
            epsilon: Some(3e-3),
            distance: 2e-3,
            self_contact: false,
            stiffness: 3.0,
            start: Start::Untangle,
            ease: 0.2,
            pinch: Pinch::Release,
            release: Some("ball".to_string())
        }
    );
    assert_eq!((scene.solver.max_iterations, scene.solver.precision), (200, Precision::F64));
    assert_eq!((scene.wind.velocity, scene.wind.gust), (Vec3::new(10.0, 0.0, 0.0), 0.5));
    assert_eq!((scene.wind.gust_period, scene.wind.seed), (2.0, 7));
    assert!(!scene.output.meshes && scene.output.format == Format::Ply && !scene.output.obstacles);
    assert_eq!((scene.output.checkpoint, scene.output.keep_checkpoints), (25, 3));
    assert!(scene.output.fields.iter().map(|f| f.word).eq(["strain", "speed", "gap", "pressure", "air_mass"]));
    let t = &scene.tethers[0];
    assert_eq!((t.cloth.as_str(), t.point, t.stiffness), ("sheet", Vec3::new(0.0, 2.0, 0.5), 20.0));
    assert_eq!((t.length, t.set), (Some(0.8), 0.25));
    let button = &scene.attaches[0];
    assert_eq!((button.name.as_deref(), button.to_group.as_deref()), (Some("button"), Some("corner")));
    assert_eq!([button.within, button.over, button.stiffness, button.from, button.until], [0.03, 0.2, 500.0, 1.0, 2.0]);
    assert_eq!((button.gap, button.strength), (Some(2e-3), Some(8.0)));
    assert_eq!((button.spread, button.along.map(|along| along.into_inner())), (0.4, Some(-Vec3::z())));
    assert_eq!(
        (scene.keyed[0].of, &scene.keyed[0].times[..], &scene.keyed[0].factors[..]),
        (Of::Gravity, &[0.0, 0.5][..], &[1.0, 0.5][..])
    );
    assert_eq!((scene.keyed[1].of, &scene.keyed[1].objects), (Of::Bend, &Some(vec!["sheet".to_string()])));
    let probes: Vec<&str> = scene.probes.iter().map(|p| p.name.as_str()).collect();
    assert_eq!((probes.len(), probes[2], scene.probes[0].every), (11, "press", Every::Step));
    let Measure::Force(press) = &scene.probes[2].measure else { panic!() };
    assert_eq!((&press.source, press.from.as_deref()), (&Source::Object("sheet".to_string()), Some("floor")));
    assert!(matches!(&scene.probes[6].measure, Measure::Work(work) if work.worker == Worker::Obstacle("ball".into())));
    let Measure::Length(span) = &scene.probes[8].measure else { panic!() };
    assert_eq!((span.from.of.as_str(), &span.from.selector), ("sheet", &Selector::Group("corner".to_string())));
    assert!(span.to.of == "toy" && matches!(span.to.selector, Selector::Box(_)));
}

#[test]
fn pictures_are_read() {
    let scene = good(FULL);
    let p = &scene.preview;
    let word = p.field.map(|f| f.word);
    assert_eq!((p.shading, word, p.field_range), (Shading::Minnaert1941, Some("strain"), Some([0.0, 0.1])));
    assert_eq!((p.width, p.height, p.samples, p.every, p.sheet), (640, 360, 4, 2, 0));
    assert_eq!((p.enabled, p.exr, p.wireframe, p.ground, p.k), (false, true, true, false, 0.9));
    assert_eq!((p.ground_height, p.background), (Some(-0.1), Some([1.0, 0.0, 128.0 / 255.0])));
    assert_eq!((p.camera.position, p.camera.target), (Some(Vec3::new(1.0, 2.0, 3.0)), Some(Vec3::z() * 0.5)));
    assert!((p.camera.fov - 50.0 * PI / 180.0).abs() < 1e-15);
    assert_eq!(p.key.direction.map(|d| d.into_inner()), Some(Vec3::z()));
}

#[test]
fn materials_vary_others() {
    let scene = good(FULL);
    let find = |name: &str| scene.materials.iter().find(|m| m.name == name).unwrap();
    let tarp = find("tarp");
    assert_eq!((tarp.density, tarp.thickness, tarp.damping, tarp.bending_damping), (0.6, 1e-3, 2e-4, Some(2e-2)));
    assert_eq!(tarp.membrane, Membrane::Isotropic(Isotropic { young: 5000.0, poisson: 0.1 }));
    assert_eq!(tarp.bending, Bending::Constant(3e-4));
    assert_eq!((tarp.friction_static, tarp.friction_dynamic), (0.5, 0.4));
    let drape = tarp.drape.as_ref().unwrap();
    assert_eq!(
        (drape.simulated.as_deref(), drape.band.as_deref()),
        (Some(&[0.9, 0.91, 0.92][..]), Some(&[0.85, 0.95][..]))
    );
    assert_eq!((drape.nodes.as_deref(), drape.source.as_deref()), (Some(&[3.0, 4.5, 4.0][..]), Some("a test")));
    assert_eq!(drape.error.as_deref(), Some(&[0.01, 0.02, 0.01][..]));
    let bend = Some(Yield { curvature: 200.0, hardening: 0.25 });
    assert_eq!((find("sheared").plastic, tarp.plastic), (Yields { bend, stretch: None }, Yields::default()));
    let stretch = Some(stretch::Yield { strain: 0.03, hardening: 0.5 });
    assert_eq!(find("tabled").plastic, Yields { bend: None, stretch });
    let wet = find("wet-tarp");
    assert_eq!(wet.drape, None, "a variation drapes in its own way");
    assert_eq!((wet.density, wet.friction_static, wet.friction_dynamic), (0.9, 0.2, 0.2));
    assert_eq!((wet.membrane, wet.bending, &wet.description), (tarp.membrane, tarp.bending, &tarp.description));
    let Bending::Orthotropic([warp, weft, twist]) = find("threads").bending else { panic!() };
    assert!((warp - 30e-6).abs() < 1e-12 && (weft - 10e-6).abs() < 1e-12 && (twist - 12e-6).abs() < 1e-12);
    let Membrane::Table(table) = find("tabled").membrane else { panic!() };
    assert_eq!((table.0[0], table.0[5]), ([20.0, 0.0, 40.0, 60.0], [120.0, 2.0, 140.0, 0.0]));
    let Bending::Table(rows) = find("tabled").bending else { panic!() };
    assert_eq!(rows[2], [2e-6, 3e-6, 4e-6, 5e-6, 6e-6]);
}

#[test]
fn a_cloth_has_all_its_parts() {
    let scene = good(FULL);
    let cloth = &scene.cloths[0];
    assert_eq!((cloth.material.name.as_str(), cloth.material.density), ("tarp", 0.25));
    assert_eq!((cloth.material.thickness, cloth.strain_limit), (4e-4, Some(0.1)));
    assert_eq!((cloth.offset, cloth.weld, cloth.subdivide), (1e-3, 1e-4, 1));
    assert_eq!((cloth.rest, cloth.rest_angles), (Rest::Chart, RestAngles::Flat));
    assert_eq!((cloth.air_drag, cloth.air_drag_tangent, cloth.checker), (Some(1.5), 0.2, Some(0.02)));
    let t = &cloth.transform;
    // Scale 2, a quarter turn about x, a quarter turn about z, translation: y -> 2y -> 2z -> 2z + 1 in z.
    assert!((t.apply(&Vec3::y()) - Vec3::new(0.0, 0.0, 3.0)).norm() < 1e-12);
    assert!((t.apply(&Vec3::x()) - Vec3::new(0.0, 2.0, 1.0)).norm() < 1e-12);
    assert!(matches!(&cloth.groups[0].members, Members::Box(r) if r.contains(&Vec3::zeros())));
    assert!(matches!(&cloth.groups[1].members, Members::Sphere(b) if b.contains(&Vec3::x())));
    assert_eq!(cloth.groups[2].members, Members::Vertices(vec![0, 2]));
    let selectors: Vec<&Selector> = cloth.pins.iter().map(|p| &p.selector).collect();
    assert!(matches!(
        selectors.as_slice(),
        [Selector::Group(_), Selector::Box(_), Selector::Sphere(_), Selector::Vertices(_), Selector::All]
    ));
    let Motion::Keyframes(keys) = &cloth.pins[0].motion else { panic!() };
    assert_eq!((keys[1].time, keys[1].translation, keys[1].origin), (0.5, Vec3::new(0.0, 0.0, 0.1), Vec3::x()));
    assert!((keys[1].turn - Vec3::z() * (PI / 2.0)).norm() < 1e-15);
    let Motion::Rotation { speed, from, until, .. } = &cloth.pins[1].motion else { panic!() };
    assert!((*speed - PI).abs() < 1e-14 && (*from, *until) == (1.0, 3.0));
    let Motion::Path(samples) = &cloth.pins[2].motion else { panic!() };
    assert_eq!(samples[1], (0.5, Vec3::new(0.0, 1.5, 0.0)));
    assert_eq!((cloth.pins[3].from, cloth.pins[3].until), (0.25, 2.0));
    assert_eq!((&cloth.handles[0].pull, cloth.handles[0].max_force), (&Pull::Spring(200.0), 0.5));
    assert_eq!(cloth.handles[1].pull, Pull::Force(Vec3::new(0.0, 0.0, 0.002)));
    let fold = &cloth.folds[0];
    assert_eq!((&fold.groups[..], fold.stiffness), (&["corner", "pleat-*"].map(str::to_string)[..], 0.5));
    assert!((fold.angle + PI / 1.5).abs() < 1e-15 && [fold.from, fold.over] == [0.25, 2.0]);
    let pick = &cloth.picks[0];
    assert_eq!((pick.force, pick.direction, pick.moments.len()), (0.003, Direction::Motion, 2));
    assert_eq!(pick.moments[1], Moment { time: 0.5, at: [1.0, 0.0], down: true });
    assert_eq!((cloth.maps[0].of, cloth.maps[0].factor, cloth.maps[0].outside), (Mapped::Stretch, 2.0, 0.5));
    assert_eq!(cloth.maps[1].source, MapSource::Channel("weight".to_string()));
    let painted: Vec<Mapped> = cloth.maps[4..].iter().map(|map| map.of).collect();
    let all = [Mapped::Friction, Mapped::Damping, Mapped::BendingDamping, Mapped::StrainLimit, Mapped::Drag];
    assert_eq!(painted, all);
}

#[test]
fn a_pattern_has_all_its_parts() {
    let scene = good(FULL);
    let gown = scene.cloths.iter().find(|cloth| cloth.name == "gown").unwrap();
    let Shaped::Pattern(pattern) = &gown.source else { panic!("a pattern") };
    assert!(pattern.file.ends_with("gown.dxf") && gown.file() == pattern.file && gown.rest == Rest::Chart);
    assert_eq!((pattern.edge_length, pattern.unit, pattern.size.as_deref()), (5e-3, Some(1e-3), Some("M")));
    let names: Vec<Option<&str>> = pattern.stitches.iter().map(|s| s.name.as_deref()).collect();
    assert_eq!(
        (names, &pattern.stitches[0].edges[..]),
        (vec![Some("side"), None], &["front.1", "back.3"].map(str::to_string)[..])
    );
    let place = &pattern.panels[0];
    assert_eq!((place.name.as_str(), place.translate), ("back", Vec3::new(0.0, 1.0, -0.2)));
    let [front, sleeve] = [1, 2].map(|k| pattern.panels[k].around.as_ref().unwrap());
    assert_eq!((front.limb.as_deref(), front.from, front.to), (Some("ball"), Some(Vec3::zeros()), Some(Vec3::y())));
    assert_eq!([front.at, front.aside, front.up, front.offset], [PI / 2.0, 0.05, -0.03, 0.06]);
    assert_eq!((sleeve.radius, sleeve.at, sleeve.offset), (Some(0.09), PI / 6.0, 0.04));
    let sew = &pattern.sewing[0];
    assert_eq!(
        (place.wrap, pattern.weight_from, sew.seams.as_deref()),
        (Some(0.3), Some(3.0), Some(&["side".to_string()][..]))
    );
    assert_eq!(([sew.from, sew.over, sew.force], sew.gather), ([0.5, 2.0, 3.0], Some(0.06)));
    assert_eq!((sew.hold, sew.stiffness, sew.strength), (Hold::Elastic, Some(2e4), Some(900.0)));
    let mesh =
        FULL.replace("[cloth.pattern]\nfile = \"gown.dxf\"", "rest = \"mesh\"\n[cloth.pattern]\nfile = \"gown.dxf\"");
    assert_eq!(good(&mesh).cloths.iter().find(|cloth| cloth.name == "gown").unwrap().rest, Rest::Mesh);
}

#[test]
fn seams_of_a_mesh_have_all_their_parts() {
    let scene = good(FULL);
    let cloth = &scene.cloths[0];
    let [side, listed, open] = &cloth.borders[..] else { panic!("{:?}", cloth.borders) };
    let both = ["corner", "top"].map(str::to_string).to_vec();
    assert_eq!((side.name.as_str(), side.flip, &side.sides), ("side", true, &Sides::Groups(both)));
    assert_eq!((listed.flip, &listed.sides), (false, &Sides::Pairs(vec![vec![0, 1], vec![2, 3]])));
    assert_eq!(open.sides, Sides::Coincident);
    let sew = &cloth.sewing[0];
    assert_eq!(sew.seams.as_deref(), Some(&["side", "open"].map(str::to_string)[..]));
    assert_eq!(([sew.from, sew.over, sew.force], sew.hold), ([0.1, 2.0, 4.0], Hold::Elastic));
    assert_eq!(sew.gather, Some(0.0));
    assert_eq!((sew.stiffness, sew.strength), (Some(1e4), Some(80.0)));
}

#[test]
fn cloths_of_springs_have_all_their_parts() {
    let scene = good(FULL);
    let [net, woven, knit, ..] = &scene.cloths[1..] else { panic!("three cloths of springs") };
    assert_eq!((net.model, net.vertex_mass), (Model::Springs, Some(2e-4)));
    let springs = &net.springs;
    assert_eq!([springs.structural, springs.shear, springs.flexion], [Some(20.0), Some(8.0), Some(3.0)]);
    assert_eq!([springs.damping, springs.stretch_limit, springs.squeeze_limit], [Some(0.01), Some(0.1), Some(0.2)]);
    let springs = &woven.springs;
    assert_eq!(woven.model, Model::ChoiKo);
    assert_eq!([springs.ks, springs.kb, springs.kd, springs.cb], [Some(50.0), Some(5e-7), Some(0.01), Some(2.0)]);
    assert_eq!((springs.euler, springs.from_material, knit.springs.from_material), (Some(true), false, true));
}

#[test]
fn internal_friction_has_all_its_parts() {
    let scene = good(FULL);
    let [.., own, without] = &scene.cloths[..] else { panic!("two cloths of materials with friction") };
    let material = &own.material;
    let young = [[135.0, 64.0], [100.0, 0.0]];
    assert_eq!(material.membrane, Membrane::Progressive(Progressive { young, shear: 40.0, poisson: 0.1 }));
    assert_eq!(material.bending, Bending::Progressive([1.4e-5, 1e-8]));
    let inner = own.inner();
    let form = Form::Fitted;
    assert_eq!(inner.start, Anchor::Saturated);
    assert_eq!(inner.stretch[0], Some(Dahl { a: 2.0, b: 3.0, tau: 0.006, form }));
    // Friction is given for warp, and carries a part of its stress.
    let most = 100.0 * 0.02 - material.membrane.crosswise()[1] * 2.0;
    assert_eq!(inner.stretch[1], Some(Dahl { form, ..Dahl::tuned(most, 0.1 - 0.02) }));
    assert_eq!(inner.stretch[2], Some(Dahl { a: 1.0, b: 0.0, tau: 0.01, form }));
    assert_eq!(inner.bend[0], Some(Dahl { a: 5e-4, b: 5e-6, tau: 30.0, form }));
    // The moment at a curvature of 20 1/m: k1 e + k2 e^2 at e of three times that.
    assert_eq!(
        inner.bend[1],
        Some(Dahl { form, ..Dahl::tuned(3.0 * (1.4e-5 + 3.0 * 1e-8 * 20.0) * 20.0, 3.0 * 80.0) })
    );
    assert_eq!(without.inner(), InternalFriction::default());
    let power = without.material.internal_friction;
    assert_eq!(power.stretch[0], Some(Dahl { a: 2.0, b: 0.0, tau: 0.01, form: Form::Power(0.5) }));
    assert_eq!((power.stretch[1], power.bend), (power.stretch[0], [None, None]));
}

#[test]
fn a_body_has_all_its_parts() {
    let scene = good(FULL);
    let shapes: Vec<&body::Shape> = scene.bodies.iter().map(|b| &b.shape).collect();
    let [body::Shape::Mesh(_), body::Shape::Sphere(ball), body::Shape::Box(block), body::Shape::Capsule(c)] =
        shapes.as_slice()
    else {
        panic!("{shapes:?}")
    };
    assert_eq!((ball.radius, block.size, c.radius), (0.2, Vec3::new(1.0, 2.0, 0.5), 0.1));
    let toy = &scene.bodies[0];
    let gel = &toy.material;
    assert_eq!((gel.name.as_str(), gel.density, gel.young, gel.poisson), ("gel", 1100.0, 3e4, 0.45));
    assert_eq!((gel.law, gel.damping, gel.drag), (Law::Corotational, 3e-3, 2.0));
    assert_eq!(gel.friction, Friction { fixed: 0.7, sliding: 0.6 });
    assert_eq!((toy.thickness, toy.velocity, toy.self_contact), (2e-3, Vec3::z(), false));
    let own = [scene.cloths[0].contact_distance, toy.contact_distance, scene.obstacles[0].contact_distance];
    assert_eq!(own, [5e-4, 3e-3, 2e-3].map(Some));
    assert_eq!((toy.groups.len(), toy.pins[0].from, toy.handles[0].max_force), (1, 0.5, 2.0));
    assert_eq!((scene.bodies[1].resolution, scene.bodies[1].material.name.as_str()), (Some(0.02), "sponge"));
}

#[test]
fn obstacles_of_every_shape() {
    let scene = good(FULL);
    let shapes: Vec<&Shape> = scene.obstacles.iter().map(|o| &o.shape).collect();
    let [
        Shape::Mesh(_),
        Shape::Sphere(ball),
        Shape::Box(block),
        Shape::Plane(plane),
        Shape::Capsule(c),
        Shape::Sequence(walk),
        Shape::Cache(dance),
    ] = shapes.as_slice()
    else {
        panic!("{shapes:?}")
    };
    assert_eq!((ball.center, ball.radius), (Vec3::new(0.0, 0.0, 0.3), 0.25));
    assert_eq!((block.size, block.rotate.as_ref().map(|t| t.angle)), (Vec3::new(1.0, 2.0, 0.5), Some(0.5)));
    assert_eq!((plane.size, plane.normal.map(|n| n.into_inner())), (4.0, Some(Vec3::z())));
    assert_eq!((c.a, c.b, c.radius), (Vec3::zeros(), Vec3::z(), 0.1));
    assert_eq!((walk.fps, walk.start, walk.repeat, walk.files(&scene.folder).len()), (Some(12.0), 1.0, true, 2));
    assert_eq!((dance.fps, dance.start, dance.repeat), (Some(15.0), Some(2.0), true));
    assert!(
        dance.mesh.ends_with("walk/step.0001.obj")
            && dance.points.as_ref().is_some_and(|p| p.ends_with("walk/walk.mdd"))
    );
    let mesh = &scene.obstacles[0];
    assert_eq!((mesh.friction, mesh.thickness), (Friction { fixed: 0.6, sliding: 0.5 }, 1e-3));
    assert_eq!((mesh.visible, mesh.checker, mesh.colour), (false, Some(0.05), [0.1, 0.2, 0.3]));
    assert!(matches!(mesh.motion, Motion::Rotation { speed, until, .. } if speed == 1.5 && until == f64::INFINITY));
    assert_eq!(scene.obstacles[1].friction, Friction { fixed: 0.1, sliding: 0.1 });
    assert_eq!(scene.obstacles[1].resolution, Some(0.01));
    let windows = [0, 1].map(|k| scene.obstacles[k].window());
    assert_eq!(windows, [Window::ALWAYS, Window { from: 0.5, until: 2.0 }]);
}

#[test]
fn a_plain_angle_beyond_a_turn_is_warned_of() {
    let text = FULL.replace("angle = \"90 deg\"", "angle = 90");
    let scene = good(&text);
    let warnings = lines(&scene.warnings);
    assert!(warnings.contains("a plain number is in radians: 90 rad; for degrees write \"90 deg\""), "{warnings}");
    assert!(good(FULL).warnings.is_empty());
}

#[test]
fn line_ends_and_marks_of_other_systems_are_no_fault() {
    let scene = good(FULL);
    let crlf = good(&FULL.replace('\n', "\r\n"));
    assert_eq!((scene.cloths, scene.obstacles), (crlf.cloths, crlf.obstacles));
    assert!(read(&format!("\u{feff}{FULL}")).is_ok());
}
