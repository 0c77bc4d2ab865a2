//! Simulations of the library: states that are saved, values that are set, scenes without files.

use percale::linalg::Vec3;
use percale::mesh::{self, arrays::Arrays};
use percale::scene::given::{Given, Shape};
use percale::scene::key::Of;
use percale::{Error, Simulation};
use std::path::Path;

const COARSE: &[&str] = &["cloth.sheet.mesh=../meshes/sheet_1m_25.ply", "time.frames=24"];

fn scene(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes").join(name)
}

fn drape() -> Simulation {
    Simulation::load(scene("drape.toml"), COARSE).unwrap()
}

fn until(simulation: &mut Simulation, frame: u32) {
    while simulation.frame() != Some(frame) {
        assert!(simulation.next_frame().unwrap().is_some());
    }
}

/// Positions, velocities and histories of the next frames.
fn ahead(simulation: &mut Simulation, frames: u32) -> Vec<Vec<u8>> {
    let last = simulation.frame().unwrap() + frames;
    let mut all = Vec::new();
    while simulation.frame() != Some(last) {
        simulation.next_frame().unwrap();
        all.push(simulation.save());
    }
    all
}

fn told<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result.unwrap_err() {
        Error::Value(why) => why,
        other => panic!("{other}"),
    }
}

/// Frames after a state are those that followed it, with values set before and after.
#[test]
fn a_state_that_is_restored_goes_on_with_the_same_bits() {
    let mut simulation = drape();
    until(&mut simulation, 15);
    assert!(!simulation.contacts().is_empty(), "the sheet touches the ball");
    simulation.set_wind(Vec3::new(2.0, 0.0, 1.0)).unwrap();
    simulation.set_gravity(Vec3::new(0.5, -9.0, 0.0)).unwrap();
    let ball = simulation.positions("ball").unwrap().to_vec();
    let aside: Vec<Vec3> = ball.iter().map(|p| p + Vec3::new(0.01, 0.0, 0.0)).collect();
    simulation.set_target("ball", &aside).unwrap();
    until(&mut simulation, 16);
    let single = |p: &Vec3| p.map(|c| f64::from(c as f32));
    assert_eq!(simulation.positions("ball").unwrap(), aside.iter().map(single).collect::<Vec<_>>());
    let state = simulation.save();
    let first = ahead(&mut simulation, 4);
    simulation.restore(&state).unwrap();
    assert_eq!(simulation.save(), state);
    let again = ahead(&mut simulation, 4);
    let mut other = drape();
    until(&mut other, 1);
    other.restore(&state).unwrap();
    assert!(first == again && first == ahead(&mut other, 4));
    // Where nothing is set, the bits are those of a simulation that was never touched.
    let mut plain = drape();
    until(&mut plain, 3);
    simulation.restore(&plain.save()).unwrap();
    assert!(ahead(&mut plain, 3) == ahead(&mut simulation, 3));
}

/// A state between two frames, and one before the first.
#[test]
fn a_state_between_frames_goes_on() {
    let mut simulation = drape();
    let start = simulation.save();
    until(&mut simulation, 2);
    assert_eq!(simulation.next_frame_while(|| false).unwrap(), None);
    let between = simulation.save();
    let first = ahead(&mut simulation, 2);
    simulation.restore(&between).unwrap();
    assert!(first == ahead(&mut simulation, 2));
    simulation.restore(&start).unwrap();
    assert_eq!((simulation.frame(), simulation.positions("sheet")), (None, None));
    until(&mut simulation, 4);
    assert!(simulation.save() == first[1]);
}

#[test]
fn states_of_others_are_refused() {
    let mut simulation = drape();
    until(&mut simulation, 1);
    let state = simulation.save();
    let mut finer = Simulation::load(scene("drape.toml"), &["cloth.sheet.mesh=../meshes/sheet_1m_50.ply"]).unwrap();
    assert!(told(finer.restore(&state)).ends_with("'sheet' has another mesh in it"));
    let mut other = Simulation::load(scene("hang.toml"), &[]).unwrap();
    assert!(told(other.restore(&state)).contains("the objects are "));
    for length in [0, 30, 400, state.len() - 1] {
        assert!(
            told(simulation.restore(&state[..length])).starts_with("the saved state cannot be taken: "),
            "{length}"
        );
    }
    assert!(simulation.save() == state);
}

