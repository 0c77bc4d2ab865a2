//! Import of USD and Alembic files: positions compared with Pixar's and Blender's own libraries, and invalid files.
//! `tests/data/archive` has the files, and the scripts that made them.

use percale::linalg::Vec3;
use percale::mesh::archive::{Archive, Entry, Pose, Upward, list};
use percale::scene::build::{Built, build};
use percale::scene::{Fault, read_text};
use std::fs;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/archive").join(name)
}

/// Reads the rows of a file as points, grouped by their first number.
fn points(name: &str) -> Vec<(f64, Vec<Vec3>)> {
    let mut all: Vec<(f64, Vec<Vec3>)> = Vec::new();
    for row in fs::read_to_string(data(name)).unwrap().lines().skip(1) {
        let n: Vec<f64> = row.split(',').map(|n| n.parse().unwrap()).collect();
        if all.last().is_none_or(|(key, _)| *key != n[0]) {
            all.push((n[0], Vec::new()));
        }
        all.last_mut().unwrap().1.push(Vec3::new(n[1], n[2], n[3]));
    }
    all
}

fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

/// Tolerance [m], from the single precision of the files.
const NEAR: f64 = 1e-6;

/// Makes a folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("archive-{name}"));
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn bones_shapes_and_transforms_are_where_pixar_has_them() {
    for file in ["figure.usdc", "figure.usdz", "figure_baked.usda"] {
        let mut open = Archive::open(&data(file), Some("/World/Hero"), Upward::Z).unwrap();
        assert_eq!(open.rate, Some(24.0));
        for (code, expected) in points("figure.csv") {
            let off = apart(&open.pose(Pose::At(code / 24.0)).unwrap(), &expected);
            assert!(off < NEAR, "{file}: {off} at {code}");
        }
        // With y up, the mesh is the same, rotated.
        let mut turned = Archive::open(&data(file), Some("Body"), Upward::Y).unwrap();
        let upright = turned.pose(Pose::At(1003.0 / 24.0)).unwrap();
        let back: Vec<Vec3> = upright.iter().map(|p| Vec3::new(p.x, -p.z, p.y)).collect();
        assert!(apart(&back, &open.pose(Pose::At(1003.0 / 24.0)).unwrap()) < 1e-12);
    }
}

#[test]
fn blender_s_files_are_as_blender_has_them() {
    for (file, uv) in [("figure_blender.abc", true), ("figure_blender.usdc", true)] {
        let mut open = Archive::open(&data(file), None, Upward::Z).unwrap();
        assert_eq!((open.mesh.triangles.len(), !open.mesh.uv_triangles.is_empty()), (64, uv), "{file}");
        for (frame, expected) in points("figure_blender.csv") {
            let off = apart(&open.pose(Pose::At(frame / 24.0)).unwrap(), &expected);
            assert!(off < NEAR, "{file}: {off} at {frame}");
        }
        // Triangles run counter-clockwise as seen from outside, so the tube's volume is positive.
        let x = &open.mesh.positions;
        let centre = x.iter().sum::<Vec3>() / x.len() as f64;
        let volume: f64 = open
            .mesh
            .triangles
            .iter()
            .map(|t| t.map(|v| x[v as usize] - centre))
            .map(|[a, b, c]| a.cross(&b).dot(&c))
            .sum();
        assert!(volume > 0.0, "{file}");
    }
}

