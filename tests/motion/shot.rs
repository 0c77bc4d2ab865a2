//! Input from other programs with their own clock and numbering: sequences of meshes, frame rates, frame numbers.

use percale::sequence::{Checkpoint, Folder, FrameStats};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Folder of a test, with a scene and the meshes that it names.
struct Bench {
    folder: PathBuf,
}

/// Returns an OBJ file of a square plate of 0.4 m at a height.
fn plate(y: f64) -> String {
    let corners = [(-0.2, -0.2), (0.2, -0.2), (0.2, 0.2), (-0.2, 0.2)];
    let corners: String = corners.iter().map(|(x, z)| format!("v {x} {y} {z}\n")).collect();
    format!("{corners}f 1 3 2\nf 1 4 3\n")
}

/// Returns an OBJ file of a level square sheet about the origin, `size` wide.
fn sheet(size: f64) -> String {
    let n = 8;
    let at = |k: i32| size * (f64::from(k) / f64::from(n) - 0.5);
    let mut text = String::new();
    for (i, j) in (0..=n).flat_map(|i| (0..=n).map(move |j| (i, j))) {
        text += &format!("v {} 0 {}\n", at(i), at(j));
    }
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let a = i * (n + 1) + j + 1;
        let b = a + n + 1;
        text += &format!("f {a} {} {b}\nf {} {} {b}\n", a + 1, a + 1, b + 1);
    }
    text
}

impl Bench {
    fn new(name: &str, scene: &str) -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shot-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("sheet.obj"), sheet(0.2)).unwrap();
        fs::write(folder.join("even.obj"), sheet(0.25)).unwrap();
        fs::write(folder.join("top.obj"), sheet(0.125)).unwrap();
        fs::write(folder.join("scene.toml"), scene).unwrap();
        Bench { folder }
    }

    /// Writes plates at the given heights as `p.0001.obj` and on.
    fn plates(&self, heights: &[f64]) {
        for (k, y) in heights.iter().enumerate() {
            fs::write(self.folder.join(format!("p.{:04}.obj", k + 1)), plate(*y)).unwrap();
        }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
        command.args(arguments).current_dir(&self.folder);
        command.env_remove("PERCALE_THREADS").env_remove("PERCALE_OUT");
        command.output().unwrap()
    }

    /// Returns both outputs of a command that ends with `code`.
    fn ends(&self, code: i32, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        let told = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {told}");
        told
    }

    fn simulate(&self) -> String {
        self.ends(0, &["run", "scene.toml", "--out", "a", "--threads", "1"])
    }

    fn record(&self) -> Folder {
        Folder::new(&self.folder.join("a"))
    }

    /// Returns the positions of an object at every frame, from its files.
    fn positions(&self, object: &str) -> Vec<Vec<percale::linalg::Vec3>> {
        let record = self.record().read_run().unwrap();
        let entry = record.objects.iter().find(|o| o.name == object).unwrap();
        let at = |frame| self.record().read_mesh(entry, frame).unwrap().unwrap().1.positions;
        record.there().map(at).collect()
    }

    /// Returns the height of the plate's first vertex at each frame [mm].
    fn heights(&self) -> Vec<f64> {
        self.positions("p").iter().map(|x| (1e4 * x[0].y).round() / 10.0).collect()
    }

    fn stats(&self) -> Vec<FrameStats> {
        self.record().read_stats().unwrap()
    }

    /// Returns the names of the files of a folder of the run, in order.
    fn files(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join(folder)).unwrap();
        let mut all: Vec<String> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        all.sort();
        all
    }
}

/// Returns a scene with a cloth on a plate that follows files.
fn on_plate(fps: &str, frames: u32, sequence: &str) -> String {
    format!(
        "[preview]\nenabled = false\n[time]\nfps = {fps}\nframes = {frames}\n[output]\nfields = [\"speed\"]\n[[cloth]]\nname = \"c\"\n\
         mesh = \"sheet.obj\"\ntransform = {{ translate = [0, 0.032, 0] }}\n[[obstacle]]\nname = \"p\"\n\
         sequence = {{ files = \"p.####.obj\", first = 1, {sequence} }}\n"
    )
}

