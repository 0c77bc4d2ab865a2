//! Runs of shipped scenes, read from their folders: positions, numbers of frames, and quantities of their surfaces.

use percale::collision::intersect::intersections;
use percale::fit::drape::draped;
use percale::linalg::{Vec3, par};
use percale::measure::Relief;
use percale::mesh;
use percale::sequence::{Folder, FrameStats, Run, Status};
use percale::world::Kind;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use toml_edit::{DocumentMut, Item, Table, value};

/// Acceleration of gravity of the shipped scenes [m/s^2].
pub const G: f64 = 9.81;
/// Relative error of positions in `f32` files, with a margin for a difference of two.
pub const F32: f64 = 1e-6;

pub fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes")
}

/// All cloths, or all bodies or obstacles, of a frame, concatenated.
#[derive(Default)]
pub struct Frame {
    /// Position of each vertex [m].
    pub x: Vec<Vec3>,
    /// Velocity of each vertex [m/s].
    pub v: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// Finished run, read from its folder.
pub struct Done {
    pub name: String,
    pub folder: PathBuf,
    pub record: Run,
    /// Mesh file of each cloth; `None` if the scene modifies the mesh.
    pub files: Vec<Option<PathBuf>>,
    pub stats: Vec<FrameStats>,
    pub frames: Vec<Frame>,
    /// Bodies at each frame.
    pub bodies: Vec<Frame>,
    /// Obstacles at each frame.
    pub obstacles: Vec<Frame>,
    /// Number of intersecting pairs of triangles at each frame.
    pub crossings: Vec<usize>,
}

/// Runs a scene on one thread into a folder for this test, and asserts that it finishes.
pub fn run(name: &str, folder: &str, frames: Option<u32>, set: &[String]) -> Done {
    let (told, out) = execute(name, folder, frames, set);
    assert!(told.status.success(), "{folder}: {}", String::from_utf8_lossy(&told.stderr));
    par::with_threads(1, || read(name, &Folder::new(&out))).unwrap()
}

/// Returns the output of the program, and the run folder.
pub fn execute(name: &str, folder: &str, frames: Option<u32>, set: &[String]) -> (Output, PathBuf) {
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

pub fn read(name: &str, folder: &Folder) -> Done {
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
        folder: folder.path().to_path_buf(),
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
pub fn cloths(scene: &DocumentMut) -> impl Iterator<Item = &Table> {
    scene.get("cloth").and_then(Item::as_array_of_tables).into_iter().flatten()
}

impl Done {
    /// Returns a frame by number, from 1.
    pub fn frame(&self, frame: u32) -> &Frame {
        &self.frames[frame as usize - 1]
    }

    /// Returns the largest relative elongation of an edge at a frame, compared with frame 1, from the written meshes.
    pub fn strain(&self, frame: u32) -> f64 {
        let (rest, now) = (&self.frame(1).x, self.frame(frame));
        let length = |x: &[Vec3], a: u32, b: u32| (x[a as usize] - x[b as usize]).norm();
        let edges = now.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
        edges.map(|[a, b]| length(&now.x, a, b) / length(rest, a, b) - 1.0).fold(0.0, f64::max)
    }

    /// Returns the largest speed of a vertex at a frame [m/s].
    pub fn speed(&self, frame: u32) -> f64 {
        self.frame(frame).v.iter().map(|v| v.norm()).fold(0.0, f64::max)
    }

    /// Returns the largest motion from frame `first` to the last: kinetic energy, speed of a vertex, and displacement
    /// of a vertex between both frames [J, m/s, m].
    pub fn unrest(&self, first: u32) -> [f64; 3] {
        let last = self.record.done;
        let most = |of: &dyn Fn(u32) -> f64| (first..=last).map(of).fold(0.0, f64::max);
        let ways = self.frame(first).x.iter().zip(&self.frame(last).x).map(|(before, after)| (after - before).norm());
        let kinetic = most(&|frame| self.stats[frame as usize - 1].energies.get("kinetic"));
        [kinetic, most(&|frame| self.speed(frame)), ways.fold(0.0, f64::max)]
    }

    /// Reads the rows of a probe, without the heading.
    pub fn probe(&self, name: &str) -> Vec<Vec<f64>> {
        let text = fs::read_to_string(self.folder.join(format!("probes/{name}.csv"))).unwrap();
        text.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect()
    }

    /// Asserts that from frame `first` on no motion exceeds `most`, see [`Done::unrest`].
    pub fn assert_rests(&self, first: u32, most: [f64; 3]) {
        let found = self.unrest(first);
        println!("{}: {found:?} J, m/s, m from frame {first} on", self.name);
        assert!(found.iter().zip(&most).all(|(found, most)| found < most), "{}: {found:?}, not {most:?}", self.name);
    }

    /// Returns a single object from a frame of all objects of its kind.
    pub fn one(&self, kind: Kind, name: &str, all: &Frame) -> Frame {
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
    pub fn quantity(&self, name: &str, frame: u32) -> f64 {
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
    pub fn shape(&self, name: &str, rest: &Frame, all: &Frame, frame: u32) -> f64 {
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
    pub fn told(&self, name: &str, frame: u32) -> Option<f64> {
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
    pub fn sound(&self, frames: u32, bound: f64) -> Vec<String> {
        let mut faults = Vec::new();
        let mut hold = |holds: bool, what: String| {
            if !holds {
                faults.push(format!("{}: {what}", self.name));
            }
        };
        hold(self.record.status == Status::Finished, format!("status is {}", self.record.status.name()));
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

pub fn relief(frame: &Frame) -> Relief<'_> {
    Relief::new(&frame.x, &frame.triangles)
}

/// Splits a name into object and quantity. A dot within brackets belongs to a number.
pub fn object_of(name: &str) -> Option<(&str, &str)> {
    let (one, quantity) = name.split_once('.')?;
    (!one.contains('(')).then_some((one, quantity))
}

/// Returns the centre of mass of surfaces [m]. The cloths of a scene have the same density, so weights are the
/// triangles' areas at rest.
pub fn centre(rest: &Frame, now: &Frame) -> Vec3 {
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
pub fn volume(all: &Frame) -> f64 {
    let corners = all.triangles.iter().map(|t| t.map(|v| all.x[v as usize]));
    corners.map(|[a, b, c]| a.dot(&b.cross(&c)) / 6.0).sum()
}

/// Returns whether `b` is `a` scaled, rotated and translated. Distances of every vertex from three vertices far from
/// each other are compared.
pub fn similar(a: &[Vec3], b: &[Vec3]) -> bool {
    let farthest = |from: &dyn Fn(usize) -> f64| (0..a.len()).max_by(|i, j| from(*i).total_cmp(&from(*j))).unwrap_or(0);
    let far = farthest(&|i| (a[i] - a[0]).norm());
    let aside = farthest(&|i| (a[i] - a[0]).cross(&(a[i] - a[far])).norm());
    let size = (b[far] - b[0]).norm();
    let scale = size / (a[far] - a[0]).norm();
    let apart = |i: usize, from: usize| ((a[i] - a[from]).norm() * scale - (b[i] - b[from]).norm()).abs();
    (0..a.len()).all(|i| [0, far, aside].into_iter().all(|from| apart(i, from) < 4.0 * F32 * size))
}

/// Expected values of a scene.
pub struct Expected {
    pub path: PathBuf,
    pub document: DocumentMut,
}

impl Expected {
    pub fn read(name: &str) -> Expected {
        let path = scenes().join(format!("{name}.expected.toml"));
        let document = fs::read_to_string(&path).unwrap().parse().unwrap();
        Expected { path, document }
    }

    pub fn frames(&self) -> u32 {
        u32::try_from(self.document["frames"].as_integer().unwrap()).unwrap()
    }

    /// Returns the overrides of the short run: every cloth's mesh, and other keys from the file.
    pub fn overrides(&self, scene: &DocumentMut) -> Vec<String> {
        let mesh = self.document.get("mesh").and_then(Item::as_str);
        let meshes = mesh.into_iter().flat_map(|mesh| (0..cloths(scene).count()).map(move |k| (k, mesh)));
        let set = self.document.get("set").and_then(Item::as_array).into_iter().flatten();
        let other = set.map(|one| one.as_str().unwrap().to_string());
        meshes.map(|(k, mesh)| format!("cloth[{k}].mesh=\"{mesh}\"")).chain(other).collect()
    }

    pub fn largest_strain(&self) -> f64 {
        number(&self.document["largest_strain"])
    }

    /// Compares each check with a run, or rewrites the values when blessing.
    pub fn compare(mut self, done: &Done) -> Vec<String> {
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

pub fn measured(check: &Table, done: &Done) -> f64 {
    let frame = u32::try_from(check["frame"].as_integer().unwrap()).unwrap();
    done.quantity(check["quantity"].as_str().unwrap(), frame)
}

/// Rounds to six significant digits.
pub fn rounded(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap()
}

pub fn number(item: &Item) -> f64 {
    item.as_float().or(item.as_integer().map(|i| i as f64)).unwrap()
}

/// Returns the override that gives a scene's first cloth a mesh.
pub fn with_mesh(mesh: &str) -> String {
    format!("cloth[0].mesh=\"{mesh}\"")
}

pub fn scene(name: &str) -> DocumentMut {
    fs::read_to_string(scenes().join(format!("{name}.toml"))).unwrap().parse().unwrap()
}

pub fn check_scene(name: &str) {
    let expected = Expected::read(name);
    let done = run(name, name, Some(expected.frames()), &expected.overrides(&scene(name)));
    let mut faults = done.sound(expected.frames(), expected.largest_strain());
    faults.extend(expected.compare(&done));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Runs the scene as shipped: all frames at full resolution.
pub fn check_full(name: &str) -> Done {
    let frames = u32::try_from(scene(name)["time"]["frames"].as_integer().unwrap()).unwrap();
    check_long(name, frames)
}

/// Runs a number of frames, which may exceed the shipped number, at full resolution.
pub fn check_long(name: &str, frames: u32) -> Done {
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
pub fn judge(folder: &str, every: u32) {
    let Some(judge) = std::env::var_os("PERCALE_JUDGE").filter(|judge| !judge.is_empty()) else { return };
    let run = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("scenes-{folder}"));
    let told = Command::new(judge).arg(&run).args(["--every", &every.to_string()]).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    print!("{stdout}");
    assert!(told.status.success(), "{folder}: {stdout}{stderr}");
}