#[test]
fn all_below_a_path_is_one_mesh() {
    let open = Archive::open(&data("figure.usdc"), None, Upward::Z).unwrap();
    let mesh = &open.mesh;
    assert_eq!((mesh.positions.len(), mesh.source.faces.last()), (56 + 8, Some(&49)));
    assert_eq!((mesh.groups["Body"].len(), mesh.groups["Card"].len(), mesh.groups["hem"].len()), (56, 8, 16));
    let told: Vec<String> = mesh.notes.iter().map(|n| n.to_string()).collect();
    assert!(told.iter().any(|t| t.contains("left out, for hidden, guide or proxy: '/World/Hidden'")), "{told:?}");
    // The second card is mirrored, and its face has the same orientation.
    let normal = |t: usize| {
        let [a, b, c] = mesh.triangles[t].map(|v| mesh.positions[v as usize]);
        (b - a).cross(&(c - a)).normalize()
    };
    let last = mesh.triangles.len() - 1;
    assert!((normal(last) - Vec3::z()).norm() < 1e-12 && (normal(last - 2) - Vec3::z()).norm() < 1e-12);
    assert!((mesh.positions[60] - Vec3::new(1.35, 0.0, 0.2)).norm() < 1e-9, "{}", mesh.positions[60]);
    let body = Archive::open(&data("figure.usdc"), Some("/World/Hero"), Upward::Z).unwrap().mesh;
    assert_eq!((body.uv.len(), body.channels["stiff"].len()), (192, 56));
    let (entries, rate) = list(&data("figure.usdc")).unwrap();
    assert_eq!(rate, Some(24.0));
    let told: Vec<(&str, [usize; 2], bool, String)> =
        entries.iter().map(|e: &Entry| (e.path.as_str(), e.size, e.moves.is_some(), e.words.join(" "))).collect();
    assert_eq!(told[0], ("/World/Hero/Rig/Body", [56, 48], true, "skinned UV set 'st'".to_string()));
    assert_eq!(told[3], ("/World/Hidden", [3, 1], false, "hidden".to_string()));
}

/// Returns a USD file with a mesh and further text.
fn text(more: &str, points: &str) -> String {
    format!(
        "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n{more}\ndef Mesh \"M\"\n{{\n    int[] faceVertexCounts = [3]\n    \
         int[] faceVertexIndices = [0, 1, 2]\n    {points}\n}}\n"
    )
}

const STILL: &str = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 0, 1)]";

/// Returns the error for a file.
fn refused(folder: &Path, name: &str, bytes: &[u8], wanted: Option<&str>) -> String {
    let file = folder.join(name);
    fs::write(&file, bytes).unwrap();
    let open = Archive::open(&file, wanted, Upward::Y);
    let found =
        open.and_then(|mut open| open.times.clone().into_iter().try_for_each(|t| open.pose(Pose::At(t)).map(|_| ())));
    found.err().unwrap_or_else(|| panic!("{name} is taken")).to_string()
}

#[test]
fn files_of_no_use_are_told_by_name() {
    let folder = folder("wrong");
    let moving = |second: &str| {
        format!(
            "point3f[] points.timeSamples = {{\n        1: [(0, 0, 0), (1, 0, 0), (0, 0, 1)],\n        2: [{second}],\n    }}"
        )
    };
    let cases: [(&str, String, Option<&str>, &[&str]); 7] = [
        ("fewer", text("", &moving("(0, 0, 0), (1, 0, 0)")), None, &["</M>", "2 points at time code 2, 3 at first"]),
        (
            "nan",
            text("", &moving("(0, 0, 0), (nan, 0, 0), (0, 0, 1)")),
            None,
            &["</M>", "vertex 1", "no finite number at time code 2"],
        ),
        ("kind", text("", "float[] points = [1, 2, 3]"), None, &["</M>: points is no point3f[]"]),
        ("none", text("", "custom int x = 1"), None, &["</M>: it has no points"]),
        ("path", text("", STILL), Some("/World/N"), &["no mesh at or below '/World/N'; it has '/M'"]),
        ("face", text("", STILL).replace("[0, 1, 2]", "[0, 1, 3]"), None, &["vertex 3, there are 3 from 0"]),
        ("grammar", text("", "point3f[] points = [(0, 0"), None, &["cannot read it as USD"]),
    ];
    for (name, bytes, wanted, words) in cases {
        let told = refused(&folder, &format!("{name}.usda"), bytes.as_bytes(), wanted);
        assert!(words.iter().all(|word| told.contains(word)), "{name}: {told}");
    }
    let circle = "#usda 1.0\ndef \"A\" (references = @circle.usda@</A>)\n{\n}\n";
    let told = refused(&folder, "circle.usda", circle.as_bytes(), None);
    assert!(told.contains("cycle"), "{told}");
    let told = refused(&folder, "old.abc", b"\x89HDF\r\n\x1a\n0000000000000000", None);
    assert!(told.contains("HDF5; save it as Ogawa"), "{told}");
    let told = refused(&folder, "no.abc", b"solid", None);
    assert!(told.contains("is no Alembic file"), "{told}");
    let mut open = fs::read(data("figure_blender.abc")).unwrap();
    open[5] = 0;
    assert!(refused(&folder, "open.abc", &open, None).contains("did not close it"));
    assert!(Archive::open(&folder.join("absent.abc"), None, Upward::Y).is_err());
    assert!(Archive::open(&folder.join("absent.usdc"), None, Upward::Y).is_err());
}

