//! The program as users run it: run folder, exit codes, messages, signals.

use percale::mesh::{TriMesh, ply};
use percale::sequence::{Folder, FrameStats, Status};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SCENE: &str = r##"
[scene]
name = "small"

[time]
fps = 30
frames = 6
step = "2 ms"

[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { translate = [0, 0.56, 0], rotate = { axis = [1, 0, 0], angle = "3 deg" } }

[[obstacle]]
name = "ball"
sphere = { center = [0, 0.25, 0], radius = 0.25 }
resolution = 0.08

[[obstacle]]
name = "bar"
box = { center = [0, 0.1, 0.8], size = [0.5, 0.05, 0.05] }
keyframes = [{ time = 0 }, { time = 1, translate = [0, 0.2, 0] }]

[output]
fields = ["strain", "speed", "gap"]

[preview]
width = 160
height = 90
samples = 2
sheet = 4
exr = true
"##;

/// Folder of a test with a scene in it.
struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str, scene: &str) -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
        fs::write(folder.join("scene.toml"), scene.replace("MESHES", meshes.to_str().unwrap())).unwrap();
        Bench { folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
        command.args(arguments).current_dir(&self.folder);
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn done(&self, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    /// Returns standard error of a command that ends with `code`.
    fn refused(&self, code: i32, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {told}");
        told
    }

    /// Returns all files below a folder by path, except checkpoints and the files of the record that contain times.
    fn results(&self, run: &str) -> BTreeMap<String, Vec<u8>> {
        let root = self.folder.join(run);
        let mut all = BTreeMap::new();
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_string();
                if path.is_dir() {
                    open.push(path);
                } else if name != "run.json"
                    && name != "run.log"
                    && name != "stats.ndjson"
                    && name != "report.html"
                    && !name.starts_with("checkpoints/")
                {
                    all.insert(name, fs::read(path).unwrap());
                }
            }
        }
        all
    }

    fn folder(&self, run: &str) -> Folder {
        Folder::new(&self.folder.join(run))
    }
}

#[test]
fn a_run_leaves_its_record() {
    let bench = Bench::new("record", SCENE);
    let told = bench.run(&["run", "scene.toml", "--out", "a", "--threads", "2"]);
    assert!(told.status.success() && told.stdout.is_empty());
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains(" info Progress: 50% (frame 3/6) t=0.067 s, "), "{told}");
    assert!(told.contains(" info solve ") && told.ends_with("see a\n"), "{told}");

    let results = bench.results("a");
    let mut wanted = vec!["scene.toml".to_string(), "meshes/ball/ball.ply".into(), "preview/sheet.png".into()];
    for frame in 1..=6 {
        wanted.push(format!("meshes/sheet/sheet.{frame:04}.ply"));
        wanted.push(format!("meshes/bar/bar.{frame:04}.ply"));
        wanted.push(format!("preview/frame.{frame:04}.png"));
        wanted.push(format!("preview/frame.{frame:04}.exr"));
    }
    wanted.sort();
    assert_eq!(results.keys().cloned().collect::<Vec<_>>(), wanted);

    let run = bench.folder("a").read_run().unwrap();
    assert_eq!((run.status, run.done, run.frames, run.fps, run.threads), (Status::Finished, 6, 6, 30.0, 2));
    let names: Vec<&str> = run.objects.iter().map(|o| o.name.as_str()).collect();
    assert_eq!(names, ["sheet", "ball", "bar"]);
    assert_eq!((run.objects[0].vertices, run.objects[0].triangles), (625, 1152));

    // Vertices are in file order: frame 1 is the input mesh, rotated and translated.
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    let input = ply::read(&fs::read(meshes.join("sheet_1m_25.ply")).unwrap()).unwrap().mesh;
    let first = ply::read(&results["meshes/sheet/sheet.0001.ply"]).unwrap();
    assert_eq!(first.mesh.triangles, input.triangles);
    let (s, c) = 3f64.to_radians().sin_cos();
    for (p, q) in input.positions.iter().zip(&first.mesh.positions) {
        let turned = [p.x, c * p.y - s * p.z + 0.56, s * p.y + c * p.z];
        assert!((0..3).all(|k| (turned[k] - q[k]).abs() < 1e-6), "{p} {q}");
    }
    assert_eq!(first.velocities.unwrap().iter().map(|v| v.norm()).fold(0.0, f64::max), 0.0);

    // Channels agree with the other data of the file.
    let last = ply::read(&results["meshes/sheet/sheet.0006.ply"]).unwrap();
    let speed = &last.mesh.channels["speed"];
    for (v, speed) in last.velocities.unwrap().iter().zip(speed) {
        assert!((v.norm() - speed).abs() < 1e-5);
    }
    let gap = &last.mesh.channels["gap"];
    let near = gap.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(near > 0.0 && near < 2e-3 && gap.iter().all(|g| *g <= 4.0e-3 + 1e-9), "{near}");
    assert!(last.mesh.channels["strain"].iter().any(|e| *e > 0.0));

    let stats = bench.folder("a").read_stats().unwrap();
    assert_eq!(stats.iter().map(|s| s.frame).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    for (k, s) in stats.iter().enumerate() {
        assert_eq!(s.time, k as f64 / 30.0);
        assert_eq!(s.steps > 0, k > 0);
    }
    assert!(stats[5].contacts > 0 && stats[5].min_gap.is_finite() && stats[5].max_strain > 0.0);
    let energy = |s: &FrameStats| s.energies.all().map(|(_, joules)| joules).sum::<f64>();
    assert!(energy(&stats[5]) < energy(&stats[0]) + 1e-6, "energy came from nowhere");
    assert!((stats[1].energies.get("kinetic") - 0.5 * 0.15 * (9.81f64 / 30.0).powi(2)).abs() < 0.01);
}

