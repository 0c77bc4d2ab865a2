//! Pins and obstacles that leave cloth no space. Only the pinched parts give way, the shot keeps its time, and no frame
//! has an intersection (each is tested exactly, as written).

use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Number of vertices around a tube, and distance between two rings [m].
const AROUND: usize = 32;
const ROW: f64 = 0.01;

struct Bench(PathBuf);

/// Statistics of a frame.
#[derive(Clone, Copy, Debug)]
struct Frame {
    steps: f64,
    lag: f64,
    yielding: f64,
    off: f64,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("pinches-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Bench(folder)
    }

    /// Runs a scene to its end and returns the statistics of its frames.
    fn run(&self, scene: &str) -> Vec<Frame> {
        fs::write(self.0.join("scene.toml"), scene).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
        let output = command.args(["run", "scene.toml", "--no-preview", "--progress", "none"]).current_dir(&self.0);
        let output = output.args(["--out", "run"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let text = fs::read_to_string(self.0.join("run/stats.ndjson")).unwrap();
        let frames = text.lines().map(|line| {
            let all: serde_json::Value = serde_json::from_str(line).unwrap();
            let of = |key: &str| all[key].as_f64().unwrap();
            Frame { steps: of("steps"), lag: of("lag"), yielding: of("yielding"), off: of("off_path") }
        });
        frames.collect()
    }

    fn told(&self) -> String {
        fs::read_to_string(self.0.join("run/run.json")).unwrap()
    }

    /// Returns the positions of an object at a frame.
    fn at(&self, name: &str, frame: usize) -> Vec<[f64; 3]> {
        let file = self.0.join(format!("run/meshes/{name}/{name}.{frame:04}.ply"));
        let mesh = percale::mesh::ply::read(&fs::read(&file).unwrap()).unwrap().mesh;
        mesh.positions.iter().map(|p| [p.x, p.y, p.z]).collect()
    }
}

/// Largest number of steps in a frame: four per millisecond.
const STEPS: f64 = 4.0 * 1e3 / 24.0;

/// Asserts that no frame has a lag or more than [`STEPS`], and that vertices gave way.
fn kept(name: &str, frames: &[Frame]) {
    assert!(frames.iter().all(|frame| frame.lag == 0.0), "{name}: {frames:?}");
    assert!(frames.iter().all(|frame| frame.steps <= STEPS), "{name}: {frames:?}");
    assert!(frames.iter().any(|frame| frame.yielding > 0.0), "{name}: {frames:?}");
}

/// Makes a tube of so many rows about the y axis.
fn tube(rows: usize, radius: f64) -> Vec<[f64; 3]> {
    let vertex = |k: usize| {
        let angle = (k % AROUND) as f64 / AROUND as f64 * TAU;
        [radius * angle.cos(), ROW * (k / AROUND) as f64, radius * angle.sin()]
    };
    (0..rows * AROUND).map(vertex).collect()
}

fn obj(x: &[[f64; 3]]) -> String {
    let mut text: String = x.iter().map(|p| format!("v {} {} {}\n", p[0], p[1], p[2])).collect();
    for k in 0..x.len() - AROUND {
        let (row, next) = (k / AROUND * AROUND, (k + 1) % AROUND);
        let [a, b] = [k + 1, row + next + 1];
        text += &format!("f {a} {} {b}\nf {b} {} {}\n", a + AROUND, a + AROUND, b + AROUND);
    }
    text
}

fn pc2(frames: &[Vec<[f64; 3]>]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1i32.to_le_bytes());
    bytes.extend((frames[0].len() as i32).to_le_bytes());
    [1.0f32, 1.0].iter().for_each(|n| bytes.extend(n.to_le_bytes()));
    bytes.extend((frames.len() as i32).to_le_bytes());
    frames.iter().flatten().flatten().for_each(|c| bytes.extend((*c as f32).to_le_bytes()));
    bytes
}

/// The waistband of a skirt lies in the body for four frames. It is held at the surface, slides there, and returns to
/// its path.
#[test]
fn a_waistband_in_the_body_stays_on_it() {
    for depth in [0.001, 0.003, 0.01] {
        let name = format!("waistband-{}", depth * 1e3);
        let bench = Bench::new(&name);
        let x = tube(12, 0.106);
        fs::write(bench.0.join("skirt.obj"), obj(&x)).unwrap();
        let inside = |frame: usize| (4..8).contains(&frame);
        let path = |frame: usize| tube(12, if inside(frame) { 0.1 - depth } else { 0.106 });
        fs::write(bench.0.join("skirt.pc2"), pc2(&(0..14).map(path).collect::<Vec<_>>())).unwrap();
        let scene = "[time]\nfps = 24\nframes = 14\n[[cloth]]\nname = \"skirt\"\nmesh = \"skirt.obj\"\nmaterial = \"cotton\"\n\
             [[cloth.pin]]\nbox = { min = [-1, 0.105, -1], max = [1, 0.115, 1] }\ncache = { mesh = \"skirt.obj\", points = \"skirt.pc2\" }\n\
             [[obstacle]]\nname = \"body\"\ncapsule = { a = [0, -0.3, 0], b = [0, 0.5, 0], radius = 0.1 }\n";
        let frames = bench.run(scene);
        kept(&name, &frames);
        assert!(frames[13].yielding == 0.0, "{name}: {frames:?}");
        assert!(bench.told().contains("give way in a pinch"), "{}", bench.told());
        // The waistband is on the surface, at its height. Cloth that is too wide for its path waves, and may also be
        // outside.
        let band = |frame: usize| bench.at("skirt", frame)[11 * AROUND..].to_vec();
        for (k, p) in band(8).iter().enumerate() {
            let radius = p[0].hypot(p[2]);
            assert!((0.0985..0.115).contains(&radius) && (p[1] - 0.11).abs() < 4e-3, "{name}: vertex {k} at {p:?}");
        }
        // Afterwards it is at the positions of the file.
        for (p, q) in band(14).iter().zip(&x[11 * AROUND..]) {
            let off = (0..3).map(|c| (p[c] - q[c]).powi(2)).sum::<f64>().sqrt();
            assert!(off < 2e-6, "{name}: {off}");
        }
        // A yield bound of zero delays the shot.
        if depth == 0.003 {
            let frames =
                Bench::new("stiff").run_like(&bench, &scene.replace("[[cloth.pin]]", "[[cloth.pin]]\nyield = 0"));
            assert!(frames.iter().any(|frame| frame.lag > 0.0) && frames.iter().all(|frame| frame.yielding == 0.0));
        }
    }
}

impl Bench {
    /// Runs a scene with the files of another bench.
    fn run_like(&self, other: &Bench, scene: &str) -> Vec<Frame> {
        for file in ["skirt.obj", "skirt.pc2"] {
            fs::copy(other.0.join(file), self.0.join(file)).unwrap();
        }
        self.run(scene)
    }
}

/// Two balls close on a napkin and stay. They are dented there, and a box far away follows its keyframes.
#[test]
fn balls_that_stay_closed_hold_up_nothing() {
    let bench = Bench::new("balls");
    let sheet = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/sheet_1m_25.ply");
    for (name, opens) in [("stay", ""), ("open", ", { time = 0.4 }")] {
        let scene = format!(
            "[scene]\ngravity = [0, 0, 0]\n[time]\nfps = 24\nframes = 18\n[[cloth]]\nname = \"napkin\"\nmesh = {sheet:?}\n\
             transform = {{ scale = 0.2 }}\n\
             [[obstacle]]\nname = \"above\"\nsphere = {{ center = [0, 0.1035, 0], radius = 0.1 }}\nresolution = 0.03\n\
             keyframes = [{{ time = 0 }}, {{ time = 0.2, translate = [0, -0.006, 0] }}{opens}]\n\
             [[obstacle]]\nname = \"below\"\nsphere = {{ center = [0, -0.1035, 0], radius = 0.1 }}\nresolution = 0.03\n\
             keyframes = [{{ time = 0 }}, {{ time = 0.2, translate = [0, 0.006, 0] }}{opens}]\n\
             [[obstacle]]\nname = \"box\"\nbox = {{ center = [5, 0, 0], size = [0.1, 0.1, 0.1] }}\n\
             keyframes = [{{ time = 0 }}, {{ time = 1, translate = [1, 0, 0] }}]\n"
        );
        let _ = fs::remove_dir_all(bench.0.join("run"));
        let frames = bench.run(&scene);
        kept(name, &frames);
        let [begin, end] = [1, 18].map(|frame| bench.at("box", frame)[0][0]);
        assert!((end - begin - 17.0 / 24.0).abs() < 1e-6, "{name}: {begin} to {end}");
        // The balls overlap by 5 mm, and the napkin has a thickness: no surface is pressed in by more.
        assert!(frames.iter().all(|frame| frame.off < 6e-3), "{name}: {frames:?}");
        let held = frames[17].yielding > 0.0;
        assert_eq!(held, opens.is_empty(), "{name}: {frames:?}");
    }
}

/// An arm comes to rest on a torso with a sleeve between, while both walk. The sleeve stays on the arm, and no frame
/// has a lag.
#[test]
fn an_arm_rests_on_a_torso_with_a_sleeve_between() {
    let bench = Bench::new("arm");
    fs::write(bench.0.join("sleeve.obj"), obj(&tube(21, 0.046))).unwrap();
    let walk = |more: [&str; 4]| {
        let keys: Vec<String> =
            (0..4).map(|k| format!("{{ time = {}, translate = [{}] }}", [0.0, 0.2, 0.6, 0.8][k], more[k])).collect();
        keys.join(", ")
    };
    let scene = format!(
        "[time]\nfps = 24\nframes = 22\n[[cloth]]\nname = \"sleeve\"\nmesh = \"sleeve.obj\"\nmaterial = \"cotton\"\n\
         transform = {{ translate = [0.22, 0, 0] }}\n[[cloth.pin]]\nbox = {{ min = [-1, 0.195, -1], max = [1, 0.205, 1] }}\nkeyframes = [{0}]\n\
         [[obstacle]]\nname = \"arm\"\ncapsule = {{ a = [0.22, -0.1, 0], b = [0.22, 0.3, 0], radius = 0.04 }}\nkeyframes = [{0}]\n\
         [[obstacle]]\nname = \"torso\"\ncapsule = {{ a = [0, -0.3, 0], b = [0, 0.5, 0], radius = 0.1 }}\nkeyframes = [{1}]\n",
        walk(["0, 0, 0", "-0.084, 0, 0.05", "-0.084, 0, 0.25", "0, 0, 0.3"]),
        walk(["0, 0, 0", "0, 0, 0.05", "0, 0, 0.25", "0, 0, 0.3"]),
    );
    let frames = bench.run(&scene);
    kept("arm", &frames);
    assert!(frames.iter().all(|frame| frame.off < 0.012), "{frames:?}");
    // The torso is at the end of its path, except for its dents.
    let torso = bench.at("torso", 22);
    let z = torso.iter().map(|p| p[2]).fold(f64::NEG_INFINITY, f64::max);
    assert!((z - 0.4).abs() < 2e-3, "{z}");
}
