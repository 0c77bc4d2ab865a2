//! `percale compare`: matching of files, gates, exit codes, the report.

use percale::linalg::Vec3;
use percale::mesh::{TriMesh, obj};
use percale::render::Image;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn new(name: &str) -> Bench {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("compare-{name}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Bench { folder }
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
        command.arg("compare").args(arguments).current_dir(&self.folder).output().unwrap()
    }

    /// Returns both output streams of a comparison that ends with `code`.
    fn told(&self, code: i32, arguments: &[&str]) -> String {
        let out = self.run(arguments);
        let told = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(code), "{arguments:?}: {told}");
        told
    }

    fn has(&self, code: i32, arguments: &[&str], words: &[&str]) {
        let told = self.told(code, arguments);
        for word in words {
            assert!(told.contains(word), "{arguments:?}: '{word}' is not in: {told}");
        }
    }
}

fn ramp() -> Image {
    let pixels = (0..64 * 48).map(|i| [(i % 64) as f32 / 63.0, (i / 64) as f32 / 47.0, 0.25]).collect();
    Image { width: 64, height: 48, pixels }
}

/// Draws a red square of `size` pixels on the ramp.
fn blot(size: usize) -> Image {
    let mut image = ramp();
    for y in 10..10 + size {
        for x in 20..20 + size {
            image.pixels[y * 64 + x] = [1.0, 0.0, 0.0];
        }
    }
    image
}

/// Returns an OBJ file with four vertices, the last at a height of `z`.
fn sheet(z: f64) -> Vec<u8> {
    let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let positions = vec![at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), at(0.0, 1.0, 0.0), at(1.0, 1.0, z)];
    obj::write(&TriMesh { positions, triangles: vec![[0, 1, 2], [1, 3, 2]], ..TriMesh::default() })
}

#[test]
fn pictures_are_same_differ_or_cannot_be_compared() {
    let bench = Bench::new("pictures");
    bench.put("a.png", &ramp().png().unwrap());
    bench.put("same.png", &ramp().png().unwrap());
    bench.put("blot.png", &blot(6).png().unwrap());
    bench.put("narrow.png", &Image::filled(63, 48, [0.0; 3]).png().unwrap());
    bench.put("broken.png", b"\x89PNG\r\n");
    bench.put("sheet.obj", &sheet(0.0));
    bench.has(0, &["a.png", "same.png"], &["a.png: FLIP mean 0, FLIP 99 % 0, RMSE 0, largest 0, bad 0 %", "the same"]);
    bench.has(1, &["a.png", "blot.png"], &["a.png: differs: bad 1.172 %, at most 0.1 %; largest ", "1 of 1 frames"]);
    // 36 of 3072 pixels differ. A gate on the share alone passes; a gate on the largest difference fails.
    bench.told(0, &["a.png", "blot.png", "--share", "0.012", "--maximum", "1"]);
    bench.told(1, &["a.png", "blot.png", "--share", "0.0117", "--maximum", "1"]);
    bench.has(1, &["a.png", "blot.png", "--share", "1"], &["largest 0."]);
    bench.has(2, &["a.png", "narrow.png"], &["a.png and narrow.png: pictures of 64 x 48 and 63 x 48 pixels"]);
    bench.has(2, &["a.png", "broken.png"], &["broken.png: PNG: "]);
    bench.has(2, &["a.png", "nothing.png"], &["nothing.png: no such file or folder"]);
    bench.has(2, &["a.png", "sheet.obj"], &["nothing to compare in both"]);
    bench.has(2, &["a.png", "same.png", "--share=-1"], &["expected a number from 0 up"]);
}

#[test]
fn exr_is_compared_as_displayed() {
    let bench = Bench::new("exr");
    let picture = |image: Image| percale::render::Picture {
        width: 64,
        height: 48,
        depth: vec![1.0; 64 * 48],
        normal: vec![[0.0; 3]; 64 * 48],
        object: vec![0; 64 * 48],
        objects: vec!["ramp".to_string()],
        legends: Vec::new(),
        note: None,
        rays: Default::default(),
        colour: image.pixels,
    };
    bench.put("a.exr", &picture(ramp()).exr().unwrap());
    bench.put("blot.exr", &picture(blot(6)).exr().unwrap());
    bench.put("a.png", &ramp().png().unwrap());
    bench.told(0, &["a.exr", "a.exr"]);
    bench.told(1, &["a.exr", "blot.exr"]);
    // The rounding error of 8 bits is below the threshold.
    bench.told(0, &["a.exr", "a.png"]);
}

