//! Test folder with the files that the scenes of these tests name.

use percale::scene::{self, Fault, Scene};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Scene with required keys only.
pub const MINIMAL: &str = "[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\n";

/// Returns the folder, made once per process.
pub fn folder() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scene-file");
            fs::create_dir_all(folder.join("walk")).unwrap();
            let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
            for file in ["sheet.obj", "body.ply", "walk/step.0001.obj", "walk/step.0002.obj", "walk/step.0003.obj"] {
                fs::write(folder.join(file), triangle).unwrap();
            }
            // Empty files suffice, since no mesh is read.
            fs::write(folder.join("toy.msh"), "").unwrap();
            fs::write(folder.join("gown.dxf"), "").unwrap();
            fs::write(folder.join("walk/walk.mdd"), "").unwrap();
            fs::create_dir_all(folder.join("drape/checkpoints")).unwrap();
            fs::write(folder.join("drape/checkpoints/frame.0060.ckpt"), "").unwrap();
            fs::write(folder.join("gust.wav"), "").unwrap();
            fs::write(folder.join("hand.csv"), "t,x,y,z\n0,0,1,0\n0.5,0,1.5,0\n").unwrap();
            fs::write(folder.join("mouse.csv"), "t,px,py,button\n0,0.5,0.25,0\n0.5,1,0,1\n").unwrap();
            fs::write(folder.join("curves.csv"), "# N\nload, f0, F90\n0.5, 0.2, 0.25\n\n1, 0.3, 0.4\n").unwrap();
            folder
        })
        .clone()
}

/// Writes a file of the folder atomically. Tests run in parallel, and must not read an incomplete file.
pub fn write(name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let half = folder().join(format!("half-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    fs::write(&half, bytes).unwrap();
    fs::rename(half, folder().join(name)).unwrap();
}

/// Reads a scene in the folder.
pub fn read(text: &str) -> Result<Scene, Vec<Fault>> {
    scene::read_text(&folder().join("test.toml"), text.as_bytes(), &[])
}

/// Reads a scene without faults.
pub fn good(text: &str) -> Scene {
    read(text).unwrap_or_else(|faults| panic!("{}\n{text}", lines(&faults)))
}

/// Returns the faults, one per line.
pub fn lines(faults: &[Fault]) -> String {
    faults.iter().map(|f| format!("{f}\n")).collect()
}