#[test]
fn a_loop_goes_from_its_last_pose_to_its_first() {
    let bench = Bench::new("loop", &on_plate("24", 10, "last = 4, fps = 24, loop = true"));
    bench.plates(&[0.03, 0.015, 0.0, 0.015]);
    assert!(!bench.simulate().contains("warning"));
    assert_eq!(bench.heights(), [30.0, 15.0, 0.0, 15.0, 30.0, 15.0, 0.0, 15.0, 30.0, 15.0]);
    let speed = bench.positions("c").windows(2).map(|w| (w[1][40] - w[0][40]).norm() * 24.0).fold(0.0, f64::max);
    assert!(speed < 1.0, "{speed} m/s");
}

#[test]
fn a_loop_that_ends_as_it_begins_has_no_pose_twice() {
    let bench = Bench::new("closed", &on_plate("24", 8, "last = 5, loop = true"));
    bench.plates(&[0.03, 0.015, 0.0, 0.015, 0.03]);
    let told = bench.simulate();
    assert!(told.contains("\"p.0005.obj\" is \"p.0001.obj\" again"), "{told}");
    assert_eq!(bench.heights(), [30.0, 15.0, 0.0, 15.0, 30.0, 15.0, 0.0, 15.0]);
}

#[test]
fn a_loop_of_two_files_at_its_own_rate_swings_between_them() {
    // A file lasts two frames, and the loop begins a frame late.
    let bench =
        Bench::new("swing", &on_plate("24", 8, "last = 2, fps = 12, start = \"0.041666666666666664 s\", loop = true"));
    bench.plates(&[0.03, 0.01]);
    bench.simulate();
    assert_eq!(bench.heights(), [30.0, 30.0, 20.0, 10.0, 20.0, 30.0, 20.0, 10.0]);
}

#[test]
fn a_sequence_is_a_file_a_frame_and_holds_its_last() {
    let bench = Bench::new("rate", &on_plate("24", 5, "last = 3"));
    bench.plates(&[0.0, 0.01, 0.02]);
    bench.simulate();
    assert_eq!(bench.heights(), [0.0, 10.0, 20.0, 20.0, 20.0]);
    // A fractional frame rate works too, and an explicit `fps` takes precedence.
    for (fps, own, wanted) in [("\"24000/1001\"", "", [0.0, 10.0, 20.0]), ("24", ", fps = 12", [0.0, 5.0, 10.0])] {
        let bench = Bench::new("rates", &on_plate(fps, 3, &format!("last = 3{own}")));
        bench.plates(&[0.0, 0.01, 0.02]);
        bench.simulate();
        assert_eq!(bench.heights(), wanted);
    }
}

#[test]
fn a_frame_rate_is_a_fraction() {
    let bench = Bench::new("fraction", &on_plate("\"30000/1001\"", 2, "last = 1"));
    bench.plates(&[0.0]);
    bench.simulate();
    let fps = 30000.0 / 1001.0;
    assert_eq!(bench.record().read_run().unwrap().fps, fps);
    assert_eq!(bench.stats()[1].time, 1.0 / fps);
    bench.ends(0, &["export", "a", "--format", "usda", "--out", "a.usda"]);
    let text = fs::read_to_string(bench.folder.join("a.usda")).unwrap();
    assert!(text.contains(&format!("timeCodesPerSecond = {fps}\n    framesPerSecond = {fps}\n")), "{text}");
    for wrong in ["\"24000/0\"", "\"24000/\"", "\"/1001\"", "\"24/1/1\"", "\"0/1001\""] {
        let told = bench.ends(2, &["check", "scene.toml", "--set", &format!("time.fps={wrong}")]);
        assert!(told.contains("time.fps: "), "{told}");
    }
}

/// A falling sheet, with all outputs that have frame numbers.
const FALL: &str = "[time]\nfps = 25\nframes = 6\nstep = \"4 ms\"\nstart_frame = 1001\n[[cloth]]\nname = \"c\"\nmesh = \"sheet.obj\"\n\
    [output]\ncheckpoint = 4\n[preview]\nwidth = 32\nheight = 18\nsamples = 1\nsheet = 3\nevery = 5\n";

