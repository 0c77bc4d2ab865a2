//! Test folder, the program run in it, and the output of its runs.

use percale::sequence::{Checkpoint, Folder, FrameStats};
use percale::world::quantity::Stages;
use percale::world::snapshot;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub struct Bench {
    pub folder: PathBuf,
}

/// Output of a run, without times: files by path, statistics, the state at the last frame.
#[derive(PartialEq)]
pub struct Left {
    pub files: BTreeMap<String, Vec<u8>>,
    pub stats: Vec<FrameStats>,
    pub last: Vec<u8>,
}

impl Bench {
    pub fn new(name: &str, scene: &str) -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("resume-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let bench = Bench { folder };
        bench.write("scene.toml", scene);
        bench
    }

    /// Writes a scene, with `MESHES` replaced by the folder of meshes.
    pub fn write(&self, file: &str, scene: &str) {
        let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
        fs::write(self.folder.join(file), scene.replace("MESHES", meshes.to_str().unwrap())).unwrap();
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
        command.args(arguments).current_dir(&self.folder);
        command.env_remove("PERCALE_THREADS").env_remove("PERCALE_OUT");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Returns standard error of a command that ends with `code`, and asserts that standard output is empty.
    pub fn ends(&self, code: i32, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        let told = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(out.stdout.is_empty(), "{}", String::from_utf8_lossy(&out.stdout));
        told
    }

    pub fn path(&self, local: &str) -> PathBuf {
        self.folder.join(local)
    }

    pub fn of(&self, run: &str) -> Folder {
        Folder::new(&self.folder.join(run))
    }

    /// Returns frame and step of each checkpoint of a run.
    pub fn checkpoints(&self, run: &str) -> Vec<(u32, Option<u64>)> {
        self.of(run).checkpoints().unwrap().iter().map(|c| (c.frame, c.step)).collect()
    }

    pub fn left(&self, run: &str) -> Left {
        let root = self.folder.join(run);
        let mut files = BTreeMap::new();
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_string();
                if path.is_dir() {
                    open.push(path);
                } else if !["run.json", "run.log", "stats.ndjson", "report.html"].contains(&name.as_str())
                    && !name.starts_with("checkpoints")
                {
                    files.insert(name, fs::read(path).unwrap());
                }
            }
        }
        let mut stats = self.of(run).read_stats().unwrap();
        stats.iter_mut().for_each(|s| s.seconds = Stages::default());
        let last = self.of(run).checkpoints().unwrap().pop().unwrap();
        let last = Checkpoint::parse(&fs::read(last.path).unwrap()).unwrap();
        Left { files, stats, last: snapshot::write(&last.state) }
    }

    /// Asserts that two runs have the same output.
    pub fn same(&self, a: &str, b: &str, when: &str) {
        let (of_a, of_b) = (self.left(a), self.left(b));
        assert_eq!(of_a.stats, of_b.stats, "{when}");
        let names = |left: &Left| left.files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&of_a), names(&of_b), "{when}");
        let differ: Vec<_> = of_a.files.iter().filter(|(name, bytes)| of_b.files[*name] != **bytes).collect();
        assert!(differ.is_empty(), "{when}: {:?}", differ.iter().map(|(name, _)| name).collect::<Vec<_>>());
        assert!(of_a.last == of_b.last, "{when}: the states differ");
    }
}

/// Reproducible random numbers in [0, 1).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        // Knuth's MMIX generator, of which the high bits are of good quality.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Sheet that falls on a ball and slides, and a moving bar. A frame takes some milliseconds.
pub const SMALL: &str = r##"
[scene]
name = "small"
[time]
fps = 50
frames = 20
step = "4 ms"
[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { translate = [0.05, 0.505, 0], rotate = { axis = [1, 0, 0], angle = "0.5 deg" } }
[[cloth.pin]]
name = "corner"
box = { min = [0.5, 0, -1], max = [0.6, 1, -0.4] }
until = "0.1 s"
[[obstacle]]
name = "ball"
sphere = { center = [0, 0.25, 0], radius = 0.25 }
resolution = 0.08
friction = 0.2
[[obstacle]]
name = "bar"
box = { center = [0, 0.4, 0.4], size = [0.5, 0.05, 0.05] }
keyframes = [{ time = 0 }, { time = 1, translate = [0, 0.4, 0] }]
[[probe]]
name = "balance"
every = "step"
force = { everything = true }
[[probe]]
name = "work"
work = { everything = true }
[[probe]]
name = "way"
every = "step"
position = { of = "bar", all = true }
[output]
checkpoint = 4
[preview]
width = 96
height = 64
samples = 1
sheet = 4
"##;