/// Two sheets above a floor, with air below the first, which carries it.
const AIRED: &str = r##"
[time]
fps = 50
frames = 3
step = "2 ms"

[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { translate = [0, 0.01, 0] }

[[cloth]]
name = "other"
mesh = "MESHES/sheet_1m_25.ply"
transform = { translate = [2, 0.01, 0] }

[[obstacle]]
name = "floor"
plane = {}

[[air_layer]]
cloth = "sheet"
body = "floor"
permeability = "20 mm/s"
border = "closed"

[output]
fields = ["pressure", "air_mass"]

[preview]
width = 160
height = 90
samples = 2
sheet = 0
field = "pressure"
"##;

/// Returns the area of each vertex: a third of those of its triangles.
fn vertex_areas(mesh: &TriMesh) -> Vec<f64> {
    let mut areas = vec![0.0; mesh.positions.len()];
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize]);
        t.iter().for_each(|v| areas[*v as usize] += (b - a).cross(&(c - a)).norm() / 6.0);
    }
    areas
}

#[test]
fn air_is_written_with_the_cloth_above_it() {
    let bench = Bench::new("air", AIRED);
    bench.done(&["run", "scene.toml", "--out", "a", "--threads", "1"]);
    let results = bench.results("a");
    let mesh =
        |name: &str, frame: u32| ply::read(&results[&format!("meshes/{name}/{name}.{frame:04}.ply")]).unwrap().mesh;
    // Mass over volume of the gas is `P/c^2`: 1.2 kg/m3. The floor is at y = 0, so the gap is y.
    let (pressure, speed) = (101_325.0, 290.6f64);
    // Both sheets start 10 mm above the origin.
    let weight = bench.folder("a").read_stats().unwrap()[0].energies.get("gravity") / 0.02;
    let areas = vertex_areas(&mesh("sheet", 1));
    let mut masses = Vec::new();
    for frame in 1..=3 {
        let now = mesh("sheet", frame);
        let (excess, mass) = (&now.channels["pressure"], &now.channels["air_mass"]);
        assert_eq!((excess.len(), mass.len()), (625, 625));
        for ((p, m), x) in excess.iter().zip(mass).zip(&now.positions) {
            let exact = (pressure + p) / (speed * speed) * x.y;
            assert!((m / exact - 1.0).abs() < 1e-5, "frame {frame}: {m} {exact} kg/m2");
        }
        let all = |of: &dyn Fn(usize) -> f64| (0..areas.len()).map(|v| areas[v] * of(v)).sum::<f64>();
        masses.push(all(&|v| mass[v]));
        let load = all(&|v| excess[v]);
        println!(
            "frame {frame}: {:.3} g of air, carries {:.3} of the weight",
            1e3 * masses[frame as usize - 1],
            load / weight
        );
        // At the start the air is at rest; then it carries the sheet.
        assert!(if frame == 1 { load == 0.0 } else { (load / weight - 1.0).abs() < 0.01 }, "frame {frame}: {load} N");
        let other = mesh("other", frame);
        assert!(!other.channels.contains_key("pressure") && !other.channels.contains_key("air_mass"));
    }
    assert!(
        (masses[0] / (pressure / (speed * speed) * 0.01) - 1.0).abs() < 1e-6 && masses[2] < masses[1],
        "{masses:?}"
    );

    bench.done(&["run", "scene.toml", "--out", "b", "--threads", "2", "--progress", "none"]);
    assert!(bench.results("b") == results, "2 threads");
    let picture = "preview/frame.0003.png";
    fs::remove_file(bench.folder.join("b").join(picture)).unwrap();
    bench.done(&["render", "b"]);
    assert!(bench.results("b") == results, "render");
    for field in ["none", "air_mass"] {
        bench.done(&["render", "b", "--frames", "3", "--set", &format!("preview.field={field}")]);
        assert!(bench.results("b")[picture] != results[picture], "{field}");
    }
    // A field that no cloth has colours nothing and writes nothing.
    let without = AIRED.split("[[air_layer]]").next().unwrap();
    let rest = AIRED.split("[output]").nth(1).unwrap();
    let still = Bench::new("airless", &format!("{without}[output]{rest}"));
    let out = still.run(&["run", "scene.toml", "--out", "a", "--frames", "1"]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        out.status.success() && told.contains("output.fields: no cloth has \"pressure\": there is no [[air_layer]]"),
        "{told}"
    );
    assert!(told.contains("preview.field: no cloth has \"pressure\""), "{told}");
    let results = still.results("a");
    assert!(ply::read(&results["meshes/sheet/sheet.0001.ply"]).unwrap().mesh.channels.is_empty());
    assert!(results.contains_key("preview/frame.0001.png"));
}