#[test]
fn frames_count_from_the_first_of_the_shot() {
    let bench = Bench::new("first", FALL);
    assert!(bench.ends(0, &["check", "scene.toml"]).contains("frames 1001 to 1006 at 25 Hz"));
    let told = bench.simulate();
    assert!(told.contains("Progress: 50% (frame 1003/1006) t=0.080 s"), "{told}");
    let meshes: Vec<String> = (1001..=1006).map(|f| format!("c.{f}.ply")).collect();
    assert_eq!(bench.files("a/meshes/c"), meshes);
    assert_eq!(bench.files("a/preview"), ["frame.1001.png", "frame.1006.png", "sheet.png"]);
    assert_eq!(bench.files("a/checkpoints"), ["frame.1004.ckpt", "frame.1006.ckpt"]);
    let times: Vec<(u32, f64)> = bench.stats().iter().map(|s| (s.frame, s.time)).collect();
    assert_eq!(times, (0..6).map(|k| (1001 + k, f64::from(k) / 25.0)).collect::<Vec<_>>());

    // A shot that begins at 1, or at 0, differs only in numbers.
    for first in ["1", "0"] {
        let set = format!("time.start_frame={first}");
        bench.ends(0, &["run", "scene.toml", "--out", first, "--threads", "1", "--set", &set]);
        for k in 0..6 {
            let [one, other] = [first.parse().unwrap(), 1001].map(|f: u32| f + k);
            let one = fs::read(bench.folder.join(format!("{first}/meshes/c/c.{one:04}.ply"))).unwrap();
            assert!(one == fs::read(bench.folder.join(format!("a/meshes/c/c.{other}.ply"))).unwrap(), "{first}: {k}");
        }
    }
    assert_eq!(bench.files("0/preview"), ["frame.0000.png", "frame.0005.png", "sheet.png"]);
    assert_eq!(bench.files("1/checkpoints"), ["frame.0004.ckpt", "frame.0006.ckpt"]);

    // Frame ranges, exports and `inspect` use the same numbers.
    let told = bench.ends(0, &["render", "a", "--frames", "1001-1006x5"]);
    assert!(told.starts_with("2 pictures in "), "{told}");
    let told = bench.ends(2, &["render", "a", "--frames", "1007"]);
    assert!(told.contains("frame 1007 is not there; frames 1001 to 1006 are"), "{told}");
    assert!(bench.ends(2, &["export", "a", "--format", "obj", "--frames", "1-1006"]).contains("frame 1 is not there"));
    let told = bench.ends(0, &["inspect", "a"]);
    assert!(told.contains("no triangles cross at frames 1001 to 1006"), "{told}");
    assert!(bench.ends(0, &["inspect", "0", "--frame", "0"]).contains("no triangles cross at frame 0"));
    let told = bench.ends(0, &["compare", "0", "0", "--only", "meshes", "--frames", "0-2"]);
    assert!(told.contains("c.ply: 3 frames:"), "{told}");
    bench.ends(0, &["export", "a", "--format", "usda", "--out", "a.usda", "--frames", "1002-1004"]);
    let text = fs::read_to_string(bench.folder.join("a.usda")).unwrap();
    assert!(text.contains("startTimeCode = 1002\n    endTimeCode = 1004\n"), "{text}");
    assert_eq!(bench.files("a.clips").iter().filter(|f| f.starts_with("frame.100")).count(), 3);
    bench.ends(0, &["export", "a", "--format", "mdd", "--out", "mdd"]);
    let mdd = fs::read(bench.folder.join("mdd/c.mdd")).unwrap();
    assert_eq!(mdd[8..12], (1001f32 / 25.0).to_be_bytes());
}

#[test]
fn a_shot_goes_on_at_its_numbers() {
    let bench = Bench::new("on", FALL);
    bench.simulate();
    let wanted: Vec<_> =
        (1005..=1006).map(|f| fs::read(bench.folder.join(format!("a/meshes/c/c.{f}.ply"))).unwrap()).collect();
    let again = ["run", "scene.toml", "--out", "a", "--threads", "1", "--from", "1005"];
    let told = bench.ends(0, &again);
    assert!(told.contains("goes on after frame 1004"), "{told}");
    let found: Vec<_> =
        (1005..=1006).map(|f| fs::read(bench.folder.join(format!("a/meshes/c/c.{f}.ply"))).unwrap()).collect();
    assert!(found == wanted);
    assert_eq!(bench.stats().len(), 6);
    // A longer run goes to frame 1008.
    bench.ends(0, &["run", "scene.toml", "--out", "a", "--threads", "1", "--resume", "--frames", "8"]);
    assert_eq!(bench.files("a/meshes/c").last().unwrap(), "c.1008.ply");
    let newest = fs::read(bench.folder.join("a/checkpoints/frame.1008.ckpt")).unwrap();
    assert_eq!(Checkpoint::parse(&newest).unwrap().frame, 1008);
    // A checkpoint with other frame numbers is refused, and a missing frame cannot be resumed from.
    let told = bench.ends(2, &["run", "scene.toml", "--out", "a", "--resume", "--set", "time.start_frame=1"]);
    assert!(told.contains("time.start_frame is 1, another than at the checkpoint"), "{told}");
    let told = bench.ends(2, &["run", "scene.toml", "--out", "a", "--from", "5"]);
    assert!(told.contains("frame 5 is not there; frames 1001 to 1008 are"), "{told}");
}

