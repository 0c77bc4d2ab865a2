//! USD stages as exporters write them: faults beside a mesh, instancers, UV sets, dual quaternions, value clips.
//! Positions are those of Pixar's library for the same text, or follow from it by hand.

use percale::linalg::Vec3;
use percale::mesh::MeshError;
use percale::mesh::archive::{Archive, Choice, Pose, Upward, list};
use percale::scene::build::{Built, build};
use percale::scene::{Fault, read_text};
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n)\n";
const TRIANGLE: &str = "int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n";
const POINTS: &str = "point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stage-{name}"));
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn stage(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, format!("{HEAD}{text}")).unwrap();
    file
}

fn mesh(name: &str, more: &str) -> String {
    format!("def Mesh \"{name}\"\n{{\n{TRIANGLE}{POINTS}{more}\n}}\n")
}

fn open(file: &Path) -> Archive {
    Archive::open(file, None, Upward::Y).unwrap()
}

fn choose(file: &Path, objects: &[&str], chart: Option<&str>) -> Result<Archive, MeshError> {
    let objects = objects.iter().map(|name| name.to_string()).collect();
    Archive::choose(file, &Choice { objects, chart: chart.map(str::to_string), up: Upward::Y })
}

fn notes(open: &Archive) -> String {
    open.mesh.notes.iter().map(|note| note.what.clone()).collect::<Vec<_>>().join("\n")
}

fn near(a: Vec3, b: [f64; 3]) -> bool {
    (a - Vec3::from(b)).norm() < 1e-6
}

#[test]
fn what_is_beside_a_mesh_does_not_refuse_it() {
    let folder = folder("beside");
    fs::write(folder.join("look.mtlx"), "<materialx version=\"1.38\"/>").unwrap();
    fs::write(folder.join("broken.usda"), "#usda 1.0\ndef {").unwrap();
    for (name, beside, told) in [
        ("material", "def Scope \"Looks\" (references = @look.mtlx@</MaterialX>) {}\n", "look.mtlx"),
        ("missing", "def Xform \"Far\" (references = @nowhere.usda@) {}\n", "nowhere.usda"),
        ("damaged", "def Xform \"Far\" (references = @broken.usda@) {}\n", "broken.usda"),
        ("empty", "def Mesh \"Empty\"\n{\n}\n", "left out, for empty: '/Empty'"),
        ("faceless", "def Mesh \"Bare\"\n{\npoint3f[] points = [(1., .5, -.5)]\n}\n", "left out, for empty: '/Bare'"),
    ] {
        let open = open(&stage(&folder, &format!("{name}.usda"), &format!("{}{beside}", mesh("Plate", ""))));
        assert_eq!(open.mesh.positions.len(), 3, "{name}");
        assert!(notes(&open).contains(told), "{name}: {}", notes(&open));
    }
    let ids = "custom uint[] ids = [1, 2]\ncustom uint64[] more = [18446744073709551615]\ncustom uchar[] bytes = [7]\n";
    assert!(notes(&open(&stage(&folder, "ids.usda", &mesh("Plate", ids)))).is_empty());
    let own =
        format!("def Mesh \"M\"\n{{\n{TRIANGLE}point3f[] points = [(.5, -.5, 1.), (1.e1, .25e1, 0), (0, 1, 0)]\n}}\n");
    let x = open(&stage(&folder, "numbers.usda", &own)).mesh.positions;
    assert!(near(x[0], [0.5, -0.5, 1.0]) && near(x[1], [10.0, 2.5, 0.0]), "{x:?}");
    // Nothing else is in the file: the fault is why.
    let none = stage(&folder, "none.usda", "def Xform \"Far\" (references = @broken.usda@) {}\n");
    assert!(Archive::open(&none, None, Upward::Y).err().unwrap().what.contains("broken.usda"));
}

