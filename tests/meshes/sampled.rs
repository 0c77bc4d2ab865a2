//! Uncommon samples of USD stages. Shapes go beyond their weights, samples have no value, layers an offset, and clips
//! points that a stage does not declare. Positions are those of Pixar's library for the same text.

use percale::mesh::archive::{Archive, Pose, Upward};
use std::fs;
use std::path::{Path, PathBuf};

const HEAD: &str = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Y\"\n    timeCodesPerSecond = 24\n";
const TRIANGLE: &str = "int[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0, 1, 2]\n";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sampled-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a stage and opens it.
fn open(folder: &Path, name: &str, head: &str, text: &str) -> Result<Archive, String> {
    let file = folder.join(name);
    fs::write(&file, format!("{HEAD}{head})\n{text}")).unwrap();
    Archive::open(&file, None, Upward::Y).map_err(|error| error.what)
}

/// Returns the x of the first point at time codes.
fn first<const N: usize>(archive: &mut Archive, codes: [f64; N]) -> [f64; N] {
    codes.map(|code| archive.pose(Pose::At(code / 24.0)).unwrap()[0].x)
}

fn near<const N: usize>(a: [f64; N], b: [f64; N]) -> bool {
    a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5 * b.abs().max(1.0))
}

#[test]
fn shapes_go_on_beyond_their_weights() {
    let folder = folder("shapes");
    let rig = |between: &str| {
        format!(
            "def SkelRoot \"R\"\n{{\ndef Skeleton \"S\" (\nprepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{{\nuniform token[] joints = [\"a\"]\n\
             uniform matrix4d[] bindTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\n\
             uniform matrix4d[] restTransforms = [((1,0,0,0),(0,1,0,0),(0,0,1,0),(0,0,0,1))]\n\
             rel skel:animationSource = </R/A>\n}}\n\
             def SkelAnimation \"A\"\n{{\nuniform token[] blendShapes = [\"one\"]\n\
             float[] blendShapeWeights.timeSamples = {{ 1: [-0.5], 2: [0], 3: [0.1], 4: [0.5], 5: [1.2], 6: [2] }}\n}}\n\
             def Mesh \"M\"(\nprepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{{\n{TRIANGLE}\
             point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\nuniform token[] skel:blendShapes = [\"one\"]\n\
             rel skel:blendShapeTargets = </R/M/one>\nrel skel:skeleton = </R/S>\n\
             def BlendShape \"one\"\n{{\nuniform vector3f[] offsets = [(1, 0, 0)]\nuniform int[] pointIndices = [0]\n\
             {between}}}\n}}\n}}\n"
        )
    };
    let at = |weight: f64, x: f64| {
        format!(
            "uniform vector3f[] inbetweens:w{} = [({x}, 0, 0)] (\nweight = {weight}\n)\n",
            (weight * 100.0).abs() as i32
        )
    };
    for (name, between, expected) in [
        ("none", String::new(), [-0.5, 0.0, 0.1, 0.5, 1.2, 2.0]),
        ("two", at(0.25, 10.0) + &at(0.75, 20.0), [-20.0, 0.0, 4.0, 15.0, -14.2, -75.0]),
        ("beyond", at(-0.5, 10.0) + &at(1.5, 20.0), [10.0, 0.0, 0.1, 0.5, 8.6, 39.0]),
    ] {
        let mut read = open(&folder, &format!("{name}.usda"), "", &rig(&between)).unwrap();
        let x = first(&mut read, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert!(near(x, expected), "{name}: {x:?}");
    }
}

#[test]
fn a_sample_holds_up_to_one_without_a_value() {
    let folder = folder("blocked");
    let text = format!(
        "def Mesh \"M\"\n{{\n{TRIANGLE}point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n\
         double3 xformOp:translate.timeSamples = {{ 1: (1, 0, 0), 2: (2, 0, 0), 4: None, 6: (6, 0, 0) }}\n\
         uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}}\n"
    );
    let mut read = open(&folder, "m.usda", "", &text).unwrap();
    let x = first(&mut read, [1.0, 1.5, 2.0, 3.0, 6.0]);
    assert!(near(x, [1.0, 1.5, 2.0, 2.0, 6.0]), "{x:?}");
}

/// A value that begins at a frame is there in that frame, also where seconds round below it: 1004/25*25 is below 1004.
#[test]
fn a_sample_after_one_without_a_value_begins_at_its_frame() {
    let file = folder("begins").join("m.usda");
    let text = format!(
        "{})\ndef Mesh \"M\"\n{{\n{TRIANGLE}point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n\
         double3 xformOp:translate.timeSamples = {{ 998.1: None, 1004: (6, 0, 0) }}\n\
         uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}}\n",
        HEAD.replace("24", "25")
    );
    fs::write(&file, text).unwrap();
    let mut read = Archive::open(&file, None, Upward::Y).unwrap();
    let x = [1003.0, 1004.0].map(|code| read.pose(Pose::At(code / 25.0)).unwrap()[0].x);
    assert!(1004.0 / 25.0 * 25.0 < 1004.0 && near(x, [0.0, 6.0]), "{x:?}");
}

#[test]
fn references_within_a_layer_with_an_offset_are_refused() {
    let folder = folder("offset");
    let body = format!(
        "class Xform \"C\"\n{{\ndouble3 xformOp:translate.timeSamples = {{ 0: (0, 0, 0), 8: (8, 0, 0) }}\n\
         uniform token[] xformOpOrder = [\"xformOp:translate\"]\n\
         def Mesh \"M\"\n{{\n{TRIANGLE}point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]\n}}\n}}\n"
    );
    let write = |name: &str, arc: &str| {
        let text = format!("{HEAD})\n{body}def Xform \"I\" (\n{arc} = </C>\n)\n{{\n}}\n");
        fs::write(folder.join(name), text).unwrap();
    };
    write("within.usda", "references");
    write("class.usda", "inherits");
    let over = |name: &str, by: &str| open(&folder, "over.usda", &format!("subLayers = [@./{name}@{by}]\n"), "");
    let wrong = over("within.usda", " (scale = 0.5)").err().unwrap();
    assert!(wrong.contains("</I/M>: a reference within a sublayer whose time is offset or scaled"), "{wrong}");
    assert!(near(first(&mut over("within.usda", "").unwrap(), [4.0]), [4.0]));
    assert!(near(first(&mut over("class.usda", " (scale = 0.5)").unwrap(), [2.0]), [4.0]));
    // A reference to another file is no such case.
    let other = "def Xform \"X\" (\nreferences = @./within.usda@</I> (scale = 0.5)\n)\n{\n}\n";
    assert!(near(first(&mut open(&folder, "other.usda", "", other).unwrap(), [2.0]), [4.0]));
}

#[test]
fn clips_give_points_that_a_stage_does_not_declare() {
    let folder = folder("undeclared");
    let points = |x: i32| format!("[({x}, 0, 0), (9, 0, 0), (0, 9, 0)]");
    let clip = format!("point3f[] points.timeSamples = {{ 0: {}, 4: {} }}", points(1), points(5));
    for (name, points) in [("clip.usda", clip.as_str()), ("manifest.usda", "point3f[] points")] {
        fs::write(folder.join(name), format!("#usda 1.0\ndef \"C\"\n{{\ndef Mesh \"M\"\n{{\n{points}\n}}\n}}\n"))
            .unwrap();
    }
    let text = format!(
        "def Xform \"R\" (\nclips = {{\ndictionary default = {{\nasset[] assetPaths = [@./clip.usda@]\n\
         asset manifestAssetPath = @./manifest.usda@\nstring primPath = \"/C\"\ndouble2[] active = [(10, 0)]\n\
         double2[] times = [(10, 0), (14, 4)]\n}}\n}}\n)\n{{\ndef Mesh \"M\"\n{{\n{TRIANGLE}}}\n}}\n"
    );
    let x = first(&mut open(&folder, "stage.usda", "", &text).unwrap(), [10.0, 11.0, 14.0]);
    assert!(near(x, [1.0, 2.0, 5.0]), "{x:?}");
}

#[test]
fn a_constant_value_covers_samples_of_weaker_places() {
    let folder = folder("over");
    let class = format!(
        "class Xform \"L\"\n{{\ndef Mesh \"M\"\n{{\n{TRIANGLE}point3f[] points.timeSamples = {{\n\
         1: [(1, 0, 0), (2, 0, 0), (1, 1, 0)], 3: [(3, 0, 0), (4, 0, 0), (3, 1, 0)] }}\n\
         double3 xformOp:translate.timeSamples = {{ 1: (1, 0, 0), 3: (3, 0, 0) }}\n\
         uniform token[] xformOpOrder = [\"xformOp:translate\"]\n}}\n}}\n"
    );
    for arc in ["references", "inherits", "specializes"] {
        let over = |own: &str| {
            let text = format!("{class}def Xform \"X\" (\n{arc} = </L>\n)\n{{\nover \"M\"\n{{\n{own}}}\n}}\n");
            open(&folder, &format!("{arc}.usda"), "", &text).unwrap()
        };
        let x = first(&mut over(""), [1.0, 2.0]);
        assert!(near(x, [2.0, 4.0]), "{arc}: {x:?}");
        let points = "point3f[] points = [(7, 0, 0), (8, 0, 0), (7, 1, 0)]\n";
        let x = first(&mut over(points), [1.0, 2.0]);
        assert!(near(x, [8.0, 9.0]), "{arc}: {x:?}");
        let x = first(&mut over("double3 xformOp:translate = (10, 0, 0)\n"), [1.0, 2.0]);
        assert!(near(x, [11.0, 12.0]), "{arc}: {x:?}");
    }
}