/// Counts the blue pixels of a picture, the colour of the cloth, and all pixels.
fn blue(path: &Path) -> (usize, usize) {
    let image = percale::render::Image::from_png(&fs::read(path).unwrap()).unwrap();
    let blue = image.pixels.iter().filter(|[r, _, b]| *b > 1.6 * *r).count();
    (blue, image.pixels.len())
}

const PICTURES: &str = "[preview]\nwidth = 96\nheight = 54\nsamples = 2\nsheet = 0\nevery = 3\n";

/// Returns the share of blue pixels in each picture of a scene, in order.
fn shares(name: &str, scene: &str) -> Vec<f64> {
    let bench = Bench::new(name, &format!("{scene}{PICTURES}"));
    bench.simulate();
    let files = bench.files("a/preview");
    assert!(files.len() > 3, "{files:?}");
    let share = |file: &String| {
        let (blue, all) = blue(&bench.folder.join("a/preview").join(file));
        blue as f64 / all as f64
    };
    let shares = files.iter().map(share).collect();
    // Pictures drawn again from the meshes alone are equal.
    let picture = bench.folder.join("a/preview").join(&files[2]);
    let before = fs::read(&picture).unwrap();
    bench.ends(0, &["render", "a"]);
    assert!(fs::read(&picture).unwrap() == before);
    shares
}

#[test]
fn what_hangs_or_falls_stays_in_the_picture() {
    let cloth = "[[cloth]]\nname = \"c\"\nmesh = \"sheet.obj\"\n";
    let edge = "[[cloth.pin]]\nbox = { min = [-0.11, -1, -1], max = [-0.09, 1, 1] }\n";
    let corner = "[[cloth.pin]]\nnearest = [-0.1, 0, -0.1]\n";
    for (name, frames, rest) in [
        ("hangs", 13, edge.to_string()),
        // Later the sheet swings past the height of the camera, edge-on.
        ("corner", 10, corner.to_string()),
        ("falls", 40, String::new()),
        ("let-go", 25, format!("{edge}until = \"0.2 s\"\n")),
        ("floats", 10, "[scene]\ngravity = [0, 0, 0]\n".to_string()),
    ] {
        let shares =
            shares(&format!("seen-{name}"), &format!("[time]\nframes = {frames}\nstep = \"4 ms\"\n{cloth}{rest}"));
        assert!(shares.iter().all(|share| *share > 0.003), "{name}: {shares:?}");
        // A level sheet in the plane of the ground would lose half of its pixels, in spots.
        assert!(shares[0] > 0.02, "{name}: {shares:?}");
    }
}

/// Returns a scene with stacked napkins over the edge of a table whose centre is at a place. All lengths are sums of
/// few powers of two, so that no coordinate is rounded far away.
fn napkins(at: [f64; 3], more: &str) -> String {
    let [x, y, z] = at;
    let cloth = |k: u32| {
        let height = y + f64::from(65 + k) / 1024.0;
        format!(
            "[[cloth]]\nname = \"c{k}\"\nmesh = \"even.obj\"\ntransform = {{ translate = [{}, {height}, {z}] }}\n",
            x + 0.0625
        )
    };
    let cloths: String = (0..3).map(cloth).collect();
    let top = y + 0.0625;
    format!(
        "[time]\nfps = 24\nframes = 8\nstep = \"2 ms\"\n{cloths}[[cloth.pin]]\nsphere = {{ center = [{}, {}, {}], radius = 0.005 }}\n\
         keyframes = [{{ time = 0, origin = [{x}, {y}, {z}] }}, {{ time = 0.3, rotate = {{ axis = [0, 1, 0], angle = \"20 deg\" }}, origin = [{x}, {y}, {z}] }}]\n\
         [[obstacle]]\nname = \"t\"\nmesh = \"top.obj\"\ntransform = {{ translate = [{x}, {top}, {z}] }}\n\
         rotation = {{ axis = [0, 1, 0], origin = [{x}, {y}, {z}], speed = \"10 deg/s\" }}\n{more}",
        x + 0.1875,
        y + 67.0 / 1024.0,
        z + 0.125,
    )
}