#[test]
fn sequences_are_compared_frame_by_frame() {
    let bench = Bench::new("sequences");
    for frame in 1..=5 {
        bench.put(&format!("a/frame.{frame:04}.png"), &ramp().png().unwrap());
        let image = if frame == 4 { blot(6) } else { ramp() };
        bench.put(&format!("b/shot_{frame}.png"), &image.png().unwrap());
        bench.put(&format!("a/cloth.{frame:04}.obj"), &sheet(0.1));
        let z = 0.1 + if frame == 3 { 2e-3 } else { 0.0 };
        bench.put(&format!("b/cloth.{frame:04}.obj"), &sheet(z));
    }
    let words =
        ["frame.png at frame 4: differs", "cloth.obj at frame 3: differs: bad 25 %", "largest 0.002 m", "2 of 10"];
    bench.has(1, &["a", "b", "--report", "report"], &words);
    bench.told(0, &["a", "b", "--frames", "1-2"]);
    bench.told(1, &["a", "b", "--only", "meshes"]);
    bench.told(0, &["a", "b", "--only", "meshes", "--maximum", "3e-3", "--threshold", "2.1e-3"]);
    bench.has(2, &["a", "b", "--maximum", "1"], &["--only images or --only meshes"]);

    let page = fs::read_to_string(bench.folder.join("report/compare.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    // The page is self-contained: every image source is a data URL.
    assert_eq!(page.matches("src=\"").count(), page.matches("src=\"data:image/png;base64,").count());
    assert!(!page.contains("http:") && !page.contains("https:"));
    for word in
        ["frame.png at frame 4: A left of the line", "cloth.obj", "<polyline", "type=\"range\"", "meshes at frame 3"]
    {
        assert!(page.contains(word), "{word}");
    }

    fs::remove_file(bench.folder.join("b/shot_5.png")).unwrap();
    bench.has(1, &["a", "b", "--only", "images"], &["frame.png at frame 5: only in a"]);
    bench.put("b/cloth.0002.obj", &sheet(0.1).repeat(2));
    bench.has(1, &["a", "b", "--only", "meshes"], &["cloth.0002.obj: meshes of 4 and 8 vertices"]);
    let turned = String::from_utf8(sheet(0.1)).unwrap().replace("f 1 2 3", "f 2 3 1");
    bench.put("b/cloth.0002.obj", turned.as_bytes());
    bench.has(1, &["a", "b", "--only", "meshes"], &["cloth.0002.obj: meshes of different triangles"]);
}

/// Compares two runs of a scene that differ in stiffness.
#[test]
fn run_folders_are_compared_whole() {
    let bench = Bench::new("runs");
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes");
    let scene = format!(
        "[scene]\nname = \"fall\"\n[time]\nframes = 4\nstep = \"4 ms\"\n[[cloth]]\nname = \"sheet\"\nmesh = \"{}\"\n\
         transform = {{ translate = [0, 0.6, 0] }}\n[[cloth.pin]]\nbox = {{ min = [-0.51, 0, -1], max = [-0.49, 1, 1] }}\n\
         [[obstacle]]\nname = \"ball\"\nsphere = {{ center = [0, 0.2, 0], radius = 0.2 }}\nresolution = 0.1\n\
         [preview]\nwidth = 160\nheight = 90\nsamples = 2\n",
        meshes.join("sheet_1m_25.ply").display()
    );
    bench.put("scene.toml", scene.as_bytes());
    let run = |out: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_percale"));
        let told =
            command.args(["run", "scene.toml", "--out", out]).args(more).current_dir(&bench.folder).output().unwrap();
        assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    };
    run("a", &[]);
    run("b", &["--threads", "1"]);
    run("c", &["--set", "scene.gravity=[0, -9.0, 0]", "--no-preview"]);
    let told = bench.told(0, &["a", "b"]);
    for word in ["sheet.ply: 4 frames: RMSE 0 m", "ball.ply: RMSE 0 m", "frame.png: 4 frames: FLIP mean 0"] {
        assert!(told.contains(word), "{told}");
    }
    // Meshes are compared if either side has no pictures. Frame 1 is equal in both.
    bench.has(1, &["a", "c"], &["sheet.ply at frame 4: differs", "3 of 5 frames"]);
    bench.told(0, &["a", "c", "--frames", "1"]);
    bench.has(1, &["a/meshes/sheet", "c/meshes/sheet"], &["sheet.ply at frame 4: differs", "3 of 4 frames"]);
    bench.has(1, &["a", "c", "--report", "r.html"], &["report in r.html"]);
    assert!(fs::read_to_string(bench.folder.join("r.html")).unwrap().contains("meshes at frame 4: way of each vertex"));
}
