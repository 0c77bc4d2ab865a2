//! Shared small run for the export tests, and its recorded meshes.

use percale::mesh::ply::{self, PlyMesh};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const SCENE: &str = r##"
[scene]
name = "two-things"

[time]
fps = 25
frames = 4
step = "4 ms"

[[cloth]]
name = "sheet"
mesh = "MESHES/sheet_1m_25.ply"
transform = { translate = [0, 0.56, 0], rotate = { axis = [1, 0, 0], angle = "3 deg" } }

[[cloth]]
name = "flap"
mesh = "flap.obj"
material = "silk"

[[body]]
name = "soft-ball"
sphere = { center = [3, 1, 0], radius = 0.2 }
resolution = "8 cm"

[[obstacle]]
name = "ball"
sphere = { center = [0, 0.25, 0], radius = 0.25 }
resolution = 0.08

[[obstacle]]
name = "bar"
box = { center = [0, 0.1, 0.8], size = [0.5, 0.05, 0.05] }
keyframes = [{ time = 0 }, { time = 1, translate = [0, 0.2, 0] }]

[output]
fields = ["strain", "speed"]
"##;

/// Two triangles that share an edge, with a seam along it.
const FLAP: &str = "v 5 1 0\nv 5.1 1 0\nv 5 1 0.1\nv 5.1 1 0.1\nvt 0 0\nvt 0.5 0\nvt 0 1\nvt 0.75 0\nvt 0.75 1\nvt 1 1\n\
                    f 1/1 3/3 2/2\nf 2/4 3/5 4/6\n";

/// Runs the program.
pub fn percale(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).current_dir(folder).output().unwrap()
}

/// Returns the folder that contains `run`, a run of a scene with each kind of object.
pub fn bench() -> &'static Path {
    static MADE: OnceLock<PathBuf> = OnceLock::new();
    MADE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
        fs::write(folder.join("scene.toml"), SCENE.replace("MESHES", meshes.to_str().unwrap())).unwrap();
        fs::write(folder.join("flap.obj"), FLAP).unwrap();
        let out = percale(&["run", "scene.toml", "--out", "run", "--no-preview"], &folder);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        folder
    })
}

/// Exports the run with arguments and returns standard output.
pub fn export(arguments: &[&str]) -> String {
    let out = percale(&[&["export", "run"], arguments].concat(), bench());
    assert!(out.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// Reads the recorded mesh of an object; frame 0 for static objects.
pub fn recorded(object: &str, frame: u32) -> PlyMesh {
    let number = if frame > 0 { format!(".{frame:04}") } else { String::new() };
    ply::read(&fs::read(bench().join(format!("run/meshes/{object}/{object}{number}.ply"))).unwrap()).unwrap()
}

/// Rounds vectors to the precision of files.
pub fn single(all: &[percale::linalg::Vec3]) -> Vec<[f32; 3]> {
    all.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]).collect()
}

/// Returns the vertices on the surface of a body, ascending.
pub fn surface(mesh: &PlyMesh) -> Vec<u32> {
    let mut all: Vec<u32> = mesh.mesh.triangles.as_flattened().to_vec();
    all.sort_unstable();
    all.dedup();
    all
}

/// Decodes little-endian numbers.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

/// Splits numbers into rows of `N`.
pub fn rows<const N: usize>(all: &[f32]) -> Vec<[f32; N]> {
    all.chunks_exact(N).map(|c| c.try_into().unwrap()).collect()
}