#[test]
fn far_from_the_origin_all_is_as_there() {
    let small = "[preview]\nwidth = 64\nheight = 36\nsamples = 2\nevery = 7\nsheet = 0\n";
    let here = Bench::new("here", &napkins([0.0; 3], small));
    assert!(!here.simulate().contains("origin"));
    assert_eq!(here.record().read_run().unwrap().origin, percale::linalg::Vec3::zeros());
    for (name, at) in
        [("near", [96.0, 0.0, -80.0]), ("far", [5008.0, 0.0, 4992.0]), ("farther", [-20_000.0, 1200.0, 496.0])]
    {
        let there = Bench::new(name, &napkins(at, small));
        let told = there.simulate();
        let far = name != "near";
        assert_eq!(told.contains("far from the origin"), far, "{told}");
        let record = there.record().read_run().unwrap();
        let at = percale::linalg::Vec3::from(at);
        assert_eq!(record.origin, if far { at } else { Default::default() }, "{name}");
        if !far {
            continue;
        }
        for object in ["c0", "c2", "t"] {
            assert!(here.positions(object) == there.positions(object), "{name}, {object}");
        }
        let [a, b] = [&here, &there].map(|bench| bench.stats()[3].energies.get("gravity"));
        let weight = 3.0 * 0.0625 * 0.15 * 9.81;
        assert!((b - a - weight * at.y).abs() < 0.2 * weight * at.y.abs() + 1e-6, "{a} {b} J");
        let picture = |bench: &Bench| bench.folder.join("a/preview/frame.0008.png");
        let (here, there_blue) = (blue(&picture(&here)).0, blue(&picture(&there)).0);
        assert!(here > 20 && here.abs_diff(there_blue) < 5, "{here} {there_blue}");

        // Outputs are back in the coordinates of the scene.
        let told = there.ends(0, &["inspect", "a"]);
        let low = told.split("bounds at frame 8: (").nth(1).and_then(|text| text.split(',').next()).unwrap();
        assert!((low.parse::<f64>().unwrap() - at.x).abs() < 0.3, "{told}");
        there.ends(0, &["export", "a", "--format", "obj", "--out", "obj"]);
        let text = fs::read_to_string(there.folder.join("obj/c0.0001.obj")).unwrap();
        let first = text.lines().find(|line| line.starts_with("v ")).unwrap();
        let first: Vec<f64> = first.split(' ').skip(1).map(|c| c.parse().unwrap()).collect();
        assert!((first[0] - (at.x - 0.0625)).abs() < 1e-6 && (first[2] - (at.z - 0.125)).abs() < 1e-6, "{first:?}");
        there.ends(0, &["export", "a", "--format", "gltf", "--out", "a.gltf"]);
        let gltf: serde_json::Value = serde_json::from_slice(&fs::read(there.folder.join("a.gltf")).unwrap()).unwrap();
        assert_eq!(gltf["nodes"][1]["translation"], serde_json::json!([at.x, at.y, at.z]));
        for format in ["usdc", "abc"] {
            let file = format!("a.{format}");
            there.ends(0, &["export", "a", "--format", format, "--out", &file]);
            let bytes = fs::read(there.folder.join(&file)).unwrap();
            let place: Vec<u8> = at.iter().flat_map(|c| c.to_le_bytes()).collect();
            let count = bytes.windows(24).filter(|w| *w == place).count();
            assert_eq!(count, if format == "abc" { 4 } else { 1 }, "{format}");
            let word = if format == "abc" { "schema=AbcGeom_Xform_v3" } else { "xformOp:translate" };
            assert!(bytes.windows(word.len()).any(|w| w == word.as_bytes()), "{format}");
        }
        assert!(there.ends(0, &["export", "a", "--format", "pc2", "--out", "pc2"]).contains("positions are about ["));
        assert!(there.ends(2, &["compare", "a", here_run().to_str().unwrap()]).contains("about different origins"));
        // A run resumes about the same origin with the same bits, and is refused about another.
        let last = fs::read(there.folder.join("a/meshes/c1/c1.0008.ply")).unwrap();
        let again = ["run", "scene.toml", "--out", "a", "--threads", "1", "--frames", "6"];
        there.ends(0, &again);
        there.ends(0, &["run", "scene.toml", "--out", "a", "--threads", "1", "--resume"]);
        assert!(fs::read(there.folder.join("a/meshes/c1/c1.0008.ply")).unwrap() == last);
        fs::write(there.folder.join("scene.toml"), napkins([0.0; 3], small)).unwrap();
        let told = there.ends(2, &["run", "scene.toml", "--out", "a", "--resume", "--frames", "9"]);
        assert!(told.contains("the scene is solved about [0, 0, 0] m"), "{told}");
    }
}

