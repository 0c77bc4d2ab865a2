//! Every shipped scene, short or coarse, compared with `scenes/<name>.expected.toml`; and physical properties of the
//! drape.
//!
//! `PERCALE_BLESS=1 cargo test --test scenes` rewrites the values in those files. Runs, bounds, tolerances and their
//! reasons are written by hand and are not changed.

#[path = "scenes/airbed.rs"]
mod airbed;
#[path = "scenes/airflow.rs"]
mod airflow;
#[path = "scenes/internal_friction.rs"]
mod internal_friction;
#[path = "scenes/shot.rs"]
mod shot;
#[path = "scenes/velocities.rs"]
mod velocities;
#[path = "scenes/vertex_test.rs"]
mod vertex_test;
#[path = "scenes/wet.rs"]
mod wet;
#[path = "scenes/wind_pillow.rs"]
mod wind_pillow;

use percale::collision::intersect::intersections;
use percale::fit::drape::draped;
use percale::force::dahl::{Dahl, Form};
use percale::linalg::{Mat3, Vec3, par};
use percale::measure::Relief;
use percale::mesh;
use percale::sequence::{Folder, FrameStats, Run, Status};
use percale::world::Kind;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use toml_edit::{DocumentMut, Item, Table, value};

/// Acceleration of gravity of the shipped scenes [m/s^2].
const G: f64 = 9.81;
/// Relative error of positions in `f32` files, with a margin for a difference of two.
const F32: f64 = 1e-6;

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes")
}

/// All cloths, or all bodies or obstacles, of a frame, concatenated.
#[derive(Default)]
struct Frame {
    /// Position of each vertex [m].
    x: Vec<Vec3>,
    /// Velocity of each vertex [m/s].
    v: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

/// Finished run, read from its folder.
struct Done {
    name: String,
    record: Run,
    /// Mesh file of each cloth; `None` if the scene modifies the mesh.
    files: Vec<Option<PathBuf>>,
    stats: Vec<FrameStats>,
    frames: Vec<Frame>,
    /// Bodies at each frame.
    bodies: Vec<Frame>,
    /// Obstacles at each frame.
    obstacles: Vec<Frame>,
    /// Number of intersecting pairs of triangles at each frame.
    crossings: Vec<usize>,
}

/// Runs a scene on one thread into a folder for this test, and asserts that it finishes.
fn run(name: &str, folder: &str, frames: Option<u32>, set: &[String]) -> Done {
    let (told, out) = execute(name, folder, frames, set);
    assert!(told.status.success(), "{folder}: {}", String::from_utf8_lossy(&told.stderr));
    par::with_threads(1, || read(name, &Folder::new(&out))).unwrap()
}

/// Returns the output of the program, and the run folder.
fn execute(name: &str, folder: &str, frames: Option<u32>, set: &[String]) -> (Output, PathBuf) {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scenes-{folder}"));
    let _ = fs::remove_dir_all(&out);
    let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
    command.arg("run").arg(scenes().join(format!("{name}.toml")));
    command.args(["--no-preview", "--threads", "1", "--progress", "none"]).arg("--out").arg(&out);
    for one in set {
        command.args(["--set", one]);
    }
    if let Some(frames) = frames {
        command.args(["--frames", &frames.to_string()]);
    }
    (command.output().unwrap(), out)
}

fn read(name: &str, folder: &Folder) -> Done {
    let record = folder.read_run().unwrap();
    let stats = folder.read_stats().unwrap();
    let (mut frames, mut all_bodies, mut all_obstacles) = (Vec::new(), Vec::new(), Vec::new());
    let mut crossings = Vec::new();
    for frame in record.there() {
        let mut x: Vec<Vec3> = Vec::new();
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        let [mut cloths, mut bodies, mut obstacles] = [(); 3].map(|()| Frame::default());
        let mut simulated = 0;
        assert!(record.objects.is_sorted_by_key(|o| Kind::ALL.iter().position(|k| *k == o.kind)));
        for entry in &record.objects {
            // An obstacle may be absent.
            let Some((shape, at)) = folder.read_mesh(entry, frame).unwrap() else {
                assert_eq!(entry.kind, Kind::Obstacle, "{name}: frame {frame} lacks '{}'", entry.name);
                continue;
            };
            let first = x.len() as u32;
            x.extend(&at.positions);
            triangles.extend(shape.triangles.iter().map(|t| t.map(|v| v + first)));
            let all = match entry.kind {
                Kind::Cloth => &mut cloths,
                Kind::Body => &mut bodies,
                Kind::Obstacle => &mut obstacles,
            };
            let first = all.x.len() as u32;
            all.x.extend(&at.positions);
            all.v.extend(at.velocities.unwrap_or_default());
            all.triangles.extend(shape.triangles.iter().map(|t| t.map(|v| v + first)));
            if entry.kind.simulated() {
                simulated = triangles.len();
                assert_eq!(all.v.len(), all.x.len());
            }
        }
        assert!(x.iter().all(|p| p.iter().all(|c| c.is_finite())), "{name}: frame {frame} is not finite");
        let obstacle = |t: u32| t as usize >= simulated;
        crossings.push(intersections(&x, &triangles, |a, b| obstacle(a) && obstacle(b)).pairs.len());
        frames.push(cloths);
        all_bodies.push(bodies);
        all_obstacles.push(obstacles);
    }
    let scene: DocumentMut = fs::read_to_string(folder.path().join("scene.toml")).unwrap().parse().unwrap();
    let file = |cloth: &Table| {
        let made = ["offset", "subdivide"].iter().any(|key| cloth.contains_key(key));
        // A pattern is no mesh.
        let mesh = scenes().join(cloth.get("mesh")?.as_str().unwrap());
        // Animated files have other positions at the first frame.
        (!made && !percale::mesh::archive::reads(&mesh)).then_some(mesh)
    };
    let files = cloths(&scene).map(file).collect();
    Done {
        name: name.to_string(),
        record,
        files,
        stats,
        frames,
        bodies: all_bodies,
        obstacles: all_obstacles,
        crossings,
    }
}

/// Returns the tables of the cloths of a scene.
fn cloths(scene: &DocumentMut) -> impl Iterator<Item = &Table> {
    scene.get("cloth").and_then(Item::as_array_of_tables).into_iter().flatten()
}

impl Done {
    /// Returns a frame by number, from 1.
    fn frame(&self, frame: u32) -> &Frame {
        &self.frames[frame as usize - 1]
    }

    /// Returns the largest relative elongation of an edge at a frame, compared with frame 1, from the written meshes.
    fn strain(&self, frame: u32) -> f64 {
        let (rest, now) = (&self.frame(1).x, self.frame(frame));
        let length = |x: &[Vec3], a: u32, b: u32| (x[a as usize] - x[b as usize]).norm();
        let edges = now.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        edges.map(|[a, b]| length(&now.x, a, b) / length(rest, a, b) - 1.0).fold(0.0, f64::max)
    }

