//! Time and visibility of USD and Alembic files: rates, first frames, and the frames at which an obstacle is present.

use percale::linalg::Vec3;
use percale::mesh::archive::{Archive, Upward};
use percale::scene::build::{Built, build};
use percale::scene::read_text;
use std::fs;
use std::path::{Path, PathBuf};

/// Files made by Blender 4.2. `vanishes_blender.abc`: a box that is hidden from frame 1004 on, and a visible box,
/// frames 1001 to 1006. `box_25_blender.abc`: a box that moves 0.1 m per frame along x from the origin, frames 1 to 6
/// at 25 Hz.
fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/archive").join(name)
}

pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("timing-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("sheet.obj"), "v 9 0 3\nv 9.1 0 3\nv 9 0.1 3\nf 1 2 3\n").unwrap();
    folder
}

const HEAD: &str = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n";
const FACES: &str = "int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n";
const STILL: &str = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]\n";

/// Returns a USD file with a mesh in a transform, and further lines for both.
fn nested(above: &str, own: &str) -> String {
    format!("{HEAD}def Xform \"P\"\n{{\n{above}\ndef Mesh \"M\"\n{{\n{FACES}{STILL}{own}\n}}\n}}\n")
}

/// Builds a scene with this file as its obstacle, and returns the warnings too.
pub fn scene(folder: &Path, time: &str, cache: &str) -> (Built, String) {
    let text = format!(
        "[time]\n{time}\n[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\n[[obstacle]]\nname = \"o\"\n{cache}\n"
    );
    let file = folder.join("scene.toml");
    let built = build(&read_text(&file, text.as_bytes(), &[]).unwrap(), &file)
        .unwrap_or_else(|refusal| panic!("{:?}", refusal.faults));
    let told = built.warnings.iter().map(|fault| format!("{fault}\n")).collect();
    (built, told)
}

pub fn place(built: &Built, time: f64) -> Vec<Vec3> {
    let obstacle = &built.world.obstacles[0];
    let mut x = obstacle.rest.clone();
    obstacle.course.place(&obstacle.rest, time, &mut x);
    x
}

/// Returns the frames from 1 to 10 at which the obstacle is present.
fn seen(built: &Built) -> Vec<u32> {
    (1..=10).filter(|frame| built.world.obstacles[0].window.open(f64::from(frame - 1) / 24.0)).collect()
}

/// A turn has a sample at each frame of the scene, also where another sample of the file is near that frame. A chord
/// to there leaves the arc by 0.3 mm.
#[test]
fn a_turn_is_exact_at_frames_near_other_samples() {
    let folder = folder("near");
    let turn = "float xformOp:rotateY.timeSamples = { 1: 0, 4.005: 60.1, 9: 160 }\n\
                uniform token[] xformOpOrder = [\"xformOp:rotateY\"]";
    fs::write(folder.join("in.usda"), nested(turn, "")).unwrap();
    let (built, told) = scene(&folder, "fps = 24\nframes = 9\nstart_frame = 1", "cache = { mesh = \"in.usda\" }");
    for frame in 1..=9 {
        let angle = f64::from(20 * (frame - 1)).to_radians();
        let right = Vec3::new(angle.cos(), 0.0, -angle.sin());
        let found = place(&built, f64::from(frame - 1) / 24.0)[1];
        // Samples of files are in single precision.
        assert!((found - right).norm() < 1e-6, "frame {frame}: {found} instead of {right}: {told}");
    }
}