#[test]
fn any_number_of_threads_and_drawing_again_give_the_same_bits() {
    let bench = Bench::new("bits", SCENE);
    bench.done(&["run", "scene.toml", "--out", "one", "--threads", "1", "--progress", "none"]);
    let one = bench.results("one");
    assert_eq!(one.len(), 6 * 4 + 3);
    for threads in ["2", "4"] {
        bench.done(&["run", "scene.toml", "--out", threads, "--threads", threads, "--progress", "none"]);
        assert!(bench.results(threads) == one, "{threads} threads");
    }
    for name in one.keys().filter(|name| name.starts_with("preview/")) {
        fs::remove_file(bench.folder.join("2").join(name)).unwrap();
    }
    bench.done(&["render", "2"]);
    assert!(bench.results("2") == one, "render");
    fs::remove_file(bench.folder.join("2/preview/frame.0004.png")).unwrap();
    assert_eq!(bench.done(&["render", "2", "--frames", "4-5"]), "2 pictures in 2/preview\n");
    assert!(bench.results("2") == one, "render of a part");
    bench.done(&["render", "2", "--frames", "6", "--set", "preview.shading=phong"]);
    assert!(bench.results("2")["preview/frame.0006.png"] != one["preview/frame.0006.png"]);
    assert!(bench.refused(2, &["render", "2", "--frames", "6-7"]).contains("frame 7 is not there; 6 frames are"));
}

#[test]
#[ignore = "long: the whole drape three times, minutes"]
fn the_whole_drape_has_the_same_bits_on_1_2_and_4_threads() {
    let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/drape.toml");
    let bench = Bench::new("drape", "");
    let run = |threads: &str| {
        let arguments = ["run", scene.to_str().unwrap(), "--frames", "61", "--progress", "none"];
        let small = ["--set", "preview.width=320", "--set", "preview.height=180"];
        bench.done(&[&arguments[..], &small, &["--out", threads, "--threads", threads]].concat());
        bench.results(threads)
    };
    let one = run("1");
    assert!(one.len() > 2 * 61);
    for threads in ["2", "4"] {
        let other = run(threads);
        let differ: Vec<&String> = one.keys().filter(|name| one.get(*name) != other.get(*name)).collect();
        assert!(differ.is_empty() && other.len() == one.len(), "{threads} threads: {differ:?}");
    }
}

#[test]
fn a_chart_with_seams_is_drawn_from_the_record() {
    let scene = r##"
[time]
frames = 1
[[cloth]]
name = "skirt"
mesh = "skirt.obj"
checker = true
[preview]
width = 96
height = 96
samples = 1
sheet = 0
"##;
    let bench = Bench::new("chart", scene);
    let mesh = bench.folder.join("skirt.obj");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/skirt.obj"), &mesh).unwrap();
    bench.done(&["run", "scene.toml", "--out", "a"]);
    let drawn = bench.results("a");
    assert!(drawn.contains_key("meshes/skirt/skirt.chart.obj"));
    fs::remove_file(bench.folder.join("a/preview/frame.0001.png")).unwrap();
    // The run folder is self-contained: the input is deleted and the folder moved.
    fs::remove_file(&mesh).unwrap();
    fs::rename(bench.folder.join("a"), bench.folder.join("b")).unwrap();
    bench.done(&["render", "b"]);
    assert!(bench.results("b") == drawn);
}

#[test]
fn an_earlier_run_is_replaced_and_nothing_else() {
    let bench = Bench::new("again", SCENE);
    bench.done(&["run", "scene.toml", "--out", "a", "--frames", "3"]);
    fs::write(bench.folder.join("a/preview/notes.png"), "mine").unwrap();
    fs::write(bench.folder.join("a/meshes/sheet/sheet.edited.ply"), "mine").unwrap();
    bench.done(&["run", "scene.toml", "--out", "a", "--frames", "1", "--set", "preview.exr=false"]);
    let left: Vec<String> = bench.results("a").into_keys().collect();
    let wanted = [
        "meshes/ball/ball.ply",
        "meshes/bar/bar.0001.ply",
        "meshes/sheet/sheet.0001.ply",
        "meshes/sheet/sheet.edited.ply",
        "preview/frame.0001.png",
        "preview/notes.png",
        "preview/sheet.png",
        "scene.toml",
    ];
    assert_eq!(left, wanted);
    assert_eq!(bench.folder("a").read_stats().unwrap().len(), 1);
    // The recorded scene contains the overrides.
    let kept = fs::read_to_string(bench.folder.join("a/scene.toml")).unwrap();
    assert!(kept.contains("frames = 1") && kept.contains("exr = false"), "{kept}");

    // Folders without a run are not modified.
    fs::create_dir(bench.folder.join("b")).unwrap();
    fs::write(bench.folder.join("b/scene.toml"), "mine").unwrap();
    let told = bench.refused(2, &["run", "scene.toml", "--out", "b"]);
    assert_eq!(told, "b/scene.toml: exists, but its folder holds no run of percale; give another folder with --out\n");
    assert_eq!(fs::read_to_string(bench.folder.join("b/scene.toml")).unwrap(), "mine");
    let told = bench.refused(2, &["run", "scene.toml", "--out", "."]);
    assert!(told.contains("lies in the run folder"), "{told}");
}