#[test]
fn values_are_checked_before_they_are_set() {
    let mut simulation = drape();
    let places = simulation.world().obstacles[0].rest.clone();
    assert!(told(simulation.set_target("ball", &places)).starts_with("a target is that of the next frame"));
    until(&mut simulation, 1);
    let state = simulation.save();
    assert!(told(simulation.set_target("ball", &places[1..])).contains("are needed"));
    assert!(told(simulation.set_target("bowl", &places)).contains("no object is named 'bowl'"));
    assert!(told(simulation.set_wind(Vec3::x() * f64::NAN)).starts_with("wind: "));
    assert!(told(simulation.set_gravity(Vec3::x() * 1e5)).starts_with("gravity: "));
    assert!(told(simulation.set_factor(Of::Wind, None, f64::INFINITY)).starts_with("factor is inf"));
    assert!(told(simulation.set_pressure("sheet", 1.0)).starts_with("'sheet' is no balloon"));
    assert!(told(simulation.set_pin_target("sheet", 0, &[])).starts_with("'sheet' has 0 pins"));
    assert!(told(simulation.set_handle_target("sheet", 0, &[])).starts_with("'sheet' has 0 handles"));
    assert!(told(simulation.field("sheet", "colour")).starts_with("'sheet' has no field 'colour'; there are 'strain'"));
    let sheet = simulation.positions("sheet").unwrap().to_vec();
    let through: Vec<Vec3> = sheet.iter().map(|p| p - Vec3::y() * 0.4).collect();
    let crossing = simulation.set_positions("sheet", &through);
    let Err(Error::Scene(faults)) = crossing else { panic!("{crossing:?}") };
    assert!(faults[0].message.starts_with("as written 'sheet' and 'ball' cross: "), "{}", faults[0]);
    assert!(simulation.save() == state);
}