#[test]
fn an_obstacle_is_there_while_its_file_shows_it() {
    let folder = folder("visible");
    let file = folder.join("in.usda");
    let samples = |all: &str| format!("token visibility.timeSamples = {{ {all} }}");
    let (seen_at, hidden) = (|t: u32| format!("{t}: \"inherited\""), |t: u32| format!("{t}: \"invisible\""));
    let later = samples(&format!("{}, {}", hidden(1), seen_at(4)));
    let earlier = samples(&format!("{}, {}", seen_at(1), hidden(8)));
    let default = "token visibility = \"invisible\"";
    for (above, own, expected) in [
        (String::new(), later.clone(), 4..11),
        (later.clone(), String::new(), 4..11),
        (later.clone(), earlier.clone(), 4..8),
        (earlier.clone(), later, 4..8),
        // Samples override a default, and the first sample holds before its time.
        (String::new(), format!("{default}\n{earlier}"), 1..8),
        (String::new(), format!("{default}\n{}", samples(&seen_at(9))), 1..11),
        // Samples before the shot count.
        (String::new(), format!("token visibility.timeSamples = {{ -90: \"invisible\", {} }}", seen_at(1)), 1..11),
    ] {
        fs::write(&file, nested(&above, &own)).unwrap();
        let (built, told) = scene(&folder, "fps = 24\nframes = 10\nstart_frame = 1", "cache = { mesh = \"in.usda\" }");
        assert_eq!(seen(&built), expected.collect::<Vec<_>>(), "{above} {own}: {told}");
        assert!(told.is_empty() || told.contains("nothing moves in it"), "{above} {own}: {told}");
    }
    // An obstacle that is hidden in all samples is refused.
    for hides in [samples(&format!("{}, {}", hidden(1), hidden(3))), samples(&hidden(2)), default.to_string()] {
        for (above, own) in [(hides.as_str(), ""), ("", hides.as_str())] {
            fs::write(&file, nested(above, own)).unwrap();
            let error = Archive::open(&file, None, Upward::Y).err().unwrap();
            assert!(error.what.contains("'/P/M' is hidden"), "{error}");
        }
    }
    // An obstacle that blinks is present from its first to its last visible sample, with a warning.
    let blinks = samples(&format!("{}, {}, {}, {}", hidden(1), seen_at(3), hidden(5), seen_at(7)));
    fs::write(&file, nested("", &blinks)).unwrap();
    let (built, told) = scene(&folder, "fps = 24\nframes = 10\nstart_frame = 1", "cache = { mesh = \"in.usda\" }");
    assert_eq!(seen(&built), (3..11).collect::<Vec<_>>());
    assert!(told.contains("appear or vanish") && told.contains("'/P/M'"), "{told}");
    // A file that is visible only outside the shot gives an obstacle that is absent at all frames.
    fs::write(&file, nested("", &samples(&format!("{}, {}", hidden(1), seen_at(40))))).unwrap();
    let (built, told) = scene(&folder, "fps = 24\nframes = 10\nstart_frame = 1", "cache = { mesh = \"in.usda\" }");
    assert!(seen(&built).is_empty() && told.contains("visible at no frame"), "{told}");
}

#[test]
fn alembic_shows_as_usd_does() {
    let folder = folder("vanishes");
    fs::copy(data("vanishes_blender.abc"), folder.join("in.abc")).unwrap();
    let time = "fps = 24\nframes = 6\nstart_frame = 1001";
    let (built, told) = scene(&folder, time, "object = \"Body\"\ncache = { mesh = \"in.abc\" }");
    assert_eq!((seen(&built), told.as_str()), (vec![1, 2, 3], ""));
    let (built, told) = scene(&folder, time, "object = \"Other\"\ncache = { mesh = \"in.abc\" }");
    assert_eq!(seen(&built).len(), 10, "{told}");
    let (built, told) = scene(&folder, time, "cache = { mesh = \"in.abc\" }");
    assert_eq!(seen(&built).len(), 10);
    assert!(told.contains("appear or vanish") && told.contains("'/Body/Body'"), "{told}");
}

#[test]
fn files_of_other_rates_are_told_and_taken_by_the_frame() {
    let folder = folder("rates");
    fs::copy(data("box_25_blender.abc"), folder.join("in.abc")).unwrap();
    let time = "fps = 24\nframes = 6\nstart_frame = 1";
    let (_, told) = scene(&folder, time, "cache = { mesh = \"in.abc\" }");
    assert!(told.contains("has 25 samples a second") && told.contains("give cache.fps = 24\n"), "{told}");
    let (built, told) = scene(&folder, time, "cache = { mesh = \"in.abc\", fps = 24 }");
    assert_eq!(told, "");
    for frame in 0..6 {
        let off = place(&built, f64::from(frame) / 24.0)[0].x - place(&built, 0.0)[0].x - 0.1 * f64::from(frame);
        assert!(off.abs() < 1e-6, "{frame}: {off}");
    }
    // Two samples per frame, or a sample every other frame, give no warning.
    for fps in [12.5, 50.0] {
        let (_, told) = scene(&folder, &time.replace("24", &fps.to_string()), "cache = { mesh = \"in.abc\" }");
        assert_eq!(told, "", "{fps}");
    }
}