/// A file truncated anywhere, or an Alembic file with any bit flipped, is either read or refused, without a crash.
#[test]
fn damaged_files_end_nothing() {
    let folder = folder("damaged");
    for name in ["figure_blender.abc", "figure.usdc"] {
        let (whole, file) = (fs::read(data(name)).unwrap(), folder.join(name));
        let look = |bytes: &[u8]| {
            fs::write(&file, bytes).unwrap();
            let _ = list(&file);
            if let Ok(mut open) = Archive::open(&file, None, Upward::Y) {
                open.times.clone().into_iter().take(3).for_each(|t| drop(open.pose(Pose::At(t))));
                return true;
            }
            false
        };
        assert!(look(&whole));
        for k in 0..40 {
            assert!(!look(&whole[..whole.len() * k / 40]), "{name} cut at {k}/40");
        }
        // The USD reader allocates memory by counts from the file, and a wrong count may end the process.
        for k in 0..if name.ends_with("abc") { 400usize } else { 0 } {
            let mut bytes = whole.clone();
            let at = k.wrapping_mul(7919) % bytes.len();
            bytes[at] ^= 1 << (k % 8);
            look(&bytes);
        }
    }
}

/// Builds the world of a scene in this folder.
fn built(folder: &Path, scene: &str) -> Result<Built, Vec<Fault>> {
    let file = folder.join("scene.toml");
    build(&read_text(&file, scene.as_bytes(), &[])?, &file).map_err(|refusal| refusal.faults)
}

fn lines(faults: &[Fault]) -> String {
    faults.iter().map(|fault| format!("{fault}\n")).collect()
}

/// Returns the head of a scene with a small cloth far away from a figure.
fn shot(time: &str) -> String {
    format!(
        "[scene]\nup = \"z\"\n[time]\nfps = 24\n{time}\n[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\n\
         [[obstacle]]\nname = \"hero\"\nobject = \"/World/Hero\"\n"
    )
}

/// Makes a folder with a small cloth and two figures.
fn shot_folder(name: &str) -> PathBuf {
    let folder = folder(name);
    for file in ["figure.usdc", "figure_blender.abc"] {
        fs::copy(data(file), folder.join(file)).unwrap();
    }
    fs::write(folder.join("sheet.obj"), "v 9 0 3\nv 9.1 0 3\nv 9 0.1 3\nf 1 2 3\n").unwrap();
    folder
}

/// Builds the world of a scene without faults.
fn whole(folder: &Path, scene: &str) -> Built {
    built(folder, scene).unwrap_or_else(|faults| panic!("{}", lines(&faults)))
}

/// Returns the positions of the obstacle.
fn place(built: &Built, time: f64) -> Vec<Vec3> {
    let obstacle = &built.world.obstacles[0];
    let mut x = obstacle.rest.clone();
    obstacle.course.place(&obstacle.rest, time, &mut x);
    x
}