    /// Returns the largest speed of a vertex at a frame [m/s].
    fn speed(&self, frame: u32) -> f64 {
        self.frame(frame).v.iter().map(|v| v.norm()).fold(0.0, f64::max)
    }

    /// Returns the largest motion from frame `first` to the last: kinetic energy, speed of a vertex, and displacement
    /// of a vertex between both frames [J, m/s, m].
    fn unrest(&self, first: u32) -> [f64; 3] {
        let last = self.record.done;
        let most = |of: &dyn Fn(u32) -> f64| (first..=last).map(of).fold(0.0, f64::max);
        let ways = self.frame(first).x.iter().zip(&self.frame(last).x).map(|(before, after)| (after - before).norm());
        let kinetic = most(&|frame| self.stats[frame as usize - 1].energies.get("kinetic"));
        [kinetic, most(&|frame| self.speed(frame)), ways.fold(0.0, f64::max)]
    }

    /// Asserts that from frame `first` on no motion exceeds `most`, see [`Done::unrest`].
    fn assert_rests(&self, first: u32, most: [f64; 3]) {
        let found = self.unrest(first);
        println!("{}: {found:?} J, m/s, m from frame {first} on", self.name);
        assert!(found.iter().zip(&most).all(|(found, most)| found < most), "{}: {found:?}, not {most:?}", self.name);
    }

    /// Returns a single object from a frame of all objects of its kind.
    fn one(&self, kind: Kind, name: &str, all: &Frame) -> Frame {
        let objects: Vec<_> = self.record.objects.iter().filter(|o| o.kind == kind).collect();
        let k = objects.iter().position(|o| o.name == name).unwrap();
        let first: usize = objects[..k].iter().map(|o| o.vertices).sum();
        let own = first..first + objects[k].vertices;
        let triangles = all.triangles.iter().filter(|t| own.contains(&(t[0] as usize)));
        let triangles = triangles.map(|t| t.map(|v| v - first as u32)).collect();
        Frame { x: all.x[own.clone()].to_vec(), v: all.v[own.clone()].to_vec(), triangles }
    }

    /// Returns a quantity by its name in the expected values: of all cloths, of all bodies (`body_`), or of a single
    /// object (its name and a dot).
    fn quantity(&self, name: &str, frame: u32) -> f64 {
        let (kind, of, mut name) = match name.strip_prefix("body_") {
            Some(name) => (Kind::Body, &self.bodies, name),
            None => (Kind::Cloth, &self.frames, name),
        };
        let (mut rest, mut all) = (&of[0], &of[frame as usize - 1]);
        let own;
        if let Some((one, quantity)) = object_of(name) {
            own = [rest, all].map(|frame| self.one(kind, one, frame));
            [rest, all] = own.each_ref();
            name = quantity;
        }
        let x = &all.x;
        let along = |k: usize| x.iter().map(move |p| p[k]);
        match name {
            "centre_x" => centre(rest, all).x,
            "centre_y" => centre(rest, all).y,
            "centre_z" => centre(rest, all).z,
            "volume" => volume(all),
            "lowest" => along(1).fold(f64::INFINITY, f64::min),
            "highest" => along(1).fold(f64::NEG_INFINITY, f64::max),
            _ if name.contains('(') => self.shape(name, rest, all, frame),
            _ => self.told(name, frame).unwrap_or_else(|| panic!("{}: no quantity '{name}'", self.name)),
        }
    }

    /// Returns a surface quantity, with its parameters in brackets: `roughness(window)`, `curvature(mean)`,
    /// `curvature(gaussian)`, `crest(y, x)` of a fold seen along y, `turn(y)` and `shift(x)` since the start,
    /// `correlation(y)` of its heights with those at the start, and relative to an obstacle `gap(floor)` and
    /// `within(floor, distance)`; `drape(x, z)`, the drape coefficient around a vertical axis.
    fn shape(&self, name: &str, rest: &Frame, all: &Frame, frame: u32) -> f64 {
        let (word, of) = name.strip_suffix(')').and_then(|name| name.split_once('(')).unwrap();
        let (first, second) = of.split_once(',').unwrap_or((of, ""));
        let (before, now) = (relief(rest), relief(all));
        let axis = || match first {
            "x" => Vec3::x_axis(),
            "y" => Vec3::y_axis(),
            "z" => Vec3::z_axis(),
            _ => panic!("{}: no axis '{first}'", self.name),
        };
        let near = |gap: f64| {
            let obstacle = self.one(Kind::Obstacle, first, &self.obstacles[frame as usize - 1]);
            now.nearness(&relief(&obstacle), gap)
        };
        match word {
            "roughness" => now.roughness(first.parse().unwrap()),
            "curvature" => now.curvature()[["mean", "gaussian"].iter().position(|known| *known == first).unwrap()],
            "turn" => before.motion(&now, &axis()).1,
            "shift" => axis().dot(&before.motion(&now, &axis()).0),
            "crest" => {
                let along = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
                let across = ["x", "y", "z"].iter().position(|known| *known == second.trim()).unwrap();
                now.crest(&axis(), &along[across])
            }
            "correlation" => before.correlation(&now, &axis()),
            "drape" => {
                let [x, z] = [first, second].map(|number| number.trim().parse::<f64>().unwrap());
                let around: Vec<Vec3> = all.x.iter().map(|p| p - Vec3::new(x, 0.0, z)).collect();
                draped(&around, &all.triangles).coefficient
            }
            "gap" => near(0.0)[1],
            "within" => near(second.trim().parse().unwrap())[0],
            _ => panic!("{}: no quantity '{name}'", self.name),
        }
    }

    /// Returns a value from the statistics of a frame: an energy (its word and `_energy`), or a number by its word.
    fn told(&self, name: &str, frame: u32) -> Option<f64> {
        let stats = &self.stats[frame as usize - 1];
        let energy = name
            .strip_suffix("_energy")
            .and_then(|word| stats.energies.all().find(|(energy, _)| energy.word == word).map(|(_, joules)| joules));
        let number = || FrameStats::NUMBERS.iter().find(|number| number.word == name).map(|n| (n.get)(stats));
        let tally = || percale::effect::tallies().find(|tally| tally.word == name).map(|own| stats.tallies.get(own));
        energy.or_else(number).or_else(tally)
    }