/// Files written at any rate and from any first frame are read back at their frames. Another rate takes one sample per
/// frame.
#[test]
fn every_rate_and_first_frame_comes_back() {
    let folder = folder("grid");
    fs::write(folder.join("flag.obj"), "v 0 0 0\nv 0.1 0 0\nv 0 0 0.1\nf 1 2 3\n").unwrap();
    let percale = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_percale"));
        let output = command.args(arguments).current_dir(&folder).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    for fps in [23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 60.0] {
        for start in [1, 101, 1001, 86_400] {
            let text = format!(
                "[time]\nfps = {fps}\nframes = 4\nstart_frame = {start}\nstep = \"5 ms\"\n[[cloth]]\nname = \"c\"\nmesh = \"flag.obj\"\n\
                 [preview]\nenabled = false\n"
            );
            fs::write(folder.join("flag.toml"), text).unwrap();
            let _ = fs::remove_dir_all(folder.join("run"));
            percale(&["run", "flag.toml", "--out", "run", "--progress", "none"]);
            for (format, file) in [("abc", "c.abc"), ("usd", "c.usdc")] {
                let _ = fs::remove_dir_all(folder.join("out"));
                percale(&["export", "run", "--format", format, "--out", file]);
                let fall = |frame: u32| {
                    let mesh = folder.join(format!("run/meshes/c/c.{:04}.ply", start + frame));
                    percale::mesh::ply::read(&fs::read(mesh).unwrap()).unwrap().mesh.positions[0]
                };
                for (own, cache) in [(fps, String::new()), (31.25, ", fps = 31.25".to_string())] {
                    let time = format!("fps = {own}\nframes = 4\nstart_frame = {start}");
                    let (built, told) = scene(&folder, &time, &format!("cache = {{ mesh = \"{file}\"{cache} }}"));
                    assert_eq!(told, "", "{file} {fps} {start} {own}");
                    for frame in 0..4 {
                        let off = (place(&built, f64::from(frame) / own)[0] - fall(frame)).norm();
                        assert!(off < 1e-6, "{file} at {fps} from {start} by {own}, frame {frame}: {off}");
                    }
                }
                let (_, told) =
                    scene(&folder, "fps = 31.25\nframes = 4", &format!("cache = {{ mesh = \"{file}\", start = 0 }}"));
                assert!(told.contains(&format!("has {fps} ")) && told.contains("cache.fps = 31.25"), "{told}");
            }
        }
    }
}

#[test]
fn what_is_not_evaluated_is_told_by_its_name() {
    let folder = folder("unknown");
    let file = folder.join("in.usda");
    let error = |text: &str| {
        fs::write(&file, text).unwrap();
        match Archive::open(&file, None, Upward::Y) {
            Ok(_) => "read".to_string(),
            Err(error) => error.what,
        }
    };
    let order = |op: &str| format!("uniform token[] xformOpOrder = [\"xformOp:{op}\"]");
    for (op, kind) in [("translateX", "double"), ("rotateY", "float"), ("scaleZ", "half")] {
        let spline = format!("{kind} xformOp:{op}.spline = {{ 1: 0; post linear, 3: 1; post linear, }}\n{}", order(op));
        for (above, own) in [(spline.as_str(), ""), ("", spline.as_str())] {
            let told = error(&nested(above, own));
            assert!(told.contains(&format!(".xformOp:{op}>")) && told.contains("spline"), "{told}");
        }
        // Samples override splines.
        let both = format!("{spline}\n{kind} xformOp:{op}.timeSamples = {{ 1: 2 }}");
        assert_eq!(error(&nested(&both, "")), "read");
    }
    let skin = |root: &str, mesh: &str| {
        format!(
            "{HEAD}def SkelRoot \"R\"\n{{\n{root}\ndef Skeleton \"S\"\n{{\nuniform token[] joints = [\"a\"]\n\
             uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\n\
             uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\n}}\n\
             def Mesh \"M\" (prepend apiSchemas = [\"SkelBindingAPI\"])\n{{\n{FACES}{STILL}rel skel:skeleton = </R/S>\n{mesh}\n}}\n}}\n"
        )
    };
    let bound = "int[] primvars:skel:jointIndices = [0] ( elementSize = 1 interpolation = \"constant\" )\n\
                 float[] primvars:skel:jointWeights = [1] ( elementSize = 1 interpolation = \"constant\" )\n";
    assert_eq!(error(&skin("", bound)), "read");
    let dual = "uniform token primvars:skel:skinningMethod = \"dualQuaternion\"";
    let classic = "uniform token primvars:skel:skinningMethod = \"classicLinear\"";
    // Dual quaternions are evaluated, inherited or not.
    assert_eq!(error(&skin(dual, bound)), "read");
    assert_eq!(error(&skin("", &format!("{bound}{dual}"))), "read");
    assert_eq!(error(&skin(dual, &format!("{bound}{classic}"))), "read");
    let told = error(&skin(bound, ""));
    assert!(told.contains("</R.primvars:skel:jointIndices>") && told.contains("/R/M"), "{told}");
    let moved = "matrix4d primvars:skel:geomBindTransform = ((2,0,0,0),(0,2,0,0),(0,0,2,0),(0,0,0,1))";
    assert!(error(&skin(moved, bound)).contains("geomBindTransform"));
}