#[test]
fn a_shot_has_its_frames() {
    let folder = shot_folder("shot");
    let world = |scene: &str| whole(&folder, scene);
    let cache = "cache = { mesh = \"figure.usdc\" }\n";
    let own = world(&(shot("start_frame = 1001\nframes = 12") + cache));
    assert!(own.warnings.is_empty(), "{}", lines(&own.warnings));
    for (k, (_, expected)) in points("figure.csv").into_iter().enumerate() {
        let off = apart(&place(&own, k as f64 / 24.0), &expected);
        assert!(off < 1e-5, "{off} at {k}");
    }
    // The preroll holds the first pose; then the shot begins. Slow motion takes longer for the same frames.
    let later = world(&(shot("start_frame = 1001\nframes = 12\npreroll = 30\nscale = 0.5") + cache));
    assert_eq!(place(&later, 0.3), place(&own, 0.0));
    assert!(apart(&place(&later, (30.0 + 7.0) / 24.0 * 0.5), &place(&own, 7.0 / 24.0)) < 1e-12);
    // With `from_rest` the figure moves straight from its bind pose: the capsule, 2 cm up, 1.25 times as high.
    let from_rest = "cache = { mesh = \"figure.usdc\", from_rest = true }\n";
    let bound = world(&(shot("start_frame = 1001\nframes = 12\npreroll = 30") + from_rest));
    let capsule: Vec<Vec3> = (0..56)
        .map(|v| {
            let (angle, z) = (f64::from(v % 8) / 8.0 * std::f64::consts::TAU, f64::from(v / 8) / 6.0 * 80.0);
            Vec3::new(10.0 * angle.cos() + 5.0, 10.0 * angle.sin(), (z + 2.0) * 1.25 + 20.0) * 0.01
        })
        .collect();
    assert!(apart(&place(&bound, 0.0), &capsule) < NEAR);
    assert!(apart(&place(&bound, 30.0 / 24.0), &place(&own, 0.0)) < 1e-12);
    let half: Vec<Vec3> = place(&own, 0.0).iter().zip(&capsule).map(|(a, b)| (a + b) / 2.0).collect();
    assert!(apart(&place(&bound, 15.0 / 24.0), &half) < NEAR);
    assert!(apart(&place(&bound, 37.0 / 24.0), &place(&own, 7.0 / 24.0)) < 1e-12);
    let garment = shot("start_frame = 1001\nframes = 12").replace(
        "mesh = \"sheet.obj\"",
        "mesh = \"figure.usdc\"\nobject = \"Body\"\npose = \"rest\"\ntransform = { translate = [9, 0, 0] }",
    );
    let Built { world: dressed, state, .. } = world(&(garment + cache));
    let start: Vec<Vec3> = dressed.in_file_order(&dressed.objects[0], &state.x);
    let moved: Vec<Vec3> = capsule.iter().map(|p| p + Vec3::x() * 9.0).collect();
    assert!(apart(&start, &moved) < NEAR);
    // With another first frame, the first sample is shifted there, and a warning is given.
    let other = world(&(shot("start_frame = 1\nframes = 12") + cache));
    assert!(
        lines(&other.warnings)
            .contains("frames 1001 to 1012, none of which is in the scene: the first is taken to be at 1."),
        "{}",
        lines(&other.warnings)
    );
    assert_eq!(place(&other, 0.0), place(&own, 0.0));
    // Blender's Alembic files count seconds as frame numbers over the rate.
    let scene =
        shot("frames = 10").replace("object = \"/World/Hero\"\n", "") + "cache = { mesh = \"figure_blender.abc\" }\n";
    let blender = world(&scene);
    assert!(blender.warnings.is_empty(), "{}", lines(&blender.warnings));
    for (k, (_, expected)) in points("figure_blender.csv").into_iter().enumerate() {
        assert!(apart(&place(&blender, k as f64 / 24.0), &expected) < 1e-5, "{k}");
    }
}