    /// Returns faults of a run: it must finish, have the vertices of the mesh files in order, no intersections, and
    /// strain below `bound`.
    fn sound(&self, frames: u32, bound: f64) -> Vec<String> {
        let mut faults = Vec::new();
        let mut hold = |holds: bool, what: String| {
            if !holds {
                faults.push(format!("{}: {what}", self.name));
            }
        };
        hold(self.record.status == Status::Finished, format!("status is {}", self.record.status.word()));
        hold(self.record.done == frames, format!("{} frames of {frames}", self.record.done));
        hold(self.stats.len() == frames as usize, format!("{} lines of statistics", self.stats.len()));
        let scene = scene(&self.name);
        // After a preroll, the first frame is not the start either.
        let told_of_start = cloths(&scene).any(|cloth| ["rest", "pattern"].iter().any(|key| cloth.contains_key(key)))
            || scene.get("time").is_some_and(|time| time.get("preroll").is_some());
        let start = &self.frame(1).x;
        let mut triangles: Vec<[u32; 3]> = Vec::new();
        let mut rest = start.as_slice();
        for (file, entry) in self.files.iter().zip(&self.record.objects) {
            let first = (start.len() - rest.len()) as u32;
            let Some(file) = file else {
                let (own, others) = rest.split_at(entry.vertices.min(rest.len()));
                let inside = |t: &&[u32; 3]| (first..first + own.len() as u32).contains(&t[0]);
                triangles.extend(self.frame(1).triangles.iter().filter(inside));
                rest = others;
                continue;
            };
            let source = mesh::read(&file.extension().unwrap().to_string_lossy(), &fs::read(file).unwrap()).unwrap();
            triangles.extend(source.triangles.iter().map(|t| t.map(|v| v + first)));
            let (placed, others) = rest.split_at(source.positions.len().min(rest.len()));
            rest = others;
            let same = source.positions.len() == placed.len() && similar(&source.positions, placed);
            hold(same, format!("frame 1 is not the vertices of {} in their order", file.display()));
        }
        hold(rest.is_empty(), "more vertices than the files have".to_string());
        for frame in 1..=self.record.done {
            let now = self.frame(frame);
            let same = now.x.len() == start.len() && now.triangles == triangles;
            hold(same, format!("frame {frame}: other vertices or triangles than the files"));
            let body = |k: usize| (self.bodies[k].x.len(), &self.bodies[k].triangles);
            hold(body(frame as usize - 1) == body(0), format!("frame {frame}: other vertices or triangles of bodies"));
            let crossings = self.crossings[frame as usize - 1];
            hold(crossings == 0, format!("frame {frame}: {crossings} pairs of triangles cross"));
            let strain = self.strain(frame);
            hold(strain < bound, format!("frame {frame}: strain {strain:.4}, bound {bound}"));
            let told = self.stats[frame as usize - 1].max_strain;
            // Edges are 10 to 40 mm long and lie within 3 m of the origin: f32 stores their length to about 5e-5. A
            // start that is not the rest shape has another strain in every frame.
            let same = told_of_start || (told - strain).abs() < 1e-4;
            hold(same, format!("frame {frame}: strain {strain:.6}, statistics say {told:.6}"));
        }
        self.velocities().into_iter().for_each(|what| hold(false, what));
        faults
    }
}

fn relief(frame: &Frame) -> Relief<'_> {
    Relief::new(&frame.x, &frame.triangles)
}

/// Splits a name into object and quantity. A dot within brackets belongs to a number.
fn object_of(name: &str) -> Option<(&str, &str)> {
    let (one, quantity) = name.split_once('.')?;
    (!one.contains('(')).then_some((one, quantity))
}

/// Returns the centre of mass of surfaces [m]. The cloths of a scene have the same density, so weights are the
/// triangles' areas at rest.
fn centre(rest: &Frame, now: &Frame) -> Vec3 {
    let rest = &rest.x;
    let corners = |x: &[Vec3], t: &[u32; 3]| t.map(|v| x[v as usize]);
    let mut moment = Vec3::zeros();
    let mut mass = 0.0;
    for t in &now.triangles {
        let [a, b, c] = corners(rest, t);
        let area = (b - a).cross(&(c - a)).norm() / 2.0;
        moment += area * corners(&now.x, t).iter().sum::<Vec3>() / 3.0;
        mass += area;
    }
    moment / mass
}

/// Returns the volume inside closed surfaces [m^3].
fn volume(all: &Frame) -> f64 {
    let corners = all.triangles.iter().map(|t| t.map(|v| all.x[v as usize]));
    corners.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

/// Returns whether `b` is `a` scaled, rotated and translated. Distances of every vertex from three vertices far from
/// each other are compared.
fn similar(a: &[Vec3], b: &[Vec3]) -> bool {
    let farthest = |from: &dyn Fn(usize) -> f64| (0..a.len()).max_by(|i, j| from(*i).total_cmp(&from(*j))).unwrap_or(0);
    let far = farthest(&|i| (a[i] - a[0]).norm());
    let aside = farthest(&|i| (a[i] - a[0]).cross(&(a[i] - a[far])).norm());
    let size = (b[far] - b[0]).norm();
    let scale = size / (a[far] - a[0]).norm();
    let apart = |i: usize, from: usize| ((a[i] - a[from]).norm() * scale - (b[i] - b[from]).norm()).abs();
    (0..a.len()).all(|i| [0, far, aside].into_iter().all(|from| apart(i, from) < 4.0 * F32 * size))
}

/// Expected values of a scene.
struct Expected {
    path: PathBuf,
    document: DocumentMut,
}

impl Expected {
    fn read(name: &str) -> Expected {
        let path = scenes().join(format!("{name}.expected.toml"));
        let document = fs::read_to_string(&path).unwrap().parse().unwrap();
        Expected { path, document }
    }

    fn frames(&self) -> u32 {
        u32::try_from(self.document["frames"].as_integer().unwrap()).unwrap()
    }

    /// Returns the overrides of the short run: every cloth's mesh, and other keys from the file.
    fn overrides(&self, scene: &DocumentMut) -> Vec<String> {
        let mesh = self.document.get("mesh").and_then(Item::as_str);
        let meshes = mesh.into_iter().flat_map(|mesh| (0..cloths(scene).count()).map(move |k| (k, mesh)));
        let set = self.document.get("set").and_then(Item::as_array).into_iter().flatten();
        let other = set.map(|one| one.as_str().unwrap().to_string());
        meshes.map(|(k, mesh)| format!("cloth[{k}].mesh=\"{mesh}\"")).chain(other).collect()
    }

    fn largest_strain(&self) -> f64 {
        number(&self.document["largest_strain"])
    }

    /// Compares each check with a run, or rewrites the values when blessing.
    fn compare(mut self, done: &Done) -> Vec<String> {
        let bless = std::env::var("PERCALE_BLESS").is_ok_and(|v| v == "1");
        let mut faults = Vec::new();
        for check in self.document["check"].as_array_of_tables_mut().unwrap().iter_mut() {
            let found = measured(check, done);
            if bless {
                check["value"] = value(rounded(found));
                continue;
            }
            let (wanted, tolerance) = (number(&check["value"]), number(&check["tolerance"]));
            // A check needs a nonzero tolerance and a reason.
            assert!(tolerance > 0.0 && check["reason"].as_str().is_some_and(|r| !r.is_empty()), "{check}");
            if (found - wanted).abs() > tolerance || !found.is_finite() {
                let (what, frame) = (&check["quantity"], &check["frame"]);
                faults.push(format!(
                    "{}: {what} at frame {frame}: {found:.7}, expected {wanted} within {tolerance}",
                    done.name
                ));
            }
        }
        if bless {
            fs::write(&self.path, self.document.to_string()).unwrap();
        }
        faults
    }
}

fn measured(check: &Table, done: &Done) -> f64 {
    let frame = u32::try_from(check["frame"].as_integer().unwrap()).unwrap();
    done.quantity(check["quantity"].as_str().unwrap(), frame)
}

/// Rounds to six significant digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap()
}