/// Returns the folder of the run at the origin.
fn here_run() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("shot-here/a")
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn what_cannot_be_meant_is_told() {
    let pin = |keys: &str| format!("[[cloth.pin]]\nnearest = [0.1, 0, 0.1]\n{keys}\n");
    let keys = |all: &str| pin(&format!("keyframes = [{{ time = 0 }}, {all}]"));
    let bench = Bench::new("meant", "");
    bench.plates(&[0.0, 0.01, 0.02, 0.03, 0.3]);
    fs::write(bench.folder.join("hand.csv"), "t,x,y,z\n0,0,0,0\n0.04,12,0,0\n0.08,24,0,0\n").unwrap();
    let plate = |sequence: &str| {
        format!(
            "[[obstacle]]\nname = \"p\"\ntransform = {{ translate = [0, -1, 0] }}\nsequence = {{ files = \"p.####.obj\", first = 1, {sequence} }}\n"
        )
    };
    // Each case is refused, gives a warning, or passes silently; messages have the location and the reason.
    for (code, top, rest, wanted) in [
        (
            2,
            "",
            keys("{ time = 0.001, translate = [1250, 0, 0] }"),
            "scene.toml:11:28: cloth[0].pin[0].keyframes[1]: between 0 s and 0.001 s it moves at 1250000 m/s",
        ),
        (2, "", keys("{ time = 0.5, translate = [0, 625, 0] }"), "at 1250 m/s; at most 1000 m/s"),
        (
            0,
            "",
            keys("{ time = 1, translate = [0, 250, 0] }"),
            "warning: scene.toml:11:28: cloth[0].pin[0].keyframes[1]: between 0 s and 1 s it moves at 250 m/s",
        ),
        (0, "", keys("{ time = 1, translate = [0, 2, 0] }"), ""),
        (
            0,
            "",
            keys("{ time = 24, translate = [0, 2, 0] }"),
            "goes on to 24 s; the run ends at 2 s. Times are in seconds",
        ),
        (0, "", keys("{ time = 3, translate = [0, 0, 0] }, { time = 4, translate = [0, 1, 0] }"), "goes on to 4 s"),
        (0, "", pin("path = \"hand.csv\""), "s it moves at 300 m/s"),
        (
            2,
            "",
            pin("rotation = { axis = [1, 0, 0], origin = [0, -1, 0], speed = 3000 }"),
            "cloth[0].pin[0].rotation: turns at 3010 m/s",
        ),
        (0, "", pin("from = 48"), "cloth[0].pin[0].from: takes hold at 48 s; the run ends at 2 s"),
        (0, "", pin(""), "cloth[0].air_drag: it hangs in no air: nothing damps its swinging"),
        (0, "air_drag = 0\n", pin(""), ""),
        (0, "air_drag = 1\n", pin(""), ""),
        (0, "", pin("until = 1"), ""),
        (0, "", format!("{}[scene]\ngravity = [0, 0, 0]\n", pin("")), ""),
        (0, "velocity = [0, -300, 0]\n", String::new(), "cloth[0].velocity: 300 m/s"),
        (
            0,
            "transform = { scale = 1000 }\n",
            String::new(),
            "cloth[0].mesh: it measures 283 m from corner to corner; lengths are metres",
        ),
        (0, "transform = { scale = 0.01 }\n", String::new(), "cloth[0]: measures 2.83 mm from corner to corner"),
        (0, "", "[wind]\nvelocity = [120, 0, 0]\n".to_string(), "wind.velocity: 120 m/s; storms"),
        (0, "", "[scene]\ngravity = [0, 9.81, 0]\n".to_string(), "scene.gravity: points upward"),
        (0, "", "[scene]\ngravity = [0, -981, 0]\n".to_string(), "scene.gravity: 981 m/s2"),
        (0, "", plate("last = 4"), ""),
        (
            0,
            "",
            plate("last = 5"),
            "from file 4 to file 5 of the sequence a vertex moves by 0.27 m, at 6.48 m/s; is a file missing",
        ),
        (0, "", plate("last = 4, loop = true"), ""),
        (0, "", plate("last = 4, fps = 4000"), ""),
        (0, "", plate("last = 5, fps = 1000"), "at 270 m/s. Is it meant?"),
        (2, "", plate("last = 5, fps = 10000"), "at 2700 m/s; at most 1000 m/s"),
        (0, "", plate("last = 4, start = 100"), "obstacle[0].sequence.start: 100 s; the run ends at 2 s"),
    ] {
        let scene = format!(
            "[preview]\nenabled = false\n[time]\nfps = 24\nframes = 49\n[[cloth]]\nname = \"c\"\nmesh = \"sheet.obj\"\n{top}{rest}"
        );
        fs::write(bench.folder.join("scene.toml"), &scene).unwrap();
        let told = bench.ends(code, &["check", "scene.toml"]);
        if wanted.is_empty() {
            assert!(!told.contains("warning"), "{scene}\n{told}");
        } else {
            assert!(told.contains(wanted), "{scene}\n{told}");
        }
    }
}