#[test]
fn old_files_and_comments_are_read() {
    let folder = folder("old");
    let text = "// of an old program\ndef Mesh \"M\"\n{\nconfig Vec3f[] extent = [(0, 0, 0), (1, 1, 0)]\n\
                PointIndex[] faceVertexIndices = [0, 1, 2]\nint[] faceVertexCounts = [3]\n\
                PointFloat[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)] // of floats\n\
                asset picture.timeSamples = { 1: @a.png@, 2: @b.png@ }\n}\n";
    let read = open(&stage(&folder, "old.usda", text));
    assert_eq!((read.mesh.triangles.clone(), notes(&read)), (vec![[0, 1, 2]], String::new()));
    let still = format!("#usda 1.0\n(\n    metersPerUnit = 1\n    timeCodesPerSecond = 0\n)\n{}", mesh("M", ""));
    fs::write(folder.join("still.usda"), &still).unwrap();
    assert_eq!(open(&folder.join("still.usda")).mesh.positions.len(), 3);
    let moving = still.replace("points = [", "points.timeSamples = { 1: [(0, 0, 0), (1, 0, 0), (0, 2, 0)], 2: [");
    fs::write(folder.join("moving.usda"), moving.replace("(0, 1, 0)]", "(0, 1, 0)] }")).unwrap();
    let wrong = Archive::open(&folder.join("moving.usda"), None, Upward::Y).err().unwrap().what;
    assert!(wrong.contains("timeCodesPerSecond is 0; it must be more than 0"), "{wrong}");
}

#[test]
fn another_topology_is_read_at_first_alone() {
    let folder = folder("topology");
    let text = "def Mesh \"M\"\n{\nint[] faceVertexCounts.timeSamples = { 1: [3], 2: [3, 3] }\n\
                int[] faceVertexIndices.timeSamples = { 1: [0, 1, 2], 2: [0, 1, 2, 0, 2, 3] }\n\
                point3f[] points.timeSamples = { 1: [(0, 0, 0), (1, 0, 0), (0, 1, 0)],\n\
                2: [(0, 0, 0), (1, 0, 0), (0, 1, 0), (-1, 0, 0)] }\n}\n";
    let mut read = open(&stage(&folder, "m.usda", text));
    assert_eq!(read.pose(Pose::At(1.0 / 24.0)).unwrap(), read.mesh.positions);
    assert!(notes(&read).contains("its faceVertexCounts change with time"), "{}", notes(&read));
    let wrong = read.pose(Pose::At(2.0 / 24.0)).unwrap_err().what;
    assert!(wrong.contains("</M>: its faceVertexCounts at time code 2 are not the first ones"), "{wrong}");
}