#[test]
fn shots_that_do_not_fit_are_told() {
    let folder = shot_folder("unfit");
    let cache = "cache = { mesh = \"figure.usdc\" }\n";
    let told = |scene: String| lines(&built(&folder, &scene).unwrap_err());
    let still = told(shot("") + "cache = { mesh = \"sheet.obj\" }\n");
    assert!(still.contains("obstacle[0].cache.mesh") && still.contains("does not move"), "{still}");
    let lost = told(shot("").replace("/World/Hero", "/World/Villain") + cache);
    assert!(lost.contains("no mesh at or below '/World/Villain'"), "{lost}");
    let paced = whole(&folder, &(shot("start_frame = 1001\nframes = 12").replace("fps = 24", "fps = 30") + cache));
    assert!(
        lines(&paced.warnings).contains("24 time codes a second, and the scene 30 frames"),
        "{}",
        lines(&paced.warnings)
    );
}

/// Exported files are read back, with the positions of all frames and the original quads.
#[test]
fn quads_in_are_quads_out() {
    let folder = folder("quads");
    let n = 6;
    let at = |k: usize| 0.05 * k as f64;
    let mut mesh: String = (0..n * n).map(|k| format!("v {} {} 0.5\n", at(k % n), at(k / n))).collect();
    (0..n * n).for_each(|k| mesh += &format!("vt {} {}\n", at(k % n), at(k / n)));
    for k in (0..n * (n - 1)).filter(|k| k % n != n - 1) {
        let [a, b, c, d] = [k + 1, k + 2, k + n + 2, k + n + 1];
        mesh += &format!("f {a}/{a} {b}/{b} {c}/{c} {d}/{d}\n");
    }
    fs::write(folder.join("sheet.obj"), mesh).unwrap();
    let scene = "[scene]\nname = \"q\"\nup = \"z\"\n[time]\nfps = 24\nstart_frame = 1001\nframes = 3\nstep = \"5 ms\"\n\
                 [[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\n[preview]\nenabled = false\n";
    fs::write(folder.join("scene.toml"), scene).unwrap();
    let percale = |arguments: &[&str]| {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).current_dir(&folder).output();
        let output = output.unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    percale(&["run", "scene.toml", "--out", "run", "--progress", "none"]);
    for format in ["usdc", "usda", "abc"] {
        let file = folder.join(format!("sheet.{format}"));
        percale(&["export", "run", "--format", format, "--out", file.to_str().unwrap()]);
        let mut open = Archive::open(&file, None, Upward::Z).unwrap();
        assert_eq!((open.mesh.triangles.len(), open.mesh.source.faces.last()), (50, Some(&24)), "{format}");
        assert_eq!(open.mesh.uv_triangles.len(), 50, "{format}");
        for frame in 1001..1004 {
            let ply = fs::read(folder.join(format!("run/meshes/sheet/sheet.{frame}.ply"))).unwrap();
            let written = percale::mesh::read("ply", &ply).unwrap();
            let found = open.pose(Pose::At(f64::from(frame) / 24.0)).unwrap();
            assert!(apart(&found, &written.positions) < 1e-7, "{format}: {frame}");
        }
    }
    percale(&["export", "run", "--format", "obj", "--out", "obj"]);
    let obj = fs::read_to_string(folder.join("obj/sheet.1001.obj")).unwrap();
    let faces: Vec<&str> = obj.lines().filter(|line| line.starts_with("f ")).collect();
    assert!(faces.len() == 25 && faces.iter().all(|face| face.split_whitespace().count() == 5), "{}", faces[0]);
}