/// A longer run reads more of an animated file, which is no change of the input. Another motion in the finished frames
/// is a change.
#[test]
fn a_longer_run_reads_more_of_a_file_that_moves() {
    let usd = |second: f64| {
        let plate = |y: f64| format!("[(-0.2, {y}, -0.2), (-0.2, {y}, 0.2), (0.2, {y}, 0.2), (0.2, {y}, -0.2)]");
        let heights = (1..=9).map(|k| if k == 2 { second } else { 0.01 * f64::from(k) });
        let samples: String = heights.enumerate().map(|(k, y)| format!("{}: {}, ", k + 1, plate(y))).collect();
        format!(
            "#usda 1.0\n(metersPerUnit = 1\nupAxis = \"Y\"\ntimeCodesPerSecond = 10)\ndef Mesh \"plate\" {{\n\
             int[] faceVertexCounts = [4]\nint[] faceVertexIndices = [0, 1, 2, 3]\npoint3f[] points.timeSamples = {{ {samples} }}\n}}\n"
        )
    };
    let scene = "[time]\nfps = 10\nframes = 3\n[[cloth]]\nname = \"cloth\"\nmesh = \"sheet.obj\"\n\
                 transform = { translate = [0, 0.2, 0] }\n[[obstacle]]\nname = \"plate\"\ncache = { mesh = \"plate.usda\" }\n\
                 [preview]\nenabled = false\n";
    let bench = Bench::new("longer", scene);
    fs::write(bench.folder.join("plate.usda"), usd(0.02)).unwrap();
    let run =
        |more: &[&str]| bench.ends(0, &[&["run", "scene.toml", "--out", "run", "--progress", "none"], more].concat());
    run(&[]);
    let told = run(&["--resume", "--frames", "6"]);
    assert!(!told.contains("changed"), "{told}");
    assert!(run(&["--resume", "--frames", "6"]).contains("all 6 frames"), "{told}");
    fs::write(bench.folder.join("plate.usda"), usd(0.03)).unwrap();
    let told = run(&["--resume", "--frames", "8"]);
    assert!(told.contains("changed since the checkpoint: the motion of 'plate'"), "{told}");
    // The file ends before the run would.
    let told = bench.ends(0, &["check", "scene.toml", "--set", "time.frames=20"]);
    assert!(told.contains("its last shape is at frame 9; it stands still from there to frame 20"), "{told}");
}