#[test]
fn faults_of_all_objects_are_told_at_once() {
    let scene = SCENE.replace(
        "[output]",
        r#"[[cloth]]
name = "other"
mesh = "MESHES/skirt.obj"
transform = { translate = [3, 0, 0] }

[[cloth.pin]]
group = "wiast"

[[cloth.pin]]
box = { min = [0, 5, 0], max = [1, 6, 1] }

[[cloth.map]]
of = "bend"
channel = "soft"

[[obstacle]]
name = "broken"
mesh = "broken.obj"

[[obstacle]]
name = "flat"
mesh = "flat.obj"

[output]"#,
    );
    let bench = Bench::new("faults", &scene);
    fs::write(bench.folder.join("broken.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 zero\nf 1 2 3\n").unwrap();
    fs::write(bench.folder.join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n").unwrap();
    for command in ["check", "run"] {
        let told = bench.refused(2, &[command, "scene.toml"]);
        let lines: Vec<&str> = told.lines().collect();
        let group = "cloth[1].pin[0].group: there is no group 'wiast', known are 'hem', 'waist'; did you mean 'waist'?";
        let line = scene.lines().position(|l| l.contains("wiast")).unwrap() + 1;
        assert!(lines[0].starts_with(&format!("scene.toml:{line}:")) && lines[0].ends_with(group), "{told}");
        assert!(
            lines[1].contains("cloth[1].pin[1].box: no vertex lies in this box; the nearest to its centre is "),
            "{told}"
        );
        assert!(lines[2].contains("cloth[1].map[0].channel: the mesh has no channel 'soft', it has none"), "{told}");
        assert!(lines[3].starts_with("broken.obj:3:7: "), "{told}");
        assert!(lines[4].starts_with("flat.obj: 1 "), "{told}");
        assert_eq!(lines[5..], ["5 faults"], "{told}");
    }
    assert!(!bench.folder.join("out").exists());
}

#[test]
fn what_crosses_at_the_start_is_told() {
    let bench = Bench::new("crossing", SCENE);
    let told = bench.refused(2, &["run", "scene.toml", "--set", "cloth.sheet.transform.translate=[0, 0.4, 0]"]);
    assert!(told.contains("cloth[0]: at the start 'sheet' and 'ball' cross: "), "{told}");
    assert!(told.contains(" pairs of triangles (") && told.contains("move them apart"), "{told}");
    assert!(told.contains("out/small/crossing.ply: the triangles that cross at the start"), "{told}");
    let shown = ply::read(&fs::read(bench.folder.join("out/small/crossing.ply")).unwrap()).unwrap().mesh;
    let mut objects = shown.channels["object"].clone();
    objects.dedup();
    assert!(objects == [0.0, 1.0] && shown.channels["triangle"].len() == 3 * shown.triangles.len());
    // `check` reports the same fault and writes no file.
    let lines =
        |told: &str| told.lines().filter(|l| l.contains("at the start")).map(str::to_string).collect::<Vec<_>>();
    let checked = bench.refused(2, &["check", "scene.toml", "--set", "cloth.sheet.transform.translate=[0, 0.4, 0]"]);
    assert!(lines(&checked)[0].contains("cross: ") && checked.lines().count() == 1, "{checked}");
    // Leftover files without a record do not prevent a run, and are deleted.
    bench.done(&["run", "scene.toml", "--frames", "1", "--no-preview"]);
    assert!(!bench.folder.join("out/small/crossing.ply").exists());
}

/// Overrides for a sheet that starts 5 mm deep in a ball.
const DEEP: [&str; 2] = ["--set", "cloth.sheet.transform={ translate = [0, 0.495, 0] }"];

#[test]
fn a_start_that_crosses_is_untangled() {
    let bench = Bench::new("untangle", SCENE);
    let set = ["--set", "contact.start=untangle", "--out", "a", "--no-preview"];
    let out = bench.run(&[&["run", "scene.toml"], &DEEP[..], &set[..]].concat());
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{told}");
    // The displacement is the depth, the target gap and little more, see the tests of collision::untangle.
    let most = told.split("untangled by at most ").nth(1).and_then(|t| t.split(' ').next()).unwrap();
    assert!((5.0..10.0).contains(&most.parse::<f64>().unwrap()), "{told}");
    let run = bench.folder("a").read_run().unwrap();
    assert_eq!((run.status, run.done), (Status::Finished, 6));
    assert!(bench.folder("a").read_stats().unwrap().iter().all(|s| s.ignored == 0));
    let checked = bench.run(&[&["check", "scene.toml"], &DEEP[..], &set[..2]].concat());
    assert!(checked.status.success() && String::from_utf8_lossy(&checked.stderr).contains("untangled by"));
    let deep = ["--set", "cloth.sheet.transform={ translate = [0, 0.25, 0] }"];
    let told = bench.refused(2, &[&["run", "scene.toml"], &deep[..], &set[..]].concat());
    assert!(told.contains("too deep to be untangled; move them apart"), "{told}");
}

#[test]
fn a_start_that_crosses_is_ignored_until_apart() {
    let bench = Bench::new("ignore", SCENE);
    // The sheet's middle vertex lies in the ball. The ball either moves down out of the sheet, which follows, or stays.
    let sheet = ["--set", "cloth.sheet.transform={ translate = [0, 0.4975, 0] }"];
    let leaves = ["--set", "obstacle.ball.keyframes=[{ time = 0 }, { time = 0.2, translate = [0, -0.5, 0] }]"];
    let run = |out: &str, set: &[&str]| {
        let fixed = ["--set", "contact.start=ignore", "--no-preview", "--frames", "12", "--out", out];
        let told = bench.run(&[&["run", "scene.toml"], &sheet[..], set, &fixed[..]].concat());
        let told = (told.status.success(), String::from_utf8_lossy(&told.stderr).into_owned());
        assert!(told.0 && told.1.contains("; ignored until apart"), "{}", told.1);
        bench.folder(out).read_stats().unwrap().iter().map(|s| s.ignored).collect::<Vec<usize>>()
    };
    let ignored = run("leaves", &leaves);
    assert!(ignored.len() == 12 && ignored[0] > 0 && ignored[1..] == [0; 11], "{ignored:?}");
    let told = bench.done(&["inspect", "leaves"]);
    assert!(told.contains("at frame 1 'sheet' and 'ball' cross: ") && !told.contains("at frame 2"), "{told}");
    let ignored = run("stays", &[]);
    assert!(ignored.len() == 12 && ignored.iter().all(|n| *n > 0), "{ignored:?}");
}

#[test]
fn what_crosses_when_rounded_is_not_written() {
    // 66 km from the origin, files have a resolution of 8 mm: a ball 1 mm under a sheet is not under it in the file.
    // Another cloth, as far on the other side, keeps the origin of the run between them.
    let other =
        "[[cloth]]\nname = \"other\"\nmesh = \"MESHES/sheet_1m_25.ply\"\ntransform = { translate = [-65600, 0, 0] }\n";
    let bench = Bench::new("rounded", &format!("{SCENE}{other}"));
    let far = |y: f64| format!("[65600, {y}, 0]");
    let sheet = format!(
        "cloth.sheet.transform={{ translate = {}, rotate = {{ axis = [0, 0, 1], angle = \"30 deg\" }} }}",
        far(0.3)
    );
    let ball = format!("obstacle.ball.sphere.center={}", far(0.3 - 0.251 / 30f64.to_radians().cos()));
    let bar = format!("obstacle.bar.box.center={}", far(-1.0));
    let told = bench.refused(1, &["run", "scene.toml", "--out", "a", "--set", &sheet, "--set", &ball, "--set", &bar]);
    assert!(told.contains("frame 1 of 6") && told.contains("'sheet' and 'ball' cross: "), "{told}");
    assert!(told.contains("cloth[0]: is or is led 65.6 km from where the run is written"), "{told}");
    assert!(told.contains("crossing.ply") && bench.folder.join("a/crossing.ply").is_file(), "{told}");
    let run = bench.folder("a").read_run().unwrap();
    assert_eq!((run.status, run.done), (Status::Failed, 0));
    assert!(!bench.folder.join("a/meshes").exists());
}

#[test]
fn wrong_arguments_and_scenes_are_input_faults() {
    let bench = Bench::new("input", SCENE);
    let told = bench.refused(2, &["run", "scene.toml", "--set", "time.stpe=1"]);
    assert!(told.contains("--set time.stpe: ") && told.contains("step"), "{told}");
    bench.refused(2, &["run", "missing.toml"]);
    bench.refused(2, &["run", "scene.toml", "--threads", "0"]);
    bench.refused(2, &["fly"]);
    bench.refused(2, &["materials", "stone"]);
    for (name, offered) in
        [("coton", "'cotton'"), ("heavy-denim", "'denim'"), ("SILK1", "'silk'"), ("foam", "'plastic-foam'")]
    {
        let told = bench.refused(2, &["materials", name]);
        assert!(told.contains(&format!("'{name}'; did you mean ")) && told.contains(offered), "{told}");
        let told = bench.refused(2, &["check", "scene.toml", "--set", &format!("cloth.sheet.material={name}")]);
        assert!(name == "foam" || told.contains("; did you mean ") && told.contains(offered), "{told}");
    }
    // Control characters in arguments do not reach the terminal, and messages have a bounded length.
    let odd = "x\u{1b}[2J\r\nforged\u{202e}";
    let long = "y".repeat(100_000);
    for word in [odd, &long] {
        let cases: [&[&str]; 6] = [
            &["materials", word],
            &["run", word],
            &["inspect", word],
            &["check", "scene.toml", "--set", &format!("cloth.sheet.material='{word}'")],
            &["run", "scene.toml", "--frames", word],
            &[word],
        ];
        for arguments in cases {
            let out = bench.run(arguments);
            let told = String::from_utf8([out.stdout, out.stderr].concat()).unwrap();
            let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
            assert!(!told.contains(acts) && !told.contains("\nforged") && told.len() < 5000, "{}", told.len());
            assert!(!out.status.success() && !told.is_empty());
        }
    }
    let told = bench.refused(2, &["run", "scene.toml", "--frames", "-1"]);
    assert!(told.contains("negative: -1; give a number of frames or a range"), "{told}");
    assert_eq!(bench.refused(2, &["inspect", "missing.ply"]), "missing.ply: no such file or folder\n");
    assert!(bench.refused(2, &["inspect", "."]).contains("no run folder"));
    let mesh = |name: &str| {
        format!(
            "def Mesh \"{name}\" {{ int[] faceVertexCounts = [3] int[] faceVertexIndices = [0, 1, 2] \
             point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0, 1)] }}\n"
        )
    };
    fs::write(bench.folder.join("two.usda"), format!("#usda 1.0\n{}{}", mesh("A"), mesh("B"))).unwrap();
    for (more, word) in
        [(["--frame", "2"], "--frame: only a run"), (["--crossing", "x.ply"], "--crossing: give --object")]
    {
        let told = bench.refused(2, &["inspect", "two.usda", more[0], more[1]]);
        assert!(told.contains(word), "{told}");
    }
    // A shot from 1001: a count that may mean the last frame is refused.
    let shot = ["run", "scene.toml", "--set", "time.start_frame=1001", "--frames"];
    for (frames, word) in [
        ("1003", "--frames 1003: is that the last frame, or how many? The shot begins at 1001; give 1001-1003"),
        ("1-3", "--frames 1-3: a run begins at its first frame, 1001; give 1001-1003 for as many"),
    ] {
        let told = bench.refused(2, &[&shot[..], &[frames]].concat());
        assert!(told.contains(word), "{told}");
    }
    assert!(bench.refused(2, &["render", "missing"]).contains("no run folder"));
}

#[test]
fn a_folder_that_cannot_be_written_is_a_disk_failure() {
    let bench = Bench::new("disk", SCENE);
    fs::write(bench.folder.join("file"), "").unwrap();
    let told = bench.refused(3, &["run", "scene.toml", "--out", "file/out"]);
    assert!(told.contains(" error file/out: "), "{told}");
    // A folder has the name of an output file.
    bench.done(&["run", "scene.toml", "--out", "a", "--frames", "1"]);
    fs::create_dir_all(bench.folder.join("a/preview/frame.0002.png/x")).unwrap();
    let told = bench.refused(3, &["run", "scene.toml", "--out", "a", "--frames", "3"]);
    assert!(told.contains("a/preview/frame.0002.png: "), "{told}");
    let run = bench.folder("a").read_run().unwrap();
    assert_eq!((run.status, run.done), (Status::Failed, 1));
    assert!(run.reason.unwrap().contains("frame.0002.png"));
}

#[test]
fn what_cannot_meet_its_strain_limit_goes_on_and_tells() {
    let scene = r#"
[time]
frames = 4
step = "2 ms"
adaptive = false
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_10x10.ply"
transform = { scale = 10 }
strain_limit = 0.01
[[cloth.pin]]
box = { min = [-0.6, -1, -1], max = [-0.44, 1, 1] }
[[cloth.pin]]
box = { min = [0.44, -1, -1], max = [0.6, 1, 1] }
keyframes = [{ time = 0 }, { time = 0.5, translate = [0.5, 0, 0] }]
[preview]
enabled = false
"#;
    let bench = Bench::new("drawn", scene);
    let out = bench.run(&["run", "scene.toml", "--out", "a"]);
    let told = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{told}");
    let lines = told.lines().filter(|line| line.contains("'sheet' was ") && line.contains("beyond its strain limit"));
    assert_eq!(lines.count(), 1, "{told}");
    let run = bench.folder("a").read_run().unwrap();
    assert_eq!((run.status, run.done), (Status::Finished, 4));
}

/// Returns a scene with a sheet between two ends, the second of which moves.
fn drawn(key: &str, way: &str) -> String {
    format!(
        r#"
[time]
frames = 5
step = "2 ms"
{key}
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
[[cloth.pin]]
box = {{ min = [-0.6, -1, -1], max = [-0.49, 1, 1] }}
[[cloth.pin]]
box = {{ min = [0.49, -1, -1], max = [0.6, 1, 1] }}
keyframes = [{{ time = 0 }}, {{ time = 0.1, translate = {way} }}]
[preview]
enabled = false
"#
    )
}

#[test]
fn a_frame_that_takes_too_long_ends_the_run_with_a_checkpoint() {
    let bench = Bench::new("frame-limit", &drawn("frame_limit = \"1 ms\"", "[0, 0.1, 0]"));
    let told = bench.refused(1, &["run", "scene.toml", "--out", "a"]);
    assert!(
        told.contains(" error failed: frame 2 of 5 has taken more than time.frame_limit, ")
            && told.contains("run again with --resume"),
        "{told}"
    );
    let run = bench.folder("a").read_run().unwrap();
    assert_eq!((run.status, run.done), (Status::Failed, 1));
    // The run resumes where it stopped, with the same result.
    bench.done(&["run", "scene.toml", "--out", "a", "--resume", "--set", "time.frame_limit=60 min"]);
    bench.done(&["run", "scene.toml", "--out", "b", "--set", "time.frame_limit=60 min"]);
    assert!(bench.results("a") == bench.results("b"));
    let stats = |run: &str| -> Vec<(u64, u64)> {
        bench.folder(run).read_stats().unwrap().iter().map(|s| (s.steps, s.iterations)).collect()
    };
    assert_eq!(stats("a"), stats("b"));
}

#[test]
fn cloth_stretched_beyond_all_meaning_is_told_once() {
    let bench = Bench::new("stretched", &drawn("", "[0.8, 0, 0]"));
    let out = bench.run(&["run", "scene.toml", "--out", "a"]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{told}");
    assert_eq!(told.matches("'sheet' is stretched by ").count(), 1, "{told}");
    let run = bench.folder("a").read_run().unwrap();
    assert!(run.warnings.iter().filter(|w| w.contains("'sheet' is stretched by ")).count() == 1);
    // A realistic stretch gives no warning.
    let bench = Bench::new("drawn", &drawn("", "[0.05, 0, 0]"));
    assert!(!String::from_utf8_lossy(&bench.run(&["run", "scene.toml"]).stderr).contains("stretched"));
}

#[test]
fn a_motion_that_cannot_be_meant_ends_at_once() {
    for way in ["[125000, 0, 0]", "[0, -40000, 0]"] {
        let bench = Bench::new("far", &drawn("", way));
        let begin = std::time::Instant::now();
        let told = bench.refused(2, &["run", "scene.toml", "--out", "a"]);
        assert!(told.contains("scene.toml:13:") && told.contains(" m/s; at most 1000 m/s"), "{told}");
        assert!(begin.elapsed().as_secs() < 20);
    }
}

#[cfg(unix)]
#[test]
fn a_signal_stops_between_frames() {
    use std::io::{BufRead, BufReader};
    let bench = Bench::new("signal", SCENE);
    let arguments = ["run", "scene.toml", "--out", "a", "--frames", "5000", "--no-preview", "--progress", "plain"];
    let mut child = bench.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.by_ref().any(|line| line.unwrap().contains("frame 2/5000")));
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    lines.for_each(drop);
    let out = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(75), "{told}");
    assert!(told.contains("run again with --resume to go on"), "{told}");
    let run = bench.folder("a").read_run().unwrap();
    assert_eq!(run.status, Status::Stopped);
    assert!(run.done >= 2 && run.done < 5000);
    assert_eq!(bench.folder("a").read_stats().unwrap().len(), run.done as usize);
}

/// A single frame takes minutes. A signal lets the current step finish, not the frame.
#[cfg(unix)]
#[test]
fn a_signal_stops_between_steps() {
    use std::io::{BufRead, BufReader};
    let bench = Bench::new("signal-in-frame", &SCENE.replace("fps = 30", "fps = 0.001"));
    let arguments = ["run", "scene.toml", "--out", "a", "--no-preview", "--progress", "plain"];
    let mut child = bench.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.by_ref().any(|line| line.unwrap().contains("frame 1/6")));
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    lines.for_each(drop);
    let out = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(75), "{told}");
    assert!(told.contains("after frame 1 of 6"), "{told}");
    let run = bench.folder("a").read_run().unwrap();
    assert_eq!((run.status, run.done), (Status::Stopped, 1));
    assert_eq!(bench.folder("a").read_stats().unwrap().len(), 1);
}