/// The 30 preroll frames are bitwise those of a run that begins so much earlier.
#[test]
fn a_preroll_is_the_run_before() {
    let folder = folder("preroll");
    fs::copy(data("figure.usdc"), folder.join("figure.usdc")).unwrap();
    let sheet = "v 0 -0.2 1.6\nv 0.2 -0.2 1.6\nv 0.2 0.1 1.6\nv 0 0.1 1.6\nf 1 2 3 4\n";
    fs::write(folder.join("sheet.obj"), sheet).unwrap();
    let scene = |time: &str| {
        format!(
            "[scene]\nup = \"z\"\n[time]\nfps = 24\nstep = \"8 ms\"\n{time}\n[[cloth]]\nname = \"sheet\"\nmesh = \"sheet.obj\"\nsubdivide = 3\n\
             [[obstacle]]\nname = \"hero\"\nobject = \"/World/Hero\"\ncache = {{ mesh = \"figure.usdc\" }}\n[preview]\nenabled = false\n"
        )
    };
    fs::write(folder.join("a.toml"), scene("start_frame = 1001\nframes = 4\npreroll = 30")).unwrap();
    fs::write(folder.join("b.toml"), scene("start_frame = 971\nframes = 34")).unwrap();
    let percale = |arguments: &[&str], code: i32| {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_percale")).args(arguments).current_dir(&folder).output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    };
    percale(&["run", "a.toml", "--out", "a", "--progress", "none", "--threads", "1"], 0);
    percale(&["run", "b.toml", "--out", "b", "--progress", "none", "--threads", "2"], 0);
    let mesh = |run: &str, frame: u32| fs::read(folder.join(format!("{run}/meshes/sheet/sheet.{frame}.ply"))).unwrap();
    for frame in 1001..1005 {
        assert_eq!(mesh("a", frame), mesh("b", frame), "{frame}");
    }
    assert!(!folder.join("a/meshes/sheet/sheet.1000.ply").exists());
    let stats = fs::read_to_string(folder.join("a/stats.ndjson")).unwrap();
    assert!(stats.lines().next().unwrap().contains("\"time\":0.0"), "{stats}");
}

/// Transforms as in Pixar's library: integers in text files, samples without a value, prims without a transform.
#[test]
fn transforms_are_read_as_they_are_meant() {
    let folder = folder("transforms");
    let head = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n";
    let mesh =
        format!("def Mesh \"M\"\n{{\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n{STILL}\n}}\n");
    let at = |name: &str, kind: &str, ops: &str, code: f64| {
        let file = folder.join(format!("{name}.usda"));
        fs::write(&file, format!("{head}def {kind} \"P\"\n{{\n{ops}\n{mesh}}}\n")).unwrap();
        let mut open = Archive::open(&file, None, Upward::Y).unwrap_or_else(|e| panic!("{name}: {e}"));
        open.pose(Pose::At(code / 24.0)).unwrap()
    };
    let order = |op: &str| format!("uniform token[] xformOpOrder = [\"xformOp:{op}\"]");
    // Half of a quarter turn about y, given in integer degrees.
    let turned = at(
        "turn",
        "Xform",
        &format!("float xformOp:rotateY.timeSamples = {{ 0: 0, 10: 90 }}\n{}", order("rotateY")),
        5.0,
    );
    let half = std::f64::consts::FRAC_1_SQRT_2;
    assert!(
        apart(&turned, &[Vec3::zeros(), Vec3::new(half, 0.0, -half), Vec3::new(half, 0.0, half)]) < 1e-12,
        "{turned:?}"
    );
    let spin = "quatf xformOp:orient.timeSamples = { 0: (1, 0, 0, 0), 10: (0.70710678, 0, 0.70710678, 0) }\n";
    let spun = at("spin", "Xform", &format!("{spin}{}", order("orient")), 5.0);
    assert!(apart(&spun, &turned) < 1e-6, "{spun:?}");
    let blocked = "double3 xformOp:translate.timeSamples = { 1: (1, 2, 3), 4: None }\n";
    let held = at("block", "Xform", &format!("{blocked}{}", order("translate")), 2.5);
    assert!((held[0] - Vec3::new(1.0, 2.0, 3.0)).norm() < 1e-12, "{held:?}");
    let shift = format!("double3 xformOp:translate = (5, 0, 0)\n{}", order("translate"));
    assert_eq!(at("xform", "Xform", &shift, 0.0)[0], Vec3::x() * 5.0);
    assert_eq!(at("scope", "Scope", &shift, 0.0)[0], Vec3::zeros());
    let short = format!("double3 xformOp:translate = (5, 0, 0)\n{}", order("rotateXYZ"));
    assert_eq!(at("absent", "Xform", &short, 0.0)[0], Vec3::zeros());
    // Meshes below a point instancer that shows none of them are left out.
    let file = folder.join("seen.usda");
    fs::write(&file, format!("{head}def PointInstancer \"I\"\n{{\n{mesh}}}\n{}", mesh.replace("\"M\"", "\"N\"")))
        .unwrap();
    let open = Archive::open(&file, None, Upward::Y).unwrap();
    assert_eq!((open.mesh.positions.len(), open.mesh.groups.contains_key("N")), (3, true));
    assert!(open.mesh.notes[0].what.contains("</I>: left out, for it shows no instance"), "{:?}", open.mesh.notes);
    // A reference to a missing prim is no error in composition. The warning names the referring prim once.
    fs::write(folder.join("other.usda"), format!("{head}{mesh}")).unwrap();
    for (to, told) in [("gone", true), ("M", false)] {
        let refers = format!("def Xform \"R\" (references = @other.usda@</{to}>) {{ def Xform \"own\" {{}} }}\n");
        fs::write(&file, format!("{head}{refers}{mesh}")).unwrap();
        let notes = Archive::open(&file, None, Upward::Y).unwrap().mesh.notes;
        let said = notes.iter().any(|note| note.what == "what these refer to is not there: '/R'");
        assert_eq!(said, told, "{notes:?}");
    }
}

/// A cloth with pins that follow its file starts at the file's position at the start of the preroll, and so stays on
/// it.
#[test]
fn a_garment_begins_with_its_file() {
    let folder = folder("garment");
    let head = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n";
    let moving = "point3f[] points.timeSamples = { 1: [(0, 0, 0), (1, 0, 0), (0, 0, 1)], 25: [(24, 0, 0), (25, 0, 0), (24, 0, 1)] }";
    let mesh = format!(
        "def Mesh \"M\"\n{{\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n{moving}\n}}\n"
    );
    fs::write(folder.join("led.usda"), format!("{head}{mesh}")).unwrap();
    let scene = |time: &str| {
        format!(
            "[time]\nfps = 24\nframes = 5\n{time}\n[[cloth]]\nname = \"c\"\nmesh = \"led.usda\"\n[[cloth.pin]]\nall = true\n\
             cache = {{ mesh = \"led.usda\" }}\n"
        )
    };
    // At frame 11 the file is at x = 10. The run begins 4 frames earlier, at 6.
    for (time, begin, lead) in [("start_frame = 11", 10.0, 0.0), ("start_frame = 11\npreroll = 4", 6.0, 4.0)] {
        let Built { world, state, .. } =
            built(&folder, &scene(time)).unwrap_or_else(|faults| panic!("{}", lines(&faults)));
        let x = state.x[world.objects[0].place[0] as usize];
        assert!((x.x - begin).abs() < 1e-6, "{time}: {x}");
        let led = world.pins[0].carry((lead + 2.0) / 24.0).apply(0, &x);
        assert!((led.x - 12.0).abs() < 1e-6, "{time}: {led}");
    }
}

/// Crates of unsupported versions, older or newer, are not reported as damaged.
#[test]
fn a_crate_of_another_version_is_told_as_one() {
    let mut bytes = fs::read(data("figure.usdc")).unwrap();
    for (version, damaged) in [([0, 3, 0], false), ([0, 14, 0], false), ([1, 0, 0], false), ([0, 8, 0], true)] {
        bytes[8..11].copy_from_slice(&version);
        let end = if damaged { bytes.len() / 2 } else { bytes.len() };
        let file = std::env::temp_dir().join(format!("percale-crate-{}-{}.usdc", std::process::id(), version[1]));
        fs::write(&file, &bytes[..end]).unwrap();
        let told = list(&file).map(|_| ()).unwrap_err().to_string();
        let [major, minor, _] = version;
        let other = told.contains(&format!("is a crate of version {major}.{minor}.0; versions 0.4 to 0.12 are read"));
        assert!(other != damaged && (damaged || !told.contains("damaged")), "{told}");
        fs::remove_file(&file).unwrap();
    }
}
