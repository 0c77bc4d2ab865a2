//! Obstacles that appear and vanish, tested through the program: the run folder and its readers.

use percale::sequence::{Folder, Status};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The ball is present at frames 1 to 4, the late obstacle from frame 6 on. The far obstacle would pass through
/// everything while it is absent.
const SCENE: &str = r##"
[time]
fps = 25
frames = 8
step = "4 ms"

[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { scale = 0.4, translate = [0, 0.1008, 0] }

[[obstacle]]
name = "ball"
mesh = "MESHES/ball.ply"
until = "160 ms"

[[obstacle]]
name = "late"
mesh = "MESHES/ball.ply"
transform = { translate = [LATE] }
from = "200 ms"

[[obstacle]]
name = "floor"
plane = { point = [0, -0.5, 0], size = 2 }

[output]
checkpoint = 1

[preview]
width = 160
height = 90
samples = 1
sheet = 4
"##;

struct Bench(PathBuf);

impl Bench {
    fn new(name: &str, late: &str) -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("vanish-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let bench = Bench(folder);
        bench.write(late);
        bench
    }

    fn write(&self, late: &str) {
        let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
        let scene = SCENE.replace("MESHES", meshes.to_str().unwrap()).replace("LATE", late);
        fs::write(self.0.join("scene.toml"), scene).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).current_dir(&self.0).output().unwrap()
    }

    fn done(&self, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    fn refused(&self, code: i32, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {told}");
        told
    }

    fn file(&self, run: &str, file: &str) -> PathBuf {
        self.0.join(run).join(file)
    }

    fn bytes(&self, run: &str, file: &str) -> Vec<u8> {
        fs::read(self.file(run, file)).unwrap()
    }

    /// Returns the frames, of eight, at which an object has a mesh file.
    fn there(&self, run: &str, object: &str) -> Vec<u32> {
        let file = |k: &u32| self.file(run, &format!("meshes/{object}/{object}.{k:04}.ply")).is_file();
        (1..=8).filter(file).collect()
    }
}

#[test]
fn frames_have_what_is_there() {
    let bench = Bench::new("frames", "1, 0, 0");
    bench.done(&["run", "scene.toml", "--out", "a"]);
    assert_eq!((bench.there("a", "ball"), bench.there("a", "late")), (vec![1, 2, 3, 4], vec![6, 7, 8]));
    assert!(bench.file("a", "meshes/floor/floor.ply").is_file() && !bench.file("a", "meshes/ball/ball.ply").exists());
    let frames = |run: &str| -> Vec<_> {
        Folder::new(&bench.0.join(run)).read_run().unwrap().objects.into_iter().map(|o| o.frames).collect()
    };
    assert_eq!(frames("a"), [None, Some(1..5), Some(6..9), None]);

    // Pictures show the ball while it is present, and are equal when drawn again. The camera does not move.
    let pictures: Vec<Vec<u8>> = (1..=8).map(|k| bench.bytes("a", &format!("preview/frame.{k:04}.png"))).collect();
    let sheet = bench.bytes("a", "preview/sheet.png");
    bench.done(&["render", "a"]);
    let again: Vec<Vec<u8>> = (1..=8).map(|k| bench.bytes("a", &format!("preview/frame.{k:04}.png"))).collect();
    assert!(pictures == again && sheet == bench.bytes("a", "preview/sheet.png"));
    bench.done(&["render", "a", "--frames", "4-5", "--set", "obstacle[0].visible=false"]);
    let hidden = |k: u32| bench.bytes("a", &format!("preview/frame.{k:04}.png"));
    assert!(hidden(4) != pictures[3] && hidden(5) == pictures[4]);

    // Commands that read the folder.
    let told = bench.done(&["inspect", "a"]);
    assert!(told.contains("'ball': 1212 vertices, 2420 triangles, meshes/ball/ball.####.ply, there at frames 1 to 4"));
    assert!(told.contains("no triangles cross at frames 1 to 8"), "{told}");
    bench.done(&["report", "a"]);
    assert!(String::from_utf8(bench.bytes("a", "report.html")).unwrap().contains("there at frames 6 to 8"));

    // Results are bitwise equal with two threads, and if the run resumes before, at and after the frame of the
    // vanishing.
    bench.done(&["run", "scene.toml", "--out", "b", "--threads", "1"]);
    for from in [None, Some("4"), Some("5"), Some("6")] {
        if let Some(from) = from {
            bench.done(&["run", "scene.toml", "--out", "b", "--from", from, "--threads", "2"]);
        }
        assert!(bench.done(&["compare", "a", "b", "--only", "meshes"]).contains("ball.ply: 4 frames:"));
        assert!(frames("b") == frames("a") && bench.there("b", "late") == bench.there("a", "late"), "{from:?}");
        for k in 1..=8 {
            let file = format!("meshes/sheet/sheet.{k:04}.ply");
            assert!(bench.bytes("a", &file) == bench.bytes("b", &file), "frame {k} from {from:?}");
        }
    }
    // Results are also equal if the record is lost. A missing frame is distinguished from a frame at which the object
    // is absent.
    fs::remove_file(bench.file("b", "run.json")).unwrap();
    fs::remove_file(bench.file("b", "meshes/late/late.0008.ply")).unwrap();
    fs::remove_file(bench.file("b", "checkpoints/frame.0008.ckpt")).unwrap();
    bench.done(&["run", "scene.toml", "--out", "b", "--resume"]);
    assert!(frames("b") == frames("a") && bench.there("b", "late") == bench.there("a", "late"));
    fs::remove_file(bench.file("b", "meshes/ball/ball.0003.ply")).unwrap();
    assert!(bench.refused(3, &["inspect", "b"]).contains("ball.0003.ply: missing"));
    bench.done(&["run", "scene.toml", "--out", "b", "--resume"]);
    assert!(frames("b") == frames("a") && bench.there("b", "ball") == bench.there("a", "ball"));

    // Existing frames record when the obstacle was present. The window may change from then on, but the obstacle cannot
    // appear twice.
    let other = |until: &str| {
        let set = format!("obstacle[0].until={until}");
        bench.run(&["run", "scene.toml", "--out", "b", "--from", "3", "--set", &set])
    };
    assert!(other("0.2").status.success());
    assert_eq!((bench.there("b", "ball"), frames("b")[1].clone()), (vec![1, 2, 3, 4, 5], Some(1..6)));
    let twice =
        bench.refused(2, &["run", "scene.toml", "--out", "b", "--from", "7", "--set", "obstacle[0].until=\"1 s\""]);
    assert!(twice.contains("'ball' was there and would appear a second time; it cannot go on from there"), "{twice}");
    let always = bench.refused(2, &["run", "scene.toml", "--out", "b", "--from", "3", "--set", "obstacle[1].from=0"]);
    assert!(always.contains("'late' is always there, at the checkpoint it was not"), "{always}");
}

#[test]
fn what_lies_in_it_as_it_appears_ends_the_run() {
    // At 200 ms the sheet has fallen by 8 mm.
    let bench = Bench::new("refused", "0, 0.02, 0");
    bench.done(&["check", "scene.toml"]);
    let told = bench.refused(1, &["run", "scene.toml", "--out", "a"]);
    assert!(
        told.contains("frame 6 of 8, step ") && told.contains("as it appears 'sheet' and 'late' cross: "),
        "{told}"
    );
    assert!(told.contains("let it appear where nothing is; the triangles are in a/crossing.ply"), "{told}");
    let record = Folder::new(&bench.0.join("a")).read_run().unwrap();
    assert_eq!((record.status, record.done), (Status::Failed, 5));
    assert!(record.reason.unwrap().contains("as it appears"));
    assert_eq!((bench.there("a", "sheet"), bench.there("a", "late")), (vec![1, 2, 3, 4, 5], vec![]));
    let shown = percale::mesh::ply::read(&bench.bytes("a", "crossing.ply")).unwrap().mesh;
    assert!(shown.channels["object"].contains(&0.0) && shown.channels["object"].contains(&2.0));
    bench.done(&["render", "a"]);
    bench.done(&["inspect", "a"]);
    // At another position, the run resumes.
    bench.write("1, 0, 0");
    bench.done(&["run", "scene.toml", "--out", "a", "--resume"]);
    assert_eq!((bench.there("a", "late"), bench.file("a", "crossing.ply").exists()), (vec![6, 7, 8], false));
}