fn number(item: &Item) -> f64 {
    item.as_float().or(item.as_integer().map(|i| i as f64)).unwrap()
}

/// Returns the override that gives a scene's first cloth a mesh.
fn with_mesh(mesh: &str) -> String {
    format!("cloth[0].mesh=\"{mesh}\"")
}

fn scene(name: &str) -> DocumentMut {
    fs::read_to_string(scenes().join(format!("{name}.toml"))).unwrap().parse().unwrap()
}

fn check_scene(name: &str) {
    let expected = Expected::read(name);
    let done = run(name, name, Some(expected.frames()), &expected.overrides(&scene(name)));
    let mut faults = done.sound(expected.frames(), expected.largest_strain());
    faults.extend(expected.compare(&done));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Runs the scene as shipped: all frames at full resolution.
fn check_full(name: &str) -> Done {
    let frames = u32::try_from(scene(name)["time"]["frames"].as_integer().unwrap()).unwrap();
    check_long(name, frames)
}

/// Runs a number of frames, which may exceed the shipped number, at full resolution.
fn check_long(name: &str, frames: u32) -> Done {
    let bound = number(&Expected::read(name).document["largest_strain_full"]);
    let done = run(name, &format!("{name}-full"), Some(frames), &[]);
    let faults = done.sound(frames, bound);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // The judge takes eight seconds for a frame of a hundred thousand triangles. Larger runs check every third frame.
    let large = done.frame(1).triangles.len() > 100_000;
    judge(&format!("{name}-full"), if large { 3 } else { 1 });
    done
}

/// Runs the program named by `PERCALE_JUDGE`, if any, to check a run for intersections, at every `every`-th frame and
/// the last. It takes the run folder and ends with 0 if there are none. It shares no code with the exact test of
/// percale.
fn judge(folder: &str, every: u32) {
    let Some(judge) = std::env::var_os("PERCALE_JUDGE").filter(|judge| !judge.is_empty()) else { return };
    let run = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scenes-{folder}"));
    let told = Command::new(judge).arg(&run).args(["--every", &every.to_string()]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    print!("{stdout}");
    assert!(told.status.success(), "{folder}: {stdout}{stderr}");
}

/// Returns the coarse drape for 4 s, run once.
fn drape() -> &'static Done {
    static DRAPE: OnceLock<Done> = OnceLock::new();
    DRAPE.get_or_init(|| run("drape", "drape-50", Some(121), &[with_mesh("../meshes/sheet_1m_50.ply")]))
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn drape_as_expected() {
    check_scene("drape");
}

#[test]
fn curtain_as_expected() {
    check_scene("curtain");
}

#[test]
fn flag_as_expected() {
    check_scene("flag");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn skirt_as_expected() {
    check_scene("skirt");
}

#[test]
fn hull_as_expected() {
    check_scene("hull");
}

#[test]
fn twist_as_expected() {
    check_scene("twist");
}

#[test]
#[ignore = "long: half a minute or more"]
fn stack_as_expected() {
    check_scene("stack");
}

#[test]
fn blades_as_expected() {
    check_scene("blades");
}

#[test]
fn funnel_as_expected() {
    check_scene("funnel");
}

#[test]
fn needles_as_expected() {
    check_scene("needles");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn sharp_as_expected() {
    check_scene("sharp");
}

#[test]
fn towel_as_expected() {
    check_scene("towel");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn roll_as_expected() {
    check_scene("roll");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn vest_as_expected() {
    check_scene("vest");
}

#[test]
#[ignore = "long: half a minute or more"]
fn t_shirt_as_expected() {
    check_scene("t-shirt");
}

#[test]
#[ignore = "long: half a minute or more"]
fn cusick_as_expected() {
    check_scene("cusick");
}

#[test]
#[ignore = "long: half a minute or more"]
fn walk_as_expected() {
    check_scene("walk");
}

#[test]
#[ignore = "long: half a minute or more"]
fn skirt_with_a_band_as_expected() {
    check_scene("skirt-band");
}

#[test]
fn two_shirts_as_expected() {
    check_scene("two-shirts");
}

#[test]
fn cushion_as_expected() {
    check_scene("cushion");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn rotating_sphere_as_expected() {
    check_scene("rotating-sphere");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn rotating_sphere_cloth_as_expected() {
    check_scene("rotating-sphere-cloth");
}

#[test]
fn rotating_sphere_body_as_expected() {
    check_scene("rotating-sphere-body");
}

#[test]
#[ignore = "long: half a minute or more"]
fn three_pillows_as_expected() {
    check_scene("three-pillows");
}

#[test]
fn hull_80k_as_expected() {
    check_scene("hull-80k");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn bedding_as_expected() {
    check_scene("bedding");
}

#[test]
fn pillow_as_expected() {
    check_scene("pillow");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn pillow_cloth_as_expected() {
    check_scene("pillow-cloth");
}

#[test]
fn pillow_body_as_expected() {
    check_scene("pillow-body");
}

#[test]
#[ignore = "long: half a minute or more"]
fn cube_on_pillow_as_expected() {
    check_scene("cube-on-pillow");
}

/// Variant whose cover lets all air through at once: the foam alone throws the small cube to 0.098 m, at steps of 0.25
/// ms to 0.104 m. With the air below the cover it flies to 0.2 m.
#[test]
#[ignore = "long: half a minute or more"]
fn foam_throws_the_cube_without_air() {
    let set = [
        with_mesh("../meshes/cushion.ply"),
        "air_layer[0].permeability=1000".to_string(),
        "time.step=0.001".to_string(),
    ];
    let done = run("cube-on-pillow", "cube-without-air", Some(26), &set);
    let highest = (13..=26).map(|frame| done.quantity("body_small-cube.centre_y", frame)).fold(0.0, f64::max);
    println!("small cube without air: {highest:.4} m at most");
    assert!((0.088..0.115).contains(&highest), "{highest}");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn comforter_as_expected() {
    check_scene("comforter");
}

#[test]
#[ignore = "long: half a minute or more"]
fn vest_air_as_expected() {
    check_scene("vest-air");
}

#[test]
fn two_sheets_as_expected() {
    check_scene("two-sheets");
}

#[test]
fn strain_limit_as_expected() {
    check_scene("strain-limit");
}

/// No edge of the limited sheet exceeds its limit in any frame, except for the tolerance of a step. Edges of the other
/// sheet far exceed it.
#[test]
fn a_strain_limit_holds_in_every_frame() {
    let done = run("strain-limit", "strain-limit-edges", Some(16), &[]);
    let strain = |name: &str, frame: u32| {
        let [rest, now] = [1, frame].map(|frame| done.one(Kind::Cloth, name, done.frame(frame)));
        let edges = now.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let length = |frame: &Frame, [a, b]: [u32; 2]| (frame.x[a as usize] - frame.x[b as usize]).norm();
        edges.map(|edge| length(&now, edge) / length(&rest, edge) - 1.0).fold(0.0, f64::max)
    };
    let worst = |name: &str| (2..=16).map(|frame| strain(name, frame)).fold(0.0, f64::max);
    let (limited, free) = (worst("limited"), worst("free"));
    println!("| strain limit of 5 %: strain, without a limit | 0.05 | {limited:.4}, {free:.3} | | |");
    // Tolerance of a step for a bound of 1.05, and single precision of files.
    assert!(limited < 1.05 * 1.001 - 1.0 + 1e-5 && free > 0.2);
}

#[test]
fn balloon_as_expected() {
    check_scene("balloon");
}

#[test]
fn blanket_as_expected() {
    check_scene("blanket");
}

#[test]
fn choi_ko_drape_as_expected() {
    check_scene("choi-ko-drape");
}

#[test]
fn mouse_as_expected() {
    check_scene("mouse");
}

#[test]
fn hang_as_expected() {
    check_scene("hang");
}

/// Returns the first turning point of the hanging sheet [s], and the fraction of its energy lost by then.
fn swing(integrator: &str, step: f64) -> [f64; 2] {
    let set = [
        with_mesh("../meshes/sheet_1m_25.ply"),
        "cloth[0].vertex_mass=8e-5".to_string(),
        format!("time.integrator=\"{integrator}\""),
        format!("time.step={step}"),
    ];
    let done = run("hang", &format!("hang-{integrator}-{step}"), Some(48), &set);
    let z = |frame: u32| centre(done.frame(1), done.frame(frame)).z;
    let turn = (2..48).min_by(|a, b| z(*a).total_cmp(&z(*b))).unwrap();
    let energy = |frame: u32| -> f64 { done.stats[frame as usize - 1].energies.all().map(|(_, joules)| joules).sum() };
    // Vertex of the parabola through the three frames.
    let [before, at, after] = [turn - 1, turn, turn + 1].map(z);
    let past = 0.5 * (before - after) / (before - 2.0 * at + after);
    [(f64::from(turn - 1) + past) / done.record.fps, 1.0 - energy(turn) / energy(1)]
}

/// The swing of BDF2 takes as long as with a quarter of the step, within 3 %, and loses less than half as much as
/// backward Euler (Prince & Bigham 2004: the first video). Most of its loss is in vibrations of springs faster than the
/// step, which both schemes damp.
#[test]
fn a_hanging_sheet_swings() {
    let [coarse, fine, euler] =
        [("bdf2", 5e-3), ("bdf2", 1.25e-3), ("backward-euler", 5e-3)].map(|(scheme, step)| swing(scheme, step));
    println!(
        "hang: turns at {:.4}, {:.4}, {:.4} s, has lost {:.4}, {:.4}, {:.4}",
        coarse[0], fine[0], euler[0], coarse[1], fine[1], euler[1]
    );
    assert!((coarse[0] / fine[0] - 1.0).abs() < 0.03, "{coarse:?} {fine:?}");
    assert!(coarse[1] < 0.5 * euler[1] && fine[1] < coarse[1], "{coarse:?} {fine:?} {euler:?}");
}

/// The bed pulls at the sled with the force of the pair's curve at that load, along warp and weft, within 5 %. Sliding
/// is stick-slip, and new contacts pass through their peaks, which are a fifth higher (measured: 3.6 and 3.5 % more).
/// The force begins with the peak, increased by the start: 0.378 N under 0.5 N, no more than a half of that. Contacts
/// do not all reach their peak at once, so 8 % more are required.
#[test]
fn sled_as_expected() {
    check_scene("sled");
    for (turn, plateau) in [(0, 0.315), (90, 0.3528)] {
        let set = format!("cloth[0].transform.rotate={{axis=[0,1,0],angle=\"{turn} deg\"}}");
        let (told, out) = execute("sled", &format!("sled-{turn}"), None, &[set]);
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
        let text = fs::read_to_string(out.join("probes/bed-on-sled.csv")).unwrap();
        let rows: Vec<Vec<f64>> =
            text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
        let sliding: Vec<&Vec<f64>> = rows.iter().filter(|row| (1.0..1.5).contains(&row[0])).collect();
        let mean = |k: usize| sliding.iter().map(|row| row[k]).sum::<f64>() / sliding.len() as f64;
        // The curve follows the load with exponents 2/3 and 1. Near 0.5 N the exponent is 0.84.
        let (drag, load) = (-mean(1), mean(2));
        let curve = plateau * (load / 0.5).powf(0.84);
        println!("sled, warp turned by {turn}: {drag:.4} N under {load:.4} N, curve {curve:.4} N");
        assert!((load / (125.0 * 4e-4 * G) - 1.0).abs() < 0.05 && (drag / curve - 1.0).abs() < 0.05, "{drag} {load}");
        let peak = rows.iter().filter(|row| row[0] < 0.7).map(|row| -row[1]).fold(0.0, f64::max);
        assert!(peak > 1.08 * curve && peak < 1.8 * curve, "{peak} {curve}");
    }
}

/// A sheet lies on a statue that vanishes at 1 s (Prince & Bigham 2004, second video). In the first frame after, at
/// most 2 % of its vertices are farther than 4 mm from free flight, due to the recoil of springs stretched by the
/// statue. Over the next 0.1 s its centre falls by g t^2/2 beyond its initial motion, within 5 %: the air takes t/(3
/// tau) of it, 2.4 %.
#[test]
fn dragon_as_expected() {
    let expected = Expected::read("dragon");
    let done = run("dragon", "dragon", Some(expected.frames()), &expected.overrides(&scene("dragon")));
    let mut faults = done.sound(expected.frames(), expected.largest_strain());
    faults.extend(expected.compare(&done));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    // The statue is absent in frame 61, at 1 s. Frame 62 is the first in which the sheet has fallen.
    let (before, t) = (done.frame(61), 1.0 / done.record.fps);
    let strays = |(v, p): (usize, &Vec3)| {
        let flown = before.x[v] + before.v[v] * t - Vec3::y() * (G * t * t / 2.0);
        (p - flown).norm() > 4e-3
    };
    let gone = done.frame(62).x.iter().enumerate().filter(|at| strays(*at)).count();
    assert!(50 * gone <= before.x.len(), "{gone} of {} vertices", before.x.len());
    let centre = |frame: u32| centre(done.frame(1), done.frame(frame)).y;
    let speed = before.v.iter().map(|v| v.y).sum::<f64>() / before.v.len() as f64;
    let time = 6.0 * t;
    let (fallen, wanted) = (centre(61) - centre(67) + speed * time, G * time * time / 2.0);
    println!("dragon: fell {fallen:.5} m, g t^2/2 is {wanted:.5}; {gone} vertices strayed");
    assert!((fallen / wanted - 1.0).abs() < 0.05, "{fallen} {wanted}");
}

/// Weights on a sample of cotton, added and removed (Miguel et al. 2013, figures 5 and 6).
#[test]
#[ignore = "long: half a minute or more"]
fn stretch_test_as_expected() {
    check_scene("stretch-test");
}

#[test]
fn stretch_cycles_as_expected() {
    check_scene("stretch-cycles");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn unrolled_strips_as_expected() {
    ["unroll-7", "roll-on"].into_iter().for_each(check_scene);
}

/// Fits the radius of a circle to a strip seen along its width, without its ends, by least squares [m].
fn curl(frame: &Frame) -> f64 {
    let row = |k: usize| frame.x.iter().skip(k).step_by(81);
    let middle = |k: usize| row(k).map(|p| Vec3::new(p.x, p.y, 1.0)).sum::<Vec3>() / row(k).count() as f64;
    let mut equations = [[0.0; 4]; 3];
    for p in (8..72).map(middle) {
        // x^2 + y^2 = 2 a x + 2 b y + c.
        let (line, square) = ([2.0 * p.x, 2.0 * p.y, 1.0], p.x * p.x + p.y * p.y);
        for i in 0..3 {
            (0..3).for_each(|j| equations[i][j] += line[i] * line[j]);
            equations[i][3] += line[i] * square;
        }
    }
    let matrix = Mat3::from_fn(|i, j| equations[i][j]);
    let solved = matrix.try_inverse().unwrap() * Vec3::new(equations[0][3], equations[1][3], equations[2][3]);
    (solved.z + solved.x * solved.x + solved.y * solved.y).sqrt()
}

/// Strips of felt rest at the radius at which elasticity and friction balance, without gravity, within 3 % (Miguel et
/// al. 2013, figure 10): between the radii for the innermost turn and the outermost. A strip wound on a rod rests at
/// the radius of a strip that starts rolled, within 5 %.
#[test]
#[ignore = "long: four runs at full resolution, minutes"]
fn strips_rest_at_the_radius_of_their_balance() {
    ["unroll-4", "unroll-23"].into_iter().for_each(check_scene);
    let dahl = Dahl { a: 5.12e-4, b: 0.15e-4, tau: 29.9, form: Form::Fitted };
    let balance = |radius: f64| {
        let rolled = 3.0 / radius;
        let start = dahl.go(0.0, 0.0, rolled).0;
        let (mut low, mut high) = (0.0, rolled);
        for _ in 0..60 {
            let e = 0.5 * (low + high);
            let moment = 145.3e-7 * e + 0.15e-7 * e * e + dahl.go(rolled, start, e).0;
            *if moment < 0.0 { &mut low } else { &mut high } = e;
        }
        3.0 / low
    };
    let mut seven = 0.0;
    for (name, radius) in [("unroll-4", 0.004), ("unroll-7", 0.0075f64), ("unroll-23", 0.023)] {
        let set = ["scene.gravity=[0,0,0]".to_string(), "time.frames=91".to_string()];
        let found = curl(run(name, &format!("{name}-free"), None, &set).frame(91));
        let outer = (radius * radius + 6e-4 * 0.1 / std::f64::consts::PI).sqrt();
        let [least, most] = [radius, outer].map(balance);
        println!("{name}: rests at {:.3} mm, balance {:.3} to {:.3}", 1e3 * found, 1e3 * least, 1e3 * most);
        assert!(found > 0.97 * least && found < 1.03 * most, "{name}: {found}");
        seven = if name == "unroll-7" { found } else { seven };
    }
    let wound = curl(check_full("roll-on").frame(151));
    println!("roll-on: rests at {:.3} mm", 1e3 * wound);
    assert!((wound / seven - 1.0).abs() < 0.05, "{wound} {seven}");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn twisted_sleeve_as_expected() {
    check_scene("twist-once");
}

#[test]
fn knee_as_expected() {
    check_scene("knee");
}

/// Stress and force of the knit at the ends of its loops: friction is that of the closed form along the strains that
/// the machine prescribes, within 1 %. The loop at four times the speed is the same within 0.5 % of its range (Miguel
/// et al. 2013, figures 2 and 4).
#[test]
#[ignore = "long: half a minute"]
fn stretch_cycles_do_not_hang_on_speed() {
    let (told, out) = execute("stretch-cycles", "stretch-cycles-full", None, &["output.meshes=false".to_string()]);
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    let text = fs::read_to_string(out.join("probes/force.csv")).unwrap();
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    let (k1, k2, dahl) = (4.42, 32.19, Dahl { a: 0.40, b: 4.84, tau: 0.088, form: Form::Exact });
    let green = |stretch: f64| 0.5 * (stretch * stretch - 1.0);
    let (mut e, mut s) = (0.0, 0.0);
    let mut found = Vec::new();
    for (time, stretch) in
        [(1.2, 1.6), (2.0, 1.2), (2.8, 1.6), (3.6, 1.2), (4.0, 1.6), (4.2, 1.2), (4.8, 1.6), (5.0, 1.2)]
    {
        let to = green(stretch);
        s = dahl.go(e, s, to).0;
        e = to;
        let near = |row: &&Vec<f64>| (row[0] - time).abs();
        let row = rows.iter().min_by(|a, b| near(a).total_cmp(&near(b))).unwrap();
        let stress = -row[2] / (0.1 * stretch) - k1 * e - k2 * e * e;
        println!("stretch-cycles at {time} s: stress of friction {stress:.4}, closed form {s:.4} N/m");
        assert!((stress - s).abs() < 0.01 * dahl.most(e), "{time} s: {stress} {s}");
        found.push(row[2]);
    }
    let range = found[3] - found[2];
    for (slow, fast) in [(2, 6), (3, 7)] {
        assert!((found[slow] - found[fast]).abs() < 0.005 * range.abs(), "{found:?}");
    }
}

/// Returns the radial offsets of a sleeve's vertices from the mean of each ring [m].
fn unevenness(frame: &Frame) -> Vec<f64> {
    let out: Vec<f64> = frame.x.iter().map(|p| p.x.hypot(p.z)).collect();
    let rings = out.chunks(96);
    rings.flat_map(|ring| ring.iter().map(|r| r - ring.iter().sum::<f64>() / ring.len() as f64)).collect()
}

fn rms(heights: &[f64]) -> f64 {
    (heights.iter().map(|h| h * h).sum::<f64>() / heights.len() as f64).sqrt()
}

/// After a twist, a sleeve with internal friction is more than three times as uneven as without (Miguel et al. 2013,
/// figure 11): 1 mm compared with 3 um.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn a_twist_leaves_wrinkles_where_there_is_friction() {
    let with = rms(&unevenness(check_full("twist-once").frame(31)));
    let set = ["cloth[0].internal_friction=false".to_string()];
    let without = rms(&unevenness(run("twist-once", "twist-once-without", None, &set).frame(31)));
    println!("twist-once: {:.3} mm, without friction {:.4} mm", 1e3 * with, 1e3 * without);
    assert!(with > 5e-4 && with > 3.0 * without, "{with} {without}");
}

/// Wrinkles after three twists differ (figure 12): the correlation of their heights is below 0.8, and their size is
/// equal within 30 %.
#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn each_twist_leaves_other_wrinkles() {
    check_scene("twist-thrice");
    let done = check_full("twist-thrice");
    let after = [22, 43, 64].map(|frame| unevenness(done.frame(frame)));
    let sizes = [0, 1, 2].map(|k| rms(&after[k]));
    for (a, b) in [(0, 1), (1, 2)] {
        let product: f64 = after[a].iter().zip(&after[b]).map(|(p, q)| p * q).sum();
        let correlation = product / (sizes[a] * sizes[b] * after[a].len() as f64);
        println!("twist-thrice: {:.3} and {:.3} mm, correlation {correlation:.3}", 1e3 * sizes[a], 1e3 * sizes[b]);
        assert!(correlation < 0.8 && (sizes[a] / sizes[b] - 1.0).abs() < 0.3, "{correlation} {sizes:?}");
    }
}

/// After the figure has lowered its knee, cloth around it is longer along warp than without friction (figure 14):
/// 0.41 % compared with 0.10 %.
#[test]
#[ignore = "long: two runs at full resolution, minutes"]
fn a_knee_stays_in_its_trousers() {
    let longer = |done: &Done| {
        let (rest, now) = (done.frame(1), done.frame(61));
        let edges = rest.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        let (mut sum, mut count) = (0.0, 0.0);
        for [a, b] in edges.map(|edge| edge.map(|v| v as usize)) {
            let near = |v: usize| (rest.x[v].y - 0.5).abs() < 0.12 && rest.x[v].x > 0.0;
            let (before, after) = (rest.x[b] - rest.x[a], now.x[b] - now.x[a]);
            if near(a) && near(b) && before.y.abs() > 0.9 * before.norm() {
                (sum, count) = (sum + after.norm() / before.norm() - 1.0, count + 1.0);
            }
        }
        sum / count
    };
    let with = longer(&check_full("knee"));
    let set = ["cloth[0].internal_friction=false".to_string()];
    let without = longer(&run("knee", "knee-without", None, &set));
    println!("knee: longer by {:.3} %, without friction {:.3} %", 1e2 * with, 1e2 * without);
    assert!(with > 2.5e-3 && with > 3.0 * without, "{with} {without}");
}

/// Balls that would overlap by 5 mm wait for the cloth between them, as shipped.
#[test]
#[ignore = "long: half a minute or more"]
fn pinch_as_expected() {
    check_scene("pinch");
}

/// The balls meet at 0.4 s 50/52.5 = 0.381 s. The run stops before and names them.
#[test]
fn pinch_halts() {
    let set = [with_mesh("../meshes/sheet_1m_25.ply"), "contact.pinch=\"halt\"".to_string()];
    let (told, out) = execute("pinch", "pinch-halt", None, &set);
    let stderr = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(1), "{stderr}");
    assert!(
        ["error failed: frame 13 of 46, step ", "'left'", "'right'", "'cloth'"]
            .iter()
            .all(|word| stderr.contains(word)),
        "{stderr}"
    );
    let done = par::with_threads(1, || read("pinch", &Folder::new(&out))).unwrap();
    assert!(done.record.status == Status::Failed && done.record.done == 12, "{} frames", done.record.done);
    assert!(done.record.reason.as_ref().is_some_and(|reason| reason.contains("'cloth'")), "{:?}", done.record.reason);
    assert!(done.crossings.iter().all(|pairs| *pairs == 0), "{:?}", done.crossings);
}

/// Cloth passes through the named ball, in marked frames, and through no other object.
#[test]
fn pinch_releases() {
    let policy = ["contact.pinch=\"release\"", "contact.release=\"left\""].map(String::from);
    let mesh = with_mesh("../meshes/sheet_1m_25.ply");
    let done = run("pinch", "pinch-release", None, &[policy.as_slice(), &[mesh]].concat());
    assert_eq!(done.record.done, 46);
    for (frame, (pairs, stats)) in done.crossings.iter().zip(&done.stats).enumerate() {
        assert!(*pairs == 0 || stats.ignored > 0, "frame {}: {pairs} pairs cross, none is marked", frame + 1);
    }
    assert_eq!(done.crossings.last(), Some(&0));
}

/// Free fall before contact: `g t^2/2` within 0.1 %, at every vertex, in still vacuum.
#[test]
fn drape_falls_freely() {
    for contact in [true, false] {
        let set = [
            with_mesh("../meshes/sheet_1m_25.ply"),
            "cloth[0].air_drag=0".to_string(),
            format!("contact.enabled={contact}"),
        ];
        // First contact at 0.247 s; frame 8 is at 0.233 s.
        let done = run("drape", &format!("fall-{contact}"), Some(8), &set);
        for frame in 2..=8 {
            let t = f64::from(frame - 1) / done.record.fps;
            let wanted = G * t * t / 2.0;
            let (start, now) = (&done.frame(1).x, &done.frame(frame).x);
            for (p, q) in start.iter().zip(now) {
                let fallen = p.y - q.y;
                assert!(
                    (fallen - wanted).abs() < 1e-3 * wanted,
                    "contact {contact}, {t:.3} s: {fallen} m, not {wanted} m"
                );
            }
        }
    }
}

/// As shipped, the sheet falls through air: `v = u (1 - exp(-t/tau))`, `x = u (t - tau (1 - exp(-t/tau)))` with
/// `u = m g/c`, `tau = m/c` for the mass `m` and drag `c` of an area. BDF2 in steps of `h` adds the third derivative,
/// `g/tau`, times `h^2/3` to the velocity at most; the solver leaves its tolerance, 1e-4.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn drape_falls_through_air() {
    let (tau, step) = (0.2 / 1.0, 6e-3_f64);
    let drift = G / tau * step.powi(2) / 3.0;
    let done = drape();
    // First contact at 0.31 s; frame 10 is at 0.3 s, 20 mm above it.
    for frame in 2..=10 {
        let t = f64::from(frame - 1) / done.record.fps;
        let speed = G * tau * (1.0 - (-t / tau).exp());
        let wanted = G * tau * t - tau * speed;
        let (start, now) = (&done.frame(1).x, done.frame(frame));
        for (v, (p, q)) in now.v.iter().zip(start.iter().zip(&now.x)) {
            let fallen = p.y - q.y;
            assert!((fallen - wanted).abs() < 1e-4 * wanted + drift * t, "{t:.3} s: {fallen} m, not {wanted} m");
            assert!((v + Vec3::y() * speed).norm() < 1e-4 * speed + drift, "{t:.3} s: {v} m/s, not {speed} m/s");
        }
    }
}

/// No vertex of the scene as shipped is faster than 5 mm/s after 4 s. With 50 x 50 vertices and rotated about the
/// vertical, one in three falls over a fold late and still moves at 10 to 30 mm/s then.
#[test]
#[ignore = "long: minutes"]
fn drape_comes_to_rest() {
    let done = check_long("drape", 121);
    assert!((done.stats[120].time - 4.0).abs() < 1e-9);
    let speeds = [31, 61, 91, 121].map(|frame| done.speed(frame) * 1e3);
    assert!(speeds[3] < 5.0, "largest speed after 1, 2, 3, 4 s: {speeds:.1?} mm/s");
}

/// On a static body two shirts over each other come to rest and stay. The hems, which hang freely, swing for five
/// seconds. In the eighth second the 0.27 kg have the energy of 0.2 mm/s. Single vertices in folds oscillate at up to 6
/// mm/s, by some hundredths of a millimetre, and no vertex moves away by 0.2 mm.
#[test]
#[ignore = "long: minutes"]
fn shirts_come_to_rest() {
    let still = ["obstacle[0].rotation.speed=\"0 deg/s\"".to_string()];
    run("two-shirts", "shirts-rest", Some(241), &still).assert_rests(211, [5e-9, 1e-2, 2e-4]);
}

/// A second longer than shipped, the towel folded twice and pressed is at rest. In that second its vertices move by
/// less than 0.05 mm in the mean, and have the energy of 0.7 mm/s. Single dimples between the layers may still snap.
/// Over six starts a micrometre apart, under two rules of step sizes, the farthest vertex moved by 0.08 to 2.0 mm, all
/// by 0.001 to 0.015 mm in the mean.
#[test]
#[ignore = "long: minutes"]
fn towel_comes_to_rest() {
    let done = check_long("towel", 151);
    let (before, after) = (done.frame(121), done.frame(151));
    let way = before.x.iter().zip(&after.x).map(|(x, y)| (y - x).norm()).sum::<f64>() / before.x.len() as f64;
    let [kinetic, ..] = done.unrest(121);
    assert!(way < 5e-5 && kinetic < 2e-8, "{way} m, {kinetic} J");
}

/// After 4 s the kinetic energy of 50 x 50 vertices is that of a sheet at less than 5 mm/s.
#[test]
#[ignore = "long: half a minute or more"]
fn drape_calms_down() {
    let kinetic = drape().stats[120].energies.get("kinetic");
    assert!(kinetic < 0.5 * 0.2 * 5e-3 * 5e-3, "{kinetic} J");
}

/// No edge of the resting drape is more than 5 % longer than its rest length.
#[test]
#[ignore = "long: a quarter of a minute or more"]
fn drape_strain_at_rest() {
    let strain = drape().strain(121);
    assert!(strain < 0.05, "strain {strain:.4}");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn curtain_at_full_resolution() {
    check_full("curtain");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn flag_at_full_resolution() {
    check_full("flag");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn skirt_at_full_resolution() {
    check_full("skirt");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn cusick_at_full_resolution() {
    check_full("cusick");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn walk_at_full_resolution() {
    check_full("walk");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn hull_at_full_resolution() {
    check_full("hull");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn twist_at_full_resolution() {
    check_full("twist");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn stack_at_full_resolution() {
    // From 1.5 s to 2 s, single vertices oscillate by some hundredths of a millimetre.
    check_full("stack").assert_rests(46, [1e-8, 5e-3, 2e-4]);
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn blades_at_full_resolution() {
    check_full("blades");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn funnel_at_full_resolution() {
    check_full("funnel");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn needles_at_full_resolution() {
    check_full("needles");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn sharp_at_full_resolution() {
    check_full("sharp");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn roll_at_full_resolution() {
    check_full("roll");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn t_shirt_at_full_resolution() {
    check_full("t-shirt");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn skirt_with_a_band_at_full_resolution() {
    check_full("skirt-band");
}

#[test]
#[ignore = "long: a quarter of a minute or more"]
fn two_shirts_at_full_resolution() {
    check_full("two-shirts");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn two_sheets_at_full_resolution() {
    check_full("two-sheets");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn balloon_at_full_resolution() {
    check_full("balloon");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn cushion_at_full_resolution() {
    check_full("cushion");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn rotating_sphere_at_full_resolution() {
    check_full("rotating-sphere");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn rotating_sphere_cloth_at_full_resolution() {
    check_full("rotating-sphere-cloth");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn rotating_sphere_body_at_full_resolution() {
    check_full("rotating-sphere-body");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pillow_at_full_resolution() {
    check_full("pillow");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pillow_cloth_at_full_resolution() {
    check_full("pillow-cloth");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pillow_body_at_full_resolution() {
    check_full("pillow-body");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn cube_on_pillow_at_full_resolution() {
    check_full("cube-on-pillow");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn comforter_at_full_resolution() {
    check_full("comforter");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn vest_at_full_resolution() {
    check_full("vest");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn vest_air_at_full_resolution() {
    check_full("vest-air");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn three_pillows_at_full_resolution() {
    check_full("three-pillows");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn hull_80k_at_full_resolution() {
    check_full("hull-80k");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn bedding_at_full_resolution() {
    check_full("bedding");
}

#[test]
#[ignore = "long: the whole scene at full resolution, minutes"]
fn pinch_at_full_resolution() {
    check_full("pinch");
}