#[test]
fn progress_has_a_form_for_machines() {
    let bench = Bench::new("json", SCENE);
    let told = bench.done(&["run", "scene.toml", "--out", "a", "--frames", "2", "--no-meshes", "--progress", "json"]);
    let stats: Vec<FrameStats> = told.lines().filter_map(FrameStats::parse).collect();
    assert_eq!(told.lines().count(), 2 + stats.len(), "a start and an end: {told}");
    assert_eq!(stats.iter().map(|s| s.frame).collect::<Vec<_>>(), [1, 2]);
    assert!(!bench.folder.join("a/meshes").exists());
    assert!(bench.refused(2, &["render", "a"]).contains("'sheet' were not written"));
    assert_eq!(bench.done(&["run", "scene.toml", "--out", "a", "--frames", "1", "--progress", "none"]), "");
}

#[test]
fn meshes_and_runs_can_be_looked_into() {
    let bench = Bench::new("inspect", SCENE);
    let told = bench.done(&["check", "scene.toml"]);
    assert!(told.contains("cloth 'sheet': 625 vertices, 1152 triangles"), "{told}");
    let skirt = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes/skirt.obj");
    let told = bench.done(&["inspect", skirt.to_str().unwrap()]);
    assert!(told.contains("group 'waist'") && told.contains("no triangles cross"), "{told}");
    let as_obj = ["--set", "output.format=obj", "--set", "output.fields=[]"];
    bench.done(&[&["run", "scene.toml", "--out", "a", "--frames", "2"][..], &as_obj[..]].concat());
    let drawn = bench.results("a");
    assert!(drawn.contains_key("meshes/sheet/sheet.0002.obj"));
    bench.done(&["render", "a"]);
    assert!(bench.results("a") == drawn, "pictures from OBJ");
    let told = bench.done(&["inspect", "a"]);
    assert!(told.contains("finished: 2 of 2 frames at 30 Hz"), "{told}");
    assert!(told.contains("no triangles cross at frames 1 to 2"), "{told}");
    let told = bench.done(&["inspect", "a", "--frame", "2", "--crossing", "none.ply"]);
    assert!(told.contains("no triangles cross at frame 2") && !bench.folder.join("none.ply").exists(), "{told}");
    assert!(bench.refused(2, &["inspect", "a", "--frame", "3"]).contains("--frame 3: the run has 2 frames"));
    // Two triangles, one through the other, as a mesh and as a frame of a run.
    let crossing = "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.2 -1 0.2\nv 0.3 1 0.2\nv 0.2 1 0.3\nf 1 2 3\nf 4 5 6\n";
    fs::write(bench.folder.join("two.obj"), crossing).unwrap();
    let told = bench.done(&["inspect", "two.obj", "--crossing", "two.ply"]);
    assert!(told.contains("'the mesh' crosses itself: 1 pair of triangles (0 and 1)"), "{told}");
    assert_eq!(ply::read(&fs::read(bench.folder.join("two.ply")).unwrap()).unwrap().mesh.triangles.len(), 2);
    let frame = bench.folder.join("a/meshes/sheet/sheet.0002.obj");
    let sink = |line: &str| match line.strip_prefix("v ").map(|p| p.split(' ').collect::<Vec<_>>()) {
        Some(p) => format!("v {} {} {}\n", p[0], p[1].parse::<f64>().unwrap() - 0.1, p[2]),
        None => format!("{line}\n"),
    };
    let sunk: String = fs::read_to_string(&frame).unwrap().lines().map(sink).collect();
    fs::write(&frame, sunk).unwrap();
    let told = bench.done(&["inspect", "a", "--crossing", "run.ply"]);
    assert!(told.contains("at frame 2 'sheet' and 'ball' cross: ") && !told.contains("at frame 1 '"), "{told}");
    assert!(bench.folder.join("run.ply").is_file());
    assert!(bench.done(&["materials"]).contains("cotton"));
    assert!(bench.done(&["materials", "cotton"]).contains("rigidity"));
    assert!(bench.done(&["schema"]).contains("\"percale scene\""));
}