const PLACED: &str = "point3f[] positions = [(0, 0, 0), (5, 0, 0), (0, 7, 0), (9, 9, 9)]
quath[] orientations = [(1, 0, 0, 0), (0.70710678, 0, 0, 0.70710678), (1, 0, 0, 0), (1, 0, 0, 0)]
float3[] scales = [(1, 1, 1), (2, 2, 2), (-1, 1, 1), (1, 1, 1)]
int[] protoIndices = [0, 0, 0, 0]
int64[] invisibleIds = [3]
double3 xformOp:translate = (0, 0, 10)
uniform token[] xformOpOrder = [\"xformOp:translate\"]
";

#[test]
fn instancers_place_their_prototypes() {
    let folder = folder("instancer");
    let moved = "double3 xformOp:translate = (0, 0, 1)\nuniform token[] xformOpOrder = [\"xformOp:translate\"]\n";
    let text = format!("def PointInstancer \"PI\"\n{{\n{PLACED}rel prototypes = </PI/p>\n{}}}\n", mesh("p", moved));
    let file = stage(&folder, "one.usda", &text);
    let placed = open(&file);
    let x = &placed.mesh.positions;
    assert_eq!((x.len(), placed.mesh.triangles.len(), placed.mesh.groups["p"].len()), (9, 3, 9));
    let at = [[0.0, 0.0, 11.0], [5.0, 0.0, 12.0], [0.0, 7.0, 11.0]];
    assert!((0..3).all(|k| near(x[3 * k], at[k])), "{x:?}");
    // Half precision of the quaternion: a quarter turn of twice the length.
    assert!((x[4] - Vec3::new(5.0, 2.0, 12.0)).norm() < 2e-3 && near(x[7], [-1.0, 7.0, 11.0]), "{x:?}");
    let up = |t: [u32; 3]| {
        let [a, b, c] = t.map(|v| x[v as usize]);
        (b - a).cross(&(c - a)).z
    };
    assert!(placed.mesh.triangles.iter().all(|t| up(*t) > 0.0), "a mirrored instance keeps its outside");
    let (entries, _) = list(&file).unwrap();
    assert_eq!((entries[0].path.as_str(), entries[0].words.clone()), ("/PI/p", vec!["3 instances".to_string()]));
    assert_eq!(choose(&file, &["PI"], None).unwrap().mesh.positions.len(), 9);
    // Prototypes that lie elsewhere, below an over, and hold an instancer themselves.
    let text = format!(
        "over \"Lib\"\n{{\ndef PointInstancer \"Row\"\n{{\npoint3f[] positions = [(0, 0, 0), (0, 0, 1)]\nint[] protoIndices = [0, 0]\n\
         rel prototypes = </Lib/Row/q>\n{}}}\n}}\ndef PointInstancer \"PI\"\n{{\n\
         point3f[] positions.timeSamples = {{ 0: [(0, 0, 0), (10, 0, 0)], 2: [(0, 4, 0), (10, 4, 0)] }}\n\
         int[] protoIndices = [0, 0]\nrel prototypes = </Lib/Row>\n}}\n",
        mesh("q", "")
    );
    let mut placed = open(&stage(&folder, "nested.usda", &text));
    assert_eq!((placed.times.clone(), placed.turns), (vec![0.0, 2.0 / 24.0], true));
    let x = placed.pose(Pose::At(1.0 / 24.0)).unwrap();
    let firsts: Vec<Vec3> = x.chunks(3).map(|own| own[0]).collect();
    for at in [[0.0, 2.0, 0.0], [0.0, 2.0, 1.0], [10.0, 2.0, 0.0], [10.0, 2.0, 1.0]] {
        assert_eq!(firsts.iter().filter(|p| near(**p, at)).count(), 1, "{firsts:?}");
    }
}

#[test]
fn instances_are_bounded_and_told() {
    let folder = folder("bounded");
    let many = |text: &str, count: usize| vec![text; count].join(",");
    let text = format!(
        "def PointInstancer \"PI\"\n{{\npoint3f[] positions = [{}]\nint[] protoIndices = [{}]\nrel prototypes = </PI/p>\n\
         def Mesh \"p\"\n{{\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\npoint3f[] points = [{}]\n}}\n}}\n",
        many("(0,0,0)", 40_000),
        many("0", 40_000),
        many("(0,0,0)", 40_000)
    );
    let wrong = Archive::open(&stage(&folder, "many.usda", &text), None, Upward::Y).err().unwrap().what;
    assert!(wrong.contains("its instances take") && wrong.contains("</PI/p>"), "{wrong}");
    // A prototype that holds its own instancer.
    let text = "def PointInstancer \"PI\"\n{\npoint3f[] positions = [(0,0,0),(1,0,0)]\nint[] protoIndices = [0, 0]\n\
                rel prototypes = </PI>\n}\n";
    let wrong = Archive::open(&stage(&folder, "itself.usda", text), None, Upward::Y).err().unwrap().what;
    assert!(wrong.contains("nested more than"), "{wrong}");
    let text = format!(
        "def PointInstancer \"PI\"\n{{\npoint3f[] positions = [(0,0,0)]\nint[] protoIndices = [7]\nrel prototypes = </PI/p>\n{}}}\n",
        mesh("p", "")
    );
    let wrong = Archive::open(&stage(&folder, "other.usda", &text), None, Upward::Y).err().unwrap().what;
    assert!(wrong.contains("instance 0 is of prototype 7"), "{wrong}");
}

fn charts() -> String {
    let set = |name: &str, wide: f64| {
        format!("texCoord2f[] primvars:{name} = [(0, 0), ({wide}, 0), (0, {wide})] (\ninterpolation = \"vertex\"\n)\n")
    };
    mesh("C", &format!("{}{}", set("st", 1.0), set("pattern", 0.25)))
}

#[test]
fn a_uv_set_is_chosen_by_name() {
    let folder = folder("uv");
    let file = stage(&folder, "c.usda", &charts());
    assert_eq!(list(&file).unwrap().0[0].words, ["UV sets 'st' and 'pattern'"]);
    assert_eq!(open(&file).mesh.uv[1].x, 1.0);
    assert_eq!(choose(&file, &[], Some("pattern")).unwrap().mesh.uv[1].x, 0.25);
    let wrong = choose(&file, &[], Some("map1")).err().unwrap().what;
    assert!(wrong.contains("</C>: it has no UV set 'map1', it has 'st', 'pattern'"), "{wrong}");
}

#[test]
fn several_prims_are_chosen() {
    let folder = folder("several");
    let all: String = ["ArmL", "ArmR", "Head", "Hat"].map(|name| mesh(name, "")).concat();
    let file = stage(&folder, "body.usda", &all);
    let names = |objects: &[&str]| {
        let open = choose(&file, objects, None).unwrap();
        open.mesh.groups.keys().cloned().collect::<Vec<String>>()
    };
    assert_eq!(names(&["Arm*", "/Hat"]), ["ArmL", "ArmR", "Hat"]);
    assert_eq!(names(&["/H*t"]), ["Hat"]);
    let wrong = choose(&file, &["Arm*", "Leg*"], None).err().unwrap().what;
    assert!(wrong.contains("no mesh at or below 'Leg*'; it has '/ArmL'"), "{wrong}");
}

#[test]
fn dual_quaternions_keep_the_girth() {
    let folder = folder("dual");
    let unit = "((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))";
    let one = "int[] primvars:skel:jointIndices = [0, 1, 0, 1, 0, 1] (\nelementSize = 2\ninterpolation = \"vertex\"\n)
float[] primvars:skel:jointWeights = [0.5, 0.5, 0.5, 0.5, 1, 0] (\nelementSize = 2\ninterpolation = \"vertex\"\n)\n";
    let body = mesh("M", one).replace("\"M\"", "\"M\" (prepend apiSchemas = [\"SkelBindingAPI\"])");
    let text = format!(
        "def SkelRoot \"R\" (prepend apiSchemas = [\"SkelBindingAPI\"])\n{{\nuniform token primvars:skel:skinningMethod = \
         \"dualQuaternion\"\nrel skel:skeleton = </R/S>\ndef Skeleton \"S\" (prepend apiSchemas = [\"SkelBindingAPI\"])\n{{\n\
         uniform token[] joints = [\"a\", \"b\"]\nuniform matrix4d[] bindTransforms = [{unit}, {unit}]\n\
         uniform matrix4d[] restTransforms = [{unit}, {unit}]\nrel skel:animationSource = </R/A>\n}}\n\
         def SkelAnimation \"A\"\n{{\nuniform token[] joints = [\"a\", \"b\"]\nfloat3[] translations = [(0, 0, 0), (0, 0, 3)]\n\
         quatf[] rotations = [(1, 0, 0, 0), (0.5, 0, 0, 0.8660254)]\nhalf3[] scales = [(1, 1, 1), (1, 1, 1)]\n}}\n{body}}}\n"
    );
    let x = open(&stage(&folder, "dual.usda", &text)).mesh.positions;
    // Half of a turn by 120 degrees and of a shift along its axis.
    assert!(near(x[0], [0.0, 0.0, 1.5]) && near(x[1], [0.5, 0.8660254, 1.5]) && near(x[2], [0.0, 1.0, 0.0]), "{x:?}");
}

#[test]
fn clips_are_read_as_pixar_reads_them() {
    let folder = folder("clips");
    for k in [1, 2] {
        let points = format!("(0, {k}, 0), (1, {k}, 0)");
        let clip = format!(
            "#usda 1.0\ndef Xform \"M\"\n{{\ndouble3 xformOp:translate.timeSamples = {{ 0: ({k}, 0, 0), 4: ({k}, 0, 8) }}\n\
             def Mesh \"Sheet\"\n{{\npoint3f[] points.timeSamples = {{ 0: [{points}, (0, {k}, 1)], 4: [{points}, (0, {k}4, 1)] }}\n\
             }}\n}}\n"
        );
        fs::write(folder.join(format!("c{k}.usda")), clip).unwrap();
    }
    let manifest = "#usda 1.0\nover \"M\"\n{\ndouble3 xformOp:translate\nover \"Sheet\"\n{\npoint3f[] points\n}\n}\n";
    fs::write(folder.join("manifest.usda"), manifest).unwrap();
    let clipped = |name: &str, active: &str, times: &str| {
        let text = format!(
            "def Xform \"R\" (\nclips = {{\ndictionary default = {{\nasset[] assetPaths = [@./c1.usda@, @./c2.usda@]\n\
             asset manifestAssetPath = @./manifest.usda@\nstring primPath = \"/M\"\ndouble2[] active = [{active}]\n\
             double2[] times = [{times}]\n}}\n}}\n)\n{{\ndouble3 xformOp:translate\n\
             uniform token[] xformOpOrder = [\"xformOp:translate\"]\ndef Mesh \"Sheet\"\n{{\n{TRIANGLE}point3f[] points\n}}\n}}\n"
        );
        open(&stage(&folder, name, &text))
    };
    // The second clip begins anew where the first ends: nothing is blended across.
    let mut jump = clipped("jump.usda", "(0, 0), (4, 1)", "(0, 0), (4, 4), (4, 0), (8, 4)");
    // The second clip goes on where the first is left: values between samples are of both.
    let mut joined = clipped("joined.usda", "(0, 0), (6, 1)", "(0, 0), (8, 4)");
    for (code, expected) in [
        (0.0, [1.0, 1.0, 1.0]),
        (1.0, [1.0, 4.25, 3.0]),
        (3.5, [1.0, 12.375, 8.0]),
        (4.0, [2.0, 2.0, 1.0]),
        (6.0, [2.0, 13.0, 5.0]),
    ] {
        let x = jump.pose(Pose::At(code / 24.0)).unwrap();
        assert!(near(x[2], expected), "{code}: {:?}", x[2]);
    }
    for (code, expected) in [(1.0, [1.1666667, 3.9166667, 2.0]), (5.0, [1.8333333, 15.5833333, 6.0])] {
        let x = joined.pose(Pose::At(code / 24.0)).unwrap();
        assert!(near(x[2], expected), "{code}: {:?}", x[2]);
    }
}

/// Builds a scene in a folder.
fn built(folder: &Path, scene: &str) -> Result<Built, String> {
    let file = folder.join("scene.toml");
    let lines = |faults: Vec<Fault>| faults.iter().map(|fault| format!("{fault}\n")).collect::<String>();
    let scene = read_text(&file, scene.as_bytes(), &[]).map_err(lines)?;
    build(&scene, &file).map_err(|refusal| lines(refusal.faults))
}

#[test]
fn keys_choose_prims_charts_and_axes() {
    let folder = folder("keys");
    stage(&folder, "c.usda", &charts());
    stage(&folder, "body.usda", &["ArmL", "ArmR", "Head"].map(|name| mesh(name, "")).concat());
    fs::write(folder.join("up.obj"), "v 0 0 5\nv 1 0 5\nv 0 1 5\nf 1 2 3\n").unwrap();
    let scene = "[time]\nframes = 1\n[contact]\nenabled = false\n\
        [[cloth]]\nname = \"c\"\nmesh = \"c.usda\"\nchart = \"pattern\"\nrest = \"chart\"\n\
        [[cloth]]\nname = \"up\"\nmesh = \"up.obj\"\naxis = \"z\"\n\
        [[obstacle]]\nname = \"arms\"\nmesh = \"body.usda\"\nobjects = [\"Arm*\"]\ntransform = { translate = [9, 0, 0] }\n";
    let built = built(&folder, scene).unwrap();
    let x = &built.state.x;
    assert_eq!(x.len(), 12);
    // Vertices are in the solver's order.
    for turned in [[0.0, 5.0, 0.0], [1.0, 5.0, 0.0], [0.0, 5.0, -1.0]] {
        assert_eq!(x.iter().filter(|p| near(**p, turned)).count(), 1, "{x:?}");
    }
    for (key, file, told) in [
        ("axis = \"z\"", "c.usda", "which axis points up"),
        ("chart = \"st\"", "up.obj", "only USD files have several charts"),
        ("chart = \"map1\"", "c.usda", "no UV set 'map1'"),
    ] {
        let scene = format!("[time]\nframes = 1\n[[cloth]]\nname = \"c\"\nmesh = \"{file}\"\n{key}\n");
        let faults = self::built(&folder, &scene).err().unwrap();
        assert!(faults.contains(told), "{key}: {faults}");
    }
    let scene = "[time]\nframes = 1\n[[cloth]]\nname = \"c\"\nmesh = \"up.obj\"\n\
                 [[obstacle]]\nname = \"o\"\nmesh = \"up.obj\"\nobjects = [\"a\"]\n";
    let faults = self::built(&folder, scene).err().unwrap();
    assert!(faults.contains("several are taken"), "{faults}");
}

#[test]
fn moving_transforms_are_told_at_rest() {
    let folder = folder("rest");
    let text = format!(
        "def Xform \"X\"\n{{\ndouble3 xformOp:translate.timeSamples = {{ 3: (0, 3, 0), 5: (0, 5, 0) }}\n\
         uniform token[] xformOpOrder = [\"xformOp:translate\"]\n{}}}\n",
        mesh("M", "")
    );
    stage(&folder, "m.usda", &text);
    let scene = "[time]\nframes = 1\nstart_frame = 5\n[[cloth]]\nname = \"c\"\nmesh = \"m.usda\"\npose = \"rest\"\n";
    let built = built(&folder, scene).unwrap();
    assert!(near(built.state.x[0], [0.0, 3.0, 0.0]), "{:?}", built.state.x[0]);
    let told: Vec<String> = built.warnings.iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|text| text.contains("at rest they are as at time code 3")), "{told:?}");
}