/// Builds a sheet in memory that lies above nothing, with more tables of its cloth. Four vertices are a side.
fn sheet(more: &str) -> Simulation {
    let positions = (0..16).map(|k| Vec3::new(f64::from(k % 4) * 0.1, 0.0, f64::from(k / 4) * 0.1)).collect();
    let quads = (0..9u32).map(|k| k % 3 + 4 * (k / 3)).flat_map(|v| [v, v + 4, v + 5, v + 1]);
    let arrays =
        Arrays { positions, corners: quads.collect(), ends: (1..=9).map(|t| 4 * t).collect(), ..Arrays::default() };
    let mut given = Given::default();
    given.insert("sheet", Shape::Surface(Box::new(arrays.mesh().unwrap())));
    let text = format!(
        "[time]\nfps = 30\nframes = 9\n[preview]\ncamera = {{ position = [0.15, 1, 0.16], target = [0.15, 0, 0.15] }}\n\
         [[cloth]]\nname = \"sheet\"\nmesh = \"memory:sheet\"\n{more}"
    );
    Simulation::from_text(&text, env!("CARGO_TARGET_TMPDIR"), given, &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn apart(a: &Simulation, b: &Simulation) -> f64 {
    let [a, b] = [a, b].map(|own| own.positions("sheet").unwrap());
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Targets that are set frame by frame move a handle, and soft vertices of a pin, as keyframes do.
#[test]
fn driven_handles_move_as_keyframes_move_them() {
    let shift = Vec3::new(0.01, 0.02, 0.0);
    let keys: Vec<String> = (0..9)
        .map(|k| {
            format!(
                "{{ time = {}, translate = [{}, {}, 0] }}",
                f64::from(k) / 30.0,
                0.01 * f64::from(k),
                0.02 * f64::from(k)
            )
        })
        .collect();
    let keys = format!("keyframes = [{}]\n", keys.join(", "));
    for table in [
        "[[cloth.handle]]\nvertices = [0, 1, 2, 3]\nstiffness = 5\n",
        "[[cloth.pin]]\nvertices = [0, 1, 2, 3]\nweight = 0.5\n",
    ] {
        let [mut still, mut driven] = [sheet(table), sheet(table)];
        let mut keyed = sheet(&format!("{table}{keys}"));
        [&mut still, &mut driven, &mut keyed].into_iter().for_each(|own| until(own, 1));
        assert_eq!(driven.handles("sheet").unwrap(), [[0, 1, 2, 3]]);
        let rest: Vec<Vec3> = driven.positions("sheet").unwrap()[..4].to_vec();
        for frame in 2..=9u32 {
            let places: Vec<Vec3> = rest.iter().map(|p| p + shift * f64::from(frame - 1)).collect();
            driven.set_handle_target("sheet", 0, &places).unwrap();
            let state = driven.save();
            [&mut still, &mut driven, &mut keyed].into_iter().for_each(|own| until(own, frame));
            let bits = driven.save();
            driven.restore(&state).unwrap();
            until(&mut driven, frame);
            assert!(driven.save() == bits, "frame {frame}");
        }
        let (same, moved) = (apart(&driven, &keyed), apart(&driven, &still));
        assert!(same < 1e-6 && moved > 0.05, "{table}: {same} m from keyframes, {moved} m from rest");
    }
    let mut held = sheet(
        "[[cloth.handle]]\nall = true\nforce = [0, 1, 0]\n[[cloth.handle]]\nnearest = [0, 0, 0]\nstiffness = 1\nfrom = 0.1\n",
    );
    until(&mut held, 1);
    assert!(told(held.set_handle_target("sheet", 0, &[])).contains("handle 0 of 'sheet' is a constant force"));
    assert!(told(held.set_handle_target("sheet", 1, &[Vec3::zeros()])).ends_with("does not hold at this frame"));
    assert!(told(held.set_handle_target("sheet", 1, &[])).contains("0 vectors are given, 1 are needed"));
}

/// A pointer that is set frame by frame pulls as one of a file with the same rows: pressed, moved, let go, and pressed
/// beside the cloth.
#[test]
fn a_driven_pointer_is_that_of_a_file() {
    let rows = [
        ([0.5, 0.5], 0),
        ([0.5, 0.5], 1),
        ([0.52, 0.5], 1),
        ([0.52, 0.45], 1),
        ([0.52, 0.45], 0),
        ([0.0, 0.0], 1),
        ([0.0, 0.0], 1),
        ([0.5, 0.5], 0),
        ([0.5, 0.5], 0),
    ];
    for direction in ["ray", "motion"] {
        let file = |name: &str, rows: &[([f64; 2], u8)]| {
            let line = |(k, ([x, y], down)): (usize, &([f64; 2], u8))| format!("{},{x},{y},{down}\n", k as f64 / 30.0);
            let text: String = rows.iter().enumerate().map(line).collect();
            let name = format!("driven-{name}-{direction}.csv");
            std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name), format!("t,px,py,button\n{text}"))
                .unwrap();
            sheet(&format!("[[cloth.pick]]\npath = \"{name}\"\nforce = 0.02\ndirection = \"{direction}\"\n"))
        };
        let (mut wanted, mut driven, mut still) =
            (file("file", &rows), file("idle", &rows[..1]), file("still", &rows[..1]));
        [&mut wanted, &mut driven, &mut still].into_iter().for_each(|own| until(own, 1));
        let mut held = Vec::new();
        for (frame, pair) in (2..).zip(rows.windows(2)) {
            held.push(driven.set_pointer("sheet", 0, pair[1].0, pair[0].1 == 1).unwrap());
            [&mut wanted, &mut driven, &mut still].into_iter().for_each(|own| until(own, frame));
            assert!(apart(&driven, &wanted) < 1e-9, "{direction}, frame {frame}: {} m", apart(&driven, &wanted));
        }
        let holds: Vec<bool> = held.iter().map(Option::is_some).collect();
        assert_eq!(holds, [false, true, true, true, false, false, false, false], "{held:?}");
        assert!(held[1] == held[3] && apart(&driven, &still) > 1e-3, "{held:?}, {} m", apart(&driven, &still));
    }
    let mut idle = sheet("");
    until(&mut idle, 1);
    assert!(told(idle.set_pointer("sheet", 0, [0.5; 2], true)).starts_with("'sheet' has 0 pointers"));
}

/// Text and a mesh in memory give the bits of the files that they are read from.
#[test]
fn a_scene_without_files_is_that_of_its_files() {
    let bytes = std::fs::read(scene("../meshes/sheet_1m_25.ply")).unwrap();
    let read = mesh::read("ply", &bytes).unwrap();
    let corners: Vec<u32> = read.triangles.iter().flatten().copied().collect();
    let ends = (1..=read.triangles.len()).map(|t| 3 * t).collect();
    let arrays = Arrays { positions: read.positions, corners, ends, ..Arrays::default() };
    let mut given = Given::default();
    given.insert("sheet", Shape::Surface(Box::new(arrays.mesh().unwrap())));
    let text = std::fs::read_to_string(scene("drape.toml")).unwrap();
    let set = ["cloth.sheet.mesh=memory:sheet", "time.frames=24"];
    let mut own = Simulation::from_text(&text, scene(""), given.clone(), &set).unwrap();
    let mut file = drape();
    for frame in 1..=4 {
        until(&mut own, frame);
        until(&mut file, frame);
        assert!(own.state() == file.state(), "frame {frame}");
    }
    let wrong = ["cloth.sheet.mesh=memory:shet"];
    let Err(Error::Scene(faults)) = Simulation::from_text(&text, scene(""), given, &wrong) else { panic!() };
    assert!(faults[0].message.ends_with("no mesh in memory is named 'shet'; did you mean 'sheet'?"), "{}", faults[0]);
    // Without a file the key is the place.
    let text = "[[cloth]]\nname = \"a\"\nmesh = \"none.ply\"\n[time]\nfsp = 3\n";
    let Err(Error::Scene(faults)) = Simulation::from_text(text, ".", Given::default(), &[]) else { panic!() };
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(lines[0].starts_with("cloth[0].mesh: no such file") && lines[1].starts_with("time.fsp: "), "{lines:?}");
    let Err(Error::Scene(faults)) = Simulation::from_text("[time\n", ".", Given::default(), &[]) else { panic!() };
    assert!(faults[0].to_string().starts_with("scene:1:"), "{}", faults[0]);
}