/// `inspect` gives the same warnings for a run as `check` for its scene. Obstacles may have meshes that cloth may not,
/// and are not measured.
#[test]
fn a_run_is_inspected_as_its_scene_is_checked() {
    let scene = SCENE.replace("step = \"2 ms\"", "step = \"50 ms\"")
        + "\n[[obstacle]]\nname = \"in\"\nsphere = { center = [0, 0.2, 0.1], radius = 0.2 }\nresolution = 0.1\n";
    let bench = Bench::new("inspect-as-check", &scene);
    let out = bench.command(&["check", "scene.toml"]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("longer than a frame") && said.contains("'ball' and 'in' cross"), "{said}");
    bench.done(&["run", "scene.toml", "--out", "a", "--frames", "1", "--no-preview", "--threads", "1"]);
    let told = bench.done(&["inspect", "a"]);
    for warning in said.lines() {
        assert!(told.contains(warning), "{warning} is not in {told}");
    }
    assert!(told.contains(" on 1 thread\n") && told.contains("finished: 1 of 1 frame at"), "{told}");
    assert!(!told.contains("at frame 1 'ball' and 'in'"), "{told}");
    assert_eq!(told.matches("rough by").count(), 1, "{told}");
    let page = fs::read_to_string(bench.folder.join("a/report.html")).unwrap();
    assert!(page.contains(" on 1 thread<") && !page.contains("1 threads"));
    // A checkpoint of another version is reported as such, not as damaged.
    let kept = bench.folder.join("a/checkpoints/frame.0001.ckpt");
    let mut bytes = fs::read(&kept).unwrap();
    let format = bytes.iter().position(|b| *b == b'3').unwrap();
    bytes[format] = b'9';
    fs::write(&kept, bytes).unwrap();
    let told = bench.done(&["inspect", "a"]);
    assert!(told.contains("frame.0001.ckpt: of another version of percale: its format is 9, not 3"), "{told}");
}

#[test]
fn recorded_meshes_move_an_obstacle() {
    let bench = Bench::new("sequence", SCENE);
    bench.done(&["run", "scene.toml", "--out", "a", "--no-preview"]);
    let keyed = bench.results("a");
    let text = fs::read_to_string(bench.folder.join("scene.toml")).unwrap();
    let bar = text.lines().find(|line| line.starts_with("box")).unwrap();
    let keys = text.lines().find(|line| line.starts_with("keyframes")).unwrap();
    let files = r#"sequence = { files = "a/meshes/bar/bar.####.ply", first = 1, last = 6, fps = 30 }"#;
    fs::write(bench.folder.join("scene.toml"), text.replace(bar, files).replace(keys, "")).unwrap();
    bench.done(&["run", "scene.toml", "--out", "b", "--no-preview"]);
    let recorded = bench.results("b");
    for frame in 1..=6 {
        let name = format!("meshes/bar/bar.{frame:04}.ply");
        let [a, b] = [&keyed, &recorded].map(|all| ply::read(&all[&name]).unwrap().mesh);
        assert_eq!(a.triangles, b.triangles);
        assert!(a.positions.iter().zip(&b.positions).all(|(p, q)| (p - q).norm() < 1e-7), "{name}");
        assert!((a.positions[0].y - 0.075 - 0.2 * f64::from(frame - 1) / 30.0).abs() < 1e-6);
    }
    // A mesh of the sequence has another topology.
    let sheet = fs::read(bench.folder.join("a/meshes/sheet/sheet.0001.ply")).unwrap();
    fs::write(bench.folder.join("a/meshes/bar/bar.0003.ply"), sheet).unwrap();
    let told = bench.refused(2, &["check", "scene.toml"]);
    assert!(told.starts_with("a/meshes/bar/bar.0003.ply: 625 vertices, but ") && told.lines().count() == 1, "{told}");
}

#[test]
fn pins_handles_maps_and_loose_vertices_reach_the_world() {
    let scene = r#"
[scene]
up = "z"
[time]
frames = 11
fps = 100
step = "1 ms"
[[cloth]]
name = "strip"
mesh = "strip.obj"
[[cloth.group]]
name = "left"
box = { min = [-0.01, -1, -1], max = [0.01, 1, 1] }
[[cloth.pin]]
group = "left"
keyframes = [{ time = 0 }, { time = 0.1, translate = [0, 0, 0.02] }]
[[cloth.handle]]
nearest = [0.2, 0, 0]
force = [0, 0, 0.03]
[[cloth.map]]
of = "mass"
group = "right"
factor = 2
[output]
fields = ["speed"]
[preview]
enabled = false
"#;
    let strip = "v 0 0 0\nv 0 0.1 0\nv 0.1 0 0\nv 0.1 0.1 0\nv 0.2 0 0\nv 0.2 0.1 0\nv 9 9 9\n\
                 f 1 3 4\nf 1 4 2\ng right\nf 3 5 6\nf 3 6 4\n";
    let bench = Bench::new("pins", scene);
    fs::write(bench.folder.join("strip.obj"), strip).unwrap();
    let out = bench.run(&["run", "scene.toml", "--out", "a"]);
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success() && told.starts_with("warning: strip.obj: 1 "), "{told}");
    let last = ply::read(&bench.results("a")["meshes/strip/strip.0011.ply"]).unwrap().mesh;
    let x = &last.positions;
    for v in [0, 1] {
        assert!((x[v].z - 0.02).abs() < 1e-6, "pins follow their keyframes: {}", x[v]);
    }
    assert_eq!([x[6].x, x[6].y, x[6].z], [9.0; 3], "a vertex of no triangle stays");
    assert!(x[4].z > x[5].z + 0.01, "the handle pulls one corner up against gravity: {} {}", x[4], x[5]);
    assert!(x[5].z < 0.02, "gravity points down z: {}", x[5]);
    let energies = &bench.folder("a").read_stats().unwrap()[0].energies;
    assert!(energies.get("kinetic") == 0.0 && energies.get("gravity") == 0.0);
    let told = bench.refused(2, &["check", "scene.toml", "--set", "cloth.strip.map[0].factor=0"]);
    assert!(
        told.contains("map[0].group: the factor at vertex 2 is 0; factors of this map must be larger than 0"),
        "{told}"
    );
}
